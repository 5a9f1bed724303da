//! A graph as text: new blocks in canonical form, kept ones as they stand but for the lines that
//! changed (reference vine 4 R). What is written is read again and has to say what was meant.

use std::fmt::Write as _;
use std::ops::Range;

use super::error::VineError;
use super::model::{Attachment, Class, Graph, Node, Work};
use super::parse;
use crate::text::edit::{line_break, with_line_break};

/// The canonical text of a graph (reference vine 4).
///
/// # Errors
/// `VineError::Unwritable` when it would not read back as the same graph.
pub fn canonical(graph: &Graph) -> Result<String, VineError> {
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
    checked(text, graph)
}

/// The text of a graph that was read from `old` and changed since: blocks that say the same stay byte
/// for byte, of others only the lines that changed are written anew.
///
/// # Errors
/// `VineError::Unwritable` when it would not read back as the same graph.
pub fn changed(old: &str, graph: &Graph) -> Result<String, VineError> {
    let before = parse::graph(old)?;
    let eol = line_break(old);
    let first = before
        .nodes
        .first()
        .map_or(0..0, |node| node.place.block.clone());
    let last = before
        .nodes
        .last()
        .map_or(0..0, |node| node.place.block.clone());
    let mut text = preamble(&old[..first.start], &before, graph, eol);
    for (at, node) in graph.nodes.iter().enumerate() {
        let kept = node.place.index.map(|index| (index, &before.nodes[index]));
        if at > 0 {
            match kept {
                Some((index, then)) if index > 0 => {
                    let gap = before.nodes[index - 1].place.block.end..then.place.block.start;
                    text.push_str(&old[gap]);
                }
                _ => {
                    let _ = write!(text, "{eol}{}{eol}", graph.delimiter);
                }
            }
        }
        match kept {
            Some((_, then)) if then.says_the_same(node) => {
                text.push_str(&old[then.place.block.clone()]);
            }
            Some((_, then)) => text.push_str(&edited(old, then, node, eol)),
            None => text.push_str(&with_line_break(&block(node), eol)),
        }
    }
    text.push_str(&old[last.end..]);
    checked(text, graph)
}

/// A text that says what the graph says.
fn checked(text: String, graph: &Graph) -> Result<String, VineError> {
    let unwritable = |why: String| VineError::Unwritable { why };
    let read = parse::graph(&text).map_err(|error| unwritable(error.to_string()))?;
    let header = |graph: &Graph| {
        let Graph {
            version,
            title,
            prefix,
            delimiter,
            ..
        } = graph;
        (*version, title.clone(), prefix.clone(), delimiter.clone())
    };
    if header(&read) != header(graph) {
        return Err(unwritable("its preamble would read otherwise".into()));
    }
    if read.nodes.len() != graph.nodes.len() {
        return Err(unwritable("it would have another number of blocks".into()));
    }
    let mut pairs = read.nodes.iter().zip(&graph.nodes);
    match pairs.find(|(read, meant)| !as_written(meant).says_the_same(&as_written(read))) {
        None => Ok(text),
        Some((_, node)) => Err(unwritable(format!("\"{}\" would read otherwise", node.id))),
    }
}

/// A node as a canonical block gives it back: dependencies sorted, attachments by class, annotations
/// by key, lines of blanks empty.
fn as_written(node: &Node) -> Node {
    let mut node = node.clone();
    node.dependencies.sort_unstable();
    node.annotations.sort();
    if let Work::Task { attachments, .. } = &mut node.work {
        attachments.sort_by_key(|attachment| attachment.class);
    }
    let lines = node.description.split('\n');
    let lines = lines.map(|line| {
        if line.chars().all(parse::is_ws) {
            ""
        } else {
            line
        }
    });
    node.description = lines.collect::<Vec<_>>().join("\n");
    node
}

/// What stands before the first block, with another version where the graph has one.
fn preamble(old: &str, before: &Graph, graph: &Graph, eol: &str) -> String {
    if before.version == graph.version {
        return old.to_owned();
    }
    let rest = old.find('\n').map_or("", |end| &old[end + 1..]);
    let mark = if old.starts_with('\u{FEFF}') {
        "\u{FEFF}"
    } else {
        ""
    };
    format!("{mark}vine {}{eol}{rest}", graph.version)
}

