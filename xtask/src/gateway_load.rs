//! `cargo xtask gateway-load`: what the gateway adds to a stream, beside nginx where it is installed.
//!
//! The example `load` of `toolweir-gateway` is upstream and client, on one core; the gateway and nginx
//! (one worker, buffering off, a plain pass-through) have the other, one worker each, and so has LiteLLM with
//! `--beside`. Latency is arrival less the time written into the token. Everything of one table is from one
//! run; without `--work` all tables of `docs/gateway-load.md` are.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use crate::args::Args;
use crate::codegen::regions;
use crate::litellm::{self, LiteLlm};
use crate::metadata::Workspace;
use crate::run::{Done, Failure, Outcome, Program, Repo, Running, fail};

const UPSTREAM: u16 = 18080;
const GATEWAY: u16 = 18081;
const NGINX: u16 = 18082;
const LITELLM: u16 = 18083;

const PAGE: &str = "docs/gateway-load.md";

/// One table: what is asked, of whom.
struct Table {
    title: String,
    words: Vec<String>,
    /// Wires in which the gateway is asked.
    wires: &'static [&'static str],
    /// Words for LiteLLM, which gets a run of its own size.
    beside: Option<&'static str>,
}

const CHAT: &[&str] = &["chat"];
const ALL: &[&str] = &["chat", "messages", "responses"];

/// The tables of the page: title, words, wires, words for LiteLLM.
const TABLES: &[(&str, &str, &[&str], Option<&str>)] = &[
    (
        "200 tokens at 20 a second in each stream, as text",
        "--streams 10,100,300,1000",
        CHAT,
        Some("--streams 10,30"),
    ),
    (
        "The same in an argument of a call that the model writes as text",
        "--kind hermes --streams 100",
        ALL,
        None,
    ),
    ("The same in an argument of a native call", "--kind native --streams 100", ALL, None),
    (
        "Full speed, 20,000 tokens a stream, as text",
        "--work full --streams 8 --tokens 20000",
        ALL,
        Some("--work full --streams 8 --tokens 1000"),
    ),
    (
        "Full speed, in an argument of a call that the model writes as text",
        "--work full --kind hermes --streams 8 --tokens 20000",
        ALL,
        None,
    ),
    ("Clients that leave after the first token", "--work leave --streams 20", CHAT, None),
    (
        "Clients that read nothing for six seconds, streams at full speed",
        "--work stall --streams 10",
        CHAT,
        None,
    ),
    ("Five paced streams, alone and beside some at full speed", "--work starve", CHAT, None),
];

/// Runs the tables.
pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let mode = args.value("--mode")?.unwrap_or_else(|| "clean".to_owned());
    let (beside, to_page) = (args.flag("--beside"), args.flag("--write"));
    let tables = tables(&mut args)?;
    args.done()?;
    let target = PathBuf::from(Workspace::load(repo)?.target_directory);
    repo.cargo(["build", "--release", "-p", "toolweir-cli"]).run()?;
    repo.cargo(["build", "--release", "-p", "toolweir-gateway", "--example", "load"]).run()?;
    let all = All::start(repo, &target, &mode, beside)?;
    let load = target.join("release").join("examples").join("load");
    let mut page = String::new();
    let measured = tables.iter().try_for_each(|table| {
        println!("\n{}\n", table.title);
        let told = all.measure(repo, &load, table)?;
        print!("{told}");
        let _ = write!(page, "\n**{}** (`{}`)\n\n{told}", table.title, table.words.join(" "));
        Ok(())
    });
    let peers = all.peers();
    all.stop();
    measured?;
    if !to_page {
        return Ok(Done::Passed);
    }
    let commit = repo.program("git", ["rev-parse", "--short", "HEAD"]).stdout()?;
    let page = format!(
        "Commit `{}`, `cargo xtask gateway-load --beside --write`{peers}.\n{page}",
        commit.trim()
    );
    let new = regions::replace(&repo.read(PAGE)?, "load", &page)
        .map_err(|e| Failure::Check(format!("{PAGE}: {e}")))?;
    repo.write(PAGE, &new)?;
    println!("wrote {PAGE}");
    Ok(Done::Passed)
}

/// The one table that the flags ask for, or all of the page.
fn tables(args: &mut Args) -> Outcome<Vec<Table>> {
    let mut words = Vec::new();
    for flag in ["--work", "--streams", "--tokens", "--rate", "--kind"] {
        if let Some(value) = args.value(flag)? {
            words.extend([flag.to_owned(), value]);
        }
    }
    if !words.is_empty() {
        return Ok(vec![Table { title: "As asked".to_owned(), words, wires: ALL, beside: None }]);
    }
    let owned = |words: &str| words.split(' ').map(str::to_owned).collect();
    let table = |&(title, words, wires, beside): &(&str, &str, &'static [&'static str], _)| Table {
        title: title.to_owned(),
        words: owned(words),
        wires,
        beside,
    };
    Ok(TABLES.iter().map(table).collect())
}

/// What runs on the other core.
struct All {
    gateway: Running,
    nginx: Option<Running>,
    litellm: Option<LiteLlm>,
}

