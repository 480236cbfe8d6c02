//! Patterns, lowered: the forms of calls with their headers as code, what closes them, and which
//! readers they want.
//!
//! `headers` compiles what stands before a payload. Tags of declared tools (`tool_tags`) are made for
//! each request; JSON objects without a marker are recognised by their members; tags that are read
//! freely (`free_tags`) have more headers than their pattern says. [`Code`] matches all of them.

mod form;
mod lowered;

pub(super) use self::form::{Among, Lead};
pub(crate) use self::form::{EndMarker, Form, Opener, Wanted};
pub(crate) use self::lowered::Changes;
use self::lowered::Lowered;

use super::code::{Code, Op, Shape};
use super::keys::Keys;
use super::lines::Lines;
use super::messages::MessageBody;
use super::parts::{
    around, edges, fixed_name, has_mark, is_declared_tag, is_payload, literals, marks, runs,
    split_at, unframed,
};
use super::patterns::read_pattern;
use super::words::Words;
use crate::error::SpecError;
use crate::pattern::{Args, At, Part, Pattern, Role};
use crate::policy::TextPolicy;
use crate::spec::{Entities, FormatSpec, Header, Tags};

/// The patterns of a format, lowered.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    pub(crate) code: Code,
    pub(crate) forms: Vec<Form>,
    pub(crate) openers: Vec<Opener>,
    /// Headers of calls that have no marker of their own, inside an open wrapper.
    pub(crate) inner: Vec<usize>,
    pub(crate) end_markers: Vec<EndMarker>,
    pub(crate) wanted: Vec<Wanted>,
    pub(crate) keys: Keys,
    /// Markers may hold a list of call objects.
    pub(crate) list: bool,
    /// Call objects stand anywhere in the text; markers around them may be missing.
    pub(crate) unmarked: bool,
    /// Not only at the start of the message.
    pub(super) unmarked_anywhere: bool,
    /// What stands before them there: fences.
    pub(super) fences: Vec<Vec<Part>>,
    /// The tags of declared tools open calls; and lines with their names.
    pub(crate) tags: Option<bool>,
    /// The words of tags that are read freely.
    pub(crate) words: Option<Words>,
    /// Openers that stand in one channel each.
    pub(super) leads: Vec<Lead>,
    /// Whitespace before an opener that is markup, and between calls.
    pub(crate) framing: (String, String),
    /// Whitespace that is markup before openers of further formats.
    pub(crate) framings: Vec<String>,
    /// The formats whose calls need no marker.
    pub(crate) unmarked_rows: Vec<usize>,
    /// The format whose calls are tags of declared tools.
    pub(super) tags_row: usize,
    /// Literals that are dropped where they stand, and those that are at the start of the message.
    pub(crate) strays: Vec<String>,
    pub(crate) first_strays: Vec<String>,
    pub(crate) noise: bool,
    /// Which headers are read by hand.
    pub(crate) header: Header,
    /// What may stand between two calls beside whitespace.
    pub(crate) separators: &'static [char],
    /// Other text that is written between two calls: it counts there only.
    pub(crate) between: String,
    /// In a wrapper stand calls that nothing opens: such a sign may stand between them, too.
    pub(crate) bare_calls: bool,
    /// The row that is lowered has calls with parameters.
    pub(super) takes_params: bool,
    /// Entities are decoded in the attributes of headers.
    pub(crate) entities: bool,
    /// The bodies of messages that have a header.
    pub(crate) messages: Vec<MessageBody>,
    /// What closes reasoning beside the section's own end marker.
    pub(super) reason_end_markers: Vec<String>,
    /// What closes it although it closes other messages.
    pub(super) wrong_reason_end_markers: Vec<String>,
    /// Openers after which a name stands.
    pub(crate) named: Vec<String>,
    /// Headers that the prompt has begun.
    pub(crate) start: Vec<usize>,
    /// Where the header of a line goes on that begins with the name of a tool.
    pub(crate) line: Option<usize>,
    /// Headers that are looked for where the message begins.
    pub(crate) heads: Vec<usize>,
    /// The words that those begin with.
    pub(super) words_first: Vec<String>,
}

/// What may stand between calls that have no opener.
const SEPARATORS: &[char] = &[',', ';'];

impl Forms {
    /// Whether a sign may stand between two calls in a wrapper.
    pub(crate) fn separates(&self, c: char) -> bool {
        SEPARATORS.contains(&c) && (self.bare_calls || !self.separators.is_empty())
    }

