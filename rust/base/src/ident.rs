//! Finds the item that a partial name stands for, and the name that may have been meant.

/// The result of looking up a partial id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResolvedId<T> {
    /// Nothing of that name.
    None,
    /// Exactly one.
    One(T),
    /// Several, in the order of their ids.
    Many(Vec<T>),
}

/// The name most like `name`, if one is like it at all.
///
/// ```
/// use chant_base::ident::nearest;
///
/// assert_eq!(nearest("pendign", ["pending", "completed"]), Some("pending"));
/// assert_eq!(nearest("red", ["pending", "completed"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A comparison costs the product of the lengths; with lengths too different it comes to nothing.
    let length = name.chars().count();
    let is_as_long = |candidate: &&str| {
        let other = candidate.chars().count();
        5 * length.min(other) >= 4 * length.max(other)
    };
    let scored = candidates.into_iter().filter(is_as_long).map(|candidate| {
        (
            strsim::normalized_damerau_levenshtein(name, candidate),
            candidate,
        )
    });
    let best = scored.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    (best.0 >= 0.8).then_some(best.1)
}

/// Most names that a refusal calls close.
const CLOSE_NAMES: usize = 3;

/// The names whose IDs, ends of IDs or titles are most like a text that means nothing; the closest first.
///
/// `candidates` are names with their titles.
pub fn close_names<'a>(
    text: &str,
    candidates: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Vec<&'a str> {
    let text = text.trim().to_lowercase();
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .filter_map(|(name, title)| {
            let score = likeness(&text, name, title);
            (score >= 0.75).then_some((score, name))
        })
        .collect();
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    scored.truncate(CLOSE_NAMES);
    scored.into_iter().map(|(_, name)| name).collect()
}

/// Asks on a line of its own whether one of the names that are close was meant.
pub fn meant(first: &str, rest: &[&str]) -> String {
    let more: String = rest.iter().map(|name| format!(" Or '{name}'?")).collect();
    format!("\nDid you mean '{first}'?{more}")
}

fn likeness(text: &str, name: &str, title: &str) -> f64 {
    let (name, title) = (name.to_lowercase(), title.to_lowercase());
    let end = name.rsplit(['#', ':']).next().unwrap_or_default();
    let alike = |other: &str| {
        let (short, long) = (text.len().min(other.len()), text.len().max(other.len()));
        // A comparison costs the product of the lengths; with lengths too different it comes to nothing.
        if 4 * short < 3 * long {
            return 0.0;
        }
        strsim::normalized_damerau_levenshtein(text, other)
    };
    let of_title = if text.chars().count() >= 3 && title.contains(text) {
        0.9
    } else {
        alike(&title)
    };
    alike(&name).max(alike(end)).max(of_title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        assert_eq!(
            nearest("pendng", ["completed", "pending", "failed"]),
            Some("pending")
        );
        assert_eq!(nearest("zzz", ["completed", "pending"]), None);
        assert_eq!(nearest("abcd", ["abcde"]), Some("abcde"));
        assert_eq!(nearest(&"x".repeat(10_000_000), ["x", "completed"]), None);
    }

    #[test]
    fn names_are_close_by_their_ids_their_ends_and_their_titles() {
        let all = [
            ("vine:plan.vine#root", "The shop"),
            ("tickets:SHOP-001", "Log in with a key"),
            ("chant:2026-01-22-001-abc", "Log out"),
        ];
        assert_eq!(close_names("rooot", all), ["vine:plan.vine#root"]);
        assert_eq!(close_names("SHOP-010", all), ["tickets:SHOP-001"]);
        assert_eq!(close_names("log ot", all), ["chant:2026-01-22-001-abc"]);
        assert_eq!(
            close_names("log", all),
            ["tickets:SHOP-001", "chant:2026-01-22-001-abc"]
        );
        assert!(close_names("zzzzzz", all).is_empty());
    }
}
