//! Remains of crashes and failing disks in a project: changes of several files, and temporary files.

use std::sync::MutexGuard;
use std::time::Instant;

use super::{ARCHIVE, Project};
use chant_base::document_problem::DocumentProblem;
use chant_base::error::Error;
use chant_store::disk::{self, TICK};
use chant_store::journal::LeftChange;
use chant_store::state::StateFolder;
use chant_store::undecided;

/// Folders in which we write and which no listing goes through.
const FOLDERS: [&str; 6] = [
    "", ".chant", ".chant/logs", ".chant/processes", ".chant/prompts", ".chant/archive",
];

fn problem_of(left: LeftChange) -> DocumentProblem {
    DocumentProblem::new(left.path, left.message)
}

impl Project {
    /// Finishes changes of several files that were interrupted: by a crash, or by a disk that failed so
    /// that they could not even be taken back.
    pub(super) fn finish_interrupted(&self, state: &StateFolder) -> Result<(), Error> {
        let journal = self.journal(Some(state), &self.root, &[]);
        let stuck = journal.stuck_changes(&journal.recover()?);
        let mut known = self.unfinished();
        for problem in stuck.into_iter().map(problem_of) {
            // Every change finds again what still blocks it.
            if !known.contains(&problem) {
                known.push(problem);
            }
        }
        Ok(())
    }

    /// Finishes changes of several files that were interrupted, as the next change would.
    ///
    /// # Errors
    /// That there is no place for our own state, or that it cannot be read.
    pub fn settle_journal(&self) -> Result<(), Error> {
        self.finish_interrupted(&self.state()?)
    }

    /// Tries once more to settle what a failing disk left undecided.
    pub(super) fn settle_undecided(&self) -> Result<(), Error> {
        if !undecided::are_any() {
            return Ok(());
        }
        self.state()
            .map_or(Ok(()), |state| self.finish_interrupted(&state))
    }

    /// Removes what dead processes of ours left in the folders that no listing goes through.
    pub(super) fn sweep(&self) {
        let folders = FOLDERS.iter().filter_map(|it| self.root.locate(it).ok());
        folders.for_each(|folder| disk::sweep_folder(&folder));
        if let Ok(archive) = self.root.locate(ARCHIVE) {
            let days = disk::names(&archive).unwrap_or_default().into_iter();
            let days = days.filter(|day| day.is_folder);
            days.for_each(|day| disk::sweep_folder(&archive.join(day.name)));
        }
        if let Ok(state) = self.state() {
            let parts = [
                "staged".to_owned(),
                state.in_checkout("processes"),
                state.in_project("tokens"),
            ];
            let parts = parts.iter().filter_map(|part| state.read(part));
            parts.for_each(|part| disk::sweep_folder(&part));
        }
    }

    pub(super) fn unfinished(&self) -> MutexGuard<'_, Vec<DocumentProblem>> {
        let problems = self.unfinished.lock();
        problems.unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Where our own state lies, as it was found out a moment ago.
    pub fn known_state(&self) -> Option<StateFolder> {
        let known = self.known_state.lock();
        let mut known = known.unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((state, at)) = &*known
            && at.elapsed() < TICK
        {
            return Some(state.clone());
        }
        // A repository that cannot be read has its own error.
        let state = self.state().ok()?;
        *known = Some((state.clone(), Instant::now()));
        Some(state)
    }

    /// Returns the problems to report about changes of several files that were interrupted.
    pub fn interruptions(&self) -> Vec<DocumentProblem> {
        let left = self
            .journal(self.known_state().as_ref(), &self.root, &[])
            .left_changes();
        let mut problems = self.unfinished().clone();
        problems.extend(left.into_iter().map(problem_of));
        problems
    }
}
