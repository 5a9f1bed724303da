//! The record of the pieces of code that checks hold.

use chant_evidence::{CodeHunk, PieceState};
use chant_work::run_record::{HeldCodeEntry, HeldPieceEntry};

use crate::work_sides::CodePieces;

/// The greatest number of pieces in a record.
const MAX_PIECES: usize = 200;

/// Returns the record of pieces of which nothing is known yet.
pub fn unknown(pieces: &CodePieces) -> HeldCodeEntry {
    let hunks = pieces.hunks.hunks();
    HeldCodeEntry {
        pieces: hunks.iter().map(piece_entry).collect(),
        count: hunks.len(),
        unread: pieces.unread,
        ..HeldCodeEntry::default()
    }
}

fn piece_entry(hunk: &CodeHunk) -> HeldPieceEntry {
    HeldPieceEntry {
        path: hunk.path.clone(),
        first: hunk.first,
        last: hunk.last,
        state: PieceState::Unknown.name().to_owned(),
        ..HeldPieceEntry::default()
    }
}

/// Notes the state of each piece, and bounds their number: those that no test holds are kept first.
pub fn note_states(entry: &mut HeldCodeEntry, states: &[PieceState]) {
    for (piece, state) in entry.pieces.iter_mut().zip(states) {
        state.name().clone_into(&mut piece.state);
    }
    entry.held = states.iter().filter(|one| one.is_held()).count();
    if entry.pieces.len() > MAX_PIECES {
        entry.pieces.sort_by_key(HeldPieceEntry::is_held);
        entry.pieces.truncate(MAX_PIECES);
    }
}

/// Returns the code that no test holds, of those files that have to be tested, in words; empty if all of it is held.
pub fn not_held(entry: &HeldCodeEntry, has_to_be: impl Fn(&str) -> bool) -> Vec<String> {
    let open = entry.pieces.iter().filter(|piece| !piece.is_held());
    let open = open.filter(|piece| has_to_be(&piece.path));
    let mut left: Vec<String> = open
        .map(|piece| format!("{} ({})", piece.place(), piece.state))
        .collect();
    let is_unsure = entry.pieces.is_empty() || entry.pieces.len() < entry.count;
    if !left.is_empty() || is_unsure {
        left.extend(entry.note.clone());
    }
    left
}
