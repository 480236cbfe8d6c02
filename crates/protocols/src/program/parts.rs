//! What the parts of a pattern are to the call around them.

use super::forms::Changes;
use crate::pattern::{Args, At, Part, Pattern, ValueKind};

/// The parts before the first that satisfies `test`, and those after it.
pub(super) fn split_at(pattern: &Pattern, test: impl Fn(&Part) -> bool) -> (&[Part], &[Part]) {
    let at = pattern.parts.iter().position(test).unwrap_or(pattern.parts.len());
    let (head, rest) = pattern.parts.split_at_checked(at).unwrap_or((&pattern.parts, &[]));
    (head, rest.split_first().map_or(&[][..], |(_, tail)| tail))
}

/// Without the whitespace at the beginning, which is no part of an opener however it is spelled.
pub(crate) fn unframed(parts: &[Part]) -> &[Part] {
    match parts {
        [Part::Space(_), rest @ ..] => rest,
        _ => parts,
    }
}

/// Those of some texts that are more than signs, as they begin after whitespace.
pub(super) fn telling(texts: &[String]) -> Vec<&str> {
    texts
        .iter()
        .map(|text| text.trim_start())
        .filter(|text| text.contains(char::is_alphanumeric))
        .collect()
}

/// The parts of a wrapper before and after the calls.
pub(crate) fn around(wrap: &Pattern) -> (&[Part], &[Part]) {
    split_at(wrap, |part| *part == Part::Calls)
}

pub(super) fn is_payload(part: &Part) -> bool {
    matches!(part, Part::Call(_) | Part::Args(_) | Part::Arg { .. } | Part::Content)
}

/// The runs of literal text, in order, each by every way through its alternatives; what is optional is a
/// run of its own. A space inside a run is part of it, a line break ends it.
pub(super) fn runs(parts: &[Part]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let end = |open: &mut Vec<String>, found: &mut Vec<Vec<String>>| {
        if !open.is_empty() {
            found.push(std::mem::take(open));
        }
    };
    let join = |open: &[String], ends: &[String]| -> Vec<String> {
        let starts = if open.is_empty() { vec![String::new()] } else { open.to_vec() };
        starts
            .iter()
            .flat_map(|start| ends.iter().map(move |end| format!("{start}{end}")))
            .collect()
    };
    for (at, part) in parts.iter().enumerate() {
        match part {
            Part::Literal(text) => open = join(&open, std::slice::from_ref(text)),
            Part::Space(text)
                if !open.is_empty()
                    && !text.contains(['\n', '\r'])
                    && matches!(parts.get(at + 1), Some(Part::Literal(_) | Part::Any(_))) =>
            {
                open = join(&open, std::slice::from_ref(text));
            }
            Part::Tag(tag) => open = join(&open, std::slice::from_ref(&tag.open)),
            Part::Any(ways) => {
                let ends: Vec<String> = ways.iter().flat_map(|way| literals(&way.parts)).collect();
                open = join(&open, &ends);
            }
            // Inside a marker it is another spelling of that.
            Part::Opt(inner) | Part::Also(inner)
                if !open.is_empty()
                    && matches!(parts.get(at + 1), Some(Part::Literal(_)))
                    && let Some(text) = spelling(inner, &open) =>
            {
                open = join(&open, &[String::new(), text]);
            }
            Part::Opt(inner) | Part::Also(inner) => {
                end(&mut open, &mut found);
                found.extend(runs(&inner.parts));
            }
            _ => end(&mut open, &mut found),
        }
    }
    end(&mut open, &mut found);
    found
}

/// The text of a part inside a marker: a literal, or in a tag whitespace that ends no line.
fn spelling(inner: &Pattern, before: &[String]) -> Option<String> {
    let is_in_tag = |text: &String| text.rfind('<') > text.rfind('>');
    match inner.parts.as_slice() {
        [Part::Literal(text)] => Some(text.clone()),
        [Part::Space(text)] if !text.contains(['\n', '\r']) && before.iter().all(is_in_tag) => {
            Some(text.clone())
        }
        _ => None,
    }
}

/// The texts of all [`runs`].
pub(crate) fn literals(parts: &[Part]) -> Vec<String> {
    runs(parts).into_iter().flatten().collect()
}

/// The name of `{name=WORD}`.
pub(super) fn fixed_name(head: &[Part]) -> Option<String> {
    head.iter().find_map(|part| match part {
        Part::NameIs(word) => Some(word.clone()),
        _ => None,
    })
}

pub(super) fn first_literal(part: &Part) -> Option<String> {
    match part {
        Part::Literal(text) => Some(text.clone()),
        Part::Tag(tag) => Some(tag.open.clone()),
        _ => None,
    }
}

/// The word that tokenizers are known to put into tags.
pub(super) const SUFFIX: &str = "opensource";

