//! All dialects of a folder in one graph: keys, what is done and ready across them, and that a change
//! is seen whatever it touches.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chant_base::answer::{Answer, PageRequest};
use chant_base::error::{Error, ErrorKind};
use chant_base::next_step::DoorKind;
use chant_spec_runs::recorded_runs::RecordedRuns;
use chant_speckit::files::FeatureStore;
use chant_speckit::resolve::SearchStart;
use chant_specs::project::{Project, ProjectOptions, ZonedClock};
use chant_store::disk::Disk;
use chant_tickets::project_registry::ProjectRegistry;
use chant_tickets::projects::DiscoveryInputs;
use chant_vine::files::VineStore;
use chant_workspace::export::{ExportFormat, FIELDS, ItemExport};
use chant_workspace::filter::ItemFilter;
use chant_workspace::ops::{self, GraphOptions};
use chant_workspace::workspace_graph::WorkspaceGraph;
use chant_workspace::{DialectStores, Workspace, external_items};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const SPEC: &str = "2026-01-22-001-x7m";

/// A folder with work files, and everything opened on it.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
    pub(crate) workspace: Workspace,
    pub(crate) chant: Arc<Project>,
}

fn now() -> Timestamp {
    "2026-01-23T10:00:00Z".parse().unwrap()
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::on(&crate::own_disk())
    }

    pub(crate) fn on(disk: &Disk) -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join(".chant/specs")).unwrap();
        fs::create_dir_all(folder.path().join("docs/CRs")).unwrap();
        let config = "[project]\nname = \"Demo\"\ncode = \"DEM\"\n";
        fs::write(folder.path().join(".mdt-config.toml"), config).unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (workspace, chant) = opened_on(&root, disk);
        Self {
            folder,
            workspace,
            chant,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn spec(&self, id: &str, yaml: &str) {
        let text = format!("---\n{yaml}---\n\n# Spec {id}\n");
        self.write(&format!(".chant/specs/{id}.md"), &text);
    }

    pub(crate) fn ticket(&self, number: u32, yaml: &str) {
        let text = format!("---\ncode: DEM-{number:03}\n{yaml}---\n\n# Ticket {number}\n");
        self.write(&format!("docs/CRs/DEM-{number:03}.md"), &text);
    }

    fn plan(&self, tasks: &str) {
        self.write("plan.vine", &format!("vine 1.2.0\n---\n{tasks}"));
    }

    /// Key, state and what it waits for of each item; `+` behind the state of what is ready, `!` behind
    /// that of what is done.
    #[track_caller]
    pub(crate) fn check(&self, expected: &[&str]) {
        assert_eq!(told(&self.workspace.snapshot().unwrap()), expected);
        let (anew, _) = opened(self.workspace.root());
        assert_eq!(told(&anew.snapshot().unwrap()), expected, "as if read anew");
    }
}

fn told(joined: &WorkspaceGraph) -> Vec<String> {
    let line = |item: chant_workspace::item::Item<'_>| {
        let mark = match (item.is_ready(), item.is_done()) {
            (true, _) => "+",
            (_, true) => "!",
            _ => "",
        };
        let waits = item.waits_for().join(" ");
        let line = format!("{} {}{mark} {waits}", item.key(), item.status());
        line.trim_end().to_owned()
    };
    joined.items().map(line).collect()
}

pub(crate) fn opened(root: &Path) -> (Workspace, Arc<Project>) {
    opened_on(root, &crate::own_disk())
}

