//! Packages from npm for the commands that run Node: they lie in the target folder, at the versions
//! of a lock file of ours. What cannot be had is a reason to skip.

use std::path::Path;

use crate::run::{Failure, Outcome, Repo, fail};

const LOCK: &str = "package-lock.json";

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

/// The major version of Node, if there is one.
pub(crate) fn node(repo: &Repo) -> Option<u32> {
    if !repo.program("node", ["--version"]).quiet().0 {
        return None;
    }
    major(&repo.program("node", ["--version"]).stdout().ok()?)
}

/// The major version in `v20.1.0`.
fn major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Copies the lists of packages and the script from `source` (below the root) to `folder`, and
/// installs the packages there unless those of this lock are there; gives the reason if they cannot
/// be had.
pub(crate) fn install(
    repo: &Repo,
    source: &str,
    script: &str,
    folder: &Path,
) -> Outcome<Option<String>> {
    for name in ["package.json", LOCK, script] {
        write(&folder.join(name), &repo.read(&format!("{source}/{name}"))?)?;
    }
    let lock = repo.read(&format!("{source}/{LOCK}"))?;
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

/// Writes a file with the folders it needs.
pub(crate) fn write(path: &Path, text: &str) -> Outcome<()> {
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
