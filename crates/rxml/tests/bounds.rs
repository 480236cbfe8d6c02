//! Work is linear, depth is an error, limits hold: on input made to hurt.

#![allow(clippy::disallowed_methods, reason = "a thread of its own, for its small stack")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "helpers of tests are tests too"
)]

mod common;
#[cfg(feature = "meter")]
#[allow(dead_code, reason = "only the pieces are wanted here")]
#[path = "common/pieces.rs"]
mod pieces;

#[cfg(feature = "meter")]
use common::properties;
use common::{repairing, schema};
#[cfg(feature = "meter")]
use pieces::PIECES;
use toolweir_rjson::Value;
use toolweir_rxml::{
    Element, Error, Machine, Node, NodeOptions, Options, ParseErrorKind, Parsed, WriteErrorKind,
    extract_raw, find, parse, parse_node, parse_strict, parse_without_schema, simplify, stringify,
};
use toolweir_schema_coerce::Schema;

/// Elements inside one another, without end and with.
fn nested(depth: usize) -> [String; 2] {
    let open = "<a>".repeat(depth);
    [open.clone(), format!("{open}{}", "</a>".repeat(depth))]
}

/// A schema in which `a` is an object that holds `a`.
fn recursive() -> Schema {
    schema(
        "{type:'object',properties:{a:{$ref:'#/$defs/n'}},$defs:{n:{type:'object',properties:{a:{$ref:'#/$defs/n'}}}}}",
    )
}

/// A schema in which `a` is a list of lists.
fn lists() -> Schema {
    schema(
        "{type:'object',properties:{a:{$ref:'#/$defs/n'}},$defs:{n:{type:'array',items:{$ref:'#/$defs/n'}}}}",
    )
}

/// Runs on a stack of 64 KiB. What `jsonschema` needs of its own does not grow with the input, but is
/// more than that.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let kib = if cfg!(feature = "validate") { 1024 } else { 64 };
    std::thread::Builder::new().stack_size(kib * 1024).spawn(work).unwrap().join().unwrap();
}

/// Pushes a text in pieces of 64 KiB.
fn pushed(text: &str, schema: &Schema, options: &Options) -> Result<Parsed, Error> {
    let mut machine = Machine::new(schema.clone(), options.clone());
    for piece in text.as_bytes().chunks(64 * 1024) {
        // The texts are ASCII.
        machine.push(std::str::from_utf8(piece).unwrap(), |_| {})?;
    }
    machine.finish(|_| {})
}

#[test]
fn depth_is_a_typed_error_on_a_small_stack() {
    on_a_small_stack(|| {
        for text in nested(1_000_000) {
            let plain = Options::default;
            let ways = [(Schema::any(), plain()), (recursive(), repairing()), (lists(), plain())];
            for (schema, options) in ways {
                let result = parse(&text, &schema, &options);
                assert!(matches!(result, Err(Error::Parse { .. })), "{result:?}");
                assert_eq!(pushed(&text, &schema, &options), result);
            }
            assert!(matches!(parse_without_schema(&text, &plain()), Err(Error::Parse { .. })));
            let node = NodeOptions::default();
            assert!(parse_node(&text, &node).is_err());
            assert!(parse_strict(&text, &node).is_err());
            let _ = extract_raw(&text, "a");
        }
    });
}

#[test]
fn names_of_its_own_and_references_are_text_of_a_string_on_a_small_stack() {
    on_a_small_stack(|| {
        let schema = schema("{type:'object',properties:{a:{type:'string'}}}");
        let depth = 1_000_000;
        let [open, whole] = nested(depth);
        for options in [Options::default(), repairing()] {
            let parsed = parse(&whole, &schema, &options).unwrap();
            let text = parsed.value.get("a").and_then(Value::as_str).unwrap();
            assert_eq!(text.len(), whole.len() - "<a></a>".len());
            assert_eq!(parse(&open, &schema, &options).is_ok(), options.repair);
            let text = format!("<a>{}</a>", "&lt;".repeat(depth));
            let parsed = pushed(&text, &schema, &options).unwrap();
            assert_eq!(parsed.value.get("a").and_then(Value::as_str).map(str::len), Some(depth));
        }
    });
}

