//! Events of a review. An event is never changed: what follows from several is computed anew.

use chant_store::digest::sha256;
use chant_text::canonical::canonical;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::IntoStaticStr;

use crate::anchor::CommentAnchor;

/// The format of events that is written here.
pub const FORMAT: u32 = 1;
/// The greatest size of an event, in bytes.
pub const MAX_BYTES: usize = 16 * 1024;
/// The greatest size of a text that somebody wrote, in bytes.
pub const MAX_TEXT: usize = 8 * 1024;
/// Digits of an ID.
const DIGITS: usize = 10;

/// Something that was said or done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewEvent {
    /// The format.
    pub format: u32,
    /// `c-` and ten digits of the hash of all else.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The spec.
    pub spec: String,
    /// The name of the clone that wrote it.
    pub writer: String,
    /// Its number among those of the writer on this spec, from 1.
    pub number: u64,
    /// The ID of the writer's event before.
    pub previous: Option<String>,
    /// When, UTC, for people: nothing depends on it but the order of different writers.
    pub at: String,
    /// The author.
    pub author: EventAuthor,
    /// The act.
    #[serde(flatten)]
    pub said: EventBody,
}

/// The author of an event. The door says so, never the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventAuthor {
    /// The kind.
    pub kind: AuthorKind,
    /// The name, for people.
    pub name: String,
    /// The door.
    pub via: String,
    /// The run, of an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// The kinds of authors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AuthorKind {
    /// A person, at a terminal, the board or in Python.
    Person,
    /// An agent, by its own run.
    Agent,
    /// The runner.
    Runner,
}

impl AuthorKind {
    /// Returns its word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The weight of a comment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum CommentWeight {
    /// Has to be done; an open one of a person stops the landing.
    #[default]
    Must,
    /// Should be done.
    Should,
    /// Wants an answer.
    Question,
    /// Wants nothing.
    Note,
}

impl CommentWeight {
    /// All weights, the heaviest first.
    pub const ALL: [Self; 4] = [Self::Must, Self::Should, Self::Question, Self::Note];

    /// Returns its word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns the weight of a word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|weight| weight.as_str() == word)
    }

    /// Returns true if a comment of this weight wants an answer of the agent.
    pub fn wants_answer(self) -> bool {
        matches!(self, Self::Must | Self::Question)
    }
}

/// The answers of agents to comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AgentAnswer {
    /// It is done.
    Done,
    /// It will not be done.
    Declined,
    /// It asks back.
    Asked,
}

impl AgentAnswer {
    /// Returns its word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The verdict of commits on an agent's `done`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimVerdict {
    /// A line of the commented ones, or one near them, was changed.
    ChangedHere,
    /// Something else was changed.
    ChangedElsewhere,
    /// Nothing but the spec was changed.
    NothingChanged,
}

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLines {
    /// The file.
    pub path: String,
    /// The first line, from 1.
    pub first: usize,
    /// The last line.
    pub last: usize,
}

/// The ways in which a batch reached an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryWay {
    /// In the session that did the work.
    Resumed,
    /// In a new session, with what the last one did.
    Digest,
}

/// The way in which a batch is given, and why so.
#[derive(Debug, Clone)]
pub struct DeliveryReason {
    /// The way.
    pub how: DeliveryWay,
    /// Why so.
    pub why: String,
}

impl DeliveryWay {
    /// Returns its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resumed => "resumed",
            Self::Digest => "digest",
        }
    }
}

/// The content of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventBody {
    /// A comment, which begins a thread.
    Comment {
        /// Its subject.
        anchor: CommentAnchor,
        /// Its words.
        text: String,
        /// Its weight.
        weight: CommentWeight,
    },
    /// A reply in a thread.
    Reply {
        /// The thread.
        thread: String,
        /// Its words.
        text: String,
        /// The answer of an agent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<AgentAnswer>,
    },
    /// Commits that an agent says to be its answer, and what they show.
    Claim {
        /// The thread.
        thread: String,
        /// The commit.
        commit: String,
        /// The verdict on it.
        verdict: ClaimVerdict,
        /// Places that it changed.
        places: Vec<FileLines>,
    },
    /// A person closes a thread.
    Resolve {
        /// The thread.
        thread: String,
    },
    /// A person opens it again.
    Reopen {
        /// The thread.
        thread: String,
    },
    /// The author takes a comment back.
    Withdraw {
        /// The thread.
        thread: String,
    },
    /// A person sends threads to the agent.
    Send {
        /// The name of the batch.
        batch: String,
        /// The threads.
        threads: Vec<String>,
        /// The newest commit of the work then.
        tip: Option<String>,
    },
    /// The runner gave a batch to an agent.
    Delivered {
        /// The batch.
        batch: String,
        /// The run.
        run: String,
        /// The way.
        how: DeliveryWay,
        /// Why so.
        why: String,
    },
    /// A person approves the work.
    Approve {
        /// The newest commit of the work.
        tip: String,
        /// The names of the hunks that it covers.
        hunks: Vec<String>,
        /// The number of those that were not marked as seen before.
        not_shown: usize,
    },
}

