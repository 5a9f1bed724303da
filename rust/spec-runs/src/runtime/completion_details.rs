//! The facts of a run that its completed spec shows.

use crate::leases::RUN_TOKEN;
use chant_evidence::ProofWord;
use chant_proof::words;
use chant_specs::model::PROOF;
use chant_work::run_record::RunRecord;

/// The length of a commit's short name in a spec (reference chant 2.2).
const SHORT: usize = 7;

/// The facts of a run in its completed spec.
#[derive(Debug, Clone, Default)]
pub(super) struct CompletionDetails {
    pub(super) commits: Vec<String>,
    pub(super) model: Option<String>,
    /// The token of the run, where it has a lease.
    pub(super) token: Option<u64>,
    /// The weakest word of its criteria, where some name checks.
    pub(super) proof: Option<&'static str>,
}

impl CompletionDetails {
    /// Returns the facts of a run with these commits.
    pub(crate) fn of(commits: &[String], record: &RunRecord) -> Self {
        Self {
            commits: commits.iter().map(|id| short_commit(id)).collect(),
            model: record.agent.as_ref().and_then(|agent| agent.model.clone()),
            token: record.lease.as_ref().map(|_| record.token),
            proof: words::weakest_of_run(record).map(ProofWord::name),
        }
    }

    /// Returns the keys that the completed spec gets for it, with their texts.
    pub(super) fn keys(&self) -> impl Iterator<Item = (&'static str, String)> {
        let token = self.token.map(|token| (RUN_TOKEN, token.to_string()));
        let proof = self.proof.map(|word| (PROOF, word.to_owned()));
        token.into_iter().chain(proof)
    }
}

/// Returns the name of a commit as specs show it.
pub(super) fn short_commit(id: &str) -> String {
    id.chars().take(SHORT).collect()
}
