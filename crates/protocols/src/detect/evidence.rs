//! What detection gives: candidates, each with the reasons for it and against it.

use std::fmt;

use toolweir_segments::Span;

use crate::wording::one_line;

/// A format that may be the one, and why.
///
/// `Display` writes a line with name, family and score, and each piece of evidence on a line of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Candidate {
    /// The name of the wire format.
    pub format: String,
    /// The name of the reasoning family: the one whose markers were seen, else the usual one.
    pub reasoning: String,
    /// From 1 to 1000. It orders the candidates of one list; scores of different inputs do not compare.
    pub score: u32,
    /// What speaks for it, then what speaks against it.
    pub evidence: Vec<Evidence>,
}

/// One reason. Offsets are bytes of what was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Evidence {
    /// A marker of the format, or of its reasoning family, occurs in the transcript.
    Marker {
        /// The marker.
        marker: String,
        /// Where it occurs first.
        offset: usize,
    },
    /// A whole call was read.
    Call {
        /// The tool called.
        name: String,
        /// Where it stands in the transcript.
        span: Span,
    },
    /// A call began that could not be read to its end.
    Broken {
        /// Where it stands in the transcript.
        span: Span,
    },
    /// A marker of some format stays in the visible text.
    Left {
        /// The marker.
        marker: String,
    },
    /// The calls are of tools that are not declared.
    Undeclared {
        /// The first such tool.
        name: String,
    },
    /// Words of a model's name are those of the format.
    Name {
        /// The words of the model's name that matched, as they are written there.
        words: String,
        /// What they matched: a name of the format or one of its models.
        matched: String,
        /// Where the words stand.
        source: NameSource,
    },
    /// A literal of the format's patterns occurs in the chat template.
    Literal {
        /// The literal.
        literal: String,
        /// Where it occurs first.
        offset: usize,
        /// How many formats have it.
        formats: usize,
    },
    /// A literal that the format always writes is not in the chat template.
    Missing {
        /// The literal.
        literal: String,
    },
}

/// What a name was read from. Complete: nothing else names a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameSource {
    /// The id or path that was given.
    Id,
    /// The folder of a repository.
    Folder,
    /// Its `config.json`.
    Config,
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (reasoning {}), score {}", self.format, self.reasoning, self.score)?;
        self.evidence.iter().try_for_each(|evidence| write!(f, "\n  {evidence}"))
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Marker { marker, offset } => {
                write!(f, "marker `{}` at byte {offset}", one_line(marker))
            }
            Self::Call { name, span } => {
                write!(f, "a whole call of `{}` at {}..{}", one_line(name), span.start, span.end)
            }
            Self::Broken { span } => {
                write!(f, "a call that is not whole at {}..{}", span.start, span.end)
            }
            Self::Left { marker } => write!(f, "`{}` stays in the text", one_line(marker)),
            Self::Undeclared { name } => write!(f, "`{}` is not declared", one_line(name)),
            Self::Name { words, matched, source } => {
                let place = match source {
                    NameSource::Id => "the name",
                    NameSource::Folder => "the folder",
                    NameSource::Config => "the configuration",
                };
                write!(f, "`{}` in {place} is `{matched}`", one_line(words))
            }
            Self::Literal { literal, offset, formats: 1 } => {
                write!(f, "`{literal}` at byte {offset} of the template, of this format alone")
            }
            Self::Literal { literal, offset, formats } => {
                write!(f, "`{literal}` at byte {offset} of the template, of {formats} formats")
            }
            Self::Missing { literal } => write!(f, "`{literal}` is not in the template"),
        }
    }
}
