//! The answer while it comes: its name and arguments go out as soon as nothing can change them.
//!
//! That is so once an object has begun, has named its tool, and has an object for its arguments. Any
//! other answer (arguments first, or as a string, or no object at all) is left to its end, where what
//! is missing can be made up. What went out stands (C8): a later name does not count.

use toolweir_rjson::{Kind, Mode, SourceMachine, Token, unescape};
use toolweir_segments::{EventSink, Span};

use super::{asked_for, named_event};
use crate::engine::{Call, Ctx, Fault, FloorBoundary, Kept, Output, Rules};
use crate::policy::Deltas;
use crate::program::{Keys, Member};
use crate::readers::ArgsWriter;
use crate::request::Request;

/// What the answer is read for, and where it goes.
pub(super) struct Target<'a> {
    pub(super) request: &'a Request,
    pub(super) out: &'a mut Output,
    pub(super) sink: &'a mut dyn EventSink,
}

impl Target<'_> {
    fn ctx<'c>(&'c mut self, call: &'c mut Call, kept: &'c mut Kept) -> Ctx<'c> {
        let rules = Rules::of_one_call(self.request);
        let (out, request, sink) = (&mut *self.out, self.request, &mut *self.sink);
        Ctx { out, call, kept, request, rules, tokens: None, sink }
    }
}

/// Reads the answer as it comes.
#[derive(Debug)]
pub(super) struct Live {
    machine: SourceMachine,
    pub(super) reader: Reader,
    /// Where the answer begins, where it ends so far, and its last character that is no whitespace.
    start: u64,
    at: u64,
    end: u64,
    /// Bytes that may stand before the object.
    room: usize,
}

/// How far the answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Before the object.
    Before,
    /// Among the members of the call.
    Members,
    /// In its arguments.
    Arguments,
    /// Behind the object.
    Whole,
    /// Its end must tell.
    Off,
}

/// What the tokens say.
#[derive(Debug)]
pub(super) struct Reader {
    stage: Stage,
    /// Open containers.
    depth: usize,
    /// Depth of the members of the call: more than 1 inside a wrapper.
    level: usize,
    slot: Member,
    keys: Keys,
    /// The string of a name, while it comes.
    text: Option<String>,
    /// The name that went out.
    pub(super) name: Option<String>,
    /// Arguments went out.
    pub(super) taken: bool,
    /// Where the object stands in the stream.
    pub(super) span: Span,
    call: Call,
    writer: ArgsWriter,
}

impl Live {
    /// Of an answer that begins at offset `at`.
    pub(super) fn new(at: u64, request: &Request) -> Self {
        let mut machine = SourceMachine::new(request.limits.json(Mode::Repair));
        machine.reset(at, "");
        // The arguments as they are written are known at the end.
        let source = request.policies.deltas == Some(Deltas::Source);
        let reader = Reader {
            stage: if source { Stage::Off } else { Stage::Before },
            depth: 0,
            level: 1,
            slot: Member::Other,
            keys: Keys::usual(),
            text: None,
            name: None,
            taken: false,
            span: Span::default(),
            call: Call::default(),
            writer: ArgsWriter::default(),
        };
        let room = request.limits.max_held_bytes;
        Self { machine, reader, start: at, at, end: at, room }
    }

    /// Takes more of the answer.
    pub(super) fn push(&mut self, text: &str, target: &mut Target<'_>) -> Result<(), Fault> {
        let solid = text.trim_end().len() as u64;
        if solid > 0 {
            self.end = self.at + solid;
        }
        let later = self.before(text, target)?;
        self.read(later, target)
    }

