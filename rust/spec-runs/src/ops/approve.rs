//! A person's decision about a spec, and what follows from it (reference chant 4.4, 7 and 9).
//!
//! No tool of the server decides: who is asked must not be the one who answers. Nothing is committed, as
//! by no other change of a spec; work that is merged by an approval takes the spec along.

use std::sync::Arc;

use super::review::{comment_rejection, resolve_rejections};
#[cfg(not(unix))]
use super::unsupported::PendingApproval;
#[cfg(unix)]
use crate::runtime::approval::PendingApproval;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_config::RejectionAction;
use chant_git::Repo;
use chant_specs::approval::{ApprovalDecision, ApprovalVerdict};
use chant_specs::error::ChantError;
use chant_specs::id::SpecId;
use chant_specs::model::{Spec, SpecStatus, SpecType};
use chant_specs::ops::add::next_id;
use chant_specs::ops::edit::SpecDraft;
use chant_specs::parse::{self, CRITERIA};
use chant_specs::project::{Project, ProjectSnapshot, SPECS};
use chant_store::index::FileSource;
use chant_store::journal::ChangeStep;
use chant_text::checklist;
use chant_text::edit::Edit;
use chant_text::front_matter::{self, FrontMatterValue};
use chant_text::markdown;

/// The person who decides, and the reason.
#[derive(Debug, Clone, Default)]
pub struct ApprovalInput {
    /// The person; git's user when not given.
    pub by: Option<String>,
    /// Why; a rejection needs it.
    pub reason: Option<String>,
}

/// Approves a spec, so that work may begin, or its work that waits, which is merged then.
///
/// # Errors
/// As [`Project::resolve`]; for agents; while a run works on it; when there is nothing to approve.
pub fn approve(project: &Project, id: &str, judgement: &ApprovalInput) -> Result<Answer, Error> {
    let (spec, decision, known) = decided(project, id, ApprovalVerdict::Approved, judgement)?;
    let pending = PendingApproval::of(project, &spec)?;
    let is_new = write(project, &spec, |_, draft| {
        if !decision.is_repeated(draft.spec()) {
            draft.rewrite(|text| decision.written(text))?;
        }
        Ok(Vec::new())
    })?;
    resolve_rejections(project, &spec, &decision.by)?;
    let mut text = describe_decision(&spec, &decision, is_new, &known);
    text.push_str(&pending.land(project)?);
    super::settle_aside(project);
    Ok(Answer::prose(text))
}

/// Rejects a spec, or its work that waits, and does what `approval.rejection_action` says: all or none.
///
/// # Errors
/// As [`approve`]; without a reason; when the action cannot be done.
pub fn reject(project: &Project, id: &str, judgement: &ApprovalInput) -> Result<Answer, Error> {
    let (spec, decision, known) = decided(project, id, ApprovalVerdict::Rejected, judgement)?;
    let action = project.snapshot()?.config.clone()?.rejection_action;
    let pending = PendingApproval::of(project, &spec)?;
    let mut follows = String::new();
    let is_new = write(project, &spec, |snapshot, draft| {
        if decision.is_repeated(draft.spec()) {
            return Ok(Vec::new());
        }
        draft.rewrite(|text| decision.written(text))?;
        if pending.is_work() || draft.spec().status == SpecStatus::Completed {
            draft.set_text("status", SpecStatus::NeedsAttention.as_str())?;
            draft.set("completed_at", None)?;
        }
        let (steps, message) = match action {
            RejectionAction::Manual => (Vec::new(), String::new()),
            RejectionAction::Dependency => fix(project, snapshot, draft, &decision)?,
            RejectionAction::Group => members(project, snapshot, draft)?,
        };
        follows = message;
        Ok(steps)
    })?;
    let mut text = describe_decision(&spec, &decision, is_new, &known);
    if let Some(reason) = decision.reason.as_deref().filter(|_| is_new)
        && let Err(error) = comment_rejection(project, &spec, &decision.by, reason)
    {
        text.push_str(&format!(
            "\nIts reason is in the spec, and could not be said in its review: {error}"
        ));
    }
    text.push_str(&follows);
    text.push_str(&pending.send_back(project, &decision)?);
    super::settle_aside(project);
    Ok(Answer::prose(text))
}

