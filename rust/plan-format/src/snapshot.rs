//! Snapshots: all units of a root with the states of their items.

use std::sync::{Arc, OnceLock};
use strum::IntoStaticStr;

use chant_base::ident::ResolvedId;

use super::finding::PlanFinding;
use super::format::PlanFormat;
use super::item_ids::first_of_repeats;
use super::unit::{PlanItem, PlanUnit};

/// The meaning of an item on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanMeaning {
    /// Work on it can begin now.
    CanBegin,
    /// Somebody works on it.
    BeingWorkedOn,
    /// A person has to act before anything goes on.
    WaitsForYou(PersonAct),
    /// It waits for other items.
    Waits,
    /// Nothing waits for it any more.
    Done,
}

/// The act of a person for which an item waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PersonAct {
    /// Approve it.
    Approve,
    /// Put it into the archive.
    Archive,
    /// Make a task of a draft.
    Promote,
}

impl PersonAct {
    /// Its word in answers.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl PlanMeaning {
    /// Its word in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CanBegin => "can_begin",
            Self::BeingWorkedOn => "being_worked_on",
            Self::WaitsForYou(_) => "waits_for_you",
            Self::Waits => "waits",
            Self::Done => "done",
        }
    }
}

/// The item that a wait leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitTarget {
    /// An item of the snapshot, by its node.
    Node(usize),
    /// An item of another format, by its whole key.
    Foreign(Box<str>),
    /// A finished unit in an archive.
    Archived,
    /// Several items, by their nodes.
    Ambiguous(Vec<usize>),
    /// Nothing.
    Unknown,
}

/// A wait of an item for another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanWait {
    /// The name, as the document writes it.
    pub name: Box<str>,
    /// The reason, as one word.
    pub reason: &'static str,
    /// The item that it leads to.
    pub target: WaitTarget,
    /// True if the item waits for it no more.
    pub is_met: bool,
}

/// An item of a snapshot with its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotNode {
    /// Its key.
    pub key: Box<str>,
    /// Its unit, by its index in the snapshot.
    pub unit: usize,
    /// Its item, by its index in the unit.
    pub item: usize,
    /// The item of which it is a part, by its node.
    pub parent: Option<usize>,
    /// Its direct parts, by their nodes.
    pub parts: Vec<usize>,
    /// The word of its state.
    pub status: Box<str>,
    /// True if nothing waits for it any more.
    pub is_done: bool,
    /// True if work on it can begin now.
    pub is_ready: bool,
    /// Its meaning on a board.
    pub meaning: PlanMeaning,
    /// The items that it waits for.
    pub waits: Vec<PlanWait>,
}

/// All units of a root.
#[derive(Debug, Clone, Default)]
pub struct PlanSnapshot {
    /// The units, as they were given.
    pub units: Vec<Arc<PlanUnit>>,
    /// The items of all units, in their order; those of a later snapshot where a join would say the same.
    pub nodes: Arc<Vec<SnapshotNode>>,
    /// The words of states that items can have.
    pub statuses: Vec<Box<str>>,
    /// Faults that only several units together show.
    pub problems: Vec<PlanFinding>,
    /// The nodes in the order of their keys; made when one is looked for.
    by_key: Arc<OnceLock<Vec<usize>>>,
}

impl PlanSnapshot {
    /// Takes units and nodes together. Keys of nodes have to differ.
    pub fn new(units: Vec<Arc<PlanUnit>>, nodes: Vec<SnapshotNode>) -> Self {
        Self {
            units,
            nodes: Arc::new(nodes),
            ..Self::default()
        }
    }

    /// The same snapshot of other versions of its units; `None` where a join may say something else.
    pub fn with_units(&self, units: &[Arc<PlanUnit>]) -> Option<Self> {
        let mut pairs = self.units.iter().zip(units);
        let is_blamed = |unit: &PlanUnit| {
            let mut problems = self.problems.iter();
            problems.any(|one| one.path.starts_with(&*unit.source.path))
        };
        let is_same = |(one, other): (&Arc<PlanUnit>, &Arc<PlanUnit>)| {
            Arc::ptr_eq(one, other) || (one.joins_as(other) && !is_blamed(one))
        };
        let has_same_nodes = self.units.len() == units.len() && pairs.all(is_same);
        has_same_nodes.then(|| Self {
            units: units.to_vec(),
            ..self.clone()
        })
    }

