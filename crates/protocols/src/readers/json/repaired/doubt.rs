//! Where a damaged string ends can be doubtful: whether one string or two calls stand there.

use toolweir_rjson::{Kind, Token};

use super::super::Reading;
use crate::diagnostics::{LIMIT_DEPTH, UNREADABLE_CALL};
use crate::engine::Fault;

/// What makes the extent of a string doubtful, if both are there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Doubt {
    /// A marker was read as data, in the open string or in what waits.
    pub(super) marker: bool,
    /// A quote was read as data, in the open string.
    pub(super) inner_quote: bool,
}

impl Doubt {
    /// Follows the strings; whether one cannot be told from two.
    fn grows(&mut self, token: &Token<'_>) -> bool {
        match token.kind {
            Kind::StringEnd => *self = Self::default(),
            Kind::Note(note) if note.code == "rjson::inner-quote" => self.inner_quote = true,
            _ => {}
        }
        self.marker && self.inner_quote
    }

    /// Takes a token, unless it makes the extent of a string doubtful.
    pub(super) fn token(
        &mut self,
        token: &Token<'_>,
        source: &str,
        max_depth: usize,
        reading: &mut Reading<'_, '_>,
    ) -> Result<(), Fault> {
        reading.call.consume(token, source, reading.ctx);
        if self.grows(token) {
            let message = "a string holds a marker and an unescaped quote";
            return Err(Fault::new(UNREADABLE_CALL, message));
        }
        if reading.call.depth() >= max_depth
            && matches!(token.kind, Kind::ObjectStart | Kind::ArrayStart)
        {
            let message = "the payload nests deeper than the limit";
            return Err(Fault::new(LIMIT_DEPTH, message));
        }
        reading.call.token(token, source, &reading.spec.keys, reading.ctx)
    }
}

pub(super) fn is_note_of_cut(token: &Token<'_>) -> bool {
    let Kind::Note(note) = token.kind else { return false };
    matches!(
        note.code,
        "rjson::missing-quote"
            | "rjson::missing-closer"
            | "rjson::missing-value"
            | "rjson::dropped-key"
            | "rjson::trailing-comma"
    )
}
