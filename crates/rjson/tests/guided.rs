//! Repair guided by what the caller expects: which quote ends a string, and which readings are guesses.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

mod common;

use proptest::prelude::*;
use toolweir_rjson::{
    BypassedText, Expect, Follow, Kind, Kinds, Member, Mode, Options, PlainBytes, Shape,
    SourceMachine, Span, Token, Value, parse, parse_with,
};

/// `{path, content, n?, kind?, done?, edits?: [{old, new}], tags?: [string]}` as the arguments of a call.
fn call() -> Expect {
    Expect::new([
        Shape::object([Member::required("name", 1), Member::required("arguments", 2)]),
        Shape::new(Kinds::STRING),
        Shape::object([
            Member::required("path", 1),
            Member::required("content", 1),
            Member::optional("n", 3),
            Member::optional("kind", 4),
            Member::optional("done", 5),
            Member::optional("edits", 6),
            Member::optional("tags", 8),
            Member::optional("any", 9),
        ]),
        Shape::new(Kinds::NUMBER),
        Shape::new(Kinds::STRING).with_texts(["new".into(), "old".into()]),
        Shape::new(Kinds::BOOLEAN),
        Shape::array(7),
        Shape::object([Member::required("old", 1), Member::required("new", 1)]),
        Shape::array(1),
        Shape::new(Kinds::ANY),
    ])
}

struct Read {
    value: Value,
    guessed: bool,
    codes: Vec<&'static str>,
}

fn string_text(wire: &str) -> Token<'_> {
    Token { kind: Kind::StringDelta, wire, span: Span::empty(0) }
}

/// Reads the chunks with the machine that keeps sources, which come back whole. Where there are several,
/// each that is nothing but text of a string goes the short way.
fn machine(expect: &Expect, chunks: &[&str]) -> (String, Vec<(&'static str, u64, u64)>, bool) {
    let options = Options::new(Mode::Repair).with_expect(expect.clone());
    let mut machine = SourceMachine::new(options);
    let (mut wire, mut source, mut notes) = (String::new(), String::new(), Vec::new());
    let mut see = |token: &Token<'_>, text: &str| {
        wire.push_str(token.wire);
        source.push_str(text);
        if let Kind::Diagnostic(code) = token.kind {
            notes.push((code.as_str(), token.span.start, token.span.end));
        }
    };
    let (plain, is_text) = (PlainBytes::except(*b"ab"), |rest: &str| rest.len() != 1);
    let (mut bypassed, mut bypasses) = (BypassedText::default(), false);
    for chunk in chunks {
        let mut input = *chunk;
        bypasses |= chunks.len() > 1 && machine.may_be_bypassed();
        if bypasses {
            if bypassed.take(chunk, &plain, is_text, |text| see(&string_text(text), text)) {
                continue;
            }
            machine.bypassed(&bypassed);
            bypassed.clear();
            bypasses = false;
        }
        while let Ok(Some((token, text))) = machine.next(&mut input) {
            see(&token, text);
        }
        machine.feed(input);
    }
    if bypasses {
        machine.bypassed(&bypassed);
    }
    while let Ok(Some((token, text))) = machine.finish() {
        see(&token, text);
    }
    source.push_str(machine.unread());
    assert_eq!(source, chunks.concat());
    (wire, notes, machine.guessed())
}

