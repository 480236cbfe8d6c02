//! What speaks against the reading of a damaged payload: strings that hold both a quote and an opener, or a
//! quoted member of call objects, which may be two calls.

use toolweir_rjson::{Kind, Token};

use super::super::Reading;
use super::super::call::Into;
use crate::diagnostics::LIMIT_DEPTH;
use crate::engine::{Fault, FloorBoundary, Result};
use crate::program::Member;

/// Bytes of the longest member of call objects.
const MAX_WORD: usize = 64;

/// What the open string holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Doubt {
    /// Openers that were read as data, in the open string or in what waits.
    pub(super) openers: usize,
    /// A quote was read as data, in the open string.
    inner_quote: bool,
    /// What has come since that quote, as the arguments spell it.
    word: String,
    /// Two such quotes are around a member of call objects.
    begins_call: bool,
    /// Openers in strings that hold quotes too: as many end markers may belong to the block.
    pub(super) unclosed: usize,
}

impl Doubt {
    /// For the next payload.
    pub(super) fn begin(&mut self) {
        self.unclosed = 0;
        self.begin_string();
    }

    fn begin_string(&mut self) {
        (self.openers, self.inner_quote, self.begins_call) = (0, false, false);
        self.word.clear();
    }

    /// Whether text of the open string decides nothing here.
    pub(super) fn is_free(&self) -> bool {
        !self.inner_quote || self.word.len() > MAX_WORD
    }

    /// Text of the open string.
    #[inline]
    pub(super) fn text(&mut self, wire: &str) {
        if !self.is_free() {
            self.word.push_str(wire.split_up_to(MAX_WORD + 1).0);
        }
    }

    /// Follows the strings.
    fn follow(&mut self, token: &Token<'_>, reading: &mut Reading<'_, '_>) {
        match token.kind {
            Kind::StringEnd
                if self.inner_quote
                    && (self.openers > 0 || self.begins_call && !token.span.is_empty()) =>
            {
                let message = match self.openers {
                    0 => {
                        "a string holds a member of calls in unescaped quotes: it may be two calls"
                    }
                    _ => "a string holds an opener and an unescaped quote: it may be two calls",
                };
                self.unclosed += self.openers;
                self.begin_string();
                if reading.ctx.refuses_guesses() {
                    reading.call.hold_guess(message, reading.ctx);
                }
            }
            Kind::StringEnd => self.begin_string(),
            Kind::StringDelta => self.text(token.wire),
            Kind::Diagnostic(code) if code == "rjson::inner-quote" => {
                let word = self.word.trim_matches(['\\', '"']);
                let member = reading.spec.keys.member(word, 0);
                let begins = matches!(member, Member::Args | Member::Wrapper);
                let short = self.word.len() <= MAX_WORD;
                self.begins_call |= begins && short && reading.call.into == Into::Args;
                self.inner_quote = true;
                self.word.clear();
            }
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
            reading.call.depth += 1;
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
