//! Escapes of strings and keys: those of the relaxed grammar, and what becomes of the others.

use super::lookahead::Resume;
use super::{Halt, Repair, Step};
use crate::diagnostic::Code;
use crate::escape::{Fed, Rules, Unit, read_escape};
use crate::machine::Kind;
use crate::options::InvalidEscape;

/// What stands after a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// More text, when it comes.
    NeedMore,
    /// The end of the input.
    End,
    /// The closing quote.
    Quote,
}

/// An escape in the text.
pub(super) struct Read {
    pub(super) length: usize,
    pub(super) decoded: Option<char>,
    strict: bool,
    pub(super) code: Option<Code>,
}

impl Repair {
    pub(super) fn escape(&mut self) -> Step {
        let read = self.escape_after(0)?;
        self.escape_out(&read)
    }

    /// The escape so many bytes after the front.
    fn escape_after(&self, bytes: usize) -> Result<Read, Halt> {
        let after = if self.ended { After::End } else { After::NeedMore };
        self.read_escape(self.rest().get(bytes..).unwrap_or_default(), after)
    }

    fn escape_out(&mut self, read: &Read) -> Step {
        let start = self.pos;
        let span = self.take(read.length);
        if let Some(guide) = &mut self.guide
            && read.decoded.is_none()
            && read.code.is_none()
        {
            // A backslash and a line break stand for nothing. Whoever leaves line breaks as they are leaves backslashes too: both may be text.
            guide.guess(span);
        } else if read.code.is_none() && self.guide.is_some() {
            self.with_taken(start, |this, source| this.guide_text(source));
        }
        self.with_spare(|this, wire| {
            if read.strict {
                wire.push_str(this.window.get(start..this.pos).unwrap_or_default());
            } else {
                this.non_strict = true;
                if let Some(c) = read.decoded {
                    crate::escape::push_char(wire, c);
                }
            }
            this.emit(Kind::StringDelta, wire, span);
        });
        if let Some(code) = read.code {
            self.text.raw_backslash |= read.decoded == Some('\\');
            self.repaired(code, span);
        }
        Ok(())
    }

    /// The escape at the front of `text`, and what becomes of one that is none.
    pub(super) fn read_escape(&self, text: &str, after: After) -> Result<Read, Halt> {
        let mut read = match read_escape(text, Rules::Relaxed) {
            Fed::Done(Unit { length, decoded, strict, invalid: false, .. }) => {
                Read { strict, ..Read::of(length, decoded) }
            }
            Fed::NeedMore => half(text, after)?,
            Fed::Fail(..) if is_half(text) => half(text, after)?,
            Fed::Done(_) | Fed::Fail(..) => refused(text),
        };
        self.meter.count(read.length);
        if read.code == Some(Code::InvalidEscape)
            && self.options.invalid_escape == InvalidEscape::Drop
        {
            read.decoded = None;
        }
        Ok(read)
    }

    /// In a document escaped once too often: a backslash, which is itself escaped.
    pub(super) fn escaped_escape(&mut self) -> Step {
        let lookahead = self.lookahead(0);
        if lookahead.starts_with("\\\"")? {
            return self.string_end(2);
        }
        if lookahead.starts_with("\\\\\\\"")? {
            return self.escape_out(&Read::of(4, Some('"')));
        }
        if lookahead.starts_with("\\\\\\\\")? {
            return self.escape_out(&Read::of(4, Some('\\')));
        }
        if !lookahead.starts_with("\\\\")? {
            return self.escape();
        }
        let inner = self.escape_after(1)?;
        self.escape_out(&Read { length: inner.length + 1, strict: false, ..inner })
    }
}

impl Read {
    fn of(length: usize, decoded: Option<char>) -> Self {
        Self { length, decoded, strict: false, code: None }
    }

    fn refused_as(length: usize, decoded: Option<char>, code: Code) -> Self {
        Self { code: Some(code), ..Self::of(length, decoded) }
    }
}

/// What has been read of an escape that is not whole.
fn half(text: &str, after: After) -> Result<Read, Halt> {
    Ok(match (text, after) {
        (_, After::NeedMore) => return Err(Halt::until(Resume::Any)),
        // What may end where the text does: `\0`, or a backslash and a line end.
        ("\\0", _) => Read::of(2, Some('\0')),
        ("\\\r", _) => Read::of(2, None),
        (_, After::Quote) => refused(text),
        // Half of a pair too: the other half may have been cut.
        (_, After::End) => Read::refused_as(text.len(), None, Code::CutEscape),
    })
}

/// Whether more digits may follow: only all four show a half of a surrogate pair.
fn is_half(text: &str) -> bool {
    let digits = text.strip_prefix("\\u").filter(|digits| digits.len() < 4);
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Half a surrogate pair is U+FFFD; of anything else the backslash is data.
fn refused(text: &str) -> Read {
    let digits = text.strip_prefix("\\u").and_then(|rest| rest.get(..4));
    let unit = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if unit.is_some() {
        return Read::refused_as(6, Some('\u{fffd}'), Code::LoneSurrogate);
    }
    Read::refused_as(1, Some('\\'), Code::InvalidEscape)
}
