//! The progress of a folder: how many items are in each state, and what stands around a single item.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::Workspace;
use super::filter::{ItemFilter, order};
use super::item::Item;
use super::ops::{figure, resolve_item};
use super::view::{BoardView, ColumnView, DialectColumns, ItemTreeRow, NeighborsView, problems};
use super::workspace_graph::WorkspaceGraph;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_graph::Node;
use chant_graph::picture::{GraphPicture, PictureArrow};

/// Most items of each of the trees around one.
const MAX_AROUND: usize = 200;

/// Which items a person looks for.
#[derive(Debug, Clone, Copy, Default)]
pub struct ItemSearch<'a> {
    /// The text that has to stand in their IDs, titles or labels, in any case of letters; empty for all.
    pub text: &'a str,
    /// True if their texts are looked through, too.
    pub bodies: bool,
}

/// A number that is another after every change of the work files.
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn version(workspace: &Workspace) -> Result<u64, Error> {
    Ok(workspace.snapshot()?.version())
}

/// Returns the number of items in each state, dialect by dialect, without cancelled specs: all of them for how
/// far a dialect is, those looked for in the columns, which stand in the order of its states, those done last.
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn board(workspace: &Workspace, search: ItemSearch<'_>) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let sought = SearchWords::of(search);
    let filter = ItemFilter::default();
    let mut dialects: Vec<DialectColumns> = Vec::new();
    for item in joined.items().filter(|item| filter.shows(item)) {
        if dialects
            .last()
            .is_none_or(|last| last.dialect != item.dialect())
        {
            dialects.push(DialectColumns::of(item.dialect()));
        }
        let Some(of) = dialects.last_mut() else {
            continue;
        };
        of.total += 1;
        of.done += usize::from(item.is_done());
        let known = of.columns.iter().position(|c| c.status == item.status());
        let at = known.unwrap_or(of.columns.len());
        if known.is_none() {
            of.columns.push(ColumnView::of(&item));
        }
        of.columns[at].count += usize::from(sought.fits(&item));
    }
    for of in &mut dialects {
        of.columns
            .sort_by_key(|column| (column.is_done, order(&column.status)));
    }
    Ok(Answer::whole(&BoardView {
        version: joined.version(),
        dialects,
        problems: problems(&joined),
    }))
}

/// Returns the items that an item waits for and those that wait for it, near and far, as trees; the nearest
/// where there is much.
///
/// # Errors
/// As [`super::ops::find`].
pub fn show_neighbors(workspace: &Workspace, name: &str) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let item = resolve_item(workspace, &joined, name)?;
    Ok(Answer::whole(&neighbors(&joined, &item)))
}

/// The items around an item.
pub(super) fn neighbors<'a>(joined: &'a WorkspaceGraph, item: &Item<'a>) -> NeighborsView<'a> {
    let graph = joined.graph();
    let before = |node: Node| graph.edges(node).iter().map(|edge| edge.to).collect();
    let waiting = graph.waiting();
    let after = |node: Node| waiting[node.index()].clone();
    let (waits_for, waits_for_more) = tree(joined, item.node, before);
    let (needed_by, needed_by_more) = tree(joined, item.node, after);
    NeighborsView {
        key: item.key(),
        waits_for,
        waits_for_more,
        needed_by,
        needed_by_more,
    }
}

/// The rows below an item where `next` leads, and whether there is more.
fn tree(
    joined: &WorkspaceGraph,
    top: Node,
    next: impl Fn(Node) -> Vec<Node>,
) -> (Vec<ItemTreeRow<'_>>, bool) {
    let mut nodes = vec![top];
    let mut places = HashMap::from([(top.index(), 0)]);
    let mut arrows: Vec<PictureArrow> = Vec::new();
    let mut is_more = false;
    let mut from = 0;
    while let Some(node) = nodes.get(from).copied() {
        let mut targets = next(node);
        targets.sort_unstable_by_key(|to| to.index());
        targets.dedup();
        for target in targets {
            let to = match places.get(&target.index()) {
                Some(to) => *to,
                None if nodes.len() > MAX_AROUND => {
                    is_more = true;
                    continue;
                }
                None => {
                    places.insert(target.index(), nodes.len());
                    nodes.push(target);
                    nodes.len() - 1
                }
            };
            arrows.push(PictureArrow {
                from,
                to,
                is_indirect: false,
            });
        }
        from += 1;
    }
    let figures = nodes.iter().map(|node| figure(joined, *node)).collect();
    let picture = GraphPicture { figures, arrows };
    let rows = picture.rows().into_iter().skip(1);
    let rows = rows.map(|row| ItemTreeRow::of(row, &picture)).collect();
    (rows, is_more)
}

/// A search with its words made alike.
pub(super) struct SearchWords {
    words: Vec<String>,
    bodies: bool,
}

impl SearchWords {
    pub(super) fn of(search: ItemSearch<'_>) -> Self {
        Self {
            bodies: search.bodies,
            ..Self::split(search.text)
        }
    }

    pub(super) fn split(text: &str) -> Self {
        let mut words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        // The longest is the rarest.
        words.sort_by_key(|word| Reverse(word.len()));
        Self {
            words,
            bodies: false,
        }
    }

    /// Returns true if every word stands in a text of small letters.
    pub(super) fn are_in(&self, text: &str) -> bool {
        self.words.iter().all(|word| text.contains(word))
    }

    /// Returns true if every word stands somewhere in an item.
    pub(super) fn fits(&self, item: &Item<'_>) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let mut text = format!("{}\n{}", item.key(), item.title());
        for label in item.labels() {
            text.push('\n');
            text.push_str(label);
        }
        if self.bodies {
            text.push('\n');
            text.push_str(item.body());
        }
        self.are_in(&text.to_lowercase())
    }
}
