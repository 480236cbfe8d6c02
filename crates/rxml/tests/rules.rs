//! The rules of reading by a schema, one example each, at every split.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "helpers of tests are tests too"
)]

mod common;

use common::{codes, properties, read, repairing, schema};
use toolweir_rjson::{Mode, parse};
use toolweir_rxml::{Options, WriteOptions, stringify};
use toolweir_schema_coerce::Schema;

/// Reads without repair.
fn plain(text: &str, properties_source: &str) -> String {
    read(text, &properties(properties_source), &Options::default())
}

/// Reads with repair.
fn repaired(text: &str, properties_source: &str) -> String {
    read(text, &properties(properties_source), &repairing())
}

const K: &str = "{k:{type:'string'},m:{type:'integer'}}";

#[test]
fn strings_are_raw_up_to_their_own_closing_tag() {
    assert_eq!(plain("<k> a <b>&lt;</b>\r\n </k>", K), r#"{"k":" a <b><</b>\r\n "}"#);
    assert_eq!(plain("<k>if a < b && <m>3</m></k>", K), r#"{"k":"if a < b && <m>3</m>"}"#);
    assert_eq!(plain("<k><!-- </m> --></k >", K), r#"{"k":"<!-- </m> -->"}"#);
    assert_eq!(plain("<k/>", K), r#"{"k":""}"#);
}

#[test]
fn own_name_nesting_counts_or_the_first_closing_tag_ends() {
    let q = "{q:{type:'string'},o:{type:'object',properties:{q:{type:'string'}}}}";
    assert_eq!(plain("<q>one <q>two</q> three</q>", q), r#"{"q":"one <q>two</q> three"}"#);
    assert_eq!(plain("<q>write <q> here</q>", q), r#"{"q":"write <q> here"}"#);
    assert_eq!(plain("<q>a <q/> b</q>", q), r#"{"q":"a <q/> b"}"#);
    assert_eq!(plain("<o><q>w <q> h</q></o>", q), r#"{"o":{"q":"w <q> h"}}"#);
    assert_eq!(plain("<o><q>a </o> b</q></o>", q), r#"{"o":{"q":"a </o> b"}}"#);
}

#[test]
fn a_value_of_sections_only_is_their_text() {
    assert_eq!(plain("<k> <![CDATA[a</k>&lt;]]>\n</k>", K), r#"{"k":"a</k>&lt;"}"#);
    assert_eq!(plain("<k><![CDATA[a]]> b</k>", K), r#"{"k":"<![CDATA[a]]> b"}"#);
    assert_eq!(plain("<k>a<![CDATA[</k>", K), r#"{"k":"a<![CDATA["}"#);
}

#[test]
fn scalars_are_coerced_at_the_end() {
    assert_eq!(plain("<m> 4 </m>", K), r#"{"m":4}"#);
    assert_eq!(plain(r#"<m unit="m">4</m>"#, K), r#"{"m":4}"#);
    for text in ["<m>four</m>", "<m/>", "<m></m>", "<m><b>4</b></m>", "<m>1</m><m>2</m>"] {
        assert_eq!(plain(text, K), "coercion", "{text}");
    }
}

#[test]
fn the_root_is_unwrapped_once() {
    assert_eq!(plain("<call><m>4</m></call>", K), r#"{"m":4}"#);
    assert_eq!(plain("<call/>", K), "{}");
    assert_eq!(plain("<call><m>4</m></call><m>5</m>", K), r#"{"call":{"m":"4"},"m":5}"#);
    assert_eq!(plain("<call>x</call><m>5</m>", K), r#"{"call":"x","m":5}"#);
    assert_eq!(plain("<call>x</call>", K), "parse");
    assert_eq!(plain("<a><b><m>4</m></b></a>", K), r#"{"b":{"m":"4"}}"#);
}

#[test]
fn blanks_comments_and_declarations_are_skipped() {
    let text =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE a [ <!ELEMENT a (b)> ]><!-- <m>5</m> -->\n<m>4</m>";
    assert_eq!(plain(text, K), r#"{"m":4}"#);
    assert_eq!(plain("", K), "{}");
    assert_eq!(plain(" \n", K), "{}");
    assert_eq!(plain("just text", K), "parse");
    assert_eq!(codes("a<m>4</m>b", &properties(K), &Options::default()).len(), 2);
}

#[test]
fn elements_without_a_schema_keep_what_they_say() {
    let any = |text| read(text, &Schema::any(), &Options::default());
    assert_eq!(any("<n>about <k>4</k></n>"), r##"{"n":{"k":"4","#text":"about"}}"##);
    let mut named = Options::default();
    named.text_node_name = "_".to_owned();
    let text = "<n>about <k>4</k></n>";
    assert_eq!(read(text, &Schema::any(), &named), r#"{"n":{"k":"4","_":"about"}}"#);
    assert_eq!(any("<n>1</n><n>2</n><n/>"), r#"{"n":["1","2",""]}"#);
    assert_eq!(any("<n> <![CDATA[<x>]]> </n>"), r#"{"n":" <x> "}"#);
    assert_eq!(any("<a><b></a></b>"), "parse");
    assert_eq!(any("<__proto__>1</__proto__>"), r#"{"__proto__":"1"}"#);
    assert_eq!(any("<link>x</link><meta>y</meta>"), r#"{"link":"x","meta":"y"}"#);
}

#[test]
fn attributes_are_members_where_there_is_a_place() {
    let note = "{note:{type:'object',properties:{'@_lang':{type:'string'},'#text':{type:'string'},n:{type:'integer'}}}}";
    let wanted = r##"{"note":{"@_lang":"de","#text":"ja"}}"##;
    assert_eq!(plain("<note lang=de>ja</note>", note), wanted);
    assert_eq!(plain("<note lang='de'>ja</note>", note), wanted);
    assert_eq!(
        plain(r#"<note x n="1 &gt; 0"/>"#, note),
        r#"{"note":{"@_x":"true","@_n":"1 > 0"}}"#
    );
    let closed = "{o:{type:'object',properties:{a:{type:'string'}},additionalProperties:false}}";
    assert_eq!(plain("<o id='1'>t<a>x</a></o>", closed), r#"{"o":{"a":"x"}}"#);
    let found = codes("<o id='1'>t<a>x</a></o>", &properties(closed), &Options::default());
    assert_eq!(found, ["rxml::ignored-attribute", "rxml::dropped-text"]);
}

#[test]
fn objects_may_be_text() {
    let o = "{o:{type:'object',properties:{a:{type:'integer'}}}}";
    assert_eq!(plain(r#"<o>{"a": 4}</o>"#, o), r#"{"o":{"a":4}}"#);
    assert_eq!(plain("<o> </o>", o), r#"{"o":{}}"#);
    assert_eq!(plain("<o>a: 4</o>", o), "coercion");
}

#[test]
fn lists_have_five_shapes() {
    let ints = "{n:{type:'array',items:{type:'integer'}}}";
    assert_eq!(plain("<n><item>1</item><item>2</item></n>", ints), r#"{"n":[1,2]}"#);
    assert_eq!(plain("<n><1>b</1><0>a</0></n>", "{n:{type:'array'}}"), r#"{"n":["a","b"]}"#);
    assert_eq!(plain("<n><1>2</1><0>1</0></n>", ints), r#"{"n":[1,2]}"#);
    // Each entry by the schema of its place: a string is raw.
    let pair = "{n:{type:'array',prefixItems:[{type:'string'},{type:'integer'}]}}";
    assert_eq!(plain("<n><0><b>x</b></0><1>2</1></n>", pair), r#"{"n":["<b>x</b>",2]}"#);
    assert_eq!(plain("<n>1</n><n>2</n>", ints), r#"{"n":[1,2]}"#);
    assert_eq!(plain("<n>[1, 2]</n>", ints), r#"{"n":[1,2]}"#);
    assert_eq!(plain("<n>7</n>", ints), r#"{"n":[7]}"#);
    assert_eq!(plain("<n/>", ints), r#"{"n":[]}"#);
    let rows = "{rows:{type:'array',items:{type:'object',properties:{id:{type:'integer'}}}}}";
    assert_eq!(plain("<rows><row><id>1</id></row></rows>", rows), r#"{"rows":[{"id":1}]}"#);
    assert_eq!(plain("<rows><id>1</id><x>2</x></rows>", rows), r#"{"rows":[{"id":1,"x":"2"}]}"#);
    assert_eq!(plain("<rows><id>1</id></rows><rows/>", rows), r#"{"rows":[{"id":1},{}]}"#);
}

#[test]
fn string_lists_look_for_items_only() {
    let tags = "{tags:{type:'array',items:{type:'string'}}}";
    assert_eq!(plain("<tags><item> a </item><item/></tags>", tags), r#"{"tags":[" a ",""]}"#);
    assert_eq!(plain("<tags>a<b>c</b></tags>", tags), r#"{"tags":["a<b>c</b>"]}"#);
    assert_eq!(plain("<tags><b>c</b></tags>", tags), r#"{"tags":["<b>c</b>"]}"#);
    assert_eq!(plain("<tags>a</tags><tags/>", tags), r#"{"tags":["a",""]}"#);
    assert_eq!(plain("<tags/>", tags), r#"{"tags":[]}"#);
    let nested = "{m:{type:'array',items:{type:'array',items:{type:'string'}}}}";
    let text = "<m><item>1</item><item>2</item></m><m><item>3</item></m>";
    assert_eq!(plain(text, nested), r#"{"m":[["1","2"],["3"]]}"#);
}

#[test]
fn keys_keep_the_place_where_they_were_first_seen() {
    let both = "{n:{type:'array',items:{type:'integer'}},k:{type:'string'}}";
    assert_eq!(plain("<n>1</n><k>x</k><n>2</n>", both), r#"{"n":[1,2],"k":"x"}"#);
}

#[test]
fn a_string_property_comes_once() {
    assert_eq!(plain("<k>a</k><k>b</k>", K), "duplicate-string-tag");
    let mut options = Options::default();
    options.throw_on_duplicate_string_tags = false;
    assert_eq!(read("<k>a</k><k>b</k>", &properties(K), &options), r#"{"k":"a"}"#);
}

#[test]
fn the_schema_has_the_last_word() {
    let closed = schema(
        "{type:'object',properties:{k:{type:'string'}},required:['k'],additionalProperties:false}",
    );
    assert_eq!(read("<k>a</k><z>b</z>", &closed, &Options::default()), "coercion");
    assert_eq!(read("", &closed, &Options::default()), "coercion");
}

#[test]
fn options_of_writing_do_what_they_say() {
    let source = r##"{"k":"a\"b>","o":{"m":"","#text":"t","_":"u"}}"##;
    let value = parse(source, Mode::Strict).unwrap().value;
    let mut options = WriteOptions::default();
    options.text_node_name = "_".to_owned();
    let written = |options: &WriteOptions| stringify("c", &value, options);
    // `#text` is no name of an element.
    assert!(written(&options).is_err());
    let value = parse(&source.replace(r##""#text":"t","##, ""), Mode::Strict).unwrap().value;
    let written = |options: &WriteOptions| stringify("c", &value, options).unwrap();
    let lines = "<c>\n  <k>a&quot;b&gt;</k>\n  <o>u<m></m>\n  </o>\n</c>";
    assert_eq!(written(&options), lines);
    options.format = false;
    assert_eq!(written(&options), "<c><k>a&quot;b&gt;</k><o>u<m></m></o></c>");
    options.suppress_empty = true;
    assert_eq!(written(&options), "<c><k>a&quot;b&gt;</k><o>u<m/></o></c>");
    options.minimal_escaping = true;
    assert_eq!(written(&options), "<c><k>a\"b></k><o>u<m/></o></c>");
}

#[test]
fn repairs_have_names() {
    for (text, value, code) in [
        ("<k>x</ k>", r#"{"k":"x"}"#, "rxml::close-spacing"),
        ("<k>x</K>", r#"{"k":"x"}"#, "rxml::close-case"),
        ("<KEY>x</KEY>", r#"{"key":"x"}"#, "rxml::name-case"),
        ("<k>x</k></z>", r#"{"k":"x"}"#, "rxml::stray-close"),
        ("<k>x<m>2</m>", r#"{"k":"x","m":2}"#, "rxml::assumed-close"),
        ("<k>x</kk><m>2</m>", r#"{"k":"x","m":2}"#, "rxml::assumed-close"),
        ("<k>x \n", r#"{"k":"x"}"#, "rxml::assumed-close"),
        ("<k><![CDATA[1<2</k>", r#"{"k":"1<2"}"#, "rxml::cdata-open"),
        ("<at lat=\"1\"/>", r#"{"at":{"lat":1}}"#, "rxml::attribute-member"),
        ("<force/>", r#"{"force":true}"#, "rxml::flag"),
        ("<force></force>", r#"{"force":true}"#, "rxml::flag"),
        ("<u>1 < 2</u><m>2</m>", r#"{"u":"1 < 2","m":2}"#, "rxml::text-lt"),
        ("<at><lat>1</lat><m>2</m>", r#"{"at":{"lat":1},"m":2}"#, "rxml::assumed-close"),
        ("<at><lat>1</at><m>2</m>", r#"{"at":{"lat":1},"m":2}"#, "rxml::assumed-close"),
        ("<at><lat>1</z></lat></at>", "coercion", ""),
    ] {
        let known = "{k:{type:'string'},key:{type:'string'},m:{type:'integer'},force:{type:'boolean'},at:{type:'object',properties:{lat:{type:'number'}}}}";
        assert_eq!(repaired(text, known), value, "{text}");
        if !code.is_empty() {
            let found = codes(text, &properties(known), &repairing());
            assert_eq!(found, [code], "{text}");
        }
    }
}

#[test]
fn nothing_is_repaired_unless_asked_for() {
    for text in [
        "<k>x</ k>",
        "<k>x</K>",
        "<k>x</k></z>",
        "<k>x<m>2</m>",
        "<k><![CDATA[1<2</k>",
        "<u>1 < 2</u><m>1</m>",
        "<k>x</k><m",
    ] {
        assert_eq!(plain(text, K), "parse", "{text}");
    }
}

#[test]
fn cut_input_gives_what_is_certain() {
    let mut options = Options::default();
    options.partial = true;
    for (text, value) in [
        ("<k>ab</", r#"{"k":"ab"}"#),
        ("<k>ab</k><m", r#"{"k":"ab"}"#),
        ("<k>ab</k><m>4", r#"{"k":"ab"}"#),
        ("<k>1 &l", r#"{"k":"1 "}"#),
        ("<m>4</m><k>", r#"{"m":4,"k":""}"#),
        ("", "{}"),
    ] {
        assert_eq!(read(text, &properties(K), &options), value, "{text}");
    }
}
