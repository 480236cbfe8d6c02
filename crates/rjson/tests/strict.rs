//! Strict mode: RFC 8259 and nothing else, and the limits of every mode.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::string_slice)]

mod common;

use common::{check, check_both, options};
use toolweir_rjson::{ErrorKind, Machine, Mode, Options, parse, parse_with};

#[test]
fn strict_json_comes_out_byte_for_byte() {
    for text in [
        "null",
        " \t\r\n1 ",
        "{}",
        "[ ]",
        r#"{ "a" : [ 1 , -0.5E+10 , "x" , true , false , null ] , "b" : { } }"#,
        r#""\"\\\/\b\f\n\r\t\u0041\uD83C\uDF0A é 🌊""#,
        "\"\u{7f}\u{2028}//#'\"",
        r#"{"\u0061":{"":[[],{}]}}"#,
        "[1,\n\n 2\t,{\"k\" :\r3 }]",
        "2e4000",
        "123456789012345678901234567890.1234567890",
    ] {
        let (strict, _) = check_both(text);
        assert_eq!(strict.error, None, "{text}");
        assert_eq!(strict.wire.trim(), text.trim());
        let value = parse(text, Mode::Strict).unwrap();
        assert_eq!(value.consumed, text.len());
        assert_eq!(parse(text, Mode::Relaxed).unwrap(), value);
    }
}

#[test]
fn each_error_stands_at_the_first_byte_that_fits_nowhere() {
    for (text, offset) in [
        ("'a'", 0),
        ("+1", 0),
        (".5", 0),
        ("1. ", 2),
        ("01", 1),
        ("0x1", 1),
        ("True", 0),
        ("NaN", 0),
        ("nul ", 3),
        ("{a:1}", 1),
        ("{'a':1}", 1),
        ("[1,]", 3),
        ("{\"a\":1,}", 7),
        ("/**/1", 0),
        ("#\n1", 0),
        ("\u{a0}1", 0),
        ("\u{feff}1", 0),
        ("\"\t\"", 1),
        ("\"\\v\"", 2),
        ("\"\\'\"", 2),
        ("\"\\\n\"", 2),
        ("[1 2]", 3),
        ("[1,2}", 4),
        ("[-]", 2),
        ("[1e]", 3),
        ("{\"\n\":1}", 2),
        ("{\"a\" 1}", 5),
        ("{\"a\":}", 5),
        ("{\"\\ud800\":1}", 8),
        ("[tru]", 4),
        ("[truex]", 5),
        ("[1a]", 2),
        ("[undefined]", 1),
        ("[-Infinity]", 2),
    ] {
        let (strict, _) = check_both(text);
        let error = strict.error.unwrap_or_else(|| panic!("{text:?} is accepted"));
        assert!(
            matches!(error.kind, ErrorKind::Syntax { .. } | ErrorKind::TrailingData),
            "{text:?}"
        );
        assert_eq!(error.offset, offset, "{text:?}");
    }
}

#[test]
fn what_follows_the_value_is_left_alone() {
    for (text, taken) in
        [("{\"a\":[]} tail", 8), ("[1]]", 3), ("\"s\"\"t\"", 3), ("12 x", 2), ("nullx", 4)]
    {
        let mut machine = Machine::new(Options::default());
        let mut input = text;
        while machine.next(&mut input).unwrap().is_some() {}
        assert!(machine.is_done(), "{text}");
        assert_eq!((input, machine.offset()), (&text[taken..], taken as u64));
        assert!(machine.next(&mut input).unwrap().is_none());
        assert!(machine.finish().unwrap().is_none());
    }
}

#[test]
fn a_machine_reads_value_after_value_at_its_offset() {
    let text = "{\"k\":[1,\"x\\u00e9\"]}  [2]'x' 3";
    let mut machine = Machine::new(Options::new(Mode::Relaxed));
    let mut input = text;
    let mut spans = Vec::new();
    while !input.trim().is_empty() {
        machine.reset((text.len() - input.len()) as u64);
        let start = machine.offset();
        while machine.next(&mut input).unwrap().is_some() {}
        while machine.finish().unwrap().is_some() {}
        spans.push((start, machine.offset()));
    }
    assert_eq!(spans, [(0, 19), (19, 24), (24, 27), (27, 29)]);
}

#[test]
fn the_state_can_be_asked_for_at_every_place() {
    let mut machine = Machine::new(Options::new(Mode::Relaxed));
    // After each chunk: depth, in a string, held bytes, non_strict.
    for (chunk, depth, in_string, held, non_strict) in [
        ("[", 1, false, 0, false),
        ("\"a", 1, true, 0, false),
        ("\\ud8", 1, true, 4, false),
        ("3c\\udf0a", 1, true, 0, false),
        ("\"", 1, false, 0, false),
        (",", 1, false, 1, false),
        (" \n", 1, false, 3, false),
        ("12", 1, false, 2, false),
        (",{", 2, false, 0, false),
        ("\"ke", 2, false, 3, false),
        ("y\":tr", 2, false, 2, false),
        ("ue,k", 2, false, 2, true),
        (":''}", 1, false, 0, true),
        (",/*", 1, false, 1, true),
        ("*/-Inf", 1, false, 4, true),
        ("inity,]", 0, false, 0, true),
    ] {
        let mut input = chunk;
        while machine.next(&mut input).unwrap().is_some() {}
        let state =
            (machine.depth(), machine.in_string(), machine.held_bytes(), machine.non_strict());
        assert_eq!(state, (depth, in_string, held, non_strict), "after {chunk:?}");
    }
    assert!(machine.is_done());
}

