//! Reads what a job client reports of an agent that works on another machine. Its log comes in lines
//! that are no events.

use serde_json::Value;

use super::cause::FailureCause;
use super::summary::{EventFailure, EventSummary, TokenCount, count, money, shortened, word};

/// The state of a job whose worker refused it.
const REFUSED: &str = "refused";

/// Reads an event; returns false if it is none.
pub(super) fn read(kind: &str, event: &Value, summary: &mut EventSummary) -> bool {
    match kind {
        "waiting" => {}
        "started" => summary.confinement = word(&event["confinement"]),
        "placed" => summary.worker = word(&event["worker"]),
        "ended" => {
            summary.has_final = true;
            take_result(&event["result"], summary);
        }
        "lost" => end_by(FailureCause::WorkerLost, &event["why"], summary),
        "kept" => end_by(FailureCause::WorkKept, &event["why"], summary),
        "rejected" => end_by(FailureCause::WorkRejected, &event["why"], summary),
        "refused" => end_by(FailureCause::NotPlaced, &event["why"], summary),
        _ => return false,
    }
    true
}

/// Takes over what a worker says of an agent that ended.
fn take_result(result: &Value, summary: &mut EventSummary) {
    let agent = &result["agent"];
    summary.session = word(&agent["session"]);
    summary.model = word(&agent["reported_model"]);
    summary.pushed = word(&result["pushed"]).filter(|text| is_commit(text));
    let code = result["exit_code"].as_i64();
    summary.exit_code = code.and_then(|code| i32::try_from(code).ok());
    let usage = &result["usage"];
    summary.usage.turns = usage["turns"].as_u64();
    let parts = ["input_tokens", "cached_tokens", "output_tokens"];
    if parts.iter().any(|part| usage[*part].is_u64()) {
        let [input, cached, output] = parts.map(|part| count(&usage[part]));
        summary.add_tokens(TokenCount {
            input,
            cached,
            output,
        });
    }
    summary.add_cost(money(&usage["cost_usd"]));
    for denial in result["denials"].as_array().into_iter().flatten() {
        let text = |key: &str| denial[key].as_str().unwrap_or_default();
        summary.deny(text("tool"), text("message"));
    }
    let named = result["cause"].as_str().and_then(FailureCause::named);
    let is_refused = result["state"] == REFUSED;
    let cause = named.or(is_refused.then_some(FailureCause::NotPlaced));
    if let Some(cause) = cause {
        end_by(cause, &result["reason"], summary);
    }
}

/// Returns true for the full id of a commit.
fn is_commit(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    matches!(text.len(), 40 | 64) && text.bytes().all(is_digit)
}

/// Notes the end of an agent by a cause.
fn end_by(cause: FailureCause, why: &Value, summary: &mut EventSummary) {
    summary.has_final = true;
    summary.trouble = Some(EventFailure {
        cause: Some(cause),
        words: shortened(why.as_str().unwrap_or_default()),
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{EventFormat, EventReader};

    fn summary(lines: &[&str]) -> EventSummary {
        let mut reader = EventReader::new(EventFormat::Placed);
        for line in lines {
            reader.take(format!("{line}\n").as_bytes());
        }
        reader.summary().clone()
    }

    #[test]
    fn a_result_says_what_the_agent_used_and_why_it_failed() {
        let summary = summary(&[
            r#"{"type":"placed","worker":"build-7"}"#,
            r#"{"type":"ended","result":{"state":"failed","exit_code":3,"cause":"rate_limit","reason":"429",
                "usage":{"turns":2,"input_tokens":5,"output_tokens":7,"cost_usd":0.5},
                "denials":[{"tool":"Bash","message":"no"}],"agent":{"session":"s","reported_model":"m"}}}"#
                .replace('\n', "")
                .as_str(),
        ]);
        assert_eq!(summary.worker.as_deref(), Some("build-7"));
        assert_eq!(summary.exit_code, Some(3));
        assert_eq!(summary.usage.turns, Some(2));
        assert_eq!(summary.usage.tokens.map(TokenCount::total), Some(12));
        assert!(summary.usage.cost.is_some() && summary.has_final);
        assert_eq!(summary.denials.len(), 1);
        assert_eq!(summary.session.as_deref(), Some("s"));
        assert_eq!(
            summary.trouble.unwrap().cause,
            Some(FailureCause::RateLimit)
        );
    }

    #[test]
    fn a_pushed_commit_is_the_id_of_one() {
        let pushed = |text: &str| {
            let line = json!({"type": "ended", "result": {"exit_code": 0, "pushed": text}});
            summary(&[&line.to_string()]).pushed
        };
        let commit = "a1".repeat(20);
        assert_eq!(pushed(&commit), Some(commit.clone()));
        for none in [
            "",
            "HEAD",
            "--upload-pack=touch x",
            &commit[1..],
            &commit.to_uppercase(),
            &"a1".repeat(9000),
        ] {
            assert_eq!(pushed(none), None, "{none}");
        }
    }

    #[test]
    fn a_lost_worker_is_a_cause_of_its_own_and_a_line_of_the_log_is_no_event() {
        let lost = summary(&[r#"{"type":"lost","why":"silent for 60 s"}"#]);
        let trouble = lost.trouble.unwrap();
        assert_eq!(trouble.cause, Some(FailureCause::WorkerLost));
        assert_eq!(trouble.words, "silent for 60 s");
        assert_eq!(lost.exit_code, None);
        let forged = summary(&[r#"log {"type":"ended","result":{"exit_code":0}}"#]);
        assert_eq!(forged, EventSummary::default());
    }
}
