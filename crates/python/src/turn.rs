//! The folded result of a stream.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};

use toolweir::{Call as CoreCall, FinishReason, Kind, StreamEnd, Turn as CoreTurn};

use crate::call::{Call, RefusedCall};
use crate::event::{ByteSpan, Diagnostic};
use crate::record::{record, repr};

record! {
    /// One segment, folded.
    Part ["kind", "text"] {
        /// `text`, `reasoning`, or the class of a call.
        kind: String,
        /// Visible text, reasoning, or the piped content of a call.
        text: String,
        /// The tool's name.
        name: Option<String>,
        /// The arguments document; a prefix of one for a call that does not run.
        arguments_json: String,
        /// The source of the payload, with `raw=True`.
        raw: String,
        /// Facts of a call, as pairs, in order.
        meta: Vec<(String, String)>,
        /// Decoded string arguments by JSON Pointer, with `fields=True`.
        fields: Vec<(String, String)>,
        /// How it ended; `None` while it is open.
        outcome: Option<String>,
        /// What ended it; `None` while it is open.
        reason: Option<String>,
        /// Its bytes.
        span: ByteSpan,
    }
}

impl Part {
    fn new(part: &toolweir::Part) -> Self {
        let pair = |meta: &toolweir::Meta| (meta.key.clone(), meta.value.clone());
        Self {
            kind: part.kind.name().to_owned(),
            text: part.text.clone(),
            name: part.name.clone(),
            arguments_json: part.args.clone(),
            raw: part.raw.clone(),
            meta: part.meta.iter().map(pair).collect(),
            fields: part.fields.clone(),
            outcome: part.outcome.map(|outcome| outcome.to_string()),
            reason: part.reason.map(|reason| reason.to_string()),
            span: part.span.into(),
        }
    }
}

/// All output of one model answer: text, reasoning, calls that may run, calls that do not.
#[pyclass(frozen, module = "toolweir")]
pub(crate) struct Turn(Source);

enum Source {
    Folded {
        turn: CoreTurn,
        end: StreamEnd,
        id_prefix: String,
        calls: PyOnceLock<Py<PyAny>>,
    },
    /// What `pickle` has kept of one: the values of [`FIELDS`].
    Kept(Py<PyDict>),
}

/// The attributes of a turn.
const FIELDS: [&str; 10] = [
    "text",
    "reasoning",
    "calls",
    "every_call",
    "refused",
    "diagnostics",
    "parts",
    "has_errors",
    "finished",
    "finish_reason",
];

impl Turn {
    pub(crate) const fn new(turn: CoreTurn, end: StreamEnd, id_prefix: String) -> Self {
        Self(Source::Folded { turn, end, id_prefix, calls: PyOnceLock::new() })
    }

    fn get<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        let (turn, end, id_prefix, calls) = match &self.0 {
            Source::Kept(values) => return values.bind(py).as_any().get_item(field),
            Source::Folded { turn, end, id_prefix, calls } => (turn, end, id_prefix, calls),
        };
        let call = |call: &CoreCall<'_>| Call::of_turn(call, id_prefix);
        match field {
            "text" => text(py, turn, &Kind::Text, CoreTurn::text),
            "reasoning" => text(py, turn, &Kind::Reasoning, CoreTurn::reasoning),
            "calls" => {
                let make = || list(py, turn.calls().map(|found| call(&found))).map(Bound::unbind);
                Ok(calls.get_or_try_init(py, make)?.bind(py).clone())
            }
            "every_call" => list(py, turn.every_call().map(|found| call(&found))),
            "refused" => list(py, turn.refused.iter().map(RefusedCall::new)),
            "diagnostics" => list(py, turn.diagnostics.iter().map(Diagnostic::new)),
            "parts" => list(py, turn.parts.iter().map(Part::new)),
            "has_errors" => turn.has_errors().into_bound_py_any(py),
            "finished" => turn.finished.into_bound_py_any(py),
            _ => {
                let reason = FinishReason::of(*end, turn.calls().next().is_some());
                reason.underscored().into_bound_py_any(py)
            }
        }
    }
}

fn list<'py, T>(py: Python<'py>, items: impl Iterator<Item = T>) -> PyResult<Bound<'py, PyAny>>
where
    T: IntoPyObject<'py>,
{
    let list = PyList::empty(py);
    for item in items {
        list.append(item)?;
    }
    Ok(list.into_any())
}

/// The joined text of the parts of a kind; that of an only part is not copied to be joined.
fn text<'py>(
    py: Python<'py>,
    turn: &CoreTurn,
    kind: &Kind,
    joined: impl FnOnce(&CoreTurn) -> String,
) -> PyResult<Bound<'py, PyAny>> {
    let mut parts = turn.parts.iter().filter(|part| part.kind == *kind);
    match (parts.next(), parts.next()) {
        (Some(only), None) => only.text.as_str().into_bound_py_any(py),
        _ => joined(turn).into_bound_py_any(py),
    }
}

#[pymethods]
impl Turn {
    /// A turn that was kept: `pickle` and `copy` make it.
    #[new]
    fn kept(values: Bound<'_, PyDict>) -> PyResult<Self> {
        for field in FIELDS {
            values.as_any().get_item(field)?;
        }
        Ok(Self(Source::Kept(values.unbind())))
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>,)> {
        let values = PyDict::new(py);
        for field in FIELDS {
            values.set_item(field, self.get(py, field)?)?;
        }
        Ok((values,))
    }

    #[classattr]
    fn __match_args__() -> (&'static str, &'static str) {
        ("text", "calls")
    }

    /// The visible text.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "text")
    }

    /// The reasoning; several sections are joined by a line break.
    #[getter]
    fn reasoning<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "reasoning")
    }

    /// The calls that may run, in order.
    #[getter]
    fn calls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "calls")
    }

    /// The calls with those of undeclared tools, for whoever decides about names himself.
    #[getter]
    fn every_call<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "every_call")
    }

    /// The calls that do not run, each with its reason.
    #[getter]
    fn refused<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "refused")
    }

    /// Trouble and what was done about it, in order.
    #[getter]
    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "diagnostics")
    }

    /// The segments, in order.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "parts")
    }

    /// Whether there is a diagnostic of severity error.
    #[getter]
    fn has_errors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "has_errors")
    }

    /// Whether the stream has said that it is over.
    #[getter]
    fn finished<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "finished")
    }

    /// As chat completions spell it: `tool_calls` after a call that may run, else `stop`; `length` and
    /// `error` for answers that were cut.
    #[getter]
    fn finish_reason<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "finish_reason")
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        repr(slf.as_any(), &["text", "reasoning", "calls", "refused"])
    }

    fn __eq__(&self, other: &Self, py: Python<'_>) -> PyResult<bool> {
        if let (
            Source::Folded { turn: a, end: one, .. },
            Source::Folded { turn: b, end: other, .. },
        ) = (&self.0, &other.0)
        {
            return Ok(a == b && one == other);
        }
        for field in FIELDS {
            if !self.get(py, field)?.eq(other.get(py, field)?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
