//! What may end a value: its own closing tag, or as recovery a tag that shows that it is missing.

use toolweir_markers::{Anchored, MarkerId};

use super::{Opened, Outer, State, Stepped, TagReading, next_char, take};
use crate::engine::{Ctx, FloorBoundary, Lex, Result, Step, Tag, is_whitespace};
use crate::policy::MarkerPolicy;
use crate::program::Tagged;
use crate::readers::ending::Ends;
use crate::readers::refeed;

/// Bytes that may be looked at after an end marker that stands where a value is open.
const MAX_LOOK_AHEAD: usize = 4096;

/// What a tag inside a value is.
enum Verdict {
    /// The value's own end marker.
    End,
    /// The next parameter: the value's end marker is missing.
    Next,
    /// An end marker of something further out, if the right things follow.
    Outer(Outer),
    /// Data.
    Data,
}

impl TagReading {
    /// Takes the rest of a value up to its closing tag and that tag, if all of it has come, no other tag
    /// stands before it, and it is written as usual. Otherwise nothing is taken, which is no verdict.
    pub(super) fn whole_value(
        &mut self,
        input: &mut &str,
        spec: &Tagged,
        ctx: &mut Ctx<'_>,
    ) -> bool {
        let any = ctx.request.policies.markers == MarkerPolicy::Any;
        if !any || self.opened != Opened::Param || !self.text.is_between_markers() {
            return false;
        }
        let Some((text, tag)) = self.text.up_to_tag(input) else { return false };
        let word = spec.words.param.get(self.param_word).map_or(0, String::len);
        if tag.len() < word + "</>".len() {
            return false;
        }
        self.lexer.reset();
        let run = self.lexer.take_run(tag, &spec.words, false);
        let ends = tag.as_bytes().get(run) == Some(&b'>')
            && self.lexer.feed('>', &spec.words, false) == Lex::Tag(Tag::CloseParam)
            && self.is_param_word(spec);
        let Some((tag, rest)) = tag.split_at_checked(run + 1).filter(|_| ends) else {
            return false;
        };
        if !text.is_empty() {
            self.text.take_text(text, ctx);
        }
        self.text.hold_text(tag);
        *input = rest;
        true
    }

    /// A marker inside a value: a block marker, or the beginning of a tag. What the scanner had
    /// read beyond it is read again.
    #[inline(never)]
    pub(super) fn enter_tag(&mut self, id: MarkerId, spec: &Tagged) -> Option<Step> {
        let table = self.opened.table(spec);
        let beyond = self.text.hold_marker(table, id);
        self.lexer.reset();
        self.whitespace = 0;
        self.tag = self.text.held.len();
        self.state = State::Tag;
        let others = self.opened != Opened::Param;
        let mut tag = table.marker(id).trim_start_matches('\n');
        loop {
            let run = self.lexer.take_run(tag, &spec.words, others);
            tag = tag.get(run..).unwrap_or_default();
            let Some(c) = next_char(&mut tag) else { break };
            self.lexer.feed(c, &spec.words, others);
        }
        refeed(beyond)
    }

    /// Holds characters that leave the tag that is read undecided, up to so many bytes in all.
    pub(super) fn hold_run(&mut self, input: &mut &str, most: usize, others: bool, spec: &Tagged) {
        let room = most.saturating_sub(self.text.held.len());
        let (text, _) = input.split_up_to(room);
        let run = self.lexer.take_run(text, &spec.words, others);
        if let Some((run, rest)) = input.split_at_checked(run).filter(|(run, _)| !run.is_empty()) {
            self.text.hold_text(run);
            *input = rest;
        }
    }

