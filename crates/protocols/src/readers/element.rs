//! Reads arguments written as elements, by the tool's schema: `<key>value</key>`.
//!
//! The elements are rxml's to read; here they become the arguments document. A string streams as it
//! comes, any other member goes out at its own end, what the schema does not declare at the end of
//! the call, since it may be repeated and is a list then. All of it passes the same writer as JSON
//! does, so that the fragments concatenate to the arguments (C6) and what went out stands (C8).
//!
//! Source is accounted for as far as rxml has decided on it. What breaks a rule (two elements for a
//! string, a denied key) cancels the call, but it is read on to its end: what is data stays data.

mod members;
mod within;
#[cfg(feature = "yaml")]
mod yaml;

use std::sync::Arc;

use toolweir_rjson::Value;
use toolweir_rxml::{
    Code as RxmlCode, Diagnostic, Error as RxmlError, Event, Machine, Options, ParseErrorKind,
    Repeats,
};
use toolweir_schema_coerce::Schema;
use toolweir_segments::{Span, StreamEnd};

#[cfg(feature = "yaml")]
use self::yaml::YamlReader;
use super::args::ArgsWriter;
use super::coercion::policy;
use super::collected::Collected;
use super::plain::{Body, Plain};
use super::{take, too_long};
use crate::diagnostics::{
    BODY_IN_TAG, DENIED_KEY, LIMIT_DEPTH, LIMIT_HELD, LIMIT_KEYS, UNREADABLE_CALL,
};
use crate::engine::{
    AtEnd, Begin, Beyond, Ctx, Fault, Reader, Result, Shape, Step, is_whitespace, shown,
};
use crate::meter::Meter;
use crate::policy::Duplicates;
use crate::program::{PayloadProgram, Program, ToolTags};

/// What becomes of the member that is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Handling {
    /// It goes out piece by piece.
    #[default]
    Stream,
    /// It goes out at its end.
    Whole,
    /// It goes out at its end, as what its text is by the schema.
    Typed,
    /// It goes out at the end of the call, with others of its name.
    Late,
}

/// The reader; kept and reused from call to call.
#[derive(Default)]
pub(super) struct ElementReader {
    program: Option<Arc<Program>>,
    machine: Option<Box<Machine>>,
    /// The body may be plain text for one argument.
    plain: Option<Plain>,
    /// The body is YAML.
    #[cfg(feature = "yaml")]
    yaml: Option<YamlReader>,
    row: bool,
    /// Between members, where the tag of the call holds its body: what may be the end of the tag.
    within: Option<String>,
    /// Where the body begins in the stream.
    base: u64,
    /// How much of the body is accounted for.
    accounted: usize,
    /// Source that is read but not accounted for.
    held: String,
    /// A line of a YAML body before it, which may begin another call: the next one shows it.
    withheld: String,
    name: String,
    schema: Option<Schema>,
    args: ArgsWriter,
    /// Any member went out.
    any: bool,
    key: String,
    handling: Handling,
    /// Text of a member that goes out late.
    text: String,
    /// Where the last end of an element was assumed, and whether the open member holds the opening tag of a tool.
    assumed_end: Option<usize>,
    holds_call: bool,
    /// Members begun.
    count: usize,
    late: Collected,
    /// Where what goes out stands.
    at: usize,
    /// Ends of the last member and of the last text beside members.
    last_member: usize,
    last_text: usize,
    /// Notes of text before the first member.
    early: Vec<Diagnostic>,
    /// Where the last `<` stands that began no tag.
    lone_lt: Option<usize>,
    /// A rule is broken: the call is read on, but it is none.
    cancelled: Option<Fault>,
    scratch: String,
    meter: Meter,
}

impl ElementReader {
    pub(super) fn new(program: Arc<Program>) -> Self {
        Self { program: Some(program), ..Self::default() }
    }

    /// Hands text to rxml and its events on.
    fn push(&mut self, text: &str, ctx: &mut Ctx<'_>) -> Result<(), RxmlError> {
        let Some(mut machine) = self.machine.take() else { return Ok(()) };
        let read = machine.push(text, |event| {
            self.refuse_wrapper(&event, text, ctx);
            self.take_event(event, ctx);
        });
        self.machine = Some(machine);
        read
    }

