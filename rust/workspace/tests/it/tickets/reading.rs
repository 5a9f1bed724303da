//! `list_crs`, `get_cr` and the counts of `get_project_info`.

use std::sync::Arc;

use chant_base::answer::{MAX_CHARS, PageRequest, TextRange};
use chant_base::error::Error;
use chant_store::StoreError;
use chant_tickets::code::TicketCode;
use chant_tickets::error::{TicketError, object};
use chant_tickets::listing::{FilterAttribute, TicketListing};
use chant_tickets::ops::{DetailLevel, TicketFilters, get_cr, list_crs, project_stats};
use chant_tickets::parse;
use chant_tickets::ticket_store::TicketStore;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Project, check_code, codes, file, told};

fn ticket(code: &str, more: &str) -> String {
    let lines = format!("code: {code}\ndateCreated: 2025-09-07\nlastModified: 2025-09-08\n{more}");
    file(&lines, &format!("# Title of {code}\n\nText.\n"))
}

fn board() -> Project {
    Project::with(&[
        (
            "DEM-001-a.md",
            &ticket(
                "DEM-001",
                "status: Implemented\ntype: Bug Fix\npriority: High\n",
            ),
        ),
        (
            "DEM-002-b.md",
            &ticket("DEM-002", "status: Partially Implemented\ntype: Bug Fix\n"),
        ),
        (
            "DEM-010-c.md",
            &ticket(
                "DEM-010",
                "status: in progress\nassignee: Ann, Bob\nphaseEpic: Phase A\n",
            ),
        ),
        (
            "DEM-009-d.md",
            &ticket("DEM-009", "status: Superseded\ntype: Research\n"),
        ),
    ])
}

#[test]
fn a_list_has_the_nine_keys_of_the_seed_the_newest_ticket_first() {
    let project = board();
    let list = project.list(json!({})).unwrap();
    assert_eq!(codes(&list["crs"]), "DEM-010 DEM-009 DEM-002 DEM-001");
    assert_eq!((&list["total"], &list["filtered"]), (&json!(4), &json!(4)));
    let expected = json!({
        "code": "DEM-010", "title": "Title of DEM-010", "status": "in progress",
        "type": "Feature Enhancement", "priority": "Medium", "dateCreated": "2025-09-07",
        "lastModified": "2025-09-08", "assignee": "Ann, Bob", "phaseEpic": "Phase A",
    });
    assert_eq!(
        list["crs"][0].to_string(),
        expected.to_string(),
        "order of keys"
    );
    assert_eq!(
        list.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["crs", "total", "filtered", "problems"],
        "one has a status that nobody knows"
    );
}

/// Values in one field are alternatives, fields all apply, and no word matches a longer one.
#[test]
fn filters_match_whole_words_in_any_case() {
    let project = board();
    for (filters, expected) in [
        (json!({"status": "implemented"}), "DEM-001"),
        (
            json!({"status": ["Implemented", "IN PROGRESS"]}),
            "DEM-010 DEM-001",
        ),
        (
            json!({"type": "Bug Fix", "priority": ["High", "Critical"]}),
            "DEM-001",
        ),
        (json!({"status": null, "assignee": "ann, bob"}), "DEM-010"),
        (json!({"status": "superseded"}), "DEM-009"),
        (json!({"priority": []}), ""),
        (json!({"status": "On Hold"}), ""),
    ] {
        assert_eq!(project.codes(filters.clone()), expected, "{filters}");
    }
    let list = project.list(json!({"type": "Bug Fix"})).unwrap();
    assert_eq!((&list["total"], &list["filtered"]), (&json!(4), &json!(2)));
}

#[test]
fn unknown_filters_and_words_are_refused_with_those_there_are() {
    let project = board();
    let refused = project.list(json!({"status": "Done", "typo": "x", "priority": 1}));
    check_code(
        &refused,
        "VALIDATION_ERROR",
        "allowed are: status, type, priority",
    );
    assert_eq!(
        refused.unwrap_err()["details"]["priority"],
        "expected text or a list of texts, got number"
    );
    let refused = project.list(json!({"status": "Impl"}));
    let all = "Proposed, Approved, In Progress, Implemented, Rejected, On Hold, Partially Implemented, Superseded";
    check_code(
        &refused,
        "VALIDATION_ERROR",
        &format!("Invalid status 'Impl'. Must be one of: {all}"),
    );
}

