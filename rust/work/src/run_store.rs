//! The records of a project's runs on disk: created once, changed by compare-and-swap, pruned.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use super::WorkError;
use super::lock::{SpecLock, check_name};
use super::run_record::{self, BrokenRecord, RunRecord, file_of, is_run_of, process_of};
use super::state::{self, RunEvent, RunState};
use super::usage::DAY;
use chant_store::StoreError;
use chant_store::disk::{self, Disk};
use chant_store::files::{self, RootFolder};
use chant_store::state::{StateFolder, escape_name};

/// The time for which records of runs that ended are kept.
const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The number of records of runs that ended that are kept.
const MAX_KEPT: usize = 200;
/// The bytes of records of runs that ended that are kept.
const KEPT_BYTES: usize = 64 * 1024 * 1024;
/// The folder of the records in the state folder, a folder a checkout.
const RECORDS: &str = "processes";
/// The folder in there for records that are not credible.
const SET_ASIDE: &str = "set-aside";
/// The folder of the tokens in the state folder, a file a spec.
const TOKENS: &str = "tokens";
/// The folder of the logs in the state folder, a folder a checkout.
const LOGS_FOLDER: &str = "logs";
/// The greatest size of a record in bytes.
const MAX_SIZE: u64 = 16 * 1024 * 1024;
/// The greatest size of a token's file in bytes.
const LARGEST_TOKEN: u64 = 64;

/// The runs of one project.
#[derive(Clone)]
pub struct RunStore {
    /// The disk.
    pub disk: Disk,
    /// The project's root.
    pub root: RootFolder,
    /// The folder for our own state.
    pub state: StateFolder,
    /// The function that gives the present time.
    pub clock: fn() -> Timestamp,
}

impl RunStore {
    /// Returns the folder of the records, if its content is credible; it may not exist yet.
    pub fn folder(&self) -> Option<PathBuf> {
        self.state.read(&self.state.in_checkout(RECORDS))
    }

    /// Returns the folder of the records and creates it if it is missing.
    ///
    /// # Errors
    /// As [`StateFolder::ensure`].
    pub fn ensure_folder(&self) -> Result<PathBuf, StoreError> {
        self.state.ensure(&self.state.in_checkout(RECORDS))
    }

    /// Returns true if there is a record, credible or not.
    pub fn has_records(&self) -> bool {
        let folder = self.folder();
        folder.is_some_and(|folder| !names_in(&folder).unwrap_or_default().is_empty())
    }

    /// Returns every record of ours in the order of their names, and those that are not credible:
    /// nothing follows from them.
    ///
    /// # Errors
    /// A `StoreError` when the folder exists and cannot be listed.
    pub fn all(&self) -> Result<(Vec<RunRecord>, Vec<BrokenRecord>), StoreError> {
        self.named(|_| true)
    }

    /// Returns every credible record of ours in all checkouts of the repository and all projects in it.
    ///
    /// # Errors
    /// A `StoreError` when a folder exists and cannot be listed.
    pub fn all_of_clone(&self) -> Result<Vec<RunRecord>, StoreError> {
        let mut found = Vec::new();
        for checkout in self.folders_below(RECORDS)? {
            for project in self.folders_below(&checkout)? {
                let Some(folder) = self.state.read(&project) else {
                    continue;
                };
                let names = names_in(&folder)?.into_iter();
                let names = names.filter(|name| process_of(name).is_some());
                found.extend(names.filter_map(|name| read(&folder.join(&name), &name).ok()));
            }
        }
        Ok(found)
    }

    fn folders_below(&self, part: &str) -> Result<Vec<String>, StoreError> {
        let Some(folder) = self.state.read(part) else {
            return Ok(Vec::new());
        };
        let names = match disk::names(&folder) {
            Err(StoreError::Missing { .. }) => return Ok(Vec::new()),
            names => names?,
        };
        let folders = names.into_iter().filter(|one| one.is_folder);
        Ok(folders.map(|one| format!("{part}/{}", one.name)).collect())
    }

