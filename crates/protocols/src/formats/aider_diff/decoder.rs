//! The decoder: reasoning is read by the engine, what that takes for text by [`Blocks`], blocks by nobody
//! else.

use std::ops::Range;

use toolweir_segments::{Event, EventSink, Kind, StreamEnd};

use super::block::Blocks;
use crate::decoder::{Chunk, Decoder};

/// Reads one stream.
pub(super) struct AiderDecoder {
    /// What the prompt has written of the message, until it is read.
    prefix: String,
    /// Reads everything outside of blocks; none where no reasoning is looked for.
    inner: Option<Box<dyn Decoder>>,
    blocks: Blocks,
    /// Bytes that it was not given.
    skipped: u64,
    /// Its open segment is text.
    text: bool,
}

impl AiderDecoder {
    pub(super) fn new(inner: Option<Box<dyn Decoder>>, blocks: Blocks) -> Self {
        Self { prefix: blocks.request.prefix.clone(), inner, blocks, skipped: 0, text: false }
    }

    fn read_prefix(&mut self, sink: &mut dyn EventSink) {
        let prefix = std::mem::take(&mut self.prefix);
        if !prefix.is_empty() {
            self.push(Chunk::text(&prefix), sink);
        }
    }

    /// Reads text outside of blocks.
    fn outside(&mut self, chunk: Chunk<'_>, sink: &mut dyn EventSink) {
        let Self { inner, blocks, skipped, text, .. } = self;
        match inner {
            Some(inner) => inner.push(chunk, &mut Route { blocks, sink, skipped: *skipped, text }),
            None => blocks.text(chunk.text, sink),
        }
    }
}

/// Takes the text out of the events, and puts the rest in its place in the stream.
struct Route<'a> {
    blocks: &'a mut Blocks,
    sink: &'a mut dyn EventSink,
    skipped: u64,
    text: &'a mut bool,
}

impl EventSink for Route<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start { kind: Kind::Text, .. } => *self.text = true,
            Event::Delta(text) if *self.text => self.blocks.text(&text, self.sink),
            Event::End { .. } if *self.text => *self.text = false,
            Event::Finish => {}
            event => {
                if matches!(event, Event::Start { .. } | Event::Markup { .. }) {
                    self.blocks.interrupt(self.sink);
                }
                let ends = matches!(event, Event::End { .. } | Event::Markup { .. });
                self.blocks.out.relay(event, self.skipped, self.sink);
                if ends {
                    self.blocks.go_on();
                }
            }
        }
    }
}

/// The part of a chunk that stands at that place of it.
fn part(chunk: &Chunk<'_>, from: usize, to: usize) -> Option<Vec<Range<usize>>> {
    let special = chunk.special?;
    let first = special.partition_point(|range| range.end <= from);
    let within = special.iter().skip(first).take_while(|range| range.start < to);
    Some(within.map(|range| range.start.max(from) - from..range.end.min(to) - from).collect())
}

impl Decoder for AiderDecoder {
    fn push(&mut self, chunk: Chunk<'_>, sink: &mut dyn EventSink) {
        self.read_prefix(sink);
        if !self.blocks.intake.accept(&chunk, &self.blocks.out, sink) {
            return;
        }
        let mut rest = chunk.text;
        while !rest.is_empty() {
            let from = chunk.text.len() - rest.len();
            if self.blocks.is_open() {
                self.blocks.block(&mut rest, sink);
                self.skipped += (chunk.text.len() - rest.len() - from) as u64;
                continue;
            }
            let (now, later) = rest.split_at(self.blocks.text_up_to(rest));
            rest = later;
            let special = part(&chunk, from, from + now.len());
            match &special {
                Some(special) => self.outside(Chunk::attributed(now, special), sink),
                None => self.outside(Chunk::text(now), sink),
            }
        }
    }

    fn finish(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        self.read_prefix(sink);
        if !self.blocks.intake.finish() {
            return;
        }
        let Self { inner, blocks, skipped, text, .. } = self;
        if let Some(inner) = inner {
            inner.finish(end, &mut Route { blocks, sink, skipped: *skipped, text });
        }
        self.blocks.finish(sink);
    }

    #[cfg(feature = "meter")]
    fn examined(&self) -> u64 {
        self.inner.as_ref().map_or(0, |inner| inner.examined()) + self.blocks.examined()
    }
}
