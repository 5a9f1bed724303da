//! Landings that stop between two steps, and what the next attempt makes of it.

use chant_git::land::LandingOutcome;

use super::landing::Field;
use super::*;

/// Every named moment; the files of a landing are several.
const MOMENTS: [(&str, usize); 9] = [
    ("index-locked", 1),
    ("mid-files", 1),
    ("mid-files", 2),
    ("mid-files", 4),
    ("mid-files", 5),
    ("after-files", 1),
    ("index-written", 1),
    ("after-index", 1),
    ("after-ref", 1),
];

#[test]
fn the_next_attempt_completes_what_a_crash_left() {
    for kind in KINDS {
        // All moments in one kind, some in the others: only git itself tells the kinds apart.
        let is_tried =
            |moment: &str| kind == KINDS[0] || ["mid-files", "after-index"].contains(&moment);
        for (moment, times) in MOMENTS.into_iter().filter(|(moment, _)| is_tried(moment)) {
            let field = Field::new(kind);
            write(&field.folder, "other.txt", "mine\n");
            write(&field.folder, "deep/untracked.txt", "u\n");
            write(&field.folder, "staged.txt", "s\n");
            field.sandbox.git(&field.folder, "add staged.txt");
            let (status, _, _, files) = field.sandbox.state(&field.folder);
            field.stop_at(moment, times);
            let lock = field.folder.join(".git/index.lock");
            let left = field.repo.landing_locks().unwrap();
            assert_eq!(left, [(lock, "x-1".to_owned())], "{kind} {moment}");
            let checkouts = vec![field.folder.clone()];
            assert_eq!(
                field.land(),
                Ok(LandingOutcome::Done { checkouts }),
                "{kind} {moment} {times}"
            );
            field.landed(&status, &files);
        }
    }
}

#[test]
fn another_run_waits_until_the_lock_of_the_dead_one_is_freed() {
    let field = Field::new(KINDS[0]);
    field.stop_at("mid-files", 2);
    let (lock, run) = field.repo.landing_locks().unwrap().remove(0);
    assert!(field.sandbox.fails(&field.folder, "add other.txt"));
    assert_eq!(field.repo.free_landing_lock(&lock, &run), Ok(true));
    field.sandbox.git(&field.folder, "add other.txt");
    assert!(matches!(field.land(), Ok(LandingOutcome::Done { .. })));
    assert_eq!(field.sandbox.git(&field.folder, "status --porcelain"), "");
    field.check_clean();
}

/// Stops a landing, lets main go on behind its back, and lands a new merge that knows of the first.
#[track_caller]
fn check_after_main_went_on(kind: &str, moment: &'static str, times: usize) {
    let mut field = Field::new(kind);
    field.stop_at(moment, times);
    let (lock, run) = field.repo.landing_locks().unwrap().remove(0);
    assert_eq!(field.repo.free_landing_lock(&lock, &run), Ok(true));
    // The work goes on, too: what the first attempt wrote is in no side of the second.
    let (first, tree) = (
        (field.old.clone(), field.new.clone()),
        field.sandbox.path("tree"),
    );
    write(&tree, "changed.txt", "newer\n");
    rename(&tree, "added/here.txt", "added/there.txt");
    field.sandbox.commit(&tree, "More work");
    write(&field.folder, "on-main.txt", "m\n");
    field.sandbox.git(&field.folder, "add on-main.txt");
    field
        .sandbox
        .git(&field.folder, "commit -q -m main -- on-main.txt");
    field.merge();
    // Without a word of the first attempt its files are somebody's changes.
    let touched = moment != "index-locked";
    let unknowing = field.land();
    assert_eq!(
        matches!(unknowing, Ok(LandingOutcome::Waits(_))),
        touched,
        "{kind} {moment} {times}: {unknowing:?}"
    );
    if touched {
        field.interrupted = vec![first];
        let landed = field.land();
        assert!(
            matches!(landed, Ok(LandingOutcome::Done { .. })),
            "{kind} {moment} {times}: {landed:?}"
        );
    }
    assert_eq!(field.sandbox.git(&field.folder, "status --porcelain"), "");
    assert_eq!(
        fs::read(field.folder.join("changed.txt")).unwrap(),
        b"newer\n"
    );
    assert!(!field.folder.join("added/here.txt").exists());
    field.check_clean();
}

#[test]
fn what_an_interrupted_attempt_wrote_is_known_when_main_went_on_meanwhile() {
    for kind in KINDS {
        check_after_main_went_on(kind, "after-files", 1);
        check_after_main_went_on(kind, "after-index", 1);
    }
    check_after_main_went_on(KINDS[0], "index-locked", 1);
    check_after_main_went_on(KINDS[0], "mid-files", 4);
}

#[test]
fn a_change_made_after_a_crash_is_the_users() {
    for kind in KINDS {
        let field = Field::new(kind);
        field.stop_at("after-files", 1);
        let (lock, run) = field.repo.landing_locks().unwrap().remove(0);
        field.repo.free_landing_lock(&lock, &run).unwrap();
        write(&field.folder, "changed.txt", "mine, on top\n");
        let waits = field.land();
        assert!(
            matches!(waits, Ok(LandingOutcome::Waits(_))),
            "{kind}: {waits:?}"
        );
        let kept = fs::read(field.folder.join("changed.txt")).unwrap();
        assert_eq!(kept, b"mine, on top\n");
    }
}
