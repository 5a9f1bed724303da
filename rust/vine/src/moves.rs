//! Which node of a graph was which of the graph before.

use std::sync::Arc;

use super::model::Graph;
use chant_base::counted::count_visited;
use chant_graph::rows::narrow;

/// Stands for a place that there is not.
const NONE: u32 = u32::MAX;

/// Which node of a graph was which of the one before.
#[derive(Debug)]
pub struct NodeMoves {
    /// Old places by new ones.
    was: Vec<u32>,
    /// New places by old ones.
    now: Vec<u32>,
    /// New places of nodes that are not the very ones of before, ascending.
    pub fresh: Vec<usize>,
}

impl NodeMoves {
    /// Compares two graphs. Nodes that both share are recognised by their addresses; others are looked up by ID.
    pub(super) fn between(old: &Graph, new: &Graph) -> Self {
        let mut moves = Self {
            was: Vec::with_capacity(new.nodes.len()),
            now: vec![NONE; old.nodes.len()],
            fresh: Vec::new(),
        };
        let mut next = 0;
        for (at, node) in new.nodes.iter().enumerate() {
            let is_it = |known: &Arc<_>| Arc::ptr_eq(known, node);
            let known = if old.nodes.get(next).is_some_and(is_it) {
                Some(next)
            } else {
                count_visited(1);
                old.position(&node.id)
            };
            if !known.is_some_and(|known| is_it(&old.nodes[known])) {
                moves.fresh.push(at);
            }
            moves.was.push(known.map_or(NONE, narrow));
            if let Some(known) = known {
                moves.now[known] = narrow(at);
                next = known + 1;
            }
        }
        moves
    }

    /// Returns true if every node stands where it stood, and none came or went.
    pub fn are_in_place(&self) -> bool {
        self.was.len() == self.now.len() && (0..).zip(&self.was).all(|(at, was)| at == *was)
    }

    /// The old place of a node.
    pub fn was(&self, at: usize) -> Option<usize> {
        Some(self.was[at])
            .filter(|was| *was != NONE)
            .map(|place| place as usize)
    }

    /// The new place of a node.
    pub fn now(&self, was: usize) -> Option<usize> {
        Some(self.now[was])
            .filter(|now| *now != NONE)
            .map(|place| place as usize)
    }

    /// The old places of nodes that are gone.
    pub fn gone(&self) -> impl Iterator<Item = usize> {
        let places = self.now.iter().enumerate();
        places.filter(|(_, now)| **now == NONE).map(|(was, _)| was)
    }
}
