//! Reads a payload that may be damaged: the repair mode of rjson, and where the payload ends.
//!
//! Repair mode reads all it is given, so it is given nothing that is not the payload's: an end marker,
//! or an opener with a payload after it, ends the payload unless it stands in a string or comment. What
//! is a string in damaged JSON the repair machine decides, which is told the declared keys: an end marker
//! to which nothing leads that ends the call is data.
//!
//! A string that holds an opener and an unescaped quote is a guess: it may be two calls. As many end
//! markers as openers then belong to its block, so that no call inside an argument runs.
//!
//! Nothing here ends a call: the closing delimiters of strings and of the arguments are the model's own
//! (`call` refuses invented ones). Text examined but not read goes back to the stream.

mod doubt;
mod ending;

use std::sync::Arc;

use toolweir_markers::{MarkerId, Piece, Scanner};
use toolweir_rjson::{BypassedText, Expect, InvalidEscape, Kind, Mode, SourceMachine};

use self::doubt::Doubt;
use super::Reading;
use super::quotes::{Quotes, closes};
use crate::diagnostics::{AMBIGUOUS_CALL, UNREADABLE_CALL};
use crate::engine::{Ctx, Fault, FloorBoundary, MAX_WHITESPACE, Result, Step, is_whitespace};
use crate::limits::Limits;
use crate::program::Json;

/// The first piece of a payload that is examined; each further one may be twice as long. So what is
/// examined in vain is no longer than the payload.
const FIRST_PIECE: usize = 64;
const LARGEST_PIECE: usize = 16 << 10;
/// The lookahead budget at markers: as many bytes as the payload has, and so many more.
const FREE_LOOKAHEAD: u64 = 2 << 10;
const NOT_WHOLE: &str = "the payload of the call is not whole";

/// The reader of one payload after another.
#[derive(Debug)]
pub(super) struct Repaired {
    machine: SourceMachine,
    /// The bracket of the list that the machine was given has not come back as a token.
    bracket: bool,
    max_depth: usize,
    scanner: Scanner,
    quotes: Quotes,
    /// Offset up to which tokens cover the stream.
    covered: u64,
    /// Offset after the last byte taken from the stream.
    taken: u64,
    /// An opener and the whitespace after it: does a payload follow?
    opener: String,
    /// Length of the opener itself.
    marker: usize,
    piece: usize,
    doubt: Doubt,
    /// The block is passed over up to its end: what is wrong with it.
    passing: Option<Fault>,
    /// Where the payload began.
    begun: u64,
    /// Bytes examined for the sake of markers.
    spent: u64,
    /// Bytes examined in all payloads.
    examined: u64,
}

/// The name between an opener and the payload.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Due,
    Open,
    Over,
}

impl Name {
    /// Whether a payload begins with this character; `None`: what follows tells.
    fn begins(&mut self, c: char) -> Option<bool> {
        match (*self, c) {
            (Self::Open | Self::Over, '{' | '[') => Some(true),
            (Self::Due, c) if is_whitespace(c) => None,
            // A tag ends after its name.
            (Self::Open | Self::Over, c) if is_whitespace(c) || c == '>' => {
                *self = Self::Over;
                None
            }
            (Self::Due | Self::Open, c) if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') => {
                *self = Self::Open;
                None
            }
            // A tool may have a namespace.
            (Self::Open, ':' | '/') => None,
            _ => Some(false),
        }
    }
}

impl Repaired {
    pub(super) fn new(limits: &Limits, escape: InvalidEscape) -> Self {
        let options = limits
            .json(Mode::Repair)
            // The bracket of a list counts in the machine, not in the payload.
            .with_max_depth(limits.max_depth.saturating_add(1))
            .with_invalid_escape(escape);
        Self {
            machine: SourceMachine::new(options),
            bracket: false,
            max_depth: limits.max_depth,
            scanner: Scanner::new(),
            quotes: Quotes::default(),
            covered: 0,
            taken: 0,
            opener: String::new(),
            marker: 0,
            piece: FIRST_PIECE,
            doubt: Doubt::default(),
            passing: None,
            begun: 0,
            spent: 0,
            examined: 0,
        }
    }

