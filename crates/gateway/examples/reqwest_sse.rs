//! A client of the gateway with `reqwest`: asks for a stream, reads its server-sent events while they come,
//! and runs the calls that are whole.
//!
//! ```text
//! toolweir serve --demo &
//! cargo run -p toolweir-gateway --example reqwest_sse [http://127.0.0.1:8787]
//! ```
//!
//! The reader is the liberal one, so the same program reads any server of chat completions: a stream that
//! breaks off never gives a call.
#![allow(clippy::print_stdout, reason = "a program says what it does")]

use std::error::Error;
use std::io::Write;
use std::sync::Arc;

use serde_json::json;
use toolweir_adapters::read::{AnswerReader, Dialect, Part};
use toolweir_middleware::FinishReason;
use toolweir_middleware::engine::MixedSession;
use toolweir_protocols::{Registry, Request, Tool, ToolSet};
use toolweir_segments::{Caught, Collect, Event, EventSink as _};

/// Asks the server and writes what it says; gives the arguments of the calls that ran.
pub async fn ask(server: &str, mut out: impl Write) -> Result<Vec<String>, Box<dyn Error>> {
    let tools = json!([{"type": "function", "function": {
        "name": "dice",
        "parameters": {"type": "object", "properties": {"sides": {"type": "integer"}}},
    }}]);
    let question = json!({
        "model": "demo",
        "stream": true,
        "messages": [{"role": "user", "content": "Roll a die."}],
        "tools": tools,
    });
    let mut response = reqwest::Client::new()
        .post(format!("{server}/v1/chat/completions"))
        .header("content-type", "application/json")
        .body(question.to_string())
        .send()
        .await?
        .error_for_status()?;

    let mut answer = Answer::new()?;
    let mut reader = AnswerReader::new(Dialect::Chat);
    while let Some(bytes) = response.chunk().await? {
        reader.push(&bytes, &mut |_, part| answer.part(&part));
        answer.show(&mut out)?;
    }
    reader.finish(&mut |_, part| answer.part(&part));
    answer.end();
    answer.show(&mut out)?;
    Ok(answer.run)
}

/// What came so far. A server that leaks calls into its text is read, too: the session does both.
struct Answer {
    session: MixedSession,
    caught: Collect,
    reason: FinishReason,
    run: Vec<String>,
}

impl Answer {
    fn new() -> Result<Self, Box<dyn Error>> {
        let request = Request::new(ToolSet::new([Tool::new("dice")])?);
        let leaked = Arc::clone(Registry::builtin().get("hermes")?);
        let session = MixedSession::decoding(leaked, &request)?;
        Ok(Self { session, caught: Collect::new(), reason: FinishReason::Error, run: Vec::new() })
    }

    fn part(&mut self, part: &Part<'_>) {
        let Self { session, caught, .. } = self;
        match part {
            Part::Text(text) if session.text(false, text, caught).is_ok() => {}
            Part::Reasoning(text) if session.text(true, text, caught).is_ok() => {}
            Part::Call(delta) => session.call(*delta, caught),
            Part::CallEnd(_) => session.call_end(caught),
            Part::Finish(reason) => self.reason = *reason,
            // An error of the provider, a stream that broke off, or a call that does not end.
            Part::Error(_) | Part::Cut(_) | Part::Text(_) | Part::Reasoning(_) => {
                self.reason = FinishReason::Error;
            }
            _ => {}
        }
    }

    fn end(&mut self) {
        self.session.finish(self.reason, &mut self.caught);
        self.caught.event(Event::Finish);
    }

    fn show(&mut self, out: &mut impl Write) -> std::io::Result<()> {
        while let Some(caught) = self.caught.take() {
            match caught {
                Caught::Text(text) => write!(out, "{text}")?,
                Caught::Call(call) => {
                    writeln!(out, "[{} runs with {}]", call.name, call.arguments)?;
                    self.run.push(call.arguments);
                }
                Caught::Refused(call) => writeln!(out, "[{call}]")?,
                _ => {}
            }
        }
        out.flush()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = std::env::args().nth(1).unwrap_or_else(|| "http://127.0.0.1:8787".to_owned());
    let run = ask(&server, std::io::stdout()).await?;
    println!("{} of its calls ran", run.len());
    Ok(())
}
