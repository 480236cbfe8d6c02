//! The decoder of the segment formats.
//!
//! | state | input | next |
//! | --- | --- | --- |
//! | Text | what may begin a call | Gate |
//! | Text, Reasoning | the family's markers | Reasoning, Text |
//! | Gate | the grammar follows | Block |
//! | Gate | anything else | back: the first character is text, the rest is read again |
//! | Block | its own end | Text, or Reasoning where the call was taken out of it |
//!
//! Laws kept here: C1 (every byte that a block takes is its own), C3 (what is given back is read
//! again), C8 (a segment that began stays; only its `End` says whether it is run), C9. What a block
//! still has in doubt at the end of the stream is its content.

use std::sync::Arc;

use toolweir_markers::{Attribution, Chunk, Scanner};
use toolweir_segments::{EventSink, StreamEnd};

use super::block::Block;
use super::config::Config;
use super::gate::Gate;
use crate::diagnostics::PUSH_AFTER_FINISH;
use crate::engine::{Framing, Output, ReasoningState, Run, free_note};
use crate::meter::Meter;
use crate::policy::{Names, TextPolicy};
use crate::protocol::Decoder;
use crate::request::{Reasoning, Request, StartState};

/// Where the decoder is.
#[derive(Debug)]
pub(super) enum State {
    Text,
    Reasoning,
    Gate(Box<Gate>),
    Block(Box<Block>),
}

/// Reads one stream.
#[derive(Debug)]
pub(super) struct SegmentsDecoder {
    pub(super) config: Arc<Config>,
    pub(super) request: Request,
    pub(super) state: State,
    pub(super) scanner: Scanner,
    pub(super) out: Output,
    pub(super) run: Run,
    pub(super) framing: Framing,
    pub(super) reasoning: ReasoningState,
    pub(super) attribution: Attribution,
    /// Text to read again, before anything new; the last one first.
    pending: Vec<(String, usize)>,
    received: u64,
    /// Blocks begun.
    pub(super) blocks: usize,
    pub(super) limit_reported: bool,
    pub(super) finished: bool,
    late: bool,
    pub(super) looked: Meter,
}

impl SegmentsDecoder {
    pub(super) fn new(config: Arc<Config>, request: &Request) -> Self {
        let policy = request.policies.text.unwrap_or(TextPolicy::PreserveAll);
        let off = request.reasoning == Reasoning::Off;
        let opened = request.start_state == StartState::Reasoning && config.section.is_some();
        Self {
            state: if opened && !off { State::Reasoning } else { State::Text },
            scanner: Scanner::new(),
            out: Output::new(request.emit, request.limits.max_diagnostics),
            run: Run::at_start(policy),
            framing: Framing::default(),
            reasoning: ReasoningState::new(off),
            attribution: Attribution::default(),
            pending: Vec::new(),
            received: 0,
            blocks: 0,
            limit_reported: false,
            finished: false,
            late: false,
            looked: Meter::default(),
            config,
            request: request.clone(),
        }
    }

    pub(super) fn names_declared(&self) -> bool {
        self.request.policies.names == Some(Names::Declared)
    }

    /// Reads again what must be, then the chunk.
    pub(super) fn feed(&mut self, chunk: &str, sink: &mut dyn EventSink) {
        let mut input = chunk;
        loop {
            while let Some((text, from)) = self.pending.pop() {
                let below = self.pending.len();
                let mut rest = text.get(from..).unwrap_or_default();
                self.step(&mut rest, sink);
                if !rest.is_empty() {
                    let read = text.len() - rest.len();
                    self.pending.insert(below, (text, read));
                }
            }
            if input.is_empty() {
                return;
            }
            self.step(&mut input, sink);
        }
    }

    /// Runs the states until the text is consumed or something must be read again first.
    fn step(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let depth = self.pending.len();
        while !input.is_empty() && self.pending.len() == depth {
            if self.framing.is_active() {
                self.read_framing(input, sink);
                continue;
            }
            match &self.state {
                State::Text => self.read_text(input, sink),
                State::Reasoning => self.read_reasoning(input, sink),
                State::Gate(_) => self.read_gate(input, sink),
                State::Block(_) => self.read_block(input, sink),
            }
        }
    }

    /// Makes text the next thing to be read.
    pub(super) fn read_again(&mut self, text: String) {
        if !text.is_empty() {
            self.pending.push((text, 0));
        }
    }

    pub(super) fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }
}

impl Decoder for SegmentsDecoder {
    fn push(&mut self, chunk: Chunk<'_>, sink: &mut dyn EventSink) {
        if self.finished {
            if !std::mem::replace(&mut self.late, true) {
                let message = "a chunk came after the end of the stream and was not read";
                free_note(PUSH_AFTER_FINISH, self.out.at, message, sink);
            }
            return;
        }
        if chunk.special.is_some() {
            self.attribution.push(self.received, &chunk);
            self.attribution.forget_before(self.out.at.saturating_sub(256));
        }
        self.received += chunk.text.len() as u64;
        self.feed(chunk.text, sink);
    }

    fn finish(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        if !std::mem::replace(&mut self.finished, true) {
            self.finish_stream(end, sink);
        }
    }

    #[cfg(feature = "meter")]
    fn examined(&self) -> u64 {
        let open = match &self.state {
            State::Gate(gate) => gate.looked.bytes(),
            State::Block(block) => block.reader.examined(),
            State::Text | State::Reasoning => 0,
        };
        self.looked.bytes() + self.scanner.examined() + open
    }
}
