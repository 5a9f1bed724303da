//! Laws that hold for any text.

use chant_kiro::KiroSpecs;
use chant_plan_format::checked_edit::{CheckedEditError, apply_checked};
use chant_plan_format::document::RootSettings;
use chant_plan_format::intent::{EditIntent, EditRequest, ItemDraft, TickTarget};
use chant_plan_format::refusal::EditRefusal;
use chant_plan_format::unit::{PlanUnit, read_all};
use proptest::prelude::*;

use super::damaged::damaged;
use super::support::{NOW, TASKS, documents, tick};

fn lists() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "- [ ] 1. Store",
        "- [x] 1.1 Make",
        "  - [-] 1.2 (P) Write",
        "- [ ]* 2.1 Test",
        "- [~] Checkpoint",
        "- [X] 2. Page",
        "- [ ] **3.** Bold",
        "    - more",
        "    - _Requirements: 1.1_",
        "    - _Depends: 1.1_",
        "## Notes",
        "## Tasks",
        "",
        "```",
        "text",
        "> - [ ] no",
        "- [ ]*",
        "\t- [ ] 1.3 Tab",
        "- [ ] 1.1.1 Deep",
        "* [ ] x",
    ]);
    let end = prop::sample::select(vec!["\n", "\r\n"]);
    let lines = prop::collection::vec((line, end), 0..16);
    let text = (lines, any::<bool>(), any::<bool>()).prop_map(|(lines, mark, final_end)| {
        let text: String = lines.iter().flat_map(|(line, end)| [*line, *end]).collect();
        let text = if final_end {
            text
        } else {
            text.trim_end_matches(['\r', '\n']).to_owned()
        };
        if mark {
            format!("\u{feff}{text}")
        } else {
            text
        }
    });
    prop_oneof![6 => text.clone(), 3 => damaged(text), 1 => any::<String>()]
}

const SPEC_FILE: (&str, &str) = (".kiro/specs/auth/spec.json", "{}");

const DESIGN: (&str, &str) = (
    ".kiro/specs/auth/design.md",
    "# D\n\n## Goals\nold\n\n### Sub\n\n## More\n",
);

fn unit_of(text: &str) -> PlanUnit {
    let (_, units) = read_all(&KiroSpecs, documents(&[(TASKS, text), DESIGN, SPEC_FILE]));
    (*units[0]).clone()
}

fn edit(unit: &PlanUnit, item: &str, intent: &EditIntent) -> Result<String, CheckedEditError> {
    let request = EditRequest {
        item: Some(item),
        intent,
        settings: &RootSettings::default(),
        taken: &[],
        now: NOW,
    };
    let edit = apply_checked(&KiroSpecs, Some(unit), &request)?;
    let list = unit.source.index_of("tasks.md");
    let changed = edit.texts.iter().find(|(at, _)| Some(*at) == list);
    let before = list.map_or("", |list| &*unit.source.documents[list].text);
    Ok(changed.map_or_else(|| before.to_owned(), |(_, text)| text.clone()))
}

fn intents() -> impl Strategy<Value = EditIntent> {
    let text = prop_oneof![
        prop::sample::select(vec![
            "New words", "", "1.1 x", "a\nb", "- [ ] x", "## x", "```", "**b**", "[DEV] y", "ü"
        ])
        .prop_map(str::to_owned),
        "[ -~]{0,9}",
    ];
    let parent = prop::option::of(
        prop::sample::select(vec!["1", "2", "1.1", "1.2", "~checkpoint", ""])
            .prop_map(str::to_owned),
    );
    prop_oneof![
        any::<bool>().prop_map(tick),
        any::<bool>().prop_map(|on| EditIntent::Tick {
            which: TickTarget::WithParents,
            on
        }),
        prop::sample::select(vec![
            "not_started", "queued", "in_progress", "completed", "done"
        ])
        .prop_map(|word| EditIntent::Status { word: word.into() }),
        Just(EditIntent::Reset),
        text.clone().prop_map(|text| EditIntent::Title { text }),
        (text.clone(), any::<bool>()).prop_map(|(text, append)| EditIntent::Section {
            name: "Goals".into(),
            text,
            append
        }),
        (parent, text.clone(), text).prop_map(|(parent, title, text)| EditIntent::Add {
            parent,
            draft: ItemDraft {
                title,
                text,
                ..ItemDraft::default()
            }
        }),
    ]
}

