//! Texts of documents where an editor shows markdown: as they are written, and no markup.

use chant_base::visible::visible_char;

/// Characters of a title that are shown.
const MAX_TITLE: usize = 80;

/// Characters of a finding that are shown.
const MAX_MESSAGE: usize = 1_000;

/// A title on one line, cut, with signs in place of what steers.
pub(crate) fn shown_title(text: &str) -> String {
    cut(
        text.split_whitespace().collect::<Vec<_>>().join(" "),
        MAX_TITLE,
    )
}

/// A message, cut, with its lines.
pub(crate) fn shown_message(text: &str) -> String {
    cut(text.trim_end().to_owned(), MAX_MESSAGE)
}

fn cut(text: String, most: usize) -> String {
    let visible = |c: char| if c == '\n' { c } else { visible_char(c) };
    let mut shown: String = text.chars().take(most).map(visible).collect();
    if text.chars().nth(most).is_some() {
        shown.push('…');
    }
    shown
}

/// Characters with which markup or a link begins, wherever they stand in a line.
const MARKUP: &str = "\\`*_[]<>&~|";

/// A text in markdown that is shown as it is, behind the beginning of a line.
pub(crate) fn escaped(text: &str) -> String {
    let mut markdown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        // An address would become a link.
        let is_address = c == ':' && rest.peek() == Some(&'/');
        if MARKUP.contains(c) || is_address {
            markdown.push('\\');
        }
        markdown.push(visible_char(c));
    }
    markdown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_document_becomes_markup() {
        assert_eq!(
            escaped("<b>![a](b) https://c"),
            r"\<b\>!\[a\](b) https\://c"
        );
        assert_eq!(shown_title("a\n b\u{202e}c\u{1b}"), "a b\u{fffd}c\u{fffd}");
        assert_eq!(shown_title(&"x".repeat(100)).chars().count(), 81);
    }
}
