//! The kept sessions of agents, for people.

use crate::kept_sessions::sweep_sessions;
use chant_agents::kept_session::{SessionList, SessionRow};
use chant_agents::session_store::SessionStore;
use chant_base::answer::Answer;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_specs::project::Project;

/// Returns the sessions that are kept, by spec, without those that nothing needs any more.
///
/// # Errors
/// That the user's own state cannot be found.
pub fn sessions(project: &Project) -> Result<Answer, Error> {
    sweep_sessions(project)?;
    let all = SessionStore::of(&project.state()?).all().into_iter();
    Ok(Answer::data(&SessionList {
        sessions: all.map(SessionRow::from).collect(),
    }))
}

/// Removes the kept session of a spec, or all: the next comments come in new sessions.
///
/// # Errors
/// As [`Project::resolve`], or a failure of the disk.
pub fn clear_sessions(project: &Project, id: Option<&str>) -> Result<Answer, Error> {
    project.refuse_agents("removed")?;
    let state = project.state()?;
    let sessions = SessionStore::of(&state);
    let all = sessions.all().into_iter().map(|kept| kept.spec);
    let named: Vec<String> = match id {
        None => all.collect(),
        Some(id) => match all.into_iter().find(|spec| spec == id) {
            Some(spec) => vec![spec],
            None => vec![project.resolve(&project.snapshot()?, id)?.id.to_string()],
        },
    };
    let mut count = 0;
    for spec in &named {
        count += usize::from(sessions.remove(spec)?);
    }
    Ok(Answer::prose(match (count, id) {
        (0, Some(_)) => format!("No session of '{}' is kept.", named.join(", ")),
        (0, None) => "No session is kept.".to_owned(),
        (1, _) => "Removed 1 kept session.".to_owned(),
        (count, _) => format!("Removed {count} kept sessions."),
    }))
}

/// Moves a spec to the archive, and removes the kept sessions of what it moved.
///
/// # Errors
/// As [`chant_specs::ops::archive`].
pub fn archive(project: &Project, id: &str) -> Result<Answer, Error> {
    let answer = chant_specs::ops::archive(project, id)?;
    sweep_sessions(project).log_failure("remove kept sessions");
    Ok(answer)
}
