//! A job: what a machine of a cluster learns of a run. It names things and carries nothing: no prompt, no
//! environment, no secret.

use serde::Serialize;
use serde_json::Value;

use chant_base::error::Error;
use chant_config::Config;
use chant_git::Repo;
use chant_specs::error::ChantError;
use chant_work::run_log::SecretMask;

/// The version of the layout of jobs.
pub(crate) const SCHEMA: u32 = 1;
/// The remote of a repository whose clones share nothing.
const USUAL_REMOTE: &str = "origin";

/// A run as it is handed to a cluster. The job client adds `base` and `start`: the commits that the
/// bundle lies between.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ClusterJob<'a> {
    /// The version of this layout.
    pub schema: u32,
    /// The name of this attempt, which no other one shares.
    pub key: String,
    /// The run.
    pub process_id: &'a str,
    /// The spec.
    pub spec: &'a str,
    /// The order of an item of another format, which no commit brings there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// The token of the run.
    pub token: u64,
    /// The name of the project.
    pub project: String,
    /// The address of the repository without user and password, if it has one.
    pub remote: Option<String>,
    /// The branch on which the work lands.
    pub target: &'a str,
    /// The branch of the work.
    pub branch: &'a str,
    /// The project's root from the top of the repository; empty for the top.
    pub inside: String,
    /// The agent.
    pub agent: &'a str,
    /// The account that it works on.
    pub account: Option<&'a str>,
    /// The model that it uses.
    pub model: Option<&'a str>,
    /// The prompt.
    pub prompt: &'a str,
    /// True if missing criteria are no obstacle.
    pub skip_criteria: bool,
    /// The hash of what acts in the project, if anything does.
    pub acting: Option<String>,
}

impl ClusterJob<'_> {
    /// Returns the job as JSON, if none of its values holds a secret.
    ///
    /// # Errors
    /// `Refused` with the name of the value that does.
    pub(crate) fn value(&self, mask: &SecretMask) -> Result<Value, Error> {
        let value = serde_json::to_value(self).unwrap_or_default();
        let texts = value.as_object().into_iter().flatten();
        let mut texts = texts.filter_map(|(name, value)| Some((name, value.as_str()?)));
        let secret = texts.find(|(_, text)| mask.apply(text) != *text);
        match secret {
            None => Ok(value),
            Some((name, _)) => {
                let message = format!(
                    "The job was not sent to the cluster: its `{name}` holds the value of a variable that is named like a secret. Take it out of there, and start again."
                );
                Err(ChantError::Refused(message).into())
            }
        }
    }
}

/// Returns the name of the remote that other machines share with a repository, if it has one of that name.
pub(crate) fn remote_of(config: &Config) -> &str {
    let leases = config.leases.as_ref();
    leases.map_or(USUAL_REMOTE, |leases| &leases.remote)
}

/// Returns the address from which other machines fetch a repository, without user and password.
///
/// # Errors
/// A failure of git.
pub(crate) fn address_of(repo: &Repo, config: &Config) -> Result<Option<String>, Error> {
    let name = remote_of(config);
    if !repo.remotes()?.iter().any(|known| known == name) {
        return Ok(None);
    }
    Ok(Some(without_password(&repo.remote_address(name)?)))
}

/// Returns an address without a password, and without the user except for SSH, which needs one.
fn without_password(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else {
        return address.to_owned();
    };
    let (place, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let Some((user, host)) = place.rsplit_once('@') else {
        return address.to_owned();
    };
    let user = user.split(':').next().unwrap_or_default();
    match scheme {
        "ssh" | "git+ssh" => format!("{scheme}://{user}@{host}{path}"),
        _ => format!("{scheme}://{host}{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lose_their_passwords() {
        for (address, without) in [
            ("https://a:b@host/x", "https://host/x"),
            ("https://token@host:8/x@y", "https://host:8/x@y"),
            ("ssh://git:pw@host/x", "ssh://git@host/x"),
            ("git@host:x", "git@host:x"),
            ("/srv/x.git", "/srv/x.git"),
            ("file:///srv/a@b", "file:///srv/a@b"),
        ] {
            assert_eq!(without_password(address), without);
        }
    }
}
