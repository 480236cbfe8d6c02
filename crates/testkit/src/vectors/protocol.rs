//! Cases of kind `protocol`: wire formats and reasoning families.

use std::path::Path;
use std::sync::Arc;

use toolweir_protocols::{Family, FormatSpec, Protocol, Request, ToolSet, family, formats};
use toolweir_rjson::{Value, to_string};
use toolweir_segments::{StreamEnd, Turn, list_turn};

use super::vector::Vector;
use super::{Runner, TextCase, expect};
use crate::diff;
use crate::laws::run::{Input, decode};
use crate::split::Split;

/// `Err`: cannot be run. `Ok(Err)`: does not hold.
pub(super) fn run(runner: &Runner, vector: &Vector) -> Result<Result<(), String>, String> {
    let (protocol, request, end) = prepare(runner, vector)?;
    let judged = decode_everywhere(runner, &*protocol, &request, vector, end)
        .and_then(|turn| expect::compare(vector, &turn));
    Ok(judged)
}

/// What decodes a case. `Err`: it cannot be run.
pub(super) fn prepare(
    runner: &Runner,
    vector: &Vector,
) -> Result<(Arc<dyn Protocol>, Request, StreamEnd), String> {
    if let Some(why) = &vector.unsupported {
        return Err(why.clone());
    }
    let (name, reasoning) = choose(vector);
    let protocol = runner.registry.union(&name).map_err(|e| e.to_string())?;
    let (request, end) = request(runner, vector, reasoning)?;
    Ok((protocol, request, end))
}

/// The text of a case and what it is decoded with. `Err`: it cannot be run.
pub(super) fn text_case(
    runner: &Runner,
    file: &Path,
    line: usize,
    vector: Vector,
) -> Result<TextCase, String> {
    if let Some(why) = vector.unsupported {
        return Err(why);
    }
    let (format, reasoning) = choose(&vector);
    let (options, end) = settings(runner, &vector, reasoning)?;
    let Vector { id, tools, text, chunks, expect, .. } = vector;
    let calls = expect.as_ref().and_then(|expect| expect.get("calls")).and_then(Value::as_array);
    let calls = calls.map_or(0, |calls| calls.iter().count());
    let file = file.to_owned();
    Ok(TextCase { file, line, id, format, tools, options, end, text, chunks, calls })
}

/// The case's own chunks, if it has any.
pub(super) fn own_split(vector: &Vector) -> Option<Split> {
    let chunks = vector.chunks.iter().map(String::as_str);
    (!vector.chunks.is_empty()).then(|| Split::own(chunks))
}

/// The name of the protocol that decodes a case, and the option `reasoning` where the case says
/// which section it may hold.
fn choose(vector: &Vector) -> (String, Option<&'static str>) {
    let family = family(&vector.format)
        .filter(|_| vector.reasoning_file || formats::spec(&vector.format).is_none());
    if let Some(family) = family {
        // A format whose own grammar has the section reads what a family alone cannot.
        let splits = |spec: &FormatSpec| spec.always_split && spec.reasoning == family.name;
        if let Some(spec) = formats::specs().into_iter().find(splits) {
            return (spec.name, None);
        }
        return match tool_format(family, vector) {
            Some(name) => (name, Some(family.name)),
            // A format may have the name of a family.
            None if formats::spec(family.name).is_some() => {
                (format!("reasoning:{}", family.name), None)
            }
            None => (family.name.to_owned(), None),
        };
    }
    let wanted = vector.expect.as_ref().is_some_and(|e| e.get("reasoning").is_some())
        || vector.options.iter().any(|(key, _)| key == "start_state");
    (vector.format.clone(), if wanted { None } else { Some("none") })
}

/// The tool format that is active beside a reasoning family: `<tool_call>` opens two grammars, and
/// what follows it in the text says which.
fn tool_format(family: &Family<'_>, vector: &Vector) -> Option<String> {
    if vector.tools.is_empty() || family.tool_openers.is_empty() {
        return None;
    }
    if !family.tool_openers.contains(&"<tool_call>") || family.name.starts_with("glm") {
        let specs = formats::specs();
        let usual = specs.iter().find(|spec| spec.reasoning == family.name);
        return usual.map(|spec| spec.name.clone());
    }
    let tagged = family.tool_openers.iter().any(|opener| {
        vector.text.split(opener).skip(1).any(|rest| rest.trim_start().starts_with("<function"))
    });
    Some(String::from(if tagged { "qwen3-coder" } else { "hermes" }))
}

pub(super) fn request(
    runner: &Runner,
    vector: &Vector,
    reasoning: Option<&str>,
) -> Result<(Request, StreamEnd), String> {
    // One bad schema never loses the other tools.
    let (tools, _) = ToolSet::lenient(vector.tools.iter().cloned());
    let mut request = Request::new(tools);
    request.emit.markup = true;
    let (options, end) = settings(runner, vector, reasoning)?;
    for (key, value) in &options {
        request.set(key, value).map_err(|e| e.to_string())?;
    }
    Ok((request, end))
}

/// The options of a case in the order they are set, and how its stream ends.
fn settings(
    runner: &Runner,
    vector: &Vector,
    reasoning: Option<&str>,
) -> Result<(Vec<(String, String)>, StreamEnd), String> {
    let mut options = Vec::new();
    options.extend(reasoning.map(|word| ("reasoning".to_owned(), word.to_owned())));
    let gated = matches!(vector.format.as_str(), "pythonic" | "llama4-pythonic");
    if gated && vector.tools.is_empty() {
        options.push(("names".to_owned(), "any".to_owned()));
    }
    let mut end = StreamEnd::Stop;
    for (key, value) in &vector.options {
        let word = value.as_str().map_or_else(|| to_string(value), str::to_owned);
        if key == "end" {
            end = word.parse().map_err(|_| format!("no stream ends with `{word}`"))?;
        } else if *value != Value::Null {
            options.push((key.clone(), word));
        }
    }
    options.extend(runner.set.iter().cloned());
    Ok((options, end))
}

/// The turn that every split agrees on.
pub(super) fn decode_everywhere(
    runner: &Runner,
    protocol: &dyn Protocol,
    request: &Request,
    vector: &Vector,
    end: StreamEnd,
) -> Result<Turn, String> {
    let input = Input { text: &vector.text, special: None, end };
    let own = own_split(vector);
    let mut reference: Option<Turn> = None;
    for split in runner.splits.of(&vector.text).chain(own) {
        let decoded = decode(protocol, request, &input, &split)
            .map_err(|(law, message)| format!("{law} ({split}): {message}"))?;
        if let Some(violation) = decoded.violations.first() {
            return Err(format!("{split}: {violation}"));
        }
        match &reference {
            None => reference = Some(decoded.turn),
            Some(turn) if *turn == decoded.turn => {}
            Some(turn) => {
                let difference = diff::lines(&list_turn(turn), &list_turn(&decoded.turn));
                return Err(format!("C3 ({split}): another turn\n{difference}"));
            }
        }
    }
    reference.ok_or_else(|| "no split".to_owned())
}
