//! Reasoning families: the markers around a model's thinking, as data.
//!
//! Source of the markers and of what their chat templates print around them: the templates that
//! the model cards of the families ship (Qwen, Granite, DeepSeek, Nemotron, Step, Seed, MiMo, Kimi,
//! LongCat repositories, read in 2026).
//!
//! The section is part of the same ordered machine as the calls: text and reasoning are two
//! channels of one engine, and what is a marker in each is compiled from this table and the
//! format's spec.

use crate::pattern::{At, Part, Pattern, PatternError, Role, check};

/// Where a tool-call opener may end an open reasoning section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolEnds {
    /// Nowhere: openers are data.
    Never,
    /// At the start of a line, of the section or of the stream.
    LineStart,
    /// Those that the family lists beside `<tool_call>`: anywhere; others as [`ToolEnds::LineStart`].
    Listed,
    /// Anywhere.
    Anywhere,
}

/// One reasoning family: how the sections of some models look, as patterns ([`crate::pattern`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family<'a> {
    /// Its name.
    pub name: &'a str,
    /// Other names for it.
    pub aliases: &'a [&'a str],
    /// The section, in order of preference: `<think>\n{reasoning}\n</think>`. Whitespace beside its
    /// markers is dropped as it is spelled, whole or not at all; `{also:\n}` after the last one takes
    /// every line break.
    pub section: &'a [&'a str],
    /// What may stand around the answer, as markup: `<answer>\n{text}\n</answer>`.
    pub message: &'a [&'a str],
    /// Where an end marker that closes nothing is dropped.
    pub lone_end_marker: LoneEndMarker,
    /// Where tool-call openers end the section.
    pub tool_ends: ToolEnds,
    /// Call openers that end the section even where no tool format is active (the call then stays
    /// text).
    pub tool_openers: &'a [&'a str],
    /// The section is not split off: it is text, and this, which the prompt has written, stands before
    /// the first text. For clients that send the section back as part of the answer.
    pub lead: Option<&'a str>,
}

/// Where an end marker without an open section is markup; elsewhere it is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoneEndMarker {
    /// Everywhere.
    Dropped,
    /// At the start of the message.
    DroppedFirst,
    /// Nowhere.
    Text,
}

impl Family<'_> {
    /// What its sections may be opened with, each with the whitespace that goes with it and without.
    #[must_use]
    pub fn openers(&self) -> Vec<String> {
        let sections = sections(self).unwrap_or_default();
        let framed = |s: &Section| s.spelled(&s.opens);
        sections.iter().flat_map(framed).collect()
    }

    /// Every marker of its sections and of the answer.
    #[must_use]
    pub fn markers(&self) -> Vec<String> {
        let sections = sections(self).into_iter().chain(messages(self)).flatten();
        sections.flat_map(|s| s.opens.into_iter().chain(s.closes)).collect()
    }
}

const PLAIN: Family<'static> = Family {
    name: "think-tags",
    aliases: &[],
    section: &["<think>{reasoning}</think>"],
    message: &[],
    lone_end_marker: LoneEndMarker::Dropped,
    tool_ends: ToolEnds::Never,
    tool_openers: &[],
    lead: None,
};

/// A section that calls end at the start of a line.
const BEFORE_CALLS: Family<'static> =
    Family { tool_ends: ToolEnds::LineStart, tool_openers: &["<tool_call>"], ..PLAIN };

/// Step 3.5, Nemotron 3: the tags stand on lines of their own.
const LINES: Family<'static> = Family {
    name: "step3p5",
    aliases: &["nemotron-v3"],
    section: &[r"<think>\n{reasoning}\n</think>\n"],
    ..BEFORE_CALLS
};

/// The family that goes with a format that names none.
pub(crate) const USUAL: &Family<'static> = &Family { aliases: &["basic"], ..PLAIN };

/// The sections that `auto` reads until a format is chosen: those of all families whose markers are no
/// words of a text. What is chosen has its own. Not among them: markers of families whose rows read
/// them as messages, and `◁think▷`, whose first byte many texts hold.
pub(crate) const AUTO: &Family<'static> = &Family {
    name: "auto",
    section: &[
        r"<think>\n{reasoning}\n</think>\n\n",
        "[THINK]{reasoning}[/THINK]",
        "<|START_THINKING|>{reasoning}<|END_THINKING|>",
        r"<|channel>thought\n{reasoning}\n<channel|>",
        "<|open|>think<|sep|>{reasoning}<|close|>think<|sep|>",
        r"<seed:think>{reasoning}</seed:think>\n",
        "<mm:think>{reasoning}</mm:think>",
        "<longcat_think>{reasoning}</longcat_think>",
        "<|inner_prefix|>{reasoning}<|inner_suffix|>",
        "<ifm|think>{reasoning}</ifm|think>",
        "<ifm|think_fast>{reasoning}</ifm|think_fast>",
        "<ifm|think_faster>{reasoning}</ifm|think_faster>",
        "<|plamo:begin_think:plamo|>{reasoning}<|plamo:end_think:plamo|>",
    ],
    tool_ends: ToolEnds::Listed,
    // Of models that forget to close the section.
    tool_openers: &[
        "<tool_call>",
        "<|tool_calls_section_begin|>",
        "<|tool_call_section_begin|>",
        "<|tool_call_begin|>",
        "<|tool_call>",
        "<|open|>",
        "<|plamo:begin_tool_requests:plamo|>",
    ],
    ..PLAIN
};

