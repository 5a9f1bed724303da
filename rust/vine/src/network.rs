//! The dependencies of a valid graph, by the places of its nodes. After a change of a few nodes the rows of all
//! others are taken over with their numbers moved, and only what the change touches is checked.

use super::model::{Graph, NodeContent};
use super::moves::NodeMoves;
use chant_base::counted::count_visited;
use chant_graph::rows::{ItemRows, narrow};

/// The dependencies between nodes, whatever the nodes' statuses.
#[derive(Debug)]
pub(super) struct DependencyIndex {
    /// For each node those that it depends on, in the order of its lines.
    needs: ItemRows,
    /// For each node those that depend on it, in the order of the file.
    needed_by: ItemRows,
    /// For each node a number that is higher than those of all that it depends on.
    levels: Vec<u32>,
}

impl DependencyIndex {
    /// Returns the dependencies of a valid graph.
    pub(super) fn of(graph: &Graph) -> Self {
        count_visited(graph.nodes.len());
        let rows = graph.nodes.iter().map(|node| {
            let places = node.dependencies.iter();
            places.filter_map(|id| graph.position(id)).map(narrow)
        });
        let needs = ItemRows::of(rows);
        let needed_by = needs.turned().deduplicated();
        let levels = levels(&needs, &needed_by);
        Self {
            needs,
            needed_by,
            levels,
        }
    }

    /// Returns the dependencies of a graph of which some nodes are others; `None` where it is not valid, or
    /// where finding that out costs more than looking at all of it.
    pub(super) fn renewed(&self, graph: &Graph, moves: &NodeMoves) -> Option<Self> {
        let mut fresh = moves.fresh.iter().peekable();
        let mut needs = ItemRows::with_room(
            graph.nodes.len(),
            self.needs.item_count() + moves.fresh.len(),
        );
        for at in 0..graph.nodes.len() {
            if fresh.next_if(|fresh| **fresh == at).is_some() {
                let node = &graph.nodes[at];
                if matches!(&node.work, NodeContent::Ref { vine } if vine.is_empty()) {
                    return None;
                }
                count_visited(node.dependencies.len());
                for id in &node.dependencies {
                    needs.add(narrow(graph.position(id)?));
                }
            } else {
                for old in self.needs.row(narrow(moves.was(at)?)) {
                    needs.add(narrow(moves.now(index(*old))?));
                }
            }
            needs.end_row();
        }
        let needed_by = needs.turned().deduplicated();
        // Without cycles the root reaches all nodes exactly if it is the only one that no other depends on.
        let alone = needed_by.rows().filter(|(_, row)| row.is_empty());
        if !alone.map(|(at, _)| at).eq([0]) {
            return None;
        }
        let mut network = Self {
            needs,
            needed_by,
            levels: vec![0; graph.nodes.len()],
        };
        network.levels = self.raised(&network, moves)?;
        Some(network)
    }

    /// Returns the levels of a changed network; `None` for one with a cycle.
    fn raised(&self, changed: &Self, moves: &NodeMoves) -> Option<Vec<u32>> {
        let level = |at: usize| moves.was(at).map_or(0, |was| self.levels[was]);
        let mut levels: Vec<u32> = (0..changed.levels.len()).map(level).collect();
        let mut open: Vec<u32> = moves.fresh.iter().map(|at| narrow(*at)).collect();
        let mut room = 2 * (levels.len() + changed.needs.item_count());
        while let Some(at) = open.pop() {
            let row = changed.needs.row(at);
            count_visited(1 + row.len());
            room = room.checked_sub(1 + row.len())?;
            let needed = row.iter().map(|below| levels[index(*below)] + 1).max();
            if needed.is_some_and(|needed| levels[index(at)] < needed) {
                levels[index(at)] = needed.unwrap_or(0);
                open.extend(changed.needed_by.row(at));
            }
        }
        Some(levels)
    }

    /// Returns the nodes that a node depends on, in the order of its lines.
    pub(super) fn needs(&self, at: usize) -> &[u32] {
        self.needs.row(narrow(at))
    }

    /// Returns the nodes that depend on a node, in the order of the file; nothing for a place where no node is.
    pub(super) fn needed_by(&self, at: usize) -> &[u32] {
        if at < self.levels.len() {
            self.needed_by.row(narrow(at))
        } else {
            &[]
        }
    }

    /// Returns the number of nodes that depend on nothing.
    pub(super) fn leaves(&self) -> usize {
        let rows = self.needs.rows();
        rows.filter(|(_, row)| row.is_empty()).count()
    }
}

/// Returns a level for each node of a graph without cycles.
fn levels(needs: &ItemRows, needed_by: &ItemRows) -> Vec<u32> {
    let mut waits: Vec<usize> = needed_by.rows().map(|_| 0).collect();
    for (_, row) in needed_by.rows() {
        for at in row {
            waits[index(*at)] += 1;
        }
    }
    let mut levels = vec![0; waits.len()];
    let free = (0..).zip(&waits).filter(|(_, waits)| **waits == 0);
    let mut open: Vec<u32> = free.map(|(at, _)| at).collect();
    while let Some(at) = open.pop() {
        let below = needs.row(at).iter().map(|below| levels[index(*below)] + 1);
        levels[index(at)] = below.max().unwrap_or(0);
        for above in needed_by.row(at) {
            waits[index(*above)] -= 1;
            if waits[index(*above)] == 0 {
                open.push(*above);
            }
        }
    }
    levels
}

fn index(place: u32) -> usize {
    place as usize
}
