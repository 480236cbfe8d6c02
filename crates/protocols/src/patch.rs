//! Reads the text of a patch as it comes: the argument `input` of the format `apply-patch`, line by line.
//!
//! [`PatchReader`] takes pieces of any size and gives typed events; nothing of a line is decided before its
//! line break, and no division into pieces changes the events. It stands beside the wire: the call is whole
//! or not without it, so a patch that this reader refuses is a call all the same.
//!
//! ```text
//! *** Begin Patch
//! *** Update File: src/weave.rs     Update { path, move_to: None }
//! @@ fn shuttle()                   Hunk { context: Some("fn shuttle()") }
//!      lift();                      Kept("    lift();")
//! -    left();                      Removed("    left();")
//! +    right();                     Added("    right();")
//! *** End Patch                     End
//! ```
//!
//! Absent on purpose: finding the place of a hunk in a file, and writing files.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use thiserror::Error;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";
const HUNK: &str = "@@";

/// What a line of a patch says. Texts are lines without their line break, and without the sign before them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatchEvent<'a> {
    /// A new file begins; its lines follow.
    Add {
        /// Where it is written.
        path: Cow<'a, str>,
    },
    /// A line of a new file.
    Line(Cow<'a, str>),
    /// A file is deleted.
    Delete {
        /// Which one.
        path: Cow<'a, str>,
    },
    /// A file is changed; its hunks follow.
    Update {
        /// Which one.
        path: Cow<'a, str>,
        /// Its new path, where it is renamed.
        move_to: Option<Cow<'a, str>>,
    },
    /// A hunk begins. Several in a row narrow its place down.
    Hunk {
        /// The line after which it stands, where it names one.
        context: Option<Cow<'a, str>>,
    },
    /// A line of a hunk that stays.
    Kept(Cow<'a, str>),
    /// A line of a hunk that goes.
    Removed(Cow<'a, str>),
    /// A line of a hunk that comes.
    Added(Cow<'a, str>),
    /// The hunk stands at the end of its file.
    EndOfFile,
    /// The patch is whole.
    End,
}

impl PatchEvent<'_> {
    /// The same, with texts of its own.
    #[must_use]
    pub fn into_owned(self) -> PatchEvent<'static> {
        fn own(text: Cow<'_, str>) -> Cow<'static, str> {
            Cow::Owned(text.into_owned())
        }
        match self {
            Self::Add { path } => PatchEvent::Add { path: own(path) },
            Self::Line(text) => PatchEvent::Line(own(text)),
            Self::Delete { path } => PatchEvent::Delete { path: own(path) },
            Self::Update { path, move_to } => {
                PatchEvent::Update { path: own(path), move_to: move_to.map(own) }
            }
            Self::Hunk { context } => PatchEvent::Hunk { context: context.map(own) },
            Self::Kept(text) => PatchEvent::Kept(own(text)),
            Self::Removed(text) => PatchEvent::Removed(own(text)),
            Self::Added(text) => PatchEvent::Added(own(text)),
            Self::EndOfFile => PatchEvent::EndOfFile,
            Self::End => PatchEvent::End,
        }
    }
}

/// Why a text is no patch, and at which line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {kind}")]
#[non_exhaustive]
pub struct PatchError {
    /// What is wrong.
    pub kind: PatchErrorKind,
    /// The line, counted from 1.
    pub line: usize,
}

/// What is wrong with a line of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PatchErrorKind {
    /// It is not the first line of a patch.
    #[error("the text does not begin with `*** Begin Patch`")]
    NoBegin,
    /// It belongs to no file.
    #[error("the line belongs to no file")]
    NoFile,
    /// The header names no file.
    #[error("the header names no file")]
    NoPath,
    /// A line of a new file lacks its `+`.
    #[error("a line of a new file does not begin with `+`")]
    NoPlus,
    /// It begins with none of the signs of a hunk.
    #[error("a line of a hunk begins with none of blank, `-` and `+`")]
    NoSign,
    /// It stands after the line that ends the file.
    #[error("the line stands after `*** End of File`")]
    AfterEndOfFile,
    /// The changed file has neither hunks nor a new path.
    #[error("the changed file has no hunk")]
    NoHunk,
    /// It stands after the patch.
    #[error("the line stands after `*** End Patch`")]
    AfterEnd,
    /// The text ends inside the patch.
    #[error("the text ends before `*** End Patch`")]
    NoEnd,
}

/// Where the reader is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum State {
    /// Before the patch.
    #[default]
    Start,
    /// Between files.
    Files,
    /// Among the lines of a new file.
    Add,
    /// After the header of a changed file, whose next line may be its new path.
    Update(String),
    /// Among its hunks.
    Hunks {
        /// A hunk is open.
        open: bool,
        /// It has hunks, or a new path.
        any: bool,
    },
    /// After the line that ends the file.
    EndOfFile,
    /// After the patch.
    Done,
    /// The patch is none.
    Failed(PatchError),
}

