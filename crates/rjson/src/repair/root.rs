//! What stands around values: prose, fences, calls and assignments, several roots, remains.

use alloc::string::String;

use super::grammar::is_comma;
use super::look::{Ahead, Look, Seen, Tri, is_blank};
use super::number::{Word, classify, classify_cut};
use super::{Frame, Halt, Repair, Shape, State, Step};
use crate::error::{Diagnostic, ErrorKind};
use crate::machine::Kind;

/// The most bytes of prose that are looked at for a call or an assignment.
const HEAD: usize = 256;

#[derive(Debug, Clone)]
pub(super) struct Root {
    /// The offset of the input's first byte.
    pub(super) base: u64,
    /// Complete roots.
    pub(super) count: usize,
    /// Where text that is no value began.
    prose: Option<u64>,
    /// The first bytes of that text, if there are not more.
    head: String,
    /// That text is longer.
    long: bool,
    /// Its last character.
    last: Option<char>,
    /// A number or literal that is a root unless other text follows it.
    scalar: Option<Scalar>,
    /// Commas since the last root.
    comma: Option<(u64, u64)>,
    /// Only the first value counts: something else stands behind it.
    over: bool,
    /// A call or an assignment was opened.
    wrapped: bool,
    /// Every root counts, whatever stands between.
    pub(super) all: bool,
    ended: bool,
}

#[derive(Debug, Clone)]
struct Scalar {
    word: Word,
    length: usize,
}

impl Root {
    pub(super) fn new(base: u64) -> Self {
        Self {
            base,
            count: 0,
            prose: None,
            head: String::new(),
            last: None,
            long: false,
            scalar: None,
            comma: None,
            over: false,
            wrapped: false,
            all: false,
            ended: false,
        }
    }
}

impl Repair {
    pub(super) fn is_closed(&self) -> bool {
        self.root.ended
    }

    pub(super) fn root_done(&mut self) {
        self.root.count += 1;
        self.escaped = false;
    }

    /// Takes every root for one, whatever stands between them.
    pub(crate) fn all_roots(mut self) -> Self {
        self.root.all = true;
        self
    }

    pub(super) fn root_step(&mut self) -> Step {
        if self.root.scalar.is_some() {
            return self.scalar_step();
        }
        if self.root.prose.is_some() {
            return self.prose_step();
        }
        if self.blank_step()? {
            return Ok(());
        }
        let Some(c) = self.first()? else { return self.root_end() };
        if Self::fence_ahead(&self.look(0))? {
            return self.fence();
        }
        if self.root.count > 0 && !self.root.all {
            if self.root.over {
                return self.begin_prose();
            }
            if is_comma(c) {
                let span = self.take(c.len_utf8());
                if self.root.comma.is_some() || c != ',' {
                    self.mend(Diagnostic::trailing_data, span);
                } else {
                    self.root.comma = Some(span);
                }
                return Ok(());
            }
        }
        self.root_value(c)
    }

    /// A root, or the beginning of something else.
    fn root_value(&mut self, c: char) -> Step {
        if self.implied_ahead(c)? {
            self.begin_root();
            return self.open_implied();
        }
        match c {
            '{' | '[' => {
                if self.root.count > 0 && self.opens(c)? == Tri::No {
                    return self.begin_prose();
                }
                self.begin_root();
                self.state = State::First;
                Ok(())
            }
            '(' if self.paren_root()? => {
                self.begin_root();
                self.state = State::First;
                Ok(())
            }
            '\\' if self.look(0).starts_with("\\\"")? => {
                self.begin_root();
                self.state = State::First;
                Ok(())
            }
            _ if Self::opening_quote(c).is_some() && self.root.count == 0
                || matches!(c, '"' | '\'' | '“') =>
            {
                self.begin_root();
                self.state = State::First;
                Ok(())
            }
            _ => self.root_word(),
        }
    }

