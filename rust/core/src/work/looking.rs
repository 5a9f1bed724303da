//! Looking at what an agent does while it works: when something changed, and not too often.

use std::os::fd::BorrowedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::store::changes::{Changed, Watch};

/// How long after a change it is looked at: what follows closely is seen in the same look.
const SETTLE: Duration = Duration::from_secs(1);
/// How often it is looked at where changes are not announced.
const INTERVAL: Duration = Duration::from_secs(30);

/// A folder that is watched, and what is done when something changes in it.
pub struct Looking<'a> {
    watch: Watch,
    look: Box<dyn FnMut() + 'a>,
    due: Option<Instant>,
    beside: Option<Repeated<'a>>,
}

/// What is done again and again, whatever changes.
struct Repeated<'a> {
    act: Box<dyn FnMut() + 'a>,
    every: Duration,
    due: Instant,
}

impl<'a> Looking<'a> {
    /// Watches a folder; `look` is called after a change.
    pub fn at(folder: &Path, look: impl FnMut() + 'a) -> Self {
        let watch = Watch::start(folder);
        Self {
            watch,
            look: Box::new(look),
            // The agent may have been quicker than the watch.
            due: Some(Instant::now() + SETTLE),
            beside: None,
        }
    }

    /// Has something done again and again.
    #[must_use]
    pub fn beside(mut self, every: Duration, act: impl FnMut() + 'a) -> Self {
        self.beside = Some(Repeated {
            act: Box::new(act),
            every,
            due: Instant::now() + every,
        });
        self
    }

    /// What is readable when something changed; `None` while a look is due anyway.
    pub(super) fn wakes(&self) -> Option<BorrowedFd<'_>> {
        self.watch.wakes().filter(|_| self.due.is_none())
    }

    /// Takes note of changes.
    pub(super) fn notice(&mut self) {
        let is_nothing = matches!(self.watch.take(), Changed::Files(files) if files.is_empty());
        if !is_nothing && self.due.is_none() {
            self.due = Some(Instant::now() + SETTLE);
        }
    }

    /// How long until something is due.
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
        // What changes while we look is looked at again.
        self.due = (!self.watch.is_trusted()).then(|| Instant::now() + INTERVAL);
        let _ = self.watch.take();
        (self.look)();
    }
}
