//! The shapes of answers, key by key in the order in which the seed lists them.

use serde::Serialize;

use super::model::{Problem, Spec, Status};
use super::specs::{Specs, Wait};
use crate::graph::Kind;

/// Characters of a title that a list shows.
const TITLE_SHOWN: usize = 300;

/// Problems that a list shows.
const PROBLEMS_SHOWN: usize = 20;

/// Entries of a list of texts that an answer about one spec shows.
const ENTRIES_SHOWN: usize = 200;

/// One spec in a list.
#[derive(Debug, Serialize)]
pub struct SpecEntry<'a> {
    id: &'a str,
    title: Option<String>,
    status: &'static str,
    r#type: &'a str,
    depends_on: Option<&'a [Box<str>]>,
    labels: Option<&'a [Box<str>]>,
    /// Where a search found its query.
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<String>,
}

impl<'a> SpecEntry<'a> {
    /// A spec as lists show it.
    pub fn of(spec: &'a Spec, status: Status) -> Self {
        let shown = |names: &'a Option<Vec<Box<str>>>| {
            names
                .as_deref()
                .map(|names| &names[..names.len().min(ENTRIES_SHOWN)])
        };
        Self {
            id: spec.id.as_str(),
            title: title_shown(spec),
            status: status.as_str(),
            r#type: spec.kind.as_str(),
            depends_on: shown(&spec.depends_on),
            labels: shown(&spec.labels),
            excerpt: None,
        }
    }

    /// The same entry with the line in which a search found its query.
    #[must_use]
    pub fn with_excerpt(mut self, excerpt: Option<String>) -> Self {
        self.excerpt = excerpt;
        self
    }
}

/// A spec's title as lists show it.
pub fn title_shown(spec: &Spec) -> Option<String> {
    spec.title.as_deref().map(shortened)
}

fn shortened(title: &str) -> String {
    match title.char_indices().nth(TITLE_SHOWN) {
        Some((end, _)) => format!("{}…", &title[..end]),
        None => title.to_owned(),
    }
}

/// A page of a list of specs.
#[derive(Debug, Serialize)]
pub struct SpecList<'a> {
    /// The specs.
    pub specs: Vec<SpecEntry<'a>>,
    /// How many match.
    pub total: usize,
    /// Most entries that were wanted.
    pub limit: usize,
    /// Entries on this page.
    pub returned: usize,
    /// Where the next page begins, when there is one: call again with this `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// Files that cannot be read as specs, or only in part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ProblemEntry>,
    /// How many problems there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems_total: Option<usize>,
}

/// Something wrong with a file.
#[derive(Debug, Serialize)]
pub struct ProblemEntry {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    message: String,
}

impl From<&Problem> for ProblemEntry {
    fn from(problem: &Problem) -> Self {
        Self {
            path: problem.path.to_string(),
            line: problem.line,
            message: problem.message.clone(),
        }
    }
}

/// The problems that an answer shows, and their number when that is not all. The same thing wrong
/// with many files is told once, with the first of them and their number.
pub fn problems(problems: &[Problem]) -> (Vec<ProblemEntry>, Option<usize>) {
    let mut shown: Vec<(ProblemEntry, usize)> = Vec::new();
    for problem in problems {
        let known = shown
            .iter()
            .position(|(entry, _)| entry.message == problem.message);
        if let Some(at) = known {
            shown[at].1 += 1;
        } else if shown.len() < PROBLEMS_SHOWN {
            shown.push((problem.into(), 1));
        }
    }
    let told: usize = shown.iter().map(|(_, files)| files).sum();
    let entry = |(mut entry, files): (ProblemEntry, usize)| {
        if files > 1 {
            entry.message.push_str(&format!(" (in {files} files)"));
        }
        entry
    };
    (
        shown.into_iter().map(entry).collect(),
        (told < problems.len()).then_some(problems.len()),
    )
}

