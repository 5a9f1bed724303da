//! Columns that data frame libraries read in place, by the Arrow `PyCapsule` interface.

use chant_base::plural::counted;
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, NullArray,
    RecordBatch, RecordBatchIterator, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use chant_base::error::Error;
use chant_graph::network::NetworkError;
use chant_workspace::analytics_graph::ItemColumn;
use jiff::Timestamp;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyList};

use crate::raise::Raised;
use crate::turns::{InterpreterTurns, list_of};
use crate::workspace::PyColumns;

/// A column as Python gives it: its name, its values or the columns of the core that hold them, its kind and the
/// unit of its numbers.
///
/// The kind is `text`, `word`, `flag`, `number`, `count` or `time`. Without one, or where the values
/// are not of that kind, as own attributes of a graph may be, they say what they are themselves.
#[derive(FromPyObject)]
pub(crate) struct GivenColumn<'py>(String, Bound<'py, PyAny>, Option<String>, Option<String>);

/// A column with its name and its type.
pub(super) type TypedColumn = (Field, ArrayRef);

/// Columns of equal length. A reader of Arrow shares their memory.
#[pyclass(name = "Table", frozen, module = "chant_mcp._core")]
pub(crate) struct PyTable {
    batch: RecordBatch,
}

impl PyTable {
    pub(super) fn new(columns: Vec<TypedColumn>) -> PyResult<Self> {
        let (fields, values): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().unzip();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), values);
        Ok(Self {
            batch: batch.map_err(refused)?,
        })
    }

    fn no_column(&self, name: &str) -> Error {
        let names: Vec<String> = self.columns();
        NetworkError::Column {
            name: name.to_owned(),
            expected: names.join(", "),
        }
        .into()
    }
}

/// A table of columns of equal length; a kind gives its column the same type whatever the values are.
#[pyfunction]
pub(crate) fn typed_table(columns: Vec<GivenColumn<'_>>) -> Result<PyTable, Raised> {
    let columns = columns.iter().map(GivenColumn::typed);
    Ok(PyTable::new(columns.collect::<Result<_, _>>()?)?)
}

impl GivenColumn<'_> {
    pub(super) fn typed(&self) -> Result<TypedColumn, Raised> {
        let Self(name, values, kind, unit) = self;
        let values = match values.cast::<PyColumns>() {
            Ok(columns) => laid(&columns.get().named(name)?, kind.as_deref()),
            Err(_) => given(name, values, kind.as_deref())?,
        };
        let (field, values) = named(name, values);
        let unit = unit.iter().map(|unit| ("unit".to_owned(), unit.clone()));
        Ok((field.with_metadata(unit.collect::<HashMap<_, _>>()), values))
    }
}

