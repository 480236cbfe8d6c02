//! A copy of the workspace in which one file at a time is changed, and one test run.
//!
//! The copy and what is built of it stay in `mutants/` of the target folder, so that each build is an
//! incremental one. A file is written only where it differs: what an earlier run left changed is put
//! right, and nothing else looks new to cargo.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::table::Mutant;
use crate::metadata::Workspace;
use crate::run::{Failure, Outcome, Program, Repo, fail};

/// What the copy needs of the workspace.
const FOLDERS: &[&str] = &[".cargo", "crates", "docs", "fixtures", "xtask"];
const FILES: &[&str] = &["Cargo.toml", "Cargo.lock", "README.md", "rust-toolchain.toml"];

/// A build of one test after one change: quick to make, and with every assertion on.
const PROFILE: &[(&str, &str)] = &[
    ("CARGO_PROFILE_DEV_OPT_LEVEL", "0"),
    ("CARGO_PROFILE_DEV_DEBUG", "false"),
    ("CARGO_INCREMENTAL", "1"),
];

/// A test that runs longer does not end: a mutant may loop.
const LIMIT: Duration = Duration::from_secs(180);

/// The tests of a fixture: its snapshot, and the laws at every split.
const FIXTURE: &str = "every_fixture_";

/// What became of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It failed.
    Caught,
    /// It did not end in time.
    TimedOut,
    /// It passed.
    Survived,
    /// There was nothing to run.
    DoesNotCompile,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Caught => "caught",
            Self::TimedOut => "caught (no end)",
            Self::Survived => "SURVIVED",
            Self::DoesNotCompile => "DOES NOT COMPILE",
        })
    }
}

/// The copy.
pub(super) struct Scratch<'r> {
    repo: &'r Repo,
    workspace: Workspace,
    folder: PathBuf,
}

impl<'r> Scratch<'r> {
    /// Makes the copy, or brings it up to date.
    pub(super) fn new(repo: &'r Repo) -> Outcome<Self> {
        let workspace = Workspace::load(repo)?;
        let folder = Path::new(&workspace.target_directory).join("mutants");
        let scratch = Self { repo, workspace, folder };
        scratch.copy()?;
        Ok(scratch)
    }

    fn copy(&self) -> Outcome<()> {
        let target = |path: &Path| path.components().any(|part| part.as_os_str() == "target");
        let mut wanted = BTreeSet::new();
        for folder in FOLDERS {
            let files = self.repo.files(folder)?.into_iter().map(|p| self.repo.relative(&p));
            wanted.extend(files.filter(|path| !target(Path::new(path))));
        }
        wanted.extend(FILES.iter().map(|file| (*file).to_owned()));
        let copy = Repo::at(self.source(""));
        for folder in FOLDERS {
            for path in copy.files(folder)?.iter().filter(|p| !wanted.contains(&copy.relative(p))) {
                io(std::fs::remove_file(path), path)?;
            }
        }
        for file in &wanted {
            let path = self.repo.path(file);
            save(&self.source(file), &io(std::fs::read(&path), &path)?)?;
        }
        Ok(())
    }

    fn source(&self, file: &str) -> PathBuf {
        self.folder.join("source").join(file)
    }

    /// Changes the copy, runs the test, and puts the copy right again.
    pub(super) fn try_mutant(&self, mutant: &Mutant) -> Outcome<Verdict> {
        let path = self.source(&mutant.file);
        let text = io(std::fs::read_to_string(&path), &path)?;
        save(&path, text.replacen(&mutant.from, &mutant.to, 1).as_bytes())?;
        let verdict = self.try_test(&mutant.test);
        // What the copy was made of may have changed since.
        save(&path, text.as_bytes())?;
        verdict
    }

    /// Builds the test and runs it; nothing else is run.
    pub(super) fn try_test(&self, test: &str) -> Outcome<Verdict> {
        let Some(place) = Place::of(test) else {
            return fail(format!("`{test}` is neither a fixture nor a test of a package"));
        };
        let package = self.package(place.folder)?;
        let mut cargo = self.repo.cargo(["test", "--no-run", "--all-features", "--quiet"]);
        cargo = cargo.args(["--message-format", "json", "-p", &package]).args(&place.target);
        for (key, value) in PROFILE {
            cargo = cargo.env(key, value);
        }
        let build = cargo.env("CARGO_TARGET_DIR", self.folder.join("build"));
        let log = self.folder.join("log");
        let built = build.within(self.source("")).logged(&log, Duration::MAX)?;
        let messages = io(std::fs::read_to_string(&log), &log)?;
        let Some(binary) = executable(&messages).filter(|_| built == Some(true)) else {
            return Ok(Verdict::DoesNotCompile);
        };
        let mut words = vec!["--test-threads", "2", place.filter.as_str()];
        // The name of a module of tests stands for all of them.
        let module = test.split_once(' ').is_none_or(|(file, name)| {
            self.repo.read(file).is_ok_and(|source| source.contains(&format!("mod {name} ")))
        });
        words.extend((!module).then_some("--exact"));
        let ended = self.environment(self.repo.program(binary, words), test, place.folder);
        let ended = ended.logged(&log, LIMIT)?;
        let Some(passed) = ended else { return Ok(Verdict::TimedOut) };
        let listing = io(std::fs::read(&log), &log)?;
        let ran = String::from_utf8_lossy(&listing).lines().any(|line| line.starts_with("test "));
        match (passed, ran) {
            (true, true) => Ok(Verdict::Survived),
            (false, true) => Ok(Verdict::Caught),
            (_, false) => fail(format!("no test ran for `{test}`")),
        }
    }

