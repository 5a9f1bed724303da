//! Changes that an editor offers: boxes ticked and moved, what a text names waited for, and words corrected that are
//! nearly known ones.

use std::ops::Range;

use chant_base::ident::nearest;
use chant_plan_format::checked_edit::apply_checked;
use chant_plan_format::intent::{EditIntent, EditRequest, TickTarget};
use chant_text::front_matter::{FrontMatterValue, TextList};
use chant_text::{clash, front_matter};
use chant_workspace::formats::{keys_of, values_of};
use chant_workspace::workspace_graph::{ItemSource, WorkspaceGraph};
use lsp_types::{CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, TextEdit};

use super::acts::ActOffers;
use super::disk_side::{ByteEdit, difference};
use super::document_items::{ItemBox, PlacedItem, boxes_of, items_at};
use super::key_words::format_of;
use super::new_specs::created_specs;
use super::projects::DocumentKind;
use super::references::{WordPlaces, word_at};
use super::rename::{AskedEdit, workspace_edit};
use super::requests::AskedDocument;
use super::server::EditorState;

/// The changes that are offered for a range.
pub(crate) fn code_actions(
    state: &EditorState,
    params: &CodeActionParams,
) -> Option<Vec<CodeActionOrCommand>> {
    let asked = AskedDocument::of(state, &params.text_document.uri)?;
    let joined = asked.snapshot()?;
    let placed = asked.placed();
    let lines = params.range.start.line..=params.range.end.line;
    let is_wanted = |bytes: &Range<usize>| lines.contains(&placed.position_of(bytes.start).line);
    let mut actions = created_specs(&asked, &joined, placed.bytes_of(params.range));
    let offers = ActOffers::of(&asked);
    for one in items_at(&joined, asked.path()) {
        if is_wanted(&one.heading) {
            let acts = offers.of_item(&one.item).into_iter();
            let commands = acts.map(|act| offers.command(act, &one.item));
            actions.extend(commands.map(CodeActionOrCommand::Command));
        }
        let boxes = boxes_of(&one.item).into_iter();
        for ticked in boxes.filter(|one| is_wanted(&one.mark)) {
            let edit = tick(&asked, &joined, &one, &ticked);
            let title = if ticked.is_ticked { "Untick" } else { "Tick" };
            let kind = CodeActionKind::REFACTOR;
            actions.extend(edit.map(|edit| action(&asked, title.to_owned(), kind, edit)));
        }
    }
    for offered in [
        moved_criteria(&asked, &joined),
        named_items(&asked, &joined),
    ]
    .concat()
    {
        if is_wanted(&offered.at) {
            let (title, edit) = (offered.title, offered.edit);
            actions.push(action(&asked, title, CodeActionKind::REFACTOR, edit));
        }
    }
    for missed in &asked.draft.disk.missed {
        let taken = missed.taken_into(placed.text);
        let has_marks = clash::in_document(&taken).is_some();
        let marks = if has_marks {
            ", with marks where both changed"
        } else {
            ""
        };
        let edit = difference(placed.text, &taken);
        if is_wanted(&missed.place_in(placed.text).bytes()) {
            let title = format!("Take in what changed on disk{marks}");
            actions.push(action(&asked, title, CodeActionKind::QUICKFIX, edit));
        }
    }
    for near in misspelled(&asked, &joined)
        .into_iter()
        .filter(|near| is_wanted(&near.bytes))
    {
        let title = format!("Change `{}` to `{}`", near.written, near.meant);
        let edit = (near.bytes, near.meant);
        actions.push(action(&asked, title, CodeActionKind::QUICKFIX, edit));
    }
    Some(actions)
}

fn action(
    asked: &AskedDocument<'_>,
    title: String,
    kind: CodeActionKind,
    edit: ByteEdit,
) -> CodeActionOrCommand {
    let (bytes, text) = edit;
    let edit = TextEdit::new(asked.placed().range_of(bytes), text);
    // Of the very text that the answer was made from, where editors take that.
    let document = AskedEdit {
        uri: asked.draft.uri.clone(),
        version: Some(asked.draft.version),
    };
    CodeActionOrCommand::CodeAction(CodeAction {
        title,
        kind: Some(kind),
        edit: Some(workspace_edit(asked.state, vec![(document, vec![edit])])),
        ..CodeAction::default()
    })
}

