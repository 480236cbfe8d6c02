//! Errors: things the caller did wrong. Model output is never an error.

use toolweir_markers::SetError;
use toolweir_schema_coerce::SchemaError;

use crate::pattern::PatternError;
use crate::wording::{near_names, one_line};

/// A policy or option that was set wrongly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// No option has that name.
    #[error("unknown option `{key}`{}", nearest(.near))]
    UnknownKey {
        /// The name given.
        key: String,
        /// Names that look like it, best first.
        near: Vec<String>,
    },
    /// The option does not take that value.
    #[error("option `{key}` does not take `{value}`; it takes {}", .allowed.join(", "))]
    BadValue {
        /// The option's name.
        key: String,
        /// The value given.
        value: String,
        /// What it takes.
        allowed: Vec<String>,
    },
}

impl OptionError {
    pub(crate) fn unknown(key: &str, known: &[&str]) -> Self {
        Self::UnknownKey { key: key.into(), near: near_names(key, known.iter().copied()) }
    }

    pub(crate) fn bad(key: &str, value: &str, allowed: &[&str]) -> Self {
        Self::BadValue {
            key: key.into(),
            value: value.into(),
            allowed: allowed.iter().map(|w| (*w).to_owned()).collect(),
        }
    }
}

/// Something that was said and has no place in what was made of it: in a spec that of a response
/// template, in a grammar that of a schema.
///
/// ```
/// # use toolweir_protocols::Unsaid;
/// let unsaid = Unsaid { path: "fields.score".into(), what: "a turn has no such part".into() };
/// assert_eq!(unsaid.to_string(), "fields.score: a turn has no such part");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {what}")]
pub struct Unsaid {
    /// Where it stands: the member with those around it, `fields.thinking.open_pattern`; of a schema the
    /// tool and a JSON Pointer, `dice/properties/sides`.
    pub path: String,
    /// What it says, and what becomes of it.
    pub what: String,
}

/// A format description that cannot work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The format has no marker that opens a call.
    #[error("format `{0}` has no marker that opens a call")]
    NoOpener(String),
    /// A word of a tag cannot be one.
    #[error("format `{format}`: `{word}` cannot be the word of a tag")]
    Word {
        /// The format's name.
        format: String,
        /// The word.
        word: String,
    },
    /// A pattern cannot be read, or does not fit its place.
    #[error("format `{format}`: `{field}` = `{}`: {error}", one_line(.pattern))]
    Pattern {
        /// The format's name.
        format: String,
        /// The field of the spec.
        field: &'static str,
        /// The pattern as it was given.
        pattern: String,
        /// What is wrong with it, and where.
        error: Box<PatternError>,
    },
    /// A call pattern has no payload that a reader can read.
    #[error("format `{format}`: the call `{pattern}` holds no arguments that can be read")]
    NoPayload {
        /// The format's name.
        format: String,
        /// The pattern.
        pattern: String,
    },
    /// Tags that are read freely want a wrapper, a function tag and a parameter tag.
    #[error(
        "format `{format}`: `tags = words` goes with `{{opt:<W>}}<F={{name}}>{{args:<P={{key}}>…}}` alone"
    )]
    FreeTags {
        /// The format's name.
        format: String,
    },
    /// Formats that cannot be told apart.
    #[error(
        "the formats of `{formats}` cannot be read at once: the tags of declared tools open calls of \
         more than one of them"
    )]
    Union {
        /// Their names.
        formats: String,
    },
    /// Another format has that name or alias.
    #[error("the name `{name}` is taken by the format `{by}`")]
    Taken {
        /// The name.
        name: String,
        /// The format that has it.
        by: String,
    },
    /// A format that is read too is not there.
    #[error("format `{format}`: `reads` = `{other}`: no format of patterns has that name{}", nearest(.near))]
    Reads {
        /// The format's name.
        format: String,
        /// The name that is not there.
        other: String,
        /// Names that look like it, best first.
        near: Vec<String>,
    },
    /// A field says something that changes nothing.
    #[error("format `{format}`: `{field}` = `{}` has no effect: {}{}", one_line(.text), wanted(.field), nearest(.near))]
    NoEffect {
        /// The format's name.
        format: String,
        /// The field of the spec.
        field: &'static str,
        /// What it says, or the part of it that changes nothing.
        text: String,
        /// Texts that look like it, best first.
        near: Vec<String>,
    },
    /// Its reasoning family is not there.
    #[error("format `{format}`: unknown reasoning family `{family}`{}", nearest(.near))]
    Family {
        /// The format's name.
        format: String,
        /// The name that is not there.
        family: String,
        /// Names that look like it, best first.
        near: Vec<String>,
    },
    /// It does not read what it writes.
    #[error(
        "format `{format}`: what it writes it reads otherwise: `{}` as `{}`",
        one_line(.written), one_line(.read)
    )]
    ReadsOtherwise {
        /// The format's name.
        format: String,
        /// A turn as it writes it.
        written: String,
        /// What it reads in that: names and arguments of calls, then text.
        read: String,
    },
    /// The payload needs a feature of this crate that is off.
    #[error("format `{format}` needs the feature `{feature}`")]
    Feature {
        /// The format's name.
        format: String,
        /// The feature.
        feature: &'static str,
    },
    /// A marker is empty or stands in two roles.
    #[error("format `{format}`: {source}")]
    Markers {
        /// The format's name.
        format: String,
        /// What is wrong with the markers.
        source: SetError,
    },
}

