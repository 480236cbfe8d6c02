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
//!
//! Before that the clients of the three wires read what the gateway writes: see [`gateway`], whose packages
//! bring a newer Node where there is one for this kind of machine.

mod gateway;
mod jobs;

use std::path::{Path, PathBuf};

use crate::args::Args;
use crate::metadata::Workspace;
use crate::npm;
use crate::run::{Done, Outcome, Repo, fail};

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
const HARNESS: &str = "harness.mjs";

/// Both halves; a half that cannot be done says why.
pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let (only, to_page) = (args.flag("--gateway"), args.flag("--write"));
    let beside = args.flag("--beside");
    let program = args.value("--program")?.map(PathBuf::from);
    args.done()?;
    let target = PathBuf::from(Workspace::load(repo)?.target_directory);
    let program = match program {
        Some(program) => program,
        None => {
            repo.cargo(["build", "--quiet", "-p", "toolweir-cli"]).run()?;
            target.join("debug").join(format!("toolweir{}", std::env::consts::EXE_SUFFIX))
        }
    };
    let clients = gateway::run(repo, &program, &target, gateway::Asked { to_page, beside });
    if only {
        return clients;
    }
    if let Ok(Done::Skipped(why)) = &clients {
        println!("the gateway is left out: {why}");
    }
    let parts = parts(repo, &program, &target);
    clients.and(parts)
}

/// Runs every job in every version that a Node here can run.
fn parts(repo: &Repo, program: &Path, target: &Path) -> Outcome {
    let Some(node) = npm::node(repo) else {
        return Ok(Done::Skipped("node is not installed".into()));
    };
    let (node, interpreter) = match gateway::own_node(repo, target) {
        Some(newer) if newer.0 > node => newer,
        _ => (node, "node".into()),
    };
    let (chosen, left): (Vec<&Version>, Vec<&Version>) =
        VERSIONS.iter().partition(|version| version.node <= node);
    if chosen.is_empty() {
        return Ok(Done::Skipped(format!("no version of the SDK runs on Node {node}")));
    }
    let folder = target.join("sdk");
    if let Some(reason) = npm::install(repo, FOLDER, HARNESS, &folder)? {
        return Ok(Done::Skipped(reason));
    }
    let list = folder.join("jobs.json");
    npm::write(&list, &jobs::all(repo, program, &folder)?)?;

    let mut failed = Vec::new();
    for version in chosen {
        let harness = folder.join(HARNESS);
        let words = [harness.as_os_str(), version.package.as_ref(), version.specification.as_ref()];
        if repo.program(&interpreter, words).args([&list]).run().is_err() {
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
