//! `Network`: questions about a whole graph as methods, answers as sequences over its items.

mod arrays;
mod draft;
mod named_keys;
mod numbered;
mod pictures;
mod sequences;
mod table;
mod watched;

use std::num::NonZeroU32;
use std::sync::Arc;

use chant_base::error::Error;
use chant_base::external_items::split_repository;
use chant_draw::clip::{self, ClipOptions};
use chant_draw::clusters;
use chant_draw::elements::{ElementOptions, draw_elements};
use chant_draw::theme::ColorTheme;
use chant_draw::{ItemTexts, PictureOptions};
use chant_graph::ItemProgress;
use chant_graph::key_set::KeySet;
use chant_graph::network::compare::NetworkDifference;
use chant_graph::network::schedule::{
    DurationEstimates, DurationSpread, ScheduleOptions, ScheduleSlot, WorkSchedule,
};
use chant_graph::network::{self, NetworkError, PageRank};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

pub(crate) use self::draft::PyNetworkDraft;
use self::named_keys::{NamedKeys, NamedNetwork};
use self::pictures::FigureOfPage;
pub(crate) use self::pictures::{item_table, page_themes};
pub(crate) use self::sequences::{PyEdges, PyItems, PyLayers, PyScores, register_protocols};
use self::table::{GivenColumn, named};
pub(crate) use self::table::{PyTable, typed_table};
use self::watched::watched;
use crate::detached::detached;
use crate::raise::{Raised, call};
use crate::turns::{InterpreterTurns, list_of, numbers_of};

/// A plan as plain values: slots, the items that cannot be planned, the end, the utilisation, P50 and P90.
type PlainSchedule<'py> = (
    Bound<'py, PyList>,
    PyItems,
    f64,
    f64,
    Option<f64>,
    Option<f64>,
    Vec<f64>,
);

/// How far durations may lie from those expected: the deviation of their logarithms, or ratios that were measured.
#[derive(FromPyObject)]
enum GivenSpread {
    Known(f64),
    Learned(Vec<f64>),
}

/// A graph at rest. Items have keys and are numbered from 0; an edge leads from an item to one that
/// waits for it. Safe to share between threads.
#[pyclass(name = "Network", frozen, module = "chant_mcp._core")]
pub(crate) struct PyNetwork {
    network: Arc<NamedNetwork>,
}

impl PyNetwork {
    /// The graph as the core has it.
    pub(crate) fn shared(&self) -> Arc<network::Network> {
        self.network.shared()
    }

    fn items(&self, items: Vec<u32>) -> PyItems {
        PyItems::new(Arc::clone(&self.network), items)
    }

    fn scores(&self, values: Vec<f64>) -> PyScores {
        PyScores::new(Arc::clone(&self.network), values)
    }

    /// The weights given, or one for each item.
    fn weights(&self, weights: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<f64>> {
        match weights {
            Some(weights) => numbers_of(weights),
            None => Ok(vec![1.0; self.network.len()]),
        }
    }

    /// The items of these keys, or all.
    fn chosen(&self, keys: Option<Vec<String>>) -> Result<Vec<u32>, Error> {
        match keys {
            Some(keys) => self.numbers(&keys),
            None => Ok(self.network.items().collect()),
        }
    }

    /// Items as a text that another program draws.
    fn written(
        &self,
        language: fn(&network::Network, &[u32], &ItemTexts) -> Result<String, NetworkError>,
        items: Option<Vec<String>>,
        labels: Vec<String>,
        states: Vec<String>,
    ) -> Result<String, Raised> {
        let said = ItemTexts {
            labels,
            states,
            ..ItemTexts::default()
        };
        call(|| Ok(language(&self.network, &self.chosen(items)?, &said)?))
    }

    fn plain_schedule<'py>(
        &self,
        py: Python<'py>,
        plan: WorkSchedule,
    ) -> PyResult<PlainSchedule<'py>> {
        let slot = |slot: &ScheduleSlot| {
            let key = self.network.key(slot.item);
            (key, slot.agent, slot.start, slot.end)
        };
        let slots = list_of(py, plan.slots.iter().map(slot))?;
        let unplanned = self.items(plan.unplanned);
        let (p50, p90) = (plan.p50, plan.p90);
        Ok((
            slots, unplanned, plan.finish, plan.utilisation, p50, p90, plan.ends,
        ))
    }

    /// The repository of an item: that of a list, or else that of its key.
    fn repository<'a>(&'a self, known: &'a [Option<String>], item: u32) -> Option<&'a str> {
        let known = known.get(item as usize).and_then(Option::as_deref);
        known.or_else(|| Some(split_repository(self.network.key(item))?.0))
    }

    fn numbers(&self, keys: &[String]) -> Result<Vec<u32>, Error> {
        let numbers = keys.iter().map(|key| self.network.item(key));
        Ok(numbers.collect::<Result<_, _>>()?)
    }

    fn as_far_as(&self, progress: ItemProgress) -> Vec<u32> {
        let items = self.network.items();
        items
            .filter(|item| self.network.progress(*item) == progress)
            .collect()
    }
}

