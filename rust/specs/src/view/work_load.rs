//! How busy accounts and machines are.

use chant_base::counted_list::CountedList;
use serde::Serialize;

/// The work at one moment; nothing where there are neither accounts nor clusters.
#[derive(Debug, Default, Serialize)]
pub struct WorkLoad {
    /// The accounts of the user's configuration, and agents that a rate limit holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accounts: Vec<AccountView>,
    /// The clusters on which agents are at work, as these describe themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<ClusterView>,
    /// The conflicts that were foreseen between specs at work now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreseen_conflicts: Option<usize>,
}

/// The use of an account, or of an agent without one.
#[derive(Debug, Serialize)]
pub struct AccountView {
    /// Its name in the configuration.
    pub name: String,
    /// `account`, or `agent` for one without an account.
    pub kind: &'static str,
    /// Runs that go on.
    pub running: usize,
    /// So many may go on now; null for an account without a limit.
    pub allowed: Option<usize>,
    /// So many may go on where no rate limit was met; null for an account without a limit.
    pub max: Option<usize>,
    /// After a rate limit: when the full number may go on again, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_until: Option<String>,
}

/// A cluster, as it describes itself.
#[derive(Debug, Serialize)]
pub struct ClusterView {
    /// Its name, or the address of its scheduler.
    pub target: String,
    /// `connecting`, `connected` or `gone`.
    pub state: &'static str,
    /// Why it is in that state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The address of its page for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dashboard: Option<String>,
    /// Its machines.
    #[serde(flatten)]
    pub workers: CountedList<WorkerView>,
}

/// A machine of a cluster.
#[derive(Debug, Clone, Serialize)]
pub struct WorkerView {
    /// Its name.
    pub name: String,
    /// `alive` or `silent`.
    pub state: String,
    /// The number of agents that are at work there.
    pub busy: usize,
    /// The number of agents that may be.
    pub slots: usize,
}
