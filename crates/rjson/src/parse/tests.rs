use super::*;
use crate::diagnostic::Span;
use crate::{Duplicates, NonFinite};
use alloc::string::ToString;

fn codes(parsed: &Parsed) -> Vec<(&'static str, u64, u64)> {
    parsed
        .diagnostics
        .iter()
        .map(|note| (note.code.as_str(), note.span.start, note.span.end))
        .collect()
}

#[test]
fn a_repeated_key_keeps_the_first_place_and_the_last_value() {
    let text = r#"{"k":[1],"m":2,"\u006b":3}"#;
    let parsed = parse(text, Mode::Strict).unwrap();
    assert_eq!(parsed.value.to_string(), r#"{"k":3,"m":2}"#);
    assert_eq!(codes(&parsed), [("rjson::duplicate-key", 15, 23)]);
    assert_eq!(parsed.diagnostics[0].related, Some(Span::new(1, 4)));

    let first = Options::default().with_duplicates(Duplicates::First);
    let parsed = parse_with(text, &first).unwrap();
    assert_eq!(parsed.value.to_string(), r#"{"k":[1],"m":2}"#);
    assert_eq!(parsed.diagnostics[0].related, Some(Span::new(1, 4)));

    let error = Options::default().with_duplicates(Duplicates::Error);
    let refused = parse_with(text, &error).unwrap_err();
    assert_eq!((refused.kind, refused.offset), (ErrorKind::DuplicateKey, 15));
    assert!(parse_with(r#"[{"k":1},{"k":{"k":1}}]"#, &error).is_ok());
}

#[test]
fn a_key_given_thrice_names_the_first_one_each_time() {
    let parsed = parse(r#"{"k":1,"k":{"k":2},"k":3}"#, Mode::Strict).unwrap();
    assert_eq!(parsed.value.to_string(), r#"{"k":3}"#);
    assert_eq!(codes(&parsed).len(), 2);
    assert!(parsed.diagnostics.iter().all(|note| note.related == Some(Span::new(1, 4))));
}

#[test]
fn keys_such_as_proto_are_plain() {
    let text = r#"{"__proto__":{"constructor":1},"":2}"#;
    assert_eq!(parse(text, Mode::Strict).unwrap().value.to_string(), text);
}

#[test]
fn numbers_beyond_the_machine_are_kept_and_reported() {
    let text = "[2e4000,18446744073709551616,1,-0,0.1]";
    let parsed = parse(text, Mode::Strict).unwrap();
    assert_eq!(parsed.value.to_string(), text);
    assert_eq!(
        codes(&parsed),
        [("rjson::number-precision", 1, 7), ("rjson::number-precision", 8, 28)]
    );
}

#[test]
fn words_that_are_no_json_follow_the_option() {
    let text = "[NaN,+Infinity,-Infinity,undefined]";
    let with = |non_finite| {
        let options = Options::new(Mode::Relaxed).with_non_finite(non_finite);
        parse_with(text, &options)
    };
    let spans = [(1, 4), (5, 14), (15, 24), (25, 34)];
    let null = with(NonFinite::Null).unwrap();
    assert_eq!(null.value.to_string(), "[null,null,null,null]");
    let string = with(NonFinite::String).unwrap();
    assert_eq!(string.value.to_string(), r#"["NaN","Infinity","-Infinity","undefined"]"#);
    for parsed in [null, string] {
        let found = codes(&parsed);
        assert!(found.iter().map(|&(_, start, end)| (start, end)).eq(spans));
        assert!(found[..3].iter().all(|&(code, ..)| code == "rjson::non-finite"));
        assert_eq!(found[3].0, "rjson::undefined");
    }
    let refused = with(NonFinite::Error).unwrap_err();
    assert_eq!(refused.offset, 2);
    let options = Options::new(Mode::Relaxed).with_non_finite(NonFinite::Error);
    for (text, offset) in [("undefined", 0), ("Infinity", 0), ("-Infinity", 1), ("+NaN", 1)] {
        assert_eq!(parse_with(text, &options).unwrap_err().offset, offset, "{text}");
    }
    assert!(parse_with("None", &options).is_ok());
}

#[test]
fn the_byte_order_mark_is_for_relaxed_reading() {
    let parsed = parse("\u{feff}[1]", Mode::Relaxed).unwrap();
    assert_eq!(codes(&parsed), [("rjson::byte-order-mark", 0, 3)]);
    assert_eq!(parsed.consumed, 6);
    // Elsewhere it is whitespace.
    assert!(parse(" \u{feff}[\u{feff}1]\u{feff}", Mode::Relaxed).unwrap().diagnostics.is_empty());
    let refused = parse("\u{feff}[1]", Mode::Strict).unwrap_err();
    assert_eq!((refused.kind, refused.offset), (ErrorKind::Syntax { expected: "a value" }, 0));
}

#[test]
fn a_string_stays_a_string_even_when_it_holds_json() {
    let parsed = parse(r#""{\"k\":1}""#, Mode::Relaxed).unwrap();
    assert_eq!(parsed.value.as_str(), Some(r#"{"k":1}"#));
}

#[test]
fn errors_say_what_and_where() {
    let error = parse("[1,\r\n\n é 2]", Mode::Strict).unwrap_err();
    assert_eq!(error.to_string(), "expected a value at byte 7");
    assert_eq!(error.line_column("[1,\r\n\n é 2]"), (3, 2));
    let error = Error::new(ErrorKind::UnexpectedEnd, 99);
    assert_eq!(error.line_column("ab\rc\u{e9}"), (2, 3));
    assert_eq!(error.line_column(""), (1, 1));
    assert_eq!(error.line_column("\n\r\n\n"), (4, 1));
}
