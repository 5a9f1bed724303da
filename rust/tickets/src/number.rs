//! Numbers of new tickets: never one that was given before (reference tickets 2.7 and 10).

use super::error::TicketError;
use super::ticket_index::TicketIndex;
use super::ticket_store::TicketStore;
use chant_base::error::Error;
use chant_store::{StoreError, files};

/// The content of the project's counter file.
pub(super) enum CounterReading {
    /// There is none.
    Absent,
    /// The next number.
    At(u64),
    /// Something that is no number; such a file is left alone.
    Unusable(String),
}

/// Reads the counter file.
pub(super) fn counter(store: &TicketStore) -> CounterReading {
    let name = &store.place.counter_file;
    match files::read(&store.disk, &store.root, name) {
        Err(StoreError::Missing { .. }) => CounterReading::Absent,
        Err(error) => CounterReading::Unusable(error.to_string()),
        Ok((text, _)) => match text.trim().parse() {
            Ok(next) => CounterReading::At(next),
            Err(_) => CounterReading::Unusable(format!("`{name}` holds no number")),
        },
    }
}

/// The next number: higher than those of all tickets, of everything else in their folder that is named like
/// one, of what git knows there in any branch, and of what was there before the folder vanished; no lower than the
/// counter and the project's first. To be asked under the project's lock, with tickets just read.
pub(super) fn next(
    store: &TicketStore,
    tickets: &TicketIndex,
    counter: &CounterReading,
) -> Result<u64, Error> {
    let here = tickets.highest().max(store.number_beside());
    let elsewhere = store.number_in_git().max(store.number_lost());
    let behind = match here.max(elsewhere) {
        None => 0,
        Some(highest) => highest.checked_add(1).ok_or_else(|| {
            let why = format!("the number {highest} is the last there is; rename that ticket");
            TicketError::invalid("code", why)
        })?,
    };
    let counted = match counter {
        CounterReading::At(next) => *next,
        CounterReading::Absent | CounterReading::Unusable(_) => 0,
    };
    Ok(behind.max(counted).max(store.place.start_number.into()))
}

/// Makes the counter file say at least `next`; gives a warning when it cannot. To be called under the
/// project's lock.
pub(super) fn advance(store: &TicketStore, counter: &CounterReading, next: u64) -> Option<String> {
    let name = &store.place.counter_file;
    let written = match counter {
        CounterReading::At(now) if *now >= next => return None,
        CounterReading::Unusable(why) => Err(why.clone()),
        CounterReading::Absent => files::create(&store.disk, &store.root, name, &next.to_string())
            .map_err(|error| error.to_string()),
        CounterReading::At(_) => files::edit(
            &store.disk,
            &store.root,
            name,
            |_| -> Result<_, StoreError> { Ok(next.to_string()) },
        )
        .map(|_| ())
        .map_err(|error| error.to_string()),
    };
    let why = written.err()?;
    Some(format!(
        "the counter file was not updated, so the number of a deleted ticket may come again: {why}"
    ))
}
