//! Real clients before `toolweir serve`, which stands before a scripted upstream.
//!
//! The upstream writes what models write: eleven answers in each of eight wire formats, before a gateway
//! that puts the tools into the prompt, and native answers, right and damaged, before one that passes
//! them on. Every client asks for all of it, streamed and whole, with its own package and its own helper
//! (`xtask/sdk/gateway/client.mjs` and `client.py`), and says what it got. With `--write` the table goes
//! into `docs/gateway-clients.md`.
//!
//! The packages lie in folders of the target folder at the versions of `package-lock.json` and
//! `requirements.txt`. Without Node, Python or their registries their clients are left out.

mod beside;
mod clients;
mod damage;
mod page;
mod scenarios;
mod upstream;
mod verdict;

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::clients::{Client, Jobs, Run};
use self::scenarios::Scenario;
use self::verdict::{Seen, Wanted};
use crate::npm::write;
use crate::run::{Done, Failure, Outcome, Repo, Running, fail};

/// What is installed and printed, below the target folder.
const FOLDER: &str = "sdk-gateway";

/// Where the gateway finds the settings that have no flag.
const SETTINGS: &str = "keep-alive-seconds = 1\nsilence-timeout-seconds = 30\n";

/// How long a gateway may take until it answers.
const PATIENCE: Duration = Duration::from_secs(20);

/// Answers that are not as they should be, for a reason outside the gateway.
struct Excuse {
    clients: &'static [&'static str],
    rows: &'static [&'static str],
    /// How the difference begins.
    what: &'static str,
    reason: &'static str,
}

const EXCUSED: &[Excuse] = &[Excuse {
    clients: &["anthropic-python", "anthropic-node"],
    rows: &["cut by length in a call", "`length` inside a call", "`length` inside markup"],
    what: "calls [{\"input\":{},\"name\":\"get_weather\"}], not []",
    reason: "streamed, the packages give a call that the token limit has cut as one with the input `{}`, as \
             they do before Anthropic's own service; the stop reason `max_tokens` says that it is not to run",
}];

impl Excuse {
    fn covers(&self, client: &str, cell: &Cell) -> bool {
        let named = self.clients.contains(&client) && self.rows.contains(&cell.row);
        named && cell.wrong.as_deref() == Some(self.what)
    }
}

/// A group of scenarios before one gateway.
struct Group {
    name: &'static str,
    mode: &'static str,
    format: &'static str,
    scenarios: Vec<Scenario>,
}

/// What one client made of one scenario.
struct Cell {
    client: usize,
    row: &'static str,
    /// What it was, for the log.
    name: String,
    wrong: Option<String>,
}

/// Node of this major version from the packages of the clients, once they are installed.
pub(super) fn own_node(repo: &Repo, target: &Path) -> Option<(u32, PathBuf)> {
    let folder = target.join(FOLDER).join(clients::NODE_FOLDER);
    clients::own_node(repo, &folder).map(|node| (clients::NODE, node))
}

/// What is wanted beside the comparison.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    /// The tables go into the page.
    pub(super) to_page: bool,
    /// LiteLLM is asked the same.
    pub(super) beside: bool,
}

