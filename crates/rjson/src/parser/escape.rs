//! One escape of a string or an identifier, read character by character.
//!
//! Invariant: a character that fits nowhere changes nothing, so it can be offered again.

use alloc::string::String;

use crate::escape::{join_surrogates, short_escape};

/// An escape while it is being read; at most 12 bytes wait here.
#[derive(Debug, Clone, Default)]
pub(crate) struct Escape {
    state: State,
    /// What has been read, backslash first.
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Idle,
    /// After the backslash.
    Begun,
    /// Inside `\uXXXX`; `high` is the first half of a surrogate pair, if this is the second.
    Unicode { high: Option<u32>, digits: u8, value: u32 },
    /// After the first half of a surrogate pair.
    High(u32),
    /// After the backslash that follows it.
    HighBegun(u32),
    /// Inside `\xXX`.
    Byte { digits: u8, value: u32 },
    /// After `\0`, which no digit may follow.
    Nul,
    /// After a backslash and CR, which may take an LF with it.
    Return,
}

/// Which escapes are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    Strict,
    Relaxed,
    /// `\uXXXX` only.
    Identifier,
}

/// What a character made of an escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fed {
    /// It belongs to the escape, which goes on.
    NeedMore,
    /// The escape is complete.
    Done(Unit),
    /// It fits nowhere; what would have fitted.
    Fail(&'static str),
}

/// A complete escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The character it stands for; none for a line continuation.
    pub(crate) decoded: Option<char>,
    /// Whether strict JSON has it: then [`Escape::text`] is its text.
    pub(crate) strict: bool,
    /// Whether the character just fed belongs to it.
    pub(crate) read: bool,
    /// It is no escape: a backslash that is data, and where a digit follows `\0`, the zero.
    pub(crate) invalid: bool,
}

const HEX: &str = "a hexadecimal digit";
const LOW: &str = "the second half of a surrogate pair";
const HIGH: &str = "a first half of a surrogate pair before its second half";

impl Escape {
    pub(crate) fn clear(&mut self) {
        self.state = State::Idle;
        self.text.clear();
    }

    /// Whether an escape has begun and is not complete.
    pub(crate) fn is_open(&self) -> bool {
        self.state != State::Idle
    }

    /// The source of the last escape.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Takes the next character; the first one of an escape must be its backslash.
    pub(crate) fn feed(&mut self, c: char, rules: Rules) -> Fed {
        match self.state {
            State::Idle => {
                self.text.clear();
                self.go(c, State::Begun)
            }
            State::Begun => self.begun(c, rules),
            State::Unicode { high, digits, value } => self.unicode(c, high, digits, value),
            State::High(high) if c == '\\' => self.go(c, State::HighBegun(high)),
            State::HighBegun(high) if c == 'u' => {
                self.go(c, State::Unicode { high: Some(high), digits: 0, value: 0 })
            }
            State::High(_) | State::HighBegun(_) => Fed::Fail(LOW),
            State::Byte { digits, value } => self.byte(c, digits, value),
            State::Nul if c.is_ascii_digit() => self.invalid('0'),
            State::Nul => self.unread(Some('\0')),
            State::Return if c == '\n' => self.done(c, None, false),
            State::Return => self.unread(None),
        }
    }

    fn begun(&mut self, c: char, rules: Rules) -> Fed {
        if c == 'u' {
            return self.go(c, State::Unicode { high: None, digits: 0, value: 0 });
        }
        if rules == Rules::Identifier {
            return Fed::Fail("`u`");
        }
        let strict = short_escape(c);
        if strict.is_some() {
            return self.done(c, strict, true);
        }
        match c {
            _ if rules == Rules::Strict => Fed::Fail("an escape"),
            '\'' => self.done(c, Some(c), false),
            'v' => self.done(c, Some('\u{b}'), false),
            '\n' | '\u{2028}' | '\u{2029}' => self.done(c, None, false),
            '\r' => self.go(c, State::Return),
            '0' => self.go(c, State::Nul),
            'x' => self.go(c, State::Byte { digits: 0, value: 0 }),
            _ => self.invalid('\\'),
        }
    }

    fn unicode(&mut self, c: char, high: Option<u32>, digits: u8, value: u32) -> Fed {
        let Some(digit) = c.to_digit(16) else { return Fed::Fail(HEX) };
        let value = value << 4 | digit;
        // A unit begins with D8 to DB in the first half of a pair, with DC to DF in the second.
        match (high, digits) {
            (None, 1) if (0xdc..=0xdf).contains(&value) => return Fed::Fail(HIGH),
            (Some(_), 0) if value != 0xd => return Fed::Fail(LOW),
            (Some(_), 1) if value < 0xdc => return Fed::Fail(LOW),
            (_, 0..=2) => return self.go(c, State::Unicode { high, digits: digits + 1, value }),
            _ => {}
        }
        let decoded = match high {
            None => char::from_u32(value),
            Some(high) => join_surrogates(high, value),
        };
        match decoded {
            Some(_) => self.done(c, decoded, true),
            None => self.go(c, State::High(value)),
        }
    }