impl From<network::Network> for PyNetwork {
    fn from(network: network::Network) -> Self {
        Arc::new(network).into()
    }
}

impl From<Arc<network::Network>> for PyNetwork {
    fn from(network: Arc<network::Network>) -> Self {
        let network = Arc::new(network.into());
        Self { network }
    }
}

#[pymethods]
impl PyNetwork {
    /// The graph of these edges `(before, after)` between keys; further items can be named, which are done, and
    /// which are only named and no work here.
    #[new]
    #[pyo3(signature = (edges, *, nodes = None, done = None, elsewhere = None))]
    fn new(
        edges: &Bound<'_, PyAny>,
        nodes: Option<&Bound<'_, PyAny>>,
        done: Option<&Bound<'_, PyAny>>,
        elsewhere: Option<&Bound<'_, PyAny>>,
    ) -> Result<Self, Raised> {
        let mut keys = NamedKeys::default();
        interned(&mut keys, nodes)?;
        let pairs = interned_pairs(&mut keys, edges)?;
        let finished = interned(&mut keys, done)?;
        let absent = interned(&mut keys, elsewhere)?;
        let states = [
            (absent, ItemProgress::Absent),
            (finished, ItemProgress::Done),
        ];
        let (keys, names) = keys.into_parts();
        let network = call(|| network_of(keys, &pairs, states))?;
        let network = Arc::new(NamedNetwork::of(network, names));
        Ok(Self { network })
    }

    /// A graph of so many items, whose keys are their numbers, with edges between numbers. The ends of edges come in
    /// parts, each as the bytes of signed numbers of 64 bits, in the order of this machine.
    #[staticmethod]
    #[pyo3(signature = (count, parts, *, done))]
    fn of_numbers(count: usize, parts: &Bound<'_, PyAny>, done: &[u8]) -> Result<Self, Raised> {
        numbered::network_of_numbers(count, parts, done).map(Self::from)
    }

