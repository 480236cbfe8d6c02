//! Recordings: what clients asked, what upstreams answered, byte for byte, and what the clients got, for
//! looking at later ([`crate::replay`]); off by default.
//!
//! | file | holds |
//! | --- | --- |
//! | `ID.sse`, from Ollama `ID.ndjson` | the bytes of the upstream |
//! | `ID.reply.sse`, `ID.reply.json` | what the client got, signs of life among it |
//! | `ID.exchange` | two lines of JSON: the request and how it is read ([`Head`]), then how the answer ended ([`Tail`]) |
//!
//! No headers and no keys are in them. The second line is missing where the process was killed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::{Config, ConfigError, Mode};
use crate::constrain::Constrain;
use crate::upstream::UpstreamKind;
use crate::wire::Wire;

/// Whether the directory can be written to; makes it where it is missing.
pub(crate) fn prepare(directory: &Path) -> Result<(), ConfigError> {
    let wrong =
        |error: std::io::Error| ConfigError::Record(format!("{}: {error}", directory.display()));
    std::fs::create_dir_all(directory).map_err(wrong)?;
    let probe = directory.join(".toolweir");
    File::create(&probe).map_err(wrong)?;
    std::fs::remove_file(&probe).map_err(wrong)
}

/// The request, and how its answer is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Head {
    /// The version of this shape.
    pub(crate) recording: u32,
    pub(crate) wire: Wire,
    pub(crate) stream: bool,
    pub(crate) upstream_kind: UpstreamKind,
    pub(crate) mode: Mode,
    pub(crate) format: String,
    pub(crate) constrain: Constrain,
    pub(crate) model_map: BTreeMap<String, String>,
    pub(crate) set: BTreeMap<String, String>,
    /// The body, as it came.
    pub(crate) request: String,
}

/// The version that is written.
pub(crate) const VERSION: u32 = 1;

/// How the answer ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Tail {
    pub(crate) end: End,
}

/// What ended an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum End {
    /// The upstream said that nothing follows, or what was asked for was there.
    Over,
    /// The upstream closed the connection.
    Closed,
    /// The connection to the upstream broke.
    Reset,
    /// Nothing came from upstream that could be read, or not in time.
    Failed,
    /// The client left before the end.
    #[default]
    Left,
}

impl Head {
    pub(crate) fn new(config: &Config, wire: Wire, stream: bool, body: &[u8]) -> Self {
        Self {
            recording: VERSION,
            wire,
            stream,
            upstream_kind: config.upstream_kind,
            mode: config.mode,
            format: config.format.clone(),
            constrain: config.constrain,
            model_map: config.model_map.clone(),
            set: config.settings.clone(),
            request: String::from_utf8_lossy(body).into_owned(),
        }
    }
}

/// The files of a recording.
pub(crate) struct Files {
    pub(crate) upstream: PathBuf,
    pub(crate) reply: PathBuf,
    pub(crate) exchange: PathBuf,
}

impl Files {
    /// Those of that id. Ids hold nothing that means something to a file system.
    pub(crate) fn of(directory: &Path, id: &str, kind: UpstreamKind, stream: bool) -> Self {
        let file = |ending: &str| directory.join(format!("{id}.{ending}"));
        Self {
            upstream: file(if kind == UpstreamKind::Ollama { "ndjson" } else { "sse" }),
            reply: file(if stream { "reply.sse" } else { "reply.json" }),
            exchange: exchange(directory, id),
        }
    }
}

/// The file that says of an exchange how it is read.
pub(crate) fn exchange(directory: &Path, id: &str) -> PathBuf {
    directory.join(format!("{id}.exchange"))
}

/// Writes one exchange. Trouble is told once a file, and ends the recording of that alone.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    upstream: Sink,
    reply: Sink,
    exchange: Sink,
    end: End,
}

impl Recording {
    pub(crate) fn none() -> Self {
        Self::default()
    }

    pub(crate) fn new(directory: &Path, id: &str, head: &Head) -> Self {
        let files = Files::of(directory, id, head.upstream_kind, head.stream);
        let mut recording = Self {
            upstream: Sink::new(&files.upstream),
            reply: Sink::new(&files.reply),
            exchange: Sink::new(&files.exchange),
            end: End::default(),
        };
        recording.exchange.line(head);
        recording
    }

    /// Bytes of the upstream.
    pub(crate) fn upstream(&mut self, bytes: &[u8]) {
        self.upstream.write(bytes);
    }

    /// Bytes for the client.
    pub(crate) fn reply(&mut self, bytes: &[u8]) {
        self.reply.write(bytes);
    }

    /// What ended the answer; the first one counts.
    pub(crate) fn ends(&mut self, end: End) {
        if self.end == End::Left {
            self.end = end;
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.exchange.line(&Tail { end: self.end });
    }
}

/// A file, as long as it can be written to.
#[derive(Debug, Default)]
struct Sink(Option<File>);

impl Sink {
    fn new(path: &Path) -> Self {
        match File::create(path) {
            Ok(file) => Self(Some(file)),
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "an answer cannot be recorded");
                Self(None)
            }
        }
    }

    fn line(&mut self, value: &impl Serialize) {
        // The types of this module never fail.
        if let Ok(mut line) = serde_json::to_vec(value) {
            line.push(b'\n');
            self.write(&line);
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.0 else { return };
        if let Err(error) = file.write_all(bytes) {
            tracing::warn!(%error, "the recording of an answer stops");
            self.0 = None;
        }
    }
}
