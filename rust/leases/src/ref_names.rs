//! The names of the refs on the remote and of their copies here.

use chant_config::leases::LeaseSettings;
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

/// The names of one remote.
#[derive(Debug, Clone)]
pub(super) struct RefNames {
    namespace: String,
    looked: String,
    target: String,
}

impl RefNames {
    /// Returns the names for a remote and its target branch.
    pub(super) fn of(settings: &LeaseSettings, target: &str) -> Self {
        Self {
            namespace: settings.namespace.clone(),
            looked: format!("{LOOKED}{}", escape_name(&settings.remote)),
            target: format!("refs/heads/{target}"),
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
        format!("{}/runs/{}/{token}", self.namespace, escape_name(spec))
    }

    /// Returns the copy of the target here.
    pub(super) fn looked_target(&self) -> String {
        format!("{}/{LOOKED_TARGET}", self.looked)
    }

    /// Returns the folder of the copies of values here.
    pub(super) fn looked(&self, folder: &str) -> String {
        format!("{}/{folder}", self.looked)
    }

    /// Returns what a look copies.
    pub(super) fn copies(&self) -> Vec<RefCopy> {
        let folders = [LEASES, ORCHESTRATORS, REQUESTS, NUMBERS].map(|folder| RefCopy {
            from: format!("{}/{folder}*", self.namespace),
            to: format!("{}/{folder}*", self.looked),
        });
        let target = RefCopy {
            from: self.target.clone(),
            to: self.looked_target(),
        };
        folders.into_iter().chain([target]).collect()
    }
}
