//! Gives what people sent to the agent of a run: each batch once, and none is lost.
//!
//! A batch counts as given when the run that it was given to started its agent. A runner that died before that gave
//! nothing, and the next run of the spec has it.

use std::sync::Arc;

use super::work_range::WorkRange;
use super::{CommitSide, ProjectReviews, is_delivered, of_run, placement_of};
use crate::project::ProjectRuns;
use chant_base::error::Error;
use chant_git::Repo;
use chant_git::bookkeeping::WorkQuery;
use chant_review::anchor::CommentAnchor;
use chant_review::event::{AuthorKind, DeliveryReason, EventBody};
use chant_review::placing::{CommentPlacement, CommitFiles as _};
use chant_review::prompt_text::{PlacedThread, resumed_prompt, review_section};
use chant_review::thread::ReviewThread;
use chant_specs::model::Spec;
use chant_specs::project::Project;

/// Lines around the commented ones that the agent is shown.
const AROUND: usize = 3;
/// Commits of the branch that it is told of.
const MAX_COMMITS: usize = 20;

/// The comments that people sent, as parts of an agent's prompt.
#[derive(Debug)]
pub(crate) struct SentReview {
    /// The batches that reached no agent yet.
    pub waiting: Vec<String>,
    /// The part for a new session: that, what is open from before, and what was done so far; `None` if nothing is open.
    pub digest: Option<String>,
    /// The whole prompt for the session that did the work.
    pub resumed: Option<String>,
}

/// Notes that a run gives its agent batches, in this way.
///
/// # Errors
/// A failure to write the review.
pub(crate) fn note_delivery(
    project: &Project,
    spec_id: &str,
    run: &str,
    batches: &[String],
    way: &DeliveryReason,
) -> Result<(), Error> {
    let reviews = ProjectReviews::of(project)?;
    let author = of_run(AuthorKind::Runner, "chant-mcp", run);
    reviews
        .store()
        .change(spec_id, &project.clock.stamp(), |_| {
            let delivered = batches.iter().map(|batch| {
                let said = EventBody::Delivered {
                    batch: batch.clone(),
                    run: run.to_owned(),
                    how: way.how,
                    why: way.why.clone(),
                };
                (author.clone(), said)
            });
            Ok(delivered.collect())
        })?;
    Ok(())
}

/// Returns what was sent on a spec; `None` if nothing ever was.
///
/// # Errors
/// A failure to read the review.
pub(crate) fn sent_review(
    project: &Project,
    repo: &Arc<Repo>,
    spec: &Spec,
) -> Result<Option<SentReview>, Error> {
    let reviews = ProjectReviews::of(project)?;
    let known = reviews.read(spec.id.as_str())?;
    if known.threads.batches.is_empty() {
        return Ok(None);
    }
    let runs = project.runs()?;
    let mut waiting = Vec::new();
    for batch in &known.threads.batches {
        if !is_delivered(&runs, batch)? {
            waiting.push(batch.name.clone());
        }
    }
    let range = WorkRange::of(project, Some(repo), spec)?;
    let is_sent = |thread: &&ReviewThread| thread.is_open() && !thread.batches.is_empty();
    let mut placed = Vec::new();
    for thread in known.threads.threads.iter().filter(is_sent) {
        let document = (&*spec.path, &*spec.text);
        let placement = placement_of(repo, range.as_ref(), document, &thread.anchor)?;
        placed.push(PlacedThread {
            lines: shown_lines(repo, range.as_ref(), thread, placement.as_ref()),
            placement,
            is_earlier: thread.batches.iter().all(|batch| !waiting.contains(batch)),
            thread,
        });
    }
    if placed.is_empty() {
        return Ok(Some(SentReview {
            waiting,
            digest: None,
            resumed: None,
        }));
    }
    let done = match &range {
        Some(range) => commits_of(repo, range)?,
        None => Vec::new(),
    };
    Ok(Some(SentReview {
        digest: Some(review_section(&placed, &done)),
        resumed: Some(resumed_prompt(spec.id.as_str(), &placed)),
        waiting,
    }))
}

/// The commented lines as they are now with some around them; those that were commented on where they are gone.
fn shown_lines(
    repo: &Repo,
    range: Option<&WorkRange>,
    thread: &ReviewThread,
    placement: Option<&CommentPlacement>,
) -> Vec<String> {
    let CommentAnchor::Line(line) = &thread.anchor else {
        return Vec::new();
    };
    if let (
        Some(range),
        Some(CommentPlacement::Placed {
            path, first, last, ..
        }),
    ) = (range, placement)
        && line.side == chant_review::anchor::DiffSide::New
    {
        let text = CommitSide::of(repo, &range.tip)
            .text(path)
            .unwrap_or_default();
        let from = first.saturating_sub(AROUND + 1);
        let shown = text.lines().skip(from).take(last + AROUND - from);
        return shown.map(str::to_owned).collect();
    }
    line.lines.clone()
}

fn commits_of(repo: &Repo, range: &WorkRange) -> Result<Vec<String>, Error> {
    let Some(branch) = &range.branch else {
        return Ok(Vec::new());
    };
    let work = repo.evidence(&WorkQuery {
        branch,
        base: &range.base,
        target: None,
        besides: &[],
    })?;
    let above = work.commits.len().saturating_sub(MAX_COMMITS);
    let commits = work.commits[above..].iter();
    Ok(commits.map(|commit| commit.subject.clone()).collect())
}
