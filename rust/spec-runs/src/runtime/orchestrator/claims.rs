//! Claims of specs that an orchestrator is about to start; what another clone has is left to it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{NextStart, Orchestrator};
use crate::error::SpecRunError;
use crate::leases::{ClaimResult, SpecLeases};
use crate::runtime::agent_slots::AgentSlots;
use crate::runtime::start::claim_specs;
use crate::schedule::AttemptCount;
use chant_base::error::Error;
use chant_config::Config;
use chant_leases::client::STARTING;
use chant_specs::id::SpecId;
use chant_specs::project::Project;
use chant_specs::specs::SpecGraph;
use chant_specs::view::held_specs::{HeldSpecs, RemoteHindrance};

/// The time for which a claim may wait for the start of its run. Longer, and the clone could give the spec
/// back before the run has its record.
const LASTING: Duration = Duration::from_secs(STARTING.as_secs() / 2);

/// The claims of specs that are about to start.
#[derive(Default)]
pub(super) struct WaitingClaims(BTreeMap<SpecId, (Instant, ClaimResult)>);

impl WaitingClaims {
    fn add(&mut self, now: Instant, claims: impl Iterator<Item = (SpecId, ClaimResult)>) {
        self.0.extend(claims.map(|(id, claim)| (id, (now, claim))));
    }

    fn drop_old(&mut self, now: Instant) {
        self.0
            .retain(|_, (since, _)| now.duration_since(*since) < LASTING);
    }

    fn has(&self, id: &SpecId) -> bool {
        self.0.contains_key(id)
    }

    fn refusal(&self, id: &SpecId) -> Option<&Error> {
        self.0.get(id)?.1.as_ref().err()
    }

    /// Takes the claim of a spec out.
    pub(super) fn take(&mut self, id: &SpecId) -> Option<ClaimResult> {
        self.0.remove(id).map(|(_, claim)| claim)
    }
}

impl Orchestrator<'_> {
    /// Returns the specs that other clones hold, by a look that is no older than a sign of life.
    pub(super) fn held_by_others(&self) -> Arc<HeldSpecs> {
        let Some(leases) = self.config.leases.as_ref().filter(|_| !self.asked.offline) else {
            return Arc::default();
        };
        let held = self.project.held_elsewhere();
        let age = held
            .looked
            .map(|looked| (self.project.clock.now)().duration_since(looked));
        let is_fresh = age.is_some_and(|age| age.unsigned_abs() <= leases.beat);
        if is_fresh { held } else { Arc::default() }
    }

    /// Returns why the claim of a spec that was not asked for itself was refused, if a clone has it.
    pub(super) fn refused_claim(&self, id: &SpecId) -> Option<String> {
        let error = self.claims.refusal(id)?;
        let is_held = matches!(error.downcast_ref(), Some(SpecRunError::Lease { .. }));
        let why = error.to_string();
        let first = why.lines().next().unwrap_or_default().to_owned();
        (is_held && !self.schedule.asks_for(id)).then_some(first)
    }

    /// Leaves a spec to the clone that has it.
    pub(super) fn leave_out(&mut self, id: SpecId, why: String) -> NextStart {
        let past = self.past.entry(id).or_default();
        past.tried.times += 1;
        past.left_out = Some(why);
        NextStart::LeftOut
    }

    /// Claims a spec, and those that could start beside it, in one push. Where so many start that a claim
    /// waited for long, it is made again.
    pub(super) fn claim_next(
        &mut self,
        specs: &SpecGraph,
        running: &[SpecId],
        tried: &BTreeMap<SpecId, AttemptCount>,
        id: &SpecId,
        held: &HeldSpecs,
        step: &mut dyn FnMut(&str),
    ) -> Result<(), Error> {
        self.claims.drop_old(Instant::now());
        if self.config.leases.is_none() || self.asked.offline || self.claims.has(id) {
            return Ok(());
        }
        let room = AgentSlots::of(self.runs)?
            .count_free(self.project, &self.config, &self.workers, &self.asked)?;
        let mut ids = vec![id.clone()];
        let mut taken: Vec<SpecId> = running.to_vec();
        taken.push(id.clone());
        while ids.len() < room
            && let Some(next) = self
                .schedule
                .next(specs, &taken, tried, &self.forecast.files)
        {
            taken.push(next.clone());
            if !held.keeps(next.as_str()) {
                ids.push(next);
            }
        }
        ids.retain(|id| !self.claims.has(id));
        let claims = claim_specs(self.project, self.runs, &ids, step)?;
        let claims = ids.into_iter().zip(claims.results);
        self.claims.add(Instant::now(), claims);
        Ok(())
    }
}

/// Returns the name of this clone, where several share the project's specs.
pub(super) fn clone_name(project: &Project, config: &Config) -> Result<Option<String>, Error> {
    match SpecLeases::of(project, config)? {
        Some(leases) => Ok(Some(leases.client()?.own_name()?)),
        None => Ok(None),
    }
}

/// Says why a spec is left to other clones.
pub(super) fn describe_hindrance(id: &SpecId, hindrance: RemoteHindrance) -> String {
    match hindrance {
        RemoteHindrance::Held => format!("Another clone works on spec '{id}'."),
        RemoteHindrance::Completed => format!("Spec '{id}' is completed on the remote."),
        RemoteHindrance::Doubtful => {
            format!("The lease of spec '{id}' cannot be read or believed.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chant_specs::error::ChantError;

    #[test]
    fn a_claim_is_dropped_before_its_spec_could_be_given_back() {
        let id = "2026-01-22-001-x7m".parse::<SpecId>().unwrap();
        let refused = ChantError::Refused("held elsewhere".into());
        let mut claims = WaitingClaims::default();
        let now = Instant::now();
        claims.add(now, std::iter::once((id.clone(), Err(refused.into()))));
        claims.drop_old(now + STARTING / 3);
        assert!(claims.has(&id) && claims.refusal(&id).is_some());
        claims.drop_old(now + STARTING / 2);
        assert!(!claims.has(&id) && claims.take(&id).is_none());
    }
}
