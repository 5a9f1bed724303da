//! The settings of leases: which remote the clones of a repository share, and how often it is spoken to.

use std::time::Duration;

use serde::Deserialize;

/// The usual folder of refs on the remote.
pub const NAMESPACE: &str = "refs/chant";

/// The end of names that git keeps for its locks.
const LOCK_FILE: &str = ".lock";

/// The block as it stands in a file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub(super) struct LeaseBlock {
    remote: Option<String>,
    namespace: Option<String>,
    beat: Option<String>,
    ttl: Option<String>,
    push_interval: Option<String>,
    landing: Option<LandingWay>,
    checks: Option<ChecksOf>,
    propose: Option<Vec<String>>,
    look: Option<Vec<String>>,
}

/// How work reaches the target branch of the remote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LandingWay {
    /// One atomic push moves the target and the lease.
    #[default]
    Push,
    /// A configured command proposes a request, which others merge.
    Pr,
}

/// The commits on which the configured checks run before work lands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChecksOf {
    /// Each run's own branch, with the checks that its criteria name.
    #[default]
    Branch,
    /// What the landings of a push come to together, with all checks.
    Merged,
}

/// The settings of leases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseSettings {
    /// The name of the remote, as git's configuration has it.
    pub remote: String,
    /// The folder of refs there, without a slash at its end.
    pub namespace: String,
    /// The time between two signs of life.
    pub beat: Duration,
    /// The time without a sign of life after which others may try to take over.
    pub ttl: Duration,
    /// The least time between two pushes that do not repeat each other.
    pub push_interval: Duration,
    /// How work lands.
    pub landing: LandingWay,
    /// The commits on which checks run.
    pub checks: ChecksOf,
    /// The command that proposes a request, and its arguments.
    pub propose: Vec<String>,
    /// The command that says what became of a request, and its arguments; empty if the host is not asked.
    pub look: Vec<String>,
}

impl LeaseBlock {
    /// Returns the settings of the block, if they can be followed.
    ///
    /// # Errors
    /// The key that cannot be, and what was expected.
    pub(super) fn taken(self) -> Result<LeaseSettings, String> {
        let remote = self.remote.unwrap_or_default();
        // A remote is a name of git's configuration. An address could name a program.
        if !is_name(&remote) {
            return Err(format!(
                "leases.remote: expected the name of a remote such as `origin`, got `{remote}`"
            ));
        }
        let namespace = self.namespace.unwrap_or_else(|| NAMESPACE.into());
        let is_below_refs = |rest: &str| !rest.is_empty() && rest.split('/').all(is_name);
        if !namespace.strip_prefix("refs/").is_some_and(is_below_refs) {
            return Err(format!(
                "leases.namespace: expected a folder of refs such as `{NAMESPACE}`, got `{namespace}`"
            ));
        }
        let time = |key: &str, given: Option<String>, usual: u64| match given {
            Some(text) => duration(&text).ok_or_else(|| {
                format!("leases.{key}: expected a time such as `30s` or `5m`, got `{text}`")
            }),
            None => Ok(Duration::from_secs(usual)),
        };
        let settings = LeaseSettings {
            remote,
            namespace,
            beat: time("beat", self.beat, 60)?,
            ttl: time("ttl", self.ttl, 300)?,
            push_interval: time("push_interval", self.push_interval, 15)?,
            landing: self.landing.unwrap_or_default(),
            checks: self.checks.unwrap_or_default(),
            propose: self.propose.unwrap_or_default(),
            look: self.look.unwrap_or_default(),
        };
        settings.refused().map_or(Ok(settings), Err)
    }
}

impl LeaseSettings {
    /// Returns why these settings cannot be followed.
    fn refused(&self) -> Option<String> {
        let least = self.beat * 3 + self.push_interval;
        if self.ttl < least {
            return Some(format!(
                "leases.ttl: expected at least 3 × `beat` + `push_interval`, which is {least:?}, got {:?}",
                self.ttl
            ));
        }
        if self.beat.is_zero() {
            return Some("leases.beat: expected a time above 0, got 0s".into());
        }
        if self.checks == ChecksOf::Merged && self.landing == LandingWay::Pr {
            return Some(
                "leases.checks: `merged` needs `landing: push`; with `landing: pr` the host's merge queue runs checks on what is merged".into(),
            );
        }
        if self.look.first().is_some_and(String::is_empty) {
            return Some(
                "leases.look: expected a program and its arguments, got an empty name".into(),
            );
        }
        let is_empty = self.propose.first().is_none_or(String::is_empty);
        (self.landing == LandingWay::Pr && is_empty).then(|| {
            "leases.propose: with `landing: pr` it must give a program and its arguments".into()
        })
    }
}

/// Returns true for a name that git takes as a remote or a part of a ref, and no program as an address.
fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.is_empty()
        && name.bytes().all(is_plain)
        && !name.starts_with(['-', '.'])
        && !name.ends_with(['.'])
        && !name.to_ascii_lowercase().ends_with(LOCK_FILE)
        && !name.contains("..")
}

/// Reads a number with a unit: `ms`, `s`, `m` or `h`.
fn duration(text: &str) -> Option<Duration> {
    const YEAR: u64 = 365 * 24 * 3600 * 1000;
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    let unit = match unit.trim() {
        "ms" => 1,
        "s" => 1000,
        "m" => 60 * 1000,
        "h" => 3600 * 1000,
        _ => return None,
    };
    let time = number.checked_mul(unit).filter(|time| *time <= YEAR)?;
    Some(Duration::from_millis(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(remote: &str) -> LeaseBlock {
        LeaseBlock {
            remote: Some(remote.into()),
            ..LeaseBlock::default()
        }
    }

    #[test]
    fn a_remote_alone_is_enough() {
        let settings = block("origin").taken().unwrap();
        assert_eq!(settings.namespace, "refs/chant");
        assert_eq!(settings.ttl, Duration::from_secs(300));
    }

    #[test]
    fn an_address_is_no_remote() {
        for remote in ["", "ext::sh -c id", "../x", "-u", "https://h/x", "a.lock"] {
            assert!(
                block(remote)
                    .taken()
                    .unwrap_err()
                    .starts_with("leases.remote")
            );
        }
    }

    #[test]
    fn a_lease_lives_longer_than_three_signs_of_life() {
        let mut short = block("origin");
        short.ttl = Some("60s".into());
        let why = short.taken().unwrap_err();
        assert!(why.contains("195s") && why.contains("60s"), "{why}");
    }

    #[test]
    fn checks_of_merged_work_need_landings_that_are_pushed() {
        let mut merged = block("origin");
        merged.checks = Some(ChecksOf::Merged);
        assert_eq!(merged.taken().unwrap().checks, ChecksOf::Merged);
        let mut by_request = block("origin");
        by_request.checks = Some(ChecksOf::Merged);
        by_request.landing = Some(LandingWay::Pr);
        by_request.propose = Some(vec!["propose".into()]);
        let why = by_request.taken().unwrap_err();
        assert!(why.starts_with("leases.checks: `merged`"), "{why}");
    }

    #[test]
    fn a_time_has_a_unit() {
        assert_eq!(duration("250ms"), Some(Duration::from_millis(250)));
        assert_eq!(duration("2h"), Some(Duration::from_secs(7200)));
        for text in ["", "5", "s", "5 d", "-1s", "99999999999999h"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }
}
