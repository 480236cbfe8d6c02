//! `toolweir` on the command line.
//!
//! Results go to standard output, trouble to standard error as one line that begins `toolweir: `.
//! Exit codes: 0 fine; 1 findings (a check failed, JSON that cannot be read); 2 wrong usage or
//! input that cannot be read. An output pipe that is closed early ends the program quietly.
//!
//! One file a command ([`parse`], [`demo`], [`diff`], [`detect`], [`prompt`], [`render`], [`check`], [`formats`],
//! [`json`], [`coerce`], [`xml`], [`serve`], [`replay`],
//! [`doctor`]); [`args`] describes them, [`input`] reads, [`source`] shows places in what was read, [`term`] decides what a terminal
//! may see. [`checkpoint`] is the part of `formats` that reads files.

mod args;
mod arguments;
mod check;
mod checkpoint;
mod coerce;
mod constrain;
mod demo;
mod detect;
mod diff;
mod doctor;
mod failure;
mod formats;
mod input;
mod json;
mod options;
mod parse;
mod prompt;
mod render;
mod replay;
mod serve;
mod source;
mod specs;
mod term;
mod tools;
mod xml;

use std::io::{self, BufWriter};
use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command};
use failure::{Failure, Verdict};
use term::{Look, Out};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return args::answer(&error),
    };
    let stdout = io::stdout();
    let look = Look::of(&stdout);
    let mut writer = BufWriter::new(stdout.lock());
    let mut out = Out::new(&mut writer, look);
    let result = run(&cli.command, &mut out).and_then(|verdict| {
        out.flush()?;
        Ok(verdict)
    });
    match result {
        Ok(Verdict::Fine) => ExitCode::SUCCESS,
        Ok(Verdict::Findings) => ExitCode::from(1),
        Err(failure) => failure.report(),
    }
}

fn run(command: &Command, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    match command {
        Command::Demo(args) => demo::run(args, out),
        Command::Parse(args) => parse::run(args, out),
        Command::Diff(args) => diff::run(args, out),
        Command::Detect(args) => detect::run(args, out),
        Command::Prompt(args) => prompt::run(args, out),
        Command::Render(args) => render::run(args, out),
        Command::Constrain(args) => constrain::run(args, out),
        Command::Serve(args) => serve::run(args, out),
        Command::Replay(args) => replay::run(args, out),
        Command::Doctor(args) => doctor::run(args, out),
        Command::Check(args) => check::run(args, out),
        Command::Formats(args) => formats::run(args, out),
        Command::Json(args) => json::run(args, out),
        Command::Coerce(args) => coerce::run(args, out),
        Command::Xml(args) => xml::run(args, out),
    }
}
