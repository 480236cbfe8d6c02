//! Random values and random garbage.

use proptest::prelude::*;
use toolweir_rjson::Value;

use super::*;

/// A value to be written in a dialect.
#[derive(Clone, Debug)]
enum Tree {
    Null,
    Bool(bool),
    Number(i64),
    Text(String),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

fn text() -> impl Strategy<Value = String> {
    proptest::string::string_regex("([a-z,=:(){}\\[\\]'\"\\\\ <|>\n]|[^\\x00]){0,12}").unwrap()
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        Just(Tree::Null),
        any::<bool>().prop_map(Tree::Bool),
        any::<i64>().prop_map(Tree::Number),
        text().prop_map(Tree::Text),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Tree::List),
            prop::collection::vec((text(), inner), 0..4).prop_map(Tree::Object),
        ]
    })
}

fn arguments() -> impl Strategy<Value = Vec<(String, Tree)>> {
    prop::collection::vec(("[a-z_][a-z0-9_]{0,5}", tree()), 0..4)
}

/// Writes `text` as Python's `repr` does, with the quote that is asked for.
fn python_string(out: &mut String, text: &str, style: usize) {
    let quote = if style.is_multiple_of(2) { '\'' } else { '"' };
    let triple = style.is_multiple_of(3);
    let fence = quote.to_string().repeat(if triple { 3 } else { 1 });
    out.push_str(&fence);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' if !triple => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c if c == quote => out.extend(['\\', c]),
            c if !c.is_ascii() && style.is_multiple_of(5) => {
                out.push_str(&format!("\\U{:08x}", u32::from(c)));
            }
            c if c.is_ascii_control() && c != '\n' => {
                out.push_str(&format!("\\x{:02x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push_str(&fence);
}

fn python(out: &mut String, tree: &Tree, style: usize) {
    match tree {
        Tree::Null => out.push_str("None"),
        Tree::Bool(true) => out.push_str("True"),
        Tree::Bool(false) => out.push_str("False"),
        Tree::Number(number) => out.push_str(&number.to_string()),
        Tree::Text(text) => python_string(out, text, style),
        Tree::List(list) => {
            let (open, close) = if style % 3 == 1 { ('(', ",)") } else { ('[', "]") };
            out.push(open);
            for (at, tree) in list.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                python(out, tree, style + at + 1);
            }
            let empty = list.is_empty();
            out.push_str(if empty { close.trim_start_matches(',') } else { close });
        }
        Tree::Object(members) => {
            out.push('{');
            for (at, (key, tree)) in members.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                python_string(out, key, style + at);
                out.push_str(": ");
                python(out, tree, style + at + 1);
            }
            out.push('}');
        }
    }
}

fn gemma_text(out: &mut String, tree: &Tree) {
    match tree {
        Tree::Null => out.push_str("null"),
        Tree::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Tree::Number(number) => out.push_str(&number.to_string()),
        Tree::Text(text) => out.push_str(&format!("<|\"|>{text}<|\"|>")),
        Tree::List(list) => {
            out.push('[');
            for (at, tree) in list.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                gemma_text(out, tree);
            }
            out.push(']');
        }
        Tree::Object(members) => {
            out.push('{');
            for (at, (key, tree)) in members.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                out.push_str(&format!("<|\"|>{key}<|\"|>:"));
                gemma_text(out, tree);
            }
            out.push('}');
        }
    }
}

/// The compact JSON of a value, members as they are.
fn json(out: &mut String, tree: &Tree) {
    match tree {
        Tree::Text(text) => toolweir_rjson::write_string(out, text),
        Tree::List(list) => {
            out.push('[');
            for (at, tree) in list.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                json(out, tree);
            }
            out.push(']');
        }
        Tree::Object(members) => {
            out.push('{');
            for (at, (key, tree)) in members.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                toolweir_rjson::write_string(out, key);
                out.push(':');
                json(out, tree);
            }
            out.push('}');
        }
        tree => gemma_text(out, tree),
    }
}

fn value(text: &str) -> Value {
    parse(text, Mode::Strict).unwrap().value
}

