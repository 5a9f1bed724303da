//! What became of work that was brought in from another place.

use serde::Serialize;

use super::super::import::Unmapped;

/// The whole of an import.
#[derive(Debug, Serialize)]
pub struct Imported<'a> {
    /// `chant`, `vine`, `beads` or `backlog`.
    pub format: &'a str,
    /// What the caller named.
    pub source: &'a str,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The new specs, in the order of the source.
    pub created: Vec<Created<'a>>,
    /// What had been brought in before.
    pub present: Vec<Present<'a>>,
    /// What has no counterpart in specs, or became something else.
    pub unmapped: Vec<Left<'a>>,
}

/// A new spec.
#[derive(Debug, Serialize)]
pub struct Created<'a> {
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
pub struct Present<'a> {
    /// Its ID.
    pub id: &'a str,
    /// Where it came from.
    pub from: &'a str,
}

/// Something that has no counterpart in specs.
#[derive(Debug, Serialize)]
pub struct Left<'a> {
    item: &'a str,
    key: &'a str,
    why: &'a str,
}

impl<'a> From<&'a Unmapped> for Left<'a> {
    fn from(unmapped: &'a Unmapped) -> Self {
        Self {
            item: &unmapped.item,
            key: &unmapped.key,
            why: &unmapped.why,
        }
    }
}
