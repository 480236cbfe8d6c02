//! What the gateway is told: by flags, the environment and a file, in this order of precedence.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use http::Uri;
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use crate::constrain::Constrain;
use crate::plan::AUTO;
use crate::upstream::UpstreamKind;

/// What becomes of tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Mode {
    /// The tools go into the prompt, calls and results of the history become text, the answer is decoded.
    /// For models and servers that know no tools.
    Emulate,
    /// The tools go to the upstream as its own; what leaks into the text is decoded. For servers that
    /// know tools and do not always read them.
    #[default]
    Clean,
    /// The tools go to the upstream as its own; the text is not looked into.
    Pass,
}

impl Mode {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Emulate => "emulate",
            Self::Clean => "clean",
            Self::Pass => "pass",
        }
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let all = [Self::Emulate, Self::Clean, Self::Pass];
        let found = all.into_iter().find(|mode| mode.word() == word);
        found.ok_or_else(|| format!("there is no mode `{word}`; use emulate, clean or pass"))
    }
}

/// A secret. Never shown.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Key(String);

impl Key {
    /// That key.
    #[must_use]
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    pub(crate) fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// What one source says; nothing where it says nothing. Of a file, the keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Settings {
    /// Where to listen, `127.0.0.1:8787`. Default: that.
    pub listen: Option<String>,
    /// The address of the upstream, `http://127.0.0.1:8000/v1`.
    pub upstream: Option<String>,
    /// What the upstream speaks. Default: chat completions.
    pub upstream_kind: Option<UpstreamKind>,
    /// What becomes of tools. Default: `clean`; `emulate` for text completions.
    pub mode: Option<Mode>,
    /// The wire format of the model, several, or `auto`. Default: `auto`.
    pub format: Option<String>,
    /// Files of wire formats of one's own, TOML by their ending, else JSON: `format` names one of them. In a
    /// file also as one text. Default: none.
    #[serde(deserialize_with = "paths")]
    pub spec: Vec<PathBuf>,
    /// Other names of models: from what clients say to what the upstream is told.
    pub model_map: BTreeMap<String, String>,
    /// Policies, limits and options of the format, as `toolweir parse --set` takes them; in a file also as
    /// numbers, booleans and lists of strings.
    #[serde(deserialize_with = "values")]
    pub set: BTreeMap<String, String>,
    /// The key for the upstream, where clients bring none. Not in files that others read.
    pub upstream_key: Option<Key>,
    /// The key that clients must bring. Default: any or none.
    pub client_key: Option<Key>,
    /// Certificates in PEM: the authorities to trust at the upstream, in place of the system's.
    pub upstream_ca: Option<PathBuf>,
    /// Where to record requests, what upstreams answer, and replies. Default: nowhere.
    pub record: Option<PathBuf>,
    /// What the upstream is asked to enforce in the mode `emulate`. Default: `schema`.
    pub constrain: Option<Constrain>,
    /// Bytes of a request. Default: 32 MiB.
    pub max_body_bytes: Option<u64>,
    /// Bytes of an answer. Default: 256 MiB.
    pub max_answer_bytes: Option<u64>,
    /// Connections at once. Default: 4,096.
    pub max_connections: Option<usize>,
    /// Seconds of silence until a sign of life goes to the client. Default: 10, at most 15.
    pub keep_alive_seconds: Option<u64>,
    /// Seconds until the upstream must begin to answer. Default: 600.
    pub head_timeout_seconds: Option<u64>,
    /// Seconds of silence in an answer until it is given up. Default: 300.
    pub silence_timeout_seconds: Option<u64>,
    /// Seconds that connections are still taken, as not ready, when the gateway is told to stop. Default: 0.
    pub drain_seconds: Option<u64>,
    /// Seconds that running answers have when the gateway is told to stop. Default: 30.
    pub grace_seconds: Option<u64>,
}

/// One path, or several.
fn paths<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PathBuf>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a string or a list of strings")]
    enum Given {
        One(PathBuf),
        List(Vec<PathBuf>),
    }
    Ok(match Given::deserialize(from)? {
        Given::One(path) => vec![path],
        Given::List(list) => list,
    })
}

