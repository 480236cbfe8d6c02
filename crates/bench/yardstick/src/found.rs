//! What a reader makes of a stream, and whether that is right.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::works::{Format, Work};

/// A library that reads streamed tool calls.
pub trait Peer {
    /// Its name and version.
    fn name(&self) -> String;

    /// The ways to take its results that are timed; the first is the one all have, `joined`: text,
    /// reasoning and the arguments of each call as one string each.
    fn sinks(&self) -> &'static [&'static str] {
        &["joined"]
    }

    /// A lane for this work in these chunks.
    ///
    /// # Errors
    /// Why there is none: no such format, no such work.
    fn lane(
        &self,
        sink: &str,
        format: Format,
        work: &Work,
        chunks: Vec<&'static str>,
    ) -> Result<Box<dyn Lane>, String>;
}

/// One work, ready to be read again and again.
pub trait Lane {
    /// Makes what so many passes use up: inputs of the library's own type. Not timed.
    fn prepare(&mut self, times: usize) {
        let _ = times;
    }

    /// Makes a reader, gives it every chunk and its end, and keeps what came. Timed.
    ///
    /// # Errors
    /// What the library says is wrong.
    fn pass(&mut self) -> Result<(), String>;

    /// What the last pass kept. Not timed.
    fn take(&mut self) -> Found;
}

/// What came of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// All of it.
    Read(Read),
    /// No more than how long it was.
    Lengths(Lengths),
}

/// Text, reasoning and calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// Visible text, joined.
    pub text: String,
    /// Reasoning, joined.
    pub reasoning: String,
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// In how many pieces all of it came, names apart: few of them, and it was held back.
    pub pieces: usize,
}

/// A call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The tool.
    pub name: String,
    /// The arguments, joined: one JSON document.
    pub arguments: String,
}

/// Sums over a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// Bytes of text.
    pub text: usize,
    /// Bytes of reasoning.
    pub reasoning: usize,
    /// Bytes of arguments.
    pub arguments: usize,
    /// Calls.
    pub calls: usize,
}

impl Read {
    /// A call of this index, made where it is the next one.
    pub fn call(&mut self, index: usize) -> &mut Call {
        if self.calls.len() <= index {
            self.calls.resize_with(index + 1, Call::default);
        }
        &mut self.calls[index]
    }

    /// More text.
    pub fn text(&mut self, piece: &str) {
        self.pieces += usize::from(!piece.is_empty());
        self.text.push_str(piece);
    }

    /// More reasoning.
    pub fn reasoning(&mut self, piece: &str) {
        self.pieces += usize::from(!piece.is_empty());
        self.reasoning.push_str(piece);
    }

    /// More of the arguments of a call.
    pub fn arguments(&mut self, index: usize, piece: &str) {
        if !piece.is_empty() {
            self.pieces += 1;
            self.call(index).arguments.push_str(piece);
        }
    }

    /// Its sums.
    #[must_use]
    pub fn lengths(&self) -> Lengths {
        Lengths {
            text: self.text.len(),
            reasoning: self.reasoning.len(),
            arguments: self.calls.iter().map(|call| call.arguments.len()).sum(),
            calls: self.calls.len(),
        }
    }
}

/// Why a result is not what the work says, if it is not.
///
/// Names and arguments are compared as names and JSON values. White space at the ends of text is
/// nobody's fault where calls stand in it: formats leave it open to whom it belongs.
#[must_use]
pub fn wrong(work: &Work, found: &Found) -> Option<String> {
    match found {
        Found::Read(read) => wrong_read(work, read),
        Found::Lengths(lengths) => {
            // Lengths are those of a reading that was compared in full under another sink.
            let calls = work.calls.len();
            let text = work.text.trim().len();
            let right = lengths.calls == calls && lengths.text >= text;
            let more = calls + 2;
            (!right || lengths.text > work.text.len() + more)
                .then(|| format!("{lengths:?}, not {calls} calls and {text} bytes of text"))
        }
    }
}

fn wrong_read(work: &Work, read: &Read) -> Option<String> {
    let same_text = |found: &str, wanted: &str| {
        found == wanted || (!work.strict && found.trim() == wanted.trim())
    };
    if read.calls.len() != work.calls.len() {
        return Some(format!("{} calls of {}", read.calls.len(), work.calls.len()));
    }
    for (at, (found, wanted)) in read.calls.iter().zip(&work.calls).enumerate() {
        if found.name != wanted.name {
            return Some(format!("call {at} has another name"));
        }
        if value(&found.arguments) != value(&wanted.arguments) {
            return Some(format!("call {at} has other arguments"));
        }
    }
    let (text, reasoning) = (work.text.len(), work.reasoning.len());
    if !same_text(&read.text, &work.text) {
        return Some(format!("{} bytes of text, not these {text}", read.text.len()));
    }
    (read.reasoning.trim() != work.reasoning.trim())
        .then(|| format!("{} bytes of reasoning, not these {reasoning}", read.reasoning.len()))
}

/// The value of a document, its members in any order; `Err` with the text where it is no JSON.
fn value(json: &str) -> Result<BTreeMap<String, Value>, String> {
    serde_json::from_str(json).map_err(|_| json.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work() -> Work {
        Work::find(Format::Hermes, "one call").unwrap()
    }

    fn right() -> Read {
        let work = work();
        Read { text: work.text, calls: work.calls, reasoning: String::new(), pieces: 1 }
    }

    #[test]
    fn the_wanted_result_is_right_whatever_its_white_space() {
        let mut read = right();
        assert_eq!(wrong(&work(), &Found::Read(read.clone())), None);
        assert_eq!(wrong(&work(), &Found::Lengths(read.lengths())), None);
        read.text.push('\n');
        read.calls[0].arguments = read.calls[0].arguments.replace(':', " : ");
        assert_eq!(wrong(&work(), &Found::Read(read)), None);
    }

    #[test]
    fn what_is_missing_or_more_is_wrong() {
        let mut cut = right();
        cut.calls[0].arguments.pop();
        assert!(wrong(&work(), &Found::Read(cut)).unwrap().contains("arguments"));
        let mut named = right();
        named.calls[0].name.push('x');
        assert!(wrong(&work(), &Found::Read(named)).unwrap().contains("name"));
        let leaked = Read { text: right().text + "<tool_call>", ..right() };
        assert!(wrong(&work(), &Found::Read(leaked)).unwrap().contains("text"));
        let none = Read { calls: Vec::new(), ..right() };
        assert_eq!(wrong(&work(), &Found::Read(none.clone())).unwrap(), "0 calls of 1");
        assert!(wrong(&work(), &Found::Lengths(none.lengths())).is_some());
    }
}
