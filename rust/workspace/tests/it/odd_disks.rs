//! File systems and programs that do not keep to what one hopes: links that appear between a look and a reading,
//! clocks of coarse steps, editors that save in place.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use chant_store::StoreError;
use chant_store::disk::{self, Disk, FileStamp, OpenBounds};
use chant_store::files::{self, RootFolder, edit};
use chant_store::index::{DocumentIndex, FileSource};
use chant_store::journal::{ChangeJournal, ChangeStep};
use tempfile::TempDir;

const SECRET: &str = "from outside\n";

/// A project with a document and one beside it, and a file outside.
struct Swapped {
    folder: TempDir,
    root: RootFolder,
}

impl Swapped {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join("root/docs")).unwrap();
        fs::create_dir(folder.path().join("outside")).unwrap();
        fs::write(folder.path().join("outside/a.md"), SECRET).unwrap();
        fs::write(folder.path().join("root/docs/a.md"), "own\n").unwrap();
        fs::write(folder.path().join("root/other.md"), "other\n").unwrap();
        let root = RootFolder::open(&folder.path().join("root")).unwrap();
        Self { folder, root }
    }

    /// A disk on which something takes the place of the document, or of its folder, after every look and just before
    /// the file is opened.
    fn disk(&self, place: &'static str, target: PathBuf) -> Disk {
        let real = Disk::default();
        let (root, is_done) = (self.root.path().to_owned(), AtomicBool::new(false));
        let read = move |bounds: &OpenBounds, path: &Path| {
            if !is_done.swap(true, Ordering::SeqCst) {
                fs::rename(root.join(place), root.join("aside")).unwrap();
                symlink(&target, root.join(place)).unwrap();
            }
            (real.read)(bounds, path)
        };
        Disk {
            read: Arc::new(read),
            ..Disk::default()
        }
    }
}

fn read_by_index(disk: Disk, root: &RootFolder) -> String {
    let parse = |_: &str, source: FileSource| match source {
        FileSource::Text(text) => text,
        FileSource::Unreadable(why) => why,
    };
    let mut index = DocumentIndex::new(disk, root.clone(), "docs", ".md", parse);
    let changes = index.refresh().unwrap_or_default();
    changes
        .into_iter()
        .filter_map(|change| change.document)
        .collect()
}

fn read_by_edit(disk: Disk, root: &RootFolder) -> String {
    let mut seen = String::new();
    let edited = edit(&disk, root, "docs/a.md", |text| {
        seen.push_str(text);
        Ok::<_, StoreError>(format!("{text}more\n"))
    });
    seen + &edited.map_or_else(|error| error.to_string(), |edited| edited.text)
}

fn read_by_change(disk: Disk, root: &RootFolder) -> String {
    let mut seen = String::new();
    let journal = ChangeJournal {
        disk: &disk,
        root,
        state: None,
        gates: &[],
    };
    let _ = journal.change(
        &["docs/a.md"],
        |texts| -> Result<Option<Vec<ChangeStep>>, StoreError> {
            seen.extend(texts.iter().copied());
            Ok(Some(Vec::new()))
        },
    );
    seen
}

fn read_by_file(disk: Disk, root: &RootFolder) -> String {
    let read = files::read(&disk, root, "docs/a.md");
    read.map_or_else(|error| error.to_string(), |(text, _)| text)
}

type Reader = fn(Disk, &RootFolder) -> String;

const READERS: [(&str, Reader); 4] = [
    ("index", read_by_index),
    ("edit", read_by_edit),
    ("change", read_by_change),
    ("file", read_by_file),
];

#[test]
fn what_changes_places_between_the_look_and_the_reading_gives_nothing_from_outside() {
    for (name, read) in READERS {
        for (place, target) in [("docs/a.md", "outside/a.md"), ("docs", "outside")] {
            let swapped = Swapped::new();
            let disk = swapped.disk(place, swapped.folder.path().join(target));
            let found = read(disk, &swapped.root);
            assert!(!found.contains("from outside"), "{name}, {place}: {found}");
            let outside = fs::read_to_string(swapped.folder.path().join("outside/a.md"));
            assert_eq!(outside.unwrap(), SECRET, "{name}, {place}");
        }
    }
}

#[test]
fn a_link_to_what_lies_inside_is_followed_however_it_is_written_and_whenever_it_appears() {
    for (name, read) in READERS {
        for is_absolute in [true, false] {
            let swapped = Swapped::new();
            let target = if is_absolute {
                swapped.root.path().join("other.md")
            } else {
                PathBuf::from("../other.md")
            };
            let found = read(swapped.disk("docs/a.md", target), &swapped.root);
            assert!(found.contains("other"), "{name}: {found}");
            let place = swapped.root.path().join("docs/a.md");
            assert!(place.is_symlink(), "{name}: the link stays");
        }
    }
}

/// A clock of steps of so many nanoseconds, which a test may set ahead.
#[derive(Clone)]
struct Coarse {
    step: i128,
    ahead: Arc<AtomicU64>,
    reads: Arc<AtomicUsize>,
}

impl Coarse {
    fn new(step: Duration) -> Self {
        Self {
            step: i128::try_from(step.as_nanos()).unwrap(),
            ahead: Arc::default(),
            reads: Arc::default(),
        }
    }

    fn seen(&self, stamp: FileStamp) -> FileStamp {
        let floor = |time: i128| time - time.rem_euclid(self.step);
        FileStamp {
            modified: floor(stamp.modified),
            changed: floor(stamp.changed),
            ..stamp
        }
    }

