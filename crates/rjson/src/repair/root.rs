//! What stands around values: prose, fences, calls and assignments, several roots, remains.

use alloc::string::String;

use super::look::{Ahead, Look, More, Seen, Tri};
use super::marks::{is_closer, is_comma};
use super::number::{Word, classify, classify_cut};
use super::wake::Wake;
use super::{Frame, Halt, Repair, Shape, State, Step};
use crate::diagnostic::Code;
use crate::error::ErrorKind;
use crate::machine::Kind;

#[derive(Debug, Clone)]
pub(super) struct Root {
    /// The offset of the input's first byte.
    pub(super) base: u64,
    /// Complete roots.
    pub(super) count: usize,
    /// Where text that is no value began.
    pub(super) prose: Option<u64>,
    /// The first bytes of that text, if there are not more.
    pub(super) head: String,
    /// That text is longer.
    pub(super) long: bool,
    /// Its last character.
    pub(super) last: Option<char>,
    /// A number or literal that is a root unless other text follows it.
    scalar: Option<Scalar>,
    /// Commas since the last root.
    comma: Option<(u64, u64)>,
    /// Only the first value counts: something else stands behind it.
    pub(super) over: bool,
    /// A call or an assignment was opened.
    pub(super) wrapped: bool,
    /// Every root counts, whatever stands between.
    pub(super) all: bool,
    pub(super) ended: bool,
    /// Where the last root ended.
    end: u64,
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
            end: base,
        }
    }
}

impl Repair {
    pub(super) fn is_closed(&self) -> bool {
        self.root.ended
    }

    pub(super) fn root_done(&mut self) {
        self.root.count += 1;
        self.root.end = self.offset();
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
                    self.mend(Code::TrailingData, span);
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
                if self.begins_prose(c)? && self.opens(c)? == Tri::No {
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
                if self.is_left_over(c)? {
                    return self.begin_prose();
                }
                self.begin_root();
                self.state = State::First;
                Ok(())
            }
            _ => self.root_word(),
        }
    }

    /// Whether a bracket may belong to prose. One that a reader put in front of its text does not.
    fn begins_prose(&self, c: char) -> Ahead<bool> {
        let given = self.kept.is_some_and(|kept| self.offset() < kept);
        Ok(self.root.count > 0 || (!given && self.look(1).word_of_prose(c)?))
    }

    /// Whether a quote stands directly behind a root and never ends: it opens no other one.
    fn is_left_over(&self, c: char) -> Ahead<bool> {
        if self.root.count == 0 || self.root.end != self.offset() {
            return Ok(false);
        }
        let Some(quotes) = Self::opening_quote(c) else { return Ok(false) };
        let mut look = self.look(0);
        look.bump(c);
        Ok(look.pass_string(quotes)? == Seen::End)
    }

    /// A number, a literal, or a call around one; anything else is prose.
    pub(super) fn root_word(&mut self) -> Step {
        let Some(length) = self.word_length()? else {
            let number =
                self.rest().starts_with(|c: char| matches!(c, '+' | '-' | '.' | '0'..='9'));
            return if number { Err(Halt::Error(ErrorKind::TooLarge)) } else { self.begin_prose() };
        };
        let word = self.rest().get(..length).unwrap_or_default();
        let cut = length == self.rest().len() && self.ended && self.root.count == 0;
        // At the root, a word in another case is a word.
        let relaxed =
            |word: &Word| !matches!(word, Word::Repaired { kind, .. } if *kind != Kind::Number);
        let value = classify(word, &self.meter)
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
        self.mend(Code::Wrapper, span);
        let frame = Frame::new(Shape::Group, ')');
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
                    || (is_closer(c) && look.only_closers()?)
                    || (self.root.count > 0 && matches!(c, '{' | '[' | '0'..='9' | '-'))
                    || (!glued && look.row_of_scalars()?)
            }
        };
        let Some(scalar) = self.root.scalar.take() else { return Ok(()) };
        if !is_root {
            return self.begin_prose();
        }
        self.begin_root();
        self.word_out(scalar.word, scalar.length)
    }

    pub(super) fn begin_root(&mut self) {
        if self.root.count > 0 {
            let at = self.offset();
            let span = self.root.comma.take().unwrap_or((at, at));
            self.mend(Code::SeveralRoots, span);
        }
    }

    /// Whether round brackets at the root are all there is.
    fn paren_root(&self) -> Ahead<bool> {
        if self.root.count > 0 {
            return Ok(false);
        }
        let look = self.look(0);
        if !look.last_round()? {
            return Ok(false);
        }
        // Nothing but that bracket lets this look come to an end.
        match look.pass_parens().map_err(|more| More { wake: Wake::Round, ..more })? {
            Some(behind) => only_remains(behind),
            None => Ok(false),
        }
    }

    /// The length of `name(`, where a call around one literal is all there is.
    fn call_root(&self) -> Ahead<Option<usize>> {
        let call = if self.root.count == 0 { self.call()? } else { None };
        let Some((length, mut look)) = call else { return Ok(None) };
        look.bump(')');
        Ok(only_remains(look)?.then_some(length))
    }

    pub(super) fn root_end(&mut self) -> Step {
        if let Some(span) = self.root.comma.take() {
            self.mend(Code::TrailingData, span);
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