/// A change that is offered at some bytes.
#[derive(Clone)]
struct OfferedEdit {
    at: Range<usize>,
    title: String,
    edit: ByteEdit,
}

/// Criteria of specs that change places with their neighbours, where these are the next lines.
fn moved_criteria(asked: &AskedDocument<'_>, joined: &WorkspaceGraph) -> Vec<OfferedEdit> {
    let (text, lines) = (asked.placed().text, &asked.draft.lines);
    let items = items_at(joined, asked.path()).into_iter();
    let specs = items.filter(|one| matches!(one.item.source, ItemSource::Spec(_)));
    let boxes: Vec<ItemBox> = specs.flat_map(|one| boxes_of(&one.item)).collect();
    let line_of = |one: &ItemBox| lines.line_of(one.mark.start);
    let neighbours = boxes
        .windows(2)
        .filter(|pair| line_of(&pair[0]) + 1 == line_of(&pair[1]));
    let swapped = neighbours.flat_map(|pair| {
        let [one, other] = [0, 1].map(|at| lines.line_range(text, line_of(&pair[at])));
        let behind = text[one.start..other.end].trim_end_matches(['\r', '\n']);
        let first = text[one.clone()].trim_end_matches(['\r', '\n']);
        let end = &text[one.start + first.len()..other.start];
        let second = &behind[other.start - one.start..];
        let edit = (
            one.start..one.start + behind.len(),
            [second, end, first].concat(),
        );
        let offered = |at: &ItemBox, to: &str| OfferedEdit {
            at: at.mark.clone(),
            title: format!("Move the criterion {to}"),
            edit: edit.clone(),
        };
        [offered(&pair[0], "down"), offered(&pair[1], "up")]
    });
    swapped.collect()
}

/// Items that the text of a spec names and that the spec does not wait for.
fn named_items(asked: &AskedDocument<'_>, joined: &WorkspaceGraph) -> Vec<OfferedEdit> {
    let text = asked.placed().text;
    let places = WordPlaces::of(joined, asked.path());
    let [one] = places.items.as_slice() else {
        return Vec::new();
    };
    let (ItemSource::Spec(_), Ok(layout)) = (one.item.source, front_matter::layout(text)) else {
        return Vec::new();
    };
    let mut known: Vec<String> = one
        .item
        .depends_on()
        .into_iter()
        .map(str::to_owned)
        .collect();
    known.push(one.item.key().to_owned());
    let mut found = Vec::new();
    let words = text[layout.body..].split(|c: char| c.is_whitespace() || "(),;`".contains(c));
    for written in words.filter(|word| word.contains(['-', ':', '#'])) {
        let start = written.as_ptr() as usize - text.as_ptr() as usize;
        let word = word_at(text, start).unwrap_or_default();
        let Some(other) = places.meant(text, &word) else {
            continue;
        };
        if known.iter().any(|key| *key == *other.key()) {
            continue;
        }
        known.push(other.key().to_owned());
        let name = match other.source {
            ItemSource::Spec(_) => other.id().into_owned(),
            _ => other.key().to_owned(),
        };
        let yaml = layout.yaml.clone().unwrap_or_default();
        let names = front_matter::read_key::<TextList>(&text[yaml], "depends_on")
            .ok()
            .flatten();
        let mut names = names.unwrap_or_default().0;
        names.push(name.clone());
        let value = FrontMatterValue::OneOrMany(names);
        let order = ["type", "status", "depends_on"];
        if let Ok(after) = front_matter::set(text, "depends_on", Some(&value), &order) {
            found.push(OfferedEdit {
                at: word,
                title: format!("Wait for {name}"),
                edit: difference(text, &after),
            });
        }
    }
    found
}

