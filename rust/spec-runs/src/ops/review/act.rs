//! A person's decisions about threads: closes them, marks hunks as seen, sends comments to the agent, approves.

use std::sync::Arc;

use super::comment::{REJECTION, no_thread, of_draft, said, weight_of};
use super::show::ReviewedWork;
use crate::ops::approve::{ApprovalInput, approve};
use crate::project::ProjectRuns;
use crate::review::{ProjectReviews, person};
use crate::start::StartOptions;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_review::draft::{read_drafts, write_drafts};
use chant_review::error::ReviewError;
use chant_review::event::{AuthorKind, EventAuthor, EventBody};
use chant_review::look::PersonsLook;
use chant_review::store::SpecReview;
use chant_review::thread::{EventOrigin, ReviewThread, ThreadState};
use chant_specs::model::Spec;
use chant_specs::project::Project;
use chant_work::run_record::RunRecord;
use chant_work::state::{RunEvent, RunState};
use serde::Deserialize;

/// The greatest number of threads of a batch: each of them has room in a prompt.
const MAX_SENT: usize = 60;
/// The most hunks that an approval names one by one.
const MAX_NAMES: usize = 800;

/// The acts, in this order.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewAct {
    /// Threads to close; `all` stands for all that are open.
    pub resolve: Vec<String>,
    /// Threads to open again.
    pub reopen: Vec<String>,
    /// Comments to take back.
    pub withdraw: Vec<String>,
    /// Hunks that were seen: numbers, names, or `all`.
    pub seen: Vec<String>,
    /// True to send drafts and open comments to the agent.
    pub send: bool,
    /// True to approve of the work.
    pub approve: bool,
    /// The commit that was looked at; sending and approving are refused if the work is another one by now.
    pub tip: Option<String>,
    /// True to approve although hunks were not marked as seen.
    pub unseen: bool,
}

/// Does what a person decided about the review of a spec. `steps` gets each step of a start.
///
/// # Errors
/// As [`Project::resolve`]; for agents; a thread that is not there; work that is not the one that was looked at.
pub fn review_act(
    project: &Arc<Project>,
    id: &str,
    act: &ReviewAct,
    steps: &mut dyn FnMut(&str),
) -> Result<Answer, Error> {
    project.refuse_agents("decided in a review")?;
    let snapshot = project.snapshot()?;
    let spec = project.resolve(&snapshot, id)?;
    drop(snapshot);
    let reviews = ProjectReviews::of(project)?;
    let work = ReviewedWork::of(project, &reviews, spec.clone())?;
    let author = person(project, reviews.repo.as_deref())?;
    refuse_other_tip(&work, act)?;
    let mut lines = Vec::new();
    let decision = ReviewDecision {
        project,
        reviews: &reviews,
        spec: &spec,
        work: &work,
        author,
    };
    decision.close(act, &mut lines)?;
    if !act.seen.is_empty() {
        lines.push(decision.see(&act.seen)?);
    }
    if act.send {
        lines.push(decision.send(steps)?);
    }
    if act.approve {
        lines.push(decision.approve(act)?);
    }
    let closes = !act.resolve.is_empty() || !act.withdraw.is_empty();
    if closes && !act.send && !act.approve {
        lines.extend(decision.land()?);
    }
    if lines.is_empty() {
        let why = "expected something to do: threads to resolve, hunks that were seen, to send or to approve";
        return Err(ReviewError::Invalid {
            name: "resolve",
            why: why.to_owned(),
        }
        .into());
    }
    Ok(Answer::prose(lines.join("\n")))
}

fn refuse_other_tip(work: &ReviewedWork, act: &ReviewAct) -> Result<(), ReviewError> {
    let now = work.range.as_ref().map(|range| range.tip.as_str());
    match (act.tip.as_deref(), now) {
        (Some(seen), Some(now)) if !now.starts_with(seen) => {
            let message = format!(
                "The work is another one by now: you looked at {seen}, and its newest commit is {now}. Look at it again; nothing was done."
            );
            Err(ReviewError::Refused(message))
        }
        _ => Ok(()),
    }
}

struct ReviewDecision<'a> {
    project: &'a Arc<Project>,
    reviews: &'a ProjectReviews,
    spec: &'a Arc<Spec>,
    work: &'a ReviewedWork,
    author: EventAuthor,
}

