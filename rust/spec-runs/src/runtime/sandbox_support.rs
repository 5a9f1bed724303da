//! Says whether the system gives runs namespaces of their own. That is tried once for each boot of the
//! machine, and kept in the user's state: a try takes as long as a start.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::project::folders;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_confine::ability::ASSUMED_NAMESPACES;
use chant_confine::{
    ConfineBackend, ConfinePolicy, Confinement, LandlockSupport, OverlayMount, SandboxLauncher,
};
use chant_specs::project::Project;
use chant_store::disk;

/// The file with what was tried.
const FILE_NAME: &str = "namespaces.json";
/// The greatest number of bytes of that file.
const MAX_COUNT: u64 = 64 * 1024;
/// The folder in which mounts are tried, and the command that changes files there as installers do.
const TRIAL: &str = ".new-trial";
const TRIED_COMMAND: &str = "rm -r old && mkdir old && echo new >old/other && mv old moved && \
     test -f moved/other && test ! -e moved/file";
/// The folders that the command needs, where they are.
const SYSTEM_FOLDERS: [&str; 6] = ["/bin", "/usr", "/lib", "/lib64", "/etc", "/nix/store"];
/// The program in our package that enters namespaces.
const LAUNCHER: &str = "sandbox_launcher.py";
/// The options of the interpreter: it reads no variables, no user's packages and no `site`.
const OPTIONS: [&str; 2] = ["-I", "-S"];
/// The facts that may change the answer, beside the machine's start: the user, limits of this process and of the
/// system.
const FACTS: [&str; 6] = [
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/user/max_pid_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/self/attr/current",
];
/// The namespaces of this process.
const NAMESPACES: [&str; 3] = ["user", "mnt", "pid"];
/// The lines about this process that count.
const LINES: [&str; 4] = ["Uid:", "CapEff:", "NoNewPrivs:", "Seccomp:"];

/// A try and its result.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct TriedNamespaces {
    /// The circumstances.
    facts: Vec<String>,
    /// Why there are none; `None` if there are.
    lack: Option<String>,
}

/// Returns the program that starts confined processes, which says whether it gives them namespaces, and the
/// reason why not.
pub(super) fn launcher(
    project: &Project,
    ability: LandlockSupport,
) -> (Option<SandboxLauncher>, Option<String>) {
    let Some(launcher) = found_launcher(project) else {
        return (None, Some("there is no program that enters them".into()));
    };
    let lack = match project.environment.get(ASSUMED_NAMESPACES) {
        Some(_) => Some(format!("`{ASSUMED_NAMESPACES}` is set")),
        None => lack(project, &launcher, ability),
    };
    let namespaces = lack.is_none();
    let launcher = SandboxLauncher {
        namespaces,
        ..launcher
    };
    (Some(launcher), lack)
}

/// Returns the program that starts confined processes; it tries nothing.
pub(super) fn found_launcher(project: &Project) -> Option<SandboxLauncher> {
    let interpreter = project.program.first()?;
    let program = package(project)?.join(LAUNCHER);
    let is_there = cfg!(target_os = "linux") && disk::is_file(&program);
    let argv = std::iter::once(interpreter.into())
        .chain(OPTIONS.map(Into::into))
        .chain([program.into()]);
    // An interpreter may need it. An element that is no absolute path would be looked for in the
    // working folder.
    let libraries = project.environment.get("LD_LIBRARY_PATH");
    let libraries = libraries.filter(|paths| paths.split(':').all(|path| path.starts_with('/')));
    is_there.then(|| SandboxLauncher {
        argv: argv.collect(),
        environment: libraries
            .map(|paths| ("LD_LIBRARY_PATH".into(), paths.into()))
            .into_iter()
            .collect(),
        namespaces: false,
    })
}

