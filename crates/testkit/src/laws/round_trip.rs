//! C11: a rendered call decodes to itself.

use toolweir_protocols::{FormatError, Protocol, Request, ToolCall};
use toolweir_rjson::{Mode, Value, parse};
use toolweir_segments::{StreamEnd, Turn};

use super::report::Report;
use super::{CheckOptions, check};
use crate::json::same_value;
use crate::split::Split;

/// What came of a call that was rendered and decoded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RoundTrip {
    /// It came back the same.
    Same(Turn),
    /// The formatter refused it: the format cannot carry that call.
    Refused(FormatError),
}

/// Renders `call`, holds the text against the laws, and wants exactly that call back: the same
/// name, the same arguments by value with their keys in the same order (any, where the format sorts them in
/// writing), no visible text.
///
/// `request` must declare the tools that the protocol needs to read values back.
///
/// ```
/// use toolweir_protocols::{Registry, Request, ToolCall};
/// use toolweir_testkit::{CheckOptions, round_trip};
/// let registry = Registry::builtin();
/// let call = ToolCall::new("echo", r#"{"text": "</tool_call>"}"#);
/// let hermes = &**registry.get("hermes").unwrap();
/// round_trip(hermes, &Request::default(), &call, &CheckOptions::default()).unwrap();
/// ```
///
/// # Errors
/// A [`Report`] that names C11, or a law that the rendered text breaks.
pub fn round_trip(
    protocol: &dyn Protocol,
    request: &Request,
    call: &ToolCall,
    options: &CheckOptions,
) -> Result<RoundTrip, Report> {
    let text = match protocol.format_tool_call(call) {
        Ok(text) => text,
        Err(refused) => return Ok(RoundTrip::Refused(refused)),
    };
    let turn = check(protocol, request, &text, StreamEnd::Stop, options)?;
    // A format that sorts the members of its calls writes them alike in any order.
    let sorts = |arguments: &str| {
        let mut back = call.clone();
        arguments.clone_into(&mut back.arguments);
        protocol.format_tool_call(&back).is_ok_and(|again| again == text)
    };
    match compare(&turn, call, &sorts) {
        Ok(()) => Ok(RoundTrip::Same(turn)),
        Err(message) => {
            let mut report = Report::new(protocol.name(), &text);
            report.add("C11", &Split::whole(), message);
            Err(report)
        }
    }
}

/// `sorts`: whether the format writes these arguments as it wrote the call.
fn compare(turn: &Turn, call: &ToolCall, sorts: &dyn Fn(&str) -> bool) -> Result<(), String> {
    let calls: Vec<_> = turn.every_call().collect();
    let [found] = calls.as_slice() else {
        return Err(format!("one call was rendered, {} came back", calls.len()));
    };
    if !turn.text().trim().is_empty() {
        return Err(format!("the rendered call leaves text: {:?}", turn.text()));
    }
    if found.name != call.name {
        return Err(format!("name {:?} came back as {:?}", call.name, found.name));
    }
    let value = |text: &str| parse(text, Mode::Strict).map(|parsed| parsed.value);
    let (sent, back) = match (value(&call.arguments), value(found.arguments)) {
        (Ok(sent), Ok(back)) => (sent, back),
        (Err(e), _) => return Err(format!("the call's arguments are no JSON: {e}")),
        (_, Err(e)) => return Err(format!("the arguments came back as no JSON: {e}")),
    };
    let keys = |value: &Value| {
        let object = value.as_object();
        object.map(|object| object.keys().map(ToString::to_string).collect::<Vec<_>>())
    };
    let ordered = || keys(&sent) == keys(&back) || sorts(found.arguments);
    if same_value(&sent, &back) && ordered() {
        Ok(())
    } else {
        Err(format!("arguments {} came back as {}", call.arguments, found.arguments))
    }
}
