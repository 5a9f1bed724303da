//! Another number for a ticket: in its file, in the file's name, and in all documents that name it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::code::TicketCode;
use super::model::Ticket;
use super::parse;
use super::ticket_graph::key_of;
use super::ticket_store::{TicketStore, is_elsewhere};
use chant_base::error::Error;
use chant_store::disk;
use chant_store::files;
use chant_store::journal::ChangeStep;

/// A ticket that gets another number.
pub(super) struct Renumbering<'a> {
    /// Its file when it got its number.
    pub(super) path: &'a str,
    pub(super) from: TicketCode,
    pub(super) to: TicketCode,
}

/// The outcome for a ticket that was to get another number.
pub(super) enum RenumberOutcome {
    /// It has the number.
    Done {
        /// The number of other documents that named it.
        documents: usize,
    },
    /// That ticket is gone, or has another number already.
    NotNeeded,
    /// It was left alone for this reason.
    Unsafe(String),
}

impl TicketStore {
    /// Gives a ticket another number that is free. All texts change together or not at all; then the file gets its
    /// name, which a second call makes up for where the first one was interrupted. Returns the number of other
    /// documents that named it.
    ///
    /// It is safe while git knows no file of that number: then all that names it here means this ticket.
    ///
    /// # Errors
    /// A `StoreError`.
    pub(super) fn renumber(&self, change: &Renumbering<'_>) -> Result<RenumberOutcome, Error> {
        let tickets = self.snapshot()?;
        if !tickets.files(&change.to).is_empty() {
            // The texts were changed before.
            return self
                .rename_to_fit(change)
                .map(|()| RenumberOutcome::NotNeeded);
        }
        let ticket = match tickets.files(&change.from) {
            [] => return Ok(RenumberOutcome::NotNeeded),
            [ticket] => ticket.clone(),
            _ => {
                let why = "several files here have it, so that what names it may mean either";
                return Ok(RenumberOutcome::Unsafe(why.into()));
            }
        };
        if let Some(why) = self.refuse_renumbering(&ticket, &change.from) {
            // Another clone's ticket that came here by git is no reason to look after ours, which is gone.
            let is_ours = *ticket.path == *change.path;
            return Ok(if is_ours {
                RenumberOutcome::Unsafe(why)
            } else {
                RenumberOutcome::NotNeeded
            });
        }
        if let Some(path) = self.fixed_document(&ticket, change)? {
            let why = format!("`{path}` names it by its number alone, or in a worktree");
            return Ok(RenumberOutcome::Unsafe(why));
        }
        let others = self.documents_naming(&ticket, change)?;
        let mut paths: Vec<&str> = others.iter().map(String::as_str).collect();
        paths.push(&ticket.path);
        let gates = self.gates_of(&paths)?;
        self.journal(&gates)
            .change(&paths, |texts| -> Result<_, Error> {
                let texts = paths.iter().zip(texts);
                let steps = texts.filter_map(|(path, text)| {
                    Some(ChangeStep::Replace {
                        path: (*path).to_owned(),
                        text: replace_code(text, &self.place.code, change)?,
                    })
                });
                Ok(Some(steps.collect()))
            })?;
        self.rename_to_fit(change)?;
        Ok(RenumberOutcome::Done {
            documents: others.len(),
        })
    }

    /// Returns why a ticket cannot get another number by itself.
    fn refuse_renumbering(&self, ticket: &Ticket, code: &TicketCode) -> Option<String> {
        if is_elsewhere(&ticket.path) {
            return Some("it is worked on in a worktree".into());
        }
        if disk::exists(&self.root.path().join(self.within(&code.to_string()))) {
            return Some("it has a folder of its own".into());
        }
        match self.numbers_in_git() {
            Ok(numbers) if numbers.contains(&code.number()) => {
                Some("git knows a file of that number already".into())
            }
            Ok(_) => None,
            Err(error) => Some(format!("git does not say whether it is committed: {error}")),
        }
    }

    /// Returns another ticket that names this one in a way that cannot be changed.
    fn fixed_document(
        &self,
        ticket: &Ticket,
        change: &Renumbering<'_>,
    ) -> Result<Option<String>, Error> {
        let tickets = self.snapshot()?;
        let is_fixed = |other: &Ticket| {
            let text = replace_code(&other.text, &self.place.code, change);
            let is_left = text.as_deref().map_or_else(
                || names_it(other, change),
                |text| names_it(&parse::ticket(&other.path, text.to_owned()), change),
            );
            is_left || (text.is_some() && is_elsewhere(&other.path))
        };
        let mut others = tickets.all().map(|(_, other)| other);
        let fixed = others.find(|other| other.path != ticket.path && is_fixed(other));
        Ok(fixed.map(|other| other.path.to_string()))
    }

