//! The ids that imported specs are given, as `chant_add` gives them.

use std::collections::{HashMap, HashSet};

use crate::error::ChantError;
use crate::id::{InvalidSpecId, SpecId, sequence_text};
use crate::ops::add::{last_of_today, suffix};
use crate::project::{Project, ProjectSnapshot};
use chant_base::error::Error;

/// The free ids; they stay free while the specs folder is locked.
pub(super) struct FreeIds<'a> {
    project: &'a Project,
    snapshot: &'a ProjectSnapshot,
    today: String,
    sequence: u64,
    /// The taken numbers of members, by their parents.
    numbers: HashMap<String, HashSet<u64>>,
}

impl<'a> FreeIds<'a> {
    pub(super) fn of(project: &'a Project, snapshot: &'a ProjectSnapshot) -> Self {
        let today = project.today();
        Self {
            project,
            snapshot,
            sequence: last_of_today(project, snapshot, &today),
            today,
            numbers: HashMap::new(),
        }
    }

    /// Returns the next ID of today.
    pub(super) fn next(&mut self) -> Result<SpecId, Error> {
        self.sequence += 1;
        let (today, sequence) = (&self.today, sequence_text(self.sequence));
        checked(format!("{today}-{sequence}-{}", suffix()).parse())
    }

    /// Returns the id of a member: with its own number if that is free, else with the next one.
    pub(super) fn member(&mut self, parent: &str, own: Option<u64>) -> Result<SpecId, Error> {
        let parent = checked(parent.parse())?;
        let numbers = || self.project.numbers_of_members(self.snapshot, &parent);
        let taken = self.numbers.entry(parent.to_string());
        let taken = taken.or_insert_with(|| numbers().collect());
        let next = || taken.iter().max().map_or(1, |last| last + 1);
        let own = own.filter(|number| !taken.contains(number));
        let number = own.unwrap_or_else(next);
        taken.insert(number);
        checked(parent.member(number))
    }
}

fn checked(id: Result<SpecId, InvalidSpecId>) -> Result<SpecId, Error> {
    Ok(id.map_err(|error| ChantError::Refused(error.to_string()))?)
}
