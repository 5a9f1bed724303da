//! The index: what any process wrote before a refresh is seen by it, at the cost of what changed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use chant_store::disk::{Disk, OpenBounds};
use chant_store::files::RootFolder;
use chant_store::index::{DocumentIndex, FileSource};
use proptest::prelude::*;
use tempfile::TempDir;

type Document = Result<String, String>;

fn parse(_: &str, source: FileSource) -> Document {
    match source {
        FileSource::Text(text) => Ok(text),
        FileSource::Unreadable(why) => Err(why),
    }
}

fn folder_of_specs() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("specs")).unwrap();
    folder
}

/// A folder, its index, and the documents as reported by the index.
struct Told {
    folder: TempDir,
    index: DocumentIndex<Document>,
    documents: BTreeMap<String, Document>,
    reads: Arc<AtomicUsize>,
}

impl Told {
    fn new() -> Self {
        Self::over(folder_of_specs(), true)
    }

    fn over(folder: TempDir, listens: bool) -> Self {
        let disk = Disk {
            listens,
            ..Disk::default()
        };
        Self::on(disk, folder)
    }

    fn on(disk: Disk, folder: TempDir) -> Self {
        let reads = Arc::new(AtomicUsize::new(0));
        let (counted, real) = (reads.clone(), Disk::default());
        let read = Arc::new(move |bounds: &OpenBounds, path: &Path| {
            counted.fetch_add(1, Ordering::SeqCst);
            (real.read)(bounds, path)
        });
        let disk = Disk { read, ..disk };
        let index = DocumentIndex::new(
            disk,
            RootFolder::open(folder.path()).unwrap(),
            "specs",
            ".md",
            parse,
        );
        Self {
            folder,
            index,
            documents: BTreeMap::new(),
            reads,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("specs").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Refreshes; returns how many files were read for it.
    fn refresh(&mut self) -> usize {
        let before = self.reads.load(Ordering::SeqCst);
        for change in self.index.refresh().unwrap() {
            match change.document {
                Some(document) => self.documents.insert(change.path.into(), document),
                None => self.documents.remove(&*change.path),
            };
        }
        self.reads.load(Ordering::SeqCst) - before
    }

    #[track_caller]
    fn check(&self, expected: &[(&str, &str)]) {
        let expected: BTreeMap<String, Document> = expected
            .iter()
            .map(|(name, text)| (format!("specs/{name}"), Ok((*text).to_owned())))
            .collect();
        assert_eq!(self.documents, expected);
    }

    #[track_caller]
    fn fault(&self, name: &str) -> &str {
        self.documents[&format!("specs/{name}")]
            .as_ref()
            .unwrap_err()
    }
}

#[test]
fn only_what_changed_is_read() {
    // By this clock no file is so young that its stamp says nothing yet.
    let disk = Disk {
        clock: Arc::new(|_| Some(SystemTime::now() + Duration::from_mins(1))),
        ..Disk::default()
    };
    let mut told = Told::on(disk, folder_of_specs());
    for number in 0..50 {
        told.write(&format!("{number}.md"), "old");
    }
    told.write("notes.txt", "not a document");
    told.write(".hidden.md", "not one either");
    // A process that another test starts holds our open files for a moment, and closes them when we are done.
    let held = fs::File::options()
        .append(true)
        .open(told.path("9.md"))
        .unwrap();
    assert_eq!(told.refresh(), 50);
    drop(held);
    assert!(told.index.is_watched());
    assert_eq!(told.refresh(), 0);
    told.write("7.md", "new");
    fs::remove_file(told.path("8.md")).unwrap();
    assert_eq!(told.refresh(), 1);
    assert_eq!(told.documents["specs/7.md"], Ok("new".into()));
    assert_eq!(told.documents.len(), 49);
}

#[test]
fn files_and_folders_created_renamed_replaced_and_truncated_are_seen() {
    let mut told = Told::new();
    told.refresh();
    fs::create_dir_all(told.path("team/deep")).unwrap();
    told.write("team/deep/a.md", "a");
    told.refresh();
    told.check(&[("team/deep/a.md", "a")]);
    fs::rename(told.path("team"), told.path("crew")).unwrap();
    told.refresh();
    told.check(&[("crew/deep/a.md", "a")]);
    told.write("crew/deep/a.md", "after the move");
    told.write("b.tmp", "b");
    fs::rename(told.path("b.tmp"), told.path("b.md")).unwrap();
    told.refresh();
    told.check(&[("b.md", "b"), ("crew/deep/a.md", "after the move")]);
    told.write("b.md", "");
    fs::remove_dir_all(told.path("crew")).unwrap();
    told.refresh();
    told.check(&[("b.md", "")]);
}

#[test]
fn a_folder_that_takes_the_place_of_another_is_seen() {
    let mut told = Told::new();
    told.write("a.md", "old");
    told.refresh();
    fs::rename(
        told.folder.path().join("specs"),
        told.folder.path().join("away"),
    )
    .unwrap();
    assert!(told.index.refresh().is_err());
    fs::create_dir(told.folder.path().join("specs")).unwrap();
    told.write("b.md", "new");
    told.refresh();
    told.check(&[("b.md", "new")]);
    told.write("b.md", "newer");
    told.refresh();
    told.check(&[("b.md", "newer")]);
}

#[test]
fn what_events_do_not_tell_about_is_looked_at_each_time() {
    let mut told = Told::new();
    let elsewhere = told.folder.path().join("real.md");
    fs::write(&elsewhere, "one").unwrap();
    symlink("../real.md", told.path("link.md")).unwrap();
    told.write("other.md", "one");
    fs::hard_link(told.path("other.md"), told.folder.path().join("other.md")).unwrap();
    told.refresh();
    told.check(&[("link.md", "one"), ("other.md", "one")]);
    fs::write(&elsewhere, "two!").unwrap();
    fs::write(told.folder.path().join("other.md"), "two!").unwrap();
    told.refresh();
    told.check(&[("link.md", "two!"), ("other.md", "two!")]);
}

#[test]
fn folders_behind_links_are_read_once_and_never_outside_the_root() {
    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("x.md"), "theirs").unwrap();
    let mut told = Told::new();
    fs::create_dir(told.folder.path().join("shared")).unwrap();
    fs::write(told.folder.path().join("shared/s.md"), "one").unwrap();
    symlink("../shared", told.path("team")).unwrap();
    symlink(".", told.path("loop")).unwrap();
    symlink(outside.path(), told.path("out")).unwrap();
    symlink(outside.path().join("x.md"), told.path("x.md")).unwrap();
    told.refresh();
    assert_eq!(told.documents["specs/team/s.md"], Ok("one".into()));
    assert_eq!(told.fault("out"), "the link leads out of the project");
    assert_eq!(told.fault("x.md"), "the link leads out of the project");
    assert_eq!(told.documents.len(), 3);
    fs::write(told.folder.path().join("shared/s.md"), "two").unwrap();
    told.refresh();
    assert_eq!(told.documents["specs/team/s.md"], Ok("two".into()));
    fs::remove_file(told.path("team")).unwrap();
    told.refresh();
    assert_eq!(told.documents.len(), 2);
}

#[test]
fn what_a_link_means_may_change_where_nobody_watches() {
    let mut told = Told::new();
    let root = told.folder.path().to_path_buf();
    for version in ["v1", "v2"] {
        fs::create_dir_all(root.join(version).join("area")).unwrap();
        fs::write(root.join(version).join("area/a.md"), version).unwrap();
    }
    symlink("v1", root.join("current")).unwrap();
    symlink("../current/area", told.path("team")).unwrap();
    told.refresh();
    told.check(&[("team/a.md", "v1")]);
    assert_eq!(told.refresh(), 0);
    fs::remove_file(root.join("current")).unwrap();
    symlink("v2", root.join("current")).unwrap();
    told.refresh();
    told.check(&[("team/a.md", "v2")]);
    assert!(told.index.is_watched());
    fs::remove_file(root.join("current")).unwrap();
    told.refresh();
    assert!(!told.documents.contains_key("specs/team/a.md"));
}

#[test]
fn a_name_that_is_no_text_stays_one_fault() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let mut told = Told::new();
    told.write("a.md", "a");
    told.refresh();
    let odd = told
        .folder
        .path()
        .join("specs")
        .join(OsStr::from_bytes(b"b\xff.md"));
    fs::write(&odd, "odd").unwrap();
    for text in ["a", "aa"] {
        told.write("a.md", text);
        told.refresh();
        assert_eq!(told.documents.len(), 2);
        assert_eq!(told.fault("b\u{fffd}.md"), "its name is not UTF-8 text");
    }
    fs::remove_file(&odd).unwrap();
    told.refresh();
    told.check(&[("a.md", "aa")]);
}

