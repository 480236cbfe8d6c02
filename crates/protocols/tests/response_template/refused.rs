//! What gives no format, or not all of one.

use toolweir_protocols::{FormatSpec, ResponseTemplateError};

use crate::{SURROUNDING, read, unsaid, with_calls};

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
    let text = |transform: &str| format!(r#""content": "text", "transform": {transform}"#);
    let tags = |pattern: &str| {
        let transform = r#"{"name": "f", "arguments": "{content}"}"#;
        format!(
            r#""content": "xml-inline", "content_args": {{"tag_pattern": "{pattern}"}}, "transform": {transform}"#
        )
    };
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
        (
            r#""content": "json", "content_args": {"string_delims": [["<"]]}"#.to_owned(),
            "content_args.string_delims: they are no pairs of strings",
        ),
        (
            r#""content": "json", "content_args": {"string_delims": [["<", "<"], ["%", "%"]]}"#
                .to_owned(),
            "content_args.string_delims: more than one kind of string",
        ),
        (
            r#""content": "json", "content_args": {"string_delims": [["<", "<"]]}"#.to_owned(),
            "content_args.string_delims: strings between delimiters are read in arguments alone, after the name",
        ),
        (
            call(r#"{"name": "f", "arguments": "{arguments}"}, "transform_each": true"#),
            "transform: calls of a list that do not hold their names",
        ),
        (
            call(r#"{"name": "{content.name}", "arguments": "{content}"}"#),
            "transform: the payload is the arguments and holds the name",
        ),
        (
            call(r#"{"name": "f", "arguments": {"x": "{content}"}}"#),
            "transform: JSON as one argument",
        ),
        (call(r#"{"name": "f"}"#), "transform: a payload that is left out"),
        (
            call(r#"{"name": "f", "arguments": "{g}"}"#),
            "transform: arguments that stand in the opener",
        ),
        (
            text(r#"{"name": "{content.n}", "arguments": {"x": "{content}"}}"#),
            "transform: a name that stands in text",
        ),
        (
            text(r#"{"name": "f", "arguments": "{content}"}"#),
            "transform: text that is not one argument under its key",
        ),
        (
            tags(r"<(?P<key>\\w+)>(?P<value>.*?)</p>|x"),
            r"content_args.tag_pattern: several kinds of tags at byte 0 (`<(?P<key>\\w+)>(?P<value>…`)",
        ),
        (
            tags("<(?P<key"),
            "content_args.tag_pattern: a name of a group without an end at byte 5 (`key`)",
        ),
    ] {
        let error = FormatSpec::from_response_template("own", &with_calls(&members)).unwrap_err();
        assert!(matches!(error, ResponseTemplateError::NoCalls { .. }), "{error}");
        let told: Vec<String> = error.unsaid().iter().map(ToString::to_string).collect();
        assert_eq!(told, [format!("fields.tool_calls.{expected}")], "{members}");
    }
}

#[test]
fn what_is_left_out_of_calls_is_listed() {
    let members = r#""content": "json", "join": ",", "content_args": {"allow_non_json": true},
        "transform": {"name": "{content.name}", "arguments": "{content.arguments}", "id": "x"}"#;
    let read = read(&with_calls(members));
    assert_eq!(read.spec.call, ["<c>{call}</c>".into()]);
    assert_eq!(
        unsaid(&read),
        [
            "fields.tool_calls.join: calls are not joined",
            "fields.tool_calls.content_args.allow_non_json: a payload that is no JSON is text there; \
             here the call cannot be read",
            "fields.tool_calls.transform.id: an id that stands neither in the opener nor beside the name",
        ]
    );
}

#[test]
fn what_is_no_template_is_an_error_that_says_so() {
    for (text, expected) in [
        ("{", "the template cannot be read: line 1 column 2: "),
        ("[]", "the text must be an object"),
        ("{}", "there is no `response_template` or `response_schema`, and"),
        (r#"{"response_template": null}"#, "there is no `response_template`"),
        (r#"{"response_template": "x"}"#, "`response_template` must be an object"),
        (r#"{"response_template": {}}"#, "`response_template.fields` must be an object"),
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
