//! The columns of boards, kept from one question to the next and changed only where items changed.
//!
//! Nothing here holds the graph itself: it is changed in place while no reader does.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, PoisonError};

use rayon::prelude::*;

use super::Workspace;
use super::board::{ItemSearch, SearchWords};
use super::board_shapes::MeaningCard;
use super::change_feed::ChangeCursor;
use super::error::WorkspaceError;
use super::item::Item;
use super::item_names::ItemNames;
use super::meaning::WorkMeaning;
use super::run_situations::RunSituations;
use super::workspace_graph::WorkspaceGraph;
use chant_base::counted::count_visited;
use chant_base::error::Error;
use chant_base::format_words::{find_format_word, format_words};
use chant_graph::Node;

/// Searches whose columns are kept.
const MAX_SEARCHES: usize = 8;
/// Cards that are kept.
const MAX_CARDS: usize = 4_096;
/// Where more than one of so many items is touched, all are looked at again.
const WORTH_TAKING_IN: usize = 8;

/// The items that a board shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BoardFilter {
    /// The text that has to stand in their IDs, titles or labels; empty for all.
    pub text: String,
    /// True if their texts are looked through, too.
    pub bodies: bool,
    /// The dialect that they are of; `None` for all.
    pub dialect: Option<String>,
    /// A label that they have; `None` for all.
    pub label: Option<String>,
}

/// A meaning, and the items that have it, in the order of lists.
type ColumnNodes = [Vec<Node>; WorkMeaning::WORDS.len()];

/// An item that was looked at again, with what it means now; `None` for one that is not shown.
type LookedAt = (Node, Option<WorkMeaning>);

/// The columns of one search.
#[derive(Default)]
pub(super) struct ColumnSet {
    filter: BoardFilter,
    nodes: ColumnNodes,
    /// By column the version in which something of it was last another.
    changed: [u64; WorkMeaning::WORDS.len()],
}

/// Everything that boards ask for again and again.
#[derive(Default)]
pub(super) struct BoardColumns {
    /// The moment of the items that the columns are of.
    cursor: Option<u64>,
    /// The version of the columns themselves: the next one for each change, and for each new search.
    place: ChangeCursor,
    situations: RunSituations,
    all: ColumnSet,
    facets: BoardFacets,
    /// The columns of searches, the last one asked for at the end.
    sought: VecDeque<ColumnSet>,
    /// Cards that were asked for, until their items are looked at again.
    cards: HashMap<Node, MeaningCard>,
    /// What items are called, as far as somebody looked for names.
    names: ItemNames,
}

/// The dialects and labels of the items that boards show, whatever is looked for.
#[derive(Default)]
pub(super) struct BoardFacets {
    /// By node the part of each item in them.
    parts: Vec<Option<FacetPart>>,
    /// By dialect how many items there are, and how many are done.
    pub(super) dialects: HashMap<&'static str, (usize, usize)>,
    /// By label how many items have it.
    pub(super) labels: HashMap<Box<str>, usize>,
}

struct FacetPart {
    dialect: &'static str,
    is_done: bool,
    labels: Box<[Box<str>]>,
}

impl Workspace {
    /// Answers a question about the columns of a board, as of now.
    ///
    /// # Errors
    /// As [`Workspace::snapshot`].
    pub(super) fn ask_board<T>(
        &self,
        ask: impl FnOnce(&Arc<WorkspaceGraph>, &mut BoardColumns) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut board = self
            .board
            .lock()
            .unwrap_or_else(|poisoned: PoisonError<_>| {
                let mut board = poisoned.into_inner();
                *board = BoardColumns::default();
                self.board.clear_poison();
                board
            });
        // While the columns are locked the items only grow newer, in the order of those who ask.
        let joined = self.snapshot()?;
        board.bring_up_to_date(self, &joined)?;
        ask(&joined, &mut board)
    }
}

impl BoardColumns {
    /// The runs and what they mean.
    pub(super) fn situations(&self) -> &RunSituations {
        &self.situations
    }

    /// The dialects and labels there are.
    pub(super) fn facets(&self) -> &BoardFacets {
        &self.facets
    }

    /// The columns of all items, and what these are called.
    pub(super) fn all_with_names(&mut self) -> (&ColumnSet, &mut ItemNames) {
        (&self.all, &mut self.names)
    }

    /// A number that is another after every change that a board shows.
    pub(super) fn version(&self, joined: &WorkspaceGraph) -> u64 {
        joined.version() + self.situations.changes()
    }

    /// The version that the columns have by now.
    pub(super) fn place(&self) -> ChangeCursor {
        self.place
    }

    fn next_version(&mut self) -> u64 {
        if self.place.epoch == 0 {
            // Another for each process: a cursor of an earlier one must not fit.
            self.place.epoch = RandomState::new().hash_one(0_u8) | 1;
        }
        self.place.version += 1;
        self.place.version
    }

    /// Returns the meaning of an item; `None` for one that is not shown.
    pub(super) fn meaning(&self, item: &Item<'_>) -> Option<WorkMeaning> {
        WorkMeaning::of(item, &self.situations)
    }

