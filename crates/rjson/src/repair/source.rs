//! Repair mode with the source of every token, text of strings that is given out as it stands, and text that the
//! machine need not see: bytes that are text wherever they stand in a string, and escapes of one character.

use alloc::boxed::Box;
use alloc::string::String;

use super::guide::Guide;
use super::string::Ends;
use super::{GULP, RawToken, Repair, State};
use crate::chars::{Quote, Quotes, certain_run, floor_boundary, may_follow_string};
use crate::diagnostic::{Error, Span};
use crate::machine::{Kind, Token};
use crate::options::{Expect, Mode, Options};

/// Reads damaged JSON as [`Machine`](crate::Machine) does in [`Mode::Repair`], and gives with each
/// token the text it was made of. All sources in order, and in the end [`unread`](Self::unread), are
/// the input.
///
/// The text that no token covers yet is kept once. It is bounded: where more than
/// [`max_held_bytes`](Options::with_max_held_bytes) waits for one value, comma and whitespace included, that is
/// [`TooLarge`](crate::ErrorKind::TooLarge).
///
/// ```
/// use toolweir_rjson::{Options, Mode, SourceMachine};
///
/// let mut machine = SourceMachine::new(Options::new(Mode::Repair));
/// let (mut wire, mut source) = (String::new(), String::new());
/// let mut input = "{path: 'src', /* twice */ n: 2,}";
/// while let Some((token, text)) = machine.next(&mut input)? {
///     wire.push_str(token.wire);
///     source.push_str(text);
/// }
/// assert_eq!(wire, r#"{"path":"src","n":2}"#);
/// assert_eq!(source, "{path: 'src', /* twice */ n: 2,}");
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SourceMachine(Repair);

