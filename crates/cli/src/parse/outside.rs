//! Events in the shapes of the outside world, one JSON object a line: `--as ai-sdk`, `segments`,
//! `agent`, `host`, and those of servers, `openai`, `responses`, `anthropic`, `ui-message`, `ag-ui`. The
//! shapes are those of [`toolweir::adapters`].
//!
//! The shapes of servers can be frames, too (`--sse`), or the one answer to a request without a stream
//! (`--no-stream`). `[DONE]` is in the frames alone.

use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use toolweir::adapters::{
    AgUi, Agent, AiSdk, ChatAnswer, ChatChunks, CountedStamps, Envelope, FailureKind, Host,
    HostMode, KindIds, MessageAnswer, MessageEvents, Projection, ResponseAnswer, ResponseEvents,
    Segments, SseItem, Stamps, TokenUsage, UiMessage, WireIds, WireWriter, json_line, sse_frame,
};
use toolweir::protocols::Malformed;
use toolweir::segments::{Counter, IdGenerator};
use toolweir::{Event, EventSink, FinishReason, Numbered, Request, StreamEnd};

use super::shown::{Provided, View};
use crate::args::{Shape, Showing};
use crate::failure::Failure;
use crate::term::{Out, Paint};

/// The view of an outside shape; `None` for the shapes of this project.
pub(crate) fn view(showing: &Showing, request: &Request) -> Result<Option<Box<dyn View>>, Failure> {
    if let Some(view) = server(showing)? {
        return Ok(Some(view));
    }
    if showing.sse || showing.no_stream {
        let option = if showing.sse { "--sse" } else { "--no-stream" };
        return Err(Failure::usage(
            format_args!("{option} is for the shapes of servers"),
            "say --as openai, responses, anthropic, ui-message or ag-ui",
        ));
    }
    Ok(program(showing.shape, request))
}

/// The view of a shape between servers and clients.
fn server(showing: &Showing) -> Result<Option<Box<dyn View>>, Failure> {
    let openai = WireIds::openai;
    if showing.no_stream {
        return Ok(Some(match showing.shape {
            Shape::Openai => Box::new(Outside::wire(ChatAnswer::default(), openai(), false)),
            Shape::Responses => Box::new(Outside::wire(ResponseAnswer::default(), openai(), false)),
            Shape::Anthropic => {
                Box::new(Outside::wire(MessageAnswer::default(), WireIds::anthropic(), false))
            }
            Shape::UiMessage | Shape::AgUi => {
                return Err(Failure::usage(
                    "this shape has no answers but streams",
                    "leave --no-stream out",
                ));
            }
            _ => return Ok(None),
        }));
    }
    Ok(Some(match showing.shape {
        Shape::Openai => Box::new(Outside::wire(ChatChunks::default(), openai(), showing.sse)),
        Shape::Responses => {
            Box::new(Outside::wire(ResponseEvents::default(), openai(), showing.sse))
        }
        Shape::Anthropic => {
            Box::new(Outside::wire(MessageEvents::default(), WireIds::anthropic(), showing.sse))
        }
        Shape::UiMessage => Box::new(Outside::wire(UiMessage::default(), openai(), showing.sse)),
        Shape::AgUi => Box::new(Outside::wire(AgUi::default(), openai(), showing.sse)),
        _ => return Ok(None),
    }))
}

/// The view of a shape of other programs.
fn program(shape: Shape, request: &Request) -> Option<Box<dyn View>> {
    let option = |key: &str| request.options.get(key).map(String::as_str).unwrap_or_default();
    Some(match shape {
        Shape::AiSdk => Box::new(Outside::new(AiSdk::default(), KindIds::default())),
        Shape::Segments => {
            let ids = Counter::new(format!("{}seg_", option("segment_id_prefix")));
            Box::new(Outside::new(Segments::default(), ids))
        }
        Shape::Agent => {
            let agent = Agent::new("msg_1", Clock::default()).streaming_tool_calls();
            Box::new(Outside::new(agent, KindIds::default()))
        }
        Shape::Host => {
            let mode = match option("mode") {
                "placeholders" => HostMode::Placeholders(option("placeholder_text").to_owned()),
                _ => HostMode::Smart,
            };
            let hides = request.policies.malformed == Malformed::Drop;
            let host = Host::new(mode).hiding_malformed(hides);
            Box::new(Outside::new(host, Counter::default()))
        }
        _ => return None,
    })
}

