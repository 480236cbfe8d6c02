//! Reads arguments written as an expression: keyword arguments of a Python call, or Gemma's objects.
//!
//! The machine (`expr`) gives them as tokens of a JSON object, which pass the same writer as JSON
//! does; types are the values' own, and the schema coerces them (C6). What the machine took for its
//! lookahead and did not read belongs to the stream again. A guess does not run.

use toolweir_rjson::{Kind, Token, Value};
use toolweir_schema_coerce::Schema;
use toolweir_segments::{Span, StreamEnd};

use super::args::ArgsWriter;
use super::expr::{Ending, ExprError, ExprErrorKind, ExprMachine, Options};
use super::{take, taken};
use crate::diagnostics::{
    AMBIGUOUS_CALL, LIMIT_DEPTH, LIMIT_HELD, LIMIT_KEYS, REPAIRED_EXPRESSION, UNREADABLE_CALL,
};
use crate::engine::{AtEnd, Begin, Beyond, Ctx, Fault, Reader, Result, Step};
use crate::limits::Limits;
use crate::program::Expression;

pub(crate) use super::expr::Follow;

/// The reader; kept and reused from call to call.
pub(super) struct ExpressionReader {
    machine: ExprMachine,
    writer: ArgsWriter,
    schema: Option<Schema>,
    /// A rule is broken or a reading is a guess: the call is read on to its end, but it is none.
    refused: Option<Fault>,
    /// What ends the search for the end of a call that cannot be read; none where its end cannot be
    /// told.
    stops: Option<Vec<char>>,
    /// The call cannot be read, and its end is searched.
    passing: Option<Fault>,
}

/// What may hold a parenthesis that does not end a call, and where a list may be over.
const STOPS: [char; 11] = [')', '(', '[', ']', '{', '}', '"', '\'', '\\', '\n', '<'];

impl ExpressionReader {
    pub(super) fn new(limits: &Limits, spec: &Expression) -> Self {
        let options = Options {
            delimiter: spec.delimiter.clone(),
            max_depth: limits.max_depth,
            max_held_bytes: limits.max_held_bytes,
            max_keys: limits.max_keys,
            openers: spec.openers.clone(),
            follow: Follow {
                texts: spec.follow.clone(),
                call: !spec.commas && spec.delimiter.is_none(),
                comma_call: spec.commas,
            },
        };
        let machine = ExprMachine::new(options);
        // Only in a list another call may follow.
        let stops = (spec.listed && spec.delimiter.is_none()).then(|| {
            let follow = spec.follow.iter().filter_map(|text| text.chars().next());
            STOPS.into_iter().chain(follow).collect()
        });
        let writer = ArgsWriter::default();
        Self { machine, writer, schema: None, refused: None, stops, passing: None }
    }

    /// Takes the tokens that the text gives. True: the arguments are complete.
    fn read(&mut self, input: &mut &str, end: bool, ctx: &mut Ctx<'_>) -> Result<bool> {
        loop {
            let before = *input;
            let next = if end { self.machine.finish() } else { self.machine.next(input) };
            match next {
                Ok(Some(token)) => {
                    for source in token.source {
                        take(source, ctx);
                    }
                    if token.guessed && ctx.refuses_guesses() {
                        self.refused.get_or_insert_with(ambiguous);
                    }
                    let span = Span::new(token.start, token.end);
                    let schema = self.schema.as_ref();
                    let text_next = matches!(&token.kind, Kind::Key(key) if is_text(schema, key));
                    if self.refused.is_none() {
                        let written = Token { kind: token.kind, wire: token.wire, span };
                        self.refused = self.writer.token(&written, ctx).err();
                    }
                    if text_next {
                        self.machine.text_next();
                    }
                    self.take_notes(ctx);
                }
                ended => {
                    let error = ended.err();
                    for source in self.machine.source(taken(before, input)) {
                        take(source, ctx);
                    }
                    // C3: a note counts from the next token on, wherever the chunks are cut.
                    if end || error.is_some() || self.machine.is_done() {
                        self.take_notes(ctx);
                    }
                    return match error {
                        Some(error) => Err(ctx.first_fault(self.refused.take(), fault(&error))),
                        None => Ok(self.machine.is_done()),
                    };
                }
            }
        }
    }

    /// The arguments cannot be read. In a list the call is passed over, so that it is lost alone
    /// (policy 20), if its end is certain: nothing that may hold a parenthesis comes before it.
    fn failed(&mut self, fault: Fault) -> Step {
        if self.stops.is_none() || fault.code != UNREADABLE_CALL || !self.machine.failed_flat() {
            return Step::Failed(fault);
        }
        self.passing = Some(fault);
        Step::Refeed(self.machine.take_unread())
    }

