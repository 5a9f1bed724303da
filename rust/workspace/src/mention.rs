//! Items as people mention them: by a part of an ID or a title, and those whose files were touched last.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::Workspace;
use super::board::SearchWords;
use super::filter::ItemFilter;
use super::item::Item;
use super::item_names::lower_name;
use super::meaning::WorkMeaning;
use super::view::{MentionRow, MentionView, TouchedItemRow, TouchedView};
use super::workspace_graph::WorkspaceGraph;
use chant_base::answer::{Answer, PageRequest};
use chant_base::counted::count_visited;
use chant_base::error::Error;
use chant_graph::Node;
use chant_store::disk;
use chant_vine::model::TaskStatus;

/// A text that a person types, and which items it may mean.
#[derive(Debug, Clone, Copy, Default)]
pub struct MentionQuery<'a> {
    /// The text; every word of it has to stand in the ID or the title, in any case of letters.
    pub text: &'a str,
    /// The dialect, unless items of all are meant.
    pub dialect: Option<&'a str>,
    /// The file, unless items of all files are meant.
    pub path: Option<&'a str>,
}

/// The items that a text may mean, in the order of a board's columns: those that can be started first, those that are
/// done last; within a column, those whose IDs begin with the text first.
///
/// Costs a look at the names of all items, which the board keeps; of no more rows than are wanted more is asked.
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn mention(
    workspace: &Workspace,
    query: MentionQuery<'_>,
    most: usize,
) -> Result<Answer, Error> {
    find_mentioned(workspace, query, most, |joined, found| {
        let items = found.rows.into_iter().filter_map(|node| joined.item(node));
        mention_answer(items.map(MentionRow::from).collect(), found.total)
    })
}

/// Finds the same for a caller that asks more of the items; `shown` makes its answer of them.
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn find_mentioned<T>(
    workspace: &Workspace,
    query: MentionQuery<'_>,
    most: usize,
    shown: impl FnOnce(&WorkspaceGraph, FoundMentions<Node>) -> T,
) -> Result<T, Error> {
    let is_meant = |item: &Item<'_>| {
        let dialect = query.dialect;
        let path = query.path;
        dialect.is_none_or(|dialect| dialect == item.dialect())
            && path.is_none_or(|path| path == item.path())
    };
    workspace.ask_board(|joined, board| {
        let mut found = MentionSearch::new(query.text, most);
        let (columns, names) = board.all_with_names();
        for column in 0..WorkMeaning::WORDS.len() {
            let nodes = columns.nodes(column);
            count_visited(nodes.len());
            let items = nodes.iter().filter_map(|node| joined.item(*node));
            for item in items.filter(is_meant) {
                let name = if found.is_any { "" } else { names.of(&item) };
                found.take(name, column, || item.node);
            }
        }
        Ok(shown(joined, found.found()))
    })
}

/// The task graphs that a text may mean, by their paths and titles, in the order of [`mention`].
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn mention_plans(workspace: &Workspace, text: &str, most: usize) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let mut found = MentionSearch::new(text, most);
    for plan in joined.plans() {
        let graph = &plan.document.plan.graph;
        let title = graph.title.as_deref().unwrap_or_default();
        let root = graph.nodes.first();
        let state = root.and_then(|root| root.status());
        let is_done = state == Some(TaskStatus::Complete);
        let meaning = [WorkMeaning::CanBegin, WorkMeaning::Done][usize::from(is_done)];
        let root = root.map(|root| &*root.id);
        let status = state.map_or("", TaskStatus::as_str);
        found.take(&lower_name(&plan.path, title), meaning.column(), || {
            MentionRow::of_plan(&plan.path, title, root, status)
        });
    }
    let found = found.found();
    Ok(mention_answer(found.rows, found.total))
}

fn mention_answer(items: Vec<MentionRow<'_>>, total: usize) -> Answer {
    Answer::whole(&MentionView { items, total })
}

/// Open items, those whose files were changed last first; of a feature itself instead of its tasks.
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn list_touched(workspace: &Workspace, page: PageRequest) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let filter = ItemFilter::default();
    let mut files: HashMap<&str, Option<i128>> = HashMap::new();
    let mut open: Vec<(Option<i128>, Item<'_>)> = Vec::new();
    for item in joined.items() {
        if item.is_done() || !filter.shows(&item) {
            continue;
        }
        let path = item.path();
        let is_known = files.contains_key(path);
        if is_known && item.dialect() == "speckit" {
            continue;
        }
        let modified = *files.entry(path).or_insert_with(|| {
            disk::stamp(&workspace.root().join(path)).map(|stamp| stamp.modified)
        });
        open.push((modified, item));
    }
    open.sort_by_key(|(modified, _)| Reverse(*modified));
    let total = open.len();
    let of_page = open.into_iter().skip(page.offset).take(page.limit);
    let items = of_page.map(|(modified, item)| TouchedItemRow::of(item, modified));
    let items: Vec<TouchedItemRow<'_>> = items.collect();
    let next = page.offset + items.len();
    Ok(Answer::whole(&TouchedView {
        next_offset: (!items.is_empty() && next < total).then_some(next),
        items,
        total,
    }))
}

/// What a text may mean, no more than was asked for.
#[derive(Debug)]
pub struct FoundMentions<R> {
    /// The first of them, in the order of [`mention`].
    pub rows: Vec<R>,
    /// How many there are.
    pub total: usize,
}

/// A search for what a text may mean, which keeps no more of each column than is shown.
struct MentionSearch<R> {
    words: SearchWords,
    /// True if the text is empty, so that every name fits.
    is_any: bool,
    begins: String,
    most: usize,
    total: usize,
    /// By column, those whose IDs begin with the text before the others.
    rows: [[Vec<R>; 2]; WorkMeaning::WORDS.len()],
}

impl<R> MentionSearch<R> {
    fn new(text: &str, most: usize) -> Self {
        let begins = text.trim().to_lowercase();
        Self {
            words: SearchWords::split(text),
            is_any: begins.is_empty(),
            begins,
            most,
            total: 0,
            rows: std::array::from_fn(|_| [Vec::new(), Vec::new()]),
        }
    }

    /// Takes one if the text fits its name, as [`lower_name`] writes it.
    fn take(&mut self, name: &str, column: usize, row: impl FnOnce() -> R) {
        if !self.words.are_in(name) {
            return;
        }
        self.total += 1;
        let rows = &mut self.rows[column][usize::from(!name.starts_with(&self.begins))];
        if rows.len() < self.most {
            rows.push(row());
        }
    }

    fn found(self) -> FoundMentions<R> {
        let rows = self.rows.into_iter().flatten().flatten();
        FoundMentions {
            rows: rows.take(self.most).collect(),
            total: self.total,
        }
    }
}
