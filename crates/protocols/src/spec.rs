//! A wire format as data.
//!
//! A [`FormatSpec`] says how calls are framed, where the name stands, which payload reader reads
//! the arguments, and how the same things are written. It is compiled once into a program and run
//! by one engine; a format that needs more than these fields is a hand-written
//! [`Decoder`](crate::Decoder), never a hook in the engine.
//!
//! Everything borrows, so a spec can be a `const`.

use crate::policy::{Deltas, Names, TextPolicy, Unclosed};

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
    /// The tag of a declared tool, `<NAME>`, opens the call and `</NAME>` closes it; `<NAME/>` is a
    /// whole call. Blanks behind `<` and inside closing tags are forgiven. The markers are made for
    /// each request from its tools.
    DeclaredTag {
        /// Whether a line that holds nothing but the name, and perhaps a colon, opens a call too,
        /// where an element follows: option `line_prefixed`.
        line: bool,
    },
}

/// How freely the tags of a [`Header::Tag`] format are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tags<'a> {
    /// Only `<word=NAME>`. Blanks inside the tag and quotes around the name are forgiven.
    #[default]
    Lenient,
    /// Whatever models make of such tags: any ASCII letter case; further words; the name as an
    /// attribute, as a child element, in the wrapper's tag or bare behind it; tags that close
    /// themselves; a parameter by the tag of its own name, or as an element before a bare value;
    /// and a JSON call of a declared tool in the wrapper. The section's markers must be tags.
    Free {
        /// Words of call tags beside the header's own.
        calls: &'a [&'a str],
        /// Words of parameter tags beside the payload's own.
        params: &'a [&'a str],
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
    /// Keys whose string is visible text. Where there are some the object is no call: it carries
    /// text, and a call under a key of `wrappers`.
    pub text: &'a [&'a str],
    /// In an unmarked object: which other keys may stand before those that make it a call.
    pub lead: Lead,
}

/// Which keys of an unmarked object leave it open whether it is a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lead {
    /// Those that the format reads, and `type`.
    #[default]
    Known,
    /// Any.
    Any,
}

/// What becomes of arguments that are no object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BareArgs {
    /// The call cannot be read.
    #[default]
    Refuse,
    /// They are kept as they are, as the one member of an object, under the key they stand under.
    Keep,
}

/// What must hold for a call to begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallGate {
    /// A marker, and behind it what can open the payload.
    #[default]
    PayloadStart,
    /// An object anywhere in the text, once its name is accepted and a key for the arguments is
    /// there. The markers of the call, if any, are a wrapper around it that may be missing.
    CallObject,
}

/// The aliases that models use; a format may narrow them.
pub const JSON_KEYS: JsonKeys<'static> = JsonKeys {
    name: &["name", "tool_name", "tool", "function"],
    args: &["arguments", "parameters", "params", "args", "input"],
    id: &["id", "tool_call_id"],
    wrappers: &["function", "tool_call"],
    text: &[],
    lead: Lead::Known,
};

/// How forgiving a JSON payload is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonReading {
    /// Relaxed JSON: single quotes, comments, trailing commas, Python literals.
    #[default]
    Relaxed,
    /// Damaged JSON too: unescaped quotes, missing commas, bare words. A string or the arguments
    /// that the model has not closed are never closed for it.
    Repair,
    /// As `Repair`, and a backslash that begins no escape goes (`\$5` is `$5`).
    RepairDropEscapes,
}

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
        /// How forgiving it is read.
        reading: JsonReading,
        /// What becomes of arguments that are no object.
        bare_args: BareArgs,
    },
    /// Parameters as `<word=KEY>value</word>`, values raw, typed by the tool's schema.
    TaggedParams {
        /// The tag's word, `parameter` for example.
        word: &'a str,
        /// How the edges of a value are cut.
        trim: Trim,
    },
    /// Nested elements, read by the tool's schema: strings raw, entities decoded.
    Element {
        /// Whether broken markup is mended: option `repair`.
        repair: bool,
    },
    /// A YAML mapping, its scalars typed by the tool's schema from their source text. Between the
    /// markers of the spec a JSON object that names a declared tool is read as a call, too. Without
    /// the feature `yaml` such a format cannot be compiled.
    Yaml {
        /// The keys of that object.
        foreign: JsonKeys<'a>,
    },
}

