//! Which quote ends a string value.

use super::look::{Ahead, Look, Seen, Tri};
use super::marks::{Quotes, is_comma};
use super::{Repair, Shape};

/// What a quote of the string's own kind is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    End,
    Data,
    /// It ends a piece of the string: the next one begins so many bytes behind it.
    Join {
        bytes: usize,
        quotes: Quotes,
    },
}

/// What the string stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Object,
    Array,
    Group,
}

fn end_if(end: bool) -> Verdict {
    if end { Verdict::End } else { Verdict::Data }
}

impl Repair {
    /// What the quote that ends `behind` bytes behind the front is. Where the bound leaves it open
    /// it is the end, as strict reading has it.
    pub(super) fn closes(&self, behind: usize) -> Ahead<Verdict> {
        let place = match self.top() {
            None => Place::Root,
            Some(frame) => match frame.shape {
                Shape::Object => Place::Object,
                Shape::Array => Place::Array,
                Shape::Group => Place::Group,
            },
        };
        let mut look = self.look(behind);
        // What stands directly behind a quote is no comment and no second string.
        if look.line_comment()? {
            return Ok(Verdict::Data);
        }
        let line = look.skip_blanks()?;
        let c = match look.peek()? {
            Seen::End | Seen::Limit => return Ok(Verdict::End),
            Seen::Char(c) => c,
        };
        if Self::fence_ahead(&look)? {
            return Ok(Verdict::End);
        }
        if look.at() == 0 && Quotes::open(c).is_some() {
            // But for a member: then only the comma is missing.
            let member = place == Place::Object && !self.text.inner;
            return Ok(end_if(member && look.quoted_member()? == Tri::Yes));
        }
        match c {
            _ if self.separates(c) => self.behind_comma(look, place),
            '}' | ']' | ')' => self.behind_closers(look, place),
            ':' | '：' => Ok(end_if(place == Place::Array)),
            '+' => self.behind_plus(look),
            _ if Quotes::open(c).is_some() => self.behind_quote(look, c, place, line),
            '…' if place == Place::Array => Ok(Verdict::End),
            '.' if place == Place::Array && look.starts_with("...")? => Ok(Verdict::End),
            // A container in a row with the string.
            '{' | '[' if place == Place::Array => Ok(Verdict::End),
            // The next object of the array, where this one lacks its closing bracket.
            '{' if place == Place::Object && self.parent_is_array() => {
                look.bump(c);
                look.skip_blanks()?;
                Ok(end_if(look.member_start(true)? == Tri::Yes))
            }
            _ if place == Place::Array => Ok(end_if(look.value_start()? && look.whole_scalar()?)),
            _ if place == Place::Object && line => Ok(end_if(look.member_start(true)? == Tri::Yes)),
            _ => Ok(Verdict::Data),
        }
    }

    /// Whether the quote behind so many letters ends them, as a string whose opening quote is missing:
    /// otherwise they are the prefix of one.
    pub(super) fn letters_end(&self, letters: usize) -> Ahead<bool> {
        let mut look = self.look(letters + 1);
        look.skip_blanks()?;
        let Seen::Char(c) = look.peek()? else { return Ok(false) };
        if is_comma(c) {
            look.bump(c);
            look.skip_blanks()?;
            return if self.in_object() {
                Ok(look.member_start(true)? == Tri::Yes)
            } else {
                look.value_start()
            };
        }
        if !matches!(c, '}' | ']') {
            return Ok(false);
        }
        while let Seen::Char(c @ ('}' | ']')) = look.peek()? {
            look.bump(c);
            look.skip_blanks()?;
        }
        Ok(match look.peek()? {
            Seen::Char(c) => is_comma(c),
            seen => seen == Seen::End,
        })
    }

    fn behind_comma(&self, mut look: Look<'_>, place: Place) -> Ahead<Verdict> {
        while let Seen::Char(c) = look.peek()? {
            if !self.separates(c) {
                break;
            }
            look.bump(c);
            look.skip_blanks()?;
        }
        let c = match look.peek()? {
            Seen::End | Seen::Limit => return Ok(Verdict::End),
            Seen::Char(c) => c,
        };
        Ok(end_if(match place {
            // Code is full of commas: only a quoted key and a colon prove a member.
            Place::Object if self.text.inner => {
                c == '}'
                    || (c == '{' && self.parent_is_array())
                    || look.quoted_member()?.likely()
                    || self.cut_key_follows(look)?
            }
            Place::Object => {
                c == '}'
                    || (c == '{' && self.parent_is_array())
                    || look.member_start(false)?.likely()
                    || look.starts_with("...")?
                    || look.unclosed_key()?
                    || self.cut_key_follows(look)?
            }
            Place::Array => {
                matches!(c, ']' | '}' | '…')
                    || (c == ')' && self.closes_bracket(')'))
                    || look.starts_with("...")?
                    || look.value_start()?
                    || look.bracketed_value()?
                    || (!self.text.inner && look.bare_entry()?)
            }
            Place::Root => Quotes::open(c).is_some() || matches!(c, '{' | '['),
            Place::Group => true,
        }))
    }

