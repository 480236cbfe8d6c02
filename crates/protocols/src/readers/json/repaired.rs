//! Reads a payload that may be damaged: the repair mode of rjson, and where the payload ends.
//!
//! Repair mode reads all it is given, so it is given nothing that is not the payload's: an end marker,
//! or an opener with a payload behind it, ends the payload unless it stands in a string or comment.
//! What is a string in damaged JSON is doubtful. A marker is data only if both the repair machine
//! and a plain count of quotes say so: an unescaped quote then costs one call, not the rest of the
//! stream.
//!
//! A string that holds a marker and an unescaped quote is not mended: it may be two calls.
//!
//! Nothing here ends a call: the closers of strings and of the arguments are the model's own
//! ([`CallReader`] refuses invented ones). Text looked at but not read goes back to the stream.

mod doubt;

use toolweir_markers::{MarkerId, Piece, Scanner};
use toolweir_rjson::{InvalidEscape, Kind, Mode, Options, SourceMachine};

use self::doubt::{Doubt, is_note_of_cut};
use super::call::CallReader;
use super::quotes::{Quotes, closes};
use crate::diagnostics::UNREADABLE_CALL;
use crate::engine::{Ctx, Fault, FloorBoundary, Step, is_blank};
use crate::limits::Limits;
use crate::program::{Json, Role};

/// The first piece of a payload that is looked at; each further one may be twice as long. So what is
/// looked at in vain is no longer than the payload.
const FIRST_PIECE: usize = 64;
const LARGEST_PIECE: usize = 16 << 10;
/// Looking at what waits before markers may cost as many bytes as the payload has, and so many more.
const FREE_LOOKS: u64 = 2 << 10;
/// Blanks between an opener and the payload behind it.
const MOST_BLANKS: usize = 4 << 10;
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
    /// Offset behind the last byte taken from the stream.
    taken: u64,
    /// An opener and the blanks behind it: does a payload follow?
    opener: String,
    /// Length of the opener itself.
    marker: usize,
    piece: usize,
    doubt: Doubt,
    /// Where the payload began.
    begun: u64,
    /// Bytes looked at for the sake of markers.
    spent: u64,
    /// Bytes looked at in all payloads.
    looked: u64,
}

