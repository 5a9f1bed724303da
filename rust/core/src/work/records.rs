//! The records of a project's runs as they are kept: created once, changed by compare-and-swap, pruned.

use std::cmp::Reverse;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;

use super::WorkError;
use super::lock::{self, SpecLock};
use super::record::{self, BrokenRecord, FOLDER, Record};
use super::state::{self, Event, State};
use crate::store::StoreError;
use crate::store::disk::{self, Disk};
use crate::store::files::{self, Root};
use crate::store::state::StateFolder;

/// How long records of runs that ended are kept.
const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// How many records of runs that ended are kept.
const KEPT: usize = 200;
/// Where the tokens lie in the state folder, a file a spec.
const TOKENS: &str = "tokens";

/// The runs of one project.
#[derive(Clone)]
pub struct Runs {
    /// The disk.
    pub disk: Disk,
    /// The project's root.
    pub root: Root,
    /// The folder for our own state.
    pub state: StateFolder,
    /// What time it is.
    pub clock: fn() -> Timestamp,
}

impl Runs {
    /// Every record of ours, in the order of their names, and those that cannot be read.
    ///
    /// # Errors
    /// A `StoreError` when the folder is there and cannot be listed.
    pub fn all(&self) -> Result<(Vec<Record>, Vec<BrokenRecord>), StoreError> {
        let read = |_: &str, text: &str| Record::parse(text);
        let (records, broken) = record::each(&self.disk, &self.root, read)?;
        Ok((records.into_iter().flatten().collect(), broken))
    }

    /// One record.
    ///
    /// # Errors
    /// `Store` when it is missing, `Broken` when it is not of ours.
    pub fn get(&self, process_id: &str) -> Result<Record, WorkError> {
        let path = path_of(process_id)?;
        let (text, _) = self.disk.read_text(&self.root.locate(&path)?, &path)?;
        parse(&path, &text)
    }

    /// The newest run that works on a spec.
    ///
    /// # Errors
    /// As [`Runs::all`].
    pub fn newest_of(&self, spec_id: &str) -> Result<Option<Record>, StoreError> {
        let (records, _) = self.all()?;
        Ok(newest(&records, spec_id).cloned())
    }

    /// Refuses a spec that another run works on, or whose last run has work that waits.
    ///
    /// # Errors
    /// `Running`, `Unrecovered`, `Waiting`, or a `StoreError`.
    pub fn refuse_another(&self, spec_id: &str) -> Result<(), WorkError> {
        let (records, _) = self.all()?;
        refuse_running(&records, spec_id)?;
        newest(&records, spec_id).map_or(Ok(()), |earlier| attempt_after(earlier).map(drop))
    }

    /// Begins a run: gives its record the spec's next token, and its file. Refused while another run
    /// works on the spec, holds its lock, or has work that waits.
    ///
    /// From an earlier run that can be gone on with it takes over the count of attempts.
    /// On disk, in this order: the token, the record.
    ///
    /// # Errors
    /// `Running`, `Unrecovered`, `Waiting`, `Held`, or a `StoreError`.
    pub fn begin(&self, mut record: Record) -> Result<Record, WorkError> {
        if !record.has_agent() {
            return self.create(record);
        }
        // One start at a time: what is found true stays true until the record is there. The runner of
        // a run that is under way does not meet this lock for longer than it takes to read records.
        let _lock = SpecLock::take(self, &record.spec_id)?;
        let (records, _) = self.all()?;
        refuse_running(&records, &record.spec_id)?;
        if !record.works_on_spec() {
            return self.create(record);
        }
        if let Some(earlier) = newest(&records, &record.spec_id) {
            record.attempt = attempt_after(earlier)?;
        }
        record.token = self.next_token(&record.spec_id)?;
        self.reached("after-token")?;
        let record = self.create(record)?;
        self.reached("after-record")?;
        Ok(record)
    }

    /// Gives a record its file, under the first name that is free.
    fn create(&self, mut record: Record) -> Result<Record, WorkError> {
        files::make_hidden_folder(&self.disk, &self.root, FOLDER)?;
        let name = record.process_id.clone();
        let mut number = 1;
        loop {
            let path = path_of(&record.process_id)?;
            match files::create(&self.disk, &self.root, &path, &record.text()) {
                // The system gave the number to another runner of this spec before.
                Err(StoreError::Exists { .. }) => number += 1,
                created => return Ok(created.map(|()| record)?),
            }
            record.process_id = format!("{name}-{number}");
        }
    }

    fn next_token(&self, spec_id: &str) -> Result<u64, WorkError> {
        let tokens = Root::open(&self.state.ensure(&self.disk, TOKENS)?)?;
        let path = tokens.path().join(spec_id);
        if !disk::exists(&path) {
            match files::create(&self.disk, &tokens, spec_id, "0\n") {
                // Another checkout of the repository came first.
                Err(StoreError::Exists { .. }) => {}
                created => created?,
            }
        }
        let mut next = 0;
        files::edit(&self.disk, &tokens, spec_id, |text| {
            next = token_of(&path, text)? + 1;
            Ok::<_, WorkError>(format!("{next}\n"))
        })?;
        Ok(next)
    }

    /// The token of the newest run of a spec; 0 when there never was one. Work is merged only from the
    /// record that has it.
    ///
    /// # Errors
    /// `Broken`, or a `StoreError`.
    pub fn token(&self, spec_id: &str) -> Result<u64, WorkError> {
        lock::check_name(spec_id)?;
        let path = self.state.path(TOKENS).join(spec_id);
        match self.disk.read_text(&path, &path.display().to_string()) {
            Err(StoreError::Missing { .. }) => Ok(0),
            text => token_of(&path, &text?.0),
        }
    }