/// What lists say that are filtered by each of the attributes.
fn filtered(board: &TicketStore) -> Vec<Result<Value, Value>> {
    let filters = [
        json!({"status": "odd"}),
        json!({"status": ["Approved", "ODD"], "priority": "high"}),
        json!({"type": "Bug fix", "assignee": ["ann", ""]}),
        json!({"phaseEpic": "ÉTAPE", "priority": ["High", "Medium"]}),
    ];
    let list = |filters: &Value| {
        let filters = TicketFilters::read(filters.as_object().unwrap()).unwrap();
        told(list_crs(board, &filters, PageRequest::default(), None))
    };
    filters.iter().map(list).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    /// Whatever was known before, lists are those of the files; also where many change at once, a code
    /// stands in several files or moves to another.
    #[test]
    fn filtered_lists_are_those_of_the_files_whatever_came_before(
        changes in prop::collection::vec(
            (1..=4_u8, any::<bool>(), 0..4_u8,
             prop::sample::select(vec!["Approved", "on hold", "Odd"]),
             prop::sample::select(vec!["", "type: bug fix\n", "priority: HIGH\nassignee: Ann\n", "phaseEpic: Étape\n"])),
            1..12,
        ),
        many in 0..12_usize,
    ) {
        let project = Project::with(&[]);
        for (at, (number, is_second, code, status, more)) in changes.into_iter().enumerate() {
            let name = if is_second { "again" } else { "" };
            let path = project.path(&format!("DEM-00{number}{name}.md"));
            if code == 0 {
                let _ = std::fs::remove_file(path);
            } else {
                let lines = format!("code: DEM-{code}\nstatus: {status}\n{more}");
                std::fs::write(path, file(&lines, "")).unwrap();
            }
            if at == many {
                for number in 10..90 {
                    let lines = format!("code: DEM-{number}\nstatus: {status}\n{more}");
                    std::fs::write(project.path(&format!("DEM-{number}.md")), file(&lines, "")).unwrap();
                }
            }
            prop_assert_eq!(filtered(&project.board), filtered(&project.again()));
        }
    }
}

#[test]
fn a_listing_that_knows_too_many_words_of_no_file_says_so() {
    let code = TicketCode::new("DEM", 1);
    let ticket = |assignee: usize| {
        let lines = format!("code: DEM-1\nassignee: {assignee}\n");
        Arc::new(parse::ticket("DEM-1.md", file(&lines, "")))
    };
    let mut listing = TicketListing::of([(&code, &ticket(0))].into_iter());
    for assignee in 1..=1_010 {
        assert_eq!(listing.is_worn(), assignee > 1_002, "{assignee}");
        listing.replace("DEM-1.md", Some(&code), Some((&code, &ticket(assignee))));
    }
    assert!(
        listing.has(FilterAttribute::Assignee, "1010")
            && !listing.has(FilterAttribute::Assignee, "1009")
    );
}

fn page(
    project: &Project,
    limit: usize,
    offset: usize,
    fields: Option<&[&str]>,
) -> Result<Value, Value> {
    let fields: Option<Vec<String>> = fields.map(|f| f.iter().map(ToString::to_string).collect());
    let page = PageRequest { limit, offset };
    told(list_crs(
        &project.board,
        &TicketFilters::default(),
        page,
        fields.as_deref(),
    ))
}

#[test]
fn pages_say_where_they_end_and_fields_what_is_shown() {
    let project = board();
    let first = page(&project, 3, 0, None).unwrap();
    assert_eq!(
        (&first["returned"], &first["next_offset"]),
        (&json!(3), &json!(3))
    );
    let second = page(&project, 3, 3, Some(&["title", "dependsOn"])).unwrap();
    assert_eq!(
        second["crs"],
        json!([{"code": "DEM-001", "title": "Title of DEM-001", "dependsOn": []}])
    );
    assert_eq!(second.get("next_offset"), None);
    check_code(
        &page(&project, 3, 0, Some(&["titel"])),
        "VALIDATION_ERROR",
        "did you mean title?",
    );
}

