//! Whole texts: as values, by the machine and a tree builder in a row, and as strict JSON text, changed no more
//! than it must be.

use alloc::string::String;
use alloc::vec::Vec;

use crate::diagnostic::{Code, Diagnostic, Error, ErrorKind, Span};
use crate::machine::{Kind, Machine, Token};
use crate::options::{Duplicates, Mode, Options};
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
    /// The bytes that were read: the value, and the whitespace and comments around it.
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
/// let codes: Vec<&str> = parsed.diagnostics.iter().map(|found| found.code.as_str()).collect();
/// assert_eq!(codes, ["rjson::trailing-comma", "rjson::non-finite"]);
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
pub fn parse(text: &str, mode: Mode) -> Result<Parsed, Error> {
    // Constants: the machine copies its options, and copies what was just written slowly.
    let options = match mode {
        Mode::Strict => const { &Options::new(Mode::Strict) },
        Mode::Relaxed => const { &Options::new(Mode::Relaxed) },
        Mode::Repair => const { &Options::new(Mode::Repair) },
    };
    parse_with(text, options)
}

/// Reads the one value of a text.
///
/// # Errors
/// As [`parse`]; [`DuplicateKey`](ErrorKind::DuplicateKey) under
/// [`Duplicates::Error`](crate::Duplicates::Error).
pub fn parse_with(text: &str, options: &Options) -> Result<Parsed, Error> {
    if options.mode == Mode::Repair {
        return repaired(text, options);
    }
    let mut machine = Machine::new(options.clone());
    let mut tree = TreeBuilder::new(options);
    let mut input = text;
    let whole = tree.read(&mut machine, &mut input)?;
    // Mostly nothing follows the value, and nothing waits.
    if !whole || !input.is_empty() {
        machine.trailing(&mut input)?;
        while let Some(token) = machine.finish()? {
            tree.push(&token)?;
        }
    }
    let Some(value) = tree.take() else {
        return Err(Error::new(ErrorKind::NoValue, machine.offset()));
    };
    let consumed = text.len() - input.len();
    Ok(Parsed { value, diagnostics: tree.take_diagnostics(), consumed })
}

/// Several roots are one array.
fn repaired(text: &str, options: &Options) -> Result<Parsed, Error> {
    let ParsedMany { roots, diagnostics } =
        read_roots(Machine::new(options.clone()), text, options)?;
    let value = one_value(roots.into_iter().map(|root| root.value));
    Ok(Parsed { value, diagnostics, consumed: text.len() })
}

/// The only one of them, or an array of all.
fn one_value(mut roots: impl ExactSizeIterator<Item = Value>) -> Value {
    if roots.len() == 1 { roots.next().unwrap_or_default() } else { roots.collect() }
}

/// One of the values of a text, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Root {
    /// The value.
    pub value: Value,
    /// Its place in the text.
    pub span: Span,
}

/// All values of a text, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParsedMany {
    /// The values with their places.
    pub roots: Vec<Root>,
    /// What is worth knowing, in the order it was found.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads all values of a text: in strict and relaxed mode with only whitespace and comments between them
/// (NDJSON, concatenated JSON), in repair mode with any text between.
///
/// # Errors
/// As [`parse`]; a text without a value is [`NoValue`](ErrorKind::NoValue).
///
/// ```
/// use toolweir_rjson::{Mode, Options, parse_many};
///
/// let text = "First {\"k\":1}, then [2] and that is all.";
/// let many = parse_many(text, &Options::new(Mode::Repair))?;
/// let roots: Vec<&str> = many.roots.iter().map(|root| &text[root.span.as_range()]).collect();
/// assert_eq!(roots, ["{\"k\":1}", "[2]"]);
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
pub fn parse_many(text: &str, options: &Options) -> Result<ParsedMany, Error> {
    let machine = match options.mode {
        Mode::Repair => Machine::all_roots(options.clone()),
        _ => Machine::new(options.clone()),
    };
    read_roots(machine, text, options)
}

/// Grows the span of a root by a token that is part of it.
fn widen(span: &mut Option<Span>, token: &Token<'_>) {
    if matches!(token.kind, Kind::Whitespace | Kind::Diagnostic(_)) {
        return;
    }
    let start = span.map_or(token.span.start, |span| span.start);
    *span = Some(Span { start, end: token.span.end });
}

