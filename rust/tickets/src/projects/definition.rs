//! The definition of a project, in its own file or in the registry (reference 1.2, 1.3).

use std::path::{Component, Path, PathBuf};

use toml::Table;

use super::table::TableKeys;
use super::{ProjectFault, ProjectProblem};
use chant_store::{disk, files};

/// The tickets folder where nothing is said.
pub const TICKETS: &str = "docs/CRs";

/// The file with the next number where nothing is said.
pub(super) const COUNTER: &str = ".mdt-next";

/// The keys of a `[project]` table; `None` where a key is missing or of the wrong kind.
#[derive(Debug, Default)]
pub(super) struct ProjectDefinition {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) code: Option<String>,
    pub(super) tickets: Option<String>,
    pub(super) start_number: Option<u32>,
    pub(super) counter_file: Option<String>,
    pub(super) description: Option<String>,
    pub(super) repository: Option<String>,
    pub(super) active: Option<bool>,
    /// True if tickets are read where they are worked on: `enabled` of `[worktree]`.
    pub(super) uses_worktrees: Option<bool>,
}

impl ProjectDefinition {
    /// Reads what a project's own file says. Its `path` is that of the tickets unless `ticketsPath`
    /// says otherwise; in a record of the registry it is the project's folder.
    pub(super) fn of_project(
        file: &str,
        table: &Table,
        problems: &mut Vec<ProjectProblem>,
    ) -> Self {
        let mut definition = Self::of_record(file, table, problems);
        if definition.tickets.is_none() {
            definition.tickets = TableKeys::of(file, table, "project.", problems).text("path");
        }
        definition
    }

    /// Reads the keys that mean the same in both.
    fn of_record(file: &str, table: &Table, problems: &mut Vec<ProjectProblem>) -> Self {
        let at_top = TableKeys::of_file(file, table, problems).flag("active");
        let uses_worktrees = TableKeys::of(file, table, "worktree.", problems).flag("enabled");
        let mut keys = TableKeys::of(file, table, "project.", problems);
        Self {
            id: keys.text("id"),
            name: keys.text("name"),
            code: keys.text("code"),
            tickets: keys.text("ticketsPath"),
            start_number: keys.number("startNumber"),
            counter_file: keys.text("counterFile"),
            description: keys.text("description"),
            repository: keys.text("repository"),
            active: keys.flag("active").or(at_top),
            uses_worktrees,
        }
    }

    /// These keys, and those of a further file that are not among them. A project is inactive where
    /// either says so.
    pub(super) fn or(self, further: Self) -> Self {
        Self {
            id: self.id.or(further.id),
            name: self.name.or(further.name),
            code: self.code.or(further.code),
            tickets: self.tickets.or(further.tickets),
            start_number: self.start_number.or(further.start_number),
            counter_file: self.counter_file.or(further.counter_file),
            description: self.description.or(further.description),
            repository: self.repository.or(further.repository),
            uses_worktrees: self.uses_worktrees.or(further.uses_worktrees),
            active: match (self.active, further.active) {
                (Some(one), Some(other)) => Some(one && other),
                (one, other) => one.or(other),
            },
        }
    }
}

/// A file of the registry, in any form that is found in the wild.
#[derive(Debug)]
pub(super) struct RegistryRecord {
    /// The project's folder as written.
    pub(super) path: Option<String>,
    pub(super) definition: ProjectDefinition,
    /// True if this file defines the project, whatever the project's own says.
    pub(super) is_global: bool,
    pub(super) registered: Option<String>,
    pub(super) last_accessed: Option<String>,
    pub(super) version: Option<String>,
}

impl RegistryRecord {
    /// Reads `projectPath` at the top or `path` in `[project]`, and what else there is.
    pub(super) fn read(file: &str, table: &Table, problems: &mut Vec<ProjectProblem>) -> Self {
        let mut top = TableKeys::of_file(file, table, problems);
        let (path_at_top, day_at_top) = (top.text("projectPath"), top.day("dateRegistered"));
        let mut project = TableKeys::of(file, table, "project.", problems);
        let path = path_at_top
            .or_else(|| project.text("path"))
            .or_else(|| project.text("projectPath"));
        let mut metadata = TableKeys::of(file, table, "metadata.", problems);
        Self {
            path,
            is_global: metadata.flag("globalOnly") == Some(true),
            registered: metadata.day("dateRegistered").or(day_at_top),
            last_accessed: metadata.day("lastAccessed"),
            version: metadata.text("version"),
            definition: ProjectDefinition::of_record(file, table, problems),
        }
    }
}

/// A path in a project as it is used: seen from the root, with `/`, `.` for the root itself.
///
/// # Errors
/// Why it is refused: it leaves the root, by its own parts or by links.
pub(super) fn path_in_root(root: &Path, given: &str) -> Result<String, ProjectFault> {
    let leaves = |how: String| ProjectFault::Outside {
        given: given.to_owned(),
        how,
        root: root.to_owned(),
    };
    let written = PathBuf::from(given.replace('\\', "/"));
    let relative = written.strip_prefix(root).unwrap_or(&written);
    let mut parts: Vec<&str> = Vec::new();
    for part in relative.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(part) => parts.extend(part.to_str()),
            Component::ParentDir if parts.pop().is_some() => {}
            _ => return Err(leaves("leads elsewhere".into())),
        }
    }
    if files::is_gits(relative) {
        return Err(leaves("is git's own".into()));
    }
    let mut path = root.to_owned();
    for part in &parts {
        path.push(part);
        if !disk::exists(&path) {
            break;
        }
        match disk::real(&path) {
            Ok(real) if real.starts_with(root) => {}
            Ok(real) => return Err(leaves(format!("is a link to `{}`", real.display()))),
            Err(_) if disk::is_link(&path) => {
                return Err(leaves("is a link that leads nowhere".into()));
            }
            Err(error) => return Err(ProjectFault::Unreadable(error.to_string())),
        }
    }
    Ok(if parts.is_empty() {
        ".".into()
    } else {
        parts.join("/")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_inside_of_the_root() {
        let root = Path::new("/no/such/place");
        for (given, expected) in [
            ("docs/CRs", "docs/CRs"),
            ("./docs//CRs/", "docs/CRs"),
            ("docs/../CRs", "CRs"),
            ("docs\\CRs", "docs/CRs"),
            ("/no/such/place/CRs", "CRs"),
            (".", "."),
        ] {
            assert_eq!(
                path_in_root(root, given).as_deref(),
                Ok(expected),
                "{given}"
            );
        }
        for given in ["../CRs", "docs/../../root2", "/etc", "/no/such/place/../x"] {
            assert!(path_in_root(root, given).is_err(), "{given}");
        }
    }

    #[test]
    fn what_either_file_calls_inactive_is_inactive() {
        let active = |active| ProjectDefinition {
            active,
            ..ProjectDefinition::default()
        };
        for (one, other, expected) in [
            (Some(true), Some(false), Some(false)),
            (None, Some(false), Some(false)),
            (Some(true), None, Some(true)),
            (None, None, None),
        ] {
            assert_eq!(active(one).or(active(other)).active, expected);
        }
    }
}
