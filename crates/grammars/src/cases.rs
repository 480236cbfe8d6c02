//! Rows, tools and calls: what is constrained, and what is written.

use toolweir_protocols::constrain::{Choice, Constraint, ToolUse};
use toolweir_protocols::{Names, ProtocolExt, Registry, Request, Tool, ToolCall, ToolSet};
use toolweir_rjson::{Mode, Value, parse};
use toolweir_segments::Severity;

const TOOLS: &str = include_str!("../../../fixtures/constrain/tools.json");
const CALLS: &str = include_str!("../../../fixtures/constrain/calls.json");

/// A row under a choice.
pub(crate) struct Case {
    pub(crate) format: String,
    pub(crate) choice: &'static str,
    pub(crate) constraint: Constraint,
    /// Turns of calls as the row writes them.
    pub(crate) written: Vec<String>,
}

impl Case {
    pub(crate) fn label(&self) -> String {
        format!("{} ({})", self.format, self.choice)
    }
}

fn list(json: &str) -> Result<Vec<Value>, String> {
    let value = parse(json, Mode::Strict).map_err(|error| error.to_string())?.value;
    Ok(value.as_array().into_iter().flatten().cloned().collect())
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn tools() -> Result<ToolSet, String> {
    let tool = |value: &Value| {
        let tool = Tool::new(text(value, "name"));
        match value.get("parameters") {
            Some(schema) => tool.parameters(schema.clone()),
            None => tool,
        }
    };
    ToolSet::new(list(TOOLS)?.iter().map(tool)).map_err(|error| error.to_string())
}

/// Every row that has a grammar, under each choice.
pub(crate) fn every() -> Result<Vec<Case>, String> {
    let (tools, registry) = (tools()?, Registry::builtin());
    let calls = list(CALLS)?;
    let calls = calls.iter().map(|call| ToolCall::new(text(call, "name"), text(call, "arguments")));
    let calls: Vec<ToolCall> = calls.collect();
    let names: Vec<String> = registry.names().map(str::to_owned).collect();
    let mut cases = Vec::new();
    for format in names {
        let protocol = registry.get(&format).map_err(|error| error.to_string())?;
        for (choice, word) in [(Choice::Auto, "auto"), (Choice::Required, "required")] {
            let wanted = ToolUse { choice, ..ToolUse::default() };
            let Ok(constraint) = protocol.constraint(&tools, &wanted) else { continue };
            let one = calls.iter().map(std::slice::from_ref);
            // An answer to a forced choice is one call.
            let all = (format != "tool-choice").then_some(calls.as_slice());
            let written = one.chain(all).filter_map(|turn| protocol.format_tool_calls(turn).ok());
            let written = written.collect();
            cases.push(Case { format: format.clone(), choice: word, constraint, written });
        }
    }
    Ok(cases)
}

/// Decodes a text that a grammar admits.
pub(crate) fn decoded(case: &Case, text: &str) -> Result<(), String> {
    let mut request = Request::default();
    request.tools = tools()?;
    request.policies.names = Some(Names::Declared);
    let registry = Registry::builtin();
    let protocol = registry.get(&case.format).map_err(|error| error.to_string())?;
    let turn = protocol.parse(text, &request).map_err(|error| error.to_string())?;
    let bad = turn.diagnostics.iter().filter(|note| note.severity == Severity::Error);
    let mut bad: Vec<String> = bad.map(|note| format!("{}: {}", note.code, note.message)).collect();
    if case.choice == "required" && turn.calls().count() == 0 {
        bad.push("no call".into());
    }
    if bad.is_empty() { Ok(()) } else { Err(format!("{}: {text:?}: {bad:?}", case.label())) }
}