    /// Returns the other documents that name a ticket.
    fn documents_naming(
        &self,
        ticket: &Ticket,
        change: &Renumbering<'_>,
    ) -> Result<Vec<String>, Error> {
        let tickets = self.snapshot()?;
        let names = |text: &str| replace_code(text, &self.place.code, change).is_some();
        let others = tickets.all().map(|(_, other)| other);
        let naming = others.filter(|other| other.path != ticket.path && names(&other.text));
        let mut found: BTreeSet<String> = naming.map(|other| other.path.to_string()).collect();
        let beside = self.numbers.as_ref();
        let beside = beside.map(|shared| shared.naming_documents()).transpose()?;
        for path in beside.into_iter().flatten() {
            let text = files::read(&self.disk, &self.root, &path);
            if text.is_ok_and(|(text, _)| names(&text)) {
                found.insert(path);
            }
        }
        Ok(found.into_iter().collect())
    }

    /// The folders in which documents lie, whose locks keep others from changing them meanwhile.
    fn gates_of(&self, paths: &[&str]) -> Result<Vec<PathBuf>, Error> {
        let folder = |path: &str| {
            path.rsplit_once('/')
                .map_or("", |(folder, _)| folder)
                .to_owned()
        };
        let folders: BTreeSet<String> = paths.iter().map(|path| folder(path)).collect();
        let gates = folders.iter().map(|folder| self.root.locate(folder));
        Ok(gates.collect::<Result<_, _>>()?)
    }

    /// Gives the file of a ticket that has its new number the name that says so.
    fn rename_to_fit(&self, change: &Renumbering<'_>) -> Result<(), Error> {
        let _gate = self.folder_lock()?;
        let tickets = self.snapshot()?;
        let [ticket] = tickets.files(&change.to) else {
            return Ok(());
        };
        let name = ticket.path.rsplit('/').next().unwrap_or_default();
        if TicketCode::of_name(name, &self.place.code).as_ref() == Some(&change.from)
            && let Some(name) = replace_code(name, &self.place.code, change)
        {
            files::relocate(&self.root, &ticket.path, &self.within(&name))?;
        }
        Ok(())
    }
}

/// Returns true if a ticket's relations name the one that gets another number.
fn names_it(ticket: &Ticket, change: &Renumbering<'_>) -> bool {
    let key = change.from.to_string();
    let project = key.rsplit_once('-').map_or("", |(project, _)| project);
    let lists = [&ticket.depends_on, &ticket.blocks, &ticket.related_tickets];
    let mut named = lists.into_iter().flatten();
    named.any(|name| key_of(name, project) == key)
}

/// Puts another code in the place of one wherever it stands alone, in any spelling; `None` where it does not.
fn replace_code(text: &str, project: &str, change: &Renumbering<'_>) -> Option<String> {
    let mut replaced = String::with_capacity(text.len());
    let mut kept = 0;
    let mut is_inside = false;
    for (at, c) in text.char_indices() {
        if at >= kept
            && !is_inside
            && TicketCode::of_name(&text[at..], project).as_ref() == Some(&change.from)
        {
            let digits = at + project.len() + 1;
            let end = text[digits..]
                .find(|c: char| !c.is_ascii_digit())
                .map_or(text.len(), |length| digits + length);
            replaced.push_str(&text[kept..at]);
            replaced.push_str(&change.to.to_string());
            kept = end;
        }
        is_inside = c.is_alphanumeric() || matches!(c, '-' | '_');
    }
    if kept == 0 {
        return None;
    }
    replaced.push_str(&text[kept..]);
    Some(replaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_replaced_where_it_stands_alone() {
        let change = Renumbering {
            path: "",
            from: TicketCode::new("DEM", 5),
            to: TicketCode::new("DEM", 12),
        };
        for (text, expected) in [
            ("DEM-005", "DEM-012"),
            (
                "tickets:DEM-005, dem-5 and (DEM-0005)",
                "tickets:DEM-012, DEM-012 and (DEM-012)",
            ),
            ("[x](DEM-005-log-in.md)", "[x](DEM-012-log-in.md)"),
            ("DEM-0050 ADEM-005 X-DEM-005 DEM-005a DEM-050", ""),
            ("", ""),
        ] {
            let found = replace_code(text, "DEM", &change).unwrap_or_default();
            assert_eq!(found, expected, "{text}");
        }
    }
}
