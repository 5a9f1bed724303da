//! Documents on disk: nothing lost, nothing outside the root, faults named.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use chant_store::StoreError;
use chant_store::disk::{Disk, LOCK_TIMEOUT, Lock};
use chant_store::files::{RootFolder, create, edit, edit_known, relocate, remove};
use tempfile::TempDir;

fn project() -> (TempDir, RootFolder) {
    let folder = TempDir::new().unwrap();
    let root = RootFolder::open(folder.path()).unwrap();
    fs::create_dir(root.path().join("docs")).unwrap();
    (folder, root)
}

fn append(disk: &Disk, root: &RootFolder, path: &str, line: &str) -> Result<bool, StoreError> {
    edit(disk, root, path, |text| Ok(format!("{text}{line}\n"))).map(|edited| edited.changed)
}

#[test]
fn many_writers_of_one_file_lose_nothing() {
    let (_folder, root) = project();
    fs::write(root.path().join("docs/a.md"), "").unwrap();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let root = &root;
            scope.spawn(move || {
                for line in 0..25 {
                    append(
                        &Disk::default(),
                        root,
                        "docs/a.md",
                        &format!("{writer}-{line}"),
                    )
                    .unwrap();
                }
            });
        }
    });
    let text = fs::read_to_string(root.path().join("docs/a.md")).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 200);
}

#[test]
fn a_writer_without_the_lock_is_noticed_and_its_change_kept() {
    let (_folder, root) = project();
    let path = root.path().join("docs/a.md");
    fs::write(&path, "old\n").unwrap();
    let mut calls = 0;
    edit(&Disk::default(), &root, "docs/a.md", |text| {
        calls += 1;
        if calls == 1 {
            // An editor that saves by rename while we think.
            fs::write(root.path().join("docs/b"), "theirs\n").unwrap();
            fs::rename(root.path().join("docs/b"), &path).unwrap();
        }
        Ok::<_, StoreError>(format!("{text}ours\n"))
    })
    .unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "theirs\nours\n");
    assert_eq!(calls, 2);
}

/// What is known is given back itself where the file holds it to the last byte, and else what it holds.
#[test]
fn a_known_text_is_edited_only_where_the_file_still_holds_it() {
    let (_folder, root) = project();
    let path = root.path().join("docs/a.md");
    let long = "line\n".repeat(50_000);
    for (known, held) in [
        (&*long, &*long),
        (&long, &long[1..]),
        (&long[1..], &long),
        (&long, &long.replace("e\nl", "e l")),
        ("", ""),
        ("", "x"),
    ] {
        // One that became empty would look half saved.
        let _ = fs::remove_file(&path);
        fs::write(&path, held).unwrap();
        let mut is_known = false;
        edit_known(&Disk::default(), &root, "docs/a.md", Some(known), |text| {
            is_known = std::ptr::eq(text, known);
            Ok::<_, StoreError>(format!("{text}more"))
        })
        .unwrap();
        assert_eq!(is_known, known == held);
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{held}more"));
    }
}

#[test]
fn an_unchanged_text_is_not_written() {
    let (_folder, root) = project();
    let path = root.path().join("docs/a.md");
    fs::write(&path, "same").unwrap();
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    let edited = edit(&Disk::default(), &root, "docs/a.md", |t| {
        Ok::<_, StoreError>(t.to_owned())
    })
    .unwrap();
    assert!(!edited.changed);
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
}

#[test]
fn a_replacement_keeps_rights_and_leaves_no_temporary_file() {
    let (_folder, root) = project();
    let path = root.path().join("docs/a.md");
    fs::write(&path, "x").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    append(&Disk::default(), &root, "docs/a.md", "y").unwrap();
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert_eq!(fs::read_dir(root.path().join("docs")).unwrap().count(), 1);
}

