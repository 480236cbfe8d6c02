//! How a command ends: its verdict, or why it could not come to one.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

use crate::term;

/// What a command that ran to its end found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing to complain about: exit code 0.
    Fine,
    /// Findings, already printed: exit code 1.
    Findings,
}

/// Why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input was read and found wanting: exit code 1.
    Finding(String),
    /// Wrong usage or unreadable input: exit code 2. One line, with the fix.
    Usage(String),
    /// Has been said, with the line of the input it speaks of; the exit code.
    Told(u8),
    /// The output could not be written; a closed pipe ends quietly.
    Output(io::Error),
}

impl Failure {
    /// Wrong usage or unreadable input, with the fix.
    pub(crate) fn usage(what: impl Display, fix: impl Display) -> Self {
        Self::Usage(format!("{what}; {fix}"))
    }

    /// Says it on standard error and gives the exit code.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Finding(line) => {
                term::complain(&line);
                ExitCode::from(1)
            }
            Self::Usage(line) => {
                term::complain(&line);
                ExitCode::from(2)
            }
            Self::Told(code) => ExitCode::from(code),
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Self::Output(error) => {
                term::complain(&format!("cannot write the output: {error}; check where it goes"));
                ExitCode::from(2)
            }
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
