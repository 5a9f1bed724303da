//! Faulty documents of all formats, each with the words that its finding is about between « and »; and laws of places.

use chant_base::text_place::TextPlace;
use chant_workspace::document_findings::{DocumentFinding, DraftText};
use proptest::prelude::*;

use crate::workspace::Place;

const SPEC: &str = ".chant/specs/2026-01-22-001-x7m.md";
const OTHER: &str = "2026-01-22-002-abc";
const TASKS: &str = "specs/060-name/tasks.md";
const TICKET: &str = "docs/CRs/DEM-007-price.md";
const CHANGE: &str = "openspec/changes/add-auth";
const DELTA: &str = "openspec/changes/add-auth/specs/login/spec.md";
const MAIN: &str = "openspec/specs/login/spec.md";
const CHANGE_TASKS: &str = "openspec/changes/add-auth/tasks.md";
const KIRO: &str = ".kiro/specs/log-in/tasks.md";
const BACKLOG: &str = "backlog/tasks/task-1 - First.md";

/// Format, path, rule, text.
type FaultyDocument = (&'static str, &'static str, &'static str, &'static str);

/// A folder in which every format has something beside the document that is judged.
fn project() -> Place {
    let place = Place::new();
    place.write(
        ".chant/config.md",
        "---\nproject: {name: x}\nenterprise: {required: [team]}\nlint:\n  thresholds: {complexity_criteria: 2, complexity_files: 1}\n  disable: []\n---\n",
    );
    place.spec(
        OTHER,
        "type: code\nteam: a\ndepends_on: [2026-01-22-001-x7m]\n",
    );
    place.write(
        ".chant/specs/2026-01-22-003-bad.md",
        "---\nstatus: odd\n---\n# Bad\n",
    );
    place.ticket(8, "status: Proposed\n");
    place.write("openspec/project.md", "# P\n");
    place.write(
        MAIN,
        "# login\n## Purpose\nThis purpose is long enough to be one, with more than fifty characters.\n## Requirements\n### Requirement: Token\nIt SHALL do.\n#### Scenario: Good\n- x\n#### Scenario: Bad\n- x\n",
    );
    place.write(&format!("{CHANGE}/proposal.md"), "# Add\n");
    place.write(&format!("{CHANGE}/tasks.md"), "## 1. A\n- [ ] 1.1 Do\n");
    place.write(
        DELTA,
        "## ADDED Requirements\n### Requirement: New\nIt SHALL.\n#### Scenario: a\n- x\n",
    );
    place.write(".kiro/specs/log-in/requirements.md", "# R\n### Requirement 1\nText\n1. WHEN a THEN b\n### Requirement 2\nText\n1. WHEN c THEN d\n");
    place.write(KIRO, "- [ ] 1. Do\n  - _Requirements: 1.1, 2.1_\n");
    place.write(
        "backlog/config.yml",
        "project_name: x\nstatuses: [To Do, Done]\n",
    );
    place.write(
        BACKLOG,
        "---\nid: task-1\ntitle: First\nstatus: To Do\n---\n",
    );
    place.write(
        "backlog/tasks/task-2 - Second.md",
        "---\nid: task-2\ntitle: Second\nstatus: To Do\n---\n",
    );
    place
}

/// The text without marks, and the bytes between them.
fn unmarked(marked: &str) -> (String, std::ops::Range<usize>) {
    let start = marked.find('«').unwrap();
    let end = marked.find('»').unwrap() - '«'.len_utf8();
    (marked.replace(['«', '»'], ""), start..end)
}

fn told(found: &[DocumentFinding], text: &str) -> Vec<String> {
    let line = |one: &DocumentFinding| {
        format!(
            "{} {:?} {}",
            one.rule,
            &text[one.place.bytes()],
            one.message
        )
    };
    found.iter().map(line).collect()
}

