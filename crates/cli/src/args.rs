//! What the command line takes, and what it answers when that is wrong.

mod detect;
mod diff;
mod doctor;
mod parse;
mod prompt;
mod replay;
mod serve;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use detect::DetectArgs;
pub(crate) use diff::DiffArgs;
pub(crate) use doctor::DoctorArgs;
pub(crate) use parse::{FailOn, Input, ParseArgs, Patterns, Reading, Shape, Showing, Shows};
pub(crate) use prompt::{ConstrainArgs, Engine, Format, PromptArgs, RenderArgs, What};
pub(crate) use replay::ReplayArgs;
pub(crate) use serve::{LogFormat, ServeArgs};

use crate::input::Cut;
use crate::term;

/// Catches tool calls and reasoning in a language model's text stream.
///
/// Exit codes: 0 fine, 1 findings, 2 wrong usage or unreadable input.
#[derive(Debug, Parser)]
#[command(name = "toolweir", version, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the whole thing on an embedded recording, offline
    Demo(DemoArgs),
    /// Decode a model's output into events or a turn; exit code 1 where a call was lost
    Parse(Box<ParseArgs>),
    /// Show where two answers differ: transcripts, or events as `parse` prints them; exit code 1 where they do
    Diff(Box<DiffArgs>),
    /// Say which wire format a model writes, and why; exit code 1 where none was found
    Detect(DetectArgs),
    /// Put tools into the prompt of a model, and the calls and results so far into its messages
    Prompt(Box<PromptArgs>),
    /// Write tools, calls or a response as a wire format has them; exit code 1 where it cannot
    Render(Box<RenderArgs>),
    /// Write a grammar that holds a model to calls of a wire format; exit code 1 where there is none
    Constrain(Box<ConstrainArgs>),
    /// Stand in front of a model as an OpenAI and Anthropic endpoint
    Serve(Box<ServeArgs>),
    /// Answer recorded exchanges of `serve` again; exit code 1 where an answer is another one now
    Replay(Box<ReplayArgs>),
    /// Print an input in words that say nothing, for a bug report; exit code 1 where it then reads otherwise
    Doctor(Box<DoctorArgs>),
    /// Run vector files at every split
    Check(CheckArgs),
    /// List the wire formats, or make one from a checkpoint; exit code 1 where that says more than a format can
    Formats(FormatsArgs),
    /// Read JSON, strict, relaxed or damaged, and print strict JSON
    Json(JsonArgs),
    /// Make a JSON value fit a JSON Schema
    Coerce(CoerceArgs),
    /// Read the elements a model wrote, by a schema, and print their value as JSON
    Xml(XmlArgs),
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Do not pause between chunks
    #[arg(long)]
    pub(crate) fast: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Vector files, or folders of *.jsonl files
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Cases that are not supported count as failed
    #[arg(long)]
    pub(crate) require_all: bool,
    /// A wire format of your own, as a TOML or JSON file; may be repeated
    #[arg(long = "spec", value_name = "FILE")]
    pub(crate) specs: Vec<PathBuf>,
    /// The list of excused cases [default: fixtures/excuses.txt, where it exists]
    #[arg(long, value_name = "FILE")]
    pub(crate) excuses: Option<PathBuf>,
    /// Set a policy, a limit or an option for every case; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) options: Vec<Setting>,
    /// Print one JSON object a case, whatever its result
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct FormatsArgs {
    /// Print the formats as a Markdown table
    #[arg(long)]
    pub(crate) markdown: bool,
    /// Print every diagnostic code as a Markdown table
    #[arg(long)]
    pub(crate) diagnostics: bool,
    /// Print the options of --set as a Markdown table
    #[arg(long)]
    pub(crate) options: bool,
    /// Print the engine's states as a Mermaid diagram
    #[arg(long)]
    pub(crate) states: bool,
    /// Print, as a file for --spec, the format of a checkpoint's response template or schema: a folder with
    /// `response_template.json` or `tokenizer_config.json`, or such a file. What a format cannot say of it
    /// is told on standard error
    #[arg(long, value_name = "PATH")]
    pub(crate) from: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct JsonArgs {
    /// The JSON to read; `-` or none: standard input
    pub(crate) file: Option<PathBuf>,
    /// The grammar
    #[arg(long, value_enum, default_value_t = Grammar::Relaxed)]
    pub(crate) mode: Grammar,
    /// How to print [default: pretty on a terminal, else compact]
    #[arg(long, value_enum)]
    pub(crate) style: Option<Layout>,
    /// The JSON Schema of the value: with `--mode repair` its keys and types say which quotes end a damaged
    /// string, and what may have been meant otherwise is refused
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    /// The same as `--style pretty`
    #[arg(long, conflicts_with = "style")]
    pub(crate) pretty: bool,
    /// Read one value a line, and print one a line
    #[arg(long, conflicts_with = "pretty")]
    pub(crate) lines: bool,
    /// Print the members of objects in the order of their keys
    #[arg(long)]
    pub(crate) sort_keys: bool,
    /// Say on standard error what was repaired or looks odd
    #[arg(long)]
    pub(crate) diagnostics: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CoerceArgs {
    /// The JSON value; `-` or none: standard input
    pub(crate) file: Option<PathBuf>,
    /// The JSON Schema
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: PathBuf,
    /// The grammar of the value
    #[arg(long, value_enum, default_value_t = Grammar::Relaxed)]
    pub(crate) mode: Grammar,
    /// Set a policy, `allow=guess` for example; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) policy: Vec<Setting>,
    /// Every line is a value
    #[arg(long)]
    pub(crate) lines: bool,
    /// One member a line
    #[arg(long)]
    pub(crate) pretty: bool,
    /// Say on standard error what was changed, and what was ignored in the schema
    #[arg(long)]
    pub(crate) diagnostics: bool,
}

#[derive(Debug, Args)]
pub(crate) struct XmlArgs {
    /// The text to read; `-` or none: standard input
    pub(crate) file: Option<PathBuf>,
    /// The JSON Schema of the value [default: none, all text is strings]
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    /// What is accepted
    #[arg(long, value_enum, default_value_t = Markup::Repair)]
    pub(crate) mode: Markup,
    /// Every line is a text of its own
    #[arg(long)]
    pub(crate) lines: bool,
    /// Print one member a line, as on a terminal
    #[arg(long)]
    pub(crate) pretty: bool,
    /// Say on standard error what was repaired, dropped or assumed
    #[arg(long)]
    pub(crate) diagnostics: bool,
}

/// What `xml` accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Markup {
    /// One well-formed document without DOCTYPE
    Strict,
    /// Elements whose tags match
    Exact,
    /// Elements with broken tags repaired
    Repair,
}

/// The grammar that `json` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Grammar {
    /// RFC 8259
    Strict,
    /// JSON5, `#` comments, Python literals and more
    Relaxed,
    /// Relaxed, and whatever can be repaired
    Repair,
    /// Relaxed, cut anywhere: what is certain so far
    Partial,
}