    /// The parts of which the same graph is made again, where it is unpickled.
    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let key = |item| self.network.name(py, item);
        let edges: Vec<_> = self.network.edges().collect();
        let edges = list_of(py, edges.iter().map(|(from, to)| (key(*from), key(*to))))?;
        let named = |items: Vec<u32>| list_of(py, items.into_iter().map(key));
        let known = PyDict::new(py);
        known.set_item("nodes", named(self.network.items().collect())?)?;
        known.set_item("done", named(self.as_far_as(ItemProgress::Done))?)?;
        known.set_item("elsewhere", named(self.as_far_as(ItemProgress::Absent))?)?;
        Ok((PyTuple::new(py, [edges])?, known))
    }

    fn __len__(&self) -> usize {
        self.network.len()
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> bool {
        let key = key.extract::<&str>();
        key.is_ok_and(|key| self.network.find(key).is_some())
    }

    fn nodes(&self) -> PyItems {
        self.items(self.network.items().collect())
    }

    fn edges(&self) -> PyEdges {
        let edges = detached(|| self.network.edges().collect());
        PyEdges::new(Arc::clone(&self.network), edges)
    }

    /// Returns the number of edges.
    fn edge_count(&self) -> usize {
        self.network.edge_count()
    }

    /// The place of an item in the order of all.
    fn index(&self, key: &str) -> Result<u32, Raised> {
        Ok(self.network.item(key).map_err(Error::from)?)
    }

    /// `key`, `repo`, `done`, `elsewhere` and further columns, one row an item. Keys say which repository they are
    /// of where `repos` does not.
    #[pyo3(signature = (columns = Vec::new(), *, repos = None))]
    fn node_table(
        &self,
        columns: Vec<GivenColumn<'_>>,
        repos: Option<Vec<Option<String>>>,
    ) -> Result<PyTable, Raised> {
        let further = columns.iter().map(GivenColumn::typed);
        let further = further.collect::<Result<Vec<_>, _>>()?;
        let network = &self.network;
        let own = call(|| {
            let repos = repos.unwrap_or_default();
            let repos = network.items().map(|item| self.repository(&repos, item));
            let are = |progress| {
                network
                    .items()
                    .map(move |item| network.progress(item) == progress)
            };
            Ok([
                named("key", table::texts(network.keys())),
                named("repo", table::words(repos)),
                named("done", table::flags(are(ItemProgress::Done))),
                named("elsewhere", table::flags(are(ItemProgress::Absent))),
            ])
        })?;
        Ok(PyTable::new(own.into_iter().chain(further).collect())?)
    }

    /// `before`, `after` and the repositories of both, one row an edge.
    #[pyo3(signature = (*, repos = None))]
    fn edge_table(&self, repos: Option<Vec<Option<String>>>) -> Result<PyTable, Raised> {
        let network = &self.network;
        let columns = call(|| {
            let repos = repos.unwrap_or_default();
            let (before, after): (Vec<u32>, Vec<u32>) = network.edges().unzip();
            let keys = |items: &[u32]| table::texts(items.iter().map(|item| network.key(*item)));
            let repos = |items: &[u32]| {
                table::words(items.iter().map(|item| self.repository(&repos, *item)))
            };
            Ok([
                named("before", keys(&before)),
                named("after", keys(&after)),
                named("before_repo", repos(&before)),
                named("after_repo", repos(&after)),
            ])
        })?;
        Ok(PyTable::new(columns.into())?)
    }

    fn is_done(&self, key: &str) -> Result<bool, Raised> {
        let item = self.network.item(key).map_err(Error::from)?;
        Ok(self.network.is_done(item))
    }

    fn done(&self) -> PyItems {
        self.items(detached(|| self.as_far_as(ItemProgress::Done)))
    }

    /// The items that are only named.
    fn elsewhere(&self) -> PyItems {
        self.items(detached(|| self.as_far_as(ItemProgress::Absent)))
    }

    fn before(&self, key: &str) -> Result<PyItems, Raised> {
        let item = self.network.item(key).map_err(Error::from)?;
        Ok(self.items(self.network.before(item).to_vec()))
    }

    fn after(&self, key: &str) -> Result<PyItems, Raised> {
        let item = self.network.item(key).map_err(Error::from)?;
        Ok(self.items(self.network.after(item).to_vec()))
    }

    fn unmet(&self, key: &str) -> Result<PyItems, Raised> {
        let item = self.network.item(key).map_err(Error::from)?;
        Ok(self.items(self.network.unmet(item)))
    }

    fn frontier(&self) -> PyItems {
        self.items(detached(|| self.network.frontier()))
    }

    fn blocked(&self) -> PyItems {
        self.items(detached(|| self.network.blocked()))
    }

    fn cycles(&self) -> Vec<PyItems> {
        let groups = detached(|| self.network.cycles());
        groups.into_iter().map(|group| self.items(group)).collect()
    }

    /// The strongly connected components, each of which waits only for earlier ones.
    fn components(&self) -> PyLayers {
        let groups = detached(|| self.network.components());
        PyLayers::new(Arc::clone(&self.network), groups)
    }

    fn layers(&self) -> Result<PyLayers, Raised> {
        let layers = call(|| Ok(self.network.layers()?))?;
        Ok(PyLayers::new(Arc::clone(&self.network), layers))
    }

    /// The items of the critical path, and its length.
    #[pyo3(signature = (weights = None))]
    fn critical_path(&self, weights: Option<&Bound<'_, PyAny>>) -> Result<(PyItems, f64), Raised> {
        let weights = self.weights(weights)?;
        let path = call(|| Ok(self.network.critical_path(&weights)?))?;
        Ok((self.items(path.items), path.length))
    }

    /// When items can begin, when they have to, by how much they may be late, and when all ends.
    #[pyo3(signature = (weights = None))]
    fn times(
        &self,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> Result<(PyScores, PyScores, PyScores, f64), Raised> {
        let weights = self.weights(weights)?;
        let times = call(|| Ok(self.network.times(&weights)?))?;
        let slack = self.scores(times.slack());
        Ok((
            self.scores(times.earliest),
            self.scores(times.latest),
            slack,
            times.finish,
        ))
    }

    /// The items of these keys, in the order of all, and the edges between them.
    fn subgraph(&self, py: Python<'_>, keys: &Bound<'_, PyAny>) -> Result<Self, Raised> {
        let keys = InterpreterTurns::new(py).over(keys.try_iter()?);
        let number = |key: PyResult<Bound<'_, PyAny>>| {
            let item = self.network.item(key?.extract()?);
            Ok(item.map_err(Error::from)?)
        };
        let items: Vec<u32> = keys.map(number).collect::<Result<_, Raised>>()?;
        call(|| Ok(self.network.subgraph(&items)?)).map(Self::from)
    }

    fn impact(&self, keys: Vec<String>) -> Result<PyItems, Raised> {
        let items = call(|| Ok(self.network.impact(&self.numbers(&keys)?)))?;
        Ok(self.items(items))
    }

    fn ancestors(&self, keys: Vec<String>) -> Result<PyItems, Raised> {
        let items = call(|| Ok(self.network.ancestors(&self.numbers(&keys)?)))?;
        Ok(self.items(items))
    }

    #[pyo3(signature = (*, sample = None, seed = 0, normalized = true, progress = None))]
    fn betweenness(
        &self,
        sample: Option<usize>,
        seed: u64,
        normalized: bool,
        progress: Option<Py<PyAny>>,
    ) -> Result<PyScores, Raised> {
        let network = &self.network;
        let values = watched(progress, |watch| {
            let sources = sample
                .map(|count| network.sample(count, seed))
                .transpose()?;
            network.betweenness(sources.as_deref(), normalized, watch)
        })?;
        Ok(self.scores(values))
    }

    #[pyo3(signature = (*, damping = 0.85, tolerance = 1e-6, rounds = 100, reverse = false))]
    fn pagerank(
        &self,
        damping: f64,
        tolerance: f64,
        rounds: usize,
        reverse: bool,
    ) -> Result<PyScores, Raised> {
        let how = PageRank {
            damping,
            tolerance,
            rounds,
            reverse,
        };
        let values = call(|| Ok(self.network.pagerank(how)?))?;
        Ok(self.scores(values))
    }

    #[pyo3(signature = (*, progress = None))]
    fn redundant_edges(&self, progress: Option<Py<PyAny>>) -> Result<PyEdges, Raised> {
        let edges = watched(progress, |watch| self.network.redundant_edges(watch))?;
        Ok(PyEdges::new(Arc::clone(&self.network), edges))
    }

    /// Slots `(key, agent, start, end)`, the items that cannot be planned, the end of all, the
    /// utilisation, P50 and P90.
    #[pyo3(signature = (durations, *, spread, agents, rounds, seed, progress = None))]
    #[expect(clippy::too_many_arguments, reason = "what a plan is made of")]
    fn schedule<'py>(
        &self,
        py: Python<'py>,
        durations: &Bound<'_, PyAny>,
        spread: GivenSpread,
        agents: NonZeroU32,
        rounds: u32,
        seed: u64,
        progress: Option<Py<PyAny>>,
    ) -> Result<PlainSchedule<'py>, Raised> {
        let median = numbers_of(durations)?;
        let median = median.as_slice();
        let options = ScheduleOptions {
            agents,
            rounds,
            seed,
        };
        let spread = match &spread {
            GivenSpread::Known(spread) => DurationSpread::Known(*spread),
            GivenSpread::Learned(ratios) => DurationSpread::Learned(ratios),
        };
        let plan = watched(progress, |watch| {
            self.network
                .schedule(DurationEstimates { median, spread }, options, watch)
        })?;
        Ok(self.plain_schedule(py, plan)?)
    }

    /// Changes of the graph, made beside it.
    fn draft(&self) -> PyNetworkDraft {
        PyNetworkDraft::of(self.shared())
    }

    /// The items that a picture of a large graph shows.
    #[pyo3(signature = (limit = 60, *, focus = vec![], depth = None, first = vec![]))]
    fn clip(
        &self,
        limit: usize,
        focus: Vec<String>,
        depth: Option<u32>,
        first: Vec<String>,
    ) -> Result<PyItems, Raised> {
        let items = call(|| {
            let (focus, first) = (&*self.numbers(&focus)?, &*self.numbers(&first)?);
            let options = ClipOptions {
                limit,
                focus,
                depth,
                first,
            };
            Ok(clip::clip(&self.network, &options)?)
        })?;
        Ok(self.items(items))
    }

    /// An SVG picture of items, by default of all; lists say something of each of them, in their order.
    #[pyo3(signature = (
        items = None, *, labels = vec![], states = vec![], groups = vec![], titles = vec![], heat = vec![],
        heat_name = String::new(), heat_ends = (String::new(), String::new()), focus = vec![], critical = vec![], theme = "auto", name = String::new(),
        shares = vec![]
    ))]
    #[expect(clippy::too_many_arguments, reason = "what a picture can show")]
    fn svg(
        &self,
        items: Option<Vec<String>>,
        labels: Vec<String>,
        states: Vec<String>,
        groups: Vec<String>,
        titles: Vec<String>,
        heat: Vec<Option<f64>>,
        heat_name: String,
        heat_ends: (String, String),
        focus: Vec<String>,
        critical: Vec<String>,
        theme: &str,
        name: String,
        shares: Vec<Vec<(String, usize)>>,
    ) -> Result<String, Raised> {
        call(|| {
            let said = ItemTexts {
                labels,
                states,
                groups,
                titles,
                heat,
                shares: pictures::read_shares(&shares)?,
            };
            let look = PictureOptions {
                name,
                heat_name,
                heat_ends,
                focus: self.numbers(&focus)?,
                critical: self.numbers(&critical)?,
                theme: ColorTheme::named(theme)?,
            };
            Ok(chant_draw::svg(
                &self.network,
                &self.chosen(items)?,
                &said,
                &look,
            )?)
        })
    }

    /// A picture of items as a page makes nodes of it, in JSON; each has a label, a second line, a text under the
    /// pointer, a class, a state, and how many items of which state it stands for.
    #[pyo3(signature = (items, figures, *, focus = vec![], critical = vec![], name = String::new()))]
    fn scene(
        &self,
        items: Vec<String>,
        figures: Vec<FigureOfPage>,
        focus: Vec<String>,
        critical: Vec<String>,
        name: String,
    ) -> Result<String, Raised> {
        call(|| {
            let figures: Vec<_> = figures
                .into_iter()
                .map(pictures::read_figure)
                .collect::<Result<_, _>>()?;
            let options = ElementOptions {
                name,
                focus: self.numbers(&focus)?,
                critical: self.numbers(&critical)?,
            };
            let items = self.numbers(&items)?;
            Ok(draw_elements(&self.network, &items, &figures, &options)?
                .to_json()
                .to_string())
        })
    }

    /// Items in at most `most` clusters, which can be divided again; those of one unit stay together.
    #[pyo3(signature = (items, *, units = vec![], most = 40))]
    fn divide(
        &self,
        items: Vec<String>,
        units: Vec<String>,
        most: usize,
    ) -> Result<Vec<PyItems>, Raised> {
        let found = call(|| {
            Ok(clusters::divide(
                &self.network,
                &self.numbers(&items)?,
                &units,
                most,
            )?)
        })?;
        Ok(found.into_iter().map(|items| self.items(items)).collect())
    }

    /// The network in which each of these clusters is one item, first of all, with a name.
    fn merge(&self, clusters: Vec<Vec<String>>, names: Vec<String>) -> Result<Self, Raised> {
        call(|| {
            let clusters = clusters.iter().map(|keys| self.numbers(keys));
            let clusters: Vec<Vec<u32>> = clusters.collect::<Result<_, _>>()?;
            Ok(clusters::merge(&self.network, &clusters, &names)?)
        })
        .map(Self::from)
    }

    /// Items as a Mermaid flowchart.
    #[pyo3(signature = (items = None, *, labels = vec![], states = vec![]))]
    fn mermaid(
        &self,
        items: Option<Vec<String>>,
        labels: Vec<String>,
        states: Vec<String>,
    ) -> Result<String, Raised> {
        self.written(chant_draw::mermaid, items, labels, states)
    }

    /// Items in the DOT language of Graphviz.
    #[pyo3(signature = (items = None, *, labels = vec![], states = vec![]))]
    fn dot(
        &self,
        items: Option<Vec<String>>,
        labels: Vec<String>,
        states: Vec<String>,
    ) -> Result<String, Raised> {
        self.written(chant_draw::dot, items, labels, states)
    }

    /// Returns the differences of a newer graph: lists of keys and of edges by name.
    fn difference<'py>(&self, py: Python<'py>, newer: &Self) -> PyResult<Bound<'py, PyDict>> {
        let found = detached(|| NetworkDifference::between(&self.network, &newer.network));
        let dict = PyDict::new(py);
        dict.set_item("added", found.added)?;
        dict.set_item("removed", found.removed)?;
        dict.set_item("finished", found.finished)?;
        dict.set_item("reopened", found.reopened)?;
        dict.set_item("added_edges", found.added_edges)?;
        dict.set_item("removed_edges", found.removed_edges)?;
        Ok(dict)
    }
}

