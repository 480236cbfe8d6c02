//! One Python escape at a time, and JSON's surrogate pairs.

/// The longest name in `\N{…}`.
const MAX_NAME: usize = 96;

/// An escape that is being read.
#[derive(Clone, Debug, Default)]
pub(super) struct Escape {
    /// What stands after the backslash.
    text: String,
    /// The first half of a surrogate pair.
    pub(super) high: Option<u32>,
}

/// What the next character made of the escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fed {
    /// It takes more; the character belongs to it.
    More,
    /// It is complete. `taken`: the character belongs to it.
    Done { value: Value, taken: bool },
}

/// What an escape stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Char(char),
    /// A line continuation.
    Nothing,
    /// The first half of a surrogate pair.
    High(u32),
    /// The second half.
    Low(u32),
    /// No escape: the text stays.
    Invalid,
    /// `\N{…}`, which stays.
    Named,
}

impl Escape {
    pub(super) fn begin(&mut self) {
        self.text.clear();
    }

    pub(super) fn reset(&mut self) {
        self.text.clear();
        self.high = None;
    }

    /// Whether nothing was read after the backslash.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Takes what stands after the backslash.
    pub(super) fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    pub(super) fn feed(&mut self, c: char) -> Fed {
        let done = |value| Fed::Done { value, taken: true };
        let before = |value| Fed::Done { value, taken: false };
        match self.text.as_bytes() {
            [] => {
                self.text.push(c);
                first(c).map_or(Fed::More, done)
            }
            [b'\r'] if c == '\n' => done(Value::Nothing),
            [b'\r'] => before(Value::Nothing),
            [b'N', ..] => self.named(c),
            [b'0'..=b'7', ..] => match c {
                '0'..='7' => {
                    self.text.push(c);
                    if self.text.len() < 3 { Fed::More } else { done(code(&self.text, 8)) }
                }
                _ => before(code(&self.text, 8)),
            },
            [kind, ..] => {
                let digits = match kind {
                    b'x' => 2,
                    b'u' => 4,
                    _ => 8,
                };
                if !c.is_ascii_hexdigit() {
                    return before(Value::Invalid);
                }
                self.text.push(c);
                if self.text.len() <= digits {
                    return Fed::More;
                }
                done(code(self.text.get(1..).unwrap_or_default(), 16))
            }
        }
    }

    fn named(&mut self, c: char) -> Fed {
        let fits = match self.text.len() {
            1 => c == '{',
            length => {
                matches!(c, 'A'..='Z' | 'a'..='z' | '0'..='9' | ' ' | '-' | '}')
                    && length < MAX_NAME
            }
        };
        if !fits {
            return Fed::Done { value: Value::Invalid, taken: false };
        }
        self.text.push(c);
        if c == '}' { Fed::Done { value: Value::Named, taken: true } } else { Fed::More }
    }
}

/// The character that both halves of a surrogate pair make.
pub(super) fn pair(high: u32, low: u32) -> char {
    let code = 0x1_0000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// What an escape of one character stands for; `None`: it is longer.
fn first(c: char) -> Option<Value> {
    Some(Value::Char(match c {
        '\\' | '\'' | '"' => c,
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '\n' => return Some(Value::Nothing),
        '\r' | 'x' | 'u' | 'U' | 'N' | '0'..='7' => return None,
        _ => return Some(Value::Invalid),
    }))
}

fn code(digits: &str, base: u32) -> Value {
    match u32::from_str_radix(digits, base) {
        Ok(high @ 0xd800..=0xdbff) => Value::High(high),
        Ok(low @ 0xdc00..=0xdfff) => Value::Low(low),
        Ok(code) => char::from_u32(code).map_or(Value::Invalid, Value::Char),
        Err(_) => Value::Invalid,
    }
}
