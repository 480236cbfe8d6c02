//! The patterns of a row, read.

use crate::error::SpecError;
use crate::pattern::{Pattern, PatternError, Role, check};
use crate::spec::{CallPattern, FormatSpec};

/// The patterns of a row.
#[derive(Debug)]
pub(crate) struct Patterns {
    pub(crate) calls: Vec<Pattern>,
    pub(crate) wraps: Vec<Pattern>,
    pub(crate) messages: Vec<Pattern>,
}

impl Patterns {
    /// Reads those of a spec, as `spelled` has them.
    pub(crate) fn read(
        spec: &FormatSpec,
        spelled: impl Fn(&str) -> String,
    ) -> Result<Self, SpecError> {
        let read =
            |field, texts: &mut dyn Iterator<Item = &String>, role| -> Result<_, SpecError> {
                texts.map(|text| read_pattern(spec, field, &spelled(text), role)).collect()
            };
        Ok(Self {
            wraps: read("wrap", &mut spec.wrap.iter(), Role::Wrap)?,
            messages: read("message", &mut spec.message.iter(), Role::Message)?,
            calls: read("call", &mut spec.call.iter().map(|call| &call.pattern), Role::Call)?,
        })
    }

    /// Keeps the calls of some lines of the spec.
    pub(crate) fn retain_calls(&mut self, spec: &FormatSpec, on: impl Fn(&CallPattern) -> bool) {
        let mut lines = spec.call.iter();
        self.calls.retain(|_| lines.next().is_some_and(&on));
    }
}

pub(crate) fn bad(
    spec: &FormatSpec,
    field: &'static str,
    pattern: &str,
    error: PatternError,
) -> SpecError {
    SpecError::Pattern {
        format: spec.name.clone(),
        field,
        pattern: pattern.to_owned(),
        error: Box::new(error),
    }
}

/// A pattern of a spec, read and held against its role.
pub(crate) fn read_pattern(
    spec: &FormatSpec,
    field: &'static str,
    text: &str,
    role: Role,
) -> Result<Pattern, SpecError> {
    let pattern: Pattern = text.parse().map_err(|error| bad(spec, field, text, error))?;
    check(&pattern, role).map_err(|error| bad(spec, field, text, error))?;
    Ok(pattern)
}
