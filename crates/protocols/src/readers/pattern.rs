//! Reads parameters that a pattern describes: `<arg_key>K</arg_key><arg_value>V</arg_value>`,
//! `<parameter name="K">V</parameter>` and their like.
//!
//! Values are raw text: inside one only its closing delimiter counts, and as recovery what shows that
//! it is missing (C6): the next parameter where a line begins, or the end of the call if the wrapper
//! goes on or ends right after it. `typed` writes them as arguments. Text that is examined and not
//! decided is in `held`, exactly as it came, and not accounted for.

mod file_text;
mod header;

use std::sync::Arc;

use toolweir_markers::{Anchored, MarkerId};
use toolweir_segments::StreamEnd;

use super::raw_text::RawText;
use super::{Stepped, cut_value, next_char, refeed, take};
use crate::diagnostics::UNREADABLE_CALL;
use crate::engine::{
    AtEnd, Begin, Ctx, Fault, Matcher, Reader, Result, Shape, Step, is_whitespace,
};
use crate::limits::Limits;
use crate::program::{self, Role, Table};
use crate::spec::Entities;
use crate::tools::ToolSet;

/// Bytes that may be examined after a closing delimiter that stands where a value is open.
const MAX_LOOKAHEAD: usize = 4096;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Between parameters.
    #[default]
    Gap,
    /// In the header of a parameter.
    Header,
    /// At the start of a value, in what may be its opening tag again.
    Lead,
    /// Inside a value.
    Value,
    /// In what may be the header of the next parameter, in a value.
    Next,
    /// In what may be the closing tag of a value, whose key comes.
    Closing,
    /// In a CDATA section of a value.
    Data,
    /// After the closing delimiter of the call, in a value; and how long that is.
    After(usize),
    /// After the closing tag of a value that is the text of a file; and how long that is.
    Beyond(usize),
    Closed,
}

/// The reader; kept and reused from call to call.
pub(super) struct PatternReader {
    spec: Arc<program::Params>,
    state: State,
    matcher: Matcher,
    text: RawText,
    /// Elements of the open parameter's key that are open in its value.
    depth: usize,
    /// The opener of a call stands in the open value, or the value's own opening tag is missing: only its own
    /// closing tag ends it.
    opened: bool,
    /// The opening tag of the open value is missing.
    unopened: bool,
    /// The tag that the open value was opened with, or the last of them.
    lead: String,
    /// The closing tag of a call that stands in the tags of its tool.
    end_marker: String,
}

impl PatternReader {
    pub(super) fn new(limits: &Limits, spec: Arc<program::Params>) -> Self {
        let matcher = Matcher::new(limits.max_name_bytes, ToolSet::default());
        let (lead, end_marker) = (String::new(), String::new());
        let (state, text, opened) = (State::Gap, RawText::default(), false);
        Self { spec, state, matcher, text, depth: 0, opened, unopened: false, lead, end_marker }
    }

