//! Work of other programs as specs: what maps, what is reported, and that a second time changes nothing.

use std::fs;
use std::path::Path;

use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_base::error::ErrorKind;
use chant_workspace::Workspace;
use chant_workspace::import::{ImportRequest, import as import_with};
use serde_json::{Value, json};

use crate::workspace::{Place, opened};

fn import(
    workspace: &Workspace,
    path: &Path,
    format: Option<&str>,
    dry_run: bool,
) -> Result<Answer, Error> {
    let request = ImportRequest {
        format,
        dry_run,
        ..ImportRequest::default()
    };
    import_with(workspace, path, &request)
}

impl Place {
    fn import(&self, path: &Path, dry_run: bool) -> Value {
        let answer = import(&self.workspace, path, None, dry_run).unwrap();
        serde_json::from_str(&answer.text).unwrap()
    }

    /// The text of the spec that came from somewhere.
    fn imported(&self, origin: &str) -> String {
        let files = fs::read_dir(self.path(".chant/specs")).unwrap();
        let texts = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
        let is_it = |line: &str| {
            let from = line.strip_prefix("imported_from: ");
            from.is_some_and(|from| without_source(from.trim_matches('\'')) == origin)
        };
        let mut found = texts.filter(|text| text.lines().any(is_it));
        let text = found.next().unwrap();
        assert_eq!(found.next(), None, "{origin} came twice");
        text
    }

    fn count(&self) -> usize {
        fs::read_dir(self.path(".chant/specs")).unwrap().count()
    }
}

/// An origin as its reader names it, without the source; that of a plan has its file.
fn without_source(origin: &str) -> String {
    let Some((format, (source, id))) = origin
        .split_once(':')
        .and_then(|(format, rest)| Some((format, rest.rsplit_once('#')?)))
    else {
        return origin.to_owned();
    };
    match format {
        "vine" => format!("vine:{}#{id}", source.rsplit('/').next().unwrap()),
        _ => format!("{format}:{id}"),
    }
}

fn ids(told: &Value) -> Vec<(String, String)> {
    let entries = told["created"].as_array().unwrap().iter();
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap().to_owned();
    entries
        .map(|entry| (without_source(&text(entry, "from")), text(entry, "id")))
        .collect()
}

fn unmapped(told: &Value) -> String {
    let entries = told["unmapped"].as_array().unwrap().iter();
    let line = |entry: &Value| format!("{} {}: {}", entry["item"], entry["key"], entry["why"]);
    entries
        .map(|entry| line(entry).replace('"', ""))
        .collect::<Vec<_>>()
        .join("\n")
}

