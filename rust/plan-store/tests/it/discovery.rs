//! What is found, read, and read again.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use chant_base::external_items::{ExternalItems, ExternalStatus};
use chant_plan_format::document::RootSettings;
use chant_plan_format::finding::{ActingPart, PlanFinding};
use chant_plan_format::intent::{EditRequest, UnitEdit};
use chant_plan_format::refusal::EditRefusal;
use chant_plan_format::scope::{FormatScope, RootLayout, UnitForm, UnitPattern};
use chant_plan_format::snapshot::PlanSnapshot;
use chant_plan_format::unit::{PlanItem, PlanUnit, UnitSource};
use chant_plan_format::{PlanFormat, UnitFilter};
use chant_plan_store::{PlanRoot, PlanStore};
use chant_store::disk::Disk;

/// A format of folders: each line of `tasks.md` is an item, and notes lie beside it.
struct Folders;

static SCOPE: FormatScope = FormatScope {
    word: "folders",
    title: "Folders",
    noun: "task",
    plural: "tasks",
    markers: &["plans"],
    settings: &["plans/settings.yml"],
    intents: &[],
    statuses: &["open"],
    touched: &[],
    example: "folders:a#1",
};

impl PlanFormat for Folders {
    fn scope(&self) -> &'static FormatScope {
        &SCOPE
    }

    fn layout(&self, _: &RootSettings) -> RootLayout {
        RootLayout {
            units: vec![UnitPattern {
                kind: "plan",
                folder: "plans".into(),
                form: UnitForm::Folder {
                    documents: &["tasks.md", ".hidden.yaml", "notes/**/*.md"],
                    required: &["tasks.md"],
                },
                depth: 2,
                accepts: |name| name != "archive",
                limit: 50,
            }],
            archives: vec!["plans/archive".into()],
            watch: vec!["plans".into()],
        }
    }

    fn read(&self, source: &UnitSource) -> PlanUnit {
        let mut unit = PlanUnit::new(source.clone());
        let Some(at) = source.index_of("tasks.md") else {
            return unit;
        };
        let lines = source.documents[at].text.lines().enumerate();
        let lines = lines.filter(|(_, line)| !line.trim().is_empty());
        unit.items = lines
            .map(|(number, line)| PlanItem {
                name: format!("{}#{}", source.name, number + 1).into(),
                id: (number + 1).to_string().into(),
                title: line.into(),
                kind: "task",
                document: Some(at),
                line: number + 1,
                mark: "open".into(),
                ..PlanItem::default()
            })
            .collect();
        unit
    }

    fn edit(&self, _: Option<&PlanUnit>, _: &EditRequest<'_>) -> Result<UnitEdit, EditRefusal> {
        Ok(UnitEdit::default())
    }

    fn check_units(&self, _: &PlanSnapshot, _: UnitFilter<'_>) -> Vec<PlanFinding> {
        Vec::new()
    }

    fn acts(&self, _: &RootSettings, _: &str, _: &str) -> Vec<ActingPart> {
        Vec::new()
    }
}

static FOLDERS: Folders = Folders;

fn nothing(keys: &[String]) -> Vec<ExternalStatus> {
    ExternalItems::default().standings(keys)
}

fn write(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let full = root.join(path);
    fs::create_dir_all(full.parent().unwrap()).unwrap();
    fs::write(full, text).unwrap();
}

fn keys(root: &PlanRoot) -> Vec<String> {
    let nodes = root.snapshot.nodes.iter();
    nodes.map(|node| node.key.to_string()).collect()
}

fn problems(root: &PlanRoot) -> Vec<(String, String)> {
    let problems = root.problems.iter();
    problems
        .map(|problem| (problem.path.to_string(), problem.message.to_string()))
        .collect()
}

fn store(root: &Path) -> PlanStore {
    PlanStore::new(&FOLDERS, root, &Disk::default())
}

fn current(store: &PlanStore) -> Arc<PlanRoot> {
    store.current(&nothing).unwrap()
}

