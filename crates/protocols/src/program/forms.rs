//! Patterns, lowered: the forms of calls with their headers as code, what closes them, and which
//! readers they want.
//!
//! Three kinds of form need more than a header: tags of declared tools, which are made for each
//! request; JSON objects without a marker, which are recognised by their members; and tags that are
//! read freely. Everything else is matched by [`Code`].

use super::ambiguity::Row;
use super::code::{Ahead, Code, Committed, Entry, Exit, Found, Op, Shape};
use super::words::Words;
use crate::error::SpecError;
use crate::pattern::{
    Args, At, Key, Node, Part, Pattern, PatternError, PatternErrorKind as Kind, Role, ValueKind,
    check,
};
use crate::spec::{BareArgs, FormatSpec, Header, Keys as KeyChoice, Tags, aliases};

/// One way in which a call begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// Which reader reads it.
    pub(crate) reader: usize,
    /// The name that the text does not say.
    pub(crate) name: Option<String>,
    /// No marker shows that it is a call: only declared names count.
    pub(crate) declared: bool,
    /// A closing delimiter is due after its payload.
    pub(crate) closed: bool,
    pub(crate) shape: Shape,
}

/// What begins some headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opener {
    pub(crate) text: String,
    /// Where in the code they go on.
    pub(crate) entries: Vec<usize>,
    /// It counts at the start of a line only.
    pub(crate) at_line: bool,
    /// It counts at the start of the message only.
    pub(crate) at_message: bool,
    /// It counts outside inline code only: after an even number of backticks on its line.
    pub(crate) outside_code: bool,
    /// It may end a reasoning section.
    pub(crate) ends_reasoning: bool,
    /// It stands around a call: before another one it says that the block of this one is over.
    pub(crate) block: bool,
}

impl Opener {
    pub(crate) fn new(text: &str, entry: usize) -> Self {
        Self {
            text: text.to_owned(),
            entries: vec![entry],
            at_line: false,
            at_message: false,
            outside_code: false,
            ends_reasoning: true,
            block: true,
        }
    }

    /// Whether what stands before it on its line matters.
    pub(super) fn is_conditional(&self) -> bool {
        self.at_line || self.at_message || self.outside_code
    }
}

/// A literal that closes a call or a wrapper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Closer {
    pub(crate) text: String,
    /// It closes a call that may stand in a wrapper.
    pub(crate) inner: bool,
}

/// Which reader a form wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Call objects that name themselves.
    Call,
    /// An object that is the arguments.
    Object,
    /// Parameters by a pattern, and what closes the call.
    Params(Pattern, Vec<String>),
    Python,
    Gemma(String),
    /// One argument, as text up to what closes the call.
    Raw(String),
    Elements,
    Yaml,
    /// Parameters in tags that are read freely.
    Free,
}

impl Wanted {
    /// Whether a call that it reads has ended with its payload: no marker follows.
    pub(super) fn ends_itself(&self) -> bool {
        matches!(self, Self::Elements | Self::Yaml)
    }
}

/// How the members of call objects are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    pub(crate) name: Vec<String>,
    pub(crate) args: Vec<String>,
    pub(crate) id: Vec<String>,
    /// Keys whose object value is the call itself.
    pub(crate) wrappers: Vec<String>,
    /// Keys whose string is visible text. Where there are some the object is no call: it carries
    /// text, and a call under a key of `wrappers`.
    pub(crate) text: Vec<String>,
    /// In an unmarked object: any key may stand before those that make it a call.
    pub(crate) any_lead: bool,
    pub(crate) keep_bare: bool,
    /// No marker shows where a call is over: its object does, whatever is wrong in it.
    pub(crate) alone: bool,
    /// The payload is the arguments object itself.
    pub(crate) args_only: bool,
}

/// Words of tags that are read freely.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FreeTags {
    pub(crate) wrap: String,
    pub(crate) call: String,
    pub(crate) param: String,
}

