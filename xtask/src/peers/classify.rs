//! Why a call is read differently: rules, each with the policy, law or rule that it follows from.
//!
//! A rule looks at the two readings, at what was meant, at our diagnostics and at the schema; none
//! looks at the number of a case.

use std::fmt;

use serde_json::Value;

use super::compare::{Call, Difference, Leaf, leaves};
use super::damage::Damage;
use super::generate::Case;
use super::leaf;
use super::{Format, Ours};

/// The reason of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// Ours is right or a rule of ours forces it.
    Rule(&'static str),
    /// Ours looks wrong.
    Open(&'static str),
    /// No rule knows it.
    Unknown,
}

use Class::{Open, Rule, Unknown};

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule(reason) => f.write_str(reason),
            Open(what) => write!(f, "open: {what}"),
            Unknown => f.write_str("no reason known"),
        }
    }
}

pub(super) const MEANT: Class = Rule("ours is what was meant");
const UNDECLARED: Class = Rule("a tool that is not declared does not run (policies 7, 37)");
const GUESS: Class = Rule("a guess does not run (policy 30)");
const CUT: Class = Rule("a call that is cut never runs (policy 2)");
const UNCLOSED: Class = Rule("without its end marker a call is text (unclosed = text, policy 3)");
const CANCELLED: Class = Rule("two elements for a string cancel the call (policy 14)");
const SWALLOWED: Class =
    Rule("a string that never closes takes what follows with it (policy 20, C6)");
const UNREADABLE: Class = Rule("what cannot be read is text (policy 1)");
const OPENER: Class = Rule("an opener counts only if its grammar follows (policies 5, 35)");
const CUT_WHOLE: Class = Open("a whole call with a stray comma or bracket is read as cut");
const LOST_NEXT: Class = Open("a whole call is lost with the damaged one before it");
const NOT_READ: Class = Open("a call whose parameters are all closed is not read");
pub(super) const ENDED: Class =
    Open("a value without its closing tag takes the tags after it, or the next call");

/// One case, as the rules see it.
pub(super) struct Seen<'a> {
    pub(super) case: &'a Case,
    pub(super) reader: &'a str,
    pub(super) ours: &'a Ours,
    pub(super) meant: &'a [Call],
    /// The calls of `ours`.
    pub(super) calls: &'a [Call],
}

impl Seen<'_> {
    pub(super) fn said(&self, code: &str) -> bool {
        self.ours.codes.iter().any(|said| said == code)
    }

    pub(super) fn damaged(&self, damages: &[Damage]) -> bool {
        self.case.damages.iter().any(|damage| damages.contains(damage))
    }

    fn is_meant(&self, call: &Call) -> bool {
        self.meant.contains(call)
    }
}

/// The classes of a difference: one for a call, or one for each of its values.
pub(super) fn classify(seen: &Seen<'_>, difference: Difference<'_>) -> Vec<Class> {
    match difference {
        Difference::OnlyTheirs(call) => vec![only_theirs(seen, call)],
        Difference::OnlyOurs(call) | Difference::Both { ours: call, .. } if seen.is_meant(call) => {
            vec![MEANT]
        }
        Difference::OnlyOurs(call) => match nearest(seen, call) {
            Some(meant) => values(seen, call, meant),
            None => vec![Unknown],
        },
        Difference::Both { ours, theirs } => match nearest(seen, ours) {
            // Two calls of one name: theirs is another than ours.
            Some(meant)
                if distance(ours, meant) < distance(ours, theirs) && seen.is_meant(theirs) =>
            {
                [values(seen, ours, meant), vec![only_theirs(seen, theirs)]].concat()
            }
            meant => {
                let classes = values(seen, ours, theirs);
                match meant.filter(|_| classes.contains(&Unknown)) {
                    Some(meant) => values(seen, ours, meant),
                    None => classes,
                }
            }
        },
    }
}

/// The call that was meant by one of ours: of that name, the one that differs least.
fn nearest<'a>(seen: &Seen<'a>, call: &Call) -> Option<&'a Call> {
    // Those that another call of ours is come last.
    let named = seen.meant.iter().filter(|meant| meant.name == call.name);
    named.min_by_key(|meant| (seen.calls.contains(meant), distance(call, meant)))
}

fn distance(call: &Call, other: &Call) -> usize {
    let leaves = leaves(&call.arguments, &other.arguments, &Value::Null);
    let weight = |leaf: &Leaf<'_>| if leaf.ours.is_some() && leaf.theirs.is_some() { 2 } else { 3 };
    leaves.iter().map(weight).sum()
}

fn values(seen: &Seen<'_>, ours: &Call, theirs: &Call) -> Vec<Class> {
    let schema = seen.case.schema(&ours.name);
    let classes = leaves(&ours.arguments, &theirs.arguments, schema);
    classes.into_iter().map(|found| leaf::classify(seen, ours, theirs, found)).collect()
}

