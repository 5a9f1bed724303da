//! The configuration of a backlog: which folder it is, its states and its prefix.

use chant_plan_format::document::{PlanDocument, RootSettings};
use chant_text::front_matter::{self, TextList};
use serde::de::DeserializeOwned;

use super::format::{ACTING_KEYS, ROOT_FILE, SETTINGS};

/// The states of a project that names none.
const DEFAULT_STATUSES: [&str; 3] = ["To Do", "In Progress", "Done"];

const DEFAULT_PREFIX: &str = "task";

/// The priorities of a project that names none.
const DEFAULT_PRIORITIES: [&str; 3] = ["high", "medium", "low"];

/// The keys of a configuration that matter here.
#[derive(Debug, Clone)]
pub(super) struct BacklogConfig {
    pub(super) statuses: Vec<String>,
    pub(super) default_status: Option<String>,
    pub(super) prefix: String,
    /// The digits that a number has at least; 0 for no zeros before it.
    pub(super) digits: usize,
    pub(super) priorities: Vec<String>,
    pub(super) definition_of_done: Vec<String>,
    /// True if its program runs a command when a state changes.
    pub(super) has_command: bool,
    /// True if its program commits by itself.
    pub(super) commits: bool,
}

/// A key of a document; none where it cannot be read.
fn key<T: DeserializeOwned>(text: &str, name: &str) -> Option<T> {
    let entries = front_matter::entries(text);
    let entry = entries.iter().rev().find(|entry| entry.name == name)?;
    front_matter::read_key(entry.yaml, name).ok().flatten()
}

fn text_of(document: &PlanDocument) -> &str {
    document
        .text
        .strip_prefix('\u{feff}')
        .unwrap_or(&document.text)
}

/// The root file, which counts only with the name of a project.
fn root_file(settings: &RootSettings) -> Option<&str> {
    let text = text_of(settings.get(ROOT_FILE)?);
    let name: Option<String> = key(text, "project_name");
    name.filter(|name| !name.trim().is_empty()).map(|_| text)
}

/// The folder of a root's backlog, from the root; none without a configuration.
pub(super) fn backlog_folder(settings: &RootSettings) -> Option<String> {
    let root = root_file(settings);
    if let Some(named) = root.and_then(|text| key::<String>(text, "backlog_directory")) {
        let named = named.trim().trim_end_matches('/').replace('\\', "/");
        let is_inside = |part: &str| !part.is_empty() && part != "." && part != "..";
        let is_relative = !named.contains(':') && named.split('/').all(is_inside);
        if is_relative {
            return Some(named);
        }
    }
    let with_file = SETTINGS[1..]
        .iter()
        .find(|path| settings.get(path).is_some());
    let folder = with_file
        .and_then(|path| path.split_once('/'))
        .map(|(folder, _)| folder);
    folder.or(root.map(|_| "backlog")).map(str::to_owned)
}

impl BacklogConfig {
    /// Reads the configuration that counts.
    pub(super) fn read(settings: &RootSettings) -> Self {
        let of_folder = || {
            SETTINGS[1..]
                .iter()
                .find_map(|path| settings.get(path))
                .map(text_of)
        };
        let text = root_file(settings).or_else(of_folder).unwrap_or_default();
        let list = |name: &str| key::<TextList>(text, name).map(|list| list.0);
        let or_default = |list: Option<Vec<String>>, default: &[&str]| {
            let named = list.filter(|list| !list.is_empty());
            named.unwrap_or_else(|| default.iter().map(|word| (*word).to_owned()).collect())
        };
        let prefix: Option<String> = key(text, "task_prefix");
        let zeros: Option<String> = key(text, "zero_padded_ids");
        let is_on = |name: &str| key::<bool>(text, name) == Some(true);
        Self {
            statuses: or_default(list("statuses"), &DEFAULT_STATUSES),
            default_status: key(text, "default_status"),
            prefix: prefix
                .filter(|prefix| !prefix.trim().is_empty())
                .unwrap_or_else(|| DEFAULT_PREFIX.into()),
            digits: zeros
                .and_then(|zeros| zeros.parse().ok())
                .filter(|digits| *digits <= 18)
                .unwrap_or(0),
            priorities: or_default(list("priorities"), &DEFAULT_PRIORITIES),
            definition_of_done: list("definition_of_done").unwrap_or_default(),
            has_command: ACTING_KEYS[..2]
                .iter()
                .any(|name| key::<String>(text, name).is_some()),
            commits: is_on("auto_commit"),
        }
    }

    /// The place of a state in the list, in any case of letters and with any blanks.
    pub(super) fn place_of(&self, status: &str) -> Option<usize> {
        // Written as the list has it, which is the usual case: nothing is folded.
        let same = self.statuses.iter().position(|word| word == status);
        if same.is_some() {
            return same;
        }
        let folded = folded(status);
        self.statuses
            .iter()
            .position(|word| self::folded(word) == folded)
    }

    /// Returns true if a state is the last one.
    pub(super) fn is_last(&self, status: &str) -> bool {
        self.place_of(status)
            .is_some_and(|place| place + 1 == self.statuses.len())
    }
}

/// A state without blanks, hyphens and capitals.
pub(super) fn folded(status: &str) -> String {
    let letters = status
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_'));
    letters.flat_map(char::to_lowercase).collect()
}
