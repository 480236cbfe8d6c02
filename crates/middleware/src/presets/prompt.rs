//! A prompt, put together from its parts.
//!
//! The parts come in one order: who the model is, the tools, the form of a call, an example, the rules,
//! the caller's own examples. What a call looks like is never spelled out here: the format writes it, so
//! that the prompt cannot say anything else than the decoder reads.

use std::sync::Arc;

use toolweir_protocols::{Protocol, Tool, ToolCall};
use toolweir_rjson::{Object, Value};

use super::sample;
use crate::template::{Rendered, Template};

/// The words of one format around what is written by it.
#[derive(Debug)]
pub(super) struct Words {
    /// Over everything, in front of the first words; none: the tools have a heading of their own.
    pub(super) title: &'static str,
    /// Over the tools.
    pub(super) tools: &'static str,
    /// Over the form of a call.
    pub(super) form: &'static str,
    /// What is no call, if that needs to be shown.
    pub(super) bad: &'static str,
    /// How a call is to be written, and what becomes of it.
    pub(super) rules: &'static [&'static str],
    /// How calls of tools with piped content are written, where the format knows such tools.
    pub(super) content: Content,
}

/// How the content of a file, a patch or a command is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    /// Like any other argument.
    Plain,
    /// As the format writes it, under these words.
    Written(&'static str),
    /// In the argument of a tag, between markers where the tool has some, under these words.
    Marked(&'static str),
}

impl Content {
    const fn words(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Written(words) | Self::Marked(words) => Some(words),
        }
    }
}

/// A tool with piped content, as the segment formats know it without further registration.
struct Piped {
    tool: &'static str,
    /// The argument that the content fills.
    body: &'static str,
    /// The argument in front of it.
    path: Option<&'static str>,
    markers: Option<(&'static str, &'static str)>,
    sample: &'static str,
}

const PATCH: Piped = Piped {
    tool: "patch_file",
    body: "patch",
    path: Some("path"),
    markers: Some(("__START_PATCH__", "__END_PATCH__")),
    sample: "@@ -1 +1 @@\n-first line\n+a better line\n",
};

const PIPED: &[Piped] = &[
    Piped {
        tool: "write_file",
        body: "content",
        path: Some("path"),
        markers: Some(("__START_CONTENT__", "__END_CONTENT__")),
        sample: "first line\nsecond line\n",
    },
    PATCH,
    Piped { tool: "edit_file", ..PATCH },
    Piped {
        tool: "run_bash",
        body: "command",
        path: None,
        markers: None,
        sample: "ls -l && echo \"<done>\"",
    },
];

/// Where made-up content goes.
const PATH: &str = "notes/today.txt";

const ROLE: &str = "You can use tools. Where one of them helps, call it in the way shown here; \
    otherwise answer in plain text.";

/// The words and the format they are about.
pub(super) struct Prompt {
    pub(super) words: &'static Words,
    pub(super) protocol: Arc<dyn Protocol>,
}

impl Prompt {
    pub(super) fn template(self) -> Template {
        Template::new(move |shown| self.write(shown))
    }

    fn write(&self, shown: &Rendered<'_>) -> String {
        // Words about tags or fences do not hold for other delimiters.
        let probe = ToolCall::new("TOOL_NAME", "{}");
        let own = Self::call(&*self.protocol, &probe) == Self::call(shown.protocol, &probe);
        let words = if own { self.words } else { &super::words::GENERAL };
        let Words { title, tools, form, bad, rules, content } = words;
        let (mut out, level) = match *title {
            "" => (format!("{ROLE}\n\n# Tools\n{tools}\n\n{}", shown.tools), "#"),
            title => (format!("## {title}\n\n{ROLE}\n\n{tools}\n\n{}", shown.tools), "##"),
        };
        let call = ToolCall::new("TOOL_NAME", "{\"ARGUMENT\":\"VALUE\"}");
        if let Some(shape) = Self::call(shown.protocol, &call) {
            out.push_str(&format!("\n\n{level} Form of a call\n{form}\n\n{shape}"));
        }
        let (plain, piped) = self.sorted(shown);
        // The caller's own examples say more than one that is made up.
        let made_up = shown.examples.is_empty().then(|| sample::example(shown.protocol, &plain));
        if let Some(example) = made_up.flatten() {
            out.push_str(&format!("\n\n{level} Example, its values made up\n{example}"));
        }
        if !bad.is_empty() {
            out.push_str(&format!("\n\n{level} No call, because nothing is called\n{bad}"));
        }
        let contents: Vec<String> = piped.iter().filter_map(|piped| self.content(piped)).collect();
        if let Some(words) = content.words().filter(|_| !contents.is_empty()) {
            out.push_str(&format!("\n\n{level} Content\n{words}\n\n{}", contents.join("\n")));
        }
        out.push_str(&format!("\n\n{level} Rules"));
        for rule in *rules {
            out.push_str(&format!("\n- {rule}"));
        }
        if !shown.examples.is_empty() {
            out.push_str(&format!("\n\n{}", shown.examples));
        }
        out
    }

    fn call(protocol: &dyn Protocol, call: &ToolCall) -> Option<String> {
        protocol.format_tool_call(call).ok()
    }

    /// The tools whose arguments are all alike, and those with piped content.
    fn sorted<'a>(&self, shown: &Rendered<'a>) -> (Vec<&'a Tool>, Vec<&'static Piped>) {
        let (mut plain, mut piped) = (Vec::new(), Vec::new());
        let knows = self.words.content.words().is_some();
        for tool in shown.declared {
            match PIPED.iter().find(|piped| knows && piped.tool == tool.name) {
                Some(known) => piped.push(known),
                None => plain.push(tool),
            }
        }
        (plain, piped)
    }

    /// A call with some content.
    fn content(&self, piped: &Piped) -> Option<String> {
        let Piped { tool, body, path, markers, sample } = piped;
        if let (Content::Marked(_), Some(path), Some((start, end))) =
            (self.words.content, path, markers)
        {
            return Some(format!(
                "<tool name=\"{tool}\">\n<arguments>\n<arg name=\"{path}\">{PATH}</arg>\n\
                 <arg name=\"{body}\">{start}\n{sample}{end}</arg>\n</arguments>\n</tool>"
            ));
        }
        let mut arguments = Object::new();
        if let Some(path) = path {
            arguments.insert(*path, Value::from(PATH));
        }
        arguments.insert(*body, Value::from(*sample));
        Self::call(&*self.protocol, &ToolCall::new(*tool, Value::Object(arguments).to_string()))
    }
}