/// Why a call does not run with us.
fn only_theirs(seen: &Seen<'_>, call: &Call) -> Class {
    if seen.case.schema(&call.name) == &Value::Null {
        return UNDECLARED;
    }
    let json = seen.case.format == Format::Hermes;
    let is = |name: &str| name == call.name || json && name.is_empty();
    let codes: Vec<&str> =
        seen.ours.refused.iter().filter(|r| is(&r.name)).map(|r| r.code.as_str()).collect();
    let has = |code: &str| codes.contains(&code);
    let meant = seen.is_meant(call);
    if codes.is_empty() {
        return unopened(seen, call);
    }
    if has("engine::duplicate-element") {
        return CANCELLED;
    }
    if has("engine::unclosed-call") {
        return UNCLOSED;
    }
    if json && seen.damaged(&[Damage::MissingQuote]) {
        return SWALLOWED;
    }
    if has("engine::ambiguous-call") {
        return GUESS;
    }
    if has("engine::truncated-call") {
        return match (meant, json) {
            (true, true) => CUT_WHOLE,
            (true, false) if !seen.damaged(&[Damage::CutEnd]) => LOST_NEXT,
            _ => CUT,
        };
    }
    match meant {
        true if json => LOST_NEXT,
        true => NOT_READ,
        false if has("engine::unreadable-call") => UNREADABLE,
        false => Unknown,
    }
}

/// No call of ours began there.
fn unopened(seen: &Seen<'_>, call: &Call) -> Class {
    use Damage::{FenceAround, FenceInside, LeadingText, Mention, UndeclaredKey};
    match seen.case.format {
        // A fence before the opener on its line: an odd number of backticks.
        _ if seen.damaged(&[FenceAround, FenceInside, LeadingText, Mention, UndeclaredKey]) => {
            OPENER
        }
        Format::MorphXml | Format::YamlXml if !seen.is_meant(call) => OPENER,
        Format::Qwen3Coder if seen.said("engine::missing-closer") => ENDED,
        _ if !seen.ours.refused.is_empty() => LOST_NEXT,
        _ => Unknown,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{Format, Ours, Refused};
    use super::*;

    /// A case of one tool `get` with a text `q` and a number `n`.
    fn case(format: Format, damages: &[Damage]) -> Case {
        let properties = json!({"q": {"type": "string"}, "n": {"type": "integer"}});
        let schema = json!({"type": "object", "properties": properties, "required": ["q"]});
        let tools = vec![json!({"name": "get", "parameters": schema})];
        let (text, meant) = (String::new(), Vec::new());
        Case { format, tools, text, meant, damages: damages.to_vec() }
    }

    fn ours(refused: &[(&str, &str)], codes: &[&str]) -> Ours {
        let refused = refused
            .iter()
            .map(|(name, code)| Refused { name: (*name).to_owned(), code: (*code).to_owned() });
        let codes = codes.iter().map(|code| (*code).to_owned()).collect();
        Ours { calls: Vec::new(), refused: refused.collect(), codes, same: true }
    }

    fn call(arguments: Value) -> Call {
        Call::new("get", &arguments)
    }

    /// The classes where they have a call and we have `calls`, and `meant` was meant.
    fn of(case: &Case, ours: &Ours, calls: &[Call], theirs: &[Call], meant: &[Call]) -> Vec<Class> {
        let seen = Seen { case, reader: "json-mix", ours, meant, calls };
        let found = super::super::compare::differences(calls, theirs);
        found.into_iter().flat_map(|difference| classify(&seen, difference)).collect()
    }

    #[test]
    fn what_was_meant_needs_no_other_reason() {
        let (case, said) = (case(Format::Hermes, &[]), ours(&[], &[]));
        let (right, wrong) = (call(json!({"q": "a"})), call(json!({"q": "b"})));
        let meant = [right.clone()];
        assert_eq!(of(&case, &said, &meant, &[wrong], &meant), [MEANT]);
        assert_eq!(of(&case, &said, &meant, &[], &meant), [MEANT]);
    }

    #[test]
    fn a_refused_call_has_the_reason_of_its_diagnostic() {
        let case = case(Format::Hermes, &[]);
        let theirs = [call(json!({"q": "a"}))];
        let refused = |code: &str| ours(&[("get", code)], &[]);
        let class = |code: &str, meant: &[Call]| of(&case, &refused(code), &[], &theirs, meant);
        assert_eq!(class("engine::ambiguous-call", &theirs), [GUESS]);
        assert_eq!(class("engine::unclosed-call", &theirs), [UNCLOSED]);
        assert_eq!(class("engine::truncated-call", &[]), [CUT]);
        assert_eq!(class("engine::truncated-call", &theirs), [CUT_WHOLE]);
    }

    #[test]
    fn an_undeclared_tool_never_runs() {
        let (case, said) = (case(Format::Hermes, &[]), ours(&[("put", "undeclared")], &[]));
        let theirs = [Call::new("put", &json!({}))];
        assert_eq!(of(&case, &said, &[], &theirs, &theirs), [UNDECLARED]);
    }

    #[test]
    fn values_are_classified_one_by_one() {
        let (case, said) = (case(Format::Qwen3Coder, &[]), ours(&[], &[]));
        let mine = [call(json!({"q": "a &lt; b", "n": 1, "x": "5"}))];
        let theirs = [call(json!({"q": "a < b", "n": "1", "x": 5}))];
        let found = of(&case, &said, &mine, &theirs, &[]);
        let reasons: Vec<String> = found.iter().map(Class::to_string).collect();
        assert_eq!(reasons.len(), 3);
        assert!(reasons[0].contains("schema-coerce"), "{reasons:?}");
        assert!(reasons[1].contains("policy 25"), "{reasons:?}");
        assert!(reasons[2].contains("policy 24"), "{reasons:?}");
    }

    #[test]
    fn what_no_rule_knows_stays_unknown() {
        let (case, said) = (case(Format::Hermes, &[]), ours(&[], &[]));
        let (mine, theirs) = ([call(json!({"q": "a"}))], [call(json!({"q": "b"}))]);
        assert_eq!(of(&case, &said, &mine, &theirs, &[]), [Unknown]);
    }
}