#[test]
fn units_are_found_by_their_patterns_and_all_else_is_named_or_left() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    assert!(store(root).current(&nothing).is_none());
    write(root, "plans/a/tasks.md", "one\ntwo\n");
    write(root, "plans/group/b/tasks.md", "three\n");
    write(root, "plans/archive/old/tasks.md", "never\n");
    write(root, "plans/other/.git/HEAD", "ref: x\n");
    write(root, "plans/other/tasks.md", "another checkout\n");
    write(root, "plans/a/node_modules/x/tasks.md", "no\n");
    write(root, "plans/a/tasks (1).md", "copy\n");
    write(root, "plans/a/tasks.md~", "copy\n");
    write(
        root,
        "plans/a/tasks.sync-conflict-20260101-120000-ABCDEFG.md",
        "copy\n",
    );
    write(root, "plans/bad/tasks.md", [0xff, 0xfe, b'x']);
    write(
        root,
        "plans/clash/tasks.md",
        "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
    );
    write(root, "plans/empty/tasks.md", "\n");
    write(root, "plans/large/tasks.md", vec![b'x'; 9 << 20]);
    let known = current(&store(root));
    assert_eq!(
        keys(&known),
        ["folders:a#1", "folders:a#2", "folders:group/b#1"]
    );
    assert_eq!(known.archived, ["old".into()]);
    let found = problems(&known);
    let named: Vec<&str> = found.iter().map(|(path, _)| &**path).collect();
    for path in [
        "plans/a/tasks (1).md",
        "plans/a/tasks.md~",
        "plans/a/tasks.sync-conflict-20260101-120000-ABCDEFG.md",
        "plans/bad/tasks.md",
        "plans/clash/tasks.md",
        "plans/empty/tasks.md",
        "plans/large/tasks.md",
    ] {
        assert!(named.contains(&path), "{path} {found:?}");
    }
    assert_eq!(found.len(), 7, "{found:?}");
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_are_not_followed_and_no_document_counts_twice() {
    use std::os::unix::fs::symlink;
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = folder.path();
    write(root, "plans/a/tasks.md", "one\n");
    write(root, "kept/b/tasks.md", "two\n");
    write(outside.path(), "c/tasks.md", "three\n");
    symlink(root.join("kept/b"), root.join("plans/b")).unwrap();
    symlink(outside.path().join("c"), root.join("plans/c")).unwrap();
    symlink(root.join("plans/a"), root.join("plans/again")).unwrap();
    symlink(root.join("plans"), root.join("plans/a/round")).unwrap();
    let known = current(&store(root));
    assert_eq!(keys(&known), ["folders:a#1", "folders:b#1"]);
    let found = problems(&known);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "plans/c");
}

#[test]
fn only_what_changed_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for name in ["a", "b", "c"] {
        write(root, &format!("plans/{name}/tasks.md"), "one\ntwo\n");
    }
    let store = store(root);
    let first = current(&store);
    assert!(Arc::ptr_eq(&first, &current(&store)));
    write(root, "plans/b/tasks.md", "one\ntwo\nthree\n");
    let second = current(&store);
    let same: Vec<bool> = first
        .snapshot
        .units
        .iter()
        .zip(&second.snapshot.units)
        .map(|(one, other)| Arc::ptr_eq(one, other))
        .collect();
    assert_eq!(same, [true, false, true]);
    assert_eq!(second.snapshot.nodes.len(), 7);
    write(root, "plans/d/tasks.md", "new\n");
    assert_eq!(current(&store).snapshot.nodes.len(), 8);
    write(root, "plans/d/.hidden.yaml", "x: 1\n");
    assert_eq!(current(&store).snapshot.units[3].source.documents.len(), 2);
    fs::remove_dir_all(root.join("plans/a")).unwrap();
    assert_eq!(current(&store).snapshot.nodes.len(), 6);
    write(root, "plans/settings.yml", "a: 1\n");
    assert_eq!(current(&store).settings.0.len(), 1);
    fs::remove_dir_all(root.join("plans")).unwrap();
    assert!(store.current(&nothing).is_none());
}

#[test]
fn what_is_too_much_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for number in 0..52 {
        write(root, &format!("plans/p{number:02}/tasks.md"), "one\n");
    }
    write(root, "plans/p00/tasks.md", "x\n".repeat(10_001));
    let known = current(&store(root));
    assert_eq!(known.snapshot.units.len(), 50);
    assert_eq!(known.snapshot.units[0].items.len(), 10_000);
    let found = problems(&known);
    let named: Vec<&str> = found.iter().map(|(path, _)| &**path).collect();
    assert_eq!(named, ["plans/p50", "plans/p00"]);
}
