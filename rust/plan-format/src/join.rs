//! Joins units to a snapshot: keys, waits by name, and states that follow from parts.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use chant_base::external_items::{StatusLookup, is_key};

use super::document::RootSettings;
use super::finding::PlanFinding;
use super::scope::FormatScope;
use super::snapshot::{PlanMeaning, PlanSnapshot, PlanWait, SnapshotNode, WaitTarget};
use super::unit::{PlanItem, PlanUnit};

/// All that a snapshot is made of.
#[derive(Clone, Copy)]
pub struct JoinInput<'a> {
    /// All units of the root, in the order of their paths.
    pub units: &'a [Arc<PlanUnit>],
    /// The settings of the root.
    pub settings: &'a RootSettings,
    /// The names of entries of the archives that the layout names.
    pub archived: &'a [Box<str>],
    /// Reports how far items of other formats are, by their whole keys.
    pub others: StatusLookup<'a>,
}

/// The state of an item by its own mark, whatever its parts say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnState {
    /// The word of its state.
    pub word: Cow<'static, str>,
    /// True if its own mark says that it is done; for a group: if its parts may say so.
    pub is_done: bool,
    /// True if somebody works on it.
    pub is_begun: bool,
    /// The parts with which alone it is done, and behind which alone it is ready.
    pub needs: PartsRule,
    /// True if it is no item of the snapshot; its name is known all the same.
    pub is_left_out: bool,
}

/// The parts that an item needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartsRule {
    /// None: it is done by its own mark alone.
    Nothing,
    /// Its direct required parts.
    Parts,
    /// The required ones among the items below it that have no parts of their own.
    Leaves,
}

/// The state of an item as its mark says it; groups follow from their parts.
pub fn state_of_marks(_: &PlanUnit, item: &PlanItem) -> OwnState {
    OwnState {
        word: Cow::Owned(item.mark.to_string()),
        is_done: item.is_ticked || item.is_group,
        is_begun: item.is_begun,
        needs: PartsRule::Parts,
        is_left_out: false,
    }
}

/// The state of an item by its own mark.
pub type StateRule<'a> = &'a dyn Fn(&PlanUnit, &PlanItem) -> OwnState;

/// Joins units by the rules of most formats.
///
/// - A name leads to an item of the same unit, then to any item of the format, then to an archived unit; a whole key
///   of another format leads there. A name that means two items or none is a wait that is never met.
/// - A holder is done when its own mark says so and its required parts are done; a group when it has parts.
/// - Ready is an item that is neither done nor begun, that waits for nothing, nor its holders, and none of whose
///   required parts is open; a group when one of its parts is open.
pub fn join_by_name(
    scope: &FormatScope,
    input: &JoinInput<'_>,
    state_of: StateRule<'_>,
) -> PlanSnapshot {
    let mut reader = JoinReader::new(scope, input, state_of);
    reader.connect_parts();
    reader.resolve_states();
    reader.find_waits(input);
    reader.finish();
    let mut snapshot = PlanSnapshot::new(input.units.to_vec(), reader.nodes);
    snapshot.statuses = scope.statuses.iter().map(|word| (*word).into()).collect();
    snapshot.problems = reader.problems;
    snapshot
}

/// The nodes that a name means: nearly always one, so that no list is made for it.
#[derive(Debug)]
enum NamedNodes {
    One([usize; 1]),
    Several(Vec<usize>),
}

impl NamedNodes {
    fn as_slice(&self) -> &[usize] {
        match self {
            Self::One(node) => node,
            Self::Several(nodes) => nodes,
        }
    }

    fn push(&mut self, node: usize) {
        match self {
            Self::One([first]) => *self = Self::Several(vec![*first, node]),
            Self::Several(nodes) => nodes.push(node),
        }
    }
}

struct JoinReader<'a> {
    word: &'static str,
    units: &'a [Arc<PlanUnit>],
    nodes: Vec<SnapshotNode>,
    states: Vec<OwnState>,
    /// Items that are left out, by their names, and whether they are done.
    left_out: HashMap<&'a str, bool>,
    /// By a name, the nodes that it means.
    named: HashMap<&'a str, NamedNodes>,
    /// By unit and item, its node; none for one that is left out.
    by_place: Vec<Vec<Option<usize>>>,
    problems: Vec<PlanFinding>,
}

