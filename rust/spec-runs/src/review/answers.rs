//! The answers of an agent to comments, by lines at the end of its commits' messages, and what its commits show of that.

use std::sync::Arc;

use super::hunks::{ChangedRanges, changed_ranges};
use super::{CommitSide, ProjectReviews, of_run};
use chant_base::error::Error;
use chant_git::Repo;
use chant_git::bookkeeping::WorkCommit;
use chant_review::anchor::CommentAnchor;
use chant_review::event::{AgentAnswer, AuthorKind, ClaimVerdict, EventBody, FileLines};
use chant_review::placing::{CommentPlacement, place};
use chant_review::store::SpecReview;
use chant_review::thread::{ReviewThread, SentBatch};
use chant_specs::project::Project;
use chant_work::run_record::RunRecord;

/// Answers of a run that are kept.
const MAX_ANSWERS: usize = 200;
/// Lines around the commented ones within which a change is one of them.
const NEAR: usize = 10;
/// Places of a commit that are kept.
const MAX_PLACES: usize = 20;
/// The characters from which on a reason is one.
const LEAST_REASON: usize = 10;

/// The answer in a line of a commit's message.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AnswerLine {
    thread: String,
    answer: AgentAnswer,
    text: String,
}

/// Notes the answers in the commits of a run; may be done again.
///
/// # Errors
/// A failure to read the repository, or to write the review.
pub(crate) fn note_answers(
    project: &Project,
    repo: &Arc<Repo>,
    record: &RunRecord,
    spec_path: &str,
    commits: &[WorkCommit],
) -> Result<(), Error> {
    let reviews = ProjectReviews::of(project)?;
    let known = reviews.read(&record.spec_id)?;
    let batches: Vec<&SentBatch> = given_to(&known, record);
    if batches.is_empty() {
        return Ok(());
    }
    let name = record.agent.as_ref().map_or("agent", |agent| &agent.name);
    let author = of_run(AuthorKind::Agent, name, &record.process_id);
    let mut said = Vec::new();
    for commit in commits {
        for line in answer_lines(&commit.message) {
            let sent = batches
                .iter()
                .find(|batch| batch.threads.contains(&line.thread));
            let thread = known
                .threads
                .threads
                .iter()
                .find(|thread| thread.id == line.thread);
            let (Some(batch), Some(thread)) = (sent, thread) else {
                continue;
            };
            let is_later = match &batch.tip {
                Some(tip) => !repo.reaches(tip, &commit.id)?,
                None => true,
            };
            if !is_later || said.len() >= MAX_ANSWERS {
                continue;
            }
            let body = match line.answer {
                AgentAnswer::Done => claim(repo, thread, commit, spec_path)?,
                AgentAnswer::Declined | AgentAnswer::Asked => EventBody::Reply {
                    thread: thread.id.clone(),
                    text: line.text,
                    answer: Some(line.answer),
                },
            };
            if !said.contains(&body) {
                said.push(body);
            }
        }
    }
    let at = project.clock.stamp();
    reviews.store().change(&record.spec_id, &at, |now| {
        let is_new = |body: &EventBody| {
            let mut known = now.events.iter();
            !known.any(|known| known.event.said == *body && known.event.author == author)
        };
        let new = said.into_iter().filter(is_new);
        Ok(new.map(|body| (author.clone(), body)).collect())
    })?;
    Ok(())
}

/// Returns the comments that were given to a run, want an answer and have none.
///
/// # Errors
/// A failure to read the review.
pub(crate) fn unanswered(project: &Project, record: &RunRecord) -> Result<Vec<String>, Error> {
    let known = ProjectReviews::of(project)?.read(&record.spec_id)?;
    let given = given_to(&known, record);
    let is_given =
        |thread: &&ReviewThread| given.iter().any(|batch| batch.threads.contains(&thread.id));
    let threads = known.threads.threads.iter().filter(is_given);
    let owed = threads.filter(|thread| thread.wants_answer());
    Ok(owed.map(|thread| thread.id.clone()).collect())
}

fn given_to<'k>(known: &'k SpecReview, record: &RunRecord) -> Vec<&'k SentBatch> {
    let batches = known.threads.batches.iter();
    let given = batches.filter(|batch| {
        let mut runs = batch.deliveries.iter();
        runs.any(|(run, _, _)| *run == record.process_id)
    });
    given.collect()
}