#[test]
fn a_replacement_keeps_extended_attributes() {
    let (_folder, root) = project();
    let path = root.path().join("docs/a.md");
    fs::write(&path, "x").unwrap();
    if xattr::set(&path, "user.origin", b"import").is_err() {
        // This file system has none to lose.
        return;
    }
    append(&Disk::default(), &root, "docs/a.md", "y").unwrap();
    assert_eq!(
        xattr::get(&path, "user.origin").unwrap().unwrap(),
        b"import"
    );
}

#[test]
fn a_link_inside_the_root_is_followed_and_stays_a_link() {
    let (_folder, root) = project();
    fs::write(root.path().join("real.md"), "x\n").unwrap();
    symlink("../real.md", root.path().join("docs/a.md")).unwrap();
    append(&Disk::default(), &root, "docs/a.md", "y").unwrap();
    assert_eq!(
        fs::read_to_string(root.path().join("real.md")).unwrap(),
        "x\ny\n"
    );
    assert!(
        fs::symlink_metadata(root.path().join("docs/a.md"))
            .unwrap()
            .is_symlink()
    );
}

#[test]
fn nothing_leads_out_of_the_root() {
    let (_folder, root) = project();
    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("x.md"), "theirs").unwrap();
    symlink(
        outside.path().join("x.md"),
        root.path().join("docs/file.md"),
    )
    .unwrap();
    symlink(outside.path(), root.path().join("docs/folder")).unwrap();
    for path in [
        "docs/file.md", "docs/folder/x.md", "docs/../../x.md", "/etc/passwd", "docs/./../..", "",
    ] {
        let answer = append(&Disk::default(), &root, path, "ours");
        assert!(
            matches!(
                answer,
                Err(StoreError::Outside { .. } | StoreError::Unreadable { .. })
            ),
            "{path}: {answer:?}"
        );
        let answer = create(&Disk::default(), &root, path, "ours");
        let is_refused = matches!(
            answer,
            Err(StoreError::Outside { .. } | StoreError::Exists { .. })
        );
        assert!(is_refused, "{path}: {answer:?}");
    }
    assert_eq!(
        fs::read_to_string(outside.path().join("x.md")).unwrap(),
        "theirs"
    );
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn a_full_disk_leaves_the_old_text_and_says_so() {
    let (_folder, root) = project();
    let path = root.path().join("docs/a.md");
    fs::write(&path, "old\n").unwrap();
    let full = Disk {
        write: Arc::new(|file, bytes| {
            file.write_all(&bytes[..bytes.len() / 2])?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        }),
        ..Disk::default()
    };
    let error = append(&full, &root, "docs/a.md", "new").unwrap_err();
    assert!(error.to_string().contains("no storage space"), "{error}");
    assert!(error.to_string().ends_with("nothing was changed"));
    assert!(create(&full, &root, "docs/b.md", "new").is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "old\n");
    assert_eq!(fs::read_dir(root.path().join("docs")).unwrap().count(), 1);
}

#[test]
fn a_failing_reader_is_named_and_nothing_is_written() {
    let (_folder, root) = project();
    fs::write(root.path().join("docs/a.md"), "old").unwrap();
    let broken = Disk {
        read: Arc::new(|_, _| Err(io::Error::other("bad sector"))),
        ..Disk::default()
    };
    let error = append(&broken, &root, "docs/a.md", "new").unwrap_err();
    assert_eq!(error.to_string(), "`docs/a.md` cannot be read: bad sector");
    assert_eq!(
        fs::read_to_string(root.path().join("docs/a.md")).unwrap(),
        "old"
    );
}

#[test]
fn what_is_no_text_file_is_refused_without_waiting() {
    let (_folder, root) = project();
    fs::write(root.path().join("docs/bytes.md"), b"ok \xff").unwrap();
    fs::create_dir(root.path().join("docs/folder.md")).unwrap();
    let pipe = root.path().join("docs/pipe.md");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let refusal = |path: &str| {
        append(&Disk::default(), &root, path, "x")
            .unwrap_err()
            .to_string()
    };
    assert!(refusal("docs/bytes.md").contains("not UTF-8 text (first at byte 3)"));
    assert!(refusal("docs/folder.md").contains("a folder"));
    assert!(refusal("docs/pipe.md").contains("device or pipe"));
    assert!(refusal("docs/none.md").contains("does not exist"));
}

