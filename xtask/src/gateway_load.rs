//! `cargo xtask gateway-load`: what the gateway adds to a stream, beside nginx where it is installed.
//!
//! The example `load` of `toolweir-gateway` is upstream and client, on one core; the gateway and nginx
//! (one worker, buffering off, a plain pass-through) have the other, one worker each. Latency is arrival
//! less the time written into the token. Everything of one table is from one run.

use std::path::{Path, PathBuf};

use crate::args::Args;
use crate::metadata::Workspace;
use crate::run::{Done, Outcome, Program, Repo, Running};

const UPSTREAM: u16 = 18080;
const GATEWAY: u16 = 18081;
const NGINX: u16 = 18082;

/// Runs the table.
pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let streams = args.value("--streams")?.unwrap_or_else(|| "10,100".to_owned());
    let tokens = args.number("--tokens", 200)?.to_string();
    let rate = args.number("--rate", 20)?.to_string();
    let kind = args.value("--kind")?.unwrap_or_else(|| "text".to_owned());
    let mode = args.value("--mode")?.unwrap_or_else(|| "clean".to_owned());
    args.done()?;
    let target = PathBuf::from(Workspace::load(repo)?.target_directory);
    repo.cargo(["build", "--release", "-p", "toolweir-cli"]).run()?;
    repo.cargo(["build", "--release", "-p", "toolweir-gateway", "--example", "load"]).run()?;
    let release = target.join("release");
    let upstream = format!("http://127.0.0.1:{UPSTREAM}");
    let listen = format!("127.0.0.1:{GATEWAY}");
    let words = ["serve", "--upstream", &upstream, "--listen", &listen, "--mode", &mode];
    let gateway = pinned(repo, "1", &release.join("toolweir"), &words);
    let gateway = gateway.env("TOOLWEIR_LOG", "off").env("TOKIO_WORKER_THREADS", "1").start()?;
    let nginx = nginx(repo, &target.join("gateway-load"))?;
    let mut words = vec![format!("direct=127.0.0.1:{UPSTREAM}")];
    words.push(format!("gateway=127.0.0.1:{GATEWAY}={}", gateway.id()));
    match &nginx {
        Some(nginx) => words.push(format!("nginx=127.0.0.1:{NGINX}={}", nginx.id())),
        None => println!("nginx is left out: it is not installed"),
    }
    for (flag, value) in
        [("--streams", &streams), ("--tokens", &tokens), ("--rate", &rate), ("--kind", &kind)]
    {
        words.extend([flag.to_owned(), value.clone()]);
    }
    words.extend(["--upstream".to_owned(), UPSTREAM.to_string()]);
    let load = release.join("examples").join("load");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ran = pinned(repo, "0", &load, &words).run();
    gateway.stop();
    if let Some(nginx) = nginx {
        nginx.stop();
    }
    ran.map(|()| Done::Passed)
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
    written
        .map_err(|e| crate::run::Failure::Check(format!("cannot write {}: {e}", path.display())))?;
    let config = path.display().to_string();
    let nginx =
        pinned(repo, "1", Path::new(program), &["-p", &folder_text.to_string(), "-c", &config]);
    Ok(Some(nginx.start()?))
}