    pub(super) fn in_tag(&mut self, input: &mut &str, spec: &Tagged, ctx: &mut Ctx<'_>) -> Stepped {
        let others = self.opened != Opened::Param;
        loop {
            self.hold_run(input, MAX_LOOK_AHEAD, others, spec);
            let Some(c) = next_char(input) else { break };
            if c == '<' && self.lacks_only_its_end(spec) {
                let tag = self.text.held.trim_end_matches(is_whitespace).len();
                (self.whitespace, self.tag) = (self.text.held.len() - tag, tag);
                self.lexer.reset();
                self.state = State::After(Outer::Slipped);
                return Ok(Some(Step::Refeed("<".to_owned())));
            }
            self.text.hold(c);
            match self.lexer.feed(c, &spec.words, others) {
                Lex::More if self.text.held.len() <= MAX_LOOK_AHEAD => {}
                Lex::Tag(tag) => return self.resolve_tag(tag, spec, ctx),
                _ => return Ok(Some(self.refuse(ctx))),
            }
        }
        Ok(Some(Step::More))
    }

    /// Whether the tag is the value's closing tag without its `>`.
    fn lacks_only_its_end(&self, spec: &Tagged) -> bool {
        self.opened == Opened::Param && self.lexer.is_closing_word() && self.is_param_word(spec)
    }

    /// Whether the word of the tag is that of the one that opened the value.
    fn is_param_word(&self, spec: &Tagged) -> bool {
        spec.words.is(&spec.words.param, self.param_word, self.lexer.word())
    }

    /// Whether it is that of the one that opened the call.
    fn is_call_word(&self, spec: &Tagged) -> bool {
        spec.words.is(&spec.words.call, self.call_word, self.lexer.word())
    }

    fn resolve_tag(&mut self, tag: Tag, spec: &Tagged, ctx: &mut Ctx<'_>) -> Stepped {
        if self.may_be_another(tag) {
            self.begin_another(tag, spec, ctx);
            return Ok(None);
        }
        match self.judge(tag, spec, ctx) {
            Verdict::Data => {
                self.quote(tag, spec, ctx);
                Ok(Some(self.refuse(ctx)))
            }
            Verdict::End => self.end_value(ctx).map(|()| None),
            Verdict::Next => {
                self.refuse_if_cut(ctx);
                // One that the tool does not have may be data.
                if self.opened == Opened::Param && !self.text.params.takes(self.lexer.name()) {
                    self.text.doubt_value(ctx);
                }
                self.doubtful |= self.opened == Opened::Param;
                let reported = self.opened == Opened::Prior;
                self.text.end_at_opener(&spec.words.param, false, reported, ctx)?;
                self.state = State::Gap;
                self.tag(tag, spec, ctx)
            }
            Verdict::Outer(outer) => {
                self.tag = self.text.held.len();
                self.whitespace = 0;
                self.lexer.reset();
                self.state = State::After(outer);
                Ok(None)
            }
        }
    }

    /// The value's own closing tag is held.
    pub(super) fn end_value(&mut self, ctx: &mut Ctx<'_>) -> Result {
        // A parameter that the tool declares may have been opened in it, or be data.
        if self.quoted.declared {
            self.text.doubt_value(ctx);
        }
        self.doubtful |= self.quoted.opened;
        self.held_end |= self.quoted.ended;
        self.text.end_value(ctx)?;
        self.take_tag(ctx);
        self.state = State::Gap;
        Ok(())
    }

    /// A tag of a call that is data.
    pub(super) fn quote(&mut self, tag: Tag, spec: &Tagged, ctx: &Ctx<'_>) {
        let own = self.is_call_word(spec);
        let opens = !self.lexer.name().is_empty() && !self.lexer.closes_itself();
        let param = self.opened == Opened::Param;
        let same = self.is_param_word(spec);
        let declared = self.text.params.is_interrupted_by(self.lexer.name());
        let quoted = &mut self.quoted;
        match tag {
            Tag::OpenParam if param && opens && same => {
                quoted.opened = true;
                // Of the own call, or of the next one.
                quoted.declared |= declared || quoted.call_end == ctx.out.at;
            }
            Tag::OpenParam if param && opens => quoted.others += 1,
            Tag::CloseParam if param => quoted.others = quoted.others.saturating_sub(1),
            Tag::OpenCall if own && opens => {
                quoted.calls += 1;
                if ctx.request.tools.contains(self.lexer.name()) {
                    quoted.call_end = ctx.out.at + self.text.held.len() as u64;
                }
            }
            Tag::CloseCall if own && quoted.calls > 0 => {
                quoted.calls -= 1;
                quoted.closed = true;
            }
            Tag::OpenWrap => quoted.blocks += 1,
            Tag::CloseWrap if quoted.closed => {
                quoted.blocks = quoted.blocks.saturating_sub(1);
                quoted.closed = false;
            }
            _ => {}
        }
    }

