//! State of the two channels: a run of visible text with the whitespace at its edges, expected framing,
//! and the open reasoning section.

use toolweir_segments::EventSink;

use super::out::{Open, Output};
use super::tag::is_whitespace;
use crate::policy::{Policies, TextPolicy, ToolsInReasoning};
use crate::reasoning::{After, ToolEnds};

/// The most whitespace, in bytes, that waits for what follows it.
pub(crate) const MAX_WHITESPACE: usize = 4096;

/// Texts of so many bytes are looked at byte by byte.
const SHORT: usize = 16;

/// Whether a place is inside inline code: after an odd number of backticks on its line.
#[derive(Debug, Default)]
struct InlineCode {
    inside: bool,
    /// Three backticks stand beside each other on the line: a fence.
    fence: bool,
    /// So many backticks stand directly before.
    beside: usize,
}

impl InlineCode {
    #[inline]
    fn take(&mut self, text: &str) {
        match text.len() {
            0 => {}
            ..=SHORT if !text.bytes().any(|byte| matches!(byte, b'\n' | b'`')) => self.beside = 0,
            _ => self.scan(text),
        }
    }

    /// The same of a text that is long or holds one of the characters that count.
    #[inline(never)]
    fn scan(&mut self, text: &str) {
        if text.len() <= SHORT {
            return text.bytes().for_each(|byte| self.see(byte));
        }
        let line = match text.rsplit_once('\n') {
            Some((_, line)) => {
                *self = Self::default();
                line
            }
            None => text,
        };
        let backticks = line.bytes().filter(|byte| *byte == b'`').count();
        if backticks == 0 {
            self.beside = 0;
            return;
        }
        self.inside ^= backticks % 2 == 1;
        let rest = line.trim_start_matches('`');
        self.beside += line.len() - rest.len();
        self.fence |= self.beside > 2 || rest.contains("```");
        if !rest.is_empty() {
            self.beside = rest.len() - rest.trim_end_matches('`').len();
        }
    }

    /// Notes a byte of a short text: the searches for a long one cost more than its bytes.
    #[inline]
    const fn see(&mut self, byte: u8) {
        match byte {
            b'\n' => (self.inside, self.fence, self.beside) = (false, false, 0),
            b'`' => {
                (self.inside, self.beside) = (!self.inside, self.beside + 1);
                self.fence |= self.beside > 2;
            }
            _ => self.beside = 0,
        }
    }
}

/// A run of visible text: from a call, section or the stream's start to the next one.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) policy: TextPolicy,
    /// Nothing but whitespace so far, all of it withheld in `whitespace`.
    fresh: bool,
    /// The run began after a call.
    after_call: bool,
    /// Nothing but whitespace since the call.
    pub(crate) only_whitespace: bool,
    /// Whether it matters where lines begin.
    pub(crate) sees_lines: bool,
    /// Nothing but whitespace since a line break of this run.
    pub(crate) begins_line: bool,
    /// Nothing but whitespace has come.
    untouched: bool,
    code: InlineCode,
    /// Signs that stand between calls and are withheld like whitespace.
    pub(crate) separators: &'static [char],
    /// The run is the source of a refused call, and whitespace.
    pub(super) only_refused: bool,
    /// Withheld whitespace: the run's start, or with `trim-edges` its possible end.
    pub(crate) whitespace: String,
    /// The whitespace being read is beyond the limit: it is text.
    overflow: bool,
}

impl Run {
    pub(crate) fn at_start(policy: TextPolicy) -> Self {
        let fresh = policy != TextPolicy::PreserveAll;
        Self { policy, fresh, untouched: true, ..Self::default() }
    }

    /// Whether nothing but whitespace has come in this run; known where lines are.
    pub(crate) fn is_untouched(&self) -> bool {
        self.untouched
    }

    /// Whether a line begins here: after a line break, or where nothing came before.
    pub(crate) fn is_line_start(&self) -> bool {
        self.begins_line || self.untouched
    }

    /// Whether inline code is open here.
    pub(crate) fn is_in_code(&self) -> bool {
        self.code.inside
    }

