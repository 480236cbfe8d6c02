//! Policies: what happens where a wire format leaves a choice.
//!
//! Every policy has a general default; a format may bring its own (`json-mix` keeps all
//! whitespace, for example), and a request overrides both. Policies that a format may decide are
//! `Option`s here: `None` means "as the format says".
//!
//! Invariant: a policy never changes what the bytes mean, only what is done with them.
//! `docs/options.md` lists all with the numbers by which they are cited.

use toolweir_rjson::{Mode, parse};

use crate::error::OptionError;

/// What is chosen by a word.
pub(crate) trait Choice: Sized {
    /// Every spelling.
    const SPELLINGS: &'static [&'static str];

    /// The choice of that spelling.
    fn read(word: &str) -> Option<Self>;

    /// Its spelling.
    fn spelling(&self) -> &'static str;
}

/// Gives each variant of an enum its spelling.
macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal,)+ }) => {
        impl $name {
            /// Every spelling.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The choice of that spelling.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use words;

/// Declares enums of choices with the spelling of each. The first choice is the default.
macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident {
        $(#[$first_doc:meta])* $first:ident = $first_word:literal,
        $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)*
    })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $(#[$first_doc])*
            #[default]
            $first,
            $($(#[$variant_doc])* $variant,)*
        }

        $crate::policy::words!($name { $first = $first_word, $($variant = $word,)* });

        impl $name {
            /// The spelling used on the command line and in data files.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    Self::$first => $first_word,
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl $crate::policy::Choice for $name {
            const SPELLINGS: &'static [&'static str] = Self::WORDS;

            fn read(word: &str) -> Option<Self> {
                Self::from_word(word)
            }

            fn spelling(&self) -> &'static str {
                self.word()
            }
        }
    )+};
}
pub(crate) use choices;

choices! {
    /// What becomes of the source of a call that cannot be read.
    Malformed {
        /// It comes back as visible text, with a diagnostic.
        Text = "text",
        /// It stays hidden; the diagnostic carries its span.
        Drop = "drop",
    }

    /// Whether a call whose payload is closed but whose end marker is missing is accepted.
    Unclosed {
        /// Accepted when its structure says that it is whole.
        Accept = "accept",
        /// Never accepted; the source is treated like that of an unreadable call.
        Text = "text",
    }

    /// What happens to whitespace around calls.
    TextPolicy {
        /// Byte for byte, but a run of nothing but whitespace that touches a call is dropped, and
        /// so are the framing newlines that the format lists.
        Preserve = "preserve",
        /// As `Preserve`, and whitespace at both edges of every text run is dropped too.
        TrimEdges = "trim-edges",
        /// Byte for byte, without exception.
        PreserveAll = "preserve-all",
    }

    /// Which tool names make a call.
    Names {
        /// Any name; an undeclared one is reported with `known` false.
        Any = "any",
        /// Declared names only; anything else is text.
        Declared = "declared",
        /// Declared names where tools are declared, any name where none are.
        DeclaredIfAny = "declared-if-any",
    }

    /// What happens to argument keys that the tool's schema does not declare.
    Undeclared {
        /// They stay.
        Keep = "keep",
        /// They go, unless the schema allows additional keys.
        Drop = "drop",
    }

    /// What a tool-call opener inside reasoning means.
    ToolsInReasoning {
        /// It ends the reasoning, where the family's table says that it may.
        End = "end",
        /// It is reasoning text.
        Ignore = "ignore",
        /// The call is reported and the stream stays in reasoning.
        Extract = "extract",
    }

    /// What argument deltas carry.
    Deltas {
        /// Source bytes where they are strict JSON, canonical JSON from the first repaired byte on.
        Canonical = "canonical",
        /// The payload as written; the invocation then carries its own arguments text.
        Source = "source",
    }

    /// Which spelled-out markers count.
    MarkerPolicy {
        /// Every one.
        Any = "any",
        /// Where the source attributes text to special tokens, only those made of them.
        SpecialOnly = "special-only",
    }

    /// What happens to a member given twice in the arguments.
    DuplicateKeys {
        /// The later value counts, with a diagnostic; the text keeps both.
        Last = "last",
        /// The call cannot be read.
        Error = "error",
    }

    /// What happens to a call of an element format that gives two elements for a string.
    Duplicates {
        /// The call is cancelled as one that cannot be read.
        Cancel = "cancel",
        /// The first counts.
        First = "first",
        /// The last counts; the text keeps both.
        Last = "last",
        /// They are a list.
        Array = "array",
    }

    /// What happens to a call of which another reading fits its tool as well.
    Guesses {
        /// It does not run: it is treated as one that cannot be read.
        Refuse = "refuse",
        /// It runs, with a warning.
        Run = "run",
    }

    /// How forgiving a JSON payload is read.
    JsonReading {
        /// Damaged JSON too: unescaped quotes, missing commas, unquoted words. The declared keys of
        /// the tool say which quote ends a string; what is a guess does not run. A string or the
        /// arguments that the model has not closed are never closed for it.
        Repair = "repair",
        /// Relaxed JSON: single quotes, comments, trailing commas, Python literals.
        Relaxed = "relaxed",
        /// Standard JSON.
        Strict = "strict",
    }

    /// What becomes of a backslash in a JSON string that begins no escape (`\d`).
    InvalidEscape {
        /// It stays, with a warning.
        Keep = "keep",
        /// It goes, as the founding relaxed JSON has it, with a warning.
        Drop = "drop",
    }

    /// What happens to a value that cannot be made to fit its schema.
    InvalidArguments {
        /// The call stands, the value as the model wrote it, with a warning.
        Keep = "keep",
        /// The call is treated as one that cannot be read.
        Reject = "reject",
    }
}

