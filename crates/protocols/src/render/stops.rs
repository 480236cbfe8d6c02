//! Where a reader would take raw text to end.
//!
//! The marker runs of the parts that follow a hole, compared more freely than any reader does: without
//! whitespace, tags by their word. A text that holds one is refused, whatever else stands in it.

use crate::pattern::{At, Part, is_word};
use crate::program::{first_token, literals, opening_tag, value_lead};

/// Alternatives of one run of text; more are taken apart.
const MAX_OPEN: usize = 32;

/// Text between two holes, a line break or an alternative: a marker.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Run {
    pub(crate) text: String,
    /// It counts at the start of a line only.
    pub(crate) line: bool,
}

impl Run {
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), line: false }
    }

    /// Whether it is more than one bracket or sign.
    pub(crate) fn is_telling(&self) -> bool {
        self.text.trim().chars().nth(1).is_some()
    }

    /// The beginning of a parameter: of a plain tag its word. A tag counts anywhere, for within a line
    /// it shows that a closing delimiter is missing; a word alone counts at the start of a line.
    fn opener(mut self, nested: bool) -> Self {
        let word = self.text.find(' ').unwrap_or(self.text.len());
        if is_plain_tag(self.text.get(..word).unwrap_or_default()) {
            self.text.truncate(word);
        }
        self.line |= !self.text.contains(['<', '>', '[', ']', '{', '}', '|']);
        self.line &= !nested;
        let kept = self.text.trim_end_matches(['<', '=', '"', '>', '/', ' ']).len();
        self.text.truncate(kept);
        self
    }
}

/// The markers in these parts. `name` and `key` are what those holes say, if that is known.
pub(crate) fn runs(parts: &[Part], name: Option<&str>, key: Option<&str>) -> Vec<Run> {
    let mut gather = Gather { name, key, open: vec![Run::default()], done: Vec::new() };
    gather.parts(parts);
    gather.end();
    gather.done
}

/// How a parameter begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Opener {
    /// By one of these.
    Runs(Vec<Run>),
    /// By `<` and its key.
    Key,
}

/// How the parameters of that pattern begin, inside a value of one: nested ones within a line too.
/// With it come the markers that show a reader that a tag of the value is damaged.
pub(crate) fn opener(pattern: &[Part], name: &str, key: Option<&str>, nested: bool) -> Opener {
    let hole = |part: &Part| matches!(part, Part::Key | Part::Value(_) | Part::Type(_));
    let end = pattern.iter().position(hole).unwrap_or(pattern.len());
    let head = pattern.get(..end).unwrap_or_default();
    let mut all: Vec<Run> = runs(head, Some(name), None);
    if let Some(tag) = head.iter().position(|part| matches!(part, Part::Tag(_))) {
        // What follows the tag is the value's own beginning.
        all = runs(head.get(..=tag).unwrap_or_default(), Some(name), None);
    }
    if all.iter().any(|run| run.text == "<") {
        return Opener::Key;
    }
    all.truncate(MAX_OPEN);
    let mut runs: Vec<Run> = all.into_iter().map(|run| run.opener(nested)).collect();
    runs.extend(damage(pattern, key));
    runs.retain(|run| !run.text.is_empty());
    Opener::Runs(runs)
}

/// What stands in a value only where one of its tags is damaged: its opening tag again where it begins,
/// the first token of the closing one.
fn damage(pattern: &[Part], key: Option<&str>) -> impl Iterator<Item = Run> {
    let at = pattern.iter().position(|part| matches!(part, Part::Value(_)));
    let (head, tail) = at.and_then(|at| pattern.split_at_checked(at)).unwrap_or_default();
    let mut lead = value_lead(head).to_owned();
    if let [Part::Literal(open), Part::Key, Part::Literal(end), ..] = head
        && let Some(key) = key.filter(|_| lead.is_empty())
    {
        lead.extend([opening_tag(open), key, end]);
    }
    let lead = Run { text: lead, line: true };
    let end_marker = literals(tail).into_iter().next();
    let token = end_marker.as_deref().and_then(first_token).map(Run::new);
    [Some(lead), token].into_iter().flatten()
}

struct Gather<'a> {
    name: Option<&'a str>,
    key: Option<&'a str>,
    /// What the run that is being read may be so far.
    open: Vec<Run>,
    done: Vec<Run>,
}

