//! Items of formats that come through the interface, each with its state.

use std::ops::Range;
use std::sync::Arc;

use chant_graph::EdgeKind;
use chant_plan_format::scope::FormatScope;
use chant_plan_format::snapshot::{PlanMeaning, PlanSnapshot, SnapshotNode, WaitTarget};
use chant_plan_format::unit::{PlanCriterion, PlanItem, PlanUnit};
use chant_plan_store::PlanRoot;

use super::key;

/// An item of a plan as one moment has it.
#[derive(Debug, Clone)]
pub struct PlanEntry {
    pub(super) scope: &'static FormatScope,
    unit: Arc<PlanUnit>,
    at: usize,
    pub(super) status: Box<str>,
    pub(super) is_done: bool,
    pub(super) is_ready: bool,
    pub(super) meaning: PlanMeaning,
    pub(super) parent: Option<Box<str>>,
    pub(super) waits: Vec<EntryWait>,
}

/// A wait of an item for another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EntryWait {
    /// The keys that it may lead to; several for a name that is not clear.
    pub(super) keys: Vec<Box<str>>,
    pub(super) reason: &'static str,
    pub(super) is_met: bool,
}

impl PlanEntry {
    pub(super) fn of(root: &PlanRoot, node: &SnapshotNode) -> Self {
        let snapshot = &root.snapshot;
        let scope = root.format.scope();
        Self {
            scope,
            unit: Arc::clone(&snapshot.units[node.unit]),
            at: node.item,
            status: node.status.clone(),
            is_done: node.is_done,
            is_ready: node.is_ready,
            meaning: node.meaning,
            parent: parent_key(snapshot, node).map(Into::into),
            waits: waits_of(scope.word, snapshot, node).collect(),
        }
    }

    /// Returns true if a node of a snapshot says what this says.
    pub(super) fn is_of(&self, snapshot: &PlanSnapshot, node: &SnapshotNode) -> bool {
        Arc::ptr_eq(&self.unit, &snapshot.units[node.unit])
            && self.at == node.item
            && self.status == node.status
            && (self.is_done, self.is_ready, self.meaning)
                == (node.is_done, node.is_ready, node.meaning)
            && self.parent.as_deref() == parent_key(snapshot, node)
            && self
                .waits
                .iter()
                .cloned()
                .eq(waits_of(self.scope.word, snapshot, node))
    }

    /// Returns true if another one says the same, wherever it stands in its document.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        let words = |entry: &Self| {
            let item = entry.item();
            let criteria = item.criteria.iter();
            let criteria: Vec<_> = criteria
                .map(|one| (one.text.clone(), one.number, one.is_ticked))
                .collect();
            let attributes = item.attributes.iter();
            let attributes: Vec<_> = attributes
                .map(|one| (one.name.clone(), one.values.clone()))
                .collect();
            (item.title.clone(), criteria, attributes)
        };
        (self.parent.as_deref(), &self.waits) == (other.parent.as_deref(), &other.waits)
            && words(self) == words(other)
            && self.body() == other.body()
    }

    /// The item as its document says it.
    pub fn item(&self) -> &PlanItem {
        &self.unit.items[self.at]
    }

    /// The unit that it stands in.
    pub fn unit(&self) -> &PlanUnit {
        &self.unit
    }

    /// The path of its document; of a folder without one that of the folder.
    pub(super) fn path(&self) -> &str {
        let document = self.unit.document_of(self.item());
        document.map_or(&self.unit.source.path, |document| &document.path)
    }

    /// The whole text of its document.
    pub(super) fn document(&self) -> &str {
        let document = self.unit.document_of(self.item());
        document.map_or("", |document| &document.text)
    }

    /// The lines below its first one; of an item that is its document as a whole all of it.
    pub(super) fn body(&self) -> &str {
        self.document().get(self.body_range()).unwrap_or_default()
    }

    /// The bytes of its body in its document.
    pub(super) fn body_range(&self) -> Range<usize> {
        let item = self.item();
        match &item.spans.details {
            Some(details) => details.clone(),
            None if item.id.is_empty() => {
                let start = item.spans.attributes.as_ref().map_or(0, |block| block.end);
                start..self.document().len()
            }
            None => 0..0,
        }
    }

    /// The name by which an edit means a criterion: its number, behind the list's name where that is not the first one.
    pub(super) fn criterion_name(&self, criterion: &PlanCriterion) -> String {
        let first = self.item().criteria.first();
        if first.is_some_and(|first| first.list == criterion.list) {
            return criterion.number.to_string();
        }
        format!("{}:{}", criterion.list, criterion.number)
    }

    /// Returns the number of met criteria, and of all.
    pub(super) fn criteria_counts(&self) -> (usize, usize) {
        let criteria = &self.item().criteria;
        let met = criteria.iter().filter(|one| one.is_ticked);
        (met.count(), criteria.len())
    }
}

fn parent_key<'a>(snapshot: &'a PlanSnapshot, node: &SnapshotNode) -> Option<&'a str> {
    Some(&snapshot.nodes[node.parent?].key)
}

fn waits_of<'a>(
    word: &'a str,
    snapshot: &'a PlanSnapshot,
    node: &'a SnapshotNode,
) -> impl Iterator<Item = EntryWait> + 'a {
    node.waits.iter().map(move |wait| EntryWait {
        keys: match &wait.target {
            WaitTarget::Node(at) => vec![snapshot.nodes[*at].key.clone()],
            WaitTarget::Foreign(key) => vec![key::normal(key).into()],
            WaitTarget::Ambiguous(nodes) => nodes
                .iter()
                .map(|at| snapshot.nodes[*at].key.clone())
                .collect(),
            WaitTarget::Archived | WaitTarget::Unknown => {
                let name = wait
                    .name
                    .strip_prefix(word)
                    .and_then(|rest| rest.strip_prefix(':'));
                vec![format!("{word}:{}", name.unwrap_or(&wait.name)).into()]
            }
        },
        reason: wait.reason,
        is_met: wait.is_met,
    })
}

/// Everything that an item waits for, with the kind of the wait: what it names, its parts, and what its holders wait for.
pub(super) fn edges_of(
    root: &PlanRoot,
    node: &SnapshotNode,
) -> Vec<(Box<str>, EdgeKind, Option<Box<str>>)> {
    let snapshot = &root.snapshot;
    let word = root.format.scope().word;
    let keys = |node: &SnapshotNode| -> Vec<Box<str>> {
        waits_of(word, snapshot, node)
            .flat_map(|wait| wait.keys)
            .collect()
    };
    let mut edges: Vec<(Box<str>, EdgeKind, Option<Box<str>>)> = keys(node)
        .into_iter()
        .map(|key| (key, EdgeKind::Explicit, None))
        .collect();
    let parts = node.parts.iter().map(|part| &snapshot.nodes[*part]);
    let parts = parts.filter(|part| !snapshot.item(part).is_optional);
    edges.extend(parts.map(|part| (part.key.clone(), EdgeKind::Member, None)));
    let mut above = node.parent;
    for _ in 0..snapshot.nodes.len() {
        let Some(holder) = above.map(|at| &snapshot.nodes[at]) else {
            break;
        };
        let of_holder = keys(holder).into_iter();
        edges.extend(of_holder.map(|key| (key, EdgeKind::Inherited, Some(holder.key.clone()))));
        above = holder.parent;
    }
    let mut seen = std::collections::HashSet::new();
    edges.retain(|(key, ..)| **key != *node.key && seen.insert(key.clone()));
    edges
}
