//! What a caller asks of a decoder: tools, start state, policies, limits.

use std::collections::BTreeMap;

use crate::error::{OptionError, RequestError};
use crate::limits::Limits;
use crate::policy::{Policies, choices, pick};
use crate::reasoning::{FAMILIES, Family, USUAL, family};
use crate::tools::ToolSet;
use crate::wording::near_names;

choices! {
    /// The channel the prompt left open.
    StartState {
        /// The stream begins in visible text.
        Text = "text",
        /// The prompt already opened the reasoning section.
        Reasoning = "reasoning",
    }
}

/// Which reasoning section the stream may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reasoning {
    /// The family that usually goes with the format.
    #[default]
    Default,
    /// None: reasoning markers are ordinary text.
    None,
    /// Thinking is switched off: markers are text, but an empty section at the start is removed.
    Off,
    /// The family of that name, `qwen3` for example.
    Family(String),
    /// A section that no family has, as a pattern: `<thinking>\n{reasoning}\n</thinking>`. Otherwise it is
    /// read as `think-tags` is.
    Section(String),
}

impl Reasoning {
    /// What `make` makes of the family that is asked for; `usual`: the one that goes with the format.
    pub(crate) fn with_family<T>(
        &self,
        usual: &Family<'_>,
        make: impl FnOnce(Option<&Family<'_>>) -> T,
    ) -> Result<T, RequestError> {
        Ok(match self {
            Self::None => make(None),
            Self::Default | Self::Off => make(Some(usual)),
            Self::Family(name) => {
                let unknown = || RequestError::UnknownReasoning {
                    name: name.clone(),
                    near: near_names(name, FAMILIES.iter().map(|f| f.name)),
                };
                make(Some(family(name).ok_or_else(unknown)?))
            }
            Self::Section(pattern) => {
                make(Some(&Family { name: pattern, aliases: &[], section: &[pattern], ..*USUAL }))
            }
        })
    }
}

impl From<&str> for Reasoning {
    /// As options spell it: `default`, `none`, `off`, a pattern, or else the name of a family.
    fn from(text: &str) -> Self {
        match text {
            "default" => Self::Default,
            "none" => Self::None,
            "off" => Self::Off,
            pattern if pattern.contains('{') => Self::Section(pattern.to_owned()),
            name => Self::Family(name.to_owned()),
        }
    }
}

/// Opt-in events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Emit {
    /// `Markup`: structure outside every segment. With it spans tile the stream.
    pub markup: bool,
    /// `Raw`: source of the payload as received.
    pub raw: bool,
    /// `Field`: decoded content of each string argument as it grows.
    pub field: bool,
}

/// Everything a decoder needs to know before the first chunk. Cheap to clone.
///
/// ```
/// use toolweir_protocols::{Request, Tool, ToolSet};
/// let mut request = Request::new(ToolSet::new([Tool::new("dice")]).unwrap());
/// request.set("unclosed", "text").unwrap();
/// request.set("start_state", "reasoning").unwrap();
/// assert!(request.set("unclosd", "text").is_err());
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Request {
    /// The declared tools.
    pub tools: ToolSet,
    /// The channel the prompt left open. Default: text.
    pub start_state: StartState,
    /// The beginning of the message, which the prompt or the server has written: `<think>`, an open
    /// header, `[{"name": "dice", "arguments": ` of a call that is forced. The stream goes on after it.
    /// It is read like the stream, from `start_state` on; calls that it begins are reported whole, its
    /// text is not, and spans count from the beginning of the stream. Default: none.
    pub prefix: String,
    /// The reasoning section. Default: the family that goes with the format.
    pub reasoning: Reasoning,
    /// Choices where formats leave one.
    pub policies: Policies,
    /// Bounds.
    pub limits: Limits,
    /// Opt-in events. Default: none.
    pub emit: Emit,
    /// Options of single formats (`start_marker`, …), by name.
    pub options: BTreeMap<String, String>,
}

/// Options of a chat host.
pub(crate) const HOST_OPTIONS: &[&str] = &["mode", "placeholder_text", "max_buffer_chars"];
/// What `mode` takes: calls are shown apart, not looked for, or shown as a placeholder.
pub(crate) const HOST_MODES: &[&str] = &["smart", "passthrough", "placeholders"];

/// Options that some formats read.
pub(crate) const FORMAT_OPTIONS: &[&str] = &[
    "start_marker",
    "end_marker",
    "repair",
    "max_reparses",
    "line_prefixed",
    "parse_tool_calls",
    "strategy_order",
    "provider",
    "json_tool_patterns",
    "mode",
    "placeholder_text",
    "max_buffer_chars",
    "tool",
    "python_code",
    "tag_suffix",
    // Read at the edge, where segments get their ids.
    "segment_id_prefix",
];

impl Request {
    /// A request with defaults for everything but the tools.
    #[must_use]
    pub fn new(tools: ToolSet) -> Self {
        Self { tools, ..Self::default() }
    }

    /// Every name that [`Request::set`] knows.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        let own = ["start_state", "prefix", "reasoning"];
        own.into_iter()
            .chain(Policies::KEYS.iter().copied())
            .chain(Limits::KEYS.iter().copied())
            .chain(FORMAT_OPTIONS.iter().copied())
    }

    /// Sets a policy, limit, `start_state`, `prefix`, `reasoning` (`default`, `none`, `off`, a family or a
    /// pattern) or format option by name.
    ///
    /// # Errors
    /// [`OptionError`] for an unknown name or a value it does not take.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), OptionError> {
        match key {
            "start_state" => self.start_state = pick(key, value)?,
            "prefix" => value.clone_into(&mut self.prefix),
            "reasoning" => self.reasoning = value.into(),
            _ if Policies::KEYS.contains(&key) => self.policies.set(key, value)?,
            _ if Limits::KEYS.contains(&key) => self.limits.set(key, value)?,
            _ if FORMAT_OPTIONS.contains(&key) => {
                self.options.insert(key.to_owned(), value.to_owned());
            }
            _ => return Err(OptionError::unknown(key, &Self::keys().collect::<Vec<_>>())),
        }
        Ok(())
    }
}