impl SourceMachine {
    /// A machine at offset 0. It repairs, whatever the mode of the options.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let mut repair = Repair::new(Options { mode: Mode::Repair, ..options }, 0);
        repair.kept = Some(0);
        Self(repair)
    }

    /// Makes it ready for another text, whose first byte has the offset `at`, as if it stood after
    /// `before`: that is read, but no token has it for its source. Options and some room stay.
    pub fn reset(&mut self, at: u64, before: &str) {
        self.0.reset(at.saturating_sub(before.len() as u64));
        self.0.append(before);
        self.0.kept = Some(self.0.base + before.len() as u64);
    }

    /// The next token and its source; `input` is taken whole before there is none.
    ///
    /// # Errors
    /// As [`Machine::next`](crate::Machine::next).
    pub fn next<'m, 'c: 'm>(
        &'m mut self,
        input: &mut &'c str,
    ) -> Result<Option<(Token<'m>, &'m str)>, Error> {
        if self.0.state == State::Text
            && let Some(token) = self.0.direct(input)
        {
            let source = token.wire;
            return Ok(Some((token, source)));
        }
        let token = self.0.next_raw(input)?;
        Ok(token.map(|token| self.0.sourced(token)))
    }

    /// Text at the front of `input` that surely belongs to the open string: the token
    /// [`next`](Self::next) would give, where nothing waits.
    #[inline]
    pub fn string_text<'c>(&mut self, input: &mut &'c str) -> Option<&'c str> {
        if self.0.state != State::Text {
            return None;
        }
        self.0.direct(input).map(|token| token.wire)
    }

    /// Whether text of the open string may be handed out without this machine, which is then told with
    /// [`bypassed`](Self::bypassed): the string stands in double quotes, and nothing waits but whitespace,
    /// commas and closing brackets.
    #[inline]
    #[must_use]
    pub fn may_be_bypassed(&self) -> bool {
        let repair = &self.0;
        repair.text.ends == Ends::Quotes(Quotes::Double)
            && repair.state == State::Text
            && repair.nothing_waits()
            && repair.text.has_begun(repair.offset())
    }

    /// Counts text of the open string that has been sent as read and handed out, and takes what waits after it.
    /// All of it was [taken](BypassedText::take) since [`may_be_bypassed`](Self::may_be_bypassed) was asked.
    pub fn bypassed(&mut self, text: &BypassedText) {
        let repair = &mut self.0;
        repair.meter.count(text.bytes + text.waits.len());
        let end = repair.offset() + text.bytes as u64;
        repair.window.clear();
        (repair.pos, repair.base) = (0, end);
        if text.bytes > 0 {
            repair.waiting = false;
            repair.kept = repair.kept.map(|_| end);
        }
        repair.count_escapes(text.escapes);
        repair.append(&text.waits);
        let tail = text.waits.strip_suffix('\\').unwrap_or(&text.waits);
        repair.text.tail = end + tail.len() as u64;
    }

    /// Ends the input; to be called until it gives `None`.
    ///
    /// # Errors
    /// As [`Machine::finish`](crate::Machine::finish).
    pub fn finish<'m>(&'m mut self) -> Result<Option<(Token<'m>, &'m str)>, Error> {
        let token = self.0.finish_raw()?;
        Ok(token.map(|token| self.0.sourced(token)))
    }

    /// Takes text without reading it: it is read with the next token, or is
    /// [`unread`](Self::unread).
    pub fn feed(&mut self, text: &str) {
        self.0.append(text);
    }

    /// The text that no token handed out covers.
    #[must_use]
    pub fn unread(&self) -> &str {
        self.0.window.get(self.0.unread_at()..).unwrap_or_default()
    }

    /// Takes that text out; what follows is another text, after a [`reset`](Self::reset).
    #[must_use]
    pub fn take_unread(&mut self) -> String {
        let unread = self.0.unread_at();
        let mut text = core::mem::take(&mut self.0.window);
        self.0.base += text.len() as u64;
        text.drain(..unread.min(text.len()));
        self.0.pos = 0;
        self.0.kept = Some(self.0.base);
        text
    }

    /// Says what is expected of the value: before the first token of a text of the root, after the
    /// start of a container of that container. What is said of the root holds for the next texts too.
    pub fn expect(&mut self, expect: Expect) {
        match &mut self.0.guide {
            Some(guide) => guide.expect(expect),
            guide => *guide = Some(Box::new(Guide::new(expect))),
        }
    }

    /// As [`Machine::guessed`](crate::Machine::guessed).
    #[must_use]
    pub fn guessed(&self) -> bool {
        self.0.guessed()
    }

    /// As [`Machine::non_strict`](crate::Machine::non_strict).
    #[must_use]
    pub fn non_strict(&self) -> bool {
        self.0.non_strict
    }

    /// How many bytes wait inside.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.0.held_bytes()
    }

    /// Whether the input, if nothing followed, would end inside a string, a quoted key or a comment.
    /// Looks only at what waits; costs at most [`held_bytes`](Self::held_bytes) and the open
    /// containers.
    #[must_use]
    pub fn ends_inside(&self) -> bool {
        self.0.ends_inside()
    }

    /// Makes the next call of [`next`](Self::next) read on with what is there: otherwise a long text
    /// that waits is only asked about again when it has grown. After a call of `next` with empty
    /// input what waits depends on the text alone, not on how it was cut.
    pub fn catch_up(&mut self) {
        self.0.waiting = false;
    }

    /// How many times a byte has been examined since the machine was made.
    #[cfg(feature = "meter")]
    #[must_use]
    pub fn examined(&self) -> u64 {
        self.0.meter.total()
    }
}

impl Repair {
    /// Whether the input, if nothing followed, would end inside a string, a quoted key or a comment.
    fn ends_inside(&self) -> bool {
        if self.pos == self.window.len() {
            // What is open is what it ends in.
            return self.state == State::Text || self.comment.is_some();
        }
        let mut end = self.clone();
        end.ended = true;
        while !end.cut_inside && end.failed.is_none() && end.pos < end.window.len() {
            end.queue.clear();
            if end.step().is_err() {
                break;
            }
        }
        // Nothing of the input is left: what is open now is what it ends in.
        end.cut_inside || end.state == State::Text || end.comment.is_some()
    }

