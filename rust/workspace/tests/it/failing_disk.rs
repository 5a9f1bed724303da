//! Several files changed at once on a disk that fails: a refusal is final.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chant_store::StoreError;
use chant_store::disk::Disk;
use chant_store::undecided;

use crate::journal::{Project, after, before};

/// A disk that fails from the `nth` write, rename, flush or record on; `lasts` for good, also when it is to be
/// taken back.
fn failing_at(nth: usize, lasts: bool) -> (Disk, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let fails = {
        let count = Arc::clone(&count);
        move || {
            let now = count.fetch_add(1, Ordering::SeqCst);
            if now == nth || (lasts && now > nth) {
                Err(io::Error::from(io::ErrorKind::StorageFull))
            } else {
                Ok(())
            }
        }
    };
    let fails = Arc::new(fails);
    let writes = Arc::clone(&fails);
    let disk = Disk {
        write: Arc::new(move |file, bytes| {
            writes()?;
            io::Write::write_all(file, bytes)
        }),
        reached: Arc::new(move |moment| match moment {
            "journal-put" | "journal-back" | "journal-flush" | "journal-mark" | "journal-clear" => {
                fails()
            }
            _ => Ok(()),
        }),
        ..Disk::default()
    };
    (disk, count)
}

#[test]
fn whichever_write_fails_a_refusal_is_final() {
    let mut refused = 0;
    for nth in 0.. {
        let project = Project::in_memory(nth % 4 != 1);
        let (disk, count) = failing_at(nth, false);
        let done = project.change(&disk);
        if count.load(Ordering::SeqCst) <= nth {
            done.unwrap();
            break;
        }
        let expected = if done.is_ok() { after() } else { before() };
        refused += usize::from(done.is_err());
        assert_eq!(project.files(), expected, "{nth}: {done:?}");
        assert_eq!(project.journal(&Disk::default()).recover().unwrap(), []);
        assert_eq!(project.files(), expected, "{nth}, recovered");
        assert_eq!((project.leftovers(), project.debris()), (0, 0), "{nth}");
        if done.is_err() {
            project.change(&Disk::default()).unwrap();
            assert_eq!(project.files(), after());
        }
    }
    assert!(refused > 10, "{refused}");
}

#[test]
fn a_disk_that_fails_in_both_directions_leaves_files_undecided_until_it_works() {
    let mut undecided = 0;
    for nth in 0..80 {
        let (nth, is_near) = (nth / 2, nth % 2 == 0);
        let project = Project::in_memory(is_near);
        let (disk, count) = failing_at(nth, true);
        let done = project.change(&disk);
        if count.load(Ordering::SeqCst) <= nth {
            continue;
        }
        match done {
            Ok(()) => assert_eq!(project.files(), after()),
            Err(StoreError::Undecided { paths, .. }) => {
                undecided += 1;
                assert!(paths.contains("a.md"), "{paths}");
                let at = || undecided::below(&project.root.path().join("a.md"));
                let read = || Disk::default().read_text(&project.root.path().join("a.md"), "a.md");
                assert_eq!(at().len(), 1);
                assert!(matches!(read(), Err(StoreError::Undecided { .. })));
                // No one goes forward, and no one forgets.
                assert_eq!(project.journal(&disk).recover().unwrap(), []);
                assert_eq!(at().len(), 1);
                let later = project.change(&Disk::default());
                assert!(matches!(later, Err(StoreError::Undecided { .. })));
                assert_eq!(project.journal(&Disk::default()).recover().unwrap(), []);
                assert_eq!(project.files(), before(), "{nth}");
                assert_eq!((at().len(), read().unwrap().0), (0, "a".to_owned()));
            }
            Err(_) => {
                assert_eq!(project.files(), before(), "{nth}");
                assert_eq!(project.journal(&Disk::default()).recover().unwrap(), []);
                assert_eq!(project.files(), before(), "{nth}, recovered");
            }
        }
    }
    assert!(undecided > 3, "{undecided}");
}
