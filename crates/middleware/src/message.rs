//! Messages of a conversation, as plain values. Conversions to a provider's own types belong to the
//! edge.

use toolweir_rjson::Value;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Instructions.
    System,
    /// The user, and what stands in for one: results of tools as text.
    User,
    /// The model.
    Assistant,
    /// Results of tools, before they are rewritten.
    Tool,
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// Which of them it is, where there are several in that role.
    pub name: Option<String>,
    /// What is said, in order.
    pub parts: Vec<MessagePart>,
}

impl Message {
    /// A message of these parts.
    #[must_use]
    pub fn new(role: Role, parts: impl IntoIterator<Item = MessagePart>) -> Self {
        Self { role, name: None, parts: parts.into_iter().collect() }
    }

    /// The same by a speaker of that name.
    #[must_use]
    pub fn with_name(mut self, name: Option<String>) -> Self {
        self.name = name;
        self
    }

    /// A message of one text.
    #[must_use]
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self::new(role, [MessagePart::Text(text.into())])
    }

    /// Instructions of one text.
    #[must_use]
    pub fn system(text: impl Into<String>) -> Self {
        Self::text(Role::System, text)
    }

    /// What the user says.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::text(Role::User, text)
    }

    /// What the model said.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::text(Role::Assistant, text)
    }

    /// The texts of the message, joined by line breaks.
    #[must_use]
    pub fn joined_text(&self) -> String {
        let texts = self.parts.iter().filter_map(MessagePart::as_text);
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Whether every part is text.
    #[must_use]
    pub fn is_text(&self) -> bool {
        self.parts.iter().all(|part| part.as_text().is_some())
    }
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MessagePart {
    /// Visible text.
    Text(String),
    /// What the model thought.
    Reasoning(String),
    /// An image, a sound, a document.
    File(File),
    /// A call that the model made.
    Call(HistoryCall),
    /// What a tool returned.
    Result(ToolResult),
    /// The host asks whether a call may run.
    ApprovalRequest {
        /// The id of the call.
        id: String,
        /// The tool's name.
        name: String,
    },
    /// The answer to that.
    Approval {
        /// The id of the call.
        id: String,
        /// Whether it may run.
        approved: bool,
        /// Why, or why not.
        reason: Option<String>,
    },
}

impl MessagePart {
    /// The text, where the part is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// A call in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryCall {
    /// Its id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The text of its arguments, one JSON object.
    pub arguments: String,
}

/// What a tool returned.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The id of the call it answers.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// What it is.
    pub output: ToolOutput,
}

/// The kinds of results.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ToolOutput {
    /// Plain text.
    Text(String),
    /// A JSON value.
    Json(Value),
    /// The tool failed.
    Error(String),
    /// The call was refused.
    Denied(Option<String>),
    /// Text and files, in order.
    Content(Vec<ContentPart>),
}

/// A piece of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentPart {
    /// Text.
    Text(String),
    /// A file.
    File(File),
}

/// A file, by reference or by value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its media type, `image/png` for example.
    pub media_type: String,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// How closely the model is to look at an image, in the words of its provider: `low`, `high`.
    pub detail: Option<String>,
    /// Where it is.
    pub source: FileSource,
}

/// Where a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileSource {
    /// At an address.
    Url(String),
    /// Here, in base 64.
    Base64(String),
}

/// What a file is, by its media type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaKind {
    /// `image/…`
    Image,
    /// `audio/…`
    Audio,
    /// `video/…`
    Video,
    /// Anything else.
    File,
}

impl MediaKind {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Video => "video",
            Self::File => "file",
        }
    }
}

impl File {
    /// What it is, by its media type.
    #[must_use]
    pub fn kind(&self) -> MediaKind {
        match self.media_type.split('/').next() {
            Some("image") => MediaKind::Image,
            Some("audio") => MediaKind::Audio,
            Some("video") => MediaKind::Video,
            _ => MediaKind::File,
        }
    }
}
