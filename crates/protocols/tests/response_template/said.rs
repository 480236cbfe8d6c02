//! What each template gives, and what that decodes.

use crate::{SURROUNDING, calls, decoded, read, unsaid, with_calls};

#[test]
fn objects_between_markers() {
    let read = read(include_str!("objects.json"));
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
    let read = read(include_str!("header.json"));
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
    let read = read(include_str!("fenced.json"));
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
    let read = read(include_str!("tags.json"));
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
    let read = read(include_str!("braces.json"));
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
    let read = read(include_str!("channels.json"));
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
    let read = read(include_str!("list.json"));
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
    let read = read(include_str!("blocks.json"));
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
    let read = read(include_str!("code.json"));
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
    let read = read(include_str!("unsaid.json"));
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
fn a_fixed_name_beside_a_call_object_is_refused() {
    let members = r#""content": "json", "transform": {"name": "f", "arguments": "{content.with}"}"#;
    let error = toolweir_protocols::FormatSpec::from_response_template("own", &with_calls(members))
        .unwrap_err();
    let told = "`{call:…}` without `name` in it is not read";
    assert!(error.to_string().contains(told), "{error}");
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
fn a_closing_tag_that_the_next_parameter_stands_in_for() {
    let read = read(
        r#"{"fields": {"content": {}, "tool_calls": {
            "open_pattern": " to=(?P<name>[^\\s<]+)<do>", "close": ["<next>", "<last>"], "repeats": true,
            "content": "xml-inline",
            "content_args": {
                "tag_pattern": "<p n=\"(?P<key>[^\"]+)\">\\n(?P<value>.*?)\\n(?:</p>|(?=<p n=\"))",
                "value_parser": {"name": "text", "args": {"strip": false}}
            },
            "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
        }}}"#,
    );
    assert!(unsaid(&read).is_empty());
    let text = " to=a<do><p n=\"x\">\n1\n<p n=\"y\">\n b\n</p><next> to=c<do><last>";
    let turn = decoded(&read, text);
    assert_eq!(calls(&turn), [r#"a {"x":"1","y":" b"}"#, "c {}"]);
}
