//! Escapes of strings and keys: those of the relaxed grammar, and what becomes of the others.

use super::lookahead::Resume;
use super::{Halt, Repair, Step};
use crate::diagnostic::Code;
use crate::escape::{Fed, Rules, Unit, push_char, read_escape};
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

/// An escape in the text, or what becomes of one that is none, with the code of that rule.
type Read = (Unit, Option<Code>);

impl Repair {
    pub(super) fn escape(&mut self) -> Step {
        let (unit, code) = self.escape_after(0)?;
        self.escape_out(unit, code)
    }

    /// The escape so many bytes after the front.
    fn escape_after(&self, bytes: usize) -> Result<Read, Halt> {
        let after = if self.ended { After::End } else { After::NeedMore };
        self.read_escape(self.rest().get(bytes..).unwrap_or_default(), after)
    }

    fn escape_out(&mut self, unit: Unit, code: Option<Code>) -> Step {
        let start = self.pos;
        let span = self.take(unit.length);
        if let Some(guide) = &mut self.guide
            && unit.decoded.is_none()
            && code.is_none()
        {
            // A backslash and a line break stand for nothing. Whoever leaves line breaks as they are leaves
            // backslashes too: both may be text.
            guide.guess(span);
        } else if code.is_none() && self.guide.is_some() {
            self.with_window(start..self.pos, |this, source| this.guide_text(source));
        }
        self.with_spare(|this, wire| {
            if unit.strict {
                wire.push_str(this.window.get(start..this.pos).unwrap_or_default());
            } else {
                this.non_strict = true;
                if let Some(c) = unit.decoded {
                    push_char(wire, c);
                }
            }
            this.emit(Kind::StringDelta, wire, span);
        });
        if let Some(code) = code {
            self.text.raw_backslash |= unit.decoded == Some('\\');
            self.repaired(code, span);
        }
        Ok(())
    }

    /// The escape at the front of `text`, and what becomes of one that is none.
    pub(super) fn read_escape(&self, text: &str, after: After) -> Result<Read, Halt> {
        let (mut unit, code) = match read_escape(text, Rules::Relaxed) {
            Fed::Done(unit) if !unit.invalid => (unit, None),
            Fed::NeedMore => half(text, after)?,
            // More digits may follow: only all four show a half of a surrogate pair.
            Fed::Fail(..) if text.len() < 6 && text.len() == 2 + digits(text) => half(text, after)?,
            Fed::Done(_) | Fed::Fail(..) => refused(text),
        };
        self.meter.count(unit.length);
        if code == Some(Code::InvalidEscape) && self.options.invalid_escape == InvalidEscape::Drop {
            unit.decoded = None;
        }
        Ok((unit, code))
    }

    /// In a document escaped once too often: a backslash, which is itself escaped.
    pub(super) fn escaped_escape(&mut self) -> Step {
        let lookahead = self.lookahead(0);
        if lookahead.starts_with("\\\"")? {
            return self.string_end(2);
        }
        if lookahead.starts_with("\\\\\\\"")? {
            return self.escape_out(Unit::new(4, Some('"')), None);
        }
        if lookahead.starts_with("\\\\\\\\")? {
            return self.escape_out(Unit::new(4, Some('\\')), None);
        }
        if !lookahead.starts_with("\\\\")? {
            return self.escape();
        }
        let (inner, code) = self.escape_after(1)?;
        self.escape_out(Unit::new(inner.length + 1, inner.decoded), code)
    }
}

/// What has been read of an escape that is not whole.
fn half(text: &str, after: After) -> Result<Read, Halt> {
    Ok(match (text, after) {
        (_, After::NeedMore) => return Err(Halt::until(Resume::Any)),
        // What may end where the text does: `\0`, or a backslash and a line end.
        ("\\0", _) => (Unit::new(2, Some('\0')), None),
        ("\\\r", _) => (Unit::new(2, None), None),
        (_, After::Quote) => refused(text),
        // Half of a pair too: the other half may have been cut.
        (_, After::End) => (Unit::new(text.len(), None), Some(Code::CutEscape)),
    })
}

/// How many of its four digits follow `\u`.
fn digits(text: &str) -> usize {
    let digits = text.strip_prefix("\\u").unwrap_or_default();
    digits.bytes().take(4).take_while(u8::is_ascii_hexdigit).count()
}

/// Half a surrogate pair is U+FFFD; of anything else the backslash is data.
fn refused(text: &str) -> Read {
    match digits(text) {
        4 => (Unit::new(6, Some('\u{fffd}')), Some(Code::LoneSurrogate)),
        _ => (Unit::new(1, Some('\\')), Some(Code::InvalidEscape)),
    }
}
