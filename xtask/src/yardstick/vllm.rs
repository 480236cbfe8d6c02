//! The parsers of vLLM: they are no package of a registry, but stand in its source distribution.
//!
//! `pip` fetches that and unpacks it before it asks what it needs to be built; it is built nowhere. Two
//! folders of it are moved into the target folder, beside a manifest made of its own and the adapter of
//! `crates/bench/yardstick/adapters/vllm`.

use std::path::{Path, PathBuf};

use super::unread;
use crate::pip::last_line;
use crate::run::{Outcome, Repo};

const VERSION: &str = "0.33.0";
const ADAPTER: &str = "crates/bench/yardstick/adapters/vllm";
const YARDSTICK: &str = "crates/bench/yardstick";
/// What of the folder `rust` is needed.
const PARTS: [&str; 2] = ["src/parser", "src/tokenizer"];

/// The adapter, built, or why there is none.
pub(super) fn build(repo: &Repo, target: &Path) -> Outcome<Result<String, String>> {
    let folder = target.join("yardstick").join(format!("vllm-{VERSION}"));
    if !folder.join("Cargo.toml").is_file()
        && let Err(reason) = fetch(repo, target, &folder)?
    {
        return Ok(Err(format!("vLLM: {reason}")));
    }
    adapter(repo, &folder)?;
    let manifest = folder.join("Cargo.toml").display().to_string();
    let (built, said) = repo
        .cargo(["build", "--release", "--manifest-path", &manifest])
        .args(["--package", "yardstick-vllm"])
        .env("CARGO_TARGET_DIR", target)
        .quiet();
    let program = target.join("release").join("yardstick-vllm").display().to_string();
    Ok(if built { Ok(program) } else { Err(format!("vLLM: {}", last_line(&said))) })
}

/// Puts the two folders, the manifest and the lock file into `folder`.
fn fetch(repo: &Repo, target: &Path, folder: &Path) -> Outcome<Result<(), String>> {
    let work = target.join("yardstick").join("fetch");
    let environment = work.join("venv");
    let unpacked = work.join("unpacked");
    drop(std::fs::remove_dir_all(&unpacked));
    std::fs::create_dir_all(&unpacked).map_err(|e| unread(&unpacked, &e))?;
    let (made, said) = repo.program("python3", ["-m", "venv"]).args([&environment]).quiet();
    if !made {
        return Ok(Err(format!("no virtual environment of Python: {}", last_line(&said))));
    }
    // An environment without build tools: `pip` unpacks the sources and ends there, with an error.
    let words = ["-m", "pip", "download", "--no-clean", "--no-deps", "--no-build-isolation"];
    let (_, said) = repo
        .program(environment.join("bin").join("python"), words)
        .args(["--no-binary", ":all:", &format!("vllm=={VERSION}"), "--dest"])
        .args([&work])
        .env("TMPDIR", &unpacked)
        .quiet();
    let Some(rust) = rust_folder(&unpacked) else {
        return Ok(Err(format!("its sources cannot be had: {}", last_line(&said))));
    };
    for part in PARTS {
        let to = folder.join(part);
        drop(std::fs::remove_dir_all(&to));
        let above = to.parent().map_or(Ok(()), std::fs::create_dir_all);
        above
            .and_then(|()| std::fs::rename(rust.join(part), &to))
            .map_err(|e| unread(&rust.join(part), &e))?;
    }
    let lock = folder.join("Cargo.lock");
    std::fs::copy(rust.join("Cargo.lock"), &lock).map_err(|e| unread(&lock, &e))?;
    let manifest = std::fs::read_to_string(rust.join("Cargo.toml"));
    let manifest = manifest.map_err(|e| unread(&rust, &e))?;
    let manifest = match workspace(&manifest, &repo.path(YARDSTICK)) {
        Some(manifest) => manifest,
        None => return Ok(Err("its manifest is not what it was".to_owned())),
    };
    crate::npm::write(&folder.join("Cargo.toml"), &manifest)?;
    drop(std::fs::remove_dir_all(&work));
    Ok(Ok(()))
}

/// The folder `rust` of the sources below `unpacked`, two folders further down.
fn rust_folder(unpacked: &Path) -> Option<PathBuf> {
    let below = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
    };
    let folders = below(unpacked).into_iter().flat_map(|folder| below(&folder));
    folders.map(|folder| folder.join("rust")).find(|rust| rust.join(PARTS[0]).is_dir())
}

/// The manifest of its workspace, with the members that are there and the profile of the others. Profiles
/// are the last part of it.
fn workspace(manifest: &str, yardstick: &Path) -> Option<String> {
    const PACKAGES: &str = "[workspace.dependencies]\n";
    let (before, rest) = manifest.split_once("members = [")?;
    let (_, after) = rest.split_once(']')?;
    let members: Vec<String> =
        PARTS.iter().chain(&["adapter"]).map(|member| format!("{member:?}")).collect();
    let (workspace, packages) = after.split_once(PACKAGES)?;
    let packages = packages.split("\n[profile.").next()?;
    Some(format!(
        "{before}members = [{}]{workspace}{PACKAGES}toolweir-yardstick = {{ path = {:?} }}\n{packages}\n\
         [profile.release]\nlto = \"thin\"\ncodegen-units = 1\n",
        members.join(", "),
        yardstick.display().to_string(),
    ))
}

/// Copies our part beside theirs, as it is today.
fn adapter(repo: &Repo, folder: &Path) -> Outcome<()> {
    for file in ["Cargo.toml", "src/main.rs"] {
        let text = repo.read(&format!("{ADAPTER}/{file}"))?;
        let to = folder.join("adapter").join(file);
        if std::fs::read_to_string(&to).is_ok_and(|known| known == text) {
            continue;
        }
        crate::npm::write(&to, &text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_keeps_versions_and_names_what_is_there() {
        let theirs = "[workspace]\nmembers = [\n  \"src/server\",\n]\nresolver = \"3\"\n\
                      [workspace.dependencies]\nserde = \"1\"\n[profile.release]\npanic = \"abort\"\n";
        let ours: toml::Table = workspace(theirs, Path::new("there")).unwrap().parse().unwrap();
        let members = ours["workspace"]["members"].as_array().unwrap();
        assert_eq!(members.len(), 3);
        assert_eq!(ours["workspace"]["resolver"].as_str(), Some("3"));
        assert_eq!(ours["workspace"]["dependencies"]["serde"].as_str(), Some("1"));
        let path = &ours["workspace"]["dependencies"]["toolweir-yardstick"]["path"];
        assert_eq!(path.as_str(), Some("there"));
        assert!(ours["profile"]["release"].get("panic").is_none());
        assert!(workspace("[package]", Path::new("there")).is_none());
    }
}
