//! One JSON object that names a tool and holds its arguments, token by token.
//!
//! Keys come in any order and under several names; the arguments stream as they arrive, or wait
//! for the name (`arguments`).

mod slot;
mod strays;
mod strings;

use toolweir_rjson::{Kind, Machine, Token, unescape};
use toolweir_segments::{Reason, Span};

pub(super) use self::slot::{ArgsState, Into};
use self::strays::{Strays, TYPE, declares};
use super::super::args::ArgsWriter;
use crate::diagnostics::{
    AMBIGUOUS_CALL, BAD_ARGUMENTS, Code, DENIED_KEY, DUPLICATE_KEY_ERROR, INVALID_ARGUMENT,
    LIMIT_CALL_BYTES, LIMIT_NAME, NO_NAME, REPEATED_MEMBER, STRAY_LIST, UNDECLARED_TOOL,
    UNREADABLE_CALL,
};
use crate::engine::{Ctx, Fault, Result};
use crate::program::{Keys, Member};

/// Rules of the request: a call that breaks one is none, but its object can be read.
const RULES: [Code; 4] = [UNDECLARED_TOOL, DENIED_KEY, DUPLICATE_KEY_ERROR, INVALID_ARGUMENT];

fn note_repeated(what: &str, ctx: &mut Ctx<'_>) {
    let message = format!("the call gives its {what} again; the first counts");
    ctx.note(REPEATED_MEMBER, Span::empty(ctx.out.at), &message);
}

/// Everything but the tokenizer.
#[derive(Debug, Default)]
pub(super) struct CallReader {
    /// The value is an object.
    is_object: bool,
    /// The value is complete.
    pub(super) over: bool,
    /// The string being read has an opening quote.
    quoted: bool,
    /// Open containers.
    pub(super) depth: usize,
    /// Depth of the members of the call object: 1, or 2 inside a wrapper.
    level: usize,
    slot: Member,
    pub(super) into: Into,
    pub(super) text: String,
    pub(super) args: ArgsState,
    /// The key that the arguments stand under.
    pub(super) args_key: String,
    /// The arguments are no object and are kept as a member of one.
    pub(super) bare: bool,
    pub(super) strays: Strays,
    /// The object carries text beside a call, which has been read.
    carried: bool,
    /// What was read so far is not strict JSON.
    pub(super) non_strict: bool,
    /// Text after the arguments fits nowhere.
    skipped: bool,
    /// The first thing wrong; the object is still read to its end.
    pub(super) fault: Option<Fault>,
    pub(super) writer: ArgsWriter,
    /// Arguments that came before the name, or decoded from a string: read again by `inner`.
    pub(super) held: String,
    /// The same as written, kept only under `deltas = source`.
    pub(super) held_source: String,
    /// Where the arguments begin: diagnostics of text that is read again point there.
    pub(super) args_at: Span,
    /// Made when arguments are first read again.
    pub(super) inner: Option<Machine>,
    /// Whether the arguments pass through `inner`.
    pub(super) by_inner: bool,
    pub(super) started: bool,
}

impl CallReader {
    /// Begins a payload: a call object, or with `args_only` the arguments of a call whose name is
    /// known.
    pub(super) fn begin(&mut self, args_only: bool) {
        self.is_object = false;
        self.over = false;
        self.depth = 0;
        (self.level, self.slot) = if args_only { (0, Member::Args) } else { (1, Member::Other) };
        self.into = Into::Nothing;
        self.text.clear();
        self.args = ArgsState::Missing;
        self.bare = false;
        self.strays.clear();
        self.carried = false;
        (self.non_strict, self.skipped) = (false, false);
        self.fault = None;
        self.held.clear();
        self.held_source.clear();
        self.by_inner = false;
        self.started = false;
    }

    /// Whether tokens of the arguments go straight out.
    #[inline]
    pub(super) fn streams(&self, ctx: &Ctx<'_>) -> bool {
        let direct = self.into == Into::Args && !self.by_inner && !ctx.call.broken;
        direct && ctx.call.streams && self.writer.streams()
    }

    /// Whether the call is whole but for its last brackets.
    pub(super) fn is_resolved(&self, ctx: &Ctx<'_>) -> bool {
        let whole = matches!(self.args, ArgsState::Closed) && !self.skipped;
        let named = ctx.call.name.is_some() && !self.has_doubt(ctx);
        whole && named && self.fault.is_none() && !ctx.is_too_long()
    }

