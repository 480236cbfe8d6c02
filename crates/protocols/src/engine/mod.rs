//! The engine: one machine that runs every format described by a spec.
//!
//! States are an enum, transitions live in [`Engine::step`]. Between chunks the engine keeps the
//! state, the scanner's position in a marker, what it examined and could not decide, and, where a
//! policy may give it back, the source of the open call. It never searches text twice.
//!
//! Laws kept here: C1 (positions, in [`out`]), C3 (nothing depends on where a chunk ends), C8
//! (what went out stands), C9 (one segment at a time), C10 (only undecided text is withheld).
//!
//! `intake` takes the chunks, `channel` reads text and reasoning, `lookahead` is the lookahead after an
//! opener, `matcher` runs the headers there, `end_marker` judges doubtful end markers, `object` objects that
//! may be calls; `calls` lets the readers of `reader` work, `bypass` sends plain text past them,
//! `beyond` passes over the rest of a call that is beyond a limit, `between` reads what follows a call, `finish` ends the stream. `docs/engine.md` tells it in order.

mod between;
mod beyond;
mod bracket;
mod bypass;
mod call;
mod calls;
mod channel;
mod end_marker;
mod finish;
mod intake;
mod kept;
mod lookahead;
mod markup;
mod matcher;
mod object;
mod out;
mod piped;
mod reader;
mod run;
mod tag;
mod watch;

use std::sync::Arc;

use toolweir_markers::{Chunk, Scanner};
use toolweir_segments::{EventSink, StreamEnd};

pub(crate) use beyond::Beyond;
pub(crate) use call::{Ahead, Call, Ctx, Fault, Result, shown, undeclared};
pub(crate) use intake::Intake;
pub(crate) use kept::{FloorBoundary, Kept};
pub(crate) use lookahead::BlockHeader;
pub(crate) use markup::{ElementTag, TagSearch, starts_word};
pub(crate) use matcher::{Match, Matched, Matcher};
pub(crate) use object::pass_tokens;
pub(crate) use out::{Open, Output};
pub(crate) use piped::{Meta, Piped};
pub(crate) use reader::{AtEnd, Begin, MakeReader, Reader, Shape, Step};
pub(crate) use run::{MAX_WHITESPACE, Run};
pub(crate) use tag::{Lex, Tag, TagLexer, hold, hold_text, is_whitespace, taken};
pub(crate) use watch::{Hints, Opener, Piece, Watch};

use self::between::{Between, Surplus};
use self::bypass::Bypass;
use self::lookahead::Lookahead;
use self::object::ObjectLookahead;
use self::run::{Framing, ReasoningState};
use crate::decoder::Decoder;
use crate::meter::Meter;
use crate::policy::{Deltas, Malformed, Names, TextPolicy, Unclosed};
use crate::program::{PayloadProgram, Program};
use crate::request::{Reasoning, Request, StartState};

/// Where the engine is; `diagnostics::STATES` draws it.
#[derive(Debug)]
pub(crate) enum State {
    /// Visible text, scanning for markers.
    Text,
    /// Reasoning, scanning for its end.
    Reasoning,
    /// After an opener: does its grammar follow?
    Lookahead(Lookahead),
    /// Inside an object that is no call: text, in which no object is looked for.
    Passing(Box<ObjectLookahead>),
    /// Inside a call.
    Payload,
    /// Inside a call beyond a limit, whose end is looked for.
    Beyond(Box<Beyond>),
    /// After the last bracket or tag of a call, with what follows: it may show that this came too early.
    Closed(Surplus),
    /// After a call, inside or after its block.
    Between(Between),
}

/// Policies of the request, the format's defaults filled in.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rules {
    pub(crate) keep_source: bool,
    pub(crate) accept_unclosed: bool,
    pub(crate) text: TextPolicy,
    pub(crate) names_declared: bool,
    /// The same for objects that no marker stands before.
    pub(crate) unmarked_declared: bool,
    pub(crate) source_deltas: bool,
}

