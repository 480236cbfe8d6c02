//! A wire format as data: the lines that the model writes.
//!
//! A [`FormatSpec`] holds *patterns* ([`crate::pattern`]): how one call looks, what stands around the
//! calls of a turn, how tools and responses are shown. The same lines are compiled once into a
//! program that one engine runs, and are written out again by one renderer. The other fields say
//! what a line cannot: how freely it is read, and the defaults of policies.
//!
//! One owned struct serves rows in Rust, files and requests. Nothing in it is checked before
//! [`SpecProtocol::new`](crate::SpecProtocol::new) compiles it.

use crate::policy::{Deltas, JsonReading, Names, TextPolicy, Unclosed, choices};
use crate::reasoning::Family;

/// A pattern of one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallPattern {
    /// The line, in the notation of [`crate::pattern`].
    pub pattern: String,
    /// Read only while this option of the request is on; with its default. None: always read.
    pub option: Option<(String, bool)>,
}

impl From<&str> for CallPattern {
    fn from(pattern: &str) -> Self {
        Self { pattern: pattern.to_owned(), option: None }
    }
}

impl CallPattern {
    /// A pattern that the option `name` switches; `on`: its default.
    #[must_use]
    pub fn switched(pattern: &str, name: &str, on: bool) -> Self {
        Self { pattern: pattern.to_owned(), option: Some((name.to_owned(), on)) }
    }
}

choices! {
    /// How far a tag may stray from its spelling in the pattern.
    Tags {
        /// Whitespace inside a tag, but not after its first bracket, and quotes around names are forgiven.
        Spaced = "spaced",
        /// The same, and every tag may carry the `:word` that some tokenizers give all of theirs:
        /// `:opensource`, or that of the option `tag_suffix`.
        Suffix = "suffix",
        /// Whatever models make of function and parameter tags: any letter case; other words for
        /// both; the name as an attribute, as an element, in the wrapper's tag or bare after it;
        /// tags that close themselves; a parameter by the tag of its own name; a JSON call of a
        /// declared tool.
        Words = "words",
    }

    /// Where the five entities of XML and character references are decoded.
    Entities {
        /// Nowhere: text stands as it is.
        Verbatim = "verbatim",
        /// In the attributes of tags.
        Attributes = "attributes",
        /// In the values of parameters, outside of CDATA sections, which are taken as they stand.
        Text = "text",
    }

    /// Headers that no pattern can say, each written by hand.
    Header {
        /// The patterns say it.
        Patterns = "patterns",
        /// Messages of harmony: everything from `<|start|>` or `<|channel|>` to `<|message|>`, in
        /// which channel and recipient stand among other words.
        Harmony = "harmony",
    }

    /// Which keys a JSON call is read by.
    Keys {
        /// Those of the template, and the aliases that models use.
        Aliases = "aliases",
        /// Those of the row's templates alone.
        Exact = "exact",
    }

    /// What becomes of arguments that are no object.
    BareArgs {
        /// The call cannot be read.
        Refuse = "refuse",
        /// They are kept as they are, as the one member of an object, under the key they stand
        /// under.
        Keep = "keep",
        /// They are the value of the tool's property, if it has exactly one. Else the call cannot be read.
        SoleProperty = "sole-property",
    }

    /// What becomes of a call that the end of the stream cuts.
    Recovery {
        /// Its source comes back as text.
        KeepAsText = "keep-as-text",
        /// What has gone out stays in its segment, marked incomplete; nothing comes back.
        DropPartial = "drop-partial",
    }

    /// What `{content}` of a rendered response holds.
    ResponseBody {
        /// The content as it is.
        Content = "content",
        /// The JSON object `{"name", "content"}`.
        Object = "object",
        /// The elements `<tool_name>` and `<result>`.
        Elements = "elements",
    }
}

/// Which markers are special tokens of the model: a server that drops those from its text drops the
/// calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Special {
    /// None: text like any other.
    #[default]
    None,
    /// Every marker of its calls.
    All,
    /// These texts, which its markers are or hold.
    Tokens(Vec<String>),
}

impl Special {
    /// The same with the markers of a reasoning family.
    pub(crate) fn with(&self, family: Option<&Family<'_>>) -> Self {
        match self {
            Self::Tokens(tokens) => {
                let markers = family.into_iter().flat_map(Family::markers);
                Self::Tokens(tokens.iter().cloned().chain(markers).collect())
            }
            other => other.clone(),
        }
    }

    /// Whether a closing marker inside a payload has to be one where others do: only if the row says.
    pub(crate) fn closes(&self, marker: &str) -> bool {
        *self != Self::None && self.is_in(marker)
    }

    /// Whether a text begins with one that the row names.
    pub(crate) fn begins(&self, text: &str) -> bool {
        matches!(self, Self::Tokens(tokens) if tokens.iter().any(|token| text.starts_with(token)))
    }

    /// Whether a marker is one, or holds one; where the row knows of none, whatever the source says is.
    pub(crate) fn is_in(&self, marker: &str) -> bool {
        match self {
            Self::None | Self::All => true,
            Self::Tokens(tokens) => tokens.iter().any(|token| marker.contains(token.as_str())),
        }
    }
}

