//! Wire formats from files: `--spec FILE`, TOML by its ending, else JSON.

use std::path::{Path, PathBuf};

use toolweir::Registry;

use crate::failure::Failure;
use crate::input;

/// The built-in formats and those of the files; a file may shadow a built-in one.
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
    let toml = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    let added = if toml { registry.register_toml(&text) } else { registry.register_json(&text) };
    match added {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::usage(
            format_args!("format in {name}: {error}"),
            "the fields are described in docs/adding-a-format.md",
        )),
    }
}
