//! Agents on machines of a cluster, as this machine sees them (docs/internals/cluster.md).
//!
//! A run stays here: its runner, record, lock, lease and folder. Only its agent works elsewhere. In its
//! place the runner starts a job client, which hands a [`job`] to the [`placer`] of the [`target`] and
//! brings the work back. What the cluster reports of itself is its [`status`]; it is data, and decides
//! nothing. [`watchers`] tell a job client that somebody reads its log.

pub(super) mod job;
pub(super) mod placer;
pub(super) mod status;
pub(super) mod target;
pub(super) mod watchers;
