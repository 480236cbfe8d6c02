//! The property `tool_calls` of a schema.

use super::super::calls::Call;
use super::super::field::Closes;
use super::super::level::Level;
use super::super::lower::Hole;
use super::super::payload;
use super::super::regex::{Node, Refusal, Sequence, What};
use super::super::transform::{Arguments, Shape, Source};
use super::super::{ResponseTemplateError as Error, Role};
use super::Reading;
use super::query::Query;
use super::text::{self, Place};
use crate::pattern::{Args, Part, Pattern, one_of};

/// What stands around the strings that `gemma4-tool-call` reads.
const GEMMA: &str = "<|\"|>";

/// The group whose text is looked into.
const CURRENT: &str = "content";

/// Adds the calls. `place`: where the expression of the whole answer has them.
pub(super) fn add<'v>(
    level: &Level<'v>,
    place: Option<Place>,
    reading: &mut Reading<'_, 'v>,
) -> Result<(), Error> {
    reading.check(level, &["x-regex", "x-regex-iterator", "x-parser", "x-parser-args"]);
    let mut around = match place {
        // Openers in the group itself are found again by the expression for one call.
        Some(place) if !text::has_text(&place.inner) && text::has_text(&place.before) => {
            Text::of(place)
        }
        _ => Text::any(),
    };
    if level.text("x-regex")?.is_some() && !around.narrow(level, reading)? {
        return Ok(());
    }
    let Some(items) = level.level("items")? else {
        reading.report(level.path(), "it does not say what an item is");
        return Ok(());
    };
    if level.text("x-regex-iterator")?.is_none() {
        return list(level, &items, around, reading);
    }
    let Some(ways) = reading.read(level, "x-regex-iterator")? else {
        return Ok(());
    };
    if text::has_text(&around.before) {
        around.wrap(level, reading);
    }
    for way in ways {
        let mut text = Text::any();
        if reading.accept(text.take(&way)).is_some() {
            item(&items, text, reading)?;
        }
    }
    Ok(())
}

/// Calls that a parser gives as a list.
fn list<'v>(
    level: &Level<'v>,
    items: &Level<'v>,
    around: Text,
    reading: &mut Reading<'_, 'v>,
) -> Result<(), Error> {
    let Some(query) = query(level, reading)? else {
        if level.text("x-parser")?.is_none() {
            reading.report(level.path(), "it does not say how its text is divided into calls");
        }
        return Ok(());
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
            reading.report(level.at("x-parser-args"), "a query that gives no list of calls");
            return Ok(());
        }
    };
    reading.check(items, &[]);
    json(items, &query, list, around, reading)
}

/// One call, in a text of its own.
fn item<'v>(items: &Level<'v>, mut text: Text, reading: &mut Reading<'_, 'v>) -> Result<(), Error> {
    let mut level = items.clone();
    loop {
        reading.check(&level, &["x-regex", "x-parser", "x-parser-args"]);
        if level.text("x-regex")?.is_some() && !text.narrow(&level, reading)? {
            return Ok(());
        }
        if level.text("x-parser")?.is_some() {
            return match query(&level, reading)? {
                Some(query) => json(&level, &query, false, text, reading),
                None => Ok(()),
            };
        }
        let Some(function) = level.property("function")? else { break };
        if text.divided && !text.enter("function") {
            reading.report(function.path(), "no group has its name");
            return Ok(());
        }
        level = function;
    }
    tagged(items, &level, text, reading)
}

/// What the JSON parser of a level gives; `None`: that is reported, or there is none.
fn query(level: &Level<'_>, reading: &mut Reading<'_, '_>) -> Result<Option<Query>, Error> {
    match level.text("x-parser")? {
        None => return Ok(None),
        Some("json") => {}
        Some(other) => {
            let what = format!("no reader takes `{}` here", other.escape_debug());
            reading.report(level.at("x-parser"), what);
            return Ok(None);
        }
    }
    let Some(args) = level.level("x-parser-args")? else { return Ok(Some(Query::At(Vec::new()))) };
    if args.value("allow_non_json").and_then(toolweir_rjson::Value::as_bool) == Some(true) {
        let what = "a payload that is no JSON is text there; here the call cannot be read";
        reading.report(args.at("allow_non_json"), what);
    }
    let Some(transform) = args.text("transform")? else { return Ok(Some(Query::At(Vec::new()))) };
    let query = Query::parse(transform);
    Ok(query.map_err(|what| reading.report(args.at("transform"), what)).ok())
}