/// Returns the spec, the decision about it, and whether the repository knows the person who decides.
fn decided(
    project: &Project,
    id: &str,
    verdict: ApprovalVerdict,
    judgement: &ApprovalInput,
) -> Result<(Arc<Spec>, ApprovalDecision, AuthorMatch), Error> {
    project.refuse_agents(verdict.as_str())?;
    // What a dead runner left, or what was approved by hand, is settled before anybody decides.
    super::recover(project)?;
    let snapshot = project.snapshot()?;
    let spec = project.resolve_to_edit(&snapshot, id)?;
    let repo = project.repo()?;
    let by = match &judgement.by {
        Some(by) => by.clone(),
        None => user(repo.as_deref())?,
    };
    let at = project.clock.stamp();
    let decision = ApprovalDecision::new(verdict, &by, at, judgement.reason.as_deref())?;
    decision.refuse_past(&spec)?;
    let known = match &repo {
        Some(repo) if !repo.knows(&decision.by)? => AuthorMatch::No,
        _ => AuthorMatch::Yes,
    };
    Ok((spec, decision, known))
}

/// The result of the search for a commit by the person who decides.
enum AuthorMatch {
    Yes,
    No,
}

fn user(repo: Option<&Repo>) -> Result<String, Error> {
    let user = repo.map(Repo::user).transpose()?.flatten();
    user.map(|(name, _)| name).ok_or_else(|| {
        let why = "expected who decides, as git names no user here; give a name, or set user.name and user.email in git's configuration";
        ChantError::InvalidArgument {
            name: "by",
            why: why.into(),
        }
        .into()
    })
}

/// Changes a spec and writes new ones, all or none; false when everything was there already.
fn write(
    project: &Project,
    spec: &Spec,
    mut change: impl FnMut(&ProjectSnapshot, &mut SpecDraft) -> Result<Vec<ChangeStep>, Error>,
) -> Result<bool, Error> {
    let mut is_changed = false;
    project.change(&[&spec.path], |snapshot, texts| {
        let mut draft = SpecDraft::of(&spec.path, texts[0])?;
        if draft.spec().status != spec.status {
            let message = format!(
                "Spec '{}' became {} meanwhile; look at it and decide again.",
                spec.id,
                draft.spec().status
            );
            return Err(ChantError::Refused(message).into());
        }
        let mut steps = change(snapshot, &mut draft)?;
        let text = draft.finish();
        is_changed = text != texts[0];
        if is_changed {
            steps.push(ChangeStep::Replace {
                path: spec.path.to_string(),
                text,
            });
        }
        Ok(Some(steps))
    })?;
    Ok(is_changed)
}

fn describe_decision(
    spec: &Spec,
    decision: &ApprovalDecision,
    is_new: bool,
    known: &AuthorMatch,
) -> String {
    let (id, by, verdict) = (&spec.id, &decision.by, decision.verdict.as_str());
    if !is_new {
        let own = spec.approval.as_ref();
        let by = own.and_then(|own| own.by.as_deref()).unwrap_or("somebody");
        return format!("Spec '{id}' is {verdict} already, by {by}; nothing was changed in it.");
    }
    let mut text = match decision.verdict {
        ApprovalVerdict::Approved => format!("Approved spec: {id} (by {by})"),
        ApprovalVerdict::Rejected => format!("Rejected spec: {id} (by {by})"),
    };
    if matches!(known, AuthorMatch::No) {
        text.push_str(&format!(
            "\nWarning: no commit of this repository is by '{by}'."
        ));
    }
    text
}

/// Creates a spec for what has to be fixed, which the rejected one waits for.
fn fix(
    project: &Project,
    snapshot: &ProjectSnapshot,
    draft: &mut SpecDraft,
    decision: &ApprovalDecision,
) -> Result<(Vec<ChangeStep>, String), Error> {
    let rejected = draft.spec();
    let id = next_id(project, snapshot, None)?;
    let title = rejected.title.as_deref().unwrap_or(rejected.id.as_str());
    let mut pairs = open_keys();
    if let Some(files) = &rejected.target_files {
        pairs.push(("target_files", list(files)));
    }
    let reason = decision.reason.as_deref().unwrap_or_default();
    let quote: String = reason
        .lines()
        .map(|line| format!("> {line}").trim_end().to_owned() + "\n")
        .collect();
    let text = format!(
        "{}\n# Fix what was rejected: {title}\n\n{} rejected spec `{}`, which waits for this one:\n\n{quote}\n\
         ## {CRITERIA}\n\n- [ ] What `{}` was rejected for is fixed\n",
        front_matter::render(&pairs),
        decision.by,
        rejected.id,
        rejected.id,
    );
    let message = format!("\nCreated fix spec: {id}; '{}' waits for it", rejected.id);
    let mut waits: Vec<String> = texts(rejected.depends_on.as_deref());
    waits.push(id.to_string());
    draft.set("depends_on", Some(FrontMatterValue::List(waits)))?;
    Ok((vec![created(&id, text)], message))
}

