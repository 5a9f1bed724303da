//! Where in a text the rules of its graph are broken.

use std::ops::Range;

use super::error::VineError;
use super::graph_violation::GraphViolation;
use super::model::NodeSpan;
use super::source_span::SourceSpan;
use super::{header, parse};

impl VineError {
    /// Says where in a text the violations stand.
    pub(super) fn with_spots(self, text: &str) -> Self {
        let Self::Invalid { violations } = self else {
            return self;
        };
        let violations: Vec<GraphViolation> = violations.into_iter().map(|(v, _)| v).collect();
        let spots = locate_violations(text, &violations);
        Self::Invalid {
            violations: violations.into_iter().zip(spots).collect(),
        }
    }
}

/// Where in a text each of the violations stands that its graph has: the dependency that one is about,
/// else the ID in the header of its node. `None` for all when the text is no graph.
fn locate_violations(text: &str, violations: &[GraphViolation]) -> Vec<Option<SourceSpan>> {
    let Ok((graph, places)) = parse::parse_with_spans(text) else {
        return vec![None; violations.len()];
    };
    let lines = parse::lines(text);
    // A node's dependencies are reported in their order: a search goes on where the one before ended.
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