    /// A token as it is handed out, with the text up to its end.
    fn sourced(&mut self, token: RawToken) -> (Token<'_>, &str) {
        let from = self.unread_at();
        let end = usize::try_from(token.span.end.saturating_sub(self.base)).unwrap_or(usize::MAX);
        let end = end.min(self.pos).max(from);
        self.kept = Some(self.base + end as u64);
        (self.token(token), self.window.get(from..end).unwrap_or_default())
    }
}

/// Text that goes out where it stands: neither copied nor kept.
impl Repair {
    /// Text at the front of a chunk that surely belongs to the string, which is open: where nothing
    /// waits, it is neither copied nor kept.
    pub(super) fn direct<'c>(&mut self, input: &mut &'c str) -> Option<Token<'c>> {
        if !self.nothing_waits() {
            return None;
        }
        let near = input.get(..floor_boundary(input, GULP)).unwrap_or_default();
        let text = self.certain_text(near)?;
        let (wire, rest) = input.split_at_checked(text.len())?;
        *input = rest;
        let start = self.offset();
        self.text.begins(start, wire);
        let end = start + wire.len() as u64;
        self.window.clear();
        (self.base, self.pos, self.waiting) = (end, 0, false);
        self.kept = self.kept.map(|_| end);
        Some(Token { kind: Kind::StringDelta, wire, span: Span { start, end } })
    }

    /// Whether all that was taken has been handed out, and more may come.
    pub(super) fn nothing_waits(&self) -> bool {
        self.pos == self.window.len()
            && self.queue.is_empty()
            && self.kept.is_none_or(|kept| kept == self.offset())
            && self.failed.is_none()
    }

    /// The front of a text that surely belongs to the open string, not empty; what of it matters to a guess is
    /// noted.
    fn certain_text<'c>(&mut self, near: &'c str) -> Option<&'c str> {
        if self.text.ends == Ends::Quotes(Quotes::Double) {
            let (run, escapes) = text_run(near.as_bytes());
            let text = near.get(..run)?.trim_end_matches(may_follow_string);
            if !text.is_empty() {
                self.meter.run(run, near);
                self.count_escapes(escapes);
                return Some(text);
            }
        }
        let run = match self.text.ends {
            Ends::Quotes(Quotes::Double) => Quote::Double.strict_run(near.as_bytes()),
            Ends::Quotes(Quotes::Single) => Quote::Single.plain_run(near.as_bytes()),
            _ => return None,
        };
        let text = near.get(..run)?;
        let odd = memchr::memchr2(b'`', b'\\', text.as_bytes()).is_some();
        let text = if odd { self.before_fence(text) } else { text };
        let text = text.trim_end_matches(may_follow_string);
        if text.is_empty() {
            return None;
        }
        self.meter.run(2 * run, near);
        if odd {
            self.guide_text(text);
        }
        Some(text)
    }
}

/// The bytes that are text wherever they stand in a string in double quotes.
///
/// ```
/// let plain = toolweir_rjson::PlainBytes::except(*b"<");
/// assert!(plain.holds(b'a') && plain.holds(b','));
/// assert!(!plain.holds(b'"') && !plain.holds(b'\n') && !plain.holds(b'<'));
/// ```
#[derive(Debug, Clone)]
pub struct PlainBytes([bool; 256]);

impl PlainBytes {
    /// All but control characters, the double quote, the backslash, the backtick, and these.
    #[must_use]
    pub fn except(bytes: impl IntoIterator<Item = u8>) -> Self {
        let mut plain = core::array::from_fn(|byte| u8::try_from(byte).is_ok_and(is_text));
        for byte in bytes {
            if let Some(plain) = plain.get_mut(usize::from(byte)) {
                *plain = false;
            }
        }
        Self(plain)
    }

