//! Why a response template gives no format.

use crate::error::SpecError;
use crate::error::Unsaid;

/// A response template that gives no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResponseTemplateError {
    /// The text is no JSON.
    #[error("the template cannot be read: {0}")]
    Syntax(String),
    /// There is no template and no schema in it.
    #[error(
        "there is no `response_template` or `response_schema`, and the object itself has neither \
         `fields` nor `properties`"
    )]
    Absent,
    /// It was made for another version of templates.
    #[error("`{path}` is {found}; only version 1 is read")]
    Version {
        /// Where the version stands.
        path: String,
        /// The version, as JSON.
        found: String,
    },
    /// A value is of another kind than templates have there.
    #[error("{} must be {expected}", place(.path))]
    Kind {
        /// Where it stands; empty for the whole text.
        path: String,
        /// What it takes.
        expected: &'static str,
    },
    /// There are more entries than a model has markers for.
    #[error("`{path}` has more than {most} entries")]
    TooMany {
        /// Where they stand.
        path: String,
        /// How many it may have.
        most: usize,
    },
    /// Its calls cannot be said, so that there is no format.
    #[error("there is no format without tool calls, and those of the template cannot be said")]
    NoCalls {
        /// What could not be said, that of the calls among it.
        unsaid: Vec<Unsaid>,
    },
    /// The pattern of its calls does not work.
    #[error("the calls of the template make no working format: {error}")]
    Spec {
        /// What is wrong with the pattern, and where.
        error: SpecError,
        /// What could not be said.
        unsaid: Vec<Unsaid>,
    },
}

impl ResponseTemplateError {
    /// What could not be said, where that much was read.
    #[must_use]
    pub fn unsaid(&self) -> &[Unsaid] {
        match self {
            Self::NoCalls { unsaid } | Self::Spec { unsaid, .. } => unsaid,
            _ => &[],
        }
    }
}

fn place(path: &str) -> String {
    if path.is_empty() { "the text".to_owned() } else { format!("`{path}`") }
}
