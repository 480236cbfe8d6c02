//! Where the workspace is, and running programs in it.
//!
//! Every program starts in the workspace root with no standard input: a check never waits for
//! someone to type.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How a command or a step ended well.
#[derive(Debug)]
pub(crate) enum Done {
    /// All of it was done.
    Passed,
    /// Nothing was done, for this reason.
    Skipped(String),
}

/// Why a command or a step did not end well.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A check failed, or a program could not be run.
    Check(String),
    /// The command line was not understood.
    Usage(String),
}

/// What a step returns.
pub(crate) type Outcome<T = Done> = Result<T, Failure>;

/// A failed check, as an `Err`.
pub(crate) fn fail<T>(what: impl Into<String>) -> Outcome<T> {
    Err(Failure::Check(what.into()))
}

/// The workspace on disk.
pub(crate) struct Repo {
    root: PathBuf,
}

impl Repo {
    /// Finds the workspace: the folder above this package when cargo runs it, else the current one.
    pub(crate) fn find() -> Outcome<Self> {
        let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let root = match package.as_deref().and_then(Path::parent) {
            Some(parent) => parent.to_owned(),
            None => std::env::current_dir().map_err(|e| Failure::Check(e.to_string()))?,
        };
        if root.join("xtask").is_dir() {
            Ok(Self { root })
        } else {
            fail(format!("{} is not the workspace root", root.display()))
        }
    }

    /// A copy of the workspace.
    pub(crate) fn at(root: PathBuf) -> Self {
        Self { root }
    }

    /// A path below the root.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    /// The part of `path` below the root, with `/` between names.
    pub(crate) fn relative(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        below.to_string_lossy().replace('\\', "/")
    }

    /// The text of a file below the root.
    pub(crate) fn read(&self, below: &str) -> Outcome<String> {
        std::fs::read_to_string(self.path(below))
            .map_err(|e| Failure::Check(format!("cannot read {below}: {e}")))
    }

    /// Writes a file below the root, with the folders it needs.
    pub(crate) fn write(&self, below: &str, text: &str) -> Outcome<()> {
        let path = self.path(below);
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        folder
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|e| Failure::Check(format!("cannot write {below}: {e}")))
    }

    /// Every file below `folder` (itself below the root), sorted; none if there is no such folder.
    pub(crate) fn files(&self, folder: &str) -> Outcome<Vec<PathBuf>> {
        let mut found = Vec::new();
        let mut open = vec![self.path(folder)];
        while let Some(folder) = open.pop().filter(|f| f.is_dir()) {
            let unread = |e: std::io::Error| {
                Failure::Check(format!("cannot read {}: {e}", folder.display()))
            };
            for entry in std::fs::read_dir(&folder).map_err(unread)? {
                let path = entry.map_err(unread)?.path();
                if path.is_dir() { open.push(path) } else { found.push(path) }
            }
        }
        found.sort();
        Ok(found)
    }

    /// `cargo` with these words; the same cargo that started this program.
    pub(crate) fn cargo<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Program {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        self.program(cargo, words)
    }

    /// Any program with these words.
    pub(crate) fn program<S: AsRef<OsStr>>(
        &self,
        name: impl Into<OsString>,
        words: impl IntoIterator<Item = S>,
    ) -> Program {
        let name = name.into();
        let mut command = Command::new(&name);
        command.current_dir(&self.root).stdin(Stdio::null());
        let stem = Path::new(&name).file_stem().unwrap_or(&name).to_string_lossy();
        let mut shown = stem.into_owned();
        for word in words {
            shown.push(' ');
            shown.push_str(&word.as_ref().to_string_lossy());
            command.arg(word);
        }
        Program { command, shown }
    }
}

/// One program about to run.
pub(crate) struct Program {
    command: Command,
    shown: String,
}

impl Program {
    /// Adds words at the end.
    pub(crate) fn args<S: AsRef<OsStr>>(mut self, words: impl IntoIterator<Item = S>) -> Self {
        for word in words {
            self.shown.push(' ');
            self.shown.push_str(&word.as_ref().to_string_lossy());
            self.command.arg(word);
        }
        self
    }

