//! Answers as sequences that hold numbers; keys are made when they are asked for.

use std::sync::Arc;

use chant_graph::network::{ItemLayers as Found, Network};
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PySlice, PyString};

/// Keys of items, in an order.
#[pyclass(name = "Items", frozen, sequence, module = "chant_mcp._core")]
pub(crate) struct PyItems {
    network: Arc<Network>,
    items: Vec<u32>,
}

impl PyItems {
    pub(super) fn new(network: Arc<Network>, items: Vec<u32>) -> Self {
        Self { network, items }
    }
}

#[pymethods]
impl PyItems {
    fn __len__(&self) -> usize {
        self.items.len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match picked(index, &self.items)? {
            Picked::One(item) => Ok(PyString::new(py, self.network.key(item)).into_any()),
            Picked::Part(items) => {
                let part = Self::new(Arc::clone(&self.network), items);
                Ok(Bound::new(py, part)?.into_any())
            }
        }
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> bool {
        let item = key
            .extract::<&str>()
            .ok()
            .and_then(|key| self.network.find(key));
        item.is_some_and(|item| self.items.contains(&item))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.keys(py)?.try_iter()
    }

    fn __repr__(&self) -> String {
        shown(
            self.items.len(),
            self.items.iter().map(|item| self.network.key(*item)),
        )
    }

    /// All keys as a list.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.items.iter().map(|item| self.network.key(*item)))
    }

    /// The numbers of the items.
    fn indices(&self) -> Vec<u32> {
        self.items.clone()
    }
}

/// Pairs of keys, `(before, after)`.
#[pyclass(name = "Edges", frozen, sequence, module = "chant_mcp._core")]
pub(crate) struct PyEdges {
    network: Arc<Network>,
    edges: Vec<(u32, u32)>,
}

impl PyEdges {
    pub(super) fn new(network: Arc<Network>, edges: Vec<(u32, u32)>) -> Self {
        Self { network, edges }
    }

    fn pair(&self, (from, to): (u32, u32)) -> (&str, &str) {
        (self.network.key(from), self.network.key(to))
    }
}

#[pymethods]
impl PyEdges {
    fn __len__(&self) -> usize {
        self.edges.len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match picked(index, &self.edges)? {
            Picked::One(edge) => Ok(self.pair(edge).into_pyobject(py)?.into_any()),
            Picked::Part(edges) => {
                let part = Self::new(Arc::clone(&self.network), edges);
                Ok(Bound::new(py, part)?.into_any())
            }
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.pairs())?.try_iter()
    }

    fn __repr__(&self) -> String {
        let pairs = self.edges.iter().map(|edge| self.pair(*edge));
        shown(self.edges.len(), pairs)
    }

    /// All pairs as a list.
    fn pairs(&self) -> Vec<(&str, &str)> {
        self.edges.iter().map(|edge| self.pair(*edge)).collect()
    }

    /// The numbers of the items of all pairs.
    fn indices(&self) -> Vec<(u32, u32)> {
        self.edges.clone()
    }
}

/// A number for each item, by its key, in the order of the items.
#[pyclass(name = "Scores", frozen, mapping, module = "chant_mcp._core")]
pub(crate) struct PyScores {
    network: Arc<Network>,
    values: Vec<f64>,
}

impl PyScores {
    pub(super) fn new(network: Arc<Network>, values: Vec<f64>) -> Self {
        Self { network, values }
    }
}

#[pymethods]
impl PyScores {
    fn __len__(&self) -> usize {
        self.values.len()
    }

    fn __getitem__(&self, key: &str) -> PyResult<f64> {
        match self.network.find(key) {
            Some(item) => Ok(self.values[item as usize]),
            None => Err(PyKeyError::new_err(key.to_owned())),
        }
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> bool {
        let key = key.extract::<&str>();
        key.is_ok_and(|key| self.network.find(key).is_some())
    }

    /// The keys.
    fn keys(&self) -> PyItems {
        PyItems::new(Arc::clone(&self.network), self.network.items().collect())
    }

    /// The keys with their numbers.
    fn items(&self) -> Vec<(&str, f64)> {
        self.network
            .keys()
            .zip(self.values.iter().copied())
            .collect()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.network.keys())?.try_iter()
    }

