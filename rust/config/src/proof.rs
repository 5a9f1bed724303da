//! The settings by which the tests of a project judge work on it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

/// The project's words about its own judge, beside the built-in tables.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct ProofSettings {
    /// The proof that is asked for before work lands.
    pub require: ProofDemand,
    /// Minutes for which checks may run on old tests or old code, beside the run on the work itself; 0 for none.
    pub minutes: Option<u64>,
    /// Patterns of further files that hold tests, as `checks/**`.
    pub tests: Vec<String>,
    /// Patterns of further files that configure tests.
    pub config: Vec<String>,
    /// True if it is found out which code the checks hold, by taking it back piece by piece.
    pub held: bool,
    /// The files in which checks report their tests, by the name of the check; from the folder in which it runs.
    pub reports: BTreeMap<String, String>,
    /// Names of flaky tests, or of checks whose flaky tests, may fail: they prove nothing then.
    pub allow_flaky: Vec<String>,
    /// Names of rules whose findings need a person, though they are only shown otherwise, as `W5`.
    pub rules: Vec<String>,
}

/// The proofs that may be asked of checks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProofDemand {
    /// They pass; more that is known is said.
    #[default]
    Report,
    /// They fail without the change, for each criterion that names some.
    Red,
    /// As red, and a test fails without each piece of the code.
    Held,
}

/// The usual number of minutes.
const USUAL_MINUTES: u64 = 10;
/// The number of rules for tests.
const RULE_COUNT: u8 = 14;

impl ProofSettings {
    /// The time for which checks may run on old tests or old code.
    pub fn time(&self) -> Duration {
        Duration::from_secs(self.minutes.unwrap_or(USUAL_MINUTES).saturating_mul(60))
    }

    /// True if code is taken back piece by piece.
    pub fn takes_back(&self) -> bool {
        self.held || self.require == ProofDemand::Held
    }

    /// Returns the reason why the block cannot be used.
    pub(super) fn refused(&self) -> Option<String> {
        let is_rule = |name: &String| {
            let number = name
                .strip_prefix('W')
                .and_then(|number| number.parse::<u8>().ok());
            number.is_some_and(|number| (1..=RULE_COUNT).contains(&number))
        };
        if let Some(wrong) = self.rules.iter().find(|name| !is_rule(name)) {
            return Some(format!(
                "proof.rules: `{wrong}` is no rule; expected `W1` to `W{RULE_COUNT}`"
            ));
        }
        let (name, wrong) = self.reports.iter().find(|(_, path)| !is_inside(path))?;
        Some(format!(
            "proof.reports.{name}: `{wrong}` is no file below the folder of the check"
        ))
    }
}

/// True for a path that names a file below a folder.
fn is_inside(path: &str) -> bool {
    let is_part = |part: &str| !matches!(part, "" | "." | "..");
    path.split('/').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_lie_below_the_folder_of_the_check() {
        let of = |path: &str| ProofSettings {
            reports: [("unit".to_owned(), path.to_owned())].into(),
            ..ProofSettings::default()
        };
        assert_eq!(of("target/report.xml").refused(), None);
        for wrong in ["", "/etc/passwd", "../a", "a/./b", "a/"] {
            let why = of(wrong).refused().unwrap();
            assert!(why.starts_with("proof.reports.unit"), "{why}");
        }
    }

    #[test]
    fn rules_are_named_as_they_are_reported() {
        let of = |rules: &[&str]| ProofSettings {
            rules: rules.iter().map(|name| (*name).to_owned()).collect(),
            ..ProofSettings::default()
        };
        assert_eq!(of(&["W1", "W14"]).refused(), None);
        for wrong in ["w1", "W0", "W15", "1", ""] {
            assert!(of(&[wrong]).refused().is_some(), "{wrong}");
        }
    }
}
