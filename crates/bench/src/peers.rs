//! Readers in other languages, run beside ours in the same rounds.
//!
//! The scripts of `peers/` and what they need are put into a folder `bench-peers` in the target folder, at
//! the versions that `peers/package.json` and `peers/requirements.txt` name. A script reads a line,
//! does the work so many times and answers with nanoseconds. It reads the very files written here.
//! Nothing of it is needed: what cannot be had is a reason in a table.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The files that go into the folder.
const FILES: [(&str, &str); 6] = [
    ("package.json", include_str!("../peers/package.json")),
    ("requirements.txt", include_str!("../peers/requirements.txt")),
    ("loop.mjs", include_str!("../peers/loop.mjs")),
    ("repair.mjs", include_str!("../peers/repair.mjs")),
    ("elements.mjs", include_str!("../peers/elements.mjs")),
    ("repair.py", include_str!("../peers/repair.py")),
];

/// Work that lets an engine translate what it runs, in nanoseconds: it is warm when it is timed.
const WARM: f64 = 5e8;
/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The folder with scripts, packages and inputs.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// The folder in the target folder, with the scripts in it.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(crate) fn new() -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|e| e.to_string())?;
        let target = program.ancestors().nth(2).ok_or("no target folder")?;
        let folder = Self(target.join("bench-peers"));
        std::fs::create_dir_all(&folder.0).map_err(|e| e.to_string())?;
        for (name, text) in FILES {
            if !matches!(name, "package.json" | "requirements.txt") {
                folder.write(name, text)?;
            }
        }
        Ok(folder)
    }

    /// Writes a file and gives its path.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.0.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(path)
    }

    /// A Node script, its packages installed before.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub(crate) fn node(&self, script: &str, words: &[&Path]) -> Result<Peer, String> {
        run(Command::new("node").arg("--version")).map_err(|e| format!("no Node: {e}"))?;
        self.install("package.json", "node_modules", || {
            let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
            let words =
                ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
            run(Command::new(npm).args(words).current_dir(&self.0))
        })?;
        Peer::start(Command::new("node").arg(self.0.join(script)).args(words))
    }

    /// A Python script, in an environment of its own.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub(crate) fn python(&self, script: &str) -> Result<Peer, String> {
        let (program, inside) = if cfg!(windows) {
            ("python", "Scripts/python.exe")
        } else {
            ("python3", "bin/python")
        };
        let environment = self.0.join("venv");
        let python = environment.join(inside);
        self.install("requirements.txt", "venv", || {
            run(Command::new(program).args(["-m", "venv"]).arg(&environment))
                .map_err(|e| format!("no Python: {e}"))?;
            let words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
            run(Command::new(&python).args(words).arg(self.0.join("requirements.txt")))
        })?;
        Peer::start(Command::new(&python).arg(self.0.join(script)))
    }

    /// Installs what a list names, unless that was done: the list is left behind only when it worked.
    fn install(
        &self,
        list: &str,
        into: &str,
        install: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        let wanted = FILES.iter().find(|(name, _)| *name == list).map_or("", |(_, text)| text);
        let done = std::fs::read_to_string(self.0.join(format!("{list}.done")));
        if done.is_ok_and(|done| done == wanted) && self.0.join(into).is_dir() {
            return Ok(());
        }
        self.write(list, wanted)?;
        install()?;
        self.write(&format!("{list}.done"), wanted).map(drop)
    }
}

/// Runs a command to its end; the last line it wrote is the reason when it fails.
fn run(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|e| e.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = said.lines().rfind(|line| !line.trim().is_empty());
    Err(last.unwrap_or("it failed and said nothing").to_owned())
}

/// A script that runs, and answers.
pub(crate) struct Peer {
    /// Name and version of what it measures.
    pub(crate) name: String,
    child: Child,
    words: ChildStdin,
    answers: Receiver<String>,
}

impl Peer {
    fn start(command: &mut Command) -> Result<Self, String> {
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
        let mut peer = Self { name: String::new(), child, words, answers };
        peer.name = peer.answer()?;
        Ok(peer)
    }

    /// What it makes of the file, as JSON.
    ///
    /// # Errors
    /// Its error, or that there is no answer.
    pub(crate) fn result(&mut self, file: &Path) -> Result<serde_json::Value, String> {
        let answer = self.ask(0, file)?;
        serde_json::from_str(&answer).map_err(|_| "no JSON comes back".to_owned())
    }

    /// The same, and the file read until the engine has translated what it runs.
    ///
    /// # Errors
    /// As [`result`](Self::result).
    pub(crate) fn warmed(&mut self, file: &Path) -> Result<serde_json::Value, String> {
        let result = self.result(file)?;
        let once = self.time(1, file)?;
        self.time((WARM / once.max(1.0)).clamp(1.0, 20_000.0) as usize, file)?;
        Ok(result)
    }

    /// Nanoseconds of reading the file once, when it is read so many times.
    ///
    /// # Errors
    /// As [`result`](Self::result).
    pub(crate) fn time(&mut self, times: usize, file: &Path) -> Result<f64, String> {
        let answer = self.ask(times, file)?;
        answer.parse().map_err(|_| "no number comes back".to_owned())
    }

    fn ask(&mut self, times: usize, file: &Path) -> Result<String, String> {
        let line = format!("{times}\t{}\n", file.display());
        self.words.write_all(line.as_bytes()).map_err(|_| "it ended".to_owned())?;
        let answer = self.answer()?;
        match answer.strip_prefix("error\t") {
            Some(error) => Err(format!("fails: {error}")),
            None => Ok(answer),
        }
    }

    fn answer(&mut self) -> Result<String, String> {
        self.answers.recv_timeout(TIMEOUT).map_err(|_| {
            // Without this a late answer would be taken for the next one's.
            drop(self.child.kill());
            format!("no answer within {} s", TIMEOUT.as_secs())
        })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_a_reason() {
        let missing = Peer::start(&mut Command::new("a-program-that-nobody-has"));
        assert!(missing.is_err_and(|reason| !reason.is_empty()));
        assert!(run(&mut Command::new("a-program-that-nobody-has")).is_err());
    }
}
