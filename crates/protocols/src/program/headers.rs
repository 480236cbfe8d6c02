//! Headers as code, and the openers that they begin with.

use super::code::{Ahead, Code, Committed, Entry, Exit, Found, Op, Shape, Slot};
use super::forms::{Among, Form, Forms, Lead, Opener, Wanted};
use super::harmony::CHANNELS;
use super::lines::Lines;
use super::parts::{
    Cut, Trim, edges, ends_in_hole, first_literal, fixed_name, is_payload, literals, split_at,
    telling, unframed, without_edge,
};
use crate::pattern::{Args, At, Part, Pattern};
use crate::spec::Header;

/// The end of a message with the role of the next one, the marker before which is missing.
const WITH_ROLE: &str = "<|end|>assistant";

/// How often the opener of a wrapper may be repeated on the spot.
const MAX_REPEATED: usize = 3;

impl Forms {
    /// A wrapper in which text is noise: it opens by itself, before what begins a call or closes it.
    /// Repeated on the spot it counts once. `form`: the first of its format.
    pub(super) fn add_section(
        &mut self,
        form: usize,
        before: &[Part],
        calls: &[Pattern],
        end_markers: &[String],
    ) {
        let start = self.code.here();
        let before = match unframed(before) {
            [parts @ .., Part::Space(_)] => parts,
            parts => parts,
        };
        self.code.parts(before);
        let entries = self.code.entries(start);
        self.code.repeated(before, MAX_REPEATED);
        let text = Slot::Claim;
        self.code.ops.extend([Op::Start(text), Op::Skip, Op::End(text), Op::Mark]);
        let is_mark = |part: &&Part| matches!(part, Part::Literal(_) | Part::Tag(_));
        let openers = calls.iter().filter_map(|call| call.parts.iter().find(is_mark)).cloned();
        let end_markers = end_markers.iter().map(|end_marker| Part::Literal(end_marker.clone()));
        let exit = Exit { form, found: Found::Section, section: true };
        let mut next: Vec<Part> = Vec::new();
        for part in openers.chain(end_markers) {
            if !next.contains(&part) {
                next.push(part);
            }
        }
        let ends = next.into_iter().map(|next| (next, Op::Exit(exit)));
        // One that begins again after text has not begun before: so nothing is skipped twice.
        let again = entries.iter().map(|e| (Part::Literal(e.opener.clone()), Op::Reject));
        self.code.fork(ends.chain(again), |code, (next, end)| {
            code.parts(&[next]);
            code.push(end);
        });
        let first = self.openers.len();
        self.open(entries, &[before], true);
        self.openers.iter_mut().skip(first).for_each(|opener| opener.noise = true);
    }

    /// The code of a header from its own opener to its payload. `names`: a payload that is none makes a call
    /// that cannot be read, though the header does not commit.
    pub(super) fn header(
        &mut self,
        form: usize,
        head: &[Part],
        payload: Option<&Part>,
        end_markers: &[String],
        section: bool,
        names: bool,
    ) {
        let exit = |found| Exit { form, found, section };
        let breaks =
            matches!(payload, Some(Part::Arg { .. })) && edges(head, &[]).first == Cut::LineBreak;
        let parts = unframed(if breaks { without_edge(head) } else { head });
        let object = matches!(payload, Some(Part::Args(Args::Json)));
        let names = names && object && !head.contains(&Part::Commit);
        let first = names && matches!(parts.first(), Some(Part::Literal(_)));
        let (first, parts) = parts.split_at(usize::from(first));
        self.code.parts(first);
        if names {
            // With the first literal of this one it is no other.
            self.code.push(Op::Otherwise(None));
        }
        self.code.parts(parts);
        match payload {
            Some(Part::Arg { .. }) if breaks => self.code.line_break(exit(Found::Payload)),
            Some(Part::Call(template)) if template.is_list() => {
                self.list = true;
                self.code.space();
                self.code.call_list(end_markers, exit);
            }
            Some(Part::Call(_) | Part::Args(Args::Json | Args::Gemma(_))) => {
                let spaced = self.code.ops.last() == Some(&Op::Space);
                if names {
                    self.unreadable(exit(Found::Payload));
                }
                if !spaced {
                    self.code.space();
                }
                if head.contains(&Part::Commit) {
                    self.unreadable(exit(Found::Payload));
                }
                let gemma = matches!(payload, Some(Part::Args(Args::Gemma(_))));
                let ahead = if gemma { Ahead::Arguments } else { Ahead::Object };
                let begins = Op::Ahead(ahead, exit(Found::Payload));
                if object {
                    self.code.optional(|code| code.push(begins.clone()));
                    self.no_arguments(exit(Found::Payload), end_markers);
                    // Or the object in a string.
                    self.code.extend([Op::Mark, Op::Char('"'), Op::Space]);
                }
                self.code.push(begins);
            }
            Some(Part::Args(Args::Pattern(pattern))) if ends_in_hole(head) => {
                self.code.space();
                self.code.push(Op::Mark);
                let next = pattern.parts.iter().find_map(first_literal);
                let first = next.into_iter().chain(end_markers.first().cloned());
                self.code.texts(first, exit(Found::Payload));
            }
            _ => self.code.push(Op::Exit(exit(Found::Payload))),
        }
    }

