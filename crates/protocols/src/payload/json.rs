//! Reads one JSON object that names a tool and holds its arguments.
//!
//! Keys come in any order and under several names; the arguments stream as they arrive, or wait
//! for the name. The object's end is known from its structure (C6), never from a marker.

use toolweir_rjson::{Kind, Machine, Mode, Options, Token, unescape};
use toolweir_segments::Span;

use super::Step;
use super::args::ArgsWriter;
use crate::diagnostics::{
    BAD_ARGUMENTS, LIMIT_HELD, LIMIT_NAME, NO_NAME, REPEATED_MEMBER, STRAY_LIST,
};
use crate::engine::{Ctx, Fault};
use crate::limits::Limits;
use crate::program::Keys;

/// The reader; kept and reused from call to call.
#[derive(Debug)]
pub(crate) struct JsonReader {
    machine: Machine,
    call: CallReader,
}

impl JsonReader {
    pub(crate) fn new(limits: &Limits) -> Self {
        let options = Options::new(Mode::Relaxed)
            .with_max_depth(limits.max_depth)
            .with_max_held_bytes(limits.max_held_bytes)
            .with_max_keys(limits.max_keys);
        Self { machine: Machine::new(options.clone()), call: CallReader::new(options) }
    }

    /// Begins a call whose object starts at offset `at`.
    pub(crate) fn begin(&mut self, at: u64) {
        self.machine.reset(at);
        self.call.begin();
    }

    /// Takes text up to the end of the object.
    pub(crate) fn step(&mut self, input: &mut &str, keys: &Keys, ctx: &mut Ctx<'_>) -> Step {
        let Self { machine, call } = self;
        loop {
            // The hot path: a piece of a string argument.
            if call.streams(ctx)
                && let Some(text) = machine.string_text(input)
            {
                ctx.consumed(text);
                call.writer.delta(text, ctx);
                if input.is_empty() {
                    return Step::More;
                }
            }
            let before = *input;
            let token = match machine.next(input) {
                Ok(Some(token)) => token,
                Ok(None) => {
                    let source = used(before, input);
                    ctx.consumed(source);
                    call.pass_source(source, ctx);
                    break;
                }
                Err(error) => {
                    let source = used(before, input);
                    ctx.consumed(source);
                    call.pass_source(source, ctx);
                    let fault = Fault::json(&error);
                    return if call.is_settled(ctx) {
                        Step::ClosedByStructure
                    } else {
                        Step::Failed(fault)
                    };
                }
            };
            let source = used(before, input);
            ctx.consumed(source);
            if let Err(fault) = call.token(&token, source, keys, ctx) {
                return Step::Failed(fault);
            }
        }
        if !machine.is_done() {
            return Step::More;
        }
        ctx.call.repaired |= machine.deviated();
        match call.finish(ctx) {
            Ok(()) => Step::Closed,
            Err(fault) => Step::NoCall(fault),
        }
    }

    /// Whether name and arguments are whole although the object is still open.
    pub(crate) fn is_settled(&self, ctx: &Ctx<'_>) -> bool {
        self.call.is_settled(ctx)
    }

    #[cfg(feature = "meter")]
    pub(crate) fn examined(&self) -> u64 {
        self.machine.examined() + self.call.inner.examined()
    }
}

fn used<'a>(before: &'a str, rest: &str) -> &'a str {
    before.get(..before.len() - rest.len()).unwrap_or_default()
}

fn note_repeated(what: &str, ctx: &mut Ctx<'_>) {
    let message = format!("the call gives its {what} again; the first counts");
    ctx.note(REPEATED_MEMBER, Span::empty(ctx.out.at), &message);
}

/// The member that is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Slot {
    #[default]
    Other,
    Name,
    /// A key that names the tool as a string and wraps the call as an object.
    NameOrWrapper,
    Wrapper,
    Args,
    Id,
}

/// Where the string or container being read goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Into {
    #[default]
    Nothing,
    Name,
    Id,
    /// The arguments object, opened at the depth given by the reader.
    Args,
    /// The arguments as a JSON string, decoded once.
    ArgsText,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ArgsState {
    /// None so far.
    #[default]
    Missing,
    /// `null` or `""`: counts only if no other comes.
    Empty,
    /// An object is being read, or was read.
    Open,
    Closed,
}