    /// Whether a byte is among them.
    #[inline]
    #[must_use]
    pub fn holds(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// How many bytes at the front are among them.
    #[inline]
    #[must_use]
    pub fn run(&self, bytes: &[u8]) -> usize {
        run_of(bytes, |byte| self.holds(byte))
    }
}

/// Whether a byte is text wherever it stands in a string in double quotes.
const fn is_text(byte: u8) -> bool {
    (byte >= b' ') & (byte != b'"') & (byte != b'\\') & (byte != b'`')
}

/// How many bytes at the front are such bytes. Where they end is found without a branch on their number, which no
/// processor can predict.
#[inline]
fn run_of(bytes: &[u8], is_such: impl Fn(u8) -> bool) -> usize {
    /// So many are examined together.
    const STRIDE: usize = 8;
    let all = |stride: &&[u8; STRIDE]| stride.iter().fold(true, |all, byte| all & is_such(*byte));
    let first_other = |stride: &[u8; STRIDE]| {
        let bits = stride.iter().rev();
        bits.fold(0_u8, |bits, byte| bits << 1 | u8::from(!is_such(*byte))).trailing_zeros()
            as usize
    };
    let Some(last) = bytes.last_chunk() else {
        return bytes.iter().take_while(|byte| is_such(**byte)).count();
    };
    let strides = bytes.as_chunks().0;
    let whole = strides.iter().take_while(all).count();
    match strides.get(whole) {
        Some(stride) => whole * STRIDE + first_other(stride),
        // The last bytes are examined with some of those before them.
        None => (bytes.len() - STRIDE + first_other(last)).min(bytes.len()),
    }
}

/// The bytes that are an escape after a backslash.
macro_rules! escaped {
    () => {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't'
    };
}

/// What the escapes of a string tell of how it was written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Escapes {
    pub(super) any: bool,
    /// Some of a control character.
    pub(super) control: bool,
    /// Those of the string's own quotes.
    pub(super) quotes: usize,
}

impl Escapes {
    /// Counts an escape by the byte after its backslash; `quote`: it is one of the string's own quotes.
    pub(super) fn count(&mut self, escaped: u8, quote: bool) {
        self.any = true;
        self.control |= matches!(escaped, b'n' | b't' | b'r' | b'b' | b'f');
        self.quotes += usize::from(quote);
    }

    pub(super) fn add(&mut self, more: Self) {
        self.any |= more.any;
        self.control |= more.control;
        self.quotes += more.quotes;
    }
}

/// Text of an open string that goes past its machine.
///
/// ```
/// use toolweir_rjson::{BypassedText, Mode, Options, PlainBytes, SourceMachine};
///
/// let mut machine = SourceMachine::new(Options::new(Mode::Repair));
/// let mut text = "{\"a\": \"some";
/// while machine.next(&mut text)?.is_some() {}
/// assert!(machine.may_be_bypassed());
///
/// let (plain, mut bypassed, mut out) = (PlainBytes::except(*b"<"), BypassedText::default(), String::new());
/// let is_text = |rest: &str| rest.len() > 1 && !rest.starts_with("</");
/// assert!(bypassed.take(" text,", &plain, is_text, |text| out.push_str(text)));
/// assert!(bypassed.take(" and <\\nmore, ", &plain, is_text, |text| out.push_str(text)));
/// assert!(!bypassed.take("a <", &plain, is_text, |text| out.push_str(text)), "more may come");
/// assert!(!bypassed.take("\"}", &plain, is_text, |text| out.push_str(text)), "that is for the machine");
/// assert_eq!(out, " text, and <\\nmore");
/// machine.bypassed(&bypassed);
/// let mut text = "\"}";
/// while let Some((token, _)) = machine.next(&mut text)? {
///     out.push_str(token.wire);
/// }
/// while let Some((token, _)) = machine.finish()? {
///     out.push_str(token.wire);
/// }
/// assert_eq!(out, " text, and <\\nmore, \"}");
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct BypassedText {
    bytes: usize,
    escapes: Escapes,
    waits: String,
}

/// So much may wait.
const MOST_WAITING: usize = 64;
/// Bytes of the largest usual chunk.
const USUAL_CHUNK: usize = 256;

