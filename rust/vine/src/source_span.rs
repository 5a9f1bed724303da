//! Where in a text something is wrong, as people and editors count.

use std::ops::Range;

use super::header;
use super::model::NodeSpan;
use super::parse;
use super::validate::GraphViolation;

/// A piece of one line of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSpan {
    /// Line, counted from 1.
    pub line: usize,
    /// Its first character in the line, counted from 1.
    pub column: usize,
    /// The number of its characters; 1 for a place where something is missing.
    pub length: usize,
    /// The whole line.
    pub source: String,
}

impl SourceSpan {
    /// The bytes `range` of a line.
    pub(super) fn of_line(number: usize, source: &str, range: Range<usize>) -> Self {
        Self {
            line: number,
            column: source[..range.start].chars().count() + 1,
            length: source[range].chars().count().max(1),
            source: source.to_owned(),
        }
    }
}

/// Where in a text each of the violations stands that its graph has: the dependency that one is about,
/// else the ID in the header of its node. `None` for all when the text is no graph.
pub(super) fn locate_violations(
    text: &str,
    violations: &[GraphViolation],
) -> Vec<Option<SourceSpan>> {
    let Ok((graph, places)) = parse::parse_with_spans(text) else {
        return vec![None; violations.len()];
    };
    let lines = parse::lines(text);
    // A node's dependencies are told in their order: a search goes on where the one before ended.
    let (mut searched, mut rest) = (None, parse::dependencies(""));
    let mut range = |violation: &GraphViolation| {
        let at = graph.position(violation.subject()?)?;
        let NodeSpan {
            block,
            header: place,
        } = &places[at];
        let Some(dependency) = violation.dependency() else {
            let is_ref = graph.nodes[at].status().is_none();
            let id = header::parts(&text[place.clone()], is_ref)?.id;
            return Some(place.start + id.start..place.start + id.end);
        };
        let search = Some((violation.constraint(), at));
        if searched != search {
            (searched, rest) = (search, parse::dependencies(&text[block.clone()]));
        }
        let (_, found) = rest.find(|(id, _)| *id == dependency)?;
        Some(block.start + found.start..block.start + found.end)
    };
    let spot = |range: Range<usize>| {
        let after = lines.partition_point(|line| line.start <= range.start);
        let line = &lines[after.checked_sub(1)?];
        let inside = range.start - line.start..range.end - line.start;
        Some(SourceSpan::of_line(line.number, line.text, inside))
    };
    violations
        .iter()
        .map(|violation| spot(range(violation)?))
        .collect()
}
