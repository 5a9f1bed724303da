//! All configuration files that apply to a folder, of whatever dialect.

use std::path::Path;

use super::Workspace;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_config::check::{CheckedFile, ConfigFinding, refuse_misspelled};
use chant_config::view::ConfigReport;
use chant_speckit::config;
use chant_tickets::projects::OWN_FILE;
use chant_tickets::projects::checked::check_own_file;

impl Workspace {
    /// The findings about a text as the file of configuration at a path; none for any other path.
    pub(super) fn check_configuration(&self, path: &str, text: &str) -> Vec<ConfigFinding> {
        match path {
            config::FILE => config::findings(text),
            OWN_FILE => check_own_file(path, text),
            _ => self.parts.chant.check_configuration(path, text),
        }
    }

    /// The configuration files that are there, each with what is to be said about it.
    pub fn configuration_files(&self) -> Vec<CheckedFile> {
        let mut files = self.parts.chant.configuration_files();
        files.extend(self.parts.speckit.configuration_file(&self.root));
        let tickets = &self.parts.tickets;
        let users = tickets.config_folder();
        for mut file in tickets.configuration_files() {
            let path = Path::new(&file.path);
            if let Ok(inside) = path.strip_prefix(&self.root) {
                let shown = inside.display().to_string();
                for finding in &mut file.findings {
                    finding.file.clone_from(&shown);
                }
                file.path = shown;
            } else if !users.as_ref().is_some_and(|users| path.starts_with(users)) {
                // What other projects say of themselves does not apply here.
                continue;
            }
            files.push(file);
        }
        files
    }
}

/// Every configuration file that applies, with its findings.
pub fn check(workspace: &Workspace) -> Answer {
    Answer::data(&ConfigReport::from(&*workspace.configuration_files()))
}

/// Refuses what acts by any of the configurations while a key of one is nearly a known one.
///
/// # Errors
/// `MisspelledKey`.
pub fn refuse(workspace: &Workspace) -> Result<(), Error> {
    let files = workspace.configuration_files().into_iter();
    let findings: Vec<_> = files.flat_map(|file| file.findings).collect();
    Ok(refuse_misspelled(&findings)?)
}
