//! An adapter that runs, and answers.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use toolweir_yardstick::serve::{Answer, Ask};

/// How long an answer may take; a work that needs longer is not waited for.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Memory that is freed stays with the program: fresh pages from the system would be timed with whatever
/// asks for them.
const STEADY: (&str, &str) =
    ("GLIBC_TUNABLES", "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=17179869184");

/// A program that links one library.
pub struct Adapter {
    /// Name and version of the library.
    pub name: String,
    /// The ways to take its results.
    pub sinks: Vec<String>,
    path: String,
    running: Running,
}

struct Running {
    child: Child,
    words: ChildStdin,
    answers: Receiver<String>,
}

impl Adapter {
    /// Starts the program at `path`.
    ///
    /// # Errors
    /// It cannot be started, or is no adapter.
    pub fn start(path: &str) -> Result<Self, String> {
        let running = Running::start(path)?;
        let mut adapter =
            Self { name: String::new(), sinks: Vec::new(), path: path.to_owned(), running };
        match adapter.ask(&Ask::Hello) {
            Ok(Answer::Hello { name, sinks }) => Ok(Self { name, sinks, ..adapter }),
            Ok(_) => Err("it does not say its name".to_owned()),
            Err(reason) => Err(reason),
        }
    }

    /// The heads of its columns.
    pub fn columns(&self) -> Vec<String> {
        let head = |(at, sink): (usize, &String)| match at {
            0 => self.name.clone(),
            _ => format!("{}, {sink}", self.name),
        };
        self.sinks.iter().enumerate().map(head).collect()
    }

    /// The answer to a question. After a failure another program runs in its place.
    ///
    /// # Errors
    /// It ended, or there was no answer in time.
    pub fn ask(&mut self, ask: &Ask) -> Result<Answer, String> {
        let line = serde_json::to_string(ask).map_err(|e| e.to_string())?;
        let answer = self.running.ask(&line);
        if answer.is_err() {
            self.running = Running::start(&self.path)?;
        }
        serde_json::from_str(&answer?).map_err(|e| format!("it answers what is no answer: {e}"))
    }
}

impl Running {
    fn start(path: &str) -> Result<Self, String> {
        let mut command = Command::new(path);
        if std::env::var_os(STEADY.0).is_none() {
            command.env(STEADY.0, STEADY.1);
        }
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = pipes.spawn().map_err(|e| e.to_string())?;
        let (Some(words), Some(out)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("no pipe".to_owned());
        };
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, words, answers })
    }

    fn ask(&mut self, line: &str) -> Result<String, String> {
        writeln!(self.words, "{line}").map_err(|_| "it ended".to_owned())?;
        self.answers.recv_timeout(PATIENCE).map_err(|_| match self.child.try_wait() {
            Ok(Some(_)) => "it ended".to_owned(),
            _ => format!("> {} s", PATIENCE.as_secs()),
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_no_adapter_is_a_reason() {
        assert!(Adapter::start("a-program-that-nobody-has").is_err());
        if cfg!(unix) {
            assert!(Adapter::start("true").is_err_and(|reason| !reason.is_empty()));
        }
    }
}