/// The patterns of a format, lowered.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    pub(crate) code: Code,
    pub(crate) forms: Vec<Form>,
    pub(crate) openers: Vec<Opener>,
    /// Headers of calls that have no marker of their own, inside an open wrapper.
    pub(crate) inner: Vec<usize>,
    pub(crate) closers: Vec<Closer>,
    pub(crate) wanted: Vec<Wanted>,
    pub(crate) keys: Keys,
    /// Markers may hold a list of call objects.
    pub(crate) list: bool,
    /// Call objects stand anywhere in the text; markers around them may be missing.
    pub(crate) unmarked: bool,
    /// Those markers.
    pub(crate) fences: Vec<String>,
    /// The tags of declared tools open calls; and lines with their names.
    pub(crate) tags: Option<bool>,
    pub(crate) free: Option<FreeTags>,
    /// Whitespace before an opener that is markup, and between calls.
    pub(crate) framing: (String, String),
    /// Literals that are dropped where they stand.
    pub(crate) strays: Vec<String>,
    pub(crate) noise: bool,
    /// Which headers are read by hand.
    pub(crate) header: Header,
    /// What may stand between two calls beside whitespace.
    pub(crate) separators: Vec<char>,
    /// Where the header of a line goes on that begins with the name of a tool.
    pub(crate) line: Option<usize>,
}

/// How often the opener of a wrapper may be repeated on the spot.
const MAX_REPEATED: usize = 3;

/// What may stand between calls that have no opener.
const SEPARATORS: [char; 2] = [',', ';'];

/// What a request changes in a format.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    pub(crate) open: Option<Vec<String>>,
    pub(crate) close: Option<Vec<String>>,
    /// Options of call patterns.
    pub(crate) switches: Vec<(String, bool)>,
}

pub(crate) fn bad(
    spec: &FormatSpec,
    field: &'static str,
    pattern: &str,
    error: PatternError,
) -> SpecError {
    SpecError::Pattern {
        format: spec.name.clone(),
        field,
        pattern: pattern.to_owned(),
        error: Box::new(error),
    }
}

/// A pattern of a spec, read and held against its role.
pub(crate) fn read_pattern(
    spec: &FormatSpec,
    field: &'static str,
    text: &str,
    role: Role,
) -> Result<Pattern, SpecError> {
    let pattern: Pattern = text.parse().map_err(|error| bad(spec, field, text, error))?;
    check(&pattern, role).map_err(|error| bad(spec, field, text, error))?;
    Ok(pattern)
}

impl Forms {
    /// Lowers the patterns of a spec, and behind them those that it reads too.
    pub(crate) fn of(
        spec: &FormatSpec,
        reads: &[&FormatSpec],
        changes: &Changes,
    ) -> Result<Self, SpecError> {
        let mut forms =
            Self { code: Code::new(&spec.whitespace), noise: spec.noise, ..Self::default() };
        forms.read_keys(spec, reads)?;
        // Among several formats a tag is read as it is spelled: another reading may be another's.
        let exact = !reads.is_empty();
        forms.add(spec, changes, exact)?;
        for other in reads {
            forms.add(other, &Changes::default(), exact)?;
        }
        let declared = |row: &&FormatSpec| {
            row.call.iter().any(|call| {
                call.pattern.contains("{args:elements}") || call.pattern.contains("{args:yaml}")
            })
        };
        let alike =
            exact && std::iter::once(&spec).chain(reads).filter(|row| declared(row)).count() > 1;
        if alike {
            return Err(SpecError::Union { formats: spec.name.clone() });
        }
        forms.merge_openers();
        Ok(forms)
    }

