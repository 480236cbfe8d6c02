//! The fields of a template that are no calls: text, reasoning, and what a turn does not have.

use super::field::{Delimiter, Edge, Field};
use super::lower::Hole;
use super::{Draft, Report, ResponseTemplateError as Error, Role};
use crate::pattern::{Part, Pattern, one_of};
use crate::policy::TextPolicy;
use crate::program::unframed;
use crate::reasoning::{self, FAMILIES, Family, ToolEnds, sections};
use crate::spec::Header;

/// What the text of a field is in a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Text,
    Reasoning,
    /// Nothing of a turn.
    Other,
}

impl Body {
    pub(super) fn of(field: &str) -> Self {
        match field {
            "content" => Self::Text,
            "thinking" | "reasoning_content" | "reasoning" => Self::Reasoning,
            _ => Self::Other,
        }
    }

    fn hole(self) -> Part {
        match self {
            Self::Text => Part::Text,
            Self::Reasoning => Part::Reasoning,
            Self::Other => Part::Skip,
        }
    }
}

/// Adds a field that is not that of the calls.
pub(super) fn add(field: &Field<'_>, draft: &mut Draft) -> Result<(), Error> {
    let body = Body::of(field.name());
    if body == Body::Other {
        draft.report.add(field.path(), "a turn has no such part: it is left out");
    } else {
        check_content(field, &mut draft.report)?;
    }
    if body == Body::Text && field.strips() {
        draft.spec.text = TextPolicy::TrimEdges;
    }
    if field.is_implicit()? {
        return implicit(field, body, draft);
    }
    let unused = |_: &str| Hole::Unused;
    let section = Section {
        body,
        opens: field.opens(&unused, &mut draft.report)?,
        closes: field.closes(&unused, body == Body::Text, &mut draft.report)?,
        strips: field.strips(),
        path: field.path().to_owned(),
        close_path: field.at("close"),
    };
    section.add(draft);
    Ok(())
}

/// Text of a turn between delimiters.
pub(super) struct Section {
    pub(super) body: Body,
    pub(super) opens: Vec<Vec<Part>>,
    pub(super) closes: Edge,
    /// Whitespace at its edges is dropped.
    pub(super) strips: bool,
    /// Where it is said, and where what closes it is.
    pub(super) path: String,
    pub(super) close_path: String,
}

impl Section {
    /// Adds it as the reasoning family with its markers, or as messages.
    pub(super) fn add(self, draft: &mut Draft) {
        if self.opens.is_empty() {
            return;
        }
        if self.body == Body::Reasoning
            && !draft.has_family
            && let Some(family) = family(&self.opens, &self.closes.ways, self.strips)
        {
            draft.spec.reasoning = family.name.to_owned();
            draft.has_family = true;
            return;
        }
        if self.body == Body::Text {
            let end_markers = markers(&self.closes.ways).into_iter().flatten();
            draft.end_markers.extend(end_markers.map(|end_marker| end_marker.text));
        }
        let path = self.path.clone();
        for pattern in self.messages(&mut draft.report) {
            draft.add(Role::Message, path.clone(), &pattern);
        }
    }

    /// Its messages, one for each way in which it opens.
    fn messages(self, report: &mut Report) -> Vec<Pattern> {
        let Self { body, opens, closes, strips, close_path, .. } = self;
        let is_space = |part: Option<&Part>| matches!(part, Some(Part::Space(_)));
        let mut closing = Pattern::new(one_of(closes.ways)).parts;
        if is_space(closing.first()) {
            closing = trimmed(closing);
            if !strips {
                report.add(close_path, "whitespace before the closer stays in the text");
            }
        }
        let message = |open: Vec<Part>| {
            let mut parts = with_leading_skip(Pattern::new(open).parts);
            // A line break at the end of a header has to be there; one that is stripped may be absent.
            parts.pop_if(|part| strips && is_space(Some(part)));
            parts.push(body.hole());
            parts.extend(closing.clone());
            Pattern::new(parts)
        };
        opens.into_iter().map(message).collect()
    }
}

/// Reports how the text of a field is read where that is not as text.
fn check_content(field: &Field<'_>, report: &mut Report) -> Result<(), Error> {
    if let Some(other) = field.text("content")?.filter(|kind| *kind != "text") {
        report.add(field.at("content"), format!("`{}` here is text", other.escape_debug()));
    }
    for key in ["transform", "transform_each"] {
        if field.value(key).is_some_and(|value| value.as_bool() != Some(false)) {
            report.add(field.at(key), "the text of a turn is not transformed");
        }
    }
    if field.text("join")?.is_some_and(|text| !text.is_empty()) {
        report.add(field.at("join"), "nothing is written between texts of a turn");
    }
    Ok(())
}

/// A field that no opener begins.
fn implicit(field: &Field<'_>, body: Body, draft: &mut Draft) -> Result<(), Error> {
    if body == Body::Reasoning {
        let what = "reasoning without an opener: start the request inside it (start state)";
        draft.report.add(field.path(), what);
    }
    if body != Body::Text {
        return Ok(());
    }
    for way in field.closes(&|_| Hole::Unused, true, &mut draft.report)?.ways {
        let path = match field.delimiter("close", "close_pattern")? {
            Delimiter::Regex(_) => field.at("close_pattern"),
            _ => field.at("close"),
        };
        add_stray(&path, way, draft);
    }
    Ok(())
}