/// Everything but the tokenizer.
#[derive(Debug)]
struct CallReader {
    /// The value is an object.
    is_object: bool,
    /// Open containers.
    depth: usize,
    /// Depth of the members of the call object: 1, or 2 inside a wrapper.
    level: usize,
    slot: Slot,
    into: Into,
    text: String,
    args: ArgsState,
    /// The first thing wrong; the object is still read to its end.
    fault: Option<Fault>,
    writer: ArgsWriter,
    /// Arguments that came before the name, or decoded from a string: read again by `inner`.
    held: String,
    /// The same as written, kept only under `deltas = source`.
    held_source: String,
    /// Where the arguments begin: diagnostics of text that is read again point there.
    args_at: Span,
    inner: Machine,
    /// Whether the arguments pass through `inner`.
    by_inner: bool,
    started: bool,
}

impl CallReader {
    fn new(options: Options) -> Self {
        Self {
            is_object: false,
            depth: 0,
            level: 1,
            slot: Slot::Other,
            into: Into::Nothing,
            text: String::new(),
            args: ArgsState::Missing,
            fault: None,
            writer: ArgsWriter::default(),
            held: String::new(),
            held_source: String::new(),
            args_at: Span::default(),
            inner: Machine::new(options),
            by_inner: false,
            started: false,
        }
    }

    fn begin(&mut self) {
        self.is_object = false;
        self.depth = 0;
        self.level = 1;
        self.slot = Slot::Other;
        self.into = Into::Nothing;
        self.text.clear();
        self.args = ArgsState::Missing;
        self.fault = None;
        self.held.clear();
        self.held_source.clear();
        self.by_inner = false;
        self.started = false;
    }

    /// Whether tokens of the arguments go straight out.
    #[inline]
    fn streams(&self, ctx: &Ctx<'_>) -> bool {
        self.into == Into::Args && !self.by_inner && ctx.call.streams && self.writer.streams()
    }

    fn is_settled(&self, ctx: &Ctx<'_>) -> bool {
        let whole = matches!(self.args, ArgsState::Closed);
        whole && ctx.call.name.is_some() && self.fault.is_none()
    }

    #[inline]
    fn token(
        &mut self,
        token: &Token<'_>,
        source: &str,
        keys: &Keys,
        ctx: &mut Ctx<'_>,
    ) -> Result<(), Fault> {
        if self.into == Into::Args {
            self.args_token(token, source, ctx)?;
        }
        match token.kind {
            Kind::StringDelta => self.string_text(token.wire, ctx),
            Kind::ObjectStart | Kind::ArrayStart => {
                let object = matches!(token.kind, Kind::ObjectStart);
                self.is_object |= object && self.depth == 0;
                if self.into == Into::Nothing && self.depth == self.level {
                    self.container(object, token, source, ctx)?;
                }
                self.depth += 1;
            }
            Kind::ObjectEnd | Kind::ArrayEnd => {
                self.depth = self.depth.saturating_sub(1);
                if self.into == Into::Args && self.depth == self.level {
                    self.into = Into::Nothing;
                    self.args = ArgsState::Closed;
                    ctx.call.repaired |= self.by_inner && self.inner.deviated();
                } else if self.depth < self.level && self.level > 1 {
                    self.level -= 1;
                }
            }
            Kind::Key(key) if self.depth == self.level && self.into == Into::Nothing => {
                self.key(key, keys, ctx);
            }
            Kind::StringStart if self.at_member() => self.string_start(token.start, ctx),
            Kind::StringEnd if self.depth == self.level => self.string_end(ctx)?,
            Kind::Number | Kind::True | Kind::False | Kind::Null if self.at_member() => {
                self.scalar(token, ctx);
            }
            Kind::Note(note) if self.into != Into::Args => {
                ctx.json_note(&note, Span::new(note.start, note.end));
            }
            _ => {}
        }
        Ok(())
    }

    fn at_member(&self) -> bool {
        self.depth == self.level && self.into == Into::Nothing
    }

    fn key(&mut self, key: &str, keys: &Keys, ctx: &mut Ctx<'_>) {
        let in_list = |list: &[String]| list.iter().any(|k| k == key);
        let (name, wrapper) = (in_list(&keys.name), in_list(&keys.wrappers));
        self.slot = match (name, wrapper) {
            (true, true) => Slot::NameOrWrapper,
            (true, false) => Slot::Name,
            (false, true) => Slot::Wrapper,
            _ if in_list(&keys.args) => Slot::Args,
            _ if in_list(&keys.id) => Slot::Id,
            _ => Slot::Other,
        };
        let taken = match self.slot {
            Slot::Name => ctx.call.name.is_some(),
            Slot::Args => matches!(self.args, ArgsState::Open | ArgsState::Closed),
            _ => false,
        };
        if taken {
            self.slot = Slot::Other;
            note_repeated(if name { "name" } else { "arguments" }, ctx);
        }
    }

