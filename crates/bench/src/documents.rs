//! Documents for the three crates below the decoder: strict JSON, JSON as models damage it, and the
//! elements of a tool call. All are our own text from fixed seeds.

use crate::text::{Seeded, WORDS, file};

/// How a document is spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Style {
    /// Single quotes, and keys without any.
    quotes: bool,
    /// `True`, `False`, `None`.
    python: bool,
    /// A comma before a closing bracket.
    commas: bool,
    comments: bool,
}

/// Everything at once.
const LOOSE: Style = Style { quotes: true, python: true, commas: true, comments: true };

/// One kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noise {
    /// Strict JSON in a fence, with prose around it.
    Fenced,
    /// Single quotes, bare keys, Python's words, comments, trailing commas; nothing around it.
    Loose,
    /// Strict JSON that ends inside a string.
    Cut,
    /// Prose, an opening fence, everything of `Loose`, and no end.
    All,
}

impl Noise {
    /// Every kind, in the order of the table.
    pub(crate) const ALL: [Self; 4] = [Self::Fenced, Self::Loose, Self::Cut, Self::All];

    /// The name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Fenced => "fenced, prose around",
            Self::Loose => "quotes, commas, comments",
            Self::Cut => "cut off",
            Self::All => "all of these",
        }
    }

    /// A document of about `bytes` bytes with this damage.
    pub(crate) fn text(self, bytes: usize) -> String {
        let before = "Sure, this is the plan for the loom:\n\n```json\n";
        match self {
            Self::Fenced => {
                let document = records(bytes, Style::default());
                format!("{before}{document}\n```\n\nTell me if a row is missing.\n")
            }
            Self::Loose => records(bytes, LOOSE),
            Self::Cut => cut(records(bytes, Style::default())),
            Self::All => format!("{before}{}", cut(records(bytes, LOOSE))),
        }
    }

    /// The document without the damage, where the damage takes nothing away.
    pub(crate) fn undamaged(self, bytes: usize) -> Option<String> {
        match self {
            Self::Fenced | Self::Loose => Some(records(bytes, Style::default())),
            Self::Cut | Self::All => None,
        }
    }
}

/// Ends inside the note of the last record.
fn cut(mut text: String) -> String {
    let end = text.rfind("steady").unwrap_or(text.len());
    text.truncate(end);
    text
}

/// Strict JSON of about `bytes` bytes: records of short members, some of them nested.
pub(crate) fn nested(bytes: usize) -> String {
    records(bytes, Style::default())
}

/// One member that is a string of about `bytes` bytes; with `every`, something to escape in it about
/// every so many bytes.
pub(crate) fn long_string(bytes: usize, every: Option<usize>) -> String {
    let mut text = String::from("{\"content\":");
    toolweir_rjson::write_string(&mut text, &file(bytes, every));
    text.push('}');
    text
}

/// Doubles between 0 and 180 as they are printed: most have 15 to 17 digits.
pub(crate) fn floats(count: usize) -> String {
    list(count, |random, _| {
        format!("{:?}", random.below(1 << 53) as f64 / (1_u64 << 53) as f64 * 180.0)
    })
}

/// Such doubles, short ones, integers and large integers in turn.
pub(crate) fn numbers(count: usize) -> String {
    list(count, |random, at| match at % 4 {
        0 => format!("{:?}", random.below(1 << 53) as f64 / (1_u64 << 53) as f64),
        1 => random.below(1 << 24).to_string(),
        2 => format!("{:.2}", random.below(10_000) as f64 / 100.0),
        _ => random.below(usize::MAX).to_string(),
    })
}

fn list(count: usize, mut number: impl FnMut(&mut Seeded, usize) -> String) -> String {
    let mut random = Seeded::new(5);
    let numbers: Vec<String> = (0..count).map(|at| number(&mut random, at)).collect();
    format!("[{}]", numbers.join(","))
}

/// One object of so many keys.
pub(crate) fn wide(keys: usize) -> String {
    let members: Vec<String> = (0..keys).map(|at| format!("\"key{at}\":{at}")).collect();
    format!("{{{}}}", members.join(","))
}

