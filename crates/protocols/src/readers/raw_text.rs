//! What the readers of raw values share: the text of a value up to a marker, and what is examined and
//! not decided.

use toolweir_markers::{Anchored, MarkerId, Piece, Scanner};
use toolweir_rxml::{decode_references, open_reference};
use toolweir_segments::Span;

use super::ending::{Ending, Ends};
use super::typed::{How, Params};
use super::{cut_value, take};
use crate::diagnostics::MISSING_CLOSER;
use crate::engine::{Ctx, Fault, Result, Step, hold, hold_text, shown};
use crate::meter::Meter;
use crate::program::{Cut, Table, Trim};

/// Bytes of a value that are looked through for its end before they are scanned for markers.
const NEAR: usize = 1024;

/// Parameters whose values stand in the text as they are.
#[derive(Debug, Default)]
pub(super) struct RawText {
    pub(super) params: Params,
    pub(super) scanner: Scanner,
    /// Text that is examined and not decided, exactly as it came, and not accounted for.
    pub(super) held: String,
    /// What may be the beginning of a character or entity reference.
    reference: String,
    /// References are decoded here.
    pub(super) decodes: bool,
    /// What the open value ends in so far.
    ending: Ending,
    /// Bytes examined outside of values, and at markers in them.
    meter: Meter,
}

impl RawText {
    /// Begins the arguments of a call. `unwraps`: a single parameter may hold all of them.
    pub(super) fn begin(&mut self, unwraps: bool, trim: Trim, ctx: &Ctx<'_>) {
        self.scanner.reset();
        self.held.clear();
        self.reference.clear();
        self.ending.begin(false);
        self.params.begin(unwraps, trim, ctx);
    }

    /// Begins a value that has a closing tag.
    pub(super) fn begin_value(&mut self, key: &str, how: How, ctx: &mut Ctx<'_>) -> Result {
        self.scanner.reset();
        self.ending.begin(true);
        self.params.begin_value(key, how, ctx)
    }

    /// What was the beginning of no reference is text of the value.
    pub(super) fn end_reference(&mut self, ctx: &mut Ctx<'_>) {
        let text = std::mem::take(&mut self.reference);
        if !text.is_empty() {
            self.params.text(&text, ctx);
        }
    }

    /// Reads on in a value, up to a marker.
    #[inline]
    pub(super) fn value(
        &mut self,
        table: &Table,
        input: &mut &str,
        ctx: &mut Ctx<'_>,
    ) -> Option<MarkerId> {
        while let Some(piece) = self.scanner.next(&table.set, input) {
            match piece {
                Piece::Text(text) => self.take_text(text, ctx),
                Piece::Marker(id) if !ctx.counts(table.marker(id)) => {
                    self.scanner.reject(&table.set, id);
                }
                Piece::Marker(id) => return Some(id),
            }
        }
        None
    }

    /// The stream ends in a value: an end marker that might have become a longer one ends it, and is held.
    pub(super) fn end_marker_at_end(&mut self, table: &Table, ctx: &mut Ctx<'_>) -> bool {
        let held = self.scanner.held(&table.set).concat();
        let Anchored::Marker { id, .. } = table.match_short(&held) else { return false };
        let ends = table.role(id).closes() && ctx.counts(table.marker(id));
        if ends {
            self.scanner.reset();
            self.held = held;
        }
        ends
    }

    /// The hot path: takes all of a chunk of a value, if no marker can begin in it.
    #[inline]
    pub(super) fn plain(&mut self, table: &Table, chunk: &str, ctx: &mut Ctx<'_>) -> Option<bool> {
        if !self.is_between_markers() || self.decodes {
            return None;
        }
        self.meter.add(chunk.len() as u64);
        let plain = !table.set.may_begin_in(chunk);
        if plain {
            self.take_text(chunk, ctx);
        }
        Some(plain)
    }

