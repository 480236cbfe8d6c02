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
//!   object where a list is due, a list where one object is;
//! - both spellings of openPangu's markers, in any pairing, and a `</answer>` after them; a space
//!   between the two markers of InternLM; the older header of GigaChat (`function call<|role_sep|>`); the
//!   marker of Granite as plain text (`<tool_call>`), as 3.0 prints it; a `</function_call>` after a call of
//!   Granite 20B.
//!
//! Some of the markers are special tokens: the server has to keep them. Without its marker a list of Granite
//! is read where the message begins, if its tools are declared. The interpreter action of
//! InternLM (`<|interpreter|>`) is no call and stays text; GigaChat 3.5 writes another
//! format (`gigachat35`).
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

use super::Line::{
    Aliases, Between, Call, Models, Name, Reasoning, Response, Set, Strays, Tools, Wrap,
};
use super::{row, tokens};
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
    row(&[
        Name("exaone4"),
        Aliases(&["exaone-4.0", "k-exaone-236b"]),
        Models("EXAONE 4.0, K-EXAONE 236B"),
        Call("<tool_call>{call}</tool_call>"),
        Call("<tool_call>{calls}</tool_call>"),
        Strays(&["[|endofturn|]"]),
        Reasoning("qwen3"),
        Tools("{tools:openai-tagged}"),
        Response("<tool_result>{content}</tool_result>"),
        // The prompt allows a tool whose arguments have no names: it gets the bare value.
        Set(|row| row.bare_args = BareArgs::SoleProperty),
    ])
}

fn longcat() -> FormatSpec {
    row(&[
        Name("longcat"),
        Aliases(&["longcat-flash"]),
        Models("LongCat Flash"),
        Call(r"<longcat_tool_call>\n{call}\n</longcat_tool_call>"),
        Call("<longcat_tool_call>{calls}</longcat_tool_call>"),
        Strays(&["</longcat_s>"]),
        Reasoning("longcat"),
    ])
}

fn nemotron_json() -> FormatSpec {
    row(&[
        Name("nemotron-json"),
        Aliases(&["nemotron-deci", "llama-nemotron", "nano-v2"]),
        Models("Llama Nemotron, Nemotron Nano v2"),
        Call("<TOOLCALL>{calls}</TOOLCALL>"),
        Call("<TOOLCALL>{call}</TOOLCALL>"),
        Strays(&["<SPECIAL_12>"]),
        Reasoning("nemotron-nano"),
        Tools("<AVAILABLE_TOOLS>{tools:array}</AVAILABLE_TOOLS>"),
        Response("<TOOL_RESPONSE>[{content}]</TOOL_RESPONSE>"),
    ])
}

fn jamba() -> FormatSpec {
    row(&[
        Name("jamba"),
        Aliases(&["jamba-1.5", "jamba-1.6"]),
        Models("Jamba 1.5, 1.6; Apriel 1.5, 1.6"),
        Call(concat!(
            r#"<tool_calls>{call:[\n    {"name": name, "arguments": args}\n]}"#,
            "</tool_calls>"
        )),
        Call("<tool_calls>{call}</tool_calls>"),
        Strays(&["<|eom|>"]),
        Set(|row| row.special = Special::All),
    ])
}

fn hunyuan_a13b() -> FormatSpec {
    row(&[
        Name("hunyuan-a13b"),
        Aliases(&["hunyuan"]),
        Models("Hunyuan A13B"),
        Call("<tool_calls>{calls}</tool_calls>"),
        Call("<tool_calls>{call}</tool_calls>"),
        // What an answer without calls begins with.
        Strays(&["{at:message}助手：", "<|eos|>"]),
        Reasoning("hunyuan-a13b"),
        Tools("{tools:array}"),
        Response("<tool_response>{content}</tool_response>"),
    ])
}

fn minimax_m1() -> FormatSpec {
    row(&[
        Name("minimax-m1"),
        Aliases(&["minimax-text"]),
        Models("MiniMax M1, MiniMax Text"),
        Wrap(r"<tool_calls>\n{*}\n</tool_calls>"),
        Call("{call}"),
        Call("{calls}"),
        Strays(&["<end_of_sentence>"]),
        Response("tool result: {content}"),
    ])
}

