//! One stream with everything it is decoded with, and the laws its events are held to.
//!
//! A case can be changed and tried again, which is how findings are made small, and it prints as
//! what a person needs to replay it.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use toolweir_protocols::{Chunk, Decoder, Protocol, Registry, Request, Tool, ToolSet};
use toolweir_segments::{
    Check, CheckOptions, Coalesce, Event, EventSink, Fold, Listing, StreamEnd, Turn,
};

use crate::Source;
use crate::request;
use crate::source::Rng;
use crate::stream::{self, Vocabulary};
use crate::tools;

pub mod laws;

/// A law that was broken: its number or a word for it, and what was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The law, `C3` for example; a panic is `C7`.
    pub law: String,
    /// What was seen.
    pub message: String,
}

impl Breach {
    /// A breach of that law.
    pub fn new(law: impl Into<String>, message: impl Into<String>) -> Self {
        Self { law: law.into(), message: message.into() }
    }
}

/// A stream and how it is decoded.
#[derive(Clone)]
pub struct Case {
    /// The format.
    pub protocol: Arc<dyn Protocol>,
    /// What the format is, where its name does not say.
    pub spec: Option<String>,
    /// Settings of the request, by name.
    pub settings: Vec<(String, String)>,
    /// Declared tools.
    pub tools: Vec<Tool>,
    /// Whether `Raw` events are asked for.
    pub raw: bool,
    /// Whether `Field` events are asked for.
    pub field: bool,
    /// The stream.
    pub text: String,
    /// Bytes of it that came from special tokens, if the source says.
    pub special: Option<Vec<Range<usize>>>,
    /// Where the chunks are cut.
    pub cuts: Vec<usize>,
    /// Why the stream ends.
    pub end: StreamEnd,
}

/// What decoding gave.
#[derive(Debug)]
pub struct Decoded {
    /// The folded turn.
    pub turn: Turn,
    /// The events, joined, one a line.
    pub listing: String,
    /// What the events alone break.
    pub breaches: Vec<Breach>,
    /// Events sent before they were joined.
    pub events: usize,
    /// Bytes the decoder looked at.
    pub examined: u64,
}

fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(Registry::builtin)
}

impl Case {
    /// A case of any built-in format.
    pub fn builtin(source: &mut Source<'_>) -> Self {
        static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
        let names = NAMES.get_or_init(|| registry().names().collect());
        let name = source.pick(names);
        let protocol = registry().get(name).expect("a name of the registry is registered");
        let words = Vocabulary::of_markers(&protocol.markers(&tools::named()));
        Self::new(source, Arc::clone(protocol), words)
    }

    /// A case of that format; reads the source to its end.
    pub fn new(source: &mut Source<'_>, protocol: Arc<dyn Protocol>, words: Vocabulary) -> Self {
        let settings = request::settings(source, protocol.name());
        let mut words = words;
        for (_, marker) in settings.iter().filter(|(key, _)| key.ends_with("_marker")) {
            words.all.push(marker.clone());
        }
        if let [.., (start, open), (_, close)] = settings.as_slice()
            && start == "start_marker"
        {
            (words.open, words.close) = (vec![open.clone()], vec![close.clone()]);
        }
        let tools = tools::some(source);
        let emit = source.below(8);
        let end = *source.pick(&[StreamEnd::Stop, StreamEnd::Length, StreamEnd::Aborted]);
        let attributed = source.one_in(6);
        let (how, seed) = (source.below(4), source.seed());
        let text = stream::stream(source, &words);
        let mut rng = Rng::new(seed);
        let special = attributed.then(|| special(&text, &words, &mut rng));
        let cuts = cuts(&text, how, &mut rng);
        let (raw, field) = (emit & 4 != 0, emit & 2 != 0);
        Self { protocol, spec: None, settings, tools, raw, field, text, special, cuts, end }
    }

    /// The request, unless a setting does not suit the format.
    #[must_use]
    pub fn request(&self) -> Option<Request> {
        let mut request = Request::new(ToolSet::lenient(self.tools.iter().cloned()).0);
        for (key, value) in &self.settings {
            request.set(key, value).ok()?;
        }
        request.emit.markup = true;
        request.emit.raw = self.raw;
        request.emit.field = self.field;
        Some(request)
    }

    /// The chunks.
    pub fn chunks(&self) -> impl Iterator<Item = Range<usize>> {
        let ends = self.cuts.iter().copied().chain([self.text.len()]);
        ends.scan(0, |at, end| Some(std::mem::replace(at, end)..end))
    }

