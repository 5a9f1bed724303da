//! A valid graph together with the text that says it. A text that differs from a known one in few
//! places is read in these places alone, and so is a text of ours before it is written.

use std::ops::Range;
use std::sync::Arc;

use super::error::VineError;
use super::frontier::GraphPlan;
use super::model::{FormatVersion, Graph, NodeContent, NodeSpan, VineNode};
use super::moves::NodeMoves;
use super::parse;
use super::whitespace::is_ws;
use super::write::{self, Rewritten};
use chant_base::external_items::ExternalStatus;

/// A text and what it says.
#[derive(Debug, Clone)]
pub struct VineDocument {
    /// The text, byte for byte.
    pub text: String,
    /// The plan that it holds.
    pub plan: GraphPlan,
    /// Where each node stands in it.
    pub places: Vec<NodeSpan>,
}

impl VineDocument {
    /// Reads a text.
    ///
    /// # Errors
    /// `VineError` for one that is no graph, or no valid one.
    pub fn read(text: String) -> Result<Self, VineError> {
        let (graph, places) = parse::parse_with_spans(&text)?;
        let plan = GraphPlan::of(graph).map_err(|error| error.with_spots(&text))?;
        Ok(Self { text, plan, places })
    }

    /// Returns the text of a node, from its header to the next delimiter.
    pub fn block(&self, id: &str) -> Option<&str> {
        let at = self.plan.graph.position(id)?;
        self.text.get(self.places.get(at)?.block.clone())
    }

    /// Reads a text that was this one and may have changed.
    ///
    /// # Errors
    /// As [`VineDocument::read`].
    pub fn renewed(&self, text: String) -> Result<Self, VineError> {
        if text == self.text {
            return Ok(Self {
                text,
                ..self.clone()
            });
        }
        parse::refuse_clash(&text)?;
        let Some((graph, places)) = self.patch(&text).and_then(|patch| self.patched(patch)) else {
            return Self::read(text);
        };
        let plan = self.plan.renewed(graph);
        let plan = plan.map_err(|error| error.with_spots(&text))?;
        Ok(Self { text, plan, places })
    }

    /// The document when the items that its tasks need are that far, in the order of [`GraphPlan::needs`];
    /// `None` when that is how it was taken already.
    #[must_use]
    pub fn with_statuses(&self, standings: &[ExternalStatus]) -> Option<Self> {
        let plan = self.plan.with_statuses(standings)?;
        Some(Self {
            plan,
            ..self.clone()
        })
    }

    /// Which of its nodes was which of an earlier document of the same file.
    pub fn moves_since(&self, before: &Self) -> NodeMoves {
        NodeMoves::between(&before.plan.graph, &self.plan.graph)
    }

    /// The document after a change of its graph; of the text only that changes which has to, and only that
    /// is read again.
    ///
    /// # Errors
    /// `VineError::Unwritable` when the text would not say what is meant.
    pub fn changed(&self, mut plan: GraphPlan) -> Result<Self, VineError> {
        let mut new = write::render_changed(self, &plan.graph)?;
        let unwritable = |why: String| VineError::Unwritable { why };
        parse::refuse_clash(&new.text).map_err(|error| unwritable(error.to_string()))?;
        let Some(read) = self.read_in_pieces(&mut new, &plan.graph) else {
            let (read, places) =
                parse::parse_with_spans(&new.text).map_err(|e| unwritable(e.to_string()))?;
            verify_round_trip(&read, &plan.graph).map_err(unwritable)?;
            let (text, plan) = (new.text, plan.renewed(read)?);
            return Ok(Self { text, plan, places });
        };
        plan.graph.renamed.clear();
        let mut graph = None;
        for (at, node) in read {
            let meant = &plan.graph.nodes[at];
            if node == **meant {
                continue;
            }
            if as_written(&node) != as_written(meant) {
                return Err(unwritable(format!("\"{}\" would read otherwise", meant.id)));
            }
            // Dependencies and attachments stand in the order of the text from now on.
            let graph = graph.get_or_insert_with(|| plan.graph.clone());
            graph.nodes[at] = Arc::new(node);
        }
        if let Some(graph) = graph {
            plan = plan.renewed(graph)?;
        }
        let (text, places) = (new.text, new.places);
        Ok(Self { text, plan, places })
    }

