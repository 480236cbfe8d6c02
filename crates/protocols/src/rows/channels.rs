//! Turns made of messages with headers: `harmony`, `beam`, `kimi-k3`, `inkling`, `muse-glimmer`.
//!
//! # `harmony`
//!
//! Messages on channels: reasoning on `analysis`, text on `commentary` and `final`, a call wherever
//! the header names a recipient.
//!
//! ```text
//! <|channel|>analysis<|message|>One die is enough.<|end|><|start|>assistant<|channel|>commentary to=functions.dice <|constrain|>json<|message|>{"sides": 6}<|call|>
//! ```
//!
//! Source of the format: openai/harmony, `docs/format.md`, and the chat template of
//! openai/gpt-oss-120b, as ggml-org/llama.cpp ships it (`models/templates`, read in 2026); what is
//! forgiven: the parsers of vLLM and llama.cpp.
//!
//! Models: gpt-oss-20b, gpt-oss-120b.
//!
//! The generation prompt is `<|start|>assistant`, so the text begins inside a header. The recipient
//! stands in the role part or in the channel part; about half of the smaller model's calls are on
//! `analysis`. A recipient outside the namespace `functions` is a built-in tool: its body is JSON
//! or, with a type such as `code`, plain source, which is the argument `code`.
//!
//! Quirks that are forgiven:
//! - a header that begins anew (`<|channel|>` before `<|message|>`): its last channel part counts,
//!   in it the first known channel and the first recipient, else the recipient of the role part;
//!   `to=assistant` is none; a tool as the channel is the recipient, any other unknown channel `commentary`;
//! - question marks, dashes and free text in the header, text after the name;
//! - a missing `<|start|>` (also before `assistant`), a missing `<|message|>` before `{`;
//! - `<|call|>` missing because the server took it as its stop token; the word `commentary` or `assistant`
//!   after it; markers that stand alone.
//!
//! A bad header never fails the turn.
//!
//! The line says what is written and what may be constrained. It cannot say the above, so one
//! function (`program/harmony.rs`) reads everything from `<|start|>` or `<|channel|>` to `<|message|>` by hand; bodies are
//! read by the engine.
//!
//! Delicate here: C5 (no marker and no word of a header reaches the text) and C6 (markers inside a
//! JSON string are data).
//!
//! ```ebnf
//! out     = { message } ;
//! message = [ "<|start|>", role ], [ " to=", name ], [ "<|channel|>", channel, [ " to=", name ],
//!           [ " ", [ "<|constrain|>" ], type ] ], "<|message|>", body, end ;
//! end     = "<|end|>" | "<|call|>" | "<|return|>" | ? end of the stream ? ;
//! ```
//!
//! # `beam`
//!
//! The messages of `harmony`, with the parameters of a call in tags. The prompt has written the first
//! `<|start|>assistant`.
//!
//! ```text
//! <|channel|>analysis<|message|>One die.<|end|><|start|>assistant to=dice<|channel|>analysis
//! <|constrain|>xml<|message|><rfl:parameter name="sides">
//! 6
//! </rfl:parameter><|call|>
//! ```
//!
//! Source of the format: the response template that SGLang has for it (read in 2026). Models: Beam. The line
//! break before `<|constrain|>` is this page's.
//!
//! ```ebnf
//! call = [ "<|start|>assistant" ], " to=", name, "<|channel|>analysis <|constrain|>xml<|message|>",
//!        { '<rfl:parameter name="', key, '">', "\n", value, "\n", "</rfl:parameter>" }, ( "<|call|>" | "<|end|>" ) ;
//! ```
//!
//! # `kimi-k3`
//!
//! Elements whose brackets are special tokens: reasoning, the response, the calls.
//!
//! ```text
//! <|open|>tools<|sep|><|open|>call tool="dice" index="1"<|sep|><|open|>argument key="sides" type="number"<|sep|>6<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>
//! ```
//!
//! Source of the format: the chat template of moonshotai/Kimi-K3, as ggml-org/llama.cpp ships it
//! (`models/templates`, read in 2026); what is forgiven: the parser of vLLM.
//!
//! Models: Kimi K3. `type="string"` is text, any other type JSON. Entities are decoded in attributes
//! only. Forgiven: a section that is not closed, a call without an index, spaces around the words, markers
//! that a limit cuts at the end.
//!
//! ```ebnf
//! open  = "<|open|>", word, { " ", key, '="', value, '"' }, "<|sep|>" ;
//! close = "<|close|>", word, "<|sep|>" ;
//! ```
//!
//! # `inkling`
//!
//! Blocks of one kind each, in any order.
//!
//! ```text
//! <|message_model|><|content_invoke_tool_json|>{"name": "dice", "args": {"sides": 6}}<|end_message|>
//! ```
//!
//! Source of the format: the parser of vLLM and its tests (read in 2026). Models: Inkling. Blocks of
//! other kinds (`<|content_invoke_tool_text|>`, `<|content_tool_error|>`) are markup. Forgiven: a thought
//! without its end marker before the next block, a list of calls in a block.
//!
//! ```ebnf
//! block = [ "<|message_model|>", [ name ] ], kind, body, ( "<|end_message|>" | "<|content_model_end_sampling|>" ) ;
//! ```
//!
//! # `muse-glimmer`
//!
//! Messages with a recipient: the model itself, the reader or a tool, whose message is a block of one call.
//! The prompt has written the first `<|start|>assistant`.
//!
//! ```text
//!  to=self<|message|>One die is enough.<|eom|><|start|>assistant to=dice<|message|><atem:function_calls>
//! <atem:invoke name="dice">
//! <atem:parameter name="sides">6</atem:parameter>
//! </atem:invoke>
//! </atem:function_calls><|eom|>
//! ```
//!
//! Source of the format: the chat template of Muse Glimmer, as ggml-org/llama.cpp ships it
//! (`models/templates`, read in 2026), and the tests of SGLang. Models: Muse Glimmer. A block in a message to
//! another recipient is text or reasoning (C6); of the two names that of the block counts.
//!
//! ```ebnf
//! message = [ "<|start|>assistant" ], " to=", name, "<|message|>", body, ( "<|eom|>" | "<|eot|>" ) ;
//! ```