impl Rules {
    fn of(program: &Program, request: &Request) -> Self {
        let policies = &request.policies;
        let declared = |names| asks_declared(policies.names.unwrap_or(names), request);
        Self {
            keep_source: policies.malformed == Malformed::Text,
            accept_unclosed: policies.unclosed.unwrap_or(program.unclosed) == Unclosed::Accept,
            text: policies.text.unwrap_or(program.text_policy),
            names_declared: declared(program.names),
            unmarked_declared: declared(program.unmarked_names),
            source_deltas: policies.deltas.unwrap_or(program.deltas) == Deltas::Source,
        }
    }

    /// Of a decoder without a program, whose text and calls are read as those of others are.
    pub(crate) fn of_text(request: &Request) -> Self {
        Self {
            keep_source: request.policies.malformed == Malformed::Text,
            text: request.policies.text.unwrap_or(TextPolicy::Preserve),
            names_declared: request.policies.names.is_some_and(|n| asks_declared(n, request)),
            ..Self::of_one_call(request)
        }
    }

    /// Of a decoder without a program, whose answer is one call and never text.
    pub(crate) fn of_one_call(request: &Request) -> Self {
        Self {
            keep_source: false,
            accept_unclosed: false,
            text: TextPolicy::Preserve,
            names_declared: false,
            unmarked_declared: false,
            source_deltas: request.policies.deltas == Some(Deltas::Source),
        }
    }
}

/// Whether only declared names make calls.
fn asks_declared(names: Names, request: &Request) -> bool {
    match names {
        Names::Any => false,
        Names::Declared => true,
        Names::DeclaredIfAny => !request.tools.is_empty(),
    }
}

/// A decoder that runs a program.
#[derive(Debug)]
pub(crate) struct Engine {
    program: Arc<Program>,
    request: Request,
    rules: Rules,
    /// Those of the open call.
    call_rules: Rules,
    state: State,
    scanner: Scanner,
    intake: Intake,
    /// Runs the header that a lookahead is in.
    matcher: Matcher,
    /// Bytes at the end of what a lookahead holds that may go back to the input they were taken from.
    returnable: usize,
    /// Looks into objects that may be calls, while none does.
    object_lookahead: Option<Box<ObjectLookahead>>,
    out: Output,
    kept: Kept,
    call: Call,
    /// Reads the open call, or has read the one before.
    active: Option<Box<dyn Reader>>,
    /// Which of the program's readers that is.
    reader: usize,
    /// The others, in the order of the program.
    idle: Vec<Option<Box<dyn Reader>>>,
    /// Makes one when it is first needed.
    make: MakeReader,
    /// That one reads JSON calls.
    in_json: bool,
    /// The stream has begun.
    begun: bool,
    run: Run,
    framing: Framing,
    reasoning: ReasoningState,
    /// Calls begun in this turn.
    calls: usize,
    /// The id that a header gave the call that begins.
    pending_id: Option<String>,
    /// A wrapper around several calls is open.
    section: bool,
    /// The open call's header opened it.
    opens_section: bool,
    /// A mark shows that wrapper: calls in it may have any name.
    marked_section: bool,
    /// A list of calls is open.
    in_list: bool,
    /// The open call stands after another one in its block.
    further: bool,
    /// A header began the open call.
    marked: bool,
    /// That header shows no mark and says no name: the object must name a declared tool.
    asks_name: bool,
    /// A closing delimiter is due after it.
    end_marker_due: bool,
    /// The end markers that have come since the last call began, by length and last bytes.
    end_markers: [u64; 4],
    /// Blocks that were accepted without their end marker: it may still come.
    unclosed_blocks: usize,
    /// Where the last opener stands that was text.
    text_opener: Option<u64>,
    /// It is in the text; one that begins with a marker which is never text is not.
    shows_opener: bool,
    /// An opener stood where the end marker of the last call was due.
    opener_after_call: bool,
    /// Whether a chunk of a payload is looked at for being text and nothing else.
    plain: Backoff,
    bypass: Bypass,
    /// A call without a readable header was reported, and its end marker has not come.
    unnamed: bool,
    /// Inside a call that cannot be read, up to the next marker.
    error_recovery: ErrorRecovery,
    /// A message that is markup, as far as it is not yet accounted for.
    skipped: Skipped,
    /// That call stands in a wrapper, whose end is the marker; else its own closing tag is.
    recover_in_block: bool,
    /// Bytes examined after openers and calls.
    examined: Meter,
}

