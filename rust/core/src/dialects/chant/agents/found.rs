//! Which agents are on this machine. Nothing is started to find that out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::built_in::{BuiltIn, ProgramName, StatePlace};
use super::{Agent, templates};
use crate::store::disk;

/// Where agents are looked for.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// The environment that runs are started from.
    pub environment: &'a BTreeMap<String, String>,
    /// The project's folder; what lies in it is anybody's, and no agent of the user's.
    pub root: &'a Path,
}

/// An agent that is installed.
#[derive(Debug, Clone)]
pub struct FoundAgent {
    /// Its template.
    pub template: &'static BuiltIn,
    /// Its program.
    pub path: PathBuf,
    /// What says that somebody is logged in; without it nobody may be.
    pub login: Option<LoginSign>,
}

/// What says that somebody is logged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginSign {
    /// A variable that holds a key.
    Variable(&'static str),
    /// A file of the agent's.
    File(PathBuf),
    /// The agent itself, by this command.
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
    /// The agent behind the first of its programs that is there.
    #[must_use]
    pub fn located(&self, around: Surroundings<'_>) -> Self {
        let mut programs = self.programs().iter();
        match programs.find(|own| around.program(own).is_some()) {
            Some(own) => self.clone().behind(own.name),
            None => self.clone(),
        }
    }
}

impl Surroundings<'_> {
    /// The agents that are installed, in the order in which one is chosen.
    pub fn agents(self) -> Vec<FoundAgent> {
        let found = templates().filter_map(|template| {
            let path = template.programs.iter().find_map(|own| self.program(own))?;
            Some(FoundAgent {
                template,
                path,
                login: self.login(template),
            })
        });
        found.collect()
    }

    /// The agent that works when the configuration names none: the first that somebody is logged in to, else the
    /// first.
    pub fn chosen(self) -> Option<&'static str> {
        let found = self.agents();
        let logged_in = found.iter().find(|agent| agent.login.is_some());
        let chosen = logged_in.or(found.first())?;
        Some(chosen.template.name)
    }

    /// Where a program lies that may be an agent's. Another one of its name is none, and neither is what lies in the
    /// project.
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

    /// What says that somebody is logged in to an agent, as far as that is seen without starting it.
    pub fn login(self, template: &BuiltIn) -> Option<LoginSign> {
        let is_set = |name: &&&str| {
            let value = self.environment.get(**name);
            value.is_some_and(|value| !value.is_empty())
        };
        if let Some(name) = template.keys.iter().find(is_set) {
            return Some(LoginSign::Variable(name));
        }
        // The first of them is the one that says it; others may be there without a login.
        let file = self.state_file(&template.state.place, template.state.login.first()?)?;
        disk::is_file(&file).then_some(LoginSign::File(file))
    }

    /// Where a file of an agent's own state lies.
    pub fn state_file(self, place: &StatePlace, name: &str) -> Option<PathBuf> {
        let users = UsersFiles(self);
        match place {
            StatePlace::Nowhere => None,
            StatePlace::Variable(variable, usual) => {
                let moved = users.folder(variable);
                Some(moved.or_else(|| users.in_home(usual))?.join(name))
            }
            StatePlace::Home(_) => users.file(name),
        }
    }
}

/// Variables that name folders of the user's, and where those lie otherwise.
pub const FOLDERS: [(&str, &str); 3] = [
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
];

/// The user's own files.
#[derive(Debug, Clone, Copy)]
pub struct UsersFiles<'a>(pub Surroundings<'a>);

impl UsersFiles<'_> {
    /// The folder that a variable names.
    pub fn folder(self, variable: &str) -> Option<PathBuf> {
        let path = PathBuf::from(self.0.environment.get(variable)?);
        path.is_absolute().then_some(path)
    }

    /// A file or folder below the home folder.
    pub fn in_home(self, name: &str) -> Option<PathBuf> {
        Some(self.folder("HOME")?.join(name))
    }

    /// A file that lies under this name in a home where no variable says otherwise.
    pub fn file(self, name: &str) -> Option<PathBuf> {
        let moved = FOLDERS.into_iter().find_map(|(variable, usual)| {
            let rest = Path::new(name).strip_prefix(usual).ok()?;
            Some(self.folder(variable)?.join(rest))
        });
        moved.or_else(|| self.in_home(name))
    }
}
