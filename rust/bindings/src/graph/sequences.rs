//! Answers as sequences that hold numbers; keys are made when they are asked for.
//!
//! A pickled answer is its keys and numbers alone: what it says, and not the graph that was asked.

use std::sync::Arc;

use std::hash::{DefaultHasher, Hash, Hasher};

use chant_base::error::Error;
use chant_graph::ItemProgress;
use chant_graph::network::{ItemLayers as Found, Network};
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyMapping, PySequence, PySlice, PyString};

use super::arrays::{item_array, numpy_array};
use super::named_keys::{NamedKeys, NamedNetwork};
use super::{interned, interned_pairs};
use crate::detached::detached;
use crate::raise::Raised;
use crate::turns::{InterpreterTurns, list_of};

/// Registers the answers with the protocols of `collections.abc` that they follow.
pub(crate) fn register_protocols(py: Python<'_>) -> PyResult<()> {
    PySequence::register::<PyItems>(py)?;
    PySequence::register::<PyEdges>(py)?;
    PySequence::register::<PyLayers>(py)?;
    PyMapping::register::<PyScores>(py)
}

/// Keys of items, in an order.
#[pyclass(name = "Items", frozen, sequence, module = "chant_mcp._core")]
pub(crate) struct PyItems {
    network: Arc<NamedNetwork>,
    items: ItemNumbers,
}

/// Numbers of items.
enum ItemNumbers {
    Own(Vec<u32>),
    /// One of many layers, which share their numbers.
    Layer(Arc<Found>, usize),
}

impl PyItems {
    pub(super) fn new(network: Arc<NamedNetwork>, items: Vec<u32>) -> Self {
        let items = ItemNumbers::Own(items);
        Self { network, items }
    }

    fn numbers(&self) -> &[u32] {
        match &self.items {
            ItemNumbers::Own(items) => items,
            ItemNumbers::Layer(layers, index) => layers.layer(*index).unwrap_or_default(),
        }
    }

    fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.numbers().iter().map(|item| self.network.key(*item))
    }
}

#[pymethods]
impl PyItems {
    /// The items of these keys, without a graph.
    #[new]
    fn of(keys: &Bound<'_, PyAny>) -> Result<Self, Raised> {
        let mut known = NamedKeys::default();
        let items = interned(&mut known, Some(keys))?;
        Ok(Self::new(without_edges(known)?, items))
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyList>,)> {
        Ok((self.keys(py)?,))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.names().eq(other.names())
    }

    fn __hash__(&self) -> u64 {
        hashed(self.names())
    }

    fn __len__(&self) -> usize {
        self.numbers().len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match picked(index, self.numbers())? {
            Picked::One(item) => Ok(self.network.name(py, item).into_any()),
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
        item.is_some_and(|item| self.numbers().contains(&item))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.keys(py)?.try_iter()
    }

    fn __reversed__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let numbers = self.numbers().iter().rev();
        list_of(py, numbers.map(|item| self.network.name(py, *item)))?.try_iter()
    }

    fn __repr__(&self) -> String {
        shown(self.numbers().len(), self.names())
    }

    /// The place of a key; `ValueError` where it is none of these.
    #[pyo3(signature = (value, start = 0, stop = isize::MAX))]
    fn index<'py>(
        &self,
        py: Python<'py>,
        value: &Bound<'py, PyAny>,
        start: isize,
        stop: isize,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.keys(py)?.call_method1("index", (value, start, stop))
    }

    /// The number of times that a key is among these.
    fn count<'py>(
        &self,
        py: Python<'py>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.keys(py)?.call_method1("count", (value,))
    }

    /// All keys as a list.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let numbers = self.numbers().iter();
        list_of(py, numbers.map(|item| self.network.name(py, *item)))
    }

    /// The numbers of the items.
    fn indices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list_of(py, self.numbers().iter().copied())
    }

    /// The numbers of the items as an array of numpy.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        item_array(py, self.numbers())
    }
}

