//! What a clone knows of its remote without asking it. Reading it makes no file and waits for nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::LeaseError;
use super::client::VIEW;
use super::own_name::OwnName;
use super::queue::WishQueue;
use super::record::{LeaseRecord, LeaseState, RunLine};
use super::view::RemoteView;
use chant_store::state::{escape_name, unescape_name};

/// The last look of a clone, with the clone's own names.
#[derive(Debug, Clone)]
pub struct KnownRemote {
    /// What the look found.
    pub view: RemoteView,
    own: Option<OwnName>,
}

/// A lease as the last look found it.
#[derive(Debug, Clone, Copy)]
pub struct KnownLease<'a> {
    /// The lease.
    pub lease: &'a LeaseRecord,
    /// The run in its holder's sign of life.
    pub run: Option<&'a RunLine>,
    /// True if this clone holds it.
    pub is_own: bool,
    /// True if its holder had given no sign of life for so long that others might have it.
    pub is_silent: bool,
}

impl KnownRemote {
    /// Returns the file that every look writes, in the private folder of a clone for a remote.
    pub fn file(folder: &Path) -> PathBuf {
        folder.join(VIEW)
    }

    /// Reads the last look; `None` before the first.
    ///
    /// # Errors
    /// A file of our own that cannot be read.
    pub fn read(folder: &Path) -> Result<Option<Self>, LeaseError> {
        let queue = WishQueue::at(folder);
        let Some(view) = queue.read_own(VIEW)? else {
            return Ok(None);
        };
        let own = OwnName::known(&queue)?;
        Ok(Some(Self { view, own }))
    }

    /// Returns the leases that could be read, each under the name of its ref, in the order of these.
    pub fn leases(&self, ttl: Duration) -> impl Iterator<Item = (String, KnownLease<'_>)> {
        // What nobody looked at since may have changed since.
        let since_look = self.view.age().unwrap_or_default();
        let read = self.view.leases.iter();
        read.filter_map(move |(escaped, seen)| {
            let lease = seen.value.as_ref().ok()?;
            let spec = unescape_name(escaped).filter(|spec| *spec == lease.spec)?;
            let is_silent = lease.state == LeaseState::Held
                && self.view.is_silent(escaped, lease, ttl + since_look);
            let known = KnownLease {
                lease,
                run: self.run_of(lease),
                is_own: self.is_own(&lease.orchestrator),
                is_silent,
            };
            Some((spec, known))
        })
    }

    /// Returns the leases that cannot be read, by the names of their refs, each with the reason.
    pub fn unreadable(&self) -> impl Iterator<Item = (String, &str)> {
        self.view.leases.iter().filter_map(|(escaped, seen)| {
            let why = seen.value.as_ref().err()?;
            Some((unescape_name(escaped)?, &**why))
        })
    }

    /// Returns the leases whose token is lower than one that was seen there, each with that one.
    pub fn fallen(&self) -> impl Iterator<Item = (String, &LeaseRecord, u64)> {
        self.view.leases.iter().filter_map(|(escaped, seen)| {
            let lease = seen.value.as_ref().ok()?;
            let highest = *self.view.highest.get(escaped)?;
            let spec = unescape_name(escaped)?;
            (lease.token < highest).then_some((spec, lease, highest))
        })
    }

    /// Returns the name of this clone's orchestrator; `None` before it needed one.
    pub fn own_name(&self) -> Option<&str> {
        self.own.as_ref().map(|own| &*own.name)
    }

    fn is_own(&self, orchestrator: &str) -> bool {
        self.own
            .as_ref()
            .is_some_and(|own| own.is_own(orchestrator))
    }

    fn run_of(&self, lease: &LeaseRecord) -> Option<&RunLine> {
        let holder = self
            .view
            .orchestrators
            .get(&escape_name(&lease.orchestrator))?;
        let mut runs = holder.value.as_ref().ok()?.runs.iter();
        runs.find(|run| run.spec == lease.spec && run.token == lease.token)
    }
}
