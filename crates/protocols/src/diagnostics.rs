//! Every diagnostic the decoders can give: stable codes, searchable, listed in the documentation.
//!
//! A message says what was found and what was done about it. It never holds argument values.

use toolweir_segments::Severity;

/// A stable diagnostic code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// The code, `engine::truncated-call` for example.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What it means, in a sentence.
    pub summary: &'static str,
}

macro_rules! codes {
    ($($name:ident = $code:literal, $severity:ident, $summary:literal;)+) => {
        $(
            #[doc = $summary]
            pub const $name: Code =
                Code { code: $code, severity: Severity::$severity, summary: $summary };
        )+
        /// Every code with its severity and meaning, in the order of the documentation.
        pub const ALL: &[(&str, Severity, &str)] =
            &[$(($code, Severity::$severity, $summary)),+];
    };
}

codes! {
    TRUNCATED_CALL = "engine::truncated-call", Error,
        "the stream ended inside a call; it is not run and its source is given back";
    UNCLOSED_CALL = "engine::unclosed-call", Error,
        "a call was not closed by its end marker and the policy does not accept that";
    UNREADABLE_CALL = "engine::unreadable-call", Error,
        "the payload of a call breaks its grammar; reading goes on at the next marker";
    NO_NAME = "engine::no-name", Error, "a call does not name its tool";
    NO_PATH = "engine::no-path", Error,
        "an edit names no file, and none before it does; it is not run";
    BAD_NAME = "engine::bad-name", Error, "the name of a call is not one";
    BAD_ARGUMENTS = "engine::bad-arguments", Error, "the arguments of a call are not an object";
    UNDECLARED_TOOL = "engine::undeclared-tool", Error,
        "a call names a tool that is not declared, and only declared names are accepted";
    DENIED_KEY = "engine::denied-key", Error, "the arguments hold a key that the policy denies";
    DUPLICATE_KEY_ERROR = "engine::duplicate-key-error", Error,
        "the arguments give a key twice and the policy refuses that";
    DUPLICATE_ELEMENT = "engine::duplicate-element", Error,
        "a call gives two elements for one string and the policy refuses that";
    INVALID_ARGUMENT = "engine::invalid-argument", Error,
        "a value does not fit its schema and the policy refuses that";
    NO_CALL = "engine::no-call", Error,
        "no call stands between an opener and its end marker; both are text";
    FURTHER_CALL = "engine::further-call", Error,
        "the answer of a forced choice holds a further call; only the first one is read";
    WRONG_TOOL = "engine::wrong-tool", Error,
        "the answer of a forced choice calls a tool other than the one that was asked for";
    STRAY_LIST = "engine::unreadable-list", Error,
        "a list of calls holds something that is no call";
    UNKNOWN_TOOL = "engine::unknown-tool", Warning, "a call names a tool that is not declared";
    MISSING_CLOSER = "engine::missing-closer", Warning,
        "a closing bracket or tag of a call is missing, or another one stands in its place; the call is whole";
    MISSING_OPENER = "engine::missing-opener", Warning,
        "the opening tag of a value is missing; the value ends with its own closing tag";
    WRONG_CLOSER = "engine::wrong-closer", Warning,
        "another closing tag stands where the block of a call is to be closed; it closes the block";
    TEXT_IN_BLOCK = "engine::text-in-block", Warning,
        "text stands between a call and the end marker of its block; it is shown";
    TEXT_AROUND = "engine::text-around", Warning,
        "text stands around the object of a forced choice; it was left out";
    STRAY_TEXT = "engine::stray-text", Warning,
        "text for which the format has no place, between parameters, between the calls of a wrapper, in a header or as a message of another kind; it was left out";
    REPEATED_OPENER = "engine::repeated-opener", Warning,
        "a call is opened twice before anything of it; it is one call";
    BODY_IN_TAG = "engine::body-in-tag", Warning,
        "the tag of a call holds the arguments and closes itself after them; they are read";
    REPAIRED_EXPRESSION = "engine::repaired-expression", Warning,
        "arguments written as an expression stray from its grammar; they were read";
    AMBIGUOUS_CALL = "engine::ambiguous-call", Error,
        "another reading of the arguments fits as well; the call does not run";
    RAW_VALUE = "engine::raw-value", Warning,
        "a value of a YAML body is no YAML; it was taken as text, as it stands";
    KEPT_BACKSLASH = "engine::kept-backslash", Warning,
        "a backslash in a quoted text begins no escape; it was kept";
    REPEATED_MEMBER = "engine::repeated-member", Warning,
        "a call gives its name or arguments again; the first counts";
    IGNORED_MEMBER = "engine::ignored-member", Info,
        "a call object has members that mean nothing and that the tool does not declare";
    FLAT_ARGUMENTS = "engine::flat-arguments", Warning,
        "a call object has no arguments; members that the tool declares as parameters are taken for them";
    DUPLICATE_KEY = "engine::duplicate-key", Warning,
        "the arguments give a key twice; the later value counts";
    REPEATED_PARAMETER = "engine::repeated-parameter", Warning,
        "a parameter is given twice; the later value counts";
    MENDED_KEY = "engine::mended-key", Warning,
        "the key of a parameter was read without signs at its edges";
    UNDECLARED_KEY = "engine::undeclared-key", Info,
        "an argument that the schema does not declare was left out";
    KEPT_AS_WRITTEN = "coerce::type", Warning,
        "a value does not fit its schema and is passed on as the model wrote it";
    NOT_THAT_NUMBER = "coerce::number", Warning,
        "a text made of what numbers are made of is no number its schema takes; it stays text";
    NOT_IN_ENUM = "coerce::enum", Warning,
        "a value is none of those its schema lists; it is passed on as the model wrote it";
    NOT_ALLOWED = "coerce::not-allowed", Warning,
        "the schema allows no value at all; it is passed on as the model wrote it";
    MISSING_ARGUMENT = "coerce::required", Warning,
        "a member that the schema requires is missing";
    UNKNOWN_ARGUMENT = "coerce::unknown-key", Warning,
        "a closed schema does not know a member; it is passed on as the model wrote it";
    DOUBTFUL_KEY = "coerce::ambiguous-key", Warning,
        "a member that a closed schema does not know may be one of several; it keeps its name";
    DOUBTFUL_VALUE = "coerce::ambiguous", Warning,
        "several branches of a schema fit equally well; the value is passed on as written";
    OUT_OF_RANGE = "coerce::range", Warning,
        "a number is out of range; it is passed on as the model wrote it";
    BAD_LENGTH = "coerce::length", Warning,
        "a text, list or object is too long or too short; it is passed on as the model wrote it";
    BAD_PATTERN = "coerce::pattern", Warning,
        "a text does not match its pattern; it is passed on as the model wrote it";
    NOT_UNIQUE = "coerce::unique", Warning,
        "entries that must differ are equal; they are passed on as the model wrote them";
    LOSS_NOT_ALLOWED = "coerce::loss-not-allowed", Warning,
        "only a guess would make a value fit; it is passed on as the model wrote it";
    VALUE_TOO_DEEP = "coerce::too-deep", Warning,
        "a value nests too deep to be made to fit; it is passed on as the model wrote it";
    INCOMPLETE_SEGMENT = "segments::incomplete", Error,
        "the stream ended inside a segment; its content stays, and it is not run";
    MISSING_FACT = "segments::missing-argument", Error,
        "a segment lacks an argument that its call needs; it is not run";
    EMPTY_CONTENT = "segments::empty-content", Warning,
        "a segment that needs content has none; it is not run";
    NO_OBJECT = "segments::no-object", Warning,
        "the arguments of a call are no object; it is called without any";
    MENDED_JSON = "engine::mended-json", Info,
        "the payload was not strict JSON; it was mended";
    LONE_END_MARKER = "engine::lone-end-marker", Info,
        "an end marker closes nothing that was opened; it stays text, and so does its opener, if that is damaged";
    CALL_IN_REASONING = "engine::call-in-reasoning", Info,
        "the stream ends in reasoning that holds the opener of a call; nothing in it is called";
    CALL_IN_INLINE_CODE = "engine::call-in-inline-code", Info,
        "an object in inline code reads as a call; it is text, as nothing else marks it";
    OTHER_FORMAT = "engine::other-format", Info,
        "the text holds what opens calls of a format that is not read; it stays text";
    PUSH_AFTER_FINISH = "engine::push-after-finish", Error,
        "a chunk came after the end of the stream and was not read";
    LIMIT_DEPTH = "limit::max_depth", Error, "a payload nests deeper than the limit";
    LIMIT_NAME = "limit::max_name_bytes", Error, "a tool name is longer than the limit";
    LIMIT_CALLS = "limit::max_calls", Error,
        "the turn has more calls than the limit; further ones are text";
    LIMIT_CALL_BYTES = "limit::max_call_bytes", Error, "a call is longer than the limit";
    LIMIT_HELD = "limit::max_held_bytes", Error,
        "something that cannot stream is longer than the limit";
    LIMIT_KEYS = "limit::max_keys", Error, "an object has more members than the limit";
    LIMIT_DIAGNOSTICS = "limit::max_diagnostics", Warning,
        "the turn has more diagnostics than the limit; further ones were counted only";
}

