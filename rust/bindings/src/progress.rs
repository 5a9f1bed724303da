//! Reports of long work, handed to Python.

use std::sync::Arc;

use chant_base::progress::{ProgressSink, report_to};
use pyo3::prelude::*;

/// Has work that this thread begins from now on report to a function, or to none: what is done, how many steps of it
/// are, and how many there are. It is called from any thread.
#[pyfunction]
#[pyo3(signature = (report))]
pub(crate) fn report_progress_to(report: Option<Py<PyAny>>) {
    let sink = report.map(|report| -> ProgressSink {
        Arc::new(move |name, done, total| {
            // The work goes on, whatever became of its report.
            let _ = Python::attach(|py| report.call1(py, (name, done, total)).map(drop));
        })
    });
    report_to(sink);
}
