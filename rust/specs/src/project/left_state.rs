//! What is wrong with the folder for our own state, and what earlier releases left in a project.

use super::Project;
use chant_base::document_problem::DocumentProblem;
use chant_store::disk::{self, FileSystemProbe};

/// Where earlier releases kept their state in a folder without git.
const OLD_STATE: &str = ".chant-mcp/journal";

impl Project {
    /// Returns the problem with the folder for our own state that a person should know of.
    pub fn state_problem(&self) -> Option<DocumentProblem> {
        let state = self.state().ok()?;
        let message = state.problem()?;
        let inside = state.place()?.strip_prefix(self.root.path()).ok();
        let path = inside.or(state.place())?.display().to_string();
        Some(DocumentProblem::new(path, message))
    }

    /// Returns what the file system of the project was found to be, also in a line; `None` where nothing was written
    /// yet.
    pub fn file_system(&self) -> Option<(FileSystemProbe, String)> {
        let state = self.state().ok()?;
        let probe = state.file_system()?;
        let line = probe.line(state.place()?);
        Some((probe, line))
    }

    /// Notes a change of several files that an earlier release left in a folder without git: what lies in the
    /// project is not gone by any more.
    pub(super) fn note_left_journal(&self) {
        let folder = self.root.path().join(OLD_STATE);
        let names = disk::names(&folder).unwrap_or_default();
        let is_left =
            |one: &disk::FolderEntry| disk::exists(&folder.join(&one.name).join("intent.json"));
        if names.iter().any(is_left) {
            self.unfinished().push(DocumentProblem::new(OLD_STATE, "an earlier release left a change of several files half done; it is not finished any more, because a folder's own files are not gone by. Look at the texts in there, and remove `.chant-mcp`"));
        }
    }
}
