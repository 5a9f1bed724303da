//! Keyword arguments of Python, read as structs of the core.
//!
//! A parameter of a tool is a field of such a struct, with its default there. The methods of this crate spell only
//! what a call is about (`id`, `file`, `key`) and what is no part of the tool.

use std::cell::Cell;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;
use serde::de::value::MapDeserializer;
use serde_json::{Map, Value};

use crate::values::object;

/// The keyword arguments of a call that a method does not name itself.
pub(crate) struct KeywordArguments(Map<String, Value>);

impl<'a, 'py> FromPyObject<'a, 'py> for KeywordArguments {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let given = given.cast::<PyDict>()?;
        object(&given).map(Self)
    }
}

/// Reads keyword arguments as a struct of the core; what is not given has the default of that struct.
///
/// # Errors
/// `TypeError` for a name that is no field, with the names of all, and for a value of another type.
pub(crate) fn read<'a, T>(given: Option<&'a KeywordArguments>) -> PyResult<T>
where
    T: Deserialize<'a>,
{
    let current = Cell::new("");
    let given = given.into_iter().flat_map(|given| &given.0);
    let pairs = given.map(|(name, value)| {
        current.set(name);
        (name.as_str(), value)
    });
    let read = T::deserialize(MapDeserializer::<_, serde_json::Error>::new(pairs));
    read.map_err(|error| PyTypeError::new_err(describe(current.get(), &error.to_string())))
}

/// Describes the fault of an argument in the words of Python.
fn describe(name: &str, error: &str) -> String {
    match error.strip_prefix("unknown field ") {
        Some(names) => format!("got an unexpected keyword argument {names}"),
        None => format!("argument '{name}': {}", in_words(error)),
    }
}

/// Names the types of numbers in words.
fn in_words(error: &str) -> String {
    let whole = error.replace("expected i64", "expected a whole number");
    ["usize", "u64"].into_iter().fold(whole, |error, kind| {
        error.replace(
            &format!("expected {kind}"),
            "expected a whole number from 0 on",
        )
    })
}
