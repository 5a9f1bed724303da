//! The review of one spec: its hunks, criteria and threads, as they stand now.

use std::collections::BTreeSet;
use std::sync::Arc;
use strum::IntoStaticStr;

use crate::project::ProjectRuns;
use crate::review::hunks::WorkHunks;
use crate::review::risk::WorkRisk;
use crate::review::work_range::WorkRange;
use crate::review::{ProjectReviews, in_git, is_delivered, placement_of};
use crate::view::review::{
    ApprovalRow, BatchRow, ClaimRow, DraftRow, PlaceRow, ReplyRow, ReviewCriterion, ReviewHunk,
    RiskReasonRow, RiskRow, SpecReviewView, ThreadRow,
};
use chant_base::answer::{Answer, cut};
use chant_base::error::Error;
use chant_git::Repo;
use chant_review::anchor::{CommentAnchor, DiffSide};
use chant_review::draft::read_drafts;
use chant_review::error::ReviewError;
use chant_review::event::{ClaimVerdict, DeliveryWay};
use chant_review::hunk::NamedHunk;
use chant_review::look::PersonsLook;
use chant_review::placing::{CommentPlacement, PlaceMark};
use chant_review::store::SpecReview;
use chant_review::thread::{ReviewThread, ThreadClaim};
use chant_specs::checks::checks_named;
use chant_specs::model::Spec;
use chant_specs::project::Project;

/// Characters of a line that are shown.
const LINE_SHOWN: usize = 500;
/// Lines of all hunks together that are shown.
const MAX_LINES: usize = 20_000;

/// The hunks that a person wants to see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ReviewScope {
    /// All of the work.
    #[default]
    All,
    /// The hunks that this person has not seen.
    Look,
    /// The hunks that are new since comments were sent last.
    Turn,
}

impl ReviewScope {
    /// Returns its word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns the scope of a word.
    ///
    /// # Errors
    /// `Invalid` for another word.
    pub fn named(word: &str) -> Result<Self, ReviewError> {
        let all = [Self::All, Self::Look, Self::Turn];
        let found = all.into_iter().find(|scope| scope.as_str() == word);
        found.ok_or_else(|| ReviewError::Invalid {
            name: "since",
            why: format!("expected all, look or turn, got `{word}`"),
        })
    }
}

/// The work on a spec, as a review needs it.
pub(super) struct ReviewedWork {
    pub spec: Arc<Spec>,
    pub spec_in_git: String,
    pub range: Option<WorkRange>,
    pub hunks: WorkHunks,
    pub look: PersonsLook,
}

impl ReviewedWork {
    pub(super) fn of(
        project: &Project,
        reviews: &ProjectReviews,
        spec: Arc<Spec>,
    ) -> Result<Self, Error> {
        let repo = reviews.repo.as_ref();
        let range = WorkRange::of(project, repo, &spec)?;
        let hunks = match (repo, &range) {
            (Some(repo), Some(range)) => WorkHunks::between(repo, &range.base, &range.tip)?,
            _ => WorkHunks::default(),
        };
        let spec_in_git = match repo {
            Some(repo) => in_git(project, repo, &spec.path),
            None => spec.path.to_string(),
        };
        Ok(Self {
            look: PersonsLook::read(&reviews.state, spec.id.as_str()),
            spec,
            spec_in_git,
            range,
            hunks,
        })
    }

    /// Returns true for a hunk that this person has seen, and that no other one reads like.
    pub(super) fn is_seen(&self, hunk: &NamedHunk) -> bool {
        self.look.has_seen(&hunk.name) && self.hunks.counts().get(hunk.name.as_str()) == Some(&1)
    }

    /// Returns the names of the hunks that were not seen.
    pub(super) fn unseen(&self) -> Vec<&NamedHunk> {
        let counts = self.hunks.counts();
        let is_seen = |hunk: &&NamedHunk| {
            self.look.has_seen(&hunk.name) && counts.get(hunk.name.as_str()) == Some(&1)
        };
        self.hunks
            .hunks
            .iter()
            .filter(|hunk| !is_seen(hunk))
            .collect()
    }

    /// Returns the risk of the work.
    pub(super) fn risk(&self, project: &Project) -> Result<WorkRisk, Error> {
        let record = project.runs()?.newest_of(self.spec.id.as_str())?;
        Ok(WorkRisk::of_work(
            &self.hunks,
            &self.spec,
            &self.spec_in_git,
            record.as_ref(),
        ))
    }
}

pub(super) fn risk_row(risk: WorkRisk) -> RiskRow {
    RiskRow {
        band: risk.band(),
        points: risk.points,
        reasons: risk
            .reasons
            .into_iter()
            .map(|reason| RiskReasonRow {
                points: reason.points,
                text: reason.text,
            })
            .collect(),
        partial: true,
    }
}

