//! Plugins: Python packages beside this one, of which only the user's own configuration chooses.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The seconds that one call of a plugin may take unless the configuration says so.
const SECONDS: f64 = 10.0;

/// The user's choice of plugins, as it stands in the configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct PluginSettings {
    /// Names of plugins that are never asked.
    pub off: BTreeSet<String>,
    /// Names of the evidence checks that every run of this user has to pass.
    pub evidence_checks: Vec<String>,
    /// Names of the formats of plans that are read and edited, and worked on.
    pub formats: Vec<String>,
    /// The notifiers that hear of changes, by name, with what each is given.
    pub notifiers: BTreeMap<String, BTreeMap<String, String>>,
    /// The seconds that one call may take.
    pub seconds: f64,
}

impl Default for PluginSettings {
    fn default() -> Self {
        Self {
            off: BTreeSet::new(),
            evidence_checks: Vec::new(),
            formats: Vec::new(),
            notifiers: BTreeMap::new(),
            seconds: SECONDS,
        }
    }
}

impl PluginSettings {
    /// Returns the time that one call may take.
    pub fn time(&self) -> Duration {
        super::seconds_of(self.seconds)
    }

    /// Returns why the settings cannot be followed, if they cannot.
    pub(super) fn refused(&self) -> Option<String> {
        let is_time = self.seconds.is_finite() && self.seconds > 0.0;
        (!is_time).then(|| {
            format!(
                "plugins.seconds: expected a number above 0, got {}",
                self.seconds
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::Config;

    fn read(user: &str, project: &str) -> Result<Config, String> {
        let front = |keys: &str| format!("---\n{keys}---\n");
        let (user, project) = (front(user), front(project));
        Config::read(Some(("user", &user)), Some(("project", &project)), None)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn only_the_users_own_file_chooses_plugins() {
        let block =
            "plugins: {evidence_checks: [signed], notifiers: {webhook: {url: 'http://h'}}}\n";
        let config = read(block, "plugins: {evidence_checks: [], off: [signed]}\n").unwrap();
        assert_eq!(config.plugins.evidence_checks, ["signed"]);
        assert_eq!(config.plugins.notifiers["webhook"]["url"], "http://h");
        assert!(config.plugins.off.is_empty());
        assert_eq!(config.findings.len(), 1, "{:?}", config.findings);
        assert_eq!(
            read("", block).unwrap().plugins,
            super::PluginSettings::default()
        );
    }

    #[test]
    fn a_call_takes_some_time() {
        let refused = read("plugins: {seconds: 0}\n", "").unwrap_err();
        assert!(
            refused.contains("plugins.seconds: expected a number above 0, got 0"),
            "{refused}"
        );
    }
}
