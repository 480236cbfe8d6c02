//! Streams and whole texts.

use std::ops::Range;
use std::sync::{Mutex, TryLockError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use toolweir::{Chunk, Decoder as CoreDecoder, Fold, StreamEnd};

use crate::event::Gather;
use crate::request::{self, Options};
use crate::tools::Tools;
use crate::turn::Turn;
use crate::{error, format, text};

/// From so many bytes on the interpreter runs other threads while a text is decoded.
pub(crate) const LARGE: usize = 4096;

/// Decodes one stream.
#[pyclass(frozen, module = "toolweir._toolweir")]
pub(crate) struct Decoder {
    state: Mutex<State>,
    format: String,
}

struct State {
    decoder: Box<dyn CoreDecoder>,
    events: Gather,
    end: Option<StreamEnd>,
}

#[pymethods]
impl Decoder {
    #[new]
    #[pyo3(signature = (format, tools = None, *, keep_turn = false, **options))]
    fn new(
        format: &Bound<'_, PyAny>,
        tools: Option<&Bound<'_, Tools>>,
        keep_turn: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let py = format.py();
        let protocol = format::of(format)?;
        let options = Options::new(options)?;
        let request = options.request(py, tools)?;
        let decoder = protocol.decoder(&request).map_err(|found| error::request(py, &found))?;
        let events = Gather::new(options.id_prefix, keep_turn);
        let state = Mutex::new(State { decoder, events, end: None });
        Ok(Self { state, format: protocol.name().to_owned() })
    }

    /// The name of the format.
    #[getter]
    fn format(&self) -> &str {
        &self.format
    }

    /// Whether `finish` was called.
    #[getter]
    fn finished(&self) -> PyResult<bool> {
        self.with(|state| state.end.is_some())
    }

    /// Decodes the next chunk. `special`: the character ranges of it that came from special tokens.
    #[pyo3(signature = (text, special = None))]
    fn push<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyString>,
        special: Option<Vec<(usize, usize)>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let text = text::of(text)?;
        let special = special.map(|ranges| byte_ranges(&text, &ranges));
        let chunk = match &special {
            Some(ranges) => Chunk::attributed(&text, ranges),
            None => Chunk::text(&text),
        };
        let push = |state: &mut State| {
            state.decoder.push(chunk, &mut state.events);
            state.events.take()
        };
        let large = text.len() >= LARGE;
        let events = if large { py.detach(|| self.with(push)) } else { self.with(push) };
        events?.into_python(py)
    }

    /// Ends the stream: everything that was held comes out.
    #[pyo3(signature = (end = "stop"))]
    fn finish<'py>(&self, py: Python<'py>, end: &str) -> PyResult<Bound<'py, PyList>> {
        let end = request::end(end)?;
        self.with(|state| {
            state.end.get_or_insert(end);
            state.decoder.finish(end, &mut state.events);
            state.events.take()
        })?
        .into_python(py)
    }

    /// The turn so far, with `keep_turn=True`.
    #[getter]
    fn turn(&self) -> PyResult<Turn> {
        self.with(|state| {
            let turn = state.events.turn().cloned().ok_or_else(|| {
                PyRuntimeError::new_err("make the decoder with keep_turn=True to ask for its turn")
            })?;
            let end = state.end.unwrap_or_default();
            Ok(Turn::new(turn, end, state.events.id_prefix().to_owned()))
        })?
    }

    fn __repr__(&self) -> String {
        format!("Decoder({:?})", self.format)
    }
}

impl Decoder {
    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> PyResult<T> {
        locked(&self.state, "decoder", work)
    }
}

/// Ranges of characters as ranges of bytes, in order.
fn byte_ranges(text: &str, ranges: &[(usize, usize)]) -> Vec<Range<usize>> {
    let places: Vec<usize> =
        text.char_indices().map(|(at, _)| at).chain(std::iter::once(text.len())).collect();
    let place = |character: usize| places.get(character).copied().unwrap_or(text.len());
    let mut out: Vec<Range<usize>> =
        ranges.iter().map(|(start, end)| place(*start)..place(*end)).collect();
    out.sort_by_key(|range| range.start);
    out
}

/// Decodes a whole text.
#[pyfunction]
#[pyo3(signature = (text, /, format, tools = None, *, end = "stop", **options))]
pub(crate) fn parse(
    text: &Bound<'_, PyString>,
    format: &Bound<'_, PyAny>,
    tools: Option<&Bound<'_, Tools>>,
    end: &str,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Turn> {
    let py = text.py();
    let protocol = format::of(format)?;
    let end = request::end(end)?;
    let options = Options::new(options)?;
    let request = options.request(py, tools)?;
    let text = text::of(text)?;
    let decode = || {
        let mut decoder = protocol.decoder(&request)?;
        let mut fold = Fold::new();
        decoder.push(Chunk::text(&text), &mut fold);
        decoder.finish(end, &mut fold);
        Ok(fold.into_turn())
    };
    let turn = if text.len() >= LARGE { py.detach(decode) } else { decode() };
    let turn = turn.map_err(|found| error::request(py, &found))?;
    Ok(Turn::new(turn, end, options.id_prefix))
}

/// The lock of something that only one thread uses at a time.
pub(crate) fn locked<T, R>(
    mutex: &Mutex<T>,
    what: &str,
    work: impl FnOnce(&mut T) -> R,
) -> PyResult<R> {
    match mutex.try_lock() {
        Ok(mut state) => Ok(work(&mut state)),
        Err(TryLockError::Poisoned(state)) => Ok(work(&mut state.into_inner())),
        Err(TryLockError::WouldBlock) => Err(error::busy(what)),
    }
}
