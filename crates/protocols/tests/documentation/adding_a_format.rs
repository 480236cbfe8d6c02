use toolweir_protocols::{FormatSpec, Framing, ProtocolExt, Registry, Request, ToolCall, Wrap};

/// Calls between `[[call]]` and `[[/call]]`, as a JSON object with `name` and `arguments`.
const BRACKETS: FormatSpec<'static> = FormatSpec {
    name: "brackets",
    aliases: &["double-brackets"],
    call: Wrap { open: &["[[call]]"], close: &["[[/call]]"] },
    // The template prints a newline before a call; it is no part of the answer.
    framing: Framing { first: "\n", next: "\n" },
    ..FormatSpec::DEFAULT
};

pub fn example() -> (String, String) {
    let mut registry = Registry::builtin();
    registry.register_spec(&BRACKETS).expect("the markers are not empty and differ");
    let format = registry.get("double-brackets").expect("registered above");

    let call = ToolCall::new("dice", r#"{"sides": 6}"#);
    let written = format.format_tool_call(&call).expect("the arguments are an object");
    let answer = format!("Rolling.\n{written}");
    let turn = format.parse(&answer, &Request::default()).expect("no options are set");

    let read = turn.calls().next().expect("the call reads back");
    (turn.text(), format!("{} {}", read.name, read.arguments))
}
