//! Decides whether a spec may be claimed, by what the remote says and by nothing else.

use std::time::Duration;

use super::answer::LeaseRefusal;
use super::record::{LeaseRecord, LeaseState};
use super::view::RemoteView;

/// What a claim is decided on.
pub(super) struct ClaimInputs<'a> {
    pub(super) spec: &'a str,
    pub(super) escaped: &'a str,
    pub(super) view: &'a RemoteView,
    /// True if the lease that is there is one of this clone.
    pub(super) is_own: bool,
    /// The time without a sign of life after which a holder is believed dead.
    pub(super) ttl: Duration,
    /// The token is above this.
    pub(super) above: u64,
    /// True if a person overtakes a living holder.
    pub(super) is_forced: bool,
    /// The token with which the target's tree says that the spec is completed; 0 without a token.
    pub(super) completed: Option<u64>,
    /// True if the target has the commit of a lease.
    pub(super) has_landed: &'a dyn Fn(&LeaseRecord) -> bool,
}

impl ClaimInputs<'_> {
    /// Returns the token of the claim.
    ///
    /// # Errors
    /// Why there can be none.
    pub(super) fn decide(&self) -> Result<u64, LeaseRefusal> {
        // The target's tree comes first: work that is there is never begun again.
        if self.completed.is_some() {
            let spec = self.spec.to_owned();
            return Err(LeaseRefusal::Completed { spec });
        }
        let seen = self.view.highest.get(self.escaped).copied().unwrap_or(0);
        let Some(lease) = self.lease()? else {
            return Ok(seen.max(self.above) + 1);
        };
        if lease.token < seen {
            return Err(LeaseRefusal::Fallen {
                spec: self.spec.to_owned(),
                seen,
                found: lease.token,
            });
        }
        self.refuse_taken(lease)?;
        Ok(lease.token.max(self.above) + 1)
    }

    fn lease(&self) -> Result<Option<&LeaseRecord>, LeaseRefusal> {
        let Some(seen) = self.view.lease(self.escaped) else {
            return Ok(None);
        };
        match &seen.value {
            Ok(lease) => Ok(Some(lease)),
            Err(why) => Err(LeaseRefusal::Unreadable {
                spec: self.spec.to_owned(),
                why: why.clone(),
            }),
        }
    }

    fn refuse_taken(&self, lease: &LeaseRecord) -> Result<(), LeaseRefusal> {
        let is_own = self.is_own;
        let is_silent = || self.view.is_silent(self.escaped, lease, self.ttl);
        let may = match lease.state {
            LeaseState::Free => true,
            // A person reopened it: the target has the work, and its tree says that it is open.
            LeaseState::Landed if (self.has_landed)(lease) => true,
            LeaseState::Held | LeaseState::Landed => is_own || is_silent() || self.is_forced,
            LeaseState::Waiting | LeaseState::Proposed => is_own || self.is_forced,
        };
        if may {
            return Ok(());
        }
        Err(match lease.state {
            LeaseState::Landed => LeaseRefusal::Landing {
                spec: self.spec.to_owned(),
            },
            _ => LeaseRefusal::Held {
                lease: Box::new(lease.clone()),
            },
        })
    }
}
