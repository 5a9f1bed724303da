//! Counts of the core's work, for benchmarks and tests.

use chant_base::counted::CountedWork;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Returns the work of this process since it started: files opened, bytes read and written, entries listed,
/// items visited, paths resolved.
#[pyfunction]
pub(crate) fn counted_work(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let work = CountedWork::now();
    let counts = PyDict::new(py);
    counts.set_item("opened", work.opened)?;
    counts.set_item("read", work.read)?;
    counts.set_item("written", work.written)?;
    counts.set_item("listed", work.listed)?;
    counts.set_item("visited", work.visited)?;
    counts.set_item("resolved", work.resolved)?;
    Ok(counts)
}
