//! Which path does what.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER,
};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Incoming;
use serde_json::json;
use tokio::time::{Instant, timeout};
use toolweir_adapters::{Envelope, Failure, FailureKind};

use super::body::{Body, Source, Stream};
use super::exchange::Exchange;
use super::{Shared, ids, whole};
use crate::answer::{Answer, Plan, UniqueId};
use crate::record::{Head, Recording};
use crate::request::{Asked, bad};
use crate::wire::Wire;

/// A request must have come so fast.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);

pub(super) async fn route(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let id = request.headers().get("x-request-id").and_then(|id| ids::given(id.to_str().ok()?));
    let id = id.map_or_else(|| shared.ids.next(), str::to_owned);
    let mut response = answer(shared, request, &id).await;
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", id);
    }
    Ok(response)
}

async fn answer(shared: Arc<Shared>, request: Request<Incoming>, id: &str) -> Response<Body> {
    let path = request.uri().path().trim_end_matches('/').to_owned();
    let anthropic = request.headers().contains_key("anthropic-version");
    let by_header = if anthropic { Wire::Messages } else { Wire::Chat };
    let (wire, what) = match path.strip_prefix("/v1").unwrap_or(&path) {
        "/chat/completions" => (Wire::Chat, What::Answer),
        "/responses" => (Wire::Responses, What::Answer),
        "/messages" => (Wire::Messages, What::Answer),
        "/messages/count_tokens" => (Wire::Messages, What::Count),
        "/models" => (by_header, What::Models),
        "/health" => (Wire::Chat, What::Health),
        "/ready" => (Wire::Chat, What::Ready),
        "/metrics" => (Wire::Chat, What::Metrics),
        _ => {
            let path = request.uri().path();
            let failure = Failure::new(FailureKind::NotFound, format!("there is no {path} here"));
            return error(by_header, &failure);
        }
    };
    let wanted =
        if matches!(what, What::Answer | What::Count) { Method::POST } else { Method::GET };
    // Probes of balancers ask for heads; of those the body is left out below.
    let head = wanted == Method::GET && request.method() == Method::HEAD;
    if request.method() != wanted && !head {
        let mut response = error(wire, &bad(format!("{path} takes {wanted}")));
        *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
        if let Ok(allow) = HeaderValue::from_str(wanted.as_str()) {
            response.headers_mut().insert(ALLOW, allow);
        }
        return response;
    }
    match what {
        What::Health => return document(StatusCode::OK, json!({"status": "ok"}).to_string()),
        What::Ready => return ready(&shared),
        What::Metrics => {
            let mut response = Response::new(Body::text(shared.metrics.text()));
            let kind = HeaderValue::from_static("text/plain; version=0.0.4");
            response.headers_mut().insert(CONTENT_TYPE, kind);
            return response;
        }
        _ => {}
    }
    if let Err(failure) = allowed(&shared, request.headers()) {
        return error(wire, &failure);
    }
    match what {
        What::Models => models(&shared, request.headers(), wire, id).await,
        What::Count => count(&shared, wire, request).await,
        _ => exchange(shared, wire, request, id).await,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Answer,
    Count,
    Models,
    Health,
    Ready,
    Metrics,
}

/// Whether a balancer may send more.
fn ready(shared: &Shared) -> Response<Body> {
    if shared.draining.load(Ordering::Relaxed) {
        return document(
            StatusCode::SERVICE_UNAVAILABLE,
            json!({"status": "stopping"}).to_string(),
        );
    }
    document(StatusCode::OK, json!({"status": "ready"}).to_string())
}

/// Whether the client has the key, where one is asked for.
fn allowed(shared: &Shared, headers: &HeaderMap) -> Result<(), Failure> {
    let Some(key) = &shared.config.client_key else { return Ok(()) };
    let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = bearer.and_then(|value| value.split_once(' '));
    let bearer = bearer.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let bearer = bearer.map(|(_, key)| key.trim_start());
    let plain = headers.get("x-api-key").and_then(|value| value.to_str().ok());
    let known = [bearer, plain].into_iter().flatten().any(|given| same(given, key.secret()));
    if known {
        return Ok(());
    }
    Err(Failure::new(
        FailureKind::Unauthorized,
        "this gateway asks for a key; send it as a bearer token",
    ))
}

/// Compares in a time that does not say where the difference is.
fn same(left: &str, right: &str) -> bool {
    let differ = left.bytes().zip(right.bytes()).fold(0, |all, (l, r)| all | (l ^ r));
    left.len() == right.len() && differ == 0
}

async fn body(shared: &Shared, request: Request<Incoming>) -> Result<Bytes, Failure> {
    let encoding = request.headers().get(CONTENT_ENCODING);
    if encoding.is_some_and(|encoding| encoding != "identity") {
        return Err(bad("compressed bodies are not read; send it plain"));
    }
    let most = usize::try_from(shared.config.max_body_bytes).unwrap_or(usize::MAX);
    let read = timeout(BODY_TIMEOUT, Limited::new(request.into_body(), most).collect()).await;
    match read {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let message = format!("the request has more than {most} bytes");
            Err(Failure::new(FailureKind::TooLarge, message))
        }
        Ok(Err(error)) => Err(bad(format!("the request cannot be read: {error}"))),
        Err(_) => Err(bad("the request did not come within 60 seconds")),
    }
}

