//! `toolweir formats --from`: the response template or schema of a checkpoint as a wire format of one's own.
//!
//! The format goes to standard output as a JSON file that `--spec` takes; what of the template it does not
//! say goes to standard error, one line each, `PATH: WHAT`. Any of that is a finding: exit code 1.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use toolweir::Registry;
use toolweir::protocols::{FormatSpec, FromTemplate, ResponseTemplateError as Error, Unsaid};

use crate::failure::{Failure, Verdict};
use crate::input;
use crate::json::for_terminal;
use crate::term::{Out, Paint, one_line};

/// Where a checkpoint has its template: a file of its own counts more.
const FILES: [&str; 2] = ["response_template.json", "tokenizer_config.json"];

/// Bytes that are read of a file.
const MOST: u64 = 64 << 20;

/// Prints the format of the checkpoint at that path, a folder or a file.
pub(crate) fn run(path: &Path, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    let files: Vec<PathBuf> = match path.is_dir() {
        true => FILES.iter().map(|file| path.join(file)).collect(),
        false => vec![path.to_owned()],
    };
    let name = free(&name(path));
    for file in &files {
        let text = match read(file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_dir() => continue,
            Err(error) => return Err(input::unreadable(&input::name(Some(file)), &error)),
        };
        match FormatSpec::from_response_template(&name, &text) {
            Err(Error::Absent) => {}
            result => return told(result, file, path, out),
        }
    }
    let looked: Vec<String> = files.iter().map(|file| input::name(Some(file))).collect();
    Err(Failure::usage(
        format_args!("no response template or schema in {}", looked.join(" or ")),
        detect_instead(path),
    ))
}

/// Prints what became of the template in a file.
fn told(
    result: Result<FromTemplate, Error>,
    file: &Path,
    path: &Path,
    out: &mut Out<'_>,
) -> Result<Verdict, Failure> {
    let file = input::name(Some(file));
    match result {
        Ok(FromTemplate { spec, unsaid, .. }) => {
            let json = spec.to_json();
            let shown = if out.look.terminal { for_terminal(&json) } else { json };
            out.ours(Paint::Plain, &shown)?;
            out.line("")?;
            out.flush()?;
            tell(&unsaid);
            Ok(if unsaid.is_empty() { Verdict::Fine } else { Verdict::Findings })
        }
        Err(error @ (Error::NoCalls { .. } | Error::Spec { .. })) => {
            tell(error.unsaid());
            Err(Failure::Finding(format!("{file}: {error}; {}", detect_instead(path))))
        }
        Err(error) => Err(Failure::usage(
            format_args!("{file}: {error}"),
            "docs/adding-a-format.md says what is read of a checkpoint",
        )),
    }
}

/// Other ways to a format.
fn detect_instead(path: &Path) -> String {
    let folder = match path.is_dir() {
        true => Some(path),
        false => path.parent().filter(|folder| !folder.as_os_str().is_empty()),
    };
    let folder = folder.unwrap_or_else(|| Path::new("."));
    format!("`toolweir detect --repo {}` looks for a built-in format", folder.display())
}

fn tell(unsaid: &[Unsaid]) {
    for unsaid in unsaid {
        // A closed standard error is no reason to stop.
        let _ = io::Write::write_fmt(
            &mut io::stderr(),
            format_args!("{}\n", one_line(&unsaid.to_string())),
        );
    }
}

fn read(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        return Err(io::Error::other("it has more than 64 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}

/// What to call the format: the folder's name, or the file's where that says more.
fn name(path: &Path) -> String {
    let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let stem = whole.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let usual = FILES.iter().any(|file| file.strip_suffix(".json") == Some(stem));
    let called = match (whole.is_dir(), usual) {
        (true, _) => whole.file_name(),
        (false, true) => whole.parent().and_then(Path::file_name),
        (false, false) => whole.file_stem(),
    };
    let called = called.and_then(|name| name.to_str()).unwrap_or_default().to_lowercase();
    let plain = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let called: String = called.chars().map(plain).collect();
    if called.is_empty() { "checkpoint".to_owned() } else { called }
}

/// A name that no built-in format has.
fn free(name: &str) -> String {
    let taken = Registry::builtin().get(name).is_ok();
    if taken { format!("{name}-checkpoint") } else { name.to_owned() }
}
