//! `toolweir doctor`: the same events in words that say nothing.

use crate::{Record, all, file, folder, run};

const TEXT: &str = "<think>Anna asks.</think>Looking for Anna…\n<tool_call>\n{\"name\": \"find_person\", \
                    \"arguments\": {\"who\": \"Anna Berg\", \"year\": 1987, 'note': \"a\\nb\"}}\n</tool_call>\n\
                    <tool_call>{\"name\": \"find_person\", \"arguments\": {\"who\": ";

/// No word of the input that means something.
fn says_nothing(text: &str) {
    for word in ["Anna", "anna", "Berg", "1987", "asks", "Looking", "find_person", "who"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
}

/// What happens, without what is said.
fn story(words: &[&str], input: &str) -> Vec<String> {
    let run = run(&[&["parse"], words].concat(), input);
    let line = |record: &Record| {
        ["type", "kind", "outcome", "reason", "span", "code", "repaired", "known"]
            .map(|key| record.get(key))
            .join(" ")
    };
    let mut lines: Vec<String> = run.records().iter().map(line).collect();
    lines.dedup();
    lines
}

#[test]
fn a_text_keeps_its_structure_and_its_events() {
    let words = ["--format", "hermes"];
    let told = run(&[&["doctor"], &words[..]].concat(), TEXT);
    assert_eq!(told.code, 0, "{}", told.stderr);
    assert!(told.complaint().contains("it gives the same"), "{}", told.stderr);
    assert_eq!(told.stdout.len(), TEXT.len());
    says_nothing(&told.stdout);
    for kept in
        ["<think>", "</think>", "<tool_call>\n{\"name\": \"", "\"arguments\": {", "\\n", "'"]
    {
        assert!(told.stdout.contains(kept), "{kept}: {}", told.stdout);
    }
    assert_eq!(story(&words, &told.stdout), story(&words, TEXT));
    let names = all(&run(&["parse", "--format", "hermes"], &told.stdout).records(), "name", "name");
    assert_eq!(names[0], names[1], "a tool keeps one name");
}

/// A stream whose frames cut words and markers.
fn stream() -> String {
    let mut out = String::new();
    let characters: Vec<char> = TEXT.chars().collect();
    for piece in characters.chunks(3) {
        let content = serde_json::Value::from(piece.iter().collect::<String>());
        out.push_str(&format!(
            "data: {{\"id\": \"chat-Anna\", \"choices\": [{{\"index\": 0, \"delta\": {{\"content\": {content}}}}}]}}\n\n"
        ));
    }
    out + "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"find_person\",\"arguments\":\"{\\\"who\\\": \\\"An\"}}]}}]}\n\n\
           data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"na\\\"}\"}}]}}]}\n\n\
           data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"
}

#[test]
fn streams_and_chunks_keep_their_frames() {
    let chunks: String = TEXT
        .split_inclusive(' ')
        .map(|chunk| format!("{}\n", serde_json::Value::from(chunk)))
        .collect();
    for (input, text) in [("openai-sse", stream()), ("chunks", chunks)] {
        let words = ["--format", "hermes", "--input", input];
        let told = run(&[&["doctor"], &words[..]].concat(), &text);
        assert_eq!(told.code, 0, "{input}: {}\n{}", told.stderr, told.stdout);
        says_nothing(&told.stdout);
        assert_eq!(told.stdout.lines().count(), text.lines().count(), "{input}");
        assert_eq!(told.stdout.chars().count(), text.chars().count(), "{input}: {}", told.stdout);
        assert_eq!(story(&words, &told.stdout), story(&words, &text), "{input}");
    }
    // The frames of a saved stream are those that say what it is.
    let told = run(&["doctor", "--format", "hermes"], stream());
    assert!(told.stderr.contains("--input openai-sse"), "{}", told.stderr);
    let records = run(&["parse", "--format", "hermes"], &told.stdout).records();
    let names = all(&records, "name", "name");
    assert_eq!(names[0], names[2], "in text and natively");
}

#[test]
fn every_wire_keeps_its_frames_and_a_cut_one_says_nothing_either() {
    let answer = run(&["parse", "--format", "hermes", "--set", "malformed=drop"], TEXT);
    assert_eq!(answer.code, 1);
    let text = TEXT.rsplit_once("<tool_call>").unwrap().0;
    for shape in ["openai", "responses", "anthropic"] {
        for more in ["--sse", "--no-stream"] {
            let made =
                run(&["parse", "--format", "hermes", "--chunk", "5", "--as", shape, more], text)
                    .stdout;
            let told = run(&["doctor"], &made);
            assert_eq!(told.code, 0, "{shape} {more}: {}\n{}", told.stderr, told.stdout);
            says_nothing(&told.stdout);
            assert_eq!(story(&[], &told.stdout), story(&[], &made), "{shape} {more}");
            let cut: String = made.chars().take(made.chars().count() * 2 / 3).collect();
            let told = run(&["doctor"], &cut);
            says_nothing(&told.stdout);
            assert_eq!(story(&[], &told.stdout), story(&[], &cut), "{shape} {more}");
        }
    }
    let ollama = "{\"model\":\"anna\",\"created_at\":\"2026-01-01T00:00:00Z\",\"message\":{\"role\":\"assistant\",\"content\":\"Anna asks\",\
                  \"tool_calls\":[{\"function\":{\"name\":\"find_person\",\"arguments\":{\"who\":\"Anna\",\"year\":1987}}}]},\"done\":true,\"done_reason\":\"stop\"}\n";
    let told = run(&["doctor"], ollama);
    assert_eq!(told.code, 0, "{}", told.stderr);
    says_nothing(&told.stdout);
}

#[test]
fn the_tools_are_written_in_the_same_words() {
    let tools = file(
        "doctor_tools",
        "tools.json",
        r#"[{"name": "find_person", "description": "Finds Anna.", "parameters": {"type": "object",
            "properties": {"who": {"type": "string", "enum": ["Anna Berg", "Bo"]}, "year": {"type": "integer"}},
            "required": ["who"], "additionalProperties": false}}]"#,
    );
    let out = folder("doctor_tools_out").join("tools.json").into_os_string().into_string().unwrap();
    let words = ["--format", "hermes", "--set", "names=declared", "--tools"];
    let told =
        run(&[&["doctor", "--tools-out", &out], &words[..], &[tools.as_str()]].concat(), TEXT);
    assert_eq!(told.code, 0, "{}", told.stderr);
    says_nothing(&std::fs::read_to_string(&out).unwrap());
    let with = |tools: &str, text: &str| story(&[&words[..], &[tools]].concat(), text);
    let before = with(&tools, TEXT);
    assert!(before.iter().any(|line| line.starts_with("invocation")), "{before:?}");
    assert_eq!(with(&out, &told.stdout), before);
    let silent = run(&[&["doctor"], &words[..], &[tools.as_str()]].concat(), TEXT);
    assert!(silent.stderr.contains("--tools-out"), "{}", silent.stderr);
}

#[test]
fn words_that_the_events_depend_on_stay_and_are_told() {
    // A number that is no multiple is a warning; of the number that stands for 7 it would be one.
    let tools = file(
        "doctor_kept",
        "tools.json",
        r#"[{"name": "pick", "parameters": {"type": "object", "properties": {"n": {"type": "integer", "multipleOf": 7}}}}]"#,
    );
    let text = "Zebra <tool_call>{\"name\": \"pick\", \"arguments\": {\"n\": 92}}</tool_call>";
    let told = run(&["doctor", "--format", "hermes", "--tools", &tools], text);
    assert_eq!(told.code, 0, "{}", told.stderr);
    assert!(!told.stdout.contains("Zebra"), "{}", told.stdout);
    assert!(told.stderr.contains("kept, as the events depend on them: "), "{}", told.stderr);
}
