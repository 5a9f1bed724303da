//! One changed file by itself: its class, its texts, and what became weaker in it.

use std::collections::BTreeSet;

use super::added_lines::{added_lines, line_findings};
use super::decode::text_of;
use super::file_class::FileClass;
use super::finding::{JudgeFinding, JudgeRule};
use super::{ChangedText, MAX_BYTES, judge_configuration, lock_files};

/// A changed file with its class and its texts.
pub(crate) struct ReadFile<'c> {
    pub path: &'c str,
    pub class: FileClass,
    pub old: Option<String>,
    pub new: Option<String>,
    /// True if a version of it could not be read as text.
    pub is_unread: bool,
}

impl<'c> ReadFile<'c> {
    /// Reads both versions of a file.
    pub(crate) fn of(changed: &'c ChangedText, class: FileClass) -> Self {
        let text = |bytes: &Option<Vec<u8>>| {
            let bytes = bytes.as_ref()?;
            (bytes.len() <= MAX_BYTES).then(|| text_of(bytes))?
        };
        let (old, new) = (text(&changed.old), text(&changed.new));
        Self {
            path: &changed.path,
            class,
            is_unread: (changed.old.is_some() && old.is_none())
                || (changed.new.is_some() && new.is_none()),
            old,
            new,
        }
    }

    /// Returns the findings about the file by itself; `is_program` if a check runs it, `list_changed` if a list of
    /// dependencies is changed with it.
    pub(crate) fn findings(
        &self,
        is_program: bool,
        words: &BTreeSet<String>,
        list_changed: bool,
    ) -> Vec<JudgeFinding> {
        let file = self;
        let (old, new) = (
            file.old.as_deref().unwrap_or_default(),
            file.new.as_deref().unwrap_or_default(),
        );
        let mut found = Vec::new();
        match file.class {
            FileClass::Configuration if old != new || file.is_unread => {
                let texts = judge_configuration::text_findings(file.path, "", (old, new));
                if texts.is_empty() {
                    found.push(JudgeFinding::new(JudgeRule::Configuration, file.path, 1));
                }
                found.extend(texts);
            }
            FileClass::PartlyConfiguration => {
                let parts = |text| judge_configuration::judging_parts(file.path, text, words);
                found.extend(judge_configuration::part_findings(
                    file.path,
                    &parts(old),
                    &parts(new),
                ));
            }
            FileClass::Lock if file.old.is_some() && file.new.is_some() => {
                found.extend(lock_files::lock_findings(
                    file.path, old, new, !list_changed,
                ));
            }
            FileClass::Code if is_program && file.old.is_some() => {
                let words = judge_configuration::text_findings(file.path, "", (old, new));
                let mut words = words.into_iter().filter(|one| {
                    [JudgeRule::Configuration, JudgeRule::ForcedSuccess].contains(&one.rule)
                });
                found.extend(words.next().map(|one| JudgeFinding {
                    rule: JudgeRule::CheckProgram,
                    ..one
                }));
                found.extend(words);
            }
            FileClass::Snapshot => {
                found.extend(snapshot_findings(file.path, old, file.new.as_deref()));
            }
            FileClass::Test if file.is_unread && file.old.is_some() => {
                found.push(JudgeFinding::new(JudgeRule::Unreadable, file.path, 1));
            }
            _ => {}
        }
        if file.new.is_some() {
            found.extend(line_findings(file.path, file.class, old, new));
        }
        found
    }
}

/// Returns the findings about what tests expect, as a tool wrote it: expectations that are others now.
fn snapshot_findings(path: &str, old: &str, new: Option<&str>) -> Vec<JudgeFinding> {
    let Some(new) = new else { return Vec::new() };
    let gone = added_lines(new, old);
    // Entries that were added change nothing that was expected.
    let Some((_, before)) = gone.first() else {
        return Vec::new();
    };
    let added = added_lines(old, new);
    // Entries that are only gone belong to tests that are gone, which are looked at themselves.
    let Some((line, now)) = added.first() else {
        return Vec::new();
    };
    vec![JudgeFinding::new(JudgeRule::Expectation, path, *line).changed(before, now)]
}
