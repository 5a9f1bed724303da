//! Builds the confinement of processes for a spec from the configuration, the features of the
//! system, and the folders of a run.
//!
//! A run writes its folder and a private folder next to it, which holds temporary files, settings and
//! caches of tools, and is removed with it; so does each check. Nothing of that is shared: what one
//! run writes into a cache would decide what the check of another one sees, whether its work ever
//! lands or not.

use std::path::{Path, PathBuf};

use super::agent_state;
use super::confine_means::{ConfineMeans, means, refused};
use super::holder_file::holder_of;
use super::masked_settings::MaskedSettings;
use super::mounted_layers::mount_layers;
use super::sandbox_support::{self, package};
use crate::agents::built_in::AgentState;
use crate::agents::environment::EnvironmentMap;
use crate::project::folders::{self, BASE, CHECKING, IGNORED, PRIVATE, PROMPT, SERVER};
use chant_base::error::Error;
use chant_config::Config;
use chant_config::confine::{IpcSetting, NetworkSetting};
use chant_confine::reach::AccessRequest;
use chant_confine::{
    ConfineBackend, Confinement, ConfinementStatus, IpcAccess, NetworkAccess, ProcessLifetime,
    SandboxLauncher,
};
use chant_git::Repo;
use chant_specs::project::Project;
use chant_store::disk;
use chant_work::agent::AgentLimits;