#[test]
fn trees_of_any_depth_are_dropped_cloned_compared_and_printed_on_a_small_stack() {
    on_a_small_stack(|| {
        let mut options = NodeOptions::default();
        options.max_depth = usize::MAX;
        let [_, text] = nested(1_024);
        let nodes = parse_node(&text, &options).unwrap();
        let copy = nodes.clone();
        assert!(copy == nodes);
        assert_eq!(format!("{nodes:?}").matches("a []").count(), 1_024);
        assert!(find(&nodes, "b").is_none());
        assert!(simplify(&nodes).get("a").is_some());
        let root = parse_strict(&text, &options).unwrap();
        assert_eq!(nodes.first().and_then(Node::as_element), Some(&root));
        let [_, deeper] = nested(1_025);
        assert!(parse_node(&deeper, &options).is_err());
        // One that was put together by hand.
        let mut tree = root;
        for _ in 0..100_000 {
            let mut outer = Element::default();
            outer.children.push(Node::Element(tree));
            tree = outer;
        }
        assert!(tree == tree.clone());
    });
}

#[test]
fn a_value_is_written_up_to_the_limit_of_depth_on_a_small_stack() {
    on_a_small_stack(|| {
        let deep = |depth: usize| {
            let mut value = Value::from("x");
            for _ in 0..depth {
                let mut object = toolweir_rjson::Object::new();
                object.insert("a", value);
                value = object.into();
            }
            value
        };
        let options = toolweir_rxml::WriteOptions::default();
        let text = stringify("a", &deep(1_023), &options).unwrap();
        assert_eq!(text.matches("<a>").count(), 1_024);
        for depth in [1_024, 1_000_000] {
            let error = stringify("a", &deep(depth), &options).unwrap_err();
            assert_eq!(error.kind, WriteErrorKind::TooDeep);
        }
    });
}

#[test]
fn limits_are_typed_errors() {
    let kind = |text: &str, options: &Options| match parse_without_schema(text, options) {
        Err(Error::Parse { kind, .. }) => Some(kind),
        _ => None,
    };
    let mut options = Options::default();
    options.max_depth = 2;
    assert_eq!(kind("<a><b>x</b></a>", &options), None);
    assert_eq!(kind("<a><b><c/></b></a>", &options), Some(ParseErrorKind::TooDeep));
    options.max_attributes = 1;
    assert_eq!(kind("<a x y/>", &options), Some(ParseErrorKind::TooManyAttributes));
    options.max_bytes = 5;
    assert_eq!(kind("<a/> ", &options), None);
    assert_eq!(kind("<a/>  ", &options), Some(ParseErrorKind::TooLarge));
}

