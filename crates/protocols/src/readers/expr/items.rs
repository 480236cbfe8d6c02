//! Containers, keys and what stands between values.

use toolweir_rjson::{Kind, write_string};

use super::frame::{Frame, FrameKind, Slot};
use super::lookahead::is_name_start;
use super::token::{RawKind, RawToken, Step, Stepped, Text};
use super::{ExprErrorKind, ExprMachine, NoteKind, State, syntax};

impl ExprMachine {
    pub(super) fn start<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        if self.is_python() {
            self.open(FrameKind::Call);
            return Ok(Step::Again);
        }
        match self.peek(input) {
            None => Ok(Step::NeedMore),
            Some('{') => self.open_bracket('{', FrameKind::Dict, input),
            Some('(') => {
                self.note(NoteKind::RoundBrackets, self.offset, self.offset + 1);
                self.open_bracket('(', FrameKind::Round, input)
            }
            Some(_) => syntax("`{`"),
        }
    }

    /// A member, an entry or the closing bracket is due.
    pub(super) fn item<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        let Some(frame) = self.frames.last().copied() else { return Ok(Step::NeedMore) };
        let whitespace = self.whitespace(!self.comma && !frame.kind.is_undecided(), input);
        if let Some(whitespace) = whitespace {
            return Ok(Step::Token(whitespace));
        }
        let Some(c) = self.peek(input) else { return Ok(Step::NeedMore) };
        if c == frame.kind.closing() {
            return self.close_bracket(frame, input);
        }
        self.begin_item(frame)?;
        match frame.kind {
            FrameKind::Call => self.argument(c, input),
            FrameKind::Dict | FrameKind::Round
                if matches!(c, '[' | '(' | '{' | '}' | ']' | ',' | ':') =>
            {
                syntax("a key")
            }
            FrameKind::Dict | FrameKind::Round => {
                self.slot = Slot::Key;
                self.value(c, input)
            }
            FrameKind::Paren | FrameKind::Brace => {
                self.held_start = self.offset;
                self.slot = Slot::First;
                if matches!(c, '[' | '(' | '{') {
                    self.decide_array();
                }
                self.value(c, input)
            }
            FrameKind::List | FrameKind::Tuple | FrameKind::Set => {
                self.slot = Slot::Value;
                self.value(c, input)
            }
        }
    }

    fn begin_item(&mut self, frame: Frame) -> Result<(), ExprErrorKind> {
        if frame.kind.is_object() && frame.count >= self.options.max_keys {
            return Err(ExprErrorKind::TooManyKeys);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.count += 1;
        }
        if std::mem::take(&mut self.comma) {
            self.put(Kind::Comma, ",", self.offset);
        }
        self.text_next = false;
        Ok(())
    }

    /// An argument of the call: a name, or a value without one.
    fn argument<'c>(&mut self, c: char, input: &mut &'c str) -> Stepped<'c> {
        self.is_positional = false;
        if matches!(c, '\'' | '"' | '[' | '(' | '{') {
            self.positional()?;
            return self.value(c, input);
        }
        self.slot = Slot::Member;
        self.value(c, input)
    }

    /// Gives an argument without a name that of its place.
    pub(super) fn positional(&mut self) -> Result<(), ExprErrorKind> {
        let place = self.names.get_mut(self.positional).filter(|_| !self.has_keywords);
        let Some((name, given)) = place else { return Err(ExprErrorKind::Positional) };
        *given = true;
        self.key.clone_from(name);
        self.positional += 1;
        self.is_positional = true;
        let at = self.covered;
        self.note(NoteKind::Positional, at, at);
        self.put_key(at, at);
        self.slot = Slot::Value;
        Ok(())
    }

    /// A value is due, after an equals sign or colon.
    pub(super) fn value_due<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        if let Some(whitespace) = self.whitespace(true, input) {
            return Ok(Step::Token(whitespace));
        }
        match self.peek(input) {
            None => Ok(Step::NeedMore),
            Some(c) => self.value(c, input),
        }
    }

    /// Begins a value, or a key, with its first character.
    fn value<'c>(&mut self, c: char, input: &mut &'c str) -> Stepped<'c> {
        let first = self.options.delimiter.as_ref().map(|delimiter| delimiter.chars().next());
        match (c, first) {
            (')', Some(_)) if self.is_round() => self.missing_value(),
            ('[', _) => return self.open_bracket(c, FrameKind::List, input),
            ('(', None) => return self.open_bracket(c, FrameKind::Paren, input),
            ('{', None) => return self.open_bracket(c, FrameKind::Brace, input),
            ('{', Some(_)) => return self.open_bracket(c, FrameKind::Dict, input),
            ('\'' | '"', _) => self.open_quote(c, "", input),
            (c, Some(first)) if Some(c) == first => {
                self.held_start = self.offset;
                self.state = State::Delimiter(0);
            }
            (',' | '}' | ']', Some(_)) => self.missing_value(),
            (c, None) if !super::word::is_word(c) => return syntax("a value"),
            _ => self.begin_word(),
        }
        Ok(Step::Again)
    }

    fn missing_value(&mut self) {
        self.note(NoteKind::MissingValue, self.offset, self.offset);
        self.put(Kind::Null, "null", self.offset);
        self.state = State::AfterValue;
    }

    /// Whether arguments of Gemma stand between round brackets, and no other container is open.
    pub(super) fn is_round(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.kind == FrameKind::Round)
    }

    fn open_bracket<'c>(&mut self, c: char, kind: FrameKind, input: &mut &'c str) -> Stepped<'c> {
        if self.frames.len() >= self.options.max_depth {
            return Err(ExprErrorKind::TooDeep);
        }
        self.bump(c, input);
        self.open(kind);
        Ok(Step::Again)
    }

    fn open(&mut self, kind: FrameKind) {
        if kind.is_object() {
            self.put(Kind::ObjectStart, "{", self.offset);
        } else if !kind.is_undecided() {
            self.put(Kind::ArrayStart, "[", self.offset);
        }
        self.frames.push(Frame { kind, count: 0 });
        self.state = State::Item;
    }

    /// A comma or the closing bracket is due.
    pub(super) fn after_value<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        let Some(frame) = self.frames.last().copied() else { return Ok(Step::NeedMore) };
        if let Some(whitespace) = self.whitespace(true, input) {
            return Ok(Step::Token(whitespace));
        }
        match self.peek(input) {
            None => Ok(Step::NeedMore),
            Some(',') => {
                self.bump(',', input);
                self.comma = true;
                self.state = State::Item;
                Ok(Step::Again)
            }
            // In Python this is the entry itself, which went out as one of an array.
            Some(')') if frame.kind == FrameKind::Tuple && frame.count == 1 => syntax("`,`"),
            Some(c) if c == frame.kind.closing() => self.close_bracket(frame, input),
            Some(_) => syntax("`,` or a closing bracket"),
        }
    }

    /// Reads the closing bracket that is next.
    fn close_bracket<'c>(&mut self, frame: Frame, input: &mut &'c str) -> Stepped<'c> {
        match frame.kind {
            FrameKind::Brace => self.put(Kind::ObjectStart, "{", self.offset),
            FrameKind::Paren => self.put(Kind::ArrayStart, "[", self.offset),
            _ => {}
        }
        if std::mem::take(&mut self.comma) {
            self.put(Kind::Whitespace, "", self.offset);
        }
        self.bump(frame.kind.closing(), input);
        if frame.kind.is_object() || frame.kind == FrameKind::Brace {
            self.put(Kind::ObjectEnd, "}", self.offset);
        } else {
            self.put(Kind::ArrayEnd, "]", self.offset);
        }
        self.leave();
        Ok(Step::Again)
    }

    fn leave(&mut self) {
        self.frames.pop();
        self.state = if self.frames.is_empty() { State::Done } else { State::AfterValue };
    }

    /// The closing bracket of the arguments is missing.
    pub(super) fn close_root(&mut self) {
        self.comma = false;
        if self.covered < self.offset {
            self.put(Kind::Whitespace, "", self.offset);
        }
        self.put(Kind::ObjectEnd, "}", self.offset);
        self.leave();
    }

    /// What follows the held text decides what it is.
    pub(super) fn after_held<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        self.whitespace(false, input);
        let Some(c) = self.peek(input) else { return Ok(Step::NeedMore) };
        let kind = self.frames.last().map(|frame| frame.kind);
        match (self.slot, c) {
            (Slot::Member, '=') => {
                if !self.held.starts_with(is_name_start) || self.held.contains('+') {
                    return syntax("a name");
                }
                self.has_keywords = true;
                self.named(c, input);
            }
            (Slot::Member, _) => {
                self.positional()?;
                self.scalar()?;
                self.state = State::AfterValue;
            }
            (Slot::Key, _) if kind.is_some_and(|kind| kind.ends_key(c)) => self.named(c, input),
            (Slot::First, ':') if kind == Some(FrameKind::Brace) => {
                self.put(Kind::ObjectStart, "{", self.held_start);
                self.set_frame(FrameKind::Dict);
                self.named(c, input);
            }
            (Slot::First, ')') if kind == Some(FrameKind::Paren) => {
                self.bump(c, input);
                self.scalar()?;
                self.put(Kind::Whitespace, "", self.offset);
                self.leave();
            }
            (Slot::First, ',' | '}')
                if kind.is_some_and(|kind| c == ',' || c == kind.closing()) =>
            {
                self.decide_array();
                self.scalar()?;
                self.state = State::AfterValue;
            }
            (Slot::Key, _) => return syntax("`:`"),
            _ => return syntax("`,` or a closing bracket"),
        }
        Ok(Step::Again)
    }

    /// The held text is a key, which the next character ends.
    fn named(&mut self, c: char, input: &mut &str) {
        self.key.clone_from(&self.held);
        if self.frames.len() == 1 && !self.names.is_empty() {
            self.mark_given();
        }
        let quoted = self.held_string || !self.is_python() || self.slot == Slot::Member;
        if !quoted && self.held.starts_with(is_name_start) {
            let literal = matches!(self.held.as_str(), "True" | "False" | "None");
            if !literal {
                self.note(NoteKind::UnquotedKey, self.held_start, self.held_end);
            }
        }
        self.bump(c, input);
        self.put_key(self.held_end, self.offset);
        self.slot = Slot::Value;
        self.state = State::Value;
    }

    /// The key is that of an argument.
    fn mark_given(&mut self) {
        let declared = self.names.iter_mut().find(|(name, _)| *name == self.key);
        if declared.is_none_or(|(_, given)| std::mem::replace(given, true)) {
            self.has_odd_names = true;
            if self.has_inner_quotes {
                self.note(NoteKind::Ambiguous, self.held_start, self.held_end);
            }
        }
    }

    /// Queues the key and its colon.
    fn put_key(&mut self, end: u64, colon: u64) {
        self.key_wire.clear();
        write_string(&mut self.key_wire, &self.key);
        let start = std::mem::replace(&mut self.covered, end);
        self.queue.push_back(RawToken { kind: RawKind::Key, text: Text::Given(""), start, end });
        self.put(Kind::Colon, ":", colon);
    }

    /// An undecided container holds entries.
    fn decide_array(&mut self) {
        let kind = match self.frames.last() {
            Some(Frame { kind: FrameKind::Brace, .. }) => FrameKind::Set,
            _ => FrameKind::Tuple,
        };
        self.put(Kind::ArrayStart, "[", self.held_start);
        self.set_frame(kind);
        self.slot = Slot::Value;
    }

    fn set_frame(&mut self, kind: FrameKind) {
        if let Some(frame) = self.frames.last_mut() {
            frame.kind = kind;
        }
    }

    /// Reads whitespace; gives a token for it if it is to be `covered`.
    fn whitespace(&mut self, covered: bool, input: &mut &str) -> Option<RawToken<'static>> {
        let start = self.offset;
        while let Some(c) = self.peek(input).filter(|c| c.is_whitespace()) {
            self.bump(c, input);
        }
        let any = covered && self.offset > start;
        any.then(|| self.raw_token(Kind::Whitespace, Text::Given(""), self.offset))
    }
}
