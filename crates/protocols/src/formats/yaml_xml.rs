//! Calls as elements named after the tool, the arguments a YAML mapping.
//!
//! ```text
//! <loom_set>
//! pattern: herringbone
//! shafts: 8
//! </loom_set>
//! ```
//!
//! Source of the format: the protocol of the same name in the AI SDK tool-call middleware
//! (minpeter/ai-sdk-tool-call-middleware, `src/core/protocols/yaml-xml-protocol.ts`, release 5.1.6,
//! August 2026).
//!
//! Models: any model that follows a prompt. Behind the feature `yaml`.
//!
//! A scalar is what the schema makes of its source text: `0123` for a string stays `0123`, and a null
//! word is a null only where one is allowed. A body has no end of its own: it is read, once, when its
//! closing tag has come, and without that it is cut.
//!
//! Quirks that are forgiven:
//! - `<name/>`, blanks behind `<`, an indent that all lines share, an empty body;
//! - a tag that holds the mapping, from the line below its name on, and closes itself on a line of its
//!   own behind it;
//! - a value that is no YAML (a program that is neither quoted nor a block): from the line that begins
//!   with its declared key up to the next such line it is taken as it stands, where it may be a text;
//! - a body of lines `<key>value</key>` whose keys are declared, the closing tags perhaps missing;
//! - a whole `<tool_call>` block with a JSON object that names a declared tool.
//!
//! Delicate here: C12 (nothing is parsed twice, aliases do not multiply) and C6 (own-name tags in the
//! body are counted, as YAML cannot say where it ends).
//!
//! ```ebnf
//! out   = { text | call | block } ;
//! call  = "<", ws, name, ws, ( "/>" | ">", body, "</", name, ">" | "\n", body, "\n", ws, "/>" ) ;
//! body  = ws | ? YAML mapping ? | { "<", key, ">", value, [ "</", key, ">" ], "\n" }
//!       | { key, ":", ? YAML, or lines up to the next key ? } ;
//! block = "<tool_call>", ws, ? JSON object ?, ws, "</tool_call>" ;
//! ```

use crate::policy::{Names, TextPolicy, Unclosed};
use crate::spec::{FormatSpec, Header, JSON_KEYS, Payload, Render, ResponseBody, ToolsBlock, Wrap};

/// The spec of `yaml-xml`.
pub const SPEC: FormatSpec<'static> = FormatSpec {
    name: "yaml-xml",
    aliases: &["yamlxml"],
    models: "any prompted model",
    // Models trained on JSON calls fall back to them.
    call: Wrap { open: &["<tool_call>"], close: &["</tool_call>"] },
    header: Header::DeclaredTag { line: false },
    payload: Payload::Yaml { foreign: JSON_KEYS },
    // A block of another format counts only when it is whole.
    unclosed: Unclosed::Text,
    text: TextPolicy::PreserveAll,
    names: Names::Declared,
    render: Render {
        tools: ToolsBlock::Array("", ""),
        inner: "",
        spaced: false,
        response: ("<tool_response>", "</tool_response>"),
        response_body: ResponseBody::Elements,
    },
    ..FormatSpec::DEFAULT
};