/// What becomes of a call that the end of the stream cuts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recovery {
    /// Its source comes back as text.
    #[default]
    KeepAsText,
    /// What has gone out stays in its segment, marked incomplete; nothing comes back.
    DropPartial,
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
    /// Written before and behind a response; `{name}` in the former is the tool's name.
    pub response: (&'a str, &'a str),
    /// What stands between them.
    pub response_body: ResponseBody,
}

/// What a rendered response holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResponseBody {
    /// The content as it is.
    #[default]
    Content,
    /// The JSON object `{"name", "content"}`.
    Object,
    /// The elements `<tool_name>` and `<result>`.
    Elements,
}

/// How the tools are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolsBlock<'a> {
    /// One JSON object a line, in the shape `{"type":"function","function":{…}}`, between two texts.
    OpenAiLines(&'a str, &'a str),
    /// One JSON array of `{"name","description","parameters"}`, between two texts.
    Array(&'a str, &'a str),
    /// A heading with the name, the description and the schema in a fence for each tool, between
    /// two texts.
    Headings(&'a str, &'a str),
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
    /// What must hold for a call to begin.
    pub gate: CallGate,
    /// Where the name stands.
    pub header: Header<'a>,
    /// How freely tags are read.
    pub tags: Tags<'a>,
    /// Who reads the arguments.
    pub payload: Payload<'a>,
    /// Newlines before openers that are markup.
    pub framing: Framing<'a>,
    /// What becomes of a call that is cut.
    pub recovery: Recovery,
    /// Default for calls whose end marker is missing.
    pub unclosed: Unclosed,
    /// Default for white space around calls.
    pub text: TextPolicy,
    /// Default for undeclared names.
    pub names: Names,
    /// Default for what argument deltas carry.
    pub deltas: Deltas,
    /// The reasoning family that usually goes with it.
    pub reasoning: &'a str,
    /// How it is written.
    pub render: Render<'a>,
    /// Whether requests may replace the call markers (options `start_marker`, `end_marker`).
    pub own_markers: bool,
    /// For a chat host: characters of an unmarked object that may pass before a key of a call comes.
    /// Requests may change it (option `max_buffer_chars`) and switch calls off (`mode`).
    pub buffer_chars: Option<usize>,
}

impl FormatSpec<'static> {
    /// What a spec says when it says nothing: struct update starts here.
    pub const DEFAULT: Self = FormatSpec {
        name: "",
        aliases: &[],
        models: "",
        section: Wrap { open: &[], close: &[] },
        call: Wrap { open: &[], close: &[] },
        gate: CallGate::PayloadStart,
        header: Header::InPayload,
        tags: Tags::Lenient,
        payload: Payload::Json {
            keys: JSON_KEYS,
            list: true,
            reading: JsonReading::Relaxed,
            bare_args: BareArgs::Refuse,
        },
        framing: Framing { first: "", next: "" },
        recovery: Recovery::KeepAsText,
        unclosed: Unclosed::Accept,
        text: TextPolicy::Preserve,
        names: Names::Any,
        deltas: Deltas::Canonical,
        reasoning: "think-tags",
        render: Render {
            tools: ToolsBlock::OpenAiLines("<tools>\n", "\n</tools>"),
            inner: "\n",
            spaced: true,
            response: ("<tool_response>\n", "\n</tool_response>"),
            response_body: ResponseBody::Content,
        },
        own_markers: false,
        buffer_chars: None,
    };
}
