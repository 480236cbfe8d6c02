//! What follows what, what is put in or left out where it does not fit, and closing brackets.

use super::guide::Guide;
use super::lookahead::{Ahead, Resume, Seen, Tri};
use super::{Frame, Halt, Repair, Shape, State, Step};
use crate::chars::{Quotes, is_closing, is_comma, is_repair_whitespace};
use crate::diagnostic::{Code, Span};
use crate::machine::Kind;
use crate::options::Kinds;

impl Repair {
    /// A value is complete: what comes next.
    pub(super) fn value_done(&mut self) {
        self.state = if self.stack.is_empty() { State::Root } else { State::Next };
        if self.stack.is_empty() {
            self.root.count += 1;
            self.root.end = self.offset();
            self.escaped = false;
        }
    }

    /// After a colon.
    pub(super) fn value_step(&mut self) -> Step {
        let Some(c) = self.first()? else { return self.missing_value() };
        if is_comma(c) || self.may_close(c) {
            return self.missing_value();
        }
        if self.fence_ends_input(c)? {
            return self.close_all();
        }
        if matches!(c, ':' | '=' | '：' | '>') {
            return self.skip(c.len_utf8(), Code::Skipped);
        }
        if self.object_due(c)? && self.lookahead(0).quoted_member()? == Tri::Yes {
            let here = self.here();
            self.repaired_pending(Code::ImpliedObject, here);
            self.open(Frame::new(Shape::Object, '}'), here)?;
            self.guide(Guide::damaged);
            self.state = State::Key;
            return Ok(());
        }
        self.any_value(c)
    }

    /// Whether an object is due after a colon, and a quote that can be none of a string stands there.
    fn object_due(&self, quote: char) -> Ahead<bool> {
        let Some(guide) = self.guide.as_ref().filter(|_| Quotes::open(quote).is_some()) else {
            return Ok(false);
        };
        let due = guide.due();
        let of = |kinds| due.shape().allows(kinds);
        Ok(of(Kinds::OBJECT)
            && match (of(Kinds::EMBEDDED), of(Kinds::STRING)) {
                (true, _) => {
                    let first = self.lookahead(quote.len_utf8()).peek()?;
                    matches!(first, Seen::Char(c) if c.is_alphabetic() || c == '_')
                }
                (false, strings) => !strings,
            })
    }

    /// A key without a value has `null`.
    pub(super) fn missing_value(&mut self) -> Step {
        let here = self.here();
        if self.state == State::Colon {
            self.pending(Kind::Colon, ":", here);
        }
        self.repaired_pending(Code::MissingValue, here);
        self.begin_value();
        self.emit_fixed(Kind::Null, here);
        self.value_done();
        Ok(())
    }

    /// An entry of an array, or its end.
    pub(super) fn entry_step(&mut self) -> Step {
        let Some(c) = self.first()? else { return self.close_all() };
        if self.before_item(c, self.may_close(c))? {
            return Ok(());
        }
        if matches!(c, ':' | '=' | ')') {
            return self.skip(1, Code::Skipped);
        }
        if self.implied_ahead(c)? {
            return self.open_implied();
        }
        self.any_value(c)
    }

    /// Takes what may stand where an entry or a key is due and is neither; whether it was that.
    pub(super) fn before_item(&mut self, c: char, closes: bool) -> Result<bool, Halt> {
        if is_comma(c) {
            self.skip(c.len_utf8(), Code::ExtraComma)?;
        } else if closes {
            self.close_step(c)?;
        } else if self.fence_ends_input(c)? {
            self.close_all()?;
        } else {
            return self.elided();
        }
        Ok(true)
    }

    /// Whether a quoted key and a colon stand where a value is due.
    pub(super) fn implied_ahead(&self, c: char) -> Ahead<bool> {
        let mut lookahead = self.lookahead(0);
        let escaped = c == '\\' && lookahead.starts_with("\\\"")?;
        lookahead.escaped |= escaped;
        let quoted = Quotes::open(c).is_some() || escaped;
        Ok(quoted && lookahead.member_start(true)? == Tri::Yes)
    }

    pub(super) fn open_implied(&mut self) -> Step {
        let here = self.here();
        self.repaired_pending(Code::ImpliedObject, here);
        self.open(Frame::implied(), here)?;
        self.state = State::Key;
        Ok(())
    }

    /// Any value, at its first character.
    pub(super) fn any_value(&mut self, c: char) -> Step {
        match c {
            '{' => self.open_brace(),
            '[' => self.open_at(Frame::array(), 1, State::Entry),
            '(' => self.open_paren(),
            _ if self.open_string(c)? => Ok(()),
            _ => self.unquoted_value(),
        }
    }

    fn open_at(&mut self, frame: Frame, bytes: usize, state: State) -> Step {
        self.open(frame, self.span(bytes))?;
        self.take(bytes);
        self.state = state;
        Ok(())
    }

