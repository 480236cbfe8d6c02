//! Any bytes from a provider, cut anywhere: no panic, the same parts for every cut, indexes without gaps,
//! nothing after an error or a cut, and no answer that ends without either an end or a cut.

use toolweir_adapters::read::{AnswerReader, Dialect, Part};

use crate::Source;
use crate::source::Rng;

const DIALECTS: &[Dialect] =
    &[Dialect::Chat, Dialect::Responses, Dialect::Anthropic, Dialect::Ollama];

/// What streams are made of: frames, and what may stand in and between them.
const PIECES: &[&str] = &[
    "data: ",
    "\n\n",
    "\n",
    "\r\n",
    "\r",
    "event: error\n",
    ": ping\n\n",
    "data: [DONE]\n\n",
    "\u{feff}",
    "<html>",
    "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ž\"}}]}",
    "{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"}}]}",
    "{\"choices\":[{\"delta\":{\"reasoning_content\":\"r\"}}]}",
    "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}}]}",
    "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"k\\\":\"}}]}}]}",
    "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"1}\"}}]}}]}",
    "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":{\"x\":[1.0]}}}]}}]}",
    "{\"choices\":[{\"delta\":{\"tool_calls\":[]},\"finish_reason\":\"tool_calls\"}]}",
    "{\"choices\":[{\"message\":{\"content\":[{\"text\":\"t\"}]},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":\"3\"}}",
    "{\"error\":{\"message\":\"m\",\"code\":1}}",
    "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{}}}",
    "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}",
    "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"t\"}}",
    "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}",
    "{\"type\":\"message_stop\"}",
    "{\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"f\"}}",
    "{\"type\":\"response.function_call_arguments.delta\",\"item_id\":\"i\",\"delta\":\"{}\"}",
    "{\"type\":\"response.output_text.done\",\"item_id\":\"i\",\"text\":\"žt\"}",
    "{\"type\":\"response.output_text.delta\",\"item_id\":\"i\",\"delta\":\"ž\"}",
    "{\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":1}}}",
    "{\"message\":{\"content\":\"o\",\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":{}}}]}}",
    "{\"response\":\"o\",\"done\":true,\"done_reason\":\"length\"}",
    "{\"choices\":[{\"delta\":{\"content\":\"\\ud83d",
    "\\ude00\"}}]}",
    "\"",
    "}",
    "[",
];

/// Tries one input; panics on a finding.
///
/// # Panics
/// When two cuttings differ, or the parts break a rule of the readers.
pub fn target(data: &[u8]) {
    let mut source = Source::new(data);
    let dialect = *source.pick(DIALECTS);
    let (framed, seed) = (source.one_in(2), source.seed());
    let bytes = bytes(framed, &mut source);
    let whole = read(dialect, &[&bytes]);
    let singles: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(whole, read(dialect, &singles), "{dialect:?} {:?} bytewise", lossy(&bytes));
    let mut rng = Rng::new(seed);
    let mut pieces = Vec::new();
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(1 + rng.below(rest.len().min(64)));
        pieces.push(piece);
        rest = after;
    }
    assert_eq!(whole, read(dialect, &pieces), "{dialect:?} {:?} at random", lossy(&bytes));
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn bytes(framed: bool, source: &mut Source<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    while !source.is_empty() && bytes.len() < 4000 {
        if source.one_in(16) {
            bytes.push(source.byte());
            continue;
        }
        let piece = source.word(PIECES);
        match framed && piece.starts_with('{') {
            true => bytes.extend_from_slice(format!("data: {piece}\n\n").as_bytes()),
            false => bytes.extend_from_slice(piece.as_bytes()),
        }
    }
    bytes
}

fn read(dialect: Dialect, pieces: &[&[u8]]) -> Vec<String> {
    let (mut reader, mut seen) = (AnswerReader::new(dialect), Vec::new());
    let (mut calls, mut ended, mut failed) = (vec![0_u64; 300], false, false);
    let mut sink = |choice: u32, part: Part<'_>| {
        assert!(!failed, "{part:?} after the end: {seen:?}");
        match &part {
            Part::Call(delta) => {
                let known = &mut calls[choice as usize];
                assert!(delta.index <= *known, "index {} of {known} calls", delta.index);
                *known = (*known).max(delta.index + 1);
            }
            Part::Finish(_) => ended = true,
            Part::Error(_) | Part::Cut(_) => failed = true,
            _ => {}
        }
        seen.push(format!("{choice} {part:?}"));
    };
    for piece in pieces {
        reader.push(piece, &mut sink);
    }
    reader.finish(&mut sink);
    assert!(ended || failed, "neither an end nor a cut: {seen:?}");
    seen
}