    /// The node with a key.
    pub fn node_of(&self, key: &str) -> Option<usize> {
        let by_key = self.by_key.get_or_init(|| {
            let mut nodes: Vec<usize> = (0..self.nodes.len()).collect();
            nodes.sort_unstable_by_key(|at| &*self.nodes[*at].key);
            nodes
        });
        let found = by_key.binary_search_by_key(&key, |at| &*self.nodes[*at].key);
        found.ok().map(|place| by_key[place])
    }

    /// The nodes of a unit.
    pub fn nodes_of(&self, unit: usize) -> std::ops::Range<usize> {
        let start = self.nodes.partition_point(|node| node.unit < unit);
        let end = self.nodes.partition_point(|node| node.unit <= unit);
        start..end
    }

    /// The unit of a node.
    pub fn unit(&self, node: &SnapshotNode) -> &PlanUnit {
        &self.units[node.unit]
    }

    /// The item of a node.
    pub fn item(&self, node: &SnapshotNode) -> &PlanItem {
        &self.units[node.unit].items[node.item]
    }

    /// The nodes that a name may mean, written in full or in part, without the word of the format.
    ///
    /// A name in full wins over parts of names; a name that stands several times means all of its items.
    pub fn resolve(&self, format: &dyn PlanFormat, written: &str) -> ResolvedId<usize> {
        let word = format.scope().word;
        let written = written
            .strip_prefix(word)
            .and_then(|rest| rest.strip_prefix(':'))
            .unwrap_or(written);
        let name = format.name(written);
        let rest_of = |node: &SnapshotNode| {
            node.key
                .get(word.len() + 1..)
                .unwrap_or_default()
                .to_owned()
        };
        let found = |is_it: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let numbered = self.nodes.iter().enumerate();
            let found = numbered.filter(|(_, node)| is_it(&rest_of(node)));
            found.map(|(at, _)| at).collect()
        };
        let first = first_of_repeats(&name);
        let mut nodes = found(&|rest| match first {
            Some(first) => rest == first,
            None => rest == name || is_repeat_of(rest, &name),
        });
        if nodes.is_empty() {
            nodes = found(&|rest| format.is_partial_name(&name, rest));
        }
        match nodes.as_slice() {
            [] => ResolvedId::None,
            [one] => ResolvedId::One(*one),
            _ => ResolvedId::Many(nodes),
        }
    }
}

/// Returns true if a name is another one with `~2` or a greater number behind it.
pub fn is_repeat_of(name: &str, first: &str) -> bool {
    let number = name
        .strip_prefix(first)
        .and_then(|rest| rest.strip_prefix('~'));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns true if a text is a part of a name that people use for the whole: the name in other letters, its unit or
/// its ID alone, the beginning of the unit with the same ID, or the beginning of a name without ID.
pub fn is_part_of_name(part: &str, name: &str) -> bool {
    let (part, name) = (part.to_lowercase(), name.to_lowercase());
    if part.is_empty() {
        return false;
    }
    if part == name {
        return true;
    }
    match (part.split_once('#'), name.split_once('#')) {
        (Some((unit, id)), Some((whole_unit, whole_id))) => {
            id == whole_id && (unit.is_empty() || is_part_of_unit(unit, whole_unit))
        }
        (None, Some((_, id))) => part == id,
        (None, None) => is_part_of_unit(&part, &name),
        (Some(_), None) => false,
    }
}

fn is_part_of_unit(part: &str, unit: &str) -> bool {
    let last = unit.rsplit('/').next().unwrap_or_default();
    unit.starts_with(part) || last.starts_with(part)
}
