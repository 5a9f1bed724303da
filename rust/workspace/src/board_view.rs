//! A board by what items mean to a person: its columns, their pages, what waits for a person, and problems.

use std::cmp::Reverse;

use super::Workspace;
pub use super::board_columns::BoardFilter;
use super::board_columns::{BoardColumns, BoardFacets};
use super::board_shapes::{
    BoardLook, DialectCounts, LabelCount, MeaningColumn, MeaningPage, ProblemPage, WaitingEntry,
    WaitingPage,
};
use super::change_feed::ChangeCursor;
use super::error::WorkspaceError;
use super::item::Item;
use super::meaning::{PersonTask, WorkMeaning};
use super::view::problem_page;
use super::workspace_graph::WorkspaceGraph;
use chant_base::answer::{Answer, PageRequest, cut};
use chant_base::error::Error;
use chant_base::format_words::format_words;
use chant_graph::Node;

/// Items of a column that one answer has at most.
const MAX_CARDS: usize = 200;
/// Labels that are named.
const MAX_LABELS: usize = 100;
/// Problems in one answer.
const PROBLEMS_AT_ONCE: usize = 100;
/// Items that wait for a person in one answer.
const MAX_WAITING: usize = 200;
/// Characters of a reason that are shown.
const REASON_SHOWN: usize = 500;

/// Returns all columns with their first items, and how many there are of each dialect and label. With the cursor of an
/// earlier look with the same filter and limit, the items of columns that are as they were then are left out.
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn look_at_board(
    workspace: &Workspace,
    filter: &BoardFilter,
    limit: usize,
    since: Option<&str>,
) -> Result<Answer, Error> {
    // One that cannot be read is like one of another process.
    let since: Option<ChangeCursor> = since.and_then(|since| since.parse().ok());
    workspace.ask_board(|joined, board| {
        let place = board.place();
        let since = since.filter(|since| since.epoch == place.epoch);
        let all = 0..WorkMeaning::WORDS.len();
        let pages: Vec<(ColumnSlice, bool)> = all
            .map(|column| {
                let set = board.columns(joined, filter);
                let is_known = since.is_some_and(|since| set.is_as_at(column, since));
                let limit = if is_known { 0 } else { limit };
                let page = PageRequest { limit, offset: 0 };
                (nodes_of(joined, board, filter, column, page), is_known)
            })
            .collect();
        let columns = WorkMeaning::WORDS.iter().zip(&pages);
        let columns = columns.map(|(meaning, (page, is_known))| MeaningColumn {
            meaning,
            count: page.total,
            items: (!is_known).then(|| board.cards(&page.nodes)),
            next_offset: page.next_offset,
        });
        Ok(Answer::compact(&BoardLook {
            version: board.version(joined),
            cursor: board.place().to_string(),
            columns: columns.collect(),
            dialects: counts_of(board.facets()),
            labels: labels_of(board.facets()),
            problems_total: joined.problems().len(),
        }))
    })
}

/// Returns items of one meaning, in the order of lists.
///
/// # Errors
/// `Invalid` for a meaning that is none, or as [`Workspace::snapshot`].
pub fn list_column(
    workspace: &Workspace,
    meaning: &str,
    page: PageRequest,
    filter: &BoardFilter,
) -> Result<Answer, Error> {
    let column = WorkMeaning::WORDS.iter().position(|word| *word == meaning);
    let column = column.ok_or_else(|| WorkspaceError::Invalid {
        name: "meaning",
        given: meaning.to_owned(),
        expected: format!("one of {}", WorkMeaning::WORDS.join(", ")),
    })?;
    workspace.ask_board(|joined, board| {
        let page = nodes_of(joined, board, filter, column, page);
        Ok(Answer::compact(&MeaningPage {
            items: board.cards(&page.nodes),
            total: page.total,
            next_offset: page.next_offset,
        }))
    })
}

/// A page of a column.
struct ColumnSlice {
    nodes: Vec<Node>,
    total: usize,
    next_offset: Option<usize>,
}

