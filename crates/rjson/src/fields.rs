//! String members of an object that is still coming: some as they grow, some once they are whole.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::escape::unescape_into;
use crate::machine::{Kind, Token};
use crate::pointer;
use crate::watch::Watch;

/// Follows string members of the object at the root, by key.
///
/// Only members of the root count, only strings, and every escape is decoded, surrogates in two pieces
/// too. Of a key given twice, each string is one.
///
/// ```
/// use toolweir_rjson::{FieldPiece, Machine, Options, StringFields};
///
/// let mut fields = StringFields::new(&["content"], &["path"]);
/// let mut machine = Machine::new(Options::default());
/// let (mut content, mut path) = (String::new(), String::new());
/// for mut input in ["{\"path\": \"a.txt\", \"con", "tent\": \"one\\n", "two\"}"] {
///     while let Some(token) = machine.next(&mut input)? {
///         fields.token(&token, &mut |piece| match piece {
///             FieldPiece::Delta { text, .. } => content.push_str(&text),
///             FieldPiece::Whole { text, .. } => path.push_str(text),
///         });
///     }
/// }
/// assert_eq!((content.as_str(), path.as_str()), ("one\ntwo", "a.txt"));
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct StringFields {
    fields: Vec<Field>,
}

/// What a token adds to a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldPiece<'a> {
    /// More of a member that streams.
    Delta {
        /// The key.
        key: &'a str,
        /// The further text, decoded.
        text: Cow<'a, str>,
    },
    /// A member that was asked for whole.
    Whole {
        /// The key.
        key: &'a str,
        /// Its text, decoded.
        text: &'a str,
    },
}

#[derive(Debug, Clone)]
struct Field {
    key: String,
    watch: Watch,
    streams: bool,
    whole: bool,
    /// Containers open inside the member: then its strings are not the member.
    depth: usize,
    open: bool,
    text: String,
}

impl StringFields {
    /// Members that stream, and members that are wanted whole; a key may be in both.
    #[must_use]
    pub fn new(stream: &[&str], whole: &[&str]) -> Self {
        let mut fields: Vec<Field> = Vec::new();
        for key in stream.iter().chain(whole) {
            if fields.iter().any(|field| field.key == **key) {
                continue;
            }
            let mut path = String::new();
            pointer::push(&mut path, key);
            let Some(watch) = Watch::new(&path) else { continue };
            fields.push(Field {
                key: (*key).into(),
                watch,
                streams: stream.contains(key),
                whole: whole.contains(key),
                depth: 0,
                open: false,
                text: String::new(),
            });
        }
        Self { fields }
    }

    /// Takes the next token; every token must be shown, in order.
    pub fn token(&mut self, token: &Token<'_>, emit: &mut dyn FnMut(FieldPiece<'_>)) {
        for field in &mut self.fields {
            field.token(token, emit);
        }
    }
}

impl Field {
    fn token(&mut self, token: &Token<'_>, emit: &mut dyn FnMut(FieldPiece<'_>)) {
        let covered = self.watch.covers(token);
        if !covered {
            return;
        }
        match token.kind {
            Kind::ObjectStart | Kind::ArrayStart => self.depth += 1,
            Kind::ObjectEnd | Kind::ArrayEnd => self.depth = self.depth.saturating_sub(1),
            Kind::StringStart if self.depth == 0 => {
                self.open = true;
                self.text.clear();
            }
            Kind::StringDelta if self.open => {
                if self.streams {
                    let text = crate::escape::unescape(token.wire);
                    emit(FieldPiece::Delta { key: &self.key, text });
                }
                if self.whole {
                    unescape_into(&mut self.text, token.wire);
                }
            }
            Kind::StringEnd if self.open => {
                self.open = false;
                if self.whole {
                    emit(FieldPiece::Whole { key: &self.key, text: &self.text });
                    self.text.clear();
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::options::Options;
    use alloc::format;

    /// Streamed text and whole members, `;` behind each.
    fn run(chunks: &[&str]) -> (String, String) {
        let mut fields = StringFields::new(&["content"], &["path", "content"]);
        let mut machine = Machine::new(Options::default());
        let (mut deltas, mut whole) = (String::new(), String::new());
        for chunk in chunks {
            let mut input = *chunk;
            while let Ok(Some(token)) = machine.next(&mut input) {
                fields.token(&token, &mut |piece| match piece {
                    FieldPiece::Delta { text, .. } => deltas.push_str(&text),
                    FieldPiece::Whole { key, text } => whole.push_str(&format!("{key}={text};")),
                });
            }
        }
        (deltas, whole)
    }

    #[test]
    fn only_strings_of_the_root_count() {
        let text = r#"{"meta":{"content":"in"},"path":["a"],"content":"out","path":"b"}"#;
        assert_eq!(run(&[text]), ("out".into(), "content=out;path=b;".into()));
        assert_eq!(
            run(&[r#"{"path":{"path":"x","content":"y"}}"#]),
            (String::new(), String::new())
        );
        let text = r#"{"path":"\"content\":\"no\"","content":""}"#;
        assert_eq!(run(&[text]), (String::new(), "path=\"content\":\"no\";content=;".into()));
    }

    #[test]
    fn escapes_may_be_cut_anywhere() {
        let text = "{\"content\":\"\\b\\f\\/\\u00e9\\ud83d\\ude80\\\\\"}";
        for cut in 0..text.len() {
            let (head, tail) = text.split_at(cut);
            assert_eq!(run(&[head, tail]).0, "\u{8}\u{c}/é🚀\\", "{cut}");
        }
    }
}
