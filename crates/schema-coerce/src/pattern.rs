//! Regular expressions of schemas, behind the feature `regex`: linear time, bounded size.
//!
//! JSON Schema means ECMAScript's; the `regex` crate reads nearly the same. What differs is rewritten:
//! `\d`, `\w` and `\s` are ASCII digits, ASCII word characters and ECMAScript's whitespace, `\/` is a
//! slash, `\cX` a control character, `\uXXXX` a code point. Look-around and back references have no
//! linear engine and are refused.

use alloc::vec::Vec;
use core::fmt;

use crate::schema::Id;

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

/// The patterns of an object's members, each with the schema it speaks of, in the order of the schema.
///
/// A key is held against all of them at once, so that many patterns cost a key little more than one.
#[derive(Clone, Default)]
pub(crate) struct MemberPatterns {
    list: Vec<(Pattern, Id)>,
    /// All of them as one machine; none for few, or where together they are too large.
    #[cfg(feature = "regex")]
    set: Option<alloc::sync::Arc<regex::RegexSet>>,
    /// How often a machine ran over a key.
    #[cfg(feature = "meter")]
    runs: Option<alloc::sync::Arc<core::sync::atomic::AtomicU64>>,
}

impl fmt::Debug for MemberPatterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.list).finish()
    }
}

impl MemberPatterns {
    /// None at all.
    pub(crate) const NONE: Self = Self {
        list: Vec::new(),
        #[cfg(feature = "regex")]
        set: None,
        #[cfg(feature = "meter")]
        runs: None,
    };

    /// `list`: the patterns as they are written, compiled, and their schemas.
    pub(crate) fn new(list: Vec<(&str, Pattern, Id)>) -> Self {
        Self {
            #[cfg(feature = "regex")]
            set: Self::joined(&list),
            list: list.into_iter().map(|(_, pattern, id)| (pattern, id)).collect(),
            #[cfg(feature = "meter")]
            runs: Some(alloc::sync::Arc::default()),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The schemas that hold for a member by a pattern, in the order of the schema.
    pub(crate) fn of(&self, key: &str) -> impl Iterator<Item = Id> {
        #[cfg(feature = "regex")]
        if let Some(set) = &self.set {
            self.ran(1);
            let found: Vec<usize> = set.matches(key).into_iter().collect();
            let ids = found.into_iter().filter_map(|place| self.list.get(place));
            return ids.map(|(_, id)| *id).collect::<Vec<_>>().into_iter();
        }
        self.ran(self.list.len());
        let matching = self.list.iter().filter(|(pattern, _)| pattern.matches(key));
        matching.map(|(_, id)| *id).collect::<Vec<_>>().into_iter()
    }

    #[cfg(feature = "meter")]
    fn ran(&self, times: usize) {
        if let Some(runs) = &self.runs {
            runs.fetch_add(times as u64, core::sync::atomic::Ordering::Relaxed);
        }
    }

    #[cfg(not(feature = "meter"))]
    #[expect(clippy::unused_self, reason = "counts with the feature `meter`")]
    const fn ran(&self, _: usize) {}

    /// How often a machine ran over a key.
    #[cfg(feature = "meter")]
    pub(crate) fn runs(&self) -> u64 {
        let runs = self.runs.as_ref();
        runs.map_or(0, |runs| runs.load(core::sync::atomic::Ordering::Relaxed))
    }
}

#[cfg(feature = "regex")]
impl MemberPatterns {
    /// So many patterns are worth a machine of their own.
    const MANY: usize = 4;
    /// Most bytes all patterns of one object may take together.
    const SET_LIMIT: usize = 16 << 20;

    fn joined(list: &[(&str, Pattern, Id)]) -> Option<alloc::sync::Arc<regex::RegexSet>> {
        if list.len() < Self::MANY {
            return None;
        }
        let built = regex::RegexSetBuilder::new(list.iter().map(|(source, ..)| translated(source)))
            .size_limit(Self::SET_LIMIT)
            .dfa_size_limit(Self::SET_LIMIT)
            .nest_limit(Pattern::NEST_LIMIT)
            .build();
        built.ok().map(Into::into)
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
        Pattern::new(pattern).is_ok_and(|pattern| pattern.matches(text))
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

    #[test]
    fn all_at_once_is_each_by_itself() {
        let sources = ["^a", "b$", r"^\d+$", "", "^ab$", "é", r"\w\s"];
        let keys = ["", "a", "ab", "b", "12", "é", "a b", "xyz\n"];
        let compiled = |count: usize| {
            let list = sources.iter().take(count).enumerate();
            let list = list.map(|(place, source)| {
                let id: Id = u32::try_from(place).unwrap();
                (*source, Pattern::new(source).unwrap(), id)
            });
            MemberPatterns::new(list.collect())
        };
        let (many, few) = (compiled(sources.len()), compiled(3));
        assert!(many.set.is_some() && few.set.is_none());
        for key in keys {
            let each = |count: usize| {
                let list = sources.iter().take(count).enumerate();
                let matching = list.filter(|(_, source)| matches(source, key));
                matching.map(|(n, _)| u32::try_from(n).unwrap()).collect::<Vec<_>>()
            };
            assert_eq!(many.of(key).collect::<Vec<_>>(), each(sources.len()), "{key:?}");
            assert_eq!(few.of(key).collect::<Vec<_>>(), each(3), "{key:?}");
        }
    }
}