/// A string in single quotes, full of double ones.
pub(crate) fn quoted(bytes: usize) -> String {
    let said = "say \"weft\" to \"every\" warp of \"wool\" now ";
    format!("{{'content': '{}'}}", said.repeat(bytes.div_ceil(said.len())))
}

/// The arguments of small calls.
pub(crate) const CALLS: [(&str, &str); 2] = [
    ("small call", r#"{"row":7,"yarn":"grey merino"}"#),
    (
        "call",
        r#"{"path":"src/loom.rs","content":"fn weave(rows: usize) {\n    println!(\"{rows}\");\n}\n","overwrite":true,"lines":[1,2,3],"owner":{"name":"Ada","since":1998},"width":3.5,"note":null}"#,
    ),
];

/// About the length of a record.
const RECORD: usize = 164;

fn records(bytes: usize, style: Style) -> String {
    let mut random = Seeded::new(4);
    let mut out = String::with_capacity(bytes + bytes / 4);
    out.push('{');
    key(&mut out, "plan", style);
    out.push('[');
    // As many in each style, so that all say the same.
    let count = (bytes / RECORD).max(1);
    for row in 0..count {
        if row > 0 {
            out.push(',');
        }
        out.push_str("\n  ");
        record(&mut out, row, &mut random, style);
    }
    comma(&mut out, style);
    out.push_str("\n ],\n ");
    key(&mut out, "rows", style);
    out.push_str(&count.to_string());
    comma(&mut out, style);
    out.push_str("\n}");
    out
}

fn record(out: &mut String, row: usize, random: &mut Seeded, style: Style) {
    let words: Vec<&str> = (0..4).map(|_| random.pick(WORDS)).collect();
    out.push('{');
    key(out, "row", style);
    out.push_str(&row.to_string());
    out.push_str(", ");
    key(out, "yarn", style);
    string(out, &words.join(" "), style);
    out.push_str(", ");
    key(out, "done", style);
    out.push_str(match (style.python, row.is_multiple_of(2)) {
        (true, true) => "True",
        (true, false) => "False",
        (false, true) => "true",
        (false, false) => "false",
    });
    if style.comments && row.is_multiple_of(4) {
        out.push_str(" /* as counted */");
    }
    out.push_str(", ");
    key(out, "size", style);
    out.push('{');
    key(out, "width", style);
    out.push_str(&format!("{}.{}", random.below(90), 1 + random.below(9)));
    out.push_str(", ");
    key(out, "marks", style);
    out.push_str(&format!("[{}, {}, {}", random.below(9), random.below(99), random.below(999)));
    comma(out, style);
    out.push_str("]}, ");
    key(out, "by", style);
    out.push_str(if style.python { "None" } else { "null" });
    out.push_str(", ");
    key(out, "note", style);
    string(out, "a steady beat\\nand a \\u0022knot\\u0022", style);
    comma(out, style);
    out.push('}');
    if style.comments && row.is_multiple_of(8) {
        out.push_str(" // checked\n  ");
    }
}

fn key(out: &mut String, key: &str, style: Style) {
    if style.quotes {
        out.push_str(key);
    } else {
        string(out, key, style);
    }
    out.push_str(": ");
}

/// `text` is escaped already, and holds no quote.
fn string(out: &mut String, text: &str, style: Style) {
    let quote = if style.quotes { '\'' } else { '"' };
    out.push(quote);
    out.push_str(text);
    out.push(quote);
}

fn comma(out: &mut String, style: Style) {
    if style.commas {
        out.push(',');
    }
}

/// The inside of a tool call in tags, 262 bytes.
pub(crate) const BODY: &str = "\
<path>a/loom.rs</path>
<content>
fn weave(rows: u32, wide: bool) {
    rows > 3 && wide
}
</content>
<line>12</line>
<overwrite>true</overwrite>
<tags><item>wool</item><item>twill</item></tags>
<owner><name>Ada</name><year>1998</year></owner>
<width>3.5</width>
";

/// The same with a `<` in the code, 262 bytes too.
pub(crate) fn stray_body() -> String {
    BODY.replace("rows > 3", "rows < 3")
}

/// What `BODY` says.
pub(crate) const BODY_VALUE: &str = r#"{"path":"a/loom.rs","content":"\nfn weave(rows: u32, wide: bool) {\n    rows > 3 && wide\n}\n","line":12,"overwrite":true,"tags":["wool","twill"],"owner":{"name":"Ada","year":1998},"width":3.5}"#;

/// The schema of `BODY`.
pub(crate) const BODY_SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},"line":{"type":"integer"},"overwrite":{"type":"boolean"},"tags":{"type":"array","items":{"type":"string"}},"owner":{"type":"object","properties":{"name":{"type":"string"},"year":{"type":"integer"}}},"width":{"type":"number"}},"required":["path","content"]}"#;

