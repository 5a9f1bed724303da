//! What is known of a run that completed a spec, also when its record is gone.

use super::money::UsdAmount;

/// A run that completed a spec.
#[derive(Debug, Clone, PartialEq)]
pub struct CompletedRun {
    /// The spec.
    pub spec_id: String,
    /// The start of the run, RFC 3339, UTC.
    pub started_at: String,
    /// The time at which the spec was completed, RFC 3339, UTC.
    pub ended_at: String,
    /// The agent, by its name in the configuration.
    pub agent: Option<String>,
    /// The number of the spec's criteria.
    pub criteria: usize,
    /// The tokens that its agent reported.
    pub tokens: Option<u64>,
    /// The cost that its agent reported.
    pub cost: Option<UsdAmount>,
}
