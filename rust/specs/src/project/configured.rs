//! The configuration files of a project, and what is to be said about them.

use std::sync::Arc;

use super::{AGENTS, CONFIG, Project, ProjectSnapshot};
use crate::view::held_specs::HeldSpecs;
use chant_config::Config;
use chant_config::check::{
    CheckedFile, ConfigFinding, MisspelledKey, in_front_matter, in_yaml, placed_in, with_refusal,
};
use chant_config::schema::speckit::FEATURES;
use chant_config::schema::{ConfigSchema, chant};
use chant_store::StoreError;
use chant_trust::acting::SPECKIT_CONFIG;

/// A file's name for messages, and its text.
type Named<'a> = Option<(&'a str, &'a str)>;

impl Project {
    /// Returns the configuration of the last snapshot, without a look at its files; `None` where it cannot be read.
    pub fn known_configuration(&self) -> Option<Arc<Config>> {
        self.known().config.clone().ok()
    }

    /// Returns the specs that other clones hold, by the last look and the configuration of the last snapshot;
    /// nothing is asked of a remote.
    pub fn held_elsewhere(&self) -> Arc<HeldSpecs> {
        // Where the configuration cannot be read, nothing says that clones share anything.
        let config = self.known_configuration();
        let held = config.map(|config| self.run_lookup.held_elsewhere(self, &config));
        held.unwrap_or_default()
    }

    /// The user's own configuration, the project's and its list of agents, as far as they are there, each with
    /// what is to be said about it.
    pub fn configuration_files(&self) -> Vec<CheckedFile> {
        let user = self.user_config.as_deref();
        let anywhere = self.disk.clone().anywhere();
        let of_user = user.and_then(|path| {
            let name = path.display().to_string();
            let text = anywhere.read_text(path, &name).map(|(text, _)| text);
            checked(&name, text, &chant::USERS, |file| (file, None, None))
        });
        let own = |name: &str, schema, place: Placing| {
            let path = self.root.locate(name).ok()?;
            let text = self.disk.read_text(&path, name).map(|(text, _)| text);
            checked(name, text, schema, place)
        };
        let of_project = own(CONFIG, &chant::PROJECTS, AS_PROJECT);
        let of_agents = own(AGENTS, &chant::AGENTS, AS_AGENTS);
        of_user
            .into_iter()
            .chain(of_project)
            .chain(of_agents)
            .collect()
    }
}

impl Project {
    /// The findings about a text as the file of configuration at a path; none for any other path.
    pub fn check_configuration(&self, path: &str, text: &str) -> Vec<ConfigFinding> {
        let file = match path {
            CONFIG => checked(CONFIG, Ok(text.to_owned()), &chant::PROJECTS, AS_PROJECT),
            AGENTS => checked(AGENTS, Ok(text.to_owned()), &chant::AGENTS, AS_AGENTS),
            _ => None,
        };
        file.map(|file| file.findings).unwrap_or_default()
    }

    /// Returns the problems with the keys of those files and of the one for features beside them.
    pub(crate) fn configuration_mistakes(&self) -> Vec<ConfigFinding> {
        let files = self.configuration_files().into_iter();
        let mut findings: Vec<ConfigFinding> = files.flat_map(|file| file.findings).collect();
        let of_features = self.root.locate(SPECKIT_CONFIG).ok();
        let text = of_features.map(|path| self.disk.read_text(&path, SPECKIT_CONFIG));
        if let Some(Ok((text, _))) = text {
            findings.extend(in_yaml(SPECKIT_CONFIG, &text, &FEATURES));
        }
        findings.retain(ConfigFinding::is_mistake);
        findings
    }
}

impl ProjectSnapshot {
    /// Refuses to act while a key of the configuration is nearly a known one.
    ///
    /// # Errors
    /// `MisspelledKey`.
    pub(crate) fn refuse_misspelled(&self) -> Result<(), MisspelledKey> {
        // One that cannot be read is refused by the code that goes by it.
        match &self.config {
            Ok(config) => config.refuse_misspelled(),
            Err(_) => Ok(()),
        }
    }
}

/// Which of the three files a text is.
type Placing = for<'a> fn(Named<'a>) -> (Named<'a>, Named<'a>, Named<'a>);

const AS_PROJECT: Placing = |file| (None, file, None);
const AS_AGENTS: Placing = |file| (None, None, file);

fn checked(
    name: &str,
    text: Result<String, StoreError>,
    schema: &ConfigSchema,
    place: Placing,
) -> Option<CheckedFile> {
    let findings = match text {
        Err(StoreError::Missing { .. }) => return None,
        Err(error) => vec![ConfigFinding::unreadable(name, None, error.to_string())],
        Ok(text) => {
            let (user, project, agents) = place(Some((name, &text)));
            let refusal = Config::read(user, project, agents).err();
            let found = in_front_matter(name, &text, schema);
            let found = with_refusal(found, name, refusal.map(|error| error.why));
            placed_in(&text, found)
        }
    };
    Some(CheckedFile {
        path: name.to_owned(),
        findings,
    })
}
