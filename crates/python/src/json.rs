//! Half-broken JSON: whole, as text, and while it is still coming.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyString;

use toolweir::rjson::{
    Duplicates, InvalidEscape, Mode, NonFinite, Options, Parsed, PartialValue, Style, WriteOptions,
    parse_with, to_string_with,
};

use crate::coerce::Schema;
use crate::decoder::{LARGE, locked};
use crate::event::Diagnostic;
use crate::{error, text, value};

/// How JSON is read.
fn options(
    mode: &str,
    duplicates: &str,
    non_finite: &str,
    invalid_escape: &str,
    max_depth: usize,
    schema: Option<&Bound<'_, Schema>>,
) -> PyResult<Options> {
    let mode = match mode {
        "strict" => Mode::Strict,
        "relaxed" => Mode::Relaxed,
        "repair" => Mode::Repair,
        other => return Err(error::word("mode", other, "strict, relaxed or repair")),
    };
    let mut options = Options::new(mode).with_max_depth(max_depth);
    options.duplicates = match duplicates {
        "last" => Duplicates::Last,
        "first" => Duplicates::First,
        "error" => Duplicates::Error,
        other => return Err(error::word("duplicates", other, "last, first or error")),
    };
    options.non_finite = match non_finite {
        "null" => NonFinite::Null,
        "string" => NonFinite::String,
        "error" => NonFinite::Error,
        other => return Err(error::word("non_finite", other, "null, string or error")),
    };
    options.invalid_escape = match invalid_escape {
        "keep" => InvalidEscape::Keep,
        "drop" => InvalidEscape::Drop,
        other => return Err(error::word("invalid_escape", other, "keep or drop")),
    };
    Ok(match schema {
        Some(schema) => options.with_expect(schema.get().expect()),
        None => options,
    })
}

fn read(py: Python<'_>, text: &str, options: &Options) -> PyResult<Parsed> {
    let read = || parse_with(text, options);
    let parsed = if text.len() >= LARGE { py.detach(read) } else { read() };
    parsed.map_err(|found| error::json(py, &found, text))
}

/// The value of a text.
#[pyfunction]
#[pyo3(signature = (
    text, *, mode = "repair", duplicates = "last", non_finite = "null", invalid_escape = "keep",
    max_depth = 128, schema = None
))]
pub(crate) fn loads<'py>(
    text: &Bound<'py, PyString>,
    mode: &str,
    duplicates: &str,
    non_finite: &str,
    invalid_escape: &str,
    max_depth: usize,
    schema: Option<&Bound<'_, Schema>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = text.py();
    let options = options(mode, duplicates, non_finite, invalid_escape, max_depth, schema)?;
    let parsed = read(py, &text::of(text)?, &options)?;
    value::to_python(py, &parsed.value)
}

/// The value of a text, and what was done to it.
#[pyfunction]
#[pyo3(signature = (
    text, *, mode = "repair", duplicates = "last", non_finite = "null", invalid_escape = "keep",
    max_depth = 128, schema = None
))]
pub(crate) fn loads_with_diagnostics<'py>(
    text: &Bound<'py, PyString>,
    mode: &str,
    duplicates: &str,
    non_finite: &str,
    invalid_escape: &str,
    max_depth: usize,
    schema: Option<&Bound<'_, Schema>>,
) -> PyResult<(Bound<'py, PyAny>, Vec<Diagnostic>)> {
    let py = text.py();
    let options = options(mode, duplicates, non_finite, invalid_escape, max_depth, schema)?;
    let parsed = read(py, &text::of(text)?, &options)?;
    let diagnostics = parsed.diagnostics.iter().map(Diagnostic::of_json).collect();
    Ok((value::to_python(py, &parsed.value)?, diagnostics))
}

/// A text as strict JSON, numbers as they were written.
#[pyfunction]
#[pyo3(signature = (
    text, *, indent = None, compact = false, sort_keys = false, ensure_ascii = false,
    mode = "repair", duplicates = "last", non_finite = "null", invalid_escape = "keep",
    max_depth = 128, schema = None
))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of one Python function")]
pub(crate) fn repair_json(
    text: &Bound<'_, PyString>,
    indent: Option<usize>,
    compact: bool,
    sort_keys: bool,
    ensure_ascii: bool,
    mode: &str,
    duplicates: &str,
    non_finite: &str,
    invalid_escape: &str,
    max_depth: usize,
    schema: Option<&Bound<'_, Schema>>,
) -> PyResult<String> {
    let py = text.py();
    let options = options(mode, duplicates, non_finite, invalid_escape, max_depth, schema)?;
    let parsed = read(py, &text::of(text)?, &options)?;
    let style = match indent {
        Some(indent) => Style::Pretty { indent },
        None if compact => Style::Compact,
        None => Style::Spaced,
    };
    let write = WriteOptions::new(style).with_sort_keys(sort_keys);
    let json = to_string_with(&parsed.value, &write);
    Ok(if ensure_ascii { ascii(&json) } else { json })
}

/// JSON text with every other character as an escape: outside strings all are ASCII already.
fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}

/// A value that is still coming.
#[pyclass(frozen, module = "toolweir")]
pub(crate) struct PartialJson {
    state: Mutex<Partial>,
}

struct Partial {
    value: PartialValue,
    /// All text so far, for the line and column of an error.
    text: String,
}

#[pymethods]
impl PartialJson {
    #[new]
    #[pyo3(signature = (
        *, mode = "repair", duplicates = "last", non_finite = "null", invalid_escape = "keep",
        max_depth = 128, schema = None
    ))]
    fn new(
        mode: &str,
        duplicates: &str,
        non_finite: &str,
        invalid_escape: &str,
        max_depth: usize,
        schema: Option<&Bound<'_, Schema>>,
    ) -> PyResult<Self> {
        let options = options(mode, duplicates, non_finite, invalid_escape, max_depth, schema)?;
        let value = PartialValue::new(&options);
        Ok(Self { state: Mutex::new(Partial { value, text: String::new() }) })
    }

    /// Reads the next chunk. What was shown stays where the text cannot be read on.
    fn push(&self, py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<()> {
        let text = text::of(text)?;
        locked(&self.state, "value", |state| {
            state.text.push_str(&text);
            state.value.push(&text).map_err(|found| error::json(py, &found, &state.text))
        })?
    }

    /// Ends the text: the value is complete.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        locked(&self.state, "value", |state| {
            state.value.finish().map_err(|found| error::json(py, &found, &state.text))?;
            shown(py, &state.value)
        })?
    }

    /// The value as far as it is certain; `None` also where nothing is. Made anew each time.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        locked(&self.state, "value", |state| shown(py, &state.value))?
    }

    /// Whether the value is complete.
    #[getter]
    fn done(&self) -> PyResult<bool> {
        locked(&self.state, "value", |state| state.value.is_done())
    }

    /// What was done to the text so far.
    #[getter]
    fn diagnostics(&self) -> PyResult<Vec<Diagnostic>> {
        locked(&self.state, "value", |state| {
            state.value.diagnostics().iter().map(Diagnostic::of_json).collect()
        })
    }
}

/// The root, or a list of them where there are several, as `loads` gives it.
fn shown<'py>(py: Python<'py>, partial: &PartialValue) -> PyResult<Bound<'py, PyAny>> {
    match partial.roots() {
        [] => Ok(py.None().into_bound(py)),
        [root] => value::to_python(py, root),
        roots => {
            let list = pyo3::types::PyList::empty(py);
            for root in roots {
                list.append(value::to_python(py, root)?)?;
            }
            Ok(list.into_any())
        }
    }
}
