//! Which calls a block makes.

use toolweir_rjson::{Mode, Object, Value, parse, to_string};

use super::body::Body;
use super::elements::Elements;
use super::json::Entry;
use super::segment::Block;
use crate::diagnostics::{
    AMBIGUOUS_CALL, EMPTY_CONTENT, IGNORED_MEMBER, LIMIT_CALLS, MISSING_FACT, NO_NAME, NO_OBJECT,
    REPEATED_PARAMETER, UNKNOWN_TOOL, UNREADABLE_CALL,
};
use crate::engine::{Call, Ctx, Fault, Result, shown, undeclared};
use crate::readers::{ArgsWriter, declares};

/// Members that name the tool of a sentinel, the first one counts.
pub(super) const NAMES: [&str; 3] = ["tool_name", "name", "tool"];

/// A call of arguments that are known whole.
fn call_of(name: &str, json: &str, ctx: &mut Ctx<'_>) -> Result<Call> {
    let span = ctx.segment_span();
    let call = Call {
        arguments: Some(String::with_capacity(json.len())),
        ..named_call(name, ctx.request.tools.knows(name), ctx)
    };
    let open = std::mem::replace(ctx.call, call);
    // A segment of several calls has no place for the strings of each.
    let field = std::mem::take(&mut ctx.out.emit.field);
    let mut writer = ArgsWriter::default();
    writer.begin(ctx.request.tools.schema(name), ctx);
    let written = writer.value(json, span, ctx);
    ctx.out.emit.field = field;
    let call = std::mem::replace(ctx.call, open);
    written.map(|()| call)
}

fn named_call(name: &str, known: bool, ctx: &Ctx<'_>) -> Call {
    Call { name: Some(name.to_owned()), known, trusted: ctx.call.trusted, ..Call::default() }
}

impl Block {
    /// The calls that it makes, none where it is whole but nothing is to be run. `None`: it cannot be read,
    /// and that was said already.
    pub(super) fn calls(&mut self, ctx: &mut Ctx<'_>) -> Result<Option<Vec<Call>>> {
        if self.segment.class().is_some() {
            return Ok(Some(self.class_call(ctx).into_iter().collect()));
        }
        let call = match &mut self.body {
            Body::Elements(elements) => element_call(&self.tool, elements, ctx)?,
            Body::Kept(_, body, arguments) => body_call(&self.tool, body, arguments.take(), ctx)?,
            Body::Json(call) => {
                let (entries, many) = call.entries();
                let none = entries.is_empty();
                let calls = entry_calls(entries, many, ctx);
                return Ok((none || !calls.is_empty()).then_some(calls));
            }
            _ => return Ok(None),
        };
        Ok(Some(vec![call]))
    }

    /// The call of a content class, unless it lacks what it needs.
    fn class_call(&self, ctx: &mut Ctx<'_>) -> Option<Call> {
        if let Some(key) = self.segment.missing() {
            let message = format!("the segment lacks `{key}`, which its call needs");
            ctx.note(MISSING_FACT, ctx.segment_span(), &message);
            return None;
        }
        let empty = self.segment.class().is_some_and(|class| class.empty);
        if !self.segment.filled && !empty {
            let message = "the segment has no content, so nothing is run";
            ctx.note(EMPTY_CONTENT, ctx.segment_span(), message);
            return None;
        }
        Some(named_call(&self.tool, self.known, ctx))
    }
}

fn element_call(tool: &str, elements: &mut Elements, ctx: &mut Ctx<'_>) -> Result<Call> {
    if let Some(body) = elements.json() {
        return body_call(tool, body, None, ctx);
    }
    let schema = ctx.request.tools.schema(tool).map(|schema| schema.root());
    let (arguments, twice) = elements.arguments(schema);
    for key in twice {
        let message = format!("the argument `{}` is given twice", shown(&key));
        ctx.note(REPEATED_PARAMETER, ctx.segment_span(), &message);
    }
    call_of(tool, &to_string(&Value::Object(arguments)), ctx)
}