    /// Begins a payload at offset `at`. In a list a closed object may be followed by a comma, so the
    /// machine reads the payload as an entry of a list.
    pub(super) fn begin(&mut self, at: u64, in_list: bool, spec: &Json, ctx: &Ctx<'_>) {
        self.machine.reset(at, if in_list { "[" } else { "" });
        let expect = match &ctx.call.name {
            Some(name) if spec.keys.args_only => {
                let expect = ctx.request.tools.expect(name).with_follow(spec.follow);
                expect.with_markers(Arc::clone(&spec.markers))
            }
            _ if spec.keys.args_only => {
                Expect::anything().with_follow(spec.follow).with_markers(Arc::clone(&spec.markers))
            }
            _ => spec.call.of(in_list),
        };
        self.machine.expect(expect);
        self.passing = None;
        self.bracket = in_list;
        self.scanner.reset();
        let mut markers = spec.between.markers();
        self.quotes.begin(markers.any(|marker| marker.bytes().next().is_some_and(closes)));
        self.opener.clear();
        self.doubt.begin();
        // What is free is free once, not in every payload.
        let overspent = self.spent.saturating_sub(self.covered.saturating_sub(self.begun));
        (self.covered, self.taken) = (at, at);
        (self.piece, self.spent, self.begun) = (FIRST_PIECE, overspent, at);
    }

    /// Takes text up to the end of the payload.
    pub(super) fn step(&mut self, input: &mut &str, reading: &mut Reading<'_, '_>) -> Step {
        let whole = *input;
        while !input.is_empty() {
            let (now, later) = input.split_up_to(self.piece);
            *input = later;
            self.taken += now.len() as u64;
            self.piece = (self.piece * 2).min(LARGEST_PIECE);
            if let Some(step) = self.scan(now, reading) {
                // What was examined in vain is the input's again, as far as it came from there.
                let taken = whole.len() - input.len();
                let vain = self.unaccounted().min(taken);
                self.taken -= vain as u64;
                *input = whole.get(taken - vain..).unwrap_or_default();
                return step;
            }
        }
        Step::More
    }

    /// Whether plain text that follows is more of the open string, whatever else is known of it.
    pub(super) fn may_be_bypassed(&self) -> bool {
        let free = self.passing.is_none() && self.opener.is_empty() && self.scanner.is_idle();
        free && self.doubt.is_free() && self.machine.may_be_bypassed() && self.quotes.is_in_text()
    }

    /// Such text has gone out, but for what waits after it.
    pub(super) fn bypassed(&mut self, text: &BypassedText) {
        let taken = (text.sent() + text.waits().len()) as u64;
        self.machine.bypassed(text);
        self.quotes.feed(text.waits());
        self.covered += text.sent() as u64;
        self.taken += taken;
        self.examined += taken;
    }

    /// Looks for markers in a piece of text and gives the rest to the machine.
    fn scan(&mut self, text: &str, reading: &mut Reading<'_, '_>) -> Option<Step> {
        let mut text = text;
        loop {
            if self.passing.is_some() {
                return self.pass(&mut text, reading);
            }
            if !self.opener.is_empty() {
                let begins = self.after_opener(&mut text, reading.spec)?;
                // A call does not break off at a quote: the opener is quoted.
                let quoted = self.quotes.is_after_quote() && reading.call.depth > 0;
                let step = if begins && !quoted {
                    self.end(reading)
                } else {
                    self.doubt.openers += usize::from(begins);
                    let opener = std::mem::take(&mut self.opener);
                    self.give(&opener, reading)
                };
                if step.is_some() {
                    return step;
                }
                continue;
            }
            match self.scanner.next(&reading.spec.between.set, &mut text)? {
                Piece::Text(piece) => {
                    if let Some(step) = self.give(piece, reading) {
                        self.hold_scanned(reading.spec);
                        return Some(step);
                    }
                }
                Piece::Marker(id) => {
                    let data = self.is_data(id, reading);
                    if data == Ok(true) {
                        self.scanner.reject(&reading.spec.between.set, id);
                        continue;
                    }
                    self.opener.push_str(reading.spec.between.marker(id));
                    self.marker = self.opener.len();
                    self.hold_scanned(reading.spec);
                    let closes = reading.spec.between.role(id).closes();
                    let ends = closes || self.is_before_arguments(reading);
                    let step = data.err().or_else(|| ends.then(|| self.end(reading)).flatten());
                    if step.is_some() {
                        return step;
                    }
                }
            }
        }
    }