/// The error that names a value that is the first of another kind than those before it, or of none.
fn no_column_of(name: &str, values: &[Option<Bound<'_, PyAny>>]) -> Raised {
    let is_unfit = |value: &&Bound<'_, PyAny>| guessed(&[Some((*value).clone())]).is_err();
    let known = || values.iter().flatten();
    let first = known().find(is_unfit).or_else(|| known().last());
    let given = first.and_then(|value| value.repr().ok());
    let error = NetworkError::Value {
        column: name.to_owned(),
        given: given.map(|text| text.to_string()).unwrap_or_default(),
    };
    Raised::from(Error::from(error))
}

/// The values of a column of the core, which are of their kind.
fn laid(values: &ItemColumn<'_>, kind: Option<&str>) -> ArrayRef {
    match values {
        ItemColumn::Texts(all) if kind == Some("word") => words(all.iter().map(Option::as_deref)),
        ItemColumn::Texts(all) => {
            Arc::new(all.iter().map(Option::as_deref).collect::<StringArray>())
        }
        ItemColumn::Flags(all) => flags(all.iter().copied()),
        ItemColumn::Numbers(all) => Arc::new(Float64Array::from(all.clone())),
    }
}

/// The values of a column of Python.
fn given(name: &str, values: &Bound<'_, PyAny>, kind: Option<&str>) -> Result<ArrayRef, Raised> {
    let values = InterpreterTurns::new(values.py()).over(values.try_iter()?);
    let values = values.map(|value| Ok(Some(value?).filter(|value| !value.is_none())));
    let values: Vec<Option<Bound<'_, PyAny>>> = values.collect::<PyResult<_>>()?;
    let typed = match kind {
        Some(kind) => of_kind(kind, &values).or_else(|_| guessed(&values)),
        None => guessed(&values),
    };
    typed.map_err(|_| no_column_of(name, &values))
}

/// Names a column; each of its values may be missing.
pub(super) fn named(name: &str, values: ArrayRef) -> TypedColumn {
    (Field::new(name, values.data_type().clone(), true), values)
}

#[pymethods]
impl PyTable {
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        /// The number of columns that are named.
        const MAX_SHOWN: usize = 6;
        let names = self.columns();
        let mut shown = names
            .iter()
            .take(MAX_SHOWN)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        if names.len() > MAX_SHOWN {
            shown.push_str(", …");
        }
        let rows = counted(self.batch.num_rows(), "row");
        format!(
            "<Table of {rows} and {}: {shown}>",
            counted(names.len(), "column")
        )
    }

    /// The rows, each with its values by the names of the columns.
    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let tables = slf.py().import("chant_mcp.tables")?;
        Ok(tables
            .call_method1("table_rows", (slf,))?
            .try_iter()?
            .into_any())
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
    fn column(&self, py: Python<'_>, name: &str) -> Result<Py<PyAny>, Raised> {
        let values = self.batch.column_by_name(name);
        let values = values.ok_or_else(|| self.no_column(name))?;
        Ok(plain_column(py, name, values.as_any())?)
    }

    /// The parts of which the same table is made again, where it is unpickled.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Vec<PlainColumn>,))> {
        let schema = self.batch.schema();
        let columns = schema.fields().iter().zip(self.batch.columns());
        let columns = columns.map(|(field, values)| {
            let plain = plain_column(py, field.name(), values.as_any())?;
            let unit = field.metadata().get("unit").cloned();
            Ok((
                field.name().clone(),
                plain,
                kind_of(field.data_type()),
                unit,
            ))
        });
        let make = py.import("chant_mcp._core")?.getattr("typed_table")?;
        Ok((make, (columns.collect::<PyResult<_>>()?,)))
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

/// A column as [`typed_table`] takes it.
type PlainColumn = (String, Py<PyAny>, Option<&'static str>, Option<String>);

/// The kind of a type; `None` for what values say themselves.
fn kind_of(data_type: &DataType) -> Option<&'static str> {
    Some(match data_type {
        DataType::Utf8 => "text",
        DataType::Dictionary(..) => "word",
        DataType::Boolean => "flag",
        DataType::Float64 => "number",
        DataType::Int64 => "count",
        DataType::Timestamp(..) => "time",
        _ => return None,
    })
}

/// The values of a column as a list.
fn plain_column(py: Python<'_>, name: &str, any: &dyn Any) -> PyResult<Py<PyAny>> {
    if let Some(texts) = any.downcast_ref::<StringArray>() {
        return list_of(py, texts.iter())?.into_py_any(py);
    }
    if let Some(words) = any.downcast_ref::<Words>() {
        return list_of(py, plain_words(words))?.into_py_any(py);
    }
    if let Some(numbers) = any.downcast_ref::<Float64Array>() {
        return list_of(py, numbers.iter())?.into_py_any(py);
    }
    if let Some(numbers) = any.downcast_ref::<Int64Array>() {
        return list_of(py, numbers.iter())?.into_py_any(py);
    }
    if let Some(moments) = any.downcast_ref::<TimestampMicrosecondArray>() {
        return plain_moments(py, moments);
    }
    if let Some(unknown) = any.downcast_ref::<NullArray>() {
        return PyList::new(
            py,
            (0..unknown.len()).map(|_| py.None()).collect::<Vec<_>>(),
        )?
        .into_py_any(py);
    }
    match any.downcast_ref::<BooleanArray>() {
        Some(flags) => list_of(py, flags.iter())?.into_py_any(py),
        None => Err(PyTypeError::new_err(format!(
            "column {name} has an unknown type"
        ))),
    }
}

/// Words of which each is kept once.
type Words = DictionaryArray<Int32Type>;

fn plain_words(words: &Words) -> impl ExactSizeIterator<Item = Option<&str>> {
    let known = words.values().as_any().downcast_ref::<StringArray>();
    let word = move |at: i32| Some(known?.value(usize::try_from(at).ok()?));
    words.keys().iter().map(move |at| at.and_then(word))
}

/// Moments as `datetime`s with the zone UTC.
fn plain_moments(py: Python<'_>, moments: &TimestampMicrosecondArray) -> PyResult<Py<PyAny>> {
    let module = py.import("datetime")?;
    let utc = module.getattr("timezone")?.getattr("utc")?;
    let epoch = module
        .getattr("datetime")?
        .call1((1970, 1, 1, 0, 0, 0, 0, utc))?;
    let span = module.getattr("timedelta")?;
    let moment = |micros: i64| epoch.add(span.call1((0, 0, micros))?);
    let moments = moments.iter().map(|micros| micros.map(moment).transpose());
    list_of(py, moments.collect::<PyResult<Vec<_>>>()?)?.into_py_any(py)
}

fn refused(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Texts as a column.
pub(super) fn texts<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(values.map(Some).collect::<StringArray>())
}

/// Words as a column that keeps each of them once.
pub(super) fn words<'a>(values: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    Arc::new(values.collect::<Words>())
}

