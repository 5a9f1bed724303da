//! The session of an agent as it is kept, and whether the next run goes on with it.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::session_id::SessionId;

/// The format of what is kept.
pub const FORMAT: u32 = 1;

/// The facts about the session of a run that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptSession {
    /// The format.
    pub format: u32,
    /// The spec.
    pub spec: String,
    /// The run.
    pub run: String,
    /// The agent, and what may not differ if its session is gone on with.
    pub agent: AgentMark,
    /// When it was kept, in seconds since 1970.
    pub kept_at: u64,
    /// The transcript, or why there is none.
    pub content: SessionContent,
}

/// The agent of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentMark {
    /// Its name in the configuration.
    pub name: String,
    /// The name of its program.
    pub program: String,
    /// Its release, if it reports one.
    pub release: Option<String>,
    /// The model that it was to use; `None` for its own choice.
    pub model: Option<String>,
}

/// The kept part of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum SessionContent {
    /// Its transcript.
    Kept {
        /// The agent's own name of it.
        session: SessionId,
        /// The place of the transcript below the agent's state.
        path: String,
        /// Its size.
        bytes: u64,
        /// Its SHA-256.
        sha256: String,
    },
    /// Nothing.
    NotKept {
        /// Why.
        why: String,
    },
}

/// Why comments are given to an agent in a new session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DigestReason {
    /// It cannot go on with a session, or which part of its state is one is not known.
    NoTemplate(String),
    /// Nothing separates the state of a run from the user's.
    Unconfined,
    /// Nothing of what was sent is open any more.
    NothingOpen,
    /// No session is kept.
    NoSession,
    /// The session of the run before is not kept.
    NotKept(String),
    /// The kept transcript was changed.
    Damaged,
    /// Another agent, as it was named then and is now.
    OtherAgent(String, String),
    /// Another model.
    OtherModel(Option<String>, Option<String>),
    /// Another release.
    OtherRelease(String, String),
    /// The transcript cannot be put at its place.
    NotPlaced(String),
    /// The agent did not take its session up again.
    Refused(String),
}

impl fmt::Display for DigestReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = |model: &Option<String>| model.clone().unwrap_or("its usual one".into());
        match self {
            Self::NoTemplate(agent) => {
                write!(f, "sessions of agent '{agent}' are not kept")
            }
            Self::Unconfined => f.write_str("sessions are kept of confined runs only"),
            Self::NothingOpen => f.write_str("none of the comments is open any more"),
            Self::NoSession => f.write_str("no session is kept"),
            Self::NotKept(why) => write!(f, "the session of the run before is not kept: {why}"),
            Self::Damaged => f.write_str("the kept transcript is damaged"),
            Self::OtherAgent(then, now) => {
                write!(
                    f,
                    "the kept session is one of agent '{then}', and this is '{now}'"
                )
            }
            Self::OtherModel(then, now) => write!(
                f,
                "the kept session is one of another model: then {}, now {}",
                model(then),
                model(now)
            ),
            Self::OtherRelease(then, now) => write!(
                f,
                "the kept session is one of another release of the agent: then {then}, now {now}"
            ),
            Self::NotPlaced(why) => write!(f, "the kept session cannot be gone on with: {why}"),
            Self::Refused(words) if words.is_empty() => {
                f.write_str("the agent did not take its session up again")
            }
            Self::Refused(words) => {
                write!(f, "the agent did not take its session up again: {words}")
            }
        }
    }
}

/// The kept sessions of a project, as people are shown them.
#[derive(Debug, Serialize)]
pub struct SessionList {
    /// The sessions, by spec.
    pub sessions: Vec<SessionRow>,
}

/// A kept session, as people are shown it.
#[derive(Debug, Serialize)]
pub struct SessionRow {
    /// The spec.
    pub spec_id: String,
    /// The run in which it was.
    pub process_id: String,
    /// The agent.
    pub agent: String,
    /// The agent's own name of it; none if it is not kept.
    pub session: Option<String>,
    /// The size of its transcript.
    pub bytes: Option<u64>,
    /// Why it is not kept.
    pub why_not: Option<String>,
    /// When its run ended, RFC 3339, UTC.
    pub kept_at: String,
}

