//! toolweir in the yardstick, with three sinks: strings joined, lengths added up, a turn folded.
//!
//! Decoders are used through `dyn Decoder` and `dyn EventSink`, as an application does.

use std::process::ExitCode;
use std::sync::Arc;

use toolweir_protocols::{Decoder, Protocol, Registry, Request, Tool, ToolSet};
use toolweir_rjson::{Mode, parse};
use toolweir_segments::{Event, EventSink, Fold, Kind, StreamEnd};
use toolweir_yardstick::{Call, Format, Found, Lane, Lengths, Peer, Read, Work, serve, works};

fn main() -> ExitCode {
    serve::run(&Toolweir)
}

struct Toolweir;

impl Peer for Toolweir {
    fn name(&self) -> String {
        "toolweir".to_owned()
    }

    fn sinks(&self) -> &'static [&'static str] {
        &["joined", "counted", "folded"]
    }

    fn lane(
        &self,
        sink: &str,
        format: Format,
        _: &Work,
        chunks: Vec<&'static str>,
    ) -> Result<Box<dyn Lane>, String> {
        let protocol = Registry::builtin().union(format.name()).map_err(|e| e.to_string())?;
        let request = Request::new(tools()?);
        let stream = Stream { protocol, request, chunks };
        // What a request asks of a format is compiled once, not for every stream.
        drop(stream.decoder()?);
        Ok(match sink {
            "joined" => Box::new(Into { stream, sink: Joined::default() }),
            "counted" => Box::new(Into { stream, sink: Counted::default() }),
            "folded" => Box::new(Into { stream, sink: Fold::new() }),
            _ => return Err("no such sink".to_owned()),
        })
    }
}

fn tools() -> Result<ToolSet, String> {
    let tool = |(name, schema): (&'static str, serve::Json)| {
        let schema = parse(&schema.to_string(), Mode::Strict).map_err(|e| e.to_string())?;
        Ok::<_, String>(Tool::new(name).parameters(schema.value))
    };
    let tools = works::tools().into_iter().map(tool).collect::<Result<Vec<_>, _>>()?;
    ToolSet::new(tools).map_err(|e| e.to_string())
}

struct Stream {
    protocol: Arc<dyn Protocol>,
    request: Request,
    chunks: Vec<&'static str>,
}

impl Stream {
    fn decoder(&self) -> Result<Box<dyn Decoder>, String> {
        self.protocol.decoder(&self.request).map_err(|e| e.to_string())
    }
}

/// What a sink holds, in the terms of the yardstick.
trait Hold: EventSink + Default {
    fn found(&self) -> Found;
}

struct Into<S> {
    stream: Stream,
    sink: S,
}

impl<S: Hold> Lane for Into<S> {
    fn pass(&mut self) -> Result<(), String> {
        let mut sink = S::default();
        let mut decoder = self.stream.decoder()?;
        for chunk in &self.stream.chunks {
            decoder.push((*chunk).into(), &mut sink);
        }
        decoder.finish(StreamEnd::Stop, &mut sink);
        self.sink = sink;
        Ok(())
    }

    fn take(&mut self) -> Found {
        std::mem::take(&mut self.sink).found()
    }
}

/// Text, reasoning and the arguments of each call as one string each.
#[derive(Default)]
struct Joined {
    read: Read,
    reasoning: bool,
    open: Call,
}

impl EventSink for Joined {
    #[inline]
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start { kind, .. } => self.reasoning = kind == Kind::Reasoning,
            Event::Delta(text) if self.reasoning => self.read.reasoning(&text),
            Event::Delta(text) => self.read.text(&text),
            Event::Name { name, .. } => self.open.name = name.into_owned(),
            Event::Args(piece) => {
                self.read.pieces += 1;
                self.open.arguments.push_str(&piece);
            }
            // A call may run once this says so.
            Event::Invocation(_) => self.read.calls.push(std::mem::take(&mut self.open)),
            _ => {}
        }
    }
}

impl Hold for Joined {
    fn found(&self) -> Found {
        Found::Read(self.read.clone())
    }
}

#[derive(Default)]
struct Counted {
    lengths: Lengths,
    reasoning: bool,
}

impl EventSink for Counted {
    #[inline]
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start { kind, .. } => self.reasoning = kind == Kind::Reasoning,
            Event::Delta(text) if self.reasoning => self.lengths.reasoning += text.len(),
            Event::Delta(text) => self.lengths.text += text.len(),
            Event::Args(piece) => self.lengths.arguments += piece.len(),
            Event::Invocation(_) => self.lengths.calls += 1,
            _ => {}
        }
    }
}

impl Hold for Counted {
    fn found(&self) -> Found {
        Found::Lengths(self.lengths)
    }
}

impl Hold for Fold {
    fn found(&self) -> Found {
        let turn = self.turn();
        let call = |call: toolweir_segments::Call<'_>| Call {
            name: call.name.to_owned(),
            arguments: call.arguments.to_owned(),
        };
        Found::Read(Read {
            text: turn.text(),
            reasoning: turn.reasoning(),
            calls: turn.calls().map(call).collect(),
            pieces: 0,
        })
    }
}
