//! Line breaks and whitespace at the edges of a value, which belong to the markup.

use super::Params;
use crate::engine::{Ctx, is_whitespace};
use crate::program::{Cut, Trim};

impl Params {
    /// Takes a piece of the value.
    #[inline]
    pub(crate) fn text(&mut self, text: &str, ctx: &mut Ctx<'_>) {
        let trim = self.trim;
        self.line_start = text.ends_with('\n');
        if trim == Trim::NONE {
            self.begun |= !text.is_empty();
            return self.piece(text, ctx);
        }
        let mut text = text;
        if !self.begun {
            text = match trim.first {
                Cut::Nothing => text,
                Cut::LineBreak => self.first_break(text, ctx),
                Cut::Whitespace => text.trim_start_matches(is_whitespace),
            };
        }
        if text.is_empty() {
            return;
        }
        self.begun = true;
        match trim.last {
            Cut::Nothing => self.piece(text, ctx),
            // The first line break tells whether the last one has a carriage return.
            Cut::LineBreak if trim.first == Cut::LineBreak && !self.crlf => {
                if std::mem::take(&mut self.newline) {
                    self.piece("\n", ctx);
                }
                let shorter = text.strip_suffix('\n');
                self.newline = shorter.is_some();
                self.piece(shorter.unwrap_or(text), ctx);
            }
            Cut::LineBreak => self.last_break(text, ctx),
            Cut::Whitespace => self.trimmed(text, ctx),
        }
    }

    /// The value without the line break that it begins with.
    fn first_break<'t>(&mut self, text: &'t str, ctx: &mut Ctx<'_>) -> &'t str {
        let text = match text {
            "" => return "",
            "\r" if !self.first_return => {
                self.first_return = true;
                return "";
            }
            _ => text,
        };
        self.begun = true;
        let returned = std::mem::take(&mut self.first_return);
        let rest = if returned { text } else { text.strip_prefix('\r').unwrap_or(text) };
        match rest.strip_prefix('\n') {
            Some(after) => {
                self.crlf = returned || rest.len() < text.len();
                after
            }
            None => {
                if returned {
                    self.piece("\r", ctx);
                }
                text
            }
        }
    }

    /// A piece of a value whose last line break, with a carriage return or without, waits.
    pub(super) fn last_break(&mut self, text: &str, ctx: &mut Ctx<'_>) {
        if self.edge.is_empty() && !text.ends_with(['\n', '\r']) {
            return self.piece(text, ctx);
        }
        let mut whole = std::mem::take(&mut self.edge);
        whole.push_str(text);
        let ends = ["\r\n", "\n", "\r"];
        let body = ends.iter().find_map(|end| whole.strip_suffix(end)).unwrap_or(&whole);
        if !body.is_empty() {
            self.piece(body, ctx);
        }
        self.edge = whole.split_off(body.len());
    }

    /// A piece of a value whose end is cut: whitespace waits for what follows it.
    fn trimmed(&mut self, text: &str, ctx: &mut Ctx<'_>) {
        let body = text.trim_end_matches(is_whitespace);
        if !body.is_empty() {
            let waiting = std::mem::take(&mut self.edge);
            self.piece(&waiting, ctx);
            self.piece(body, ctx);
        }
        self.edge.push_str(text.get(body.len()..).unwrap_or_default());
    }

    /// The value ends at a line break that the next opener brings along: it may be cut; the one before
    /// it is the value's.
    pub(crate) fn line_break(&mut self, ctx: &mut Ctx<'_>) {
        let waits = self.crlf || self.trim.first != Cut::LineBreak;
        if self.trim.last == Cut::LineBreak && waits {
            return self.last_break("\n", ctx);
        }
        // It is the one that the value begins with.
        if std::mem::take(&mut self.first_return) {
            return;
        }
        if std::mem::replace(&mut self.newline, true) {
            self.piece("\n", ctx);
        }
    }
}