/// Reads the lines of a message that answer comments.
fn answer_lines(message: &str) -> Vec<AnswerLine> {
    let mut found = Vec::new();
    for line in message.lines() {
        let Some((key, rest)) = line.split_once(':') else {
            continue;
        };
        let answer = match key.trim().to_ascii_lowercase().as_str() {
            "addresses" => AgentAnswer::Done,
            "declined" => AgentAnswer::Declined,
            "asked" => AgentAnswer::Asked,
            _ => continue,
        };
        if answer == AgentAnswer::Done {
            let ids = rest.split([',', ' ']).filter(|id| is_thread_id(id));
            found.extend(ids.map(|id| AnswerLine {
                thread: id.to_owned(),
                answer,
                text: String::new(),
            }));
            continue;
        }
        let (id, text) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
        let id = id.trim_end_matches(':');
        let text = text.trim_matches([' ', '-', ':']).to_owned();
        if is_thread_id(id) && text.chars().count() >= LEAST_REASON {
            let thread = id.to_owned();
            found.push(AnswerLine {
                thread,
                answer,
                text,
            });
        }
    }
    found
}

fn is_thread_id(id: &str) -> bool {
    let digits = id.strip_prefix("c-").unwrap_or_default();
    digits.len() == 10 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The claim of a commit on a comment, with the verdict on it.
fn claim(
    repo: &Repo,
    thread: &ReviewThread,
    commit: &WorkCommit,
    spec_path: &str,
) -> Result<EventBody, Error> {
    let parent = repo.commit(&format!("{}^", commit.id))?;
    let mut changed = changed_ranges(repo, &parent, &commit.id)?;
    changed.retain(|file| file.path != spec_path);
    let verdict = if changed.is_empty() {
        ClaimVerdict::NothingChanged
    } else if is_changed_here(repo, thread, &parent, &changed) {
        ClaimVerdict::ChangedHere
    } else {
        ClaimVerdict::ChangedElsewhere
    };
    let places = changed.iter().take(MAX_PLACES).map(|file| FileLines {
        path: file.path.clone(),
        first: file.first_new,
        last: file.last_new,
    });
    Ok(EventBody::Claim {
        thread: thread.id.clone(),
        commit: commit.id.clone(),
        verdict,
        places: places.collect(),
    })
}

/// Returns true if one of the commented lines, or one near them, is changed. Where words occur more often than when
/// they were commented on, nobody knows which are meant.
fn is_changed_here(
    repo: &Repo,
    thread: &ReviewThread,
    parent: &str,
    changed: &[ChangedRanges],
) -> bool {
    let CommentAnchor::Line(line) = &thread.anchor else {
        return false;
    };
    let Some(old) = super::commit_side::text_of(repo, &line.blob) else {
        return false;
    };
    let CommentPlacement::Placed {
        path,
        first,
        last,
        others,
        ..
    } = place(line, &old, &CommitSide::of(repo, parent))
    else {
        return false;
    };
    let is_near = |(from, to): &(usize, usize)| *from <= last + NEAR && first <= to + NEAR;
    let mut files = changed.iter().filter(|file| file.path == path);
    others.is_empty() && files.any(|file| file.old.iter().any(is_near))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_message_answer_comments() {
        let message = "Fix it\n\nAddresses: c-7f3a9b2e1d, c-0000000001\naddresses: c-wrong\n\
                       Declined: c-7f3a9b2e1d: The clock of the server is in UTC.\n\
                       Asked: c-0000000002 Which of the two files is meant?\nDeclined: c-0000000003 no\n\
                       See also: c-0000000004\n";
        let found: Vec<(String, AgentAnswer)> = answer_lines(message)
            .into_iter()
            .map(|line| (line.thread, line.answer))
            .collect();
        let wanted = [
            ("c-7f3a9b2e1d", AgentAnswer::Done),
            ("c-0000000001", AgentAnswer::Done),
            ("c-7f3a9b2e1d", AgentAnswer::Declined),
            ("c-0000000002", AgentAnswer::Asked),
        ];
        assert_eq!(found, wanted.map(|(id, answer)| (id.to_owned(), answer)));
    }
}