/// A call that is JSON, or all of them.
fn json<'v>(
    level: &Level<'v>,
    query: &Query,
    list: bool,
    text: Text,
    reading: &mut Reading<'_, 'v>,
) -> Result<(), Error> {
    let function = level.property("function")?;
    let (inner, lead) = match &function {
        Some(function) => (function, &["function"][..]),
        None => (level, &[][..]),
    };
    if function.is_some() {
        reading.check(inner, &[]);
    }
    let member = |keys: &[&str], key: &str| query.member(&[keys, &[key]].concat());
    let refused = |what: &str| (inner.path().to_owned(), what.to_owned());
    let fixed = fixed(inner, "name")?;
    let name = match (fixed, member(lead, "name")) {
        (Some(name), _) | (None, Some(Query::Fixed(name))) => Ok(Source::Fixed(name)),
        (None, Some(Query::At(keys))) => Ok(Source::Payload(keys)),
        _ => Err(refused("it does not say where the name of the tool stands")),
    };
    let arguments = match member(lead, "arguments") {
        Some(_) | None if inner.property("arguments")?.is_none() => Ok(Arguments::None),
        Some(Query::At(keys)) => Ok(Arguments::Whole(keys)),
        _ => Err(refused("arguments that are not one value of the JSON")),
    };
    let id = match level.property("id")?.and_then(|_| member(&[], "id")) {
        Some(Query::At(keys)) => Some(Source::Payload(keys)),
        _ => None,
    };
    let part = name.and_then(|name| {
        let shape = Shape { name, arguments: arguments?, id };
        let part = payload::value(&shape, list, None);
        let named = match shape.name {
            Source::Fixed(name) => Some(Part::NameIs(name)),
            _ => None,
        };
        Ok((named, part.map_err(|what| (level.at("x-parser"), what))?))
    });
    match part {
        Ok((named, part)) => text.around(CURRENT, named, part, level, reading),
        Err((path, what)) => reading.report(path, what),
    }
    Ok(())
}

/// The text that a property always is.
fn fixed(level: &Level<'_>, name: &str) -> Result<Option<String>, Error> {
    let property = level.property(name)?;
    Ok(property.and_then(|property| Some(property.value("const")?.as_str()?.to_owned())))
}

/// A call whose name and arguments are texts of their own.
fn tagged<'v>(
    items: &Level<'v>,
    level: &Level<'v>,
    mut text: Text,
    reading: &mut Reading<'_, 'v>,
) -> Result<(), Error> {
    let named = fixed(level, "name")?.map(Part::NameIs);
    let name = level.property("name")?;
    let found = match &name {
        Some(name) if named.is_none() => text.find("name", name, reading)?,
        _ => named.is_some(),
    };
    if !found {
        reading.report(level.path(), "it does not say where the name of the tool stands");
        return Ok(());
    }
    if let Some(id) = items.property("id")?
        && !text.find("id", &id, reading)?
    {
        reading.report(id.path(), "an id that stands nowhere");
    }
    let Some(arguments) = level.property("arguments")? else {
        reading.report(level.path(), "it does not say where the arguments stand");
        return Ok(());
    };
    if let Some(part) = parameters(&arguments, reading)? {
        let divided = text.divided;
        if arguments.text("x-regex")?.is_some() || divided {
            if !text.find("arguments", &arguments, reading)? {
                return Ok(());
            }
        } else {
            text.rest("arguments");
        }
        text.around("arguments", named, part, &arguments, reading);
    }
    Ok(())
}

/// How the text of the arguments is read.
fn parameters<'v>(level: &Level<'v>, reading: &mut Reading<'_, 'v>) -> Result<Option<Part>, Error> {
    reading.check(level, &["x-regex", "x-regex-key-value", "x-parser", "x-parser-args"]);
    if let Some(tag) = level.text("x-regex-key-value")? {
        if let Some(values) = level.level("additionalProperties").ok().flatten() {
            reading.check(&values, &["x-parser", "x-parser-args"]);
            if let Some(parser) = values.text("x-parser")? {
                let what = format!(
                    "values are read as `{}` there; here the tool's schema types them, and without \
                     one they are text",
                    parser.escape_debug()
                );
                reading.report(values.at("x-parser"), what);
            }
        }
        let part = payload::parameter(tag, false);
        let path = level.at("x-regex-key-value");
        return Ok(part.map_err(|what| reading.report(path, what)).ok());
    }
    match level.text("x-parser")? {
        Some("gemma4-tool-call") => return Ok(Some(Part::Args(Args::Gemma(GEMMA.into())))),
        None => reading.report(level.path(), "it does not say how its text is read"),
        Some(_) => match query(level, reading)? {
            Some(Query::At(keys)) if keys.is_empty() => return Ok(Some(Part::Args(Args::Json))),
            Some(_) => {
                let what = "arguments that are not all of the JSON after a name";
                reading.report(level.at("x-parser-args"), what);
            }
            None => {}
        },
    }
    Ok(None)
}

/// A text that is looked into, and what stands around it.
struct Text {
    before: Sequence,
    inner: Sequence,
    after: Sequence,
    /// Its groups are texts of their own, under their names.
    divided: bool,
}

