//! The words of tags.

use crate::error::SpecError;

/// Words of call tags that models write beside the format's own.
const CALL_WORDS: &[&str] = &["call", "tool", "invoke"];
/// Words of parameter tags likewise.
const PARAM_WORDS: &[&str] = &["param", "argument", "arg"];

/// The words of a format's tags.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// Of the wrapper; none where its markers are literal.
    pub(crate) wrap: Vec<String>,
    pub(crate) call: Vec<String>,
    pub(crate) param: Vec<String>,
    /// How the tags of the format's own words begin where they are written as usual.
    pub(crate) usual: Vec<UsualTag>,
}

/// The beginning of a tag: `<word=`, or, where no name follows, `<word` and `</word`.
#[derive(Debug)]
pub(crate) struct UsualTag {
    pub(crate) text: String,
    /// Where in the text the word stands.
    pub(crate) word: std::ops::Range<usize>,
    /// A name follows.
    pub(crate) named: bool,
}

impl UsualTag {
    fn new(before: &str, word: &str, after: &str) -> Self {
        let text = format!("{before}{word}{after}");
        Self { text, word: before.len()..before.len() + word.len(), named: !after.is_empty() }
    }
}

impl Words {
    /// Those of tags that are read freely, each of which can stand in one.
    pub(crate) fn of(
        format: &str,
        wrap: String,
        call: &str,
        param: &str,
    ) -> Result<Self, SpecError> {
        let own = |first: &str, more: &[&str]| -> Vec<String> {
            let more = more.iter().filter(|word| **word != first);
            std::iter::once(first).chain(more.copied()).map(str::to_owned).collect()
        };
        let usual = [("<", param, "="), ("</", param, ""), ("</", call, ""), ("</", &wrap, "")]
            .map(|(before, word, after)| UsualTag::new(before, word, after));
        let words = Self {
            usual: usual.into(),
            wrap: vec![wrap],
            call: own(call, CALL_WORDS),
            param: own(param, PARAM_WORDS),
        };
        let all = words.wrap.iter().chain(&words.call).chain(&words.param);
        match all.into_iter().find(|word| !is_tag_word(word)) {
            Some(word) => Err(SpecError::Word { format: format.to_owned(), word: word.clone() }),
            None => Ok(words),
        }
    }

    pub(crate) fn same(&self, a: &str, b: &str) -> bool {
        a.eq_ignore_ascii_case(b)
    }
}

/// Whether a word can stand in a tag: letters, digits and a few signs.
fn is_tag_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(is_word_char)
}

/// Whether a character can stand in the word of a tag.
pub(crate) fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '｜')
}
