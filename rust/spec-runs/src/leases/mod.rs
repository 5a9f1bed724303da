//! Leases of specs: what a run asks of the remote that the clones of a repository share.
//!
//! Without `leases` in the configuration nothing here happens: no ref, no process, no network.

mod keeper;
pub(super) mod last_look;
mod ledger;
mod lost_landings;
mod number_claims;
pub(super) mod other_clone;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::error::SpecRunError;
use super::project::ProjectRuns;
use chant_base::error::Error;
use chant_config::Config;
use chant_config::leases::{LandingWay, LeaseSettings};
use chant_git::Repo;
use chant_leases::answer::{LeaseAnswer, LeaseRefusal, LeaseWish};
use chant_leases::client::LeaseClient;
use chant_leases::landing_right::LandingRight;
use chant_leases::record::LeaseRecord;
use chant_leases::record::RequestedStop;
use chant_leases::view::RemoteView;
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_store::state::escape_name;
use chant_work::run_record::{LeaseEntry, RunRecord};

pub(super) use keeper::LeaseKeeper;
pub(super) use ledger::{RUN_TOKEN, SpecRunLedger, spec_key};
pub(super) use lost_landings::lost_sentence;
pub use number_claims::RemoteNumbers;

/// The part of the state that holds leases.
const PART: &str = "leases";
/// How long a wish may wait until it is looked at; one that is waits for the turn of its push.
const CLAIM_LIMIT: Duration = Duration::from_secs(8);
/// How long the end of a run waits until the remote has it.
const SETTLE_LIMIT: Duration = Duration::from_secs(10);
/// How long a process that does nothing else waits for its push.
const ASIDE_LIMIT: Duration = Duration::from_secs(90);
/// How long a landing waits for its push.
const LAND_LIMIT: Duration = Duration::from_secs(180);

/// The claim of a spec: its token and what a record keeps of it, or the refusal.
pub(super) type ClaimResult = Result<(u64, LeaseEntry), Error>;

/// The answer of a remote about the newest commit of its target.
pub(super) enum RemoteTarget {
    /// The commit.
    Commit(String),
    /// It does not answer, for this reason.
    Unknown(String),
}

/// A merge that is to land.
pub(super) struct MergedWork<'a> {
    /// The target's commit that it stands on.
    pub old: &'a str,
    /// The merge.
    pub new: &'a str,
    /// Receipts that go along: the refs and their objects.
    pub along: Vec<(String, String)>,
    /// True if it waits until checks passed.
    pub needs_checks: bool,
    /// The run whose conflict it settles.
    pub settled: Option<String>,
}

/// The leases of a project's specs.
pub(super) struct SpecLeases<'a> {
    repo: Arc<Repo>,
    settings: LeaseSettings,
    target: String,
    folder: PathBuf,
    ledger: SpecRunLedger<'a>,
}

impl<'a> SpecLeases<'a> {
    /// Returns the leases; `None` where the configuration has none.
    ///
    /// # Errors
    /// `Refused` where the remote that is named does not exist, or a failure to read the repository.
    pub(super) fn of(project: &'a Project, config: &Config) -> Result<Option<Self>, Error> {
        let Some(settings) = config.leases.clone() else {
            return Ok(None);
        };
        let repo = project.repository()?;
        if !repo.remotes()?.contains(&settings.remote) {
            let message = format!(
                "`leases.remote` names `{}`, and this repository has no remote of that name. Add it with `git remote add`, or change the setting.",
                settings.remote
            );
            return Err(ChantError::Refused(message).into());
        }
        Self::with(project, repo, settings, config.main_branch().to_owned()).map(Some)
    }

    fn with(
        project: &'a Project,
        repo: Arc<Repo>,
        settings: LeaseSettings,
        target: String,
    ) -> Result<Self, Error> {
        let state = project.state()?;
        let part = format!(
            "{}/{}",
            state.in_project(PART),
            escape_name(&settings.remote)
        );
        Ok(Self {
            ledger: SpecRunLedger::of(project, repo.clone()),
            folder: state.ensure(&part)?,
            repo,
            settings,
            target,
        })
    }