    /// Sets an environment variable for it.
    pub(crate) fn env(mut self, key: &str, value: impl AsRef<OsStr>) -> Self {
        self.shown = format!("{key}={} {}", value.as_ref().to_string_lossy(), self.shown);
        self.command.env(key, value);
        self
    }

    /// Runs it in this folder.
    pub(crate) fn within(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// All that it prints goes into this file.
    pub(crate) fn log_to(mut self, log: &Path) -> Outcome<Self> {
        let lost =
            |e: std::io::Error| Failure::Check(format!("cannot write {}: {e}", log.display()));
        let file = std::fs::File::create(log).map_err(lost)?;
        self.command.stderr(file.try_clone().map_err(lost)?).stdout(file);
        Ok(self)
    }

    /// Runs it with its output on ours; a non-zero exit is a failure.
    pub(crate) fn run(self) -> Outcome<()> {
        self.start()?.wait()
    }

    /// Starts it with its output on ours.
    pub(crate) fn start(mut self) -> Outcome<Running> {
        println!("$ {}", self.shown);
        match self.command.spawn() {
            Ok(child) => Ok(Running { child, shown: self.shown }),
            Err(e) => fail(format!("cannot run `{}`: {e}", self.shown)),
        }
    }

    /// Runs it and gives its standard output; its errors go to ours.
    pub(crate) fn stdout(self) -> Outcome<String> {
        self.stdout_unless(|code| code != 0)
    }

    /// [`stdout`](Self::stdout) of a program that a non-zero exit code does not always fail.
    pub(crate) fn stdout_unless(mut self, failed: impl FnOnce(i32) -> bool) -> Outcome<String> {
        let output = self.command.stderr(Stdio::inherit()).output();
        let output =
            output.map_err(|e| Failure::Check(format!("cannot run `{}`: {e}", self.shown)))?;
        if output.status.code().is_none_or(failed) {
            return fail(format!("`{}` failed ({})", self.shown, output.status));
        }
        String::from_utf8(output.stdout)
            .map_err(|_| Failure::Check(format!("`{}` printed what is not UTF-8", self.shown)))
    }

    /// Runs it with its standard output in a file and its errors nowhere: its success, or none where
    /// it was stopped after `limit`.
    pub(crate) fn logged(mut self, log: &Path, limit: Duration) -> Outcome<Option<bool>> {
        let file = std::fs::File::create(log)
            .map_err(|e| Failure::Check(format!("cannot write {}: {e}", log.display())))?;
        let lost = |e: std::io::Error| Failure::Check(format!("cannot run `{}`: {e}", self.shown));
        let mut child = self.command.stdout(file).stderr(Stdio::null()).spawn().map_err(lost)?;
        let started = Instant::now();
        loop {
            if let Some(status) = child.try_wait().map_err(lost)? {
                return Ok(Some(status.success()));
            }
            if started.elapsed() >= limit {
                child.kill().and_then(|()| child.wait()).map_err(lost)?;
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Runs it silently and gives its standard output, or nothing where it fails.
    pub(crate) fn silent(mut self) -> Option<String> {
        let output = self.command.output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs it silently and gives its success and its error output.
    pub(crate) fn quiet(mut self) -> (bool, String) {
        match self.command.output() {
            Ok(o) => (o.status.success(), String::from_utf8_lossy(&o.stderr).into_owned()),
            Err(e) => (false, e.to_string()),
        }
    }
}

/// A program that was started.
pub(crate) struct Running {
    child: Child,
    shown: String,
}

impl Running {
    /// Its number in the system.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it; one that has ended is left as it is.
    pub(crate) fn stop(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits for its end; a non-zero exit is a failure.
    pub(crate) fn wait(mut self) -> Outcome<()> {
        match self.child.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => fail(format!("`{}` failed ({status})", self.shown)),
            Err(e) => fail(format!("cannot wait for `{}`: {e}", self.shown)),
        }
    }
}