    /// Lowers the patterns of a spec, and after them those that it reads too.
    pub(crate) fn of(
        spec: &FormatSpec,
        reads: &[&FormatSpec],
        changes: &Changes,
    ) -> Result<Self, SpecError> {
        let mut forms =
            Self { code: Code::new(&spec.whitespace), noise: spec.noise, ..Self::default() };
        forms.keys = Keys::of(spec, reads)?;
        // Among several formats a tag is read as it is spelled: another reading may be another's.
        let exact = !reads.is_empty();
        let none = Changes::default();
        let mut rows = Vec::new();
        let every = std::iter::once((spec, changes)).chain(reads.iter().map(|row| (*row, &none)));
        for (index, (row, changes)) in every.enumerate() {
            rows.push((index, Lowered::of(row, changes, None, exact)?));
            if row.tags == Tags::Suffix {
                rows.push((index, Lowered::of(row, changes, Some(changes.suffix()), exact)?));
            }
        }
        for (index, row) in &rows {
            forms.in_row(*index, |forms| forms.add(row))?;
        }
        let patterns = || {
            let rows = rows.iter().map(|(index, row)| (*index, row));
            rows.filter(|(_, row)| row.spec.header == Header::Patterns)
        };
        // Where one header is another's beginning, the one whose payload shows itself comes first.
        for shows in [true, false] {
            for (index, row) in patterns() {
                if row.spec.tags != Tags::Words || exact {
                    forms.in_row(index, |forms| forms.add_calls(row, shows))?;
                } else if shows {
                    forms.in_row(index, |forms| forms.add_free(row.spec, &row.patterns.calls))?;
                }
            }
        }
        for (index, row) in patterns() {
            forms.add_wraps(index, row, exact);
            row.patterns.messages.iter().for_each(|message| forms.add_message(message));
        }
        let declared = |(_, row): &&(usize, Lowered<'_>)| {
            row.patterns.calls.iter().any(|call| is_declared_tag(split_at(call, is_payload).0))
        };
        let mut tags = rows.iter().filter(declared).map(|(index, _)| *index);
        forms.tags_row = tags.next().unwrap_or_default();
        if tags.next().is_some() {
            return Err(SpecError::Union { formats: spec.name.clone() });
        }
        forms.share_openers();
        forms.merge_openers();
        forms.lower_objects();
        forms.merge_openers();
        forms.take_heads(exact);
        forms.add_between(spec.between.trim());
        let begun = forms.openers.iter().filter(|opener| opener.text == spec.prompt);
        forms.start =
            begun.flat_map(|o| o.line_entries.iter().chain(&o.entries)).copied().collect();
        Ok(forms)
    }

    /// What is added is of that row.
    fn in_row<T>(&mut self, row: usize, add: impl FnOnce(&mut Self) -> T) -> T {
        let first = self.forms.len();
        let unmarked = std::mem::take(&mut self.unmarked);
        let added = add(self);
        self.forms.iter_mut().skip(first).for_each(|form| form.row = row);
        if self.unmarked && !self.unmarked_rows.contains(&row) {
            self.unmarked_rows.push(row);
        }
        self.unmarked |= unmarked;
        added
    }

