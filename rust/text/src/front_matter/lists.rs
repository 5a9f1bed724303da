//! Rewrites lists under a key in their layout; items that stay keep their lines.

use std::ops::Range;

use super::keys::{FrontMatterKey, is_list_item, lines, quoted_len, token};
use super::{read, scalar_edit};
use crate::edit::Edit;
use crate::scalar::{self, ScalarContext};

/// The layouts a list can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListStyle {
    /// `- item` lines, indented by this many blanks.
    Block(usize),
    /// `[item, item]`.
    Flow,
}

impl ListStyle {
    /// Returns the indentation of a new list: that of the first block list in the front matter,
    /// none if there is no other.
    pub(super) fn prevailing_indent(yaml: &str, keys: &[FrontMatterKey<'_>]) -> usize {
        let indent = |key| match Self::of(yaml, key) {
            Some(Self::Block(indent)) => Some(indent),
            _ => None,
        };
        keys.iter().find_map(indent).unwrap_or(0)
    }

    fn of(yaml: &str, key: &FrontMatterKey<'_>) -> Option<Self> {
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

/// Returns the edit that makes a list hold `items`.
pub(super) fn edit(yaml: &str, key: &FrontMatterKey<'_>, items: &[String], eol: &str) -> Edit {
    let block = || {
        let rest = &yaml[key.rest.clone()];
        let comment = comment_behind(rest);
        let name = &yaml[key.block.start..key.rest.start];
        let lines = block_items(yaml, key, items, eol);
        let value = if items.is_empty() { " []" } else { "" };
        Edit::replace(
            key.block.clone(),
            format!("{name}{value}{comment}{eol}{lines}"),
        )
    };
    match ListStyle::of(yaml, key) {
        // Comments between brackets cannot be separated from the items: nothing is lost by
        // refusing, and the check that follows refuses an unchanged value.
        Some(ListStyle::Flow) => {
            flow_edit(yaml, key, items).unwrap_or_else(|| Edit::insert(key.block.start, ""))
        }
        Some(ListStyle::Block(_)) | None => block(),
    }
}

/// Returns the comment behind a key or its value on one line, with the blanks before it.
fn comment_behind(rest: &str) -> &str {
    let rest = rest.trim_end();
    let value = rest.len() - rest.trim_start().len();
    let behind = if rest[value..].starts_with('#') {
        0
    } else {
        value + token(rest).len()
    };
    let comment = &rest[behind..];
    if comment.trim_start().starts_with('#') {
        comment
    } else {
        ""
    }
}

/// Returns the same edit for a key that may hold one text: one text replaces another.
pub(super) fn edit_one_or_many(
    yaml: &str,
    key: &FrontMatterKey<'_>,
    items: &[String],
    eol: &str,
) -> Edit {
    let is_one = ListStyle::of(yaml, key).is_none() && !token(&yaml[key.rest.clone()]).is_empty();
    match items {
        [item] if is_one => scalar_edit(yaml, key, |old| {
            scalar::write_like(item, old, ScalarContext::Block)
        }),
        _ => edit(yaml, key, items, eol),
    }
}

/// Returns the `- item` lines for a list; existing items keep theirs, with the comments above them,
/// and comments below the last item stay below.
fn block_items(yaml: &str, key: &FrontMatterKey<'_>, items: &[String], eol: &str) -> String {
    let indent = match ListStyle::of(yaml, key) {
        Some(ListStyle::Block(indent)) => indent,
        _ => 0,
    };
    let block = &yaml[key.block.clone()];
    let (ranges, below) = item_lines(block, indent);
    let mut old: Vec<&str> = ranges.into_iter().map(|range| &block[range]).collect();
    let mut out = String::new();
    for item in items {
        match old
            .iter()
            .position(|chunk| only_item(chunk).as_ref() == Some(item))
        {
            Some(at) => {
                let chunk = old.remove(at);
                out.push_str(chunk);
                if !chunk.ends_with('\n') {
                    out.push_str(eol);
                }
            }
            None => out.push_str(&block_line(item, indent, eol)),
        }
    }
    out.push_str(&block[below]);
    out
}

/// Returns one line of a block list.
pub(super) fn block_line(item: &str, indent: usize, eol: &str) -> String {
    format!(
        "{:indent$}- {}{eol}",
        "",
        scalar::write(item, ScalarContext::Block)
    )
}

/// Returns the only text of a YAML list with one item.
fn only_item(yaml: &str) -> Option<String> {
    read::<Vec<String>>(yaml)
        .ok()
        .and_then(|mut items| items.pop())
}

/// Returns the lines of each item of a block list with the comments above it, and the lines below
/// the last.
fn item_lines(block: &str, indent: usize) -> (Vec<Range<usize>>, Range<usize>) {
    let mut items: Vec<Range<usize>> = Vec::new();
    let mut lead: Option<usize> = None;
    for line in lines(block, 0..block.len()).skip(1) {
        let text = &block[line.clone()];
        let depth = text.len() - text.trim_start_matches(' ').len();
        let trimmed = text.trim();
        if depth == indent && is_list_item(&text[depth..]) {
            items.push(lead.take().unwrap_or(line.start)..line.end);
        } else if trimmed.is_empty() || trimmed.starts_with('#') {
            lead = lead.or(Some(line.start));
        } else if let Some(last) = items.last_mut() {
            last.end = line.end;
            lead = None;
        }
    }
    (items, lead.unwrap_or(block.len())..block.len())
}

/// Returns the edit of the inside of `[…]`; items that stay keep their spelling and the gap before
/// them. `None` if comments inside would be lost.
fn flow_edit(yaml: &str, key: &FrontMatterKey<'_>, items: &[String]) -> Option<Edit> {
    let open = key.rest.start + yaml[key.rest.start..key.block.end].find('[')?;
    let list = &yaml[open..key.block.end];
    let (tokens, close) = flow_tokens(list)?;
    let has_comment = |line: &str| line.trim_start().starts_with('#') || line.contains(" #");
    if list[1..close].lines().any(has_comment) {
        return None;
    }
    // The text before each item, and behind the last one.
    let ends = std::iter::once(1).chain(tokens.iter().map(|token| token.end));
    let gaps: Vec<&str> = ends
        .zip(&tokens)
        .map(|(end, token)| &list[end..token.start])
        .collect();
    let trail = tokens.last().map_or("", |last| &list[last.end..close]);
    let usual = gaps.get(1).copied().unwrap_or(", ");
    let mut old: Vec<(usize, &str)> = tokens
        .iter()
        .map(|token| &list[token.clone()])
        .enumerate()
        .collect();
    let mut inside = String::new();
    for (at, item) in items.iter().enumerate() {
        let is_it =
            |(_, token): &(usize, &str)| only_item(&format!("[{token}]")).as_ref() == Some(item);
        let kept = old.iter().position(is_it).map(|at| old.remove(at));
        inside.push_str(match kept {
            _ if at == 0 => gaps.first().copied().unwrap_or(""),
            Some((number, _)) if number > 0 => gaps[number],
            _ => usual,
        });
        match kept {
            Some((_, token)) => inside.push_str(token),
            None => inside.push_str(&scalar::write(item, ScalarContext::Flow)),
        }
    }
    inside.push_str(if items.is_empty() { "" } else { trail });
    Some(Edit::replace(open + 1..open + close, inside))
}

/// Returns the bytes of each item of `[…]` and of the closing bracket; `None` for nested or
/// unclosed lists.
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
