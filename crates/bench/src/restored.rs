//! How much of damaged JSON is what was meant: ours and other repairers on the same texts.
//!
//! A sound document from a fixed seed is damaged in one place, or all over in one way, and each
//! repairer reads it: right is what gives the document that was damaged. So no expectation is written
//! by hand. What two documents share after damage is nobody's to know; damage that loses content (a
//! document that is cut) is not among these.

use serde_json::{Value, json};
use toolweir_rjson::repair;

use crate::beside::llm_json;
use crate::peers::Folder;
use crate::report::rows;
use crate::text::{Seeded, WORDS};

/// One kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Damage {
    Closers,
    WrongCloser,
    MissingComma,
    DoubleComma,
    TrailingCommas,
    MissingColon,
    SingleQuotes,
    BareKeys,
    CurlyQuotes,
    InnerQuotes,
    RawBreak,
    OpenQuote,
    Python,
    Comments,
    Fence,
    Twice,
}

const ALL: [(Damage, &str); 16] = [
    (Damage::Closers, "closing brackets missing at the end"),
    (Damage::WrongCloser, "one closing bracket of the other kind"),
    (Damage::MissingComma, "one comma missing"),
    (Damage::DoubleComma, "one comma twice"),
    (Damage::TrailingCommas, "trailing commas"),
    (Damage::MissingColon, "one colon missing"),
    (Damage::SingleQuotes, "single quotes, apostrophes in them"),
    (Damage::BareKeys, "keys without quotes"),
    (Damage::CurlyQuotes, "typographic quotes"),
    (Damage::InnerQuotes, "two quotes in a string, not escaped"),
    (Damage::RawBreak, "a raw line break in a string"),
    (Damage::OpenQuote, "one closing quote missing"),
    (Damage::Python, "`True`, `False`, `None`"),
    (Damage::Comments, "comments of all kinds"),
    (Damage::Fence, "a fence, prose around it"),
    (Damage::Twice, "the document escaped once too often"),
];

/// The documents of each kind.
const CASES: usize = 40;

/// How many documents of one kind of damage each repairer gave back.
pub(crate) struct Restored {
    damage: &'static str,
    cases: usize,
    found: Vec<(String, Result<usize, String>)>,
}

/// Every kind of damage. With `alone` no other language is asked.
pub(crate) fn all(alone: bool) -> Result<Vec<Restored>, String> {
    let folder = if alone { Err("skipped in the short run".to_owned()) } else { Folder::new() };
    let there = || folder.as_ref().map_err(Clone::clone);
    let mut peers = [
        ("json_repair (Python)", there().and_then(|folder| folder.python("repair.py"))),
        ("jsonrepair (Node)", there().and_then(|folder| folder.node("repair.mjs", &[]))),
    ];
    let mut random = Seeded::new(7);
    let mut all = Vec::new();
    for (damage, name) in ALL {
        let cases: Vec<(Value, String)> = (0..CASES).map(|_| case(damage, &mut random)).collect();
        let count = |read: &mut dyn FnMut(usize, &str) -> Option<Value>| {
            let right = cases.iter().enumerate();
            right.filter(|(at, (meant, text))| read(*at, text).is_some_and(|v| v == *meant)).count()
        };
        let ours =
            count(&mut |_, text| serde_json::from_str(&repair(text).ok()?.value.to_string()).ok());
        let crate_ = count(&mut |_, text| llm_json(text).ok());
        let mut found = vec![("ours".to_owned(), Ok(ours)), ("llm_json".to_owned(), Ok(crate_))];
        for (label, peer) in &mut peers {
            found.push(match peer {
                Ok(peer) => {
                    let right = count(&mut |at, text| {
                        let file =
                            folder.as_ref().ok()?.write(&format!("{damage:?}-{at}.txt"), text);
                        peer.result(&file.ok()?).ok()
                    });
                    (peer.name.clone(), Ok(right))
                }
                Err(reason) => ((*label).to_owned(), Err(reason.clone())),
            });
        }
        all.push(Restored { damage: name, cases: cases.len(), found });
    }
    Ok(all)
}

