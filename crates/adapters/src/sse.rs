//! Server-sent events read from bytes, cut anywhere.
//!
//! ```text
//! stream = [BOM] *event
//! event  = *(comment / field) end-of-line
//! comment = ":" *any end-of-line
//! field  = name [":" [SP] *any] end-of-line
//! end-of-line = CRLF / LF / CR
//! ```
//!
//! # Invariants
//! - Any cutting of the bytes gives the same frames (C3). Lines are joined as bytes and decoded whole,
//!   so a character cut in two is no damage; bytes that are no UTF-8 become U+FFFD.
//! - What is kept is one frame; [`SseReader::with_limit`] bounds it.
//! - A frame whose final blank line is missing is handed out at the end and says so: whether it is whole
//!   only its reader can tell.

use std::borrow::Cow;

use memchr::memchr2;
use thiserror::Error;

/// Bytes of one frame by default: 32 MiB.
const LIMIT: usize = 32 << 20;

/// One event of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SseFrame<'a> {
    /// The name in its `event:` line; empty where there is none.
    pub event: &'a str,
    /// Its `data:` lines, joined by line feeds.
    pub data: &'a str,
    /// Whether the stream ended before the blank line after the frame.
    pub unterminated: bool,
}

/// A frame is longer than the limit. Nothing further is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a server-sent event is longer than {limit} bytes")]
pub struct FrameTooLong {
    /// The limit in bytes.
    pub limit: usize,
}

/// Reads server-sent events.
///
/// ```
/// use toolweir_adapters::SseReader;
///
/// let (mut reader, mut seen) = (SseReader::new(), Vec::new());
/// for chunk in ["data: {\"a\":", "1}\r", "\n\r\n: comment\ndata: x\n"] {
///     reader.push(chunk.as_bytes(), &mut |frame| seen.push(frame.data.to_owned())).unwrap();
/// }
/// assert_eq!(seen, ["{\"a\":1}"]);
/// reader.finish(&mut |frame| seen.push(format!("{} {}", frame.data, frame.unterminated)));
/// assert_eq!(seen[1], "x true");
/// ```
#[derive(Clone, Debug)]
pub struct SseReader {
    limit: usize,
    /// The line that has begun.
    line: Vec<u8>,
    /// The `data:` lines of the frame that has begun.
    data: Vec<u8>,
    event: Vec<u8>,
    /// A field of the frame has come.
    begun: bool,
    /// The last byte was CR: an LF next belongs to it.
    after_cr: bool,
    first_line: bool,
    /// The beginning of what stands in lines that are neither fields nor comments.
    stray: Vec<u8>,
    failed: Option<FrameTooLong>,
}

/// So much of it is kept.
const STRAY: usize = 2000;

impl Default for SseReader {
    fn default() -> Self {
        Self::new()
    }
}

impl SseReader {
    /// With frames of up to 32 MiB.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limit(LIMIT)
    }

    /// With frames of up to so many bytes.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            data: Vec::new(),
            event: Vec::new(),
            begun: false,
            after_cr: false,
            first_line: true,
            stray: Vec::new(),
            failed: None,
        }
    }

    /// Takes the next bytes; hands each frame that is whole to `out`.
    ///
    /// # Errors
    /// [`FrameTooLong`], and then each time.
    pub fn push(
        &mut self,
        bytes: &[u8],
        out: &mut dyn FnMut(SseFrame<'_>),
    ) -> Result<(), FrameTooLong> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            if std::mem::take(&mut self.after_cr) && *first == b'\n' {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            let Some(end) = memchr2(b'\n', b'\r', rest) else {
                self.line.extend_from_slice(rest);
                break;
            };
            let (line, after) = rest.split_at(end);
            self.after_cr = after.first() == Some(&b'\r');
            rest = after.get(1..).unwrap_or_default();
            if self.line.is_empty() {
                self.take_line(line, out);
            } else {
                let mut whole = std::mem::take(&mut self.line);
                whole.extend_from_slice(line);
                self.take_line(&whole, out);
                whole.clear();
                self.line = whole;
            }
            self.bound()?;
        }
        self.bound()
    }

    /// The stream is over. A frame without its blank line is handed out, the last line of it, cut or not,
    /// among them.
    pub fn finish(&mut self, out: &mut dyn FnMut(SseFrame<'_>)) {
        if self.failed.is_some() {
            return;
        }
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.take_line(&line, out);
        }
        self.dispatch(true, out);
    }

    /// The beginning of what came in lines that are neither fields nor comments: text that is no stream.
    pub(crate) fn stray(&self) -> &[u8] {
        &self.stray
    }

    fn bound(&mut self) -> Result<(), FrameTooLong> {
        if self.line.len().saturating_add(self.data.len()) <= self.limit {
            return Ok(());
        }
        let failed = FrameTooLong { limit: self.limit };
        (self.line, self.data) = (Vec::new(), Vec::new());
        self.failed = Some(failed);
        Err(failed)
    }

    fn take_line(&mut self, line: &[u8], out: &mut dyn FnMut(SseFrame<'_>)) {
        let line = match std::mem::replace(&mut self.first_line, false) {
            true => line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line),
            false => line,
        };
        if line.is_empty() {
            return self.dispatch(false, out);
        }
        let colon = line.iter().take(8).position(|byte| *byte == b':');
        let (name, value) = match colon {
            Some(at) => (line.get(..at), line.get(at + 1..)),
            None => (Some(line), None),
        };
        let (name, value) = (name.unwrap_or_default(), value.unwrap_or_default());
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if self.begun {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
                self.begun = true;
            }
            b"event" => {
                self.event.clear();
                self.event.extend_from_slice(value);
            }
            b"" | b"id" | b"retry" => {}
            _ => {
                let room = STRAY.saturating_sub(self.stray.len());
                self.stray.extend(line.iter().chain(b"\n").take(room));
            }
        }
    }

    fn dispatch(&mut self, unterminated: bool, out: &mut dyn FnMut(SseFrame<'_>)) {
        if std::mem::take(&mut self.begun) {
            let (event, data) = (text(&self.event), text(&self.data));
            out(SseFrame { event: &event, data: &data, unterminated });
        }
        self.event.clear();
        self.data.clear();
    }
}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

