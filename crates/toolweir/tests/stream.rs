//! The stream adapter: the same events as pushing, no chunk asked for too early, nothing lost.

#![cfg(feature = "futures")]
#![allow(clippy::unwrap_used)]

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use futures_core::Stream;
use futures_executor::block_on;
use futures_util::StreamExt;
use toolweir::middleware::engine::EngineSession;
use toolweir::middleware::{Conversation, Message, Middleware};
use toolweir::protocols::segments::NativeDelta;
use toolweir::stream::{AnswerChunk, Input, decode_stream};
use toolweir::{
    Decoder, Event, EventSink, FinishReason, Fold, Outcome, Registry, Request, StreamEnd, Tool,
    Turn, decode_chunks,
};

const CHUNKS: [&str; 4] = [
    "Rolling.<tool_",
    "call>{\"name\": \"dice\", \"argu",
    "ments\": {\"sides\": 6}}</tool",
    "_call>",
];

fn decoder() -> Box<dyn Decoder> {
    Registry::builtin().get("hermes").unwrap().decoder(&Request::default()).unwrap()
}

/// A source that is filled from outside and counts how often it gave something.
#[derive(Clone, Default)]
struct Tap {
    queue: Rc<RefCell<VecDeque<Result<Input, &'static str>>>>,
    closed: Rc<Cell<bool>>,
    given: Rc<Cell<usize>>,
}

impl Tap {
    fn put(&self, input: impl Into<Input>) {
        self.queue.borrow_mut().push_back(Ok(input.into()));
    }
}

impl Stream for Tap {
    type Item = Result<Input, &'static str>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match self.queue.borrow_mut().pop_front() {
            Some(item) => {
                self.given.set(self.given.get() + 1);
                Poll::Ready(Some(item))
            }
            None if self.closed.get() => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

fn fold(events: impl IntoIterator<Item = Event<'static>>) -> Turn {
    let mut fold = Fold::new();
    events.into_iter().for_each(|event| fold.event(event));
    fold.into_turn()
}

#[test]
fn the_events_are_those_of_pushing() {
    let hermes = Registry::builtin().get("hermes").unwrap().clone();
    let mut pushed: Vec<Event<'static>> = Vec::new();
    decode_chunks(&*hermes, CHUNKS, StreamEnd::Stop, &Request::default(), &mut pushed).unwrap();
    let source = futures_util::stream::iter(CHUNKS.map(Ok::<_, ()>));
    let streamed: Vec<_> = block_on(decode_stream(decoder(), source).collect());
    assert_eq!(streamed.into_iter().map(Result::unwrap).collect::<Vec<_>>(), pushed);
}

#[test]
fn a_chunk_is_asked_for_only_when_all_events_are_taken() {
    let tap = Tap::default();
    CHUNKS.iter().for_each(|chunk| tap.put(*chunk));
    tap.closed.set(true);
    let mut events = decode_stream(decoder(), tap.clone());
    block_on(async {
        let start = events.next().await.unwrap().unwrap();
        assert!(matches!(start, Event::Start { .. }));
        assert_eq!(tap.given.get(), 1);
        let delta = events.next().await.unwrap().unwrap();
        assert!(matches!(delta, Event::Delta(text) if text == "Rolling."));
        assert_eq!(tap.given.get(), 1);
        events.next().await;
        assert_eq!(tap.given.get(), 2);
    });
}

#[test]
fn a_dropped_wait_loses_nothing() {
    let tap = Tap::default();
    let mut events = decode_stream(decoder(), tap.clone());
    let mut context = Context::from_waker(Waker::noop());
    let mut seen = Vec::new();
    for chunk in CHUNKS {
        // Each `next` is a future of its own, dropped when it has nothing to give.
        assert!(Pin::new(&mut events.next()).poll(&mut context).is_pending());
        tap.put(chunk);
        while let Poll::Ready(Some(event)) = Pin::new(&mut events.next()).poll(&mut context) {
            seen.push(event.unwrap());
        }
    }
    tap.closed.set(true);
    seen.extend(block_on(events.collect::<Vec<_>>()).into_iter().map(Result::unwrap));
    let turn = fold(seen);
    assert_eq!((turn.text().as_str(), turn.calls().count()), ("Rolling.", 1));
}

#[test]
fn a_source_that_fails_aborts_the_answer_and_says_why() {
    let tap = Tap::default();
    CHUNKS.iter().take(2).for_each(|chunk| tap.put(*chunk));
    tap.queue.borrow_mut().push_back(Err("reset by peer"));
    let events: Vec<_> = block_on(decode_stream(decoder(), tap).collect());
    let (error, events) = events.split_last().unwrap();
    assert_eq!(*error, Err("reset by peer"));
    let turn = fold(events.iter().map(|event| event.clone().unwrap()));
    assert!(turn.finished && turn.calls().count() == 0);
    assert!(turn.parts.iter().any(|part| part.outcome == Some(Outcome::Truncated)));
}

#[test]
fn an_end_that_is_told_counts_and_what_follows_is_not_read() {
    for (end, runs) in [(StreamEnd::Stop, 1), (StreamEnd::Aborted, 0)] {
        let tap = Tap::default();
        tap.put("<tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6");
        tap.put(if end == StreamEnd::Stop { "}}</tool_call>" } else { "" });
        tap.put(Input::End(end));
        tap.put("never read");
        let events: Vec<_> = block_on(decode_stream(decoder(), tap.clone()).collect());
        let turn = fold(events.into_iter().map(Result::unwrap));
        assert_eq!((turn.calls().count(), tap.given.get()), (runs, 3), "{end:?}");
        assert!(!turn.text().contains("never"));
    }
}

#[test]
fn who_aborts_still_gets_the_events_that_are_left() {
    let tap = Tap::default();
    tap.put("<tool_call>{\"name\": \"dice\", ");
    let mut events = decode_stream(decoder(), tap);
    assert!(matches!(block_on(events.next()), Some(Ok(Event::Start { .. }))));
    events.abort();
    events.abort();
    let left: Vec<_> = block_on(events.collect());
    assert_eq!(left.iter().filter(|event| matches!(event, Ok(Event::Finish))).count(), 1);
    assert_eq!(left.last(), Some(&Ok(Event::Finish)));
}

/// A source that is not `Unpin`, as `async` blocks are not.
fn pinned<T: Clone + 'static>(
    items: &[T],
) -> impl Stream<Item = Result<T, std::convert::Infallible>> + use<T> {
    let items = items.to_vec();
    futures_util::stream::unfold(items.into_iter(), |mut items| async move {
        std::future::ready(()).await;
        items.next().map(|item| (Ok(item), items))
    })
}

