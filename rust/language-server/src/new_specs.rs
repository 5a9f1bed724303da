//! Specs that an editor creates from selected lines: of their own, or as members that take criteria over.

use std::ops::Range;

use chant_text::checklist::behind_box;
use chant_text::front_matter::{self, FrontMatterValue, TextList};
use chant_workspace::workspace_graph::{ItemSource, WorkspaceGraph};
use chant_workspace::{NewSpec, NewSpecFile};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CreateFile, DocumentChangeOperation,
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, Position, ResourceOp,
    TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use super::disk_side::{ByteEdit, difference};
use super::document_items::{boxes_of, items_at};
use super::files;
use super::requests::AskedDocument;

/// The keys behind which those of members stand.
const ORDER: [&str; 4] = ["type", "status", "depends_on", "members"];

/// The specs that selected lines could become; nothing is written before the editor does so.
pub(crate) fn created_specs(
    asked: &AskedDocument<'_>,
    joined: &WorkspaceGraph,
    selected: Range<usize>,
) -> Vec<CodeActionOrCommand> {
    let client = asked.state.client;
    let text = asked.placed().text;
    if !client.has_new_files || !client.has_versions || text[selected.clone()].trim().is_empty() {
        return Vec::new();
    }
    let line_of = |byte: usize| {
        let lines = &asked.draft.lines;
        lines.line_range(text, lines.line_of(byte))
    };
    let lines = line_of(selected.start).start..line_of(selected.end - 1).end;
    let items = items_at(joined, asked.path());
    let spec = items.iter().find_map(|one| match one.item.source {
        ItemSource::Spec(spec) => Some(spec),
        _ => None,
    });
    let new = NewSpec {
        // What waits for a person does not get by under another name.
        needs_approval: spec.is_some_and(|spec| !spec.is_approved()),
        ..outline(&text[lines.clone()])
    };
    let own = created(asked, &new, "New spec from the selection", None);
    let open = items.iter().find(|one| {
        let may_change = !one.item.is_done() && !one.item.is_at_work();
        let marks = boxes_of(&one.item).into_iter();
        let inside = marks.filter(|mark| lines.contains(&mark.mark.start));
        let open = inside.filter(|mark| !mark.is_ticked).count();
        let filled = text[lines.clone()]
            .lines()
            .filter(|line| !line.trim().is_empty());
        spec.is_some() && may_change && open > 0 && open == filled.count()
    });
    let split = open.and_then(|one| {
        let member = NewSpec {
            parent: Some(one.item.id().into_owned()),
            ..new
        };
        let title = "Split the selected criteria off into a member";
        created(asked, &member, title, Some(lines))
    });
    own.into_iter().chain(split).collect()
}

/// Selected lines as a spec: boxes become criteria, and the rest says what is to be done.
fn outline(selected: &str) -> NewSpec {
    let mut criteria: Vec<String> = Vec::new();
    let mut rest: Vec<&str> = Vec::new();
    for line in selected.lines() {
        match behind_box(line.trim_start()) {
            Some(text) => criteria.push(text.trim().to_owned()),
            None => rest.push(line),
        }
    }
    let rest = rest.join("\n");
    let title = rest.trim_start_matches(['#', ' ', '\n']).trim_end();
    let first = criteria.first().map(String::as_str).unwrap_or_default();
    let named = first.split("<!--").next().unwrap_or_default();
    NewSpec {
        description: if title.is_empty() { named } else { title }
            .trim()
            .to_owned(),
        criteria,
        ..NewSpec::default()
    }
}

/// The action that creates a spec, and takes the lines of a member out of the document.
fn created(
    asked: &AskedDocument<'_>,
    new: &NewSpec,
    title: &str,
    taken: Option<Range<usize>>,
) -> Option<CodeActionOrCommand> {
    let workspace = &asked.project().workspace;
    let NewSpecFile { path, text } = workspace.new_spec_file(new).ok()?;
    let uri = files::uri_of(&workspace.root().join(&path))?;
    let mut changes = vec![
        DocumentChangeOperation::Op(ResourceOp::Create(CreateFile {
            uri: uri.clone(),
            options: None,
            annotation_id: None,
        })),
        edited(uri, None, TextEdit::new(no_range(), text)),
    ];
    if let Some(taken) = taken {
        let (bytes, text) = as_group(&asked.draft.text, taken, &path)?;
        let edit = TextEdit::new(asked.placed().range_of(bytes), text);
        let draft = asked.draft;
        changes.push(edited(draft.uri.clone(), Some(draft.version), edit));
    }
    Some(CodeActionOrCommand::CodeAction(CodeAction {
        title: title.to_owned(),
        kind: Some(CodeActionKind::REFACTOR_EXTRACT),
        edit: Some(WorkspaceEdit {
            document_changes: Some(DocumentChanges::Operations(changes)),
            ..WorkspaceEdit::default()
        }),
        ..CodeAction::default()
    }))
}

fn no_range() -> lsp_types::Range {
    lsp_types::Range::new(Position::default(), Position::default())
}

fn edited(uri: Uri, version: Option<i32>, edit: TextEdit) -> DocumentChangeOperation {
    DocumentChangeOperation::Edit(TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
        edits: vec![OneOf::Left(edit)],
    })
}

/// The edit that makes a spec the group of a new member, without the lines that this has.
fn as_group(text: &str, taken: Range<usize>, path: &str) -> Option<ByteEdit> {
    let layout = front_matter::layout(text).ok()?;
    let members = front_matter::read_key::<TextList>(&text[layout.yaml?], "members");
    let mut members = members.ok()?.unwrap_or_default().0;
    let id = path.rsplit('/').next()?.strip_suffix(".md")?;
    members.push(id.to_owned());
    let line_end = text[taken.end..].find('\n').map_or(0, |at| at + 1);
    let mut after = text.to_owned();
    after.replace_range(taken.start..taken.end + line_end, "");
    let group = FrontMatterValue::Text("group".to_owned());
    let after = front_matter::set(&after, "type", Some(&group), &ORDER).ok()?;
    let members = FrontMatterValue::List(members);
    let after = front_matter::set(&after, "members", Some(&members), &ORDER).ok()?;
    Some(difference(text, &after))
}