    /// Changes a record, decided on what is in it at the moment of writing; gives what it is then.
    /// `change` may be called again on a fresher record. Nothing is written when it changes nothing.
    ///
    /// # Errors
    /// What `change` returns, `Broken`, or a `StoreError`; the record is then as it was.
    pub fn update(
        &self,
        process_id: &str,
        mut change: impl FnMut(&mut Record) -> Result<(), WorkError>,
    ) -> Result<Record, WorkError> {
        let path = path_of(process_id)?;
        let mut now = None;
        files::edit(&self.disk, &self.root, &path, |text| {
            let old = parse(&path, text)?;
            let mut new = old.clone();
            change(&mut new)?;
            if new == old {
                now = Some(old);
                return Ok(text.to_owned());
            }
            new.generation = old.generation + 1;
            new.updated_at = record::stamp((self.clock)());
            let text = new.text();
            now = Some(new);
            Ok::<_, WorkError>(text)
        })?;
        now.map_or_else(|| self.get(process_id), Ok)
    }

    /// Writes a record that was read before and changed since, if nobody wrote it meanwhile.
    ///
    /// # Errors
    /// `Changed` when somebody did: read it again and decide anew. Otherwise as [`Runs::update`].
    pub fn swap(&self, record: &Record) -> Result<Record, WorkError> {
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

    /// Removes records of runs that ended: those older than seven days, and all but the newest 200.
    /// Runs whose work waits are kept while no newer run of their spec is there. Gives how many went.
    ///
    /// A clock that was set makes no run of this boot older or newer than it is.
    ///
    /// # Errors
    /// A `StoreError` when a record cannot be removed.
    pub fn prune(&self, records: &[Record]) -> Result<usize, StoreError> {
        let is_superseded = |record: &Record| {
            let newer =
                |other: &Record| other.spec_id == record.spec_id && other.token > record.token;
            records.iter().any(newer)
        };
        let has_ended = |record: &&Record| match record.state() {
            State::Running => false,
            state => !state.waits() || is_superseded(record),
        };
        let mut ended: Vec<&Record> = records.iter().filter(has_ended).collect();
        ended.sort_by_cached_key(|record| lateness(record));
        let oldest = (self.clock)() - KEPT_FOR;
        let is_old = |record: &Record| {
            let is_young = record.runner().age().is_some_and(|age| age < KEPT_FOR);
            !is_young && ended_at(record).is_some_and(|at| at < oldest)
        };
        let mut gone = 0;
        for (number, record) in ended.iter().enumerate() {
            if number >= KEPT || is_old(record) {
                disk::remove(
                    &self
                        .root
                        .path()
                        .join(FOLDER)
                        .join(file_of(&record.process_id)),
                )?;
                gone += 1;
            }
        }
        Ok(gone)
    }

    /// A named moment, where tests stop us as a crash would.
    ///
    /// # Errors
    /// `StoreError::Stopped`.
    pub fn reached(&self, moment: &'static str) -> Result<(), StoreError> {
        (self.disk.reached)(moment).map_err(|source| StoreError::Stopped { moment, source })
    }
}

/// Refuses a spec that an agent is at work on, whatever for.
///
/// # Errors
/// `Running`, or `Unrecovered`.
pub fn refuse_running(records: &[Record], spec_id: &str) -> Result<(), WorkError> {
    let is_running = |record: &&Record| {
        record.has_agent() && record.spec_id == spec_id && record.state() == State::Running
    };
    let running = records.iter().find(is_running);
    running.map_or(Ok(()), |running| attempt_after(running).map(drop))
}

/// The newest run that works on a spec.
fn newest<'a>(records: &'a [Record], spec_id: &str) -> Option<&'a Record> {
    let works = |record: &&Record| record.works_on_spec() && record.spec_id == spec_id;
    records
        .iter()
        .filter(works)
        .max_by_key(|record| age_of(record))
}

/// The attempt that follows a run, if one may.
fn attempt_after(earlier: &Record) -> Result<u32, WorkError> {
    let process_id = earlier.process_id.clone();
    match earlier.state() {
        State::Running if earlier.runner().is_alive() => Err(WorkError::Running {
            spec_id: earlier.spec_id.clone(),
            process_id,
            pid: earlier.pid,
        }),
        State::Running => Err(WorkError::Unrecovered { process_id }),
        state if state.is_closed() => Ok(1),
        state => match state::change(state, Event::Start) {
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

/// What tells an earlier run of a spec from a later one.
fn age_of(record: &Record) -> (u64, String) {
    (record.token, record.started_at.clone())
}

/// What puts runs in order, the latest first: those of this boot by their start, and before them the
/// others by their end on the calendar, which is all that is known of them.
fn lateness(record: &Record) -> (Duration, Reverse<Option<Timestamp>>) {
    let age = record.runner().age().unwrap_or(Duration::MAX);
    (age, Reverse(ended_at(record)))
}

fn ended_at(record: &Record) -> Option<Timestamp> {
    let at = record.completed_at.as_ref().unwrap_or(&record.updated_at);
    at.parse().ok()
}

fn file_of(process_id: &str) -> String {
    format!("{process_id}.json")
}

fn path_of(process_id: &str) -> Result<String, WorkError> {
    lock::check_name(process_id)?;
    Ok(format!("{FOLDER}/{}", file_of(process_id)))
}

fn parse(path: &str, text: &str) -> Result<Record, WorkError> {
    let broken = |why: String| WorkError::Broken {
        path: path.to_owned(),
        why,
    };
    match Record::parse(text) {
        Ok(Some(record)) => Ok(record),
        Ok(None) => Err(broken("it is of another program or release".into())),
        Err(why) => Err(broken(why)),
    }
}
