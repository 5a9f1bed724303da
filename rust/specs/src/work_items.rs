//! The questions that runs on items of other formats ask of these formats: neither specs nor runs know one.

use std::collections::BTreeSet;

use super::project::Project;
use chant_base::error::Error;
use chant_store::digest::sha256;

/// The start of the IDs of orders; no document of a project may be called so.
const PREFIX: &str = "item.";
/// The hexadecimal digits of a key's hash at the end of an ID: 128 bits.
const DIGIT_COUNT: usize = 32;
/// The greatest length of the part that people can read.
const MAX_SLUG_LEN: usize = 48;

/// A box of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderBox {
    /// Its text, on one line.
    pub text: String,
    /// True if it is ticked.
    pub is_ticked: bool,
}

/// All that a run has to know of an item of another format.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkOrder {
    /// The key of the item.
    pub key: String,
    /// Its title.
    pub title: String,
    /// The noun of its kind.
    pub noun: String,
    /// The enclosed texts: where each comes from, and what it says.
    pub parts: Vec<(String, String)>,
    /// Sentences that have to be true in the end and that nobody ticks, with their numbers.
    pub statements: Vec<(String, String)>,
    /// The boxes that are judged.
    pub boxes: Vec<OrderBox>,
    /// The documents that landing changes, from the root.
    pub paths: Vec<String>,
    /// Keys that no other run may have at the same time: the item and all of its parts.
    pub locked_keys: Vec<String>,
    /// Keys or names of items that it still waits for.
    pub waits: Vec<String>,
    /// Its labels.
    pub labels: Vec<String>,
    /// The keys of its open parts, each of which can be worked on alone; empty for an item without parts.
    pub open_parts: Vec<String>,
    /// True if its parts are worked on one by one unless somebody asks for the whole.
    pub is_worked_in_parts: bool,
    /// True if only a person can do it.
    pub is_of_people: bool,
}

/// The work of a run on an item, by its commits.
#[derive(Debug, Clone, Copy)]
pub struct ItemWork<'a> {
    /// The key of the item.
    pub key: &'a str,
    /// The texts of its boxes at the start, with the marks that they had.
    pub boxes: &'a [OrderBox],
    /// The first commit of the branch.
    pub base: &'a str,
    /// The newest commit of the branch.
    pub tip: &'a str,
    /// The paths that differ between them, from the root.
    pub changed: &'a [String],
}

/// Files that a run changed.
#[derive(Debug, Clone, Copy)]
pub struct ChangedPaths<'a> {
    /// The commit whose settings say where plans lie.
    pub base: &'a str,
    /// The files, from the root.
    pub paths: &'a [&'a str],
    /// True for the work of a run on an item, false for that on a spec.
    pub by_item_run: bool,
}

/// What a format says of the work on an item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemJudgement {
    /// Which boxes the work ticks in the item's own documents, in the order of the boxes.
    pub ticked: Vec<bool>,
    /// The documents that belong to the item, from the root: changes of them alone are no work.
    pub own_paths: Vec<String>,
    /// What a person has to look at, in sentences without a subject: "changes ...".
    pub objections: Vec<String>,
}

/// The landing of the work on an item.
#[derive(Debug, Clone, Copy)]
pub struct ItemLanding<'a> {
    /// The key of the item.
    pub key: &'a str,
    /// Its title at the start.
    pub title: &'a str,
    /// The texts of its boxes at the start, with the marks that they had then. The work ticks all of them.
    pub boxes: &'a [OrderBox],
    /// The first commit of the branch.
    pub base: &'a str,
    /// True if a check of the project passed for the work, or it had boxes.
    pub is_proven: bool,
}

/// A document before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentText {
    /// Its path from the root.
    pub path: String,
    /// Its text before.
    pub before: String,
    /// Its text with the marks of the landing.
    pub after: String,
}

/// The documents of an item as a landing leaves them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LandedDocuments {
    /// Each with the marks of the landing; none where git does not track them.
    Marked(Vec<DocumentText>),
    /// A person has to look first, for this reason.
    NeedsPerson(String),
}

/// Answers the questions that runs on items of other formats ask of these formats.
pub trait WorkItems: Send + Sync {
    /// Returns the order of an item, named in full or in part, as its documents say now.
    ///
    /// # Errors
    /// The name means none or several items; nothing is left to do.
    fn order(&self, project: &Project, name: &str) -> Result<WorkOrder, Error>;

    /// Returns the key that a name with the word of another format stands for, whether an item has it or not; `None`
    /// for a text that is no such name.
    fn key_of(&self, project: &Project, name: &str) -> Option<String>;

    /// Returns the keys of all items of the format of a key that can be worked on alone and now.
    fn ready(&self, project: &Project, key: &str) -> Vec<String>;

