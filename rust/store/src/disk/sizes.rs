//! The sizes and pieces of documents when they were read last, so that one that lost its end is recognized.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::{FileStamp, TICK, created_at};

/// So many are remembered; with more, all are forgotten.
const MAX_COUNT: usize = 200_000;
/// Bytes of a piece that is compared.
const PIECE: usize = 64;
/// Bytes of the smallest blocks in which programs write.
const BLOCK_SIZE: usize = 512;

/// The sizes and pieces of documents when they were read last, shared by all copies of a disk.
#[derive(Debug, Clone, Default)]
pub struct ReadSizes(Arc<Mutex<HashMap<PathBuf, ReadSize>>>);

#[derive(Debug)]
struct ReadSize {
    /// Device and inode: a file that another took the place of has appeared whole.
    identity: (u64, u64),
    /// The length that is not in doubt.
    size: u64,
    /// True if it is known to be empty, not only never seen with a content.
    is_empty: bool,
    /// The digests of its pieces, without a rest.
    pieces: Box<[u32]>,
    /// The state that it took on since, and when that was seen first.
    shrunk: Option<(FileStamp, Instant)>,
}

impl ReadSizes {
    /// Notes what was read of a file, and says how it looks half saved, if it does: a moment ago it became empty or
    /// lost its end, and no other file took its place.
    pub(super) fn note(&self, path: &Path, text: &[u8], stamp: &FileStamp) -> Option<&'static str> {
        let mut all = self.locked();
        if all.len() >= MAX_COUNT && !all.contains_key(path) {
            all.clear();
        }
        let known = all.entry(path.to_owned()).or_insert_with(|| ReadSize {
            is_empty: was_made_empty(path, stamp),
            size: 0,
            ..ReadSize::whole(b"", stamp)
        });
        let why = known.half_saved(text, stamp);
        let has_stayed = match known.shrunk {
            Some((same, since)) if same == *stamp => since.elapsed() >= TICK,
            _ => false,
        };
        if why.is_none() || has_stayed {
            *known = ReadSize::whole(text, stamp);
            return None;
        }
        if known.shrunk.is_none_or(|(same, _)| same != *stamp) {
            known.shrunk = Some((*stamp, Instant::now()));
        }
        why
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<PathBuf, ReadSize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadSize {
    fn whole(text: &[u8], stamp: &FileStamp) -> Self {
        Self {
            identity: stamp.identity,
            size: stamp.size,
            is_empty: text.is_empty(),
            pieces: pieces(text).collect(),
            shrunk: None,
        }
    }

    fn half_saved(&self, text: &[u8], stamp: &FileStamp) -> Option<&'static str> {
        if self.identity != stamp.identity {
            return None;
        }
        if text.is_empty() {
            return (!self.is_empty).then_some("it became empty a moment ago");
        }
        let is_beginning = || {
            text.len() >= PIECE
                && !text.ends_with(b"\n")
                && pieces(text)
                    .zip(&*self.pieces)
                    .all(|(now, was)| now == *was)
        };
        let is_cut =
            stamp.size < self.size && (text.len().is_multiple_of(BLOCK_SIZE) || is_beginning());
        is_cut.then_some("it lost its end a moment ago")
    }
}

fn pieces(text: &[u8]) -> impl Iterator<Item = u32> {
    text.chunks_exact(PIECE).map(|piece| {
        let mut hasher = DefaultHasher::new();
        hasher.write(piece);
        // A part of the digest is enough: what is compared is one text with itself.
        let [a, b, c, d, ..] = hasher.finish().to_ne_bytes();
        u32::from_ne_bytes([a, b, c, d])
    })
}

/// Returns true if a file was made as it is and never held anything: it did not become empty.
fn was_made_empty(path: &Path, stamp: &FileStamp) -> bool {
    const STEP: i128 = 20_000_000;
    stamp.size == 0 && created_at(path).is_some_and(|born| stamp.modified - born < STEP)
}
