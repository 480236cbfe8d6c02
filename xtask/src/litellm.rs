//! LiteLLM's proxy, which the tables of the gateway show beside it: the packages of
//! `xtask/sdk/litellm/requirements.txt`, before one upstream that speaks chat completions, every model
//! name passed through.

use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::npm::write;
use crate::pip;
use crate::run::{Outcome, Program, Repo, Running, fail};

const FOLDER: &str = "xtask/sdk/litellm";
const PACKAGE: &str = "litellm";

/// What clients are to call themselves; it does not start without a key.
pub(crate) const KEY: &str = "none";

/// How long it may take until it listens: it imports some hundred packages.
const PATIENCE: Duration = Duration::from_secs(90);

/// LiteLLM, running.
pub(crate) struct LiteLlm {
    pub(crate) running: Running,
    pub(crate) version: String,
}

/// Starts it, or says why it cannot be had. `on` makes the program run where it should, a core say.
pub(crate) fn start(
    repo: &Repo,
    folder: &Path,
    upstream: &str,
    address: SocketAddr,
    on: impl FnOnce(&Path, &[&str]) -> Program,
) -> Outcome<Result<LiteLlm, String>> {
    let python = match pip::install(repo, FOLDER, folder)? {
        Ok(python) => python,
        Err(reason) => return Ok(Err(reason)),
    };
    let program = python.with_file_name(PACKAGE);
    let config = folder.join("config.json");
    write(&config, &settings(upstream).to_string())?;
    let (config, port) = (config.display().to_string(), address.port().to_string());
    let words =
        ["--config", &config, "--host", "127.0.0.1", "--port", &port, "--telemetry", "False"];
    let log = folder.join("log.txt");
    let running = on(&program, &words)
        // Without these it asks a server for prices, and writes a line a request.
        .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        .env("LITELLM_MODE", "PRODUCTION")
        .env("LITELLM_LOG", "ERROR")
        .log_to(&log)?
        .start()?;
    let started = Instant::now();
    while TcpStream::connect(address).is_err() {
        if started.elapsed() > PATIENCE {
            running.stop();
            return fail(format!("LiteLLM does not listen on {address}; see {}", log.display()));
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    let version = version(repo)?;
    Ok(Ok(LiteLlm { running, version }))
}

/// Responses would go to a path that the upstream has not, were they not made of chat completions.
fn settings(upstream: &str) -> serde_json::Value {
    json!({
        "model_list": [{"model_name": "*", "litellm_params": {
            "model": "hosted_vllm/*", "api_base": format!("{upstream}/v1"), "api_key": KEY,
            "use_chat_completions_api": true,
        }}],
        "general_settings": {"master_key": KEY},
        "litellm_settings": {"telemetry": false, "drop_params": true},
    })
}

/// The version that the list names.
fn version(repo: &Repo) -> Outcome<String> {
    let list = repo.read(&format!("{FOLDER}/requirements.txt"))?;
    let found = list.lines().find_map(|line| line.strip_prefix(PACKAGE)?.strip_prefix("=="));
    Ok(found.unwrap_or("of no version").to_owned())
}