#[test]
fn depth_is_limited_in_every_mode() {
    for mode in [Mode::Strict, Mode::Relaxed] {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(&nested(128), mode).is_ok());
        let error = parse(&nested(129), mode).unwrap_err();
        assert_eq!((error.kind, error.offset), (ErrorKind::TooDeep, 128));
        let run = check(&options(mode).with_max_depth(2), "{\"a\":[1,{}]}");
        assert_eq!(run.error.unwrap().offset, 8);
        assert_eq!(parse_with("[]", &options(mode).with_max_depth(0)).unwrap_err().offset, 0);
        assert!(parse_with("1", &options(mode).with_max_depth(0)).is_ok());
    }
}

#[test]
fn what_must_wait_is_limited() {
    // Text, and the byte at which eight held bytes are too many.
    for (text, offset) in [
        ("[12345678]", None),
        ("[123456789]", Some(9)),
        ("[-1.5e-10]", None),
        ("[-1.5e-100]", Some(9)),
        ("{\"12345678\":\"a long string is not held\"}", None),
        ("{\"123456789\":1}", Some(10)),
        ("{\"1234567é\":1}", Some(9)),
        ("{\"123456é\":1}", None),
        (r#"{"1234567\n":1}"#, Some(10)),
        (r#"{"123456\n":1}"#, None),
        (r#"{"123\u0041":1}"#, Some(10)),
        ("{\"a\":1}", None),
    ] {
        let mut both = Vec::new();
        for mode in [Mode::Strict, Mode::Relaxed] {
            let run = check(&options(mode).with_max_held_bytes(8), text);
            if let Some(error) = run.error {
                assert_eq!(error.kind, ErrorKind::TooLarge);
            }
            both.push(run.error.map(|error| error.offset));
        }
        assert_eq!(both, [offset, offset], "{text}");
    }
    for (text, offset) in [
        ("{abcdefgh:1}", None),
        ("{abcdefghi:1}", Some(9)),
        ("{abcdefg\u{e9}:1}", Some(8)),
        ("{'\n\n\n\n':1}", None),
        ("{'\n\n\n\n\n':1}", Some(6)),
        (r"{'abc\x00':1}", Some(8)),
        ("{'12345678\\\n':1}", None),
        (r"{\u0061bcdefgh:1}", None),
        (r"{abcdefgh\u0061:1}", Some(14)),
        ("[0x1234567]", Some(9)),
    ] {
        let run = check(&options(Mode::Relaxed).with_max_held_bytes(8), text);
        assert_eq!(run.error.map(|error| error.offset), offset, "{text:?}");
    }
    let hex = |digits: usize| parse(&format!("0x{}", "f".repeat(digits)), Mode::Relaxed);
    assert!(hex(4096).is_ok());
    let error = hex(4097).unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::TooLarge, 2 + 4096));
}

#[test]
fn too_many_blanks_behind_a_comma_are_dropped_with_a_note() {
    let options = options(Mode::Relaxed).with_max_held_bytes(4);
    for (text, wire, codes) in [
        ("[1,   2 ,3]", "[1,   2 ,3]", &[][..]),
        ("[1,    2 ,3]", "[1,2,3]", &["rjson::blank-run"][..]),
        ("[1,    ]", "[1]", &["rjson::trailing-comma", "rjson::blank-run"][..]),
        ("[1,  //     \n    2]", "[1,  2]", &[][..]),
        ("['a',         2]", r#"["a",2]"#, &[][..]),
    ] {
        let run = check(&options, text);
        assert_eq!((run.wire.as_str(), run.error), (wire, None));
        let notes: Vec<_> = run.tokens.iter().filter(|t| t.kind.starts_with("rjson")).collect();
        assert!(notes.iter().map(|note| note.kind.as_str()).eq(codes.iter().copied()), "{text}");
    }
    // Strict mode holds no comma.
    let strict = options.with_mode(Mode::Strict);
    assert!(!check(&strict, "[1,        2]").non_strict);
}

#[test]
fn keys_of_one_object_are_limited() {
    for mode in [Mode::Strict, Mode::Relaxed] {
        let options = options(mode).with_max_keys(2);
        assert_eq!(check(&options, r#"[{"a":{"x":1,"y":2},"b":1},{"c":1}]"#).error, None);
        let error = check(&options, r#"{"a":1,"b":{"z":[]}, "a":3}"#).error.unwrap();
        assert_eq!((error.kind, error.offset), (ErrorKind::TooManyKeys, 21));
        assert_eq!(check(&options.with_max_keys(0), "[{}]").error, None);
    }
}

#[test]
fn wide_objects_are_read_unless_a_limit_is_asked_for() {
    let members: Vec<String> = (0..10_001).map(|n| format!("\"k{n}\":{n}")).collect();
    let text = format!("{{{}}}", members.join(","));
    for mode in [Mode::Strict, Mode::Relaxed, Mode::Repair] {
        let value = toolweir_rjson::parse(&text, mode).unwrap().value;
        assert_eq!((value.as_object().unwrap().len(), &value["k10000"]), (10_001, &10_000.into()));
        let limited = Options::new(mode).with_max_keys(10_000);
        let error = toolweir_rjson::parse_with(&text, &limited).unwrap_err();
        assert_eq!(error.kind, ErrorKind::TooManyKeys);
    }
}