    /// The header is that of a call whose payload is none, if what follows is no payload.
    fn unreadable(&mut self, exit: Exit) {
        let form = self.forms.get(exit.form).cloned().unwrap_or_else(|| Form::of(0));
        let exit = Exit { form: self.forms.len(), ..exit };
        self.forms.push(Form { unreadable: true, ..form });
        self.code.push(Op::Otherwise(Some(exit)));
    }

    /// Nothing, or `null`, before an end marker that is more than signs: a call without arguments.
    fn no_arguments(&mut self, exit: Exit, end_markers: &[String]) {
        let ends = telling(end_markers);
        // Where parameters may stand, too, it is their call.
        if ends.is_empty() || self.takes_params {
            return;
        }
        let Some(form) = self.forms.get(exit.form) else { return };
        let empty = Form { shape: Shape::Empty, ..form.clone() };
        let exit = Exit { form: self.forms.len(), ..exit };
        self.forms.push(empty);
        self.code.optional(|code| {
            code.optional(|code| {
                code.literal("null");
                code.space();
            });
            code.push(Op::Mark);
            code.texts(ends, exit);
        });
    }

    /// A call whose only argument holds its own first and last line. Its header is the first line, and
    /// what the next one must begin with; the payload begins right after the opener.
    pub(super) fn add_lines(&mut self, lines: Lines, head: &[Part]) {
        let name = fixed_name(head);
        self.code.literal(&lines.first);
        let entry = Entry { opener: lines.first.clone(), at: self.code.here() };
        self.code.extend([Op::Mark, Op::Inline, Op::Char('\n')]);
        let exit = Exit { form: self.forms.len(), found: Found::Payload, section: false };
        if lines.next.is_empty() {
            self.code.push(Op::Exit(exit));
        } else {
            self.code.space();
            self.code.texts(&lines.next, exit);
        }
        let reader = self.want(Wanted::Lines(lines));
        self.forms.push(Form { name, closed: false, ..Form::of(reader) });
        self.open(vec![entry], &[&[Part::At(At::Line)]], true);
    }

