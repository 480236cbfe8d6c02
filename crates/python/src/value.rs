//! Values of JSON and of Python, both ways.
//!
//! Invariants: a number keeps its value (an integer is an `int` of any size, any other number a `float`
//! where that prints back equal, else a `decimal.Decimal`); nothing recurses, however deep the value.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple, PyType};

use toolweir::rjson::{Array, Number, Object, ObjectIter, Value};

use crate::text;

/// So many containers may lie in one another in a value from Python: more is a loop, most likely.
const MAX_DEPTH: usize = 200;

static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();

fn decimal(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    DECIMAL.import(py, "decimal", "Decimal")
}

/// Strings of the keys made last: objects of one list have the same ones.
#[derive(Default)]
struct Keys<'v, 'py>([Option<(&'v str, Bound<'py, PyString>)>; Keys::PLACES]);

impl<'v, 'py> Keys<'v, 'py> {
    const PLACES: usize = 32;

    #[expect(clippy::indexing_slicing, reason = "a remainder is below the length")]
    fn string(&mut self, py: Python<'py>, key: &'v str) -> &Bound<'py, PyString> {
        let bytes = key.as_bytes();
        // Keys of one text mostly differ in their length or in one of these bytes.
        let some = [bytes.first(), bytes.get(bytes.len() / 2), bytes.last()];
        let hash = some
            .into_iter()
            .flatten()
            .fold(bytes.len(), |hash, &byte| hash.wrapping_mul(7).wrapping_add(usize::from(byte)));
        let place = &mut self.0[hash % Self::PLACES];
        if place.as_ref().is_none_or(|(known, _)| *known != key) {
            *place = None;
        }
        &place.get_or_insert_with(|| (key, PyString::new(py, key))).1
    }
}

/// A value that is no container.
struct Scalar<'v>(&'v Value);

impl<'py> IntoPyObject<'py> for Scalar<'_> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.0 {
            Value::Bool(value) => Ok(PyBool::new(py, *value).to_owned().into_any()),
            Value::Number(number) => self::number(py, number),
            Value::String(text) => Ok(PyString::new(py, text).into_any()),
            Value::Null | Value::Array(_) | Value::Object(_) => Ok(py.None().into_bound(py)),
        }
    }
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_))
}

/// An open container of the value that is being made.
enum Frame<'v, 'py> {
    List(Bound<'py, PyList>, std::slice::Iter<'v, Value>),
    /// With the key of the member that is being made.
    Dict(Bound<'py, PyDict>, ObjectIter<'v>, &'v str),
}

impl<'v, 'py> Frame<'v, 'py> {
    /// The container, with its first scalars; none for a scalar.
    fn open(py: Python<'py>, value: &'v Value) -> PyResult<Option<Self>> {
        Ok(match value {
            Value::Array(array) => {
                let scalars = array.iter().position(is_container).unwrap_or(array.len());
                let (scalars, rest) = array.split_at(scalars);
                let list = PyList::new(py, scalars.iter().map(Scalar))?;
                Some(Frame::List(list, rest.iter()))
            }
            Value::Object(object) => Some(Frame::Dict(PyDict::new(py), object.iter(), "")),
            _ => None,
        })
    }

    /// Puts the next scalars into the container, and gives the container after them, if there is one.
    fn fill(&mut self, py: Python<'py>, keys: &mut Keys<'v, 'py>) -> PyResult<Option<&'v Value>> {
        match self {
            Frame::List(list, rest) => {
                for value in rest {
                    if is_container(value) {
                        return Ok(Some(value));
                    }
                    list.append(Scalar(value))?;
                }
            }
            Frame::Dict(dict, rest, open) => {
                for (key, value) in rest {
                    if is_container(value) {
                        *open = key;
                        return Ok(Some(value));
                    }
                    dict.set_item(keys.string(py, key), Scalar(value))?;
                }
            }
        }
        Ok(None)
    }

    /// Puts the container that [`fill`](Self::fill) gave into this one.
    fn put(&self, made: Bound<'py, PyAny>, keys: &mut Keys<'v, 'py>) -> PyResult<()> {
        match self {
            Frame::List(list, _) => list.append(made),
            Frame::Dict(dict, _, key) => dict.set_item(keys.string(dict.py(), key), made),
        }
    }

    fn close(self) -> Bound<'py, PyAny> {
        match self {
            Frame::List(list, _) => list.into_any(),
            Frame::Dict(dict, ..) => dict.into_any(),
        }
    }
}

/// The value in Python's own types.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let Some(mut frame) = Frame::open(py, value)? else { return Scalar(value).into_pyobject(py) };
    let (mut outer, mut keys) = (Vec::new(), Keys::default());
    loop {
        if let Some(value) = frame.fill(py, &mut keys)? {
            if let Some(inner) = Frame::open(py, value)? {
                outer.push(std::mem::replace(&mut frame, inner));
            }
            continue;
        }
        let made = frame.close();
        let Some(container) = outer.pop() else { return Ok(made) };
        frame = container;
        frame.put(made, &mut keys)?;
    }
}

