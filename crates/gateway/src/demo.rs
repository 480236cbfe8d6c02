//! An upstream that needs no model: it thinks, writes prose, and calls the first declared tool, all of it
//! as plain text, as a small local model does whose server does not read its calls.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, Response};
use http_body::{Body, Frame};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::time::Sleep;
use toolweir_rjson::{Mode, Object, Value, parse};

use crate::config::ConfigError;

/// The name of its model.
const MODEL: &str = "demo";
/// Time between two pieces.
const PACE: Duration = Duration::from_millis(15);

/// The scripted upstream, on a port of its own on the loopback address.
#[derive(Debug)]
pub struct Demo {
    listener: TcpListener,
    address: SocketAddr,
}

impl Demo {
    /// Listens on a free port.
    ///
    /// # Errors
    /// [`ConfigError::Bind`].
    pub async fn bind() -> Result<Self, ConfigError> {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let wrong = |error: std::io::Error| ConfigError::Bind(any, error.to_string());
        let listener = TcpListener::bind(any).await.map_err(wrong)?;
        let address = listener.local_addr().map_err(wrong)?;
        Ok(Self { listener, address })
    }

    /// Its address, as an upstream is named.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers until it is dropped.
    pub async fn serve(self) {
        loop {
            let Ok((socket, _)) = self.listener.accept().await else { continue };
            let _ = socket.set_nodelay(true);
            tokio::spawn(async move {
                let service = service_fn(answer);
                // A client that leaves is no trouble.
                let _ = http1::Builder::new().serve_connection(TokioIo::new(socket), service).await;
            });
        }
    }
}

async fn answer(request: Request<Incoming>) -> Result<Response<Script>, Infallible> {
    if request.method() == Method::GET {
        let list = format!(
            r#"{{"object":"list","data":[{{"id":"{MODEL}","object":"model","created":0,"owned_by":"toolweir"}}]}}"#
        );
        return Ok(json(Script::of(vec![list])));
    }
    let body = Limited::new(request.into_body(), 8 << 20).collect().await;
    let body = body.map(|body| body.to_bytes()).unwrap_or_default();
    let text = String::from_utf8_lossy(&body);
    match parse(&text, Mode::Strict) {
        Ok(parsed) => {
            let mut response = Response::new(Script::of(script(&parsed.value)));
            let events = HeaderValue::from_static("text/event-stream");
            response.headers_mut().insert(CONTENT_TYPE, events);
            Ok(response)
        }
        Err(error) => {
            let message = Value::from(error.to_string()).to_string();
            let mut response =
                json(Script::of(vec![format!("{{\"error\":{{\"message\":{message}}}}}")]));
            *response.status_mut() = http::StatusCode::BAD_REQUEST;
            Ok(response)
        }
    }
}

fn json(body: Script) -> Response<Script> {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The frames of one answer, the last one first.
fn script(request: &Value) -> Vec<String> {
    let mut frames: Vec<String> = pieces(&said(request))
        .into_iter()
        .map(|text| {
            let content = Value::from(text).to_string();
            frame(&format!("{{\"content\":{content}}}"), "null")
        })
        .collect();
    frames.push(frame("{}", "\"stop\""));
    frames.push("data: [DONE]\n\n".to_owned());
    frames.reverse();
    frames
}

fn frame(delta: &str, finish: &str) -> String {
    format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
    )
}

/// What the model writes.
fn said(request: &Value) -> String {
    let messages = request.get("messages").and_then(Value::as_array);
    let last = messages.and_then(|messages| messages.iter().last());
    let role = last.and_then(|message| message.get("role")).and_then(Value::as_str);
    if role == Some("tool") {
        let result = last.and_then(|message| message.get("content")).and_then(Value::as_str);
        let result = result.unwrap_or("nothing");
        return format!("<think>\nThe result is there.\n</think>\n\nThe tool says: {result}");
    }
    let Some(tool) = tool(request) else {
        return "<think>\nNo tool is declared, so words must do.\n</think>\n\nHello! Declare a tool, \
                and I will call it."
            .to_owned();
    };
    let name = tool.get("name").and_then(Value::as_str).unwrap_or("tool");
    let arguments = sample(tool.get("parameters"), 0);
    let name_text = Value::from(name).to_string();
    format!(
        "<think>\nThe tool `{name}` is declared, so I should use it.\n</think>\n\nLet me ask `{name}`.\n\
         <tool_call>\n{{\"name\": {name_text}, \"arguments\": {arguments}}}\n</tool_call>"
    )
}

