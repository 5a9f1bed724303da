//! The texts of prompts for a run.

use chant_specs::project::prompts::{is_name, path_of};
use chant_specs::project::{AgreedPrompts, Project};
use chant_store::StoreError;

/// Returns the text of a prompt: that of the project as it was read for the check of trust, else
/// that of the program.
pub(super) fn prompt_text(
    project: &Project,
    agreed: &AgreedPrompts,
    name: &str,
) -> Result<Option<String>, String> {
    if !is_name(name) {
        return Ok(None);
    }
    let own = path_of(name);
    match (agreed.text(&own), project.root.locate(&own)) {
        (Some(text), _) => Ok(Some(text.clone())),
        (None, Err(StoreError::Missing { .. })) => project.bundled_prompt(name),
        (None, Err(error)) => Err(error.to_string()),
        (None, Ok(_)) => Err(format!(
            "{own} was not there, or could not be read, when the folder was looked at"
        )),
    }
}
