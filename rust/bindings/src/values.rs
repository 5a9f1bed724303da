//! Plain Python values as JSON.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;

/// A value of dicts, lists, texts, numbers, booleans and None.
///
/// # Errors
/// `TypeError` for anything else inside it, `ValueError` for what JSON cannot say.
pub(crate) fn value(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let json = given.py().import("json")?;
    let text: String = json.call_method1("dumps", (given,))?.extract()?;
    serde_json::from_str(&text).map_err(|error| PyValueError::new_err(error.to_string()))
}
