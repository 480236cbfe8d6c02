//! Agents: what it costs to show calls while they grow, that nothing of it is paid for where it is off,
//! and that nothing is left behind.

use std::hint::black_box;

use toolweir_adapters::{
    Accumulator, Agent, AgentEvent, CallView, CountedStamps, KindIds, Project,
};
use toolweir_middleware::engine::{Engine, EngineSession, ModelChunk, Native, Prompt};
use toolweir_middleware::{Conversation, FinishReason, Prepared};
use toolweir_protocols::formats;
use toolweir_protocols::segments::{NativeCalls, NativeDelta};
use toolweir_protocols::{Protocol, SpecProtocol};
use toolweir_rjson::write_string;
use toolweir_segments::{EventSink, Fold, StreamEnd};

use crate::alloc;
use crate::figure::{Bound, Figure};
use crate::gates::Gate;
use crate::race::{Pace, Way, here, race};
use crate::text::{Chunking, file};
use crate::works;

/// An engine, what it prepared, and what a model answers.
struct Agency {
    name: String,
    engine: Box<dyn Engine>,
    prepared: Prepared,
    answer: Answer,
    calls: usize,
}

/// The chunks of an answer.
enum Answer {
    Text(Vec<String>),
    /// Index and arguments.
    Native(Vec<(u64, String)>),
}

impl Agency {
    fn native(arguments: &[String]) -> Self {
        let mut parts = Vec::new();
        for (index, document) in arguments.iter().enumerate() {
            let pieces = Chunking::Tokens.cut(document);
            parts.extend(pieces.into_iter().map(|piece| (index as u64, piece.to_owned())));
        }
        Self::new(Box::new(Native::new()), Answer::Native(parts), arguments.len())
    }

    fn prompt(arguments: &[String]) -> Self {
        let call = |document: &String| {
            format!("<tool_call>{{\"name\": \"write\", \"parameters\": {document}}}</tool_call>")
        };
        let text: String = arguments.iter().map(call).collect();
        let chunks = Chunking::Tokens.cut(&text).into_iter().map(str::to_owned).collect();
        Self::new(Box::new(Prompt::agent()), Answer::Text(chunks), arguments.len())
    }

    fn new(engine: Box<dyn Engine>, answer: Answer, calls: usize) -> Self {
        let tools: Vec<_> = works::tools().iter().cloned().collect();
        let mut prepared =
            engine.prepare(&Conversation::new([]).tools(tools)).expect("a free choice of tools");
        prepared.request.limits.max_calls = usize::MAX;
        Self { name: engine.name().to_owned(), engine, prepared, answer, calls }
    }

    fn bytes(&self) -> usize {
        match &self.answer {
            Answer::Text(chunks) => chunks.iter().map(String::len).sum(),
            Answer::Native(parts) => parts.iter().map(|(_, part)| part.len()).sum(),
        }
    }

    fn session(&self) -> EngineSession {
        self.engine.session(&self.prepared).expect("a request of the engine itself")
    }

