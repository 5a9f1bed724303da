//! A graph as text: new blocks in canonical form, kept ones as they stand but for the lines that
//! changed (reference vine 4 R). What is written is read again and has to say what was meant.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use super::document::{VineDocument, verify_round_trip};
use super::error::VineError;
use super::header;
use super::model::{Attachment, AttachmentClass, Graph, NodeContent, NodeSpan, VineNode};
use super::parse;
use super::whitespace::is_ws;
use chant_base::counted::count_visited;
use chant_text::edit::{line_break, with_line_break};

/// The canonical text of a graph (reference vine 4).
///
/// # Errors
/// `VineError::Unwritable` when it would not read back as the same graph.
pub fn render_canonical(graph: &Graph) -> Result<String, VineError> {
    let mut text = format!("vine {}\n", graph.version);
    let metadata = [
        (
            "delimiter",
            Some(&graph.delimiter).filter(|d| ***d != *"---"),
        ),
        ("prefix", graph.prefix.as_ref()),
        ("title", graph.title.as_ref()),
    ];
    for (key, value) in metadata {
        if let Some(value) = value {
            let _ = writeln!(text, "{key}: {value}");
        }
    }
    text.push_str("---\n");
    let between = format!("{}\n", graph.delimiter);
    let blocks: Vec<String> = graph.nodes.iter().map(|node| block(node) + "\n").collect();
    text.push_str(&blocks.join(&between));
    let unwritable = |why: String| VineError::Unwritable { why };
    let read = parse::graph(&text).map_err(|error| unwritable(error.to_string()))?;
    verify_round_trip(&read, graph).map_err(unwritable)?;
    Ok(text)
}

/// A text made of pieces of an old one and of new blocks.
pub(super) struct Rewritten {
    /// The text.
    pub(super) text: String,
    /// Where each block stands in it; of new ones only from where to where.
    pub(super) places: Vec<NodeSpan>,
    /// The nodes whose blocks are new, by their places in the graph.
    pub(super) fresh: Vec<usize>,
    /// The texts that stand between pieces.
    pub(super) gaps: Vec<Range<usize>>,
}

/// Returns the text of a document whose graph became another: blocks that say the same stay byte for byte, of
/// others only the lines that changed are written again. The caller has to find out if it says what is meant.
///
/// # Errors
/// `VineError::Unwritable` for a graph of a version that is not known.
pub(super) fn render_changed(
    document: &VineDocument,
    graph: &Graph,
) -> Result<Rewritten, VineError> {
    let (old, before, places) = (&*document.text, &document.plan.graph, &document.places);
    if !before.version.is_writable() {
        let why = format!(
            "it is of version {}, newer than what is written here (1.0, 1.1 and 1.2)",
            before.version
        );
        return Err(VineError::Unwritable { why });
    }
    let eol = line_break(old);
    let between = |gap: Range<usize>| redelimited(&old[gap], &before.delimiter, &graph.delimiter);
    let first = places.first().map_or(0, |place| place.block.start);
    let last = places.last().map_or(0, |place| place.block.end);
    let mut new = Rewritten {
        text: preamble(&old[..first], before, graph, eol),
        places: Vec::with_capacity(graph.nodes.len()),
        fresh: Vec::new(),
        gaps: Vec::new(),
    };
    new.text.reserve(old.len());
    let (mut at, mut next) = (0, 0);
    while let Some(node) = graph.nodes.get(at) {
        let same = |index: usize, at: usize| match (before.nodes.get(index), graph.nodes.get(at)) {
            (Some(then), Some(now)) => Arc::ptr_eq(then, now),
            _ => false,
        };
        let kept = if same(next, at) {
            Some(next)
        } else {
            count_visited(1);
            before.position(graph.renamed.get(&node.id).unwrap_or(&node.id))
        };
        if at > 0 {
            let start = new.text.len();
            match kept {
                Some(index) if index > 0 => {
                    let gap = places[index - 1].block.end..places[index].block.start;
                    new.text.push_str(&between(gap));
                }
                _ => {
                    let _ = write!(new.text, "{eol}{}{eol}", graph.delimiter);
                }
            }
            new.gaps.push(start..new.text.len());
        }
        // Nodes behind one another that are the very same go over in one piece.
        let run = kept.map_or(0, |index| {
            let all = (0..).take_while(|step| same(index + step, at + step));
            all.count()
        });
        if let Some(index) = kept.filter(|_| run > 1 && before.delimiter == graph.delimiter) {
            let piece = places[index].block.start..places[index + run - 1].block.end;
            let start = new.text.len();
            let moved = places[index..index + run].iter();
            let moved = moved.map(|place| place.moved(piece.start, start));
            new.places.extend(moved);
            new.text.push_str(&old[piece]);
            (at, next) = (at + run, index + run);
            continue;
        }
        let start = new.text.len();
        match kept.map(|index| (&before.nodes[index], &places[index])) {
            Some((then, place)) if Arc::ptr_eq(then, node) || then == node => {
                new.places.push(place.moved(place.block.start, start));
                new.text.push_str(&old[place.block.clone()]);
            }
            kept => {
                let text = match kept {
                    Some((then, place)) => edited(old, place, then, node, eol),
                    None => with_line_break(&block(node), eol),
                };
                new.text.push_str(&text);
                new.fresh.push(at);
                new.places.push(NodeSpan {
                    block: start..new.text.len(),
                    header: start..start,
                });
            }
        }
        at += 1;
        next = kept.map_or(next, |index| index + 1);
    }
    if last == old.len() && new.text.ends_with('\n') {
        // An empty last line is one only with its end.
        new.text.push_str(eol);
    }
    new.text.push_str(&between(last..old.len()));
    Ok(new)
}

