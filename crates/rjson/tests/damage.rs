//! Repair mode by behaviour: what each kind of damage becomes, alone and together with others, at
//! every place where a text can be cut.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice)]

mod common;

use toolweir_rjson::{Machine, Mode, Options, TreeBuilder, Value, parse, to_string};

/// The roots of a text that comes in chunks; none where it is refused.
fn in_chunks<'t>(chunks: impl Iterator<Item = &'t str>) -> Option<Vec<Value>> {
    let options = Options::new(Mode::Repair);
    let (mut machine, mut tree) = (Machine::new(options.clone()), TreeBuilder::new(&options));
    let mut roots = Vec::new();
    for mut chunk in chunks {
        while let Some(token) = machine.next(&mut chunk).ok()? {
            tree.push(&token).unwrap();
            roots.extend(tree.take());
        }
    }
    while let Some(token) = machine.finish().ok()? {
        tree.push(&token).unwrap();
        roots.extend(tree.take());
    }
    Some(roots)
}

/// Each text has this value, whole and however it is cut. No value: it is refused.
fn become_values(cases: &[(&str, &str)]) {
    for &(text, expected) in cases {
        let whole = parse(text, Mode::Repair).map(|parsed| parsed.value);
        let shown = whole.as_ref().map(to_string).unwrap_or_default();
        assert_eq!(shown, expected, "{text}");
        let roots = whole.is_ok().then(|| in_chunks([text].into_iter()).unwrap());
        assert_eq!(in_chunks(text.split_inclusive(|_: char| true)), roots, "{text}");
        for (at, _) in text.char_indices() {
            let halves = [&text[..at], &text[at..]];
            assert_eq!(in_chunks(halves.into_iter()), roots, "{text} at {at}");
        }
    }
}

