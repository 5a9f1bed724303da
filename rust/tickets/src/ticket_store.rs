//! The tickets of one project as they lie on disk: read afresh before every answer, changed one at a
//! time.
//!
//! Every change of ours holds the lock of the tickets folder while it decides and writes, so that
//! what it decided on (numbers, other tickets) stays true until it is done.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use jiff::Timestamp;

use super::code::{TicketCode, number_taken};
use super::error::{TicketError, quoted};
use super::model::Ticket;
use super::number::{CounterReading, counter};
use super::parse::{self, ParsedTicket};
use super::ticket_index::TicketIndex;
use super::worked_on::{Home, Workplaces};
use chant_base::document_problem::DocumentProblem;
use chant_base::error::Error;
use chant_base::external_items::ExternalItems;
use chant_base::number_claims::NumberClaims;
use chant_git::{GitError, Repo};
use chant_places::missing_folders;
use chant_places::state_place::state_of;
use chant_store::StoreError;
use chant_store::disk::{self, Disk, LOCK_TIMEOUT, Lock};
use chant_store::files::{self, RootFolder};
use chant_store::index::DocumentIndex;
use chant_store::journal::{ChangeJournal, LeftChange};
use chant_store::state::StateFolder;
use chant_store::undecided;

/// Where a project lies and how it numbers its tickets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectLocation {
    /// The project's name in lists of projects.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// The code that its tickets' codes begin with.
    pub code: String,
    /// Its folder.
    pub root: PathBuf,
    /// The folder of its tickets, relative to `root`, with `/`.
    pub tickets: String,
    /// The first number.
    pub start_number: u32,
    /// The file that holds the next number, relative to `root`.
    pub counter_file: String,
    /// True if a ticket is read and changed in the worktree that it is worked on in.
    pub uses_worktrees: bool,
}

/// Returns the time.
pub type TicketClock = fn() -> Timestamp;

/// One project's tickets, opened once; every answer is as of the moment it is asked for.
pub struct TicketStore {
    pub(super) place: ProjectLocation,
    pub(super) root: RootFolder,
    /// The tickets folder relative to the root; empty for the root itself.
    pub(super) folder: String,
    pub(super) disk: Disk,
    /// Where changes of several files are recorded.
    pub(super) state: StateFolder,
    /// The repository that the project lies in.
    repo: Option<Repo>,
    clock: TicketClock,
    known: Mutex<TicketCache>,
    /// The source of items of other dialects.
    outside: ExternalItems,
    /// Who gives numbers, where several clones share them.
    pub(super) numbers: Option<Arc<dyn NumberClaims>>,
}

/// The tickets as they were read so far.
struct TicketCache {
    index: DocumentIndex<ParsedTicket>,
    tickets: Arc<TicketIndex>,
    /// True if the folder was there when it was looked for last, or at all.
    was_there: bool,
    /// The highest number that was read from the folder before it vanished.
    lost: Option<u64>,
    /// Where tickets are worked on.
    workplaces: Workplaces,
}

impl TicketStore {
    /// Opens a project's tickets; their folder need not exist yet.
    ///
    /// # Errors
    /// `StoreError` when the project's folder does not exist, or the tickets folder would lie outside.
    pub fn open(place: ProjectLocation, disk: Disk, clock: TicketClock) -> Result<Self, Error> {
        let root = RootFolder::open(&place.root)?;
        let parts = place.tickets.split('/');
        let parts: Vec<&str> = parts.filter(|part| !matches!(*part, "" | ".")).collect();
        let folder = parts.join("/");
        let is_inside = !place.tickets.starts_with('/') && !parts.contains(&"..");
        if !is_inside {
            return Err(StoreError::Outside {
                path: place.tickets,
                root: root.path().display().to_string(),
            }
            .into());
        }
        let known = TicketCache::new(&disk, &root, &folder, &place.code);
        let repo = Repo::open(root.path()).ok().flatten();
        let state = state_of(&root, repo.as_ref(), &disk);
        disk::sweep_folder(root.path());
        Ok(Self {
            disk: disk.staging_in(&state).within(root.path()),
            state,
            repo,
            place,
            root,
            folder,
            clock,
            known: Mutex::new(known),
            outside: ExternalItems::default(),
            numbers: None,
        })
    }

