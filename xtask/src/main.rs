//! `cargo xtask`: every check and chore of the workspace, with no tool needed but cargo itself.
//!
//! One file a command. A command returns [`Outcome`]: passed, skipped with a reason, or a failure.
//! Commands run other programs from the workspace root ([`run`]); what can be pure is pure and has
//! unit tests beside it. Tools that may be absent (nextest, cargo-deny, cargo-fuzz, a nightly, a
//! target) are asked for first, and their absence is a reason to skip, never a failure.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal: what it prints is what it gives"
)]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::string_slice))]

mod against;
mod args;
mod book;
mod ci;
mod clients;
mod codegen;
mod coverage;
mod detect;
mod dice;
mod features;
mod figures;
mod gateway_load;
mod grammars;
mod harness;
mod instructions;
mod js;
mod litellm;
mod memory;
mod metadata;
mod mutants;
mod new_format;
mod npm;
mod package;
mod peers;
mod pip;
mod python;
mod quotes;
mod run;
mod sdk;
mod snapshots;
mod speed;
mod tidy;
mod wasm;
mod yardstick;

use std::process::ExitCode;

use args::Args;
use run::{Done, Failure, Outcome, Repo};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci [--keep-going] [--only STEP,STEP] [--skip STEP,STEP]
                                  every check, in order; stops at the first failure
  snapshots [--check | --accept] [FILTER]
                                  compare fixtures with their snapshots, or write them; FILTER is
                                  a part of their paths
  against COMMIT [--mutations N] [--seed S] [--filter WORD] [--show N]
                                  what that commit and this tree read differently, on every
                                  fixture, every vector text and N mutations of each
  quotes [--seed S] [--calls N] [--format NAME] [--corpus DIR] [--show N]
                                  calls whose content is code with its quotes unescaped: how many
                                  run as written, none may run otherwise
  peers [--cases N] [--seed S] [--show N] [--write]
                                  damaged calls, as we and the TypeScript middleware read them:
                                  every difference has a reason; --write puts the tables into
                                  docs/peers.md (needs Node, npm, a registry)
  mutants [--only WORD | --list]  features of docs/founding-systems.md taken out one by one in a copy:
                                  the test that the row cites must fail (takes minutes)
  detect [PATH]                   how many texts of vector files that hold a call are detected as what
                                  they are, with the confusions; fails below 97 of 100
  codegen [--check]               write the generated regions of docs/, or compare them
  new-format NAME [--pattern PATTERN]
                                  write the skeleton of a wire format and its first fixture
  tidy                            ranks, words, layout, manifests, dependency counts; reports sizes
  features                        check every feature alone, none, and all
  wasm                            build the core crates for wasm32-unknown-unknown
  sdk [--gateway [--beside]] [--write] [--program PATH]
                                  the AI SDK reads our stream parts, and the clients of the three wires
                                  what the gateway writes (needs Node or Python, and a registry);
                                  --gateway does only that, --beside asks LiteLLM the same, --write
                                  puts the tables into docs/gateway-clients.md, --program is a toolweir
                                  built before
  python [--release] [--engines] [--bench [--write]]
                                  build the wheel, install it into an empty environment, run its tests,
                                  with --engines on the base classes of vLLM and SGLang; or measure it
                                  beside the core alone and others, --write puts the tables into
                                  docs/python.md (needs Python, registries)
  gateway-load [--mode MODE] [--beside] [--write] [--work paced|full|leave|stall|starve]
    [--streams N,…] [--tokens N] [--rate N] [--kind text|hermes|native]
                                  what the gateway adds, beside nginx where it is installed and with
                                  --beside LiteLLM (a release build; Linux): all tables of
                                  docs/gateway-load.md, or the one that the flags ask for; --write
                                  puts them there
  js [--bench [--write]]          the npm package: built, packed, installed and tested; or measured beside
                                  the core alone and others, --write puts the table into
                                  docs/javascript.md (needs Node, npm, the wasm target, a registry)
  clients                         the packages for rig and genai: lints and tests (needs registries)
  grammars                        llguidance and XGrammar read our grammars (needs registries)
  coverage                        how much of ranks 0 to 3 their tests reach (needs cargo-llvm-cov)
  book                            the pages of docs/ as a site in target/book (needs mdbook)
  asan                            the tests of ranks 0 to 3 under AddressSanitizer
  miri                            unit tests of ranks 0 and 1 and a few laws (needs Miri)
  deny                            licences, bans and sources by deny.toml (needs cargo-deny)
  fuzz --smoke                    the stable fuzz harness on a fixed seed
  fuzz TARGET [--seconds N]       coverage-guided, with cargo-fuzz on a nightly
  bench [--smoke] [--only NAME]   the benchmarks or one of their tables, whole or one short round
  bench --write [--only NAME]     measure the tables of docs/performance.md, or one of them, anew
  yardstick [--write] [--only WORD,WORD] [--rounds N] [--json]
                                  streamed tool calls beside other Rust libraries, in one run; WORD is a
                                  format or a part of a work's name; --write puts the tables into
                                  docs/performance.md (needs registries; what cannot be had is left out)
  instructions [--write]          how many instructions some works take, held to committed numbers; --write
                                  commits new ones (needs valgrind, x86-64 with AVX2)
  package                         build every publishable crate as it would be uploaded