/// Returns the text that stands between two blocks, with another delimiter where the graph has one.
fn redelimited<'a>(gap: &'a str, old: &str, new: &str) -> Cow<'a, str> {
    if old == new {
        return Cow::Borrowed(gap);
    }
    let lines = gap.split_inclusive('\n').map(|line| {
        let end = line.trim_end_matches(['\n', '\r']).len();
        match line.split_at(end) {
            (word, end) if word == old => format!("{new}{end}"),
            _ => line.to_owned(),
        }
    });
    Cow::Owned(lines.collect())
}

/// Returns the text that stands before the first block, its version and its keys changed where those of the
/// graph did.
fn preamble(old: &str, before: &Graph, graph: &Graph, eol: &str) -> String {
    let mut text = old.to_owned();
    if before.version != graph.version {
        let rest = old.find('\n').map_or("", |end| &old[end + 1..]);
        let mark = if old.starts_with('\u{FEFF}') {
            "\u{FEFF}"
        } else {
            ""
        };
        text = format!("{mark}vine {}{eol}{rest}", graph.version);
    }
    let delimiter = |graph: &Graph| Some(graph.delimiter.clone()).filter(|d| **d != *"---");
    let keys = [
        ("title", before.title.clone(), graph.title.clone()),
        ("prefix", before.prefix.clone(), graph.prefix.clone()),
        ("delimiter", delimiter(before), delimiter(graph)),
    ];
    for (key, then, now) in keys {
        if then != now {
            text = with_key(&text, key, now.as_deref(), eol);
        }
    }
    // Blank segments between the terminator and the first block may hold delimiters.
    match text.split_once(&format!("{eol}---{eol}")) {
        Some((head, tail)) if before.delimiter != graph.delimiter => {
            let tail = redelimited(tail, &before.delimiter, &graph.delimiter);
            format!("{head}{eol}---{eol}{tail}")
        }
        _ => text,
    }
}

