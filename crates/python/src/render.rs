//! Prompt text: tools, calls and responses as the model writes and reads them.

use pyo3::prelude::*;

use toolweir::{Tool, ToolCall, ToolResponse};

use crate::tools::Tools;
use crate::{error, format};

/// The block that tells the model its tools.
#[pyfunction]
pub(crate) fn format_tools(
    format: &Bound<'_, PyAny>,
    tools: &Bound<'_, Tools>,
) -> PyResult<String> {
    let tools: Vec<Tool> = tools.get().set.iter().cloned().collect();
    let written = format::of(format)?.format_tools(&tools);
    written.map_err(|found| error::format(format.py(), &found))
}

/// A call as the Python half of the package gives it: name, arguments as JSON text, id.
type Row = (String, String, Option<String>);

/// The calls of one turn as the model writes them.
#[pyfunction]
pub(crate) fn format_calls(format: &Bound<'_, PyAny>, calls: Vec<Row>) -> PyResult<String> {
    let protocol = format::of(format)?;
    let calls: Vec<ToolCall> = calls.into_iter().map(call).collect();
    let written = match calls.as_slice() {
        [one] => protocol.format_tool_call(one),
        several => protocol.format_tool_calls(several),
    };
    written.map_err(|found| error::format(format.py(), &found))
}

fn call((name, arguments, native_id): Row) -> ToolCall {
    let mut call = ToolCall::new(name, arguments);
    call.native_id = native_id;
    call
}

/// What a tool returned, as the model reads it.
#[pyfunction]
#[pyo3(signature = (format, name, content, native_id = None))]
pub(crate) fn format_response(
    format: &Bound<'_, PyAny>,
    name: String,
    content: String,
    native_id: Option<String>,
) -> PyResult<String> {
    let mut response = ToolResponse::new(name, content);
    response.native_id = native_id;
    let written = format::of(format)?.format_tool_response(&response);
    written.map_err(|found| error::format(format.py(), &found))
}
