//! The model of a spec: its keys, its criteria, and the states it moves through.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use strum::IntoStaticStr;

use super::id::SpecId;
use chant_base::document_problem::DocumentProblem;
use chant_text::checklist::{self, UNREAD_ADVICE};
use chant_text::fences::SwallowingFence;

/// The documented order of keys (reference chant 2.2): an absent key is put in its place in it.
pub const KEY_ORDER: [&str; 34] = [
    "type", "status", "depends_on", "labels", "target_files", "context", "prompt", "branch",
    "commits", "completed_at", "model", PROOF, "tracks", "informed_by", "origin", "found_by",
    "schedule", "source_branch", "target_branch", "conflicting_files", "blocked_specs",
    "original_spec", "last_verified", "verification_status", "verification_failures",
    "replayed_at", "replay_count", "original_completed_at", "derived_fields", "approval",
    "members", "output_schema", "public", "retry_state",
];

/// Words in place of those that are withheld.
pub(crate) const WITHHELD: &str = "(text by others)";

/// The key that says how well a completed spec is proven: the weakest word of its criteria.
pub const PROOF: &str = "proof";

/// The nine states of a spec (reference chant 3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum SpecStatus {
    /// Not started.
    #[default]
    Pending,
    /// Being worked.
    InProgress,
    /// Stopped by releases that had this state; kept.
    Paused,
    /// Done, with its criteria met.
    Completed,
    /// Tried and not done.
    Failed,
    /// A person has to look.
    NeedsAttention,
    /// Marked by hand; what can be worked on is derived, not stored.
    Ready,
    /// Waiting; derived from dependencies, and sometimes stored by earlier programs.
    Blocked,
    /// Given up.
    Cancelled,
}

impl SpecStatus {
    /// All states, in the order in which messages list them.
    pub const ALL: [Self; 9] = [
        Self::Pending,
        Self::InProgress,
        Self::Paused,
        Self::Completed,
        Self::Failed,
        Self::NeedsAttention,
        Self::Ready,
        Self::Blocked,
        Self::Cancelled,
    ];

    /// As files and answers spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// As messages about transitions spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::InProgress => "InProgress",
            Self::Paused => "Paused",
            Self::Completed => "Completed",
            Self::Failed => "Failed",
            Self::NeedsAttention => "NeedsAttention",
            Self::Ready => "Ready",
            Self::Blocked => "Blocked",
            Self::Cancelled => "Cancelled",
        }
    }

    /// Returns true if nothing waits for a spec in this state any more.
    pub fn is_done(self) -> bool {
        matches!(self, Self::Completed | Self::Cancelled)
    }

    /// Returns true if a spec in this state is to be worked on: not started, or failed and worth another try.
    pub fn is_to_do(self) -> bool {
        matches!(self, Self::Pending | Self::Blocked | Self::Failed)
    }

    /// Returns true if a spec may go from this state to `to` without force: the table of reference chant
    /// 3.1 with the five it recommends; staying is always allowed.
    pub fn may_become(self, to: Self) -> bool {
        use SpecStatus::{
            Blocked, Cancelled, Completed, Failed, InProgress, NeedsAttention, Paused, Pending,
            Ready,
        };
        let onward: &[Self] = match self {
            Pending => &[InProgress, Blocked, Cancelled],
            InProgress => &[
                Paused, Completed, Failed, NeedsAttention, Cancelled, Pending,
            ],
            Paused => &[InProgress, Cancelled, Pending],
            Completed => &[Pending, NeedsAttention],
            Failed | NeedsAttention | Blocked => &[Pending, InProgress, Cancelled],
            Ready => &[],
            Cancelled => &[Pending],
        };
        self == to || onward.contains(&to)
    }
}

impl fmt::Display for SpecStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Invalid status: {0}. Must be one of: {all}", all = SpecStatus::ALL.map(SpecStatus::as_str).join(", "))]
pub struct InvalidSpecStatus(pub String);

impl FromStr for SpecStatus {
    type Err = InvalidSpecStatus;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|status| status.as_str() == text);
        found.ok_or_else(|| InvalidSpecStatus(text.to_owned()))
    }
}

