//! A file as a model writes it, in a panel that grows: `cargo run -p toolweir-adapters --example preview`.
//!
//! The client side of an agent: it sees events only, puts the arguments together and shows the content
//! of a file while the call is still being written. Nothing is read twice, and nothing is repaired.

#![allow(clippy::print_stdout)]

use toolweir_adapters::{
    Accumulator, Agent, AgentEvent, Change, CountedStamps, KindIds, Preview, Project,
};
use toolweir_middleware::Conversation;
use toolweir_middleware::engine::{Engine, ModelChunk, Prompt};
use toolweir_protocols::Tool;

/// What a model answered, cut as it came.
const ANSWER: [&str; 9] = [
    "I write it down.",
    "<tool_call>\n{\"name\": \"write_",
    "file\", \"parameters\": {\"path\": \"notes/to",
    "day.md\", \"content\": \"# To",
    "day\\n\\n- oil the lo",
    "om\\n- count the ",
    "\\\"grey\\\" yarn\\n",
    "- rest\"}}",
    "\n",
];

fn main() {
    let mut shown = 0;
    play(|panel| {
        shown += 1;
        println!("── {shown} ──\n{panel}");
    });
}

/// Plays the answer; `show` gets the panel whenever it changes.
pub fn play(mut show: impl FnMut(&str)) {
    let engine = Prompt::agent();
    let conversation = Conversation::new([]).tools([Tool::new("write_file")]);
    let Ok(prepared) = engine.prepare(&conversation) else { return };
    let Ok(mut session) = engine.session(&prepared) else { return };
    let (mut calls, mut last) = (Accumulator::new(), String::new());
    let agent = Agent::next(CountedStamps::default()).streaming_tool_calls();
    let mut sink = Project::new(agent, KindIds::default(), |event: AgentEvent| {
        let Change::Grown(call) = calls.event(&event) else { return };
        let now = panel(call, 4);
        if now != last {
            show(&now);
            last = now;
        }
    });
    for chunk in ANSWER {
        session.push(&ModelChunk::new().content(chunk), &mut sink);
        sink.chunk_end();
    }
    session.finish(&mut sink);
}

/// A title and the last lines of the file.
fn panel(call: &Preview, height: usize) -> String {
    // While the content has not begun, the path may still grow.
    let (Some(path), Some(content)) = (call.string("path"), call.string("content")) else {
        return format!("{} …\n", call.name());
    };
    let name = path.rsplit('/').next().unwrap_or(path);
    let word = if call.is_complete() { "Written" } else { "Writing" };
    let mut panel = format!("{word}: {name}\n");
    let lines: Vec<&str> = content.lines().collect();
    for line in lines.iter().skip(lines.len().saturating_sub(height)) {
        panel.push_str(&format!("│ {line}\n"));
    }
    panel
}
