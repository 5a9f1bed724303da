//! The variables of the processes of a run, and what their git ignores.

use std::path::{Path, PathBuf};

use super::agent_launch::LaunchInputs;
use super::committer::committer_variables;
use crate::agents::environment::{self, AgentContext, EnvironmentMap};
use crate::item_order::key_of_order;
use crate::project::folders::IGNORED;
use crate::prompt::PromptWorktree;
use chant_base::error::Error;

impl LaunchInputs<'_> {
    /// Returns the variables of a process of the run.
    ///
    /// # Errors
    /// A `StoreError`.
    pub(super) fn environment(
        &self,
        server: Option<&Path>,
        mut variables: EnvironmentMap,
    ) -> Result<EnvironmentMap, Error> {
        let (project, worktree) = (shown(self.project.root()), shown(&self.place.worktree));
        let spec_file = shown(&self.place.root.join(&self.place.spec));
        let server = server.map(shown);
        let item = key_of_order(self.spec)?;
        let described = environment::variables(&AgentContext {
            spec_id: self.spec.id.as_str(),
            spec_file: &spec_file,
            project: &project,
            worktree: Some(PromptWorktree {
                path: &worktree,
                branch: &self.place.branch,
            }),
            mcp_config: server.as_deref(),
            prompt: None,
            item: item.as_deref(),
        });
        variables.extend(committer_variables(self.project, self.repo)?);
        variables.extend(
            described
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value)),
        );
        if !self.place.is_tracked || !self.config.runs.environment.recipes.is_empty() {
            let ignored = shown(&self.ignored()?);
            let setting = [
                ("GIT_CONFIG_COUNT", "1".to_owned()),
                ("GIT_CONFIG_KEY_0", "core.excludesFile".to_owned()),
                ("GIT_CONFIG_VALUE_0", ignored),
            ];
            variables.extend(setting.map(|(name, value)| (name.to_owned(), value)));
        }
        Ok(variables)
    }

    /// Returns the list of files that the agent's git ignores: the user's own, the copy of a spec that git does not
    /// track, and what recipes install.
    fn ignored(&self) -> Result<PathBuf, Error> {
        let variable = |name: &str| self.project.environment.get(name).map(PathBuf::from);
        let usual = || {
            let home = variable("HOME").map(|home| home.join(".config"));
            let config = variable("XDG_CONFIG_HOME").or(home);
            config.map(|config| config.join("git").join("ignore"))
        };
        let users = self.repo.excludes_file()?.or_else(usual).map(|path| {
            let read = self
                .project
                .disk
                .clone()
                .anywhere()
                .read_text(&path, &path.display().to_string());
            read.map(|(text, _)| text).unwrap_or_default()
        });
        let mut text = format!("{}\n", users.unwrap_or_default());
        if !self.place.is_tracked {
            text.push_str(&format!("/{}\n", self.place.spec_in_git));
        }
        // What recipes install is no work of the agent's.
        let top = self.place.root.strip_prefix(&self.place.worktree);
        let top = top.map(shown).unwrap_or_default();
        for pattern in self.config.runs.environment.installed_patterns(&top) {
            text.push_str(&format!("{pattern}\n"));
        }
        self.write_beside(IGNORED, &text)
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
