//! Specs that other clones of the repository hold, by the last look at the remote that they share.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::Serialize;

/// A spec that another clone holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeldSpec {
    /// The spec.
    pub spec_id: String,
    /// The orchestrator that holds it, by the name that it gives itself.
    pub orchestrator: String,
    /// The name of its machine, as that says.
    pub host: String,
    /// Since when, by the clock of that machine.
    pub since: String,
    /// The token of its lease.
    pub token: u64,
    /// The state of its run; else `held`, `waiting` or `proposed`; `silent` where no sign of life came for so
    /// long that others may have the spec.
    pub state: String,
    /// The last line of its log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// The key of the item of another format whose runs are called so, and the keys that it locks.
    #[serde(skip)]
    pub item_keys: Vec<String>,
    /// True if others may have it.
    #[serde(skip)]
    pub is_silent: bool,
    /// True if an agent may be at work on it: its work is not done, and its holder gave a sign of life.
    #[serde(skip)]
    pub is_at_work: bool,
}

/// The word for a spec that is completed on the remote and not here.
pub const COMPLETED_THERE: &str = "completed";
/// The word for a spec whose lease cannot be read or believed.
pub const DOUBTFUL_LEASE: &str = "doubtful_lease";

/// Why a start of a spec would be refused, by the last look at the remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteHindrance {
    /// Another clone has it.
    Held,
    /// It is completed there; the copy of it here is older.
    Completed,
    /// Its lease cannot be read or believed, so that nobody knows who has it.
    Doubtful,
}

/// The specs that other clones hold or completed; none without leases in the configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeldSpecs {
    specs: Vec<HeldSpec>,
    /// The specs that are completed on the remote and were not here at the time of the look.
    pub completed: BTreeSet<String>,
    /// The keys of items of other formats that are done on the remote, by the documents that differ here.
    pub done_items: BTreeSet<String>,
    /// The specs whose leases cannot be read or believed.
    pub doubtful: BTreeSet<String>,
    /// A sentence about work that landed on the remote and is not there any more.
    pub lost: Option<String>,
    /// The time of the look; `None` before the first.
    pub looked: Option<Timestamp>,
}

impl HeldSpecs {
    /// Returns what a look found.
    pub fn new(mut specs: Vec<HeldSpec>, looked: Option<Timestamp>) -> Self {
        specs.sort_by(|one, other| one.spec_id.cmp(&other.spec_id));
        Self {
            specs,
            looked,
            ..Self::default()
        }
    }

    /// All of them, in the order of their IDs.
    pub fn all(&self) -> &[HeldSpec] {
        &self.specs
    }

    /// The holder of a spec.
    pub fn of(&self, id: &str) -> Option<&HeldSpec> {
        let at = self.specs.binary_search_by(|held| (*held.spec_id).cmp(id));
        self.specs.get(at.ok()?)
    }

    /// Returns true if a start of the spec would be refused: another clone has it or completed it, or nobody can
    /// say who has it.
    pub fn keeps(&self, id: &str) -> bool {
        self.hindrance(id).is_some()
    }

    /// Returns why a start of the spec would be refused; `None` if the remote has nothing against it.
    pub fn hindrance(&self, id: &str) -> Option<RemoteHindrance> {
        // The target's tree wins over every lease.
        if self.completed.contains(id) {
            return Some(RemoteHindrance::Completed);
        }
        if self.doubtful.contains(id) {
            return Some(RemoteHindrance::Doubtful);
        }
        let held = self.of(id).filter(|held| !held.is_silent);
        held.map(|_| RemoteHindrance::Held)
    }

    /// Returns the word for what the remote says of a spec that is open here, where that differs from what its file
    /// says.
    pub fn word(&self, id: &str) -> Option<&'static str> {
        match self.hindrance(id)? {
            RemoteHindrance::Completed => Some(COMPLETED_THERE),
            RemoteHindrance::Doubtful => Some(DOUBTFUL_LEASE),
            RemoteHindrance::Held => None,
        }
    }

    /// The same of an item of another format, by its key.
    pub fn word_of_item(&self, key: &str) -> Option<&'static str> {
        self.done_items.contains(key).then_some(COMPLETED_THERE)
    }

    /// The IDs of all specs that the remote says something about, each once.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        let held = self.specs.iter().map(|held| &*held.spec_id);
        let others = self.completed.iter().chain(&self.doubtful);
        let names: BTreeSet<&str> = held.chain(others.map(|id| &**id)).collect();
        names.into_iter()
    }

    /// Counts what the remote says of specs.
    pub fn count<'a>(&self, ids: impl Iterator<Item = &'a str>) -> RemoteCounts {
        let mut counts = RemoteCounts::default();
        for hindrance in ids.filter_map(|id| self.hindrance(id)) {
            counts.add(hindrance);
        }
        counts
    }
}

/// The number of specs that only the remote keeps from being begun here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RemoteCounts {
    /// Those that other clones hold.
    #[serde(skip_serializing_if = "is_none")]
    pub held_elsewhere: usize,
    /// Those that are completed there.
    #[serde(skip_serializing_if = "is_none")]
    pub completed_on_remote: usize,
    /// Those whose leases cannot be read or believed.
    #[serde(skip_serializing_if = "is_none")]
    pub doubtful_leases: usize,
}

impl RemoteCounts {
    fn add(&mut self, hindrance: RemoteHindrance) {
        match hindrance {
            RemoteHindrance::Held => self.held_elsewhere += 1,
            RemoteHindrance::Completed => self.completed_on_remote += 1,
            RemoteHindrance::Doubtful => self.doubtful_leases += 1,
        }
    }

    /// Returns the sum.
    pub fn all(&self) -> usize {
        self.held_elsewhere + self.completed_on_remote + self.doubtful_leases
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(id: &str, is_silent: bool) -> HeldSpec {
        HeldSpec {
            spec_id: id.into(),
            orchestrator: "o-1".into(),
            host: String::new(),
            since: String::new(),
            token: 1,
            state: "held".into(),
            line: None,
            item_keys: Vec::new(),
            is_silent,
            is_at_work: !is_silent,
        }
    }

    #[test]
    fn a_silent_holder_keeps_no_spec() {
        let specs = HeldSpecs::new(vec![held("b", false), held("a", true)], None);
        let kept = ["a", "b", "c"].map(|id| specs.keeps(id));
        assert_eq!(kept, [false, true, false]);
        assert!(specs.of("a").is_some() && specs.of("c").is_none());
    }

    #[test]
    fn what_is_completed_there_is_not_counted_as_held() {
        let mut specs = HeldSpecs::new(vec![held("a", false), held("b", false)], None);
        specs.completed.insert("a".into());
        specs.doubtful.insert("c".into());
        assert_eq!(specs.word("a"), Some(COMPLETED_THERE));
        assert_eq!((specs.word("b"), specs.word("d")), (None, None));
        let counts = specs.count(["a", "b", "c", "d"].into_iter());
        let three = (
            counts.held_elsewhere,
            counts.completed_on_remote,
            counts.doubtful_leases,
        );
        assert_eq!((three, counts.all()), ((1, 1, 1), 3));
    }
}
