//! `toolweir formats`: which wire formats there are, and the tables of the documentation.
//!
//! For people a list, in a pipe one JSON object a format: `name`, `aliases`, `kind` (`calls`, or
//! `reasoning` for families that mark nothing else), `line` (the pattern that is written, or words where
//! a format is written by hand), `wrap` (the pattern around the calls of a turn, or nothing),
//! `special` (markers of its calls that are special tokens of the model), `grammar` (`yes`, or why
//! `toolweir constrain` has none), `reasoning`, `models`.

use std::io;

use toolweir::protocols::constrain::{ConstraintError, ToolUse};
use toolweir::protocols::formats::{self, HAND_WRITTEN};
use toolweir::protocols::{FAMILIES, FormatSpec, Registry, Special, diagnostics};
use toolweir::rjson::{ObjectWriter, quoted};
use toolweir::{Severity, Tool, ToolSet};

use crate::args::FormatsArgs;
use crate::checkpoint;
use crate::failure::{Failure, Verdict};
use crate::options;
use crate::term::{Out, Paint};

/// Runs the command.
pub(crate) fn run(args: &FormatsArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    if let Some(path) = &args.from {
        return checkpoint::run(path, out);
    }
    if args.markdown {
        out.ours(Paint::Plain, &formats_table())?;
    } else if args.diagnostics {
        out.ours(Paint::Plain, &diagnostics_table())?;
    } else if args.options {
        out.ours(Paint::Plain, &options::table())?;
    } else if args.states {
        out.line(diagnostics::STATES.trim_end())?;
    } else if out.look.terminal {
        listed(out)?;
    } else {
        let registry = Registry::builtin();
        for row in rows() {
            out.line(&row.json(&registry))?;
        }
    }
    Ok(Verdict::Fine)
}

/// One format.
struct Row {
    name: String,
    aliases: Vec<String>,
    kind: &'static str,
    line: Line,
    special: Special,
    reasoning: String,
    models: String,
}

/// What the model writes.
enum Line {
    /// The first pattern of a call, and the first one around the calls of a turn.
    Patterns { call: String, wrap: Option<String> },
    /// What the calls of a format are made of that is written by hand.
    Words(&'static str),
}

impl Line {
    fn of(spec: &FormatSpec) -> Self {
        let call = spec.call.first().map(|call| call.pattern.clone()).unwrap_or_default();
        Self::Patterns { call, wrap: spec.wrap.first().cloned() }
    }

    fn text(&self) -> &str {
        match self {
            Self::Patterns { call, .. } => call,
            Self::Words(words) => words,
        }
    }

    fn wrap(&self) -> Option<&str> {
        match self {
            Self::Patterns { wrap, .. } => wrap.as_deref(),
            Self::Words(_) => None,
        }
    }

    fn cell(&self) -> String {
        match self {
            Self::Words(words) => cell(words),
            Self::Patterns { call, wrap: None } => code(call),
            Self::Patterns { call, wrap: Some(wrap) } => {
                format!("{}<br>in {}", code(call), code(wrap))
            }
        }
    }
}

impl Row {
    /// The tokens that a server has to keep.
    fn tokens(&self, registry: &Registry) -> Vec<String> {
        match &self.special {
            Special::None => Vec::new(),
            Special::Tokens(tokens) => tokens.clone(),
            _ => registry.get(&self.name).map(|p| p.special_markers()).unwrap_or_default(),
        }
    }

    fn special_cell(&self) -> String {
        match &self.special {
            Special::None => String::new(),
            Special::Tokens(tokens) => {
                tokens.iter().map(|token| code(token)).collect::<Vec<_>>().join(" ")
            }
            _ => "all".to_owned(),
        }
    }

    fn json(&self, registry: &Registry) -> String {
        let tokens = self.tokens(registry);
        ObjectWriter::new()
            .text("name", &self.name)
            .list("aliases", self.aliases.iter().map(|alias| quoted(alias)))
            .text("kind", self.kind)
            .text("line", self.line.text())
            .text("wrap", self.line.wrap().unwrap_or_default())
            .list("special", tokens.iter().map(|token| quoted(token)))
            .text("grammar", &self.grammar(registry))
            .text("reasoning", &self.reasoning)
            .text("models", &self.models)
            .end()
    }

