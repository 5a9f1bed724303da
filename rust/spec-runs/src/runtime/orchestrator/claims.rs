//! Claims of specs that an orchestrator is about to start; what another clone has is left to it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::super::error::SpecRunError;
use super::super::super::schedule::AttemptCount;
use super::super::agent_slots::AgentSlots;
use super::super::start::claim_specs;
use super::{NextStart, Orchestrator};
use chant_base::error::Error;
use chant_specs::id::SpecId;
use chant_specs::specs::SpecGraph;
use chant_specs::view::held_specs::HeldSpecs;

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
        let error = self.claims.get(id)?.as_ref().err()?;
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

    /// Claims a spec, and those that could start beside it, in one push.
    pub(super) fn claim_next(
        &mut self,
        (specs, running, tried): (&SpecGraph, &[SpecId], &BTreeMap<SpecId, AttemptCount>),
        id: &SpecId,
        held: &HeldSpecs,
        step: &mut dyn FnMut(&str),
    ) -> Result<(), Error> {
        if self.config.leases.is_none() || self.asked.offline || self.claims.contains_key(id) {
            return Ok(());
        }
        let room = AgentSlots::of(self.runs)?.count_free(
            self.project,
            &self.config,
            (&self.workers, &self.asked),
        )?;
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
        ids.retain(|id| !self.claims.contains_key(id));
        let claims = claim_specs(self.project, self.runs, &ids, step)?;
        self.claims
            .extend(ids.into_iter().zip(claims.unwrap_or_default()));
        Ok(())
    }
}
