//! The lock that runners of earlier releases hold in a project. That a living process holds it is the kernel's
//! word, which no clone carries; what the file says is for people.

use chant_base::error::Error;
use chant_specs::error::ChantError;
use chant_specs::id::SpecId;
use chant_specs::project::Project;
use chant_store::disk::Lock;
use chant_work::lock::LockHolder;

/// Where earlier releases have their locks.
const LOCKS: &str = ".chant/.locks";

/// Refuses what would meet a runner of an earlier release at work on a spec; `what` would have been done.
///
/// # Errors
/// `Refused`, naming its process.
pub(crate) fn refuse_held_by_others(
    project: &Project,
    id: &SpecId,
    what: &str,
) -> Result<(), Error> {
    let name = format!("{LOCKS}/{id}.lock");
    let Ok(path) = project.root.place(&name) else {
        return Ok(());
    };
    if !matches!(Lock::try_take(&path), Ok(None)) {
        return Ok(());
    }
    let message = format!(
        "Spec '{id}' is being worked by {}, which holds {name}. Stop that first; nothing was {what}.",
        LockHolder::of(&path)
    );
    Err(ChantError::Refused(message).into())
}
