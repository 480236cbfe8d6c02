//! Small immutable classes: their fields, `repr`, equality and patterns.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The values of some attributes.
pub(crate) fn values<'py>(
    object: &Bound<'py, PyAny>,
    fields: &[&str],
) -> PyResult<Bound<'py, PyTuple>> {
    let values: PyResult<Vec<_>> = fields.iter().map(|field| object.getattr(*field)).collect();
    PyTuple::new(object.py(), values?)
}

/// `Name(field=value, …)`, with the values as Python shows them.
pub(crate) fn repr(object: &Bound<'_, PyAny>, fields: &[&str]) -> PyResult<String> {
    let mut out = object.get_type().name()?.to_string();
    out.push('(');
    for (number, field) in fields.iter().enumerate() {
        if number > 0 {
            out.push_str(", ");
        }
        out.push_str(field);
        out.push('=');
        out.push_str(&object.getattr(*field)?.repr()?.to_cow()?);
    }
    out.push(')');
    Ok(out)
}

/// A class of immutable records; the fields in brackets are those that `match` takes by position.
macro_rules! record {
    (
        $(#[$doc:meta])*
        $name:ident [$($place:literal),*] {
            $($(#[$field_doc:meta])* $field:ident : $kind:ty,)*
        }
        $($method:item)*
    ) => {
        $(#[$doc])*
        #[pyo3::pyclass(frozen, eq, get_all, from_py_object, module = "toolweir")]
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct $name {
            $($(#[$field_doc])* pub(crate) $field: $kind,)*
        }

        #[pyo3::pymethods]
        impl $name {
            #[new]
            #[allow(clippy::too_many_arguments, reason = "one for each field")]
            fn of_fields($($field: $kind),*) -> Self {
                Self { $($field),* }
            }

            /// What `pickle` and `copy` make it from again.
            fn __getnewargs__<'py>(
                slf: &pyo3::Bound<'py, Self>,
            ) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::types::PyTuple>> {
                $crate::record::values(slf.as_any(), &[$(stringify!($field)),*])
            }

            #[classattr]
            fn __match_args__(
                py: pyo3::Python<'_>,
            ) -> pyo3::PyResult<pyo3::Bound<'_, pyo3::types::PyTuple>> {
                let places: &[&str] = &[$($place),*];
                pyo3::types::PyTuple::new(py, places)
            }

            fn __repr__(slf: &pyo3::Bound<'_, Self>) -> pyo3::PyResult<String> {
                $crate::record::repr(slf.as_any(), &[$(stringify!($field)),*])
            }

            $($method)*
        }
    };
}
pub(crate) use record;
