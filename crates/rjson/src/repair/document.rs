//! What stands around values: surrounding text, fences, calls and assignments, several roots, remains.

use alloc::string::String;

use super::lookahead::{Ahead, Lookahead, NeedMore, Resume, Seen, Tri};
use super::word::{Word, classify, classify_cut};
use super::{Halt, Repair, State, Step};
use crate::chars::{Quotes, floor_boundary, is_closing, is_comma, is_repair_whitespace};
use crate::diagnostic::{Code, ErrorKind, Span};

#[derive(Debug, Clone, Default)]
pub(super) struct Root {
    /// The offset of the input's first byte.
    pub(super) base: u64,
    /// Complete roots.
    pub(super) count: usize,
    /// Where text that is no value began.
    pub(super) surrounding: Option<u64>,
    /// The first bytes of that text, if there are not more.
    pub(super) head: String,
    /// That text is longer.
    pub(super) long: bool,
    /// Its last character.
    pub(super) last: Option<char>,
    /// A number or literal that is a root unless other text follows it.
    scalar: Option<Scalar>,
    /// Commas since the last root.
    comma: Option<Span>,
    /// Only the first value counts: something else stands after it.
    pub(super) over: bool,
    /// A call or an assignment was opened.
    pub(super) wrapped: bool,
    /// Every root counts, whatever stands between.
    pub(super) all: bool,
    pub(super) ended: bool,
    /// Where the last root ended.
    pub(super) end: u64,
}

#[derive(Debug, Clone)]
struct Scalar {
    word: Word,
    length: usize,
}

impl Root {
    pub(super) fn new(base: u64) -> Self {
        Self { base, end: base, ..Self::default() }
    }
}

impl Repair {
    /// Takes every root for one, whatever stands between them.
    pub(crate) fn all_roots(mut self) -> Self {
        self.root.all = true;
        self
    }

