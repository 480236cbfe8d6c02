//! The literals of a row's patterns, cut into markers, with what each is worth as evidence.

use std::collections::BTreeMap;

use crate::pattern::{Args, Key, Node, Part, parse};
use crate::spec::FormatSpec;

/// Fixed text of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) text: String,
    pub(super) usage: Usage,
    /// It begins with a word, or is the key of a JSON object: prose and schemas may hold it too.
    pub(super) plain: bool,
    /// How many formats have it.
    pub(super) formats: usize,
}

/// How a format uses a literal; of two usages the greater one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Usage {
    /// It is read, or stands elsewhere than in a call.
    Known,
    /// A call is written with it where there is something to write: an optional part.
    Optional,
    /// Every call that is written holds it.
    Required,
}

impl Usage {
    /// What a literal that is there counts: of formats that read each other the one that writes it first.
    pub(super) const fn found(self) -> f64 {
        if matches!(self, Self::Known) { 0.99 } else { 1.0 }
    }

    /// What one that is not there counts against the format.
    pub(super) const fn missing(self) -> f64 {
        match self {
            Self::Known => 0.0,
            Self::Optional => 0.5,
            Self::Required => 2.0,
        }
    }
}

/// What a word or a key is worth beside a marker.
const PLAIN_WEIGHT: f64 = 0.2;
/// The fewest characters of a marker.
pub(super) const SHORTEST: usize = 4;
/// The fewest characters of a word that is no marker.
const SHORTEST_WORD: usize = 6;

impl Literal {
    /// Less the more formats share it.
    pub(super) fn weight(&self) -> f64 {
        let rarity = 1.0 / f64::from(u32::try_from(self.formats.max(1)).unwrap_or(u32::MAX));
        if self.plain { rarity * PLAIN_WEIGHT } else { rarity }
    }
}

/// The literals of a row, each once. Patterns that cannot be read have none: the compiler refuses them.
pub(super) fn of(spec: &FormatSpec) -> Vec<Literal> {
    let mut all = Literals::default();
    for (number, call) in spec.call.iter().enumerate() {
        let on = call.option.as_ref().is_none_or(|(_, on)| *on);
        all.line(&call.pattern, written(number == 0 && on));
    }
    for (number, wrap) in spec.wrap.iter().enumerate() {
        all.line(wrap, written(number == 0));
    }
    let others = [&spec.response, &spec.tools].into_iter().chain(&spec.message);
    for line in others.chain(&spec.strays) {
        all.line(line, Usage::Known);
    }
    all.found
}

const fn written(first: bool) -> Usage {
    if first { Usage::Required } else { Usage::Known }
}

/// Counts for each literal how many formats have it.
pub(super) fn shared(mut rows: Vec<&mut Vec<Literal>>) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for literal in rows.iter().flat_map(|row| row.iter()) {
        *counts.entry(literal.text.clone()).or_default() += 1;
    }
    for literal in rows.iter_mut().flat_map(|row| row.iter_mut()) {
        literal.formats = counts.get(&literal.text).copied().unwrap_or(1);
    }
}

/// Whether a text is neither a word nor a bracket.
pub(super) fn is_marker(text: &str) -> bool {
    text.chars().count() >= SHORTEST
        && text.chars().any(|c| !c.is_alphanumeric() && !c.is_whitespace())
        && text.chars().any(char::is_alphanumeric)
}

#[derive(Default)]
struct Literals {
    found: Vec<Literal>,
}

impl Literals {
    fn line(&mut self, line: &str, usage: Usage) {
        if let Ok(pattern) = parse(line) {
            self.parts(&pattern.parts, usage);
        }
    }

    fn parts(&mut self, parts: &[Part], usage: Usage) {
        parts.iter().for_each(|part| self.part(part, usage));
    }

    fn part(&mut self, part: &Part, usage: Usage) {
        match part {
            Part::Literal(text) => self.text(text, usage),
            Part::Tag(tag) => self.text(&tag.open, usage),
            Part::Args(Args::Gemma(delimiter)) => self.add(delimiter.clone(), usage, false),
            Part::Call(template) => self.node(&template.root, usage),
            _ => {}
        }
        for (number, inner) in part.inner().into_iter().enumerate() {
            let inside = match part {
                // The first alternative is written, the others are read.
                Part::Any(_) | Part::Args(_) if number == 0 => usage,
                Part::Opt(_) => usage.min(Usage::Optional),
                _ => Usage::Known,
            };
            self.parts(inner, inside);
        }
    }

    /// The keys of a JSON object, as they are written.
    fn node(&mut self, node: &Node, usage: Usage) {
        match node {
            Node::List(inner) => self.node(inner, usage),
            Node::Object(members) => {
                for (key, value) in members {
                    if let Key::Word(word) = key {
                        let optional = matches!(value, Node::Id | Node::Text);
                        let most = if optional { Usage::Known } else { Usage::Required };
                        // With its colon: templates ask for keys of messages too.
                        self.add(format!("\"{word}\":"), usage.min(most), true);
                    }
                    self.node(value, usage);
                }
            }
            _ => {}
        }
    }

    /// Text is cut before `<` and `[` and after `>` and `]`: templates may write its markers apart.
    fn text(&mut self, text: &str, usage: Usage) {
        let mut start = 0;
        for (at, c) in text.char_indices() {
            let cut = match c {
                '<' | '[' => at,
                '>' | ']' => at + c.len_utf8(),
                _ => continue,
            };
            // `<|tool|>` is one marker, and so are the brackets of `]]>`.
            if cut > start {
                self.marker(text.get(start..cut).unwrap_or_default(), usage);
                start = cut;
            }
        }
        self.marker(text.get(start..).unwrap_or_default(), usage);
    }

    fn marker(&mut self, text: &str, usage: Usage) {
        let word = text.chars().all(char::is_alphanumeric);
        if is_marker(text) || (word && text.chars().count() >= SHORTEST_WORD) {
            let plain = text.starts_with(char::is_alphanumeric);
            self.add(text.to_owned(), usage, plain);
        }
    }

    fn add(&mut self, text: String, usage: Usage, plain: bool) {
        match self.found.iter_mut().find(|literal| literal.text == text) {
            Some(known) => known.usage = known.usage.max(usage),
            None => self.found.push(Literal { text, usage, plain, formats: 1 }),
        }
    }
}
