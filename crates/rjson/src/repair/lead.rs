//! What waits for the next value: a comma, a key, a colon, and the blanks and notes between.

use core::ops::Range;

use super::{Halt, Repair, Shape, Step};
use super::{RawToken, store};
use crate::diagnostic::Code;
use crate::error::ErrorKind;
use crate::machine::{Kind, RawKind};

/// Where the texts of what waits are.
struct Waits<'a> {
    text: &'a str,
    window: &'a str,
    base: u64,
}

impl Waits<'_> {
    /// The wire text of a piece. Blanks whose source is kept are not stored again.
    fn wire(&self, piece: &RawToken, kept: Option<u64>) -> &str {
        if kept.is_none() || !piece.is(Kind::Whitespace) {
            return self.text.get(piece.wire.clone()).unwrap_or_default();
        }
        let start = usize::try_from(piece.start.saturating_sub(self.base)).unwrap_or(usize::MAX);
        let text = self.window.get(start..).unwrap_or_default();
        text.get(..piece.wire.len()).unwrap_or_default()
    }
}

impl Repair {
    /// A note of something that stands between the pieces of the lead.
    pub(super) fn mend_lead(&mut self, make: Code, span: (u64, u64)) {
        self.deviated = true;
        if self.lead.is_empty() {
            self.note(make, span);
        } else {
            self.lead.push(RawToken::diagnostic(make, span));
        }
    }

    pub(super) fn lead(&mut self, kind: Kind<'static>, wire: &str, span: (u64, u64)) {
        let wire = store(&mut self.lead_text, wire);
        self.lead.push(RawToken::new(kind, wire, span));
    }

    /// A comma that waits for the value behind it.
    pub(super) fn lead_comma(&mut self, span: (u64, u64)) {
        self.lead(Kind::Comma, ",", span);
    }

    /// Where what waits for the next value begins.
    pub(super) fn lead_start(&self) -> Option<u64> {
        self.lead.first().map(|piece| piece.start)
    }

    pub(super) fn has_comma(&self) -> bool {
        self.lead.iter().any(|piece| piece.is(Kind::Comma))
    }

    /// A key, with the comma it needs, waits for its value.
    pub(super) fn lead_key(&mut self, key: &str, wire: &str, span: (u64, u64)) -> Step {
        if wire.len() > self.options.max_held_bytes.saturating_add(2) {
            return Err(Halt::Error(ErrorKind::TooLarge));
        }
        self.lead_separator(span.0);
        if let Some(guide) = &mut self.guide {
            guide.key(key, span);
        }
        let key = store(&mut self.lead_text, key);
        let wire = store(&mut self.lead_text, wire);
        self.lead.push(RawToken { kind: RawKind::Key(key), wire, start: span.0, end: span.1 });
        if let Some(frame) = self.stack.last_mut() {
            if !frame.count_key(self.options.max_keys) {
                return Err(Halt::Error(ErrorKind::TooManyKeys));
            }
        }
        Ok(())
    }

    pub(super) fn lead_colon(&mut self, span: (u64, u64)) {
        self.lead(Kind::Colon, ":", span);
    }

    /// A comma that is missing before the next member or entry.
    fn lead_separator(&mut self, at: u64) {
        let needed = self.top().is_some_and(|frame| frame.count > 0);
        if needed && !self.has_comma() {
            self.deviated = true;
            self.comma_missing(at);
        }
    }

    fn comma_missing(&mut self, at: u64) {
        if let Some(guide) = &mut self.guide {
            guide.fault((at, at));
        }
        self.lead.push(RawToken::diagnostic(Code::MissingComma, (at, at)));
        self.lead_comma((at, at));
    }

    /// A value begins: what led to it goes out.
    pub(super) fn begin_value(&mut self) {
        let at = self.offset();
        // Brackets around a value are transparent: what they stand in counts.
        let place = self.stack.iter().rposition(|frame| frame.shape != Shape::Group);
        if let Some(frame) = place.and_then(|place| self.stack.get_mut(place))
            && frame.shape == Shape::Array
        {
            let first = frame.count == 0;
            frame.count = frame.count.saturating_add(1);
            if !first && !self.has_comma() {
                self.deviated = true;
                self.comma_missing(at);
            }
            if let Some(guide) = &mut self.guide {
                guide.entry();
            }
        }
        self.flush_lead();
    }

    fn flush_lead(&mut self) {
        let waits = Waits { text: &self.lead_text, window: &self.window, base: self.base };
        for mut piece in self.lead.drain(..) {
            let mut moved = |range: &mut Range<usize>| {
                let text = self.lead_text.get(range.clone()).unwrap_or_default();
                *range = store(&mut self.arena, text);
            };
            match &mut piece.kind {
                RawKind::Plain(kind) if kind.fixed().is_some() => {}
                RawKind::Plain(_) => {
                    piece.wire = store(&mut self.arena, waits.wire(&piece, self.kept));
                }
                RawKind::Key(key) => {
                    moved(key);
                    moved(&mut piece.wire);
                }
            }
            self.queue.push_back(piece);
        }
        self.lead_text.clear();
    }

    /// No value comes: commas and a key that wait go, with these notes; blanks stay.
    pub(super) fn drop_lead(&mut self, comma: Code, key: Code) {
        let mut lead = core::mem::take(&mut self.lead);
        for mut piece in lead.drain(..) {
            let make = match piece.kind {
                RawKind::Plain(Kind::Comma) if piece.start < piece.end => comma,
                RawKind::Plain(Kind::Comma) => continue,
                RawKind::Key(_) | RawKind::Plain(Kind::Colon) => key,
                RawKind::Plain(_) => {
                    let waits =
                        Waits { text: &self.lead_text, window: &self.window, base: self.base };
                    piece.wire = store(&mut self.arena, waits.wire(&piece, self.kept));
                    self.queue.push_back(piece);
                    continue;
                }
            };
            let is_key = matches!(piece.kind, RawKind::Key(_));
            let mut frames = self.stack.iter_mut().rev();
            if let Some(frame) = frames.find(|frame| is_key && frame.shape == Shape::Object) {
                frame.count = frame.count.saturating_sub(1);
            }
            self.deviated = true;
            self.note(make, (piece.start, piece.end));
        }
        // Its room serves what waits next.
        self.lead = lead;
        self.lead_text.clear();
    }
}
