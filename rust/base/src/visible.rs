//! Characters as people may see them.

/// A character as it may be seen: in the place of those that steer a terminal or turn a text around
/// stands the one for what cannot be shown.
pub fn visible_char(c: char) -> char {
    match c {
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}
