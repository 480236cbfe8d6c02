//! Events in the shapes of the outside world, one JSON object a line: `--as ai-sdk`, `segments`,
//! `agent`, `host`. The shapes are those of [`toolweir::adapters`].

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use toolweir::adapters::{
    Agent, AiSdk, CountedStamps, Host, HostMode, KindIds, Projection, Segments, Stamps, json_line,
};
use toolweir::protocols::Malformed;
use toolweir::segments::Counter;
use toolweir::{Event, EventSink, Numbered, Request, StreamEnd};

use super::View;
use crate::args::Shape;
use crate::term::{Out, Paint};

/// The view of an outside shape; `None` for the shapes of this project.
pub(crate) fn view(shape: Shape, request: &Request) -> Option<Box<dyn View>> {
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
        Shape::Events | Shape::Turn => return None,
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
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}

/// Prints the items of a projection.
struct Outside<P, G> {
    projection: P,
    ids: Ids<G>,
}

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

impl<P: Projection<Item: Serialize>, G: toolweir::segments::IdGenerator> Outside<P, G> {
    fn new(projection: P, ids: G) -> Self {
        Self { projection, ids: Numbered::new(Seen::default(), ids) }
    }

    /// Runs a step of the projection and prints what it gives.
    fn print(
        &mut self,
        out: &mut Out<'_>,
        step: impl FnOnce(&mut P, Option<&str>, &mut dyn FnMut(P::Item)),
    ) -> io::Result<()> {
        let (mut lines, mut written) = (String::new(), Ok(()));
        step(&mut self.projection, self.ids.inner().id.as_deref(), &mut |item| {
            if written.is_ok() {
                written = json_line(&item, &mut lines);
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

impl<P: Projection<Item: Serialize>, G: toolweir::segments::IdGenerator> View for Outside<P, G> {
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
}
