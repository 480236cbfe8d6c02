//! What logs hold, at their most talkative: no keys and no contents. A binary of its own, as the place that
//! logs go to is the process's.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::string_slice)]

use std::io::Write;
use std::sync::{Arc, Mutex};

use toolweir_gateway::CONTENT_TARGETS;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

#[allow(dead_code, reason = "this binary needs a part of it")]
#[path = "it/support.rs"]
mod support;

use support::{CHAT, Client, answer, gateway, hi, upstream};

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn logs_hold_no_keys_and_no_contents() {
    let lines = Lines::default();
    let writer = lines.clone();
    let silent = CONTENT_TARGETS.map(|target| (target, LevelFilter::OFF));
    let targets = Targets::new().with_default(LevelFilter::TRACE).with_targets(silent);
    let written = tracing_subscriber::fmt::layer().with_writer(move || writer.clone());
    tracing_subscriber::registry().with(targets).with(written).init();
    let answers = answer(&hi().replace("Hi.", "whispered"));
    let (url, _asked) = upstream(vec![answers]).await;
    let (to, stop) = gateway(&url, "upstream-key = 'sk-upstream'\nclient-key = 'sk-client'").await;
    for key in ["sk-client", "sk-wrong"] {
        let headers = format!("authorization: Bearer {key}\r\nx-request-id: known\r\n");
        let request = CHAT.replace("\"Hi\"", "\"confided\"");
        Client::ask(to, "POST", "/v1/chat/completions", &headers, &request).await.rest().await;
    }
    drop(stop);
    let text = String::from_utf8_lossy(&lines.0.lock().unwrap()).into_owned();
    assert!(text.contains("id=\"known\"") && text.contains("answered"), "{text}");
    for secret in ["sk-", "whispered", "confided"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}