    fn __repr__(&self) -> String {
        let pairs = self.network.keys().zip(&self.values);
        shown(self.values.len(), pairs)
    }

    /// The numbers, in the order of the keys.
    fn values(&self) -> Vec<f64> {
        self.values.clone()
    }

    /// The items with the highest numbers, highest first, and of equal ones the first.
    #[pyo3(signature = (count = 10))]
    fn top(&self, count: usize) -> Vec<(&str, f64)> {
        let mut order: Vec<(u32, f64)> = (0..).zip(self.values.iter().copied()).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        let best = order.into_iter().take(count);
        best.map(|(item, value)| (self.network.key(item), value))
            .collect()
    }
}

/// Items in layers, each of which waits only for earlier ones.
#[pyclass(name = "Layers", frozen, sequence, module = "chant_mcp._core")]
pub(crate) struct PyLayers {
    network: Arc<Network>,
    layers: Found,
}

impl PyLayers {
    pub(super) fn new(network: Arc<Network>, layers: Found) -> Self {
        Self { network, layers }
    }

    fn layer(&self, index: usize) -> PyItems {
        let items = self.layers.layer(index).unwrap_or_default().to_vec();
        PyItems::new(Arc::clone(&self.network), items)
    }
}

#[pymethods]
impl PyLayers {
    fn __len__(&self) -> usize {
        self.layers.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<PyItems> {
        Ok(self.layer(place(index, self.layers.len())?))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let layers = (0..self.layers.len()).map(|index| self.layer(index));
        let layers = layers.map(|layer| Bound::new(py, layer));
        PyList::new(py, layers.collect::<PyResult<Vec<_>>>()?)?.try_iter()
    }

    fn __repr__(&self) -> String {
        let layers = (0..self.layers.len()).filter_map(|index| self.layers.layer(index));
        shown(self.layers.len(), layers.map(<[u32]>::len))
    }

    /// All items, layer by layer.
    fn order(&self) -> PyItems {
        PyItems::new(Arc::clone(&self.network), self.layers.order().to_vec())
    }
}

/// The first of several values, and how many more there are.
fn shown<T: std::fmt::Debug>(count: usize, values: impl Iterator<Item = T>) -> String {
    let first: Vec<String> = values.take(10).map(|value| format!("{value:?}")).collect();
    match count - first.len() {
        0 => format!("[{}]", first.join(", ")),
        more => format!("[{}, … {more} more]", first.join(", ")),
    }
}

/// The meaning of an index of Python: one value, or those of a slice.
enum Picked<T> {
    One(T),
    Part(Vec<T>),
}

fn picked<T: Copy>(index: &Bound<'_, PyAny>, all: &[T]) -> PyResult<Picked<T>> {
    match index.cast::<PySlice>() {
        Ok(slice) => sliced(slice, all).map(Picked::Part),
        Err(_) => Ok(Picked::One(all[place(index.extract()?, all.len())?])),
    }
}

/// The place that an index of Python means.
fn place(index: isize, length: usize) -> PyResult<usize> {
    let place = if index < 0 {
        length.checked_sub(index.unsigned_abs())
    } else {
        Some(index.unsigned_abs()).filter(|place| *place < length)
    };
    place.ok_or_else(|| PyIndexError::new_err("index out of range"))
}

fn sliced<T: Copy>(slice: &Bound<'_, PySlice>, all: &[T]) -> PyResult<Vec<T>> {
    let length = isize::try_from(all.len()).unwrap_or(isize::MAX);
    let bounds = slice.indices(length)?;
    let mut at = bounds.start;
    let mut part = Vec::with_capacity(bounds.slicelength);
    for _ in 0..bounds.slicelength {
        part.push(all[at.unsigned_abs()]);
        at += bounds.step;
    }
    Ok(part)
}