/// The numbers of the two keys of an edge, which is a tuple or another sequence.
fn interned_pair(keys: &mut NamedKeys, edge: &Bound<'_, PyAny>) -> Result<(u32, u32), Raised> {
    if let Ok(pair) = edge.cast::<PyTuple>()
        && pair.len() == 2
    {
        let (before, after) = (pair.get_borrowed_item(0)?, pair.get_borrowed_item(1)?);
        return Ok((keys.number(&before)?, keys.number(&after)?));
    }
    let pair: PyResult<[Bound<'_, PyAny>; 2]> = edge.extract();
    let [before, after] = pair.map_err(|_| unfit("edges", edge, "pairs of keys"))?;
    Ok((keys.number(&before)?, keys.number(&after)?))
}

/// The error that names a value that is none of those expected.
fn unfit(name: &'static str, value: &Bound<'_, PyAny>, expected: &'static str) -> Raised {
    let given = value.repr().map(|text| text.to_string());
    let given = given.unwrap_or_else(|_| value.get_type().to_string());
    let error = NetworkError::Argument {
        name,
        given,
        expected,
    };
    Raised::from(Error::from(error))
}

/// The numbers of the keys of edges, which are new or not.
fn interned_pairs(
    keys: &mut NamedKeys,
    edges: &Bound<'_, PyAny>,
) -> Result<Vec<(u32, u32)>, Raised> {
    let found = edges.try_iter();
    let found = found.map_err(|_| unfit("edges", edges, "pairs of keys"))?;
    let found = InterpreterTurns::new(edges.py()).over(found);
    found.map(|edge| interned_pair(keys, &edge?)).collect()
}

/// A graph whose items are open, but for those of the lists; later lists win.
fn network_of(
    keys: KeySet,
    pairs: &[(u32, u32)],
    states: [(Vec<u32>, ItemProgress); 2],
) -> Result<network::Network, Error> {
    let mut progress = vec![ItemProgress::Open; keys.len()];
    for (items, state) in states {
        for item in items {
            progress[item as usize] = state;
        }
    }
    Ok(network::Network::new(keys, progress, pairs)?)
}

/// The numbers of keys, which are new or not.
fn interned(keys: &mut NamedKeys, named: Option<&Bound<'_, PyAny>>) -> Result<Vec<u32>, Raised> {
    let Some(named) = named else {
        return Ok(Vec::new());
    };
    let found = named
        .try_iter()
        .map_err(|_| unfit("keys", named, "texts"))?;
    let found = InterpreterTurns::new(named.py()).over(found);
    found.map(|key| keys.number(&key?)).collect()
}
