//! The accounts with which agents work on this machine, by the names that jobs give them.

use std::collections::BTreeMap;

use serde::Deserialize;

use chant_base::environment;

/// The settings of an account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct AccountSettings {
    /// Variables of the agent, each with the variable of this machine that holds its value. The
    /// configuration itself holds no key.
    pub variables: BTreeMap<String, String>,
}

/// Returns the first fault of the accounts of a file.
pub(super) fn wrong_account(accounts: &BTreeMap<String, AccountSettings>) -> Option<String> {
    accounts.iter().find_map(|(name, account)| {
        let mut named = account.variables.iter();
        named.find_map(|(own, machines)| {
            let why = [own, machines]
                .into_iter()
                .find_map(|variable| environment::refusal(variable, true))?;
            Some(format!("accounts.{name}.variables: {why}"))
        })
    })
}
