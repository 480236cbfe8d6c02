//! Several values in a text, and damaged text written as strict JSON.

#![allow(clippy::unwrap_used)]

use toolweir_rjson::{
    Duplicates, ErrorKind, Mode, Options, ParsedMany, Value, parse, parse_many, to_string,
    transform, transform_with,
};

fn roots(many: &ParsedMany, text: &str) -> Vec<(String, String)> {
    let one = |root: &toolweir_rjson::Root| {
        (to_string(&root.value), text.get(root.span.as_range()).unwrap().to_owned())
    };
    many.roots.iter().map(one).collect()
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(value, source)| ((*value).to_owned(), (*source).to_owned())).collect()
}

#[test]
fn lines_of_json_are_values_with_their_places() {
    let text = " {\"k\": 1}\n[2 ]\n\n\"x\" 4\n";
    for mode in [Mode::Strict, Mode::Relaxed] {
        let many = parse_many(text, &Options::new(mode)).unwrap();
        let expected =
            [("{\"k\":1}", "{\"k\": 1}"), ("[2]", "[2 ]"), ("\"x\"", "\"x\""), ("4", "4")];
        assert_eq!(roots(&many, text), pairs(&expected), "{mode:?}");
        assert_eq!(many.diagnostics, []);
    }
}

#[test]
fn values_that_touch_and_comments_between_them_are_read() {
    let text = "{a: 1}[.5] // one\n/* two */ 'x'#end";
    let many = parse_many(text, &Options::new(Mode::Relaxed)).unwrap();
    let expected = [("{\"a\":1}", "{a: 1}"), ("[0.5]", "[.5]"), ("\"x\"", "'x'")];
    assert_eq!(roots(&many, text), pairs(&expected));
}

#[test]
fn places_and_notes_count_from_the_beginning_of_the_text() {
    let text = "[1]\n{\"k\":1,\"k\":2}\n[3,]";
    let many = parse_many(text, &Options::new(Mode::Relaxed)).unwrap();
    let notes: Vec<_> =
        many.diagnostics.iter().map(|n| (n.code.as_str(), n.span.start, n.span.end)).collect();
    assert_eq!(notes, [("rjson::duplicate-key", 11, 14), ("rjson::trailing-comma", 20, 21)]);
}

#[test]
fn what_is_broken_behind_whole_values_fails_all_the_same() {
    for (text, at, kind) in [
        ("", 0, ErrorKind::NoValue),
        (" \n ", 3, ErrorKind::NoValue),
        ("[1] [2", 6, ErrorKind::UnexpectedEnd),
        ("[1] ]", 4, ErrorKind::Syntax { expected: "a value" }),
        ("1 2 tru", 7, ErrorKind::UnexpectedEnd),
    ] {
        let error = parse_many(text, &Options::new(Mode::Strict)).unwrap_err();
        assert_eq!((error.offset, error.kind), (at, kind), "{text:?}");
    }
    let text = "[1] {\"k\":1,\"k\":2}";
    let options = Options::new(Mode::Strict).with_duplicates(Duplicates::Error);
    let error = parse_many(text, &options).unwrap_err();
    assert_eq!((error.offset, error.kind), (11, ErrorKind::DuplicateKey));
}

#[test]
fn one_value_with_several_behind_it_is_several_by_repair_alone() {
    for mode in [Mode::Strict, Mode::Relaxed] {
        assert_eq!(parse("[1] [2]", mode).unwrap_err().kind, ErrorKind::TrailingData, "{mode:?}");
    }
    assert_eq!(parse("[1] [2]", Mode::Repair).unwrap().value.to_string(), "[[1],[2]]");
}

#[test]
fn transformed_text_keeps_its_blanks_and_loses_its_comments() {
    for (mode, text, out) in [
        (Mode::Strict, " [1 , 2]\n", " [1 , 2]\n"),
        (Mode::Relaxed, "{ // c\n  a: 'x', }\n", "{ \n  \"a\": \"x\" }\n"),
        (Mode::Relaxed, "[+1, 0x10] # c", "[1, 16] "),
        (Mode::Repair, "Take {\"k\":1} {\"k\":2}", "[{\"k\":1} ,{\"k\":2}]"),
    ] {
        let written = transform(text, mode).unwrap();
        assert_eq!(written.replace(' ', ""), out.replace(' ', ""), "{text:?}");
        let (read, again) = (parse(text, mode).unwrap().value, parse(&written, Mode::Strict));
        assert_eq!(again.unwrap().value, read, "{written:?}");
    }
}

#[test]
fn a_repeated_key_stays_twice_in_a_transformed_text_unless_it_is_refused() {
    let text = "{'k': 1, 'k': 2}";
    let (written, notes) = transform_with(text, &Options::new(Mode::Relaxed)).unwrap();
    assert_eq!((written.as_str(), notes.len()), ("{\"k\": 1, \"k\": 2}", 0));
    let options = Options::new(Mode::Relaxed).with_duplicates(Duplicates::Error);
    let refused = transform_with(text, &options).unwrap_err();
    assert_eq!((refused.offset, refused.kind), (9, ErrorKind::DuplicateKey));
    let nested = transform_with("[{'k': 1}, {'k': 2}]", &options).unwrap();
    assert_eq!(nested.0, "[{\"k\": 1}, {\"k\": 2}]");
}

#[test]
fn a_call_around_one_literal_is_that_literal() {
    for (text, value) in [
        ("ObjectId(\"a1\")", Value::from("a1")),
        ("new Date('x');", Value::from("x")),
        ("NumberInt( 5 ) ;;", Value::from(5)),
        ("f(true)", Value::from(true)),
    ] {
        let parsed = parse(text, Mode::Repair).unwrap();
        assert_eq!(parsed.value, value, "{text}");
        let codes: Vec<_> = parsed.diagnostics.iter().map(|note| note.code.as_str()).collect();
        assert!(codes.contains(&"rjson::wrapper") || codes.contains(&"rjson::call"), "{codes:?}");
    }
    // More than a call: prose around a value, or none.
    assert_eq!(parse("f(5) gives 6, see [1]", Mode::Repair).unwrap().value.to_string(), "[1]");
}