    /// Between parameters: whitespace, a parameter, the end of the call, or what shows that it is
    /// missing.
    fn gap(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Stepped {
        let spec = Arc::clone(&self.spec);
        while let Some(c) = next_char(input) {
            if self.text.held.is_empty() && is_whitespace(c) {
                take(c.encode_utf8(&mut [0; 4]), ctx);
                continue;
            }
            self.text.hold(c);
            if spec.enclosed && self.end_marker.starts_with(&self.text.held) {
                if self.end_marker == self.text.held {
                    self.text.take_source(ctx);
                    self.close(ctx);
                    return Ok(Some(Step::Closed));
                }
                continue;
            }
            match spec.gap.match_short(&self.text.held) {
                Anchored::Prefix | Anchored::Marker { may_grow: true, .. } => {}
                Anchored::Marker { id, len, .. } => return self.gap_marker(id, len, ctx),
                Anchored::None if self.is_open_ended() => {
                    self.close(ctx);
                    return Ok(Some(Step::Closed));
                }
                Anchored::None => {
                    let message = "text stands between the parameters";
                    return Err(Fault::new(UNREADABLE_CALL, message));
                }
            }
        }
        Ok(Some(Step::More))
    }

    fn gap_marker(&mut self, id: MarkerId, len: usize, ctx: &mut Ctx<'_>) -> Stepped {
        let spec = Arc::clone(&self.spec);
        let rest = self.text.held.split_off(len.min(self.text.held.len()));
        match spec.gap.role(id) {
            Role::Open { opener, .. } => {
                let entry = spec.openers.get(opener).map_or(0, |(_, at)| *at);
                self.matcher.begin(&[entry], self.text.held.len());
                self.state = State::Header;
                Ok(refeed(rest))
            }
            Role::Stray => {
                self.text.take_source(ctx);
                Ok(refeed(rest))
            }
            Role::CloseInner => {
                self.text.take_source(ctx);
                self.close(ctx);
                // What was read beyond the delimiter is not the call's.
                self.text.held = rest;
                Ok(Some(Step::Closed))
            }
            // The block goes on or ends without this call's closing delimiter.
            _ => {
                self.text.held.push_str(&rest);
                let whole = self.is_open_ended();
                if whole {
                    self.close(ctx);
                    return Ok(Some(Step::Closed));
                }
                self.state = State::Closed;
                self.text.params.close_before_more(ctx);
                Ok(Some(Step::ClosedByStructure))
            }
        }
    }

    /// Whether the pattern ends with its parameters: what is none of them ends the call.
    fn is_open_ended(&self) -> bool {
        !self.spec.enclosed && self.spec.end_markers.is_empty()
    }

    fn close(&mut self, ctx: &mut Ctx<'_>) {
        self.state = State::Closed;
        self.text.params.close(ctx);
    }

    /// What is held is part of the value.
    fn element(&mut self, ctx: &mut Ctx<'_>) {
        self.state = State::Value;
        let held = std::mem::take(&mut self.text.held);
        self.text.take_text(&held, ctx);
    }

    /// A closing tag in a value: its own, or that of an element in it.
    fn closing(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Stepped {
        let spec = Arc::clone(&self.spec);
        let Some(tags) = &spec.tags else { return Ok(Some(self.refuse(ctx))) };
        while let Some(c) = next_char(input) {
            self.text.hold(c);
            let rest = self.text.held.get(tags.close.len()..).unwrap_or_default();
            let own = rest.strip_prefix(self.text.params.key.as_str());
            match own {
                Some(end) if end == tags.close_end && self.is_file_text() => {
                    self.state = State::Beyond(self.text.held.len());
                    return Ok(None);
                }
                Some(end) if end == tags.close_end && self.depth == 0 => {
                    self.state = State::Gap;
                    if self.holds_call(ctx) {
                        self.text.doubt_value(ctx);
                    }
                    if self.text.params.is_nested() {
                        self.text.flush(ctx);
                        self.text.params.end_nested(tags, ctx)?;
                    } else {
                        self.text.end_value(ctx)?;
                    }
                    self.text.take_source(ctx);
                    return Ok(None);
                }
                Some(end) if end == tags.close_end => {
                    self.depth -= 1;
                    self.element(ctx);
                    return Ok(None);
                }
                Some(end) if tags.close_end.starts_with(end) => {}
                None if self.text.params.key.starts_with(rest) => {}
                _ => {
                    self.refuse_token();
                    return Ok(Some(self.refuse(ctx)));
                }
            }
        }
        Ok(Some(Step::More))
    }

    /// Whether a call of the same tool is open in the value, and in it the same parameter: the closing tag
    /// may be that one's.
    fn holds_call(&self, ctx: &Ctx<'_>) -> bool {
        let name = ctx.call.name.as_deref().filter(|_| self.spec.enclosed);
        let opens = |word: &str| self.text.has_open(word);
        name.is_some_and(opens) && opens(&self.text.params.key)
    }

    /// A tag that is none of an open text. With a token that no text holds it is a damaged one.
    fn refuse_token(&mut self) {
        if self.spec.next_anywhere && !self.text.params.is_nested() {
            self.text.params.refuse(cut_value());
        }
    }

    fn in_value(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Stepped {
        let spec = Arc::clone(&self.spec);
        match self.text.value(&spec.value, input, ctx) {
            Some(id) => self.value_marker(id, ctx),
            None => Ok(Some(Step::More)),
        }
    }

    /// In a CDATA section: everything up to its end is data.
    fn in_data(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Stepped {
        let spec = Arc::clone(&self.spec);
        let Some(id) = self.text.value(&spec.cdata, input, ctx) else {
            return Ok(Some(Step::More));
        };
        let beyond = self.text.hold_marker(&spec.cdata, id);
        if spec.cdata.role(id) == Role::Data {
            // No section stands in another one: the value before it has broken off.
            self.text.doubt_value(ctx);
            self.text.held.push_str(&beyond);
            return Ok(Some(self.text.refuse(ctx)));
        }
        self.text.flush(ctx);
        self.text.take_source(ctx);
        (self.state, self.text.decodes) = (State::Value, true);
        Ok(refeed(beyond))
    }

    /// Markers that are looked for where the reader is.
    fn table(&self) -> &Table {
        if self.state == State::Data { &self.spec.cdata } else { &self.spec.value }
    }

    /// A marker inside a value. What the scanner had read beyond it is read again.
    fn value_marker(&mut self, id: MarkerId, ctx: &mut Ctx<'_>) -> Stepped {
        let spec = Arc::clone(&self.spec);
        let beyond = self.text.hold_marker(&spec.value, id);
        self.text.end_reference(ctx);
        match spec.value.role(id) {
            Role::Data => {
                // What stands in the section is no markup.
                self.text.flush(ctx);
                self.text.take_source(ctx);
                (self.state, self.text.decodes) = (State::Data, false);
            }
            Role::Close if spec.tags.is_some() => self.state = State::Closing,
            Role::Close => {
                self.state = State::Gap;
                // What stands before its opening tag is no value.
                if self.unopened
                    && self.spec.words.first().is_some_and(|own| self.text.has_open(own))
                {
                    self.text.doubt_value(ctx);
                }
                if let Err(fault) = self.text.end_value(ctx) {
                    // C1: what was read is the stream's again.
                    self.text.held.push_str(&beyond);
                    return Err(fault);
                }
                self.text.take_source(ctx);
            }
            Role::BlockClose => self.state = State::After(self.text.held.len()),
            Role::CutClose => {
                if self.unopened {
                    self.text.doubt_value(ctx);
                }
                self.element(ctx);
                self.text.doubt_end(ctx);
            }
            Role::CallOpen => {
                self.opened = true;
                self.text.held.push_str(&beyond);
                return Ok(Some(self.refuse(ctx)));
            }
            Role::Stray => {
                self.text.doubt_value(ctx);
                self.text.held.push_str(&beyond);
                return Ok(Some(self.refuse(ctx)));
            }
            _ => {
                let opener = self.text.held.trim_start_matches('\n');
                let entry = spec.openers.iter().find(|(text, _)| text == opener);
                let at = entry.map_or(0, |(_, at)| *at);
                self.matcher.begin(&[at], self.text.held.len());
                self.state = State::Next;
            }
        }
        Ok(refeed(beyond))
    }

    /// After a closing delimiter of the call that may end an open value too.
    fn after(&mut self, delimiter: usize, input: &mut &str, ctx: &mut Ctx<'_>) -> Stepped {
        let spec = Arc::clone(&self.spec);
        while let Some(c) = next_char(input) {
            self.text.hold(c);
            let rest = self
                .text
                .held
                .get(delimiter..)
                .unwrap_or_default()
                .trim_start_matches(is_whitespace);
            if rest.is_empty() && self.text.held.len() <= MAX_LOOKAHEAD {
                continue;
            }
            match spec.between.match_short(rest) {
                Anchored::Prefix => {}
                Anchored::Marker { .. } => {
                    self.end_unclosed(ctx)?;
                    let again = self.text.held.split_off(delimiter);
                    self.text.take_source(ctx);
                    self.text.held = again;
                    self.close(ctx);
                    return Ok(Some(Step::Closed));
                }
                Anchored::None => {
                    self.state = State::Value;
                    let step = self.text.refuse_up_to(delimiter, ctx);
                    self.text.doubt_end(ctx);
                    return Ok(Some(step));
                }
            }
        }
        Ok(Some(Step::More))
    }

    /// The open value has no closing delimiter. After the opener of a call the text that follows is
    /// another call's, or the value writes about calls.
    fn end_unclosed(&mut self, ctx: &mut Ctx<'_>) -> Result {
        self.refuse_if_opened(ctx);
        self.text.end_unclosed(&self.spec.words, false, ctx)
    }

    fn refuse_if_opened(&mut self, ctx: &mut Ctx<'_>) {
        if self.opened {
            self.text.doubt_value(ctx);
        }
    }

    /// The marker was data.
    fn refuse(&mut self, ctx: &mut Ctx<'_>) -> Step {
        self.state = State::Value;
        self.text.refuse(ctx)
    }

    /// The stream ends; `accept`: a closing delimiter may be missing.
    fn at_end(&mut self, accept: bool, ctx: &mut Ctx<'_>) -> AtEnd {
        if !accept {
            return AtEnd::Cut;
        }
        let begins = |opener: &str| opener.starts_with(self.text.held.as_str());
        if matches!(self.state, State::Gap)
            && !self.spec.openers.iter().any(|(opener, _)| begins(opener))
            && let Anchored::Marker { id, len, .. } = self.spec.gap.match_short(&self.text.held)
            && matches!(self.spec.gap.role(id), Role::CloseInner | Role::BlockClose)
        {
            // A whole marker: that a longer one begins like it no longer matters.
            let step = self.gap_marker(id, len, ctx);
            return step.map(|step| step.map_or(AtEnd::Cut, AtEnd::Step)).into();
        }
        let whole = self.is_whole(ctx);
        whole.map(|whole| if whole { AtEnd::Unclosed } else { AtEnd::Cut }).into()
    }

    /// The stream ends: whether the arguments are complete.
    fn is_whole(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        let mut closing = self.is_open_ended();
        match self.state {
            // A cut closing delimiter is a missing one, where it cannot be the delimiter of another parameter.
            State::Gap => {
                let tail = self.text.held.trim_start();
                let begins = |delimiter: &String| delimiter.starts_with(tail);
                let mut end_markers =
                    self.spec.end_markers.iter().flatten().chain([&self.end_marker]);
                let mut openers = self.spec.openers.iter().map(|(opener, _)| opener);
                let cut = !end_markers.any(begins) || !tail.is_empty() && openers.any(begins);
                if !self.text.held.is_empty() && cut {
                    return Ok(false);
                }
                closing |= !tail.is_empty();
            }
            State::After(delimiter) if self.text.held.get(delimiter..).is_some_and(is_space) => {
                self.end_unclosed(ctx)?;
            }
            State::Beyond(delimiter) if self.goes_on(delimiter).is_none() => {
                self.text.held = self.end_file_text(delimiter, ctx)?;
                return self.is_whole(ctx);
            }
            _ => return Ok(false),
        }
        self.text.take_source(ctx);
        self.state = State::Closed;
        self.text.params.close_at_end(closing, ctx);
        Ok(true)
    }
}

fn is_space(text: &str) -> bool {
    text.chars().all(is_whitespace)
}

impl Reader for PatternReader {
    fn begin(&mut self, begin: &Begin<'_>, ctx: &mut Ctx<'_>) -> Result {
        self.state = State::Gap;
        self.text.begin(true, self.spec.trim, ctx);
        self.text.decodes = self.spec.entities == Entities::Text;
        self.end_marker.clear();
        if let Some(name) = ctx.call.name.as_ref().filter(|_| self.spec.enclosed) {
            self.end_marker.extend(["</", name, ">"]);
        }
        if begin.shape == Shape::Empty {
            self.close(ctx);
        }
        Ok(())
    }

    fn step(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Step {
        loop {
            let step = match self.state {
                State::Gap => self.gap(input, ctx),
                State::Header | State::Next => self.header(input, ctx),
                State::Lead if self.lead.is_empty() => {
                    self.state = State::Value;
                    Ok(None)
                }
                State::Lead => Ok(self.in_lead(input)),
                State::Value => self.in_value(input, ctx),
                State::Closing => self.closing(input, ctx),
                State::Data => self.in_data(input, ctx),
                State::After(delimiter) => self.after(delimiter, input, ctx),
                State::Beyond(delimiter) => self.beyond(delimiter, input, ctx),
                State::Closed => Ok(Some(Step::Closed)),
            };
            match step {
                Err(fault) => return self.text.fail(fault, ctx),
                Ok(Some(step)) => return self.text.params.judge(step),
                Ok(None) if input.is_empty() => return Step::More,
                Ok(None) => {}
            }
        }
    }

    #[inline]
    fn plain_text(&mut self, chunk: &str, ctx: &mut Ctx<'_>) -> Option<bool> {
        if self.state != State::Value {
            return None;
        }
        self.text.plain(&self.spec.value, chunk, ctx)
    }

    fn finish(&mut self, end: StreamEnd, accept: bool, ctx: &mut Ctx<'_>) -> AtEnd {
        let open_ended = self.state == State::Gap && self.is_open_ended();
        let ended = match self.at_end(end == StreamEnd::Stop && (accept || open_ended), ctx) {
            AtEnd::Unclosed if open_ended => AtEnd::Step(Step::Closed),
            ended => ended,
        };
        // Of a value that is cut.
        self.text.flush(ctx);
        self.text.params.judge_end(ended)
    }

    fn take_held(&mut self) -> String {
        let Self { spec, state, text, .. } = self;
        text.take_held(if *state == State::Data { &spec.cdata } else { &spec.value })
    }

    fn unaccounted(&self) -> usize {
        self.text.unaccounted(self.table())
    }

    #[cfg(feature = "meter")]
    fn examined(&self) -> u64 {
        self.text.examined()
    }
}
