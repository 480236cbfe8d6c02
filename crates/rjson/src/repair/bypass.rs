//! Text of a string that the machine need not see: bytes that are text wherever they stand in a string, and
//! escapes of one character.

use alloc::string::String;

use super::string::Ends;
use super::{Repair, State};
use crate::chars::{Quotes, may_follow_string};

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
/// let (plain, mut bypassed, mut out) = (PlainBytes::except([]), BypassedText::default(), String::new());
/// assert!(bypassed.take(" text,", &plain, |text| out.push_str(text)));
/// assert!(bypassed.take(" and\\nmore, ", &plain, |text| out.push_str(text)));
/// assert!(!bypassed.take("\"}", &plain, |text| out.push_str(text)), "that is for the machine");
/// assert_eq!(out, " text, and\\nmore");
/// machine.bypassed(&bypassed);
/// let mut text = "\"}";
/// while let Some((token, _)) = machine.next(&mut text)? {
///     out.push_str(token.wire);
/// }
/// while let Some((token, _)) = machine.finish()? {
///     out.push_str(token.wire);
/// }
/// assert_eq!(out, " text, and\\nmore, \"}");
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
    /// Takes all of a chunk, where it is nothing but plain bytes and whole escapes of one character, and sends
    /// it with what waited before it. At its end wait characters that may stand after the string, and half an
    /// escape. Else nothing happens.
    #[inline]
    pub fn take(&mut self, chunk: &str, plain: &PlainBytes, send: impl FnOnce(&str)) -> bool {
        let bytes = chunk.as_bytes();
        let half = self.waits.ends_with('\\');
        let run = if half { 0 } else { plain.run(bytes) };
        let mut ends_in_half = false;
        if run < bytes.len() {
            let rest = bytes.get(run..).unwrap_or_default();
            let Some((escapes, half)) = with_escapes(rest, half, plain) else { return false };
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
        run += run_of(bytes.get(run..).unwrap_or_default(), is_text);
        match bytes.get(run..) {
            Some([b'\\', byte @ escaped!(), ..]) => escapes.count(*byte, *byte == b'"'),
            _ => return (run, escapes),
        }
        run += 2;
    }
}

/// The escapes of bytes that begin with one, or after its backslash, and whether they end with a backslash;
/// `None`: they hold more than plain bytes and whole escapes of one character.
fn with_escapes(bytes: &[u8], half: bool, plain: &PlainBytes) -> Option<(Escapes, bool)> {
    let (mut half, mut bytes, mut escapes) = (half, bytes, Escapes::default());
    while let Some((&byte, rest)) = bytes.split_first() {
        (half, bytes) = match (half, byte) {
            (true, escaped!()) => {
                escapes.count(byte, byte == b'"');
                (false, rest.get(plain.run(rest)..)?)
            }
            (false, b'\\') => (true, rest),
            _ => return None,
        };
    }
    Some((escapes, half))
}

impl Repair {
    pub(super) fn may_be_bypassed(&self) -> bool {
        self.text.ends == Ends::Quotes(Quotes::Double)
            && self.state == State::Text
            && self.nothing_waits()
            && self.text.has_begun(self.offset())
    }

    pub(super) fn bypassed(&mut self, text: &BypassedText) {
        self.meter.count(text.bytes + text.waits.len());
        let end = self.offset() + text.bytes as u64;
        self.window.clear();
        (self.pos, self.base) = (0, end);
        if text.bytes > 0 {
            self.waiting = false;
            self.kept = self.kept.map(|_| end);
        }
        self.count_escapes(text.escapes);
        self.append(&text.waits);
        let tail = text.waits.strip_suffix('\\').unwrap_or(&text.waits);
        self.text.tail = end + tail.len() as u64;
    }

    /// Escapes go out: what matters of them to a guess.
    pub(super) fn count_escapes(&mut self, escapes: Escapes) {
        if self.guide.is_some() {
            self.text.escapes.add(escapes);
        }
    }
}
