//! Between parameters: whitespace, a tag of the format, a marker of the block, or an error.

use toolweir_markers::Anchored;
use toolweir_segments::Span;

use super::{Opened, State, Stepped, TagReading, cut_value, next_char, take};
use crate::diagnostics::{BAD_NAME, LIMIT_HELD, REPEATED_OPENER, UNREADABLE_CALL, WRONG_CLOSER};
use crate::engine::{
    Ctx, Fault, Lex, MAX_WHITESPACE, Result, Step, Tag, hold_text, is_whitespace, starts_word,
};
use crate::program::Tagged;
use crate::readers::taken;

impl TagReading {
    pub(super) fn gap(&mut self, input: &mut &str, spec: &Tagged, ctx: &mut Ctx<'_>) -> Stepped {
        self.gap_whitespace(input, ctx);
        let most = ctx.request.limits.max_held_bytes;
        loop {
            if spec.tags_end_markers {
                self.hold_run(input, most, true, spec);
            }
            let Some(c) = next_char(input) else { break };
            self.text.hold(c);
            let lexed = self.lexer.feed(c, &spec.words, true);
            let block = match lexed {
                Lex::Tag(tag) => return self.tag(tag, spec, ctx),
                Lex::More if spec.tags_end_markers || self.lexer.in_name() => Anchored::None,
                _ => spec.between.match_short(self.text.held.get(self.lead..).unwrap_or_default()),
            };
            match (lexed, block) {
                (_, Anchored::Marker { may_grow: false, .. }) => {
                    // The block goes on or ends without this call's end marker.
                    return self.by_structure(self.lead, ctx);
                }
                (Lex::More, _)
                | (_, Anchored::Prefix | Anchored::Marker { may_grow: true, .. })
                    if self.text.held.len() <= most => {}
                (Lex::More, _) | (_, Anchored::Prefix | Anchored::Marker { .. }) => {
                    let message = "a tag of the call is longer than the limit";
                    return Err(Fault::new(LIMIT_HELD, message));
                }
                // A declared key may hold whitespace.
                (Lex::Bad, _) if c == '>' && self.is_declared() => {
                    return self.tag(Tag::OpenParam, spec, ctx);
                }
                (Lex::Bad, _) => {
                    return Err(Fault::new(BAD_NAME, "a tag of the call has no readable name"));
                }
                _ if self.may_stray() || self.is_comment() => {
                    self.begin_stray(c, spec);
                    return Ok(None);
                }
                _ => return Err(stray_text()),
            }
        }
        Ok(Some(Step::More))
    }

    /// Whether the name of the tag, which is none, is a key that the tool declares.
    fn is_declared(&self) -> bool {
        !self.lexer.is_call() && self.text.params.declares(self.lexer.name())
    }

    /// A comment is no argument, wherever it stands.
    fn is_comment(&self) -> bool {
        self.text.held.get(self.lead..).is_some_and(|text| text.starts_with("<!"))
    }

    /// Whether the tag just read is the one that opened the call, once more, before any parameter.
    fn is_opened_again(&self, ctx: &Ctx<'_>) -> bool {
        !self.text.params.has_any()
            && !self.lexer.closes_itself()
            && ctx.call.name.as_deref() == Some(self.lexer.name())
    }

    /// Whitespace before a tag. They wait where text may follow, whose own they are then.
    fn gap_whitespace(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) {
        if self.lead < self.text.held.len() {
            return;
        }
        let rest = input.trim_start_matches(is_whitespace);
        let whitespace = taken(input, rest);
        *input = rest;
        self.flowing |= !self.may_stray() || self.lead + whitespace.len() > MAX_WHITESPACE;
        if self.flowing {
            take(&self.text.held, ctx);
            take(whitespace, ctx);
            self.text.held.clear();
        } else {
            hold_text(&mut self.text.held, whitespace);
        }
        self.lead = self.text.held.len();
        self.flowing &= rest.is_empty();
        self.lexer.reset();
    }

    /// The call is whole without its end marker; what is held from `own` on is not its own.
    pub(super) fn by_structure(&mut self, own: usize, ctx: &mut Ctx<'_>) -> Stepped {
        let rest = self.text.held.split_off(own.min(self.text.held.len()));
        take(&self.text.held, ctx);
        self.text.held = rest;
        self.lacks_end(ctx);
        self.text.params.close_before_more(ctx);
        Ok(Some(Step::ClosedByStructure))
    }