fn number<'py>(py: Python<'py>, number: &Number) -> PyResult<Bound<'py, PyAny>> {
    let text = number.as_str();
    if let Ok(small) = text.parse::<i64>() {
        return Ok(small.into_pyobject(py)?.into_any());
    }
    if !text.contains(['.', 'e', 'E']) {
        // Python refuses to read very long integers (`sys.set_int_max_str_digits`).
        let int = py.get_type::<PyInt>().call1((text,));
        return int.or_else(|_| decimal(py)?.call1((text,)));
    }
    match number.exact_f64() {
        Some(double) => Ok(PyFloat::new(py, double).into_any()),
        None => decimal(py)?.call1((text,)),
    }
}

/// A value from Python: `None`, `bool`, `int`, `float`, `Decimal`, `str`, lists, tuples and mappings with
/// string keys, and objects with pydantic's `model_dump`.
pub(crate) fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    read(value, MAX_DEPTH)
}

/// Recursion is bounded by `depth`.
fn read(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    let Some(below) = depth.checked_sub(1) else {
        return Err(PyValueError::new_err(format!(
            "the value is nested more than {MAX_DEPTH} deep, or holds itself"
        )));
    };
    if value.is_none() {
        Ok(Value::Null)
    } else if let Ok(text) = value.cast::<PyString>() {
        Ok(Value::String(text::of(text)?.to_string()))
    } else if let Ok(truth) = value.cast::<PyBool>() {
        Ok(Value::Bool(truth.is_true()))
    } else if value.is_instance_of::<PyInt>() {
        from_text(&value.py().get_type::<PyInt>().call1((value,))?.str()?)
    } else if let Ok(double) = value.cast::<PyFloat>() {
        let number = Number::from_f64(double.value());
        number.map(Value::Number).ok_or_else(|| no_number(value))
    } else if let Ok(list) = value.cast::<PyList>() {
        entries(list.iter(), below)
    } else if let Ok(tuple) = value.cast::<PyTuple>() {
        entries(tuple.iter(), below)
    } else if let Ok(dict) = value.cast::<PyDict>() {
        members(dict.iter().map(Ok), below)
    } else if value.is_instance(decimal(value.py())?)? {
        from_text(&value.str()?)
    } else if let Ok(mapping) = value.cast::<PyMapping>() {
        let items = mapping.items()?;
        members(items.iter().map(|item| item.extract()), below)
    } else if let Ok(dump) = value.getattr("model_dump") {
        let words = PyDict::new(value.py());
        words.set_item("mode", "json")?;
        read(&dump.call((), Some(&words))?, below)
    } else {
        let kind = value.get_type().name()?;
        Err(PyTypeError::new_err(format!("an object of type {kind} has no place in JSON")))
    }
}

fn entries<'py>(items: impl Iterator<Item = Bound<'py, PyAny>>, depth: usize) -> PyResult<Value> {
    let mut array = Array::new();
    for item in items {
        array.push(read(&item, depth)?);
    }
    Ok(Value::Array(array))
}

type Member<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

fn members<'py>(
    items: impl Iterator<Item = PyResult<Member<'py>>>,
    depth: usize,
) -> PyResult<Value> {
    let mut object = Object::new();
    for item in items {
        let (key, value) = item?;
        let Ok(key) = key.cast::<PyString>() else {
            let kind = key.get_type().name()?;
            return Err(PyTypeError::new_err(format!("a key of type {kind}: JSON has strings")));
        };
        object.insert(&*text::of(key)?, read(&value, depth)?);
    }
    Ok(Value::Object(object))
}

fn from_text(digits: &Bound<'_, PyString>) -> PyResult<Value> {
    let number = Number::from_text(&digits.to_cow()?);
    number.map(Value::Number).map_err(|_| no_number(digits))
}

fn no_number(value: &Bound<'_, PyAny>) -> PyErr {
    let shown = value.str().map(|text| text.to_string()).unwrap_or_default();
    PyValueError::new_err(format!("{shown} is no number of JSON"))
}
