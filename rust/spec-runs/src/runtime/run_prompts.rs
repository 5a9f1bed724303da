//! Finds prompts by their names: those of the project, and those of the program.

use crate::prompt;
use chant_specs::project::{AgreedPrompts, Project};
use chant_store::StoreError;

/// The folder of a project's prompts.
const PROMPTS: &str = ".chant/prompts";

/// Returns true if there is a prompt of this name in the project or among those of the program.
pub(in super::super) fn has_prompt(project: &Project, name: &str) -> bool {
    let own = format!("{PROMPTS}/{name}.md");
    prompt::is_name(name)
        && (project.root.locate(&own).is_ok()
            || matches!(bundled_prompt(project, name), Ok(Some(_))))
}

/// Returns the text of a prompt: that of the project as it was read for the check of trust, else
/// that of the program.
pub(super) fn prompt_text(
    project: &Project,
    agreed: &AgreedPrompts,
    name: &str,
) -> Result<Option<String>, String> {
    if !prompt::is_name(name) {
        return Ok(None);
    }
    let own = format!("{PROMPTS}/{name}.md");
    match (agreed.text(&own), project.root.locate(&own)) {
        (Some(text), _) => Ok(Some(text.clone())),
        (None, Err(StoreError::Missing { .. })) => bundled_prompt(project, name),
        (None, Err(error)) => Err(error.to_string()),
        (None, Ok(_)) => Err(format!(
            "{own} was not there, or could not be read, when the folder was looked at"
        )),
    }
}

fn bundled_prompt(project: &Project, name: &str) -> Result<Option<String>, String> {
    let shown = format!("{PROMPTS}/{name}.md");
    let folder = project.prompts.as_ref();
    match folder.map(|folder| {
        let path = folder.join(format!("{name}.md"));
        project.disk.clone().anywhere().read_text(&path, &shown)
    }) {
        None | Some(Err(StoreError::Missing { .. })) => Ok(None),
        Some(Ok((text, _))) => Ok(Some(text)),
        Some(Err(error)) => Err(error.to_string()),
    }
}