#[cfg(test)]
mod tests {
    use super::{SseFrame, SseReader};

    #[test]
    fn what_is_kept_of_text_that_is_no_stream_is_bounded() {
        let mut reader = SseReader::new();
        for _ in 0..super::STRAY {
            reader.push(b"no field\n\n", &mut |_| ()).unwrap();
        }
        assert_eq!(reader.stray().len(), super::STRAY);
        assert!(reader.stray().starts_with(b"no field\nno field\n"));
    }

    fn read(chunks: &[&[u8]]) -> Vec<String> {
        let (mut reader, mut seen) = (SseReader::new(), Vec::new());
        let mut out = |frame: SseFrame<'_>| {
            seen.push(format!("{}|{}|{}", frame.event, frame.data, frame.unterminated));
        };
        for chunk in chunks {
            reader.push(chunk, &mut out).unwrap();
        }
        reader.finish(&mut out);
        seen
    }

    #[test]
    fn frames_have_names_and_joined_lines() {
        let text = b"event: a\ndata: 1\ndata:2\nid: 7\n\n:comment\n\ndata\n\ndata: x\n\n";
        assert_eq!(read(&[text]), ["a|1\n2|false", "||false", "|x|false"]);
    }

    #[test]
    fn every_line_end_counts() {
        for end in ["\n", "\r\n", "\r"] {
            let text = "event: e\ndata: {\"ž\":1}\n\ndata: [DONE]\n\n".replace('\n', end);
            let expected = ["e|{\"ž\":1}|false", "|[DONE]|false"];
            assert_eq!(read(&[text.as_bytes()]), expected, "{end:?}");
            for at in 0..=text.len() {
                let (left, right) = text.as_bytes().split_at(at);
                assert_eq!(read(&[left, right]), expected, "{end:?} at {at}");
            }
            let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(read(&bytes), expected, "{end:?} bytewise");
        }
    }

    #[test]
    fn the_last_blank_line_may_be_missing() {
        assert_eq!(read(&[b"data: 1\n"]), ["|1|true"]);
        assert_eq!(read(&[b"data: {\"a"]), ["|{\"a|true"]);
        assert_eq!(read(&[b"data: 1\n\nevent: x\n"]), ["|1|false"]);
    }

    #[test]
    fn a_byte_order_mark_and_broken_utf8_are_no_damage_to_lines() {
        assert_eq!(read(&[b"\xef\xbb", b"\xbfdata: 1\n\n"]), ["|1|false"]);
        assert_eq!(read(&[b"data: \xff!\n\n"]), ["|\u{fffd}!|false"]);
    }

    #[test]
    fn a_frame_without_end_is_refused() {
        let mut reader = SseReader::with_limit(16);
        let mut none = |_: SseFrame<'_>| panic!("no frame");
        assert!(reader.push(b"data: 0123456", &mut none).is_ok());
        let error = reader.push(b"0123456789", &mut none).unwrap_err();
        assert_eq!(error.to_string(), "a server-sent event is longer than 16 bytes");
        assert!(reader.push(b"\n\n", &mut none).is_err());
        reader.finish(&mut none);
    }
}
