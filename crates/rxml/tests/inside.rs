//! What may stand inside lists and scalars: comments, sections, and the broken tags of entries.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "helpers of tests are tests too"
)]

mod common;

use common::{by_chunks, codes, properties, read, repairing};
use toolweir_rxml::{Event, Machine, Options};
use toolweir_schema_coerce::Schema;

const MEMBERS: &str = "{k:{type:'string'},m:{type:'integer'},n:{type:'array',items:{type:'integer'}},\
    t:{type:'array',items:{type:'string'}},any:{type:'array'},\
    rows:{type:'array',items:{type:'object',properties:{id:{type:'integer'},name:{type:'string'}}}}}";

fn plain(text: &str) -> String {
    read(text, &properties(MEMBERS), &Options::default())
}

fn repaired(text: &str) -> String {
    read(text, &properties(MEMBERS), &repairing())
}

#[test]
fn comments_and_instructions_are_no_part_of_a_scalar() {
    for text in ["<m><!-- in days -->15</m>", "<m>1<!-- <k>x</k> -->5</m>", "<m><?unit d?> 15 </m>"]
    {
        assert_eq!(plain(text), r#"{"m":15}"#, "{text}");
        assert_eq!(repaired(text), r#"{"m":15}"#, "{text}");
    }
    assert_eq!(plain("<m><!-- none --></m>"), "coercion");
    assert_eq!(plain("<m>15<!-- open</m>"), "parse");
    assert_eq!(plain("<m>1<!-- x --><k>5</k></m>"), "coercion");
}

#[test]
fn sections_of_a_scalar_are_its_text() {
    assert_eq!(plain("<m>1<![CDATA[5]]></m>"), r#"{"m":15}"#);
    assert_eq!(plain("<m><![CDATA[1]]>&#53;</m>"), r#"{"m":15}"#);
    assert_eq!(plain("<m>1<![CDATA[&#53;]]></m>"), "coercion");
}

#[test]
fn comments_are_no_part_of_a_list_written_as_text() {
    assert_eq!(plain("<n><!-- two -->[1, 2]</n>"), r#"{"n":[1,2]}"#);
    assert_eq!(plain("<n>[1,<!-- not 2 -->3]</n>"), r#"{"n":[1,3]}"#);
    assert_eq!(plain("<n><!-- none --></n>"), r#"{"n":[]}"#);
    assert_eq!(plain("<n><item>4<!-- a --></item><!-- b --></n>"), r#"{"n":[4]}"#);
    assert_eq!(plain("<any>a<!-- b --> c</any>"), r#"{"any":["a c"]}"#);
    assert_eq!(plain("<t>a<!-- b --></t>"), r#"{"t":["a<!-- b -->"]}"#);
}

#[test]
fn entries_end_at_a_closing_tag_in_another_letter_case() {
    for (text, value, closed) in [
        ("<n><item>1</Item><item>2</item></n>", r#"{"n":[1,2]}"#, 1),
        ("<n><item>1</ITEM><item>2</Item></n>", r#"{"n":[1,2]}"#, 2),
        ("<t><item>a</Item><item>b</item></t>", r#"{"t":["a","b"]}"#, 1),
        ("<n><0>1</0><1>2</1></N>", r#"{"n":[1,2]}"#, 1),
        ("<n>1</N><n>2</n><k>x</k>", r#"{"n":[1,2],"k":"x"}"#, 1),
        (
            "<rows><row><id>1</id></Row><row><id>2</id></row></rows>",
            r#"{"rows":[{"id":1},{"id":2}]}"#,
            1,
        ),
    ] {
        assert_eq!(repaired(text), value, "{text}");
        let found = codes(text, &properties(MEMBERS), &repairing());
        assert_eq!(found, vec!["rxml::close-case"; closed], "{text}");
        assert_ne!(plain(text), value, "{text}");
    }
    assert_eq!(repaired("<t>a</T> b</t>"), r#"{"t":["a</T> b"]}"#);
}

#[test]
fn what_is_repaired_among_entries_is_reported() {
    for (text, value, code) in [
        ("<n></z><item>1</item></n>", r#"{"n":[1]}"#, "rxml::stray-close"),
        ("<n><item>1</item></z></n>", r#"{"n":[1]}"#, "rxml::stray-close"),
        ("<n><item>1</item><item>2 </n>", r#"{"n":[1,2]}"#, "rxml::assumed-close"),
        ("<t><item>a \n</t>", r#"{"t":["a"]}"#, "rxml::assumed-close"),
        ("<t><item>a</x></t>", r#"{"t":["a"]}"#, "rxml::assumed-close"),
        ("<t><item>a</ item></t>", r#"{"t":["a"]}"#, "rxml::close-spacing"),
        ("<any>1 < 2</any>", r#"{"any":["1 < 2"]}"#, "rxml::text-lt"),
    ] {
        assert_eq!(repaired(text), value, "{text}");
        assert_eq!(codes(text, &properties(MEMBERS), &repairing()), [code], "{text}");
    }
    assert_eq!(repaired("<t></z></t>"), r#"{"t":["</z>"]}"#);
}

#[test]
fn members_of_an_entry_may_be_in_another_letter_case() {
    assert_eq!(repaired("<rows><ID>1</ID></rows>"), r#"{"rows":[{"id":1}]}"#);
    assert_eq!(
        repaired("<rows><Id>1</Id><Name>x</Name></rows>"),
        r#"{"rows":[{"id":1,"name":"x"}]}"#
    );
    assert_eq!(repaired("<rows><row><ID>1</ID></row></rows>"), r#"{"rows":[{"id":1}]}"#);
}

#[test]
fn text_beside_elements_is_told_as_it_is_given() {
    let schema =
        properties("{o:{type:'object',properties:{k:{type:'string'},'#text':{type:'integer'}}}}");
    for schema in [schema, Schema::any()] {
        let (result, events) = by_chunks(&["<o>4<k>x</k></o>"], &schema, &Options::default());
        let value = result.unwrap().value;
        let told = events.windows(2).find_map(|pair| match pair {
            [Event::Open { name, .. }, Event::Value { value }] if name == "#text" => Some(value),
            _ => None,
        });
        assert_eq!(told, value.get("o").and_then(|o| o.get("#text")));
    }
}

#[test]
fn a_tag_of_another_name_is_certain_before_it_ends() {
    let shown = |chunks: &[&str], options: &Options| {
        let mut machine = Machine::new(properties(MEMBERS), options.clone());
        for chunk in chunks {
            machine.push(chunk, |_| {}).unwrap();
        }
        machine.snapshot().unwrap().to_string()
    };
    let plain = Options::default();
    assert_eq!(shown(&["<k>ab <b"], &plain), r#"{"k":"ab <b"}"#);
    assert_eq!(shown(&["<k>ab </b", " "], &plain), r#"{"k":"ab </b "}"#);
    assert_eq!(shown(&["<k>ab <", "kk"], &plain), r#"{"k":"ab <kk"}"#);
    assert_eq!(shown(&["<k>ab <k"], &plain), r#"{"k":"ab "}"#);
    assert_eq!(shown(&["<k>ab </k"], &plain), r#"{"k":"ab "}"#);
    assert_eq!(shown(&["<k>ab <m"], &repairing()), r#"{"k":"ab"}"#);
}