    /// The same store, which asks about items of other dialects that tickets name.
    #[must_use]
    pub fn with_external(self, outside: ExternalItems) -> Self {
        Self { outside, ..self }
    }

    /// The same store, whose new tickets get numbers that no other clone gives.
    #[must_use]
    pub fn with_numbers(self, numbers: Arc<dyn NumberClaims>) -> Self {
        Self {
            numbers: Some(numbers),
            ..self
        }
    }

    /// Where the project lies and how it numbers.
    pub fn place(&self) -> &ProjectLocation {
        &self.place
    }

    /// Finishes changes of several files that a crash left.
    ///
    /// # Errors
    /// `StoreError` when the journal cannot be listed.
    pub(super) fn recover(&self) -> Result<(), StoreError> {
        self.journal(&[]).recover().map(drop)
    }

    pub(super) fn journal<'a>(&'a self, gates: &'a [PathBuf]) -> ChangeJournal<'a> {
        ChangeJournal {
            disk: &self.disk,
            root: &self.root,
            state: Some(&self.state),
            gates,
        }
    }

    /// The tickets as of now: whatever was written before this call is in it. Without the folder there
    /// are none; one that was there and is gone is a problem.
    ///
    /// # Errors
    /// `StoreError` when the folder cannot be listed or leads out of the project.
    pub fn snapshot(&self) -> Result<Arc<TicketIndex>, Error> {
        if undecided::are_any() {
            self.recover()?;
        }
        let mut known = self.known();
        let (changes, is_there) = match known.index.refresh() {
            Err(StoreError::Missing { .. }) => {
                let highest = known.tickets.highest();
                known.lost = known.lost.max(highest);
                (known.index.clear(), false)
            }
            changes => (changes?, true),
        };
        known.was_there |= is_there;
        if !changes.is_empty() {
            Arc::make_mut(&mut known.tickets).apply(changes);
        }
        self.look_elsewhere(&mut known);
        let vanished = if is_there {
            None
        } else {
            self.vanished(known.was_there)
        };
        if known.tickets.vanished() != vanished.as_ref() {
            Arc::make_mut(&mut known.tickets).set_vanished(vanished);
        }
        let left = self.left();
        if known.tickets.left() != left {
            Arc::make_mut(&mut known.tickets).set_left(left);
        }
        let named = known.tickets.waits().named_outside();
        let standings = self.outside.standings(&named);
        if !known.tickets.waits().knows(&standings) {
            Arc::make_mut(&mut known.tickets).found_outside(standings);
        }
        Ok(known.tickets.clone())
    }

    /// Changes of several files that could be brought to no end.
    fn left(&self) -> Vec<DocumentProblem> {
        let left = self.journal(&[]).left_changes().into_iter();
        let problem = |left: LeftChange| DocumentProblem::new(left.path, left.message);
        left.map(problem).collect()
    }

    /// Takes in the tickets that are worked on in worktrees.
    fn look_elsewhere(&self, known: &mut TicketCache) {
        let Some(repo) = self.repo.as_ref().filter(|_| self.place.uses_worktrees) else {
            return;
        };
        let home = Home {
            repo,
            root: self.root.path(),
            place: &self.place,
            disk: &self.disk,
            clock: self.clock,
        };
        let worked_on = known.workplaces.look(&home);
        if !known
            .tickets
            .is_worked_on(&worked_on.tickets, &worked_on.problems)
        {
            let tickets = Arc::make_mut(&mut known.tickets);
            tickets.work_on(worked_on.tickets, worked_on.problems);
        }
    }

