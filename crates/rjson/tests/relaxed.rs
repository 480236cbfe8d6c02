//! The relaxed grammar, rule by rule: what each spelling becomes, and where each error stands.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::{check, check_both, options};
use toolweir_rjson::{ErrorKind, InvalidEscape, Mode, NonFinite, parse, parse_with, unescape};

/// Accepted in relaxed mode, refused in strict mode: text and wire text.
const ACCEPTED: &[(&str, &str)] = &[
    // Strings.
    ("'a'", r#""a""#),
    (r#"'say "hi"'"#, r#""say \"hi\"""#),
    (r#"'it\'s'"#, r#""it's""#),
    (r#""it\'s""#, r#""it's""#),
    (r#"'\"'"#, r#""\"""#),
    (r#""\v\0\x41\xe9""#, "\"\\u000b\\u0000Aé\""),
    ("\"a\nb\tc\rd\"", r#""a\nb\tc\rd""#),
    ("\"a\\\nb\\\r\nc\\\rd\\\u{2028}e\\\u{2029}f\"", r#""abcdef""#),
    ("\"\\\n\"", r#""""#),
    (r#"'\u00e9\uD83C\uDF0A\/'"#, r#""\u00e9\uD83C\uDF0A\/""#),
    ("'\u{2028}\u{7f}'", "\"\u{2028}\u{7f}\""),
    ("''", r#""""#),
    (r#""\x22\x5c""#, r#""\"\\""#),
    (r#""\0""#, r#""\u0000""#),
    (r#""\0a""#, r#""\u0000a""#),
    // Numbers.
    ("+3", "3"),
    (".5", "0.5"),
    ("-.5", "-0.5"),
    ("+.5e+3", "0.5e+3"),
    ("4.", "4.0"),
    ("0.", "0.0"),
    ("4.e5", "4.0e5"),
    ("0x2A", "42"),
    ("-0x2a", "-42"),
    ("-0x0", "-0"),
    ("+0XfF", "255"),
    ("[4.,.5]", "[4.0,0.5]"),
    // Literals.
    ("True", "true"),
    ("False", "false"),
    ("None", "null"),
    ("[True,False,None]", "[true,false,null]"),
    ("NaN", "null"),
    ("-NaN", "null"),
    ("Infinity", "null"),
    ("+Infinity", "null"),
    ("undefined", "null"),
    // Keys.
    ("{a:1}", r#"{"a":1}"#),
    ("{$_\u{e9}9:1}", "{\"$_\u{e9}9\":1}"),
    ("{'k':1}", r#"{"k":1}"#),
    ("{'\"':1}", r#"{"\"":1}"#),
    ("{\"a\nb\":1}", r#"{"a\nb":1}"#),
    ("{\"a\\\nb\":1}", r#"{"ab":1}"#),
    (r"{\u0061b\u0024:1}", r#"{"ab$":1}"#),
    ("{true:1,null:2,NaN:3,Infinity:4}", r#"{"true":1,"null":2,"NaN":3,"Infinity":4}"#),
    ("{a\u{200c}\u{200d}\u{301}:1}", "{\"a\u{200c}\u{200d}\u{301}\":1}"),
    ("{'':1}", r#"{"":1}"#),
    (r"{\ud835\udc9c:1}", "{\"\u{1d49c}\":1}"),
    // Commas.
    ("[1,]", "[1]"),
    ("{\"a\":1,}", r#"{"a":1}"#),
    ("[1 , ]", "[1 ]"),
    ("[[1,],\n]", "[[1]]"),
    ("{\"a\":{},/**/}", r#"{"a":{}}"#),
    // Comments and blanks.
    ("/**/1", "1"),
    ("// x\n1", "1"),
    ("# x\r1", "1"),
    ("//\u{2028}1", "1"),
    ("#é\u{2029}1", "1"),
    ("#\u{20ac}\u{2014}\n1", "1"),
    ("/***/1", "1"),
    ("/*/*/1", "1"),
    ("/* * / ** */1", "1"),
    ("1//", "1"),
    ("1#x", "1"),
    ("1/**/", "1"),
    ("[1, /* c */ 2 ]", "[1, 2]"),
    ("[1/**/, 2 ]", "[1,2]"),
    ("[ 1,\u{a0}2 , 3]", "[ 1,2,3]"),
    ("\u{b}\u{c}\u{a0}\u{feff}\u{2028}\u{2029}\u{1680}\u{2003}\u{202f}\u{205f}\u{3000}1", "1"),
    ("1 \u{3000}", "1"),
    ("\u{feff}{ \"a\" : 1 }", r#"{"a":1}"#),
    // The first deviation ends the source's blanks, not its spelling of strings and numbers.
    (r#"{ "a" : 1e5, b : [ 1.50 , "\u0041\/" ] }"#, r#"{ "a" : 1e5, "b":[1.50,"\u0041\/"]}"#),
];

#[test]
fn relaxed_spellings_become_strict_wire_text() {
    for &(text, wire) in ACCEPTED {
        let (strict, relaxed) = check_both(text);
        assert_eq!(relaxed.error, None, "{text:?}");
        assert_eq!(relaxed.wire, wire, "{text:?}");
        assert!(relaxed.non_strict || text.starts_with('1'), "{text:?}");
        assert!(strict.error.is_some(), "{text:?}");
        let value = parse(text, Mode::Relaxed).unwrap().value;
        assert_eq!(parse(wire, Mode::Strict).unwrap().value, value, "{text:?}");
        let theirs: serde_json::Value = serde_json::from_str(wire).unwrap();
        assert_eq!(theirs.is_object(), value.as_object().is_some());
    }
}

/// Refused in relaxed mode: text and the byte that fits nowhere.
const REFUSED: &[(&str, u64)] = &[
    ("007", 1),
    ("-01", 2),
    ("0b1", 1),
    ("0x ", 2),
    ("0xg", 2),
    ("0x1g", 3),
    (". ", 1),
    ("[.]", 2),
    ("[+]", 2),
    ("+-1", 1),
    ("1e ", 2),
    ("[1e+]", 4),
    ("1a", 1),
    ("1é", 1),
    ("1\\u0061", 1),
    ("1_000", 1),
    ("[1.5.5]", 4),
    ("truex", 4),
    ("true1", 4),
    ("Nonex", 4),
    ("NaN1", 3),
    ("Nan", 2),
    ("nan", 1),
    ("Tru ", 3),
    ("TRUE", 1),
    ("undefine ", 8),
    ("-True", 1),
    ("+true", 1),
    ("+None", 2),
    ("word", 0),
    ("[word]", 1),
    ("{a:b}", 3),
    ("{1:2}", 1),
    ("{-a:2}", 1),
    ("{a-b:1}", 2),
    ("{a b:1}", 3),
    ("{a\u{b7}\u{2192}:1}", 4),
    ("{\u{301}:1}", 1),
    (r"{\u0021:1}", 6),
    (r"{a\u0021:1}", 7),
    (r"{\x61:1}", 2),
    (r"{\u006:1}", 6),
    (r"{\u0030:1}", 6),
    ("{[1]:1}", 1),
    ("[,]", 1),
    ("[,1]", 1),
    ("[1,,2]", 3),
    ("[1,,]", 3),
    ("{,}", 1),
    ("{a:1,,}", 5),
    ("{a:,}", 3),
    ("{a:}", 3),
    ("{a}", 2),
    ("{a,}", 2),
    ("{a:1]", 4),
    ("{a:1,]", 5),
    ("[1}", 2),
    ("[1,}", 3),
    ("[1 2]", 3),
    ("[1;2]", 2),
    ("{a=1}", 2),
    ("[\"a\"#b\n]", 4),
    ("[\"a\"//b\n]", 5),
    ("{\"a\"#b\n:1}", 4),
    ("{'a'//b\n:1}", 5),
    (r#""\x4""#, 4),
    (r#""\u12g4""#, 5),
    (r#""\ud800""#, 7),
    (r#""\ud800\n""#, 8),
    (r#""\ud800\u0041""#, 9),
    (r#""\udc00""#, 4),
    (r#"{"\ud800":1}"#, 8),
    ("\"\u{1}\"", 1),
    ("'a\u{0}'", 2),
    ("\"a\u{b}\"", 2),
    ("/ 1", 1),
    ("[1,/]", 4),
    ("1 /x", 3),
    ("\u{200b}1", 0),
    ("\u{201c}a\u{201d}", 0),
    ("`a`", 0),
    ("}", 0),
    ("]", 0),
    (":", 0),
    (",", 0),
    ("\0", 0),
];

#[test]
fn a_backslash_that_begins_no_escape_is_data() {
    for (text, kept, dropped, notes) in [
        (r#"["\d+\.\w*"]"#, r#"["\\d+\\.\\w*"]"#, r#"["d+.w*"]"#, 3),
        (r"['C:\Users\x\y']", r#"["C:\\Users\\x\\y"]"#, "", 0),
        (r#"["\1\012\é"]"#, r#"["\\1\\012\\é"]"#, r#"["1012é"]"#, 3),
        (r#"{"\d":1}"#, r#"{"\\d":1}"#, r#"{"d":1}"#, 1),
    ] {
        if notes == 0 {
            // Without its digits `\x` stays an error.
            assert!(parse(text, Mode::Relaxed).is_err());
            continue;
        }
        check(&options(Mode::Relaxed), text);
        for mode in [Mode::Relaxed, Mode::Repair] {
            let read = |invalid_escape| {
                let options = options(mode).with_invalid_escape(invalid_escape);
                let parsed = parse_with(text, &options).unwrap();
                let codes: Vec<_> = parsed.diagnostics.iter().map(|d| d.code.as_str()).collect();
                assert_eq!(codes, vec!["rjson::invalid-escape"; notes], "{text}");
                parsed.value.to_string()
            };
            assert_eq!(read(InvalidEscape::Keep), kept, "{text}");
            assert_eq!(read(InvalidEscape::Drop), dropped, "{text}");
        }
        assert!(parse(text, Mode::Strict).is_err());
    }
}

#[test]
fn each_error_stands_at_the_first_byte_that_fits_nowhere() {
    for &(text, offset) in REFUSED {
        let (_, relaxed) = check_both(text);
        let error = relaxed.error.unwrap_or_else(|| panic!("{text:?} is accepted"));
        assert!(
            matches!(error.kind, ErrorKind::Syntax { .. } | ErrorKind::TrailingData),
            "{text:?}"
        );
        assert_eq!((error.offset, relaxed.offset), (offset, offset), "{text:?}");
        assert_eq!(parse(text, Mode::Relaxed).unwrap_err(), error);
    }
}

#[test]
fn open_input_is_an_unexpected_end_and_nothing_is_no_value() {
    for text in [
        "[",
        "{",
        "[1",
        "[1,",
        "[1, ",
        "{a",
        "{a:",
        "{'a",
        "{\"a\"",
        "\"a",
        "'",
        "\"\\",
        "\"\\u12",
        "\"\\ud83c",
        "tru",
        "-",
        "+",
        ".",
        "0x",
        "1e",
        "Infini",
        "N",
        "/",
        "/*",
        "/**",
        "/*/",
        "1 /*",
        "{\\u00",
        "\"\\\r",
        "\"\\0",
        "[true",
        "[1 ",
    ] {
        let (_, relaxed) = check_both(text);
        let error = relaxed.error.unwrap();
        assert_eq!(
            (error.kind, error.offset),
            (ErrorKind::UnexpectedEnd, text.len() as u64),
            "{text:?}"
        );
    }
    for text in ["", " ", "\n\t", "//", "# x\n", "/**/ /* */", "\u{feff}", "\u{3000}"] {
        let (_, relaxed) = check_both(text);
        let error = relaxed.error.unwrap();
        assert_eq!((error.kind, error.offset), (ErrorKind::NoValue, text.len() as u64), "{text:?}");
    }
}

#[test]
fn text_behind_the_value_is_trailing_data() {
    for (text, offset) in [
        ("1 2", 2),
        ("{} {}", 3),
        ("[1]]", 3),
        ("null,", 4),
        ("\"a\" //x\n b", 9),
        ("1 \u{200b}", 2),
        ("[];", 2),
        ("''''", 2),
    ] {
        let (_, relaxed) = check_both(text);
        let error = relaxed.error.unwrap();
        assert_eq!((error.kind, error.offset), (ErrorKind::TrailingData, offset), "{text:?}");
    }
}

#[test]
fn a_comma_waits_until_something_follows() {
    let run = check(&options(Mode::Relaxed), "[1, \n2 ,\t]");
    let shown: Vec<_> = run.tokens.iter().map(|t| (t.kind.as_str(), t.wire.as_str())).collect();
    assert_eq!(
        shown,
        [
            ("ArrayStart", "["),
            ("Number", "1"),
            ("Comma", ","),
            ("Whitespace", " \n"),
            ("Number", "2"),
            ("Whitespace", " "),
            ("rjson::trailing-comma", ""),
            ("Whitespace", ""),
            ("ArrayEnd", "]"),
        ]
    );
}

#[test]
fn words_become_strings_where_asked() {
    let options = options(Mode::Relaxed).with_non_finite(NonFinite::String);
    let run = check(&options, "[NaN, -Infinity ,+NaN,undefined]");
    assert_eq!(run.wire, r#"["NaN","-Infinity","NaN","undefined"]"#);
    let root = check(&options, "Infinity");
    assert_eq!(root.wire, "\"Infinity\"");
    let refused = check(&options.with_non_finite(NonFinite::Error), "[-NaN]");
    assert_eq!(refused.error.unwrap().offset, 2);
}

#[test]
fn keys_come_out_decoded_and_whole() {
    for (text, key) in [
        (r#"{"a\u0062\n":1}"#, "ab\n"),
        (r#"{"\ud83c\udf0a":1}"#, "🌊"),
        (r"{'\x41\'':1}", "A'"),
        ("{\\u0061é:1}", "aé"),
        (r#"{"plain":1}"#, "plain"),
        (r#"{"":1}"#, ""),
    ] {
        let (_, relaxed) = check_both(text);
        assert_eq!(relaxed.tokens[1].kind, format!("Key({key:?})"), "{text}");
        let wire = &relaxed.tokens[1].wire;
        assert_eq!(unescape(wire.trim_matches('"')), key);
    }
}
