//! Tokens: made here, kept in order, and handed out with texts of one arena.

use core::ops::Range;

use alloc::string::String;

use super::look::{is_blank, is_line_end, is_zero_width};
use super::{Comment, Frame, Halt, Repair, Shape, Step};
use crate::error::{Diagnostic, ErrorKind};
use crate::machine::{Kind, Token};

/// A token whose texts are ranges of an arena.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    kind: PieceKind,
    wire: Range<usize>,
    start: u64,
    end: u64,
}

#[derive(Debug, Clone)]
enum PieceKind {
    Plain(Kind<'static>),
    /// The decoded key.
    Key(Range<usize>),
}

fn store(arena: &mut String, text: &str) -> Range<usize> {
    let start = arena.len();
    arena.push_str(text);
    start..arena.len()
}

impl Repair {
    /// Makes room for new texts once all tokens are out.
    pub(super) fn recycle(&mut self) {
        if self.queue.is_empty() {
            self.arena.clear();
        }
    }

    pub(super) fn pop(&mut self) -> Option<Token<'_>> {
        let piece = self.queue.pop_front()?;
        let text = |range: &Range<usize>| self.arena.get(range.clone()).unwrap_or_default();
        let kind = match &piece.kind {
            PieceKind::Plain(kind) => *kind,
            PieceKind::Key(key) => Kind::Key(text(key)),
        };
        Some(Token { kind, wire: text(&piece.wire), start: piece.start, end: piece.end })
    }

    pub(super) fn emit(&mut self, kind: Kind<'static>, wire: &str, span: (u64, u64)) {
        let wire = store(&mut self.arena, wire);
        let kind = PieceKind::Plain(kind);
        self.queue.push_back(Piece { kind, wire, start: span.0, end: span.1 });
    }

    pub(super) fn note(&mut self, note: Diagnostic) {
        self.emit(Kind::Note(note), "", (note.start, note.end));
    }

    /// A note of a repair: from here on wire texts are compact.
    pub(super) fn mend(&mut self, make: fn(u64, u64) -> Diagnostic, span: (u64, u64)) {
        self.deviated = true;
        self.note(make(span.0, span.1));
    }

    /// A note of something that stands between the pieces of the lead.
    pub(super) fn mend_lead(&mut self, make: fn(u64, u64) -> Diagnostic, span: (u64, u64)) {
        self.deviated = true;
        let note = make(span.0, span.1);
        if self.lead.is_empty() {
            self.note(note);
        } else {
            self.lead(Kind::Note(note), "", span);
        }
    }

    fn lead(&mut self, kind: Kind<'static>, wire: &str, span: (u64, u64)) {
        let wire = store(&mut self.lead_text, wire);
        let kind = PieceKind::Plain(kind);
        self.lead.push(Piece { kind, wire, start: span.0, end: span.1 });
    }

    /// A comma that waits for the value behind it.
    pub(super) fn lead_comma(&mut self, span: (u64, u64)) {
        self.lead(Kind::Comma, ",", span);
    }

    pub(super) fn has_comma(&self) -> bool {
        self.lead.iter().any(|piece| matches!(piece.kind, PieceKind::Plain(Kind::Comma)))
    }

