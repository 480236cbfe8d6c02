//! Items on their way out: one line of JSON each, or one server-sent event each.
//!
//! # Invariants
//! - An item is one line. JSON has no raw line break inside its strings; one between its tokens, where
//!   a model wrote its arguments over several lines, goes out as a space, which means the same.
//! - Ids count without gaps: an item that cannot be written takes none and leaves nothing behind.

use serde::Serialize;

use crate::envelope::Envelope;
use crate::projection::Projection;

/// The comment frame that keeps an idle connection open.
pub const KEEP_ALIVE: &str = ": keep-alive\n\n";

/// A writer of one wire: what it can be told beside events.
///
/// Deltas go out at the end of each chunk ([`Projection::chunk_end`]), joined, or with the next event
/// that is none.
pub trait WireWriter: Projection<Item: SseItem> {
    /// The data of the answer, to change until the item that carries it goes out.
    fn envelope_mut(&mut self) -> &mut Envelope;

    /// Sends what begins the stream, where no event has done so: a client then knows that it is served.
    /// Writers of whole answers send nothing.
    fn begin(&mut self, out: &mut dyn FnMut(Self::Item));
}

/// An item that knows its frame.
pub trait SseItem: Serialize {
    /// The name of the event, one word, on wires that name theirs.
    fn event_name(&self) -> Option<&str> {
        None
    }

    /// Whether it is the `[DONE]` at the end.
    fn is_done(&self) -> bool {
        false
    }
}

/// The item as a frame of its wire, after what `out` holds: `event:` where the wire names events, one
/// line of `data:`, an empty line.
///
/// # Errors
/// What the serialiser of the item says. The types of this crate never fail.
pub fn sse_frame(item: &impl SseItem, out: &mut String) -> Result<(), serde_json::Error> {
    let data = if item.is_done() { "[DONE]".to_owned() } else { line(item)? };
    let names = item.event_name().map(|name| ["event: ", name, "\n"]);
    names
        .into_iter()
        .flatten()
        .chain(["data: ", &data, "\n\n"])
        .for_each(|part| out.push_str(part));
    Ok(())
}

/// The item as one line of JSON, after what `out` holds; the line feed comes with it.
///
/// # Errors
/// What the serialiser of the item says. The types of this crate never fail.
///
/// ```
/// let mut out = String::new();
/// toolweir_adapters::json_line(&["one", "two\n"], &mut out).unwrap();
/// assert_eq!(out, "[\"one\",\"two\\n\"]\n");
/// ```
pub fn json_line(item: &impl Serialize, out: &mut String) -> Result<(), serde_json::Error> {
    out.push_str(&line(item)?);
    out.push('\n');
    Ok(())
}

/// Writes items as server-sent events, numbered.
///
/// A client that reconnects says which id it saw last (`Last-Event-ID`): the frames after it are what
/// it lacks, as there are no gaps.
///
/// ```
/// use toolweir_adapters::SseFrames;
///
/// let (mut frames, mut out) = (SseFrames::new(), String::new());
/// frames.frame("tool_call", &["a"], &mut out).unwrap();
/// assert_eq!(out, "id: 1\nevent: tool_call\ndata: [\"a\"]\n\n");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseFrames {
    last: u64,
}

impl SseFrames {
    /// The first frame has the id 1.
    #[must_use]
    pub const fn new() -> Self {
        Self::after(0)
    }

    /// The first frame has the id after that one.
    #[must_use]
    pub const fn after(last: u64) -> Self {
        Self { last }
    }

    /// The id of the last frame; 0 before there is one.
    #[must_use]
    pub const fn last(&self) -> u64 {
        self.last
    }

    /// The item as a frame, after what `out` holds; gives its id. Line breaks in the event's name are
    /// spaces.
    ///
    /// # Errors
    /// What the serialiser of the item says. The types of this crate never fail.
    pub fn frame(
        &mut self,
        event: &str,
        item: &impl Serialize,
        out: &mut String,
    ) -> Result<u64, serde_json::Error> {
        let data = line(item)?;
        self.last = self.last.saturating_add(1);
        let event = one_line(event.to_owned());
        out.push_str(&format!("id: {}\nevent: {event}\ndata: {data}\n\n", self.last));
        Ok(self.last)
    }
}

fn line(item: &(impl Serialize + ?Sized)) -> Result<String, serde_json::Error> {
    serde_json::to_string(item).map(one_line)
}

fn one_line(text: String) -> String {
    if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], " ") } else { text }
}
