//! The message of the commit by which work lands: the configured template, else what the history asks for.

use std::sync::LazyLock;

use chant_config::LandingStyle;
use chant_git::{GitError, Repo};
use regex::Regex;

/// So many of the newest commits are looked at.
const RECENT_COMMITS: usize = 50;
/// The greatest length of a first line of the conventional form, in characters.
const MAX_SUBJECT_CHARS: usize = 100;
/// The usual messages of merges, of squashed work, and of the last commit after rewritten ones.
const MERGE: &str = "Merge {branch}: {title}";
const SQUASH: &str = "{title} ({branch})";
const REBASE: &str = "Complete {branch}: {title}";
/// The start of the usual messages in histories with conventional commits.
const CONVENTIONAL: &str = "chore: ";

/// A first line of the conventional form (conventionalcommits.org 1.0.0).
static FORM: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[a-z]+(\([^()]+\))?!?: \S").ok());

/// The parts of the message of a landing.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageParts<'a> {
    pub branch: &'a str,
    pub target: &'a str,
    pub spec: &'a str,
    /// The key of an item of another format, whose branch has a name that says nothing to people.
    pub item: Option<&'a str>,
    pub title: Option<&'a str>,
}

/// Returns the message of a landing on a commit.
///
/// # Errors
/// A failure to read the history.
pub(super) fn landing_message(
    repo: &Repo,
    target_tip: &str,
    template: Option<&str>,
    style: LandingStyle,
    parts: MessageParts<'_>,
) -> Result<String, GitError> {
    if let Some(template) = template {
        return Ok(parts.filled(template));
    }
    let recent = repo.recent_commits(target_tip, RECENT_COMMITS)?;
    let subjects = recent.iter().map(|commit| commit.subject.as_str());
    let usual = match style {
        LandingStyle::Merge => MERGE,
        LandingStyle::Squash => SQUASH,
        LandingStyle::Rebase => REBASE,
    };
    let usual = match parts.item {
        Some(_) => parts.filled(&usual.replace("{branch}", "{spec}")),
        None => parts.filled(usual),
    };
    if !is_conventional(subjects) {
        return Ok(usual);
    }
    let subject = format!("{CONVENTIONAL}{}", with_small_start(&usual));
    Ok(subject.chars().take(MAX_SUBJECT_CHARS).collect())
}

/// Returns a sentence without a capital at its start, as rules for this form ask; a name in capitals stays.
fn with_small_start(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

/// Returns true if most commits that are no merges have the conventional form.
fn is_conventional<'a>(subjects: impl Iterator<Item = &'a str>) -> bool {
    let Some(form) = FORM.as_ref() else {
        return false;
    };
    // Merges and commits in our own forms say nothing about what people write.
    let own = subjects.filter(|subject| {
        !["Merge ", "Work on ", "chant("]
            .iter()
            .any(|start| subject.starts_with(start))
    });
    let (mut all, mut formed) = (0_usize, 0_usize);
    for subject in own {
        all += 1;
        formed += usize::from(form.is_match(subject));
    }
    formed * 2 > all
}

impl MessageParts<'_> {
    /// Fills in a template; without a title the branch alone is named.
    fn filled(self, template: &str) -> String {
        let template = match self.title {
            Some(_) => template.to_owned(),
            None => template.replace(": {title}", ""),
        };
        let values = [
            ("{branch}", self.branch),
            ("{target}", self.target),
            ("{spec}", self.item.unwrap_or(self.spec)),
            ("{title}", self.title.or(self.item).unwrap_or(self.spec)),
        ];
        let mut rest = template.as_str();
        let mut message = String::new();
        // What a value holds is no placeholder.
        while let Some(at) = rest.find('{') {
            let (before, from) = rest.split_at(at);
            message.push_str(before);
            let known = values.iter().find(|(name, _)| from.starts_with(name));
            let (text, taken) = known.map_or(("{", 1), |(name, value)| (*value, name.len()));
            message.push_str(text);
            rest = &from[taken..];
        }
        message.push_str(rest);
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: MessageParts<'_> = MessageParts {
        branch: "chant/001",
        target: "main",
        spec: "001",
        item: None,
        title: Some("Sort {branch} rows"),
    };

    #[test]
    fn placeholders_are_filled_in_once() {
        assert_eq!(PARTS.filled(MERGE), "Merge chant/001: Sort {branch} rows");
        assert_eq!(
            PARTS.filled("{spec} on {target} {other}\n\nx"),
            "001 on main {other}\n\nx"
        );
        let without = MessageParts {
            title: None,
            ..PARTS
        };
        assert_eq!(without.filled(MERGE), "Merge chant/001");
        assert_eq!(without.filled(SQUASH), "001 (chant/001)");
    }

    #[test]
    fn a_subject_of_the_conventional_form_starts_small_unless_a_name_does_not() {
        assert_eq!(with_small_start("Sort rows"), "sort rows");
        assert_eq!(with_small_start("API for rows"), "API for rows");
        assert_eq!(with_small_start(""), "");
    }

    #[test]
    fn a_history_is_conventional_where_most_of_its_own_commits_are() {
        let form = [
            "feat: add rows", "fix(api)!: no rows", "Merge chant/001", "wip",
        ];
        assert!(is_conventional(form.into_iter()));
        assert!(!is_conventional(["feat: one", "Note: ", "Two"].into_iter()));
        assert!(!is_conventional(
            ["Merge x", "chant(001): Add rows"].into_iter()
        ));
    }
}
