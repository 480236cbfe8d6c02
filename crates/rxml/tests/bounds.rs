//! Work is linear, depth is an error, limits hold: on input made to hurt.

#![allow(clippy::disallowed_methods, reason = "a thread of its own, for its small stack")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "helpers of tests are tests too"
)]

mod common;

#[cfg(feature = "meter")]
use common::properties;
use common::{repairing, schema};
use toolweir_rjson::Value;
#[cfg(feature = "meter")]
use toolweir_rxml::Machine;
use toolweir_rxml::{
    Error, NodeOptions, Options, ParseErrorKind, extract_raw, parse, parse_node, parse_strict,
    parse_without_schema, stringify,
};
use toolweir_schema_coerce::Schema;

/// Elements inside one another, without end and with.
fn nested(depth: usize) -> [String; 2] {
    let open = "<a>".repeat(depth);
    [open.clone(), format!("{open}{}", "</a>".repeat(depth))]
}

/// A schema in which `a` is an object that holds `a`.
fn recursive() -> Schema {
    schema(
        "{type:'object',properties:{a:{$ref:'#/$defs/n'}},$defs:{n:{type:'object',properties:{a:{$ref:'#/$defs/n'}}}}}",
    )
}

/// A schema in which `a` is a list of lists.
fn lists() -> Schema {
    schema(
        "{type:'object',properties:{a:{$ref:'#/$defs/n'}},$defs:{n:{type:'array',items:{$ref:'#/$defs/n'}}}}",
    )
}

#[test]
fn depth_is_a_typed_error_on_a_small_stack() {
    let work = || {
        for text in nested(1_000_000) {
            let plain = Options::default;
            let ways = [(Schema::any(), plain()), (recursive(), repairing()), (lists(), plain())];
            for (schema, options) in ways {
                let result = parse(&text, &schema, &options);
                assert!(matches!(result, Err(Error::Parse { .. })), "{result:?}");
            }
            let node = NodeOptions::default();
            assert!(parse_node(&text, &node).is_err());
            assert!(parse_strict(&text, &node).is_err());
            let _ = extract_raw(&text, "a");
        }
    };
    let thread = std::thread::Builder::new().stack_size(64 * 1024).spawn(work).unwrap();
    thread.join().unwrap();
}

#[test]
fn a_value_of_any_depth_is_written() {
    let mut value = Value::from("x");
    for _ in 0..2_000 {
        let mut object = toolweir_rjson::Object::new();
        object.insert("a", value);
        value = object.into();
    }
    let mut options = toolweir_rxml::WriteOptions::default();
    options.format = false;
    let text = stringify("a", &value, &options).unwrap();
    assert_eq!(text.matches("<a>").count(), 2_001);
}

#[test]
fn limits_are_typed_errors() {
    let kind = |text: &str, options: &Options| match parse_without_schema(text, options) {
        Err(Error::Parse { kind, .. }) => Some(kind),
        _ => None,
    };
    let mut options = Options::default();
    options.max_depth = 2;
    assert_eq!(kind("<a><b>x</b></a>", &options), None);
    assert_eq!(kind("<a><b><c/></b></a>", &options), Some(ParseErrorKind::TooDeep));
    options.max_attributes = 1;
    assert_eq!(kind("<a x y/>", &options), Some(ParseErrorKind::TooManyAttributes));
    options.max_bytes = 5;
    assert_eq!(kind("<a/> ", &options), None);
    assert_eq!(kind("<a/>  ", &options), Some(ParseErrorKind::TooLarge));
}

#[cfg(feature = "meter")]
/// Texts that grow by a factor, each a family that makes a careless reader slow.
fn families(n: usize) -> Vec<(&'static str, String)> {
    vec![
        ("open tags", "<k>".repeat(n)),
        ("own-name nesting", format!("<k>{}", "<k>x</k>".repeat(n))),
        ("unclosed own names", "<k><k></k>".repeat(n)),
        ("alternating unclosed", "<k>x<m>1<t>".repeat(n)),
        ("lists alternating", "<t>x<n>1".repeat(n)),
        ("closing tags", format!("<o>{}", "</z>".repeat(n))),
        ("less-than signs", format!("<k>{}", "<".repeat(n))),
        ("ampersands", format!("<k>{}", "&".repeat(n))),
        ("references", format!("<k>{}</k>", "&lt;&#x41;".repeat(n))),
        ("open sections", format!("<k>{}", "<![CDATA[".repeat(n))),
        ("sections in elements", "<z><![CDATA[".repeat(n)),
        ("open comments", format!("<o>{}", "<!--".repeat(n))),
        ("open declarations", "<!DOCTYPE [".repeat(n)),
        ("one long tag", format!("<k {}", "a='b' ".repeat(n))),
        ("one long name", format!("<{}", "k".repeat(n))),
        ("quotes", format!("<k a={}", "\"'".repeat(n))),
        ("blanks", format!("<k>{}", " ".repeat(n))),
        ("entries", format!("<t>{}</t>", "<item>x</item>".repeat(n))),
        ("members", (0..n).map(|i| format!("<x{i}>1</x{i}>")).collect()),
    ]
}

#[cfg(feature = "meter")]
/// Bytes the scanner looked at, pushed in pieces of a length.
fn examined(text: &str, schema: &Schema, options: &Options, chunk: usize) -> u64 {
    let mut machine = Machine::new(schema.clone(), options.clone());
    for piece in text.as_bytes().chunks(chunk) {
        // The families are ASCII.
        if machine.push(std::str::from_utf8(piece).unwrap(), |_| {}).is_err() {
            break;
        }
    }
    let examined = machine.examined();
    let _ = machine.finish(|_| {});
    examined
}

#[cfg(feature = "meter")]
#[test]
fn every_family_is_scanned_about_once_at_any_chunk() {
    let schema = properties(
        "{k:{type:'string'},m:{type:'integer'},t:{type:'array',items:{type:'string'}},n:{type:'array',items:{type:'integer'}},o:{type:'object',properties:{k:{type:'string'}}}}",
    );
    for (name, text) in families(2_000) {
        for options in [Options::default(), repairing()] {
            for chunk in [16, 64, text.len()] {
                let examined = examined(&text, &schema, &options, chunk);
                let most = 3 * text.len() as u64 + 64;
                assert!(examined <= most, "{name}: {examined} of {} by {chunk}", text.len());
            }
        }
    }
}
