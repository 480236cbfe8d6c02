//! Bodies of replies. A stream reads its upstream when the connection can write: what a client does not
//! read is not read from upstream either, and a body that is dropped drops its upstream.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use http_body::{Body as HttpBody, Frame};
use hyper::body::Incoming;
use hyper_util::client::legacy::ResponseFuture;
use tokio::time::{Instant, Sleep, sleep_until};
use toolweir_adapters::{Failure, FailureKind};

use super::exchange::Exchange;
use super::whole::{reported, unreachable};
use crate::answer::Answer;
use crate::config::Config;
use crate::record::End;

/// A reply.
pub(crate) enum Body {
    Whole(Option<Bytes>),
    Stream(Box<Stream>),
}

impl Body {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Whole(Some(Bytes::from(text.into())))
    }
}

/// An answer while it comes.
pub(crate) struct Stream {
    pub(super) exchange: Exchange,
    pub(super) answer: Answer,
    pub(super) source: Source,
    /// What has been written and not taken.
    out: String,
    timer: Pin<Box<Sleep>>,
    /// When something last went to the client.
    wrote: Instant,
    /// When something last came from upstream.
    heard: Instant,
    ended: bool,
}

/// Where bytes come from.
pub(super) enum Source {
    /// The upstream has not begun to answer.
    Head(ResponseFuture),
    Answer(Incoming),
    /// The upstream answers with an error, of which so much has come.
    Refusal {
        status: u16,
        body: Incoming,
        kept: Vec<u8>,
    },
    Nothing,
}

impl Source {
    /// How long it may be silent.
    fn patience(&self, config: &Config) -> Duration {
        match self {
            Self::Head(_) => config.head_timeout,
            _ => config.silence_timeout,
        }
    }
}

/// So much of an error's body is read.
pub(super) const REFUSAL_BYTES: usize = 16 * 1024;
/// Written text is handed over at this size, even if more could be read.
const HAND_OVER: usize = 16 * 1024;

impl Stream {
    /// The upstream was asked then.
    pub(super) fn new(exchange: Exchange, answer: Answer, source: Source, asked: Instant) -> Self {
        let now = Instant::now();
        let config = &exchange.shared.config;
        let heard = if matches!(source, Source::Head(_)) { asked } else { now };
        let first = (now + config.keep_alive).min(heard + source.patience(config));
        let timer = Box::pin(sleep_until(first));
        Self {
            exchange,
            answer,
            source,
            out: String::new(),
            timer,
            wrote: now,
            heard,
            ended: false,
        }
    }

    /// Reads what can be read now; gives whether more may come later.
    fn read(&mut self, cx: &mut Context<'_>) {
        while !self.ended && self.out.len() < HAND_OVER {
            match &mut self.source {
                Source::Head(head) => match Pin::new(head).poll(cx) {
                    Poll::Pending => return,
                    Poll::Ready(Ok(response)) => self.head(response),
                    Poll::Ready(Err(error)) => self.fail(unreachable(&error)),
                },
                Source::Answer(body) => match Pin::new(body).poll_frame(cx) {
                    Poll::Pending => return,
                    Poll::Ready(Some(Ok(frame))) => {
                        if let Ok(data) = frame.into_data() {
                            self.heard = Instant::now();
                            self.exchange.came(&data);
                            self.answer.push(&data, &mut self.out);
                        }
                    }
                    Poll::Ready(Some(Err(_))) => {
                        self.exchange.recording.ends(End::Reset);
                        self.answer.abort(&mut self.out);
                    }
                    Poll::Ready(None) => {
                        self.exchange.recording.ends(End::Closed);
                        self.answer.close(&mut self.out);
                    }
                },
                Source::Refusal { status, body, kept } => match Pin::new(body).poll_frame(cx) {
                    Poll::Pending => return,
                    Poll::Ready(Some(Ok(frame))) if kept.len() < REFUSAL_BYTES => {
                        if let Ok(data) = frame.into_data() {
                            kept.extend_from_slice(&data);
                        }
                    }
                    Poll::Ready(_) => {
                        let failure = reported(*status, kept);
                        self.fail(failure);
                    }
                },
                Source::Nothing => return,
            }
            if self.answer.is_over() {
                self.end(cx);
            }
        }
    }

    fn head(&mut self, response: Response<Incoming>) {
        self.heard = Instant::now();
        let status = response.status();
        let body = response.into_body();
        self.source = match status.is_success() {
            true => Source::Answer(body),
            false => Source::Refusal { status: status.as_u16(), body, kept: Vec::new() },
        };
    }

    fn fail(&mut self, failure: Failure) {
        self.exchange.recording.ends(End::Failed);
        self.answer.fail(failure, &mut self.out);
    }

    fn end(&mut self, cx: &mut Context<'_>) {
        self.ended = true;
        self.exchange.answered(&self.answer);
        // A body read to its end gives its connection back for the next request.
        if let Source::Answer(body) = &mut self.source {
            let _ = Pin::new(body).poll_frame(cx);
        }
        self.source = Source::Nothing;
    }

    /// Signs of life, and the end of patience.
    fn tick(&mut self, cx: &mut Context<'_>) {
        let config = &self.exchange.shared.config;
        let (keep_alive, patience) = (config.keep_alive, self.source.patience(config));
        while !self.ended && self.timer.as_mut().poll(cx).is_ready() {
            let now = Instant::now();
            if now >= self.heard + patience {
                let seconds = patience.as_secs();
                let message = format!("the upstream has said nothing for {seconds} seconds");
                self.fail(Failure::new(FailureKind::Timeout, message));
                self.end(cx);
                return;
            }
            if now >= self.wrote + keep_alive {
                self.answer.begin(&mut self.out);
                self.out.push_str(self.exchange.wire.ping());
                self.wrote = now;
            }
            self.timer.as_mut().reset((self.wrote + keep_alive).min(self.heard + patience));
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.exchange.left(&self.answer);
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let stream = match self.get_mut() {
            Self::Whole(bytes) => {
                return Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes))));
            }
            Self::Stream(stream) => stream,
        };
        stream.read(cx);
        stream.tick(cx);
        if !stream.out.is_empty() {
            stream.wrote = Instant::now();
            let text = std::mem::take(&mut stream.out);
            stream.exchange.recording.reply(text.as_bytes());
            return Poll::Ready(Some(Ok(Frame::data(Bytes::from(text)))));
        }
        if stream.ended { Poll::Ready(None) } else { Poll::Pending }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_none(),
            Self::Stream(_) => false,
        }
    }

    fn size_hint(&self) -> http_body::SizeHint {
        match self {
            Self::Whole(bytes) => http_body::SizeHint::with_exact(
                bytes.as_ref().map_or(0, |bytes| bytes.len() as u64),
            ),
            Self::Stream(_) => http_body::SizeHint::default(),
        }
    }
}
