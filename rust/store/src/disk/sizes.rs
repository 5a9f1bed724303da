//! The sizes and pieces of documents when they were read last, so that one that lost its end is recognized.

use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hashbrown::{DefaultHashBuilder, HashMap};

use super::{FileStamp, TICK, created_at};

/// So many are remembered; with more, all are forgotten.
const MAX_COUNT: usize = 200_000;
/// Bytes of a piece that is compared.
const PIECE: usize = 64;
/// Bytes of the smallest blocks in which programs write.
const BLOCK_SIZE: usize = 512;

/// The sizes and pieces of documents when they were read last, shared by all copies of a disk.
#[derive(Debug, Clone, Default)]
pub struct ReadSizes {
    files: Arc<Mutex<HashMap<PathBuf, ReadSize>>>,
    digests: DefaultHashBuilder,
}

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
        // Many threads read at once: what takes time is done before the others have to wait.
        let (place, now) = (path.to_owned(), self.read_size(text, stamp));
        let mut all = self.locked();
        if all.len() >= MAX_COUNT && !all.contains_key(path) {
            all.clear();
        }
        let known = all.entry(place).or_insert_with(|| ReadSize {
            identity: stamp.identity,
            size: 0,
            is_empty: was_made_empty(path, stamp),
            pieces: Box::default(),
            shrunk: None,
        });
        let why = known.half_saved(text, &now);
        let has_stayed = match known.shrunk {
            Some((same, since)) if same == *stamp => since.elapsed() >= TICK,
            _ => false,
        };
        if why.is_none() || has_stayed {
            *known = now;
            return None;
        }
        if known.shrunk.is_none_or(|(same, _)| same != *stamp) {
            known.shrunk = Some((*stamp, Instant::now()));
        }
        why
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<PathBuf, ReadSize>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_size(&self, text: &[u8], stamp: &FileStamp) -> ReadSize {
        let digest = |piece: &[u8]| {
            // A part of the digest is enough: what is compared is one text with itself.
            let [a, b, c, d, ..] = self.digests.hash_one(piece).to_ne_bytes();
            u32::from_ne_bytes([a, b, c, d])
        };
        ReadSize {
            identity: stamp.identity,
            size: stamp.size,
            is_empty: text.is_empty(),
            pieces: text.chunks_exact(PIECE).map(digest).collect(),
            shrunk: None,
        }
    }
}

impl ReadSize {
    fn half_saved(&self, text: &[u8], now: &Self) -> Option<&'static str> {
        if self.identity != now.identity {
            return None;
        }
        if text.is_empty() {
            return (!self.is_empty).then_some("it became empty a moment ago");
        }
        let is_beginning = || {
            text.len() >= PIECE && !text.ends_with(b"\n") && self.pieces.starts_with(&now.pieces)
        };
        let is_cut =
            now.size < self.size && (text.len().is_multiple_of(BLOCK_SIZE) || is_beginning());
        is_cut.then_some("it lost its end a moment ago")
    }
}

/// Returns true if a file was made as it is and never held anything: it did not become empty.
fn was_made_empty(path: &Path, stamp: &FileStamp) -> bool {
    const STEP: i128 = 20_000_000;
    stamp.size == 0 && created_at(path).is_some_and(|born| stamp.modified - born < STEP)
}
