//! Receipts held against the repository, offline and without trust: nothing is run, unless checks are to be run
//! again.

use std::collections::BTreeMap;

use super::signatures::{KeptSignatures, SigningPlace};
use super::target::ReceiptTarget;
use super::{MAX_OF_SPEC, ReadReceipt, in_order, read, repository};
use crate::receipt::finding::{FindingKind, ReceiptFinding};
use crate::receipt::judgement::{
    CurrentSpec, JudgedReceipt, ReceiptFacts, RepeatedCheck, judge_receipt,
};
use crate::receipt::{self, CompletionReceipt, RECEIPTS};
use crate::receipt_store;
use crate::view::receipt::{
    FindingEntry, ReceiptReport, ReceiptVerdict, SignatureEntry, SpecReceipts,
};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_base::next_step::HintText;
use chant_git::Repo;
use chant_git::kept_texts::KeptText;
use chant_proof::completion::criteria_at_start;
use chant_specs::error::ChantError;
use chant_specs::id::SpecId;
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::project::{Project, ProjectSnapshot};
use chant_specs::specs::SpecGraph;
use chant_store::state::escape_name;

/// The specs to hold against the repository, and the way to do it.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReceiptQuery<'a> {
    /// One spec; else all that are completed, archived ones included.
    pub id: Option<&'a str>,
    /// The branch or commit that work has to be on.
    pub target: Option<&'a str>,
    /// True if checks are run again, on the files that landed.
    pub reruns: bool,
}

/// `receipt verify`: says of completed specs what their receipts come to.
///
/// # Errors
/// As [`Project::resolve`], that there is no repository or no target, a failure of git; `NotTrusted` where checks
/// are to be run again.
pub fn receipt_verify(project: &Project, query: ReceiptQuery<'_>) -> Result<Answer, Error> {
    Ok(Answer::whole(&verified(project, query)?))
}

/// [`receipt_verify`] as data.
pub(super) fn verified(project: &Project, query: ReceiptQuery<'_>) -> Result<ReceiptReport, Error> {
    if query.reruns {
        project.refuse_untrusted("receipt verify --rerun")?;
    }
    let snapshot = project.snapshot()?;
    let repo = repository(project)?;
    let target = ReceiptTarget::of(project, &snapshot, &repo, query.target)?;
    let all = ReceiptSubject::all(project, &snapshot.specs)?;
    let subjects = match query.id {
        None => all
            .iter()
            .filter(|one| one.today.open_as.is_none())
            .collect(),
        Some(id) => vec![ReceiptSubject::named(project, &snapshot, &all, id)?],
    };
    let verifying = ReceiptVerification {
        project,
        repo: &repo,
        target: &target,
        all: &all,
        kept: by_spec(repo.kept_texts(RECEIPTS)?),
        signatures: KeptSignatures::of(&repo)?,
        kept_trees: repo.trees_of_landed_branches()?.into_iter().collect(),
        reruns: query.reruns,
    };
    let specs = subjects.into_iter().map(|one| verifying.spec(one));
    let specs = specs.collect::<Result<Vec<SpecReceipts>, Error>>()?;
    Ok(ReceiptReport {
        target: target.name.clone(),
        required: target.policy.is_required,
        holds: specs.iter().all(|spec| spec.holds),
        specs,
    })
}

/// A spec, active or archived, as it is now.
pub(super) struct ReceiptSubject {
    pub(super) id: SpecId,
    pub(super) today: CurrentSpec,
}

impl ReceiptSubject {
    fn of(spec: &Spec) -> Self {
        let is_completed = spec.status == SpecStatus::Completed;
        Self {
            id: spec.id.clone(),
            today: CurrentSpec {
                open_as: (!is_completed).then(|| spec.status.as_str().to_owned()),
                criteria: criteria_at_start(spec),
            },
        }
    }

    /// Active specs, then archived ones whose IDs are not those of active ones.
    pub(super) fn all(project: &Project, active: &SpecGraph) -> Result<Vec<Self>, Error> {
        let mut all: Vec<Self> = active.all().iter().map(|spec| Self::of(spec)).collect();
        for spec in project.archived_specs()? {
            if !all.iter().any(|one| one.id == spec.id) {
                all.push(Self::of(&spec));
            }
        }
        Ok(all)
    }

