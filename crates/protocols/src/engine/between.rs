//! After a call, inside or after its block: separators, the next call, a closing delimiter, a further
//! opener, or anything else, which ends the block.

mod noise;
mod resolve;
mod stray;
mod surplus;

use toolweir_markers::{Anchored, MarkerId};
use toolweir_segments::EventSink;

pub(super) use self::noise::Noise;
pub(super) use self::stray::is_stray;
use self::stray::pass_over;
pub(crate) use self::surplus::Surplus;
use super::kept::FloorBoundary;
use super::tag::{Lex, Tag, TagLexer, hold, hold_text, is_whitespace};
use super::{Engine, State};
use crate::program::{Grown, PayloadProgram, Program, Role};

/// Text between the calls of a wrapper that waits for what follows it.
const MAX_NOISE: usize = 4096;

/// After a call: whitespace, separators, the next call, an end marker, a further opener.
#[derive(Debug, Default)]
pub(crate) struct Between {
    pub(crate) held: String,
    /// Where in `held` a marker or tag may begin.
    pub(crate) tail: Option<usize>,
    /// How far the marker there is matched.
    pub(crate) grown: Grown,
    lexer: TagLexer,
    /// The list's closing bracket was read, and where in `held` it ends.
    list_end: Option<usize>,
    /// The call is closed but waits for its end marker (`unclosed = text`), or an end marker of its own
    /// is missing and only an end marker shows that it is whole.
    pub(crate) waiting: bool,
    /// An end marker of the call is missing.
    pub(crate) unfinished: bool,
    /// Reading after a further opener while waiting.
    beyond_opener: bool,
    /// What of `held` is text, which is left out if a call or the end of the wrapper follows.
    noise: Noise,
    /// The call object before it was refused: only a further one of its block may follow. How many blocks are not
    /// closed where none does.
    pub(super) refused: Option<usize>,
    /// The opener of the wrapper is text with the source of a refused call: so is its end marker, if that is all
    /// that comes.
    pub(super) opener_is_text: bool,
    /// Inside a parameter with a denied key that stands after its call.
    pub(crate) denied: bool,
    /// The word of its tag.
    word: String,
}

impl Between {
    pub(crate) fn new(held: String, max_name: usize) -> Self {
        Self { held, lexer: TagLexer::new(max_name), ..Self::default() }
    }

    /// Inside a parameter with a denied key: it ends at its closing tag.
    fn in_denied(&mut self, c: char, program: &Program) -> Found {
        if c == '<' {
            self.lexer.reset();
        }
        let Some(tagged) = program.tagged() else { return Found::Denied };
        let closes = self.lexer.feed(c, &tagged.words, false) == Lex::Tag(Tag::CloseParam);
        let own = closes && tagged.words.same(self.lexer.word(), &self.word);
        if own { Found::Denied } else { Found::More }
    }
}

enum Found {
    More,
    /// The next call of a list, or of a block that holds several; the last character is its own.
    NextObject,
    /// A call tag.
    NextTag,
    /// A call tag whose name is none.
    BadTag,
    /// An end marker, and where in what is held it ends.
    Close(usize),
    /// Another closing tag where the end marker is due, and where it ends.
    WrongClose(usize),
    /// What closes the call, but not the wrapper that it stands in.
    CloseInner(usize),
    /// In a wrapper: the next call may begin there, without an opener.
    Inner(usize),
    /// A further opener, and where it ends.
    Opener(usize),
    /// Separators up to there were no end marker; what follows them is read again.
    Stray(usize),
    /// A parameter with a denied key, up to its end.
    Denied,
    /// Anything else.
    Other,
}

impl Engine {
    #[inline(never)]
    pub(crate) fn read_between(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let mut state = std::mem::replace(&mut self.state, State::Text);
        let State::Between(between) = &mut state else { return };
        let mut rest = *input;
        let (before, found) = loop {
            if let Some(found) = self.take_marker(between, &mut rest) {
                break (0, found);
            }
            rest = self.skip_tag(between, rest);
            let mut chars = rest.chars();
            let Some(c) = chars.next() else {
                *input = "";
                self.state = state;
                return;
            };
            rest = chars.as_str();
            let before = between.held.len();
            self.examined.add(c.len_utf8() as u64);
            hold(&mut between.held, c);
            let found = self.look_between(between, before, c);
            let too_long = between.held.len() > self.request.limits.max_held_bytes;
            match found {
                Found::More if !too_long => {}
                Found::More if between.denied => {
                    self.hide_denied(between, sink);
                }
                found => break (before, found),
            }
        };
        *input = rest;
        if let State::Between(between) = state {
            self.resolve_between(between, before, found, sink);
        }
    }

