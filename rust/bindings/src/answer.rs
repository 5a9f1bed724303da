//! Answers as Python sees them.

use chant_base::answer;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

/// The answer of a tool.
#[pyclass(name = "Answer", frozen, module = "chant_mcp._core")]
pub(crate) struct PyAnswer {
    /// Prose, or the data as JSON, indented by two blanks.
    #[pyo3(get)]
    text: String,
    /// The data as JSON without line breaks; `None` for prose.
    #[pyo3(get)]
    json: Option<String>,
    /// A note beside the text, such as how to get the rest of a list.
    #[pyo3(get)]
    note: Option<String>,
    /// The data as plain values, made when first asked for.
    data: PyOnceLock<Option<Py<PyAny>>>,
}

#[pymethods]
impl PyAnswer {
    /// The data as plain values; `None` for prose.
    #[getter]
    fn data(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let data = self.data.get_or_try_init(py, || -> PyResult<_> {
            let Some(json) = &self.json else {
                return Ok(None);
            };
            let value =
                serde_json::from_str(json).map_err(|e| PyValueError::new_err(e.to_string()))?;
            plain(py, value).map(Some)
        })?;
        Ok(data.as_ref().map(|data| data.clone_ref(py)))
    }
}

impl From<answer::Answer> for PyAnswer {
    fn from(answer: answer::Answer) -> Self {
        Self {
            text: answer.text,
            json: answer.json,
            note: answer.note,
            data: PyOnceLock::new(),
        }
    }
}

/// JSON as plain values.
pub(crate) fn plain(py: Python<'_>, value: Value) -> PyResult<Py<PyAny>> {
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
