//! Numbers of tickets in a repository of which several clones exist: claimed where that is possible, else given
//! offline, remembered, and claimed or replaced later.

use serde::{Deserialize, Serialize};

use super::code::TicketCode;
use super::number::{counter, next};
use super::renumber::{RenumberOutcome, Renumbering};
use super::ticket_store::TicketStore;
use chant_base::error::Error;
use chant_base::number_claims::{NumberAnswer, NumberWish, OfflineNumber};
use chant_store::StoreError;
use chant_store::disk;
use chant_store::state::escape_name;

/// The part of the state that holds what was given.
const PART: &str = "ticket-numbers";
/// The largest file of it that is read.
const MAX_BYTES: u64 = 4 << 20;
/// A second claim within so many seconds takes several numbers at once: pushes are few.
const HURRY: i64 = 60;
/// The numbers that such a claim takes.
const SEVERAL: usize = 10;

impl NumberMemory {
    /// Returns the offline numbers that were not claimed yet.
    fn unsettled(&self) -> Vec<OfflineNumber> {
        let unsettled = self.offline.iter().filter(|one| one.instead.is_none());
        unsettled.map(OfflineTicket::asked).collect()
    }
}

/// Where the number of a new ticket comes from.
pub(super) enum NumberSource {
    /// The tickets alone say which is the next.
    Tickets,
    /// One of the numbers that were claimed.
    Claimed,
    /// The tickets say it, and no other clone knows; says why.
    Offline(String),
}

/// What this checkout knows of numbers that it was given, or gave itself.
#[derive(Debug, Default, Serialize, Deserialize)]
struct NumberMemory {
    /// Tickets whose numbers were given offline.
    #[serde(default)]
    offline: Vec<OfflineTicket>,
    /// Numbers that were claimed and that no ticket has yet.
    #[serde(default)]
    spare: Vec<u64>,
    /// When numbers were claimed last, in seconds since 1970.
    #[serde(default)]
    claimed_at: i64,
}

/// A ticket whose number was given offline.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct OfflineTicket {
    number: u64,
    /// Its file, relative to the project.
    path: String,
    /// What this number is claimed with.
    nonce: String,
    /// The number that it is to get, since another clone has this one.
    #[serde(default)]
    instead: Option<u64>,
}

/// Claims what is needed for a new ticket, and the numbers that were given offline; those that another clone has
/// are replaced where that is safe. No lock is held: this may wait for the network.
///
/// # Errors
/// A `StoreError`.
pub(super) fn claim(store: &TicketStore) -> Result<(NumberSource, Vec<String>), Error> {
    let Some(shared) = &store.numbers else {
        return Ok((NumberSource::Tickets, Vec::new()));
    };
    let memory = read(store)?;
    let first = next(store, &*store.snapshot()?, &counter(store))?;
    let offline = memory.unsettled();
    if offline.is_empty() && memory.spare.iter().any(|spare| *spare >= first) {
        return Ok((NumberSource::Claimed, replace_taken(store)?));
    }
    let is_hurried = store.seconds() - memory.claimed_at < HURRY;
    let wish = NumberWish {
        series: series(store),
        offline,
        fresh: if is_hurried { SEVERAL } else { 1 },
        above: first.saturating_sub(1),
    };
    match shared.claim(&wish) {
        NumberAnswer::NotShared => Ok((NumberSource::Tickets, Vec::new())),
        NumberAnswer::Unclaimed(why) => Ok((NumberSource::Offline(why), Vec::new())),
        NumberAnswer::Claimed { taken, fresh } => {
            settle(store, &wish, &taken, fresh)?;
            Ok((NumberSource::Claimed, replace_taken(store)?))
        }
    }
}

/// Claims the numbers of tickets that were written without asking; says what became of them.
///
/// # Errors
/// A `StoreError`.
pub(super) fn claim_written(
    store: &TicketStore,
    written: &[(u64, String)],
) -> Result<Vec<String>, Error> {
    let Some(shared) = store.numbers.as_ref().filter(|_| !written.is_empty()) else {
        return Ok(Vec::new());
    };
    let tickets = written
        .iter()
        .map(|(number, path)| OfflineTicket::of(*number, path));
    let tickets: Vec<OfflineTicket> = tickets.collect();
    let mut offline = read(store)?.unsettled();
    offline.extend(tickets.iter().map(OfflineTicket::asked));
    let wish = NumberWish {
        series: series(store),
        offline,
        fresh: 0,
        above: written.iter().map(|(number, _)| *number).max().unwrap_or(0),
    };
    let answer = shared.claim(&wish);
    if answer != NumberAnswer::NotShared {
        change(store, |memory| memory.offline.extend(tickets))?;
    }
    match answer {
        NumberAnswer::NotShared => Ok(Vec::new()),
        NumberAnswer::Unclaimed(why) => {
            let numbers = written.iter().map(|(number, _)| *number);
            Ok(numbers
                .map(|number| unclaimed(store, number, &why))
                .collect())
        }
        NumberAnswer::Claimed { taken, fresh } => {
            settle(store, &wish, &taken, fresh)?;
            replace_taken(store)
        }
    }
}

