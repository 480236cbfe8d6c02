//! Reads parameters written as tags: `<word=KEY>value</word>`.
//!
//! Values are raw text: inside one only its closing tag counts, and as recovery what shows that the
//! closing tag is missing (C6). What becomes of a value is up to `params`.

use toolweir_markers::{Anchored, MarkerId, Piece, Scanner};
use toolweir_segments::Span;

use super::Step;
use super::params::Params;
use crate::diagnostics::{BAD_NAME, LIMIT_HELD, MISSING_CLOSER, UNREADABLE_CALL};
use crate::engine::{Ctx, Fault, Lex, Tag, TagLexer, hold, is_blank, shown};
use crate::limits::Limits;
use crate::program::{Role, Table};
use crate::spec::Trim;

/// Bytes that may be looked at behind a closer that stands where a value is open.
const MAX_LOOK_AHEAD: usize = 4096;

/// What the reader needs to know of the format.
#[derive(Clone, Copy)]
pub(crate) struct TaggedSpec<'a> {
    pub(crate) call_word: &'a str,
    pub(crate) param_word: &'a str,
    pub(crate) trim: Trim,
    /// Markers inside a value.
    pub(crate) value: &'a Table,
    /// Block markers.
    pub(crate) between: &'a Table,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Between parameters.
    #[default]
    Gap,
    /// Inside a value.
    Value,
    /// Behind a marker in a value that may end it, its own closer missing.
    Candidate(Role, MarkerId),
    Closed,
}

/// The reader; kept and reused from call to call.
#[derive(Debug)]
pub(crate) struct TaggedReader {
    state: State,
    scanner: Scanner,
    lexer: TagLexer,
    /// Source that is read but not accounted for: part of a tag, or what follows a candidate.
    held: String,
    /// Blanks at the start of what follows a candidate.
    blanks: usize,
    params: Params,
    /// Bytes looked at between parameters and behind closers in values.
    #[cfg(feature = "meter")]
    looked: u64,
}

