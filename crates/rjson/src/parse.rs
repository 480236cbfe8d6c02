//! Whole texts: the machine and a tree builder in a row.

use alloc::vec::Vec;

use crate::error::{Diagnostic, Error, ErrorKind};
use crate::machine::Machine;
use crate::options::{Mode, Options};
use crate::tree::TreeBuilder;
use crate::value::Value;

/// What a whole text gave.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parsed {
    /// The value.
    pub value: Value,
    /// What is worth knowing, in the order it was found.
    pub diagnostics: Vec<Diagnostic>,
    /// The bytes that were read: the value, and the blanks and comments around it.
    pub consumed: usize,
}

/// Reads the one value of a text, with default limits.
///
/// # Errors
/// The text is not of the mode's grammar, or a limit is reached; see [`ErrorKind`].
///
/// ```
/// use toolweir_rjson::{Mode, parse};
///
/// let parsed = parse("{k: [0x10, .5,], /* more */ 'm': NaN}", Mode::Relaxed)?;
/// assert_eq!(parsed.value.to_string(), r#"{"k":[16,0.5],"m":null}"#);
/// let codes: Vec<&str> = parsed.diagnostics.iter().map(|note| note.code).collect();
/// assert_eq!(codes, ["rjson::trailing-comma", "rjson::non-finite"]);
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
pub fn parse(text: &str, mode: Mode) -> Result<Parsed, Error> {
    parse_with(text, &Options::new(mode))
}

/// Reads the one value of a text.
///
/// # Errors
/// As [`parse`]; [`DuplicateKey`](ErrorKind::DuplicateKey) under
/// [`Duplicates::Error`](crate::Duplicates::Error).
pub fn parse_with(text: &str, options: &Options) -> Result<Parsed, Error> {
    let mut machine = Machine::new(options.clone());
    let mut tree = TreeBuilder::new(options);
    let mut input = text;
    while let Some(token) = machine.next(&mut input)? {
        tree.push(&token)?;
    }
    machine.trailing(&mut input)?;
    while let Some(token) = machine.finish()? {
        tree.push(&token)?;
    }
    let Some(value) = tree.take() else {
        return Err(Error::new(ErrorKind::NoValue, machine.offset()));
    };
    let consumed = text.len() - input.len();
    Ok(Parsed { value, diagnostics: tree.take_diagnostics(), consumed })
}

#[cfg(test)]
mod tests;
