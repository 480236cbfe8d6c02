//! Laws over random input: chunks do not matter, nothing panics, what is written reads back.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "helpers of tests are tests too"
)]

mod common;
#[path = "common/pieces.rs"]
mod pieces;

use common::{by_chunks, schema};
use pieces::{PIECES, cut_at};
use proptest::prelude::*;
use toolweir_rjson::{Array, Object, Value};
use toolweir_rxml::{
    NodeOptions, Options, WriteOptions, extract_raw, parse, parse_node, parse_strict, stringify,
};
use toolweir_schema_coerce::Schema;

const SCHEMA: &str = "{
    type: 'object',
    properties: {
        k: {type: 'string'},
        m: {type: 'integer'},
        f: {type: 'boolean'},
        t: {type: 'array', items: {type: 'string'}},
        n: {type: 'array', items: {type: 'number'}},
        o: {type: 'object', properties: {k: {type: 'string'}, m: {type: 'integer'},
            o: {type: 'object', properties: {k: {type: 'string'}}}}},
        r: {type: 'array', items: {type: 'object', properties: {k: {type: 'string'},
            t: {type: 'array', items: {type: 'string'}}}}},
        g: {type: 'array', items: {type: 'array', items: {type: 'string'}}},
    },
}";

/// Pieces of markup that make broken documents likely to be interesting.
fn soup() -> impl Strategy<Value = String> {
    let piece =
        prop_oneof![proptest::sample::select(PIECES).prop_map(str::to_owned), "[ -~é\n]{0,6}",];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn ways() -> Vec<Options> {
    let mut ways = vec![Options::default(); 3];
    ways[1].repair = true;
    ways[2].repair = true;
    ways[2].throw_on_duplicate_string_tags = false;
    ways
}

fn cut<'t>(text: &'t str, cuts: &[usize]) -> Vec<&'t str> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
    cuts.retain(|cut| text.is_char_boundary(*cut));
    cuts.sort_unstable();
    cut_at(text, &cuts)
}

fn text_value() -> impl Strategy<Value = String> {
    let odd = vec![
        "",
        " ",
        "<item>a</item>",
        "]]>",
        "&lt;",
        "</k>",
        "<k>",
        "<![CDATA[x]]>",
        "\r\n",
        "null",
        "4",
    ];
    prop_oneof![proptest::sample::select(odd).prop_map(str::to_owned), "[ -~\r\n\té😀]{0,8}"]
}

fn texts(most: usize) -> impl Strategy<Value = Value> {
    proptest::collection::vec(text_value(), 0..most)
        .prop_map(|texts| Value::from(texts.into_iter().collect::<Array>()))
}

/// Values that fit the schema.
fn value() -> impl Strategy<Value = Value> {
    let member = |key: &'static str, value: BoxedStrategy<Value>| {
        proptest::option::of(value).prop_map(move |value| (key, value))
    };
    let inner = (
        member("k", text_value().prop_map(Value::from).boxed()),
        member("m", any::<i64>().prop_map(Value::from).boxed()),
    )
        .prop_map(|(a, b)| object([a, b]));
    let row =
        (member("k", text_value().prop_map(Value::from).boxed()), member("t", texts(4).boxed()))
            .prop_map(|(a, b)| object([a, b]));
    let rows = proptest::collection::vec(row, 0..4)
        .prop_map(|rows| Value::from(rows.into_iter().collect::<Array>()));
    let lists = proptest::collection::vec(texts(4), 0..4)
        .prop_map(|rows| Value::from(rows.into_iter().collect::<Array>()));
    (
        member("k", text_value().prop_map(Value::from).boxed()),
        member("m", any::<i64>().prop_map(Value::from).boxed()),
        member("f", any::<bool>().prop_map(Value::from).boxed()),
        member("t", texts(4).boxed()),
        member("o", inner.boxed()),
        member("r", rows.boxed()),
        member("g", lists.boxed()),
        member("x", "[a-z]{1,4}".prop_map(Value::from).boxed()),
    )
        .prop_map(|(a, b, c, d, e, f, g, h)| object([a, b, c, d, e, f, g, h]))
}

