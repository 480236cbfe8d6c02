//! What speaks against the reading of a damaged payload: strings that hold both a quote and an opener,
//! which may be two calls.

use toolweir_rjson::{Kind, Token};

use super::super::Reading;
use crate::diagnostics::LIMIT_DEPTH;
use crate::engine::{Fault, Result};

/// What the open string holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Doubt {
    /// Openers that were read as data, in the open string or in what waits.
    pub(super) openers: usize,
    /// A quote was read as data, in the open string.
    inner_quote: bool,
    /// Openers in strings that hold quotes too: as many end markers may belong to the block.
    pub(super) unclosed: usize,
}

impl Doubt {
    /// Follows the strings.
    fn follow(&mut self, token: &Token<'_>, reading: &mut Reading<'_, '_>) {
        match token.kind {
            Kind::StringEnd if self.inner_quote && self.openers > 0 => {
                self.unclosed += self.openers;
                (self.openers, self.inner_quote) = (0, false);
                if reading.ctx.refuses_guesses() {
                    let message =
                        "a string holds an opener and an unescaped quote: it may be two calls";
                    reading.call.hold_guess(message, reading.ctx);
                }
            }
            Kind::StringEnd => (self.openers, self.inner_quote) = (0, false),
            Kind::Diagnostic(code) if code == "rjson::inner-quote" => self.inner_quote = true,
            _ => {}
        }
    }

    /// Takes a token.
    pub(super) fn token(
        &mut self,
        token: &Token<'_>,
        source: &str,
        max_depth: usize,
        reading: &mut Reading<'_, '_>,
    ) -> Result {
        reading.call.consume(token, source, reading.ctx);
        self.follow(token, reading);
        if reading.call.depth >= max_depth
            && matches!(token.kind, Kind::ObjectStart | Kind::ArrayStart)
        {
            let message = "the payload nests deeper than the limit";
            return Err(Fault::new(LIMIT_DEPTH, message));
        }
        reading.call.token(token, source, &reading.spec.keys, reading.ctx)
    }
}

/// Whether a number or literal stands at the very end of the payload, which the call is not whole
/// without: it may have been longer.
pub(super) fn may_go_on(token: &Token<'_>, end: u64) -> bool {
    let scalar = matches!(token.kind, Kind::Number | Kind::True | Kind::False | Kind::Null);
    scalar && token.span.end >= end
}

/// Whether a note tells of the cut at the end of the payload alone.
pub(super) fn is_note_of_cut(token: &Token<'_>, end: u64) -> bool {
    let Kind::Diagnostic(code) = token.kind else { return false };
    match code.as_str() {
        "rjson::missing-quote"
        | "rjson::missing-closer"
        | "rjson::dropped-key"
        | "rjson::trailing-comma" => true,
        "rjson::invalid-escape" | "rjson::missing-value" => token.span.end >= end,
        _ => false,
    }
}
