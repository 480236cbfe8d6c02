//! Reads parameters in tags that are read freely: `<word=KEY>value</word>` and what models make of it.
//!
//! Values are raw text: inside one only its closing tag counts, and as recovery what shows that the
//! closing tag is missing (C6). `typed` writes them as arguments.
//!
//! `gap` reads what stands between parameters, `stray` text there, `value` what may end one, `doubt`
//! looks after a call one of whose values may have been cut, `another` at what may be the next call in
//! one. Text that is examined and not decided is
//! in `held`, exactly as it came, and not accounted for.

mod another;
mod doubt;
mod gap;
mod stray;
mod value;

use std::sync::Arc;

use toolweir_segments::StreamEnd;

use self::another::Followed;
use super::raw_text::RawText;
use super::typed::How;
use super::{Stepped, cut_value, next_char, take};
use crate::engine::{AtEnd, Backoff, Begin, Ctx, Reader, Result, Shape, Step, TagLexer};
use crate::limits::Limits;
use crate::program::{Table, Tagged, Trim};

/// How the value being read was opened, which says what closes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Opened {
    /// `<parameter=KEY>`: up to `</parameter>`.
    #[default]
    Param,
    /// `<KEY>`, a declared property: up to `</KEY>`.
    Property,
    /// `<parameter>KEY</parameter>`: up to the next tag of the call.
    Prior,
}

impl Opened {
    /// The markers that count inside the value.
    fn table(self, spec: &Tagged) -> &Table {
        match self {
            Self::Param => &spec.value,
            Self::Property | Self::Prior => &spec.loose,
        }
    }
}

/// Calls that the open value writes about: their closing tags are its own (C6).
#[derive(Clone, Copy, Debug, Default)]
struct Quoted {
    /// Calls that it opened and did not close.
    calls: usize,
    /// Wrappers likewise.
    blocks: usize,
    /// It closed a call in them.
    closed: bool,
    /// What closes its own call or block stood in it, and was data by what followed.
    ended: bool,
    /// Parameters of another word that it opened and did not close.
    others: usize,
    /// It opened a parameter of its own word; and one that the tool declares.
    opened: bool,
    declared: bool,
    /// Where the last opener of a call ended that it holds.
    call_end: u64,
}

/// A closing tag in a value that is one if the right things follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outer {
    Param,
    /// One of another word, or without its `>`.
    Slipped,
    Call,
    Block,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Between parameters.
    #[default]
    Gap,
    /// In text that stands there.
    Stray,
    /// After `<parameter>`: the text of a key, then `</parameter>`.
    Key,
    /// Inside a value.
    Value,
    /// In a tag that may end the value.
    Tag,
    /// After an end marker of something further out, which stands in a value.
    After(Outer),
    /// At a block that may be the next call.
    Another,
    /// After the call, which is whole unless a value of it goes on.
    Doubt,
    Closed,
}

/// The reader; kept and reused from call to call.
pub(super) struct TaggedReader {
    spec: Arc<Tagged>,
    reading: TagReading,
}

/// How far the call is read.
#[derive(Default)]
struct TagReading {
    state: State,
    text: RawText,
    lexer: TagLexer,
    /// Bytes of `held` that are the tag itself, and of the whitespace after it.
    tag: usize,
    whitespace: usize,
    /// Between parameters: whitespace that `held` begins with.
    lead: usize,
    /// That whitespace is too long to wait.
    flowing: bool,
    /// The call stands in a wrapper.
    wrapped: bool,
    opened: Opened,
    /// Whether a value is looked at for being whole.
    whole: Backoff,
    quoted: Quoted,
    followed: Followed,
    /// A value held what closes the call: without its own end, that may have been it.
    held_end: bool,
    /// A value has ended otherwise than by the closing tag that is certainly its own.
    doubtful: bool,
    /// A key that stands in a tag of its own.
    prior: String,
    /// The word of the tag that opened the value, and of the one that opened the call, by their places.
    param_word: usize,
    call_word: usize,
}

impl TaggedReader {
    pub(super) fn new(limits: &Limits, spec: Arc<Tagged>) -> Self {
        let lexer = TagLexer::new(limits.max_name_bytes);
        Self { spec, reading: TagReading { lexer, ..TagReading::default() } }
    }
}

impl TagReading {
    /// The call ends without its closing tag, which may stand in a value.
    fn lacks_end(&mut self, ctx: &Ctx<'_>) {
        if self.held_end && ctx.refuses_guesses() {
            self.text.params.refuse(cut_value());
        }
    }

    /// The call's tag closed itself: there are no parameters.
    fn close(&mut self, ctx: &mut Ctx<'_>) {
        self.state = State::Closed;
        self.text.params.close(ctx);
    }

    /// The stream ends. Whether no value is open, or only outer end markers stand after the open one;
    /// then the arguments are complete.
    fn is_whole(&mut self, spec: &Tagged, ctx: &mut Ctx<'_>) -> Result<bool> {
        let mut closing = false;
        match self.state {
            State::Gap => {
                if self.lexer.in_name() {
                    return Ok(false);
                }
                // A cut closing tag is a missing one, where it cannot be the tag of another parameter; the
                // beginning of an opener is text.
                let tag = self.text.held.get(self.lead..).unwrap_or_default();
                if tag == "<" || self.may_open_param(tag, spec) {
                    return Ok(false);
                }
                closing = tag.starts_with("</");
                let own = closing || tag.is_empty();
                let rest =
                    self.text.held.split_off(if own { self.text.held.len() } else { self.lead });
                ctx.consumed(&self.text.held);
                self.text.held = rest;
            }
            // The text is the answer's.
            State::Stray if !self.wrapped && !self.is_cut_param(spec) => {}
            State::After(_) if self.tag + self.whitespace == self.text.held.len() => {
                self.refuse_if_cut(ctx);
                self.text.end_unclosed(&spec.words.param, true, ctx)?;
                let held = std::mem::take(&mut self.text.held);
                ctx.consumed(&held);
            }
            _ => return Ok(false),
        }
        self.state = State::Closed;
        self.lacks_end(ctx);
        self.text.params.close_at_end(closing, ctx);
        Ok(true)
    }

