//! A row with its patterns parsed, and what a request changes in it.

use crate::error::SpecError;
use crate::program::ambiguity::Row;
use crate::program::parts::{
    SUFFIX, replace_outer, with_spaced_tags, with_suffix, without_spare_space,
};
use crate::program::patterns::Patterns;
use crate::spec::{FormatSpec, Tags};

/// What a request changes in a format.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    pub(crate) open: Option<Vec<String>>,
    pub(crate) close: Option<Vec<String>>,
    /// Options of call patterns.
    pub(crate) switches: Vec<(String, bool)>,
    /// A word in every tag.
    pub(crate) suffix: Option<String>,
}

impl Changes {
    /// The word that tags may carry where a row says so.
    pub(crate) fn suffix(&self) -> &str {
        self.suffix.as_deref().unwrap_or(SUFFIX)
    }
}

/// A row with its patterns parsed.
pub(super) struct Lowered<'a> {
    pub(super) spec: &'a FormatSpec,
    /// Those that are read.
    pub(super) patterns: Patterns,
    /// The request gives what opens a call.
    pub(super) own_opener: bool,
}

impl<'a> Lowered<'a> {
    /// `suffix`: a word in every tag. `exact`: whitespace that no template writes is not read.
    pub(super) fn of(
        spec: &'a FormatSpec,
        changes: &Changes,
        suffix: Option<&str>,
        exact: bool,
    ) -> Result<Self, SpecError> {
        let mut patterns = Patterns::read(spec, |text| match suffix {
            Some(word) => with_suffix(text, word),
            None => text.to_owned(),
        })?;
        Row { spec, patterns: &patterns }.check()?;
        patterns.retain_calls(spec, |call| {
            call.option.as_ref().is_none_or(|(name, default)| {
                let set = changes.switches.iter().find(|(switch, _)| switch == name);
                set.map_or(*default, |(_, on)| *on)
            })
        });
        for pattern in &mut patterns.calls {
            if exact {
                *pattern = without_spare_space(pattern);
            } else if spec.tags != Tags::Words {
                *pattern = with_spaced_tags(pattern);
            }
            replace_outer(pattern, changes);
        }
        Ok(Self { spec, patterns, own_opener: changes.open.is_some() })
    }
}