    fn add(&mut self, spec: &FormatSpec, changes: &Changes, exact: bool) -> Result<(), SpecError> {
        let mut wraps = Vec::new();
        for text in &spec.wrap {
            wraps.push(read_pattern(spec, "wrap", text, Role::Wrap)?);
        }
        let (mut every, mut calls) = (Vec::new(), Vec::new());
        for call in &spec.call {
            let on = call.option.as_ref().is_none_or(|(name, default)| {
                let set = changes.switches.iter().find(|(switch, _)| switch == name);
                set.map_or(*default, |(_, on)| *on)
            });
            let mut pattern = read_pattern(spec, "call", &call.pattern, Role::Call)?;
            every.push(pattern.clone());
            replace_outer(&mut pattern, changes);
            if on {
                calls.push(pattern);
            }
        }
        let first = wraps.first().or(calls.first());
        let framing = match first.and_then(|pattern| pattern.parts.first()) {
            Some(Part::Space(text)) => text.clone(),
            _ => String::new(),
        };
        if !framing.is_empty() {
            let next = spec.between.chars().all(char::is_whitespace);
            self.framing = (framing, if next { spec.between.clone() } else { String::new() });
        }
        self.noise |= spec.noise;
        // Models that write one separator write the other too.
        if spec.between.contains(SEPARATORS) {
            self.separators = SEPARATORS.to_vec();
        }
        let mut messages = Vec::new();
        for text in &spec.message {
            let message = read_pattern(spec, "message", text, Role::Message)?;
            if spec.header == Header::Patterns {
                self.strays.extend(literals(&message.parts));
            }
            messages.push(message);
        }
        Row { spec, calls: &every, wraps: &wraps, messages: &messages }.check()?;
        for text in &spec.strays {
            let stray = read_pattern(spec, "strays", text, Role::Marker)?;
            self.strays.extend(literals(&stray.parts));
        }
        if spec.header == Header::Harmony {
            self.add_harmony(&calls);
            return Ok(());
        }
        if spec.tags == Tags::Words && !exact {
            return self.add_free(spec, &calls);
        }
        // Where one header is another's beginning, the one whose payload shows itself comes first.
        let shows = |call: &&Pattern| call.parts.contains(&Part::Args(Args::Json));
        let (first, others): (Vec<&Pattern>, Vec<&Pattern>) = calls.iter().partition(shows);
        for call in first.into_iter().chain(others) {
            self.add_call(spec, call, &wraps, changes.open.is_some())?;
        }
        for wrap in &wraps {
            let (before, after) = split_at(wrap, |part| matches!(part, Part::Calls));
            let closers = literals(after);
            if spec.noise {
                self.add_section(before, &calls, &closers);
            }
            self.add_closers(&closers, false);
        }
        Ok(())
    }

