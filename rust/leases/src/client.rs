//! Leases as a process of this clone asks for and keeps them.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use super::LeaseError;
use super::answer::{LeaseAnswer, LeaseRefusal, LeaseWish};
use super::leader::{LeaseLeader, TickLimits};
use super::own_name::OwnName;
use super::push_pace::PushPace;
use super::queue::{WishQueue, WishTicket};
use super::record::{HolderRequest, LeaseRecord, LeaseState, RunLine};
use super::ref_names::{RefNames, full_name};
use super::view::RemoteView;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_config::leases::LeaseSettings;
use chant_git::Repo;
use chant_store::state::escape_name;

/// A process that leads for as many turns as this keeps a run, and goes on leading.
const TRIES_TO_LEAD: usize = 6;
/// The file of the last look.
pub(super) const VIEW: &str = "view.json";
/// How long a look of a run's keeper may take: the target may have got a lot.
const KEEPER_LOOK: Duration = Duration::from_secs(30);
/// A claim whose run has no record yet is left alone for so long; then the spec is given back.
pub const STARTING: Duration = Duration::from_secs(120);
/// How often a process looks for its answer, or whether it leads now.
const LOCK_WAIT: Duration = Duration::from_millis(50);
/// How often the keeper of a run looks whether something concerns it.
const KEEPER_TURN: Duration = Duration::from_millis(250);

/// Where a run of this clone stands, as far as its lease is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunStanding {
    /// It is under way.
    UnderWay,
    /// Its work is done and waits, for its landing or for a person.
    Waits,
    /// Its work is on the target, with this commit.
    Landed(String),
    /// It ended, and nothing of it is to land.
    Ended,
    /// No record says anything about it.
    Unknown,
}

/// What leases have to ask about runs and specs.
pub trait RunLedger {
    /// Returns where the run of a spec with a token stands.
    ///
    /// # Errors
    /// A failure to read the records.
    fn standing(&self, spec: &str, token: u64) -> Result<RunStanding, Error>;

    /// Returns the runs that are under way, for people.
    ///
    /// # Errors
    /// A failure to read the records.
    fn under_way(&self) -> Result<Vec<RunLine>, Error>;

    /// Returns the token with which the tree of a commit says that a spec is completed, 0 without a token;
    /// `None` where it does not say so.
    ///
    /// # Errors
    /// A failure to read the repository.
    fn completed_in(&self, commit: &str, spec: &str) -> Result<Option<u64>, Error>;

    /// Returns the specs that the tree of a commit has in its archive and nowhere else.
    ///
    /// # Errors
    /// A failure to read the repository.
    fn archived_in(&self, commit: &str) -> Result<BTreeSet<String>, Error>;

    /// Returns the beginning of the names of all branches of specs.
    ///
    /// # Errors
    /// A failure to read the configuration.
    fn branch_prefix(&self) -> Result<String, Error>;

    /// Returns the branch of a spec; `None` for a spec of another project.
    ///
    /// # Errors
    /// A failure to read the configuration.
    fn branch_of(&self, spec: &str) -> Result<Option<String>, Error>;
}

/// The leases of one clone on one remote.
pub struct LeaseClient<'a> {
    /// The repository.
    pub repo: &'a Repo,
    /// The settings.
    pub settings: &'a LeaseSettings,
    /// The branch that work ends on.
    pub target: &'a str,
    /// What is asked of runs and specs.
    pub ledger: &'a dyn RunLedger,
    pub(super) queue: WishQueue,
}

/// What concerns a run, by the last look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunNews {
    /// Another run holds the spec, or its lease is gone.
    Overtaken(LeaseRefusal),
    /// Another clone asks it to stop.
    Requested(HolderRequest),
}

/// The wait for one wish.
struct WishWait<'t> {
    ticket: &'t WishTicket,
    limit: Duration,
    deadline: Instant,
    may_leave: bool,
    has_looked: bool,
}

impl<'t> WishWait<'t> {
    fn of(ticket: &'t WishTicket, limit: Duration, may_leave: bool) -> Self {
        Self {
            ticket,
            limit,
            deadline: Instant::now() + limit,
            may_leave,
            has_looked: false,
        }
    }
}

impl<'a> LeaseClient<'a> {
    /// Opens the leases of a clone; `folder` is its private folder for this remote.
    ///
    /// # Errors
    /// A folder that cannot be made or belongs to others.
    pub fn open(
        repo: &'a Repo,
        settings: &'a LeaseSettings,
        target: &'a str,
        ledger: &'a dyn RunLedger,
        folder: &Path,
    ) -> Result<Self, LeaseError> {
        Ok(Self {
            repo,
            settings,
            target,
            ledger,
            queue: WishQueue::open(folder)?,
        })
    }

