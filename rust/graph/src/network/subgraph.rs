//! Takes some items out of a graph, with the edges between them.

use super::{Network, NetworkError, narrow};

impl Network {
    /// The graph of some items and the edges between them; they stand in the order in which they stand here.
    ///
    /// # Errors
    ///
    /// None that a graph with fewer items than this one can have.
    ///
    /// ```
    /// use chant_graph::network::sample::{keys_as_words, network_of_words};
    ///
    /// let network = network_of_words("ship<-test test<-build,design build design!")?;
    /// let part = network.subgraph(&[network.item("test")?, network.item("design")?])?;
    /// assert_eq!(part.edge_count(), 1);
    /// assert!(part.is_done(part.item("design")?));
    /// # Ok::<(), chant_graph::network::NetworkError>(())
    /// ```
    pub fn subgraph(&self, items: &[u32]) -> Result<Self, NetworkError> {
        let mut items = items.to_vec();
        items.sort_unstable();
        items.dedup();
        let mut places: Vec<Option<u32>> = vec![None; self.len()];
        for (place, item) in items.iter().enumerate() {
            places[*item as usize] = Some(narrow(place));
        }
        let place = |item: u32| places[item as usize];
        let edges = items
            .iter()
            .flat_map(|from| self.after(*from).iter().map(move |to| (*from, *to)));
        let edges: Vec<(u32, u32)> = edges
            .filter_map(|(from, to)| place(from).zip(place(to)))
            .collect();
        let keys = items.iter().map(|item| self.key(*item)).collect();
        let progress = items.iter().map(|item| self.progress(*item)).collect();
        Self::new(keys, progress, &edges)
    }
}