/// A node's header in canonical form.
fn header(node: &Node) -> String {
    let mut text = match &node.work {
        Work::Task { status, .. } => format!("[{}] {} ({})", node.id, node.name, status.as_str()),
        Work::Ref { vine } => format!("ref [{}] {} ({vine})", node.id, node.name),
    };
    let mut annotations: Vec<_> = node.annotations.iter().collect();
    annotations.sort();
    for (key, values) in annotations {
        let _ = write!(text, " @{key}({})", values.join(","));
    }
    text
}

/// A node's block in canonical form, without a final line break.
fn block(node: &Node) -> String {
    let mut lines = vec![header(node)];
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

fn description(node: &Node) -> Vec<&str> {
    if node.description.is_empty() {
        Vec::new()
    } else {
        node.description.split('\n').collect()
    }
}

/// Attachments by class, otherwise in their order.
fn attachments(node: &Node) -> Vec<Attachment> {
    let Work::Task { attachments, .. } = &node.work else {
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
enum Kind {
    Description,
    Dependency,
    Decision,
    Attachment,
}

fn kind_of(line: &str) -> Kind {
    let is_attachment = Class::ALL
        .iter()
        .any(|class| line.starts_with(&format!("@{} ", class.as_str())));
    match line {
        _ if line.chars().all(parse::is_ws) => Kind::Description,
        _ if line.starts_with("-> ") => Kind::Dependency,
        _ if line.starts_with("> ") => Kind::Decision,
        _ if is_attachment => Kind::Attachment,
        _ => Kind::Description,
    }
}

/// A block in which the lines that changed are others.
fn edited(old: &str, then: &Node, now: &Node, eol: &str) -> String {
    let Range { start, end } = then.place.block.clone();
    let mut text = old[start..then.place.header.start].to_owned();
    let is_same_header = header(then) == header(now);
    text.push_str(if is_same_header {
        &old[then.place.header.clone()]
    } else {
        ""
    });
    if !is_same_header {
        text.push_str(&header(now));
    }
    // Blanks behind the header stay with its line.
    let below = &old[then.place.header.end..end];
    let line_end = below.find('\n').unwrap_or(below.len());
    let is_crlf = below[..line_end].ends_with('\r') && line_end < below.len();
    let (rest_of_header, body) = below.split_at(line_end - usize::from(is_crlf));
    text.push_str(rest_of_header);
    let mut lines: Vec<String> = body
        .split_inclusive('\n')
        .skip(1)
        .map(|line| line.trim_end_matches(['\n', '\r']).to_owned())
        .collect();
    let texts = |node: &Node| {
        [
            (
                Kind::Description,
                description(node).into_iter().map(str::to_owned).collect(),
            ),
            (
                Kind::Dependency,
                node.dependencies
                    .iter()
                    .map(|id| format!("-> {id}"))
                    .collect(),
            ),
            (
                Kind::Decision,
                node.decisions
                    .iter()
                    .map(|text| format!("> {text}"))
                    .collect(),
            ),
            (
                Kind::Attachment,
                match &now.work {
                    Work::Task { .. } => attachments(node).iter().map(attachment).collect(),
                    Work::Ref { .. } => Vec::new(),
                },
            ),
        ]
    };
    let kinds: [(Kind, Vec<String>); 4] = texts(now);
    let is_ref_now = matches!(now.work, Work::Ref { .. });
    let mut is_same = true;
    for ((kind, wanted), (_, had)) in kinds.into_iter().zip(texts(then)) {
        if wanted != had || (kind == Kind::Attachment && is_ref_now) {
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
fn replace(lines: &mut Vec<String>, kind: Kind, wanted: Vec<String>) {
    let had: Vec<String> = lines
        .iter()
        .filter(|line| kind_of(line) == kind)
        .cloned()
        .collect();
    let kept: Vec<&String> = had.iter().filter(|line| wanted.contains(line)).collect();
    let is_prefix = kept
        .iter()
        .zip(&wanted)
        .all(|(kept, wanted)| *kept == wanted);
    let (keeps, added) = if is_prefix && kept.len() <= wanted.len() {
        (true, wanted[kept.len()..].to_vec())
    } else {
        (false, wanted.clone())
    };
    lines.retain(|line| kind_of(line) != kind || (keeps && wanted.contains(line)));
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
