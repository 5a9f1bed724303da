//! Texts of files in whatever encoding and with whatever ends of lines they are written.

/// Returns the text of a file with `\n` as ends of lines; `None` for one that is no text.
///
/// ```
/// use chant_evidence::text_of;
/// assert_eq!(text_of(b"\xef\xbb\xbfa\r\nb").as_deref(), Some("a\nb"));
/// assert_eq!(text_of(b"\xff\xfea\0\n\0").as_deref(), Some("a\n"));
/// assert_eq!(text_of(b"a\0b"), None);
/// ```
pub fn text_of(bytes: &[u8]) -> Option<String> {
    let wide = |from_bytes: fn([u8; 2]) -> u16| {
        let units = bytes[2..]
            .chunks_exact(2)
            .map(|pair| from_bytes([pair[0], pair[1]]));
        String::from_utf16_lossy(&units.collect::<Vec<_>>())
    };
    let text = match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ if bytes.contains(&0) => return None,
        _ => match str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            // A text of one byte a character: which of them matters to nobody here.
            Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        },
    };
    Some(text.replace("\r\n", "\n").replace('\r', "\n"))
}
