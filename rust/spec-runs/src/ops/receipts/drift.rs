//! The lines of completed work beside the target's tip. Reading only: no state changes, and nothing is run.

use std::collections::{BTreeMap, BTreeSet};

use super::target::{config_at, target_tips};
use super::verify::{ReceiptSubject, by_spec};
use super::{MAX_OF_SPEC, full_id, read, repository};
use crate::receipt::{CompletedBy, CompletionReceipt, RECEIPTS};
use crate::view::drift::{DriftCounts, DriftReport, HunkEntry, PlaceEntry, SpecDrift};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_drift::{
    BranchLine, FileRole, FileRoles, HunkDrift, HunkState, LandedFile, LandedWork, LandingClaim,
    NoLanding, compare_file,
};
use chant_git::Repo;
use chant_specs::project::{Project, ProjectSnapshot};

/// The places of one spec that an answer lists.
const MAX_HUNKS: usize = 500;
/// The specs that are named for one commit.
const MAX_SPECS_OF_COMMIT: usize = 5;

/// The specs to compare with a branch.
#[derive(Debug, Clone, Copy, Default)]
pub struct DriftQuery<'a> {
    /// One spec; else all that are completed, archived ones and items of other formats included.
    pub id: Option<&'a str>,
    /// The branch or commit to compare with.
    pub target: Option<&'a str>,
}

/// The receipts of specs by their IDs, the newest last.
type ReceiptsBySpec = BTreeMap<String, Vec<CompletionReceipt>>;

/// `verify --drift`: says of completed specs whether the lines of their work still stand at the target's tip.
///
/// # Errors
/// As [`Project::resolve`], that there is no repository or no target, a failure of git.
pub fn receipt_drift(project: &Project, query: DriftQuery<'_>) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let repo = repository(project)?;
    let (target, tips) = target_tips(project, &snapshot, &repo, query.target)?;
    let tip = newest(&repo, &tips)?;
    let roles = roles_at(project, &repo, &tip)?;
    let receipts = all_receipts(&repo)?;
    let ids = match query.id {
        Some(id) => vec![full_id(project, &repo, id)?],
        None => completed(project, &snapshot, &receipts)?,
    };
    let mut line = BranchLine::of(&repo, &tip)?;
    let mut landings: Vec<FoundLanding<'_>> = ids
        .iter()
        .map(|id| landing_of(&line, &roles, receipts.get(id)))
        .collect();
    leave_out_plans(project, &repo, &tip, &mut landings)?;
    line.read_changes_since(landings.iter().filter_map(|one| one.work.as_ref().ok()))?;
    let reporting = DriftReporting {
        line: &line,
        specs_by_place: specs_by_place(&line, &receipts),
        lists_untouched: query.id.is_some(),
    };
    let specs = ids.into_iter().zip(landings);
    let specs: Vec<SpecDrift> = specs.map(|(id, found)| reporting.spec(id, found)).collect();
    let count = |verdict| specs.iter().filter(|spec| spec.verdict == verdict).count();
    Ok(Answer::whole(&DriftReport {
        target,
        tip,
        hold: count(HOLDS),
        stale: count(STALE),
        not_known: count(NOT_KNOWN),
        specs,
    }))
}

const HOLDS: &str = "holds";
const STALE: &str = "stale";
const NOT_KNOWN: &str = "not known";

/// The newest of a branch's commits: that of the remote, unless what is here goes beyond it.
fn newest(repo: &Repo, tips: &[String]) -> Result<String, Error> {
    let (Some(own), Some(remote)) = (tips.first(), tips.last()) else {
        return Ok(String::new());
    };
    let is_ahead = repo.reaches(remote, own)?;
    Ok(if is_ahead { remote } else { own }.clone())
}

/// The roles of a branch's files, by the patterns of its own configuration.
fn roles_at(project: &Project, repo: &Repo, tip: &str) -> Result<FileRoles, Error> {
    let config = config_at(project, repo, tip)?;
    let judges = config.map_or_else(Vec::new, |config| {
        let [tests, config] = [config.proof.tests, config.proof.config];
        [tests, config].concat()
    });
    let inside = project.path_in_repository(repo, "").unwrap_or_default();
    Ok(FileRoles::new(inside, &judges))
}

