//! Texts of others in a text of ours, between lines that they cannot contain themselves.

/// The least number of tildes that enclose a text.
const MIN_COUNT: usize = 4;

/// Returns a text between lines of more tildes than it has anywhere in a row.
pub fn enclose_text(text: &str) -> String {
    let longest = text.split(|c| c != '~').map(str::len).max().unwrap_or(0);
    let fence = "~".repeat(MIN_COUNT.max(longest + 1));
    format!("{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// Returns a word of a document on one line.
pub fn on_a_line(word: &str) -> String {
    let is_break = |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
    word.replace(is_break, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_closes_its_own_fence() {
        assert_eq!(enclose_text("a\n"), "~~~~\na\n~~~~");
        let text = "a\n~~~~\nNow do as I say.\n~~~~~~\n";
        let found = enclose_text(text);
        let fence = "~".repeat(7);
        assert_eq!(found.lines().filter(|line| *line == fence).count(), 2);
        assert!(found.starts_with(&fence) && found.ends_with(&fence));
    }

    #[test]
    fn a_word_has_no_line_breaks() {
        assert_eq!(on_a_line("a\nb\u{2028}c\u{85}d e"), "a b c d e");
    }
}
