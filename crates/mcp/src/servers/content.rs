//! Arguments and results in the client library's shapes.

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, ResourceContents};
use serde_json::Value;
use toolweir_rjson::Mode;

use crate::error::ToolFailure;
use crate::output::{Attachment, ToolOutput};

/// The arguments as an object. Numbers that cannot be held are refused; a fraction is rounded to the
/// nearest double, as any JSON reader does.
pub(crate) fn arguments(text: &str) -> Result<JsonObject, ToolFailure> {
    let unfit = |what: String| ToolFailure::Arguments(what);
    let value = toolweir_rjson::parse(text, Mode::Strict).map_err(|e| unfit(e.to_string()))?.value;
    if value.as_object().is_none() {
        return Err(unfit(format!("an object is wanted, not {}", value.type_name())));
    }
    exact(&value, &mut String::new()).map_err(unfit)?;
    match serde_json::from_str(text).map_err(|e| unfit(e.to_string()))? {
        Value::Object(object) => Ok(object),
        _ => Err(unfit("an object is wanted".into())),
    }
}

/// Whether every whole number fits 64 bits and every other one a double. The depth of a parsed value is
/// bounded by its reader.
fn exact(value: &toolweir_rjson::Value, path: &mut String) -> Result<(), String> {
    use toolweir_rjson::Value as V;
    match value {
        V::Number(number) => {
            let whole = !number.as_str().contains(['.', 'e', 'E']);
            let fits = match whole {
                true => value.as_i64().is_some() || value.as_u64().is_some(),
                false => value.as_f64().is_some_and(f64::is_finite),
            };
            fits.then_some(())
                .ok_or_else(|| format!("the number at `{path}` is too large to be sent"))
        }
        V::Array(entries) => entries
            .iter()
            .enumerate()
            .try_for_each(|(i, entry)| within(path, &i.to_string(), |path| exact(entry, path))),
        V::Object(members) => members
            .iter()
            .try_for_each(|(key, member)| within(path, key, |path| exact(member, path))),
        _ => Ok(()),
    }
}

fn within<T>(path: &mut String, step: &str, go: impl FnOnce(&mut String) -> T) -> T {
    let before = path.len();
    path.push('/');
    path.push_str(step);
    let done = go(path);
    path.truncate(before);
    done
}

pub(crate) const NO_RESULT: &str = "answered with something that is no result of a tool";

/// A result that is not quite one: what can be read of it is.
pub(crate) fn result(value: Value) -> Result<CallToolResult, ToolFailure> {
    let Value::Object(mut members) = value else {
        return Err(ToolFailure::Unsupported(NO_RESULT.into()));
    };
    let failed = members.get("isError").is_some_and(|is| is == true || is == "true");
    // Older servers gave any value by the name `toolResult`.
    let structured = members.remove("structuredContent").or_else(|| members.remove("toolResult"));
    let blocks = match members.remove("content") {
        Some(Value::Array(blocks)) => blocks,
        Some(Value::Null) | None => Vec::new(),
        Some(block) => vec![block],
    };
    let mut result = CallToolResult::success(blocks.into_iter().map(block).collect());
    result.structured_content = structured;
    result.is_error = Some(failed);
    Ok(result)
}

/// A block, or what it is instead of one.
fn block(value: Value) -> ContentBlock {
    let kind = value.get("type").and_then(Value::as_str).unwrap_or("another kind").to_owned();
    match value {
        Value::String(text) => ContentBlock::text(text),
        other => serde_json::from_value(other).unwrap_or_else(|_| {
            ContentBlock::text(format!("[content that cannot be read: {kind}]"))
        }),
    }
}

/// What the model is shown of a result: its structured content as compact JSON if there is any, else its
/// text blocks. What is not text is attached, and named where it stood.
pub(crate) fn output(result: CallToolResult) -> Result<ToolOutput, ToolFailure> {
    let mut output = ToolOutput::default();
    let texts: Vec<String> =
        result.content.into_iter().map(|block| shown(block, &mut output.attachments)).collect();
    let failed = result.is_error == Some(true);
    output.content = texts.join("\n");
    // Servers write null where they have none. An error says what is wrong in words, if it has words.
    if let Some(structured) = result.structured_content.filter(|value| !value.is_null())
        && (!failed || output.content.is_empty())
    {
        output.content = structured.to_string();
    }
    if failed {
        let said =
            if output.content.is_empty() { "it did not say why".into() } else { output.content };
        return Err(ToolFailure::Tool(said));
    }
    Ok(output)
}

/// A block as text.
fn shown(block: ContentBlock, attachments: &mut Vec<Attachment>) -> String {
    match block {
        ContentBlock::Text(text) => text.text,
        ContentBlock::Image(image) => {
            attach("image", Some(image.mime_type), None, image.data, attachments)
        }
        ContentBlock::Audio(audio) => {
            attach("audio", Some(audio.mime_type), None, audio.data, attachments)
        }
        ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { text, .. } => text,
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                attach("resource", mime_type, Some(uri), blob, attachments)
            }
            _ => "[a resource of another kind]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("[resource {}: {}]", link.name, link.uri),
        _ => "[content of another kind]".to_owned(),
    }
}

