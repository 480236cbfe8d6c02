//! Calls as expressions of a programming language: `pythonic`, `llama4-pythonic`, `olmo3`, `lfm2`,
//! `llama31-builtin`, `gemma4`, `functiongemma`.
//!
//! Nothing is evaluated: both are small grammars of values. Types are native (a number is a
//! number); the schema only makes scalars fit afterwards.
//!
//! # `pythonic` and its kin
//!
//! Python calls with keyword arguments: as a list at the start of a line, or between markers.
//!
//! ```text
//! [loom_set(pattern='rib', shafts=8, warp=True), clock()]                        pythonic
//! <|python_start|>[loom_set(pattern='rib'),clock()]<|python_end|>                llama4-pythonic
//! <function_calls>loom_set(pattern='rib')\nclock()</function_calls>              olmo3
//! <|tool_call_start|>[loom_set(pattern='rib'), clock()]<|tool_call_end|>         lfm2
//! <|python_tag|>brave_search.call(query="rib patterns")                          llama31-builtin
//! ```
//!
//! Source of the formats: the model cards of Llama 3.2, ToolACE and LFM2, the prompt format of Llama 3.1
//! and 4 (llama-models, `prompt_format.md`), and the parsers of vLLM and smg (read in 2026).
//!
//! Models: Llama 3.2, ToolACE, prompted models; Llama 4; OLMo 3; LFM2 and 2.5; the built-in tools of
//! Llama 3.1.
//!
//! Nothing marks the list of `pythonic`, so that only declared names make calls; lists of values,
//! Markdown links and lists in mid-line are text. So it is with Llama 4 where servers strip its markers.
//! After the tag of Llama 3.1 everything that is no call is source for the tool `code_interpreter`.
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
//! # `gemma4`, `functiongemma`
//!
//! A call between two markers, its arguments between braces, strings between a token of their own.
//!
//! ```text
//! <|tool_call>call:loom_set{pattern:<|"|>rib<|"|>,shafts:8}<tool_call|>
//! <start_function_call>call:loom_set{pattern:<escape>rib<escape>}<end_function_call>
//! ```
//!
//! Source of the format: the chat template of google/gemma-4-31B-it, as ggml-org/llama.cpp ships it
//! (`models/templates`, read in 2026); what is forgiven: the parsers of vLLM and llama.cpp.
//!
//! Models: Gemma 4; FunctionGemma, whose delimiter is `<escape>`.
//!
//! Text without delimiters is itself where it is a number, `true`, `false` or `null`, and a string
//! otherwise; where the schema says string it stays as it is (`0042`).
//!
//! Quirks that are forgiven:
//! - the word `call` missing before the colon, several calls in one pair of markers;
//! - ordinary quotes in place of the delimiter around a whole value, quoted keys;
//! - round brackets in place of the braces around the arguments, `=` for the colons in them;
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

use super::Line::{
    Between, Call, Models, Name, Reasoning, Response, Set, Strays, Tools, Whitespace, Wrap,
};
use super::row;
use crate::spec::{FormatSpec, Special};

/// The rows of this family.
pub(super) fn rows() -> Vec<FormatSpec> {
    let olmo3 = pythonic().with(&[
        Name("olmo3"),
        Models("OLMo 3"),
        Wrap("<function_calls>{*}</function_calls>"),
        Between("\n"),
        Strays(&["<|im_end|>", "<|endoftext|>"]),
        Reasoning("olmo3"),
    ]);
    vec![pythonic(), llama4_pythonic(), olmo3, lfm2(), llama31_builtin(), gemma4(), functiongemma()]
}

fn pythonic() -> FormatSpec {
    row(&[
        Name("pythonic"),
        Models("Llama 3.2, ToolACE, prompted models"),
        Wrap("{at:line}[{*}]"),
        // Llama 4 writes markers around the list, which many servers strip.
        Wrap("<|python_start|>{also: }[{*}]{also:<|python_end|>}"),
        Call("{name}({args:python})"),
        Between(", "),
        Whitespace("\u{a0}"),
        Strays(&["<|eom_id|>", "<|eot_id|>"]),
        // Part of the system turn, without markers.
        Tools("{tools:array}"),
        Response("{content}"),
    ])
}

fn llama4_pythonic() -> FormatSpec {
    pythonic().with(&[
        Name("llama4-pythonic"),
        Models("Llama 4"),
        Wrap("<|python_start|>{also: }[{*}]{opt:<|python_end|>}"),
        // Servers strip the markers.
        Wrap("{at:line}[{*}]{also:<|python_end|>}"),
        Between(","),
        Strays(&["<|eom|>", "<|eot|>"]),
        Set(|row| row.special = Special::All),
    ])
}

fn lfm2() -> FormatSpec {
    pythonic().with(&[
        Name("lfm2"),
        Models("LFM2, LFM2.5"),
        // The model may echo the calls and close them once more.
        Wrap(concat!(
            "<|tool_call_start|>{also: }{opt:[}{*}{opt:]}<|tool_call_end|>",
            "{also:[{skip}<|tool_call_end|>}"
        )),
        Call("{name}({args:python})"),
        // An option of the system turn makes it write JSON.
        Call("{call}"),
        Strays(&["<|im_end|>"]),
        Tools("List of tools: {tools:array}"),
        Set(|row| row.special = Special::All),
    ])
}

fn llama31_builtin() -> FormatSpec {
    pythonic().with(&[
        Name("llama31-builtin"),
        Models("the built-in tools of Llama 3.1"),
        Call("<|python_tag|>{name}.call({args:python}){opt:<|eom_id|>}"),
        // Custom tools of the same model; no source is such an object.
        Call(r#"<|python_tag|>{call:{"name": name, "parameters": args}}{opt:<|eom_id|>}"#),
        Call("<|python_tag|>{name=code_interpreter}{arg:code}{opt:<|eom_id|>}"),
        Set(|row| {
            row.special = Special::All;
            row.wrap = Vec::new();
        }),
    ])
}

fn gemma4() -> FormatSpec {
    row(&[
        Name("gemma4"),
        Models("Gemma 4"),
        Wrap("<|tool_call>{*}<tool_call|>"),
        Call(r#"{opt:call}:{name}{args:gemma <|"|>}"#),
        // Each call has its own pair; several in one pair are a mistake that is read.
        Between("<tool_call|><|tool_call>"),
        // The model closes a section that it has not opened.
        Strays(&[
            "<channel|>",
            "<|channel>",
            // It stops after a call, or its turn, with these.
            "<|tool_response>",
            "<turn|>",
        ]),
        Reasoning("gemma4"),
        Tools(r#"<|tool>declaration:{tools:declarations <|"|>}<tool|>"#),
        Response(r#"<|tool_response>response:{name}{{value:<|"|>{content}<|"|>}}<tool_response|>"#),
        Set(|row| {
            row.special = Special::All;
            row.always_split = true;
        }),
    ])
}

fn functiongemma() -> FormatSpec {
    row(&[
        Name("functiongemma"),
        Models("FunctionGemma"),
        Wrap("<start_function_call>{*}<end_function_call>"),
        Call("{opt:call}:{name}{args:gemma <escape>}"),
        Between("<end_function_call><start_function_call>"),
        // It stops after a call, or its turn, with these.
        Strays(&["<start_function_response>", "<end_of_turn>"]),
        Tools(concat!(
            "<start_function_declaration>declaration:{tools:declarations <escape>}",
            "<end_function_declaration>"
        )),
        Response(concat!(
            "<start_function_response>response:{name}{{value:<escape>{content}<escape>}}",
            "<end_function_response>"
        )),
        Set(|row| row.special = Special::All),
    ])
}
