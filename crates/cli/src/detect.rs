//! `toolweir detect`: which wire format a model writes, and why.
//!
//! For people a table with the evidence below each format; in a pipe one JSON object a candidate:
//! `format`, `reasoning`, `score`, `evidence`, a list of objects with a `kind` and what it says, and
//! `reason`, the same in words. Nothing found is a finding: exit code 1.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use toolweir::Request;
use toolweir::protocols::detect::{Candidate, Detector, Evidence, NameSource, Repository};
use toolweir::rjson::ObjectWriter;

use crate::args::DetectArgs;
use crate::failure::{Failure, Verdict};
use crate::input;
use crate::specs;
use crate::term::{Out, Paint, complain};
use crate::tools;

/// So many candidates a terminal gets.
const SHOWN: usize = 5;

/// Runs the command.
pub(crate) fn run(args: &DetectArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    let detector = Detector::new(&specs::registry(&args.specs)?);
    let found = match (&args.model, &args.template, &args.repo) {
        (Some(id), ..) => detector.model(id),
        (_, Some(path), _) => detector.template(&read(Some(path))?),
        (.., Some(folder)) => repository(&detector, folder)?,
        _ => {
            let tools = args.tools.as_deref().map(tools::load).transpose()?.unwrap_or_default();
            detector.transcript(&read(args.file.as_deref())?, &Request::new(tools))
        }
    };
    if found.is_empty() {
        complain("no wire format was found; `toolweir formats` lists them");
        return Ok(Verdict::Findings);
    }
    let few = if out.look.terminal { SHOWN } else { found.len() };
    let shown = found.iter().take(args.limit.unwrap_or(few));
    if out.look.terminal {
        listed(shown.collect(), out)?;
    } else {
        for candidate in shown {
            out.line(&record(candidate))?;
        }
    }
    Ok(Verdict::Fine)
}

/// The whole input; bytes that are no UTF-8 are replaced.
fn read(path: Option<&Path>) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = input::open(path)?.read_to_end(&mut bytes);
    read.map_err(|error| input::unreadable(&input::name(path), &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn repository(detector: &Detector, folder: &Path) -> Result<Vec<Candidate>, Failure> {
    let name = input::name(Some(folder));
    let whole = fs::canonicalize(folder).map_err(|error| input::unreadable(&name, &error))?;
    if !whole.is_dir() {
        return Err(Failure::usage(
            format_args!("{name} is no folder"),
            "name the folder of a model, or say --template FILE",
        ));
    }
    let file = |file: &str| match fs::read(whole.join(file)) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(input::unreadable(&input::name(Some(&whole.join(file))), &error)),
    };
    let (config, tokenizer) = (file("config.json")?, file("tokenizer_config.json")?);
    let (template, json) = (file("chat_template.jinja")?, file("chat_template.json")?);
    let path = whole.to_string_lossy();
    let mut files = Repository::default();
    files.folder = &path;
    files.config = config.as_deref();
    files.tokenizer_config = tokenizer.as_deref();
    files.chat_template = template.as_deref();
    files.chat_template_json = json.as_deref();
    Ok(detector.repository(&files))
}

fn listed(found: Vec<&Candidate>, out: &mut Out<'_>) -> io::Result<()> {
    let width = |of: fn(&Candidate) -> &String| {
        found.iter().map(|candidate| of(candidate).len()).max().unwrap_or_default()
    };
    let (format, reasoning) =
        (width(|c| &c.format).max("format".len()), width(|c| &c.reasoning).max("reasoning".len()));
    let title = format!("{:<format$}  {:<reasoning$}  score", "format", "reasoning");
    out.ours(Paint::Dim, &title)?;
    out.line("")?;
    for candidate in found {
        out.ours(Paint::Bold, &format!("{:<format$}", candidate.format))?;
        out.line(&format!("  {:<reasoning$}  {:>5}", candidate.reasoning, candidate.score))?;
        for evidence in &candidate.evidence {
            out.text(Paint::Dim, &format!("  {evidence}"))?;
            out.line("")?;
        }
    }
    Ok(())
}

fn record(candidate: &Candidate) -> String {
    ObjectWriter::new()
        .text("format", &candidate.format)
        .text("reasoning", &candidate.reasoning)
        .number("score", u64::from(candidate.score))
        .list("evidence", candidate.evidence.iter().map(evidence))
        .end()
}

fn evidence(evidence: &Evidence) -> String {
    let record = |kind| ObjectWriter::new().text("kind", kind);
    let record = match evidence {
        Evidence::Marker { marker, offset } => {
            record("marker").text("marker", marker).number("offset", *offset as u64)
        }
        Evidence::Call { name, span } => record("call").text("name", name).span("span", *span),
        Evidence::Broken { span } => record("broken").span("span", *span),
        Evidence::Left { marker } => record("left").text("marker", marker),
        Evidence::Undeclared { name } => record("undeclared").text("name", name),
        Evidence::Name { words, matched, source } => {
            record("name").text("words", words).text("matched", matched).text(
                "source",
                match source {
                    NameSource::Id => "id",
                    NameSource::Folder => "folder",
                    NameSource::Config => "config",
                },
            )
        }
        Evidence::Literal { literal, offset, formats } => record("literal")
            .text("literal", literal)
            .number("offset", *offset as u64)
            .number("formats", *formats as u64),
        Evidence::Missing { literal } => record("missing").text("literal", literal),
        _ => record("other"),
    };
    record.text("reason", &evidence.to_string()).end()
}