/// How `json` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Layout {
    /// No whitespace
    Compact,
    /// A space after commas and colons
    Spaced,
    /// One member a line
    Pretty,
    /// The bytes of the source as far as they are strict JSON
    Source,
}

/// One `KEY=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) key: String,
    pub(crate) value: String,
}

impl std::str::FromStr for Setting {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word.split_once('=') {
            Some((key, value)) if !key.is_empty() => {
                Ok(Self { key: key.to_owned(), value: value.to_owned() })
            }
            _ => Err(String::from("write KEY=VALUE, `unclosed=text` for example")),
        }
    }
}

/// Prints help and version as they are, and everything else as one line with the fix.
pub(crate) fn answer(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A closed pipe ends quietly.
            let _ = write!(io::stdout(), "{error}");
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = write!(io::stderr(), "{error}");
            ExitCode::from(2)
        }
        _ => {
            term::complain(&complaint(&error.to_string()));
            ExitCode::from(2)
        }
    }
}

/// Folds the paragraphs of an argument error into one line; usage is left to `--help`.
fn complaint(rendered: &str) -> String {
    let lines = rendered.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let mut what = String::new();
    let mut fix = String::from("see `toolweir --help`");
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with("For more information")) {
        if let Some(tip) = line.strip_prefix("tip: ") {
            tip.clone_into(&mut fix);
        } else {
            if !what.is_empty() {
                what.push(' ');
            }
            what.push_str(line.strip_prefix("error: ").unwrap_or(line));
        }
    }
    format!("{what}; {fix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(words: &[&str]) -> String {
        let error = Cli::try_parse_from(["toolweir"].iter().chain(words)).unwrap_err();
        complaint(&error.to_string())
    }

    #[test]
    fn wrong_usage_is_one_line_with_a_fix() {
        assert_eq!(
            refused(&["parse", "--format", "hermes", "--as", "pdf"]),
            "invalid value 'pdf' for '--as <SHAPE>' [possible values: events, turn, segments, \
             openai, responses, anthropic, ai-sdk, ui-message, ag-ui, agent, host]; \
             see `toolweir --help`"
        );
        assert_eq!(
            refused(&["parse", "--formt", "x"]),
            "unexpected argument '--formt' found; a similar argument exists: '--format'"
        );
        let set = refused(&["parse", "--format", "x", "--set", "unclosed"]);
        assert!(set.contains("write KEY=VALUE"), "{set}");
    }

    #[test]
    fn the_description_of_the_arguments_holds_together() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }
}
