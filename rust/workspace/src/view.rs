//! Shapes of the workspace's answers.

use std::borrow::Cow;

use serde::Serialize;

use super::item::Item;
use super::workspace_graph::WorkspaceGraph;
use chant_base::answer::cut;
use chant_base::counted_list::CountedList;
use chant_base::document_problem::{DocumentProblem, ProblemRow};
use chant_graph::EdgeKind;
use chant_graph::picture::{FigureRow, GraphPicture, LeadDirection};
use chant_specs::view::held_specs::{HeldSpecs, RemoteCounts};
use chant_specs::view::text_by_others::TextByOthers;

/// Characters of a title that a list shows.
const TITLE_SHOWN: usize = 300;

/// Problems that an answer shows.
const PROBLEMS_SHOWN: usize = 20;

/// An item in a list.
#[derive(Serialize)]
pub(super) struct ItemRow<'a> {
    key: &'a str,
    dialect: &'static str,
    id: Cow<'a, str>,
    title: String,
    status: &'a str,
    done: bool,
    ready: bool,
    r#type: &'a str,
    labels: &'a [Box<str>],
    assignee: Option<Cow<'a, str>>,
    depends_on: Vec<&'a str>,
    waits_for: Vec<&'a str>,
    path: &'a str,
    weight: f64,
    /// The thing that it waits for where that is no other item.
    #[serde(skip_serializing_if = "Option::is_none")]
    idle: Option<&'static str>,
    /// The word of the remote that clones share for a spec, where its file here does not say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    on_remote: Option<&'static str>,
}

impl<'a> ItemRow<'a> {
    /// The same row with what the remote says of an open spec.
    #[must_use]
    pub(super) fn with_remote(mut self, item: Item<'a>, held: &HeldSpecs) -> Self {
        let word = match item.spec_id() {
            Some(id) => held.word(id),
            None => held.word_of_item(item.key()),
        };
        self.on_remote = word.filter(|_| !self.done);
        self
    }
}

impl<'a> From<Item<'a>> for ItemRow<'a> {
    fn from(item: Item<'a>) -> Self {
        Self {
            key: item.key(),
            dialect: item.dialect(),
            id: item.id(),
            title: cut(item.title(), TITLE_SHOWN),
            status: item.status(),
            done: item.is_done(),
            ready: item.is_ready(),
            r#type: item.kind(),
            labels: item.labels(),
            assignee: item.assignee(),
            depends_on: item.depends_on(),
            waits_for: item.waits_for(),
            path: item.path(),
            weight: item.weight(),
            idle: item.idle(),
            on_remote: None,
        }
    }
}

/// The first problems.
pub(super) fn problems(joined: &WorkspaceGraph) -> CountedList<ProblemRow> {
    let row = |problem: &DocumentProblem| problem.row(500);
    CountedList::first("problems", joined.problems(), PROBLEMS_SHOWN, row)
}

/// Problems from a place on.
pub(super) fn problem_page(joined: &WorkspaceGraph, offset: usize, most: usize) -> Vec<ProblemRow> {
    let all = joined.problems().iter().skip(offset).take(most);
    all.map(|problem| problem.row(2_000)).collect()
}

/// All problems of the files that are wanted, whole.
pub(super) fn problem_rows(
    joined: &WorkspaceGraph,
    wanted: impl Fn(&str) -> bool,
) -> Vec<ProblemRow> {
    let all = joined.problems().iter();
    let wanted = all.filter(|problem| wanted(&problem.path));
    wanted.map(|problem| problem.row(usize::MAX)).collect()
}

/// A page of items.
#[derive(Serialize)]
pub(super) struct ItemList<'a> {
    pub items: Vec<ItemRow<'a>>,
    /// The number of items that fit.
    pub total: usize,
    pub limit: usize,
    pub returned: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// The number of items that were left out because of what the remote says.
    #[serde(flatten)]
    pub remote: RemoteCounts,
    #[serde(flatten)]
    pub problems: Option<CountedList<ProblemRow>>,
}

/// All that is known of an item.
#[derive(Serialize)]
pub(super) struct WholeItemView<'a> {
    #[serde(flatten)]
    pub row: ItemRow<'a>,
    pub priority: Option<Cow<'a, str>>,
    /// The keys of what waits for it.
    pub needed_by: Vec<&'a str>,
    pub body: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_by_others: Option<TextByOthers>,
}

/// Which item a name means.
#[derive(Serialize)]
pub(super) struct ResolvedItemView<'a> {
    pub key: &'a str,
    pub dialect: &'static str,
    pub id: Cow<'a, str>,
    pub path: &'a str,
}

/// One item waits for another.
#[derive(Serialize)]
pub(super) struct EdgeRow<'a> {
    pub from: &'a str,
    pub to: &'a str,
    /// `dependency`, `driver_dependency`, `earlier_sibling` or `member`.
    pub reason: &'static str,
    /// True if it is waited for no more.
    pub met: bool,
}

/// Why one item waits for another, in the words of specs.
pub(super) fn reason(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Explicit => "dependency",
        EdgeKind::Inherited => "driver_dependency",
        EdgeKind::Sibling => "earlier_sibling",
        EdgeKind::Member => "member",
    }
}

