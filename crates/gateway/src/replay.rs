//! Recorded exchanges, answered again: the same bytes of the upstream, through the gateway as it is now.
//!
//! Both answers are read as a client reads them and compared by what they say: text, reasoning, calls with
//! their arguments, the reason to finish, whether they are errors. Ids, times and how deltas were cut are
//! not compared, nor the words of errors.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;
use toolweir_adapters::Envelope;
use toolweir_adapters::read::{AnswerReader, Dialect, Part};
use toolweir_segments::{Event, StreamEnd};

use crate::answer::{Answer, Plan, Tapped, UniqueId};
use crate::config::{ConfigError, Settings};
use crate::plan::Planner;
use crate::record::{self, End, Files, Head, Tail, VERSION};
use crate::request::Asked;
use crate::wire::Wire;

/// One exchange that `--record` kept.
#[derive(Clone, Debug)]
pub struct Recorded {
    head: Head,
    /// How it ended; none where the process was killed.
    end: Option<End>,
    upstream: Vec<u8>,
    reply: Vec<u8>,
}

/// A recording that cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The file is none of a recording.
    #[error("{0} is no file of a recording; name ID.exchange, or any file beside it")]
    NoRecording(PathBuf),
    /// A file of it cannot be read.
    #[error("cannot read {0}: {1}")]
    Unreadable(PathBuf, std::io::Error),
    /// What it says is not of this version.
    #[error("{0} is of another version: {1}")]
    Version(PathBuf, String),
    /// A setting, recorded or given, cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The request cannot be served any more.
    #[error("the recorded request is refused: {0}")]
    Refused(String),
}

/// What is changed of how a recording is read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReplayOptions {
    /// Files of wire formats of one's own.
    pub specs: Vec<PathBuf>,
    /// In place of the recorded wire format. Default: that.
    pub format: Option<String>,
    /// Policies, limits and options beside the recorded ones.
    pub set: Vec<(String, String)>,
    /// Which of several choices is shown. Default: the first.
    pub choice: u32,
    /// Whether calls come with their source ([`Event::Raw`]).
    pub raw: bool,
}

/// What happens while an answer is made again.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReplayStep {
    /// An event of the choice that is shown.
    Event(Event<'static>),
    /// A frame of the upstream has been read.
    ChunkEnd,
    /// Why the answer ends; before its last events.
    Ends(StreamEnd),
}

/// What both answers say, a line each thing: text, reasoning, calls, ends.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Replayed {
    /// What the client got.
    pub recorded: Vec<String>,
    /// What it would get now.
    pub now: Vec<String>,
    /// Whether there is a whole answer to compare with: not where the client left, or the gateway was
    /// killed.
    pub comparable: bool,
}

impl Replayed {
    /// Whether a client would see another answer.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.comparable && self.recorded != self.now
    }
}

/// The recording that a file is of, by its `.exchange`; none where it is of none.
#[must_use]
pub fn recording_of(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    let endings = [".reply.sse", ".reply.json", ".exchange", ".sse", ".ndjson"];
    let id = endings.iter().find_map(|ending| name.strip_suffix(ending))?;
    Some(record::exchange(file.parent().unwrap_or(Path::new("")), id))
}

impl Recorded {
    /// Reads a recording, named by any of its files.
    ///
    /// # Errors
    /// [`ReplayError`]: it is none, or cannot be read.
    pub fn read(file: &Path) -> Result<Self, ReplayError> {
        let none = || ReplayError::NoRecording(file.to_owned());
        let exchange = recording_of(file).filter(|path| path.is_file()).ok_or_else(none)?;
        let bytes = |path: &Path| {
            fs::read(path).map_err(|error| ReplayError::Unreadable(path.to_owned(), error))
        };
        let text = String::from_utf8_lossy(&bytes(&exchange)?).into_owned();
        let other = |why: String| ReplayError::Version(exchange.clone(), why);
        let mut lines = text.lines();
        let head: Head = serde_json::from_str(lines.next().unwrap_or_default())
            .map_err(|error| other(error.to_string()))?;
        if head.recording != VERSION {
            return Err(other(format!("it is {}, this is {VERSION}", head.recording)));
        }
        let tail = lines.next().and_then(|line| serde_json::from_str::<Tail>(line).ok());
        let id = exchange.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let folder = exchange.parent().unwrap_or(Path::new(""));
        let files = Files::of(folder, id, head.upstream_kind, head.stream);
        let (upstream, reply) = (bytes(&files.upstream)?, bytes(&files.reply)?);
        Ok(Self { head, end: tail.map(|tail| tail.end), upstream, reply })
    }

