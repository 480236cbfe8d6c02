//! Chunks of a payload, and text of an argument that goes past its reader.
//!
//! Once a payload has been read into an open string, and nothing waits in the reader, further chunks of text and whole
//! escapes in which no marker begins are arguments whatever the reader knows. They are sent here, and reported to the
//! reader before it sees anything else.

use toolweir_markers::Anchored;
use toolweir_rjson::BypassedText;
use toolweir_segments::EventSink;

use super::Engine;
use super::reader::{PLAIN, Step};
use crate::program::PayloadProgram;

/// Text of an argument that its reader need not see, as nothing in it can be anything else.
#[derive(Debug, Default)]
pub(super) struct Bypass {
    pub(super) on: bool,
    text: BypassedText,
}

impl Bypass {
    /// Bytes that were examined here.
    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        (self.text.sent() + self.text.waits().len()) as u64
    }
}

impl Engine {
    /// Reports to the reader the text that went past it.
    pub(super) fn report_bypassed(&mut self) {
        self.bypass.on = false;
        if let Some(reader) = &mut self.active {
            reader.bypassed(&self.bypass.text);
        }
        self.bypass.text.clear();
    }

    /// Takes a chunk of at most [`PLAIN`] bytes past its reader that is text of the open argument, without a marker.
    #[inline]
    fn bypass_reader(&mut self, chunk: &str, sink: &mut dyn EventSink) -> bool {
        let Self { bypass, program, reader, out, kept, .. } = self;
        let payload = program.payloads.get(*reader);
        let plain = payload.and_then(PayloadProgram::plain_text);
        let Some((plain, markers)) = plain.filter(|_| chunk.len() <= PLAIN) else { return false };
        let is_text = |rest: &str| markers.match_at(rest) == Anchored::None;
        bypass.text.take(chunk, plain, is_text, |text| {
            out.skip(text.len());
            kept.push(text);
            out.args(text, sink);
        })
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
                    *input = "";
                    return;
                }
                Some(false) => plain.miss(),
                None => {}
            }
            step = reader.step(input, ctx);
            bypass = step == Step::More && ctx.sends_as_it_comes() && reader.may_be_bypassed(ctx);
        });
        (self.plain, self.bypass.on) = (plain, bypass);
        if !matches!(step, Step::More) {
            self.resolve_step(step, sink);
        }
    }
}
