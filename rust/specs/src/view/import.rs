//! The result of bringing in work from another place.

use serde::Serialize;

use crate::import::{ImportUpdate, UnmappedField};

/// The whole of an import.
#[derive(Debug, Serialize)]
pub struct ImportReport<'a> {
    /// The word of the format, such as `beads`.
    pub format: &'a str,
    /// The source that the caller named.
    pub source: &'a str,
    /// True if nothing was written.
    pub dry_run: bool,
    /// The new specs, in the order of the source.
    pub created: Vec<ImportedSpecView<'a>>,
    /// The specs that had been brought in before.
    pub present: Vec<PresentSpecView<'a>>,
    /// The specs that take over changes of the source.
    pub updated: Vec<UpdatedSpecView<'a>>,
    /// The places that were edited here, and changed in the source in another way.
    pub conflicts: Vec<ConflictView<'a>>,
    /// The origins of what the source does not have any more; their specs stay.
    pub gone: &'a [String],
    /// The parts that have no counterpart in specs, or became something else.
    pub unmapped: Vec<UnmappedView<'a>>,
    /// The number of items that are or were imported.
    pub records: usize,
    /// The number of dependencies of new specs.
    pub edges: usize,
    /// The number of dependencies that were left out; `unmapped` names them.
    pub edges_lost: usize,
}

/// A new spec.
#[derive(Debug, Serialize)]
pub struct ImportedSpecView<'a> {
    /// Its ID; null in a dry run.
    pub id: Option<String>,
    /// Where it came from.
    pub from: &'a str,
    /// Its title.
    pub title: &'a str,
    /// Its state.
    pub status: &'static str,
}

/// A spec that was brought in before.
#[derive(Debug, Serialize)]
pub struct PresentSpecView<'a> {
    /// Its ID.
    pub id: &'a str,
    /// Where it came from.
    pub from: &'a str,
}

/// A spec that takes over changes of its source.
#[derive(Debug, Serialize)]
pub struct UpdatedSpecView<'a> {
    id: &'a str,
    from: &'a str,
    /// The keys, and `body`.
    changed: &'a [String],
}

impl<'a> UpdatedSpecView<'a> {
    /// `None` where nothing is taken over.
    pub fn of(update: &'a ImportUpdate) -> Option<Self> {
        let changed = update.changed.as_slice();
        (!changed.is_empty()).then_some(Self {
            id: &update.id,
            from: &update.from,
            changed,
        })
    }
}

/// A place that stays as it is here.
#[derive(Debug, Serialize)]
pub struct ConflictView<'a> {
    id: &'a str,
    from: &'a str,
    key: &'a str,
    here: &'a str,
    there: &'a str,
}

impl<'a> ConflictView<'a> {
    /// The places of one spec.
    pub fn of(update: &'a ImportUpdate) -> impl Iterator<Item = Self> {
        update.conflicts.iter().map(|conflict| Self {
            id: &update.id,
            from: &update.from,
            key: &conflict.key,
            here: &conflict.here,
            there: &conflict.there,
        })
    }
}

/// Something that has no counterpart in specs.
#[derive(Debug, Serialize)]
pub struct UnmappedView<'a> {
    item: &'a str,
    key: &'a str,
    why: &'a str,
}

impl<'a> From<&'a UnmappedField> for UnmappedView<'a> {
    fn from(unmapped: &'a UnmappedField) -> Self {
        Self {
            item: &unmapped.item,
            key: &unmapped.key,
            why: &unmapped.why,
        }
    }
}