    /// An element around all the others is no member, but its name may be a denied key all the same.
    fn refuse_wrapper(&mut self, event: &Event<'_>, text: &str, ctx: &Ctx<'_>) {
        let Event::Diagnostic(note) = event else { return };
        if note.code != RxmlCode::Unwrapped || ctx.request.policies.deny_keys.is_empty() {
            return;
        }
        let body = self.held.chars().chain(text.chars());
        let mut read = self.accounted;
        let start = note.span.as_range().start;
        let tag = body.skip_while(|c| {
            let before = read < start;
            read += c.len_utf8();
            before
        });
        let begin = |c: &char| matches!(c, '<') || is_whitespace(*c);
        let end = |c: &char| is_whitespace(*c) || matches!(c, '>' | '/');
        let name: String = tag.skip_while(begin).take_while(|c| !end(c)).collect();
        if let Err(fault) = ctx.check_key(&name) {
            self.cancelled.get_or_insert(fault);
        }
    }

    fn take_event(&mut self, event: Event<'_>, ctx: &mut Ctx<'_>) {
        match &self.cancelled {
            None => self.cancelled = self.event(event, ctx).err(),
            // A denied key hides the source whatever else is wrong with the call.
            Some(_) => self.cancelled = members::denied_in(&event, ctx).or(self.cancelled.take()),
        }
    }

    /// Accounts for what was decided on; the step, where the payload ended.
    fn after(
        &mut self,
        read: Result<(), RxmlError>,
        input: &mut &str,
        ctx: &mut Ctx<'_>,
    ) -> Option<Step> {
        let machine = self.machine.as_ref()?;
        if let Err(error) = read {
            let at = machine.failed_at().unwrap_or(self.accounted);
            let whole = machine.failed_at_end();
            self.account(at, input, ctx);
            let (cancelled, fault) = (self.cancelled.take(), fault(&error));
            return Some(match whole {
                true => Step::NoCall(cancelled.unwrap_or(fault)),
                false => Step::Failed(ctx.first_fault(cancelled, fault)),
            });
        }
        if let Some(end) = machine.closed_at() {
            let own = self.row && end == self.last_member;
            self.account(end, input, ctx);
            self.at = end;
            let step = if own { Step::ClosedByStructure } else { Step::Closed };
            return Some(self.close_call(step, ctx));
        }
        let decided = machine.decided_to();
        self.account(decided, input, ctx);
        self.held.push_str(input);
        *input = "";
        None
    }

    /// The body is whole; the step, if the call stands.
    fn close_call(&mut self, step: Step, ctx: &mut Ctx<'_>) -> Step {
        if self.cancelled.is_none() {
            self.cancelled = self.close(ctx).err();
        }
        if self.within.take().is_some() && self.cancelled.is_none() {
            repaired_tag(ctx);
        }
        self.cancelled.take().map_or(step, Step::NoCall)
    }

    /// Accounts for the body up to an offset in it.
    fn account(&mut self, to: usize, input: &mut &str, ctx: &mut Ctx<'_>) {
        let bytes = to.saturating_sub(self.accounted);
        self.accounted += bytes;
        let before = bytes.min(self.held.len());
        take(self.held.get(..before).unwrap_or_default(), ctx);
        self.held.drain(..before);
        let (now, later) = input.split_at_checked(bytes - before).unwrap_or((input, ""));
        take(now, ctx);
        *input = later;
    }