/// When a fast path is tried: after misses in a row ever less often, so that trying in vain costs little.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Backoff {
    /// Times that it is not tried.
    wait: u8,
    misses: u8,
}

impl Backoff {
    /// Whether it is tried this time.
    pub(crate) fn tries(&mut self) -> bool {
        let waits = self.wait > 0;
        self.wait = self.wait.saturating_sub(1);
        !waits
    }

    pub(crate) fn miss(&mut self) {
        self.wait = self.misses;
        self.misses = self.misses.saturating_mul(2).saturating_add(1);
    }

    pub(crate) fn hit(&mut self) {
        self.misses = 0;
    }
}

/// How long a message that is markup is so far, and whether it says something.
#[derive(Clone, Copy, Debug, Default)]
struct Skipped {
    bytes: usize,
    has_text: bool,
}

impl Skipped {
    fn take(&mut self, text: &str) {
        self.bytes += text.len();
        self.has_text |= !text.chars().all(is_whitespace);
    }
}

/// What happens to the rest of an unreadable call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ErrorRecovery {
    #[default]
    No,
    /// It is visible text; an end marker belongs to it.
    Text,
    /// It stays hidden in its segment.
    Hidden,
    /// It is the body of a message that is markup.
    Skipped,
}

impl Engine {
    /// A machine for one stream. `make`: the readers that the program names, by their place in it.
    pub(crate) fn new(program: Arc<Program>, make: MakeReader, request: &Request) -> Box<Self> {
        let rules = Rules::of(&program, request);
        let in_reasoning =
            request.start_state == StartState::Reasoning && program.reasoning.is_some();
        let off = request.reasoning == Reasoning::Off;
        let mut engine = Box::new(Self {
            state: if in_reasoning && !off { State::Reasoning } else { State::Text },
            scanner: Scanner::new(),
            intake: Intake::after(&request.prefix),
            matcher: Matcher::new(request.limits.max_name_bytes, request.tools.clone()),
            returnable: 0,
            object_lookahead: None,
            out: Output::new(request.emit, request.limits.max_diagnostics),
            kept: Kept::default(),
            call: Call::default(),
            in_json: program.payloads.first().is_some_and(PayloadProgram::is_json),
            active: None,
            idle: Vec::new(),
            begun: false,
            make,
            reader: 0,
            run: Run::at_start(rules.text),
            framing: Framing::default(),
            reasoning: ReasoningState::new(off, in_reasoning && !off),
            calls: 0,
            pending_id: None,
            section: false,
            opens_section: false,
            marked_section: false,
            in_list: false,
            marked: false,
            asks_name: false,
            end_marker_due: true,
            end_markers: [0; 4],
            unclosed_blocks: 0,
            text_opener: None,
            shows_opener: false,
            opener_after_call: false,
            further: false,
            unnamed: false,
            plain: Backoff::default(),
            bypass: Bypass::default(),
            error_recovery: ErrorRecovery::No,
            skipped: Skipped::default(),
            recover_in_block: false,
            examined: Meter::default(),
            program,
            request: request.clone(),
            rules,
            call_rules: rules,
        });
        engine.out.goes_on_after(request.prefix.len());
        engine.run.sees_lines = engine.program.sees_lines;
        engine.run.separators = engine.program.calls.separators;
        if matches!(engine.state, State::Text) {
            engine.message_begins();
        }
        engine
    }

    /// Visible text is searched on its way out.
    pub(crate) fn watched_by(mut self: Box<Self>, watch: Watch) -> Box<Self> {
        self.out.watch(watch);
        self
    }