impl TaggedReader {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            state: State::Gap,
            scanner: Scanner::new(),
            lexer: TagLexer::new(limits.max_name_bytes),
            held: String::new(),
            blanks: 0,
            params: Params::default(),
            #[cfg(feature = "meter")]
            looked: 0,
        }
    }

    /// Begins a call whose tag was read and whose name is set.
    pub(crate) fn begin(&mut self, ctx: &Ctx<'_>) {
        self.state = State::Gap;
        self.scanner.reset();
        self.lexer.reset();
        self.held.clear();
        self.params.begin(ctx);
    }

    /// Source that is read but not accounted for. It belongs to the stream again when the reader
    /// stops.
    pub(crate) fn take_held(&mut self, spec: Option<TaggedSpec<'_>>) -> String {
        let mut text = String::new();
        match (self.state, spec) {
            (State::Candidate(_, id), Some(spec)) => text.push_str(spec.value.marker(id)),
            (State::Value, Some(spec)) => {
                text.extend(self.scanner.held(&spec.value.set));
                self.scanner.reset();
            }
            _ => {}
        }
        if text.is_empty() {
            // Part of a tag may be long: it is not copied.
            return std::mem::take(&mut self.held);
        }
        text.push_str(&self.held);
        self.held.clear();
        text
    }

    /// Bytes that are read but not accounted for.
    pub(crate) fn unaccounted(&self, spec: TaggedSpec<'_>) -> usize {
        let scanned = match self.state {
            State::Candidate(_, id) => spec.value.marker(id).len(),
            State::Value => self.scanner.held_len(&spec.value.set),
            _ => 0,
        };
        self.held.len() + scanned
    }

    /// No less than [`TaggedReader::unaccounted`], without looking.
    #[inline]
    pub(crate) fn unaccounted_at_most(&self, spec: TaggedSpec<'_>) -> usize {
        self.held.len() + spec.value.set.longest()
    }

    /// The stream ends. Whether no value is open, or only outer closers stand behind the open one;
    /// then the arguments are complete.
    pub(crate) fn finish(
        &mut self,
        spec: TaggedSpec<'_>,
        ctx: &mut Ctx<'_>,
    ) -> Result<bool, Fault> {
        match self.state {
            State::Gap => {
                if self.lexer.in_name() {
                    return Ok(false);
                }
                // A cut closing tag is a missing one; the beginning of an opener is text.
                if self.held.starts_with("</") || self.held == "<" {
                    ctx.consumed(&self.held);
                    self.held.clear();
                }
            }
            State::Candidate(role, id)
                if matches!(role, Role::CallClose | Role::BlockClose)
                    && self.blanks == self.held.len() =>
            {
                self.params.end_value(spec.trim, ctx)?;
                ctx.consumed(spec.value.marker(id));
                let held = std::mem::take(&mut self.held);
                ctx.consumed(&held);
            }
            _ => return Ok(false),
        }
        self.state = State::Closed;
        self.params.close(ctx);
        Ok(true)
    }

    /// Takes text up to the end of the call.
    pub(crate) fn step(
        &mut self,
        input: &mut &str,
        spec: TaggedSpec<'_>,
        ctx: &mut Ctx<'_>,
    ) -> Step {
        loop {
            let step = match self.state {
                State::Gap => self.gap(input, spec, ctx),
                State::Value => self.in_value(input, spec, ctx),
                State::Candidate(role, id) => self.candidate(role, id, input, spec, ctx),
                State::Closed => Ok(Some(Step::Closed)),
            };
            match step {
                Err(fault) => return Step::Failed(fault),
                Ok(Some(step)) => return step,
                Ok(None) if input.is_empty() && self.held.is_empty() => {
                    if self.state == State::Closed {
                        return Step::Closed;
                    }
                    return Step::More;
                }
                Ok(None) => {}
            }
        }
    }

    /// Between parameters: blanks, then a tag of the format, a block marker, or trouble.
    fn gap(
        &mut self,
        input: &mut &str,
        spec: TaggedSpec<'_>,
        ctx: &mut Ctx<'_>,
    ) -> Result<Option<Step>, Fault> {
        if self.held.is_empty() {
            let rest = input.trim_start_matches(is_blank);
            take(input.get(..input.len() - rest.len()).unwrap_or_default(), ctx);
            *input = rest;
            self.lexer.reset();
        }
        let mut chars = input.chars();
        while let Some(c) = chars.next() {
            self.hold(c);
            let lexed = self.lexer.feed(c, spec.call_word, spec.param_word);
            let block = if self.lexer.in_name() {
                Anchored::None
            } else {
                spec.between.match_short(&self.held)
            };
            match (lexed, block) {
                (Lex::Tag(tag), _) => {
                    *input = chars.as_str();
                    return self.tag(tag, ctx);
                }
                (_, Anchored::Marker { may_grow: false, .. }) => {
                    // The block goes on or ends without this call's closer.
                    *input = chars.as_str();
                    return self.by_structure(ctx);
                }
                (Lex::More, _) | (_, Anchored::Prefix)
                    if self.held.len() <= ctx.request.limits.max_held_bytes => {}
                (Lex::More, _) | (_, Anchored::Prefix) => {
                    *input = chars.as_str();
                    return Err(Fault::new(
                        LIMIT_HELD,
                        "a tag of the call is longer than the limit",
                    ));
                }
                (Lex::Bad, _) => {
                    *input = chars.as_str();
                    return Err(Fault::new(BAD_NAME, "a tag of the call has no readable name"));
                }
                _ => {
                    *input = chars.as_str();
                    return Err(Fault::new(UNREADABLE_CALL, "text stands between the parameters"));
                }
            }
        }
        *input = chars.as_str();
        Ok(Some(Step::More))
    }

    fn by_structure(&mut self, ctx: &mut Ctx<'_>) -> Result<Option<Step>, Fault> {
        self.params.close(ctx);
        Ok(Some(Step::ClosedByStructure))
    }

    fn tag(&mut self, tag: Tag, ctx: &mut Ctx<'_>) -> Result<Option<Step>, Fault> {
        match tag {
            Tag::OpenParam => {
                let key = self.lexer.name().to_owned();
                self.take_tag(ctx);
                self.begin_value(key, ctx)?;
            }
            // A closer with nothing to close.
            Tag::CloseParam => self.take_tag(ctx),
            Tag::CloseCall => {
                ctx.consumed(&self.held);
                self.held.clear();
                self.state = State::Closed;
                self.params.close(ctx);
                return Ok(Some(Step::Closed));
            }
            Tag::OpenCall => return self.by_structure(ctx),
        }
        Ok(None)
    }

    fn hold(&mut self, c: char) {
        #[cfg(feature = "meter")]
        {
            self.looked += c.len_utf8() as u64;
        }
        hold(&mut self.held, c);
    }

    /// The tag that was read belongs to the parameters.
    fn take_tag(&mut self, ctx: &mut Ctx<'_>) {
        take(&self.held, ctx);
        self.held.clear();
        self.lexer.reset();
    }

    fn begin_value(&mut self, key: String, ctx: &mut Ctx<'_>) -> Result<(), Fault> {
        self.state = State::Value;
        self.scanner.reset();
        self.params.begin_value(key, ctx)
    }

    fn in_value(
        &mut self,
        input: &mut &str,
        spec: TaggedSpec<'_>,
        ctx: &mut Ctx<'_>,
    ) -> Result<Option<Step>, Fault> {
        while let Some(piece) = self.scanner.next(&spec.value.set, input) {
            match piece {
                Piece::Text(text) => {
                    take(text, ctx);
                    self.params.text(text, spec.trim, ctx);
                }
                Piece::Marker(id) => return self.leave_value(id, spec, ctx),
            }
        }
        Ok(Some(Step::More))
    }

    /// A marker inside a value; what the scanner had read beyond it is read again.
    #[inline(never)]
    fn leave_value(
        &mut self,
        id: MarkerId,
        spec: TaggedSpec<'_>,
        ctx: &mut Ctx<'_>,
    ) -> Result<Option<Step>, Fault> {
        let beyond = self.scanner.held(&spec.value.set).concat();
        self.scanner.reset();
        if let Err(fault) = self.value_marker(id, spec, ctx) {
            self.held = beyond;
            return Err(fault);
        }
        Ok((!beyond.is_empty()).then_some(Step::Refeed(beyond)))
    }

    fn value_marker(
        &mut self,
        id: MarkerId,
        spec: TaggedSpec<'_>,
        ctx: &mut Ctx<'_>,
    ) -> Result<(), Fault> {
        let role = spec.value.role(id);
        // Until the value has ended the marker is read, but not taken.
        self.state = State::Candidate(role, id);
        self.held.clear();
        if role == Role::ValueClose {
            self.params.end_value(spec.trim, ctx)?;
            take(spec.value.marker(id), ctx);
            self.state = State::Gap;
            self.lexer.reset();
            return Ok(());
        }
        self.blanks = 0;
        self.lexer.reset();
        if role == Role::NextParam {
            // The marker begins with the line break and ends behind `=`: the tag is in its name.
            for c in spec.value.marker(id).chars().skip(1) {
                self.lexer.feed(c, spec.call_word, spec.param_word);
            }
        }
        Ok(())
    }

    /// Looks behind a marker that may end the value although its own closer is missing.
    fn candidate(
        &mut self,
        role: Role,
        id: MarkerId,
        input: &mut &str,
        spec: TaggedSpec<'_>,
        ctx: &mut Ctx<'_>,
    ) -> Result<Option<Step>, Fault> {
        let mut chars = input.chars();
        while let Some(c) = chars.next() {
            self.hold(c);
            *input = chars.as_str();
            let verdict = match role {
                Role::LooseClose if is_blank(c) => None,
                Role::LooseClose => Some(c == '>'),
                Role::NextParam => match self.lexer.feed(c, spec.call_word, spec.param_word) {
                    Lex::More => None,
                    Lex::Tag(_) => Some(true),
                    Lex::No | Lex::Bad => Some(false),
                },
                _ if is_blank(c) && self.blanks + 1 == self.held.len() => {
                    self.blanks += 1;
                    None
                }
                _ => self.outer_follows(role, c, spec),
            };
            let too_long = self.held.len() > MAX_LOOK_AHEAD;
            match verdict {
                Some(true) => return self.accept(role, id, spec, ctx),
                None if !too_long => {}
                _ => return Ok(Some(self.refuse(id, spec, ctx))),
            }
        }
        Ok(Some(Step::More))
    }

    /// Whether what follows a closer of the call or block shows that it was one. `c` is its last
    /// character; only it is looked at, and as much as a marker is long.
    fn outer_follows(&mut self, role: Role, c: char, spec: TaggedSpec<'_>) -> Option<bool> {
        let lexed = self.lexer.feed(c, spec.call_word, spec.param_word);
        let calls = self.lexer.in_name() || lexed == Lex::Tag(Tag::OpenCall);
        let rest = self.held.get(self.blanks..).unwrap_or_default();
        let block = spec.between.match_short(rest);
        match block {
            Anchored::Marker { id, .. } => {
                let close = spec.between.role(id) == Role::Close;
                Some(role == Role::CallClose || !close)
            }
            _ if calls && role == Role::CallClose => Some(true),
            Anchored::Prefix => None,
            _ if lexed == Lex::More && role == Role::CallClose => None,
            Anchored::None => Some(false),
        }
    }

    fn accept(
        &mut self,
        role: Role,
        id: MarkerId,
        spec: TaggedSpec<'_>,
        ctx: &mut Ctx<'_>,
    ) -> Result<Option<Step>, Fault> {
        if role == Role::LooseClose {
            self.params.end_value(spec.trim, ctx)?;
            take(spec.value.marker(id), ctx);
            self.take_tag(ctx);
            self.state = State::Gap;
            return Ok(None);
        }
        ctx.call.repaired = true;
        if role != Role::BlockClose {
            let message = format!("the parameter `{}` is not closed", shown(&self.params.key));
            ctx.note(MISSING_CLOSER, Span::empty(ctx.out.at), &message);
        }
        if role == Role::NextParam {
            self.params.line_break(ctx);
        }
        self.params.end_value(spec.trim, ctx)?;
        let marker = spec.value.marker(id);
        let held = std::mem::take(&mut self.held);
        self.lexer.reset();
        match role {
            Role::NextParam => {
                // The whole tag of the next parameter is known: its line break and itself.
                let key = held
                    .trim_end_matches('>')
                    .trim_matches(|c| is_blank(c) || c == '"' || c == '\'');
                take(marker, ctx);
                take(&held, ctx);
                self.begin_value(key.to_owned(), ctx)?;
                Ok(None)
            }
            Role::CallClose => {
                ctx.consumed(marker);
                self.held = held;
                self.state = State::Closed;
                self.params.close(ctx);
                Ok(Some(Step::Closed))
            }
            _ => {
                self.held = format!("{marker}{held}");
                self.state = State::Closed;
                self.params.close(ctx);
                Ok(Some(Step::ClosedByStructure))
            }
        }
    }

    /// The marker was data: its first character is the value's, the rest is read again.
    fn refuse(&mut self, id: MarkerId, spec: TaggedSpec<'_>, ctx: &mut Ctx<'_>) -> Step {
        let marker = spec.value.marker(id);
        let first = marker.chars().next().map_or(0, char::len_utf8);
        let (head, tail) = marker.split_at_checked(first).unwrap_or((marker, ""));
        take(head, ctx);
        self.params.text(head, spec.trim, ctx);
        self.state = State::Value;
        let again = format!("{tail}{}", self.held);
        self.held.clear();
        Step::Refeed(again)
    }

    #[cfg(feature = "meter")]
    pub(crate) fn examined(&self) -> u64 {
        self.looked + self.scanner.examined()
    }
}

/// Source of the parameters: accounted for, and shown where the request wants the source.
#[inline]
fn take(source: &str, ctx: &mut Ctx<'_>) {
    ctx.consumed(source);
    ctx.source_args(source);
}
