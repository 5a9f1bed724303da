//! The older header of a ticket: `- **Status**: Approved` and the like below the title, in place of front matter.

use std::ops::Range;

use chant_text::edit::{self, Edit, EditError, line_break};

/// The names of attributes in such a header, in small letters, with their keys in front matter. The first name of a
/// key is the one that is written.
const NAMES: [(&str, &str); 19] = [
    ("Code", "code"),
    ("Title/Summary", "title"),
    ("Title", "title"),
    ("Summary", "title"),
    ("Status", "status"),
    ("Date Created", "dateCreated"),
    ("Created", "dateCreated"),
    ("Last Modified", "lastModified"),
    ("Type", "type"),
    ("Priority", "priority"),
    ("Phase/Epic", "phaseEpic"),
    ("Phase", "phaseEpic"),
    ("Epic", "phaseEpic"),
    ("Assignee", "assignee"),
    ("Related Tickets", "relatedTickets"),
    ("Depends On", "dependsOn"),
    ("Blocks", "blocks"),
    ("Implementation Date", "implementationDate"),
    ("Implementation Notes", "implementationNotes"),
];

/// A line of the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OlderHeaderLine {
    /// The key that front matter would have.
    pub key: &'static str,
    /// The bytes of its value.
    pub value: Range<usize>,
    /// The bytes of the line, its line break included.
    line: Range<usize>,
}

/// Returns the lines of the older header; none for a text with front matter, or without a status in such a line.
pub fn lines(text: &str) -> Vec<OlderHeaderLine> {
    if text.trim_start_matches('\u{feff}').starts_with("---") {
        return Vec::new();
    }
    let mut found: Vec<OlderHeaderLine> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let whole = start..start + line.len();
        start = whole.end;
        if line.starts_with("## ") || line.trim_start().starts_with("```") {
            break;
        }
        if let Some((key, value)) = attribute(line)
            && !found.iter().any(|one| one.key == key)
        {
            found.push(OlderHeaderLine {
                key,
                value: value.start + whole.start..value.end + whole.start,
                line: whole,
            });
        }
    }
    if found.iter().any(|line| line.key == "status") {
        found
    } else {
        Vec::new()
    }
}

/// The key and the place of the value in a line such as `- **Status**: Approved` or `* **Status:** Approved`.
fn attribute(line: &str) -> Option<(&'static str, Range<usize>)> {
    let rest = line.trim_start().strip_prefix(['-', '*'])?.trim_start();
    let (name, value) = rest.strip_prefix("**")?.split_once("**")?;
    let value = match name.strip_suffix(':') {
        Some(_) => value,
        None => value.strip_prefix(':')?,
    };
    let name = name.trim_end_matches(':').trim();
    let (_, key) = NAMES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    let value = value.trim();
    let end = line.trim_end().len();
    Some((key, end - value.len()..end))
}

/// Gives an attribute of the header another value, or takes its line out; an absent one gets a line behind the last.
///
/// # Errors
/// `EditError::Unfaithful` for a key that such a header does not have, or a value that is more than one line.
pub fn set(text: &str, key: &str, value: Option<&str>) -> Result<String, EditError> {
    let unfaithful = |why: &str| EditError::Unfaithful {
        key: key.to_owned(),
        why: why.to_owned(),
    };
    if value.is_some_and(|value| value.contains(['\n', '\r'])) {
        return Err(unfaithful(
            "the older header has one line for each attribute",
        ));
    }
    let lines = lines(text);
    let known = lines.iter().find(|line| line.key == key);
    let edit = match (known, value) {
        (None, None) => return Ok(text.to_owned()),
        (Some(line), None) => Edit::replace(line.line.clone(), ""),
        (Some(line), Some(value)) if line.value.is_empty() => {
            let at = line.value.start;
            let gap = if text[..at].ends_with(' ') { "" } else { " " };
            Edit::insert(at, format!("{gap}{value}"))
        }
        (Some(line), Some(value)) => Edit::replace(line.value.clone(), value),
        (None, Some(value)) => {
            let name = NAMES.iter().find(|(_, known)| *known == key);
            let (name, _) = name.ok_or_else(|| {
                unfaithful("the older header has no such attribute; give the ticket front matter")
            })?;
            let last = lines
                .last()
                .ok_or_else(|| unfaithful("there is no older header"))?;
            let own = &text[last.line.clone()];
            let bullet = &own[..own.find("**").unwrap_or(0)];
            let eol = line_break(text);
            let before = if own.ends_with('\n') { "" } else { eol };
            Edit::insert(
                last.line.end,
                format!("{before}{bullet}**{name}**: {value}{eol}"),
            )
        }
    };
    let changed = edit::apply(text, &[edit])?;
    let now = self::lines(&changed);
    let now = now.iter().find(|line| line.key == key);
    if now.map(|line| &changed[line.value.clone()]) == value {
        return Ok(changed);
    }
    Err(unfaithful("the header would read otherwise"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Log in\r\n\r\n- **Code**: DEM-001\r\n- **Status:** Approved\r\n- **Priority**:\r\n\r\n## Problem\r\n\r\n- **Status**: quo\r\n";

    #[test]
    fn attributes_are_read_and_changed_where_they_stand() -> Result<(), EditError> {
        let values: Vec<(&str, &str)> = lines(TEXT)
            .into_iter()
            .map(|line| (line.key, &TEXT[line.value]))
            .collect();
        assert_eq!(
            values,
            [
                ("code", "DEM-001"),
                ("status", "Approved"),
                ("priority", "")
            ]
        );
        assert_eq!(
            set(TEXT, "status", Some("On Hold"))?,
            TEXT.replace("Approved", "On Hold")
        );
        assert_eq!(
            set(TEXT, "priority", Some("High"))?,
            TEXT.replace("**Priority**:", "**Priority**: High")
        );
        assert_eq!(
            set(TEXT, "assignee", Some("ada"))?,
            TEXT.replace(
                "**Priority**:\r\n",
                "**Priority**:\r\n- **Assignee**: ada\r\n"
            )
        );
        assert_eq!(
            set(TEXT, "priority", None)?,
            TEXT.replace("- **Priority**:\r\n", "")
        );
        assert!(set(TEXT, "impactAreas", Some("ui")).is_err());
        assert!(set(TEXT, "status", Some("a\nb")).is_err());
        Ok(())
    }

    #[test]
    fn what_is_no_header_is_none() {
        for text in [
            "---\ncode: A-1\n---\n- **Status**: x\n",
            "# A\n\n## B\n\n- **Status**: x\n",
            "# A\n\n- **Priority**: x\n",
            "# A\n\n```\n- **Status**: x\n```\n",
        ] {
            assert_eq!(lines(text), [], "{text}");
        }
    }
}
