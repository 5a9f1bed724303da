//! Graphs of numbers, as arrays of other libraries hold them.

use chant_base::error::Error;
use chant_graph::ItemProgress;
use chant_graph::network::{Network, NetworkError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::raise::{Raised, call};

/// The bytes of a number.
const MAX_BYTES: usize = size_of::<i64>();

/// The ends of some edges, as bytes.
type EdgePart<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// A graph of so many items; see `Network.of_numbers`.
///
/// # Errors
/// More items or edges than a network numbers, or a number that is no item.
pub(super) fn network_of_numbers(
    count: usize,
    parts: &Bound<'_, PyAny>,
    done: &[u8],
) -> Result<Network, Raised> {
    let mut edges = Vec::new();
    for part in parts.try_iter()? {
        let (sources, targets): EdgePart<'_> = part?.extract()?;
        let (sources, targets) = (sources.as_bytes(), targets.as_bytes());
        let edges = &mut edges;
        call(move || add_edges(edges, count, sources, targets))?;
    }
    call(|| {
        let mut progress = vec![ItemProgress::Open; counted(count)?];
        for item in items(done, count)? {
            progress[item as usize] = ItemProgress::Done;
        }
        Ok(Network::numbered(progress, &edges)?)
    })
}

fn add_edges(
    edges: &mut Vec<(u32, u32)>,
    count: usize,
    sources: &[u8],
    targets: &[u8],
) -> Result<(), Error> {
    edges.extend(items(sources, count)?.zip(items(targets, count)?));
    Ok(())
}

/// So many items, if a network numbers them.
fn counted(count: usize) -> Result<usize, NetworkError> {
    let fits = u32::try_from(count).is_ok();
    fits.then_some(count).ok_or(NetworkError::TooLarge)
}

/// The items whose numbers these bytes are. All are looked at before the first is given: an error for each number
/// would cost several times what the numbers do.
fn items(bytes: &[u8], count: usize) -> Result<impl ExactSizeIterator<Item = u32>, NetworkError> {
    let count = counted(count)?;
    let numbers = bytes.as_chunks::<MAX_BYTES>().0.iter();
    let numbers = numbers.map(|number| i64::from_ne_bytes(*number));
    let is_item = |number: i64| usize::try_from(number).is_ok_and(|item| item < count);
    if let Some(index) = numbers.clone().find(|number| !is_item(*number)) {
        return Err(NetworkError::NoSuchItem { index });
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "each was found to be less than a count that fits"
    )]
    Ok(numbers.map(|number| number as u32))
}
