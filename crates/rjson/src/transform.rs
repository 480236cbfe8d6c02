//! Relaxed or damaged JSON as strict JSON text, changed no more than it must be.

use alloc::string::String;
use alloc::vec::Vec;

use crate::diagnostic::{Code, Diagnostic, Error};
use crate::machine::{Kind, Machine, Token};
use crate::options::{Duplicates, Mode, Options};
use crate::tree::TreeBuilder;
use crate::value::Value;

/// The strict JSON text of what a mode reads, with default limits; see [`transform_with`].
///
/// # Errors
/// As [`parse`](crate::parse).
///
/// ```
/// use toolweir_rjson::{Mode, transform};
///
/// let text = "{ key: [+1, 2,] } // note";
/// assert_eq!(transform(text, Mode::Relaxed)?, "{ \"key\": [1, 2] } ");
/// assert_eq!(transform("{\"k\": [1, 2", Mode::Repair)?, "{\"k\": [1, 2]}");
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
pub fn transform(text: &str, mode: Mode) -> Result<String, Error> {
    transform_with(text, &Options::new(mode)).map(|transformed| transformed.0)
}

/// The strict JSON text of what is read, and what is worth knowing about it.
///
/// Whitespace between tokens stay, comments go, strings and numbers are spelled anew only where they
/// must be; strict JSON comes out as it is. A key given twice stays twice: readers take the last.
/// Several roots of repair mode become one array.
///
/// # Errors
/// As [`parse_with`](crate::parse_with).
pub fn transform_with(text: &str, options: &Options) -> Result<(String, Vec<Diagnostic>), Error> {
    // Repeated keys are the tree's to refuse.
    let tree = (options.duplicates == Duplicates::Error).then(|| TreeBuilder::new(options));
    let read = read(text, options, tree)?;
    Ok((read.text, read.notes))
}

/// What [`repair`] made of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// The value.
    pub value: Value,
    /// The same as strict JSON text, changed no more than it must be: whitespace between tokens
    /// stays, that around the value where nothing else changes, and strict JSON comes out as it is. A key given twice stays twice: readers take the
    /// last.
    pub text: String,
    /// Every repair, in the order it was made: what was found, where, and what was done. Spellings
    /// of the relaxed grammar that lose nothing (comments, other quotes, keys without any) are
    /// respelled without an entry here.
    pub changes: Vec<Diagnostic>,
}

/// Repairs damaged JSON, with default limits: the value, the strict text, and what was changed.
///
/// # Errors
/// There is no value in the text, or a limit is reached. No damage is an error.
///
/// ```
/// use toolweir_rjson::{json, repair};
///
/// let repaired = repair("Sure! {name: 'loom', sizes: [1, 2, 3,], note: \"say \"hi\"\"")?;
/// assert_eq!(repaired.value, json!({"name": "loom", "sizes": [1, 2, 3], "note": "say \"hi\""}));
/// assert_eq!(repaired.text, r#"{"name": "loom", "sizes": [1, 2, 3], "note": "say \"hi\""}"#);
/// let codes: Vec<&str> = repaired.changes.iter().map(|change| change.code.as_str()).collect();
/// assert_eq!(codes, ["rjson::prose", "rjson::trailing-comma", "rjson::inner-quote", "rjson::inner-quote", "rjson::missing-closer"]);
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
pub fn repair(text: &str) -> Result<Repaired, Error> {
    repair_with(text, &Options::new(Mode::Repair))
}

/// The same with options, whatever their mode.
///
/// # Errors
/// As [`repair`], and [`DuplicateKey`](crate::ErrorKind::DuplicateKey) under
/// [`Duplicates::Error`].
pub fn repair_with(text: &str, options: &Options) -> Result<Repaired, Error> {
    let options = options.clone().with_mode(Mode::Repair);
    let mut read = read(text, &options, Some(TreeBuilder::new(&options)))?;
    let value = match read.roots.len() {
        1 => read.roots.pop().unwrap_or_default(),
        _ => Value::from(read.roots),
    };
    // A number that no machine type holds is kept: nothing changes.
    read.notes.retain(|note| note.code != Code::NumberPrecision);
    // Whitespace around what is no longer there says nothing.
    let text =
        if read.text == text { read.text } else { read.text.trim_matches(is_whitespace).into() };
    Ok(Repaired { value, text, changes: read.notes })
}

/// A text as strict JSON text, and as values where there is a tree.
struct Read {
    text: String,
    roots: Vec<Value>,
    notes: Vec<Diagnostic>,
}

fn read(text: &str, options: &Options, tree: Option<TreeBuilder>) -> Result<Read, Error> {
    let mut machine = Machine::new(options.clone());
    let mut out = Output { text, out: String::with_capacity(text.len()), roots: 0, depth: 0 };
    let (mut tree, mut roots, mut notes) = (tree, Vec::new(), Vec::new());
    let mut input = text;
    let mut ended = false;
    loop {
        let token = if ended { machine.finish()? } else { machine.next(&mut input)? };
        match token {
            Some(token) => {
                out.push(&token);
                match (&mut tree, token.kind) {
                    (Some(tree), _) => {
                        tree.push(&token)?;
                        roots.extend(tree.take());
                    }
                    (None, _) => notes.extend(token.diagnostic()),
                }
            }
            None if ended => break,
            None => {
                let rest = input;
                machine.trailing(&mut input)?;
                // Whitespace after the value stay, comments do not.
                out.out.extend(rest.chars().take_while(|c| is_whitespace(*c)));
                ended = true;
            }
        }
    }
    if out.roots > 1 {
        out.out.insert(0, '[');
        out.out.push(']');
    }
    if let Some(tree) = &mut tree {
        notes = tree.take_diagnostics();
    }
    Ok(Read { text: out.out, roots, notes })
}

fn is_whitespace(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

struct Output<'t> {
    text: &'t str,
    out: String,
    roots: usize,
    depth: usize,
}

impl Output<'_> {
    fn push(&mut self, token: &Token<'_>) {
        let begins = matches!(
            token.kind,
            Kind::ObjectStart
                | Kind::ArrayStart
                | Kind::StringStart
                | Kind::Number
                | Kind::True
                | Kind::False
                | Kind::Null
        );
        if begins && self.depth == 0 {
            self.roots += 1;
            if self.roots > 1 {
                self.out.push(',');
            }
        }
        match token.kind {
            Kind::ObjectStart | Kind::ArrayStart => self.depth += 1,
            Kind::ObjectEnd | Kind::ArrayEnd => self.depth = self.depth.saturating_sub(1),
            Kind::Whitespace if token.wire.is_empty() => return self.blank(token),
            _ => {}
        }
        self.out.push_str(token.wire);
    }

    /// Whitespace that the machine leaves out after the first deviation.
    fn blank(&mut self, token: &Token<'_>) {
        let place = |at| usize::try_from(at).unwrap_or(usize::MAX);
        let source = self.text.get(place(token.start)..place(token.end)).unwrap_or_default();
        if source.chars().all(is_whitespace) {
            self.out.push_str(source);
        }
    }
}
