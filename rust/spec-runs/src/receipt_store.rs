//! Keeps receipts in git: those of runs that landed, and those of completions by hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::project::ProjectRuns;
use super::receipt::{
    self, CompletedBy, CompletionReceipt, FORMAT, JudgedCriteria, MAX_BYTES, RECEIPTS,
};
use chant_agent_events::words_of_no_change;
use chant_base::completed_run::CompletedRun;
use chant_base::diagnostics::LogFailure as _;
use chant_base::error::Error;
use chant_base::money::UsdAmount;
use chant_evidence::ProofWord;
use chant_git::kept_texts::TextRead;
use chant_git::tags::Commit;
use chant_git::{CheckoutHead, Repo};
use chant_proof::completion;
use chant_proof::words;
use chant_receipts::CriterionAtStart;
use chant_specs::error::ChantError;
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::parse;
use chant_specs::project::{Project, SPECS};
use chant_store::digest::sha256;
use chant_store::disk;
use chant_store::index::FileSource;
use chant_store::state::escape_name;
use chant_work::run_record::{EnvironmentEntry, MergeEntry, RunRecord};
use chant_work::usage::UsageEntry;

/// So many receipts of one name are distinguished by a number.
const MAX_OF_A_NAME: usize = 50;
/// The part of our state with an empty file for each receipt that was written here.
const WRITTEN_HERE: &str = "written-receipts";

/// A run whose work has landed.
#[derive(Debug, Clone, Copy)]
pub(super) struct LandedRun<'a> {
    /// Its record.
    pub record: &'a RunRecord,
    /// The commit that the work landed with.
    pub commit: &'a str,
    /// The landing: the tries that were begun, of which one ended with that commit, and what landed.
    pub merge: &'a MergeEntry,
}

/// Leaves the receipt of a run, and returns it. May be done again: a run has one receipt.
///
/// # Errors
/// What keeps it from being written, which undoes nothing.
pub(super) fn leave_of_run(
    project: &Project,
    repo: &Repo,
    run: LandedRun<'_>,
) -> Result<CompletionReceipt, Error> {
    let mut receipt = receipt_of_run(project, repo, run)?;
    keep(project, repo, &mut receipt)?;
    Ok(receipt)
}

/// Writes the receipt that a run gets if its commit lands; returns the name of its ref, which is not made yet, and
/// its object.
///
/// # Errors
/// As [`leave_of_run`].
pub(super) fn prepare_of_run(
    project: &Project,
    repo: &Repo,
    run: LandedRun<'_>,
) -> Result<(String, String), Error> {
    let receipt = receipt_of_run(project, repo, run)?;
    let object = repo.write_text(receipt.text().as_bytes())?;
    Ok((receipt.name(), object))
}

/// The receipt of a run, by what its record and its commit say: the same before the landing and after it.
fn receipt_of_run(
    project: &Project,
    repo: &Repo,
    run: LandedRun<'_>,
) -> Result<CompletionReceipt, Error> {
    let record = run.record;
    let landed = spec_in(project, repo, &record.spec_id, run.commit)?;
    let completed_at = landed.as_ref().and_then(|spec| spec.completed_at.clone());
    let criteria = match landed {
        Some(spec) => completion::criteria_at_start(&spec),
        None => criteria_here(project, &record.spec_id)?,
    };
    let base = run.merge.begun.iter().find(|pair| pair.new == run.commit);
    let agent = record.agent.as_ref();
    Ok(CompletionReceipt {
        format: FORMAT,
        spec: record.spec_id.clone(),
        completed: CompletedBy::Run,
        token: record.token.to_string(),
        criteria: JudgedCriteria::of(&criteria)
            .with_words(|at| Some(words::of_run(record, criteria.get(at)?))),
        tree: repo.tree_of(run.commit)?,
        commit: run.commit.to_owned(),
        target: record.target.clone(),
        base: base.map(|pair| pair.old.clone()),
        commits: run.merge.landed_for(&record.commits).to_vec(),
        rewritten: !run.merge.landed.is_empty(),
        checks: record.checks.clone(),
        judged: record.judged.as_deref().cloned(),
        held: record.held.as_deref().cloned(),
        agent: agent.map(|agent| agent.name.clone()),
        model: agent.and_then(|agent| agent.model.clone().or_else(|| agent.reported_model.clone())),
        confinement: record.confinement.clone(),
        started_at: Some(record.started_at.clone()),
        ended_at: completed_at.map_or_else(|| project.clock.stamp(), String::from),
        environment: record.environment.iter().map(named_layer).collect(),
        already_done: None,
        cost: record.usage.as_ref().and_then(cost_of),
    })
}

