//! The block that tells a model of the tools.
//!
//! Invariants: what was there stays byte for byte, in front; the same block is never added twice; the form
//! of a call is the wire format's own, so what the model copies is what the decoder reads (C11).

use toolweir_protocols::{FormatError, Protocol, Tool, ToolCall, ToolSet};

use crate::record::{Recorder, length};

/// The original and the block behind it.
pub(crate) fn enhance(
    original: &str,
    protocol: &dyn Protocol,
    tools: &ToolSet,
) -> Result<String, FormatError> {
    let block = block(protocol, tools)?;
    if original.contains(&block) {
        return Ok(original.to_owned());
    }
    let between = if original.is_empty() { "" } else { "\n\n" };
    Ok(format!("{original}{between}{block}"))
}

pub(crate) fn record(recorder: &Recorder, original: &str, enhanced: &str, tools: usize) {
    let mut line = recorder.line("system_prompt_enhanced");
    line.number("original_length", length(original.len()));
    line.number("enhanced_length", length(enhanced.len()));
    line.number("tools_count", length(tools)).write();
}

fn block(protocol: &dyn Protocol, tools: &ToolSet) -> Result<String, FormatError> {
    let example = ToolCall::new("tool_name", r#"{"argument": "value"}"#);
    let example = protocol.format_tool_call(&example)?;
    let list: Vec<Tool> = tools.iter().cloned().collect();
    let list = protocol.format_tools(&list)?;
    Ok(format!(
        "## Available Tools\n\n\
         You can have tools run. A call is written in exactly this form, on lines of its own:\n\n\
         {example}\n\n\
         - Call only tools that are listed below, by the names they have there.\n\
         - Nothing stands on the lines of a call but the call: no prose, no code fence.\n\
         - The result comes in the next message. Do not guess it; explain it when it is there.\n\n\
         Good:\n\n\
         Let me look that up.\n\n\
         {example}\n\n\
         Bad, because nothing is called:\n\n\
         I would now use tool_name and tell you what it says.\n\n\
         You have these tools:\n\n\
         {list}"
    ))
}
