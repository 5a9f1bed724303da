//! Answers as Python sees them.

use chant_core::answer;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

/// What a tool answers.
#[pyclass(frozen, module = "chant_mcp._core")]
pub(crate) struct Answer {
    /// Prose, or the data as JSON, indented by two blanks.
    #[pyo3(get)]
    text: String,
    /// The data as plain values; `None` for prose.
    #[pyo3(get)]
    data: Option<Py<PyAny>>,
}

impl Answer {
    /// Makes the data plain values.
    pub(crate) fn new(py: Python<'_>, answer: answer::Answer) -> PyResult<Self> {
        let data = answer.data.map(|data| plain(py, data)).transpose()?;
        Ok(Self {
            text: answer.text,
            data,
        })
    }
}

fn plain(py: Python<'_>, value: Value) -> PyResult<Py<PyAny>> {
    match value {
        Value::Null => Ok(py.None()),
        Value::Bool(flag) => flag.into_py_any(py),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_py_any(py),
            (None, Some(number)) => number.into_py_any(py),
            (None, None) => number.as_f64().into_py_any(py),
        },
        Value::String(text) => text.into_py_any(py),
        Value::Array(items) => {
            let items = items
                .into_iter()
                .map(|item| plain(py, item))
                .collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_py_any(py)
        }
        Value::Object(pairs) => {
            let dict = PyDict::new(py);
            for (key, value) in pairs {
                dict.set_item(key, plain(py, value)?)?;
            }
            dict.into_py_any(py)
        }
    }
}