    fn judge(&self, tag: Tag, spec: &Tagged, ctx: &Ctx<'_>) -> Verdict {
        let word = self.lexer.word();
        let named = !self.lexer.name().is_empty();
        let line_start = self.text.held.starts_with('\n') || self.text.at_line_start();
        let loose = self.opened != Opened::Param;
        if self.opened == Opened::Property && self.lexer.closing && word == self.text.params.key {
            return Verdict::End;
        }
        match (tag, self.opened) {
            // C6: a tag of another word is the value's, even one that other parameters may have.
            (Tag::CloseParam, Opened::Param) if self.is_param_word(spec) => Verdict::End,
            (Tag::CloseParam, Opened::Param)
                if self.quoted.others == 0 && self.quoted.calls == 0 =>
            {
                Verdict::Outer(Outer::Slipped)
            }
            (Tag::CloseParam, Opened::Prior) => Verdict::Outer(Outer::Param),
            (Tag::OpenParam, Opened::Param)
                if named && self.is_param_word(spec) && self.may_be_next(spec) =>
            {
                Verdict::Next
            }
            (Tag::OpenParam, Opened::Property) if line_start => Verdict::Next,
            (Tag::OpenParam, Opened::Prior) => Verdict::Next,
            (Tag::Open, _) if loose && line_start && self.text.params.declares(word) => {
                Verdict::Next
            }
            (Tag::CloseCall, _) if self.quoted.calls > 0 => Verdict::Data,
            (Tag::CloseWrap, _) if self.quoted.closed && self.quoted.blocks > 0 => Verdict::Data,
            (Tag::CloseCall, _) if self.is_call_word(spec) => Verdict::Outer(Outer::Call),
            (Tag::Close, _) if ctx.call.name.as_deref() == Some(word) => {
                Verdict::Outer(Outer::Call)
            }
            (Tag::CloseWrap, _) => Verdict::Outer(Outer::Block),
            _ => Verdict::Data,
        }
    }

    /// Whether the opener of a parameter that is held ends an open value: at the start of a line, or a declared one
    /// after another closing tag in the place of the value's own.
    fn may_be_next(&self, spec: &Tagged) -> bool {
        self.text.held.starts_with('\n')
            || self.text.is_closed_before(self.lexer.name(), &spec.words.param)
    }

    /// Looks after an end marker that may end the value although its own end marker is missing.
    pub(super) fn after(
        &mut self,
        outer: Outer,
        input: &mut &str,
        spec: &Tagged,
        ctx: &mut Ctx<'_>,
    ) -> Stepped {
        while let Some(c) = next_char(input) {
            let only_whitespace = self.tag + self.whitespace == self.text.held.len();
            self.text.hold(c);
            let verdict = if only_whitespace && is_whitespace(c) {
                self.whitespace += 1;
                None
            } else {
                self.follows(outer, c, spec)
            };
            match verdict {
                Some(true) => return self.accept(outer, spec, ctx),
                None if self.text.held.len() <= MAX_LOOK_AHEAD => {}
                // Nothing in a closing tag of a parameter begins another tag.
                _ if outer == Outer::Slipped => {
                    return Ok(Some(self.refuse_up_to(self.tag, ctx)));
                }
                _ => {
                    self.quoted.ended |= matches!(outer, Outer::Call | Outer::Block);
                    return Ok(Some(self.refuse(ctx)));
                }
            }
        }
        Ok(Some(Step::More))
    }

