//! Gives an agent what people sent in the session in which it did the work, where that is kept, else in a new one; and
//! keeps its session for the next turn.
//!
//! Of what a run leaves in its agent's state one transcript goes back, to a confined run of the same spec and the same
//! agent, and nothing else.

use std::path::{Path, PathBuf};

use super::agent_launch::{LaunchInputs, choose_agent, passed_environment};
use super::run_confinement;
use crate::agents::discovery::AgentSearch;
use crate::agents::probe::AgentProbe;
use crate::agents::{self, Agent};
use crate::kept_sessions::seconds_now;
use crate::project::ProjectRuns;
use crate::project::folders::{self, PRIVATE, PROMPT};
use crate::review::{SentReview, note_delivery};
use chant_agents::kept_session::{AgentMark, DigestReason};
use chant_agents::session_store::{EndedSession, ReadySession, SessionStore, real_folder};
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_config::Config;
use chant_review::event::{DeliveryReason, DeliveryWay};
use chant_specs::project::Project;
use chant_store::disk;
use chant_work::agent::{AgentJob, AgentOutcome};
use chant_work::run_record::{DeliveryEntry, RunRecord};
use chant_work::runner::ActiveRun;

/// The greatest size of a prompt that is read back, in bytes.
const MAX_PROMPT: u64 = 64 * 1024 * 1024;

/// The start of an agent that goes on with a session, with what is done if it does not take that up.
#[derive(Debug)]
pub(super) struct ResumedTurn {
    session: String,
    batches: Vec<String>,
    /// The start in a new session.
    usual: AgentJob,
    prompt_file: PathBuf,
    usual_prompt: String,
}

/// Gives a run's agent what waits for it: returns its start, and in a resumed session the other one. It is noted
/// before the agent starts, and counts once it has.
///
/// # Errors
/// A failure to read the kept session, or to write the review or the record.
pub(super) fn begin_turn(
    inputs: &LaunchInputs<'_>,
    run: &mut ActiveRun<'_>,
    sent: Option<&SentReview>,
    usual: AgentJob,
) -> Result<(AgentJob, Option<ResumedTurn>), Error> {
    let Some(sent) = sent.filter(|sent| !sent.waiting.is_empty()) else {
        return Ok((usual, None));
    };
    let (way, started) = match resumed_job(inputs, sent, &usual) {
        Ok((job, turn, run)) => {
            let way = DeliveryReason {
                how: DeliveryWay::Resumed,
                why: format!("the session of {run} is kept"),
            };
            (way, (job, Some(turn)))
        }
        Err(reason) => (digest(&reason), (usual, None)),
    };
    note_way(run, &way)?;
    let (project, record) = (inputs.project, run.record());
    let id = &record.process_id;
    note_delivery(project, inputs.spec.id.as_str(), id, &sent.waiting, &way)?;
    Ok(started)
}

/// A session that cannot be reached is no reason to lose what was sent.
fn failed(error: impl std::fmt::Display) -> DigestReason {
    DigestReason::NotPlaced(error.to_string())
}

fn digest(reason: &DigestReason) -> DeliveryReason {
    DeliveryReason {
        how: DeliveryWay::Digest,
        why: reason.to_string(),
    }
}

fn note_way(run: &mut ActiveRun<'_>, way: &DeliveryReason) -> Result<(), Error> {
    let entry = DeliveryEntry {
        how: way.how.as_str().to_owned(),
        why: way.why.clone(),
        is_taken_up: false,
    };
    run.update(|record| {
        record.delivery = Some(entry.clone());
        // The agent of before reached nobody.
        if let Some(agent) = &mut record.agent {
            agent.pid = None;
        }
        Ok(())
    })?;
    Ok(())
}

fn resumed_job(
    inputs: &LaunchInputs<'_>,
    sent: &SentReview,
    usual: &AgentJob,
) -> Result<(AgentJob, ResumedTurn, String), DigestReason> {
    let prompt = sent.resumed.as_ref().ok_or(DigestReason::NothingOpen)?;
    let agent = choose_agent(inputs.config, inputs.asked).map_err(failed)?;
    let ready = ready_session(inputs, &agent)?;
    let worktree = &inputs.place.worktree;
    let private = private_folder(worktree).ok_or(DigestReason::Unconfined)?;
    let placed = ready.place(&private, &places_of(&agent));
    placed.map_err(failed)?;
    let prompt_file = folders::sibling_file(worktree, PROMPT);
    let usual_prompt = disk::read_owned(&prompt_file, MAX_PROMPT).map_err(failed)?;
    let job = inputs.resumed_job(usual, prompt, ready.session.as_str());
    let job = job.map_err(failed)?;
    let turn = ResumedTurn {
        session: ready.session.to_string(),
        batches: sent.waiting.clone(),
        usual: usual.clone(),
        prompt_file,
        usual_prompt,
    };
    Ok((job, turn, ready.run))
}

