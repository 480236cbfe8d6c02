//! Formats whose calls stand between nothing but brackets: only declared names are calls there.
#![allow(clippy::unwrap_used)]

use toolweir_protocols::{FormatSpec, ProtocolExt, Request, SpecProtocol, Tool, ToolCall, ToolSet};
use toolweir_testkit::{CheckOptions, RoundTrip, round_trip};

fn protocol(call: &str) -> SpecProtocol {
    let call = vec![call.into()];
    SpecProtocol::new(&FormatSpec { name: "own".into(), call, ..FormatSpec::default() }).unwrap()
}

#[test]
fn calls_between_brackets_are_read_and_written() {
    let echo = Tool::new("echo").parameters(r#"{"properties": {"text": {"type": "string"}}}"#);
    let request = Request::new(ToolSet::new([echo]).unwrap());
    for call in ["<<{call}>>", "[[{call}]]", "(({call}))", "<{call}>", "<|{call}|>"] {
        let own = protocol(call);
        for arguments in [r#"{"text": "warp"}"#, r#"{"text": ">>]])) }"}"#, "{}"] {
            let wanted = ToolCall::new("echo", arguments);
            let trip = round_trip(&own, &request, &wanted, &CheckOptions::default()).unwrap();
            assert!(matches!(trip, RoundTrip::Same(_)), "{call} {arguments}");
        }
        let text = call.replace("{call}", r#"{"name": "other", "arguments": {}}"#);
        let turn = own.parse(&text, &request).unwrap();
        let bar = call.contains('|');
        assert_eq!(turn.every_call().count(), usize::from(bar), "{text}");
        assert_eq!(turn.text(), if bar { "" } else { &text });
    }
}