use super::Line::{
    Aliases, Between, Call, Message, Models, Name, Reasoning, Response, Set, Strays, Tools, Wrap,
};
use super::{row, tokens};
use crate::spec::{Entities, FormatSpec, Header, Special};

/// The rows of this family.
pub(super) fn rows() -> Vec<FormatSpec> {
    vec![harmony(), beam(), kimi_k3(), inkling(), muse_glimmer()]
}

fn harmony() -> FormatSpec {
    row(&[
        Name("harmony"),
        Aliases(&["openai", "gpt_oss", "gpt-oss"]),
        Models("gpt-oss-20b, gpt-oss-120b"),
        // The prompt has written the beginning of the first header.
        Call(concat!(
            "{opt:<|start|>assistant}<|channel|>commentary to=functions.{name} ",
            "<|constrain|>json<|message|>{args}{any:<|call|>||<|call|>commentary||<|call|>assistant}"
        )),
        // Built-in tools, whose body is source.
        Call(concat!(
            "{opt:<|start|>assistant}<|channel|>{any:analysis||commentary} to={name} code",
            "<|message|>{arg:code}<|call|>"
        )),
        Between(""),
        Message("{opt:<|start|>assistant}<|channel|>analysis<|message|>{reasoning}<|end|>"),
        Message("{opt:<|start|>assistant}<|channel|>commentary<|message|>{text}<|end|>"),
        Message(
            "{opt:<|start|>assistant}<|channel|>final<|message|>{text}{any:<|return|>||<|end|>}",
        ),
        // All markers are reserved: one that stands alone is never text.
        Strays(&["<|start|>", "<|call|>", "<|end|>", "<|return|>", "<|message|>", "<|constrain|>"]),
        Reasoning("gpt-oss"),
        // The developer message declares TypeScript signatures; no layout writes them.
        Tools("{tools:headings}"),
        Response(concat!(
            "<|start|>functions.{name} to=assistant<|channel|>commentary<|message|>",
            "{content}<|end|>"
        )),
        Set(|row| {
            row.special = Special::All;
            row.header = Header::Harmony;
            row.always_split = true;
        }),
    ])
}

fn beam() -> FormatSpec {
    row(&[
        Name("beam"),
        Models("Beam"),
        Call(concat!(
            "<|start|>assistant to={name}<|channel|>analysis <|constrain|>xml<|message|>",
            r#"{args:<rfl:parameter name="{key}">\n{value}\n</rfl:parameter>}{any:<|call|>||<|end|>}"#
        )),
        // The prompt has written the beginning of the first header.
        Call(concat!(
            "{at:message}to={name}<|channel|>analysis <|constrain|>xml<|message|>",
            r#"{args:<rfl:parameter name="{key}">\n{value}\n</rfl:parameter>}{any:<|call|>||<|end|>}"#
        )),
        Between(""),
        Message("{opt:<|start|>assistant}<|channel|>analysis<|message|>{reasoning}<|end|>"),
        Message(concat!(
            "{opt:<|start|>assistant}<|channel|>final<|message|>{text}",
            "{any:<|return|>||<|end|>||<|call|>}"
        )),
        Strays(&["<|start|>", "<|call|>", "<|end|>", "<|return|>"]),
        Reasoning("gpt-oss"),
        Tools("{tools:array}"),
        Response("{content}"),
        Set(|row| {
            row.special = Special::All;
            row.always_split = true;
        }),
    ])
}

