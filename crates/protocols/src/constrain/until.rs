//! Text that ends before a marker, as an automaton over characters.
//!
//! It refuses what the writer refuses ([`Haystack`](crate::render::stops::Haystack)): a marker counts
//! with whitespace between its characters, in any letter case where tags are read freely, and where
//! it belongs to lines, at the start of one. What the automaton lets through no reader takes for the
//! end of the value.

use std::collections::{BTreeMap, BTreeSet};

use crate::pattern::is_word;
use crate::render::stops::{Run, lead, squash};

/// A marker as steps of one character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stop {
    steps: Vec<Step>,
    /// It counts at the start of a line only.
    line: bool,
    /// What follows must not be of a word.
    bound: bool,
    /// In any letter case.
    fold: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    c: char,
    gap: Gap,
}

/// Whitespace before a character of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    No,
    Free,
    Must,
}

impl Stop {
    fn new(run: &Run, fold: bool) -> Option<Self> {
        let (lead, bound) = lead(&run.text);
        let mut steps: Vec<Step> = Vec::new();
        let mut must = false;
        for c in squash(lead, fold).chars() {
            if c == ' ' {
                must = true;
                continue;
            }
            let words = steps.last().is_some_and(|step| is_word(step.c)) && is_word(c);
            let gap = match (steps.is_empty(), std::mem::take(&mut must), words) {
                (true, ..) | (_, false, true) => Gap::No,
                (_, true, _) => Gap::Must,
                _ => Gap::Free,
            };
            steps.push(Step { c, gap });
        }
        (!steps.is_empty()).then_some(Self { steps, line: run.line, bound, fold })
    }

    /// A regular expression of the marker.
    fn regex(&self) -> String {
        let mut out = String::new();
        for step in &self.steps {
            out.push_str(match step.gap {
                Gap::No => "",
                Gap::Free => r"[ \t\r\n]*",
                Gap::Must => r"[ \t\r\n]+",
            });
            match spellings(step.c, self.fold).as_slice() {
                [c] => out.push_str(&escaped(*c)),
                both => out.extend(["[".to_owned(), both.iter().collect(), "]".to_owned()]),
            }
        }
        out
    }
}

/// A character in both letter cases, where they count alike.
fn spellings(c: char, fold: bool) -> Vec<char> {
    match fold && c.is_ascii_alphabetic() {
        true => vec![c.to_ascii_lowercase(), c.to_ascii_uppercase()],
        false => vec![c],
    }
}

/// A character in a regular expression.
pub(super) fn escaped(c: char) -> String {
    match c {
        '\n' => r"\n".to_owned(),
        '\t' => r"\t".to_owned(),
        '\r' => r"\r".to_owned(),
        c if c.is_ascii_alphanumeric() || !c.is_ascii() => c.to_string(),
        c if c.is_ascii_control() => format!("\\x{:02x}", u32::from(c)),
        '_' | '<' | '>' | '=' | '"' | '\'' | '!' | '@' | '%' | ',' | ';' | ':' | '`' | ' ' => {
            c.to_string()
        }
        c => format!("\\{c}"),
    }
}

/// Text up to a marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Until {
    stops: Vec<Stop>,
    /// Beginnings of the marker that follows, at which the text must not end: with them it would show
    /// the marker too early.
    heads: Vec<Head>,
    /// It is the content of a JSON string.
    quoted: bool,
    states: Vec<State>,
}

/// The beginning of a marker.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Head {
    /// Which marker.
    stop: usize,
    text: String,
}

impl Head {
    fn new(stop: usize, text: &str) -> Self {
        Self { stop, text: text.to_owned() }
    }

    fn steps(&self) -> usize {
        self.text.chars().filter(|c| !c.is_whitespace()).count()
    }
}

/// A state of the automaton.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// Characters and where they lead.
    pub(super) edges: Vec<(Class, usize)>,
    /// Of a JSON string: the characters after a backslash, and where they lead; after `u` come four
    /// digits.
    pub(super) escapes: Vec<(Class, usize)>,
    /// The text may end here.
    pub(super) accepts: bool,
}

/// Ranges of characters, both ends included.
type Ranges = Vec<(char, char)>;

/// A set of characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Class {
    pub(super) negated: bool,
    pub(super) ranges: Ranges,
}

impl Class {
    pub(super) fn of(ranges: &[(char, char)]) -> Self {
        Self { negated: false, ranges: ranges.to_vec() }
    }

    pub(super) fn but(ranges: &[(char, char)]) -> Self {
        Self { negated: true, ranges: ranges.to_vec() }
    }

    #[cfg(test)]
    pub(super) fn holds(&self, c: char) -> bool {
        self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != self.negated
    }
}

/// Where a text stands among the markers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// Markers that have begun: which, the steps made, and whether whitespace came after the last.
    threads: BTreeSet<(usize, usize, bool)>,
    line: bool,
}

