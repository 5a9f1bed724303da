//! The shapes of answers about items of every format.

use serde::Serialize;

use super::item::Item;
use chant_base::answer::cut;
use chant_base::counted_list::CountedList;
use chant_base::document_problem::ProblemRow;
use chant_base::text_place::TextPlace;
use chant_plan_format::finding::PlanFinding;
use chant_specs::view::text_by_others::TextByOthers;

/// Characters of a title that a row shows.
const MAX_TITLE: usize = 200;

#[derive(Serialize)]
pub(super) struct PlanList<'a> {
    pub(super) items: Vec<PlanRow<'a>>,
    pub(super) total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_offset: Option<usize>,
    #[serde(flatten)]
    pub(super) problems: Option<CountedList<ProblemRow>>,
}

#[derive(Serialize)]
pub(super) struct NextItems<'a> {
    pub(super) next: Vec<PlanRow<'a>>,
    pub(super) total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first: Option<FirstOrder<'a>>,
}

#[derive(Serialize)]
pub(super) struct FirstOrder<'a> {
    pub(super) key: &'a str,
    pub(super) order: String,
}

/// An item in few words.
#[derive(Serialize)]
pub(super) struct PlanRow<'a> {
    pub(super) key: &'a str,
    pub(super) title: String,
    pub(super) status: &'a str,
    pub(super) done: bool,
    pub(super) ready: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) criteria: Option<CriteriaCount>,
}

#[derive(Serialize)]
pub(super) struct CriteriaCount {
    pub(super) total: usize,
    pub(super) checked: usize,
}

impl<'a> PlanRow<'a> {
    pub(super) fn of(item: &Item<'a>) -> Self {
        let (checked, total) = item.criteria_counts();
        Self {
            key: item.key(),
            title: cut(item.title(), MAX_TITLE),
            status: item.status(),
            done: item.is_done(),
            ready: item.is_ready(),
            parent: item.parent(),
            criteria: (total > 0).then_some(CriteriaCount { total, checked }),
        }
    }
}

#[derive(Serialize)]
pub(super) struct PlanItemView<'a> {
    #[serde(flatten)]
    pub(super) row: PlanRow<'a>,
    pub(super) format: &'static str,
    pub(super) kind: &'a str,
    pub(super) path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
    pub(super) labels: &'a [Box<str>],
    pub(super) body: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text_by_others: Option<TextByOthers>,
    #[serde(rename = "criteria_list", skip_serializing_if = "Vec::is_empty")]
    pub(super) criteria: Vec<CriterionView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) waits_for: Vec<WaitView<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) edits: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) statuses: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) documents: Option<Vec<&'a str>>,
}

#[derive(Serialize)]
pub(super) struct CriterionView {
    pub(super) number: usize,
    pub(super) text: String,
    pub(super) checked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) whose: Option<&'static str>,
}

#[derive(Serialize)]
pub(super) struct WaitView<'a> {
    pub(super) key: &'a str,
    pub(super) reason: &'static str,
    pub(super) status: &'a str,
}

#[derive(Serialize)]
pub(super) struct EditedItemView<'a> {
    pub(super) item: PlanRow<'a>,
    pub(super) changed: Vec<ChangedPlace<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) notes: &'a [String],
}

#[derive(Serialize)]
pub(super) struct ChangedPlace<'a> {
    pub(super) path: &'a str,
    pub(super) line: usize,
}

#[derive(Serialize)]
pub(super) struct FindingsView {
    pub(super) findings: Vec<FindingRow>,
}

/// A finding of a format's own rules.
#[derive(Serialize)]
pub(super) struct FindingRow {
    pub(super) format: &'static str,
    pub(super) rule: &'static str,
    pub(super) severity: &'static str,
    pub(super) path: String,
    /// All 0 for a folder.
    #[serde(flatten)]
    pub(super) place: TextPlace,
    pub(super) message: String,
}

impl FindingRow {
    pub(super) fn of(format: &'static str, finding: &PlanFinding) -> Self {
        Self {
            format,
            rule: finding.rule,
            severity: finding.level.as_str(),
            path: finding.path.to_string(),
            place: finding.place.unwrap_or_default(),
            message: finding.message.to_string(),
        }
    }
}
