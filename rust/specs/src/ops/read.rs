//! Lists, one spec, counts, criteria.

use std::sync::Arc;
use std::time::SystemTime;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::error::ChantError;
use crate::model::{PROOF, Spec, SpecStatus};
use crate::parse;
use crate::project::{Project, ProjectSnapshot};
use crate::view::held_specs::RemoteCounts;
use crate::view::list::{SpecEntry, SpecList, problems, problems_of_page, title_shown};
use crate::view::spec::{SpecDetails, VerificationReport};
use crate::view::status::{SpecActivity, StatusCounts};
use crate::view::text_by_others::TextByOthers;
use chant_base::answer::{Answer, DEFAULT_LIMIT, PageRequest, TextRange, fitting, piece, size_of};
use chant_base::counted_list::CountedList;
use chant_base::document_problem::{DocumentProblem, ProblemRow};
use chant_base::error::Error;
use chant_base::plural::counted;
use chant_store::disk::{self, WeakGuarantee, weak_promises};
use chant_store::index::FileSource;
use chant_text::front_matter;

/// Specs in progress whose activity one answer shows.
const ACTIVITY_SHOWN: usize = 50;

/// Documented keys that are shown only when a file has them (reference chant 2.2).
const FURTHER_KEYS: [&str; 23] = [
    "tracks", "informed_by", "origin", "found_by", "schedule", "source_branch", "target_branch",
    "conflicting_files", "blocked_specs", "original_spec", "last_verified", "verification_status",
    "verification_failures", "replayed_at", "replay_count", "original_completed_at",
    "derived_fields", "output_schema", "may_change", "untested", PROOF, "public", "retry_state",
];

/// Which specs are listed.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpecFilter {
    /// A state of approval: `pending`, `approved` or `rejected`.
    pub approval: Option<String>,
    /// Most specs.
    pub limit: usize,
    /// Specs to pass over.
    pub offset: usize,
}

impl Default for SpecFilter {
    fn default() -> Self {
        Self {
            approval: None,
            limit: DEFAULT_LIMIT,
            offset: 0,
        }
    }
}

/// `chant_spec_list`: specs in the order of their IDs; cancelled ones only when asked for.
///
/// `ready` asks for what can be worked on now, as [`ready`] does, and for specs marked so by hand.
///
/// `approval` leaves those that ask for approval and stand there.
///
/// # Errors
/// `InvalidStatus`, `InvalidArgument`, or that there is no project.
pub fn list(project: &Project, status: Option<&str>, filter: &SpecFilter) -> Result<Answer, Error> {
    let page = PageRequest {
        limit: filter.limit,
        offset: filter.offset,
    };
    let status: Option<SpecStatus> = status
        .map(str::parse)
        .transpose()
        .map_err(ChantError::from)?;
    let snapshot = project.snapshot()?;
    let overview = snapshot.specs.overview();
    let of_status = |wanted: SpecStatus| move |at: &usize| overview.statuses[*at] == wanted;
    let all = 0..overview.statuses.len();
    if let Some(approval) = filter.approval.as_deref() {
        refuse_unknown_approval(approval)?;
        let specs = snapshot.specs.all();
        let is_shown = |at: &usize| match status {
            None => overview.statuses[*at] != SpecStatus::Cancelled,
            Some(SpecStatus::Ready) => overview.ready.contains(at),
            Some(status) => overview.statuses[*at] == status,
        };
        let stands_there = |at: &usize| {
            let asked = specs[*at].approval.as_ref().filter(|own| own.required);
            asked.is_some_and(|own| own.status.as_deref().unwrap_or("pending") == approval)
        };
        let found: Vec<usize> = all.filter(stands_there).filter(is_shown).collect();
        let total = found.len();
        return Ok(page_of(project, &snapshot, found.into_iter(), total, page));
    }
    Ok(match status {
        None => {
            let shown = all.filter(|at| overview.statuses[*at] != SpecStatus::Cancelled);
            let total = overview.statuses.len() - overview.counts[SpecStatus::Cancelled as usize];
            page_of(project, &snapshot, shown, total, page)
        }
        Some(SpecStatus::Ready) => {
            let mut found: Vec<usize> = all
                .filter(of_status(SpecStatus::Ready))
                .chain(overview.ready.iter().copied())
                .collect();
            found.sort_unstable();
            found.dedup();
            let total = found.len();
            page_of(project, &snapshot, found.into_iter(), total, page)
        }
        Some(status) => page_of(
            project,
            &snapshot,
            all.filter(of_status(status)),
            overview.counts[status as usize],
            page,
        ),
    })
}

