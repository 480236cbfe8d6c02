//! What is sent to the model: bodies of the upstream's own shape, and the client that sends them.

mod chat;
mod client;
mod completions;
mod ollama;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use toolweir_adapters::Failure;
use toolweir_adapters::read::Dialect;
use toolweir_middleware::Prepared;
use toolweir_rjson::{Object, Value};

use crate::constrain::Constrain;
use crate::request::Asked;

pub(crate) use client::Client;

/// What the upstream speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum UpstreamKind {
    /// OpenAI-compatible chat completions: vLLM, SGLang, llama.cpp's server and others.
    #[default]
    Chat,
    /// OpenAI-compatible text completions; the conversation is written as ChatML.
    Completions,
    /// Ollama's `/api/chat`.
    Ollama,
}

impl UpstreamKind {
    /// What stands after the address of the server.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Chat => "/v1/chat/completions",
            Self::Completions => "/v1/completions",
            Self::Ollama => "/api/chat",
        }
    }

    pub(crate) const fn dialect(self) -> Dialect {
        match self {
            Self::Chat | Self::Completions => Dialect::Chat,
            Self::Ollama => Dialect::Ollama,
        }
    }

    /// Whether it takes tools of its own.
    pub(crate) const fn takes_tools(self) -> bool {
        !matches!(self, Self::Completions)
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Completions => "completions",
            Self::Ollama => "ollama",
        }
    }
}

impl fmt::Display for UpstreamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for UpstreamKind {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let all = [Self::Chat, Self::Completions, Self::Ollama];
        all.into_iter().find(|kind| kind.word() == word).ok_or_else(|| {
            format!("there is no upstream kind `{word}`; use chat, completions or ollama")
        })
    }
}

/// What a body is made from.
pub(crate) struct Outgoing<'a> {
    pub(crate) asked: &'a Asked,
    pub(crate) prepared: &'a Prepared,
    pub(crate) model: &'a str,
    /// What the upstream is to enforce.
    pub(crate) constrain: Constrain,
}

/// The body of that request, always streamed.
pub(crate) fn body(kind: UpstreamKind, outgoing: &Outgoing<'_>) -> Result<String, Failure> {
    match kind {
        UpstreamKind::Chat => chat::body(outgoing),
        UpstreamKind::Completions => completions::body(outgoing),
        UpstreamKind::Ollama => ollama::body(outgoing),
    }
    .map(|object| Value::Object(object).to_string())
}

/// The client's stop sequences and those of the format, each once.
fn stops(outgoing: &Outgoing<'_>) -> Vec<Value> {
    let mut all: Vec<&String> = Vec::new();
    for stop in outgoing.asked.stop.iter().chain(&outgoing.prepared.stop) {
        if !all.contains(&stop) {
            all.push(stop);
        }
    }
    all.into_iter().map(|stop| Value::from(stop.as_str())).collect()
}

/// The schema of a forced call, where the upstream is to enforce it.
fn forced<'a>(outgoing: &Outgoing<'a>) -> Option<&'a toolweir_middleware::ResponseFormat> {
    let format = outgoing.prepared.response_format.as_ref();
    format.filter(|_| outgoing.constrain != Constrain::Off)
}

/// The field that holds the answer to the grammar of the wire format, where there is one.
fn grammar(outgoing: &Outgoing<'_>) -> Option<(&'static str, Value)> {
    let constraint = outgoing.prepared.constraint.as_ref()?.as_ref().ok()?;
    outgoing.constrain.field(constraint)
}

pub(crate) fn set(object: &mut Object, key: &str, value: impl Into<Value>) {
    object.insert(key, value);
}
