//! What stands between the opener and the end marker of a call, as a part of its pattern.

use toolweir_rjson::{Value, write_string};

use super::field::Field;
use super::lower::{self, Hole};
use super::regex::{self, What};
use super::transform::{Arguments, Shape, Source};
use super::{Read, Report, unsaid};
use crate::pattern::{Args, Part, Pattern, Template, ValueKind};

/// The payload of a call. `list`: it holds all calls of the turn.
pub(super) fn read(
    field: &Field<'_>,
    shape: &Shape,
    list: bool,
    report: &mut Report,
) -> Read<Part> {
    match field.text("content")?.unwrap_or("text") {
        "json" => json(field, shape, list, report),
        "xml-inline" if !list => params(field, shape, report),
        "text" if !list => text(field, shape, report),
        other => {
            let what = format!("no reader takes `{}` here", other.escape_debug());
            Err(unsaid(field.at("content"), what))
        }
    }
}

/// Whether the opener says the name, and the payload is all arguments.
fn is_arguments(shape: &Shape) -> bool {
    !matches!(shape.name, Source::Payload(_)) && shape.arguments == Arguments::Whole(Vec::new())
}

fn json(field: &Field<'_>, shape: &Shape, list: bool, report: &mut Report) -> Read<Part> {
    let delimiters = field.at("content_args.string_delims");
    let delimiter = delimiter(field).map_err(|what| unsaid(&*delimiters, what))?;
    if field.arg("allow_non_json").and_then(Value::as_bool) == Some(true) {
        let what = "a payload that is no JSON is text there; here the call cannot be read";
        report.add(field.at("content_args.allow_non_json"), what);
    }
    if delimiter.is_some() && (list || !is_arguments(shape)) {
        let what = "strings between delimiters are read in arguments alone, after the name";
        return Err(unsaid(delimiters, what));
    }
    value(shape, list, delimiter).map_err(|what| unsaid(field.at("transform"), what))
}

/// The arguments of a named call, or the value that names itself. `delimiter`: what stands around strings
/// in place of quotes.
pub(super) fn value(shape: &Shape, list: bool, delimiter: Option<String>) -> Result<Part, String> {
    if is_arguments(shape) && !list {
        return Ok(Part::Args(delimiter.map_or(Args::Json, Args::Gemma)));
    }
    object(shape, list)
}

/// What stands around strings in place of quotes.
fn delimiter(field: &Field<'_>) -> Result<Option<String>, String> {
    let pairs =
        field.arg("string_delims").and_then(Value::as_array).into_iter().flatten().map(|pair| {
            let mut texts = pair.as_array().into_iter().flatten().map(Value::as_str);
            Some((texts.next()??, texts.next()??))
        });
    let Some(pairs): Option<Vec<(&str, &str)>> = pairs.collect() else {
        return Err("they are no pairs of strings".to_owned());
    };
    // Quotes are read anyway.
    let quotes = |pair: &(&str, &str)| matches!(pair, ("\"", "\"") | ("'", "'"));
    let others: Vec<_> = pairs.into_iter().filter(|pair| !quotes(pair)).collect();
    match others.as_slice() {
        [] => Ok(None),
        [(open, close)] if open == close && !open.is_empty() => Ok(Some((*open).to_owned())),
        [_] => Err("strings that open and close in two ways".to_owned()),
        _ => Err("more than one kind of string".to_owned()),
    }
}

/// The object that names a call, or holds its arguments.
fn object(shape: &Shape, list: bool) -> Result<Part, String> {
    let none: &[String] = &[];
    let name = match &shape.name {
        Source::Payload(keys) if keys.is_empty() => return Err("the name is the payload".into()),
        Source::Payload(keys) => keys.as_slice(),
        _ if list => return Err("calls of a list that do not hold their names".into()),
        _ => none,
    };
    let arguments = match &shape.arguments {
        Arguments::Whole(keys) if keys.is_empty() => {
            return Err("the payload is the arguments and holds the name".into());
        }
        Arguments::Whole(keys) => keys.as_slice(),
        Arguments::Only(_) => return Err("JSON as one argument".into()),
        Arguments::None if name.is_empty() => return Err("a payload that is left out".into()),
        Arguments::None => none,
    };
    let id = match &shape.id {
        Some(Source::Payload(keys)) => keys.as_slice(),
        _ => none,
    };
    if (name, arguments, id) == (&["name".to_owned()], &["arguments".to_owned()], none) {
        return Ok(Part::Call(if list { Template::calls() } else { Template::call() }));
    }
    let holes = [(id, "id"), (name, "name"), (arguments, "args")];
    let holes: Vec<_> = holes.into_iter().filter(|(keys, _)| !keys.is_empty()).collect();
    let mut source = String::new();
    if !write(&holes, &mut source) {
        return Err("two members of a call in one place".into());
    }
    let source = if list { format!("[{source}]") } else { source };
    Template::parse(&source).map(Part::Call).map_err(|error| error.to_string())
}