/// Leaves the receipt of a spec that was completed by hand, on what is checked out: no check was run. Where the
/// spec's newest run landed and left none, its receipt is left in place of that. Nothing is left where there is no
/// git, or no commit yet.
///
/// # Errors
/// As [`leave_of_run`].
pub(super) fn leave_by_hand(
    project: &Project,
    spec_id: &str,
    commits: &[Commit],
    is_already_done: bool,
) -> Result<(), Error> {
    let Some(repo) = project.repo()? else {
        return Ok(());
    };
    let Some(commit) = checked_out(&repo) else {
        return Ok(());
    };
    if let Some(record) = project.runs()?.newest_of(spec_id)?
        && let Some(landed) = record.merge.commit.as_deref()
        && record.state() == chant_work::state::RunState::Completed
        && of_spec(&repo, spec_id)?.is_empty()
    {
        let run = LandedRun {
            record: &record,
            commit: landed,
            merge: &record.merge,
        };
        return leave_of_run(project, &repo, run).map(drop);
    }
    let snapshot = project.snapshot()?;
    let Some(spec) = snapshot.specs.find(spec_id) else {
        return Ok(());
    };
    let now = project.clock.stamp();
    let moment = now.replace([':', '-'], "").to_lowercase();
    let mut receipt = CompletionReceipt {
        format: FORMAT,
        spec: spec_id.to_owned(),
        completed: CompletedBy::Hand,
        token: format!("hand-{moment}"),
        criteria: JudgedCriteria::of(&completion::criteria_at_start(spec))
            .with_words(|_| Some(ProofWord::ByHand)),
        tree: repo.tree_of(&commit)?,
        commit,
        target: repo.head()?.branch().map(str::to_owned),
        base: None,
        commits: commits.iter().map(|commit| commit.id.clone()).collect(),
        rewritten: false,
        checks: Vec::new(),
        judged: None,
        held: None,
        agent: None,
        model: spec.model.as_deref().map(str::to_owned),
        confinement: None,
        started_at: None,
        ended_at: now,
        environment: Vec::new(),
        already_done: is_already_done.then(|| words_of_newest(project, spec_id)),
        cost: None,
    };
    keep(project, &repo, &mut receipt)
}

/// [`leave_by_hand`] after a change that completed a spec, or completed it again; gives a line that says why
/// there is no receipt, where it could not be written.
pub(super) fn left_after(
    project: &Project,
    before: &Spec,
    commits: &[Commit],
    is_already_done: bool,
) -> String {
    let is_known = || -> Result<bool, Error> {
        let is_completed = before.status == SpecStatus::Completed;
        Ok(is_completed
            && match project.repo()? {
                Some(repo) => !of_spec(&repo, before.id.as_str())?.is_empty(),
                None => true,
            })
    };
    let left = is_known().and_then(|is_known| {
        if is_known {
            return Ok(());
        }
        leave_by_hand(project, before.id.as_str(), commits, is_already_done)
    });
    left.err().map_or_else(String::new, |error| {
        format!("\nNo receipt could be left: {error}. The spec is completed; `finalize` it again for its receipt.")
    })
}

/// Names a layer by what decided it and what is in it.
fn named_layer(entry: &EnvironmentEntry) -> String {
    let candidate = if entry.is_candidate {
        " (candidate)"
    } else {
        ""
    };
    let short = |text: &str| text.chars().take(12).collect::<String>();
    format!(
        "{}@{} {}{candidate}",
        entry.recipe,
        short(&entry.key),
        short(&entry.hash)
    )
}

