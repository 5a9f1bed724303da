//! Cycles, as paths that a person can read.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::{DepGraph, Edge, Node};
use chant_base::counted::count_visited;

/// Steps: each node waits for the next one by the edge beside it; in a cycle the last one for the first.
pub type Cycle = Vec<(Node, Edge)>;

impl DepGraph {
    /// Returns the shortest cycle through a node, if there is one.
    pub fn cycle_through(&self, start: Node) -> Option<Cycle> {
        self.search(start, |node| node == start)
    }

    /// The steps from one node to the nearest of `goals`; none when it is one itself.
    pub fn path_to(&self, from: Node, goals: &HashSet<Node>) -> Option<Cycle> {
        if goals.contains(&from) {
            Some(Vec::new())
        } else {
            self.search(from, |node| goals.contains(&node))
        }
    }

    /// Breadth first from a node along what it waits for, until an edge leads to a goal.
    fn search(&self, start: Node, is_goal: impl Fn(Node) -> bool) -> Option<Cycle> {
        let mut reached: HashMap<Node, (Node, Edge)> = HashMap::new();
        let mut open = VecDeque::from([start]);
        while let Some(node) = open.pop_front() {
            count_visited(1);
            for edge in self.edges(node) {
                if is_goal(edge.to) {
                    return Some(path_back(node, *edge, start, &reached));
                }
                if let Entry::Vacant(first) = reached.entry(edge.to) {
                    first.insert((node, *edge));
                    open.push_back(edge.to);
                }
            }
        }
        None
    }

    /// The shortest way from one of several nodes to a goal along what each waits for, both included,
    /// that does not lead over `around`.
    pub fn way(
        &self,
        starts: &[Node],
        around: Option<Node>,
        is_goal: impl Fn(Node) -> bool,
    ) -> Option<Vec<Node>> {
        let mut came_from: HashMap<Node, Option<Node>> =
            starts.iter().map(|start| (*start, None)).collect();
        let mut open: VecDeque<Node> = starts.iter().copied().collect();
        while let Some(node) = open.pop_front() {
            count_visited(1);
            if Some(node) == around {
                continue;
            }
            if is_goal(node) {
                let steps = std::iter::successors(Some(node), |node| came_from[node]);
                let mut way: Vec<Node> = steps.collect();
                way.reverse();
                return Some(way);
            }
            for edge in self.edges(node) {
                if let Entry::Vacant(first) = came_from.entry(edge.to) {
                    first.insert(Some(node));
                    open.push_back(edge.to);
                }
            }
        }
        None
    }

    /// Returns the first cycle that a walk in depth meets, from each node in the order of their making along
    /// what it waits for in its order: the nodes from the one met again to the one that waits for it.
    pub fn first_loop(&self) -> Option<Vec<Node>> {
        count_visited(self.len());
        let mut met = vec![VisitState::Not; self.len()];
        for start in (0_u32..).map(Node).take(self.len()) {
            // Each node on the way with the number of its edges that were looked at.
            let mut way: Vec<(Node, usize)> = Vec::new();
            if met[start.index()] == VisitState::Not {
                met[start.index()] = VisitState::OnTheWay;
                way.push((start, 0));
            }
            while let Some((node, looked)) = way.last_mut() {
                let Some(edge) = self.edges(*node).get(*looked) else {
                    met[node.index()] = VisitState::Done;
                    way.pop();
                    continue;
                };
                *looked += 1;
                match met[edge.to.index()] {
                    VisitState::Done => {}
                    VisitState::Not => {
                        met[edge.to.index()] = VisitState::OnTheWay;
                        way.push((edge.to, 0));
                    }
                    VisitState::OnTheWay => {
                        let from = way.iter().position(|(node, _)| *node == edge.to);
                        let nodes = way[from.unwrap_or(0)..].iter();
                        return Some(nodes.map(|(node, _)| *node).collect());
                    }
                }
            }
        }
        None
    }

