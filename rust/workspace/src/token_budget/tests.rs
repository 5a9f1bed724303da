//! Tests: answers of every shape, held to their tokens.

use super::*;
use chant_base::answer::PageRequest;

fn bytes(answer: &Answer) -> (usize, usize) {
    let note = answer.note.as_ref().map_or(0, String::len);
    let data = answer.json.as_ref().map_or(0, String::len);
    (answer.text.len() + note, data)
}

fn data(answer: &Answer) -> Value {
    serde_json::from_str(answer.json.as_deref().unwrap()).unwrap()
}

/// Answers of all shapes, each too long for the smallest budgets.
fn answers() -> Vec<(&'static str, Answer)> {
    let rows: Vec<Value> = (0..50)
        .map(|at| json!({"id": format!("2026-01-22-{at:03}-abc"), "title": "é\"title ".repeat(9)}))
        .collect();
    let sections: String = ["Acceptance Criteria", "Design", "Notes", "Output"]
        .iter()
        .map(|title| format!("## {title}\n\n{}\n\n", "word \"quoted\"\n".repeat(30)))
        .collect();
    let body = format!("# Title\n\nWhat it is.\n\n{sections}");
    let spec = json!({
        "id": "2026-01-22-001-abc", "title": "T".repeat(300), "status": "pending",
        "criteria": vec!["criterion"; 40], "body": body,
    });
    let list = json!({"specs": rows, "total": 80, "limit": 50, "returned": 50, "next_offset": 50});
    let huge = json!({"crs": [{"code": "MDT-001", "title": "x".repeat(9_000)}], "total": 1});
    let page = PageRequest {
        limit: 50,
        offset: 0,
    };
    vec![
        ("list", Answer::data(&list)),
        ("bare list", Answer::list(&rows, page).noted("Warning: w")),
        ("huge row", Answer::data(&huge)),
        ("spec", Answer::data(&spec)),
        ("prose", Answer::prose(body.clone()).noted("Warning: w")),
        ("line", Answer::prose("x".repeat(50_000))),
        (
            "object",
            Answer::data(&json!({"id": "a", "decisions": vec!["d".repeat(90); 90]})),
        ),
    ]
}

#[test]
fn answers_of_every_shape_are_held_to_their_tokens() {
    for (name, answer) in answers() {
        for tokens in [100, 250, 700, 2_000] {
            let shorter = within(answer.clone(), tokens, 0);
            let (text, data) = bytes(&shorter);
            assert!(
                text <= tokens * 4 && data <= tokens * 4,
                "{name} {tokens}: {text} {data}"
            );
            assert!(text > 0, "{name} {tokens}");
        }
        assert_eq!(within(answer.clone(), 100_000, 0), answer, "{name}");
    }
}

#[test]
fn lists_lose_rows_from_their_end_and_say_how_many() {
    let (_, list) = answers().swap_remove(0);
    let shorter = data(&within(list, 500, 0));
    let shown = shorter["specs"].as_array().unwrap().len();
    assert!(shown > 5, "{shown}");
    assert_eq!(shorter["specs"][0]["id"], "2026-01-22-000-abc");
    assert_eq!(shorter["returned"], shown);
    assert_eq!(shorter["next_offset"], shown);
    assert_eq!(shorter["dropped_rows"], 50 - shown);
    let (_, bare) = answers().swap_remove(1);
    let shorter = within(bare, 500, 100);
    let rows: Vec<Value> = serde_json::from_str(&shorter.text).unwrap();
    let next = 100 + rows.len();
    let note = shorter.note.unwrap();
    assert!(
        note.contains(&format!("offset={next} gives the next ones")),
        "{note}"
    );
    assert!(note.ends_with("Warning: w"), "{note}");
}

#[test]
fn documents_lose_their_least_needed_sections_and_say_where_they_are() {
    let (_, prose) = answers().swap_remove(4);
    let whole = prose.text.clone();
    let shorter = within(prose, 225, 0);
    assert!(shorter.text.starts_with("# Title"), "{}", shorter.text);
    assert!(
        shorter.text.contains("## Acceptance Criteria"),
        "{}",
        shorter.text
    );
    let note = shorter.note.unwrap();
    for title in ["Design", "Notes", "Output"] {
        assert!(!shorter.text.contains(title));
        let at = whole.find(&format!("## {title}")).unwrap();
        let named = format!(
            "{title:?} (offset={}, max_chars=",
            whole[..at].chars().count()
        );
        assert!(note.contains(&named), "{note}");
    }
    let (_, spec) = answers().swap_remove(3);
    let shorter = data(&within(spec, 700, 0));
    let dropped = shorter["dropped_sections"].as_array().unwrap();
    assert!(
        dropped.iter().any(|part| part["section"] == "Output"),
        "{dropped:?}"
    );
    assert_eq!(shorter["id"], "2026-01-22-001-abc");
}

#[test]
fn logs_lose_the_lines_that_the_core_would_leave_out() {
    let ask = |lines: usize| {
        let lines: Vec<String> = (0..100)
            .rev()
            .take(lines)
            .rev()
            .map(|at| format!("line {at}"))
            .collect();
        Ok(Answer::data(
            &json!({"content": lines.join("\n"), "line_count": lines.len()}),
        ))
    };
    let shorter = within_lines(100, 1_000, ask).unwrap();
    let (text, _) = bytes(&shorter);
    let shown = data(&shorter);
    assert!(text <= 400, "{text}");
    assert!(shown["content"].as_str().unwrap().ends_with("line 99"));
    let count = shown["line_count"].as_u64().unwrap();
    assert_eq!(shown["dropped_lines"], 100 - count);
    let long = |_| {
        Ok(Answer::data(
            &json!({"content": "x".repeat(9_000), "line_count": 1}),
        ))
    };
    let (text, _) = bytes(&within_lines(100, 10, long).unwrap());
    assert!(text <= 400, "{text}");
}
