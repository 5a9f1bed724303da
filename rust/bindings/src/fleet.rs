//! `FleetGraph`: many repositories as one graph, and `unite_networks`: graphs that are known already.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use chant_base::error::Error;
use chant_spec_runs::receipt::{self, CompletedBy};
use chant_specs::error::ChantError;
use chant_workspace::fleet::{
    self, ClusterLook, CommitRun, FleetPlace, PlaceAnswer, ReceiptPlace, name_repositories,
    read_fleet,
};
use chant_workspace::repository_union::{NetworkUnion, UnionPart};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::detached::detached;
use crate::graph::PyNetwork;
use crate::raise::{Raised, call};
use crate::turns::list_of;
use crate::workspace::{LaidColumns, PyColumns};

const RECEIPTS: ReceiptPlace = ReceiptPlace {
    refs: receipt::RECEIPTS,
    most_bytes: receipt::MAX_BYTES,
    read: read_run,
};

/// What a receipt says of a run; `None` for a completion by hand, and for what is no receipt.
fn read_run(text: &[u8]) -> Option<CommitRun> {
    let receipt = receipt::parse(text).ok()?;
    (receipt.completed == CompletedBy::Run).then_some(CommitRun {
        spec: receipt.spec,
        token: receipt.token,
        agent: receipt.agent,
        model: receipt.model,
        target: receipt.target,
        started_at: receipt.started_at,
        ended_at: receipt.ended_at,
    })
}

/// The items of many repositories, as their newest commits have them.
#[pyclass(name = "FleetGraph", frozen, module = "chant_mcp._core")]
pub(crate) struct PyFleetGraph {
    fleet: Arc<fleet::FleetGraph>,
}

#[pymethods]
impl PyFleetGraph {
    /// Reads repositories by their folders and addresses. What commits hold is kept in the folder `cache`.
    #[new]
    #[pyo3(signature = (folders, addresses, *, cache = None))]
    fn new(
        folders: Vec<PathBuf>,
        addresses: Vec<String>,
        cache: Option<PathBuf>,
    ) -> Result<Self, Raised> {
        let places = places_of(folders, addresses);
        let fleet = call(|| read_fleet(places, cache.as_deref(), RECEIPTS))?;
        Ok(Self {
            fleet: Arc::new(fleet),
        })
    }

    /// The graph.
    fn network(&self) -> PyNetwork {
        Arc::clone(&self.fleet.network).into()
    }

    /// The facts about its items.
    fn columns(&self) -> PyColumns {
        LaidColumns::Fleet(Arc::clone(&self.fleet)).into()
    }

    /// The number of repositories whose commit was not known yet.
    #[getter]
    fn read(&self) -> usize {
        self.fleet.read
    }

    /// `(name, place, commit)` of each repository that was read.
    fn repositories(&self) -> Vec<(&str, &str, &str)> {
        let all = self.fleet.repositories.iter();
        all.map(|one| (&*one.name, &*one.place, &*one.commit))
            .collect()
    }

    /// `(repo, place, path, line, reason)` of everything that could not be read.
    #[expect(clippy::type_complexity, reason = "a row as a tuple")]
    fn problems(&self) -> Vec<(Option<&str>, &str, Option<&str>, Option<usize>, &str)> {
        let all = self.fleet.problems.iter();
        all.map(|one| {
            let (repository, path) = (one.repository.as_deref(), one.path.as_deref());
            (repository, &*one.place, path, one.line, &*one.reason)
        })
        .collect()
    }

    /// The runs that landed, with the keys of `ws.runs` and the repository.
    fn runs<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let rows = self.fleet.runs().map(|(repository, run)| {
            let row = PyDict::new(py);
            row.set_item("repo", repository)?;
            row.set_item("key", format!("{repository}/chant:{}", run.spec))?;
            row.set_item("process_id", format!("{}/{}", run.spec, run.token))?;
            row.set_item("spec_id", &run.spec)?;
            row.set_item("status", "completed")?;
            row.set_item("end_state", "completed")?;
            row.set_item("stale", false)?;
            row.set_item("agent", &run.agent)?;
            row.set_item("model", &run.model)?;
            row.set_item("branch", &run.target)?;
            row.set_item("started_at", &run.started_at)?;
            row.set_item("completed_at", &run.ended_at)?;
            Ok(row)
        });
        rows.collect()
    }
}

fn places_of(folders: Vec<PathBuf>, addresses: Vec<String>) -> Vec<FleetPlace> {
    let folders = folders.into_iter().map(FleetPlace::Folder);
    let places = folders.chain(addresses.into_iter().map(FleetPlace::Address));
    places.collect()
}

