//! The property `tool_calls` of a schema.

use super::super::calls::Call;
use super::super::level::Level;
use super::super::lower::{self, Hole};
use super::super::payload;
use super::super::regex::{Node, Refusal, Sequence, What};
use super::super::transform::{Arguments, Shape, Source};
use super::super::{Read, ResponseTemplateError as Error, Role, unsaid};
use super::Reading;
use super::query::Query;
use super::text::{self, Place};
use crate::pattern::{Args, Part, Pattern, one_of};

/// What stands around the strings that `gemma4-tool-call` reads.
const GEMMA: &str = "<|\"|>";

/// The group whose text is looked into.
const CURRENT: &str = "content";

/// Adds the calls. `place`: where the expression of the whole answer has them.
pub(super) fn add(level: &Level<'_>, place: Option<Place>, reading: &mut Reading<'_>) -> Read<()> {
    reading.check(level, &["x-regex", "x-regex-iterator", "x-parser", "x-parser-args"]);
    let mut around = match place {
        // Openers in the group itself are found again by the expression for one call.
        Some(place) if !text::has_text(&place.inner) && text::has_text(&place.before) => {
            Text { place, divided: false }
        }
        _ => Text::any(),
    };
    around.narrow(level, reading)?;
    let Some(items) = level.level("items")? else {
        return Err(unsaid(level.path(), "it does not say what an item is"));
    };
    if level.text("x-regex-iterator")?.is_none() {
        return list(level, &items, around, reading);
    }
    let ways = reading.read(level, "x-regex-iterator")?.unwrap_or_default();
    if text::has_text(&around.place.before) {
        around.wrap(level, reading);
    }
    for way in ways {
        let mut text = Text::any();
        let taken = reading.accept(text.take(&way));
        let read = taken.and_then(|()| item(&items, text, reading));
        reading.or_report(read)?;
    }
    Ok(())
}

/// Calls that a parser gives as a list.
fn list(level: &Level<'_>, items: &Level<'_>, around: Text, reading: &mut Reading<'_>) -> Read<()> {
    let Some(query) = query(level, reading)? else {
        return Err(unsaid(level.path(), "it does not say how its text is divided into calls"));
    };
    let (query, list) = match query {
        Query::Each(query) => (*query, true),
        Query::At(keys) if keys.is_empty() => (Query::At(keys), true),
        Query::One(query) => {
            let what = "only one call of a turn is read there; here each is";
            reading.report(level.path(), what);
            (*query, false)
        }
        _ => {
            let what = "a query that gives no list of calls";
            return Err(unsaid(level.at("x-parser-args"), what));
        }
    };
    reading.check(items, &[]);
    json(items, &query, list, around, reading)
}

/// One call, in a text of its own.
fn item(items: &Level<'_>, mut text: Text, reading: &mut Reading<'_>) -> Read<()> {
    let mut level = items.clone();
    loop {
        reading.check(&level, &["x-regex", "x-parser", "x-parser-args"]);
        text.narrow(&level, reading)?;
        if let Some(query) = query(&level, reading)? {
            return json(&level, &query, false, text, reading);
        }
        let Some(function) = level.property("function")? else { break };
        if text.divided && !text.enter("function") {
            return Err(unsaid(function.path(), "no group has its name"));
        }
        level = function;
    }
    tagged(items, &level, text, reading)
}

/// What the JSON parser of a level gives, if it has one.
fn query(level: &Level<'_>, reading: &mut Reading<'_>) -> Read<Option<Query>> {
    match level.text("x-parser")? {
        None => return Ok(None),
        Some("json") => {}
        Some(other) => {
            let what = format!("no reader takes `{}` here", other.escape_debug());
            return Err(unsaid(level.at("x-parser"), what));
        }
    }
    let Some(args) = level.level("x-parser-args")? else { return Ok(Some(Query::At(Vec::new()))) };
    if args.value("allow_non_json").and_then(toolweir_rjson::Value::as_bool) == Some(true) {
        let what = "a payload that is no JSON is text there; here the call cannot be read";
        reading.report(args.at("allow_non_json"), what);
    }
    let Some(transform) = args.text("transform")? else { return Ok(Some(Query::At(Vec::new()))) };
    Query::parse(transform).map(Some).map_err(|what| unsaid(args.at("transform"), what))
}

