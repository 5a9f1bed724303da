//! `manage_cr_sections` (reference tickets 4 and 10).

use chant_base::answer::MAX_CHARS;
use chant_text::edit::apply;
use chant_text::sections::{SectionPlace, names, put};
use chant_tickets::error::TicketError;
use chant_tickets::ops::SectionCall;
use chant_tickets::sections::{SectionMode, content, parse_sections, rewrite};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{NOW, Project, check_code};

const HEAD: &str = "---\ncode: DEM-001\nlastModified: x\n---\n";

fn with(body: &str) -> Project {
    Project::with(&[("DEM-001-x.md", &format!("{HEAD}{body}"))])
}

fn list(project: &Project, offset: usize) -> (String, Value) {
    let call = SectionCall {
        key: "1",
        operation: "list",
        offset,
        ..SectionCall::default()
    };
    project.sections(&call).unwrap()
}

fn get(project: &Project, section: &str) -> Result<(String, Value), Value> {
    let section = Some(section);
    project.sections(&SectionCall {
        key: "1",
        operation: "get",
        section,
        ..SectionCall::default()
    })
}

/// Puts content into a section: the whole body afterwards.
#[track_caller]
fn check(body: &str, section: &str, mode: &str, content: &str, expected: &str) -> String {
    let project = with(body);
    let told = project.put(section, mode, content).unwrap();
    let text = project.text("DEM-001-x.md");
    let head = HEAD.replace(": x", &format!(": {NOW}"));
    assert_eq!(text, format!("{head}{expected}"), "{mode} into {section}");
    told
}

