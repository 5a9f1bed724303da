//! Finds the agents on this machine without starting any of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::built_in::{BuiltIn, ProgramName, StateRelocation};
use super::{Agent, templates};
use chant_store::disk;

/// Names of keys of providers in the settings of agents.
const KEYS_IN_SETTINGS: [&str; 2] = ["\"apiKey\"", "apiKey:"];
/// The bytes of settings that are read.
const LARGEST_SETTINGS: u64 = 1024 * 1024;

/// The environment in which agents are searched.
#[derive(Debug, Clone, Copy)]
pub struct AgentSearch<'a> {
    /// The environment from which runs are started.
    pub environment: &'a BTreeMap<String, String>,
    /// The project's folder; a program in it may come from anyone and is no agent of the user's.
    pub root: &'a Path,
}

/// An agent that is installed.
#[derive(Debug, Clone)]
pub struct InstalledAgent {
    /// Its template.
    pub template: &'static BuiltIn,
    /// Its program.
    pub path: PathBuf,
    /// The sign that a user is logged in; without it there may be no login.
    pub login: Option<LoginSign>,
}

/// The signs that a user is logged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginSign {
    /// A variable that holds a key.
    Variable(&'static str),
    /// A file of the agent's.
    File(PathBuf),
    /// The report of the agent itself, by this command.
    Said(String),
}

impl std::fmt::Display for LoginSign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Variable(name) => f.write_str(name),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Said(command) => write!(f, "`{command}`"),
        }
    }
}

impl Agent {
    /// Returns the agent behind the first of its programs that exists.
    #[must_use]
    pub fn located(&self, around: AgentSearch<'_>) -> Self {
        let mut programs = self.programs().iter();
        match programs.find(|own| around.program(own).is_some()) {
            Some(own) => self.clone().behind(own.name),
            None => self.clone(),
        }
    }
}

impl AgentSearch<'_> {
    /// Returns the installed agents, in the order in which one is chosen.
    pub fn agents(self) -> Vec<InstalledAgent> {
        let found = templates().filter_map(|template| {
            let path = template.programs.iter().find_map(|own| self.program(own))?;
            Some(InstalledAgent {
                template,
                path,
                login: self.login(template),
            })
        });
        found.collect()
    }

    /// Returns the agent that works if the configuration names none: the first with a login, else
    /// the first.
    pub fn chosen(self) -> Option<&'static str> {
        let found = self.agents();
        let logged_in = found.iter().find(|agent| agent.login.is_some());
        let chosen = logged_in.or(found.first())?;
        Some(chosen.template.name)
    }

    /// Returns the path of an agent's program. Another program of the same name does not count, and
    /// neither does one in the project.
    pub fn program(self, own: &ProgramName) -> Option<PathBuf> {
        let path = self.environment.get("PATH")?;
        let found = which::which_in(own.name, Some(path), self.root).ok()?;
        let real = disk::real(&found).ok()?;
        let is_it = own.lies_in.is_none_or(|piece| {
            let mut parts = real.components();
            parts.any(|part| part.as_os_str().to_string_lossy().contains(piece))
        });
        let is_inside = found.starts_with(self.root) || real.starts_with(self.root);
        (is_it && !is_inside).then_some(found)
    }

    /// Returns the sign of a login to an agent, as far as it is visible without starting the agent.
    pub fn login(self, template: &BuiltIn) -> Option<LoginSign> {
        let is_set = |name: &&&str| {
            let value = self.environment.get(**name);
            value.is_some_and(|value| !value.is_empty())
        };
        if let Some(name) = template.keys.iter().find(is_set) {
            return Some(LoginSign::Variable(name));
        }
        let place = &template.state.place;
        let mut files = template.state.login.iter();
        // The first file is the one that proves a login; others may exist without one, but for a key.
        let proof = self.state_file(place, files.next()?)?;
        if disk::is_file(&proof) {
            return Some(LoginSign::File(proof));
        }
        let has_key = |file: &PathBuf| {
            let text = disk::read_owned(file, LARGEST_SETTINGS);
            text.is_ok_and(|text| KEYS_IN_SETTINGS.iter().any(|key| text.contains(key)))
        };
        let mut settings = files.filter_map(|name| self.state_file(place, name));
        settings.find(has_key).map(LoginSign::File)
    }

    /// Returns the path of a file in an agent's own state.
    pub fn state_file(self, place: &StateRelocation, name: &str) -> Option<PathBuf> {
        let users = UserFiles(self);
        match place {
            StateRelocation::Nowhere => None,
            StateRelocation::Variable(variable, usual) => {
                let moved = users.folder(variable);
                Some(moved.or_else(|| users.in_home(usual))?.join(name))
            }
            StateRelocation::Home(_) => users.file(name),
        }
    }
}

/// Variables that name folders of the user's, with their usual paths.
pub const FOLDERS: [(&str, &str); 3] = [
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
];

/// The user's own files.
#[derive(Debug, Clone, Copy)]
pub struct UserFiles<'a>(pub AgentSearch<'a>);

impl UserFiles<'_> {
    /// Returns the folder that a variable names.
    pub fn folder(self, variable: &str) -> Option<PathBuf> {
        let path = PathBuf::from(self.0.environment.get(variable)?);
        path.is_absolute().then_some(path)
    }

    /// Returns a file or folder below the home folder.
    pub fn in_home(self, name: &str) -> Option<PathBuf> {
        Some(self.folder("HOME")?.join(name))
    }

    /// Returns the path of a file with this usual name in the home folder; a variable may have
    /// moved it.
    pub fn file(self, name: &str) -> Option<PathBuf> {
        let moved = FOLDERS.into_iter().find_map(|(variable, usual)| {
            let rest = Path::new(name).strip_prefix(usual).ok()?;
            Some(self.folder(variable)?.join(rest))
        });
        moved.or_else(|| self.in_home(name))
    }
}