    /// A key, with the comma it needs, waits for its value.
    pub(super) fn lead_key(&mut self, key: &str, wire: &str, span: (u64, u64)) -> Step {
        if wire.len() > self.options.max_held_bytes.saturating_add(2) {
            return Err(Halt::Error(ErrorKind::TooLarge));
        }
        self.lead_separator(span.0);
        let key = store(&mut self.lead_text, key);
        let wire = store(&mut self.lead_text, wire);
        self.lead.push(Piece { kind: PieceKind::Key(key), wire, start: span.0, end: span.1 });
        if let Some(frame) = self.stack.last_mut() {
            if frame.count >= self.options.max_keys {
                return Err(Halt::Error(ErrorKind::TooManyKeys));
            }
            frame.count += 1;
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
            self.lead(Kind::Note(Diagnostic::missing_comma(at, at)), "", (at, at));
            self.lead_comma((at, at));
        }
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
            frame.count += 1;
            if !first && !self.has_comma() {
                self.deviated = true;
                self.lead(Kind::Note(Diagnostic::missing_comma(at, at)), "", (at, at));
                self.lead_comma((at, at));
            }
        }
        self.flush_lead();
    }

    fn flush_lead(&mut self) {
        for mut piece in self.lead.drain(..) {
            let mut moved = |range: &Range<usize>| {
                store(&mut self.arena, self.lead_text.get(range.clone()).unwrap_or_default())
            };
            piece.wire = moved(&piece.wire);
            if let PieceKind::Key(key) = &mut piece.kind {
                *key = moved(key);
            }
            self.queue.push_back(piece);
        }
        self.lead_text.clear();
    }

    /// No value comes: commas and a key that wait go, with these notes; blanks stay.
    pub(super) fn drop_lead(
        &mut self,
        comma: fn(u64, u64) -> Diagnostic,
        key: fn(u64, u64) -> Diagnostic,
    ) {
        for mut piece in core::mem::take(&mut self.lead) {
            let make = match piece.kind {
                PieceKind::Plain(Kind::Comma) if piece.start < piece.end => comma,
                PieceKind::Plain(Kind::Comma) => continue,
                PieceKind::Key(_) | PieceKind::Plain(Kind::Colon) => key,
                PieceKind::Plain(_) => {
                    let wire = self.lead_text.get(piece.wire.clone()).unwrap_or_default();
                    piece.wire = store(&mut self.arena, wire);
                    self.queue.push_back(piece);
                    continue;
                }
            };
            let is_key = matches!(piece.kind, PieceKind::Key(_));
            let mut frames = self.stack.iter_mut().rev();
            if let Some(frame) = frames.find(|frame| is_key && frame.shape == Shape::Object) {
                frame.count = frame.count.saturating_sub(1);
            }
            self.deviated = true;
            self.note(make(piece.start, piece.end));
        }
        self.lead_text.clear();
    }

    /// Opens a container; an empty span and no wire for brackets that count for nothing.
    pub(super) fn open(&mut self, frame: Frame, span: (u64, u64)) -> Step {
        if self.stack.len() >= self.options.max_depth {
            return Err(Halt::Error(ErrorKind::TooDeep));
        }
        match frame.shape {
            Shape::Object => {
                self.begin_value();
                self.emit(Kind::ObjectStart, "{", span);
            }
            Shape::Array => {
                self.begin_value();
                self.emit(Kind::ArrayStart, "[", span);
            }
            Shape::Group => {}
        }
        self.stack.push(frame);
        Ok(())
    }

    /// A blank, of which nothing stays once the input has deviated.
    pub(super) fn blank(&mut self, bytes: usize, strict: bool) {
        let (pos, start) = (self.pos, self.offset());
        self.deviated |= !strict;
        let span = self.take(bytes);
        let window = core::mem::take(&mut self.window);
        let text = window.get(pos..pos + bytes).filter(|_| !self.deviated).unwrap_or_default();
        if self.lead.is_empty() {
            self.emit(Kind::Blank, text, span);
        } else if self.lead_text.len() + text.len() > self.options.max_held_bytes {
            self.window = window;
            self.mend_lead(Diagnostic::blank_run, (start, span.1));
            return;
        } else {
            self.lead_blank(text, span);
        }
        self.window = window;
    }

    /// Blanks of the lead that follow each other are one piece: it stays small.
    fn lead_blank(&mut self, text: &str, span: (u64, u64)) {
        if let Some(last) = self.lead.last_mut()
            && matches!(last.kind, PieceKind::Plain(Kind::Blank))
            && last.end == span.0
            && last.wire.end == self.lead_text.len()
        {
            self.lead_text.push_str(text);
            last.wire.end = self.lead_text.len();
            last.end = span.1;
        } else {
            self.lead(Kind::Blank, text, span);
        }
    }

    /// Takes blanks, or the beginning of a comment, at the front; whether there were any.
    pub(super) fn blank_step(&mut self) -> Result<bool, Halt> {
        let Some(first) = self.first()? else { return Ok(false) };
        let strict = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let run = self.rest().bytes().take_while(|byte| strict(byte)).count();
        if run > 0 {
            self.blank(run, true);
            return Ok(true);
        }
        if is_blank(first) {
            let start = self.offset();
            let length = first.len_utf8();
            if is_zero_width(first) {
                let span = self.take(length);
                self.mend_lead(Diagnostic::other_blank, span);
                return Ok(true);
            }
            if first == '\u{feff}' && start == self.root.base {
                self.note(Diagnostic::byte_order_mark(start, start + 3));
            }
            self.blank(length, false);
            return Ok(true);
        }
        if self.escaped && first == '\\' {
            let look = self.look(0);
            for pattern in ["\\n", "\\r", "\\t"] {
                if look.starts_with(pattern)? {
                    self.blank(2, false);
                    return Ok(true);
                }
            }
        }
        let look = self.look(0);
        let comment = match first {
            '#' => (1, Comment::Line),
            '/' if look.starts_with("//")? => (2, Comment::Line),
            '/' if look.starts_with("/*")? => (2, Comment::Block),
            _ => return Ok(false),
        };
        self.blank(comment.0, false);
        self.comment = Some(comment.1);
        Ok(true)
    }

    /// Goes on with a comment.
    pub(super) fn comment(&mut self, comment: Comment) -> Step {
        if self.first()?.is_none() {
            self.comment = None;
            if comment == Comment::Block {
                let at = self.offset();
                self.mend_lead(Diagnostic::open_comment, (at, at));
            }
            return Ok(());
        }
        let rest = self.rest();
        let (end, done) = match comment {
            Comment::Line => match rest.find(is_line_end) {
                Some(at) => (at, true),
                None => (rest.len(), false),
            },
            Comment::Block => match rest.find("*/") {
                Some(at) => (at + 2, true),
                // A star at the end may be half of the closing mark.
                None if self.ended || !rest.ends_with('*') => (rest.len(), false),
                None => (rest.len() - 1, false),
            },
        };
        if end == 0 && !done {
            return Err(Halt::More);
        }
        if end > 0 {
            self.blank(end, false);
        }
        if done {
            self.comment = None;
        }
        Ok(())
    }
}
