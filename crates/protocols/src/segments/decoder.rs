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

use toolweir_markers::{Chunk, Scanner};
use toolweir_segments::{EventSink, StreamEnd};

use super::block::Block;
use super::config::Config;
use super::gate::Gate;
use crate::decoder::Decoder;
use crate::engine::{Framing, Intake, Output, ReasoningState, Run, Steps};
#[cfg(feature = "meter")]
use crate::meter::Meter;
use crate::policy::{Names, TextPolicy};
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
    pub(super) intake: Intake,
    /// Blocks begun.
    pub(super) blocks: usize,
    #[cfg(feature = "meter")]
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
            reasoning: ReasoningState::new(off, opened && !off),
            intake: Intake::default(),
            blocks: 0,
            #[cfg(feature = "meter")]
            looked: Meter::default(),
            config,
            request: request.clone(),
        }
    }

    pub(super) fn names_declared(&self) -> bool {
        self.request.policies.names == Some(Names::Declared)
    }

    /// Makes text the next thing to be read.
    pub(super) fn read_again(&mut self, text: String) {
        self.intake.read_again(text);
    }
}

impl Steps for SegmentsDecoder {
    fn intake(&mut self) -> &mut Intake {
        &mut self.intake
    }

    fn step(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let depth = self.intake.depth();
        while !input.is_empty() && self.intake.depth() == depth {
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
}

impl Decoder for SegmentsDecoder {
    fn push(&mut self, chunk: Chunk<'_>, sink: &mut dyn EventSink) {
        if self.intake.accept(&chunk, &self.out, sink) {
            self.feed_all(chunk.text, sink);
        }
    }

    fn finish(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        if self.intake.finish() {
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