impl EventBody {
    /// Returns the thread that it is about, if it is about an existing one.
    pub fn thread(&self) -> Option<&str> {
        match self {
            Self::Reply { thread, .. }
            | Self::Claim { thread, .. }
            | Self::Resolve { thread }
            | Self::Reopen { thread }
            | Self::Withdraw { thread } => Some(thread),
            Self::Comment { .. }
            | Self::Send { .. }
            | Self::Delivered { .. }
            | Self::Approve { .. } => None,
        }
    }
}

/// Why a text is no event that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventFault {
    /// Larger than events are.
    #[error("it has more than {MAX_BYTES} bytes")]
    TooLarge,
    /// No JSON of an event.
    #[error("it is no event: {0}")]
    Unreadable(String),
    /// A format of a later release.
    #[error("it has format {0}, and this release reads format {FORMAT}")]
    LaterFormat(u64),
    /// Not the canonical text of what it says.
    #[error("it is not in canonical form")]
    NotCanonical,
    /// An ID that is not that of its content.
    #[error("its ID is not that of its content")]
    WrongId,
    /// An event of another spec or writer, or with another number, than its place says.
    #[error("it belongs to another place")]
    Misplaced,
}

impl ReviewEvent {
    /// Returns the event with the ID that its content has.
    #[must_use]
    pub fn with_id(mut self) -> Self {
        self.id = String::new();
        self.id = id_of(&self.text());
        self
    }

    /// Returns its canonical text.
    pub fn text(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        canonical(&value)
    }

    /// Returns the name of its file: `<number>-<id>.json`.
    pub fn file_name(&self) -> String {
        format!("{:06}-{}.json", self.number, self.id)
    }

    /// Reads the text of an event.
    ///
    /// # Errors
    /// The fault in it.
    pub fn read(text: &[u8]) -> Result<Self, EventFault> {
        if text.len() > MAX_BYTES {
            return Err(EventFault::TooLarge);
        }
        let unreadable = |error: serde_json::Error| EventFault::Unreadable(error.to_string());
        let value: Value = serde_json::from_slice(text).map_err(unreadable)?;
        let format = value["format"].as_u64().unwrap_or_default();
        if format > u64::from(FORMAT) {
            return Err(EventFault::LaterFormat(format));
        }
        if canonical(&value).as_bytes() != text {
            return Err(EventFault::NotCanonical);
        }
        let event: Self = serde_json::from_value(value).map_err(unreadable)?;
        if event.clone().with_id().id != event.id || event.text().as_bytes() != text {
            return Err(EventFault::WrongId);
        }
        Ok(event)
    }
}

fn id_of(text: &str) -> String {
    format!("c-{}", &sha256(text.as_bytes())[..DIGITS])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> ReviewEvent {
        ReviewEvent {
            format: FORMAT,
            id: String::new(),
            spec: "2026-01-22-001-x7m".into(),
            writer: "w-1".into(),
            number: 1,
            previous: None,
            at: "2026-01-22T10:00:00Z".into(),
            author: EventAuthor {
                kind: AuthorKind::Person,
                name: "Ada".into(),
                via: "people".into(),
                run: None,
            },
            said: EventBody::Comment {
                anchor: CommentAnchor::Whole,
                text: "One day, not 24 hours.".into(),
                weight: CommentWeight::Must,
            },
        }
        .with_id()
    }

    #[test]
    fn an_event_has_one_text_and_the_id_of_it() {
        let event = event();
        assert!(event.id.starts_with("c-") && event.id.len() == 12);
        assert_eq!(
            ReviewEvent::read(event.text().as_bytes()),
            Ok(event.clone())
        );
        assert_eq!(event.clone().with_id(), event);
        assert_eq!(event.file_name(), format!("000001-{}.json", event.id));
    }

    #[test]
    fn what_is_no_event_is_named() {
        let text = event().text();
        let read = |text: &str| ReviewEvent::read(text.as_bytes()).unwrap_err();
        assert_eq!(read(&format!(" {text}")), EventFault::NotCanonical);
        assert_eq!(read(&text.replace("24", "25")), EventFault::WrongId);
        assert_eq!(
            read(&text.replace("\"format\":1", "\"format\":2")),
            EventFault::LaterFormat(2)
        );
        assert_eq!(read(&text.repeat(90)), EventFault::TooLarge);
        assert!(matches!(read("{}"), EventFault::Unreadable(_)));
        assert!(matches!(
            ReviewEvent::read(b"\xff"),
            Err(EventFault::Unreadable(_))
        ));
        // A key that this release does not know changes the ID.
        let more = text.replacen('{', "{\"about\":1,", 1);
        assert_eq!(read(&more), EventFault::WrongId);
    }
}
