//! Many whole texts at once, as columns: what `toolweir/batch.py` makes tables of.
//!
//! Rows are decoded without the interpreter lock, by as many threads as are asked for; each is a stream of
//! one chunk (C4), and none can stop the others.

use std::panic::resume_unwind;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use toolweir::{Chunk, Fold, Protocol, Request, RequestError, StreamEnd, Turn};

use crate::request::{self, Options};
use crate::tools::Tools;
use crate::{error, format, text};

/// How many fields an entry of a list has: three, whatever it is.
const FIELDS: usize = 3;

/// Lists of one column: for each row where its entries end.
#[derive(Default)]
struct Lists {
    ends: Vec<usize>,
    fields: [Vec<Option<String>>; FIELDS],
}

impl Lists {
    fn entry(&mut self, values: [Option<String>; FIELDS]) {
        for (column, value) in self.fields.iter_mut().zip(values) {
            column.push(value);
        }
    }

    fn end_row(&mut self) {
        self.ends.push(self.fields.first().map_or(0, Vec::len));
    }

    fn append(&mut self, other: Self) {
        let before = self.fields.first().map_or(0, Vec::len);
        self.ends.extend(other.ends.iter().map(|end| before.saturating_add(*end)));
        for (column, more) in self.fields.iter_mut().zip(other.fields) {
            column.extend(more);
        }
    }

    fn into_python<'py>(
        self,
        py: Python<'py>,
        names: [&str; FIELDS],
    ) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        let mut offsets = vec![0];
        offsets.extend(self.ends);
        out.set_item("offsets", offsets)?;
        for (name, column) in names.iter().zip(self.fields) {
            out.set_item(name, column)?;
        }
        Ok(out)
    }
}

/// The columns of some rows.
#[derive(Default)]
struct Columns {
    text: Vec<Option<String>>,
    reasoning: Vec<Option<String>>,
    calls: Lists,
    refused: Lists,
    diagnostics: Lists,
}

impl Columns {
    fn row(&mut self, turn: Option<&Turn>, id_prefix: &str) {
        self.text.push(turn.map(Turn::text));
        self.reasoning.push(turn.map(Turn::reasoning));
        for call in turn.into_iter().flat_map(Turn::calls) {
            let id =
                call.native_id.map_or_else(|| format!("{id_prefix}{}", call.ordinal), Into::into);
            self.calls.entry([Some(call.name.into()), Some(call.arguments.into()), Some(id)]);
        }
        for call in turn.into_iter().flat_map(|turn| &turn.refused) {
            let (why, reason) = (call.why.as_str().to_owned(), call.to_string());
            self.refused.entry([Some(why), call.name.clone(), Some(reason)]);
        }
        for found in turn.into_iter().flat_map(|turn| &turn.diagnostics) {
            let severity = found.severity.as_str().to_owned();
            let message = found.message.to_string();
            self.diagnostics.entry([Some(found.code.to_owned()), Some(severity), Some(message)]);
        }
        self.calls.end_row();
        self.refused.end_row();
        self.diagnostics.end_row();
    }

    fn append(&mut self, other: Self) {
        self.text.extend(other.text);
        self.reasoning.extend(other.reasoning);
        self.calls.append(other.calls);
        self.refused.append(other.refused);
        self.diagnostics.append(other.diagnostics);
    }

    fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let out = PyDict::new(py);
        out.set_item("text", self.text)?;
        out.set_item("reasoning", self.reasoning)?;
        out.set_item("calls", self.calls.into_python(py, ["name", "arguments", "id"])?)?;
        out.set_item("refused", self.refused.into_python(py, ["why", "name", "reason"])?)?;
        let diagnostics = self.diagnostics.into_python(py, ["code", "severity", "message"])?;
        out.set_item("diagnostics", diagnostics)?;
        Ok(out)
    }
}

/// How every row is decoded.
struct Job {
    protocol: Arc<dyn Protocol>,
    request: Request,
    end: StreamEnd,
    id_prefix: String,
}

impl Job {
    fn rows(&self, rows: &[Option<String>]) -> Result<Columns, RequestError> {
        let mut columns = Columns::default();
        for row in rows {
            let turn = row.as_deref().map(|text| self.turn(text)).transpose()?;
            columns.row(turn.as_ref(), &self.id_prefix);
        }
        Ok(columns)
    }

    fn turn(&self, text: &str) -> Result<Turn, RequestError> {
        let mut decoder = self.protocol.decoder(&self.request)?;
        let mut fold = Fold::new();
        decoder.push(Chunk::text(text), &mut fold);
        decoder.finish(self.end, &mut fold);
        Ok(fold.into_turn())
    }

    /// The rows in as many parts as there are workers, each by a thread of its own.
    fn shared_out(&self, rows: &[Option<String>], workers: usize) -> Result<Columns, RequestError> {
        let part = rows.len().div_ceil(workers.max(1)).max(1);
        let done: Vec<Result<Columns, RequestError>> = std::thread::scope(|scope| {
            let running: Vec<_> =
                rows.chunks(part).map(|rows| scope.spawn(move || self.rows(rows))).collect();
            // Decoding cannot panic (C7); were it to, rows would not silently be missing.
            running
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        });
        let mut columns = Columns::default();
        for part in done {
            columns.append(part?);
        }
        Ok(columns)
    }
}

/// The columns of the turns of these texts; a row that is `None` gives nulls and empty lists.
#[pyfunction]
#[pyo3(signature = (rows, /, format, tools = None, *, end = "stop", workers = 1, **options))]
pub(crate) fn parse_columns<'py>(
    rows: Vec<Option<Bound<'py, PyString>>>,
    format: &Bound<'py, PyAny>,
    tools: Option<&Bound<'_, Tools>>,
    end: &str,
    workers: usize,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = format.py();
    let options = Options::new(options)?;
    let job = Job {
        protocol: format::of(format)?,
        request: options.request(py, tools)?,
        end: request::end(end)?,
        id_prefix: options.id_prefix,
    };
    let texts: PyResult<Vec<Option<String>>> = rows
        .iter()
        .map(|row| row.as_ref().map(|row| Ok(text::of(row)?.to_string())).transpose())
        .collect();
    let texts = texts?;
    let columns = py.detach(|| match workers {
        0 | 1 => job.rows(&texts),
        _ => job.shared_out(&texts, workers),
    });
    columns.map_err(|found| error::request(py, &found))?.into_python(py)
}
