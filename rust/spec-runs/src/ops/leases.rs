//! Who works on what among the clones of a repository.

use std::sync::Arc;

use super::clone_options::LeaseQuery;
use crate::leases::SpecLeases;
use crate::leases::last_look::{SpecLooks, doubtful_leases, held_spec, shown};
use crate::leases::other_clone::ACT;
use crate::project::ProjectRuns;
use crate::recorded_runs::refuse_running;
use crate::runtime::landing::{FollowOutcome, follow_remote as follow};
use crate::view::leases::{LeaseList, LeaseRow};
use crate::view::work::LookAge;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_config::Config;
use chant_leases::record::LeaseState;
use chant_specs::error::ChantError;
use chant_specs::project::Project;

/// Lists which clone holds which spec, by the last look at the remote.
///
/// # Errors
/// That clones share nothing; with `look` an untrusted folder, or a remote that does not answer.
pub fn leases(project: &Project, query: LeaseQuery) -> Result<Answer, Error> {
    let config = configured(project)?;
    let Some(settings) = &config.leases else {
        return Err(refuse_unshared());
    };
    if query.look {
        project.refuse_untrusted(ACT)?;
        if let Some(leases) = SpecLeases::of(project, &config)?
            && let Some(why) = leases.look()?
        {
            return Err(ChantError::Refused(format!("{why}.")).into());
        }
    }
    let looks = SpecLooks::of(project, settings)?;
    let is_over = |state| matches!(state, LeaseState::Free | LeaseState::Landed);
    let leases = looks.leases().into_iter();
    let listed = leases.filter(|(_, known)| query.all || !is_over(known.lease.state));
    let rows = listed.map(|(id, known)| {
        let mut held = held_spec(id, &known);
        if let Some(key) = held.item_keys.first() {
            held.spec_id = shown(key);
        }
        LeaseRow {
            commit: known.lease.commit.as_deref().map(shown),
            request: known.lease.request.as_deref().map(shown),
            here: known.is_own,
            held,
        }
    });
    let known = looks.known.as_ref();
    Ok(Answer::whole(&LeaseList {
        leases: rows.collect(),
        remote: &settings.remote,
        orchestrator: known.and_then(|known| known.own_name()),
        beat_seconds: settings.beat.as_secs_f64(),
        looked_seconds_ago: LookAge::of(looks.looked(), (project.clock.now)(), settings.beat)
            .seconds(),
        problems: doubtful_leases(project, &config),
    }))
}

/// Gives back the lease of a spec whose holder a person knows to be dead.
///
/// # Errors
/// An untrusted folder; while a run of this clone works on the spec; that no clone holds it, or that the remote
/// does not answer or refuses.
pub fn free_lease(project: &Project, id: &str) -> Result<Answer, Error> {
    let config = configured(project)?;
    project.refuse_untrusted(ACT)?;
    let Some(leases) = SpecLeases::of(project, &config)? else {
        return Err(refuse_unshared());
    };
    let spec_id = match project.resolve(&project.snapshot()?, id) {
        Err(_) if project.held_elsewhere().doubtful.contains(id) => id.to_owned(),
        spec => {
            let spec = spec?;
            refuse_running(project, &spec)?;
            spec.id.to_string()
        }
    };
    let above = project.runs()?.token(&spec_id)?.unwrap_or(0);
    leases.free(&spec_id, above)?;
    let text = format!(
        "Given back: spec '{spec_id}'. Any clone may work on it now; what an earlier run of it did cannot land any more."
    );
    Ok(Answer::prose(text))
}

/// Returns true if a look at the remote makes sense and is allowed, by what is known already.
pub fn may_look_at_leases(project: &Project) -> bool {
    let config = project.known_configuration();
    config.is_some_and(|config| config.leases.is_some()) && project.is_trusted()
}

/// Looks at the remote, for later reads.
///
/// # Errors
/// An untrusted folder, or why the remote does not answer.
pub fn look_at_leases(project: &Project) -> Result<(), Error> {
    let config = configured(project)?;
    project.refuse_untrusted(ACT)?;
    match SpecLeases::of(project, &config)? {
        Some(leases) => refuse_silence(&leases),
        None => Ok(()),
    }
}

/// Looks at the remote, and refuses where it does not answer.
fn refuse_silence(leases: &SpecLeases<'_>) -> Result<(), Error> {
    match leases.look()? {
        Some(why) => Err(ChantError::Refused(why).into()),
        None => Ok(()),
    }
}

/// Brings the checkout up to the remote's target, as far as nothing of the user's is in its way.
///
/// # Errors
/// An untrusted folder; that clones share nothing; why the remote does not answer; what is in the way.
pub fn follow_remote(project: &Project) -> Result<Answer, Error> {
    let config = configured(project)?;
    project.refuse_untrusted(ACT)?;
    let Some(leases) = SpecLeases::of(project, &config)? else {
        return Err(refuse_unshared());
    };
    refuse_silence(&leases)?;
    let (branch, remote) = (config.main_branch(), leases.remote());
    match follow(project, &leases, branch)? {
        FollowOutcome::UpToDate => Ok(Answer::prose(format!(
            "{branch} has all that is on {remote}."
        ))),
        FollowOutcome::Brought(commit) => Ok(Answer::prose(format!(
            "Brought {branch} up to {remote}: it is at {} now.",
            shown(commit.get(..7).unwrap_or(&commit))
        ))),
        FollowOutcome::Waits(why) => {
            let message = format!("{branch} was not brought up to {remote}: {why}.");
            Err(ChantError::Refused(message).into())
        }
    }
}

/// Has the remote say what the records of runs say by now.
///
/// # Errors
/// An untrusted folder, or a failure on this machine.
pub fn settle_leases(project: &Project) -> Result<(), Error> {
    let config = configured(project)?;
    project.refuse_untrusted(ACT)?;
    match SpecLeases::of(project, &config)? {
        Some(leases) => leases.settle_aside(),
        None => Ok(()),
    }
}

fn configured(project: &Project) -> Result<Arc<Config>, Error> {
    Ok(project.snapshot()?.config.clone()?)
}

fn refuse_unshared() -> Error {
    let message = "This project's specs are not shared among clones: `leases` is not configured. `leases: {remote: origin}` in .chant/config.md turns it on.";
    ChantError::Refused(message.into()).into()
}
