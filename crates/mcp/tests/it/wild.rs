//! A server by hand whose lines keep to no rule: whatever it writes costs its call and nothing else.

use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use toolweir_mcp::{Executor, Servers, ToolFailure};
use toolweir_rjson::{Mode, Value, parse};

/// What it writes for a call of that name; `ID` is the id of the request.
const LINES: &[(&str, &[&str])] = &[
    ("fine", &[GOOD]),
    ("twice", &[GOOD, GOOD, GOOD]),
    ("stranger", &[r#"{"jsonrpc":"2.0","id":987654,"result":{"content":[]}}"#, GOOD]),
    ("prose", &["DEBUG all is well", "{", "[]", "null", "\u{1b}[2J", "", GOOD]),
    (
        "notices",
        &[
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/nobody/knows"}"#,
            GOOD,
        ],
    ),
    (
        "asks",
        &[
            r#"{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#,
            r#"{"jsonrpc":"2.0","id":"s2","method":"roots/list"}"#,
            r#"{"jsonrpc":"2.0","id":"s3","method":"no/such/method","params":{}}"#,
            GOOD,
        ],
    ),
    ("refuses", &[r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"closed today"}}"#]),
    ("silent", &[]),
    (
        "pair",
        &[r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"\ud83d"}]}}"#],
    ),
    ("half", &[r#"{"jsonrpc":"2.0","id":ID,"#]),
    ("empty", &[r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#]),
    ("text", &[r#"{"jsonrpc":"2.0","id":ID,"result":{"content":"not a list"}}"#]),
    ("null", &[r#"{"jsonrpc":"2.0","id":ID,"result":null}"#]),
];

const GOOD: &str =
    r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"good"}]}}"#;

/// More in one line than the client library takes.
const ENDLESS: &str = "endless";

async fn serve(stream: DuplexStream) {
    let (read, mut write) = tokio::io::split(stream);
    let mut lines = BufReader::new(read).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let message = parse(&line, Mode::Strict).unwrap().value;
        let at = |pointer: &str| message.pointer(pointer).and_then(Value::as_str);
        // What it is told of its own requests needs no answer.
        let Some(method) = at("/method") else { continue };
        let Some(id) = message.get("id").map(Value::to_string) else { continue };
        let names = LINES.iter().map(|(name, _)| *name).chain([ENDLESS]);
        let answer = match method {
            "initialize" => {
                let version = at("/params/protocolVersion").unwrap();
                format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"{version}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"w","version":"1"}}}}}}"#
                )
            }
            "tools/list" => {
                let tool =
                    |name| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
                let tools: Vec<String> = names.map(tool).collect();
                format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{}]}}}}"#,
                    tools.join(",")
                )
            }
            _ if at("/params/name") == Some(ENDLESS) => "x".repeat(40 << 20),
            _ => {
                let name = at("/params/name").unwrap();
                let (_, lines) = LINES.iter().find(|(known, _)| *known == name).unwrap();
                lines.join("\n").replace("ID", &id)
            }
        };
        if write.write_all((answer + "\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn connect() -> Servers {
    let (here, there) = tokio::io::duplex(1 << 16);
    tokio::spawn(serve(there));
    let (read, write) = tokio::io::split(here);
    Servers::builder().streams("wild", read, write).connect().await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_server_out_of_its_mind_costs_no_call_but_its_own() {
    let servers = connect().await;
    for (name, lines) in LINES {
        let result = servers.call(name, "{}").await.map(|output| output.content);
        match *name {
            _ if lines.contains(&GOOD) => assert_eq!(result, Ok("good".to_owned()), "{name}"),
            "refuses" => {
                let message = "closed today".to_owned();
                assert_eq!(result, Err(ToolFailure::Protocol { code: -32000, message }));
            }
            // What is no answer is none: the time limit holds.
            "silent" => assert_eq!(result, Err(ToolFailure::Timeout(Duration::from_secs(60)))),
            // Half an answer is no answer, but it says whose it would have been.
            "half" => {
                assert!(matches!(result, Err(ToolFailure::Protocol { code: -32700, .. })));
            }
            "pair" => assert_eq!(result, Ok("\u{fffd}".to_owned())),
            // What can be read of it is the result.
            "text" => assert_eq!(result, Ok("not a list".to_owned())),
            "empty" => assert_eq!(result, Ok(String::new())),
            _ => assert!(matches!(result, Err(ToolFailure::Unsupported(_))), "{name}: {result:?}"),
        }
        assert_eq!(servers.call("fine", "{}").await.unwrap().content, "good", "behind {name}");
    }
    assert!(servers.is_connected("wild"));
}

#[tokio::test(start_paused = true)]
async fn a_line_without_end_is_let_go_of() {
    let servers = connect().await;
    let failure = servers.call(ENDLESS, "{}").await.unwrap_err();
    assert_eq!(failure, ToolFailure::Timeout(Duration::from_secs(60)));
    assert_eq!(servers.call("fine", "{}").await.unwrap().content, "good");
}
