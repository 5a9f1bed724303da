//! Tables after RFC 4180 whose cells do nothing to a spreadsheet or a terminal, and say the same when read back.
//!
//! A cell that a spreadsheet would run has an apostrophe before it, and a character that would steer a terminal
//! is written as in JSON, `\u001b`. Both are taken back by [`records`], so that no text is lost.

/// The characters that may stand before the first one of a cell without hiding it from a spreadsheet.
const SKIPPED: [char; 3] = ['\'', ' ', '\u{a0}'];

/// Writes records, each as a line.
pub(super) fn lines(records: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    for record in records {
        // Memory takes everything.
        let _ = writer.write_record(record.iter().map(|text| cell(text)));
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// Reads all records, the line of names too.
///
/// # Errors
/// What is wrong with the text, and where.
pub(super) fn records(text: &str) -> Result<Vec<Vec<String>>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let read = reader.records().map(|record| {
        let record = record.map_err(|error| error.to_string())?;
        Ok(record.iter().map(text_of).collect())
    });
    read.collect()
}

/// Writes characters that would steer a terminal as escapes; line ends and tabs stay.
pub(super) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let is_escape = c == '\\' && escaped_unit(rest.as_str()).is_some();
        let is_line_end = c == '\r' && rest.as_str().starts_with('\n');
        if is_escape || (steers(c) && !is_line_end) {
            let units = &mut [0; 2];
            for unit in c.encode_utf16(units) {
                shown.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Takes [`visible`] back.
fn hidden(text: &str) -> String {
    let mut read = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        read.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match escaped(rest) {
            Some((c, length)) if c == '\\' || steers(c) => {
                read.push(c);
                rest = &rest[length..];
            }
            _ => read.push('\\'),
        }
    }
    read + rest
}

/// The character that stands escaped behind a backslash, and how many bytes it takes there.
fn escaped(text: &str) -> Option<(char, usize)> {
    let first = escaped_unit(text)?;
    if let Some(Ok(c)) = char::decode_utf16([first]).next() {
        return Some((c, 5));
    }
    let second = escaped_unit(text.get(5..)?.strip_prefix('\\')?)?;
    let c = char::decode_utf16([first, second]).next()?.ok()?;
    Some((c, 11))
}

fn escaped_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix('u')?.get(..4)?;
    let is_written_so = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    if !digits.bytes().all(is_written_so) {
        return None;
    }
    u16::from_str_radix(digits, 16).ok()
}

fn cell(text: &str) -> String {
    let text = visible(text);
    if is_run(&text) {
        format!("'{text}")
    } else {
        text
    }
}

fn text_of(cell: &str) -> String {
    let text = cell.strip_prefix('\'').filter(|text| is_run(text));
    hidden(text.unwrap_or(cell))
}

/// Returns true if a spreadsheet would take a cell for a formula, or for one after an import that trims it.
fn is_run(cell: &str) -> bool {
    cell.trim_start_matches(SKIPPED).starts_with([
        '=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
    ])
}

/// The characters that `chant_mcp.terminal` replaces or takes out.
fn steers(c: char) -> bool {
    matches!(c,
        '\0'..='\x08' | '\x0b'..='\x1f' | '\x7f'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn there_and_back(texts: &[String]) -> (String, Vec<Vec<String>>) {
        let text = lines(std::iter::once(texts.to_vec()));
        let read = records(&text).unwrap();
        (text, read)
    }

    #[test]
    fn cells_are_quoted_where_they_have_to_be() {
        let texts = ["a,b", "say \"x\"", "one\ntwo", "é"].map(str::to_owned);
        let (text, read) = there_and_back(&texts);
        assert_eq!(text, "\"a,b\",\"say \"\"x\"\"\",\"one\ntwo\",é\r\n");
        assert_eq!(read, [texts]);
    }

    #[test]
    fn no_cell_is_run_and_no_character_steers() {
        for (given, written) in [
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-5", "'-5"),
            (" +x", "' +x"),
            ("'=x", "''=x"),
            ("'quoted'", "'quoted'"),
            ("\tx", "'\tx"),
            ("\u{ff1d}x", "'\u{ff1d}x"),
            ("\x1b[2Jx", "\\u001b[2Jx"),
            ("\u{e0041}\u{202e}", "\\udb40\\udc41\\u202e"),
            ("\\u001b \\x", "\\u005cu001b \\x"),
            ("a\r\nb\rc\td", "a\r\nb\\u000dc\td"),
        ] {
            assert_eq!(cell(given), written);
            assert_eq!(text_of(written), given);
        }
        // What others wrote is read as it stands.
        for stays in ["\\u0041", "\\ud800", "\\u00e", "\\u001B", "\\"] {
            assert_eq!(text_of(stays), stays);
        }
    }

    fn texts() -> impl Strategy<Value = String> {
        let odd = prop::sample::select(vec![
            "=", "+", "-", "@", "'", "\\", "\\u", "001b", "005c", "\x1b", "\r", "\n", "\r\n", "\t",
            "\"", ",", " ", "\u{a0}", "\u{202e}", "\u{e0041}", "\u{ff20}", "\u{feff}", "\0", "é",
            "a",
        ]);
        prop_oneof![
            prop::collection::vec(odd, 0..8).prop_map(|parts| parts.concat()),
            any::<String>(),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back_and_does_nothing_meanwhile(
            record in prop::collection::vec(texts(), 2..5)
        ) {
            let (text, read) = there_and_back(&record);
            prop_assert!(!text.replace("\r\n", "\n").chars().any(steers));
            for one in &record {
                let one = cell(one);
                prop_assert!(!is_run(&one) || one.starts_with('\''));
            }
            prop_assert_eq!(read, [record]);
        }
    }
}