#[track_caller]
fn holds(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

fn issues() -> String {
    let lines = [
        json!({"id": "bd-1", "title": "Harbour", "issue_type": "epic", "status": "open", "priority": 1}),
        json!({"id": "bd-2", "title": "Quay\nwall", "description": "Stone by stone.", "design": "Drawn.",
               "notes": "Mind the tide.", "acceptance_criteria": "- Stands\n- [x] Is dry", "status": "closed",
               "closed_at": "2026-01-05T10:00:00Z", "priority": 0, "issue_type": "feature",
               "assignee": "ada", "labels": ["stone", "v2: wall"], "external_ref": "gh-9",
               "created_at": "2026-01-01T10:00:00Z", "estimated_minutes": 90, "content_hash": "abc",
               "comments": [{"id": 1, "author": "bob", "text": "Well done.", "created_at": "2026-01-05"}],
               "dependencies": [{"issue_id": "bd-2", "depends_on_id": "bd-1", "type": "parent-child"}]}),
        json!({"id": "bd-3", "title": "Crane", "status": "open", "issue_type": "task", "priority": 2,
               "acceptance_criteria": "It lifts.",
               "dependencies": [
                   {"issue_id": "bd-3", "depends_on_id": "bd-2", "type": "blocks"},
                   {"issue_id": "bd-3", "depends_on_id": "bd-1", "type": "parent-child"},
                   {"issue_id": "bd-3", "depends_on_id": "bd-99", "type": "blocks"},
                   {"issue_id": "bd-3", "depends_on_id": "bd-4", "type": "discovered-from"},
                   {"issue_id": "bd-3", "depends_on_id": "bd-2", "type": "duplicates"}]}),
        json!({"id": "bd-4", "title": "Light", "status": "deferred", "issue_type": "bug",
               "dependencies": [{"issue_id": "bd-4", "depends_on_id": "bd-5", "type": "blocks"}]}),
        json!({"id": "bd-5", "title": "Lamp", "status": "in_progress",
               "acceptance_criteria": "Much prose\n\nin paragraphs.",
               "dependencies": [{"issue_id": "bd-5", "depends_on_id": "bd-4", "type": "blocks"}]}),
        json!({"id": "bd-5.1", "title": "Wick", "status": "blocked"}),
        json!({"id": "bd-6", "title": "Gone", "status": "tombstone"}),
    ];
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    format!("{}\nno json\n", lines.join("\n"))
}

#[test]
fn issues_of_beads_become_specs_and_what_does_not_map_is_told() {
    let place = Place::new();
    place.write("other/.beads/issues.jsonl", &issues());
    let told = place.import(&place.path("other"), false);
    assert_eq!(told["format"], "beads");
    let ids = ids(&told);
    assert_eq!(ids.len(), 6);
    let id = |origin: &str| {
        ids.iter()
            .find(|(from, _)| from == origin)
            .unwrap()
            .1
            .clone()
    };
    assert!(id("beads:bd-1").starts_with("2026-01-23-001-"));
    assert_eq!(id("beads:bd-2"), format!("{}.1", id("beads:bd-1")));
    assert_eq!(id("beads:bd-5.1"), format!("{}.1", id("beads:bd-5")));
    holds(
        &place.imported("beads:bd-1"),
        &["type: driver\n", "priority: \"1\"\n", "# Harbour\n"],
    );
    holds(
        &place.imported("beads:bd-2"),
        &[
            "status: completed\n",
            "depends_on: []\n",
            "- stone\n",
            "- \"v2: wall\"\n",
            "- feature\n",
            "completed_at: 2026-01-05T10:00:00Z\n",
            "assignee: ada\n",
            "external_ref: gh-9\n",
            "estimated_minutes: \"90\"\n",
            "# Quay wall\n",
            "Stone by stone.\n",
            "## Design\n\nDrawn.\n",
            "## Notes\n\nMind the tide.\n",
            "## Acceptance Criteria\n\n- [ ] Stands\n- [x] Is dry\n",
            "**bob** 2026-01-05\n\nWell done.\n",
        ],
    );
    let crane = place.imported("beads:bd-3");
    let waits = format!("depends_on:\n- {}\n", id("beads:bd-2"));
    let from = format!("discovered_from:\n- {}\n", id("beads:bd-4"));
    holds(
        &crane,
        &["status: pending\n", &waits, &from, "- [ ] It lifts.\n"],
    );
    holds(
        &place.imported("beads:bd-4"),
        &["imported_status: deferred\n", "- bug\n"],
    );
    holds(
        &place.imported("beads:bd-5"),
        &["status: in_progress\n", "Much prose\n\nin paragraphs.\n"],
    );
    holds(
        &unmapped(&told),
        &[
            "bd-2 acceptance_criteria: it is closed there",
            "bd-2 content_hash: specs have nothing like it",
            "bd-3 dependencies: `duplicates` to bd-2",
            "bd-3 depends_on: beads:other#bd-99 is not there",
            "bd-4 status: `deferred` is not known and became `needs_attention`",
            "in a circle",
            "bd-6 status: it was deleted",
            "line 8 line: it is no JSON object",
            "bd-5 acceptance_criteria: they are no list",
        ],
    );
    let snapshot = place.chant.snapshot().unwrap();
    assert_eq!(snapshot.specs.problems(), []);
    assert!(snapshot.specs.graph().cycles().is_empty());
}

const TASK: &str = "---\nid: BACK-7\ntitle: Load lists\nstatus: In Progress\nassignee: [@ada, @bob]\n\
created_date: '2026-01-02 10:00'\nlabels:\n  - web\ndependencies:\n  - back-6\nreferences:\n  - 'docs/x.md'\n\
priority: high\nmilestone: m1\nordinal: 1000\non_status_change: run.sh\n---\n\n## Description\n\n\
<!-- SECTION:DESCRIPTION:BEGIN -->\nAs *fast* as can be.\n<!-- SECTION:DESCRIPTION:END -->\n\n\
## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [x] #1 Loads\n- [ ] #2 Shows #3 rows\n<!-- AC:END -->\n\n\
## Definition of Done\n<!-- DOD:BEGIN -->\n- [ ] #1 Tested\n<!-- DOD:END -->\n";

#[test]
fn tasks_of_backlog_become_specs_with_their_sections() {
    let place = Place::new();
    place.write("other/backlog/config.yml", "task_prefix: back\n");
    place.write("other/backlog/tasks/back-7 - Load-lists.md", TASK);
    let part = "---\nid: BACK-7.2\ntitle: Part\nstatus: To Do\nparent_task_id: BACK-7\n---\n";
    place.write("other/backlog/tasks/back-7.2 - Part.md", part);
    let done = "---\nid: BACK-6\ntitle: Store lists\nstatus: Done\n---\n";
    place.write("other/backlog/completed/back-6 - Store-lists.md", done);
    let told = place.import(&place.path("other/backlog"), false);
    let ids = ids(&told);
    let id = |origin: &str| {
        ids.iter()
            .find(|(from, _)| from == origin)
            .unwrap()
            .1
            .clone()
    };
    assert_eq!(
        id("backlog:back-7.2"),
        format!("{}.2", id("backlog:back-7"))
    );
    let text = place.imported("backlog:back-7");
    let waits = format!("depends_on:\n- {}\n", id("backlog:back-6"));
    holds(
        &text,
        &[
            "type: driver\n",
            "status: in_progress\n",
            &waits,
            "- web\n",
            "assignee: \"@ada, @bob\"\n",
            "priority: high\n",
            "milestone: m1\n",
            "references:\n- docs/x.md\n",
            "# Load lists\n",
            "As *fast* as can be.\n",
            "- [x] Loads\n- [ ] Shows #3 rows\n",
            "## Definition of Done\n",
        ],
    );
    assert!(!text.contains("<!--"), "{text}");
    let spec = place
        .chant
        .snapshot()
        .unwrap()
        .specs
        .find(&id("backlog:back-7"))
        .cloned()
        .unwrap();
    assert_eq!(spec.criteria.len(), 2);
    holds(&unmapped(&told), &["BACK-7 on_status_change:"]);
}

#[test]
fn tasks_of_a_graph_become_specs() {
    let place = Place::new();
    place.spec("2026-01-22-009-own", "");
    let plan = place.write(
        "other.vine",
        "vine 1.2.0\n---\n[root] Root (planning) @owner(ada) @tags(a,b)\nText.\n-> a\n-> docs\n> On a Tuesday\n\
         @artifact text/plain ./x.txt\n---\n[a] A (complete) @needs(chant:2026-01-22-009-own)\n---\nref [docs] Docs (./docs.vine)\n",
    );
    let told = place.import(&plan, false);
    let ids = ids(&told);
    let text = place.imported("vine:other.vine#root");
    let waits = format!("depends_on:\n- {}\n- {}\n", ids[1].1, ids[2].1);
    holds(
        &text,
        &[
            &waits,
            "assignee: ada\n",
            "vine_tags:\n- a\n- b\n",
            "Text.\n",
            "## Decisions\n\n- On a Tuesday\n",
            "- artifact: ./x.txt (text/plain)\n",
            "imported_status: planning\n",
        ],
    );
    holds(
        &place.imported("vine:other.vine#a"),
        &["status: completed\n", "- 2026-01-22-009-own\n"],
    );
    holds(&unmapped(&told), &["docs ref: it stands for ./docs.vine"]);
}

#[test]
fn specs_of_another_project_keep_their_texts() {
    let place = Place::new();
    let specs = "other/.chant/specs";
    let text = "---\n# mine\nstatus: completed # yes\ncustom: [1, 2]\ncommits: [abc1234]\n---\n# A\n\nText  \n";
    place.write(&format!("{specs}/2025-01-01-001-aaa.md"), text);
    let driver = "---\ntype: driver\nmembers: [2025-01-01-002-bbb.1]\n---\n# B\n";
    place.write(&format!("{specs}/2025-01-01-002-bbb.md"), driver);
    let member =
        "---\nstatus: in_progress\ndepends_on: [2025-01-01-001-aaa, gone, \"lib:x\"]\n---\n# C\n";
    place.write(&format!("{specs}/2025-01-01-002-bbb.1.md"), member);
    place.write(&format!("{specs}/broken.md"), "---\nlabels: [\n---\n");
    let told = place.import(&place.path("other"), false);
    let ids = ids(&told);
    assert_eq!(ids.len(), 3);
    let kept = place.imported("chant:2025-01-01-001-aaa");
    holds(
        &kept,
        &[
            "# mine\nstatus: completed # yes\n",
            "custom: [1, 2]\n",
            "# A\n\nText  \n",
        ],
    );
    let part = place.imported("chant:2025-01-01-002-bbb.1");
    holds(&part, &["status: pending\n", &ids[0].1, "lib:x"]);
    assert!(!part.contains("gone"));
    let part_id = &ids
        .iter()
        .find(|(from, _)| from.ends_with("bbb.1"))
        .unwrap()
        .1;
    holds(
        &place.imported("chant:2025-01-01-002-bbb"),
        &["type: driver\n", part_id],
    );
    holds(
        &unmapped(&told),
        &[
            "broken file:",
            "chant:gone is not there",
            "`lib:x` was kept",
            "status: `in_progress` became `pending`",
        ],
    );
    let error = import(&place.workspace, place.folder.path(), Some("chant"), false).unwrap_err();
    assert!(
        error.to_string().contains("it is this project itself"),
        "{error}"
    );
}

#[test]
fn a_second_import_brings_only_what_is_new_also_after_archiving() {
    let place = Place::new();
    let file = place.write("other/.beads/issues.jsonl", &issues());
    let first = ids(&place.import(&file, false));
    let archived = &first
        .iter()
        .find(|(from, _)| from == "beads:bd-4")
        .unwrap()
        .1;
    fs::create_dir_all(place.path(".chant/archive/2026-01-23")).unwrap();
    let from = place.path(&format!(".chant/specs/{archived}.md"));
    fs::rename(
        from,
        place.path(&format!(".chant/archive/2026-01-23/{archived}.md")),
    )
    .unwrap();
    let count = place.count();
    let again = place.import(&file, false);
    assert_eq!(again["created"], json!([]));
    assert_eq!(again["present"].as_array().unwrap().len(), 6);
    assert_eq!(place.count(), count);
    let new = json!({"id": "bd-7", "title": "New", "dependencies": [
        {"issue_id": "bd-7", "depends_on_id": "bd-3", "type": "blocks"},
        {"issue_id": "bd-7", "depends_on_id": "bd-1", "type": "parent-child"}]});
    place.write("other/.beads/issues.jsonl", &format!("{}{new}\n", issues()));
    let (workspace, _) = opened(place.workspace.root());
    import(&workspace, &file, None, false).unwrap();
    let id = |origin: &str| {
        first
            .iter()
            .find(|(from, _)| from == origin)
            .unwrap()
            .1
            .clone()
    };
    holds(&place.imported("beads:bd-7"), &[&id("beads:bd-3")]);
    assert_eq!(place.count(), count + 1);
    let name = format!(".chant/specs/{}.3.md", id("beads:bd-1"));
    assert!(
        place.path(&name).exists(),
        "it is a member of what came before"
    );
}

#[test]
fn a_dry_run_writes_nothing_and_says_the_same() {
    let place = Place::new();
    let file = place.write("other/.beads/issues.jsonl", &issues());
    let dry = place.import(&file, true);
    assert_eq!(place.count(), 0);
    assert_eq!(dry["created"][0]["id"], Value::Null);
    let wet = place.import(&file, false);
    assert_eq!(dry["unmapped"], wet["unmapped"]);
    assert_eq!(
        dry["created"].as_array().unwrap().len(),
        wet["created"].as_array().unwrap().len()
    );
}

#[test]
fn what_is_no_source_is_refused_with_what_was_expected() {
    let place = Place::new();
    let refused = |path: &Path, format: Option<&str>| {
        let error = import(&place.workspace, path, format, false).unwrap_err();
        (error.kind(), error.to_string())
    };
    let empty = place.path("docs");
    assert!(
        refused(&empty, None)
            .1
            .contains("Name the format: chant, vine, beads, openspec, kiro, backlog, csv")
    );
    assert!(
        refused(&empty, Some("beads"))
            .1
            .contains("it has nothing of beads; expected .beads/issues.jsonl")
    );
    assert_eq!(refused(&empty, Some("jira")).0, ErrorKind::InvalidArgument);
    assert!(
        refused(&place.path("gone"), None)
            .1
            .contains("there is nothing of that name. Give the file or folder")
    );
    assert!(
        refused(place.folder.path(), Some("chant"))
            .1
            .contains("Give another project's folder")
    );
}

/// Imports issues, given as JSON, over what there is.
fn brought(place: &Place, issues: &[Value]) -> Value {
    let lines: Vec<String> = issues.iter().map(|issue| format!("{issue}\n")).collect();
    let file = place.write("other/.beads/issues.jsonl", &lines.concat());
    place.import(&file, false)
}

fn id_of(told: &Value, origin: &str) -> String {
    let found = ids(told).into_iter().find(|(from, _)| from == origin);
    found.unwrap().1
}

fn part_of(id: &str, parent: &str) -> Value {
    json!({"issue_id": id, "depends_on_id": parent, "type": "parent-child"})
}

#[test]
fn issues_keep_the_numbers_that_their_ids_tell() {
    let place = Place::new();
    let mut issues = vec![json!({"id": "bd-1", "title": "Harbour"})];
    for id in ["bd-1.1", "bd-1.10", "bd-1.2"] {
        issues.push(json!({"id": id, "title": id, "dependencies": [part_of(id, "bd-1")]}));
    }
    issues.push(json!({"id": "bd-2", "title": "Quay"}));
    issues.push(
        json!({"id": "bd-1.7", "title": "Moved", "dependencies": [part_of("bd-1.7", "bd-2")]}),
    );
    let told = brought(&place, &issues);
    let harbour = id_of(&told, "beads:bd-1");
    for number in ["1", "10", "2"] {
        let id = id_of(&told, &format!("beads:bd-1.{number}"));
        assert_eq!(id, format!("{harbour}.{number}"));
    }
    assert_eq!(
        id_of(&told, "beads:bd-1.7"),
        format!("{}.1", id_of(&told, "beads:bd-2"))
    );
}

#[test]
fn items_that_begin_with_a_bracket_are_criteria_too() {
    let place = Place::new();
    let criteria = "- [API](x) answers\n- [x] Is dry\n- [ ] Stands";
    let told = brought(
        &place,
        &[json!({"id": "bd-1", "title": "Quay", "acceptance_criteria": criteria})],
    );
    holds(
        &place.imported("beads:bd-1"),
        &["- [ ] [API](x) answers\n- [x] Is dry\n- [ ] Stands\n"],
    );
    let snapshot = place.chant.snapshot().unwrap();
    let spec = snapshot.specs.find(&id_of(&told, "beads:bd-1")).unwrap();
    assert_eq!(spec.criteria.len(), 3);
}

#[test]
fn a_part_of_what_is_archived_stands_for_itself() {
    let place = Place::new();
    let harbour = json!({"id": "bd-1", "title": "Harbour"});
    let id = id_of(
        &brought(&place, std::slice::from_ref(&harbour)),
        "beads:bd-1",
    );
    let archived = format!(".chant/archive/2026-01-23/{id}.md");
    fs::create_dir_all(place.path(&archived).parent().unwrap()).unwrap();
    let active = place.path(&format!(".chant/specs/{id}.md"));
    fs::rename(active, place.path(&archived)).unwrap();
    let told = brought(&place, &[harbour, json!({"id": "bd-1.1", "title": "Wall"})]);
    let wall = id_of(&told, "beads:bd-1.1");
    assert!(!wall.starts_with(&id), "{wall}");
    let why = format!(
        "bd-1.1 parent: beads:other#bd-1 is archived as {id}, so that it stands for itself"
    );
    holds(&unmapped(&told), &[&why]);
}

#[test]
fn an_archived_file_that_cannot_be_read_is_told_before_anything_comes_in_twice() {
    let place = Place::new();
    let broken = ".chant/archive/2026-01-01/2026-01-01-001-aaa.md";
    let bare = ".chant/archive/2026-01-01/2026-01-01-002-bbb.md";
    place.write(
        bare,
        "# Without front matter, but with words: imported_from\n",
    );
    for text in [
        &b"---\nimported_from: beads:bd-1\nlabels: [\n---\n# A\n"[..],
        b"\xff\xfe",
    ] {
        place.write(broken, "");
        fs::write(place.path(broken), text).unwrap();
        let issue = json!({"id": "bd-1", "title": "A"}).to_string();
        let file = place.write("other/.beads/issues.jsonl", &issue);
        for dry_run in [true, false] {
            let error = import(&place.workspace, &file, None, dry_run).unwrap_err();
            assert!(error.to_string().contains(broken), "{error}");
        }
        assert_eq!(place.count(), 0);
    }
    fs::remove_file(place.path(broken)).unwrap();
    brought(&place, &[json!({"id": "bd-1", "title": "A"})]);
    assert_eq!(place.count(), 1);
}

#[test]
fn what_comes_later_closes_no_circle_over_what_was_there() {
    let place = Place::new();
    let harbour = json!({"id": "bd-1", "title": "Harbour"});
    let first = brought(&place, std::slice::from_ref(&harbour));
    let harbour_id = id_of(&first, "beads:bd-1");
    let waiting = "2026-01-20-001-own";
    place.spec(waiting, &format!("depends_on: [{harbour_id}]\n"));
    let new = [
        harbour,
        json!({"id": "bd-1.3", "title": "Wall", "dependencies": [
            {"issue_id": "bd-1.3", "depends_on_id": "bd-9", "type": "blocks"},
            {"issue_id": "bd-1.3", "depends_on_id": "bd-8", "type": "blocks"}]}),
        json!({"id": "bd-8", "title": "Stone"}),
    ];
    let own = place.path(&format!(".chant/specs/{waiting}.md"));
    let text = fs::read_to_string(&own).unwrap();
    let text = text.replacen("---\n", "---\nimported_from: beads:other#bd-9\n", 1);
    fs::write(&own, text).unwrap();
    let told = brought(&place, &new);
    assert_eq!(told["created"].as_array().unwrap().len(), 2, "{told}");
    let snapshot = place.chant.snapshot().unwrap();
    assert!(snapshot.specs.graph().cycles().is_empty());
    let wall = place.imported("beads:bd-1.3");
    holds(&wall, &[&id_of(&told, "beads:bd-8")]);
    let why = format!("bd-1.3 depends_on: {waiting} waits for it in a circle; left out");
    holds(&unmapped(&told), &[&why]);
}

#[test]
fn only_what_is_a_part_of_itself_is_told_so() {
    let place = Place::new();
    let issue = |id: &str, parent: &str| json!({"id": id, "title": id, "dependencies": [part_of(id, parent)]});
    let told = brought(
        &place,
        &[
            issue("below", "one"),
            issue("one", "two"),
            issue("two", "one"),
        ],
    );
    assert_eq!(
        unmapped(&told),
        "one parent: it is a part of itself; left out"
    );
    let one = id_of(&told, "beads:one");
    assert_eq!(id_of(&told, "beads:below"), format!("{one}.1"));
    assert_eq!(id_of(&told, "beads:two"), format!("{one}.2"));
}