/// The reason why the agent of a spec's newest run changed nothing, if it gave one.
fn words_of_newest(project: &Project, spec_id: &str) -> String {
    let newest = project.runs().and_then(|runs| Ok(runs.newest_of(spec_id)?));
    let words = newest.ok().flatten().and_then(|record| record.last_words);
    let reason = words.as_deref().and_then(words_of_no_change);
    reason.unwrap_or("a person says so").to_owned()
}

/// The names and the objects of a spec's receipts.
pub(super) fn of_spec(
    repo: &Repo,
    spec_id: &str,
) -> Result<Vec<chant_git::kept_texts::KeptText>, Error> {
    Ok(repo.kept_texts(&receipt::folder_of(spec_id))?)
}

/// The runs of which receipts are left. What cannot be read as a receipt is left out: `verify` names it.
///
/// # Errors
/// A failure of git to list them.
pub(super) fn receipted_runs(repo: &Repo) -> Result<Vec<CompletedRun>, Error> {
    let kept = repo.kept_texts(RECEIPTS)?;
    let run = |kept: &chant_git::kept_texts::KeptText| {
        let TextRead::Text(bytes) = repo.kept_text(&kept.object, MAX_BYTES).ok()? else {
            return None;
        };
        completed_run(receipt::parse(&bytes).ok()?)
    };
    Ok(kept.iter().filter_map(run).collect())
}

/// Returns the specs whose runs landed, by the receipts of this repository: each with the token of its run and the commit
/// with which it landed.
///
/// # Errors
/// A failure of git to list them.
pub(super) fn landed_receipts(repo: &Repo) -> Result<Vec<(String, u64, String)>, Error> {
    let kept = repo.kept_texts(RECEIPTS)?;
    let landed = |kept: &chant_git::kept_texts::KeptText| {
        let TextRead::Text(bytes) = repo.kept_text(&kept.object, MAX_BYTES).ok()? else {
            return None;
        };
        let receipt = receipt::parse(&bytes).ok()?;
        let is_of_run = receipt.completed == CompletedBy::Run;
        let token = receipt.token.split('-').next()?.parse().ok()?;
        is_of_run.then_some((receipt.spec, token, receipt.commit))
    };
    Ok(kept.iter().filter_map(landed).collect())
}

/// The run that left a receipt; `None` for a completion by hand.
fn completed_run(receipt: CompletionReceipt) -> Option<CompletedRun> {
    let started_at = receipt.started_at?;
    let cost = receipt.cost.unwrap_or_default();
    let of_kind = |name: &str| cost.get(name).copied();
    let tokens = ["input_tokens", "cached_tokens", "output_tokens"].map(of_kind);
    let are_known = tokens.iter().any(Option::is_some);
    let total = tokens.into_iter().flatten().fold(0, u64::saturating_add);
    (receipt.completed == CompletedBy::Run).then_some(CompletedRun {
        spec_id: receipt.spec,
        started_at,
        ended_at: receipt.ended_at,
        agent: receipt.agent,
        criteria: receipt.criteria.count,
        tokens: are_known.then_some(total),
        cost: of_kind("usd_millionths").map(UsdAmount::from_millionths),
    })
}

/// Keeps a receipt under its own name; where that is another completion's, under the next one.
fn keep(project: &Project, repo: &Repo, receipt: &mut CompletionReceipt) -> Result<(), Error> {
    let token = receipt.token.clone();
    for number in 1..=MAX_OF_A_NAME {
        if number > 1 {
            receipt.token = format!("{token}-{number}");
        }
        let why = format!("chant-mcp: spec {} is completed", receipt.spec);
        note_written(project, receipt);
        if repo.keep_text(&receipt.name(), receipt.text().as_bytes(), &why)? {
            return Ok(());
        }
        if is_kept(repo, receipt)? {
            return Ok(());
        }
    }
    let message = format!("there are {MAX_OF_A_NAME} receipts named like {token} already");
    Err(ChantError::Refused(message).into())
}

