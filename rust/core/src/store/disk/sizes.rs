//! How long documents were when they were read last, so that one that lost its end is known by that.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::{Stamp, TICK, born};

/// So many are remembered; with more, all are forgotten.
const MOST: usize = 200_000;

/// The lengths of documents, shared by all copies of a disk.
#[derive(Debug, Clone, Default)]
pub struct ReadSizes(Arc<Mutex<HashMap<PathBuf, ReadSize>>>);

#[derive(Debug, Clone, Copy)]
struct ReadSize {
    /// Device and inode: a file that another took the place of has appeared whole.
    identity: (u64, u64),
    /// The length that is not in doubt.
    size: u64,
    /// Whether it is known to be empty, not only never seen with a content.
    is_empty: bool,
    /// What it became since, and when that was seen first.
    shrunk: Option<(Stamp, Instant)>,
}

impl ReadSizes {
    /// Notes what was read of a file. While it is shorter than it was, and has not been so for a while, its length
    /// before; 0 for one that was never seen but empty. A file that took the place of another is whole.
    pub(super) fn note(&self, path: &Path, stamp: &Stamp) -> Option<u64> {
        let mut all = self.locked();
        if all.len() >= MOST && !all.contains_key(path) {
            all.clear();
        }
        let known = all.entry(path.to_owned()).or_insert_with(|| ReadSize {
            identity: stamp.identity,
            size: 0,
            is_empty: was_made_empty(path, stamp),
            shrunk: None,
        });
        let has_shrunk = known.identity == stamp.identity
            && (stamp.size < known.size || (stamp.size == 0 && !known.is_empty));
        if !has_shrunk {
            *known = ReadSize::whole(stamp);
            return None;
        }
        match known.shrunk {
            Some((same, since)) if same == *stamp && since.elapsed() >= TICK => {
                *known = ReadSize::whole(stamp);
                return None;
            }
            Some((same, _)) if same == *stamp => {}
            _ => known.shrunk = Some((*stamp, Instant::now())),
        }
        Some(known.size)
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<PathBuf, ReadSize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a file was made as it is and never held anything: it did not become empty.
fn was_made_empty(path: &Path, stamp: &Stamp) -> bool {
    const STEP: i128 = 20_000_000;
    stamp.size == 0 && born(path).is_some_and(|born| stamp.modified - born < STEP)
}

impl ReadSize {
    fn whole(stamp: &Stamp) -> Self {
        Self {
            identity: stamp.identity,
            size: stamp.size,
            is_empty: stamp.size == 0,
            shrunk: None,
        }
    }
}
