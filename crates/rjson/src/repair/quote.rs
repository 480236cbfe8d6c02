//! Which quote ends a string value, and what is done about it.

use super::lookahead::{Ahead, Lookahead, Seen, Tri};
use super::string::Ends;
use super::{Repair, Shape, Step};
use crate::chars::{Quotes, is_comma, is_repair_whitespace};
use crate::diagnostic::Code;

/// What a quote of the string's own kind is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    End,
    Data,
    /// It ends a piece of the string: the next one begins so many bytes after it.
    Join {
        bytes: usize,
        quotes: Quotes,
    },
}

/// What the string stands in; nothing at the root.
type Place = Option<Shape>;

fn end_if(end: bool) -> Verdict {
    if end { Verdict::End } else { Verdict::Data }
}

impl Repair {
    /// What the quote that ends `after` bytes after the front is. Where the bound leaves it open
    /// it is the end, as strict reading has it.
    pub(super) fn closes(&self, after: usize) -> Ahead<Verdict> {
        let place = self.stack.last().map(|frame| frame.shape);
        let mut lookahead = self.lookahead(after);
        // What stands directly after a quote is no comment and no second string.
        if lookahead.line_comment()? {
            return Ok(Verdict::Data);
        }
        let line = lookahead.skip_whitespace()?;
        let Seen::Char(c) = lookahead.peek()? else { return Ok(Verdict::End) };
        if lookahead.starts_with("```")? {
            return Ok(Verdict::End);
        }
        if lookahead.at == 0 && Quotes::open(c).is_some() {
            // But for a member: then only the comma is missing.
            let member = place == Some(Shape::Object) && !self.text.inner;
            return Ok(end_if(member && lookahead.quoted_member()? == Tri::Yes));
        }
        match c {
            _ if self.separates(c) => self.after_comma(lookahead, place),
            '}' | ']' | ')' => self.after_closing(lookahead, place),
            ':' | '：' => Ok(end_if(place == Some(Shape::Array))),
            '+' => self.after_plus(lookahead),
            _ if Quotes::open(c).is_some() => self.after_quote(lookahead, c, place, line),
            // What is left out, or a container in a row with the string.
            '…' | '{' | '[' if place == Some(Shape::Array) => Ok(Verdict::End),
            // The next object of the array, where this one lacks its closing bracket.
            '{' if place == Some(Shape::Object) && self.parent_is_array() => {
                lookahead.pass_visible(c)?;
                Ok(end_if(lookahead.member_start(true)? == Tri::Yes))
            }
            _ if place == Some(Shape::Array) => Ok(end_if(
                lookahead.starts_with("...")?
                    || (lookahead.value_start()? && lookahead.whole_scalar()?),
            )),
            _ if place == Some(Shape::Object) && line => {
                Ok(end_if(lookahead.member_start(true)? == Tri::Yes))
            }
            _ => Ok(Verdict::Data),
        }
    }

    /// Whether the quote after so many letters ends them, as a string whose opening quote is missing:
    /// otherwise they are the prefix of one.
    pub(super) fn letters_end(&self, letters: usize) -> Ahead<bool> {
        let mut lookahead = self.lookahead(letters + 1);
        let Seen::Char(c) = lookahead.peek_visible()? else { return Ok(false) };
        if is_comma(c) {
            lookahead.pass_visible(c)?;
            return if self.stack.in_object() {
                Ok(lookahead.member_start(true)? == Tri::Yes)
            } else {
                lookahead.value_start()
            };
        }
        if !matches!(c, '}' | ']') {
            return Ok(false);
        }
        while let Seen::Char(c @ ('}' | ']')) = lookahead.peek()? {
            lookahead.pass_visible(c)?;
        }
        Ok(lookahead.peek()?.is_end_or(is_comma))
    }

    fn after_comma(&self, mut lookahead: Lookahead<'_>, place: Place) -> Ahead<Verdict> {
        while let Seen::Char(c) = lookahead.peek()? {
            if !self.separates(c) {
                break;
            }
            lookahead.pass_visible(c)?;
        }
        let Seen::Char(c) = lookahead.peek()? else { return Ok(Verdict::End) };
        Ok(end_if(match place {
            // Code is full of commas: only a quoted key and a colon prove a member.
            Some(Shape::Object) => {
                c == '}'
                    || (c == '{' && self.parent_is_array())
                    || match self.text.inner {
                        true => lookahead.quoted_member()?.likely(),
                        false => {
                            lookahead.member_start(false)?.likely()
                                || lookahead.starts_with("...")?
                                || lookahead.unclosed_key()?
                        }
                    }
                    || self.cut_key_follows(lookahead)?
            }
            Some(Shape::Array) => {
                matches!(c, ']' | '}' | '…')
                    || (c == ')' && self.closes_bracket(')'))
                    || lookahead.starts_with("...")?
                    || lookahead.value_start()?
                    || lookahead.bracketed_value()?
                    || (!self.text.inner && lookahead.unquoted_entry()?)
            }
            None => Quotes::open(c).is_some() || matches!(c, '{' | '['),
            Some(Shape::Group) => true,
        }))
    }

    fn after_plus(&self, mut lookahead: Lookahead<'_>) -> Ahead<Verdict> {
        lookahead.bump('+');
        let c = match lookahead.peek_visible()? {
            // The end of the input may have cut what is joined.
            Seen::End => return Ok(end_if(!self.text.inner)),
            Seen::Limit => return Ok(Verdict::End),
            Seen::Char(c) => c,
        };
        let Some(quotes) = Quotes::open(c) else { return Ok(Verdict::Data) };
        Ok(Verdict::Join { bytes: lookahead.at + c.len_utf8(), quotes })
    }

