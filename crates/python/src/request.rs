//! Options from keyword arguments.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use toolweir::rjson::to_string;
use toolweir::{FinishReason, Request, StreamEnd};

use crate::tools::Tools;
use crate::{error, text, value};

/// What keyword arguments ask for.
pub(crate) struct Options {
    /// Names and values as `Request::set` takes them.
    set: Vec<(String, String)>,
    raw: bool,
    fields: bool,
    markup: bool,
    /// What stands before the number in the ids of calls to which the model gave none.
    pub(crate) id_prefix: String,
}

impl Default for Options {
    fn default() -> Self {
        let (raw, fields, markup) = (false, false, false);
        Self { set: Vec::new(), raw, fields, markup, id_prefix: "call_".to_owned() }
    }
}

impl Options {
    pub(crate) fn new(given: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut options = Self::default();
        for (key, value) in given.into_iter().flat_map(PyDictMethods::iter) {
            let key: String = key.extract()?;
            match key.as_str() {
                "raw" => options.raw = truth(&key, &value)?,
                "fields" => options.fields = truth(&key, &value)?,
                "markup" => options.markup = truth(&key, &value)?,
                "id_prefix" => options.id_prefix = value.extract()?,
                // Not set: the default.
                _ if value.is_none() => {}
                _ => options.set.push((key, word(&value)?)),
            }
        }
        Ok(options)
    }

    pub(crate) fn request(
        &self,
        py: Python<'_>,
        tools: Option<&Bound<'_, Tools>>,
    ) -> PyResult<Request> {
        let mut request = Request::new(tools.map(|t| t.get().set.clone()).unwrap_or_default());
        for (key, value) in &self.set {
            request.set(key, value).map_err(|found| error::option(py, &found))?;
        }
        request.emit.raw = self.raw;
        request.emit.field = self.fields;
        request.emit.markup = self.markup;
        Ok(request)
    }
}

fn truth(key: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let truth = value.cast::<PyBool>().map(|truth| truth.is_true());
    truth.map_err(|_| PyTypeError::new_err(format!("{key} is True or False")))
}

/// A value as the option takes it: text as it is, all else as JSON.
fn word(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyString>() {
        Ok(text) => Ok(text::of(text)?.to_string()),
        Err(_) => Ok(to_string(&value::from_python(value)?)),
    }
}

/// Why the stream ended.
pub(crate) fn end(word: &str) -> PyResult<StreamEnd> {
    word.parse().map_err(|_| error::word("end", word, "stop, length or aborted"))
}

/// Every option by name.
#[pyfunction]
pub(crate) fn option_names() -> Vec<&'static str> {
    Request::keys().chain(["raw", "fields", "markup", "id_prefix"]).collect()
}

/// How a stream ends for that reason, in a server's words.
#[pyfunction]
pub(crate) fn end_for_reason(reason: &str) -> &'static str {
    match FinishReason::from_word(reason).end() {
        StreamEnd::Stop => "stop",
        StreamEnd::Length => "length",
        StreamEnd::Aborted => "aborted",
    }
}