    /// Decodes the stream; `None` where the format does not take the request.
    #[must_use]
    pub fn decode(&self) -> Option<Decoded> {
        let request = self.request()?;
        let mut decoder = self.protocol.decoder(&request).ok()?;
        let mut events = 0;
        let mut check = Check::new(CheckOptions { markup: true });
        if self.protocol.decodes_text(&request) {
            check = check.decoded_text();
        }
        let mut fold = Fold::new();
        let mut listing = Coalesce::new(Listing::new());
        let mut sink = |event: Event<'_>| {
            events += 1;
            check.event(event.reborrow());
            fold.event(event.reborrow());
            listing.event(event);
        };
        for range in self.chunks() {
            let own = self.special.as_ref().map(|all| local(all, &range));
            let mut chunk = Chunk::text(&self.text[range]);
            chunk.special = own.as_deref();
            decoder.push(chunk, &mut sink);
        }
        decoder.finish(self.end, &mut sink);
        let examined = decoder.examined();
        check.finish_checks(self.text.len() as u64);
        let mut breaches: Vec<Breach> =
            check.violations().iter().map(|v| Breach::new(v.law, v.to_string())).collect();
        breaches.extend(after_finish(&mut *decoder));
        let listing = listing.into_inner().into_string();
        Some(Decoded { turn: fold.into_turn(), listing, breaches, events, examined })
    }
}

/// After the end a push gives one diagnostic and nothing else happens.
fn after_finish(decoder: &mut dyn Decoder) -> Option<Breach> {
    let mut late: Vec<Event<'static>> = Vec::new();
    decoder.push(Chunk::text("x<tool_call>"), &mut late);
    decoder.push(Chunk::text("y"), &mut late);
    decoder.finish(StreamEnd::Stop, &mut late);
    let one = matches!(late.as_slice(), [Event::Diagnostic(_)]);
    (!one).then(|| Breach::new("late push", format!("events after the end: {late:?}")))
}

/// The special ranges inside a chunk, counted from its start.
fn local(all: &[Range<usize>], chunk: &Range<usize>) -> Vec<Range<usize>> {
    let inside = all.iter().map(|r| r.start.max(chunk.start)..r.end.min(chunk.end));
    inside.filter(|r| r.start < r.end).map(|r| r.start - chunk.start..r.end - chunk.start).collect()
}

/// Marks some of the markers as special tokens.
fn special(text: &str, words: &Vocabulary, rng: &mut Rng) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let marker = words.all.iter().find(|m| rest.starts_with(m.as_str()));
        let length = marker.map_or(0, String::len);
        if length > 0 && rng.below(3) > 0 {
            ranges.push(at..at + length);
        }
        at += length.max(rest.chars().next().map_or(1, char::len_utf8));
    }
    ranges
}

/// Where to cut: nowhere, after every character, every few characters, or anywhere; now and then
/// twice at one place, which makes an empty chunk.
pub fn cuts(text: &str, how: usize, rng: &mut Rng) -> Vec<usize> {
    let places = text.char_indices().map(|(at, _)| at);
    match how {
        0 => Vec::new(),
        1 => places.skip(1).collect(),
        2 => places.step_by(2 + rng.below(7)).collect(),
        _ => {
            let sparse = 2 + rng.below(30);
            let mut cuts = Vec::new();
            for at in places {
                if rng.below(sparse) == 0 {
                    cuts.push(at);
                    cuts.extend((rng.below(20) == 0).then_some(at));
                }
            }
            cuts
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "format:  {}", self.protocol.name())?;
        if let Some(spec) = &self.spec {
            writeln!(f, "spec:    {spec}")?;
        }
        for (key, value) in &self.settings {
            writeln!(f, "set:     {key}={value:?}")?;
        }
        for tool in &self.tools {
            let schema = tool.parameters.as_ref().map(ToString::to_string);
            writeln!(f, "tool:    {} {}", tool.name, schema.unwrap_or_default())?;
        }
        if self.raw || self.field {
            writeln!(f, "emit:    raw {}, field {}", self.raw, self.field)?;
        }
        writeln!(f, "end:     {}", self.end)?;
        if let Some(special) = &self.special {
            writeln!(f, "special: {special:?}")?;
        }
        let chunks: Vec<&str> = self.chunks().map(|range| &self.text[range]).collect();
        write!(f, "chunks:  {chunks:?}")
    }
}