    /// A number, a literal, or a call around one; anything else is prose.
    fn root_word(&mut self) -> Step {
        let length = self.word_length()?;
        if length > self.options.max_held_bytes {
            return Err(Halt::Error(ErrorKind::TooLarge));
        }
        let word = self.rest().get(..length).unwrap_or_default();
        let cut = length == self.rest().len() && self.ended && self.root.count == 0;
        // At the root, a word in another case is a word.
        let relaxed =
            |word: &Word| !matches!(word, Word::Repaired { kind, .. } if *kind != Kind::Number);
        let value = classify(word)
            .filter(relaxed)
            .or_else(|| cut.then(|| classify_cut(word)).flatten())
            .filter(|_| length > 0);
        if let Some(word) = value {
            self.root.scalar = Some(Scalar { word, length });
            return Ok(());
        }
        let Some(length) = self.call_root()? else { return self.begin_prose() };
        let span = self.take(length);
        self.root.wrapped = true;
        self.mend(Diagnostic::wrapper, span);
        let frame =
            Frame { shape: Shape::Group, closer: b')', implied: false, doubled: false, count: 0 };
        self.open(frame, span)?;
        self.state = State::Value;
        Ok(())
    }

    /// A number or literal is a root if nothing else, a line end or a comma follows.
    fn scalar_step(&mut self) -> Step {
        let Some(scalar) = &self.root.scalar else { return Ok(()) };
        let mut look = self.look(scalar.length);
        let line = look.skip_blanks()?;
        let is_root = match look.peek()? {
            Seen::End | Seen::Limit => true,
            Seen::Char(c) => {
                let glued = look.at() == 0;
                is_comma(c)
                    || Self::fence_ahead(&look)?
                    || (line && !glued)
                    || (self.root.count > 0 && matches!(c, '{' | '[' | '0'..='9' | '-'))
            }
        };
        let Some(scalar) = self.root.scalar.take() else { return Ok(()) };
        if !is_root {
            return self.begin_prose();
        }
        self.begin_root();
        self.word_out(scalar.word, scalar.length)
    }

    fn begin_root(&mut self) {
        if self.root.count > 0 {
            let at = self.offset();
            let span = self.root.comma.take().unwrap_or((at, at));
            self.mend(Diagnostic::several_roots, span);
        }
    }

    fn begin_prose(&mut self) -> Step {
        let all = self.root.all;
        self.root.over |= self.root.count > 0 && !all;
        self.root.prose = Some(self.offset());
        self.root.head.clear();
        self.root.last = None;
        self.root.long = false;
        self.deviated = true;
        Ok(())
    }

    fn prose_step(&mut self) -> Step {
        let Some(c) = self.first()? else {
            self.prose_out();
            return self.root_end();
        };
        if self.root.over {
            self.take(self.rest().len());
            return Ok(());
        }
        let opens = match c {
            '{' | '[' => self.opens(c)?.likely() && !self.in_word(c),
            '`' if Self::fence_ahead(&self.look(0))? => {
                self.prose_out();
                return self.fence();
            }
            '"' | '\'' | '(' => self.wrapped_string(c)?,
            _ => false,
        };
        if opens {
            self.prose_out();
            self.begin_root();
            self.state = State::First;
            return Ok(());
        }
        let rest = self.rest();
        let first = c.len_utf8();
        let behind = rest.get(first..).unwrap_or_default();
        let marks = ['{', '[', '`', '"', '\'', '('];
        let length = first + behind.find(marks).unwrap_or(behind.len());
        let pos = self.pos;
        self.take(length);
        let text = self.window.get(pos..self.pos).unwrap_or_default();
        self.root.long |= text.len() + self.root.head.len() > HEAD;
        if !self.root.long {
            self.root.head.push_str(text);
        }
        self.root.last = text.chars().next_back();
        Ok(())
    }

    /// Whether a bracket in prose opens a value.
    fn opens(&self, c: char) -> Ahead<Tri> {
        let mut look = self.look(1);
        look.skip_blanks()?;
        let seen = match look.peek()? {
            Seen::Limit => return Ok(Tri::Limit),
            Seen::End => return Ok(if c == '{' { Tri::Yes } else { Tri::No }),
            Seen::Char(seen) => seen,
        };
        let yes = match c {
            '{' => {
                seen == '}' || look.member_start(false)?.likely() || {
                    let mut inner = look;
                    seen == '{' && {
                        inner.bump('{');
                        inner.skip_blanks()?;
                        inner.member_start(false)?.likely()
                    }
                }
            }
            _ => seen == ']' || look.value_start()?,
        };
        Ok(if yes { Tri::Yes } else { Tri::No })
    }

