//! Splits an agent's standard output into lines, and reads them by the agent's format.

use serde_json::Value;

use super::claude::ClaudeEvents;
use super::summary::{EventSummary, ReaderEnd, shortened};
use super::{EventFormat, common, others, placed};

/// The bytes of the longest line that is read; a longer one holds a file, and nothing for the
/// summary.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// Sums up an agent's events, however its lines are cut into pieces.
#[derive(Debug)]
pub struct EventReader {
    format: EventFormat,
    line: Vec<u8>,
    /// True if the rest of the line is skipped.
    is_skipping: bool,
    claude: ClaudeEvents,
    summary: EventSummary,
}

impl EventReader {
    /// Creates a reader that has read nothing.
    pub fn new(format: EventFormat) -> Self {
        Self {
            format,
            line: Vec::new(),
            is_skipping: false,
            claude: ClaudeEvents::default(),
            summary: EventSummary::default(),
        }
    }

    /// Returns the format that is read.
    pub fn format(&self) -> EventFormat {
        self.format
    }

    /// Returns the summary of the events until now.
    pub fn summary(&self) -> &EventSummary {
        &self.summary
    }

    /// Notes that the program that reads the events gave up.
    pub fn note_failure(&mut self, words: &str) {
        self.summary.reader_end = Some(ReaderEnd::Failed(shortened(words)));
    }

    /// Reads some output; returns true if it contained a complete event.
    pub fn take(&mut self, bytes: &[u8]) -> bool {
        if self.format == EventFormat::Plain {
            return false;
        }
        let mut is_news = false;
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let is_whole = part.last() == Some(&b'\n');
            if !self.is_skipping {
                self.line.extend_from_slice(part);
                if self.line.len() > LONGEST_LINE {
                    self.line = Vec::new();
                    self.is_skipping = true;
                    self.summary.is_partial = true;
                }
            }
            if is_whole {
                is_news |= self.read_line();
                self.is_skipping = false;
            }
        }
        is_news
    }

    /// Reads the end of the output, which may have no line end; returns true if it was an event.
    pub fn end(&mut self) -> bool {
        let is_news = self.read_line();
        self.is_skipping = false;
        is_news
    }

    fn read_line(&mut self) -> bool {
        let line = std::mem::take(&mut self.line);
        // A line that is no object is the agent's text, and no event.
        if line.first() != Some(&b'{') {
            return false;
        }
        let Ok(event) = serde_json::from_slice::<Value>(&line) else {
            return false;
        };
        let Some(kind) = event["type"].as_str() else {
            return false;
        };
        let summary = &mut self.summary;
        let waited = summary.waits.take();
        let is_known = match self.format {
            EventFormat::Claude | EventFormat::Qwen | EventFormat::Amp => {
                self.claude.read(kind, &event, summary)
            }
            EventFormat::Codex => others::codex(kind, &event, summary),
            EventFormat::Copilot => others::copilot(kind, &event, summary),
            EventFormat::Cursor => others::cursor(kind, &event, summary),
            EventFormat::OpenCode => others::opencode(kind, &event, summary),
            EventFormat::Gemini => others::gemini(kind, &event, summary),
            EventFormat::Cline => others::cline(kind, &event, summary),
            EventFormat::Goose => others::goose(kind, &event, summary),
            EventFormat::Pi => others::pi(kind, &event, summary),
            EventFormat::Common => common::read(kind, &event, summary),
            EventFormat::Placed => placed::read(kind, &event, summary),
            EventFormat::Plain => false,
        };
        if !is_known {
            summary.waits = waited;
        }
        if !self.format.reports_money() {
            summary.usage.cost = None;
        }
        summary.has_events |= is_known;
        is_known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINAL: &str = "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":3,\"total_cost_usd\":0.25,\"usage\":{\"input_tokens\":7,\"output_tokens\":2}}\n";

    #[test]
    fn lines_may_come_in_any_pieces() {
        let text = format!(
            "{{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s1\"}}\nno JSON\n{FINAL}"
        );
        let mut whole = EventReader::new(EventFormat::Claude);
        whole.take(text.as_bytes());
        for size in [1, 2, 7, 50] {
            let mut pieces = EventReader::new(EventFormat::Claude);
            for piece in text.as_bytes().chunks(size) {
                pieces.take(piece);
            }
            assert_eq!(pieces.summary(), whole.summary());
        }
        let summary = whole.summary();
        assert_eq!(summary.session.as_deref(), Some("s1"));
        assert_eq!(summary.usage.turns, Some(3));
        assert!(summary.has_final && !summary.is_partial);
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out_and_costs_no_memory() {
        let mut reader = EventReader::new(EventFormat::Claude);
        reader.take(b"{\"type\":\"user\",\"text\":\"");
        let piece = vec![b'x'; 64 * 1024];
        for _ in 0..320 {
            reader.take(&piece);
            assert!(reader.line.capacity() <= 2 * LONGEST_LINE);
        }
        reader.take(b"\"}\n");
        assert!(reader.take(FINAL.as_bytes()), "the next line is read");
        assert!(reader.summary().has_final && reader.summary().is_partial);
    }

    #[test]
    fn hostile_lines_are_no_events() {
        let deep = "{\"type\":".repeat(100_000);
        let lines = [
            "",
            "{",
            "[]",
            "{}",
            "{\"type\":1}",
            "{\"type\":\"result\"",
            "\u{0}\u{0}",
            "{\"type\":\"result\",\"usage\":[],\"num_turns\":-4,\"total_cost_usd\":-1,\"permission_denials\":{}}",
            "{\"type\":\"assistant\",\"message\":7}",
            &deep,
        ];
        for format in EventFormat::ALL {
            let mut reader = EventReader::new(format);
            for line in lines {
                reader.take(line.as_bytes());
                reader.take(b"\n");
            }
            reader.take(b"{\"type\":\"result\"");
            reader.end();
            assert_eq!(reader.summary().usage.cost, None, "{format:?}");
        }
    }
}
