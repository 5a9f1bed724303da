//! The environment that our own programs inherit from this process, as it was noted last.
//!
//! Python code may change the variables of the process at any moment, and the C library then moves them in memory:
//! whoever reads them meanwhile from a thread that does not hold Python's lock reads freed memory. So they are noted
//! with that lock held, and nothing else reads them.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use super::environment::keep_absolute_searches;

/// The last noted environment; `None` in a process without Python.
static NOTED: Mutex<Option<Arc<InheritedEnvironment>>> = Mutex::new(None);

/// Variables of this process as of some moment.
#[derive(Debug, Default)]
pub struct InheritedEnvironment {
    variables: BTreeMap<OsString, OsString>,
    /// Where programs were found in the folders of `PATH`.
    programs: Mutex<HashMap<String, PathBuf>>,
}

/// Notes the variables of this process as of now, for all programs that are started from now on.
pub fn note_environment(variables: BTreeMap<OsString, OsString>) {
    let new = InheritedEnvironment::of(variables);
    let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
    if noted
        .as_ref()
        .is_none_or(|old| old.variables != new.variables)
    {
        *noted = Some(Arc::new(new));
    }
}

/// Returns the environment as it was noted last; in a process without Python, that of now.
pub fn inherited_environment() -> Arc<InheritedEnvironment> {
    let noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    noted.unwrap_or_else(|| Arc::new(InheritedEnvironment::of(std::env::vars_os().collect())))
}

impl InheritedEnvironment {
    /// Searches that name other than absolute folders are left out: our programs run in somebody's folder.
    fn of(mut variables: BTreeMap<OsString, OsString>) -> Self {
        let text = |(name, value): (&OsString, &OsString)| {
            Some((name.to_str()?.to_owned(), value.to_str()?.to_owned()))
        };
        let mut searches = variables.iter().filter_map(text).collect();
        keep_absolute_searches(&mut searches);
        variables.retain(|name, value| {
            value.to_str().is_none() || name.to_str().is_none_or(|name| searches.contains_key(name))
        });
        for (name, value) in searches {
            variables.insert(name.into(), value.into());
        }
        Self {
            variables,
            ..Self::default()
        }
    }

    /// Returns the value of a variable.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
    }

    /// Returns a call of a program that inherits all of it but some variables.
    #[expect(clippy::disallowed_methods, reason = "callers start it")]
    pub fn command(&self, program: &str, is_left_out: impl Fn(&str) -> bool) -> Command {
        let mut command = Command::new(self.found(program));
        let kept = self
            .variables
            .iter()
            .filter(|(name, _)| !name.to_str().is_some_and(&is_left_out));
        command.env_clear().envs(kept);
        command
    }

    /// Returns the path of a program. With a path, a process can be started without a copy of this one's memory.
    fn found(&self, program: &str) -> PathBuf {
        if program.contains(std::path::MAIN_SEPARATOR) {
            return program.into();
        }
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = programs.get(program).filter(|known| is_program(known)) {
            return known.clone();
        }
        let folders = self.variable("PATH").map(std::env::split_paths);
        let mut candidates = folders
            .into_iter()
            .flatten()
            .map(|folder| folder.join(program));
        let Some(found) = candidates.find(|path| is_program(path)) else {
            return program.into();
        };
        programs.insert(program.to_owned(), found.clone());
        found
    }
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> InheritedEnvironment {
        let variables = variables.iter();
        InheritedEnvironment::of(
            variables
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }

    #[test]
    fn a_command_has_the_noted_variables_alone() {
        let noted = environment(&[("PATH", ".:/usr/bin:/bin"), ("A", "1"), ("GIT_DIR", "x")]);
        let command = noted.command("sh", |name| name == "GIT_DIR");
        let variables: Vec<_> = command.get_envs().collect();
        let expected = [("A", "1"), ("PATH", "/usr/bin:/bin")];
        assert_eq!(
            variables,
            expected.map(|(name, value)| (OsStr::new(name), Some(OsStr::new(value))))
        );
        assert!(Path::new(command.get_program()).is_absolute());
    }

    #[test]
    fn a_program_that_is_nowhere_keeps_its_name() {
        let noted = environment(&[("PATH", "relative")]);
        assert_eq!(noted.variable("PATH"), None);
        assert_eq!(noted.command("sh", |_| false).get_program(), "sh");
    }
}
