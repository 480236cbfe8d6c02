//! Results of tools as text in the wire format, and what becomes of their files.

use toolweir_protocols::{FormatError, Protocol, Request, ToolResponse};

use crate::error::Warning;
use crate::history::plain;
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

/// Writes the results of one message: their text, and after it the files that pass.
pub(crate) struct Results<'a> {
    pub(crate) protocol: &'a dyn Protocol,
    pub(crate) request: &'a Request,
    pub(crate) media: &'a Media,
    pub(crate) warnings: &'a mut Vec<Warning>,
}

impl Results<'_> {
    pub(crate) fn write(&mut self, result: &ToolResult, files: &mut Vec<MessagePart>) -> String {
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
        // A result must not forge the prompt, and must not stop the conversation either.
        let mut written = self.alone(&response);
        if let Err(FormatError::Marker { .. }) = written {
            written = self.alone(&response.clone().guarded());
            if written.is_ok() {
                self.warnings.push(Warning::EscapedResult { tool: result.name.clone() });
            }
        }
        written.unwrap_or_else(|error| {
            let (tool, message) = (result.name.clone(), error.to_string());
            self.warnings.push(Warning::PlainResult { tool, message });
            let said = [result.name.as_str(), response.content.as_str()];
            plain(self.protocol, self.request, ["Result of", "is"], said)
        })
    }

    /// The result as the format writes it, if it reads as one.
    fn alone(&self, response: &ToolResponse) -> Result<String, FormatError> {
        let written = self.protocol.format_tool_response(response)?;
        let format = self.protocol.name().to_owned();
        match self.forged(&response.name, &written) {
            Some(marker) => Err(FormatError::Marker { format, marker }),
            None => Ok(written),
        }
    }

    /// What begins a result, where a written one holds it twice, or a name that could end one. Formats
    /// without an end marker for results refuse nothing, and none looks at the name.
    fn forged(&self, name: &str, written: &str) -> Option<String> {
        if name.contains(['\n', '\r', '<', '>']) && written.contains(name) {
            return Some(name.to_owned());
        }
        // A private character stands for the name: in front of it is what begins a result.
        let probe = self.protocol.format_tool_response(&ToolResponse::new("\u{e000}", "")).ok()?;
        let (head, _) = probe.split_once('\u{e000}').filter(|(head, _)| !head.trim().is_empty())?;
        let begins = |(at, _): &(usize, &str)| {
            let before = written.get(..*at).unwrap_or_default();
            before.is_empty() || before.ends_with(['\n', '\r'])
        };
        written.match_indices(head).filter(begins).nth(1).map(|_| head.to_owned())
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
