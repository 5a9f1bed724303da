//! What a partial name stands for, and which name somebody may have meant.

/// What looking up a partial id found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved<T> {
    /// Nothing of that name.
    None,
    /// Exactly one.
    One(T),
    /// Several, in the order of their ids.
    Many(Vec<T>),
}

/// The name most like `name`, if one is like it at all.
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
}
