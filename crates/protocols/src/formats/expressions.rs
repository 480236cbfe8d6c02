//! Calls as expressions of a programming language: `pythonic`, `gemma4`.
//!
//! Nothing is evaluated: both are small grammars of values. Types are native (a number is a
//! number); the schema only makes scalars fit afterwards.
//!
//! # `pythonic`
//!
//! A list of Python calls with keyword arguments, at the start of a line.
//!
//! ```text
//! [loom_set(pattern='rib', shafts=8, warp=True), clock()]
//! ```
//!
//! Source of the format: the model cards of Llama 3.2 and ToolACE, and the parsers of vLLM and smg
//! (read in 2026).
//!
//! Models: Llama 3.2, ToolACE, prompted models.
//!
//! Nothing marks the list, so that only declared names make calls; lists of values, Markdown links
//! and lists in mid-line are text.
//!
//! Quirks that are forgiven:
//! - a raw line break or NUL inside a one-line string, the same quote unescaped inside a string, a
//!   string that ends in a single backslash;
//! - literals of JSON, whitespace after the bracket, a missing bracket at the end;
//! - positional arguments, where the schema has an order.
//!
//! Delicate here: C12 (one pass with a stack of brackets and quotes: the regular expression that
//! engines copy from each other is exponential on a cut call) and C6.
//!
//! ```ebnf
//! list   = "[", ws, [ call, { ws, ",", ws, call }, [ "," ] ], ws, "]" ;
//! call   = name, "(", ws, [ kw, { ws, ",", ws, kw }, [ "," ] ], ws, ")" ;
//! kw     = ident, ws, "=", ws, value ;
//! value  = string, { string } | number | literal | list of values | tuple | mapping | set ;
//! ```
//!
//! # `gemma4`
//!
//! A call between two markers, its arguments between braces, strings between a token of their own.
//!
//! ```text
//! <|tool_call>call:loom_set{pattern:<|"|>rib<|"|>,shafts:8}<tool_call|>
//! ```
//!
//! Source of the format: the chat template of google/gemma-4-31B-it, as ggml-org/llama.cpp ships it
//! (`models/templates`, read in 2026); what is forgiven: the parsers of vLLM and llama.cpp.
//!
//! Models: Gemma 4.
//!
//! Text without delimiters is itself where it is a number, `true`, `false` or `null`, and a string
//! otherwise; where the schema says string it stays as it is (`0042`).
//!
//! Quirks that are forgiven:
//! - the word `call` missing before the colon, several calls in one pair of markers;
//! - ordinary quotes in place of the delimiter around a whole value, quoted keys;
//! - a missing closing marker at the end of the stream;
//! - a `<channel|>` after text, empty sections of reasoning.
//!
//! Delicate here: C6 (inside the delimiters everything is data, `}` and `<tool_call|>` too; the
//! delimiter has no escape, so the formatter refuses strings that hold it) and C8 (a number goes
//! out only at its delimiter: `108.` may become `108.2`).
//!
//! ```ebnf
//! block  = "<|tool_call>", call, { call }, "<tool_call|>" ;
//! call   = [ "call" ], ":", name, "{", [ field, { ",", field } ], "}" ;
//! field  = key, ":", value ;
//! value  = '<|"|>', ? any text ?, '<|"|>' | number | literal | "[", values, "]" | "{", fields, "}"
//!        | ? text without "," and brackets ? ;
//! ```

use super::list;
use crate::spec::FormatSpec;

/// The rows of this family.
pub(super) fn rows() -> Vec<FormatSpec> {
    let olmo3 = FormatSpec {
        name: "olmo3".into(),
        models: "OLMo 3".into(),
        wrap: list(&["<function_calls>{*}</function_calls>"]),
        between: r"\n".into(),
        reasoning: "olmo3".into(),
        ..pythonic()
    };
    vec![pythonic(), olmo3, gemma4()]
}

fn pythonic() -> FormatSpec {
    FormatSpec {
        name: "pythonic".into(),
        models: "Llama 3.2, ToolACE, prompted models".into(),
        wrap: list(&[
            "{at:line}[{*}]",
            // Llama 4 writes markers around the list, which many servers strip.
            "<|python_start|>[{*}]{also:<|python_end|>}",
        ]),
        call: list(&["{name}({args:python})"]),
        between: ", ".into(),
        // Part of the system turn, without markers.
        tools: "{tools:array}".into(),
        response: "{content}".into(),
        ..FormatSpec::default()
    }
}

fn gemma4() -> FormatSpec {
    FormatSpec {
        name: "gemma4".into(),
        models: "Gemma 4".into(),
        wrap: list(&["<|tool_call>{*}<tool_call|>"]),
        call: list(&[r#"{opt:call}:{name}{args:gemma <|"|>}"#]),
        // Each call has its own pair; several in one pair are a mistake that is read.
        between: "<tool_call|><|tool_call>".into(),
        // The model closes a section that it has not opened.
        strays: list(&["<channel|>", "<|channel>"]),
        reasoning: "gemma4".into(),
        always_split: true,
        // The template's own declarations are no JSON; a heading is what Gemma reads anywhere.
        tools: "{tools:headings}".into(),
        response: r#"<|tool_response>response:{name}{{value:<|"|>{content}<|"|>}}<tool_response|>"#
            .into(),
        ..FormatSpec::default()
    }
}
