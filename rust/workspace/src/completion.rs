//! Words that a shell offers while a command is typed: names of items with their titles, and labels.
//!
//! A shell asks at every press of a key, so nothing is indexed: names come from the names of files, and only the
//! files of few candidates are read.

use std::path::Path;

use super::Workspace;
use super::key;
use chant_speckit::files::TASKS;
use chant_speckit::resolve::in_specs;
use chant_specs::id::SpecId;
use chant_specs::model::Spec;
use chant_specs::parse;
use chant_specs::project::{ARCHIVE, SPECS};
use chant_store::disk;
use chant_store::files::RootFolder;
use chant_store::index::FileSource;
use chant_store::walk::{DEPTH, FolderWalk};
use chant_tickets::code::TicketCode;

/// Most candidates whose files are read for their titles.
const MAX_TITLES: usize = 100;
/// Most specs whose labels are read, the newest.
const MAX_LABEL_SPECS: usize = 300;
/// Most task graphs that are read.
const MAX_GRAPHS: usize = 100;
/// Most features whose tasks are read.
const MAX_FEATURES: usize = 200;
/// Most characters of a title.
const MAX_TITLE_CHARS: usize = 60;

/// A word that may be typed, and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CompletionWord {
    /// The word.
    pub word: String,
    /// The title; empty where it was not read.
    pub title: String,
}

impl Workspace {
    /// Names of items that begin with what was typed; where no name does, the one that ends with it.
    ///
    /// Tasks are named by their keys, or by their IDs once a letter of one is typed. What cannot be read is left out.
    pub fn complete_items(&self, typed: &str) -> Vec<CompletionWord> {
        let mut found = self.spec_words(SPECS, typed);
        found.extend(self.ticket_words(typed));
        found.extend(self.task_words(typed));
        found.extend(self.plan_words(typed));
        found.retain(|one| is_safe(&one.word));
        found.sort();
        found.dedup_by(|a, b| a.word == b.word);
        found
    }

    /// IDs of archived specs that begin with what was typed.
    pub fn complete_archived(&self, typed: &str) -> Vec<CompletionWord> {
        let days = disk::names(&self.root().join(ARCHIVE)).unwrap_or_default();
        let days = days.iter().filter(|day| day.is_folder);
        let mut found: Vec<CompletionWord> = days
            .flat_map(|day| self.spec_words(&format!("{ARCHIVE}/{}", day.name), typed))
            .collect();
        found.sort();
        found
    }