    fn add_call(
        &mut self,
        spec: &FormatSpec,
        call: &Pattern,
        wraps: &[Pattern],
        own_opener: bool,
    ) -> Result<(), SpecError> {
        let (head, tail) = split_at(call, is_payload);
        let payload = call.parts.get(head.len()).filter(|part| is_payload(part));
        if is_declared_tag(head) {
            let line = head.iter().any(|part| matches!(part, Part::At(At::Line)));
            self.tags = Some(self.tags.unwrap_or_default() || line);
            if let Some(Part::Args(args)) = payload {
                self.want(match args {
                    Args::Yaml => Wanted::Yaml,
                    _ => Wanted::Elements,
                });
            }
            return Ok(());
        }
        let closers = literals(tail);
        let wanted = match payload {
            Some(Part::Call(template)) if head.is_empty() && marks(wraps).is_none() => {
                self.unmarked = true;
                self.list |= template.is_list();
                self.fences = wraps.iter().flat_map(|wrap| self.fences_of(wrap)).collect();
                self.want(Wanted::Call);
                return Ok(());
            }
            Some(Part::Call(_)) => Wanted::Call,
            Some(Part::Args(Args::Json)) => Wanted::Object,
            Some(Part::Args(Args::Pattern(pattern))) => {
                Wanted::Params((**pattern).clone(), closers.clone())
            }
            Some(Part::Args(Args::Python)) => Wanted::Python,
            Some(Part::Args(Args::Gemma(delimiter))) => Wanted::Gemma(delimiter.clone()),
            Some(Part::Arg { key, pattern: None }) => Wanted::Raw(key.clone()),
            _ => {
                return Err(SpecError::NoPayload {
                    format: spec.name.clone(),
                    pattern: call.to_string(),
                });
            }
        };
        let owns_closer = matches!(wanted, Wanted::Python);
        let reader = self.want(wanted);
        let name = head.iter().find_map(|part| match part {
            Part::NameIs(word) => Some(word.clone()),
            _ => None,
        });
        let due = |parts: &[Part]| {
            parts.iter().any(|part| !matches!(part, Part::Also(_) | Part::Space(_)))
        };
        let closed = due(tail)
            || wraps.iter().any(|wrap| due(split_at(wrap, |p| matches!(p, Part::Calls)).1));
        let marked = own_opener || has_mark(head);
        let form = self.forms.len();
        let declared = !marked && marks(wraps).is_none();
        self.forms.push(Form { reader, name, declared, closed, shape: Shape::Enclosed });
        for wrap in wraps.iter().filter(|_| !spec.noise) {
            let (before, _) = split_at(wrap, |part| matches!(part, Part::Calls));
            let start = self.code.here();
            self.code.parts(unframed(before));
            self.code.space();
            self.header(form, head, payload, &closers, true);
            self.open(self.code.entries(start), &[before, head], true);
        }
        let start = self.code.here();
        self.header(form, head, payload, &closers, !wraps.is_empty() && !marked);
        if marked || wraps.is_empty() {
            self.open(self.code.entries(start), &[head], wraps.is_empty());
        } else {
            self.inner.push(start);
        }
        if !owns_closer {
            self.add_closers(&closers, !wraps.is_empty());
        }
        Ok(())
    }

    /// A wrapper in which text is noise: it opens by itself, before what begins a call or closes it.
    /// Repeated on the spot it counts once.
    fn add_section(&mut self, before: &[Part], calls: &[Pattern], closers: &[String]) {
        let start = self.code.here();
        let before = match unframed(before) {
            [parts @ .., Part::Space(_)] => parts,
            parts => parts,
        };
        self.code.parts(before);
        let entries = self.code.entries(start);
        for _ in 0..MAX_REPEATED {
            self.code.optional(|code| code.parts(before));
        }
        self.code.push(Op::Skip);
        self.code.push(Op::Mark);
        let is_mark = |part: &&Part| matches!(part, Part::Literal(_) | Part::Tag(_));
        let openers = calls.iter().filter_map(|call| call.parts.iter().find(is_mark)).cloned();
        let closers = closers.iter().map(|closer| Part::Literal(closer.clone()));
        let fork = self.code.here();
        self.code.push(Op::Fork(Vec::new()));
        let mut ways = Vec::new();
        for next in openers.chain(closers) {
            ways.push(self.code.here());
            self.code.parts(&[next]);
            self.code.push(Op::Exit(Exit { form: 0, found: Found::Section, section: true }));
        }
        // One that begins again after text has not begun before: so nothing is skipped twice.
        for entry in &entries {
            ways.push(self.code.here());
            self.code.literal(&entry.opener);
            self.code.push(Op::Reject);
        }
        self.code.patch(fork, Op::Fork(ways));
        self.open(entries, &[before], true);
    }