#[test]
fn a_source_need_not_be_unpin() {
    let events: Vec<_> = block_on(decode_stream(decoder(), pinned(&CHUNKS)).collect());
    let turn = fold(events.into_iter().map(Result::unwrap));
    assert_eq!((turn.text().as_str(), turn.calls().count()), ("Rolling.", 1));
}

#[test]
fn a_session_reads_chunks_and_keeps_its_reports() {
    let hermes = Registry::builtin().get("hermes").unwrap().clone();
    let middleware = Middleware::new(hermes);
    let conversation = Conversation::new([Message::user("Hi")]).tools([Tool::new("dice")]);
    let prepared = middleware.prepare(&conversation).unwrap();
    for (chunks, reports, calls) in
        [(&CHUNKS[..], 0, 1), (&CHUNKS[..3], 0, 1), (&CHUNKS[..2], 1, 0)]
    {
        let mut events = decode_stream(middleware.session(&prepared).unwrap(), pinned(chunks));
        let mut seen = Vec::new();
        block_on(async {
            while let Some(event) = events.next().await {
                seen.push(event.unwrap());
            }
        });
        assert_eq!(fold(seen).calls().count(), calls);
        assert_eq!(events.reader_mut().take_reports().len(), reports);
        assert_eq!(events.into_reader().calls(), calls as u64);
    }
}

#[test]
fn an_engine_reads_reasoning_and_native_calls() {
    let arguments = |arguments| {
        AnswerChunk::default().call(NativeDelta { arguments, ..NativeDelta::default() })
    };
    let chunks = [
        AnswerChunk::from("").reasoning("Six "),
        AnswerChunk::from("Rolling.").reasoning("sides."),
        AnswerChunk::default().call(NativeDelta { name: Some("dice"), ..NativeDelta::default() }),
        arguments("{\"sides\": "),
        arguments("6}"),
        AnswerChunk::default().finish(FinishReason::ToolCalls),
    ];
    let read = |count: usize| {
        let session = EngineSession::native(&Request::default());
        let events: Vec<_> = block_on(decode_stream(session, pinned(&chunks[..count])).collect());
        fold(events.into_iter().map(Result::unwrap))
    };
    let turn = read(6);
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Six sides.", "Rolling."));
    let call = turn.calls().next().unwrap();
    assert_eq!((call.name, call.arguments), ("dice", "{\"sides\": 6}"));
    assert_eq!(read(4).calls().count(), 0, "arguments that are cut");

    // The session of a format reads the same answer, its calls in the text.
    let hermes = Registry::builtin().get("hermes").unwrap().clone();
    let session = EngineSession::decoding(&*hermes, &Request::default()).unwrap();
    let events: Vec<_> = block_on(decode_stream(session, pinned(&CHUNKS)).collect());
    assert_eq!(fold(events.into_iter().map(Result::unwrap)).calls().count(), 1);
}