impl All {
    fn start(repo: &Repo, target: &Path, mode: &str, beside: bool) -> Outcome<Self> {
        let upstream = format!("http://127.0.0.1:{UPSTREAM}");
        let listen = format!("127.0.0.1:{GATEWAY}");
        let words = ["serve", "--upstream", &upstream, "--listen", &listen, "--mode", mode];
        let gateway = pinned(repo, "1", &target.join("release").join("toolweir"), &words);
        let gateway =
            gateway.env("TOOLWEIR_LOG", "off").env("TOKIO_WORKER_THREADS", "1").start()?;
        let mut all = Self { gateway, nginx: None, litellm: None };
        match all.others(repo, target, &upstream, beside) {
            Ok(()) => Ok(all),
            Err(failure) => {
                all.stop();
                Err(failure)
            }
        }
    }

    fn others(&mut self, repo: &Repo, target: &Path, upstream: &str, beside: bool) -> Outcome<()> {
        self.nginx = nginx(repo, &target.join("gateway-load"))?;
        if self.nginx.is_none() {
            println!("nginx is left out: it is not installed");
        }
        if beside {
            let address = SocketAddr::from(([127, 0, 0, 1], LITELLM));
            let on = |program: &Path, words: &[&str]| pinned(repo, "1", program, words);
            match litellm::start(repo, &target.join("litellm"), upstream, address, on)? {
                Ok(running) => self.litellm = Some(running),
                Err(reason) => println!("LiteLLM is left out: {reason}"),
            }
        }
        Ok(())
    }

    /// The table in Markdown, the rows of LiteLLM last.
    fn measure(&self, repo: &Repo, load: &Path, table: &Table) -> Outcome<String> {
        let mut targets = vec![format!("direct=127.0.0.1:{UPSTREAM}")];
        for wire in table.wires {
            let (name, pid) = (format!("gateway, {wire}"), self.gateway.id());
            targets.push(format!("{name}=127.0.0.1:{GATEWAY}={pid}={wire}"));
        }
        if let Some(nginx) = &self.nginx {
            targets.push(format!("nginx=127.0.0.1:{NGINX}={}", nginx.id()));
        }
        let ask = |targets: &[String], words: &[&str]| {
            let upstream = UPSTREAM.to_string();
            let mut all: Vec<&str> = targets.iter().map(String::as_str).collect();
            all.extend(words);
            all.extend(["--upstream", &upstream]);
            pinned(repo, "0", load, &all).stdout()
        };
        let words: Vec<&str> = table.words.iter().map(String::as_str).collect();
        let mut told = ask(&targets, &words)?;
        if let Some((litellm, words)) = self.litellm.as_ref().zip(table.beside) {
            let target = format!("LiteLLM=127.0.0.1:{LITELLM}={}", litellm.running.id());
            let words: Vec<&str> = words.split(' ').collect();
            let theirs = ask(&[target], &words)?;
            // Its head is the same.
            told.extend(theirs.split_inclusive('\n').skip(2));
        }
        if told.lines().count() < 3 {
            return fail(format!("nothing was measured of `{}`", table.words.join(" ")));
        }
        Ok(told)
    }

    /// Who else was measured.
    fn peers(&self) -> String {
        let litellm = self.litellm.as_ref().map(|l| format!("LiteLLM {}", l.version));
        let nginx = self.nginx.as_ref().map(|_| "nginx".to_owned());
        let peers: Vec<String> = nginx.into_iter().chain(litellm).collect();
        if peers.is_empty() { String::new() } else { format!("; beside {}", peers.join(" and ")) }
    }

    fn stop(self) {
        self.gateway.stop();
        if let Some(nginx) = self.nginx {
            nginx.stop();
        }
        if let Some(litellm) = self.litellm {
            litellm.running.stop();
        }
    }
}

/// The program on that core, where cores can be chosen.
fn pinned(repo: &Repo, core: &str, program: &Path, words: &[&str]) -> Program {
    let (can, _) = repo.program("taskset", ["--version"]).quiet();
    let program = program.as_os_str();
    match can {
        true => repo.program("taskset", ["-c", core]).args([program]).args(words),
        false => repo.program(program, words),
    }
}

/// nginx as one process in the foreground, so that its time is the time of one process.
fn nginx(repo: &Repo, folder: &Path) -> Outcome<Option<Running>> {
    let Some(program) = ["nginx", "/usr/sbin/nginx"].into_iter().find(|name| {
        let (found, _) = repo.program(*name, ["-v"]).quiet();
        found
    }) else {
        return Ok(None);
    };
    let folder_text = folder.display();
    let config = format!(
        "daemon off; master_process off; worker_processes 1; pid {folder_text}/pid; error_log stderr crit;\n\
         events {{ worker_connections 8192; }}\n\
         http {{ access_log off; client_body_temp_path {folder_text}; proxy_temp_path {folder_text};\n\
         fastcgi_temp_path {folder_text}; uwsgi_temp_path {folder_text}; scgi_temp_path {folder_text};\n\
         server {{ listen 127.0.0.1:{NGINX}; location / {{ proxy_pass http://127.0.0.1:{UPSTREAM};\n\
         proxy_http_version 1.1; proxy_buffering off; }} }} }}\n"
    );
    let path = folder.join("nginx.conf");
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, config));
    written.map_err(|e| Failure::Check(format!("cannot write {}: {e}", path.display())))?;
    let config = path.display().to_string();
    let nginx =
        pinned(repo, "1", Path::new(program), &["-p", &folder_text.to_string(), "-c", &config]);
    Ok(Some(nginx.start()?))
}