fn opened_on(root: &Path, disk: &Disk) -> (Workspace, Arc<Project>) {
    let options = ProjectOptions {
        root: root.to_owned(),
        user_config: None,
        searched: Vec::new(),
        environment: BTreeMap::new(),
        program: Vec::new(),
        prompts: None,
        trust: None,
        runs: &RecordedRuns,
        clock: ZonedClock {
            now,
            zone: TimeZone::UTC,
        },
        disk: disk.clone(),
    };
    let chant = Project::open(options)
        .unwrap()
        .with_external(external_items(root));
    let chant = Arc::new(chant);
    let surroundings = DiscoveryInputs {
        start: root.to_owned(),
        ..DiscoveryInputs::default()
    };
    let files = VineStore::new(disk.clone(), root.to_owned(), Vec::new(), true);
    let start = SearchStart {
        folder: root.to_owned(),
        root: root.to_owned(),
        environment: BTreeMap::new(),
    };
    let parts = DialectStores {
        chant: Arc::clone(&chant),
        vine: Arc::new(files.with_external(external_items)),
        speckit: Arc::new(
            FeatureStore::new(start, disk.clone(), now).with_external(external_items),
        ),
        tickets: Arc::new(
            ProjectRegistry::open(surroundings, disk.clone(), now).with_external(external_items),
        ),
    };
    (Workspace::open(root, parts), chant)
}

pub(crate) fn data(answer: &Answer) -> Value {
    serde_json::from_str(&answer.text).unwrap()
}

#[test]
fn items_wait_for_items_of_other_dialects_until_these_are_done() {
    let place = Place::new();
    let needs = "depends_on: [\"vine:plan.vine#build\", \"tickets:DEM-2\"]\n";
    place.spec(SPEC, needs);
    place.spec("2026-01-22-002-k3f", "status: pending\n");
    place.plan("[root] Root (notstarted)\n-> build\n-> test\n---\n[build] Build (reviewing)\n---\n[test] Test (notstarted) @needs(chant:2026-01-22-002-k3f)\n");
    place.ticket(2, "status: Approved\ndependsOn: chant:2026-01-22-002-k3f\n");
    place.check(&[
        "chant:2026-01-22-001-x7m blocked vine:plan.vine#build tickets:DEM-002",
        "chant:2026-01-22-002-k3f pending+",
        "vine:plan.vine#root notstarted vine:plan.vine#test",
        "vine:plan.vine#build reviewing",
        "vine:plan.vine#test notstarted chant:2026-01-22-002-k3f",
        "tickets:DEM-002 Approved chant:2026-01-22-002-k3f",
    ]);
    place.spec("2026-01-22-002-k3f", "status: completed\n");
    place.check(&[
        "chant:2026-01-22-001-x7m blocked vine:plan.vine#build tickets:DEM-002",
        "chant:2026-01-22-002-k3f completed!",
        "vine:plan.vine#root notstarted vine:plan.vine#test",
        "vine:plan.vine#build reviewing",
        "vine:plan.vine#test notstarted+",
        "tickets:DEM-002 Approved+",
    ]);
    place.ticket(2, "status: Rejected\n");
    place.plan("[root] Root (notstarted)\n-> build\n---\n[build] Build (complete)\n");
    place.check(&[
        "chant:2026-01-22-001-x7m pending+",
        "chant:2026-01-22-002-k3f completed!",
        "vine:plan.vine#root notstarted+",
        "vine:plan.vine#build complete!",
        "tickets:DEM-002 Rejected!",
    ]);
}

#[test]
fn a_task_under_review_holds_up_the_tasks_of_other_files() {
    let place = Place::new();
    place.plan("[root] Root (notstarted) @needs(vine:other.vine#build)\n");
    let other = "[root] Root (notstarted)\n-> build\n---\n[build] Build (reviewing)\n";
    place.write("other.vine", &format!("vine 1.2.0\n---\n{other}"));
    let held_up = "vine:plan.vine#root notstarted vine:other.vine#build";
    place.check(&[
        "vine:other.vine#root notstarted+",
        "vine:other.vine#build reviewing",
        held_up,
    ]);
}