    /// Makes a header one that its openers open, where these parts of it say.
    pub(super) fn open(&mut self, entries: Vec<Entry>, parts: &[&[Part]], ends_reasoning: bool) {
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
    pub(super) fn merge_openers(&mut self) {
        let mut merged: Vec<Opener> = Vec::new();
        for opener in std::mem::take(&mut self.openers) {
            match merged.iter_mut().find(|other| other.text == opener.text) {
                Some(other) => {
                    // Those that count at the start of a line only do so still.
                    if other.at_line != opener.at_line {
                        let (line, entries) = match other.at_line {
                            true => (std::mem::take(&mut other.entries), opener.entries),
                            false => (opener.entries, std::mem::take(&mut other.entries)),
                        };
                        other.line_entries.extend(line);
                        other.entries = entries;
                    } else {
                        let mut entries = opener.entries;
                        if opener.preferred {
                            std::mem::swap(&mut entries, &mut other.entries);
                        }
                        other.entries.extend(entries);
                    }
                    other.line_entries.extend(opener.line_entries);
                    other.at_line &= opener.at_line;
                    other.at_message &= opener.at_message;
                    other.outside_code &= opener.outside_code;
                    other.ends_reasoning |= opener.ends_reasoning;
                    other.noise |= opener.noise;
                    other.always_ends_reasoning |= opener.always_ends_reasoning;
                }
                None => merged.push(opener),
            }
        }
        self.openers = merged;
    }

    /// The headers of call objects without a marker: what follows shows whether they are calls.
    pub(super) fn lower_objects(&mut self) {
        for fence in std::mem::take(&mut self.fences) {
            let start = self.code.here();
            self.code.parts(unframed(&fence));
            self.code.space();
            self.code.push(Op::Mark);
            let exit = Exit { form: 0, found: Found::Object, section: true };
            let list = vec![Op::Char('['), Op::Exit(exit)];
            let object = vec![Op::Ahead(Ahead::Object, exit)];
            let ways = [object].into_iter().chain(self.list.then_some(list));
            self.code.fork(ways, |code, ops| code.extend(ops));
            for entry in self.code.entries(start).iter().filter(|entry| !entry.opener.is_empty()) {
                let opener = Opener::new(&entry.opener, entry.at);
                self.openers.push(Opener { always_ends_reasoning: true, ..opener });
            }
        }
        if self.unmarked {
            let entry = self.code.here();
            self.code.push(Op::Exit(Exit { form: 0, found: Found::Object, section: false }));
            let mut spelled = vec!["{".to_owned()];
            match self.openers.iter_mut().find(|opener| opener.text == "[") {
                // A list of another row begins so: its header is matched first.
                Some(other) if self.list => {
                    let line = std::mem::replace(&mut other.entries, vec![entry]);
                    other.line_entries.extend(line);
                    other.at_line = false;
                }
                None if self.list => spelled.push("[".to_owned()),
                _ => {}
            }
            let opener = Opener { at_message: !self.unmarked_anywhere, ..Opener::new("{", entry) };
            self.leads.push(Lead { spelled, opener, among: Among::Unframed });
        }
    }

    /// Messages whose header is read by hand, and the two kinds of call in them.
    pub(super) fn add_harmony(&mut self, calls: &[Pattern]) {
        let object = self.want(Wanted::Object);
        let code = self.want(Wanted::Raw("code".to_owned(), Trim::NONE));
        self.header = Header::Harmony;
        let form = self.forms.len();
        self.forms.extend([object, code].map(Form::of));
        // Some forget the marker before the role. After a message or a call the role closes that.
        let openers = ["<|start|>", "<|channel|>", "assistant<|channel|>", "assistant to=", "to="];
        let after_calls = ["<|call|>commentary to=", "<|call|>assistant to="];
        for opener in openers.into_iter().chain(after_calls) {
            let at_message = !opener.starts_with('<');
            let is_marker = !at_message || opener.ends_with('>');
            let start = self.code.here();
            self.code.literal(opener);
            if is_marker {
                // All markers are reserved: what goes on as no header is not read again.
                self.code.push(Op::Commit(Committed::Header));
            }
            self.code.push(Op::Skip);
            let exit = Exit { form, found: Found::Channel, section: false };
            let message = "<|message|>".chars().map(Op::Char).chain([Op::Exit(exit)]).collect();
            // Some forget the marker before an object.
            let object = is_marker.then(|| vec![Op::Ahead(Ahead::Object, exit)]);
            let ways: [Option<Vec<Op>>; 2] = [object, Some(message)];
            self.code.fork(ways.into_iter().flatten(), |code, ops| code.extend(ops));
            let at = Opener { at_message, ..Opener::new(opener, start + opener.chars().count()) };
            self.openers.push(at);
        }
        let end_markers: Vec<String> =
            calls.iter().flat_map(|call| literals(split_at(call, is_payload).1)).collect();
        self.add_end_markers(&end_markers, false);
        self.add_end_markers(&["<|end|>", "<|return|>", WITH_ROLE].map(str::to_owned), false);
        self.reason_end_markers.push(WITH_ROLE.to_owned());
        self.wrong_reason_end_markers.extend(["<|return|>", "<|call|>"].map(str::to_owned));
        self.add_headers_in_reasoning(form);
    }

    /// Headers of messages where the end marker of a message of reasoning is missing. They are read as they
    /// are written: reasoning may be about markers.
    fn add_headers_in_reasoning(&mut self, form: usize) {
        let begun_by = |code: &mut Code, text: &str| {
            code.optional(|code| {
                code.literal(text);
                code.push(Op::Until('<'));
            });
        };
        for opener in ["<|channel|>", "<|start|>assistant"] {
            let entry = self.code.here();
            if opener.ends_with("assistant") {
                begun_by(&mut self.code, " to=");
                self.code.literal("<|channel|>");
            }
            self.code.join(CHANNELS, false, Code::literal);
            begun_by(&mut self.code, " to=");
            self.code.space();
            begun_by(&mut self.code, "<|constrain|>");
            let exit = Exit { form, found: Found::Channel, section: false };
            self.code.texts(["<|message|>"], exit);
            let opener = Opener { opens_message: true, ..Opener::new(opener, entry) };
            let spelled = vec![opener.text.clone()];
            self.leads.push(Lead { spelled, opener, among: Among::Reasoning });
        }
    }
}