/// The policies of one request.
///
/// ```
/// use toolweir_protocols::{Malformed, Policies};
/// let mut policies = Policies::default();
/// policies.set("malformed", "drop").unwrap();
/// assert_eq!(policies.malformed, Malformed::Drop);
/// assert!(policies.set("malformed", "maybe").is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policies {
    /// Source of an unreadable call. Default: text.
    pub malformed: Malformed,
    /// Missing end markers. Default: as the format says (mostly accept).
    pub unclosed: Option<Unclosed>,
    /// Whitespace around calls. Default: as the format says (mostly preserve).
    pub text: Option<TextPolicy>,
    /// Which names make a call. Default: as the format says (marked formats: any).
    pub names: Option<Names>,
    /// Undeclared argument keys. Default: keep.
    pub undeclared: Undeclared,
    /// Argument keys, at any depth, that make a call unreadable. Default: none.
    pub deny_keys: Vec<String>,
    /// Members given twice. Default: last.
    pub duplicate_keys: DuplicateKeys,
    /// Two elements for one string, in element formats. Default: cancel.
    pub duplicates: Duplicates,
    /// Openers inside reasoning. Default: as the reasoning family says.
    pub tools_in_reasoning: Option<ToolsInReasoning>,
    /// What argument deltas carry. Default: as the format says (mostly canonical).
    pub deltas: Option<Deltas>,
    /// Which markers count. Default: any.
    pub markers: MarkerPolicy,
    /// Values that do not fit their schema. Default: keep.
    pub invalid_arguments: InvalidArguments,
    /// Calls of which another reading fits as well. Default: refuse.
    pub guesses: Guesses,
    /// How forgiving JSON payloads are read. Default: as the format says (mostly repair).
    pub json: Option<JsonReading>,
    /// Backslashes that begin no escape, in JSON payloads. Default: keep.
    pub invalid_escape: InvalidEscape,
    /// Also drop one newline directly before a call's opener, after other text. Default: false.
    pub framing_newline: bool,
}

