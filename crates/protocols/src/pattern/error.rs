//! What can be wrong with a pattern.

use super::hole_names;
use crate::wording::{near_names, one_line};

/// A pattern that cannot be read, or does not fit its role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at {}{}", place(*.at, .snippet), .kind.help())]
pub struct PatternError {
    /// What is wrong.
    pub kind: PatternErrorKind,
    /// Where: the offset of a byte in the text of the pattern. An error of [`check`](super::check)
    /// counts in the pattern as it prints.
    pub at: usize,
    /// What stands there, shortened; empty at the end of the text.
    pub snippet: String,
}

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternErrorKind {
    /// A brace opens what cannot be a hole, or a hole stands where only a word may.
    #[error("`{{` that opens no hole")]
    NotAHole,
    /// No hole has that name.
    #[error("unknown hole `{{{name}}}`")]
    UnknownHole {
        /// The name given.
        name: String,
        /// Names that look like it, best first.
        near: Vec<String>,
    },
    /// A hole does not end where it has to.
    #[error("`{{{hole}` is not closed")]
    Unclosed {
        /// The name of the hole.
        hole: String,
    },
    /// A brace closes no hole.
    #[error("`}}` that closes no hole")]
    StrayBrace,
    /// A backslash stands before something that is not escaped with it.
    #[error("unknown escape")]
    BadEscape,
    /// A hole needs something after a colon.
    #[error("`{{{hole}}}` is incomplete")]
    MissingArgument {
        /// The name of the hole.
        hole: String,
        /// How it is written.
        usage: &'static str,
    },
    /// A hole takes nothing after its name.
    #[error("`{{{hole}}}` takes nothing after its name")]
    UnexpectedArgument {
        /// The name of the hole.
        hole: String,
    },
    /// A word after the colon is none of those that the hole takes.
    #[error("`{{{hole}:…}}` does not take `{}`", one_line(.word))]
    UnknownWord {
        /// The name of the hole.
        hole: String,
        /// The word given.
        word: String,
        /// What the hole takes.
        allowed: &'static str,
    },
    /// An alternative is empty.
    #[error("empty alternative")]
    EmptyAlternative,
    /// There is one alternative only, or more than `{type:…}` takes.
    #[error("`{{{hole}:…}}` with the wrong number of alternatives")]
    Alternatives {
        /// The name of the hole.
        hole: &'static str,
    },
    /// A hole stands where it means nothing.
    #[error("`{hole}` cannot stand {place}")]
    OutOfPlace {
        /// The hole.
        hole: String,
        /// Where it stands.
        place: &'static str,
    },
    /// The pattern of the arguments has no hole for keys or none for values.
    #[error("`{{args:…}}` without `{0}`")]
    ArgsWithout(&'static str),
    /// Holes, or the objects and lists of a template, stand inside each other too deep.
    #[error("nested more than {0} deep")]
    TooDeep(usize),
    /// Alternatives in a row spell more texts than are looked for.
    #[error("more than {0} spellings of one text")]
    TooManySpellings(usize),
    /// The JSON of a `{call:…}` cannot be read.
    #[error("template: {0} expected")]
    Template(&'static str),
    /// An unquoted word in the JSON of a `{call:…}` is no hole.
    #[error("template: unknown word `{word}`")]
    TemplateWord {
        /// The word given.
        word: String,
    },
    /// A hole or a key stands twice in the JSON of a `{call:…}`.
    #[error("template: `{0}` stands twice")]
    TemplateTwice(String),
    /// A list in the JSON of a `{call:…}` is not a list of calls.
    #[error("template: a list of calls holds one object and no other list of calls")]
    TemplateList,
    /// The pattern of a call does not say which tool is called.
    #[error("the pattern of a call lacks a name")]
    MissingName,
    /// The name is fixed and stands in the text too, or is fixed twice.
    #[error("second source of the name")]
    TwoNames,
    /// The arguments stand in two places.
    #[error("`{second}` after `{first}`: the arguments stand in two places")]
    TwoPayloads {
        /// The hole found first.
        first: &'static str,
        /// The hole found later.
        second: &'static str,
    },
    /// A hole that a pattern has once stands twice.
    #[error("second `{0}`")]
    Twice(&'static str),
    /// Two holes of free text have nothing between them.
    #[error("`{second}` directly after `{first}`")]
    Adjacent {
        /// The hole whose end cannot be told.
        first: &'static str,
        /// The hole after it.
        second: &'static str,
    },
    /// Two holes of free text have nothing between them if what may be absent is.
    #[error("`{second}` may stand directly after `{first}`")]
    MayMeet {
        /// The hole whose end cannot be told.
        first: &'static str,
        /// The hole after it.
        second: &'static str,
    },
    /// Nothing shows where a hole of free text ends.
    #[error("nothing shows where `{hole}` ends")]
    NoEnd {
        /// The hole.
        hole: &'static str,
    },
    /// Text of a hole is what ends it.
    #[error("`{hole}` may hold the text that ends it")]
    HoldsEnd {
        /// The hole.
        hole: &'static str,
    },
    /// Nothing shows where a call, a message, a section or an argument begins.
    #[error("nothing shows where {what} begins")]
    NoBeginning {
        /// What begins there.
        what: &'static str,
    },
    /// Text after the digits of the index begins with a digit.
    #[error("a digit directly after `{{index}}`")]
    DigitAfterIndex,
    /// Keyword arguments stand without the parentheses around them.
    #[error("`{{args:python}}` without `(` before it and `)` after it")]
    NoParentheses,
    /// A way through the pattern of a call says no name.
    #[error("the name of a call may be absent")]
    SometimesNameless,
    /// One call pattern carries visible text in its object, another does not.
    #[error("an object with `text` beside other call patterns")]
    TextBesideCalls,
    /// The notation has the hole, but nothing reads it where it stands.
    #[error("`{hole}` {place} is not read")]
    NotRead {
        /// The hole.
        hole: &'static str,
        /// Where it stands.
        place: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
    /// The pattern lacks what its role needs.
    #[error("the pattern of {role} lacks {wanted}")]
    Missing {
        /// The role.
        role: &'static str,
        /// The holes, one of which it needs.
        wanted: &'static str,
    },
    /// A hole means nothing in a pattern of that role.
    #[error("`{hole}` in the pattern of {role}")]
    NotInRole {
        /// The hole.
        hole: &'static str,
        /// The role.
        role: &'static str,
    },
}

// The places where holes may not stand.
pub(super) const OUTSIDE: &str = "outside of `{args:…}`";
pub(super) const IN_HOLE: &str = "inside a hole";
pub(super) const IN_ARGS: &str = "inside `{args:…}`";
pub(super) const IN_ARG: &str = "inside `{arg:…}`";
pub(super) const IN_ID: &str = "inside `{id:…}`";

impl PatternErrorKind {
    pub(super) fn unknown_hole(name: &str) -> Self {
        let near = near_names(name, hole_names());
        Self::UnknownHole { name: name.to_owned(), near }
    }

    /// This, found at byte `at` of `text`.
    pub(crate) fn at(self, text: &str, at: usize) -> PatternError {
        const SHOWN: usize = 16;
        let mut chars = text.get(at..).unwrap_or_default().chars();
        let mut snippet = one_line(&chars.by_ref().take(SHOWN).collect::<String>());
        if chars.next().is_some() {
            snippet.push('…');
        }
        PatternError { kind: self, at, snippet }
    }

    /// What to do about it, as the end of the message; empty where the first half says it.
    fn help(&self) -> String {
        let help = match self {
            Self::UnknownHole { near, .. } if !near.is_empty() => {
                let near: Vec<String> = near.iter().map(|name| format!("`{{{name}}}`")).collect();
                return format!("; did you mean {}?", near.join(", "));
            }
            Self::TooManySpellings(_) => "write fewer alternatives in a row",
            Self::NotAHole | Self::UnknownHole { .. } => "write `{{` for a literal brace",
            Self::Unclosed { .. } => "add `}`",
            Self::StrayBrace => "write `}}` for a literal brace",
            Self::BadEscape => r"there are `\n`, `\t`, `\r`, `\\`, `\{`, `\}`, `\|` and `\:`",
            Self::MissingArgument { usage, .. } => return format!("; write `{usage}`"),
            Self::UnexpectedArgument { .. } => "write it without",
            Self::UnknownWord { allowed, .. } => return format!("; it takes {allowed}"),
            Self::EmptyAlternative => "remove it, or use `{opt:…}` for what may be absent",
            Self::Alternatives { hole: "type" } => "write `{type:TEXT||JSON}`",
            Self::Alternatives { .. } => "separate at least two with `||`",
            Self::OutOfPlace { place, .. } => match *place {
                OUTSIDE => "put it into `{args:PATTERN}`",
                IN_HOLE => "put it beside the hole",
                IN_ARGS => {
                    "there can be `{key}`, `{value}`, `{type}`, `{name}`, `{skip}`, `{any:…}`, `{opt:…}`, \
                     `{also:…}` and `{at:…}`"
                }
                IN_ARG => {
                    "there can be `{value}`, `{skip}`, `{any:…}`, `{opt:…}`, `{also:…}` and `{at:…}`"
                }
                _ => "there can be `{name}`, `{index}`, `{any:…}`, `{opt:…}` and `{also:…}`",
            },
            Self::ArgsWithout(_) => "it holds both `{key}` and `{value}`",
            Self::TemplateWord { .. } => "quote it, or take one of `name`, `args`, `id` and `text`",
            Self::MissingName => "add `{name}`, `{name=WORD}` or `{call}`",
            Self::TwoNames | Self::Twice(_) => "keep one of them",
            Self::TwoPayloads { .. } => "keep one of them, or separate them by `{any:A||B}`",
            Self::NotInRole { .. } => "remove it",
            Self::Adjacent { .. } => "put text between them",
            Self::MayMeet { .. } => "put text between them that is always there",
            Self::DigitAfterIndex => "put other text between them",
            Self::NoEnd { .. } => "put text after it",
            Self::HoldsEnd { .. } => "put other text after it",
            Self::NoBeginning { what: "a call" } => {
                "begin it with text, or give a `wrap` that begins with text"
            }
            Self::NoBeginning { .. } => "begin it with text",
            Self::TextBesideCalls => "make it a format of its own",
            Self::NotRead { instead, .. } => instead,
            Self::NoParentheses => "write `({args:python})`",
            Self::SometimesNameless => {
                "put `{name}` outside of `{opt:…}`, or into each alternative of `{any:…}`"
            }
            _ => return String::new(),
        };
        format!("; {help}")
    }
}

fn place(at: usize, snippet: &str) -> String {
    if snippet.is_empty() {
        format!("the end (byte {at})")
    } else {
        format!("byte {at} (`{snippet}`)")
    }
}