/// Values of options as their text.
fn values<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a string, a whole number, a boolean or a list of strings")]
    enum Given {
        Text(String),
        Flag(bool),
        Whole(u64),
        List(Vec<String>),
    }
    let text = |given| match given {
        Given::Text(text) => text,
        Given::Flag(flag) => flag.to_string(),
        Given::Whole(number) => number.to_string(),
        Given::List(list) => serde_json::Value::from(list).to_string(),
    };
    let given = BTreeMap::<String, Given>::deserialize(from)?;
    Ok(given.into_iter().map(|(key, value)| (key, text(value))).collect())
}

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// No upstream is named.
    #[error("no upstream is named; give --upstream URL, TOOLWEIR_UPSTREAM, or --demo")]
    NoUpstream,
    /// The address of the upstream is none.
    #[error("the upstream `{0}` is no address; write http://HOST:PORT or https://HOST/v1")]
    Upstream(String),
    /// The address to listen on is none.
    #[error("`{0}` is no address to listen on; write 127.0.0.1:8787")]
    Listen(String),
    /// The gateway would lend its own key to everyone.
    #[error(
        "listening on {0} with a key of its own for the upstream lends it to everyone; set a client key, or listen on 127.0.0.1"
    )]
    OpenRelay(SocketAddr),
    /// A policy, limit or option that is not known, or a value it does not take.
    #[error("`{key}`: {message}; `toolweir formats --options` lists them")]
    Setting {
        /// Its name.
        key: String,
        /// Why.
        message: String,
    },
    /// The format is not known.
    #[error("{0}; `toolweir formats` lists them")]
    Format(String),
    /// A wire format of one's own cannot be used.
    #[error("the format in `{0}` cannot be used: {1}; see docs/adding-a-format.md")]
    Spec(String, String),
    /// The file cannot be read.
    #[error("the settings cannot be read: {0}")]
    File(String),
    /// The certificates to trust cannot be used.
    #[error("the certificates in `{0}` cannot be used: {1}; name a file with certificates in PEM")]
    Certificates(String, String),
    /// The mode does not suit the upstream.
    #[error("text completions take no tools of their own; use the mode emulate")]
    Mode,
    /// The upstream takes no grammar.
    #[error(
        "Ollama takes a schema and no grammar, so `constrain` cannot be {0}; use schema or off"
    )]
    Constrain(Constrain),
    /// The directory for recordings cannot be used.
    #[error("the directory for recordings cannot be used: {0}")]
    Record(String),
    /// The address is taken, or not ours.
    #[error("cannot listen on {0}: {1}; choose another with --listen")]
    Bind(SocketAddr, String),
    /// The runtime or the TLS library does not start.
    #[error("cannot start: {0}")]
    Start(String),
}

