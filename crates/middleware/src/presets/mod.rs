//! Ready middlewares: a wire format, the prompt that teaches it, and where that prompt goes.
//!
//! Each is a [`Middleware`] like any other, to be changed with its `with_…` functions. The prompts are
//! made of parts and tell of nothing that the decoder of the format does not accept;
//! every form and example in them is written by the format itself.
//!
//! | name | wire format | prompt goes |
//! | --- | --- | --- |
//! | `gemma` | `json-mix` between Markdown fences | first |
//! | `hermes` | `json-mix` | first |
//! | `morph-xml`, also `xml` | `morph-xml` | first |
//! | `yaml-xml` (feature `yaml`) | `yaml-xml` | first |
//! | `qwen3-coder` | `qwen3-coder` | first |
//! | `agent` | `agent-prompt`, with stop sequences | after |
//! | `segments-xml`, `segments-json`, `segments-sentinel` | the same | first |
//! | `segments-api` | `segments-api`; the tools stay with the provider | nowhere |
//! | `host` | `host-json` | after |
//!
//! First is before the caller's own instructions. The agent and the chat host put their part after
//! them. [`general`] makes one for any other wire format.

mod gemma;
mod hermes;
mod prompt;
mod sample;
mod words;

use std::sync::Arc;

use thiserror::Error;
use toolweir_protocols::formats;
use toolweir_protocols::segments::{JsonProfile, SegmentsProtocol};
use toolweir_protocols::{FormatSpec, Protocol, Registry, SpecProtocol, UnknownFormat};

use self::prompt::{Prompt, Words};
use crate::middleware::Middleware;
use crate::template::Placement;

/// The names that [`by_name`] knows, in the order of the documentation.
pub const NAMES: &[&str] = &[
    "gemma",
    "hermes",
    "morph-xml",
    #[cfg(feature = "yaml")]
    "yaml-xml",
    "qwen3-coder",
    "agent",
    "segments-xml",
    "segments-json",
    "segments-sentinel",
    "segments-api",
    "host",
];

/// A name that is no preset.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no preset `{name}`; there are: {}", NAMES.join(", "))]
pub struct UnknownPreset {
    /// The name.
    pub name: String,
}

/// The preset of that name; `_` stands for `-`, and `xml` for `morph-xml`.
///
/// ```
/// use toolweir_middleware::presets;
///
/// assert_eq!(presets::by_name("xml").unwrap().protocol().name(), "morph-xml");
/// assert!(presets::by_name("axml").unwrap_err().to_string().contains("gemma, hermes"));
/// ```
///
/// # Errors
/// [`UnknownPreset`], which lists [`NAMES`].
pub fn by_name(name: &str) -> Result<Middleware, UnknownPreset> {
    Ok(match name.replace('_', "-").as_str() {
        "gemma" => gemma(),
        "hermes" => hermes(),
        "morph-xml" | "xml" => morph_xml(),
        #[cfg(feature = "yaml")]
        "yaml-xml" => yaml_xml(),
        "qwen3-coder" => qwen3_coder(),
        "agent" => agent(),
        "segments-xml" => segments_xml(),
        "segments-json" => segments_json(JsonProfile::Default),
        "segments-sentinel" => segments_sentinel(),
        "segments-api" => segments_api(),
        "host" => host(),
        _ => return Err(UnknownPreset { name: name.to_owned() }),
    })
}

/// For Gemma and other chat models that know no tools: JSON calls between Markdown fences labelled
/// `tool_call`, results between fences labelled `tool_response`.
#[must_use]
pub fn gemma() -> Middleware {
    taught(compiled(&gemma::spec()), &words::GEMMA)
}

/// For models of the Hermes family and their relatives, and any other that is prompted: JSON calls
/// between `<tool_call>` tags, damaged ones repaired; results under the name of their tool.
#[must_use]
pub fn hermes() -> Middleware {
    taught(compiled(&hermes::spec()), &words::HERMES)
}

/// For any model: an element named after the tool, one element an argument.
#[must_use]
pub fn morph_xml() -> Middleware {
    taught(builtin("morph-xml"), &words::MORPH_XML)
}

/// For any model: an element named after the tool that holds YAML.
#[cfg(feature = "yaml")]
#[must_use]
pub fn yaml_xml() -> Middleware {
    taught(builtin("yaml-xml"), &words::YAML_XML)
}