fn read_roots(mut machine: Machine, text: &str, options: &Options) -> Result<ParsedMany, Error> {
    let mut tree = TreeBuilder::new(options);
    let mut many = ParsedMany { roots: Vec::new(), diagnostics: Vec::new() };
    let (mut span, mut input, mut ended) = (None, text, false);
    loop {
        if options.mode == Mode::Repair && machine.fast_path(&mut input, &mut tree)? {
            // What waits for more text is all there is: so more of it can be taken in a row.
            ended = true;
            machine.end_input();
            machine.fast_path(&mut input, &mut tree)?;
        }
        let token = match if ended { machine.finish() } else { machine.next(&mut input) } {
            // Whitespace after the last value.
            Err(Error { kind: ErrorKind::NoValue, .. }) if !many.roots.is_empty() => None,
            token => token?,
        };
        let Some(token) = token else {
            if !ended && input.is_empty() {
                ended = true;
                continue;
            }
            let found = tree.take_diagnostics();
            match many.diagnostics.is_empty() {
                true => many.diagnostics = found,
                false => many.diagnostics.extend(found),
            }
            if ended {
                return Ok(many);
            }
            // Another value follows the complete one.
            machine.reset((text.len() - input.len()) as u64);
            continue;
        };
        widen(&mut span, &token);
        tree.push(&token)?;
        if let Some(value) = tree.take() {
            let span = span.take().unwrap_or_default();
            many.roots.push(Root { value, span });
        }
    }
}

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
/// Whitespace between tokens stays, comments go, strings and numbers are spelled anew only where they
/// must be; strict JSON comes out as it is. A key given twice stays twice: readers take the last.
/// Several roots of repair mode become one array.
///
/// # Errors
/// As [`parse_with`](crate::parse_with).
pub fn transform_with(text: &str, options: &Options) -> Result<(String, Vec<Diagnostic>), Error> {
    // Repeated keys are the tree's to refuse.
    let tree = (options.duplicates == Duplicates::Error).then(|| TreeBuilder::new(options));
    let read = read(text, options, tree)?;
    Ok((read.text, read.diagnostics))
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
    let value = one_value(read.roots.into_iter());
    // A number that no machine type holds is kept: nothing changes.
    read.diagnostics.retain(|found| found.code != Code::NumberPrecision);
    // Whitespace around what is no longer there says nothing.
    let text =
        if read.text == text { read.text } else { read.text.trim_matches(is_whitespace).into() };
    Ok(Repaired { value, text, changes: read.diagnostics })
}

/// A text as strict JSON text, and as values where there is a tree.
struct Read {
    text: String,
    roots: Vec<Value>,
    diagnostics: Vec<Diagnostic>,
}

fn read(text: &str, options: &Options, tree: Option<TreeBuilder>) -> Result<Read, Error> {
    let mut machine = Machine::new(options.clone());
    let mut out = Output { text, out: String::with_capacity(text.len()), roots: 0, depth: 0 };
    let (mut tree, mut roots, mut diagnostics) = (tree, Vec::new(), Vec::new());
    let (mut input, mut ended) = (text, false);
    loop {
        let token = if ended { machine.finish()? } else { machine.next(&mut input)? };
        let Some(token) = token else {
            if ended {
                break;
            }
            // Whitespace after the value stays, comments do not.
            out.out.extend(input.chars().take_while(|c| is_whitespace(*c)));
            machine.trailing(&mut input)?;
            ended = true;
            continue;
        };
        out.push(&token);
        if let Some(tree) = &mut tree {
            tree.push(&token)?;
            roots.extend(tree.take());
        } else {
            diagnostics.extend(token.diagnostic());
        }
    }
    if out.roots > 1 {
        out.out.insert(0, '[');
        out.out.push(']');
    }
    if let Some(tree) = &mut tree {
        diagnostics = tree.take_diagnostics();
    }
    Ok(Read { text: out.out, roots, diagnostics })
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
        let goes_on = matches!(
            token.kind,
            Kind::Whitespace | Kind::Diagnostic(_) | Kind::StringDelta | Kind::StringEnd
        );
        if self.depth == 0 && !goes_on {
            self.roots += 1;
            if self.roots > 1 {
                self.out.push(',');
            }
        }
        match token.kind {
            Kind::ObjectStart | Kind::ArrayStart => self.depth += 1,
            Kind::ObjectEnd | Kind::ArrayEnd => self.depth = self.depth.saturating_sub(1),
            // What the machine leaves out after the first deviation.
            Kind::Whitespace if token.wire.is_empty() => {
                let source = self.text.get(token.span.as_range()).unwrap_or_default();
                let is_blank = source.chars().all(is_whitespace);
                self.out.push_str(if is_blank { source } else { "" });
            }
            _ => {}
        }
        self.out.push_str(token.wire);
    }
}

#[cfg(test)]
mod tests;
