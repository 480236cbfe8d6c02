//! The modules of `protocols` stand in one order, and each imports only those below it.
//!
//! So a pattern knows no format, a program nothing that runs it, and the engine no reader; and no two
//! modules need each other. `cargo xtask codegen` draws the order in `docs/architecture.md`.

mod imports;

use std::collections::{BTreeMap, BTreeSet};

const SOURCE: &str = "crates/protocols/src/";

/// The modules at the root of the crate, lowest first, in groups that have a name. Files below a module
/// count for it.
const ORDER: &[(&str, &[&str])] = &[
    (
        "vocabulary",
        &[
            "meter",
            "recent",
            "wording",
            "cursor",
            "pattern",
            "error",
            "limits",
            "tools",
            "classes",
            "policy",
            "reasoning",
            "request",
        ],
    ),
    ("formats as data", &["spec", "rows"]),
    ("compiling", &["program", "options", "special"]),
    ("reading", &["diagnostics", "decoder", "engine", "readers", "hint"]),
    ("writing", &["render", "constrain"]),
    ("protocols", &["protocol", "spec_protocol", "read_back", "segments", "formats", "registry"]),
    ("around them", &["detect", "response_template", "spec_file", "patch"]),
];

/// What each module imports, and the first file that does.
type Imports<'a> = BTreeMap<&'a str, BTreeMap<String, &'a str>>;

/// One line for each import that does not go down, each module without a place and each place without a
/// module.
pub(crate) fn check(sources: &[(String, String)]) -> Vec<String> {
    let imports = imports(sources);
    let place = |name: &str| order().position(|known| known == name);
    let mut findings = Vec::new();
    for (module, names) in &imports {
        let Some(own) = place(module) else {
            findings.push(format!("{SOURCE}{module}: has no place in the order of modules"));
            continue;
        };
        for (name, path) in names {
            match place(name) {
                Some(other) if other < own => {}
                Some(_) => findings.push(format!("{path}: `{module}` stands below `{name}`")),
                None => findings.push(format!("{path}: `{name}` is no module of the crate")),
            }
        }
    }
    let gone = order().filter(|name| !imports.contains_key(name));
    findings.extend(gone.map(|name| format!("{SOURCE}{name}: is in the order and not there")));
    findings
}

/// The order, highest first, a line a module with what it imports.
pub(crate) fn drawing(sources: &[(String, String)]) -> String {
    let imports = imports(sources);
    let width = order().map(str::len).max().unwrap_or_default();
    let mut lines = vec!["```text".to_owned()];
    for (group, modules) in ORDER.iter().rev() {
        lines.push(format!("── {group} ──"));
        for module in modules.iter().rev() {
            let imported = |name: &&str| imports.get(module).is_some_and(|i| i.contains_key(*name));
            let names: Vec<&str> = order().rev().filter(imported).collect();
            let mut start = format!("{module:width$} ");
            for names in wrapped(&names, 98 - width) {
                lines.push(format!("{start} {names}").trim_end().to_owned());
                start = " ".repeat(width + 1);
            }
        }
    }
    lines.push("```".to_owned());
    lines.join("\n")
}

/// Lines of words, at least one.
fn wrapped(words: &[&str], width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push((*word).to_owned()),
        }
    }
    lines
}

fn order() -> impl DoubleEndedIterator<Item = &'static str> {
    ORDER.iter().flat_map(|(_, modules)| modules.iter().copied())
}

/// What the modules of the crate import of one another.
fn imports(sources: &[(String, String)]) -> Imports<'_> {
    let root = sources.iter().find(|(path, _)| path.strip_prefix(SOURCE) == Some("lib.rs"));
    let re_exports: BTreeMap<String, String> =
        root.into_iter().flat_map(|(_, text)| imports::re_exports(text)).collect();
    let mut all = Imports::new();
    for (path, text) in sources {
        let Some(module) = module(path) else { continue };
        let Some(top) = module.first().copied() else { continue };
        let names: BTreeSet<String> = imports::paths(&module, text)
            .into_iter()
            .filter_map(|path| path.into_iter().next())
            .map(|name| re_exports.get(&name).cloned().unwrap_or(name))
            .filter(|name| name != top)
            .collect();
        let known = all.entry(top).or_default();
        for name in names {
            known.entry(name).or_insert(path.as_str());
        }
    }
    all
}

