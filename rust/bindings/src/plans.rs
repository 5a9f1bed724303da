//! The formats of plans, as Python sees them.

use chant_workspace::formats as all_formats;
use pyo3::prelude::*;

use crate::answer::plain;
use crate::raise::Raised;

/// All formats, those with tools of their own first: rows of word, title, nouns, markers, intents, statuses, whether it
/// has tools of its own, and an example of a key.
#[pyfunction]
pub(crate) fn formats(py: Python<'_>) -> Result<Py<PyAny>, Raised> {
    let rows = all_formats::rows();
    let rows = serde_json::to_value(rows).unwrap_or_default();
    Ok(plain(py, rows)?)
}
