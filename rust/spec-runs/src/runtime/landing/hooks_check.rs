//! Compares what git runs at a landing with what it ran when the work began.

use super::RunLanding;
use chant_base::error::Error;
use chant_git::hooks::hooks_that_run;
use chant_specs::project::Project;
use chant_trust::acting::listing_difference;
use chant_work::run_record::HooksEntry;

impl RunLanding<'_> {
    /// Returns a report of what git would run or use now that is not what it was when the run
    /// started, unless a person agreed to it since: an agent may have changed it.
    pub(super) fn changed_hooks(&self) -> Result<Option<String>, Error> {
        let Some(before) = self.runs.get(self.process_id)?.hooks_at_start else {
            return Ok(None);
        };
        let now = hooks_of(self.project);
        let silent = before.run.iter().filter(|name| !now.run.contains(name));
        let silent: Vec<&str> = silent.map(String::as_str).collect();
        let others = changed_names(&before, &now);
        let mut subject = "hooks are";
        let why = if before.folder != now.folder {
            format!(
                "hooks lay in {} and lie in {} now",
                before.folder, now.folder
            )
        } else if !silent.is_empty() {
            format!(
                "{} in {} can no longer be run",
                silent.join(", "),
                now.folder
            )
        } else if !others.is_empty() && !self.project.is_agreed_to() {
            subject = "hooks or settings of git are";
            format!("these are others now: {}", others.join(", "))
        } else {
            return Ok(None);
        };
        Ok(Some(format!(
            "the project's {subject} not those that the work began with: {why}; look at them, then a person merges the work with `chant-mcp merge`"
        )))
    }
}

/// Returns the project's hooks and settings of git as they are now; git is held to these hooks.
pub(in crate::runtime) fn hooks_of(project: &Project) -> HooksEntry {
    let now = project.git_in_use();
    HooksEntry {
        folder: now.hooks.display().to_string(),
        run: hooks_that_run(&now.hooks),
        listing: now.listing,
    }
}

/// Returns the hooks and settings that are not what they were, by name.
fn changed_names(before: &HooksEntry, now: &HooksEntry) -> Vec<String> {
    let mut names: Vec<String> = listing_difference(&before.listing, &now.listing)
        .iter()
        .map(|line| {
            let name = line.split(" = ").next().unwrap_or_default();
            name[2..].trim_end_matches(':').to_owned()
        })
        .collect();
    names.sort();
    names.dedup();
    names
}