    /// Takes a marker that ends in the text, or the text that it goes on in.
    fn take_marker(&mut self, between: &mut Between, rest: &mut &str) -> Option<Found> {
        let program = &*self.program;
        let text = *rest;
        let before = between.held.len();
        let start = between.tail.unwrap_or(before);
        let separates =
            |c| is_whitespace(c) || matches!(c, '{' | ']') || program.calls.separates(c);
        if between.beyond_opener
            || between.denied
            || program.tagged().is_some()
            || between.tail.is_none() && text.starts_with(separates)
        {
            return None;
        }
        // With the character that may follow the longest marker.
        let most = (start + program.between.set.longest() + 4).saturating_sub(before);
        let (near, _) = text.split_up_to(most);
        if before + near.len() > self.request.limits.max_held_bytes {
            return None;
        }
        // A marker that begins here is matched before it is held.
        let goes_on = start < before;
        if goes_on {
            hold_text(&mut between.held, near);
        }
        let marker = if goes_on { between.held.get(start..).unwrap_or_default() } else { near };
        let (taken, found) = match program.between.match_grown(marker, start, &mut between.grown) {
            Anchored::Marker { id, len, may_grow: false } => {
                let end = start + len;
                (end.saturating_sub(before), Some(self.found_marker(id, start, end)))
            }
            Anchored::Prefix | Anchored::Marker { .. } => (near.len(), None),
            Anchored::None => (0, None),
        };
        let (now, later) = text.split_at_checked(taken).unwrap_or(("", text));
        if goes_on {
            between.held.truncate(before + now.len());
        } else {
            hold_text(&mut between.held, now);
        }
        if !now.is_empty() {
            between.tail = Some(start);
        }
        *rest = later;
        self.examined.add(now.len() as u64);
        found
    }

    /// What a marker is that stands in what is held.
    fn found_marker(&self, id: MarkerId, start: usize, end: usize) -> Found {
        let table = &self.program.between;
        let role = table.role(id);
        let marker = table.marker(id);
        // An end marker of signs alone that closes nothing may open a fence of the text.
        let closes_nothing = role.closes() && !self.section && !self.end_marker_due;
        let may_be_fence = || closes_nothing && !marker.contains(char::is_alphanumeric);
        if !self.counts_from(start, marker) || may_be_fence() {
            Found::Other
        } else if role == Role::CloseInner && self.section {
            Found::CloseInner(end)
        } else if role.closes() {
            Found::Close(end)
        } else {
            Found::Opener(end)
        }
    }