impl Gather<'_> {
    fn parts(&mut self, parts: &[Part]) {
        for part in parts {
            self.part(part);
        }
    }

    fn part(&mut self, part: &Part) {
        match part {
            Part::Literal(text) => self.text(text),
            Part::Space(space) if !space.contains('\n') => {
                for run in self.open.iter_mut().filter(|run| !run.text.is_empty()) {
                    run.text.push(' ');
                }
            }
            Part::Name => self.hole(self.name),
            Part::Key => self.hole(self.key),
            Part::NameIs(_) | Part::Commit => {}
            Part::Tag(tag) => {
                self.text(&tag.open);
                self.end();
            }
            Part::At(At::Line) => {
                self.end();
                self.open.iter_mut().for_each(|run| run.line = true);
            }
            Part::Opt(_) | Part::Also(_) | Part::Any(_) => {
                let before = std::mem::take(&mut self.open);
                let absent = !matches!(part, Part::Any(_));
                let mut all = if absent { before.clone() } else { Vec::new() };
                for parts in part.inner() {
                    self.open.clone_from(&before);
                    self.parts(parts);
                    all.append(&mut self.open);
                }
                self.open = all;
                self.bound();
            }
            _ => self.end(),
        }
    }

    fn text(&mut self, text: &str) {
        self.open.iter_mut().for_each(|run| run.text.push_str(text));
    }

    fn hole(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.end(),
        }
    }

    fn bound(&mut self) {
        let mut open: Vec<Run> = Vec::with_capacity(self.open.len());
        for run in self.open.drain(..) {
            if let Err(place) = open.binary_search(&run) {
                open.insert(place, run);
            }
        }
        self.open = open;
        if self.open.len() > MAX_OPEN {
            self.end();
        }
    }

    /// The runs are whole. Markers that touch each other are several.
    fn end(&mut self) {
        for run in std::mem::replace(&mut self.open, vec![Run::default()]) {
            let mut rest = run.text.trim_end();
            while !rest.is_empty() {
                let touch = ["><", "]["].iter().filter_map(|pair| rest.find(pair)).min();
                let (marker, after) =
                    touch.and_then(|at| rest.split_at_checked(at + 1)).unwrap_or((rest, ""));
                let found = Run { text: marker.to_owned(), line: run.line };
                if !self.done.contains(&found) {
                    self.done.push(found);
                }
                rest = after;
            }
        }
    }
}

/// A text to search, in the forms that the comparison needs.
pub(crate) struct Haystack<'a> {
    text: &'a str,
    squashed: String,
    fold: bool,
}

impl<'a> Haystack<'a> {
    /// `fold`: letter case says nothing.
    pub(crate) fn new(text: &'a str, fold: bool) -> Self {
        Self { text, squashed: squash(text, fold), fold }
    }

    /// Whether a reader could take part of the text for that marker; the start of the text counts as
    /// that of a line.
    pub(crate) fn holds(&self, run: &Run) -> bool {
        let (lead, bound) = lead(&run.text);
        let lead = squash(lead, self.fold);
        if lead.is_empty() {
            return false;
        }
        if !run.line {
            return found(&self.squashed, &lead, bound).is_some();
        }
        let mut lines = self.text.split('\n').filter(|l| !l.starts_with(char::is_whitespace));
        lines.any(|line| found(&squash(line, self.fold), &lead, bound) == Some(0))
    }

    /// Whether the end of the text and the beginning of the marker that follows it make up the marker.
    pub(crate) fn overlaps(&self, run: &Run) -> bool {
        run.text.char_indices().skip(1).any(|(at, _)| {
            run.text
                .split_at_checked(at)
                .is_some_and(|(head, tail)| self.text.ends_with(head) && run.text.starts_with(tail))
        })
    }

    /// The words of tags that are nothing but a word; `line`: at line starts.
    pub(super) fn tags(&self, line: bool) -> impl Iterator<Item = &'a str> {
        let text = self.text;
        text.match_indices('<').filter_map(move |(at, _)| {
            let starts = at == 0 || text.get(..at).is_some_and(|before| before.ends_with('\n'));
            let rest = text.get(at + 1..).filter(|_| starts || !line)?.trim_start();
            let (word, rest) = rest.split_at_checked(rest.find(|c| !is_word(c))?)?;
            rest.trim_start().starts_with('>').then_some(word)
        })
    }
}

/// The part of a marker that tells it, and whether a word has to end there: of a plain tag all but
/// its `>`.
pub(crate) fn lead(marker: &str) -> (&str, bool) {
    let tag = marker.strip_suffix('>').unwrap_or(marker);
    if is_plain_tag(tag) && tag.ends_with(is_word) { (tag, true) } else { (marker, false) }
}

fn found(text: &str, lead: &str, bound: bool) -> Option<usize> {
    text.match_indices(lead).map(|(at, _)| at).find(|at| {
        let after = text.get(at + lead.len()..).unwrap_or_default();
        !bound || !after.starts_with(is_word)
    })
}

/// The text without whitespace, but for a space between two words.
pub(crate) fn squash(text: &str, fold: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars() {
        if c.is_whitespace() {
            gap = true;
            continue;
        }
        if std::mem::take(&mut gap) && is_word(c) && out.ends_with(is_word) {
            out.push(' ');
        }
        out.push(if fold { c.to_ascii_lowercase() } else { c });
    }
    out
}

/// Whether a text is of a tag without special characters.
fn is_plain_tag(text: &str) -> bool {
    let plain = |c| is_word(c) || matches!(c, '<' | '/' | '=' | '>' | '"');
    text.starts_with('<') && text.chars().all(plain)
}