#[test]
fn a_read_only_file_is_refused() {
    let (_folder, root) = project();
    let path = root.path().join("docs/a.md");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let error = append(&Disk::default(), &root, "docs/a.md", "new").unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
}

#[test]
fn of_many_creations_of_one_name_one_succeeds() {
    let (_folder, root) = project();
    let created = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let (root, created) = (&root, &created);
            scope.spawn(move || {
                match create(&Disk::default(), root, "docs/new.md", &format!("{writer}")) {
                    Ok(()) => created.fetch_add(1, Ordering::SeqCst),
                    Err(StoreError::Exists { .. }) => 0,
                    Err(other) => panic!("{other}"),
                }
            });
        }
    });
    assert_eq!(created.into_inner(), 1);
    assert_eq!(
        fs::read_to_string(root.path().join("docs/new.md"))
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_move_makes_folders_and_never_replaces() {
    let (_folder, root) = project();
    fs::write(root.path().join("docs/a.md"), "a").unwrap();
    relocate(&root, "docs/a.md", "archive/2026/a.md").unwrap();
    assert_eq!(
        fs::read_to_string(root.path().join("archive/2026/a.md")).unwrap(),
        "a"
    );
    fs::write(root.path().join("docs/a.md"), "other").unwrap();
    assert!(matches!(
        relocate(&root, "docs/a.md", "archive/2026/a.md"),
        Err(StoreError::Exists { .. })
    ));
    assert_eq!(
        fs::read_to_string(root.path().join("docs/a.md")).unwrap(),
        "other"
    );
}

#[test]
fn a_lock_that_stays_held_is_reported_after_its_deadline() {
    let (_folder, root) = project();
    let path = root.path().join("docs/a.md");
    fs::write(&path, "x").unwrap();
    let held = Lock::acquire(&path, Instant::now() + LOCK_TIMEOUT).unwrap();
    let refused = Lock::acquire(&path, Instant::now()).unwrap_err();
    assert!(matches!(refused, StoreError::Busy { .. }));
    if cfg!(target_os = "linux") {
        let own = format!("stayed locked by process {} (", std::process::id());
        assert!(refused.to_string().contains(&own), "{refused}");
    }
    assert!(Lock::try_take(&path).unwrap().is_none());
    drop(held);
    assert!(Lock::try_take(&path).unwrap().is_some());
}

#[test]
fn what_may_not_go_stays_and_a_link_goes_alone() {
    let (_folder, root) = project();
    fs::write(root.path().join("docs/a.md"), "a").unwrap();
    symlink("a.md", root.path().join("docs/link.md")).unwrap();
    let refused = remove(&root, "docs/a.md", || Err(StoreError::NoJournal));
    assert!(matches!(refused, Err(StoreError::NoJournal)));
    remove::<StoreError>(&root, "docs/link.md", || Ok(())).unwrap();
    assert!(root.path().join("docs/a.md").exists());
    assert!(!root.path().join("docs/link.md").is_symlink());
    remove::<StoreError>(&root, "docs/a.md", || Ok(())).unwrap();
    let again = remove::<StoreError>(&root, "docs/a.md", || Ok(()));
    assert!(matches!(again, Err(StoreError::Missing { .. })));
}

#[test]
fn a_name_never_leads_into_what_is_gits() {
    let folder = tempfile::TempDir::new().unwrap();
    let git = folder.path().join(".git/hooks");
    std::fs::create_dir_all(&git).unwrap();
    std::fs::write(folder.path().join(".git/config"), "secret").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(".git", folder.path().join("link")).unwrap();
    let root = chant_store::files::RootFolder::open(folder.path()).unwrap();
    for name in [".git/config", ".GIT/config", "a/.git/config", "link/config"] {
        assert!(root.locate(name).is_err(), "{name}");
        assert!(root.place(name).is_err(), "{name}");
    }
    assert!(root.place(".gitignore").is_ok() && root.place("git").is_ok());
}
