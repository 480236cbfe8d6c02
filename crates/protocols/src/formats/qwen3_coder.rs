//! Calls as `<function=NAME>` tags with one `<parameter=KEY>` tag an argument.
//!
//! ```text
//! <tool_call>
//! <function=loom_set>
//! <parameter=pattern>
//! herringbone
//! </parameter>
//! </function>
//! </tool_call>
//! ```
//!
//! Source of the format: the chat templates of Qwen/Qwen3-Coder-480B-A35B-Instruct and
//! Qwen/Qwen3.5-4B (`chat_template.jinja`, read in 2026).
//!
//! Models: Qwen3-Coder, Qwen 3.5 to 3.7.
//!
//! This is no XML: values are raw, nothing is escaped, entities stay as they are. The tool's schema
//! says what a value is; without one it is a string. One line break at each end of a value belongs
//! to the markup.
//!
//! Quirks that are forgiven:
//! - a missing wrapper, several functions in one wrapper, a wrapper that is not closed;
//! - a missing `</parameter>` before the next parameter or the end of the function;
//! - blanks inside tags and quotes around names.
//!
//! Delicate here: C6 (a value ends at the first `</parameter>`; the formatter refuses values that
//! hold one) and C8 (a prefix of a name can be another tool's name).
//!
//! ```ebnf
//! call      = "<tool_call>", ws, function, { ws, function }, ws, "</tool_call>" ;
//! function  = "<function=", name, ">", ws, { parameter, ws }, "</function>" ;
//! parameter = "<parameter=", key, ">", value, "</parameter>" ;
//! ```

use crate::spec::{FormatSpec, Framing, Header, Payload, Render, ToolsBlock, Trim, Wrap};

/// The spec of `qwen3-coder`.
pub const SPEC: FormatSpec<'static> = FormatSpec {
    name: "qwen3-coder",
    aliases: &["qwen3_coder", "qwen3_xml", "qwen35"],
    models: "Qwen3-Coder, Qwen 3.5 to 3.7",
    section: Wrap { open: &["<tool_call>"], close: &["</tool_call>"] },
    header: Header::Tag { word: "function" },
    payload: Payload::TaggedParams { word: "parameter", trim: Trim::OneNewline },
    // Qwen 3.5 prints an empty line behind the answer; a single newline is the answer's own.
    framing: Framing { first: "\n\n", next: "\n" },
    reasoning: "qwen3",
    render: Render {
        tools: ToolsBlock::Tags("<tools>\n", "\n</tools>"),
        ..FormatSpec::DEFAULT.render
    },
    ..FormatSpec::DEFAULT
};
