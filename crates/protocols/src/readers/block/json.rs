//! A JSON call, or a list of them: where it ends, and which calls it holds.
//!
//! The end is found by the machine of `rjson`, so braces in strings mean nothing. At the end the calls are
//! taken from the source, a level at a time, because arguments keep their bytes. One reader knows the shapes
//! of all profiles; a profile only says what begins a call.
//!
//! ```text
//! root  = call | [ call… ] | { "tool_calls" | "tools": [ call… ] }
//! call  = { "tool": call } | { "function": { "name", ARGS } | NAME, ARGS } | { "name" | "tool": NAME, ARGS }
//! ARGS  = "arguments" | "parameters" | "args" | "params" | "input": object, or a string that holds one
//! ```

use std::borrow::Cow;

use toolweir_rjson::{Kind, Machine, Mode, Value, parse, to_string};

use super::body::BodyStep;
use crate::engine::{Fault, pass_tokens};
use crate::limits::Limits;
use crate::meter::Meter;
use crate::readers::taken;

const LISTS: [&str; 2] = ["tool_calls", "tools"];
const ARGUMENTS: [&str; 5] = ["arguments", "parameters", "args", "params", "input"];
const OTHERS: [&str; 3] = ["tool", "function", "name"];
/// Members of a call that mean nothing.
const SILENT: [&str; 4] = ["id", "type", "index", "call_id"];
/// Members that are none of a call's own are remembered up to so many.
const MAX_STRAYS: usize = 64;

/// One call as it was written.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: Option<String>,
    /// The arguments, as strict JSON.
    pub(super) arguments: String,
    /// They were given, but are no object.
    pub(super) replaced: bool,
    /// There are none, and a member that is none of a call's own holds an object.
    pub(super) misplaced: bool,
    /// The keys of members that are none of a call's own.
    pub(super) strays: Vec<String>,
}

impl Entry {
    fn empty() -> Self {
        let (replaced, misplaced, strays) = (false, false, Vec::new());
        Self { name: None, arguments: "{}".to_owned(), replaced, misplaced, strays }
    }
}

/// A call that is being read.
#[derive(Debug)]
pub(super) struct JsonCall {
    machine: Machine,
    source: String,
    limits: Limits,
    too_long: bool,
    parsed: Meter,
}

impl JsonCall {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            machine: Machine::new(limits.json(Mode::Relaxed)),
            source: String::new(),
            limits: limits.clone(),
            too_long: false,
            parsed: Meter::default(),
        }
    }

    /// Begins at the offset `at`.
    pub(super) fn begin(&mut self, at: u64) {
        self.machine.reset(at);
    }

    /// Reads on; `emit` gets the content.
    pub(super) fn read(&mut self, input: &mut &str, emit: &mut dyn FnMut(&str)) -> BodyStep {
        let before = *input;
        let passed = pass_tokens(&mut self.machine, input);
        let text = taken(before, input);
        self.too_long |= self.source.len() + text.len() > self.limits.max_call_bytes;
        if self.too_long {
            self.source = String::new();
        } else {
            self.source.push_str(text);
        }
        emit(text);
        match passed {
            Err(error) => BodyStep::Failed(Fault::json(&error)),
            Ok(()) if self.machine.is_done() => BodyStep::End(String::new()),
            Ok(()) => BodyStep::More,
        }
    }

    /// Whether it was not strict JSON.
    pub(super) fn is_repaired(&self) -> bool {
        self.machine.non_strict()
    }

    /// The calls it holds, once it is whole, and whether its list has more than a turn may have.
    pub(super) fn entries(&mut self) -> (Vec<Entry>, bool) {
        let source = std::mem::take(&mut self.source);
        let mut list = source.starts_with('[').then_some(source.as_str());
        if list.is_none() {
            let members = self.members(&source, &mut Vec::new());
            let lists = LISTS.iter().filter_map(|key| last(&members, key));
            list = lists.into_iter().find(|text| text.starts_with('['));
        }
        let (mut calls, mut count) = (Vec::new(), 0);
        match list {
            None => calls.push(source.as_str()),
            Some(list) => self.parts(list, |_, text| {
                if text.starts_with('{') {
                    count += 1;
                    calls.extend((count <= self.limits.max_calls).then_some(text));
                }
            }),
        }
        let many = count > self.limits.max_calls;
        (calls.into_iter().map(|call| self.entry(call)).collect(), many)
    }

    fn entry(&mut self, call: &str) -> Entry {
        let mut strays = Vec::new();
        let mut own = self.members(call, &mut strays);
        let tool = last(&own, "tool");
        if let Some(inner) = tool.filter(|text| text.starts_with('{')) {
            own = self.members(inner, &mut strays);
        }
        let function = last(&own, "function");
        let inner = function.filter(|text| text.starts_with('{'));
        let inner = inner.map(|text| self.members(text, &mut strays)).unwrap_or_default();
        let names = [last(&inner, "name"), function, last(&own, "name"), tool];
        let name = names.into_iter().flatten().find_map(|text| match value(text) {
            Some(Value::String(name)) => Some(name),
            _ => None,
        });
        // An empty one counts only where no other comes, and then there are none.
        let is_given = |text: &&str| !matches!(*text, "null" | "\"\"");
        let of = |members| ARGUMENTS.iter().filter_map(|key| last(members, key)).find(is_given);
        let given = of(&inner).or_else(|| of(&own));
        let misplaced = given.is_none() && strays.iter().any(|(_, object)| *object);
        let arguments = given.map_or_else(Entry::empty, |text| self.arguments(text));
        let strays = strays.into_iter().map(|(key, _)| key).collect();
        Entry { name, misplaced, strays, ..arguments }
    }

    fn arguments(&mut self, written: &str) -> Entry {
        self.parsed.add(written.len() as u64);
        let (text, arguments) = match value(written) {
            Some(Value::Null) => return Entry::empty(),
            Some(Value::String(text)) if text.trim().is_empty() => return Entry::empty(),
            Some(Value::String(text)) => {
                let inner = value(&text);
                (Cow::Owned(text), inner)
            }
            value => (Cow::Borrowed(written), value),
        };
        let Some(arguments @ Value::Object(_)) = arguments else {
            return Entry { replaced: true, ..Entry::empty() };
        };
        let repaired = self.is_repaired() || matches!(text, Cow::Owned(_));
        let arguments = match !repaired || parse(&text, Mode::Strict).is_ok() {
            true => text.into_owned(),
            false => to_string(&arguments),
        };
        Entry { arguments, ..Entry::empty() }
    }

    /// The members of an object that matter. `strays`: gets the keys of all others, and whether they hold objects.
    fn members<'s>(&mut self, object: &'s str, strays: &mut Vec<(String, bool)>) -> Members<'s> {
        self.parsed.add(object.len() as u64);
        let mut members = Members::new();
        self.parts(object, |key, text| {
            let mut known = LISTS.iter().chain(&ARGUMENTS).chain(&OTHERS);
            match known.find(|known| **known == key) {
                Some(known) => members.push((*known, text)),
                None if SILENT.contains(&key) || strays.len() == MAX_STRAYS => {}
                None => strays.push((key.to_owned(), text.starts_with('{'))),
            }
        });
        members
    }

    /// Gives the members of an object with their keys, or the entries of a list, as they are written.
    fn parts<'s>(&self, source: &'s str, mut give: impl FnMut(&str, &'s str)) {
        let mut machine = Machine::new(self.limits.json(Mode::Relaxed));
        let (mut rest, mut key, mut depth, mut start) = (source, String::new(), 0_usize, 0);
        while let Ok(Some(token)) = machine.next(&mut rest) {
            let place = token.span.as_range();
            let (begins, ends) = match token.kind {
                Kind::Key(name) if depth == 1 => {
                    name.clone_into(&mut key);
                    continue;
                }
                Kind::ObjectStart | Kind::ArrayStart => {
                    depth += 1;
                    (depth == 2, false)
                }
                Kind::ObjectEnd | Kind::ArrayEnd => {
                    depth = depth.saturating_sub(1);
                    (false, depth == 1)
                }
                Kind::StringStart => (depth == 1, false),
                Kind::StringEnd => (false, depth == 1),
                Kind::Number | Kind::True | Kind::False | Kind::Null => (depth == 1, depth == 1),
                _ => continue,
            };
            if begins {
                start = place.start;
            }
            if ends {
                give(&std::mem::take(&mut key), source.get(start..place.end).unwrap_or_default());
            }
        }
    }

    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        self.machine.examined() + self.parsed.bytes()
    }
}