/// The keys of an edge.
type NamePair<'py> = (Bound<'py, PyString>, Bound<'py, PyString>);

/// Pairs of keys, `(before, after)`.
#[pyclass(name = "Edges", frozen, sequence, module = "chant_mcp._core")]
pub(crate) struct PyEdges {
    network: Arc<NamedNetwork>,
    edges: Vec<(u32, u32)>,
}

impl PyEdges {
    pub(super) fn new(network: Arc<NamedNetwork>, edges: Vec<(u32, u32)>) -> Self {
        Self { network, edges }
    }

    fn pair(&self, (from, to): (u32, u32)) -> (&str, &str) {
        (self.network.key(from), self.network.key(to))
    }

    /// The keys of an edge as Python has them.
    fn names<'py>(&self, py: Python<'py>, (from, to): (u32, u32)) -> NamePair<'py> {
        (self.network.name(py, from), self.network.name(py, to))
    }
}

#[pymethods]
impl PyEdges {
    /// These pairs, without a graph.
    #[new]
    fn of(pairs: &Bound<'_, PyAny>) -> Result<Self, Raised> {
        let mut known = NamedKeys::default();
        let edges = interned_pairs(&mut known, pairs)?;
        Ok(Self::new(without_edges(known)?, edges))
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyList>,)> {
        Ok((self.pairs(py)?,))
    }

    fn __eq__(&self, other: &Self) -> bool {
        let ours = self.edges.iter().map(|edge| self.pair(*edge));
        ours.eq(other.edges.iter().map(|edge| other.pair(*edge)))
    }

    fn __hash__(&self) -> u64 {
        hashed(self.edges.iter().map(|edge| self.pair(*edge)))
    }

    fn __contains__(&self, pair: &Bound<'_, PyAny>) -> bool {
        let pair = pair.extract::<(String, String)>().ok();
        let items = pair
            .and_then(|(before, after)| self.network.find(&before).zip(self.network.find(&after)));
        items.is_some_and(|items| self.edges.contains(&items))
    }

    fn __reversed__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let edges = self.edges.iter().rev();
        list_of(py, edges.map(|edge| self.names(py, *edge)))?.try_iter()
    }

    /// The place of a pair; `ValueError` where it is none of these.
    #[pyo3(signature = (value, start = 0, stop = isize::MAX))]
    fn index<'py>(
        &self,
        py: Python<'py>,
        value: &Bound<'py, PyAny>,
        start: isize,
        stop: isize,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.pairs(py)?.call_method1("index", (value, start, stop))
    }

    /// The number of times that a pair is among these.
    fn count<'py>(
        &self,
        py: Python<'py>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.pairs(py)?.call_method1("count", (value,))
    }

    fn __len__(&self) -> usize {
        self.edges.len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match picked(index, &self.edges)? {
            Picked::One(edge) => Ok(self.names(py, edge).into_pyobject(py)?.into_any()),
            Picked::Part(edges) => {
                let part = Self::new(Arc::clone(&self.network), edges);
                Ok(Bound::new(py, part)?.into_any())
            }
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.pairs(py)?.try_iter()
    }

    fn __repr__(&self) -> String {
        let pairs = self.edges.iter().map(|edge| self.pair(*edge));
        shown(self.edges.len(), pairs)
    }

    /// All pairs as a list.
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list_of(py, self.edges.iter().map(|edge| self.names(py, *edge)))
    }

    /// The numbers of the items of all pairs.
    fn indices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list_of(py, self.edges.iter().copied())
    }

    /// The numbers of the items as an array of numpy with a row a pair.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let bytes_of = |(from, to): &(u32, u32)| {
            let (from, to) = (from.to_ne_bytes(), to.to_ne_bytes());
            [
                from[0], from[1], from[2], from[3], to[0], to[1], to[2], to[3],
            ]
        };
        let numbers = numpy_array::<8, _>(py, "u4", &self.edges, bytes_of)?;
        numbers.call_method1("reshape", (self.edges.len(), 2))
    }
}

