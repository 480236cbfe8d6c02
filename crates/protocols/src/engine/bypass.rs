//! Chunks of a payload, and text of an argument that goes past its reader.
//!
//! Once a short chunk was nothing but text of an open string, and nothing waits in the reader, further chunks of
//! plain bytes are arguments whatever the reader knows. They are sent here, and reported to the reader before it
//! sees anything else.

use toolweir_segments::EventSink;

use super::Engine;
use super::reader::{PLAIN, Step};
use crate::program::{PayloadProgram, may_follow_string};

/// Text of an argument that its reader need not see, as nothing in it can be anything else.
#[derive(Debug, Default)]
pub(super) struct Bypass {
    pub(super) on: bool,
    /// Bytes that have gone out and have not been reported to the reader.
    bytes: usize,
    /// What follows them and goes out with the text after it: it may stand after the string.
    waits: String,
}

impl Bypass {
    /// Bytes that were looked at here.
    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        (self.bytes + self.waits.len()) as u64
    }
}

/// The largest chunk that is looked at for being such text: longer ones seldom are.
const BYPASSED: usize = 32;
/// So much of it may wait.
const MOST_WAITING: usize = 64;

impl Engine {
    /// Reports to the reader the text that went past it.
    pub(super) fn report_bypassed(&mut self) {
        let bypass = std::mem::take(&mut self.bypass);
        if let Some(reader) = &mut self.active {
            reader.bypassed(bypass.bytes, &bypass.waits);
        }
        self.bypass.waits = bypass.waits;
        self.bypass.waits.clear();
    }

    /// Takes a short chunk that is plain text of the open argument past its reader.
    #[inline]
    fn bypass_reader(&mut self, chunk: &str, sink: &mut dyn EventSink) -> bool {
        let Self { bypass, program, reader, out, kept, .. } = self;
        let payload = program.payloads.get(*reader);
        let plain = payload.and_then(PayloadProgram::plain_bytes);
        if chunk.len() > BYPASSED || !plain.is_some_and(|plain| plain.hold_all(chunk)) {
            return false;
        }
        let text = chunk.trim_end_matches(may_follow_string);
        let waits = &mut bypass.waits;
        if text.is_empty() {
            if waits.len() + chunk.len() > MOST_WAITING {
                return false;
            }
            waits.push_str(chunk);
            return true;
        }
        let whole = match waits.is_empty() {
            true => text,
            false => {
                waits.push_str(text);
                waits.as_str()
            }
        };
        out.skip(whole.len());
        kept.push(whole);
        out.args(whole, sink);
        bypass.bytes += whole.len();
        if !waits.is_empty() || text.len() < chunk.len() {
            waits.clear();
            waits.push_str(chunk.get(text.len()..).unwrap_or_default());
        }
        true
    }

    /// Reads a chunk of a payload. One that is nothing but text of an argument is taken at once.
    #[inline]
    pub(crate) fn read_chunk(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        if !self.is_within_limit() {
            return self.read_payload(input, sink);
        }
        if self.bypass.on && self.bypass_reader(input, sink) {
            *input = "";
            return;
        }
        let mut plain = self.plain;
        let tries = input.len() <= PLAIN && plain.tries();
        let (mut step, mut bypass) = (Step::More, false);
        self.with_reader(sink, |reader, ctx| {
            match if tries { reader.plain_text(input, ctx) } else { None } {
                Some(true) => {
                    plain.hit();
                    let short = input.len() <= BYPASSED;
                    bypass = short && ctx.sends_as_it_comes() && reader.may_be_bypassed(ctx);
                    *input = "";
                    return;
                }
                Some(false) => plain.miss(),
                None => {}
            }
            step = reader.step(input, ctx);
        });
        (self.plain, self.bypass.on) = (plain, bypass);
        if !matches!(step, Step::More) {
            self.settle_step(step, sink);
        }
    }
}
