//! What `DEBUG_PARSER_MW` asks for, on standard error: each chunk and event, and a summary.
//!
//! `DEBUG_PARSER_MW_STYLE` says how calls stand out in the summary on a terminal. A word that is not
//! known is off, or the default, and one warning.

use std::env;
use std::io::{self, IsTerminal, Write};

use toolweir::middleware::debug::{
    DebugLevel, DebugStyle, Summary, UnknownWord, chunk_line, event_line,
};
use toolweir::{Event, Protocol, Request};

use crate::term::complain;

const LEVEL: &str = "DEBUG_PARSER_MW";
const STYLE: &str = "DEBUG_PARSER_MW_STYLE";

/// Looks on at one stream.
pub(super) struct Debug {
    level: DebugLevel,
    style: Option<DebugStyle>,
    /// The answer as received, kept for the summary only.
    text: String,
}

impl Debug {
    pub(super) fn of_environment() -> Self {
        let level = word(LEVEL, DebugLevel::from_word);
        let style = word(STYLE, DebugStyle::from_word);
        let style = io::stderr().is_terminal().then_some(style);
        Self { level, style, text: String::new() }
    }

    pub(super) fn chunk(&mut self, text: &str) {
        if self.level > DebugLevel::Off {
            tell(&chunk_line(text));
        }
        if self.level == DebugLevel::Parse {
            self.text.push_str(text);
        }
    }

    pub(super) fn event(&self, event: &Event<'_>) {
        if self.level > DebugLevel::Off {
            tell(&event_line(event));
        }
    }

    pub(super) fn end(&mut self, protocol: &dyn Protocol, request: &Request) {
        let text = std::mem::take(&mut self.text);
        if self.level == DebugLevel::Parse
            // The decoder of this very request has just read it.
            && let Ok(summary) = Summary::new(protocol, request, text)
        {
            tell(summary.shown(self.style).trim_end_matches('\n'));
        }
    }
}

/// What a variable says; the default where it is not set or not known.
fn word<T: Default>(name: &str, read: fn(&str) -> Result<T, UnknownWord>) -> T {
    let Ok(value) = env::var(name) else { return T::default() };
    read(&value).unwrap_or_else(|error| {
        complain(&format!("warning: {name}: {error}"));
        T::default()
    })
}

fn tell(line: &str) {
    // Where standard error is closed nobody is left to tell.
    let _ = writeln!(io::stderr(), "{line}");
}