/// The kind of work that a spec is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpecType {
    /// Code, the default.
    Code,
    /// Work that is no code.
    Task,
    /// A container of members.
    Driver,
    /// Documentation of `tracks`.
    Documentation,
    /// Research on `informed_by` or `origin`.
    Research,
    /// A container that a split made.
    Group,
    /// A merge conflict to be resolved.
    Conflict,
    /// A word of the user's that is none of these; kept and reported.
    Other(Box<str>),
}

impl SpecType {
    /// The words that may stand in a file, the runtime's own `conflict` left out.
    pub const NAMES: [&'static str; 6] = [
        "code", "task", "driver", "documentation", "research", "group",
    ];

    /// As files and answers spell it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Code => "code",
            Self::Task => "task",
            Self::Driver => "driver",
            Self::Documentation => "documentation",
            Self::Research => "research",
            Self::Group => "group",
            Self::Conflict => "conflict",
            Self::Other(word) => word,
        }
    }

    /// Returns true if such a spec holds members and is not worked itself.
    pub fn is_container(&self) -> bool {
        matches!(self, Self::Driver | Self::Group)
    }
}

impl From<&str> for SpecType {
    fn from(word: &str) -> Self {
        match word {
            "code" => Self::Code,
            "task" => Self::Task,
            "driver" => Self::Driver,
            "documentation" => Self::Documentation,
            "research" => Self::Research,
            "group" => Self::Group,
            "conflict" => Self::Conflict,
            other => Self::Other(other.into()),
        }
    }
}

/// The approval that a spec needs or has, before work begins (reference chant 4.4).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalState {
    /// True if approval is needed at all.
    pub required: bool,
    /// `pending`, `approved` or `rejected`; other words count as not approved.
    pub status: Option<Box<str>>,
    /// The person who decided.
    pub by: Option<Box<str>>,
    /// When.
    pub at: Option<Box<str>>,
}

impl ApprovalState {
    /// Returns true if work may begin as far as approval goes.
    pub fn is_given(&self) -> bool {
        !self.required || self.status.as_deref() == Some("approved")
    }
}

/// One acceptance criterion: a task item in a section of that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Criterion {
    /// Byte of `[` in the body.
    pub marker: u32,
    /// First byte of its text in the body.
    pub start: u32,
    /// Byte after its text.
    pub end: u32,
    /// True if its box is ticked.
    pub checked: bool,
}

/// A spec as its file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    /// Its ID: the name of its file.
    pub id: SpecId,
    /// Its file, relative to the root.
    pub path: Box<str>,
    /// The whole text of its file.
    pub text: Box<str>,
    /// Where the body begins in `text`.
    pub body_start: usize,
    /// First heading of level 1.
    pub title: Option<Box<str>>,
    /// Kind of work.
    pub kind: SpecType,
    /// State as stored; what others see is [`super::specs::SpecGraph::status`].
    pub status: SpecStatus,
    /// IDs it waits for; an empty list differs from none (reference chant 4.3).
    pub depends_on: Option<Vec<Box<str>>>,
    /// Labels.
    pub labels: Option<Vec<Box<str>>>,
    /// Files the work touches.
    pub target_files: Option<Vec<Box<str>>>,
    /// Files an agent is shown.
    pub context: Option<Vec<Box<str>>>,
    /// Name of a prompt template.
    pub prompt: Option<Box<str>>,
    /// Branch that carries the work.
    pub branch: Option<Box<str>>,
    /// Short hashes of the commits that did the work.
    pub commits: Option<Vec<Box<str>>>,
    /// When it was completed, UTC.
    pub completed_at: Option<Box<str>>,
    /// Model that does or did the work, as written.
    pub model: Option<Box<str>>,
    /// How well it is proven, where its checks say so: the weakest word of its criteria.
    pub proof: Option<Box<str>>,
    /// IDs of members as listed; membership itself comes from the IDs.
    pub members: Option<Vec<Box<str>>>,
    /// Approval.
    pub approval: Option<ApprovalState>,
    /// JSON Schema of the agent's output, a path.
    pub output_schema: Option<Box<str>>,
    /// The issue of a forge that it is; its text was written there.
    pub issue: Option<Box<str>>,
    /// True for one whose words are kept from who asks, and are given as text by others.
    pub is_withheld: bool,
    /// Acceptance criteria, in document order.
    pub criteria: Box<[Criterion]>,
    /// Keys whose values could not be used.
    pub problems: Vec<DocumentProblem>,
    /// Fences of the body that take in headings or boxes, with their lines in the file.
    pub fences: Box<[SwallowingFence]>,
    /// Lines of the file that look like criteria and are none to `CommonMark`, counted from 1.
    pub unread_criteria: Box<[usize]>,
}