    /// The same where a fence in a line is none.
    pub(super) fn is_in_unfenced_code(&self) -> bool {
        self.code.inside && !self.code.fence
    }

    /// Begins a new run.
    pub(crate) fn reset(&mut self, after_call: bool) {
        self.fresh = self.policy != TextPolicy::PreserveAll;
        self.after_call = after_call;
        (self.only_whitespace, self.only_refused) = (after_call, false);
        self.begins_line = false;
        self.untouched = true;
        // Backticks in the arguments of a call are data.
        self.code = InlineCode::default();
        self.overflow = false;
        self.whitespace.clear();
    }

    /// Text was given back without being read again.
    pub(crate) fn given_back(&mut self, text: &str) {
        self.code.take(text);
    }

    /// The run stands after a call that was refused at its end. `hidden`: its source is no text.
    pub(super) fn after_refused(&mut self, hidden: bool) {
        if hidden {
            self.reset(true);
        }
        self.only_refused = true;
    }

    /// The run goes on after text that was given back.
    pub(crate) fn flow(&mut self) {
        self.fresh = false;
        self.only_whitespace = false;
        self.untouched = false;
        self.whitespace.clear();
    }

    /// Takes a piece of text.
    #[inline]
    pub(crate) fn take(&mut self, text: &str, out: &mut Output, sink: &mut dyn EventSink) {
        let edge = self.fresh || self.policy == TextPolicy::TrimEdges;
        if edge || self.only_whitespace || self.only_refused || self.sees_lines {
            return self.take_observed(text, out, sink);
        }
        out.text(text, sink);
    }

    /// The same where it matters what the text is.
    #[inline(never)]
    fn take_observed(&mut self, text: &str, out: &mut Output, sink: &mut dyn EventSink) {
        if self.only_whitespace || self.only_refused {
            let whitespace = text.chars().all(is_whitespace);
            self.only_whitespace &= whitespace;
            self.only_refused &= whitespace;
        }
        if self.sees_lines && text.len() <= SHORT {
            text.bytes().for_each(|byte| self.see(byte));
        } else if self.sees_lines {
            let (broken, line) =
                text.rsplit_once('\n').map_or((self.begins_line, text), |(_, line)| (true, line));
            self.begins_line = broken && line.chars().all(is_whitespace);
            self.untouched = self.untouched && text.chars().all(is_whitespace);
            self.code.take(text);
        }
        if !self.fresh && self.policy != TextPolicy::TrimEdges {
            return out.text(text, sink);
        }
        self.take_edge(text, out, sink);
    }

    /// Notes a byte of a short text.
    #[inline]
    const fn see(&mut self, byte: u8) {
        match byte {
            b'\n' => self.begins_line = true,
            b' ' | b'\t' | b'\r' => {}
            _ => (self.begins_line, self.untouched) = (false, false),
        }
        self.code.see(byte);
    }

    fn take_edge(&mut self, text: &str, out: &mut Output, sink: &mut dyn EventSink) {
        let mut text = text;
        if self.fresh {
            let separators = if self.after_call { self.separators } else { &[] };
            let body = text.trim_start_matches(|c| is_whitespace(c) || separators.contains(&c));
            let lead = text.get(..text.len() - body.len()).unwrap_or_default();
            let body = if self.withhold(lead, out, sink) { body } else { text };
            if body.is_empty() {
                return;
            }
            if self.fresh && self.policy == TextPolicy::TrimEdges {
                self.drop_whitespace(out, sink);
            } else {
                self.release(out, sink);
            }
            self.fresh = false;
            text = body;
        }
        if self.policy != TextPolicy::TrimEdges {
            return out.text(text, sink);
        }
        let body = text.trim_end_matches(is_whitespace);
        let tail = text.get(body.len()..).unwrap_or_default();
        if !body.is_empty() {
            self.release(out, sink);
            self.overflow = false;
            out.text(body, sink);
        }
        if !self.withhold(tail, out, sink) {
            out.text(tail, sink);
        }
    }

