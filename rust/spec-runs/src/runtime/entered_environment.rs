//! Gives a person's command the environment of a run: a folder of its own with the files of a commit, what recipes install,
//! ports, services and lent files, confined as runs are.

use super::environment::CommitOrigin;
use super::own_files::OwnFiles;
use super::rerun::CommitChecks;
use super::run_confinement;
use crate::ops::ConfinedCommand;
use chant_base::error::Error;
use chant_config::run_environment::RouteUser;
use chant_confine::{ConfineBackend, ConfinePolicy, ConfinedProgram, Confinement, ProcessLifetime};
use chant_specs::error::ChantError;

impl CommitChecks<'_> {
    /// Sets up the environment of agents for the files of a commit, and has `run` start a command in it and give its exit
    /// code. All that belongs to it is ended and removed after that. `progress` hears what takes long.
    ///
    /// # Errors
    /// The failure of a recipe or a service, the reason why it cannot be confined, or that of `run`.
    pub(crate) fn enter(
        &self,
        commit: &str,
        argv: &[String],
        progress: &mut dyn FnMut(&str),
        run: &mut dyn FnMut(ConfinedCommand) -> Result<i32, Error>,
    ) -> Result<i32, Error> {
        let mut folder = self.open(commit)?;
        let user = RouteUser::Agents;
        if let Some(why) = folder.set_up_for(user, commit, CommitOrigin::Landed, progress)? {
            return Err(ChantError::Refused(why).into());
        }
        OwnFiles::read(self.project, self.config, self.repo)?.copy(&folder.place().worktree)?;
        let job = folder.command(argv)?;
        let status = run_confinement::confinement_status(self.project, self.config)?;
        let refused = |why: String| Error::from(ChantError::Refused(why));
        let program = ConfinedProgram {
            argv: job.argv.iter().map(Into::into).collect(),
            environment: job.environment.clone(),
            folder: job.folder.clone(),
        };
        let confinement = match job.confinement {
            Confinement::Off => Confinement::Off,
            // A launcher starts it also where it needs none for namespaces.
            Confinement::Kernel(policy) => Confinement::to(ConfinePolicy {
                lifetime: ProcessLifetime::OfStarter,
                ..ConfinePolicy::clone(&policy)
            }),
        };
        let ordered = confinement
            .order(program)
            .map_err(|error| refused(error.to_string()))?;
        let command = match (ordered, &confinement) {
            (Some((launcher, order)), _) => {
                ConfinedCommand::ordered(launcher, order, job.folder, &status)
            }
            (None, Confinement::Kernel(policy)) if policy.backend != ConfineBackend::Seatbelt => {
                let why = "A command of yours cannot be confined here in the environment of a run: our launcher of confined processes is not there";
                return Err(refused(why.to_owned()));
            }
            (None, _) => {
                let line = confinement.command_line(job.argv.iter().map(Into::into).collect());
                ConfinedCommand::line(line, job.environment, job.folder, &status)
            }
        };
        run(command)
    }
}
