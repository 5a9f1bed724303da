//! Graphs of numbers, as arrays of other libraries hold them.

use chant_base::error::Error;
use chant_graph::ItemProgress;
use chant_graph::network::{Network, NetworkError};

/// The bytes of a number.
const BYTES: usize = size_of::<i64>();

/// A graph of so many items; see `Network.of_numbers`.
///
/// # Errors
/// More items or edges than a network numbers, or a number that is no item.
pub(super) fn network_of_numbers(
    count: usize,
    sources: &[u8],
    targets: &[u8],
    done: &[u8],
) -> Result<Network, Error> {
    if u32::try_from(count).is_err() {
        return Err(NetworkError::TooLarge.into());
    }
    let pairs = items(sources, count).zip(items(targets, count));
    let edges = pairs.map(|(from, to)| Ok((from?, to?)));
    let edges = edges.collect::<Result<Vec<_>, NetworkError>>()?;
    let mut progress = vec![ItemProgress::Open; count];
    for item in items(done, count) {
        progress[item? as usize] = ItemProgress::Done;
    }
    Ok(Network::numbered(progress, &edges)?)
}

/// The items whose numbers these bytes are.
fn items(bytes: &[u8], count: usize) -> impl Iterator<Item = Result<u32, NetworkError>> {
    let numbers = bytes.as_chunks::<BYTES>().0.iter();
    numbers.map(move |number| {
        let number = i64::from_ne_bytes(*number);
        let item = u32::try_from(number).ok();
        let item = item.filter(|item| (*item as usize) < count);
        item.ok_or(NetworkError::NoSuchItem { index: number })
    })
}