    /// An end marker that repair put in: where the model has not closed a string, the arguments or the
    /// call, nothing does. Bare text that became a string has no quotes at all.
    fn refuse_invented(&mut self, token: &Token<'_>) -> Result {
        let written = token.span.start < token.span.end;
        if token.kind == Kind::StringStart {
            self.quoted = written;
        }
        if written {
            return Ok(());
        }
        let message = match token.kind {
            Kind::StringEnd if self.quoted && self.into != Into::Visible => {
                "a string of the call is not closed"
            }
            // In the place of the arguments nothing else closes it.
            Kind::StringEnd if self.into == Into::BareText => "the arguments are not closed",
            Kind::ObjectEnd | Kind::ArrayEnd if self.depth <= self.level + 1 => {
                "the object of the call is not closed"
            }
            _ => return Ok(()),
        };
        Err(Fault::new(UNREADABLE_CALL, message))
    }

    /// Whether a token tells that another reading fits as well, or that an argument was invented: then
    /// the call is read on to its end, but does not run (policy 30).
    fn is_held_guess(&mut self, token: &Token<'_>, ctx: &mut Ctx<'_>) -> bool {
        let Kind::Diagnostic(code) = token.kind else { return false };
        let what = match code.as_str() {
            "rjson::ambiguous" => {
                "another end or value fits as well where quotes are missing or not escaped"
            }
            "rjson::missing-value"
                if self.into == Into::Args || self.slot == Member::Args && self.at_member() =>
            {
                "a value is missing"
            }
            _ => return false,
        };
        if !ctx.refuses_guesses() {
            return false;
        }
        self.hold_guess(
            &format!("{what}, at bytes {} to {}", token.span.start, token.span.end),
            ctx,
        );
        true
    }

    /// Another reading fits as well: the call does not run.
    pub(super) fn hold_guess(&mut self, message: &str, ctx: &mut Ctx<'_>) {
        self.fault.get_or_insert_with(|| Fault::new(AMBIGUOUS_CALL, message));
        ctx.call.broken = true;
    }

    /// Whether the arguments object has just been opened.
    pub(super) fn opened_args(&self, token: &Token<'_>) -> bool {
        matches!(token.kind, Kind::ObjectStart)
            && self.into == Into::Args
            && self.depth == self.level + 1
    }

    /// Accounts for the source of a token.
    #[inline]
    pub(super) fn consume(&self, token: &Token<'_>, source: &str, ctx: &mut Ctx<'_>) {
        match token.kind {
            Kind::StringDelta if self.into == Into::Visible => {
                ctx.visible(&unescape(token.wire), source.len());
            }
            _ if self.into == Into::VisibleJson => ctx.visible(source, source.len()),
            _ if self.shows_json(&token.kind) => ctx.visible(token.wire, source.len()),
            _ => ctx.consumed(source),
        }
    }

    /// Whether the visible text is no string, but what begins here.
    #[inline]
    fn shows_json(&self, kind: &Kind<'_>) -> bool {
        let value = matches!(
            kind,
            Kind::ObjectStart | Kind::ArrayStart | Kind::Number | Kind::True | Kind::False
        );
        value && self.slot == Member::Text && self.at_member()
    }