#[test]
fn what_is_named_and_not_there_blocks_and_says_why() {
    let place = Place::new();
    place.plan("[root] Root (notstarted) @needs(chant:gone)\n");
    for (name, why) in [
        ("vine:plan.vine#gone", "no task gone in plan.vine"),
        ("vine:gone.vine#a", "gone.vine"),
        (
            "vine:plan.vine",
            "expected a key such as vine:plan.vine#task",
        ),
        ("vine:../other.vine#a", "other.vine"),
        ("tickets:DEM-9", "no such ticket"),
        ("tickets:nine", "nine is no code"),
    ] {
        place.spec(SPEC, &format!("depends_on: [\"{name}\"]\n"));
        let snapshot = place.chant.snapshot().unwrap();
        let spec = snapshot.specs.find(SPEC).unwrap();
        assert!(!snapshot.specs.is_ready(spec), "{name}");
        let told = format!("{:?}", snapshot.specs.waits(spec));
        assert!(told.contains(why), "{name}: {told}");
    }
    let joined = place.workspace.snapshot().unwrap();
    let root = joined.graph().find("vine:plan.vine#root").unwrap();
    assert!(!joined.item(root).unwrap().is_ready());
}

#[test]
fn archived_specs_and_graphs_beyond_the_walk_count_as_they_are() {
    let place = Place::new();
    let archived = ".chant/archive/2026-01-21/2026-01-21-001-old.md";
    place.write(archived, "---\nstatus: completed\n---\n# Old\n");
    let deep = "a/b/c/d/e/deep.vine";
    place.write(deep, "vine 1.2.0\n---\n[t] T (complete)\n");
    place.ticket(1, "status: Approved\ndependsOn: chant:2026-01-21-001-old\n");
    place.spec(SPEC, &format!("depends_on: [\"vine:{deep}#t\"]\n"));
    place.check(&[
        "chant:2026-01-22-001-x7m pending+",
        "tickets:DEM-001 Approved+",
    ]);
}

#[test]
fn a_name_means_one_item_or_is_refused_with_the_keys_it_may_mean() {
    let place = Place::new();
    place.spec(SPEC, "");
    place.plan("[root] Root (notstarted)\n-> build\n---\n[build] Build (notstarted)\n");
    place.write("b.vine", "vine 1.2.0\n---\n[build] Build (notstarted)\n");
    place.ticket(12, "status: Approved\n");
    let find = |name: &str| -> Result<String, Error> {
        let found = data(&ops::find(&place.workspace, name)?);
        Ok(found["key"].as_str().unwrap().to_owned())
    };
    for (name, key) in [
        ("x7m", "chant:2026-01-22-001-x7m"),
        ("chant:x7m", "chant:2026-01-22-001-x7m"),
        ("root", "vine:plan.vine#root"),
        ("plan.vine#build", "vine:plan.vine#build"),
        ("vine:./plan#build", "vine:plan.vine#build"),
        ("dem-12", "tickets:DEM-012"),
        ("tickets:DEM-0012", "tickets:DEM-012"),
    ] {
        assert_eq!(find(name).unwrap(), key, "{name}");
    }
    let error = find("build").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AmbiguousId);
    assert!(
        error
            .to_string()
            .contains("vine:b.vine#build, vine:plan.vine#build")
    );
    let error = find("DEM-013").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let hint = error.hint().at(DoorKind::Agents);
    assert_eq!(hint, "\nDid you mean 'tickets:DEM-012'?");
}

fn filtered(statuses: &[&str], labels: &[&str], dialects: &[&str], ready: bool) -> ItemFilter {
    let texts = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    ItemFilter {
        statuses: texts(statuses),
        labels: texts(labels),
        dialects: texts(dialects),
        ready,
        ..ItemFilter::default()
    }
}

