//! Values made to fit a JSON Schema.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use toolweir::rjson::{Expect, Mode, parse};
use toolweir::schema_coerce::{Coerced, Policy, Schema as CoreSchema, SchemaLimits};

use crate::record::record;
use crate::{error, text, value};

/// A JSON Schema, compiled once. The Python half of the package makes it of dicts and models.
#[pyclass(frozen, module = "toolweir._toolweir")]
pub(crate) struct Schema {
    schema: CoreSchema,
    notes: Vec<String>,
}

impl Schema {
    pub(crate) fn expect(&self) -> Expect {
        self.schema.expect()
    }
}

#[pymethods]
impl Schema {
    #[new]
    fn new(py: Python<'_>, json: &Bound<'_, PyString>) -> PyResult<Self> {
        let json = text::of(json)?;
        let source =
            parse(&json, Mode::Strict).map_err(|found| error::json(py, &found, &json))?.value;
        let limits = SchemaLimits::default();
        let compiled =
            CoreSchema::compile(&source, &limits).map_err(|found| error::schema(py, &found))?;
        let note = |note: &toolweir::schema_coerce::Note| {
            format!("{}: {}", note.schema_path, note.message)
        };
        Ok(Self { notes: compiled.notes.iter().map(note).collect(), schema: compiled.schema })
    }

    /// Keywords that were ignored because they are malformed, a line each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// Raises `CoerceError` unless the value fits as it stands.
    fn validate(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let checked = self.schema.validate(&value::from_python(value)?);
        checked.map_err(|found| error::coerce(value.py(), &found))
    }

    /// The value made to fit.
    #[pyo3(signature = (value, **policy))]
    fn coerce<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        policy: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        value::to_python(value.py(), &self.coerced(value, policy)?.value)
    }

    /// The value made to fit, and each change.
    #[pyo3(signature = (value, **policy))]
    fn coerce_with_changes<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        policy: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<(Bound<'py, PyAny>, Vec<Change>)> {
        let coerced = self.coerced(value, policy)?;
        let changes = coerced.changes.iter().map(|change| Change {
            path: change.path.clone(),
            rule: change.rule.as_str().to_owned(),
            loss: change.loss.name().to_owned(),
        });
        Ok((value::to_python(value.py(), &coerced.value)?, changes.collect()))
    }
}

impl Schema {
    fn coerced(
        &self,
        value: &Bound<'_, PyAny>,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Coerced> {
        let mut policy = Policy::default();
        for (key, word) in given.into_iter().flat_map(PyDictMethods::iter) {
            let (key, word): (String, String) = (key.extract()?, word.extract()?);
            if !policy.set(&key, &word) {
                return Err(error::word(&key, &word, Policy::SETTINGS));
            }
        }
        let coerced = self.schema.coerce(value::from_python(value)?, &policy);
        coerced.map_err(|found| error::coerce(value.py(), &found))
    }
}

record! {
    /// One change that made a value fit.
    Change ["path", "rule"] {
        /// Where in the value, as a JSON Pointer.
        path: String,
        /// The rule.
        rule: String,
        /// `none`, `format` or `guess`.
        loss: String,
    }
}