    #[inline]
    pub(super) fn token(
        &mut self,
        token: &Token<'_>,
        source: &str,
        keys: &Keys,
        ctx: &mut Ctx<'_>,
    ) -> Result {
        self.refuse_invented(token)?;
        if self.is_held_guess(token, ctx) {
            return Ok(());
        }
        if self.into == Into::Args {
            if let Kind::Key(key) = token.kind
                && self.depth == self.level + 1
            {
                if key == TYPE || keys.member(key, 1) == Member::Id {
                    self.strays.give(key);
                }
                ctx.call.begun_again |=
                    matches!(keys.member(key, 0), Member::Args | Member::Wrapper)
                        && declares(key, ctx) != Some(true);
            }
            let read = self.args_token(token, source, ctx);
            self.resolve(read, keys, ctx)?;
        }
        match token.kind {
            Kind::StringDelta => self.string_text(token.wire, keys, ctx),
            Kind::ObjectStart | Kind::ArrayStart => {
                let object = matches!(token.kind, Kind::ObjectStart);
                self.is_object |= object && self.depth == 0;
                if self.into == Into::Nothing && self.depth == self.level {
                    let read = self.container(object, token, source, keys, ctx);
                    self.resolve(read, keys, ctx)?;
                }
                self.depth += 1;
            }
            Kind::ObjectEnd | Kind::ArrayEnd => {
                self.depth = self.depth.saturating_sub(1);
                if self.into == Into::VisibleJson && self.depth == self.level {
                    self.into = Into::Nothing;
                } else if self.into == Into::Args && self.depth == self.level {
                    self.into = Into::Nothing;
                    let closed = self.close_bare(token.span.end, ctx);
                    self.resolve(closed, keys, ctx)?;
                    self.args = ArgsState::Closed;
                    ctx.call.repaired |= self.by_inner && self.is_inner(Machine::non_strict);
                } else if self.depth < self.level && self.level > 1 {
                    self.strays.close();
                    self.level -= 1;
                    if !keys.text.is_empty() && self.level == 1 {
                        self.end_carried(ctx);
                    }
                }
            }
            Kind::Key(key) if self.depth == self.level && self.into == Into::Nothing => {
                if keys.keyed {
                    let read = self.name_key(key, ctx);
                    self.resolve(read, keys, ctx)?;
                } else {
                    self.key(key, keys, ctx);
                }
            }
            Kind::StringStart if self.at_member() => self.string_start(token.span.start, ctx),
            Kind::StringEnd if self.depth == self.level => {
                let read = self.string_end(ctx);
                self.resolve(read, keys, ctx)?;
            }
            Kind::Number | Kind::True | Kind::False | Kind::Null if self.at_member() => {
                let read = self.scalar(token, keys, ctx);
                self.resolve(read, keys, ctx)?;
            }
            Kind::Diagnostic(code) if self.into != Into::Args => {
                self.skipped |= code == "rjson::skipped" && matches!(self.args, ArgsState::Closed);
                ctx.json_diagnostic(code, token.span);
            }
            _ => {}
        }
        if self.strays.is_open() {
            self.keep_stray(token, ctx.request.limits.max_held_bytes);
        }
        self.over = self.depth == 0 && ends_value(&token.kind);
        Ok(())
    }

    fn at_member(&self) -> bool {
        self.depth == self.level && self.into == Into::Nothing
    }

    /// The only key of a call object is the tool's name.
    fn name_key(&mut self, key: &str, ctx: &mut Ctx<'_>) -> Result {
        if ctx.call.name.is_some() || self.fault.is_some() {
            self.spoil(NO_NAME, "an object that is named by its key has more than one");
            return Ok(());
        }
        self.args_key.clear();
        self.slot = Member::Args;
        if key.len() > ctx.request.limits.max_name_bytes {
            self.spoil(LIMIT_NAME, "a tool name is longer than the limit");
            return Ok(());
        }
        ctx.set_name(key.to_owned())
    }

    fn key(&mut self, key: &str, keys: &Keys, ctx: &mut Ctx<'_>) {
        self.strays.close();
        let wrappers = self.level.saturating_sub(1);
        self.slot = keys.member(key, wrappers);
        if keys.carries_text(wrappers) {
            let again = self.slot == Member::Wrapper && std::mem::replace(&mut self.carried, true);
            if again {
                note_repeated("call", ctx);
                self.slot = Member::Other;
            }
            return;
        }
        let taken = match self.slot {
            Member::Name => ctx.call.name.is_some(),
            Member::Args => matches!(self.args, ArgsState::Open | ArgsState::Closed),
            _ => false,
        };
        if self.slot == Member::Args && !taken {
            self.args_key.clear();
            self.args_key.push_str(key);
        }
        if taken {
            let what = if self.slot == Member::Name { "name" } else { "arguments" };
            self.slot = Member::Other;
            note_repeated(what, ctx);
        } else if self.slot == Member::Other {
            self.stray(key, key == TYPE, ctx);
        } else if self.slot == Member::Id && !keys.writes_id {
            self.stray(key, true, ctx);
        }
    }

    /// A container as the value of a member of the call.
    fn container(
        &mut self,
        object: bool,
        token: &Token<'_>,
        source: &str,
        keys: &Keys,
        ctx: &mut Ctx<'_>,
    ) -> Result {
        match std::mem::take(&mut self.slot) {
            Member::Args if object || self.keeps_bare(true, keys, ctx) => {
                self.into = Into::Args;
                self.args = ArgsState::Open;
                self.begin_args(token.span.start, ctx);
                if !object {
                    self.open_bare(token.span.start, ctx)?;
                }
                self.args_token(token, source, ctx)?;
            }
            Member::Wrapper | Member::NameOrWrapper if object => self.level += 1,
            Member::Text => self.into = Into::VisibleJson,
            Member::Args if self.stray_argument(ctx) => {}
            Member::Args => self.spoil(BAD_ARGUMENTS, "the arguments of the call are a list"),
            Member::Name | Member::NameOrWrapper => {
                self.spoil(NO_NAME, "the name of the call is not a string");
            }
            Member::Other if object => self.strays.holds_object(keys),
            _ => {}
        }
        Ok(())
    }