    /// Answers again; `on` is told what happens.
    ///
    /// # Errors
    /// [`ReplayError`]: a setting cannot be used, or the request is refused.
    pub fn replay(
        &self,
        options: &ReplayOptions,
        on: &mut dyn FnMut(ReplayStep),
    ) -> Result<Replayed, ReplayError> {
        let asked = Asked::read(self.head.wire, self.head.request.as_bytes());
        let asked = asked.map_err(|failure| ReplayError::Refused(failure.message))?;
        let mut answer = self.answer(&asked, options)?;
        let tap = answer.tap(options.choice);
        let told = |on: &mut dyn FnMut(ReplayStep)| {
            for step in tap.take() {
                on(match step {
                    Tapped::Event(event) => ReplayStep::Event(event),
                    Tapped::Ends(end) => ReplayStep::Ends(end),
                });
            }
        };
        let mut out = String::new();
        answer.begin(&mut out);
        for line in self.upstream.split_inclusive(|byte| *byte == b'\n') {
            answer.push(line, &mut out);
            told(on);
            on(ReplayStep::ChunkEnd);
        }
        match self.end {
            Some(End::Closed | End::Over) => answer.close(&mut out),
            _ => answer.abort(&mut out),
        }
        told(on);
        let dialect = match self.head.wire {
            Wire::Chat => Dialect::Chat,
            Wire::Responses => Dialect::Responses,
            Wire::Messages => Dialect::Anthropic,
        };
        Ok(Replayed {
            recorded: said(dialect, &self.reply),
            now: said(dialect, out.as_bytes()),
            comparable: !matches!(self.end, None | Some(End::Left)),
        })
    }

    fn answer(&self, asked: &Asked, options: &ReplayOptions) -> Result<Answer, ReplayError> {
        let Head { wire, upstream_kind, mode, constrain, .. } = self.head;
        let mut set = self.head.set.clone();
        set.extend(options.set.iter().cloned());
        let settings = Settings {
            // Nothing is sent there.
            upstream: Some("http://127.0.0.1".to_owned()),
            upstream_kind: Some(upstream_kind),
            mode: Some(mode),
            constrain: Some(constrain),
            spec: options.specs.clone(),
            format: Some(options.format.as_ref().unwrap_or(&self.head.format).clone()),
            model_map: self.head.model_map.clone(),
            set,
            ..Settings::default()
        };
        let config = settings.into_config()?;
        let max_bytes = config.max_answer_bytes;
        let refused = |message: String| ReplayError::Refused(message);
        let mut planned = Planner::new(Arc::new(config))?
            .plan(asked)
            .map_err(|failure| refused(failure.message))?;
        if let Some(reading) = Arc::get_mut(&mut planned.reading) {
            reading.prepared.request.emit.raw = options.raw;
        }
        let mut envelope = Envelope::new("replay");
        envelope.model = asked.model.as_str().into();
        let plan = Plan {
            wire,
            dialect: upstream_kind.dialect(),
            stream: asked.stream,
            usage_chunk: asked.usage_chunk,
            n: asked.n,
            envelope,
            reading: planned.reading,
            echo: asked.echo.clone(),
            estimated_input: asked.estimated_tokens(),
            max_bytes,
        };
        let ids = || -> UniqueId {
            let mut count = 0;
            Box::new(move || {
                count += 1;
                count.to_string()
            })
        };
        Answer::new(&plan, ids).map_err(|error| refused(error.to_string()))
    }
}

/// What an answer says to a client of that wire.
fn said(dialect: Dialect, bytes: &[u8]) -> Vec<String> {
    let mut said = Said::default();
    let mut reader = AnswerReader::new(dialect);
    reader.push(bytes, &mut |choice, part| said.part(choice, &part));
    reader.finish(&mut |choice, part| said.part(choice, &part));
    said.lines()
}

/// What was said, choice by choice, in order.
#[derive(Debug, Default)]
struct Said {
    items: Vec<Item>,
}

#[derive(Debug, PartialEq, Eq)]
struct Item {
    choice: u32,
    kind: Kind,
    name: String,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Reasoning,
    Call(u64),
    Finish,
    Error,
}

impl Said {
    fn part(&mut self, choice: u32, part: &Part<'_>) {
        match part {
            Part::Text(text) | Part::Refusal(text) => self.add(choice, Kind::Text, text),
            Part::Reasoning(text) => self.add(choice, Kind::Reasoning, text),
            Part::Call(delta) => {
                self.add(choice, Kind::Call(delta.index), delta.arguments);
                if let (Some(name), Some(last)) = (delta.name, self.items.last_mut()) {
                    last.name.push_str(name);
                }
            }
            Part::Finish(reason) => self.add(choice, Kind::Finish, reason.underscored()),
            Part::Error(_) | Part::Cut(_) => self.add(choice, Kind::Error, "yes"),
            _ => {}
        }
    }

    fn add(&mut self, choice: u32, kind: Kind, text: &str) {
        let last = self.items.iter_mut().rev().find(|item| item.choice == choice);
        match last.filter(|item| item.kind == kind) {
            Some(item) => item.text.push_str(text),
            None => {
                let text = text.to_owned();
                self.items.push(Item { choice, kind, name: String::new(), text });
            }
        }
    }

    fn lines(mut self) -> Vec<String> {
        self.items.sort_by_key(|item| item.choice);
        let several = self.items.iter().any(|item| item.choice > 0);
        let line = |Item { choice, kind, name, text }: &Item| {
            let choice = if several { format!("{choice} ") } else { String::new() };
            match kind {
                Kind::Text => format!("{choice}text {text:?}"),
                Kind::Reasoning => format!("{choice}reasoning {text:?}"),
                Kind::Call(_) => format!("{choice}call {name} {text}"),
                Kind::Finish => format!("{choice}finish {text}"),
                Kind::Error => format!("{choice}error"),
            }
        };
        self.items.iter().map(line).collect()
    }
}
