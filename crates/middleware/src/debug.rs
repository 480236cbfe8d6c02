//! Looking on while an answer is read: each chunk and event as a line, and a summary at the end.
//!
//! The library takes a level as a value and returns text; which variable of the environment says the
//! level, and where the text goes, is for programs to decide. With feature `tracing` a
//! [`Session`](crate::Session) tells the same as `tracing` events.

use std::borrow::Cow;
use std::fmt::Write as _;

use toolweir_protocols::{Protocol, ProtocolExt, Request, RequestError};
use toolweir_segments::{Call, Event, Span, escape_terminal, list_event};

/// How much is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum DebugLevel {
    /// Nothing, and no text is kept.
    #[default]
    Off,
    /// Each chunk as received and each event, in order.
    Stream,
    /// The same, and at the end the whole text with its calls shown.
    Parse,
}

/// A word that is no level or style.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is none of {known}")]
pub struct UnknownWord {
    /// The word.
    pub word: String,
    /// Those that are known.
    pub known: &'static str,
}

impl DebugLevel {
    /// The level of a word: `off`, `stream` (`1`, `true`, `yes`) or `parse` (`2`). An empty one is off.
    ///
    /// # Errors
    /// [`UnknownWord`] names the words that are known.
    pub fn from_word(word: &str) -> Result<Self, UnknownWord> {
        match word.trim().to_ascii_lowercase().as_str() {
            "" | "off" | "0" | "false" | "no" => Ok(Self::Off),
            "stream" | "1" | "true" | "yes" => Ok(Self::Stream),
            "parse" | "2" => Ok(Self::Parse),
            _ => Err(UnknownWord { word: word.to_owned(), known: "off, stream, parse" }),
        }
    }
}

/// How a call stands out in the summary on a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebugStyle {
    /// On another background.
    #[default]
    Background,
    /// Colours exchanged.
    Inverse,
    /// Underlined.
    Underline,
    /// Bold.
    Bold,
}

impl DebugStyle {
    /// The style of a word: `bg` (`background`), `inverse` (`invert`), `underline` (`ul`) or `bold`.
    ///
    /// # Errors
    /// [`UnknownWord`] names the words that are known.
    pub fn from_word(word: &str) -> Result<Self, UnknownWord> {
        match word.trim().to_ascii_lowercase().as_str() {
            "" | "bg" | "background" => Ok(Self::Background),
            "inverse" | "invert" => Ok(Self::Inverse),
            "underline" | "ul" => Ok(Self::Underline),
            "bold" => Ok(Self::Bold),
            _ => Err(UnknownWord { word: word.to_owned(), known: "bg, inverse, underline, bold" }),
        }
    }

    const fn code(self) -> &'static str {
        match self {
            Self::Background => "\x1b[46;30m",
            Self::Inverse => "\x1b[7m",
            Self::Underline => "\x1b[4m",
            Self::Bold => "\x1b[1m",
        }
    }
}

/// A chunk as one line, nothing in it that acts on a terminal.
#[must_use]
pub fn chunk_line(text: &str) -> String {
    // The listing of an event quotes in the same way.
    let listed = list_event(&Event::Delta(text.into()));
    let quoted = listed.find('"').and_then(|at| listed.get(at..)).unwrap_or_default();
    format!("chunk     {quoted}")
}

/// An event as one line, nothing in it that acts on a terminal.
#[must_use]
pub fn event_line(event: &Event<'_>) -> String {
    list_event(event)
}

/// A whole answer and what was made of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The answer as received.
    pub text: String,
    /// Where calls that may run stand in it, in order.
    pub segments: Vec<Span>,
    /// Those calls: name and arguments.
    pub calls: Vec<(String, String)>,
}

/// Segments longer than this many characters are shown cut.
const SHOWN: usize = 800;

impl Summary {
    /// The summary of an answer in that format.
    ///
    /// # Errors
    /// [`RequestError`] when an option of the request does not suit the format.
    pub fn new(
        protocol: &dyn Protocol,
        request: &Request,
        text: impl Into<String>,
    ) -> Result<Self, RequestError> {
        let text = text.into();
        let segments = protocol.tool_call_segments(&text, request)?;
        let segments = segments.iter().map(|segment| segment.span).collect();
        let turn = protocol.parse(&text, request)?;
        let call = |call: Call<'_>| (call.name.to_owned(), call.arguments.to_owned());
        Ok(Self { segments, calls: turn.every_call().map(call).collect(), text })
    }