    /// Withholds whitespace; a run beyond the limit is text after all.
    fn withhold(&mut self, whitespace: &str, out: &mut Output, sink: &mut dyn EventSink) -> bool {
        if whitespace.is_empty() {
            return true;
        }
        if self.overflow || self.whitespace.len() + whitespace.len() > MAX_WHITESPACE {
            self.release(out, sink);
            self.fresh = false;
            self.overflow = true;
            return false;
        }
        self.whitespace.push_str(whitespace);
        true
    }

    fn release(&mut self, out: &mut Output, sink: &mut dyn EventSink) {
        if !self.whitespace.is_empty() {
            out.text(&self.whitespace, sink);
            self.whitespace.clear();
        }
    }

    fn drop_whitespace(&mut self, out: &mut Output, sink: &mut dyn EventSink) {
        out.markup(self.whitespace.len(), sink);
        self.whitespace.clear();
    }

    /// The run ends at something that is no call, or at the end of the stream.
    pub(crate) fn end(&mut self, out: &mut Output, sink: &mut dyn EventSink) {
        let touches_call = self.fresh && self.after_call;
        if touches_call || self.policy == TextPolicy::TrimEdges {
            self.drop_whitespace(out, sink);
        } else {
            self.release(out, sink);
        }
    }

    /// The run ends at a call: its withheld whitespace is the call's framing.
    pub(crate) fn take_framing(&mut self) -> String {
        std::mem::take(&mut self.whitespace)
    }
}

/// Whitespace expected after a marker: markup when its text comes whole, else text.
#[derive(Debug, Default)]
pub(crate) struct Framing {
    expected: String,
    matched: usize,
    /// Characters of which any number may follow.
    more: String,
}

/// What reading framing came to.
pub(crate) enum Framed {
    More,
    /// So many bytes of markup.
    Whole(usize),
    /// It is none: text, to be read again.
    Text(String),
}

impl Framing {
    pub(crate) fn expect(&mut self, after: Option<&After>) {
        self.clear();
        if let Some(after) = after {
            self.expected.push_str(&after.text);
            self.more.push_str(&after.more);
        }
        self.matched = 0;
    }

    pub(crate) fn is_active(&self) -> bool {
        !self.expected.is_empty() || !self.more.is_empty()
    }

    fn clear(&mut self) {
        self.expected.clear();
        self.more.clear();
    }

    /// Reads on.
    pub(crate) fn read(&mut self, input: &mut &str) -> Framed {
        if self.expected.is_empty() {
            let body = input.trim_start_matches(|c| self.more.contains(c));
            self.matched += input.len() - body.len();
            *input = body;
            return if body.is_empty() { Framed::More } else { self.finish() };
        }
        let rest = self.expected.get(self.matched..).unwrap_or_default();
        let same = rest.bytes().zip(input.bytes()).take_while(|(a, b)| a == b).count();
        let (_, left) = input.split_at_checked(same).unwrap_or(("", input));
        *input = left;
        self.matched += same;
        if self.matched == self.expected.len() {
            self.expected.clear();
            // What may follow is one piece of markup with it.
            if self.more.is_empty() { Framed::Whole(self.matched) } else { self.read(input) }
        } else if input.is_empty() {
            Framed::More
        } else {
            self.finish()
        }
    }

    /// It ends here: what had matched of its text is text again, what may repeat is markup.
    pub(crate) fn finish(&mut self) -> Framed {
        let framed = match self.expected.get(..self.matched) {
            Some(matched) if !self.expected.is_empty() => Framed::Text(matched.to_owned()),
            _ => Framed::Whole(self.matched),
        };
        self.clear();
        framed
    }
}

/// The open reasoning section.
#[derive(Debug, Default)]
pub(crate) struct ReasoningState {
    /// Bytes of markup before its first text: they join its segment, or become markup.
    pub(crate) opener: usize,
    /// At the start of a line, of the section or of the stream.
    pub(crate) line_start: bool,
    /// Thinking is switched off: only an empty section at the start counts.
    pub(crate) off: bool,
    /// In which of its ways the section was opened.
    pub(super) section: usize,
    /// The opener of the lookahead stands in mid-line, where none ends the section by itself.
    pub(super) mid_line: bool,
    /// The header of a message opened it: that of another one ends it.
    pub(super) in_message: bool,
    /// Where the first opener of a call stands in the section.
    pub(super) opener_inside: Option<u64>,
    /// Return to reasoning after the call that was taken out of the section.
    pub(super) resume: bool,
    /// A call ended the section: its end marker may still come.
    pub(super) interrupted: bool,
    code: InlineCode,
    /// The stream began in the section, and nothing but whitespace has come, which is withheld: the
    /// model may repeat the opener after it.
    fresh: bool,
    whitespace: String,
    /// An answer was opened by a marker of its own, whose end marker counts.
    in_answer: bool,
}

