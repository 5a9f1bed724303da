//! Which items are wanted.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;

use super::Workspace;
use super::error::WorkspaceError;
use super::item::Item;
use super::workspace_graph::WorkspaceGraph;
use chant_base::format_words::{find_format_word, format_words};
use chant_speckit::task::TaskMark;
use chant_specs::model::SpecStatus;
use chant_specs::view::held_specs::{HeldSpecs, RemoteCounts};
use chant_tickets::model::TicketStatus;
use chant_vine::model::TaskStatus;

/// The conditions that items have to meet: values of one list are alternatives, different lists all have to fit.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ItemFilter {
    /// States, in the words of the dialects, in any case of letters, blanks or underscores between them.
    pub statuses: Vec<String>,
    /// Labels.
    pub labels: Vec<String>,
    /// Dialects.
    pub dialects: Vec<String>,
    /// True if only items that can be started now are wanted.
    pub ready: bool,
    /// True if those are wanted, too, that another clone holds.
    pub include_held: bool,
    /// The specs that other clones hold, where these are left out.
    #[serde(skip)]
    pub held: Arc<HeldSpecs>,
}

impl ItemFilter {
    /// The filter with its words checked and made alike, and with what other clones hold at the moment of the
    /// last snapshot.
    ///
    /// # Errors
    /// `Invalid` for a word that is no state or no dialect.
    pub fn checked(mut self, workspace: &Workspace) -> Result<Self, WorkspaceError> {
        if self.ready && !self.include_held {
            self.held = workspace.parts.chant.held_elsewhere();
        }
        for dialect in &self.dialects {
            if find_format_word(dialect).is_none() {
                return Err(WorkspaceError::Invalid {
                    name: "dialect",
                    given: dialect.clone(),
                    expected: format!("one of {}", format_words().join(", ")),
                });
            }
        }
        let of_formats = workspace.plan_statuses();
        let mut known: Vec<&str> = statuses();
        for word in &of_formats {
            if !known.iter().any(|known| plain(known) == plain(word)) {
                known.push(word);
            }
        }
        for status in &mut self.statuses {
            let word = plain(status);
            if !known.iter().any(|known| plain(known) == word) {
                return Err(WorkspaceError::Invalid {
                    name: "status",
                    given: status.clone(),
                    expected: format!("one of {}", known.join(", ")),
                });
            }
            *status = word;
        }
        Ok(self)
    }

    /// The items that the filter has to look at, in the order of lists: where what can be started now is wanted, of
    /// specs none but these.
    pub(super) fn candidates<'a>(
        &self,
        joined: &'a WorkspaceGraph,
    ) -> impl Iterator<Item = Item<'a>> + use<'a> {
        let ready = self.ready.then(|| joined.nodes_if_ready());
        let all = (!self.ready).then(|| joined.nodes());
        let nodes = ready.into_iter().flatten().chain(all.into_iter().flatten());
        let items = nodes.filter_map(|node| joined.item(node));
        items.filter(|item| !item.is_phase())
    }

    /// Returns true if an item is wanted by a checked filter.
    pub fn fits(&self, item: &Item<'_>) -> bool {
        self.fits_here(item) && !self.is_held(item)
    }

    /// Returns true if only another clone keeps an item from being wanted.
    pub(super) fn leaves_out(&self, item: &Item<'_>) -> bool {
        self.is_held(item) && self.fits_here(item)
    }

    /// Counts the items that only other clones keep from being wanted.
    pub(super) fn count_left_out<'a>(&self, items: impl Iterator<Item = Item<'a>>) -> RemoteCounts {
        let left_out = items.filter(|item| self.leaves_out(item));
        let ids: Vec<Cow<'a, str>> = left_out.map(|item| item.id()).collect();
        self.held.count(ids.iter().map(|id| &**id))
    }

    fn is_held(&self, item: &Item<'_>) -> bool {
        item.spec_id().is_some_and(|id| self.held.keeps(id))
    }

    fn fits_here(&self, item: &Item<'_>) -> bool {
        let any = |wanted: &[String], is: &dyn Fn(&String) -> bool| {
            wanted.is_empty() || wanted.iter().any(is)
        };
        let labels = item.labels();
        any(&self.dialects, &|dialect| dialect == item.dialect())
            && any(&self.labels, &|label| {
                labels.iter().any(|own| **own == **label)
            })
            && any(&self.statuses, &|status| has_status(item, status))
            && (!self.ready || item.is_ready())
    }

    /// Returns true if an item is one that a list without a filter shows: cancelled specs are asked for.
    pub fn shows(&self, item: &Item<'_>) -> bool {
        let is_cancelled = || item.status() == SpecStatus::Cancelled.as_str();
        self.fits(item) && (!self.statuses.is_empty() || !is_cancelled())
    }
}

/// Returns true if an item is in a state; `open` and `done` are understood of every format that comes through the
/// interface.
fn has_status(item: &Item<'_>, status: &str) -> bool {
    let by_word = || plain(item.status()) == *status;
    match (item.plan_entry().is_some(), status) {
        (true, "done") => item.is_done(),
        (true, "open") => !item.is_done(),
        _ => by_word(),
    }
}

/// The words for states that filters take, each without blanks.
pub fn status_words() -> Vec<String> {
    statuses()
        .iter()
        .map(|word| word.replace(' ', "_"))
        .collect()
}

/// All states of all dialects, in the order of the dialects.
fn statuses() -> Vec<&'static str> {
    let specs = SpecStatus::ALL.into_iter().map(SpecStatus::as_str);
    let tasks = TaskStatus::ALL.into_iter().map(TaskStatus::as_str);
    let marks = TaskMark::ALL.into_iter().map(TaskMark::as_str);
    let tickets = TicketStatus::ALL.iter().map(|status| status.as_str());
    let mut words: Vec<&str> = Vec::new();
    for word in specs
        .chain(tasks)
        .chain(["ref"])
        .chain(marks)
        .chain(tickets)
    {
        if !words.iter().any(|known| plain(known) == plain(word)) {
            words.push(word);
        }
    }
    words
}

/// Where a state stands among those of its dialect; a word that is none comes last.
pub(super) fn order(status: &str) -> usize {
    let word = plain(status);
    let known = statuses();
    let at = known.iter().position(|known| plain(known) == word);
    at.unwrap_or(known.len())
}

/// A state in lower case with underscores.
pub(super) fn plain(word: &str) -> String {
    let word = word.trim().to_lowercase();
    word.replace([' ', '-'], "_")
}