    /// The code of a header from its own opener to its payload.
    fn header(
        &mut self,
        form: usize,
        head: &[Part],
        payload: Option<&Part>,
        closers: &[String],
        section: bool,
    ) {
        let exit = |found| Exit { form, found, section };
        self.code.parts(unframed(head));
        let after_hole = head
            .iter()
            .rev()
            .find(|part| !matches!(part, Part::Space(_) | Part::Opt(_) | Part::Also(_)))
            .is_some_and(|part| matches!(part, Part::Name | Part::Id(_) | Part::Index));
        match payload {
            Some(Part::Call(template)) if template.is_list() => {
                self.list = true;
                self.code.space();
                self.code.literal("[");
                self.code.push(Op::Commit(Committed::List));
                self.code.space();
                let fork = self.code.here();
                self.code.push(Op::Fork(vec![fork + 1, fork + 2]));
                self.code.push(Op::Ahead(Ahead::Entry, exit(Found::FirstOfList)));
                self.code.literal("]");
                self.code.push(Op::Exit(exit(Found::EmptyList)));
            }
            Some(Part::Call(_) | Part::Args(Args::Json | Args::Gemma(_))) => {
                self.code.space();
                self.code.push(Op::Ahead(Ahead::Object, exit(Found::Payload)));
            }
            Some(Part::Args(Args::Pattern(pattern))) if after_hole => {
                self.code.space();
                self.code.push(Op::Mark);
                let next = pattern.parts.iter().find_map(first_literal);
                let first: Vec<String> = next.into_iter().chain(closers.first().cloned()).collect();
                let fork = self.code.here();
                self.code.push(Op::Fork(Vec::new()));
                let mut ways = Vec::new();
                for literal in &first {
                    ways.push(self.code.here());
                    self.code.literal(literal);
                    self.code.push(Op::Exit(exit(Found::Payload)));
                }
                self.code.patch(fork, Op::Fork(ways));
            }
            _ => self.code.push(Op::Exit(exit(Found::Payload))),
        }
    }

    /// Makes a header one that its openers open, where these parts of it say.
    fn open(&mut self, entries: Vec<Entry>, parts: &[&[Part]], ends_reasoning: bool) {
        let says = |at| parts.iter().any(|parts| parts.contains(&Part::At(at)));
        let (at_line, at_message) = (says(At::Line), says(At::Message));
        for entry in entries {
            if entry.opener.is_empty() {
                continue;
            }
            let opener = Opener::new(&entry.opener, entry.at);
            self.openers.push(Opener { at_line, at_message, ends_reasoning, ..opener });
        }
    }

    /// One opener a text.
    fn merge_openers(&mut self) {
        let mut merged: Vec<Opener> = Vec::new();
        for opener in std::mem::take(&mut self.openers) {
            match merged.iter_mut().find(|other| other.text == opener.text) {
                Some(other) => {
                    other.entries.extend(opener.entries);
                    other.at_line &= opener.at_line;
                    other.at_message &= opener.at_message;
                    other.outside_code &= opener.outside_code;
                    other.ends_reasoning |= opener.ends_reasoning;
                }
                None => merged.push(opener),
            }
        }
        self.openers = merged;
    }

    fn add_closers(&mut self, texts: &[String], inner: bool) {
        for text in texts {
            if !self.closers.iter().any(|closer| closer.text == *text) {
                self.closers.push(Closer { text: text.clone(), inner });
            }
        }
    }

    fn fences_of(&self, wrap: &Pattern) -> Vec<String> {
        let (before, _) = split_at(wrap, |part| matches!(part, Part::Calls));
        let mut code = Code::default();
        code.parts(before);
        let entries = code.entries(0).into_iter().map(|entry| entry.opener);
        entries.filter(|opener| !opener.is_empty()).collect()
    }

    /// What begins and ends its calls.
    pub(crate) fn markers(&self, words: Option<&Words>) -> Vec<String> {
        let openers = self.openers.iter().map(|opener| &opener.text).chain(&self.fences);
        let closers = self.closers.iter().map(|closer| &closer.text);
        let mut markers: Vec<String> =
            openers.chain(closers).chain(&self.strays).cloned().collect();
        markers.dedup();
        if self.unmarked {
            // No marker, but what a call begins with.
            markers.push("{".to_owned());
        }
        if let (Some(words), Some(free)) = (words, &self.free) {
            markers.extend([format!("<{}>", free.wrap), format!("</{}>", free.wrap)]);
            markers.push(format!("<{}=", free.call));
            for word in words.wrap.iter().chain(&words.call) {
                markers.extend([format!("<{word}"), format!("</{word}")]);
            }
        }
        markers
    }