    /// The nodes of a text of ours whose blocks were written again, as the text says them; their places are put
    /// right. `None` where the text has to be read whole to be sure of what it says.
    fn read_in_pieces(&self, new: &mut Rewritten, meant: &Graph) -> Option<Vec<(usize, VineNode)>> {
        let delimiter = &*meant.delimiter;
        let (old, text) = (&self.plan.graph, &*new.text);
        let preamble = &text[..new.places.first()?.block.start];
        let is_known = old.delimiter == meant.delimiter && self.text.starts_with(preamble);
        if !is_known || header(old) != header(meant) {
            let said = parse::preamble(preamble)?;
            (header(&said) == header(meant)).then_some(())?;
        }
        let mut gaps = new.gaps.iter();
        gaps.all(|gap| is_gap(&text[gap.clone()], delimiter))
            .then_some(())?;
        let last = new.places.len() - 1;
        let is_last_fresh = new.fresh.last() == Some(&last);
        let fresh = new.fresh.iter().copied();
        let mut read = Vec::with_capacity(new.fresh.len() + 1);
        for at in fresh.chain((!is_last_fresh).then_some(last)) {
            let Range { start, end } = new.places[at].block;
            // Whole lines: an empty last one is one only with its end.
            let end = match at {
                at if at == last => text.len(),
                _ => end + text[end..].find('\n')? + 1,
            };
            let blocks = parse::blocks(&text[start..end], delimiter).ok()?;
            let [(node, place)] = <[_; 1]>::try_from(blocks).ok()?;
            new.places[at] = place.moved(0, start);
            read.push((at, node));
        }
        Some(read)
    }

    /// Returns the differences of a changed text, read between the first byte that is another and the last;
    /// `None` when it has to be read whole, to be understood or to have its fault named.
    fn patch(&self, text: &str) -> Option<DocumentPatch> {
        let (old, graph) = (&*self.text, &self.plan.graph);
        let (same_start, same_end) = in_common(old.as_bytes(), text.as_bytes());
        let first = self.places.partition_point(|p| p.block.start <= same_start);
        let first = first.checked_sub(1)?;
        // A later block stays when the delimiter before it did.
        let ends = self.places[first..].iter().map(|p| p.block.end);
        let stays = |end: usize| end >= old.len() - same_end;
        let last = first + ends.take_while(|end| !stays(*end)).count();
        let start = self.places[first].block.start;
        let rest = self.places.get(last).map_or(old.len(), |p| p.block.end);
        let is_last = last + 1 >= self.places.len();
        let end = if is_last {
            text.len()
        } else {
            // Whole lines: an empty last one is one only with its end.
            let end = text.len() - (old.len() - rest);
            end + text.get(end..)?.find('\n')? + 1
        };
        let kept_from = if is_last { self.places.len() } else { last + 1 };
        let fresh = parse::blocks(text.get(start..end)?, &graph.delimiter).ok()?;
        let (nodes, fresh): (Vec<VineNode>, Vec<NodeSpan>) = fresh.into_iter().unzip();
        let mut places = Vec::with_capacity(self.places.len() + fresh.len());
        places.extend_from_slice(&self.places[..first]);
        places.extend(fresh.iter().map(|place| place.moved(0, start)));
        let later = self.places[kept_from..].iter();
        places.extend(later.map(|place| place.moved(old.len(), text.len())));
        Some(DocumentPatch {
            replaced: first..kept_from,
            nodes,
            places,
        })
    }

    /// Returns the graph of a changed text and the places of its nodes; `None` as with [`VineDocument::patch`].
    fn patched(&self, patch: DocumentPatch) -> Option<(Graph, Vec<NodeSpan>)> {
        let graph = spliced(&self.plan.graph, patch.replaced, patch.nodes)?;
        Some((graph, patch.places))
    }
}

