//! What goes out, and what waits for a value: commas, a key, a colon, and the whitespace and comments
//! between them.

use core::ops::Range;

use super::guide::Guide;
use super::lookahead::Resume;
use super::{Comment, Frame, Halt, RawToken, Repair, Shape, Step, store};
use crate::chars::{is_line_end, is_repair_whitespace, is_strict_whitespace, is_zero_width};
use crate::diagnostic::{Code, ErrorKind, Span};
use crate::machine::{Kind, RawKind, Token};

impl Repair {
    /// A diagnostic of something that stands between the pending tokens.
    pub(super) fn repaired_pending(&mut self, code: Code, span: Span) {
        self.non_strict = true;
        if self.pending.is_empty() {
            self.report(code, span);
        } else {
            self.pending.push(RawToken::diagnostic(code, span));
        }
    }

    pub(super) fn pending(&mut self, kind: Kind<'static>, wire: &str, span: Span) {
        let wire = store(&mut self.pending_text, wire);
        self.pending.push(RawToken::new(kind, wire, span));
    }

    /// Where what waits for the next value begins.
    pub(super) fn pending_start(&self) -> Option<u64> {
        self.pending.first().map(|token| token.span.start)
    }

    pub(super) fn has_comma(&self) -> bool {
        self.pending.iter().any(|token| token.is(Kind::Comma))
    }

    /// A key, with the comma it needs, waits for its value.
    pub(super) fn pending_key(&mut self, key: &str, wire: &str, span: Span) -> Step {
        if wire.len() > self.options.max_held_bytes.saturating_add(2) {
            return Err(Halt::Error(ErrorKind::TooLarge));
        }
        if self.stack.last().is_some_and(|frame| frame.count > 0) && !self.has_comma() {
            self.comma_missing(span.start);
        }
        self.guide(|guide| guide.key(key, span));
        let key = store(&mut self.pending_text, key);
        let wire = store(&mut self.pending_text, wire);
        self.pending.push(RawToken { kind: RawKind::Key(key), wire, span });
        if let Some(frame) = self.stack.last_mut()
            && !frame.count_key(self.options.max_keys)
        {
            return Err(Halt::Error(ErrorKind::TooManyKeys));
        }
        Ok(())
    }

    /// A comma that is missing before the next member or entry.
    fn comma_missing(&mut self, at: u64) {
        self.non_strict = true;
        self.guide(|guide| guide.fault(Span::empty(at)));
        self.pending.push(RawToken::diagnostic(Code::MissingComma, Span::empty(at)));
        self.pending(Kind::Comma, ",", Span::empty(at));
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
                self.comma_missing(at);
            }
            self.guide(Guide::entry);
        }
        self.flush_pending();
    }

    fn flush_pending(&mut self) {
        let mut pending = core::mem::take(&mut self.pending);
        for mut token in pending.drain(..) {
            if let RawKind::Key(key) = &mut token.kind {
                let text = self.pending_text.get(key.clone()).unwrap_or_default();
                *key = store(&mut self.arena, text);
            }
            self.store_wire(&mut token);
            self.queue.push_back(token);
        }
        // Its room serves what waits next.
        self.pending = pending;
        self.pending_text.clear();
    }

    /// Stores the wire text of a token that waited with those of the queue, if it is not always the same.
    #[inline]
    fn store_wire(&mut self, token: &mut RawToken) {
        if matches!(token.kind, RawKind::Plain(kind) if kind.fixed().is_some()) {
            return;
        }
        // Whitespace whose source is kept is not stored again.
        let wire = match self.kept {
            Some(_) if token.is(Kind::Whitespace) => {
                let start = token.span.start.saturating_sub(self.base);
                let text = usize::try_from(start).ok().and_then(|at| self.window.get(at..));
                text.and_then(|text| text.get(..token.wire.len()))
            }
            _ => self.pending_text.get(token.wire.clone()),
        };
        token.wire = store(&mut self.arena, wire.unwrap_or_default());
    }

    /// No value comes: commas and a key that wait go, with these diagnostics; whitespace stays.
    pub(super) fn drop_pending(&mut self, comma: Code, key: Code) {
        let mut pending = core::mem::take(&mut self.pending);
        for mut token in pending.drain(..) {
            let code = match token.kind {
                RawKind::Plain(Kind::Comma) if token.span.start < token.span.end => comma,
                RawKind::Plain(Kind::Comma) => continue,
                RawKind::Key(_) | RawKind::Plain(Kind::Colon) => key,
                RawKind::Plain(_) => {
                    self.store_wire(&mut token);
                    self.queue.push_back(token);
                    continue;
                }
            };
            let is_key = matches!(token.kind, RawKind::Key(_));
            let mut frames = self.stack.iter_mut().rev();
            if let Some(frame) = frames.find(|frame| is_key && frame.shape == Shape::Object) {
                frame.count = frame.count.saturating_sub(1);
            }
            self.repaired(code, token.span);
        }
        // Its room serves what waits next.
        self.pending = pending;
        self.pending_text.clear();
    }
}

