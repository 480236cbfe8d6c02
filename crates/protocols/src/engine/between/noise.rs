//! Text of a wrapper in which text is noise: it is left out and reported.

use toolweir_segments::{EventSink, Span};

use super::Between;
use crate::diagnostics::{BAD_NAME, STRAY_TEXT};
use crate::engine::{Engine, State};

const NO_HEADER: &str = "a call in a wrapper has no readable header; it was left out";

/// Whether text stands between the calls of a wrapper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Noise {
    #[default]
    None,
    Text,
    /// A call without a readable header: the end marker of a call stands in the text or after it.
    Call,
    /// The same, which has been reported.
    Reported,
}

impl Engine {
    /// Accounts for bytes of a wrapper outside its calls, and reports text among them.
    pub(crate) fn leave_out(&mut self, bytes: usize, noise: Noise, sink: &mut dyn EventSink) {
        let span = Span::new(self.out.at, self.out.at + bytes as u64);
        self.out.markup(bytes, sink);
        match noise {
            Noise::Call => self.out.diagnostic(BAD_NAME, span, NO_HEADER, sink),
            Noise::Text => {
                let message = "text stands between the calls of a wrapper; it was left out";
                self.out.diagnostic(STRAY_TEXT, span, message, sink);
            }
            Noise::None | Noise::Reported => {}
        }
    }

    /// A wrapper goes on with something that is neither call nor marker.
    /// `marked`: what is held begins with an opener.
    pub(crate) fn leave_section(
        &mut self,
        mut held: String,
        marked: bool,
        sink: &mut dyn EventSink,
    ) {
        if marked && self.program.calls.noise {
            let first = held.chars().next();
            // What ended the header was no part of it.
            let (opener, last) = held.char_indices().next_back().unwrap_or_default();
            let mut openers = self.program.calls.openers.iter();
            let mut noise = Noise::None;
            if !openers.any(|place| held.get(..opener) == Some(&place.text)) {
                let span = Span::new(self.out.at, self.out.at + held.len() as u64);
                self.out.diagnostic(BAD_NAME, span, NO_HEADER, sink);
                noise = Noise::Reported;
                self.unnamed = true;
            } else if opener > 0 && first == Some(last) {
                // Repeated on the spot it was no call, and is no text.
                self.read_again_from(&mut held, opener);
                self.out.markup(opener, sink);
                self.state = State::Between(self.between());
                return;
            }
            // The opener is noise; what follows it is read again.
            self.read_again_from(&mut held, first.map_or(0, char::len_utf8));
            self.state = State::Between(Between { noise, ..self.between_with(held) });
            return;
        }
        let between = Between { list_end: Some(0), ..self.between_with(held) };
        self.leave_block(between, sink);
    }
}
