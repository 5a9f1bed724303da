//! One spec: its keys, its criteria, what it waits for.

use std::collections::HashSet;
use std::sync::Arc;

use serde::Serialize;

use super::list::MESSAGE_SHOWN;
use crate::model::{Spec, SpecStatus};
use crate::specs::{SpecGraph, SpecWait};
use crate::view::text_by_others::TextByOthers;
use chant_base::document_problem::ProblemRow;
use chant_graph::EdgeKind;

/// The number of criteria of a spec, and their state.
#[derive(Debug, Serialize)]
pub struct CriteriaCounts {
    total: usize,
    checked: usize,
    unchecked: usize,
}

impl CriteriaCounts {
    /// The criteria of a spec.
    pub fn of(spec: &Spec) -> Self {
        let (total, unchecked) = (spec.criteria.len(), spec.unchecked());
        Self {
            total,
            checked: total - unchecked,
            unchecked,
        }
    }
}

/// Something that a spec waits for.
#[derive(Debug, Serialize)]
pub struct SpecWaitView {
    /// ID or key; null for approval and for members that a driver has none of.
    id: Option<String>,
    /// `dependency`, `driver_dependency`, `earlier_sibling`, `member`, `approval`, or `members` for a driver
    /// without open ones.
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl From<SpecWait> for SpecWaitView {
    fn from(wait: SpecWait) -> Self {
        match wait {
            SpecWait::Approval => Self {
                id: None,
                reason: "approval",
                status: None,
                via: None,
                note: None,
            },
            SpecWait::Item {
                id,
                kind,
                via,
                status,
                note,
            } => {
                let reason = match kind {
                    EdgeKind::Explicit => "dependency",
                    EdgeKind::Inherited => "driver_dependency",
                    EdgeKind::Sibling => "earlier_sibling",
                    EdgeKind::Member => "member",
                };
                Self {
                    id: Some(id),
                    reason,
                    status,
                    via,
                    note,
                }
            }
        }
    }
}

impl SpecWaitView {
    /// Returns the wait of a driver that has no open members.
    fn of_members(note: &str) -> Self {
        Self {
            id: None,
            reason: "members",
            status: None,
            via: None,
            note: Some(note.to_owned()),
        }
    }
}

/// Describes a wait of a spec, in words.
pub fn describe_wait(wait: &SpecWait) -> String {
    let SpecWait::Item {
        id,
        kind,
        via,
        status,
        note,
    } = wait
    else {
        return "approval".into();
    };
    let state = match (status, note) {
        (Some(status), Some(note)) => format!(" ({status}, {note})"),
        (Some(status), None) => format!(" ({status})"),
        (None, Some(note)) => format!(" ({note})"),
        (None, None) => String::new(),
    };
    let why = match (kind, via) {
        (EdgeKind::Inherited, Some(via)) => format!(", named by {via}"),
        (EdgeKind::Sibling, _) => ", an earlier sibling".into(),
        (EdgeKind::Member, _) => ", a member".into(),
        _ => String::new(),
    };
    format!("{id}{state}{why}")
}

/// The approval that a spec needs or has, before work begins.
#[derive(Debug, Serialize)]
pub struct ApprovalView<'a> {
    required: bool,
    status: &'a str,
    by: Option<&'a str>,
    at: Option<&'a str>,
}

/// Everything about one spec.
#[derive(Debug, Serialize)]
pub struct SpecDetails<'a> {
    id: &'a str,
    title: Option<&'a str>,
    status: &'static str,
    r#type: &'a str,
    depends_on: Option<Vec<&'a str>>,
    labels: Option<Vec<&'a str>>,
    target_files: Option<Vec<&'a str>>,
    context: Option<Vec<&'a str>>,
    prompt: Option<&'a str>,
    branch: Option<&'a str>,
    commits: Option<Vec<&'a str>>,
    completed_at: Option<&'a str>,
    model: Option<&'a str>,
    /// The body, its outer blank lines left out, or the piece of it that was asked for.
    pub body: String,
    path: &'a str,
    criteria: CriteriaCounts,
    waiting_for: Vec<SpecWaitView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    members: Vec<MemberView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<ApprovalView<'a>>,
    /// The words of an issue that no person approved, apart from what we say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_by_others: Option<TextByOthers>,
    /// Further documented keys that the file has, by name.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub further: serde_json::Map<String, serde_json::Value>,
    /// The word of the remote that clones share for it, where the file here does not say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_remote: Option<&'static str>,
    /// The branch whose copy of title, criteria and body is shown while the spec is being worked
    /// there.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_from: Option<&'a str>,
    /// Characters of the whole body, when not all of it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_chars: Option<usize>,
    /// Where the next piece of the body begins: call again with this `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<ProblemRow>,
}

