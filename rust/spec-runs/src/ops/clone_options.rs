//! The options of acts in which other clones may have a part.

use serde::Deserialize;

/// Which leases are listed.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LeaseQuery {
    /// True if the remote is looked at first.
    pub look: bool,
    /// True if those are listed, too, that landed or were given back.
    pub all: bool,
}

/// The options of a takeover.
#[derive(Debug, Clone, Copy, Default)]
pub struct TakeoverOptions {
    /// True if the work is reported although no run works on it.
    pub force: bool,
    /// True if the spec is taken at once from another clone that has it, by a person.
    pub from_clone: bool,
}