    /// Passes over what is left of the call.
    fn pass(&mut self, fault: Fault, input: &mut &str, ctx: &mut Ctx<'_>) -> Step {
        let stops = self.stops.as_deref().unwrap_or_default();
        let end = input.find(stops).unwrap_or(input.len());
        let closed = input.get(end..).is_some_and(|rest| rest.starts_with(')'));
        let (passed, rest) =
            input.split_at_checked(end + usize::from(closed)).unwrap_or((input, ""));
        take(passed, ctx);
        *input = rest;
        match (closed, rest.is_empty()) {
            (true, _) => Step::NoCall(fault),
            (false, false) => Step::Failed(fault),
            (false, true) => {
                self.passing = Some(fault);
                Step::More
            }
        }
    }

    fn take_notes(&mut self, ctx: &mut Ctx<'_>) {
        for note in self.machine.take_notes() {
            ctx.call.repaired = true;
            ctx.note(REPAIRED_EXPRESSION, Span::new(note.start, note.end), note.kind.message());
        }
        if self.machine.guessed() && ctx.refuses_guesses() {
            self.refused.get_or_insert_with(ambiguous);
        }
    }
}

/// Whether an argument takes strings only: then its value needs no quotes.
fn is_text(schema: Option<&Schema>, key: &str) -> bool {
    let member = schema.and_then(|schema| schema.root().member(key).node());
    member.is_some_and(|node| node.is_string_only())
}

fn ambiguous() -> Fault {
    Fault::new(AMBIGUOUS_CALL, "another reading of the arguments fits as well")
}

fn fault(error: &ExprError) -> Fault {
    let code = match error.kind {
        ExprErrorKind::TooDeep => LIMIT_DEPTH,
        ExprErrorKind::TooLarge => LIMIT_HELD,
        ExprErrorKind::TooManyKeys => LIMIT_KEYS,
        _ => UNREADABLE_CALL,
    };
    Fault::new(code, format!("the arguments of the call cannot be read: {}", error.kind))
}

/// The parameters of a tool, the required ones first: arguments without a name take them in order.
fn names(schema: Option<&Value>) -> Vec<&str> {
    let Some(schema) = schema else { return Vec::new() };
    let schema = schema.get("jsonSchema").unwrap_or(schema);
    let required = schema.get("required").and_then(Value::as_array);
    let mut names: Vec<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
    let declared = schema.get("properties").and_then(Value::as_object);
    for (name, _) in declared.into_iter().flat_map(|properties| properties.iter()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

impl Reader for ExpressionReader {
    fn begin(&mut self, _begin: &Begin<'_>, ctx: &mut Ctx<'_>) -> Result {
        (self.refused, self.passing) = (None, None);
        let tools = &ctx.request.tools;
        let name = ctx.call.name.as_deref().unwrap_or_default();
        let tool = tools.iter().find(|tool| tool.name == name);
        let declared = tool.and_then(|tool| tool.parameters.as_ref());
        self.machine.reset(ctx.out.at, names(declared));
        self.schema = tools.schema(name).cloned();
        self.writer.begin(tools.schema(name), ctx);
        Ok(())
    }

    fn step(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Step {
        if let Some(fault) = self.passing.take() {
            return self.pass(fault, input, ctx);
        }
        match self.read(input, false, ctx) {
            Ok(false) => Step::More,
            Ok(true) => {
                ctx.call.repaired |= self.machine.non_strict();
                match self.refused.take() {
                    None => Step::Closed,
                    // Where a quote is a guess, the end of the call is one too.
                    Some(fault) if fault.code == AMBIGUOUS_CALL => Step::Failed(fault),
                    Some(fault) => Step::NoCall(fault),
                }
            }
            Err(fault) => self.failed(fault),
        }
    }

    fn finish(&mut self, end: StreamEnd, accept: bool, ctx: &mut Ctx<'_>) -> AtEnd {
        if let Some(fault) = self.passing.take() {
            return AtEnd::Step(Step::Failed(fault));
        }
        let read = self.read(&mut "", true, ctx);
        if let Err(fault) = read {
            // What is cut is told of as such.
            let cut = fault.code == UNREADABLE_CALL;
            return if cut { AtEnd::Cut } else { AtEnd::Step(Step::Failed(fault)) };
        }
        match self.machine.ending() {
            Ending::Closed => AtEnd::Step(self.refused.take().map_or(Step::Closed, Step::NoCall)),
            Ending::Unclosed if accept && end == StreamEnd::Stop => {
                ctx.call.unclosed = true;
                self.machine.close();
                let fault = self.read(&mut "", true, ctx).err().or_else(|| self.refused.take());
                fault.map_or(AtEnd::Unclosed, |fault| AtEnd::Step(Step::Failed(fault)))
            }
            _ => AtEnd::Cut,
        }
    }

    fn beyond(&self) -> Option<Box<Beyond>> {
        let delimiter = self.machine.delimiter();
        Some(Beyond::new(self.machine.depth(), delimiter.is_none(), delimiter))
    }

    fn take_held(&mut self) -> String {
        self.machine.take_unread()
    }

    fn unaccounted(&self) -> usize {
        self.machine.unread().len()
    }

    #[cfg(feature = "meter")]
    fn examined(&self) -> u64 {
        self.machine.examined()
    }
}