    /// A body that may be plain text. `None`: it is not.
    fn plain_body(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Option<Step> {
        let plain = self.plain.as_mut()?;
        while let Some(c) = self.meter.next(input) {
            self.held.push(c);
            match plain.feed(c, &self.held) {
                Body::More if self.held.len() <= ctx.request.limits.max_held_bytes => {}
                Body::More => {
                    take(&std::mem::take(&mut self.held), ctx);
                    let message = "a plain body is longer than the limit";
                    return Some(Step::Failed(Fault::new(LIMIT_HELD, message)));
                }
                Body::Elements => {
                    self.plain = None;
                    return None;
                }
                // All of it is read again, as other calls may stand in it.
                Body::OtherCall => return Some(Step::Failed(given_up())),
                Body::Closed(text) => {
                    self.plain = None;
                    let held = std::mem::take(&mut self.held);
                    take(&held, ctx);
                    self.at = held.len();
                    let written = self.message(&text, ctx).and_then(|()| self.close(ctx));
                    return Some(written.map_or_else(Step::NoCall, |()| Step::Closed));
                }
            }
        }
        *input = "";
        Some(Step::More)
    }

    /// The plain body as the argument `message`.
    fn message(&mut self, text: &str, ctx: &mut Ctx<'_>) -> Result {
        self.handling = Handling::Whole;
        self.key.push_str(super::plain::MESSAGE);
        self.value(&Value::from(text), ctx)
    }

    /// A line that was withheld is held with what followed it.
    fn release_withheld(&mut self) {
        self.held.insert_str(0, &std::mem::take(&mut self.withheld));
    }

    /// The stream ends; `accept`: closing tags may be missing.
    fn at_end(&mut self, end: StreamEnd, accept: bool, ctx: &mut Ctx<'_>) -> Result<AtEnd> {
        self.release_withheld();
        // Without its closing tag a YAML body is cut, whatever it breaks; a denied key hides it.
        let yaml = self.machine.is_none();
        if let Some(fault) = self.cancelled.take().filter(|f| !yaml || f.code == DENIED_KEY) {
            take(&std::mem::take(&mut self.held), ctx);
            return Err(fault);
        }
        // Read again for the call that stands in it.
        if self.plain.as_ref().is_some_and(Plain::holds_a_tag) {
            return Err(given_up());
        }
        let between = self.machine.as_ref().is_some_and(|machine| machine.is_between_members());
        if self.plain.is_some() || !between || end != StreamEnd::Stop || !self.is_between_members()
        {
            return Ok(AtEnd::Cut);
        }
        if !self.row && !accept {
            return Ok(AtEnd::Unclosed);
        }
        let Some(mut machine) = self.machine.take() else { return Ok(AtEnd::Cut) };
        // The beginning of a closing tag is no text.
        let closing = self.held.trim_start_matches(is_whitespace);
        let tail = self.accounted + self.held.len() - closing.len();
        let of_tail = |event: &Event<'_>| matches!(event, Event::Diagnostic(note) if note.span.as_range().start >= tail);
        ctx.call.unclosed = closing.is_empty();
        let ended = machine.end_open(|event| {
            if !of_tail(&event) {
                self.take_event(event, ctx);
            }
        });
        let to = machine.closed_at().filter(|_| self.row);
        self.machine = Some(machine);
        ended.map_err(|error| fault(&error))?;
        let to = to.unwrap_or(self.accounted + self.held.len());
        self.account(to, &mut "", ctx);
        self.at = to;
        if let Some(fault) = self.cancelled.take() {
            return Err(fault);
        }
        self.close(ctx)?;
        Ok(if self.row { AtEnd::Whole } else { AtEnd::Unclosed })
    }

    /// Whether nothing stands after the last member but whitespace and the beginning of a closing tag, `<` alone
    /// being that of a member as well.
    fn is_between_members(&self) -> bool {
        let tail = self.held.trim_start_matches(is_whitespace);
        let closing = tail.strip_prefix("</").map(|name| name.trim_matches(is_whitespace));
        let cut = tail.is_empty() || closing.is_some_and(|c| self.name.starts_with(c));
        self.row || cut && self.last_text <= self.last_member
    }
}

impl Reader for ElementReader {
    fn begin(&mut self, begin: &Begin<'_>, ctx: &mut Ctx<'_>) -> Result {
        let name = ctx.call.name.clone().unwrap_or_default();
        let schema = ctx.request.tools.schema(&name).cloned().unwrap_or_else(Schema::any);
        let Some(program) = self.program.take() else { return Ok(()) };
        let payload = program.payloads.get(program.ending_itself());
        let repair = matches!(payload, Some(PayloadProgram::Element { repair: true }));
        #[cfg(feature = "meter")]
        self.meter.add(self.machine.as_ref().map_or(0, |machine| machine.examined()));
        let (scratch, meter) = (std::mem::take(&mut self.scratch), std::mem::take(&mut self.meter));
        let row = begin.shape == Shape::Line;
        *self =
            Self { program: Some(Arc::clone(&program)), scratch, meter, row, ..Self::default() };
        self.base = ctx.out.at;
        // A list where a string is due would be made a string.
        let fits = ctx.request.policies.duplicates != Duplicates::Array;
        self.args.begin(Some(&schema).filter(|_| fits), ctx);
        if begin.shape == Shape::Empty {
            return self.close(ctx);
        }
        #[cfg(feature = "yaml")]
        if matches!(payload, Some(PayloadProgram::Yaml)) {
            let (within, tools) = (begin.shape == Shape::InTag, program.calls.code.names.as_ref());
            self.yaml = Some(YamlReader::new(&name, within, schema, tools, ctx));
            self.name = name;
            return Ok(());
        }
        let repeats = match ctx.request.policies.duplicates {
            Duplicates::Cancel | Duplicates::First => Repeats::Refuse,
            Duplicates::Last => Repeats::Give,
            Duplicates::Array => Repeats::List,
        };
        let options = options(repair, ctx);
        let begin_machine = if self.row { Machine::row } else { Machine::inside };
        let machine = begin_machine(&name, schema.clone(), options, repeats);
        // Its own tag too: it begins a further call unless it is a property.
        let tools = program.calls.code.names.as_ref().map(ToolTags::shared).unwrap_or_default();
        self.machine = Some(Box::new(machine.with_others(Arc::clone(&tools))));
        self.within = (begin.shape == Shape::InTag).then(String::new);
        if repair && begin.shape == Shape::Enclosed {
            self.plain = Plain::new(&name, &schema, tools);
        }
        (self.name, self.schema) = (name, Some(schema));
        Ok(())
    }