/// A member for each criterion; the spec becomes their driver, and its criteria theirs.
fn members(
    project: &Project,
    snapshot: &ProjectSnapshot,
    draft: &mut SpecDraft,
) -> Result<(Vec<ChangeStep>, String), Error> {
    let rejected = draft.spec();
    let id = rejected.id.clone();
    if snapshot.specs.members(&id).next().is_some() {
        return Ok((
            Vec::new(),
            format!("\n'{id}' has members already; none was made"),
        ));
    }
    if rejected.criteria.is_empty() {
        let message = format!(
            "Spec '{id}' has no acceptance criteria that could become members (`approval.rejection_action: group`). Add some, or set `manual` in .chant/config.md; nothing was changed."
        );
        return Err(ChantError::Refused(message).into());
    }
    let title = rejected.title.as_deref().unwrap_or(id.as_str());
    let mut keys = open_keys();
    if let Some(files) = &rejected.target_files {
        keys.push(("target_files", list(files)));
    }
    let body = rejected.body().to_owned();
    let outline = markdown::outline(&body);
    let items = checklist::under(&outline, CRITERIA);
    let ids = project.next_members(snapshot, &id, items.len())?;
    let (mut steps, mut edits) = (Vec::new(), Vec::new());
    for (item, member) in items.into_iter().zip(&ids) {
        let criterion = checklist::text(&body, item);
        let text = format!(
            "{}\n# {criterion}\n\nA criterion of spec `{id}` ({title}), which was rejected; \
             its section \"{}\" says why.\n\n## {CRITERIA}\n\n- [ ] {criterion}\n",
            front_matter::render(&keys),
            chant_specs::approval::DISCUSSION,
        );
        refuse_unlike(&text, &criterion)?;
        steps.push(created(member, text));
        // What the member says open is not open here, too; the words stay.
        edits.push(Edit::replace(item.marker.clone(), format!("{member}:")));
    }
    draft.edit_body(edits)?;
    draft.set_text("type", SpecType::Driver.as_str())?;
    draft.set_text("status", SpecStatus::Pending.as_str())?;
    let names: Vec<&str> = ids.iter().map(SpecId::as_str).collect();
    let message = format!(
        "\nCreated members: {}; '{id}' is their driver",
        names.join(", ")
    );
    Ok((steps, message))
}

/// Refuses a member's text that would not read back with its one criterion open.
fn refuse_unlike(text: &str, criterion: &str) -> Result<(), Error> {
    let spec = parse::document("new.md", FileSource::Text(text.to_owned()))
        .map_err(|broken| ChantError::unreadable(&broken))?;
    let read = spec.criteria.iter().map(|read| spec.criterion_text(read));
    if spec.unchecked() == 1 && read.eq([criterion.to_owned()]) {
        return Ok(());
    }
    let message = format!(
        "A member for the criterion `{criterion}` would not read back from its file. Reword it, or set `approval.rejection_action: manual` in .chant/config.md; nothing was changed."
    );
    Err(ChantError::Refused(message).into())
}

fn open_keys() -> Vec<(&'static str, FrontMatterValue)> {
    vec![
        (
            "type",
            FrontMatterValue::Text(SpecType::Code.as_str().into()),
        ),
        (
            "status",
            FrontMatterValue::Text(SpecStatus::Pending.as_str().into()),
        ),
    ]
}

fn created(id: &SpecId, text: String) -> ChangeStep {
    ChangeStep::Create {
        path: format!("{SPECS}/{id}.md"),
        text,
    }
}

fn list(items: &[Box<str>]) -> FrontMatterValue {
    FrontMatterValue::List(texts(Some(items)))
}

fn texts(items: Option<&[Box<str>]>) -> Vec<String> {
    items
        .into_iter()
        .flatten()
        .map(ToString::to_string)
        .collect()
}
