//! How what works for a spec is held: what the configuration asks for, what the system can do, and where a run
//! reads and writes.
//!
//! A run writes its folder, a private folder beside it, which goes with it, and caches that the project's runs
//! share and nothing else uses. No settings of tools lie in a shared cache: one run would write what the next
//! one's tools do. Checks have caches of their own, so that nothing that an agent left there decides what they
//! find.

use std::path::{Path, PathBuf};

use super::super::agents::built_in::AgentState;
use super::super::error::ChantError;
use super::super::project::Project;
use super::super::project::place::{self, BASE, CHECKING, IGNORED, PRIVATE, PROMPT, SERVER};
use super::agent_state;
use super::briefing::Variables;
use crate::config::Config;
use crate::config::confine::{Caches, Confine, Holder, Mode, Reached};
use crate::confine::ability::ASSUMED;
use crate::confine::reach::Wanted;
use crate::confine::{Ability, Backend, Confinement, Network, Standing, bubblewrap, macos};
use crate::error::Error;
use crate::git::Repo;
use crate::store::disk;

/// Variables that name a folder of a cache, and how that is called.
const CACHES: [(&str, &str); 6] = [
    ("XDG_CACHE_HOME", "xdg"),
    ("npm_config_cache", "npm"),
    ("PIP_CACHE_DIR", "pip"),
    ("UV_CACHE_DIR", "uv"),
    ("GOCACHE", "go-build"),
    ("GOMODCACHE", "go-mod"),
];
/// Variables that name a folder in which settings lie beside caches: it is the run's own, and leads to shared
/// folders for the caches alone.
const WITH_SETTINGS: [(&str, &str, [&str; 2]); 2] = [
    ("CARGO_HOME", "cargo", ["registry", "git"]),
    ("GRADLE_USER_HOME", "gradle", ["caches", "wrapper"]),
];
/// Variables that name the folder for temporary files.
const TEMPORARY: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];
/// Who is held.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum Held<'a> {
    /// An agent: its command line as people configured it, its own state, and what it finds in that.
    Agent(
        &'a [String],
        Option<&'static AgentState>,
        &'a [(String, String)],
    ),
    /// A check, and its command line.
    Check(&'a [String]),
    /// Git of ours.
    Git,
    /// A command that a person tries, and its private folder.
    Trial(&'a [String], &'a Path),
}

impl Held<'_> {
    /// Their private folder; git has none.
    fn private(self, worktree: &Path) -> Option<PathBuf> {
        match self {
            Self::Agent(..) => Some(place::beside(worktree, PRIVATE)),
            Self::Check(_) => Some(place::beside(worktree, CHECKING)),
            Self::Trial(_, folder) => Some(folder.to_owned()),
            Self::Git => None,
        }
    }

    /// The command line that people configured or gave.
    fn argv(&self) -> Option<&[String]> {
        match self {
            Self::Agent(argv, ..) | Self::Check(argv) | Self::Trial(argv, _) => Some(argv),
            Self::Git => None,
        }
    }
}

/// How somebody is held.
#[derive(Debug, Clone)]
pub(in super::super) struct Hold {
    /// What holds them.
    pub confinement: Confinement,
    /// What they find in their environment because of that.
    pub variables: Variables,
}

/// How a run that is to be started will be held.
///
/// # Errors
/// `Refused` when what the configuration asks for cannot be held: nothing is to be started then.
pub(in super::super) fn standing_of_start(
    project: &Project,
    config: &Config,
    repo: &Repo,
) -> Result<Standing, Error> {
    let standing = standing(project, config)?;
    // Any name will do: what is denied there is denied for each.
    let folder = place::worktrees(project, config, repo)?.join("run");
    of_folder(project, config, repo, &folder)?;
    Ok(standing)
}

