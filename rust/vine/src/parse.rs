//! A file's text, read into a graph: line by line, the first thing wrong reported with its place
//! (reference vine 1).

use std::ops::Range;

use super::error::VineError;
use super::header;
use super::model::{
    Attachment, AttachmentClass, FormatVersion, Graph, NodeContent, NodeSpan, VineNode,
};
use super::source_span::SourceSpan;
use super::whitespace::is_ws;
use chant_base::counted::count_visited;
use chant_text::clash;

/// Ends the preamble, whatever the delimiter is.
const TERMINATOR: &str = "---";

/// Begins a line that names a dependency.
const DEPENDENCY: &str = "-> ";

/// A line of a text without its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct SourceLine<'a> {
    /// Counted from 1.
    pub(super) number: usize,
    /// Its first byte in the text.
    pub(super) start: usize,
    pub(super) text: &'a str,
}

impl SourceLine<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    fn is_blank(&self) -> bool {
        self.text.chars().all(is_ws)
    }

    /// An error about this line, from the byte `at` of it on.
    fn wrong(&self, at: usize, message: impl Into<String>) -> VineError {
        let end = self.text.trim_end_matches(is_ws).len().max(at);
        VineError::Parse {
            at: SourceSpan::of_line(self.number, self.text, at..end),
            message: message.into(),
        }
    }
}

/// Reads a graph and where each of its nodes stands; it is not validated yet. A byte order mark, both
/// kinds of line ends and segments of blank lines alone are accepted.
///
/// # Errors
/// `VineError::Parse` with the first thing wrong, in the order of reference vine 1.10.
pub fn parse_with_spans(text: &str) -> Result<(Graph, Vec<NodeSpan>), VineError> {
    refuse_clash(text)?;
    let lines = lines(text);
    let (Some(first), false) = (lines.first(), text.is_empty()) else {
        return Err(VineError::Parse {
            at: SourceSpan::of_line(1, "", 0..0),
            message: "Empty input — missing magic line".into(),
        });
    };
    let version = magic(first)?;
    let Some(end) = lines[1..].iter().position(|l| l.text == TERMINATOR) else {
        let last = lines.last().unwrap_or(first);
        let near = lines
            .iter()
            .find(|l| l.text.trim_matches(is_ws) == TERMINATOR);
        let hint = near.map_or(String::new(), |line| {
            format!(" (line {} has blanks around it)", line.number)
        });
        return Err(last.wrong(0, format!("Missing preamble terminator \"---\"{hint}")));
    };
    let (preamble, body) = (&lines[1..=end], &lines[end + 2..]);
    let mut graph = Graph::empty(version);
    metadata(preamble, &mut graph)?;
    let delimiter = graph.delimiter.clone();
    let mut places = Vec::new();
    for segment in segments(body, &delimiter) {
        let (node, place) = block(segment)?;
        if let Err(id) = graph.push(node) {
            let message = format!("Duplicate task id \"{id}\"");
            return Err(segment[0].wrong(0, message));
        }
        places.push(place);
    }
    if graph.nodes.is_empty() {
        let after = lines[end + 1].number + 1;
        let source = lines.get(end + 2).map_or("", |line| line.text);
        return Err(VineError::Parse {
            at: SourceSpan::of_line(after, source, 0..0),
            message: "Empty input — no task blocks found".into(),
        });
    }
    Ok((graph, places))
}

/// Refuses a text of which a merge left two versions.
///
/// # Errors
/// `VineError::Parse` with the line of the first marker.
pub(super) fn refuse_clash(text: &str) -> Result<(), VineError> {
    let Some(clash) = clash::in_document(text) else {
        return Ok(());
    };
    let line = text.lines().nth(clash.begins - 1).unwrap_or_default();
    Err(VineError::Parse {
        at: SourceSpan::of_line(clash.begins, line, 0..line.len()),
        message: clash.to_string(),
    })
}

/// Reads a graph without the places of its nodes.
///
/// # Errors
/// As [`parse_with_spans`].
pub fn graph(text: &str) -> Result<Graph, VineError> {
    parse_with_spans(text).map(|(graph, _)| graph)
}