/// The object that has these holes, one at least, at their keys; false where two are in one place.
fn write(holes: &[(&[String], &str)], out: &mut String) -> bool {
    let mut keys: Vec<&String> = Vec::new();
    for (path, _) in holes {
        let Some(key) = path.first() else { return false };
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    for (index, key) in keys.into_iter().enumerate() {
        out.push_str(if index == 0 { "{" } else { ", " });
        write_string(out, key);
        out.push_str(": ");
        let inner = holes.iter().filter(|(path, _)| path.first() == Some(key));
        let inner: Vec<_> =
            inner.map(|(path, hole)| (path.get(1..).unwrap_or_default(), *hole)).collect();
        match inner.as_slice() {
            [([], hole)] => out.push_str(hole),
            inner if write(inner, out) => {}
            _ => return false,
        }
    }
    out.push('}');
    true
}

/// `{args:PATTERN}`: one tag a parameter.
fn params(field: &Field<'_>, shape: &Shape, report: &mut Report) -> Read<Part> {
    let path = field.at("content_args.tag_pattern");
    if !is_arguments(shape) {
        let what = "tags that are not all arguments of a named call";
        return Err(unsaid(field.at("transform"), what));
    }
    let tag = field.arg("tag_pattern").and_then(Value::as_str);
    let tag = tag.ok_or_else(|| unsaid(&*path, "it is missing"))?;
    parameter(tag, values(field, report)).map_err(|what| unsaid(path, what))
}

/// `{args:PATTERN}` from the expression of one parameter, with the groups `key` and `value`.
pub(super) fn parameter(tag: &str, stripped: bool) -> Result<Part, String> {
    let hole = |group: &str| match group {
        "key" => Hole::Key,
        "value" => Hole::Value,
        _ => Hole::Unused,
    };
    let lowered = regex::parse(tag).and_then(|ways| match ways.as_slice() {
        [way] => lower::parts(&without_next(way), &hole),
        _ => Err(regex::Refusal::new(0, "several kinds of tags")),
    });
    let parts = lowered.map_err(|refusal| refusal.about(tag))?;
    if meets_skip(&parts) {
        return Err(MEETS_SKIP.into());
    }
    let pattern = Pattern::new(trimmed(parts, stripped));
    Ok(Part::Args(Args::Pattern(Box::new(pattern))))
}

/// A parameter whose closing tag the next one may stand in for: that reads every pattern so.
fn without_next(way: &[regex::Node]) -> regex::Sequence {
    let mut way = way.to_vec();
    if let Some(regex::Node { what: What::Group { name: None, ways, .. }, .. }) = way.last_mut() {
        let shown = |way: &regex::Sequence| {
            !matches!(way.as_slice(), [regex::Node { what: What::Ahead(_), .. }])
        };
        if ways.iter().any(shown) {
            ways.retain(shown);
        }
    }
    way
}

/// Whether values lose the whitespace at their edges; reports how else they are read.
fn values(field: &Field<'_>, report: &mut Report) -> bool {
    if field.arg("merge_duplicates").and_then(Value::as_bool) == Some(true) {
        let what = "a repeated key is a list there; here the policy `duplicate_keys` decides";
        report.add(field.at("content_args.merge_duplicates"), what);
    }
    let Some(parser) = field.arg("value_parser").filter(|parser| !parser.is_null()) else {
        return false;
    };
    let strip = parser.get("args").and_then(|args| args.get("strip")).and_then(Value::as_bool);
    match parser.get("name").and_then(Value::as_str).unwrap_or("text") {
        "text" => return strip != Some(false),
        name => report.add(field.at("content_args.value_parser"), typed_by_schema(name)),
    }
    true
}

/// Of values that a parser reads there.
pub(super) fn typed_by_schema(parser: &str) -> String {
    format!(
        "values are read as `{}` there; here the tool's schema types them, and without one \
         they are text",
        parser.escape_debug()
    )
}

/// The parts of a parameter, its value without whitespace at its edges if the expression or the reader
/// of values drops that.
fn trimmed(mut parts: Vec<Part>, stripped: bool) -> Vec<Part> {
    let is_value = |part: &Part| *part == Part::Value(ValueKind::Verbatim);
    let Some(at) = parts.iter().position(is_value) else { return parts };
    let free = |at: Option<usize>| {
        at.and_then(|at| parts.get(at)).is_some_and(|part| matches!(part, Part::Space(_)))
    };
    let (before, after) = (free(at.checked_sub(1)), free(Some(at + 1)));
    if !(stripped || before && after) {
        return parts;
    }
    let kept = |index: usize| !(before && index + 1 == at || after && index == at + 1);
    let all = parts.drain(..).enumerate();
    let kept = all.filter(|(index, _)| kept(*index)).map(|(_, part)| part);
    let trim = |part| if is_value(&part) { Part::Value(ValueKind::Trim) } else { part };
    kept.map(trim).collect()
}

/// `{arg:KEY}`: the payload is one argument, as text.
fn text(field: &Field<'_>, shape: &Shape, report: &mut Report) -> Read<Part> {
    let refused = |what: &str| Err(unsaid(field.at("transform"), what));
    let Arguments::Only(key) = &shape.arguments else {
        return refused("text that is not one argument under its key");
    };
    if matches!(shape.name, Source::Payload(_)) {
        return refused("a name that stands in text");
    }
    if field.strips() {
        let what = "whitespace at the edges of an argument that is text stays";
        report.add(field.at("content_args.strip"), what);
    }
    Ok(Part::Arg { key: key.clone(), pattern: None })
}

pub(super) const MEETS_SKIP: &str =
    "free text directly after a name or a key: nothing shows where that ends";

/// Whether free text stands after a hole that ends where it begins.
pub(super) fn meets_skip(parts: &[Part]) -> bool {
    let solid = parts.iter().filter(|part| !matches!(part, Part::Space(_)));
    let solid: Vec<&Part> = solid.collect();
    solid.windows(2).any(|pair| {
        matches!(pair, [Part::Name | Part::Key | Part::Id(None) | Part::Index, Part::Skip])
    })
}