    /// Returns the records of the runs of one spec in the order of their names. Records of other
    /// specs are not read, so the cost depends only on that spec's runs.
    ///
    /// # Errors
    /// As [`RunStore::all`].
    pub fn of_spec(&self, spec_id: &str) -> Result<Vec<RunRecord>, StoreError> {
        let (mut records, _) = self.named(|process_id| is_run_of(process_id, spec_id))?;
        // The name of a run may fit more than one spec.
        records.retain(|record| record.spec_id == spec_id);
        Ok(records)
    }

    /// Returns the records with the names that are asked for, and those of them that are not
    /// credible.
    fn named(
        &self,
        is_meant: impl Fn(&str) -> bool,
    ) -> Result<(Vec<RunRecord>, Vec<BrokenRecord>), StoreError> {
        let (mut found, mut broken) = (Vec::new(), Vec::new());
        let Some(folder) = self.folder() else {
            return Ok((found, broken));
        };
        let is_meant = |name: &String| process_of(name).is_some_and(&is_meant);
        for name in names_in(&folder)?.into_iter().filter(is_meant) {
            let path = folder.join(&name);
            match read(&path, &name) {
                // It was pruned between the listing and the reading.
                Err(WorkError::Store(StoreError::Missing { .. })) => {}
                Ok(record) => found.push(record),
                Err(error) => broken.push(BrokenRecord {
                    path: self.shown_path(&path),
                    why: why_of(error),
                }),
            }
        }
        Ok((found, broken))
    }

    /// Returns one record.
    ///
    /// # Errors
    /// `Store` when it is missing, `Broken` when it is not credible.
    pub fn get(&self, process_id: &str) -> Result<RunRecord, WorkError> {
        let name = name_of(process_id)?;
        read(&self.there()?.join(&name), &name)
    }

    /// Returns the folder of records, which must exist.
    fn there(&self) -> Result<PathBuf, StoreError> {
        self.folder().ok_or_else(|| StoreError::Missing {
            path: self.state.in_checkout(RECORDS),
        })
    }

    /// Returns every record of ours, and those that are not credible, which it moves to a folder
    /// that is not read again.
    ///
    /// # Errors
    /// A `StoreError`.
    pub fn put_aside(&self) -> Result<(Vec<RunRecord>, Vec<BrokenRecord>), StoreError> {
        let (records, broken) = self.all()?;
        if broken.is_empty() {
            return Ok((records, broken));
        }
        let aside = self.state.in_checkout(RECORDS) + "/" + SET_ASIDE;
        let (folder, aside) = (self.there()?, self.state.ensure(&aside)?);
        for record in &broken {
            let name = Path::new(&record.path).file_name().unwrap_or_default();
            let numbered = |number: u32| {
                let mut name = name.to_owned();
                name.push(format!(".{number}"));
                aside.join(name)
            };
            let places = std::iter::once(aside.join(name)).chain((2..100).map(numbered));
            for place in places {
                match disk::rename_new(folder.join(name), &place) {
                    Err(StoreError::Exists { .. }) => {}
                    // Another process was faster.
                    Ok(()) | Err(StoreError::Missing { .. }) => break,
                    Err(error) => return Err(error),
                }
            }
        }
        Ok((records, broken))
    }

    /// Returns the records that were set aside.
    ///
    /// # Errors
    /// A `StoreError` when their folder exists and cannot be listed.
    pub fn set_aside(&self) -> Result<Vec<BrokenRecord>, StoreError> {
        let Some(folder) = self.folder().map(|folder| folder.join(SET_ASIDE)) else {
            return Ok(Vec::new());
        };
        let names = match disk::names(&folder) {
            Err(StoreError::Missing { .. }) => return Ok(Vec::new()),
            names => names?,
        };
        let broken = |one: disk::FolderEntry| BrokenRecord {
            path: self.shown_path(&folder.join(one.name)),
            why: "it was not trusted and was set aside; look at it, then remove it".into(),
        };
        Ok(names.into_iter().map(broken).collect())
    }

