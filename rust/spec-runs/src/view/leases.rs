//! Leases of specs.

use serde::Serialize;

use chant_specs::view::held_specs::HeldSpec;

/// Which clone holds which spec.
#[derive(Debug, Serialize)]
pub struct LeaseList<'a> {
    /// The leases.
    pub leases: Vec<LeaseRow>,
    /// The remote.
    pub remote: &'a str,
    /// The name of this clone's orchestrator; null before it needed one.
    pub orchestrator: Option<&'a str>,
    /// The time between two signs of life.
    pub beat_seconds: f64,
    /// The age of the last look; null before the first.
    pub looked_seconds_ago: Option<u64>,
    /// Leases that somebody has to look at, each in a sentence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// One lease.
#[derive(Debug, Serialize)]
pub struct LeaseRow {
    /// Who holds what.
    #[serde(flatten)]
    pub held: HeldSpec,
    /// True if this clone holds it.
    pub here: bool,
    /// The commit that landed or is proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The address of the request that proposes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
}