/// The module that a file of the crate is; none: it is the root, or for tests alone.
fn module(path: &str) -> Option<Vec<&str>> {
    let inside = path.strip_prefix(SOURCE)?.strip_suffix(".rs")?;
    let mut module: Vec<&str> = inside.split('/').collect();
    module.pop_if(|name| *name == "mod");
    (inside != "lib" && !module.contains(&"tests")).then_some(module)
}

#[cfg(test)]
mod tests {
    use super::{SOURCE, check, drawing, order, wrapped};

    /// A crate with every module of the order, and these texts in place of theirs.
    fn sources(texts: &[(&str, &str)]) -> Vec<(String, String)> {
        let given =
            |name: &str| texts.iter().any(|(path, _)| path.split(['/', '.']).next() == Some(name));
        let others = order().filter(|name| !given(name)).map(|name| (format!("{name}.rs"), ""));
        let texts = texts.iter().map(|(path, text)| ((*path).to_owned(), *text));
        let at = |(path, text): (String, &str)| (format!("{SOURCE}{path}"), text.to_owned());
        others.chain(texts).map(at).collect()
    }

    fn found(path: &str, text: &str) -> Vec<String> {
        let lib = "pub use policy::{Names, Policies};\npub use registry::Registry;";
        check(&sources(&[("lib.rs", lib), (path, text)]))
    }

    #[test]
    fn an_import_that_goes_up_is_found() {
        for (name, text) in [
            ("readers", "use crate::{limits::Limits, readers};"),
            ("readers", "use super::super::readers::make;"),
            ("registry", "fn f() { crate::Registry::builtin() }"),
        ] {
            let finding =
                format!("crates/protocols/src/engine/tag.rs: `engine` stands below `{name}`");
            assert_eq!(found("engine/tag.rs", text), [finding], "{text}");
        }
        assert_eq!(found("pattern.rs", "use crate::error::x;").len(), 1);
    }

    #[test]
    fn an_import_that_goes_down_or_stays_is_not() {
        for text in
            ["use crate::{Names, program::Role};", "use super::Gate;", "use crate::engine::out;"]
        {
            assert!(found("engine/tag.rs", text).is_empty(), "{text}");
        }
        let test = "use crate::readers::make;";
        for path in ["engine/tests.rs", "engine/tests/gate.rs"] {
            assert!(check(&sources(&[("engine/mod.rs", ""), (path, test)])).is_empty(), "{path}");
        }
    }

    #[test]
    fn modules_and_names_that_are_not_known_are_found() {
        assert_eq!(
            found("new/mod.rs", "use crate::limits::Limits;"),
            ["crates/protocols/src/new: has no place in the order of modules"]
        );
        assert_eq!(
            found("engine/mod.rs", "use crate::Unknown;"),
            ["crates/protocols/src/engine/mod.rs: `Unknown` is no module of the crate"]
        );
        let all: Vec<_> =
            sources(&[]).into_iter().filter(|(path, _)| !path.contains("hint")).collect();
        assert_eq!(check(&all), ["crates/protocols/src/hint: is in the order and not there"]);
    }

    #[test]
    fn the_drawing_has_every_module_with_its_imports_highest_first() {
        let text =
            drawing(&sources(&[("engine/mod.rs", "use crate::{limits::X, program::{Y, Z}};")]));
        assert!(text.contains("\nengine             program limits\n"), "{text}");
        assert!(text.contains("\nreaders\nengine "), "{text}");
        assert_eq!(wrapped(&["one", "two", "three"], 7), ["one two", "three"]);
        assert_eq!(wrapped(&[], 7), [""]);
    }
}