impl BypassedText {
    /// Takes all of a chunk, where it is nothing but text and whole escapes of one character, and sends it with
    /// what waited before it. `is_text`: whether a byte that is not plain, at the front of a text and perhaps after a
    /// backslash, is text whatever comes after; quotes, control characters and backticks never are. At the end of the
    /// chunk wait characters that may stand after the string, and half an escape. Else nothing happens.
    #[inline]
    pub fn take(
        &mut self,
        chunk: &str,
        plain: &PlainBytes,
        is_text: impl Fn(&str) -> bool,
        send: impl FnOnce(&str),
    ) -> bool {
        let bytes = chunk.as_bytes();
        let half = self.waits.ends_with('\\');
        let run = if half { 0 } else { plain.run(bytes) };
        let mut ends_in_half = false;
        if run < bytes.len() {
            let taken = with_escapes(chunk, run, half, plain, is_text);
            let Some((escapes, half)) = taken else { return false };
            ends_in_half = half;
            self.escapes.add(escapes);
        }
        let whole = chunk.len() - usize::from(ends_in_half);
        let text = chunk.get(..whole).unwrap_or_default().trim_end_matches(may_follow_string);
        if text.is_empty() {
            let fits = self.waits.len() + chunk.len() <= MOST_WAITING;
            if fits {
                self.waits.push_str(chunk);
            }
            return fits;
        }
        let after = chunk.get(text.len()..).unwrap_or_default();
        if self.waits.is_empty() {
            self.bytes += text.len();
            send(text);
        } else {
            self.waits.push_str(text);
            self.bytes += self.waits.len();
            send(&self.waits);
            self.waits.clear();
        }
        if !after.is_empty() {
            // Once, for the usual chunk that comes next too.
            self.waits.reserve(MOST_WAITING + USUAL_CHUNK);
            self.waits.push_str(after);
        }
        true
    }

    /// Bytes that have gone out.
    #[must_use]
    pub const fn sent(&self) -> usize {
        self.bytes
    }

    /// What waits after them.
    #[must_use]
    pub fn waits(&self) -> &str {
        &self.waits
    }

    /// Ready for more, after what the machine has been told.
    pub fn clear(&mut self) {
        (self.bytes, self.escapes) = (0, Escapes::default());
        self.waits.clear();
    }
}

/// The length of the plain bytes and whole escapes of one character at the front, with the escapes.
pub(super) fn text_run(bytes: &[u8]) -> (usize, Escapes) {
    let (mut run, mut escapes) = (0, Escapes::default());
    loop {
        run += certain_run(bytes.get(run..).unwrap_or_default());
        match bytes.get(run..) {
            Some([b'\\', byte @ escaped!(), ..]) => escapes.count(*byte, *byte == b'"'),
            _ => return (run, escapes),
        }
        run += 2;
    }
}

/// The escapes from a place on, which stands after a backslash (`half`) or at a byte that is not plain, and whether the
/// text ends with a backslash; `None`: it holds more than text and whole escapes of one character.
#[inline(never)]
fn with_escapes(
    text: &str,
    from: usize,
    half: bool,
    plain: &PlainBytes,
    passes: impl Fn(&str) -> bool,
) -> Option<(Escapes, bool)> {
    let (mut half, mut escapes) = (half, Escapes::default());
    let mut bytes = text.as_bytes().get(from..)?;
    while let Some((&byte, rest)) = bytes.split_first() {
        (half, bytes) = match (half, byte) {
            // A marker may begin with the letter of an escape.
            (true, escaped!())
                if matches!(byte, b'"' | b'\\')
                    || plain.holds(byte)
                    || passes(text.get(text.len() - bytes.len()..)?) =>
            {
                escapes.count(byte, byte == b'"');
                (false, rest.get(plain.run(rest)..)?)
            }
            (false, b'\\') => (true, rest),
            (false, byte) if is_text(byte) && passes(text.get(text.len() - bytes.len()..)?) => {
                (false, rest.get(plain.run(rest)..)?)
            }
            _ => return None,
        };
    }
    Some((escapes, half))
}

impl Repair {
    /// Escapes go out: what matters of them to a guess.
    pub(super) fn count_escapes(&mut self, escapes: Escapes) {
        if self.guide.is_some() {
            self.text.escapes.add(escapes);
        }
    }
}
