//! The joined graph laid out for questions about all of it, with what is known of its items in columns.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::item::Item;
use super::workspace_graph::WorkspaceGraph;
use super::{Workspace, revision_view};
use chant_base::counted::count_visited;
use chant_base::error::Error;
use chant_base::external_items::{split_key, split_repository};
use chant_graph::network::Network;
use chant_graph::{Edge, ItemProgress, Node};
use chant_work::durations::RunStatistics;
use chant_work::learned_amounts::LearnedAmount;

/// All items and their dependencies at one moment.
///
/// Items stand in the order of lists; behind them those that are only named. The dependencies of an item are
/// those that lists say: an edge that holds nothing up though its beginning is not done is left out.
pub struct AnalyticsGraph {
    /// The graph.
    pub network: Arc<Network>,
    /// The durations that runs teach.
    pub learned: RunStatistics,
    repository: String,
    /// The agent that works when none is named.
    agent: Option<String>,
    joined: Arc<WorkspaceGraph>,
    nodes: Arc<[Node]>,
}

/// A network, and the nodes of its items in their order.
pub(super) type NetworkNodes = (Arc<Network>, Arc<[Node]>);

/// The respect that says in which repository an item lies.
pub const REPOSITORY: &str = "repo";

/// The respects in which something is known of items.
pub const COLUMNS: [&str; 13] = [
    REPOSITORY, "dialect", "title", "status", "path", "kind", "ready", "priority", "assignee",
    "weight", "duration", "expected", "tone",
];

/// The values of all items in one respect, in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ItemColumn<'a> {
    /// Words; `None` where there is none.
    Texts(Vec<Option<Cow<'a, str>>>),
    /// Claims that hold or do not.
    Flags(Vec<bool>),
    /// Numbers; `None` where none is known.
    Numbers(Vec<Option<f64>>),
}