    pub(super) fn root_step(&mut self) -> Step {
        if self.root.scalar.is_some() {
            return self.scalar_step();
        }
        if self.root.surrounding.is_some() {
            return self.prose_step();
        }
        if self.whitespace_step()? {
            return Ok(());
        }
        let Some(c) = self.first()? else { return self.root_end() };
        if self.lookahead(0).starts_with("```")? {
            return self.fence();
        }
        if self.root.count > 0 && !self.root.all {
            if self.root.over {
                return self.begin_prose();
            }
            if is_comma(c) {
                let span = self.take(c.len_utf8());
                if self.root.comma.is_some() || c != ',' {
                    self.repaired(Code::TrailingData, span);
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
                // A bracket may belong to prose, but one that a reader put in front of its text does not.
                let given = self.kept.is_some_and(|kept| self.offset() < kept);
                let prose = self.root.count > 0 || (!given && self.lookahead(1).word_of_text(c)?);
                if prose && self.opens(c)? == Tri::No {
                    return self.begin_prose();
                }
                self.open_root()
            }
            '(' if self.paren_root()? => self.open_root(),
            '\\' if self.lookahead(0).starts_with("\\\"")? => self.open_root(),
            _ if Quotes::open(c).is_some() && self.root.count == 0
                || matches!(c, '"' | '\'' | '“') =>
            {
                // A quote directly after a root that never ends opens no other one.
                if self.root.count > 0
                    && self.root.end == self.offset()
                    && self.lookahead(0).pass_quoted()? == Some(Seen::End)
                {
                    return self.begin_prose();
                }
                self.open_root()
            }
            _ => self.root_word(),
        }
    }

    /// A root begins with what stands here.
    fn open_root(&mut self) -> Step {
        self.begin_root();
        self.state = State::First;
        Ok(())
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
        let relaxed = |word: &Word| !word.is_repaired() || word.is_number();
        let value = classify(word, &self.meter)
            .filter(relaxed)
            .or_else(|| cut.then(|| classify_cut(word)).flatten())
            .filter(|_| length > 0);
        if let Some(word) = value {
            self.root.scalar = Some(Scalar { word, length });
            return Ok(());
        }
        let Some(length) = self.call_root()? else { return self.begin_prose() };
        self.root.wrapped = true;
        self.open_call(length, Code::Wrapper)
    }

    /// A number or literal is a root if nothing else, a line end or a comma follows.
    fn scalar_step(&mut self) -> Step {
        let Some(scalar) = &self.root.scalar else { return Ok(()) };
        let mut lookahead = self.lookahead(scalar.length);
        let line = lookahead.skip_whitespace()?;
        let is_root = match lookahead.peek()? {
            Seen::End | Seen::Limit => true,
            Seen::Char(c) => {
                let glued = lookahead.at == 0;
                is_comma(c)
                    || lookahead.starts_with("```")?
                    || (line && !glued)
                    || (is_closing(c) && lookahead.only_closing()?)
                    || (self.root.count > 0 && matches!(c, '{' | '[' | '0'..='9' | '-'))
                    || (!glued && lookahead.row_of_scalars()?)
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
            let span = self.root.comma.take().unwrap_or(self.here());
            self.repaired(Code::SeveralRoots, span);
        }
    }

    /// Whether round brackets at the root are all there is.
    fn paren_root(&self) -> Ahead<bool> {
        if self.root.count > 0 {
            return Ok(false);
        }
        let lookahead = self.lookahead(0);
        if !lookahead.last_round()? {
            return Ok(false);
        }
        // Nothing but that bracket lets this lookahead come to an end.
        match lookahead.pass_parens().map_err(|more| NeedMore { resume: Resume::Round, ..more })? {
            Some(after) => only_remains(after),
            None => Ok(false),
        }
    }

    /// The length of `name(`, where a call around one literal is all there is.
    fn call_root(&self) -> Ahead<Option<usize>> {
        let call = if self.root.count == 0 { self.call()? } else { None };
        let Some((length, mut lookahead)) = call else { return Ok(None) };
        lookahead.bump(')');
        Ok(only_remains(lookahead)?.then_some(length))
    }

    pub(super) fn root_end(&mut self) -> Step {
        if let Some(span) = self.root.comma.take() {
            self.repaired(Code::TrailingData, span);
        }
        if self.root.count == 0 {
            return Err(Halt::Error(ErrorKind::NoValue));
        }
        self.root.ended = true;
        Ok(())
    }
}

/// Whether only semicolons and the end, or a fence, follow.
fn only_remains(mut lookahead: Lookahead<'_>) -> Ahead<bool> {
    while lookahead.eat_visible(";")? {}
    Ok(lookahead.peek()? == Seen::End || lookahead.starts_with("```")?)
}

/// The most bytes of prose that are examined for a call or an assignment.
const HEAD: usize = 256;

impl Repair {
    pub(super) fn begin_prose(&mut self) -> Step {
        let all = self.root.all;
        self.root.over |= self.root.count > 0 && !all;
        self.root.surrounding = Some(self.offset());
        self.root.head.clear();
        self.root.last = None;
        self.root.long = false;
        self.non_strict = true;
        Ok(())
    }

    pub(super) fn prose_step(&mut self) -> Step {
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
            '`' if self.lookahead(0).starts_with("```")? => {
                self.prose_out();
                return self.fence();
            }
            // After a call or an assignment a string is its value.
            '"' | '\'' => !self.root.long && is_wrapper(&self.root.head),
            _ => false,
        };
        if opens {
            self.prose_out();
            return self.open_root();
        }
        let rest = self.rest();
        let first = c.len_utf8();
        let after = rest.get(first..).unwrap_or_default();
        let marks = ['{', '[', '`', '"', '\'', '('];
        let stop = after.find(marks).unwrap_or(after.len());
        self.meter.run(stop, after);
        let length = first + stop;
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
    pub(super) fn opens(&self, c: char) -> Ahead<Tri> {
        let mut lookahead = self.lookahead(1);
        // The document may have been escaped once too often.
        lookahead.escaped = true;
        let seen = match lookahead.peek_visible()? {
            Seen::Limit => return Ok(Tri::Limit),
            Seen::End => return Ok(if c == '{' { Tri::Yes } else { Tri::No }),
            Seen::Char(seen) => seen,
        };
        let yes = match c {
            '{' => {
                seen == '}' || lookahead.member_start(false)?.likely() || {
                    let mut inner = lookahead;
                    seen == '{' && {
                        inner.pass_visible('{')?;
                        inner.member_start(false)?.likely()
                    }
                }
            }
            _ => seen == ']' || lookahead.value_start()?,
        };
        Ok(if yes { Tri::Yes } else { Tri::No })
    }

    /// Whether prose so far makes a bracket part of a word, as in `a[0]`.
    fn in_word(&self, c: char) -> bool {
        c == '[' && self.root.last.is_some_and(char::is_alphanumeric)
    }

    /// Reports the text that went by.
    fn prose_out(&mut self) {
        let Some(start) = self.root.surrounding.take() else { return };
        let span = Span::new(start, self.offset());
        let head = core::mem::take(&mut self.root.head);
        let wrapper = !self.root.long && is_wrapper(&head);
        let closing = self.root.wrapped || self.root.count > 0;
        let bare = |c: char| matches!(c, ')' | ';') || is_repair_whitespace(c);
        let opens = wrapper && self.root.count == 0;
        let closes =
            self.root.wrapped && !self.root.over && !self.root.long && head.chars().all(bare);
        self.root.wrapped |= opens;
        let code = match opens || closes {
            true => Code::Wrapper,
            false if closing => Code::TrailingData,
            false => Code::Prose,
        };
        self.repaired(code, span);
    }

    /// Whether a fence that nothing follows stands where a value or a key is due: no string in
    /// backticks begins there.
    pub(super) fn fence_ends_input(&self, c: char) -> Ahead<bool> {
        Ok(c == '`' && self.lookahead(0).last_fence()?)
    }

    /// A fence with its word.
    pub(super) fn fence(&mut self) -> Step {
        // A longer one is several, however it is cut.
        let rest = self.rest();
        let rest = rest.get(..floor_boundary(rest, HEAD)).unwrap_or_default();
        let ticks = rest.find(|c| c != '`').unwrap_or(rest.len());
        let after = rest.get(ticks..).unwrap_or_default();
        let word = after.find(|c| !is_fence_word(c)).unwrap_or(after.len());
        self.meter.run(ticks + word, rest);
        if ticks + word == rest.len() && !self.ended && self.rest().len() < HEAD {
            return Err(Halt::until(Resume::Fence));
        }
        let text = after.get(..word).unwrap_or_default();
        // A literal directly after the fence is its content.
        let word = if classify(text, &self.meter).is_some() { 0 } else { word };
        self.root.over |= self.root.count > 0 && !self.root.all;
        let span = self.take(ticks + word);
        self.repaired(Code::Fence, span);
        Ok(())
    }
}

/// A character of the word after a fence.
pub(super) fn is_fence_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '+' | '.')
}

/// Whether text before a value is a call or an assignment: `name(`, `const x =`.
fn is_wrapper(head: &str) -> bool {
    let head = head.trim_matches(is_repair_whitespace);
    let name = |text: &str| {
        !text.is_empty()
            && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
    };
    if let Some(text) = head.strip_suffix('(') {
        return text.is_empty() || name(text.trim_end_matches(is_repair_whitespace));
    }
    let Some(text) = head.strip_suffix('=') else { return false };
    let mut words = text.split(is_repair_whitespace).filter(|word| !word.is_empty());
    match (words.next(), words.next(), words.next()) {
        (Some(only), None, None) => name(only),
        (Some("const" | "let" | "var" | "export"), Some(second), None) => name(second),
        _ => false,
    }
}