    /// What stands before the first text is sent.
    #[inline]
    fn begin(&mut self, sink: &mut dyn EventSink) {
        if !std::mem::replace(&mut self.begun, true)
            && let Some(lead) = &self.program.lead
        {
            self.out.decoded(lead, 0, sink);
        }
    }

    /// Reads again what must be, then the chunk.
    #[inline(always)]
    fn feed(&mut self, chunk: &str, sink: &mut dyn EventSink) {
        let mut input = chunk;
        // Nearly every chunk lies inside text, reasoning or a payload, with nothing to read again.
        if !self.intake.is_pending() && !input.is_empty() && !self.framing.is_active() {
            match self.state {
                State::Text => self.read_text(&mut input, sink),
                State::Reasoning => self.read_reasoning(&mut input, sink),
                State::Payload => self.read_chunk(&mut input, sink),
                _ => {}
            }
            if input.is_empty() && !self.intake.is_pending() {
                return;
            }
        }
        self.feed_all(input, sink);
    }

    /// What must differ after a step.
    #[cfg(debug_assertions)]
    fn progress(&self, input: &str) -> (usize, std::mem::Discriminant<State>, u64, usize) {
        let state = std::mem::discriminant(&self.state);
        (input.len(), state, self.out.at, self.run.whitespace.len())
    }

    /// Makes text the next thing to be read.
    fn read_again(&mut self, text: String) {
        self.intake.read_again(text);
    }

    /// Makes the end of what is held, from `at` on, the next thing to be read.
    fn read_again_from(&mut self, held: &mut String, at: usize) {
        let rest = held.get(at..).unwrap_or_default();
        if !rest.is_empty() {
            let mut text = self.intake.buffer();
            text.push_str(rest);
            self.intake.read_again(text);
            held.truncate(at);
        }
    }
}

impl Engine {
    /// Runs the states until the text is consumed or something must be read again first.
    fn step(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let depth = self.intake.depth();
        #[cfg(debug_assertions)]
        let mut still = 0;
        while !input.is_empty() && self.intake.depth() == depth {
            if self.framing.is_active() {
                let framed = self.framing.read(input);
                self.resolve_framing(framed, sink);
                continue;
            }
            #[cfg(debug_assertions)]
            let before = self.progress(input);
            match &self.state {
                State::Text => self.read_text(input, sink),
                State::Reasoning => self.read_reasoning(input, sink),
                State::Lookahead(_) => self.read_lookahead(input, sink),
                State::Passing(_) => self.read_passing(input, sink),
                State::Payload => self.read_payload(input, sink),
                State::Beyond(_) => self.read_beyond(input, false, sink),
                State::Closed(_) => self.read_surplus(input, sink),
                State::Between(_) => self.read_between(input, sink),
            }
            #[cfg(debug_assertions)]
            {
                // A rejected marker moves only the scanner, at most once a character of it.
                let moved = before != self.progress(input) || self.intake.depth() != depth;
                still = if moved { 0 } else { still + 1 };
                debug_assert!(still <= 1024, "a step must consume, change state or ask for more");
            }
        }
    }
}

impl Decoder for Engine {
    fn push(&mut self, chunk: Chunk<'_>, sink: &mut dyn EventSink) {
        if self.intake.accept(&chunk, &self.out, sink) {
            self.begin(sink);
            self.feed(chunk.text, sink);
        }
    }

    fn finish(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        if self.intake.finish() {
            self.begin(sink);
            if self.intake.is_pending() {
                self.feed("", sink);
            }
            self.finish_stream(end, sink);
        }
    }

    #[cfg(feature = "meter")]
    fn examined(&self) -> u64 {
        let readers = self.idle.iter().flatten().chain(&self.active);
        let readers: u64 = readers.map(|reader| reader.examined()).sum();
        self.examined.bytes() + self.scanner.examined() + readers + self.bypass.examined()
    }
}
