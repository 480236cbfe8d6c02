//! `cargo xtask sdk`: the AI SDK itself reads our stream parts.
//!
//! `toolweir parse --as ai-sdk` decodes recordings and fixtures, `xtask/sdk/harness.mjs` feeds the
//! parts to `streamText` as a provider would, and every view of the result (content, text, calls,
//! finish reason, chat message) has to be the right one: as `xtask/sdk/cases.toml` has it, and for
//! every fixture as our own folded turn has it.
//!
//! The packages come from npm at the versions of `xtask/sdk/package-lock.json` and lie in a folder
//! `sdk` of the target folder. Without Node, npm or a registry it is skipped. For another version,
//! change `xtask/sdk/package.json` and run `npm install --package-lock-only` beside it.

mod jobs;

use std::path::{Path, PathBuf};

use crate::metadata::Workspace;
use crate::run::{Done, Failure, Outcome, Repo, fail};

/// One major version of the SDK.
struct Version {
    /// Its name in `package.json`.
    package: &'static str,
    /// The version of the provider interface that its own providers have.
    specification: &'static str,
    /// The oldest major version of Node that it runs on.
    node: u32,
}

const VERSIONS: &[Version] = &[
    Version { package: "ai6", specification: "v3", node: 18 },
    Version { package: "ai7", specification: "v4", node: 22 },
];

const FOLDER: &str = "xtask/sdk";
const FILES: [&str; 3] = ["package.json", "package-lock.json", "harness.mjs"];

/// The lock that `node_modules` was installed from.
const INSTALLED: &str = "installed.json";

/// Installs what the lock names and nothing else, asks once more, and does not wait for long.
const INSTALL: &[&str] = &[
    "ci",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--engine-strict=false",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=1000",
    "--fetch-timeout=15000",
];

/// What npm's error code is when a package cannot be had, whatever the packages are like.
const UNREACHABLE: &[&str] = &[
    "E403",
    "E404",
    "E407",
    "E429",
    "E500",
    "E502",
    "E503",
    "E504",
    "EAI_AGAIN",
    "ECONNABORTED",
    "ECONNREFUSED",
    "ECONNRESET",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "ENOTCACHED",
    "ENOTFOUND",
    "EPIPE",
    "ERR_SOCKET_TIMEOUT",
    "ETARGET",
    "ETIMEDOUT",
    "FETCH_ERROR",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
];

/// Runs every job in every version that this Node can run.
pub(crate) fn run(repo: &Repo) -> Outcome {
    let Some(node) = node(repo) else {
        return Ok(Done::Skipped("node is not installed".into()));
    };
    let (chosen, left): (Vec<&Version>, Vec<&Version>) =
        VERSIONS.iter().partition(|version| version.node <= node);
    if chosen.is_empty() {
        return Ok(Done::Skipped(format!("no version of the SDK runs on Node {node}")));
    }
    let target = PathBuf::from(Workspace::load(repo)?.target_directory);
    let folder = target.join("sdk");
    copy(repo, &folder)?;
    if let Some(reason) = install(repo, &folder)? {
        return Ok(Done::Skipped(reason));
    }
    repo.cargo(["build", "--quiet", "-p", "toolweir-cli"]).run()?;
    let program = target.join("debug").join(format!("toolweir{}", std::env::consts::EXE_SUFFIX));
    let list = folder.join("jobs.json");
    write(&list, &jobs::all(repo, &program, &folder)?)?;

    let mut failed = Vec::new();
    for version in chosen {
        let harness = folder.join("harness.mjs");
        let words = [harness.as_os_str(), version.package.as_ref(), version.specification.as_ref()];
        if repo.program("node", words).args([&list]).run().is_err() {
            failed.push(version.package);
        }
    }
    for version in left {
        println!("{} is left out: it wants Node {}", version.package, version.node);
    }
    if failed.is_empty() {
        Ok(Done::Passed)
    } else {
        fail(format!("the SDK reads our parts otherwise: {}", failed.join(", ")))
    }
}

/// The major version of Node, if there is one.
fn node(repo: &Repo) -> Option<u32> {
    if !repo.program("node", ["--version"]).quiet().0 {
        return None;
    }
    major(&repo.program("node", ["--version"]).stdout().ok()?)
}

/// The major version in `v20.1.0`.
fn major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Puts the harness and the lists of packages where the packages go.
fn copy(repo: &Repo, folder: &Path) -> Outcome<()> {
    for name in FILES {
        write(&folder.join(name), &repo.read(&format!("{FOLDER}/{name}"))?)?;
    }
    Ok(())
}

/// Installs the packages unless those of this lock are there; gives the reason if they cannot be
/// had.
fn install(repo: &Repo, folder: &Path) -> Outcome<Option<String>> {
    let lock = repo.read(&format!("{FOLDER}/package-lock.json"))?;
    let installed = folder.join(INSTALLED);
    let there = std::fs::read_to_string(&installed).is_ok_and(|text| text == lock);
    if there && folder.join("node_modules").is_dir() {
        return Ok(None);
    }
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    if !repo.program(npm, ["--version"]).quiet().0 {
        return Ok(Some("npm is not installed".into()));
    }
    println!("$ npm {}", INSTALL.join(" "));
    let (passed, said) = repo.program(npm, INSTALL).args(["--prefix".as_ref(), folder]).quiet();
    if passed {
        return write(&installed, &lock).map(|()| None);
    }
    if let Some(code) = error_code(&said).filter(|code| UNREACHABLE.contains(code)) {
        return Ok(Some(format!("the registry does not give the packages ({code})")));
    }
    eprint!("{said}");
    fail("`npm ci` failed")
}

/// The code in npm's error output.
fn error_code(said: &str) -> Option<&str> {
    let line = |line: &'_ str| {
        let rest = line.strip_prefix("npm error code ");
        rest.or_else(|| line.strip_prefix("npm ERR! code ")).is_some()
    };
    said.lines().find(|l| line(l))?.split_whitespace().last()
}

fn write(path: &Path, text: &str) -> Outcome<()> {
    let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    folder
        .and_then(|()| std::fs::write(path, text))
        .map_err(|e| Failure::Check(format!("cannot write {}: {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::{UNREACHABLE, error_code, major};

    #[test]
    fn the_major_version_of_node_is_read() {
        assert_eq!(major("v22.23.3\n"), Some(22));
        assert_eq!(major("22.23.3"), None);
        assert_eq!(major(""), None);
    }

    #[test]
    fn a_registry_that_is_away_is_told_from_a_broken_lock() {
        let away = "npm warn old\nnpm error code ENOTFOUND\nnpm error syscall getaddrinfo\n";
        assert!(error_code(away).is_some_and(|code| UNREACHABLE.contains(&code)));
        let broken = "npm ERR! code EINTEGRITY\nnpm ERR! sha512 integrity checksum failed\n";
        assert_eq!(error_code(broken), Some("EINTEGRITY"));
        assert!(!UNREACHABLE.contains(&"EINTEGRITY") && !UNREACHABLE.contains(&"EUSAGE"));
        assert_eq!(error_code("it just died"), None);
    }
}
