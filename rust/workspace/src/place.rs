//! Where items stand in the order of lists: found out for those that are asked for, without a look at the others.

use std::sync::Arc;

use super::feature::FeatureTasks;
use super::workspace_graph::{ItemSource, WorkspaceGraph};
use chant_base::counted::count_visited;
use chant_graph::Node;
use chant_tickets::code::TicketCode;

/// Where an item stands among all: by dialect, then by file and place in it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ItemPlace<'a> {
    Spec(usize),
    Task(usize, usize),
    Feature(usize, usize),
    Ticket(&'a TicketCode),
    Plan(usize, usize),
}

impl WorkspaceGraph {
    /// The nodes of the tasks and phases of features.
    pub(super) fn feature_nodes(&self) -> impl Iterator<Item = Node> {
        let nodes = self.features.iter().flat_map(|(_, nodes)| nodes);
        nodes.inspect(|_| count_visited(1)).copied()
    }

    /// Returns the text of the task graph at a path.
    pub(super) fn plan_text(&self, path: &str) -> &str {
        let plan = self
            .plan_places
            .get(path)
            .and_then(|at| self.plans.get(*at));
        plan.map_or("", |(plan, _)| &plan.document.text)
    }

    /// Returns the nodes of the task graph at a path, in its order.
    pub fn plan_nodes(&self, path: &str) -> Vec<Node> {
        let plan = self
            .plan_places
            .get(path)
            .and_then(|at| self.plans.get(*at));
        plan.map_or_else(Vec::new, |(_, nodes)| nodes.iter().copied().collect())
    }

    /// Returns the nodes of a feature, in its order.
    pub(super) fn nodes_of_feature(&self, tasks: &Arc<FeatureTasks>) -> Vec<Node> {
        let mut features = self.features.iter();
        let found = features.find(|(known, _)| Arc::ptr_eq(known, tasks));
        found.map_or_else(Vec::new, |(_, nodes)| nodes.iter().copied().collect())
    }

    /// Puts nodes of items into the order of [`WorkspaceGraph::nodes`]; what it costs is what they are.
    pub(super) fn sort(&self, nodes: &mut [Node]) {
        nodes.sort_by_cached_key(|node| self.place(*node));
    }

    /// Where an item stands among all.
    pub(super) fn place(&self, node: Node) -> Option<ItemPlace<'_>> {
        Some(match self.sources[node.index()].as_ref()? {
            ItemSource::Spec(spec) => ItemPlace::Spec(self.specs.place_of(&spec.id)?),
            ItemSource::Task { path, task } => {
                let plan = *self.plan_places.get(path)?;
                ItemPlace::Task(plan, self.plan(path)?.graph.position(&task.id)?)
            }
            ItemSource::Feature(tasks, _) => {
                let mut features = self.features.iter();
                let at = features.position(|(known, _)| Arc::ptr_eq(known, tasks))?;
                let mut nodes = self.features[at].1.iter();
                ItemPlace::Feature(at, nodes.position(|of| *of == node)?)
            }
            ItemSource::Ticket(code, _) => ItemPlace::Ticket(code),
            ItemSource::Plan(_) => {
                let (format, at) = self.plan_item_place(node)?;
                ItemPlace::Plan(format, at)
            }
        })
    }
}
