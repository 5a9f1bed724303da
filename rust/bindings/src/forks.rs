//! Forks of the interpreter: a child keeps no lock of its parent.

use chant_store::disk::{after_fork, before_fork};
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};

/// Has the interpreter call us around each fork, where it can fork.
pub(crate) fn watch(py: Python<'_>) -> PyResult<()> {
    let os = py.import("os")?;
    if !os.hasattr("register_at_fork")? {
        return Ok(());
    }
    let calls = PyDict::new(py);
    let before = |_: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| before_fork();
    let in_parent = |_: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| after_fork(false);
    let in_child = |_: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| after_fork(true);
    calls.set_item("before", PyCFunction::new_closure(py, None, None, before)?)?;
    calls.set_item(
        "after_in_parent",
        PyCFunction::new_closure(py, None, None, in_parent)?,
    )?;
    calls.set_item(
        "after_in_child",
        PyCFunction::new_closure(py, None, None, in_child)?,
    )?;
    os.call_method("register_at_fork", (), Some(&calls))
        .map(drop)
}