/// Variables that name a folder with caches of tools, with the name of the folder.
const CACHES: [(&str, &str); 8] = [
    ("XDG_CACHE_HOME", "xdg"),
    ("npm_config_cache", "npm"),
    ("PIP_CACHE_DIR", "pip"),
    ("UV_CACHE_DIR", "uv"),
    ("GOCACHE", "go-build"),
    ("GOMODCACHE", "go-mod"),
    ("CARGO_HOME", "cargo"),
    ("GRADLE_USER_HOME", "gradle"),
];
/// The variable that names the folder of programs that uv installs.
const UV_TOOLS: &str = "UV_TOOL_DIR";
/// Variables that name the folder for temporary files.
const TEMPORARY: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];
/// The folders with the logins of `gh` and `glab`, below that of the user's configuration.
const LOGINS: [&str; 2] = ["gh", "glab-cli"];
/// The name of the folder of hooks that husky makes beside the user's.
const MANAGED_HOOKS: &str = "_";
/// The name of an agent's own state in the private folder of its run.
pub(super) const OWN_STATE: &str = "agent";
/// The kinds of confined processes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ConfinedActor<'a> {
    /// An agent: its command line as the user configured it, its own state, and its variables.
    Agent(
        &'a [String],
        Option<&'static AgentState>,
        &'a [(String, String)],
    ),
    /// A check, with its command line.
    Check(&'a [String]),
    /// A service or a command about it, with its private folder and that of its data.
    Service(&'a [String], &'a Path, &'a Path),
    /// The call of git that runs a hook, with the folder of hooks.
    Hook(&'a [String], &'a Path),
    /// A git of ours.
    Git,
    /// A command that a person tries, with its private folder.
    Trial(&'a [String], &'a Path),
    /// The command that proposes work for merging, with its private folder. It reads the project, and the
    /// login that it acts with.
    Proposal(&'a [String], &'a Path),
    /// The process that holds the namespaces of others.
    Holder,
    /// A job client in place of an agent, with the socket that it speaks to and the file by which it
    /// notices readers. It reaches no network.
    JobClient(&'a [String], &'a Path, &'a Path),
}

impl ConfinedActor<'_> {
    /// Returns the private folder; git has none.
    fn private(self, worktree: &Path) -> Option<PathBuf> {
        match self {
            Self::Agent(..) | Self::JobClient(..) => Some(folders::sibling_file(worktree, PRIVATE)),
            Self::Check(_) | Self::Hook(..) => Some(folders::sibling_file(worktree, CHECKING)),
            Self::Trial(_, folder) | Self::Proposal(_, folder) | Self::Service(_, folder, _) => {
                Some(folder.to_owned())
            }
            Self::Git | Self::Holder => None,
        }
    }

    /// Returns the folder of data of a service.
    fn data(self) -> Option<PathBuf> {
        match self {
            Self::Service(_, _, data) => Some(data.to_owned()),
            _ => None,
        }
    }

    /// Returns the lifetime: nothing that works beside a run is to outlive it.
    fn lifetime(self) -> ProcessLifetime {
        match self {
            Self::Service(..) | Self::Holder => ProcessLifetime::OfStarter,
            _ => ProcessLifetime::Own,
        }
    }

    /// Returns the network that it reaches.
    fn network(self, setting: NetworkSetting) -> NetworkAccess {
        match (self, setting) {
            (Self::JobClient(..), _) | (_, NetworkSetting::None) => NetworkAccess::None,
            (_, NetworkSetting::Hosts) => NetworkAccess::Own,
            (_, NetworkSetting::Open) => NetworkAccess::Open,
        }
    }

    /// Returns the command line that a person configured or gave.
    fn argv(&self) -> Option<&[String]> {
        match self {
            Self::Agent(argv, ..)
            | Self::Check(argv)
            | Self::Service(argv, ..)
            | Self::Hook(argv, _)
            | Self::Trial(argv, _)
            | Self::Proposal(argv, _)
            | Self::JobClient(argv, ..) => Some(argv),
            Self::Git | Self::Holder => None,
        }
    }
}

/// The confinement of a process, with its variables.
#[derive(Debug, Clone)]
pub(crate) struct AppliedConfinement {
    /// The confinement.
    pub confinement: Confinement,
    /// The variables in its environment because of that.
    pub variables: EnvironmentMap,
    /// The launcher of a process that is not confined: it can wait there, too, until its processes are counted.
    pub launcher: Option<SandboxLauncher>,
}

/// Returns the confinement that a run will have when it is started.
///
/// # Errors
/// `Refused` when the configured confinement is not possible: nothing must be started then.
pub(crate) fn standing_of_start(
    project: &Project,
    config: &Config,
    repo: &Repo,
) -> Result<ConfinementStatus, Error> {
    let standing = confinement_status(project, config)?;
    // Any name will do: a path that is denied there is denied for each run.
    let folder = folders::worktrees_folder(project, config, repo)?.join("run");
    of_folder(project, config, repo, &folder)?;
    Ok(standing)
}

/// Returns the confinement of runs here, as it is shown to people; the same everywhere.
///
/// # Errors
/// `Refused` when the configured confinement is not possible.
pub(crate) fn confinement_status(
    project: &Project,
    config: &Config,
) -> Result<ConfinementStatus, Error> {
    let status = match means(project, &config.confine)? {
        ConfineMeans::None(why) => ConfinementStatus::Unconfined(why),
        ConfineMeans::By(ConfineBackend::Landlock, support) => ConfinementStatus::Landlock {
            support,
            has_namespaces: sandbox_support::launcher(project, support).1.is_none(),
        },
        ConfineMeans::By(ConfineBackend::Bubblewrap(_), _) => ConfinementStatus::Bubblewrap,
        ConfineMeans::By(ConfineBackend::Seatbelt, _) => ConfinementStatus::Seatbelt,
    };
    let has_namespaces = matches!(
        status,
        ConfinementStatus::Landlock {
            has_namespaces: true,
            ..
        }
    );
    let is_held = !matches!(status, ConfinementStatus::Unconfined(_));
    if config.confine.network == NetworkSetting::Hosts && is_held && !has_namespaces {
        let why = "`confine.network: hosts` needs namespaces of Linux, which a run does not have here; `none` closes the whole network, and `open` opens it";
        return Err(refused(why));
    }
    Ok(status)
}

/// Returns true if runs are confined here.
///
/// # Errors
/// `Refused` when the configured confinement is not possible.
pub(crate) fn is_held(project: &Project, config: &Config) -> Result<bool, Error> {
    Ok(!matches!(
        confinement_status(project, config)?,
        ConfinementStatus::Unconfined(_)
    ))
}

/// Returns the folder with the own state of an agent that works in a folder.
pub(crate) fn state_of_agent(worktree: &Path) -> PathBuf {
    agent_folder(&folders::sibling_file(worktree, PRIVATE))
}

fn agent_folder(private: &Path) -> PathBuf {
    private.join(OWN_STATE)
}

/// Returns the confinement of our git in the folder of a run.
///
/// # Errors
/// As [`of_run`].
pub(crate) fn of_folder(
    project: &Project,
    config: &Config,
    repo: &Repo,
    folder: &Path,
) -> Result<Confinement, Error> {
    Ok(of_run(
        project,
        config,
        Some(repo),
        folder,
        ConfinedActor::Git,
        None,
    )?
    .confinement)
}

/// Returns the confinement of a process in the folder of a run, which has its repository inside.
/// Creates the folders that the process writes, except that of `connections`, which is created with
/// the pipe in it.
///
/// # Errors
/// `Refused` when the configured confinement is not possible, or a failure of the disk.
pub(crate) fn of_run(
    project: &Project,
    config: &Config,
    repo: Option<&Repo>,
    worktree: &Path,
    held: ConfinedActor<'_>,
    connections: Option<&Path>,
) -> Result<AppliedConfinement, Error> {
    let ConfineMeans::By(backend, ability) = means(project, &config.confine)? else {
        return Ok(AppliedConfinement {
            confinement: Confinement::Off,
            variables: EnvironmentMap::new(),
            launcher: sandbox_support::found_launcher(project),
        });
    };
    let mut folders = WritableFolders::default();
    let masked = MaskedSettings::of(project, worktree)?;
    if let Some(folder) = held.private(worktree) {
        folders.private(folder)?;
        folders.tools_of_uv()?;
        folders.settings_of_cargo(&masked)?;
        if let ConfinedActor::Agent(_, Some(state), files) = held {
            let folder = agent_folder(&folders.own);
            let own = agent_state::create_agent_state(project, state, files, folder)?;
            folders.variables.extend(own);
        }
    }
    let mut own_read = repo
        .map(|repo| borrowed(repo.common_dir()))
        .unwrap_or_default();
    own_read.extend(masked.files);
    let beside = [PROMPT, SERVER, IGNORED, BASE];
    own_read.extend(beside.map(|ending| folders::sibling_file(worktree, ending)));
    if let ConfinedActor::Proposal(..) = held {
        own_read.push(project.root().to_owned());
        own_read.extend(repo.map(|repo| repo.common_dir().to_owned()));
        own_read.extend(logins(project));
    }
    if let ConfinedActor::Hook(_, hooks) = held {
        own_read.extend(read_by_hooks(hooks));
    }
    let is_client = matches!(held, ConfinedActor::JobClient(..));
    if let ConfinedActor::JobClient(_, socket, watched) = held {
        own_read.extend(socket.parent().map(Path::to_owned));
        own_read.push(watched.to_owned());
    }
    let (mut programs, mut own_program) = (Vec::new(), Vec::new());
    if let Some(argv) = held.argv() {
        programs.push(argv);
        own_program.extend(project.program.first().cloned());
        own_read.extend(package(project));
    }
    programs.push(&own_program);
    let confine = &config.confine;
    let mut deny = confine.deny.clone();
    deny.extend(
        confine
            .deny_of_project
            .iter()
            .map(|path| from_root(project, path)),
    );
    folders.write.extend(held.data());
    folders.write.push(worktree.to_owned());
    // It is created before the agent is started.
    folders.write.extend(connections.map(Path::to_owned));
    let environment = project.environment.iter();
    let wanted = AccessRequest {
        environment: environment
            .map(|(name, value)| (&**name, &**value))
            .collect(),
        own_read,
        own_write: folders.write,
        programs,
        read: confine.read.clone(),
        write: confine.write.clone(),
        deny,
        state: state(project, config, repo),
        network: held.network(confine.network),
        unix_sockets: confine.unix_sockets || is_client,
        ipc: match confine.ipc {
            IpcSetting::Open => IpcAccess::Open,
            IpcSetting::Private => IpcAccess::Refused,
        },
        pty: confine.pty,
        launcher: match held {
            // Namespaces would take its calls, of which a run makes many, ten times as long.
            ConfinedActor::Git => None,
            _ => sandbox_support::launcher(project, ability).0,
        },
        backend,
        ability,
    };
    let mut policy = wanted.policy().map_err(|why| refused(&why.to_string()))?;
    folders.variables.extend(masked.variables.clone());
    policy.variables = masked.variables;
    policy.max_processes = Some(AgentLimits::hard_processes(config.runs.limits.processes()));
    policy.lifetime = held.lifetime();
    if !matches!(held, ConfinedActor::Git) {
        let variables = mount_layers(&mut policy, project, config, repo, worktree)?;
        folders.variables.extend(variables);
        if let Some((holder, variables)) = holder_of(worktree) {
            policy.shares_namespaces_of = Some(holder);
            folders.variables.extend(variables);
        }
    }
    Ok(AppliedConfinement {
        confinement: Confinement::to(policy),
        variables: folders.variables,
        launcher: None,
    })
}

/// Returns the confinement of the placer of a cluster: it writes its own folders, and reads programs and
/// the cluster's certificates.
///
/// # Errors
/// `Refused` when nothing can confine it here: what workers send back may run programs in it.
pub(crate) fn of_placer(
    project: &Project,
    config: &Config,
    folders: [PathBuf; 2],
    certificates: &Path,
) -> Result<Confinement, Error> {
    let (backend, ability) = match means(project, &config.confine)? {
        ConfineMeans::By(backend, ability) => (backend, ability),
        ConfineMeans::None(why) => {
            let why = format!("{why}; agents on a cluster need it");
            return Err(refused(&why));
        }
    };
    let mut own_read = vec![certificates.to_owned()];
    // The libraries that the engine consists of lie beside the package.
    own_read.extend(package(project).and_then(|package| Some(package.parent()?.to_owned())));
    let environment = project.environment.iter();
    let wanted = AccessRequest {
        environment: environment
            .map(|(name, value)| (&**name, &**value))
            .collect(),
        own_read,
        own_write: folders.into(),
        programs: vec![&project.program],
        read: Vec::new(),
        write: Vec::new(),
        deny: config.confine.deny.clone(),
        state: state(project, config, None),
        network: NetworkAccess::Open,
        unix_sockets: true,
        ipc: IpcAccess::Refused,
        pty: false,
        // It confines itself: it has to be ready before it hears from its cluster.
        launcher: None,
        backend,
        ability,
    };
    let policy = wanted.policy().map_err(|why| refused(&why.to_string()))?;
    Ok(Confinement::to(policy))
}

/// The folders that a process writes, and the variables that name them.
#[derive(Default)]
struct WritableFolders {
    write: Vec<PathBuf>,
    variables: EnvironmentMap,
    own: PathBuf,
}

impl WritableFolders {
    /// Adds a private folder, with empty caches, and removes what an earlier run left there.
    fn private(&mut self, folder: PathBuf) -> Result<(), Error> {
        disk::remove_tree(&folder)?;
        disk::make_owned_folder(&folder)?;
        self.own = folder;
        self.write.push(self.own.clone());
        let temporary = self.own.join("tmp");
        disk::make_folders(&temporary)?;
        for name in TEMPORARY {
            self.name(name, &temporary);
        }
        for (variable, name) in CACHES {
            let folder = self.own.join("caches").join(name);
            disk::make_folders(&folder)?;
            self.name(variable, &folder);
        }
        Ok(())
    }

    /// Names an own folder for programs that `uvx` installs: it takes a lock there. Those that the
    /// user installed are found by the `PATH`.
    fn tools_of_uv(&mut self) -> Result<(), Error> {
        let folder = self.own.join("uv-tools");
        disk::make_folders(&folder)?;
        self.name(UV_TOOLS, &folder);
        Ok(())
    }

    /// Writes what stands for the user's settings of cargo where it looks last.
    fn settings_of_cargo(&self, masked: &MaskedSettings) -> Result<(), Error> {
        if let (Some(text), Some(home)) = (&masked.cargo, self.variables.get("CARGO_HOME")) {
            disk::write_private(&Path::new(home).join("config.toml"), text)?;
        }
        Ok(())
    }

    fn name(&mut self, variable: &str, folder: &Path) {
        let folder = folder.display().to_string();
        self.variables.insert(variable.to_owned(), folder);
    }
}

/// Returns the parts of the project's repository that a run's borrows: objects, and nothing that
/// controls git.
fn borrowed(common: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut repositories = vec![common.to_owned()];
    while let Some(folder) = repositories.pop() {
        let objects = folder.join("objects");
        let others = disk::Disk::default()
            .read_text(&objects.join("info/alternates"), "alternates")
            .map(|(text, _)| text)
            .unwrap_or_default();
        found.extend(others.lines().map(|line| objects.join(line)));
        found.extend([objects, folder.join("lfs/objects")]);
        let modules = folder.join("modules");
        for one in disk::names(&modules).unwrap_or_default() {
            if one.is_folder {
                repositories.push(modules.join(one.name));
            }
        }
    }
    found
}

/// Returns the folders that hooks read: their own, and the one above where a manager of hooks keeps its own files in `_`
/// and the user's beside that.
fn read_by_hooks(hooks: &Path) -> Vec<PathBuf> {
    let is_managed = hooks.file_name().is_some_and(|name| name == MANAGED_HOOKS);
    let above = hooks.parent().filter(|_| is_managed);
    [Some(hooks), above]
        .into_iter()
        .flatten()
        .map(Path::to_owned)
        .collect()
}

/// Returns the folders in which programs of hosts keep their logins.
fn logins(project: &Project) -> impl Iterator<Item = PathBuf> {
    let variable = |name: &str| project.environment.get(name).map(PathBuf::from);
    let home = || variable("HOME").map(|home| home.join(".config"));
    let all = variable("XDG_CONFIG_HOME").or_else(home);
    let known = all
        .into_iter()
        .flat_map(|all| LOGINS.map(|name| all.join(name)));
    known
        .chain(variable("GH_CONFIG_DIR"))
        .chain(variable("GLAB_CONFIG_DIR"))
}

/// Returns our own state, and folders of other runs or of none yet: no run reads them, wherever
/// they lie.
fn state(project: &Project, config: &Config, repo: Option<&Repo>) -> Vec<PathBuf> {
    let state = project.disk.user_state.as_ref();
    let state = state.map(|state| state.path().to_owned());
    let runs = repo.and_then(|repo| folders::worktrees_folder(project, config, repo).ok());
    let guarded = project.guarded.iter().cloned();
    state.into_iter().chain(runs).chain(guarded).collect()
}

/// Returns a path that a project denies, which starts at its root unless it is absolute or starts
/// with `~`.
fn from_root(project: &Project, path: &str) -> String {
    if path.starts_with(['/', '~']) {
        return path.to_owned();
    }
    project.root().join(path).display().to_string()
}
