//! Reads the common format: what a program reports of an agent whose own format is not known here.
//! Each line is an object; what is not reported is left out.

use serde_json::Value;

use super::summary::{EventSummary, ReaderEnd, TokenCount, count, money, word};

/// Reads an event; returns false if it is none.
pub(super) fn read(kind: &str, event: &Value, summary: &mut EventSummary) -> bool {
    match kind {
        "report" => take_report(event, summary),
        "failure" => {
            let why = word(&event["failure"]).unwrap_or_default();
            summary.reader_end = Some(ReaderEnd::Failed(why));
        }
        "end" => summary.reader_end = Some(ReaderEnd::Done),
        _ => return false,
    }
    true
}

fn take_report(event: &Value, summary: &mut EventSummary) {
    summary.session = word(&event["session"]).or(summary.session.take());
    summary.model = word(&event["model"]).or(summary.model.take());
    summary.add_turns(event["turns"].as_u64());
    let parts = ["input_tokens", "cached_tokens", "output_tokens"];
    if parts.iter().any(|part| event[*part].is_u64()) {
        let [input, cached, output] = parts.map(|part| count(&event[part]));
        summary.add_tokens(TokenCount {
            input,
            cached,
            output,
        });
    }
    summary.add_cost(money(&event["cost_usd"]));
    if let Some(tool) = event["denied_tool"].as_str() {
        let message = event["denied_message"].as_str();
        summary.deny(tool, message.unwrap_or_default());
    }
    summary.has_final |= event["has_ended"] == true;
    match event["failure"].as_str() {
        Some(words) => summary.note_trouble(event["status"].as_u64(), words),
        // Work that goes on, or ends well, has overcome what failed before.
        None if summary.hopeless.is_none() => summary.trouble = None,
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EventFormat, EventReader, FailureCause};

    fn summary(lines: &[&str]) -> EventSummary {
        let mut reader = EventReader::new(EventFormat::Common);
        for line in lines {
            reader.take(format!("{line}\n").as_bytes());
        }
        reader.summary().clone()
    }

    #[test]
    fn reports_add_up() {
        let found = summary(&[
            r#"{"type":"report","session":"s1","model":"m","turns":1,"input_tokens":5}"#,
            r#"{"type":"report","turns":1,"output_tokens":7,"cost_usd":0.5,"denied_tool":"Bash"}"#,
            r#"{"type":"report","cost_usd":0.25,"has_ended":true}"#,
            r#"{"type":"end"}"#,
        ]);
        assert_eq!(found.session.as_deref(), Some("s1"));
        assert_eq!(found.usage.turns, Some(2));
        assert_eq!(found.usage.tokens.map(TokenCount::total), Some(12));
        assert_eq!(found.usage.cost, money(&Value::from(0.75)));
        assert_eq!(found.denials.len(), 1);
        assert!(
            found.has_final && found.reader_end == Some(ReaderEnd::Done) && found.trouble.is_none()
        );
    }

    #[test]
    fn failures_have_the_causes_of_other_formats_and_are_overcome_by_work() {
        let failed = r#"{"type":"report","failure":"slow down","status":429}"#;
        let cause = |lines: &[&str]| summary(lines).trouble.and_then(|trouble| trouble.cause);
        assert_eq!(cause(&[failed]), Some(FailureCause::RateLimit));
        assert_eq!(cause(&[failed, r#"{"type":"report","turns":1}"#]), None);
        let broken = summary(&[r#"{"type":"failure","failure":"raised ValueError"}"#]);
        assert_eq!(broken.reader_failure(), Some("raised ValueError"));
        assert!(!broken.has_final);
    }
}