/// A number for each item, by its key, in the order of the items.
#[pyclass(name = "Scores", frozen, mapping, module = "chant_mcp._core")]
pub(crate) struct PyScores {
    network: Arc<NamedNetwork>,
    values: Vec<f64>,
}

impl PyScores {
    pub(super) fn new(network: Arc<NamedNetwork>, values: Vec<f64>) -> Self {
        Self { network, values }
    }

    fn names<'py>(&self, py: Python<'py>) -> impl ExactSizeIterator<Item = Bound<'py, PyString>> {
        self.network
            .items()
            .map(move |item| self.network.name(py, item))
    }

    /// The keys with their numbers.
    fn pairs<'py>(
        &self,
        py: Python<'py>,
    ) -> impl ExactSizeIterator<Item = (Bound<'py, PyString>, f64)> {
        self.names(py).zip(self.values.iter().copied())
    }

    fn score(&self, key: &Bound<'_, PyAny>) -> Option<f64> {
        let item = self.network.find(key.extract().ok()?)?;
        Some(self.values[item as usize])
    }
}

#[pymethods]
impl PyScores {
    /// These numbers by their keys, without a graph.
    #[new]
    fn of(scores: Vec<(Bound<'_, PyString>, f64)>) -> Result<Self, Raised> {
        let mut keys = NamedKeys::default();
        for (key, _) in &scores {
            keys.number(key)?;
        }
        let values = scores.into_iter().map(|(_, value)| value).collect();
        Ok(Self::new(without_edges(keys)?, values))
    }

    fn __len__(&self) -> usize {
        self.values.len()
    }

    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<f64> {
        let score = self.score(key);
        score.ok_or_else(|| PyKeyError::new_err(key.clone().unbind()))
    }

    /// The number of a key, or what is given for one that there is not.
    #[pyo3(signature = (key, default = None, /))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.score(key) {
            Some(score) => Ok(Some(score.into_pyobject(py)?.into_any())),
            None => Ok(default),
        }
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyList>,)> {
        Ok((self.items(py)?,))
    }

    /// Returns true if another mapping has the same keys with the same numbers.
    fn __eq__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyMapping>) -> PyResult<bool> {
        let others = PyDict::new(py);
        others.update(other)?;
        let ours = PyDict::new(py);
        for (key, value) in InterpreterTurns::new(py).over(self.pairs(py)) {
            ours.set_item(key, value)?;
        }
        ours.eq(others)
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
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list_of(py, self.pairs(py))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        list_of(py, self.names(py))?.try_iter()
    }

    fn __repr__(&self) -> String {
        let pairs = self.network.keys().zip(&self.values);
        shown(self.values.len(), pairs)
    }

    /// The numbers, in the order of the keys.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list_of(py, self.values.iter().copied())
    }

    /// The numbers as an array of numpy, in the order of the keys.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy_array(py, "f8", &self.values, |value| value.to_ne_bytes())
    }

    /// The items with the highest numbers, highest first, and of equal ones the first.
    #[pyo3(signature = (count = 10))]
    fn top<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyList>> {
        let best = detached(|| {
            let mut order: Vec<(u32, f64)> = (0..).zip(self.values.iter().copied()).collect();
            order.sort_by(|a, b| b.1.total_cmp(&a.1));
            order.truncate(count);
            order
        });
        let key = |(item, value): &(u32, f64)| (self.network.name(py, *item), *value);
        list_of(py, best.iter().map(key))
    }
}

/// Items in layers, each of which waits only for earlier ones.
#[pyclass(name = "Layers", frozen, sequence, module = "chant_mcp._core")]
pub(crate) struct PyLayers {
    network: Arc<NamedNetwork>,
    layers: Arc<Found>,
}

impl PyLayers {
    pub(super) fn new(network: Arc<NamedNetwork>, layers: Found) -> Self {
        let layers = Arc::new(layers);
        Self { network, layers }
    }

