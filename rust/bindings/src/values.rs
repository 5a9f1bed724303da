//! Plain Python values as JSON.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyMapping, PySequence, PyString};
use serde_json::{Map, Number, Value};

/// The number of levels that values may be nested.
const DEEPEST: usize = 127;

/// A value of dicts, lists, texts, numbers, booleans and None, or of other mappings and sequences.
///
/// # Errors
/// `TypeError` for anything else inside it, `ValueError` for what JSON cannot say and for what is nested too deeply.
pub(crate) fn value(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    value_at(given, 0)
}

/// [`value`] of a dict.
///
/// # Errors
/// As [`value`].
pub(crate) fn object(given: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    match value(given.as_any())? {
        Value::Object(object) => Ok(object),
        _ => Err(PyTypeError::new_err("expected a dict")),
    }
}

/// [`value`] of a list.
///
/// # Errors
/// As [`value`].
pub(crate) fn list(given: &Bound<'_, PyAny>) -> PyResult<Vec<Value>> {
    match value(given)? {
        Value::Array(items) => Ok(items),
        _ => Err(PyTypeError::new_err("expected a list")),
    }
}

fn value_at(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if depth > DEEPEST {
        let why = format!("values are nested more than {DEEPEST} levels deep");
        return Err(PyValueError::new_err(why));
    }
    match scalar(given)? {
        Some(value) => Ok(value),
        None => collection(given, depth),
    }
}

fn scalar(given: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    if given.is_none() {
        return Ok(Some(Value::Null));
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(Some(Value::String(text.to_str()?.to_owned())));
    }
    if let Ok(flag) = given.cast::<PyBool>() {
        return Ok(Some(Value::Bool(flag.is_true())));
    }
    if let Ok(number) = given.cast::<PyInt>() {
        return integer(number).map(Some);
    }
    let number = given.cast::<PyFloat>().ok();
    number.map(|number| float(number.value())).transpose()
}

fn collection(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if let Ok(dict) = given.cast::<PyDict>() {
        let pairs = dict.iter().map(|(key, value)| entry(&key, &value, depth));
        return Ok(Value::Object(pairs.collect::<PyResult<_>>()?));
    }
    let is_list = given.cast::<PySequence>().is_ok() && !given.is_instance_of::<PyBytes>();
    if is_list {
        let items = given.try_iter()?.map(|item| value_at(&item?, depth + 1));
        return Ok(Value::Array(items.collect::<PyResult<_>>()?));
    }
    if let Ok(mapping) = given.cast::<PyMapping>() {
        let dict = PyDict::new(given.py());
        dict.update(mapping)?;
        return collection(dict.as_any(), depth);
    }
    let kind = given.get_type().name()?;
    let why = format!("expected texts, numbers, booleans, None, lists or dicts, got '{kind}'");
    Err(PyTypeError::new_err(why))
}

fn entry(
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
    depth: usize,
) -> PyResult<(String, Value)> {
    let key = key.cast::<PyString>()?.to_str()?.to_owned();
    Ok((key, value_at(value, depth + 1)?))
}

/// An integer, or the nearest number that JSON's readers have for it.
fn integer(number: &Bound<'_, PyInt>) -> PyResult<Value> {
    if let Ok(number) = number.extract::<i64>() {
        return Ok(number.into());
    }
    match number.extract::<u64>() {
        Ok(number) => Ok(number.into()),
        Err(_) => float(number.extract()?),
    }
}

fn float(number: f64) -> PyResult<Value> {
    let why = || PyValueError::new_err(format!("{number} is no number of JSON"));
    Number::from_f64(number).map(Value::Number).ok_or_else(why)
}
