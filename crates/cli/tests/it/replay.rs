//! `toolweir replay`: what the gateway records is answered again.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::served::Served;
use crate::{all, folder, run};

/// A gateway in front of the embedded script, which records.
fn serve(directory: &Path) -> Served {
    Served::start([OsStr::new("--demo"), OsStr::new("--record"), directory.as_os_str()])
}

const TOOLS: [(&str, &str, &str); 3] = [
    (
        "chat",
        "/v1/chat/completions",
        r#""messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"dice"}}]"#,
    ),
    ("responses", "/v1/responses", r#""input":"Hi","tools":[{"type":"function","name":"dice"}]"#),
    (
        "messages",
        "/v1/messages",
        r#""max_tokens":100,"messages":[{"role":"user","content":"Hi"}],"tools":[{"name":"dice","input_schema":{"type":"object"}}]"#,
    ),
];

/// Exchanges of every wire, streamed and whole, recorded in a folder; their ids.
fn recorded(test: &str) -> (PathBuf, Vec<String>) {
    let directory = folder(test);
    let served = serve(&directory);
    let mut ids = Vec::new();
    for (wire, path, members) in TOOLS {
        for stream in [true, false] {
            let id = format!("{wire}-{stream}");
            let body = format!(r#"{{"model":"demo","stream":{stream},{members}}}"#);
            let reply = served.reply("POST", path, &format!("x-request-id: {id}\r\n"), &body);
            assert!(reply.starts_with("HTTP/1.1 200"), "{id}: {reply}");
            ids.push(id);
        }
    }
    drop(served);
    (directory, ids)
}

fn word(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[test]
fn what_the_gateway_records_gives_the_same_answer_again() {
    let (directory, ids) = recorded("replay_same");
    for id in &ids {
        let exchange = word(&directory.join(format!("{id}.exchange")));
        let again = run(&["replay", &exchange], "");
        assert_eq!(again.code, 0, "{id}: {}", again.stderr);
        assert_eq!(again.complaint(), format!("{id}: the same answer as recorded"));
        let records = again.records();
        assert_eq!(all(&records, "start", "kind"), ["reasoning", "text", "call"], "{id}");
        assert_eq!(all(&records, "invocation", "name"), ["dice"], "{id}");
        assert_eq!(records.last().unwrap().get("type"), "finish");
        for shape in ["turn", "segments", "openai", "anthropic", "agent", "host"] {
            let shaped = run(&["replay", &exchange, "--as", shape], "");
            assert!(shaped.code == 0 && shaped.stdout.contains("dice"), "{id} as {shape}");
        }
        // What the upstream sent is a stream like any other.
        let upstream = word(&directory.join(format!("{id}.sse")));
        assert_eq!(all(&run(&["parse", &upstream], "").records(), "invocation", "name"), ["dice"]);
    }
    let mut files: Vec<String> =
        std::fs::read_dir(&directory).unwrap().map(|entry| word(&entry.unwrap().path())).collect();
    files.sort();
    assert_eq!(files.len(), 3 * ids.len(), "three files an exchange: {files:?}");
    let words: Vec<&str> =
        ["replay", "--check"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let checked = run(&words, "");
    assert_eq!((checked.code, checked.stderr.as_str()), (0, ""));
    assert_eq!(checked.stdout.lines().count(), ids.len(), "each exchange once: {}", checked.stdout);
}

#[test]
fn another_answer_is_a_finding_that_says_where() {
    let (directory, _) = recorded("replay_other");
    let exchange = word(&directory.join("chat-true.exchange"));
    let other = run(&["replay", "--check", &exchange, "--format", "pass-through"], "");
    assert_eq!((other.code, other.stderr.as_str()), (1, ""));
    assert!(
        other.stdout.starts_with("chat-true: another answer than recorded\n"),
        "{}",
        other.stdout
    );
    assert!(
        other.stdout.contains("\n- call dice") && other.stdout.contains("\n+ text "),
        "{}",
        other.stdout
    );

    // The reply as recorded counts, whatever wrote it.
    let reply = directory.join("chat-true.reply.sse");
    let text = std::fs::read_to_string(&reply).unwrap();
    std::fs::write(&reply, text.replace("dice", "spin")).unwrap();
    assert_eq!(run(&["replay", "--check", &exchange], "").code, 1);

    // A client that left has no whole answer.
    let notes = std::fs::read_to_string(&exchange).unwrap();
    std::fs::write(&exchange, notes.replace("\"end\":\"over\"", "\"end\":\"left\"")).unwrap();
    let left = run(&["replay", "--check", &exchange], "");
    assert_eq!(left.code, 0, "{}", left.stdout);
    assert!(left.stdout.contains("no whole answer"), "{}", left.stdout);
}

#[test]
fn a_recording_that_broke_off_is_not_whole_at_any_byte() {
    let (directory, _) = recorded("replay_cut");
    let (upstream, exchange) =
        (directory.join("chat-true.sse"), directory.join("chat-true.exchange"));
    let bytes = std::fs::read(&upstream).unwrap();
    let notes = std::fs::read_to_string(&exchange).unwrap();
    std::fs::write(&exchange, notes.replace("\"end\":\"over\"", "\"end\":\"reset\"")).unwrap();
    let (name, step) = (word(&exchange), (bytes.len() / 24).max(1));
    for end in (0..bytes.len() - 200).step_by(step) {
        std::fs::write(&upstream, &bytes[..end]).unwrap();
        let cut = run(&["replay", &name, "--as", "openai", "--sse"], "");
        assert!(!cut.stdout.contains("\"finish_reason\":\"tool_calls\""), "{end}: {}", cut.stdout);
        assert_eq!(cut.code, 1, "{end}");
    }
}

#[test]
fn what_is_no_recording_is_said_with_the_fix() {
    let directory = folder("replay_wrong");
    let stray = directory.join("a.sse");
    std::fs::write(&stray, "data: {}\n\n").unwrap();
    let told = run(&["replay", &word(&stray)], "");
    assert_eq!(told.code, 2);
    assert!(told.complaint().contains("toolweir parse"), "{}", told.stderr);
    assert_eq!(run(&["replay", "notes.txt"], "").code, 2);
    let exchange = directory.join("a.exchange");
    std::fs::write(&exchange, "{\"recording\":7}\n").unwrap();
    let told = run(&["replay", &word(&exchange)], "");
    assert!(told.code == 2 && told.stderr.contains("another version"), "{}", told.stderr);
}
