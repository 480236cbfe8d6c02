//! Reads parameters written as tags: `<word=KEY>value</word>`.
//!
//! Values are raw text. A value whose schema allows nothing but a string streams as it comes,
//! escaped for JSON piece by piece; any other value waits for its own end and is read by its
//! schema. The fragments always concatenate to the arguments object (C6).

use toolweir_markers::{MarkerId, Piece, Scanner};
use toolweir_rjson::{escape_into, write_string};
use toolweir_schema_coerce::{Member, NodeId, Schema, TextStyle, TypedKind};
use toolweir_segments::{Severity, Span};

use super::Step;
use super::args::push_pointer;
use crate::diagnostics::{
    BAD_NAME, Code, DENIED_KEY, INVALID_ARGUMENT, LIMIT_HELD, LIMIT_KEYS, MISSING_CLOSER,
    REPEATED_PARAMETER, UNDECLARED_KEY, UNREADABLE_CALL,
};
use crate::engine::{Ctx, Fault, Lex, Tag, TagLexer, is_blank, shown};
use crate::limits::Limits;
use crate::program::{Role, Table};
use crate::spec::Trim;
use toolweir_markers::Anchored;

/// Bytes that may be looked at behind a closer that stands where a value is open.
const MAX_LOOK_AHEAD: usize = 4096;

/// What the reader needs to know of the format.
#[derive(Clone, Copy)]
pub(crate) struct TaggedSpec<'a> {
    pub(crate) call_word: &'a str,
    pub(crate) param_word: &'a str,
    pub(crate) trim: Trim,
    /// Markers inside a value.
    pub(crate) value: &'a Table,
    /// Block markers.
    pub(crate) between: &'a Table,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Between parameters.
    #[default]
    Gap,
    /// Inside a value.
    Value,
    /// Behind a marker in a value that may end it, its own closer missing.
    Candidate(Role, MarkerId),
    Closed,
}

/// How the value being read is handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Handling {
    /// Streams as a JSON string.
    #[default]
    Stream,
    /// Waits for its end and is read by its schema.
    Hold(NodeId),
    /// Is left out.
    Drop,
}

/// The reader; kept and reused from call to call.
#[derive(Debug)]
pub(crate) struct TaggedReader {
    state: State,
    scanner: Scanner,
    lexer: TagLexer,
    /// Source that is read but not accounted for: part of a tag, or what follows a candidate.
    held: String,
    /// Blanks at the start of what follows a candidate.
    blanks: usize,
    key: String,
    handling: Handling,
    /// Whether any of the value's text was taken.
    begun: bool,
    /// A line break that may be the value's last and then belongs to the markup.
    newline: bool,
    value: String,
    scratch: String,
    path: String,
    keys: Vec<String>,
    /// Values of repeated parameters whose schema is an array.
    lists: Vec<(String, Vec<String>)>,
    any: bool,
    /// `held` is to be read again; the scanner keeps what is its own.
    refeeding: bool,
    schema: Option<Schema>,
    max_name: usize,
}