/// A pattern or marker with a word in each of its plain tags: `</a>` as `</a:word>`.
pub(super) fn with_suffix(text: &str, word: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        out.extend([before, "<"]);
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '/');
        let end = tag.find(|c| !plain(c)).unwrap_or(tag.len());
        let (name, after) = tag.split_at_checked(end).unwrap_or((tag, ""));
        out.push_str(name);
        if !name.is_empty() && after.starts_with('>') {
            out.extend([":", word]);
        }
        rest = after;
    }
    out + rest
}

/// The header of a call without the whitespace that only models put into it.
pub(super) fn without_spare_space(pattern: &Pattern) -> Pattern {
    let spare = |part: &Part| match part {
        Part::Also(inner) => matches!(inner.parts.as_slice(), [Part::Space(_)]),
        _ => false,
    };
    let mut parts = Vec::new();
    for part in &pattern.parts {
        match part {
            part if spare(part) => {}
            Part::Opt(inner) => parts.push(Part::Opt(without_spare_space(inner))),
            part => parts.push(part.clone()),
        }
    }
    Pattern { parts }
}

/// The pattern of a call whose arguments are tags, with the whitespace that models put into those: before an
/// equals sign, and before the end of what closes the call. Around a hole it is forgiven everywhere.
pub(super) fn with_spaced_tags(pattern: &Pattern) -> Pattern {
    let takes_tags = |part: &Part| matches!(part, Part::Args(Args::Pattern(_)));
    if !pattern.parts.iter().any(takes_tags) {
        return pattern.clone();
    }
    let mut parts = Vec::new();
    for part in &pattern.parts {
        match part {
            Part::Literal(text) => parts.extend(spaced(text)),
            Part::Args(Args::Pattern(inner)) => {
                let spaced = inner.parts.iter().flat_map(|part| match part {
                    Part::Literal(text) if text.ends_with('=') => spaced(text),
                    part => vec![part.clone()],
                });
                parts
                    .push(Part::Args(Args::Pattern(Box::new(Pattern { parts: spaced.collect() }))));
            }
            part => parts.push(part.clone()),
        }
    }
    Pattern { parts }
}

/// A literal that ends in `<word=` or `</word>`, with whitespace before its last sign.
fn spaced(text: &str) -> Vec<Part> {
    let all = || vec![Part::Literal(text.to_owned())];
    let Some((tag, sign)) = text.split_at_checked(text.len().saturating_sub(1)) else {
        return all();
    };
    let start = match sign {
        "=" => "<",
        ">" => "</",
        _ => return all(),
    };
    let word = tag.rsplit_once(start).map_or("", |(_, word)| word);
    if word.is_empty() || !word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return all();
    }
    let space = Pattern { parts: vec![Part::Space(" ".to_owned())] };
    vec![Part::Literal(tag.to_owned()), Part::Also(space), Part::Literal(sign.to_owned())]
}

/// Whether a tag begins with more than brackets and a word: a special token, which is no data anywhere.
pub(super) fn has_special_token(opener: &str) -> bool {
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '<' | '>' | '=' | '_' | ':' | '-');
    !opener.chars().all(plain)
}

/// The special token that a closing delimiter begins with, if it is more than that: no text holds it.
pub(crate) fn first_token(end_marker: &str) -> Option<&str> {
    let token = end_marker.get(..=end_marker.find('>')?)?;
    (has_special_token(end_marker) && token.len() < end_marker.len()).then_some(token)
}

/// The tag at the end of a literal, as far as it has a beginning there.
pub(crate) fn opening_tag(literal: &str) -> &str {
    literal.rfind('<').and_then(|at| literal.get(at..)).unwrap_or_default()
}

/// The tag that the header of a value ends with, as far as it has a beginning in one literal.
pub(crate) fn value_lead(head: &[Part]) -> &str {
    let mut parts = head.iter().rev();
    match parts.find(|part| !matches!(part, Part::Space(_) | Part::Also(_))) {
        Some(Part::Literal(end)) if end.ends_with('>') => opening_tag(end),
        Some(Part::Tag(tag)) if tag.close.ends_with('>') => opening_tag(&tag.close),
        _ => "",
    }
}

/// Whether these parts are more than brackets and whitespace before their first hole.
pub(super) fn has_mark(parts: &[Part]) -> bool {
    for part in parts {
        match part {
            Part::Literal(text) if text.contains(|c| !"[](){}<>\":".contains(c)) => return true,
            Part::Tag(_) => return true,
            Part::Any(ways) if ways.iter().all(|way| has_mark(&way.parts)) => return true,
            Part::Literal(_) | Part::Space(_) | Part::At(_) | Part::Commit | Part::NameIs(_) => {}
            Part::Also(_) | Part::Opt(_) | Part::Any(_) => {}
            _ => return false,
        }
    }
    false
}

/// The wrappers, where each of them begins with a mark.
pub(super) fn marks(wraps: &[Pattern]) -> Option<()> {
    let marked = |wrap: &Pattern| has_mark(around(wrap).0);
    (!wraps.is_empty() && wraps.iter().all(marked)).then_some(())
}