    /// Has a wish granted or refused. This process pushes for all processes of the clone if no other does.
    /// After `limit` the wish is taken back, unless it is being granted just then.
    ///
    /// # Errors
    /// A failure on this machine; whether the wish was granted is then looked up by the next process.
    pub fn ask(&self, wish: LeaseWish, limit: Duration) -> Result<LeaseAnswer, LeaseError> {
        self.wait(&self.put(wish)?, limit)
    }

    /// Has a wish granted that does no harm if it is granted without being heard of: after `limit` the answer is
    /// that the remote gave none, whatever becomes of it.
    ///
    /// # Errors
    /// As [`LeaseClient::ask`].
    pub fn ask_briefly(&self, wish: LeaseWish, limit: Duration) -> Result<LeaseAnswer, LeaseError> {
        let ticket = self.put(wish)?.urgent();
        self.wait_for(&ticket, limit, true)
    }

    /// Returns the time until this clone may push again.
    ///
    /// # Errors
    /// A file of our own that cannot be read.
    pub fn push_wait(&self) -> Result<Duration, LeaseError> {
        let wait = PushPace::of(&self.queue)?.wait(self.settings.push_interval, false);
        Ok(wait.min(self.settings.push_interval))
    }

    /// Puts a wish in the queue; [`LeaseClient::wait`] gives its answer.
    ///
    /// # Errors
    /// A failure to write it.
    pub fn put(&self, wish: LeaseWish) -> Result<WishTicket, LeaseError> {
        self.queue.put(wish)
    }

    /// Returns the commit that the target will have when all landings of the queue are through; `None`
    /// without any, or if `run` itself has one there.
    ///
    /// # Errors
    /// A file of our own that cannot be read.
    pub fn pending_target(&self, run: &str) -> Result<Option<String>, LeaseError> {
        self.queue.last_landing(run)
    }

    /// Waits for the answer to a wish.
    ///
    /// # Errors
    /// As [`LeaseClient::ask`].
    pub fn wait(&self, ticket: &WishTicket, limit: Duration) -> Result<LeaseAnswer, LeaseError> {
        self.wait_for(ticket, limit, false)
    }

