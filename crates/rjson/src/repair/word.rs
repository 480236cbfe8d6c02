//! The word that stands where a value without quotes is due: up to a blank, a mark, or a comment.

use super::marks::{Quotes, is_blank, is_closer, is_comma};
use super::wake::Wake;
use super::{Halt, Repair};

/// How far a word has been read.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordScan {
    /// The offset of its first byte.
    pub(super) place: u64,
    /// The next byte, from there.
    pub(super) at: usize,
    /// An angle bracket in it that none closes.
    pub(super) angle: Option<usize>,
    /// More of it may come.
    pub(super) open: bool,
}

impl Repair {
    /// The length of the word at the front, all of which must be there; none if it is longer than
    /// may be held.
    pub(super) fn word_length(&mut self) -> Result<Option<usize>, Halt> {
        let place = self.offset();
        let fresh = WordScan { place, at: 0, angle: None, open: true };
        let mut scan = self.word_scan.filter(|scan| scan.place == place).unwrap_or(fresh);
        let ended = self.word_end(&mut scan);
        scan.open = ended.is_err();
        // What has been read is not read again for what follows it.
        self.word_scan = Some(scan);
        ended
    }

    fn word_end(&self, scan: &mut WordScan) -> Result<Option<usize>, Halt> {
        let rest = self.rest();
        let mut chars = rest.get(scan.at..).unwrap_or_default().chars();
        while let Some(c) = chars.next() {
            let at = scan.at;
            self.meter.count(c.len_utf8());
            if at > self.options.max_held_bytes {
                return Ok(None);
            }
            let comment = match (c, chars.as_str().bytes().next()) {
                ('#', _) => true,
                ('/', Some(next)) => matches!(next, b'/' | b'*'),
                ('/', None) if !self.ended => return Err(Halt::until(Wake::Fresh)),
                ('\\', _) if self.escaped => self.look(at).escaped_blank()?,
                _ => false,
            };
            let mark = is_comma(c) || is_closer(c) || matches!(c, '{' | '[' | '(' | '"' | '\'');
            if comment || mark || is_blank(c) || Quotes::open(c).is_some() {
                return Ok(Some(at));
            }
            match c {
                '<' => scan.angle = Some(at),
                '>' => scan.angle = None,
                _ => {}
            }
            scan.at += c.len_utf8();
        }
        if !self.ended {
            return Err(Halt::until(Wake::Fresh));
        }
        Ok(Some(rest.len()).filter(|&length| length <= self.options.max_held_bytes))
    }
}