/// All receipts that can be read.
fn all_receipts(repo: &Repo) -> Result<ReceiptsBySpec, Error> {
    let mut all = ReceiptsBySpec::new();
    for kept in by_spec(repo.kept_texts(RECEIPTS)?).into_values() {
        let older = kept.len().saturating_sub(MAX_OF_SPEC);
        for one in &kept[older..] {
            let found = read(repo, RECEIPTS, one)?;
            // One that lies under another name was written for something else.
            if let Ok(receipt) = found.read
                && receipt.name() == found.name
            {
                all.entry(receipt.spec.clone()).or_default().push(receipt);
            }
        }
    }
    Ok(all)
}

/// The completed specs, then what else has receipts: items of other formats, and specs whose files are gone.
fn completed(
    project: &Project,
    snapshot: &ProjectSnapshot,
    receipts: &ReceiptsBySpec,
) -> Result<Vec<String>, Error> {
    let known = ReceiptSubject::all(project, &snapshot.specs)?;
    let (open, done): (Vec<_>, Vec<_>) = known.iter().partition(|one| one.today.open_as.is_some());
    let mut ids: Vec<String> = done.iter().map(|one| one.id.to_string()).collect();
    let known: BTreeSet<&str> = open
        .iter()
        .chain(&done)
        .map(|one| one.id.as_str())
        .collect();
    let others = receipts.keys().filter(|id| !known.contains(id.as_str()));
    ids.extend(others.cloned());
    Ok(ids)
}

/// The work of a spec, by its newest receipt of which anything is found.
struct FoundLanding<'a> {
    receipt: Option<&'a CompletionReceipt>,
    work: Result<LandedWork, Option<NoLanding>>,
}

fn landing_of<'a>(
    line: &BranchLine<'_>,
    roles: &FileRoles,
    receipts: Option<&'a Vec<CompletionReceipt>>,
) -> FoundLanding<'a> {
    let mut missing = FoundLanding {
        receipt: None,
        work: Err(None),
    };
    for receipt in receipts.into_iter().flatten().rev() {
        let claim = LandingClaim {
            commit: &receipt.commit,
            tree: &receipt.tree,
            base: receipt.base.as_deref(),
            commits: &receipt.commits,
            is_by_hand: receipt.completed == CompletedBy::Hand,
        };
        let is_first = missing.receipt.is_none();
        match line.landed(&claim, roles) {
            Ok(work) => {
                return FoundLanding {
                    receipt: Some(receipt),
                    work: Ok(work),
                };
            }
            Err(error) if is_first => {
                missing = FoundLanding {
                    receipt: Some(receipt),
                    work: Err(Some(error)),
                };
            }
            Err(_) => {}
        }
    }
    missing
}

/// Leaves out documents of plans of other formats, which change with each step of their items.
fn leave_out_plans(
    project: &Project,
    repo: &Repo,
    tip: &str,
    landings: &mut [FoundLanding<'_>],
) -> Result<(), Error> {
    let Some(items) = project.work_items else {
        return Ok(());
    };
    let inside = project.path_in_repository(repo, "").unwrap_or_default();
    let works = landings.iter().filter_map(|one| one.work.as_ref().ok());
    let files = works.flat_map(|work| &work.files);
    let paths: BTreeSet<&str> = files
        .filter_map(|file| file.path.strip_prefix(&inside))
        .collect();
    let plans = items.plan_documents(project, tip, &Vec::from_iter(paths))?;
    for work in landings.iter_mut().filter_map(|one| one.work.as_mut().ok()) {
        work.files.retain(|file| {
            !file
                .path
                .strip_prefix(&inside)
                .is_some_and(|path| plans.contains(path))
        });
    }
    Ok(())
}

/// The specs that landed with each commit of the line.
fn specs_by_place(
    line: &BranchLine<'_>,
    receipts: &ReceiptsBySpec,
) -> BTreeMap<usize, BTreeSet<String>> {
    let mut all: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for receipt in receipts.values().flatten() {
        let same = line.arrival(&receipt.commit).map(|_| &*receipt.commit);
        let landed = same.or_else(|| line.commit_with(&receipt.tree));
        let is_by_hand = receipt.completed == CompletedBy::Hand;
        let own = receipt.commits.iter().map(String::as_str);
        for commit in own.chain(landed.filter(|_| !is_by_hand)) {
            if let Some(at) = line.arrival(commit) {
                all.entry(at).or_default().insert(receipt.spec.clone());
            }
        }
    }
    all
}

struct DriftReporting<'a> {
    line: &'a BranchLine<'a>,
    specs_by_place: BTreeMap<usize, BTreeSet<String>>,
    lists_untouched: bool,
}