    /// The tickets of the worktree that holds a file; `None` for one of our own.
    pub(super) fn workplace_of(&self, path: &str) -> Option<Arc<Self>> {
        if !is_elsewhere(path) {
            return None;
        }
        self.known().workplaces.board_of(path)
    }

    /// Refuses a project that is not in a folder, links resolved.
    pub(super) fn refuse_outside(&self, folder: &Path) -> Result<(), StoreError> {
        let real = disk::real(folder)?;
        if self.root.path().starts_with(&real) {
            return Ok(());
        }
        Err(StoreError::Outside {
            path: self.root.path().display().to_string(),
            root: real.display().to_string(),
        })
    }

    /// The highest number that the name of something in the folder begins with which is no ticket's file,
    /// as of the last snapshot.
    pub(super) fn number_beside(&self) -> Option<u64> {
        let known = self.known();
        let numbers = known
            .index
            .others()
            .filter_map(|name| number_taken(name, &self.place.code));
        numbers.max()
    }

    /// Returns the problem where the tickets folder is not there: it was, as this process, git or the counter
    /// knows.
    fn vanished(&self, was_there: bool) -> Option<DocumentProblem> {
        let code = &self.place.code;
        let is_ticket = |name: &str| number_taken(name, code).is_some();
        let repo = self.repo.as_ref();
        let of_counter = || match counter(self) {
            CounterReading::At(next) if next > u64::from(self.place.start_number).max(1) => {
                let file = &self.place.counter_file;
                Some(format!(
                    "`{file}` says that numbers below {next} were given"
                ))
            }
            _ => None,
        };
        let evidence =
            missing_folders::evidence_of_loss(repo, &self.root, &self.folder, was_there, is_ticket);
        let evidence = evidence.or_else(of_counter)?;
        Some(DocumentProblem::new(
            self.folder.as_str(),
            missing_folders::loss_message("tickets", &self.folder, &evidence),
        ))
    }

    /// The highest number of the project that git knows in the tickets folder.
    pub(super) fn number_in_git(&self) -> Option<u64> {
        // A repository that cannot be read says nothing, and blocks no ticket.
        self.numbers_in_git().ok()?.into_iter().max()
    }