async fn count(shared: &Shared, wire: Wire, request: Request<Incoming>) -> Response<Body> {
    let asked = match body(shared, request).await {
        Ok(body) => Asked::read(wire, &body),
        Err(failure) => Err(failure),
    };
    match asked {
        Ok(asked) => {
            let tokens = asked.estimated_tokens();
            document(StatusCode::OK, json!({"input_tokens": tokens}).to_string())
        }
        Err(failure) => error(wire, &failure),
    }
}

/// Asks the model, and answers as the client's wire has it.
async fn exchange(
    shared: Arc<Shared>,
    wire: Wire,
    request: Request<Incoming>,
    id: &str,
) -> Response<Body> {
    let key = shared.client.authorization(request.headers());
    let mut exchange = Exchange::new(Arc::clone(&shared), id.to_owned(), wire);
    let prepared = match body(&shared, request).await {
        Ok(body) => prepare(&mut exchange, &body),
        Err(failure) => Err(failure),
    };
    match prepared {
        Ok((body, answer)) => {
            let head = shared.client.post(body, key, id);
            if exchange.stream {
                stream(exchange, answer, head).await
            } else {
                reply(exchange, answer, head).await
            }
        }
        Err(failure) => refuse(exchange, &failure),
    }
}

/// What is sent upstream, and what reads the answer.
fn prepare(exchange: &mut Exchange, body: &[u8]) -> Result<(String, Answer), Failure> {
    let shared = Arc::clone(&exchange.shared);
    let asked = Asked::read(exchange.wire, body)?;
    (exchange.model, exchange.stream) = (asked.model.clone(), asked.stream);
    let planned = shared.planner.plan(&asked)?;
    for warning in &planned.warnings {
        tracing::warn!(id = exchange.id, warning, "the request is served in another way");
    }
    if let Some(why) = &planned.unconstrained {
        tracing::debug!(id = exchange.id, why, "the answer is held to no grammar");
    }
    if let Some(directory) = &shared.config.record {
        let head = Head::new(&shared.config, exchange.wire, asked.stream, body);
        exchange.recording = Recording::new(directory, &exchange.id, &head);
    }
    let prefix = match exchange.wire {
        Wire::Chat => "chatcmpl-",
        Wire::Responses => "resp_",
        Wire::Messages => "msg_",
    };
    let mut envelope = Envelope::new(format!("{prefix}{}", shared.ids.next()));
    // The name that the client knows, whatever the upstream calls it.
    envelope.model = asked.model.as_str().into();
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    envelope.created = now.map(|now| now.as_secs()).unwrap_or_default();
    let plan = Plan {
        wire: exchange.wire,
        dialect: shared.config.upstream_kind.dialect(),
        stream: asked.stream,
        usage_chunk: asked.usage_chunk,
        n: asked.n,
        envelope,
        echo: asked.echo.clone(),
        reading: planned.reading,
        estimated_input: asked.estimated_tokens(),
        max_bytes: shared.config.max_answer_bytes,
    };
    let ids = || -> UniqueId {
        let ids = shared.ids.clone();
        Box::new(move || ids.next())
    };
    let answer = Answer::new(&plan, ids).map_err(|error| bad(error.to_string()))?;
    Ok((planned.body, answer))
}

