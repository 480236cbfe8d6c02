use super::*;
use alloc::format;

#[test]
fn only_what_json_forbids_is_escaped() {
    let mut out = String::new();
    escape_into(&mut out, "\0\u{1}\u{8}\t\n\u{b}\u{c}\r\u{1f} \"/\\\u{7f}\u{80}é\u{2028}🌊");
    assert_eq!(out, "\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f \\\"/\\\\\u{7f}\u{80}é\u{2028}🌊");
}

#[test]
fn escaping_agrees_with_serde_json_and_is_undone() {
    for c in ('\0'..=char::MAX).step_by(7).chain('\0'..'\u{300}') {
        let text = format!("{c}x{c}{c}");
        let mut out = String::new();
        write_string(&mut out, &text);
        assert_eq!(out, serde_json::to_string(&text).unwrap());
        assert_eq!(unescape(&out[1..out.len() - 1]), text);
        let mut one = String::new();
        push_char(&mut one, c);
        assert_eq!(one.len(), escaped_len(c));
    }
}

#[test]
fn pieces_concatenate() {
    let text = "a\"b\\c\nd\u{1}é";
    let mut whole = String::new();
    escape_into(&mut whole, text);
    let mut pieces = String::new();
    for c in text.chars() {
        escape_into(&mut pieces, c.encode_utf8(&mut [0; 4]));
    }
    assert_eq!(whole, pieces);
}

#[test]
fn every_escape_is_read() {
    assert_eq!(unescape(r#"\"\\\/\b\f\n\r\tA\u00e9\uD83C\udf0A"#), "\"\\/\u{8}\u{c}\n\r\tAé🌊");
}

#[test]
fn broken_escapes_never_panic() {
    for (text, gives) in [
        ("\\", "\\"),
        ("a\\", "a\\"),
        ("\\q", "\\q"),
        ("\\u", "\\u"),
        ("\\u12", "\\u12"),
        ("\\u12é4", "\\u12é4"),
        ("\\u+123", "\\u+123"),
        ("\\ud800", "\u{fffd}"),
        ("\\ud800x", "\u{fffd}x"),
        ("\\ud800\\n", "\u{fffd}\n"),
        ("\\ud800\\ue000", "\u{fffd}\u{e000}"),
        ("\\udc00\\ud800", "\u{fffd}\u{fffd}"),
        ("\\ud800\\ud83c\\udf0a", "\u{fffd}🌊"),
    ] {
        assert_eq!(unescape(text), gives, "{text}");
    }
}

/// Feeds `text` and gives the last answer and the bytes of the escape, however the text is cut.
fn feed(text: &str, rules: Rules) -> (Fed, usize) {
    let whole = Escape::default().feed(text, rules);
    let mut escape = Escape::default();
    let (mut last, mut length) = (Fed::NeedMore, 0);
    for c in text.chars() {
        let mut bytes = [0; 4];
        let (c, taken) = (&*c.encode_utf8(&mut bytes), length);
        (last, length) = escape.feed(c, rules);
        length += taken;
        match last {
            Fed::NeedMore => assert!(escape.is_open()),
            Fed::Done(unit) => {
                assert_eq!((unit.length, escape.text()), (length, &text[..length]));
                break;
            }
            Fed::Fail(..) => {
                assert_eq!(escape.feed(c, rules), (last, 0), "a failure changes nothing");
                break;
            }
        }
    }
    assert_eq!((last, length), whole, "{text}");
    whole
}

#[test]
fn the_fast_path_agrees_with_the_slow_one() {
    for text in [
        "\\n",
        "\\\"",
        "\\/",
        "\\u0041",
        "\\uD83C\\uDF0a",
        "\\ud83c\\n",
        "\\ud83cx",
        "\\udf0a",
        "\\ud83c\\ud83c",
        "\\u00g0",
        "\\q",
        "\\u12",
        "\\ud83c\\udf",
        "\\",
        "\\'",
        "\\x41",
        "\\ud83c\\u0041",
        "\\u+123",
        "\\v",
        "\\0",
    ] {
        let slow = match feed(text, Rules::Strict) {
            (Fed::Done(_), taken) => Some(taken),
            _ => None,
        };
        assert_eq!(strict_escape(text.as_bytes()).map(|(length, _)| length), slow, "{text}");
    }
}

#[test]
fn the_first_character_that_fits_nowhere_fails() {
    for (text, rules, at) in [
        ("\\q", Rules::Strict, 1),
        ("\\'", Rules::Strict, 1),
        ("\\u12g4", Rules::Strict, 4),
        ("\\udc00", Rules::Strict, 3),
        ("\\ud800x", Rules::Relaxed, 6),
        ("\\ud800\\n", Rules::Relaxed, 7),
        ("\\ud800\\u0041", Rules::Relaxed, 8),
        ("\\ud800\\ud800", Rules::Relaxed, 9),
        ("\\xg0", Rules::Relaxed, 2),
        ("\\n", Rules::Identifier, 1),
    ] {
        let (fed, taken) = feed(text, rules);
        assert!(matches!(fed, Fed::Fail(..)), "{text}");
        assert_eq!(taken, at, "{text}");
    }
}

#[test]
fn relaxed_escapes_decode() {
    for (text, decoded, taken) in [
        ("\\'", Some('\''), 2),
        ("\\v", Some('\u{b}'), 2),
        ("\\x7Ez", Some('~'), 4),
        ("\\xe9", Some('é'), 4),
        ("\\0a", Some('\0'), 2),
        ("\\\n", None, 2),
        ("\\\r\n", None, 3),
        ("\\\rx", None, 2),
        ("\\\u{2028}", None, 4),
    ] {
        let (fed, length) = feed(text, Rules::Relaxed);
        assert!(
            matches!(fed, Fed::Done(unit) if unit.decoded == decoded && !unit.strict && !unit.invalid),
            "{text:?}: {fed:?}"
        );
        assert_eq!(length, taken, "{text:?}");
    }
}

#[test]
fn backslashes_that_begin_no_escape_are_data() {
    for (text, last, taken) in
        [("\\q", '\\', 1), ("\\é", '\\', 1), ("\\1", '\\', 1), ("\\01", '0', 2), ("\\\t", '\\', 1)]
    {
        let (fed, length) = feed(text, Rules::Relaxed);
        assert!(
            matches!(fed, Fed::Done(unit) if unit.invalid && unit.decoded == Some(last)),
            "{text:?}: {fed:?}"
        );
        assert_eq!(length, taken, "{text:?}");
    }
}

#[test]
fn a_long_character_in_the_place_of_the_last_digit_fits_nowhere() {
    for c in ['é', '\u{feff}', '🌊'] {
        for begun in [r"\ud83c\udf0", r"\ud83c\u", r"\u12", r"\u"] {
            let text = format!("{begun}{c}{c}{c}");
            for rules in [Rules::Strict, Rules::Relaxed, Rules::Identifier] {
                let fed = Escape::default().feed(&text, rules);
                assert_eq!(fed, (Fed::Fail(begun.len(), HEX), begun.len()), "{text}");
            }
        }
    }
}