/// How many criteria a spec has, and how they stand.
#[derive(Debug, Serialize)]
pub struct Criteria {
    total: usize,
    checked: usize,
    unchecked: usize,
}

impl Criteria {
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

/// What a spec waits for.
#[derive(Debug, Serialize)]
pub struct Waiting {
    /// ID or key; null for approval.
    id: Option<String>,
    /// `dependency`, `driver_dependency`, `earlier_sibling`, `member` or `approval`.
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl From<Wait> for Waiting {
    fn from(wait: Wait) -> Self {
        match wait {
            Wait::Approval => Self {
                id: None,
                reason: "approval",
                status: None,
                via: None,
                note: None,
            },
            Wait::Item {
                id,
                kind,
                via,
                status,
                note,
            } => {
                let reason = match kind {
                    Kind::Explicit => "dependency",
                    Kind::Inherited => "driver_dependency",
                    Kind::Sibling => "earlier_sibling",
                    Kind::Member => "member",
                };
                Self {
                    id: Some(id),
                    reason,
                    status: status.map(Status::as_str),
                    via,
                    note,
                }
            }
        }
    }
}

/// What a spec waits for, in words.
pub fn sentence(wait: &Wait) -> String {
    let Wait::Item {
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
        (Kind::Inherited, Some(via)) => format!(", named by {via}"),
        (Kind::Sibling, _) => ", an earlier sibling".into(),
        (Kind::Member, _) => ", a member".into(),
        _ => String::new(),
    };
    format!("{id}{state}{why}")
}

/// Whether somebody has to agree before work begins.
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
    criteria: Criteria,
    waiting_for: Vec<Waiting>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    members: Vec<Member<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<ApprovalView<'a>>,
    /// Further documented keys that the file has, by name.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub further: serde_json::Map<String, serde_json::Value>,
    /// The branch whose copy of the body is shown while the spec is being worked there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_from: Option<String>,
    /// Characters of the whole body, when not all of it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_chars: Option<usize>,
    /// Where the next piece of the body begins: call again with this `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<ProblemEntry>,
}

#[derive(Debug, Serialize)]
struct Member<'a> {
    id: &'a str,
    status: &'static str,
}

impl<'a> SpecDetails<'a> {
    /// Everything about a spec but its body.
    pub fn of(spec: &'a Spec, specs: &'a Specs) -> Self {
        let status = specs.status(spec);
        let is_open = matches!(
            status,
            Status::Pending | Status::Blocked | Status::Failed | Status::Ready
        );
        let waits = if is_open {
            specs.waits(spec)
        } else {
            Vec::new()
        };
        let member = |member: &'a std::sync::Arc<Spec>| Member {
            id: member.id.as_str(),
            status: specs.status(member).as_str(),
        };
        Self {
            id: spec.id.as_str(),
            title: spec.title.as_deref(),
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
            criteria: Criteria::of(spec),
            waiting_for: waits
                .into_iter()
                .take(ENTRIES_SHOWN)
                .map(Waiting::from)
                .collect(),
            members: specs
                .members(&spec.id)
                .take(ENTRIES_SHOWN)
                .map(member)
                .collect(),
            approval: spec.approval.as_ref().map(|approval| ApprovalView {
                required: approval.required,
                status: approval.status.as_deref().unwrap_or("pending"),
                by: approval.by.as_deref(),
                at: approval.at.as_deref(),
            }),
            further: serde_json::Map::new(),
            body_from: None,
            body_chars: None,
            next_offset: None,
            problems: spec.problems.iter().map(ProblemEntry::from).collect(),
        }
    }
}

fn texts(names: Option<&[Box<str>]>) -> Option<Vec<&str>> {
    let names = names?;
    Some(
        names
            .iter()
            .take(ENTRIES_SHOWN)
            .map(|name| &**name)
            .collect(),
    )
}