/// Several formats that cannot be read at once.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnionError {
    /// One of the names is not there.
    #[error(transparent)]
    Unknown(#[from] UnknownFormat),
    /// One of the formats is no row of patterns.
    #[error("`{0}` cannot be read beside other formats: its decoder is written by hand")]
    NoRow(String),
    /// No name was given.
    #[error("no format is named")]
    Nothing,
    /// The rows do not go together.
    #[error(transparent)]
    Spec(#[from] SpecError),
}

/// A file that describes a wire format, but not one that works.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecFileError {
    /// The text is not of its syntax.
    #[error("the file cannot be read: {0}")]
    Syntax(String),
    /// A key is required and missing.
    #[error("`{0}` is missing")]
    Missing(String),
    /// No field has that name.
    #[error("unknown key `{path}`{}", nearest(.near))]
    Unknown {
        /// The key, with the tables around it.
        path: String,
        /// Keys that look like it, best first.
        near: Vec<String>,
    },
    /// A value is of another kind.
    #[error("{} must be {expected}", place(.path))]
    Kind {
        /// The key, with the tables around it; empty for the whole file.
        path: String,
        /// What it takes.
        expected: &'static str,
    },
    /// A value is none of the words that the key takes.
    #[error(
        "`{path}` does not take `{word}`; it takes {}{}",
        .allowed.join(", "),
        nearest(near_names(.word, .allowed.iter().map(String::as_str)).get(..1).unwrap_or_default())
    )]
    Word {
        /// The key, with the tables around it.
        path: String,
        /// The value given.
        word: String,
        /// What it takes.
        allowed: Vec<String>,
    },
    /// The fields do not make a working format.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// One of the others, and where in the file.
    #[error("line {line}: {error}")]
    At {
        /// The line, from 1 on.
        line: usize,
        /// What is wrong there.
        error: Box<SpecFileError>,
    },
}

/// A request that a protocol cannot serve.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// An option was set wrongly.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// No reasoning family has that name.
    #[error("unknown reasoning family `{name}`{}", nearest(.near))]
    UnknownReasoning {
        /// The name given.
        name: String,
        /// Names that look like it, best first.
        near: Vec<String>,
    },
    /// The markers set by options do not make a working format.
    #[error(transparent)]
    Spec(#[from] SpecError),
}

/// A tool set with a schema that cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tool `{tool}`: {source}")]
pub struct ToolError {
    /// The tool whose schema it is.
    pub tool: String,
    /// What is wrong with it.
    pub source: ToolFault,
}