    fn open_brace(&mut self) -> Step {
        let mut lookahead = self.lookahead(1);
        let doubled = lookahead.peek_visible()? == Seen::Char('{') && self.state != State::Value;
        // Values and no members.
        let set = !doubled && lookahead.set()?;
        let between = lookahead.at;
        let shape = if set { Shape::Array } else { Shape::Object };
        let mut frame = Frame::new(shape, '}');
        frame.doubled = doubled;
        if set {
            self.repaired_pending(Code::Sequence, self.span(1));
        }
        self.open_at(frame, 1, if set { State::Entry } else { State::Key })?;
        if doubled {
            self.take_second_brace(between);
        }
        Ok(())
    }

    /// Takes the other one of two braces that count once, after so much whitespace.
    fn take_second_brace(&mut self, whitespace: usize) {
        if whitespace > 0 {
            self.whitespace(whitespace, false);
        }
        let span = self.take(1);
        self.repaired(Code::MissingBrace, span);
    }

    fn open_paren(&mut self) -> Step {
        let sequence = self.lookahead(1).sequence()?;
        let shape = if sequence { Shape::Array } else { Shape::Group };
        self.repaired_pending(Code::Sequence, self.span(1));
        self.open_at(Frame::new(shape, ')'), 1, if sequence { State::Entry } else { State::Value })
    }

    /// After a key.
    pub(super) fn colon_step(&mut self) -> Step {
        let Some(c) = self.first()? else { return self.missing_value() };
        let length = match c {
            ':' | '：' => c.len_utf8(),
            '=' => 1 + usize::from(self.lookahead(0).starts_with("=>")?),
            _ if is_comma(c) || is_closing(c) => return self.missing_value(),
            _ => 0,
        };
        let span = self.take(length);
        if length == 0 {
            self.repaired_pending(Code::MissingColon, span);
            self.guide(Guide::no_colon);
        } else if c != ':' {
            self.repaired_pending(Code::OtherColon, span);
        }
        self.pending(Kind::Colon, ":", span);
        self.state = State::Value;
        Ok(())
    }

    /// After a value: a comma, a closing bracket, or what should have had a comma before it.
    pub(super) fn next_step(&mut self) -> Step {
        let Some(c) = self.first()? else { return self.close_all() };
        if self.lookahead(0).starts_with("```")? {
            return self.close_all();
        }
        if is_comma(c) {
            return self.comma_step(c);
        }
        if is_closing(c) {
            return self.close_step(c);
        }
        if matches!(c, ':' | '=' | '：') {
            return self.skip(c.len_utf8(), Code::Skipped);
        }
        if self.elided()? {
            return Ok(());
        }
        if self.stack.in_array() {
            self.state = State::Entry;
            return Ok(());
        }
        if self.stack.in_object() {
            if c == '{' && self.parent_is_array() {
                return self.close_brace_missing();
            }
            if Quotes::open(c).is_some()
                || self.lookahead(0).member_start(true)? == Tri::Yes
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
        if self.stack.last().is_some_and(|frame| frame.implied) && self.stack.len() > 1 {
            let mut lookahead = self.lookahead(length);
            lookahead.skip_whitespace()?;
            if lookahead.member_start(true)? == Tri::No && lookahead.peek()? != Seen::End {
                self.pop_frame(self.here());
                return Ok(());
            }
        }
        let span = self.take(length);
        if self.stack.last().is_some_and(|frame| frame.shape == Shape::Group) {
            self.repaired_pending(Code::ExtraComma, span);
            return Ok(());
        }
        if c != ',' {
            self.repaired_pending(Code::OtherComma, span);
        }
        self.pending(Kind::Comma, ",", span);
        self.state = if self.stack.in_object() { State::Key } else { State::Entry };
        Ok(())
    }

    pub(super) fn parent_is_array(&self) -> bool {
        let mut outer = self.stack.iter().rev().skip(1);
        outer.next().is_some_and(|frame| frame.shape == Shape::Array)
    }

    /// An object ends before a `{` that stands where a key is due, and begins the next entry.
    pub(super) fn close_brace_missing(&mut self) -> Step {
        let here = self.here();
        self.repaired_pending(Code::MissingBrace, here);
        let pending = core::mem::take(&mut self.pending);
        self.pop_frame(here);
        // The comma now separates entries of the array.
        self.pending = pending;
        self.state = State::Entry;
        Ok(())
    }

    /// Text that fits nowhere goes: up to whitespace or a mark.
    pub(super) fn skip_word(&mut self, first: char) -> Step {
        let mut length = first.len_utf8();
        let mut lookahead = self.lookahead(length);
        lookahead.pass_while(Resume::Skip, |c| !ends_skipped(c))?;
        length += lookahead.at;
        if matches!(first, '{' | '[') {
            let span = self.span(1);
            // Another object or list may begin there.
            self.guide(|guide| guide.guess(span));
        }
        self.skip(length, Code::Skipped)
    }

    /// Takes an ellipsis that stands for entries or members; whether there was one.
    fn elided(&mut self) -> Result<bool, Halt> {
        let mut lookahead = self.lookahead(0);
        if !lookahead.eat("...")? && !lookahead.eat("…")? {
            return Ok(false);
        }
        let dots = lookahead.at;
        let line = lookahead.skip_whitespace()?;
        let length = match lookahead.peek()? {
            Seen::Char(',') if self.has_comma() || self.state != State::Next => lookahead.at + 1,
            Seen::Char(c) if is_comma(c) || is_closing(c) => dots,
            Seen::Char('"' | '\'' | '{' | '[') | Seen::End | Seen::Limit => dots,
            Seen::Char(_) if line => dots,
            Seen::Char(_) => return Ok(false),
        };
        self.skip(length, Code::Elided)?;
        Ok(true)
    }
}

/// A character that ends text that fits nowhere.
pub(super) fn ends_skipped(c: char) -> bool {
    is_repair_whitespace(c) || is_comma(c) || matches!(c, '{' | '}' | '[' | ']' | ':' | '"' | '\'')
}

impl Repair {
    /// Whether an open container waits for this bracket.
    pub(super) fn closes_bracket(&self, c: char) -> bool {
        self.stack.matching(c).is_some()
    }

