//! From a request to what is sent upstream and how its answer is read.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use toolweir_adapters::{Failure, FailureKind};
use toolweir_middleware::{Conversation, Message, Middleware, ToolChoice, presets};
use toolweir_protocols::detect::Detector;
use toolweir_protocols::{Malformed, Protocol, Reasoning, Registry, Request, Tool, ToolSets};

use crate::answer::Reading;
use crate::config::{Config, ConfigError, Mode};
use crate::constrain::is_held_by_client;
use crate::request::{Asked, bad};
use crate::upstream::{self, Outgoing, UpstreamKind};

/// Chooses formats and prepares requests. Made once; of requests it keeps what is compiled, nothing they say.
pub(crate) struct Planner {
    config: Arc<Config>,
    registry: Registry,
    detector: Detector,
    /// What all requests are read with.
    base: Request,
    /// Tools of recent requests, compiled.
    sets: Arc<ToolSets>,
    /// Middlewares by wire format: of `auto`, those of the models that were asked for. As many as there
    /// are formats, each compiled once.
    made: Mutex<Vec<(String, Middleware)>>,
}

/// Adds the wire format that a file describes.
fn register(registry: &mut Registry, path: &Path) -> Result<(), ConfigError> {
    let refused = |why: String| ConfigError::Spec(path.display().to_string(), why);
    let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    registry.register_file(path, &text).map_err(|error| refused(error.to_string()))
}

/// What is sent, and how the answer is read.
pub(crate) struct Planned {
    pub(crate) body: String,
    pub(crate) reading: Arc<Reading>,
    /// What was left out or done in another way, for the log.
    pub(crate) warnings: Vec<String>,
    /// Why the answer is held to no grammar, where it should be.
    pub(crate) unconstrained: Option<String>,
}

impl Planner {
    pub(crate) fn new(config: Arc<Config>) -> Result<Self, ConfigError> {
        let mut registry = Registry::builtin();
        config.specs.iter().try_for_each(|path| register(&mut registry, path))?;
        let mut base = Request::default();
        // What a client has seen of a call cannot be taken back, so its source must not come as text, too.
        base.policies.malformed = Malformed::Drop;
        for (key, value) in &config.settings {
            base.set(key, value).map_err(|error| ConfigError::Setting {
                key: key.clone(),
                message: error.to_string(),
            })?;
        }
        let detector = Detector::new(&registry);
        let made = Mutex::default();
        let sets = Arc::default();
        let planner = Self { config, registry, detector, base, sets, made };
        let middleware =
            planner.middleware("").map_err(|failure| ConfigError::Format(failure.message))?;
        if planner.config.mode == Mode::Emulate {
            // A format that cannot tell a model of tools is none for this mode.
            middleware.prepare(&probe()).map_err(|error| ConfigError::Format(error.to_string()))?;
        }
        Ok(planner)
    }

    /// What the upstream answers in.
    #[cfg(test)]
    pub(crate) fn dialect(&self) -> toolweir_adapters::read::Dialect {
        self.config.upstream_kind.dialect()
    }

    pub(crate) fn plan(&self, asked: &Asked) -> Result<Planned, Failure> {
        let config = &self.config;
        let model = config.model_map.get(&asked.model).unwrap_or(&asked.model);
        let native = config.mode != Mode::Emulate;
        self.refuse(asked, native)?;
        let middleware = self.middleware(model)?;
        let free = self.is_free(asked);
        let middleware = self.for_request(middleware, asked, native);
        let middleware = middleware
            .with_constraints(config.constrain.is_grammar() && !free)
            .with_parallel_calls(asked.parallel);
        let prepared =
            middleware.prepare(&asked.conversation).map_err(|error| bad(error.to_string()))?;
        let outgoing = Outgoing { asked, prepared: &prepared, model, constrain: config.constrain };
        let body = upstream::body(config.upstream_kind, &outgoing)?;
        let warnings = prepared.warnings.iter().map(ToString::to_string).collect();
        let unconstrained = match &prepared.constraint {
            Some(Err(error)) => Some(error.to_string()),
            Some(Ok(_)) => None,
            None => free.then(|| "the client holds the answer to a form of its own".to_owned()),
        };
        let (one_call, stop) = (!asked.parallel, asked.stop.clone());
        let reading = Reading { middleware, prepared, one_call, stop };
        Ok(Planned { body, reading: Arc::new(reading), warnings, unconstrained })
    }

    /// What the upstream is asked to enforce, and whether the format has grammars, for people.
    pub(crate) fn constrains(&self) -> Result<String, Failure> {
        let Config { constrain, mode, format, .. } = &*self.config;
        if *mode != Mode::Emulate {
            return Ok(format!("none in the mode {}, where tools are the upstream's", mode.word()));
        }
        if !constrain.is_grammar() {
            return Ok(constrain.to_string());
        }
        let middleware = self.middleware("")?.with_request(self.base.clone());
        let prepared = middleware.with_constraints(true).prepare(&probe());
        let made = match prepared.map_err(|error| bad(error.to_string()))?.constraint {
            Some(Err(error)) => {
                format!("but {error}; a forced call goes as one object with its schema")
            }
            _ => format!("calls of `{}` are held to a grammar", self.format("")),
        };
        let auto = if format == AUTO { " (other formats by the name of the model)" } else { "" };
        Ok(format!("{constrain}, {made}{auto}"))
    }