fn ready_session(inputs: &LaunchInputs<'_>, agent: &Agent) -> Result<ReadySession, DigestReason> {
    let (project, config) = (inputs.project, inputs.config);
    if agent.transcripts.is_empty() {
        return Err(DigestReason::NoTemplate(agent.name.clone()));
    }
    if !run_confinement::is_held(project, config).map_err(failed)? {
        return Err(DigestReason::Unconfined);
    }
    let state = project.state().map_err(failed)?;
    let sessions = SessionStore::of(&state);
    let now = seconds_now(project);
    let kept = sessions.read(inputs.spec.id.as_str());
    let kept = kept.filter(|kept| !kept.is_over(now, config.runs.sessions_kept));
    let kept = kept.ok_or(DigestReason::NoSession)?;
    let model = agents::model(inputs.spec, agent, &project.environment, config);
    if let Some(reason) = kept.refusal(&mark_of(project, config, agent, model)) {
        return Err(reason);
    }
    sessions.ready(&kept).ok_or(DigestReason::Damaged)
}

impl ResumedTurn {
    /// Returns the start in a new session if an agent that ended did not take its session up; before, it is noted that
    /// what was sent is given in that.
    ///
    /// # Errors
    /// A failure to write the review, the record or the prompt.
    pub(super) fn restart_with_digest(
        self,
        project: &Project,
        run: &mut ActiveRun<'_>,
        ended: &AgentOutcome,
    ) -> Result<Option<AgentJob>, Error> {
        if !ended.has_refused_session(&self.session) {
            run.update(|record| {
                if let Some(delivery) = &mut record.delivery {
                    delivery.is_taken_up = true;
                }
                Ok(())
            })?;
            return Ok(None);
        }
        let said = ended.cause.as_ref().map(|(_, words)| words);
        let trouble = ended.events.trouble.as_ref().map(|trouble| &trouble.words);
        let mut words = [said, trouble, ended.tail.last()].into_iter().flatten();
        let words = words.find(|words| !words.is_empty()).cloned();
        let way = digest(&DigestReason::Refused(words.unwrap_or_default()));
        // First of all it counts as given to nobody.
        note_way(run, &way)?;
        let (spec_id, id) = (&run.record().spec_id, &run.record().process_id);
        note_delivery(project, spec_id, id, &self.batches, &way)?;
        disk::write_private(&self.prompt_file, &self.usual_prompt)?;
        Ok(Some(self.usual))
    }
}

/// Keeps the session of a run whose agent ended, in the place of that of the turn before. A run does not fail because
/// it cannot be kept.
pub(crate) fn keep_session(project: &Project, record: &RunRecord) {
    keep(project, record).log_failure("keep the session of a run");
}

fn keep(project: &Project, record: &RunRecord) -> Result<(), Error> {
    let Some(entry) = &record.agent else {
        return Ok(());
    };
    if record.usage.is_none() && entry.session.is_none() {
        // It did nothing, so the turn before is still the last one.
        return Ok(());
    }
    let config = &*project.snapshot()?.config.clone()?;
    let agent = choose_agent(config, &record.asked)?;
    let state = project.state()?;
    let sessions = SessionStore::of(&state);
    let is_kept = !agent.transcripts.is_empty() && !config.runs.sessions_kept.is_zero();
    if !is_kept || record.asked.on.is_some() {
        sessions.remove(&record.spec_id)?;
        return Ok(());
    }
    let folder = record.worktree.as_deref().map(Path::new);
    let folder = folder.and_then(private_folder);
    sessions.keep(&EndedSession {
        spec: &record.spec_id,
        run: &record.process_id,
        agent: mark_of(project, config, &agent, entry.model.clone()),
        session: entry.session.as_deref(),
        folder: folder.as_deref(),
        patterns: &places_of(&agent),
        now: seconds_now(project),
    })?;
    Ok(())
}

/// Returns the real private folder of a run, which it cannot have replaced: it writes in it, and not above.
fn private_folder(worktree: &Path) -> Option<PathBuf> {
    real_folder(&folders::sibling_file(worktree, PRIVATE))
}

/// Returns the places of an agent's transcripts below the private folder of a run.
fn places_of(agent: &Agent) -> Vec<String> {
    let patterns = agent.transcripts.iter();
    patterns
        .map(|pattern| format!("{}/{pattern}", run_confinement::OWN_STATE))
        .collect()
}

fn mark_of(project: &Project, config: &Config, agent: &Agent, model: Option<String>) -> AgentMark {
    let words = agent
        .words(true)
        .map(|(words, _)| words)
        .unwrap_or_default();
    let program = words.first().map(Path::new).and_then(Path::file_name);
    AgentMark {
        name: agent.name.clone(),
        program: program.unwrap_or_default().to_string_lossy().into_owned(),
        release: release_of(project, config, agent),
        model,
    }
}

/// Returns the release of a built-in agent, in its own words; a command of the configuration is asked for none.
fn release_of(project: &Project, config: &Config, agent: &Agent) -> Option<String> {
    let template = agent.template?;
    let around: AgentSearch<'_> = project.surroundings();
    let found = around
        .agents()
        .into_iter()
        .find(|found| found.template == template)?;
    let passed = passed_environment(project, config, &agent.credentials());
    let probe = AgentProbe {
        agent: &found,
        environment: &passed.variables,
    };
    probe.release()
}