/// The whole graph.
#[derive(Serialize)]
pub(super) struct GraphData<'a> {
    pub nodes: Vec<ItemRow<'a>>,
    pub edges: Vec<EdgeRow<'a>>,
    /// One cycle for each set of items that wait for one another.
    pub cycles: Vec<Vec<&'a str>>,
}

/// The graph as lines of trees.
#[derive(Serialize)]
pub(super) struct ItemTreeView<'a> {
    pub rows: Vec<ItemTreeRow<'a>>,
    /// The number of items.
    pub total: usize,
    /// The number of items that are drawn.
    pub shown: usize,
    pub cycles: Vec<Vec<&'a str>>,
}

/// A line of a tree.
#[derive(Serialize)]
pub(super) struct ItemTreeRow<'a> {
    depth: usize,
    key: &'a str,
    title: String,
    status: &'a str,
    symbol: char,
    /// Where that stands which the item waits for: `here` in the lines that follow, `above` below an
    /// earlier line of the same item, `below` in a tree of its own that comes later.
    leads: &'static str,
}

impl<'a> ItemTreeRow<'a> {
    pub(super) fn of(row: FigureRow, picture: &GraphPicture<'a>) -> Self {
        let figure = picture.figures[row.figure];
        Self {
            depth: row.depth,
            key: figure.key,
            title: cut(figure.name, TITLE_SHOWN),
            status: figure.state,
            symbol: figure.tone.symbol(),
            leads: match row.leads {
                LeadDirection::Here => "here",
                LeadDirection::Above => "above",
                LeadDirection::Below => "below",
            },
        }
    }
}

/// The progress of everything.
#[derive(Serialize)]
pub(super) struct BoardView {
    /// Another after every change.
    pub version: u64,
    pub dialects: Vec<DialectColumns>,
    #[serde(flatten)]
    pub problems: CountedList<ProblemRow>,
}

/// The progress of a dialect.
#[derive(Serialize)]
pub(super) struct DialectColumns {
    pub dialect: &'static str,
    pub total: usize,
    pub done: usize,
    pub columns: Vec<ColumnView>,
}

impl DialectColumns {
    pub(super) fn of(dialect: &'static str) -> Self {
        Self {
            dialect,
            total: 0,
            done: 0,
            columns: Vec::new(),
        }
    }
}

/// The items in one state.
#[derive(Serialize)]
pub(super) struct ColumnView {
    pub status: String,
    symbol: char,
    /// The number of those looked for.
    pub count: usize,
    #[serde(skip)]
    pub is_done: bool,
}

impl ColumnView {
    pub(super) fn of(item: &Item<'_>) -> Self {
        Self {
            status: item.status().to_owned(),
            symbol: item.tone().symbol(),
            count: 0,
            is_done: item.is_done(),
        }
    }
}

/// The items around an item.
#[derive(Serialize)]
pub(super) struct NeighborsView<'a> {
    pub key: &'a str,
    /// The items below it in the tree of what it waits for, met or not.
    pub waits_for: Vec<ItemTreeRow<'a>>,
    pub waits_for_more: bool,
    /// The same for what waits for it.
    pub needed_by: Vec<ItemTreeRow<'a>>,
    pub needed_by_more: bool,
}

/// An item, or a task graph, that a text may mean.
#[derive(Serialize)]
pub(super) struct MentionRow<'a> {
    key: Cow<'a, str>,
    dialect: &'static str,
    id: Cow<'a, str>,
    path: Cow<'a, str>,
    title: String,
    status: &'a str,
    /// Of a task graph the ID of its root.
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<&'a str>,
}

impl<'a> From<Item<'a>> for MentionRow<'a> {
    fn from(item: Item<'a>) -> Self {
        Self {
            key: item.key().into(),
            dialect: item.dialect(),
            id: item.id(),
            path: item.path().into(),
            title: cut(item.title(), TITLE_SHOWN),
            status: item.status(),
            root: None,
        }
    }
}

impl<'a> MentionRow<'a> {
    /// A task graph, by its file, its title, and its root with the state of that.
    pub(super) fn of_plan(
        path: &'a str,
        title: &str,
        root: Option<&'a str>,
        status: &'a str,
    ) -> Self {
        Self {
            key: format!("vine:{path}").into(),
            dialect: "vine",
            id: path.into(),
            path: path.into(),
            title: cut(title, TITLE_SHOWN),
            status,
            root,
        }
    }
}

/// The first of what a text may mean.
#[derive(Serialize)]
pub(super) struct MentionView<'a> {
    pub items: Vec<MentionRow<'a>>,
    pub total: usize,
}

/// An open item, and when its file was changed, in seconds since the epoch.
#[derive(Serialize)]
pub(super) struct TouchedItemRow<'a> {
    #[serde(flatten)]
    item: MentionRow<'a>,
    modified: Option<i64>,
}

impl<'a> TouchedItemRow<'a> {
    pub(super) fn of(item: Item<'a>, modified: Option<i128>) -> Self {
        let seconds = modified.map(|at| at / 1_000_000_000);
        Self {
            item: item.into(),
            modified: seconds.and_then(|at| i64::try_from(at).ok()),
        }
    }
}

/// A page of open items.
#[derive(Serialize)]
pub(super) struct TouchedView<'a> {
    pub items: Vec<TouchedItemRow<'a>>,
    pub total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}
