//! Text around values that goes by: prose, calls and assignments, Markdown fences.

use super::look::{Ahead, Seen, Tri};
use super::marks::is_blank;
use super::number::classify;
use super::wake::Wake;
use super::{Halt, Repair, State, Step};
use crate::chars::floor_boundary;
use crate::diagnostic::Code;

/// The most bytes of prose that are looked at for a call or an assignment.
const HEAD: usize = 256;

impl Repair {
    pub(super) fn begin_prose(&mut self) -> Step {
        let all = self.root.all;
        self.root.over |= self.root.count > 0 && !all;
        self.root.prose = Some(self.offset());
        self.root.head.clear();
        self.root.last = None;
        self.root.long = false;
        self.deviated = true;
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
        let stop = behind.find(marks).unwrap_or(behind.len());
        self.meter.run(stop, behind);
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
        let mut look = self.look(1);
        // The document may have been escaped once too often.
        look.escaped = true;
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
            self.mend(Code::Wrapper, span);
        } else if self.root.wrapped && !self.root.over && !self.root.long && head.chars().all(bare)
        {
            self.mend(Code::Wrapper, span);
        } else if closing {
            self.mend(Code::TrailingData, span);
        } else {
            self.mend(Code::Prose, span);
        }
    }

    /// Whether a fence that nothing follows stands where a value or a key is due: no string in
    /// backticks begins there.
    pub(super) fn fence_ends_input(&self, c: char) -> Ahead<bool> {
        Ok(c == '`' && self.look(0).last_fence()?)
    }

    /// A fence with its word.
    pub(super) fn fence(&mut self) -> Step {
        // A longer one is several, however it is cut.
        let rest = self.rest();
        let rest = rest.get(..floor_boundary(rest, HEAD)).unwrap_or_default();
        let ticks = rest.find(|c| c != '`').unwrap_or(rest.len());
        let behind = rest.get(ticks..).unwrap_or_default();
        let word = behind.find(|c| !is_fence_word(c)).unwrap_or(behind.len());
        self.meter.run(ticks + word, rest);
        if ticks + word == rest.len() && !self.ended && self.rest().len() < HEAD {
            return Err(Halt::until(Wake::Fence));
        }
        let text = behind.get(..word).unwrap_or_default();
        // A literal directly behind the fence is its content.
        let word = if classify(text, &self.meter).is_some() { 0 } else { word };
        self.root.over |= self.root.count > 0 && !self.root.all;
        let span = self.take(ticks + word);
        self.mend(Code::Fence, span);
        Ok(())
    }
}

/// A character of the word behind a fence.
pub(super) fn is_fence_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '+' | '.')
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
