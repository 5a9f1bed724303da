//! The own state of a confined agent: created for one run, with nothing of the user's in it except
//! a login that ends.

use std::path::{Path, PathBuf};

use super::login_copy::login_for_run;
use crate::agents::built_in::{AgentState, StateRelocation};
use crate::agents::discovery::{FOLDERS, UserFiles};
use crate::agents::environment::EnvironmentMap;
use crate::project::ProjectRuns;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_specs::project::Project;
use chant_store::disk;

/// Creates the state of an agent in a new folder; returns the variables that lead to it.
///
/// # Errors
/// A failure of the disk.
pub(super) fn create_agent_state(
    project: &Project,
    state: &AgentState,
    files: &[(String, String)],
    folder: PathBuf,
) -> Result<EnvironmentMap, Error> {
    let user = UserFiles(project.surroundings());
    let variables = match state.place {
        StateRelocation::Nowhere => return Ok(EnvironmentMap::new()),
        StateRelocation::Variable(name, usual) => {
            disk::make_folders(&folder)?;
            if let Some(own) = user.folder(name).or_else(|| user.in_home(usual)) {
                for file in state.login {
                    take_over(state, file, &own.join(file), &folder)?;
                }
            }
            EnvironmentMap::from([(name.to_owned(), folder.display().to_string())])
        }
        StateRelocation::Home(own) => {
            let variables = make_home(user, &folder, own)?;
            for file in state.login {
                if let Some(from) = user.file(file) {
                    take_over(state, file, &from, &folder)?;
                }
            }
            variables
        }
    };
    for (name, text) in files {
        let path = folder.join(name);
        make_folder_of(&path)?;
        disk::create_owned(&path, text)?;
    }
    Ok(variables)
}

/// Copies a file with a login, without refresh tokens. A user without a login, or with one elsewhere,
/// has no such file, and one that has not the form that is known is not copied; the agent reports that itself.
fn take_over(state: &AgentState, file: &str, from: &Path, folder: &Path) -> Result<(), Error> {
    let to = folder.join(file);
    if !disk::is_file(from) {
        return Ok(());
    }
    make_folder_of(&to)?;
    let form = state.tokens.as_ref().filter(|form| form.file == file);
    if let Some(login) = login_for_run(form, from) {
        disk::create_owned(&to, &login)?;
    } else if form.is_none() {
        disk::copy_owned(from, &to).log_failure("copy a file of the agent");
    }
    Ok(())
}

fn make_folder_of(path: &Path) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        disk::make_folders(folder)?;
    }
    Ok(())
}

/// Creates a home that leads to everything in the user's except some folders, which are empty here.
/// Files that are written elsewhere in it stay in it; targets of links are as open or closed as
/// without them.
fn make_home(user: UserFiles<'_>, folder: &Path, own: &[&str]) -> Result<EnvironmentMap, Error> {
    let mut variables = EnvironmentMap::new();
    let mut closed: Vec<PathBuf> = own.iter().map(PathBuf::from).collect();
    for (variable, usual) in FOLDERS {
        let Some(from) = user.folder(variable) else {
            continue;
        };
        let inside = own.iter().map(Path::new);
        let inside = inside.filter_map(|own| own.strip_prefix(usual).ok());
        let inside: Vec<PathBuf> = inside.map(Path::to_owned).collect();
        let place = folder.join(usual);
        link(&from, &place, &inside)?;
        closed.push(usual.into());
        variables.insert(variable.to_owned(), place.display().to_string());
    }
    if let Some(home) = user.folder("HOME") {
        link(&home, folder, &closed)?;
    }
    for name in own {
        disk::make_folders(&folder.join(name))?;
    }
    variables.insert("HOME".to_owned(), folder.display().to_string());
    Ok(variables)
}

/// Fills a folder with links to the content of another, except `closed` parts.
fn link(from: &Path, to: &Path, closed: &[PathBuf]) -> Result<(), Error> {
    disk::make_folders(to)?;
    // A folder that cannot be listed gets no links.
    for entry in disk::names(from).unwrap_or_default() {
        let name = Path::new(&entry.name);
        if closed.iter().any(|closed| closed == name) {
            continue;
        }
        let inside = closed
            .iter()
            .filter_map(|closed| closed.strip_prefix(name).ok());
        let inside: Vec<PathBuf> = inside.map(Path::to_owned).collect();
        if inside.is_empty() {
            disk::make_link(&from.join(name), &to.join(name))?;
        } else {
            link(&from.join(name), &to.join(name), &inside)?;
        }
    }
    Ok(())
}
