//! Cases: tools, calls of them, and what went wrong when they were written.

use serde_json::{Value, json};

use super::damage::Damage;
use super::write::Writer;
use super::{FORMATS, Format, values};
use crate::dice::Dice;

const BEFORE: &[&str] =
    &["", "", "I will look that up.\n", "Sure!\n\n", "First this: ", "好的。\n"];
const BETWEEN: &[&str] = &["\n", "\n", "", "\n\nAnd now\n", " "];
const AFTER: &[&str] = &["", "", "\n", "\nDone.", " That should do.\n"];

/// A text with calls, and what they were meant to be.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Case {
    pub(super) format: Format,
    /// Each with `name` and `parameters`.
    pub(super) tools: Vec<Value>,
    pub(super) text: String,
    /// What a careful writer would have been read as: names and arguments.
    pub(super) meant: Vec<(String, Value)>,
    pub(super) damages: Vec<Damage>,
}

impl Case {
    /// The line that a reader is given, under `key` its name for the format. What was meant is for
    /// whoever looks at the file.
    pub(super) fn job(&self, key: &str, reader: &str) -> Value {
        let damages: Vec<String> = self.damages.iter().map(|d| format!("{d:?}")).collect();
        json!({key: reader, "tools": self.tools, "text": self.text, "meant": self.meant,
            "damages": damages})
    }

    /// The schema of the arguments of that tool.
    pub(super) fn schema(&self, name: &str) -> &Value {
        let tool = self.tools.iter().find(|tool| tool.get("name").is_some_and(|n| n == name));
        tool.and_then(|tool| tool.get("parameters")).unwrap_or(&Value::Null)
    }
}

/// `count` cases, the formats in turn; the same seed gives the same ones.
pub(super) fn cases(seed: u64, count: u64) -> Vec<Case> {
    let mut dice = Dice::new(seed);
    let formats = FORMATS.iter().cycle();
    formats.zip(0..count).map(|(format, _)| case(&mut dice, *format)).collect()
}

fn case(dice: &mut Dice, format: Format) -> Case {
    let all = values::tools();
    let from = dice.below(all.len());
    let few = 1 + dice.below(4);
    let tools: Vec<Value> = all.iter().cycle().skip(from).take(few).cloned().collect();
    let mut meant = Vec::new();
    for _ in 0..[1, 1, 1, 2, 2, 3].get(dice.below(6)).copied().unwrap_or(1) {
        let tool = dice.pick(&tools).cloned().unwrap_or_default();
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
        let arguments = values::object(dice, tool.get("parameters").unwrap_or(&Value::Null));
        meant.push((name.to_owned(), Value::Object(arguments)));
    }
    let wanted = dice.below(4);
    let mut damages = drawn(dice, format, wanted);
    damages.retain(|damage| !damage.is_of_arguments() || befall_one(*damage, dice, &mut meant));
    let mut tokens = {
        let before = dice.pick(BEFORE).copied().unwrap_or_default();
        let between = dice.pick(BETWEEN).copied().unwrap_or_default();
        let after = dice.pick(AFTER).copied().unwrap_or_default();
        let mut writer = Writer::new(dice, format);
        writer.prose(before);
        for (at, (name, arguments)) in meant.iter().enumerate() {
            writer.prose(if at > 0 { between } else { "" });
            writer.call(name, arguments.as_object().unwrap_or(&serde_json::Map::new()));
        }
        writer.prose(after);
        writer.tokens
    };
    // What is cut off cannot be damaged any more.
    damages.sort_by_key(|damage| *damage == Damage::CutEnd);
    damages.retain(|damage| {
        let written = damage.is_of_arguments() && *damage != Damage::UnescapedQuote;
        written || damage.befall(dice, format, &mut tokens)
    });
    let text = tokens.iter().map(|token| token.text.as_str()).collect();
    Case { format, tools, text, meant, damages }
}

/// Different kinds of damage.
fn drawn(dice: &mut Dice, format: Format, count: usize) -> Vec<Damage> {
    let mut damages = Vec::new();
    while damages.len() < count {
        let damage = Damage::draw(dice, format);
        if !damages.contains(&damage) {
            damages.push(damage);
        }
    }
    damages
}

fn befall_one(damage: Damage, dice: &mut Dice, calls: &mut [(String, Value)]) -> bool {
    let at = dice.below(calls.len());
    calls.get_mut(at).is_some_and(|call| damage.befall_arguments(dice, call))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::cases;

    #[test]
    fn the_same_seed_gives_the_same_cases() {
        assert_eq!(cases(7, 200), cases(7, 200));
        assert_ne!(cases(7, 200), cases(8, 200));
    }

    #[test]
    fn more_cases_begin_with_fewer() {
        assert_eq!(cases(3, 100).get(..40), Some(cases(3, 40).as_slice()));
    }

    #[test]
    fn every_kind_of_damage_comes_and_a_quarter_has_none() {
        let cases = cases(1, 3000);
        let kinds: BTreeSet<_> = cases.iter().flat_map(|case| case.damages.clone()).collect();
        assert_eq!(kinds.len(), 37);
        let sound = cases.iter().filter(|case| case.damages.is_empty()).count();
        assert!((600..1200).contains(&sound), "{sound}");
    }

    #[test]
    fn what_is_sound_holds_the_names_that_were_meant() {
        for case in cases(2, 400).iter().filter(|case| case.damages.is_empty()) {
            assert!(case.meant.iter().all(|(name, _)| case.text.contains(name.as_str())));
        }
    }
}