#[derive(Debug, Serialize)]
struct MemberView<'a> {
    id: &'a str,
    /// `None` for one that the file names and that is no active spec.
    status: Option<&'static str>,
}

impl<'a> SpecDetails<'a> {
    /// Everything about a spec but its body; title and criteria are those of its copy on a branch when
    /// there is one.
    pub fn of(spec: &'a Spec, copy: Option<(&'a str, &'a Spec)>, specs: &'a SpecGraph) -> Self {
        let shown = copy.map_or(spec, |(_, copy)| copy);
        let status = specs.status(spec);
        let is_open = matches!(
            status,
            SpecStatus::Pending | SpecStatus::Blocked | SpecStatus::Failed | SpecStatus::Ready
        );
        let waits = if is_open {
            specs.waits(spec)
        } else {
            Vec::new()
        };
        let status_of = |spec: &Arc<Spec>| specs.status(spec).as_str();
        let member = |member: &'a Arc<Spec>| MemberView {
            id: member.id.as_str(),
            status: Some(status_of(member)),
        };
        let mut members: Vec<MemberView<'_>> = specs.members(&spec.id).map(member).collect();
        let mut listed: HashSet<&str> = members.iter().map(|member| member.id).collect();
        let named = spec.members.iter().flatten();
        let further = named.filter(|name| listed.insert(name));
        members.extend(further.map(|name| MemberView {
            id: name,
            status: specs.find(name).map(status_of),
        }));
        Self {
            id: spec.id.as_str(),
            title: shown.title.as_deref(),
            status: status.as_str(),
            r#type: spec.kind.as_str(),
            depends_on: texts(spec.depends_on.as_deref()),
            labels: texts(spec.labels.as_deref()),
            target_files: texts(spec.target_files.as_deref()),
            context: texts(spec.context.as_deref()),
            prompt: spec.prompt.as_deref(),
            branch: spec.branch.as_deref(),
            commits: texts(spec.commits.as_deref()),
            completed_at: spec.completed_at.as_deref(),
            model: spec.model_family(),
            body: String::new(),
            path: &spec.path,
            criteria: CriteriaCounts::of(shown),
            waiting_for: waits
                .into_iter()
                .map(SpecWaitView::from)
                .chain(specs.idle(spec).map(SpecWaitView::of_members))
                .collect(),
            members,
            approval: spec.approval.as_ref().map(|approval| ApprovalView {
                required: approval.required,
                status: approval.status.as_deref().unwrap_or("pending"),
                by: approval.by.as_deref(),
                at: approval.at.as_deref(),
            }),
            text_by_others: None,
            further: serde_json::Map::new(),
            on_remote: None,
            body_from: copy.map(|(branch, _)| branch),
            body_chars: None,
            next_offset: None,
            problems: spec
                .problems
                .iter()
                .map(|one| one.row(MESSAGE_SHOWN))
                .collect(),
        }
    }
}

fn texts(names: Option<&[Box<str>]>) -> Option<Vec<&str>> {
    Some(names?.iter().map(|name| &**name).collect())
}

/// The report on whether a spec meets its criteria.
#[derive(Debug, Serialize)]
pub struct VerificationReport<'a> {
    spec_id: &'a str,
    verified: bool,
    criteria: CriteriaCounts,
    unchecked_items: Vec<String>,
    verification_notes: String,
}

impl<'a> VerificationReport<'a> {
    /// Counts the criteria of a spec; nothing is executed.
    pub fn of(spec: &'a Spec) -> Self {
        let unchecked = spec.unchecked();
        let open = spec.criteria.iter().filter(|criterion| !criterion.checked);
        let has_unread = spec.has_unread_criteria();
        let mut notes = match (spec.criteria.len(), unchecked) {
            (0, _) => "No acceptance criteria found".into(),
            (_, 0) if has_unread => "All acceptance criteria that are read are met".into(),
            (_, 0) => "All acceptance criteria met".into(),
            (_, open) => format!("{open} criteria not yet checked"),
        };
        for sentence in spec.describe_unread() {
            notes = format!("{notes}; {sentence}");
        }
        Self {
            spec_id: spec.id.as_str(),
            verified: unchecked == 0 && !spec.criteria.is_empty() && !has_unread,
            criteria: CriteriaCounts::of(spec),
            unchecked_items: open
                .map(|c| format!("- [ ] {}", spec.criterion_text(c)))
                .collect(),
            verification_notes: notes,
        }
    }
}
