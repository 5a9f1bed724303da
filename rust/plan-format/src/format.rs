//! The interface: the questions that each plan format answers.

use super::document::RootSettings;
use super::finding::{ActingPart, PlanFinding};
use super::intent::{EditIntent, EditRequest, UnitEdit};
use super::join::{JoinInput, join_by_name};
use super::order::{OrderRefusal, PlanOrder, order_of};
use super::program_lock::{LockTarget, ProgramLock};
use super::refusal::EditRefusal;
use super::scope::{FormatScope, RootLayout};
use super::snapshot::PlanSnapshot;
use super::unit::{PlanUnit, UnitSource};

/// The units that are wanted.
pub type UnitFilter<'a> = &'a dyn Fn(&PlanUnit) -> bool;

/// A format in which people keep plans.
///
/// Nothing here touches a file, a clock or the environment. The same texts get the same answers.
pub trait PlanFormat: Send + Sync {
    /// The words, markers and intents of the format (question 1).
    fn scope(&self) -> &'static FormatScope;

    /// The places of its units below one root (question 1). `settings` are the documents that
    /// [`FormatScope::settings`] names, as far as they are there. No place: the root is none of this format.
    fn layout(&self, settings: &RootSettings) -> RootLayout;

    /// Reads the texts of one unit (question 2). Never fails: a text without sense gives a unit with a problem.
    ///
    /// Callers use [`read_unit`](super::unit::read_unit), which sets texts with two versions aside.
    fn read(&self, source: &UnitSource) -> PlanUnit;

    /// Joins all units of a root: keys, waits, states (question 3).
    fn join(&self, input: &JoinInput<'_>) -> PlanSnapshot {
        join_by_name(self.scope(), input, &super::join::state_of_marks)
    }

    /// The one spelling of an item's name, which is what stands behind the colon of its key (question 4).
    fn name(&self, written: &str) -> String {
        written.trim().to_owned()
    }

    /// Returns true if a part of a name, in its one spelling, may mean an item with this whole name (question 4).
    fn is_partial_name(&self, part: &str, name: &str) -> bool {
        super::snapshot::is_part_of_name(part, name)
    }

    /// Returns true if a unit, named as in [`UnitSource::name`], can hold an item with this name (question 4).
    fn may_hold(&self, unit: &str, name: &str) -> bool {
        let unit_of_name = name.split_once('#').map_or(name, |(unit, _)| unit);
        unit == unit_of_name
    }

    /// Returns the edits that do what an intent says (question 5). Without a unit: an item in a unit of its own is
    /// to be added.
    ///
    /// Callers use [`apply_checked`](super::checked_edit::apply_checked), which holds the format to the law.
    ///
    /// # Errors
    /// [`EditRefusal`] where the intent cannot be done without harm.
    fn edit(
        &self,
        unit: Option<&PlanUnit>,
        request: &EditRequest<'_>,
    ) -> Result<UnitEdit, EditRefusal>;

    /// The locks that the format's own program takes for such an edit, and that a writer beside it takes, too
    /// (question 5): to edit a unit, or to add an item.
    fn program_locks(&self, _settings: &RootSettings, _target: LockTarget<'_>) -> Vec<ProgramLock> {
        Vec::new()
    }

    /// Returns the name that an item has by the name of its unit, where new items are numbered and those of other
    /// branches count (question 4).
    fn numbered_name(&self) -> Option<fn(&str) -> Option<String>> {
        None
    }

    /// Checks all units by the format's own rules (question 6).
    fn check(&self, snapshot: &PlanSnapshot) -> Vec<PlanFinding> {
        self.check_units(snapshot, &|_| true)
    }

    /// Checks the units that are wanted, among all of them. Costs what is wanted.
    fn check_units(&self, snapshot: &PlanSnapshot, is_wanted: UnitFilter<'_>) -> Vec<PlanFinding>;

    /// The work order of a node of a snapshot (question 7).
    ///
    /// # Errors
    /// [`OrderRefusal`] where there is nothing to do.
    fn order(&self, snapshot: &PlanSnapshot, node: usize) -> Result<PlanOrder, OrderRefusal> {
        order_of(snapshot, node)
    }

    /// Returns true if the parts of an item that only holds others are worked on one by one (question 7).
    fn is_worked_in_parts(&self) -> bool {
        false
    }

    /// The documents of a folder of its own that a run on one of its items may write, by their names (question 7).
    fn free_documents(&self) -> &'static [&'static str] {
        &[]
    }

    /// The edits besides its boxes that say that an item is done, each with the name of the item that it is about
    /// (question 7). The boxes are ticked already.
    fn landed(
        &self,
        _unit: &PlanUnit,
        _settings: &RootSettings,
        _item: usize,
    ) -> Vec<(Box<str>, EditIntent)> {
        Vec::new()
    }

    /// The entries of a text that make programs or agents act (question 8).
    fn acts(&self, settings: &RootSettings, path: &str, text: &str) -> Vec<ActingPart>;

    /// Returns true if a path below a root is a planning document of this format (question 8).
    fn is_document(&self, settings: &RootSettings, path: &str) -> bool {
        let layout = self.layout(settings);
        let is_setting = self.scope().settings.contains(&path);
        let mut units = layout.units.iter();
        is_setting || units.any(|unit| unit.unit_at(path).is_some_and(|found| found.is_document))
    }
}
