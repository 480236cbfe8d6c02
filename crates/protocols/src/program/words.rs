//! The words of tags.

use crate::error::SpecError;

/// Words of call tags that models write beside the format's own.
const CALL_WORDS: &[&str] = &["call", "tool", "invoke"];
/// Words of parameter tags likewise.
const PARAM_WORDS: &[&str] = &["param", "argument", "arg"];

/// The words of the tags of a parameter, whose own closing tag begins so: those that models write for it.
pub(super) fn param_words(closing_tag: &str) -> Vec<String> {
    let own = closing_tag.trim_start_matches(['<', '/']).trim_end_matches('>');
    let words = [own, "parameter"].into_iter().chain(PARAM_WORDS.iter().copied());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

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

/// The beginning of a tag: `<word=` or `</word`.
#[derive(Debug)]
pub(crate) struct UsualTag {
    pub(crate) text: String,
    /// Where in the text the word stands.
    word: std::ops::Range<usize>,
    pub(crate) of: TagKind,
    /// A name follows.
    pub(crate) named: bool,
}

/// What a tag is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TagKind {
    Wrap,
    Call,
    Param,
}

impl UsualTag {
    fn opening(word: &str, of: TagKind) -> Self {
        Self { text: format!("<{word}="), word: 1..1 + word.len(), of, named: true }
    }

    fn closing(word: &str, of: TagKind) -> Self {
        Self { text: format!("</{word}"), word: 2..2 + word.len(), of, named: false }
    }

    pub(crate) fn word(&self) -> &str {
        self.text.get(self.word.clone()).unwrap_or_default()
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
        let mut words = Self {
            usual: vec![
                UsualTag::opening(param, TagKind::Param),
                UsualTag::closing(param, TagKind::Param),
                UsualTag::closing(call, TagKind::Call),
                UsualTag::closing(&wrap, TagKind::Wrap),
            ],
            wrap: vec![wrap],
            call: own(call, CALL_WORDS),
            param: own(param, PARAM_WORDS),
        };
        // A word that stands for two things is looked up.
        let Self { usual, wrap, call, .. } = &mut words;
        let is = |words: &[String], word: &str| words.iter().any(|w| w.eq_ignore_ascii_case(word));
        usual.retain(|tag| match tag.of {
            TagKind::Param => !is(call, tag.word()) && !is(wrap, tag.word()),
            TagKind::Call => !is(wrap, tag.word()),
            TagKind::Wrap => true,
        });
        let all = words.wrap.iter().chain(&words.call).chain(&words.param);
        let fits = |word: &str| !word.is_empty() && word.chars().all(is_word_char);
        match all.into_iter().find(|word| !fits(word)) {
            Some(word) => Err(SpecError::Word { format: format.to_owned(), word: word.clone() }),
            None => Ok(words),
        }
    }

    /// What stands after the word of a parameter's opening tag: empty where the text does not begin with one;
    /// `None`: not known yet.
    pub(crate) fn after_param<'t>(&self, text: &'t str) -> Option<&'t str> {
        let Some(tag) = text.strip_prefix('<') else { return Some("") };
        let rest = tag.trim_start_matches(is_word_char);
        let word = tag.strip_suffix(rest).unwrap_or_default();
        let begins = |own: &String| own.get(..word.len()).is_some_and(|own| self.same(own, word));
        match self.param.iter().any(begins) {
            true if rest.is_empty() => None,
            true if self.param.iter().any(|own| self.same(own, word)) => Some(rest),
            _ => Some(""),
        }
    }

    pub(crate) fn same(&self, a: &str, b: &str) -> bool {
        // Most are written alike, which is seen at once.
        a == b || a.eq_ignore_ascii_case(b)
    }

    /// The place of a word among these; that of none is after them.
    pub(crate) fn place(&self, words: &[String], text: &str) -> usize {
        words.iter().position(|word| self.same(word, text)).unwrap_or(words.len())
    }

    /// Whether it is the word at that place.
    pub(crate) fn is(&self, words: &[String], place: usize, text: &str) -> bool {
        words.get(place).is_some_and(|word| self.same(word, text))
    }
}

/// Whether a character can stand in the word of a tag.
pub(crate) fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '｜')
}