impl ReviewDecision<'_> {
    fn id(&self) -> &str {
        self.spec.id.as_str()
    }

    /// Closes threads, opens them again, and takes comments back; all or none.
    fn close(&self, act: &ReviewAct, lines: &mut Vec<String>) -> Result<(), Error> {
        let now = self.project.clock.stamp();
        let mut told = Vec::new();
        self.reviews.store().change(self.id(), &now, |known| {
            let mut events = Vec::new();
            for (ids, verb) in [
                (&act.resolve, "Resolved"),
                (&act.reopen, "Reopened"),
                (&act.withdraw, "Withdrew"),
            ] {
                for thread in self.named(known, ids)? {
                    if let Some(body) = closing(thread, verb)? {
                        told.push(format!("{verb} {}", thread.id));
                        events.push((self.author.clone(), body));
                    } else {
                        told.push(format!(
                            "{} is {} already",
                            thread.id,
                            thread.state.as_str()
                        ));
                    }
                }
            }
            Ok(events)
        })?;
        lines.extend(told);
        Ok(())
    }

    fn named<'k>(
        &self,
        known: &'k SpecReview,
        ids: &[String],
    ) -> Result<Vec<&'k ReviewThread>, ReviewError> {
        let threads = &known.threads.threads;
        let mut found = Vec::new();
        for id in ids {
            if id == "all" {
                found.extend(threads.iter().filter(|thread| thread.is_open()));
                continue;
            }
            let thread = known.threads.find(id);
            found.push(thread.ok_or_else(|| no_thread(id, self.spec, threads))?);
        }
        Ok(found)
    }

    /// Marks hunks as seen.
    fn see(&self, wanted: &[String]) -> Result<String, Error> {
        let hunks = &self.work.hunks.hunks;
        let Some(range) = &self.work.range else {
            return Err(no_work(self.spec).into());
        };
        let mut names = Vec::new();
        for word in wanted {
            if word == "all" {
                names.extend(hunks.iter().map(|hunk| hunk.name.clone()));
                continue;
            }
            let number: Option<usize> = word.parse().ok();
            let by_number = number.and_then(|number| hunks.get(number.checked_sub(1)?));
            let found = by_number.or_else(|| hunks.iter().find(|hunk| hunk.name == *word));
            let hunk = found.ok_or_else(|| ReviewError::Invalid {
                name: "seen",
                why: format!(
                    "expected `all`, a number from 1 to {} or the name of a hunk, got `{word}`",
                    hunks.len()
                ),
            })?;
            names.push(hunk.name.clone());
        }
        let mut look = PersonsLook::read(&self.reviews.state, self.id());
        look.see(&names, &range.tip, &self.work.hunks.names());
        look.write(&self.reviews.state, self.id())?;
        let left = hunks
            .iter()
            .filter(|hunk| !look.has_seen(&hunk.name))
            .count();
        Ok(format!(
            "Marked as seen: {}; {left} of {} are left.",
            names.len(),
            hunks.len()
        ))
    }

    /// Sends drafts and open comments to the agent.
    fn send(&self, steps: &mut dyn FnMut(&str)) -> Result<String, Error> {
        let drafts = read_drafts(&self.reviews.state, self.id())?;
        let mut new = Vec::new();
        for draft in &drafts {
            let input = of_draft(draft);
            let weight = weight_of(&input)?;
            new.push(said(
                self.project, self.reviews, self.spec, &draft.text, weight, &input,
            )?);
        }
        let tip = self.work.range.as_ref().map(|range| range.tip.clone());
        let now = self.project.clock.stamp();
        let mut count = 0;
        let store = self.reviews.store();
        // What was written as a draft is said first, so that a crash loses none of it.
        store.change(self.id(), &now, |known| {
            // One that a crash left as a draft was said already.
            let is_new = |body: &EventBody| known.events.iter().all(|one| one.event.said != *body);
            let new = new.into_iter().filter(is_new);
            Ok(new.map(|body| (self.author.clone(), body)).collect())
        })?;
        if !drafts.is_empty() {
            write_drafts(&self.reviews.state, self.id(), &[])?;
        }
        store.change(self.id(), &now, |known| {
            let threads: Vec<String> = to_send(known).map(|thread| thread.id.clone()).collect();
            count = threads.len();
            if count > MAX_SENT {
                return Err(ReviewError::Refused(format!(
                    "{count} comments wait to be sent, and {MAX_SENT} are the most at once. Resolve or withdraw some first."
                )));
            }
            if threads.is_empty() {
                return Ok(Vec::new());
            }
            let batch = format!("b-{}-{}", known.threads.batches.len() + 1, &threads[0][2..]);
            Ok(vec![(self.author.clone(), EventBody::Send { batch, threads, tip })])
        })?;
        let runs = self.project.runs()?;
        let known = self.reviews.read(self.id())?;
        let mut waiting = 0;
        for batch in &known.threads.batches {
            waiting += usize::from(!crate::review::is_delivered(&runs, batch)?);
        }
        if count == 0 && waiting == 0 {
            let message = format!(
                "Nothing to send on spec '{}': each open comment of yours was sent already. Comment first, or reopen one.",
                self.id()
            );
            return Err(ReviewError::Refused(message).into());
        }
        let noun = if count == 1 { "comment" } else { "comments" };
        let sent = format!("Sent {count} {noun} to the agent of spec '{}'.", self.id());
        let told = match self.start(steps) {
            Ok(told) => told,
            Err(error) => format!(
                "Not delivered yet: {error}\nThe next run of the spec has them: `chant-mcp work {}`.",
                self.id()
            ),
        };
        Ok(format!("{sent}\n{told}"))
    }

    /// Starts the next run of the spec on the same branch; work that waited is gone on with.
    fn start(&self, steps: &mut dyn FnMut(&str)) -> Result<String, Error> {
        let runs = self.project.runs()?;
        if let Some(record) = runs.newest_of(self.id())? {
            if record.state() == RunState::Running && record.runner().is_alive() {
                return Ok(format!(
                    "Run {} is at work. Not delivered yet: the next run of the spec has them.",
                    record.process_id
                ));
            }
            self.send_back(&record)?;
        }
        let started =
            crate::ops::work_start(self.project, self.id(), &StartOptions::default(), steps)?;
        let run: serde_json::Value =
            serde_json::from_str(started.json.as_deref().unwrap_or_default()).unwrap_or_default();
        let name = run["process_id"].as_str().unwrap_or_default();
        let delivery = runs.get(name).ok().and_then(|record| record.delivery);
        let way = match delivery {
            Some(way) if way.is_resumed() => {
                format!(
                    "its agent is asked to go on with its session, as {}",
                    way.why
                )
            }
            Some(way) => format!("in a new session with what was done so far, as {}", way.why),
            None => "in a new session with what was done so far".to_owned(),
        };
        Ok(format!("Started run {name} on the same branch: {way}."))
    }

    /// Has work that waited to land be worked on again.
    fn send_back(&self, record: &RunRecord) -> Result<(), Error> {
        let runs = self.project.runs()?;
        if matches!(
            record.state(),
            RunState::AwaitingApproval | RunState::AwaitingMerge
        ) && !record.is_proposed()
        {
            let why = format!("{} sent comments", self.author.name);
            runs.update(&record.process_id, |record| {
                Ok(record.change(RunEvent::Doubt, Some(why.clone()), (runs.clock)())?)
            })?;
        }
        Ok(())
    }

    /// Approves of the work as it is: of this commit and these hunks.
    fn approve(&self, act: &ReviewAct) -> Result<String, Error> {
        let Some(range) = &self.work.range else {
            return Err(no_work(self.spec).into());
        };
        let unseen = self.work.unseen();
        if !unseen.is_empty() && !act.unseen {
            let named: Vec<String> = unseen
                .iter()
                .take(5)
                .map(|hunk| format!("{}:{}", hunk.path, hunk.hunk.newer.start))
                .collect();
            let more = if unseen.len() > named.len() {
                ", \u{2026}"
            } else {
                ""
            };
            let message = format!(
                "{} of {} hunks were not marked as seen ({}{more}). Look at them, or say that you approve of them unseen; nothing was approved.",
                unseen.len(),
                self.work.hunks.hunks.len(),
                named.join(", ")
            );
            return Err(ReviewError::Refused(message).into());
        }
        let names = self.work.hunks.names();
        if names.len() > MAX_NAMES {
            let message = format!(
                "The work has {} hunks, and an approval names at most {MAX_NAMES}. Have it split.",
                names.len()
            );
            return Err(ReviewError::Refused(message).into());
        }
        let event = EventBody::Approve {
            tip: range.tip.clone(),
            hunks: names.clone(),
            not_shown: unseen.len(),
        };
        let now = self.project.clock.stamp();
        let store = self.reviews.store();
        store.change(self.id(), &now, |_| Ok(vec![(self.author.clone(), event)]))?;
        let mut look = PersonsLook::read(&self.reviews.state, self.id());
        look.see(&names, &range.tip, &names);
        look.write(&self.reviews.state, self.id())?;
        let short = &range.tip[..range.tip.len().min(12)];
        let approved = format!("Approved {short} with {} hunks.", names.len());
        let asks = self
            .spec
            .approval
            .as_ref()
            .is_some_and(|approval| approval.required);
        if !asks {
            return Ok(approved);
        }
        let text = approve(self.project, self.id(), &ApprovalInput::default())?.text;
        Ok(format!("{approved}\n{text}"))
    }

    /// Lands what waited for threads that are closed now.
    fn land(&self) -> Result<Option<String>, Error> {
        let runs = self.project.runs()?;
        let before = runs.newest_of(self.id())?;
        let Some(before) = before.filter(|record| record.state() == RunState::AwaitingMerge) else {
            return Ok(None);
        };
        if let Err(error) = self.project.refuse_untrusted("merge") {
            return Ok(Some(format!("Its work is not merged yet. {error}")));
        }
        crate::ops::recover(self.project)?;
        let now = runs.get(&before.process_id)?;
        let reason = now.reason.as_deref().unwrap_or_default();
        Ok(Some(match now.state() {
            RunState::Completed => format!("Merged its work: '{}' is completed", self.id()),
            state => format!("Its work is not merged yet ({}): {reason}", state.as_str()),
        }))
    }
}

