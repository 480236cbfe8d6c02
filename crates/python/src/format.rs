//! Wire formats by name, formats of the user's own, and detection.
//!
//! The registry and what is compiled for a name are made once a process: compiling all rows takes longer
//! than most answers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use toolweir::protocols::FAMILIES;
use toolweir::protocols::detect::{Candidate as CoreCandidate, Detector};
use toolweir::protocols::formats::{HAND_WRITTEN, specs};
use toolweir::{FormatSpec, Protocol, Registry, Request, Tool, ToolSet};

use crate::record::record;
use crate::request::Options;
use crate::tools::Tools;
use crate::{error, text};

/// So many names are remembered; a program that reads more of them compiles anew.
const REMEMBERED: usize = 256;

static REGISTRY: OnceLock<Registry> = OnceLock::new();
static DETECTOR: OnceLock<Detector> = OnceLock::new();
static BY_NAME: Mutex<BTreeMap<String, Arc<dyn Protocol>>> = Mutex::new(BTreeMap::new());

fn registry() -> &'static Registry {
    REGISTRY.get_or_init(Registry::builtin)
}

/// A wire format: a built-in one by its name, or one of the user's own.
#[pyclass(frozen, module = "toolweir")]
pub(crate) struct Format {
    protocol: Arc<dyn Protocol>,
}

#[pymethods]
impl Format {
    /// The built-in format of that name or alias, several separated by commas, or `auto`.
    #[new]
    fn new(py: Python<'_>, name: &Bound<'_, PyString>) -> PyResult<Self> {
        named(py, &text::of(name)?).map(|protocol| Self { protocol })
    }

    /// A format of your own from the JSON text that describes it.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Self> {
        let text = text::of(text)?;
        own(py, &FormatSpec::from_json(&text).map_err(|found| error::spec(py, &found))?)
    }

    /// The same from TOML.
    #[staticmethod]
    fn from_toml(py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Self> {
        let text = text::of(text)?;
        own(py, &FormatSpec::from_toml(&text).map_err(|found| error::spec(py, &found))?)
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.protocol.name()
    }

    /// Special tokens of the model that a server must not drop from its text.
    #[getter]
    fn special_markers(&self) -> Vec<String> {
        self.protocol.special_markers()
    }

    /// What a decoder without tools looks for in text.
    #[getter]
    fn markers(&self) -> Vec<String> {
        self.protocol.markers(&Request::default())
    }

    /// Whether it also looks for markers that are made from the declared tools.
    #[getter]
    fn marks_by_tools(&self) -> bool {
        let (tools, _) = ToolSet::lenient([Tool::new("tool")]);
        let declared = self.protocol.markers(&Request::new(tools));
        declared.iter().any(|marker| !self.markers().contains(marker))
    }

    fn __repr__(&self) -> String {
        format!("Format({:?})", self.protocol.name())
    }
}

fn own(py: Python<'_>, spec: &FormatSpec) -> PyResult<Format> {
    let mut registry = registry().clone();
    registry.replace_spec(spec).map_err(|found| error::spec(py, &found))?;
    let protocol = registry.get(&spec.name).map_err(|found| error::spec(py, &found))?;
    Ok(Format { protocol: Arc::clone(protocol) })
}

fn named(py: Python<'_>, name: &str) -> PyResult<Arc<dyn Protocol>> {
    let known = BY_NAME.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
    if let Some(protocol) = known {
        return Ok(protocol);
    }
    let protocol =
        py.detach(|| registry().union(name)).map_err(|found| error::union(py, &found))?;
    let mut by_name = BY_NAME.lock().unwrap_or_else(PoisonError::into_inner);
    if by_name.len() >= REMEMBERED {
        by_name.clear();
    }
    by_name.insert(name.to_owned(), Arc::clone(&protocol));
    Ok(protocol)
}

/// The format that an argument names.
pub(crate) fn of(format: &Bound<'_, PyAny>) -> PyResult<Arc<dyn Protocol>> {
    if let Ok(name) = format.cast::<PyString>() {
        return named(format.py(), &text::of(name)?);
    }
    if let Ok(format) = format.cast::<Format>() {
        return Ok(Arc::clone(&format.get().protocol));
    }
    Err(PyTypeError::new_err("a format is a name or a toolweir.Format"))
}