/// A preamble in which a key has another value: its line changed, or taken out, or put in before the
/// terminator.
fn with_key(preamble: &str, key: &str, value: Option<&str>, eol: &str) -> String {
    let is_of = |line: &str| {
        let name = line
            .split_once(':')
            .map(|(name, _)| name.trim_matches(is_ws));
        name.is_some_and(|name| name.eq_ignore_ascii_case(key))
    };
    let mut text = String::new();
    let mut value = value.map(|value| format!("{key}: {value}{eol}"));
    let mut is_in = true;
    for line in preamble.split_inclusive('\n') {
        let is_end = is_in && line.trim_end_matches(['\n', '\r']) == "---";
        match (is_in && is_of(line), is_end) {
            // A repeated key counts with its last line; one line is enough from now on.
            (true, _) => text.push_str(&value.take().unwrap_or_default()),
            (false, true) => text.push_str(&format!("{}{line}", value.take().unwrap_or_default())),
            _ => text.push_str(line),
        }
        is_in &= !is_end;
    }
    text
}

/// A node's header in canonical form.
fn whole_header(node: &VineNode) -> String {
    let inside = inside(node);
    let mark = if node.status().is_none() { "ref " } else { "" };
    let annotations = annotations(node);
    format!("{mark}[{}] {} ({inside}){annotations}", node.id, node.name)
}

/// Status or file.
fn inside(node: &VineNode) -> &str {
    match &node.work {
        NodeContent::Task { status, .. } => status.as_str(),
        NodeContent::Ref { vine } => vine,
    }
}

fn annotations(node: &VineNode) -> String {
    let mut annotations: Vec<_> = node.annotations.iter().collect();
    annotations.sort();
    let written = annotations
        .into_iter()
        .map(|(key, values)| format!(" @{key}({})", values.join(",")));
    written.collect()
}

/// Returns a header of which only the parts that changed are written again.
fn edited_header(old: &str, then: &VineNode, now: &VineNode) -> String {
    let is_same_kind = then.status().is_some() == now.status().is_some();
    let Some(parts) = header::parts(old, then.status().is_none()).filter(|_| is_same_kind) else {
        return whole_header(now);
    };
    let mut text = old.to_owned();
    let mut put = |range: Range<usize>, changed: bool, new: &str| {
        if changed {
            text.replace_range(range, new);
        }
    };
    // From the end on, so that the places before stay.
    let is_other = then.annotations != now.annotations;
    put(parts.annotations, is_other, &annotations(now));
    put(parts.inside, inside(then) != inside(now), inside(now));
    put(parts.name, then.name != now.name, &now.name);
    put(parts.id, then.id != now.id, &now.id);
    text
}

/// A node's block in canonical form, without a final line break.
fn block(node: &VineNode) -> String {
    let mut lines = vec![whole_header(node)];
    lines.extend(description(node).into_iter().map(str::to_owned));
    let mut dependencies: Vec<&str> = node.dependencies.iter().map(|id| &**id).collect();
    dependencies.sort_unstable();
    lines.extend(dependencies.into_iter().map(|id| format!("-> {id}")));
    lines.extend(
        node.decisions
            .iter()
            .map(|decision| format!("> {decision}")),
    );
    lines.extend(attachments(node).iter().map(attachment));
    lines.join("\n")
}

fn description(node: &VineNode) -> Vec<&str> {
    if node.description.is_empty() {
        Vec::new()
    } else {
        node.description.split('\n').collect()
    }
}

/// Attachments by class, otherwise in their order.
fn attachments(node: &VineNode) -> Vec<Attachment> {
    let NodeContent::Task { attachments, .. } = &node.work else {
        return Vec::new();
    };
    let mut sorted = attachments.clone();
    sorted.sort_by_key(|attachment| attachment.class);
    sorted
}

fn attachment(attachment: &Attachment) -> String {
    let Attachment { class, mime, uri } = attachment;
    format!("@{} {mime} {uri}", class.as_str())
}

/// The kinds of lines below a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BlockLineKind {
    Description,
    Dependency,
    Decision,
    Attachment,
}

fn kind_of(line: &str) -> BlockLineKind {
    let is_attachment = AttachmentClass::ALL
        .iter()
        .any(|class| line.starts_with(&format!("@{} ", class.as_str())));
    match line {
        _ if line.chars().all(is_ws) => BlockLineKind::Description,
        _ if line.starts_with("-> ") => BlockLineKind::Dependency,
        _ if line.starts_with("> ") => BlockLineKind::Decision,
        _ if is_attachment => BlockLineKind::Attachment,
        _ => BlockLineKind::Description,
    }
}