    /// Whether prose so far makes a bracket part of a word, as in `a[0]`.
    fn in_word(&self, c: char) -> bool {
        c == '[' && self.root.last.is_some_and(char::is_alphanumeric)
    }

    /// Whether a call or an assignment stands before a string: then the string is its value.
    fn wrapped_string(&self, c: char) -> Ahead<bool> {
        Ok(c != '(' && !self.root.long && is_wrapper(&self.root.head))
    }

    /// Reports the text that went by.
    fn prose_out(&mut self) {
        let Some(start) = self.root.prose.take() else { return };
        let span = (start, self.offset());
        let head = core::mem::take(&mut self.root.head);
        let wrapper = !self.root.long && is_wrapper(&head);
        let closing = self.root.wrapped || self.root.count > 0;
        let bare = |c: char| matches!(c, ')' | ';') || is_blank(c);
        if wrapper && self.root.count == 0 {
            self.root.wrapped = true;
            self.mend(Diagnostic::wrapper, span);
        } else if self.root.wrapped && !self.root.over && !self.root.long && head.chars().all(bare)
        {
            self.mend(Diagnostic::wrapper, span);
        } else if closing {
            self.mend(Diagnostic::trailing_data, span);
        } else {
            self.mend(Diagnostic::prose, span);
        }
    }

    /// A fence with its word.
    fn fence(&mut self) -> Step {
        let rest = self.rest();
        let ticks = rest.find(|c| c != '`').unwrap_or(rest.len());
        let behind = rest.get(ticks..).unwrap_or_default();
        let word = behind
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '+' | '.')))
            .unwrap_or(behind.len());
        if ticks + word == rest.len() && !self.ended && rest.len() < HEAD {
            return Err(Halt::More);
        }
        let text = behind.get(..word).unwrap_or_default();
        // A literal directly behind the fence is its content.
        let word = if classify(text).is_some() { 0 } else { word };
        self.root.over |= self.root.count > 0 && !self.root.all;
        let span = self.take(ticks + word);
        self.mend(Diagnostic::fence, span);
        Ok(())
    }

    /// Whether round brackets at the root are all there is.
    fn paren_root(&self) -> Ahead<bool> {
        if self.root.count > 0 {
            return Ok(false);
        }
        let mut look = self.look(0);
        let mut depth = 0_usize;
        while let Seen::Char(c) = look.peek()? {
            look.bump(c);
            match c {
                '"' | '\'' => {
                    if let Some(quotes) = Self::opening_quote(c) {
                        look.pass_string(quotes)?;
                    }
                }
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' if depth > 1 => depth -= 1,
                ')' => {
                    return only_remains(look);
                }
                _ => {}
            }
        }
        Ok(false)
    }

    /// The length of `name(`, where a call around one literal is all there is.
    fn call_root(&self) -> Ahead<Option<usize>> {
        let call = if self.root.count == 0 { self.call()? } else { None };
        let Some((length, mut look)) = call else { return Ok(None) };
        look.bump(')');
        Ok(only_remains(look)?.then_some(length))
    }

    fn root_end(&mut self) -> Step {
        if let Some(span) = self.root.comma.take() {
            self.mend(Diagnostic::trailing_data, span);
        }
        if self.root.count == 0 {
            return Err(Halt::Error(ErrorKind::NoValue));
        }
        self.root.ended = true;
        Ok(())
    }
}

/// Whether only semicolons and the end, or a fence, follow.
fn only_remains(mut look: Look<'_>) -> Ahead<bool> {
    look.skip_blanks()?;
    while look.eat(";")? {
        look.skip_blanks()?;
    }
    Ok(look.peek()? == Seen::End || look.starts_with("```")?)
}

/// Whether text before a value is a call or an assignment: `name(`, `const x =`.
fn is_wrapper(head: &str) -> bool {
    let head = head.trim_matches(is_blank);
    let name = |text: &str| {
        !text.is_empty()
            && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
    };
    if let Some(text) = head.strip_suffix('(') {
        return text.is_empty() || name(text.trim_end_matches(is_blank));
    }
    let Some(text) = head.strip_suffix('=') else { return false };
    let mut words = text.split(is_blank).filter(|word| !word.is_empty());
    match (words.next(), words.next(), words.next()) {
        (Some(only), None, None) => name(only),
        (Some("const" | "let" | "var" | "export"), Some(second), None) => name(second),
        _ => false,
    }
}
