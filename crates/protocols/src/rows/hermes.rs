//! JSON calls between `<tool_call>` tags.
//!
//! ```text
//! Let me look.<tool_call>
//! {"name": "dice", "arguments": {"sides": 20}}
//! </tool_call>
//! ```
//!
//! Source of the format: the chat templates of NousResearch/Hermes-2-Pro-Llama-3-8B and
//! Qwen/Qwen2.5-7B-Instruct (`tokenizer_config.json`, read in 2026).
//!
//! Models: Hermes 2 Pro, 3 and 4, SmolLM3, Reka Edge, many fine-tunes; the usual choice where tools are
//! only described in a prompt. The row `qwen25` covers Qwen 2.5, QwQ and Qwen 3 without "Coder".
//!
//! Quirks that are forgiven:
//! - no newline inside the tags, a list of calls in one block, the arguments as a JSON string;
//! - a missing `}` before the end tag, a missing end tag at the end of the stream;
//! - Python literals, single quotes, trailing commas, raw newlines in strings;
//! - a closing tag that is repeated after a call; a fence inside the tags.
//!
//! Delicate here: C6 (an end tag inside a JSON string is data, so a block ends by structure).
//!
//! ```ebnf
//! out   = { text | block } ;
//! block = "<tool_call>", ws, ( call | list ), ws, "</tool_call>" ;
//! list  = "[", ws, [ call, { ws, ",", ws, call }, [ "," ] ], ws, "]" ;
//! call  = ? JSON object with a name key and an arguments key ? ;
//! ```

use super::Line::{Aliases, Call, Models, Name, Reasoning, Strays};
use super::row;
use crate::spec::FormatSpec;

pub(super) fn rows() -> Vec<FormatSpec> {
    let hermes = row(&[
        Name("hermes"),
        Aliases(&["hermes2-pro", "nous", "trinity"]),
        Models("Hermes 2 Pro, 3, 4; SmolLM3; Reka Edge; Trinity; prompted models"),
        Call(r"<tool_call>\n{call}\n</tool_call>"),
        // Some write all calls of a turn as one list.
        Call("<tool_call>{calls}</tool_call>"),
        // A fence that closes is passed over after any call.
        Call(r"<tool_call>\n```{also:json}\n{call}\n</tool_call>"),
        Strays(&["<|im_end|>", "<|endoftext|>"]),
        Reasoning("qwen3"),
    ]);
    // The same wire; only the tool responses differ, which the template puts into a user turn.
    let qwen25 = hermes.clone().with(&[
        Name("qwen25"),
        Aliases(&["qwen2.5", "qwen3-json", "qwq", "smollm3"]),
        Models("Qwen 2.5, QwQ, Qwen 3 (not Coder)"),
    ]);
    // Its arguments often are an escaped string.
    let granite4 = hermes.clone().with(&[
        Name("granite4"),
        Aliases(&["granite-4"]),
        Models("Granite 4"),
        Strays(&["<|end_of_text|>"]),
        Reasoning("granite-thinking"),
    ]);
    // Its template puts empty lines before a call; they are framing only where no text stands before.
    let ernie45 = hermes.clone().with(&[
        Name("ernie45"),
        Aliases(&["ernie-4.5-thinking"]),
        Models("ERNIE 4.5"),
        Reasoning("ernie45"),
    ]);
    vec![hermes, qwen25, granite4, ernie45]
}
