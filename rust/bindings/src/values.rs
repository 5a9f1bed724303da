//! Plain Python values as JSON.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value};

/// A value of dicts, lists, texts, numbers, booleans and None.
///
/// # Errors
/// `TypeError` for anything else inside it, `ValueError` for what JSON cannot say.
pub(crate) fn value(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let json = given.py().import("json")?;
    let text: String = json.call_method1("dumps", (given,))?.extract()?;
    serde_json::from_str(&text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// [`value`] of a dict.
///
/// # Errors
/// As [`value`].
pub(crate) fn object(given: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    match value(given)? {
        Value::Object(object) => Ok(object),
        _ => Err(PyValueError::new_err("expected an object")),
    }
}