/// Reads what stands before the first block of a text, whole lines, into a graph without nodes; `None` where it is
/// wrong, or where something of it would belong to that block.
pub(super) fn preamble(text: &str) -> Option<Graph> {
    let lines = lines(text);
    let mut graph = Graph::empty(magic(lines.first()?).ok()?);
    let end = lines.iter().skip(1).position(|l| l.text == TERMINATOR)? + 1;
    metadata(&lines[1..end], &mut graph).ok()?;
    let is_whole = text.ends_with('\n');
    let rest = &lines[end + 1..];
    let is_apart = rest
        .last()
        .is_none_or(|line| *line.text == *graph.delimiter);
    let is_nothing = |line: &SourceLine<'_>| *line.text == *graph.delimiter || line.is_blank();
    (is_whole && is_apart && rest.iter().all(is_nothing)).then_some(graph)
}

/// Reads the blocks of a piece of a text that begins with a line of one, and holds whole lines; their
/// places are those in the piece.
///
/// # Errors
/// `VineError::Parse` with a line of the piece.
pub(super) fn blocks(piece: &str, delimiter: &str) -> Result<Vec<(VineNode, NodeSpan)>, VineError> {
    let lines = lines(piece);
    segments(&lines, delimiter).map(block).collect()
}

/// The lines between delimiters, except where they are all blank.
fn segments<'a, 'b>(
    lines: &'b [SourceLine<'a>],
    delimiter: &'b str,
) -> impl Iterator<Item = &'b [SourceLine<'a>]> {
    let all = lines.split(move |line| line.text == delimiter);
    all.filter(|segment| !segment.iter().all(SourceLine::is_blank))
}

/// The IDs of what a block depends on, in the order of its lines, and where in it they stand.
pub(super) fn dependencies(block: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    lines(block).into_iter().filter_map(|line| {
        let rest = line.text.strip_prefix(DEPENDENCY)?;
        let id = rest.trim_matches(is_ws);
        let start = line.end() - rest.trim_start_matches(is_ws).len();
        Some((id, start..start + id.len()))
    })
}

/// The lines of a text; what follows its last line end is a line only when it is not empty.
pub(super) fn lines(text: &str) -> Vec<SourceLine<'_>> {
    let mut start = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
    let mut lines = Vec::new();
    for raw in text[start..].split_inclusive('\n') {
        let line = raw.strip_suffix('\n').unwrap_or(raw);
        let line = line
            .strip_suffix('\r')
            .filter(|_| raw.ends_with('\n'))
            .unwrap_or(line);
        lines.push(SourceLine {
            number: lines.len() + 1,
            start,
            text: line,
        });
        start += raw.len();
    }
    lines
}

fn magic(line: &SourceLine<'_>) -> Result<FormatVersion, VineError> {
    let wrong = |message: String| Err(line.wrong(0, message));
    let Some([major, minor, patch]) = numbers(line.text) else {
        return wrong(format!(
            "Invalid magic line: expected \"vine <version>\", got \"{}\"",
            line.text
        ));
    };
    if major != 1 {
        return wrong(format!(
            "Unsupported version {major}.{minor}.{patch}: this reads vine 1.x files"
        ));
    }
    Ok(FormatVersion(major, minor, patch))
}

/// The version of a magic line.
fn numbers(line: &str) -> Option<[u32; 3]> {
    let rest = line.strip_prefix("vine")?;
    let version = rest.trim_start_matches(is_ws);
    let is_digits = |part: &&str| part.bytes().all(|b| b.is_ascii_digit());
    let parts = version.split('.').filter(is_digits);
    let numbers: Vec<u32> = parts.map(str::parse).collect::<Result<_, _>>().ok()?;
    let has_blank = version.len() < rest.len();
    let is_whole = version.split('.').count() == 3;
    numbers.try_into().ok().filter(|_| has_blank && is_whole)
}