/// The differences of a text from that of a known document.
struct DocumentPatch {
    /// The known nodes that are there no more.
    replaced: Range<usize>,
    /// The nodes in their place.
    nodes: Vec<VineNode>,
    /// Where every node stands now.
    places: Vec<NodeSpan>,
}

/// Returns true if a text stands between two blocks without becoming a part of one: the end of a line, then
/// lines that are delimiters or blank, the first and the last of them delimiters.
fn is_gap(text: &str, delimiter: &str) -> bool {
    let Some(lines) = text.strip_prefix("\r\n").or(text.strip_prefix('\n')) else {
        return false;
    };
    let all = parse::lines(lines);
    let is_delimiter =
        |line: Option<&parse::SourceLine<'_>>| line.is_some_and(|l| l.text == delimiter);
    let is_blank = |text: &str| text.chars().all(is_ws);
    lines.ends_with('\n')
        && is_delimiter(all.first())
        && is_delimiter(all.last())
        && all
            .iter()
            .all(|line| line.text == delimiter || is_blank(line.text))
}

/// A graph with other nodes in the place of some; `None` when two have one ID, or there is none.
fn spliced(graph: &Graph, range: Range<usize>, nodes: Vec<VineNode>) -> Option<Graph> {
    let mut spliced = graph.clone();
    let nodes = nodes.into_iter().map(Arc::new).collect();
    (spliced.replace(range, nodes) && !spliced.nodes.is_empty()).then_some(spliced)
}

/// Returns the number of bytes that two texts have in common at their start, and of the rest at their end.
fn in_common(a: &[u8], b: &[u8]) -> (usize, usize) {
    const STEP: usize = 4096;
    let most = a.len().min(b.len());
    let mut start = 0;
    while start + STEP <= most && a[start..start + STEP] == b[start..start + STEP] {
        start += STEP;
    }
    start += (start..most).take_while(|at| a[*at] == b[*at]).count();
    let most = most - start;
    let piece = |text: &[u8], end: usize| text.len() - end - STEP..text.len() - end;
    let mut end = 0;
    while end + STEP <= most && a[piece(a, end)] == b[piece(b, end)] {
        end += STEP;
    }
    let is_same = |back: &usize| a[a.len() - 1 - back] == b[b.len() - 1 - back];
    end += (end..most).take_while(is_same).count();
    (start, end)
}

/// Returns the part of a graph that stands before its first node.
fn header(graph: &Graph) -> (FormatVersion, Option<&str>, Option<&str>, &str) {
    let (title, prefix) = (graph.title.as_deref(), graph.prefix.as_deref());
    (graph.version, title, prefix, &graph.delimiter)
}

/// Compares what a text says with what it should say.
pub(super) fn verify_round_trip(read: &Graph, meant: &Graph) -> Result<(), String> {
    if header(read) != header(meant) {
        return Err("its preamble would read otherwise".into());
    }
    if read.nodes.len() != meant.nodes.len() {
        return Err("it would have another number of blocks".into());
    }
    let mut pairs = read.nodes.iter().zip(&meant.nodes);
    let differs = |(read, meant): &(&Arc<VineNode>, &Arc<VineNode>)| {
        !Arc::ptr_eq(read, meant) && as_written(read) != as_written(meant)
    };
    match pairs.find(differs) {
        None => Ok(()),
        Some((_, node)) => Err(format!("\"{}\" would read otherwise", node.id)),
    }
}

/// A node as a canonical block gives it back: dependencies sorted, attachments by class, annotations
/// by key, lines of blanks empty.
fn as_written(node: &VineNode) -> VineNode {
    let mut node = node.clone();
    node.dependencies.sort_unstable();
    node.annotations.sort();
    if let NodeContent::Task { attachments, .. } = &mut node.work {
        attachments.sort_by_key(|attachment| attachment.class);
    }
    let lines = node.description.split('\n');
    let lines = lines.map(|line| match line {
        line if line.chars().all(is_ws) => "",
        line => line,
    });
    node.description = lines.collect::<Vec<_>>().join("\n");
    node
}