/// The aliases that models use for the members of a call object.
pub(crate) mod aliases {
    pub(crate) const NAME: &[&str] = &["name", "tool_name", "tool", "function"];
    pub(crate) const ARGS: &[&str] = &["arguments", "parameters", "params", "args", "input"];
    pub(crate) const ID: &[&str] = &["id", "tool_call_id"];
    /// Keys whose object value is the call itself.
    pub(crate) const WRAPPERS: &[&str] = &["function", "tool_call"];
}

/// A wire format as data. See the module documentation.
///
/// ```
/// use toolweir_protocols::FormatSpec;
///
/// let spec = FormatSpec {
///     name: "brackets".into(),
///     call: vec![r"[[call]]\n{call}\n[[/call]]".into()],
///     ..FormatSpec::default()
/// };
/// assert_eq!(spec.between, "\n");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatSpec {
    /// The name it is registered under.
    pub name: String,
    /// Other names for it.
    pub aliases: Vec<String>,
    /// Which models write it, for people.
    pub models: String,
    /// Patterns of one call, in order of preference: the first that fits is written, all are read.
    pub call: Vec<CallPattern>,
    /// Patterns with `{*}` around the calls of a turn, in order of preference.
    pub wrap: Vec<String>,
    /// Written between two calls; read: that and whitespace. Default: a line break.
    pub between: String,
    /// Patterns with `{text}`: what shows visible text as such.
    pub message: Vec<String>,
    /// Markers that are dropped where they stand.
    pub strays: Vec<String>,
    /// Text between a wrapper and its calls is markup.
    pub noise: bool,
    /// Other formats whose calls are read too, never written.
    pub reads: Vec<String>,
    /// How freely tags are read.
    pub tags: Tags,
    /// What else is whitespace between literals: `\n` spelled out, for example.
    pub whitespace: Vec<String>,
    /// Where entities are decoded.
    pub entities: Entities,
    /// Parameters that hold the text of files, where the tools' own tags open calls: of their closing
    /// tags the one counts after which the call goes on or ends. One line break at each end is markup.
    pub file_text: Vec<String>,
    /// Which of its markers are special tokens.
    pub special: Special,
    /// What the prompt has usually written already: the message begins after it. It is an opener
    /// of the patterns.
    pub prompt: String,
    /// How headers are read, where the patterns are only for writing.
    pub header: Header,
    /// Which keys a JSON call is read by.
    pub keys: Keys,
    /// How forgiving JSON is read.
    pub json: JsonReading,
    /// What becomes of arguments that are no object.
    pub bare_args: BareArgs,
    /// Whether broken elements are repaired: the default of the option `repair`.
    pub repair: bool,
    /// What becomes of a call that is cut.
    pub recovery: Recovery,
    /// Default for calls whose end marker is missing.
    pub unclosed: Unclosed,
    /// Default for whitespace around calls.
    pub text: TextPolicy,
    /// Default for undeclared names.
    pub names: Names,
    /// Default for what argument deltas carry.
    pub deltas: Deltas,
    /// The reasoning family that usually goes with it.
    pub reasoning: String,
    /// The section is part of the format: it is read although the request wants none.
    pub always_split: bool,
    /// How the tools are listed: a pattern with `{tools:LAYOUT}`. JSON objects are `lines`, an `array` or
    /// `tagged` (a line each, between `<tool>` tags), in the shape of OpenAI `openai-lines`,
    /// `openai-array`, `openai-tagged` or `openai-indented`; `headings`, `sections` and `tags` are text;
    /// `declarations DELIMITER` are Gemma's, each between what stands around the hole.
    pub tools: String,
    /// How a response is shown: a pattern with `{content}` and perhaps `{name}`.
    pub response: String,
    /// What `{content}` holds.
    pub response_body: ResponseBody,
    /// Whether JSON that is written anew has a space after `,` and `:`.
    pub spaced: bool,
    /// Whether requests may replace the outer literals of a call (options `start_marker`,
    /// `end_marker`).
    pub own_markers: bool,
    /// For a chat host: characters of an unmarked object that may pass before a key of a call
    /// comes. Requests may change it (option `max_buffer_chars`) and switch calls off (`mode`).
    pub buffer: Option<usize>,
}

impl Default for FormatSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            aliases: Vec::new(),
            models: String::new(),
            call: Vec::new(),
            wrap: Vec::new(),
            between: "\n".to_owned(),
            message: Vec::new(),
            strays: Vec::new(),
            noise: false,
            reads: Vec::new(),
            tags: Tags::default(),
            whitespace: Vec::new(),
            entities: Entities::default(),
            file_text: Vec::new(),
            special: Special::None,
            prompt: String::new(),
            header: Header::default(),
            keys: Keys::default(),
            json: JsonReading::default(),
            bare_args: BareArgs::default(),
            repair: true,
            recovery: Recovery::default(),
            unclosed: Unclosed::Accept,
            text: TextPolicy::Preserve,
            names: Names::Any,
            deltas: Deltas::Canonical,
            reasoning: "think-tags".to_owned(),
            always_split: false,
            tools: r"<tools>\n{tools:openai-lines}\n</tools>".to_owned(),
            response: r"<tool_response>\n{content}\n</tool_response>".to_owned(),
            response_body: ResponseBody::default(),
            spaced: true,
            own_markers: false,
            buffer: None,
        }
    }
}
