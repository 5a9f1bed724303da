//! What is wrong with the folder for our own state.

use super::Project;
use chant_base::document_problem::DocumentProblem;
use chant_store::disk::FileSystemProbe;

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
}