    fn layer(&self, index: usize) -> PyItems {
        let items = ItemNumbers::Layer(Arc::clone(&self.layers), index);
        let network = Arc::clone(&self.network);
        PyItems { network, items }
    }

    fn all(&self) -> impl ExactSizeIterator<Item = PyItems> {
        (0..self.layers.len()).map(|index| self.layer(index))
    }

    fn numbers(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.layers.len()).map(|index| self.layers.layer(index).unwrap_or_default())
    }

    fn len_of_each(&self) -> impl Iterator<Item = usize> {
        self.numbers().map(<[u32]>::len)
    }

    fn listed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list_of(py, self.all())
    }
}

#[pymethods]
impl PyLayers {
    fn __len__(&self) -> usize {
        self.layers.len()
    }

    /// These layers of keys, without a graph.
    #[new]
    fn of(layers: Vec<Vec<Bound<'_, PyString>>>) -> Result<Self, Raised> {
        let count = layers.len();
        let sizes = layers.iter().map(Vec::len);
        let layer_of: Vec<u32> = (0..)
            .zip(sizes)
            .flat_map(|(layer, size)| vec![layer; size])
            .collect();
        let mut keys = NamedKeys::default();
        for key in layers.iter().flatten() {
            keys.number(key)?;
        }
        let network = without_edges(keys)?;
        Ok(Self::new(network, Found::of(&layer_of, count)))
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<(Vec<Bound<'py, PyList>>,)> {
        let layers = self.all().map(|layer| layer.keys(py));
        Ok((layers.collect::<PyResult<_>>()?,))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.len_of_each().eq(other.len_of_each()) && self.order().names().eq(other.order().names())
    }

    fn __hash__(&self) -> u64 {
        hashed(self.order().names())
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if index.is_instance_of::<PySlice>() {
            return self.listed(py)?.as_any().get_item(index);
        }
        let layer = self.layer(place(index.extract()?, self.layers.len())?);
        Ok(Bound::new(py, layer)?.into_any())
    }

    fn __contains__(&self, layer: &Bound<'_, PyAny>) -> bool {
        let layer = layer.cast::<PyItems>();
        layer.is_ok_and(|layer| self.all().any(|own| own.__eq__(layer.get())))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.listed(py)?.try_iter()
    }

    fn __reversed__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.listed(py)?.call_method0("__reversed__")
    }

    /// The place of a layer; `ValueError` where it is none of these.
    #[pyo3(signature = (value, start = 0, stop = isize::MAX))]
    fn index<'py>(
        &self,
        py: Python<'py>,
        value: &Bound<'py, PyAny>,
        start: isize,
        stop: isize,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.listed(py)?.call_method1("index", (value, start, stop))
    }

    /// The number of times that a layer is among these.
    fn count<'py>(
        &self,
        py: Python<'py>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.listed(py)?.call_method1("count", (value,))
    }

    fn __repr__(&self) -> String {
        shown(self.layers.len(), self.len_of_each())
    }

    /// All items, layer by layer.
    fn order(&self) -> PyItems {
        PyItems::new(Arc::clone(&self.network), self.layers.order().to_vec())
    }

    /// The numbers of the items of each layer.
    fn indices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list_of(py, self.numbers())
    }

    /// The number of the layer of each item as an array of numpy, in the order of the items.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        item_array(py, &detached(|| self.layers.layer_of()))
    }
}

/// A graph of items alone.
fn without_edges(keys: NamedKeys) -> Result<Arc<NamedNetwork>, Error> {
    let (keys, names) = keys.into_parts();
    let progress = vec![ItemProgress::Open; keys.len()];
    let network = Network::new(keys, progress, &[])?;
    Ok(Arc::new(NamedNetwork::of(network, names)))
}

fn hashed<T: Hash>(values: impl Iterator<Item = T>) -> u64 {
    let mut hasher = DefaultHasher::new();
    values.for_each(|value| value.hash(&mut hasher));
    hasher.finish()
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
