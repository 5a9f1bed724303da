//! Features by name: directories, branches, and which directory a branch means (reference rstn 1.4).

use std::fmt;

/// A feature's name, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureName {
    /// `060`, or `20260319-143022`; `None` for a directory that is not numbered.
    pub number: Option<String>,
    /// The part behind the number.
    pub slug: Option<String>,
}

impl FeatureName {
    /// Takes apart the name of a feature's directory, whatever it is called.
    pub fn of_directory(name: &str) -> Self {
        if let Some((number, slug)) = split_number(name) {
            return Self {
                number: Some(number.to_owned()),
                slug: Some(slug.to_owned()),
            };
        }
        let is_number = name.len() >= 3 && name.bytes().all(|byte| byte.is_ascii_digit());
        Self {
            number: is_number.then(|| name.to_owned()),
            slug: (!is_number).then(|| name.to_owned()),
        }
    }
}

/// Number and slug of `060-name`, `060_name` or `20260319-143022-name`.
pub fn split_number(name: &str) -> Option<(&str, &str)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let count = digits(name);
    let behind = name.get(count..)?.strip_prefix(['-', '_'])?;
    // Dates take part in a name with their time only; those of seven digits are mistakes.
    let is_dated = (7..=8).contains(&count) && digits(behind) == 6;
    let end = if is_dated { count + 7 } else { count };
    let slug = if is_dated {
        behind.get(6..)?.strip_prefix(['-', '_'])?
    } else {
        behind
    };
    let is_numbered = count >= 3 && !(is_dated && count == 7);
    (is_numbered && !slug.is_empty()).then(|| (&name[..end], slug))
}

/// Which of the directories in `specs/` is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirectoryMatch {
    /// This one.
    One(String),
    /// None of them.
    None,
    /// Several could be.
    Several(Vec<String>),
}

/// The directory that a branch means: that of its last part's name, else the only one with its number. In a repository
/// of several projects, which count from 1 each, the name has to go with it. `None` for a branch that names no feature.
pub fn of_branch(
    branch: &str,
    directories: &[String],
    is_of_several_projects: bool,
) -> Option<DirectoryMatch> {
    let name = branch.rsplit('/').next().unwrap_or(branch);
    let (number, slug) = split_number(name)?;
    if directories.iter().any(|directory| directory == name) {
        return Some(DirectoryMatch::One(name.to_owned()));
    }
    let slug = is_of_several_projects.then_some(slug);
    Some(of_number(number, slug, directories))
}

/// The directory that a name or a number means.
pub fn of_name(name: &str, directories: &[String]) -> DirectoryMatch {
    let name = name.trim().trim_end_matches('/');
    let name = name.strip_prefix("specs/").unwrap_or(name);
    if directories.iter().any(|directory| directory == name) {
        return DirectoryMatch::One(name.to_owned());
    }
    match split_number(name) {
        Some((number, slug)) => of_number(number, Some(slug), directories),
        None => of_number(name, None, directories),
    }
}

/// Returns true if two slugs can be of one feature: one begins with the words of the other. A number alone
/// says little where several projects count from 1.
fn goes_with(one: &str, other: &str) -> bool {
    let words = |slug: &str| slug.to_lowercase().replace('_', "-");
    let (one, other) = (words(one), words(other));
    let begins = |long: &str, short: &str| {
        long.strip_prefix(short)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    begins(&one, &other) || begins(&other, &one)
}

fn of_number(number: &str, slug: Option<&str>, directories: &[String]) -> DirectoryMatch {
    let has_number = |directory: &&String| {
        split_number(directory).is_some_and(|(found, own)| {
            found == number && slug.is_none_or(|slug| goes_with(slug, own))
        })
    };
    let found: Vec<String> = directories.iter().filter(has_number).cloned().collect();
    match found.as_slice() {
        [] if directories.iter().any(|directory| directory == number) => {
            DirectoryMatch::One(number.to_owned())
        }
        [] => DirectoryMatch::None,
        [one] => DirectoryMatch::One(one.clone()),
        _ => DirectoryMatch::Several(found),
    }
}

/// The seed's four phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeatureStage {
    /// It has no written spec yet.
    Specify,
    /// It has no written plan yet.
    Plan,
    /// It has no tasks yet.
    Tasks,
    /// Its tasks are being done, or are done.
    Implement,
}