    /// Which nodes are reached from one along what it waits for, itself included, by their index.
    pub fn reached_from(&self, start: Node) -> Vec<bool> {
        count_visited(self.len());
        let mut reached = vec![false; self.len()];
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut reached[node.index()], true) {
                open.extend(self.edges(node).iter().map(|edge| edge.to));
            }
        }
        reached
    }

    /// The nodes that wait for one another, by strongly connected component: each in the order of its keys, the
    /// components in the order of their first.
    pub fn cyclic_components(&self) -> Vec<Vec<Node>> {
        count_visited(self.len());
        let mut graph: DiGraph<(), (), u32> = DiGraph::with_capacity(self.len(), self.len());
        for _ in 0..self.len() {
            graph.add_node(());
        }
        for (at, entry) in (0_u32..).zip(&self.entries) {
            for edge in &*entry.edges {
                graph.add_edge(at.into(), edge.to.0.into(), ());
            }
        }
        let name = |node: NodeIndex<u32>| Node(u32::try_from(node.index()).unwrap_or(u32::MAX));
        let is_cyclic = |component: &Vec<Node>| match component.as_slice() {
            // A component of one node is one only if that node waits for itself.
            [one] => self.edges(*one).iter().any(|edge| edge.to == *one),
            _ => true,
        };
        let groups = kosaraju_scc(&graph).into_iter();
        let components = groups
            .map(|group| group.into_iter().map(name).collect())
            .filter(is_cyclic);
        let mut components: Vec<Vec<Node>> = components.collect();
        for component in &mut components {
            component.sort_unstable_by_key(|node| self.key(*node));
        }
        components.sort_unstable_by_key(|component| component.first().map(|node| self.key(*node)));
        components
    }

    /// Returns one shortest cycle for each component, starting at its first node.
    ///
    /// ```
    /// use chant_graph::{DepGraph, Edge, EdgeKind};
    ///
    /// let mut graph = DepGraph::default();
    /// let [a, b] = ["a", "b"].map(|key| graph.intern(key));
    /// for (waits, to) in [(a, b), (b, a)] {
    ///     graph.set_edges(waits, vec![Edge { to, kind: EdgeKind::Explicit, via: waits }]);
    /// }
    /// assert_eq!(graph.cycles().len(), 1);
    /// ```
    pub fn cycles(&self) -> Vec<Cycle> {
        let starts = self
            .cyclic_components()
            .into_iter()
            .filter_map(|component| component.first().copied());
        starts.filter_map(|node| self.cycle_through(node)).collect()
    }
}

/// The state of a node in a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VisitState {
    Not,
    OnTheWay,
    Done,
}

/// The steps from `start` to `node` and then over `edge`.
fn path_back(
    mut node: Node,
    mut edge: Edge,
    start: Node,
    reached: &HashMap<Node, (Node, Edge)>,
) -> Cycle {
    let mut path = vec![(node, edge)];
    while node != start {
        let Some(step) = reached.get(&node) else {
            break;
        };
        (node, edge) = *step;
        path.push((node, edge));
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::graph;

    fn keys(graph: &DepGraph, cycle: &Cycle) -> String {
        cycle
            .iter()
            .map(|(node, _)| graph.key(*node))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[track_caller]
    fn check(words: &str, cycles: &[&str]) {
        let graph = graph(words);
        let found: Vec<String> = graph
            .cycles()
            .iter()
            .map(|cycle| keys(&graph, cycle))
            .collect();
        assert_eq!(found, cycles);
    }

    #[test]
    fn loops_start_at_their_smallest_key_and_are_as_short_as_can_be() {
        check("a<-b b<-c c<-a,b", &["a b c"]);
        check("z<-y y<-z q<-q b<-a a<-b,z", &["a b", "q", "y z"]);
        check("a<-b b<-c c", &[]);
    }

    #[test]
    fn a_loop_elsewhere_is_no_loop_through_this_node() {
        let graph = graph("a<-b b<-c c<-b");
        assert!(graph.cycle_through(graph.find("a").unwrap()).is_none());
        let cycle = graph.cycle_through(graph.find("c").unwrap()).unwrap();
        assert_eq!(keys(&graph, &cycle), "c b");
    }

    #[test]
    fn a_way_is_the_shortest_from_any_start_and_leads_around_a_node() {
        let check = |words: &str, starts: &[&str], around: &str, goal: &str, expected: &str| {
            let graph = graph(words);
            let node = |key: &&str| graph.find(key).unwrap();
            let starts: Vec<Node> = starts.iter().map(node).collect();
            let way = graph.way(&starts, graph.find(around), |node| graph.key(node) == goal);
            let way = way.unwrap_or_default();
            let keys: Vec<_> = way.iter().map(|node| graph.key(*node)).collect();
            assert_eq!(keys.join(" "), expected);
        };
        check("a<-b b<-c c<-d d e<-d", &["a", "e"], "", "d", "e d");
        check("a<-b,c b<-d c<-e e<-d d", &["a"], "b", "d", "a c e d");
        check("a<-b b", &["a"], "b", "b", "");
        check("a<-b b", &["b"], "", "b", "b");
        check("a b", &["a"], "", "b", "");
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_does_not_overflow() {
        let mut graph = DepGraph::default();
        let nodes: Vec<Node> = (0..100_000).map(|n| graph.intern(&n.to_string())).collect();
        for pair in nodes.windows(2) {
            graph.set_edges(
                pair[0],
                vec![Edge {
                    to: pair[1],
                    kind: crate::EdgeKind::Explicit,
                    via: pair[0],
                }],
            );
        }
        assert!(graph.cycles().is_empty());
        assert_eq!(graph.first_loop(), None);
        assert!(graph.reached_from(nodes[0]).iter().all(|reached| *reached));
    }

    #[test]
    fn the_first_loop_begins_at_the_node_that_is_met_again() {
        let check = |words: &str, expected: &str| {
            let graph = graph(words);
            let nodes = graph.first_loop().unwrap_or_default();
            let keys: Vec<_> = nodes.iter().map(|node| graph.key(*node)).collect();
            assert_eq!(keys.join(" "), expected);
        };
        check("root<-mid mid<-leaf leaf<-root", "root mid leaf");
        check("a b<-c c<-b", "b c");
        check("a<-a", "a");
        check("a<-b,c b<-d c<-d d", "");
    }
}
