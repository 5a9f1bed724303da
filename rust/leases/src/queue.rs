//! The wishes of this clone's processes, one file each, and which of them leads: takes the wishes of
//! all and pushes for all.
//!
//! A wish lies in `queue` until the leader takes it by a rename; until then who asked may withdraw it
//! by a rename, too, and one of the two wins. What is taken gets an answer, also from the next leader
//! if this one dies.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::LeaseError;
use super::answer::{LeaseAnswer, LeaseWish};
use super::leader::TickLimits;
use super::machine::MachineTime;
use super::record::new_nonce;
use super::train::LandingVerdict;
use chant_store::StoreError;
use chant_store::disk::{self, FileStamp, Lock};

/// The largest file that is read.
const MAX_BYTES: u64 = 64 << 20;
/// Answers that were not fetched for so long have no process that waits for them.
const KEPT_FOR: Duration = Duration::from_secs(3600);
/// How long a look may take for who waits at a terminal, and that look with its push.
const QUICK_LOOK: Duration = Duration::from_secs(6);
const QUICK_TICK: Duration = Duration::from_secs(8);
/// How long any other look may take: the target may have got a lot.
const LONG_LOOK: Duration = Duration::from_secs(60);
/// The folders of wishes and answers, and the file whose lock makes the leader.
const QUEUE: &str = "queue";
const TAKEN: &str = "taken";
const ANSWERS: &str = "answers";
const WITHDRAWN: &str = "withdrawn";
const VERDICTS: &str = "verdicts";
const READY: &str = "ready";
const LEADER: &str = "leader";

/// The folder of this clone for one remote.
#[derive(Debug, Clone)]
pub(super) struct WishQueue {
    folder: PathBuf,
}

/// A wish that was put in, by which its answer is found.
#[derive(Debug, Clone)]
pub struct WishTicket {
    name: String,
    is_urgent: bool,
}

impl WishTicket {
    /// The same ticket of somebody who waits no longer than for a quick look.
    pub(super) fn urgent(self) -> Self {
        Self {
            is_urgent: true,
            ..self
        }
    }

    /// Returns how long a tick for this wish may take, which is waited for until `deadline`.
    pub(super) fn limits(&self, deadline: Instant) -> TickLimits {
        if !self.is_urgent {
            return TickLimits {
                look: LONG_LOOK,
                until: None,
            };
        }
        let until = deadline.min(Instant::now() + QUICK_TICK);
        TickLimits {
            look: QUICK_LOOK,
            until: Some(until),
        }
    }
}

/// A wish that the leader has taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TakenWish {
    name: String,
    pub(super) nonce: String,
    pub(super) wish: LeaseWish,
}

impl TakenWish {
    /// Returns true if it was put in before a moment, given as a number of [`MachineTime`].
    pub(super) fn was_put_before(&self, moment: u64) -> bool {
        let (at, _) = self.name.split_once('-').unwrap_or_default();
        at.parse().is_ok_and(|at: u64| at < moment)
    }
}

#[derive(Serialize, Deserialize)]
struct WishFile {
    nonce: String,
    wish: LeaseWish,
}

impl WishQueue {
    /// Opens the queue in a private folder, which is made.
    pub(super) fn open(folder: &Path) -> Result<Self, LeaseError> {
        for name in [QUEUE, TAKEN, ANSWERS, WITHDRAWN, VERDICTS, READY] {
            disk::make_private_folder(&folder.join(name))?;
        }
        disk::keep_private(folder)?;
        let leader = folder.join(LEADER);
        if !disk::exists(&leader) {
            disk::write_private(&leader, "")?;
        }
        Ok(Self {
            folder: folder.to_owned(),
        })
    }

