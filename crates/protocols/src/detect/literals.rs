//! The literals of a row's patterns, cut into markers, with what each is worth as evidence.

use std::collections::BTreeMap;

use crate::pattern::{Args, Key, Node, Part, parse};
use crate::spec::FormatSpec;

/// Fixed text of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) text: String,
    /// Every call that the format writes holds it.
    pub(super) required: bool,
    /// It is a word, or the key of a JSON object: prose and schemas may hold it too.
    pub(super) plain: bool,
    /// How many formats have it.
    pub(super) formats: usize,
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
        all.line(&call.pattern, number == 0 && on);
    }
    for (number, wrap) in spec.wrap.iter().enumerate() {
        all.line(wrap, number == 0);
    }
    let others = [&spec.response, &spec.tools].into_iter().chain(&spec.message);
    for line in others.chain(&spec.strays) {
        all.line(line, false);
    }
    all.found
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
    fn line(&mut self, line: &str, required: bool) {
        if let Ok(pattern) = parse(line) {
            self.parts(&pattern.parts, required);
        }
    }

    fn parts(&mut self, parts: &[Part], required: bool) {
        parts.iter().for_each(|part| self.part(part, required));
    }

    fn part(&mut self, part: &Part, required: bool) {
        match part {
            Part::Literal(text) => self.text(text, required),
            Part::Tag(tag) => self.text(&tag.open, required),
            Part::Args(Args::Gemma(delimiter)) => self.add(delimiter, required, false),
            Part::Call(template) => self.node(&template.root, required),
            _ => {}
        }
        // The first alternative is written, the others are read.
        let always = matches!(part, Part::Any(_) | Part::Args(_));
        for (number, inner) in part.inner().into_iter().enumerate() {
            self.parts(inner, required && always && number == 0);
        }
    }

    /// The keys of a JSON object, as they are written.
    fn node(&mut self, node: &Node, required: bool) {
        match node {
            Node::List(inner) => self.node(inner, required),
            Node::Object(members) => {
                for (key, value) in members {
                    if let Key::Word(word) = key {
                        let optional = matches!(value, Node::Id | Node::Text);
                        self.add(&format!("\"{word}\""), required && !optional, true);
                    }
                    self.node(value, required);
                }
            }
            _ => {}
        }
    }

    /// Text is cut before `<` and `[` and after `>` and `]`: templates may write its markers apart.
    fn text(&mut self, text: &str, required: bool) {
        let mut start = 0;
        for (at, c) in text.char_indices() {
            let cut = match c {
                '<' | '[' => at,
                '>' | ']' => at + c.len_utf8(),
                _ => continue,
            };
            // `<|tool|>` is one marker, and so are the brackets of `]]>`.
            if cut > start {
                self.marker(text.get(start..cut).unwrap_or_default(), required);
                start = cut;
            }
        }
        self.marker(text.get(start..).unwrap_or_default(), required);
    }

    fn marker(&mut self, text: &str, required: bool) {
        let word = text.chars().all(char::is_alphanumeric);
        if is_marker(text) || (word && text.chars().count() >= SHORTEST_WORD) {
            self.add(text, required, word);
        }
    }

    fn add(&mut self, text: &str, required: bool, plain: bool) {
        match self.found.iter_mut().find(|literal| literal.text == text) {
            Some(known) => known.required |= required,
            None => self.found.push(Literal { text: text.to_owned(), required, plain, formats: 1 }),
        }
    }
}