/// Returns the review of a spec: hunks, criteria, and threads where they stand now.
///
/// # Errors
/// As [`Project::resolve`]; a failure to read the review or the repository.
pub fn review_show(project: &Project, id: &str, scope: ReviewScope) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let spec = project.resolve(&snapshot, id)?;
    let reviews = ProjectReviews::of(project)?;
    let known = reviews.read(spec.id.as_str())?;
    let work = ReviewedWork::of(project, &reviews, spec.clone())?;
    let repo = reviews.repo.as_deref();
    let threads = rows(repo, &work, &known)?;
    let before = match (scope, repo) {
        (ReviewScope::Turn, Some(repo)) => names_before(repo, &work, &known)?,
        _ => BTreeSet::new(),
    };
    let mut room = MAX_LINES;
    let mut hunks = Vec::new();
    for (at, hunk) in work.hunks.hunks.iter().enumerate() {
        let is_seen = work.is_seen(hunk);
        let is_shown = match scope {
            ReviewScope::All => true,
            ReviewScope::Look => !is_seen,
            ReviewScope::Turn => !before.contains(&hunk.name),
        };
        if is_shown {
            hunks.push(hunk_row(at + 1, hunk, is_seen, &threads, &mut room));
        }
    }
    let now = work.hunks.names();
    let gone = work
        .look
        .there
        .iter()
        .filter(|name| work.look.has_seen(name));
    let gone = gone.filter(|name| now.binary_search(name).is_err()).count();
    let runs = project.runs()?;
    let mut batches = Vec::new();
    for batch in &known.threads.batches {
        batches.push(BatchRow {
            name: batch.name.clone(),
            at: batch.at.clone(),
            threads: batch.threads.clone(),
            delivered: is_delivered(&runs, batch)?,
            to: batch.deliveries.last().map(|(run, way, why)| match way {
                DeliveryWay::Resumed => format!("{run}: in its own session, as {why}"),
                DeliveryWay::Digest => format!("{run}: in a new session, as {why}"),
            }),
        });
    }
    let approvals = known.threads.approvals.iter().map(|approval| ApprovalRow {
        by: approval.by.clone(),
        at: approval.at.clone(),
        tip: approval.tip.clone(),
        not_covered: now
            .iter()
            .filter(|name| !approval.hunks.contains(*name))
            .count(),
    });
    let drafts = read_drafts(&reviews.state, spec.id.as_str())?;
    Ok(Answer::compact(&SpecReviewView {
        spec_id: spec.id.to_string(),
        title: spec.title.as_deref().map(str::to_owned),
        status: spec.status.as_str(),
        branch: work.range.as_ref().and_then(|range| range.branch.clone()),
        base: work.range.as_ref().map(|range| range.base.clone()),
        tip: work.range.as_ref().map(|range| range.tip.clone()),
        scope: scope.as_str(),
        risk: risk_row(work.risk(project)?),
        criteria: criteria(&spec, &known),
        folded: work.hunks.hunks.len() - hunks.len(),
        hunks,
        gone,
        unreadable: work.hunks.unreadable.clone(),
        files_left_out: work.hunks.files_left_out,
        stops: known
            .threads
            .stoppers()
            .map(|thread| thread.id.clone())
            .collect(),
        threads,
        drafts: drafts
            .into_iter()
            .map(|draft| DraftRow {
                about: draft.about,
                weight: draft.weight,
                text: draft.text,
            })
            .collect(),
        batches,
        approvals: approvals.collect(),
        set_aside: known.set_aside,
        without_effect: known.threads.without_effect,
    }))
}

/// The names of the hunks that the work had when comments were sent last.
fn names_before(
    repo: &Repo,
    work: &ReviewedWork,
    known: &SpecReview,
) -> Result<BTreeSet<String>, Error> {
    let sent = known
        .threads
        .batches
        .iter()
        .rev()
        .find_map(|batch| batch.tip.as_ref());
    let (Some(tip), Some(range)) = (sent, &work.range) else {
        return Ok(BTreeSet::new());
    };
    if !repo.has_object(tip)? {
        return Ok(BTreeSet::new());
    }
    // What the target brought in meanwhile is no part of the work of either.
    let base = repo.merge_base(&range.base, tip)?;
    let base = base
        .filter(|base| base != tip)
        .unwrap_or_else(|| range.base.clone());
    Ok(WorkHunks::between(repo, &base, tip)?
        .names()
        .into_iter()
        .collect())
}

