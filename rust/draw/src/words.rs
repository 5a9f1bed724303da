//! Words in pictures: their approximate width, cut to the room, and safe for XML.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::svg::number;
use chant_graph::picture::visible_char;

/// Returns the approximate width of a text in letters of a size without serifs, rather too wide
/// than too narrow.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.graphemes(true).map(of_grapheme).sum::<f64>() * size
}

/// Returns the attributes that give a text this width in each font, so that it stays where it is measured to be.
pub(super) fn held_width(text: &str, size: f64) -> [(&'static str, String); 2] {
    [
        ("textLength", number(width(text, size))),
        ("lengthAdjust", "spacingAndGlyphs".into()),
    ]
}

/// Returns the same as they are written in a tag; nothing for a text without a width.
pub(super) fn held_width_tag(text: &str, size: f64) -> String {
    if width(text, size) == 0.0 {
        return String::new();
    }
    let attributes = held_width(text, size).into_iter();
    let written = attributes.map(|(name, value)| format!(" {name}=\"{value}\""));
    written.collect()
}

/// Returns the width of a grapheme, in units of the size of letters.
fn of_grapheme(grapheme: &str) -> f64 {
    match (grapheme.width(), grapheme.as_bytes()) {
        (0, _) => 0.0,
        (2.., _) => 1.1,
        (_, [byte]) => of_ascii(*byte),
        _ => 0.62,
    }
}

/// Returns a width between those of Arial and of `DejaVu` Sans, the widest of common fonts.
fn of_ascii(byte: u8) -> f64 {
    match byte {
        b'i' | b'j' | b'l' | b'\'' => 0.26,
        b' ' | b'.' | b',' | b'|' | b'I' | b':' | b';' | b'/' | b'-' => 0.33,
        b'f' | b't' | b'r' | b'(' | b')' | b'[' | b']' | b'!' | b'"' => 0.38,
        b'm' | b'w' | b'M' | b'W' | b'@' | b'%' => 0.92,
        b'A'..=b'Z' | b'_' | b'+' | b'=' | b'<' | b'>' | b'~' | b'&' | b'#' => 0.71,
        _ => 0.59,
    }
}

/// Returns as much of a text as fits, with `…` where something is missing.
pub(super) fn cut(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let room = room - width("…", size);
    let mut used = 0.0;
    let kept = text.graphemes(true).take_while(|grapheme| {
        used += of_grapheme(grapheme) * size;
        used <= room
    });
    let kept: String = kept.collect();
    format!("{}…", kept.trim_end())
}

/// Returns the number of columns that a text takes in a terminal.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

/// Returns as much of a text as fits into a number of columns, with `…` where something is missing.
pub(super) fn cut_columns(text: &str, room: usize) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let mut used = 1;
    let kept = text.graphemes(true).take_while(|grapheme| {
        used += columns(grapheme);
        used <= room
    });
    kept.collect::<String>().trim_end().to_owned() + "…"
}

/// Returns true if a text is read from the right, as its first letter decides.
pub(super) fn is_from_right(text: &str) -> bool {
    let is_rtl = |c: char| {
        matches!(
            c,
            '\u{590}'..='\u{8FF}'
                | '\u{FB1D}'..='\u{FDFF}'
                | '\u{FE70}'..='\u{FEFC}'
                | '\u{10800}'..='\u{10FFF}'
                | '\u{1E800}'..='\u{1EFFF}'
        )
    };
    text.chars().find(|c| c.is_alphabetic()).is_some_and(is_rtl)
}

/// Returns a text on one line.
pub(super) fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// Returns a text that XML and HTML read as nothing but text, also within quotes. Line ends stay.
pub(super) fn safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => safe.push_str("&#10;"),
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\u{FFFE}' | '\u{FFFF}' => safe.push(char::REPLACEMENT_CHARACTER),
            c => safe.push(visible_char(c)),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::{cut, is_from_right, safe, width};

    #[test]
    fn wide_letters_count_as_wide() {
        assert!(width("依存関係", 10.0) > 40.0);
        assert!(width("illi", 10.0) < width("mmmm", 10.0) / 2.0);
        // One family, not five persons and joiners.
        assert!(width("👨‍👩‍👧‍👦", 10.0) < 12.0);
    }

    #[test]
    fn a_text_is_cut_between_letters() {
        assert_eq!(cut("short", 10.0, 60.0), "short");
        assert_eq!(cut("rather longer", 10.0, 60.0), "rather long…");
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 10.0, 17.0), "e\u{301}…");
        assert_eq!(cut("abc", 10.0, 1.0), "…");
    }

    #[test]
    fn the_first_letter_says_where_a_text_begins() {
        assert!(is_from_right("12. שלום world"));
        assert!(!is_from_right("hello שלום"));
        assert!(!is_from_right("123"));
    }

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(
            safe("<b a=\"'\">&\u{1b}\u{202e}\u{ffff}"),
            "&lt;b a=&quot;&#39;&quot;&gt;&amp;\u{fffd}\u{fffd}\u{fffd}"
        );
    }
}
