//! Looks whether the remote that clones share can hold leases.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::leases::other_clone::ACT;
use crate::leases::{SpecLeases, lost_sentence};
use chant_base::error::Error;
use chant_config::Config;
use chant_config::leases::LeaseSettings;
use chant_git::Repo;
use chant_specs::project::Project;
use chant_store::disk;

/// A lock that is older was left by a process that died.
const MAX_AGE: Duration = Duration::from_secs(60);

/// Tries the remote of `leases`; gives a sentence about it, and adds what is wrong. `None` without leases.
pub(super) fn look_at_remote(
    project: &Project,
    config: &Config,
    problems: &mut Vec<String>,
) -> Option<String> {
    let settings = config.leases.as_ref()?;
    if project.refuse_untrusted(ACT).is_err() {
        return Some(format!(
            "{}: not tried, the folder is not trusted",
            settings.remote
        ));
    }
    match tried(project, config, settings, problems) {
        Ok(line) => Some(line),
        Err(error) => {
            problems.push(error.to_string());
            Some(format!("{}: it was not tried", settings.remote))
        }
    }
}

fn tried(
    project: &Project,
    config: &Config,
    settings: &LeaseSettings,
    problems: &mut Vec<String>,
) -> Result<String, Error> {
    let remote = &settings.remote;
    let folder = match project.repo()? {
        Some(repo) => folder_of(project, &repo, remote)?,
        None => None,
    };
    if let Some(folder) = &folder {
        problems.extend(old_locks(folder, settings, config.main_branch()));
    }
    let fault = match SpecLeases::of(project, config)? {
        Some(leases) => {
            let fault = leases.probe()?;
            // Without a look there is nothing to try it with; a remote that is silent by now is no fault of its own.
            if fault.is_none()
                && leases.look_first("").is_ok()
                && let Some(refusal) = leases.forbidden_landing(true)?
            {
                problems.push(refusal.to_string());
            }
            fault
        }
        None => None,
    };
    problems.extend(lost_sentence(project, config)?);
    if let Some(fault) = fault {
        problems.push(fault);
        return Ok(format!("{remote}: it cannot hold leases as it is"));
    }
    let mut line = format!("{remote}: holds leases, tried just now");
    if folder.is_some() {
        line.push_str("; it is a path, so its part of a push dies or freezes with this machine");
    }
    Ok(line)
}

/// Returns the folder of a remote that is one.
fn folder_of(project: &Project, repo: &Repo, remote: &str) -> Result<Option<PathBuf>, Error> {
    let address = repo.remote_address(remote)?;
    let path = address.strip_prefix("file://").unwrap_or(&address);
    let path = project.root().join(path);
    let git = path.join(".git");
    Ok([git, path]
        .into_iter()
        .find(|path| disk::is_folder(&path.join("refs"))))
}

/// Returns a sentence for each lock on refs of ours, or on the target, that nobody holds any more.
fn old_locks(folder: &Path, settings: &LeaseSettings, target: &str) -> Vec<String> {
    let kept = ["leases", "orchestrators", "requests"];
    let below = kept.map(|part| folder.join(&settings.namespace).join(part));
    let in_folders = below.iter().flat_map(|below| {
        let names = disk::names(below).unwrap_or_default().into_iter();
        let locks = names.filter(|entry| {
            Path::new(&entry.name)
                .extension()
                .is_some_and(|end| end == "lock")
        });
        locks.map(|entry| below.join(entry.name))
    });
    let single = [
        folder.join("packed-refs.lock"),
        folder.join(format!("refs/heads/{target}.lock")),
    ];
    in_folders.chain(single).filter_map(old_lock).collect()
}

fn old_lock(path: PathBuf) -> Option<String> {
    let stamp = disk::stamp(&path)?;
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .ok()?;
    let written = Duration::from_nanos(u64::try_from(stamp.modified).ok()?);
    let age = now.checked_sub(written).filter(|age| *age >= MAX_AGE)?;
    Some(format!(
        "{} was left {} s ago by a push that died, and keeps its ref from changing. If no git runs there, remove it: rm '{}'",
        path.display(),
        age.as_secs(),
        path.display()
    ))
}