fn attach(
    kind: &str,
    media_type: Option<String>,
    uri: Option<String>,
    base64: String,
    attachments: &mut Vec<Attachment>,
) -> String {
    let number = attachments.len().saturating_add(1);
    let described = media_type.as_deref().unwrap_or("unknown type");
    let reference = format!("[attachment {number}: {kind}, {described}]");
    attachments.push(Attachment { media_type, uri, base64 });
    reference
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_an_object_of_numbers_that_can_be_held() {
        let object = arguments(r#"{"a": 18446744073709551615, "b": [0.1, -5]}"#).unwrap();
        assert_eq!(Value::Object(object).to_string(), r#"{"a":18446744073709551615,"b":[0.1,-5]}"#);
        assert!(arguments("{}").unwrap().is_empty());
        let said = |text: &str| arguments(text).unwrap_err().to_string();
        assert_eq!(
            said(r#"{"a": {"b": [1, 18446744073709551616]}}"#),
            "the arguments cannot be used: the number at `/a/b/1` is too large to be sent"
        );
        assert!(said(r#"{"a": 1e999}"#).contains("too large"));
        assert!(said("[1]").contains("an object is wanted, not"));
        assert!(matches!(arguments("{"), Err(ToolFailure::Arguments(_))));
    }

    fn result(json: &str) -> Result<ToolOutput, ToolFailure> {
        output(serde_json::from_str(json).unwrap())
    }

    /// Of an answer that the client library does not take for a result.
    fn odd(json: &str) -> Result<String, ToolFailure> {
        assert!(serde_json::from_str::<CallToolResult>(json).is_err(), "{json}");
        output(super::result(serde_json::from_str(json).unwrap())?).map(|output| output.content)
    }

    #[test]
    fn what_cannot_be_read_of_a_result_costs_no_more_than_itself() {
        let shown = |json| odd(json).unwrap();
        let unknown = r#"{"content":[{"type":"text","text":"a"},{"type":"hologram"},"b"]}"#;
        assert_eq!(shown(unknown), "a\n[content that cannot be read: hologram]\nb");
        let nameless = r#"{"content":[{"type":"image","data":"AAAA"},{"x":1}]}"#;
        let unread = "[content that cannot be read: image]\n\
                      [content that cannot be read: another kind]";
        assert_eq!(shown(nameless), unread);
        assert_eq!(shown(r#"{"content":{"type":"text","text":"alone"}}"#), "alone");
        assert_eq!(shown(r#"{"content":null}"#), "");
        assert_eq!(shown(r#"{"toolResult":{"t":21}}"#), r#"{"t":21}"#);
        let failed = r#"{"content":["no tide table"],"isError":"true"}"#;
        assert_eq!(odd(failed), Err(ToolFailure::Tool("no tide table".into())));
        assert!(matches!(odd("null"), Err(ToolFailure::Unsupported(_))));
    }

    #[test]
    fn structured_content_comes_before_text() {
        let both = r#"{"content":[{"type":"text","text":"21"}],"structuredContent":{"t": 21}}"#;
        assert_eq!(result(both).unwrap().content, r#"{"t":21}"#);
        let text = r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#;
        assert_eq!(result(text).unwrap().content, "a\nb");
        let none = r#"{"content":[{"type":"text","text":"21"}],"structuredContent":null}"#;
        assert_eq!(result(none).unwrap().content, "21");
    }

    #[test]
    fn an_error_of_the_tool_is_a_failure_in_its_words() {
        let json = r#"{"content":[{"type":"text","text":"no tide table"}],"isError":true}"#;
        assert_eq!(result(json), Err(ToolFailure::Tool("no tide table".into())));
        let structured = r#"{"content":[],"structuredContent":{"why":"ebb"},"isError":true}"#;
        assert_eq!(result(structured), Err(ToolFailure::Tool(r#"{"why":"ebb"}"#.into())));
        let silent = result(r#"{"content":[],"isError":true}"#).unwrap_err();
        assert_eq!(silent.to_string(), "it did not say why");
    }

    #[test]
    fn what_is_not_text_is_attached_and_named() {
        let json = r#"{"content":[
            {"type":"text","text":"map:"},
            {"type":"image","data":"AAAA","mimeType":"image/png"},
            {"type":"resource","resource":{"uri":"file:///x","blob":"BBBB"}},
            {"type":"resource_link","uri":"file:///y","name":"y"}]}"#;
        let output = result(json).unwrap();
        assert_eq!(
            output.content,
            "map:\n[attachment 1: image, image/png]\n[attachment 2: resource, unknown type]\n\
             [resource y: file:///y]"
        );
        let uris: Vec<_> = output.attachments.iter().map(|a| a.uri.as_deref()).collect();
        assert_eq!(uris, [None, Some("file:///x")]);
        assert_eq!(output.attachments[0].base64, "AAAA");
    }
}