#[test]
fn a_key_without_its_closing_quote_ends_at_its_colon() {
    become_values(&[
        (r#"{"a: 1, "b": 2}"#, r#"{"a":1,"b":2}"#),
        (r#"{"a": "x", "b: 2, "c": 3}"#, r#"{"a":"x","b":2,"c":3}"#),
        (r#"{"a":"x","b:"y"}"#, r#"{"a":"x","b":"y"}"#),
        (r#"{"a":"x","b: "y", "c": "z"}"#, r#"{"a":"x","b":"y","c":"z"}"#),
        (r#"{"a":"x","b:["-y","1"]}"#, r#"{"a":"x","b":["-y","1"]}"#),
        (r#"{"a":"x","b:{"c":"d"},"e":1}"#, r#"{"a":"x","b":{"c":"d"},"e":1}"#),
        (r#"{"day:"2031-05-06"}"#, r#"{"day":"2031-05-06"}"#),
        (r#"{"a":1,"s:""}"#, r#"{"a":1,"s":""}"#),
        (r#"{"a":1,"s: "", "b":2}"#, r#"{"a":1,"s":"","b":2}"#),
        ("{'u: 1, 'b': 2}", r#"{"u":1,"b":2}"#),
        // Nothing but the end after it: a value shows that it was not cut.
        (r#"{"a":1,"b: 2}"#, r#"{"a":1,"b":2}"#),
        (r#"[{"a":1,"b: true}]"#, r#"[{"a":1,"b":true}]"#),
        (r#"{"a":1,"b: y}"#, r#"{"a":1}"#),
        (r#"{"a":1,"b:"#, r#"{"a":1}"#),
        (r#"{"a":"x, "b: 1, "c":2}"#, r#"{"a":"x","b":1,"c":2}"#),
        (r#"{"a:" 5}"#, r#"{"a:":5}"#),
        (r#"{"ok"false,"n"null}"#, r#"{"ok":false,"n":null}"#),
    ]);
}

#[test]
fn letters_of_prefixes_are_keys_and_text_too() {
    for letter in ["b", "u", "r", "f", "B", "Rb"] {
        let case = |text: &str| text.replace('@', letter);
        let all = [
            (r#"{"a: 1, "@": 2}"#, r#"{"a":1,"@":2}"#),
            (r#"{"a":"x, "@": 2}"#, r#"{"a":"x","@":2}"#),
            (r#"{"a":@","c":1}"#, r#"{"a":"@","c":1}"#),
            (r#"[@","c"]"#, r#"["@","c"]"#),
            (r#"{"a":@"}"#, r#"{"a":"@"}"#),
            (r#"{"k"@"y": 1}"#, r#"{"k\"@\"y":1}"#),
            (r#"{"a":"say "@" it"}"#, r#"{"a":"say \"@\" it"}"#),
            (r#"{@"a":@"x"}"#, r#"{"a":"x"}"#),
            (r#"[@"", @"x"]"#, r#"["","x"]"#),
        ];
        let all = all.map(|(text, value)| (case(text), case(value)));
        let all: Vec<(&str, &str)> = all.iter().map(|(t, v)| (t.as_str(), v.as_str())).collect();
        become_values(&all);
    }
}

#[test]
fn documents_escaped_once_too_often_keep_their_line_breaks() {
    become_values(&[
        (r#"{\n  \"a\": 1,\n  \"b\": [1, 2]\n}"#, r#"{"a":1,"b":[1,2]}"#),
        (r#"{\r\n\t\"a\": true\r\n}"#, r#"{"a":true}"#),
        (r#"[\n  {\n \"a\": null\n},\n  \"x\\ny\"\n]\n"#, r#"[{"a":null},"x\ny"]"#),
        (r"[\n1,\n2\n]", "[1,2]"),
        (r#"\"a\": 1, \"b\": \"c\""#, r#"{"a":1,"b":"c"}"#),
        (r#"[\"a\": 1]"#, r#"[{"a":1}]"#),
        (r#"Here: {\"a\": 1}"#, r#"{"a":1}"#),
        (r#"\n{\n\"a\": words\n}"#, r#"{"a":"words"}"#),
        (r#"{\"a\": 1\"#, r#"{"a":1}"#),
        (r#"{\"a\": \"#, r#"{"a":null}"#),
        // Paths begin so too.
        (r"[\new, \temp\x]", r#"["\\new","\\temp\\x"]"#),
    ]);
}

#[test]
fn strings_in_a_row_are_one_value() {
    become_values(&[
        (r#"{"a":"x" "y" "z"}"#, r#"{"a":"xyz"}"#),
        ("{\"a\":\"x\"\n\"y\"\n\"z\",\"b\":1}", r#"{"a":"xyz","b":1}"#),
        (r#"{"a":"x" "y" "b":1}"#, r#"{"a":"xy","b":1}"#),
        ("{'a': ('x '\n  'y'), 'b': 1}", r#"{"a":"x y","b":1}"#),
        ("{'a': ('x'\n 'y'\n 'z')}", r#"{"a":"xyz"}"#),
        (r#"[("x" "y"), "z"]"#, r#"["xy","z"]"#),
        (r#"{"a":"x" + "y" "z"}"#, r#"{"a":"xyz"}"#),
        (r#"{"a":"say "yes" "no" now"}"#, r#"{"a":"say \"yes\" \"no\" now"}"#),
        (r#"{"a":"x" +"#, r#"{"a":"x"}"#),
    ]);
}

#[test]
fn quotes_inside_strings_are_told_from_their_end() {
    become_values(&[
        (r#"["say "it"","x"]"#, r#"["say \"it\"","x"]"#),
        (r#"[""it""]"#, r#"["\"it\""]"#),
        (r#"["a""b"]"#, r#"["a\"\"b"]"#),
        (r#"["a",b,"c"]"#, r#"["a","b","c"]"#),
        (r##"{"c":"<a href="#x">y</a>","n":1}"##, r##"{"c":"<a href=\"#x\">y</a>","n":1}"##),
        (r#"{"c":"src="//cdn"","n":1}"#, r#"{"c":"src=\"//cdn\"","n":1}"#),
        (r#"{"c":"f("")","m":1}"#, r#"{"c":"f(\"\")","m":1}"#),
        (r#"{"c":"return "";","m":1}"#, r#"{"c":"return \"\";","m":1}"#),
        (r#"{"c":"k = ["a", "b", "c"];"}"#, r#"{"c":"k = [\"a\", \"b\", \"c\"];"}"#),
        (r#"{"c":"f(x="a", y="b")"}"#, r#"{"c":"f(x=\"a\", y=\"b\")"}"#),
        (
            r#"{"c":"if (a == "b") { return "c"; }"}"#,
            r#"{"c":"if (a == \"b\") { return \"c\"; }"}"#,
        ),
        (r#"{"a" /* c */:"x"/* c */}"#, r#"{"a":"x"}"#),
        (r#"{"a":"""say "it""""}"#, r#"{"a":"say \"it\""}"#),
        (r#"[{"a":"x"{"a":"y"}]"#, r#"[{"a":"x"},{"a":"y"}]"#),
        (r#"["a",("b"),("c","d")]"#, r#"["a","b",["c","d"]]"#),
        (r#"["a" .5]"#, r#"["a",0.5]"#),
        (r#"[1"a",true"b"]"#, r#"[1,"a",true,"b"]"#),
        (r#"[5" wide", 6"]"#, r#"["5\" wide\"",6]"#),
    ]);
}

#[test]
fn a_call_is_a_value_only_by_itself() {
    become_values(&[
        (r#"{"a":At("x"),"b":2}"#, r#"{"a":"x","b":2}"#),
        (r#"{"a":at("x").to("y")}"#, r#"{"a":"at(\"x\").to(\"y\")"}"#),
        (r#"{"a":at("x") + 1,"b":2}"#, r#"{"a":"at(\"x\") + 1","b":2}"#),
        (r#"{"a":At("x") "b":2}"#, r#"{"a":"x","b":2}"#),
        (
            r#"{"a":At("x") // why
}"#,
            r#"{"a":"x"}"#,
        ),
    ]);
}

#[test]
fn markup_without_quotes_is_a_string_as_written() {
    become_values(&[
        (r#"{"h":<a href="x" id='y'>z</a>,"n":1}"#, r#"{"h":"<a href=\"x\" id='y'>z</a>","n":1}"#),
        (r#"{"h":<b>x</b> n=1}"#, r#"{"h":"<b>x</b>","n":1}"#),
        (r#"{"h":a < b k: 1}"#, r#"{"h":"a < b","k":1}"#),
    ]);
}

#[test]
fn what_stands_around_roots_goes_by() {
    become_values(&[
        (r#"[Note] see {"a":1}"#, r#"{"a":1}"#),
        (r#"[Note]: {"a":1}"#, r#"{"a":1}"#),
        (r#"{ name } is [1]"#, "[1]"),
        (r#"[link](there) {"a":1}"#, r#"{"a":1}"#),
        ("[word]", r#"["word"]"#),
        ("[a, b] and more", r#"["a","b"]"#),
        (r#"{"a":1}""#, r#"{"a":1}"#),
        (r#"{"a":"b"}"}"#, r#"{"a":"b"}"#),
        (r#"{"a":1}"b""#, r#"[{"a":1},"b"]"#),
        (r#""a"]"#, r#""a""#),
        ("4]}", "4"),
        ("1 2 3", "[1,2,3]"),
        ("true null\n\"x\"", r#"[true,null,"x"]"#),
        ("3 apples", ""),
        ("1 true story", ""),
        (r#"1 2 {"a":1}"#, r#"{"a":1}"#),
        ("```json\n{\"a\":[\"b\",\n```", r#"{"a":["b"]}"#),
        ("```json\n{\"a\":1,\n```\n", r#"{"a":1}"#),
        ("```json\n{\"a\":\n```", r#"{"a":null}"#),
        ("{\"a\":```x```}", r#"{"a":"x"}"#),
    ]);
}

#[test]
fn the_end_of_the_input_cuts_marks_too() {
    become_values(&[
        (r#"["a\ud83d"#, r#"["a"]"#),
        (r#"["a\ud83d\ude"#, r#"["a"]"#),
        (r#"["a\ude"#, r#"["a"]"#),
        (r#"{"a\u00":1}"#, r#"{"a\\u00":1}"#),
        (r#"{"a\ud83d":1}"#, "{\"a\u{fffd}\":1}"),
        (r#"{"a":1 /"#, r#"{"a":1}"#),
        (r#"{"a":"x" /"#, r#"{"a":"x"}"#),
        (r#"[1, /"#, "[1]"),
        (r#"{"a":/"#, r#"{"a":null}"#),
        ("{a: 1, b", r#"{"a":1}"#),
        ("{a: 'x', b", r#"{"a":"x"}"#),
        ("{a: x, b", r#"{"a":"x"}"#),
        (r#"{"a":"x" "b"#, r#"{"a":"x"}"#),
    ]);
}

/// Whether `cut` is a beginning of `full`: its last entry, member or string may lack something.
fn begins(cut: &Value, full: &Value) -> bool {
    match (cut, full) {
        (Value::Null, _) => true,
        (Value::String(cut), Value::String(full)) => full.starts_with(cut.as_str()),
        (Value::Number(cut), Value::Number(full)) => {
            full.as_str().starts_with(cut.as_str().trim_end_matches(".0"))
        }
        (Value::Array(cut), Value::Array(full)) => {
            let last = cut.len().saturating_sub(1);
            cut.len() <= full.len()
                && cut.iter().zip(full.iter()).enumerate().all(|(at, (cut, full))| {
                    if at == last { begins(cut, full) } else { cut == full }
                })
        }
        (Value::Object(cut), Value::Object(full)) => {
            let last = cut.len().saturating_sub(1);
            cut.len() <= full.len()
                && cut.iter().zip(full.iter()).enumerate().all(|(at, ((k, cut), (key, full)))| {
                    k == key && if at == last { begins(cut, full) } else { cut == full }
                })
        }
        (cut, full) => cut == full,
    }
}

#[test]
fn a_cut_text_has_a_beginning_of_its_value() {
    for text in [
        r#"{"name": "find", "arguments": {"q": "it's \"so\", no?", "n": [1, -2.5e3, true], "o": {}}}"#,
        "[\n  {\n    \"a\": \"x\\n\\u00e9\\ud83d\\ude00 y\"\n  },\n  null, false, []\n]\n",
        "{\"a\": 1, // one\n \"b\": [2, /* two */ 3], # three\n \"c\": \"x\" /* y */, \"d\": null}",
        "{a: 1, 'b': 'x, y', c: True, d: None, f: +3, g: [1,],}",
        "Sure:\n```json\n{\"a\": [\"b\", {\"c\": \"d\"}]}\n```\nDone.",
        r#"{\n \"a\": \"b\",\n \"c\": [1, \"d\"]\n}"#,
        "{“a”:“b”，“c”：[“d e”；1]}",
        r#"{"a" = 'x'; "b" => [1 2 3], "c": `y`}"#,
    ] {
        let full = parse(text, Mode::Repair).unwrap().value;
        for (at, _) in text.char_indices() {
            if let Ok(cut) = parse(&text[..at], Mode::Repair) {
                assert!(begins(&cut.value, &full), "{}: {}", &text[..at], cut.value);
            }
        }
    }
}