#[cfg(feature = "meter")]
/// Texts that grow by a factor, each a family that makes a careless reader slow.
fn families(n: usize) -> Vec<(&'static str, String)> {
    vec![
        ("open tags", "<k>".repeat(n)),
        ("own-name nesting", format!("<k>{}", "<k>x</k>".repeat(n))),
        ("unclosed own names", "<k><k></k>".repeat(n)),
        ("alternating unclosed", "<k>x<m>1<t>".repeat(n)),
        ("lists alternating", "<t>x<n>1".repeat(n)),
        ("closing tags", format!("<o>{}", "</z>".repeat(n))),
        ("less-than signs", format!("<k>{}", "<".repeat(n))),
        ("ampersands", format!("<k>{}", "&".repeat(n))),
        ("references", format!("<k>{}</k>", "&lt;&#x41;".repeat(n))),
        ("open sections", format!("<k>{}", "<![CDATA[".repeat(n))),
        ("sections in elements", "<z><![CDATA[".repeat(n)),
        ("open comments", format!("<o>{}", "<!--".repeat(n))),
        ("open declarations", "<!DOCTYPE [".repeat(n)),
        ("one long tag", format!("<k {}", "a='b' ".repeat(n))),
        ("one long name", format!("<{}", "k".repeat(n))),
        ("quotes", format!("<k a={}", "\"'".repeat(n))),
        ("blanks", format!("<k>{}", " ".repeat(n))),
        ("entries", format!("<t>{}</t>", "<item>x</item>".repeat(n))),
        ("stray closing tags in a deep element", {
            let names = (0..100).map(|i| format!("<z{i}>"));
            format!("{}{}", names.collect::<String>(), "</q>".repeat(n))
        }),
        ("stray closing tags in a string, deep", {
            format!("{}<k>{}", "<o>".repeat(100), "</q>".repeat(n))
        }),
        ("attributes in a row", "<o a=1 b=2 c=3/>".repeat(n)),
        ("white space and a word", format!("<k>{}", "   \n x".repeat(n))),
        ("unclosed elements before siblings", "<z><t>x</t>".repeat(n)),
        ("unclosed objects before siblings", "<o><k>x</k><t>y</t>".repeat(n)),
        ("sections without ends", "<z><![CDATA[x</z>".repeat(n)),
        ("siblings in an unclosed string", format!("<k>{}", "<m>1</m>".repeat(n))),
        ("opened names", format!("<k>{}", (0..n).map(|i| format!("<x{i}>")).collect::<String>())),
        ("lists", "<n>1</n><t>x</t>".repeat(n)),
        ("broken attributes", "<z a='".repeat(n)),
        ("members", (0..n).map(|i| format!("<x{i}>1</x{i}>")).collect()),
    ]
}

#[cfg(feature = "meter")]
/// What was found by search to be looked at again in each level of lists around it: by name what goes
/// before, what comes again and again twice over, and what ends it.
const LEVELS: &[(&str, &str, &str, &str, &str)] = &[
    ("open comments in open lists", "", "<n><!--<r><item>", "-->-->", ""),
    ("open sections in open lists", "<z><t><r><item>", " <![CDATA[<g><item><r><item>", "", ""),
    ("sections open in entries that end", "<z>", "<r><item><![CDATA[</z>--", "</item>", ""),
    ("sections open in nested entries", "", "<r><item>", "<![CDATA[</r><n>", "</item></r>"),
    ("sections open in elements of entries", "", "</1><r><p:z><![CDATA[", " [1]", "--<r>"),
    ("open comments in closed lists", "", "<r><item><!--</g><m></r>", "<m></n>", "-->"),
    ("instructions in open lists", "", " <r><item><?<</r>", "<o k='1'><m></1></item></g>", ""),
    ("sections, lists and instructions", "", "?><r>", "</r><p:z><![CDATA[<o k='1'></ k>", ""),
    ("lists in lists", "", "<r>", "</r>", ""),
    ("entries in entries", "", "<r><item>", "</item></r>", ""),
    ("a closing tag too many in each list", "", "<r><item>", "</z></item></r>", ""),
    ("stray closing tags in the innermost list", "<r><item><r><item><k>", "</z>", "", "</k>"),
    ("one section in a list of text", "<t><![CDATA[<item", "--", "", "</t>"),
    ("a section and a tag that ends at once", "<item>", "<![CDATA[<item;</item></g>", "", ""),
    ("a long name after a section", "<g><![CDATA[]]", "<item<!<1>", "<k ", "</0></item></g>&lt;"),
    ("text of what is no wrapper", "<0>words", "&lt;", "", "</0><r>"),
    ("white space of what is no wrapper", "<item>", "\n  ", "", "</item><k>"),
    ("a list in what is no wrapper", "<p:z><r>4", " ", "", "</r></p:z><k>x"),
    ("white space in a declaration", "<!<z><![CDATA[", " ", "", "</z>"),
    ("a declaration in what is no wrapper", "<q><r><k/><!a ", "b", "", "></r></q><z/>"),
];