/// The edit that ticks or unticks a box in the editor's text, as the format makes it where it comes through the
/// interface.
fn tick(
    asked: &AskedDocument<'_>,
    joined: &WorkspaceGraph,
    placed: &PlacedItem<'_>,
    ticked: &ItemBox,
) -> Option<ByteEdit> {
    let ItemSource::Plan(entry) = placed.item.source else {
        let sign = if ticked.is_ticked { " " } else { "x" };
        return Some((ticked.mark.clone(), sign.to_owned()));
    };
    let word = placed.item.dialect();
    let mut roots = joined.formats();
    let root = roots.find(|root| root.format.scope().word == word)?;
    let intent = EditIntent::Tick {
        which: match ticked.name {
            None => TickTarget::Own,
            Some((list, number)) => TickTarget::Criterion {
                list: Some(list.to_owned()),
                number,
            },
        },
        on: !ticked.is_ticked,
    };
    let now = (asked.state.clock)();
    let request = EditRequest {
        item: Some(&entry.item().name),
        intent: &intent,
        settings: &root.settings,
        taken: &[],
        now: &now,
    };
    let edit = apply_checked(root.format, Some(entry.unit()), &request).ok()?;
    let at = entry.item().document?;
    let (_, after) = edit.texts.iter().find(|(document, _)| *document == at)?;
    // What changes in other documents is not the editor's to do.
    (edit.texts.len() == 1 && edit.files.is_empty()).then(|| difference(&asked.draft.text, after))
}

/// A word that is nearly a known one.
struct NearWord {
    bytes: Range<usize>,
    written: String,
    meant: String,
}

/// Keys of front matter, states and types that are nearly known ones, and such keys of configuration.
fn misspelled(asked: &AskedDocument<'_>, joined: &WorkspaceGraph) -> Vec<NearWord> {
    let text = &*asked.draft.text;
    if asked.place.kind == DocumentKind::Configuration {
        return misspelled_settings(asked, text);
    }
    let word = format_of(asked.place.kind);
    let front = front_matter::layout(text).ok();
    let Some(front) = front.and_then(|layout| layout.yaml) else {
        return Vec::new();
    };
    let known = keys_of(joined, word, asked.path());
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let mut found = Vec::new();
    let mut start = front.start;
    for line in text[front].split_inclusive('\n') {
        let (key, value) = line.split_once(':').unwrap_or_default();
        let value = value.trim();
        if !known.contains(&key)
            && let Some(meant) = nearest(key, known.iter().copied())
        {
            found.push(NearWord {
                bytes: start..start + key.len(),
                written: key.to_owned(),
                meant: meant.to_owned(),
            });
        } else if matches!(key, "status" | "type" | "priority") && !value.is_empty() {
            let words = values_of(joined, word, key);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let meant = nearest(value, words.iter().copied());
            if let Some(meant) = meant.filter(|_| !words.contains(&value)) {
                let at = start + line.find(value).unwrap_or_default();
                found.push(NearWord {
                    bytes: at..at + value.len(),
                    written: value.to_owned(),
                    meant: meant.to_owned(),
                });
            }
        }
        start += line.len();
    }
    found
}

fn misspelled_settings(asked: &AskedDocument<'_>, text: &str) -> Vec<NearWord> {
    let files = asked.project().workspace.configuration_files();
    let of_file = files.into_iter().filter(|file| file.path == asked.path());
    let findings = of_file.flat_map(|file| file.findings);
    let near = findings.filter_map(|finding| {
        let meant = finding.nearest()?.to_owned();
        let meant = meant.rsplit('.').next()?.to_owned();
        let written = finding.key.rsplit('.').next()?.to_owned();
        let before = text
            .split_inclusive('\n')
            .take(finding.line?.checked_sub(1)?);
        let start: usize = before.map(str::len).sum();
        let at = start + text[start..].lines().next()?.find(&written)?;
        Some(NearWord {
            bytes: at..at + written.len(),
            written,
            meant,
        })
    });
    near.collect()
}
