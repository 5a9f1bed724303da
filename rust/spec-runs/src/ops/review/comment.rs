//! Writes comments: events at once, or drafts.

use std::sync::Arc;

use crate::review::work_range::WorkRange;
use crate::review::{CommitSide, ProjectReviews, in_git, person};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_git::Repo;
use chant_review::anchor::{
    CommentAnchor, CommentedVersion, DiffSide, LineAnchor, MAX_LINES, SpecAnchor,
};
use chant_review::draft::{CommentDraft, read_drafts, write_drafts};
use chant_review::error::ReviewError;
use chant_review::event::{CommentWeight, EventBody};
use chant_review::placing::CommitFiles as _;
use chant_review::spec_placing::spec_lines;
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::project::Project;
use serde::Deserialize;

/// The door of comments that rejections write.
pub(super) const REJECTION: &str = "rejection";

/// A comment as a person gives it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CommentInput {
    /// `PATH:LINE` or `PATH:FIRST-LAST`, a path alone, or the ID of a thread to reply to; all of the work without it.
    pub about: Option<String>,
    /// The number of a criterion, from 1, in place of that.
    pub criterion: Option<usize>,
    /// True for a line that the work removes, by its number in the older version.
    pub old: bool,
    /// `must`, `should`, `question` or `note`.
    pub weight: Option<String>,
    /// True to keep it as a draft, which nobody else sees, until it is sent.
    pub draft: bool,
}

/// Says something about the work on a spec.
///
/// # Errors
/// As [`Project::resolve`]; for agents; a place that is not there; a text that is empty, too long, or looks like a
/// secret.
pub fn comment(
    project: &Project,
    id: &str,
    text: &str,
    input: &CommentInput,
) -> Result<Answer, Error> {
    project.refuse_agents("commented on")?;
    let snapshot = project.snapshot()?;
    let spec = project.resolve(&snapshot, id)?;
    let reviews = ProjectReviews::of(project)?;
    let weight = weight_of(input)?;
    refuse_text(text)?;
    if input.draft {
        return keep_draft(&reviews, &spec, text, input);
    }
    let author = person(project, reviews.repo.as_deref())?;
    let said = said(project, &reviews, &spec, text, weight, input)?;
    let at = project.clock.stamp();
    let store = reviews.store();
    let events = store.change(spec.id.as_str(), &at, |_| Ok(vec![(author, said)]))?;
    let event = events.first();
    let event_id = event.map(|event| event.id.clone()).unwrap_or_default();
    let is_reply = event.is_some_and(|event| event.said.thread().is_some());
    let mut answer = if is_reply {
        format!("Replied on spec '{}'.", spec.id)
    } else {
        format!(
            "Commented on spec '{}': {event_id} ({})",
            spec.id,
            weight.as_str()
        )
    };
    if spec.status == SpecStatus::Completed {
        answer.push_str(
            "\nIts work has landed already, so this stops nothing; a spec of its own has it fixed.",
        );
    } else if weight == CommentWeight::Must && !is_reply {
        answer.push_str("\nIts work does not land before a person resolves this.");
    }
    Ok(Answer::prose(answer))
}

/// Returns what a comment or a reply says, with the place that it is about.
pub(super) fn said(
    project: &Project,
    reviews: &ProjectReviews,
    spec: &Arc<Spec>,
    text: &str,
    weight: CommentWeight,
    input: &CommentInput,
) -> Result<EventBody, Error> {
    let about = input.about.as_deref().unwrap_or_default().trim();
    if about.starts_with("c-") && !about.contains([':', '/', '.']) {
        let known = reviews.read(spec.id.as_str())?;
        let thread = known.threads.find(about);
        let thread = thread.ok_or_else(|| no_thread(about, spec, &known.threads.threads))?;
        return Ok(EventBody::Reply {
            thread: thread.id.clone(),
            text: text.to_owned(),
            answer: None,
        });
    }
    let anchor = match input.criterion {
        Some(_) if !about.is_empty() => {
            let why = format!("expected a criterion or a place, got both ({about})");
            return Err(ReviewError::Invalid {
                name: "criterion",
                why,
            }
            .into());
        }
        Some(number) => criterion(spec, number)?,
        None if about.is_empty() => CommentAnchor::Whole,
        None => place(project, reviews, spec, about, input.old)?,
    };
    Ok(EventBody::Comment {
        anchor,
        text: text.to_owned(),
        weight,
    })
}