    /// The columns of what is looked for.
    pub(super) fn columns(&mut self, joined: &WorkspaceGraph, filter: &BoardFilter) -> &ColumnSet {
        if filter.is_empty() {
            return &self.all;
        }
        let known = self.sought.iter().position(|set| set.filter == *filter);
        let kept = known.and_then(|at| self.sought.remove(at));
        let set = kept.unwrap_or_else(|| {
            let version = self.next_version();
            self.all.narrowed(joined, filter, version)
        });
        if self.sought.len() >= MAX_SEARCHES {
            self.sought.pop_front();
        }
        self.sought.push_back(set);
        self.sought.back().unwrap_or(&self.all)
    }

    /// Makes the cards of items that have none yet.
    pub(super) fn make_cards(&mut self, joined: &WorkspaceGraph, nodes: &[Node]) {
        if self.cards.len() + nodes.len() > MAX_CARDS {
            self.cards.clear();
        }
        let missing = nodes.iter().filter(|node| !self.cards.contains_key(node));
        let missing: Vec<Node> = missing.copied().collect();
        let situations = &self.situations;
        let make = |node: &Node| {
            let item = joined.item(*node)?;
            let meaning = WorkMeaning::of(&item, situations);
            Some((*node, MeaningCard::of(&item, meaning)))
        };
        let made: Vec<(Node, MeaningCard)> = missing.par_iter().filter_map(make).collect();
        self.cards.extend(made);
    }

    /// The cards of items for which they were made.
    pub(super) fn cards(&self, nodes: &[Node]) -> Vec<&MeaningCard> {
        let cards = nodes.iter().filter_map(|node| self.cards.get(node));
        cards.collect()
    }

    fn bring_up_to_date(
        &mut self,
        workspace: &Workspace,
        joined: &WorkspaceGraph,
    ) -> Result<(), Error> {
        let of_runs = self.situations.refresh(workspace)?;
        let cursor = self.cursor.replace(joined.recent().version());
        let touched = cursor.and_then(|cursor| Some(touched_since(joined, cursor)?.collect()));
        match touched {
            Some(touched) => self.take_in(joined, touched, &of_runs),
            None => self.look_at_all(joined),
        }
        Ok(())
    }

    /// Looks again at the items that were touched, those that wait for one of them, and the items of runs.
    fn take_in(&mut self, joined: &WorkspaceGraph, touched: BTreeSet<Node>, of_runs: &[Box<str>]) {
        let mut meant = touched.clone();
        if !touched.is_empty() {
            let waiting = joined.graph().waiting();
            let waiting = touched.iter().flat_map(|node| &waiting[node.index()]);
            meant.extend(waiting.copied());
        }
        meant.extend(of_runs.iter().filter_map(|key| joined.graph().find(key)));
        if meant.len() > joined.graph().len() / WORTH_TAKING_IN {
            return self.look_at_all(joined);
        }
        count_visited(meant.len());
        let mut meant: Vec<Node> = meant.into_iter().collect();
        joined.sort(&mut meant);
        let situations = &self.situations;
        let look = |node: Node| {
            let item = joined.item(node).filter(|item| !item.is_phase());
            (
                node,
                item.and_then(|item| WorkMeaning::of(&item, situations)),
            )
        };
        let looked_at: Vec<LookedAt> = meant.into_iter().map(look).collect();
        if looked_at.is_empty() {
            return;
        }
        let version = self.next_version();
        for set in std::iter::once(&mut self.all).chain(&mut self.sought) {
            set.take_in(joined, &looked_at, version);
        }
        for (node, meaning) in looked_at {
            self.cards.remove(&node);
            self.names.forget(node);
            let item = joined.item(node).filter(|_| meaning.is_some());
            self.facets.put(node, item.as_ref());
        }
    }

    fn look_at_all(&mut self, joined: &WorkspaceGraph) {
        let version = self.next_version();
        let situations = &self.situations;
        let items: Vec<Item<'_>> = joined.items().collect();
        let look = |item: &Item<'_>| (item.node, WorkMeaning::of(item, situations));
        let looked_at: Vec<LookedAt> = items.par_iter().map(look).collect();
        self.facets = BoardFacets::default();
        self.all = ColumnSet {
            changed: [version; WorkMeaning::WORDS.len()],
            ..ColumnSet::default()
        };
        for (item, (node, meaning)) in items.iter().zip(looked_at) {
            if let Some(meaning) = meaning {
                self.all.nodes[meaning.column()].push(node);
                self.facets.put(node, Some(item));
            }
        }
        self.sought.clear();
        self.cards.clear();
        self.names = ItemNames::default();
    }
}

/// The nodes that were touched after a moment, each once; `None` where that is not known.
fn touched_since(
    joined: &WorkspaceGraph,
    cursor: u64,
) -> Option<impl Iterator<Item = Node> + use<'_>> {
    Some(joined.recent().since(cursor)?.copied())
}

