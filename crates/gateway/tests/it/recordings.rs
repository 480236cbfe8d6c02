//! What is recorded of requests whose calls are held to something, and how it is answered again.

use toolweir_gateway::{Recorded, ReplayOptions, Replayed};

use crate::support::{CHAT, Client, answer, chunk, gateway_to_end, upstream};

const REQUIRED: &str = r#""tool_choice":"required","tools":[{"type":"function","function":{"name":"dice","parameters":{"type":"object","properties":{"sides":{"type":"integer"}}}}}]"#;

/// An answer that is written in one piece.
fn said(text: &str) -> String {
    let content = serde_json::Value::from(text);
    let text = chunk(&format!("{{\"content\":{content}}}"), "null");
    text + &chunk("{}", "\"stop\"") + "data: [DONE]\n\n"
}

/// The exchange of a required call, recorded with that setting: what went upstream, and the recording.
async fn recorded(value: &str, text: &str) -> (String, std::path::PathBuf) {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("constrained");
    let (url, mut asked) = upstream(vec![answer(&said(text))]).await;
    let settings = format!(
        "mode = 'emulate'\nformat = 'hermes'\nconstrain = {value}\nrecord = '{}'",
        directory.display()
    );
    let (to, stop, end) = gateway_to_end(&url, &settings).await;
    let id: String = value.chars().filter(|c| c.is_alphanumeric()).collect();
    let headers = format!("x-request-id: {id}\r\n");
    let request = CHAT.replace("\"stream\"", &format!("{REQUIRED},\"stream\""));
    let client = Client::ask(to, "POST", "/v1/chat/completions", &headers, &request).await;
    let (status, reply) = client.rest().await;
    assert!(status == 200 && reply.contains("\"name\":\"dice\""), "{value}: {reply}");
    drop(stop);
    end.await.unwrap();
    (asked.recv().await.unwrap(), directory.join(format!("{id}.exchange")))
}

fn again(exchange: &std::path::Path) -> Replayed {
    let recorded = Recorded::read(exchange).unwrap();
    recorded.replay(&ReplayOptions::default(), &mut |_| {}).unwrap()
}

const OBJECT: &str = r#"{"name": "dice", "arguments": {"sides": 6}}"#;

#[tokio::test]
async fn an_exchange_is_answered_again_as_it_was_read() {
    let call = format!("<tool_call>\n{OBJECT}\n</tool_call>");
    for (value, text, field) in [
        ("'structural-tag'", &*call, "\"structural_tag\""),
        ("'gbnf'", &*call, "\"grammar\":\"root ::= "),
        ("'lark'", &*call, "\"structured_outputs\":{\"grammar\":"),
        ("'schema'", OBJECT, "\"json_schema\""),
    ] {
        let (asked, exchange) = recorded(value, text).await;
        assert!(asked.contains(field), "{value}: {asked}");
        let again = again(&exchange);
        assert!(again.comparable && !again.differs(), "{value}: {again:?}");
        assert_eq!(again.now, [r#"call dice {"sides": 6}"#, "finish tool_calls"], "{value}");
    }
}

/// Recordings that say yes or no.
#[tokio::test]
async fn recordings_with_a_switch_stay_readable() {
    for (value, word) in [("true", "schema"), ("false", "off")] {
        let (_, exchange) = recorded(value, OBJECT).await;
        let text = std::fs::read_to_string(&exchange).unwrap();
        let now = format!("\"constrain\":\"{word}\"");
        assert!(text.contains(&now), "{text}");
        std::fs::write(&exchange, text.replace(&now, &format!("\"constrain\":{value}"))).unwrap();
        let again = again(&exchange);
        assert!(again.comparable && !again.differs(), "{value}: {again:?}");
    }
}
