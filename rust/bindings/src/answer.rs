//! Answers as Python sees them.

use crate::detached::detached;
use chant_base::answer;
use chant_workspace::{since, token_budget};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};
use serde_json::{Number, Value};

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
    #[new]
    #[pyo3(signature = (text, json = None, note = None))]
    fn new(text: String, json: Option<String>, note: Option<String>) -> Self {
        let data = PyOnceLock::new();
        Self {
            text,
            json,
            note,
            data,
        }
    }

    fn __getnewargs__(&self) -> (&str, Option<&str>, Option<&str>) {
        (&self.text, self.json.as_deref(), self.note.as_deref())
    }

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

    /// The same answer in at most so many tokens of four bytes; `offset` is where its rows or its document begin.
    #[pyo3(signature = (tokens, *, offset = 0))]
    fn within(&self, tokens: usize, offset: usize) -> Self {
        detached(|| token_budget::within(self.answer(), tokens, offset).into())
    }

    /// The same answer with the cursor to ask with next, for one whose own was of no use.
    fn with_cursor(&self, cursor: &str) -> Self {
        detached(|| since::with_cursor(self.answer(), cursor).into())
    }
}

impl PyAnswer {
    fn answer(&self) -> answer::Answer {
        answer::Answer {
            text: self.text.clone(),
            json: self.json.clone(),
            note: self.note.clone(),
        }
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

/// JSON that a call gives as plain values.
pub(crate) struct PlainValue(pub(crate) Value);

impl<'py> IntoPyObject<'py> for PlainValue {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        plain(py, self.0).map(|value| value.into_bound(py))
    }
}

/// JSON as plain values.
fn plain(py: Python<'_>, value: Value) -> PyResult<Py<PyAny>> {
    match value {
        Value::Null => Ok(py.None()),
        Value::Bool(flag) => flag.into_py_any(py),
        Value::Number(number) => plain_number(py, &number),
        Value::String(text) => text.into_py_any(py),
        Value::Array(items) => {
            let items = items.into_iter().map(|item| plain(py, item));
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_py_any(py)
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

fn plain_number(py: Python<'_>, number: &Number) -> PyResult<Py<PyAny>> {
    match (number.as_i64(), number.as_u64()) {
        (Some(number), _) => number.into_py_any(py),
        (None, Some(number)) => number.into_py_any(py),
        (None, None) => number.as_f64().into_py_any(py),
    }
}
