//! What a fence found.

use serde::Serialize;

/// The specs that a commit completes, held against the leases on the remote.
#[derive(Debug, Serialize)]
pub struct FenceReport {
    /// The revision that was asked about.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its commit.
    pub commit: String,
    /// The remote.
    pub remote: String,
    /// The branch there whose tree and configuration count.
    pub target: String,
    /// True if the work on each spec is the newest.
    pub passes: bool,
    /// The specs that the commit completes and the target does not have completed.
    pub specs: Vec<FencedSpec>,
}

/// One spec.
#[derive(Debug, Serialize)]
pub struct FencedSpec {
    /// The spec.
    pub spec_id: String,
    /// The token of the run that completed it; 0 without one.
    pub token: u64,
    /// True if that is the newest run, as the remote knows it.
    pub passes: bool,
    /// Why, in a sentence.
    pub why: String,
}
