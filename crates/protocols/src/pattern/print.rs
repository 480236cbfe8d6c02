//! Writes parts in the notation.

use std::fmt;

use super::error::{PatternError, PatternErrorKind as Kind};
use super::{Args, AttributeValue, Part, Pattern, Tag};

/// What is wrong with a part of a pattern; without one, with its end.
pub(crate) type Wrong<'p> = (Kind, Option<&'p Part>);

impl Pattern {
    /// An error about one of its parts, at any depth.
    pub(crate) fn wrong(&self, (kind, part): Wrong<'_>) -> PatternError {
        let mut printer = Printer { out: String::new(), wanted: part, at: None };
        printer.pattern(self, Place::Top);
        kind.at(&printer.out, printer.at.unwrap_or(printer.out.len()))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { out: String::new(), wanted: None, at: None };
        printer.pattern(self, Place::Top);
        f.write_str(&printer.out)
    }
}

/// What surrounds text: it decides what has to be escaped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Top,
    Hole,
    /// An alternative, and whether another one follows it.
    Alternative {
        last: bool,
    },
    /// The key of `{arg:KEY}`.
    ArgKey,
}

struct Printer<'p> {
    out: String,
    /// The part, not only an equal one, whose place is asked for; and where it begins.
    wanted: Option<&'p Part>,
    at: Option<usize>,
}

impl Printer<'_> {
    fn pattern(&mut self, pattern: &Pattern, place: Place) {
        let mut parts = pattern.parts.iter().peekable();
        while let Some(part) = parts.next() {
            let place = match place {
                Place::Alternative { .. } if parts.peek().is_some() => {
                    Place::Alternative { last: true }
                }
                place => place,
            };
            self.part(part, place);
        }
    }

    fn part(&mut self, part: &Part, place: Place) {
        if self.wanted.is_some_and(|wanted| std::ptr::eq(wanted, part)) {
            self.at = Some(self.out.len());
        }
        match part {
            Part::Literal(text) | Part::Space(text) => self.text(text, place),
            Part::NameIs(word) => self.word("{name=", word),
            Part::Id(Some(pattern)) => self.hole("{id:", pattern),
            Part::Args(Args::Pattern(pattern)) => self.hole("{args:", pattern),
            Part::Args(Args::Gemma(delimiter)) => self.word("{args:gemma ", delimiter),
            Part::Type(Some((text, json))) => {
                self.out.push_str("{type:");
                self.text(text, Place::Alternative { last: false });
                self.out.push_str("||");
                self.text(json, Place::Alternative { last: true });
                self.out.push('}');
            }
            Part::Arg { key, pattern } => {
                self.out.push_str("{arg:");
                self.text(key, Place::ArgKey);
                match pattern {
                    Some(pattern) => self.hole(":", pattern),
                    None => self.out.push('}'),
                }
            }
            Part::Call(template) => self.out.push_str(&template.notation()),
            Part::Any(alternatives) => self.any(alternatives),
            Part::Opt(pattern) => self.hole("{opt:", pattern),
            Part::Also(pattern) => self.hole("{also:", pattern),
            Part::Tools(word) => self.word("{tools:", word),
            Part::Tag(tag) => self.tag(tag, place),
            part => self.out.push_str(part.label()),
        }
    }

    fn hole(&mut self, head: &str, pattern: &Pattern) {
        self.out.push_str(head);
        self.pattern(pattern, Place::Hole);
        self.out.push('}');
    }

    fn word(&mut self, head: &str, word: &str) {
        self.out.push_str(head);
        self.text(word, Place::Hole);
        self.out.push('}');
    }

    fn any(&mut self, alternatives: &[Pattern]) {
        self.out.push_str("{any:");
        for (i, pattern) in alternatives.iter().enumerate() {
            if i > 0 {
                self.out.push_str("||");
            }
            self.pattern(pattern, Place::Alternative { last: i + 1 == alternatives.len() });
        }
        self.out.push('}');
    }

    fn tag(&mut self, tag: &Tag, place: Place) {
        // The last text of a tag is a `>`: nothing in it stands before a separator.
        let place = match place {
            Place::Alternative { .. } => Place::Alternative { last: true },
            place => place,
        };
        self.text(&tag.open, place);
        for attribute in &tag.attributes {
            self.text(&attribute.space, place);
            self.text(&attribute.key, place);
            self.out.push_str("=\"");
            match &attribute.value {
                AttributeValue::Hole(part) => self.part(part, place),
                AttributeValue::Fixed(text) => self.text(text, place),
            }
            self.out.push('"');
        }
        self.text(&tag.close, place);
    }

    fn text(&mut self, text: &str, place: Place) {
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let escaped = match (c, place) {
                ('{', _) => "{{",
                ('}', Place::Top) => "}}",
                ('}', _) => "\\}",
                ('\\', _) => "\\\\",
                ('\n', _) => "\\n",
                ('\t', _) => "\\t",
                ('\r', _) => "\\r",
                (':', Place::ArgKey) => "\\:",
                // Two in a row would separate alternatives, and so would one before a separator.
                ('|', Place::Alternative { last }) => match chars.peek() {
                    Some('|') => "\\|",
                    None if !last => "\\|",
                    _ => "|",
                },
                _ => {
                    self.out.push(c);
                    continue;
                }
            };
            self.out.push_str(escaped);
        }
    }
}