impl Repaired {
    pub(super) fn new(limits: &Limits, drop_escapes: bool) -> Self {
        let escape = if drop_escapes { InvalidEscape::Drop } else { InvalidEscape::Keep };
        let options = Options::new(Mode::Repair)
            // The bracket of a list counts in the machine, not in the payload.
            .with_max_depth(limits.max_depth.saturating_add(1))
            .with_max_held_bytes(limits.max_held_bytes)
            .with_max_keys(limits.max_keys)
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
            begun: 0,
            spent: 0,
            looked: 0,
        }
    }

    /// Begins a payload at offset `at`. In a list a closed object may be followed by a comma, so the
    /// machine reads the payload as an entry of a list.
    pub(super) fn begin(&mut self, at: u64, in_list: bool, spec: &Json) {
        self.machine.reset(at, if in_list { "[" } else { "" });
        self.bracket = in_list;
        self.scanner.reset();
        let mut markers = spec.between.markers();
        self.quotes.begin(markers.any(|marker| marker.bytes().next().is_some_and(closes)));
        self.opener.clear();
        self.doubt = Doubt::default();
        (self.covered, self.taken) = (at, at);
        (self.piece, self.spent, self.begun) = (FIRST_PIECE, 0, at);
    }

    /// Takes text up to the end of the payload.
    pub(super) fn step(
        &mut self,
        input: &mut &str,
        call: &mut CallReader,
        spec: &Json,
        ctx: &mut Ctx<'_>,
    ) -> Step {
        let whole = *input;
        while !input.is_empty() {
            let length = input.floor_char_boundary_up_to(self.piece.min(input.len()));
            let (now, later) = input.split_at_checked(length).unwrap_or((input, ""));
            *input = later;
            self.taken += now.len() as u64;
            self.piece = (self.piece * 2).min(LARGEST_PIECE);
            if let Some(step) = self.scan(now, call, spec, ctx) {
                // What was looked at in vain is the input's again, as far as it came from there.
                let taken = whole.len() - input.len();
                let vain = self.unaccounted().min(taken);
                self.taken -= vain as u64;
                *input = whole.get(taken - vain..).unwrap_or_default();
                return step;
            }
        }
        Step::More
    }

    /// Looks for markers in a piece of text and gives the rest to the machine.
    fn scan(
        &mut self,
        text: &str,
        call: &mut CallReader,
        spec: &Json,
        ctx: &mut Ctx<'_>,
    ) -> Option<Step> {
        let mut text = text;
        loop {
            if !self.opener.is_empty() {
                match self.behind_opener(&mut text)? {
                    true => return Some(self.end(call, spec, ctx)),
                    false => {
                        let opener = std::mem::take(&mut self.opener);
                        if let Some(step) = self.give(&opener, call, spec, ctx) {
                            return Some(step);
                        }
                    }
                }
            }
            match self.scanner.next(&spec.between.set, &mut text)? {
                Piece::Text(piece) => {
                    if let Some(step) = self.give(piece, call, spec, ctx) {
                        self.hold_scanned(spec);
                        return Some(step);
                    }
                }
                Piece::Marker(id) => match self.is_data(id, call, spec, ctx) {
                    Ok(true) => self.scanner.reject(&spec.between.set, id),
                    Ok(false) => {
                        self.opener.push_str(spec.between.marker(id));
                        self.marker = self.opener.len();
                        self.hold_scanned(spec);
                        if spec.between.role(id) == Role::Close {
                            return Some(self.end(call, spec, ctx));
                        }
                    }
                    Err(step) => {
                        self.opener.push_str(spec.between.marker(id));
                        self.hold_scanned(spec);
                        return Some(step);
                    }
                },
            }
        }
    }

    /// What the scanner has read ahead counts as read behind the marker.
    fn hold_scanned(&mut self, spec: &Json) {
        self.opener.extend(self.scanner.held(&spec.between.set));
        self.scanner.reset();
    }

    /// Whether a payload begins behind the opener; `None`: not known yet.
    fn behind_opener(&mut self, text: &mut &str) -> Option<bool> {
        let held = self.opener.get(self.marker..).unwrap_or_default();
        if let Some(c) = held.chars().find(|c| !is_blank(*c)) {
            return Some(matches!(c, '{' | '['));
        }
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            if !is_blank(c) {
                return Some(matches!(c, '{' | '['));
            }
            if self.opener.len() > MOST_BLANKS {
                return Some(false);
            }
            self.opener.push(c);
            *text = chars.as_str();
        }
        None
    }

    /// Whether a marker behind what was given is data: inside a string or comment, or a key. `Err`:
    /// the payload ends before it.
    fn is_data(
        &mut self,
        id: MarkerId,
        call: &mut CallReader,
        spec: &Json,
        ctx: &mut Ctx<'_>,
    ) -> Result<bool, Step> {
        if !self.quotes.inside() {
            let marker = spec.between.marker(id);
            // A block ends by structure: these brackets are first those of the payload.
            return Ok(self.quotes.closes(marker)
                || (spec.between.role(id) != Role::Close && self.quotes.reads_as_key(marker)));
        }
        if let Some(step) = self.catch_up(call, spec, ctx) {
            return Err(step);
        }
        if self.doubt.inner_quote {
            return Ok(false);
        }
        let waiting = self.machine.held_bytes() as u64;
        // A key without end, full of markers: no payload is worth the work. What lies before the
        // marker counts, not what was taken: that depends on the chunks.
        let before = self.covered - self.begun + self.machine.unread().len() as u64;
        self.doubt.marker = self.spent + waiting <= before + FREE_LOOKS;
        if self.doubt.marker {
            self.spent += waiting;
            self.looked += waiting;
            self.doubt.marker = self.machine.ends_inside();
        }
        Ok(self.doubt.marker)
    }

    /// Gives text to the machine and takes the tokens that come of it.
    fn give(
        &mut self,
        text: &str,
        call: &mut CallReader,
        spec: &Json,
        ctx: &mut Ctx<'_>,
    ) -> Option<Step> {
        self.looked += text.len() as u64;
        self.quotes.feed(text);
        let mut text = text;
        let step = loop {
            call.deviated = self.machine.deviated();
            let (token, source) = match self.machine.next(&mut text) {
                Ok(Some(sourced)) => sourced,
                Ok(None) => return None,
                Err(error) => break broken(Fault::json(&error), call, ctx),
            };
            if std::mem::take(&mut self.bracket) && matches!(token.kind, Kind::ArrayStart) {
                continue;
            }
            self.covered += source.len() as u64;
            match self.doubt.token(&token, source, self.max_depth, call, spec, ctx) {
                Ok(()) if call.is_over() => break self.close(call, spec, ctx),
                Ok(()) => {}
                Err(fault) => break broken(fault, call, ctx),
            }
        };
        // What has not been read waits with the rest.
        self.machine.feed(text);
        Some(step)
    }

    /// Takes every token that the text so far allows.
    fn catch_up(&mut self, call: &mut CallReader, spec: &Json, ctx: &mut Ctx<'_>) -> Option<Step> {
        self.machine.catch_up();
        self.give("", call, spec, ctx)
    }

    fn close(&mut self, call: &mut CallReader, spec: &Json, ctx: &mut Ctx<'_>) -> Step {
        ctx.call.repaired |= self.machine.deviated();
        match call.finish(&spec.keys, ctx) {
            Ok(()) => Step::Closed,
            Err(fault) => Step::NoCall(fault),
        }
    }

    /// The payload ends behind what was given, whole or not.
    fn end(&mut self, call: &mut CallReader, spec: &Json, ctx: &mut Ctx<'_>) -> Step {
        if let Some(step) = self.catch_up(call, spec, ctx) {
            return step;
        }
        let fault = loop {
            call.deviated = self.machine.deviated();
            let (token, source) = match self.machine.finish() {
                Ok(Some(sourced)) => sourced,
                Ok(None) => break Fault::new(UNREADABLE_CALL, NOT_WHOLE),
                Err(error) => break Fault::json(&error),
            };
            if std::mem::take(&mut self.bracket) && matches!(token.kind, Kind::ArrayStart) {
                continue;
            }
            self.covered += source.len() as u64;
            // What is made of the cut is refused, or said where the call is accepted.
            if is_note_of_cut(&token) {
                call.consume(&token, source, ctx);
                continue;
            }
            match self.doubt.token(&token, source, self.max_depth, call, spec, ctx) {
                Ok(()) if call.is_over() => return self.close(call, spec, ctx),
                Ok(()) => {}
                Err(fault) => break fault,
            }
        };
        let rest = self.machine.take_unread();
        ctx.consumed(&rest);
        self.covered += rest.len() as u64;
        broken(fault, call, ctx)
    }

    /// The stream ends inside the payload.
    pub(super) fn finish(&mut self, call: &mut CallReader, spec: &Json, ctx: &mut Ctx<'_>) -> Step {
        let opener = std::mem::take(&mut self.opener);
        if let Some(step) = self.give(&opener, call, spec, ctx) {
            return step;
        }
        while let Some(piece) = self.scanner.finish(&spec.between.set) {
            let step = match piece {
                Piece::Text(text) => self.give(text, call, spec, ctx),
                Piece::Marker(id) => match self.is_data(id, call, spec, ctx) {
                    Ok(true) => {
                        self.scanner.reject(&spec.between.set, id);
                        None
                    }
                    Ok(false) if spec.between.role(id) == Role::Close => {
                        self.opener.push_str(spec.between.marker(id));
                        Some(self.end(call, spec, ctx))
                    }
                    Ok(false) => self.give(spec.between.marker(id), call, spec, ctx),
                    Err(step) => {
                        self.opener.push_str(spec.between.marker(id));
                        Some(step)
                    }
                },
            };
            if let Some(step) = step {
                self.hold_scanned(spec);
                return step;
            }
        }
        self.end(call, spec, ctx)
    }

    /// The call is beyond its limit: what was given counts as read.
    pub(super) fn give_up(
        &mut self,
        call: &mut CallReader,
        spec: &Json,
        ctx: &mut Ctx<'_>,
    ) -> Option<Step> {
        self.hold_scanned(spec);
        if let Some(step) = self.catch_up(call, spec, ctx) {
            return Some(step);
        }
        let held = self.take_held();
        ctx.consumed(&held);
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
        self.looked + self.scanner.examined()
    }
}

/// Not readable from here on; that does not matter where name and arguments are whole.
fn broken(fault: Fault, call: &CallReader, ctx: &Ctx<'_>) -> Step {
    if fault.code == UNREADABLE_CALL && call.is_settled(ctx) {
        Step::ClosedByStructure
    } else {
        Step::Failed(fault)
    }
}