/// A call that is JSON, or all of them.
fn json(
    level: &Level<'_>,
    query: &Query,
    list: bool,
    text: Text,
    reading: &mut Reading<'_>,
) -> Read<()> {
    let function = level.property("function")?;
    let (inner, lead) = match &function {
        Some(function) => (function, &["function"][..]),
        None => (level, &[][..]),
    };
    if function.is_some() {
        reading.check(inner, &[]);
    }
    let member = |keys: &[&str], key: &str| query.member(&[keys, &[key]].concat());
    let refused = |what: &str| Err(unsaid(inner.path(), what));
    let fixed = fixed(inner, "name")?;
    let has_arguments = inner.property("arguments")?.is_some();
    let id = match level.property("id")?.and_then(|_| member(&[], "id")) {
        Some(Query::At(keys)) => Some(Source::Payload(keys)),
        _ => None,
    };
    let name = match (fixed, member(lead, "name")) {
        (Some(name), _) | (None, Some(Query::Fixed(name))) => Source::Fixed(name),
        (None, Some(Query::At(keys))) => Source::Payload(keys),
        _ => return refused("it does not say where the name of the tool stands"),
    };
    let arguments = match member(lead, "arguments") {
        _ if !has_arguments => Arguments::None,
        Some(Query::At(keys)) => Arguments::Whole(keys),
        _ => return refused("arguments that are not one value of the JSON"),
    };
    let shape = Shape { name, arguments, id };
    let part = payload::value(&shape, list, None);
    let part = part.map_err(|what| unsaid(level.at("x-parser"), what))?;
    let named = match shape.name {
        Source::Fixed(name) => Some(Part::NameIs(name)),
        _ => None,
    };
    text.around(CURRENT, named, part, level, reading)
}

/// The text that a property always is.
fn fixed(level: &Level<'_>, name: &str) -> Result<Option<String>, Error> {
    let property = level.property(name)?;
    Ok(property.and_then(|property| Some(property.value("const")?.as_str()?.to_owned())))
}

/// A call whose name and arguments are texts of their own.
fn tagged(
    items: &Level<'_>,
    level: &Level<'_>,
    mut text: Text,
    reading: &mut Reading<'_>,
) -> Read<()> {
    let named = fixed(level, "name")?.map(Part::NameIs);
    let name = level.property("name")?;
    let found = match &name {
        Some(name) if named.is_none() => {
            let found = text.find("name", name, reading);
            reading.or_report(found)?.is_some()
        }
        _ => named.is_some(),
    };
    if !found {
        return Err(unsaid(level.path(), "it does not say where the name of the tool stands"));
    }
    if let Some(id) = items.property("id")? {
        let found = text.find("id", &id, reading);
        if reading.or_report(found)?.is_none() {
            reading.report(id.path(), "an id that stands nowhere");
        }
    }
    let Some(arguments) = level.property("arguments")? else {
        return Err(unsaid(level.path(), "it does not say where the arguments stand"));
    };
    let part = parameters(&arguments, reading)?;
    if text.divided || arguments.text("x-regex")?.is_some() {
        text.find("arguments", &arguments, reading)?;
    } else {
        text.rest("arguments");
    }
    text.around("arguments", named, part, &arguments, reading)
}

/// How the text of the arguments is read.
fn parameters(level: &Level<'_>, reading: &mut Reading<'_>) -> Read<Part> {
    reading.check(level, &["x-regex", "x-regex-key-value", "x-parser", "x-parser-args"]);
    if let Some(tag) = level.text("x-regex-key-value")? {
        if let Some(values) = level.level("additionalProperties").ok().flatten() {
            reading.check(&values, &["x-parser", "x-parser-args"]);
            if let Some(parser) = values.text("x-parser")? {
                reading.report(values.at("x-parser"), payload::typed_by_schema(parser));
            }
        }
        let part = payload::parameter(tag, false);
        return part.map_err(|what| unsaid(level.at("x-regex-key-value"), what));
    }
    if level.text("x-parser")? == Some("gemma4-tool-call") {
        return Ok(Part::Args(Args::Gemma(GEMMA.into())));
    }
    match query(level, reading)? {
        Some(Query::At(keys)) if keys.is_empty() => Ok(Part::Args(Args::Json)),
        Some(_) => {
            let what = "arguments that are not all of the JSON after a name";
            Err(unsaid(level.at("x-parser-args"), what))
        }
        None => Err(unsaid(level.path(), "it does not say how its text is read")),
    }
}

/// A text that is looked into, and what stands around it.
struct Text {
    place: Place,
    /// Its groups are texts of their own, under their names.
    divided: bool,
}

impl Text {
    fn any() -> Self {
        let place = Place { inner: vec![text::gap(0)], ..Place::default() };
        Self { place, divided: false }
    }

