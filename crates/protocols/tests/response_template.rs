//! Response templates of checkpoints: what format each gives, what that does not say, and what it decodes
//! at every split.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use proptest::prelude::*;
use toolweir_protocols::{
    FormatSpec, FromTemplate, Registry, Request, ResponseTemplateError, SpecProtocol, ToolCall,
};
use toolweir_segments::{StreamEnd, Turn};
use toolweir_testkit::{CheckOptions, RoundTrip, check, round_trip};

const TEMPLATES: &[&str] = &[
    include_str!("response_template/blocks.json"),
    include_str!("response_template/braces.json"),
    include_str!("response_template/channels.json"),
    include_str!("response_template/code.json"),
    include_str!("response_template/fenced.json"),
    include_str!("response_template/header.json"),
    include_str!("response_template/list.json"),
    include_str!("response_template/objects.json"),
    include_str!("response_template/tags.json"),
    include_str!("response_template/unsaid.json"),
];

fn read(text: &str) -> FromTemplate {
    FormatSpec::from_response_template("own", text).unwrap()
}

/// What a format does not say, a line each.
fn unsaid(read: &FromTemplate) -> Vec<String> {
    read.unsaid.iter().map(ToString::to_string).collect()
}

/// The turn of a text, the same at every split, from the format as its file says it.
fn decoded(read: &FromTemplate, text: &str) -> Turn {
    let spec = FormatSpec::from_json(&read.spec.to_json()).unwrap();
    assert_eq!(spec, read.spec);
    let protocol = SpecProtocol::new(&spec).unwrap();
    let request = Request::default();
    check(&protocol, &request, text, StreamEnd::Stop, &CheckOptions::default())
        .unwrap_or_else(|report| panic!("{report}"))
}

