//! How the rendered tools become a system prompt, and where it goes.

use std::fmt;
use std::sync::Arc;

use toolweir_protocols::{Protocol, Tool};

/// What a template fills in.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Rendered<'a> {
    /// The wire format that calls are written in: with the delimiters of the request, where it replaces
    /// those of the format.
    pub protocol: &'a dyn Protocol,
    /// The tools as the wire format shows them.
    pub tools: &'a str,
    /// The same as values.
    pub declared: &'a [Tool],
    /// The examples of arguments, each as a call in the wire format, under a heading; empty without
    /// any.
    pub examples: &'a str,
}

impl fmt::Debug for Rendered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rendered")
            .field("protocol", &self.protocol.name())
            .field("tools", &self.tools)
            .field("examples", &self.examples)
            .finish_non_exhaustive()
    }
}

type Write = dyn Fn(&Rendered<'_>) -> String + Send + Sync;

/// From rendered tools to a system prompt. Cheap to clone.
///
/// A forced call has a prompt of its own: what a template says of the form of a call does not hold for it.
///
/// ```
/// use toolweir_middleware::Template;
///
/// let template = Template::new(|shown| format!("You have tools:\n{}", shown.tools));
/// ```
#[derive(Clone)]
pub struct Template(Arc<Write>);

impl Template {
    /// A template from a function.
    pub fn new(write: impl Fn(&Rendered<'_>) -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(write))
    }

    pub(crate) fn write(&self, rendered: &Rendered<'_>) -> String {
        (self.0)(rendered)
    }
}

/// The tools and the examples, without a word around them.
impl Default for Template {
    fn default() -> Self {
        Self::new(|shown| match shown.examples {
            "" => shown.tools.to_owned(),
            examples => format!("{}\n\n{examples}", shown.tools),
        })
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Template")
    }
}

/// Where the prompt of the tools goes, relative to the text of the first system message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Placement {
    /// Before it. Without one: a new one at the start.
    #[default]
    First,
    /// After it. Without one: a new one at the end.
    Last,
    /// After it. Without one: a new one at the start, since the prompt is all the instructions there are.
    AfterInstructions,
}
