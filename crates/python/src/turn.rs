//! The folded result of a stream.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyList;

use toolweir::{FinishReason, Kind, StreamEnd, Turn as CoreTurn};

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
        outcome: Option<&'static str>,
        /// What ended it; `None` while it is open.
        reason: Option<&'static str>,
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
            outcome: part.outcome.map(toolweir::Outcome::as_str),
            reason: part.reason.map(toolweir::Reason::as_str),
            span: part.span.into(),
        }
    }
}

/// All output of one model answer: text, reasoning, calls that may run, calls that do not.
#[pyclass(frozen, module = "toolweir")]
pub(crate) struct Turn {
    turn: CoreTurn,
    end: StreamEnd,
    id_prefix: String,
    calls: PyOnceLock<Py<PyList>>,
}

impl Turn {
    pub(crate) const fn new(turn: CoreTurn, end: StreamEnd, id_prefix: String) -> Self {
        Self { turn, end, id_prefix, calls: PyOnceLock::new() }
    }

    /// The text of the only part of a kind: it is not copied to be joined.
    fn only(&self, kind: &Kind) -> Option<&str> {
        let mut parts = self.turn.parts.iter().filter(|part| part.kind == *kind);
        let first = parts.next()?;
        parts.next().is_none().then_some(&first.text)
    }

    fn list<'py, T>(py: Python<'py>, items: impl Iterator<Item = T>) -> PyResult<Bound<'py, PyList>>
    where
        T: IntoPyObject<'py>,
    {
        let list = PyList::empty(py);
        for item in items {
            list.append(item)?;
        }
        Ok(list)
    }
}

#[pymethods]
impl Turn {
    #[classattr]
    fn __match_args__() -> (&'static str, &'static str) {
        ("text", "calls")
    }

    /// The visible text.
    #[getter]
    fn text(&self) -> Cow<'_, str> {
        self.only(&Kind::Text).map_or_else(|| self.turn.text().into(), Cow::Borrowed)
    }

    /// The reasoning; several sections are joined by a line break.
    #[getter]
    fn reasoning(&self) -> Cow<'_, str> {
        self.only(&Kind::Reasoning).map_or_else(|| self.turn.reasoning().into(), Cow::Borrowed)
    }

    /// The calls that may run, in order.
    #[getter]
    fn calls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let made = self.calls.get_or_try_init(py, || {
            let calls = self.turn.calls().map(|call| Call::of_turn(&call, &self.id_prefix));
            Self::list(py, calls).map(Bound::unbind)
        })?;
        Ok(made.bind(py).clone())
    }

    /// The calls with those of undeclared tools, for whoever decides about names himself.
    #[getter]
    fn every_call<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        Self::list(py, self.turn.every_call().map(|call| Call::of_turn(&call, &self.id_prefix)))
    }

    /// The calls that do not run, each with its reason.
    #[getter]
    fn refused<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        Self::list(py, self.turn.refused.iter().map(RefusedCall::new))
    }

    /// Trouble and what was done about it, in order.
    #[getter]
    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        Self::list(py, self.turn.diagnostics.iter().map(Diagnostic::new))
    }

    /// The segments, in order.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        Self::list(py, self.turn.parts.iter().map(Part::new))
    }

    /// Whether there is a diagnostic of severity error.
    #[getter]
    fn has_errors(&self) -> bool {
        self.turn.has_errors()
    }

    /// Whether the stream has said that it is over.
    #[getter]
    fn finished(&self) -> bool {
        self.turn.finished
    }

    /// As chat completions spell it: `tool_calls` after a call that may run, else `stop`; `length` and
    /// `error` for answers that were cut.
    #[getter]
    fn finish_reason(&self) -> &'static str {
        FinishReason::of(self.end, self.turn.calls().next().is_some()).underscored()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        repr(slf.as_any(), &["text", "reasoning", "calls", "refused"])
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.turn == other.turn && self.end == other.end
    }
}
