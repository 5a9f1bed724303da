//! Where the node of an ID stands in a list of nodes. IDs are not kept twice, so that a copy costs little.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use hashbrown::HashTable;

use super::model::VineNode;

/// Places of nodes by their IDs; the list itself is handed in with each question.
#[derive(Debug, Clone, Default)]
pub(super) struct NodePlaces {
    table: HashTable<u32>,
    hasher: RandomState,
}

impl NodePlaces {
    /// Where the node of an ID stands.
    pub(super) fn find(&self, nodes: &[Arc<VineNode>], id: &str) -> Option<usize> {
        let is_it = |place: &u32| *nodes[*place as usize].id == *id;
        let place = self.table.find(self.hasher.hash_one(id), is_it)?;
        Some(*place as usize)
    }

    /// Takes in the node at a place; false when its ID is there already.
    pub(super) fn insert(&mut self, nodes: &[Arc<VineNode>], place: usize) -> bool {
        let id = &nodes[place].id;
        if self.find(nodes, id).is_some() {
            return false;
        }
        let hash = |place: &u32| self.hasher.hash_one(&*nodes[*place as usize].id);
        let own = self.hasher.hash_one(&**id);
        self.table.insert_unique(own, narrow(place), hash);
        true
    }

    /// Takes an ID out.
    pub(super) fn remove(&mut self, nodes: &[Arc<VineNode>], id: &str) {
        let is_it = |place: &u32| *nodes[*place as usize].id == *id;
        let found = self.table.find_entry(self.hasher.hash_one(id), is_it);
        if let Ok(found) = found {
            found.remove();
        }
    }

    /// Takes in that all nodes stand elsewhere now.
    pub(super) fn moved(&mut self, to: impl Fn(usize) -> usize) {
        for place in &mut self.table {
            *place = narrow(to(*place as usize));
        }
    }
}

/// A place as it is kept: no document has more nodes than that counts.
fn narrow(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