    /// Labels of the newest specs that begin with what was typed.
    pub fn complete_labels(&self, typed: &str) -> Vec<String> {
        let mut ids = spec_ids(&self.root().join(SPECS));
        ids.sort_unstable();
        let newest = ids.iter().rev().filter(|id| is_id(id));
        let specs = newest
            .take(MAX_LABEL_SPECS)
            .filter_map(|id| self.spec(SPECS, id));
        let mut labels: Vec<String> = specs
            .flat_map(|spec| {
                spec.labels
                    .iter()
                    .flatten()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
            })
            .filter(|label| label.starts_with(typed) && is_safe(label))
            .collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    fn spec(&self, folder: &str, id: &str) -> Option<std::sync::Arc<Spec>> {
        let path = format!("{folder}/{id}.md");
        let full = self.root().join(&path);
        let (text, _) = self.parts.vine.disk.read_text(&full, &path).ok()?;
        let document = parse::document(&path, FileSource::Text(text));
        self.parts.chant.shown(document).ok()
    }

    fn spec_words(&self, folder: &str, typed: &str) -> Vec<CompletionWord> {
        let prefix = if typed.starts_with("chant:") {
            "chant:"
        } else {
            ""
        };
        let sought = &typed[prefix.len()..];
        let all = spec_ids(&self.root().join(folder));
        let begins = |id: &&String| id.starts_with(sought);
        let mut ids: Vec<&String> = all.iter().filter(begins).collect();
        if ids.is_empty() {
            ids = all.iter().filter(|id| id.ends_with(sought)).collect();
            ids.truncate(usize::from(ids.len() == 1));
        }
        ids.retain(|id| is_id(id));
        let reads = ids.len() <= MAX_TITLES;
        let word = |id: &&String| {
            let spec = reads.then(|| self.spec(folder, id)).flatten();
            let title = spec.as_ref().and_then(|spec| spec.title.as_deref());
            CompletionWord {
                word: format!("{prefix}{id}"),
                title: shortened(title.unwrap_or_default()),
            }
        };
        ids.iter().map(word).collect()
    }

    fn ticket_words(&self, typed: &str) -> Vec<CompletionWord> {
        let Ok(Some(store)) = self.parts.tickets.open_store_at(self.root()) else {
            return Vec::new();
        };
        let place = store.place();
        let prefix = if typed.starts_with("tickets:") {
            "tickets:"
        } else {
            ""
        };
        let sought = typed[prefix.len()..].to_uppercase();
        let names = disk::names(&place.root.join(&place.tickets)).unwrap_or_default();
        let code = |name: &str| TicketCode::of_name(name.strip_suffix(".md")?, &place.code);
        let codes: Vec<(String, String)> = names
            .iter()
            .filter_map(|entry| Some((code(&entry.name)?.to_string(), entry.name.clone())))
            .filter(|(code, _)| code.starts_with(&sought))
            .collect();
        let reads = codes.len() <= MAX_TITLES;
        let word = |(code, name): &(String, String)| CompletionWord {
            word: format!("{prefix}{code}"),
            title: if reads {
                self.ticket_title(&place.root.join(&place.tickets).join(name), name)
            } else {
                String::new()
            },
        };
        codes.iter().map(word).collect()
    }

    fn ticket_title(&self, path: &Path, name: &str) -> String {
        let text = self.parts.vine.disk.read_text(path, name);
        let ticket =
            text.map(|(text, _)| chant_tickets::parse::document(name, FileSource::Text(text)));
        match ticket {
            Ok(Ok(ticket)) => shortened(&ticket.title),
            _ => String::new(),
        }
    }

    /// Items of plans, by their keys.
    fn plan_words(&self, typed: &str) -> Vec<CompletionWord> {
        let mut found = Vec::new();
        for store in &self.plan_stores {
            let Some(root) = store.current(&|keys| self.around.standings(keys)) else {
                continue;
            };
            let word = store.format().scope().word.len() + 1;
            let begins = |key: &str| {
                let name = key.get(word..).unwrap_or_default();
                key.starts_with(typed) || (!typed.is_empty() && name.starts_with(typed))
            };
            let nodes = root.snapshot.nodes.iter().filter(|node| begins(&node.key));
            found.extend(nodes.map(|node| CompletionWord {
                word: node.key.to_string(),
                title: shortened(&root.snapshot.item(node).title),
            }));
        }
        found
    }

    /// Tasks of task graphs and of features.
    fn task_words(&self, typed: &str) -> Vec<CompletionWord> {
        let mut all: Vec<(String, String, String)> = Vec::new();
        let graphs = FolderWalk::of(self.root(), "vine", DEPTH, MAX_GRAPHS);
        for path in &graphs.files {
            let name = self.root().join(path).display().to_string();
            let pinned = self.parts.vine.pin(&name);
            let document = pinned.and_then(|pinned| self.parts.vine.read_pinned(&pinned));
            let Ok(document) = document else { continue };
            let nodes = document.plan.graph.nodes.iter();
            let word = |id: &str, title: &str| {
                (
                    format!("vine:{}#{id}", key::composed(path)),
                    id.to_owned(),
                    title.to_owned(),
                )
            };
            all.extend(nodes.map(|node| word(&node.id, &node.name)));
        }
        let features = RootFolder::open(self.root()).ok();
        let features = features.iter().flat_map(in_specs).take(MAX_FEATURES);
        for feature in features {
            let Ok(Some(document)) = self.parts.speckit.document(&feature, TASKS) else {
                continue;
            };
            let label = key::composed(&feature.label);
            let tasks = document.list.tasks.iter();
            all.extend(tasks.map(|task| {
                (
                    format!("speckit:{label}#{}", task.id),
                    task.id.to_string(),
                    task.title().to_owned(),
                )
            }));
        }
        let by_key = all.iter().filter(|(key, _, _)| key.starts_with(typed));
        let mut found: Vec<CompletionWord> = by_key
            .map(|(key, _, title)| CompletionWord {
                word: key.clone(),
                title: shortened(title),
            })
            .collect();
        if typed.is_empty() {
            return found;
        }
        let is_meant = |id: &str| id.starts_with(typed);
        let mut ids: Vec<&str> = all.iter().map(|(_, id, _)| id.as_str()).collect();
        ids.sort_unstable();
        let is_only = |id: &str| {
            let from = ids.partition_point(|one| *one < id);
            ids.get(from + 1).is_none_or(|next| *next != id)
        };
        let by_id = all.iter().filter(|(_, id, _)| is_meant(id));
        found.extend(by_id.map(|(key, id, title)| CompletionWord {
            word: if is_only(id) { id.clone() } else { key.clone() },
            title: shortened(title),
        }));
        found
    }
}

/// The names of the documents of a folder, without their endings.
fn spec_ids(folder: &Path) -> Vec<String> {
    let names = disk::names(folder).unwrap_or_default().into_iter();
    let stem = |name: String| name.strip_suffix(".md").map(str::to_owned);
    names.filter_map(|entry| stem(entry.name)).collect()
}

fn is_id(name: &str) -> bool {
    name.parse::<SpecId>().is_ok()
}

/// Returns true for a word that means itself in every shell.
fn is_safe(word: &str) -> bool {
    let is_plain =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | ':' | '#' | '/' | '@' | '-' | '+');
    !word.starts_with('-') && !word.starts_with('#') && word.chars().all(is_plain)
}

fn shortened(title: &str) -> String {
    let plain = title.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(MAX_TITLE_CHARS).collect()
}