/// The engine's states and what moves it between them, as a Mermaid diagram.
pub const STATES: &str = "\
stateDiagram-v2
    [*] --> Text
    [*] --> Reasoning: the prompt opened it
    Text --> Lookahead: an opener, a tool's line, an object that may be a call, or a doubtful end marker
    Text --> Reasoning: the section opens
    Reasoning --> Text: the section closes
    Reasoning --> Lookahead: an opener that may end the section
    Lookahead --> Payload: the grammar follows
    Lookahead --> Text: anything else, the opener is text; an end marker is decided
    Lookahead --> Passing: an object that is no call
    Passing --> Text: its end, or what is no JSON
    Lookahead --> Reasoning: anything else, the opener is reasoning
    Payload --> Closed: the last bracket or tag of the call
    Payload --> Between: the call is closed for certain
    Closed --> Between: nothing of the call follows
    Closed --> Text: something does, the call is ambiguous
    Payload --> Text: not readable, the source is given back
    Payload --> Beyond: a limit of depth or keys
    Beyond --> Between: its last bracket
    Beyond --> Text: the same, or an end marker outside of its strings
    Between --> Payload: the next call of the block
    Between --> Text: the end marker, or other text
    Between --> Lookahead: a further opener
    Text --> [*]
    Passing --> [*]
    Reasoning --> [*]
    Payload --> [*]: cut off, never run
    Beyond --> [*]
    Closed --> [*]
    Between --> [*]";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique() {
        let mut codes: Vec<_> = ALL.iter().map(|c| c.0).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), ALL.len());
    }
}
