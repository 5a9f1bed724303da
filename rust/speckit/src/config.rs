//! `.specify/chant-mcp.yml`: what a project asks for before a task is ticked, and of questions.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use super::error::SpeckitError;
use chant_base::environment;
use chant_config::check::{self, ConfigFinding, MisspelledKey};
use chant_config::schema::speckit::FEATURES;
use chant_config::seconds_of;
use chant_text::clash;
use chant_text::front_matter;

/// Where it lies, from the project's root.
pub const FILE: &str = ".specify/chant-mcp.yml";

/// The configuration, defaults filled in.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct SpeckitConfig {
    /// The checks that have to pass before a task is ticked, by name.
    pub checks: BTreeMap<String, CheckCommand>,
    /// The rules that refuse a task instead of warning.
    pub strict: StrictRules,
    /// The waiting times of questions.
    pub questions: QuestionSettings,
    /// The variables of our own environment that checks get.
    pub env: EnvironmentSettings,
    /// Findings about keys of the file.
    #[serde(skip)]
    pub findings: Vec<ConfigFinding>,
}

impl SpeckitConfig {
    /// Refuses to tick by it while a key is nearly a known one: a check that was meant would not run.
    ///
    /// # Errors
    /// `MisspelledKey`, the first.
    pub fn refuse_misspelled(&self) -> Result<(), MisspelledKey> {
        check::refuse_misspelled(&self.findings)
    }
}

/// The variables of our own environment that checks get besides those that are always passed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct EnvironmentSettings {
    /// Names of variables.
    pub pass: Vec<String>,
}

/// A program that has to end well.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(
    untagged,
    expecting = "a list of program and arguments, or `command` with timeout_secs, cwd and env"
)]
pub enum CheckCommand {
    /// Program and arguments alone.
    Command(Vec<String>),
    /// Program and arguments with more about them.
    Detailed(DetailedCheck),
}

/// A program with more about how it is run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct DetailedCheck {
    /// Program and arguments.
    pub command: Vec<String>,
    /// The longest it may take.
    #[serde(default = "two_minutes")]
    pub timeout_secs: f64,
    /// Where it starts, from the project's root.
    #[serde(default)]
    pub cwd: String,
    /// Variables beside those that are passed.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

fn two_minutes() -> f64 {
    120.0
}

impl CheckCommand {
    /// Program and arguments.
    pub fn argv(&self) -> &[String] {
        match self {
            Self::Command(command) => command,
            Self::Detailed(check) => &check.command,
        }
    }

    /// The longest it may take.
    pub fn limit(&self) -> Duration {
        let seconds = match self {
            Self::Command(_) => two_minutes(),
            Self::Detailed(check) => check.timeout_secs,
        };
        seconds_of(seconds)
    }

    /// Where it starts, from the project's root.
    pub fn folder(&self) -> &str {
        match self {
            Self::Command(_) => "",
            Self::Detailed(check) => &check.cwd,
        }
    }

    /// Variables beside those that are passed.
    pub fn variables(&self) -> impl Iterator<Item = (&String, &String)> {
        let variables = match self {
            Self::Command(_) => None,
            Self::Detailed(check) => Some(&check.env),
        };
        variables.into_iter().flatten()
    }
}

/// The rules that refuse a task instead of warning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`phases` and `files`, each true or false")]
pub struct StrictRules {
    /// Open tasks of phases that come before.
    pub phases: bool,
    /// Files that the task names and that are not there.
    pub files: bool,
}

/// The waiting times of questions.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, expecting = "`wait_secs` and `expire_hours`")]
pub struct QuestionSettings {
    /// The seconds that a call waits for an answer.
    pub wait_secs: f64,
    /// The hours that a question waits.
    pub expire_hours: f64,
}

impl Default for QuestionSettings {
    fn default() -> Self {
        Self {
            wait_secs: 45.0,
            expire_hours: 168.0,
        }
    }
}

impl QuestionSettings {
    /// Returns the time that a call waits for an answer.
    pub fn wait(&self) -> Duration {
        seconds_of(self.wait_secs)
    }

    /// Returns the time that a question waits.
    pub fn expiry(&self) -> Duration {
        seconds_of(self.expire_hours * 3600.0)
    }
}

/// Reads the configuration.
///
/// # Errors
/// `Config`, with what is wrong.
pub fn read(text: &str) -> Result<SpeckitConfig, SpeckitError> {
    let refused = |why: String| SpeckitError::Config { file: FILE, why };
    if let Some(clash) = clash::in_data(text) {
        return Err(refused(clash.to_string()));
    }
    let config: Option<SpeckitConfig> =
        front_matter::read(text).map_err(|problem| refused(problem.message))?;
    let mut config = config.unwrap_or_default();
    config.findings = check::in_yaml(FILE, text, &FEATURES);
    let mut names = config.env.pass.iter();
    if let Some(why) = names.find_map(|name| environment::refusal(name, false)) {
        return Err(refused(format!("env.pass: {why}")));
    }
    for (name, check) in &config.checks {
        if check.argv().is_empty() {
            return Err(refused(format!("the command of check '{name}' is empty")));
        }
        let is_inside = !check.folder().starts_with('/') && !check.folder().contains("..");
        if !is_inside {
            return Err(refused(format!(
                "check '{name}' starts outside of the project"
            )));
        }
    }
    Ok(config)
}

/// All that is to be said about the file, also where it cannot be read.
pub fn findings(text: &str) -> Vec<ConfigFinding> {
    let refusal = match read(text) {
        Err(SpeckitError::Config { why, .. }) => Some(why),
        _ => None,
    };
    let found = check::with_refusal(check::in_yaml(FILE, text, &FEATURES), FILE, refusal);
    check::placed_in(text, found)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use chant_config::schema::traced::keys_read;

    #[test]
    fn the_table_has_the_keys_that_are_read_and_no_others() {
        let known = FEATURES.used_keys().into_iter();
        let known: BTreeSet<String> = known.map(|(key, _)| key).collect();
        let of_checks = keys_read::<DetailedCheck>().unwrap();
        let of_checks = of_checks.iter().map(|key| format!("checks.*.{key}"));
        let mut read = keys_read::<Others>().unwrap();
        read.extend(of_checks);
        read.insert("checks".into());
        assert_eq!(known, read);
    }

    /// The configuration without its checks, which have two forms.
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its keys are asked for")]
    struct Others {
        strict: StrictRules,
        questions: QuestionSettings,
        env: EnvironmentSettings,
    }

    #[test]
    fn a_refusal_of_the_reader_is_a_finding_with_its_line() {
        let found = findings("checks: {a: []}\n");
        assert_eq!((found.len(), found[0].kind()), (1, "unreadable"));
        let found = findings("questions:\n  wait_secs: long\n");
        assert_eq!((found.len(), found[0].kind()), (1, "wrong_value"));
        assert_eq!(
            (found[0].line, &*found[0].key),
            (Some(2), "questions.wait_secs")
        );
    }
}
