//! A body that is no YAML but elements `<key>value</key>`, keys declared, each on lines of its own.
//!
//! A value on one line is trimmed; one of several lines loses the line break at each end, as its
//! whitespace may be a program's. A closing tag may be missing after a value of one line.

use toolweir_rjson::{Mode, Value, parse as parse_json};
use toolweir_rxml::{Options, parse};
use toolweir_schema_coerce::{Member, Schema, SchemaLimits};

use super::{Scope, node_text};
use crate::engine::{Result, is_whitespace};
use crate::readers::collected::Collected;
use crate::readers::taken;

/// The schema of one element that holds text.
const TEXT: &str = r#"{"type": "object", "properties": {"v": {"type": "string"}}}"#;

/// None: the body is no such one.
pub(super) fn read(body: &str, Scope { schema, ctx }: Scope<'_, '_>) -> Option<Result<String>> {
    let (mut members, mut repeated) = (Collected::default(), false);
    let mut rest = body.trim_matches(is_whitespace);
    while !rest.is_empty() {
        let (key, after) = rest.strip_prefix('<')?.split_once('>')?;
        if let Err(fault) = ctx.check_key(key) {
            return Some(Err(fault));
        }
        let Member::Declared(node) = schema.root().member(key) else { return None };
        let (value, after) = value(key, after)?;
        let next = after.trim_start_matches(is_whitespace);
        let gap = taken(after, next);
        if !next.is_empty() && !gap.contains('\n') {
            return None;
        }
        rest = next;
        let text = decoded(value);
        let entry = node.is_array() && !text.starts_with('[');
        let json = match node.items() {
            Some(item) if entry => node_text(&text, item),
            None if entry => Value::from(text.as_str()).to_string(),
            _ => node_text(&text, node),
        };
        // Two values for what is no list.
        repeated |= !node.is_array() && members.contains(key);
        members.push(key, json);
    }
    (!repeated).then(|| Ok(members.object(Some(schema.root()))))
}

/// The value of the element whose opening tag was read, and what stands after the element.
fn value<'a>(key: &str, text: &'a str) -> Option<(&'a str, &'a str)> {
    for (at, _) in text.match_indices(key) {
        let (value, after) = text.split_at_checked(at)?;
        let Some(after) = after.strip_prefix(key).and_then(|b| b.strip_prefix('>')) else {
            continue;
        };
        if let Some(value) = value.strip_suffix("</") {
            return Some((value, after));
        }
        if value.ends_with('<') {
            // Another of its name: the first has no closing tag, unless that stands on its line.
            break;
        }
    }
    let (line, after) = text.split_at_checked(text.find('\n').unwrap_or(text.len()))?;
    (!line.contains(format!("</{key}>").as_str())).then_some((line, after))
}

/// The value without what only lays it out, entities decoded.
fn decoded(value: &str) -> String {
    let trimmed = value.trim_matches(is_whitespace);
    let own = if trimmed.contains('\n') {
        let value = value.trim_end_matches([' ', '\t']);
        let value = value.strip_suffix('\n').map_or(value, |v| v.strip_suffix('\r').unwrap_or(v));
        value.strip_prefix("\r\n").or_else(|| value.strip_prefix('\n')).unwrap_or(value)
    } else {
        trimmed
    };
    // Raw text by rxml's rules, markup in it included.
    let element = format!("<v>{own}</v>");
    let read = parse_json(TEXT, Mode::Strict).ok().and_then(|schema| {
        let schema = Schema::compile(&schema.value, &SchemaLimits::default()).ok()?.schema;
        parse(&element, &schema, &Options::default()).ok()
    });
    let text = read.as_ref().and_then(|parsed| parsed.value.get("v")).and_then(Value::as_str);
    text.filter(|_| !own.contains("</v")).unwrap_or(own).to_owned()
}