#[test]
fn what_a_format_writes_it_reads_back() {
    for template in TEMPLATES {
        let read = read(template);
        let protocol = SpecProtocol::new(&read.spec).unwrap();
        let request = Request::default();
        for name in ["dice", "python"] {
            let call = ToolCall::new(name, r#"{"code": "6"}"#);
            let options = CheckOptions::default();
            match round_trip(&protocol, &request, &call, &options) {
                Ok(RoundTrip::Same(_)) => {}
                Ok(RoundTrip::Refused(_)) => {
                    let pattern = &read.spec.call[0].pattern;
                    assert!(pattern.contains("{name=python}") && name == "dice", "{pattern}");
                }
                Ok(other) => panic!("{other:?}"),
                Err(report) => panic!("{report}"),
            }
        }
    }
}

/// The calls of a turn, as `name arguments`, with the id in front where there is one.
fn calls(turn: &Turn) -> Vec<String> {
    let calls = turn.calls().map(|call| {
        let id = call.native_id.map(|id| format!("{id} ")).unwrap_or_default();
        format!("{id}{} {}", call.name, call.arguments)
    });
    calls.collect()
}

const SURROUNDING: &str =
    "fields: text outside of every field is dropped there; here it is visible text";

#[test]
fn objects_between_markers() {
    let read = read(include_str!("response_template/objects.json"));
    assert_eq!(unsaid(&read), [""; 0]);
    assert_eq!(read.spec.call, ["<tool_call>{call}</tool_call>".into()]);
    assert_eq!(read.spec.strays, ["<|im_end|>", "<|endoftext|>"]);
    let turn = decoded(
        &read,
        "<think>\nDice.\n</think>\n\nOn it.\n<tool_call>\n{\"name\": \"dice\", \"arguments\": \
         {\"sides\": 6}}\n</tool_call>\n<tool_call>{\"name\": \"clock\", \"arguments\": {}}\
         </tool_call><|im_end|>",
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", "On it."));
    assert_eq!(calls(&turn), [r#"dice {"sides": 6}"#, "clock {}"]);
}

#[test]
fn a_header_with_the_name_and_an_id() {
    let read = read(include_str!("response_template/header.json"));
    assert_eq!(unsaid(&read), [""; 0]);
    assert_eq!(read.spec.call, ["[TOOL_CALLS]{name}{opt:[CALL_ID]{id}}{opt:[ARGS]}{args}".into()]);
    assert_eq!(read.spec.reasoning, "mistral");
    let turn = decoded(
        &read,
        "[THINK]Dice.[/THINK]Two.[TOOL_CALLS]dice[CALL_ID]a1b2c3d4e[ARGS]{\"sides\": 6}\
         [TOOL_CALLS]clock{\"zone\": \"UTC\"}</s>",
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", "Two."));
    assert_eq!(calls(&turn), [r#"a1b2c3d4e dice {"sides": 6}"#, r#"clock {"zone": "UTC"}"#]);
}

#[test]
fn a_fence_in_a_header_and_a_wrapper_around_all() {
    let read = read(include_str!("response_template/fenced.json"));
    assert_eq!(unsaid(&read), [""; 0]);
    assert_eq!(read.spec.wrap, ["<｜tool▁calls▁begin｜>{*}<｜tool▁calls▁end｜>"]);
    assert_eq!(read.spec.reasoning, "deepseek-r1");
    let call = |name: &str, args: &str| {
        format!(
            "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{args}\n```<｜tool▁call▁end｜>"
        )
    };
    let turn = decoded(
        &read,
        &format!(
            "<think>\nDice.</think>Now.<｜tool▁calls▁begin｜>{}\n{}<｜tool▁calls▁end｜>\
             <｜end▁of▁sentence｜>",
            call("dice", "{\"sides\": 6}"),
            call("clock", "{}")
        ),
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", "Now."));
    assert_eq!(calls(&turn), [r#"dice {"sides": 6}"#, "clock {}"]);
}

#[test]
fn parameters_in_tags() {
    let read = read(include_str!("response_template/tags.json"));
    assert_eq!(unsaid(&read), [""; 0]);
    let pattern = concat!(
        r"<tool_call>\n<function={name}>\n{args:<parameter={key}>{value:trim}</parameter>}",
        r"</function>\n</tool_call>"
    );
    assert_eq!(read.spec.call, [pattern.into()]);
    let turn = decoded(
        &read,
        "Hm.\n<tool_call>\n<function=note>\n<parameter=text>\ntwo\n\nlines\n</parameter>\n\
         <parameter=tag>a<b</parameter>\n</function>\n</tool_call><|im_end|>",
    );
    assert_eq!(turn.text(), "Hm.");
    assert_eq!(calls(&turn), [r#"note {"text":"two\n\nlines","tag":"a<b"}"#]);
}

#[test]
fn unquoted_keys_and_strings_of_their_own() {
    let read = read(include_str!("response_template/braces.json"));
    assert_eq!(unsaid(&read), [""; 0]);
    let pattern = r#"<|tool_call>call:{name}{args:gemma <|"|>}<tool_call|>"#;
    assert_eq!(
        (read.spec.call.as_slice(), &*read.spec.reasoning),
        (&[pattern.into()][..], "gemma4")
    );
    let turn = decoded(
        &read,
        "<|channel>thought\nDice.<channel|>Go.<|tool_call>call:dice{sides:6,word:<|\"|>a\"}b<|\"|>}\
         <tool_call|><turn|>",
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", "Go."));
    assert_eq!(calls(&turn), [r#"dice {"sides":6,"word":"a\"}b"}"#]);
}

#[test]
fn channels_with_free_words_in_their_headers() {
    let read = read(include_str!("response_template/channels.json"));
    assert_eq!(unsaid(&read), [SURROUNDING]);
    assert_eq!(read.spec.strays, ["<|return|>", "<|end|>", "<|start|>assistant"]);
    let turn = decoded(
        &read,
        "<|channel|>analysis<|message|>Dice.<|end|><|start|>assistant<|channel|>commentary \
         to=functions.dice <|constrain|>json<|message|>{\"sides\": 6}<|call|><|start|>assistant\
         <|channel|>commentary to=functions.clock<|message|>{}<|call|><|start|>assistant<|channel|>\
         final<|message|>Four.<|return|>",
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", "Four."));
    assert_eq!(calls(&turn), [r#"dice {"sides": 6}"#, "clock {}"]);
}

#[test]
fn one_list_of_calls_under_keys_of_its_own() {
    let read = read(include_str!("response_template/list.json"));
    assert_eq!(unsaid(&read), [""; 0]);
    let turn = decoded(
        &read,
        "<|START_THINKING|>Dice.<|END_THINKING|><|START_ACTION|>[\n  {\"tool_call_id\": \"0\", \
         \"tool_name\": \"dice\", \"parameters\": {\"sides\": 6}},\n  {\"tool_call_id\": \"1\", \
         \"tool_name\": \"clock\", \"parameters\": {}}\n]<|END_ACTION|><|END_OF_TURN_TOKEN|>",
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", ""));
    assert_eq!(calls(&turn), [r#"0 dice {"sides": 6}"#, "1 clock {}"]);
}

#[test]
fn blocks_with_an_author() {
    let read = read(include_str!("response_template/blocks.json"));
    assert_eq!(unsaid(&read), [SURROUNDING]);
    let turn = decoded(
        &read,
        "<|content_thinking|>Dice.<|end_message|><|message_model|>me<|content_text|> Go. <|end_message|>\
         <|message_model|><|content_invoke|>{\"name\": \"dice\", \"args\": {\"sides\": 6}}<|end_message|>",
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", " Go. "));
    assert_eq!(calls(&turn), [r#"dice {"sides": 6}"#]);
}

#[test]
fn text_as_the_only_argument_of_a_named_tool() {
    let read = read(include_str!("response_template/code.json"));
    let strip = "fields.tool_calls.content_args.strip: whitespace at the edges of an argument that is text stays";
    assert_eq!(unsaid(&read), [strip, SURROUNDING]);
    let turn = decoded(
        &read,
        "<ponder>Dice.</ponder><answer>Go.\n</answer><run>print(1)</run><exec>2</exec>",
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", "Go."));
    assert_eq!(calls(&turn), [r#"python {"code":"print(1)"}"#, r#"python {"code":"2"}"#]);
}

#[test]
fn what_no_format_says_is_listed_and_the_rest_works() {
    let read = read(include_str!("response_template/unsaid.json"));
    assert_eq!(
        unsaid(&read),
        [
            "colour: an unknown member",
            "defaults.model: a turn has no fixed members",
            "fields.score.optional: no part of a turn is required",
            "fields.content.style: an unknown member",
            "fields.content.content_args.stripe: an unknown member",
            "fields.tool_calls.repeats: only the last call of a turn counts there; here each does",
            "fields.tool_calls.transform.weight: a call has no such member: it is left out",
            "fields.tool_calls.transform.function.strict: a call has no such member: it is left out",
            "fields.tool_calls.content_args.merge_duplicates: a repeated key is a list there; here the \
             policy `duplicate_keys` decides",
            "fields.tool_calls.content_args.value_parser: values are read as `json` there; here the \
             tool's schema types them, and without one they are text",
            "fields.tool_calls.open_pattern: the edge of a word at byte 31 (`\\\\b(?P<name>\\\\w+)>`)",
            "fields.thinking.transform: the text of a turn is not transformed",
            "fields.thinking.open_pattern: an alternative without text, which shows no place",
            "fields.thinking.open_pattern: a negative lookahead at byte 12 (`(?!x)|<ponder>)`)",
            "fields.score: a turn has no such part: it is left out",
        ]
    );
    let turn = decoded(
        &read,
        "<ponder>Dice.</ponder>Go.<score>3</score><tool name=dice><sides>6</sides></tool><eos>",
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", "Go."));
    assert_eq!(calls(&turn), [r#"dice {"sides":"6"}"#]);
}

/// A template of nothing but calls between `<c>` and `</c>` with these further members.
fn with_calls(members: &str) -> String {
    format!(
        r#"{{"fields": {{"content": {{}}, "tool_calls": {{"open": "<c>", "close": "</c>",
            "repeats": true, {members}}}}}}}"#
    )
}

#[test]
fn calls_are_said_where_their_members_stand() {
    for (members, pattern) in [
        (r#""content": "json""#, "<c>{call}</c>"),
        (r#""content": "json", "repeats": false"#, "<c>{calls}</c>"),
        (r#""content": "json", "transform": "{content}""#, "<c>{call}</c>"),
        (
            r#""content": "json", "transform": {"function": {"name": "{content.f.n}", "arguments": "{content[f]['a']}"}}"#,
            r#"<c>{call:{"f": {"n": name, "a": args}}}</c>"#,
        ),
        (
            r#""content": "json", "transform_each": true, "transform": {"name": "{name}", "arguments": "{arguments}"}"#,
            "<c>{calls}</c>",
        ),
        (
            r#""content": "json", "transform": [{"id": "{content.id}", "name": "{content.name}"}]"#,
            r#"<c>{call:{"id": id, "name": name}}</c>"#,
        ),
        (
            r#""content": "json", "transform": {"name": "f", "arguments": "{content}"}"#,
            "<c>{name=f}{args}</c>",
        ),
        (
            r#""content": "json", "transform": {"name": "f", "arguments": "{content.with}"}"#,
            r#"<c>{name=f}{call:{"with": args}}</c>"#,
        ),
        (
            r#""content": "text", "content_args": {"strip": false}, "transform": {"name": "f", "arguments": {"x:y": "{content}"}}"#,
            r"<c>{name=f}{arg:x\:y}</c>",
        ),
    ] {
        let read = read(&with_calls(members));
        assert_eq!(unsaid(&read), [""; 0], "{members}");
        assert_eq!(read.spec.call, [pattern.into()], "{members}");
    }
}

#[test]
fn openers_are_said_in_every_spelling() {
    for (open, pattern) in [
        (r#""open": ["<c", "<c>", "<d>", "<c"]"#, "{any:<c>||<c||<d>}{call}"),
        (r#""open_pattern": "<c>(?=\\s*[{])""#, "<c>{call}"),
        (r#""open_pattern": "<c>(?=\\{|\\[)""#, "<c>{call}"),
        (r#""open_pattern": "<c>\\s*```(?:json)?\\n""#, r"<c>\n```{opt:json}\n{call}"),
    ] {
        let text = format!(
            r#"{{"fields": {{"content": {{}}, "tool_calls": {{{open}, "repeats": true, "content": "json"}}}}}}"#
        );
        let read = read(&text);
        assert_eq!(unsaid(&read), [""; 0], "{open}");
        assert_eq!(read.spec.call, [pattern.into()], "{open}");
    }
}

#[test]
fn what_would_take_too_long_is_refused() {
    let open = "(?:a|b)".repeat(500);
    let template = with_calls(r#""content": "json""#)
        .replace("\"open\": \"<c>\"", &format!("\"open_pattern\": \"{open}\""));
    let error = FormatSpec::from_response_template("own", &template).unwrap_err();
    let told: Vec<String> = error.unsaid().iter().map(ToString::to_string).collect();
    assert_eq!(told, ["fields.tool_calls: more than 64 spellings"]);

    let fields: Vec<String> = (0..60)
        .map(|n| {
            let open: Vec<String> = (0..60).map(|k| format!("<{n}x{k}>\\\\s?")).collect();
            format!(r#""f{n}": {{"open_pattern": "{}", "close": "</{n}>"}}"#, open.join("|"))
        })
        .collect();
    let template = with_calls(r#""content": "json""#);
    let template = template.replace("\"content\": {}", &fields.join(","));
    let read = read(&template);
    assert_eq!((read.spec.call.len(), read.spec.message.len()), (1, 63));
    let told = unsaid(&read);
    assert_eq!(
        told.iter().filter(|line| line.ends_with("more than 64 patterns in all")).count(),
        59
    );
    assert_eq!(told.last().unwrap(), SURROUNDING);
}

#[test]
fn calls_that_cannot_be_said_are_an_error_with_the_place() {
    let call = |transform: &str| format!(r#""content": "json", "transform": {transform}"#);
    for (members, expected) in [
        (r#""content": "kv-lines""#.to_owned(), "content: no reader takes `kv-lines` here"),
        (
            r#""content": "xml-inline""#.to_owned(),
            "transform: tags that are not all arguments of a named call",
        ),
        (call(r#"{"function": {"name": "{content}"}}"#), "transform: the name is the payload"),
        (
            call(r#"{"function": {"nam": "{content}"}}"#),
            "transform: it does not say where the name of the tool stands",
        ),
        (
            call(r#"{"name": "{n}", "arguments": "{content}"}"#),
            "transform: the group `n`, which holds the name, is not in the opener",
        ),
        (
            call(r#"{"name": "{a.b}", "arguments": "{content}"}"#),
            "transform: `{a.b}` leads into text",
        ),
        (call(r#"{"name": "{}", "arguments": "{content}"}"#), "transform: `{}` is no path"),
        (call("[1, 2]"), "transform: it is no object that shows a call"),
        (
            call(r#"{"name": "f", "arguments": [1]}"#),
            "transform: arguments that are neither one value of the payload nor the payload under one key",
        ),
        (
            call(r#"{"name": "{content.a}", "arguments": "{content.a}"}"#),
            "transform: two members of a call in one place",
        ),
        (
            r#""content": "json", "content_args": {"string_delims": [["<", ">"]]}"#.to_owned(),
            "content_args.string_delims: strings that open and close in two ways",
        ),
    ] {
        let error = FormatSpec::from_response_template("own", &with_calls(&members)).unwrap_err();
        assert!(matches!(error, ResponseTemplateError::NoCalls { .. }), "{error}");
        let told: Vec<String> = error.unsaid().iter().map(ToString::to_string).collect();
        assert_eq!(told, [format!("fields.tool_calls.{expected}")], "{members}");
    }
}

#[test]
fn what_is_no_template_is_an_error_that_says_so() {
    for (text, expected) in [
        ("{", "the template cannot be read: line 1 column 2: "),
        ("[]", "the text must be an object"),
        ("{}", "there is no `response_template`, and the object itself has no `fields`"),
        (r#"{"response_template": null}"#, "there is no `response_template`"),
        (r#"{"response_template": "x"}"#, "`response_template` must be an object"),
        (r#"{"response_template": {}}"#, "`response_template.fields` must be an object"),
        (
            r#"{"response_schema": {"x-regex": "a"}}"#,
            "a `response_schema` is made of regular expressions",
        ),
        (
            r#"{"properties": {}, "x-regex": "a"}"#,
            "a `response_schema` is made of regular expressions",
        ),
        (r#"{"fields": {}, "version": 2}"#, "`version` is 2; only version 1 is read"),
        (r#"{"fields": {}, "defaults": []}"#, "`defaults` must be an object"),
        (r#"{"fields": {"a": 1}}"#, "`fields.a` must be an object"),
        (r#"{"fields": {"a": {"optional": 1}}}"#, "`fields.a.optional` must be true or false"),
        (
            r#"{"fields": {"content": {"open": [""]}}}"#,
            "`fields.content.open` must be a string or a list of strings",
        ),
        (
            r#"{"fields": {"content": {"open_pattern": 1}}}"#,
            "`fields.content.open_pattern` must be a string",
        ),
        (r#"{"fields": {"content": {}}}"#, "there is no format without tool calls"),
        (
            r#"{"fields": {"tool_calls": {"open_pattern": "(?P<n>\\w+):", "content": "json",
                "transform": {"name": "{n}", "arguments": "{content}"}}}}"#,
            "the calls of the template make no working format: format `own`: `call` = `{name}:{args}`: \
             nothing shows where a call begins at byte 0 (`{name}:{args}`); begin it with text, or give",
        ),
    ] {
        match FormatSpec::from_response_template("own", text) {
            Err(error) => {
                let told = error.to_string();
                assert!(told.starts_with(expected), "{text}\n{told}\n{expected}");
            }
            Ok(read) => panic!("{text}: {read:?}"),
        }
    }
    let many: Vec<String> = (0..65).map(|n| format!("\"f{n}\": {{}}")).collect();
    let many = format!("{{\"fields\": {{{}}}}}", many.join(","));
    let error = FormatSpec::from_response_template("own", &many).unwrap_err();
    assert_eq!(error.to_string(), "`fields` has more than 64 entries");
}

#[test]
fn a_format_of_a_template_registers_like_any_other() {
    let mut registry = Registry::builtin();
    registry.register_json(&read(TEMPLATES[0]).spec.to_json()).unwrap();
    assert_eq!(registry.get("own").unwrap().name(), "own");
}

/// Texts that break templates in interesting ways.
const PIECES: &[&str] = &[
    "",
    "(",
    ")",
    "|",
    "\\\\",
    "[",
    "]",
    "{",
    "}",
    "*?",
    "(?P<name>",
    "(?:",
    "{content}",
    "{content.name}",
    "\"",
    "null",
    "[]",
    "{}",
    "true",
    "\\n",
    "^",
    "$",
    "é",
    "<",
    ">",
    "{name}",
    "||",
    ":",
    "{1,9}",
    ".*?",
];

/// The template with some places replaced.
fn damaged(template: &str, edits: &[(usize, usize, usize)]) -> String {
    let mut chars: Vec<char> = template.chars().collect();
    for (at, length, piece) in edits {
        let at = at % (chars.len() + 1);
        let end = (at + length).min(chars.len());
        chars.splice(at..end, PIECES[piece % PIECES.len()].chars());
    }
    chars.into_iter().collect()
}

proptest! {
    #[test]
    fn a_damaged_template_gives_a_format_that_works_or_an_error(
        template in 0..TEMPLATES.len(),
        edits in prop::collection::vec((0..2000_usize, 0..6_usize, 0..100_usize), 1..4),
    ) {
        let text = damaged(TEMPLATES[template], &edits);
        match FormatSpec::from_response_template("own", &text) {
            Ok(read) => {
                let spec = FormatSpec::from_json(&read.spec.to_json()).unwrap();
                prop_assert_eq!(&spec, &read.spec);
                prop_assert!(SpecProtocol::new(&spec).is_ok());
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