/// Notes what was claimed.
fn settle(
    store: &TicketStore,
    wish: &NumberWish,
    taken: &[u64],
    fresh: Vec<u64>,
) -> Result<(), Error> {
    change(store, |memory| {
        let mut fresh = fresh.into_iter();
        memory.offline.retain_mut(|one| {
            let is_asked = wish.offline.iter().any(|asked| asked.nonce == one.nonce);
            if is_asked && taken.contains(&one.number) {
                one.instead = fresh.next();
            }
            !is_asked || taken.contains(&one.number)
        });
        memory.spare.extend(fresh);
        memory.claimed_at = store.seconds();
    })
}

/// Gives tickets whose numbers another clone has the ones that were claimed for them, as far as that is safe; says
/// what became of each.
fn replace_taken(store: &TicketStore) -> Result<Vec<String>, Error> {
    let mut said = Vec::new();
    for one in read(store)?.offline {
        let Some(instead) = one.instead else { continue };
        let code = |number| TicketCode::new(&store.place.code, number);
        let renumbering = Renumbering {
            path: &one.path,
            from: code(one.number),
            to: code(instead),
        };
        let (from, to) = (&renumbering.from, &renumbering.to);
        match store.renumber(&renumbering)? {
            RenumberOutcome::Done { documents } => {
                said.push(match documents {
                    0 => format!("{from} is {to} now: another clone had that number first"),
                    _ => format!(
                        "{from} is {to} now, also in {documents} documents that name it: another clone had that number first"
                    ),
                });
            }
            RenumberOutcome::NotNeeded => {}
            RenumberOutcome::Unsafe(why) => {
                said.push(format!(
                    "{from} is also the number of another clone's ticket, and {why}. {to} is claimed for it: rename `{}`, and put {to} in the place of {from} in its front matter and where it is named",
                    one.path
                ));
                continue;
            }
        }
        change(store, |memory| {
            memory.offline.retain(|other| other.nonce != one.nonce);
        })?;
    }
    Ok(said)
}

impl NumberSource {
    /// Returns the numbers to try for a new ticket, from the first that the tickets leave free. To be asked under
    /// the project's lock.
    ///
    /// # Errors
    /// A `StoreError`.
    pub(super) fn numbers(
        &self,
        store: &TicketStore,
        first: u64,
    ) -> Result<Box<dyn Iterator<Item = u64>>, StoreError> {
        Ok(match self {
            Self::Tickets | Self::Offline(_) => Box::new(first..),
            Self::Claimed => {
                let spare = read(store)?.spare.into_iter();
                Box::new(spare.filter(move |number| *number >= first))
            }
        })
    }

    /// Notes that a ticket has a number; returns what its maker should know. To be called under the project's lock.
    pub(super) fn note(&self, store: &TicketStore, number: u64, path: &str) -> Option<String> {
        if matches!(self, Self::Tickets) {
            return None;
        }
        let noted = change_held(store, |memory| match self {
            Self::Tickets => {}
            Self::Claimed => memory.spare.retain(|spare| *spare > number),
            Self::Offline(_) => memory.offline.push(OfflineTicket::of(number, path)),
        });
        match (self, noted) {
            (Self::Offline(why), Ok(())) => Some(unclaimed(store, number, why)),
            (_, Ok(())) => None,
            (_, Err(error)) => Some(format!(
                "what is known of its number was not noted: {error}"
            )),
        }
    }
}

impl OfflineTicket {
    fn of(number: u64, path: &str) -> Self {
        Self {
            number,
            path: path.to_owned(),
            nonce: format!("{:016x}{:016x}", fastrand::u64(..), fastrand::u64(..)),
            instead: None,
        }
    }

    fn asked(&self) -> OfflineNumber {
        OfflineNumber {
            number: self.number,
            nonce: self.nonce.clone(),
        }
    }
}

/// Says that another clone may give the number of a ticket, too.
fn unclaimed(store: &TicketStore, number: u64, why: &str) -> String {
    let code = TicketCode::new(&store.place.code, number);
    format!(
        "{code} is not claimed on the remote, so another clone may give the same number: {why}. The next new ticket claims it, or gives this one another number as long as it is not committed"
    )
}

/// Changes the memory under the project's lock.
fn change(store: &TicketStore, change: impl FnOnce(&mut NumberMemory)) -> Result<(), Error> {
    let _gate = store.folder_lock()?;
    Ok(change_held(store, change)?)
}

fn change_held(
    store: &TicketStore,
    change: impl FnOnce(&mut NumberMemory),
) -> Result<(), StoreError> {
    let mut memory = read(store)?;
    change(&mut memory);
    let folder = store.state.ensure(&store.state.in_checkout(PART))?;
    let text = serde_json::to_string(&memory).unwrap_or_default();
    disk::write_private(&folder.join(file(store)), &text)
}

/// Reads the memory; one that cannot be read says nothing.
fn read(store: &TicketStore) -> Result<NumberMemory, StoreError> {
    let Some(folder) = store.state.read(&store.state.in_checkout(PART)) else {
        return Ok(NumberMemory::default());
    };
    let text = disk::read_private(&folder.join(file(store)), MAX_BYTES)?;
    let memory = text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(memory.unwrap_or_default())
}

fn file(store: &TicketStore) -> String {
    format!("{}.json", escape_name(&series(store)))
}

/// The name of the project's numbers: lower case needs no escape in the name of a ref.
fn series(store: &TicketStore) -> String {
    store.place.code.to_lowercase()
}
