//! What a person or an agent wants of the clone that works on a spec.

use std::time::Duration;

use super::SpecLeases;
use crate::error::SpecRunError;
use crate::project::ProjectRuns;
use crate::runtime::launch_aside;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_base::next_step::{NextStep, hint};
use chant_leases::record::RequestedStop;
use chant_specs::error::ChantError;
use chant_specs::id::SpecId;
use chant_specs::project::Project;
use chant_specs::view::held_specs::HeldSpec;

/// The act in the table of effects.
pub(crate) const ACT: &str = "leases";
/// The command that tells the remote what records say.
const SETTLE: [&str; 2] = ["leases", "--settle"];

/// A request to the clone that works on a spec.
pub(crate) struct AskedClone {
    held: HeldSpec,
    stop: RequestedStop,
    push_interval: Duration,
    remote: String,
}

impl AskedClone {
    /// Asks the clone that works on a spec to stop; `None` where clones share nothing, no other clone has the
    /// spec, or no person trusts the folder.
    ///
    /// # Errors
    /// That the remote does not answer, or that the work is done and waits for its landing.
    pub(crate) fn ask(
        project: &Project,
        id: &SpecId,
        stop: RequestedStop,
    ) -> Result<Option<Self>, Error> {
        let config = project.snapshot()?.config.clone()?;
        if config.leases.is_none() || !project.is_trusted() {
            return Ok(None);
        }
        project.refuse_untrusted(ACT)?;
        let Some(leases) = SpecLeases::of(project, &config)? else {
            return Ok(None);
        };
        let Some(held) = look_for(project, &leases, id)? else {
            return Ok(None);
        };
        refuse_done(&held)?;
        leases.request_stop(id.as_str(), stop)?;
        Ok(Some(Self {
            held,
            stop,
            push_interval: leases.settings.push_interval,
            remote: leases.remote().to_owned(),
        }))
    }

    /// Says what was asked for, and what comes then.
    pub(crate) fn describe(&self, project: &Project) -> String {
        let what = match self.stop {
            RequestedStop::Pause => "pause it",
            RequestedStop::Takeover => "stop, so that a person goes on with it",
            RequestedStop::Cancel => "cancel it",
        };
        let mut text = format!(
            "{} Asked that clone to {what}; it learns of it with its next look at {}, which comes within {:?}. Nothing was changed here.",
            describe_holder(&self.held),
            self.remote,
            self.push_interval,
        );
        if self.held.is_silent {
            let take = NextStep::TakeFromClone(self.held.spec_id.clone());
            text.push_str(&format!(
                "\nIt has given no sign of life for a while. If it is dead, {} takes the spec over.",
                take.words(project.door)
            ));
        }
        text
    }
}

/// A spec that a person took from another clone.
pub(crate) struct TakenSpec {
    held: HeldSpec,
    token: u64,
}

impl TakenSpec {
    /// Takes a spec from the clone that has it, at once; `None` where no other clone has it.
    ///
    /// # Errors
    /// A folder that no person trusts, or that the remote does not answer or refuses.
    pub(crate) fn take(project: &Project, id: &SpecId) -> Result<Option<Self>, Error> {
        let config = project.snapshot()?.config.clone()?;
        if config.leases.is_none() {
            return Ok(None);
        }
        project.refuse_untrusted(ACT)?;
        let Some(leases) = SpecLeases::of(project, &config)? else {
            return Ok(None);
        };
        let Some(held) = look_for(project, &leases, id)? else {
            return Ok(None);
        };
        let runs = project.runs()?;
        let above = runs.token(id.as_str())?.unwrap_or(0);
        let token = leases.take_from_clone(id.as_str(), above)?;
        runs.raise_token(id.as_str(), token)?;
        Ok(Some(Self { held, token }))
    }

    /// Says what was taken from whom.
    pub(crate) fn describe(&self) -> String {
        format!(
            "Taken over: {} This clone has the spec now, with token {}. What that clone did cannot land any more; its run is stopped with its next look at the remote, and its commits are kept there.",
            describe_holder(&self.held),
            self.token,
        )
    }

    /// Says what to do next.
    pub(crate) fn suggest(&self, project: &Project) -> String {
        let work = NextStep::Work(self.held.spec_id.clone());
        format!(
            "{} has an agent work on it here. Without a run the spec is given back after two minutes.",
            work.words(project.door)
        )
    }
}

/// Returns the clone that has a spec, by a look at the remote now.
fn look_for(
    project: &Project,
    leases: &SpecLeases<'_>,
    id: &SpecId,
) -> Result<Option<HeldSpec>, Error> {
    let silence = leases.look()?;
    let held = project.held_elsewhere().of(id.as_str()).cloned();
    match silence {
        // As far as is known nobody has it.
        Some(_) if held.is_none() => Ok(None),
        Some(why) => {
            let id = id.to_string();
            Err(SpecRunError::NoLook { id, why }.into())
        }
        None => Ok(held),
    }
}

/// Refuses to stop work that is done.
fn refuse_done(held: &HeldSpec) -> Result<(), Error> {
    if held.is_at_work || held.is_silent {
        return Ok(());
    }
    let message = format!(
        "The work on spec '{}' is done at {} on {}, and its landing waits there; there is nothing to stop.",
        held.spec_id, held.orchestrator, held.host
    );
    let hint = hint![
        " ",
        NextStep::TakeFromClone(held.spec_id.clone()),
        " takes the spec from that clone.",
    ];
    Err(ChantError::Refused(message).advise(hint).into())
}

/// Says who has a spec, in a sentence.
fn describe_holder(held: &HeldSpec) -> String {
    let HeldSpec {
        spec_id,
        orchestrator,
        host,
        since,
        token,
        ..
    } = held;
    format!(
        "Spec '{spec_id}' is worked on by {orchestrator} on {host} (token {token}, since {since})."
    )
}

/// Has a process of its own tell the remote what became of runs of this clone; nothing waits for it.
pub(crate) fn settle_aside(project: &Project) {
    launch_settling(project).log_failure("tell the remote what became of runs");
}

fn launch_settling(project: &Project) -> Result<(), Error> {
    let config = project.snapshot()?.config.clone()?;
    if config.leases.is_none() || !project.is_trusted() {
        return Ok(());
    }
    let has_unsettled = match SpecLeases::of(project, &config)? {
        Some(leases) => leases.has_unsettled()?,
        None => false,
    };
    if has_unsettled {
        launch_aside(project, &project.runs()?, &SETTLE)?;
    }
    Ok(())
}