/// How runs are held here, as people are told; the same everywhere.
///
/// # Errors
/// `Refused` when what the configuration asks for cannot be held.
pub(in super::super) fn standing(project: &Project, config: &Config) -> Result<Standing, Error> {
    Ok(match means(project, &config.confine)? {
        Means::None(why) => Standing::Unconfined(why),
        Means::By(Backend::Landlock, ability) => Standing::Landlock(ability),
        Means::By(Backend::Bubblewrap(_), _) => Standing::Bubblewrap,
        Means::By(Backend::Seatbelt, _) => Standing::Seatbelt,
    })
}

/// Whether runs are held here.
///
/// # Errors
/// `Refused` when what the configuration asks for cannot be held.
pub(in super::super) fn is_held(project: &Project, config: &Config) -> Result<bool, Error> {
    Ok(!matches!(
        standing(project, config)?,
        Standing::Unconfined(_)
    ))
}

/// Where the own state of an agent lies that works in a folder.
pub(in super::super) fn state_of_agent(worktree: &Path) -> PathBuf {
    agent_folder(&place::beside(worktree, PRIVATE))
}

fn agent_folder(private: &Path) -> PathBuf {
    private.join("agent")
}

/// How git of ours is held that works in the folder of a run.
///
/// # Errors
/// As [`of_run`].
pub(in super::super) fn of_folder(
    project: &Project,
    config: &Config,
    repo: &Repo,
    folder: &Path,
) -> Result<Confinement, Error> {
    Ok(of_run(project, config, Some(repo), folder, Held::Git, None)?.confinement)
}

/// Holds somebody who works in the folder of a run, which has its repository inside. Makes the folders that
/// they write, but that of `connections`, which is made with the pipe in it.
///
/// # Errors
/// `Refused` when what the configuration asks for cannot be held, or a failure of the disk.
pub(in super::super) fn of_run(
    project: &Project,
    config: &Config,
    repo: Option<&Repo>,
    worktree: &Path,
    held: Held<'_>,
    connections: Option<&Path>,
) -> Result<Hold, Error> {
    let Means::By(backend, ability) = means(project, &config.confine)? else {
        return Ok(Hold {
            confinement: Confinement::Off,
            variables: Variables::new(),
        });
    };
    let mut folders = Folders::default();
    if let Some(folder) = held.private(worktree) {
        folders.private(folder)?;
        folders.caches(project, config, repo, held)?;
    }
    let mut own_read = repo
        .map(|repo| borrowed(repo.common_dir()))
        .unwrap_or_default();
    let beside = [PROMPT, SERVER, IGNORED, BASE];
    own_read.extend(beside.map(|ending| place::beside(worktree, ending)));
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
    folders.write.push(worktree.to_owned());
    // Made before the agent is started.
    folders.write.extend(connections.map(Path::to_owned));
    let environment = project.environment.iter();
    let wanted = Wanted {
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
        network: match confine.network {
            Reached::Open => Network::Open,
            Reached::None => Network::None,
        },
        unix_sockets: confine.unix_sockets,
        pty: confine.pty,
        backend,
        ability,
    };
    let policy = wanted.policy().map_err(|why| refused(&why.to_string()))?;
    Ok(Hold {
        confinement: Confinement::to(policy),
        variables: folders.variables,
    })
}

/// By what runs are held.
enum Means {
    /// By nothing, and why.
    None(String),
    By(Backend, Ability),
}

fn means(project: &Project, confine: &Confine) -> Result<Means, Error> {
    if confine.mode == Mode::Off {
        return Ok(Means::None(
            "`confine.mode` is off in your own configuration".into(),
        ));
    }
    let ability = Ability::of_system(project.environment.get(ASSUMED).map(String::as_str));
    if confine.backend == Holder::Bubblewrap {
        let path = project.environment.get("PATH");
        let program = which::which_in(bubblewrap::PROGRAM, path, project.root());
        let program = program.map_err(|_| {
            refused(
                "`confine.backend` names bubblewrap, and there is no program `bwrap` on the PATH",
            )
        })?;
        return Ok(Means::By(Backend::Bubblewrap(program), ability));
    }
    if cfg!(target_os = "macos") && disk::is_file(Path::new(macos::PROGRAM)) {
        return Ok(Means::By(Backend::Seatbelt, ability));
    }
    let Some(why) = ability.lacks() else {
        return Ok(Means::By(Backend::Landlock, ability));
    };
    let asks = confine.mode == Mode::Required
        || confine.network == Reached::None
        || !(confine.deny.is_empty() && confine.deny_of_project.is_empty());
    if asks {
        let why = format!(
            "{why}; the configuration asks for it by `confine.mode`, `confine.network` or `confine.deny`"
        );
        return Err(refused(&why));
    }
    Ok(Means::None(why))
}