/// Counts of specs by state.
#[derive(Debug, Serialize)]
pub struct StatusCounts {
    total: usize,
    pending: usize,
    in_progress: usize,
    completed: usize,
    failed: usize,
    blocked: usize,
    cancelled: usize,
    needs_attention: usize,
    /// Present when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_progress_activity: Option<Vec<Activity>>,
    /// How many specs are in progress, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_progress_activity_total: Option<usize>,
    /// Files that cannot be read as specs, or only in part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ProblemEntry>,
    /// How many problems there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems_total: Option<usize>,
}

impl StatusCounts {
    /// Counts all specs; a stored `ready` counts as pending, `paused` as in progress.
    pub fn of(specs: &Specs) -> Self {
        let overview = specs.overview();
        let count = |status: Status| overview.counts[status as usize];
        Self {
            total: specs.all().len(),
            pending: count(Status::Pending) + count(Status::Ready),
            in_progress: count(Status::InProgress) + count(Status::Paused),
            completed: count(Status::Completed),
            failed: count(Status::Failed),
            blocked: count(Status::Blocked),
            cancelled: count(Status::Cancelled),
            needs_attention: count(Status::NeedsAttention),
            in_progress_activity: None,
            in_progress_activity_total: None,
            problems: Vec::new(),
            problems_total: None,
        }
    }

    /// The counts on one line, zero ones left out.
    pub fn brief(&self) -> String {
        let parts = [
            (self.pending, "pending"),
            (self.in_progress, "in_progress"),
            (self.completed, "completed"),
            (self.failed, "failed"),
            (self.blocked, "blocked"),
            (self.cancelled, "cancelled"),
            (self.needs_attention, "needs_attention"),
        ];
        let shown: Vec<String> = parts
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, name)| format!("{n} {name}"))
            .collect();
        if shown.is_empty() {
            "No specs".into()
        } else {
            shown.join(" | ")
        }
    }
}

/// When something last happened to a spec that is being worked.
#[derive(Debug, Serialize)]
pub struct Activity {
    /// The spec.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// Last change of its file, local time.
    pub spec_modified: Option<String>,
    /// Last change of its log, local time.
    pub log_modified: Option<String>,
    /// Whether it has a log.
    pub has_log: bool,
    /// Last change of its file, RFC 3339, UTC.
    pub spec_modified_utc: Option<String>,
    /// Last change of its log, RFC 3339, UTC.
    pub log_modified_utc: Option<String>,
}

/// Whether a spec meets its criteria.
#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "keys of the seed")]
pub struct Verification<'a> {
    spec_id: &'a str,
    verified: bool,
    criteria: Criteria,
    unchecked_items: Vec<String>,
    verification_notes: String,
}

impl<'a> Verification<'a> {
    /// Counts the criteria of a spec; nothing is executed.
    pub fn of(spec: &'a Spec) -> Self {
        let unchecked = spec.unchecked();
        let open = spec.criteria.iter().filter(|criterion| !criterion.checked);
        let notes = match (spec.criteria.len(), unchecked) {
            (0, _) => "No acceptance criteria found".into(),
            (_, 0) => "All acceptance criteria met".into(),
            (_, open) => format!("{open} criteria not yet checked"),
        };
        Self {
            spec_id: spec.id.as_str(),
            verified: unchecked == 0 && !spec.criteria.is_empty(),
            criteria: Criteria::of(spec),
            unchecked_items: open
                .take(ENTRIES_SHOWN)
                .map(|c| format!("- [ ] {}", spec.criterion_text(c)))
                .collect(),
            verification_notes: notes,
        }
    }
}

/// Lines of a log.
#[derive(Debug, Serialize)]
pub struct Log {
    /// The lines, joined by line feeds.
    pub content: String,
    /// Byte after the last whole line looked at: where to go on.
    pub byte_offset: u64,
    /// How many lines.
    pub line_count: usize,
    /// With `offset`: whole lines follow. Without: older lines were left out.
    pub has_more: bool,
    /// Byte at which the first line begins.
    pub start_offset: u64,
}