/// Truths as a column.
pub(super) fn flags(values: impl Iterator<Item = bool>) -> ArrayRef {
    Arc::new(values.map(Some).collect::<BooleanArray>())
}

fn of_kind(kind: &str, values: &[Option<Bound<'_, PyAny>>]) -> PyResult<ArrayRef> {
    match kind {
        "text" => known_texts(values),
        "word" => known_words(values),
        "flag" => known_flags(values),
        "number" => Ok(Arc::new(Float64Array::from(extracted::<f64>(values)?))),
        "count" => Ok(Arc::new(Int64Array::from(extracted::<i64>(values)?))),
        "time" => moments(values),
        other => Err(PyValueError::new_err(format!(
            "'{other}' is no kind of a column"
        ))),
    }
}

/// Values of no known kind: truths, whole numbers, numbers or texts, whichever they all are.
fn guessed(values: &[Option<Bound<'_, PyAny>>]) -> PyResult<ArrayRef> {
    if values.iter().all(Option::is_none) {
        return Ok(Arc::new(NullArray::new(values.len())));
    }
    if values
        .iter()
        .flatten()
        .all(PyAnyMethods::is_instance_of::<PyBool>)
    {
        return known_flags(values);
    }
    if let Ok(numbers) = extracted::<i64>(values) {
        return Ok(Arc::new(Int64Array::from(numbers)));
    }
    if let Ok(numbers) = extracted::<f64>(values) {
        return Ok(Arc::new(Float64Array::from(numbers)));
    }
    if let Ok(texts) = known_texts(values) {
        return Ok(texts);
    }
    known_moments(values)
}

/// Values as times, which all have to have a zone.
fn known_moments(values: &[Option<Bound<'_, PyAny>>]) -> PyResult<ArrayRef> {
    for value in values.iter().flatten() {
        if value.call_method0("utcoffset")?.is_none() {
            return Err(PyTypeError::new_err("a time without a zone"));
        }
    }
    moments(values)
}

fn known_flags(values: &[Option<Bound<'_, PyAny>>]) -> PyResult<ArrayRef> {
    Ok(Arc::new(BooleanArray::from(extracted::<bool>(values)?)))
}

fn known_texts(values: &[Option<Bound<'_, PyAny>>]) -> PyResult<ArrayRef> {
    Ok(Arc::new(StringArray::from(extracted::<String>(values)?)))
}

fn known_words(values: &[Option<Bound<'_, PyAny>>]) -> PyResult<ArrayRef> {
    let texts = extracted::<String>(values)?;
    Ok(words(texts.iter().map(Option::as_deref)))
}

/// Time stamps such as `2026-01-22T10:00:00.000Z` as microseconds of UTC; another text is no time that is known.
fn moments(values: &[Option<Bound<'_, PyAny>>]) -> PyResult<ArrayRef> {
    let micros = |text: String| Some(text.parse::<Timestamp>().ok()?.as_microsecond());
    let texts = values
        .iter()
        .map(|value| value.as_ref().map(written_moment).transpose());
    let texts = texts
        .collect::<PyResult<Vec<Option<String>>>>()?
        .into_iter();
    let moments: TimestampMicrosecondArray = texts.map(|text| text.and_then(micros)).collect();
    Ok(Arc::new(moments.with_timezone("UTC")))
}

/// A time stamp as a text, which a `datetime` gives itself.
fn written_moment(moment: &Bound<'_, PyAny>) -> PyResult<String> {
    match moment.extract() {
        Ok(text) => Ok(text),
        Err(_) => moment.call_method0("isoformat")?.extract(),
    }
}

fn extracted<'py, T>(values: &[Option<Bound<'py, PyAny>>]) -> PyResult<Vec<Option<T>>>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    values
        .iter()
        .map(|value| value.as_ref().map(PyAnyMethods::extract::<T>).transpose())
        .collect()
}