/// What the alphabet has besides the characters of markers.
const SPACES: &[(char, char)] = &[(' ', ' '), ('\t', '\t'), ('\r', '\r'), ('\n', '\n')];
const WORDS: &[(char, char)] =
    &[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_'), ('-', '-'), ('.', '.'), (':', ':')];
/// No JSON string holds these as they are.
const CONTROLS: (char, char) = ('\0', '\u{1f}');
/// Of no marker and no word.
const OTHER: char = '\u{10fffd}';

impl Until {
    /// Text without these markers. `before`: the marker that follows, if one must.
    pub(crate) fn new(runs: &[Run], before: &[Run], fold: bool, quoted: bool) -> Self {
        let mut stops: Vec<Stop> = Vec::new();
        let mut heads = Vec::new();
        for (run, follows) in
            runs.iter().map(|r| (r, false)).chain(before.iter().map(|r| (r, true)))
        {
            let Some(stop) = Stop::new(run, fold) else { continue };
            let known = stops.iter().position(|known| *known == stop);
            let at = known.unwrap_or(stops.len());
            if known.is_none() {
                stops.push(stop);
            }
            if follows {
                let splits = run.text.char_indices().skip(1);
                let splits = splits.filter_map(|(end, _)| run.text.split_at_checked(end));
                let borders = splits.filter(|(_, tail)| run.text.starts_with(tail));
                heads.extend(borders.map(|(head, _)| Head::new(at, head)));
            }
        }
        let mut until = Self { stops, heads, quoted, states: Vec::new() };
        until.build();
        until
    }

    pub(super) fn states(&self) -> &[State] {
        &self.states
    }

    /// Regular expressions without lookaround: of the text, and of what it must not be. The second is one
    /// alone: an engine of derivatives loses itself in many.
    pub(super) fn regexes(&self) -> (String, String) {
        let all = match self.quoted {
            false => "(?s:.*)".to_owned(),
            true => r#"([^"\\\x00-\x1f]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}))*"#.to_owned(),
        };
        let kinds = [(false, false), (false, true), (true, false), (true, true)];
        let mut but: Vec<String> = Vec::new();
        for (line, bound) in kinds {
            let of = self.stops.iter().filter(|stop| (stop.line, stop.bound) == (line, bound));
            let each: Vec<String> = of.map(Stop::regex).collect();
            if each.is_empty() {
                continue;
            }
            let before = if line { r"((?s:.*)\n)?" } else { "(?s:.*)" };
            let after = if bound { r"([^a-zA-Z0-9_.:\-](?s:.*))?" } else { "(?s:.*)" };
            but.push(format!("{before}({}){after}", each.join("|")));
        }
        let heads = self.heads.iter().map(|head| head.text.chars().map(escaped).collect());
        let heads: Vec<String> = heads.collect();
        if !heads.is_empty() {
            but.push(format!("(?s:.*)({})", heads.join("|")));
        }
        (all, but.join("|"))
    }

    fn build(&mut self) {
        let start = Place { threads: BTreeSet::new(), line: self.sees_lines() };
        let alphabet = self.alphabet();
        let mut known = BTreeMap::from([(start.clone(), 0)]);
        let mut open = vec![start];
        let mut at = 0;
        while let Some(place) = open.get(at).cloned() {
            at += 1;
            let mut state = State { accepts: self.accepts(&place), ..State::default() };
            let mut number = |place: Place| {
                let next = known.len();
                *known.entry(place.clone()).or_insert_with(|| {
                    open.push(place);
                    next
                })
            };
            let mut targets: Vec<(usize, Vec<char>)> = Vec::new();
            for &(c, _) in &alphabet {
                if self.quoted && matches!(c, '"' | '\\' | '\n' | '\r' | '\t') {
                    continue;
                }
                let Some(next) = self.step(&place, c) else { continue };
                let target = number(next);
                match targets.iter_mut().find(|(known, _)| *known == target) {
                    Some((_, chars)) => chars.push(c),
                    None => targets.push((target, vec![c])),
                }
            }
            if self.quoted {
                self.escape_edges(&place, &mut state, &mut number);
            }
            let class = |chars: &[char]| self.class(&alphabet, chars);
            state.edges = targets.iter().map(|(to, chars)| (class(chars), *to)).collect();
            self.states.push(state);
        }
        while self.merge() {}
    }

    /// States that say the same become one; false if there are none.
    fn merge(&mut self) -> bool {
        let mut kept: Vec<State> = Vec::new();
        let mut places = Vec::new();
        for state in &self.states {
            let known = kept.iter().position(|known| known == state).unwrap_or(kept.len());
            if known == kept.len() {
                kept.push(state.clone());
            }
            places.push(known);
        }
        let merged = kept.len() < self.states.len();
        let place = |to: &mut usize| *to = places.get(*to).copied().unwrap_or_default();
        for state in &mut kept {
            state.edges.iter_mut().for_each(|(_, to)| place(to));
            state.escapes.iter_mut().for_each(|(_, to)| place(to));
        }
        self.states = kept;
        merged
    }

    /// A backslash and what stands after it are characters of the text like others.
    fn escape_edges(
        &self,
        place: &Place,
        state: &mut State,
        number: &mut impl FnMut(Place) -> usize,
    ) {
        for escape in ["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\\u0000"] {
            let after = escape.chars().try_fold(place.clone(), |at, c| self.step(&at, c));
            let Some(after) = after else { continue };
            let target = number(after);
            let c = escape.chars().nth(1).map(|c| (c, c));
            match state.escapes.iter_mut().find(|(_, known)| *known == target) {
                // A class of its own: digits come after it.
                Some((class, _)) if !escape.contains('u') => class.ranges.extend(c),
                _ => state
                    .escapes
                    .push((Class { negated: false, ranges: c.into_iter().collect() }, target)),
            }
        }
    }

    fn sees_lines(&self) -> bool {
        self.stops.iter().any(|stop| stop.line)
    }

    /// The characters of markers, and one of each kind of others, each with all that it stands for.
    fn alphabet(&self) -> Vec<(char, Ranges)> {
        let of = |stop: &Stop| -> Vec<char> {
            stop.steps.iter().flat_map(|step| spellings(step.c, stop.fold)).collect()
        };
        let own: BTreeSet<char> = self.stops.iter().flat_map(of).chain(['\n']).collect();
        let mut all: Vec<(char, Ranges)> = own.iter().map(|c| (*c, vec![(*c, *c)])).collect();
        for kind in [SPACES, WORDS] {
            let members = kind.iter().flat_map(|(low, high)| *low..=*high);
            let others: Ranges = members.filter(|c| !own.contains(c)).map(|c| (c, c)).collect();
            all.extend(others.first().map(|(first, _)| (*first, others.clone())));
        }
        all.push((OTHER, Ranges::new()));
        all.sort_unstable();
        all
    }

    /// The characters that the members of the alphabet stand for.
    fn class(&self, alphabet: &[(char, Ranges)], chars: &[char]) -> Class {
        let negated = chars.contains(&OTHER);
        let members = alphabet.iter().filter(|(c, _)| chars.contains(c) != negated);
        let mut ranges: Ranges = members.flat_map(|(_, ranges)| ranges).copied().collect();
        if negated && self.quoted {
            ranges.extend([CONTROLS, ('"', '"'), ('\\', '\\')]);
        }
        Class { negated, ranges: joined(ranges) }
    }

    /// Where a character leads; none: a marker stands there.
    fn step(&self, place: &Place, c: char) -> Option<Place> {
        let mut next = Place { threads: BTreeSet::new(), line: self.sees_lines() && c == '\n' };
        let space = matches!(c, ' ' | '\t' | '\r' | '\n');
        let starts = |stop: &Stop| !stop.line || place.line;
        let fresh = self.stops.iter().enumerate().filter(|(_, stop)| starts(stop));
        let fresh = fresh.map(|(at, _)| (at, 0, false));
        for (at, made, gap) in place.threads.iter().copied().chain(fresh) {
            let stop = self.stops.get(at)?;
            let Some(step) = stop.steps.get(made) else {
                // The marker is whole but for the end of its word.
                if is_word(c) && c.is_ascii() {
                    continue;
                }
                return None;
            };
            if made > 0 && space && step.gap != Gap::No {
                next.threads.insert((at, made, true));
            }
            let fits = step.c == c || (stop.fold && step.c.eq_ignore_ascii_case(&c));
            if !fits || (step.gap == Gap::Must && !gap) || (step.gap == Gap::No && gap) {
                continue;
            }
            if made + 1 == stop.steps.len() && !stop.bound {
                return None;
            }
            next.threads.insert((at, made + 1, false));
        }
        Some(next)
    }

    /// Whether a text may end there: no marker has come but for the end of its word, and none has begun
    /// that what follows makes whole.
    fn accepts(&self, place: &Place) -> bool {
        place.threads.iter().all(|(at, made, gap)| {
            let whole = self.stops.get(*at).is_some_and(|stop| stop.steps.len() == *made);
            let mut heads = self.heads.iter().filter(|head| head.stop == *at);
            !whole && (*gap || !heads.any(|head| head.steps() == *made))
        })
    }
}

/// Neighbouring ranges as one.
fn joined(mut ranges: Ranges) -> Ranges {
    ranges.sort_unstable();
    let mut out = Ranges::new();
    for (low, high) in ranges {
        match out.last_mut() {
            Some((_, end)) if u32::from(low) <= u32::from(*end) + 1 => *end = high.max(*end),
            _ => out.push((low, high)),
        }
    }
    out
}
