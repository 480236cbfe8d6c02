//! Families of values and schemas for coercion, whole and streaming.

use toolweir_schema_coerce::{Loss, Policy, Schema, Undeclared};

use super::{Family, Run, over_text};
use crate::foundation::{push_coerced, schema, strict};
use toolweir_yardstick::clock::time;

/// Every family: all of them for whole values, those of long values streaming as well.
pub(crate) fn families() -> Vec<Family> {
    let whole = |&(name, shape, build): &Case| Family {
        reader: "schema-coerce",
        name,
        make: Box::new(move |bytes| {
            let (shape, text) = (shape.text(bytes), build(bytes));
            coerce(&schema(&shape), &text)
        }),
    };
    let streaming = |&(name, shape, build): &Case| Family {
        reader: "schema-coerce, streaming",
        name,
        make: Box::new(move |bytes| {
            let schema = schema(&shape.text(bytes));
            over_text(build(bytes), move |text| {
                push_coerced(&schema, &[text], |_| {}).err().map(|_| 0)
            })
        }),
    };
    CASES.iter().map(whole).chain(CASES.iter().map(streaming)).collect()
}

/// Coerces a fresh copy of the value each time.
fn coerce(schema: &Schema, text: &str) -> Run {
    let value = strict(text);
    let mut policy = Policy::default();
    policy.allow = Loss::Guess;
    policy.undeclared = Undeclared::Drop;
    policy.max_steps = usize::MAX;
    let schema = schema.clone();
    Box::new(move |times| {
        let mut ns = 0.0;
        for _ in 0..times {
            let mut fresh = Some(value.clone());
            // That it cannot be made to fit is an answer too.
            ns += time(1, || fresh.take().map(|value| schema.coerce(value, &policy).is_ok()));
        }
        (ns / times.max(1) as f64, None)
    })
}

