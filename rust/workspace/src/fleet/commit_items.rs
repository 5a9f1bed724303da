//! All that tables say of the items of a commit.

use serde::{Deserialize, Serialize};

use std::collections::HashSet;

use crate::analytics_graph::{AnalyticsGraph, COLUMNS, ItemColumn, REPOSITORY};
use crate::repository_union::UnionPart;
use crate::workspace_graph::WorkspaceGraph;
use chant_base::error::Error;
use chant_base::external_items::is_key;
use chant_graph::ItemProgress;

/// A run of an agent whose work has landed, as its receipt says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitRun {
    /// The spec.
    pub spec: String,
    /// The number of the run among those of the spec.
    pub token: String,
    /// The agent, by its name in the configuration.
    pub agent: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The branch on which it landed.
    pub target: Option<String>,
    /// The start, RFC 3339, UTC.
    pub started_at: Option<String>,
    /// The end, RFC 3339, UTC.
    pub ended_at: String,
}

/// Something that is wrong with a file of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CommitProblem {
    pub(super) path: String,
    pub(super) line: Option<usize>,
    pub(super) message: String,
}

/// The respects whose values are kept; the repository is named by those who ask.
pub(super) fn kept_columns() -> impl Iterator<Item = &'static str> {
    COLUMNS.into_iter().filter(|name| *name != REPOSITORY)
}

/// The items of a commit, in the form in which they are kept.
#[derive(Serialize, Deserialize)]
pub(super) struct CommitItems {
    keys: Vec<String>,
    /// How far each item is: `o` for open, `d` for done, `a` for one that is only named.
    progress: String,
    edges: Vec<(u32, u32)>,
    /// The values in each respect of [`kept_columns`].
    columns: Vec<ItemColumn<'static>>,
    pub(super) problems: Vec<CommitProblem>,
    pub(super) runs: Vec<CommitRun>,
}

impl CommitItems {
    /// Takes what tables say out of the items of a commit.
    ///
    /// # Errors
    /// More items than a network numbers.
    pub(super) fn of(joined: WorkspaceGraph, runs: Vec<CommitRun>) -> Result<Self, Error> {
        let problems = joined.problems().iter().map(|problem| CommitProblem {
            path: problem.path.to_string(),
            line: problem.line,
            message: problem.message.clone(),
        });
        let problems = problems.collect();
        let graph = AnalyticsGraph::of_commit(joined)?;
        let network = &graph.network;
        let letters = network.items().map(|item| match network.progress(item) {
            ItemProgress::Open => 'o',
            ItemProgress::Done => 'd',
            ItemProgress::Absent => 'a',
        });
        let columns = kept_columns().filter_map(|name| graph.column(name));
        Ok(Self {
            keys: network.keys().map(str::to_owned).collect(),
            progress: letters.collect(),
            edges: network.edges().collect(),
            columns: columns.map(ItemColumn::into_owned).collect(),
            problems,
            runs,
        })
    }

    /// The graph of the items, of a repository of this name.
    pub(super) fn part<'a>(&'a self, name: &'a str) -> UnionPart<'a> {
        let progress = self.progress.chars().map(|letter| match letter {
            'o' => ItemProgress::Open,
            'd' => ItemProgress::Done,
            _ => ItemProgress::Absent,
        });
        UnionPart {
            name: Some(name),
            keys: self.keys.iter().map(String::as_str).collect(),
            progress: progress.collect(),
            edges: self.edges.clone(),
        }
    }

    /// The values of all items in a respect of [`kept_columns`], by its place there.
    pub(super) fn column(&self, place: usize) -> Option<&ItemColumn<'static>> {
        self.columns.get(place)
    }

    /// Reads what a worker of a cluster sent; `None` for what no worker of ours sends.
    pub(super) fn received(text: &str) -> Option<Self> {
        let items: Self = serde_json::from_str(text).ok()?;
        (items.is_whole() && items.is_of_its_kinds()).then_some(items)
    }

    /// Returns true if keys are keys, each of one item, and columns have the values that they should have.
    fn is_of_its_kinds(&self) -> bool {
        let mut seen = HashSet::new();
        let mut keys = self.keys.iter();
        let mut columns = kept_columns().zip(&self.columns);
        keys.all(|key| is_key(key) && seen.insert(key))
            && self.progress.bytes().all(|letter| b"oda".contains(&letter))
            && columns.all(|(name, column)| column.is_kind_of(name))
    }

    /// Returns true if what was kept is a graph, and every column has a value for each of its items.
    pub(super) fn is_whole(&self) -> bool {
        let count = self.keys.len();
        let mut ends = self.edges.iter().flat_map(|(from, to)| [*from, *to]);
        let mut columns = self.columns.iter();
        self.columns.len() == kept_columns().count()
            && self.progress.len() == count
            && ends.all(|end| (end as usize) < count)
            && columns.all(|column| column.len() == count)
    }
}