    /// A container as the value of a member of the call.
    fn container(
        &mut self,
        object: bool,
        token: &Token<'_>,
        source: &str,
        ctx: &mut Ctx<'_>,
    ) -> Result<(), Fault> {
        match std::mem::take(&mut self.slot) {
            Slot::Args if object => {
                self.into = Into::Args;
                self.args = ArgsState::Open;
                self.begin_args(token.start, ctx);
                self.args_token(token, source, ctx)?;
            }
            Slot::Wrapper | Slot::NameOrWrapper if object => self.level += 1,
            Slot::Args => self.spoil(BAD_ARGUMENTS, "the arguments of the call are a list"),
            Slot::Name | Slot::NameOrWrapper => {
                self.spoil(NO_NAME, "the name of the call is not a string");
            }
            _ => {}
        }
        Ok(())
    }

    fn scalar(&mut self, token: &Token<'_>, ctx: &mut Ctx<'_>) {
        let null = matches!(token.kind, Kind::Null);
        match std::mem::take(&mut self.slot) {
            Slot::Args if null => self.args = ArgsState::Empty,
            Slot::Args => self.spoil(BAD_ARGUMENTS, "the arguments of the call are not an object"),
            Slot::Name | Slot::NameOrWrapper if !null => {
                self.spoil(NO_NAME, "the name of the call is not a string");
            }
            Slot::Id if matches!(token.kind, Kind::Number) => {
                ctx.call.native_id.get_or_insert_with(|| token.wire.to_owned());
            }
            _ => {}
        }
    }

    fn string_start(&mut self, at: u64, ctx: &mut Ctx<'_>) {
        self.text.clear();
        if self.slot == Slot::NameOrWrapper && ctx.call.name.is_some() {
            note_repeated("name", ctx);
        }
        self.into = match std::mem::take(&mut self.slot) {
            Slot::Name | Slot::NameOrWrapper if ctx.call.name.is_none() => Into::Name,
            Slot::Args => Into::ArgsText,
            Slot::Id if ctx.call.native_id.is_none() => Into::Id,
            _ => Into::Nothing,
        };
        if self.into == Into::ArgsText {
            self.begin_args(at, ctx);
            self.started = false;
        }
    }

    fn string_text(&mut self, wire: &str, ctx: &mut Ctx<'_>) {
        match self.into {
            Into::Name | Into::Id => {
                // C3: how much of a string comes at once depends on the chunk, so trouble in it
                // counts at the end of the object.
                let limit = ctx.request.limits.max_name_bytes;
                if self.text.len() <= limit {
                    self.text.push_str(&unescape(wire));
                }
                if self.text.len() > limit && self.into == Into::Name {
                    self.spoil(LIMIT_NAME, "a tool name is longer than the limit");
                }
            }
            Into::ArgsText => {
                if let Err(fault) = self.args_text(&unescape(wire), ctx) {
                    self.fault.get_or_insert(fault);
                }
            }
            _ => {}
        }
    }