/// Whether a call begins with the tag, or on a line with the name, of a declared tool.
pub(super) fn is_declared_tag(head: &[Part]) -> bool {
    let mut parts = head.iter().filter(|part| !matches!(part, Part::Space(_)));
    match parts.next() {
        Some(Part::Literal(text)) if text == "<" => matches!(parts.next(), Some(Part::Name)),
        Some(Part::At(At::Line)) => matches!(parts.next(), Some(Part::Name)),
        _ => false,
    }
}

/// Puts the markers that a request gives in the place of the outer literals of a call.
pub(super) fn replace_outer(pattern: &mut Pattern, changes: &Changes) {
    let Some(payload) = pattern.parts.iter().position(is_payload) else { return };
    let tail = pattern.parts.split_off(payload);
    let alternatives = |texts: &[String]| match texts {
        [one] => Part::Literal(one.clone()),
        several => Part::Any(
            several.iter().map(|t| Pattern { parts: vec![Part::Literal(t.clone())] }).collect(),
        ),
    };
    if let Some(open) = &changes.open {
        let open: Vec<String> = open.iter().map(|text| text.trim_end().to_owned()).collect();
        pattern.parts = vec![alternatives(&open)];
    }
    let mut tail = tail.into_iter();
    pattern.parts.extend(tail.next());
    match &changes.close {
        Some(close) => {
            let close: Vec<String> = close.iter().map(|t| t.trim_start().to_owned()).collect();
            pattern.parts.push(alternatives(&close));
        }
        None => pattern.parts.extend(tail),
    }
}

/// What is cut off an edge of a value, by what stands there in the pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The value is taken as it stands.
    #[default]
    Nothing,
    /// One line break goes, where there is one.
    LineBreak,
    /// All whitespace goes.
    Whitespace,
}

/// How a value is cut at its edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trim {
    pub(crate) first: Cut,
    pub(crate) last: Cut,
}

impl Trim {
    pub(crate) const NONE: Self = Self { first: Cut::Nothing, last: Cut::Nothing };
    pub(crate) const LINE_BREAKS: Self = Self { first: Cut::LineBreak, last: Cut::LineBreak };
    pub(crate) const WHITESPACE: Self = Self { first: Cut::Whitespace, last: Cut::Whitespace };
}

/// How the value of a parameter pattern is cut.
pub(crate) fn trim_of(pattern: &Pattern) -> Trim {
    let at = pattern.parts.iter().position(|part| matches!(part, Part::Value(_)));
    let value = at.and_then(|at| pattern.parts.get(at));
    if value == Some(&Part::Value(ValueKind::Trim)) {
        return Trim::WHITESPACE;
    }
    let around = at.and_then(|at| pattern.parts.split_at_checked(at));
    around.map_or(Trim::NONE, |(before, rest)| edges(before, rest.get(1..).unwrap_or_default()))
}

/// What the parts before a text and those after it say about its edges. That of one that a pattern
/// spells as something else than one line break is whitespace, where there is any.
pub(crate) fn edges(before: &[Part], after: &[Part]) -> Trim {
    Trim { first: edge(before.iter().rev()), last: edge(after.iter()) }
}

fn edge<'a>(parts: impl Iterator<Item = &'a Part>) -> Cut {
    let mut cuts = parts.filter(|part| !is_nothing(part)).map(cut);
    match (cuts.next(), cuts.next()) {
        (Some(Cut::LineBreak), Some(Cut::LineBreak | Cut::Whitespace)) => Cut::Whitespace,
        (first, _) => first.unwrap_or_default(),
    }
}

/// The parts without the whitespace that they end with.
pub(super) fn without_edge(parts: &[Part]) -> &[Part] {
    let is_edge = |part: &Part| is_nothing(part) || cut(part) != Cut::Nothing;
    let end = parts.iter().rposition(|part| !is_edge(part)).map_or(0, |at| at + 1);
    parts.get(..end).unwrap_or(parts)
}

/// A part for which nothing is written or read.
pub(crate) fn is_nothing(part: &Part) -> bool {
    matches!(part, Part::NameIs(_) | Part::Commit)
}

fn cut(part: &Part) -> Cut {
    match part {
        Part::Space(space) if space == "\n" => Cut::LineBreak,
        Part::Space(_) => Cut::Whitespace,
        Part::Also(pattern) => match pattern.parts.as_slice() {
            [space @ Part::Space(_)] => cut(space),
            _ => Cut::Nothing,
        },
        _ => Cut::Nothing,
    }
}

/// Whether the last thing that is always there may be a hole of free text.
pub(super) fn ends_in_hole(parts: &[Part]) -> bool {
    for part in parts.iter().rev() {
        match part {
            Part::Opt(inner) | Part::Also(inner) if ends_in_hole(&inner.parts) => return true,
            Part::Space(_) | Part::Opt(_) | Part::Also(_) | Part::At(_) => {}
            part if is_nothing(part) => {}
            Part::Any(ways) => return ways.iter().any(|way| ends_in_hole(&way.parts)),
            part => {
                return matches!(
                    part,
                    Part::Name | Part::Id(_) | Part::Index | Part::Key | Part::Type(_)
                );
            }
        }
    }
    false
}