    /// Each chunk as a provider would send it.
    fn each(&self, mut take: impl FnMut(&ModelChunk<'_>)) {
        match &self.answer {
            Answer::Text(chunks) => {
                chunks.iter().for_each(|chunk| take(&ModelChunk::new().content(chunk)));
            }
            Answer::Native(parts) => {
                for (index, arguments) in parts {
                    let (index, name) = (*index, Some("write"));
                    let part = NativeDelta { index, name, arguments, ..NativeDelta::default() };
                    take(&ModelChunk::new().calls(&[part]));
                }
            }
        }
    }

    /// The decoder alone, into a turn.
    fn plain(&self) -> usize {
        let mut fold = Fold::new();
        let request = &self.prepared.request;
        match &self.answer {
            Answer::Text(chunks) => {
                let mut decoder = format().decoder(request).expect("a request of the engine");
                for chunk in chunks {
                    decoder.push(chunk.as_str().into(), &mut fold);
                }
                decoder.finish(StreamEnd::Stop, &mut fold);
            }
            Answer::Native(_) => {
                let mut decoder = NativeCalls::new(None, request);
                self.each(|chunk| {
                    chunk.calls.iter().for_each(|part| decoder.call(*part, &mut fold));
                });
                decoder.finish(StreamEnd::Stop, &mut fold);
            }
        }
        fold.turn().calls().count()
    }

    /// The engine, into a turn.
    fn turn(&self) -> usize {
        let (mut session, mut fold) = (self.session(), Fold::new());
        self.each(|chunk| session.push(chunk, &mut fold));
        session.finish(&mut fold);
        fold.turn().calls().count()
    }

    /// The engine and the agent's events; gives how many there were.
    fn events<V: CallView>(&self, agent: Agent<CountedStamps, V>) -> usize {
        let (mut session, mut events) = (self.session(), 0);
        let mut sink = Project::new(agent, KindIds::default(), |event| {
            black_box(event);
            events += 1;
        });
        self.each(|chunk| {
            session.push(chunk, &mut sink);
            sink.chunk_end();
        });
        sink.ends_with(StreamEnd::Stop);
        let reason = session.finish(&mut sink);
        assert_eq!((reason, session.calls()), (FinishReason::ToolCalls, self.calls as u64));
        drop(sink);
        events
    }

    fn off(&self) -> usize {
        self.events(Agent::default())
    }

    fn on(&self) -> usize {
        self.events(Agent::default().streaming_tool_calls())
    }
}

fn format() -> SpecProtocol {
    let spec = formats::spec("agent-prompt").expect("a built-in format");
    SpecProtocol::new(&spec).expect("a built-in format")
}

fn one(bytes: usize) -> Vec<String> {
    let mut document = String::from("{\"path\":\"notes.md\",\"content\":");
    write_string(&mut document, &file(bytes, Some(40)));
    document.push('}');
    vec![document]
}

fn many(calls: usize) -> Vec<String> {
    (0..calls).map(|row| format!("{{\"path\":\"row-{row}.txt\",\"content\":\"grey\"}}")).collect()
}

/// Showing calls switched off and on, beside the decoder alone.
pub(crate) fn figures(pace: Pace, smoke: bool) -> Vec<Figure> {
    let bytes = if smoke { 64 << 10 } else { 1 << 20 };
    let (one, many) = (one(bytes), many(100));
    let mut figures = Vec::new();
    for (work, arguments) in [("one long call", &one), ("100 calls", &many)] {
        for agency in [Agency::native(arguments), Agency::prompt(arguments)] {
            let ways: [Way<'_>; 4] = [
                here(|| agency.plain()),
                here(|| agency.turn()),
                here(|| agency.off()),
                here(|| agency.on()),
            ];
            let mut ways = ways;
            let found = race(&mut ways, pace);
            let time = |at: usize| found.get(at).cloned().unwrap_or(Err("not timed".to_owned()));
            let goal = Some(Bound::AtLeast(0.8));
            for (shown, ours, other, theirs, goal) in [
                ("off", 2, "decoder and turn", 0, goal),
                ("off", 2, "engine and turn", 1, Some(Bound::AtLeast(0.9))),
                ("on", 3, "engine and turn", 1, None),
            ] {
                figures.push(Figure {
                    table: "agents",
                    work: format!("{shown}, {work}, {}", agency.name),
                    bytes: agency.bytes(),
                    ours: time(ours),
                    other: other.to_owned(),
                    theirs: time(theirs),
                    goal,
                    note: String::new(),
                });
            }
        }
    }
    figures
}

/// Every gate.
pub(crate) fn gates() -> Vec<Gate> {
    let mut gates = switched_off();
    gates.extend(left_behind());
    gates.extend(preview());
    gates
}

fn blocks(run: impl FnOnce() -> usize) -> u64 {
    let before = alloc::blocks();
    black_box(run());
    alloc::blocks() - before
}

/// Switched off, an answer asks for about as many blocks as the decoder and its turn do, however many
/// chunks it has.
fn switched_off() -> Vec<Gate> {
    let mut gates = Vec::new();
    for (work, arguments) in [("one long call", one(256 << 10)), ("100 calls", many(100))] {
        for agency in [Agency::native(&arguments), Agency::prompt(&arguments)] {
            let plain = blocks(|| agency.plain());
            let found = blocks(|| agency.off());
            let name = format!("allocations, calls not shown, {work}, {}", agency.name);
            gates.push(Gate::new(
                name,
                found,
                plain + PER_ANSWER + PER_CALL * arguments.len() as u64,
            ));
        }
    }
    gates
}

/// Beyond those of the turn: the session, the agent, the growth of the document, the final message.
const PER_ANSWER: u64 = 16;
/// A call stands in the final message and in its own event.
const PER_CALL: u64 = 4;

/// What a thousand messages and a thousand calls leave behind.
fn left_behind() -> Vec<Gate> {
    let mut gates = Vec::new();
    let call = many(1);
    for agency in [Agency::native(&call), Agency::prompt(&call)] {
        let (mut stamps, mut calls) = (CountedStamps::default(), Accumulator::new());
        let mut loops = |times: usize| {
            for _ in 0..times {
                let agent = Agent::next(&mut stamps).streaming_tool_calls();
                let take = |event: AgentEvent| {
                    black_box(calls.event(&event));
                };
                let mut sink = Project::new(agent, KindIds::default(), take);
                let mut session = agency.session();
                agency.each(|chunk| {
                    session.push(chunk, &mut sink);
                    sink.chunk_end();
                });
                session.finish(&mut sink);
            }
        };
        loops(1);
        let before = alloc::live();
        loops(1000);
        let growth = u64::try_from(alloc::live() - before).unwrap_or(0);
        gates.push(Gate::new(format!("bytes left by 1,000 messages, {}", agency.name), growth, 0));
    }
    let calls = many(1000);
    for (agency, limit) in [(Agency::native(&calls), 32 << 10), (Agency::prompt(&calls), 0)] {
        let mut session = agency.session();
        let (mut sink, mut first, mut last) = (works::Sum::default(), 0, 0);
        agency.each(|chunk| {
            session.push(chunk, &mut sink as &mut dyn EventSink);
            // The most of a hundred calls: a chunk may hold the beginning of the next one.
            match session.calls() {
                0..100 => first = first.max(alloc::live()),
                900.. => last = last.max(alloc::live()),
                _ => {}
            }
        });
        session.finish(&mut sink);
        let found = u64::try_from(last - first).unwrap_or(0);
        let name =
            format!("bytes of state in the last of 1,000 calls beyond the first, {}", agency.name);
        gates.push(Gate::new(name, found, limit));
    }
    gates
}

/// A preview looks at each byte so many times at most, however long it gets.
#[cfg(feature = "meter")]
fn preview() -> Vec<Gate> {
    let (small, large) = (one(64 << 10), one(128 << 10));
    let [before, after] = [small, large].map(|document| {
        let (mut calls, document) = (Accumulator::new(), document.concat());
        for piece in Chunking::Tokens.cut(&document) {
            calls.update("m", "c", "write", piece);
        }
        let preview = calls.preview("m", "c").expect("a call that was updated");
        assert!(preview.partial().is_done() && !preview.is_broken());
        (preview.partial().machine().examined(), document.len() as u64)
    });
    vec![
        Gate::new("bytes examined, preview of a call", after.0, 3 * after.1),
        Gate::new("bytes examined at twice the size, preview", after.0, before.0 * 22 / 10),
    ]
}

/// Without the feature nothing is counted.
#[cfg(not(feature = "meter"))]
fn preview() -> Vec<Gate> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold(gates: &[Gate]) {
        let broken: Vec<&Gate> = gates.iter().filter(|gate| !gate.holds()).collect();
        assert!(broken.is_empty(), "{broken:#?}");
    }

    #[test]
    fn calls_that_are_not_shown_cost_what_the_decoder_costs() {
        hold(&switched_off());
    }

    #[test]
    fn the_thousandth_call_leaves_what_the_first_did() {
        let gates = left_behind();
        assert_eq!(gates.len(), 4);
        hold(&gates);
    }

    #[test]
    fn a_preview_is_linear() {
        hold(&preview());
    }

    #[test]
    fn switched_off_there_is_no_event_for_a_call_that_grows() {
        for agency in [Agency::native(&many(3)), Agency::prompt(&many(3))] {
            assert_eq!(agency.off(), 4, "the message and three calls");
            assert!(agency.on() > 10);
        }
    }
}