impl BoardFilter {
    /// The filter of what was asked for; an empty word asks for all.
    ///
    /// # Errors
    /// `Invalid` for a dialect that is none.
    pub fn checked(
        search: ItemSearch<'_>,
        dialect: Option<&str>,
        label: Option<&str>,
    ) -> Result<Self, WorkspaceError> {
        let given = |word: Option<&str>| word.filter(|word| !word.is_empty()).map(str::to_owned);
        let dialect = given(dialect);
        match dialect {
            Some(dialect) if find_format_word(&dialect).is_none() => Err(WorkspaceError::Invalid {
                name: "dialect",
                given: dialect,
                expected: format!("one of {}", format_words().join(", ")),
            }),
            dialect => Ok(Self {
                text: search.text.to_owned(),
                bodies: search.bodies,
                dialect,
                label: given(label),
            }),
        }
    }

    /// Returns true if everything is shown.
    fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.dialect.is_none() && self.label.is_none()
    }

    fn words(&self) -> SearchWords {
        SearchWords::of(ItemSearch {
            text: &self.text,
            bodies: self.bodies,
        })
    }

    /// Returns true if an item is looked for; `words` are those of the filter.
    fn fits(&self, words: &SearchWords, item: &Item<'_>) -> bool {
        self.is_of(item) && words.fits(item)
    }

    /// Returns true if an item is of the dialect and has the label.
    pub(super) fn is_of(&self, item: &Item<'_>) -> bool {
        let dialect = self.dialect.as_deref();
        let label = self.label.as_deref();
        dialect.is_none_or(|dialect| dialect == item.dialect())
            && label.is_none_or(|label| item.labels().iter().any(|own| **own == *label))
    }
}

impl ColumnSet {
    /// The items of a column, in the order of lists.
    pub(super) fn nodes(&self, column: usize) -> &[Node] {
        &self.nodes[column]
    }

    /// Returns true if a column says what it said at a place among the changes of its board.
    pub(super) fn is_as_at(&self, column: usize, place: ChangeCursor) -> bool {
        self.changed[column] <= place.version
    }

    /// Those of these columns that fit a filter.
    fn narrowed(&self, joined: &WorkspaceGraph, filter: &BoardFilter, version: u64) -> Self {
        let words = filter.words();
        let fits = |node: &&Node| {
            let item = joined.item(**node);
            item.is_some_and(|item| filter.fits(&words, &item))
        };
        let column = |nodes: &Vec<Node>| {
            count_visited(nodes.len());
            nodes.par_iter().filter(fits).copied().collect()
        };
        Self {
            filter: filter.clone(),
            nodes: self.nodes.each_ref().map(column),
            changed: [version; WorkMeaning::WORDS.len()],
        }
    }

    /// Puts items where they belong now; they come in the order of lists.
    fn take_in(&mut self, joined: &WorkspaceGraph, looked_at: &[LookedAt], version: u64) {
        let mut is_looked_at = vec![false; joined.graph().len()];
        for (node, _) in looked_at {
            is_looked_at[node.index()] = true;
        }
        for (nodes, changed) in self.nodes.iter_mut().zip(&mut self.changed) {
            let before = nodes.len();
            nodes.retain(|node| !is_looked_at[node.index()]);
            if nodes.len() < before {
                *changed = version;
            }
        }
        let words = self.filter.words();
        for (node, meaning) in looked_at {
            let item = joined.item(*node);
            let item = item.filter(|item| self.filter.fits(&words, item));
            if let (Some(_), Some(meaning)) = (item, meaning) {
                self.changed[meaning.column()] = version;
                let nodes = &mut self.nodes[meaning.column()];
                let place = joined.place(*node);
                let at = nodes.partition_point(|other| joined.place(*other) < place);
                nodes.insert(at, *node);
            }
        }
    }
}

impl BoardFacets {
    /// Counts an item as it is now; `None` for one that is not shown any more.
    fn put(&mut self, node: Node, item: Option<&Item<'_>>) {
        if self.parts.len() <= node.index() {
            self.parts.resize_with(node.index() + 1, || None);
        }
        let part = item.map(FacetPart::of);
        let before = self.parts[node.index()].take();
        if let Some(before) = before {
            let (total, done) = self.dialects.entry(before.dialect).or_default();
            *total -= 1;
            *done -= usize::from(before.is_done);
            for label in before.labels {
                self.drop_label(&label);
            }
        }
        if let Some(part) = &part {
            let (total, done) = self.dialects.entry(part.dialect).or_default();
            *total += 1;
            *done += usize::from(part.is_done);
            for label in &part.labels {
                *self.labels.entry(label.clone()).or_default() += 1;
            }
        }
        self.parts[node.index()] = part;
    }

    fn drop_label(&mut self, label: &str) {
        if let Some(count) = self.labels.get_mut(label) {
            *count -= 1;
            if *count == 0 {
                self.labels.remove(label);
            }
        }
    }
}

impl FacetPart {
    fn of(item: &Item<'_>) -> Self {
        let labels: BTreeSet<&Box<str>> = item.labels().iter().collect();
        Self {
            dialect: item.dialect(),
            is_done: item.is_done(),
            labels: labels.into_iter().cloned().collect(),
        }
    }
}
