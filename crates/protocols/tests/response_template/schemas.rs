//! The older schemas: what format each gives, what that does not say, and what it decodes.

use toolweir_protocols::{FormatSpec, ResponseTemplateError};

use crate::{calls, decoded, read, unsaid};

const DROPPED: &str =
    "properties: text outside of every field is dropped there; here it is visible text";

#[test]
fn groups_of_one_expression() {
    let read = read(include_str!("schemas/groups.json"));
    let once = "properties.tool_calls: only one call of a turn is read there; here each is";
    assert_eq!(unsaid(&read), [once]);
    assert_eq!(read.spec.call, ["<tool_call>{call}</tool_call>".into()]);
    assert_eq!(read.spec.strays, ["<|im_end|>"]);
    let turn = decoded(
        &read,
        "<think>\nDice.\n</think>\n<tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}\
         </tool_call>\n On it. <|im_end|>",
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", "On it."));
    assert_eq!(calls(&turn), [r#"dice {"sides": 6}"#]);
}

#[test]
fn a_group_that_holds_all_calls() {
    let read = read(include_str!("schemas/blocks.json"));
    assert_eq!(unsaid(&read), [""; 0]);
    let pattern = r#"\n<tool_call>\n{call:{"tool": name, "with": {"values": args}}}\n</tool_call>"#;
    assert_eq!(read.spec.call, [pattern.into()]);
    assert_eq!(read.spec.strays, ["<|im_end|>", "<|endoftext|>"]);
    let turn = decoded(
        &read,
        "<think>\nDice.\n</think>\nTwo.\n<tool_call>\n{\"tool\": \"dice\", \"with\": {\"values\": \
         {\"sides\": 6}}}\n</tool_call>\n<tool_call>{\"tool\": \"clock\", \"with\": {\"values\": {}}}\
         </tool_call><|im_end|>",
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", "Two."));
    assert_eq!(calls(&turn), [r#"dice {"sides": 6}"#, "clock {}"]);
}

#[test]
fn parameters_in_tags() {
    let read = read(include_str!("schemas/parameters.json"));
    let arguments = "properties.tool_calls.items.properties.function.properties.arguments";
    assert_eq!(
        unsaid(&read),
        [
            format!(
                "{arguments}.additionalProperties.x-parser: values are read as `json` there; here the \
                 tool's schema types them, and without one they are text"
            ),
            "properties.reasoning_content: reasoning that may begin without an opener: start the \
             request inside it (start state)"
                .to_owned(),
        ]
    );
    let pattern = r"<tool_call>\n<function={name}>\n{args:<parameter={key}>\n{value}\n</parameter>}</function>\n</tool_call>";
    assert_eq!(read.spec.call, [pattern.into()]);
    assert_eq!(read.spec.strays, ["<|im_end|>"]);
    let turn = decoded(
        &read,
        "<think>\nDice.\n</think>\nHm.\n<tool_call>\n<function=note>\n<parameter=text>\ntwo\n\nlines\n\
         </parameter>\n<parameter=tag>\na<b\n</parameter>\n</function>\n</tool_call><|im_end|>",
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", "Hm."));
    assert_eq!(calls(&turn), [r#"note {"text":"two\n\nlines","tag":"a<b"}"#]);
}

#[test]
fn pairs_behind_a_name_that_whitespace_ends() {
    let read = read(include_str!("schemas/pairs.json"));
    assert_eq!(unsaid(&read), [""; 0]);
    let turn = decoded(
        &read,
        "<think>Dice.</think>Hm.<tool_call>note\n<arg_key>text</arg_key>\n<arg_value>a\n\nb</arg_value>\n\
         <arg_key>n</arg_key><arg_value>6</arg_value></tool_call><tool_call>clock\n</tool_call>",
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", "Hm."));
    assert_eq!(calls(&turn), [r#"note {"text":"a\n\nb","n":"6"}"#, "clock {}"]);
}

#[test]
fn channels_with_free_words_in_their_headers() {
    let read = read(include_str!("schemas/channels.json"));
    assert_eq!(unsaid(&read), [DROPPED]);
    assert_eq!(read.spec.strays, ["<|return|>", "<|end|>", "<|start|>assistant"]);
    let turn = decoded(
        &read,
        "<|channel|>analysis<|message|>Dice.<|end|><|start|>assistant<|channel|>commentary \
         to=functions.dice <|constrain|>json<|message|>{\"sides\": 6}<|call|><|start|>assistant\
         <|channel|>final<|message|>Four.<|return|>",
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", "Four."));
    assert_eq!(calls(&turn), [r#"dice {"sides": 6}"#]);
}

#[test]
fn one_list_of_calls_under_keys_of_its_own() {
    let read = read(include_str!("schemas/list.json"));
    assert_eq!(unsaid(&read), [DROPPED]);
    let turn = decoded(
        &read,
        "<|START_THINKING|>Dice.<|END_THINKING|><|START_ACTION|>[\n  {\"tool_call_id\": \"0\", \
         \"tool_name\": \"dice\", \"parameters\": {\"sides\": 6}},\n  {\"tool_call_id\": \"1\", \
         \"tool_name\": \"clock\", \"parameters\": {}}\n]<|END_ACTION|>",
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", ""));
    assert_eq!(calls(&turn), [r#"0 dice {"sides": 6}"#, "1 clock {}"]);
    let turn = decoded(&read, "<|START_RESPONSE|>Four.<|END_RESPONSE|>");
    assert_eq!(turn.text(), "Four.");
}

#[test]
fn an_answer_with_markers_of_its_own() {
    let read = read(include_str!("schemas/answer.json"));
    let place = "properties.content.x-regex: whitespace before the closer stays in the text";
    let told = unsaid(&read);
    assert!(told.iter().any(|line| line == place), "{told:?}");
    assert_eq!(told.last().unwrap(), DROPPED);
    let turn = decoded(
        &read,
        "<think>\nDice.\n</think>\n\n<tool_call>\n{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}\n\
         </tool_call>\n<response>\nFour.</response>",
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", "Four."));
    assert_eq!(calls(&turn), [r#"dice {"sides": 6}"#]);
}

#[test]
fn unquoted_keys_and_strings_of_their_own() {
    let read = read(include_str!("schemas/braces.json"));
    assert_eq!(unsaid(&read), [""; 0]);
    assert_eq!(read.spec.strays, ["<turn|>", "<|tool_response>"]);
    let turn = decoded(
        &read,
        "<|channel>thought\nDice.<channel|>Go.<|tool_call>call:dice{sides:6,word:<|\"|>a\"}b<|\"|>}\
         <tool_call|><turn|>",
    );
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Dice.", "Go."));
    assert_eq!(calls(&turn), [r#"dice {"sides":6,"word":"a\"}b"}"#]);
}

#[test]
fn a_wrapper_an_id_and_a_fence() {
    let read = read(include_str!("schemas/headers.json"));
    assert_eq!(unsaid(&read), [""; 0]);
    assert_eq!(read.spec.wrap, ["<calls>{*}</calls>"]);
    assert_eq!(read.spec.strays, [""; 0]);
    let call = |id: &str, name: &str, args: &str| {
        format!("<call id=\"{id}\">{name}\n```json\n{args}\n```</call>")
    };
    let two = [call("a1", "dice", "{\"sides\": 6}"), call("a2", "clock", "{}")].concat();
    let turn = decoded(&read, &format!("Go.<calls>{two}</calls>"));
    assert_eq!(turn.text(), "Go.");
    assert_eq!(calls(&turn), [r#"a1 dice {"sides": 6}"#, "a2 clock {}"]);
}

#[test]
fn a_schema_stands_in_a_file_and_gives_way_to_a_template() {
    let schema = include_str!("schemas/list.json");
    let file = format!(r#"{{"eos_token": "x", "response_schema": {schema}}}"#);
    assert_eq!(read(&file).spec, read(schema).spec);
    let both = format!(
        r#"{{"response_schema": {schema}, "response_template": {}}}"#,
        include_str!("tags.json")
    );
    assert_eq!(read(&both).spec, read(include_str!("tags.json")).spec);
}

/// A schema of calls between `<c>` and `</c>`, with these members of a call.
fn with_call(members: &str) -> String {
    format!(
        r#"{{"properties": {{"content": {{}}, "tool_calls": {{
            "x-regex-iterator": "<c>(.*?)</c>", "items": {{{members}}}}}}}}}"#
    )
}

#[test]
fn calls_are_said_where_their_members_stand() {
    const JSON: &str = r#""x-parser": "json""#;
    const PLAIN: &str = r#""properties": {"name": {}, "arguments": {}}"#;
    let args = |regex: &str| {
        format!(
            r#""properties": {{"name": {{"x-regex": "{regex}"}},
            "arguments": {{"x-regex": "(\\{{.*\\}})", "x-parser": "json"}}}}"#
        )
    };
    for (members, pattern) in [
        (format!("{JSON}, {PLAIN}"), "<c>{call}</c>"),
        (
            format!(r#"{JSON}, "properties": {{"function": {{{PLAIN}}}}}"#),
            r#"<c>{call:{"function": {"name": name, "arguments": args}}}</c>"#,
        ),
        (
            format!(r#"{JSON}, "properties": {{"id": {{}}, "name": {{}}, "arguments": {{}}}}"#),
            r#"<c>{call:{"id": id, "name": name, "arguments": args}}</c>"#,
        ),
        (format!(r#"{JSON}, "properties": {{"name": {{}}}}"#), r#"<c>{call:{"name": name}}</c>"#),
        (args(r"^(\\w+)"), "<c>{name}{args}</c>"),
        (args(r"tool=(\\S+) with"), "<c>tool={name} with{args}</c>"),
        (
            r#""x-regex": "<f=(?P<name>\\w+)>(?P<arguments>.*?)</f>", "properties": {"name": {},
            "arguments": {"x-regex-key-value": "<(?P<key>\\w+)>(?P<value>.*?)</(?P=key)>"}}"#
                .to_owned(),
            "<c><f={name}>{args:<{key}>{value}</{key}>}</f></c>",
        ),
        (
            r#""properties": {"name": {"x-regex": "^f=(\\w+)\\n"}, "arguments":
            {"x-regex": "^f=\\w+\\n<v>(.*)</v>$", "x-parser": "json"}}"#
                .to_owned(),
            r"<c>f={name}\n<v>{args}</v></c>",
        ),
    ] {
        let read = read(&with_call(&members));
        assert_eq!(unsaid(&read), [""; 0], "{members}");
        assert_eq!(read.spec.call, [pattern.into()], "{members}");
    }
}

#[test]
fn a_fixed_name_beside_a_call_object_is_refused() {
    let members = r#""x-parser": "json", "properties": {"name": {"const": "f"}, "arguments": {}}"#;
    let error = FormatSpec::from_response_template("own", &with_call(members)).unwrap_err();
    assert_eq!(
        error.unsaid().first().map(ToString::to_string).as_deref(),
        Some(
            "properties.tool_calls.items: its pattern does not work: format `own`: `call` = \
             `<c>{name=f}{call:{\"arguments\": args}}</c>`: `{call:…}` without `name` in it is not read at \
             byte 11 (`{call:{\"argument…`); put `name` in it, or write `{args}`"
        )
    );
}

#[test]
fn what_no_format_says_is_listed_with_its_key() {
    let item = "properties.tool_calls.items";
    for (members, expected) in [
        (r#""x-parser": "yaml""#, "x-parser: no reader takes `yaml` here"),
        (
            r#""x-parser": "json", "x-parser-args": {"transform": "keys(@)"}"#,
            "x-parser-args.transform: a query that is more than paths and objects of them, at byte 4",
        ),
        (
            r#""x-parser": "json", "x-parser-args": {"transform": "{name: 'f'}"}, "properties": {}"#,
            "x-parser: a payload that is left out",
        ),
        (
            r#""x-regex": "a(?!b)(.*)", "x-parser": "json", "properties": {"name": {}}"#,
            "x-regex: a negative lookahead at byte 1 (`(?!b)(.*)`)",
        ),
        (
            r#""x-regex": "(a|b", "properties": {}"#,
            "x-regex: a group without `)` at the end (byte 4)",
        ),
        (r#""x-regex": "(a)(b)""#, "x-regex: a second group without a name at byte 3 (`(b)`)"),
        (r#""x-regex": "a|b""#, "x-regex: alternatives without a group around them"),
        (
            r#""properties": {"name": {"x-regex": "^(\\w+)"}, "arguments": {}}"#,
            "properties.arguments: it does not say how its text is read",
        ),
        (
            r#""properties": {"name": {}, "arguments": {"x-parser": "json"}}"#,
            "properties.name: no group has its name",
        ),
        (
            r#""x-regex": "(?P<f>.*)", "properties": {"function": {}}"#,
            "properties.function: no group has its name",
        ),
        (
            r#""properties": {"name": {"x-regex": "^(\\w+)"}, "arguments": {"x-regex-key-value":
            "(?P<key>\\w+)=(?P<value>'[^']*'|[^,]*)"}}"#,
            "properties.arguments.x-regex-key-value: a group `value` that is more than a run of \
             characters at byte 13 (`(?P<value>\\'[^\\']*\\'|[^,]*)`)",
        ),
    ] {
        let error = FormatSpec::from_response_template("own", &with_call(members)).unwrap_err();
        assert!(matches!(error, ResponseTemplateError::NoCalls { .. }), "{members}: {error}");
        let told: Vec<String> = error.unsaid().iter().map(ToString::to_string).collect();
        assert_eq!(told.first(), Some(&format!("{item}.{expected}")), "{members}: {told:?}");
    }
}

#[test]
fn what_is_left_out_is_listed_and_the_rest_works() {
    let read = read(
        r#"{"x-regex": "(?P<content>.*?)(?P<tool_calls><c>.*</c>)?(?:<eos>|(?<=x)y|$)",
        "x-regex-substitutions": [["a", "b"]],
        "properties": {
            "role": {"const": "model"}, "content": {"x-mapping": {"a": "b"}}, "audio": {},
            "score": {"x-regex": "<s>(\\d+)</s>"},
            "tool_calls": {"x-regex-iterator": "<c>(.*?)</c>|<d>(.*?)(?!e)</d>", "items": {
                "x-parser": "json", "x-parser-args": {"allow_non_json": true},
                "properties": {"name": {}, "arguments": {}}}}}}"#,
    );
    let gone = "x-regex-iterator: a negative lookahead at byte 21 (`(?!e)</d>`)";
    assert_eq!(
        unsaid(&read),
        [
            "x-regex-substitutions: nothing here reads it",
            "properties.tool_calls.items.x-parser-args.allow_non_json: a payload that is no JSON is \
             text there; here the call cannot be read",
            &format!("properties.tool_calls.{gone}"),
            "properties.role: a turn has no fixed members",
            "properties.audio: no group of `x-regex` has its name",
            "properties.score: no group of `x-regex` has its name",
            "properties.content.x-mapping: nothing here reads it",
            "x-regex: a lookbehind at byte 51 (`(?<=x)y|$)`)",
        ]
    );
    assert_eq!(read.spec.strays, ["<eos>"]);
    let turn = decoded(&read, "Go.<c>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}</c><eos>");
    assert_eq!((turn.text().as_str(), calls(&turn)), ("Go.", vec![r#"dice {"sides": 6}"#.into()]));
}

#[test]
fn what_is_no_schema_is_an_error_that_says_so() {
    for (text, expected) in [
        (r#"{"response_schema": 1}"#, "`response_schema` must be an object"),
        (r#"{"response_schema": {"x-regex": 1}}"#, "`response_schema.x-regex` must be a string"),
        (
            r#"{"response_schema": {"properties": {"content": 1}}}"#,
            "`response_schema.properties.content` must be an object",
        ),
        (r#"{"properties": []}"#, "`properties` must be an object"),
        (r#"{"properties": {"content": {}}}"#, "there is no format without tool calls"),
        (
            r#"{"response_schema": {"x-regex": "a"}}"#,
            "there is no format without tool calls, and those of the template cannot be said",
        ),
    ] {
        let told = FormatSpec::from_response_template("own", text).unwrap_err().to_string();
        assert!(told.starts_with(expected), "{text}\n{told}");
    }
    let many: Vec<String> = (0..65).map(|n| format!("\"f{n}\": {{}}")).collect();
    let many = format!("{{\"properties\": {{{}}}}}", many.join(","));
    let error = FormatSpec::from_response_template("own", &many).unwrap_err();
    assert_eq!(error.to_string(), "`properties` has more than 64 entries");
}