/// What is true of text that no field takes.
pub(super) fn add_surrounding(
    fields: &[Field<'_>],
    anchors: &[&str],
    draft: &mut Draft,
) -> Result<(), Error> {
    close_messages("fields.content.close", draft);
    for field in fields {
        if field.name() != "tool_calls" && field.is_implicit()? {
            return Ok(());
        }
    }
    draft.report.add("fields", DROPPED);
    // A model may write the beginning of its turn again, before each message of it.
    let said = |anchor: &str| draft.patterns.iter().any(|(.., pattern)| pattern.contains(anchor));
    let anchors = anchors.iter().filter(|anchor| anchor.starts_with('<') && !said(anchor));
    for anchor in anchors.collect::<Vec<_>>() {
        add_stray("start_anchor", vec![Part::Literal((*anchor).to_owned())], draft);
    }
    Ok(())
}

pub(super) const DROPPED: &str =
    "text outside of every field is dropped there; here it is visible text";

/// What closes messages whose headers are read by hand: those say nothing of it.
pub(super) fn close_messages(path: &str, draft: &mut Draft) {
    if draft.spec.header == Header::Harmony {
        for end_marker in std::mem::take(&mut draft.end_markers) {
            add_stray(path, vec![Part::Literal(end_marker)], draft);
        }
    }
}

/// Adds a marker that is dropped where it stands, once.
pub(super) fn add_stray(path: &str, parts: Vec<Part>, draft: &mut Draft) {
    let pattern = Pattern::new(trimmed(parts));
    let text = pattern.to_string();
    if !draft.patterns.iter().any(|(role, _, other)| *role == Role::Marker && *other == text) {
        draft.add(Role::Marker, path.into(), &pattern);
    }
}

/// Whether a marker is one of the calls of a draft, of what stands around them, or of its reasoning.
pub(super) fn is_known(marker: &[Part], draft: &Draft) -> bool {
    let marker = Pattern::new(trimmed(marker.to_vec())).to_string();
    let calls = |role: Role| matches!(role, Role::Call | Role::Wrap);
    let family = FAMILIES.iter().find(|family| family.name == draft.spec.reasoning);
    draft.patterns.iter().any(|(role, _, other)| calls(*role) && other.contains(&marker))
        || family.is_some_and(|family| family.markers().contains(&marker))
}

/// A header that begins with an option and free text: the text belongs to the option.
pub(super) fn with_leading_skip(mut parts: Vec<Part>) -> Vec<Part> {
    if let [Part::Opt(_), Part::Skip, ..] = parts.as_slice() {
        parts.remove(1);
        if let Some(Part::Opt(inner)) = parts.first_mut() {
            inner.parts.push(Part::Skip);
        }
    }
    parts
}

/// Text without whitespace at its edges.
fn trimmed(parts: Vec<Part>) -> Vec<Part> {
    let mut parts = Pattern::new(parts).parts;
    // There are no two in a row.
    parts.pop_if(|part| matches!(part, Part::Space(_)));
    unframed(&parts).to_vec()
}

/// The reasoning family with these markers.
fn family(
    opens: &[Vec<Part>],
    closes: &[Vec<Part>],
    strips: bool,
) -> Option<&'static Family<'static>> {
    let (opens, closes) = (markers(opens)?, markers(closes)?);
    let (open, close) = (opens.first()?, closes.first()?);
    // Whitespace that the template spells, or any where it drops what there is.
    let unlike = |spelled: &str, of_family: &str| match spelled {
        "" => strips == of_family.is_empty(),
        spelled => spelled != of_family,
    };
    let cost = |family: &Family<'_>, section: &reasoning::Section| {
        let edges = [
            unlike(&open.after, &section.after_open.text),
            unlike(&close.before, &section.before_close),
            unlike(&close.after, &section.after_close.text),
        ];
        let calls = if family.tool_ends == ToolEnds::Never { 0 } else { edges.len() };
        calls + edges.into_iter().filter(|unlike| *unlike).count()
    };
    let same = |markers: &[Marker], own: &[String]| {
        markers.iter().all(|marker| own.contains(&marker.text))
    };
    let fits = |family: &'static Family<'static>| {
        let sections = sections(family).ok()?;
        let section = sections.first()?;
        let alike = same(&opens, &section.opens) && same(&closes, &section.closes);
        (alike && !section.at_message).then(|| (cost(family, section), family))
    };
    let families = FAMILIES.iter().filter(|f| f.lead.is_none() && f.message.is_empty());
    let best = families.filter_map(fits).min_by_key(|(cost, _)| *cost);
    best.map(|(_, family)| family)
}

/// A delimiter that is text, and the whitespace at its edges.
struct Marker {
    before: String,
    text: String,
    after: String,
}

/// Delimiters that are text alone.
fn markers(ways: &[Vec<Part>]) -> Option<Vec<Marker>> {
    let marker = |way: &Vec<Part>| {
        let texts = way.iter().map(|part| match part {
            Part::Literal(text) | Part::Space(text) => Some(text.as_str()),
            _ => None,
        });
        let whole: String = texts.collect::<Option<String>>()?;
        let (text, from_text) = (whole.trim_end(), whole.trim_start());
        let before = whole.strip_suffix(from_text).unwrap_or_default().to_owned();
        let after = whole.strip_prefix(text).unwrap_or_default().to_owned();
        let text = text.trim_start().to_owned();
        (!text.is_empty()).then_some(Marker { before, text, after })
    };
    ways.iter().map(marker).collect()
}
