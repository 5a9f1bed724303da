//! The conditions that work here would find.

use chant_specs::view::work_load::AccountView;
use serde::Serialize;

/// The conditions that a project's runs would find on this machine.
#[derive(Debug, Serialize)]
pub struct DoctorReport {
    /// The program's version.
    pub version: &'static str,
    /// The project's folder.
    pub root: String,
    /// True if there are specs, whose agents the rest is about.
    pub has_specs: bool,
    /// The state of trust in the folder, and the reason, in a sentence.
    pub trust: String,
    /// The confinement of its runs, in a sentence.
    pub confinement: String,
    /// What its file system was found to be when something was first written, in a line; absent before that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_system: Option<String>,
    /// Git, as runs would find it.
    pub git: GitView,
    /// The remote that clones share specs on, in a sentence; absent without `leases`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// The agents that are configured, the one first that works when none is named.
    pub agents: Vec<ConfiguredAgentView>,
    /// The accounts of the user's configuration, and agents that a rate limit holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accounts: Vec<AccountView>,
    /// Names of other known agents that are installed.
    pub others: Vec<&'static str>,
    /// The environment that the first of them would find.
    pub environment: EnvironmentView,
    /// The problems, each in a sentence with what to do.
    pub problems: Vec<String>,
}

/// The damage in what is kept of a project.
#[derive(Debug, Serialize)]
pub struct DeepReport {
    /// Each with its repair.
    pub damages: Vec<DamageView>,
}

/// A damage.
#[derive(Debug, Serialize)]
pub struct DamageView {
    /// Its kind, by one word.
    pub kind: &'static str,
    /// The file, the ref, the spec or the run.
    pub place: String,
    /// The repair, as a phrase.
    pub repair: &'static str,
    /// True if it was repaired now.
    pub repaired: bool,
    /// Why that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// Git as runs would find it.
#[derive(Debug, Serialize)]
pub struct GitView {
    /// The program; `None` when it is not on the PATH.
    pub program: Option<String>,
    /// The folder that all worktrees share; `None` outside of a repository.
    pub common_dir: Option<String>,
    /// By whom the commits of runs would be.
    pub commits_by: Option<String>,
}

/// An agent that is configured.
#[derive(Debug, Serialize)]
pub struct ConfiguredAgentView {
    /// Its name.
    pub name: String,
    /// Its program as it is configured.
    pub program: String,
    /// Where that is; `None` when it is not on the PATH.
    pub path: Option<String>,
    /// The facts about one that is built in and installed.
    #[serde(flatten)]
    pub installed: Option<InstalledAgentView>,
}

/// The answers of an installed agent about itself, and whether it starts where runs do.
#[derive(Debug, Serialize)]
pub struct InstalledAgentView {
    /// The release, in its own words.
    pub version: Option<String>,
    /// The release that we ran; `None` for a template from documents alone.
    pub tested_release: Option<&'static str>,
    /// True if a person is logged in; `None` when that cannot be known.
    pub logged_in: Option<bool>,
    /// The sign of the login.
    pub login: Option<String>,
    /// What runs get of that login, where it is a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login_of_runs: Option<String>,
    /// Variables of ours that it would get beside those that everything gets.
    pub passed: Vec<&'static str>,
    /// Flags that we start it with and that its help does not know; `None` when it has no help.
    pub unknown_flags: Option<Vec<String>>,
    /// The result of starting it in a folder that is held as that of a run, or the answer it gave there where
    /// it was asked for one.
    pub hello: HelloView,
}

/// The result of a try.
#[derive(Debug, Serialize)]
pub struct HelloView {
    /// True if its model was asked.
    pub is_live: bool,
    /// True if it went well.
    pub works: bool,
    /// The end of what the program wrote.
    pub told: String,
}

/// The environment that an agent would find.
#[derive(Debug, Default, Serialize)]
pub struct EnvironmentView {
    /// The variables, in the order of their names.
    pub passed: Vec<PassedVariable>,
    /// Names of variables that look like secrets and are not passed.
    pub withheld: Vec<String>,
    /// Names that `env.pass` adds, those that are not set included.
    pub configured: Vec<String>,
}

/// A variable that is passed.
#[derive(Debug, Serialize)]
pub struct PassedVariable {
    /// Its name.
    pub name: String,
    /// Its value, or how long it is where it may be a secret.
    pub shown: String,
}
