//! Columns that data frame libraries read in place, by the Arrow `PyCapsule` interface.

use std::any::Any;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator,
    StringArray,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, Field, Schema};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyList};

/// Columns of equal length. A reader of Arrow shares their memory.
#[pyclass(name = "Table", frozen, module = "chant_mcp._core")]
pub(crate) struct PyTable {
    batch: RecordBatch,
}

impl PyTable {
    pub(super) fn new(columns: Vec<(String, ArrayRef)>) -> PyResult<Self> {
        let field = |(name, values): &(String, ArrayRef)| {
            Field::new(name, values.data_type().clone(), true)
        };
        let fields: Vec<Field> = columns.iter().map(field).collect();
        let values = columns.into_iter().map(|(_, values)| values).collect();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), values);
        Ok(Self {
            batch: batch.map_err(refused)?,
        })
    }
}

#[pymethods]
impl PyTable {
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The names of the columns.
    fn columns(&self) -> Vec<String> {
        let schema = self.batch.schema();
        schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect()
    }

    /// The values of a column.
    fn column(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let Some(values) = self.batch.column_by_name(name) else {
            return Err(PyKeyError::new_err(name.to_owned()));
        };
        plain_column(py, name, values.as_any())
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref()).map_err(refused)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The columns as one batch. Another schema than theirs is not made.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer that cannot convert give what it has.
        drop(requested_schema);
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

/// The values of a column as a list.
fn plain_column(py: Python<'_>, name: &str, any: &dyn Any) -> PyResult<Py<PyAny>> {
    if let Some(texts) = any.downcast_ref::<StringArray>() {
        return PyList::new(py, texts.iter())?.into_py_any(py);
    }
    if let Some(numbers) = any.downcast_ref::<Float64Array>() {
        return PyList::new(py, numbers.iter())?.into_py_any(py);
    }
    if let Some(numbers) = any.downcast_ref::<Int64Array>() {
        return PyList::new(py, numbers.iter())?.into_py_any(py);
    }
    match any.downcast_ref::<BooleanArray>() {
        Some(flags) => PyList::new(py, flags.iter())?.into_py_any(py),
        None => Err(PyTypeError::new_err(format!(
            "column {name} has an unknown type"
        ))),
    }
}

fn refused(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Texts as a column.
pub(super) fn texts<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(values.map(Some).collect::<StringArray>())
}

/// Truths as a column.
pub(super) fn flags(values: impl Iterator<Item = bool>) -> ArrayRef {
    Arc::new(values.map(Some).collect::<BooleanArray>())
}

/// A list of texts, truths, whole or other numbers as a column; `None` stands for what is not known.
pub(super) fn column(values: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let values: Vec<Option<Bound<'_, PyAny>>> = values.extract()?;
    let known = || values.iter().flatten();
    if known().all(PyAnyMethods::is_instance_of::<PyBool>) && known().next().is_some() {
        let flags = values
            .iter()
            .map(|value| value.as_ref().map(PyAnyMethods::extract).transpose());
        return Ok(Arc::new(flags.collect::<PyResult<BooleanArray>>()?));
    }
    if let Ok(numbers) = numbers::<i64>(&values) {
        return Ok(Arc::new(Int64Array::from(numbers)));
    }
    if let Ok(numbers) = numbers::<f64>(&values) {
        return Ok(Arc::new(Float64Array::from(numbers)));
    }
    let text =
        |value: &Option<Bound<'_, PyAny>>| value.as_ref().map(PyAnyMethods::extract).transpose();
    let texts: PyResult<Vec<Option<String>>> = values.iter().map(text).collect();
    Ok(Arc::new(StringArray::from(texts?)))
}

fn numbers<'py, T>(values: &[Option<Bound<'py, PyAny>>]) -> PyResult<Vec<Option<T>>>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    if values.iter().all(Option::is_none) {
        return Err(PyTypeError::new_err("nothing is known"));
    }
    values
        .iter()
        .map(|value| value.as_ref().map(PyAnyMethods::extract::<T>).transpose())
        .collect()
}