/// A look at many repositories whose reading is asked of a cluster.
#[pyclass(name = "ClusterLook", frozen, module = "chant_mcp._core")]
pub(crate) struct PyClusterLook {
    look: Mutex<Option<ClusterLook>>,
    #[pyo3(get)]
    asked: Vec<(usize, String, String)>,
    #[pyo3(get)]
    known: Vec<String>,
}

#[pymethods]
impl PyClusterLook {
    /// Finds what is known of repositories. What workers read is kept in the folder `cache` by the name of the
    /// cluster.
    #[new]
    #[pyo3(signature = (folders, addresses, *, cluster, cache = None))]
    fn new(
        folders: Vec<PathBuf>,
        addresses: Vec<String>,
        cluster: String,
        cache: Option<PathBuf>,
    ) -> Self {
        detached(|| {
            let places = places_of(folders, addresses);
            let look = ClusterLook::begin(places, cache.as_deref(), &cluster, RECEIPTS);
            let asked = look.asked().into_iter().map(|(number, place)| match place {
                FleetPlace::Folder(folder) => {
                    (number, "folder".to_owned(), folder.display().to_string())
                }
                FleetPlace::Address(address) => (number, "address".to_owned(), address),
            });
            Self {
                asked: asked.collect(),
                known: look.known_results(),
                look: Mutex::new(Some(look)),
            }
        })
    }

    /// The graph with what workers answered: `(number, worker, commit, result, items)`, and `(number, reason)` of
    /// places that were not read. The look is over then.
    fn finish(
        &self,
        answers: Vec<(usize, String, String, String, Option<String>)>,
        failed: Vec<(usize, String)>,
    ) -> Result<PyFleetGraph, Raised> {
        let answers = answers
            .into_iter()
            .map(|(number, worker, commit, result, items)| {
                let answer = PlaceAnswer {
                    worker,
                    commit,
                    result,
                    items,
                };
                (number, Ok(answer))
            });
        let failed = failed.into_iter().map(|(number, why)| (number, Err(why)));
        let answers = answers.chain(failed).collect();
        let fleet = call(|| {
            let look = self.look.lock().ok().and_then(|mut look| look.take());
            let look =
                look.ok_or_else(|| refused("This look is over. Begin another.".to_owned()))?;
            look.finish(answers)
        })?;
        Ok(PyFleetGraph {
            fleet: Arc::new(fleet),
        })
    }
}

fn refused(why: String) -> Error {
    ChantError::Refused(why).into()
}

/// Reads a repository as a worker of a cluster does: the commit, the name of what it holds, and that as a text where
/// it is wanted. With `within` it has to lie in one of these folders.
#[pyfunction]
#[pyo3(signature = (folder, *, within = None, with_items = true))]
pub(crate) fn read_repository(
    folder: PathBuf,
    within: Option<Vec<PathBuf>>,
    with_items: bool,
) -> Result<(String, String, Option<String>), Raised> {
    call(|| {
        let read = fleet::read_repository(&folder, within.as_deref(), with_items, RECEIPTS);
        let read = read.map_err(refused)?;
        Ok((read.commit, read.result, read.items))
    })
}

/// Brings the clone of an address in the folder `cache` up to date, and gives its folder.
#[pyfunction]
pub(crate) fn update_clone(address: String, cache: PathBuf) -> Result<PathBuf, Raised> {
    call(|| fleet::update_clone(&address, &cache).map_err(refused))
}

/// Puts graphs with the names of their repositories together; gives where each item comes from, too: the number
/// of a graph, and its item there.
#[pyfunction]
pub(crate) fn unite_networks<'py>(
    py: Python<'py>,
    graphs: Vec<(Option<String>, PyRef<'_, PyNetwork>)>,
) -> Result<(PyNetwork, Bound<'py, PyList>), Raised> {
    let graphs: Vec<_> = graphs
        .into_iter()
        .map(|(name, graph)| (name, graph.shared()))
        .collect();
    let union = call(|| {
        let parts = graphs.iter();
        let parts = parts.map(|(name, network)| UnionPart::of(name.as_deref(), network));
        Ok(NetworkUnion::of(&parts.collect::<Vec<_>>())?)
    })?;
    let origins = list_of(py, union.origins)?;
    Ok((union.network.into(), origins))
}

/// The names in keys of the repositories at some paths or addresses; no two are the same.
#[pyfunction]
pub(crate) fn repository_names(places: Vec<String>) -> Vec<String> {
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    name_repositories(&places)
}
