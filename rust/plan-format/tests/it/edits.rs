//! The law of edits.

use chant_plan_format::checked_edit::{CheckedEdit, CheckedEditError, apply_checked};
use chant_plan_format::document::RootSettings;
use chant_plan_format::intent::{EditIntent, EditRequest, ItemDraft, TickTarget};
use proptest::prelude::*;

use super::todo_lines::{TodoLines, unit};

const LIST: &str =
    "(A) 2026-01-01 Write it +project @home id:write\nx Paint it id:paint\r\nünder l3";

fn ask(
    format: TodoLines,
    text: &str,
    item: Option<&str>,
    intent: &EditIntent,
) -> Result<CheckedEdit, CheckedEditError> {
    let request = EditRequest {
        item,
        intent,
        settings: &RootSettings::default(),
        taken: &[],
        now: "2026-01-31T14:05:09Z",
    };
    apply_checked(&format, Some(&unit(text)), &request)
}

fn tick(on: bool) -> EditIntent {
    EditIntent::Tick {
        which: TickTarget::Own,
        on,
    }
}

fn text_after(edit: &CheckedEdit) -> &str {
    &edit.texts[0].1
}

#[test]
fn an_edit_changes_its_bytes_alone() {
    let edit = ask(TodoLines::Honest, LIST, Some("write"), &tick(true)).unwrap();
    assert_eq!(text_after(&edit), format!("x {LIST}"));
    assert_eq!(edit.changed, [("todo.txt".into(), 1)]);
    let edit = ask(TodoLines::Honest, LIST, Some("paint"), &tick(false)).unwrap();
    assert_eq!(text_after(&edit), LIST.replace("x Paint", "Paint"));
    let edit = ask(TodoLines::Honest, LIST, Some("paint"), &tick(true)).unwrap();
    assert_eq!((edit.texts.len(), edit.unit), (0, None));
    let title = EditIntent::Title {
        text: "over it".into(),
    };
    let edit = ask(TodoLines::Honest, LIST, Some("l3"), &title).unwrap();
    assert_eq!(text_after(&edit), LIST.replace("ünder l3", "over it"));
    let draft = ItemDraft {
        title: "Sell it".into(),
        ..ItemDraft::default()
    };
    let add = EditIntent::Add {
        parent: None,
        draft,
    };
    let edit = ask(TodoLines::Honest, "a\n", None, &add).unwrap();
    assert_eq!(
        (text_after(&edit), edit.added.as_deref()),
        ("a\nSell it\n", Some("l2"))
    );
}

#[test]
fn a_format_that_breaks_the_law_changes_nothing() {
    let add = EditIntent::Add {
        parent: None,
        draft: ItemDraft {
            title: "b".into(),
            ..ItemDraft::default()
        },
    };
    let title = EditIntent::Title { text: "o".into() };
    let list = "a\nb\nx ü\n";
    for (format, item, intent, fault) in [
        (
            TodoLines::TicksTheNextLine,
            Some("l1"),
            tick(true),
            "lie outside",
        ),
        (
            TodoLines::TicksBoth,
            Some("l1"),
            tick(true),
            "would become 4",
        ),
        (
            TodoLines::TicksTheWrongWay,
            Some("l3"),
            tick(false),
            "would not have",
        ),
        (
            TodoLines::EditsBehindTheEnd,
            Some("l1"),
            tick(true),
            "lie outside",
        ),
        (
            TodoLines::EditsBehindTheEnd,
            None,
            add.clone(),
            "lie outside",
        ),
        (TodoLines::SplitsALetter, Some("l3"), title, "does not fit"),
        (TodoLines::AddsTwo, None, add, "would become 5"),
    ] {
        let refused = ask(format, list, item, &intent).unwrap_err();
        let CheckedEditError::Fault { fault: found, .. } = refused else {
            panic!("{refused}")
        };
        assert!(found.contains(fault), "{found}");
    }
}

#[test]
fn refusals_say_what_there_is() {
    let refused = |text: &str, item: &str, intent: &EditIntent| {
        ask(TodoLines::Honest, text, Some(item), intent)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused("a\n", "b", &tick(true)),
        "no item is named 'b' in todo.txt. Read the plan again for the names there are"
    );
    let twice = refused("a id:n\nb id:n\n", "n", &tick(true));
    assert!(
        twice.starts_with("'n' stands on lines 1, 2 of todo.txt"),
        "{twice}"
    );
    assert_eq!(
        refused("a\n", "l1", &EditIntent::Reset),
        "task cannot be changed like that: reset is no edit of this format. It takes: tick, title, add"
    );
    let clash = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n";
    assert!(refused(clash, "l1", &tick(true)).contains("no item"));
    assert_eq!(unit(clash).problems[0].line(), 1);
}

proptest! {
    #[test]
    fn a_tick_is_taken_back_by_its_inverse(lines in prop::collection::vec("(x )?[a-zü+@:]{1,9}", 1..8), end in "\r?\n|", pick in any::<prop::sample::Index>()) {
        let text = lines.join("\r\n") + &end;
        let before = unit(&text);
        let item = pick.get(&before.items);
        let names = before.indexes_of(&item.name);
        prop_assume!(names.len() == 1);
        let there = ask(TodoLines::Honest, &text, Some(&item.name), &tick(!item.is_ticked)).unwrap();
        let back = ask(TodoLines::Honest, text_after(&there), Some(&item.name), &tick(item.is_ticked)).unwrap();
        prop_assert_eq!(text_after(&back), text);
    }
}