    /// Returns a path as messages show it.
    fn shown_path(&self, path: &Path) -> String {
        let inside = path.strip_prefix(self.root.path());
        inside.unwrap_or(path).display().to_string()
    }

    /// Returns the folder of the logs, if its content is credible; it may not exist yet.
    pub(super) fn log_folder(&self) -> Option<PathBuf> {
        self.state.read(&self.state.in_checkout(LOGS_FOLDER))
    }

    /// Returns the log of a spec's runs, if it is credible and exists.
    pub fn log(&self, spec_id: &str) -> Option<PathBuf> {
        let folder = self.state.read(&self.state.in_checkout(LOGS_FOLDER))?;
        let path = folder.join(log_of(spec_id));
        disk::owned(&path)
            .is_some_and(|facts| facts.is_file && facts.is_own)
            .then_some(path)
    }

    /// Returns the path of the log of a spec's runs and creates its folder.
    ///
    /// # Errors
    /// As [`StateFolder::ensure`].
    pub fn ensure_log(&self, spec_id: &str) -> Result<PathBuf, StoreError> {
        let folder = self.state.ensure(&self.state.in_checkout(LOGS_FOLDER))?;
        Ok(folder.join(log_of(spec_id)))
    }

    /// Returns the newest run that works on a spec.
    ///
    /// # Errors
    /// As [`RunStore::all`].
    pub fn newest_of(&self, spec_id: &str) -> Result<Option<RunRecord>, StoreError> {
        Ok(newest(self.of_spec(spec_id)?))
    }

    /// Refuses a spec on which another run works, or whose last run has work that waits.
    ///
    /// # Errors
    /// `Running`, `Unrecovered`, `Waiting`, or a `StoreError`.
    pub fn refuse_another(&self, spec_id: &str) -> Result<(), WorkError> {
        let records = self.of_spec(spec_id)?;
        refuse_running(&records)?;
        newest(records).map_or(Ok(()), |earlier| attempt_after(&earlier).map(drop))
    }

    /// Starts a run: gives its record the spec's next token and its file. Refused while another run
    /// works on the spec, holds its lock, or has work that waits.
    ///
    /// It continues the count of attempts of an earlier run whose work can be continued. The order
    /// on disk is the token, then the record.
    ///
    /// # Errors
    /// `Running`, `Unrecovered`, `Waiting`, `Held`, or a `StoreError`.
    pub fn create_run(&self, mut record: RunRecord) -> Result<RunRecord, WorkError> {
        if !record.has_agent() {
            return self.create(record);
        }
        // One start at a time: the checks stay true until the record exists. The runner of an
        // active run finds this lock taken only for the time of reading records.
        let _lock = SpecLock::acquire(self, &record.spec_id)?;
        let records = self.of_spec(&record.spec_id)?;
        refuse_running(&records)?;
        if !record.works_on_spec() {
            return self.create(record);
        }
        let last_token = records.iter().map(|record| record.token).max();
        if let Some(earlier) = newest(records) {
            record.attempt = attempt_after(&earlier)?;
        }
        record.token = self.next_token(&record.spec_id, last_token.unwrap_or(0))?;
        self.reached("after-token")?;
        let record = self.create(record)?;
        self.reached("after-record")?;
        Ok(record)
    }

    /// Creates the file of a record, under the first free name.
    fn create(&self, mut record: RunRecord) -> Result<RunRecord, WorkError> {
        let folder = self.ensure_folder()?;
        let name = record.process_id.clone();
        let mut number = 1;
        loop {
            let file = name_of(&record.process_id)?;
            RunRecord::believed(&file, &record.text())
                .map_err(|why| broken(&folder.join(&file), why))?;
            match disk::create_owned(&folder.join(&file), &record.text()) {
                // The system gave the number to another runner of this spec before.
                Err(StoreError::Exists { .. }) => number += 1,
                created => {
                    created?;
                    tracing::info!(run = %record.process_id, spec = %record.spec_id, attempt = record.attempt, "a run was created");
                    self.mirror_record(&record);
                    return Ok(record);
                }
            }
            record.process_id = format!("{name}-{number}");
        }
    }

