//! Which programs of agents are on this machine. Nothing is started to find that out.

use std::path::PathBuf;

use super::Agent;
use super::built_in::ProgramName;
use crate::dialects::chant::project::Project;
use crate::store::disk;

impl Agent {
    /// The agent behind the first of its programs that is there.
    #[must_use]
    pub fn located(&self, project: &Project) -> Self {
        let mut programs = self.programs().iter();
        match programs.find(|own| program(project, own).is_some()) {
            Some(own) => self.clone().behind(own.name),
            None => self.clone(),
        }
    }
}

/// Where a program lies that may be an agent's. Another one of its name is none, and neither is what lies in the
/// project: that is anybody's.
pub fn program(project: &Project, own: &ProgramName) -> Option<PathBuf> {
    let path = project.environment.get("PATH")?;
    let found = which::which_in(own.name, Some(path), project.root()).ok()?;
    let real = disk::real(&found).ok()?;
    let is_it = own.lies_in.is_none_or(|piece| {
        let parts = real
            .components()
            .map(|part| part.as_os_str().to_string_lossy());
        parts.into_iter().any(|part| part.contains(piece))
    });
    (is_it && !found.starts_with(project.root()) && !real.starts_with(project.root()))
        .then_some(found)
}
