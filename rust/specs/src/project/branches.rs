//! Where the work on specs lies in git: the branches of runs, and the project's folder in the repository.

use chant_git::Repo;
use chant_store::disk;
use chant_store::state::escape_name;

use super::{Project, ProjectSnapshot};
use crate::model::Spec;

impl ProjectSnapshot {
    /// The branch that carries a spec's work: the one it names, else the runtime's own.
    pub fn branch_of(&self, spec: &Spec) -> String {
        spec.branch
            .as_deref()
            .map_or_else(|| self.own_branch(spec), str::to_owned)
    }

    /// The branch that the runtime makes for a spec.
    pub fn own_branch(&self, spec: &Spec) -> String {
        self.own_branch_of(spec.id.as_str())
    }

    /// Returns true if the runtime makes a branch of this name for a spec, which goes when its work has landed.
    pub fn is_run_branch(&self, branch: &str) -> bool {
        self.specs
            .all()
            .iter()
            .any(|spec| self.own_branch(spec) == branch)
    }

    /// The branch that the runtime makes for the spec of an ID.
    pub fn own_branch_of(&self, id: &str) -> String {
        let prefix = self
            .config
            .as_ref()
            .map_or("chant/", |config| config.branch_prefix.as_str());
        format!("{prefix}{}", escape_name(id))
    }
}

impl Project {
    /// A path of the project as the repository's trees name it; `None` for a project outside its
    /// checkout.
    pub fn path_in_repository(&self, repo: &Repo, path: &str) -> Option<String> {
        let top = disk::real(repo.checkout()?).ok()?;
        let inside = self.root.path().strip_prefix(&top).ok()?;
        let inside = inside.to_str()?.replace('\\', "/");
        Some(if inside.is_empty() {
            path.to_owned()
        } else {
            format!("{inside}/{path}")
        })
    }
}
