//! Keeps the discussion of approval: people write it into the checkout's copy, whatever the branch
//! contains.

use std::borrow::Cow;

use super::SpecConflict;
use chant_specs::approval::discussion;
use chant_text::edit::line_break;
use chant_text::markdown;
use chant_text::sections::{Section, sections};

/// Merges bodies with `merge`, without the discussion of all of them; ours is put back in its
/// place: before the heading that followed it, else at the end.
///
/// # Errors
/// As `merge`.
pub(super) fn merge_around_discussion(
    base: Option<&str>,
    ours: &str,
    theirs: &str,
    merge: impl Fn(Option<&str>, &str, &str) -> Result<String, Vec<SpecConflict>>,
) -> Result<String, Vec<SpecConflict>> {
    let lifted = discussion(ours);
    let base = base.map(without);
    let text = merge(base.as_deref(), &without(ours), &without(theirs))?;
    Ok(match lifted {
        Some(section) => put_back(&text, ours, &section),
        None => text,
    })
}

/// Returns a body without its discussion.
fn without(body: &str) -> Cow<'_, str> {
    let Some(section) = discussion(body) else {
        return Cow::Borrowed(body);
    };
    let before = &body[..section.heading.start];
    let after = &body[section.content.end..];
    if after.is_empty() {
        // The blank lines before it were added with it.
        let words = before.trim_end_matches(['\n', '\r']);
        let end = if words.is_empty() {
            ""
        } else {
            line_break(body)
        };
        return Cow::Owned(format!("{words}{end}"));
    }
    Cow::Owned(format!("{before}{after}"))
}

fn put_back(text: &str, ours: &str, section: &Section) -> String {
    let words = &ours[section.heading.start..section.content.end];
    let all = |body: &str| sections(&markdown::outline(body), body.len());
    let next = all(ours)
        .into_iter()
        .find(|other| other.heading.start >= section.content.end);
    let place = next.and_then(|next| {
        let same = |other: &Section| other.level == next.level && other.title == next.title;
        all(text).into_iter().find(same)
    });
    if let Some(place) = place {
        let (before, after) = text.split_at(place.heading.start);
        return format!("{before}{words}{after}");
    }
    let eol = line_break(ours);
    let before = text.trim_end_matches(['\n', '\r']);
    let lead = if before.is_empty() {
        String::new()
    } else {
        format!("{eol}{eol}")
    };
    let words = words.trim_end_matches(['\n', '\r']);
    format!("{before}{lead}{words}{eol}")
}
