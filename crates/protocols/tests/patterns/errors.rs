//! One message for each thing that can be wrong.

use toolweir_protocols::pattern::{PatternErrorKind, Role, Template, check, parse};

#[track_caller]
fn refused(cases: &[(&str, &str)]) {
    for (text, message) in cases {
        assert_eq!(parse(text).unwrap_err().to_string(), *message, "{text}");
    }
}

#[test]
fn braces_and_escapes() {
    refused(&[
        (
            r#"a {"n": {name}}"#,
            r#"`{` that opens no hole at byte 2 (`{"n": {name}}`); write `{{` for a literal brace"#,
        ),
        (
            "{opt:{name=x{name}}",
            "`{` that opens no hole at byte 12 (`{name}}`); write `{{` for a literal brace",
        ),
        ("<a>{nmae}</a>", "unknown hole `{nmae}` at byte 3 (`{nmae}</a>`); did you mean `{name}`?"),
        ("{foo}", "unknown hole `{foo}` at byte 0 (`{foo}`); write `{{` for a literal brace"),
        (
            "{cals:x}",
            "unknown hole `{cals}` at byte 0 (`{cals:x}`); did you mean `{call}`, `{calls}`, `{also}`?",
        ),
        ("<a>{name", "`{name` is not closed at the end (byte 8); add `}`"),
        ("{name }", "`{name` is not closed at byte 5 (` }`); add `}`"),
        ("{opt:{name}", "`{opt` is not closed at the end (byte 11); add `}`"),
        ("a}b", "`}` that closes no hole at byte 1 (`}b`); write `}}` for a literal brace"),
        ("{name}}", "`}` that closes no hole at byte 6 (`}`); write `}}` for a literal brace"),
        (
            r"a\d",
            r"unknown escape at byte 1 (`\d`); there are `\n`, `\t`, `\r`, `\\`, `\{`, `\}`, `\|` and `\:`",
        ),
        (
            r"a\",
            r"unknown escape at byte 1 (`\`); there are `\n`, `\t`, `\r`, `\\`, `\{`, `\}`, `\|` and `\:`",
        ),
    ]);
}

#[test]
fn holes_without_what_they_need_or_with_too_much() {
    refused(&[
        ("{opt}", "`{opt}` is incomplete at byte 0 (`{opt}`); write `{opt:PATTERN}`"),
        ("{opt:}", "`{opt}` is incomplete at byte 0 (`{opt:}`); write `{opt:PATTERN}`"),
        ("{any}", "`{any}` is incomplete at byte 0 (`{any}`); write `{any:A||B}`"),
        ("{at}", "`{at}` is incomplete at byte 0 (`{at}`); write `{at:line}`"),
        ("{tools:}", "`{tools}` is incomplete at byte 0 (`{tools:}`); write `{tools:WORD}`"),
        ("{arg::x}", "`{arg}` is incomplete at byte 0 (`{arg::x}`); write `{arg:KEY}`"),
        ("{name=}", "`{name}` is incomplete at byte 0 (`{name=}`); write `{name=WORD}`"),
        (
            "{index:3}",
            "`{index}` takes nothing after its name at byte 0 (`{index:3}`); write it without",
        ),
        (
            "{calls=3}",
            "`{calls}` takes nothing after its name at byte 0 (`{calls=3}`); write it without",
        ),
        (
            "{at:word}",
            "`{at:…}` does not take `word` at byte 0 (`{at:word}`); it takes `line` and `message`",
        ),
        (
            "{args:pyhton}",
            "`{args:…}` does not take `pyhton` at byte 0 (`{args:pyhton}`); it takes `python`, `gemma D`, `yaml`, `elements` and patterns",
        ),
        (
            "{value:x}",
            "`{value}` cannot stand outside of `{args:…}` at byte 0 (`{value:x}`); put it into `{args:PATTERN}`",
        ),
        (
            "{args:{key}{value:x}}",
            "`{value:…}` does not take `x` at byte 11 (`{value:x}}`); it takes `trim` and `nested`",
        ),
    ]);
}

#[test]
fn alternatives() {
    refused(&[
        (
            "{any:a||}",
            "empty alternative at byte 8 (`}`); remove it, or use `{opt:…}` for what may be absent",
        ),
        (
            "{any:||a}",
            "empty alternative at byte 5 (`||a}`); remove it, or use `{opt:…}` for what may be absent",
        ),
        (
            "{any:a}",
            "`{any:…}` with the wrong number of alternatives at byte 0 (`{any:a}`); separate at least two with `||`",
        ),
        (
            "{args:{type:a}}",
            "`{type:…}` with the wrong number of alternatives at byte 6 (`{type:a}}`); write `{type:TEXT||JSON}`",
        ),
        (
            "{args:{type:a||b||c}}",
            "`{type:…}` with the wrong number of alternatives at byte 6 (`{type:a||b||c}}`); write `{type:TEXT||JSON}`",
        ),
        (
            "{args:{type:a||}}",
            "empty alternative at byte 15 (`}}`); remove it, or use `{opt:…}` for what may be absent",
        ),
    ]);
}