    /// Names a folder for reading what is there; nothing is made.
    pub(super) fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    /// Puts a wish in.
    pub(super) fn put(&self, wish: LeaseWish) -> Result<WishTicket, LeaseError> {
        let nonce = new_nonce();
        let name = format!("{:020}-{nonce}", MachineTime::now().number());
        let is_urgent = matches!(wish, LeaseWish::Claim { .. } | LeaseWish::Numbers { .. });
        write(&self.place(QUEUE, &name), &WishFile { nonce, wish })?;
        Ok(WishTicket { name, is_urgent })
    }

    /// Returns the answer to a wish, once; `None` while there is none.
    pub(super) fn fetch(&self, ticket: &WishTicket) -> Result<Option<LeaseAnswer>, LeaseError> {
        let place = self.place(ANSWERS, &ticket.name);
        let answer = read(&place)?;
        if answer.is_some() {
            disk::remove(&place)?;
        }
        Ok(answer)
    }

    /// Takes a wish back; false if the leader has it, so that an answer will come.
    pub(super) fn withdraw(&self, ticket: &WishTicket) -> Result<bool, LeaseError> {
        let to = self.place(WITHDRAWN, &ticket.name);
        let is_back = moved(&self.place(QUEUE, &ticket.name), &to)?;
        if is_back {
            disk::remove(&to)?;
        }
        Ok(is_back)
    }

    /// Forgets a wish, also one that the leader has: if it is granted all the same, that does no harm.
    pub(super) fn forget(&self, ticket: &WishTicket) -> Result<(), LeaseError> {
        for part in [QUEUE, TAKEN] {
            let to = self.place(WITHDRAWN, &ticket.name);
            if moved(&self.place(part, &ticket.name), &to)? {
                disk::remove(&to)?;
            }
        }
        Ok(())
    }

    /// Becomes the leader; `None` while another process leads.
    pub(super) fn lead(&self) -> Result<Option<Lock>, LeaseError> {
        Ok(Lock::try_take(&self.folder.join(LEADER))?)
    }

