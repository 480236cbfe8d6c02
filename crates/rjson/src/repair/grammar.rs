//! What follows what, and what is put in or left out where it does not fit.

use super::levels::Levels;
use super::look::{Ahead, Seen, Tri};
use super::marks::{is_blank, is_closer, is_comma};
use super::wake::Wake;
use super::{Frame, Halt, Repair, Shape, State, Step};
use crate::diagnostic::Code;
use crate::machine::Kind;

impl Repair {
    /// A value is complete: what comes next.
    pub(super) fn value_done(&mut self) {
        self.state = if self.stack.is_empty() { State::Root } else { State::Next };
        if self.stack.is_empty() {
            self.root_done();
        }
    }

    /// Behind a colon.
    pub(super) fn value_step(&mut self) -> Step {
        let Some(c) = self.first()? else { return self.missing_value() };
        if is_comma(c) || matches!(c, '}' | ']') || (c == ')' && self.closes_bracket(')')) {
            return self.missing_value();
        }
        if self.fence_ends_input(c)? {
            return self.close_all();
        }
        if matches!(c, ':' | '=' | '：' | '>') {
            let span = self.take(c.len_utf8());
            self.mend_lead(Code::Skipped, span);
            return Ok(());
        }
        self.any_value(c)
    }

    /// A key without a value has `null`.
    pub(super) fn missing_value(&mut self) -> Step {
        let at = self.offset();
        if self.state == State::Colon {
            self.lead_colon((at, at));
        }
        self.mend_lead(Code::MissingValue, (at, at));
        self.begin_value();
        self.emit_fixed(Kind::Null, (at, at));
        self.value_done();
        Ok(())
    }

    /// An entry of an array, or its end.
    pub(super) fn entry_step(&mut self) -> Step {
        let Some(c) = self.first()? else { return self.close_all() };
        if is_comma(c) {
            let span = self.take(c.len_utf8());
            self.mend_lead(Code::ExtraComma, span);
            return Ok(());
        }
        if matches!(c, '}' | ']') || (c == ')' && self.closes_bracket(')')) {
            return self.close_step(c);
        }
        if self.fence_ends_input(c)? {
            return self.close_all();
        }
        if self.elided()? {
            return Ok(());
        }
        if matches!(c, ':' | '=' | ')') {
            let span = self.take(1);
            self.mend_lead(Code::Skipped, span);
            return Ok(());
        }
        if self.implied_ahead(c)? {
            return self.open_implied();
        }
        self.any_value(c)
    }

    /// Whether a quoted key and a colon stand where a value is due.
    pub(super) fn implied_ahead(&self, c: char) -> Ahead<bool> {
        let mut look = self.look(0);
        let escaped = c == '\\' && look.starts_with("\\\"")?;
        look.escaped |= escaped;
        let quoted = Self::opening_quote(c).is_some() || escaped;
        Ok(quoted && look.member_start(true)? == Tri::Yes)
    }

    pub(super) fn open_implied(&mut self) -> Step {
        let at = self.offset();
        let frame = Frame::implied();
        self.mend_lead(Code::ImpliedObject, (at, at));
        self.open(frame, (at, at))?;
        self.state = State::Key;
        Ok(())
    }

    /// Any value, at its first character.
    pub(super) fn any_value(&mut self, c: char) -> Step {
        match c {
            '{' => self.open_brace(),
            '[' => {
                let frame = Frame::array();
                self.open_at(frame, 1, State::Entry)
            }
            '(' => self.open_paren(),
            _ if self.open_string(c)? => Ok(()),
            _ => self.bare_value(),
        }
    }

    fn open_at(&mut self, frame: Frame, bytes: usize, state: State) -> Step {
        let at = self.offset();
        self.open(frame, (at, at + bytes as u64))?;
        self.take(bytes);
        self.state = state;
        Ok(())
    }

    fn open_brace(&mut self) -> Step {
        let mut braces = core::mem::take(&mut self.braces);
        let ahead = self.brace_ahead(&mut braces);
        self.braces = braces;
        let (doubled, set, between) = ahead?;
        let shape = if set { Shape::Array } else { Shape::Object };
        let mut frame = Frame::new(shape, '}');
        frame.doubled = doubled;
        if set {
            let at = self.offset();
            self.mend_lead(Code::Sequence, (at, at + 1));
        }
        self.open_at(frame, 1, if set { State::Entry } else { State::Key })?;
        if doubled {
            if between > 0 {
                self.blank(between, false);
            }
            let span = self.take(1);
            self.mend(Code::MissingBrace, span);
        }
        Ok(())
    }

    /// Whether another brace follows the one at the front, whether values and no members do, and the
    /// blanks before them.
    fn brace_ahead(&self, braces: &mut Levels) -> Ahead<(bool, bool, usize)> {
        let mut look = self.look(1);
        look.skip_blanks()?;
        let doubled = look.peek()? == Seen::Char('{') && self.state != State::Value;
        let set = !doubled && braces.is_set(look, self.offset())?;
        Ok((doubled, set, look.at()))
    }

