//! Containers, keys and what stands between values.

use toolweir_rjson::{Kind, write_string};

use super::frame::{Frame, FrameKind, Slot};
use super::lookahead::{FULL_WIDTH_COMMA, is_name_start};
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
            Some('{') => self.open_bracket('{', FrameKind::Fields, input),
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
        let covered = !self.comma && !frame.kind.is_undecided();
        let whitespace = self.whitespace(covered, true, input);
        if let Some(whitespace) = whitespace {
            return Ok(Step::Token(whitespace));
        }
        let Some(c) = self.peek(input) else { return Ok(Step::NeedMore) };
        let closes = c == frame.kind.closing();
        if self.positional_due && (closes || matches!(c, '[' | '(' | '{')) {
            self.name_container()?;
            return Ok(Step::Again);
        }
        if closes {
            return self.close_bracket(frame, input);
        }
        self.begin_item(frame)?;
        match frame.kind {
            FrameKind::Call => self.argument(c, input),
            kind if kind.has_keys() && matches!(c, '[' | '(' | '{' | '}' | ']' | ',' | ':') => {
                syntax("a key")
            }
            kind if kind.has_keys() => {
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
            _ => {
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
        if self.in_dict {
            self.note(NoteKind::UncertainContainer, self.offset, self.offset);
        }
        match c {
            '\'' | '"' => self.positional()?,
            '[' => {
                self.positional()?;
                self.state = State::Value;
                return Ok(Step::Again);
            }
            '(' | '{' => {
                self.place()?;
                self.positional_due = true;
            }
            _ => self.slot = Slot::Member,
        }
        self.value(c, input)
    }

    /// The place of an argument without a name.
    fn place(&mut self) -> Result<&mut (String, bool), ExprErrorKind> {
        let place = self.names.get_mut(self.positional).filter(|_| !self.has_keywords);
        place.ok_or(ExprErrorKind::Positional)
    }

    /// Gives an argument without a name that of its place.
    pub(super) fn positional(&mut self) -> Result<(), ExprErrorKind> {
        let (name, given) = self.place()?;
        *given = true;
        self.key = name.clone();
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
        if let Some(whitespace) = self.whitespace(true, false, input) {
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
            ('{', Some(_)) => return self.open_bracket(c, FrameKind::Fields, input),
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
        if !kind.is_undecided() {
            self.put_start(kind.is_object(), self.frames.len(), self.offset);
        }
        self.frames.push(Frame { kind, count: 0 });
        self.state = State::Item;
    }

    /// A comma or the closing bracket is due.
    pub(super) fn after_value<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        let Some(frame) = self.frames.last().copied() else { return Ok(Step::NeedMore) };
        if let Some(whitespace) = self.whitespace(true, true, input) {
            return Ok(Step::Token(whitespace));
        }
        match self.peek(input) {
            None => Ok(Step::NeedMore),
            Some(c @ (',' | FULL_WIDTH_COMMA)) => {
                if c != ',' {
                    self.note(NoteKind::OtherComma, self.offset, self.offset + c.len_utf8() as u64);
                }
                self.bump(c, input);
                self.comma = true;
                self.state = State::Item;
                Ok(Step::Again)
            }
            // In Python this is the entry itself, which went out as one of an array.
            Some(')') if frame.kind == FrameKind::Tuple && frame.count == 1 => syntax("`,`"),
            Some(c) if c == frame.kind.closing() => self.close_bracket(frame, input),
            // A declared argument shows it.
            Some(c) if !self.is_python() && self.frames.len() == 1 && is_name_start(c) => {
                (self.comma, self.missing_comma) = (true, true);
                self.state = State::Item;
                Ok(Step::Again)
            }
            Some(_) => syntax("`,` or a closing bracket"),
        }
    }

    /// Reads the closing bracket that is next.
    fn close_bracket<'c>(&mut self, frame: Frame, input: &mut &'c str) -> Stepped<'c> {
        if frame.kind.is_undecided() {
            self.put_start(frame.kind == FrameKind::Brace, self.frames.len() - 1, self.offset);
        }
        if std::mem::take(&mut self.comma) {
            self.put(Kind::Whitespace, "", self.offset);
        }
        self.bump(frame.kind.closing(), input);
        if frame.kind == FrameKind::Arguments {
            self.put(Kind::Whitespace, "", self.offset);
        } else if frame.kind.is_object() || frame.kind == FrameKind::Brace {
            self.put(Kind::ObjectEnd, "}", self.offset);
        } else {
            self.put(Kind::ArrayEnd, "]", self.offset);
        }
        self.leave();
        Ok(Step::Again)
    }

    fn leave(&mut self) {
        self.frames.pop();
        self.state = match self.frames.is_empty() {
            false => State::AfterValue,
            true if self.begin_follow() => State::AfterCall,
            true => State::Done,
        };
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
        self.whitespace(false, false, input);
        let Some(c) = self.peek(input) else { return Ok(Step::NeedMore) };
        if self.positional_due && !self.take_as_arguments(c) {
            self.name_container()?;
            return Ok(Step::Again);
        }
        let kind = self.frames.last().map(|frame| frame.kind);
        match (self.slot, c) {
            (Slot::Member, '=') => {
                if !self.held.starts_with(is_name_start) || self.held.contains('+') {
                    return syntax("a name");
                }
                self.has_keywords = true;
                self.named(c, input)?;
            }
            (Slot::Member, _) => {
                self.positional()?;
                self.scalar()?;
                self.state = State::AfterValue;
            }
            (Slot::First, ':') if kind == Some(FrameKind::Arguments) => self.named(c, input)?,
            (Slot::Key, _) if kind.is_some_and(|kind| kind.ends_key(c)) => self.named(c, input)?,
            (Slot::First, ':') if kind == Some(FrameKind::Brace) => {
                self.put_start(true, self.frames.len() - 1, self.held_start);
                self.set_frame(FrameKind::Dict);
                self.named(c, input)?;
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
    fn named(&mut self, c: char, input: &mut &str) -> Result<(), ExprErrorKind> {
        self.key.clone_from(&self.held);
        let due = self.mark_given();
        if std::mem::take(&mut self.missing_comma) {
            if !due {
                return syntax("`,` or a closing bracket");
            }
            self.note(NoteKind::MissingComma, self.held_start, self.held_start);
        }
        self.after_equals = c == '=' && !self.is_python() && !self.is_round();
        if self.after_equals {
            self.note(NoteKind::EqualsSign, self.offset, self.offset + 1);
        }
        let depth = self.frames.len();
        let in_dict = self.frames.last().is_some_and(|frame| frame.kind == FrameKind::Arguments);
        let is_odd = match in_dict {
            true => !due,
            false => depth == 2 && self.is_positional && self.positional == 1 && self.is_declared(),
        };
        if is_odd {
            self.note(NoteKind::UncertainContainer, self.held_start, self.held_end);
        }
        // A comma of the text before it, and a word of that text.
        if std::mem::take(&mut self.after_text) && (!due || self.after_equals) {
            self.note(NoteKind::UncertainText, self.held_start, self.held_end);
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
        Ok(())
    }

    /// Whether the key is that of a declared argument that was not given; it is then.
    fn mark_given(&mut self) -> bool {
        if !self.is_at_root() || self.names.is_empty() {
            return false;
        }
        let declared = self.names.iter_mut().find(|(name, _)| *name == self.key);
        let due = declared.is_some_and(|(_, given)| !std::mem::replace(given, true));
        if !due {
            self.has_odd_names = true;
            if self.has_inner_quotes {
                self.note(NoteKind::Ambiguous, self.held_start, self.held_end);
            }
        }
        due
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
        self.put_start(false, self.frames.len() - 1, self.held_start);
        self.set_frame(kind);
        self.slot = Slot::Value;
    }

    pub(super) fn set_frame(&mut self, kind: FrameKind) {
        if let Some(frame) = self.frames.last_mut() {
            frame.kind = kind;
        }
    }

    /// Reads whitespace, and where `comments` may stand those of Python, up to the ends of their lines; gives a token
    /// for it if it is to be `covered`.
    fn whitespace(
        &mut self,
        covered: bool,
        comments: bool,
        input: &mut &str,
    ) -> Option<RawToken<'static>> {
        let comments = comments && self.is_python();
        let start = self.offset;
        while let Some(c) = self.peek(input) {
            if self.comment {
                self.comment = c != '\n';
            } else if c == '#' && comments {
                self.comment = true;
            } else if !c.is_whitespace() {
                break;
            }
            self.bump(c, input);
        }
        let any = covered && self.offset > start;
        any.then(|| self.raw_token(Kind::Whitespace, Text::Given(""), self.offset))
    }
}