    /// Reads text before the object, which the machine holds; back comes what is read as any other. What
    /// is too much depends on no chunk (C3).
    fn before<'t>(&mut self, text: &'t str, target: &mut Target<'_>) -> Result<&'t str, Fault> {
        let read = usize::try_from(self.at - self.start).unwrap_or(usize::MAX);
        let room = self.room.saturating_sub(read);
        if self.reader.stage != Stage::Before || text.len() <= room {
            return Ok(text);
        }
        let within = text.floor_char_boundary_up_to(room);
        let (now, later) = text.split_at_checked(within).unwrap_or((text, ""));
        self.read(now, target)?;
        self.machine.catch_up();
        self.read("", target)?;
        if self.reader.stage == Stage::Before {
            self.reader.stage = Stage::Off;
            self.machine.reset(self.at, "");
        }
        Ok(later)
    }

    fn read(&mut self, text: &str, target: &mut Target<'_>) -> Result<(), Fault> {
        self.at += text.len() as u64;
        let (mut input, reader) = (text, &mut self.reader);
        while reader.goes_on() {
            match self.machine.next(&mut input) {
                Ok(Some((token, _))) => reader.token(&token, target)?,
                Ok(None) => break,
                Err(error) => return reader.broken(Fault::json(&error)),
            }
        }
        Ok(())
    }

    /// Takes what can be told of the text so far (C3: how much waits depends on the chunks).
    pub(super) fn catch_up(&mut self, target: &mut Target<'_>) -> Result<(), Fault> {
        self.machine.catch_up();
        self.push("", target)
    }

    /// The answer has no more: what waited for more is decided.
    pub(super) fn finish(&mut self, target: &mut Target<'_>) -> Result<(), Fault> {
        self.catch_up(target)?;
        for _ in 0..self.written() {
            match self.machine.finish() {
                Ok(Some((token, _))) if self.reader.goes_on() => {
                    self.reader.token(&token, target)?;
                }
                _ => break,
            }
        }
        Ok(())
    }

    /// How many tokens at the end of the answer the model wrote: not what repair makes where it is cut,
    /// a key without its value, or a value that might have gone on.
    fn written(&self) -> usize {
        let mut ahead = self.machine.clone();
        let (mut seen, mut certain) = (0, 0);
        while let Ok(Some((token, _))) = ahead.finish() {
            let invented = token.start == token.end && token.start >= self.end;
            let open = token.end >= self.end && is_scalar(&token.kind);
            let between =
                matches!(token.kind, Kind::Blank | Kind::Comma | Kind::Colon | Kind::Note(_));
            let waits = between || matches!(token.kind, Kind::Key(_));
            if !waits && (invented || open) {
                return certain;
            }
            seen += 1;
            if !waits {
                certain = seen;
            }
        }
        seen
    }
}

fn is_scalar(kind: &Kind<'_>) -> bool {
    matches!(kind, Kind::Number | Kind::True | Kind::False | Kind::Null)
}

impl Reader {
    fn goes_on(&self) -> bool {
        !matches!(self.stage, Stage::Whole | Stage::Off)
    }

    /// Whether the object was read to its end.
    pub(super) fn is_whole(&self) -> bool {
        self.stage == Stage::Whole
    }

    pub(super) fn is_coerced(&self) -> bool {
        self.call.coerced
    }

    /// Writes arguments that were read to their end, in an answer that stands at `span`.
    pub(super) fn whole(
        &mut self,
        tool: &str,
        json: &str,
        span: Span,
        target: &mut Target<'_>,
    ) -> Result<(), Fault> {
        let (schema, mut kept) = (target.request.tools.schema(tool), Kept::default());
        let mut ctx = target.ctx(&mut self.call, &mut kept);
        self.writer.begin(schema, &ctx);
        self.writer.value(json, span, &mut ctx)
    }

    fn broken(&mut self, fault: Fault) -> Result<(), Fault> {
        self.stage = Stage::Off;
        if self.taken { Err(fault) } else { Ok(()) }
    }

