//! Codes of projects: what can be one, where it comes from, and one project for each.

use std::path::Path;

use super::{ProjectFault, ProjectProblem, ProjectSource, TicketProject};

/// Returns true if a text can be a project's code: something that names of files may begin with, in
/// any length and case.
pub(super) fn is_code(text: &str) -> bool {
    text.starts_with(char::is_alphanumeric)
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// The one code that the names of tickets begin with, in capitals.
///
/// # Errors
/// Why there is none: no tickets, or several codes.
pub fn code_of_tickets<'a>(names: impl Iterator<Item = &'a str>) -> Result<String, ProjectFault> {
    let mut codes: Vec<String> = names.filter_map(code_of_file).collect();
    codes.sort();
    codes.dedup();
    match codes.as_slice() {
        [code] => Ok(code.clone()),
        [] => Err(ProjectFault::NoCode),
        _ => Err(ProjectFault::SeveralCodes(codes)),
    }
}

/// The code of a ticket's file: `MDT` of `MDT-012-title.md`.
fn code_of_file(name: &str) -> Option<String> {
    let stem = name.strip_suffix(".md")?;
    let (code, rest) = stem.split_once('-')?;
    let number = rest.split('-').next()?;
    let is_code = code.starts_with(|c: char| c.is_ascii_alphabetic())
        && code.chars().all(|c| c.is_ascii_alphanumeric());
    let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    (is_code && is_number).then(|| code.to_ascii_uppercase())
}

/// Keeps one project for each code: the one that was started in, then a registered one, then the
/// first by path. The others are reported.
pub(super) fn one_for_each(
    mut projects: Vec<TicketProject>,
    start: Option<&Path>,
    problems: &mut Vec<ProjectProblem>,
) -> Vec<TicketProject> {
    projects.sort_by_key(|project| {
        let is_elsewhere = Some(project.root.as_path()) != start;
        let is_registered = project.source == ProjectSource::Registry;
        (is_elsewhere, !is_registered, project.root.clone())
    });
    let mut all: Vec<TicketProject> = Vec::new();
    for project in projects {
        match all.iter().find(|other| other.has_code(&project.code)) {
            None => all.push(project),
            Some(other) => problems.push(ProjectProblem {
                path: project.root.display().to_string(),
                why: format!(
                    "its code `{}` is that of the project `{}`, which is used; give one of them another code",
                    project.code,
                    other.root.display()
                ),
            }),
        }
    }
    all
}

/// Keeps the project of one code only.
pub(super) fn keep_only_code(
    all: &mut Vec<TicketProject>,
    code: &str,
    problems: &mut Vec<ProjectProblem>,
) {
    let codes: Vec<String> = all.iter().map(|project| project.code.clone()).collect();
    all.retain(|project| project.has_code(code));
    if all.is_empty() {
        let codes = if codes.is_empty() {
            "none".into()
        } else {
            codes.join(", ")
        };
        problems.push(ProjectProblem {
            path: "MCP_PROJECT_FILTER".into(),
            why: format!("no project has the code `{code}`; there are: {codes}"),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_tickets_is_the_one_that_all_names_begin_with() {
        let code = |names: &[&str]| code_of_tickets(names.iter().copied());
        assert_eq!(
            code(&[
                "P2-001-a.md", "p2-12.md", "README.md", "MDT-001.txt", "notes-draft.md"
            ]),
            Ok("P2".into())
        );
        assert_eq!(
            code(&["B-1.md", "A-2-x.md"]),
            Err(ProjectFault::SeveralCodes(vec!["A".into(), "B".into()]))
        );
        assert!(code(&["2024-10-02.md", "x.md"]).is_err());
    }

    #[test]
    fn a_code_is_anything_that_can_begin_a_file_name() {
        for code in ["MDT", "mdt", "LONGCODE", "P2", "ПР"] {
            assert!(is_code(code), "{code}");
        }
        for code in ["../X", "A/B", "A B", ".X", "A\nB", ""] {
            assert!(!is_code(code), "{code}");
        }
    }
}
