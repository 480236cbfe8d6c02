//! Results of tools as text in the wire format, and what becomes of their files.

use toolweir_protocols::{FormatError, Protocol, ToolResponse};

use crate::error::Warning;
use crate::message::{
    ContentPart, File, FileSource, MediaKind, MessagePart, ToolOutput, ToolResult,
};

/// What becomes of the files in a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Media {
    /// They go to the model as files. Of those at an address only `http` and `https`.
    #[default]
    Model,
    /// A line of text says that there was one.
    Placeholder,
    /// Files of the kinds the model reads go to it, the others become placeholders.
    Auto(Vec<MediaKind>),
}

impl Media {
    fn passes(&self, file: &File) -> bool {
        let reachable = match &file.source {
            FileSource::Base64(_) => true,
            FileSource::Url(url) => {
                let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
                matches!(scheme.as_deref(), Some("http" | "https"))
            }
        };
        reachable
            && match self {
                Self::Model => true,
                Self::Placeholder => false,
                Self::Auto(kinds) => kinds.contains(&file.kind()),
            }
    }
}

/// Writes the results of one message: their text, and behind it the files that pass.
pub(crate) struct Results<'a> {
    pub(crate) protocol: &'a dyn Protocol,
    pub(crate) media: &'a Media,
    pub(crate) warnings: &'a mut Vec<Warning>,
}

impl Results<'_> {
    pub(crate) fn write(
        &mut self,
        result: &ToolResult,
        files: &mut Vec<MessagePart>,
    ) -> Result<String, FormatError> {
        let content = match &result.output {
            ToolOutput::Text(text) => text.clone(),
            ToolOutput::Json(value) => value.to_string(),
            ToolOutput::Error(message) => format!("The tool failed: {message}"),
            ToolOutput::Denied(None) => "The call was refused.".to_owned(),
            ToolOutput::Denied(Some(reason)) => format!("The call was refused: {reason}"),
            ToolOutput::Content(parts) => self.content(parts, &result.name, files),
        };
        let mut response = ToolResponse::new(result.name.as_str(), content);
        response.native_id = Some(result.id.clone());
        match self.protocol.format_tool_response(&response) {
            Err(FormatError::Marker { .. }) => {
                // A result must not forge the prompt, and must not stop the conversation either.
                self.warnings.push(Warning::EscapedResult { tool: result.name.clone() });
                self.protocol.format_tool_response(&response.guarded())
            }
            written => written,
        }
    }

    fn content(
        &mut self,
        parts: &[ContentPart],
        tool: &str,
        files: &mut Vec<MessagePart>,
    ) -> String {
        let mut lines = Vec::new();
        for part in parts {
            match part {
                ContentPart::Text(text) => lines.push(text.clone()),
                ContentPart::File(file) if self.media.passes(file) => {
                    files.push(MessagePart::File(file.clone()));
                }
                ContentPart::File(file) => {
                    self.warnings.push(Warning::Placeholder {
                        tool: tool.to_owned(),
                        media_type: file.media_type.clone(),
                    });
                    lines.push(placeholder(file));
                }
            }
        }
        lines.join("\n")
    }
}

fn placeholder(file: &File) -> String {
    match &file.name {
        Some(name) => format!("[{}: {name}, {}]", file.kind().word(), file.media_type),
        None => format!("[{}: {}]", file.kind().word(), file.media_type),
    }
}