    fn string_end(&mut self, ctx: &mut Ctx<'_>) -> Result<(), Fault> {
        match self.into {
            Into::Name => {
                self.into = Into::Nothing;
                if self.fault.is_none() {
                    ctx.set_name(self.text.clone())?;
                    self.release(ctx)?;
                }
            }
            Into::Id => {
                self.into = Into::Nothing;
                // An id beyond the limit of names is none; the call does not depend on it.
                if self.text.len() <= ctx.request.limits.max_name_bytes {
                    ctx.call.native_id = Some(self.text.clone());
                }
            }
            Into::ArgsText => {
                self.into = Into::Nothing;
                self.args = if self.started { ArgsState::Closed } else { ArgsState::Empty };
                if self.started && ctx.call.name.is_some() {
                    self.check_inner(ctx);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn begin_args(&mut self, at: u64, ctx: &Ctx<'_>) {
        self.args_at = Span::empty(at);
        self.held.clear();
        self.held_source.clear();
        self.inner.reset(0);
        self.by_inner = ctx.call.name.is_none();
        self.begin_writer(ctx);
    }

    fn begin_writer(&mut self, ctx: &Ctx<'_>) {
        if let Some(name) = &ctx.call.name {
            self.writer.begin(ctx.request.tools.schema(name), ctx);
        }
    }

    /// A token of the arguments object.
    #[inline]
    fn args_token(
        &mut self,
        token: &Token<'_>,
        source: &str,
        ctx: &mut Ctx<'_>,
    ) -> Result<(), Fault> {
        self.pass_source(source, ctx);
        if ctx.call.name.is_none() {
            self.hold(token.wire, ctx);
            return Ok(());
        }
        if self.by_inner {
            return self.feed_inner(token.wire, ctx);
        }
        self.writer.token(&token.kind, token.wire, Span::new(token.start, token.end), ctx)
    }

    /// Source of the arguments object, which only `deltas = source` shows.
    #[inline]
    fn pass_source(&mut self, source: &str, ctx: &mut Ctx<'_>) {
        if self.into != Into::Args || !ctx.wants_source() {
            return;
        }
        if ctx.call.name.is_some() {
            ctx.source_args(source);
        } else if self.held_source.len() <= ctx.request.limits.max_held_bytes {
            self.held_source.push_str(source);
        }
    }

    /// A piece of arguments given as a string, decoded.
    fn args_text(&mut self, text: &str, ctx: &mut Ctx<'_>) -> Result<(), Fault> {
        let begun = self.started || self.fault.is_some();
        let text = if begun { text } else { text.trim_start() };
        if ctx.call.name.is_some() {
            ctx.source_args(text);
        }
        if text.is_empty() || self.fault.is_some() {
            return Ok(());
        }
        if !self.started && !text.starts_with('{') {
            self.spoil(BAD_ARGUMENTS, "the arguments of the call are a string that is no object");
            return Ok(());
        }
        self.started = true;
        self.by_inner = true;
        self.args = ArgsState::Open;
        if ctx.call.name.is_none() {
            if ctx.wants_source() {
                self.held_source.push_str(text);
            }
            self.hold(text, ctx);
            return Ok(());
        }
        self.feed_inner(text, ctx)
    }

    fn hold(&mut self, text: &str, ctx: &Ctx<'_>) {
        if self.held.len() + text.len() > ctx.request.limits.max_held_bytes {
            return self
                .spoil(LIMIT_HELD, "the arguments before the name are longer than the limit");
        }
        self.held.push_str(text);
    }

    /// The name is known: arguments that waited for it go out.
    fn release(&mut self, ctx: &mut Ctx<'_>) -> Result<(), Fault> {
        if self.held.is_empty() {
            return Ok(());
        }
        self.begin_writer(ctx);
        let held = std::mem::take(&mut self.held);
        ctx.source_args(&std::mem::take(&mut self.held_source));
        self.feed_inner(&held, ctx)?;
        if self.args == ArgsState::Closed {
            self.check_inner(ctx);
        }
        Ok(())
    }

    fn feed_inner(&mut self, text: &str, ctx: &mut Ctx<'_>) -> Result<(), Fault> {
        let mut input = text;
        loop {
            match self.inner.next(&mut input) {
                Ok(Some(token)) => {
                    self.writer.token(&token.kind, token.wire, self.args_at, ctx)?;
                }
                Ok(None) => break,
                Err(_) => {
                    self.spoil(BAD_ARGUMENTS, "the arguments given as a string are no object");
                    return Ok(());
                }
            }
        }
        if self.inner.is_done() && !input.trim().is_empty() {
            self.spoil(BAD_ARGUMENTS, "text stands behind the arguments given as a string");
        }
        Ok(())
    }

    fn check_inner(&mut self, ctx: &mut Ctx<'_>) {
        if !self.inner.is_done() {
            self.spoil(BAD_ARGUMENTS, "the arguments given as a string are not whole");
        }
        ctx.call.repaired |= self.inner.deviated();
    }

    fn spoil(&mut self, code: crate::diagnostics::Code, message: &str) {
        self.fault.get_or_insert_with(|| Fault::new(code, message));
    }

    /// The object is closed: is it a call?
    fn finish(&mut self, ctx: &mut Ctx<'_>) -> Result<(), Fault> {
        if !self.is_object {
            return Err(Fault::new(STRAY_LIST, "a list of calls holds something that is no call"));
        }
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        if ctx.call.name.is_none() {
            return Err(Fault::new(NO_NAME, "the object names no tool"));
        }
        if matches!(self.args, ArgsState::Missing | ArgsState::Empty) {
            ctx.source_args("{}");
            ctx.args("{}");
        }
        Ok(())
    }
}
