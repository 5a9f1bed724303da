//! The tests that ended in both ways on the same files.

use crate::project::ProjectRuns;
use crate::view::flaky::FlakyList;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_base::plural::counted;
use chant_proof::flaky_tests::{self, FlakyTests};
use chant_specs::project::Project;

/// Lists the tests that this user's runs of the project saw fail and pass on the same files.
///
/// # Errors
/// A failure to find the project's state.
pub fn flaky(project: &Project) -> Result<Answer, Error> {
    let known = FlakyTests::read(&project.runs()?);
    Ok(Answer::data(&FlakyList {
        tests: known.all().collect(),
    }))
}

/// Forgets the flaky tests of a check, or all: they count again.
///
/// # Errors
/// A failure of the disk.
pub fn forget_flaky(project: &Project, check: Option<&str>) -> Result<Answer, Error> {
    project.refuse_agents("forgotten")?;
    let count = flaky_tests::forget(&project.runs()?, check)?;
    Ok(Answer::prose(format!(
        "Forgot {}.",
        counted(count, "flaky test")
    )))
}