/// Every family, in the order of the documentation.
pub const FAMILIES: &[Family<'static>] = &[
    *USUAL,
    Family {
        name: "qwen3",
        aliases: &["qwen3-thinking", "interns1", "nanbeige"],
        section: &[r"<think>\n{reasoning}\n</think>\n\n"],
        ..BEFORE_CALLS
    },
    // The prompt writes the opener and its line break.
    Family {
        name: "deepseek-r1",
        aliases: &["qwq", "step3", "step5"],
        section: &[r"<think>\n{reasoning}</think>"],
        ..PLAIN
    },
    // deepseek-v3: thinking is a switch of the request; the prompt writes the opener where it is on.
    Family {
        name: "deepseek-v3",
        aliases: &["v31", "v32"],
        tool_openers: &["<｜DSML｜function_calls>"],
        ..BEFORE_CALLS
    },
    Family {
        name: "deepseek-v4",
        aliases: &["v41", "deepseek-v41"],
        tool_openers: &[
            "<｜DSML｜tool_calls>",
            "<｜DSML｜function_calls>",
            "<｜DSML｜toolcalls>",
            "<｜DSML｜tool>",
            "<｜DSML｜ calls>",
            "<｜DSML｜ toolcalls>",
            "<｜DSML｜ tool>",
            "<｜DSML｜invoke",
            "<｜DSML｜ invoke",
        ],
        ..BEFORE_CALLS
    },
    // GLM 4.5 and 4.6.
    Family { name: "glm45", section: &[r"\n<think>{reasoning}</think>\n"], ..BEFORE_CALLS },
    // GLM 4.7 and later: the prompt writes the opener; a closing tag alone at the start means no thinking.
    Family { name: "glm47", aliases: &["glm5", "ling3", "poolside-v1", "spark25"], ..BEFORE_CALLS },
    LINES,
    Family {
        name: "granite-thinking",
        aliases: &["granite-4.2"],
        section: &[r"<think>\n{reasoning}\n</think>\n{also:\n}"],
        ..LINES
    },
    Family {
        name: "nemotron-nano",
        aliases: &["nemotron-v2"],
        tool_ends: ToolEnds::Never,
        tool_openers: &[],
        ..LINES
    },
    Family {
        name: "seed-oss",
        section: &[r"<seed:think>{reasoning}</seed:think>\n"],
        tool_openers: &["<seed:tool_call>"],
        ..BEFORE_CALLS
    },
    Family { name: "olmo3", aliases: &["holo2"], ..PLAIN },
    Family { name: "mimo", ..BEFORE_CALLS },
    Family { name: "kimi", section: &["◁think▷{reasoning}◁/think▷"], ..PLAIN },
    Family { name: "longcat", section: &["<longcat_think>{reasoning}</longcat_think>"], ..PLAIN },
    Family {
        name: "minimax-m2",
        section: &[r"<think>\n{reasoning}\n</think>\n\n"],
        tool_openers: &["<minimax:tool_call>"],
        ..BEFORE_CALLS
    },
    Family { name: "minimax-m2-append-think", lead: Some("<think>"), ..PLAIN },
    // A bare end marker begins a turn without reasoning.
    Family {
        name: "minimax-m3",
        section: &["<mm:think>{reasoning}</mm:think>"],
        lone_end_marker: LoneEndMarker::DroppedFirst,
        tool_openers: &["]<]minimax[>["],
        ..BEFORE_CALLS
    },
    Family {
        name: "hunyuan-a13b",
        section: &[r"<think>\n{reasoning}\n</think>\n"],
        message: &[r"<answer>\n{text}\n</answer>"],
        ..PLAIN
    },
    Family {
        name: "ernie45",
        section: &[r"<think>{also:\n}{reasoning}{also:\n}</think>{also:\n}"],
        message: &[r"<response>{also:\n}{text}{also:\n}</response>{also:\n}"],
        ..PLAIN
    },
    // The tokenizer may put a word after the names of its tags.
    Family { name: "hy-v3", aliases: &["hy-v4"], tool_openers: &["<tool_calls>"], ..BEFORE_CALLS },
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
        section: &["[THINK]{reasoning}[/THINK]"],
        tool_openers: &["[TOOL_CALLS]"],
        ..BEFORE_CALLS
    },
    Family {
        name: "cohere",
        aliases: &["command-a", "command4"],
        section: &["<|START_THINKING|>{reasoning}<|END_THINKING|>"],
        tool_openers: &["<|START_ACTION|>"],
        ..BEFORE_CALLS
    },
    // The line break after the label is framing: an empty section may be without it. Where the model leaves the
    // token out, the label alone on the first line opens the section. Calls in mid-line end the section, which the
    // model forgets to close: their opener is a token.
    Family {
        name: "gemma4",
        section: &[
            r"<|channel>thought\n{reasoning}\n<channel|>",
            r"{at:message}{any:thought\n||thought\r\n}{reasoning}\n<channel|>",
        ],
        tool_ends: ToolEnds::Anywhere,
        tool_openers: &["<|tool_call>"],
        ..PLAIN
    },
    // A message of harmony; where the format is active its own row reads it.
    Family {
        name: "gpt-oss",
        section: &["<|channel|>analysis<|message|>{reasoning}<|end|>"],
        ..PLAIN
    },
    // The end marker is often skipped: any opener ends the section. Detokenisers put spaces around words.
    Family {
        name: "kimi-k3",
        section: &[
            "<|open|>think<|sep|>{reasoning}<|close|>think<|sep|>",
            "<|open|> think <|sep|>{reasoning}<|close|> think <|sep|>",
        ],
        tool_ends: ToolEnds::Anywhere,
        tool_openers: &["<|open|>"],
        ..PLAIN
    },
    // A message of Inkling; its own row reads it.
    Family {
        name: "inkling",
        section: &[concat!(
            "<|content_thinking|>{reasoning}",
            "{any:<|end_message|>||<|content_model_end_sampling|>}"
        )],
        tool_ends: ToolEnds::Anywhere,
        tool_openers: &["<|message_model|>", "<|content_text|>", "<|content_invoke_tool_json|>"],
        ..PLAIN
    },
    // Messages of Muse Glimmer and Solar Open; their own rows read them.
    Family {
        name: "muse-glimmer",
        aliases: &["muse"],
        section: &["{at:message} to=self<|message|>{reasoning}{any:<|eom|>||<|eot|>}"],
        tool_ends: ToolEnds::Anywhere,
        tool_openers: &["<|start|>assistant", "<|message|>"],
        ..PLAIN
    },
    Family {
        name: "solar-open",
        section: &["<|think|>{reasoning}<|end|>"],
        tool_ends: ToolEnds::Anywhere,
        tool_openers: &["<|begin|>assistant", "<|tool_calls|>", "<|content|>"],
        ..PLAIN
    },
    Family {
        name: "plamo3",
        section: &["<|plamo:begin_think:plamo|>{reasoning}<|plamo:end_think:plamo|>"],
        tool_ends: ToolEnds::Anywhere,
        tool_openers: &["<|plamo:begin_tool_requests:plamo|>"],
        ..PLAIN
    },
    // The request's effort chooses among them.
    Family {
        name: "k2-horizon",
        section: &[
            "<ifm|think>{reasoning}</ifm|think>",
            "<ifm|think_fast>{reasoning}</ifm|think_fast>",
            "<ifm|think_faster>{reasoning}</ifm|think_faster>",
        ],
        tool_openers: &["<ifm|tool_calls>", "<ifm|tool_call>"],
        ..BEFORE_CALLS
    },
    Family { name: "apertus", section: &["<|inner_prefix|>{reasoning}<|inner_suffix|>"], ..PLAIN },
    // Plain sentences, which mean something only where an answer begins with the first.
    Family {
        name: "granite",
        section: &[concat!(
            "{at:message}{any:Here is my thought process:||Here's my thought process:}{reasoning}",
            "{any:Here is my response:||Here's my response:}"
        )],
        lone_end_marker: LoneEndMarker::Text,
        ..PLAIN
    },
    // 1.6, whose first line the prompt has written; 1.5.
    Family {
        name: "apriel",
        section: &[
            r"{at:message}Here are my reasoning steps:\n{reasoning}\n[BEGIN FINAL RESPONSE]\n",
            "<thinking>{reasoning}</thinking>",
        ],
        tool_openers: &["<tool_calls>"],
        ..BEFORE_CALLS
    },
];

