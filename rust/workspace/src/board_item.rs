//! An item as a page shows it: its text as a tree, its criteria and sections, what stands around it.

use super::Workspace;
use super::board::neighbors;
use super::board_columns::BoardColumns;
use super::board_shapes::{
    BoardItem, ChildRow, CriterionRow, DocumentVersion, PlanParts, SectionRow, why,
};
use super::feature::FeaturePart;
use super::item::Item;
use super::key;
use super::meaning::WorkMeaning;
use super::ops::{resolve_item, whole_item};
use super::workspace_graph::{ItemSource, WorkspaceGraph};
use chant_base::answer::{Answer, cut};
use chant_base::error::Error;
use chant_graph::Node;
use chant_plan_format::document::line_at;
use chant_specs::model::{Spec, SpecStatus};
use chant_text::markdown_tree::{MarkdownNode, MarkdownTree};
use chant_text::sections::names;
use chant_tickets::criteria::criteria;
use chant_tickets::sections::parse_sections;

/// Criteria, sections or parts of an item that are shown.
const MAX_SHOWN: usize = 200;
/// Characters of a criterion or of the name of a section that are shown.
const TEXT_SHOWN: usize = 500;

/// All that a page shows of an item.
///
/// # Errors
/// As [`super::ops::find`].
pub fn show_board_item(workspace: &Workspace, name: &str) -> Result<Answer, Error> {
    workspace.ask_board(|joined, board| {
        let item = resolve_item(workspace, joined, name)?;
        let meaning = board.meaning(&item);
        let tree = MarkdownTree::read(item.body());
        Ok(Answer::compact(&BoardItem {
            meaning: meaning.map(WorkMeaning::as_str),
            why: why(meaning),
            work: state_of_work(board, &item).map(SpecStatus::as_str),
            version: chant_git::blob(item.document()),
            document: tree.nodes.iter().map(MarkdownNode::to_value).collect(),
            cut: tree.is_cut,
            criteria: criteria_of(&item),
            sections: sections_of(&item),
            around: neighbors(joined, &item),
            parent: item.parent(),
            children: children_of(joined, board, &item),
            plan: item.plan_entry().map(|entry| PlanParts {
                edits: entry
                    .scope
                    .intents
                    .iter()
                    .map(|intent| intent.as_str())
                    .collect(),
                statuses: joined.statuses_of(entry.scope.word),
                has_box: entry.item().spans.mark.is_some(),
                group: entry.item().is_group,
            }),
            whole: whole_item(joined, item),
        }))
    })
}

/// The state of the work on an item: a spec says its own.
fn state_of_work(board: &BoardColumns, item: &Item<'_>) -> Option<SpecStatus> {
    match item.source {
        ItemSource::Spec(spec) => Some(item.joined.specs.status(spec)),
        _ => Some(board.situations().of_item(item.key())?.status),
    }
}

/// The version of the text that an item stands in: another for each text.
///
/// # Errors
/// As [`super::ops::find`].
pub fn find_document_version(workspace: &Workspace, name: &str) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let item = resolve_item(workspace, &joined, name)?;
    Ok(Answer::compact(&DocumentVersion {
        key: item.key(),
        path: item.path(),
        version: chant_git::blob(item.document()),
    }))
}

/// The criteria of an item.
pub(super) fn criteria_of(item: &Item<'_>) -> Vec<CriterionRow> {
    match item.source {
        ItemSource::Spec(spec) => criteria_of_spec(spec),
        ItemSource::Feature(tasks, FeaturePart::Task(at)) => {
            let criteria = tasks.task(*at).criteria.iter().take(MAX_SHOWN);
            let rows = criteria.map(|one| CriterionRow {
                text: cut(&one.text, TEXT_SHOWN),
                done: one.mark.is_settled(),
                line: one.line,
                name: None,
            });
            rows.collect()
        }
        ItemSource::Ticket(_, ticket) => {
            let criteria = criteria(ticket).into_iter().take(MAX_SHOWN);
            let rows = criteria.map(|one| CriterionRow {
                text: cut(&one.text, TEXT_SHOWN),
                done: one.is_met,
                line: one.line,
                name: None,
            });
            rows.collect()
        }
        ItemSource::Plan(entry) => {
            let criteria = entry.item().criteria.iter().take(MAX_SHOWN);
            let rows = criteria.map(|one| CriterionRow {
                text: cut(&one.text, TEXT_SHOWN),
                done: one.is_ticked,
                line: line_at(entry.document(), one.mark.start),
                name: Some(entry.criterion_name(one)),
            });
            rows.collect()
        }
        ItemSource::Task { .. } | ItemSource::Feature(_, FeaturePart::Phase(_)) => Vec::new(),
    }
}

