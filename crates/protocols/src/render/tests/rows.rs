//! Rows in patterns, as far as writing needs them.

use crate::spec::{CallPattern, FormatSpec, ResponseBody, Tags};

const HEADED: &str = r"Tool: {name}\nResult:\n{content}";
const ELEMENTS: &str = "<tool_response>{content}</tool_response>";

/// The row of that name.
pub(crate) fn row(name: &str) -> FormatSpec {
    let mut row = base(name);
    row.name = name.to_owned();
    row
}

fn base(name: &str) -> FormatSpec {
    let hermes =
        || row_of(&[], &[r"<tool_call>\n{call}\n</tool_call>", "<tool_call>{calls}</tool_call>"]);
    let prompted = |calls: &[&str]| FormatSpec {
        tools: "{tools:array}".into(),
        response: ELEMENTS.into(),
        response_body: ResponseBody::Elements,
        spaced: false,
        ..row_of(&[], calls)
    };
    let agent = |wraps: &[&str], call: &str| FormatSpec {
        tools: "{tools:headings}".into(),
        response: HEADED.into(),
        ..row_of(wraps, &[call])
    };
    match name {
        "hermes" | "qwen25" => hermes(),
        "json-mix" => FormatSpec {
            response_body: ResponseBody::Object,
            own_markers: true,
            ..prompted(&[
                r#"<tool_call>{call:{"name":name,"arguments":args}}</tool_call>"#,
                "<tool_call>{calls}</tool_call>",
            ])
        },
        "morph-xml" => {
            let mut row = prompted(&[
                r"<{name}>\n{args:elements}\n</{name}>",
                "<{name}/>",
                r"<{name}\n{args:elements}\n/>",
            ]);
            let line = r"{at:line}{name}{also::}\n{args:elements}{also:</{name}>}";
            row.call.push(CallPattern::switched(line, "line_prefixed", true));
            row
        }
        "yaml-xml" => prompted(&[
            r"<{name}>\n{args:yaml}\n</{name}>",
            "<{name}/>",
            r"<{name}\n{args:yaml}\n/>",
            r"<{name}>\n{args:<{key}>{value}{opt:</{key}>}\n}</{name}>",
            "<tool_call>{call}</tool_call>",
        ]),
        "qwen3-coder" => FormatSpec {
            tags: Tags::Words,
            tools: r"<tools>\n{tools:tags}\n</tools>".into(),
            ..row_of(
                &[],
                &[concat!(
                    r"\n\n{opt:<tool_call>\n}<function={name}>\n",
                    r"{args:<parameter={key}>\n{value}\n</parameter>\n}</function>{opt:\n</tool_call>}"
                )],
            )
        },
        "agent-prompt" => {
            agent(&[], r#"<tool_call>\n{call:{"name": name, "parameters": args}}\n</tool_call>"#)
        }
        "agent-structured" => agent(
            &[r"{also:```{opt:json}\n}{*}{also:\n```}"],
            r#"{call:{"content": text, "toolCall": {"name": name, "args": args}}}"#,
        ),
        "host-json" => agent(&[], r#"{call:{"tool": name, "params": args}}"#),
        name => zoo(name),
    }
}

/// A row with these wrappers and calls.
pub(crate) fn row_of(wraps: &[&str], calls: &[&str]) -> FormatSpec {
    FormatSpec {
        call: calls.iter().map(|call| (*call).into()).collect(),
        wrap: wraps.iter().map(|wrap| (*wrap).to_owned()).collect(),
        ..FormatSpec::default()
    }
}

fn zoo(name: &str) -> FormatSpec {
    let tight = |wraps: &[&str], calls: &[&str]| FormatSpec {
        between: String::new(),
        ..row_of(wraps, calls)
    };
    match name {
        "mistral-v11" => FormatSpec {
            response: "[TOOL_RESULTS]{opt:{id}[TOOL_CONTENT]}{content}[/TOOL_RESULTS]".into(),
            tools: "[AVAILABLE_TOOLS]{tools:array}[/AVAILABLE_TOOLS]".into(),
            ..tight(&[], &["[TOOL_CALLS]{name}{opt:[CALL_ID]{id}}{opt:[ARGS]}{args}"])
        },
        "kimi-k2" => FormatSpec {
            response: r"## Return of {id}\n{content}".into(),
            ..tight(
                &[
                    "{any:<|tool_calls_section_begin|>||<|tool_call_section_begin|>}{*}{any:<|tool_calls_section_end|>||<|tool_call_section_end|>}",
                ],
                &[
                    "<|tool_call_begin|>{!}{id:{opt:functions.}{name}:{index}}<|tool_call_argument_begin|>{args}<|tool_call_end|>",
                ],
            )
        },
        "deepseek-v31" => tight(
            &[
                "{any:<｜tool▁calls▁begin｜>||<｜tool▁calls｜>||<｜tool calls begin｜>}{*}<｜tool▁calls▁end｜>",
            ],
            &["<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{args}<｜tool▁call▁end｜>"],
        ),
        "mistral" => FormatSpec {
            between: ", ".into(),
            ..row_of(
                &["[TOOL_CALLS]{*}{also:[/TOOL_CALLS]}"],
                &[
                    r#"{call:[{"name": name, "arguments": args, "id": id}]}"#,
                    r#"{call:{"name": name, "arguments": args, "id": id}}"#,
                ],
            )
        },
        "llama3-json" => FormatSpec {
            between: "; ".into(),
            ..row_of(
                &["{also:<|python_tag|>}{*}"],
                &[r#"{call:{"name": name, "parameters": args}}"#],
            )
        },
        "cohere-command" => row_of(
            &[],
            &[
                r#"<|START_ACTION|>{call:[\n    {"tool_call_id": id, "tool_name": name, "parameters": args}\n]}<|END_ACTION|>"#,
                r#"<|START_ACTION|>{call:{"tool_call_id": id, "tool_name": name, "parameters": args}}<|END_ACTION|>"#,
            ],
        ),
        "apertus" => row_of(&[], &["<|tools_prefix|>{call:[{name: args}]}<|tools_suffix|>"]),
        "glm-xml" => row_of(
            &[],
            &[
                r"\n<tool_call>{name}{also:<tool_call>}\n{args:<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n}</tool_call>",
            ],
        ),
        "minimax-m2" => row_of(
            &[r"\n<minimax:tool_call>\n{*}\n</minimax:tool_call>"],
            &[
                r#"<invoke name="{name}">\n{args:<parameter name="{key}">{value}</parameter>\n}</invoke>"#,
            ],
        ),
        "minimax-m3" => row_of(
            &[r"]<]minimax[>[<tool_call>\n{*}\n]<]minimax[>[</tool_call>"],
            &[
                r#"]<]minimax[>[<invoke name="{name}">{args:]<]minimax[>[<{key}>{value:nested}]<]minimax[>[</{key}>}]<]minimax[>[</invoke>"#,
            ],
        ),
        "deepseek-v32" => row_of(
            &[
                r"\n\n<｜DSML｜{any:function_calls||toolcalls||tool}>\n{*}\n</｜DSML｜{any:function_calls||toolcalls||tool}>",
            ],
            &[
                r#"<｜DSML｜invoke name="{name}">\n{args:<｜DSML｜parameter name="{key}" string="{type:true||false}">{value}</｜DSML｜parameter>\n}</｜DSML｜invoke>"#,
                r#"<｜DSML｜invoke name="{name}">{args}</｜DSML｜invoke>"#,
            ],
        ),
        "seed-oss" => row_of(
            &[],
            &[
                r"\n\n{opt:<seed:tool_call>\n}<function={name}>\n{args:<parameter={key}>{also:\n}{value}{also:\n}</parameter>\n}</function>{opt:\n</seed:tool_call>}",
            ],
        ),
        "also-inside-tags" => row_of(
            &[r"<{also:ns:}calls>\n{*}\n</{also:ns:}calls>"],
            &[
                r#"<{also:ns:}invoke name="{name}">\n{args:<{also:ns:}parameter name="{key}">{value}</{also:ns:}parameter>\n}</{also:ns:}invoke>"#,
            ],
        ),
        "cline-xml" => row_of(&[], &[r"<{name}>\n{args:<{key}>{value:trim}</{key}>\n}</{name}>"]),
        "pythonic" => FormatSpec {
            between: ", ".into(),
            ..row_of(&["{at:line}[{*}]"], &["{name}({args:python})"])
        },
        "lfm2" => FormatSpec {
            between: ", ".into(),
            ..row_of(
                &[
                    "<|tool_call_start|>{opt:[}{*}{opt:]}<|tool_call_end|>{also:[{skip}<|tool_call_end|>}",
                ],
                &["{name}({args:python})", "{call}"],
            )
        },
        "gemma4" => FormatSpec {
            between: "<tool_call|><|tool_call>".into(),
            ..row_of(&["<|tool_call>{*}<tool_call|>"], &[r#"{opt:call}:{name}{args:gemma <|"|>}"#])
        },
        "kimi-k3" => tight(
            &["<|open|>tools<|sep|>{*}<|close|>tools<|sep|>"],
            &[
                r#"<|open|>call tool="{name}" index="{index}"<|sep|>{args:<|open|>argument key="{key}" type="{type}"<|sep|>{value}<|close|>argument<|sep|>}<|close|>call<|sep|>"#,
                r#"<|open|>call tool="{name}" index="{index}"<|sep|><|open|>json type="object"<|sep|>{args}<|close|>json<|sep|><|close|>call<|sep|>"#,
            ],
        ),
        "functionary-v32" => FormatSpec {
            message: vec![r">>>all\n{text}".into()],
            ..tight(&[], &[r">>>{name}\n{args}", r">>>python\n{name=python}{arg:code}"])
        },
        "apply-patch" => row_of(
            &[],
            &[
                r"{name=apply_patch}{arg:input:{at:line}*** Begin Patch\n{any:*** Add File:||*** Delete File:||*** Update File:}{value}{at:line}*** End Patch}",
            ],
        ),
        "edit" => row_of(
            &[],
            &[
                r"{name=search_replace}{at:line}{arg:path}\n<<<<<<< SEARCH\n{arg:search}{at:line}=======\n{arg:replace}{at:line}>>>>>>> REPLACE{also:\n```}",
            ],
        ),
        _ => FormatSpec::default(),
    }
}
