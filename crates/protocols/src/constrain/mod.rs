//! Grammars that hold a model to the calls of a format.
//!
//! A [`Constraint`] is made from a row's first pattern that fits a tool and the tool's schema, and is
//! written for the engines that servers use: [`Constraint::structural_tag`] (XGrammar, vLLM, SGLang),
//! [`Constraint::lark`] (llguidance) and [`Constraint::gbnf`] (llama.cpp). What it admits decodes to
//! calls of declared tools; what `format_tool_calls` writes, it admits, arguments in the order of the
//! schema.
//!
//! Where a raw value stops is asked of the same function as in writing: a grammar lets no text through
//! that a reader could take for the end.
//!
//! What a grammar cannot say is told in [`Written::unsaid`], and a row that has none is refused with a
//! reason ([`ConstraintError`]).
//!
//! `turn` makes the grammar of a turn, `call` of one call, `params` of its parameters, `schema` of values in
//! a `syntax` and `until` of text that ends before a marker; `shapes` says what a schema lets through,
//! `pieces` are small parts; `node` is what they make; `gbnf`, `lark` and `structural` write it.
//!
//! ```
//! use toolweir_protocols::{Registry, Tool, ToolSet, constrain::{Choice, ToolUse}};
//!
//! let tools = ToolSet::new([Tool::new("dice").parameters(r#"{"type": "object", "properties":
//!     {"sides": {"type": "integer"}}, "required": ["sides"]}"#)]).unwrap();
//! let registry = Registry::builtin();
//! let hermes = registry.get("hermes").unwrap();
//! let wanted = ToolUse { choice: Choice::Required, ..ToolUse::default() };
//! let constraint = hermes.constraint(&tools, &wanted).unwrap();
//! let written = constraint.gbnf();
//! assert!(written.text.contains(r#""<tool_call>\n{\"name\": \"dice\", \"arguments\": ""#));
//! assert!(written.unsaid.is_empty());
//! ```

mod call;
mod gbnf;
mod lark;
mod node;
mod params;
mod pieces;
mod schema;
mod shapes;
mod structural;
mod syntax;
#[cfg(test)]
mod tests;
mod turn;
mod until;

use self::node::{Node, Rules};
use crate::error::Unsaid;
use crate::request::Reasoning;

pub(crate) use self::turn::constraint;

/// Which calls a model may or must make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolUse {
    /// Whether it must call, and what.
    pub choice: Choice,
    /// Whether a turn may hold several calls.
    pub parallel: bool,
    /// The prompt has opened the reasoning already: what the model writes begins inside it.
    pub in_reasoning: bool,
    /// The reasoning that may stand before calls that must come; with [`Reasoning::None`] there is none.
    /// Default: the family that goes with the format.
    pub reasoning: Reasoning,
}

impl Default for ToolUse {
    fn default() -> Self {
        Self {
            choice: Choice::Auto,
            parallel: true,
            in_reasoning: false,
            reasoning: Reasoning::Default,
        }
    }
}

/// Whether a model must call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// It may write text, or call, or both.
    #[default]
    Auto,
    /// It must call one of the tools; no text beside the calls, reasoning may stand before them.
    Required,
    /// It must call this tool, and nothing else.
    Tool(String),
}

/// What a grammar is written from. Made by [`Protocol::constraint`](crate::Protocol::constraint).
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// Everything that the model writes.
    root: Node,
    rules: Rules,
    /// The calls of a turn: what stands around them, each call, what stands between.
    group: Group,
    /// What begins calls in free text.
    triggers: Vec<String>,
    wanted: ToolUse,
    /// What no grammar of ours says.
    unsaid: Vec<Unsaid>,
    /// What engines that know schemas say, and others do not.
    unsaid_json: Vec<Unsaid>,
}

/// The calls of a turn.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    before: String,
    /// A call of each tool.
    calls: Vec<Node>,
    between: String,
    after: String,
}

/// A grammar as text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// The grammar.
    pub text: String,
    /// What the schemas say and the grammar does not.
    pub unsaid: Vec<Unsaid>,
}

/// Why there is no grammar.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConstraintError {
    /// The format has none.
    #[error("format `{format}` has no grammar: {why}")]
    Format {
        /// The format's name.
        format: String,
        /// What stands in the way.
        why: String,
    },
    /// A tool cannot be called in that format, or not in a way that a grammar can say.
    #[error("format `{format}` has no grammar for the tool `{tool}`: {why}")]
    Tool {
        /// The format's name.
        format: String,
        /// The tool.
        tool: String,
        /// What stands in the way.
        why: String,
    },
    /// No tool is declared that could be called.
    #[error("there is no tool to call: declare one")]
    NoTools,
    /// The tool that must be called is not declared.
    #[error("the tool `{0}` must be called, and is not declared")]
    UnknownTool(String),
}

impl Constraint {
    /// What calls begin with in free text: the triggers of grammars that wait for one.
    #[must_use]
    pub fn triggers(&self) -> &[String] {
        &self.triggers
    }

    /// A grammar of llama.cpp (GBNF), which XGrammar reads too. Markers are text, also those that are
    /// special tokens: llama.cpp compares what tokens stand for.
    #[must_use]
    pub fn gbnf(&self) -> Written {
        let mut unsaid = self.unsaid.clone();
        unsaid.extend(self.unsaid_json.iter().cloned());
        let mut writer = gbnf::Gbnf::new(&self.rules);
        let text = writer.write(&self.root);
        unsaid.append(&mut writer.unsaid);
        Written { text, unsaid }
    }

    /// A Lark grammar of llguidance. `special`: texts that are special tokens of the model, which are
    /// written as such if they look like `<…>`; all others are text.
    #[must_use]
    pub fn lark(&self, special: &[String]) -> Written {
        let text = lark::Lark::new(&self.rules, special).write(&self.root);
        Written { text, unsaid: self.unsaid.clone() }
    }

    /// A structural tag, as JSON (XGrammar 0.1.25 and later; vLLM and SGLang take it). Reasoning is left
    /// to the server.
    #[must_use]
    pub fn structural_tag(&self) -> Written {
        structural::write(self)
    }
}
