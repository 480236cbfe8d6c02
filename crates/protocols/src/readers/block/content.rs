//! Where piped content ends: a pure scanner that gives the content out as it comes.
//!
//! | grammar | ends at |
//! | --- | --- |
//! | `Literal` | the marker itself (`[[SEG_END]]`) |
//! | `Tag` | the closing tag, in any letter case |
//! | `Argument` | `</arg>` before `</arguments>`, `</tool>` or `<arg`, whitespace between allowed |
//! | `Marked` | the end marker before whitespace and `</arg>`; or, where it does not come, `</arg>` before `</arguments>` or `</tool>`, and then the line break and indent before it go too |
//!
//! Closing tags are read in any letter case, and whitespace may stand before their `>`.
//!
//! | state | input | next |
//! | --- | --- | --- |
//! | Seek | whitespace, part of the start marker | Seek |
//! | Seek | the whole start marker | Break, grammar `Marked` |
//! | Seek | anything else | Scan: all of it is content |
//! | Break | one line break | Scan, it goes |
//! | Scan | what may begin the end | Look |
//! | Lookahead | the end, whole | done; what stands after the end marker is read again |
//! | Lookahead | closing tags between markers | Doubt: a file may hold them |
//! | Doubt | the end marker, whole | done: all of it is content |
//! | Doubt | a start marker, or the stream stops | done at those closing tags; the rest is read again |
//! | Doubt | more than may be held, or the stream is cut | Scan: all of it is content |
//! | Lookahead | anything else | Scan: its first character is content, the rest is read again |
//!
//! Laws: C10 (only a real beginning of the end is withheld), C12 (a look is bounded: at most
//! [`MAX_WHITESPACE`] whitespace characters, and only what can begin another look is read again; a doubt is as long as may
//! be held, and what it gives back holds no start marker, so that no doubt of its kind follows).

mod doubt;
mod lookahead;

use std::sync::Arc;

use toolweir_markers::{Piece, Scanner};

use self::doubt::Doubt;
use self::lookahead::{Ending, Lookahead, Stage};
use super::body::BodyStep;
use crate::engine::{MAX_WHITESPACE, is_whitespace};
use crate::meter::Meter;
use crate::program::{Ends, Grammar};

/// The state of one content.
#[derive(Debug)]
pub(super) struct Content {
    ends: Arc<Ends>,
    seek: Option<Seek>,
    scanner: Scanner,
    lookahead: Option<Lookahead>,
    /// Closing tags between markers.
    doubt: Option<Doubt>,
    /// Bytes that a doubt may hold.
    max_held: usize,
    /// A line break and the indent after it, which the end may take along.
    tail: String,
    examined: Meter,
}

/// Before the content: a start marker may come.
#[derive(Debug)]
struct Seek {
    held: String,
    /// What ends the content after it.
    marked: Arc<Ends>,
    /// After the marker: one line break goes.
    found: bool,
}

impl Content {
    pub(super) fn new(ends: &Arc<Ends>) -> Self {
        Self::marked(ends, None, 0)
    }

    /// A content that may begin with a start marker, after which it ends otherwise; what is in doubt
    /// holds at most so many bytes.
    pub(super) fn marked(ends: &Arc<Ends>, marked: Option<&Arc<Ends>>, max_held: usize) -> Self {
        let seek = |marked| Seek { held: String::new(), marked: Arc::clone(marked), found: false };
        Self {
            ends: Arc::clone(ends),
            seek: marked.map(seek),
            scanner: Scanner::default(),
            lookahead: None,
            doubt: None,
            max_held,
            tail: String::new(),
            examined: Meter::default(),
        }
    }

    /// Reads on; `emit` gets the content.
    pub(super) fn read(&mut self, input: &mut &str, emit: &mut dyn FnMut(&str)) -> BodyStep {
        if self.seek.is_some() {
            return self.seek(input);
        }
        if self.lookahead.is_some() {
            return self.lookahead(input, emit);
        }
        if self.doubt.is_some() {
            return self.doubt(input, emit);
        }
        let ends = Arc::clone(&self.ends);
        while let Some(piece) = self.scanner.next(&ends.set, input) {
            match piece {
                Piece::Text(text) if matches!(ends.grammar, Grammar::Marked { .. }) => {
                    self.tail = keep_tail(std::mem::take(&mut self.tail), text, emit);
                }
                Piece::Text(text) => emit(text),
                Piece::Marker(id) => {
                    let marker = ends.set.marker(id);
                    let after = self.scanner.held(&ends.set).concat();
                    self.scanner.reset();
                    let stage = match &ends.grammar {
                        Grammar::Literal => return BodyStep::End(after),
                        Grammar::Marked { end, .. } if end == marker => Stage::MarkerWhitespace,
                        _ => Stage::EndMarker,
                    };
                    self.lookahead = Some(Lookahead { held: marker.to_owned(), stage });
                    return BodyStep::Again(after);
                }
            }
        }
        BodyStep::More
    }

