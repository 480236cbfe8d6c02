//! Behind what may be the tag of a declared tool, or a line with its name: does a call begin?
//!
//! Everything that was looked at is withheld until that is known; then it is the markup of the call,
//! or text of the channel it was found in (C5), read again but for its first character.

use toolweir_schema_coerce::{Member, Schema};
use toolweir_segments::{EventSink, Span};

use super::gate::Origin;
use super::reader::{Begin, Shape};
use super::tag::{hold, is_blank};
use super::{Engine, State};
use crate::diagnostics::TRUNCATED_CALL;
use crate::program::{PayloadProgram, ToolTags};

/// How far the look-ahead has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// At the `<`.
    Angle,
    /// Behind it: blanks.
    Lead,
    /// In the name of a tag.
    Name,
    /// Behind the name: blanks, `/` or `>`.
    Behind,
    /// Behind the `/`.
    Slash,
    /// In a name that begins a line.
    LineName,
    /// Behind that name: blanks, a colon, the end of the line.
    LineEnd {
        colon: bool,
    },
    /// On the lines below: blanks before an element.
    Below,
    /// In the name of that element.
    Element,
    /// In the key that begins a YAML body inside the tag, and behind its colon.
    Key,
    Colon,
}

/// What the body of a call inside its tag begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    Element,
    Key,
}

/// The look-ahead.
#[derive(Debug)]
pub(crate) struct NamedGate {
    origin: Origin,
    phase: Phase,
    /// All that was looked at, framing first.
    held: String,
    /// Where the name of the tool stands in it.
    name: (usize, usize),
    /// Where the element or key below a line begins.
    element: usize,
    /// Where the line that it stands in begins.
    body: usize,
    line: bool,
    /// None: such bodies are not looked for.
    within: Option<Within>,
}

/// What the characters so far are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    More,
    /// A call begins behind them.
    Call,
    /// They are a whole call without content.
    Empty,
    /// A call begins, with the element at its end.
    Line,
    /// A call begins whose tag holds its body: the line at its end.
    Within,
    /// They are text.
    Reject,
}

impl NamedGate {
    fn new(origin: Origin, line: bool, within: Option<Within>) -> Self {
        let phase = if line { Phase::LineName } else { Phase::Angle };
        let held = String::new();
        Self { origin, phase, held, name: (0, 0), element: 0, body: 0, line, within }
    }

    fn name(&self) -> &str {
        self.held.get(self.name.0..self.name.1).unwrap_or_default()
    }

    /// Takes one character.
    fn feed(
        &mut self,
        c: char,
        tags: &ToolTags,
        schema: impl Fn(&str) -> Option<Schema>,
    ) -> Verdict {
        let before = self.held.len();
        hold(&mut self.held, c);
        let after = self.held.len();
        match self.phase {
            Phase::Angle => {
                self.phase = Phase::Lead;
                Verdict::More
            }
            Phase::Lead if is_blank(c) => Verdict::More,
            Phase::Lead => {
                self.phase = Phase::Name;
                self.name = (before, after);
                self.in_name(tags)
            }
            Phase::Name if is_blank(c) || matches!(c, '/' | '>') => {
                if !tags.contains(self.name()) {
                    return Verdict::Reject;
                }
                self.phase = Phase::Behind;
                self.behind(c)
            }
            Phase::Name | Phase::LineName
                if !is_blank(c) && (c != ':' || self.goes_on(c, tags)) =>
            {
                self.name.1 = after;
                self.in_name(tags)
            }
            Phase::Behind if !is_blank(c) && !matches!(c, '/' | '>') => self.body_begins(c, before),
            Phase::Behind => self.behind(c),
            Phase::Key => self.key(c, schema),
            Phase::Colon if is_blank(c) => Verdict::Within,
            Phase::Slash => {
                if c == '>' {
                    Verdict::Empty
                } else {
                    Verdict::Reject
                }
            }
            Phase::LineName if tags.contains(self.name()) => {
                self.phase = Phase::LineEnd { colon: false };
                self.line_end(c, false)
            }
            Phase::LineEnd { colon } => self.line_end(c, colon),
            Phase::Below if is_blank(c) => Verdict::More,
            Phase::Below if c == '<' => {
                (self.phase, self.element) = (Phase::Element, before);
                Verdict::More
            }
            Phase::Element => self.element(c, tags, schema),
            Phase::Name | Phase::LineName | Phase::Below | Phase::Colon => Verdict::Reject,
        }
    }

