//! Calls with their arguments, and calls that do not run with their reason.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use toolweir::rjson::{Mode, Options, parse_with};
use toolweir::{Call as CoreCall, RefusedCall as CoreRefused, WholeCall};

use crate::event::{ByteSpan, Diagnostic, class_name};
use crate::record::{record, repr, values};
use crate::{error, value};

/// A call that may run: whole, with its arguments, of a declared tool where any are declared.
#[pyclass(frozen, module = "toolweir")]
pub(crate) struct Call {
    /// The tool's name.
    #[pyo3(get)]
    name: String,
    /// The arguments document as the stream gave it: one JSON object, every number as it was written.
    #[pyo3(get)]
    arguments_json: String,
    /// The id that the model gave the call, else one that is unique within the turn.
    #[pyo3(get)]
    id: String,
    /// The id that the model itself gave the call.
    #[pyo3(get)]
    native_id: Option<String>,
    /// Its place among the calls of the turn, from 0.
    #[pyo3(get)]
    ordinal: u32,
    /// What sort of call its segment was: `tool_call`, `write_file`, …
    #[pyo3(get)]
    kind: String,
    /// Whether damage in its syntax was repaired.
    #[pyo3(get)]
    repaired: bool,
    /// Whether a value was changed to suit its schema.
    #[pyo3(get)]
    coerced: bool,
    /// Whether its markers are known to be special tokens, or the source does not say.
    #[pyo3(get)]
    trusted: bool,
    arguments: PyOnceLock<Py<PyAny>>,
}

impl Call {
    pub(crate) fn whole(call: WholeCall, id_prefix: &str) -> Self {
        Self {
            id: id(call.native_id.as_deref(), call.ordinal, id_prefix),
            kind: class_name(&call.class),
            name: call.name,
            arguments_json: call.arguments,
            native_id: call.native_id,
            ordinal: call.ordinal,
            repaired: call.repaired,
            coerced: call.coerced,
            trusted: call.trusted,
            arguments: PyOnceLock::new(),
        }
    }

    pub(crate) fn of_turn(call: &CoreCall<'_>, id_prefix: &str) -> Self {
        Self {
            id: id(call.native_id, call.ordinal, id_prefix),
            kind: call.part.kind.name().to_owned(),
            name: call.name.to_owned(),
            arguments_json: call.arguments.to_owned(),
            native_id: call.native_id.map(str::to_owned),
            ordinal: call.ordinal,
            repaired: call.repaired,
            coerced: call.coerced,
            trusted: call.trusted,
            arguments: PyOnceLock::new(),
        }
    }
}

fn id(native: Option<&str>, ordinal: u32, prefix: &str) -> String {
    native.map_or_else(|| format!("{prefix}{ordinal}"), str::to_owned)
}

/// What a call is made from.
const FIELDS: [&str; 9] = [
    "name",
    "arguments_json",
    "id",
    "native_id",
    "ordinal",
    "kind",
    "repaired",
    "coerced",
    "trusted",
];

#[pymethods]
impl Call {
    #[new]
    #[pyo3(signature = (
        name, arguments_json, id, native_id=None, ordinal=0, kind="tool_call".to_owned(),
        repaired=false, coerced=false, trusted=true
    ))]
    #[expect(clippy::too_many_arguments, reason = "one for each field")]
    const fn of_fields(
        name: String,
        arguments_json: String,
        id: String,
        native_id: Option<String>,
        ordinal: u32,
        kind: String,
        repaired: bool,
        coerced: bool,
        trusted: bool,
    ) -> Self {
        Self {
            name,
            arguments_json,
            id,
            native_id,
            ordinal,
            kind,
            repaired,
            coerced,
            trusted,
            arguments: PyOnceLock::new(),
        }
    }

    /// What `pickle` and `copy` make it from again: the arguments as the stream gave them.
    fn __getnewargs__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        values(slf.as_any(), &FIELDS)
    }

    #[classattr]
    fn __match_args__() -> (&'static str, &'static str) {
        ("name", "arguments")
    }

    /// The arguments as a `dict`. It is made once: what is changed in it stays changed.
    #[getter]
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let made = self.arguments.get_or_try_init(py, || {
            // What the decoder has let through is within the limits of its request.
            let options = Options::new(Mode::Strict)
                .with_max_depth(usize::MAX)
                .with_max_keys(usize::MAX)
                .with_max_held_bytes(usize::MAX);
            let document = &self.arguments_json;
            let parsed = parse_with(document, &options)
                .map_err(|found| error::json(py, &found, document))?;
            value::to_python(py, &parsed.value).map(Bound::unbind)
        })?;
        Ok(made.bind(py).clone())
    }

    /// The arguments as a pydantic model, checked by it.
    fn arguments_as<'py>(&self, model: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        model.call_method1("model_validate_json", (&self.arguments_json,))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        repr(slf.as_any(), &["name", "arguments", "id"])
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.name == other.name
            && self.arguments_json == other.arguments_json
            && self.id == other.id
            && (self.ordinal, &self.kind) == (other.ordinal, &other.kind)
            && (self.repaired, self.coerced) == (other.repaired, other.coerced)
    }
}

record! {
    /// A call that does not run. `str` of it is one line with the reason.
    RefusedCall ["why", "name"] {
        /// `cut`, `undeclared` or `rejected`.
        why: String,
        /// The tool's name, as far as it was known.
        name: Option<String>,
        /// The reason in one line.
        reason: String,
        /// The id that the model itself gave the call.
        native_id: Option<String>,
        /// What was said of it.
        diagnostic: Option<Diagnostic>,
        /// The bytes it is about.
        span: ByteSpan,
    }

    fn __str__(&self) -> &str {
        &self.reason
    }
}

impl RefusedCall {
    pub(crate) fn new(call: &CoreRefused) -> Self {
        Self {
            why: call.why.as_str().to_owned(),
            name: call.name.clone(),
            reason: call.to_string(),
            native_id: call.native_id.clone(),
            diagnostic: call.diagnostic.as_ref().map(Diagnostic::new),
            span: call.span.into(),
        }
    }
}