impl Settings {
    /// The settings of a file in TOML.
    ///
    /// ```
    /// use toolweir_gateway::Settings;
    ///
    /// let file = Settings::from_toml("upstream = 'http://127.0.0.1:8000'\nmode = 'emulate'").unwrap();
    /// assert_eq!(file.upstream.as_deref(), Some("http://127.0.0.1:8000"));
    /// assert!(Settings::from_toml("upstrem = ''").unwrap_err().to_string().contains("upstrem"));
    /// ```
    ///
    /// # Errors
    /// [`ConfigError::File`]: it is no TOML, or has a key that is not known.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|error: toml::de::Error| {
            // Its first line is the place, the lines after it show the text.
            let shown = error.to_string();
            ConfigError::File(match shown.trim_end().split_once('\n') {
                Some((place, _)) => format!("{place}: {}", error.message()),
                None => shown,
            })
        })
    }

    /// The settings of the environment: `TOOLWEIR_UPSTREAM`, `TOOLWEIR_UPSTREAM_KIND`,
    /// `TOOLWEIR_UPSTREAM_KEY`, `TOOLWEIR_UPSTREAM_CA`, `TOOLWEIR_CLIENT_KEY`, `TOOLWEIR_LISTEN`,
    /// `TOOLWEIR_MODE`, `TOOLWEIR_FORMAT`, `TOOLWEIR_CONSTRAIN`, `TOOLWEIR_RECORD`. Empty ones are none.
    ///
    /// # Errors
    /// [`ConfigError::Setting`]: a value that a setting does not take.
    pub fn from_env(look_up: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let get = |name: &str| look_up(name).filter(|value| !value.is_empty());
        let mut settings = Self {
            listen: get("TOOLWEIR_LISTEN"),
            upstream: get("TOOLWEIR_UPSTREAM"),
            format: get("TOOLWEIR_FORMAT"),
            upstream_key: get("TOOLWEIR_UPSTREAM_KEY").map(Key::new),
            client_key: get("TOOLWEIR_CLIENT_KEY").map(Key::new),
            upstream_ca: get("TOOLWEIR_UPSTREAM_CA").map(PathBuf::from),
            record: get("TOOLWEIR_RECORD").map(PathBuf::from),
            ..Self::default()
        };
        settings.mode = read("TOOLWEIR_MODE", get("TOOLWEIR_MODE"))?;
        settings.constrain = read("TOOLWEIR_CONSTRAIN", get("TOOLWEIR_CONSTRAIN"))?;
        settings.upstream_kind = read("TOOLWEIR_UPSTREAM_KIND", get("TOOLWEIR_UPSTREAM_KIND"))?;
        Ok(settings)
    }

    /// These settings, and where they say nothing those of `other`.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        macro_rules! or {
            ($($field:ident),*) => {$(self.$field = self.$field.or(other.$field);)*};
        }
        or!(
            listen,
            upstream,
            upstream_kind,
            mode,
            format,
            upstream_key,
            client_key,
            upstream_ca,
            record,
            constrain,
            max_body_bytes,
            max_answer_bytes,
            max_connections,
            keep_alive_seconds,
            head_timeout_seconds,
            silence_timeout_seconds,
            drain_seconds,
            grace_seconds
        );
        if self.spec.is_empty() {
            self.spec = other.spec;
        }
        for (key, value) in other.model_map {
            self.model_map.entry(key).or_insert(value);
        }
        for (key, value) in other.set {
            self.set.entry(key).or_insert(value);
        }
        self
    }

    /// The configuration, checked.
    ///
    /// # Errors
    /// [`ConfigError`] says which setting cannot be used, and what to write.
    pub fn into_config(self) -> Result<Config, ConfigError> {
        let listen = self.listen.unwrap_or_else(|| "127.0.0.1:8787".to_owned());
        let listen = listen.parse().map_err(|_| ConfigError::Listen(listen))?;
        let kind = self.upstream_kind.unwrap_or_default();
        let upstream = self.upstream.ok_or(ConfigError::NoUpstream)?;
        let mode = match self.mode {
            Some(mode) => mode,
            None if kind.takes_tools() => Mode::default(),
            None => Mode::Emulate,
        };
        if !kind.takes_tools() && mode != Mode::Emulate {
            return Err(ConfigError::Mode);
        }
        let constrain = self.constrain.unwrap_or_default();
        if kind == UpstreamKind::Ollama && constrain.is_grammar() {
            return Err(ConfigError::Constrain(constrain));
        }
        let seconds =
            |given: Option<u64>, default| Duration::from_secs(given.unwrap_or(default).max(1));
        let config = Config {
            listen,
            target: target(&upstream, kind)?,
            models: target_of(&upstream, "/v1/models")?,
            upstream_kind: kind,
            mode,
            format: self.format.unwrap_or_else(|| AUTO.to_owned()),
            specs: self.spec,
            model_map: self.model_map,
            settings: self.set,
            upstream_key: self.upstream_key,
            client_key: self.client_key,
            upstream_ca: self.upstream_ca,
            record: self.record,
            constrain,
            max_body_bytes: self.max_body_bytes.unwrap_or(32 << 20),
            max_answer_bytes: self.max_answer_bytes.unwrap_or(256 << 20),
            max_connections: self.max_connections.unwrap_or(4096).max(1),
            keep_alive: seconds(self.keep_alive_seconds, 10).min(Duration::from_secs(15)),
            head_timeout: seconds(self.head_timeout_seconds, 600),
            silence_timeout: seconds(self.silence_timeout_seconds, 300),
            drain: Duration::from_secs(self.drain_seconds.unwrap_or(0)),
            grace: seconds(self.grace_seconds, 30),
        };
        let open = !is_loopback(config.listen.ip()) && config.client_key.is_none();
        if open && config.upstream_key.is_some() {
            return Err(ConfigError::OpenRelay(config.listen));
        }
        Ok(config)
    }
}

