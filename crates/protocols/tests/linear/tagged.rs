//! Floods inside calls of tagged parameters.

use toolweir_protocols::Request;

use crate::harness::{
    BYTEWISE, CHUNKED, FILE, Flood, TAGGED, TAGGED_END, check, examined, flood, tools,
};

#[test]
fn floods_inside_tagged_values() {
    let blanks = " ".repeat(4000);
    let name = "n".repeat(250);
    let floods = [
        flood("beginnings of closers", "</parameter"),
        flood("closers of the call", "</function>"),
        flood("closers of the call and blanks", format!("</function>{blanks}x")),
        flood("closers of the call and a sign", format!("</function><{blanks}x")),
        flood("closers of the call and a word", format!("</function></function{blanks}x")),
        flood("closers of the call and a call", "</function>\n<functio"),
        flood("closers of the block", "</tool_call>"),
        flood("closers of the block and blanks", format!("</tool_call>{blanks}x")),
        flood("line breaks", "\n"),
        flood("line breaks and signs", "\n<"),
        flood("parameters without a name", format!("\n<parameter={name} {name}>")),
        flood("beginnings of parameters", "\n<parameter"),
        flood("quotation marks", "\""),
    ];
    let floods = floods.map(|flood| flood.inside(TAGGED, TAGGED_END));
    check(&["qwen3-coder"], &floods);
    let typed = floods.map(|f| f.inside("<tool_call><function=f><parameter=count>", TAGGED_END));
    check(&["qwen3-coder"], &typed);
}

#[test]
fn floods_between_parameters() {
    let blanks = " ".repeat(4000);
    let floods = [
        flood("blanks", " "),
        flood("closers", "</parameter>"),
        flood("signs and blanks", format!("</{blanks}parameter>")),
        flood("a word and blanks", format!("</parameter{blanks}>")),
    ];
    check(
        &["qwen3-coder"],
        &floods.map(|flood| flood.inside("<tool_call><function=f>", "</function></tool_call>")),
    );
    let text = "x".repeat(3000);
    let floods = [
        flood("text before parameters", format!("{text}<parameter=a>1</parameter>")),
        flood("signs in text", "<".repeat(3000) + "<parameter=a>1</parameter>"),
        flood("beginnings in text", "<parameter ".repeat(200) + "<parameter=a>1</parameter>"),
    ];
    let inside = |flood: Flood| flood.inside("<tool_call><function=f>", "</function></tool_call>");
    check(&["qwen3-coder"], &floods.map(inside));
}

#[test]
fn floods_of_free_tags() {
    let blanks = " ".repeat(4000);
    let name = "n".repeat(240);
    let outside = [
        flood("leads", "<too<FUN</inv</Cal"),
        flood("framed leads", "\n\n<too"),
        flood("wrappers", "<Tool_Call>"),
        flood("wrappers and blanks", format!("<Tool_Call>{blanks}")),
        flood("named wrappers", "<tool_call name=f>"),
        flood("names without a tag", "<tool_call>f "),
        flood("names and blanks", format!("<tool_call>f{blanks}")),
        flood("elements that name", format!("<tool_call><name>{name}")),
        flood("words that name", "<tool_call><function>f</function>"),
        flood("attributes", "<function name"),
        flood("closers", "</Tool_Call>"),
        flood("words of other tags", format!("<tool_call><{name}")),
    ];
    examined(&["qwen3-coder"], &outside, &Request::new(tools()), &[BYTEWISE, CHUNKED]);
    let between = [
        flood("closers", "</Param>"),
        flood("empty parameters", "<arg/>"),
        flood("keys", "<parameter>"),
        flood("a key", name),
    ];
    let call = "<tool_call><function=f>";
    let between = between.map(|f| f.inside(call, "</function></tool_call>"));
    examined(&["qwen3-coder"], &between, &Request::new(tools()), &[BYTEWISE, CHUNKED]);
    for (before, after) in [
        ("<text>", "</text>"),
        ("<count>", "</count>"),
        ("<parameter>text</parameter>", "</parameter>"),
        ("<ARG=text>", "</ARG>"),
    ] {
        let values = [
            flood("a file", FILE),
            flood("signs", "<"),
            flood("closing signs", "</"),
            flood("lines and signs", "\n<"),
            flood("closers of parameters", "</parameter>"),
            flood("closers and blanks", format!("</parameter>{blanks}")),
            flood("cut closers", "</paramete"),
            flood("closers of calls", "</FUNCTION>"),
            flood("closers of calls and blanks", format!("</function>{blanks}")),
            flood("closers of blocks", "</Tool_Call>"),
            flood("openers", "\n<ARG="),
            flood("tags", "<div class=x><b></b>"),
        ];
        let ends = "</function></tool_call>";
        let inside = values.map(|f| f.inside(format!("{call}{before}"), format!("{after}{ends}")));
        examined(&["qwen3-coder"], &inside, &Request::new(tools()), &[BYTEWISE]);
    }
    let denied = [flood("closers", "</par"), flood("text", FILE)];
    let mut request = Request::new(tools());
    request.policies.deny_keys = vec!["x".to_owned()];
    let denied = denied.map(|f| f.inside("<function=f></function><parameter=x>", ""));
    examined(&["qwen3-coder"], &denied, &request, &[BYTEWISE, CHUNKED]);
}