fn kimi_k3() -> FormatSpec {
    row(&[
        Name("kimi-k3"),
        Models("Kimi K3"),
        Wrap("<|open|>tools<|sep|>{*}<|close|>tools<|sep|>"),
        Wrap("<|open|> tools <|sep|>{*}<|close|> tools <|sep|>"),
        Call(concat!(
            r#"<|open|>call tool="{name}" index="{index}"<|sep|>"#,
            r#"{args:<|open|>argument key="{key}" type="{type}"<|sep|>{value}"#,
            "<|close|>argument<|sep|>}<|close|>call<|sep|>"
        )),
        Call(concat!(
            r#"<|open|>call tool="{name}" index="{index}"<|sep|><|open|>json type="object"<|sep|>"#,
            "{args}<|close|>json<|sep|><|close|>call<|sep|>"
        )),
        // Detokenisers put spaces around the words.
        Call(concat!(
            r#"<|open|> call tool="{name}" index="{index}" <|sep|>"#,
            r#"{args:<|open|> argument key="{key}" type="{type}" <|sep|>{value}"#,
            "<|close|> argument <|sep|>}<|close|> call <|sep|>"
        )),
        Message("<|open|>response<|sep|>{text}<|close|>response<|sep|>"),
        Between(""),
        Strays(&[
            "<|open|> response <|sep|>",
            "<|close|> response <|sep|>",
            "<|close|>message<|sep|>",
            "<|close|> message <|sep|>",
            "<|end_of_msg|>",
            // No text holds them.
            "<|open|>",
            "<|close|>",
            "<|sep|>",
        ]),
        Reasoning("kimi-k3"),
        Tools("{tools:array}"),
        Response("{content}"),
        Set(|row| {
            row.special = tokens(&["<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>"]);
            row.entities = Entities::Attributes;
            row.always_split = true;
        }),
    ])
}

fn inkling() -> FormatSpec {
    row(&[
        Name("inkling"),
        Models("Inkling"),
        Call(concat!(
            r#"{opt:<|message_model|>{skip}}<|content_invoke_tool_json|>{call:{"name": name, "#,
            r#""args": args}}{any:<|end_message|>||<|content_model_end_sampling|>}"#
        )),
        Call(concat!(
            r#"{opt:<|message_model|>{skip}}<|content_invoke_tool_json|>{call:[{"name": name, "#,
            r#""args": args}]}{any:<|end_message|>||<|content_model_end_sampling|>}"#
        )),
        Message(concat!(
            "{opt:<|message_model|>{skip}}<|content_text|>{text}",
            "{any:<|end_message|>||<|content_model_end_sampling|>}"
        )),
        Message(concat!(
            "{opt:<|message_model|>{skip}}<|content_thinking|>{reasoning}",
            "{any:<|end_message|>||<|content_model_end_sampling|>}"
        )),
        // Not for the reader: other kinds of calls, and their errors.
        Message(concat!(
            "{opt:<|message_model|>{skip}}",
            "{any:<|content_invoke_tool_text|>||<|content_tool_error|>}{skip}",
            "{any:<|end_message|>||<|content_model_end_sampling|>}"
        )),
        Between(""),
        Strays(&["<|message_model|>", "<|end_message|>", "<|content_model_end_sampling|>"]),
        Reasoning("inkling"),
        Tools("{tools:array}"),
        Response("{content}"),
        Set(|row| {
            row.special = Special::All;
            row.always_split = true;
        }),
    ])
}

/// A message of Muse Glimmer to a tool, after that header.
macro_rules! block_after {
    ($header:literal) => {
        concat!(
            $header,
            r#"{also:\n}<atem:function_calls>\n<atem:invoke name="{name}">\n"#,
            r#"{args:<atem:parameter name="{key}">{value}</atem:parameter>\n}"#,
            r"</atem:invoke>\n</atem:function_calls>{opt:<|eom|>}"
        )
    };
}

fn muse_glimmer() -> FormatSpec {
    row(&[
        Name("muse-glimmer"),
        Aliases(&["muse", "muse-spark"]),
        Models("Muse Glimmer"),
        Call(block_after!(r"<|start|>assistant to={name}<|message|>")),
        // The prompt has written the beginning of the first header.
        Call(block_after!(r"{at:message}to={name}<|message|>")),
        // Directly after a thought, without its end: what stands of the header is more of the thought.
        Call(block_after!(r"<|message|>")),
        Message("<|start|>assistant to=self<|message|>{reasoning}{any:<|eom|>||<|eot|>}"),
        Message("{at:message} to=self<|message|>{reasoning}{any:<|eom|>||<|eot|>}"),
        Message(
            "<|start|>assistant to={any:user||commentary}<|message|>{text}{any:<|eot|>||<|eom|>}",
        ),
        Message("{at:message} to={any:user||commentary}<|message|>{text}{any:<|eot|>||<|eom|>}"),
        Between(""),
        Strays(&["<|eom|>", "<|eot|>"]),
        Reasoning("muse-glimmer"),
        Tools("{tools:lines}"),
        Response(concat!(
            r#"<|start|>tool {name}<|message|><tool_output name="{name}">\n{content}"#,
            r"\n</tool_output><|eot|>"
        )),
        Set(|row| {
            row.special = tokens(&["<|start|>", "<|message|>", "<|eom|>", "<|eot|>"]);
            row.always_split = true;
        }),
    ])
}