#[test]
fn holes_out_of_place() {
    refused(&[
        (
            "<a>{key}</a>",
            "`{key}` cannot stand outside of `{args:…}` at byte 3 (`{key}</a>`); put it into `{args:PATTERN}`",
        ),
        (
            "{opt:{*}}",
            "`{*}` cannot stand inside a hole at byte 5 (`{*}}`); put it beside the hole",
        ),
        (
            "{args:{args}}",
            "`{args}` cannot stand inside `{args:…}` at byte 6 (`{args}}`); there can be `{key}`, `{value}`, `{type}`, `{name}`, `{skip}`, `{any:…}`, `{opt:…}`, `{also:…}` and `{at:…}`",
        ),
        (
            "{arg:x:{name}}",
            "`{name}` cannot stand inside `{arg:…}` at byte 7 (`{name}}`); there can be `{value}`, `{skip}`, `{any:…}`, `{opt:…}`, `{also:…}` and `{at:…}`",
        ),
        (
            "{id:{id}}",
            "`{id}` cannot stand inside `{id:…}` at byte 4 (`{id}}`); there can be `{name}`, `{index}`, `{any:…}`, `{opt:…}` and `{also:…}`",
        ),
        (
            "{arg:x:{value:trim}}",
            "`{value:trim}` cannot stand inside `{arg:…}` at byte 7 (`{value:trim}}`); there can be `{value}`, `{skip}`, `{any:…}`, `{opt:…}`, `{also:…}` and `{at:…}`",
        ),
        (
            "{args:<a>{value}</a>}",
            "`{args:…}` without `{key}` at byte 0 (`{args:<a>{value}…`); it holds both `{key}` and `{value}`",
        ),
        (
            "{args:<a>{key} </a>}",
            "`{args:…}` without `{value}` at byte 0 (`{args:<a>{key} <…`); it holds both `{key}` and `{value}`",
        ),
    ]);
}

