//! `NetworkDraft`: changes of a graph, made beside it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chant_graph::network;
use chant_graph::network::change::{self, NetworkChange};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::PyNetwork;
use crate::detached::detached;
use crate::raise::{Raised, call};

/// A graph and what is other in it. A change costs what it touches.
#[pyclass(name = "NetworkDraft", frozen, module = "chant_mcp._core")]
pub(crate) struct PyNetworkDraft {
    draft: Mutex<change::NetworkDraft>,
}

impl PyNetworkDraft {
    pub(super) fn of(network: Arc<network::Network>) -> Self {
        Self {
            draft: Mutex::new(change::NetworkDraft::of(network)),
        }
    }

    fn held(&self) -> MutexGuard<'_, change::NetworkDraft> {
        self.draft.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyNetworkDraft {
    fn __contains__(&self, key: &Bound<'_, PyAny>) -> bool {
        let key = key.extract::<&str>();
        key.is_ok_and(|key| self.held().contains(key))
    }

    /// Makes changes, all or none: tuples of a word (`finish`, `add`, `split`, `drop`, `depend_on`) and what it
    /// needs.
    fn apply(&self, changes: Vec<Bound<'_, PyTuple>>) -> Result<(), Raised> {
        let changes = changes.iter().map(change).collect::<PyResult<Vec<_>>>()?;
        call(|| {
            let mut held = self.held();
            let mut draft = held.clone();
            for change in &changes {
                draft.apply(change)?;
            }
            *held = draft;
            Ok(())
        })
    }

    /// The graph as it would be.
    fn network(&self) -> PyNetwork {
        detached(|| self.held().network()).into()
    }
}

fn change(tuple: &Bound<'_, PyTuple>) -> PyResult<NetworkChange> {
    let word: String = tuple.get_item(0)?.extract()?;
    let key: String = tuple.get_item(1)?.extract()?;
    match word.as_str() {
        "finish" => Ok(NetworkChange::Finish(key)),
        "drop" => Ok(NetworkChange::Drop(key)),
        "add" | "split" | "depend_on" => change_with_others(tuple, &word, key),
        _ => Err(PyValueError::new_err(format!("no change is called {word}"))),
    }
}

/// A change that names other items, too.
fn change_with_others(
    tuple: &Bound<'_, PyTuple>,
    word: &str,
    key: String,
) -> PyResult<NetworkChange> {
    let list = |index: usize| tuple.get_item(index)?.extract::<Vec<String>>();
    if word == "split" {
        let (parts, in_a_row) = (list(2)?, tuple.get_item(3)?.extract()?);
        return Ok(NetworkChange::Split {
            key,
            parts,
            in_a_row,
        });
    }
    let before = list(2)?;
    match word {
        "depend_on" => Ok(NetworkChange::DependOn { key, before }),
        _ => list(3).map(|after| NetworkChange::Add { key, before, after }),
    }
}