/// The same at every split.
fn splits(expect: &Expect, text: &str) -> (String, Vec<(&'static str, u64, u64)>, bool) {
    let whole = machine(expect, &[text]);
    let chars: Vec<&str> = text.split_inclusive(|_: char| true).collect();
    assert_eq!(machine(expect, &chars), whole, "char by char: {text}");
    for (at, _) in text.char_indices() {
        assert_eq!(machine(expect, &[&text[..at], &text[at..]]), whole, "at {at}: {text}");
    }
    whole
}

fn read(expect: &Expect, text: &str) -> Read {
    let whole = splits(expect, text);
    let options = Options::new(Mode::Repair).with_expect(expect.clone());
    let value = parse_with(text, &options).unwrap().value;
    let codes: Vec<_> = whole.1.iter().map(|note| note.0).collect();
    assert_eq!(codes.contains(&"rjson::ambiguous"), whole.2, "{text}");
    Read { value, guessed: whole.2, codes }
}

fn wrapped(content: &str, before: &str, after: &str) -> String {
    format!("{{\"name\": \"w\", \"arguments\": {{{before}\"content\": \"{content}\"{after}}}}}")
}

fn content(value: &Value) -> Option<&str> {
    value.pointer("/arguments/content").and_then(|content| content.as_str())
}

/// Each of these is the content, and no guess, wherever it stands among the members.
#[test]
fn quotes_in_code_are_data() {
    for code in [
        r##"<nav><a href="#home">Home</a></nav>"##,
        r#"<script src="//cdn/x.js"></script>"#,
        r#"f("")"#,
        r#"return "";"#,
        r#"k = ["a", "b", "c"];"#,
        r#"if (a == "b") { return "c"; }"#,
        r#"SELECT * FROM t WHERE a = "b";"#,
        r#"f(x="a", y="b")"#,
        r#"{"a": "x", "b": "y"}"#,
        r#"print("}}")"#,
        r#"{"k": {"a": "b"}}"#,
        r#"let s = "a" + "b";"#,
        "\"\"",
        "x = \"\"\"Doc \"x\" \"\"\"\ny",
        "note = \"\"\"The key.\"\"\"",
        r#"say "hi", he said"#,
        r#"case "a": case "b": break;"#,
        r#"["old": "x", "new": "y"]"#,
        r#"say "</end>" and "bye""#,
    ] {
        for (before, after) in [
            ("\"path\": \"p\", ", ""),
            ("", ", \"path\": \"p\""),
            ("\"n\": 5, ", ", \"path\": \"p\", \"done\": true"),
            ("", ", \"n\": 5, \"kind\": \"new\", \"path\": \"p\""),
            ("", ", \"done\": false, \"n\": \"7\", \"path\": \"p\""),
            ("", ",\n  \"edits\": [{\"old\": \"o\", \"new\": \"n\"}],\n  \"path\": \"p\"\n"),
        ] {
            let text = wrapped(code, before, after);
            let read = read(&call(), &text);
            assert_eq!(content(&read.value), Some(code), "{text}");
            assert!(!read.guessed, "{text}");
        }
    }
}

/// A key that was given is no other member, wherever it stands among the declared ones.
#[test]
fn keys_are_told_apart_however_many_are_declared() {
    let names = (0..130).map(|n| format!("k{n:03}")).chain(["content".to_owned()]);
    let members: Vec<Member> = names.map(|name| Member::optional(&name, 1)).collect();
    let many = Expect::new([Shape::object(members), Shape::new(Kinds::STRING)]);
    for key in ["k001", "k070", "k129"] {
        let text = format!(r#""content": "a "b" c", "{key}": "d"}}"#);
        let once = read(&many, &format!("{{{text}"));
        assert!(!once.guessed, "{text}");
        assert_eq!(once.value.get(key), Some(&Value::from("d")));
        assert!(read(&many, &format!("{{\"{key}\": \"e\", {text}")).guessed, "{text}");
    }
}

/// Another reading of each of these fits as well.
#[test]
fn doubtful_quotes_are_guesses() {
    let path = ", \"path\": \"p\"";
    for (code, before, after) in [
        // An odd number of quotes.
        (r#"a 5" pipe"#, "", path),
        (r#"a "b" c" d"#, "", path),
        // A key that was given, is undeclared, or lacks its colon or its comma.
        (r#"say "hi", "path": "y""#, "\"path\": \"p\", ", ""),
        (r#"a "b" c", "other": "x"#, "", path),
        (r#"a "b" c", "done"#, "", path),
        (r#"a "b" c" "done": 1, "d"#, "", path),
        (r#"a "b" c", done: 1 "d"#, "", path),
        (r#"a "b" c" + "d"#, "", path),
        // Escapes beside raw line breaks.
        ("say \"hi\\n\"\nbye", "", path),
        // A required key is missing, one is undeclared, a comma is missing.
        (r#"say "hi""#, "", ""),
        (r#"say "hi""#, "\"path\": \"p\", \"other\": 1, ", ""),
        (r#"say "hi""#, "\"path\": \"p\" ", ""),
    ] {
        let text = wrapped(code, before, after);
        assert!(read(&call(), &text).guessed, "{text}");
    }
    for text in [
        // A quote twice before a key; a comma missing right after a quote.
        r#"{"name": "w", "arguments": {""path": "p", "content": "c"}}"#,
        r#"{"name": "w", "arguments": {"path": "p", "content": "c", "edits": [{""old": "x"}]}}"#,
        r#"{"name": "w", "arguments": {"path": "p""content": "c"}}"#,
        r#"{"name": "w", "arguments": {"path": "p", "content": "c", "edits": [{"old": "x""new": "y"}]}}"#,
        r#"{"name": "w", "arguments": {"path": "p", "content": "c", "tags": ["x""y"]}}"#,
        r#"{"name": "w", "arguments": {"path": "p", "content": "c", "tags": ["x "y" z", "w"]}}"#,
        r#"{"name": "w", "arguments": {"path": "p", "content": "c", "edits": [{"old": "3.10}, {"old": "x"}]}}"#,
    ] {
        assert!(read(&call(), text).guessed, "{text}");
    }
    let anything = Expect::anything();
    // A string that never ends may have ended before.
    assert!(read(&anything, "{\"a\": \"\"\"}").guessed);
    assert!(read(&anything, r#"{"a": "say "hi" there}"#).guessed);
    assert!(read(&anything, r#"{"a": "say "hi"", "b": 1}"#).guessed);
    assert!(!read(&anything, r#"{"a": "say "hi" twice"}"#).guessed);
}

/// What stands for a comma before a declared key ends the string as a comma does; anything else that may
/// be a damaged comma there is a guess.
#[test]
fn damaged_commas_before_declared_keys() {
    for comma in ["，", "、", "；", ";", " ，\n  "] {
        for (key, json, value) in [("kind", "\"new\"", "new".into()), ("n", "5", 5.into())] {
            let text = wrapped("c", "\"path\": \"p\", ", &format!("{comma}\"{key}\": {json}"));
            let read = read(&call(), &text);
            assert_eq!(content(&read.value), Some("c"), "{text}");
            let given: Option<&Value> = read.value.pointer(&format!("/arguments/{key}"));
            assert_eq!(given, Some(&value), "{text}");
            assert!(!read.guessed && read.codes.contains(&"rjson::other-comma"), "{text}");
        }
    }
    for comma in [r",\n", r"\n,", "，\\t", " and ", "<br>", ".", ".,", "=>", ":", "/", "} and "] {
        let text = wrapped("c", "\"path\": \"p\", ", &format!("{comma}\"kind\": \"new\""));
        assert!(read(&call(), &text).guessed, "{text}");
    }
    for comma in ["，", ";", r"\n", " and "] {
        let text = wrapped("c", "\"path\": \"p\", ", &format!(", \"tags\": [\"x\"{comma}\"y\"]"));
        assert!(read(&call(), &text).guessed, "{text}");
    }
    // Neither declared, nor with a colon, nor near.
    for text in
        ["，\"other\": \"x", " and \"kind\" or \"x", " is what it says to the \"kind\": \"x"]
    {
        let text = wrapped(&format!("c\"{text}"), "", ", \"path\": \"p\"");
        assert!(!read(&call(), &text).guessed, "{text}");
    }
}

/// Whether a backslash is an escape or text is not to be known.
#[test]
fn doubtful_backslashes_are_guesses() {
    let path = ", \"path\": \"p\"";
    for (code, before, after) in [
        // Before a raw line break.
        ("cc -o a \\\n  b.c", "", path),
        ("cc -o a \\\r\n  b.c", "", path),
        // Beside raw line breaks, or after the letter of a drive, where others are none.
        ("use a\\runtime;\nuse a\\api;", "", path),
        (r"C:\Users\name\notes.txt", "", path),
        (r"d:\temp\Users", "", path),
        // Beside raw line breaks, where another string has unescaped quotes.
        ("if c == '\\n'\n  stop", "", ", \"path\": \"a \"b\" c\""),
    ] {
        let text = wrapped(code, before, after);
        assert!(read(&call(), &text).guessed, "{text}");
    }
    for (code, value) in [
        (r"match(r'\d+', s)\n", "match(r'\\d+', s)\n"),
        (r"C:\Users\me", r"C:\Users\me"),
        ("a\n\\\"b\\\"\n\\t", "a\n\"b\"\n\t"),
        ("re: '\\d'\n  x", "re: '\\d'\n  x"),
    ] {
        let text = wrapped(code, "", path);
        let read = read(&call(), &text);
        assert_eq!(content(&read.value), Some(value), "{text}");
        assert!(!read.guessed, "{text}");
    }
}

#[test]
fn an_object_is_due_where_a_declared_key_stands() {
    let arguments = Kinds::OBJECT.with(Kinds::STRING).with(Kinds::EMBEDDED);
    let member = |kinds| {
        let inner = Shape::new(kinds).with_members([Member::optional("k", 2)]);
        let root = Shape::object([Member::optional("o", 1), Member::optional("n", 2)]);
        Expect::new([root, inner, Shape::new(Kinds::ANY)])
    };
    for kinds in [Kinds::OBJECT, arguments] {
        for (text, value, guessed) in [
            (r#"{"o": "k": "v"}, "n": 1}"#, r#"{"o":{"k":"v"},"n":1}"#, false),
            (r#"{"o": "k": 1}}"#, r#"{"o":{"k":1}}"#, false),
            (r#"{"o": "k": "a "b" c"}, "n": 1}"#, r#"{"o":{"k":"a \"b\" c"},"n":1}"#, false),
            // A key that is not declared may be the beginning of a string.
            (r#"{"o": "other": 1}}"#, r#"{"o":{"other":1}}"#, true),
        ] {
            let (expect, read) = (member(kinds), read(&member(kinds), text));
            splits(&expect, text);
            assert_eq!(read.value.to_string(), value, "{text}");
            assert_eq!(read.guessed, guessed, "{text}");
            assert!(read.codes.contains(&"rjson::implied-object"), "{text}");
        }
    }
    // Where a string is allowed it is one, and where it holds an object.
    let text = r#"{"o": "k": 1}"#;
    let strings = read(&member(Kinds::OBJECT.with(Kinds::STRING)), text);
    assert!(!strings.codes.contains(&"rjson::implied-object"));
    let embedded = read(&member(arguments), r#"{"o": "{\"k\": 1}"}"#);
    assert!(embedded.codes.is_empty() && !embedded.guessed);
}

#[test]
fn entries_of_a_list_are_known_by_their_keys() {
    let text = r#"{"name": "w", "arguments": {"path": "p", "content": "c", "edits":
        [{"old": "f("a", "b")", "new": "g("c")"}, {"old": "{"old": "x"}", "new": "say "hi""}]}}"#;
    let read = read(&call(), text);
    let edits = read.value.pointer("/arguments/edits").unwrap().to_string();
    let wanted = r#"[{"old":"f(\"a\", \"b\")","new":"g(\"c\")"},{"old":"{\"old\": \"x\"}","new":"say \"hi\""}]"#;
    assert_eq!(edits, wanted);
    assert!(!read.guessed);
}

#[test]
fn strings_in_three_quotes_end_at_three() {
    let text = wrapped("\"\"def f(\"a\"): \"\"\"Doc\"\"\" pass\"\"", "", ", \"path\": \"p\"");
    let read = read(&call(), &text);
    assert_eq!(content(&read.value), Some("def f(\"a\"): \"\"\"Doc\"\"\" pass"));
    assert!(!read.guessed && read.codes.contains(&"rjson::triple-quotes"));
}

#[test]
fn three_quotes_in_a_row_need_not_be_alike() {
    let text = "\u{201c}say \"\"\u{201d} and { $b\u{201d}";
    let (wire, notes, _) = splits(&Expect::anything(), text);
    assert_eq!(wire, r#""say \"\"” and { $b""#);
    assert!(notes.contains(&("rjson::inner-quote", 7, 12)), "{notes:?}");
}

#[test]
fn a_declared_key_ends_a_string_whatever_its_value_looks_like() {
    let text = r#"{"name": "w", "arguments": ]</tool_call>"#;
    let (_, notes, _) = splits(&call().with_follow(Follow::Anything), text);
    assert!(notes.iter().all(|(code, ..)| *code != "rjson::inner-quote"), "{notes:?}");
}

#[test]
fn a_comma_that_is_missing_behind_closing_brackets_ends_a_string() {
    let edits = |text: &str| {
        format!(r#"{{"name": "w", "arguments": {{"path": "p", "edits": {text} "content": "c"}}}}"#)
    };
    for (damaged, whole) in [
        (r#"[{"old": "a", "new": "b"}]"#, r#"[{"old":"a","new":"b"}]"#),
        (
            r#"[{"old": "a", "new": "b"} {"old": "c", "new": "d"}],"#,
            r#"[{"old":"a","new":"b"},{"old":"c","new":"d"}]"#,
        ),
        (
            "[{\"old\": \"a\", \"new\": \"b\"}\n{\"old\": \"c\", \"new\": \"d\"}]",
            r#"[{"old":"a","new":"b"},{"old":"c","new":"d"}]"#,
        ),
    ] {
        let text = edits(damaged);
        let (wire, _, guessed) = splits(&call(), &text);
        assert!(!guessed, "{text}");
        let value = parse(&wire, Mode::Strict).unwrap().value;
        let edits = value.pointer("/arguments/edits").unwrap();
        assert_eq!(edits.to_string(), whole, "{text}");
        assert_eq!(content(&value), Some("c"), "{text}");
    }
    // What the list does not expect may be data.
    let text = edits(r#"[{"old": "a", "new": "b"} {"other": "c", "new": "d"}],"#);
    assert!(splits(&call(), &text).2, "{text}");
}

#[test]
fn objects_behind_a_comma_or_semicolon_follow_where_they_may() {
    for separator in [",", ";", " ;\n"] {
        let text = format!(r#"{{"name": "w"}}{separator} {{"name": "v"}}"#);
        let ends = |follow| {
            let (_, notes, _) = splits(&call().with_follow(follow), &text);
            notes.iter().all(|(code, ..)| *code != "rjson::inner-quote")
        };
        assert!(ends(Follow::Objects), "{separator:?}");
        assert!(ends(Follow::Anything), "{separator:?}");
        let text = format!(r#"{{"name": "w"}}{separator} {{"other": "v"}}"#);
        let ends = |follow| {
            let (_, notes, _) = splits(&call().with_follow(follow), &text);
            notes.iter().all(|(code, ..)| *code != "rjson::inner-quote")
        };
        assert!(ends(Follow::Objects), "{separator:?}");
        assert!(!ends(Follow::Anything), "code goes on like this");
    }
}

#[test]
fn what_may_follow_the_root_counts() {
    let text = r#"{"name": "w", "arguments": {"path": "p", "content": "x"}} and more"#;
    let loose = call().with_follow(Follow::Anything);
    assert_eq!(content(&read(&loose, text).value), Some("x"));
    assert_eq!(
        content(&read(&loose, &wrapped("print(\"}}\")", "", "")).value),
        Some("print(\"}}\")")
    );
}

#[test]
fn a_marker_behind_the_root_counts_whatever_it_looks_like() {
    let text = r#"{"name": "w", "arguments": {"path": "p", "content": "x"}}>>>all"#;
    let plain = call().with_follow(Follow::Anything);
    assert_ne!(content(&read(&plain, text).value), Some("x"), "code goes on like this");
    let marked = plain.with_markers([">>>".to_owned()].into());
    assert_eq!(content(&read(&marked, text).value), Some("x"));
    let (_, notes, _) = splits(&marked, text);
    assert!(notes.iter().all(|(code, ..)| *code != "rjson::inner-quote"), "{notes:?}");
    let code = r#"{"name": "w", "arguments": {"path": "p", "content": "say "x"}}>> y"}}"#;
    assert_eq!(content(&read(&marked, code).value), Some("say \"x\"}}>> y"));
}

/// What the bound leaves open is as strict reading has it, and in a string that holds quotes data.
#[test]
fn decisions_are_bounded() {
    let long = "k".repeat(400);
    let valid = format!("{{\"name\": \"w\", \"{long}\": 1}}");
    assert_eq!(read(&call(), &valid).value, parse(&valid, Mode::Strict).unwrap().value);
    let blanks = " ".repeat(3000);
    let text = wrapped("say \"hi\"", "", &format!("{blanks},{blanks}\"path\": \"p\""));
    let options = Options::new(Mode::Repair).with_expect(call());
    let value = parse_with(&text, &options).unwrap().value;
    assert_ne!(content(&value), Some("say \"hi\""), "more than 4 KiB of blanks");
}

/// Pieces of code and of calls.
const PIECES: &[&str] = &[
    "\"",
    "\"",
    "\"\"",
    "\"\"\"",
    "'",
    "\\\"",
    "\\n",
    "\n",
    " ",
    ", ",
    ": ",
    "}",
    "]",
    "}}",
    "{",
    "[",
    "(",
    ")",
    ";",
    "=",
    "+",
    "#",
    "//",
    "/*",
    "*/",
    "a",
    "path",
    "content",
    "\"path\"",
    "\"content\": \"",
    "\"n\": ",
    "\"other\"",
    "5",
    "true",
    "null",
    "\"old\": \"",
    "\"new\": \"",
    "```",
    "\\",
    "\u{e9}",
];

proptest! {
    #![proptest_config(common::cases(256))]

    /// Sources come back whole, and values, notes and verdict are the same at every split.
    #[test]
    fn every_split_reads_the_same(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24),
        before in prop::bool::ANY,
    ) {
        let path = "\"path\": \"p\"";
        let code = pieces.concat();
        let (left, right) = if before { (format!("{path}, "), String::new()) } else { (String::new(), format!(", {path}")) };
        let text = wrapped(&code, &left, &right);
        for expect in [call(), Expect::anything(), call().with_follow(Follow::Anything)] {
            splits(&expect, &text);
        }
    }

    /// What relaxed mode reads is no guess, and has the same value.
    #[test]
    fn what_can_be_read_is_never_touched(code in "[a-z ,:{}#'/\n\u{e9}]{0,12}", n in 0..99) {
        let text = wrapped(&code, "\"path\": \"p\", ", &format!(", \"other\": [{n}, \"x\"], \"path\": \"q\""));
        let read = read(&call(), &text);
        prop_assert!(!read.guessed);
        prop_assert_eq!(read.value, parse(&text, Mode::Relaxed).unwrap().value);
    }
}
