//! The user's clusters: where their schedulers answer, and with which certificates.

use serde::Deserialize;

/// The settings of a cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct ClusterSettings {
    /// The address of its scheduler, `tls://host:port`.
    pub address: Option<String>,
    /// The folder of the certificates; `~` stands for the home folder.
    pub tls: Option<String>,
}