pub(super) fn no_thread(
    id: &str,
    spec: &Spec,
    threads: &[chant_review::thread::ReviewThread],
) -> ReviewError {
    ReviewError::NoThread {
        id: id.to_owned(),
        spec: spec.id.to_string(),
        known: threads.iter().map(|thread| thread.id.clone()).collect(),
    }
}

pub(super) fn weight_of(input: &CommentInput) -> Result<CommentWeight, ReviewError> {
    let Some(word) = input.weight.as_deref() else {
        return Ok(CommentWeight::default());
    };
    CommentWeight::named(word).ok_or_else(|| {
        let all = CommentWeight::ALL.map(CommentWeight::as_str).join(", ");
        let why = format!("expected one of {all}, got `{word}`");
        ReviewError::Invalid {
            name: "weight",
            why,
        }
    })
}

/// Refuses a text that says nothing, and one that should not be kept for ever.
fn refuse_text(text: &str) -> Result<(), ReviewError> {
    let refused = |why: &str| {
        let why = why.to_owned();
        Err(ReviewError::Invalid { name: "text", why })
    };
    if text.trim().is_empty() {
        return refused("expected what you want to say, got an empty text");
    }
    if text.contains('\0') {
        return refused("expected a text without null characters");
    }
    #[cfg(unix)]
    if crate::runtime::landing_concerns::looks_like_secret(text) {
        return refused(
            "it holds what looks like a secret, and what is said in a review stays in git; say it without",
        );
    }
    Ok(())
}

fn criterion(spec: &Spec, number: usize) -> Result<CommentAnchor, ReviewError> {
    let found = number.checked_sub(1).and_then(|at| spec.criteria.get(at));
    let found = found.ok_or_else(|| {
        let why = format!(
            "expected a number from 1 to {}, got {number}",
            spec.criteria.len()
        );
        ReviewError::Invalid {
            name: "criterion",
            why,
        }
    })?;
    // The line of the text with the box of this criterion.
    let start = spec.text.len() - spec.body().len() + found.start as usize;
    let line = spec.text[..start].lines().count().max(1);
    let mut lines = spec_lines(&spec.text).into_iter();
    let words = lines.find(|known| known.line == line);
    let (headings, words) = match words {
        Some(known) => (known.headings, known.words),
        None => (Vec::new(), spec.criterion_text(found)),
    };
    Ok(CommentAnchor::Spec(SpecAnchor {
        headings,
        words,
        number,
    }))
}

fn place(
    project: &Project,
    reviews: &ProjectReviews,
    spec: &Arc<Spec>,
    about: &str,
    is_old: bool,
) -> Result<CommentAnchor, Error> {
    let repo = reviews.repo.as_ref();
    let range = WorkRange::needed(project, repo, spec)?;
    let Some(repo) = repo else {
        return Ok(CommentAnchor::Whole);
    };
    let (side, commit) = if is_old {
        (DiffSide::Old, &range.base)
    } else {
        (DiffSide::New, &range.tip)
    };
    let (path, lines) = parsed(about)?;
    let (path, blob) = located(project, repo, commit, path)?;
    let Some((first, last)) = lines else {
        let commit = commit.clone();
        return Ok(CommentAnchor::File { path, commit });
    };
    let text = CommitSide::of(repo, commit).text(&path);
    let text = text.ok_or_else(|| {
        invalid(format!(
            "{path} is no text whose lines can be commented on; name the file alone"
        ))
    })?;
    let version = CommentedVersion {
        side,
        commit,
        path: &path,
        blob: &blob,
    };
    let found = LineAnchor::of_text(version, &text, (first, last));
    let found = found.ok_or_else(|| {
        let count = text.lines().count();
        invalid(format!(
            "expected lines from 1 to {count} of {path}, at most {MAX_LINES} together, got {first}-{last}"
        ))
    })?;
    Ok(CommentAnchor::Line(found))
}