    fn scalar(&mut self, token: &Token<'_>, keys: &Keys, ctx: &mut Ctx<'_>) -> Result {
        let null = matches!(token.kind, Kind::Null);
        match std::mem::take(&mut self.slot) {
            Member::Args if null => self.args = ArgsState::Empty,
            Member::Args if self.keeps_bare(false, keys, ctx) => {
                self.begin_args(token.span.start, ctx);
                self.open_bare(token.span.start, ctx)?;
                self.piece(&token.kind, token.wire, token.span.end, ctx)?;
                self.close_bare(token.span.end, ctx)?;
                self.args = ArgsState::Closed;
            }
            Member::Args if self.stray_argument(ctx) => {}
            Member::Args => {
                self.spoil(BAD_ARGUMENTS, "the arguments of the call are not an object")
            }
            Member::Name | Member::NameOrWrapper if !null => {
                self.spoil(NO_NAME, "the name of the call is not a string");
            }
            Member::Id if matches!(token.kind, Kind::Number) => {
                ctx.call.native_id.get_or_insert_with(|| token.wire.to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    /// A call that breaks a rule is read on to the end of its object, and so is any where no marker
    /// shows its end: what is data in it stays data (C6), and the next one is found.
    fn resolve(&mut self, read: Result, keys: &Keys, ctx: &mut Ctx<'_>) -> Result {
        match read {
            Err(fault) if keys.alone || RULES.contains(&fault.code) => {
                ctx.call.broken = true;
                // It may be why the source must not be shown: it counts before what else is wrong.
                self.fault = Some(fault);
                Ok(())
            }
            read => read,
        }
    }

    /// Why the call is none although its object can be read so far.
    pub(super) fn refusal(&self, ctx: &Ctx<'_>) -> Option<Fault> {
        self.fault.clone().filter(|_| ctx.call.broken)
    }

    pub(super) fn spoil(&mut self, code: Code, message: &str) {
        self.fault.get_or_insert_with(|| Fault::new(code, message));
    }

    /// The call that the object carries is closed.
    fn end_carried(&mut self, ctx: &mut Ctx<'_>) {
        ctx.call.repaired |= self.non_strict;
        let message = "the call is longer than the limit";
        let long = ctx.is_too_long().then(|| Fault::new(LIMIT_CALL_BYTES, message));
        let fault = self.check(ctx).err().or(long);
        match fault {
            None => ctx.end_call(Reason::Closed, true),
            Some(fault) if ctx.call.name.is_some() => ctx.abandon(&fault),
            Some(fault) => ctx.note(fault.code, Span::empty(ctx.out.at), &fault.message),
        }
        (self.fault, ctx.call.broken) = (None, false);
        self.strays.clear();
    }

    /// The object is closed: is it a call?
    pub(super) fn finish(&mut self, keys: &Keys, ctx: &mut Ctx<'_>) -> Result {
        if keys.text.is_empty() { self.check(ctx) } else { Ok(()) }
    }

    /// The call has none.
    pub(super) fn no_arguments(&mut self, ctx: &mut Ctx<'_>) -> Result {
        self.document("{}", ctx)
    }

    fn check(&mut self, ctx: &mut Ctx<'_>) -> Result {
        let alone = self.level == 0 && (self.args != ArgsState::Missing || self.fault.is_some());
        if !(self.is_object || alone) {
            return Err(Fault::new(STRAY_LIST, "a list of calls holds something that is no call"));
        }
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        if ctx.call.name.is_none() {
            return Err(Fault::new(NO_NAME, "the object names no tool"));
        }
        if !self.resolve_strays(ctx)? && matches!(self.args, ArgsState::Missing | ArgsState::Empty)
        {
            return self.no_arguments(ctx);
        }
        Ok(())
    }
}

/// Whether a value ends with the token.
fn ends_value(kind: &Kind<'_>) -> bool {
    matches!(
        kind,
        Kind::ObjectEnd
            | Kind::ArrayEnd
            | Kind::StringEnd
            | Kind::Number
            | Kind::True
            | Kind::False
            | Kind::Null
    )
}
