//! Specs that other clones of the repository hold, by the last look at the remote that they share.

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
    /// True if others may have it.
    #[serde(skip)]
    pub is_silent: bool,
    /// True if an agent may be at work on it: its work is not done, and its holder gave a sign of life.
    #[serde(skip)]
    pub is_at_work: bool,
}

/// The specs that other clones hold; none without leases in the configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeldSpecs {
    specs: Vec<HeldSpec>,
    /// The time of the look; `None` before the first.
    pub looked: Option<Timestamp>,
}

impl HeldSpecs {
    /// Returns what a look found.
    pub fn new(mut specs: Vec<HeldSpec>, looked: Option<Timestamp>) -> Self {
        specs.sort_by(|one, other| one.spec_id.cmp(&other.spec_id));
        Self { specs, looked }
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

    /// Returns true if a start of the spec would be refused, because another clone has it.
    pub fn keeps(&self, id: &str) -> bool {
        self.of(id).is_some_and(|held| !held.is_silent)
    }
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
}
