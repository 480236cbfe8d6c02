//! Keys without quotes.

use super::key::Notes;
use super::marks::is_key_char;
use super::wake::Wake;
use super::{Halt, Repair, State, Step};
use crate::chars::{is_id_part, is_id_start};
use crate::diagnostic::Code;
use crate::error::ErrorKind;

impl Repair {
    pub(super) fn bare_key(&mut self, first: char) -> Step {
        let place = self.offset();
        let known = self.word_key.filter(|&(at, _)| at == place).map_or(0, |(_, known)| known);
        let rest = self.rest();
        let fresh = rest.get(known..).unwrap_or_default();
        let (read, half) = key_length(fresh, self.ended);
        self.meter.run(read, fresh);
        let length = known + read;
        // What has been read is not read again for what follows it.
        self.word_key = Some((place, length));
        if half {
            return Err(Halt::until(Wake::Fresh));
        }
        let rest = self.rest();
        if length == 0 {
            return self.skip_word(first);
        }
        if length > self.options.max_held_bytes {
            return Err(Halt::Error(ErrorKind::TooLarge));
        }
        if length == rest.len() {
            return if self.ended { self.cut_key() } else { Err(Halt::until(Wake::Fresh)) };
        }
        let mut end = length;
        if let Some(c @ ('"' | '\'')) = rest.get(length..).and_then(|rest| rest.chars().next()) {
            let mut look = self.look(length + 1);
            look.skip_blanks()?;
            if look.colon()? {
                end += c.len_utf8();
            }
        }
        self.with_front(length, |this, source| this.bare_key_read(source, end))
    }

    /// A whole key without quotes, and where it ends.
    fn bare_key_read(&mut self, source: &str, end: usize) -> Step {
        let at = self.offset();
        let decoded = source.contains('\\').then(|| self.decode(source, at, &mut Notes::new()));
        let key = decoded.as_deref().unwrap_or(source);
        let identifier = key.starts_with(is_id_start) && key.chars().all(is_id_part);
        let span = (at, at + end as u64);
        self.deviated = true;
        self.lead_written(key, span)?;
        self.pos += end;
        self.with_bare_key(self.stack.len().saturating_sub(1));
        if !identifier || end > source.len() {
            self.mend_lead(Code::UnquotedKey, span);
        }
        self.state = State::Colon;
        Ok(())
    }

    /// Keeps in mind that keys of the container at a place have no quotes.
    pub(super) fn with_bare_key(&mut self, place: usize) {
        if let Some(frame) = self.stack.get_mut(place) {
            frame.unquoted = true;
        }
    }
}

/// The length of the key without quotes at the front; a comment ends it. And whether half of the mark
/// of a comment may follow it.
fn key_length(text: &str, ended: bool) -> (usize, bool) {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let comment = match (c, chars.peek()) {
            ('#', _) | ('/', Some((_, '/' | '*'))) => true,
            ('/', None) if !ended => return (at, true),
            _ => false,
        };
        if comment || !is_key_char(c) {
            return (at, false);
        }
    }
    (text.len(), false)
}