impl Repair {
    /// Makes room for new texts once all tokens are out.
    pub(super) fn recycle(&mut self) {
        if self.queue.is_empty() {
            self.arena.clear();
        }
    }

    /// A token as it is handed out. In line: one that is moved is read back before the processor
    /// has written it.
    #[inline(always)]
    pub(super) fn token(&self, token: RawToken) -> Token<'_> {
        let RawToken { kind, wire, span } = token;
        let text = |range: Range<usize>| self.arena.get(range).unwrap_or_default();
        let (kind, wire) = match kind {
            RawKind::Plain(kind) => (kind, kind.fixed().unwrap_or_else(|| text(wire.clone()))),
            RawKind::Key(key) => (Kind::Key(text(key)), text(wire)),
        };
        Token { kind, wire, span }
    }

    /// Puts a token in the queue that has the same text everywhere.
    pub(super) fn emit_fixed(&mut self, kind: Kind<'static>, span: Span) {
        self.queue.push_back(RawToken::new(kind, 0..0, span));
    }

    /// Puts a token in the queue.
    pub(super) fn emit(&mut self, kind: Kind<'static>, wire: &str, span: Span) {
        let wire = if kind.fixed().is_none() { store(&mut self.arena, wire) } else { 0..0 };
        self.queue.push_back(RawToken::new(kind, wire, span));
    }

    pub(super) fn report(&mut self, code: Code, span: Span) {
        self.queue.push_back(RawToken::diagnostic(code, span));
    }

    /// A diagnostic of a repair: from here on wire texts are compact.
    pub(super) fn repaired(&mut self, code: Code, span: Span) {
        self.non_strict = true;
        self.report(code, span);
    }

    /// Opens a container; an empty span and no wire for brackets that count for nothing.
    pub(super) fn open(&mut self, frame: Frame, span: Span) -> Step {
        if self.stack.len() >= self.options.max_depth {
            return Err(Halt::Error(ErrorKind::TooDeep));
        }
        if frame.shape != Shape::Group {
            let object = frame.shape == Shape::Object;
            self.begin_value();
            self.emit_fixed(if object { Kind::ObjectStart } else { Kind::ArrayStart }, span);
        }
        self.guide(|guide| guide.open(frame.shape, frame.implied));
        self.stack.push(frame);
        Ok(())
    }
}

/// Whitespace and comments.
impl Repair {
    /// Whitespace, of which nothing stays once the input has non_strict.
    pub(super) fn whitespace(&mut self, bytes: usize, strict: bool) {
        let pos = self.pos;
        self.non_strict |= !strict;
        let span = self.take(bytes);
        self.with_window(pos..self.pos, |this, text| {
            let text = if this.non_strict { "" } else { text };
            match this.pending.is_empty() {
                true => this.emit(Kind::Whitespace, text, span),
                false => this.pending_whitespace(text, span),
            }
        });
    }

