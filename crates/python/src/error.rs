//! The exceptions of the package, which are classes of its Python half (`toolweir._errors`).

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use toolweir::protocols::UnionError;
use toolweir::rjson;
use toolweir::schema_coerce::{CoerceError, SchemaError};
use toolweir::{FormatError, OptionError, RequestError, SpecError, ToolError, ToolFault};

use crate::text;

/// An exception of that class, with these attributes.
fn raised(py: Python<'_>, class: &str, fields: &Bound<'_, PyDict>) -> PyErr {
    let made = py
        .import("toolweir._errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| class.call((), Some(fields)));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// Collects attributes and makes the exception.
macro_rules! exception {
    ($py:expr, $class:literal, $($field:ident = $value:expr),* $(,)?) => {{
        let fields = PyDict::new($py);
        let filled = (|| -> PyResult<()> {
            $(fields.set_item(stringify!($field), $value)?;)*
            Ok(())
        })();
        match filled {
            Ok(()) => raised($py, $class, &fields),
            Err(error) => error,
        }
    }};
}

/// A name that no format has.
pub(crate) fn union(py: Python<'_>, error: &UnionError) -> PyErr {
    let message = error.to_string();
    match error {
        UnionError::Unknown(unknown) => exception!(
            py,
            "UnknownFormatError",
            message = message,
            name = &unknown.name,
            near = &unknown.near,
        ),
        _ => exception!(py, "FormatError", message = message),
    }
}

/// A description of a format that cannot work.
pub(crate) fn spec(py: Python<'_>, error: &impl ToString) -> PyErr {
    exception!(py, "FormatError", message = error.to_string())
}

/// An option that was set wrongly.
pub(crate) fn option(py: Python<'_>, error: &OptionError) -> PyErr {
    let message = error.to_string();
    match error {
        OptionError::UnknownKey { key, near } => {
            exception!(py, "OptionError", message = message, key = key, near = near)
        }
        OptionError::BadValue { key, allowed, .. } => {
            exception!(py, "OptionError", message = message, key = key, allowed = allowed)
        }
        _ => exception!(py, "OptionError", message = message),
    }
}

/// A request that a format cannot serve.
pub(crate) fn request(py: Python<'_>, error: &RequestError) -> PyErr {
    match error {
        RequestError::Option(error) => option(py, error),
        RequestError::Spec(error) => spec(py, error as &SpecError),
        RequestError::UnknownReasoning { near, .. } => exception!(
            py,
            "OptionError",
            message = error.to_string(),
            key = "reasoning",
            near = near,
        ),
        _ => exception!(py, "OptionError", message = error.to_string()),
    }
}

/// A tool whose schema cannot be used.
pub(crate) fn tool(py: Python<'_>, error: &ToolError) -> PyErr {
    let path = match &error.source {
        ToolFault::Schema(error) => Some(&error.schema_path),
        _ => None,
    };
    exception!(py, "ToolError", message = error.to_string(), tool = &error.tool, schema_path = path)
}

/// A call, response or list of tools that a format cannot write.
pub(crate) fn format(py: Python<'_>, error: &FormatError) -> PyErr {
    exception!(py, "FormatError", message = error.to_string())
}

/// A text that is no JSON of the mode.
pub(crate) fn json(py: Python<'_>, error: &rjson::Error, doc: &str) -> PyErr {
    exception!(
        py,
        "JsonError",
        message = error.kind.to_string(),
        doc = doc,
        pos = text::characters_before(doc, error.offset),
        offset = error.offset,
        kind = json_kind(error.kind),
    )
}

fn json_kind(kind: rjson::ErrorKind) -> &'static str {
    use rjson::ErrorKind;
    match kind {
        ErrorKind::NoValue => "no-value",
        ErrorKind::Syntax { .. } => "syntax",
        ErrorKind::TrailingData => "trailing-data",
        ErrorKind::UnexpectedEnd => "unexpected-end",
        ErrorKind::DuplicateKey => "duplicate-key",
        ErrorKind::TooDeep => "too-deep",
        ErrorKind::TooLarge => "too-large",
        ErrorKind::TooManyKeys => "too-many-keys",
        _ => "other",
    }
}

/// A schema that cannot be compiled.
pub(crate) fn schema(py: Python<'_>, error: &SchemaError) -> PyErr {
    let message = error.to_string();
    exception!(py, "SchemaError", message = message, schema_path = &error.schema_path)
}

/// A value that cannot be made to fit.
pub(crate) fn coerce(py: Python<'_>, error: &CoerceError) -> PyErr {
    exception!(
        py,
        "CoerceError",
        message = error.to_string(),
        code = error.kind.as_str(),
        instance_path = &error.instance_path,
        schema_path = &error.schema_path,
    )
}

/// A word that an argument does not take.
pub(crate) fn word(argument: &str, given: &str, takes: &str) -> PyErr {
    PyValueError::new_err(format!("{argument} does not take {given:?}; it takes {takes}"))
}

/// A second thread in one decoder.
pub(crate) fn busy(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("the {what} is in use by another thread: give each its own"))
}
