//! A block that begins in a value in which what closes its call stood already.
//!
//! Either the value lacked its closing tag and this is the next call, or the value writes about calls.
//! A closing tag of a parameter after the block, with nothing to close, shows the second; up to the
//! next opener, the end of the stream or a limit nothing else does. What the value gave out cannot be
//! taken back, so in the first case its call is refused, and reading goes on at the block.

use super::doubt::MAX_AFTER;
use super::{State, Stepped, TagReading, cut_value, next_char};
use crate::engine::{Ctx, Lex, Step, Tag, is_whitespace};
use crate::program::Tagged;

/// How far the block has been followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Followed {
    /// The tag of its call was read, and what closes the call.
    called: bool,
    pub(super) closed: bool,
    /// Parameters that are open.
    params: usize,
}

impl TagReading {
    /// Whether a tag in a value may begin the next call.
    pub(super) fn may_be_another(&self, tag: Tag) -> bool {
        let line_start = self.text.held.starts_with('\n') || self.text.at_line_start();
        let named = tag == Tag::OpenCall && !self.lexer.name().is_empty();
        self.quoted.ended && line_start && (named || tag == Tag::OpenWrap)
    }

    pub(super) fn begin_another(&mut self, tag: Tag, spec: &Tagged, ctx: &Ctx<'_>) {
        self.followed = Followed { called: tag == Tag::OpenCall, ..Followed::default() };
        // Where the tag is data after all, it counts as such.
        self.quote(tag, spec, ctx);
        self.lexer.reset();
        self.state = State::Another;
    }

    pub(super) fn another(
        &mut self,
        input: &mut &str,
        spec: &Tagged,
        ctx: &mut Ctx<'_>,
    ) -> Stepped {
        while let Some(c) = next_char(input) {
            if c == '<' {
                self.lexer.reset();
            }
            self.text.hold(c);
            let lexed = self.lexer.feed(c, &spec.words, false);
            let is_call = match lexed {
                Lex::Tag(tag) => self.follow(tag),
                // Between the tags of the wrapper and the call nothing stands.
                Lex::No | Lex::Bad if !self.followed.called && !is_whitespace(c) => Some(false),
                _ => None,
            };
            match is_call {
                Some(true) => return Err(cut_value()),
                Some(false) => {
                    // Only a closing tag of the parameter shows that the value went on.
                    self.quoted.ended &= !self.followed.called;
                    return Ok(Some(self.refuse(ctx)));
                }
                None if self.text.held.len() > MAX_AFTER => return Err(cut_value()),
                None => {}
            }
        }
        Ok(Some(Step::More))
    }

    /// Whether a tag shows that the block is another call, or that it is data.
    fn follow(&mut self, tag: Tag) -> Option<bool> {
        let named = !self.lexer.name().is_empty();
        let followed = &mut self.followed;
        match tag {
            Tag::OpenCall if named && !followed.called => followed.called = true,
            _ if !followed.called => return Some(false),
            Tag::OpenCall if named => return Some(true),
            Tag::OpenWrap if followed.closed => return Some(true),
            Tag::OpenParam if named && !self.lexer.closes_itself() => followed.params += 1,
            Tag::CloseParam if followed.params == 0 => return Some(false),
            Tag::CloseParam => followed.params -= 1,
            Tag::CloseCall | Tag::CloseWrap => followed.closed = true,
            _ => {}
        }
        None
    }
}