/// A schema: the same at any size, or one that grows with the value.
#[derive(Clone, Copy)]
enum Shape {
    Fixed(&'static str),
    /// So many properties that each is declared.
    Declared,
    /// A chain of so many references to the schema of the entries.
    Chain(usize),
    /// A choice among so many constants.
    Constants(usize),
}

use Shape::{Chain, Constants, Declared, Fixed};

impl Shape {
    fn text(self, bytes: usize) -> String {
        let joined = |count: usize, each: &dyn Fn(usize) -> String| {
            (0..count).map(each).collect::<Vec<_>>().join(",")
        };
        match self {
            Fixed(text) => text.to_owned(),
            Declared => {
                let properties = joined(members(bytes), &|row| {
                    format!("\"k{row:07}\":{{\"type\":\"integer\"}}")
                });
                format!("{{\"type\":\"object\",\"properties\":{{{properties}}}}}")
            }
            Chain(links) => {
                let next = |link: usize| match link + 1 == links {
                    true => format!("\"d{link}\":{{\"type\":\"integer\"}}"),
                    false => format!("\"d{link}\":{{\"$ref\":\"#/$defs/d{}\"}}", link + 1),
                };
                let defs = joined(links, &next);
                format!(
                    "{{\"type\":\"array\",\"items\":{{\"$ref\":\"#/$defs/d0\"}},\"$defs\":{{{defs}}}}}"
                )
            }
            Constants(count) => {
                let all = joined(count, &|row| format!("{{\"const\":\"weft{row}\"}}"));
                format!("{{\"type\":\"array\",\"items\":{{\"anyOf\":[{all}]}}}}")
            }
        }
    }
}

/// Members of a wide object of so many bytes.
fn members(bytes: usize) -> usize {
    (bytes / 15).max(1)
}

/// The unit as often as fits, with commas between.
fn list(unit: &str, bytes: usize) -> String {
    vec![unit; (bytes / (unit.len() + 1)).max(1)].join(",")
}

fn array(unit: &str, bytes: usize) -> String {
    format!("[{}]", list(unit, bytes))
}

/// Members with numbered keys.
fn wide(prefix: &str, value: &str, bytes: usize) -> String {
    let each = |row: usize| format!("\"{prefix}{row:07}\":{value}");
    format!("{{{}}}", (0..members(bytes)).map(each).collect::<Vec<_>>().join(","))
}

fn distinct(bytes: usize) -> String {
    let each = |row: usize| format!("\"{row:07}\"");
    format!("[{}]", (0..(bytes / 10).max(1)).map(each).collect::<Vec<_>>().join(","))
}

type Case = (&'static str, Shape, fn(usize) -> String);

const INTEGERS: Shape = Fixed(r#"{"type":"array","items":{"type":"integer"}}"#);
const OBJECTS: Shape = Fixed(
    r#"{"type":"array","items":{"anyOf":[{"type":"object","properties":{"of":{"const":"warp"},"n":{"type":"integer"}},"required":["of"]},{"type":"object","properties":{"of":{"const":"weft"},"n":{"type":"boolean"}},"required":["of"]}]}}"#,
);
const TREE: Shape = Fixed(
    r##"{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"n":{"type":"integer"},"below":{"type":"array","items":{"$ref":"#/$defs/node"}}}}}}"##,
);
const CLOSED: Shape = Fixed(
    r#"{"type":"object","properties":{"warp_count":{"type":"integer"},"weft_count":{"type":"integer"}},"additionalProperties":false}"#,
);

const CASES: &[Case] = &[
    ("wide object, undeclared", Fixed(r#"{"type":"object"}"#), |b| wide("k", "1", b)),
    (
        "wide object, each to a number",
        Fixed(r#"{"type":"object","additionalProperties":{"type":"integer"}}"#),
        |b| wide("k", "\"1\"", b),
    ),
    ("wide object, each declared", Declared, |b| wide("k", "\"1\"", b)),
    ("wide object, closed", CLOSED, |b| wide("k", "1", b)),
    ("wide object, names misspelled", CLOSED, |b| wide("Warp-Count", "1", b)),
    ("long array that fits", INTEGERS, |b| array("1", b)),
    ("long array of texts", INTEGERS, |b| array("\"1\"", b)),
    ("long array that cannot fit", INTEGERS, |b| array("\"x\"", b)),
    ("long array of wrappers", INTEGERS, |b| array("{\"value\":1}", b)),
    (
        "long array, entries distinct",
        Fixed(r#"{"type":"array","uniqueItems":true,"items":{"type":"integer"}}"#),
        distinct,
    ),
    (
        "union of scalars",
        Fixed(
            r#"{"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"boolean"},{"type":"null"}]}}"#,
        ),
        |b| array("\"None\",\"7\",\"True\"", b),
    ),
    ("union of objects", OBJECTS, |b| array("{\"of\":\"weft\",\"n\":\"true\"}", b)),
    ("union that nothing fits", OBJECTS, |b| array("{\"of\":\"wool\",\"n\":1}", b)),
    (
        "unions in unions",
        Fixed(
            r#"{"type":"array","items":{"anyOf":[{"oneOf":[{"type":"integer"},{"type":"null"}]},{"anyOf":[{"type":"boolean"},{"type":"array","items":{"type":"integer"}}]}]}}"#,
        ),
        |b| array("[\"1\",\"2\"]", b),
    ),
    ("union of constants", Constants(20), |b| array("\"WEFT19\"", b)),
    ("references in a chain", Chain(10), |b| array("\"1\"", b)),
    ("references back to the root", TREE, |b| {
        format!("{{\"below\":{}}}", array("{\"n\":\"1\",\"below\":[{\"n\":\"2\"}]}", b))
    }),
    ("lines to a list", INTEGERS, |b| format!("\"{}\"", "1\\n".repeat(b / 3))),
    ("commas to a list", INTEGERS, |b| format!("\"{}1\"", "1, ".repeat(b / 3))),
    ("JSON in text", INTEGERS, |b| format!("\"{}\"", array("1", b))),
    ("JSON in text, cut off", INTEGERS, |b| format!("\"{}\"", "[1,".repeat(b / 3))),
    ("elements in text", Fixed(r#"{"type":"object"}"#), |b| {
        format!("\"{}\"", "<a>1</a>".repeat(b / 8))
    }),
    ("keys and values in lines", Fixed(r#"{"type":"object"}"#), |b| {
        format!("\"{}\"", (0..b / 11).map(|row| format!("k{row:06}: 1\\n")).collect::<String>())
    }),
    ("numbered keys to a list", INTEGERS, |b| {
        let each = |row: usize| format!("\"{row}\":1");
        format!("{{{}}}", (0..b / 11).map(each).collect::<Vec<_>>().join(","))
    }),
    ("columns to rows", Fixed(r#"{"type":"array","items":{"type":"object"}}"#), |b| {
        format!("{{\"a\":{},\"b\":{}}}", array("1", b / 2), array("2", b / 2))
    }),
    ("an object to text", Fixed(r#"{"type":"string"}"#), |b| wide("k", "[1]", b)),
    ("one long number in text", Fixed(r#"{"type":"integer"}"#), |b| {
        format!("\"{}\"", "7".repeat(b))
    }),
];