/// Streams. The first moments are waited for, so that a refusal has its own status; after them the
/// stream begins with signs of life.
async fn stream(
    exchange: Exchange,
    answer: Answer,
    mut head: hyper_util::client::legacy::ResponseFuture,
) -> Response<Body> {
    let asked = Instant::now();
    let first = timeout(exchange.shared.config.keep_alive, &mut head).await;
    let source = match first {
        Ok(Ok(response)) if response.status().is_success() => Source::Answer(response.into_body()),
        Ok(Ok(response)) => {
            return refused(exchange, response).await;
        }
        Ok(Err(error)) => return refuse(exchange, &whole::unreachable(&error)),
        Err(_) => Source::Head(head),
    };
    let stream = Stream::new(exchange, answer, source, asked);
    let mut response = Response::new(Body::Stream(Box::new(stream)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // A proxy in front must not wait for more.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// One document.
async fn reply(
    mut exchange: Exchange,
    mut answer: Answer,
    head: hyper_util::client::legacy::ResponseFuture,
) -> Response<Body> {
    let patience = exchange.shared.config.head_timeout;
    let response = match timeout(patience, head).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return refuse(exchange, &whole::unreachable(&error)),
        Err(_) => return refuse(exchange, &whole::silence(patience.as_secs())),
    };
    if !response.status().is_success() {
        return refused(exchange, response).await;
    }
    let text = whole::read(&mut exchange, &mut answer, response.into_body()).await;
    let status = StatusCode::from_u16(answer.status()).unwrap_or(StatusCode::BAD_GATEWAY);
    document(status, text)
}

/// An error of the upstream, with its own status where that is one of an error, and the time to wait.
async fn refused(mut exchange: Exchange, from: Response<Incoming>) -> Response<Body> {
    let (head, body) = from.into_parts();
    let failure = whole::refusal(&exchange, head.status.as_u16(), body).await;
    exchange.refused(&failure);
    let mut response = error(exchange.wire, &failure);
    if head.status.as_u16() >= 400 {
        *response.status_mut() = head.status;
    }
    if let Some(wait) = head.headers.get(RETRY_AFTER) {
        response.headers_mut().insert(RETRY_AFTER, wait.clone());
    }
    response
}

fn refuse(mut exchange: Exchange, failure: &Failure) -> Response<Body> {
    exchange.refused(failure);
    error(exchange.wire, failure)
}

fn error(wire: Wire, failure: &Failure) -> Response<Body> {
    let status = StatusCode::from_u16(failure.kind.status()).unwrap_or(StatusCode::BAD_GATEWAY);
    document(status, wire.error_body(failure))
}

fn document(status: StatusCode, text: String) -> Response<Body> {
    let mut response = Response::new(Body::text(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The models of the upstream and their other names, as the wire lists them.
async fn models(shared: &Shared, headers: &HeaderMap, wire: Wire, id: &str) -> Response<Body> {
    let mut names: Vec<String> = shared.config.model_map.keys().cloned().collect();
    let key = shared.client.authorization(headers);
    let asked = timeout(Duration::from_secs(30), shared.client.models(key, id)).await;
    let found = match asked {
        Ok(Ok(response)) if response.status().is_success() => {
            let read = Limited::new(response.into_body(), 4 << 20).collect();
            let read = timeout(Duration::from_secs(30), read).await;
            let bytes = read.ok().and_then(Result::ok).map(|body| body.to_bytes());
            bytes.and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok())
        }
        _ => None,
    };
    let list = found.as_ref().and_then(|found| found.get("data")).and_then(|data| data.as_array());
    for model in list.into_iter().flatten() {
        names.extend(model.get("id").and_then(|id| id.as_str()).map(str::to_owned));
    }
    if list.is_none() && names.is_empty() {
        let message = "the upstream does not list its models";
        return error(wire, &Failure::new(FailureKind::Upstream, message));
    }
    let entry = |name: &String| match wire {
        Wire::Messages => {
            json!({"type": "model", "id": name, "display_name": name, "created_at": "1970-01-01T00:00:00Z"})
        }
        _ => json!({"id": name, "object": "model", "created": 0, "owned_by": "upstream"}),
    };
    let data: Vec<_> = names.iter().map(entry).collect();
    let list = match wire {
        Wire::Messages => {
            let (first, last) = (names.first(), names.last());
            json!({"data": data, "has_more": false, "first_id": first, "last_id": last})
        }
        _ => json!({"object": "list", "data": data}),
    };
    document(StatusCode::OK, list.to_string())
}
