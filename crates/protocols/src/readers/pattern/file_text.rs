//! Values that are the text of a file: their closing tag may stand in them too. It counts where the call
//! goes on after it, which a bounded lookahead tells.

use super::{MAX_LOOKAHEAD, PatternReader, State};
use crate::engine::{Ctx, Result, Step, is_whitespace};
use crate::readers::{Stepped, next_char, refeed};

impl PatternReader {
    pub(super) fn is_file_text(&self) -> bool {
        self.spec.enclosed && self.spec.file_text.contains(&self.text.params.key)
    }

    /// After what may be the closing tag of a file's text: it is, if the call goes on or ends there.
    pub(super) fn beyond(
        &mut self,
        delimiter: usize,
        input: &mut &str,
        ctx: &mut Ctx<'_>,
    ) -> Stepped {
        while let Some(c) = next_char(input) {
            self.text.hold(c);
            match self.goes_on(delimiter) {
                None if self.text.held.len() <= MAX_LOOKAHEAD => {}
                Some(true) => return self.end_file_text(delimiter, ctx).map(refeed),
                _ => return Ok(Some(self.refuse(ctx))),
            }
        }
        Ok(Some(Step::More))
    }

    /// Whether a parameter or the end of the call follows; none: not known yet.
    pub(super) fn goes_on(&self, delimiter: usize) -> Option<bool> {
        let rest =
            self.text.held.get(delimiter..).unwrap_or_default().trim_start_matches(is_whitespace);
        if self.end_marker.starts_with(rest) {
            return (rest == self.end_marker).then_some(true);
        }
        let tag = rest.strip_prefix('<').unwrap_or("<");
        let params = &self.text.params;
        match tag.strip_suffix('>') {
            Some(key) => Some(key != params.key && params.may_name(key)),
            None if tag.contains(['<', '/']) || tag.contains(is_whitespace) => Some(false),
            None => None,
        }
    }

    /// Ends the value; what follows its closing tag is read again.
    pub(super) fn end_file_text(&mut self, delimiter: usize, ctx: &mut Ctx<'_>) -> Result<String> {
        self.state = State::Gap;
        let again = self.text.held.split_off(delimiter);
        if let Err(fault) = self.text.end_value(ctx) {
            self.text.held.push_str(&again);
            return Err(fault);
        }
        self.text.take_source(ctx);
        Ok(again)
    }
}