/// For Qwen3-Coder and its relatives: `<function=NAME>` with `<parameter=KEY>` tags.
#[must_use]
pub fn qwen3_coder() -> Middleware {
    taught(builtin("qwen3-coder"), &words::QWEN3_CODER)
}

/// The prompt engine of an agent: one JSON call an answer, shown while it is written. The closing tag
/// is a stop sequence of the request ([`Prepared::stop`](crate::Prepared::stop)), with and without the
/// line breaks that models write after it.
#[must_use]
pub fn agent() -> Middleware {
    taught(builtin("agent-prompt"), &words::AGENT)
        .with_placement(Placement::AfterInstructions)
        .with_stop(["</tool_call>", "</tool_call>\n\n"])
}

/// Segments as tags: files, patches and commands stream while they are written.
#[must_use]
pub fn segments_xml() -> Middleware {
    taught(Arc::new(SegmentsProtocol::xml()), &words::SEGMENTS_XML)
}

/// Segments as JSON after a signature, in the spelling of that provider's models.
#[must_use]
pub fn segments_json(profile: JsonProfile) -> Middleware {
    let words = match profile {
        JsonProfile::OpenAi => &words::SEGMENTS_JSON_OPENAI,
        JsonProfile::Gemini => &words::SEGMENTS_JSON_GEMINI,
        JsonProfile::Default => &words::SEGMENTS_JSON,
    };
    taught(Arc::new(SegmentsProtocol::json().with_profile(profile)), words)
}

/// Segments after a JSON header, between sentinels.
#[must_use]
pub fn segments_sentinel() -> Middleware {
    taught(Arc::new(SegmentsProtocol::sentinel()), &words::SEGMENTS_SENTINEL)
}

/// For models whose provider streams calls of its own: no prompt, no rewriting; the tools are those of
/// [`Prepared::native`](crate::Prepared::native), the text of the answer is never looked into.
#[must_use]
pub fn segments_api() -> Middleware {
    let protocol = SegmentsProtocol::pass_through().named("segments-api");
    Middleware::new(Arc::new(protocol)).with_native_tools(true)
}

/// For a chat host: JSON calls anywhere in the text, which the host takes out.
#[must_use]
pub fn host() -> Middleware {
    taught(builtin("host-json"), &words::HOST).with_placement(Placement::AfterInstructions)
}

/// For any wire format, one's own among them: a prompt that shows how the format writes tools and calls,
/// and says nothing that depends on the format.
///
/// ```
/// use toolweir_middleware::{Conversation, Message, presets};
/// use toolweir_protocols::{Registry, Tool};
///
/// let middleware = presets::general(Registry::builtin().get("qwen25").unwrap().clone());
/// let conversation = Conversation::new([Message::user("Hello?")]).tools([Tool::new("dice")]);
/// let prepared = middleware.prepare(&conversation).unwrap();
/// assert!(prepared.messages[0].joined_text().contains("<tool_call>"));
/// ```
#[must_use]
pub fn general(protocol: Arc<dyn Protocol>) -> Middleware {
    taught(protocol, &words::GENERAL)
}

/// The preset of that name, else [`general`] for the built-in wire format of that name.
///
/// ```
/// use toolweir_middleware::presets;
///
/// assert!(presets::for_format("hermes").is_ok());
/// assert_eq!(presets::for_format("qwen25").unwrap().protocol().name(), "qwen25");
/// assert!(presets::for_format("no-such-format").is_err());
/// ```
///
/// # Errors
/// [`UnknownFormat`], which says what is near or known.
pub fn for_format(name: &str) -> Result<Middleware, UnknownFormat> {
    by_name(name).or_else(|_| Ok(general(Arc::clone(Registry::builtin().get(name)?))))
}

fn taught(protocol: Arc<dyn Protocol>, words: &'static Words) -> Middleware {
    let template = Prompt { words, protocol: Arc::clone(&protocol) }.template();
    Middleware::new(protocol).with_template(template)
}

/// A built-in format.
pub(crate) fn builtin(name: &str) -> Arc<dyn Protocol> {
    compiled(&formats::spec(name).unwrap_or_default())
}

/// A row, compiled. They are constants, and a test makes each of them.
fn compiled(spec: &FormatSpec) -> Arc<dyn Protocol> {
    match SpecProtocol::new(spec) {
        Ok(protocol) => Arc::new(protocol),
        Err(_) => Arc::new(SegmentsProtocol::pass_through()),
    }
}
