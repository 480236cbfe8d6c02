//! A wire format as data.
//!
//! A [`FormatSpec`] says how calls are framed, where the name stands, which payload reader reads
//! the arguments, and how the same things are written. It is compiled once into a program and run
//! by one engine; a format that needs more than these fields is a hand-written
//! [`Decoder`](crate::Decoder), never a hook in the engine.
//!
//! Everything borrows, so a spec can be a `const`.

use crate::policy::{Names, TextPolicy, Unclosed};

/// Opening and closing markers of one thing. Several spellings are alternatives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wrap<'a> {
    /// Any of these opens it.
    pub open: &'a [&'a str],
    /// Any of these closes it.
    pub close: &'a [&'a str],
}

/// Where the name of a call stands, and what must follow an opener for it to be one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Header<'a> {
    /// The name is a key of the payload; the opener must be followed by the payload's first
    /// character.
    #[default]
    InPayload,
    /// A tag `<word=NAME>` opens the call and `</word>` closes it. Blanks inside the tag and
    /// quotes around the name are forgiven. The opener of the section must be followed by such a
    /// tag; the tag alone opens a call too.
    Tag {
        /// The tag's word, `function` for example.
        word: &'a str,
    },
}

/// What one JSON payload looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonKeys<'a> {
    /// Keys that name the tool.
    pub name: &'a [&'a str],
    /// Keys that hold the arguments.
    pub args: &'a [&'a str],
    /// Keys that hold the model's own call id.
    pub id: &'a [&'a str],
    /// Keys whose object value is the call itself.
    pub wrappers: &'a [&'a str],
}

/// The aliases that models use; a format may narrow them.
pub const JSON_KEYS: JsonKeys<'static> = JsonKeys {
    name: &["name", "tool_name", "tool", "function"],
    args: &["arguments", "parameters", "params", "args", "input"],
    id: &["id", "tool_call_id"],
    wrappers: &["function", "tool_call"],
};

/// How the edges of a tagged value are cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trim {
    /// The value is taken as it stands.
    #[default]
    None,
    /// One line break (`\n`) goes at each end, where there is one.
    OneNewline,
}

/// The closed set of payload readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Payload<'a> {
    /// One JSON object that names the tool and holds its arguments.
    Json {
        /// The keys it is read by.
        keys: JsonKeys<'a>,
        /// Whether the markers may also hold a list of such objects.
        list: bool,
    },
    /// Parameters as `<word=KEY>value</word>`, values raw, typed by the tool's schema.
    TaggedParams {
        /// The tag's word, `parameter` for example.
        word: &'a str,
        /// How the edges of a value are cut.
        trim: Trim,
    },
}

/// Newlines that the model's template prints before an opener; they belong to the markup, whole
/// or not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Framing<'a> {
    /// Before the first call behind text.
    pub first: &'a str,
    /// Between calls, and where a call ends the reasoning section.
    pub next: &'a str,
}

/// How tools, calls and responses are written. The call itself follows from the other fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Render<'a> {
    /// How the tool block looks.
    pub tools: ToolsBlock<'a>,
    /// Text between the opening marker and the payload, and between payload and closing marker.
    pub inner: &'a str,
    /// Whether JSON the renderer writes itself has a blank behind `,` and `:`.
    pub spaced: bool,
    /// Written before and behind a response.
    pub response: (&'a str, &'a str),
    /// Whether the response is the JSON object `{"name", "content"}` or the bare content.
    pub response_json: bool,
}

/// How the tools are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolsBlock<'a> {
    /// One JSON object a line, in the shape `{"type":"function","function":{…}}`, between two texts.
    OpenAiLines(&'a str, &'a str),
    /// One JSON array of `{"name","description","parameters"}`, between two texts.
    Array(&'a str, &'a str),
    /// Nested tags: `<function><name>…</name>…<parameters>…`, between two texts.
    Tags(&'a str, &'a str),
}

/// A wire format as data. See the module documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatSpec<'a> {
    /// The name it is registered under.
    pub name: &'a str,
    /// Other names for it.
    pub aliases: &'a [&'a str],
    /// Which models write it, for the table in the documentation.
    pub models: &'a str,
    /// A wrapper around several calls. Where its opener is missing the calls stand alone.
    pub section: Wrap<'a>,
    /// Markers of one call (or one list of calls).
    pub call: Wrap<'a>,
    /// Where the name stands.
    pub header: Header<'a>,
    /// Who reads the arguments.
    pub payload: Payload<'a>,
    /// Newlines before openers that are markup.
    pub framing: Framing<'a>,
    /// Default for calls whose end marker is missing.
    pub unclosed: Unclosed,
    /// Default for white space around calls.
    pub text: TextPolicy,
    /// Default for undeclared names.
    pub names: Names,
    /// The reasoning family that usually goes with it.
    pub reasoning: &'a str,
    /// How it is written.
    pub render: Render<'a>,
    /// Whether requests may replace the call markers (options `start_marker`, `end_marker`).
    pub own_markers: bool,
}

impl FormatSpec<'static> {
    /// What a spec says when it says nothing: struct update starts here.
    pub const DEFAULT: Self = FormatSpec {
        name: "",
        aliases: &[],
        models: "",
        section: Wrap { open: &[], close: &[] },
        call: Wrap { open: &[], close: &[] },
        header: Header::InPayload,
        payload: Payload::Json { keys: JSON_KEYS, list: true },
        framing: Framing { first: "", next: "" },
        unclosed: Unclosed::Accept,
        text: TextPolicy::Preserve,
        names: Names::Any,
        reasoning: "think-tags",
        render: Render {
            tools: ToolsBlock::OpenAiLines("<tools>\n", "\n</tools>"),
            inner: "\n",
            spaced: true,
            response: ("<tool_response>\n", "\n</tool_response>"),
            response_json: false,
        },
        own_markers: false,
    };
}