    /// Takes characters that leave a tag undecided.
    fn skip_tag<'t>(&mut self, between: &mut Between, text: &'t str) -> &'t str {
        let Some(tagged) = self.program.tagged().filter(|tagged| tagged.tags_end_markers) else {
            return text;
        };
        let begins = between.tail.is_none();
        if begins && !text.starts_with('<')
            || between.beyond_opener
            || between.denied
            || self.in_json
        {
            return text;
        }
        let room = self.request.limits.max_held_bytes.saturating_sub(between.held.len());
        let (near, _) = text.split_up_to(room);
        let run = between.lexer.take_run(near, &tagged.words, false);
        let (run, rest) = text.split_at_checked(run).unwrap_or(("", text));
        if begins && !run.is_empty() {
            between.tail = Some(between.held.len());
        }
        hold_text(&mut between.held, run);
        self.examined.add(run.len() as u64);
        rest
    }

    /// What the character just held makes of it.
    fn look_between(&self, between: &mut Between, before: usize, c: char) -> Found {
        let program = &*self.program;
        if between.beyond_opener {
            return match c {
                _ if is_whitespace(c) => Found::More,
                '{' | '[' => Found::Opener(between.held.len()),
                _ => Found::Other,
            };
        }
        if between.denied {
            return between.in_denied(c, program);
        }
        if between.tail.is_none() {
            let json = self.in_json;
            match c {
                _ if is_whitespace(c) => return Found::More,
                '{' if json && self.in_list && between.list_end.is_none() => {
                    return Found::NextObject;
                }
                ']' if json && self.in_list && between.list_end.is_none() => {
                    between.list_end = Some(between.held.len());
                    return Found::More;
                }
                '{' if self.block_goes_on(between, program) => return Found::NextObject,
                _ if is_stray(c) && self.forgives(between) && !program.between.begins(c) => {
                    return Found::More;
                }
                _ if !json && self.section && (program.calls.separates(c) || self.is_space(c)) => {
                    return Found::More;
                }
                // An element that is no object; a marker would mean that the list is not closed.
                _ if json
                    && self.in_list
                    && between.list_end.is_none()
                    && !program.between.begins(c) =>
                {
                    return Found::NextObject;
                }
                _ => between.tail = Some(before),
            }
        }
        let start = between.tail.unwrap_or(before);
        let held = between.held.len();
        let tail = between.held.get(start..).unwrap_or_default();
        // `</think>` where `</tool_call>` is due: a closing tag, only the wrong one.
        let foreign_end_marker = self.may_close_wrongly(between, tail, program);
        let lexed = match program.tagged() {
            Some(tagged) => between.lexer.feed(c, &tagged.words, false),
            None => Lex::No,
        };
        match (lexed, program.between.match_short(tail)) {
            (Lex::Tag(Tag::OpenCall), _) if !between.lexer.name().is_empty() => Found::NextTag,
            // The wrapper's tags in any letter case: its literal markers say the same.
            (Lex::Tag(Tag::CloseWrap), _) if self.counts_from(start, tail) => Found::Close(held),
            (Lex::Tag(Tag::OpenWrap), _) if self.counts_from(start, tail) => Found::Opener(held),
            (Lex::Tag(Tag::OpenParam), _)
                if !between.waiting && self.request.policies.denies(between.lexer.name()) =>
            {
                between.denied = true;
                between.word = between.lexer.word().to_owned();
                if between.lexer.closes_itself() { Found::Denied } else { Found::More }
            }
            // A closing tag that is repeated.
            (Lex::Tag(Tag::CloseCall), _) if !between.waiting => Found::CloseInner(held),
            (Lex::Bad, _) => Found::BadTag,
            (_, Anchored::None) if foreign_end_marker => {
                if c == '>' {
                    Found::WrongClose(held)
                } else {
                    Found::More
                }
            }
            // Perhaps only what follows it has shown that it is no longer marker.
            (_, Anchored::Marker { id, len, may_grow: false }) => {
                self.found_marker(id, start, start + len)
            }
            (Lex::More, _) | (_, Anchored::Prefix | Anchored::Marker { .. }) => Found::More,
            // Text of the format's own between two calls is passed over as whitespace is.
            _ if program.calls.between.starts_with(tail) => {
                if program.calls.between.len() == tail.len() {
                    between.tail = None;
                }
                Found::More
            }
            _ if tail.starts_with(is_stray) && self.forgives(between) => {
                // In an open list only whitespace is forgiven.
                let closed = !self.in_list || between.list_end.is_some();
                let forgiven = |c| is_whitespace(c) || closed && is_stray(c);
                pass_over(between, start, forgiven, program)
            }
            _ if self.section && !program.calls.inner.is_empty() => Found::Inner(start),
            // It is markup if a call or the end of the wrapper follows.
            _ if self.section && program.calls.noise && between.held.len() < MAX_NOISE => {
                if between.noise == Noise::None {
                    between.noise = Noise::Text;
                }
                pass_over(between, start, |_| true, program)
            }
            _ => Found::Other,
        }
    }

    /// Whether it is whitespace between expressions, in which any character of that kind is.
    fn is_space(&self, c: char) -> bool {
        c.is_whitespace() && self.payload_is(PayloadProgram::forgives_brackets)
    }

    /// Whether brackets too many and commas are forgiven here: in a list, and where an end marker is
    /// due.
    fn forgives(&self, between: &Between) -> bool {
        self.payload_is(PayloadProgram::forgives_brackets)
            && (self.end_marker_due || self.section || self.in_list && between.list_end.is_none())
    }

    /// Whether the block of the call may hold several objects.
    pub(super) fn may_hold_several(&self) -> bool {
        let wrapped = self.section && !self.program.calls.inner.is_empty();
        wrapped || self.block_goes_on(&Between::default(), &self.program)
    }

    /// Whether another call object may stand here, where the end marker of the block is due.
    fn block_goes_on(&self, between: &Between, program: &Program) -> bool {
        self.in_json
            && self.end_marker_due
            && !(self.in_list || self.section || between.waiting)
            && program.is_call_object(self.reader)
    }

    /// Whether the marker at that place after the call counts.
    fn counts_from(&self, start: usize, marker: &str) -> bool {
        self.counts(self.out.at + start as u64, marker)
    }
}
