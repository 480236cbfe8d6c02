//! The notation of wire patterns: every known pattern, what a text is made of, errors and laws.
//!
//! `TOOLWEIR_CASES` says how many inputs the laws are tried on (256).

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod errors;
mod laws;
mod rows;
mod templates;
mod written;

use toolweir_protocols::pattern::{
    Args, At, Attribute, AttributeValue, Part, Pattern, Role, Tag, Template, ValueKind, check,
    parse,
};

fn literal(text: &str) -> Part {
    Part::Literal(text.to_owned())
}

fn space(text: &str) -> Part {
    Part::Space(text.to_owned())
}

fn parts(text: &str) -> Vec<Part> {
    parse(text).unwrap().parts
}

fn hole(key: &str, part: Part) -> Attribute {
    let value = AttributeValue::Hole(Box::new(part));
    Attribute { space: " ".to_owned(), key: key.to_owned(), value }
}

fn fixed(key: &str, text: &str) -> Attribute {
    let value = AttributeValue::Fixed(text.to_owned());
    Attribute { space: " ".to_owned(), key: key.to_owned(), value }
}

fn tag(open: &str, attributes: Vec<Attribute>, close: &str) -> Part {
    Part::Tag(Tag { open: open.to_owned(), attributes, close: close.to_owned() })
}

#[test]
fn every_known_pattern_prints_as_it_is_written() {
    for (name, role, text) in rows::ROWS {
        let pattern = parse(text).unwrap_or_else(|e| panic!("{name}: {text}: {e}"));
        assert_eq!(pattern.to_string(), *text, "{name}");
        assert_eq!(parse(&pattern.to_string()), Ok(pattern.clone()), "{name}");
        check(&pattern, *role).unwrap_or_else(|e| panic!("{name}: {text}: {e}"));
    }
}

#[test]
fn text_and_whitespace_are_separate_parts() {
    let expected = [literal("<a>"), space("\n  "), Part::Text, space(" "), literal("b")];
    assert_eq!(parts(r"<a>\n  {text} b"), expected);
    assert_eq!(parse("<a>\n  {text} b").unwrap().to_string(), r"<a>\n  {text} b");
}

#[test]
fn braces_backslashes_and_bars_can_be_literal() {
    assert_eq!(parts(r"{{{name}}}\\"), [literal("{"), Part::Name, literal("}\\")]);
    let inner = |text: &str| Pattern::new(vec![literal(text)]);
    assert_eq!(parts(r"{opt:{{a\}}"), [Part::Opt(inner("{a}"))]);
    assert_eq!(parts("{opt:a||b}"), [Part::Opt(inner("a||b"))]);
    let bars = r"{any:<|a|>||b\|||c\||d|}";
    let any = ["<|a|>", "b|", "c||d|"].map(inner);
    assert_eq!(parts(bars), [Part::Any(any.to_vec())]);
    assert_eq!(parse(bars).unwrap().to_string(), bars);
    let key = Part::Arg { key: "a:b".to_owned(), pattern: None };
    assert_eq!(parts(r"{arg:a\:b}"), [key]);
    assert_eq!(parse(r"\{\|\:").unwrap().to_string(), "{{|:");
}

#[test]
fn two_braces_close_two_holes() {
    let name = Pattern::new(vec![Part::Name]);
    assert_eq!(parts("{opt:{name}}"), [Part::Opt(name.clone())]);
    assert_eq!(parts("{opt:{name}}}}"), [Part::Opt(name), literal("}")]);
}

#[test]
fn arguments_have_readers_and_patterns() {
    assert_eq!(parts("{args}"), [Part::Args(Args::Json)]);
    assert_eq!(parts("{args:python}"), [Part::Args(Args::Python)]);
    assert_eq!(parts("{args:yaml}"), [Part::Args(Args::Yaml)]);
    assert_eq!(parts("{args:elements}"), [Part::Args(Args::Elements)]);
    let delimiter = "<|\"|>".to_owned();
    assert_eq!(parts("{args:gemma <|\"|>}"), [Part::Args(Args::Gemma(delimiter))]);
    let pairs = vec![Part::Key, literal("="), Part::Value(ValueKind::Trim), literal(";")];
    let pairs = Args::Pattern(Box::new(Pattern::new(pairs)));
    assert_eq!(parts("{args:{key}={value:trim};}"), [Part::Args(pairs)]);
}