fn cases() -> ProptestConfig {
    let cases = std::option_env!("EXPR_CASES").and_then(|text| text.parse().ok()).unwrap_or(300);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn python_is_read_as_python_does(members in arguments(), style in 0usize..30) {
        let mut text = String::new();
        for (at, (key, tree)) in members.iter().enumerate() {
            text.push_str(if at > 0 { ", " } else { "" });
            text.push_str(&format!("{key}="));
            python(&mut text, tree, style + at);
        }
        text.push(')');
        let mut expected = String::new();
        json(&mut expected, &Tree::Object(members));
        for names in [&[][..], &["a", "b", "c", "d", "e"]] {
            let out = check(PYTHON, names, &text);
            prop_assert_eq!(out.error, None, "{}", &text);
            prop_assert_eq!(out.ending, Some(Ending::Closed), "{}", &text);
            prop_assert_eq!(&out.document, &expected, "{}", &text);
            prop_assert!(!out.guessed);
        }
    }

    #[test]
    fn gemma_is_read_back(members in arguments()) {
        let tree = Tree::Object(members);
        let (mut text, mut expected) = (String::new(), String::new());
        gemma_text(&mut text, &tree);
        json(&mut expected, &tree);
        prop_assume!(!format!("{tree:?}").contains("<|"));
        let out = check(GEMMA, &[], &text);
        prop_assert_eq!(out.error, None, "{}", &text);
        prop_assert_eq!(&out.document, &expected, "{}", &text);
        prop_assert!(value(&out.document) == value(&expected));
    }

    #[test]
    fn garbage_obeys_the_laws(
        text in "([ab1,=:(){}\\[\\]'\"\\\\ <|>\n]|'|, b=|\\)\\]|\\\\'|\"\"\"|r'|True|\\\\ud83d|<\\|\"\\|>|\\PC){0,40}",
        prefix in prop_oneof![Just(""), Just("a='"), Just("a={'"), Just("a=['"), Just("a=\"\"\""), Just("a=(")],
    ) {
        let python = format!("{prefix}{text}");
        check(PYTHON, &["a", "b"], &python);
        check(PYTHON, &[], &python);
        check(GEMMA, &["a", "b"], &format!("{{{}{text}", prefix.replace('=', ":")));
    }
}

#[cfg(feature = "meter")]
#[test]
fn work_is_linear() {
    let patterns = [
        ("a='", "x"),
        ("a='", "'"),
        ("a='", "' "),
        ("a='", "\\'"),
        ("a='", "', b"),
        ("a='", "', b=1 "),
        ("a='", "', "),
        ("a='", "')"),
        ("a='", "'), f"),
        ("a='", "\\ud83d"),
        ("a=['", "',"),
        ("a={'", "', '"),
        ("a=\"\"\"", "\""),
        ("a='x", " "),
        ("a=[", "1,"),
        ("a=[", "'x',"),
        ("a='", "' '"),
        ("a={", "'k':'v',"),
        ("a='", "'    "),
        ("a=", " "),
        ("a='", "\\N{A"),
        ("a={'k':'", "','k"),
        ("a='", "' + '"),
    ];
    let run_all = |dialect: Dialect, text: &str, chunk: usize| {
        let mut machine = machine(dialect);
        machine.options.max_held_bytes = 1 << 20;
        machine.reset(0, ["a", "b"]);
        for bytes in text.as_bytes().chunks(chunk) {
            let mut input = std::str::from_utf8(bytes).unwrap();
            while let Ok(Some(_)) = machine.next(&mut input) {}
        }
        machine.examined()
    };
    for (prefix, unit) in patterns {
        for chunk in [1, 7, usize::MAX] {
            let text = |count: usize| format!("{prefix}{}", unit.repeat(count));
            let gemma_text = |count| format!("{{{}", text(count).replace('=', ":"));
            for (dialect, text) in
                [(PYTHON, &text as &dyn Fn(usize) -> String), (GEMMA, &gemma_text)]
            {
                let (once, twice) = (text(2000), text(4000));
                let (first, second) =
                    (run_all(dialect, &once, chunk), run_all(dialect, &twice, chunk));
                assert!(
                    second <= first * 21 / 10 + 600,
                    "{prefix}{unit} {chunk}: {first} {second}"
                );
                assert!(second <= 260 * twice.len() as u64, "{prefix}{unit}: {second}");
            }
        }
    }
}