    /// What it says.
    fn now(&self) -> SystemTime {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let step = u64::try_from(self.step / 1_000_000_000).unwrap();
        let steps = now.unwrap().as_secs() / step;
        SystemTime::UNIX_EPOCH + Duration::from_secs(steps * step)
    }

    fn disk(&self, listens: bool, is_remote: bool) -> Disk {
        let (of_stamp, of_read, of_clock) = (self.clone(), self.clone(), self.clone());
        let real = Disk::default();
        Disk {
            listens,
            stamp: Arc::new(move |path| disk::stamp(path).map(|stamp| of_stamp.seen(stamp))),
            read: Arc::new(move |bounds: &OpenBounds, path: &Path| {
                of_read.reads.fetch_add(1, Ordering::SeqCst);
                let mut content = (real.read)(bounds, path)?;
                content.stamp = of_read.seen(content.stamp);
                Ok::<_, io::Error>(content)
            }),
            clock: Arc::new(move |_| {
                let ahead = Duration::from_secs(of_clock.ahead.load(Ordering::SeqCst));
                (!is_remote).then(|| of_clock.now() + ahead)
            }),
            ..Disk::default()
        }
    }
}

#[test]
fn a_write_of_the_same_size_within_one_step_of_a_coarse_clock_is_seen() {
    for listens in [true, false] {
        for is_remote in [true, false] {
            let folder = TempDir::new().unwrap();
            let path = folder.path().join("a.md");
            fs::write(&path, "0000").unwrap();
            let coarse = Coarse::new(Duration::from_secs(1_000_000));
            let root = RootFolder::open(folder.path()).unwrap();
            let text = |_: &str, source: FileSource| match source {
                FileSource::Text(text) => text,
                FileSource::Unreadable(why) => why,
            };
            let disk = coarse.disk(listens, is_remote);
            let mut index = DocumentIndex::new(disk, root, "", ".md", text).flat();
            let mut refresh = || -> Vec<String> {
                let changes = index.refresh().unwrap().into_iter();
                changes.filter_map(|change| change.document).collect()
            };
            assert_eq!(refresh(), ["0000"]);
            for number in 1..20 {
                let text = format!("{number:04}");
                fs::write(&path, &text).unwrap();
                assert_eq!(refresh(), [text], "listens: {listens}, remote: {is_remote}");
            }
            if !is_remote {
                coarse.ahead.store(10, Ordering::SeqCst);
                refresh();
                refresh();
                let before = coarse.reads.load(Ordering::SeqCst);
                refresh();
                let read = coarse.reads.load(Ordering::SeqCst) - before;
                assert_eq!(read, 0, "an old stamp is believed, listens: {listens}");
            }
        }
    }
}

/// A project with a document that was read once and is then saved in place, as far as `saved` goes.
fn half_saved(saved: &str) -> (TempDir, RootFolder, Disk) {
    let folder = TempDir::new().unwrap();
    let root = RootFolder::open(folder.path()).unwrap();
    let whole = "a line of some length\n".repeat(2_000);
    fs::write(root.path().join("a.md"), &whole).unwrap();
    let disk = Disk::default();
    assert_eq!(files::read(&disk, &root, "a.md").unwrap().0, whole);
    fs::write(root.path().join("a.md"), saved).unwrap();
    (folder, root, disk)
}

fn append(disk: &Disk, root: &RootFolder) -> Result<String, StoreError> {
    let added = |text: &str| Ok::<_, StoreError>(format!("{text}added\n"));
    edit(disk, root, "a.md", added).map(|edited| edited.text)
}

#[test]
fn a_text_that_lost_its_end_a_moment_ago_is_not_edited() {
    let end = "a line of some length\n".repeat(4) + "a line of so";
    let cut = "a line of some length\n".repeat(2_000)[..8192].to_owned();
    let cases: [(&str, &str); 3] = [
        ("", "it became empty"),
        (&end, "it lost its end"),
        (&cut, "it lost its end"),
    ];
    std::thread::scope(|scope| {
        for (saved, why) in cases {
            scope.spawn(move || {
                let (_folder, root, disk) = half_saved(saved);
                let error = append(&disk, &root).unwrap_err().to_string();
                assert!(error.contains(why) && error.contains("a.md"), "{error}");
                assert_eq!(fs::read_to_string(root.path().join("a.md")).unwrap(), saved);
            });
        }
    });
}

#[test]
fn an_edit_waits_for_a_save_that_is_under_way() {
    let (_folder, root, disk) = half_saved("");
    let path = root.path().join("a.md");
    std::thread::scope(|scope| {
        let edited = scope.spawn(|| append(&disk, &root).unwrap());
        std::thread::sleep(Duration::from_millis(50));
        fs::write(&path, "what was saved\n").unwrap();
        assert_eq!(edited.join().unwrap(), "what was saved\nadded\n");
    });
}

#[test]
fn what_was_made_shorter_on_purpose_is_edited() {
    let later = Disk {
        clock: Arc::new(|_| Some(SystemTime::now() + Duration::from_secs(10))),
        ..Disk::default()
    };
    let (_folder, root, _) = half_saved("");
    assert_eq!(append(&later, &root).unwrap(), "added\n", "empty for long");
    let (_folder, root, disk) = half_saved("a few lines are left\n");
    assert!(append(&disk, &root).is_ok());
    let (_folder, root, disk) = half_saved("shorter, and without an end");
    assert!(append(&disk, &root).is_ok(), "not what it began with");
    let (_folder, root, disk) = half_saved("whole again\n");
    fs::write(root.path().join("b.md"), "").unwrap();
    fs::rename(root.path().join("b.md"), root.path().join("a.md")).unwrap();
    assert!(append(&disk, &root).is_ok(), "it appeared whole");
}
