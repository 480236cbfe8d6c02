//! The JSON of `{call:JSON}`.

use toolweir_protocols::pattern::{Key, Node, Slots, Spacing, Template};

fn template(json: &str) -> Template {
    Template::parse(json).unwrap()
}

fn word(word: &str) -> Key {
    Key::Word(word.to_owned())
}

#[test]
fn holes_are_unquoted_and_everything_else_is_as_written() {
    let json = r#"{"type":"a\"b","n":-1.5e3,"x":[1, "name"],"o":{},"tool\u005fname":name}"#;
    let text = |json: &str| Node::Literal(json.to_owned());
    let members = vec![
        (word("type"), text(r#""a\"b""#)),
        (word("n"), text("-1.5e3")),
        (word("x"), text(r#"[1, "name"]"#)),
        (word("o"), Node::Object(Vec::new())),
        (word("tool_name"), Node::Name),
    ];
    assert_eq!(template(json).root, Node::Object(members));
    assert_eq!(template(json).source, json);
}

#[test]
fn keys_and_wrappers_are_found() {
    let t =
        template(r#"{"tool_calls": [{"id": id, "function": {"name": name, "arguments": args}}]}"#);
    assert!(t.is_list() && !t.keyed() && t.has_name() && t.has_args());
    assert_eq!(t.wrappers(), ["tool_calls", "function"]);
    assert_eq!(t.list_depth(), Some(1));
    assert_eq!((t.name_key(), t.args_key()), (Some("name"), Some("arguments")));
    assert_eq!((t.id_key(), t.text_key()), (Some("id"), None));
    assert_eq!(t.path(&Node::Id).unwrap(), [&word("tool_calls"), &word("id")]);

    let t = template("[{name: args}]");
    assert!(t.keyed() && t.is_list());
    assert_eq!((t.name_key(), t.args_key(), t.list_depth()), (None, None, Some(0)));
    assert!(t.wrappers().is_empty());

    let t = template(r#"{"response": text}"#);
    assert_eq!((t.text_key(), t.has_name(), t.is_list()), (Some("response"), false, false));
    assert_eq!(Template::call().wrappers(), [""; 0]);
    assert_eq!(Template::calls().list_depth(), Some(0));
}

#[test]
fn rendering_keeps_the_spacing() {
    let render = |json: &str| template(json).render("d\"ice", r#"{"n":1}"#, None);
    assert_eq!(render(r#"{"name":name,"args":args}"#), r#"{"name":"d\"ice","args":{"n":1}}"#);
    assert_eq!(render("[{name: args}]"), r#"[{"d\"ice": {"n":1}}]"#);
    let lines = "[\n    {\"name\": name, \"arguments\": args}\n]";
    assert_eq!(render(lines), "[\n    {\"name\": \"d\\\"ice\", \"arguments\": {\"n\":1}}\n]");
    assert_eq!(template(r"[\n  {name: args}\n]").source, "[\n  {name: args}\n]");
}

#[test]
fn a_member_without_id_or_text_is_left_out_with_its_comma() {
    let a = Slots { name: "a", args: "{}", ..Slots::default() };
    let with = Slots { id: Some("1"), text: Some("t"), ..a };
    for (json, without, all) in [
        (r#"{ "i": id, "n": name }"#, r#"{ "n": "a" }"#, r#"{ "i": "1", "n": "a" }"#),
        (r#"{ "n": name, "i": id }"#, r#"{ "n": "a" }"#, r#"{ "n": "a", "i": "1" }"#),
        (r#"{"n":name, "t":text,"a":args}"#, r#"{"n":"a","a":{}}"#, r#"{"n":"a", "t":"t","a":{}}"#),
        (r#"{"i": id}"#, "{}", r#"{"i": "1"}"#),
    ] {
        assert_eq!(template(json).render_all(&[a]), without);
        assert_eq!(template(json).render_all(&[with]), all);
    }
}

#[test]
fn a_list_takes_all_calls() {
    let calls =
        [("a", "{}"), ("b", "{}")].map(|(name, args)| Slots { name, args, ..Slots::default() });
    for (json, expected) in [
        ("[{name: args}]", r#"[{"a": {}}, {"b": {}}]"#),
        ("[{name:args}]", r#"[{"a":{}},{"b":{}}]"#),
        ("[\n {name: args}\n]", "[\n {\"a\": {}},\n {\"b\": {}}\n]"),
        (r#"{"c":[{name:args}], "n": 1}"#, r#"{"c":[{"a":{}},{"b":{}}], "n": 1}"#),
        ("{name: args}", r#"{"a": {}}"#),
    ] {
        assert_eq!(template(json).render_all(&calls), expected);
    }
    assert_eq!(Template::calls().render_all(&[]), "[]");
    assert_eq!(Template::call().render_all(&[]), Template::call().source);
}

#[test]
fn spacing_is_that_of_the_first_separators() {
    let of = |json: &str| template(json).spacing();
    assert_eq!(of(r#"{"a": name, "b": args}"#), Spacing { colon: true, comma: true });
    assert_eq!(of(r#"{"a":name,"b":args}"#), Spacing { colon: false, comma: false });
    assert_eq!(of(r#"[{"a": name,"b": args}]"#), Spacing { colon: true, comma: false });
    assert_eq!(of("{name: args}"), Spacing { colon: true, comma: true });
}