    /// What cargo would set for a test, and which fixture is meant.
    fn environment(&self, program: Program, test: &str, folder: &str) -> Program {
        let home = self.source(folder);
        let program = program.env("CARGO_MANIFEST_DIR", &home).within(home);
        let program = program.env("PROPTEST_RNG_SEED", "20").env("INSTA_UPDATE", "no");
        if test.starts_with("fixtures/") { program.env("TOOLWEIR_FIXTURES", test) } else { program }
    }

    fn package(&self, folder: &str) -> Outcome<String> {
        let manifest = self.repo.path(folder).join("Cargo.toml");
        let found =
            self.workspace.packages.iter().find(|p| Path::new(&p.manifest_path) == manifest);
        let name = found.map(|package| package.name.clone());
        name.ok_or_else(|| Failure::Check(format!("{folder} is no package of the workspace")))
    }
}

/// Where a cited test is.
#[derive(Debug, PartialEq, Eq)]
struct Place<'t> {
    /// The folder of its package.
    folder: &'t str,
    /// What cargo builds for it.
    target: Vec<String>,
    /// What the test program is told to run.
    filter: String,
}

impl<'t> Place<'t> {
    fn of(test: &'t str) -> Option<Self> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        if test.starts_with("fixtures/") {
            let (folder, filter) = ("crates/protocols", FIXTURE.to_owned());
            return Some(Self { folder, target: words(&["--test", "fixtures"]), filter });
        }
        let (file, name) = test.split_once(' ')?;
        let (parent, rest) = file.strip_prefix("crates/")?.split_once('/')?;
        let folder = file.get(.."crates/".len() + parent.len())?;
        let module = rest.strip_suffix(".rs")?;
        if let Some(module) = module.strip_prefix("tests/") {
            // A test program of one file, or a file of one.
            let (program, inside) = module.split_once('/').unwrap_or((module, ""));
            let inside = inside.trim_end_matches("/mod").replace('/', "::");
            let filter =
                if inside.is_empty() { name.to_owned() } else { format!("{inside}::{name}") };
            return Some(Self { folder, target: words(&["--test", program]), filter });
        }
        let module = module.strip_prefix("src/")?.trim_end_matches("/tests");
        let module = module.trim_end_matches("/mod").replace('/', "::");
        let filter = format!("{module}::tests::{name}");
        Some(Self { folder, target: words(&["--lib"]), filter })
    }
}

/// The test program among the messages of cargo.
fn executable(messages: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Message {
        #[serde(default)]
        executable: Option<String>,
        #[serde(default)]
        profile: Option<Profile>,
    }
    #[derive(Deserialize)]
    struct Profile {
        test: bool,
    }
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    let tests = messages.filter(|message| message.profile.as_ref().is_some_and(|p| p.test));
    tests.filter_map(|message| message.executable).next_back()
}

/// Writes a file where it differs.
fn save(path: &Path, bytes: &[u8]) -> Outcome<()> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    io(folder.and_then(|()| std::fs::write(path, bytes)), path)
}

fn io<T>(done: std::io::Result<T>, path: &Path) -> Outcome<T> {
    done.map_err(|e| Failure::Check(format!("{}: {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::{Place, executable};

    fn shown(test: &str) -> String {
        let place = Place::of(test).unwrap();
        format!("{} {} {}", place.folder, place.target.join(" "), place.filter)
    }

    #[test]
    fn tests_are_found_by_their_files() {
        for (test, place) in [
            ("fixtures/a/b.case", "crates/protocols --test fixtures every_fixture_"),
            ("crates/a/tests/b.rs c", "crates/a --test b c"),
            ("crates/a/tests/it/b.rs c", "crates/a --test it b::c"),
            ("crates/a/src/b.rs c", "crates/a --lib b::tests::c"),
            ("crates/a/src/b/tests.rs c", "crates/a --lib b::tests::c"),
        ] {
            assert_eq!(shown(test), place);
        }
        assert!(Place::of("docs/engine.md").is_none());
    }

    #[test]
    fn the_program_of_the_test_is_found_among_the_messages() {
        let messages = "{\"reason\":\"x\"}\nnoise\n\
            {\"executable\":\"/a/bin\",\"profile\":{\"test\":false}}\n\
            {\"executable\":\"/a/test\",\"profile\":{\"test\":true}}\n\
            {\"executable\":null,\"profile\":{\"test\":true}}\n";
        assert_eq!(executable(messages).as_deref(), Some("/a/test"));
    }
}