impl InvalidEscape {
    /// The same as an option of the JSON reader.
    pub(crate) const fn of_json(self) -> toolweir_rjson::InvalidEscape {
        match self {
            Self::Keep => toolweir_rjson::InvalidEscape::Keep,
            Self::Drop => toolweir_rjson::InvalidEscape::Drop,
        }
    }
}

/// Keys that mean something to a JavaScript consumer.
const PROTOTYPE_KEYS: [&str; 3] = ["__proto__", "constructor", "prototype"];

impl Policies {
    /// Whether a key of the arguments is denied.
    pub(crate) fn denies(&self, key: &str) -> bool {
        self.deny_keys.iter().any(|denied| denied == key)
    }

    /// The names that [`Policies::set`] knows.
    pub const KEYS: &'static [&'static str] = &[
        "malformed",
        "unclosed",
        "text",
        "names",
        "undeclared",
        "deny_keys",
        "deny_prototype_keys",
        "duplicate_keys",
        "duplicates",
        "tools_in_reasoning",
        "deltas",
        "markers",
        "invalid_arguments",
        "guesses",
        "json",
        "invalid_escape",
        "framing_newline",
    ];

    /// Sets one policy by its name and the spelling of its choice, as on a command line.
    ///
    /// # Errors
    /// [`OptionError::UnknownKey`] for a name that is no policy, [`OptionError::BadValue`] for a
    /// spelling that is no choice of it.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), OptionError> {
        match key {
            "malformed" => self.malformed = pick(key, value)?,
            "unclosed" => self.unclosed = Some(pick(key, value)?),
            "text" => self.text = Some(pick(key, value)?),
            "names" => self.names = Some(pick(key, value)?),
            "undeclared" => self.undeclared = pick(key, value)?,
            "tools_in_reasoning" => self.tools_in_reasoning = Some(pick(key, value)?),
            "deltas" => self.deltas = Some(pick(key, value)?),
            "markers" => self.markers = pick(key, value)?,
            "duplicate_keys" => self.duplicate_keys = pick(key, value)?,
            "duplicates" => self.duplicates = pick(key, value)?,
            "invalid_arguments" => self.invalid_arguments = pick(key, value)?,
            "guesses" => self.guesses = pick(key, value)?,
            "json" => self.json = Some(pick(key, value)?),
            "invalid_escape" => self.invalid_escape = pick(key, value)?,
            "framing_newline" => self.framing_newline = flag(key, value)?,
            "deny_prototype_keys" => {
                self.deny_keys.retain(|k| !PROTOTYPE_KEYS.contains(&k.as_str()));
                if flag(key, value)? {
                    self.deny_keys.extend(PROTOTYPE_KEYS.map(String::from));
                }
            }
            "deny_keys" => self.deny_keys = keys(value),
            _ => return Err(OptionError::unknown(key, Self::KEYS)),
        }
        Ok(())
    }
}

/// Keys with commas between them, or as a JSON list of strings.
fn keys(value: &str) -> Vec<String> {
    let split = || value.split(',').map(str::trim).filter(|key| !key.is_empty());
    json_texts(value).unwrap_or_else(|| split().map(String::from).collect())
}

/// A JSON list of strings.
pub(crate) fn json_texts(text: &str) -> Option<Vec<String>> {
    let list = parse(text, Mode::Strict).ok()?.value;
    list.as_array()?.iter().map(|item| item.as_str().map(String::from)).collect()
}

/// Reads a choice, or says which there are.
pub(crate) fn pick<T: Choice>(key: &str, value: &str) -> Result<T, OptionError> {
    T::read(value).ok_or_else(|| OptionError::bad(key, value, T::SPELLINGS))
}

/// Reads `true` or `false`.
pub(crate) fn flag(key: &str, value: &str) -> Result<bool, OptionError> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(OptionError::bad(key, value, &["true", "false"])),
    }
}