    fn want(&mut self, wanted: Wanted) -> usize {
        let place = self.wanted.iter().position(|other| *other == wanted);
        place.unwrap_or_else(|| {
            self.wanted.push(wanted);
            self.wanted.len() - 1
        })
    }

    /// Messages whose header is read by hand, and the two kinds of call in them.
    fn add_harmony(&mut self, calls: &[Pattern]) {
        let object = self.want(Wanted::Object);
        let code = self.want(Wanted::Raw("code".to_owned()));
        self.header = Header::Harmony;
        let form = self.forms.len();
        for reader in [object, code] {
            let shape = Shape::Enclosed;
            self.forms.push(Form { reader, name: None, declared: false, closed: true, shape });
        }
        for (opener, at_message) in [("<|start|>", false), ("<|channel|>", false), ("to=", true)] {
            let start = self.code.here();
            self.code.literal(opener);
            if !at_message {
                // All markers are reserved: what goes on as no header is not read again.
                self.code.push(Op::Commit(Committed::Header));
            }
            self.code.push(Op::Skip);
            let exit = Exit { form, found: Found::Message, section: false };
            let fork = self.code.here();
            // Some forget the marker before an object.
            let ways = if at_message { vec![fork + 2] } else { vec![fork + 1, fork + 2] };
            self.code.push(Op::Fork(ways));
            self.code.push(Op::Ahead(Ahead::Object, exit));
            self.code.literal("<|message|>");
            self.code.push(Op::Exit(exit));
            let at = Opener { at_message, ..Opener::new(opener, start + opener.chars().count()) };
            self.openers.push(at);
        }
        let closers: Vec<String> =
            calls.iter().flat_map(|call| literals(split_at(call, is_payload).1)).collect();
        self.add_closers(&closers, false);
        self.add_closers(&["<|end|>", "<|return|>"].map(str::to_owned), false);
    }

    fn add_free(&mut self, spec: &FormatSpec, calls: &[Pattern]) -> Result<(), SpecError> {
        let unfit = || SpecError::FreeTags { format: spec.name.clone() };
        let call = calls.first().ok_or_else(unfit)?;
        let (head, _) = split_at(call, is_payload);
        let word = |text: &str, lead: &str, end: char| {
            text.strip_prefix(lead).and_then(|t| t.strip_suffix(end)).map(str::to_owned)
        };
        let wrap = head.iter().find_map(|part| match part {
            Part::Opt(wrap) => literals(&wrap.parts).iter().find_map(|text| word(text, "<", '>')),
            _ => None,
        });
        let tag = |parts: &[Part]| {
            parts.iter().find_map(|part| match part {
                Part::Literal(text) => word(text, "<", '='),
                _ => None,
            })
        };
        let param = call.parts.iter().find_map(|part| match part {
            Part::Args(Args::Pattern(pattern)) => tag(&pattern.parts),
            _ => None,
        });
        let (wrap, call, param) =
            (wrap.ok_or_else(unfit)?, tag(head).ok_or_else(unfit)?, param.ok_or_else(unfit)?);
        self.free = Some(FreeTags { wrap, call, param });
        self.want(Wanted::Free);
        self.want(Wanted::Call);
        self.list = true;
        Ok(())
    }

