//! Strings of Python as text.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyString};

/// What stands for half of a surrogate pair. As long as its encoding, so that offsets stay.
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// The text of a string. Halves of surrogate pairs, which a string of Python may hold and UTF-8 may
/// not, are U+FFFD.
pub(crate) fn of(string: &Bound<'_, PyString>) -> PyResult<PyBackedStr> {
    // The encoded text stays an object of Python: it is not copied once more.
    if let Ok(text) = string.clone().try_into() {
        return Ok(text);
    }
    let bytes = string.call_method1("encode", ("utf-8", "surrogatepass"))?;
    let bytes = bytes.cast::<PyBytes>()?.as_bytes().to_vec();
    PyString::new(string.py(), &replaced(bytes)).try_into()
}

/// The bytes as text, each encoded surrogate replaced.
fn replaced(mut bytes: Vec<u8>) -> String {
    let surrogate = |unit: &[u8]| matches!(unit, [0xED, 0xA0..=0xBF, _]);
    let units = bytes.windows(REPLACEMENT.len()).enumerate();
    let places: Vec<usize> =
        units.filter(|(_, unit)| surrogate(unit)).map(|(place, _)| place).collect();
    for place in places {
        let unit = bytes.get_mut(place..place.saturating_add(REPLACEMENT.len()));
        unit.into_iter().for_each(|unit| unit.copy_from_slice(REPLACEMENT));
    }
    // Nothing else can be wrong with what Python encodes.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// How many characters stand before a byte of the text.
pub(crate) fn characters_before(text: &str, byte: u64) -> usize {
    let byte = usize::try_from(byte).unwrap_or(usize::MAX);
    text.char_indices().take_while(|(at, _)| *at < byte).count()
}
