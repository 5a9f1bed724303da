//! Git's merge driver for spec files: writes the merged spec, or one in which a person's part is
//! marked.

use super::keys::{self, DRIVER};
use super::{MergeSide, SpecConflict, body, body_of, composed, driver_merged, in_line_ends_of};
use chant_text::merge::{self, ConflictMarkers};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The number of bytes in which git searches for a NUL before it merges line by line.
const SEARCHED_FOR_NUL: usize = 8000;

/// A spec file that git asked to be merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedFile {
    /// The new content of the file.
    pub bytes: Vec<u8>,
    /// The decisions that are left to a person, a sentence each; empty if the versions are merged.
    pub conflicts: Vec<String>,
}

/// Merges three versions of a spec file for git.
///
/// Conflicts stand between markers, and the rest is merged by its meaning. Versions that cannot be
/// read as specs are merged line by line, as git does; if one is not text, ours stays as it is. In
/// both cases a person has to decide.
pub fn merge_file(
    base: &[u8],
    ours: &[u8],
    theirs: &[u8],
    markers: &ConflictMarkers<'_>,
) -> MergedFile {
    let described = |conflict: SpecConflict| conflict.describe(markers.ours, markers.theirs);
    let versions = [
        (None, base),
        (Some(MergeSide::Ours), ours),
        (Some(MergeSide::Theirs), theirs),
    ];
    for (side, version) in versions {
        if version.iter().take(SEARCHED_FOR_NUL).any(|byte| *byte == 0) {
            let why = format!("it is no text; {} stays as it is", markers.ours);
            return MergedFile {
                bytes: ours.to_owned(),
                conflicts: vec![described(SpecConflict::Unreadable { side, why })],
            };
        }
    }
    let unreadable = versions.into_iter().filter_map(|(side, version)| {
        let error = str::from_utf8(version).err()?;
        let why = format!("no UTF-8 from byte {} on", error.valid_up_to());
        Some(described(SpecConflict::Unreadable { side, why }))
    });
    if let [Ok(base), Ok(ours), Ok(theirs)] = [base, ours, theirs].map(str::from_utf8) {
        merge_text(base, ours, theirs, markers)
    } else {
        MergedFile {
            bytes: merge::marked(base, ours, theirs, markers),
            conflicts: unreadable.collect(),
        }
    }
}

/// Merges texts; byte order mark and line ends are ours.
fn merge_text(base: &str, ours: &str, theirs: &str, markers: &ConflictMarkers<'_>) -> MergedFile {
    let unmarked = |text| str::strip_prefix(text, BYTE_ORDER_MARK).unwrap_or(text);
    let own = unmarked(ours);
    let [base, theirs] = [base, theirs].map(|text| in_line_ends_of(own, unmarked(text)));
    let (text, conflicts) = match driver_merged(&base, own, &theirs) {
        Ok(text) => (text, Vec::new()),
        Err(conflicts) => {
            let described = conflicts
                .iter()
                .map(|c| c.describe(markers.ours, markers.theirs));
            (marked(&base, own, &theirs, markers), described.collect())
        }
    };
    let lead = &ours[..ours.len() - own.len()];
    MergedFile {
        bytes: [lead, &text].concat().into_bytes(),
        conflicts,
    }
}

/// Returns a text with markers around the decisions that are left to a person.
fn marked(base: &str, ours: &str, theirs: &str, markers: &ConflictMarkers<'_>) -> String {
    let by_parts = by_parts(base, ours, theirs, markers);
    by_parts.unwrap_or_else(|| lines(base, ours, theirs, markers))
}

/// Returns front matter and body merged separately; `None` if they would not make one document.
fn by_parts(base: &str, ours: &str, theirs: &str, markers: &ConflictMarkers<'_>) -> Option<String> {
    let bodies = [body_of(base), body_of(ours), body_of(theirs)].map(Result::ok);
    let [Some(old), Some(own), Some(other)] = bodies else {
        return None;
    };
    let body = body::merge_with_markers(old, own, other, markers);
    if let Ok(front) = keys::merge_front_matter(base, ours, theirs, &DRIVER) {
        return composed(&front, &body).ok();
    }
    let base = base.strip_suffix(old)?;
    let (ours, theirs) = (ours.strip_suffix(own)?, theirs.strip_suffix(other)?);
    let front = lines(base, ours, theirs, markers);
    front.ends_with('\n').then_some(front + &body)
}

/// Returns three texts merged line by line, without regard to their meaning.
fn lines(base: &str, ours: &str, theirs: &str, markers: &ConflictMarkers<'_>) -> String {
    let [base, ours, theirs] = [base, ours, theirs].map(str::as_bytes);
    String::from_utf8_lossy(&merge::marked(base, ours, theirs, markers)).into_owned()
}