impl Spec {
    /// Describes what its body has and is not read, a sentence each with what to do.
    pub fn describe_unread(&self) -> Vec<String> {
        let fences = self.fences.iter();
        let fences = fences.map(|fence| format!("{fence}. {}", fence.advice()));
        let lines = self.describe_unread_criteria();
        fences
            .chain(lines.map(|lines| format!("{lines}. {UNREAD_ADVICE}")))
            .collect()
    }

    /// Names the lines that look like criteria and are not read; `None` without any.
    pub fn describe_unread_criteria(&self) -> Option<String> {
        checklist::describe_unread(&self.unread_criteria)
    }

    /// Returns true if criteria that a reader sees are not read.
    pub fn has_unread_criteria(&self) -> bool {
        !self.unread_criteria.is_empty() || self.fences.iter().any(|fence| fence.boxes > 0)
    }

    /// The body as it stands in the file; empty where it is withheld.
    pub fn body(&self) -> &str {
        if self.is_withheld {
            return "";
        }
        &self.text[self.body_start..]
    }

    /// The YAML between the fences; empty without front matter.
    pub fn yaml(&self) -> &str {
        match chant_text::front_matter::layout(&self.text) {
            Ok(layout) => layout
                .yaml
                .map_or("", |range: Range<usize>| &self.text[range]),
            Err(_) => "",
        }
    }

    /// The texts of the criteria that are not ticked.
    pub fn open_criteria(&self) -> Vec<String> {
        let open = self.criteria.iter().filter(|criterion| !criterion.checked);
        open.map(|criterion| self.criterion_text(criterion))
            .collect()
    }

    /// A criterion's text on one line.
    pub fn criterion_text(&self, criterion: &Criterion) -> String {
        if self.is_withheld {
            return WITHHELD.to_owned();
        }
        let range = criterion.start as usize..criterion.end as usize;
        let words = self
            .body()
            .get(range)
            .unwrap_or_default()
            .split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns the number of criteria that are not ticked.
    pub fn unchecked(&self) -> usize {
        self.criteria
            .iter()
            .filter(|criterion| !criterion.checked)
            .count()
    }

    /// Returns true if work may begin as far as approval goes.
    pub fn is_approved(&self) -> bool {
        self.approval.as_ref().is_none_or(ApprovalState::is_given)
    }

    /// Returns the model's family where its name holds one, else the name (reference chant 2.2).
    pub fn model_family(&self) -> Option<&str> {
        let model = self.model.as_deref()?;
        let lower = model.to_lowercase();
        Some(
            ["opus", "sonnet", "haiku"]
                .into_iter()
                .find(|family| lower.contains(family))
                .unwrap_or(model),
        )
    }
}

/// A file that is no spec because it cannot be read as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenSpec {
    /// The ID that it would have.
    pub id: Box<str>,
    /// The problem with it.
    pub problem: DocumentProblem,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference chant 3.1: rows from, columns to, in the order of `Status::ALL`.
    #[test]
    fn transitions_are_those_of_the_table() {
        let table = [
            "11.....11", // pending
            "111111..1", // in_progress
            "111.....1", // paused
            "1..1.1...", // completed
            "11..1...1", // failed
            "11...1..1", // needs_attention
            "......1..", // ready
            "11.....11", // blocked
            "1.......1", // cancelled
        ];
        for (from, row) in SpecStatus::ALL.into_iter().zip(table) {
            for (to, mark) in SpecStatus::ALL.into_iter().zip(row.chars()) {
                assert_eq!(from.may_become(to), mark == '1', "{from} to {to}");
            }
        }
    }

    #[test]
    fn statuses_read_as_they_are_written_and_others_are_refused() {
        for status in SpecStatus::ALL {
            assert_eq!(status.as_str().parse(), Ok(status));
        }
        let error = "Pending".parse::<SpecStatus>().unwrap_err().to_string();
        assert!(
            error.starts_with(
                "Invalid status: Pending. Must be one of: pending, in_progress, paused,"
            ),
            "{error}"
        );
    }
}
