//! Answers of upstreams that speak chat completions, right and damaged, and what clients should get.

use std::time::Duration;

use serde_json::{Value, json};

use super::scenarios::Scenario;
use super::upstream::{DONE, RESULT, Script, delta, end, said};
use super::verdict::Wanted;

/// Silence of the silent upstream; the gateway gives signs of life more often.
const SILENCE: Duration = Duration::from_secs(3);
const PIECE: usize = 5;
const TEXT: &str = "Hi.";
const THOUGHT: &str = "Hm.";

fn open(index: u32, id: &str, name: &str, arguments: &str) -> Value {
    json!({"index": index, "id": id, "type": "function",
        "function": {"name": name, "arguments": arguments}})
}

fn more(index: u32, arguments: &str) -> Value {
    json!({"index": index, "function": {"arguments": arguments}})
}

fn calls(calls: &[Value]) -> String {
    delta(&json!({ "tool_calls": calls }))
}

/// Text and the first half of a call.
fn half() -> Vec<String> {
    vec![
        delta(&json!({ "content": TEXT })),
        calls(&[open(0, "a1", "get_weather", "")]),
        calls(&[more(0, "{\"city\": \"Ž")]),
    ]
}

fn rest() -> String {
    calls(&[more(0, "ďár\", \"days\": 3}")])
}

fn markup() -> String {
    format!(
        "{TEXT}<tool_call>\n{{\"name\": \"get_weather\", \"arguments\": \
         {{\"city\": \"Žďár\", \"days\": 3}}}}\n</tool_call>"
    )
}

/// The rows, in the order of the table.
pub(super) fn all() -> Vec<Scenario> {
    let mut all = whole();
    all.extend(repaired());
    all.extend(cut());
    all.push(rounds());
    all
}

/// A native call, and an answer once its result is there.
fn rounds() -> Scenario {
    let mut rounds =
        case("native call, and its result", &[&half(), &[rest()], &end("tool_calls")], &one());
    let answer = [said(RESULT, PIECE), end("stop")].concat();
    rounds.script.then = Some(Box::new(Script::of(answer)));
    let call = json!([{"name": "get_weather", "arguments": {"city": "Žďár", "days": 3}}]);
    rounds.wanted = Wanted::calls(&format!("{TEXT}{RESULT}"), &call).finish("stop");
    rounds.rounds = 2;
    rounds
}

fn scenario(row: &'static str, script: Script, wanted: Wanted) -> Scenario {
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let model = format!("case.{}", row.chars().map(word).collect::<String>());
    Scenario { row, model, script, wanted, rounds: 1 }
}

fn case(row: &'static str, parts: &[&[String]], wanted: &Wanted) -> Scenario {
    scenario(row, Script::of(parts.concat()), wanted.clone())
}

fn one() -> Wanted {
    Wanted::calls(TEXT, &json!([{"name": "get_weather", "arguments": {"city": "Žďár", "days": 3}}]))
}

fn two() -> Wanted {
    let first = json!({"name": "get_weather", "arguments": {"city": "Žďár", "days": 3}});
    Wanted::calls(TEXT, &json!([first, {"name": "now", "arguments": {}}]))
}

/// What is as it should be, however it is cut, and what only looks like text.
fn whole() -> Vec<Scenario> {
    let text = Wanted::text(TEXT);
    let thought = text.clone().reasoning(THOUGHT);
    let stop = end("stop");
    let called = end("tool_calls");
    let unmarked: Vec<String> = stop.iter().filter(|frame| *frame != DONE).cloned().collect();
    let now = [open(1, "a2", "now", "{"), more(1, "}")];
    let in_row = [calls(&now[..1]), calls(&now[1..])];
    let mut interleaved = half();
    interleaved.insert(2, calls(&now[..1]));
    interleaved.extend([calls(&now[1..]), rest()]);
    let reasoned =
        [delta(&json!({ "reasoning_content": THOUGHT })), delta(&json!({ "content": TEXT }))];
    let bytes = [half(), vec![rest()], called.clone()].concat().concat().into_bytes();
    let pieces =
        Script { frames: bytes.chunks(3).map(<[u8]>::to_vec).collect(), ..Script::default() };
    vec![
        case("native call", &[&half(), &[rest()], &called], &one()),
        case("`reasoning_content`", &[&reasoned, &stop], &thought),
        case("no `[DONE]`", &[&said(TEXT, PIECE), &unmarked], &text),
        scenario("network pieces of 3 bytes", pieces, one()),
        case("2 native calls in a row", &[&half(), &[rest()], &in_row, &called], &two()),
        case("2 native calls interleaved", &[&interleaved, &called], &two()),
        case("markup of a call in text", &[&said(&markup(), PIECE), &stop], &one()),
        case("`<think>` in text", &[&said("<think>Hm.</think>Hi.", PIECE), &stop], &thought),
    ]
}

