//! Text, and chunks of text, through a decoder.

use std::io::Read;

use toolweir::{Decoder, Diagnostic, Severity, Span, StreamEnd, protocols::Chunk};

use super::shown::Shown;
use crate::args::{Input, Reading};
use crate::failure::Failure;
use crate::input::{self, Cut, Feed, Replaced};

/// One text on its way from the input to the output.
pub(super) struct Text<'s, 'o, 'w> {
    decoder: Box<dyn Decoder>,
    shown: &'s mut Shown<'o, 'w>,
    /// Whether offsets in the text are offsets in the input.
    map: bool,
    /// How many parts that are not UTF-8 are still told one by one.
    to_tell: usize,
    /// The further ones: how many, and from where to where.
    untold: Option<(u64, Span)>,
}

impl<'s, 'o, 'w> Text<'s, 'o, 'w> {
    /// So many parts that are not UTF-8 are told one by one.
    pub(super) fn new(
        decoder: Box<dyn Decoder>,
        most: usize,
        shown: &'s mut Shown<'o, 'w>,
    ) -> Self {
        let map = !shown.view.places_in_text();
        Self { decoder, shown, map, to_tell: most, untold: None }
    }

    /// Reads the input to its end.
    pub(super) fn read(
        mut self,
        reading: &Reading,
        reader: &mut dyn Read,
        name: &str,
    ) -> Result<(), Failure> {
        let cut = reading.chunk.unwrap_or(Cut::Arrival);
        if reading.input == Input::Chunks {
            self.map = false;
            input::read_chunks(reader, name, cut, &mut self)?;
        } else {
            input::read_text(reader, name, cut, &mut self)?;
        }
        self.finish(reading.end.unwrap_or_default())
    }

    fn finish(&mut self, end: StreamEnd) -> Result<(), Failure> {
        if let Some((count, span)) = self.untold.take() {
            self.tell(span, format!("{count} further parts are not UTF-8"))?;
        }
        self.shown.ends_with(end);
        let decoder = &mut self.decoder;
        self.shown.drive(|sink| decoder.finish(end, sink))
    }

    fn tell(&mut self, span: Span, message: String) -> Result<(), Failure> {
        let told = Diagnostic::new("input::invalid-utf8", Severity::Warning, span, message);
        self.shown.tell(told.with_help("the text is decoded with U+FFFD in their place"))
    }
}

impl Feed for Text<'_, '_, '_> {
    fn chunk(&mut self, text: &str) -> Result<(), Failure> {
        let Self { decoder, shown, .. } = self;
        shown.reads(text);
        shown.drive(|sink| decoder.push(Chunk::text(text), sink))?;
        shown.chunk_end()
    }

    fn replaced(&mut self, part: Replaced) -> Result<(), Failure> {
        if self.map {
            self.shown.offsets.note(part);
        }
        let span = Span::new(part.input, part.input + part.len);
        let Some(left) = self.to_tell.checked_sub(1) else {
            let (count, all) = self.untold.unwrap_or((0, span));
            self.untold = Some((count + 1, Span::new(all.start, span.end)));
            return Ok(());
        };
        self.to_tell = left;
        let message = match part.len {
            1 => format!("the byte at {} is not UTF-8", part.input),
            len => format!("the {len} bytes from {} are not UTF-8", part.input),
        };
        self.tell(span, message)
    }
}
