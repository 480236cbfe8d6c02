//! Upstream answers that are read before anything is said: replies of one document, and refusals.

use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper_util::client::legacy::Error as SendError;
use tokio::time::timeout;
use toolweir_adapters::read::ProviderError;
use toolweir_adapters::{Failure, FailureKind};

use super::body::REFUSAL_BYTES;
use super::exchange::Exchange;
use crate::answer::Answer;
use crate::record::End;

/// The upstream cannot be reached, or does not speak HTTP.
pub(super) fn unreachable(error: &SendError) -> Failure {
    // Of the chain of causes the last says what the system said.
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    let what = if error.is_connect() { "cannot be reached" } else { "does not answer" };
    Failure::new(FailureKind::Upstream, format!("the upstream {what}: {cause}"))
}

/// An answer with a status that is an error.
pub(super) fn reported(status: u16, body: &[u8]) -> Failure {
    let text = String::from_utf8_lossy(body);
    let said = match text.trim_start().starts_with('<') {
        true => "a page of markup".to_owned(),
        false => ProviderError::of_text(&text).message,
    };
    let said = if said.is_empty() { "nothing more".to_owned() } else { said };
    Failure::new(FailureKind::of_status(status), format!("the upstream answers {status}: {said}"))
}

/// The body of a refusal, as far as it is read.
pub(super) async fn refusal(exchange: &Exchange, status: u16, mut body: Incoming) -> Failure {
    let mut kept = Vec::new();
    let patience = exchange.shared.config.silence_timeout;
    while kept.len() < REFUSAL_BYTES {
        match timeout(patience, body.frame()).await {
            Ok(Some(Ok(frame))) => {
                if let Ok(data) = frame.into_data() {
                    kept.extend_from_slice(&data);
                }
            }
            _ => break,
        }
    }
    reported(status, &kept)
}

/// Reads an answer to its end; what the reply is, is in `out`.
pub(super) async fn read(
    exchange: &mut Exchange,
    answer: &mut Answer,
    mut body: Incoming,
) -> String {
    let mut out = String::new();
    let patience = exchange.shared.config.silence_timeout;
    while !answer.is_over() {
        match timeout(patience, body.frame()).await {
            Ok(Some(Ok(frame))) => {
                if let Ok(data) = frame.into_data() {
                    exchange.came(&data);
                    answer.push(&data, &mut out);
                }
            }
            Ok(Some(Err(_))) => {
                exchange.recording.ends(End::Reset);
                answer.abort(&mut out);
            }
            Ok(None) => {
                exchange.recording.ends(End::Closed);
                answer.close(&mut out);
            }
            Err(_) => {
                exchange.recording.ends(End::Failed);
                answer.fail(silence(patience.as_secs()), &mut out);
            }
        }
    }
    exchange.answered(answer);
    exchange.recording.reply(out.as_bytes());
    out
}

/// The upstream says nothing.
pub(super) fn silence(seconds: u64) -> Failure {
    let message = format!("the upstream has said nothing for {seconds} seconds");
    Failure::new(FailureKind::Timeout, message)
}