    /// Text of a value, as it stands.
    #[inline]
    pub(super) fn take_text(&mut self, text: &str, ctx: &mut Ctx<'_>) {
        take(text, ctx);
        if self.decodes || !self.ending.passes(text) {
            return self.observe(text, ctx);
        }
        self.params.text(text, ctx);
    }

    /// The same where its end or a reference matters.
    #[inline(never)]
    fn observe(&mut self, text: &str, ctx: &mut Ctx<'_>) {
        let Self { params, ending, reference, decodes, .. } = self;
        ending.push(text, &mut |text| value_text(text, params, reference, *decodes, ctx));
    }

    /// What waits at the end of the value is text of it.
    pub(super) fn flush(&mut self, ctx: &mut Ctx<'_>) {
        self.give(false, ctx);
    }

    /// The text so far ends in a marker that may have been meant to end the value. A tag that may go on waits.
    pub(super) fn doubt_end(&mut self, ctx: &mut Ctx<'_>) {
        if !self.ending.in_tag() {
            self.give(true, ctx);
        }
    }

    fn give(&mut self, doubtful: bool, ctx: &mut Ctx<'_>) {
        let Self { params, ending, reference, decodes, .. } = self;
        ending.give(doubtful, &mut |text| value_text(text, params, reference, *decodes, ctx));
    }

    /// The open value may be another one: the call is none, however it goes on.
    pub(super) fn doubt_value(&mut self, ctx: &mut Ctx<'_>) {
        self.flush(ctx);
        self.params.refuse(cut_value());
    }

    /// The call cannot be read on.
    pub(super) fn fail(&mut self, fault: Fault, ctx: &mut Ctx<'_>) -> Step {
        self.flush(ctx);
        self.params.judge(Step::Failed(fault))
    }

    /// Whether the value so far is empty or ends in a line break.
    pub(super) fn at_line_start(&self) -> bool {
        match self.ending.held() {
            "" => self.params.at_line_start(),
            held => held.ends_with('\n'),
        }
    }

    /// Whether an element of that word is open in the value.
    pub(super) fn has_open(&self, word: &str) -> bool {
        self.ending.has_open(word)
    }

    /// What the value ends in; `words`: those of the tags of parameters.
    pub(super) fn ends(&self, words: &[String]) -> Ends {
        self.ending.ends(&self.params.key, words)
    }

    /// Whether the value is closed by another tag before the opener of that parameter.
    pub(super) fn is_closed_before(&self, key: &str, words: &[String]) -> bool {
        self.params.is_interrupted_by(key) && self.ends(words) == Ends::Closed
    }

