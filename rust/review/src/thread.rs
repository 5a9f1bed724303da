//! Threads as a function of events: the same events give the same threads, in whatever order they came.

use std::collections::{BTreeMap, BTreeSet};
use strum::IntoStaticStr;

use crate::anchor::CommentAnchor;
use crate::event::{
    AgentAnswer, AuthorKind, ClaimVerdict, CommentWeight, DeliveryWay, EventAuthor, EventBody,
    FileLines, ReviewEvent,
};

/// Where an event comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventOrigin {
    /// This user wrote it in this clone: it is in the user's own journal.
    Own,
    /// A remote brought it, unsigned.
    Remote(String),
    /// It lies in this repository, but not in the user's own journal.
    Unlisted,
}

impl EventOrigin {
    /// Returns how people are shown it; `None` for an own one.
    pub fn words(&self) -> Option<String> {
        match self {
            Self::Own => None,
            Self::Remote(remote) => Some(format!("from {remote}, unsigned")),
            Self::Unlisted => Some("not written by you here".to_owned()),
        }
    }
}

/// An event with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEvent {
    /// The event.
    pub event: ReviewEvent,
    /// Its origin.
    pub origin: EventOrigin,
}

/// The state of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ThreadState {
    /// It waits.
    Open,
    /// An agent says that it is done, and commits show a change.
    Claimed,
    /// A person closed it.
    Resolved,
    /// Its author took it back.
    Withdrawn,
}

impl ThreadState {
    /// Returns its word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadReply {
    /// Its event.
    pub id: String,
    /// The author.
    pub author: EventAuthor,
    /// Where it comes from.
    pub origin: EventOrigin,
    /// When.
    pub at: String,
    /// Its words.
    pub text: String,
    /// The answer of an agent.
    pub answer: Option<AgentAnswer>,
}

/// A commit that an agent named as its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadClaim {
    /// The commit.
    pub commit: String,
    /// The verdict on it.
    pub verdict: ClaimVerdict,
    /// Places that it changed.
    pub places: Vec<FileLines>,
}

/// A comment with what followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewThread {
    /// The comment's event.
    pub id: String,
    /// Its author.
    pub author: EventAuthor,
    /// Where it comes from.
    pub origin: EventOrigin,
    /// When.
    pub at: String,
    /// Its subject.
    pub anchor: CommentAnchor,
    /// Its words.
    pub text: String,
    /// Its weight.
    pub weight: CommentWeight,
    /// Its state.
    pub state: ThreadState,
    /// The person who closed it last, and the time.
    pub closed_by: Option<(String, String)>,
    /// The replies, the oldest first.
    pub replies: Vec<ThreadReply>,
    /// The claims, the oldest first.
    pub claims: Vec<ThreadClaim>,
    /// The batches that it was sent in, the oldest first.
    pub batches: Vec<String>,
    /// True if an agent answered since it was sent last.
    pub is_answered: bool,
}

impl ReviewThread {
    /// Returns true if it waits for something.
    pub fn is_open(&self) -> bool {
        matches!(self.state, ThreadState::Open | ThreadState::Claimed)
    }

    /// Returns true if it stops the landing: an open one of a person that has to be done.
    pub fn stops_landing(&self) -> bool {
        self.is_open()
            && self.weight == CommentWeight::Must
            && self.author.kind == AuthorKind::Person
    }

    /// Returns true if the agent owes an answer to it.
    pub fn wants_answer(&self) -> bool {
        self.is_open() && self.weight.wants_answer() && !self.is_answered
    }
}

/// Threads that were sent to an agent together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentBatch {
    /// Its name.
    pub name: String,
    /// The threads.
    pub threads: Vec<String>,
    /// The newest commit of the work then.
    pub tip: Option<String>,
    /// When.
    pub at: String,
    /// The runs that it was given to, the oldest first: run, way and reason.
    pub deliveries: Vec<(String, DeliveryWay, String)>,
}

/// A person's approval of the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedWork {
    /// The newest commit.
    pub tip: String,
    /// The names of the hunks that it covers.
    pub hunks: BTreeSet<String>,
    /// The author.
    pub by: String,
    /// When.
    pub at: String,
}

/// The sum of events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewThreads {
    /// The threads, the oldest first.
    pub threads: Vec<ReviewThread>,
    /// The batches, the oldest first.
    pub batches: Vec<SentBatch>,
    /// The approvals, the oldest first.
    pub approvals: Vec<ApprovedWork>,
    /// Events of others that would close or decide something, which unsigned ones do not.
    pub without_effect: usize,
}

impl ReviewThreads {
    /// Computes the threads of events.
    pub fn of(events: &[KnownEvent]) -> Self {
        let mut all = Self::default();
        for known in in_order(events) {
            all.take(known);
        }
        all
    }