    /// Another quote: it begins a member, an entry, or another piece of the same string.
    fn after_quote(
        &self,
        mut lookahead: Lookahead<'_>,
        c: char,
        place: Place,
        line: bool,
    ) -> Ahead<Verdict> {
        match place {
            Some(Shape::Array) => return Ok(Verdict::End),
            None => return Ok(end_if(line)),
            Some(Shape::Object | Shape::Group) => {}
        }
        let Some(quotes) = Quotes::open(c) else { return Ok(Verdict::Data) };
        // A key that the end of the input cut, if the string so far has no quotes in it.
        let apart = lookahead.at > 0 && !self.text.inner;
        lookahead.bump(c);
        let join = Verdict::Join { bytes: lookahead.at, quotes };
        match lookahead.pass_string(quotes)? {
            Seen::Limit => return Ok(Verdict::End),
            Seen::End if place == Some(Shape::Group) => return Ok(join),
            Seen::End => return Ok(end_if(apart)),
            Seen::Char(_) => {}
        }
        lookahead.skip_whitespace()?;
        if place == Some(Shape::Object) && lookahead.colon()? {
            return Ok(Verdict::End);
        }
        Ok(match lookahead.peek()? {
            Seen::Char(',' | '}') | Seen::End => join,
            Seen::Char(')') if place == Some(Shape::Group) => join,
            Seen::Limit => Verdict::End,
            Seen::Char(_) if !self.text.inner && third_string(lookahead)? => join,
            Seen::Char(_) => Verdict::Data,
        })
    }

    /// A run of closing brackets: it ends the string if it closes the root, or if what follows it
    /// can follow a container.
    fn after_closing(&self, mut lookahead: Lookahead<'_>, place: Place) -> Ahead<Verdict> {
        let mut open = self.stack.len();
        loop {
            let Seen::Char(c) = lookahead.peek()? else { return Ok(Verdict::End) };
            if !self.may_close(c) {
                break;
            }
            lookahead.bump(c);
            let above = self.stack.get(..open).unwrap_or_default();
            let matching = above.iter().rposition(|frame| frame.closing() == c);
            open = matching.unwrap_or(open);
            lookahead.skip_whitespace()?;
        }
        let Seen::Char(c) = lookahead.peek()? else { return Ok(Verdict::End) };
        if lookahead.starts_with("```")? {
            return Ok(Verdict::End);
        }
        if place.is_none() {
            // None of them closes anything.
            return match self.separates(c) {
                true => self.after_comma(lookahead, place),
                false => Ok(Verdict::Data),
            };
        }
        if open == 0 {
            return Ok(end_if(!self.text.inner));
        }
        let inmost = self.stack.get(open - 1);
        let object = inmost.is_some_and(|frame| frame.shape == Shape::Object);
        let member = |lookahead: Lookahead<'_>| match self.text.inner {
            true => lookahead.quoted_member(),
            false => lookahead.member_start(true),
        };
        Ok(end_if(
            self.separates(c)
                || matches!(c, '{' | '[')
                || (object && member(lookahead)? == Tri::Yes),
        ))
    }

    /// Whether a character may stand for a comma after a string: in code, which a string with quotes
    /// in it mostly is, only a comma does.
    fn separates(&self, c: char) -> bool {
        if self.text.inner { c == ',' } else { is_comma(c) }
    }

    /// A quote of the string's own kind, after a run of so many bytes that is held back.
    pub(super) fn quote(&mut self, run: usize) -> Step {
        if let (Some(_), Ends::Quotes(quotes)) = (&self.guide, self.text.ends) {
            return self.guided_quote(run, quotes);
        }
        let quote = self.window.get(self.pos + run..).and_then(|rest| rest.chars().next());
        let width = quote.map_or(1, char::len_utf8);
        let verdict = self.closes(run + width)?;
        if verdict == Verdict::Data
            && let tail = self.rest().get(..run).unwrap_or_default()
            && let Some(cut) = cut_before_key(tail)
        {
            let lookahead = self.lookahead(run);
            let next_begins = if self.stack.in_array() {
                lookahead.entry_start()?
            } else {
                lookahead.member_start(true)? == Tri::Yes || lookahead.unclosed_key()?
            };
            if next_begins {
                self.text_out(cut);
                return self.string_ends_without_quote();
            }
        }
        self.text_out(run);
        match verdict {
            Verdict::End => self.string_end(width),
            Verdict::Join { bytes, quotes: next } => {
                self.non_strict = true;
                let span = self.take(width + bytes);
                self.repaired(Code::Concatenation, span);
                self.text.ends = Ends::Quotes(next);
                Ok(())
            }
            Verdict::Data => {
                self.text.inner = true;
                let span = self.text_out(width);
                self.repaired(Code::InnerQuote, span);
                Ok(())
            }
        }
    }
}

/// Whether a third string stands here, in a row with the two before it.
fn third_string(mut lookahead: Lookahead<'_>) -> Ahead<bool> {
    if !lookahead.pass_quoted()?.is_some_and(Seen::is_char) {
        return Ok(false);
    }
    Ok(match lookahead.peek_visible()? {
        Seen::Char(c) => {
            matches!(c, ',' | '}' | ')') || lookahead.colon()? || Quotes::open(c).is_some()
        }
        Seen::End | Seen::Limit => true,
    })
}

/// Where a string without its closing quote ended, if a key follows this run: before the comma, or
/// before the line break.
fn cut_before_key(tail: &str) -> Option<usize> {
    let before = tail.trim_end_matches(is_repair_whitespace);
    if let Some(text) = before.strip_suffix(',') {
        return Some(text.len());
    }
    let spaces = tail.get(before.len()..)?;
    spaces.find(['\n', '\r']).map(|at| before.len() + at)
}