#[test]
fn templates() {
    refused(&[
        ("{call:name}", "template: an object or a list expected at byte 6 (`name}`)"),
        ("{call:}", "template: an object or a list expected at byte 6 (`}`)"),
        ("{call:{name: 3}}", "template: `args` as the value of `name` expected at byte 13 (`3}}`)"),
        (
            r#"{call:{name: args, "a": 1}}"#,
            r#"template: `}` after `name: args` expected at byte 17 (`, "a": 1}}`)"#,
        ),
        (
            r#"{call:{"a": name, name: args}}"#,
            "template: a quoted key expected at byte 18 (`name: args}}`)",
        ),
        (
            r#"{call:{"a": name, "b": nmae}}"#,
            "template: unknown word `nmae` at byte 23 (`nmae}}`); quote it, or take one of `name`, `args`, `id` and `text`",
        ),
        (r#"{call:{"a": name, "b": name}}"#, "template: `name` stands twice at byte 23 (`name}}`)"),
        (
            r#"{call:{"a": 1, "a": args}}"#,
            r#"template: `"a"` stands twice at byte 15 (`"a": args}}`)"#,
        ),
        (
            "{call:[args]}",
            "template: a list of calls holds one object and no other list of calls at byte 6 (`[args]}`)",
        ),
        (
            "{call:[{name: args}, 2]}",
            "template: a list of calls holds one object and no other list of calls at byte 6 (`[{name: args}, 2…`)",
        ),
        (r#"{call:{"a" name}}"#, "template: `:` expected at byte 11 (`name}}`)"),
        (r#"{call:{"a": name"#, "template: `,` or `}` expected at the end (byte 16)"),
        (r#"{call:{"a": "\x"}}"#, r#"template: a JSON string expected at byte 12 (`"\x"}}`)"#),
        ("{call:{a: name}}", "template: a quoted key or `name` expected at byte 7 (`a: name}}`)"),
        (r#"{call:{"a": }}"#, "template: a value expected at byte 12 (`}}`)"),
        (r#"{call:{"a": 1} }"#, "`{call` is not closed at byte 14 (` }`); add `}`"),
        (
            "{call:[1, 2]}",
            "template: a list of calls holds one object and no other list of calls at byte 6 (`[1, 2]}`)",
        ),
        (r#"{call:{"x":[1 2]}}"#, "template: `,` or `]` expected at byte 14 (`2]}}`)"),
    ]);
}

#[test]
fn depth_is_limited() {
    let error = parse(&"{opt:".repeat(40)).unwrap_err();
    assert_eq!(error.to_string(), "nested more than 32 deep at byte 160 (`{opt:{opt:{opt:{…`)");
    let error = Template::parse(&"[".repeat(40)).unwrap_err();
    assert_eq!(error.to_string(), "nested more than 32 deep at byte 32 (`[[[[[[[[`)");
    let deep = format!("{}x{}", "{opt:".repeat(32), "}".repeat(32));
    assert_eq!(parse(&deep).unwrap().to_string(), deep);
}

#[test]
fn errors_have_a_kind_a_place_and_what_stands_there() {
    let error = parse("<é>\n{nam\n").unwrap_err();
    let near = vec!["name".to_owned()];
    assert_eq!(error.kind, PatternErrorKind::UnknownHole { name: "nam".to_owned(), near });
    assert_eq!((error.at, error.snippet.as_str()), (5, r"{nam\n"));
    assert_eq!(
        Template::parse("{} ").unwrap_err().to_string(),
        "template: the end expected at byte 2 (` `)"
    );
}

#[test]
fn patterns_that_do_not_fit_their_role() {
    for (role, text, message) in [
        (
            Role::Call,
            "<a>{args}</a>",
            "the pattern of a call lacks a name at the end (byte 13); add `{name}`, `{name=WORD}` or `{call}`",
        ),
        (
            Role::Call,
            "<a>{also:{name}}{args}</a>",
            "the pattern of a call lacks a name at the end (byte 26); add `{name}`, `{name=WORD}` or `{call}`",
        ),
        (
            Role::Call,
            "{name=a}{name}",
            "second source of the name at byte 8 (`{name}`); keep one of them",
        ),
        (
            Role::Call,
            "{call}{name=a}",
            "second source of the name at byte 6 (`{name=a}`); keep one of them",
        ),
        (
            Role::Call,
            "{any:{name=a}||{name=b}}{name=c}",
            "second source of the name at byte 24 (`{name=c}`); keep one of them",
        ),
        (
            Role::Call,
            "{name}{args}{opt:{args:yaml}}",
            "`{args:yaml}` after `{args}`: the arguments stand in two places at byte 17 (`{args:yaml}}`); keep one of them, or separate them by `{any:A||B}`",
        ),
        (
            Role::Call,
            "{name}({arg:a}){args}",
            "`{args}` after `{arg:…}`: the arguments stand in two places at byte 15 (`{args}`); keep one of them, or separate them by `{any:A||B}`",
        ),
        (
            Role::Call,
            "{name}({args}){arg:a}",
            "`{arg:…}` after `{args}`: the arguments stand in two places at byte 14 (`{arg:a}`); keep one of them, or separate them by `{any:A||B}`",
        ),
        (Role::Wrap, "{*}a{*}", "second `{*}` at byte 4 (`{*}`); keep one of them"),
        (
            Role::Call,
            r#"<a b="{name}">{id}{!}{index}"#,
            "`{index}` directly after `{id}` at byte 21 (`{index}`); put text between them",
        ),
        (
            Role::Message,
            "{text}{reasoning}",
            "`{reasoning}` directly after `{text}` at byte 6 (`{reasoning}`); put text between them",
        ),
        (Role::Wrap, "[]", "the pattern of a wrapper lacks `{*}` at the end (byte 2)"),
        (
            Role::Message,
            "[]",
            "the pattern of a message lacks `{text}`, `{reasoning}` or `{skip}` at the end (byte 2)",
        ),
        (Role::Section, "[]", "the pattern of a section lacks `{reasoning}` at the end (byte 2)"),
        (
            Role::Section,
            "{reasoning}[]",
            "nothing shows where a section begins at byte 0 (`{reasoning}[]`); begin it with text",
        ),
        (
            Role::Section,
            r"[]{reasoning}\n",
            "nothing shows where `{reasoning}` ends at the end (byte 15); put text after it",
        ),
        (
            Role::Tools,
            "[]",
            "the pattern of a list of tools lacks `{tools:WORD}` at the end (byte 2)",
        ),
        (Role::Response, "[]", "the pattern of a response lacks `{content}` at the end (byte 2)"),
        (
            Role::Wrap,
            "{name}{*}",
            "`{name}` in the pattern of a wrapper at byte 0 (`{name}{*}`); remove it",
        ),
        (
            Role::Message,
            "{call}",
            "`{call}` in the pattern of a message at byte 0 (`{call}`); remove it",
        ),
        (
            Role::Marker,
            "a{name}",
            "`{name}` in the pattern of a marker at byte 1 (`{name}`); remove it",
        ),
        (Role::Section, "{*}", "`{*}` in the pattern of a section at byte 0 (`{*}`); remove it"),
        (Role::Call, "{text}", "`{text}` in the pattern of a call at byte 0 (`{text}`); remove it"),
        (
            Role::Tools,
            "{text}",
            "`{text}` in the pattern of a list of tools at byte 0 (`{text}`); remove it",
        ),
        (
            Role::Response,
            "{text}",
            "`{text}` in the pattern of a response at byte 0 (`{text}`); remove it",
        ),
    ] {
        let pattern = parse(text).unwrap();
        assert_eq!(check(&pattern, role).unwrap_err().to_string(), message, "{text}");
    }
}

#[test]
fn alternatives_are_checked_one_by_one() {
    let text = "{any:{name=a}||{name}}({any:{args}||{arg:x}})";
    check(&parse(text).unwrap(), Role::Call).unwrap();
}