proptest! {
    #[test]
    fn spans_nest_and_boxes_are_boxes(text in lists()) {
        let unit = unit_of(&text);
        let mut marks: Vec<usize> = Vec::new();
        for item in &unit.items[1..] {
            let spans = &item.spans;
            let (mark, title) = (spans.mark.clone().unwrap(), spans.title.clone().unwrap());
            prop_assert!(spans.whole.start < mark.start && mark.end < title.start && title.end <= spans.whole.end);
            prop_assert_eq!((&text[mark.start - 1..mark.start], &text[mark.end..=mark.end]), ("[", "]"));
            prop_assert_eq!(&text[title], &*item.title);
            if let Some(details) = &spans.details {
                prop_assert!(spans.whole.start < details.start && details.end == spans.whole.end);
            }
            marks.push(spans.whole.start);
            marks.push(spans.whole.end);
        }
        prop_assert!(marks.is_sorted(), "no two items overlap");
    }

    #[test]
    fn a_tick_changes_one_byte_and_is_taken_back(text in lists(), pick in any::<prop::sample::Index>()) {
        let unit = unit_of(&text);
        if unit.items.len() < 2 {
            return Ok(());
        }
        let item = &unit.items[1 + pick.index(unit.items.len() - 1)];
        if unit.indexes_of(&item.name).len() > 1 {
            return Ok(());
        }
        let ticked = match edit(&unit, &item.name, &tick(!item.is_ticked)) {
            // Its line is a heading, too.
            Err(CheckedEditError::Refused(EditRefusal::UnsoundDocument { .. })) => return Ok(()),
            ticked => ticked.unwrap(),
        };
        let mark = &text[item.spans.mark.clone().unwrap()];
        let differing = text.bytes().zip(ticked.bytes()).filter(|(old, new)| old != new).count();
        let expected = usize::from(!item.is_begun || !item.is_ticked);
        prop_assert_eq!((differing, text.len()), (expected, ticked.len()));
        let back = edit(&unit_of(&ticked), &item.name, &tick(item.is_ticked)).unwrap();
        if [" ", "x"].contains(&mark) {
            prop_assert_eq!(back, text);
        }
    }

    #[test]
    fn edits_that_say_what_is_there_change_nothing(text in lists()) {
        let unit = unit_of(&text);
        for item in &unit.items[1..] {
            if unit.indexes_of(&item.name).len() > 1 {
                continue;
            }
            prop_assert_eq!(&edit(&unit, &item.name, &tick(item.is_ticked)).unwrap(), &text);
            {
                let status = EditIntent::Status { word: item.mark.to_string() };
                prop_assert_eq!(&edit(&unit, &item.name, &status).unwrap(), &text);
            }
            let title = EditIntent::Title { text: item.title.to_string() };
            if let Ok(after) = edit(&unit, &item.name, &title) {
                prop_assert_eq!(&after, &text);
            }
        }
    }

    /// The law holds for each edit, or it is refused with a reason: the format is never at fault.
    #[test]
    fn no_edit_is_a_fault(text in lists(), intent in intents(), pick in any::<prop::sample::Index>()) {
        let unit = unit_of(&text);
        let item = pick.get(&unit.items).name.clone();
        match edit(&unit, &item, &intent) {
            Ok(_) | Err(CheckedEditError::Refused(_)) => {}
            Err(fault) => prop_assert!(false, "{fault} {intent:?} of {item}"),
        }
    }
}