/// Members of an object by their keys, as they are written.
type Members<'s> = Vec<(&'static str, &'s str)>;

/// The last member of that key.
fn last<'s>(members: &Members<'s>, key: &str) -> Option<&'s str> {
    members.iter().rev().find(|(known, _)| *known == key).map(|(_, text)| *text)
}

fn value(text: &str) -> Option<Value> {
    parse(text, Mode::Relaxed).ok().map(|parsed| parsed.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(text: &str) -> Vec<String> {
        let mut call = JsonCall::new(&Limits::default());
        call.begin(7);
        let mut input = text;
        let end = BodyStep::End(String::new());
        assert_eq!(call.read(&mut input, &mut |_| {}), end, "{text}");
        assert_eq!(input, "");
        let shown = |entry: Entry| {
            let arguments = parse(&entry.arguments, Mode::Strict).unwrap().value;
            format!("{} {arguments}", entry.name.unwrap_or_default())
        };
        call.entries().0.into_iter().map(shown).collect()
    }

    #[test]
    fn every_shape_is_read() {
        for text in [
            r#"{"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}"#,
            r#"{"tools":[{"name":"f","arguments":{"a":1}}]}"#,
            r#"{"tool":{"function":{"name":"f","arguments":{"a":1}}}}"#,
            r#"{"tool":{"function":"f","parameters":{"a":1}}}"#,
            r#"{"function":{"name":"f"},"arguments":{"a":1}}"#,
            r#"[{"function":"f","arguments":{"a":1}}]"#,
            r#"{"args":{"a":1},"name":"f"}"#,
            r#"{"tool":"f","args":{"a":1}}"#,
            r#"{"name":"g","name":"f","args":{"name":"x"},"args":{"a":1}}"#,
        ] {
            assert_eq!(calls(text), [r#"f {"a":1}"#], "{text}");
        }
    }

    #[test]
    fn every_entry_of_a_list_is_a_call() {
        let text = r#"[{"name":"f","args":{}}, 7, {"name":"g"}, {"args":{"name":"no"}}]"#;
        assert_eq!(calls(text), ["f {}", "g {}", " {\"name\":\"no\"}"]);
    }

    #[test]
    fn arguments_that_are_no_object_are_empty() {
        for text in ["null", "\"\"", "[1]", "7", "\"no\""] {
            assert_eq!(calls(&format!("{{\"name\":\"f\",\"args\":{text}}}")), ["f {}"], "{text}");
        }
    }
}