/// Reads the preamble: keys in any case, the last of a repeated one counts, unknown ones and lines
/// without a colon are left to the file.
fn metadata(lines: &[SourceLine<'_>], graph: &mut Graph) -> Result<(), VineError> {
    for line in lines {
        let Some((key, value)) = line.text.split_once(':') else {
            continue;
        };
        let value = value.trim_matches(is_ws);
        match key.trim_matches(is_ws).to_lowercase().as_str() {
            "title" => graph.title = Some(value.into()),
            "prefix" => graph.prefix = Some(value.into()),
            "delimiter" if value.is_empty() => {
                let message =
                    "Invalid delimiter: expected the text of the line between blocks, got nothing";
                return Err(line.wrong(key.len() + 1, message));
            }
            "delimiter" => graph.delimiter = value.into(),
            _ => {}
        }
    }
    Ok(())
}

fn block(lines: &[SourceLine<'_>]) -> Result<(VineNode, NodeSpan), VineError> {
    count_visited(1);
    let at = lines.iter().position(|l| !l.is_blank()).unwrap_or(0);
    let line = &lines[at];
    let text = line.text.trim_matches(is_ws);
    let indent = line.text.len() - line.text.trim_start_matches(is_ws).len();
    let is_ref = text.starts_with("ref ");
    let kind = if is_ref { "reference" } else { "task" };
    let invalid = || line.wrong(indent, format!("Invalid {kind} header: \"{text}\""));
    let parts = header::parts(text, is_ref).ok_or_else(invalid)?;
    let start = line.start + indent;
    let inside = &text[parts.inside];
    let work = if is_ref {
        NodeContent::Ref {
            vine: inside.into(),
        }
    } else {
        NodeContent::Task {
            status: inside.parse().map_err(|_| invalid())?,
            attachments: Vec::new(),
        }
    };
    let mut node = VineNode {
        id: text[parts.id].into(),
        name: text[parts.name].into(),
        description: String::new(),
        dependencies: Vec::new(),
        decisions: Vec::new(),
        annotations: annotations(&text[parts.annotations]),
        work,
    };
    let place = NodeSpan {
        block: lines[0].start..lines[lines.len() - 1].end(),
        header: start..start + text.len(),
    };
    let mut description: Vec<&str> = Vec::new();
    for line in &lines[at + 1..] {
        body_line(line, &mut node, &mut description)?;
    }
    node.description = description.join("\n");
    Ok((node, place))
}

/// Reads one line of a block; the first kind that fits counts (reference vine 1.8).
fn body_line<'a>(
    line: &SourceLine<'a>,
    node: &mut VineNode,
    description: &mut Vec<&'a str>,
) -> Result<(), VineError> {
    if line.is_blank() {
        description.push("");
    } else if let Some(id) = line.text.strip_prefix(DEPENDENCY) {
        node.dependencies.push(id.trim_matches(is_ws).into());
    } else if let Some(decision) = line.text.strip_prefix("> ") {
        node.decisions.push(decision.trim_matches(is_ws).into());
    } else if let Some((class, rest)) = attachment_class(line.text) {
        let NodeContent::Task { attachments, .. } = &mut node.work else {
            return Err(line.wrong(0, "Attachments are not allowed on reference nodes"));
        };
        match rest.split_once(' ') {
            Some((mime, uri)) if !mime.is_empty() && !uri.is_empty() => {
                attachments.push(Attachment {
                    class,
                    mime: mime.into(),
                    uri: uri.into(),
                });
            }
            _ => {
                let message = format!(
                    "Invalid attachment: expected \"@<class> <mime> <uri>\", got \"{}\"",
                    line.text
                );
                return Err(line.wrong(0, message));
            }
        }
    } else {
        description.push(line.text);
    }
    Ok(())
}

fn attachment_class(text: &str) -> Option<(AttachmentClass, &str)> {
    let rest = text.strip_prefix('@')?;
    AttachmentClass::ALL.into_iter().find_map(|class| {
        let rest = rest.strip_prefix(class.as_str())?.strip_prefix(' ')?;
        Some((class, rest))
    })
}

/// The annotations of a header that fits the pattern; a later one takes the place of an earlier.
fn annotations(text: &str) -> Vec<(Box<str>, Vec<Box<str>>)> {
    let mut found: Vec<(Box<str>, Vec<Box<str>>)> = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('@') {
        let Some((key, after)) = after.split_once('(') else {
            break;
        };
        let Some((values, after)) = after.split_once(')') else {
            break;
        };
        let values = values.split(',').map(|value| value.trim_matches(is_ws));
        let values = values.filter(|value| !value.is_empty()).map(Into::into);
        found.retain(|(known, _)| **known != *key);
        found.push((key.into(), values.collect()));
        rest = after;
    }
    found
}
