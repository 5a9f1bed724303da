//! Messages as bytes: a header with their length, then JSON. Lengths are checked before anything is allocated.

use std::io::{self, BufRead, Read, Write};

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};

/// Bytes of the largest message that is read.
const MAX_BODY: usize = 32 << 20;

/// Bytes of the longest line of a header.
const MAX_LINE: u64 = 4096;

/// Lines of a header.
const MAX_LINES: usize = 32;

/// A stream that cannot be read on, or the output is gone.
#[derive(Debug)]
pub enum FrameError {
    /// The stream failed.
    Stream(io::Error),
    /// The header is none, so that nobody knows where the next message begins.
    Header(&'static str),
}

impl std::fmt::Display for FrameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stream(error) => write!(f, "the editor's stream failed: {error}"),
            Self::Header(why) => write!(f, "the editor sent no message: {why}"),
        }
    }
}

impl std::error::Error for FrameError {}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> Self {
        Self::Stream(error)
    }
}

/// The content of one frame.
#[derive(Debug)]
pub(crate) enum MessageFrame {
    /// A message.
    Message(Message),
    /// Something else, with the reason; the next frame can be read.
    Unusable(String),
}

/// Reads the next frame; `None` at the end of the stream.
///
/// # Errors
/// `FrameError` where nothing behind can be read.
pub(crate) fn read_frame(reader: &mut impl BufRead) -> Result<Option<MessageFrame>, FrameError> {
    let Some(length) = read_header(reader)? else {
        return Ok(None);
    };
    if length > MAX_BODY {
        let skipped = io::copy(&mut reader.take(length as u64), &mut io::sink())?;
        if skipped < length as u64 {
            return Ok(None);
        }
        let why = format!(
            "the message is larger than {} MiB; it was not read",
            MAX_BODY >> 20
        );
        return Ok(Some(MessageFrame::Unusable(why)));
    }
    let mut body = Vec::new();
    reader.take(length as u64).read_to_end(&mut body)?;
    if body.len() < length {
        return Ok(None);
    }
    // The library refuses what is nested more than 128 levels deep.
    Ok(Some(match serde_json::from_slice(&body) {
        Ok(message) => MessageFrame::Message(message),
        Err(error) => MessageFrame::Unusable(format!("it is no message: {error}")),
    }))
}

fn read_header(reader: &mut impl BufRead) -> Result<Option<usize>, FrameError> {
    let mut length = None;
    for number in 0..MAX_LINES {
        let mut line = Vec::new();
        reader.take(MAX_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() && number == 0 {
            return Ok(None);
        }
        let Some(text) = line.strip_suffix(b"\n") else {
            return Err(FrameError::Header("a line of its header has no end"));
        };
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.is_empty() {
            return match length {
                Some(length) => Ok(Some(length)),
                None => Err(FrameError::Header("its header names no length")),
            };
        }
        let text = std::str::from_utf8(text).map_err(|_| FrameError::Header("it is no text"))?;
        let Some((name, value)) = text.split_once(':') else {
            return Err(FrameError::Header("a line of its header has no colon"));
        };
        if name.eq_ignore_ascii_case("content-length") {
            let value = value.trim().parse();
            length = Some(value.map_err(|_| FrameError::Header("its length is no number"))?);
        }
    }
    Err(FrameError::Header("its header is too long"))
}

/// Writes a message and sends it off.
///
/// # Errors
/// `FrameError::Stream` when nobody reads any more.
pub(crate) fn write_message(writer: &mut impl Write, message: &Message) -> Result<(), FrameError> {
    write_value(
        writer,
        serde_json::to_value(message).map_err(io::Error::from)?,
    )
}

/// Writes a refusal of something that had no number.
///
/// # Errors
/// As [`write_message`].
pub(crate) fn write_refusal(
    writer: &mut impl Write,
    code: ErrorCode,
    why: &str,
) -> Result<(), FrameError> {
    let error = json!({"code": code as i32, "message": why});
    write_value(writer, json!({"id": null, "error": error}))
}

fn write_value(writer: &mut impl Write, mut body: Value) -> Result<(), FrameError> {
    if let Some(fields) = body.as_object_mut() {
        fields.insert("jsonrpc".into(), "2.0".into());
    }
    let body = body.to_string();
    write!(writer, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    writer.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    #[test]
    fn messages_are_read_one_behind_the_other_until_the_stream_ends() {
        let exit = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let all = format!("{}{}", frame(exit), frame("[1"));
        let mut reader = all.as_bytes();
        let first = read_frame(&mut reader).unwrap();
        assert!(
            matches!(first, Some(MessageFrame::Message(Message::Notification(one))) if one.method == "exit")
        );
        assert!(matches!(
            read_frame(&mut reader),
            Ok(Some(MessageFrame::Unusable(_)))
        ));
        assert!(matches!(read_frame(&mut reader), Ok(None)));
    }

    #[test]
    fn a_message_that_is_too_large_or_too_deep_is_passed_over() {
        let large = format!("Content-Length: {}\r\n\r\n", MAX_BODY + 1);
        let body = io::repeat(b' ').take(MAX_BODY as u64 + 1);
        let mut reader = io::BufReader::new(large.as_bytes().chain(body));
        assert!(matches!(
            read_frame(&mut reader),
            Ok(Some(MessageFrame::Unusable(_)))
        ));
        let deep = frame(&format!(
            r#"{{"method":"a","params":{}1{}}}"#,
            "[".repeat(200),
            "]".repeat(200)
        ));
        assert!(matches!(
            read_frame(&mut deep.as_bytes()),
            Ok(Some(MessageFrame::Unusable(_)))
        ));
    }

    #[test]
    fn nothing_is_allocated_for_a_length_that_nobody_sends() {
        let mut reader = "Content-Length: 18446744073709551615\r\n\r\nx".as_bytes();
        assert!(matches!(read_frame(&mut reader), Ok(None)));
        for header in [
            "Content-Length: x\r\n\r\n",
            "Content-Type: a\r\n\r\n",
            "no colon\r\n\r\n",
            "a: b",
        ] {
            assert!(
                matches!(
                    read_frame(&mut header.as_bytes()),
                    Err(FrameError::Header(_))
                ),
                "{header}"
            );
        }
    }
}
