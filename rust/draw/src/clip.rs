//! Chooses the items that are shown where a graph is too large for a picture.

use std::cmp::Reverse;

use fixedbitset::FixedBitSet;

use chant_graph::network::{Network, NetworkError};

/// The greatest number of items in a picture.
pub const MOST: usize = 500;

/// The subject of a picture.
#[derive(Debug, Clone, Copy)]
pub struct ClipOptions<'a> {
    /// The greatest number of items that are shown.
    pub limit: usize,
    /// Items in focus, which are always shown.
    pub focus: &'a [u32],
    /// The number of steps before and behind the focus that are shown; `None` shows as many as fit.
    pub depth: Option<u32>,
    /// Without a focus: items that come first, such as those of the critical path.
    pub first: &'a [u32],
}

/// Returns the items that a picture shows, ascending.
///
/// With a focus these are the nearest to it, along dependencies in either direction. Without a
/// focus a graph that fits is shown whole. Of a larger one, the items in `first` are shown;
/// then, up to an eighth, items that can be started, and step by step open items that wait for
/// them; then the items that they wait for, and any that still fit. Of equally near items open
/// ones come before done ones, then those for which more items wait, then those created
/// earlier. The cost is a few visits to each item.
///
/// # Errors
///
/// `Argument` when the limit is 0 or more than [`MOST`], or more items than that are in focus.
pub fn clip(network: &Network, clip: &ClipOptions<'_>) -> Result<Vec<u32>, NetworkError> {
    if clip.limit == 0 || clip.limit > MOST {
        return Err(NetworkError::Argument {
            name: "limit",
            given: clip.limit.to_string(),
            expected: "a number from 1 to 500",
        });
    }
    if clip.focus.len() > MOST {
        return Err(NetworkError::Argument {
            name: "focus",
            given: format!("{} items", clip.focus.len()),
            expected: "at most 500 items",
        });
    }
    if clip.focus.is_empty() && network.len() <= clip.limit {
        return Ok(network.items().collect());
    }
    let mut shown = ClipSelection::new(network, clip.limit);
    if clip.focus.is_empty() {
        shown.grow(clip.first);
    } else {
        shown.surround(clip.focus, clip.depth.unwrap_or(u32::MAX));
    }
    Ok(shown
        .items
        .ones()
        .filter_map(|item| u32::try_from(item).ok())
        .collect())
}

/// The items that are shown, and the room that is left.
struct ClipSelection<'a> {
    network: &'a Network,
    items: FixedBitSet,
    room: usize,
}

impl<'a> ClipSelection<'a> {
    fn new(network: &'a Network, room: usize) -> Self {
        Self {
            network,
            items: FixedBitSet::with_capacity(network.len()),
            room,
        }
    }

    /// Shows an item; returns true if it is new.
    fn show(&mut self, item: u32) -> bool {
        let is_new = !self.items.put(item as usize);
        self.room = self.room.saturating_sub(usize::from(is_new));
        is_new
    }

    /// Shows the items with the highest rank, as many as fit; returns those that are new.
    fn add(&mut self, mut items: Vec<u32>) -> Vec<u32> {
        items.retain(|item| !self.items.contains(*item as usize));
        let rank = |item: &u32| {
            let waiting = self.network.after(*item).len();
            (self.network.is_done(*item), Reverse(waiting), *item)
        };
        items.sort_unstable_by_key(rank);
        items.dedup();
        items.truncate(self.room);
        items.retain(|item| self.show(*item));
        items
    }

    /// Shows items near to the focus, as far as there is room.
    fn surround(&mut self, focus: &[u32], depth: u32) {
        for item in focus {
            self.show(*item);
        }
        // An item that waits for the same item as the focus is not near to it, so the two
        // directions are separate.
        let (mut earlier, mut later) = (focus.to_vec(), focus.to_vec());
        for _ in 0..depth {
            if self.room == 0 || (earlier.is_empty() && later.is_empty()) {
                break;
            }
            let before = all(&earlier, |item| self.network.before(item));
            let after = all(&later, |item| self.network.after(item));
            let added = self.add([before.as_slice(), &after].concat());
            let is_added = |item: &u32| added.contains(item);
            earlier = before.into_iter().filter(is_added).collect();
            later = after.into_iter().filter(is_added).collect();
        }
    }

    /// Shows the most important items of a whole graph.
    fn grow(&mut self, first: &[u32]) {
        let limit = self.room;
        let mut wave: Vec<u32> = first.iter().copied().take(limit).collect();
        wave.retain(|item| self.show(*item));
        let frontier = self.network.frontier();
        let kept = self.room.saturating_sub((limit / 8).max(1));
        self.room -= kept;
        wave.extend(self.add(frontier.clone()));
        self.room += kept;
        while self.room > 0 && !wave.is_empty() {
            let mut next = all(&wave, |item| self.network.after(item));
            next.retain(|item| !self.network.is_done(*item));
            wave = self.add(next);
        }
        let shown: Vec<u32> = self
            .items
            .ones()
            .filter_map(|item| u32::try_from(item).ok())
            .collect();
        self.add(all(&shown, |item| self.network.before(item)));
        self.add(frontier);
        if self.room > 0 {
            self.add(self.network.items().collect());
        }
    }
}

/// Returns the items that one step leads to, ascending.
fn all<'a>(items: &[u32], step: impl Fn(u32) -> &'a [u32]) -> Vec<u32> {
    let mut all: Vec<u32> = items.iter().flat_map(|item| step(*item)).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use chant_graph::network::sample::{keys_as_words as named, network_of_words};

    use super::{ClipOptions, clip as choose};

    #[track_caller]
    fn check(words: &str, limit: usize, focus: &[&str], depth: Option<u32>, expected: &str) {
        let network = network_of_words(words).unwrap();
        let focus: Vec<u32> = focus.iter().map(|key| network.find(key).unwrap()).collect();
        let clip = ClipOptions {
            limit,
            focus: &focus,
            depth,
            first: &[],
        };
        assert_eq!(named(&network, &choose(&network, &clip).unwrap()), expected);
    }

    #[test]
    fn what_is_near_to_the_focus_is_shown() {
        let chain = "a b<-a c<-b d<-c e<-d x<-a";
        check(chain, 9, &["c"], Some(1), "b c d");
        check(chain, 9, &["c"], None, "a b c d e");
        check(chain, 2, &["c"], None, "b c");
        check(chain, 1, &["c", "e"], None, "c e");
    }

    #[test]
    fn a_graph_that_fits_is_shown_whole_and_of_others_what_comes_next() {
        check("a! b<-a c", 3, &[], None, "a b c");
        check("a! b<-a c<-b d<-c e! f!", 3, &[], None, "b c d");
        check("a! b<-a c<-b e!", 3, &[], None, "a b c");
    }

    #[test]
    fn a_limit_out_of_bounds_is_refused() {
        let clip = ClipOptions {
            limit: 501,
            focus: &[],
            depth: None,
            first: &[],
        };
        let error = choose(&network_of_words("a").unwrap(), &clip).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`limit` is 501, expected a number from 1 to 500"
        );
    }
}