    fn open_paren(&mut self) -> Step {
        let mut rounds = core::mem::take(&mut self.rounds);
        let sequence = rounds.is_sequence(self.look(1), self.offset());
        self.rounds = rounds;
        let sequence = sequence?;
        let shape = if sequence { Shape::Array } else { Shape::Group };
        let frame = Frame::new(shape, ')');
        let at = self.offset();
        self.mend_lead(Code::Sequence, (at, at + 1));
        self.open_at(frame, 1, if sequence { State::Entry } else { State::Value })
    }

    /// Behind a key.
    pub(super) fn colon_step(&mut self) -> Step {
        let Some(c) = self.first()? else { return self.missing_value() };
        let length = match c {
            ':' | '：' => c.len_utf8(),
            '=' => 1 + usize::from(self.look(0).starts_with("=>")?),
            _ if is_comma(c) || is_closer(c) => return self.missing_value(),
            _ => 0,
        };
        let span = self.take(length);
        if length == 0 {
            self.mend_lead(Code::MissingColon, span);
            self.guide_no_colon();
        } else if c != ':' {
            self.mend_lead(Code::OtherColon, span);
        }
        self.lead_colon(span);
        self.state = State::Value;
        Ok(())
    }

    /// Behind a value: a comma, a closing bracket, or what should have had a comma before it.
    pub(super) fn next_step(&mut self) -> Step {
        let Some(c) = self.first()? else { return self.close_all() };
        if Self::fence_ahead(&self.look(0))? {
            return self.close_all();
        }
        if is_comma(c) {
            return self.comma_step(c);
        }
        if is_closer(c) {
            return self.close_step(c);
        }
        if matches!(c, ':' | '=' | '：') {
            let span = self.take(c.len_utf8());
            self.mend_lead(Code::Skipped, span);
            return Ok(());
        }
        if self.elided()? {
            return Ok(());
        }
        if self.in_array() {
            self.state = State::Entry;
            return Ok(());
        }
        if self.in_object() {
            if c == '{' && self.parent_is_array() {
                self.close_brace_missing();
                self.state = State::Entry;
                return Ok(());
            }
            if Self::opening_quote(c).is_some()
                || self.look(0).member_start(true)? == Tri::Yes
                || (self.escaped && c == '\\')
            {
                self.state = State::Key;
                return Ok(());
            }
        }
        self.skip_word(c)
    }

    fn comma_step(&mut self, c: char) -> Step {
        let length = c.len_utf8();
        if self.top().is_some_and(|frame| frame.implied) && self.stack.len() > 1 {
            let mut look = self.look(length);
            look.skip_blanks()?;
            if look.member_start(true)? == Tri::No && look.peek()? != Seen::End {
                let at = self.offset();
                self.pop_frame((at, at));
                return Ok(());
            }
        }
        let span = self.take(length);
        if self.top().is_some_and(|frame| frame.shape == Shape::Group) {
            self.mend_lead(Code::ExtraComma, span);
            return Ok(());
        }
        if c != ',' {
            self.mend_lead(Code::OtherComma, span);
        }
        self.lead_comma(span);
        self.state = if self.in_object() { State::Key } else { State::Entry };
        Ok(())
    }

    pub(super) fn parent_is_array(&self) -> bool {
        let mut outer = self.stack.iter().rev().skip(1);
        outer.next().is_some_and(|frame| frame.shape == Shape::Array)
    }

    /// An object ends before a `{` that stands where a key is due.
    pub(super) fn close_brace_missing(&mut self) {
        let at = self.offset();
        self.mend_lead(Code::MissingBrace, (at, at));
        let lead = core::mem::take(&mut self.lead);
        self.pop_frame((at, at));
        // The comma now separates entries of the array.
        self.lead = lead;
    }

    /// Text that fits nowhere goes: up to a blank or a mark.
    pub(super) fn skip_word(&mut self, first: char) -> Step {
        let mut length = first.len_utf8();
        let mut look = self.look(length);
        while let Seen::Char(c) = look.peek_until(Wake::Skip)? {
            if ends_skipped(c) {
                break;
            }
            look.bump(c);
        }
        length += look.at();
        let span = self.take(length);
        self.mend_lead(Code::Skipped, span);
        Ok(())
    }

    /// Takes an ellipsis that stands for entries or members; whether there was one.
    pub(super) fn elided(&mut self) -> Result<bool, Halt> {
        let mut look = self.look(0);
        if !look.eat("...")? && !look.eat("…")? {
            return Ok(false);
        }
        let dots = look.at();
        let line = look.skip_blanks()?;
        let length = match look.peek()? {
            Seen::Char(',') if self.has_comma() || self.state != State::Next => look.at() + 1,
            Seen::Char(c) if is_comma(c) || is_closer(c) => dots,
            Seen::Char('"' | '\'' | '{' | '[') | Seen::End | Seen::Limit => dots,
            Seen::Char(_) if line => dots,
            Seen::Char(_) => return Ok(false),
        };
        let span = self.take(length);
        self.mend_lead(Code::Elided, span);
        Ok(true)
    }
}

/// A character that ends text that fits nowhere.
pub(super) fn ends_skipped(c: char) -> bool {
    is_blank(c) || is_comma(c) || matches!(c, '{' | '}' | '[' | ']' | ':' | '"' | '\'')
}