    /// Whether a grammar gives way to what the client holds its answer to. A call that must come does not.
    fn is_free(&self, asked: &Asked) -> bool {
        let grammar = self.config.constrain.is_grammar() && self.config.mode == Mode::Emulate;
        let may_call = !asked.conversation.tools.is_empty();
        grammar
            && may_call
            && asked.conversation.choice == ToolChoice::Auto
            && is_held_by_client(asked)
    }

    /// What this upstream cannot do in this mode.
    fn refuse(&self, asked: &Asked, native: bool) -> Result<(), Failure> {
        let kind = self.config.upstream_kind;
        if native && !kind.takes_tools() && !asked.conversation.tools.is_empty() {
            return Err(bad("this upstream takes no tools of its own; use the mode emulate"));
        }
        if native && kind == UpstreamKind::Ollama && !asked.strict.is_empty() {
            return Err(bad(
                "this upstream does not know `strict`; leave it out, or use the mode emulate",
            ));
        }
        Ok(())
    }

    /// The middleware with what this request alone asks for.
    fn for_request(&self, middleware: Middleware, asked: &Asked, native: bool) -> Middleware {
        let mut request = self.base.clone();
        if !asked.strict.is_empty() {
            // Known names and values: they are set without error.
            let _ = request.set("invalid_arguments", "reject");
        }
        if self.config.mode == Mode::Pass {
            request.reasoning = Reasoning::None;
        }
        let middleware = middleware.with_request(request).with_native_tools(native);
        middleware.with_tool_sets(Arc::clone(&self.sets))
    }

    fn middleware(&self, model: &str) -> Result<Middleware, Failure> {
        let format = self.format(model);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, middleware)) = made.iter().find(|(name, _)| *name == format) {
            return Ok(middleware.clone());
        }
        let middleware = self.make(&format)?;
        made.push((format, middleware.clone()));
        Ok(middleware)
    }

    /// The wire format for that model. With `auto` the name of the model decides where the format must be
    /// taught, and only there: else every format is looked for.
    fn format(&self, model: &str) -> String {
        let format = &self.config.format;
        if self.config.mode != Mode::Emulate || format != AUTO {
            return format.clone();
        }
        let found = self.detector.model(model);
        found.first().map_or_else(|| HERMES.to_owned(), |found| found.format.clone())
    }

    fn make(&self, format: &str) -> Result<Middleware, Failure> {
        let internal = |message: String| Failure::new(FailureKind::Upstream, message);
        match self.config.mode {
            Mode::Pass => Ok(presets::segments_api()),
            // Whatever leaks is to be found.
            Mode::Clean => {
                let protocol =
                    self.registry.union(format).map_err(|error| internal(error.to_string()))?;
                Ok(Middleware::new(protocol))
            }
            Mode::Emulate => self.taught(format).map_err(internal),
        }
    }

    /// The preset of that name, else the general prompt over that format.
    fn taught(&self, format: &str) -> Result<Middleware, String> {
        if let Ok(preset) = presets::by_name(format) {
            return Ok(preset);
        }
        let protocol: Arc<dyn Protocol> =
            self.registry.union(format).map_err(|error| error.to_string())?;
        Ok(presets::general(protocol))
    }
}

/// A question with a tool that every row can call.
fn probe() -> Conversation {
    let schema = r#"{"type": "object", "properties": {"input": {"type": "string"}}}"#;
    Conversation::new([Message::user("")]).tools([Tool::new("apply_patch").parameters(schema)])
}

/// The format that follows from the model's name.
pub(crate) const AUTO: &str = "auto";
/// The format that is taught to models of no known one.
const HERMES: &str = "hermes";

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Planner;
    use crate::config::{ConfigError, Mode, Settings};

    fn planner(mode: Mode, format: Option<&str>) -> Result<Planner, ConfigError> {
        let settings = Settings {
            upstream: Some("http://h".into()),
            mode: Some(mode),
            format: format.map(str::to_owned),
            ..Settings::default()
        };
        Planner::new(Arc::new(settings.into_config()?))
    }

    fn formats(mode: Mode, format: Option<&str>, models: &[&str]) -> Vec<String> {
        let planner = planner(mode, format).unwrap();
        for model in models {
            planner.middleware(model).unwrap();
        }
        let made = planner.made.lock().unwrap();
        made.iter().map(|(format, _)| format.clone()).collect()
    }

    #[test]
    fn formats_are_compiled_once_whatever_models_are_asked_for() {
        let models = ["unknown-1", "unknown-2", "Qwen/Qwen3-Coder-480B", "qwen3-coder-30b"];
        assert_eq!(formats(Mode::Clean, None, &models), ["auto"]);
        assert_eq!(formats(Mode::Pass, None, &models), ["auto"]);
        assert_eq!(formats(Mode::Emulate, Some("qwen3-coder"), &models), ["qwen3-coder"]);
        assert_eq!(formats(Mode::Emulate, None, &models), ["hermes", "qwen3-coder"]);
    }

    #[test]
    fn a_format_without_calls_is_none_to_teach() {
        let refused = planner(Mode::Emulate, Some("pass-through")).err().unwrap();
        assert!(matches!(&refused, ConfigError::Format(why) if why.contains("pass-through")));
        assert!(planner(Mode::Clean, Some("pass-through")).is_ok());
    }
}