impl Restored {
    /// The rows of the table.
    pub(crate) fn table(all: &[Self]) -> Vec<Vec<String>> {
        let names = all.first().into_iter().flat_map(|first| &first.found);
        let head: Vec<String> = ["damage".to_owned(), "documents".to_owned()]
            .into_iter()
            .chain(names.map(|(name, _)| name.clone()))
            .collect();
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let shown = |found: &Result<usize, String>| match found {
            Ok(right) => right.to_string(),
            Err(_) => "–".to_owned(),
        };
        let line = |name: &str, cases: usize, found: Vec<String>| {
            [name.to_owned(), cases.to_string()].into_iter().chain(found).collect::<Vec<_>>()
        };
        let body = all.iter().map(|kind| {
            line(
                kind.damage,
                kind.cases,
                kind.found.iter().map(|(_, found)| shown(found)).collect(),
            )
        });
        let sum = |column: usize| {
            let found = all.iter().map(|kind| kind.found.get(column)?.1.as_ref().ok().copied());
            found.sum::<Option<usize>>().map_or("–".to_owned(), |sum| sum.to_string())
        };
        let sums = (0..head.len().saturating_sub(2)).map(sum).collect();
        let total = line("all", all.iter().map(|kind| kind.cases).sum(), sums);
        rows(&head, body.chain((!all.is_empty()).then_some(total)))
    }

    /// The same as JSON.
    pub(crate) fn json(&self) -> Value {
        let found = self.found.iter().map(|(name, found)| {
            json!({ "name": name, "right": found.as_ref().ok(), "why_not": found.as_ref().err() })
        });
        json!({ "damage": self.damage, "documents": self.cases, "found": found.collect::<Vec<_>>() })
    }
}

/// A document and its damaged text.
fn case(damage: Damage, random: &mut Seeded) -> (Value, String) {
    let meant = document(random, damage);
    let mut writer = Writer { damage, hit: usize::MAX, sites: 0, out: String::new() };
    writer.value(&meant, 0);
    let hit = random.below(writer.sites);
    let mut writer = Writer { damage, hit, sites: 0, out: String::new() };
    writer.value(&meant, 0);
    let mut text = writer.out;
    match damage {
        Damage::Closers => text.truncate(text.trim_end_matches(['}', ']', '\n', ' ']).len()),
        Damage::Fence => {
            text =
                format!("Sure, the plan:\n\n```json\n{text}\n```\n\nTell me if a row is missing.");
        }
        Damage::Twice => text = text.replace('\\', "\\\\").replace('"', "\\\""),
        _ => {}
    }
    (meant, text)
}

/// Some members: texts, numbers, truth values, lists, and objects of such.
fn document(random: &mut Seeded, damage: Damage) -> Value {
    object(random, damage, 0)
}

fn object(random: &mut Seeded, damage: Damage, depth: usize) -> Value {
    let names = ["path", "line", "yarn", "tags", "owner", "note", "width"];
    let (from, count) = (random.below(names.len()), 2 + random.below(4));
    let members = names.iter().cycle().skip(from).take(count).map(|name| {
        let value = match random.below(if depth < 2 { 7 } else { 5 }) {
            0 | 1 => text(random, damage),
            2 => random.below(1000).into(),
            3 => fraction(random),
            4 => Value::Null,
            5 => (0..2 + random.below(3)).map(|_| text(random, damage)).collect(),
            _ => object(random, damage, depth + 1),
        };
        ((*name).to_owned(), value)
    });
    let mut object: serde_json::Map<String, Value> = members.collect();
    // Something for every damage.
    let title = text(random, damage);
    let title = title.as_str().unwrap_or_default();
    let (first, rest) = title.split_once(' ').unwrap_or((title, "loom"));
    let title = match damage {
        Damage::InnerQuotes => format!("{first} \"{rest}\" twice"),
        Damage::RawBreak => format!("{first}\n{rest}"),
        _ => title.to_owned(),
    };
    object.insert("title".to_owned(), title.into());
    object.insert("done".to_owned(), json!(random.below(2) == 0));
    Value::Object(object)
}

/// A number that no reader of JSON writes as an integer.
fn fraction(random: &mut Seeded) -> Value {
    json!((random.below(90) * 10 + 1 + random.below(9)) as f64 / 10.0)
}

fn text(random: &mut Seeded, damage: Damage) -> Value {
    let mut words: Vec<&str> = (0..2 + random.below(5)).map(|_| random.pick(WORDS)).collect();
    if damage == Damage::SingleQuotes && random.below(3) == 0 {
        words.extend(["don't", "stop"]);
    }
    words.join(" ").into()
}

