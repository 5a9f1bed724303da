//! Reads server-sent events, as far as they carry data. The existing crates read asynchronous
//! streams.

use std::io::{self, BufRead};

/// Returns the data of the next event, lines joined; `None` when the stream has ended. An event in
/// which the stream breaks off is dropped.
pub(super) fn next(stream: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut data: Option<String> = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if stream.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\n', '\r']);
        if text.is_empty() {
            if data.is_some() {
                return Ok(data);
            }
            continue;
        }
        let Some(value) = text.strip_prefix("data:") else {
            continue;
        };
        let value = value.strip_prefix(' ').unwrap_or(value);
        match &mut data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            None => data = Some(value.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stream: &str, expected: &[&str]) {
        let mut stream = stream.as_bytes();
        let mut found = Vec::new();
        while let Some(data) = next(&mut stream).unwrap() {
            found.push(data);
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn data_is_read_whatever_stands_around_it() {
        check("data: a\n\ndata:b\r\n\r\n", &["a", "b"]);
        check(
            ": still here\n\nevent: x\nid: 3\ndata: a\ndata: b\n\n",
            &["a\nb"],
        );
        check("data: whole\n\ndata: bro", &["whole"]);
        check("data:\n\n", &[""]);
        check("", &[]);
    }
}