    /// A whole tag, which is all that is held.
    pub(super) fn tag(&mut self, tag: Tag, spec: &Tagged, ctx: &mut Ctx<'_>) -> Stepped {
        let named = !self.lexer.name().is_empty();
        match tag {
            Tag::OpenParam if named => {
                self.param_word = spec.words.place(&spec.words.param, self.lexer.word());
                self.opened_value(Opened::Param, ctx)?;
            }
            // Without a name and a value it says nothing.
            Tag::OpenParam if self.lexer.closes_itself() => self.take_tag(ctx),
            Tag::OpenParam | Tag::OpenCall | Tag::Open
                if !named && self.text.params.declares(self.lexer.word()) =>
            {
                self.opened_value(Opened::Property, ctx)?;
            }
            Tag::OpenParam => {
                self.tag = self.text.held.len();
                self.whitespace = 0;
                self.lexer.reset();
                self.state = State::Key;
            }
            // An end marker with nothing to close. Behind whitespace it may be that of a text that ended in the
            // first one.
            Tag::CloseParam => {
                let text = self.opened == Opened::Param && self.text.params.is_text();
                if self.doubtful || self.lead > 0 && text {
                    self.text.params.refuse(cut_value());
                }
                self.take_tag(ctx);
            }
            Tag::CloseCall => return Ok(self.closed(ctx)),
            // The call was opened by its bare name.
            Tag::Close if ctx.call.name.as_deref() == Some(self.lexer.word()) => {
                return Ok(self.closed(ctx));
            }
            Tag::Close if begins_call(self.lexer.word(), spec) => {
                let at = ctx.out.at;
                let span = Span::new(at + self.lead as u64, at + self.text.held.len() as u64);
                ctx.call.repaired = true;
                let message = "another closing tag stands where the call is to be closed";
                ctx.note(WRONG_CLOSER, span, message);
                return Ok(self.closed(ctx));
            }
            Tag::OpenCall if self.is_opened_again(ctx) => {
                let at = ctx.out.at + self.lead as u64;
                self.take_tag(ctx);
                ctx.call.repaired = true;
                let message = "the call is opened again before anything of it; it is one call";
                ctx.note(REPEATED_OPENER, Span::new(at, ctx.out.at), message);
            }
            Tag::OpenCall if named => return self.by_structure(self.lead, ctx),
            Tag::OpenWrap | Tag::CloseWrap => return self.by_structure(self.lead, ctx),
            // Of an element that nothing opened: what follows says what it stands for.
            Tag::Close if self.text.params.has_any() && self.may_stray() => {
                self.begin_stray('>', spec);
            }
            Tag::OpenCall | Tag::Open | Tag::Close => return Err(stray_text()),
        }
        Ok(None)
    }

    /// The tag that was read begins a value, and ends it if it closes itself.
    fn opened_value(&mut self, opened: Opened, ctx: &mut Ctx<'_>) -> Result {
        let alone = self.lexer.closes_itself();
        self.begin_value(opened, ctx)?;
        if alone {
            self.text.end_value(ctx)?;
            self.state = State::Gap;
        }
        Ok(())
    }

    /// The closing tag of the call, which is all that is held. None: what follows says whether it is.
    fn closed(&mut self, ctx: &mut Ctx<'_>) -> Option<Step> {
        if self.doubtful {
            take(&self.text.held, ctx);
            self.text.held.clear();
            self.lexer.reset();
            self.state = State::Doubt;
            return None;
        }
        ctx.consumed(&self.text.held);
        self.text.held.clear();
        self.close(ctx);
        Some(Step::Closed)
    }

    /// A key as the text of an element, its value after it: only where it can be a key.
    pub(super) fn key(&mut self, input: &mut &str, spec: &Tagged, ctx: &mut Ctx<'_>) -> Stepped {
        let longest = self.tag + ctx.request.limits.max_name_bytes + 32;
        while let Some(c) = next_char(input) {
            if c == '<' {
                // What came before it is the key.
                self.whitespace = self.text.held.len();
                self.lexer.reset();
            }
            self.text.hold(c);
            let in_tag = self.whitespace >= self.tag;
            let lexed = if in_tag { self.lexer.feed(c, &spec.words, false) } else { Lex::More };
            match lexed {
                Lex::More if self.text.held.len() <= longest => {}
                Lex::Tag(Tag::CloseParam) => return self.key_closed(ctx),
                _ => return Err(stray_text()),
            }
        }
        Ok(Some(Step::More))
    }

    fn key_closed(&mut self, ctx: &mut Ctx<'_>) -> Stepped {
        let key = self.text.held.get(self.tag..self.whitespace).unwrap_or_default();
        key.trim_matches(is_whitespace).clone_into(&mut self.prior);
        if !self.text.params.may_name(&self.prior) {
            return Err(stray_text());
        }
        self.whitespace = 0;
        self.begin_value(Opened::Prior, ctx)?;
        Ok(None)
    }
}

/// Whether a word begins with one of a call (`function_invocation`): models make up such words.
pub(super) fn begins_call(word: &str, spec: &Tagged) -> bool {
    spec.words.call.iter().any(|call| starts_word(word, call))
}

pub(super) fn stray_text() -> Fault {
    Fault::new(UNREADABLE_CALL, "text stands between the parameters")
}