/// Returns true if the files of a folder can be mounted over in a folder, and removed, made again and moved there as
/// installers do; that is tried once by each process.
///
/// # Errors
/// A failure of the disk.
pub(super) fn can_mount(
    launcher: SandboxLauncher,
    backend: ConfineBackend,
    ability: LandlockSupport,
    folder: &Path,
) -> Result<bool, Error> {
    static TRIED: Mutex<BTreeMap<PathBuf, bool>> = Mutex::new(BTreeMap::new());
    let mut tried = TRIED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(can) = tried.get(folder) {
        return Ok(*can);
    }
    disk::make_folders(folder)?;
    let own = disk::real(folder)?.join(format!("{TRIAL}-{}", std::process::id()));
    disk::remove_tree(&own)?;
    let [lower, upper, work, target] =
        ["lower", "upper", "work", "target"].map(|name| own.join(name));
    for folder in [&lower.join("old"), &upper, &work, &target] {
        disk::make_folders(folder)?;
    }
    disk::create_owned(&lower.join("old/file"), "old")?;
    let policy = ConfinePolicy {
        read: SYSTEM_FOLDERS
            .map(PathBuf::from)
            .into_iter()
            .filter(|path| disk::exists(path))
            .collect(),
        write: vec![target.clone()],
        overlays: vec![OverlayMount {
            target: target.clone(),
            lower: lower.clone(),
            upper,
            work,
        }],
        launcher: Some(launcher),
        backend,
        ability,
        ..ConfinePolicy::default()
    };
    let works = Confinement::to(policy).run_quietly(TRIED_COMMAND, &target);
    let is_whole = disk::exists(&lower.join("old/file"));
    disk::remove_tree(&own).log_failure("remove the folder of a trial");
    let can = works.is_ok_and(|works| works) && is_whole;
    tried.insert(folder.to_owned(), can);
    Ok(can)
}

/// Forgets what was tried, so that the next question is answered anew.
pub(crate) fn forget_tries(project: &Project) {
    tried_here().clear();
    if let Some(file) = file(project) {
        disk::remove(&file).log_failure("remove what is known of namespaces");
    }
}

/// Returns the reason why there are no namespaces here.
fn lack(project: &Project, launcher: &SandboxLauncher, ability: LandlockSupport) -> Option<String> {
    let facts = facts(launcher);
    if let Some(lack) = tried_here().get(&facts) {
        return lack.clone();
    }
    let file = file(project);
    let lack = file
        .as_ref()
        .and_then(|file| disk::read_owned(file, MAX_COUNT).ok())
        .and_then(|text| serde_json::from_str::<TriedNamespaces>(&text).ok())
        .filter(|tried| tried.facts == facts)
        .map(|tried| tried.lack);
    let lack = lack.unwrap_or_else(|| {
        let lack = launcher.try_namespaces(ability).err();
        let tried = TriedNamespaces {
            facts: facts.clone(),
            lack: lack.map(|why| why.to_string()),
        };
        if let Some(file) = &file {
            keep(file, &tried);
        }
        tried.lack
    });
    tried_here().insert(facts, lack.clone());
    lack
}

fn keep(file: &std::path::Path, tried: &TriedNamespaces) {
    let Ok(text) = serde_json::to_string(tried) else {
        return;
    };
    if let Some(folder) = file.parent() {
        disk::make_folders(folder).log_failure("make the folder of our state");
    }
    disk::remove(file).log_failure("remove what was known of namespaces");
    // Another process may have tried it at the same time.
    disk::create_owned(file, &text).log_failure("keep what is known of namespaces");
}

fn file(project: &Project) -> Option<PathBuf> {
    Some(folders::user_state_folder(project).ok()?.join(FILE_NAME))
}

/// Returns what was tried by this process.
fn tried_here() -> std::sync::MutexGuard<'static, BTreeMap<Vec<String>, Option<String>>> {
    static TRIED: Mutex<BTreeMap<Vec<String>, Option<String>>> = Mutex::new(BTreeMap::new());
    TRIED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn facts(launcher: &SandboxLauncher) -> Vec<String> {
    let words = launcher.argv.iter();
    let mut facts: Vec<String> = words
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    facts.extend(FACTS.map(|path| disk::read_made_up(path).unwrap_or_default()));
    facts.extend(NAMESPACES.map(|name| {
        let link = disk::read_link(format!("/proc/self/ns/{name}").as_ref());
        link.unwrap_or_default().display().to_string()
    }));
    let status = disk::read_made_up("/proc/self/status").unwrap_or_default();
    let counts = |line: &&str| LINES.iter().any(|name| line.starts_with(name));
    facts.extend(status.lines().filter(counts).map(str::to_owned));
    facts
}

/// Returns the folder of our own Python package.
pub(super) fn package(project: &Project) -> Option<PathBuf> {
    // The prompts lie in its `resources/prompts`.
    let package = project.prompts.as_ref()?.parent()?.parent()?;
    Some(package.to_owned())
}