    /// What the scanner has read ahead counts as read after the marker.
    fn hold_scanned(&mut self, spec: &Json) {
        self.opener.extend(self.scanner.held(&spec.between.set));
        self.scanner.reset();
    }

    /// Whether a payload begins after the opener, perhaps after a name; `None`: not known yet.
    fn after_opener(&mut self, text: &mut &str, spec: &Json) -> Option<bool> {
        let (marker, held) = self.opener.split_at_checked(self.marker)?;
        let mut name = match spec.named.iter().any(|opener| opener == marker) {
            true => Name::Due,
            false => Name::Over,
        };
        if let Some(begins) = held.chars().find_map(|c| name.begins(c)) {
            return Some(begins);
        }
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            if let Some(begins) = name.begins(c) {
                return Some(begins);
            }
            if self.opener.len() > MAX_WHITESPACE {
                return Some(false);
            }
            self.opener.push(c);
            *text = chars.as_str();
        }
        None
    }

    /// Whether a marker after what was given is data: inside a string or comment, or a key. `Err`:
    /// the payload ends before it.
    fn is_data(&mut self, id: MarkerId, reading: &mut Reading<'_, '_>) -> Result<bool, Step> {
        if let Some(step) = self.catch_up(reading) {
            return Err(step);
        }
        let closes = reading.spec.between.role(id).closes();
        let inside = self.ends_inside();
        if inside && !closes {
            self.doubt.openers += 1;
        }
        if inside || self.quotes.inside() {
            return Ok(inside);
        }
        let marker = reading.spec.between.marker(id);
        // A block ends by structure: these brackets are first those of the payload.
        Ok(self.quotes.closes(marker) || (!closes && self.quotes.reads_as_key(marker)))
    }

    /// Whether the payload, if it ended after what was given, would end inside a string or comment.
    fn ends_inside(&mut self) -> bool {
        let waiting = self.machine.held_bytes() as u64;
        // What lies before the marker counts, not what was taken: that depends on the chunks.
        let before = self.covered - self.begun + self.machine.unread().len() as u64;
        if self.spent + waiting > before + FREE_LOOKAHEAD {
            // The lookahead budget is spent: the double quotes alone decide.
            return self.quotes.is_in_text();
        }
        self.spent += waiting;
        self.examined += waiting;
        self.machine.ends_inside()
    }

    /// Passes over the rest of a block that held openers in a doubtful string: up to the marker that
    /// ends it.
    fn pass(&mut self, text: &mut &str, reading: &mut Reading<'_, '_>) -> Option<Step> {
        // A marker that was found before, and what was read with it.
        let found = std::mem::take(&mut self.opener);
        let mut found = found.as_str();
        let step = self.pass_markers(&mut found, reading);
        // What stands after the marker is read again.
        self.opener.push_str(found);
        step.or_else(|| self.pass_markers(text, reading))
    }

    fn pass_markers(&mut self, text: &mut &str, reading: &mut Reading<'_, '_>) -> Option<Step> {
        while let Some(piece) = self.scanner.next(&reading.spec.between.set, text) {
            match piece {
                Piece::Text(piece) => self.pass_text(piece, reading),
                Piece::Marker(id) => {
                    let marker = reading.spec.between.marker(id);
                    let closes = reading.spec.between.role(id).closes();
                    if closes && self.doubt.unclosed == 0 {
                        self.opener.push_str(marker);
                        self.hold_scanned(reading.spec);
                        return self.passing.take().map(Step::Failed);
                    }
                    self.doubt.unclosed = match closes {
                        true => self.doubt.unclosed - 1,
                        false => self.doubt.unclosed + 1,
                    };
                    self.pass_text(marker, reading);
                }
            }
        }
        None
    }

    fn pass_text(&mut self, text: &str, reading: &mut Reading<'_, '_>) {
        reading.ctx.consumed(text);
        self.covered += text.len() as u64;
    }

    /// Gives text to the machine and takes the tokens that come of it.
    fn give(&mut self, text: &str, reading: &mut Reading<'_, '_>) -> Option<Step> {
        self.examined += text.len() as u64;
        let mut text = text;
        let step = loop {
            if reading.call.streams(reading.ctx)
                && let Some(plain) = self.machine.string_text(&mut text)
            {
                self.quotes.feed_plain(plain);
                self.doubt.text(plain);
                reading.ctx.consumed(plain);
                reading.call.writer.delta(plain, reading.ctx);
                self.covered += plain.len() as u64;
                continue;
            }
            reading.call.non_strict = self.machine.non_strict();
            let before = text;
            let next = self.machine.next(&mut text);
            self.quotes.feed(before.get(..before.len() - text.len()).unwrap_or_default());
            let (token, source) = match next {
                Ok(Some(sourced)) => sourced,
                Ok(None) => return None,
                Err(error) => break broken(Fault::json(&error), reading),
            };
            if std::mem::take(&mut self.bracket) && matches!(token.kind, Kind::ArrayStart) {
                continue;
            }
            self.covered += source.len() as u64;
            match self.doubt.token(&token, source, self.max_depth, reading) {
                Ok(()) if reading.call.over => match self.close(reading) {
                    Some(step) => break step,
                    None => {
                        self.quotes.feed(text);
                        self.pass_text(text, reading);
                        return None;
                    }
                },
                Ok(()) => {}
                Err(fault) => break broken(fault, reading),
            }
            if reading.call.opened_args(&token) {
                let name = reading.ctx.call.name.as_deref();
                let tools = &reading.ctx.request.tools;
                let expect = name.map_or_else(Expect::anything, |name| tools.expect(name));
                self.machine.expect(expect);
            }
        };
        // What has not been read waits with the rest.
        self.quotes.feed(text);
        self.machine.feed(text);
        Some(step)
    }

    /// Takes every token that the text so far allows.
    pub(super) fn catch_up(&mut self, reading: &mut Reading<'_, '_>) -> Option<Step> {
        self.machine.catch_up();
        self.give("", reading)
    }

    /// The value is closed. None: the block is passed over up to its end.
    fn close(&mut self, reading: &mut Reading<'_, '_>) -> Option<Step> {
        reading.ctx.call.repaired |= self.machine.non_strict();
        let Err(fault) = reading.call.finish(&reading.spec.keys, reading.ctx) else {
            return Some(Step::Closed);
        };
        if fault.code != AMBIGUOUS_CALL || self.doubt.unclosed == 0 {
            return Some(Step::NoCall(fault));
        }
        // The end of the stream may find it.
        reading.call.fault = Some(fault.clone());
        self.passing = Some(fault);
        let rest = self.machine.take_unread();
        self.pass_text(&rest, reading);
        None
    }

    /// Bytes taken from the stream that no token covers.
    pub(super) fn unaccounted(&self) -> usize {
        usize::try_from(self.taken - self.covered).unwrap_or(usize::MAX)
    }

    /// What was taken from the stream in vain.
    pub(super) fn take_held(&mut self) -> String {
        let mut held = self.machine.take_unread();
        held.push_str(&self.opener);
        held.truncate(held.floor_char_boundary_up_to(self.unaccounted()));
        self.opener.clear();
        self.taken = self.covered;
        held
    }

    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        self.examined + self.scanner.examined()
    }
}

/// Not readable from here on; that does not matter where name and arguments are whole.
fn broken(fault: Fault, reading: &Reading<'_, '_>) -> Step {
    if fault.code == UNREADABLE_CALL && reading.call.is_resolved(reading.ctx) {
        Step::ClosedByStructure
    } else {
        Step::Failed(fault)
    }
}