impl ReasoningState {
    /// `opened`: the prompt has opened the section.
    pub(crate) fn new(off: bool, opened: bool) -> Self {
        Self { line_start: true, off, fresh: opened, ..Self::default() }
    }

    /// Whether a marker around the answer counts: one that begins the text, and its end marker.
    pub(crate) fn encloses(&mut self, closes: bool, begins_text: bool) -> bool {
        let counts = if closes { self.in_answer } else { begins_text };
        if counts {
            self.in_answer = !closes;
        }
        counts
    }

    /// The opener of the section comes again; whitespace before it is markup too.
    pub(crate) fn reopen(&mut self, marker: usize, out: &mut Output) {
        let whitespace = std::mem::take(&mut self.whitespace).len();
        self.fresh = false;
        self.add(whitespace + marker, out);
    }

    /// Withheld whitespace is reasoning.
    pub(crate) fn release(&mut self, out: &mut Output, sink: &mut dyn EventSink) {
        self.fresh = false;
        if !self.whitespace.is_empty() {
            out.reasoning(&self.whitespace, self.opener as u64, sink);
            (self.opener, self.whitespace) = (0, String::new());
        }
    }

    /// A section begins, opened by so many bytes.
    pub(crate) fn begin(&mut self, opener: usize) {
        self.opener = opener;
        (self.line_start, self.in_message, self.interrupted) = (true, false, false);
        (self.code, self.opener_inside) = (InlineCode::default(), None);
    }

    /// Whether inline code is open here.
    pub(crate) fn is_in_code(&self) -> bool {
        self.code.inside
    }

    /// Bytes of the section that are read but not accounted for.
    pub(crate) fn withheld(&self, out: &Output) -> usize {
        if out.open == Open::Reasoning { 0 } else { self.opener + self.whitespace.len() }
    }

    /// Markup inside the section joins its span.
    pub(crate) fn add(&mut self, bytes: usize, out: &mut Output) {
        if out.open == Open::Reasoning {
            out.skip(bytes);
        } else {
            self.opener += bytes;
        }
    }

    /// Ends the section; one without text is markup.
    pub(crate) fn close(&mut self, out: &mut Output, sink: &mut dyn EventSink) {
        self.release(out, sink);
        if out.open == Open::Reasoning {
            out.close(sink);
        } else {
            out.markup(self.opener, sink);
        }
        self.opener = 0;
    }

    /// Whether an opener after so many bytes of framing may end the section.
    pub(crate) fn may_end(&self, framing: usize, policies: &Policies, ends: ToolEnds) -> bool {
        match (policies.tools_in_reasoning, ends) {
            (Some(ToolsInReasoning::Ignore), _) | (None, ToolEnds::Never) => false,
            (_, ToolEnds::Anywhere) => true,
            _ => framing > 0 || self.line_start,
        }
    }

    /// After a call: whether the section goes on.
    pub(crate) fn resumes(&mut self) -> bool {
        let resumes = std::mem::take(&mut self.resume);
        if resumes {
            self.begin(0);
        }
        resumes
    }

    #[inline]
    pub(crate) fn take(&mut self, text: &str, out: &mut Output, sink: &mut dyn EventSink) {
        self.line_start = text.ends_with('\n');
        self.code.take(text);
        if self.fresh {
            let body = text.trim_start_matches(is_whitespace);
            if body.is_empty() && self.whitespace.len() + text.len() <= MAX_WHITESPACE {
                return self.whitespace.push_str(text);
            }
            self.release(out, sink);
        }
        out.reasoning(text, self.opener as u64, sink);
        self.opener = 0;
    }
}
