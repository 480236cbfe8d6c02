//! `cargo xtask python`: the wheel, as someone who installs it has it.
//!
//! maturin builds `crates/python` in an environment of its own. The wheel is installed into an empty one,
//! where the examples of its README run word for word; then pytest comes to it with what the tests compare
//! with. The wheel that is tested is built quickly, with `--release` it is the one to publish. `--bench`
//! measures that one beside the core alone instead of testing. `--engines` fetches the wheels of vLLM and SGLang
//! (400 MB), not to be installed: the shims are tested on their base classes.
//!
//! Packages come from the Python package index at the versions of `crates/python/requirements`, and all of
//! it lies in a folder `python` of the target folder. Without Python 3.9, an index or the packages of the
//! native half it is skipped.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::args::Args;
use crate::metadata::Workspace;
use crate::npm::write;
use crate::run::{Done, Failure, Outcome, Repo, fail};
use crate::speed;

const FOLDER: &str = "crates/python";
const PAGE: &str = "docs/python.md";
const OLDEST: (u32, u32) = (3, 10);

/// Builds, installs and tests the wheel, or measures it.
pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let bench = args.flag("--bench");
    let engines = args.flag("--engines");
    let to_page = args.flag("--write");
    let profile = if args.flag("--release") || bench { "release" } else { "tested" };
    args.done()?;
    if let Some(reason) = no_python(repo) {
        return Ok(Done::Skipped(reason));
    }
    let manifest = format!("{FOLDER}/Cargo.toml");
    let (fetched, said) =
        repo.cargo(["fetch", "--quiet", "--locked", "--manifest-path", &manifest]).quiet();
    if !fetched {
        return Ok(Done::Skipped(format!("the packages cannot be had: {}", last_line(&said))));
    }
    let target = PathBuf::from(Workspace::load(repo)?.target_directory);
    let folder = target.join("python");
    if !bench {
        lint(repo, &target, &manifest)?;
    }
    let wheel = match wheel(repo, &target, &folder, profile)? {
        Ok(wheel) => wheel,
        Err(reason) => return Ok(Done::Skipped(reason)),
    };
    let python = fresh(repo, &folder.join("empty"))?;
    let pip = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"];
    repo.program(&python, pip).args([&wheel]).run()?;
    let readme = repo.path(FOLDER).join("tests").join("readme.py");
    repo.program(&python, [&readme]).within(&folder).run()?;

    if let Some(reason) = add(repo, &python, "test.txt")? {
        return Ok(Done::Skipped(format!("the tests are left out: {reason}")));
    }
    if bench {
        return measure(repo, &target, &folder, &python, to_page);
    }
    let engines =
        if engines { fetch_engines(repo, &python, &folder.join("engines"))? } else { None };
    test(repo, &python, engines.as_deref())
}

/// The folder with the wheels of the engines, fetched and not installed; none where they cannot be had.
fn fetch_engines(repo: &Repo, python: &Path, folder: &Path) -> Outcome<Option<PathBuf>> {
    let list = repo.path(FOLDER).join("requirements").join("engines.txt");
    let words = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"];
    let (had, said) =
        repo.program(python, words).args(["-r".as_ref(), &*list, "-d".as_ref(), folder]).quiet();
    if !had {
        println!("the engines are left out: {}", last_line(&said));
    }
    Ok(had.then(|| folder.to_owned()))
}

fn lint(repo: &Repo, target: &Path, manifest: &str) -> Outcome<()> {
    let words = ["clippy", "--quiet", "--locked", "--all-targets", "--manifest-path", manifest];
    repo.cargo(words).args(["--", "-D", "warnings"]).env("CARGO_TARGET_DIR", target).run()
}

/// Why nothing can be built here.
fn no_python(repo: &Repo) -> Option<String> {
    if !repo.path(FOLDER).is_dir() {
        return Some(format!("there is no {FOLDER}"));
    }
    let ask = "import sys, venv, ensurepip; print(*sys.version_info[:2])";
    let (there, said) = repo.program("python3", ["-c", ask]).quiet();
    if !there {
        return Some(format!("no Python with environments: {}", last_line(&said)));
    }
    let version = repo.program("python3", ["-c", ask]).stdout().ok()?;
    let found = numbers(&version);
    let old = found.is_none_or(|version| version < OLDEST);
    old.then(|| format!("Python {} is older than 3.9", version.trim()))
}