    /// Returns a thread by its ID, or by a piece of it that means only one.
    pub fn find(&self, id: &str) -> Option<&ReviewThread> {
        let exact = self.threads.iter().find(|thread| thread.id == id);
        let mut begun = self.threads.iter().filter(|thread| thread.id.contains(id));
        exact.or_else(|| {
            begun
                .next()
                .filter(|_| begun.next().is_none() && !id.is_empty())
        })
    }

    /// Returns the threads that stop the landing.
    pub fn stoppers(&self) -> impl Iterator<Item = &ReviewThread> {
        self.threads.iter().filter(|thread| thread.stops_landing())
    }

    fn take(&mut self, known: &KnownEvent) {
        let event = &known.event;
        let is_own = known.origin == EventOrigin::Own;
        if let EventBody::Comment {
            anchor,
            text,
            weight,
        } = &event.said
        {
            self.threads.push(ReviewThread {
                id: event.id.clone(),
                author: event.author.clone(),
                origin: known.origin.clone(),
                at: event.at.clone(),
                anchor: anchor.clone(),
                text: text.clone(),
                weight: *weight,
                state: ThreadState::Open,
                closed_by: None,
                replies: Vec::new(),
                claims: Vec::new(),
                batches: Vec::new(),
                is_answered: false,
            });
            return;
        }
        if let EventBody::Reply {
            thread,
            text,
            answer,
        } = &event.said
        {
            let Some(thread) = self.thread_mut(thread) else {
                return;
            };
            let answer = answer.filter(|_| is_own);
            thread.is_answered |= answer.is_some();
            thread.replies.push(ThreadReply {
                id: event.id.clone(),
                author: event.author.clone(),
                origin: known.origin.clone(),
                at: event.at.clone(),
                text: text.clone(),
                answer,
            });
            return;
        }
        // What is not this user's own opens threads and speaks in them, and decides nothing.
        if !is_own {
            self.without_effect += 1;
            return;
        }
        self.decide(event);
    }

    fn decide(&mut self, event: &ReviewEvent) {
        let by = Some((event.author.name.clone(), event.at.clone()));
        let is_person = event.author.kind == AuthorKind::Person;
        match &event.said {
            EventBody::Claim {
                thread,
                commit,
                verdict,
                places,
            } => {
                let Some(thread) = self.thread_mut(thread) else {
                    return;
                };
                thread.is_answered = true;
                thread.claims.push(ThreadClaim {
                    commit: commit.clone(),
                    verdict: *verdict,
                    places: places.clone(),
                });
                if thread.state == ThreadState::Open && *verdict != ClaimVerdict::NothingChanged {
                    thread.state = ThreadState::Claimed;
                }
            }
            EventBody::Resolve { thread } if is_person => {
                self.close(thread, ThreadState::Resolved, by);
            }
            EventBody::Withdraw { thread } if is_person => {
                self.close(thread, ThreadState::Withdrawn, by);
            }
            EventBody::Reopen { thread } if is_person => {
                self.close(thread, ThreadState::Open, None);
            }
            EventBody::Send {
                batch,
                threads,
                tip,
            } if is_person => {
                for thread in threads {
                    if let Some(thread) = self.thread_mut(thread) {
                        thread.batches.push(batch.clone());
                        thread.is_answered = false;
                    }
                }
                self.batches.push(SentBatch {
                    name: batch.clone(),
                    threads: threads.clone(),
                    tip: tip.clone(),
                    at: event.at.clone(),
                    deliveries: Vec::new(),
                });
            }
            EventBody::Delivered {
                batch,
                run,
                how,
                why,
            } => {
                let mut batches = self.batches.iter_mut();
                if let Some(found) = batches.find(|found| found.name == *batch) {
                    found.deliveries.push((run.clone(), *how, why.clone()));
                }
            }
            EventBody::Approve { tip, hunks, .. } if is_person => {
                self.approvals.push(ApprovedWork {
                    tip: tip.clone(),
                    hunks: hunks.iter().cloned().collect(),
                    by: event.author.name.clone(),
                    at: event.at.clone(),
                });
            }
            _ => self.without_effect += 1,
        }
    }

    fn thread_mut(&mut self, id: &str) -> Option<&mut ReviewThread> {
        self.threads.iter_mut().find(|thread| thread.id == id)
    }

    fn close(&mut self, id: &str, state: ThreadState, by: Option<(String, String)>) {
        if let Some(thread) = self.thread_mut(id) {
            thread.state = state;
            thread.closed_by = by;
        }
    }
}