fn is_loopback(ip: IpAddr) -> bool {
    ip.is_loopback()
}

fn read<T: FromStr<Err = String>>(
    key: &str,
    value: Option<String>,
) -> Result<Option<T>, ConfigError> {
    let read = value.map(|value| value.parse()).transpose();
    read.map_err(|message| ConfigError::Setting { key: key.to_owned(), message })
}

/// The whole address of requests: a server's, a version's (`…/v1`), or itself.
fn target(upstream: &str, kind: UpstreamKind) -> Result<Uri, ConfigError> {
    let last = kind.path().trim_start_matches("/v1");
    let trimmed = upstream.trim_end_matches('/');
    if trimmed.ends_with(last) {
        return address(trimmed, upstream);
    }
    target_of(upstream, kind.path())
}

/// The address of that path at the upstream.
fn target_of(upstream: &str, path: &str) -> Result<Uri, ConfigError> {
    let mut base = upstream.trim_end_matches('/');
    for whole in ["/chat/completions", "/completions", "/api/chat"] {
        base = base.strip_suffix(whole).unwrap_or(base);
    }
    // `http://host/v1` and `http://host` are one server; another prefix (`/openai/v1`) stays.
    let path = match base.ends_with("/v1") {
        true => path.strip_prefix("/v1").unwrap_or(path),
        false => path,
    };
    address(&format!("{base}{path}"), upstream)
}

fn address(text: &str, given: &str) -> Result<Uri, ConfigError> {
    let wrong = || ConfigError::Upstream(given.to_owned());
    let uri: Uri = text.parse().map_err(|_| wrong())?;
    let known = matches!(uri.scheme_str(), Some("http" | "https"));
    if known && uri.host().is_some_and(|host| !host.is_empty()) { Ok(uri) } else { Err(wrong()) }
}

/// A checked configuration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Where requests go.
    pub target: Uri,
    /// Where the list of models is.
    pub models: Uri,
    /// What the upstream speaks.
    pub upstream_kind: UpstreamKind,
    /// What becomes of tools.
    pub mode: Mode,
    /// The wire format.
    pub format: String,
    /// Files of wire formats of one's own.
    pub specs: Vec<PathBuf>,
    /// Other names of models.
    pub model_map: BTreeMap<String, String>,
    /// Policies, limits and options of the format.
    pub settings: BTreeMap<String, String>,
    /// The key for the upstream.
    pub upstream_key: Option<Key>,
    /// The key of clients.
    pub client_key: Option<Key>,
    /// The authorities to trust at the upstream.
    pub upstream_ca: Option<PathBuf>,
    /// Where to record.
    pub record: Option<PathBuf>,
    /// What the upstream is asked to enforce.
    pub constrain: Constrain,
    /// Bytes of a request.
    pub max_body_bytes: u64,
    /// Bytes of an answer.
    pub max_answer_bytes: u64,
    /// Connections at once.
    pub max_connections: usize,
    /// Silence until a sign of life.
    pub keep_alive: Duration,
    /// Time until the upstream begins to answer.
    pub head_timeout: Duration,
    /// Silence until an answer is given up.
    pub silence_timeout: Duration,
    /// Time in which connections are still taken at the end.
    pub drain: Duration,
    /// Time for running answers at the end.
    pub grace: Duration,
}

#[cfg(test)]
mod tests;