/// Whitespace after a marker of a section, which is markup: a text, whole or not at all, and after it
/// any number of some characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct After {
    pub(crate) text: String,
    pub(crate) more: String,
}

/// A pattern of a section or of an answer, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) opens: Vec<String>,
    pub(crate) closes: Vec<String>,
    /// Whitespace before each of them, exactly.
    pub(crate) before_open: String,
    pub(crate) before_close: String,
    pub(crate) after_open: After,
    pub(crate) after_close: After,
    /// It begins the message or none.
    pub(crate) at_message: bool,
}

impl Section {
    /// Markers with all the whitespace around them that is theirs, and alone.
    fn spelled(&self, markers: &[String]) -> Vec<String> {
        let framed = |marker: &String| {
            let (before, after) = (&self.before_open, &self.after_open.text);
            [format!("{before}{marker}{after}"), marker.clone()]
        };
        markers.iter().flat_map(framed).collect()
    }
}

/// The sections of a family.
pub(crate) fn sections(family: &Family<'_>) -> Result<Vec<Section>, PatternError> {
    family.section.iter().map(|text| section(text, &Part::Reasoning, Role::Section)).collect()
}

/// What may stand around its answers.
pub(crate) fn messages(family: &Family<'_>) -> Result<Vec<Section>, PatternError> {
    family.message.iter().map(|text| section(text, &Part::Text, Role::Message)).collect()
}