#[test]
fn lists_are_filtered_by_the_words_of_every_dialect() {
    let place = Place::new();
    place.spec(SPEC, "status: in_progress\nlabels: [a, b]\n");
    place.spec("2026-01-22-002-k3f", "status: cancelled\n");
    place.plan("[root] Root (started)\n");
    place.ticket(1, "status: In Progress\n");
    let list = |filter: ItemFilter| -> Result<Vec<String>, Error> {
        let page = PageRequest {
            limit: 50,
            offset: 0,
        };
        let found = data(&ops::list(&place.workspace, filter, page)?);
        let items = found["items"].as_array().unwrap().iter();
        Ok(items
            .map(|item| item["id"].as_str().unwrap().to_owned())
            .collect())
    };
    let check = |filter: ItemFilter, expected: &[&str]| assert_eq!(list(filter).unwrap(), expected);
    check(filtered(&[], &[], &[], false), &[SPEC, "root", "DEM-001"]);
    check(
        filtered(&["in progress"], &[], &[], false),
        &[SPEC, "DEM-001"],
    );
    check(
        filtered(&["started", "cancelled"], &[], &[], false),
        &["2026-01-22-002-k3f", "root"],
    );
    check(filtered(&[], &["b"], &[], false), &[SPEC]);
    check(
        filtered(&[], &[], &["vine", "tickets"], false),
        &["root", "DEM-001"],
    );
    check(filtered(&[], &[], &[], true), &[]);
    let error = list(filtered(&["odd"], &[], &[], false)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(
        error
            .to_string()
            .starts_with("Invalid status 'odd': expected one of pending,")
    );
    assert!(list(filtered(&[], &[], &["odd"], false)).is_err());
}

#[test]
fn files_that_cannot_be_read_are_told_beside_the_rest() {
    let place = Place::new();
    place.spec(SPEC, "labels: [a\n");
    place.spec("2026-01-22-002-k3f", "");
    place.plan("[root] Root (odd)\n");
    place.ticket(1, "status: Approved\n");
    let page = PageRequest {
        limit: 50,
        offset: 0,
    };
    let found = data(&ops::list(&place.workspace, ItemFilter::default(), page).unwrap());
    assert_eq!(found["total"], 2);
    let paths: Vec<_> = found["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["path"].clone())
        .collect();
    assert_eq!(paths, [".chant/specs/2026-01-22-001-x7m.md", "plan.vine"]);
}

#[test]
fn a_configuration_of_tickets_that_cannot_be_used_is_told_too() {
    let place = Place::new();
    place.spec(SPEC, "status: pending\n");
    place.write(".mdt-config.toml", "CODE=DEM\n");
    let (workspace, _) = opened(&fs::canonicalize(place.folder.path()).unwrap());
    let joined = workspace.snapshot().unwrap();
    let [problem] = joined.problems() else {
        panic!("{:?}", joined.problems());
    };
    assert_eq!(&*problem.path, ".mdt-config.toml");
    assert!(
        problem.message.starts_with("line 1 is not TOML: "),
        "{}",
        problem.message
    );
}

#[test]
fn a_file_where_a_folder_is_expected_is_like_no_folder() {
    let place = Place::new();
    place.ticket(1, "status: Approved\n");
    fs::remove_dir_all(place.path(".chant")).unwrap();
    for name in [".chant", "specs"] {
        place.write(name, "a file\n");
    }
    let (workspace, chant) = opened(&fs::canonicalize(place.folder.path()).unwrap());
    let joined = workspace.snapshot().unwrap();
    let keys: Vec<&str> = joined.items().map(|item| item.key()).collect();
    assert_eq!(keys, ["tickets:DEM-001"]);
    let Err(error) = chant.snapshot() else {
        panic!("there are specs");
    };
    assert_eq!(error.kind(), ErrorKind::NotInitialized);
}

#[test]
fn a_name_whose_file_cannot_be_read_is_answered_with_the_reason() {
    let place = Place::new();
    place.spec(SPEC, "status: pending\n");
    place.spec("2026-01-22-002-k3f", "status: pending\nlabels: [a\n");
    for name in ["k3f", "chant:2026-01-22-002-k3f", "2026-01-22-002-K3F"] {
        let error = ops::find(&place.workspace, name).unwrap_err();
        let hint = error.hint().at(DoorKind::People);
        let why = hint.trim_start();
        assert_eq!(
            error.to_string(),
            format!("Nothing is called '{name}' here.")
        );
        assert!(
            why.starts_with("`.chant/specs/2026-01-22-002-k3f.md:4`: Invalid YAML frontmatter: "),
            "{why}"
        );
        assert!(why.contains(" at line 4 column 1, "), "{why}");
        assert!(why.ends_with(" at line 3 column 9"), "{why}");
    }
}

#[test]
fn pictures_show_ways_across_dialects_and_name_loops() {
    let place = Place::new();
    place.spec(SPEC, "depends_on: [\"tickets:DEM-1\"]\n");
    place.spec("2026-01-22-002-k3f", "depends_on: [2026-01-22-001-x7m]\n");
    place.ticket(
        1,
        "status: Approved\ndependsOn: chant:2026-01-22-002-k3f, vine:gone.vine#a\n",
    );
    let shown = |format, all| GraphOptions { format, all };
    let tree = data(
        &ops::graph(
            &place.workspace,
            ItemFilter::default(),
            shown("tree", false),
        )
        .unwrap(),
    );
    assert_eq!(tree["cycles"].as_array().unwrap().len(), 1);
    let dot = ops::graph(&place.workspace, ItemFilter::default(), shown("dot", false)).unwrap();
    assert!(
        dot.text
            .contains("\"tickets:DEM-001\" -> \"vine:gone.vine#a\""),
        "{}",
        dot.text
    );
    assert!(
        dot.note
            .unwrap()
            .starts_with("A cycle: chant:2026-01-22-001-x7m waits for ")
    );
    let only = filtered(&[], &[], &["chant"], false);
    let chant = ops::graph(&place.workspace, only, shown("dot", false))
        .unwrap()
        .text;
    assert!(
        chant.contains(
            "\"chant:2026-01-22-001-x7m\" -> \"chant:2026-01-22-002-k3f\" [style=dashed]"
        ),
        "{chant}"
    );
    let json = data(
        &ops::graph(
            &place.workspace,
            ItemFilter::default(),
            shown("json", false),
        )
        .unwrap(),
    );
    assert_eq!(json["edges"][0]["from"], format!("chant:{SPEC}"));
    assert_eq!(json["edges"][0]["met"], false);
    assert!(ops::graph(&place.workspace, ItemFilter::default(), shown("odd", false)).is_err());
}

#[test]
fn exports_hold_every_item_in_every_format() {
    let place = Place::new();
    for number in 0..250 {
        place.spec(&format!("2026-01-22-{number:03}-abc"), "labels: [a, b]\n");
    }
    place.write(
        ".chant/specs/2026-01-22-000-abc.md",
        "# A, \"b\" | c\\d\n\nText\n",
    );
    place.plan("[root] Root (started)\n");
    let text = |form, fields: &[String]| -> String {
        let export = ItemExport::of(&place.workspace, ItemFilter::default(), form, fields).unwrap();
        let pieces: Vec<String> = export.collect();
        assert!(pieces.len() > 3, "it comes in pieces");
        pieces.concat()
    };
    let all: Value = serde_json::from_str(&text(ExportFormat::Json, &[])).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 251);
    assert_eq!(all[1]["labels"], serde_json::json!(["a", "b"]));
    assert_eq!(all[250]["key"], "vine:plan.vine#root");
    assert!(all[0].get("body").is_none());
    let every: Vec<String> = FIELDS.iter().map(|field| (*field).to_owned()).collect();
    let table = text(ExportFormat::Csv, &every);
    let mut reader = csv_records(&table);
    assert_eq!(reader.remove(0), FIELDS);
    assert_eq!(reader.len(), 251);
    assert_eq!(reader[0][3], "A, \"b\" | c\\d");
    assert!(reader[0][20].contains("\n\nText"));
    assert_eq!(reader[1][10], "a; b");
    let table = text(ExportFormat::Markdown, &["key".into(), "title".into()]);
    assert_eq!(table.lines().count(), 253);
    assert!(table.contains("| A, \"b\" \\| c\\\\d |"));
    let error = ItemExport::of(
        &place.workspace,
        ItemFilter::default(),
        ExportFormat::Csv,
        &["titel".into()],
    );
    assert!(error.err().unwrap().to_string().contains("perhaps title"));
}

/// Records of a text after RFC 4180, read without the library that wrote it.
fn csv_records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => record.push(std::mem::take(&mut cell)),
            '\r' if !is_quoted => {
                assert_eq!(chars.next(), Some('\n'));
                record.push(std::mem::take(&mut cell));
                records.push(std::mem::take(&mut record));
            }
            c => cell.push(c),
        }
    }
    assert!(cell.is_empty() && record.is_empty(), "the last line ends");
    records
}

