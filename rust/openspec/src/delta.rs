//! Main specs and deltas: their requirements and scenarios.

use std::ops::Range;
use strum::IntoStaticStr;

use chant_text::checklist::lines::{BoxGrammar, ListLine, ListLineKind, read_lines};

/// The headings below which a delta says what it does to a main spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum DeltaKind {
    Renamed,
    Removed,
    Modified,
    Added,
}

impl DeltaKind {
    pub(super) const ALL: [Self; 4] = [Self::Renamed, Self::Removed, Self::Modified, Self::Added];

    /// The kind that a heading of the second level names, in any case of letters.
    pub(super) fn of_heading(heading: &str) -> Option<Self> {
        let words: Vec<String> = heading.split_whitespace().map(str::to_uppercase).collect();
        match words
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .as_slice()
        {
            [word, "REQUIREMENTS"] => Self::ALL.into_iter().find(|kind| kind.word() == *word),
            _ => None,
        }
    }

    pub(super) fn word(self) -> &'static str {
        self.into()
    }
}

/// A requirement with its scenarios.
#[derive(Debug)]
pub(super) struct RequirementBlock {
    pub(super) name: String,
    pub(super) line: usize,
    /// The text above the first scenario.
    pub(super) text: String,
    pub(super) scenarios: Vec<ScenarioBlock>,
}

#[derive(Debug)]
pub(super) struct ScenarioBlock {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) span: Range<usize>,
}

/// A section of the second level.
#[derive(Debug)]
pub(super) struct SpecSection {
    pub(super) title: String,
    pub(super) line: usize,
    /// Text above the first requirement.
    pub(super) text: String,
    pub(super) requirements: Vec<RequirementBlock>,
    /// Headings of the third level that are no requirements.
    pub(super) others: Vec<(String, usize)>,
    /// Requirements that a list names, with their lines.
    pub(super) listed: Vec<(String, usize)>,
    /// Old and new names, with their lines.
    pub(super) renames: Vec<(String, String, usize)>,
}

impl SpecSection {
    pub(super) fn kind(&self) -> Option<DeltaKind> {
        DeltaKind::of_heading(&self.title)
    }

    /// The names of its requirements, with their lines.
    pub(super) fn names(&self) -> Vec<(&str, usize)> {
        let blocks = self.requirements.iter().map(|one| (&*one.name, one.line));
        let listed = self.listed.iter().map(|(name, line)| (&**name, *line));
        blocks.chain(listed).collect()
    }
}

/// Headings are read as a checklist without boxes.
const NO_BOXES: BoxGrammar = BoxGrammar {
    signs: "",
    has_numbered_bullets: false,
    has_loose_boxes: false,
    has_loose_blanks: false,
};

/// Reads the sections of the second level of a main spec or a delta.
pub(super) fn sections(text: &str) -> Vec<SpecSection> {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut found: Vec<SpecSection> = Vec::new();
    let mut from: Option<String> = None;
    for line in read_lines(text, start, &NO_BOXES) {
        match heading(text, &line) {
            Some((2, title)) => {
                from = None;
                found.push(SpecSection {
                    title: title.to_owned(),
                    line: line.number,
                    text: String::new(),
                    requirements: Vec::new(),
                    others: Vec::new(),
                    listed: Vec::new(),
                    renames: Vec::new(),
                });
            }
            Some((level, title)) => {
                if let Some(section) = found.last_mut() {
                    take_heading(section, level, title, &line);
                }
            }
            None => {
                if let Some(section) = found.last_mut() {
                    take_text(section, text, &line, &mut from);
                }
            }
        }
    }
    found
}

fn heading<'a>(text: &'a str, line: &ListLine) -> Option<(u8, &'a str)> {
    match &line.kind {
        ListLineKind::Heading { level, text: title } if !line.is_fenced => {
            Some((*level, &text[title.clone()]))
        }
        _ => None,
    }
}

/// The name of a requirement in a heading without its marks.
fn requirement_name(title: &str) -> Option<&str> {
    let (word, name) = title.split_once(':')?;
    word.trim()
        .eq_ignore_ascii_case("requirement")
        .then(|| name.trim())
}

fn take_heading(section: &mut SpecSection, level: u8, title: &str, line: &ListLine) {
    match (level, requirement_name(title)) {
        (3, Some(name)) => section.requirements.push(RequirementBlock {
            name: name.to_owned(),
            line: line.number,
            text: String::new(),
            scenarios: Vec::new(),
        }),
        (3, None) => section.others.push((title.to_owned(), line.number)),
        (4, _) => {
            if let Some(requirement) = section.requirements.last_mut() {
                requirement.scenarios.push(ScenarioBlock {
                    name: title
                        .strip_prefix("Scenario:")
                        .unwrap_or(title)
                        .trim()
                        .to_owned(),
                    text: String::new(),
                    span: line.range.start..line.range.end,
                });
            }
        }
        _ => {}
    }
}

fn take_text(section: &mut SpecSection, text: &str, line: &ListLine, from: &mut Option<String>) {
    let words = text[line.range.clone()].trim();
    match section.kind() {
        Some(DeltaKind::Removed) if section.requirements.is_empty() => {
            if let Some(name) = quoted_name(words) {
                section.listed.push((name, line.number));
                return;
            }
        }
        Some(DeltaKind::Renamed) => {
            let item = words
                .trim_start_matches(['-', '*', '+'])
                .trim_start()
                .trim_start_matches('*');
            if let Some(name) = item.strip_prefix("FROM:").and_then(quoted_name) {
                *from = Some(name);
            } else if let Some(name) = item.strip_prefix("TO:").and_then(quoted_name)
                && let Some(old) = from.take()
            {
                section.renames.push((old, name, line.number));
            }
            return;
        }
        _ => {}
    }
    if words.is_empty() {
        return;
    }
    let Some(requirement) = section.requirements.last_mut() else {
        push_line(&mut section.text, words);
        return;
    };
    match requirement.scenarios.last_mut() {
        Some(scenario) => {
            push_line(&mut scenario.text, words);
            scenario.span.end = line.range.end;
        }
        None => push_line(&mut requirement.text, words),
    }
}

/// The name in a quoted heading of a list, such as ``- `### Requirement: Name` ``.
fn quoted_name(words: &str) -> Option<String> {
    let item = words
        .trim_start_matches(['-', '*', '+'])
        .trim()
        .trim_matches(['`', '*'])
        .trim();
    let title = item.strip_prefix("###")?.trim_start();
    requirement_name(title).map(str::to_owned)
}

fn push_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

/// Returns true if two names are one but for case of letters and blanks: a typing error.
pub(super) fn is_nearly(one: &str, other: &str) -> bool {
    let folded = |name: &str| {
        name.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .to_lowercase()
    };
    one != other && folded(one) == folded(other)
}