    fn byte(&mut self, c: char, digits: u8, value: u32) -> Fed {
        let Some(digit) = c.to_digit(16) else { return Fed::Fail(HEX) };
        let value = value << 4 | digit;
        if digits == 0 {
            self.go(c, State::Byte { digits: 1, value })
        } else {
            self.done(c, char::from_u32(value), false)
        }
    }

    fn go(&mut self, c: char, state: State) -> Fed {
        self.text.push(c);
        self.state = state;
        Fed::NeedMore
    }

    fn done(&mut self, c: char, decoded: Option<char>, strict: bool) -> Fed {
        self.text.push(c);
        self.state = State::Idle;
        Fed::Done(Unit { decoded, strict, read: true, invalid: false })
    }

    /// A backslash that begins no escape. `last`: the last character of what is data.
    fn invalid(&mut self, last: char) -> Fed {
        self.state = State::Idle;
        Fed::Done(Unit { decoded: Some(last), strict: false, read: false, invalid: true })
    }

    fn unread(&mut self, decoded: Option<char>) -> Fed {
        self.state = State::Idle;
        Fed::Done(Unit { decoded, strict: false, read: false, invalid: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::escape::strict_escape;

    /// Feeds `text` and gives the last answer and the characters it took.
    fn feed(text: &str, rules: Rules) -> (Fed, usize) {
        let mut escape = Escape::default();
        let mut last = Fed::NeedMore;
        for (at, c) in text.chars().enumerate() {
            last = escape.feed(c, rules);
            match last {
                Fed::NeedMore => assert!(escape.is_open()),
                Fed::Done(unit) => return (last, at + usize::from(unit.read)),
                Fed::Fail(_) => {
                    assert_eq!(escape.feed(c, rules), last, "a failure changes nothing");
                    return (last, at);
                }
            }
        }
        (last, text.chars().count())
    }

    #[test]
    fn the_fast_path_agrees_with_the_slow_one() {
        for text in [
            "\\n",
            "\\\"",
            "\\/",
            "\\u0041",
            "\\uD83C\\uDF0a",
            "\\ud83c\\n",
            "\\ud83cx",
            "\\udf0a",
            "\\ud83c\\ud83c",
            "\\u00g0",
            "\\q",
            "\\u12",
            "\\ud83c\\udf",
            "\\",
            "\\'",
            "\\x41",
            "\\ud83c\\u0041",
            "\\u+123",
            "\\v",
            "\\0",
        ] {
            let slow = match feed(text, Rules::Strict) {
                (Fed::Done(_), taken) => Some(taken),
                _ => None,
            };
            assert_eq!(strict_escape(text.as_bytes()).map(|(length, _)| length), slow, "{text}");
        }
    }

    #[test]
    fn the_first_character_that_fits_nowhere_fails() {
        for (text, rules, at) in [
            ("\\q", Rules::Strict, 1),
            ("\\'", Rules::Strict, 1),
            ("\\u12g4", Rules::Strict, 4),
            ("\\udc00", Rules::Strict, 3),
            ("\\ud800x", Rules::Relaxed, 6),
            ("\\ud800\\n", Rules::Relaxed, 7),
            ("\\ud800\\u0041", Rules::Relaxed, 8),
            ("\\ud800\\ud800", Rules::Relaxed, 9),
            ("\\xg0", Rules::Relaxed, 2),
            ("\\n", Rules::Identifier, 1),
        ] {
            let (fed, taken) = feed(text, rules);
            assert!(matches!(fed, Fed::Fail(_)), "{text}");
            assert_eq!(taken, at, "{text}");
        }
    }

    #[test]
    fn relaxed_escapes_decode() {
        for (text, decoded, taken) in [
            ("\\'", Some('\''), 2),
            ("\\v", Some('\u{b}'), 2),
            ("\\x7Ez", Some('~'), 4),
            ("\\xe9", Some('é'), 4),
            ("\\0a", Some('\0'), 2),
            ("\\\n", None, 2),
            ("\\\r\n", None, 3),
            ("\\\rx", None, 2),
            ("\\\u{2028}", None, 2),
        ] {
            let (fed, length) = feed(text, Rules::Relaxed);
            assert!(
                matches!(fed, Fed::Done(unit) if unit.decoded == decoded && !unit.strict && !unit.invalid),
                "{text:?}: {fed:?}"
            );
            assert_eq!(length, taken, "{text:?}");
        }
    }

    #[test]
    fn backslashes_that_begin_no_escape_are_data() {
        for (text, last, taken) in [
            ("\\q", '\\', 1),
            ("\\é", '\\', 1),
            ("\\1", '\\', 1),
            ("\\01", '0', 2),
            ("\\\t", '\\', 1),
        ] {
            let (fed, length) = feed(text, Rules::Relaxed);
            assert!(
                matches!(fed, Fed::Done(unit) if unit.invalid && unit.decoded == Some(last)),
                "{text:?}: {fed:?}"
            );
            assert_eq!(length, taken, "{text:?}");
        }
    }
}
