//! Any markup under any options: no panic, splits agree, strict reading stays inside what the oracle
//! accepts and gives its tree.

use std::sync::OnceLock;

use toolweir_rjson::{Mode, parse as json};
use toolweir_rxml::{
    Element, Error, Event, Machine, Node, NodeOptions, Options, Parsed, extract_raw, parse,
    parse_node, parse_strict,
};
use toolweir_schema_coerce::{Schema, SchemaLimits};

/// The tests of the crate are made of the same.
#[path = "../../../rxml/tests/common/pieces.rs"]
mod pieces;

use pieces::{PIECES, cut_at};

use crate::Source;
use crate::case;
use crate::source::Rng;

const SCHEMA: &str = r##"{"type": "object", "properties": {
    "k": {"type": "string"}, "m": {"type": "integer"}, "f": {"type": "boolean"},
    "t": {"type": "array", "items": {"type": "string"}},
    "n": {"type": "array", "items": {"type": "number"}},
    "o": {"type": "object", "properties": {"k": {"type": "string"}, "o": {"$ref": "#/properties/o"}}},
    "r": {"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}}}},
    "g": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}}}"##;

/// Tries one input; panics on a finding.
///
/// # Panics
/// When two readings that must be the same differ.
pub fn target(data: &[u8]) {
    let mut source = Source::new(data);
    let (how, seed, choice) = (source.below(4), source.seed(), source.below(16));
    let text = text(&mut source);
    let mut options = Options::default();
    options.repair = choice & 1 != 0;
    options.throw_on_duplicate_string_tags = choice & 2 != 0;
    options.partial = choice & 4 != 0;
    let schema = if choice & 8 == 0 { schema() } else { Schema::any() };
    let cuts = case::cuts(&text, how, &mut Rng::new(seed));
    let (whole, events) = read(&text, &[], &schema, &options);
    let (parts, split) = read(&text, &cuts, &schema, &options);
    assert_eq!(whole, parts, "{options:?} {text:?} cut at {cuts:?}");
    assert_eq!(whole, parse(&text, &schema, &options), "{options:?} {text:?} unheard");
    // A snapshot shows less where it is taken without what follows, so only whole readings compare.
    if !options.partial {
        assert_eq!(events, split, "events of {text:?} cut at {cuts:?}, {options:?}");
    }
    let _ = extract_raw(&text, "k");
    strict(&text);
}

fn schema() -> Schema {
    static COMPILED: OnceLock<Schema> = OnceLock::new();
    let compile = || {
        let source = json(SCHEMA, Mode::Strict).expect("the schema is JSON").value;
        Schema::compile(&source, &SchemaLimits::default()).expect("it is a schema").schema
    };
    COMPILED.get_or_init(compile).clone()
}

fn text(source: &mut Source<'_>) -> String {
    if source.one_in(8) {
        return String::from_utf8_lossy(source.rest()).into_owned();
    }
    let mut text = String::new();
    while !source.is_empty() && text.len() < 600 {
        text.push_str(source.word(PIECES));
    }
    text
}

/// The result, and the events without diagnostics, adjacent text joined.
fn read(
    text: &str,
    cuts: &[usize],
    schema: &Schema,
    options: &Options,
) -> (Result<Parsed, Error>, Vec<Event<'static>>) {
    let mut machine = Machine::new(schema.clone(), options.clone());
    let (mut events, mut count): (Vec<Event<'static>>, u64) = (Vec::new(), 0);
    let mut add = |event: Event<'_>| {
        count += 1;
        match (event, events.last_mut()) {
            (Event::Diagnostic(_), _) => {}
            (Event::Text { text: more }, Some(Event::Text { text })) => {
                text.to_mut().push_str(&more)
            }
            (event, _) => events.push(event.into_owned()),
        }
    };
    for piece in cut_at(text, cuts) {
        if let Err(error) = machine.push(piece, &mut add) {
            return (Err(error), events);
        }
    }
    let (result, examined) = machine.finish_metered(&mut add);
    let most = 4 * text.len() as u64 + 64 * count + 64;
    assert!(examined <= most, "examined {examined} of {text:?}");
    (result, events)
}

fn strict(text: &str) {
    let mut options = NodeOptions::default();
    options.keep_whitespace = true;
    let Ok(root) = parse_strict(text, &options) else { return };
    let tree = parse_node(text.strip_prefix('\u{feff}').unwrap_or(text), &options);
    let tree = tree.unwrap_or_else(|error| panic!("{error} on well-formed {text:?}"));
    assert_eq!(tree.iter().find_map(Node::as_element), Some(&root), "{text:?}");
    // XML 1.0, 2.11: line ends are made one kind before anything is parsed. The oracle misses a carriage
    // return before a reference.
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let oracle = roxmltree::Document::parse(&lines);
    let oracle = oracle.unwrap_or_else(|error| panic!("{error}: accepted {text:?}"));
    same(&root, oracle.root_element(), text);
}

/// Names, values and text are those of the oracle; depth is bounded by what is read.
fn same(ours: &Element, theirs: roxmltree::Node<'_, '_>, text: &str) {
    let local = |name: &str| name.rsplit(':').next().unwrap_or("").to_owned();
    assert_eq!(local(&ours.name), theirs.tag_name().name(), "{text:?}");
    let spaces = |name: &str| name == "xmlns" || name.starts_with("xmlns:");
    let attributes = ours.attributes.iter().filter(|(name, _)| !spaces(name));
    let attributes: Vec<_> = attributes.map(|(name, value)| (local(name), value.clone())).collect();
    let wanted: Vec<_> =
        theirs.attributes().map(|a| (a.name().to_owned(), a.value().to_owned())).collect();
    assert_eq!(attributes, wanted, "{text:?}");
    let theirs: Vec<_> = theirs.children().filter(|n| n.is_element() || n.is_text()).collect();
    assert_eq!(ours.children.len(), theirs.len(), "{text:?}");
    for (ours, theirs) in ours.children.iter().zip(theirs) {
        match ours {
            Node::Element(element) => same(element, theirs, text),
            Node::Text(ours) => assert_eq!(Some(ours.as_str()), theirs.text(), "{text:?}"),
            other => panic!("{other:?} in {text:?}"),
        }
    }
}
