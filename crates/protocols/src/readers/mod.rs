//! The closed set of payload readers: what stands between the markers of a call.
//!
//! Each is one implementation of [`Reader`]; which ones a decoder has is the program's to say.

mod args;
mod element;
mod json;
mod params;
mod plain;
mod tagged;
#[cfg(feature = "yaml")]
mod yaml;
mod yaml_body;

use std::sync::Arc;

pub(crate) use args::ArgsWriter;

use self::element::ElementReader;
use self::json::JsonReader;
use self::tagged::TaggedReader;
use crate::engine::Reader;
use crate::limits::Limits;
use crate::program::{PayloadProgram, Program};

/// The readers that a program names, in its order.
pub(crate) fn make(program: &Arc<Program>, limits: &Limits) -> Vec<Box<dyn Reader>> {
    let one = |payload: &PayloadProgram| -> Box<dyn Reader> {
        match payload {
            PayloadProgram::Json(json) => Box::new(JsonReader::new(limits, Arc::clone(json))),
            PayloadProgram::Tagged(tagged) => {
                Box::new(TaggedReader::new(limits, Arc::clone(tagged)))
            }
            PayloadProgram::Element { .. } | PayloadProgram::Yaml => {
                Box::new(ElementReader::new(Arc::clone(program)))
            }
        }
    };
    program.payloads.iter().map(one).collect()
}
