//! `toolweir formats`: which wire formats there are, and the tables of the documentation.
//!
//! For people a table, in a pipe one JSON object a format: `name`, `aliases`, `kind` (`calls`, or
//! `reasoning` for families that mark nothing else), `payload`, `reasoning`, `models`.

use std::io;

use toolweir::Severity;
use toolweir::protocols::formats::{HAND_WRITTEN, SPECS};
use toolweir::protocols::{FAMILIES, Header, Payload, diagnostics};

use crate::args::FormatsArgs;
use crate::failure::{Failure, Verdict};
use crate::record::{Record, string};
use crate::term::{Out, Paint};

/// Runs the command.
pub(crate) fn run(args: &FormatsArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    if args.markdown {
        out.ours(Paint::Plain, &formats_table())?;
    } else if args.diagnostics {
        out.ours(Paint::Plain, &diagnostics_table())?;
    } else if args.states {
        out.line(diagnostics::STATES.trim_end())?;
    } else if out.look.terminal {
        listed(out)?;
    } else {
        for row in rows() {
            out.line(&row.json())?;
        }
    }
    Ok(Verdict::Fine)
}

/// One format.
struct Row {
    name: &'static str,
    aliases: &'static [&'static str],
    kind: &'static str,
    payload: String,
    reasoning: &'static str,
    models: &'static str,
}

impl Row {
    fn json(&self) -> String {
        Record::new()
            .text("name", self.name)
            .list("aliases", self.aliases.iter().map(|alias| string(alias)))
            .text("kind", self.kind)
            .text("payload", &self.payload)
            .text("reasoning", self.reasoning)
            .text("models", self.models)
            .end()
    }
}

/// Every built-in format, in the order of the documentation.
fn rows() -> Vec<Row> {
    let calls = SPECS.iter().map(|spec| Row {
        name: spec.name,
        aliases: spec.aliases,
        kind: "calls",
        payload: payload(spec.header, spec.payload),
        reasoning: spec.reasoning,
        models: spec.models,
    });
    let written = HAND_WRITTEN.iter().map(|format| Row {
        name: format.name,
        aliases: format.aliases,
        kind: "calls",
        payload: format.payload.to_owned(),
        reasoning: format.reasoning,
        models: format.models,
    });
    let families = FAMILIES.iter().map(|family| Row {
        name: family.name,
        aliases: family.aliases,
        kind: "reasoning",
        payload: String::from("none"),
        reasoning: family.name,
        models: "",
    });
    calls.chain(written).chain(families).collect()
}

fn payload(header: Header<'_>, payload: Payload<'_>) -> String {
    let arguments = match payload {
        Payload::Json { list: true, .. } => String::from("JSON object, or a list of them"),
        Payload::Json { .. } => String::from("JSON object"),
        Payload::TaggedParams { word, .. } => format!("<{word}=KEY> tags"),
        Payload::Element { .. } => String::from("elements"),
        Payload::Yaml { .. } => String::from("YAML"),
        _ => String::from("other"),
    };
    match header {
        Header::Tag { word } => format!("{arguments} in <{word}=NAME>"),
        Header::DeclaredTag { .. } => format!("{arguments} in <NAME>"),
        _ => arguments,
    }
}

fn listed(out: &mut Out<'_>) -> io::Result<()> {
    let rows = rows();
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    for row in &rows {
        out.ours(Paint::Bold, &format!("{:<width$}", row.name))?;
        let what = if row.kind == "reasoning" { "reasoning only" } else { row.models };
        out.line(&format!("  {what}"))?;
        let mut detail = Vec::new();
        if row.kind != "reasoning" {
            detail.push(format!("{}; reasoning {}", row.payload, row.reasoning));
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
        "| format | also called | payload | reasoning | models |\n| --- | --- | --- | --- | --- |\n",
    );
    for row in rows() {
        let cells = [
            code(row.name),
            row.aliases.iter().map(|alias| code(alias)).collect::<Vec<_>>().join(", "),
            if row.kind == "reasoning" {
                String::from("none: reasoning only")
            } else {
                cell(&row.payload)
            },
            code(row.reasoning),
            cell(row.models),
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
    let own = [(
        "input::invalid-utf8",
        Severity::Warning,
        "the command line replaced bytes that are not UTF-8 by U+FFFD",
    )];
    let json = toolweir::rjson::Diagnostic::ALL.iter();
    let json = json.map(|(code, message)| (*code, Severity::Warning, *message));
    let xml = toolweir::rxml::Diagnostic::ALL.iter();
    let xml = xml.map(|(code, message)| (*code, Severity::Warning, *message));
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

fn code(text: &str) -> String {
    format!("`{text}`")
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
            assert_eq!(line.matches(" | ").count(), 4, "{line}");
        }
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