    /// Returns what a format says of the work on an item.
    ///
    /// # Errors
    /// A failure of git; a commit in which the item cannot be found is an objection.
    fn judge(&self, project: &Project, work: &ItemWork<'_>) -> Result<ItemJudgement, Error>;

    /// Returns the documents among changed files of which orders tell agents. Of a run on an item this leaves out what
    /// [`Self::judge`] compares.
    ///
    /// # Errors
    /// A failure of git.
    fn told_documents(
        &self,
        project: &Project,
        changed: &ChangedPaths<'_>,
    ) -> Result<BTreeSet<String>, Error>;

    /// Returns the documents of plans among files, by their paths from the root, as a commit's settings say.
    ///
    /// # Errors
    /// A failure of git.
    fn plan_documents(
        &self,
        project: &Project,
        commit: &str,
        paths: &[&str],
    ) -> Result<BTreeSet<String>, Error>;

    /// Returns true if an item is done in a commit; one that is not there is not.
    ///
    /// # Errors
    /// A failure of git.
    fn is_done_in(&self, project: &Project, key: &str, commit: &str) -> Result<bool, Error>;

    /// Returns the keys of the items that are done in a commit, of documents at the given paths from the root.
    ///
    /// # Errors
    /// A failure of git.
    fn done_items(
        &self,
        project: &Project,
        commit: &str,
        paths: &[&str],
    ) -> Result<BTreeSet<String>, Error>;

    /// Returns the documents of an item in a commit, with the marks of the landing.
    ///
    /// # Errors
    /// A failure of git.
    fn landed_in(
        &self,
        project: &Project,
        landing: &ItemLanding<'_>,
        commit: &str,
    ) -> Result<LandedDocuments, Error>;

    /// Returns the same for the documents as they lie on disk.
    fn landed_on_disk(&self, project: &Project, landing: &ItemLanding<'_>) -> LandedDocuments;
}

/// Returns the ID under which runs work on an item: derived from its key alone, so that nothing that a document says
/// chooses the name of a branch, a lock or a folder.
pub fn run_id_of(key: &str) -> String {
    let mut slug = String::new();
    for character in key.chars().flat_map(char::to_lowercase) {
        if slug.len() >= MAX_SLUG_LEN {
            break;
        }
        match character {
            'a'..='z' | '0'..='9' => slug.push(character),
            ':' | '#' | '/' if !slug.is_empty() && !slug.ends_with(['.', '-']) => slug.push('.'),
            _ if !slug.is_empty() && !slug.ends_with(['.', '-']) => slug.push('-'),
            _ => {}
        }
    }
    let slug = slug.trim_end_matches(['.', '-']);
    let hash = &sha256(key.as_bytes())[..DIGIT_COUNT];
    format!("{PREFIX}{slug}.{hash}")
}

/// Returns true for an ID under which runs work on items of other formats.
pub fn is_run_id(id: &str) -> bool {
    let rest = id
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.rsplit_once('.'));
    rest.is_some_and(|(_, hash)| {
        hash.len() == DIGIT_COUNT && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Returns the word of the format of the item that a run's ID stands for; `None` for a spec.
pub fn format_of_run(id: &str) -> Option<&str> {
    let slug = id.strip_prefix(PREFIX).filter(|_| is_run_id(id))?;
    slug.split('.').next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_key_gives_a_name_of_its_own_that_leads_nowhere(one in "[a-z]{1,9}:.{0,300}", other in "[a-z]{1,9}:.{0,300}") {
            let id = run_id_of(&one);
            prop_assert!(is_run_id(&id) && id.len() < 100, "{}", id);
            prop_assert!(id.parse::<crate::id::SpecId>().is_ok(), "{}", id);
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
            prop_assert!(id.chars().all(is_plain) && !id.contains(".."), "{}", id);
            prop_assert_eq!(one == other, id == run_id_of(&other));
        }
    }

    #[test]
    fn ids_of_runs_come_from_keys_alone() {
        let id = run_id_of("todo:add-auth#2.1");
        assert!(id.starts_with("item.todo.add-auth.2-1."), "{id}");
        assert!(is_run_id(&id));
        assert_ne!(id, run_id_of("todo:add-auth#2-1"));
        for key in [
            "todo:../../x#1",
            "x:\n",
            "x:-rf",
            "x:refs/heads/a",
            "a:\u{202e}b",
            &"k:ä".repeat(300),
        ] {
            let id = run_id_of(key);
            assert!(is_run_id(&id), "{id}");
            assert!(
                id.len() < 100 && id.parse::<crate::id::SpecId>().is_ok(),
                "{id}"
            );
            assert!(!id.contains("..") && !id.contains(['/', '\n', ' ']), "{id}");
        }
        assert_eq!(format_of_run(&id), Some("todo"));
        assert_eq!(format_of_run("2026-01-22-001-x7m"), None);
        assert!(!is_run_id("2026-01-22-001-x7m"));
        assert!(!is_run_id("item.x"));
    }
}
