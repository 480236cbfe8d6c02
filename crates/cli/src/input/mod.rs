//! Reading: a file or standard input, as text cut into chunks or as one JSON string a line; and what
//! an input is ([`guess()`]).
//!
//! Invariants: nothing is read ahead of what has been handed on, except where the chosen cutting
//! asks for it; ill-formed UTF-8 becomes U+FFFD, once for each maximal part, and is reported with
//! its offset in the input's own bytes.

mod cut;
mod guess;
mod utf8;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use toolweir::rjson::{Mode, Value, parse};

pub(crate) use cut::{Cut, Splitter};
pub(crate) use guess::{Kind, guess};
pub(crate) use utf8::{Offsets, Replaced, Utf8};

use crate::failure::Failure;

/// Takes what was read.
pub(crate) trait Feed {
    /// The next chunk of text.
    fn chunk(&mut self, text: &str) -> Result<(), Failure>;

    /// Bytes that were no UTF-8; comes before the chunk that holds their replacement.
    fn replaced(&mut self, part: Replaced) -> Result<(), Failure>;
}

/// Bytes a read asks for.
pub(crate) const PIECE: usize = 64 * 1024;

/// Whether standard input has been opened: it can be read once.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Opens a file; no path or `-` is standard input.
pub(crate) fn open(path: Option<&Path>) -> Result<Box<dyn Read>, Failure> {
    match path {
        Some(path) if path != Path::new("-") => {
            let fail = |error| unreadable(&name(Some(path)), &error);
            let file = File::open(path).map_err(fail)?;
            // A folder opens like a file on some systems and fails at the first read.
            if file.metadata().is_ok_and(|m| m.is_dir()) {
                return Err(Failure::usage(
                    format_args!("{} is a folder", name(Some(path))),
                    "name a file, or `-` for standard input",
                ));
            }
            Ok(Box::new(file))
        }
        _ if TAKEN.swap(true, Ordering::Relaxed) => {
            Err(Failure::usage("standard input is named twice", "name a file in one place"))
        }
        _ => Ok(Box::new(io::stdin())),
    }
}

/// A text without the byte order mark that some editors write in front of it.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// What to call the input in messages.
pub(crate) fn name(path: Option<&Path>) -> String {
    match path {
        Some(path) if path != Path::new("-") => format!("`{}`", path.display()),
        _ => String::from("standard input"),
    }
}

/// The failure of an input that cannot be read.
pub(crate) fn unreadable(name: &str, error: &io::Error) -> Failure {
    Failure::usage(
        format_args!("cannot read {name}: {error}"),
        "check the path and its permissions",
    )
}

/// Reads text to its end, cut as asked.
pub(crate) fn read_text(
    reader: &mut dyn Read,
    name: &str,
    cut: Cut,
    feed: &mut dyn Feed,
) -> Result<(), Failure> {
    let mut splitter = Splitter::new(cut);
    let mut utf8 = Utf8::new();
    let mut buffer = vec![0; PIECE];
    let (mut text, mut replaced) = (String::new(), Vec::new());
    loop {
        let count = read_some(reader, &mut buffer).map_err(|error| unreadable(name, &error))?;
        match buffer.get(..count) {
            Some(bytes) if count > 0 => utf8.push(bytes, &mut text, &mut replaced),
            _ => utf8.finish(&mut text, &mut replaced),
        }
        for part in replaced.drain(..) {
            feed.replaced(part)?;
        }
        splitter.push(&text, &mut |chunk| feed.chunk(chunk))?;
        text.clear();
        if count == 0 {
            return splitter.finish(&mut |chunk| feed.chunk(chunk));
        }
    }
}

/// Reads one JSON string a line; blank lines count for nothing.
pub(crate) fn read_chunks(
    reader: &mut dyn Read,
    name: &str,
    cut: Cut,
    feed: &mut dyn Feed,
) -> Result<(), Failure> {
    let mut splitter = Splitter::new(cut);
    let mut lines = BufReader::with_capacity(PIECE, reader);
    let mut utf8 = Utf8::new();
    let (mut bytes, mut line, mut replaced) = (Vec::new(), String::new(), Vec::new());
    for number in 1_u64.. {
        bytes.clear();
        line.clear();
        let count =
            lines.read_until(b'\n', &mut bytes).map_err(|error| unreadable(name, &error))?;
        if count == 0 {
            break;
        }
        utf8.push(&bytes, &mut line, &mut replaced);
        utf8.finish(&mut line, &mut replaced);
        for part in replaced.drain(..) {
            feed.replaced(part)?;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let text = chunk_of(&line).map_err(|what| {
            Failure::usage(
                format_args!("{name}, line {number}: {what}"),
                "with `--input chunks` each line is one JSON string",
            )
        })?;
        splitter.push(&text, &mut |chunk| feed.chunk(chunk))?;
    }
    splitter.finish(&mut |chunk| feed.chunk(chunk))
}

fn chunk_of(line: &str) -> Result<String, String> {
    match parse(line, Mode::Strict) {
        Ok(parsed) => match parsed.value {
            Value::String(text) => Ok(text),
            _ => Err(String::from("not a JSON string")),
        },
        Err(error) => {
            Err(format!("not a JSON string: {} (column {})", error.kind, error.line_column(line).1))
        }
    }
}

/// One read, tried again when a signal interrupts it. 0 is the end.
pub(crate) fn read_some(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
