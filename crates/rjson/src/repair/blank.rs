//! Blanks and comments between tokens.

use super::RawToken;
use super::marks::{is_blank, is_line_end, is_zero_width};
use super::wake::Wake;
use super::{Comment, Halt, Repair, Step};
use crate::diagnostic::Code;
use crate::machine::Kind;

impl Repair {
    /// A blank, of which nothing stays once the input has deviated.
    pub(super) fn blank(&mut self, bytes: usize, strict: bool) {
        let pos = self.pos;
        self.deviated |= !strict;
        let span = self.take(bytes);
        let window = core::mem::take(&mut self.window);
        let text = window.get(pos..pos + bytes).filter(|_| !self.deviated).unwrap_or_default();
        if self.lead.is_empty() {
            self.emit(Kind::Whitespace, text, span);
        } else {
            self.lead_blank(text, span);
        }
        self.window = window;
    }

    /// Blanks of the lead that follow each other are one piece: it stays small. Where they are more
    /// than may be held, all of them go.
    fn lead_blank(&mut self, text: &str, span: (u64, u64)) {
        let last = self.lead.last_mut().filter(|last| last.end == span.0);
        match last {
            Some(last) if last.is(Kind::Whitespace) => {
                if self.kept.is_none() {
                    self.lead_text.push_str(text);
                }
                (last.wire.end, last.end) = (last.wire.end + text.len(), span.1);
            }
            Some(last) if last.is(Kind::Diagnostic(Code::BlankRun)) => last.end = span.1,
            _ if self.kept.is_some() => {
                self.lead.push(RawToken::new(Kind::Whitespace, 0..text.len(), span));
            }
            _ => self.lead(Kind::Whitespace, text, span),
        }
        // Where sources are kept, the blanks are in the window, and that is bounded.
        if self.kept.is_none()
            && self.lead_text.len() > self.options.max_held_bytes
            && let Some(run) = self.lead.pop_if(|last| last.is(Kind::Whitespace))
        {
            self.lead_text.truncate(run.wire.start);
            self.mend_lead(Code::BlankRun, (run.start, run.end));
        }
    }

    /// Takes blanks, or the beginning of a comment, at the front; whether there were any.
    pub(super) fn blank_step(&mut self) -> Result<bool, Halt> {
        let Some(first) = self.first()? else { return Ok(false) };
        if first.is_ascii_graphic() && !matches!(first, '#' | '/' | '\\') {
            return Ok(false);
        }
        let strict = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let run = self.rest().bytes().take_while(|byte| strict(byte)).count();
        self.meter.count(run);
        if run > 0 {
            self.blank(run, true);
            return Ok(true);
        }
        if is_blank(first) {
            let start = self.offset();
            let length = first.len_utf8();
            if is_zero_width(first) {
                let span = self.take(length);
                self.mend_lead(Code::OtherBlank, span);
                return Ok(true);
            }
            if first == '\u{feff}' && start == self.root.base {
                self.note(Code::ByteOrderMark, (start, start + 3));
            }
            self.blank(length, false);
            return Ok(true);
        }
        if self.is_cut_mark(first) {
            let span = self.take(1);
            self.mend_lead(Code::Skipped, span);
            return Ok(true);
        }
        if first == '\\' && (self.escaped || self.look(0).escaped_blanks()?) {
            let at = self.offset();
            if self.look(0).escaped_blank()? {
                self.escaped_document(at);
                self.blank(2, false);
                return Ok(true);
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

    /// Whether the end of the input cut the mark of a comment, or the quote of an escaped document.
    fn is_cut_mark(&self, first: char) -> bool {
        let mark = first == '/' || (first == '\\' && self.escaped);
        mark && self.ended && self.rest().len() == 1 && !self.stack.is_empty()
    }

    /// Goes on with a comment.
    pub(super) fn comment(&mut self, comment: Comment) -> Step {
        let rest = self.rest();
        if rest.is_empty() && !self.ended {
            return Err(Halt::until(Wake::Any));
        }
        if rest.is_empty() {
            self.comment = None;
            if comment == Comment::Block {
                let at = self.offset();
                self.mend_lead(Code::OpenComment, (at, at));
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
            return Err(Halt::until(Wake::Any));
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
