//! What the complete core has more: detection, the formats written by hand, prompts.

use toolweir::protocols::detect::{Candidate, Evidence};
use toolweir::protocols::formats::HAND_WRITTEN;
use toolweir::rjson::{ArrayWriter, ObjectWriter, quoted};
use toolweir::{Protocol, Request, ToolResponse};

use crate::answer::{Mistake, mistake};
use crate::ask::{self, Ask};
use crate::core::Core;

/// The formats whose decoders are written by hand.
pub(super) fn by_hand() -> impl Iterator<Item = String> {
    HAND_WRITTEN.iter().map(|format| {
        let record = ObjectWriter::new().text("name", format.name);
        record
            .list("aliases", format.aliases.iter().map(|alias| quoted(alias)))
            .text("kind", "calls")
            .end()
    })
}

/// The formats that may have written a text, or that go with a model's name or chat template.
pub(crate) fn detect(core: &mut Core, ask: &Ask, text: &str) -> Result<String, Mistake> {
    let (request, _) = ask.request()?;
    let detector = core.formats().detector();
    let found = match ask.needed("by")? {
        "text" => detector.transcript(text, &request),
        "model" => detector.model(text),
        "template" => detector.template(text),
        other => {
            return Err(mistake(format!(
                "formats are detected by text, model or template, not by {other}"
            )));
        }
    };
    Ok(ArrayWriter::joined(found.iter().map(candidate)))
}

fn candidate(found: &Candidate) -> String {
    let reasons = found.evidence.iter().map(Evidence::to_string);
    ObjectWriter::new()
        .text("format", &found.format)
        .text("reasoning", &found.reasoning)
        .number("score", u64::from(found.score))
        .list("reasons", reasons.map(|reason| quoted(&reason)))
        .end()
}

/// Tools, calls or a response, as the format writes them.
pub(crate) fn write(core: &mut Core, ask: &Ask) -> Result<String, Mistake> {
    let protocol = core.formats().get(ask.needed("format")?)?;
    let (request, _) = ask.request()?;
    written(&*protocol, &request, ask).map(|text| quoted(&text))
}

/// What a head asks for, with the delimiters of the request.
pub(crate) fn written(
    protocol: &dyn Protocol,
    request: &Request,
    ask: &Ask,
) -> Result<String, Mistake> {
    let wrong = |error: &dyn std::fmt::Display| mistake(error.to_string());
    let own = protocol.delimited(request).map_err(|error| wrong(&error))?;
    let protocol = own.as_deref().unwrap_or(protocol);
    let written = match ask.needed("what")? {
        "tools" => protocol.format_tools(&ask.tools()?),
        "call" => protocol.format_tool_call(&ask::call(needed(ask, "call")?)?),
        "calls" => {
            let calls: Result<Vec<_>, Mistake> = ask.entries("calls").map(ask::call).collect();
            protocol.format_tool_calls(&calls?)
        }
        "response" => {
            let mut response = ToolResponse::new(ask.needed("name")?, ask.needed("content")?);
            response.native_id = ask.text("nativeId").map(str::to_owned);
            protocol.format_tool_response(&response)
        }
        other => return Err(mistake(format!("nothing is written as {other}"))),
    };
    written.map_err(|error| wrong(&error))
}

fn needed<'a>(ask: &'a Ask, key: &str) -> Result<&'a toolweir::rjson::Value, Mistake> {
    ask.get(key).ok_or_else(|| mistake(format!("`{key}` is missing")))
}