    /// What is held belongs to the parameters.
    fn take_tag(&mut self, ctx: &mut Ctx<'_>) {
        self.take_source(ctx);
        self.lexer.reset();
    }

    fn take_source(&mut self, ctx: &mut Ctx<'_>) {
        self.text.take_source(ctx);
        (self.lead, self.flowing) = (0, false);
    }

    /// Takes the tag of a parameter and begins its value.
    fn begin_value(&mut self, opened: Opened, ctx: &mut Ctx<'_>) -> Result {
        self.take_source(ctx);
        self.state = State::Value;
        self.opened = opened;
        self.quoted = Quoted::default();
        let key = match opened {
            Opened::Param => self.lexer.name(),
            Opened::Property => self.lexer.word(),
            Opened::Prior => &self.prior,
        };
        let begun = self.text.begin_value(key, How::Schema, ctx);
        self.lexer.reset();
        begun
    }

    fn in_value(&mut self, input: &mut &str, spec: &Tagged, ctx: &mut Ctx<'_>) -> Stepped {
        if self.whole.tries() {
            if self.whole_value(input, spec, ctx) {
                self.whole.hit();
                return self.end_value(ctx).map(|()| None);
            }
            self.whole.miss();
        }
        let marker = self.text.value(self.opened.table(spec), input, ctx);
        Ok(marker.map_or(Some(Step::More), |id| self.enter_tag(id, spec)))
    }
}

impl Reader for TaggedReader {
    fn begin(&mut self, begin: &Begin<'_>, ctx: &mut Ctx<'_>) -> Result {
        let Self { spec, reading } = self;
        reading.begin(begin, spec, ctx);
        Ok(())
    }

    fn step(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Step {
        self.reading.step(input, &self.spec, ctx)
    }

    #[inline]
    fn plain_text(&mut self, chunk: &str, ctx: &mut Ctx<'_>) -> Option<bool> {
        let Self { spec, reading } = self;
        if reading.state != State::Value {
            return None;
        }
        reading.text.plain(reading.opened.table(spec), chunk, ctx)
    }

    fn finish(&mut self, end: StreamEnd, accept: bool, ctx: &mut Ctx<'_>) -> AtEnd {
        self.reading.finish(end, accept, &self.spec, ctx)
    }

    fn take_held(&mut self) -> String {
        let Self { spec, reading } = self;
        reading.text.take_held(reading.opened.table(spec))
    }

    fn unaccounted(&self) -> usize {
        let Self { spec, reading } = self;
        reading.text.unaccounted(reading.opened.table(spec))
    }

    #[cfg(feature = "meter")]
    fn examined(&self) -> u64 {
        self.reading.text.examined()
    }
}

impl TagReading {
    fn begin(&mut self, begin: &Begin<'_>, spec: &Tagged, ctx: &mut Ctx<'_>) {
        self.state = State::Gap;
        (self.lead, self.flowing, self.wrapped) = (0, false, begin.in_list);
        (self.doubtful, self.held_end) = (false, false);
        self.lexer.reset();
        self.call_word = spec.words.place(&spec.words.call, begin.word);
        self.text.begin(true, Trim::LINE_BREAKS, ctx);
        if begin.shape == Shape::Empty {
            self.close(ctx);
        }
    }

    fn step(&mut self, input: &mut &str, spec: &Tagged, ctx: &mut Ctx<'_>) -> Step {
        loop {
            let step = match self.state {
                State::Gap => self.gap(input, spec, ctx),
                State::Stray => self.stray(input, spec, ctx),
                State::Key => self.key(input, spec, ctx),
                State::Value => self.in_value(input, spec, ctx),
                State::Tag => self.in_tag(input, spec, ctx),
                State::After(outer) => self.after(outer, input, spec, ctx),
                State::Another => self.another(input, spec, ctx),
                State::Doubt => self.doubt(input, spec, ctx),
                State::Closed => Ok(Some(Step::Closed)),
            };
            match step {
                Err(fault) => return self.text.fail(fault, ctx),
                Ok(Some(Step::More)) => return Step::More,
                Ok(Some(step)) => return self.text.params.judge(step),
                Ok(None) if input.is_empty() && self.text.held.is_empty() => {
                    if self.state == State::Closed {
                        return self.text.params.judge(Step::Closed);
                    }
                    return Step::More;
                }
                Ok(None) => {}
            }
        }
    }

    fn finish(&mut self, end: StreamEnd, accept: bool, spec: &Tagged, ctx: &mut Ctx<'_>) -> AtEnd {
        if self.state == State::Doubt {
            self.close(ctx);
            return AtEnd::Step(self.text.params.judge(Step::Closed));
        }
        // Read again for the call that stands in it.
        if self.state == State::Another && self.followed.closed {
            return AtEnd::Step(self.text.fail(cut_value(), ctx));
        }
        if end != StreamEnd::Stop || !accept {
            self.text.flush(ctx);
            return self.text.params.judge_end(AtEnd::Cut);
        }
        let whole = self.is_whole(spec, ctx);
        self.text.flush(ctx);
        let ended = whole.map(|whole| if whole { AtEnd::Unclosed } else { AtEnd::Cut });
        self.text.params.judge_end(ended.into())
    }
}
