//! The right of this clone to push to the target at all, known before an agent is paid.
//!
//! It is tried with a push that cannot go through: a commit on the target together with two refs of ours of which one
//! is the folder of the other. Hosts judge who may push to a branch before they change refs, so a protected target is
//! refused for that, and every other one for the two names. Nothing changes either way.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::LeaseError;
use super::client::LeaseClient;
use super::queue::WishQueue;
use super::record::{MAX_BYTES, new_nonce};
use super::ref_names::full_name;
use chant_git::remote_refs::{PushHooks, PushOutcome, RefUpdate};

/// The file of what is known of it.
const FILE_NAME: &str = "landing-right.json";
/// The longest that the try may take: a person waits.
const LIMIT: Duration = Duration::from_secs(6);

/// The right to push to the target, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LandingRight {
    /// A push to it went through, or would have been judged so.
    Granted,
    /// The remote refuses it, in these words.
    Refused(String),
    /// Nothing says so.
    Unknown,
}

#[derive(Serialize, Deserialize)]
struct KnownRight {
    target: String,
    right: LandingRight,
}

impl LandingRight {
    /// Reads what is remembered for a target.
    fn known(queue: &WishQueue, target: &str) -> Result<Self, LeaseError> {
        let known: Option<KnownRight> = queue.read_own(FILE_NAME)?;
        let of_target = known.filter(|known| known.target == target);
        Ok(of_target.map_or(Self::Unknown, |known| known.right))
    }

    /// Remembers what a push to the target came to.
    pub(super) fn remember(self, queue: &WishQueue, target: &str) -> Result<(), LeaseError> {
        if self == Self::Unknown || Self::known(queue, target)? == self {
            return Ok(());
        }
        let target = target.to_owned();
        queue.write_own(
            FILE_NAME,
            &KnownRight {
                target,
                right: self,
            },
        )
    }
}

impl LeaseClient<'_> {
    /// Returns whether the remote lets this clone push to the target. What is remembered counts while it was granted,
    /// unless it is to be tried anew; else it is tried, where something was looked at already. A landing that is refused
    /// later is remembered.
    ///
    /// # Errors
    /// A failure on this machine.
    pub fn landing_right(&self, is_anew: bool) -> Result<LandingRight, LeaseError> {
        let name = full_name(self.target);
        let known = LandingRight::known(&self.queue, &name)?;
        if known == LandingRight::Granted && !is_anew {
            return Ok(known);
        }
        let tried = self.try_landing_right()?;
        tried.clone().remember(&self.queue, &name)?;
        Ok(match tried {
            LandingRight::Unknown => known,
            tried => tried,
        })
    }

    fn try_landing_right(&self) -> Result<LandingRight, LeaseError> {
        let Some(view) = self.last_look()? else {
            return Ok(LandingRight::Unknown);
        };
        let target = full_name(self.target);
        // Rules about commits look at author, signature and message: those of a landing, and words that the branch has.
        let words = self.repo.ref_value(&view.target, MAX_BYTES)?;
        let words = words.map_or_else(|| "Merge".to_owned(), |(text, _)| text);
        let commit = self
            .repo
            .write_commit_like(&view.target, &view.target, &words);
        let Ok(commit) = commit else {
            return Ok(LandingRight::Unknown);
        };
        let landing = RefUpdate {
            name: target.clone(),
            old: Some(view.target.clone()),
            new: Some(commit),
        };
        let said = match self.push_impossible(Some(landing))? {
            PushOutcome::Forbidden(refused) => {
                let of_target = refused.into_iter().find(|one| one.name == target);
                of_target.map(|one| one.why)
            }
            // Only the two names were in the way.
            PushOutcome::Moved(_) => return Ok(LandingRight::Granted),
            PushOutcome::Applied | PushOutcome::NotAtomic | PushOutcome::Unknown(_) => None,
        };
        let Some(why) = said else {
            return Ok(LandingRight::Unknown);
        };
        // A rule that refuses the names themselves says nothing of the target.
        let without = self.push_impossible(None)?;
        Ok(match without {
            PushOutcome::Moved(_) => LandingRight::Refused(why),
            _ => LandingRight::Unknown,
        })
    }

    /// Pushes two refs that cannot both be there, and what is to be judged with them.
    fn push_impossible(&self, judged: Option<RefUpdate>) -> Result<PushOutcome, LeaseError> {
        let nonce = new_nonce();
        let line = format!("{{\"kind\":\"probe\",\"nonce\":\"{nonce}\"}}");
        let value = self.repo.write_ref_value(&line, &[])?;
        let folder = format!("{}/probe/{nonce}", self.settings.namespace);
        let names = [format!("{folder}/below"), folder];
        let mut updates: Vec<RefUpdate> = names
            .into_iter()
            .map(|name| RefUpdate {
                name,
                old: None,
                new: Some(value.clone()),
            })
            .collect();
        updates.extend(judged);
        let remote = &self.settings.remote;
        let pushed = self
            .repo
            .push_updates(remote, &updates, PushHooks::Skip, LIMIT)?;
        Ok(pushed)
    }
}
