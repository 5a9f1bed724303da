//! The lines of completed work beside a branch.

use serde::Serialize;

/// Completed work beside a branch.
#[derive(Debug, Serialize)]
pub struct DriftReport {
    /// The branch or the commit that work is compared with.
    pub target: String,
    /// Its newest commit.
    pub tip: String,
    /// The number of specs whose lines all stand.
    pub hold: usize,
    /// The number of specs of which a line of code or of a test changed.
    pub stale: usize,
    /// The number of specs that cannot be compared.
    pub not_known: usize,
    /// The specs.
    pub specs: Vec<SpecDrift>,
}

/// A spec with the lines of its work.
#[derive(Debug, Serialize)]
pub struct SpecDrift {
    /// The spec.
    pub spec_id: String,
    /// `holds`, `stale` or `not known`.
    pub verdict: &'static str,
    /// The reason where there is nothing to compare.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The commit with which the work landed, as its receipt says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The number of places with lines of the work, by their states.
    pub counts: DriftCounts,
    /// The places; those that are untouched only where one spec was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<HunkEntry>,
    /// The number of places beyond those listed.
    pub hunks_more: usize,
    /// The number of files that are no text, too large or too many.
    pub not_compared: usize,
}

/// The numbers of places in each state.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct DriftCounts {
    /// They stand as they landed.
    pub untouched: usize,
    /// They stand elsewhere.
    pub moved: usize,
    /// Other words stand there.
    pub changed: usize,
    /// They are gone.
    pub removed: usize,
    /// They are tests, and changed or gone.
    pub tests_changed: usize,
}

/// Lines that the work wrote, one behind the other.
#[derive(Debug, Serialize)]
pub struct HunkEntry {
    /// The file as it landed.
    pub path: String,
    /// The first line then.
    pub first: usize,
    /// The last line then.
    pub last: usize,
    /// `untouched`, `moved`, `changed`, `removed` or `tests changed`.
    pub state: &'static str,
    /// The place now, if that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<PlaceEntry>,
    /// The commit that changed them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The specs that landed with that commit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_specs: Vec<String>,
}

/// Lines of a file.
#[derive(Debug, Serialize)]
pub struct PlaceEntry {
    /// The file.
    pub path: String,
    /// The first line.
    pub first: usize,
    /// The last line.
    pub last: usize,
}