fn invalid(why: String) -> ReviewError {
    ReviewError::Invalid { name: "about", why }
}

type LineRange = Option<(usize, usize)>;

/// Reads `PATH:LINE`, `PATH:FIRST-LAST` or a path.
fn parsed(about: &str) -> Result<(&str, LineRange), ReviewError> {
    let Some((path, lines)) = about.rsplit_once(':') else {
        return Ok((about, None));
    };
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) => Ok((path, Some((first, last)))),
        _ => Err(invalid(format!(
            "expected PATH:LINE or PATH:FIRST-LAST, got `{about}`"
        ))),
    }
}

/// Finds a file of a commit by its path from the project's folder, or from the top of the checkout.
fn located(
    project: &Project,
    repo: &Repo,
    commit: &str,
    path: &str,
) -> Result<(String, String), Error> {
    let path = path.trim_start_matches("./");
    for candidate in [in_git(project, repo, path), path.to_owned()] {
        if let Some(blob) = repo.content_id(commit, &candidate)? {
            return Ok((candidate, blob));
        }
    }
    Err(invalid(format!(
        "expected a file of the work, and {path} is none of its newest commit"
    ))
    .into())
}

fn keep_draft(
    reviews: &ProjectReviews,
    spec: &Spec,
    text: &str,
    input: &CommentInput,
) -> Result<Answer, Error> {
    let mut drafts = read_drafts(&reviews.state, spec.id.as_str())?;
    let about = match input.criterion {
        Some(number) => format!("criterion {number}"),
        None if input.old => format!("old {}", input.about.as_deref().unwrap_or_default()),
        None => input.about.clone().unwrap_or_default(),
    };
    drafts.push(CommentDraft {
        about,
        text: text.to_owned(),
        weight: weight_of(input)?.as_str().to_owned(),
    });
    write_drafts(&reviews.state, spec.id.as_str(), &drafts)?;
    let count = drafts.len();
    let noun = if count == 1 { "draft" } else { "drafts" };
    Ok(Answer::prose(format!(
        "Kept as a draft on spec '{}' ({count} {noun}). Nobody else sees it before you send it.",
        spec.id
    )))
}

/// Returns a draft as the comment that it was given as.
pub(super) fn of_draft(draft: &CommentDraft) -> CommentInput {
    let weight = Some(draft.weight.clone());
    let about = draft.about.as_str();
    if let Some(number) = about.strip_prefix("criterion ") {
        return CommentInput {
            criterion: number.parse().ok(),
            weight,
            ..CommentInput::default()
        };
    }
    let (about, old) = match about.strip_prefix("old ") {
        Some(about) => (about, true),
        None => (about, false),
    };
    CommentInput {
        about: (!about.is_empty()).then(|| about.to_owned()),
        old,
        weight,
        ..CommentInput::default()
    }
}

/// Writes the reason of a rejection as a comment on all of the work, so that there is one road to the agent.
///
/// # Errors
/// A failure to write the review.
pub(in crate::ops) fn comment_rejection(
    project: &Project,
    spec: &Spec,
    by: &str,
    reason: &str,
) -> Result<(), Error> {
    let reviews = ProjectReviews::of(project)?;
    let mut author = person(project, None)?;
    by.clone_into(&mut author.name);
    REJECTION.clone_into(&mut author.via);
    let most = chant_review::event::MAX_TEXT / 4;
    let said = EventBody::Comment {
        anchor: CommentAnchor::Whole,
        text: reason.chars().take(most).collect(),
        weight: CommentWeight::Must,
    };
    let at = project.clock.stamp();
    reviews
        .store()
        .change(spec.id.as_str(), &at, |_| Ok(vec![(author, said)]))?;
    Ok(())
}
