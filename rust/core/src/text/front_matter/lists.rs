//! Lists under a key: rewritten in the layout they had, items that stay keeping their lines.

use std::ops::Range;

use super::super::edit::Edit;
use super::super::scalar::{self, Place};
use super::keys::{Key, is_list_item, lines, quoted_len, token};
use super::{read, scalar_edit};

/// The layouts a list can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListStyle {
    /// `- item` lines, indented by so many blanks.
    Block(usize),
    /// `[item, item]`.
    Flow,
}

impl ListStyle {
    /// The layout of the first list in the front matter; block at the margin when there is none.
    pub(super) fn prevailing(yaml: &str, keys: &[Key<'_>]) -> Self {
        keys.iter()
            .find_map(|key| Self::of(yaml, key))
            .unwrap_or(Self::Block(0))
    }

    fn of(yaml: &str, key: &Key<'_>) -> Option<Self> {
        let rest = yaml[key.rest.clone()].trim_start();
        if rest.starts_with('[') {
            return Some(Self::Flow);
        }
        let below = &yaml[key.rest.end..key.block.end];
        let first = below
            .lines()
            .find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))?;
        let starts_list =
            (rest.is_empty() || rest.starts_with('#')) && is_list_item(first.trim_start());
        starts_list.then(|| Self::Block(first.len() - first.trim_start().len()))
    }
}

/// The edit that makes a list hold `items`.
pub(super) fn edit(yaml: &str, key: &Key<'_>, items: &[String], eol: &str) -> Edit {
    let block = || {
        let rest = &yaml[key.rest.clone()];
        let has_comment = rest.trim_start().starts_with('#');
        let comment = if has_comment { rest.trim_end() } else { "" };
        let name = &yaml[key.block.start..key.rest.start];
        let lines = block_items(yaml, key, items, eol);
        let value = if items.is_empty() { " []" } else { "" };
        Edit::replace(
            key.block.clone(),
            format!("{name}{value}{comment}{eol}{lines}"),
        )
    };
    match ListStyle::of(yaml, key) {
        // Comments between brackets cannot be kept apart from the items: nothing is lost by refusing,
        // and the check that follows refuses an unchanged value.
        Some(ListStyle::Flow) => {
            flow_edit(yaml, key, items).unwrap_or_else(|| Edit::insert(key.block.start, ""))
        }
        None if items.len() == 1 && !token(&yaml[key.rest.clone()]).is_empty() => {
            scalar_edit(yaml, key, |old| {
                scalar::write_like(&items[0], old, Place::Block)
            })
        }
        Some(ListStyle::Block(_)) | None => block(),
    }
}

/// The `- item` lines for a list; items that were there keep theirs, comments above them included.
fn block_items(yaml: &str, key: &Key<'_>, items: &[String], eol: &str) -> String {
    let indent = match ListStyle::of(yaml, key) {
        Some(ListStyle::Block(indent)) => indent,
        _ => 0,
    };
    let mut old = item_chunks(&yaml[key.block.clone()], indent);
    let mut out = String::new();
    for item in items {
        match old
            .iter()
            .position(|(value, _)| value.as_deref() == Some(item))
        {
            Some(at) => {
                let chunk = old.remove(at).1;
                out.push_str(chunk);
                if !chunk.ends_with('\n') {
                    out.push_str(eol);
                }
            }
            None => out.push_str(&format!(
                "{:indent$}- {}{eol}",
                "",
                scalar::write(item, Place::Block)
            )),
        }
    }
    out
}

/// The items of a block list with the lines they stand on.
fn item_chunks(block: &str, indent: usize) -> Vec<(Option<String>, &str)> {
    let mut chunks: Vec<Range<usize>> = Vec::new();
    let mut lead: Option<usize> = None;
    for line in lines(block, 0..block.len()).skip(1) {
        let text = &block[line.clone()];
        let depth = text.len() - text.trim_start_matches(' ').len();
        let trimmed = text.trim();
        if depth == indent && is_list_item(&text[depth..]) {
            chunks.push(lead.take().unwrap_or(line.start)..line.end);
        } else if trimmed.is_empty() || trimmed.starts_with('#') {
            lead = lead.or(Some(line.start));
        } else if let Some(last) = chunks.last_mut() {
            last.end = line.end;
            lead = None;
        }
    }
    let value = |chunk: &str| {
        read::<Vec<String>>(chunk)
            .ok()
            .and_then(|mut items| items.pop())
    };
    chunks
        .into_iter()
        .map(|range| (value(&block[range.clone()]), &block[range]))
        .collect()
}

/// Rewrites the inside of `[…]`; `None` when comments inside would be lost.
fn flow_edit(yaml: &str, key: &Key<'_>, items: &[String]) -> Option<Edit> {
    let value = &yaml[key.rest.start..key.block.end];
    let open = value.find('[')?;
    let (tokens, close) = flow_tokens(&value[open..])?;
    let inside = &value[open + 1..open + close];
    if inside
        .lines()
        .any(|line| line.trim_start().starts_with('#') || line.contains(" #"))
    {
        return None;
    }
    let mut old: Vec<&str> = tokens
        .iter()
        .map(|range| &value[open..][range.clone()])
        .collect();
    let gap = |from: usize, to: usize| &value[open..][from..to];
    let (lead, separator, trail) = match (tokens.first(), tokens.get(1), tokens.last()) {
        (Some(first), second, Some(last)) => (
            gap(1, first.start),
            second.map_or(", ", |s| gap(first.end, s.start)),
            gap(last.end, close),
        ),
        _ => ("", ", ", ""),
    };
    let read_token = |token: &str| {
        read::<Vec<String>>(&format!("[{token}]"))
            .ok()
            .and_then(|mut items| items.pop())
    };
    let written: Vec<String> = items
        .iter()
        .map(|item| {
            match old
                .iter()
                .position(|token| read_token(token).as_deref() == Some(item))
            {
                Some(at) => old.remove(at).to_owned(),
                None => scalar::write(item, Place::Flow),
            }
        })
        .collect();
    let (lead, trail) = if items.is_empty() {
        ("", "")
    } else {
        (lead, trail)
    };
    let at = key.rest.start + open;
    Some(Edit::replace(
        at + 1..at + close,
        format!("{lead}{}{trail}", written.join(separator)),
    ))
}

/// The bytes of each item of `[…]` and of the closing bracket; `None` for nested or unclosed lists.
fn flow_tokens(text: &str) -> Option<(Vec<Range<usize>>, usize)> {
    let mut tokens = Vec::new();
    let mut start: Option<usize> = None;
    let mut end = 1;
    let mut at = 1;
    while let Some(c) = text[at..].chars().next() {
        match c {
            ']' | ',' => {
                if let Some(from) = start.take() {
                    tokens.push(from..end);
                }
                if c == ']' {
                    return Some((tokens, at));
                }
            }
            '[' | '{' => return None,
            '"' | '\'' if start.is_none() => {
                start = Some(at);
                at += quoted_len(&text[at..])?;
                end = at;
                continue;
            }
            c if c.is_whitespace() => {}
            _ => {
                start = start.or(Some(at));
                end = at + c.len_utf8();
            }
        }
        at += c.len_utf8();
    }
    None
}