/// Writes a document with its damage, on lines of their own as models do.
struct Writer {
    damage: Damage,
    /// Which of the places where the damage may be done has it.
    hit: usize,
    sites: usize,
    out: String,
}

impl Writer {
    /// Whether this place is the one.
    fn hits(&mut self, damage: Damage) -> bool {
        if self.damage != damage {
            return false;
        }
        self.sites += 1;
        self.sites - 1 == self.hit
    }

    fn value(&mut self, value: &Value, depth: usize) {
        let python = self.damage == Damage::Python;
        match value {
            Value::Null => self.out.push_str(if python { "None" } else { "null" }),
            Value::Bool(true) => self.out.push_str(if python { "True" } else { "true" }),
            Value::Bool(false) => self.out.push_str(if python { "False" } else { "false" }),
            Value::Number(number) => self.out.push_str(&number.to_string()),
            Value::String(text) => self.text(text),
            Value::Array(entries) => self.items(('[', ']'), entries.len(), depth, |writer, at| {
                if let Some(entry) = entries.get(at) {
                    writer.value(entry, depth + 1);
                }
            }),
            Value::Object(members) => {
                let members: Vec<_> = members.iter().collect();
                self.items(('{', '}'), members.len(), depth, |writer, at| {
                    let Some((key, value)) = members.get(at) else { return };
                    writer.key(key);
                    let missing = writer.hits(Damage::MissingColon);
                    writer.out.push_str(if missing { " " } else { ": " });
                    writer.value(value, depth + 1);
                });
            }
        }
    }

    fn items(
        &mut self,
        (open, close): (char, char),
        count: usize,
        depth: usize,
        mut item: impl FnMut(&mut Self, usize),
    ) {
        self.out.push(open);
        for at in 0..count {
            self.line(depth + 1);
            if self.damage == Damage::Comments && at % 2 == 0 {
                let kinds = ["/* as counted */ ", "// checked\n", "# twice\n"];
                self.out.push_str(kinds.get(at / 2 % 3).copied().unwrap_or_default());
            }
            item(self, at);
            let last = at + 1 == count;
            if last && self.damage == Damage::TrailingCommas {
                self.out.push(',');
            }
            if !last && !self.hits(Damage::MissingComma) {
                self.out.push(',');
                if self.hits(Damage::DoubleComma) {
                    self.out.push(',');
                }
            }
        }
        self.line(depth);
        let wrong = depth > 0 && self.hits(Damage::WrongCloser);
        self.out.push(match close {
            ']' if wrong => '}',
            '}' if wrong => ']',
            close => close,
        });
    }

    fn line(&mut self, depth: usize) {
        self.out.push('\n');
        self.out.push_str(&"  ".repeat(depth));
    }

    fn key(&mut self, key: &str) {
        let (open, close) = match self.damage {
            Damage::BareKeys => ("", ""),
            _ => self.quotes(),
        };
        self.out.extend([open, key, close]);
    }

    fn quotes(&self) -> (&'static str, &'static str) {
        match self.damage {
            Damage::SingleQuotes => ("'", "'"),
            Damage::CurlyQuotes => ("\u{201c}", "\u{201d}"),
            _ => ("\"", "\""),
        }
    }

    fn text(&mut self, text: &str) {
        let (open, close) = self.quotes();
        let unclosed = self.hits(Damage::OpenQuote);
        self.out.extend([open, text, if unclosed { "" } else { close }]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_damaged_and_mostly_restored() {
        let all = all(true).unwrap();
        assert_eq!(all.len(), ALL.len());
        let right: usize = all.iter().filter_map(|kind| kind.found[0].1.clone().ok()).sum();
        assert!(right * 10 > ALL.len() * CASES * 9, "{right}");
        assert!(all.iter().all(|kind| kind.found[2].1.is_err() && kind.cases == CASES));
        let table = Restored::table(&all);
        assert_eq!((table.len(), table[17][2].clone()), (18, right.to_string()));
        let mut random = Seeded::new(3);
        for (damage, _) in ALL {
            let (_, text) = case(damage, &mut random);
            assert!(serde_json::from_str::<Value>(&text).is_err(), "{damage:?}: {text}");
        }
    }
}