    /// The keys of call objects: those of the templates first, then their aliases.
    fn read_keys(&mut self, spec: &FormatSpec, reads: &[&FormatSpec]) -> Result<(), SpecError> {
        let mut carries_text = false;
        for row in std::iter::once(spec).chain(reads.iter().copied()) {
            for call in &row.call {
                let pattern = read_pattern(row, "call", &call.pattern, Role::Call)?;
                for part in &pattern.parts {
                    if let Part::Call(template) = part {
                        self.keys.take(&template.root);
                        carries_text |= template.text_key().is_some();
                        if carries_text && !reads.is_empty() {
                            let error = Kind::TextBesideCalls.at(&pattern.to_string(), 0);
                            return Err(bad(row, "call", &call.pattern, error));
                        }
                    }
                }
            }
        }
        if spec.keys == KeyChoice::Aliases {
            self.keys.add(aliases::NAME, aliases::ARGS, aliases::ID);
            if !carries_text {
                add(&mut self.keys.wrappers, aliases::WRAPPERS);
            }
        }
        self.keys.any_lead = spec.buffer.is_some();
        self.keys.keep_bare = spec.bare_args == BareArgs::Keep;
        Ok(())
    }
}

impl Keys {
    fn add(&mut self, name: &[&str], args: &[&str], id: &[&str]) {
        add(&mut self.name, name);
        add(&mut self.args, args);
        add(&mut self.id, id);
    }

    /// Takes the keys of a template.
    fn take(&mut self, node: &Node) {
        match node {
            Node::List(entry) => self.take(entry),
            Node::Object(members) => {
                for (key, value) in members {
                    let Key::Word(key) = key else { continue };
                    match value {
                        Node::Name => add(&mut self.name, &[key]),
                        Node::Args => add(&mut self.args, &[key]),
                        Node::Id => add(&mut self.id, &[key]),
                        Node::Text => add(&mut self.text, &[key]),
                        Node::Object(_) => {
                            add(&mut self.wrappers, &[key]);
                            self.take(value);
                        }
                        Node::List(_) => self.take(value),
                        Node::Literal(_) => {}
                    }
                }
            }
            _ => {}
        }
    }
}

fn add(list: &mut Vec<String>, keys: &[&str]) {
    for key in keys {
        if !list.iter().any(|known| known == key) {
            list.push((*key).to_owned());
        }
    }
}

/// The parts before the first that satisfies `test`, and those after it.
fn split_at(pattern: &Pattern, test: impl Fn(&Part) -> bool) -> (&[Part], &[Part]) {
    let at = pattern.parts.iter().position(test).unwrap_or(pattern.parts.len());
    let (head, rest) = pattern.parts.split_at_checked(at).unwrap_or((&pattern.parts, &[]));
    (head, rest.split_first().map_or(&[][..], |(_, tail)| tail))
}

/// Without the whitespace at the beginning, which is no part of an opener however it is spelled.
fn unframed(parts: &[Part]) -> &[Part] {
    match parts {
        [Part::Space(_), rest @ ..] => rest,
        _ => parts,
    }
}

pub(super) fn is_payload(part: &Part) -> bool {
    matches!(part, Part::Call(_) | Part::Args(_) | Part::Arg { .. } | Part::Content)
}

/// Every run of literal text, in order, by each way through its alternatives; what is optional is a
/// run of its own.
fn literals(parts: &[Part]) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let join = |open: &[String], ends: &[String]| -> Vec<String> {
        let starts = if open.is_empty() { vec![String::new()] } else { open.to_vec() };
        starts
            .iter()
            .flat_map(|start| ends.iter().map(move |end| format!("{start}{end}")))
            .collect()
    };
    for part in parts {
        match part {
            Part::Literal(text) => open = join(&open, std::slice::from_ref(text)),
            Part::Tag(tag) => open = join(&open, std::slice::from_ref(&tag.open)),
            Part::Any(ways) => {
                let ends: Vec<String> = ways.iter().flat_map(|way| literals(&way.parts)).collect();
                open = join(&open, &ends);
            }
            Part::Opt(inner) | Part::Also(inner) => {
                found.append(&mut open);
                found.extend(literals(&inner.parts));
            }
            _ => found.append(&mut open),
        }
    }
    found.append(&mut open);
    found
}

fn first_literal(part: &Part) -> Option<String> {
    match part {
        Part::Literal(text) => Some(text.clone()),
        Part::Tag(tag) => Some(tag.open.clone()),
        _ => None,
    }
}