/// A block in which the lines that changed are others.
fn edited(old: &str, place: &NodeSpan, then: &VineNode, now: &VineNode, eol: &str) -> String {
    let Range { start, end } = place.block.clone();
    let mut text = old[start..place.header.start].to_owned();
    text.push_str(&edited_header(&old[place.header.clone()], then, now));
    // Blanks behind the header stay with its line.
    let below = &old[place.header.end..end];
    let line_end = below.find('\n').unwrap_or(below.len());
    let is_crlf = below[..line_end].ends_with('\r') && line_end < below.len();
    let (rest_of_header, body) = below.split_at(line_end - usize::from(is_crlf));
    text.push_str(rest_of_header);
    let mut lines: Vec<String> = body.split('\n').skip(1).map(str::to_owned).collect();
    if let Some((_, all_but_last)) = lines.split_last_mut() {
        // What stands before a line feed belongs to the line end.
        for line in all_but_last {
            line.truncate(line.strip_suffix('\r').unwrap_or(line).len());
        }
    }
    let texts = |node: &VineNode| {
        [
            (
                BlockLineKind::Description,
                description(node).into_iter().map(str::to_owned).collect(),
            ),
            (
                BlockLineKind::Dependency,
                node.dependencies
                    .iter()
                    .map(|id| format!("-> {id}"))
                    .collect(),
            ),
            (
                BlockLineKind::Decision,
                node.decisions
                    .iter()
                    .map(|text| format!("> {text}"))
                    .collect(),
            ),
            (
                BlockLineKind::Attachment,
                match (&now.work, &node.work) {
                    (NodeContent::Task { .. }, NodeContent::Task { attachments, .. }) => {
                        attachments.iter().map(attachment).collect()
                    }
                    _ => Vec::new(),
                },
            ),
        ]
    };
    let kinds: [(BlockLineKind, Vec<String>); 4] = texts(now);
    let is_ref_now = matches!(now.work, NodeContent::Ref { .. });
    let mut is_same = true;
    for ((kind, wanted), (_, had)) in kinds.into_iter().zip(texts(then)) {
        if wanted != had || (kind == BlockLineKind::Attachment && is_ref_now) {
            replace(&mut lines, kind, wanted);
            is_same = false;
        }
    }
    if is_same {
        text.push_str(body);
        return text;
    }
    for line in lines {
        text.push_str(eol);
        text.push_str(&line);
    }
    text
}

/// Puts other lines in the places of those of a kind: lines that stay keep their places, new ones
/// follow the last of their kind, or else the last of the kinds before it.
fn replace(lines: &mut Vec<String>, kind: BlockLineKind, wanted: Vec<String>) {
    let had: Vec<String> = lines
        .iter()
        .filter(|line| kind_of(line) == kind)
        .cloned()
        .collect();
    let of_wanted: HashSet<&str> = wanted.iter().map(String::as_str).collect();
    let is_wanted = |line: &String| of_wanted.contains(line.as_str());
    let kept: Vec<&String> = had.iter().filter(|line| is_wanted(line)).collect();
    let is_prefix = kept
        .iter()
        .zip(&wanted)
        .all(|(kept, wanted)| *kept == wanted);
    let (keeps, added) = if is_prefix && kept.len() <= wanted.len() {
        (true, wanted[kept.len()..].to_vec())
    } else {
        (false, wanted.clone())
    };
    lines.retain(|line| kind_of(line) != kind || (keeps && is_wanted(line)));
    let place = lines
        .iter()
        .rposition(|line| kind_of(line) == kind)
        .or_else(|| {
            lines
                .iter()
                .rposition(|line| kind_of(line) < kind && !line.is_empty())
        })
        .map_or(0, |at| at + 1);
    lines.splice(place..place, added);
}
