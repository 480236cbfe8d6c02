//! Containers in the place of an argument without a name. A dictionary that stands there alone, with the
//! names of declared arguments as its keys, is the arguments.

use toolweir_rjson::Kind;

use super::frame::FrameKind;
use super::{ExprErrorKind, ExprMachine, NoteKind};

impl ExprMachine {
    /// Gives the open container the name of its place. It is a value of its own.
    pub(super) fn name_container(&mut self) -> Result<(), ExprErrorKind> {
        self.positional_due = false;
        let slot = self.slot;
        self.positional()?;
        self.slot = slot;
        Ok(())
    }

    /// Makes the open container the arguments, if what follows its first scalar shows that it is.
    pub(super) fn take_as_arguments(&mut self, c: char) -> bool {
        let is_dict = self.frames.last().is_some_and(|frame| frame.kind == FrameKind::Brace);
        let declared = self.names.iter().any(|(name, _)| *name == self.held);
        let all = self.positional == 0 && is_dict && c == ':' && declared;
        if all {
            self.note(NoteKind::ArgumentsInDict, self.covered, self.held_start);
            (self.positional_due, self.in_dict, self.has_keywords) = (false, true, true);
            self.set_frame(FrameKind::Arguments);
        }
        all
    }

    /// Whether the key, that of a value, is the name of an argument.
    pub(super) fn is_declared(&self) -> bool {
        self.names.iter().any(|(name, _)| *name == self.key)
    }

    /// Whether the members of the open container are the arguments.
    pub(super) fn is_at_root(&self) -> bool {
        let in_dict = self.frames.last().is_some_and(|frame| frame.kind == FrameKind::Arguments);
        in_dict || self.frames.len() == 1
    }

    /// Queues the start of a container that stands in that many others. Without a name, it is no text.
    pub(super) fn put_start(&mut self, object: bool, depth: usize, end: u64) {
        let text = self.is_python() && std::mem::take(&mut self.text_next);
        if text && self.is_positional && depth == 1 {
            self.note(NoteKind::UncertainContainer, self.covered, self.offset);
        }
        match object {
            true => self.put(Kind::ObjectStart, "{", end),
            false => self.put(Kind::ArrayStart, "[", end),
        }
    }
}