/// What is wrong with the schema of a tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolFault {
    /// It is no value at all; why.
    #[error("{0}")]
    Unreadable(String),
    /// It cannot be compiled.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// It takes no object, which arguments always are.
    #[error(
        "the schema takes no object, which arguments always are: give it `\"type\": \"object\"`"
    )]
    NoObject,
}

/// A call, response or tool list that a format cannot carry unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The format has no calls: it is a reasoning family on its own.
    #[error("format `{format}` has no tool calls to write")]
    NoCalls {
        /// The format's name.
        format: String,
    },
    /// The build reads only: the feature `prompts` is off.
    #[error("format `{format}` cannot be written: this build reads only (feature `prompts`)")]
    ReadsOnly {
        /// The format's name.
        format: String,
    },
    /// The format has no place for that argument.
    #[error("format `{format}` has no place for the argument `{key}`")]
    Argument {
        /// The format's name.
        format: String,
        /// The argument's key.
        key: String,
    },
    /// The format cannot be written without that argument.
    #[error("format `{format}` needs the argument `{key}`")]
    Missing {
        /// The format's name.
        format: String,
        /// The argument's key.
        key: String,
    },
    /// Nothing but its arguments ends a call of the format, and there are none.
    #[error("format `{format}` cannot carry a call of `{tool}` without arguments")]
    NoArguments {
        /// The format's name.
        format: String,
        /// The tool called.
        tool: String,
    },
    /// A message of the format is one call.
    #[error("format `{format}` carries one call in a turn, not {calls}")]
    Several {
        /// The format's name.
        format: String,
        /// The calls given.
        calls: usize,
    },
    /// A format of a user's own would read other calls in what it writes.
    #[error("format `{format}` does not read a call of `{tool}` back as it would write it")]
    ReadsOtherwise {
        /// The format's name.
        format: String,
        /// The tool called.
        tool: String,
    },
    /// The format needs an id, and there is none that it can carry.
    #[error("format `{format}` needs an id for `{tool}` that it can carry")]
    Id {
        /// The format's name.
        format: String,
        /// The tool called, or answering.
        tool: String,
    },
    /// The arguments are not the text of one JSON object.
    #[error("the arguments of `{tool}` are not one JSON object")]
    NotAnObject {
        /// The tool called.
        tool: String,
    },
    /// The format cannot carry that tool name.
    #[error("format `{format}` cannot carry the tool name `{tool}`")]
    Name {
        /// The format's name.
        format: String,
        /// The tool called.
        tool: String,
    },
    /// The format has no way to write that key or value so that it reads back the same.
    #[error("format `{format}` cannot carry the value of `{key}`: it contains {what}")]
    Value {
        /// The format's name.
        format: String,
        /// The argument's key.
        key: String,
        /// What stands in the way.
        what: String,
    },
    /// A response or tool description would hold the format's own markers.
    #[error("format `{format}` cannot carry this text: it contains the marker `{marker}`")]
    Marker {
        /// The format's name.
        format: String,
        /// The marker found.
        marker: String,
    },
}

impl FormatError {
    pub(crate) fn value(format: &str, key: &str, what: impl Into<String>) -> Self {
        Self::Value { format: format.to_owned(), key: key.to_owned(), what: what.into() }
    }
}

/// A name that no registered protocol has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown format `{name}`{}", nearest(.near))]
pub struct UnknownFormat {
    /// The name given.
    pub name: String,
    /// Names that look like it, best first.
    pub near: Vec<String>,
}

/// What a field without effect would have to say.
fn wanted(field: &str) -> &'static str {
    match field {
        "prompt" => "no header of the patterns begins with that opener",
        "special" => "no marker holds it",
        _ => "the tags of the tools open no calls of it",
    }
}

fn place(path: &str) -> String {
    if path.is_empty() { "the file".to_owned() } else { format!("`{path}`") }
}

fn nearest(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) }
}