fn openpangu() -> FormatSpec {
    row(&[
        Name("openpangu"),
        Aliases(&["pangu"]),
        Models("openPangu"),
        // Which spelling appears depends on the tokenizer.
        Call(concat!(
            "{any:<|tool_call_start|>||[unused11]}{calls}",
            "{any:<|tool_call_end|>||[unused12]}{also:</answer>}"
        )),
        Call(concat!(
            "{any:<|tool_call_start|>||[unused11]}{call}",
            "{any:<|tool_call_end|>||[unused12]}{also:</answer>}"
        )),
        Strays(&["[unused10]"]),
        Set(|row| row.special = Special::All),
    ])
}

fn apertus() -> FormatSpec {
    row(&[
        Name("apertus"),
        Aliases(&["apertus-2509"]),
        Models("Apertus"),
        // The only key of an object is the name, even where it is `name`.
        Call("<|tools_prefix|>{call:[{name: args}]}<|tools_suffix|>"),
        Call("<|tools_prefix|>{call:{name: args}}<|tools_suffix|>"),
        Strays(&["<|assistant_end|>"]),
        Reasoning("apertus"),
        Tools("{tools:array}"),
        // Printed after the calls, without a change of role.
        Response("[{content}]"),
        Set(|row| row.special = Special::All),
    ])
}

fn internlm2() -> FormatSpec {
    row(&[
        Name("internlm2"),
        Aliases(&["internlm", "intern-s1"]),
        Models("InternLM 2 and 3, Intern S1"),
        Call(concat!(
            r#"<|action_start|>{also: }<|plugin|>\n{call:{"name": name, "parameters": args}}"#,
            "<|action_end|>"
        )),
        Call("<|action_start|>{also: }<|plugin|>{calls}<|action_end|>"),
        Strays(&["<|im_end|>"]),
        // Part of the turn `system name=<|plugin|>`; responses have a turn of their own.
        Tools("{tools:array}"),
        Response("{content}"),
        Set(|row| row.special = Special::All),
    ])
}

fn granite() -> FormatSpec {
    row(&[
        Name("granite"),
        Aliases(&["granite-3.x"]),
        Models("Granite 3.0 to 3.3"),
        // The list ends the block.
        Call("{any:<|tool_call|>||<tool_call>}{calls}{also:</tool_call>}"),
        Call("{any:<|tool_call|>||<tool_call>}{call}{also:</tool_call>}"),
        Call("{at:message}{calls}"),
        Strays(&["<|end_of_text|>"]),
        Reasoning("granite"),
        // Content of the role `available_tools`; responses have a role of their own.
        Tools("{tools:openai-indented}"),
        Response("{content}"),
        Set(|row| {
            row.special = tokens(&["<|tool_call|>"]);
            // Where a server strips the marker.
            row.names = Names::Declared;
        }),
    ])
}

fn granite_20b_fc() -> FormatSpec {
    row(&[
        Name("granite-20b-fc"),
        Models("Granite 20B function calling"),
        Call("<function_call> {call}{also:</function_call>}"),
        Call("<function_call>{calls}{also:</function_call>}"),
        Between(""),
        Strays(&["<|endoftext|>"]),
        Tools(r"<|function_call_library|>\n{tools:lines}"),
        Response("<function_response> {content}"),
    ])
}

fn phi4_mini() -> FormatSpec {
    row(&[
        Name("phi4-mini"),
        Aliases(&["phi-4-mini", "phi4-mini-json", "firefunction", "firefunction-v2"]),
        Models("Phi-4 mini, FireFunction v2"),
        Call("functools{calls}"),
        Call("functools{call}"),
        Strays(&["<|end|>", "<|endoftext|>"]),
        Tools("{tools:array}"),
        Response("{content}"),
    ])
}

fn gigachat3() -> FormatSpec {
    row(&[
        Name("gigachat3"),
        Aliases(&["gigachat-3", "gigachat-3.1"]),
        Models("GigaChat 3 and 3.1"),
        Call("<|function_call|>{call}{also:</s>}"),
        Call("<|function_call|>{calls}{also:</s>}"),
        Call("{opt:<|message_sep|>}function call<|role_sep|>{call}{also:</s>}"),
        Call(r"<|message_sep|>\n\nfunction call<|role_sep|>{call}{also:</s>}"),
        // It ends the visible text.
        Strays(&["<|message_sep|>"]),
        Response("{content}"),
        Set(|row| row.special = Special::All),
    ])
}

fn gemma_fence() -> FormatSpec {
    row(&[
        Name("gemma-fence"),
        Models("prompted Gemma and other chat models"),
        Call(r"```tool_call\n{call}\n```"),
        Call(r"```tool_call\n{calls}\n```"),
        Strays(&["<end_of_turn>"]),
        Tools("{tools:array}"),
        Response(r"```tool_response\n{content}\n```"),
    ])
}
