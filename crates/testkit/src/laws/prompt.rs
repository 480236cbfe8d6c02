//! C10: what a decoder withholds while visible text or reasoning is open.
//!
//! How far the input has been given out is read off the events. What lies after it may be white
//! space, may begin a marker (its head may be white space too), may stand after a whole marker,
//! where the look-ahead decides, or may be as many lines as the format says
//! ([`Protocol::lookahead_lines`]). Source that is given back is not text mode: the block it is of
//! may go on.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use toolweir_protocols::{FAMILIES, Family, Protocol, Request};
use toolweir_rjson::{Value, parse};
use toolweir_segments::{Event, EventSink, Kind};

/// A sink that follows how far a decoder has given out its input.
pub(super) struct Prompt {
    markers: Vec<String>,
    /// Lines that may be withheld until later ones decide.
    lines: usize,
    mode: Mode,
    /// Where the open segment's content begins; before any segment: 0.
    from: usize,
    /// Content given out since.
    given: String,
    /// The source of a call is being given back.
    giving_back: bool,
    breach: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Text,
    Reasoning,
    /// Inside a call or between segments.
    Other,
}

/// What the sections of any family are opened with, with its whitespace and without; a longer one
/// after what it begins with.
pub(super) fn section_openers() -> &'static BTreeSet<String> {
    static OPENERS: LazyLock<BTreeSet<String>> =
        LazyLock::new(|| FAMILIES.iter().flat_map(Family::openers).collect());
    &OPENERS
}

impl Prompt {
    pub(super) fn new(protocol: &dyn Protocol, request: &Request, more: &[String]) -> Self {
        let mut markers = protocol.markers(request);
        for family in FAMILIES {
            markers.extend(family.markers());
            markers.extend(family.tool_openers.iter().map(|opener| (*opener).to_owned()));
        }
        markers.extend(request.options.values().flat_map(|value| markers_of(value)));
        if request.options.contains_key("strategy_order") {
            // Strategies that the protocol itself does not use.
            markers.extend(["<tool", "<write_file", "<run_bash", "{", "["].map(str::to_owned));
        }
        markers.extend(more.iter().cloned());
        markers.retain(|marker| !marker.is_empty());
        let mode = Mode::Text;
        let lines = protocol.lookahead_lines();
        Self {
            markers,
            lines,
            mode,
            from: 0,
            given: String::new(),
            giving_back: false,
            breach: None,
        }
    }

    /// To be called after each push with the number of bytes pushed so far.
    pub(super) fn after_push(&mut self, text: &str, read: usize) {
        if self.mode == Mode::Other || self.giving_back || self.breach.is_some() {
            return;
        }
        let content = text.get(self.from..read).unwrap_or_default();
        // An opener repeated inside reasoning is removed from it, its framing too.
        // Framed ones first, and last.
        let without = |text: String, opener: &String| text.replace(opener.as_str(), "");
        let openers = section_openers();
        let unframed = openers.iter().rev().fold(content.to_owned(), without);
        let cleared = openers.iter().fold(content.to_owned(), without);
        let readings = [content, cleared.as_str(), unframed.as_str()];
        let mut withheld = readings.iter().filter_map(|r| r.strip_prefix(self.given.as_str()));
        if let Some(first) = withheld.next()
            && !self.may_be_withheld(first)
            && !withheld.any(|other| self.may_be_withheld(other))
        {
            let count = first.len();
            self.breach = Some(format!(
                "after {read} bytes {count} are withheld that begin no marker: {first:?}"
            ));
        }
    }

    pub(super) fn into_breach(self) -> Option<String> {
        self.breach
    }

    fn may_be_withheld(&self, withheld: &str) -> bool {
        // Formats that read tags in any letter case withhold them in any.
        let word = withheld.trim_start().to_ascii_lowercase();
        let begins = |m: &String| {
            let marker = m.to_ascii_lowercase();
            marker.trim_start().starts_with(&word) || word.starts_with(&marker)
        };
        if self.lines > 0 && withheld.matches('\n').count() <= self.lines {
            return true;
        }
        word.is_empty() || self.markers.iter().any(begins)
    }
}

/// The markers that an option sets: one, or several as a JSON list.
fn markers_of(value: &str) -> Vec<String> {
    let list = parse(value, toolweir_rjson::Mode::Strict).ok();
    let list = list.as_ref().and_then(|parsed| parsed.value.as_array());
    match list {
        Some(list) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        None => vec![value.to_owned()],
    }
}

impl EventSink for Prompt {
    fn event(&mut self, event: Event<'_>) {
        let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        match event {
            Event::Start { kind, span } => {
                self.mode = match kind {
                    Kind::Text => Mode::Text,
                    Kind::Reasoning => Mode::Reasoning,
                    Kind::Call(_) => Mode::Other,
                };
                self.from = at(span.end);
                self.given.clear();
            }
            Event::Delta(text) => self.given.push_str(&text),
            Event::End { outcome, span, .. } => {
                self.mode = Mode::Other;
                self.giving_back = !outcome.is_runnable() && span.is_empty();
            }
            Event::Markup { span } => {
                self.from = self.from.max(at(span.end));
                // Before the first segment: what follows a wrapper may be its own.
                self.mode = Mode::Other;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::PassThrough;

    #[test]
    fn white_space_and_beginnings_of_markers_may_be_withheld() {
        let more = ["[CALL]".into(), "\nUser:".into()];
        let prompt = Prompt::new(&PassThrough, &Request::default(), &more);
        for withheld in ["", " \n", "[", "[CAL", " [CALL", "[CALL] {", "\nUs", "Us", "<thi"] {
            assert!(prompt.may_be_withheld(withheld), "{withheld:?}");
        }
        for withheld in ["x", "[x", "a [", "User "] {
            assert!(!prompt.may_be_withheld(withheld), "{withheld:?}");
        }
    }
}
