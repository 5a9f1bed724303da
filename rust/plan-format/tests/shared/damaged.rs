//! Texts of a format into which pieces were put at any place, or from which some were taken: what people, merges and
//! programs that were killed leave.

use proptest::prelude::*;
use proptest::sample::{Index, select};

/// What stands at the borders of things, or looks like them.
const PIECES: &[&str] = &[
    "", "", "\0", "\r", "\n", "\r\n", "\u{2028}", "\u{85}", "\u{feff}", "\t", " ", "[", "]",
    "- [ ] ", "- [x]", "#", "##", "```", "~~~", "---\n", "<!--", "-->", "**", "`", "\"", "'", ":",
    "|", "é", "e\u{301}", "\u{202e}", "\u{1f4a9}", "<<<<<<< HEAD\n", "=======\n", ">>>>>>> x\n",
    "999999999999999999999", "1.", "&a", "*a", "!!x",
];

/// The number of cases of a test that is no trial.
const USUAL_CASES: u32 = 256;

/// Texts with up to four such places where a trial says how many cases it wants; else as they are, since a test that
/// every change has to pass is not the place for a find.
pub(super) fn damaged(texts: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let splice = (any::<Index>(), 0..4_usize, select(PIECES));
    let is_trial = ProptestConfig::default().cases > USUAL_CASES;
    let splices = prop::collection::vec(splice, if is_trial { 1..5 } else { 0..1 });
    (texts, splices).prop_map(|(mut text, splices)| {
        for (at, taken, piece) in splices {
            let places: Vec<usize> = text
                .char_indices()
                .map(|(at, _)| at)
                .chain([text.len()])
                .collect();
            let first = at.index(places.len());
            let last = (first + taken).min(places.len() - 1);
            text.replace_range(places[first]..places[last], piece);
        }
        text
    })
}
