//! Closing tags between raw markers: the end of the content, or text of the file?
//!
//! They are the file's where the end marker still comes, and the end where the next content begins or the
//! stream stops without it. What has come since is held meanwhile.

use std::sync::Arc;

use toolweir_markers::Piece;

use super::lookahead::{Lookahead, Stage};
use super::{BodyStep, Content};
use crate::engine::FloorBoundary;
use crate::program::Grammar;

/// Closing tags that may be the end.
#[derive(Debug)]
pub(super) struct Doubt {
    /// What has come since the content before them.
    pub(super) held: String,
    /// Bytes of `</arg>`, which is its first tag.
    pub(super) end_marker: usize,
}

impl Content {
    /// Looks for a marker of either kind.
    pub(super) fn doubt(&mut self, input: &mut &str, emit: &mut dyn FnMut(&str)) -> BodyStep {
        let ends = Arc::clone(&self.ends);
        let (Grammar::Marked { end, set, .. }, Some(doubt)) = (&ends.grammar, &mut self.doubt)
        else {
            return BodyStep::More;
        };
        while let Some(piece) = self.scanner.next(set, input) {
            match piece {
                Piece::Text(text) => {
                    // C3: where the limit is reached depends on no chunk.
                    let room = self.max_held.saturating_sub(doubt.held.len());
                    let (now, later) = text.split_up_to(room);
                    doubt.held.push_str(now);
                    if !later.is_empty() {
                        let again = later.to_owned() + &self.scanner.held(set).concat();
                        self.scanner.reset();
                        self.release(true, emit);
                        return BodyStep::Again(again);
                    }
                }
                Piece::Marker(id) => {
                    let marker = set.marker(id);
                    let after = self.scanner.held(set).concat();
                    self.scanner.reset();
                    if marker == end {
                        let held = marker.to_owned();
                        self.lookahead = Some(Lookahead { held, stage: Stage::MarkerWhitespace });
                        return BodyStep::Again(after);
                    }
                    let rest = doubt.held.split_off(doubt.end_marker.min(doubt.held.len()));
                    self.release(false, emit);
                    return BodyStep::End(rest + marker + &after);
                }
            }
        }
        BodyStep::More
    }

    /// The stream stops: closing tags in doubt were the end. Back comes what stands after the first.
    pub(crate) fn stop(&mut self) -> Option<String> {
        let (Grammar::Marked { set, .. }, None) = (&self.ends.grammar, &self.lookahead) else {
            return None;
        };
        let mut doubt = self.doubt.take()?;
        while let Some(piece) = self.scanner.finish(set) {
            doubt.held.push_str(match piece {
                Piece::Text(text) => text,
                Piece::Marker(id) => set.marker(id),
            });
        }
        self.scanner.reset();
        self.tail.clear();
        Some(doubt.held.split_off(doubt.end_marker.min(doubt.held.len())))
    }
}