/// Counted ids, and the time of the machine.
#[derive(Default)]
struct Clock {
    ids: CountedStamps,
}

impl Stamps for Clock {
    fn event_id(&mut self) -> String {
        self.ids.event_id()
    }

    fn timestamp(&mut self) -> u64 {
        u64::try_from(since_1970().as_millis()).unwrap_or(u64::MAX)
    }
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Prints the items of a projection.
struct Outside<P: Projection, G> {
    projection: P,
    ids: Ids<G>,
    write: Write<P::Item>,
    /// The data of the answer, on wires that have it.
    envelope: Option<fn(&mut P) -> &mut Envelope>,
}

/// Writes one item.
type Write<I> = fn(&I, &mut String) -> Result<(), serde_json::Error>;

/// Gives each event the id of its segment.
type Ids<G> = Numbered<Seen, G>;

/// The id of the last event.
#[derive(Default)]
struct Seen {
    id: Option<String>,
}

impl toolweir::segments::NumberedSink for Seen {
    fn event(&mut self, id: Option<&str>, _event: Event<'_>) {
        if self.id.as_deref() != id {
            self.id = id.map(str::to_owned);
        }
    }
}

impl<P: Projection<Item: Serialize>, G: IdGenerator> Outside<P, G> {
    fn new(projection: P, ids: G) -> Self {
        let ids = Numbered::new(Seen::default(), ids);
        Self { projection, ids, write: json_line, envelope: None }
    }
}

impl<P: WireWriter, G: IdGenerator> Outside<P, G> {
    fn wire(mut projection: P, ids: G, frames: bool) -> Self {
        projection.envelope_mut().created = since_1970().as_secs();
        let write: Write<P::Item> = if frames { sse_frame } else { item_line };
        let ids = Numbered::new(Seen::default(), ids);
        Self { projection, ids, write, envelope: Some(P::envelope_mut) }
    }
}

/// The item as a line of JSON, unless it says nothing.
fn item_line(item: &impl SseItem, out: &mut String) -> Result<(), serde_json::Error> {
    if item.is_done() { Ok(()) } else { json_line(item, out) }
}

impl<P: Projection, G: IdGenerator> Outside<P, G> {
    /// Runs a step of the projection and prints what it gives.
    fn print(
        &mut self,
        out: &mut Out<'_>,
        step: impl FnOnce(&mut P, Option<&str>, &mut dyn FnMut(P::Item)),
    ) -> io::Result<()> {
        let (mut lines, mut written, write) = (String::new(), Ok(()), self.write);
        step(&mut self.projection, self.ids.inner().id.as_deref(), &mut |item| {
            if written.is_ok() {
                written = write(&item, &mut lines);
            }
        });
        written?;
        for line in lines.lines() {
            out.text(Paint::Plain, line)?;
            out.line("")?;
        }
        Ok(())
    }
}

impl<P: Projection, G: IdGenerator> View for Outside<P, G> {
    fn event(&mut self, event: &Event<'_>, out: &mut Out<'_>) -> io::Result<()> {
        self.ids.event(event.reborrow());
        self.print(out, |projection, id, items| projection.event(id, event, items))
    }

    fn chunk_end(&mut self, out: &mut Out<'_>) -> io::Result<()> {
        self.print(out, |projection, _, items| projection.chunk_end(items))
    }

    fn ends_with(&mut self, end: StreamEnd) {
        self.projection.ends_with(end);
    }

    fn provided(&mut self, said: &Provided) {
        let Some(envelope) = self.envelope.map(|of| of(&mut self.projection)) else { return };
        envelope.finish = Some(said.reason).filter(|reason| *reason == FinishReason::ContentFilter);
        envelope.stop_sequence.clone_from(&said.stop);
        let failure = |why| toolweir::adapters::Failure::new(FailureKind::Upstream, why);
        envelope.failure = said.trouble.clone().map(failure);
        envelope.usage = said.usage.map(|usage| {
            let [input, output] = [usage.input, usage.output].map(Option::unwrap_or_default);
            let mut counted = TokenUsage::new(input, output);
            (counted.cached, counted.reasoning) = (usage.cached, usage.reasoning);
            counted
        });
    }
}