#[test]
fn a_cleared_index_tells_of_all_it_had_and_begins_anew() {
    let mut told = Told::new();
    told.write("b.md", "b");
    told.write("a.md", "a");
    told.refresh();
    let gone = told.index.clear();
    let gone: Vec<_> = gone
        .iter()
        .map(|c| (&*c.path, c.document.is_none()))
        .collect();
    assert_eq!(gone, [("specs/a.md", true), ("specs/b.md", true)]);
    told.documents.clear();
    told.refresh();
    told.check(&[("a.md", "a"), ("b.md", "b")]);
}

#[test]
fn what_cannot_be_read_is_told_and_read_once_it_can_be() {
    let mut told = Told::new();
    told.write("good.md", "good");
    fs::write(told.path("bytes.md"), b"\xff").unwrap();
    fs::create_dir(told.path("folder.md")).unwrap();
    symlink("nowhere", told.path("dangling.md")).unwrap();
    told.refresh();
    assert!(told.fault("bytes.md").contains("UTF-8"));
    assert_eq!(told.fault("folder.md"), "it is a folder, not a file");
    assert_eq!(told.fault("dangling.md"), "the link leads nowhere");
    told.write("bytes.md", "text");
    fs::remove_dir(told.path("folder.md")).unwrap();
    told.write("folder.md", "a file now");
    told.write("nowhere", "found");
    told.refresh();
    told.check(&[
        ("bytes.md", "text"),
        ("dangling.md", "found"),
        ("folder.md", "a file now"),
        ("good.md", "good"),
    ]);
}

