//! The disk as handles use it: whose state is kept where, and a crash on demand, with which tests prove that no
//! moment is a bad one to die at.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use chant_base::inherited_environment::note_environment;
use chant_store::disk::{Disk, keep_lock_files_in};
use chant_store::state::UserState;
use pyo3::prelude::*;

/// The disk; with a moment named, the process ends there like in a crash.
pub(crate) fn disk(stop_at: Option<String>) -> Disk {
    let mut disk = Disk::default();
    if let Some(moment) = stop_at {
        disk.reached = Arc::new(move |now| {
            if now == moment {
                std::process::abort()
            } else {
                Ok(())
            }
        });
    }
    disk
}

/// [`disk`] of a user whose own state lies in a folder of `state_home`, where the states of all programs lie; by
/// default where the variables say that the handle was given, else those of this process.
pub(crate) fn disk_of_user(
    py: Python<'_>,
    stop_at: Option<String>,
    state_home: Option<PathBuf>,
    environment: &BTreeMap<String, String>,
) -> Disk {
    // Without it, programs get the variables as they were noted before.
    let _ = note_variables(py);
    let named = state_home.map(|folder| UserState::at(folder.join("chant-mcp")));
    let of_caller = || UserState::of(environment);
    let of_process = || UserState::of(&variables(py).unwrap_or_default());
    let user_state = named.or_else(of_caller).or_else(of_process);
    if let Some(user_state) = &user_state {
        keep_lock_files_in(user_state.path());
    }
    Disk {
        user_state,
        ..disk(stop_at)
    }
}

/// A disk on which the folder of a run, if it is one, is read without following links: an agent writes there, too.
pub(crate) fn of_run_in(disk: Disk, folder: Option<&PathBuf>) -> Disk {
    match folder {
        Some(folder) => disk.without_links_in(folder),
        None => disk,
    }
}

/// Notes the variables of this process, as Python knows them, for the programs that the core starts.
pub(crate) fn note_variables(py: Python<'_>) -> PyResult<()> {
    let environment = py.import("os")?.getattr("environ")?;
    note_environment(environment.call_method0("copy")?.extract()?);
    Ok(())
}

/// The variables that say where users keep things, as Python knows them.
fn variables(py: Python<'_>) -> PyResult<BTreeMap<String, String>> {
    let environment = py.import("os")?.getattr("environ")?;
    let names = ["XDG_STATE_HOME", "HOME", "USERPROFILE"].into_iter();
    let value = |name: &'static str| -> PyResult<Option<(String, String)>> {
        let value: Option<String> = environment.call_method1("get", (name,))?.extract()?;
        Ok(value.map(|value| (name.to_owned(), value)))
    };
    names.filter_map(|name| value(name).transpose()).collect()
}