";

fn main() -> ExitCode {
    let result = Repo::find().and_then(|repo| dispatch(&repo, Args::new(std::env::args().skip(1))));
    match result {
        Ok(Done::Passed) => ExitCode::SUCCESS,
        Ok(Done::Skipped(why)) => {
            println!("skipped: {why}");
            ExitCode::SUCCESS
        }
        Err(Failure::Check(what)) => {
            eprintln!("error: {what}");
            ExitCode::FAILURE
        }
        Err(Failure::Usage(what)) => {
            eprintln!("error: {what}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn dispatch(repo: &Repo, mut args: Args) -> Outcome {
    let Some(command) = args.free() else {
        return Err(Failure::Usage("no command given".into()));
    };
    match command.as_str() {
        "ci" => ci::run(repo, args),
        "snapshots" => snapshots::run(repo, args),
        "against" => against::run(repo, args),
        "quotes" => quotes::run(repo, args),
        "peers" => peers::run(repo, args),
        "mutants" => mutants::run(repo, args),
        "detect" => detect::run(repo, args),
        "codegen" => codegen::run(repo, args),
        "new-format" => new_format::run(repo, args),
        "tidy" => args.done().and_then(|()| tidy::run(repo)),
        "features" => args.done().and_then(|()| features::run(repo)),
        "wasm" => args.done().and_then(|()| wasm::run(repo)),
        "book" => args.done().and_then(|()| book::run(repo)),
        "coverage" => args.done().and_then(|()| coverage::run(repo)),
        "asan" => args.done().and_then(|()| memory::asan(repo)),
        "miri" => args.done().and_then(|()| memory::miri(repo)),
        "sdk" => sdk::run(repo, args),
        "gateway-load" => gateway_load::run(repo, args),
        "python" => python::run(repo, args),
        "js" => js::run(repo, args),
        "grammars" => args.done().and_then(|()| grammars::run(repo)),
        "clients" => args.done().and_then(|()| clients::run(repo)),
        "deny" => args.done().and_then(|()| package::deny(repo)),
        "fuzz" => harness::fuzz(repo, args),
        "bench" => harness::bench(repo, args),
        "instructions" => instructions::run(repo, args),
        "yardstick" => yardstick::run(repo, args),
        "package" => args.done().and_then(|()| package::run(repo)),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(Done::Passed)
        }
        other => Err(Failure::Usage(format!("unknown command `{other}`"))),
    }
}