/// Events in one order: those of a writer by their numbers, those of several by time, so that a clock that was set
/// back changes nothing for its own. A reply never stands before its comment.
fn in_order(events: &[KnownEvent]) -> Vec<&KnownEvent> {
    let mut of_writers: BTreeMap<(&EventOrigin, &str), Vec<&KnownEvent>> = BTreeMap::new();
    for known in events {
        let writer = known.event.writer.as_str();
        of_writers
            .entry((&known.origin, writer))
            .or_default()
            .push(known);
    }
    let mut timed = Vec::new();
    let mut seen = BTreeSet::new();
    for own in of_writers.values_mut() {
        own.sort_by(|a, b| (a.event.number, &a.event.id).cmp(&(b.event.number, &b.event.id)));
        let mut latest = "";
        for known in own.iter() {
            latest = latest.max(known.event.at.as_str());
            // The same event may have come from several places; the most trusted is first.
            if seen.insert(known.event.id.as_str()) {
                let begins = matches!(known.event.said, EventBody::Comment { .. });
                timed.push(((!begins, latest), *known));
            }
        }
    }
    timed.sort_by(|(a, one), (b, other)| {
        let key = |known: &KnownEvent| {
            (
                known.event.writer.clone(),
                known.event.number,
                known.event.id.clone(),
            )
        };
        (a, key(one)).cmp(&(b, key(other)))
    });
    timed.into_iter().map(|(_, known)| known).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::event::FORMAT;

    fn known(place: (&EventOrigin, &str, u64), kind: AuthorKind, said: EventBody) -> KnownEvent {
        let (origin, writer, number) = place;
        let event = ReviewEvent {
            format: FORMAT,
            id: String::new(),
            spec: "s".into(),
            writer: writer.into(),
            number,
            previous: None,
            at: format!("2026-01-22T10:00:{:02}Z", number % 60),
            author: EventAuthor {
                kind,
                name: "Ada".into(),
                via: "people".into(),
                run: None,
            },
            said,
        };
        KnownEvent {
            event: event.with_id(),
            origin: origin.clone(),
        }
    }

    fn comment(weight: CommentWeight) -> EventBody {
        EventBody::Comment {
            anchor: CommentAnchor::Whole,
            text: "Why?".into(),
            weight,
        }
    }

    #[test]
    fn only_own_events_of_persons_close_threads() {
        let own = EventOrigin::Own;
        let begun = known(
            (&own, "w", 1),
            AuthorKind::Person,
            comment(CommentWeight::Must),
        );
        let thread = begun.event.id.clone();
        let resolve = |origin: &EventOrigin, kind| {
            let said = EventBody::Resolve {
                thread: thread.clone(),
            };
            known((origin, "v", 2), kind, said)
        };
        let remote = EventOrigin::Remote("origin".into());
        for (closing, state) in [
            (resolve(&remote, AuthorKind::Person), ThreadState::Open),
            (
                resolve(&EventOrigin::Unlisted, AuthorKind::Person),
                ThreadState::Open,
            ),
            (resolve(&own, AuthorKind::Agent), ThreadState::Open),
            (resolve(&own, AuthorKind::Person), ThreadState::Resolved),
        ] {
            let all = ReviewThreads::of(&[begun.clone(), closing]);
            assert_eq!(all.threads[0].state, state);
            assert_eq!(
                all.stoppers().count(),
                usize::from(state == ThreadState::Open)
            );
        }
    }

    #[test]
    fn only_a_must_of_a_person_stops_the_landing() {
        for weight in CommentWeight::ALL {
            for kind in [AuthorKind::Person, AuthorKind::Agent, AuthorKind::Runner] {
                let begun = known((&EventOrigin::Own, "w", 1), kind, comment(weight));
                let stops = weight == CommentWeight::Must && kind == AuthorKind::Person;
                let all = ReviewThreads::of(&[begun]);
                assert_eq!(all.stoppers().count(), usize::from(stops));
            }
        }
    }

    proptest! {
        /// Threads are a function of the set of events: order and repetition say nothing.
        #[test]
        fn the_order_of_arrival_says_nothing(
            acts in proptest::collection::vec((0..3_usize, 0..6_usize, 0..4_usize), 1..25),
            seed in any::<u64>()
        ) {
            let origins = [EventOrigin::Own, EventOrigin::Remote("o".into()), EventOrigin::Unlisted];
            let mut numbers = [0; 3];
            let mut events: Vec<KnownEvent> = Vec::new();
            for (writer, act, about) in acts {
                numbers[writer] += 1;
                let threads: Vec<String> = events
                    .iter()
                    .filter(|known| matches!(known.event.said, EventBody::Comment { .. }))
                    .map(|known| known.event.id.clone())
                    .collect();
                let thread = threads.get(about % threads.len().max(1)).cloned();
                let said = match (act, thread) {
                    (1, Some(thread)) => EventBody::Resolve { thread },
                    (2, Some(thread)) => EventBody::Reopen { thread },
                    (3, Some(thread)) => EventBody::Reply { thread, text: "a".into(), answer: None },
                    _ => comment(CommentWeight::Must),
                };
                let place = (&origins[writer], ["a", "b", "c"][writer], numbers[writer]);
                events.push(known(place, AuthorKind::Person, said));
            }
            let all = ReviewThreads::of(&events);
            let mut mixed = [events.clone(), events].concat();
            let mut state = seed;
            for at in (1..mixed.len()).rev() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                mixed.swap(at, usize::try_from(state >> 33).unwrap() % (at + 1));
            }
            let again = ReviewThreads::of(&mixed);
            prop_assert_eq!(all.threads, again.threads);
        }
    }
}