/// Notes that this machine wrote a receipt: a person signs no other ones. In a folder that nobody trusts nothing is
/// signed, and nothing noted.
fn note_written(project: &Project, receipt: &CompletionReceipt) {
    if !project.is_trusted() {
        return;
    }
    let noted = project.state().and_then(|state| {
        let folder = state.ensure(WRITTEN_HERE)?;
        let name = name_of_note(receipt);
        Ok(disk::write_private(&folder.join(name), "")?)
    });
    noted.log_failure("note that a receipt was written here");
}

/// Returns true if this machine wrote a receipt, word for word.
pub(super) fn is_written_here(project: &Project, receipt: &CompletionReceipt) -> bool {
    let folder = project
        .state()
        .ok()
        .and_then(|state| state.read(WRITTEN_HERE));
    folder.is_some_and(|folder| disk::exists(&folder.join(name_of_note(receipt))))
}

/// Returns a name of the receipt's spec and its words.
fn name_of_note(receipt: &CompletionReceipt) -> String {
    let hash = sha256(receipt.text().as_bytes());
    format!("{}-{}", escape_name(&receipt.spec), &hash[..32])
}

/// Returns true if the receipt that is kept under this name is of the same completion.
fn is_kept(repo: &Repo, receipt: &CompletionReceipt) -> Result<bool, Error> {
    let kept = of_spec(repo, &receipt.spec)?;
    let Some(kept) = kept.iter().find(|kept| kept.name == receipt.token) else {
        return Ok(false);
    };
    let TextRead::Text(bytes) = repo.kept_text(&kept.object, MAX_BYTES)? else {
        return Ok(false);
    };
    Ok(receipt::parse(&bytes).is_ok_and(|other| other.is_of_same(receipt)))
}

/// The criteria of a spec of the checkout: those that landed where git does not track it.
fn criteria_here(project: &Project, spec_id: &str) -> Result<Vec<CriterionAtStart>, Error> {
    let snapshot = project.snapshot()?;
    let spec = snapshot.specs.find(spec_id);
    Ok(spec.map_or_else(Vec::new, |spec| completion::criteria_at_start(spec)))
}

/// The criteria of a spec as a commit holds it; `None` where the commit has no such spec.
pub(super) fn criteria_in(
    project: &Project,
    repo: &Repo,
    spec_id: &str,
    commit: &str,
) -> Result<Option<Vec<CriterionAtStart>>, Error> {
    let spec = spec_in(project, repo, spec_id, commit)?;
    Ok(spec.map(|spec| completion::criteria_at_start(&spec)))
}

/// A spec as a commit holds it; `None` where the commit has no such spec.
fn spec_in(
    project: &Project,
    repo: &Repo,
    spec_id: &str,
    commit: &str,
) -> Result<Option<Arc<Spec>>, Error> {
    let path = format!("{SPECS}/{spec_id}.md");
    let Some(in_git) = project.path_in_repository(repo, &path) else {
        return Ok(None);
    };
    let Some(bytes) = repo.file_at(commit, &in_git)? else {
        return Ok(None);
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(parse::document(&path, FileSource::Text(text)).ok())
}

/// Returns the resources that a run used up, in whole numbers; `None` where its agent reports nothing.
fn cost_of(usage: &UsageEntry) -> Option<BTreeMap<String, u64>> {
    let millionths = usage.cost_usd.and_then(|cost| {
        let rounded = format!("{:.0}", cost.dollars() * 1e6);
        rounded.parse().ok()
    });
    let parts = [
        ("turns", usage.turns),
        ("input_tokens", usage.input_tokens),
        ("cached_tokens", usage.cached_tokens),
        ("output_tokens", usage.output_tokens),
        ("usd_millionths", millionths),
    ];
    let parts = parts.into_iter();
    let cost: BTreeMap<String, u64> = parts
        .filter_map(|(name, number)| Some((name.to_owned(), number?)))
        .collect();
    (!cost.is_empty()).then_some(cost)
}

/// The commit that is checked out; `None` where there is none yet.
fn checked_out(repo: &Repo) -> Option<String> {
    let head: CheckoutHead = repo.head().ok()?;
    head.commit().map(str::to_owned)
}
