//! JSON calls between markers: `mistral`, `cohere-command`.
//!
//! # `mistral`
//!
//! A JSON list of calls after one marker; the list ends the block.
//!
//! ```text
//! [TOOL_CALLS] [{"name": "dice", "arguments": {"sides": 6}, "id": "Kp3xR9aLq"}]
//! ```
//!
//! Source of the format: the chat template of mistralai/Mistral-Nemo-Instruct-2407, as
//! ggml-org/llama.cpp ships it (`models/templates`, read in 2026); what is forgiven: the parsers of
//! vLLM, llama.cpp, smg and dynamo.
//!
//! Models: Mistral models with the tokenizers v3 to v7, Mistral Nemo.
//!
//! Quirks that are forgiven:
//! - objects separated by commas in place of the list; whitespace after the marker;
//! - the name and the arguments of newer tokenizers after it: the row `mistral-v11` is read too;
//! - the closing tag `[/TOOL_CALLS]`, which no template prints;
//! - what JSON calls are forgiven everywhere: other keys, arguments as a JSON string, damaged JSON,
//!   missing closing brackets before the end of the stream.
//!
//! The template wants ids of nine letters and digits, and refuses others: whoever renders history
//! for it has to give such ids.
//!
//! Delicate here: C6 (the block ends by structure; brackets of the text after it are text) and C5
//! (the marker is one token, but as plain text it may be split anywhere).
//!
//! ```ebnf
//! out   = { text | block } ;
//! block = "[TOOL_CALLS]", ws, ( list | call, { ws, ",", ws, call } ), [ ws, "[/TOOL_CALLS]" ] ;
//! list  = "[", ws, [ call, { ws, ",", ws, call }, [ "," ] ], ws, "]" ;
//! call  = ? JSON object with a name key and an arguments key ? ;
//! ```
//!
//! # `cohere-command`
//!
//! A JSON list of calls between action markers, beside answers that have markers of their own.
//!
//! ```text
//! <|START_THINKING|>One die is enough.<|END_THINKING|><|START_ACTION|>[
//!     {"tool_call_id": "0", "tool_name": "dice", "parameters": {"sides": 6}}
//! ]<|END_ACTION|>
//! ```
//!
//! Source of the format: the chat template for tool use of CohereForAI/c4ai-command-r7b-12-2024, as
//! ggml-org/llama.cpp ships it (`models/templates`, read in 2026); what is forgiven: the parsers of
//! vLLM, llama.cpp and smg.
//!
//! Models: Command R7B, Command A, Command A+.
//!
//! Quirks that are forgiven:
//! - one object in place of the list; the keys of other formats, a missing id;
//! - a missing brace or bracket before the end marker, a missing end marker;
//! - both spellings of the markers around answers (`RESPONSE`, `TEXT`), in any pairing.
//!
//! Ids count the calls of the whole conversation, so they are no index. Citations (`<co>…</co:
//! 0:[1]>`) stay in the text. Command R and R+ write another format (`Action:` and a fenced list),
//! which is absent on purpose.
//!
//! Delicate here: C5 (the markers around answers never reach the text) and C6.
//!
//! ```ebnf
//! out    = [ think ], { block | answer | text } ;
//! answer = ( "<|START_RESPONSE|>" | "<|START_TEXT|>" ), text,
//!          ( "<|END_RESPONSE|>" | "<|END_TEXT|>" ) ;
//! block  = "<|START_ACTION|>", ws, ( list | call ), ws, "<|END_ACTION|>" ;
//! ```

use super::Line::{
    Aliases, Between, Call, Message, Models, Name, Reads, Reasoning, Response, Set, Strays, Tools,
    Wrap,
};
use super::row;
use crate::spec::{FormatSpec, ResponseBody, Special};

/// The rows of this family.
pub(super) fn rows() -> Vec<FormatSpec> {
    vec![mistral(), cohere_command()]
}

fn mistral() -> FormatSpec {
    row(&[
        Name("mistral"),
        Aliases(&["mistral-v3", "mistral-v7", "nemo"]),
        Models("Mistral with the tokenizers v3 to v7, Mistral Nemo"),
        // Servers have one name for both.
        Reads("mistral-v11"),
        Wrap("[TOOL_CALLS]{*}{also:[/TOOL_CALLS]}"),
        Call(r#"{call:[{"name": name, "arguments": args, "id": id}]}"#),
        Call(r#"{call:{"name": name, "arguments": args, "id": id}}"#),
        Between(", "),
        Reasoning("mistral"),
        Tools("[AVAILABLE_TOOLS]{tools:openai-array}[/AVAILABLE_TOOLS]"),
        // The template prints the content as it is: it has to be JSON already.
        Response(concat!(
            r#"[TOOL_RESULTS]{{"content": {content}{opt:, "call_id": "{id}"}}}"#,
            "[/TOOL_RESULTS]"
        )),
        Set(|row| row.special = Special::All),
    ])
}

fn cohere_command() -> FormatSpec {
    row(&[
        Name("cohere-command"),
        Aliases(&[
            "cohere",
            "command4",
            "cohere-command3",
            "cohere-command4",
            "command-r7b",
            "command-a",
            "cmd3",
            "cmd4",
        ]),
        Models("Command R7B, Command A, Command A+"),
        Call(concat!(
            r#"<|START_ACTION|>{call:[\n    {"tool_call_id": id, "tool_name": name, "#,
            r#""parameters": args}\n]}<|END_ACTION|>"#
        )),
        Call(concat!(
            r#"<|START_ACTION|>{call:{"tool_call_id": id, "tool_name": name, "#,
            r#""parameters": args}}<|END_ACTION|>"#
        )),
        // Two templates, two words; a model may mix them.
        Message(concat!(
            "{any:<|START_RESPONSE|>||<|START_TEXT|>}{text}",
            "{any:<|END_RESPONSE|>||<|END_TEXT|>}"
        )),
        Strays(&["<|END_OF_TURN_TOKEN|>"]),
        Reasoning("cohere"),
        // Part of the system preamble, which has no markers of its own.
        Tools("{tools:responses}"),
        Response(concat!(
            r#"<|START_TOOL_RESULT|>[\n    {{{opt:"tool_call_id": "{id}", }"results": "#,
            r#"{{"0": {content}}}, "is_error": null}}\n]<|END_TOOL_RESULT|>"#
        )),
        Set(|row| {
            row.special = Special::All;
            row.always_split = true;
            // Results are JSON objects there, never text.
            row.response_body = ResponseBody::Object;
        }),
    ])
}
