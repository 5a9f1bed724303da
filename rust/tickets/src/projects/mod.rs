//! Ticket projects: where they are found and which one a call means (reference tickets 1 and 10).
//!
//! Nothing is ever written here: a user's configuration stays as it is, in whatever form.

pub mod checked;
mod codes;
mod definition;
mod disk_cache;
mod fault;
mod find;
pub mod project_lookup;
mod settings;
mod table;
pub mod view;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chant_config::check::CheckedFile;
pub use codes::code_of_tickets;
use definition::ProjectDefinition;
pub use definition::TICKETS;
use disk_cache::DiskCache;
pub use fault::ProjectFault;
pub use find::OWN_FILE;

/// The settings of tickets in a project's own file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnTicketSettings {
    /// The code that their codes begin with.
    pub code: Option<String>,
    /// Their folder from the root, with `/`; none for one outside.
    pub tickets: Option<String>,
}

/// Reads the text of a project's own file.
///
/// # Errors
/// What is wrong with it.
pub fn parse_own_file(text: &str) -> Result<OwnTicketSettings, ProjectFault> {
    let read = table::parse(text)?;
    let definition = ProjectDefinition::of_project(OWN_FILE, &read.table, &mut Vec::new());
    let inside = |given: String| {
        let parts: Vec<&str> = given.split('/').collect();
        let is_inside = !given.starts_with('/') && !parts.contains(&"..");
        let parts = parts.into_iter().filter(|part| !matches!(*part, "" | "."));
        is_inside.then(|| parts.collect::<Vec<_>>().join("/"))
    };
    Ok(OwnTicketSettings {
        code: definition.code.filter(|code| codes::is_code(code)),
        tickets: definition.tickets.and_then(inside),
    })
}

/// The inputs of the search for projects; nothing else is asked.
#[derive(Debug, Clone, Default)]
pub struct DiscoveryInputs {
    /// The server's project root; relative paths go from here.
    pub start: PathBuf,
    /// The user's `~/.config/markdown-ticket`; the variable `CONFIG_DIR` names another one.
    pub config_folder: Option<PathBuf>,
    /// The folder that `~` stands for.
    pub home: Option<PathBuf>,
    /// Variables by name: `MCP_PROJECT_FILTER`, `MCP_SCAN_PATHS`, `MCP_CONFIG_PATH`, `CONFIG_DIR`.
    pub variables: BTreeMap<String, String>,
}

impl DiscoveryInputs {
    /// The folder of the user's configuration: its files, `projects/` and `templates/`.
    pub fn config_folder(&self) -> Option<PathBuf> {
        match self.variable("CONFIG_DIR") {
            Some(given) => self.expand(given).ok(),
            None => self.config_folder.clone(),
        }
    }

    /// A variable's value without blanks around it; an empty one counts as unset.
    fn variable(&self, name: &str) -> Option<&str> {
        let value = self.variables.get(name)?.trim();
        (!value.is_empty()).then_some(value)
    }

    /// A path as people write it.
    fn expand(&self, given: &str) -> Result<PathBuf, ProjectFault> {
        let of_home = match given.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with(['/', '\\']) => {
                rest.trim_start_matches(['/', '\\'])
            }
            _ => return Ok(self.start.join(given)),
        };
        match &self.home {
            Some(home) => Ok(home.join(of_home)),
            None => Err(ProjectFault::NoHome(given.to_owned())),
        }
    }
}

/// The way a project was found; results are sorted by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProjectSource {
    /// A file in the user's `projects/` names it.
    Registry,
    /// It encloses the folder the server was started for.
    Start,
    /// It lies below a scan path.
    Scan,
}

/// A project that has tickets, or may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TicketProject {
    /// The `id` of its configuration, else the name of its folder.
    pub id: String,
    /// The name for people; the ID where none is given.
    pub name: String,
    /// The code that its tickets' codes begin with, in the letters it is written in. No two projects have
    /// codes that differ only in the case of letters.
    pub code: String,
    /// Its folder, absolute and free of links.
    pub root: PathBuf,
    /// The folder of tickets, seen from the root, with `/`; `.` for the root itself. It lies in the
    /// root, also behind links; it may not exist yet.
    pub tickets: String,
    /// False where its configuration or the registry says so; it can be used nevertheless.
    pub active: bool,
    /// The description.
    pub description: Option<String>,
    /// Where its source is kept.
    pub repository: Option<String>,
    /// The least number of a ticket.
    pub start_number: u32,
    /// The file with the next number, seen from the root; it lies in the root.
    pub counter_file: String,
    /// True if a ticket is read and changed in the worktree that it is worked on in.
    pub uses_worktrees: bool,
    /// The day it was registered; for others the last change of its configuration.
    pub registered: String,
    /// The day the registry has for the last access; without one, the last change of its folder of
    /// tickets.
    pub last_accessed: String,
    /// The version of the registry's record.
    pub version: String,
    /// The way it was found.
    pub source: ProjectSource,
}

impl TicketProject {
    /// The path of a file in the folder of tickets, seen from the root.
    pub fn path_of(&self, file: &str) -> String {
        match self.tickets.as_str() {
            "." => file.to_owned(),
            folder => format!("{folder}/{file}"),
        }
    }
}

/// Something in the configuration that is not used, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectProblem {
    /// The file, folder or variable.
    pub path: String,
    /// The fault, what was expected, what to do.
    pub why: String,
}

/// All projects as of the last look.
pub struct ProjectCatalog {
    /// Registered projects, the one that was started in, then those of the scan; each by code.
    pub all: Vec<TicketProject>,
    /// The things that were passed over.
    pub problems: Vec<ProjectProblem>,
    /// The configuration files that were read, with what is to be said about their keys.
    pub files: Vec<CheckedFile>,
    surroundings: DiscoveryInputs,
    looked: DiskCache,
}

impl ProjectCatalog {
    /// Finds all projects.
    pub fn find(surroundings: DiscoveryInputs) -> Self {
        let mut projects = Self {
            all: Vec::new(),
            problems: Vec::new(),
            files: Vec::new(),
            surroundings,
            looked: DiskCache::default(),
        };
        projects.look();
        projects
    }

    /// Brings the projects up to date. Costs one stamp for each file and folder that was looked at,
    /// those below scan paths included; only what changed is read again. True when anything changed.
    pub fn refresh(&mut self) -> bool {
        !self.looked.is_current() && {
            self.look();
            true
        }
    }

    /// Returns the inputs that the projects were found by.
    pub fn surroundings(&self) -> &DiscoveryInputs {
        &self.surroundings
    }

    fn look(&mut self) {
        let surroundings = &self.surroundings;
        (self.all, self.problems, self.files) = self
            .looked
            .around(|looked| find::projects(surroundings, looked));
    }
}

/// The last change of what a path leads to, as a day of UTC.
fn day(looked: &mut DiskCache, path: &Path) -> Option<String> {
    let changed = looked.place(path)?.stamp.modified;
    let time = jiff::Timestamp::from_nanosecond(changed).ok()?;
    Some(time.strftime("%Y-%m-%d").to_string())
}
