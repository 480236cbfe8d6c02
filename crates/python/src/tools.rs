//! Declared tools, compiled once.

use pyo3::prelude::*;

use toolweir::{Tool, ToolSet};

use crate::error;

/// A tool as the Python half of the package gives it: name, description and schema as JSON text.
type Row = (String, Option<String>, Option<String>);

/// Tools with their schemas compiled: cheap to give to many decoders. The Python half of the package turns
/// every other form of tools into it.
#[pyclass(frozen, module = "toolweir._toolweir")]
pub(crate) struct Tools {
    pub(crate) set: ToolSet,
    errors: Vec<String>,
}

#[pymethods]
impl Tools {
    #[new]
    #[pyo3(signature = (rows, lenient = false))]
    fn new(py: Python<'_>, rows: Vec<Row>, lenient: bool) -> PyResult<Self> {
        let tools = rows.into_iter().map(|(name, description, schema)| {
            let mut tool = Tool::new(name);
            tool.description = description;
            match schema {
                Some(schema) => tool.parameters(schema),
                None => tool,
            }
        });
        let (set, errors) = ToolSet::lenient(tools);
        match errors.first() {
            Some(found) if !lenient => Err(error::tool(py, found)),
            _ => Ok(Self { set, errors: errors.iter().map(ToString::to_string).collect() }),
        }
    }

    /// The names, in the order given.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.set.iter().map(|tool| tool.name.clone()).collect()
    }

    /// With `lenient=True`: schemas that cannot be used, a line each; those tools take anything.
    #[getter]
    fn errors(&self) -> Vec<String> {
        self.errors.clone()
    }

    /// Keywords of the schemas that were ignored because they are malformed, a line each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.set.notes().to_vec()
    }

    fn __len__(&self) -> usize {
        self.set.len()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.set.contains(name)
    }
}