    /// Whitespace in a row among the pending tokens is one token: they stay few. Where it is more than
    /// may be held, all of it goes.
    fn pending_whitespace(&mut self, text: &str, span: Span) {
        let last = self.pending.last_mut().filter(|last| last.span.end == span.start);
        match last {
            Some(last) if last.is(Kind::Whitespace) => {
                if self.kept.is_none() {
                    self.pending_text.push_str(text);
                }
                (last.wire.end, last.span.end) = (last.wire.end + text.len(), span.end);
            }
            Some(last) if last.is(Kind::Diagnostic(Code::BlankRun)) => last.span.end = span.end,
            _ if self.kept.is_some() => {
                self.pending.push(RawToken::new(Kind::Whitespace, 0..text.len(), span));
            }
            _ => self.pending(Kind::Whitespace, text, span),
        }
        // Where sources are kept, the whitespace is in the window, and that is bounded.
        if self.kept.is_none()
            && self.pending_text.len() > self.options.max_held_bytes
            && let Some(run) = self.pending.pop_if(|last| last.is(Kind::Whitespace))
        {
            self.pending_text.truncate(run.wire.start);
            self.repaired_pending(Code::BlankRun, run.span);
        }
    }

    /// Takes whitespace, or the beginning of a comment, at the front; whether there were any.
    pub(super) fn whitespace_step(&mut self) -> Result<bool, Halt> {
        let Some(first) = self.first()? else { return Ok(false) };
        if first.is_ascii_graphic() && !matches!(first, '#' | '/' | '\\') {
            return Ok(false);
        }
        let run = self.rest().bytes().take_while(|&byte| is_strict_whitespace(byte)).count();
        self.meter.count(run);
        if run > 0 {
            self.whitespace(run, true);
            return Ok(true);
        }
        if is_repair_whitespace(first) {
            let length = first.len_utf8();
            if is_zero_width(first) {
                self.skip(length, Code::OtherBlank)?;
                return Ok(true);
            }
            if first == '\u{feff}' && self.offset() == self.root.base {
                self.report(Code::ByteOrderMark, self.span(length));
            }
            self.whitespace(length, false);
            return Ok(true);
        }
        if self.is_cut_mark(first) {
            self.skip(1, Code::Skipped)?;
            return Ok(true);
        }
        if first == '\\'
            && (self.escaped || self.lookahead(0).escaped_whitespace_run()?)
            && self.lookahead(0).escaped_whitespace()?
        {
            self.escaped_document();
            self.whitespace(2, false);
            return Ok(true);
        }
        let lookahead = self.lookahead(0);
        let comment = match first {
            '#' => (1, Comment::Line),
            '/' if lookahead.starts_with("//")? => (2, Comment::Line),
            '/' if lookahead.starts_with("/*")? => (2, Comment::Block),
            _ => return Ok(false),
        };
        self.whitespace(comment.0, false);
        self.comment = Some(comment.1);
        Ok(true)
    }

    /// Whether the end of the input cut the mark of a comment, or the quote of an escaped document.
    fn is_cut_mark(&self, first: char) -> bool {
        let mark = first == '/' || (first == '\\' && self.escaped);
        mark && self.ended && self.rest().len() == 1 && !self.stack.is_empty()
    }

    /// Goes on with a comment.
    pub(super) fn comment(&mut self, comment: Comment) -> Step {
        let rest = self.rest();
        if rest.is_empty() && self.ended {
            self.comment = None;
            if comment == Comment::Block {
                self.repaired_pending(Code::OpenComment, self.here());
            }
            return Ok(());
        }
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
        self.meter.run(end, rest);
        if end == 0 && !done {
            return Err(Halt::until(Resume::Any));
        }
        if end > 0 {
            self.whitespace(end, false);
        }
        if done {
            self.comment = None;
        }
        Ok(())
    }
}
