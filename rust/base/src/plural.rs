//! Numbers with their nouns.

/// Returns a number with its noun: `1 line`, `2 lines`.
pub fn counted(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_has_no_plural() {
        let words: Vec<String> = (0..3).map(|number| counted(number, "line")).collect();
        assert_eq!(words, ["0 lines", "1 line", "2 lines"]);
    }
}
