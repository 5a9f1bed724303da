//! The part that a file of landed work plays: code, a judge of it, or nothing that can go stale.

use chant_evidence::{FileClass, class_of, path_matcher};

/// The roles of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    /// Its lines are code.
    Code,
    /// It judges the work: tests, their data, and what configures them.
    Judge,
    /// It holds words, plans, or what a tool writes.
    Words,
}

/// The part of a project's files that plans are in.
const PLANS: &str = ".chant/";

/// Says which role a file has.
pub struct FileRoles {
    /// The project's folder in the repository, with a `/` at its end; empty for the top.
    inside: String,
    is_judge: Box<dyn Fn(&str) -> bool>,
}

impl FileRoles {
    /// Takes the project's folder and its own patterns of files that judge.
    pub fn new(inside: String, judges: &[String]) -> Self {
        Self {
            inside,
            is_judge: Box::new(path_matcher(judges)),
        }
    }

    /// Returns the role of a file, by its path from the top of the repository.
    pub fn of(&self, path: &str) -> FileRole {
        let path = path.strip_prefix(&self.inside).unwrap_or(path);
        match class_of(path) {
            _ if path.starts_with(PLANS) => FileRole::Words,
            _ if (self.is_judge)(path) => FileRole::Judge,
            FileClass::Words | FileClass::Lock => FileRole::Words,
            class if class.is_judge() => FileRole::Judge,
            _ => FileRole::Code,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_words_and_pinned_versions_go_never_stale() {
        let roles = FileRoles::new("app/".into(), &["checks/**".into()]);
        for (path, role) in [
            ("app/.chant/config.md", FileRole::Words),
            ("app/docs/a.md", FileRole::Words),
            ("app/Cargo.lock", FileRole::Words),
            ("app/src/a.py", FileRole::Code),
            ("app/Makefile", FileRole::Code),
            ("app/tests/test_a.py", FileRole::Judge),
            ("app/checks/a.py", FileRole::Judge),
            ("checks/a.py", FileRole::Judge),
        ] {
            assert_eq!(roles.of(path), role, "{path}");
        }
    }
}