impl ItemColumn<'_> {
    /// The same values, with texts of their own.
    pub fn into_owned(self) -> ItemColumn<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Texts(texts) => {
                ItemColumn::Texts(texts.into_iter().map(|text| text.map(owned)).collect())
            }
            Self::Flags(flags) => ItemColumn::Flags(flags),
            Self::Numbers(numbers) => ItemColumn::Numbers(numbers),
        }
    }

    /// The values at some places of several columns in the same respect: each the number of a column, and the
    /// place there.
    pub fn gather<'a>(parts: &[&'a ItemColumn<'_>], places: &[(usize, u32)]) -> ItemColumn<'a> {
        let places = places
            .iter()
            .map(|(part, item)| (parts[*part], *item as usize));
        match parts.first() {
            Some(ItemColumn::Flags(_)) => ItemColumn::Flags(
                places
                    .map(|(part, at)| matches!(part, ItemColumn::Flags(flags) if flags[at]))
                    .collect(),
            ),
            Some(ItemColumn::Numbers(_)) => ItemColumn::Numbers(
                places
                    .map(|(part, at)| match part {
                        ItemColumn::Numbers(numbers) => numbers[at],
                        _ => None,
                    })
                    .collect(),
            ),
            _ => ItemColumn::Texts(
                places
                    .map(|(part, at)| match part {
                        ItemColumn::Texts(texts) => texts[at].as_deref().map(Cow::Borrowed),
                        _ => None,
                    })
                    .collect(),
            ),
        }
    }

    /// Returns true if the values of a respect, one of [`COLUMNS`], are of this kind.
    pub fn is_kind_of(&self, name: &str) -> bool {
        match name {
            "ready" => matches!(self, Self::Flags(_)),
            "weight" | "duration" | "expected" => matches!(self, Self::Numbers(_)),
            _ => matches!(self, Self::Texts(_)),
        }
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Texts(texts) => texts.len(),
            Self::Flags(flags) => flags.len(),
            Self::Numbers(numbers) => numbers.len(),
        }
    }

    /// Returns true if there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl AnalyticsGraph {
    /// The graph as of now.
    ///
    /// # Errors
    /// As [`Workspace::snapshot`], or more items than a network numbers.
    pub fn of(workspace: &Workspace) -> Result<Self, Error> {
        let joined = workspace.snapshot()?;
        let (network, nodes) = workspace.laid(&joined)?;
        Ok(Self {
            network,
            learned: workspace.learned()?,
            repository: workspace.repository_name(),
            agent: workspace.usual_agent(),
            joined,
            nodes,
        })
    }

    /// The graph as a commit has it, read from git without a checkout. Durations are
    /// learned from the runs that ended by the time of the commit.
    ///
    /// # Errors
    /// `NoHistory` outside of a checkout, or a `GitError`: `NoCommit` for a revision that names none.
    pub fn at(workspace: &Workspace, revision: &str) -> Result<Self, Error> {
        let (joined, moment) = revision_view::graph_at_revision(workspace, revision)?;
        let joined = Arc::new(joined);
        let (network, nodes) = build_network(&joined)?;
        Ok(Self {
            network,
            learned: workspace.learned_until(moment)?,
            repository: workspace.repository_name(),
            agent: workspace.usual_agent(),
            joined,
            nodes,
        })
    }

    /// The graph of the items of a commit, of which nothing but the commit is known.
    ///
    /// # Errors
    /// More items than a network numbers.
    pub(super) fn of_commit(joined: WorkspaceGraph) -> Result<Self, Error> {
        let joined = Arc::new(joined);
        let (network, nodes) = build_network(&joined)?;
        Ok(Self {
            network,
            learned: RunStatistics::default(),
            repository: String::new(),
            agent: None,
            joined,
            nodes,
        })
    }

    /// Returns the values of the items in one respect, one of [`COLUMNS`].
    pub fn column(&self, name: &str) -> Option<ItemColumn<'_>> {
        Some(match name {
            "repo" => self.texts(|node, _| self.repository(node)),
            "dialect" => self.texts(|node, _| self.dialect(node)),
            "title" => self.of_items(|item| Some(item.title().into())),
            "status" => self.texts(|node, item| {
                let outside = || self.joined.outside(node).0;
                let status = item.map_or_else(outside, |item| item.status());
                Some(status.into())
            }),
            "path" => self.of_items(|item| Some(item.path().into())),
            "kind" => self.of_items(|item| Some(item.kind().into())),
            "ready" => {
                let is_ready = |item: Option<Item<'_>>| item.is_some_and(|item| item.is_ready());
                ItemColumn::Flags(self.items().map(|(_, item)| is_ready(item)).collect())
            }
            "priority" => self.of_items(|item| item.priority()),
            "assignee" => self.of_items(|item| item.assignee()),
            "weight" => self.numbers(|item| Some(item.map_or(0.0, |item| item.weight()))),
            "duration" => self.numbers(|item| {
                let spec = item?.spec_id()?;
                self.learned.duration.of(spec)
            }),
            "expected" => self.numbers(|item| {
                expected_seconds(item?, &self.learned.duration, self.agent.as_deref())
            }),
            "tone" => self.texts(|node, item| {
                let outside = || self.joined.outside(node).1;
                let tone = item.map_or_else(outside, |item| item.drawn());
                Some(tone.word().into())
            }),
            _ => return None,
        })
    }

    fn items(&self) -> impl Iterator<Item = (Node, Option<Item<'_>>)> {
        let nodes = self.nodes.iter().copied();
        nodes.map(|node| (node, self.joined.item(node)))
    }

    fn texts<'a>(
        &'a self,
        text: impl Fn(Node, Option<Item<'a>>) -> Option<Cow<'a, str>>,
    ) -> ItemColumn<'a> {
        ItemColumn::Texts(self.items().map(|(node, item)| text(node, item)).collect())
    }

    fn of_items<'a>(&'a self, text: impl Fn(Item<'a>) -> Option<Cow<'a, str>>) -> ItemColumn<'a> {
        self.texts(|_, item| item.and_then(&text))
    }

    fn numbers<'a>(&'a self, number: impl Fn(Option<Item<'a>>) -> Option<f64>) -> ItemColumn<'a> {
        ItemColumn::Numbers(self.items().map(|(_, item)| number(item)).collect())
    }

    /// Where an item lies, or where one that is only named is looked for.
    fn repository(&self, node: Node) -> Option<Cow<'_, str>> {
        let named = split_repository(self.joined.graph().key(node));
        let name = named.map_or(&*self.repository, |(repository, _)| repository);
        (!name.is_empty()).then(|| name.into())
    }

    fn dialect(&self, node: Node) -> Option<Cow<'static, str>> {
        let named = || split_key(self.joined.graph().key(node)).map(|(dialect, _)| dialect);
        let item = self.joined.item(node).map(|item| item.dialect());
        item.or_else(named).map(Cow::Borrowed)
    }
}