    /// Openers that count where the message begins are no markers of the text, in which every character
    /// that one begins with would be looked at. Among several formats (`words`) one that is a plain word
    /// counts there only: elsewhere it may be any word.
    fn take_heads(&mut self, words: bool) {
        let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == ' ');
        let at_start = |opener: &Opener| opener.at_message || words && is_word(&opener.text);
        let (heads, others) = std::mem::take(&mut self.openers).into_iter().partition(at_start);
        self.openers = others;
        let heads: Vec<Opener> = heads;
        for opener in heads {
            self.words_first.push(opener.text.clone());
            for entry in opener.line_entries.into_iter().chain(opener.entries) {
                self.heads.push(self.code.here());
                self.code.space();
                self.code.literal(&opener.text);
                self.code.push(Op::Jump(entry));
            }
        }
    }

    /// Text between two calls, which opens the second one where it stands after a call. Separators are
    /// withheld as whitespace is; markers of the row mean what they mean elsewhere.
    fn add_between(&mut self, text: &str) {
        let separates = |c: char| c.is_whitespace() || SEPARATORS.contains(&c);
        let markers = self.openers.iter().map(|opener| &opener.text);
        let mut markers = markers.chain(self.end_markers.iter().map(|end| &end.text));
        if text.chars().all(separates) || markers.any(|marker| text.contains(marker.trim())) {
            return;
        }
        let mut opener = Opener { text: text.to_owned(), after_call: true, ..Opener::default() };
        for call in self.openers.iter().filter(|opener| opener.block && opener.may_wrap()) {
            for entry in call.line_entries.iter().chain(&call.entries) {
                opener.entries.push(self.code.here());
                self.code.space();
                self.code.literal(&call.text);
                self.code.push(Op::Jump(*entry));
            }
        }
        self.between = text.to_owned();
        self.openers.push(opener);
    }

    /// What a row asks for beside its calls.
    fn add(&mut self, row: &Lowered<'_>) -> Result<(), SpecError> {
        let spec = row.spec;
        let first = row.patterns.wraps.first().or(row.patterns.calls.first());
        let framing = match first.and_then(|pattern| pattern.parts.first()) {
            Some(Part::Space(text)) => text.clone(),
            _ => String::new(),
        };
        if !framing.is_empty() {
            let next = spec.between.chars().all(char::is_whitespace);
            let next = if next { spec.between.clone() } else { String::new() };
            let (before, _) = std::mem::replace(&mut self.framing, (framing, next));
            if !before.is_empty() && before != self.framing.0 {
                self.framings.push(before);
            }
        }
        self.noise |= spec.noise;
        self.entities |= spec.entities != Entities::Verbatim;
        // Models that write one separator write the other too.
        if spec.between.contains(SEPARATORS) {
            self.separators = SEPARATORS;
        }
        if spec.header == Header::Patterns {
            row.patterns.messages.iter().for_each(|message| self.add_message_markers(message));
        }
        for text in &spec.strays {
            let stray = read_pattern(spec, "strays", text, Role::Marker)?;
            match stray.parts.contains(&Part::At(At::Message)) {
                true => self.first_strays.extend(literals(&stray.parts)),
                false => self.strays.extend(literals(&stray.parts)),
            }
        }
        if spec.header == Header::Harmony {
            self.add_harmony(&row.patterns.calls);
        }
        Ok(())
    }

    /// The calls of a row; those whose payload is a JSON object that shows itself, or the others.
    fn add_calls(&mut self, row: &Lowered<'_>, shows: bool) -> Result<(), SpecError> {
        let object = Part::Args(Args::Json);
        let is_params = |part: &Part| matches!(part, Part::Args(Args::Pattern(_)));
        self.takes_params = row.patterns.calls.iter().any(|call| call.parts.iter().any(is_params));
        for call in row.patterns.calls.iter().filter(|call| call.parts.contains(&object) == shows) {
            self.add_call(row.spec, call, &row.patterns.wraps, row.own_opener)?;
        }
        Ok(())
    }

    fn add_wraps(&mut self, index: usize, row: &Lowered<'_>, exact: bool) {
        if row.spec.tags == Tags::Words && self.words.is_some() {
            return;
        }
        for wrap in &row.patterns.wraps {
            let (before, after) = around(wrap);
            let is_echo =
                |part: &&Part| matches!(part, Part::Also(p) if p.parts.contains(&Part::Skip));
            let (echoes, after): (Vec<&Part>, Vec<&Part>) = after.iter().partition(is_echo);
            let after: Vec<Part> = after.into_iter().cloned().collect();
            let end_markers = literals(&after);
            // Among several formats the one of the first call reads on alone.
            for echo in echoes.into_iter().filter(|_| !exact) {
                self.add_echo(echo);
            }
            if row.spec.noise {
                let form = self.forms.iter().position(|form| form.row == index);
                self.add_section(
                    form.unwrap_or_default(),
                    before,
                    &row.patterns.calls,
                    &end_markers,
                );
            }
            self.add_end_markers(&end_markers, false);
        }
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
                    Args::Pattern(pattern) => Wanted::Enclosed((**pattern).clone()),
                    _ => Wanted::Elements,
                });
            }
            return Ok(());
        }
        let end_markers = end_markers_of(payload, tail);
        let unfit =
            || SpecError::NoPayload { format: spec.name.clone(), pattern: call.to_string() };
        let wanted = match payload {
            Some(Part::Call(template)) if template.keyed() && has_mark(head) => Wanted::Keyed,
            Some(Part::Call(template))
                if head.iter().all(|part| matches!(part, Part::At(_)))
                    && marks(wraps).is_none()
                    && !template.keyed() =>
            {
                self.unmarked_anywhere |= !head.contains(&Part::At(At::Message));
                self.unmarked = true;
                self.list |= template.is_list();
                // Where every byte of text is kept, so is what stands between two calls.
                if !template.is_list() && spec.text == TextPolicy::Preserve {
                    self.separators = SEPARATORS;
                }
                self.fences.extend(wraps.iter().map(|wrap| around(wrap).0.to_vec()));
                self.want(Wanted::Call);
                return Ok(());
            }
            Some(Part::Call(template)) if !template.keyed() => Wanted::Call,
            Some(Part::Args(Args::Json)) => Wanted::Object,
            // A tag that closes itself is the whole call.
            None if matches!(head.last(), Some(Part::Tag(tag)) if tag.close.ends_with("/>")) => {
                Wanted::Object
            }
            Some(Part::Args(Args::Pattern(pattern))) => {
                Wanted::Params((**pattern).clone(), runs(tail))
            }
            Some(Part::Args(Args::Python)) => Wanted::Python,
            Some(Part::Args(Args::Gemma(delimiter))) => Wanted::Gemma(delimiter.clone()),
            Some(Part::Arg { key, pattern: None }) => {
                // The header ends after the whitespace before it.
                Wanted::Raw(key.clone(), edges(&[], tail))
            }
            Some(Part::Arg { key, pattern: Some(pattern) }) => {
                let own = !has_mark(head) && tail.is_empty() && wraps.is_empty();
                let lines = Lines::of(key, pattern).filter(|_| own && !own_opener);
                self.add_lines(lines.ok_or_else(unfit)?, head);
                return Ok(());
            }
            _ => return Err(unfit()),
        };
        let reader = self.want(wanted);
        let name = fixed_name(head);
        let due = |parts: &[Part]| {
            parts.iter().any(|part| !matches!(part, Part::Also(_) | Part::Space(_)))
        };
        let closed = due(tail) || wraps.iter().any(|wrap| due(around(wrap).1));
        let marked = own_opener || has_mark(head);
        let form = self.forms.len();
        let declared = !marked && marks(wraps).is_none();
        let shape = if payload.is_none() { Shape::Empty } else { Shape::default() };
        let own = Form { name, declared, closed, shape, ..Form::of(reader) };
        self.forms.push(own.clone());
        self.bare_calls |= !(marked || wraps.is_empty());
        for wrap in wraps.iter().filter(|_| !spec.noise) {
            let (before, after) = around(wrap);
            let form = if declared && has_mark(before) {
                self.forms.push(Form { declared: false, ..own.clone() });
                self.forms.len() - 1
            } else {
                form
            };
            let start = self.code.here();
            self.code.parts(unframed(before));
            self.code.space();
            let ends = match literals(tail).is_empty() && has_mark(before) {
                true => literals(after),
                false => end_markers.clone(),
            };
            self.header(form, head, payload, &ends, true, false);
            self.open(self.code.entries(start), &[before, head], true);
        }
        let start = self.code.here();
        let section = !wraps.is_empty() && !marked;
        self.header(form, head, payload, &end_markers, section, spec.noise && marked);
        if marked || wraps.is_empty() {
            self.open(self.code.entries(start), &[head], wraps.is_empty());
        } else {
            self.inner.push(start);
        }
        self.add_end_markers(&end_markers, !wraps.is_empty());
        Ok(())
    }

    pub(super) fn add_end_markers(&mut self, texts: &[String], inner: bool) {
        for text in texts {
            if !self.end_markers.iter().any(|end_marker| end_marker.text == *text) {
                self.end_markers.push(EndMarker { text: text.clone(), inner });
            }
        }
    }

    /// What begins and ends its calls.
    pub(crate) fn markers(&self) -> Vec<String> {
        let openers = self.openers.iter().map(|opener| &opener.text);
        let end_markers = self.end_markers.iter().map(|end_marker| &end_marker.text);
        let mut markers: Vec<String> =
            openers.chain(&self.words_first).chain(end_markers).cloned().collect();
        markers.extend(self.strays.iter().chain(&self.first_strays).cloned());
        for wanted in &self.wanted {
            if let Wanted::Lines(lines) = wanted {
                markers.extend(lines.next.iter().chain([&lines.last]).cloned());
            }
        }
        markers.dedup();
        if self.unmarked {
            // No marker, but what a call begins with.
            let first = if self.list { &["{", "["][..] } else { &["{"] };
            markers.extend(first.iter().map(|text| (*text).to_owned()));
        }
        if let Some(words) = &self.words {
            let own =
                words.wrap.iter().flat_map(|wrap| [format!("<{wrap}>"), format!("</{wrap}>")]);
            markers.extend(own.chain(words.call.first().map(|call| format!("<{call}="))));
            for word in words.wrap.iter().chain(&words.call) {
                markers.extend([format!("<{word}"), format!("</{word}")]);
            }
        }
        markers
    }

    pub(super) fn want(&mut self, wanted: Wanted) -> usize {
        let place = self.wanted.iter().position(|other| *other == wanted);
        place.unwrap_or_else(|| {
            self.wanted.push(wanted);
            self.wanted.len() - 1
        })
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
        let words = Words::of(&spec.name, wrap, &call, &param)?;
        self.want(Wanted::Free);
        let object = self.want(Wanted::Call);
        self.lower_tags(&words, object);
        self.words = Some(words);
        self.list = true;
        Ok(())
    }
}

/// What closes a call after its payload.
fn end_markers_of(payload: Option<&Part>, tail: &[Part]) -> Vec<String> {
    let mut texts = literals(tail);
    if payload == Some(&Part::Args(Args::Python)) {
        // Its reader takes the closing parenthesis.
        for text in &mut texts {
            *text = text.strip_prefix(')').unwrap_or(text).trim_start().to_owned();
        }
        texts.retain(|text| !text.is_empty());
    }
    texts
}
