//! Watches a folder while an agent works, and acts after changes, but not too often.

use std::os::fd::BorrowedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use chant_store::changes::{ChangedFiles, FolderWatch};

/// The delay after a change, so that changes that follow closely are handled together.
const SETTLE_TIME: Duration = Duration::from_secs(1);
/// The time between two checks where the system does not announce changes.
const POLL_INTERVAL: Duration = Duration::from_secs(30);

/// A watched folder, with the action after a change in it.
pub struct FolderObserver<'a> {
    watch: FolderWatch,
    look: Box<dyn FnMut() + 'a>,
    due: Option<Instant>,
    beside: Option<RepeatedAction<'a>>,
}

/// An action that is repeated whatever changes.
struct RepeatedAction<'a> {
    act: Box<dyn FnMut() + 'a>,
    every: Duration,
    due: Instant,
}

impl<'a> FolderObserver<'a> {
    /// Watches a folder; `look` is called after a change.
    pub fn at(folder: &Path, look: impl FnMut() + 'a) -> Self {
        let watch = FolderWatch::start(folder);
        Self {
            watch,
            look: Box::new(look),
            // The agent may have been faster than the watch.
            due: Some(Instant::now() + SETTLE_TIME),
            beside: None,
        }
    }

    /// Adds an action that is repeated.
    #[must_use]
    pub fn beside(mut self, every: Duration, act: impl FnMut() + 'a) -> Self {
        self.beside = Some(RepeatedAction {
            act: Box::new(act),
            every,
            due: Instant::now() + every,
        });
        self
    }

    /// Returns the descriptor that is readable after a change; `None` while a check is due anyway.
    pub(super) fn wakes(&self) -> Option<BorrowedFd<'_>> {
        self.watch.wakes().filter(|_| self.due.is_none())
    }

    /// Takes note of changes.
    pub(super) fn notice(&mut self) {
        let is_nothing =
            matches!(self.watch.take(), ChangedFiles::Files(files) if files.is_empty());
        if !is_nothing && self.due.is_none() {
            self.due = Some(Instant::now() + SETTLE_TIME);
        }
    }

    /// Returns the time until something is due.
    pub(super) fn time_left(&self) -> Option<Duration> {
        let beside = self.beside.as_ref().map(|beside| beside.due);
        let next = self.due.into_iter().chain(beside).min();
        next.map(|due| due.saturating_duration_since(Instant::now()))
    }

    /// Does what is due.
    pub(super) fn look_when_due(&mut self) {
        if let Some(beside) = self
            .beside
            .as_mut()
            .filter(|beside| beside.due <= Instant::now())
        {
            (beside.act)();
            beside.due = Instant::now() + beside.every;
        }
        if self.due.is_none_or(|due| due > Instant::now()) {
            return;
        }
        // A change during the action causes another one.
        self.due = (!self.watch.is_trusted()).then(|| Instant::now() + POLL_INTERVAL);
        let _ = self.watch.take();
        (self.look)();
    }
}
