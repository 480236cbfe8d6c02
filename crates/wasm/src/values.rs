//! JSON alone: repaired, partial, and made to fit a schema.

use toolweir::rjson::{
    ArrayWriter, Error, Mode, ObjectWriter, Options, PartialValue, Value, parse, parse_with,
    to_string,
};
use toolweir::schema_coerce::{Policy, Schema, SchemaLimits};

use crate::answer::{Mistake, mistake, note};
use crate::ask::{Ask, snake};
use crate::core::{Core, Held};

/// A value that is still coming.
pub(crate) struct Growing {
    partial: PartialValue,
    /// Told of already.
    told: usize,
}

/// Reads a damaged JSON text.
pub(crate) fn repair(ask: &Ask, text: &str) -> Result<String, Mistake> {
    let mut options = options(ask)?;
    if let Some(schema) = ask.get("schema") {
        options.expect = Some(compiled(schema)?.expect());
    }
    let parsed = parse_with(text, &options).map_err(|error| unreadable(&error, text))?;
    let json = to_string(&parsed.value);
    let head = ObjectWriter::new().list("diagnostics", parsed.diagnostics.iter().map(note));
    Ok(with_value(head, &json))
}

/// Makes a value fit a schema.
pub(crate) fn coerce(ask: &Ask) -> Result<String, Mistake> {
    let schema = ask.get("schema").ok_or_else(|| mistake("there is no schema"))?;
    let schema = compiled(schema)?;
    let mut policy = Policy::default();
    for (key, value) in ask.members("options") {
        let set = value.as_str().is_some_and(|value| policy.set(&snake(key), value));
        if !set {
            let what = format!("`{key}` is no setting, or does not take that value");
            return Err(mistake(format!("{what}; there are {}", Policy::SETTINGS)));
        }
    }
    // As text: JSON.stringify has written it, and what it leaves out is not there.
    let value = parse(ask.needed("value")?, Mode::Strict);
    let value = value.map_err(|error| mistake(error.to_string()))?.value;
    let coerced = schema.coerce(value, &policy).map_err(|error| {
        mistake(error.to_string())
            .with("code", error.kind.as_str())
            .with("instancePath", &error.instance_path)
            .with("schemaPath", &error.schema_path)
    })?;
    let changes = coerced.changes.iter().map(|change| {
        ObjectWriter::new()
            .text("path", &change.path)
            .text("rule", change.rule.as_str())
            .text("loss", change.loss.name())
            .end()
    });
    let json = to_string(&coerced.value);
    Ok(with_value(ObjectWriter::new().list("changes", changes), &json))
}

/// A value after what is said of it, on a line of its own.
fn with_value(head: ObjectWriter, json: &str) -> String {
    let mut answer = head.end();
    answer.push('\n');
    answer.push_str(json);
    answer
}

pub(crate) fn begin(core: &mut Core, ask: &Ask) -> Result<String, Mistake> {
    let growing = Growing { partial: PartialValue::new(&options(ask)?), told: 0 };
    let number = core.objects().add(Held::Growing(Box::new(growing)));
    Ok(number.to_string())
}

pub(crate) fn push(core: &mut Core, object: u32, chunk: &str) -> Result<String, Mistake> {
    let growing = growing(core, object)?;
    let pushed = growing.partial.push(chunk);
    pushed.map_err(|error| mistake(error.to_string()).at(error.offset))?;
    Ok(growing.state())
}

pub(crate) fn finish(core: &mut Core, object: u32) -> Result<String, Mistake> {
    let growing = growing(core, object)?;
    let finished = growing.partial.finish();
    finished.map_err(|error| mistake(error.to_string()).at(error.offset))?;
    Ok(growing.state())
}

/// The value so far; nothing where none has begun.
pub(crate) fn value(core: &mut Core, object: u32) -> Result<String, Mistake> {
    let growing = growing(core, object)?;
    Ok(match growing.partial.roots() {
        [] => String::new(),
        [one] => to_string(one),
        // Several values in a row: one array, as the whole text gives it.
        several => ArrayWriter::joined(several.iter().map(to_string)),
    })
}

impl Growing {
    /// Whether the value is complete, and what was not told yet.
    fn state(&mut self) -> String {
        let all = self.partial.diagnostics();
        let new = all.get(self.told..).unwrap_or_default().iter().map(note);
        let state =
            ObjectWriter::new().flag("done", self.partial.is_done()).list("diagnostics", new);
        self.told = all.len();
        state.end()
    }
}

fn growing(core: &mut Core, object: u32) -> Result<&mut Growing, Mistake> {
    match core.objects().get(object)? {
        Held::Growing(growing) => Ok(growing),
        _ => Err(mistake("this object is no partial value")),
    }
}

fn options(ask: &Ask) -> Result<Options, Mistake> {
    let mode = match ask.text("mode") {
        Some("strict") => Mode::Strict,
        Some("relaxed") => Mode::Relaxed,
        None | Some("repair") => Mode::Repair,
        Some(other) => {
            let what = format!("JSON is read strict, relaxed or repair, not `{other}`");
            return Err(mistake(what));
        }
    };
    let options = Options::new(mode);
    // Arguments, which the limits of their request have passed.
    Ok(if ask.flag("unlimited") {
        options.with_max_depth(usize::MAX).with_max_held_bytes(usize::MAX).with_max_keys(usize::MAX)
    } else {
        options
    })
}

fn compiled(schema: &Value) -> Result<Schema, Mistake> {
    let compiled = Schema::compile(schema, &SchemaLimits::default());
    compiled.map(|compiled| compiled.schema).map_err(|error| mistake(error.to_string()))
}

fn unreadable(error: &Error, text: &str) -> Mistake {
    let (line, column) = error.line_column(text);
    mistake(format!("{} at line {line} column {column}", error.kind)).at(error.offset)
}
