//! The confinement that this machine offers, and commands that people try in it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::confined_command::ConfinedCommand;
use crate::project::folders;
use crate::runtime::agent_launch::bounds;
use crate::runtime::run_confinement::{self, AppliedConfinement, ConfinedActor};
use crate::runtime::sandbox_support;
use crate::view::confine::{ConfinementItem, ConfinementView};
use chant_base::answer::Answer;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_config::Config;
use chant_config::confine::{ConfineSettings, NetworkSetting};
use chant_confine::ability::{ASSUMED, DEVICES, SCOPES};
use chant_confine::{ConfinedProgram, ConfinementStatus, LandlockSupport};
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_store::disk;
use chant_work::process_limit::limit_this_process;

/// Shows how runs can be held, for `chant-mcp confine --check`. A process that does nothing is held and ends.
///
/// # Errors
/// A failure to read the configuration.
pub fn confine_check(project: &Project) -> Result<Answer, Error> {
    let config = project.configuration_without_specs()?;
    let assumed = project.environment.get(ASSUMED).map(String::as_str);
    let ability = LandlockSupport::of_system(assumed);
    sandbox_support::forget_tries(project);
    let tried = run_confinement::confinement_status(project, &config).and_then(|standing| {
        tried(project, &config)?;
        Ok(standing)
    });
    let (standing, problem) = match tried {
        Ok(standing) => (standing, None),
        Err(error) => {
            let why = "what the configuration asks for cannot be held".into();
            (ConfinementStatus::Unconfined(why), Some(error.to_string()))
        }
    };
    Ok(Answer::data(&ConfinementView {
        confinement: standing.to_string(),
        landlock_abi: ability.abi,
        held: held(&standing, ability, &config.confine),
        problem,
    }))
}

/// Holds a process that does nothing, as a check would be held.
fn tried(project: &Project, config: &Config) -> Result<(), Error> {
    let folder = TrialFolders::new(project)?;
    let argv = [];
    let hold = run_confinement::of_run(
        project,
        config,
        None,
        &folder.own,
        ConfinedActor::Trial(&argv, &folder.private),
        None,
    )?;
    let tried = hold.confinement.try_start();
    folder.remove();
    tried.map_err(|error| ChantError::Refused(error.to_string()).into())
}

/// Gives the command line to replace this process by, so that a command is held as a run in a folder is. Without
/// a launcher, the calling thread is held, for good.
///
/// # Errors
/// `Refused` when what the configuration asks for cannot be held, or a failure of the disk.
pub fn confine_command(
    project: &Project,
    folder: &Path,
    argv: &[String],
) -> Result<ConfinedCommand, Error> {
    let config = project.configuration_without_specs()?;
    let standing = run_confinement::confinement_status(project, &config)?;
    let trial = TrialFolders::new(project)?;
    let repo = project.repo()?;
    let held = ConfinedActor::Trial(argv, &trial.private);
    let AppliedConfinement {
        confinement,
        variables,
        ..
    } = run_confinement::of_run(project, &config, repo.as_deref(), folder, held, None)?;
    let refused = |error: io::Error| ChantError::Refused(error.to_string());
    let words = |(name, value): (&String, &String)| (name.into(), value.into());
    let added: Vec<(OsString, OsString)> = variables.iter().map(words).collect();
    let argv: Vec<OsString> = argv.iter().map(Into::into).collect();
    if !confinement.ends_with_its_first_process() {
        limit_this_process(bounds(project, &config));
    }
    let own = project.environment.iter().map(words);
    let program = ConfinedProgram {
        argv: argv.clone(),
        environment: own.chain(added.clone()).collect(),
        folder: folder.to_owned(),
    };
    if let Some((launcher, order)) = confinement.order(program).map_err(refused)? {
        let folder = folder.into();
        return Ok(ConfinedCommand::ordered(launcher, order, folder, &standing));
    }
    let line = confinement.command_line(argv);
    confinement.enforce().map_err(refused)?;
    Ok(ConfinedCommand::line(line, added, folder.into(), &standing))
}

/// The folders of one trial.
pub(super) struct TrialFolders {
    pub(super) own: PathBuf,
    private: PathBuf,
}

