//! Shapes of a board's answers.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use super::item::Item;
use super::meaning::WorkMeaning;
use super::view::{NeighborsView, WholeItemView};
use chant_base::answer::cut;
use chant_base::document_problem::ProblemRow;
use chant_specs::view::held_specs::COMPLETED_THERE;

/// Characters of a title that a card shows.
const TITLE_SHOWN: usize = 200;
/// Labels that a card shows, and characters of each.
const LABELS_SHOWN: (usize, usize) = (20, 60);

/// All columns, each with its first items.
#[derive(Serialize)]
pub(super) struct BoardLook<'a> {
    /// Another after every change.
    pub version: u64,
    /// What to ask with next for what changed since.
    pub cursor: String,
    pub columns: Vec<MeaningColumn<'a>>,
    pub dialects: Vec<DialectCounts>,
    pub labels: Vec<LabelCount<'a>>,
    pub problems_total: usize,
}

/// The items of one meaning, as many as fit.
#[derive(Serialize)]
pub(super) struct MeaningColumn<'a> {
    pub meaning: &'static str,
    pub count: usize,
    /// `None` where the column is as the asker knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<&'a MeaningCard>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

/// Some items of a column.
#[derive(Serialize)]
pub(super) struct MeaningPage<'a> {
    pub items: Vec<&'a MeaningCard>,
    pub total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

/// The number of items of a dialect.
#[derive(Serialize)]
pub(super) struct DialectCounts {
    pub dialect: &'static str,
    pub total: usize,
    pub done: usize,
}

/// The number of items that have a label.
#[derive(Serialize)]
pub(super) struct LabelCount<'a> {
    pub label: &'a str,
    pub count: usize,
}

/// The number of criteria of an item that are met.
#[derive(Serialize)]
pub(super) struct CriteriaProgress {
    done: usize,
    total: usize,
}

/// An item on a board.
#[derive(Serialize)]
pub(super) struct MeaningCard {
    key: String,
    dialect: &'static str,
    id: String,
    title: String,
    status: String,
    symbol: char,
    ready: bool,
    /// The number of items it still waits for.
    waits: usize,
    labels: Vec<String>,
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    criteria: Option<CriteriaProgress>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assignee: Option<String>,
    /// The act that a person has to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
    /// The word of the remote that clones share for an open spec, where its file here does not say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    on_remote: Option<&'static str>,
}

impl MeaningCard {
    pub(super) fn of(item: &Item<'_>, meaning: Option<WorkMeaning>) -> Self {
        let (done, total) = item.criteria_counts();
        let labels = item.labels().iter().take(LABELS_SHOWN.0);
        let is_done_there = meaning == Some(WorkMeaning::Done) && !item.is_done();
        Self {
            key: item.key().to_owned(),
            dialect: item.dialect(),
            id: item.id().into_owned(),
            title: cut(item.title(), TITLE_SHOWN),
            status: item.status().to_owned(),
            symbol: item.tone().symbol(),
            ready: item.is_ready() && !is_done_there,
            waits: item.waits_for().len(),
            labels: labels.map(|label| cut(label, LABELS_SHOWN.1)).collect(),
            kind: item.kind().to_owned(),
            parent: item.parent(),
            criteria: (total > 0).then_some(CriteriaProgress { done, total }),
            priority: item.priority().map(Cow::into_owned),
            assignee: item.assignee().map(Cow::into_owned),
            why: why(meaning),
            on_remote: is_done_there.then_some(COMPLETED_THERE),
        }
    }
}

/// The word for what a person has to do.
pub(super) fn why(meaning: Option<WorkMeaning>) -> Option<&'static str> {
    let task = meaning.and_then(WorkMeaning::person_task);
    task.map(super::meaning::PersonTask::as_str)
}

/// All that a page shows of an item.
#[derive(Serialize)]
pub(super) struct BoardItem<'a> {
    #[serde(flatten)]
    pub whole: WholeItemView<'a>,
    /// `None` for a cancelled one.
    pub meaning: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
    /// The state of the work on it in the words of specs, where there is some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<&'static str>,
    /// The hash of the document's text.
    pub version: String,
    pub document: Vec<Value>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    pub criteria: Vec<CriterionRow>,
    pub sections: Vec<SectionRow>,
    pub around: NeighborsView<'a>,
    pub parent: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<ChildRow<'a>>,
    /// What an item of a format without tools of its own takes.
    #[serde(flatten)]
    pub plan: Option<PlanParts<'a>>,
}