impl<'a> JoinReader<'a> {
    fn new(scope: &FormatScope, input: &JoinInput<'a>, state_of: StateRule<'_>) -> Self {
        let count = input.units.iter().map(|unit| unit.items.len()).sum();
        let mut reader = Self {
            word: scope.word,
            units: input.units,
            nodes: Vec::with_capacity(count),
            states: Vec::with_capacity(count),
            left_out: HashMap::new(),
            named: HashMap::with_capacity(count),
            by_place: Vec::with_capacity(input.units.len()),
            problems: Vec::new(),
        };
        for (unit_at, unit) in input.units.iter().enumerate() {
            let mut places = Vec::with_capacity(unit.items.len());
            for (item_at, item) in unit.items.iter().enumerate() {
                let state = state_of(unit, item);
                places.push((!state.is_left_out).then_some(reader.nodes.len()));
                if state.is_left_out {
                    reader.left_out.insert(&item.name, state.is_done);
                } else {
                    reader.node(unit_at, item_at, item, state);
                }
            }
            reader.by_place.push(places);
        }
        reader
    }

    fn node(&mut self, unit: usize, item_at: usize, item: &'a PlanItem, state: OwnState) {
        let node = self.nodes.len();
        if let Some((first, number)) = item.name.rsplit_once('~')
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
        {
            self.note_name(first, node);
        }
        let same = self.note_name(&item.name, node);
        let (earlier, number) = (same[0], same.len());
        // Made with its whole length: it becomes a box without being moved.
        let mut key = [self.word, ":", &*item.name].concat();
        if number > 1 {
            self.report_repeat(unit, item, earlier);
            key = format!("{key}~{number}");
        }
        self.nodes.push(SnapshotNode {
            key: key.into(),
            unit,
            item: item_at,
            parent: None,
            parts: Vec::new(),
            status: (&*state.word).into(),
            is_done: false,
            is_ready: false,
            meaning: PlanMeaning::Waits,
            waits: Vec::new(),
        });
        self.states.push(state);
    }

    /// Notes that a name means a node, too; gives all that it means by now.
    fn note_name(&mut self, name: &'a str, node: usize) -> &[usize] {
        match self.named.entry(name) {
            Entry::Occupied(mut same) => same.get_mut().push(node),
            Entry::Vacant(free) => {
                free.insert(NamedNodes::One([node]));
            }
        }
        self.named[name].as_slice()
    }

    fn report_repeat(&mut self, unit: usize, item: &PlanItem, earlier: usize) {
        let first = &self.nodes[earlier];
        let other = &self.units[first.unit].items[first.item];
        let path = self.units[first.unit].path_of(other);
        let line = other.line;
        let message = format!("{} has a name that {path} line {line} has, too", item.name);
        let unit = &self.units[unit];
        let place = unit.place_of(item);
        self.problems
            .push(PlanFinding::warning(unit.path_of(item), place, message));
    }

