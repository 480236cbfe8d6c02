//! Chunks and completions as the types of the crate `async-openai`.
//!
//! Its types have no place for reasoning, which is left out; times and counts of tokens are the largest
//! that they can hold where ours are larger. What they have and a stream does not tell is `None`.

use async_openai::types::chat as to;

use crate::chat::{
    ChatCall, ChatCallDelta, ChatChoice, ChatChunk, ChatChunkChoice, ChatCompletion, ChatUsage,
};

impl From<ChatChunk> for to::CreateChatCompletionStreamResponse {
    fn from(chunk: ChatChunk) -> Self {
        Self {
            id: chunk.id.to_string(),
            choices: chunk.choices.into_iter().map(choice).collect(),
            created: short(chunk.created),
            model: chunk.model.to_string(),
            object: chunk.object.to_owned(),
            usage: chunk.usage.map(usage),
            ..Self::default()
        }
    }
}

impl From<ChatCompletion> for to::CreateChatCompletionResponse {
    fn from(completion: ChatCompletion) -> Self {
        Self {
            id: completion.id.to_string(),
            choices: completion.choices.into_iter().map(whole_choice).collect(),
            created: short(completion.created),
            model: completion.model.to_string(),
            object: completion.object.to_owned(),
            usage: completion.usage.map(usage),
            ..Self::default()
        }
    }
}

fn choice(choice: ChatChunkChoice) -> to::ChatChoiceStream {
    let calls = choice.delta.tool_calls;
    let delta = to::ChatCompletionStreamResponseDelta {
        content: choice.delta.content,
        tool_calls: (!calls.is_empty()).then(|| calls.into_iter().map(fragment).collect()),
        role: choice.delta.role.map(|_| to::Role::Assistant),
        ..to::ChatCompletionStreamResponseDelta::default()
    };
    let finish_reason = choice.finish_reason.and_then(reason);
    to::ChatChoiceStream { index: choice.index, delta, finish_reason, logprobs: None }
}

fn fragment(call: ChatCallDelta) -> to::ChatCompletionMessageToolCallChunk {
    let arguments = Some(call.function.arguments);
    to::ChatCompletionMessageToolCallChunk {
        index: call.index,
        id: call.id,
        r#type: call.r#type.map(|_| to::FunctionType::Function),
        function: Some(to::FunctionCallStream { name: call.function.name, arguments }),
    }
}

fn whole_choice(choice: ChatChoice) -> to::ChatChoice {
    let calls = choice.message.tool_calls;
    let message = to::ChatCompletionResponseMessage {
        content: choice.message.content,
        tool_calls: (!calls.is_empty()).then(|| calls.into_iter().map(call).collect()),
        role: to::Role::Assistant,
        ..to::ChatCompletionResponseMessage::default()
    };
    let finish_reason = reason(choice.finish_reason);
    to::ChatChoice { index: choice.index, message, finish_reason, logprobs: None }
}

fn call(call: ChatCall) -> to::ChatCompletionMessageToolCalls {
    let (name, arguments) = (call.function.name, call.function.arguments);
    let function = to::FunctionCall { name, arguments };
    let call = to::ChatCompletionMessageToolCall { id: call.id, function };
    to::ChatCompletionMessageToolCalls::Function(call)
}

fn reason(word: &str) -> Option<to::FinishReason> {
    Some(match word {
        "stop" => to::FinishReason::Stop,
        "length" => to::FinishReason::Length,
        "tool_calls" => to::FinishReason::ToolCalls,
        "content_filter" => to::FinishReason::ContentFilter,
        _ => return None,
    })
}

fn usage(usage: ChatUsage) -> to::CompletionUsage {
    let cached = usage.prompt_tokens_details.map(|details| to::PromptTokensDetails {
        cached_tokens: Some(short(details.cached_tokens)),
        ..to::PromptTokensDetails::default()
    });
    let reasoning = usage.completion_tokens_details.map(|details| to::CompletionTokensDetails {
        reasoning_tokens: Some(short(details.reasoning_tokens)),
        ..to::CompletionTokensDetails::default()
    });
    to::CompletionUsage {
        prompt_tokens: short(usage.prompt_tokens),
        completion_tokens: short(usage.completion_tokens),
        total_tokens: short(usage.total_tokens),
        prompt_tokens_details: cached,
        completion_tokens_details: reasoning,
    }
}

fn short(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