fn hunk_row(
    number: usize,
    hunk: &NamedHunk,
    seen: bool,
    threads: &[ThreadRow],
    room: &mut usize,
) -> ReviewHunk {
    let shown = hunk.hunk.lines.iter().take(*room);
    let lines: Vec<String> = shown
        .map(|(side, text)| format!("{}{}", side.sign(), cut(text, LINE_SHOWN)))
        .collect();
    *room -= lines.len();
    let newer = &hunk.hunk.newer;
    let is_here = |thread: &&ThreadRow| {
        thread.place.as_ref().is_some_and(|place| {
            place.side == "new"
                && place.path == hunk.path
                && place.first < newer.end
                && newer.start <= place.last
        })
    };
    ReviewHunk {
        number,
        name: hunk.name.clone(),
        path: hunk.path.clone(),
        head: hunk.hunk.head.clone(),
        first: newer.start,
        length: newer.len(),
        seen,
        threads: threads
            .iter()
            .filter(is_here)
            .map(|thread| thread.id.clone())
            .collect(),
        lines,
    }
}

fn criteria(spec: &Spec, known: &SpecReview) -> Vec<ReviewCriterion> {
    let named = checks_named(spec);
    let criteria = spec.criteria.iter().zip(named).enumerate();
    criteria
        .map(|(at, (criterion, checks))| {
            let text = spec.criterion_text(criterion);
            let is_about = |thread: &&ReviewThread| match &thread.anchor {
                CommentAnchor::Spec(words) => {
                    text.starts_with(words.words.as_str()) || words.words == text
                }
                _ => false,
            };
            let threads = known.threads.threads.iter().filter(is_about);
            ReviewCriterion {
                number: at + 1,
                checked: criterion.checked,
                checks,
                threads: threads.map(|thread| thread.id.clone()).collect(),
                text,
            }
        })
        .collect()
}

fn rows(
    repo: Option<&Repo>,
    work: &ReviewedWork,
    known: &SpecReview,
) -> Result<Vec<ThreadRow>, Error> {
    let threads = known.threads.threads.iter();
    threads
        .map(|thread| thread_row(repo, work, thread))
        .collect()
}

fn thread_row(
    repo: Option<&Repo>,
    work: &ReviewedWork,
    thread: &ReviewThread,
) -> Result<ThreadRow, Error> {
    let document = (&*work.spec.path, &*work.spec.text);
    let placement = match repo {
        Some(repo) => placement_of(repo, work.range.as_ref(), document, &thread.anchor)?,
        None => None,
    };
    let (side, on, commented) = match &thread.anchor {
        CommentAnchor::Line(line) => {
            let side = match line.side {
                DiffSide::New => "new",
                DiffSide::Old => "old",
            };
            (side, "line", line.lines.clone())
        }
        CommentAnchor::Spec(words) => ("new", "spec", vec![words.words.clone()]),
        CommentAnchor::File { path, .. } => ("new", "file", vec![path.clone()]),
        CommentAnchor::Whole => ("new", "whole", Vec::new()),
    };
    let (place, outdated) = match placement {
        Some(CommentPlacement::Placed {
            path,
            first,
            last,
            mark,
            others,
        }) => {
            let place = PlaceRow {
                path,
                first,
                last,
                side,
                mark: mark.map(PlaceMark::as_str),
                others,
            };
            (Some(place), None)
        }
        Some(CommentPlacement::Outdated(why)) => (None, Some(why)),
        None => (None, None),
    };
    Ok(ThreadRow {
        id: thread.id.clone(),
        weight: thread.weight.as_str(),
        state: thread.state.as_str(),
        kind: thread.author.kind.as_str(),
        author: thread.author.name.clone(),
        origin: thread.origin.words(),
        at: thread.at.clone(),
        text: thread.text.clone(),
        on,
        place,
        outdated,
        commented,
        replies: thread
            .replies
            .iter()
            .map(|reply| ReplyRow {
                author: reply.author.name.clone(),
                kind: reply.author.kind.as_str(),
                origin: reply.origin.words(),
                at: reply.at.clone(),
                text: reply.text.clone(),
                answer: reply.answer.map(chant_review::event::AgentAnswer::as_str),
            })
            .collect(),
        claims: thread.claims.iter().map(claim_row).collect(),
        sent: !thread.batches.is_empty(),
        closed_by: thread.closed_by.as_ref().map(|(by, _)| by.clone()),
    })
}

fn claim_row(claim: &ThreadClaim) -> ClaimRow {
    let shown = match claim.verdict {
        ClaimVerdict::ChangedHere => "changed here".to_owned(),
        ClaimVerdict::NothingChanged => "says done, nothing changed".to_owned(),
        ClaimVerdict::ChangedElsewhere => {
            let places = claim.places.iter().take(3);
            let places: Vec<String> = places
                .map(|place| format!("{}:{}", place.path, place.first))
                .collect();
            format!("changed in {}", places.join(", "))
        }
    };
    ClaimRow {
        commit: claim.commit.clone(),
        shown,
    }
}