fn no_work(spec: &Spec) -> ReviewError {
    ReviewError::Refused(format!(
        "Spec '{}' has no work yet: no run left a branch.",
        spec.id
    ))
}

/// The event that closes a thread or opens it again; none for one that is so already.
fn closing(thread: &ReviewThread, verb: &str) -> Result<Option<EventBody>, ReviewError> {
    let id = thread.id.clone();
    Ok(match verb {
        "Resolved" => thread
            .is_open()
            .then_some(EventBody::Resolve { thread: id }),
        "Reopened" => {
            let is_closed = matches!(thread.state, ThreadState::Resolved | ThreadState::Withdrawn);
            is_closed.then_some(EventBody::Reopen { thread: id })
        }
        _ => {
            if thread.origin != EventOrigin::Own || thread.author.kind != AuthorKind::Person {
                return Err(ReviewError::Refused(format!(
                    "{id} is not yours to take back. Resolve it if it is settled."
                )));
            }
            let is_back = thread.state == ThreadState::Withdrawn;
            (!is_back).then_some(EventBody::Withdraw { thread: id })
        }
    })
}

/// The threads that wait to be sent: a person's own, open, with something that no batch has.
fn to_send(known: &SpecReview) -> impl Iterator<Item = &ReviewThread> {
    known.threads.threads.iter().filter(|thread| {
        let last_sent = known
            .threads
            .batches
            .iter()
            .rev()
            .find(|batch| batch.threads.contains(&thread.id));
        let has_new = match last_sent {
            None => true,
            Some(batch) => thread.replies.iter().any(|reply| {
                reply.author.kind == AuthorKind::Person
                    && reply.origin == EventOrigin::Own
                    && reply.at > batch.at
            }),
        };
        let is_own = thread.origin == EventOrigin::Own && thread.author.kind == AuthorKind::Person;
        thread.is_open() && is_own && has_new
    })
}

/// Closes the comments that rejections wrote: who approves of the work takes them back.
///
/// # Errors
/// A failure to write the review.
pub(in crate::ops) fn resolve_rejections(
    project: &Project,
    spec: &Spec,
    by: &str,
) -> Result<(), Error> {
    let reviews = ProjectReviews::of(project)?;
    let mut author = person(project, None)?;
    by.clone_into(&mut author.name);
    let is_rejection = |thread: &&ReviewThread| {
        thread.is_open() && thread.author.via == REJECTION && thread.origin == EventOrigin::Own
    };
    let id = spec.id.as_str();
    if !reviews
        .read(id)?
        .threads
        .threads
        .iter()
        .any(|thread| is_rejection(&thread))
    {
        return Ok(());
    }
    let at = project.clock.stamp();
    reviews.store().change(id, &at, |known| {
        let threads = known.threads.threads.iter().filter(is_rejection);
        let closing = threads.map(|thread| {
            let thread = thread.id.clone();
            (author.clone(), EventBody::Resolve { thread })
        });
        Ok(closing.collect())
    })?;
    Ok(())
}