#[test]
fn an_argument_has_a_key_and_perhaps_a_pattern() {
    assert_eq!(parts("{arg}"), [Part::Content]);
    let code = Part::Arg { key: "code".to_owned(), pattern: None };
    assert_eq!(parts("{arg:code}"), [code]);
    let line = [Part::At(At::Line), literal("*"), Part::Value(ValueKind::Verbatim)];
    let pattern = Some(Pattern::new(line.to_vec()));
    let input = Part::Arg { key: "input".to_owned(), pattern };
    assert_eq!(parts("{arg:input:{at:line}*{value}}"), [input]);
}

#[test]
fn short_call_forms_print_as_they_are_written() {
    assert_eq!(parts("{call}"), [Part::Call(Template::call())]);
    assert_eq!(parts("{calls}"), [Part::Call(Template::calls())]);
    let long = r#"{call:{"name": name, "arguments": args}}"#;
    assert_ne!(parse(long), parse("{call}"));
    assert_eq!(parse(long).unwrap().to_string(), long);
}

#[test]
fn attribute_tags_are_one_part() {
    let name = || vec![hole("name", Part::Name)];
    assert_eq!(parts(r#"<invoke name="{name}">"#), [tag("<invoke", name(), ">")]);
    let dressed = r#"<｜DSML｜ invoke name="{name}">"#;
    assert_eq!(parts(dressed), [tag("<｜DSML｜ invoke", name(), ">")]);
    let after = r#"]<]minimax[>[<invoke name="{name}">"#;
    assert_eq!(parts(after), [literal("]<]minimax[>["), tag("<invoke", name(), ">")]);
    let sep = r#"<|open|>call tool="{name}" index="{index}"<|sep|><|open|>json type="object"<|sep|>{args}"#;
    let call = vec![hole("tool", Part::Name), hole("index", Part::Index)];
    let expected = [
        tag("<|open|>call", call, "<|sep|>"),
        tag("<|open|>json", vec![fixed("type", "object")], "<|sep|>"),
        Part::Args(Args::Json),
    ];
    assert_eq!(parts(sep), expected);
    assert_eq!(parts(r#"<br a="" />"#), [tag("<br", vec![fixed("a", "")], " />")]);
    let in_args = r#"{args:<p k="{key}">{value}</p>}"#;
    let Some(Part::Args(Args::Pattern(pairs))) = parts(in_args).pop() else { panic!() };
    assert_eq!(pairs.parts[0], tag("<p", vec![hole("k", Part::Key)], ">"));
}

#[test]
fn what_only_resembles_an_attribute_tag_is_text() {
    for text in [
        r#"<{also:antml:}invoke name="{name}">"#, // the word is no literal
        r#"<a>call name="{name}">"#,              // text after an element
        r#"<a/>call name="{name}">"#,
        r#"<call name="{name}"</call>"#, // an end tag is no end of a tag
        r#"<call name="{name}""#,        // no end
        r#"<call a b="{name}">"#,        // an attribute without a value
        r#"<call name="f.{name}">"#,     // half a value
        r#"<call name={name}>"#,         // no quotes
        r#"<call name='{name}'>"#,
        r#"<call name="{opt:{name}}">"#, // another hole
        r#"<call  = b="{name}">"#,
    ] {
        let pattern = parse(text).unwrap();
        assert!(!pattern.any(|part| matches!(part, Part::Tag(_))), "{text}: {pattern:?}");
        assert_eq!(pattern.to_string(), text);
    }
}

#[test]
fn new_brings_parts_into_normal_form() {
    let loose =
        [literal("<a"), literal(" k=\""), Part::Key, literal("\">"), literal(" "), space("\n")];
    let tag = tag("<a", vec![hole("k", Part::Key)], ">");
    assert_eq!(Pattern::new(loose.to_vec()).parts, [tag, space(" \n")]);
    assert!(Pattern::new(vec![literal("")]).is_empty());
}

#[test]
fn visit_goes_into_every_hole() {
    let pattern: Pattern =
        r#"<a id="{id:{index}}">{any:{opt:{name}}||b}{args:{also:x}{key}{value}}"#.parse().unwrap();
    let mut labels = Vec::new();
    pattern.visit(&mut |part| labels.push(part.label()));
    let expected = "an attribute tag,{id:…},{index},{any:…},{opt:…},{name},text,{args:…},{also:…},text,{key},{value}";
    assert_eq!(labels.join(","), expected);
    check(&pattern, Role::Call).unwrap_err();
}
