//! Which unknown key is nearly a known one.
//!
//! Letters that differ only in case, and `-` for `_`, count as the same. A key is near when it is made of another
//! by at most two slips (a letter more, less or another, or two that changed places), by one slip where neither
//! has more than five letters; and when it is another without its last word: `run` for `run_minutes`.

/// The letters up to which one slip alone is allowed.
const SHORT: usize = 5;

/// The first known key with the fewest slips, if one is near.
pub(super) fn nearest<'a>(
    given: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    let given = folded(given);
    let near = known.clone().into_iter().filter_map(|name| {
        let slips = slips(&given, &folded(name))?;
        Some((slips, name))
    });
    if let Some((_, name)) = near.min_by_key(|(slips, _)| *slips) {
        return Some(name);
    }
    known.into_iter().find(|name| {
        let name = folded(name);
        name.rsplit_once('_')
            .is_some_and(|(front, _)| front == given)
    })
}

/// Returns the number of slips between two keys, if they are near.
fn slips(given: &str, known: &str) -> Option<usize> {
    let (given_length, known_length) = (given.chars().count(), known.chars().count());
    // What is longer by more than the slips allowed is not near, and costs nothing.
    if given_length.abs_diff(known_length) > 2 {
        return None;
    }
    let allowed = if given_length.max(known_length) <= SHORT {
        1
    } else {
        2
    };
    let slips = strsim::osa_distance(given, known);
    (slips <= allowed).then_some(slips)
}

/// A key in small letters, its words joined by `_`.
fn folded(key: &str) -> String {
    let mut folded = String::with_capacity(key.len());
    let mut was_small = false;
    for c in key.chars() {
        if c.is_uppercase() && was_small {
            folded.push('_');
        }
        was_small = c.is_lowercase();
        match c {
            '-' | ' ' => folded.push('_'),
            c => folded.extend(c.to_lowercase()),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_near_and_other_words_are_not() {
        let near = |given| nearest(given, ["checks", "limits", "env", "run_minutes", "lint"]);
        for (given, expected) in [
            ("chek", Some("checks")),
            ("Checks", Some("checks")),
            ("limts", Some("limits")),
            ("evn", Some("env")),
            ("run-minutes", Some("run_minutes")),
            ("runMinutes", Some("run_minutes")),
            ("run", Some("run_minutes")),
            ("minutes", None),
            ("lnit", Some("lint")),
            ("line", Some("lint")),
            ("links", None),
            ("chess_club", None),
            ("", None),
        ] {
            assert_eq!(near(given), expected, "{given}");
        }
        assert_eq!(near(&"x".repeat(1_000_000)), None);
    }
}
