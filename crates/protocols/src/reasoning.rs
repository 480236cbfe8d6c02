//! Reasoning families: the markers around a model's thinking, as data.
//!
//! Source of the markers and of what their chat templates print around them: the templates that
//! the model cards of the families ship (Qwen, Granite, DeepSeek, Nemotron, Step, Seed, MiMo, Kimi,
//! LongCat repositories, read in 2026).
//!
//! The section is part of the same ordered machine as the calls: text and reasoning are two
//! channels of one engine, and what is a marker in each is compiled from this table and the
//! format's spec.

use crate::error::{RequestError, near_names};
use crate::request::Reasoning;

/// Where a tool-call opener may end an open reasoning section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolEnds {
    /// Nowhere: openers are data.
    Never,
    /// At the start of a line, of the section or of the stream.
    LineStart,
    /// Anywhere.
    Anywhere,
}

/// One reasoning family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family<'a> {
    /// Its name.
    pub name: &'a str,
    /// Other names for it.
    pub aliases: &'a [&'a str],
    /// The marker that opens the section.
    pub open: &'a str,
    /// The marker that closes it.
    pub close: &'a str,
    /// Dropped behind the opener, whole or not at all.
    pub after_open: &'a str,
    /// Dropped before the closer, whole or not at all.
    pub before_close: &'a str,
    /// Dropped behind the closer, whole or not at all.
    pub after_close: &'a str,
    /// Where tool-call openers end the section.
    pub tool_ends: ToolEnds,
    /// Call openers that end the section even where no tool format is active (the call then stays
    /// text).
    pub tool_openers: &'a [&'a str],
}

const PLAIN: Family<'static> = Family {
    name: "think-tags",
    aliases: &["basic"],
    open: "<think>",
    close: "</think>",
    after_open: "",
    before_close: "",
    after_close: "",
    tool_ends: ToolEnds::Never,
    tool_openers: &[],
};

/// Step 3.5, Nemotron 3: the tags stand on lines of their own.
const LINES: Family<'static> = Family {
    name: "step3p5",
    aliases: &["nemotron-v3"],
    after_open: "\n",
    before_close: "\n",
    after_close: "\n",
    tool_ends: ToolEnds::LineStart,
    tool_openers: &["<tool_call>"],
    ..PLAIN
};

/// The family that goes with a format that names none.
pub(crate) const USUAL: &Family<'static> = &PLAIN;