impl Text {
    fn any() -> Self {
        Self { before: Vec::new(), inner: vec![text::gap(0)], after: Vec::new(), divided: false }
    }

    fn of(place: Place) -> Self {
        Self { before: place.before, inner: place.inner, after: place.after, divided: false }
    }

    /// Goes on with what the expression of a level takes; false where that is reported.
    fn narrow<'v>(
        &mut self,
        level: &Level<'v>,
        reading: &mut Reading<'_, 'v>,
    ) -> Result<bool, Error> {
        let own = reading.read_one(level, "x-regex")?;
        Ok(own.is_some_and(|own| reading.accept(self.take(&own)).is_some()))
    }

    /// Goes on with what an expression takes.
    fn take(&mut self, way: &[Node]) -> Result<(), Refusal> {
        self.divided = !text::names(way).is_empty();
        let own = if self.divided { way.to_vec() } else { text::named(way, CURRENT)? };
        self.inner = text::merge(&self.inner, &own)?;
        if !self.divided {
            self.enter(CURRENT);
        }
        Ok(())
    }

    /// Goes on with the text of a group; false if there is none.
    fn enter(&mut self, name: &str) -> bool {
        self.inner = without_gaps(&self.inner).to_vec();
        let Some((at, content)) = group(&self.inner, name) else { return false };
        let mut after = self.inner.split_off(at);
        after.remove(0);
        after.append(&mut self.after);
        self.before.append(&mut self.inner);
        (self.inner, self.after) = (content, after);
        self.divided = false;
        true
    }

    /// Puts a group where a property says that its text stands; false where that is reported, or where no
    /// group has its name.
    fn find<'v>(
        &mut self,
        name: &str,
        level: &Level<'v>,
        reading: &mut Reading<'_, 'v>,
    ) -> Result<bool, Error> {
        let given = group(&self.inner, name).filter(|_| self.divided);
        if level.text("x-regex")?.is_none() {
            if given.is_none() {
                reading.report(level.path(), "no group has its name");
            }
            return Ok(given.is_some());
        }
        let own = reading.read_one(level, "x-regex")?;
        let Some(own) = own else { return Ok(false) };
        let merged = text::named(&own, name).and_then(|own| match &given {
            Some((_, content)) => text::merge(content, &own),
            None => text::merge(&self.inner, &own),
        });
        let Some(merged) = reading.accept(merged) else { return Ok(false) };
        match given {
            Some((at, _)) => _ = self.inner.splice(at..=at, merged),
            None => self.inner = merged,
        }
        Ok(true)
    }

    /// Puts a group in the place of the last gap after what has been found.
    fn rest(&mut self, name: &str) {
        let found = self.inner.iter().rposition(text::captures).map_or(0, |at| at + 1);
        let last = self.inner.iter().rposition(text::is_gap).filter(|at| *at >= found);
        let rest = text::group(name, vec![text::gap(0)]);
        match last.and_then(|at| self.inner.get_mut(at)) {
            Some(gap) => *gap = rest,
            None => self.inner.push(rest),
        }
    }

    /// Adds what stands around all calls of a turn.
    fn wrap<'v>(&self, level: &Level<'v>, reading: &mut Reading<'_, 'v>) {
        let (opens, _) = reading.side(without_gaps(&self.before));
        let (ways, optional) = reading.side(without_gaps(&self.after));
        let close = Closes { ways, optional }.parts();
        let pattern = Pattern::new([one_of(opens), vec![Part::Calls], close].concat());
        reading.draft.add(Role::Wrap, level.path().into(), &pattern);
    }

    /// Adds the call whose payload is a group of the text.
    fn around<'v>(
        self,
        payload: &str,
        named: Option<Part>,
        part: Part,
        level: &Level<'v>,
        reading: &mut Reading<'_, 'v>,
    ) {
        let Self { mut before, mut inner, after, .. } = self;
        inner = match payload {
            CURRENT => vec![text::group(CURRENT, inner)],
            _ => without_gaps(&inner).to_vec(),
        };
        before.extend(inner);
        before.extend(after);
        let Some((at, _)) = group(&before, payload) else {
            reading.report(level.path(), "a payload inside a repetition or alternatives");
            return;
        };
        let (open, close) = before.split_at(at);
        let open: Sequence =
            without_gaps(open).iter().filter(|n| !text::is_empty(n)).cloned().collect();
        let close = without_gaps(close.get(1..).unwrap_or_default()).to_vec();
        let hole = |name: &str| match name {
            "name" => Hole::Name,
            "id" => Hole::Id,
            _ => Hole::Unused,
        };
        let Some(mut open) = reading.lower(&open, &hole) else { return };
        open.extend(named);
        let (ways, optional) = reading.side(&close);
        let closes = Closes { ways, optional };
        let call = Call { open, payload: vec![part], closes: &closes };
        let path = level.path().to_owned();
        call.add(false, &path, &path, reading.draft);
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