fn refuse_unknown_approval(word: &str) -> Result<(), ChantError> {
    if parse::APPROVALS.contains(&word) {
        return Ok(());
    }
    let why = format!("expected {}, got '{word}'", parse::APPROVALS.join(", "));
    let name = "approval";
    Err(ChantError::InvalidArgument { name, why })
}

/// Which ready specs are listed.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReadyFilter {
    /// Most specs.
    pub limit: usize,
    /// Specs to pass over.
    pub offset: usize,
    /// True if those are listed, too, that another clone holds.
    pub include_held: bool,
}

impl Default for ReadyFilter {
    fn default() -> Self {
        Self {
            limit: DEFAULT_LIMIT,
            offset: 0,
            include_held: false,
        }
    }
}

/// `chant_ready`: what can be worked on now, in the order of IDs. Specs that another clone holds are left out and
/// counted.
///
/// # Errors
/// That there is no project.
pub fn ready(project: &Project, filter: ReadyFilter) -> Result<Answer, Error> {
    let page = PageRequest {
        limit: filter.limit,
        offset: filter.offset,
    };
    let snapshot = project.snapshot()?;
    let specs = &snapshot.specs;
    let ready = &specs.overview().ready;
    let held = project.held_elsewhere();
    let is_kept = |at: &usize| !filter.include_held && held.keeps(specs.at(*at).id.as_str());
    let kept = ready.iter().filter(|at| is_kept(at));
    let remote = held.count(kept.map(|at| specs.at(*at).id.as_str()));
    let free = ready.iter().copied().filter(|at| !is_kept(at));
    let total = ready.len() - remote.all();
    let list = list_of(project, &snapshot, free, total, page);
    Ok(Answer::data(&SpecList { remote, ..list }))
}

fn page_of(
    project: &Project,
    snapshot: &ProjectSnapshot,
    found: impl Iterator<Item = usize>,
    total: usize,
    page: PageRequest,
) -> Answer {
    Answer::data(&list_of(project, snapshot, found, total, page))
}

fn list_of<'a>(
    project: &Project,
    snapshot: &'a ProjectSnapshot,
    found: impl Iterator<Item = usize>,
    total: usize,
    page: PageRequest,
) -> SpecList<'a> {
    let specs = &snapshot.specs;
    let statuses = &specs.overview().statuses;
    let held = project.held_elsewhere();
    let entry = |at: usize| {
        let spec = specs.at(at);
        SpecEntry::of(spec, statuses[at]).with_remote(&held)
    };
    let entries = found.skip(page.offset).take(page.limit).map(entry);
    spec_list(project, snapshot, entries, total, page)
}

/// A page of entries with what is wrong in the project.
pub(super) fn spec_list<'a>(
    project: &Project,
    snapshot: &ProjectSnapshot,
    entries: impl Iterator<Item = SpecEntry<'a>>,
    total: usize,
    page: PageRequest,
) -> SpecList<'a> {
    let problems = problems_of_page(&project.problems(snapshot), page.offset);
    let specs = fitting(entries, room_of(problems.shown()));
    let returned = specs.len();
    let next = page.offset + returned;
    let next_offset = (returned > 0 && next < total).then_some(next);
    let cancelled = snapshot.specs.overview().counts[SpecStatus::Cancelled as usize];
    let are_all = cancelled > 0 && total == 0 && cancelled == snapshot.specs.all().len();
    SpecList {
        cancelled: are_all.then_some(cancelled),
        specs,
        total,
        limit: page.limit,
        returned,
        next_offset,
        remote: RemoteCounts::default(),
        problems,
    }
}

/// Characters that problems take in an answer.
pub fn room_of(problems: &[ProblemRow]) -> usize {
    if problems.is_empty() {
        0
    } else {
        size_of(&problems)
    }
}

