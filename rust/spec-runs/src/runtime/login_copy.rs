//! The login that a confined agent works with: a copy without refresh tokens, and what people have to
//! know of that before the start.
//!
//! The copy goes one way. Nothing that an agent writes into it comes back to the user's file; when the
//! user renews the login meanwhile, the runs get the new access token, within seconds.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use super::account_room::with_accounts;
use super::run_confinement;
use crate::agents::Agent;
use crate::agents::built_in::{AgentState, BuiltIn, TokenFile};
use crate::agents::discovery::{AgentSearch, LoginSign};
use crate::project::ProjectRuns;
use chant_agents::token_file::without_named_refresh_tokens;
use chant_base::error::Error;
use chant_config::Config;
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_store::disk::{self, read_beneath, replace_beneath};

/// The greatest size of a login in bytes.
const MAX_LOGIN_SIZE: u64 = 1024 * 1024;
/// The time between two comparisons of the copy.
pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The time before the end of an access token in which no run starts with it. It is not longer: agents
/// renew their login themselves when they start in these last minutes, and not earlier.
const MIN_VALIDITY: Duration = Duration::from_secs(5 * 60);

/// The copy of the user's login in the folder of a run.
#[derive(Debug)]
pub(super) struct LoginCopy {
    /// The user's file.
    user: PathBuf,
    /// The folder of the run's own state, in which the agent writes.
    folder: PathBuf,
    /// Its name in that folder.
    file: &'static str,
    form: Option<&'static TokenFile>,
    /// The login that the run has.
    given: RefCell<String>,
}

impl LoginCopy {
    /// Returns the copy of a run whose agent is about to start; `None` if it has none.
    pub(super) fn of(
        project: &Project,
        state: Option<&'static AgentState>,
        worktree: &Path,
    ) -> Option<Self> {
        let state = state?;
        let form = state.tokens.as_ref();
        let file = form.map_or_else(|| state.login.first().copied(), |form| Some(form.file))?;
        let around: AgentSearch<'_> = project.surroundings();
        let user = around.state_file(&state.place, file)?;
        let folder = disk::real(&run_confinement::state_of_agent(worktree)).ok()?;
        let given = RefCell::new(read_beneath(&folder, file, MAX_LOGIN_SIZE).ok()?);
        Some(Self {
            user,
            folder,
            file,
            form,
            given,
        })
    }

    /// Gives the run the login that the user has renewed. A file that cannot be read or written now is
    /// tried again next time.
    pub(super) fn follow_user(&self) {
        let Some(login) = login_for_run(self.form, &self.user) else {
            return;
        };
        if *self.given.borrow() != login && replace_beneath(&self.folder, self.file, &login).is_ok()
        {
            *self.given.borrow_mut() = login;
        }
    }
}

/// Returns the login for a run from the user's file; `None` if that is no login of a form that is known, or one without
/// a refresh token where it is not.
pub(super) fn login_for_run(form: Option<&TokenFile>, user: &Path) -> Option<String> {
    let login = disk::read_owned(user, MAX_LOGIN_SIZE).ok()?;
    match form {
        Some(form) => form.without_refresh_tokens(&login),
        None => without_named_refresh_tokens(&login),
    }
}

/// The login of an agent that a confined run would work with, if it is one that ends or renews itself.
pub(crate) enum RunLogin {
    /// Its access token, without the one that renews it.
    AccessToken {
        template: &'static BuiltIn,
        file: PathBuf,
        /// The time at which it ends, if the file says it.
        ends: Option<Timestamp>,
    },
    /// A copy of all that the agent's login consists of: its form is not known, and nothing in it is called a refresh
    /// token.
    WholeCopy { template: &'static BuiltIn },
}

impl RunLogin {
    /// Returns the login; `None` where runs are not confined, or where a key or no login is there.
    ///
    /// # Errors
    /// As [`run_confinement::is_held`].
    pub(crate) fn of(
        project: &Project,
        config: &Config,
        agent: &Agent,
    ) -> Result<Option<Self>, Error> {
        let Some(template) = agent.template else {
            return Ok(None);
        };
        let around = AgentSearch {
            environment: &with_accounts(config, project, &agent.name),
            ..project.surroundings()
        };
        let Some(LoginSign::File(file)) = around.login(template) else {
            return Ok(None);
        };
        if !run_confinement::is_held(project, config)? {
            return Ok(None);
        }
        let login = disk::read_owned(&file, MAX_LOGIN_SIZE).unwrap_or_default();
        Ok(match &template.state.tokens {
            Some(form) if !form.has_refresh_token(&login) => None,
            None if without_named_refresh_tokens(&login).is_none() => {
                Some(Self::WholeCopy { template })
            }
            form => Some(Self::AccessToken {
                template,
                ends: form.as_ref().and_then(|form| form.ends(&login)),
                file,
            }),
        })
    }

    /// Refuses a login that has ended, or ends before an agent could work with it.
    ///
    /// # Errors
    /// `Refused`.
    pub(crate) fn refuse_ended(&self, now: Timestamp) -> Result<(), Error> {
        match self {
            Self::AccessToken {
                template,
                file,
                ends: Some(ends),
            } if *ends <= now + MIN_VALIDITY => {
                let message = format!(
                    "The login of {} in {} ends at {}, and a run cannot renew it: it gets no refresh token, so that no run can void or replace your login. {}, then start the work again",
                    template.title,
                    file.display(),
                    shown(*ends),
                    advice(template),
                );
                Err(ChantError::Refused(message).into())
            }
            _ => Ok(()),
        }
    }

    /// Returns the note about a login that may end while a run of this length works.
    pub(crate) fn note_for(&self, now: Timestamp, run: Duration) -> Option<String> {
        match self {
            Self::AccessToken {
                template,
                ends: Some(ends),
                ..
            } if *ends <= now + run => Some(format!(
                "The login of {} ends at {}, perhaps before the run: it gets no refresh token. {}; a run that is at work then gets the new login",
                template.title,
                shown(*ends),
                advice(template),
            )),
            _ => None,
        }
    }

    /// Returns what runs get of the login, for `doctor`.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::AccessToken { template, ends, .. } => {
                let until = ends.map_or_else(String::new, |ends| format!(" until {}", shown(ends)));
                format!(
                    "runs get its access token{until} and no refresh token, so that none can void or replace your login. {}",
                    advice(template)
                )
            }
            Self::WholeCopy { template, .. } => format!(
                "runs get a copy of all of it; tokens that one renews are lost with it, which can end your login. To prevent that {}",
                template.lasting
            ),
        }
    }
}

/// Refuses an agent whose login ends before a run could do anything with it.
///
/// # Errors
/// As [`RunLogin::refuse_ended`].
pub(super) fn refuse_ended_login(
    project: &Project,
    config: &Config,
    agent: &Agent,
) -> Result<(), Error> {
    match RunLogin::of(project, config, agent)? {
        Some(login) => login.refuse_ended((project.clock.now)()),
        None => Ok(()),
    }
}

/// Returns how a login is renewed, and what lasts longer.
fn advice(template: &BuiltIn) -> String {
    format!(
        "Start `{}` once, which renews it; for long or unattended work {}",
        template.usual_program(),
        template.lasting
    )
}

fn shown(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}