    fn behind_plus(&self, mut look: Look<'_>) -> Ahead<Verdict> {
        look.bump('+');
        look.skip_blanks()?;
        let c = match look.peek()? {
            // The end of the input may have cut what is joined.
            Seen::End => return Ok(end_if(!self.text.inner)),
            Seen::Limit => return Ok(Verdict::End),
            Seen::Char(c) => c,
        };
        let Some(quotes) = Quotes::open(c) else { return Ok(Verdict::Data) };
        Ok(Verdict::Join { bytes: look.at() + c.len_utf8(), quotes })
    }

    /// Another quote: it begins a member, an entry, or another piece of the same string.
    fn behind_quote(
        &self,
        mut look: Look<'_>,
        c: char,
        place: Place,
        line: bool,
    ) -> Ahead<Verdict> {
        match place {
            Place::Array => return Ok(Verdict::End),
            Place::Root => return Ok(end_if(line)),
            Place::Object | Place::Group => {}
        }
        let Some(quotes) = Quotes::open(c) else { return Ok(Verdict::Data) };
        // A key that the end of the input cut, if the string so far has no quotes in it.
        let apart = look.at() > 0 && !self.text.inner;
        look.bump(c);
        let join = Verdict::Join { bytes: look.at(), quotes };
        match look.pass_string(quotes)? {
            Seen::Limit => return Ok(Verdict::End),
            Seen::End if place == Place::Group => return Ok(join),
            Seen::End => return Ok(end_if(apart)),
            Seen::Char(_) => {}
        }
        look.skip_blanks()?;
        if place == Place::Object && look.colon()? {
            return Ok(Verdict::End);
        }
        Ok(match look.peek()? {
            Seen::Char(',' | '}') | Seen::End => join,
            Seen::Char(')') if place == Place::Group => join,
            Seen::Limit => Verdict::End,
            Seen::Char(c) if !self.text.inner && third_piece(look, c)? => join,
            Seen::Char(_) => Verdict::Data,
        })
    }

    /// A run of closing brackets: it ends the string if it closes the root, or if what follows it
    /// can follow a container.
    fn behind_closers(&self, mut look: Look<'_>, place: Place) -> Ahead<Verdict> {
        let mut open = self.stack.len();
        loop {
            let c = match look.peek()? {
                Seen::End | Seen::Limit => return Ok(Verdict::End),
                Seen::Char(c) => c,
            };
            let closes = matches!(c, '}' | ']') || (c == ')' && self.closes_bracket(')'));
            if !closes {
                break;
            }
            look.bump(c);
            let above = self.stack.get(..open).unwrap_or_default();
            let suits = above.iter().rposition(|frame| frame.closer() == c);
            open = suits.unwrap_or(open);
            look.skip_blanks()?;
        }
        let c = match look.peek()? {
            Seen::End | Seen::Limit => return Ok(Verdict::End),
            Seen::Char(c) => c,
        };
        if Self::fence_ahead(&look)? {
            return Ok(Verdict::End);
        }
        if place == Place::Root {
            // None of them closes anything.
            return match self.separates(c) {
                true => self.behind_comma(look, place),
                false => Ok(Verdict::Data),
            };
        }
        if open == 0 {
            return Ok(end_if(!self.text.inner));
        }
        let object = self
            .stack
            .get(..open)
            .and_then(<[_]>::last)
            .is_some_and(|frame| frame.shape == Shape::Object);
        let member = |look: Look<'_>| match self.text.inner {
            true => look.quoted_member(),
            false => look.member_start(true),
        };
        Ok(end_if(
            self.separates(c) || matches!(c, '{' | '[') || (object && member(look)? == Tri::Yes),
        ))
    }

    /// Whether a character may stand for a comma behind a string: in code, which a string with quotes
    /// in it mostly is, only a comma does.
    fn separates(&self, c: char) -> bool {
        if self.text.inner { c == ',' } else { is_comma(c) }
    }
}

/// Whether a third string stands here, in a row with the two before it.
fn third_piece(mut look: Look<'_>, c: char) -> Ahead<bool> {
    let Some(quotes) = Quotes::open(c) else { return Ok(false) };
    look.bump(c);
    if !matches!(look.pass_string(quotes)?, Seen::Char(_)) {
        return Ok(false);
    }
    look.skip_blanks()?;
    Ok(match look.peek()? {
        Seen::Char(c) => matches!(c, ',' | '}' | ')') || look.colon()? || Quotes::open(c).is_some(),
        Seen::End | Seen::Limit => true,
    })
}