    fn named<'a>(
        project: &Project,
        snapshot: &ProjectSnapshot,
        all: &'a [Self],
        id: &str,
    ) -> Result<&'a Self, Error> {
        let with = |id: &str| all.iter().find(|one| one.id.as_str() == id);
        match project.resolve(snapshot, id) {
            Ok(spec) => with(spec.id.as_str()).ok_or_else(|| {
                let (text, hint) = (id.to_owned(), HintText::default());
                ChantError::NotFound { text, hint }.into()
            }),
            Err(error) => with(id).ok_or(error),
        }
    }
}

/// Receipts by what stands for their spec in refs, the newest last.
pub(super) fn by_spec(mut kept: Vec<KeptText>) -> BTreeMap<String, Vec<KeptText>> {
    in_order(&mut kept);
    let mut all: BTreeMap<String, Vec<KeptText>> = BTreeMap::new();
    for kept in kept {
        let spec = kept.name.split('/').next().unwrap_or_default().to_owned();
        all.entry(spec).or_default().push(kept);
    }
    all
}

struct ReceiptVerification<'a> {
    project: &'a Project,
    repo: &'a Repo,
    target: &'a ReceiptTarget,
    all: &'a [ReceiptSubject],
    kept: BTreeMap<String, Vec<KeptText>>,
    signatures: KeptSignatures,
    /// The trees of commits that landed as others, with the refs that keep them.
    kept_trees: BTreeMap<String, String>,
    reruns: bool,
}