    /// Whether calls can be constrained, or why not.
    fn grammar(&self, registry: &Registry) -> String {
        if self.kind != "calls" {
            return String::new();
        }
        // A tool that every row can call.
        let schema = r#"{"type": "object", "properties": {"input": {"type": "string"}}}"#;
        let tools = ToolSet::new([Tool::new("apply_patch").parameters(schema)]);
        let (Ok(tools), Ok(protocol)) = (tools, registry.get(&self.name)) else {
            return String::new();
        };
        match protocol.constraint(&tools, &ToolUse::default()) {
            Ok(_) => "yes".to_owned(),
            Err(ConstraintError::Format { why, .. } | ConstraintError::Tool { why, .. }) => {
                format!("no: {why}")
            }
            Err(error) => format!("no: {error}"),
        }
    }
}

/// Every built-in format, in the order of the documentation.
fn rows() -> Vec<Row> {
    let calls = formats::specs().into_iter().map(|spec| Row {
        line: Line::of(&spec),
        name: spec.name,
        aliases: spec.aliases,
        kind: "calls",
        special: spec.special,
        reasoning: spec.reasoning,
        models: spec.models,
    });
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let written = HAND_WRITTEN.iter().map(|format| Row {
        name: format.name.to_owned(),
        aliases: own(format.aliases),
        kind: "calls",
        line: Line::Words(format.payload),
        special: Special::None,
        reasoning: format.reasoning.to_owned(),
        models: format.models.to_owned(),
    });
    let families = FAMILIES.iter().map(|family| Row {
        name: family.name.to_owned(),
        aliases: own(family.aliases),
        kind: "reasoning",
        line: Line::Patterns {
            call: family.section.first().copied().unwrap_or_default().to_owned(),
            wrap: None,
        },
        special: Special::None,
        reasoning: family.name.to_owned(),
        models: String::new(),
    });
    calls.chain(written).chain(families).collect()
}

/// A block a format, each pattern on a line of its own: it may be long.
fn listed(out: &mut Out<'_>) -> io::Result<()> {
    let rows = rows();
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    for row in &rows {
        let families = row.kind == "reasoning";
        out.ours(Paint::Bold, &format!("{:<width$}", row.name))?;
        out.line(&format!("  {}", if families { "reasoning only" } else { &row.models }))?;
        out.ours(Paint::Plain, &format!("{:width$}  {}\n", "", row.line.text()))?;
        if let Some(wrap) = row.line.wrap() {
            out.ours(Paint::Plain, &format!("{:width$}  in {wrap}\n", ""))?;
        }
        let mut detail = Vec::new();
        if !families {
            detail.push(format!("reasoning {}", row.reasoning));
        }
        match &row.special {
            Special::None => {}
            Special::Tokens(tokens) => detail.push(format!("special {}", tokens.join(" "))),
            _ => detail.push("special all markers".to_owned()),
        }
        if !row.aliases.is_empty() {
            detail.push(format!("also {}", row.aliases.join(", ")));
        }
        if !detail.is_empty() {
            out.ours(Paint::Dim, &format!("{:width$}  {}\n", "", detail.join("; ")))?;
        }
    }
    Ok(())
}

fn formats_table() -> String {
    let mut out = String::from(
        "| format | also called | line | special tokens | grammar | reasoning | models |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let registry = Registry::builtin();
    for row in rows() {
        let cells = [
            code(&row.name),
            row.aliases.iter().map(|alias| code(alias)).collect::<Vec<_>>().join(", "),
            row.line.cell(),
            row.special_cell(),
            cell(&row.grammar(&registry)),
            code(&row.reasoning),
            cell(&row.models),
        ];
        out.push_str(&table_row(&cells));
    }
    out
}

fn diagnostics_table() -> String {
    let mut out = String::from("| code | severity | meaning |\n| --- | --- | --- |\n");
    for (name, severity, summary) in codes() {
        out.push_str(&table_row(&[code(name), String::from(severity.as_str()), cell(&summary)]));
    }
    out
}

/// Every code a program of ours can print, once, in the order of the documentation. A code that can
/// do two things has both meanings.
fn codes() -> Vec<(&'static str, Severity, String)> {
    let own = [
        (
            "input::invalid-utf8",
            Severity::Warning,
            "the command line replaced bytes that are not UTF-8 by U+FFFD",
        ),
        ("input::provider-error", Severity::Error, "the saved stream of a provider is an error"),
        ("input::cut-stream", Severity::Warning, "a saved stream ends before its answer does"),
        ("input::unreadable-stream", Severity::Error, "a saved stream cannot be read to its end"),
    ];
    let json = toolweir::rjson::Code::ALL.iter();
    let json = json.map(|code| (code.as_str(), Severity::Warning, code.message()));
    let xml = toolweir::rxml::Code::ALL.iter();
    let xml = xml.map(|code| (code.as_str(), Severity::Warning, code.message()));
    let every = diagnostics::ALL.iter().copied().chain(json).chain(xml).chain(own);
    let mut codes: Vec<(&'static str, Severity, String)> = Vec::new();
    for (code, severity, meaning) in every {
        match codes.iter_mut().find(|(known, ..)| *known == code) {
            Some((.., meanings)) => {
                meanings.push_str("; or ");
                meanings.push_str(meaning);
            }
            None => codes.push((code, severity, meaning.to_owned())),
        }
    }
    codes
}

fn table_row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// Text as it is written, in one cell: between more backticks than stand in it.
fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{}{pad}{fence}", text.replace('|', "\\|"))
}

/// Text that stays one cell and shows angle brackets.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_a_row_and_every_row_has_all_cells() {
        let table = formats_table();
        for name in ["hermes", "qwen25", "json-mix", "qwen3-coder", "think-tags", "qwen3"] {
            assert!(table.contains(&format!("\n| `{name}` |")), "{name}");
        }
        for line in table.lines() {
            assert_eq!(line.matches(" | ").count(), 6, "{line}");
        }
    }

    #[test]
    fn patterns_are_code_that_stays_in_its_cell() {
        let table = formats_table();
        for line in [
            r"| `<tool_call>\n{call}\n</tool_call>` |",
            r"<br>in `\n<minimax:tool_call>\n{*}\n</minimax:tool_call>` |",
            r"<br>in ````{also:```{opt:json}\n}{*}{also:\n```}```` |",
            "| `<think>{reasoning}</think>` |",
        ] {
            assert!(table.contains(line), "{line}");
        }
        assert!(table.contains(r"{any:<\|tool_calls_section_begin\|>\|\|"), "{table}");
        assert_eq!(code("`a``"), "``` `a`` ```");
    }

    #[test]
    fn every_code_stands_once_and_has_a_meaning() {
        let mut seen: Vec<&str> = codes().into_iter().map(|(name, ..)| name).collect();
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
        assert!(
            codes().iter().all(|(name, _, summary)| name.contains("::") && !summary.is_empty())
        );
        assert_eq!(diagnostics_table().lines().count(), count + 2);
    }
}