/// `3 11` as numbers.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let (major, minor) = version.trim().split_once(' ')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The wheel, built anew; or why it cannot be built here.
fn wheel(
    repo: &Repo,
    target: &Path,
    folder: &Path,
    profile: &str,
) -> Outcome<Result<PathBuf, String>> {
    let tools = folder.join("build");
    let wanted = repo.read(&format!("{FOLDER}/requirements/build.txt"))?;
    let installed = tools.join("installed.txt");
    let python = interpreter(&tools);
    if std::fs::read_to_string(&installed).ok().as_deref() != Some(&*wanted) {
        fresh(repo, &tools)?;
        if let Some(reason) = add(repo, &python, "build.txt")? {
            return Ok(Err(format!("maturin cannot be had: {reason}")));
        }
        write(&installed, &wanted)?;
    }
    let wheels = folder.join("wheels");
    remove(&wheels)?;
    let manifest = format!("{FOLDER}/Cargo.toml");
    let words = ["-m", "maturin", "build", "--locked", "--profile", profile];
    repo.program(&python, words)
        .args(["--manifest-path", &manifest])
        .args([OsString::from("--out"), wheels.clone().into_os_string()])
        .args([OsString::from("--interpreter"), python.clone().into_os_string()])
        .env("CARGO_TARGET_DIR", target)
        .run()?;
    let built = std::fs::read_dir(&wheels).map_err(|error| unusable(&wheels, &error))?;
    let built = built.filter_map(Result::ok).map(|entry| entry.path());
    match built.filter(|path| path.extension().is_some_and(|end| end == "whl")).last() {
        Some(wheel) => Ok(Ok(wheel)),
        None => fail("maturin has built no wheel"),
    }
}

/// A new environment without packages; gives its Python.
fn fresh(repo: &Repo, folder: &Path) -> Outcome<PathBuf> {
    remove(folder)?;
    repo.program("python3", ["-m", "venv"]).args([folder]).run()?;
    Ok(interpreter(folder))
}

/// Adds the packages of a list; gives the reason if they cannot be had.
fn add(repo: &Repo, python: &Path, list: &str) -> Outcome<Option<String>> {
    let list = repo.path(FOLDER).join("requirements").join(list);
    let words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let (had, said) =
        repo.program(python, words).args(["--timeout", "15", "-r"]).args([&list]).quiet();
    Ok((!had).then(|| last_line(&said).to_owned()))
}

fn test(repo: &Repo, python: &Path, engines: Option<&Path>) -> Outcome {
    let words = ["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "."];
    let mut tests = repo.program(python, words).env("PYTHONDONTWRITEBYTECODE", "1");
    if let Some(folder) = engines {
        tests = tests.env("TOOLWEIR_ENGINES", folder);
    }
    tests.within(repo.path(FOLDER).join("tests")).run()?;
    Ok(Done::Passed)
}

fn measure(repo: &Repo, target: &Path, folder: &Path, python: &Path, to_page: bool) -> Outcome {
    speed::core(repo, target, folder, python)?;
    let script = repo.path(FOLDER).join("bench").join("bench.py");
    let run = repo.program(python, [script.as_os_str(), "run".as_ref()]);
    let found = run.args([folder.join("works.json"), folder.join("rates.txt")]).stdout()?;
    let command = "cargo xtask python --bench --write";
    speed::tell(repo, to_page, (PAGE, "speed"), command, &found)?;
    let batch = repo.path(FOLDER).join("bench").join("batch.py");
    let found = repo.program(python, [batch.as_path(), folder]).stdout()?;
    speed::tell(repo, to_page, (PAGE, "batch"), command, &found)?;
    Ok(Done::Passed)
}

fn interpreter(environment: &Path) -> PathBuf {
    match cfg!(windows) {
        true => environment.join("Scripts").join("python.exe"),
        false => environment.join("bin").join("python"),
    }
}

fn remove(folder: &Path) -> Outcome<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if folder.exists() => Err(unusable(folder, &error)),
        _ => Ok(()),
    }
}

fn unusable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Check(format!("{}: {error}", path.display()))
}

fn last_line(said: &str) -> &str {
    said.trim().lines().last().unwrap_or("nothing was said")
}

#[cfg(test)]
mod tests {
    use super::{OLDEST, last_line, numbers};

    #[test]
    fn versions_are_read_and_compared() {
        assert_eq!(numbers("3 11\n"), Some((3, 11)));
        assert!(numbers("3 9").is_some_and(|version| version < OLDEST));
        assert!(numbers("3 11").is_some_and(|version| version > OLDEST));
        assert_eq!(numbers(""), None);
    }

    #[test]
    fn the_reason_of_a_failure_is_its_last_line() {
        assert_eq!(last_line("a\nERROR: b\n\n"), "ERROR: b");
        assert_eq!(last_line(""), "nothing was said");
    }
}
