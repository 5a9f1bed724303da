//! The names of the refs on the remote and of their copies here.

use super::LeaseError;
use super::client::LeaseClient;
use chant_config::leases::{LandingWay, LeaseSettings};
use chant_git::remote_refs::{LOOKED, LOOKED_TARGET, RefCopy};
use chant_store::state::escape_name;

/// The folder of leases below the namespace.
pub(super) const LEASES: &str = "leases/";
/// The folder of signs of life.
pub(super) const ORCHESTRATORS: &str = "orchestrators/";
/// The folder of requests.
pub(super) const REQUESTS: &str = "requests/";
/// The folder of numbers of documents.
pub(super) const NUMBERS: &str = "numbers/";
/// The folder of the newest claim of an item of each format. Each claim of one moves it, so that of two clones that
/// claim an item and a part of it at the same moment the second has to look again.
pub(super) const NEWEST_CLAIMS: &str = "claims/";
/// The folder of the copies of branches that requests propose.
const BRANCHES: &str = "branches/";

/// The names of one remote.
#[derive(Debug, Clone)]
pub(super) struct RefNames {
    namespace: String,
    looked: String,
    target: String,
    /// The beginning of the names of branches that requests propose; `None` without requests.
    proposed: Option<String>,
}

/// Returns the ref below a namespace that keeps the commits of a run.
pub fn run_ref(namespace: &str, spec: &str, token: u64) -> String {
    format!("{namespace}/runs/{}/{token}", escape_name(spec))
}

/// Returns the full name of a branch.
pub(super) fn full_name(branch: &str) -> String {
    format!("refs/heads/{branch}")
}

impl RefNames {
    /// Returns the names for the remote and the target of a clone.
    pub(super) fn of_client(client: &LeaseClient<'_>) -> Result<Self, LeaseError> {
        let prefix = client.ledger.branch_prefix().map_err(LeaseError::Ledger)?;
        Ok(Self::of(client.settings, client.target, &prefix))
    }

    /// Returns the names for a remote and its target branch; the branches of specs begin with `prefix`.
    pub(super) fn of(settings: &LeaseSettings, target: &str, prefix: &str) -> Self {
        Self {
            proposed: (settings.landing == LandingWay::Pr).then(|| full_name(prefix)),
            namespace: settings.namespace.clone(),
            looked: format!("{LOOKED}{}", escape_name(&settings.remote)),
            target: full_name(target),
        }
    }

    /// Returns the target on the remote.
    pub(super) fn target(&self) -> &str {
        &self.target
    }

    /// Returns the ref of a value, by the folder and what it is for.
    pub(super) fn of_value(&self, folder: &str, key: &str) -> String {
        format!("{}/{folder}{}", self.namespace, escape_name(key))
    }

    /// Returns the ref that keeps the commits of a run.
    pub(super) fn of_run(&self, spec: &str, token: u64) -> String {
        run_ref(&self.namespace, spec, token)
    }

    /// Returns the copy of the target here.
    pub(super) fn looked_target(&self) -> String {
        format!("{}/{LOOKED_TARGET}", self.looked)
    }

    /// Returns the folder of the copies of values here.
    pub(super) fn looked(&self, folder: &str) -> String {
        format!("{}/{folder}", self.looked)
    }

    /// Returns the rest of a branch's name that a look finds it by, if requests propose such branches.
    pub(super) fn proposed<'n>(&self, branch: &'n str) -> Option<&'n str> {
        branch.strip_prefix(self.proposed.as_deref()?)
    }

    /// Returns the folder of the copies of proposed branches here.
    pub(super) fn looked_branches(&self) -> String {
        self.looked(BRANCHES)
    }

    /// Returns what a look copies.
    pub(super) fn copies(&self) -> Vec<RefCopy> {
        let folders =
            [LEASES, ORCHESTRATORS, REQUESTS, NUMBERS, NEWEST_CLAIMS].map(|folder| RefCopy {
                from: format!("{}/{folder}*", self.namespace),
                to: format!("{}/{folder}*", self.looked),
            });
        let target = RefCopy {
            from: self.target.clone(),
            to: self.looked_target(),
        };
        let branches = self.proposed.iter().map(|prefix| RefCopy {
            from: format!("{prefix}*"),
            to: format!("{}*", self.looked_branches()),
        });
        folders
            .into_iter()
            .chain([target])
            .chain(branches)
            .collect()
    }
}
