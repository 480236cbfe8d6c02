//! Every diagnostic code and every kind of error, each produced by a named example.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "helpers of tests are tests too"
)]

mod common;

use common::{checked, properties, repairing, value};
use std::collections::BTreeSet;
use toolweir_rjson::Span;
use toolweir_rxml::{
    Code, Error, Event, Machine, NodeOptions, Options, ParseErrorKind, Repeats, WriteErrorKind,
    WriteOptions, parse, parse_node, parse_strict, stringify,
};

const MEMBERS: &str = "{k:{type:'string'},key:{type:'string'},m:{type:'integer'},\
    force:{type:'boolean'},at:{type:'object',properties:{lat:{type:'number'}}},\
    c:{type:'object',properties:{a:{type:'string'}},additionalProperties:false}}";

fn first_wins() -> Options {
    let mut options = Options::default();
    options.throw_on_duplicate_string_tags = false;
    options
}

#[test]
fn every_diagnostic_has_an_example() {
    let plain = Options::default;
    let examples = [
        ("text between elements", "a<m>4</m>", plain(), "rxml::stray-text"),
        ("text in a closed object", "<c>t<a>x</a></c>", plain(), "rxml::dropped-text"),
        ("attribute of a number", "<m unit='m'>4</m>", plain(), "rxml::ignored-attribute"),
        (
            "attribute given twice",
            "<at><z a='1' a='2'/></at>",
            plain(),
            "rxml::duplicate-attribute",
        ),
        ("string given twice", "<k>a</k><k>b</k>", first_wins(), "rxml::duplicate-string-tag"),
        ("element around all", "<call><m>4</m></call>", plain(), "rxml::unwrapped-root"),
        ("reference to nothing", "<k>&#0;</k>", plain(), "rxml::bad-reference"),
        ("blank in a closing tag", "<k>x</ k>", repairing(), "rxml::close-spacing"),
        ("case of a closing tag", "<k>x</K>", repairing(), "rxml::close-case"),
        ("case of a name", "<KEY>x</KEY>", repairing(), "rxml::name-case"),
        ("no closing tag", "<k>x<m>2</m>", repairing(), "rxml::assumed-close"),
        ("opening tag to close", "<m>4<m><k>x</k>", repairing(), "rxml::open-for-close"),
        ("opening tag given twice", "<m><m>4</m><k>x</k>", repairing(), "rxml::doubled-open"),
        ("closing tag for nothing", "<k>x</k></z>", repairing(), "rxml::stray-close"),
        ("section without end", "<k><![CDATA[x</k>", repairing(), "rxml::cdata-open"),
        ("attribute as member", "<at lat='1'/>", repairing(), "rxml::attribute-member"),
        ("boolean without content", "<force/>", repairing(), "rxml::flag"),
        ("sign for less", "<m>2</m><z>1 < 2</z>", repairing(), "rxml::text-lt"),
    ];
    let schema = properties(MEMBERS);
    for (name, text, options, code) in &examples {
        let parsed = checked(text, &schema, options);
        let parsed = parsed.unwrap_or_else(|error| panic!("{name}: {error}"));
        let codes: Vec<_> = parsed.diagnostics.iter().map(|d| d.code.as_str()).collect();
        assert_eq!(codes, [*code], "{name}");
    }
    let mut shown: BTreeSet<_> = examples.iter().map(|(.., code)| *code).collect();
    // Only inside an element that was opened elsewhere.
    let mut machine = Machine::inside("call", schema, repairing(), Repeats::Refuse);
    machine
        .push("k>x</k><m>4</m></call>", |event| {
            if let Event::Diagnostic(note) = event {
                shown.extend((note.code == "rxml::doubtful-close").then_some(note.code.as_str()));
            }
        })
        .unwrap();
    let all: BTreeSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(shown, all);
}

