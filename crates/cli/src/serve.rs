//! `toolweir serve`: the gateway, with its flags, the environment and a file.

use std::path::Path;
use std::str::FromStr as _;

use toolweir_gateway::{CONTENT_TARGETS, ConfigError, Constrain, Key, Settings};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::args::{LogFormat, ServeArgs, Setting};
use crate::failure::{Failure, Verdict};
use crate::input;
use crate::term::Out;

pub(crate) fn run(args: &ServeArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    let settings = settings(args)?;
    if args.check {
        for line in toolweir_gateway::check(settings, args.demo).map_err(refused)? {
            out.line(&line)?;
        }
        return Ok(Verdict::Fine);
    }
    logs(args)?;
    toolweir_gateway::run(settings, args.demo).map_err(refused)?;
    Ok(Verdict::Fine)
}

fn refused(error: ConfigError) -> Failure {
    Failure::Usage(error.to_string())
}

/// Flags, else the environment, else the file.
fn settings(args: &ServeArgs) -> Result<Settings, Failure> {
    let file = match &args.config {
        Some(path) => file(path)?,
        None => Settings::default(),
    };
    let environment = Settings::from_env(|name| std::env::var(name).ok()).map_err(refused)?;
    Ok(flags(args)?.or(environment).or(file))
}

fn file(path: &Path) -> Result<Settings, Failure> {
    let name = input::name(Some(path));
    let text = std::fs::read_to_string(path).map_err(|error| input::unreadable(&name, &error))?;
    Settings::from_toml(&text).map_err(|error| {
        Failure::usage(format!("`{name}`: {error}"), "see docs/gateway.md for the keys")
    })
}

fn flags(args: &ServeArgs) -> Result<Settings, Failure> {
    let mut settings = Settings::default();
    settings.listen.clone_from(&args.listen);
    settings.upstream.clone_from(&args.upstream);
    settings.upstream_kind = args.upstream_kind;
    settings.mode = args.mode;
    settings.format.clone_from(&args.format);
    settings.spec.clone_from(&args.specs);
    settings.upstream_ca.clone_from(&args.upstream_ca);
    settings.record.clone_from(&args.record);
    settings.drain_seconds = args.drain_seconds;
    settings.constrain = match args.no_constrain {
        true => Some(Constrain::Off),
        false => args.constrain,
    };
    let pairs = |list: &[Setting]| -> Vec<(String, String)> {
        list.iter().map(|Setting { key, value }| (key.clone(), value.clone())).collect()
    };
    settings.model_map = pairs(&args.models).into_iter().collect();
    settings.set = pairs(&args.options).into_iter().collect();
    settings.upstream_key = key(args.upstream_key_env.as_deref())?;
    settings.client_key = key(args.client_key_env.as_deref())?;
    Ok(settings)
}

/// The key in that variable: keys on a command line can be read by everyone on the machine.
fn key(variable: Option<&str>) -> Result<Option<Key>, Failure> {
    let Some(name) = variable else { return Ok(None) };
    match std::env::var(name) {
        Ok(key) if !key.is_empty() => Ok(Some(Key::new(key))),
        _ => Err(Failure::usage(
            format_args!("the variable {name} is not set"),
            "put the key into it",
        )),
    }
}

/// Logs on standard error, by `TOOLWEIR_LOG`: a level, or `target=level` separated by commas.
fn logs(args: &ServeArgs) -> Result<(), Failure> {
    let wanted = std::env::var("TOOLWEIR_LOG").unwrap_or_default();
    let targets = match wanted.as_str() {
        "" => Targets::new().with_target("toolweir_gateway", LevelFilter::INFO),
        words => Targets::from_str(words).map_err(|error| {
            Failure::usage(
                format_args!("TOOLWEIR_LOG={words}: {error}"),
                "write info, debug or target=level",
            )
        })?,
    };
    // Logs hold no contents, whatever the variable says.
    let targets = targets.with_targets(CONTENT_TARGETS.map(|target| (target, LevelFilter::OFF)));
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    let registry = tracing_subscriber::registry().with(targets);
    let installed = match args.log_format {
        LogFormat::Text => registry.with(lines).try_init(),
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).try_init(),
    };
    installed.map_err(|error| Failure::Finding(format!("logs cannot be written: {error}")))
}