    /// Returns the next token of a spec: higher than the highest of its records, whatever happened
    /// to the last one.
    fn next_token(&self, spec_id: &str, last: u64) -> Result<u64, WorkError> {
        let tokens = RootFolder::open(&self.state.ensure(&self.state.in_project(TOKENS))?)?;
        let name = escape_name(spec_id);
        let path = tokens.path().join(&name);
        if !disk::exists(&path) {
            match disk::create_owned(&path, &format!("{last}\n")) {
                // Another checkout of the repository was faster.
                Err(StoreError::Exists { .. }) => {}
                created => created?,
            }
        }
        let mut next = 0;
        files::edit(&self.disk, &tokens, &name, |text| {
            next = token_of(&path, text)? + 1;
            Ok::<_, WorkError>(format!("{next}\n"))
        })?;
        Ok(next)
    }

    /// Makes the next token of a spec at least this one: what a remote granted is never given again here.
    ///
    /// # Errors
    /// `Broken`, or a `StoreError`.
    pub fn raise_token(&self, spec_id: &str, next: u64) -> Result<(), WorkError> {
        check_name(spec_id)?;
        let tokens = RootFolder::open(&self.state.ensure(&self.state.in_project(TOKENS))?)?;
        let name = escape_name(spec_id);
        let path = tokens.path().join(&name);
        let last = next.saturating_sub(1);
        if !disk::exists(&path) {
            match disk::create_owned(&path, &format!("{last}\n")) {
                Ok(()) => return Ok(()),
                // Another checkout of the repository was faster.
                Err(StoreError::Exists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        files::edit(&self.disk, &tokens, &name, |text| {
            let known = token_of(&path, text)?;
            Ok::<_, WorkError>(format!("{}\n", known.max(last)))
        })?;
        Ok(())
    }

    /// Returns the token of the newest run of a spec; `None` if there never was one, or its file is
    /// gone. Work is merged only from the record that has it.
    ///
    /// # Errors
    /// `Broken`, or a `StoreError`.
    pub fn token(&self, spec_id: &str) -> Result<Option<u64>, WorkError> {
        check_name(spec_id)?;
        let Some(folder) = self.state.read(&self.state.in_project(TOKENS)) else {
            return Ok(None);
        };
        let path = folder.join(escape_name(spec_id));
        match disk::read_owned(&path, LARGEST_TOKEN) {
            Err(StoreError::Missing { .. }) => Ok(None),
            text => token_of(&path, &text?).map(Some),
        }
    }

    /// Returns true if a run may act: it has an agent and no work to be merged, or its spec has a
    /// token no lower than its own.
    ///
    /// # Errors
    /// As [`RunStore::token`].
    pub fn may_act(&self, record: &RunRecord) -> Result<bool, WorkError> {
        if !record.works_on_spec() {
            return Ok(true);
        }
        let newest = self.token(&record.spec_id)?;
        Ok(record.token > 0 && newest.is_some_and(|newest| newest >= record.token))
    }

    /// Changes a record by a decision about its content at the moment of writing; returns the new
    /// record. `change` may be called again with a newer record. Nothing is written if it changes
    /// nothing.
    ///
    /// # Errors
    /// The error of `change`, `Broken`, or a `StoreError`; the record is then as it was.
    pub fn update(
        &self,
        process_id: &str,
        mut change: impl FnMut(&mut RunRecord) -> Result<(), WorkError>,
    ) -> Result<RunRecord, WorkError> {
        let name = name_of(process_id)?;
        let folder = RootFolder::open(&self.there()?)?;
        let path = folder.path().join(&name);
        // Only a credible record may be edited.
        read(&path, &name)?;
        let mut now = None;
        let edited = files::edit(&self.disk, &folder, &name, |text| {
            let old = RunRecord::believed(&name, text).map_err(|why| broken(&path, why))?;
            let mut new = old.clone();
            change(&mut new)?;
            if new == old {
                now = Some(old);
                return Ok(text.to_owned());
            }
            new.generation = old.generation + 1;
            new.updated_at = run_record::stamp((self.clock)());
            let text = new.text();
            now = Some(new);
            Ok::<_, WorkError>(text)
        })?;
        let now = now.map_or_else(|| self.get(process_id), Ok)?;
        if edited.changed {
            tracing::debug!(run = process_id, state = ?now.state(), "the record of a run changed");
            self.mirror_record(&now);
        }
        Ok(now)
    }

    /// Writes a changed record, if no other process wrote it since it was read.
    ///
    /// # Errors
    /// `Changed` if another process did: read it again and decide again. Otherwise as
    /// [`RunStore::update`].
    pub fn swap(&self, record: &RunRecord) -> Result<RunRecord, WorkError> {
        self.update(&record.process_id, |now| {
            if now.generation != record.generation {
                return Err(WorkError::Changed {
                    process_id: record.process_id.clone(),
                });
            }
            now.clone_from(record);
            Ok(())
        })
    }

    /// Removes records of runs that ended: those older than seven days, and all but the newest 200, or fewer where
    /// these have more than 64 MiB together. Runs whose work waits are kept until a newer run of their spec exists. Returns the number of
    /// removed records.
    ///
    /// Setting the clock makes no run of this boot older or newer than it is.
    ///
    /// # Errors
    /// A `StoreError` when a record cannot be removed.
    pub fn prune(&self, records: &[RunRecord]) -> Result<usize, WorkError> {
        let newest = newest_tokens(records);
        let is_superseded = |record: &RunRecord| newest[&*record.spec_id] > record.token;
        let has_ended = |record: &&RunRecord| match record.state() {
            RunState::Running => false,
            state => !state.waits() || is_superseded(record),
        };
        let mut ended: Vec<&RunRecord> = records.iter().filter(has_ended).collect();
        ended.sort_by_cached_key(|record| lateness(record));
        let oldest = (self.clock)() - KEPT_FOR;
        let is_old = |record: &RunRecord| {
            let is_young = record.runner().age().is_some_and(|age| age < KEPT_FOR);
            !is_young && ended_at(record).is_some_and(|at| at < oldest)
        };
        // A record that counts against the limits of a day is kept for that day, however many runs
        // there were.
        let counts = (self.clock)() - DAY;
        let counts = |record: &RunRecord| {
            record.usage.is_some() && ended_at(record).is_some_and(|at| at >= counts)
        };
        let (mut gone, mut bytes) = (0, 0);
        for (number, record) in ended.iter().enumerate() {
            bytes += record.text().len();
            let is_too_much = number >= MAX_KEPT || bytes > KEPT_BYTES;
            if (is_too_much && !counts(record)) || is_old(record) {
                disk::remove(&self.there()?.join(name_of(&record.process_id)?))?;
                self.remove_copy(record);
                gone += 1;
            }
        }
        Ok(gone)
    }

    /// Marks a named moment, at which tests stop the process as a crash would.
    ///
    /// # Errors
    /// `StoreError::Stopped`.
    pub fn reached(&self, moment: &'static str) -> Result<(), StoreError> {
        (self.disk.reached)(moment).map_err(|source| StoreError::Stopped { moment, source })
    }
}

/// Returns the highest token of each spec among records.
pub(super) fn newest_tokens<'a>(
    records: impl IntoIterator<Item = &'a RunRecord>,
) -> HashMap<&'a str, u64> {
    let mut newest = HashMap::new();
    for record in records {
        let token = newest.entry(&*record.spec_id).or_insert(record.token);
        *token = record.token.max(*token);
    }
    newest
}

/// Refuses a spec on which an agent works, for any purpose, by the records of its runs.
///
/// # Errors
/// `Running`, or `Unrecovered`.
pub fn refuse_running(records: &[RunRecord]) -> Result<(), WorkError> {
    let is_running =
        |record: &&RunRecord| record.has_agent() && record.state() == RunState::Running;
    let running = records.iter().find(is_running);
    running.map_or(Ok(()), |running| attempt_after(running).map(drop))
}

/// Returns the newest of a spec's runs that works on it.
fn newest(records: Vec<RunRecord>) -> Option<RunRecord> {
    let works = records.into_iter().filter(RunRecord::works_on_spec);
    works.max_by_key(age_of)
}

/// Returns the number of the attempt that follows a run, if one may.
fn attempt_after(earlier: &RunRecord) -> Result<u32, WorkError> {
    let process_id = earlier.process_id.clone();
    match earlier.state() {
        RunState::Running if earlier.runner().is_alive() => Err(WorkError::Running {
            spec_id: earlier.spec_id.clone(),
            process_id,
            pid: earlier.pid,
        }),
        RunState::Running => Err(WorkError::Unrecovered { process_id }),
        state if state.is_closed() => Ok(1),
        state => match state::next_state(state, RunEvent::Start) {
            Ok(_) => Ok(earlier.attempt + 1),
            Err(_) => Err(WorkError::Waiting {
                spec_id: earlier.spec_id.clone(),
                process_id,
                state,
            }),
        },
    }
}

fn token_of(path: &Path, text: &str) -> Result<u64, WorkError> {
    text.trim().parse().map_err(|_| WorkError::Broken {
        path: path.display().to_string(),
        why: "it should hold one number".into(),
    })
}

/// Returns the key that orders the runs of a spec by age.
fn age_of(record: &RunRecord) -> (u64, String) {
    (record.token, record.started_at.clone())
}

/// Returns the key that orders runs, the latest first: runs of this boot by their start, and after
/// them the others by the calendar time of their end, which is all that is known of them.
fn lateness(record: &RunRecord) -> (Duration, Reverse<Option<Timestamp>>) {
    let age = record.runner().age().unwrap_or(Duration::MAX);
    (age, Reverse(ended_at(record)))
}

fn ended_at(record: &RunRecord) -> Option<Timestamp> {
    let at = record.completed_at.as_ref().unwrap_or(&record.updated_at);
    at.parse().ok()
}

/// Returns the names of records in a folder, in their order.
fn names_in(folder: &Path) -> Result<Vec<String>, StoreError> {
    let names = match disk::names(folder) {
        Err(StoreError::Missing { .. }) => return Ok(Vec::new()),
        names => names?,
    };
    let is_record = |one: &disk::FolderEntry| {
        let is_json = Path::new(&one.name).extension() == Some("json".as_ref());
        is_json && !one.is_folder && !one.name.starts_with('.')
    };
    let records = names.into_iter().filter(is_record);
    Ok(records.map(|one| one.name).collect())
}

/// Reads a credible record.
fn read(path: &Path, name: &str) -> Result<RunRecord, WorkError> {
    let text = match disk::read_owned(path, MAX_SIZE) {
        Err(StoreError::Unreadable { why, .. }) => return Err(broken(path, why)),
        text => text?,
    };
    RunRecord::believed(name, &text).map_err(|why| broken(path, why))
}

fn broken(path: &Path, why: String) -> WorkError {
    WorkError::Broken {
        path: path.display().to_string(),
        why,
    }
}

fn why_of(error: WorkError) -> String {
    match error {
        WorkError::Broken { why, .. } => why,
        error => error.to_string(),
    }
}

/// Returns the file name of a record, which no other run has.
fn name_of(process_id: &str) -> Result<String, WorkError> {
    check_name(process_id)?;
    Ok(file_of(process_id))
}

/// Returns the file name of the log of a spec's runs.
pub(super) fn log_of(spec_id: &str) -> String {
    format!("{}.log", escape_name(spec_id))
}