#[test]
fn each_finding_covers_the_words_that_it_is_about() {
    let place = project();
    let judge = place.workspace.judge().unwrap();
    let mut wrong = Vec::new();
    for (format, path, rule, marked) in FAULTY.iter().copied() {
        let (text, words) = unmarked(marked);
        let found = judge
            .findings(&DraftText {
                format,
                path,
                text: &text,
            })
            .unwrap();
        let is_it = |one: &DocumentFinding| one.rule == rule && one.place.bytes() == words;
        if !found.iter().any(is_it) {
            wrong.push(format!(
                "{format} {rule} {:?} in {text:?}\n  found: {:#?}",
                &text[words],
                told(&found, &text)
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        FAULTY.len(),
        wrong.join("\n")
    );
}

/// As the disk says it once the text is saved.
#[test]
fn a_draft_is_judged_as_the_same_text_on_disk_and_leaves_no_trace() {
    let place = project();
    let judge = place.workspace.judge().unwrap();
    let text = "---\ntype: code\nteam: a\ndepends_on: [2026-01-22-009-gone]\n---\n\n# T\n";
    let draft = DraftText {
        format: "chant",
        path: SPEC,
        text,
    };
    let before = judge.findings(&draft).unwrap();
    assert_eq!(
        place
            .workspace
            .snapshot()
            .unwrap()
            .graph()
            .find("chant:2026-01-22-009-gone"),
        None
    );
    place.write(SPEC, text);
    let after = place.workspace.judge().unwrap().findings(&draft).unwrap();
    assert_eq!((before.len(), &before), (1, &after));
}

#[test]
fn a_sound_document_of_each_format_has_no_finding() {
    let place = project();
    let judge = place.workspace.judge().unwrap();
    for (format, path, text) in [
        (
            "chant",
            SPEC,
            "---\ntype: code\nteam: a\n---\n\n# T\n\n## Acceptance Criteria\n\n- [ ] a\n",
        ),
        ("vine", "plan.vine", "vine 1.2.0\n---\n[a] A (notstarted)\n"),
        ("speckit", TASKS, "# Tasks\n\n- [ ] T001 Do\n"),
        (
            "tickets",
            TICKET,
            "---\ncode: DEM-007\nstatus: Approved\n---\n\n# Price\n",
        ),
        ("openspec", CHANGE_TASKS, "## 1. A\n- [ ] 1.1 Do\n"),
        ("kiro", KIRO, "- [ ] 1. Do\n  - _Requirements: 1.1, 2.1_\n"),
        (
            "backlog",
            BACKLOG,
            "---\nid: task-1\ntitle: First\nstatus: To Do\n---\n",
        ),
        (
            "configuration",
            ".chant/config.md",
            "---\nproject: {name: x}\n---\n",
        ),
        ("unknown", "a.md", "what"),
    ] {
        let found = judge.findings(&DraftText { format, path, text }).unwrap();
        assert_eq!(told(&found, text), Vec::<String>::new(), "{format}");
    }
}

proptest! {
    /// Whatever bytes a finding names, its place lies in the text, between characters, and covers something.
    #[test]
    fn places_lie_in_their_text(
        text in "(\u{feff}|)([a-ö😀e\u{301}#: -]{0,6}(\r\n|\n|)){0,6}",
        start in 0_usize..60,
        length in 0_usize..20,
        line in 0_usize..9,
        words in "[a-ö ]{0,3}",
    ) {
        let bytes = start.min(text.len())..(start + length).min(text.len());
        let places = [
            TextPlace::of(&text, start..start + length),
            TextPlace::of_words(&text, bytes.clone()),
            TextPlace::within(&text, bytes, &words),
            TextPlace::of_line(&text, line),
            TextPlace::within_line(&text, line, &words),
            TextPlace::of_columns(&text, line, start..start + length),
            TextPlace::of_first_line(&text),
        ];
        for place in places {
            let covered = text.get(place.bytes());
            prop_assert!(covered.is_some_and(|covered| covered.is_empty() == text.is_empty()), "{place:?} {text:?}");
            let lines: Vec<&str> = text.split('\n').collect();
            prop_assert!(place.end_line <= lines.len() && place.column <= lines[place.line - 1].chars().count() + 1);
        }
    }

    /// The same of every format's rules, on texts cut out of sound and faulty documents.
    #[test]
    fn findings_of_any_text_lie_in_it(at in 0..FAULTY.len(), from in 0_usize..40, to in 0_usize..200, is_crlf: bool) {
        thread_local! {
            static PLACE: Place = project();
        }
        let (format, path, _, marked) = FAULTY[at];
        let (text, _) = unmarked(marked);
        let text: String = text.chars().skip(from % 7 * (from / 7)).take(to).collect();
        let text = if is_crlf { text.replace('\n', "\r\n") } else { text };
        PLACE.with(|place| {
            let judge = place.workspace.judge().unwrap();
            for one in judge.findings(&DraftText { format, path, text: &text }).unwrap() {
                let covered = text.get(one.place.bytes());
                prop_assert!(covered.is_some_and(|covered| covered.is_empty() == text.is_empty()), "{one:?} {text:?}");
            }
            Ok(())
        })?;
    }
}

const FAULTY: &[FaultyDocument] = &[
    // Specs: what cannot be read.
    (
        "chant",
        SPEC,
        "parse",
        "---\ntype: code\nstatus: «odd»\n---\n# T\n",
    ),
    ("chant", SPEC, "parse", "«---»\ntype: code\n# T\n"),
    (
        "chant",
        SPEC,
        "parse",
        "---\ntype: code\n«labels: [a»\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "parse",
        "---\n«depends_on: {a: 1}»\ntype: code\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "parse",
        "---\n«approval: yes»\ntype: code\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "parse",
        "---\ntype: code\n---\n# T\n\n«<<<<<<< ours»\na\n=======\nb\n>>>>>>> theirs\n",
    ),
    ("chant", ".chant/specs/.hidden.md", "parse", "«# T»\n"),
    (
        "chant",
        SPEC,
        "parse",
        "\u{feff}---\ntype: code\nstatus: «größer»\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "parse",
        "---\r\ntype: code\r\nstatus: «odd»\r\n---\r\n# T\r\n",
    ),
    // Specs: rules of their own text.
    ("chant", SPEC, "type", "«---»\nteam: a\n---\n# T\n"),
    (
        "chant",
        SPEC,
        "type",
        "---\ntype: «story»\nteam: a\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "type",
        "---\ntype: \"«story»\"  # odd\nteam: a\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "type",
        "«---»\ntype: documentation\nteam: a\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "type",
        "«---»\ntype: research\nteam: a\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "type",
        "---\ntype: driver\n«members: []»\nteam: a\n---\n# T\n",
    ),
    ("chant", SPEC, "required", "«---»\ntype: code\n---\n# T\n"),
    (
        "chant",
        SPEC,
        "title",
        "---\ntype: code\nteam: a\n---\n\n«Only words here.»\nMore\n",
    ),
    ("chant", SPEC, "title", "«---»\ntype: code\nteam: a\n---\n"),
    (
        "chant",
        SPEC,
        "title",
        "---\ntype: code\nteam: a\n---\n«## Too deep»\n",
    ),
    (
        "chant",
        SPEC,
        "complexity",
        "---\ntype: code\nteam: a\n---\n# T\n«## Acceptance Criteria»\n- [ ] a\n- [ ] b\n- [ ] c\n",
    ),
    (
        "chant",
        SPEC,
        "complexity",
        "---\ntype: code\nteam: a\n«target_files:\n- a\n- b»\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "coupling",
        "---\ntype: code\nteam: a\n---\n# T\n\nAs «2026-01-22-002-abc» does.\n",
    ),
    (
        "chant",
        SPEC,
        "coupling",
        "---\ntype: code\nteam: a\n---\n# T\n\nNeither 😀 «2026-01-22-009-zzz», nor 2026-01-22-002-abc.\n",
    ),
    (
        "chant",
        ".chant/specs/2026-01-22-001-x7m.2.md",
        "coupling",
        "---\ntype: code\nteam: a\n---\n# T\n\nAs «2026-01-22-001-x7m.1».\n",
    ),
    (
        "chant",
        SPEC,
        "model_waste",
        "---\ntype: code\nteam: a\nmodel: «claude-opus-4»\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "approval",
        "---\ntype: code\nteam: a\napproval:\n  required: true\n  status: «maybe»\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "approval",
        "---\ntype: code\nteam: a\napproval: {required: true, status: «approved», at: x}\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "approval",
        "---\ntype: code\nteam: a\napproval: {required: true, status: «rejected», by: x}\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "approval",
        "---\ntype: code\nteam: a\napproval:\n  required: true\n  by: «Ann»\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "fence",
        "---\ntype: code\nteam: a\n---\n# T\n\n«```»\n## Acceptance Criteria\n- [ ] a\n",
    ),
    (
        "chant",
        SPEC,
        "criteria",
        "---\ntype: code\nteam: a\n---\n# T\n\n## Acceptance Criteria\n\n«- [] never read»\n- [ ] a\n",
    ),
    // Specs: what they name.
    (
        "chant",
        SPEC,
        "dependency",
        "---\ntype: code\nteam: a\ndepends_on: [\"«2026-01-22-009-gone»\"]\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "dependency",
        "---\ntype: code\nteam: a\ndepends_on:\n- 2026-01-22-002-abc\n- «2026-01-22-009-gone»\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "dependency",
        "---\ntype: code\nteam: a\ndepends_on: «2026-01-22-003-bad»\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "dependency",
        "---\ntype: code\nteam: a\ndepends_on: [«2026-01-22-002-abc»]\n---\n# T\n",
    ),
    (
        "chant",
        SPEC,
        "dependency",
        "---\ntype: driver\nteam: a\nmembers: [«2026-01-22-001-x7m.9»]\n---\n# T\n",
    ),
    (
        "chant",
        ".chant/specs/2026-01-22-008-q.1.md",
        "dependency",
        "---\ntype: code\nteam: a\n---\n«# Part of nothing»\n",
    ),
    // Task graphs.
    (
        "vine",
        "plan.vine",
        "parse",
        "«vin 1.2.0»\n---\n[a] A (notstarted)\n",
    ),
    (
        "vine",
        "plan.vine",
        "parse",
        "«vine 9.0.0»\n---\n[a] A (notstarted)\n",
    ),
    (
        "vine",
        "plan.vine",
        "parse",
        "vine 1.2.0\n«[a] A (notstarted)»\n",
    ),
    (
        "vine",
        "plan.vine",
        "parse",
        "vine 1.2.0\n---\n«[a] A (nonsense)»\n",
    ),
    (
        "vine",
        "plan.vine",
        "parse",
        "vine 1.2.0\n---\n[a] A (notstarted)\n---\n«[a] B (notstarted)»\n",
    ),
    (
        "vine",
        "plan.vine",
        "valid-dependency-refs",
        "vine 1.2.0\n---\n[a] A (notstarted)\n-> «gone»\n",
    ),
    (
        "vine",
        "plan.vine",
        "valid-dependency-refs",
        "\u{feff}vine 1.2.0\r\n---\r\n[a] Ä (notstarted)\r\n-> «göne»\r\n",
    ),
    (
        "vine",
        "plan.vine",
        "no-cycles",
        "vine 1.2.0\n---\n[a] A (notstarted)\n-> «b»\n---\n[b] B (notstarted)\n-> a\n",
    ),
    (
        "vine",
        "plan.vine",
        "no-islands",
        "vine 1.2.0\n---\n[a] A (notstarted)\n---\n[«b»] B (notstarted)\n",
    ),
    // Features.
    (
        "speckit",
        TASKS,
        "reading",
        "# Tasks\n\n## Phase 1: Setup\n\n«- [ ] no number»\n- [ ] T001 Do\n",
    ),
    ("speckit", TASKS, "reading", "# Tasks\n\n«- [?] T001 Do»\n"),
    (
        "speckit",
        TASKS,
        "reading",
        "# Tasks\n\n- [ ] T001 Do\n\n«```»\n- [ ] T002 More\n## Phase\n",
    ),
    (
        "speckit",
        TASKS,
        "reading",
        "# Tasks\n\n- [ ] T001 Do\n«- T002 More»\n",
    ),
    (
        "speckit",
        TASKS,
        "reading",
        "# Tasks\n\n- [ ] T001 Do\n«<<<<<<< ours»\n- [ ] T002 a\n=======\n- [ ] T002 b\n>>>>>>> theirs\n",
    ),
    // Tickets.
    (
        "tickets",
        TICKET,
        "reading",
        "---\ncode: DEM-007\nstatus: «Someday»\n---\n# Price\n",
    ),
    (
        "tickets",
        TICKET,
        "reading",
        "---\ncode: «D»\nstatus: Approved\n---\n# Price\n",
    ),
    (
        "tickets",
        "docs/CRs/price.md",
        "reading",
        "«---»\nstatus: Approved\n---\n# Price\n",
    ),
    (
        "tickets",
        TICKET,
        "reading",
        "---\ncode: DEM-007\ndateCreated: «yesterday»\n---\n# Price\n",
    ),
    (
        "tickets",
        TICKET,
        "reading",
        "---\ncode: DEM-007\nlastModified: «soon»\n---\n# Price\n",
    ),
    (
        "tickets",
        TICKET,
        "reading",
        "«---»\ncode: DEM-007\n# Price\n",
    ),
    (
        "tickets",
        TICKET,
        "reading",
        "---\ncode: DEM-007\n«assignee: @bob»\n---\n# Price\n",
    ),
    (
        "tickets",
        TICKET,
        "reading",
        "---\ncode: DEM-007\n---\n# Price\n\n«```»\n## Acceptance Criteria\n- [ ] a\n",
    ),
    (
        "tickets",
        TICKET,
        "reading",
        "---\ncode: DEM-007\n---\n# Price\n\n## Acceptance Criteria\n\n«- [] a»\n",
    ),
    (
        "tickets",
        TICKET,
        "reading",
        "---\ncode: DEM-007\n---\n# Price\n\n«<<<<<<< ours»\na\n=======\nb\n>>>>>>> theirs\n",
    ),
    (
        "tickets",
        "docs/CRs/DEM-007-a.md",
        "reading",
        "---\ncode: «DEM-008»\n---\n# Price\n",
    ),
    (
        "tickets",
        TICKET,
        "reading",
        "- **Code**: DEM-007\n- **Status**: «Someday»\n\n# Price\n",
    ),
    // OpenSpec: deltas.
    (
        "openspec",
        DELTA,
        "delta_headings",
        "«# Nothing said»\n\nText\n",
    ),
    (
        "openspec",
        DELTA,
        "delta_headings",
        "## ADDED Requirements\n### Requirement: A\nIt SHALL.\n#### Scenario: a\n- x\n«## ADDED Requirements»\n### Requirement: B\nIt SHALL.\n#### Scenario: a\n- x\n",
    ),
    (
        "openspec",
        DELTA,
        "delta_headings",
        "## ADDED Requirements\n«### Something else»\n",
    ),
    (
        "openspec",
        DELTA,
        "delta_entries",
        "«## REMOVED Requirements»\n",
    ),
    (
        "openspec",
        DELTA,
        "requirement_text",
        "## ADDED Requirements\n### Requirement: «A thing»\n#### Scenario: a\n- x\n",
    ),
    (
        "openspec",
        DELTA,
        "shall",
        "## ADDED Requirements\n### Requirement: «A»\nIt does.\n#### Scenario: a\n- x\n",
    ),
    (
        "openspec",
        DELTA,
        "scenarios",
        "## ADDED Requirements\n### Requirement: «Größe»\nIt SHALL.\n",
    ),
    (
        "openspec",
        DELTA,
        "requirement_twice",
        "## ADDED Requirements\n### Requirement: A\nIt SHALL.\n#### Scenario: a\n- x\n### Requirement: «A»\nIt SHALL.\n#### Scenario: a\n- x\n",
    ),
    (
        "openspec",
        DELTA,
        "requirement_twice",
        "## REMOVED Requirements\n### Requirement: Token\n## MODIFIED Requirements\n### Requirement: «Token»\nIt SHALL.\n#### Scenario: Good\n- x\n#### Scenario: Bad\n- x\n",
    ),
    (
        "openspec",
        DELTA,
        "lost_scenario",
        "## MODIFIED Requirements\n### Requirement: «Token»\nIt SHALL.\n#### Scenario: Good\n- x\n",
    ),
    (
        "openspec",
        DELTA,
        "missing_target",
        "## REMOVED Requirements\n### Requirement: «Gone»\n",
    ),
    (
        "openspec",
        DELTA,
        "missing_target",
        "## REMOVED Requirements\n### Requirement: «token»\n",
    ),
    (
        "openspec",
        DELTA,
        "renames",
        "## RENAMED Requirements\n- FROM: `### Requirement: Token`\n- TO: `### Requirement: «Token»`\n",
    ),
    (
        "openspec",
        DELTA,
        "renames",
        "## ADDED Requirements\n### Requirement: New\nIt SHALL.\n#### Scenario: a\n- x\n## RENAMED Requirements\n- FROM: `### Requirement: Token`\n- TO: `### Requirement: «New»`\n",
    ),
    (
        "openspec",
        "openspec/changes/add-auth/specs/spec.md",
        "delta_folder",
        "«## ADDED Requirements»\n### Requirement: New\nIt SHALL.\n#### Scenario: a\n- x\n",
    ),
    // OpenSpec: main specs and tasks.
    (
        "openspec",
        MAIN,
        "purpose",
        "«# login»\n## Requirements\n### Requirement: A\nIt SHALL.\n#### Scenario: a\n- x\n",
    ),
    (
        "openspec",
        MAIN,
        "purpose",
        "# login\n«## Purpose»\nShort.\n## Requirements\n### Requirement: A\nIt SHALL.\n#### Scenario: a\n- x\n",
    ),
    (
        "openspec",
        MAIN,
        "requirements",
        "«# login»\n## Purpose\nShort.\n",
    ),
    (
        "openspec",
        MAIN,
        "requirements",
        "# login\n## Purpose\nShort.\n### Requirement: «A»\nIt SHALL.\n#### Scenario: a\n- x\n## Requirements\n",
    ),
    (
        "openspec",
        MAIN,
        "requirement_twice",
        "# login\n## Purpose\nShort.\n## Requirements\n### Requirement: A\nIt SHALL.\n#### Scenario: a\n- x\n### Requirement: «A»\nIt SHALL.\n#### Scenario: a\n- x\n",
    ),
    (
        "openspec",
        MAIN,
        "delta_headings",
        "# login\n## Purpose\nShort.\n## Requirements\n«## ADDED Requirements»\n",
    ),
    (
        "openspec",
        CHANGE_TASKS,
        "number_twice",
        "## 1. A\n- [ ] 1.1 Do\n- [ ] «1.1» Again\n",
    ),
    (
        "openspec",
        CHANGE_TASKS,
        "number_group",
        "## 1. A\n- [ ] «2.1» Do\n",
    ),
    (
        "openspec",
        CHANGE_TASKS,
        "reading",
        "## 1. A\n- [ ] 1.1 Do\n«1. [ ] 1.2 More»\n",
    ),
    (
        "openspec",
        CHANGE_TASKS,
        "reading",
        "## 1. A\n«<<<<<<< ours»\n- [ ] 1.1 a\n=======\n- [ ] 1.1 b\n>>>>>>> theirs\n",
    ),
    (
        "openspec",
        "openspec/changes/add-auth/.openspec.yaml",
        "reading",
        "schema: spec-driven\n«depends_on: {a: 1}»\n",
    ),
    (
        "openspec",
        "openspec/changes/add-auth/.openspec.yaml",
        "reading",
        "schema: spec-driven\n«a: [»\n",
    ),
    // Kiro.
    (
        "kiro",
        KIRO,
        "number_twice",
        "- [ ] 1. Do\n- [ ] «1». Again\n",
    ),
    ("kiro", KIRO, "lost_part", "- [ ] 1. Do\n- [ ] «2.1» Part\n"),
    (
        "kiro",
        KIRO,
        "levels",
        "- [ ] 1. Do\n  - [ ] 1.1 Part\n    - [ ] «1.1.1» Deep\n",
    ),
    ("kiro", KIRO, "box_sign", "- [ ] 1. Do\n«- [?] 2. Odd»\n"),
    (
        "kiro",
        KIRO,
        "unknown_requirement",
        "- [ ] 1. Do\n  - _Requirements: 1.1, «7.1»_\n",
    ),
    (
        "kiro",
        KIRO,
        "requirement_words",
        "- [ ] 1. Do\n  - _Requirements: 1.1, «all of them»_\n",
    ),
    (
        "kiro",
        KIRO,
        "reading",
        "- [ ] 1. Do\n  - _Requirements: «9.9», 1.1_\n",
    ),
    ("kiro", KIRO, "reading", "«- [x] 1. Do»\n  - [ ] 1.1 Part\n"),
    ("kiro", KIRO, "reading", "«- [ ] 1. Do»\n  - [x] 1.1 Part\n"),
    (
        "kiro",
        KIRO,
        "reading",
        "- [ ] 1. Do\n\n```\n«- [ ] 2. Not read»\n```\n",
    ),
    (
        "kiro",
        KIRO,
        "depends",
        "- [ ] 1. Do\n- [ ] 2. More\n  - _Depends: 1, «9»_\n",
    ),
    (
        "kiro",
        KIRO,
        "depends",
        "- [ ] 1. Do\n  - _Depends: «2»_\n- [ ] 2. More\n  - _Depends: 1_\n",
    ),
    (
        "kiro",
        KIRO,
        "waves",
        "- [ ] 1. Do\n\n```json\n{\"waves\": [{\"tasks\": [\"1\", \"«8»\"]}]}\n```\n",
    ),
    (
        "kiro",
        KIRO,
        "waves",
        "- [ ] 10. Do\n\n```json\n{\"waves\": [{\"tasks\": [\"10\"]}, {\"tasks\": [\"«10»\"]}]}\n```\n",
    ),
    (
        "kiro",
        ".kiro/specs/log-in/requirements.md",
        "unnamed_requirement",
        "# R\n### Requirement 1\nText\n1. WHEN a THEN b\n### Requirement 2\nText\n1. WHEN c THEN d\n«### Requirement 3»\n",
    ),
    (
        "kiro",
        ".kiro/specs/log-in/spec.json",
        "reading",
        "{\n  \"a\": 1,\n«}»\n",
    ),
    (
        "kiro",
        KIRO,
        "reading",
        "«<<<<<<< ours»\n- [ ] 1. a\n=======\n- [ ] 1. b\n>>>>>>> theirs\n",
    ),
    // Backlog.
    (
        "backlog",
        BACKLOG,
        "status",
        "---\nid: task-1\ntitle: First\nstatus: «Someday»\n---\n",
    ),
    (
        "backlog",
        BACKLOG,
        "reading",
        "---\nid: task-1\ntitle: First\nstatus: '«Someday»'\n---\n",
    ),
    (
        "backlog",
        BACKLOG,
        "reading",
        "«---»\nid: task-1\ntitle: First\n---\n",
    ),
    (
        "backlog",
        BACKLOG,
        "dependencies",
        "---\nid: task-1\ntitle: First\nstatus: To Do\ndependencies: [task-2, «task-9»]\n---\n",
    ),
    (
        "backlog",
        BACKLOG,
        "dependencies",
        "---\nid: task-1\ntitle: First\nstatus: To Do\ndependencies:\n  - «task-1»\n---\n",
    ),
    (
        "backlog",
        BACKLOG,
        "parent",
        "---\nid: task-1\ntitle: First\nstatus: To Do\nparent_task_id: «task-9»\n---\n",
    ),
    (
        "backlog",
        BACKLOG,
        "dates",
        "---\nid: task-1\ntitle: First\nstatus: To Do\ndue_date: «soon»\n---\n",
    ),
    (
        "backlog",
        BACKLOG,
        "dates",
        "---\nid: task-1\ntitle: First\nstatus: To Do\ncreated_date: '«2026-13-40»'\n---\n",
    ),
    (
        "backlog",
        BACKLOG,
        "command",
        "---\nid: task-1\ntitle: First\nstatus: To Do\n«onStatusChange: rm -rf x»\n---\n",
    ),
    (
        "backlog",
        BACKLOG,
        "criteria",
        "---\nid: task-1\ntitle: First\nstatus: Done\n---\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [x] #1 a\n«- [ ] #2 b»\n<!-- AC:END -->\n",
    ),
    (
        "backlog",
        BACKLOG,
        "criteria",
        "---\nid: task-1\ntitle: First\nstatus: To Do\n---\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n«- [x] #1 a»\n<!-- AC:END -->\n",
    ),
    (
        "backlog",
        BACKLOG,
        "reading",
        "---\nid: task-1\ntitle: First\nstatus: To Do\n---\n\n## Acceptance Criteria\n«<!-- AC:BEGIN -->»\n- [ ] #1 a\n",
    ),
    (
        "backlog",
        BACKLOG,
        "reading",
        "---\nid: «task-7»\ntitle: First\nstatus: To Do\n---\n",
    ),
    (
        "backlog",
        BACKLOG,
        "reading",
        "---\nid: «what»\ntitle: First\nstatus: To Do\n---\n",
    ),
    (
        "backlog",
        BACKLOG,
        "reading",
        "«---»\ntitle: First\nstatus: To Do\n---\n",
    ),
    ("backlog", BACKLOG, "reading", "«# No front matter»\n"),
    (
        "backlog",
        BACKLOG,
        "reading",
        "«---»\nid: task-1\n# Not closed\n",
    ),
    // Configuration.
    (
        "configuration",
        ".chant/config.md",
        "unknown_key",
        "---\nproject: {name: x}\n«limts»: {a: 1}\n---\n",
    ),
    (
        "configuration",
        ".chant/config.md",
        "unknown_key",
        "---\nproject: {name: x}\nrepos:\n- name: a\n  «pth»: b\n---\n",
    ),
    (
        "configuration",
        ".chant/config.md",
        "unreadable",
        "---\nproject: {name: x}\n«a: [»\n---\n",
    ),
    (
        "configuration",
        ".chant/agents.md",
        "unknown_key",
        "---\nparallel:\n  agents:\n  - {name: a, «comand»: b}\n---\n",
    ),
    (
        "configuration",
        ".specify/chant-mcp.yml",
        "unknown_key",
        "checks: {}\n«chek»: {}\n",
    ),
    (
        "configuration",
        ".mdt-config.toml",
        "unknown_key",
        "[project]\nname = \"Demo\"\ncode = \"DEM\"\n«cod» = \"x\"\n",
    ),
    (
        "configuration",
        ".chant/config.md",
        "wrong_value",
        "---\nproject: {name: x}\nlint:\n  «disable»: 3\n---\n",
    ),
];
