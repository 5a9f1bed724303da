//! Locks by which a format's own program keeps others out while it writes.

use std::time::Duration;

use super::unit::PlanUnit;

/// The thing that is to be written.
#[derive(Debug, Clone, Copy)]
pub enum LockTarget<'a> {
    /// An item that is new.
    NewItem,
    /// A unit.
    Unit(&'a PlanUnit),
}

/// The folder below which a lock lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LockBase {
    /// The root of the plans.
    Root,
    /// The git folder that all worktrees share.
    GitFolder,
}

/// A lock that is a folder: who makes it holds it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProgramLock {
    /// Where its folder lies.
    pub base: LockBase,
    /// The folder of locks, with `/`. Where it is not there its program never wrote, and there is no lock to take.
    pub folder: String,
    /// Its name.
    pub name: String,
    /// The age from which on it counts as left behind.
    pub stale_after: Duration,
}