    /// Returns true if a wish waits for a push, and not for checks.
    pub(super) fn has_due_wishes(&self) -> Result<bool, LeaseError> {
        if self.has_new_wishes()? {
            return Ok(true);
        }
        for name in names(&self.folder.join(TAKEN))? {
            let file: Option<WishFile> = read(&self.place(TAKEN, &name))?;
            let is_due = match file.map(|file| file.wish) {
                None => false,
                Some(LeaseWish::Land {
                    new,
                    needs_checks: true,
                    ..
                }) => self.verdict(&new)?.is_some_and(|verdict| verdict.is_due()),
                Some(_) => true,
            };
            if is_due {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns true if a wish waits that no leader has looked at.
    pub(super) fn has_new_wishes(&self) -> Result<bool, LeaseError> {
        Ok(!names(&self.folder.join(QUEUE))?.is_empty())
    }

    /// Takes all wishes; those that an earlier leader took come with them. Oldest first.
    pub(super) fn take(&self) -> Result<Vec<TakenWish>, LeaseError> {
        for name in names(&self.folder.join(QUEUE))? {
            moved(&self.place(QUEUE, &name), &self.place(TAKEN, &name))?;
        }
        let mut taken = Vec::new();
        for name in names(&self.folder.join(TAKEN))? {
            if let Some(WishFile { nonce, wish }) = read(&self.place(TAKEN, &name))? {
                taken.push(TakenWish { name, nonce, wish });
            }
        }
        Ok(taken)
    }

    /// Returns the commit of the last landing that has no answer yet; `None` if one of them is an earlier try of
    /// `run`, which a process left that died: what became of it is for the remote to say.
    pub(super) fn last_landing(&self, run: &str) -> Result<Option<String>, LeaseError> {
        let mut last: Option<(String, String)> = None;
        for part in [QUEUE, TAKEN] {
            for name in names(&self.folder.join(part))? {
                let file: Option<WishFile> = read(&self.place(part, &name))?;
                let landing = match file.map(|file| file.wish) {
                    Some(LeaseWish::Land { run: own, .. }) if own == run => return Ok(None),
                    Some(LeaseWish::Land { new, .. }) => (name, new),
                    _ => continue,
                };
                last = last.max(Some(landing));
            }
        }
        Ok(last.map(|(_, new)| new))
    }

    /// Answers a wish that was taken.
    pub(super) fn answer(&self, taken: &TakenWish, answer: &LeaseAnswer) -> Result<(), LeaseError> {
        tracing::debug!(wish = ?taken.wish, answer = ?answer, "a wish about leases was answered");
        write(&self.place(ANSWERS, &taken.name), answer)?;
        disk::remove(&self.place(TAKEN, &taken.name))?;
        if let LeaseWish::Land { new, .. } = &taken.wish {
            disk::remove(&self.place(VERDICTS, new))?;
        }
        Ok(())
    }

    /// Returns the wishes that have no answer yet, the oldest first.
    pub(super) fn waiting_wishes(&self) -> Result<Vec<LeaseWish>, LeaseError> {
        let mut waiting = BTreeMap::new();
        // A wish that is taken meanwhile is in the second folder: it is read from one of both.
        for part in [QUEUE, TAKEN] {
            for name in names(&self.folder.join(part))? {
                if let Some(WishFile { wish, .. }) = read(&self.place(part, &name))? {
                    waiting.insert(name, wish);
                }
            }
        }
        Ok(waiting.into_values().collect())
    }

    /// Returns what the checks come to for the landing with a commit; `None` while that is open.
    pub(super) fn verdict(&self, commit: &str) -> Result<Option<LandingVerdict>, LeaseError> {
        read(&self.place(VERDICTS, commit))
    }

    /// Notes what the checks come to for the landing with a commit.
    pub(super) fn note_verdict(
        &self,
        commit: &str,
        verdict: &LandingVerdict,
    ) -> Result<(), LeaseError> {
        write(&self.place(VERDICTS, commit), verdict)
    }

    /// Takes the lock of a file of the clone's own; `None` while another process has it.
    pub(super) fn try_lock(&self, name: &str) -> Result<Option<Lock>, LeaseError> {
        Ok(Lock::claim(&self.folder.join(name), "", Instant::now())?)
    }

    /// Returns the names of the whole files in a folder, in their order.
    pub(super) fn names_in(&self, part: &str) -> Result<Vec<String>, LeaseError> {
        names(&self.folder.join(part))
    }

    /// Removes answers that their askers did not live to read, and verdicts on landings that do not wait any more.
    pub(super) fn sweep(&self) -> Result<(), LeaseError> {
        self.sweep_verdicts()?;
        let now = MachineTime::now();
        for name in names(&self.folder.join(ANSWERS))? {
            let at = name.split('-').next().and_then(|at| at.parse().ok());
            let at = at.map_or(MachineTime::of_number(0), MachineTime::of_number);
            if at > now || now.since(at) > KEPT_FOR {
                disk::remove(&self.place(ANSWERS, &name))?;
            }
        }
        Ok(())
    }

    fn sweep_verdicts(&self) -> Result<(), LeaseError> {
        let is_commit = |name: &str| name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let entries = disk::names(&self.folder.join(VERDICTS))?.into_iter();
        let mut verdicts: Vec<String> = entries.map(|entry| entry.name).collect();
        verdicts.retain(|name| is_commit(name));
        if verdicts.is_empty() {
            return Ok(());
        }
        let waiting = self.waiting_wishes()?;
        let is_waited_for = |commit: &String| {
            let mut waiting = waiting.iter();
            waiting.any(|wish| matches!(wish, LeaseWish::Land { new, .. } if new == commit))
        };
        for commit in verdicts.iter().filter(|commit| !is_waited_for(commit)) {
            disk::remove(&self.place(VERDICTS, commit))?;
        }
        Ok(())
    }

    /// Reads a file of the clone's own; `None` without one.
    pub(super) fn read_own<T: DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<Option<T>, LeaseError> {
        read(&self.folder.join(name))
    }

    /// Returns what tells whether a file of the clone's own was written since.
    pub(super) fn own_stamp(&self, name: &str) -> Option<FileStamp> {
        disk::stamp(&self.folder.join(name))
    }

    /// Writes a file of the clone's own.
    pub(super) fn write_own<T: Serialize>(&self, name: &str, value: &T) -> Result<(), LeaseError> {
        write(&self.folder.join(name), value)
    }

    pub(super) fn place(&self, part: &str, name: &str) -> PathBuf {
        self.folder.join(part).join(name)
    }
}

/// Moves a file to a free name; false if it is gone.
fn moved(from: &Path, to: &Path) -> Result<bool, LeaseError> {
    match disk::rename_new(from, to) {
        Ok(()) => Ok(true),
        Err(_) if !disk::exists(from) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Returns the names of whole files in a folder, in their order.
fn names(folder: &Path) -> Result<Vec<String>, LeaseError> {
    let entries = match disk::names(folder) {
        Err(StoreError::Missing { .. }) => return Ok(Vec::new()),
        entries => entries?,
    };
    let begins = |name: &str| name.starts_with(|first: char| first.is_ascii_digit());
    let named = entries.into_iter().map(|entry| entry.name);
    let mut named: Vec<String> = named.filter(|name| begins(name)).collect();
    named.sort_unstable();
    Ok(named)
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, LeaseError> {
    let Some(text) = disk::read_private(path, MAX_BYTES)? else {
        return Ok(None);
    };
    let value = serde_json::from_str(&text).map_err(|error| LeaseError::Broken {
        path: path.display().to_string(),
        why: error.to_string(),
    })?;
    Ok(Some(value))
}

fn write<T: Serialize>(path: &Path, value: &T) -> Result<(), LeaseError> {
    let text = serde_json::to_string(value).map_err(|error| LeaseError::Broken {
        path: path.display().to_string(),
        why: error.to_string(),
    })?;
    Ok(disk::write_private(path, &text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn landing(new: &str) -> LeaseWish {
        LeaseWish::Land {
            spec: "spec".into(),
            run: "run".into(),
            token: 1,
            old: "0a".into(),
            new: new.into(),
            along: Vec::new(),
            needs_checks: true,
            settled: None,
        }
    }

    #[test]
    fn verdict_stays_as_long_as_its_landing_waits() {
        let folder = tempfile::tempdir().unwrap();
        let queue = WishQueue::open(&folder.path().join("queue")).unwrap();
        let passed = LandingVerdict::Passed {
            is_end: true,
            along: Vec::new(),
        };
        queue.put(landing("a1")).unwrap();
        for commit in ["a1", "b2"] {
            queue.note_verdict(commit, &passed).unwrap();
        }
        queue.sweep().unwrap();
        assert_eq!(queue.verdict("a1").unwrap(), Some(passed));
        assert_eq!(queue.verdict("b2").unwrap(), None);
        let taken = queue.take().unwrap();
        queue.answer(&taken[0], &LeaseAnswer::Done).unwrap();
        assert_eq!(queue.verdict("a1").unwrap(), None);
    }

    #[test]
    fn landing_that_waits_for_checks_is_no_reason_to_push() {
        let folder = tempfile::tempdir().unwrap();
        let queue = WishQueue::open(&folder.path().join("queue")).unwrap();
        queue.put(landing("a1")).unwrap();
        assert!(queue.has_due_wishes().unwrap());
        queue.take().unwrap();
        assert!(!queue.has_due_wishes().unwrap());
        for (is_end, is_due) in [(false, false), (true, true)] {
            let along = Vec::new();
            let verdict = LandingVerdict::Passed { is_end, along };
            queue.note_verdict("a1", &verdict).unwrap();
            assert_eq!(queue.has_due_wishes().unwrap(), is_due);
        }
    }
}