    /// Goes on with what the expression of a level takes, if it has one.
    fn narrow(&mut self, level: &Level<'_>, reading: &mut Reading<'_>) -> Read<()> {
        match reading.read_one(level, "x-regex")? {
            Some(own) => reading.accept(self.take(&own)),
            None => Ok(()),
        }
    }

    /// Goes on with what an expression takes.
    fn take(&mut self, way: &[Node]) -> Result<(), Refusal> {
        self.divided = !text::names(way).is_empty();
        let own = if self.divided { way.to_vec() } else { text::named(way, CURRENT)? };
        self.place.inner = text::merge(&self.place.inner, &own)?;
        if !self.divided {
            self.enter(CURRENT);
        }
        Ok(())
    }

    /// Goes on with the text of a group; false if there is none.
    fn enter(&mut self, name: &str) -> bool {
        let Place { before, inner, after } = &mut self.place;
        *inner = without_gaps(inner).to_vec();
        let Some((at, content)) = group(inner, name) else { return false };
        let mut rest = inner.split_off(at);
        rest.remove(0);
        rest.append(after);
        before.append(inner);
        (*inner, *after) = (content, rest);
        self.divided = false;
        true
    }

    /// Puts a group where a property says that its text stands.
    fn find(&mut self, name: &str, level: &Level<'_>, reading: &mut Reading<'_>) -> Read<()> {
        let inner = &mut self.place.inner;
        let given = group(inner, name).filter(|_| self.divided);
        let Some(own) = reading.read_one(level, "x-regex")? else {
            return given.map(drop).ok_or_else(|| unsaid(level.path(), "no group has its name"));
        };
        let outer = given.as_ref().map_or(&*inner, |(_, content)| content);
        let merged = text::named(&own, name).and_then(|own| text::merge(outer, &own));
        let merged = reading.accept(merged)?;
        match given {
            Some((at, _)) => _ = inner.splice(at..=at, merged),
            None => *inner = merged,
        }
        Ok(())
    }

    /// Puts a group in the place of the last gap after what has been found.
    fn rest(&mut self, name: &str) {
        let inner = &mut self.place.inner;
        let found = inner.iter().rposition(text::captures).map_or(0, |at| at + 1);
        let last = inner.iter().rposition(text::is_gap).filter(|at| *at >= found);
        let rest = text::group(name, vec![text::gap(0)]);
        match last.and_then(|at| inner.get_mut(at)) {
            Some(gap) => *gap = rest,
            None => inner.push(rest),
        }
    }

    /// Adds what stands around all calls of a turn.
    fn wrap(&self, level: &Level<'_>, reading: &mut Reading<'_>) {
        let open = one_of(reading.side(without_gaps(&self.place.before)).ways);
        let close = reading.side(without_gaps(&self.place.after)).parts();
        let pattern = Pattern::new([open, vec![Part::Calls], close].concat());
        reading.draft.add(Role::Wrap, level.path().into(), &pattern);
    }

    /// Adds the call whose payload is a group of the text.
    fn around(
        self,
        payload: &str,
        named: Option<Part>,
        part: Part,
        level: &Level<'_>,
        reading: &mut Reading<'_>,
    ) -> Read<()> {
        let Place { before, inner, after } = self.place;
        let inner = match payload {
            CURRENT => vec![text::group(CURRENT, inner)],
            _ => without_gaps(&inner).to_vec(),
        };
        let whole = [before, inner, after].concat();
        let Some((at, _)) = group(&whole, payload) else {
            return Err(unsaid(level.path(), "a payload inside a repetition or alternatives"));
        };
        let (open, close) = whole.split_at(at);
        let open: Sequence =
            without_gaps(open).iter().filter(|n| !text::is_empty(n)).cloned().collect();
        let close = without_gaps(close.get(1..).unwrap_or_default());
        let hole = |name: &str| match name {
            "name" => Hole::Name,
            "id" => Hole::Id,
            _ => Hole::Unused,
        };
        let mut open = reading.accept(lower::parts(&open, &hole))?;
        open.extend(named);
        let call = Call { open, payload: part, closes: &reading.side(close) };
        call.add(false, level.path(), level.path(), reading.draft);
        Ok(())
    }
}

/// A group of that name in a sequence, and its content.
fn group(sequence: &[Node], of: &str) -> Option<(usize, Sequence)> {
    sequence.iter().enumerate().find_map(|(at, node)| match &node.what {
        What::Group { name: Some(name), ways, .. } if name == of => {
            Some((at, text::one(node, ways)))
        }
        _ => None,
    })
}

/// A sequence without gaps at its edges: a search leaves them.
fn without_gaps(sequence: &[Node]) -> &[Node] {
    text::trimmed(sequence, text::is_gap)
}