#[test]
fn an_export_appears_whole_and_replaces_nothing_unless_forced() {
    let place = Place::new();
    place.spec(SPEC, "");
    let mut export = ItemExport::of(
        &place.workspace,
        ItemFilter::default(),
        ExportFormat::Json,
        &[],
    )
    .unwrap();
    let path = place.write("out.json", "mine");
    let error = export.save(&path, false, &Disk::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    let full = Disk {
        write: Arc::new(|_, _| Err(std::io::Error::other("no room"))),
        ..Disk::default()
    };
    export.save(&path, true, &full).unwrap_err();
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    // What was refused took nothing of it.
    assert_eq!(export.save(&path, true, &Disk::default()).unwrap(), 1);
    let error = export.save(&path, true, &Disk::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(
        fs::read_to_string(&path)
            .unwrap()
            .starts_with("[\n{\"key\":")
    );
    let names = fs::read_dir(place.folder.path()).unwrap();
    let left = names.filter(|name| {
        name.as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .contains(".tmp")
    });
    assert_eq!(left.count(), 0, "no temporary file stays");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn whatever_changes_the_graph_is_as_if_read_anew(
        steps in proptest::collection::vec((0_u32..6, 0_usize..4, 0_usize..6), 1..10),
    ) {
        let place = Place::new();
        let statuses = ["pending", "completed", "failed", "in_progress"];
        let names = [
            "2026-01-22-001-a",
            "2026-01-22-001-a.1",
            "vine:plan.vine#t",
            "tickets:DEM-1",
            "2026-01-22-002-b",
            "speckit:060-x#T002",
        ];
        for (what, status, name) in steps {
            let needed = names[name];
            match what {
                0..=2 => {
                    let id = ["2026-01-22-001-a", "2026-01-22-001-a.1", "2026-01-22-002-b"][what as usize];
                    let path = place.path(&format!(".chant/specs/{id}.md"));
                    if name == 4 && path.exists() {
                        fs::remove_file(path).unwrap();
                    } else {
                        place.spec(id, &format!("status: {}\ndepends_on: [\"{needed}\"]\n", statuses[status]));
                    }
                }
                3 => {
                    let mark = [" ", "x", "-", "~"][status];
                    let needed = if needed.contains(':') { needed.to_owned() } else { format!("chant:{needed}") };
                    place.write("specs/060-x/tasks.md", &format!("## Phase 1: A\n- [{mark}] T001 a (depends on {needed})\n## Phase 2: B\n- [{mark}] T002 b\n"));
                }
                4 => {
                    let status = ["notstarted", "complete", "reviewing", "started"][status];
                    place.plan(&format!("[r] R (notstarted)\n-> t\n---\n[t] T ({status}) @needs(chant:{})\n", names[name % 2]));
                }
                _ => {
                    let status = ["Approved", "Implemented", "Proposed", "Rejected"][status];
                    place.ticket(1, &format!("status: {status}\ndependsOn: chant:{}\nblocks: DEM-2\n", names[name % 2]));
                    place.ticket(2, "status: Approved\n");
                }
            }
            let joined = place.workspace.snapshot().unwrap();
            let (anew, _) = opened(place.workspace.root());
            prop_assert_eq!(told(&joined), told(&anew.snapshot().unwrap()));
        }
    }
}