impl fmt::Display for FeatureStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Specify => "specify",
            Self::Plan => "plan",
            Self::Tasks => "tasks",
            Self::Implement => "implement",
        })
    }
}

/// The placeholders that an untouched template of `spec.md` still holds.
const SPEC_PLACES: [&str; 4] = [
    "[FEATURE NAME]", "[###-feature-name]", "[DATE]", "$ARGUMENTS",
];
/// The placeholders that an untouched template of `plan.md` still holds.
const PLAN_PLACES: [&str; 2] = ["[FEATURE]", "[link]"];

/// Returns true if a `spec.md` says anything.
pub fn is_spec(text: &str) -> bool {
    is_written(text, &SPEC_PLACES)
}

/// Returns true if a `plan.md` says anything.
pub fn is_plan(text: &str) -> bool {
    is_written(text, &PLAN_PLACES)
}

/// A template is copied before anybody writes, so that a file alone says nothing: what counts is that its
/// first places are filled. Later ones may stay, in a remark say.
fn is_written(text: &str, places: &[&str]) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim();
    let title = text
        .lines()
        .find(|line| line.starts_with("# "))
        .unwrap_or_default();
    let is_titled = !places.iter().any(|place| title.contains(place));
    let left = places.iter().filter(|place| text.contains(*place)).count();
    !text.is_empty() && is_titled && left < 2
}

/// Returns the number of clarifications that a spec asks for.
pub fn count_clarifications(spec: &str) -> usize {
    spec.matches("[NEEDS CLARIFICATION").count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbers_of_three_digits_or_more_or_dates_with_a_time() {
        for (name, expected) in [
            ("060-x", Some(("060", "x"))),
            ("042_demo-board", Some(("042", "demo-board"))),
            ("1000-x-y", Some(("1000", "x-y"))),
            ("20260319-143022-x", Some(("20260319-143022", "x"))),
            ("42-x", None),
            ("060-", None),
            ("060", None),
            ("2026031-143022-x", None),
            ("20260319-143022", None),
            ("main", None),
        ] {
            assert_eq!(split_number(name), expected, "{name}");
        }
    }

    #[test]
    fn a_branch_means_its_own_directory_or_the_only_one_with_its_number() {
        let names = [
            "042-demo-board", "043-a", "043-b", "044-c-a", "044-c-b", "1042-x", "050",
        ];
        let directories = names.map(String::from);
        let one = |name: &str| Some(DirectoryMatch::One(name.to_owned()));
        for (branch, expected) in [
            ("042-demo-board", one("042-demo-board")),
            ("jdoe/web/042_demo-board", one("042-demo-board")),
            ("feat/042-demo", one("042-demo-board")),
            ("feat/042-demo-board-v2", one("042-demo-board")),
            ("feat/042-other", Some(DirectoryMatch::None)),
            ("feat/042-demob", Some(DirectoryMatch::None)),
            ("050-anything", one("050")),
            ("1042-x-y", one("1042-x")),
            ("043-a", one("043-a")),
            (
                "044-c",
                Some(DirectoryMatch::Several(vec![
                    "044-c-a".into(),
                    "044-c-b".into(),
                ])),
            ),
            ("043-c", Some(DirectoryMatch::None)),
            ("999-x", Some(DirectoryMatch::None)),
            ("main", None),
        ] {
            assert_eq!(of_branch(branch, &directories, true), expected, "{branch}");
        }
        // The branches of a repository of one project are all its own.
        let alone = |branch| of_branch(branch, &directories, false);
        assert_eq!(alone("feat/042-other"), one("042-demo-board"));
        assert_eq!(alone("1042-y"), one("1042-x"));
    }

    #[test]
    fn a_template_is_not_written_however_long_it_is() {
        let template = "# Feature Specification: [FEATURE NAME]\n\n**Created**: [DATE]\nmore\n";
        assert!(!is_spec(template) && !is_spec(" \n") && !is_spec("\u{feff}\n"));
        assert!(is_spec(
            "# Feature Specification: Log in\n\n**Created**: [DATE]\n"
        ));
        assert!(!is_plan(
            "# Implementation Plan: [FEATURE]\n\n**Spec**: [link]\n"
        ));
        assert!(is_plan("# Implementation Plan: Log in\n"));
    }
}
