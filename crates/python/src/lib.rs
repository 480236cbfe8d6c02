//! The native half of the Python package `toolweir`: a thin shell over the facade.
//!
//! Everything here turns objects of Python into arguments of the facade and its results into objects; what
//! needs no compiled code (forms of tools, adapters of streams, shims of engines) is in `python/toolweir`.
//! Texts are decoded without the interpreter lock from 4 KiB on; a decoder belongs to one thread at a time.

mod batch;
mod call;
mod coerce;
mod decoder;
mod error;
mod event;
mod format;
mod json;
mod record;
mod render;
mod request;
mod text;
mod tools;
mod turn;
mod value;

use pyo3::prelude::*;

/// The module that `toolweir/__init__.py` takes its names from.
#[pymodule]
mod _toolweir {
    use super::*;

    #[pymodule_export]
    use super::batch::parse_columns;
    #[pymodule_export]
    use super::call::{Call, RefusedCall};
    #[pymodule_export]
    use super::coerce::{Change, Schema};
    #[pymodule_export]
    use super::decoder::{Decoder, parse};
    #[pymodule_export]
    use super::event::{
        Args, ByteSpan, Content, Diagnostic, End, Field, Finish, Markup, Meta, Name, Raw,
        Reasoning, Start, Text,
    };
    #[pymodule_export]
    use super::format::{Candidate, Format, FormatInfo, detect, formats};
    #[pymodule_export]
    use super::json::{PartialJson, loads, loads_with_diagnostics, repair_json};
    #[pymodule_export]
    use super::render::{format_calls, format_response, format_tools};
    #[pymodule_export]
    use super::request::{end_for_reason, option_names};
    #[pymodule_export]
    use super::tools::Tools;
    #[pymodule_export]
    use super::turn::{Part, Turn};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
