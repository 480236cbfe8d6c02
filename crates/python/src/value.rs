//! Values of JSON and of Python, both ways.
//!
//! Invariants: a number keeps its value (an integer is an `int` of any size, any other number a `float`
//! where that prints back equal, else a `decimal.Decimal`); nothing recurses, however deep the value.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple, PyType};

use toolweir::rjson::{Array, Number, Object, Value};

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

    fn string(&mut self, py: Python<'py>, key: &'v str) -> Bound<'py, PyString> {
        let sum = key.bytes().fold(key.len(), |sum, byte| sum.wrapping_mul(31) ^ usize::from(byte));
        let Some(place) = self.0.get_mut(sum % Self::PLACES) else { return PyString::new(py, key) };
        match place {
            Some((text, string)) if *text == key => string.clone(),
            place => place.insert((key, PyString::new(py, key))).1.clone(),
        }
    }
}

/// An open container of the value that is being made.
enum Frame<'v, 'py> {
    List(Bound<'py, PyList>, std::slice::Iter<'v, Value>),
    Dict(Bound<'py, PyDict>, &'v Object, usize),
}

/// The value in Python's own types.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let (mut open, mut keys) = (Vec::new(), Keys::default());
    let root = begin(py, value, &mut open)?;
    while let Some(frame) = open.last_mut() {
        let child = match frame {
            Frame::List(_, rest) => rest.next().map(|child| (None, child)),
            Frame::Dict(_, object, at) => {
                let member = object.entry_at(*at);
                *at = at.saturating_add(1);
                member.map(|(key, child)| (Some(key), child))
            }
        };
        let Some((key, child)) = child else {
            open.pop();
            continue;
        };
        // Begun children are put into their container at once: they fill while they lie there.
        let place = open.len();
        let made = begin(py, child, &mut open)?;
        match open.get(place.saturating_sub(1)) {
            Some(Frame::List(list, _)) => list.append(made)?,
            Some(Frame::Dict(dict, ..)) => {
                dict.set_item(keys.string(py, key.unwrap_or_default()), made)?;
            }
            None => {}
        }
    }
    Ok(root)
}

/// A scalar, or an empty container that is opened.
fn begin<'v, 'py>(
    py: Python<'py>,
    value: &'v Value,
    open: &mut Vec<Frame<'v, 'py>>,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Number(number) => self::number(py, number)?,
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(array) => {
            let list = PyList::empty(py);
            open.push(Frame::List(list.clone(), array.iter()));
            list.into_any()
        }
        Value::Object(object) => {
            let dict = PyDict::new(py);
            open.push(Frame::Dict(dict.clone(), object, 0));
            dict.into_any()
        }
    })
}

fn number<'py>(py: Python<'py>, number: &Number) -> PyResult<Bound<'py, PyAny>> {
    let text = number.as_str();
    if !text.contains(['.', 'e', 'E']) {
        if let Ok(small) = text.parse::<i64>() {
            return Ok(small.into_pyobject(py)?.into_any());
        }
        // Python refuses to read very long integers (`sys.set_int_max_str_digits`).
        let int = py.get_type::<PyInt>().call1((text,));
        return int.or_else(|_| decimal(py)?.call1((text,)));
    }
    match number.as_f64().filter(|_| number.is_exact()) {
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
