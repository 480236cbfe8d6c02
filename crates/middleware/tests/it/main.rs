//! The middleware from outside.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![allow(clippy::string_slice)]

mod choice;
#[cfg(feature = "grammars")]
mod constraint;
mod engine;
mod engine_lanes;
mod engine_mixed;
mod engine_random;
mod engine_requests;
mod history;
mod hostile;
mod prepare;
mod presets;
mod recovery;

mod session;

use std::sync::Arc;

use toolweir_middleware::{Middleware, Template};
use toolweir_protocols::{Protocol, Registry, Tool};
use toolweir_rjson::{Mode, Value, parse};

pub(crate) fn protocol(name: &str) -> Arc<dyn Protocol> {
    Registry::builtin().get(name).unwrap().clone()
}

/// A middleware whose prompt is easy to see.
pub(crate) fn middleware(format: &str) -> Middleware {
    Middleware::new(protocol(format)).with_template(Template::new(|shown| {
        let examples = if shown.examples.is_empty() { "" } else { "\n" };
        format!("Tools: {}{examples}{}", shown.tools, shown.examples)
    }))
}

pub(crate) fn json(text: &str) -> Value {
    parse(text, Mode::Strict).unwrap().value
}

pub(crate) fn loom() -> Tool {
    let schema =
        r#"{"type":"object","properties":{"shafts":{"type":"integer"},"note":{"type":"string"}}}"#;
    Tool::new("loom_set").description("Sets the loom.").parameters(json(schema))
}