fn criteria_of_spec(spec: &Spec) -> Vec<CriterionRow> {
    let (mut line, mut counted) = (1, 0);
    let criteria = spec.criteria.iter().take(MAX_SHOWN);
    let rows = criteria.map(|one| {
        let at = spec.body_start + one.marker as usize;
        let between = spec.text.get(counted..at).unwrap_or_default();
        line += between.matches('\n').count();
        counted = at;
        CriterionRow {
            text: cut(&spec.criterion_text(one), TEXT_SHOWN),
            done: one.checked,
            line,
            name: None,
        }
    });
    rows.collect()
}

/// The sections that can be named; only specs and tickets have some.
fn sections_of(item: &Item<'_>) -> Vec<SectionRow> {
    match item.source {
        ItemSource::Spec(_) | ItemSource::Ticket(..) => {
            let found = parse_sections(item.body());
            let named = found.iter().zip(names(&found)).take(MAX_SHOWN);
            let rows = named.map(|(section, name)| SectionRow {
                name: cut(&name, TEXT_SHOWN),
                level: section.level,
            });
            rows.collect()
        }
        ItemSource::Plan(entry) if entry.item().id.is_empty() => {
            let sections = entry.unit().sections.iter().take(MAX_SHOWN);
            let rows = sections.map(|section| SectionRow {
                name: cut(&section.title, TEXT_SHOWN),
                level: section.level,
            });
            rows.collect()
        }
        ItemSource::Task { .. } | ItemSource::Feature(..) | ItemSource::Plan(_) => Vec::new(),
    }
}

/// The items that are parts of one, in the order of lists.
fn children_of<'a>(
    joined: &'a WorkspaceGraph,
    board: &BoardColumns,
    item: &Item<'a>,
) -> Vec<ChildRow<'a>> {
    let own = item.key();
    let is_part = |item: &Item<'_>| item.parent().is_some_and(|parent| parent == own);
    let around = nodes_around(joined, item).into_iter();
    let parts = around.filter_map(|node| joined.item(node)).filter(is_part);
    let rows = parts.take(MAX_SHOWN).map(|part| {
        let meaning = board.meaning(&part);
        ChildRow::of(&part, meaning)
    });
    rows.collect()
}

/// The items among which the parts of one are.
fn nodes_around(joined: &WorkspaceGraph, item: &Item<'_>) -> Vec<Node> {
    match item.source {
        ItemSource::Spec(spec) => {
            let members = joined.specs.members(&spec.id);
            let keys = members.map(|member| key::of_spec(member.id.as_str()));
            keys.filter_map(|key| joined.graph().find(&key)).collect()
        }
        ItemSource::Task { path, task } => {
            let root = joined.plan(path).map(|plan| plan.root().id.clone());
            if root.as_deref() == Some(&*task.id) {
                joined.plan_nodes(path)
            } else {
                Vec::new()
            }
        }
        ItemSource::Feature(tasks, _) => joined.nodes_of_feature(tasks),
        ItemSource::Ticket(..) => Vec::new(),
        ItemSource::Plan(entry) => {
            let roots = joined.formats.iter();
            let of_format = roots.filter(|(root, _)| root.format.scope().word == entry.scope.word);
            of_format.flat_map(|(_, nodes)| nodes).copied().collect()
        }
    }
}
