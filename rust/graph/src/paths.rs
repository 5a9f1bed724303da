//! Measures how much depends on each item.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

use super::{DepGraph, ItemProgress, Node};
use chant_base::counted::count_visited;

impl DepGraph {
    /// For each node by its index how many open items the longest row of items has that begins with it
    /// and goes on with one that waits for the item before; 0 for items that are not open. Items that
    /// wait for one another count as one row.
    pub fn heights(&self) -> Vec<usize> {
        count_visited(self.len());
        let is_open = |node: Node| self.progress(node) == ItemProgress::Open;
        let waiting = self.waiting();
        let mut graph: DiGraph<(), (), u32> = DiGraph::with_capacity(self.len(), self.len());
        for _ in self.nodes() {
            graph.add_node(());
        }
        for node in self.nodes().filter(|node| is_open(*node)) {
            for next in waiting[node.index()].iter().filter(|next| is_open(**next)) {
                graph.add_edge(node.0.into(), next.0.into(), ());
            }
        }
        let mut heights = vec![0; self.len()];
        // Groups come after those that they lead to.
        for group in kosaraju_scc(&graph) {
            let own = group.iter().filter_map(|node| self.at(node.index()));
            let own = own.filter(|node| is_open(*node)).count();
            let beyond = group.iter().flat_map(|node| graph.neighbors(*node));
            let beyond = beyond.map(|next| heights[next.index()]).max().unwrap_or(0);
            for node in group {
                heights[node.index()] = if own == 0 { 0 } else { own + beyond };
            }
        }
        heights
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::graph;

    #[track_caller]
    fn check(words: &str, expected: &str) {
        let graph = graph(words);
        let heights = graph.heights();
        let shown: Vec<String> = graph
            .nodes()
            .map(|node| format!("{}{}", graph.key(node), heights[node.index()]))
            .collect();
        assert_eq!(shown.join(" "), expected);
    }

    #[test]
    fn the_longest_row_of_open_items_counts() {
        check("a b<-a c<-b d<-a e", "a3 b2 c1 d1 e1");
        check("a b!<-a c<-b", "a1 b0 c1");
        check("a<-gone b<~a", "a2 gone0 b1");
    }

    #[test]
    fn items_that_wait_for_one_another_are_one_row() {
        check("a b<-a,c c<-b d<-c", "a4 b3 c3 d1");
        check("a<-a", "a1");
    }
}
