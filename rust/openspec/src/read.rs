//! Reads a change or a main spec.

use chant_plan_format::document::PlanDocument;
use chant_plan_format::finding::PlanFinding;
use chant_plan_format::section_lookup::{sections_of, start_of};
use chant_plan_format::unit::{NamedWait, PlanItem, PlanStatement, PlanUnit, UnitSource};

use super::change_file::ChangeFile;
use super::delta::{self, DeltaKind};
use super::format::{CHANGE, METADATA, TASKS};
use super::task_list::{GRAMMAR, task_items};
use chant_text::checklist::lines::{BoxGrammar, read_lines};

/// Boxes that releases before 1.13 take for tasks.
const OLDER_GRAMMAR: BoxGrammar = BoxGrammar {
    signs: " xX\t",
    has_numbered_bullets: false,
    has_loose_boxes: false,
    has_loose_blanks: true,
};

pub(super) fn read(source: &UnitSource) -> PlanUnit {
    let mut unit = PlanUnit::new(source.clone());
    for (at, document) in source.documents.iter().enumerate() {
        if document.path.ends_with(".md") {
            unit.sections
                .extend(sections_of(at, &document.text, start_of(document)));
        }
    }
    if source.kind == CHANGE {
        read_change(&mut unit);
    }
    unit
}

fn read_change(unit: &mut PlanUnit) {
    let source = unit.source.clone();
    let metadata = source
        .index_of(METADATA)
        .map(|at| ChangeFile::read(&source.documents[at]));
    let (file, problems) = metadata.unwrap_or_default();
    unit.problems.extend(problems);
    let tasks = source.index_of(TASKS);
    let proposal = source.index_of("proposal.md");
    let wait = |name: String| NamedWait {
        name: name.into(),
        reason: "depends",
        span: 0..0,
    };
    unit.items.push(PlanItem {
        name: source.name.clone(),
        title: title_of(unit, proposal).unwrap_or(&source.name).into(),
        kind: CHANGE,
        document: proposal.or(tasks),
        line: 1,
        waits: file.depends_on.iter().cloned().map(wait).collect(),
        mark: "open".into(),
        is_group: true,
        ..PlanItem::default()
    });
    match tasks {
        Some(at) => {
            let document = &source.documents[at];
            unit.items
                .extend(task_items((at, document), &source.name, 0, 1));
            unit.problems.extend(unseen_lines(document));
        }
        None if file.has_own_schema() => {
            let schema = file.schema.unwrap_or_default();
            let message = format!(
                "tasks are not read: the change follows the project's own schema '{schema}' and has no {TASKS}"
            );
            unit.problems
                .push(PlanFinding::warning(&source.path, None, message));
        }
        None => {}
    }
    unit.statements = statements(&source);
}

/// The title of a proposal, where it is more than a word for what it is.
fn title_of(unit: &PlanUnit, proposal: Option<usize>) -> Option<&str> {
    let heading = unit
        .sections
        .iter()
        .find(|section| Some(section.document) == proposal)?;
    let title = match heading.title.split_once([':', '：']) {
        Some((word, rest)) if is_generic(word) => rest.trim(),
        _ => heading.title.trim(),
    };
    (heading.level == 1 && !title.is_empty() && !is_generic(title)).then_some(title)
}

fn is_generic(title: &str) -> bool {
    let words = title.split_whitespace();
    words.clone().count() > 0
        && words
            .into_iter()
            .all(|word| ["change", "proposal", "why"].contains(&word.to_lowercase().as_str()))
}

/// A hint about tasks that older releases of the program do not count.
fn unseen_lines(document: &PlanDocument) -> Option<PlanFinding> {
    let start = start_of(document);
    let ours = read_lines(&document.text, start, &GRAMMAR);
    let theirs = read_lines(&document.text, start, &OLDER_GRAMMAR);
    let unseen = ours
        .iter()
        .zip(&theirs)
        .filter(|(our, their)| our.parts().is_some() && their.parts().is_none());
    let lines: Vec<usize> = unseen.map(|(line, _)| line.number).collect();
    let first = *lines.first()?;
    let message = match lines.len() {
        1 => "holds a task that releases of OpenSpec before 1.13 do not count".to_owned(),
        count => format!("holds {count} tasks that releases of OpenSpec before 1.13 do not count"),
    };
    let place = document.line_place(first);
    Some(PlanFinding::hint(&document.path, place, message))
}

/// The scenarios of all deltas.
fn statements(source: &UnitSource) -> Vec<PlanStatement> {
    let mut found: Vec<PlanStatement> = Vec::new();
    for (at, document) in source.documents.iter().enumerate() {
        if capability_of(source, document).is_none() {
            continue;
        }
        for section in delta::sections(&document.text) {
            if !matches!(section.kind(), Some(DeltaKind::Added | DeltaKind::Modified)) {
                continue;
            }
            for requirement in section.requirements {
                for scenario in requirement.scenarios {
                    found.push(PlanStatement {
                        number: (found.len() + 1).to_string().into(),
                        text: format!("{}: {}\n{}", requirement.name, scenario.name, scenario.text)
                            .into(),
                        document: at,
                        span: scenario.span,
                    });
                }
            }
        }
    }
    found
}

/// The capability that a delta of a change is about: its path below `specs/`.
pub(super) fn capability_of<'a>(
    source: &UnitSource,
    document: &'a PlanDocument,
) -> Option<&'a str> {
    let below = document
        .path
        .strip_prefix(&*source.path)?
        .strip_prefix("/specs/")?;
    Some(
        below
            .rsplit_once('/')
            .map_or("", |(capability, _)| capability),
    )
}
