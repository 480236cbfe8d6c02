//! Tokens of a chat host: narrative that is shown, tool calls that are not.

use serde::Serialize;
use toolweir_segments::{ArgumentsJoin, Event, Kind, Outcome};

use crate::json;
use crate::projection::Projection;

/// One token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum HostToken {
    /// Text to show.
    Narrative(String),
    /// A call to run, as the model wrote it: hidden.
    ToolCall(String),
}

/// What a host shows where a call stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostMode {
    /// Nothing: the call is a token of its own.
    #[default]
    Smart,
    /// This text; empty means no token at all. The call runs all the same.
    Placeholders(String),
}

/// The projection.
///
/// A call's token is the source of its payload where the decoder was asked for it (`Emit::raw`), else
/// `{"tool":…,"params":…}`. A call that does not run gives no such token: the decoder gives its source back
/// as text. One that the end of the stream cut and whose bytes stay in its segment is shown as narrative
/// where the decoder was asked for its source, as far as it came, unless a policy hides it ([`Host::hiding_malformed`]). Reasoning is not shown.
#[derive(Clone, Debug, Default)]
pub struct Host {
    mode: HostMode,
    join: ArgumentsJoin,
    document: String,
    source: String,
    text: bool,
    hides: bool,
}

impl Host {
    /// In that mode.
    #[must_use]
    pub fn new(mode: HostMode) -> Self {
        Self { mode, ..Self::default() }
    }

    /// Whether calls that are cut stay hidden: what `malformed = drop` asks for.
    #[must_use]
    pub fn hiding_malformed(mut self, hides: bool) -> Self {
        self.hides = hides;
        self
    }

    fn call(&self, name: &str, arguments: Option<&str>) -> HostToken {
        if let HostMode::Placeholders(text) = &self.mode {
            return HostToken::Narrative(text.clone());
        }
        if !self.source.is_empty() {
            return HostToken::ToolCall(self.source.clone());
        }
        let mut raw = "{\"tool\":".to_owned();
        raw.push_str(json::string(name).get());
        raw.push_str(",\"params\":");
        raw.push_str(json::or_empty(arguments.unwrap_or(&self.document)));
        raw.push('}');
        HostToken::ToolCall(raw)
    }
}

impl Projection for Host {
    type Item = HostToken;

    fn event(&mut self, _id: Option<&str>, event: &Event<'_>, out: &mut dyn FnMut(HostToken)) {
        match event {
            Event::Start { kind, .. } => {
                self.text = *kind == Kind::Text;
                self.document.clear();
                self.source.clear();
            }
            Event::Delta(text) if self.text => out(HostToken::Narrative(text.to_string())),
            Event::Raw(text) => self.source.push_str(text),
            Event::Invocation(call) => {
                let token = self.call(&call.name, call.resolved.as_deref());
                if token != HostToken::Narrative(String::new()) {
                    out(token);
                }
            }
            // An empty span: the source comes back as text.
            Event::End { outcome: Outcome::Truncated, span, .. }
                if !self.source.is_empty() && !self.hides && !span.is_empty() =>
            {
                out(HostToken::Narrative(std::mem::take(&mut self.source)));
            }
            _ => {}
        }
        self.join.event(event, &mut self.document);
    }
}
