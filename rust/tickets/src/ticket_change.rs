//! Changes of one ticket of a store: its file is changed or removed, in the worktree that it is worked on in where
//! there is one.

use std::path::Path;
use std::sync::Arc;

use super::code::TicketCode;
use super::edit::TicketDraft;
use super::model::Ticket;
use super::ticket_index::TicketIndex;
use super::ticket_store::TicketStore;
use super::worked_on;
use chant_base::error::Error;
use chant_store::StoreError;
use chant_store::disk;
use chant_store::files;
use chant_store::journal::ChangeStep;

/// The most times a ticket is looked up again after its file was moved meanwhile.
const MAX_ATTEMPTS: usize = 10;

/// A ticket before and after a change.
pub(super) struct TicketChange {
    pub(super) code: TicketCode,
    pub(super) before: Ticket,
    pub(super) after: Ticket,
}

impl TicketStore {
    /// Changes a ticket's file, decided on what is true until it is written: `change` gets all tickets
    /// and the text as of then, and may be asked again on fresher ones. An effective change also sets
    /// `lastModified`.
    ///
    /// # Errors
    /// As [`TicketStore::resolve`], `Duplicate`, what `change` refuses, or a `StoreError`; nothing is
    /// written then.
    pub(super) fn change(
        &self,
        key: &str,
        mut change: impl FnMut(&TicketIndex, &TicketCode, &mut TicketDraft) -> Result<(), Error>,
    ) -> Result<TicketChange, Error> {
        self.change_where_it_is(key, &mut change)
    }

    fn change_where_it_is(
        &self,
        key: &str,
        change: &mut dyn FnMut(&TicketIndex, &TicketCode, &mut TicketDraft) -> Result<(), Error>,
    ) -> Result<TicketChange, Error> {
        self.recover()?;
        let mut failed = None;
        for _ in 0..MAX_ATTEMPTS {
            // Kept any longer it would have to be copied when the next one differs.
            let path = self.only_file(&*self.snapshot()?, key)?.1.path.clone();
            if let Some(store) = self.workplace_of(&path) {
                return self.change_elsewhere(&store, key, change);
            }
            match self.change_file(key, &path, &mut *change) {
                Ok(None) => {}
                Ok(Some(changed)) => return Ok(changed),
                Err(error) if is_missing(&error) => failed = Some(error),
                Err(error) => return Err(error),
            }
        }
        let busy = || disk::busy(Path::new(key), "kept moving").into();
        Err(failed.unwrap_or_else(busy))
    }

    /// Changes a ticket in the worktree that it is worked on in, decided on all tickets of this project.
    fn change_elsewhere(
        &self,
        store: &Self,
        key: &str,
        change: &mut dyn FnMut(&TicketIndex, &TicketCode, &mut TicketDraft) -> Result<(), Error>,
    ) -> Result<TicketChange, Error> {
        let changed = store.change_where_it_is(key, &mut |_, code, draft| {
            change(&*self.snapshot()?, code, draft)
        })?;
        Ok(TicketChange {
            before: worked_on::shown(store, &changed.before),
            after: worked_on::shown(store, &changed.after),
            ..changed
        })
    }

    /// [`TicketStore::change`] for the file in which the ticket was found; `None` when it is elsewhere by now.
    fn change_file(
        &self,
        key: &str,
        path: &str,
        change: &mut dyn FnMut(&TicketIndex, &TicketCode, &mut TicketDraft) -> Result<(), Error>,
    ) -> Result<Option<TicketChange>, Error> {
        let gates = [self.root.locate(&self.folder)?];
        let mut changed = None;
        self.journal(&gates)
            .change(&[path], |texts| -> Result<_, Error> {
                let text = texts.first().copied().unwrap_or_default();
                let tickets = self.snapshot()?;
                let (code, ticket) = self.only_file(&tickets, key)?;
                if *ticket.path != *path {
                    return Ok(None);
                }
                let done =
                    self.changed(&tickets, code, TicketDraft::of(path, text), &mut *change)?;
                let step = ChangeStep::Replace {
                    path: path.to_owned(),
                    text: done.after.text.to_string(),
                };
                let steps = if done.after.text == done.before.text {
                    Vec::new()
                } else {
                    vec![step]
                };
                changed = Some(done);
                Ok(Some(steps))
            })?;
        Ok(changed)
    }

    /// Returns a ticket before and after a change; an effective one also sets `lastModified`.
    ///
    /// # Errors
    /// What `change` refuses, or an `EditError`.
    pub(super) fn changed(
        &self,
        tickets: &TicketIndex,
        code: TicketCode,
        mut draft: TicketDraft,
        change: impl FnOnce(&TicketIndex, &TicketCode, &mut TicketDraft) -> Result<(), Error>,
    ) -> Result<TicketChange, Error> {
        draft.refuse_clash()?;
        change(tickets, &code, &mut draft)?;
        if draft.is_changed() {
            draft.refuse_clash()?;
            draft.stamp(&code, &self.now())?;
        }
        let (before, after) = draft.finish();
        Ok(TicketChange {
            code,
            before,
            after,
        })
    }

    /// Removes a ticket's file; gives its code, what it said, and the tickets as they were.
    ///
    /// # Errors
    /// As [`TicketStore::resolve`], `Duplicate`, or a `StoreError`; nothing is removed then.
    pub(super) fn remove(
        &self,
        key: &str,
        about_to: &mut dyn FnMut(&TicketCode) -> Result<(), Error>,
    ) -> Result<(TicketCode, Arc<Ticket>, Arc<TicketIndex>), Error> {
        self.recover()?;
        let (_, ticket) = self.only_file(&*self.snapshot()?, key)?;
        if let Some(store) = self.workplace_of(&ticket.path) {
            let tickets = self.snapshot()?;
            let (code, removed, _) = store.remove(key, about_to)?;
            return Ok((code, Arc::new(worked_on::shown(&store, &removed)), tickets));
        }
        let mut removed = None;
        let done = files::remove(&self.root, &ticket.path, || -> Result<(), Error> {
            let gate = self.folder_lock()?;
            let tickets = self.snapshot()?;
            let (code, now) = self.only_file(&tickets, key)?;
            if now.path != ticket.path {
                return Err(disk::busy(Path::new(&*ticket.path), "was moved").into());
            }
            about_to(&code)?;
            removed = Some((code, now, tickets, gate));
            Ok(())
        });
        match (done, removed) {
            (Ok(()), Some((code, ticket, tickets, _gate))) => Ok((code, ticket, tickets)),
            (Err(error), _) if is_missing(&error) => {
                // Another caller removed or moved it: then it is not there by its key either.
                self.only_file(&*self.snapshot()?, key)?;
                Err(error)
            }
            (Err(error), _) => Err(error),
            (Ok(()), None) => Err(disk::busy(Path::new(key), "was moved").into()),
        }
    }
}

fn is_missing(error: &Error) -> bool {
    matches!(error.downcast_ref(), Some(StoreError::Missing { .. }))
}