    fn in_name(&self, tags: &ToolTags) -> Verdict {
        if tags.begins(self.name()) { Verdict::More } else { Verdict::Reject }
    }

    /// Whether a colon is part of a longer name.
    fn goes_on(&self, c: char, tags: &ToolTags) -> bool {
        tags.begins(&format!("{}{c}", self.name()))
    }

    fn behind(&mut self, c: char) -> Verdict {
        match c {
            '>' => Verdict::Call,
            '/' => {
                self.phase = Phase::Slash;
                Verdict::More
            }
            _ => Verdict::More,
        }
    }

    /// Behind the name and blanks: on a line below, the body may begin inside the tag.
    fn body_begins(&mut self, c: char, at: usize) -> Verdict {
        let behind = self.held.get(self.name.1..at).unwrap_or_default();
        let Some(lines) = behind.rfind('\n') else { return Verdict::Reject };
        (self.element, self.body) = (at, self.name.1 + lines + 1);
        self.phase = match self.within {
            Some(Within::Element) if c == '<' => Phase::Element,
            Some(Within::Key) => Phase::Key,
            _ => return Verdict::Reject,
        };
        Verdict::More
    }

    /// In a key: a declared one, with a colon and a blank behind it.
    fn key(&mut self, c: char, schema: impl Fn(&str) -> Option<Schema>) -> Verdict {
        let schema = schema(self.name());
        let key = self.held.get(self.element..).unwrap_or_default();
        let begins = |key: &str| {
            let names = schema.iter().flat_map(|schema| schema.root().property_names());
            names.into_iter().any(|name| name.starts_with(key))
        };
        if begins(key) {
            return Verdict::More;
        }
        let key = key.strip_suffix(':').unwrap_or_default();
        let member = schema.as_ref().map(|schema| schema.root().member(key));
        if c != ':' || !matches!(member, Some(Member::Declared(_))) {
            return Verdict::Reject;
        }
        self.phase = Phase::Colon;
        Verdict::More
    }

    fn line_end(&mut self, c: char, colon: bool) -> Verdict {
        match c {
            '\n' => self.phase = Phase::Below,
            ':' if !colon => self.phase = Phase::LineEnd { colon: true },
            _ if is_blank(c) => {}
            _ => return Verdict::Reject,
        }
        Verdict::More
    }

    /// In the name of the element below a line: one that the tool declares, or any where it declares
    /// none, but not the tag of another call.
    fn element(
        &self,
        c: char,
        tags: &ToolTags,
        schema: impl Fn(&str) -> Option<Schema>,
    ) -> Verdict {
        let name = self.held.get(self.element + 1..).unwrap_or_default();
        if c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':') {
            return Verdict::More;
        }
        let name = name.get(..name.len() - c.len_utf8()).unwrap_or_default();
        if name.is_empty() || !(is_blank(c) || matches!(c, '/' | '>')) {
            return Verdict::Reject;
        }
        let schema = schema(self.name());
        let root = schema.as_ref().map(Schema::root);
        let declared = root.is_some_and(|root| matches!(root.member(name), Member::Declared(_)));
        let declares = root.is_some_and(|root| root.property_names().next().is_some());
        if !self.line {
            return if declared { Verdict::Within } else { Verdict::Reject };
        }
        if declared || !declares && !tags.contains(name) { Verdict::Line } else { Verdict::Reject }
    }
}

impl Engine {
    /// Behind the beginning of what may be a tool's tag.
    pub(crate) fn open_tag(&mut self, marker: &str, origin: Origin, framing: usize) {
        self.begin_named(marker, origin, framing, false);
    }

    /// Behind a line break and a tool's name; the line break is text.
    pub(crate) fn open_line(&mut self, marker: &str, sink: &mut dyn EventSink) {
        let (line_break, name) = marker.split_at_checked(1).unwrap_or((marker, ""));
        self.channel_text(line_break, sink);
        self.begin_named(name, Origin::Text, 0, true);
    }

    /// The channel of visible text begins here: the first line may name a tool.
    pub(crate) fn text_begins(&mut self) {
        self.state = State::Text;
        if self.program.tags.as_ref().is_some_and(|tags| tags.line && !tags.is_empty()) {
            self.begin_named("", Origin::Text, 0, true);
        }
    }

