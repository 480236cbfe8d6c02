//! Which modules of `protocols` a directory of it may not name.
//!
//! The engine is handed its readers and knows none by name, a program is compiled without looking up at
//! what runs it, and patterns stand alone.

const SOURCE: &str = "crates/protocols/src/";

/// A module and what it must not name.
const TABLE: &[(&str, &[&str])] = &[
    (
        "pattern",
        &[
            "engine",
            "formats",
            "program",
            "readers",
            "render",
            "segments",
            "spec",
            "spec_file",
            "spec_protocol",
        ],
    ),
    ("program", &["engine", "readers", "render", "segments", "spec_protocol"]),
    ("engine", &["formats", "readers", "render", "segments", "spec_protocol"]),
    ("detect", &["engine", "formats", "readers", "render", "segments", "spec_protocol"]),
];

/// One line for each place where a module names one that it must not.
pub(crate) fn check(sources: &[(String, String)]) -> Vec<String> {
    let mut findings = Vec::new();
    for (path, text) in sources {
        let Some((room, never)) = TABLE.iter().find(|(room, _)| is_in(path, room)) else {
            continue;
        };
        for name in named(text).into_iter().filter(|name| never.contains(&name.as_str())) {
            findings.push(format!("{path}: `{room}` must not know `{name}`"));
        }
    }
    findings
}

fn is_in(path: &str, room: &str) -> bool {
    let inside = path.strip_prefix(SOURCE).and_then(|path| path.strip_prefix(room));
    inside.is_some_and(|rest| rest.starts_with('/') || rest == ".rs")
}

/// The names behind `crate::` and `super::` in code, those in braces too.
fn named(text: &str) -> Vec<String> {
    let code: Vec<&str> =
        text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join(" ");
    let places = ["crate::", "super::"].into_iter().flat_map(|root| code.split(root).skip(1));
    let names = places.flat_map(|rest| match rest.strip_prefix('{') {
        Some(group) => {
            let group = group.split(';').next().unwrap_or_default();
            group.split([',', ' ', '}']).map(word).collect()
        }
        None => vec![word(rest)],
    });
    names.map(str::to_owned).collect()
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::check;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&[(format!("crates/protocols/src/{path}"), text.to_owned())])
    }

    #[test]
    fn what_is_named_from_above_is_found() {
        for text in [
            "use crate::readers::json;",
            "use crate::{limits::Limits, readers};",
            "use crate::{\n    limits::{self, Limits},\n    readers::make,\n};",
            "use super::super::readers::make;",
            "    let reader = crate::readers::make(payload);",
        ] {
            assert_eq!(
                found("engine/mod.rs", text),
                ["crates/protocols/src/engine/mod.rs: `engine` must not know `readers`"],
                "{text}"
            );
        }
        assert_eq!(found("engine.rs", "use crate::formats;").len(), 1);
    }

    #[test]
    fn what_may_be_named_is_not() {
        for text in
            ["use crate::program::Role;", "/// See [`crate::readers`].", "self.readers.len()"]
        {
            assert!(found("engine/gate/settle.rs", text).is_empty(), "{text}");
        }
        assert!(found("readers/mod.rs", "use crate::readers::json;").is_empty());
    }
}