impl TrialFolders {
    /// Makes them, and removes those of trials that are over.
    pub(super) fn new(project: &Project) -> Result<Self, Error> {
        let all = folders::user_state_folder(project)?.join("trials");
        disk::make_folders(&all)?;
        for one in disk::names(&all)? {
            let process = one
                .name
                .split('.')
                .next()
                .and_then(|name| name.parse().ok());
            if process.is_none_or(|process| !disk::is_process(process)) {
                // What cannot be removed is in no way.
                disk::remove_tree(&all.join(one.name))
                    .log_failure("remove the folder of a dead command");
            }
        }
        let process = std::process::id();
        let own = all.join(format!("{process}.run"));
        disk::make_folders(&own)?;
        Ok(Self {
            own,
            private: all.join(format!("{process}.private")),
        })
    }

    pub(super) fn remove(&self) {
        // An agent that is tried has its private folder beside its own.
        let of_agent = folders::sibling_file(&self.own, folders::PRIVATE);
        for folder in [&self.own, &self.private, &of_agent] {
            disk::remove_tree(folder).log_failure("remove the folder of the command");
        }
    }
}

fn held(
    standing: &ConfinementStatus,
    ability: LandlockSupport,
    confine: &ConfineSettings,
) -> Vec<ConfinementItem> {
    let is_held = !matches!(standing, ConfinementStatus::Unconfined(_));
    let is_landlock = matches!(standing, ConfinementStatus::Landlock { .. });
    let is_bubblewrap = matches!(standing, ConfinementStatus::Bubblewrap);
    let is_linux = is_landlock || is_bubblewrap;
    let has_namespaces = match standing {
        ConfinementStatus::Landlock { has_namespaces, .. } => *has_namespaces,
        _ => is_bubblewrap,
    };
    let has = |abi: u8| is_held && (!is_landlock || ability.abi >= abi);
    let thing = |what, holds, note: &'static str| ConfinementItem {
        what,
        holds,
        note: Some(note).filter(|note| !note.is_empty()),
    };
    let is_closed = is_held && confine.network != NetworkSetting::Open;
    let network = match confine.network {
        NetworkSetting::Open => {
            "`confine.network: hosts` opens hosts of a list alone, `none` closes it"
        }
        NetworkSetting::Hosts => {
            "but for `confine.hosts`; `chant-mcp confine` itself reaches none, `chant-mcp env --` does"
        }
        NetworkSetting::None => "",
    };
    vec![
        thing(
            "writing outside of its folder",
            is_held,
            "`confine.write` opens more",
        ),
        thing(
            "reading people's files and secrets",
            is_held,
            "`confine.read` opens more, `confine.deny` closes more",
        ),
        thing(
            "rights and times of your files outside (chmod, touch)",
            is_held && !is_landlock,
            "Landlock knows no right for them; `confine.backend: bubblewrap` holds them",
        ),
        thing(
            "signals to processes outside",
            has_namespaces || has(SCOPES),
            "needs namespaces or Landlock ABI 6 (Linux 6.12)",
        ),
        thing(
            "living on after its end",
            has_namespaces,
            "needs namespaces of processes; without them what is left is looked for and ended",
        ),
        thing(
            "shared memory, messages and semaphores of others, by their names",
            is_linux,
            "without namespaces a run has none of its own, and semaphores are files in /dev/shm",
        ),
        thing(
            "memory, environment and descriptors of processes outside",
            is_held,
            "",
        ),
        thing("limits and priorities of processes outside", is_linux, ""),
        thing(
            "abstract sockets of others",
            has(SCOPES),
            "needs Landlock ABI 6 (Linux 6.12)",
        ),
        thing(
            "sockets with names (agents of keys, session bus, docker)",
            is_held && !confine.unix_sockets,
            "`confine.unix_sockets` opens them",
        ),
        thing(
            "commands to devices",
            has(DEVICES),
            "needs Landlock ABI 5 (Linux 6.10)",
        ),
        thing(
            "terminals",
            is_held && !confine.pty,
            "`confine.pty` opens them",
        ),
        thing("keyrings and io_uring", is_linux, ""),
        thing("the network", is_closed, network),
        thing(
            "servers on this machine (127.0.0.1)",
            is_closed,
            "`confine.network: hosts` gives runs a loopback of their own, which needs namespaces",
        ),
    ]
}
