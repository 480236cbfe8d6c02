//! Lines of a server, made such that the client library reads them. What it cannot read it passes over, and
//! the call waits for its time limit; so what can be repaired is, and any other answer becomes an error.
//!
//! Repaired: text that is not UTF-8, half surrogate pairs, numbers that are none, errors without a code or
//! message, several messages in a list. What reads as it stands is passed on as it stands.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncRead, BufReader, ReadBuf};
use toolweir_rjson::{Code, Mode, Options, PartialValue};

/// The longest line, as the client library has it.
const LONGEST: usize = 16 << 20;
/// Bytes of a line that cannot be read in which its id is searched.
const HEAD: usize = 4 << 10;
/// JSON-RPC: what was sent is not JSON.
const UNREADABLE: i32 = -32700;

/// A stream of lines, repaired.
#[derive(Debug)]
pub(crate) struct RepairedLines<R> {
    read: BufReader<R>,
    /// What has come of the line; of one that is too long, its head.
    line: Vec<u8>,
    too_long: bool,
    /// What is handed on, and how much of it has been.
    ready: Vec<u8>,
    given: usize,
}

impl<R: AsyncRead> RepairedLines<R> {
    pub(crate) fn new(read: R) -> Self {
        let (line, ready) = (Vec::new(), Vec::new());
        Self { read: BufReader::new(read), line, too_long: false, ready, given: 0 }
    }

    /// Takes a piece of a line.
    fn take(&mut self, piece: &[u8], ends: bool) {
        self.too_long |= self.line.len().saturating_add(piece.len()) > LONGEST;
        if self.too_long {
            self.line.truncate(HEAD);
        } else {
            self.line.extend_from_slice(piece);
        }
        if ends {
            let line = std::mem::take(&mut self.line);
            self.given = 0;
            self.ready = match std::mem::take(&mut self.too_long) {
                true => unread(&line, &format!("it has more than {LONGEST} bytes")),
                false => readable(line),
            };
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for RepairedLines<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            let rest = this.ready.get(this.given..).unwrap_or_default();
            if !rest.is_empty() {
                let count = rest.len().min(buf.remaining());
                buf.put_slice(rest.get(..count).unwrap_or_default());
                this.given = this.given.saturating_add(count);
                return Poll::Ready(Ok(()));
            }
            let come = ready!(Pin::new(&mut this.read).poll_fill_buf(cx))?;
            if come.is_empty() {
                return Poll::Ready(Ok(()));
            }
            let end = come.iter().position(|byte| *byte == b'\n');
            let count = end.map_or(come.len(), |end| end.saturating_add(1));
            let piece = come.get(..count).unwrap_or_default().to_vec();
            Pin::new(&mut this.read).consume(count);
            this.take(&piece, end.is_some());
        }
    }
}

/// A line as the client library can read it.
fn readable(line: Vec<u8>) -> Vec<u8> {
    match serde_json::from_slice(&line) {
        Ok(Value::Array(messages)) => messages.into_iter().flat_map(|m| of(&whole(m))).collect(),
        Ok(message) if is_odd(&message) => of(&whole(message)),
        Ok(_) => line,
        Err(error) => {
            let text = String::from_utf8_lossy(&line);
            match text.trim_start().starts_with(['{', '[']) {
                true => repaired(&text).unwrap_or_else(|| unread(&line, &error.to_string())),
                // Not meant for us.
                false => line,
            }
        }
    }
}

/// The text without what only its strings and numbers have wrong.
fn repaired(text: &str) -> Option<Vec<u8>> {
    let read = toolweir_rjson::parse(text, Mode::Repair).ok()?;
    let harmless = [Code::LoneSurrogate, Code::NonFiniteNull];
    if !read.diagnostics.iter().all(|found| harmless.contains(&found.code)) {
        return None;
    }
    match serde_json::from_str(&toolweir_rjson::to_string(&read.value)).ok()? {
        Value::Array(messages) => Some(messages.into_iter().flat_map(|m| of(&whole(m))).collect()),
        message => Some(of(&whole(message))),
    }
}

