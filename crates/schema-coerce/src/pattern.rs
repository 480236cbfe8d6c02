//! Regular expressions of schemas, behind the feature `regex`: linear time, bounded size.
//!
//! JSON Schema means ECMAScript's; the `regex` crate reads nearly the same. What differs is rewritten:
//! `\d`, `\w` and `\s` are ASCII digits, ASCII word characters and ECMAScript's blanks, `\/` is a
//! slash, `\cX` a control character, `\uXXXX` a code point. Look-around and back references have no
//! linear engine and are refused.

use core::fmt;

/// A compiled pattern.
#[derive(Clone)]
pub(crate) struct Pattern {
    #[cfg(feature = "regex")]
    regex: alloc::sync::Arc<regex::Regex>,
    #[cfg(not(feature = "regex"))]
    never: core::convert::Infallible,
}

/// Why a pattern was not compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It is malformed, too large, or needs more than linear time.
    #[cfg_attr(not(feature = "regex"), allow(dead_code, reason = "made with the feature only"))]
    Bad,
    /// The feature is off.
    #[cfg_attr(feature = "regex", allow(dead_code, reason = "made without the feature only"))]
    Off,
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pattern")
    }
}

#[cfg(not(feature = "regex"))]
impl Pattern {
    pub(crate) fn new(_: &str) -> Result<Self, Refusal> {
        Err(Refusal::Off)
    }

    pub(crate) fn matches(&self, _: &str) -> bool {
        match self.never {}
    }
}

#[cfg(feature = "regex")]
impl Pattern {
    /// Most bytes a compiled pattern may take.
    const SIZE_LIMIT: usize = 1 << 20;
    /// Deepest nesting of groups.
    const NEST_LIMIT: u32 = 64;

    pub(crate) fn new(source: &str) -> Result<Self, Refusal> {
        let built = regex::RegexBuilder::new(&translated(source))
            .size_limit(Self::SIZE_LIMIT)
            .dfa_size_limit(Self::SIZE_LIMIT)
            .nest_limit(Self::NEST_LIMIT)
            .build();
        built.map(|regex| Self { regex: regex.into() }).map_err(|_| Refusal::Bad)
    }

    /// Whether it matches anywhere in the text.
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// The pattern as the engine spells it.
#[cfg(feature = "regex")]
fn translated(source: &str) -> alloc::string::String {
    const BLANKS: &str = r"\t\n\v\f\r\p{Zs}\x{2028}\x{2029}\x{FEFF}";
    let mut out = alloc::string::String::with_capacity(source.len());
    let mut chars = source.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('d') if in_class => out.push_str("0-9"),
                Some('d') => out.push_str("[0-9]"),
                Some('D') => out.push_str("[^0-9]"),
                Some('w') if in_class => out.push_str("0-9A-Za-z_"),
                Some('w') => out.push_str("[0-9A-Za-z_]"),
                Some('W') => out.push_str("[^0-9A-Za-z_]"),
                Some('s') if in_class => out.push_str(BLANKS),
                Some('s') => out.extend(["[", BLANKS, "]"]),
                Some('S') => out.extend(["[^", BLANKS, "]"]),
                Some('b') if in_class => out.push_str(r"\x08"),
                Some('b') => out.push_str(r"(?-u:\b)"),
                Some('/') => out.push('/'),
                Some('c') => {
                    let code = chars.next().map_or(0, |letter| u32::from(letter) % 32);
                    out.push_str(&alloc::format!("\\x{{{code:X}}}"));
                }
                Some(other) => out.extend(['\\', other]),
                None => out.push('\\'),
            },
            '[' if in_class => out.push_str(r"\["),
            '[' => {
                in_class = true;
                out.push('[');
            }
            ']' => {
                in_class = false;
                out.push(']');
            }
            // Set operators of the engine, plain characters in ECMAScript.
            '&' | '~' if in_class => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

#[cfg(all(test, feature = "regex"))]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        Pattern::new(pattern).unwrap().matches(text)
    }

    #[test]
    fn patterns_match_anywhere_and_mean_what_ecmascript_means() {
        assert!(matches("b", "abc"));
        assert!(!matches("^b", "abc"));
        assert!(matches(r"^\d+$", "12"));
        assert!(!matches(r"^\d+$", "١٢"));
        assert!(!matches(r"^\w$", "é"));
        assert!(matches(r"^[\d\s-]+$", "1 2-3"));
        assert!(matches(r"^\S+$", "a"));
        assert!(matches(r"^\/x\/$", "/x/"));
        assert!(matches(r"^[[a&&b]+$", "a[&b"));
        assert!(matches(r"^é{2}$", "éé"));
        assert!(!matches("^a$", "a\n"));
    }

    #[test]
    fn what_no_linear_engine_reads_is_refused() {
        for pattern in ["(", "(?=a)", r"(a)\1", "(((a{1000}){1000}){1000})"] {
            assert_eq!(Pattern::new(pattern).err(), Some(Refusal::Bad), "{pattern}");
        }
    }
}
