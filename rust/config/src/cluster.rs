//! The user's clusters: where their schedulers answer, with which certificates, and how they are started.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The greatest number of workers of a cluster, and of slots of one of them.
const MOST: u32 = 10_000;

/// The most bytes of commits that come back through a scheduler.
const LARGEST_BUNDLE: u64 = 64 << 20;

/// The way a cluster is started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClusterKind {
    /// It is there already.
    #[default]
    Address,
    /// Scheduler and worker on this machine.
    Local,
    /// Workers on machines that are reached over SSH.
    Ssh,
    /// Workers as jobs of Slurm.
    Slurm,
    /// Scheduler and workers as pods, by Dask's operator.
    Kubernetes,
}

/// The settings of a cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct ClusterSettings {
    /// The way it is started.
    pub kind: ClusterKind,
    /// The address of its scheduler, `tls://host:port`.
    pub address: Option<String>,
    /// The folder of the certificates; `~` stands for the home folder.
    pub tls: Option<String>,
    /// The number of workers.
    pub workers: Option<u32>,
    /// The runs of each agent that a worker takes at once.
    pub slots: BTreeMap<String, u32>,
    /// The repositories that workers read for fleets: folders, addresses and beginnings of addresses.
    pub reads: Vec<String>,
    /// The acting configurations that its workers accept, by hash.
    pub trust: Vec<String>,
    /// The repositories that its workers may fetch and push with rights of their own.
    pub remote: Vec<String>,
    /// The words for what its workers are good for.
    pub labels: Vec<String>,
    /// The accounts that its workers offer, of those that are configured there; all of them without this.
    pub accounts: Vec<String>,
    /// The bytes of commits that come back through the scheduler; what needs more is pushed.
    pub largest_bundle: Option<u64>,
    /// The machines that are reached over SSH.
    pub hosts: Vec<String>,
    /// The queue of Slurm.
    pub queue: Option<String>,
    /// The greatest time of a worker in Slurm's words, such as `12:00:00`.
    pub time: Option<String>,
    /// Further options of Slurm's, a line each.
    pub options: Vec<String>,
    /// The namespace of Kubernetes.
    pub namespace: Option<String>,
    /// The image of pods, with this program and the agents.
    pub image: Option<String>,
    /// The kind of the service before a scheduler in Kubernetes.
    pub service: Option<String>,
    /// This program as workers start it.
    pub program: Option<String>,
}

impl ClusterSettings {
    /// Returns why these settings cannot be followed.
    pub(super) fn refused(&self, name: &str) -> Option<String> {
        let is_wrong = |count: u32| count == 0 || count > MOST;
        if self.workers.is_some_and(is_wrong) {
            return Some(format!(
                "cluster.{name}.workers: expected a number from 1 to {MOST}"
            ));
        }
        let agent = self.slots.iter().find(|(_, count)| is_wrong(**count));
        if let Some((agent, _)) = agent {
            return Some(format!(
                "cluster.{name}.slots.{agent}: expected a number from 1 to {MOST}"
            ));
        }
        let is_hash =
            |text: &&String| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
        if let Some(wrong) = self.trust.iter().find(|text| !is_hash(text)) {
            return Some(format!(
                "cluster.{name}.trust: expected hashes of 64 letters as `chant-mcp trust --show` prints them, got `{wrong}`"
            ));
        }
        if self
            .largest_bundle
            .is_some_and(|bytes| bytes == 0 || bytes > LARGEST_BUNDLE)
        {
            return Some(format!(
                "cluster.{name}.largest_bundle: expected bytes from 1 to {LARGEST_BUNDLE}"
            ));
        }
        let address = self.address.as_deref()?;
        (!address.starts_with("tls://")).then(|| {
            format!(
                "cluster.{name}.address: expected `tls://host:port`, got `{address}`: agents' work is code"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_is_spoken_to_over_tls_alone() {
        let settings = |address: &str| ClusterSettings {
            address: Some(address.into()),
            ..ClusterSettings::default()
        };
        assert_eq!(settings("tls://head:8786").refused("big"), None);
        let why = settings("tcp://head:8786").refused("big").unwrap();
        assert!(why.starts_with("cluster.big.address"), "{why}");
    }

    #[test]
    fn a_worker_takes_one_run_or_more() {
        let settings = ClusterSettings {
            slots: [("claude".to_owned(), 0)].into(),
            ..ClusterSettings::default()
        };
        let why = settings.refused("big").unwrap();
        assert!(why.starts_with("cluster.big.slots.claude"), "{why}");
    }
}
