//! One pattern for each reason to refuse it, with the whole message: what is wrong, where, and what
//! to do about it.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;

use toolweir_protocols::pattern::{PatternErrorKind, Role, check, parse};
use toolweir_protocols::{
    Chunk, FormatSpec, Protocol, ProtocolExt, Registry, Request, SpecError, SpecProtocol, Tags,
    ToolCall,
};
use toolweir_segments::{Fold, StreamEnd, Turn};

/// What the notation does not have.
const UNREADABLE: &[(&str, &str)] = &[
    ("<a>{ name}", "`{` that opens no hole at byte 3 (`{ name}`); write `{{` for a literal brace"),
    ("<a>{nmae}", "unknown hole `{nmae}` at byte 3 (`{nmae}`); did you mean `{name}`?"),
    ("<a>{zzz}", "unknown hole `{zzz}` at byte 3 (`{zzz}`); write `{{` for a literal brace"),
    ("<a>{name", "`{name` is not closed at the end (byte 8); add `}`"),
    ("<a>}", "`}` that closes no hole at byte 3 (`}`); write `}}` for a literal brace"),
    (
        r"<a>\x",
        r"unknown escape at byte 3 (`\x`); there are `\n`, `\t`, `\r`, `\\`, `\{`, `\}`, `\|` and `\:`",
    ),
    ("<a>{name}{opt:}", "`{opt}` is incomplete at byte 9 (`{opt:}`); write `{opt:PATTERN}`"),
    ("<a>{name}{also}", "`{also}` is incomplete at byte 9 (`{also}`); write `{also:PATTERN}`"),
    (
        "<a>{text:x}",
        "`{text}` takes nothing after its name at byte 3 (`{text:x}`); write it without",
    ),
    (
        "<a>{args:jsn}",
        "`{args:…}` does not take `jsn` at byte 3 (`{args:jsn}`); it takes `python`, `gemma D`, `yaml`, `elements` and patterns",
    ),
    (
        "<a>{value:x}",
        "`{value}` cannot stand outside of `{args:…}` at byte 3 (`{value:x}`); put it into `{args:PATTERN}`",
    ),
    (
        "<a>{name}{any:x||}",
        "empty alternative at byte 17 (`}`); remove it, or use `{opt:…}` for what may be absent",
    ),
    (
        "<a>{name}{any:x}",
        "`{any:…}` with the wrong number of alternatives at byte 9 (`{any:x}`); separate at least two with `||`",
    ),
    (
        "<a>{name}{args:<p={key} t={type:x||y||z}>{value}</p>}",
        "`{type:…}` with the wrong number of alternatives at byte 26 (`{type:x||y||z}>{…`); write `{type:TEXT||JSON}`",
    ),
    (
        "<a>{name}{key}</a>",
        "`{key}` cannot stand outside of `{args:…}` at byte 9 (`{key}</a>`); put it into `{args:PATTERN}`",
    ),
    ("<a>{opt:{*}}", "`{*}` cannot stand inside a hole at byte 8 (`{*}}`); put it beside the hole"),
    (
        "<a>{args:{id}{key}{value}}",
        "`{id}` cannot stand inside `{args:…}` at byte 9 (`{id}{key}{value}…`); there can be `{key}`, `{value}`, `{type}`, `{name}`, `{skip}`, `{any:…}`, `{opt:…}`, `{also:…}` and `{at:…}`",
    ),
    (
        "<a>{arg:k:{name}}",
        "`{name}` cannot stand inside `{arg:…}` at byte 10 (`{name}}`); there can be `{value}`, `{skip}`, `{any:…}`, `{opt:…}`, `{also:…}` and `{at:…}`",
    ),
    (
        "<a>{id:{args}}",
        "`{args}` cannot stand inside `{id:…}` at byte 7 (`{args}}`); there can be `{name}`, `{index}`, `{any:…}`, `{opt:…}` and `{also:…}`",
    ),
    (
        "<a>{name}{args:<p>{value}</p>}",
        "`{args:…}` without `{key}` at byte 9 (`{args:<p>{value}…`); it holds both `{key}` and `{value}`",
    ),
    (
        "<a>{name}{args:<p={key}></p>}",
        "`{args:…}` without `{value}` at byte 9 (`{args:<p={key}><…`); it holds both `{key}` and `{value}`",
    ),
    (r#"<a>{call:name}"#, "template: an object or a list expected at byte 9 (`name}`)"),
    (
        r#"<a>{call:{"name": nmae}}"#,
        "template: unknown word `nmae` at byte 18 (`nmae}}`); quote it, or take one of `name`, `args`, `id` and `text`",
    ),
    (
        r#"<a>{call:{"name": name, "name": args}}"#,
        r#"template: `"name"` stands twice at byte 24 (`"name": args}}`)"#,
    ),
    (r#"<a>{call:{"a": name, "b": name}}"#, "template: `name` stands twice at byte 26 (`name}}`)"),
    (
        r#"<a>{call:[{"a": name}, {"b": args}]}"#,
        r#"template: a list of calls holds one object and no other list of calls at byte 9 (`[{"a": name}, {"…`)"#,
    ),
    (r#"<a>{call:{"a": name;}}"#, "template: `,` or `}` expected at byte 19 (`;}}`)"),
];

/// What does not fit its role.
const UNFIT: &[(Role, &str, &str)] = &[
    (
        Role::Call,
        "<a>{args}</a>",
        "the pattern of a call lacks a name at the end (byte 13); add `{name}`, `{name=WORD}` or `{call}`",
    ),
    (
        Role::Call,
        "<a>{name}{name=f}{args}",
        "second source of the name at byte 9 (`{name=f}{args}`); keep one of them",
    ),
    (
        Role::Call,
        "<a>{call}{args}",
        "`{args}` after `{call}`: the arguments stand in two places at byte 9 (`{args}`); keep one of them, or separate them by `{any:A||B}`",
    ),
    (
        Role::Call,
        "<a>{name}:{args}{arg:k}",
        "`{arg:…}` after `{args}`: the arguments stand in two places at byte 16 (`{arg:k}`); keep one of them, or separate them by `{any:A||B}`",
    ),
    (Role::Wrap, "<a>{*}-{*}</a>", "second `{*}` at byte 7 (`{*}</a>`); keep one of them"),
    (
        Role::Call,
        "<a>{name}{id}{args}",
        "`{id}` directly after `{name}` at byte 9 (`{id}{args}`); put text between them",
    ),
    (
        Role::Call,
        "<a>{id}{!}{name}{args}",
        "`{name}` directly after `{id}` at byte 10 (`{name}{args}`); put text between them",
    ),
    (Role::Wrap, "<a></a>", "the pattern of a wrapper lacks `{*}` at the end (byte 7)"),
    (
        Role::Message,
        "<a></a>",
        "the pattern of a message lacks `{text}`, `{reasoning}` or `{skip}` at the end (byte 7)",
    ),
    (Role::Section, "<a></a>", "the pattern of a section lacks `{reasoning}` at the end (byte 7)"),
    (
        Role::Tools,
        "<a></a>",
        "the pattern of a list of tools lacks `{tools:WORD}` at the end (byte 7)",
    ),
    (Role::Response, "<a></a>", "the pattern of a response lacks `{content}` at the end (byte 7)"),
    (
        Role::Call,
        "<a>{call}{*}</a>",
        "`{*}` in the pattern of a call at byte 9 (`{*}</a>`); remove it",
    ),
    (
        Role::Marker,
        "<a>{text}",
        "`{text}` in the pattern of a marker at byte 3 (`{text}`); remove it",
    ),
];

/// What can be read in two ways, or not at all, although each hole is in its place.
const AMBIGUOUS: &[(&[(&str, &str)], &str)] = &[
    (
        &[("call", "<a>{name}{opt:-}{id}:{args}")],
        "`{id}` may stand directly after `{name}` at byte 3 (`{name}{opt:-}{id…`); put text between them that is always there",
    ),
    (
        &[("call", "<a>{name}{any:-||{opt:+}}{id}:{args}")],
        "`{id}` may stand directly after `{name}` at byte 3 (`{name}{any:-||{o…`); put text between them that is always there",
    ),
    (
        &[("call", "<a>{name}{opt: }{skip}|{args}")],
        "`{skip}` may stand directly after `{name}` at byte 3 (`{name}{opt: }{sk…`); put text between them that is always there",
    ),
    (
        &[("call", "<a>{name}{also: }{any:{id}||x}:{args}")],
        "`{id}` may stand directly after `{name}` at byte 3 (`{name}{also: }{a…`); put text between them that is always there",
    ),
    (
        &[("call", "<a>{id:{name}:{index}}{skip}|{args}")],
        "`{skip}` may stand directly after `{id:…}` at byte 3 (`{id:{name}:{inde…`); put text between them that is always there",
    ),
    (
        &[("call", "<a>{name}:{args:<p={key} {type:s||j}{value}</p>}</a>")],
        "`{type:…}` may stand directly after `{key}` at byte 19 (`{key} {type:s||j…`); put text between them that is always there",
    ),
    (
        &[("call", "<a>{skip}{name}:{args}")],
        "`{name}` directly after `{skip}` at byte 9 (`{name}:{args}`); put text between them",
    ),
    (
        &[("call", "<a>{name}:{args:<p>{key} {value}</p>}</a>")],
        "`{value}` may stand directly after `{key}` at byte 19 (`{key} {value}</p…`); put text between them that is always there",
    ),
    (
        &[("call", "<a>{id:{opt:functions.}{name}:{index}}.{args}</a>")],
        "`{id:…}` may hold the text that ends it at byte 3 (`{id:{opt:functio…`); put other text after it",
    ),
    (
        &[("call", "<a>{id:{opt:functions.}{name}:{index}}{opt:[ID]{id}}.{args}</a>")],
        "`{id:…}` may hold the text that ends it at byte 3 (`{id:{opt:functio…`); put other text after it",
    ),
    (
        &[("call", "<a>{name}:{args:<p={key}>{value}}</a>")],
        "nothing shows where `{value}` ends at byte 25 (`{value}}</a>`); put text after it",
    ),
    (
        &[("call", "<a>{name}:{args:{key}={value};}</a>")],
        "nothing shows where an argument begins at byte 10 (`{args:{key}={val…`); begin it with text",
    ),
    (
        &[("call", "<a>{name=sh}{arg:code}")],
        "nothing shows where `{arg:…}` ends at byte 12 (`{arg:code}`); put text after it",
    ),
    (
        &[("call", "<a>{name=sh}{arg:code:!{value}}")],
        "nothing shows where `{value}` ends at byte 23 (`{value}}`); put text after it",
    ),
    (
        &[("call", "<a>{call}{skip}")],
        "nothing shows where `{skip}` ends at byte 9 (`{skip}`); put text after it",
    ),
    (
        &[("call", "<a>{name}#{index}0{args}")],
        "a digit directly after `{index}` at byte 10 (`{index}0{args}`); put other text between them",
    ),
    (
        &[("call", "<a>{name}{args:python}</a>")],
        "`{args:python}` may stand directly after `{name}` at byte 3 (`{name}{args:pyth…`); put text between them that is always there",
    ),
    (
        &[("call", "<a>{name}({args:python}")],
        "`{args:python}` without `(` before it and `)` after it at byte 10 (`{args:python}`); write `({args:python})`",
    ),
    (
        &[("call", "<a>{opt:{name}:}{args}</a>")],
        "the name of a call may be absent at the end (byte 26); put `{name}` outside of `{opt:…}`, or into each alternative of `{any:…}`",
    ),
    (
        &[("call", "<a>{any:{name}||x}{args}</a>")],
        "the name of a call may be absent at the end (byte 28); put `{name}` outside of `{opt:…}`, or into each alternative of `{any:…}`",
    ),
    (
        &[("call", "{name}<a>{args}</a>")],
        "nothing shows where a call begins at byte 0 (`{name}<a>{args}<…`); begin it with text, or give a `wrap` that begins with text",
    ),
    (
        &[("call", "{opt:<a>}{name}:{args}")],
        "nothing shows where a call begins at byte 0 (`{opt:<a>}{name}:…`); begin it with text, or give a `wrap` that begins with text",
    ),
    (
        &[("wrap", "{also:[}{*}"), ("call", "{name}({args:python})")],
        "nothing shows where a call begins at byte 0 (`{name}({args:pyt…`); begin it with text, or give a `wrap` that begins with text",
    ),
    (
        &[("call", "<a>{call}</a>"), ("wrap", "<b>{skip}{*}</b>{skip}")],
        "nothing shows where `{skip}` ends at byte 16 (`{skip}`); put text after it",
    ),
    (
        &[("call", "<a>{call}</a>"), ("message", "{text}</b>")],
        "nothing shows where a message begins at byte 0 (`{text}</b>`); begin it with text",
    ),
    (
        &[("call", "<a>{call}</a>"), ("message", "<b>{opt:-}{reasoning}{opt:-}{text}")],
        "`{text}` may stand directly after `{reasoning}` at byte 10 (`{reasoning}{opt:…`); put text between them that is always there",
    ),
    (
        &[("call", "<a>{call}</a>"), ("message", "<b>{opt:-}")],
        "the pattern of a message lacks `{text}`, `{reasoning}` or `{skip}` at the end (byte 10)",
    ),
    (
        &[("call", "<a>{call}</a>"), ("call", r#"<b>{call:{"say": text, "do": {"name": name}}}"#)],
        "an object with `text` beside other call patterns at byte 0 (`<b>{call:{\"say\":…`); make it a format of its own",
    ),
];

/// What nothing reads where it stands.
const UNREAD: &[(&[(&str, &str)], &str)] = &[
    (
        &[("call", "<a={name}>{args:<p={key}>{value:nested}</p>}</a>")],
        "`{value:nested}` where the key is not in both tags is not read at byte 25 (`{value:nested}</…`); write `<{key}>{value:nested}</{key}>`",
    ),
    (
        &[("call", "<a={name}>{args:<p>{value}</p={key}>}</a>")],
        "`{key}` after `{value}` is not read at byte 30 (`{key}>}</a>`); put it before `{value}`",
    ),
    (
        &[("call", "<a>{name=sh}{arg:dir}<b>{arg:code}</a>")],
        "`{arg:…}` after another argument is not read at byte 24 (`{arg:code}</a>`); keep one of them",
    ),
    (
        &[("call", "<a>{name}{args}<i>{id}</a>")],
        "`{id}` after the arguments is not read at byte 18 (`{id}</a>`); put it before them",
    ),
    (
        &[("call", "<a>{call}{skip}</a>")],
        "`{skip}` after the arguments is not read at byte 9 (`{skip}</a>`); put it before them",
    ),
    (
        &[("call", r#"<a>{name=sh}{call:{"with": args}}</a>"#)],
        "`{call:…}` without `name` in it is not read at byte 12 (`{call:{\"with\": a…`); put `name` in it, or write `{args}`",
    ),
    (
        &[("call", r#"<a>{call:{"do": {name: args}}}</a>"#)],
        "`{call:…}` with the name as a key under another one is not read at byte 3 (`{call:{\"do\": {na…`); write it alone: `{name: args}`",
    ),
    (
        &[("call", r#"{call:{"calls": [{"do": name, "with": args}]}}"#)],
        "`{call:…}` with its list under a key is not read at byte 0 (`{call:{\"calls\": …`); write the list alone: `[…]`",
    ),
    (
        &[("call", "<a>{at:message}<b>{call}</b></a>")],
        "`{at:message}` after the beginning is not read at byte 3 (`{at:message}<b>{…`); begin the pattern with it",
    ),
    (
        &[("call", "<a>{call}</a>"), ("wrap", "<b>{opt:{at:line}<c>}{*}</b>")],
        "`{at:line}` after the beginning is not read at byte 8 (`{at:line}<c>}{*}…`); begin the pattern with it",
    ),
    (
        &[("call", "<a>{call}</a>"), ("message", r#"{call:{"say": text}}"#)],
        "`{call:…}` in a message is not read at byte 0 (`{call:{\"say\": te…`); only `{text}` is",
    ),
];

/// What is wrong with a row, not with one of its patterns.
const UNFIT_ROWS: &[(&[(&str, &str)], &str)] = &[
    (
        &[(
            "call",
            "<a>{any:a||b||c||d}{any:a||b||c||d}{any:a||b||c||d}{any:a||b||c||d}{any:a||b||c||d}{any:x||y}{call}",
        )],
        "more than 1024 spellings of one text at byte 83 (`{any:x||y}{call}`); write fewer alternatives in a row",
    ),
    (&[], "format `x` has no marker that opens a call"),
    (
        &[("call", "<a>{name}</a>")],
        "format `x`: the call `<a>{name}</a>` holds no arguments that can be read",
    ),
    (
        &[("call", "<a>{name}{arg}</a>")],
        "`{arg}` directly after `{name}` at byte 9 (`{arg}</a>`); put text between them",
    ),
    (
        &[("call", "<a>{call}</a>"), ("tags", "words")],
        "format `x`: `tags = words` goes with `{opt:<W>}<F={name}>{args:<P={key}>…}` alone",
    ),
    (
        &[("call", "{opt:<w>}<a\u{27}b={name}>{args:<p={key}>{value}</p>}"), ("tags", "words")],
        "format `x`: `a'b` cannot be the word of a tag",
    ),
];

fn spec(fields: &[(&str, &str)]) -> FormatSpec {
    let mut spec = FormatSpec { name: "x".into(), ..FormatSpec::default() };
    for (field, pattern) in fields {
        match *field {
            "call" => spec.call.push((*pattern).into()),
            "wrap" => spec.wrap.push((*pattern).into()),
            "message" => spec.message.push((*pattern).into()),
            _ => spec.tags = Tags::Words,
        }
    }
    spec
}

/// The name of a kind.
fn word(kind: &PatternErrorKind) -> String {
    let text = format!("{kind:?}");
    text.chars().take_while(char::is_ascii_alphanumeric).collect()
}

#[test]
fn what_is_not_in_the_notation_is_refused_with_its_place() {
    for (line, message) in UNREADABLE {
        assert_eq!(parse(line).unwrap_err().to_string(), *message, "{line}");
        // A spec says the field and the pattern too.
        let error = SpecProtocol::new(&spec(&[("call", line)])).unwrap_err();
        assert_eq!(error.to_string(), format!("format `x`: `call` = `{line}`: {message}"));
    }
    let deep = format!("{}<a>{}", "{opt:".repeat(40), "}".repeat(40));
    assert_eq!(
        parse(&deep).unwrap_err().to_string(),
        "nested more than 32 deep at byte 160 (`{opt:{opt:{opt:{…`)"
    );
}

#[test]
fn a_message_is_one_line_whatever_the_pattern_holds() {
    let line = "<a>\n{at:x\n}{call}";
    assert_eq!(
        SpecProtocol::new(&spec(&[("call", line)])).unwrap_err().to_string(),
        r"format `x`: `call` = `<a>\n{at:x\n}{call}`: `{at:…}` does not take `x\n` at byte 4 (`{at:x\n}{call}`); it takes `line` and `message`"
    );
}

#[test]
fn what_does_not_fit_its_role_is_refused_with_its_place() {
    for (role, line, message) in UNFIT {
        let pattern = parse(line).unwrap();
        assert_eq!(check(&pattern, *role).unwrap_err().to_string(), *message, "{line}");
    }
}

#[test]
fn what_is_read_in_two_ways_or_not_at_all_is_refused_with_its_place() {
    for (fields, message) in AMBIGUOUS.iter().chain(UNREAD).chain(UNFIT_ROWS) {
        let error = SpecProtocol::new(&spec(fields)).unwrap_err();
        // The pattern to blame stands last.
        let whole = match fields.last() {
            Some((field, line)) if matches!(error, SpecError::Pattern { .. }) => {
                format!("format `x`: `{field}` = `{line}`: {message}")
            }
            _ => (*message).to_owned(),
        };
        assert_eq!(error.to_string(), whole, "{fields:?}");
    }
    let long = format!("<{}>{{call}}", "a".repeat(70_000));
    assert_eq!(
        SpecProtocol::new(&spec(&[("call", &long)])).unwrap_err().to_string(),
        "format `x`: the markers are too long or too many for one set"
    );
    #[cfg(not(feature = "yaml"))]
    assert_eq!(
        SpecProtocol::new(&spec(&[("call", "<{name}>{args:yaml}</{name}>")]))
            .unwrap_err()
            .to_string(),
        "format `x` needs the feature `yaml`"
    );
}

#[test]
fn every_kind_of_error_stands_here() {
    let read = UNREADABLE.iter().map(|(line, _)| word(&parse(line).unwrap_err().kind));
    let role = |role: Role, line: &str| check(&parse(line).unwrap(), role).unwrap_err();
    let unfit = UNFIT.iter().map(|(of, line, _)| word(&role(*of, line).kind));
    let two =
        AMBIGUOUS.iter().chain(UNREAD).chain(UNFIT_ROWS).map(
            |(fields, _)| match SpecProtocol::new(&spec(fields)) {
                Err(SpecError::Pattern { error, .. }) => word(&error.kind),
                Err(error) => {
                    format!("{error:?}").chars().take_while(char::is_ascii_alphanumeric).collect()
                }
                Ok(_) => panic!("{fields:?}"),
            },
        );
    let seen: BTreeSet<String> = read.chain(unfit).chain(two).collect();
    let kinds = "Adjacent Alternatives ArgsWithout BadEscape DigitAfterIndex EmptyAlternative FreeTags HoldsEnd \
        MayMeet Missing MissingArgument MissingName NoBeginning NoEnd NoOpener NoParentheses NoPayload \
        NotAHole NotInRole NotRead OutOfPlace SometimesNameless StrayBrace Template TextBesideCalls TemplateList TemplateTwice \
        TemplateWord TooManySpellings Twice TwoNames TwoPayloads Unclosed UnexpectedArgument UnknownHole UnknownWord Word";
    let kinds: BTreeSet<String> = kinds.split_whitespace().map(str::to_owned).collect();
    assert_eq!(seen, kinds);
}

#[test]
fn what_only_looks_ambiguous_is_read() {
    for fields in [
        // Whitespace and brackets end a name, a line break ends a key, `:` counts at its last place.
        &[("call", "<a>{name} {id}({args:python})")] as &[(&str, &str)],
        &[("call", "<a>{name}{args}</a>")],
        &[("call", "<a>{id:{opt:functions.}{name}:{index}} {args}")],
        &[("call", r"<a>{name}:{args:<p>{key}\n{value}</p>}</a>")],
        // Both begin with text, whatever is left out.
        &[("call", "{any:<a>||<b>}{opt:x}{name}:{args}")],
        &[("call", "{name}({args:python})"), ("wrap", "{also:<w>}[{*}]")],
        &[("call", "<{name}>{args:elements}</{name}>")],
        &[("call", r"{at:line}{name}\n{args:elements}")],
        &[("call", "{call}"), ("wrap", "{also:```}{*}{also:```}")],
        &[("call", "<a>{skip}:{call}"), ("message", "<m>{text}"), ("message", "<t>{text}")],
    ] {
        assert_eq!(SpecProtocol::new(&spec(fields)).map(|_| ()), Ok(()), "{fields:?}");
    }
}

#[test]
fn a_call_that_begins_a_line_or_the_message_is_none_elsewhere() {
    for (field, line) in [
        ("call", "{at:WHERE}<a>{name}{args}</a>"),
        ("wrap", "{at:WHERE}<w>{*}</w>"),
        ("wrap", r"\n{at:WHERE}<w>{*}</w>"),
    ] {
        let calls = |at: &str, before: &str| {
            let line = line.replace("WHERE", at);
            let rest: &[(&str, &str)] =
                if field == "wrap" { &[("call", "({name}{args})")] } else { &[] };
            let protocol =
                SpecProtocol::new(&spec(&[&[(field, line.as_str())], rest].concat())).unwrap();
            let call = protocol.format_tool_calls(&[ToolCall::new("f", "{}")]).unwrap();
            let turn = protocol.parse(&format!("{before}{call}"), &Request::default()).unwrap();
            turn.calls().count()
        };
        for (before, line, message) in [("", 1, 1), (" ", 1, 1), ("x\n", 1, 0), ("x ", 0, 0)] {
            assert_eq!(calls("line", before), line, "{field} {before:?}");
            assert_eq!(calls("message", before), message, "{field} {before:?}");
        }
    }
}

#[test]
fn what_a_template_says_beside_name_and_arguments_is_read() {
    for template in [
        r#"{"type": "fn", "tool": name, "in": args}"#,
        r#"{"meta": {"tool": name}, "in": args}"#,
        r#"{"function": {"tool": name, "in": {"x": args}}}"#,
    ] {
        let line = format!("<a>{{call:{template}}}</a>");
        let protocol = SpecProtocol::new(&spec(&[("call", &line)])).unwrap();
        let call = protocol.format_tool_call(&ToolCall::new("f", r#"{"k": 1}"#)).unwrap();
        let turn = protocol.parse(&call, &Request::default()).unwrap();
        assert_eq!(turn.calls().map(|c| (c.name, c.arguments)).next(), Some(("f", r#"{"k": 1}"#)));
    }
}

#[test]
fn a_row_with_text_in_its_objects_is_read_alone() {
    let mut registry = Registry::builtin();
    let own =
        FormatSpec { reads: vec!["agent-structured".into()], ..spec(&[("call", "<a>{call}</a>")]) };
    let wanted = concat!(
        r#"format `agent-structured`: `call` = `{call:{"content": text, "toolCall": {"name": name, "args": args}}}`: "#,
        r#"an object with `text` beside other call patterns at byte 0 (`{call:{"content"…`); make it a format of its own"#,
    );
    assert_eq!(registry.register_spec(&own).unwrap_err().to_string(), wanted);
    assert_eq!(registry.union("hermes,agent-structured").err().unwrap().to_string(), wanted);
}

#[test]
fn no_built_in_row_is_refused() {
    for row in toolweir_protocols::formats::specs() {
        let reads: Vec<_> =
            row.reads.iter().map(|name| toolweir_protocols::formats::spec(name).unwrap()).collect();
        let reads: Vec<&FormatSpec> = reads.iter().collect();
        assert_eq!(SpecProtocol::reading(&row, &reads).map(|_| ()), Ok(()), "{}", row.name);
    }
}

#[test]
fn alternatives_in_a_row_are_not_spelled_out() {
    let row = "{any:a||b}".repeat(40);
    let message = "more than 1024 spellings of one text at byte ";
    for (fields, wrong) in [
        (&[("call", format!("<a>{row}{{call}}"))] as &[_], "call"),
        (&[("call", format!("<a>{{call}}{row}"))], "call"),
        (&[("call", format!("<a>{{name}}:{{args:<p>{{key}}={{value}}{row}}}</a>"))], "call"),
        (&[("call", format!("<a>{{id:{{name}}:{row}}} {{args}}"))], "call"),
        (&[("wrap", format!("<w>{{*}}{{opt:{row}}}")), ("call", "<a>{call}</a>".into())], "wrap"),
        (&[("call", "<a>{call}</a>".into()), ("message", format!("{row}{{text}}"))], "message"),
        (&[("call", format!("<a>{{call}}{}", "{any:a{opt:b}||c\nd}".repeat(40)))], "call"),
        (&[("call", format!("<a>{{call}}{}", "x{opt:b}".repeat(40)))], "call"),
    ] {
        let fields: Vec<_> = fields.iter().map(|(field, text)| (*field, text.as_str())).collect();
        let error = SpecProtocol::new(&spec(&fields)).unwrap_err();
        let SpecError::Pattern { field, error, .. } = error else { panic!("{fields:?}: {error}") };
        assert_eq!(field, wrong);
        assert_eq!(error.kind, PatternErrorKind::TooManySpellings(1024));
        assert!(error.to_string().starts_with(message), "{error}");
        assert!(error.to_string().ends_with("; write fewer alternatives in a row"), "{error}");
    }
    // As many as there may be.
    let line = format!("<a>{{call}}{}", "{any:a||b}".repeat(10));
    assert_eq!(SpecProtocol::new(&spec(&[("call", &line)])).map(|_| ()), Ok(()));
}

fn turn(protocol: &SpecProtocol, chunks: [&str; 2]) -> Turn {
    let mut decoder = protocol.decoder(&Request::default()).unwrap();
    let mut fold = Fold::default();
    for chunk in chunks {
        decoder.push(Chunk::text(chunk), &mut fold);
    }
    decoder.finish(StreamEnd::Stop, &mut fold);
    fold.into_turn()
}

/// What the call says that a format of this one pattern reads, whatever the chunks are.
fn read(line: &str, text: &str) -> Option<(String, Option<String>, String)> {
    let protocol = SpecProtocol::new(&spec(&[("call", line)])).unwrap();
    let mut found = None;
    for at in text.char_indices().map(|(at, _)| at) {
        let (first, second) = text.split_at(at);
        let turn = turn(&protocol, [first, second]);
        let call = turn.calls().next().map(|call| {
            (call.name.to_owned(), call.native_id.map(str::to_owned), call.arguments.to_owned())
        });
        assert!(at == 0 || call == found, "{line} at {at}: {call:?} {found:?}");
        found = call;
    }
    found
}

#[test]
fn whitespace_between_a_hole_and_free_text_has_to_be_there() {
    for (line, text, wanted) in [
        ("<c>{name} {skip}|{args}</c>", "<c>dice x|{}</c>", Some(("dice", None, "{}"))),
        ("<c>{name} {skip}|{args}</c>", "<c>\"dice\"\n|{}</c>", Some(("dice", None, "{}"))),
        ("<c>{name} {skip}|{args}</c>", "<c>dice|{}</c>", None),
        ("<c>{name} {opt:-}{skip}|{args}</c>", "<c>dice x|{}</c>", Some(("dice", None, "{}"))),
        ("<c>{name}{any:: || }{skip}|{args}</c>", "<c>dice x|{}</c>", Some(("dice", None, "{}"))),
        ("<c>{name} {id}:{args}</c>", "<c>dice 7:{}</c>", Some(("dice", Some("7"), "{}"))),
        ("<c>{name} {id}:{args}</c>", "<c>dice:{}</c>", None),
        ("<c>{index} {name}:{args}</c>", "<c>12 f:{}</c>", Some(("f", None, "{}"))),
        ("<c>{index} {name}:{args}</c>", "<c>12:{}</c>", None),
        ("<c>{opt:{id} }{skip}|{name}{args}</c>", "<c>ab x|f{}</c>", Some(("f", Some("ab"), "{}"))),
        ("<c>{opt:{id} }{skip}|{name}{args}</c>", "<c>ab|f{}</c>", Some(("f", None, "{}"))),
        (
            "<c>{id:{name}:{index}} {skip}|{args}</c>",
            "<c>f:12 x|{}</c>",
            Some(("f", Some("f:12"), "{}")),
        ),
        ("<c>{name} {arg:x}</c>", "<c>dice a b</c>", Some(("dice", None, r#"{"x":"a b"}"#))),
        (r"<c>{name}\n{arg:x}</c>", "<c>dice\n  a</c>", Some(("dice", None, r#"{"x":"  a"}"#))),
        (r"<c>{name}\n{arg:x}</c>", "<c>dice \r\n\na</c>", Some(("dice", None, r#"{"x":"\na"}"#))),
        (
            r"<c>{name}:{args:<p>{key}\n{value}</p>}</c>",
            "<c>f:<p>a key\n\nv</p></c>",
            Some(("f", None, r#"{"a key":"\nv"}"#)),
        ),
        (
            "<c>{name}:{args:<p>{key}|{type} {value}</p>}</c>",
            "<c>f:<p>k|string v w</p></c>",
            Some(("f", None, r#"{"k":"v w"}"#)),
        ),
        (
            "<c>{name}{!}{args:<p={key}>{value}</p>}</c>",
            "<c>dice<p=a>b</p></c>",
            Some(("dice", None, r#"{"a":"b"}"#)),
        ),
    ] {
        let wanted =
            wanted.map(|(name, id, args)| (name.into(), id.map(str::to_owned), args.into()));
        assert_eq!(read(line, text), wanted, "{line} {text:?}");
    }
}

#[test]
fn the_edges_of_a_text_are_read_as_they_are_written() {
    let values = [
        "",
        "x",
        "x\n",
        "\nx",
        "\n",
        "\n\n",
        "  x",
        "x  ",
        "\r\nx\r\n",
        "x\r\ny",
        "\t",
        "x\r",
        "\r",
    ];
    for line in [
        "<run>{name=f}{arg:x}</run>",
        r"<run>\n{name=f}{arg:x}\n</run>",
        r"<run>{name=f}\n{arg:x}</run>",
        r"<run>{name=f}{arg:x}\n</run>",
        r"<run>{name=f}\n\n{arg:x}\n\n</run>",
        r"<run>{name=f} {arg:x} </run>",
        r"<run>{name=f}{also:\n}{arg:x}{also:\n}</run>",
        r"<run>{name=f}\n{arg:x} </run>",
        r"<run>{name}\n{arg:x}\n</run>",
        r"<run>{name} {arg:x}\n</run>",
        r"<run>{name}{args:<p={key}>\n{value}</p>}</run>",
        r"<run>{name}{args:<p={key}>{value}\n</p>}</run>",
        r"<run>{name}{args:<p={key}> {value} </p>}</run>",
        r"<run>{name}{args:<p>{key}\n{value}\n</p>}</run>",
        r"<run>{name}{args:<p>{key}\n\n{value}</p>}</run>",
    ] {
        let protocol = SpecProtocol::new(&spec(&[("call", line)])).unwrap();
        let mut written = 0;
        for value in values {
            let args = format!("{{\"x\":{value:?}}}");
            let Ok(text) = protocol.format_tool_call(&ToolCall::new("f", &args)) else { continue };
            written += 1;
            let wanted = Some(("f".into(), None, args));
            assert_eq!(read(line, &text), wanted, "{line} {text:?}");
        }
        assert!(written >= 2, "{line}");
    }
}

#[test]
fn one_line_break_goes_at_each_edge_of_a_message() {
    for (line, text, wanted) in [
        (r"<m>\n{text}\n</m>\n", "<m>\nhi\n</m>\nmore", "himore"),
        (r"<m>\n{text}\n</m>\n", "<m>\n\nhi\n\n</m>\n\nmore", "\nhi\n\nmore"),
        (r"<m>\n{text}\n</m>\n", "<m>\r\nhi\r\n</m>\r\nmore", "himore"),
        (r"<m>\n{text}\n</m>\n", "<m>hi</m>more", "himore"),
        (r"<m>{text}</m>", "<m>\nhi\n</m>", "\nhi\n"),
        // A line break ends a word.
        (r"<m>all\n{text}</m>", "<m>all\nhi</m>", "hi"),
        (r"<m>all\n{text}</m>", "<m>allhi</m>", "<m>allhi"),
    ] {
        let fields = [("call", "<a>{call}</a>"), ("message", line)];
        let protocol = SpecProtocol::new(&spec(&fields)).unwrap();
        for at in text.char_indices().map(|(at, _)| at) {
            let (first, second) = text.split_at(at);
            let turn = turn(&protocol, [first, second]);
            assert_eq!(turn.text(), wanted, "{line} {text:?} at {at}");
        }
    }
}

#[test]
fn many_parts_that_may_be_absent_are_checked_in_time() {
    let line = format!("<a>{{name}}{}{{args}}", r"{also:{also:\n}{opt:\n}}".repeat(2000));
    let error = SpecProtocol::new(&spec(&[("call", &line)])).unwrap_err();
    // More than the matcher follows at once: such a call is not read.
    assert!(matches!(error, SpecError::ReadsOtherwise { .. }), "{error}");
}