    fn seek(&mut self, input: &mut &str) -> BodyStep {
        let Some(seek) = &mut self.seek else { return BodyStep::More };
        let marked = Arc::clone(&seek.marked);
        let Grammar::Marked { start, .. } = &marked.grammar else { return BodyStep::More };
        while let Some(c) = self.examined.next(input) {
            seek.held.push(c);
            if seek.found {
                if seek.held == "\r" {
                    continue;
                }
                let rest =
                    if seek.held.ends_with('\n') { String::new() } else { seek.held.clone() };
                self.seek = None;
                return BodyStep::Again(rest);
            }
            let word = seek.held.trim_start_matches(is_whitespace);
            if word == start {
                (seek.found, self.ends) = (true, Arc::clone(&marked));
                seek.held.clear();
            } else if !start.starts_with(word) || seek.held.len() > MAX_WHITESPACE {
                let held = std::mem::take(&mut seek.held);
                self.seek = None;
                return BodyStep::Again(held);
            }
        }
        BodyStep::More
    }

    fn lookahead(&mut self, input: &mut &str, emit: &mut dyn FnMut(&str)) -> BodyStep {
        let Some(mut lookahead) = self.lookahead.take() else { return BodyStep::More };
        let ends = Arc::clone(&self.ends);
        while let Some(c) = self.examined.next(input) {
            lookahead.held.push(c);
            match lookahead.feed(c, &ends.grammar) {
                Ending::NeedMore => {}
                Ending::No => {
                    let first = lookahead.held.chars().next().map_or(0, char::len_utf8);
                    let again = lookahead.held.split_off(first);
                    match &mut self.doubt {
                        Some(doubt) => doubt.held.push_str(&lookahead.held),
                        None => {
                            self.release(true, emit);
                            emit(&lookahead.held);
                        }
                    }
                    return BodyStep::Again(again);
                }
                Ending::End(end_marker) => {
                    let by_marker = matches!(lookahead.stage, Stage::MarkerTag(_));
                    if matches!(ends.grammar, Grammar::Marked { .. }) && !by_marker {
                        self.doubt = Some(Doubt { held: lookahead.held, end_marker });
                        return BodyStep::Again(String::new());
                    }
                    self.release(by_marker, emit);
                    return BodyStep::End(
                        lookahead.held.split_off(end_marker.min(lookahead.held.len())),
                    );
                }
            }
        }
        self.lookahead = Some(lookahead);
        BodyStep::More
    }

    /// The tail is content, unless the closing tag takes it along; so is what is in doubt.
    fn release(&mut self, is_content: bool, emit: &mut dyn FnMut(&str)) {
        let doubt = self.doubt.take().map(|doubt| doubt.held);
        if is_content {
            emit(&self.tail);
            emit(&doubt.unwrap_or_default());
        }
        self.tail.clear();
    }

    /// The stream ends here: what was withheld is content, unless the end marker itself was whole.
    /// Whether it was.
    pub(super) fn finish(&mut self, emit: &mut dyn FnMut(&str)) -> bool {
        let ends = Arc::clone(&self.ends);
        if let Some(seek) = self.seek.take() {
            emit(&seek.held);
        }
        let set = match &ends.grammar {
            Grammar::Marked { set, .. } if self.doubt.is_some() => set,
            _ => &ends.set,
        };
        if let Some(lookahead) = self.lookahead.take() {
            if lookahead.stage != Stage::EndMarker {
                let by_marker =
                    matches!(lookahead.stage, Stage::MarkerWhitespace | Stage::MarkerTag(_));
                self.release(by_marker, emit);
                return true;
            }
            self.release(true, emit);
            emit(&lookahead.held);
        }
        self.release(true, emit);
        while let Some(piece) = self.scanner.finish(set) {
            match piece {
                Piece::Text(text) => emit(text),
                Piece::Marker(id) => emit(set.marker(id)),
            }
        }
        false
    }

    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        self.examined.bytes() + self.scanner.examined()
    }
}

/// Gives out the tail and the text but for what is the tail of both: a line break and whitespace.
fn keep_tail(mut tail: String, text: &str, emit: &mut dyn FnMut(&str)) -> String {
    if !tail.is_empty() && text.chars().all(is_whitespace) {
        tail.push_str(text);
        let kept = tail_of(&tail);
        emit(tail.get(..kept).unwrap_or_default());
        return tail.split_off(kept);
    }
    emit(&tail);
    let kept = tail_of(text);
    let (body, tail) = text.split_at_checked(kept).unwrap_or((text, ""));
    emit(body);
    tail.to_owned()
}

/// Where the line break at the end, with the whitespace after it, begins.
fn tail_of(text: &str) -> usize {
    let line = text.trim_end_matches([' ', '\t']);
    let body = match line.strip_suffix('\n') {
        Some(body) => body.strip_suffix('\r').unwrap_or(body),
        None => line.strip_suffix('\r').filter(|_| line.len() == text.len()).unwrap_or(text),
    };
    if text.len() - body.len() > MAX_WHITESPACE { text.len() } else { body.len() }
}

#[cfg(test)]
mod tests;