/// Runs every client that can be had.
pub(super) fn run(repo: &Repo, program: &Path, target: &Path, asked: Asked) -> Outcome {
    let to_page = asked.to_page;
    let folder = target.join(FOLDER);
    let (clients, left) = clients::find(repo, &folder)?;
    for reason in &left {
        println!("{reason}");
    }
    if clients.is_empty() {
        return Ok(Done::Skipped("no client of the gateway can be had".into()));
    }
    if to_page && !left.is_empty() {
        return fail("the table is written from a run of all clients");
    }
    let groups = groups(repo, program, &folder)?;
    let scripts: BTreeMap<_, _> = groups
        .iter()
        .flat_map(|group| &group.scenarios)
        .map(|scenario| (scenario.model.clone(), scenario.script.clone()))
        .collect();
    let upstream = upstream::start(scripts)?;
    let gateways = Gateways::start(repo, program, &folder, upstream, &groups)?;
    let all: Vec<_> = groups.iter().zip(gateways.addresses.iter().copied()).collect();
    let native = |address| groups.iter().skip(scenarios::FORMATS.len()).map(move |g| (g, address));
    let jobs = |name, list: Value| {
        let file = folder.join(name);
        write(&file, &list.to_string()).map(|()| file)
    };
    let litellm = match asked.beside {
        true => beside::start(repo, &folder, upstream)?,
        false => None,
    };
    let jobs = Jobs {
        gateway: jobs("gateway.json", list(&all, &STREAMS))?,
        direct: jobs("direct.json", list(&native(upstream).collect::<Vec<_>>(), &[true]))?,
        beside: match &litellm {
            Some((_, address)) => Some(jobs(
                "beside.json",
                list(&native(*address).collect::<Vec<_>>(), &beside::STREAMS),
            )?),
            None => None,
        },
    };
    let runs = clients::all(repo, &folder, &clients, &jobs)?;
    drop(gateways);
    let litellm = litellm.map(|(proxy, _)| {
        proxy.running.stop();
        proxy.version
    });

    let cells = judged(&groups, &runs, &STREAMS, |run| &run.seen);
    let wrong = told(&clients, &cells)?;
    if let Some(version) = litellm {
        let native = groups.get(scenarios::FORMATS.len()..).unwrap_or_default();
        let theirs = judged(native, &runs, &beside::STREAMS, |run| &run.beside);
        beside::told(repo, &clients, &theirs, &version, to_page)?;
    }
    let without = without(&clients, &groups, &runs)?;
    if to_page {
        page::write(repo, &page::Found { clients: &clients, runs: &runs, cells: &cells, without })?;
    }
    let (answers, excused) =
        (cells.len(), cells.iter().filter(|cell| cell.wrong.is_some()).count());
    println!(
        "{} clients before the gateway: {answers} answers, {wrong} wrong, {} excused",
        clients.len(),
        excused - wrong
    );
    if wrong == 0 { Ok(Done::Passed) } else { fail("clients of the gateway got wrong answers") }
}

fn groups(repo: &Repo, program: &Path, folder: &Path) -> Outcome<Vec<Group>> {
    let mut groups = Vec::new();
    for format in scenarios::FORMATS {
        let scenarios = scenarios::all(repo, program, folder, format)?;
        groups.push(Group { name: format.name, mode: "emulate", format: format.name, scenarios });
    }
    let scenarios = damage::all();
    groups.push(Group { name: "native", mode: "clean", format: "auto", scenarios });
    Ok(groups)
}

/// What the clients are to ask, and where.
fn list(groups: &[(&Group, SocketAddr)], streams: &[bool]) -> Value {
    let mut jobs = Vec::new();
    for (group, address) in groups {
        for Scenario { row, model, rounds, .. } in &group.scenarios {
            for stream in streams {
                jobs.push(json!({
                    "name": name(group.name, row, *stream), "base": format!("http://{address}/v1"),
                    "model": model, "stream": stream, "rounds": rounds,
                }));
            }
        }
    }
    json!({"tools": scenarios::tools(), "result": upstream::RESULT, "jobs": jobs})
}

const STREAMS: [bool; 2] = [true, false];

fn name(group: &str, row: &str, stream: bool) -> String {
    format!("{group}: {row} ({})", if stream { "streamed" } else { "whole" })
}

/// One cell for every answer that a client should have got.
fn judged(
    groups: &[Group],
    runs: &[Run],
    streams: &[bool],
    seen: impl Fn(&Run) -> &Vec<Seen>,
) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (client, run) in runs.iter().enumerate() {
        for group in groups {
            for Scenario { row, wanted, .. } in &group.scenarios {
                for stream in streams {
                    let name = name(group.name, row, *stream);
                    let wrong = judge(wanted, &name, seen(run));
                    cells.push(Cell { client, row, name, wrong });
                }
            }
        }
    }
    cells
}