/// Reads one patch. Memory: the line being read.
///
/// ```
/// use toolweir_protocols::patch::{PatchEvent, PatchReader};
///
/// let mut events = Vec::new();
/// let mut reader = PatchReader::new();
/// for piece in ["*** Begin Patch\n*** Delete Fi", "le: old.rs\n*** End", " Patch"] {
///     reader.push(piece, |event| events.push(event.into_owned())).unwrap();
/// }
/// reader.finish(|event| events.push(event.into_owned())).unwrap();
/// assert_eq!(events, [PatchEvent::Delete { path: "old.rs".into() }, PatchEvent::End]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct PatchReader {
    state: State,
    /// The line being read.
    line: String,
    /// Lines read.
    lines: usize,
    /// The line of the last header of a changed file.
    header: usize,
}

type Sink<'s> = dyn FnMut(PatchEvent<'_>) + 's;
type Result<T, E = PatchError> = std::result::Result<T, E>;

impl PatchReader {
    /// A reader at the beginning of a patch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a piece of the patch; `sink` gets what its whole lines say.
    ///
    /// # Errors
    /// [`PatchError`] at the first line that fits no patch; events before it stand. Every later call gives
    /// the same error.
    pub fn push(
        &mut self,
        piece: &str,
        mut sink: impl FnMut(PatchEvent<'_>),
    ) -> Result<(), PatchError> {
        if let State::Failed(error) = self.state {
            return Err(error);
        }
        let mut rest = piece;
        while let Some((text, after)) = rest.split_once('\n') {
            rest = after;
            let mut line = std::mem::take(&mut self.line);
            line.push_str(text);
            self.read(&line, &mut sink)?;
            // One buffer for all lines.
            line.clear();
            self.line = line;
        }
        self.line.push_str(rest);
        Ok(())
    }

    /// Ends the patch: its last line needs no line break.
    ///
    /// # Errors
    /// [`PatchError`], also where the patch has no end.
    pub fn finish(&mut self, mut sink: impl FnMut(PatchEvent<'_>)) -> Result<(), PatchError> {
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.read(&line, &mut sink)?;
        }
        match self.state {
            State::Done => Ok(()),
            State::Failed(error) => Err(error),
            State::Start => Err(self.fail(PatchErrorKind::NoBegin)),
            _ => Err(self.fail(PatchErrorKind::NoEnd)),
        }
    }

    fn fail(&mut self, kind: PatchErrorKind) -> PatchError {
        let error = PatchError { kind, line: self.lines.max(1) };
        self.state = State::Failed(error);
        error
    }

    /// Reads a whole line.
    fn read(&mut self, line: &str, sink: &mut Sink<'_>) -> Result<()> {
        self.lines += 1;
        let marker = line.trim();
        match std::mem::take(&mut self.state) {
            State::Start if marker == BEGIN => self.state = State::Files,
            State::Start if marker.is_empty() => {}
            State::Start => return Err(self.fail(PatchErrorKind::NoBegin)),
            State::Done if marker.is_empty() => self.state = State::Done,
            State::Done => return Err(self.fail(PatchErrorKind::AfterEnd)),
            State::Update(path) => {
                let path = Cow::Owned(path);
                let Some(to) = marker.strip_prefix(MOVE) else {
                    sink(PatchEvent::Update { path, move_to: None });
                    self.state = State::Hunks { open: false, any: false };
                    return self.in_patch(line, sink);
                };
                let to = self.path(to)?;
                sink(PatchEvent::Update { path, move_to: Some(to.into()) });
                self.state = State::Hunks { open: false, any: true };
            }
            state => {
                self.state = state;
                return self.in_patch(line, sink);
            }
        }
        Ok(())
    }

    /// Reads a line of the patch: a header, or one of the open file.
    fn in_patch(&mut self, line: &str, sink: &mut Sink<'_>) -> Result<()> {
        let marker = line.trim();
        let header = [ADD, DELETE, UPDATE].into_iter().find(|lead| marker.starts_with(lead));
        if header.is_some() || marker == END {
            if self.state == (State::Hunks { open: false, any: false }) {
                self.lines = self.header;
                return Err(self.fail(PatchErrorKind::NoHunk));
            }
            return self.header(header, marker, sink);
        }
        match self.state {
            State::Add => match line.strip_prefix('+') {
                Some(text) => sink(PatchEvent::Line(text.into())),
                None => return Err(self.fail(PatchErrorKind::NoPlus)),
            },
            State::Hunks { open, .. } => return self.hunk(line, open, sink),
            State::EndOfFile if line.starts_with(HUNK) => {
                return self.hunk(line, false, sink);
            }
            _ if marker.is_empty() => {}
            State::EndOfFile => return Err(self.fail(PatchErrorKind::AfterEndOfFile)),
            _ => return Err(self.fail(PatchErrorKind::NoFile)),
        }
        Ok(())
    }

    /// Reads the header of a file, or the end of the patch.
    fn header(&mut self, lead: Option<&str>, marker: &str, sink: &mut Sink<'_>) -> Result<()> {
        let Some(lead) = lead else {
            sink(PatchEvent::End);
            self.state = State::Done;
            return Ok(());
        };
        let path = self.path(marker.get(lead.len()..).unwrap_or_default())?;
        self.state = match lead {
            ADD => {
                sink(PatchEvent::Add { path: path.into() });
                State::Add
            }
            DELETE => {
                sink(PatchEvent::Delete { path: path.into() });
                State::Files
            }
            _ => {
                self.header = self.lines;
                State::Update(path.to_owned())
            }
        };
        Ok(())
    }

    fn path<'t>(&mut self, text: &'t str) -> Result<&'t str> {
        match text.trim() {
            "" => Err(self.fail(PatchErrorKind::NoPath)),
            path => Ok(path),
        }
    }

    /// Reads a line among the hunks of a changed file.
    fn hunk(&mut self, line: &str, open: bool, sink: &mut Sink<'_>) -> Result<()> {
        if let Some(context) = line.strip_prefix(HUNK) {
            let context = context.strip_prefix(' ').unwrap_or(context);
            let context = (!context.trim().is_empty()).then(|| context.trim_end().into());
            sink(PatchEvent::Hunk { context });
            self.state = State::Hunks { open: true, any: true };
            return Ok(());
        }
        if line.trim() == END_OF_FILE && open {
            sink(PatchEvent::EndOfFile);
            self.state = State::EndOfFile;
            return Ok(());
        }
        // Blank lines before the first hunk say nothing.
        if !open && line.trim().is_empty() {
            return Ok(());
        }
        let said = match line.split_at_checked(1) {
            Some((" ", text)) => PatchEvent::Kept(text.into()),
            Some(("-", text)) => PatchEvent::Removed(text.into()),
            Some(("+", text)) => PatchEvent::Added(text.into()),
            _ if line.trim().is_empty() => PatchEvent::Kept("".into()),
            _ => return Err(self.fail(PatchErrorKind::NoSign)),
        };
        if !open {
            // The first hunk needs no line of its own.
            sink(PatchEvent::Hunk { context: None });
        }
        self.state = State::Hunks { open: true, any: true };
        sink(said);
        Ok(())
    }
}

/// Reads a whole patch.
///
/// # Errors
/// [`PatchError`] where the text is none.
pub fn read_patch(text: &str) -> Result<Vec<PatchEvent<'static>>, PatchError> {
    let mut events = Vec::new();
    let mut reader = PatchReader::new();
    reader.push(text, |event| events.push(event.into_owned()))?;
    reader.finish(|event| events.push(event.into_owned()))?;
    Ok(events)
}
