//! The field `tool_calls`: patterns of a call, and of what stands around the calls of a turn.

use super::field::{Edge, Field};
use super::lower::Hole;
use super::payload::{self, MEETS_SKIP, meets_skip};
use super::sections::with_leading_skip;
use super::transform::{Shape, Source};
use super::{Draft, Read, Report, ResponseTemplateError as Error, Role};
use crate::pattern::{Args, Part, Pattern, any, one_of};
use crate::spec::Header;

const PATH: &str = "fields.tool_calls";

/// Adds the calls of a template.
pub(super) fn add(field: &Field<'_>, draft: &mut Draft) -> Read<()> {
    let repeats = field.flag("repeats", false)?;
    let list =
        field.flag("transform_each", false)? || field.value("transform").is_none() && !repeats;
    if !repeats && !list {
        let what = "only the last call of a turn counts there; here each does";
        draft.report.add(field.at("repeats"), what);
    }
    if field.value("join").is_some() {
        draft.report.add(field.at("join"), "calls are not joined");
    }
    let shape = Shape::read(field, &mut draft.report)?;
    let payload = payload::read(field, &shape, list, &mut draft.report)?;
    let opens = opens(field, &shape, &mut draft.report)?;
    let ends_itself = matches!(&payload, Part::Call(_) | Part::Args(Args::Json | Args::Gemma(_)));
    let closes = field.closes(&|_| Hole::Unused, ends_itself, &mut draft.report)?;
    for open in opens {
        let call = Call { open, payload: payload.clone(), closes: &closes };
        call.add(repeats && !list, PATH, &field.at("open_pattern"), draft);
    }
    Ok(())
}

/// The openers of a call, up to its payload.
fn opens(field: &Field<'_>, shape: &Shape, report: &mut Report) -> Result<Vec<Vec<Part>>, Error> {
    if field.is_implicit()? {
        report.add(field.at("open"), "calls without an opener");
        return Ok(Vec::new());
    }
    let group = |source: Option<&Source>, name: &str| matches!(source, Some(Source::Group(group)) if group == name);
    let hole = |name: &str| match () {
        () if group(Some(&shape.name), name) => Hole::Name,
        () if group(shape.id.as_ref(), name) => Hole::Id,
        () => Hole::Unused,
    };
    let mut ways = field.opens(&hole, report)?;
    let literal = |way: &Vec<Part>| way.iter().all(|part| matches!(part, Part::Literal(_)));
    if ways.iter().all(literal) && !ways.is_empty() {
        ways = vec![one_of(ways)];
    }
    let is_name = |part: &Part| matches!(part, Part::Name | Part::NameIs(_));
    let mut named = Vec::new();
    for mut way in ways {
        match &shape.name {
            Source::Fixed(word) => way.push(Part::NameIs(word.clone())),
            Source::Group(group) if !any(&way, is_name) => {
                report.add(
                    field.at("transform"),
                    format!(
                        "the group `{}`, which holds the name, is not in the opener",
                        group.escape_debug()
                    ),
                );
                continue;
            }
            _ => {}
        }
        named.push(way);
    }
    check_id(shape, &named, field, report);
    Ok(named)
}

/// Reports an id that is read nowhere.
fn check_id(shape: &Shape, opens: &[Vec<Part>], field: &Field<'_>, report: &mut Report) {
    let stands = match &shape.id {
        None => true,
        Some(Source::Payload(_)) => matches!(shape.name, Source::Payload(_)),
        Some(Source::Group(_)) => {
            opens.iter().all(|open| any(open, |part| matches!(part, Part::Id(_))))
        }
        Some(Source::Fixed(_)) => false,
    };
    if !stands {
        report.add(
            field.at("transform.id"),
            "an id that stands neither in the opener nor beside the name",
        );
    }
}

/// Whether a header is one of harmony: a channel, words, and the body after `<|message|>`.
fn is_harmony(open: &[Part]) -> bool {
    let text = Pattern::new(open.to_vec()).to_string();
    meets_skip(open) && text.contains("<|channel|>") && text.ends_with("<|message|>")
}

