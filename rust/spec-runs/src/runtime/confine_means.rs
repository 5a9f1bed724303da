//! The means by which this machine confines runs, and the refusal where it cannot.

use std::path::Path;

use chant_base::error::Error;
use chant_config::confine::{BackendChoice, ConfineMode, ConfineSettings, NetworkSetting};
use chant_confine::ability::ASSUMED;
use chant_confine::{ConfineBackend, LandlockSupport, bubblewrap, macos};
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_store::disk;

/// The means by which runs are confined.
pub(super) enum ConfineMeans {
    /// No means, with the reason.
    None(String),
    /// A program or the kernel, with what the kernel can enforce.
    By(ConfineBackend, LandlockSupport),
}

/// Returns the means by which runs are confined here.
///
/// # Errors
/// `Refused` when the configured confinement is not possible.
pub(super) fn means(project: &Project, confine: &ConfineSettings) -> Result<ConfineMeans, Error> {
    if confine.mode == ConfineMode::Off {
        return Ok(ConfineMeans::None(
            "`confine.mode` is off in your own configuration".into(),
        ));
    }
    let ability = LandlockSupport::of_system(project.environment.get(ASSUMED).map(String::as_str));
    if confine.backend == BackendChoice::Bubblewrap {
        let path = project.environment.get("PATH");
        let program = which::which_in(bubblewrap::PROGRAM, path, project.root());
        let program = program.map_err(|_| {
            refused(
                "`confine.backend` names bubblewrap, but the program `bwrap` is not on the PATH",
            )
        })?;
        return Ok(ConfineMeans::By(
            ConfineBackend::Bubblewrap(program),
            ability,
        ));
    }
    if cfg!(target_os = "macos") && disk::is_file(Path::new(macos::PROGRAM)) {
        return Ok(ConfineMeans::By(ConfineBackend::Seatbelt, ability));
    }
    let Some(why) = ability.lacks() else {
        return Ok(ConfineMeans::By(ConfineBackend::Landlock, ability));
    };
    let asks = confine.mode == ConfineMode::Required
        || confine.network != NetworkSetting::Open
        || !(confine.deny.is_empty() && confine.deny_of_project.is_empty());
    if asks {
        let why = format!(
            "{why}; the configuration asks for it by `confine.mode`, `confine.network` or `confine.deny`"
        );
        return Err(refused(&why));
    }
    Ok(ConfineMeans::None(why))
}

/// Returns the refusal of a run that cannot be confined.
pub(super) fn refused(why: &str) -> Error {
    ChantError::Refused(format!(
        "The run was not started, because it cannot be confined: {why}. A person sees with `chant-mcp confine --check` what this machine can do."
    ))
    .into()
}