/// Damage that can be undone.
fn repaired() -> Vec<Scenario> {
    let called = end("tool_calls");
    let whole = "{\"city\": \"Žďár\", \"days\": 3}";
    let text = [delta(&json!({ "content": TEXT }))];
    let without = |key: &str, mut call: Value| {
        call.as_object_mut().map(|call| call.remove(key));
        call
    };
    let both = [
        without("index", open(0, "a1", "get_weather", whole)),
        without("index", open(0, "a2", "now", "{}")),
    ];
    let same = [calls(&[open(0, "a2", "now", "{}")])];
    let nameless =
        [calls(&[without("id", open(0, "", "get_weather", ""))]), calls(&[more(0, whole)])];
    let repeated: Vec<String> = ["{\"city\"", ": \"Žď", "ár\", \"days\"", ": 3}"]
        .map(|part| calls(&[open(0, "a1", "get_weather", part)]))
        .into();
    let arguments = json!({"city": "Žďár", "days": 3});
    let object = json!({"index": 0, "id": "a1", "type": "function",
        "function": {"name": "get_weather", "arguments": arguments}});
    let empty: Vec<String> =
        ["H", "i."].map(|part| delta(&json!({"content": part, "tool_calls": []}))).into();
    vec![
        case("no `index`, 2 whole calls", &[&text, &[calls(&both)], &called], &two()),
        case("2 calls on index 0", &[&half(), &[rest()], &same, &called], &two()),
        case("no `id`", &[&text, &nameless, &called], &one()),
        case("name and id in each delta", &[&text, &repeated, &called], &one()),
        case("arguments as an object", &[&text, &[calls(&[object])], &called], &one()),
        case("`tool_calls: []` beside text", &[&empty, &end("stop")], &Wanted::text(TEXT)),
        case("finish `stop` with a call", &[&half(), &[rest()], &end("stop")], &one()),
    ]
}

/// Answers that are not whole.
fn cut() -> Vec<Scenario> {
    let error = Wanted::error();
    let length = Wanted::text(TEXT).finish("length");
    let marked = markup();
    let cut_markup = said(marked.split("ďár").next().unwrap_or_default(), PIECE);
    let silent = [half(), vec![rest()], end("tool_calls")].concat();
    let silent = Script { pause: Some((3, SILENCE)), ..Script::of(silent) };
    let lost = Script { lost: true, ..Script::of(half()) };
    let page = vec!["<html><body><h1>502 Bad Gateway</h1></body></html>\n".to_owned()];
    let page = Script { page: true, ..Script::of(page) };
    let frame = json!({"error": {"message": "out of memory", "type": "server_error", "code": 500}});
    let unread = calls(&[more(0, "ďár\"]")]);
    vec![
        scenario("silence inside a call", silent, one()),
        case("`length` inside a call", &[&half(), &end("length")], &length),
        case("`length` inside markup", &[&cut_markup, &end("length")], &length),
        case("cut inside a call: clean end", &[&half()], &error),
        case("cut inside a call: `[DONE]`", &[&half(), &[DONE.to_owned()]], &error),
        case("cut inside a call: half a frame", &[&half(), &["data: {\"choi".to_owned()]], &error),
        case("cut inside markup", &[&cut_markup], &error),
        case("cut inside text", &[&said(TEXT, PIECE)], &error),
        scenario("connection lost inside a call", lost, error.clone()),
        case("error frame in the stream", &[&half(), &[format!("data: {frame}\n\n")]], &error),
        scenario("200 with an HTML page", page, error.clone()),
        case("arguments that are no JSON", &[&half(), &[unread], &end("tool_calls")], &error),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    #[test]
    fn every_case_has_a_script_of_its_own() {
        let all = super::all();
        let models: BTreeSet<&str> = all.iter().map(|case| case.model.as_str()).collect();
        assert_eq!((all.len(), models.len()), (28, 28));
        assert!(all.iter().all(|case| !case.script.frames.is_empty()));
    }
}