#[test]
fn a_reader_that_fails_once_is_asked_again() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("specs")).unwrap();
    fs::write(folder.path().join("specs/a.md"), "text").unwrap();
    let calls = AtomicUsize::new(0);
    let real = Disk::default();
    let read = Arc::new(move |bounds: &OpenBounds, path: &Path| {
        match calls.fetch_add(1, Ordering::SeqCst) {
            0 => Err(std::io::Error::other("too many open files")),
            _ => (real.read)(bounds, path),
        }
    });
    let disk = Disk {
        read,
        ..Disk::default()
    };
    let mut index = DocumentIndex::new(
        disk,
        RootFolder::open(folder.path()).unwrap(),
        "specs",
        ".md",
        parse,
    );
    let documents = |index: &mut DocumentIndex<Document>| {
        index
            .refresh()
            .unwrap()
            .into_iter()
            .map(|c| c.document)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        documents(&mut index),
        [Some(Err("too many open files".into()))]
    );
    assert_eq!(documents(&mut index), [Some(Ok("text".into()))]);
}

#[test]
fn more_events_than_the_queue_holds_lose_nothing() {
    let mut told = Told::new();
    told.refresh();
    let most: usize = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events")
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    for round in 0..=most / 2000 {
        for file in 0..500 {
            told.write(&format!("{file}.md"), &format!("{round}"));
        }
    }
    let last = format!("{}", most / 2000);
    told.refresh();
    assert_eq!(told.documents.len(), 500);
    assert!(
        told.documents
            .values()
            .all(|document| document.as_ref() == Ok(&last))
    );
}

#[derive(Debug, Clone)]
enum Act {
    Write(u8, u8),
    Replace(u8, u8),
    Remove(u8),
    Rename(u8, u8),
    Folder(u8),
    RemoveFolder(u8),
    MoveFolder(u8, u8),
    Look,
}

