//! JSON calls between markers of their own: the smaller families.
//!
//! ```text
//! <tool_call>{"name": "dice", "arguments": {"sides": 6}}</tool_call>               exaone4
//! <longcat_tool_call>\n{"name": "dice", "arguments": {}}\n</longcat_tool_call>     longcat
//! <TOOLCALL>[{"name": "dice", "arguments": {"sides": 6}}]</TOOLCALL>               nemotron-json
//! <tool_calls>[{"name": "dice", "arguments": {"sides": 6}}]</tool_calls>           jamba, hunyuan-a13b
//! <|tool_call|>[{"name": "dice", "arguments": {"sides": 6}}]                      granite
//! <tool_calls>\n{"name": "dice", "arguments": {"sides": 6}}\n</tool_calls>         minimax-m1
//! <|tool_call_start|>[{"name": "dice", "arguments": {}}]<|tool_call_end|>          openpangu
//! <|action_start|><|plugin|>\n{"name": "dice", "parameters": {}}<|action_end|>     internlm2
//! <|tools_prefix|>[{"dice": {"sides": 6}}]<|tools_suffix|>                         apertus
//! <function_call> {"name": "dice", "arguments": {"sides": 6}}                      granite-20b-fc
//! functools[{"name": "dice", "arguments": {"sides": 6}}]                           phi4-mini
//! <|function_call|>{"name": "dice", "arguments": {"sides": 6}}                     gigachat3
//! ```tool_call\n{"name": "dice", "arguments": {"sides": 6}}\n```                   gemma-fence
//! ```
//!
//! Source of the formats: the chat templates and tokenizers of the models, and for Jamba and openPangu
//! the parsers of vLLM, SGLang and llama.cpp and their tests (read in 2026).
//!
//! Models: EXAONE 4.0, K-EXAONE 236B; Jamba 1.5 and 1.6, Apriel 1.5 and 1.6; Hunyuan A13B; MiniMax M1;
//! openPangu; InternLM 2, Intern S1; Apertus, whose objects have the name for their only key; Granite 3.0
//! to 3.3, Granite 20B function calling; Phi-4 mini, FireFunction v2; GigaChat 3 and 3.1; prompted Gemma;
//! LongCat Flash; Llama Nemotron and Nemotron Nano v2.
//!
//! Quirks that are forgiven:
//! - what JSON calls are forgiven everywhere: other keys, arguments as a JSON string, damaged JSON, one
//!   object where a list is due;
//! - both spellings of openPangu's markers, in any pairing, and a `</answer>` after them; a space
//!   between the two markers of InternLM; the older header of GigaChat (`function call<|role_sep|>`); the
//!   marker of Granite as plain text (`<tool_call>`), as 3.0 prints it; a `</function_call>` after a call of
//!   Granite 20B.
//!
//! Some of the markers are special tokens: the server has to keep them. Without its marker a list of Granite
//! is read where the message begins, if its tools are declared. The interpreter action of
//! InternLM (`<|interpreter|>`) is no call and stays text; so is GigaChat 3.5, which writes another
//! format.
//!
//! Delicate here: C5 (`functools` is an English word: without an object or a list after it it is text) and
//! C6 (a fence inside a JSON string is data).
//!
//! ```ebnf
//! out   = { text | block } ;
//! block = open, ws, ( call | list ), ws, [ close ] ;
//! list  = "[", ws, [ call, { ws, ",", ws, call } ], ws, "]" ;
//! call  = ? JSON object with a name key and an arguments key ? ;
//! ```

use super::list;
use crate::policy::Names;
use crate::spec::{BareArgs, FormatSpec, Special};

/// The rows of this family.
pub(super) fn rows() -> Vec<FormatSpec> {
    vec![
        exaone4(),
        longcat(),
        nemotron_json(),
        jamba(),
        hunyuan_a13b(),
        minimax_m1(),
        openpangu(),
        apertus(),
        internlm2(),
        granite(),
        granite_20b_fc(),
        phi4_mini(),
        gigachat3(),
        gemma_fence(),
    ]
}

fn exaone4() -> FormatSpec {
    FormatSpec {
        name: "exaone4".into(),
        aliases: list(&["exaone-4.0", "k-exaone-236b"]),
        models: "EXAONE 4.0, K-EXAONE 236B".into(),
        call: list(&["<tool_call>{call}</tool_call>", "<tool_call>{calls}</tool_call>"]),
        // The prompt allows a tool whose arguments have no names: it gets the bare value.
        bare_args: BareArgs::SoleProperty,
        reasoning: "qwen3".into(),
        tools: "{tools:openai-tagged}".into(),
        response: "<tool_result>{content}</tool_result>".into(),
        ..FormatSpec::default()
    }
}

fn longcat() -> FormatSpec {
    FormatSpec {
        name: "longcat".into(),
        aliases: list(&["longcat-flash"]),
        models: "LongCat Flash".into(),
        call: list(&[
            r"<longcat_tool_call>\n{call}\n</longcat_tool_call>",
            "<longcat_tool_call>{calls}</longcat_tool_call>",
        ]),
        reasoning: "longcat".into(),
        ..FormatSpec::default()
    }
}

fn nemotron_json() -> FormatSpec {
    FormatSpec {
        name: "nemotron-json".into(),
        aliases: list(&["nemotron-deci", "llama-nemotron", "nano-v2"]),
        models: "Llama Nemotron, Nemotron Nano v2".into(),
        call: list(&["<TOOLCALL>{calls}</TOOLCALL>", "<TOOLCALL>{call}</TOOLCALL>"]),
        reasoning: "nemotron-nano".into(),
        tools: "<AVAILABLE_TOOLS>{tools:array}</AVAILABLE_TOOLS>".into(),
        response: "<TOOL_RESPONSE>[{content}]</TOOL_RESPONSE>".into(),
        ..FormatSpec::default()
    }
}