    fn token(&mut self, token: &Token<'_>, target: &mut Target<'_>) -> Result<(), Fault> {
        let (kind, written) = (&token.kind, token.start < token.end);
        let opens = matches!(kind, Kind::ObjectStart | Kind::ArrayStart);
        let object = matches!(kind, Kind::ObjectStart) && written;
        let ends = matches!(kind, Kind::ObjectEnd | Kind::ArrayEnd);
        self.depth -= usize::from(ends && self.depth > 0);
        match self.stage {
            Stage::Before if object => {
                self.stage = Stage::Members;
                self.span.start = token.start;
            }
            Stage::Before if !matches!(kind, Kind::Blank | Kind::Note(_)) => {
                self.stage = Stage::Off;
            }
            Stage::Members if self.depth == self.level => self.member(token, target)?,
            _ => {}
        }
        // What was mended is said once, at the end.
        if self.stage == Stage::Arguments && !matches!(kind, Kind::Note(_)) {
            let span = Span::new(token.start, token.end);
            let mut kept = Kept::default();
            let mut ctx = target.ctx(&mut self.call, &mut kept);
            self.writer.token(kind, token.wire, span, &mut ctx)?;
            if ends && self.depth == self.level {
                self.stage = Stage::Members;
            }
        }
        self.depth += usize::from(opens);
        if ends && self.depth < self.level {
            self.level -= 1;
            if self.depth == 0 {
                self.stage = if written { Stage::Whole } else { Stage::Off };
                self.span.end = token.end;
            }
        }
        Ok(())
    }

    /// A token among the members of the call.
    fn member(&mut self, token: &Token<'_>, target: &mut Target<'_>) -> Result<(), Fault> {
        match (&token.kind, self.slot) {
            (Kind::Key(key), _) => self.slot = self.slot_of(key),
            (Kind::StringStart, Member::Name | Member::NameOrWrapper) => {
                self.text = Some(String::new());
            }
            (Kind::StringDelta, Member::Name | Member::NameOrWrapper) => {
                let limit = target.request.limits.max_name_bytes;
                if let Some(text) = self.text.as_mut().filter(|text| text.len() <= limit) {
                    text.push_str(&unescape(token.wire));
                }
            }
            (Kind::StringEnd, Member::Name | Member::NameOrWrapper) => {
                let name = self.text.take().filter(|name| !name.is_empty());
                match name {
                    Some(name) if name.len() > target.request.limits.max_name_bytes => {
                        self.stage = Stage::Off;
                    }
                    Some(name) => {
                        named_event(&name, target.sink);
                        asked_for(&name, target.request)?;
                        self.name = Some(name);
                    }
                    None => {}
                }
            }
            (Kind::ObjectStart, Member::Wrapper | Member::NameOrWrapper) => self.level += 1,
            (Kind::ObjectStart, Member::Args) if token.start < token.end => {
                self.begin(target);
            }
            // Neither nothing nor an object.
            (Kind::StringDelta | Kind::Number | Kind::True | Kind::False, Member::Args)
            | (Kind::ObjectStart | Kind::ArrayStart, Member::Args) => self.stage = Stage::Off,
            _ => {}
        }
        Ok(())
    }

    fn slot_of(&self, key: &str) -> Member {
        let (named, wraps) = (self.name.is_some(), self.level == 1 && !self.taken);
        match self.keys.member(key, self.level - 1) {
            Member::NameOrWrapper if !wraps && !named => Member::Name,
            Member::NameOrWrapper if wraps && named => Member::Wrapper,
            member @ Member::NameOrWrapper if wraps => member,
            member @ Member::Name if !named => member,
            member @ Member::Wrapper if wraps => member,
            member @ Member::Args if !self.taken => member,
            _ => Member::Other,
        }
    }

    /// The arguments begin.
    fn begin(&mut self, target: &mut Target<'_>) {
        let Some(name) = &self.name else {
            self.stage = Stage::Off;
            return;
        };
        let (schema, mut kept) = (target.request.tools.schema(name), Kept::default());
        self.writer.begin(schema, &target.ctx(&mut self.call, &mut kept));
        self.taken = true;
        self.stage = Stage::Arguments;
    }
}
