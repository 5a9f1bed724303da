//! Merges spec files by their meaning: a run's two copies of a spec, and the versions for git's
//! merge driver (reference chant 6.9).
//!
//! Keys are copied with their lines; criteria are matched by their text; everything else is merged
//! line by line. Conflicts are reported, never written.

mod body;
mod discussion;
pub mod driver;
mod keys;

use std::borrow::Cow;

use chant_text::edit::{line_break, with_line_break};
use chant_text::front_matter;
use keys::{RUN, SpecMergeRules};

/// The name of git's merge driver for spec files, as `init` configures it.
pub const DRIVER: &str = "chant-spec";

/// The two sides of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeSide {
    /// The checkout's version; for the merge driver git's `ours`.
    Ours,
    /// The branch's version; for the merge driver git's `theirs`.
    Theirs,
}

/// A disagreement of two versions of a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpecConflict {
    /// One side no longer has the file.
    Removed(MergeSide),
    /// A version cannot be read as a spec.
    Unreadable {
        /// Its side; `None` for the base.
        side: Option<MergeSide>,
        /// The fault in it.
        why: String,
    },
    /// Both sides gave a key different values, or the result could not be written in place.
    Key {
        /// The key.
        key: String,
        /// Its value on our side.
        ours: Option<String>,
        /// Its value on the other side.
        theirs: Option<String>,
    },
    /// A criterion that the other side lacks, and for which no place is left.
    Criterion(String),
    /// Both sides changed the same lines of the body.
    Body {
        /// The lines before.
        base: String,
        /// Ours.
        ours: String,
        /// Theirs.
        theirs: String,
    },
}

impl SpecConflict {
    /// Returns the conflict in one sentence; `ours` and `theirs` name the sides.
    pub fn describe(&self, ours: &str, theirs: &str) -> String {
        let name = |side: &MergeSide| match side {
            MergeSide::Ours => ours,
            MergeSide::Theirs => theirs,
        };
        let value = |value: &Option<String>| match value {
            Some(value) => format!("`{value}`"),
            None => "absent".to_owned(),
        };
        match self {
            Self::Removed(side) => format!("the spec's file is gone in {}", name(side)),
            Self::Unreadable { side, why } => {
                let which = side.as_ref().map_or("the version before both", name);
                format!("the spec cannot be read in {which}: {why}")
            }
            Self::Key {
                key,
                ours: one,
                theirs: other,
            } => format!(
                "`{key}` is {} in {ours} and {} in {theirs}",
                value(one),
                value(other)
            ),
            Self::Criterion(text) => {
                format!("the criterion '{text}' stands in {ours} and has no place in {theirs}")
            }
            Self::Body {
                ours: one,
                theirs: other,
                ..
            } => format!(
                "the body was changed in both: '{}' in {ours} and '{}' in {theirs}",
                first_line(one),
                first_line(other)
            ),
        }
    }
}

fn first_line(piece: &str) -> &str {
    let mut lines = piece.lines().map(str::trim);
    lines.find(|line| !line.is_empty()).unwrap_or_default()
}

/// Returns the spec file that a finished run's merge writes: state, branch, commits, times, model
/// and approval of the checkout, ticks and other work of the branch. `base` is the file in the
/// branch's first commit. A version without the file is `None`.
///
/// A tick is the branch's if the branch changed it; a criterion that only the checkout has stays as
/// it is, so the merged spec may have open ones.
///
/// # Errors
/// All conflicts; at least one.
pub fn merge_specs(
    base: Option<&str>,
    checkout: Option<&str>,
    branch: Option<&str>,
) -> Result<String, Vec<SpecConflict>> {
    match (checkout, branch) {
        (Some(checkout), Some(branch)) => three_way(base, checkout, branch, &RUN),
        (Some(only), None) | (None, Some(only)) if base.is_none() => Ok(only.to_owned()),
        (None, _) => Err(vec![SpecConflict::Removed(MergeSide::Ours)]),
        (Some(_), None) => Err(vec![SpecConflict::Removed(MergeSide::Theirs)]),
    }
}

