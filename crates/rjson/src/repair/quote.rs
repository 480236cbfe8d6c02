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
        let line = look.skip_blanks()?;
        let c = match look.peek()? {
            Seen::End | Seen::Limit => return Ok(Verdict::End),
            Seen::Char(c) => c,
        };
        if Self::fence_ahead(&look)? {
            return Ok(Verdict::End);
        }
        match c {
            _ if is_comma(c) => self.behind_comma(look, place),
            '}' | ']' | ')' => self.behind_closers(look, place),
            ':' | '：' => Ok(end_if(place == Place::Array)),
            '+' => behind_plus(look),
            _ if Quotes::open(c).is_some() => behind_quote(look, c, place, line),
            '.' | '…' if place == Place::Array => {
                Ok(end_if(look.starts_with("...")? || c == '…'))
            }
            // A container in a row with the string.
            '{' | '[' if place == Place::Array => Ok(Verdict::End),
            _ if place == Place::Array => Ok(end_if(look.value_start()? && look.whole_scalar()?)),
            _ if place == Place::Object && line => Ok(end_if(look.member_start(true)? == Tri::Yes)),
            _ => Ok(Verdict::Data),
        }
    }

    fn behind_comma(&self, mut look: Look<'_>, place: Place) -> Ahead<Verdict> {
        while let Seen::Char(c) = look.peek()? {
            if !is_comma(c) {
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
            Place::Object => {
                c == '}'
                    || (c == '{' && self.parent_is_array())
                    || look.member_start(false)?.likely()
                    || look.starts_with("...")?
            }
            Place::Array => {
                matches!(c, ']' | '}' | '…')
                    || (c == ')' && self.closes_bracket(')'))
                    || look.starts_with("...")?
                    || look.value_start()?
                    || escaped_or_relaxed(look)?
            }
            Place::Root => Quotes::open(c).is_some() || matches!(c, '{' | '['),
            Place::Group => true,
        }))
    }

    /// A run of closing brackets: it ends the string if it closes the root, or if what follows it
    /// can follow a container.
    fn behind_closers(&self, mut look: Look<'_>, place: Place) -> Ahead<Verdict> {
        if place == Place::Root {
            return Ok(Verdict::Data);
        }
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
            let suits = above.iter().rposition(|frame| frame.closer == c);
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
        if open == 0 {
            return Ok(end_if(!self.text.inner));
        }
        let object = self
            .stack
            .get(..open)
            .and_then(<[_]>::last)
            .is_some_and(|frame| frame.shape == Shape::Object);
        Ok(end_if(
            is_comma(c)
                || matches!(c, '{' | '[')
                || (object && look.member_start(true)? == Tri::Yes),
        ))
    }
}

/// A value of the relaxed grammar that is none of strict JSON's.
fn escaped_or_relaxed(look: Look<'_>) -> Ahead<bool> {
    Ok(matches!(look.peek()?, Seen::Char('+' | '.')) && look.value_start()?)
}

fn behind_plus(mut look: Look<'_>) -> Ahead<Verdict> {
    look.bump('+');
    look.skip_blanks()?;
    let Seen::Char(c) = look.peek()? else { return Ok(end_if(look.peek()? != Seen::End)) };
    let Some(quotes) = Quotes::open(c) else { return Ok(Verdict::Data) };
    Ok(Verdict::Join { bytes: look.at() + c.len_utf8(), quotes })
}

fn behind_quote(mut look: Look<'_>, c: char, place: Place, line: bool) -> Ahead<Verdict> {
    match place {
        Place::Array | Place::Group => return Ok(Verdict::End),
        Place::Root => return Ok(end_if(line)),
        Place::Object => {}
    }
    let Some(quotes) = Quotes::open(c) else { return Ok(Verdict::Data) };
    look.bump(c);
    let bytes = look.at();
    match look.pass_string(quotes)? {
        Seen::Limit => return Ok(Verdict::End),
        Seen::End => return Ok(Verdict::Data),
        Seen::Char(_) => {}
    }
    look.skip_blanks()?;
    if look.colon()? {
        return Ok(Verdict::End);
    }
    Ok(match look.peek()? {
        Seen::Char(',' | '}') | Seen::End => Verdict::Join { bytes, quotes },
        Seen::Limit => Verdict::End,
        Seen::Char(_) => Verdict::Data,
    })
}
