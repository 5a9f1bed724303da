//! Finds prompts by their names: those of the project, and those of the program.

use chant_store::StoreError;

use super::Project;

/// The folder of a project's prompts.
const PROMPTS: &str = ".chant/prompts";

/// Returns true if a text can be the name of a prompt: it never leads out of the prompts' folder.
pub fn is_name(name: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.');
    !name.contains(['\\', '\0']) && name.split('/').all(is_plain)
}

/// Returns the path of a prompt in a project.
pub fn path_of(name: &str) -> String {
    format!("{PROMPTS}/{name}.md")
}

impl Project {
    /// Returns true if there is a prompt of this name in the project or among those of the program.
    pub fn has_prompt(&self, name: &str) -> bool {
        is_name(name)
            && (self.root.locate(&path_of(name)).is_ok()
                || matches!(self.bundled_prompt(name), Ok(Some(_))))
    }

    /// Returns the text of a prompt of the program; `None` if it has none of this name.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub fn bundled_prompt(&self, name: &str) -> Result<Option<String>, String> {
        let Some(folder) = self.prompts.as_ref() else {
            return Ok(None);
        };
        let path = folder.join(format!("{name}.md"));
        match self
            .disk
            .clone()
            .anywhere()
            .read_text(&path, &path_of(name))
        {
            Ok((text, _)) => Ok(Some(text)),
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}