/// `chant_spec_get`: everything about one spec.
///
/// While a spec is being worked on a branch of its own, title, criteria and body are those of that
/// branch's copy, and `body_from` says so; nothing is ever written on the ground of it.
///
/// # Errors
/// As [`Project::resolve`].
pub fn get(project: &Project, id: &str, wanted: TextRange) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let spec = project.resolve_with_archive(&snapshot, id)?;
    if let Some(copy) = project.copy_with(&spec.id)? {
        return get(&copy, spec.id.as_str(), wanted);
    }
    let on_branch = copy_on_branch(project, &snapshot, &spec);
    let copy = on_branch
        .as_ref()
        .map(|(branch, copy)| (&**branch, &**copy));
    let mut view = SpecDetails::of(&spec, copy, &snapshot.specs);
    if !spec.status.is_done() {
        view.on_remote = project.held_elsewhere().word(spec.id.as_str());
    }
    view.further = further_keys(&spec);
    let mut others = TextByOthers::of(&spec);
    let written = others.as_mut().map(|one| std::mem::take(&mut one.body));
    let own = || copy.map_or(spec.body(), |(_, copy)| copy.body()).trim();
    let body = written.as_deref().unwrap_or_else(own);
    let taken = size_of(&view) + size_of(&others);
    let shown = piece(body, wanted.offset, wanted.max_chars, taken);
    let place = others.as_mut().map_or(&mut view.body, |one| &mut one.body);
    shown.text.clone_into(place);
    view.text_by_others = others;
    if shown.next.is_some() || wanted.offset > 0 {
        view.body_chars = Some(body.chars().count());
        view.next_offset = shown.next;
    }
    Ok(Answer::data(&view))
}

/// The whole text of a spec's file, however long; that of the copy which [`get`] shows.
///
/// # Errors
/// As [`Project::resolve`].
pub fn document(project: &Project, id: &str) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let spec = project.resolve(&snapshot, id)?;
    if let Some(copy) = project.copy_with(&spec.id)? {
        return document(&copy, spec.id.as_str());
    }
    let on_branch = copy_on_branch(project, &snapshot, &spec);
    let shown = on_branch.as_ref().map_or(&spec, |(_, copy)| copy);
    if let Some(others) = TextByOthers::of(shown) {
        return Ok(Answer::data(&json!({ "text_by_others": others })));
    }
    Ok(Answer::prose(&*shown.text))
}

fn further_keys(spec: &Spec) -> Map<String, Value> {
    let yaml = spec.yaml();
    let present = front_matter::keys(yaml);
    let wanted = FURTHER_KEYS
        .into_iter()
        .filter(|key| present.iter().any(|p| p.name == *key));
    wanted
        .filter_map(|key| {
            Some((
                key.to_owned(),
                front_matter::read_key::<Value>(yaml, key).ok()??,
            ))
        })
        .collect()
}

/// The copy of a spec in progress on its own branch, unless that branch is checked out here or the
/// copy is the same; a repository that cannot be read has none.
fn copy_on_branch(
    project: &Project,
    snapshot: &ProjectSnapshot,
    spec: &Spec,
) -> Option<(String, Arc<Spec>)> {
    if spec.status != SpecStatus::InProgress || spec.is_withheld {
        return None;
    }
    let repo = project.repo().ok()??;
    let branch = snapshot.branch_of(spec);
    if repo.head().ok()?.branch() == Some(&branch) {
        return None;
    }
    let path = project.path_in_repository(&repo, &spec.path)?;
    let bytes = repo
        .file_at(&format!("refs/heads/{branch}"), &path)
        .ok()??;
    let text = String::from_utf8(bytes).ok()?;
    if *text == *spec.text {
        return None;
    }
    Some((
        branch,
        parse::document(&spec.path, FileSource::Text(text)).ok()?,
    ))
}

