//! Answers as arrays of numpy, which is imported when one is asked for.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// An array of these numbers, which cannot be written to: they are part of an answer.
///
/// # Errors
/// `ModuleNotFoundError` without numpy.
pub(super) fn numpy_array<'py, const N: usize, T>(
    py: Python<'py>,
    kind: &str,
    values: &[T],
    bytes_of: impl Fn(&T) -> [u8; N],
) -> PyResult<Bound<'py, PyAny>> {
    let bytes = PyBytes::new_with(py, N * values.len(), |bytes| {
        for (place, value) in bytes.as_chunks_mut::<N>().0.iter_mut().zip(values) {
            *place = bytes_of(value);
        }
        Ok(())
    })?;
    py.import("numpy")?
        .call_method1("frombuffer", (bytes, kind))
}

/// The numbers of items as an array.
///
/// # Errors
/// As [`numpy_array`].
pub(super) fn item_array<'py>(py: Python<'py>, items: &[u32]) -> PyResult<Bound<'py, PyAny>> {
    numpy_array(py, "u4", items, |item| item.to_ne_bytes())
}
