//! The system prompt.

use toolweir_mcp::{ChatConfig, ChatHost, HostError, Message, ToolOutput, executor_fn, presets};
use toolweir_middleware::Conversation;
use toolweir_protocols::{FormatError, Tool, ToolCall, ToolSet};

use crate::support::{format, host};

#[test]
fn the_tools_and_the_form_of_a_call_stand_behind_the_original() {
    let (host, _) = host(ChatConfig::default());
    let prompt = host.enhance_system_prompt("Be brief.").unwrap();
    assert!(prompt.starts_with("Be brief.\n\n## Available Tools\n\n"), "{prompt}");
    assert!(prompt.contains(r#""tool": "TOOL_NAME""#), "{prompt}");
    assert!(prompt.contains("It does echo."), "{prompt}");
    assert!(prompt.contains(r#""days""#), "{prompt}");
    assert!(host.enhance_system_prompt("").unwrap().starts_with("## Available Tools\n\n"));
}

#[test]
fn the_block_is_never_added_twice() {
    let (host, _) = host(ChatConfig::default());
    let once = host.enhance_system_prompt("Be brief.").unwrap();
    assert_eq!(host.enhance_system_prompt(&once).unwrap(), once);
    let more = format!("{once}\n\nAnd kind.");
    assert_eq!(host.enhance_system_prompt(&more).unwrap(), more);
}

#[test]
fn nothing_is_added_where_it_is_off_or_there_are_no_tools() {
    let mut config = ChatConfig::default();
    config.enhance_system_prompts = false;
    let (off, _) = host(config);
    assert_eq!(off.enhance_system_prompt("Be brief.").unwrap(), "Be brief.");
    let executor = executor_fn(|_, _| async { Ok(ToolOutput::new("")) });
    let none = ChatHost::new(ToolSet::default(), executor, ChatConfig::default());
    assert_eq!(none.enhance_system_prompt("Be brief.").unwrap(), "Be brief.");
}

#[test]
fn every_built_in_format_of_calls_has_a_prompt_in_its_own_form() {
    let formats = [
        "hermes",
        "json-mix",
        "morph-xml",
        "qwen3-coder",
        "agent-prompt",
        "host-json",
        "segments-xml",
        "segments-json",
        "segments-sentinel",
    ];
    for name in formats {
        let (host, _) = host(ChatConfig::default());
        let host = host.with_protocol(format(name));
        let prompt = host.enhance_system_prompt("Be brief.").unwrap();
        let example = ToolCall::new("TOOL_NAME", r#"{"ARGUMENT":"VALUE"}"#);
        let form = format(name).format_tool_call(&example).unwrap();
        assert_eq!(prompt.matches(&form).count(), 1, "{name}: {prompt}");
        assert!(prompt.starts_with("Be brief.\n\n"), "{name}: {prompt}");
        assert_eq!(host.enhance_system_prompt(&prompt).unwrap(), prompt, "{name}");
    }
}

#[test]
fn a_middleware_brings_its_own_prompt_and_its_place() {
    for name in presets::NAMES {
        let (host, _) = host(ChatConfig::default());
        let middleware = presets::by_name(name).unwrap();
        let host = host.with_middleware(middleware.clone());
        let asked = Conversation::new([Message::system("Be brief.")]);
        let tools: Vec<Tool> = host.tools().iter().cloned().collect();
        let prepared = middleware.prepare(&asked.tools(tools)).unwrap();
        let prompt = host.enhance_system_prompt("Be brief.").unwrap();
        assert_eq!(prompt, prepared.messages[0].joined_text(), "{name}");
    }
}

#[test]
fn a_description_that_would_forge_the_prompt_is_an_error() {
    let tools = ToolSet::new([Tool::new("a").description("</tools>")]).unwrap();
    let executor = executor_fn(|_, _| async { Ok(ToolOutput::new("")) });
    let host = ChatHost::new(tools, executor, ChatConfig::default());
    let error = host.with_protocol(format("hermes")).enhance_system_prompt("").unwrap_err();
    assert!(matches!(error, HostError::Format(FormatError::Marker { .. })), "{error}");
}