    /// A value without its closing tag, in which a call or a declared parameter was opened or its own call was
    /// closed, went beyond its end or beyond the call.
    pub(super) fn refuse_if_cut(&mut self, ctx: &mut Ctx<'_>) {
        if self.quoted.ended || self.quoted.calls > 0 || self.quoted.declared {
            self.text.doubt_value(ctx);
        }
    }

    /// Whether what follows an end marker shows that it was one. `c` is its last character; only it is
    /// looked at, and as much as a marker is long.
    fn follows(&mut self, outer: Outer, c: char, spec: &Tagged) -> Option<bool> {
        let lexed = self.lexer.feed(c, &spec.words, outer == Outer::Param);
        // Without a name it opens nothing: a value may well speak of such tags.
        let named = self.lexer.in_name() || !self.lexer.name().is_empty();
        let opens = self.lexer.is_call() || lexed == Lex::Tag(Tag::OpenCall);
        let call = named && opens;
        let rest = self.text.held.get(self.tag + self.whitespace..).unwrap_or_default();
        match spec.between.match_short(rest) {
            Anchored::Marker { id, .. } => {
                let close = spec.between.role(id).closes();
                return Some(outer != Outer::Block || !close);
            }
            Anchored::Prefix => return None,
            Anchored::None => {}
        }
        match (outer, lexed) {
            (Outer::Slipped, Lex::Tag(Tag::OpenParam)) => Some(!self.lexer.name().is_empty()),
            (Outer::Slipped, Lex::Tag(Tag::CloseCall)) => Some(true),
            (Outer::Call | Outer::Param, _) if call => Some(true),
            (Outer::Call, Lex::Tag(Tag::OpenWrap | Tag::CloseWrap))
            | (Outer::Block, Lex::Tag(Tag::OpenWrap)) => Some(true),
            (Outer::Param, Lex::Tag(tag)) => Some(match tag {
                Tag::Open => self.text.params.declares(self.lexer.word()),
                Tag::Close => false,
                _ => true,
            }),
            (_, Lex::More) => None,
            _ => Some(false),
        }
    }

    fn accept(&mut self, outer: Outer, spec: &Tagged, ctx: &mut Ctx<'_>) -> Stepped {
        self.refuse_if_cut(ctx);
        // Two closing tags for one value.
        if outer == Outer::Slipped && self.text.ends(&spec.words.param) != Ends::Text {
            self.text.doubt_value(ctx);
        }
        // Two end markers are missing at the end of the block: the call's diagnostic says it.
        let reports = matches!(outer, Outer::Call | Outer::Slipped) && self.opened != Opened::Prior;
        self.text.end_unclosed(&spec.words.param, !reports, ctx)?;
        self.lexer.reset();
        self.doubtful |= self.opened == Opened::Param;
        if outer == Outer::Block {
            self.close(ctx);
            return Ok(Some(Step::ClosedByStructure));
        }
        let again = self.text.held.split_off(self.tag);
        if matches!(outer, Outer::Param | Outer::Slipped) {
            self.take_tag(ctx);
            self.state = State::Gap;
            return Ok(Some(Step::Refeed(again)));
        }
        if self.doubtful {
            take(&self.text.held, ctx);
            self.text.held.clear();
            self.state = State::Doubt;
            return Ok(Some(Step::Refeed(again)));
        }
        ctx.consumed(&self.text.held);
        self.text.held = again;
        self.close(ctx);
        Ok(Some(Step::Closed))
    }

    /// The tag was data: what stands after its first sign is read again.
    pub(super) fn refuse(&mut self, ctx: &mut Ctx<'_>) -> Step {
        let sign = self.text.held.find('<').map_or(1, |at| at + 1);
        self.refuse_up_to(sign, ctx)
    }

    fn refuse_up_to(&mut self, len: usize, ctx: &mut Ctx<'_>) -> Step {
        self.state = State::Value;
        self.text.refuse_up_to(len, ctx)
    }
}