fn section(text: &str, body: &Part, role: Role) -> Result<Section, PatternError> {
    let pattern: Pattern = text.parse()?;
    check(&pattern, role)?;
    let at = pattern.parts.iter().position(|part| part == body).unwrap_or_default();
    let (head, tail) = pattern.parts.split_at_checked(at).unwrap_or((&[], &[]));
    let (before_open, opens, after_open) = around_marker(head);
    let (before_close, closes, after_close) = around_marker(tail.get(1..).unwrap_or_default());
    Ok(Section {
        opens: spellings(opens),
        closes: spellings(closes),
        before_open: edge(before_open),
        before_close: edge(before_close),
        after_open: After { text: edge(after_open), more: String::new() },
        after_close: whitespace(after_close),
        at_message: head.contains(&Part::At(At::Message)),
    })
}

/// The marker among these parts, and what stands before and after it.
fn around_marker(parts: &[Part]) -> (&[Part], &[Part], &[Part]) {
    let is_marker = |part: &Part| matches!(part, Part::Literal(_) | Part::Any(_));
    let first = parts.iter().position(is_marker).unwrap_or(parts.len());
    let last = parts.iter().rposition(is_marker).map_or(parts.len(), |at| at + 1);
    let (head, after) = parts.split_at_checked(last).unwrap_or((parts, &[]));
    let (before, marker) = head.split_at_checked(first).unwrap_or((&[], head));
    (before, marker, after)
}

/// Each way in which a marker is spelled.
fn spellings(parts: &[Part]) -> Vec<String> {
    let mut spelled = vec![String::new()];
    for part in parts {
        let ends = match part {
            Part::Literal(text) | Part::Space(text) => vec![text.clone()],
            Part::Any(ways) => ways.iter().flat_map(|way| spellings(&way.parts)).collect(),
            _ => continue,
        };
        let with = |start: &String| ends.iter().map(|end| format!("{start}{end}")).collect();
        spelled = spelled.iter().flat_map::<Vec<String>, _>(with).collect();
    }
    spelled
}

fn whitespace(parts: &[Part]) -> After {
    let mut after = After::default();
    for part in parts {
        match part {
            Part::Space(text) => after.text.push_str(text),
            Part::Also(more) => after.more.extend(spellings(&more.parts)),
            _ => {}
        }
    }
    after
}

/// At the edge of what is said `{also:…}` is one whitespace, like whitespace itself.
fn edge(parts: &[Part]) -> String {
    let After { text, more } = whitespace(parts);
    text + &more
}

/// The family of that name or alias, or `auto`.
#[must_use]
pub fn family(name: &str) -> Option<&'static Family<'static>> {
    let mut all = FAMILIES.iter().chain([AUTO]);
    all.find(|f| f.name == name || f.aliases.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_auto_reads_is_what_the_families_say() {
        for section in AUTO.section {
            assert!(FAMILIES.iter().any(|family| family.section.contains(section)), "{section}");
        }
        let is_read = |family: &&Family<'_>| {
            family.section.iter().any(|section| AUTO.section.contains(section))
        };
        let read = FAMILIES.iter().filter(is_read);
        let anywhere = read.filter(|family| family.tool_ends == ToolEnds::Anywhere);
        let openers: Vec<&str> = anywhere.flat_map(|family| family.tool_openers).copied().collect();
        assert!(!openers.is_empty());
        assert!(openers.iter().all(|opener| AUTO.tool_openers.contains(opener)), "{openers:?}");
    }
}