    pub(super) fn client(&self) -> Result<LeaseClient<'_>, Error> {
        Ok(LeaseClient::open(
            &self.repo, &self.settings, &self.target, &self.ledger, &self.folder,
        )?)
    }

    /// Returns the name of the remote.
    pub(super) fn remote(&self) -> &str {
        &self.settings.remote
    }

    /// Looks at the remote if this clone has not done so yet, so that a start waits once for one that does not answer.
    ///
    /// # Errors
    /// `NoRemote` for this spec; a failure on this machine.
    pub(super) fn look_first(&self, spec_id: &str) -> Result<(), Error> {
        let client = self.client()?;
        if client.last_look()?.is_some() {
            return Ok(());
        }
        match client.ask_briefly(LeaseWish::Look, CLAIM_LIMIT)? {
            unheard @ LeaseAnswer::Unreachable { .. } => Err(Self::refused(spec_id, unheard)),
            _ => Ok(()),
        }
    }

    /// Returns why nothing of this clone can land, as far as that is known or can be tried; `is_anew` for what holds now.
    ///
    /// # Errors
    /// A failure on this machine.
    pub(super) fn forbidden_landing(&self, is_anew: bool) -> Result<Option<LeaseRefusal>, Error> {
        if self.settings.landing != LandingWay::Push {
            return Ok(None);
        }
        Ok(match self.client()?.landing_right(is_anew)? {
            LandingRight::Refused(why) => Some(LeaseRefusal::LandingForbidden {
                remote: self.settings.remote.clone(),
                target: self.target.clone(),
                why,
            }),
            LandingRight::Granted | LandingRight::Unknown => None,
        })
    }

    /// Claims specs for runs, all in one push: each with the token that its own is above. Gives the token of
    /// each and what its record keeps, or who holds it, or that the remote does not answer.
    ///
    /// # Errors
    /// A failure on this machine; nothing was started.
    pub(super) fn claim_all(&self, specs: &[(&str, u64)]) -> Result<Vec<ClaimResult>, Error> {
        let client = self.client()?;
        let mut tickets = Vec::new();
        for (spec_id, above) in specs {
            tickets.push(client.put(self.claim_of(spec_id, *above, false)?)?);
        }
        let mut claims = Vec::new();
        for (ticket, (spec_id, _)) in tickets.iter().zip(specs) {
            let answer = client.wait(ticket, CLAIM_LIMIT)?;
            claims.push(self.claimed(spec_id, answer));
        }
        Ok(claims)
    }

    /// Takes a spec from the clone that holds it, for a person; returns the new token.
    ///
    /// # Errors
    /// As [`SpecLeases::claim_all`].
    pub(super) fn take_from_clone(&self, spec_id: &str, above: u64) -> Result<u64, Error> {
        let wish = self.claim_of(spec_id, above, true)?;
        let answer = self.client()?.ask(wish, CLAIM_LIMIT)?;
        self.claimed(spec_id, answer).map(|(token, _)| token)
    }

    fn claim_of(&self, spec_id: &str, above: u64, is_forced: bool) -> Result<LeaseWish, Error> {
        Ok(LeaseWish::Claim {
            spec: self.ledger.key(spec_id),
            item: self.ledger.item_of(spec_id)?,
            run: spec_id.to_owned(),
            above,
            is_forced,
        })
    }

    fn claimed(&self, spec_id: &str, answer: LeaseAnswer) -> ClaimResult {
        match answer {
            LeaseAnswer::Claimed { token, target } => {
                let remote = self.settings.remote.clone();
                Ok((
                    token,
                    LeaseEntry {
                        remote,
                        base: target,
                        proposal: None,
                    },
                ))
            }
            other => Err(Self::refused(spec_id, other)),
        }
    }

    fn refused(spec_id: &str, answer: LeaseAnswer) -> Error {
        let id = spec_id.to_owned();
        match answer {
            LeaseAnswer::Refused { refusal } => SpecRunError::Lease { id, refusal }.into(),
            LeaseAnswer::Unreachable { why } => SpecRunError::NoRemote { id, why }.into(),
            LeaseAnswer::Claimed { .. } | LeaseAnswer::Numbered { .. } | LeaseAnswer::Done => {
                ChantError::Refused("the leases gave no answer".into()).into()
            }
        }
    }

    /// Has the remote say what the records of runs say by now, as far as it answers soon. What it does not
    /// take now is due with the next push.
    pub(super) fn settle(&self) -> Result<(), Error> {
        self.settle_within(SETTLE_LIMIT)
    }

    /// The same where something waits that has the time until a push may go.
    pub(super) fn settle_aside(&self) -> Result<(), Error> {
        self.settle_within(ASIDE_LIMIT)
    }

    fn settle_within(&self, limit: Duration) -> Result<(), Error> {
        Ok(self.client()?.settle(limit)?)
    }

    /// Returns the newest commit of the target on the remote, with the landings of this clone that are on
    /// their way; looks there if no landing is, or one of the run itself, or one that stands on a try of
    /// the run which the remote refused: only the remote's own target says that work has landed.
    ///
    /// # Errors
    /// A failure on this machine.
    pub(super) fn target_now(&self, record: &RunRecord) -> Result<RemoteTarget, Error> {
        let client = self.client()?;
        if let Some(pending) = client.pending_target(&record.process_id)?
            && self.completed_in(&pending, &record.spec_id)?.is_none()
        {
            return Ok(RemoteTarget::Commit(pending));
        }
        match client.ask(LeaseWish::Look, LAND_LIMIT)? {
            LeaseAnswer::Unreachable { why } => Ok(RemoteTarget::Unknown(why)),
            _ => Ok(match client.last_look()? {
                Some(view) => RemoteTarget::Commit(view.target),
                None => RemoteTarget::Unknown("nothing was looked at".into()),
            }),
        }
    }

    /// Puts a landing in the queue and waits for the remote, without the lock of merges: `release` frees it
    /// once the landing is in the queue. `beside` is called again and again meanwhile, and may take its time.
    ///
    /// # Errors
    /// A failure on this machine.
    pub(super) fn land(
        &self,
        record: &RunRecord,
        landing: MergedWork<'_>,
        release: impl FnOnce(),
        beside: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<LeaseAnswer, Error> {
        let client = self.client()?;
        let ticket = client.put(LeaseWish::Land {
            spec: self.ledger.key(&record.spec_id),
            run: record.process_id.clone(),
            token: record.token,
            old: landing.old.to_owned(),
            new: landing.new.to_owned(),
            along: landing.along,
            needs_checks: landing.needs_checks,
            settled: landing.settled,
        })?;
        release();
        client.wait_beside(&ticket, LAND_LIMIT, beside)
    }

    /// Returns how work lands.
    pub(super) fn landing(&self) -> LandingWay {
        self.settings.landing
    }

    /// Returns the command that opens a request.
    pub(super) fn request_command(&self) -> &[String] {
        &self.settings.propose
    }

    /// Returns the command that says what became of a request; empty if the host is not asked.
    pub(super) fn look_command(&self) -> &[String] {
        &self.settings.look
    }

    /// Returns the time between two signs of life.
    pub(super) fn beat(&self) -> Duration {
        self.settings.beat
    }

    /// Returns the ref of a spec's lease on the remote, for people.
    pub(super) fn lease_ref(&self, spec_id: &str) -> String {
        let name = escape_name(&self.ledger.key(spec_id));
        format!("{}/leases/{name}", self.settings.namespace)
    }

    /// Puts a proposal in the queue and waits for the remote, as [`SpecLeases::land`] does.
    ///
    /// # Errors
    /// A failure on this machine.
    pub(super) fn propose(
        &self,
        record: &RunRecord,
        commit: &str,
        release: impl FnOnce(),
    ) -> Result<LeaseAnswer, Error> {
        let client = self.client()?;
        let ticket = client.put(LeaseWish::Propose {
            spec: self.ledger.key(&record.spec_id),
            run: record.process_id.clone(),
            token: record.token,
            commit: commit.to_owned(),
        })?;
        release();
        Ok(client.wait(&ticket, LAND_LIMIT)?)
    }

    /// Has the lease of a run say where its request is. What the remote does not take now stays in the queue of
    /// this clone.
    pub(super) fn note_request(&self, record: &RunRecord, request: &str) -> Result<(), Error> {
        let client = self.client()?;
        client.put(LeaseWish::NoteRequest {
            spec: self.ledger.key(&record.spec_id),
            token: record.token,
            request: request.to_owned(),
        })?;
        let limit = self.settings.push_interval + SETTLE_LIMIT;
        client.ask(LeaseWish::Settle, limit)?;
        Ok(())
    }

    /// Returns the newest lease of a spec by the last look, and whether it is one of this clone.
    pub(super) fn newest_lease(&self, spec_id: &str) -> Result<Option<(LeaseRecord, bool)>, Error> {
        let client = self.client()?;
        let escaped = escape_name(&self.ledger.key(spec_id));
        let view = client.last_look()?;
        let seen = view.as_ref().and_then(|view| view.leases.get(&escaped));
        let lease = seen.and_then(|seen| seen.value.as_ref().ok()).cloned();
        let with_holder = |lease: LeaseRecord| {
            let is_own = client.is_own(&lease.orchestrator)?;
            Ok((lease, is_own))
        };
        lease.map(with_holder).transpose()
    }

    /// Returns true if another clone has the spec of a run of this one, or landed it, by the last look.
    pub(super) fn is_overtaken(&self, record: &RunRecord) -> Result<bool, Error> {
        let newest = self.newest_lease(&record.spec_id)?;
        Ok(newest.is_some_and(|(lease, is_own)| {
            lease.token > record.token || (lease.token == record.token && !is_own)
        }))
    }

    /// Returns what the last look found; nothing is asked of the remote.
    pub(super) fn last_look(&self) -> Result<Option<RemoteView>, Error> {
        Ok(self.client()?.last_look()?)
    }

    /// Returns true if the branch of a spec's request is on the remote, by the last look.
    pub(super) fn has_proposed_branch(&self, spec_id: &str) -> Result<bool, Error> {
        let spec = self.ledger.key(spec_id);
        Ok(self.client()?.proposed_branch(&spec)?.is_some())
    }

    /// Looks at the remote, and pushes what is due, if the last look is a push interval old.
    pub(super) fn look_if_due(&self) -> Result<(), Error> {
        Ok(self.client()?.look_if_due()?)
    }

    /// Returns the token with which a commit's tree has the spec completed.
    pub(super) fn completed_in(&self, commit: &str, spec_id: &str) -> Result<Option<u64>, Error> {
        use chant_leases::client::RunLedger;
        self.ledger.completed_in(commit, &self.ledger.key(spec_id))
    }

    /// Has the commits of an overtaken run kept on the remote, with the next push of this clone.
    pub(super) fn keep_commits(&self, record: &RunRecord, commit: &str) -> Result<(), Error> {
        if self.settings.namespace.starts_with("refs/heads/") {
            // As a branch they would start jobs of CI before a person has judged them; they stay in this clone.
            return Ok(());
        }
        self.client()?.put(LeaseWish::Keep {
            spec: self.ledger.key(&record.spec_id),
            token: record.token,
            commit: commit.to_owned(),
        })?;
        Ok(())
    }

    /// Asks the clone that works on a spec to stop.
    ///
    /// # Errors
    /// That no clone works on it, or that the remote does not answer or refuses.
    pub(super) fn request_stop(&self, spec_id: &str, stop: RequestedStop) -> Result<(), Error> {
        let spec = self.ledger.key(spec_id);
        let wish = LeaseWish::Request { spec, stop };
        match self.client()?.ask(wish, CLAIM_LIMIT)? {
            LeaseAnswer::Done => Ok(()),
            other => Err(Self::refused(spec_id, other)),
        }
    }

    /// Gives back a lease whose holder a person knows to be dead; `above` is the highest token of runs here.
    ///
    /// # Errors
    /// That there is none, or that the remote does not answer or refuses.
    pub(super) fn free(&self, spec_id: &str, above: u64) -> Result<(), Error> {
        let spec = self.ledger.key(spec_id);
        let wish = LeaseWish::Free { spec, above };
        match self.client()?.ask(wish, CLAIM_LIMIT)? {
            LeaseAnswer::Done => Ok(()),
            other => Err(Self::refused(spec_id, other)),
        }
    }

    /// Tries whether the remote can do what leases need; returns what went wrong, for people.
    ///
    /// # Errors
    /// A failure on this machine.
    pub(super) fn probe(&self) -> Result<Option<String>, Error> {
        Ok(self.client()?.probe()?.map(|fault| fault.to_string()))
    }

    /// Looks at the remote; returns the reason where it does not answer.
    ///
    /// # Errors
    /// A failure on this machine.
    pub(super) fn look(&self) -> Result<Option<String>, Error> {
        match self.client()?.ask(LeaseWish::Look, CLAIM_LIMIT)? {
            LeaseAnswer::Unreachable { why } => Ok(Some(why)),
            _ => Ok(None),
        }
    }
}
