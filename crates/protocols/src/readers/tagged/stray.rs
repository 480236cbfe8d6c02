//! Text where a parameter or the end of the call is due.
//!
//! A model that forgets the end of a call goes on in prose, and some explain a parameter before they
//! write it. What follows says which: before a parameter or the end of the call the text stands
//! inside the call and is left out; before another call or the end of the stream the call was over
//! before it, unless it stands in a wrapper, which would have to be closed first. A closing tag of a
//! parameter shows that a value held one: such a value is cut off (C6), and the call cannot be read.
//! Nor can one without any parameter, as the text may be its arguments.

use toolweir_markers::Anchored;
use toolweir_segments::Span;

use super::gap::{begins_call, stray_text};
use super::{State, Stepped, TagReading, cut_value, next_char, take};
use crate::diagnostics::{AMBIGUOUS_CALL, STRAY_TEXT};
use crate::engine::{Ctx, Fault, Lex, Step, Tag};
use crate::program::Tagged;

/// Text that may stand there.
const MAX_STRAY: usize = 4096;

/// What the tag after the text is to the call.
enum Follows {
    /// One of its own.
    Own(Tag),
    /// The end of its block.
    BlockEnd,
    /// Another call.
    Other,
    /// Data.
    Text,
}

impl TagReading {
    /// Whether text may stand here: after a parameter, or in a wrapper before one.
    pub(super) fn may_stray(&self) -> bool {
        self.text.params.has_any() || self.wrapped
    }

    /// Text begins, or began with what is held after the whitespace; `c` is its last character.
    pub(super) fn begin_stray(&mut self, c: char, spec: &Tagged) {
        self.state = State::Stray;
        self.tag = self.text.held.len();
        self.begin_tail(c, spec);
    }

    /// A marker or tag may begin with the character just held.
    fn begin_tail(&mut self, c: char, spec: &Tagged) {
        let at = self.text.held.len() - c.len_utf8();
        self.lexer.reset();
        let lexed = self.lexer.feed(c, &spec.words, true);
        let block = spec.between.match_short(self.text.held.get(at..).unwrap_or_default());
        let begins = lexed == Lex::More || block != Anchored::None;
        self.tag = if begins { at } else { self.text.held.len() };
    }

    pub(super) fn stray(&mut self, input: &mut &str, spec: &Tagged, ctx: &mut Ctx<'_>) -> Stepped {
        while let Some(c) = next_char(input) {
            let in_tail = self.tag < self.text.held.len();
            self.text.hold(c);
            if self.text.held.len() > MAX_STRAY {
                return Err(stray_text());
            }
            if !in_tail {
                self.begin_tail(c, spec);
                continue;
            }
            let lexed = self.lexer.feed(c, &spec.words, true);
            let block =
                spec.between.match_short(self.text.held.get(self.tag..).unwrap_or_default());
            let follows = match (lexed, block) {
                (Lex::Tag(tag), _) => self.what_follows(tag, spec, ctx),
                (_, Anchored::Marker { id, may_grow: false, .. }) => {
                    let end = spec.between.role(id).closes();
                    if end { Follows::BlockEnd } else { Follows::Other }
                }
                (Lex::More, _) | (_, Anchored::Prefix | Anchored::Marker { .. }) => continue,
                _ => Follows::Text,
            };
            match follows {
                Follows::Text => self.begin_tail(c, spec),
                follows => return self.resolve_stray(follows, spec, ctx),
            }
        }
        Ok(Some(Step::More))
    }

    fn what_follows(&self, tag: Tag, spec: &Tagged, ctx: &Ctx<'_>) -> Follows {
        let (word, named) = (self.lexer.word(), !self.lexer.name().is_empty());
        match tag {
            Tag::OpenCall if named => Follows::Other,
            Tag::OpenWrap => Follows::Other,
            Tag::CloseWrap => Follows::BlockEnd,
            Tag::OpenParam | Tag::CloseParam | Tag::CloseCall => Follows::Own(tag),
            Tag::Open | Tag::OpenCall if self.text.params.declares(word) => Follows::Own(tag),
            Tag::Close if ctx.call.name.as_deref() == Some(word) => Follows::Own(tag),
            Tag::Close if begins_call(word, spec) => Follows::Own(tag),
            Tag::Open | Tag::Close | Tag::OpenCall => Follows::Text,
        }
    }

    fn resolve_stray(&mut self, follows: Follows, spec: &Tagged, ctx: &mut Ctx<'_>) -> Stepped {
        let opens = matches!(follows, Follows::Own(Tag::OpenParam | Tag::Open | Tag::OpenCall));
        if !opens && !self.text.params.has_any()
            || matches!(follows, Follows::Other) && self.wrapped
        {
            return Err(stray_text());
        }
        if self.doubtful {
            self.text.params.refuse(cut_value());
        } else if self.is_cut_param(spec) {
            let message = "the tag of a parameter of the call breaks off";
            self.text.params.refuse(Fault::new(AMBIGUOUS_CALL, message));
        }
        self.state = State::Gap;
        match follows {
            Follows::Own(Tag::CloseParam) if !self.doubtful => Err(stray_text()),
            Follows::Own(tag) => {
                self.leave_out(ctx);
                self.tag(tag, spec, ctx)
            }
            Follows::BlockEnd => {
                self.leave_out(ctx);
                self.by_structure(0, ctx)
            }
            // The text is the answer's.
            Follows::Other | Follows::Text => self.by_structure(0, ctx),
        }
    }

    /// Whether the text begins as the tag of a parameter does, whose rest is missing.
    pub(super) fn is_cut_param(&self, spec: &Tagged) -> bool {
        let text = self.text.held.get(self.lead..self.tag).unwrap_or_default();
        self.may_open_param(text, spec)
    }

    /// The text before the tag is left out.
    fn leave_out(&mut self, ctx: &mut Ctx<'_>) {
        let tag = self.text.held.split_off(self.tag);
        let at = ctx.out.at + self.lead as u64;
        take(&self.text.held, ctx);
        (self.text.held, self.lead) = (tag, 0);
        ctx.call.repaired = true;
        let message = "text between the parameters was left out";
        ctx.note(STRAY_TEXT, Span::new(at, ctx.out.at), message);
    }
}