/// `chant_status`: how many specs are in each state; `brief` on one line.
///
/// # Errors
/// That there is no project.
pub fn status(project: &Project, brief: bool, include_activity: bool) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let mut counts = StatusCounts::of(&snapshot.specs);
    counts.remote = remote_counts(project, &snapshot);
    if brief {
        return Ok(Answer::prose(counts.brief()));
    }
    if let Ok(config) = &snapshot.config {
        counts.load = project.run_lookup.work_load(project, config);
    }
    if include_activity {
        let statuses = &snapshot.specs.overview().statuses;
        let in_progress = || {
            snapshot
                .specs
                .all()
                .iter()
                .zip(statuses)
                .filter(|(_, status)| **status == SpecStatus::InProgress)
        };
        let shown = in_progress().take(ACTIVITY_SHOWN);
        let shown = shown.map(|(spec, _)| activity(project, spec)).collect();
        let list = CountedList::new("in_progress_activity", shown, in_progress().count());
        counts.in_progress_activity = Some(list);
    }
    counts.trust = project.untrusted_line();
    let mut found: Vec<DocumentProblem> = project.state_problem().into_iter().collect();
    found.extend(project.problems(&snapshot));
    if let Some((probe, line)) = project
        .file_system()
        .filter(|(probe, _)| !probe.lacks.is_empty())
    {
        // What was noted of it on the way is part of the line.
        let noted = weak_promises().into_iter();
        let said: Vec<&str> = noted
            .filter(|promise| probe.says(*promise))
            .map(WeakGuarantee::sentence)
            .collect();
        found.retain(|problem| !said.contains(&problem.message.as_str()));
        found.push(DocumentProblem::new(".", format!("the file system {line}")));
    }
    if let Some(lost) = &project.held_elsewhere().lost {
        found.insert(0, DocumentProblem::new(".git", lost.clone()));
    }
    counts.problems = problems(&found);
    Ok(Answer::data(&counts))
}

/// Counts the open specs that other clones hold or completed.
fn remote_counts(project: &Project, snapshot: &ProjectSnapshot) -> RemoteCounts {
    let held = project.held_elsewhere();
    let open = held.named().filter(|id| {
        let spec = snapshot.specs.find(id);
        spec.is_some_and(|spec| !spec.status.is_done())
    });
    held.count(open)
}

/// A moment as answers show it: UTC, whole seconds.
pub fn utc(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// When a file below the root was last changed; `None` when there is none.
pub(super) fn modified(project: &Project, path: &str) -> Option<Timestamp> {
    let stamp = disk::stamp(&project.root.locate(path).ok()?)?;
    Timestamp::from_nanosecond(stamp.modified).ok()
}

fn activity(project: &Project, spec: &Spec) -> SpecActivity {
    let local = |at: Timestamp| {
        at.to_zoned(project.clock.zone.clone())
            .strftime("%Y-%m-%d %H:%M:%S")
            .to_string()
    };
    let spec_modified = modified(project, &spec.path);
    let log_modified = project.run_lookup.log_modified(project, spec.id.as_str());
    SpecActivity {
        id: spec.id.to_string(),
        title: title_shown(spec),
        spec_modified: spec_modified.map(local),
        log_modified: log_modified.map(local),
        has_log: log_modified.is_some(),
        spec_modified_utc: spec_modified.map(utc),
        log_modified_utc: log_modified.map(utc),
    }
}

/// `chant_verify`: counts a spec's criteria; nothing is executed.
///
/// # Errors
/// As [`Project::resolve`].
pub fn verify(project: &Project, id: &str) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let spec = project.resolve(&snapshot, id)?;
    if let Some(copy) = project.copy_with(&spec.id)? {
        return verify(&copy, spec.id.as_str());
    }
    Ok(Answer::data(&VerificationReport::of(&spec)))
}

fn ago(number: i128, unit: &str) -> String {
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    format!("{} ago", counted(number, unit))
}

/// Returns the time since something changed, in words (reference chant 5.7).
pub fn age(modified: i128) -> String {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos());
    let Ok(now) = i128::try_from(now) else {
        return "unknown age".into();
    };
    match (now - modified) / 1_000_000_000 {
        seconds if seconds < 60 => "just now".into(),
        seconds if seconds < 3_600 => ago(seconds / 60, "minute"),
        seconds if seconds < 86_400 => ago(seconds / 3_600, "hour"),
        seconds => ago(seconds / 86_400, "day"),
    }
}