    /// The text of each segment.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().map(|span| self.at(*span))
    }

    fn at(&self, span: Span) -> &str {
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(self.text.len());
        self.text.get(place(span.start)..place(span.end)).unwrap_or_default()
    }

    /// The summary for people: the text with its segments lit up, then the calls. Without a style the
    /// segments stand between angle quotes, as they do where there is no terminal.
    #[must_use]
    pub fn shown(&self, style: Option<DebugStyle>) -> String {
        let (open, close) = style.map_or(("«", "»"), |style| (style.code(), "\x1b[0m"));
        let mut out = String::new();
        let mut at = 0;
        for span in &self.segments {
            out.push_str(&escape_terminal(self.at(Span::new(at, span.start.max(at)))));
            out.push_str(open);
            out.push_str(&escape_terminal(&cut(self.at(*span))));
            out.push_str(close);
            at = span.end.max(at);
        }
        out.push_str(&escape_terminal(self.at(Span::new(at, self.text.len() as u64))));
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        for (name, arguments) in &self.calls {
            // A String takes any text.
            let _ = writeln!(
                out,
                "call {} {}",
                escape_terminal(name),
                escape_terminal(&cut(arguments))
            );
        }
        if self.calls.is_empty() {
            out.push_str("no calls\n");
        }
        out
    }
}

fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        None => Cow::Borrowed(text),
        Some((at, _)) => {
            let shown = text.get(..at).unwrap_or_default();
            Cow::Owned(format!("{shown}… ({} characters)", text.chars().count()))
        }
    }
}

#[cfg(test)]
mod tests {
    use toolweir_protocols::Registry;

    use super::*;

    const TEXT: &str = "Now.\u{1b}[2J<tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}</tool_call> Done.";

    fn summary(text: &str) -> Summary {
        let hermes = Registry::builtin().get("hermes").unwrap().clone();
        Summary::new(&*hermes, &Request::default(), text).unwrap()
    }

    #[test]
    fn words_have_the_levels_and_styles_they_had() {
        for (word, level) in [
            ("off", DebugLevel::Off),
            ("", DebugLevel::Off),
            ("stream", DebugLevel::Stream),
            ("1", DebugLevel::Stream),
            ("TRUE", DebugLevel::Stream),
            ("yes", DebugLevel::Stream),
            ("parse", DebugLevel::Parse),
            ("2", DebugLevel::Parse),
        ] {
            assert_eq!(DebugLevel::from_word(word), Ok(level), "{word}");
        }
        assert_eq!(
            DebugLevel::from_word("loud").unwrap_err().to_string(),
            "`loud` is none of off, stream, parse"
        );
        for (word, style) in [
            ("bg", DebugStyle::Background),
            ("background", DebugStyle::Background),
            ("invert", DebugStyle::Inverse),
            ("ul", DebugStyle::Underline),
            ("bold", DebugStyle::Bold),
        ] {
            assert_eq!(DebugStyle::from_word(word), Ok(style), "{word}");
        }
        assert!(DebugStyle::from_word("blink").is_err());
    }

    #[test]
    fn a_summary_lights_up_each_call_and_acts_on_no_terminal() {
        let summary = summary(TEXT);
        assert_eq!(summary.sources().count(), 1);
        assert!(summary.sources().all(|source| source.starts_with("<tool_call>")));
        let plain = summary.shown(None);
        assert!(plain.starts_with("Now.\\u{1b}[2J«<tool_call>"), "{plain}");
        assert!(plain.ends_with("Done.\ncall dice {\"sides\": 6}\n"), "{plain}");
        for (style, code) in [
            (DebugStyle::Background, "\x1b[46;30m<tool_call>"),
            (DebugStyle::Inverse, "\x1b[7m<tool_call>"),
            (DebugStyle::Underline, "\x1b[4m<tool_call>"),
            (DebugStyle::Bold, "\x1b[1m<tool_call>"),
        ] {
            assert!(summary.shown(Some(style)).contains(code));
        }
        assert_eq!(super::tests::summary("x").shown(None), "x\nno calls\n");
    }

    #[test]
    fn long_segments_are_cut_with_their_length() {
        let text = format!(
            "<tool_call>{{\"name\": \"say\", \"arguments\": {{\"a\": \"{}\"}}}}</tool_call>",
            "é".repeat(2000)
        );
        let shown = summary(&text).shown(None);
        assert!(shown.contains("… (2062 characters)"), "{shown}");
        assert!(shown.chars().count() < 2000);
    }

    #[test]
    fn lines_quote_what_they_show() {
        assert_eq!(chunk_line("a\n\u{7}\""), "chunk     \"a\\n\\u{7}\\\"\"");
        assert_eq!(event_line(&Event::Finish), "finish");
    }
}