/// An error for whoever waits for that line; the line, if its head does not say who that is.
fn unread(line: &[u8], why: &str) -> Vec<u8> {
    let head = String::from_utf8_lossy(line.get(..HEAD).unwrap_or(line));
    let mut begun = PartialValue::new(&Options::default());
    // What comes before the damage counts.
    let _ = begun.push(&head);
    let members = begun.value().and_then(|value| value.as_object());
    let id = members.filter(|members| !members.contains_key("method")).and_then(|m| m.get("id"));
    let id = id.and_then(|id| serde_json::from_str::<Value>(&id.to_string()).ok());
    let Some(id) = id else {
        let end: &[u8] = if line.ends_with(b"\n") { b"" } else { b"\n" };
        return [line, end].concat();
    };
    let message = format!("its answer cannot be read: {why}");
    of(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": UNREADABLE, "message": message}}))
}

/// Whether it is an error that is not of the form it should have.
fn is_odd(message: &Value) -> bool {
    message.get("error").is_some_and(|error| {
        let code = error.get("code").and_then(Value::as_i64);
        let fits = code.is_some_and(|code| i32::try_from(code).is_ok());
        !fits || !error.get("message").is_some_and(Value::is_string)
    })
}

/// The message, its error of the form it should have.
fn whole(mut message: Value) -> Value {
    if is_odd(&message)
        && let Some(error) = message.get_mut("error")
    {
        let said = error.get("message").and_then(Value::as_str).map(str::to_owned);
        let said = said.unwrap_or_else(|| error.to_string());
        let code = error.get("code").and_then(Value::as_i64);
        let code = code.and_then(|code| i32::try_from(code).ok()).unwrap_or(-32603);
        *error = json!({"code": code, "message": said});
    }
    message
}

fn of(message: &Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    fn text(line: &[u8]) -> String {
        String::from_utf8(readable(line.to_vec())).unwrap()
    }

    #[test]
    fn what_reads_is_passed_on_as_it_stands() {
        for line in [
            "{\"id\": 1,  \"result\": {}}\r\n",
            "DEBUG all is well\n",
            "\n",
            "null\n",
            "{\"id\":1,\"error\":{\"code\":-1,\"message\":\"m\"}}\n",
            "{\"method\": \"x\", \"id\": 1, \n",
        ] {
            assert_eq!(
                text(line.as_bytes()),
                line.trim_end().to_owned() + &line[line.trim_end().len()..]
            );
        }
    }

    #[test]
    fn what_strings_and_numbers_have_wrong_is_repaired() {
        let half = br#"{"id":1,"result":{"t":"a\ud83d b","n":NaN}}"#;
        assert_eq!(text(half), "{\"id\":1,\"result\":{\"n\":null,\"t\":\"a\u{fffd} b\"}}\n");
        let latin = b"{\"id\":1,\"result\":{\"t\":\"caf\xe9\"}}\n";
        assert_eq!(text(latin), "{\"id\":1,\"result\":{\"t\":\"caf\u{fffd}\"}}\n");
    }

    #[test]
    fn a_list_is_its_messages_and_an_error_has_code_and_message() {
        let list = br#"[{"id":1,"result":{}},{"id":2,"error":{"code":"E7","message":"shut"}}]"#;
        let said = "{\"id\":1,\"result\":{}}\n{\"error\":{\"code\":-32603,\"message\":\"shut\"},\"id\":2}\n";
        assert_eq!(text(list), said);
        let silent = br#"{"id":1,"error":{"code":-1}}"#;
        let said = "{\"error\":{\"code\":-1,\"message\":\"{\\\"code\\\":-1}\"},\"id\":1}\n";
        assert_eq!(text(silent), said);
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_an_error_of_its_call() {
        let deep = format!(r#"{{"id":7,"result":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
        for line in [&deep, r#"{"jsonrpc":"2.0","id":7,"result":{"n":1e999}}"#, r#"{"id":7,"res"#] {
            let said = text(line.as_bytes());
            let said: Value = serde_json::from_str(&said).unwrap();
            assert_eq!(
                (said["id"].as_i64(), said["error"]["code"].as_i64()),
                (Some(7), Some(-32700))
            );
        }
        // Nobody waits for it, as far as it shows.
        assert_eq!(text(b"{\"result\":{\"id\":7,\n"), "{\"result\":{\"id\":7,\n");
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_not_kept() {
        let long = format!("{{\"id\":3,\"result\":\"{}\"}}\n{{\"id\":4}}\n", "x".repeat(LONGEST));
        let mut read = RepairedLines::new(long.as_bytes());
        let mut all = String::new();
        read.read_to_string(&mut all).await.unwrap();
        let lines: Vec<&str> = all.lines().collect();
        assert!(lines[0].contains("more than 16777216 bytes") && lines[0].contains("\"id\":3"));
        assert_eq!(lines[1..], ["{\"id\":4}"]);
    }
}