    fn begin_named(&mut self, marker: &str, origin: Origin, framing: usize, line: bool) {
        let program = std::sync::Arc::clone(&self.program);
        let Some(tags) = &program.tags else { return };
        let within = match program.payloads.first() {
            Some(PayloadProgram::Element { repair: true }) => Some(Within::Element),
            Some(PayloadProgram::Yaml) => Some(Within::Key),
            _ => None,
        };
        let mut gate = NamedGate::new(origin, line, within);
        let (lead, marker) = marker.split_at_checked(framing).unwrap_or(("", marker));
        gate.held.push_str(lead);
        for c in marker.chars() {
            gate.feed(c, tags, |_| None);
        }
        self.state = State::Named(gate);
    }

    #[inline(never)]
    pub(crate) fn read_named(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let State::Named(mut gate) = std::mem::replace(&mut self.state, State::Text) else {
            return;
        };
        let program = std::sync::Arc::clone(&self.program);
        let Some(tags) = &program.tags else { return };
        let tools = self.request.tools.clone();
        let mut chars = input.chars();
        while let Some(c) = chars.next() {
            #[cfg(feature = "meter")]
            {
                self.looked += c.len_utf8() as u64;
            }
            let verdict = gate.feed(c, tags, |name| tools.schema(name).cloned());
            let too_long = gate.held.len() > self.request.limits.max_held_bytes;
            let over =
                !matches!(verdict, Verdict::More | Verdict::Reject) && self.too_many_calls(sink);
            *input = chars.as_str();
            match verdict {
                Verdict::More if !too_long => {}
                Verdict::More | Verdict::Reject => return self.reject_named(gate, sink),
                _ if over => return self.reject_named(gate, sink),
                verdict => return self.settle_named(gate, verdict, sink),
            }
        }
        self.state = State::Named(gate);
    }

    fn settle_named(&mut self, mut gate: NamedGate, verdict: Verdict, sink: &mut dyn EventSink) {
        let start = self.out.at + self.withheld() as u64;
        if verdict == Verdict::Line {
            if !self.counts(start, gate.held.len()) {
                return self.reject_named(gate, sink);
            }
            self.read_again(gate.held.split_off(gate.element));
        }
        if verdict == Verdict::Within {
            self.read_again(gate.held.split_off(gate.body));
        }
        self.enter_call(gate.origin, sink);
        let framing = match gate.origin {
            Origin::Text => self.run.take_framing(),
            Origin::Reasoning => String::new(),
        };
        self.call.trusted = self.intake.is_trusted(start, gate.held.len());
        let markup = format!("{framing}{}", gate.held);
        let shape = match verdict {
            Verdict::Empty => Shape::Empty,
            Verdict::Line => Shape::Line,
            Verdict::Within => Shape::InTag,
            _ => Shape::Enclosed,
        };
        let begin = Begin { shape, ..Begin::default() };
        self.begin_payload(0, &markup, Some(gate.name()), &begin, sink);
    }

    /// No call: the first character is text, the rest is read again.
    fn reject_named(&mut self, gate: NamedGate, sink: &mut dyn EventSink) {
        self.back_to(gate.origin);
        // What begins a line is not looked for twice: the line break is already behind it.
        let first = if gate.line { 0 } else { gate.held.chars().next().map_or(0, char::len_utf8) };
        let (head, tail) = gate.held.split_at_checked(first).unwrap_or((&gate.held, ""));
        self.channel_text(head, sink);
        self.read_again(tail.to_owned());
    }

    /// The stream ends: what was withheld is text, with a diagnostic where a name was whole.
    pub(crate) fn finish_named(&mut self, gate: NamedGate, sink: &mut dyn EventSink) {
        if !matches!(gate.phase, Phase::Behind | Phase::Slash) {
            return self.reject_named(gate, sink);
        }
        self.back_to(gate.origin);
        let start = self.out.at + self.withheld() as u64;
        let span = Span::new(start, start + gate.held.len() as u64);
        let message = "the stream ended before the call began; its source is text";
        self.out.diagnostic(TRUNCATED_CALL, span, message, sink);
        self.channel_text(&gate.held, sink);
    }
}