/// Whether these parts are more than brackets and whitespace before their first hole.
fn has_mark(parts: &[Part]) -> bool {
    for part in parts {
        match part {
            Part::Literal(text)
                if text.chars().any(|c| {
                    !matches!(c, '[' | ']' | '(' | ')' | '{' | '}' | '<' | '>' | '"' | ':')
                }) =>
            {
                return true;
            }
            Part::Tag(_) => return true,
            Part::Any(ways) if ways.iter().all(|way| has_mark(&way.parts)) => return true,
            Part::Literal(_) | Part::Space(_) | Part::At(_) | Part::Commit | Part::NameIs(_) => {}
            Part::Opt(inner) if has_mark(&inner.parts) => {}
            Part::Also(_) | Part::Opt(_) | Part::Any(_) => {}
            _ => return false,
        }
    }
    false
}

/// The wrappers, where each of them begins with a mark.
fn marks(wraps: &[Pattern]) -> Option<()> {
    let marked = |wrap: &Pattern| has_mark(split_at(wrap, |part| matches!(part, Part::Calls)).0);
    (!wraps.is_empty() && wraps.iter().all(marked)).then_some(())
}

/// Whether a call begins with the tag, or on a line with the name, of a declared tool.
pub(super) fn is_declared_tag(head: &[Part]) -> bool {
    let mut parts = head.iter().filter(|part| !matches!(part, Part::Space(_)));
    match parts.next() {
        Some(Part::Literal(text)) if text == "<" => matches!(parts.next(), Some(Part::Name)),
        Some(Part::At(At::Line)) => matches!(parts.next(), Some(Part::Name)),
        _ => false,
    }
}

/// Puts the markers that a request gives in the place of the outer literals of a call.
fn replace_outer(pattern: &mut Pattern, changes: &Changes) {
    let Some(payload) = pattern.parts.iter().position(is_payload) else { return };
    let tail = pattern.parts.split_off(payload);
    let alternatives = |texts: &[String]| match texts {
        [one] => Part::Literal(one.clone()),
        several => Part::Any(
            several.iter().map(|t| Pattern { parts: vec![Part::Literal(t.clone())] }).collect(),
        ),
    };
    if let Some(open) = &changes.open {
        let open: Vec<String> = open.iter().map(|text| text.trim_end().to_owned()).collect();
        pattern.parts = vec![alternatives(&open)];
    }
    let mut tail = tail.into_iter();
    pattern.parts.extend(tail.next());
    match &changes.close {
        Some(close) => {
            let close: Vec<String> = close.iter().map(|t| t.trim_start().to_owned()).collect();
            pattern.parts.push(alternatives(&close));
        }
        None => pattern.parts.extend(tail),
    }
}

/// How a value is cut at its edges, by what stands around it in the pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Trim {
    /// The value is taken as it stands.
    #[default]
    None,
    /// One line break goes at each end, where there is one.
    OneNewline,
    /// All whitespace at both ends.
    Both,
}

/// How the value of a parameter pattern is cut.
pub(crate) fn trim_of(pattern: &Pattern) -> Trim {
    let at = pattern.parts.iter().position(|part| matches!(part, Part::Value(_)));
    let value = at.and_then(|at| pattern.parts.get(at));
    if value == Some(&Part::Value(ValueKind::Trim)) {
        return Trim::Both;
    }
    let line_break = |part: Option<&Part>| match part {
        Some(Part::Space(text)) => text.contains('\n'),
        Some(Part::Also(inner)) => matches!(inner.parts.first(), Some(Part::Space(_))),
        _ => false,
    };
    let before = at.and_then(|at| at.checked_sub(1)).and_then(|at| pattern.parts.get(at));
    let after = at.and_then(|at| pattern.parts.get(at + 1));
    if line_break(before) || line_break(after) { Trim::OneNewline } else { Trim::None }
}
