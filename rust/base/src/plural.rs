//! Numbers with their nouns.

/// Returns a number with its noun: `1 line`, `2 lines`.
pub fn counted(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// Joins the first texts, and says how many others there are: `a, b and 3 more`. For lists whose length an agent
/// decides: their sentence ends up in records, logs and on boards.
pub fn first_of<T: AsRef<str>>(texts: &[T], max_shown: usize, separator: &str) -> String {
    let shown: Vec<&str> = texts.iter().take(max_shown).map(AsRef::as_ref).collect();
    let shown = shown.join(separator);
    match texts.len().saturating_sub(max_shown) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, first_of};

    #[test]
    fn a_long_list_is_cut_and_counted() {
        let texts = ["a", "b", "c"];
        assert_eq!(first_of(&texts, 3, ", "), "a, b, c");
        assert_eq!(first_of(&texts, 2, "; "), "a; b and 1 more");
        assert_eq!(first_of::<&str>(&[], 2, ", "), "");
    }

    #[test]
    fn one_has_no_plural() {
        let words: Vec<String> = (0..3).map(|number| counted(number, "line")).collect();
        assert_eq!(words, ["0 lines", "1 line", "2 lines"]);
    }
}
