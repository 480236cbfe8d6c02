use toolweir_protocols::{FormatSpec, ProtocolExt, Registry, Request, ToolCall};

/// Calls between `[[call]]` and `[[/call]]`, as a JSON object with `name` and `arguments`.
fn brackets() -> FormatSpec {
    FormatSpec {
        name: "brackets".into(),
        aliases: vec!["double-brackets".into()],
        // The template prints a line break before a call; it is no part of the answer.
        call: vec![r"\n[[call]]\n{call}\n[[/call]]".into()],
        ..FormatSpec::default()
    }
}

pub fn example() -> (String, String) {
    let mut registry = Registry::builtin();
    registry.register_spec(&brackets()).expect("the pattern can be read and the names are free");
    let format = registry.get("double-brackets").expect("registered above");

    let call = ToolCall::new("dice", r#"{"sides": 6}"#);
    let written = format.format_tool_call(&call).expect("the arguments are an object");
    let answer = format!("Rolling.\n{written}");
    let turn = format.parse(&answer, &Request::default()).expect("no options are set");

    let read = turn.calls().next().expect("the call reads back");
    (turn.text(), format!("{} {}", read.name, read.arguments))
}
