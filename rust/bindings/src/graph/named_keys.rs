//! Keys as Python gave them: they are given back as the same texts, so that a list of a million makes none.

use std::ops::Deref;
use std::sync::Arc;

use chant_graph::key_set::KeySet;
use chant_graph::network::Network;
use hashbrown::HashTable;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::unfit;
use crate::raise::Raised;

/// A graph, and the texts of its keys where Python gave them.
pub(crate) struct NamedNetwork {
    network: Arc<Network>,
    names: Option<Vec<Py<PyString>>>,
}

impl NamedNetwork {
    /// A graph of keys that Python gave.
    pub(super) fn of(network: Network, names: Vec<Py<PyString>>) -> Self {
        Self {
            network: Arc::new(network),
            names: Some(names),
        }
    }

    /// The graph without the texts.
    pub(super) fn shared(&self) -> Arc<Network> {
        Arc::clone(&self.network)
    }

    /// The key of an item.
    pub(super) fn name<'py>(&self, py: Python<'py>, item: u32) -> Bound<'py, PyString> {
        let name = self
            .names
            .as_ref()
            .and_then(|names| names.get(item as usize));
        match name {
            Some(name) => name.bind(py).clone(),
            None => PyString::new(py, self.network.key(item)),
        }
    }
}

impl From<Arc<Network>> for NamedNetwork {
    fn from(network: Arc<Network>) -> Self {
        Self {
            network,
            names: None,
        }
    }
}

impl Deref for NamedNetwork {
    type Target = Network;

    fn deref(&self) -> &Network {
        &self.network
    }
}

/// Where a text lies in memory, and the number of its key.
type TextPlace = (usize, u32);

/// So many texts that are found only by what they say are looked up by their place before, too.
const STRANGERS: usize = 1000;

/// Keys by the texts of Python that say them. A text that is given again and again is known by its place in memory,
/// which is quicker than reading it; where texts are always new ones, that is given up.
#[derive(Default)]
pub(super) struct NamedKeys {
    keys: KeySet,
    names: Vec<Py<PyString>>,
    /// The texts of `names`, which stay where they are while these hold them.
    places: HashTable<TextPlace>,
    met_again: usize,
    strangers: usize,
}

impl NamedKeys {
    /// The number of a key, which is new or not.
    pub(super) fn number(&mut self, given: &Bound<'_, PyAny>) -> Result<u32, Raised> {
        let place = given.as_ptr() as usize;
        let looks = self.strangers <= STRANGERS + self.met_again;
        if looks && let Some((_, number)) = self.places.find(spread(place), |one| one.0 == place) {
            self.met_again += 1;
            return Ok(*number);
        }
        let refused = |_| unfit("key", given, "a text");
        let key: &str = given.extract().map_err(refused)?;
        let number = self.keys.insert(key);
        if self.keys.len() == self.names.len() {
            self.strangers += 1;
            return Ok(number);
        }
        let name = match given.cast_exact::<PyString>() {
            Ok(name) => name.clone(),
            Err(_) => PyString::new(given.py(), key),
        };
        if looks {
            let entry = (name.as_ptr() as usize, number);
            self.places
                .insert_unique(spread(entry.0), entry, |one| spread(one.0));
        }
        self.names.push(name.unbind());
        Ok(number)
    }

    /// The keys, and their texts.
    pub(super) fn into_parts(self) -> (KeySet, Vec<Py<PyString>>) {
        (self.keys, self.names)
    }
}

/// A hash of a place in memory: texts begin at multiples of 16 (Fibonacci hashing).
fn spread(place: usize) -> u64 {
    (place as u64 >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
