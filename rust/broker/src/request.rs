//! Reads the head of a request, and answers it.

use std::io::{self, Read, Write};

use httparse::{EMPTY_HEADER, Request, Status};

/// The greatest number of bytes of a head.
const MAX_SIZE: usize = 64 * 1024;
/// The greatest number of its headers.
const MAX_HEADERS: usize = 100;

/// The head of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestHead {
    pub method: String,
    /// What the request line asks for.
    pub target: String,
    pub headers: Vec<(String, Vec<u8>)>,
    /// The bytes behind the head that were read with it.
    pub rest: Vec<u8>,
}

impl RequestHead {
    /// Reads a head; `None` if the other side closed before it sent anything.
    pub(crate) fn read(stream: &mut impl Read) -> io::Result<Option<Self>> {
        let mut text = Vec::new();
        let mut part = [0; 4096];
        loop {
            let count = stream.read(&mut part)?;
            if count == 0 {
                let is_silent = text.is_empty();
                return if is_silent {
                    Ok(None)
                } else {
                    Err(broken("it ends early"))
                };
            }
            text.extend_from_slice(&part[..count]);
            if let Some(head) = Self::parsed(&text)? {
                return Ok(Some(head));
            }
            if text.len() > MAX_SIZE {
                return Err(broken("its head is too long"));
            }
        }
    }

    fn parsed(text: &[u8]) -> io::Result<Option<Self>> {
        let mut headers = [EMPTY_HEADER; MAX_HEADERS];
        let mut request = Request::new(&mut headers);
        let Status::Complete(end) = request.parse(text).map_err(broken)? else {
            return Ok(None);
        };
        let word = |word: Option<&str>| word.unwrap_or_default().to_owned();
        Ok(Some(Self {
            method: word(request.method),
            target: word(request.path),
            headers: request
                .headers
                .iter()
                .map(|one| (one.name.to_ascii_lowercase(), one.value.to_owned()))
                .collect(),
            rest: text[end..].to_owned(),
        }))
    }

    /// Returns the value of a header that is there once.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(one, _)| one == name);
        let (_, value) = found.next()?;
        found.next().is_none().then_some(())?;
        std::str::from_utf8(value).ok().map(str::trim)
    }

    /// Returns true if a header is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(one, _)| one == name)
    }
}

/// Answers with a status and a sentence.
pub(crate) fn answer(stream: &mut impl Write, status: &str, sentence: &str) -> io::Result<()> {
    let length = sentence.len() + 1;
    // In one piece: some clients read a head at once.
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{sentence}\n"
    );
    stream.write_all(text.as_bytes())
}

pub(crate) fn broken(why: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_in_parts_and_to_their_end() {
        let text = b"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\nX: 1\r\nX: 2\r\n\r\nmore";
        let head = RequestHead::read(&mut &text[..]).unwrap().unwrap();
        assert_eq!((&*head.method, &*head.target), ("CONNECT", "a.example:443"));
        assert_eq!(head.header("host"), Some("a.example"));
        assert_eq!(head.header("x"), None);
        assert_eq!(head.rest, b"more");
        assert_eq!(RequestHead::read(&mut &b""[..]).unwrap(), None);
        assert!(RequestHead::read(&mut &text[..20]).is_err());
        assert!(RequestHead::read(&mut &b"\x16\x03\x01\x02\x00\x01"[..]).is_err());
    }
}