impl TaggedReader {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            state: State::Gap,
            scanner: Scanner::new(),
            lexer: TagLexer::new(limits.max_name_bytes),
            held: String::new(),
            blanks: 0,
            key: String::new(),
            handling: Handling::Stream,
            begun: false,
            newline: false,
            value: String::new(),
            scratch: String::new(),
            path: String::new(),
            keys: Vec::new(),
            lists: Vec::new(),
            any: false,
            refeeding: false,
            schema: None,
            max_name: limits.max_name_bytes,
        }
    }

    /// Begins a call whose tag was read and whose name is set.
    pub(crate) fn begin(&mut self, ctx: &Ctx<'_>) {
        self.state = State::Gap;
        self.scanner.reset();
        self.lexer.reset();
        self.held.clear();
        self.keys.clear();
        self.lists.clear();
        self.any = false;
        self.schema = ctx.call.name.as_ref().and_then(|n| ctx.request.tools.schema(n)).cloned();
    }

    /// Source that is read but not accounted for. It belongs to the stream again when the reader
    /// stops.
    pub(crate) fn take_held(&mut self, spec: Option<TaggedSpec<'_>>) -> String {
        let mut text = String::new();
        match (self.state, spec) {
            (State::Candidate(_, id), Some(spec)) => text.push_str(spec.value.marker(id)),
            (State::Value, Some(spec)) if !self.refeeding => {
                text.extend(self.scanner.held(&spec.value.set));
                self.scanner.reset();
            }
            _ => {}
        }
        self.refeeding = false;
        text.push_str(&self.held);
        self.held.clear();
        text
    }

    /// Bytes that are read but not accounted for.
    pub(crate) fn unaccounted(&self, spec: Option<TaggedSpec<'_>>) -> usize {
        let scanned = match (self.state, spec) {
            (State::Candidate(_, id), Some(spec)) => spec.value.marker(id).len(),
            (State::Value, Some(spec)) => self.scanner.held_len(&spec.value.set),
            _ => 0,
        };
        self.held.len() + scanned
    }

    /// The stream ends. Whether no value is open, or only outer closers stand behind the open one;
    /// then the arguments are complete.
    pub(crate) fn finish(
        &mut self,
        spec: TaggedSpec<'_>,
        ctx: &mut Ctx<'_>,
    ) -> Result<bool, Fault> {
        match self.state {
            State::Gap => {
                // A cut closing tag is a missing one.
                let held = std::mem::take(&mut self.held);
                if self.lexer.in_name() {
                    self.held = held;
                    return Ok(false);
                }
                ctx.consumed(&held);
            }
            State::Candidate(role, id)
                if matches!(role, Role::CallClose | Role::BlockClose)
                    && self.blanks == self.held.len() =>
            {
                self.end_value(spec, ctx)?;
                ctx.consumed(spec.value.marker(id));
                let held = std::mem::take(&mut self.held);
                ctx.consumed(&held);
            }
            _ => return Ok(false),
        }
        self.state = State::Closed;
        self.close(ctx)?;
        Ok(true)
    }

    /// Takes text up to the end of the call.
    pub(crate) fn step(
        &mut self,
        input: &mut &str,
        spec: TaggedSpec<'_>,
        ctx: &mut Ctx<'_>,
    ) -> Step {
        loop {
            let step = match self.state {
                State::Gap => self.gap(input, spec, ctx),
                State::Value => self.in_value(input, spec, ctx),
                State::Candidate(role, id) => self.candidate(role, id, input, spec, ctx),
                State::Closed => Ok(Some(Step::Closed)),
            };
            match step {
                Err(fault) => return Step::Failed(fault),
                Ok(Some(step)) => return step,
                Ok(None) if input.is_empty() && self.held.is_empty() => {
                    if self.state == State::Closed {
                        return Step::Closed;
                    }
                    return Step::More;
                }
                Ok(None) => {}
            }
        }
    }

    /// Between parameters: blanks, then a tag of the format, a block marker, or trouble.
    fn gap(
        &mut self,
        input: &mut &str,
        spec: TaggedSpec<'_>,
        ctx: &mut Ctx<'_>,
    ) -> Result<Option<Step>, Fault> {
        if self.held.is_empty() {
            let rest = input.trim_start_matches(is_blank);
            ctx.consumed(input.get(..input.len() - rest.len()).unwrap_or_default());
            *input = rest;
            self.lexer.reset();
        }
        let mut chars = input.chars();
        while let Some(c) = chars.next() {
            self.held.push(c);
            let lexed = self.lexer.feed(c, spec.call_word, spec.param_word);
            let block = if self.lexer.in_name() {
                Anchored::None
            } else {
                spec.between.set.match_at(&self.held)
            };
            match (lexed, block) {
                (Lex::Tag(tag), _) => {
                    *input = chars.as_str();
                    return self.tag(tag, ctx);
                }
                (_, Anchored::Marker { may_grow: false, .. }) => {
                    // The block goes on or ends without this call's closer.
                    *input = chars.as_str();
                    return self.by_structure(ctx);
                }
                (Lex::More, _) | (_, Anchored::Prefix) => {}
                (Lex::Bad, _) => {
                    *input = chars.as_str();
                    return Err(Fault::new(BAD_NAME, "a tag of the call has no readable name"));
                }
                _ => {
                    *input = chars.as_str();
                    return Err(Fault::new(UNREADABLE_CALL, "text stands between the parameters"));
                }
            }
        }
        *input = chars.as_str();
        Ok(Some(Step::More))
    }

    fn by_structure(&mut self, ctx: &mut Ctx<'_>) -> Result<Option<Step>, Fault> {
        self.close(ctx)?;
        Ok(Some(Step::ClosedByStructure))
    }

    fn tag(&mut self, tag: Tag, ctx: &mut Ctx<'_>) -> Result<Option<Step>, Fault> {
        match tag {
            Tag::OpenParam => {
                let key = self.lexer.name().to_owned();
                self.take_tag(ctx);
                self.begin_value(key, ctx)?;
            }
            // A closer with nothing to close.
            Tag::CloseParam => self.take_tag(ctx),
            Tag::CloseCall => {
                self.take_tag(ctx);
                self.state = State::Closed;
                self.close(ctx)?;
                return Ok(Some(Step::Closed));
            }
            Tag::OpenCall => return self.by_structure(ctx),
        }
        Ok(None)
    }

    fn take_tag(&mut self, ctx: &mut Ctx<'_>) {
        ctx.consumed(&self.held);
        self.held.clear();
        self.lexer.reset();
    }

    fn begin_value(&mut self, key: String, ctx: &mut Ctx<'_>) -> Result<(), Fault> {
        if ctx.denied(&key) {
            let message = format!("the arguments hold the denied key `{}`", shown(&key));
            return Err(Fault::new(DENIED_KEY, message));
        }
        if self.keys.len() >= ctx.request.limits.max_keys {
            return Err(Fault::new(LIMIT_KEYS, "the call has more parameters than the limit"));
        }
        let root = self.schema.as_ref().map(Schema::root);
        let member = root.map(|n| n.member(&key));
        let undeclared = match member {
            Some(Member::Closed) => true,
            Some(Member::Open) => root.is_some_and(|n| !n.is_untyped()),
            _ => false,
        };
        let node = member.and_then(Member::node);
        self.state = State::Value;
        self.begun = false;
        self.newline = false;
        self.value.clear();
        self.scanner.reset();
        self.key = key;
        self.handling = match node {
            _ if undeclared && ctx.drops_undeclared() => {
                let message =
                    format!("the undeclared argument `{}` was left out", shown(&self.key));
                ctx.note(UNDECLARED_KEY, Span::empty(ctx.out.at), &message);
                Handling::Drop
            }
            Some(node) if !node.is_string_only() && !node.is_untyped() => Handling::Hold(node.id()),
            _ => Handling::Stream,
        };
        if self.handling == Handling::Stream {
            self.open_member(ctx);
            ctx.args("\"");
        }
        Ok(())
    }

    /// `{"key":` or `,"key":`.
    fn open_member(&mut self, ctx: &mut Ctx<'_>) {
        if self.keys.contains(&self.key) {
            let message =
                format!("the parameter `{}` is given twice; the later counts", shown(&self.key));
            ctx.note(REPEATED_PARAMETER, Span::empty(ctx.out.at), &message);
        } else {
            self.keys.push(self.key.clone());
        }
        self.scratch.clear();
        self.scratch.push(if self.any { ',' } else { '{' });
        write_string(&mut self.scratch, &self.key);
        self.scratch.push(':');
        self.any = true;
        ctx.args(&self.scratch);
        if ctx.out.emit.field {
            self.path.clear();
            push_pointer(&mut self.path, &self.key);
        }
    }

    fn in_value(
        &mut self,
        input: &mut &str,
        spec: TaggedSpec<'_>,
        ctx: &mut Ctx<'_>,
    ) -> Result<Option<Step>, Fault> {
        let mut scanner = std::mem::take(&mut self.scanner);
        let mut result = Ok(None);
        while let Some(piece) = scanner.next(&spec.value.set, input) {
            match piece {
                Piece::Text(text) => {
                    ctx.consumed(text);
                    self.value_text(text, spec, ctx);
                }
                Piece::Marker(id) => {
                    result = self.value_marker(id, spec, ctx).map(|()| None);
                    break;
                }
            }
        }
        self.scanner = scanner;
        if result.is_ok() && self.state == State::Value && input.is_empty() {
            return Ok(Some(Step::More));
        }
        result
    }

    fn value_marker(
        &mut self,
        id: MarkerId,
        spec: TaggedSpec<'_>,
        ctx: &mut Ctx<'_>,
    ) -> Result<(), Fault> {
        let role = spec.value.role(id);
        if role == Role::ValueClose {
            self.end_value(spec, ctx)?;
            ctx.consumed(spec.value.marker(id));
            self.state = State::Gap;
            self.lexer.reset();
            return Ok(());
        }
        self.state = State::Candidate(role, id);
        self.held.clear();
        self.blanks = 0;
        self.lexer.reset();
        if role == Role::NextParam {
            // The marker begins with the line break and ends behind `=`: the tag is in its name.
            for c in spec.value.marker(id).chars().skip(1) {
                self.lexer.feed(c, spec.call_word, spec.param_word);
            }
        }
        Ok(())
    }

    /// Looks behind a marker that may end the value although its own closer is missing.
    fn candidate(
        &mut self,
        role: Role,
        id: MarkerId,
        input: &mut &str,
        spec: TaggedSpec<'_>,
        ctx: &mut Ctx<'_>,
    ) -> Result<Option<Step>, Fault> {
        let mut chars = input.chars();
        while let Some(c) = chars.next() {
            self.held.push(c);
            *input = chars.as_str();
            let verdict = match role {
                Role::NextParam => match self.lexer.feed(c, spec.call_word, spec.param_word) {
                    Lex::More => None,
                    Lex::Tag(_) => Some(true),
                    Lex::No | Lex::Bad => Some(false),
                },
                _ if is_blank(c) && self.blanks + 1 == self.held.len() => {
                    self.blanks += 1;
                    None
                }
                _ => self.outer_follows(role, spec),
            };
            let too_long = self.held.len() > MAX_LOOK_AHEAD;
            match verdict {
                Some(true) => return self.accept(role, id, spec, ctx),
                None if !too_long => {}
                _ => return self.refuse(id, spec),
            }
        }
        Ok(Some(Step::More))
    }

    /// Whether what follows a closer of the call or block shows that it was one.
    fn outer_follows(&self, role: Role, spec: TaggedSpec<'_>) -> Option<bool> {
        let rest = self.held.get(self.blanks..).unwrap_or_default();
        let mut lexer = TagLexer::new(self.max_name);
        let mut lexed = Lex::More;
        for c in rest.chars() {
            lexed = lexer.feed(c, spec.call_word, spec.param_word);
        }
        let next_call =
            role == Role::CallClose && (lexer.in_name() || lexed == Lex::Tag(Tag::OpenCall));
        match spec.between.set.match_at(rest) {
            Anchored::Marker { id, .. } => {
                let close = spec.between.role(id) == Role::Close;
                Some(role == Role::CallClose || !close)
            }
            _ if next_call => Some(true),
            Anchored::Prefix => None,
            _ if lexed == Lex::More && role == Role::CallClose => None,
            _ => Some(false),
        }
    }

    fn accept(
        &mut self,
        role: Role,
        id: MarkerId,
        spec: TaggedSpec<'_>,
        ctx: &mut Ctx<'_>,
    ) -> Result<Option<Step>, Fault> {
        ctx.call.repaired = true;
        if role != Role::BlockClose {
            let message = format!("the parameter `{}` is not closed", shown(&self.key));
            ctx.note(MISSING_CLOSER, Span::empty(ctx.out.at), &message);
        }
        let marker = spec.value.marker(id);
        let held = std::mem::take(&mut self.held);
        if role == Role::NextParam && std::mem::replace(&mut self.newline, true) {
            // The marker brings the line break that may be cut; the one before it is the value's.
            self.value_piece("\n", ctx);
        }
        self.end_value(spec, ctx)?;
        self.lexer.reset();
        match role {
            Role::NextParam => {
                // The whole tag of the next parameter is known: its line break and itself.
                let key = held
                    .trim_end_matches('>')
                    .trim_matches(|c| is_blank(c) || c == '"' || c == '\'');
                ctx.consumed(marker);
                ctx.consumed(&held);
                self.begin_value(key.to_owned(), ctx)?;
                Ok(None)
            }
            Role::CallClose => {
                ctx.consumed(marker);
                self.held = held;
                self.state = State::Closed;
                self.close(ctx)?;
                Ok(Some(Step::Closed))
            }
            _ => {
                self.held = format!("{marker}{held}");
                self.state = State::Closed;
                self.close(ctx)?;
                Ok(Some(Step::ClosedByStructure))
            }
        }
    }

    /// The marker was data: the scan goes on behind its first character.
    fn refuse(&mut self, id: MarkerId, spec: TaggedSpec<'_>) -> Result<Option<Step>, Fault> {
        self.scanner.reject(&spec.value.set, id);
        self.state = State::Value;
        self.refeeding = true;
        Ok(Some(Step::Refeed))
    }

    fn value_text(&mut self, text: &str, spec: TaggedSpec<'_>, ctx: &mut Ctx<'_>) {
        let mut text = text;
        if spec.trim == Trim::OneNewline {
            if !self.begun {
                self.begun = true;
                text = text.strip_prefix('\n').unwrap_or(text);
            }
            if text.is_empty() {
                return;
            }
            if std::mem::take(&mut self.newline) {
                self.value_piece("\n", ctx);
            }
            if let Some(shorter) = text.strip_suffix('\n') {
                self.newline = true;
                text = shorter;
            }
        }
        self.value_piece(text, ctx);
    }

    #[inline]
    fn value_piece(&mut self, text: &str, ctx: &mut Ctx<'_>) {
        match self.handling {
            Handling::Stream => {
                for piece in pieces(text) {
                    self.scratch.clear();
                    escape_into(&mut self.scratch, piece);
                    ctx.args(&self.scratch);
                }
                if ctx.out.emit.field {
                    ctx.field(&self.path, text);
                }
            }
            Handling::Hold(_) => {
                // C3: how much comes at once depends on the chunk, so the limit counts at the end.
                if self.value.len() <= ctx.request.limits.max_held_bytes {
                    self.value.push_str(text);
                }
            }
            Handling::Drop => {}
        }
    }

    /// The value is whole.
    fn end_value(&mut self, spec: TaggedSpec<'_>, ctx: &mut Ctx<'_>) -> Result<(), Fault> {
        if spec.trim == Trim::None && std::mem::take(&mut self.newline) {
            self.value_piece("\n", ctx);
        }
        match self.handling {
            Handling::Stream => ctx.args("\""),
            Handling::Hold(id) => self.typed(id, ctx)?,
            Handling::Drop => {}
        }
        Ok(())
    }

    /// Reads a held value by its schema.
    fn typed(&mut self, id: NodeId, ctx: &mut Ctx<'_>) -> Result<(), Fault> {
        if self.value.len() > ctx.request.limits.max_held_bytes {
            let message = "a value that cannot stream is longer than the limit";
            return Err(Fault::new(LIMIT_HELD, message));
        }
        let Some(schema) = self.schema.clone() else { return Ok(()) };
        let node = schema.node(id);
        let text = self.value.trim_start_matches(is_blank);
        let collects = node.is_array() && !text.is_empty() && !text.starts_with('[');
        let any = Schema::any();
        let entry = node.items().unwrap_or(any.root());
        let node = if collects { entry } else { node };
        let typed = node.read_text(&self.value, TextStyle::Bare);
        if let Some(problem) = &typed.problem {
            if ctx.rejects_invalid() {
                return Err(Fault::new(INVALID_ARGUMENT, problem.message.clone()));
            }
            let code = Code { code: problem.code, severity: Severity::Warning, summary: "" };
            let message = format!("`{}`: {}", shown(&self.key), problem.message);
            ctx.note(code, Span::empty(ctx.out.at), &message);
        }
        ctx.call.coerced |= typed.changed && typed.kind != TypedKind::AsText;
        if collects {
            return self.collect(typed.json, ctx);
        }
        self.open_member(ctx);
        ctx.args(&typed.json);
        Ok(())
    }

    /// One of the values of a parameter that is repeated for a list.
    fn collect(&mut self, json: String, ctx: &mut Ctx<'_>) -> Result<(), Fault> {
        let total: usize = self.lists.iter().flat_map(|(_, l)| l).map(String::len).sum();
        if total + json.len() > ctx.request.limits.max_held_bytes {
            return Err(Fault::new(LIMIT_HELD, "the lists of the call are longer than the limit"));
        }
        match self.lists.iter_mut().find(|(k, _)| *k == self.key) {
            Some((_, list)) => list.push(json),
            None => self.lists.push((self.key.clone(), vec![json])),
        }
        Ok(())
    }

    /// The call is whole: collected lists and the closing brace.
    fn close(&mut self, ctx: &mut Ctx<'_>) -> Result<(), Fault> {
        for (key, list) in std::mem::take(&mut self.lists) {
            self.key = key;
            self.open_member(ctx);
            ctx.args("[");
            ctx.args(&list.join(","));
            ctx.args("]");
        }
        ctx.args(if self.any { "}" } else { "{}" });
        Ok(())
    }

    #[cfg(feature = "meter")]
    pub(crate) fn examined(&self) -> u64 {
        self.scanner.examined()
    }
}

/// Pieces of at most 4 KiB, so that the scratch text stays small.
fn pieces(mut text: &str) -> impl Iterator<Item = &str> {
    use crate::engine::FloorBoundary;
    std::iter::from_fn(move || {
        if text.is_empty() {
            return None;
        }
        let (now, rest) = text.split_at_checked(text.floor_char_boundary_up_to(4096))?;
        text = rest;
        Some(now)
    })
}