impl ReceiptVerification<'_> {
    fn spec(&self, subject: &ReceiptSubject) -> Result<SpecReceipts, Error> {
        let mut receipts = Vec::new();
        let (mut is_held_again, mut has_failed_again) = (false, false);
        for kept in self.kept_of(subject).iter().rev().take(MAX_OF_SPEC) {
            let receipt = read(self.repo, RECEIPTS, kept)?;
            // Only the newest receipt whose work is found has its checks run again.
            let reruns = self.reruns && !is_held_again && !has_failed_again;
            let (judged, again) = self.receipt(subject, &receipt, reruns)?;
            is_held_again |= !again.is_empty() && judged.holds();
            has_failed_again |= again.iter().any(|check| check.exit != Some(0));
            let signatures = match &receipt.read {
                Ok(receipt) => self.signatures_of(receipt)?,
                Err(_) => Vec::new(),
            };
            receipts.push(ReceiptVerdict {
                signatures,
                ..verdict(receipt.name, judged, &again)
            });
        }
        let is_held = receipts.iter().any(|one| one.holds) && !has_failed_again;
        let is_by_members = receipts.is_empty() && self.holds_by_members(subject)?;
        let signed_by = signers_of(&receipts);
        let counted = self.target.policy.counted(&signed_by);
        let lacks_signature = is_held && counted < self.target.policy.signatures;
        let verdict = match (is_held, is_by_members) {
            (true, _) if lacks_signature && counted > 0 => "signed by too few who count",
            (true, _) if lacks_signature => "signed by nobody who counts",
            (true, _) if is_held_again => "run again and held",
            (true, _) => "consistent",
            (_, true) => "by its members",
            _ if receipts.is_empty() => "no receipt",
            _ => "does not hold",
        };
        Ok(SpecReceipts {
            spec_id: subject.id.to_string(),
            verdict,
            holds: (is_held && !lacks_signature) || is_by_members,
            signed_by,
            findings: findings_about(subject, receipts.is_empty() && !is_by_members),
            receipts,
        })
    }

    fn signatures_of(&self, receipt: &CompletionReceipt) -> Result<Vec<SignatureEntry>, Error> {
        let (_, landed) = self.target.place_of(&receipt.commit, &receipt.tree);
        let place = landed.as_deref().map(|landed| SigningPlace {
            project: self.project,
            repo: self.repo,
            landed,
            tip: self.target.tip(),
        });
        self.signatures.judged(receipt, place.as_ref(), self.repo)
    }

    fn kept_of(&self, subject: &ReceiptSubject) -> &[KeptText] {
        let kept = self.kept.get(&escape_name(subject.id.as_str()));
        kept.map_or(&[], Vec::as_slice)
    }

    /// Returns true if a spec was completed because its members were, and all of these have receipts that hold.
    fn holds_by_members(&self, subject: &ReceiptSubject) -> Result<bool, Error> {
        let is_member = |one: &&ReceiptSubject| one.id.parent() == Some(subject.id.as_str());
        let members: Vec<&ReceiptSubject> = self.all.iter().filter(is_member).collect();
        if members.is_empty() || subject.today.open_as.is_some() {
            return Ok(false);
        }
        for member in members {
            let is_completed = member.today.open_as.is_none();
            if is_completed && !self.spec(member)?.holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn receipt(
        &self,
        subject: &ReceiptSubject,
        kept: &ReadReceipt,
        reruns: bool,
    ) -> Result<(JudgedReceipt, Vec<RepeatedCheck>), Error> {
        let receipt = match &kept.read {
            Ok(receipt) => receipt,
            Err(error) => return Ok((JudgedReceipt::unreadable(error.to_string()), Vec::new())),
        };
        let (place, found) = self.target.place_of(&receipt.commit, &receipt.tree);
        let id = subject.id.as_str();
        let landed = match &found {
            Some(commit) => receipt_store::criteria_in(self.project, self.repo, id, commit)?,
            None => None,
        };
        let mut names: Vec<&String> = receipt.checks.iter().map(|check| &check.name).collect();
        names.extend(subject.today.criteria.iter().flat_map(|one| &one.checks));
        names.sort_unstable();
        names.dedup();
        let again = match found.filter(|_| reruns) {
            Some(commit) => self.again(id, &commit, &names)?,
            None => Vec::new(),
        };
        let facts = ReceiptFacts {
            name: &kept.name,
            spec: &subject.today,
            place: &place,
            landed_criteria: landed.as_deref(),
            knows_tree: &|tree| self.target.knows_tree(tree),
            kept_tree: &|tree| self.kept_trees.get(tree).cloned(),
            configured: &self.target.checks,
            again: &again,
        };
        Ok((judge_receipt(receipt, &facts), again))
    }

    #[cfg(unix)]
    fn again(
        &self,
        id: &str,
        commit: &str,
        names: &[&String],
    ) -> Result<Vec<RepeatedCheck>, Error> {
        crate::runtime::rerun::rerun(self.project, self.repo, id, commit, names)
    }

    #[cfg(not(unix))]
    fn again(&self, _: &str, _: &str, _: &[&String]) -> Result<Vec<RepeatedCheck>, Error> {
        let why = "Running checks is not supported on this system yet.";
        Err(ChantError::Refused(why.into()).into())
    }
}

fn verdict(name: String, judged: JudgedReceipt, again: &[RepeatedCheck]) -> ReceiptVerdict {
    ReceiptVerdict {
        name,
        holds: judged.holds(),
        derived: judged.derived,
        run_again: again.iter().map(RepeatedCheck::to_string).collect(),
        claimed: judged.claimed,
        findings: judged.findings.into_iter().map(entry).collect(),
        signatures: Vec::new(),
    }
}

/// Those who signed the newest receipt that holds, each once.
fn signers_of(receipts: &[ReceiptVerdict]) -> Vec<String> {
    let held = receipts.iter().find(|one| one.holds);
    let signatures = held.into_iter().flat_map(|one| &one.signatures);
    let mut signers: Vec<String> = signatures.filter_map(|one| one.by.clone()).collect();
    signers.sort_unstable();
    signers.dedup();
    signers
}

/// Returns the findings about a spec that has no receipt.
fn findings_about(subject: &ReceiptSubject, has_none: bool) -> Vec<FindingEntry> {
    let finding = |kind, text| entry(ReceiptFinding { kind, text });
    match &subject.today.open_as {
        Some(status) if has_none => {
            let why = format!("the spec is {status}; a receipt is left when it is completed");
            vec![finding(FindingKind::NotCompleted, why)]
        }
        None if has_none => {
            let folder = receipt::folder_of(subject.id.as_str());
            let why = format!(
                "the spec is completed, and nothing is kept below {folder}; `receipt fetch` takes what others have, `finalize` leaves one"
            );
            vec![finding(FindingKind::NoReceipt, why)]
        }
        _ => Vec::new(),
    }
}

fn entry(finding: ReceiptFinding) -> FindingEntry {
    FindingEntry {
        kind: finding.kind.as_str(),
        text: finding.text,
    }
}