    /// The numbers of the project that git knows in the tickets folder: in the newest commit of any branch, or in
    /// the index.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub(super) fn numbers_in_git(&self) -> Result<Vec<u64>, GitError> {
        let Some(repo) = &self.repo else {
            return Ok(Vec::new());
        };
        let folder = self.root.path().join(&self.folder);
        let names = repo.names_in_branches(&folder, "")?;
        let names = names.iter();
        Ok(names
            .filter_map(|name| number_taken(name, &self.place.code))
            .collect())
    }

    /// The time, in seconds since 1970.
    pub(super) fn seconds(&self) -> i64 {
        (self.clock)().as_second()
    }

    /// The highest number that this process read from the folder before that vanished.
    pub(super) fn number_lost(&self) -> Option<u64> {
        self.known().lost
    }

    /// Returns the cache, started again when a crash interrupted its holder.
    fn known(&self) -> MutexGuard<'_, TicketCache> {
        self.known.lock().unwrap_or_else(|poisoned| {
            let mut known = poisoned.into_inner();
            *known = TicketCache::new(&self.disk, &self.root, &self.folder, &self.place.code);
            self.known.clear_poison();
            known
        })
    }

    /// The code of the ticket that a key stands for; never a part of one.
    ///
    /// # Errors
    /// `Validation` for a text that is no key, `NotFound`, or `Unreadable`.
    pub fn resolve(&self, tickets: &TicketIndex, key: &str) -> Result<TicketCode, TicketError> {
        let project = &*self.place.code;
        let Some(code) = TicketCode::asked(key, project) else {
            let example = TicketCode::new(project, 7);
            let why = format!(
                "{} is no key; expected a code such as {example} or its number",
                quoted(key)
            );
            return Err(TicketError::invalid("key", why));
        };
        if !tickets.files(&code).is_empty() {
            return Ok(code);
        }
        if let Some(broken) = tickets.broken_of(&code) {
            return Err(TicketError::Unreadable {
                key: code.to_string(),
                path: self.absolute(&broken.problem.path),
                why: broken.problem.message.clone(),
            });
        }
        Err(TicketError::NotFound {
            key: code.to_string(),
            project: project.to_owned(),
            available: tickets.codes().map(ToString::to_string).collect(),
        })
    }

    /// The one file of the ticket that a key stands for.
    ///
    /// # Errors
    /// As [`TicketStore::resolve`], or `Duplicate`.
    pub(super) fn only_file(
        &self,
        tickets: &TicketIndex,
        key: &str,
    ) -> Result<(TicketCode, Arc<Ticket>), TicketError> {
        let code = self.resolve(tickets, key)?;
        match tickets.files(&code) {
            [ticket] => Ok((code, ticket.clone())),
            files => Err(TicketError::Duplicate {
                key: code.to_string(),
                files: files.iter().map(|file| self.absolute(&file.path)).collect(),
            }),
        }
    }

    /// Takes the lock that every change of ours holds; makes the tickets folder where it is missing.
    pub(super) fn folder_lock(&self) -> Result<Lock, Error> {
        Ok(Lock::acquire(
            &self.made_folder()?,
            Instant::now() + LOCK_TIMEOUT,
        )?)
    }

    /// The tickets folder, made where it is missing.
    pub(super) fn made_folder(&self) -> Result<PathBuf, StoreError> {
        if !self.folder.is_empty() {
            files::make_folder(&self.root, &self.folder)?;
        }
        self.root.locate(&self.folder)
    }

    /// The moment as files and answers have it: UTC, milliseconds.
    pub(super) fn now(&self) -> String {
        iso((self.clock)())
    }

    /// The path of something below the tickets folder, relative to the root.
    pub(super) fn within(&self, name: &str) -> String {
        if self.folder.is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", self.folder)
        }
    }

    /// A path of the project as answers show it.
    pub(super) fn absolute(&self, path: &str) -> String {
        self.root.path().join(path).display().to_string()
    }

    /// When a ticket was written: as it says, else when its file was made or last changed.
    pub(super) fn date_created(&self, ticket: &Ticket) -> Option<String> {
        let file = self.root.path().join(&*ticket.path);
        let born = || {
            disk::created_at(&file)
                .or_else(|| modified(&file))
                .and_then(at)
        };
        stated_date(ticket.date_created.as_deref()).or_else(born)
    }

    /// When a ticket was last changed: as it says, else when its file was.
    pub(super) fn last_modified(&self, ticket: &Ticket) -> Option<String> {
        let file = self.root.path().join(&*ticket.path);
        stated_date(ticket.last_modified.as_deref()).or_else(|| modified(&file).and_then(at))
    }
}

impl TicketCache {
    fn new(disk: &Disk, root: &RootFolder, folder: &str, project: &str) -> Self {
        let index = DocumentIndex::new(disk.clone(), root.clone(), folder, ".md", parse::document);
        Self {
            index: index.flat(),
            tickets: Arc::new(TicketIndex::new(project)),
            was_there: false,
            lost: None,
            workplaces: Workplaces::default(),
        }
    }
}

/// Returns true if a ticket's file lies in a worktree: other paths are relative.
pub(super) fn is_elsewhere(path: &str) -> bool {
    Path::new(path).is_absolute()
}

fn stated_date(date: Option<&str>) -> Option<String> {
    date.map(str::to_owned)
}

fn modified(file: &Path) -> Option<i128> {
    disk::stamp(file).map(|stamp| stamp.modified)
}

fn at(nanoseconds: i128) -> Option<String> {
    Timestamp::from_nanosecond(nanoseconds).ok().map(iso)
}

fn iso(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