impl DriftReporting<'_> {
    fn spec(&self, spec_id: String, found: FoundLanding<'_>) -> SpecDrift {
        let mut spec = SpecDrift {
            spec_id,
            verdict: NOT_KNOWN,
            why: None,
            commit: found.receipt.map(|receipt| receipt.commit.clone()),
            counts: DriftCounts::default(),
            hunks: Vec::new(),
            hunks_more: 0,
            not_compared: 0,
        };
        let work = match found.work {
            Ok(work) => work,
            Err(why) => {
                let none = "it has no receipt; `receipt fetch` takes what others have";
                spec.why = Some(why.map_or_else(|| none.to_owned(), |why| why.to_string()));
                return spec;
            }
        };
        spec.not_compared = work.not_compared;
        for file in &work.files {
            for drift in compare_file(file, self.line) {
                let state = counted(&mut spec.counts, file.role, drift.state);
                if drift.state == HunkState::Untouched && !self.lists_untouched {
                    continue;
                }
                if spec.hunks.len() < MAX_HUNKS {
                    spec.hunks.push(self.hunk(file, drift, state));
                } else {
                    spec.hunks_more += 1;
                }
            }
        }
        let counts = &spec.counts;
        let is_stale = counts.changed + counts.removed + counts.tests_changed > 0;
        spec.verdict = if is_stale { STALE } else { HOLDS };
        if work.files.is_empty() {
            let (verdict, why) = match work.not_compared {
                0 => (
                    HOLDS,
                    "its work wrote no lines of code or tests: nothing of it can go stale",
                ),
                _ => (
                    NOT_KNOWN,
                    "its work wrote no files that can be compared as texts",
                ),
            };
            spec.verdict = verdict;
            spec.why = Some(why.to_owned());
        }
        spec
    }

    fn hunk(&self, file: &LandedFile, drift: HunkDrift, state: &'static str) -> HunkEntry {
        let is_moved = drift.state == HunkState::Moved;
        let specs = drift.by.and_then(|at| self.specs_by_place.get(&at));
        let specs = specs.into_iter().flatten().take(MAX_SPECS_OF_COMMIT);
        let now = drift.now.filter(|_| is_moved);
        HunkEntry {
            path: file.path.clone(),
            first: drift.landed.first,
            last: drift.landed.last,
            state,
            now: now.map(|place| PlaceEntry {
                path: place.path,
                first: place.lines.first,
                last: place.lines.last,
            }),
            by: drift
                .by
                .and_then(|at| self.line.commit_at(at))
                .map(str::to_owned),
            by_specs: specs.cloned().collect(),
        }
    }
}

/// Counts a place, and returns the word for its state.
fn counted(counts: &mut DriftCounts, role: FileRole, state: HunkState) -> &'static str {
    let is_judge = role == FileRole::Judge;
    let (count, word) = match state {
        HunkState::Untouched => (&mut counts.untouched, "untouched"),
        HunkState::Moved => (&mut counts.moved, "moved"),
        HunkState::Changed | HunkState::Removed if is_judge => {
            (&mut counts.tests_changed, "tests changed")
        }
        HunkState::Changed => (&mut counts.changed, "changed"),
        HunkState::Removed => (&mut counts.removed, "removed"),
    };
    *count += 1;
    word
}