/// The tool that must be used, else the first.
fn tool(request: &Value) -> Option<&Value> {
    let choice = request.get("tool_choice");
    if choice.and_then(Value::as_str) == Some("none") {
        return None;
    }
    let named = choice.and_then(|choice| choice.pointer("/function/name")).and_then(Value::as_str);
    let tools = request.get("tools").and_then(Value::as_array)?;
    let mut functions = tools.iter().filter_map(|tool| tool.get("function"));
    match named {
        Some(named) => {
            functions.find(|tool| tool.get("name").and_then(Value::as_str) == Some(named))
        }
        None => functions.next(),
    }
}

/// Arguments that fit such a schema, as far as it is simple.
fn sample(schema: Option<&Value>, depth: usize) -> Value {
    let object = || Value::Object(Object::new());
    let Some(schema) = schema.filter(|_| depth < 8) else { return object() };
    if let Some(first) =
        schema.get("enum").and_then(Value::as_array).and_then(|all| all.iter().next())
    {
        return first.clone();
    }
    if let Some(value) = schema.get("const").or_else(|| schema.get("default")) {
        return value.clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => Value::from("example"),
        Some("integer" | "number") => Value::from(6),
        Some("boolean") => Value::from(true),
        Some("null") => Value::Null,
        Some("array") => {
            let entry = schema.get("items").map(|items| sample(Some(items), depth + 1));
            Value::from(entry.into_iter().collect::<Vec<Value>>())
        }
        _ => {
            let mut out = Object::new();
            let properties = schema.get("properties").and_then(Value::as_object);
            for (key, schema) in properties.into_iter().flat_map(Object::iter) {
                out.insert(key, sample(Some(schema), depth + 1));
            }
            Value::Object(out)
        }
    }
}

/// Pieces of a few characters, as tokens are.
fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(4).map(|piece| piece.iter().collect()).collect()
}

/// A body of paced pieces.
struct Script {
    /// The last one first.
    frames: Vec<String>,
    pause: Pin<Box<Sleep>>,
}

impl Script {
    fn of(frames: Vec<String>) -> Self {
        Self { frames, pause: Box::pin(tokio::time::sleep(PACE)) }
    }
}

impl Body for Script {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.pause.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        let Some(frame) = self.frames.pop() else { return Poll::Ready(None) };
        self.pause.as_mut().reset(tokio::time::Instant::now() + PACE);
        Poll::Ready(Some(Ok(Frame::data(Bytes::from(frame)))))
    }
}

#[cfg(test)]
mod tests {
    use toolweir_rjson::{Mode, parse};

    use super::said;

    fn text(request: &str) -> String {
        said(&parse(request, Mode::Strict).unwrap().value)
    }

    #[test]
    fn it_calls_the_first_tool_with_arguments_that_fit() {
        let tools = r#""tools":[{"type":"function","function":{"name":"dice","parameters":{"type":"object",
            "properties":{"sides":{"type":"integer"},"of":{"enum":["a","b"]},"all":{"type":"array","items":{"type":"string"}}}}}},
            {"type":"function","function":{"name":"coin"}}]"#;
        let said = text(&format!("{{\"messages\":[],{tools}}}"));
        assert!(
            said.contains(
                r#"{"name": "dice", "arguments": {"sides":6,"of":"a","all":["example"]}}"#
            )
        );
        let named = format!("{{{tools},\"tool_choice\":{{\"function\":{{\"name\":\"coin\"}}}}}}");
        assert!(text(&named).contains(r#"{"name": "coin", "arguments": {}}"#));
        let result = r#"{"messages":[{"role":"tool","content":"four"}]}"#;
        assert!(text(result).ends_with("The tool says: four"));
        assert!(!text("{}").contains("<tool_call>"));
    }
}