fn judge(wanted: &Wanted, name: &str, seen: &[Seen]) -> Option<String> {
    match seen.iter().find(|seen| seen.name == name) {
        Some(seen) => wanted.judge(seen),
        None => Some("no line of the client".to_owned()),
    }
}

/// How many of the native answers each client gets right without the gateway, where it was asked. The
/// damaged ones cannot all be right: that would be this judge's fault.
fn without(clients: &[Client], groups: &[Group], runs: &[Run]) -> Outcome<Vec<Option<usize>>> {
    let mut counts = Vec::new();
    for (Client { key, .. }, run) in clients.iter().zip(runs) {
        if run.direct.is_empty() {
            counts.push(None);
            continue;
        }
        let native = groups.iter().skip(scenarios::FORMATS.len());
        let all: Vec<_> = native
            .flat_map(|group| group.scenarios.iter().map(move |scenario| (group, scenario)))
            .map(|(group, Scenario { row, wanted, .. })| {
                judge(wanted, &name(group.name, row, true), &run.direct)
            })
            .collect();
        let right = all.iter().filter(|wrong| wrong.is_none()).count();
        if right == 0 || right == all.len() {
            return fail(format!("{key} without the gateway: {right} of {} right", all.len()));
        }
        println!("{key}, without the gateway: {right} of {} right", all.len());
        counts.push(Some(right));
    }
    Ok(counts)
}

/// Prints what is wrong and not excused; gives how much of it there is.
fn told(clients: &[Client], cells: &[Cell]) -> Outcome<usize> {
    let mut wrong = 0;
    for cell in cells {
        let Some(Client { key, .. }) = clients.get(cell.client) else { continue };
        let Some(what) = &cell.wrong else { continue };
        if !EXCUSED.iter().any(|excuse| excuse.covers(key, cell)) {
            println!("{key}: {}: {what}", cell.name);
            wrong += 1;
        }
    }
    for excuse in EXCUSED {
        for (at, Client { key, .. }) in clients.iter().enumerate() {
            for row in excuse.rows.iter().filter(|_| excuse.clients.contains(key)) {
                let mut own = cells.iter().filter(|cell| cell.client == at && cell.row == *row);
                if !own.any(|cell| excuse.covers(key, cell)) {
                    return fail(format!("nothing to excuse any more: {key}, {row}"));
                }
            }
        }
    }
    Ok(wrong)
}

/// Gateways that run, one a group.
struct Gateways {
    running: Vec<Running>,
    addresses: Vec<SocketAddr>,
}

impl Gateways {
    fn start(
        repo: &Repo,
        program: &Path,
        folder: &Path,
        upstream: SocketAddr,
        groups: &[Group],
    ) -> Outcome<Self> {
        let settings: PathBuf = folder.join("gateway.toml");
        write(&settings, SETTINGS)?;
        let mut all = Self { running: Vec::new(), addresses: Vec::new() };
        for group in groups {
            let address = free()?;
            let (listen, url) = (address.to_string(), format!("http://{upstream}"));
            let words = ["serve", "--listen", &listen, "--upstream", &url, "--mode", group.mode];
            let program = repo.program(program, words).args(["--format", group.format, "--config"]);
            let program = program.args([&settings]).env("TOOLWEIR_LOG", "error");
            all.running.push(program.start()?);
            all.addresses.push(address);
        }
        let started = Instant::now();
        for address in &all.addresses {
            while TcpStream::connect(address).is_err() {
                if started.elapsed() > PATIENCE {
                    return fail(format!("the gateway on {address} does not answer"));
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        Ok(all)
    }
}

impl Drop for Gateways {
    fn drop(&mut self) {
        for running in self.running.drain(..) {
            running.stop();
        }
    }
}

/// A port that is free for the moment.
fn free() -> Outcome<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0));
    listener
        .and_then(|listener| listener.local_addr())
        .map_err(|e| Failure::Check(format!("no port is free: {e}")))
}
