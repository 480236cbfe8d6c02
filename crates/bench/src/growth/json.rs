//! Families of JSON, read strictly, relaxed and with repair.

use toolweir_rjson::{Mode, Options, parse_with};

use super::{Family, fill, over_text};

/// Every family in every mode.
pub(crate) fn families() -> Vec<Family> {
    let mut all = Vec::new();
    let modes = [
        ("rjson, strict", Mode::Strict),
        ("rjson, relaxed", Mode::Relaxed),
        ("rjson, repair", Mode::Repair),
    ];
    for (reader, mode) in modes {
        for &(name, shape) in SHAPES {
            // Its default limits would end these texts soon; it is linear without them.
            let options = Options::new(mode)
                .with_max_depth(usize::MAX)
                .with_max_held_bytes(usize::MAX)
                .with_max_keys(usize::MAX);
            let make = move |bytes| {
                let options = options.clone();
                over_text(shape.text(bytes), move |text| {
                    let error = parse_with(text, &options).err()?;
                    Some(usize::try_from(error.offset).unwrap_or(usize::MAX))
                })
            };
            all.push(Family { reader, name, make: Box::new(make) });
        }
    }
    all
}

/// How a text is made.
#[derive(Clone, Copy)]
enum Shape {
    /// What it begins with, what comes again and again, what it ends with.
    Flood(&'static str, &'static str, &'static str),
    /// Opened, and closed as often.
    Closed(&'static str, &'static str),
    /// Members, each with a number in its key.
    Keys,
}

use Shape::{Closed, Flood, Keys};

impl Shape {
    fn text(self, bytes: usize) -> String {
        match self {
            Flood(before, unit, after) => format!("{before}{}{after}", fill(unit, bytes)),
            Closed(open, close) => {
                let count = bytes / (open.len() + close.len());
                format!("{}0{}", open.repeat(count), close.repeat(count))
            }
            Keys => {
                let members: Vec<String> =
                    (0..bytes / 14).map(|row| format!("\"key{row:07}\":1")).collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }
}

/// Strict JSON or the beginning of it first, then what only the other modes read.
const SHAPES: &[(&str, Shape)] = &[
    ("open brackets", Flood("", "[\"loom\",", "")),
    ("open braces", Flood("", "{\"warp\":", "")),
    ("nested lists", Closed("[\"loom\",", "]")),
    ("nested objects", Closed("{\"warp\":", "}")),
    ("empty lists", Flood("[", "[],", "0]")),
    ("empty strings", Flood("[", "\"\",", "0]")),
    ("escapes", Flood("[\"", "\\n\\\"\\u00e9", "\"]")),
    ("surrogate pairs", Flood("[\"", "\\ud83e\\uddf6", "\"]")),
    ("unterminated string", Flood("{\"a\":\"", "some words of prose, ", "")),
    ("unterminated escapes", Flood("{\"a\":\"", "\\\\", "")),
    ("one long number", Flood("[", "7", "]")),
    ("small numbers", Flood("[", "1,", "0]")),
    ("literals", Flood("[", "null,true,", "0]")),
    ("one long key", Flood("{\"", "key \\n", "\":1}")),
    ("keys", Keys),
    ("the same key", Flood("{", "\"k\":1,", "\"k\":2}")),
    ("blanks", Flood("[1,", " \n", "2]")),
    ("quotes", Flood("[", "\"", "")),
    ("single quotes", Flood("[", "'", "")),
    ("quotes in a string", Flood("[\"", "say \"it\" twice, ", "\"]")),
    ("apostrophes", Flood("['", "the loom's, ", "']")),
    ("commas", Flood("[1", ",", "]")),
    ("colons", Flood("{\"a\"", ":", "1}")),
    ("comments", Flood("[", "/* a */", "1]")),
    ("open comments", Flood("[1,", "/*", "")),
    ("line comments", Flood("[", "// a\n", "1]")),
    ("slashes", Flood("[1,", "/", "]")),
    ("words of Python", Flood("[", "True,None,", "0]")),
    ("bare words", Flood("[", "loom weft, ", "0]")),
    ("bare members", Flood("{", "warp: weft, ", "}")),
    ("members without values", Flood("{", "\"warp\", ", "}")),
    ("stray closers", Flood("[1", "]}", "")),
    ("closers of the other kind", Flood("[{\"a\":[1", "}]", "")),
    ("backslashes outside", Flood("[", "\\", "]")),
    ("prose with braces", Flood("", "a loom {or two} ", "")),
    ("fences", Flood("", "```json\n", "{}")),
    ("line breaks in a string", Flood("[\"", "a: \"b\",\n", "")),
    ("dots and signs", Flood("[", "-.+", "]")),
];
