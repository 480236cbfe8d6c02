//! What a tool gave back.
//!
//! Invariant: `content` is what the model is shown, text only; bytes stand apart as attachments and are
//! named in the content by a reference.

/// The result of a tool that did its work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolOutput {
    /// What the model is shown: plain text, or the text of a JSON value.
    pub content: String,
    /// Images, sounds and blobs, in the order their references stand in the content.
    pub attachments: Vec<Attachment>,
}

impl ToolOutput {
    /// An output of text.
    #[must_use]
    pub fn new(content: impl Into<String>) -> Self {
        Self { content: content.into(), attachments: Vec::new() }
    }

    /// How much there is of it, attachments too, in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        let attached = |sum: usize, a: &Attachment| {
            let more = a.uri.as_ref().map_or(0, String::len);
            sum.saturating_add(a.base64.len()).saturating_add(more)
        };
        self.attachments.iter().fold(self.content.len(), attached)
    }
}

/// Bytes that came with a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attachment {
    /// The MIME type, where the tool named one.
    pub media_type: Option<String>,
    /// Where it is from, where the tool said so.
    pub uri: Option<String>,
    /// The bytes in Base64, as the tool sent them.
    pub base64: String,
}

#[cfg(test)]
mod tests {
    use super::{Attachment, ToolOutput};

    #[test]
    fn attachments_count() {
        let mut output = ToolOutput::new("ab");
        assert_eq!(output.size(), 2);
        let uri = Some("file:///x".to_owned());
        output.attachments.push(Attachment { uri, base64: "AAAA".into(), ..Attachment::default() });
        assert_eq!(output.size(), 15);
    }
}
