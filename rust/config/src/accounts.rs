//! Accounts of providers, among which runs are divided; only the user's own configuration names some.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use chant_base::environment;
use serde::Deserialize;

/// An account, as it stands in the configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct AccountSettings {
    /// So many of its runs may go on at once, over all agents; `None` for no limit of its own.
    pub max: Option<NonZeroUsize>,
    /// The agents that may use it; all where none is named.
    pub agents: Vec<String>,
    /// The agent's variables, and the variables of our environment that they are taken from.
    pub variables: BTreeMap<String, String>,
}

impl AccountSettings {
    /// Returns true if an agent may use it.
    pub fn serves(&self, agent: &str) -> bool {
        self.agents.is_empty() || self.agents.iter().any(|name| name == agent)
    }
}

/// Returns the fault of an account; the first one.
pub(super) fn wrong_account(accounts: &BTreeMap<String, AccountSettings>) -> Option<String> {
    let faults = accounts.iter().filter_map(|(name, account)| {
        if !is_name(name) {
            return Some(format!(
                "accounts: expected a name of letters, digits, `-`, `_` and `.`, got `{name}`"
            ));
        }
        let mut names = account.variables.iter().flat_map(|(to, from)| [to, from]);
        let why = names.find_map(|variable| environment::refusal(variable, true))?;
        Some(format!("accounts.{name}.variables: {why}"))
    });
    faults.into_iter().next()
}

fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.is_empty() && name.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use crate::Config;

    fn read(user: &str, project: &str) -> Result<Config, String> {
        let front = |yaml: &str| format!("---\n{yaml}\n---\n");
        let (user, project) = (front(user), front(project));
        Config::read(Some(("user", &user)), Some(("project", &project)), None)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn only_the_users_own_file_names_accounts() {
        let accounts = "accounts: {a: {max: 3, agents: [claude], variables: {KEY: A_KEY}}, b: {}}";
        let config = read(accounts, "").unwrap();
        let account = &config.runs.accounts["a"];
        assert_eq!(account.max.map(std::num::NonZero::get), Some(3));
        assert!(account.serves("claude") && !account.serves("codex"));
        assert!(config.runs.accounts["b"].serves("codex"));
        let config = read("", accounts).unwrap();
        assert!(config.runs.accounts.is_empty());
        assert_eq!(config.findings.len(), 1, "{:?}", config.findings);
    }

    #[test]
    fn what_cannot_be_an_account_is_named() {
        for (wrong, why) in [
            ("{a: {max: 0}}", "accounts.a.max"),
            ("{'a/b': {}}", "`a/b`"),
            (
                "{a: {variables: {KEY: 'x y'}}}",
                "accounts.a.variables: expected the name",
            ),
        ] {
            let error = read(&format!("accounts: {wrong}"), "").unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