/// One check of a diagnosis.
#[derive(Debug, Serialize)]
pub struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// Whether it is as it should be for a spec in this state.
    pub passed: bool,
    /// What was found.
    pub details: Option<String>,
}

/// What is the matter with a spec.
#[derive(Debug, Serialize)]
pub struct Diagnosis<'a> {
    /// The spec.
    pub spec_id: &'a str,
    /// Its state.
    pub status: &'static str,
    /// `main repository` or `worktree: <path>`.
    pub location: String,
    /// What was looked at, in a fixed order.
    pub checks: Vec<Check>,
    /// The result in a sentence.
    pub diagnosis: String,
    /// What to do, when there is something.
    pub suggestion: Option<String>,
}

/// One finding of a lint rule.
#[derive(Debug, Serialize)]
pub struct Diagnostic {
    /// The spec.
    pub spec_id: String,
    /// The rule.
    pub rule: &'static str,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// What is wrong.
    pub message: String,
    /// What could be done.
    pub suggestion: Option<String>,
}

/// How good a spec is as a task for an agent.
#[derive(Debug, Serialize)]
pub struct Score<'a> {
    /// The spec.
    pub id: &'a str,
    /// Its title.
    pub title: Option<String>,
    /// `ready`, `review` or `refine`.
    pub traffic_light: &'static str,
    /// A to D.
    pub complexity: char,
    /// A to D.
    pub confidence: char,
    /// A to D.
    pub splittability: char,
    /// A to D.
    pub ac_quality: char,
    /// A to D; null for a spec without members.
    pub isolation: Option<char>,
    /// What would raise a grade.
    pub suggestions: Vec<&'static str>,
}

/// What lint found.
#[derive(Debug, Serialize)]
pub struct LintReport<'a> {
    /// How many specs were looked at, unreadable ones included.
    pub specs_checked: usize,
    /// Findings that are errors.
    pub errors: usize,
    /// Findings that are warnings.
    pub warnings: usize,
    /// Findings, by spec and rule.
    pub diagnostics: Vec<Diagnostic>,
    /// Grades, by spec.
    pub scores: Vec<Score<'a>>,
    /// Specs that should be refined before anybody works on them.
    pub red: usize,
    /// Specs that should be looked at.
    pub yellow: usize,
    /// Specs that are good as they are.
    pub green: usize,
    /// Where the rest of the findings and grades begins: call again with this `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// Problems with files that belong to no spec.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ProblemEntry>,
}

/// Runs of agents.
#[derive(Debug, Serialize)]
pub struct WorkList {
    /// The runs.
    pub processes: Vec<RunEntry>,
    /// All runs that are kept, whatever was asked for.
    pub summary: RunCounts,
    /// Records that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ProblemEntry>,
    /// How many runs match, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes_total: Option<usize>,
}

/// One run.
#[derive(Debug, Serialize)]
pub struct RunEntry {
    /// Its name.
    pub process_id: String,
    /// The spec.
    pub spec_id: String,
    /// The runner's process number.
    pub pid: Option<u32>,
    /// `running`, `completed` or `failed`.
    pub status: &'static str,
    /// RFC 3339.
    pub started_at: Option<String>,
    /// RFC 3339; null while it runs.
    pub completed_at: Option<String>,
    /// `single`, `chain` or `parallel(N)`.
    pub mode: String,
    /// Its record says it runs, but no such process lives.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// How it ended, in one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_state: Option<String>,
    /// Why it ended so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The branch that carries its work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

/// Runs by state.
#[derive(Debug, Default, Serialize)]
pub struct RunCounts {
    /// Runners that live.
    pub running: usize,
    /// Ended with the spec completed.
    pub completed: usize,
    /// Ended otherwise.
    pub failed: usize,
}
