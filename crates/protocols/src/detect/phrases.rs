//! Names of models, cut into words and numbers, and the names that a row gives itself.
//!
//! `Qwen2.5-Coder-7B` is `qwen`, `2.5`, `coder`, `7b`. A number is one word with its point, so that 2 is
//! not the beginning of 2.5; a number with a single letter after it is a size and no version.
//!
//! The text `models` of a row is a list for people; what is read of it:
//!
//! ```ebnf
//! models  = phrase, { ( "," | ";" | ":" | " and " ), phrase } ;
//! phrase  = name, [ range ], [ "(not ", name, ")" ] ;
//! range   = " to ", number | " and later" ;
//! ```
//!
//! A phrase that begins with a version (`3.2`, `V3.1`, `K2`) goes on with the name before it; from words
//! such as `with` or `under` on a phrase says how a model is used and not which one it is. After a colon
//! stand names with and without the one before the colon.

use std::cmp::Ordering;

/// A word or a number of a name, and where it stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Atom {
    pub(super) text: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A name that stands for a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phrase {
    /// As it is written, for the evidence.
    pub(super) text: String,
    pub(super) atoms: Vec<String>,
    /// How far the number at its end goes.
    pub(super) until: Until,
    /// A name with one of these words is another's.
    pub(super) except: Vec<String>,
}

/// The versions that a phrase with a number at its end stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// That one.
    Itself,
    /// Up to this one.
    Version(String),
    /// All from it on.
    Open,
}

/// Words that name no model.
const COMMON: &[&str] = &[
    "a", "an", "any", "agent", "chat", "model", "models", "native", "other", "prompted", "the",
    "tool", "tools", "xml", "json", "yaml",
];

/// From here on a phrase says how a model is used.
const HOW: &[&str] = &[
    "behind", "by", "for", "from", "in", "of", "on", "prompted", "under", "when", "with", "without",
];

/// The name cut into words and numbers, in lower case.
pub(super) fn atoms(name: &str) -> Vec<Atom> {
    let mut all: Vec<Atom> = Vec::new();
    let mut chars = name.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if !c.is_alphanumeric() {
            continue;
        }
        let digit = c.is_ascii_digit();
        let mut end = start + c.len_utf8();
        while let Some(&(at, next)) = chars.peek() {
            let after = name.as_bytes().get(at + 1);
            let point = digit && next == '.' && after.is_some_and(u8::is_ascii_digit);
            let same = next.is_alphanumeric() && next.is_ascii_digit() == digit;
            if !point && !same {
                break;
            }
            end = at + next.len_utf8();
            chars.next();
        }
        let text = name.get(start..end).unwrap_or_default().to_ascii_lowercase();
        // A size: `7b`, `128k`.
        let size = !digit
            && text.len() == 1
            && all.last().is_some_and(|last| last.end == start && is_number(&last.text));
        match all.last_mut().filter(|_| size) {
            Some(last) => {
                last.text.push_str(&text);
                last.end = end;
            }
            None => all.push(Atom { text, start, end }),
        }
    }
    all
}

pub(super) fn is_number(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// How two versions compare: `4` is `4.0`, `4.5` is before `4.10` as it is before `5`.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    let parts = |version: &str| -> Vec<u64> {
        let mut parts: Vec<u64> =
            version.split('.').map(|part| part.parse().unwrap_or(u64::MAX)).collect();
        while parts.len() > 1 && parts.last() == Some(&0) {
            parts.pop();
        }
        parts
    };
    parts(a).cmp(&parts(b))
}

/// The names and aliases of a format, and what its text `models` names.
pub(super) fn of<'a>(names: impl Iterator<Item = &'a str>, models: &str) -> Vec<Phrase> {
    let mut all: Vec<Phrase> = Vec::new();
    for phrase in models_of(models).into_iter().chain(names.map(Phrase::of)) {
        let says = phrase.atoms.iter().any(|atom| !is_number(atom) && !COMMON.contains(&&**atom));
        let same = |known: &Phrase| known.atoms == phrase.atoms && known.until == phrase.until;
        if says && !all.iter().any(same) {
            all.push(phrase);
        }
    }
    all
}

impl Phrase {
    fn of(text: &str) -> Self {
        let atoms = atoms(text).into_iter().map(|atom| atom.text).collect();
        Self { text: text.to_owned(), atoms, until: Until::Itself, except: Vec::new() }
    }
}

fn models_of(models: &str) -> Vec<Phrase> {
    let mut all: Vec<Phrase> = Vec::new();
    let mut head: Option<Vec<String>> = None;
    let mut rest = models;
    while !rest.is_empty() {
        let (piece, colon, after) = next_piece(rest);
        rest = after;
        let piece = piece.trim();
        if piece == "later" {
            if let Some(last) = all.last_mut() {
                last.until = Until::Open;
                head = colon.then(|| last.atoms.clone()).or(head);
            }
            continue;
        }
        let Some(phrase) = read(piece, all.last()) else { continue };
        if let Some(head) = head.as_ref().filter(|head| !phrase.atoms.starts_with(head)) {
            let atoms = head.iter().chain(&phrase.atoms).cloned().collect();
            all.push(Phrase { atoms, ..phrase.clone() });
        }
        if colon {
            head = Some(phrase.atoms.clone());
        }
        all.push(phrase);
    }
    all
}

