//! Lines that an editor shows between those of a text: how far items are, and the titles of those that are named.

use chant_workspace::item::Item;
use chant_workspace::workspace_graph::ItemSource;
use lsp_types::{
    CodeLens, CodeLensParams, Command, InlayHint, InlayHintKind, InlayHintLabel, InlayHintParams,
};

use super::acts::ActOffers;
use super::document_items::items_at;
use super::markdown_text::shown_title;
use super::references::{WordPlaces, word_at};
use super::requests::AskedDocument;
use super::server::EditorState;

/// Lenses of one document.
const MAX_LENSES: usize = 500;

/// Words of one range that are looked up.
const MAX_WORDS: usize = 5_000;

/// The state of each item of a document, with the acts that are offered, else with the command to type.
pub(crate) fn lenses(state: &EditorState, params: &CodeLensParams) -> Option<Vec<CodeLens>> {
    let asked = AskedDocument::of(state, &params.text_document.uri)?;
    let joined = asked.snapshot()?;
    let placed = asked.placed();
    let offers = ActOffers::of(&asked);
    let items = items_at(&joined, asked.path()).into_iter().take(MAX_LENSES);
    let lenses = items.flat_map(|one| {
        let acts = offers.of_item(&one.item).into_iter();
        let acts = acts.map(|act| offers.command(act, &one.item));
        let range = placed.range_of(one.heading.clone());
        let title = lens_title(&one.item, &offers);
        let own = title.map(|title| Command {
            title,
            ..Command::default()
        });
        let lens = |command| CodeLens {
            range,
            command: Some(command),
            data: None,
        };
        own.into_iter().chain(acts).map(lens).collect::<Vec<_>>()
    });
    Some(lenses.collect())
}

fn lens_title(item: &Item<'_>, offers: &ActOffers<'_>) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    let waits = item.waits_for().len();
    if item.is_done() {
        parts.push("done".to_owned());
    } else if item.is_ready() {
        parts.push("ready".to_owned());
    } else if waits > 0 {
        parts.push(format!("waits for {waits}"));
    }
    let (met, criteria) = item.criteria_counts();
    if criteria > 0 {
        parts.push(format!("{met} of {criteria} ticked"));
    }
    if item.is_ready() {
        parts.extend(offers.instead(item));
    }
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// The titles behind IDs, and the state that others see where another one is written.
pub(crate) fn inlay_hints(state: &EditorState, params: &InlayHintParams) -> Option<Vec<InlayHint>> {
    let asked = AskedDocument::of(state, &params.text_document.uri)?;
    let joined = asked.snapshot()?;
    let placed = asked.placed();
    let wanted = placed.bytes_of(params.range);
    let places = WordPlaces::of(&joined, asked.path());
    let hint = |byte: usize, text: String| InlayHint {
        position: placed.position_of(byte),
        label: InlayHintLabel::String(text),
        kind: Some(InlayHintKind::TYPE),
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: None,
        data: None,
    };
    let mut hints = Vec::new();
    let mut byte = wanted.start;
    for _ in 0..MAX_WORDS {
        let rest = placed.text.get(byte..wanted.end).unwrap_or_default();
        let Some(next) = rest.find(char::is_alphanumeric) else {
            break;
        };
        let Some(word) = word_at(placed.text, byte + next) else {
            break;
        };
        byte = word.end.max(byte + next + 1);
        while !placed.text.is_char_boundary(byte) {
            byte += 1;
        }
        let written = &placed.text[word.clone()];
        let Some(item) = places.meant(placed.text, &word) else {
            continue;
        };
        let is_heading = places
            .items
            .iter()
            .any(|one| one.item.node == item.node && one.heading.contains(&word.start));
        // What was brought in from elsewhere is shown when a person approved it.
        let is_approved = !matches!(item.source, ItemSource::Spec(spec) if !spec.is_approved());
        let title = if is_approved {
            shown_title(item.title())
        } else {
            String::new()
        };
        if !is_heading && !title.is_empty() && title != written {
            hints.push(hint(word.end, title));
        }
    }
    hints.extend(
        seen_status(&places, placed.text)
            .and_then(|(byte, status)| wanted.contains(&byte).then(|| hint(byte, status))),
    );
    Some(hints)
}

/// The end of the line that says the state of a spec, with the state that others see.
fn seen_status(places: &WordPlaces<'_>, text: &str) -> Option<(usize, String)> {
    let [one] = places.items.as_slice() else {
        return None;
    };
    let ItemSource::Spec(spec) = one.item.source else {
        return None;
    };
    let seen = one.item.status();
    if spec.status.as_str() == seen {
        return None;
    }
    let line = text.find("\nstatus:")? + 1;
    let end = text[line..]
        .find(['\r', '\n'])
        .map_or(text.len(), |at| line + at);
    Some((end, seen.to_owned()))
}
