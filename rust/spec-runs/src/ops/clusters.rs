//! The user's clusters as data, and the confinement of the processes that speak to the engine.

#[cfg(unix)]
use std::path::{Path, PathBuf};

#[cfg(unix)]
use crate::cluster::target::ClusterTarget;
#[cfg(unix)]
use crate::runtime::run_confinement;
use chant_base::answer::Answer;
use chant_base::error::Error;
#[cfg(unix)]
use chant_specs::error::ChantError;
use chant_specs::project::Project;

/// Returns the user's clusters by name, with their settings.
///
/// # Errors
/// A failure to read the configuration.
pub fn clusters(project: &Project) -> Result<Answer, Error> {
    let config = project.configuration_without_specs()?;
    Ok(Answer::data(&config.cluster))
}

/// Returns where a cluster is spoken to, by its name or the address of its scheduler: that address, and the folder
/// of the certificates.
///
/// # Errors
/// `InvalidArgument` for an unknown name, `NoCluster` for one without a scheduler, `Refused` for an address without
/// TLS.
#[cfg(unix)]
pub fn cluster_target(project: &Project, name: &str) -> Result<(String, PathBuf), Error> {
    let config = project.configuration_without_specs()?;
    let target = ClusterTarget::of(project, &config, name)?;
    Ok((target.address, target.tls))
}

/// Confines the calling thread, for good, as a placer is: it writes two folders, and reads programs and the
/// certificates of a cluster. What a scheduler reads from a connection runs as code, too.
///
/// # Errors
/// `Refused` when nothing can confine it here.
#[cfg(unix)]
pub fn confine_engine(
    project: &Project,
    folders: [PathBuf; 2],
    certificates: &Path,
) -> Result<(), Error> {
    let config = project.configuration_without_specs()?;
    let held = run_confinement::of_placer(project, &config, folders, certificates)?;
    if held.is_a_program() {
        let why = "only Landlock can confine a process that runs already";
        return Err(ChantError::Refused(why.into()).into());
    }
    held.enforce()
        .map_err(|error| ChantError::Refused(error.to_string()).into())
}
