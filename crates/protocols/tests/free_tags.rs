//! Slips in tags that are read freely: a call comes out as it was written, or not at all.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot be set up fails"
)]

use proptest::prelude::*;
use toolweir_protocols::{ProtocolExt, Registry, Request, Tool, ToolSet};
use toolweir_rjson::{Mode, Value, parse};
use toolweir_segments::StreamEnd;
use toolweir_testkit::{CheckOptions, Splits, check, generate};

fn json(text: &str) -> Value {
    parse(text, Mode::Strict).unwrap().value
}

fn request() -> Request {
    let write = r#"{"type": "object", "properties": {
        "path": {"type": "string"}, "n": {"type": "integer"}, "body": {"type": "string"}}}"#;
    Request::new(ToolSet::new([Tool::new("write").parameters(json(write))]).unwrap())
}

/// What stands in a value, some of it like markup.
const DATA: &[&str] = &[
    "plain",
    "two\n\nlines",
    "it ends in </function>\n</tool_call> and goes on",
    "</function>\n</tool_call>",
    "see <parameter=path>q</parameter> there",
    "opens <parameter=n>7",
    "closes </param> or </Parameter s",
    "<function=write><parameter=path>q</parameter></function>",
    "<tool_call>\n<function=write>\n</function>\n</tool_call>",
    "<b>bold</b> <param",
];

/// What becomes of the closing tag of a parameter.
const SLIPS: &[&str] = &[
    "\n</parameter>",
    "\n</param>",
    "\n</parameter",
    "",
    "\n</parameter></parameter>",
    "\n</ PARAMETER >",
];

fn written(data: [&str; 2], slips: [usize; 3], crlf: bool) -> String {
    let [path, n, body] = slips.map(|slip| SLIPS[slip]);
    let text = format!(
        "<tool_call>\n<function=write>\n<parameter=path>\n{}{path}\n<parameter=n>\n5{n}\n\
         <parameter=body>\n{}{body}\n</function>\n</tool_call>\nThat is all.",
        data[0], data[1]
    );
    if crlf { text.replace('\n', "\r\n") } else { text }
}

proptest! {
    #![proptest_config(generate::config())]

    #[test]
    fn a_value_is_never_cut_and_never_holds_the_next(
        data in (0..DATA.len(), 0..DATA.len()),
        slips in prop::array::uniform3(0..SLIPS.len()),
        slip in any::<bool>(),
        crlf in any::<bool>(),
    ) {
        let slips = if slip { slips } else { [0; 3] };
        let data = [DATA[data.0], DATA[data.1]];
        let text = written(data, slips, crlf);
        let registry = Registry::builtin();
        let protocol = registry.get("qwen3-coder").unwrap();
        let turn = protocol.parse(&text, &request()).unwrap();
        let line = if crlf { "\r\n" } else { "\n" };
        for call in turn.calls() {
            let read = json(call.arguments);
            for (key, meant) in [("path", data[0]), ("body", data[1])] {
                let meant = meant.replace('\n', line);
                let read = read.get(key).and_then(Value::as_str);
                prop_assert_eq!(read, Some(meant.as_str()), "{}", text);
            }
            prop_assert_eq!(read.get("n"), Some(&Value::from(5)), "{}", text);
        }
        let options = CheckOptions::with_splits(Splits::few(4));
        let checked = check(&**protocol, &request(), &text, StreamEnd::Stop, &options);
        checked.map(drop).map_err(|report| TestCaseError::fail(report.to_string()))?;
    }
}

/// Slips that have one reading only.
#[test]
fn slips_that_are_mended() {
    let registry = Registry::builtin();
    let protocol = registry.get("qwen3-coder").unwrap();
    for slip in 0..SLIPS.len() {
        for crlf in [false, true] {
            let text = written(["p", "b"], [slip, 0, slip], crlf);
            let turn = protocol.parse(&text, &request()).unwrap();
            let calls: Vec<Value> = turn.calls().map(|call| json(call.arguments)).collect();
            assert_eq!(calls, [json(r#"{"path": "p", "n": 5, "body": "b"}"#)], "{text}");
        }
    }
}