impl From<KeptSession> for SessionRow {
    fn from(kept: KeptSession) -> Self {
        let (session, bytes, why_not) = match kept.content {
            SessionContent::Kept { session, bytes, .. } => {
                (Some(session.to_string()), Some(bytes), None)
            }
            SessionContent::NotKept { why } => (None, None, Some(why)),
        };
        let seconds = i64::try_from(kept.kept_at).unwrap_or_default();
        Self {
            spec_id: kept.spec,
            process_id: kept.run,
            agent: kept.agent.name,
            session,
            bytes,
            why_not,
            kept_at: Timestamp::from_second(seconds)
                .unwrap_or_default()
                .to_string(),
        }
    }
}

impl KeptSession {
    /// Returns why an agent does not go on with it; `None` if it does.
    pub fn refusal(&self, now: &AgentMark) -> Option<DigestReason> {
        let then = &self.agent;
        if (&then.name, &then.program) != (&now.name, &now.program) {
            let shown = |mark: &AgentMark| {
                if then.name == now.name {
                    mark.program.clone()
                } else {
                    mark.name.clone()
                }
            };
            return Some(DigestReason::OtherAgent(shown(then), shown(now)));
        }
        if then.model != now.model {
            return Some(DigestReason::OtherModel(
                then.model.clone(),
                now.model.clone(),
            ));
        }
        if major_of(then.release.as_deref()) != major_of(now.release.as_deref()) {
            let shown = |release: &Option<String>| release.clone().unwrap_or("unknown".into());
            return Some(DigestReason::OtherRelease(
                shown(&then.release),
                shown(&now.release),
            ));
        }
        match &self.content {
            SessionContent::NotKept { why } => Some(DigestReason::NotKept(why.clone())),
            SessionContent::Kept { .. } => None,
        }
    }
}

/// Returns the first number of a release. An agent that cannot read the transcript of another minor release ends at
/// once, and is started anew.
fn major_of(release: Option<&str>) -> Option<&str> {
    let digits = |c: char| c.is_ascii_digit();
    let from = release?.find(digits)?;
    let text = &release?[from..];
    let end = text.find(|c: char| !digits(c)).unwrap_or(text.len());
    Some(&text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(name: &str, release: &str, model: Option<&str>) -> AgentMark {
        AgentMark {
            name: name.into(),
            program: "claude".into(),
            release: Some(release.into()),
            model: model.map(str::to_owned),
        }
    }

    #[test]
    fn the_same_agent_model_and_major_release_go_on() {
        let then = mark("claude", "2.1.330 (Claude Code)", None);
        let kept = KeptSession {
            format: FORMAT,
            spec: "a".into(),
            run: "a#1".into(),
            agent: then.clone(),
            kept_at: 0,
            content: SessionContent::Kept {
                session: SessionId::parse("s").unwrap(),
                path: "p".into(),
                bytes: 1,
                sha256: String::new(),
            },
        };
        assert_eq!(kept.refusal(&then), None);
        assert_eq!(
            kept.refusal(&mark("claude", "2.9.1 (Claude Code)", None)),
            None
        );
        let table = [
            (
                mark("claude", "3.0.0", None),
                "another release of the agent: then 2.1.330 (Claude Code), now 3.0.0",
            ),
            (
                mark("claude", "2.1.330", Some("opus")),
                "another model: then its usual one, now opus",
            ),
            (
                mark("own", "2.1.330", None),
                "one of agent 'claude', and this is 'own'",
            ),
            (
                AgentMark {
                    program: "sh".into(),
                    ..then.clone()
                },
                "one of agent 'claude', and this is 'sh'",
            ),
            (
                AgentMark {
                    release: None,
                    ..then.clone()
                },
                "now unknown",
            ),
        ];
        for (now, why) in table {
            let found = kept.refusal(&now).unwrap().to_string();
            assert!(found.contains(why), "{found}");
        }
        let text = serde_json::to_string(&kept).unwrap();
        assert_eq!(serde_json::from_str::<KeptSession>(&text).unwrap(), kept);
    }
}