#[test]
fn the_usual_list_is_short_and_the_longest_one_is_paged() {
    let long = "é".repeat(300);
    let files: Vec<(String, String)> = (1..=300)
        .map(|n| {
            let name = format!("DEM-{n:03}-x.md");
            (name, format!("---\ndateCreated: 2025-09-07T10:00:00.000Z\nlastModified: 2025-09-07T10:00:00.000Z\nassignee: somebody@example.com\nphaseEpic: Phase A\n---\n# {long}\n"))
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let project = Project::with(&files);
    let list = project.list(json!({})).unwrap();
    let text = serde_json::to_string_pretty(&list).unwrap();
    assert!(text.chars().count() < 10_000, "{}", text.len());
    assert_eq!(list["crs"].as_array().unwrap().len(), 20);
    let (mut offset, mut seen) = (0, 0);
    loop {
        let list = page(&project, 1_000, offset, None).unwrap();
        let text = serde_json::to_string(&list).unwrap();
        assert!(text.chars().count() < MAX_CHARS);
        seen += list["crs"].as_array().unwrap().len();
        match list["next_offset"].as_u64() {
            Some(next) => offset = usize::try_from(next).unwrap(),
            None => break,
        }
    }
    assert_eq!(seen, 300);
}

#[test]
fn a_ticket_is_shown_in_three_modes() {
    let project = Project::with(&[(
        "DEM-001-a.md",
        &ticket(
            "DEM-001",
            "assignee: Ann, Bob\ndependsOn: DEM-002\nimplementationNotes: done\nextra: 1\n",
        ),
    )]);
    assert_eq!(
        project.full("dem-1").unwrap(),
        "\n# Title of DEM-001\n\nText.\n"
    );
    let attributes = json!({
        "code": "DEM-001", "title": "Title of DEM-001", "status": "Proposed", "type": "Feature Enhancement",
        "priority": "Medium", "dateCreated": "2025-09-07", "lastModified": "2025-09-08",
        "assignee": "Ann, Bob", "phaseEpic": null, "dependsOn": ["DEM-002"], "blocks": [],
        "relatedTickets": [], "implementationNotes": "done", "extra": "1",
    });
    assert_eq!(
        project.attributes("0001").to_string(),
        attributes.to_string()
    );
    let metadata = told(get_cr(
        &project.board,
        "DEM-1",
        DetailLevel::Metadata,
        TextRange::default(),
    ))
    .unwrap();
    let expected = json!({
        "code": "DEM-001", "title": "Title of DEM-001", "status": "Proposed", "type": "Feature Enhancement",
        "priority": "Medium", "dateCreated": "2025-09-07", "lastModified": "2025-09-08", "phaseEpic": null,
        "filePath": project.path("DEM-001-a.md"),
    });
    assert_eq!(metadata.to_string(), expected.to_string());
    assert!(DetailLevel::read("all").is_err());
}

#[test]
fn long_bodies_come_in_pieces_that_make_up_the_whole() {
    let body = "# T\n\nline é\n".repeat(9_000);
    let project = Project::with(&[("DEM-001-a.md", &format!("---\ncode: DEM-001\n---\n{body}"))]);
    let (mut whole, mut offset) = (String::new(), 0);
    while offset < body.chars().count() {
        let wanted = TextRange {
            offset,
            ..TextRange::default()
        };
        let answer = get_cr(&project.board, "1", DetailLevel::Full, wanted).unwrap();
        let length = answer.text.chars().count();
        assert!(length < MAX_CHARS);
        offset += length;
        whole.push_str(&answer.text);
        let is_last = offset == body.chars().count();
        assert_eq!(answer.note.is_none(), is_last);
        let says = answer
            .note
            .is_some_and(|note| note.contains(&format!("offset={offset} ")));
        assert_eq!(says, !is_last);
    }
    assert_eq!(whole, body);
}

/// Keys mean exactly one ticket; a part of one means none (defect B7).
#[test]
fn keys_are_never_parts_of_others() {
    let project = board();
    for (key, code) in [
        ("DEM", "VALIDATION_ERROR"),
        ("Title", "VALIDATION_ERROR"),
        ("", "VALIDATION_ERROR"),
        ("DEM-00", "CR_NOT_FOUND"),
        ("11", "CR_NOT_FOUND"),
        ("API-1", "CR_NOT_FOUND"),
        ("../DEM-1", "VALIDATION_ERROR"),
    ] {
        check_code(&project.full(key).map(Value::from), code, "DEM");
    }
    let refused = project.full("3").unwrap_err();
    assert_eq!(
        refused,
        json!({"error": "CR 'DEM-003' not found in project 'DEM'", "code": "CR_NOT_FOUND",
            "details": {"project": "DEM", "key": "DEM-003",
                "availableKeys": ["DEM-010", "DEM-009", "DEM-002", "DEM-001"]}})
    );
    for key in refused["details"]["availableKeys"].as_array().unwrap() {
        project.full(key.as_str().unwrap()).unwrap();
    }
}

#[test]
fn long_lists_of_choices_are_cut_and_say_how_many_there_are() {
    let names: Vec<String> = (1..=60).map(|n| format!("DEM-{n:03}.md")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    let details = Project::with(&files).full("99").unwrap_err()["details"].clone();
    assert_eq!(details["availableKeys"].as_array().unwrap().len(), 50);
    assert_eq!(details["availableTotal"], 60);
}

#[test]
fn counts_are_by_status_and_leave_out_those_without_tickets() {
    let stats = serde_json::to_value(project_stats(&board().board).unwrap()).unwrap();
    let expected = json!({"totalCRs": 4, "byStatus":
        {"In Progress": 1, "Implemented": 1, "Partially Implemented": 1, "Superseded": 1}});
    assert_eq!(stats.to_string(), expected.to_string());
    let none = serde_json::to_value(project_stats(&Project::empty().board).unwrap()).unwrap();
    assert_eq!(none, json!({"totalCRs": 0, "byStatus": {}}));
}

/// Whatever any program wrote before a call is seen by it (defects B3, B24).
#[test]
fn answers_follow_the_files() {
    let project = board();
    assert_eq!(project.list(json!({})).unwrap()["total"], 4);
    std::fs::write(
        project.path("DEM-001-a.md"),
        ticket("DEM-001", "status: Rejected\n"),
    )
    .unwrap();
    std::fs::rename(project.path("DEM-002-b.md"), project.path("DEM-002-c.md")).unwrap();
    std::fs::remove_file(project.path("DEM-009-d.md")).unwrap();
    std::fs::write(project.path("DEM-011-e.md"), "").unwrap();
    assert_eq!(project.codes(json!({})), "DEM-011 DEM-010 DEM-002 DEM-001");
    assert_eq!(project.attributes("1")["status"], "Rejected");
    assert_eq!(
        project.list(json!({"type": "bug fix"})).unwrap()["filtered"],
        1
    );
    std::fs::remove_dir_all(project.path("")).unwrap();
    assert_eq!(project.list(json!({})).unwrap()["total"], 0);
}

/// Seed, "Error Handling": the object of each kind of refusal.
#[test]
fn refusals_are_objects_of_the_seed() {
    let project = |available: &[&str]| TicketError::ProjectNotFound {
        project: "INVALID".into(),
        available: available.iter().map(ToString::to_string).collect(),
    };
    let told = |error: Error| object(&error).to_string();
    let expected = json!({"error": "Project not found", "code": "PROJECT_NOT_FOUND",
        "details": {"project": "INVALID", "availableProjects": ["MDT", "API"]}});
    assert_eq!(told(project(&["MDT", "API"]).into()), expected.to_string());
    let template = TicketError::Template {
        template: "bug-fix.md".into(),
        why: "it is empty".into(),
    };
    assert_eq!(object(&template.into())["code"], "TEMPLATE_ERROR");
    let busy = StoreError::Busy {
        path: "a".into(),
        why: "kept changing".into(),
        seconds: 1,
    };
    assert_eq!(object(&busy.into())["code"], "CONFLICT");
    let missing = Error::from(StoreError::Missing { path: "a".into() }).during("Failed to list");
    let expected = json!({"error": "File operation failed", "code": "FILE_SYSTEM_ERROR",
        "details": {"reason": "`a` does not exist"}});
    assert_eq!(told(missing), expected.to_string());
}
