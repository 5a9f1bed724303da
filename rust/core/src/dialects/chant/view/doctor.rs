//! What work here would find.

use serde::Serialize;

/// What a project's runs would find on this machine.
#[derive(Debug, Serialize)]
pub struct Doctor {
    /// The program's version.
    pub version: &'static str,
    /// The project's folder.
    pub root: String,
    /// Whether there are specs, whose agents the rest is about.
    pub has_specs: bool,
    /// Whether the folder is trusted, and why, in a sentence.
    pub trust: String,
    /// How its runs would be held, in a sentence.
    pub confinement: String,
    /// Git, as runs would find it.
    pub git: GitSeen,
    /// The agents that are configured, the one first that works when none is named.
    pub agents: Vec<AgentSeen>,
    /// What the first of them would find in its environment.
    pub environment: EnvironmentSeen,
    /// What is wrong, each in a sentence with what to do.
    pub problems: Vec<String>,
}

/// Git as runs would find it.
#[derive(Debug, Serialize)]
pub struct GitSeen {
    /// The program; `None` when it is not on the PATH.
    pub program: Option<String>,
    /// The folder that all worktrees share; `None` outside of a repository.
    pub common_dir: Option<String>,
    /// By whom the commits of runs would be.
    pub commits_by: Option<String>,
}

/// An agent that is configured.
#[derive(Debug, Serialize)]
pub struct AgentSeen {
    /// Its name.
    pub name: String,
    /// Its program as it is configured.
    pub program: String,
    /// Where that is; `None` when it is not on the PATH.
    pub path: Option<String>,
}

/// What an agent would find in its environment.
#[derive(Debug, Default, Serialize)]
pub struct EnvironmentSeen {
    /// The variables, in the order of their names.
    pub passed: Vec<Variable>,
    /// Names of variables that look like secrets and are not passed.
    pub withheld: Vec<String>,
    /// Names that `env.pass` adds, those that are not set included.
    pub configured: Vec<String>,
}

/// A variable that is passed.
#[derive(Debug, Serialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value, or how long it is where it may be a secret.
    pub shown: String,
}
