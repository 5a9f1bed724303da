//! The accounts among which runs are divided.

use serde::Serialize;

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