/// Every family, in the order of the documentation.
pub const FAMILIES: &[Family<'static>] = &[
    PLAIN,
    Family {
        name: "qwen3",
        aliases: &["qwen3-thinking", "interns1", "nanbeige"],
        after_open: "\n",
        before_close: "\n",
        after_close: "\n\n",
        tool_ends: ToolEnds::LineStart,
        tool_openers: &["<tool_call>"],
        ..PLAIN
    },
    // The prompt writes the opener and its line break.
    Family { name: "deepseek-r1", aliases: &["qwq", "step5"], after_open: "\n", ..PLAIN },
    // deepseek-v3: thinking is a switch of the request; the prompt writes the opener where it is on.
    Family {
        name: "deepseek-v3",
        aliases: &["v31", "v32"],
        tool_ends: ToolEnds::LineStart,
        tool_openers: &["<｜DSML｜function_calls>"],
        ..PLAIN
    },
    Family {
        name: "deepseek-v4",
        aliases: &["v41"],
        tool_ends: ToolEnds::LineStart,
        tool_openers: &["<｜DSML｜tool_calls>", "<｜DSML｜ calls>"],
        ..PLAIN
    },
    // GLM 4.5 and 4.6. The template also prints a line break before the opener.
    Family {
        name: "glm45",
        aliases: &[],
        after_close: "\n",
        tool_ends: ToolEnds::LineStart,
        tool_openers: &["<tool_call>"],
        ..PLAIN
    },
    // GLM 4.7 and later: the prompt writes the opener; a closing tag alone at the start means no thinking.
    Family {
        name: "glm47",
        aliases: &["glm5", "ling3", "poolside-v1", "spark25"],
        tool_ends: ToolEnds::LineStart,
        tool_openers: &["<tool_call>"],
        ..PLAIN
    },
    LINES,
    Family { name: "granite-thinking", aliases: &["granite-4.2"], ..LINES },
    Family {
        name: "nemotron-nano",
        aliases: &["nemotron-v2"],
        tool_ends: ToolEnds::Never,
        tool_openers: &[],
        ..LINES
    },
    Family {
        name: "seed-oss",
        aliases: &[],
        open: "<seed:think>",
        close: "</seed:think>",
        after_close: "\n",
        tool_ends: ToolEnds::LineStart,
        tool_openers: &["<seed:tool_call>"],
        ..PLAIN
    },
    Family { name: "olmo3", aliases: &["holo2"], ..PLAIN },
    Family { name: "kimi", aliases: &[], open: "◁think▷", close: "◁/think▷", ..PLAIN },
    Family {
        name: "longcat",
        aliases: &[],
        open: "<longcat_think>",
        close: "</longcat_think>",
        ..PLAIN
    },
    Family {
        name: "minimax-m2",
        aliases: &[],
        after_open: "\n",
        before_close: "\n",
        after_close: "\n\n",
        tool_ends: ToolEnds::LineStart,
        tool_openers: &["<minimax:tool_call>"],
        ..PLAIN
    },
    // The model forgets the closing tag: a section or a call ends the reasoning in mid-line too.
    Family {
        name: "kimi-k2",
        aliases: &["k25"],
        tool_ends: ToolEnds::Anywhere,
        tool_openers: &[
            "<|tool_calls_section_begin|>",
            "<|tool_call_section_begin|>",
            "<|tool_call_begin|>",
        ],
        ..PLAIN
    },
    Family {
        name: "mistral",
        aliases: &[],
        open: "[THINK]",
        close: "[/THINK]",
        tool_ends: ToolEnds::LineStart,
        tool_openers: &["[TOOL_CALLS]"],
        ..PLAIN
    },
    Family {
        name: "cohere",
        aliases: &["command-a", "command4"],
        open: "<|START_THINKING|>",
        close: "<|END_THINKING|>",
        tool_ends: ToolEnds::LineStart,
        tool_openers: &["<|START_ACTION|>"],
        ..PLAIN
    },
    // The line break after the label is framing: an empty section may be without it.
    Family {
        name: "gemma4",
        aliases: &[],
        open: "<|channel>thought",
        close: "<channel|>",
        after_open: "\n",
        tool_ends: ToolEnds::LineStart,
        tool_openers: &["<|tool_call>"],
        ..PLAIN
    },
    // A message of harmony; where the format is active its own row reads it.
    Family {
        name: "gpt-oss",
        aliases: &[],
        open: "<|channel|>analysis<|message|>",
        close: "<|end|>",
        ..PLAIN
    },
];

/// The family of that name or alias.
#[must_use]
pub fn family(name: &str) -> Option<&'static Family<'static>> {
    FAMILIES.iter().find(|f| f.name == name || f.aliases.contains(&name))
}

/// The family that a request asks for; `usual`: the one that goes with the format.
pub(crate) fn wanted_family(
    reasoning: &Reasoning,
    usual: &'static Family<'static>,
) -> Result<Option<&'static Family<'static>>, RequestError> {
    match reasoning {
        Reasoning::None => Ok(None),
        Reasoning::Default | Reasoning::Off => Ok(Some(usual)),
        Reasoning::Family(name) => match family(name) {
            Some(family) => Ok(Some(family)),
            None => Err(RequestError::UnknownReasoning {
                name: name.clone(),
                near: near_names(name, FAMILIES.iter().map(|f| f.name)),
            }),
        },
    }
}