fn name(number: u8) -> String {
    match number % 4 {
        0 => format!("{number}.md"),
        3 => format!("{number}.txt"),
        folder => format!("d{folder}/{number}.md"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn after_any_acts_the_index_tells_what_a_fresh_one_would(acts in prop::collection::vec(prop_oneof![
        4 => (0..9_u8, any::<u8>()).prop_map(|(n, t)| Act::Write(n, t)),
        2 => (0..9_u8, any::<u8>()).prop_map(|(n, t)| Act::Replace(n, t)),
        2 => (0..9_u8).prop_map(Act::Remove),
        2 => (0..9_u8, 0..9_u8).prop_map(|(a, b)| Act::Rename(a, b)),
        2 => (1..3_u8).prop_map(Act::Folder),
        1 => (1..3_u8).prop_map(Act::RemoveFolder),
        1 => (1..3_u8, 1..4_u8).prop_map(|(a, b)| Act::MoveFolder(a, b)),
        3 => Just(Act::Look),
    ], 1..40), listens in any::<bool>()) {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("specs")).unwrap();
        let mut told = Told::over(folder, listens);
        for act in acts {
            // Acts that the state of the folder does not allow are no acts.
            let _ = match act {
                Act::Write(n, text) => fs::write(told.path(&name(n)), text.to_string()),
                Act::Replace(n, text) => fs::write(told.path("x.tmp"), text.to_string())
                    .and_then(|()| fs::rename(told.path("x.tmp"), told.path(&name(n)))),
                Act::Remove(n) => fs::remove_file(told.path(&name(n))),
                Act::Rename(a, b) => fs::rename(told.path(&name(a)), told.path(&name(b))),
                Act::Folder(n) => fs::create_dir(told.path(&format!("d{n}"))),
                Act::RemoveFolder(n) => fs::remove_dir_all(told.path(&format!("d{n}"))),
                Act::MoveFolder(a, b) => fs::rename(told.path(&format!("d{a}")), told.path(&format!("d{b}"))),
                Act::Look => { told.refresh(); Ok(()) }
            };
        }
        told.refresh();
        let Told { folder, documents, index, .. } = told;
        let mut fresh = Told::over(folder, false);
        fresh.refresh();
        prop_assert_eq!(documents, fresh.documents);
        prop_assert!(index.others().eq(fresh.index.others()));
    }
}

#[test]
fn a_file_too_new_for_its_stamp_to_tell_is_read_again_where_nobody_watches() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("specs")).unwrap();
    let mut told = Told::over(folder, false);
    told.write("a.md", "one");
    let hour = std::time::Duration::from_secs(3600);
    let now = std::time::SystemTime::now();
    // Stamps of the future stay new, and a time that was set by hand makes no file older.
    for modified in [now + hour, now - hour] {
        let file = fs::File::options().write(true).open(told.path("a.md"));
        file.unwrap().set_modified(modified).unwrap();
        assert_eq!(told.refresh(), 1);
        assert_eq!(told.refresh(), 1);
    }
}

#[test]
fn a_flat_index_of_the_root_itself_knows_no_folder_below() {
    for listens in [true, false] {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::write(folder.path().join("sub/inner.md"), "").unwrap();
        fs::write(folder.path().join("a.md"), "1").unwrap();
        let disk = Disk {
            listens,
            ..Disk::default()
        };
        let root = RootFolder::open(folder.path()).unwrap();
        let mut index = DocumentIndex::new(disk, root, "", ".md", parse).flat();
        let mut paths = || -> Vec<String> {
            let changes = index.refresh().unwrap();
            changes.iter().map(|c| c.path.to_string()).collect()
        };
        assert_eq!(paths(), ["a.md"]);
        fs::write(folder.path().join("sub/other.md"), "").unwrap();
        fs::create_dir(folder.path().join("more")).unwrap();
        fs::write(folder.path().join("b.md"), "2").unwrap();
        assert!(paths().contains(&"b.md".to_owned()));
        fs::remove_file(folder.path().join("b.md")).unwrap();
        assert_eq!(paths()[0], "b.md", "what is gone comes first");
        fs::write(folder.path().join(".hidden"), "").unwrap();
        fs::write(folder.path().join("c.txt"), "").unwrap();
        paths();
        assert!(index.others().eq(["c.txt", "more", "sub"]));
    }
}