/// Returns the seconds that the next work on an item is expected to take; `None` while no run has ended. Runs work on
/// specs; other items take as long as these usually do.
pub(super) fn expected_seconds(
    item: Item<'_>,
    learned: &LearnedAmount,
    agent: Option<&str>,
) -> Option<f64> {
    let expected = match item.spec_id() {
        Some(spec) => learned.expected(spec, &item.work_traits(agent)),
        None => learned.median,
    };
    Some(expected? * item.weight())
}

/// Lays out all items with what they wait for.
///
/// # Errors
/// More items than a network numbers.
pub(super) fn build_network(joined: &WorkspaceGraph) -> Result<NetworkNodes, Error> {
    let graph = joined.graph();
    let mut nodes: Vec<Node> = joined.nodes().collect();
    let mut places: Vec<Option<u32>> = vec![None; graph.len()];
    for (place, node) in (0..).zip(&nodes) {
        places[node.index()] = Some(place);
    }
    let mut edges: Vec<(u32, u32)> = Vec::with_capacity(graph.len());
    for (place, node) in (0..).zip(nodes.clone()) {
        for edge in graph.edges(node) {
            if !counts(joined, node, edge) {
                continue;
            }
            let before = *places[edge.to.index()].get_or_insert_with(|| {
                nodes.push(edge.to);
                narrow(nodes.len() - 1)
            });
            edges.push((before, place));
        }
    }
    let keys = nodes.iter().map(|node| graph.key(*node)).collect();
    let progress = nodes.iter().map(|node| graph.progress(*node)).collect();
    let network = Network::new(keys, progress, &edges)?;
    Ok((Arc::new(network), nodes.into()))
}

/// The layout of an earlier version as of now, where what changed since stands where it stood and waits for what it
/// waited for; what that costs is what changed. `None` where everything has to be laid out.
pub(super) fn renew_network(
    joined: &WorkspaceGraph,
    since: u64,
    (network, nodes): &NetworkNodes,
) -> Option<NetworkNodes> {
    let graph = joined.graph();
    let place_of = |node: Node| network.find(graph.key(node));
    let touched: BTreeSet<Node> = joined.recent().since(since)?.copied().collect();
    let mut progress = Vec::new();
    for node in &touched {
        let place = place_of(*node)?;
        let order = joined.place(*node);
        let mut beside = [place.checked_sub(1), place.checked_add(1)].map(|beside| {
            let node = nodes.get(beside? as usize)?;
            Some(joined.place(*node))
        });
        let (before, after) = (beside[0].take(), beside[1].take().flatten());
        let stays = order.is_some()
            && before.is_none_or(|before| before.is_some() && before < order)
            && after.is_none_or(|after| order < Some(after));
        if !stays {
            return None;
        }
        if graph.progress(*node) != network.progress(place) {
            progress.push((place, graph.progress(*node)));
        }
    }
    let waiting = touched
        .iter()
        .flat_map(|node| &graph.waiting()[node.index()]);
    let concerned: BTreeSet<Node> = waiting.chain(&touched).copied().collect();
    count_visited(concerned.len());
    for node in concerned {
        let edges = graph
            .edges(node)
            .iter()
            .filter(|edge| counts(joined, node, edge));
        let before: Option<BTreeSet<u32>> = edges.map(|edge| place_of(edge.to)).collect();
        if !before?.iter().eq(network.before(place_of(node)?)) {
            return None;
        }
    }
    let network = if progress.is_empty() {
        Arc::clone(network)
    } else {
        Arc::new(network.with_progress(&progress))
    };
    Some((network, Arc::clone(nodes)))
}

/// Returns true if an item waits for the other end of an edge until that is done.
fn counts(joined: &WorkspaceGraph, node: Node, edge: &Edge) -> bool {
    let is_done = joined.graph().progress(edge.to) == ItemProgress::Done;
    is_done || joined.is_unmet(node, edge)
}

/// A number of nodes; [`Network::new`] refuses more than fit.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a graph numbers its nodes with a u32"
)]
fn narrow(count: usize) -> u32 {
    count as u32
}