/// The edits that an item of a plan takes.
#[derive(Serialize)]
pub(super) struct PlanParts<'a> {
    pub edits: Vec<&'static str>,
    pub statuses: Vec<&'a str>,
    /// True if it has a box of its own.
    #[serde(rename = "box")]
    pub has_box: bool,
    /// True if it only holds others.
    pub group: bool,
}

/// A criterion of an item.
#[derive(Serialize)]
pub(super) struct CriterionRow {
    pub text: String,
    pub done: bool,
    /// Its line in the file, counted from 1.
    pub line: usize,
    /// The name by which an edit means it, of an item of a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A section of a body.
#[derive(Serialize)]
pub(super) struct SectionRow {
    pub name: String,
    pub level: u8,
}

/// A part of an item.
#[derive(Serialize)]
pub(super) struct ChildRow<'a> {
    pub key: &'a str,
    pub title: String,
    pub meaning: Option<&'static str>,
}

impl<'a> ChildRow<'a> {
    pub(super) fn of(item: &Item<'a>, meaning: Option<WorkMeaning>) -> Self {
        Self {
            key: item.key(),
            title: cut(item.title(), TITLE_SHOWN),
            meaning: meaning.map(WorkMeaning::as_str),
        }
    }
}

/// Which text an item stands in.
#[derive(Serialize)]
pub(super) struct DocumentVersion<'a> {
    pub key: &'a str,
    pub path: &'a str,
    pub version: String,
}

/// A picture of items, and the same items as a list.
#[derive(Serialize)]
pub(super) struct BoardGraph<'a> {
    pub scene: Value,
    pub items: Vec<GraphFigureRow<'a>>,
    /// The number of items that could be shown.
    pub total: usize,
    pub shown: usize,
}

/// An item of a picture.
#[derive(Serialize)]
pub(super) struct GraphFigureRow<'a> {
    pub key: &'a str,
    pub title: String,
    pub status: &'a str,
    pub meaning: Option<&'static str>,
    /// The seconds by which its work may begin later than it can; `None` for what is done, and in a loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slack: Option<f64>,
    pub critical: bool,
}

/// Work that was done, and work as it could be done.
#[derive(Serialize)]
pub(super) struct BoardTimeline {
    pub unit: &'static str,
    /// The number of runs from which durations are learned; without any, each item counts as an hour.
    pub known_runs: usize,
    pub past: Vec<PastRun>,
    pub planned: Vec<PlannedItem>,
    pub planned_total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    pub now: String,
}

/// A run that ended.
#[derive(Serialize)]
pub(super) struct PastRun {
    pub key: String,
    pub title: String,
    pub start: String,
    pub end: String,
    pub outcome: &'static str,
}

/// An item as its work could be done, in seconds from now.
#[derive(Serialize)]
pub(super) struct PlannedItem {
    pub key: String,
    pub title: String,
    pub start: f64,
    pub end: f64,
    pub critical: bool,
}

/// A page of problems.
#[derive(Serialize)]
pub(super) struct ProblemPage {
    pub problems: Vec<ProblemRow>,
    pub total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

/// Items that wait for an act of a person.
#[derive(Serialize)]
pub(super) struct WaitingPage<'a> {
    pub entries: Vec<WaitingEntry<'a>>,
    pub total: usize,
}

/// An item that waits for an act of a person.
#[derive(Serialize)]
pub(super) struct WaitingEntry<'a> {
    pub kind: &'static str,
    pub why: &'static str,
    pub key: &'a str,
    pub title: String,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    pub version: String,
}

/// The differences between the branch of a run and what it began with.
#[derive(Serialize)]
pub(super) struct BranchDiff {
    pub base: String,
    pub branch: String,
    pub files: Vec<FileDiff>,
    /// True if something is left out.
    pub cut: bool,
}

/// A file that differs.
#[derive(Serialize)]
pub(super) struct FileDiff {
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<usize>,
    /// True if it is no text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub binary: bool,
    pub hunks: Vec<HunkRow>,
}

/// Lines of a file that follow one another.
#[derive(Serialize)]
pub(super) struct HunkRow {
    pub head: String,
    pub lines: Vec<(&'static str, String)>,
}