fn object<const N: usize>(members: [(&'static str, Option<Value>); N]) -> Value {
    let mut object = Object::new();
    for (key, value) in members {
        if let Some(value) = value {
            object.insert(key, value);
        }
    }
    object.into()
}

fn written() -> Vec<WriteOptions> {
    let mut ways = vec![WriteOptions::default(); 3];
    ways[1].format = false;
    ways[1].minimal_escaping = true;
    ways[2].suppress_empty = true;
    ways
}

/// Texts whose reading once differed from cut to cut.
#[test]
fn texts_that_are_delicate_to_cut_read_the_same_at_every_cut() {
    const TEXTS: &[&str] = &[
        "A<call></1>",
        "<![CDATA[</ k><o k='1'><call>aaA A<k A\n <?AéA<0>]]><k/><item><k/><!--",
        "<k><m>&#0;",
        "<?<t><![CDATA[<k>?>",
        "<t k>a</t><t>b</t>",
        "<t k><o><t>",
        "<r x='1'><k>a</k></r><r/>",
        "<r x='1'><k>a</k></r>",
        "<r x='1'/>",
        "<r x='1'>[]</r>",
        "<g x='1'><item y='2'>a</item></g><g z='3'/>",
    ];
    for text in TEXTS {
        for schema in [schema(SCHEMA), Schema::any()] {
            for mut options in ways() {
                let _ = common::checked(text, &schema, &options);
                options.partial = true;
                let _ = common::checked(text, &schema, &options);
            }
        }
    }
}

proptest! {
    #![proptest_config(common::cases(300))]

    #[test]
    fn chunks_do_not_matter(text in soup(), cuts in proptest::collection::vec(any::<usize>(), 0..6)) {
        for schema in [schema(SCHEMA), Schema::any()] {
            for options in ways() {
                let whole = by_chunks(&[&text], &schema, &options);
                let parts = by_chunks(&cut(&text, &cuts), &schema, &options);
                prop_assert_eq!(whole, parts);
            }
        }
    }

    #[test]
    fn what_is_certain_does_not_depend_on_chunks(text in soup(), cuts in proptest::collection::vec(any::<usize>(), 0..6)) {
        let schema = schema(SCHEMA);
        for mut options in ways() {
            options.partial = true;
            let whole = by_chunks(&[&text], &schema, &options);
            let parts = by_chunks(&cut(&text, &cuts), &schema, &options);
            prop_assert_eq!(whole.0, parts.0);
        }
    }

    #[test]
    fn repair_changes_nothing_that_reads_without(text in soup()) {
        let schema = schema(SCHEMA);
        let plain = parse(&text, &schema, &Options::default());
        let repaired = parse(&text, &schema, &ways()[1]);
        if let Ok(plain) = plain {
            let free = |code: &str| !matches!(code, "rxml::name-case" | "rxml::attribute-member" | "rxml::flag" | "rxml::close-spacing" | "rxml::assumed-close" | "rxml::close-case");
            if let Ok(repaired) = repaired && repaired.diagnostics.iter().all(|d| free(d.code.as_str())) {
                prop_assert_eq!(plain.value, repaired.value);
            }
        }
    }

    #[test]
    fn trees_and_raw_insides_are_total(text in soup()) {
        let _ = parse_node(&text, &NodeOptions::default());
        let _ = parse_strict(&text, &NodeOptions::default());
        let _ = extract_raw(&text, "k");
    }

    #[test]
    fn strict_reading_accepts_no_more_than_the_tree(text in soup()) {
        if let Ok(root) = parse_strict(&text, &NodeOptions::default()) {
            let tree = parse_node(&text, &NodeOptions::default());
            prop_assert!(tree.is_ok_and(|nodes| nodes.iter().any(|node| node.as_element() == Some(&root))));
            prop_assert!(roxmltree::Document::parse(&text).is_ok());
        }
    }

    #[test]
    fn what_is_written_reads_back(value in value()) {
        let schema = schema(SCHEMA);
        for write in written() {
            let text = stringify("call", &value, &write).unwrap();
            for options in ways() {
                let read = parse(&text, &schema, &options);
                let read = read.map(|parsed| parsed.value.to_string());
                prop_assert_eq!(&read, &Ok(value.to_string()), "{}", text);
            }
        }
    }
}