#[cfg(feature = "meter")]
/// A schema with lists of everything, one in itself.
fn levels() -> Schema {
    schema(
        "{type:'object',properties:{k:{type:'string'},m:{type:'integer'},t:{type:'array',items:{type:'string'}},n:{type:'array',items:{type:'number'}},o:{type:'object',properties:{k:{type:'string'},o:{$ref:'#/properties/o'}}},r:{type:'array',items:{type:'object',properties:{k:{type:'string'},r:{$ref:'#/properties/r'}}}},g:{type:'array',items:{type:'array',items:{type:'string'}}}}}",
    )
}

#[cfg(feature = "meter")]
/// Holds a text against the bound under all options, in pieces of several lengths.
fn hold(name: &str, text: &str, schema: &Schema) {
    for choice in 0..8 {
        let mut options = Options::default();
        options.repair = choice & 1 != 0;
        options.throw_on_duplicate_string_tags = choice & 2 != 0;
        options.partial = choice & 4 != 0;
        for chunk in [1, 16, text.len().max(1)] {
            let (examined, events) = examined(text, schema, &options, chunk);
            let most = 4 * text.len() as u64 + 64 * events + 64;
            let length = text.len();
            assert!(examined <= most, "{name}: {examined} of {length} by {chunk}, {options:?}");
        }
    }
}

#[cfg(feature = "meter")]
#[test]
fn no_level_of_lists_is_paid_for_again() {
    let schema = levels();
    for (name, before, one, other, after) in LEVELS {
        for times in [10, 60, 200] {
            let text = format!("{before}{}{}{after}", one.repeat(times), other.repeat(times));
            hold(name, &text, &schema);
            hold(name, &text, &Schema::any());
        }
    }
}

#[cfg(feature = "meter")]
#[test]
fn no_text_of_pieces_is_looked_at_more_than_a_few_times() {
    let schema = levels();
    let mut state = 21_u64;
    let mut below = move |most: usize| {
        // Xorshift: the same texts on every run.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % most as u64).unwrap()
    };
    for _ in 0..400 {
        let mut some =
            |most| -> String { (0..below(most)).map(|_| PIECES[below(PIECES.len())]).collect() };
        let (before, one, other, after) = (some(4), some(5), some(4), some(4));
        let times = 900 / (one.len() + other.len()).max(1);
        let text = format!("{before}{}{}{after}", one.repeat(times), other.repeat(times));
        hold(&text, &text, &schema);
        hold(&text, &text, &Schema::any());
    }
}

#[cfg(feature = "meter")]
/// Bytes looked at and events given, pushed in pieces of a length.
fn examined(text: &str, schema: &Schema, options: &Options, chunk: usize) -> (u64, u64) {
    let mut machine = Machine::new(schema.clone(), options.clone());
    let mut events = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let at = (chunk.min(rest.len())..).find(|at| rest.is_char_boundary(*at)).unwrap();
        let (piece, after) = rest.split_at(at);
        rest = after;
        if machine.push(piece, |_| events += 1).is_err() {
            return (machine.examined(), events);
        }
    }
    let (_, examined) = machine.finish_metered(|_| events += 1);
    (examined, events)
}

#[cfg(feature = "meter")]
#[test]
fn no_family_is_looked_at_more_than_a_few_times_at_any_chunk() {
    let schema = properties(
        "{k:{type:'string'},m:{type:'integer'},t:{type:'array',items:{type:'string'}},n:{type:'array',items:{type:'integer'}},o:{type:'object',properties:{k:{type:'string'}}}}",
    );
    for (name, text) in families(300) {
        for schema in [&schema, &Schema::any()] {
            for mut options in [Options::default(), repairing()] {
                options.throw_on_duplicate_string_tags = false;
                for chunk in [1, 16, text.len()] {
                    let (examined, events) = examined(&text, schema, &options, chunk);
                    let most = 4 * text.len() as u64 + 64 * events + 64;
                    assert!(examined <= most, "{name}: {examined} of {} by {chunk}", text.len());
                }
            }
        }
    }
}
