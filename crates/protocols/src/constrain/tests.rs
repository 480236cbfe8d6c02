//! Grammars against the writer and the reader of every built-in row: what is written is admitted, what
//! is admitted reads as calls.

use toolweir_rjson::{Mode, Value, parse};
use toolweir_segments::{Diagnostic, Severity, Turn};

use super::gbnf::Gbnf;
use super::node::{Node, Rules};
use super::until::Until;
use super::{Choice, Constraint, ConstraintError, ToolUse};
use crate::render::stops::{Haystack, Run};
use crate::{Names, ProtocolExt, Reasoning, Registry, Request, Tool, ToolCall, ToolSet};

/// Where a text that begins at `at` may end.
fn ends(rules: &Rules, node: &Node, text: &str, at: usize) -> Vec<usize> {
    let rest = &text[at..];
    let mut out = match node {
        Node::Text(own) => rest.starts_with(own).then_some(at + own.len()).into_iter().collect(),
        Node::Seq(nodes) => nodes.iter().fold(vec![at], |places, node| {
            let each = places.iter().flat_map(|at| ends(rules, node, text, *at));
            sorted(each.collect())
        }),
        Node::Any(nodes) => nodes.iter().flat_map(|node| ends(rules, node, text, at)).collect(),
        Node::Opt(node) => [vec![at], ends(rules, node, text, at)].concat(),
        Node::Repeat(node, least, most) => repeated(rules, node, (*least, *most), text, at),
        Node::Class(class) => {
            let first = rest.chars().next().filter(|c| class.holds(*c));
            first.map(|c| at + c.len_utf8()).into_iter().collect()
        }
        Node::Until(until, _) => until_ends(until, text, at),
        Node::Json(_, node) => ends(rules, node, text, at),
        Node::Rule(rule) => ends(rules, &rules.get(*rule).unwrap().1, text, at),
    };
    out = sorted(out);
    out
}

fn sorted(mut places: Vec<usize>) -> Vec<usize> {
    places.sort_unstable();
    places.dedup();
    places
}

fn repeated(
    rules: &Rules,
    node: &Node,
    (least, most): (usize, Option<usize>),
    text: &str,
    at: usize,
) -> Vec<usize> {
    let (mut all, mut front) = (Vec::new(), vec![at]);
    let mut count = 0;
    loop {
        if count >= least {
            all.extend(front.iter().copied());
        }
        if most.is_some_and(|most| count >= most) {
            return all;
        }
        let next = front.iter().flat_map(|at| ends(rules, node, text, *at));
        front = sorted(next.filter(|place| count < least || !all.contains(place)).collect());
        count += 1;
        if front.is_empty() {
            return all;
        }
    }
}

fn until_ends(until: &Until, text: &str, at: usize) -> Vec<usize> {
    let (mut out, mut state) = (Vec::new(), 0);
    let mut chars = text[at..].char_indices().peekable();
    loop {
        let here = chars.peek().map_or(text.len(), |(offset, _)| at + offset);
        let now = &until.states()[state];
        out.extend(now.accepts.then_some(here));
        let Some((_, c)) = chars.next() else { return out };
        let mut next = now.edges.iter().find(|(class, _)| class.holds(c));
        if next.is_none() && c == '\\' {
            let escape = chars.next().map_or('\0', |(_, c)| c);
            next = now.escapes.iter().find(|(class, _)| class.holds(escape));
            if escape == 'u'
                && !(0..4).all(|_| chars.next().is_some_and(|(_, c)| c.is_ascii_hexdigit()))
            {
                return out;
            }
        }
        match next {
            Some((_, to)) => state = *to,
            None => return out,
        }
    }
}

impl Constraint {
    fn admits(&self, text: &str) -> bool {
        ends(&self.rules, &self.root, text, 0).contains(&text.len())
    }
}

/// Random choices, the same for one seed.
struct Dice(u64);

impl Dice {
    /// A text that the grammar admits.
    fn admitted(mut self, constraint: &Constraint) -> String {
        let mut text = String::new();
        self.text(&constraint.rules, &constraint.root, 0, &mut text);
        text
    }

    fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = usize::try_from(self.0 >> 33).unwrap();
        drawn % most.max(1)
    }

    fn text(&mut self, rules: &Rules, node: &Node, depth: usize, out: &mut String) {
        match node {
            Node::Text(text) => out.push_str(text),
            Node::Seq(nodes) => nodes.iter().for_each(|n| self.text(rules, n, depth, out)),
            // Deep inside the first kinds, which are the plain ones.
            Node::Any(nodes) => {
                let most = if depth > 12 { 1.max(nodes.len() / 2) } else { nodes.len() };
                let at = self.below(most);
                self.text(rules, &nodes[at], depth + 1, out);
            }
            Node::Opt(node) => {
                if depth < 12 && self.below(2) == 0 {
                    self.text(rules, node, depth + 1, out);
                }
            }
            Node::Repeat(node, least, most) => {
                let more = if depth > 12 { 0 } else { self.below(4) };
                let count = (least + more).min(most.unwrap_or(usize::MAX));
                (0..count).for_each(|_| self.text(rules, node, depth + 1, out));
            }
            Node::Class(class) => out.push(self.char_of(class)),
            Node::Until(until, _) => self.until(until, out),
            Node::Json(_, node) => self.text(rules, node, depth, out),
            Node::Rule(rule) => self.text(rules, &rules.get(*rule).unwrap().1, depth + 1, out),
        }
    }

    fn char_of(&mut self, class: &super::until::Class) -> char {
        const LIKELY: &str = "abcxyz019 \n\t<>/=[]{}()\"'`|:;,.*_-é🦀\\";
        for _ in 0..40 {
            let c = LIKELY.chars().nth(self.below(LIKELY.chars().count())).unwrap();
            if class.holds(c) {
                return c;
            }
        }
        class.ranges[self.below(class.ranges.len())].0
    }

    /// Text that goes as near to markers as it may.
    fn until(&mut self, until: &Until, out: &mut String) {
        let mut state = 0;
        let length = self.below(24);
        for step in 0.. {
            let now = &until.states()[state];
            if step >= length && now.accepts {
                return;
            }
            let at = self.below(now.edges.len());
            let (class, to) = &now.edges[at];
            out.push(self.char_of(class));
            state = *to;
        }
    }
}

fn fixture(json: &str) -> Vec<Value> {
    let value = parse(json, Mode::Strict).unwrap().value;
    value.as_array().unwrap().iter().cloned().collect()
}

fn member(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap().to_owned()
}

fn tools() -> ToolSet {
    let tool = |value: &Value| {
        let tool = Tool::new(member(value, "name"));
        match value.get("parameters") {
            Some(schema) => tool.parameters(schema.clone()),
            None => tool,
        }
    };
    let tools = fixture(include_str!("../../../../fixtures/constrain/tools.json"));
    ToolSet::new(tools.iter().map(tool)).unwrap()
}

fn calls() -> Vec<ToolCall> {
    let calls = fixture(include_str!("../../../../fixtures/constrain/calls.json"));
    let call = |value: &Value| ToolCall::new(member(value, "name"), member(value, "arguments"));
    calls.iter().map(call).collect()
}

/// The formats that a pattern describes, and why others have no grammar.
fn constrained(
    tools: &ToolSet,
    wanted: &ToolUse,
) -> Vec<(String, Result<Constraint, ConstraintError>)> {
    let registry = Registry::builtin();
    let made = |name: &str| registry.get(name).unwrap().constraint(tools, wanted);
    registry.names().map(|name| (name.to_owned(), made(name))).collect()
}

fn wanted(choice: Choice) -> ToolUse {
    ToolUse { choice, ..ToolUse::default() }
}

fn request() -> Request {
    let mut request = Request { tools: tools(), ..Request::default() };
    request.policies.names = Some(Names::Declared);
    request
}

/// What was not as it should be: errors, and arguments that the schema does not take as they are.
fn errors(turn: &Turn) -> Vec<String> {
    let bad = |d: &&Diagnostic<'_>| d.severity == Severity::Error || d.code.starts_with("coerce::");
    let bad = turn.diagnostics.iter().filter(bad);
    bad.map(|d| format!("{}: {}", d.code, d.message)).collect()
}