    /// Whether it is a closing bracket: a round one only where one is open.
    pub(super) fn may_close(&self, c: char) -> bool {
        matches!(c, '}' | ']') || (c == ')' && self.closes_bracket(c))
    }

    /// A closing bracket.
    pub(super) fn close_step(&mut self, c: char) -> Step {
        let Some(place) = self.stack.matching(c) else {
            return self.skip(c.len_utf8(), Code::StrayCloser);
        };
        let above = self.stack.iter().skip(place + 1);
        let innermost = above.clone().all(|frame| frame.implied);
        let closes_root = place == 0;
        let more = |c| is_comma(c) || is_closing(c);
        if !innermost
            && closes_root
            && matches!(self.lookahead(1).peek_visible()?, Seen::Char(c) if more(c))
        {
            self.drop_pending(Code::TrailingComma, Code::MissingValue);
            let span = self.take(c.len_utf8());
            self.repaired(Code::WrongCloser, span);
            self.pop_frame(span);
            return Ok(());
        }
        let doubled = self.stack.get(place).is_some_and(|frame| frame.doubled);
        let second = if doubled { self.second_brace()? } else { None };
        self.drop_pending(Code::TrailingComma, Code::MissingValue);
        let here = self.here();
        while self.stack.len() > place + 1 {
            if self.stack.last().is_some_and(|frame| !frame.implied) {
                self.repaired(Code::WrongCloser, here);
            }
            self.pop_frame(here);
        }
        let span = self.take(c.len_utf8());
        if let Some(whitespace) = second {
            self.take_second_brace(whitespace);
        }
        self.pop_frame(span);
        Ok(())
    }

    /// The whitespace before the second one of two closing braces.
    fn second_brace(&self) -> Ahead<Option<usize>> {
        let mut lookahead = self.lookahead(1);
        lookahead.pass_whitespace()?;
        Ok((lookahead.peek()? == Seen::Char('}')).then_some(lookahead.at))
    }

    /// Closes the innermost container; what it was a value of goes on.
    pub(super) fn pop_frame(&mut self, span: Span) {
        let Some(frame) = self.stack.pop() else { return };
        self.guide_closes(span.start, frame.implied || span.start < span.end);
        match frame.shape {
            Shape::Object => self.emit_fixed(Kind::ObjectEnd, span),
            Shape::Array => self.emit_fixed(Kind::ArrayEnd, span),
            Shape::Group => self.repaired(Code::Sequence, span),
        }
        self.value_done();
    }

    /// The end of the input: closes what is open.
    pub(super) fn close_all(&mut self) -> Step {
        if matches!(self.state, State::Colon | State::Value) {
            return self.missing_value();
        }
        self.drop_pending(Code::TrailingComma, Code::DroppedKey);
        let here = self.here();
        while let Some(frame) = self.stack.last() {
            if !frame.implied {
                self.repaired(Code::MissingCloser, here);
            }
            self.pop_frame(here);
        }
        Ok(())
    }

    /// How much of `tail`, which ends the input, is text before exactly the closing brackets of all
    /// open containers; none if it does not end so.
    pub(super) fn before_closing(&self, tail: &str) -> Option<usize> {
        let mut rest = tail.trim_end_matches(is_repair_whitespace);
        for frame in self.stack.iter().filter(|frame| !frame.implied) {
            for _ in 0..1 + usize::from(frame.doubled) {
                rest = rest.strip_suffix(frame.closing())?.trim_end_matches(is_repair_whitespace);
            }
        }
        if rest.len() == tail.len() || self.stack.iter().all(|frame| frame.implied) {
            return None;
        }
        let rest = rest.strip_suffix(',').unwrap_or(rest);
        Some(rest.trim_end_matches(is_repair_whitespace).len())
    }
}