/// A generic call whose arguments stand in a header, or whose body is JSON.
fn body_call(tool: &str, body: &str, header: Option<Object>, ctx: &mut Ctx<'_>) -> Result<Call> {
    let mut body = match (&header, body.trim()) {
        (Some(_), body) if tool.is_empty() => object_of(body).unwrap_or_default(),
        (Some(_), _) | (None, "") => Object::new(),
        (None, body) => object_of(body).ok_or_else(|| {
            Fault::new(UNREADABLE_CALL, "the body of the segment is no JSON object")
        })?,
    };
    let mut name = tool.to_owned();
    if name.is_empty() {
        name = written_name(&body).unwrap_or_default();
        usable_name(&name, ctx)?;
    }
    let arguments = match (header, body.remove("arguments")) {
        (Some(arguments), _) | (None, Some(Value::Object(arguments))) => arguments,
        (None, Some(Value::String(text))) => object_of(&text).unwrap_or_default(),
        (None, Some(_)) => Object::new(),
        (None, None) => body,
    };
    call_of(&name, &to_string(&Value::Object(arguments)), ctx)
}

/// Whether a name that the content gave may be called.
fn usable_name(name: &str, ctx: &Ctx<'_>) -> Result {
    if name.is_empty() {
        return Err(Fault::new(NO_NAME, "the segment does not name its tool"));
    }
    ctx.admit(name).map(drop)
}

/// Every entry of a JSON call for itself: a bad one loses only itself.
fn entry_calls(entries: Vec<Entry>, mut many: bool, ctx: &mut Ctx<'_>) -> Vec<Call> {
    let span = ctx.segment_span();
    let mut calls = Vec::new();
    for entry in entries {
        if ctx.out.invocations as usize + calls.len() >= ctx.request.limits.max_calls {
            many = true;
            break;
        }
        let name = entry.name.clone().unwrap_or_default();
        let call = usable_name(&name, ctx)
            .and_then(|()| own_members(&entry, &name, ctx))
            .and_then(|()| call_of(&name, &entry.arguments, ctx));
        match call {
            Ok(call) => {
                if !entry.strays.is_empty() {
                    let message = format!(
                        "members that mean nothing: `{}`",
                        shown(&entry.strays.join("`, `"))
                    );
                    ctx.note(IGNORED_MEMBER, span, &message);
                }
                if entry.replaced {
                    ctx.note(NO_OBJECT, span, "the arguments are no object; `{}` is used");
                }
                if !call.known {
                    ctx.note(UNKNOWN_TOOL, span, &undeclared(&name));
                }
                calls.push(call);
            }
            Err(fault) => ctx.note(fault.code, span, &fault.message),
        }
    }
    if many {
        let message = "the list has more calls than the limit; further ones are not run";
        ctx.note(LIMIT_CALLS, span, message);
    }
    calls
}

/// Whether no member of a call object that is none of its own may be an argument (policy 31).
fn own_members(entry: &Entry, tool: &str, ctx: &Ctx<'_>) -> Result {
    let schema = ctx.request.tools.schema(tool).map(|schema| schema.root());
    let Some(root) = schema.filter(|_| ctx.refuses_guesses()) else { return Ok(()) };
    if let Some(key) = entry.strays.iter().find(|key| declares(root, key)) {
        let message = format!("a member names a parameter of the tool (`{}`)", shown(key));
        return Err(Fault::new(AMBIGUOUS_CALL, message));
    }
    if entry.misplaced && root.property_names().next().is_some() {
        let message = "the arguments may stand under another key";
        return Err(Fault::new(AMBIGUOUS_CALL, message));
    }
    Ok(())
}

/// The name of a call in the body of a sentinel.
fn written_name(body: &Object) -> Option<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let function = body.get("function");
    let named = function.and_then(|f| f.get("name")).and_then(text);
    NAMES
        .iter()
        .find_map(|key| body.get(key).and_then(text))
        .or(named)
        .or_else(|| function.and_then(text))
}

/// The object that a text holds.
pub(super) fn object_of(text: &str) -> Option<Object> {
    match parse(text, Mode::Relaxed).ok()?.value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}