#[test]
fn what_is_written_is_admitted() {
    let registry = Registry::builtin();
    let mut failed = Vec::new();
    for choice in [Choice::Auto, Choice::Required] {
        for (name, constraint) in constrained(&tools(), &wanted(choice.clone())) {
            let Ok(constraint) = constraint else { continue };
            let protocol = registry.get(&name).unwrap();
            let all = calls();
            let turns = all.iter().map(std::slice::from_ref).chain([&all[..2], &all[..]]);
            // An answer to a forced choice is one call.
            let one = name == "tool-choice";
            for turn in turns.filter(|turn| !one || turn.len() == 1) {
                let Ok(text) = protocol.format_tool_calls(turn) else { continue };
                if !constraint.admits(&text) {
                    failed.push(format!("{name} ({choice:?}): {text:?}"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{} not admitted:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn what_is_admitted_reads_as_calls() {
    let registry = Registry::builtin();
    let mut failed = Vec::new();
    for choice in [Choice::Required, Choice::Auto] {
        for (name, constraint) in constrained(&tools(), &wanted(choice.clone())) {
            let Ok(constraint) = constraint else { continue };
            let protocol = registry.get(&name).unwrap();
            for seed in 0..100 {
                let text = Dice(seed * 7919 + 13).admitted(&constraint);
                let turn = protocol.parse(&text, &request()).unwrap();
                let required = choice == Choice::Required;
                let missing = required && turn.calls().count() == 0;
                let bad = errors(&turn);
                if missing || !bad.is_empty() {
                    failed.push(format!("{name} ({choice:?}): {text:?}: {bad:?}"));
                    break;
                }
            }
        }
    }
    assert!(failed.is_empty(), "{} do not read:\n{}", failed.len(), failed.join("\n"));
}

/// A name or key that a format cannot carry is refused, not written into a grammar.
#[test]
fn odd_names_and_keys_are_carried_or_refused() {
    let registry = Registry::builtin();
    let (mut made, mut refused, mut failed) = (0, 0, Vec::new());
    for (name, key) in [
        ("my tool", "a"),
        ("ns:do", "k-1"),
        ("a.b", "a b"),
        ("x\"y", "a\"b"),
        ("t", "<x>"),
        ("t", "null"),
        ("dé", "é"),
        ("f/", "a=b"),
        ("<f>", "1"),
    ] {
        let key_text = Value::from(key).to_string();
        let schema = format!(
            r#"{{"type": "object", "properties": {{{key_text}: {{"type": "string"}}}},
            "required": [{key_text}]}}"#
        );
        let tools = ToolSet::new([Tool::new(name).parameters(schema)]).unwrap();
        let mut request = Request { tools: tools.clone(), ..Request::default() };
        request.policies.names = Some(Names::Declared);
        for format in registry.names() {
            let protocol = registry.get(format).unwrap();
            let Ok(constraint) = protocol.constraint(&tools, &wanted(Choice::Required)) else {
                refused += 1;
                continue;
            };
            made += 1;
            for seed in 0..5 {
                let text = Dice(seed * 31 + 5).admitted(&constraint);
                let turn = protocol.parse(&text, &request).unwrap();
                let bad = errors(&turn);
                if !bad.is_empty() || turn.calls().next().is_none_or(|call| call.name != name) {
                    failed.push(format!("{format}: {text:?}: {bad:?}"));
                    break;
                }
            }
            let call = ToolCall::new(name, format!(r#"{{{key_text}: "v"}}"#));
            if let Ok(text) = protocol.format_tool_call(&call)
                && !constraint.admits(&text)
            {
                failed.push(format!("{format}: not admitted: {text:?}"));
            }
        }
    }
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
    assert!(made > 100 && refused > 100, "{made} {refused}");
}

/// The automaton lets through what the writer writes, and nothing else.
#[test]
fn a_value_stops_where_the_writer_says() {
    let all = [
        ("</parameter>", false),
        ("<arg_key>", true),
        ("<|tool call end|>", false),
        ("]]", false),
        ("*** End Patch", true),
        ("</a", false),
    ];
    let signs = "</parameter>arg_key|]x *EndPtc\n\t";
    let mut dice = Dice(7);
    let (mut through, mut refused) = (0, 0);
    for round in 0..20_000_usize {
        let run = |at: usize| Run { text: all[at].0.to_owned(), line: all[at].1 };
        let fold = round % 3 == 0;
        let runs = [run(dice.below(all.len()))];
        let follows = [run(dice.below(all.len()))];
        let mut text = String::new();
        for _ in 0..dice.below(5) {
            let marker = all[dice.below(all.len())].0;
            let end = dice.below(marker.len() + 1);
            text.push_str(if dice.below(2) == 0 { marker } else { &marker[..end] });
            text.push(signs.chars().nth(dice.below(signs.chars().count())).unwrap());
        }
        let until = Until::new(&runs, &follows, fold, false);
        let admitted = until_ends(&until, &text, 0).contains(&text.len());
        let hay = Haystack::new(&text, fold);
        let both = || runs.iter().chain(&follows);
        let clear = !both().any(|run| hay.holds(run)) && !follows.iter().any(|r| hay.overlaps(r));
        assert_eq!(admitted, clear, "{text:?} without {runs:?} before {follows:?}, fold {fold}");
        (through, refused) = (through + usize::from(clear), refused + usize::from(!clear));
    }
    assert!(through > 2_000 && refused > 2_000, "{through} {refused}");
}

#[test]
fn formats_without_a_grammar_say_why() {
    let patch = r#"{"type": "object", "properties": {"input": {"type": "string"}}}"#;
    let both = [Tool::new("apply_patch").parameters(patch), Tool::new("dice")];
    let set = |range: std::ops::Range<usize>| ToolSet::new(both[range].to_vec()).unwrap();
    let apply = Registry::builtin().get("apply-patch").unwrap().clone();
    assert!(apply.constraint(&set(0..1), &ToolUse::default()).is_ok());
    let error = apply.constraint(&set(0..2), &ToolUse::default()).unwrap_err();
    let why = "format `apply-patch` has no grammar for the tool `dice`: no pattern of the format is \
               for it";
    assert_eq!(error.to_string(), why);

    let families = crate::FAMILIES.iter().map(|family| family.name).collect::<Vec<_>>();
    let refused =
        constrained(&tools(), &ToolUse::default()).into_iter().filter_map(|(name, made)| {
            let error = made.err().filter(|_| !families.contains(&name.as_str()))?;
            Some(format!("{name}: {}", error.to_string().split_once(": ")?.1))
        });
    let refused: Vec<String> = refused.collect();
    let beside = "its text holds no calls: there are none, or the server sends them beside it";
    let segments = "segments are told by tags and signatures that no pattern says";
    let by_hand = "its calls are read by hand, no pattern says what they look like";
    let patch = "no pattern of the format is for it";
    let expected = [
        ("agent-native", beside),
        ("aider-diff", by_hand),
        ("apply-patch", patch),
        ("pass-through", beside),
        ("segments-api", beside),
        ("segments-json", segments),
        ("segments-sentinel", segments),
        ("segments-xml", segments),
    ];
    assert_eq!(refused, expected.map(|(name, why)| format!("{name}: {why}")));
}

#[test]
fn a_choice_needs_its_tool() {
    let hermes = Registry::builtin().get("hermes").unwrap().clone();
    let of = |tools: &ToolSet, choice| {
        hermes.constraint(tools, &wanted(choice)).map(|_| ()).map_err(|error| error.to_string())
    };
    let none = ToolSet::default();
    assert_eq!(of(&none, Choice::Auto), Err("there is no tool to call: declare one".into()));
    let other = of(&tools(), Choice::Tool("spin".into()));
    assert_eq!(other, Err("the tool `spin` must be called, and is not declared".into()));
    let only = hermes.constraint(&tools(), &wanted(Choice::Tool("clock".into()))).unwrap();
    let call =
        |name: &str| hermes.format_tool_call(&ToolCall::new(name, r#"{"sides": 6}"#)).unwrap();
    assert!(only.admits(&call("clock")));
    assert!(!only.admits(&call("dice")));
    assert!(!only.admits(&format!("{0}\n{0}", call("clock"))));
    assert!(!only.admits(&format!("First. {}", call("clock"))));
}

/// Grammars are kept by the set and the use they were made for.
#[test]
fn what_was_made_before_is_not_given_for_something_else() {
    let hermes = Registry::builtin().get("hermes").unwrap().clone();
    let set = |name: &str| ToolSet::new([Tool::new(name)]).unwrap();
    let (one, other) = (set("one"), set("other"));
    let call = |name: &str| hermes.format_tool_call(&ToolCall::new(name, "{}")).unwrap();
    for _ in 0..2 {
        for (tools, name) in [(&one, "one"), (&other, "other")] {
            let free = hermes.constraint(tools, &wanted(Choice::Auto)).unwrap();
            let required = hermes.constraint(tools, &wanted(Choice::Required)).unwrap();
            assert!(free.admits("Hi.") && !required.admits("Hi."));
            assert!(required.admits(&call(name)));
            assert!(!required.admits(&call(if name == "one" { "other" } else { "one" })));
            let named = wanted(Choice::Tool("one".into()));
            assert_eq!(hermes.constraint(tools, &named).is_ok(), name == "one");
        }
    }
    // More than are kept.
    for number in 0..20 {
        let name = format!("t{number}");
        let made = hermes.constraint(&set(&name), &wanted(Choice::Required)).unwrap();
        assert!(made.admits(&call(&name)));
    }
}

#[test]
fn required_calls_stand_behind_reasoning() {
    let hermes = Registry::builtin().get("hermes").unwrap().clone();
    let call = hermes.format_tool_call(&ToolCall::new("dice", r#"{"sides": 6}"#)).unwrap();
    let required = wanted(Choice::Required);
    let free = hermes.constraint(&tools(), &required).unwrap();
    assert!(free.admits(&format!("<think>hm</think>\n\n{call}")));
    assert!(!free.admits(&format!("hm</think>{call}")));
    let inside = ToolUse { in_reasoning: true, ..required };
    let inside = hermes.constraint(&tools(), &inside).unwrap();
    assert!(inside.admits(&format!("hm</think>\n\n{call}")));
    assert!(!inside.admits(&call));
    let of = |reasoning| {
        let wanted = ToolUse { reasoning, ..wanted(Choice::Required) };
        hermes.constraint(&tools(), &wanted)
    };
    let none = of(Reasoning::None).unwrap();
    assert!(none.admits(&call));
    assert!(!none.admits(&format!("<think>hm</think>{call}")));
    let other = of(Reasoning::Family("mistral".into())).unwrap();
    assert!(other.admits(&format!("[THINK]hm[/THINK]{call}")));
    assert!(!other.admits(&format!("<think>hm</think>{call}")));
    assert!(of(Reasoning::Family("no-such".into())).is_err());
    let own = of("<thought>{reasoning}</thought>".into()).unwrap();
    assert!(own.admits(&format!("<thought>hm</thought>{call}")));
    assert!(!own.admits(&format!("<think>hm</think>{call}")));
    assert!(of("{reasoning}</thought>".into()).is_err());
}

#[test]
fn schemas_are_followed_or_told() {
    for case in fixture(include_str!("../../../../fixtures/constrain/schemas.json")) {
        let text = |key: &str| case.get(key).and_then(Value::as_str);
        let list = |key: &str| case.get(key).and_then(Value::as_array).into_iter().flatten();
        let schema = case.get("schema").unwrap();
        let (tools, _) = ToolSet::lenient([Tool::new("t").parameters(schema)]);
        let format = text("format").unwrap_or("hermes");
        let protocol = Registry::builtin().get(format).unwrap().clone();
        let made = match protocol.constraint(&tools, &wanted(Choice::Required)) {
            Ok(made) => made,
            Err(error) => {
                assert_eq!(Some(error.to_string().as_str()), text("error"), "{schema}");
                continue;
            }
        };
        assert_eq!(text("error"), None, "{schema}");
        let unsaid = made.gbnf().unsaid;
        let reported = unsaid.iter().map(|unsaid| Value::from(unsaid.to_string()));
        assert!(reported.eq(list("unsaid").cloned()), "{schema}: {unsaid:?}");
        // Lark follows schemas of JSON by itself; values between tags are all ours.
        if format != "hermes" {
            assert_eq!(made.lark(&[]).unsaid, unsaid, "{schema}");
        }
        for (key, fits) in [("admits", true), ("refuses", false)] {
            for arguments in list(key) {
                let call = ToolCall::new("t", arguments.to_string());
                let text = protocol.format_tool_call(&call).unwrap();
                assert_eq!(made.admits(&text), fits, "{schema}: {text}");
            }
        }
    }
}

/// Made or refused, in bounded time.
#[test]
fn alternatives_inside_themselves_end() {
    let many = [r##"{"$ref": "#/$defs/n"}"##; 12].join(",");
    for n in [
        format!(r#"{{"anyOf": [{many}]}}"#),
        format!(r#"{{"anyOf": [{{"type": "integer"}}, {many}]}}"#),
        format!(r#"{{"anyOf": [{{"enum": ["a", 1]}}, {{"allOf": [{many}]}}]}}"#),
        format!(r#"{{"allOf": [{many}], "oneOf": [{many}]}}"#),
    ] {
        let schema = format!(
            r##"{{"properties": {{"x": {{"$ref": "#/$defs/n"}}}}, "$defs": {{"n": {n}}}}}"##
        );
        let tools = ToolSet::lenient([Tool::new("dice").parameters(schema.as_str())]).0;
        let made = constrained(&tools, &wanted(Choice::Auto));
        assert!(made.iter().any(|(format, made)| format == "hermes" && made.is_ok()));
    }
}

/// A pattern of text before a closing delimiter: Lark says it, GBNF tells where it stands.
#[test]
fn patterns_are_followed_where_an_engine_can() {
    let coder = Registry::builtin().get("qwen3-coder").unwrap().clone();
    let made = |pattern: &str| {
        let schema = format!(
            r#"{{"type": "object", "properties": {{"a": {{"type": "string", "pattern": {}}}}}}}"#,
            Value::from(pattern)
        );
        let tools = ToolSet::new([Tool::new("t").parameters(schema)]).unwrap();
        let made = coder.constraint(&tools, &ToolUse::default()).unwrap();
        let told = |written: super::Written| {
            written.unsaid.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        (made.lark(&[]).text, told(made.lark(&[])), told(made.gbnf()), told(made.structural_tag()))
    };
    let gbnf = ["t/properties/a: `pattern` is not followed before a closing delimiter"];
    for (pattern, regex) in [
        ("^[a-z]+/$", "& /([a-z]+\\/)/"),
        ("a|b", "& /(?s:.*)(a|b)(?s:.*)/"),
        ("x\\.y$", "(x\\.y)/"),
    ] {
        let (text, lark, other, tag) = made(pattern);
        assert!(text.contains(regex), "{pattern}: {text}");
        assert!(lark.is_empty(), "{lark:?}");
        assert_eq!(
            (other.as_slice(), tag.as_slice()),
            (&gbnf.map(str::to_owned)[..], &gbnf.map(str::to_owned)[..])
        );
    }
    for pattern in ["^a|b$", "(?=a)b", "\\bword", "a^b", "(a)\\1"] {
        let (text, lark, other, _) = made(pattern);
        assert!(!text.contains(" & /(?s:.*)(") && lark.len() == 1, "{pattern}: {lark:?}");
        assert_eq!(lark, other);
    }
}

#[test]
fn what_is_counted_twice_stands_in_parentheses() {
    let few = || Node::many(Node::text("a"), 1, Some(3));
    for (node, grammar) in [
        (Node::opt(few()), "(\"a\"{1,3})?"),
        (Node::many(Node::opt(Node::text("a")), 0, None), "(\"a\"?)*"),
        (Node::seq([few(), Node::opt(Node::text("b"))]), "\"a\"{1,3} \"b\"?"),
    ] {
        let rules = Rules::default();
        assert_eq!(Gbnf::new(&rules).write(&node), format!("root ::= {grammar}\n"));
    }
}
