//! Limits: one struct. Reaching one is an outcome with a diagnostic `limit::NAME`, never an error.

use toolweir_rjson::{Mode, Options};

use crate::error::OptionError;

/// Bounds on what one turn may make a decoder keep or report.
///
/// Sizes are in bytes of source text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Open containers in one payload value. Default 128. Beyond: the call is abandoned.
    pub max_depth: usize,
    /// Length of a tool name. Default 256. Beyond: not a call, text.
    pub max_name_bytes: usize,
    /// Calls in one turn. Default 1,024. Further calls are text, with one diagnostic.
    pub max_calls: usize,
    /// Source of one call. Default 16 MiB. Beyond: the call is abandoned.
    pub max_call_bytes: usize,
    /// Anything that cannot stream: a number, a typed parameter, arguments before their name, a
    /// whitespace run. Default 1 MiB. Beyond: the call is abandoned (a whitespace run becomes text).
    pub max_held_bytes: usize,
    /// Members of one object. Default 10,000. Beyond: the call is abandoned.
    pub max_keys: usize,
    /// Diagnostics in one turn. Default 100. Further ones are counted.
    pub max_diagnostics: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_depth: 128,
            max_name_bytes: 256,
            max_calls: 1024,
            max_call_bytes: 16 << 20,
            max_held_bytes: 1 << 20,
            max_keys: 10_000,
            max_diagnostics: 100,
        }
    }
}

impl Limits {
    /// The names that [`Limits::set`] knows.
    pub const KEYS: &'static [&'static str] = &[
        "max_depth",
        "max_name_bytes",
        "max_calls",
        "max_call_bytes",
        "max_held_bytes",
        "max_keys",
        "max_diagnostics",
    ];

    /// Sets one limit by name; `value` is a whole number.
    ///
    /// # Errors
    /// [`OptionError`] for a name that is no limit or a value that is no whole number.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), OptionError> {
        let field = match key {
            "max_depth" => &mut self.max_depth,
            "max_name_bytes" => &mut self.max_name_bytes,
            "max_calls" => &mut self.max_calls,
            "max_call_bytes" => &mut self.max_call_bytes,
            "max_held_bytes" => &mut self.max_held_bytes,
            "max_keys" => &mut self.max_keys,
            "max_diagnostics" => &mut self.max_diagnostics,
            _ => return Err(OptionError::unknown(key, Self::KEYS)),
        };
        *field = value.parse().map_err(|_| OptionError::bad(key, value, &["a whole number"]))?;
        Ok(())
    }

    /// How JSON is read within these limits.
    pub(crate) fn json(&self, mode: Mode) -> Options {
        Options::new(mode)
            .with_max_depth(self.max_depth)
            .with_max_held_bytes(self.max_held_bytes)
            .with_max_keys(self.max_keys)
    }
}