/// The text before the next separator, whether that is a colon, and the text after it.
fn next_piece(text: &str) -> (&str, bool, &str) {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let here = text.get(at..).unwrap_or_default();
        let length = match c {
            _ if depth > 0 => continue,
            ',' | ';' | ':' => 1,
            _ if here.starts_with(" and ") => " and ".len(),
            _ => continue,
        };
        let after = text.get(at + length..).unwrap_or_default();
        return (text.get(..at).unwrap_or_default(), c == ':', after);
    }
    (text, false, "")
}

/// One phrase; `before`: the one that it may go on with.
fn read(piece: &str, before: Option<&Phrase>) -> Option<Phrase> {
    let piece = piece.strip_prefix("prompted ").unwrap_or(piece);
    let (name, inside) = piece.split_once('(').unwrap_or((piece, ""));
    let except = inside.trim_end_matches(')').strip_prefix("not ").unwrap_or_default();
    let except = atoms(except).into_iter().map(|atom| atom.text).collect();
    let words: Vec<&str> = name.split_whitespace().collect();
    let ends = words.iter().position(|word| HOW.contains(&word.to_ascii_lowercase().as_str()));
    let mut words = words.get(..ends.unwrap_or(words.len())).unwrap_or_default();
    let mut until = Until::Itself;
    if let [name @ .., "to", version] = words {
        let version = atoms(version).pop().map(|atom| atom.text).unwrap_or_default();
        (words, until) = (name, Until::Version(version));
    }
    let text = words.join(" ");
    let mut phrase = Phrase { until, except, ..Phrase::of(&text) };
    // `V3.1` and `3` go on with `DeepSeek`.
    if let (Some(before), Some(first)) = (before, words.first())
        && goes_on(first)
    {
        let is_version = |atom: &&String| is_number(atom) || atom.len() == 1;
        let name = before.atoms.iter().take_while(|atom| !is_version(atom)).cloned();
        let name: Vec<String> = name.collect();
        let text = before.text.split_whitespace().take(name.len()).collect::<Vec<_>>().join(" ");
        phrase.atoms = name.into_iter().chain(phrase.atoms).collect();
        phrase.text = format!("{text} {}", phrase.text);
    }
    (!phrase.atoms.is_empty()).then_some(phrase)
}

/// Whether a word is a version: digits, or a letter and digits.
fn goes_on(word: &str) -> bool {
    let first = word.split('-').next().unwrap_or_default();
    let digits = first.strip_prefix(|c: char| c.is_ascii_alphabetic()).unwrap_or(first);
    !digits.is_empty() && is_number(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(name: &str) -> Vec<String> {
        atoms(name).into_iter().map(|atom| atom.text).collect()
    }

    fn named(models: &str) -> Vec<String> {
        models_of(models).into_iter().map(|phrase| phrase.atoms.join(" ")).collect()
    }

    #[test]
    fn names_are_words_versions_and_sizes() {
        assert_eq!(cut("Qwen2.5-Coder-7B"), ["qwen", "2.5", "coder", "7b"]);
        assert_eq!(cut("DeepSeek-V3.1"), ["deepseek", "v", "3.1"]);
        assert_eq!(
            cut("Qwen3-30B-A3B-Instruct-2507"),
            ["qwen", "3", "30b", "a", "3b", "instruct", "2507"]
        );
        assert_eq!(cut("phi-4.gguf"), ["phi", "4", "gguf"]);
        assert_eq!(cut("…"), [] as [&str; 0]);
    }

    #[test]
    fn versions_compare_by_their_numbers() {
        assert_eq!(compare("4", "4.0"), Ordering::Equal);
        assert_eq!(compare("4.10", "4.9"), Ordering::Greater);
        assert_eq!(compare("5", "4.7"), Ordering::Greater);
    }

    #[test]
    fn the_models_of_a_row_are_phrases() {
        assert_eq!(
            named("DeepSeek V3, V3-0324, R1"),
            ["deepseek v 3", "deepseek v 3 0324", "deepseek r 1"]
        );
        assert_eq!(
            named("Hermes 2 Pro, 3; SmolLM3; prompted models"),
            ["hermes 2 pro", "hermes 3", "smollm 3", "models",]
        );
        assert_eq!(named("Mistral with the tokenizer v11 and later: Small 3.2, Devstral").len(), 5);
        assert_eq!(named("Kimi K2, K2 Thinking"), ["kimi k 2", "kimi k 2 thinking"]);
        let range = models_of("Qwen3-Coder, Qwen 3.5 to 3.7");
        assert_eq!(range[1].until, Until::Version("3.7".into()));
        let open = models_of("GLM 4.5, 5 and later");
        assert_eq!((open[1].atoms.join(" "), &open[1].until), ("glm 5".into(), &Until::Open));
        let except = models_of("Qwen 3 (not Coder)");
        assert_eq!(
            (except[0].atoms.len(), except[0].except.as_slice()),
            (2, &["coder".into()][..])
        );
        assert_eq!(of(["xml"].into_iter(), "any prompted model under an agent"), []);
    }
}