    fn item(&self, node: usize) -> &'a PlanItem {
        let node = &self.nodes[node];
        &self.units[node.unit].items[node.item]
    }

    fn connect_parts(&mut self) {
        for at in 0..self.nodes.len() {
            let item = self.item(at);
            let places = &self.by_place[self.nodes[at].unit];
            let within = item.parent.and_then(|parent| places[parent]);
            let by_name = || match self
                .named
                .get(&**item.parent_name.as_ref()?)
                .map(NamedNodes::as_slice)
            {
                Some([one]) => Some(*one),
                _ => None,
            };
            if let Some(parent) = within.or_else(by_name).filter(|parent| *parent != at) {
                self.nodes[at].parent = Some(parent);
                self.nodes[parent].parts.push(at);
            }
        }
    }

    /// Says which nodes are done, parts before their holders. Holders in a circle stay open.
    fn resolve_states(&mut self) {
        let mut left: Vec<usize> = self.nodes.iter().map(|node| node.parts.len()).collect();
        let mut queue: Vec<usize> = (0..left.len()).filter(|at| left[*at] == 0).collect();
        while let Some(at) = queue.pop() {
            let state = &self.states[at];
            let has_parts = !self.nodes[at].parts.is_empty();
            let needs_some = !self.item(at).is_group || has_parts;
            let parts_are_done = match state.needs {
                PartsRule::Nothing => true,
                PartsRule::Parts => needs_some && !self.has_open_part(at),
                PartsRule::Leaves => needs_some && !self.has_open_leaf(at),
            };
            self.nodes[at].is_done = state.is_done && parts_are_done;
            if let Some(parent) = self.nodes[at].parent {
                left[parent] -= 1;
                if left[parent] == 0 {
                    queue.push(parent);
                }
            }
        }
    }

    /// Returns true if a part is open that somebody waits for. Without required parts all parts count.
    fn has_open_part(&self, at: usize) -> bool {
        let parts = &self.nodes[at].parts;
        let has_required = parts.iter().any(|part| !self.item(*part).is_optional);
        let mut open = parts.iter().filter(|part| !self.nodes[**part].is_done);
        open.any(|part| !has_required || !self.item(*part).is_optional)
    }

    /// Returns true if an item below is open that has no parts and that somebody waits for.
    fn has_open_leaf(&self, at: usize) -> bool {
        let mut below = self.nodes[at].parts.clone();
        let mut required = 0;
        let mut is_open = false;
        while let Some(at) = below.pop() {
            let node = &self.nodes[at];
            if self.item(at).is_optional {
                continue;
            }
            if node.parts.is_empty() {
                required += 1;
                is_open |= !node.is_done;
            }
            below.extend(&node.parts);
        }
        if required == 0 {
            self.has_open_part(at)
        } else {
            is_open
        }
    }

    fn find_waits(&mut self, input: &JoinInput<'_>) {
        let mut asked: Vec<String> = Vec::new();
        let mut waits: Vec<Vec<PlanWait>> = Vec::with_capacity(self.nodes.len());
        for at in 0..self.nodes.len() {
            let found = self.item(at).waits.iter().map(|wait| {
                let (target, is_met) = self.target(at, &wait.name, input.archived);
                if let WaitTarget::Foreign(key) = &target {
                    asked.push(key.to_string());
                }
                PlanWait {
                    name: wait.name.clone(),
                    reason: wait.reason,
                    target,
                    is_met,
                }
            });
            waits.push(found.collect());
        }
        let mut answers = if asked.is_empty() {
            Vec::new()
        } else {
            (input.others)(&asked)
        }
        .into_iter();
        for (node, mut waits) in self.nodes.iter_mut().zip(waits) {
            for wait in &mut waits {
                if matches!(wait.target, WaitTarget::Foreign(_)) {
                    wait.is_met = answers.next().is_some_and(|answer| answer.is_done());
                }
            }
            node.waits = waits;
        }
    }

    fn target(&self, at: usize, name: &str, archived: &[Box<str>]) -> (WaitTarget, bool) {
        let own_word = name.split_once(':').filter(|(word, _)| *word == self.word);
        if own_word.is_none() && is_key(name) {
            return (WaitTarget::Foreign(name.into()), false);
        }
        let name = own_word.map_or(name, |(_, rest)| rest);
        let unit = self.item(at).name.split_once('#').map(|(unit, _)| unit);
        let within = unit.and_then(|unit| self.named.get(&*format!("{unit}#{name}")));
        let nodes = within.or_else(|| self.named.get(name));
        match nodes.map(NamedNodes::as_slice) {
            Some([one]) => (WaitTarget::Node(*one), self.nodes[*one].is_done),
            Some(several) => (WaitTarget::Ambiguous(several.to_vec()), false),
            None => match self.left_out.get(name) {
                Some(is_done) => (WaitTarget::Archived, *is_done),
                None if archived.iter().any(|archived| **archived == *name) => {
                    (WaitTarget::Archived, true)
                }
                None => (WaitTarget::Unknown, false),
            },
        }
    }

    fn finish(&mut self) {
        let is_free: Vec<bool> = self
            .nodes
            .iter()
            .map(|node| node.waits.iter().all(|wait| wait.is_met))
            .collect();
        for at in 0..self.nodes.len() {
            let (node, state) = (&self.nodes[at], &self.states[at]);
            let mut is_unhindered = is_free[at];
            let mut above = node.parent;
            for _ in 0..self.nodes.len() {
                let Some(parent) = above.filter(|_| is_unhindered) else {
                    break;
                };
                // A holder that needs no parts goes its own way.
                is_unhindered = is_free[parent] || self.states[parent].needs == PartsRule::Nothing;
                above = self.nodes[parent].parent;
            }
            let may_begin = match (self.item(at).is_group, state.needs) {
                (true, _) => node.parts.iter().any(|part| !self.nodes[*part].is_done),
                (false, PartsRule::Nothing) => true,
                (false, _) => !self.has_open_part(at),
            };
            let is_ready = !node.is_done && !state.is_begun && is_unhindered && may_begin;
            let has_begun_part = self.item(at).is_group
                && node
                    .parts
                    .iter()
                    .any(|part| self.states[*part].is_begun && !self.nodes[*part].is_done);
            let meaning = if node.is_done {
                PlanMeaning::Done
            } else if state.is_begun || has_begun_part {
                PlanMeaning::BeingWorkedOn
            } else if is_ready {
                PlanMeaning::CanBegin
            } else {
                PlanMeaning::Waits
            };
            let node = &mut self.nodes[at];
            node.is_ready = is_ready;
            node.meaning = meaning;
        }
    }
}