#[test]
fn every_kind_of_broken_markup_has_an_example() {
    let limited = |set: fn(&mut Options)| {
        let mut options = Options::default();
        set(&mut options);
        options
    };
    let plain = Options::default;
    for (name, text, options, kind) in [
        ("only text", "text", plain(), ParseErrorKind::NoElement),
        ("cut in an element", "<k>x", plain(), ParseErrorKind::Unclosed),
        ("another closing tag", "<at></z></at>", plain(), ParseErrorKind::Mismatched),
        ("closing tag for nothing", "</z>", plain(), ParseErrorKind::StrayClose),
        ("sign for less", "<at>1 < 2</at>", plain(), ParseErrorKind::BadTag),
        ("comment without end", "<!-- x", plain(), ParseErrorKind::UnclosedMarkup),
        ("instruction without end", "<?x", repairing(), ParseErrorKind::UnclosedMarkup),
        ("section without end", "<z><![CDATA[x</z>", plain(), ParseErrorKind::UnclosedMarkup),
        ("depth", "<z><z/></z>", limited(|o| o.max_depth = 1), ParseErrorKind::TooDeep),
        (
            "attributes",
            "<at a b/>",
            limited(|o| o.max_attributes = 1),
            ParseErrorKind::TooManyAttributes,
        ),
        ("length", "<z/>", limited(|o| o.max_bytes = 3), ParseErrorKind::TooLarge),
    ] {
        let result = parse(text, &properties(MEMBERS), &options);
        let found = matches!(&result, Err(Error::Parse { kind: found, .. }) if *found == kind);
        assert!(found, "{name}: {result:?}");
    }
}

#[test]
fn every_kind_of_document_that_is_refused_has_an_example() {
    let strict = |text: &str| match parse_strict(text, &NodeOptions::default()) {
        Err(Error::Parse { kind, .. }) => Some(kind),
        _ => None,
    };
    assert_eq!(strict("<!DOCTYPE a><a/>"), Some(ParseErrorKind::Doctype));
    assert!(matches!(strict("<a b/>"), Some(ParseErrorKind::NotWellFormed(_))));
    assert_eq!(strict(""), Some(ParseErrorKind::NoElement));
    assert_eq!(strict("<a><b></a></b>"), Some(ParseErrorKind::Mismatched));
    assert_eq!(strict("<a>"), Some(ParseErrorKind::Unclosed));
    let tree = parse_node("<a></b>", &NodeOptions::default());
    assert!(matches!(tree, Err(Error::Parse { kind: ParseErrorKind::Mismatched, .. })));
}

#[test]
fn values_that_do_not_fit_say_where() {
    let error = |text: &str| parse(text, &properties(MEMBERS), &Options::default()).unwrap_err();
    let Error::Coercion { instance_path, schema_path, .. } = error("<at><lat>x</lat></at>") else {
        panic!("no coercion error");
    };
    assert_eq!(instance_path, "/at/lat");
    assert_eq!(schema_path, "/properties/at/properties/lat/type");
    let Error::DuplicateStringTag { name, spans } = error("<k>a</k><k>b</k>") else {
        panic!("no duplicate");
    };
    assert_eq!((name.as_str(), spans), ("k", (Span::new(0, 3), Span::new(8, 11))));
    let Error::Coercion { instance_path, .. } = error("<at><lat><b/></lat></at>") else {
        panic!("no coercion error");
    };
    assert_eq!(instance_path, "/at/lat");
}

#[test]
fn every_value_that_cannot_be_written_has_a_place() {
    let mut options = WriteOptions::default();
    options.max_depth = 3;
    for (text, kind, path) in [
        ("{a:{'b c':1}}", WriteErrorKind::Name, "/a/b c"),
        ("{a:[1,{'@_x y':1}]}", WriteErrorKind::Name, "/a/1/@_x y"),
        ("{a:{'@_x':[1]}}", WriteErrorKind::NotAScalar, "/a/@_x"),
        ("{a:[[{'#text':{}}]]}", WriteErrorKind::TooDeep, "/a/0/0"),
        ("{a:{b:{c:1}}}", WriteErrorKind::TooDeep, "/a/b/c"),
    ] {
        let error = stringify("call", &value(text), &options).unwrap_err();
        assert_eq!((error.kind, error.path.as_str()), (kind, path), "{text}");
    }
    let error = stringify("a b", &value("1"), &options).unwrap_err();
    assert_eq!((error.kind, error.path.as_str()), (WriteErrorKind::Name, ""));
}