    /// The text before the first `<`, and the rest, if it is near.
    pub(super) fn up_to_tag<'t>(&mut self, text: &'t str) -> Option<(&'t str, &'t str)> {
        let near = text.as_bytes().iter().take(NEAR).position(|b| *b == b'<');
        self.meter.add(near.unwrap_or(text.len().min(NEAR)) as u64);
        text.split_at_checked(near?)
    }

    /// Whether nothing is held that may begin a marker.
    #[inline]
    pub(super) fn is_between_markers(&self) -> bool {
        self.scanner.is_idle() && self.held.is_empty()
    }

    /// Holds a marker that was found in a value; what the scanner had read beyond it is to be read
    /// again.
    pub(super) fn hold_marker(&mut self, table: &Table, id: MarkerId) -> String {
        let beyond = self.scanner.held(&table.set).concat();
        self.scanner.reset();
        self.held.clear();
        self.held.push_str(table.marker(id));
        beyond
    }

    pub(super) fn hold(&mut self, c: char) {
        self.meter.add(c.len_utf8() as u64);
        hold(&mut self.held, c);
    }

    pub(super) fn hold_text(&mut self, text: &str) {
        self.meter.add(text.len() as u64);
        hold_text(&mut self.held, text);
    }

    /// What is held belongs to the parameters.
    pub(super) fn take_source(&mut self, ctx: &mut Ctx<'_>) {
        take(&self.held, ctx);
        self.held.clear();
    }

    /// What is held was data: its first character is the value's, the rest is read again.
    pub(super) fn refuse(&mut self, ctx: &mut Ctx<'_>) -> Step {
        let first = self.held.chars().next().map_or(0, char::len_utf8);
        self.refuse_up_to(first, ctx)
    }

    /// The first `len` bytes of what is held were data; the rest is read again.
    pub(super) fn refuse_up_to(&mut self, len: usize, ctx: &mut Ctx<'_>) -> Step {
        let again = self.held.split_off(len);
        let held = std::mem::replace(&mut self.held, again);
        self.take_text(&held, ctx);
        Step::Refeed(std::mem::take(&mut self.held))
    }

    /// The value has ended by its own closing tag.
    pub(super) fn end_value(&mut self, ctx: &mut Ctx<'_>) -> Result {
        self.flush(ctx);
        self.params.end_value(ctx)
    }

    /// The value has no closing tag of its own: another one stands there, or none. `reported`: by the
    /// diagnostic of the call.
    pub(super) fn end_unclosed(
        &mut self,
        words: &[String],
        reported: bool,
        ctx: &mut Ctx<'_>,
    ) -> Result {
        self.resolve_end(words, reported, ctx);
        self.params.end_value(ctx)
    }

    /// The held opener of the next parameter ends a value that has no closing delimiter. `framed`: the
    /// format writes a line break after that, which is none of a value that stands as it is.
    pub(super) fn end_at_opener(
        &mut self,
        words: &[String],
        framed: bool,
        reported: bool,
        ctx: &mut Ctx<'_>,
    ) -> Result {
        let closed = self.resolve_end(words, reported, ctx);
        let framed = closed || framed && self.params.trim.last == Cut::Nothing;
        if self.held.starts_with('\n') && !framed {
            self.params.line_break(ctx);
        }
        self.params.end_value(ctx)
    }

    /// The end of a value without its closing tag: whether another one closes it.
    fn resolve_end(&mut self, words: &[String], reported: bool, ctx: &mut Ctx<'_>) -> bool {
        ctx.call.repaired = true;
        let ends = self.ends(words);
        let key = shown(&self.params.key);
        if ends == Ends::Closed {
            let (tag, bytes) = self.ending.take_tag();
            let at = ctx.out.at - bytes as u64;
            let message =
                format!("`{}` stands where the parameter `{key}` is to be closed", shown(&tag));
            ctx.note(MISSING_CLOSER, Span::new(at, at + tag.len() as u64), &message);
            return true;
        }
        self.flush(ctx);
        if !reported {
            let message = format!("the parameter `{key}` is not closed");
            ctx.note(MISSING_CLOSER, Span::empty(ctx.out.at), &message);
        }
        if ends == Ends::Doubtful {
            self.params.refuse(cut_value());
        }
        false
    }

    /// What was examined in vain; in a value, of markers of this table.
    pub(super) fn take_held(&mut self, table: &Table) -> String {
        if self.is_between_markers() {
            return String::new();
        }
        // Part of a tag may be long: it is not copied.
        let mut held = std::mem::take(&mut self.held);
        held.extend(self.scanner.held(&table.set));
        self.scanner.reset();
        held
    }

    /// How much that is.
    pub(super) fn unaccounted(&self, table: &Table) -> usize {
        self.held.len() + self.scanner.held_len(&table.set)
    }

    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        self.meter.bytes() + self.scanner.examined()
    }
}

/// Text of a value, in which references may be decoded.
fn value_text(
    text: &str,
    params: &mut Params,
    reference: &mut String,
    decodes: bool,
    ctx: &mut Ctx<'_>,
) {
    if !decodes {
        return params.text(text, ctx);
    }
    let mut whole = std::mem::take(reference);
    whole.push_str(text);
    *reference = whole.split_off(whole.len() - open_reference(&whole));
    if !whole.is_empty() {
        params.text(&decode_references(&whole), ctx);
    }
}