record! {
    /// What is known of a built-in format.
    FormatInfo ["name", "line"] {
        /// Its name.
        name: String,
        /// Other names for it.
        aliases: Vec<String>,
        /// `calls`, or `reasoning` for a family that marks nothing else.
        kind: String,
        /// What a call or section looks like: the pattern that is written, or words.
        line: String,
        /// The reasoning family that usually goes with it.
        reasoning: String,
        /// Which models write it.
        models: String,
        /// Special tokens of the model that a server must keep in its text.
        special_markers: Vec<String>,
    }
}

/// Every built-in wire format, then the reasoning families.
#[pyfunction]
pub(crate) fn formats() -> Vec<FormatInfo> {
    let registry = registry();
    let special = |name: &str| registry.get(name).map(|p| p.special_markers()).unwrap_or_default();
    let rows = specs().into_iter().map(|spec| FormatInfo {
        special_markers: special(&spec.name),
        line: spec.call.first().map(|call| call.pattern.clone()).unwrap_or_default(),
        name: spec.name,
        aliases: spec.aliases,
        kind: "calls".to_owned(),
        reasoning: spec.reasoning,
        models: spec.models,
    });
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    let by_hand = HAND_WRITTEN.iter().map(|format| FormatInfo {
        name: format.name.to_owned(),
        aliases: texts(format.aliases),
        kind: "calls".to_owned(),
        line: format.payload.to_owned(),
        reasoning: String::new(),
        models: format.models.to_owned(),
        special_markers: special(format.name),
    });
    let families = FAMILIES.iter().map(|family| FormatInfo {
        name: family.name.to_owned(),
        aliases: texts(family.aliases),
        kind: "reasoning".to_owned(),
        line: family.section.first().copied().unwrap_or_default().to_owned(),
        reasoning: family.name.to_owned(),
        models: String::new(),
        special_markers: Vec::new(),
    });
    rows.chain(by_hand).chain(families).collect()
}

record! {
    /// A format that may be the one, and why.
    Candidate ["format", "score"] {
        /// The name of the format.
        format: String,
        /// The name of the reasoning family.
        reasoning: String,
        /// From 1 to 1000; it orders the candidates of one list.
        score: u32,
        /// What speaks for it and against it, a line each.
        evidence: Vec<String>,
    }
}

impl From<CoreCandidate> for Candidate {
    fn from(found: CoreCandidate) -> Self {
        Self {
            evidence: found.evidence.iter().map(ToString::to_string).collect(),
            format: found.format,
            reasoning: found.reasoning,
            score: found.score,
        }
    }
}

/// What a candidate is read from.
#[derive(Clone, Copy)]
enum Source {
    Text,
    Model,
    Template,
}

/// The formats that may have been written, best first; exactly one of the three is given.
#[pyfunction]
#[pyo3(signature = (text = None, *, model = None, template = None, tools = None))]
pub(crate) fn detect(
    py: Python<'_>,
    text: Option<&Bound<'_, PyString>>,
    model: Option<&Bound<'_, PyString>>,
    template: Option<&Bound<'_, PyString>>,
    tools: Option<&Bound<'_, Tools>>,
) -> PyResult<Vec<Candidate>> {
    let (given, source) = match (text, model, template) {
        (Some(text), None, None) => (text, Source::Text),
        (None, Some(model), None) => (model, Source::Model),
        (None, None, Some(template)) => (template, Source::Template),
        _ => {
            return Err(PyTypeError::new_err("give one of text, model=… and template=…"));
        }
    };
    let given = text::of(given)?;
    let request = Options::default().request(py, tools)?;
    let found = py.detach(|| {
        let detector = DETECTOR.get_or_init(|| Detector::new(registry()));
        match source {
            Source::Text => detector.transcript(&given, &request),
            Source::Model => detector.model(&given),
            Source::Template => detector.template(&given),
        }
    });
    Ok(found.into_iter().map(Candidate::from).collect())
}
