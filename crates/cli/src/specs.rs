//! Wire formats of one's own: from files (`--spec FILE`, TOML by its ending, else JSON), or as the
//! line that the model writes (`--pattern`), without a name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolweir::protocols::pattern::{Part, parse};
use toolweir::protocols::{FormatSpec, SpecError, SpecFileError, SpecProtocol};
use toolweir::{Protocol, Registry};

use crate::args::Patterns;
use crate::failure::Failure;
use crate::input;

const FIELDS: &str = "the fields are described in docs/adding-a-format.md";
const NOTATION: &str = "the notation is described in docs/adding-a-format.md";

/// The built-in formats and those of the files, whose names must not be taken.
pub(crate) fn registry(files: &[PathBuf]) -> Result<Registry, Failure> {
    let mut registry = Registry::builtin();
    for file in files {
        load(&mut registry, file)?;
    }
    Ok(registry)
}

fn load(registry: &mut Registry, path: &Path) -> Result<(), Failure> {
    let name = input::name(Some(path));
    let text = std::fs::read_to_string(path).map_err(|error| input::unreadable(&name, &error))?;
    registry.register_file(path, &text).map_err(|error| {
        let inner = match &error {
            SpecFileError::At { error, .. } => error,
            error => error,
        };
        let fix = match inner {
            SpecFileError::Spec(SpecError::Taken { .. }) => "give it another one in the file",
            _ => FIELDS,
        };
        Failure::usage(format_args!("format in {name}: {error}"), fix)
    })
}

/// The format of the patterns on the command line.
pub(crate) fn nameless(patterns: &Patterns) -> Result<Arc<dyn Protocol>, Failure> {
    let mut spec = FormatSpec {
        name: "--pattern".to_owned(),
        call: patterns.calls.iter().map(|call| call.as_str().into()).collect(),
        wrap: patterns.wraps.clone(),
        ..FormatSpec::default()
    };
    if let Some(text) = &patterns.between {
        spec.between = between(text)?;
    }
    match SpecProtocol::new(&spec) {
        Ok(protocol) => Ok(Arc::new(protocol)),
        Err(SpecError::Pattern { field, pattern, error, .. }) => {
            let flag = if field == "wrap" { "--wrap" } else { "--pattern" };
            Err(Failure::usage(format_args!("{flag} `{pattern}`: {error}"), NOTATION))
        }
        Err(error) => Err(Failure::usage(error, NOTATION)),
    }
}

/// What stands between two calls: text in the notation of patterns.
fn between(text: &str) -> Result<String, Failure> {
    let place = |what: String| Failure::usage(format_args!("--between `{text}`: {what}"), NOTATION);
    let pattern = parse(text).map_err(|error| place(error.to_string()))?;
    let parts = pattern.parts.iter().map(|part| match part {
        Part::Literal(text) | Part::Space(text) => Ok(text.as_str()),
        part => Err(place(format!("`{}` where only text can stand", part.label()))),
    });
    parts.collect()
}