fn jamba() -> FormatSpec {
    FormatSpec {
        name: "jamba".into(),
        special: Special::All,
        aliases: list(&["jamba-1.5", "jamba-1.6"]),
        models: "Jamba 1.5, 1.6; Apriel 1.5, 1.6".into(),
        call: list(&[concat!(
            r#"<tool_calls>{call:[\n    {"name": name, "arguments": args}\n]}"#,
            "</tool_calls>"
        )]),
        ..FormatSpec::default()
    }
}

fn hunyuan_a13b() -> FormatSpec {
    FormatSpec {
        name: "hunyuan-a13b".into(),
        aliases: list(&["hunyuan"]),
        models: "Hunyuan A13B".into(),
        call: list(&["<tool_calls>{calls}</tool_calls>"]),
        // What an answer without calls begins with.
        strays: list(&["{at:message}助手："]),
        reasoning: "hunyuan-a13b".into(),
        tools: "{tools:array}".into(),
        response: "<tool_response>{content}</tool_response>".into(),
        ..FormatSpec::default()
    }
}

fn minimax_m1() -> FormatSpec {
    FormatSpec {
        name: "minimax-m1".into(),
        aliases: list(&["minimax-text"]),
        models: "MiniMax M1, MiniMax Text".into(),
        wrap: list(&[r"<tool_calls>\n{*}\n</tool_calls>"]),
        call: list(&["{call}", "{calls}"]),
        response: "tool result: {content}".into(),
        ..FormatSpec::default()
    }
}

fn openpangu() -> FormatSpec {
    FormatSpec {
        name: "openpangu".into(),
        special: Special::All,
        aliases: list(&["pangu"]),
        models: "openPangu".into(),
        // Which spelling appears depends on the tokenizer.
        call: list(&[concat!(
            "{any:<|tool_call_start|>||[unused11]}{calls}",
            "{any:<|tool_call_end|>||[unused12]}{also:</answer>}"
        )]),
        ..FormatSpec::default()
    }
}

fn apertus() -> FormatSpec {
    FormatSpec {
        name: "apertus".into(),
        special: Special::All,
        aliases: list(&["apertus-2509"]),
        models: "Apertus".into(),
        // The only key of an object is the name, even where it is `name`.
        call: list(&["<|tools_prefix|>{call:[{name: args}]}<|tools_suffix|>"]),
        reasoning: "apertus".into(),
        tools: "{tools:array}".into(),
        // Printed after the calls, without a change of role.
        response: "[{content}]".into(),
        ..FormatSpec::default()
    }
}

fn internlm2() -> FormatSpec {
    FormatSpec {
        name: "internlm2".into(),
        special: Special::All,
        aliases: list(&["internlm", "intern-s1"]),
        models: "InternLM 2 and 3, Intern S1".into(),
        call: list(&[concat!(
            r#"<|action_start|>{also: }<|plugin|>\n{call:{"name": name, "parameters": args}}"#,
            "<|action_end|>"
        )]),
        // Part of the turn `system name=<|plugin|>`; responses have a turn of their own.
        tools: "{tools:array}".into(),
        response: "{content}".into(),
        ..FormatSpec::default()
    }
}

fn granite() -> FormatSpec {
    FormatSpec {
        name: "granite".into(),
        special: Special::Tokens(list(&["<|tool_call|>"])),
        aliases: list(&["granite-3.x"]),
        models: "Granite 3.0 to 3.3".into(),
        // The list ends the block.
        call: list(&["{any:<|tool_call|>||<tool_call>}{calls}", "{at:message}{calls}"]),
        // Where a server strips the marker.
        names: Names::Declared,
        reasoning: "granite".into(),
        // Content of the role `available_tools`; responses have a role of their own.
        tools: "{tools:openai-indented}".into(),
        response: "{content}".into(),
        ..FormatSpec::default()
    }
}

fn granite_20b_fc() -> FormatSpec {
    FormatSpec {
        name: "granite-20b-fc".into(),
        models: "Granite 20B function calling".into(),
        call: list(&["<function_call> {call}{also:</function_call>}"]),
        between: String::new(),
        tools: r"<|function_call_library|>\n{tools:lines}".into(),
        response: "<function_response> {content}".into(),
        ..FormatSpec::default()
    }
}

fn phi4_mini() -> FormatSpec {
    FormatSpec {
        name: "phi4-mini".into(),
        aliases: list(&["phi-4-mini", "firefunction", "firefunction-v2"]),
        models: "Phi-4 mini, FireFunction v2".into(),
        call: list(&["functools{calls}", "functools{call}"]),
        tools: "{tools:array}".into(),
        response: "{content}".into(),
        ..FormatSpec::default()
    }
}

fn gigachat3() -> FormatSpec {
    FormatSpec {
        name: "gigachat3".into(),
        special: Special::All,
        aliases: list(&["gigachat-3", "gigachat-3.1"]),
        models: "GigaChat 3 and 3.1".into(),
        call: list(&[
            "<|function_call|>{call}{also:</s>}",
            "{opt:<|message_sep|>}function call<|role_sep|>{call}{also:</s>}",
        ]),
        // It ends the visible text.
        strays: list(&["<|message_sep|>"]),
        response: "{content}".into(),
        ..FormatSpec::default()
    }
}

fn gemma_fence() -> FormatSpec {
    FormatSpec {
        name: "gemma-fence".into(),
        models: "prompted Gemma and other chat models".into(),
        call: list(&[r"```tool_call\n{call}\n```"]),
        tools: "{tools:array}".into(),
        response: r"```tool_response\n{content}\n```".into(),
        ..FormatSpec::default()
    }
}
