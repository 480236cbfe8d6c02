//! Values that may be longer than they seem.
//!
//! A value that lacks its own closing tag, or in which a parameter was opened, may hold what seemed to
//! end it. If a tag of a parameter or a closing tag of a call comes after the call, before another
//! call begins, it did: the call does not run, and is read on, so that nothing inside it does. So the end of such a call
//! waits for what follows it.

use super::{State, Stepped, TagReading, cut_value, next_char, take};
use crate::engine::{Ctx, Lex, Step, Tag, is_whitespace};
use crate::program::Tagged;

/// Bytes after the call that are looked at.
pub(super) const MAX_AFTER: usize = 4096;

impl TagReading {
    /// After the closing tag of the call.
    pub(super) fn doubt(&mut self, input: &mut &str, spec: &Tagged, ctx: &mut Ctx<'_>) -> Stepped {
        while let Some(c) = next_char(input) {
            if c == '<' {
                let word = self.lexer.word();
                let is_param = spec.words.param.iter().any(|own| spec.words.same(own, word));
                if self.lexer.is_closing_word() && is_param {
                    self.go_on_in(ctx);
                    return Ok(Some(Step::Refeed("<".to_owned())));
                }
                self.lexer.reset();
                self.tag = self.text.held.len();
            }
            self.text.hold(c);
            let lexed = self.lexer.feed(c, &spec.words, false);
            match lexed {
                Lex::Tag(Tag::CloseParam) => {
                    self.go_on_in(ctx);
                    return Ok(None);
                }
                Lex::Tag(Tag::OpenParam) if !self.lexer.name().is_empty() => {
                    self.text.params.refuse(cut_value());
                    let tag = self.text.held.split_off(self.tag);
                    take(&self.text.held, ctx);
                    self.text.held = tag;
                    self.state = State::Gap;
                    return self.tag(Tag::OpenParam, spec, ctx);
                }
                Lex::Tag(Tag::CloseCall) => {
                    self.text.params.refuse(cut_value());
                    self.take_tag(ctx);
                }
                _ => {}
            }
            let next = matches!(lexed, Lex::Tag(Tag::OpenCall | Tag::OpenWrap));
            if next || self.text.held.len() > MAX_AFTER {
                self.close(ctx);
                return Ok(Some(Step::Closed));
            }
        }
        Ok(Some(Step::More))
    }

    /// The call is none, and what follows may be data of it.
    fn go_on_in(&mut self, ctx: &mut Ctx<'_>) {
        self.text.params.refuse(cut_value());
        self.take_tag(ctx);
        self.state = State::Gap;
    }

    /// Whether the beginning of a tag may be that of a parameter.
    pub(super) fn may_open_param(&self, tag: &str, spec: &Tagged) -> bool {
        let Some(word) = tag.strip_prefix('<').map(|word| word.trim_start_matches(is_whitespace))
        else {
            return false;
        };
        let end = word.find(|c: char| is_whitespace(c) || c == '=').unwrap_or(word.len());
        let word = word.get(..end).unwrap_or_default();
        let begins =
            |own: &String| own.get(..word.len()).is_some_and(|own| spec.words.same(own, word));
        !word.is_empty() && !word.starts_with('/') && spec.words.param.iter().any(begins)
    }
}
