//! Policies: what happens where a wire format leaves a choice.
//!
//! Every policy has a general default; a format may bring its own (`json-mix` keeps all white
//! space, for example), and a request overrides both. Policies that a format may decide are
//! `Option`s here: `None` means "as the format says".
//!
//! Invariant: a policy never changes what the bytes mean, only what is done with them.

use toolweir_rjson::{Mode, Value, parse};

use crate::error::OptionError;

/// Declares a policy enum with the spelling of each choice.
macro_rules! choices {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// Every spelling that [`Policies::set`] takes for this policy.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The choice of that spelling.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }

            /// The spelling used on the command line and in data files.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }
    };
}

choices! {
    /// What becomes of the source of a call that cannot be read.
    Malformed {
        /// It comes back as visible text, with a diagnostic.
        Text = "text",
        /// It stays hidden; the diagnostic carries its span.
        Drop = "drop",
    }
}
choices! {
    /// Whether a call whose payload is closed but whose end marker is missing is accepted.
    Unclosed {
        /// Accepted when its structure says that it is whole.
        Accept = "accept",
        /// Never accepted; the source is treated like that of an unreadable call.
        Text = "text",
    }
}
choices! {
    /// What happens to white space around calls.
    TextPolicy {
        /// Byte for byte, but a run of nothing but white space that touches a call is dropped, and
        /// so are the framing newlines that the format lists.
        Preserve = "preserve",
        /// As `Preserve`, and white space at both edges of every text run is dropped too.
        TrimEdges = "trim-edges",
        /// Byte for byte, without exception.
        PreserveAll = "preserve-all",
    }
}
choices! {
    /// Which tool names make a call.
    Names {
        /// Any name; an undeclared one is reported with `known` false.
        Any = "any",
        /// Declared names only; anything else is text.
        Declared = "declared",
        /// Declared names where tools are declared, any name where none are.
        DeclaredIfAny = "declared-if-any",
    }
}
choices! {
    /// What happens to argument keys that the tool's schema does not declare.
    Undeclared {
        /// They stay.
        Keep = "keep",
        /// They go, unless the schema allows additional keys.
        Drop = "drop",
    }
}
choices! {
    /// What a tool-call opener inside reasoning means.
    ToolsInReasoning {
        /// It ends the reasoning, where the family's table says that it may.
        End = "end",
        /// It is reasoning text.
        Ignore = "ignore",
        /// The call is reported and the stream stays in reasoning.
        Extract = "extract",
    }
}
choices! {
    /// What argument deltas carry.
    Deltas {
        /// Source bytes where they are strict JSON, canonical JSON from the first mended byte on.
        Canonical = "canonical",
        /// The payload as written; the invocation then carries its own arguments text.
        Source = "source",
    }
}
choices! {
    /// Which spelled-out markers count.
    MarkerPolicy {
        /// Every one.
        Any = "any",
        /// Where the source attributes text to special tokens, only those made of them.
        SpecialOnly = "special-only",
    }
}
choices! {
    /// What happens to a member given twice in the arguments.
    DuplicateKeys {
        /// The later value counts, with a diagnostic; the text keeps both.
        Last = "last",
        /// The call cannot be read.
        Error = "error",
    }
}
choices! {
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
}
choices! {
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
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policies {
    /// Source of an unreadable call. Default: text.
    pub malformed: Malformed,
    /// Missing end markers. Default: as the format says (mostly accept).
    pub unclosed: Option<Unclosed>,
    /// White space around calls. Default: as the format says (mostly preserve).
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
    /// Also drop one newline directly before a call's opener, after other text. Default: false.
    pub framing_newline: bool,
}

impl Default for Policies {
    fn default() -> Self {
        Self {
            malformed: Malformed::Text,
            unclosed: None,
            text: None,
            names: None,
            undeclared: Undeclared::Keep,
            deny_keys: Vec::new(),
            duplicate_keys: DuplicateKeys::Last,
            duplicates: Duplicates::Cancel,
            tools_in_reasoning: None,
            deltas: None,
            markers: MarkerPolicy::Any,
            invalid_arguments: InvalidArguments::Keep,
            framing_newline: false,
        }
    }
}

/// Keys that mean something to a JavaScript consumer.
const PROTOTYPE_KEYS: [&str; 3] = ["__proto__", "constructor", "prototype"];

impl Policies {
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
        "framing_newline",
    ];

    /// Sets one policy by its name and the spelling of its choice, as on a command line.
    ///
    /// # Errors
    /// [`OptionError::UnknownKey`] for a name that is no policy, [`OptionError::BadValue`] for a
    /// spelling that is no choice of it.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), OptionError> {
        match key {
            "malformed" => {
                self.malformed = pick(key, value, Malformed::WORDS, Malformed::from_word)?
            }
            "unclosed" => {
                self.unclosed = Some(pick(key, value, Unclosed::WORDS, Unclosed::from_word)?)
            }
            "text" => self.text = Some(pick(key, value, TextPolicy::WORDS, TextPolicy::from_word)?),
            "names" => self.names = Some(pick(key, value, Names::WORDS, Names::from_word)?),
            "undeclared" => {
                self.undeclared = pick(key, value, Undeclared::WORDS, Undeclared::from_word)?;
            }
            "tools_in_reasoning" => {
                let choice =
                    pick(key, value, ToolsInReasoning::WORDS, ToolsInReasoning::from_word)?;
                self.tools_in_reasoning = Some(choice);
            }
            "deltas" => self.deltas = Some(pick(key, value, Deltas::WORDS, Deltas::from_word)?),
            "markers" => {
                self.markers = pick(key, value, MarkerPolicy::WORDS, MarkerPolicy::from_word)?
            }
            "duplicate_keys" => {
                self.duplicate_keys =
                    pick(key, value, DuplicateKeys::WORDS, DuplicateKeys::from_word)?;
            }
            "duplicates" => {
                self.duplicates = pick(key, value, Duplicates::WORDS, Duplicates::from_word)?;
            }
            "invalid_arguments" => {
                self.invalid_arguments =
                    pick(key, value, InvalidArguments::WORDS, InvalidArguments::from_word)?;
            }
            "framing_newline" => self.framing_newline = flag(key, value)?,
            "deny_prototype_keys" => {
                self.deny_keys.retain(|k| !PROTOTYPE_KEYS.contains(&k.as_str()));
                if flag(key, value)? {
                    self.deny_keys.extend(PROTOTYPE_KEYS.map(String::from));
                }
            }
            "deny_keys" => {
                self.deny_keys = keys(value);
            }
            _ => return Err(OptionError::unknown(key, Self::KEYS)),
        }
        Ok(())
    }
}

/// Keys with commas between them, or as a JSON list of strings.
fn keys(value: &str) -> Vec<String> {
    if let Ok(Value::Array(list)) = parse(value, Mode::Strict).map(|parsed| parsed.value) {
        let texts = list.iter().map(|key| key.as_str().map(String::from));
        if let Some(keys) = texts.collect() {
            return keys;
        }
    }
    value.split(',').map(str::trim).filter(|key| !key.is_empty()).map(String::from).collect()
}

/// Reads a choice, or says which there are.
pub(crate) fn pick<T>(
    key: &str,
    value: &str,
    words: &'static [&'static str],
    read: fn(&str) -> Option<T>,
) -> Result<T, OptionError> {
    read(value).ok_or_else(|| OptionError::bad(key, value, words))
}

/// Reads `true` or `false`.
pub(crate) fn flag(key: &str, value: &str) -> Result<bool, OptionError> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(OptionError::bad(key, value, &["true", "false"])),
    }
}