/// `BODY_VALUE` as a model writes it that puts every value in quotes.
pub(crate) const BODY_IN_QUOTES: &str = r#"{"path":"a/loom.rs","content":"\nfn weave(rows: u32, wide: bool) {\n    rows > 3 && wide\n}\n","line":"12","overwrite":"True","tags":"[\"wool\", \"twill\"]","owner":{"name":"Ada","year":"1998"},"width":"3.5"}"#;

/// The schema of `nested`, and with `texts` that of the same records with every value a string, so
/// that each must be changed.
pub(crate) fn records_schema(texts: bool) -> String {
    let kind = |kind: &str| format!("{{\"type\":\"{}\"}}", if texts { "string" } else { kind });
    let (integer, boolean, number) = (kind("integer"), kind("boolean"), kind("number"));
    format!(
        "{{\"type\":\"object\",\"properties\":{{\"rows\":{integer},\"plan\":{{\"type\":\"array\",\
         \"items\":{{\"type\":\"object\",\"properties\":{{\"row\":{integer},\"yarn\":{{\"type\":\
         \"string\"}},\"done\":{boolean},\"size\":{{\"type\":\"object\",\"properties\":{{\"width\":\
         {number},\"marks\":{{\"type\":\"array\",\"items\":{integer}}}}}}},\"by\":{{\"type\":\
         [\"string\",\"null\"]}},\"note\":{{\"type\":\"string\"}}}}}}}}}}}}"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use toolweir_rjson::{Mode, parse};

    use super::*;

    fn json(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn documents_are_about_as_long_as_asked_and_damaged() {
        for bytes in [1 << 10, 16 << 10, 256 << 10] {
            assert!(json(&nested(bytes))["plan"].as_array().is_some_and(|plan| plan.len() > 3));
            for noise in Noise::ALL {
                let text = noise.text(bytes);
                assert!((bytes * 8 / 10..bytes * 13 / 10).contains(&text.len()), "{}", text.len());
                assert!(serde_json::from_str::<Value>(&text).is_err());
                let read = parse(&text, Mode::Repair).unwrap().value.to_string();
                match noise.undamaged(bytes) {
                    Some(clean) => assert_eq!(json(&read), json(&clean)),
                    None => assert!(json(&read)["plan"].is_array(), "{read}"),
                }
            }
        }
    }

    #[test]
    fn the_tool_body_has_its_size_and_its_schemas_are_json() {
        assert_eq!((BODY.len(), stray_body().len()), (262, 262));
        for text in [BODY_SCHEMA, BODY_VALUE, BODY_IN_QUOTES, CALLS[0].1, CALLS[1].1] {
            assert!(json(text).is_object());
        }
        assert!(
            json(&records_schema(false)).is_object() && json(&records_schema(true)).is_object()
        );
    }

    #[test]
    fn long_strings_are_as_long_as_asked() {
        for every in [None, Some(40)] {
            let text = long_string(50_000, every);
            assert!(json(&text)["content"].as_str().is_some_and(|text| text.len() >= 50_000));
            assert_eq!(text.contains('\\'), every.is_some());
        }
    }
}