/// One way in which a call is written.
pub(super) struct Call<'c> {
    pub(super) open: Vec<Part>,
    pub(super) payload: Part,
    pub(super) closes: &'c Edge,
}

impl Call<'_> {
    /// Adds its pattern. `wraps`: what may be absent at its edges stands around the calls of a turn.
    pub(super) fn add(mut self, wraps: bool, path: &str, open_path: &str, draft: &mut Draft) {
        self.open = with_leading_skip(self.open);
        if is_harmony(&self.open) {
            // Between the words of such a header any other may stand.
            self.open.retain(|part| *part != Part::Skip);
            draft.spec.header = Header::Harmony;
        } else if meets_skip(&self.open) {
            draft.report.add(open_path, MEETS_SKIP);
            return;
        }
        let mut close = self.closes.parts();
        if let Some(wrap) = wraps.then(|| self.wrap(&mut close)).flatten() {
            draft.add(Role::Wrap, path.into(), &wrap);
        }
        draft.add(Role::Call, path.into(), &self.pattern(close));
    }

    /// The pattern of the call.
    fn pattern(self, mut close: Vec<Part>) -> Pattern {
        let params = matches!(self.payload, Part::Args(Args::Pattern(_)));
        let open = Pattern::new(self.open).parts;
        let implied = if params { implied(&open, &close) } else { Vec::new() };
        let spaced = open.iter().any(|part| matches!(part, Part::Space(_)));
        let line = || spaced.then(|| Part::Space("\n".into()));
        let mut parts = open;
        if params && !matches!(parts.last(), Some(Part::Space(_))) {
            parts.extend(line());
        }
        parts.push(self.payload);
        if !implied.is_empty() && spaced && matches!(close.first(), Some(Part::Space(_))) {
            close.remove(0);
        }
        for tag in implied {
            parts.extend([Some(Part::Literal(tag)), line()].into_iter().flatten());
        }
        parts.extend(close);
        Pattern::new(parts)
    }

    /// Takes the options at both edges off the call.
    fn wrap(&mut self, close: &mut Vec<Part>) -> Option<Pattern> {
        let is_text = |part: &Part| matches!(part, Part::Literal(_) | Part::Space(_));
        let (Some(Part::Opt(first)), Some(Part::Opt(last))) = (self.open.first(), close.last())
        else {
            return None;
        };
        if !first.parts.iter().chain(&last.parts).all(is_text) || close.len() < 2 {
            return None;
        }
        let around = [first.parts.clone(), vec![Part::Calls], last.parts.clone()].concat();
        self.open.remove(0);
        close.pop();
        Some(Pattern::new(around))
    }
}

/// The closing tags that a header needs and the closing text does not have: those of the tags inside one
/// that it closes.
fn implied(open: &[Part], close: &[Part]) -> Vec<String> {
    let opened = tags(open, "<");
    let closed = tags(close, "</");
    let outer = opened.iter().position(|word| closed.contains(word));
    let inner = outer.and_then(|at| opened.get(at + 1..)).unwrap_or_default();
    let left = inner.iter().rev().filter(|word| !closed.contains(word));
    left.map(|word| format!("</{word}>")).collect()
}

/// The words of the plain tags in text.
fn tags(parts: &[Part], lead: &str) -> Vec<String> {
    let mut words = Vec::new();
    for part in parts {
        let text = match part {
            Part::Literal(text) => text,
            Part::Tag(tag) => &tag.open,
            _ => continue,
        };
        for rest in text.split(lead).skip(1) {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':' | '-')));
            let (word, after) =
                rest.split_at_checked(end.unwrap_or(rest.len())).unwrap_or((rest, ""));
            let tag =
                after.is_empty() && matches!(part, Part::Tag(_)) || after.starts_with(['=', '>']);
            if !word.is_empty() && tag {
                words.push(word.to_owned());
            }
        }
    }
    words
}