    /// Works as [`LeaseClient::wait`], and calls `beside` again and again meanwhile: never while this process leads,
    /// so that it may take its time.
    ///
    /// # Errors
    /// As [`LeaseClient::ask`], or what `beside` says.
    pub fn wait_beside(
        &self,
        ticket: &WishTicket,
        limit: Duration,
        beside: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<LeaseAnswer, Error> {
        let mut wait = WishWait::of(ticket, limit, false);
        loop {
            if let Some(answer) = self.turn(&mut wait)? {
                return Ok(answer);
            }
            beside()?;
        }
    }

    fn wait_for(
        &self,
        ticket: &WishTicket,
        limit: Duration,
        may_leave: bool,
    ) -> Result<LeaseAnswer, LeaseError> {
        let mut wait = WishWait::of(ticket, limit, may_leave);
        loop {
            if let Some(answer) = self.turn(&mut wait)? {
                return Ok(answer);
            }
        }
    }

    /// Waits for the answer to a wish for a moment, or leads once if no other process does.
    fn turn(&self, waiting: &mut WishWait<'_>) -> Result<Option<LeaseAnswer>, LeaseError> {
        let ticket = waiting.ticket;
        if let Some(answer) = self.queue.fetch(ticket)? {
            return Ok(Some(answer));
        }
        let is_late = Instant::now() >= waiting.deadline;
        if is_late && (self.queue.withdraw(ticket)? || waiting.may_leave) {
            self.queue.forget(ticket)?;
            let (remote, limit) = (&self.settings.remote, waiting.limit);
            return Ok(Some(LeaseAnswer::Unreachable {
                why: format!("{remote} did not answer within {limit:?}"),
            }));
        }
        let Some(_lead) = self.queue.lead()? else {
            wait_for_turn(LOCK_WAIT);
            return Ok(None);
        };
        let mut leader = LeaseLeader::of(self)?;
        // The first look may refuse it at once; a push may have to wait for its turn.
        let wait = leader.wait();
        let is_due = || -> Result<bool, LeaseError> {
            Ok(self.queue.has_new_wishes()? || (wait.is_zero() && leader.is_due()?))
        };
        if waiting.has_looked && !is_due()? {
            wait_for_turn(LOCK_WAIT);
            return Ok(None);
        }
        leader.tick(ticket.limits(waiting.deadline))?;
        waiting.has_looked = true;
        Ok(None)
    }

    /// Has the remote learn what the records of runs say by now, unless another process leads, which does so.
    ///
    /// # Errors
    /// A failure on this machine.
    pub fn settle(&self, limit: Duration) -> Result<(), LeaseError> {
        for _ in 0..TRIES_TO_LEAD {
            if let Some(lead) = self.queue.lead()? {
                drop(lead);
                self.ask(LeaseWish::Settle, limit)?;
                return Ok(());
            }
            wait_for_turn(KEEPER_TURN);
        }
        Ok(())
    }

    /// Keeps the lease of a run until `is_over`: pushes for the clone while no other process does, and reports
    /// what concerns the run.
    ///
    /// # Errors
    /// A failure on this machine.
    pub fn keep(
        &self,
        spec: &str,
        token: u64,
        is_over: &dyn Fn() -> bool,
        report: &mut dyn FnMut(RunNews),
    ) -> Result<(), LeaseError> {
        let mut lead = None;
        let mut looked = None;
        while !is_over() {
            lead = match lead {
                None => self.queue.lead()?,
                lead => lead,
            };
            if lead.is_some() {
                // The run goes on without its remote; the next turn tries again.
                self.lead_once()
                    .log_failure("keep the leases of this clone");
            }
            // Many runs of a clone read the same look.
            let stamp = self.queue.own_stamp(VIEW);
            if stamp != looked {
                looked = stamp;
                if let Some(news) = self.news(spec, token)? {
                    report(news);
                }
            }
            wait_for_turn(KEEPER_TURN);
        }
        Ok(())
    }

    /// Looks at the remote and pushes what is due, if the last look is a push interval old and no other process
    /// does so.
    ///
    /// # Errors
    /// A failure on this machine.
    pub fn look_if_due(&self) -> Result<(), LeaseError> {
        match self.queue.lead()? {
            Some(_lead) => self.lead_once(),
            None => Ok(()),
        }
    }

    fn lead_once(&self) -> Result<(), LeaseError> {
        let mut leader = LeaseLeader::of(self)?;
        // A new wish may be refused by a look alone; its push waits for its turn.
        if self.queue.has_new_wishes()? || (leader.is_due()? && leader.wait().is_zero()) {
            leader.tick(TickLimits {
                look: KEEPER_LOOK,
                until: None,
            })?;
        }
        Ok(())
    }

    /// Returns what the last look says about a run.
    fn news(&self, spec: &str, token: u64) -> Result<Option<RunNews>, LeaseError> {
        let Some(view) = self.last_look()? else {
            return Ok(None);
        };
        let escaped = escape_name(spec);
        let lease = view
            .lease(&escaped)
            .and_then(|seen| seen.value.as_ref().ok());
        // A look from before the claim says nothing about it.
        let has_seen = view
            .highest
            .get(&escaped)
            .is_some_and(|seen| *seen >= token);
        let own = OwnName::of(&self.queue)?;
        // A ref that somebody removed took the spec from no run.
        let other = lease.filter(|lease| !is_of_run(lease, &own, token));
        if let Some(other) = other.filter(|_| has_seen) {
            let lease = Some(Box::new(other.clone()));
            return Ok(Some(RunNews::Overtaken(LeaseRefusal::Overtaken { lease })));
        }
        let request = view.requests.get(&escaped);
        let request = request.and_then(|seen| seen.value.as_ref().ok());
        let request = request.filter(|request| request.token == token);
        Ok(request.cloned().map(RunNews::Requested))
    }

    /// Returns what the last look found; `None` before the first. Nothing is asked of the remote.
    ///
    /// # Errors
    /// A file of our own that cannot be read.
    pub fn last_look(&self) -> Result<Option<RemoteView>, LeaseError> {
        self.queue.read_own(VIEW)
    }

    /// Returns the newest commit of a spec's branch on the remote, by the last look; `None` if it is not there.
    ///
    /// # Errors
    /// A failure on this machine.
    pub fn proposed_branch(&self, spec: &str) -> Result<Option<String>, LeaseError> {
        let (names, view) = (RefNames::of_client(self)?, self.last_look()?);
        let branch = self.ledger.branch_of(spec).map_err(LeaseError::Ledger)?;
        let name = branch.map(|branch| full_name(&branch)).unwrap_or_default();
        let found = names.proposed(&name).zip(view);
        Ok(found.and_then(|(rest, view)| view.branches.get(rest).cloned()))
    }

    /// Returns the name of this clone's orchestrator.
    ///
    /// # Errors
    /// A file of our own that cannot be read.
    pub fn own_name(&self) -> Result<String, LeaseError> {
        Ok(OwnName::of(&self.queue)?.name)
    }

    /// Returns true for a name of this clone's orchestrator.
    ///
    /// # Errors
    /// A file of our own that cannot be read.
    pub fn is_own(&self, orchestrator: &str) -> Result<bool, LeaseError> {
        Ok(OwnName::of(&self.queue)?.is_own(orchestrator))
    }
}

/// Waits a short time for other processes of the clone.
#[expect(
    clippy::disallowed_methods,
    reason = "a bounded wait for another process, which leads and answers"
)]
fn wait_for_turn(time: Duration) {
    std::thread::sleep(time);
}

/// Returns true if a lease belongs to the run of this clone with a token.
pub(super) fn is_of_run(lease: &LeaseRecord, own: &OwnName, token: u64) -> bool {
    lease.token == token && own.is_own(&lease.orchestrator) && lease.state != LeaseState::Free
}
