//! `cargo xtask package` and `cargo xtask deny`: what leaves the house, and what comes in.

use crate::run::{Done, Outcome, Repo, fail};

/// What cargo says when the registry cannot be reached, in lower case.
const UNREACHABLE: &[&str] = &[
    "could not resolve host",
    "couldn't resolve host",
    "failed to connect",
    "connection refused",
    "connection reset",
    "timed out",
    "timeout was reached",
    "spurious network error",
    "but --offline was specified",
    "failed to get a 200 ok response",
    "failed to query replaced source registry",
    "unable to update registry",
    "download of config.json failed",
];

/// Builds every publishable package from its own archive.
pub(crate) fn run(repo: &Repo) -> Outcome {
    println!("$ cargo package --workspace --exclude xtask --allow-dirty");
    let (passed, said) =
        repo.cargo(["package", "--workspace", "--exclude", "xtask", "--allow-dirty"]).quiet();
    eprint!("{said}");
    if passed {
        Ok(Done::Passed)
    } else if is_unreachable(&said) {
        Ok(Done::Skipped("the registry cannot be reached".into()))
    } else {
        fail("`cargo package` failed")
    }
}

/// Licences, bans and sources by `deny.toml`. Advisories need a database from outside and are
/// left to whoever has one.
pub(crate) fn deny(repo: &Repo) -> Outcome {
    if !repo.cargo(["deny", "--version"]).quiet().0 {
        return Ok(Done::Skipped("cargo-deny is not installed (cargo install cargo-deny)".into()));
    }
    repo.cargo(["deny", "--log-level", "error", "check", "bans", "licenses", "sources"]).run()?;
    Ok(Done::Passed)
}

fn is_unreachable(said: &str) -> bool {
    let said = said.to_lowercase();
    UNREACHABLE.iter().any(|sign| said.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::is_unreachable;

    #[test]
    fn a_network_that_is_away_is_told_from_a_broken_package() {
        assert!(is_unreachable("error: ...\nCaused by:\n  [6] Could not resolve host: example"));
        assert!(!is_unreachable("error: failed to verify package tarball"));
        assert!(!is_unreachable("error: 1 files in the working directory are dirty"));
    }
}
