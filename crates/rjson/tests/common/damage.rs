//! What damaged JSON is made of, and what must hold of it; the fuzz target of repair mode reads this
//! file too.

use toolweir_rjson::Value;

/// Pieces that damaged JSON is made of.
pub(crate) const DAMAGE: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "'",
    "`",
    "“",
    "”",
    "```",
    "```json\n",
    ",",
    ":",
    ";",
    "=",
    "=>",
    " ",
    "\n",
    "\t",
    "a",
    "k",
    "key",
    "true",
    "Null",
    "None",
    "NaN",
    "-",
    "+",
    "1",
    "0",
    "2.5",
    "1e",
    "007",
    "1_0",
    "\\",
    "\\\"",
    "\\n",
    "\\u12",
    "\\ud83c",
    "\\q",
    "//",
    "/*",
    "*/",
    "#",
    "...",
    "…",
    "\"k\":",
    "\"a\"",
    "\"a b\"",
    "{\"k\":",
    "[1,",
    "x y",
    "u",
    "new D(",
    "f(",
    "\u{200b}",
    "\u{1}",
    "é",
    "，",
    "\u{feff}",
    "<eos>",
    "undefined",
    "0x1F",
];

/// Whether everything `before` showed is still there: strings and containers may have grown.
pub(crate) fn grown(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::String(before), Value::String(after)) => after.starts_with(before.as_str()),
        (Value::Array(before), Value::Array(after)) => {
            before.len() <= after.len()
                && before
                    .iter()
                    .zip(after.iter())
                    .enumerate()
                    .all(|(at, (b, a))| if at + 1 < before.len() { b == a } else { grown(b, a) })
        }
        (Value::Object(before), Value::Object(after)) => {
            before.len() <= after.len()
                && before.iter().zip(after.iter()).all(|((bk, b), (ak, a))| bk == ak && grown(b, a))
        }
        _ => before == after,
    }
}