/// Finds a page of a column, and makes its cards.
fn nodes_of(
    joined: &WorkspaceGraph,
    board: &mut BoardColumns,
    filter: &BoardFilter,
    column: usize,
    page: PageRequest,
) -> ColumnSlice {
    let nodes = board.columns(joined, filter).nodes(column);
    let total = nodes.len();
    let most = page.limit.min(MAX_CARDS);
    // Done work is looked at from its newest end.
    let nodes: Vec<Node> = if column == WorkMeaning::Done.column() {
        let newest = nodes.iter().rev().skip(page.offset);
        newest.take(most).copied().collect()
    } else {
        nodes.iter().skip(page.offset).take(most).copied().collect()
    };
    board.make_cards(joined, &nodes);
    let next = page.offset.saturating_add(nodes.len());
    ColumnSlice {
        next_offset: (!nodes.is_empty() && next < total).then_some(next),
        nodes,
        total,
    }
}

/// The dialects in which there are items.
fn counts_of(facets: &BoardFacets) -> Vec<DialectCounts> {
    let all = format_words().into_iter().filter_map(|word| {
        let counts = facets.dialects.get(word)?;
        Some((word, counts))
    });
    let used = all.filter(|(_, (total, _))| *total > 0);
    used.map(|(dialect, (total, done))| DialectCounts {
        dialect,
        total: *total,
        done: *done,
    })
    .collect()
}

/// The labels that most items have, then by their words.
fn labels_of(facets: &BoardFacets) -> Vec<LabelCount<'_>> {
    let all = facets.labels.iter();
    let mut all: Vec<(Reverse<usize>, &str)> = all
        .map(|(label, count)| (Reverse(*count), &**label))
        .collect();
    if all.len() > MAX_LABELS {
        all.select_nth_unstable(MAX_LABELS);
        all.truncate(MAX_LABELS);
    }
    all.sort_unstable();
    let counts = all.into_iter();
    counts
        .map(|(Reverse(count), label)| LabelCount { label, count })
        .collect()
}

/// Returns the items that wait for an act of a person, but for questions, which have lists of their own: approvals,
/// conflicts, merges, paused work, and work that failed or is not proven.
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn list_waiting(workspace: &Workspace) -> Result<Answer, Error> {
    workspace.ask_board(|joined, board| {
        let column = WorkMeaning::WaitsForYou(PersonTask::Approve).column();
        let columns = board.columns(joined, &BoardFilter::default());
        let nodes = columns.nodes(column).to_vec();
        let items = nodes.iter().filter_map(|node| joined.item(*node));
        let waiting: Vec<(Item<'_>, PersonTask, &str)> = items
            .filter_map(|item| {
                let task = board.meaning(&item)?.person_task()?;
                Some((item, task, kind_of(task)?))
            })
            .collect();
        let runs = board.situations().newest_runs();
        let shown = waiting.iter().take(MAX_WAITING);
        let entry = |(item, task, kind): &(Item<'_>, PersonTask, &'static str)| {
            let run = runs.get(item.key());
            let reason = run.and_then(|run| run.reason.as_deref());
            WaitingEntry {
                kind,
                why: task.as_str(),
                key: joined.graph().key(item.node),
                title: cut(item.title(), REASON_SHOWN),
                text: cut(reason.unwrap_or_default(), REASON_SHOWN),
                since: run.and_then(|run| run.ended).map(|at| at.to_string()),
                version: chant_git::blob(item.document()),
            }
        };
        Ok(Answer::compact(&WaitingPage {
            entries: shown.map(entry).collect(),
            total: waiting.len(),
        }))
    })
}

/// The kind of entry in a list of what waits for a person.
fn kind_of(task: PersonTask) -> Option<&'static str> {
    match task {
        PersonTask::Approve | PersonTask::Rejected => Some("approval"),
        PersonTask::Conflict => Some("conflict"),
        PersonTask::Failed | PersonTask::Attention => Some("failure"),
        PersonTask::Merge => Some("merge"),
        PersonTask::Paused => Some("pause"),
        PersonTask::Question | PersonTask::Archive | PersonTask::Promote => None,
    }
}

/// Returns the problems of files from a place on.
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn list_problems(workspace: &Workspace, offset: usize) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let total = joined.problems().len();
    let problems = problem_page(&joined, offset, PROBLEMS_AT_ONCE);
    let next = offset.saturating_add(problems.len());
    Ok(Answer::compact(&ProblemPage {
        next_offset: (!problems.is_empty() && next < total).then_some(next),
        problems,
        total,
    }))
}