    fn beyond(&self) -> Option<Box<Beyond>> {
        let enclosed = self.machine.is_some() && !self.row && self.within.is_none();
        enclosed.then(|| Beyond::elements(&self.name))
    }

    fn take_held(&mut self) -> String {
        let tail = self.within.take().unwrap_or_default();
        self.release_withheld();
        std::mem::take(&mut self.held) + &tail
    }

    fn unaccounted(&self) -> usize {
        self.withheld.len() + self.held.len() + self.within.as_ref().map_or(0, String::len)
    }

    #[cfg(feature = "meter")]
    fn examined(&self) -> u64 {
        self.meter.bytes() + self.machine.as_ref().map_or(0, |machine| machine.examined())
    }

    fn step(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Step {
        #[cfg(feature = "yaml")]
        if let Some(yaml) = self.yaml.take() {
            return self.yaml_body(yaml, input, ctx);
        }
        if self.plain.is_some() {
            match self.plain_body(input, ctx) {
                Some(step) => return step,
                // The whole body is elements after all.
                None => {
                    let body = self.held.clone();
                    let read = self.push(&body, ctx);
                    if let Some(step) = self.after(read, &mut "", ctx) {
                        return step;
                    }
                }
            }
        }
        // The call can only end after a `>`, or in what follows one: nothing beyond is handed over,
        // as it would be looked at again.
        while !input.is_empty() {
            if self.within.is_some()
                && let Some(step) = self.end_of_tag(input, ctx)
            {
                return step;
            }
            let end = input.find('>').map_or(input.len(), |at| at + 1);
            let (mut now, _) = input.split_at_checked(end).unwrap_or((input, ""));
            let read = self.push(now, ctx);
            let step = self.after(read, &mut now, ctx);
            *input = input.get(end - now.len()..).unwrap_or_default();
            if let Some(step) = step {
                return step;
            }
        }
        Step::More
    }

    fn finish(&mut self, end: StreamEnd, accept: bool, ctx: &mut Ctx<'_>) -> AtEnd {
        self.at_end(end, accept, ctx).into()
    }
}

/// How the body of a call is read.
fn options(repair: bool, ctx: &Ctx<'_>) -> Options {
    let mut options = Options::default();
    options.repair = repair;
    options.throw_on_duplicate_string_tags = false;
    options.max_depth = ctx.request.limits.max_depth;
    options.max_bytes = usize::MAX;
    options.max_held = ctx.request.limits.max_held_bytes;
    options.policy = policy(ctx.request);
    options
}

/// A body that is not readable.
fn fault(error: &RxmlError) -> Fault {
    let (code, reason) = match error {
        RxmlError::Parse { kind: ParseErrorKind::TooLarge, .. } => return too_long(),
        RxmlError::Parse { kind: ParseErrorKind::Foreign, .. } => return given_up(),
        RxmlError::Parse { kind, .. } => match kind {
            ParseErrorKind::TooDeep => (LIMIT_DEPTH, kind.to_string()),
            ParseErrorKind::TooManyAttributes => (LIMIT_KEYS, kind.to_string()),
            _ => (UNREADABLE_CALL, kind.to_string()),
        },
        RxmlError::DuplicateStringTag { name, .. } => {
            (UNREADABLE_CALL, format!("two elements for `{}`", shown(name)))
        }
        _ => (UNREADABLE_CALL, "a value does not fit".to_owned()),
    };
    Fault::new(code, format!("the body of the call is not readable: {reason}"))
}

/// The tag of a tool stands where an argument is due.
fn given_up() -> Fault {
    Fault::new(UNREADABLE_CALL, "another call begins where an argument is due")
}

/// The tag of the call held its body.
fn repaired_tag(ctx: &mut Ctx<'_>) {
    (ctx.call.repaired, ctx.call.noted) = (true, true);
    let message = "the tag of the call holds its arguments; they are read as if after it";
    ctx.note(BODY_IN_TAG, Span::empty(ctx.out.at), message);
}