/// Returns a spec's file as the merge of another spec's run writes it: people's decisions about it
/// are those of the checkout.
///
/// # Errors
/// As [`merge_specs`].
pub fn merged_beside(
    base: &str,
    checkout: &str,
    branch: &str,
) -> Result<String, Vec<SpecConflict>> {
    three_way(Some(base), checkout, branch, &keys::OTHER)
}

/// Returns a spec file merged by the rules of git's driver: the more advanced state, lists united,
/// times, branch and model ours or else theirs, and for any other key the side that changed it,
/// ours if both did.
///
/// # Errors
/// As [`merge_specs`].
pub fn driver_merged(base: &str, ours: &str, theirs: &str) -> Result<String, Vec<SpecConflict>> {
    three_way(Some(base), ours, theirs, &keys::DRIVER)
}

fn three_way(
    base: Option<&str>,
    ours: &str,
    theirs: &str,
    rules: &SpecMergeRules,
) -> Result<String, Vec<SpecConflict>> {
    let base = base.map(|base| in_line_ends_of(ours, base));
    let (base, theirs) = (base.as_deref(), &*in_line_ends_of(ours, theirs));
    let before = base.unwrap_or_default();
    let sides = [
        (None, before),
        (Some(MergeSide::Ours), ours),
        (Some(MergeSide::Theirs), theirs),
    ];
    let unreadable = sides.into_iter().filter_map(|(side, text)| {
        let why = body_of(text).err()?;
        Some(SpecConflict::Unreadable { side, why })
    });
    let mut conflicts: Vec<SpecConflict> = unreadable.collect();
    if !conflicts.is_empty() {
        return Err(conflicts);
    }
    let body = |text| body_of(text).unwrap_or_default();
    let front = keys::merge_front_matter(before, ours, theirs, rules);
    let body = if rules.keeps_discussion {
        discussion::merge_around_discussion(
            base.map(body),
            body(ours),
            body(theirs),
            |base, ours, theirs| body::merge_bodies(base, ours, theirs, rules.keeps_criteria),
        )
    } else {
        body::merge_bodies(
            base.map(body),
            body(ours),
            body(theirs),
            rules.keeps_criteria,
        )
    };
    match (front, body) {
        (Ok(front), Ok(body)) => composed(&front, &body).map_err(|why| vec![why]),
        (front, body) => {
            conflicts.extend(front.err().into_iter().flatten());
            conflicts.extend(body.err().into_iter().flatten());
            Err(conflicts)
        }
    }
}

/// Returns a version with our line ends. An editor may have changed those of a whole file, which is
/// no change of each line.
fn in_line_ends_of<'a>(ours: &str, version: &'a str) -> Cow<'a, str> {
    let eol = line_break(ours);
    if line_break(version) == eol {
        Cow::Borrowed(version)
    } else {
        Cow::Owned(with_line_break(version, eol))
    }
}

/// Returns the body of a document whose front matter can be read.
fn body_of(text: &str) -> Result<&str, String> {
    let layout = front_matter::layout(text).map_err(|e| e.to_string())?;
    if let Some(yaml) = layout.yaml {
        front_matter::read_any(&text[yaml]).map_err(|e| e.to_string())?;
    }
    Ok(&text[layout.body..])
}

/// Returns a document with another body.
fn composed(front: &str, body: &str) -> Result<String, SpecConflict> {
    let unreadable = |why: String| SpecConflict::Unreadable { side: None, why };
    let start = front_matter::layout(front).map_err(|e| unreadable(e.to_string()))?;
    let text = format!("{}{body}", &front[..start.body]);
    match body_of(&text) {
        Ok(read) if read == body => Ok(text),
        Ok(_) => Err(unreadable(
            "a body that begins with `---` would be read as front matter".into(),
        )),
        Err(why) => Err(unreadable(why)),
    }
}
