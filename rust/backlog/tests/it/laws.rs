//! Laws that hold for any text.

use chant_backlog::BacklogTasks;
use chant_plan_format::checked_edit::{CheckedEditError, apply_checked};
use chant_plan_format::document::{PlanDocument, RootSettings};
use chant_plan_format::intent::{AttributeSetting, EditIntent, EditRequest, TickTarget};
use chant_plan_format::unit::{PlanUnit, read_all};
use proptest::prelude::*;

use super::damaged::damaged;
use super::support::{CONFIG, NOW, TASK, tick};

fn tasks() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "title: 'It''s: a'",
        "status: To Do",
        "status: \"done\" # x",
        "assignee: [@a]",
        "assignee: []",
        "labels: [a, b]",
        "labels:\n  - a\n  # note\n  - b",
        "created_date: '2026-01-01 10:00'",
        "updated_date: 2026-01-02",
        "updated_date:",
        "dependencies: []",
        "priority: high",
        "mine: {a: [1, {b: c}]} # keep",
        "# comment",
        "text: |\n  block\n  more",
        "ordinal: 1000",
        "title: >-\n  long\n  title",
        "broken: [",
        "anchor: &a x",
    ]);
    let line = prop::sample::select(vec![
        "## Description",
        "<!-- SECTION:DESCRIPTION:BEGIN -->",
        "words",
        "<!-- SECTION:DESCRIPTION:END -->",
        "## Acceptance Criteria",
        "<!-- AC:BEGIN -->",
        "- [ ] #1 One",
        "- [x] #2 Two",
        "- [ ] plain",
        "<!-- AC:END -->",
        "## Notes",
        "## Mine",
        "### Sub",
        "",
        "```",
        "## Final Summary",
    ]);
    let end = prop::sample::select(vec!["\n", "\r\n"]);
    let text = (
        prop::collection::vec(key, 0..9),
        prop::collection::vec(line, 0..16),
        end,
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(keys, lines, end, mark, final_end)| {
            let keys: String = keys.iter().map(|key| format!("{key}\n")).collect();
            let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let text = format!("---\nid: TASK-1\n{keys}---\n{lines}").replace('\n', end);
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

fn unit_of(text: &str) -> PlanUnit {
    let documents = [CONFIG, (TASK, text)].map(|(path, text)| PlanDocument::new(path, text));
    let (_, units) = read_all(&BacklogTasks, documents);
    (*units[0]).clone()
}

fn edit(unit: &PlanUnit, intent: &EditIntent) -> Result<String, CheckedEditError> {
    let document = PlanDocument::new(CONFIG.0, CONFIG.1);
    let settings = RootSettings(vec![document.into()]);
    let request = EditRequest {
        item: None,
        intent,
        settings: &settings,
        taken: &[],
        now: NOW,
    };
    let edit = apply_checked(&BacklogTasks, Some(unit), &request)?;
    let before = unit.source.documents.first().map_or("", |one| &*one.text);
    Ok(edit
        .texts
        .first()
        .map_or_else(|| before.to_owned(), |(_, text)| text.clone()))
}

fn intents() -> impl Strategy<Value = EditIntent> {
    let text = || {
        let odd = prop::sample::select(vec![
            "New words", "", "a\nb", "- [ ] #9 x", "## x", "### y", "```", "---",
            "<!-- AC:END -->", "a: b", "ü", "- [ ] z", "<!--",
        ]);
        prop_oneof![odd.prop_map(str::to_owned), "[ -~]{0,9}"]
    };
    let attribute = prop::sample::select(vec![
        "labels", "assignee", "priority", "milestone", "dependencies", "id",
    ]);
    let value = prop_oneof![
        Just(AttributeSetting::Absent),
        text().prop_map(AttributeSetting::Text),
        prop::collection::vec(text(), 0..3).prop_map(AttributeSetting::List),
    ];
    let section = prop::sample::select(vec![
        "description", "notes", "plan", "Mine", "summary", "criteria", "Sub",
    ]);
    prop_oneof![
        (1..4_usize, any::<bool>()).prop_map(|(number, on)| tick(number, on)),
        prop::sample::select(vec!["To Do", "done", "in-progress", "no"])
            .prop_map(|word| EditIntent::Status { word: word.into() }),
        text().prop_map(|text| EditIntent::Title { text }),
        (attribute, value).prop_map(|(attribute, value)| EditIntent::Set {
            attribute: attribute.into(),
            value
        }),
        (section, text(), any::<bool>()).prop_map(|(name, text, append)| EditIntent::Section {
            name: name.into(),
            text,
            append
        }),
        text().prop_map(|text| EditIntent::AddCriterion { list: None, text }),
    ]
}

/// A text without the value of the date of an edit.
fn undated(text: &str) -> String {
    let lines = text
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("updated_date:"));
    lines.collect()
}

proptest! {
    #[test]
    fn spans_are_those_of_their_parts(text in tasks()) {
        let unit = unit_of(&text);
        for item in &unit.items {
            for criterion in &item.criteria {
                let mark = &criterion.mark;
                prop_assert!(criterion.span.start < mark.start && mark.end < criterion.span.end);
                prop_assert_eq!((&text[mark.start - 1..mark.start], mark.len(), &text[mark.end..=mark.end]), ("[", 1, "]"));
            }
            let yaml = item.spans.attributes.clone().unwrap();
            let mut end = yaml.start;
            for attribute in &item.attributes {
                prop_assert!(end <= attribute.span.start && attribute.span.end <= yaml.end);
                prop_assert!(text[attribute.span.clone()].starts_with(&*attribute.name));
                end = attribute.span.end;
            }
        }
        for section in &unit.sections {
            prop_assert!(section.heading.end <= section.content.start && section.content.end <= text.len());
        }
    }

    #[test]
    fn a_tick_is_two_places_and_is_taken_back(text in tasks(), number in 1..4_usize) {
        let unit = unit_of(&text);
        let Some(criterion) = unit.items.first().and_then(|item| item.criteria.iter().find(|one| one.number == number)) else {
            return Ok(());
        };
        if let Ok(ticked) = edit(&unit, &tick(number, !criterion.is_ticked)) {
            let differing = undated(&text).bytes().zip(undated(&ticked).bytes()).filter(|(old, new)| old != new).count();
            prop_assert_eq!(differing, 1);
            let back = edit(&unit_of(&ticked), &tick(number, criterion.is_ticked)).unwrap();
            prop_assert_eq!(undated(&back), undated(&text));
        }
    }

    #[test]
    fn edits_that_say_what_is_there_change_nothing(text in tasks()) {
        let unit = unit_of(&text);
        let Some(item) = unit.items.first() else {
            return Ok(());
        };
        let mut same = vec![EditIntent::Status { word: item.mark.to_string() }, EditIntent::Title { text: item.title.to_string() }];
        for criterion in &item.criteria {
            let which = TickTarget::Criterion { list: Some(criterion.list.into()), number: criterion.number };
            same.push(EditIntent::Tick { which, on: criterion.is_ticked });
        }
        for attribute in &item.attributes {
            let values = attribute.values.iter().map(ToString::to_string).collect();
            same.push(EditIntent::Set { attribute: attribute.name.to_string(), value: AttributeSetting::List(values) });
        }
        for section in &unit.sections {
            if unit.sections.iter().filter(|other| other.path == section.path).count() > 1 {
                continue;
            }
            let content = text[section.content.clone()].to_owned();
            same.push(EditIntent::Section { name: section.path.to_string(), text: content, append: false });
        }
        for intent in same {
            if let Ok(after) = edit(&unit, &intent) {
                prop_assert_eq!(&after, &text, "{:?}", intent);
            }
        }
    }

    /// The law holds for each edit, or it is refused with a reason: the format is never at fault.
    #[test]
    fn no_edit_is_a_fault(text in tasks(), intent in intents()) {
        let unit = unit_of(&text);
        match edit(&unit, &intent) {
            Ok(after) => {
                // Unknown keys, comments and what other sections say stay.
                for line in text.lines().filter(|line| line.starts_with("mine:") || line.starts_with("# comment")) {
                    prop_assert!(after.contains(line), "{}", line);
                }
            }
            Err(CheckedEditError::Refused(_)) => {}
            Err(fault) => prop_assert!(false, "{fault} {intent:?}"),
        }
    }
}