fn refused(why: &str) -> Error {
    ChantError::Refused(format!(
        "Nothing was started, because the run cannot be confined: {why}. A person sees with `chant-mcp confine --check` what this machine can do."
    ))
    .into()
}

/// The folders that somebody writes, and the variables that name them.
#[derive(Default)]
struct Folders {
    write: Vec<PathBuf>,
    variables: Variables,
    own: PathBuf,
}

impl Folders {
    /// A private folder, without what an earlier run left there.
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
        Ok(())
    }

    fn caches(
        &mut self,
        project: &Project,
        config: &Config,
        repo: Option<&Repo>,
        held: Held<'_>,
    ) -> Result<(), Error> {
        let whose = match held {
            Held::Agent(_, state, files) => {
                if let Some(state) = state {
                    let folder = agent_folder(&self.own);
                    let own = agent_state::make(project, state, files, folder)?;
                    self.variables.extend(own);
                }
                "runs"
            }
            Held::Check(_) => "checks",
            Held::Trial(..) => "trials",
            Held::Git => return Ok(()),
        };
        let shared = match config.confine.caches {
            Caches::Private => Some(place::caches(project, config, repo)?.join(whose)),
            Caches::None => None,
        };
        for (variable, name) in CACHES {
            let folder = match &shared {
                Some(shared) => self.shared(shared.join(name))?,
                None => made(self.own.join("caches").join(name))?,
            };
            self.name(variable, &folder);
        }
        for (variable, name, parts) in WITH_SETTINGS {
            let folder = made(self.own.join(name))?;
            for part in parts {
                let Some(shared) = &shared else { continue };
                let target = self.shared(shared.join(format!("{name}-{part}")))?;
                let link = folder.join(part);
                if !disk::exists(&link) {
                    disk::make_link(&target, &link)?;
                }
            }
            self.name(variable, &folder);
        }
        Ok(())
    }

    fn shared(&mut self, folder: PathBuf) -> Result<PathBuf, Error> {
        disk::make_folders(&folder)?;
        self.write.push(folder.clone());
        Ok(folder)
    }

    fn name(&mut self, variable: &str, folder: &Path) {
        let folder = folder.display().to_string();
        self.variables.insert(variable.to_owned(), folder);
    }
}

fn made(folder: PathBuf) -> Result<PathBuf, Error> {
    disk::make_folders(&folder)?;
    Ok(folder)
}

/// What of the project's repository a run's borrows: objects, and nothing that says what git does.
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

/// Our own package, wherever Python finds it.
fn package(project: &Project) -> Option<PathBuf> {
    // The prompts lie in `resources/prompts` of it.
    let package = project.prompts.as_ref()?.parent()?.parent()?;
    Some(package.to_owned())
}

/// Our own state, and what belongs to other runs or to none yet: no run reads it, wherever it lies.
fn state(project: &Project, config: &Config, repo: Option<&Repo>) -> Vec<PathBuf> {
    let state = project.disk.user_state.as_ref();
    let state = state.map(|state| state.path().to_owned());
    let runs = repo.and_then(|repo| place::worktrees(project, config, repo).ok());
    state.into_iter().chain(runs).collect()
}

/// A path that a project denies: from its root, unless it says otherwise.
fn from_root(project: &Project, path: &str) -> String {
    if path.starts_with(['/', '~']) {
        return path.to_owned();
    }
    project.root().join(path).display().to_string()
}
