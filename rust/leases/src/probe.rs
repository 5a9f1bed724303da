//! Tries whether a remote can do what leases need; nothing of that stays there.

use std::time::Duration;

use super::LeaseError;
use super::client::LeaseClient;
use super::record::new_nonce;
use chant_git::remote_refs::{PushHooks, PushOutcome, RefCopy, RefUpdate};
use chant_store::state::escape_name;

/// The longest that one call may take.
const LIMIT: Duration = Duration::from_secs(15);

/// Why a remote cannot be used for leases.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemoteFault {
    /// It does not answer.
    #[error(
        "The remote `{remote}` of `leases` does not answer: {why}. Starts are refused until it does; `git ls-remote {remote}` tries it by hand."
    )]
    Unreachable {
        /// The remote.
        remote: String,
        /// Why.
        why: String,
    },
    /// It cannot change several refs at once.
    #[error(
        "The remote `{remote}` does not speak atomic pushes, so `landing: push` cannot be fenced there. Set `landing: pr` below `leases`, or on the server `git config receive.advertiseAtomic true`."
    )]
    NotAtomic {
        /// The remote.
        remote: String,
    },
    /// It forbids refs below the namespace.
    #[error(
        "The remote `{remote}` takes no refs below `{namespace}`: {why}. Ask for the right to push there, or set `leases.namespace` to a folder of names that it takes."
    )]
    Forbidden {
        /// The remote.
        remote: String,
        /// The folder of names.
        namespace: String,
        /// Its reason.
        why: String,
    },
    /// It takes refs below the namespace and does not show them.
    #[error(
        "The remote `{remote}` does not show refs below `{namespace}`. Have the server show them (`transfer.hideRefs`), or set `leases.namespace` to a folder of names that it shows."
    )]
    Hidden {
        /// The remote.
        remote: String,
        /// The folder of names.
        namespace: String,
    },
    /// It changed a ref although it had another value than was expected.
    #[error(
        "The remote `{remote}` does not compare the values of refs before it changes them, so no lease holds there. Use another remote."
    )]
    NotCompared {
        /// The remote.
        remote: String,
    },
}

impl LeaseClient<'_> {
    /// Creates two refs on the remote, changes them, is refused with a wrong old value, and removes them; returns
    /// what went wrong.
    ///
    /// # Errors
    /// A failure on this machine.
    pub fn probe(&self) -> Result<Option<RemoteFault>, LeaseError> {
        let nonce = new_nonce();
        let name = |end: &str| format!("{}/probe/{nonce}-{end}", self.settings.namespace);
        let names = [name("one"), name("two")];
        let write = |text: &str| {
            let line = format!("{{\"kind\":\"probe\",\"nonce\":\"{nonce}-{text}\"}}");
            self.repo.write_ref_value(&line, &[])
        };
        let (first, second, third) = (write("first")?, write("second")?, write("third")?);
        let change = |old: Option<&String>, new: Option<&String>| {
            let updates = names.each_ref().map(|name| RefUpdate {
                name: name.clone(),
                old: old.cloned(),
                new: new.cloned(),
            });
            let remote = &self.settings.remote;
            self.repo
                .push_updates(remote, &updates, PushHooks::Skip, LIMIT)
        };
        if let Some(fault) = self.fault_of(change(None, Some(&first))?) {
            return Ok(Some(fault));
        }
        let seen = self.is_shown(&nonce, &first);
        let swapped = self.fault_of(change(Some(&first), Some(&second))?);
        // By now another value is there.
        let wrong = change(Some(&first), Some(&third))?;
        let removed = self.fault_of(change(Some(&second), None)?);
        let remote = self.settings.remote.clone();
        let namespace = self.settings.namespace.clone();
        Ok(match (seen?, swapped, wrong) {
            (false, ..) => Some(RemoteFault::Hidden { remote, namespace }),
            (true, Some(fault), _) => Some(fault),
            (true, None, PushOutcome::Applied) => Some(RemoteFault::NotCompared { remote }),
            (true, None, _) => removed,
        })
    }

    /// Returns true if the remote shows the refs of a probe with a value.
    fn is_shown(&self, nonce: &str, value: &str) -> Result<bool, LeaseError> {
        let looked = format!("refs/chant/probed/{}/", escape_name(&self.settings.remote));
        let copy = RefCopy {
            from: format!("{}/probe/{nonce}-*", self.settings.namespace),
            to: format!("{looked}*"),
        };
        let copies = std::slice::from_ref(&copy);
        let copied = self
            .repo
            .copy_remote_refs(&self.settings.remote, copies, LIMIT);
        let found = self.repo.refs_below(&looked)?;
        // Nothing has that name any more: the copies go.
        let none = RefCopy {
            from: format!("{}/probe/{}-*", self.settings.namespace, new_nonce()),
            ..copy
        };
        self.repo
            .copy_remote_refs(&self.settings.remote, &[none], LIMIT)?;
        copied?;
        Ok(found.len() == 2 && found.iter().all(|(_, object)| object == value))
    }

    fn fault_of(&self, outcome: PushOutcome) -> Option<RemoteFault> {
        let remote = self.settings.remote.clone();
        match outcome {
            PushOutcome::Applied => None,
            PushOutcome::NotAtomic => Some(RemoteFault::NotAtomic { remote }),
            PushOutcome::Forbidden(refused) => Some(RemoteFault::Forbidden {
                remote,
                namespace: self.settings.namespace.clone(),
                why: refused
                    .first()
                    .map(|one| one.why.clone())
                    .unwrap_or_default(),
            }),
            PushOutcome::Moved(why) | PushOutcome::Unknown(why) => {
                Some(RemoteFault::Unreachable { remote, why })
            }
        }
    }
}