#[test]
fn a_list_is_a_tree_in_the_order_of_the_document() {
    let project = with(
        "# Title\n\nIntro\n\n## Description\n\nabc\n\n### Problem\n\n```sh\n# no section\n```\n\n## Empty\n\nUnder\n-----\n\nx\n",
    );
    let (text, data) = list(&project, 0);
    assert_eq!(
        text,
        "📑 **Sections in CR DEM-001** - Title\n\nFound 3 sections:\n\n\
         - ## Description (40 chars)\n  - ### Problem (22 chars)\n- ## Empty (empty)\n- ## Under (1 chars)"
    );
    let shown: Vec<String> = data["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(shown.len(), 5);
    let expected = json!({"header": "### Problem", "level": 3, "path": "# Title / ## Description / ### Problem", "chars": 22, "empty": false});
    assert_eq!(shown[2], expected.to_string());
    assert_eq!(
        (&data["total"], &data["title"]),
        (&json!(5), &json!("Title"))
    );
    let (text, _) = list(&with("no headings\n"), 0);
    assert_eq!(
        text,
        "📑 **Sections in CR DEM-001** - x\n\nFound 0 sections: there are no headings outside of code."
    );
}

/// Reference 4.1, defect B5.
#[test]
fn headings_are_those_of_commonmark_outside_of_code() {
    let headings = |body: &str| -> Vec<String> {
        let sections = parse_sections(body);
        let shown = sections
            .iter()
            .map(|one| format!("{} {}", one.level, one.title));
        shown.collect()
    };
    for (body, expected) in [
        ("# A\n###### B\n", "1 A|6 B"),
        ("## A  \t\n", "2 A"),
        ("## A ##\n", "2 A"),
        ("  ## A\n", "2 A"),
        ("##A\n####### B\n", ""),
        ("A\n===\nB\n---\n", "1 A|2 B"),
        ("```\n# no\n```\n~~~\n# no\n~~~\n    # no\n", ""),
        ("<!--\n# no\n-->\n\n# A\n", "1 A"),
        ("- # no\n\n> # no\n\n# A\n", "1 A"),
        ("intro\n\n# A\n", "1 A"),
        ("````\n```\n# no\n````\n# A\n", "1 A"),
    ] {
        assert_eq!(headings(body).join("|"), expected, "{body:?}");
    }
}

#[test]
fn a_section_is_shown_in_the_words_of_the_seed() {
    let project = with("# T\n\n## 1. Implementation\n\n    code\n\ntext\n\n### Sub\n\n## Next\n");
    let (text, data) = get(&project, "implementation").unwrap();
    assert_eq!(
        text,
        "📖 **Section Content from CR DEM-001**\n\n**Section:** ## 1. Implementation\n**Content Length:** 23 characters\n\n\
         ---\n\n    code\n\ntext\n\n### Sub\n\n---\n\nUse `manage_cr_sections` with operation=\"update\" to modify this section."
    );
    assert_eq!(
        data,
        json!({"code": "DEM-001", "section": "## 1. Implementation", "level": 2, "path": "# T / ## 1. Implementation",
            "chars": 23, "content": "    code\n\ntext\n\n### Sub"})
    );
}

#[test]
fn a_change_is_told_in_the_words_of_the_seed() {
    let project = with("# T\n\n## A\n\nold\n");
    let call = SectionCall {
        key: "1",
        operation: "update",
        update_mode: Some("append"),
        section: Some("## A"),
        content: Some("\n\n### Notes\n\nNew"),
        ..SectionCall::default()
    };
    let (text, data) = project.sections(&call).unwrap();
    let file = project.path("DEM-001-x.md");
    assert_eq!(
        text,
        format!(
            "✅ **Updated Section in CR DEM-001**\n\n**Section:** ## A\n**Operation:** append\n**Content Length:** 16 characters\n\n\
             - Title: T\n- Updated: {NOW}\n- File: {}\n\nContent has been added to the end of the section.",
            file.display()
        )
    );
    let expected = json!({"code": "DEM-001", "title": "T", "section": "## A", "operation": "append", "contentLength": 16,
        "changed": true, "lastModified": NOW, "filePath": file});
    assert_eq!(data.to_string(), expected.to_string());
}

/// Defects B6 and B12.
#[test]
fn text_goes_where_it_belongs_with_one_blank_line_around_headings() {
    let body = "# T\n\n## A\n\nold\n\n### Sub\n\nmore\n\n## B\n\nend";
    check(
        body,
        "A",
        "append",
        "new",
        "# T\n\n## A\n\nold\n\n### Sub\n\nmore\n\nnew\n\n## B\n\nend",
    );
    check(
        body,
        "A",
        "prepend",
        "new",
        "# T\n\n## A\n\nnew\n\nold\n\n### Sub\n\nmore\n\n## B\n\nend",
    );
    let told = check(
        body,
        "A",
        "replace",
        "new",
        "# T\n\n## A\n\nnew\n\n## B\n\nend",
    );
    assert!(
        told.ends_with("completely replaced. 1 sub-section was removed with it: ### Sub."),
        "{told}"
    );
    check(
        body,
        "B",
        "append",
        "\nnew\n",
        "# T\n\n## A\n\nold\n\n### Sub\n\nmore\n\n## B\n\nend\n\nnew",
    );
    check(
        "# T\r\n## A\r\nold\r\n## B\r\n",
        "A",
        "append",
        "x\ny",
        "# T\r\n## A\r\nold\r\n\r\nx\r\ny\r\n\r\n## B\r\n",
    );
    check(
        "# T\n\n## A\n",
        "A",
        "replace",
        "a\\n\\nb $& \\\\n `c`  ",
        "# T\n\n## A\n\na\\n\\nb $& \\\\n `c`  \n",
    );
}

/// Defect B4 and reference 4.6: headers inside the content.
#[test]
fn a_leading_heading_names_the_section_and_later_ones_are_content() {
    let body = "# T\n\n## A\n\nold\n\n## B\n";
    check(
        body,
        "A",
        "replace",
        "## A\n\nnew",
        "# T\n\n## A\n\nnew\n\n## B\n",
    );
    let told = check(
        body,
        "A",
        "replace",
        "## Other $& $1\n\nnew",
        "# T\n\n## Other $& $1\n\nnew\n\n## B\n",
    );
    assert!(
        told.contains("The section is now called Other $& $1."),
        "{told}"
    );
    let told = check(
        body,
        "A",
        "replace",
        "## Other",
        "# T\n\n## Other\n\nold\n\n## B\n",
    );
    assert!(!told.contains("completely replaced"), "{told}");
    check(
        body,
        "A",
        "replace",
        "### Deeper\n\nnew",
        "# T\n\n## A\n\n### Deeper\n\nnew\n\n## B\n",
    );
    check(
        body,
        "A",
        "append",
        "## A\n\nnew",
        "# T\n\n## A\n\nold\n\nnew\n\n## B\n",
    );
    check(
        body,
        "A",
        "append",
        "## C\n\nnew",
        "# T\n\n## A\n\nold\n\n## C\n\nnew\n\n## B\n",
    );
    let later = "Alpha beta gamma delta epsilon\n\n## Next section\n\nmore";
    check(
        body,
        "A",
        "replace",
        later,
        &format!("# T\n\n## A\n\n{later}\n\n## B\n"),
    );
    check(
        "# T\n\nA\n---\n\nold\n", "A", "replace", "## N\n", "# T\n\n## N\n\nold\n",
    );
    check(
        "# T\n\n## A ##", "A", "replace", "## N\n\nx", "# T\n\n## N\n\nx\n",
    );
    check("# T\n\n## A ##", "A", "replace", "## N", "# T\n\n## N");
}

/// MDT-066: a new title must not cost the document.
#[test]
fn the_title_alone_changes_when_nothing_else_is_given() {
    let project = Project::with(&[(
        "DEM-001-x.md",
        "---\ncode: DEM-001\ntitle: T\n---\n# T\n\nintro\n\n## A\n",
    )]);
    project.put("# T", "replace", "# New: one\n").unwrap();
    let expected = format!(
        "---\ncode: DEM-001\ntitle: \"New: one\"\nlastModified: {NOW}\n---\n# New: one\n\nintro\n\n## A\n"
    );
    assert_eq!(project.text("DEM-001-x.md"), expected);
    let told = project.put("New", "replace", "all new").unwrap();
    assert!(told.contains("removed with it: ## A."), "{told}");
    assert!(
        project
            .text("DEM-001-x.md")
            .ends_with("# New: one\n\nall new\n")
    );
    let told = project.put("New", "replace", "all new").unwrap();
    assert!(
        told.ends_with("Nothing changed: the section reads like that already."),
        "{told}"
    );
}

/// Defect B11: whatever is listed is understood, the exact name first.
#[test]
fn names_mean_what_they_say_exactly_before_anything_longer() {
    let project = with(
        "# Functional thing\n\n## Functional\n\na\n\n## Non-Functional\n\nb\n\n## A\n\n### Detail\n\nc\n\n### Detail\n\nd\n\n## B\n\n### Detail\n\n#### Deep\n\ne\n\n## UI / UX\n\nf\n",
    );
    let found = |name: &str| {
        get(&project, name).map(|(_, data)| data["section"].as_str().unwrap().to_owned())
    };
    for (name, section) in [
        ("functional", "## Functional"),
        ("## Functional", "## Functional"),
        ("B / Detail / Deep", "#### Deep"),
        ("Functional thing / B / Detail", "## B / ### Detail"),
        ("## A / ### Detail (2)", "## A / ### Detail (2)"),
        ("ui / ux", "## UI / UX"),
        ("Non", "## Non-Functional"),
    ] {
        assert_eq!(found(name).unwrap(), section, "{name}");
    }
    let refused = get(&project, "Detail").unwrap_err();
    assert_eq!(
        refused["details"]["matches"],
        json!([
            "## A / ### Detail (1)", "## A / ### Detail (2)", "## B / ### Detail"
        ])
    );
    assert_eq!(refused["code"], "AMBIGUOUS_SECTION");
    check_code(
        &get(&project, "A / Detail").map(|(_, data)| data),
        "AMBIGUOUS_SECTION",
        "(2)",
    );
    let refused = get(&project, "## Invalid Section").unwrap_err();
    assert_eq!(
        (&refused["error"], &refused["code"]),
        (
            &json!("Section not found in document"),
            &json!("SECTION_NOT_FOUND")
        )
    );
    for name in refused["details"]["availableSections"].as_array().unwrap() {
        let name = name.as_str().unwrap();
        assert_eq!(found(name).unwrap(), name);
        project.put(name, "append", "more").unwrap();
    }
    project
        .put("## A / ### Detail (2)", "append", "second")
        .unwrap();
    assert!(
        project
            .text("DEM-001-x.md")
            .contains("d\n\nmore\n\nmore\n\nsecond\n\n## B")
    );
}

#[test]
fn calls_that_lack_something_or_say_two_things_are_refused() {
    let project = with("# T\n\n## A\n\n## B\n");
    let refused =
        |operation: &str, mode: Option<&str>, section: Option<&str>, content: Option<&str>| {
            let call = SectionCall {
                key: "1",
                operation,
                section,
                update_mode: mode,
                content,
                ..SectionCall::default()
            };
            project.sections(&call).map(|(_, data)| data)
        };
    let (a, text) = (Some("A"), Some("x"));
    for (answer, words) in [
        (
            refused("drop", None, a, text),
            "Invalid operation 'drop'. Must be one of: list, get, update",
        ),
        (refused("get", None, None, None), "section is required"),
        (refused("get", None, Some(" "), None), "section is required"),
        (refused("update", None, a, text), "updateMode is required"),
        (
            refused("update", Some("add"), a, text),
            "Invalid updateMode 'add'",
        ),
        (
            refused("replace", Some("append"), a, text),
            "it says append, the operation says replace",
        ),
        (refused("append", None, a, None), "content is required"),
        (
            refused("append", None, a, Some("\n ")),
            "content is required",
        ),
        (
            refused("append", None, a, Some("## A\n")),
            "only the section's own heading",
        ),
        (refused("append", None, a, Some("a\0")), "NUL"),
        (
            refused("append", None, a, Some(&"x".repeat(500_001))),
            "at most 500000 characters, got 500001",
        ),
        (
            refused("append", None, a, Some("```sh\nls")),
            "would swallow the section 'B'",
        ),
        (
            refused("append", None, a, Some("<!-- note")),
            "would swallow the section 'B'",
        ),
    ] {
        check_code(&answer, "VALIDATION_ERROR", words);
    }
    assert!(
        project.text("DEM-001-x.md").starts_with(HEAD),
        "nothing was written"
    );
    refused("append", Some("append"), a, text).unwrap();
}

#[test]
fn long_lists_and_long_sections_come_in_pieces() {
    let body: String = (0..2_000)
        .map(|n| format!("## Section number {n}\n\ntext\n\n"))
        .collect();
    let project = with(&body);
    let (mut offset, mut seen) = (0, 0);
    loop {
        let (text, data) = list(&project, offset);
        assert!(text.chars().count() < MAX_CHARS && data.to_string().chars().count() < MAX_CHARS);
        seen += data["sections"].as_array().unwrap().len();
        match data["next_offset"].as_u64() {
            Some(next) => offset = usize::try_from(next).unwrap(),
            None => break,
        }
    }
    assert_eq!(seen, 2_000);
    let long = "line\n".repeat(12_000);
    let (text, data) = get(&with(&format!("## A\n\n{long}")), "A").unwrap();
    assert!(text.chars().count() < MAX_CHARS && text.contains("call again with offset"));
    assert_eq!(data["chars"], 59_999);
    assert!(data["next_offset"].as_u64().unwrap() >= 20_000);
}

fn body() -> impl Strategy<Value = String> {
    let block = prop::sample::select(vec![
        "# H\n", "## A\n", "## B ##\n\n", "## b\n", "### C\ntext\n", "## A / ### C\n", "##\n",
        "#### D (2)\n\n", "text\n\n", "```\n# no\n```\n", "~~~sh\n## no\n~~~\n\n",
        "| a |\n|---|\n| b |\n", "- item\n", "<!--\n# no\n-->\n\n", "Set\n---\n", "\n",
        "    # code\n\n", "\u{e9}\u{1f600} text\n",
    ]);
    let parts = (
        prop::collection::vec(block, 1..14),
        any::<bool>(),
        any::<bool>(),
    );
    parts.prop_map(|(blocks, crlf, has_final_break)| {
        let mut body = blocks.concat();
        if !has_final_break {
            body.truncate(body.trim_end().len());
        }
        if crlf {
            body.replace('\n', "\r\n")
        } else {
            body
        }
    })
}

proptest! {
    /// Every section can be asked for by the name that a list shows, and a change of it leaves every
    /// byte outside as it is.
    #[test]
    fn nothing_outside_of_the_section_changes(
        body in body(),
        pick in any::<prop::sample::Index>(),
        mode in prop::sample::select(vec![SectionMode::Replace, SectionMode::Append, SectionMode::Prepend]),
        text in prop::sample::select(vec!["fresh", "fresh\n\n### Sub\n\nmore\n", "```\n# fresh\n```", "\n\n- fresh\n"]),
    ) {
        let sections = parse_sections(&body);
        prop_assume!(!sections.is_empty());
        let at = pick.index(sections.len());
        let section = &sections[at];
        let name = names(&sections).swap_remove(at);
        let change = match rewrite(&body, &name, mode, text, "DEM-001") {
            // In a document that is broken already nothing is made worse.
            Err(TicketError::Validation { .. }) => return Ok(()),
            change => change.unwrap(),
        };
        prop_assert_eq!(&change.name, &name);
        let changed = apply(&body, &change.edits).unwrap();
        let (before, behind) = (&body[..section.heading.end], &body[section.content.end..]);
        prop_assert!(changed.starts_with(before) && changed.ends_with(behind));
        prop_assert!(changed.contains("fresh"));
        let after = parse_sections(&changed);
        prop_assert_eq!(&after[at].title, &section.title);
        prop_assert!(content(&changed, &after[at]).contains("fresh"));
        let kept = content(&body, section);
        if mode != SectionMode::Replace {
            prop_assert!(changed.contains(kept), "what was there stays");
        }
    }

    /// The check of what follows reads a part of the document, and finds what reading all of it finds.
    #[test]
    fn a_section_behind_is_lost_or_kept_as_the_whole_document_says(
        body in body(),
        pick in any::<prop::sample::Index>(),
        mode in prop::sample::select(vec![SectionMode::Replace, SectionMode::Append, SectionMode::Prepend]),
        text in prop::sample::select(vec![
            "```\n", "~~~~\n# no\n~~~\n", "<!--\n", "<!-- a -->", "<div>\n", "<script>", "- a\n\n  ", "> quote",
            "[a]: /u \"", "| a |\n|--", "    code", "text", "text\n\n```sh\nls\n```", "1. a\n   ```\n", "\\",
        ]),
    ) {
        let sections = parse_sections(&body);
        prop_assume!(!sections.is_empty());
        let at = pick.index(sections.len());
        let section = &sections[at];
        let place = match mode {
            SectionMode::Replace => SectionPlace::Whole,
            SectionMode::Append => SectionPlace::End,
            SectionMode::Prepend => SectionPlace::Start,
        };
        let changed = apply(&body, &[put(&body, section, text, place)]).unwrap();
        let behind = |body: &str, from: usize| -> Vec<(u8, String)> {
            let found = parse_sections(body).into_iter().filter(|section| section.heading.start >= from);
            found.map(|section| (section.level, section.title)).collect()
        };
        let end = section.content.end;
        let is_kept = behind(&body, end) == behind(&changed, end + changed.len() - body.len());
        let name = names(&sections).swap_remove(at);
        prop_assert_eq!(rewrite(&body, &name, mode, text, "DEM-001").is_ok(), is_kept);
    }
}
