//! One stream through a decoder, with checking sinks and without letting a panic out.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use toolweir_protocols::{Chunk, Decoder, Protocol, Request};
use toolweir_segments::{Check, Event, EventSink, Fold, StreamEnd, Turn, Violation};

use crate::split::Split;

/// What is decoded.
pub(crate) struct Input<'a> {
    pub(crate) text: &'a str,
    /// Byte ranges from special tokens; `None`: not attributed.
    pub(crate) special: Option<&'a [Range<usize>]>,
    pub(crate) end: StreamEnd,
}

/// What came of it.
pub(crate) struct Decoded {
    pub(crate) turn: Turn,
    pub(crate) violations: Vec<Violation>,
    /// Number of events.
    pub(crate) events: u64,
    /// Bytes examined; 0 without feature `meter`.
    pub(crate) examined: u64,
}

/// A law and what is wrong, where there is no turn.
pub(crate) type Broken = (&'static str, String);

/// Folds and checks at once, and counts.
struct Witness {
    fold: Fold,
    check: Check,
    events: u64,
}

impl EventSink for Witness {
    fn event(&mut self, event: Event<'_>) {
        self.events += 1;
        self.check.event(event.clone());
        self.fold.event(event);
    }
}

/// Decodes the input and checks the events.
pub(crate) fn decode(
    protocol: &dyn Protocol,
    request: &Request,
    input: &Input<'_>,
    split: &Split,
) -> Result<Decoded, Broken> {
    let mut check = Check::new(toolweir_segments::CheckOptions { markup: request.emit.markup });
    if protocol.decodes_text(request) {
        check = check.decoded_text();
    }
    let mut witness = Witness { fold: Fold::new(), check, events: 0 };
    let decoder = decode_with(protocol, request, input, split, &mut witness, |_, _| {})?;
    let Witness { fold, mut check, events } = witness;
    check.finish_checks(u64::try_from(input.text.len()).unwrap_or(u64::MAX));
    let violations = check.violations().to_vec();
    let examined = examined(&*decoder);
    Ok(Decoded { turn: fold.into_turn(), violations, events, examined })
}

/// Decodes the input into `sink`; `after` is called after each push with the bytes pushed so far.
pub(crate) fn decode_with<S: EventSink>(
    protocol: &dyn Protocol,
    request: &Request,
    input: &Input<'_>,
    split: &Split,
    sink: &mut S,
    mut after: impl FnMut(&mut S, usize),
) -> Result<Box<dyn Decoder>, Broken> {
    let mut decoder = protocol.decoder(request).map_err(|e| ("request", e.to_string()))?;
    let stream = || {
        let mut read = 0;
        for text in split.chunks(input.text) {
            let special = input.special.map(|ranges| within(ranges, read, text.len()));
            let chunk = match &special {
                Some(ranges) => Chunk::attributed(text, ranges),
                None => Chunk::text(text),
            };
            decoder.push(chunk, sink);
            read += text.len();
            after(sink, read);
        }
        decoder.finish(input.end, sink);
    };
    // A decoder that panicked is not used again, so what it left behind cannot be seen.
    catch_unwind(AssertUnwindSafe(stream)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(|&s| s.to_owned()));
        ("C7", format!("panic: {}", text.unwrap_or_default()))
    })?;
    Ok(decoder)
}

/// The parts of `ranges` inside the chunk of `len` bytes at `start`, as positions in the chunk.
fn within(ranges: &[Range<usize>], start: usize, len: usize) -> Vec<Range<usize>> {
    let clip = |range: &Range<usize>| {
        let from = range.start.max(start) - start;
        let to = range.end.min(start + len).saturating_sub(start);
        (from < to).then_some(from..to)
    };
    ranges.iter().filter_map(clip).collect()
}

#[cfg(feature = "meter")]
fn examined(decoder: &dyn Decoder) -> u64 {
    decoder.examined()
}

#[cfg(not(feature = "meter"))]
fn examined(_: &dyn Decoder) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn special_ranges_are_clipped_to_the_chunk() {
        let ranges = [2..5, 7..9];
        assert_eq!(within(&ranges, 0, 10), [2..5, 7..9]);
        assert_eq!(within(&ranges, 3, 5), [0..2, 4..5]);
        assert!(within(&ranges, 5, 2).is_empty());
    }
}
