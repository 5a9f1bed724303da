//! Folders of runs that are made in advance: taken, renewed, cut off, bounded.

use std::time::{Duration, SystemTime};

use chant_confine::Confinement;
use chant_git::run_repository::RunRepository;
use chant_git::run_repository::pool::{FolderPool, PoolBounds, PoolSurroundings};

use super::*;

const BRANCH: &str = "chant/x";
const ROOM: PoolBounds = PoolBounds {
    folders: 1,
    bytes: 1_000_000,
    least_files: 1,
};
/// What a file in a pool takes.
const FILE: u64 = 4096 + 100;

/// What happens to a project after its pool was filled.
type Change = dyn Fn(&World);
/// What happens to one before.
type Preparation = dyn Fn(&Sandbox, &Path);

/// A project with a pool beside the folders of its runs.
struct World {
    sandbox: Sandbox,
    project: PathBuf,
    repo: Repo,
    runs: PathBuf,
}

impl World {
    fn new(kind: &str) -> Self {
        Self::of(kind, |_, _| {})
    }

    /// A project that is prepared before its pool is filled.
    fn of(kind: &str, prepare: impl FnOnce(&Sandbox, &Path)) -> Self {
        let sandbox = Sandbox::new();
        let project = sandbox.repo(kind);
        write(&project, "deep/er/b.txt", "b\n");
        write(&project, ".gitattributes", "*.crlf text eol=crlf\n");
        write(&project, "lines.crlf", "one\ntwo\n");
        std::os::unix::fs::symlink("a.txt", project.join("link")).unwrap();
        sandbox.commit(&project, "Files");
        prepare(&sandbox, &project);
        let repo = open(&project);
        let runs = sandbox.path("runs");
        fs::create_dir(&runs).unwrap();
        Self {
            sandbox,
            project,
            repo,
            runs,
        }
    }

    fn filled(kind: &str) -> Self {
        let world = Self::new(kind);
        assert_eq!(world.fill(ROOM), 1, "{kind}");
        world
    }

    fn place(&self) -> PathBuf {
        self.runs.join(".pool")
    }

    fn pool(&self, bounds: PoolBounds) -> FolderPool<'_> {
        self.repo
            .folder_pool(&self.place(), bounds, PoolSurroundings::default())
    }

    fn fill(&self, bounds: PoolBounds) -> usize {
        let tip = self.sandbox.id(&self.project, "main");
        let hold = |_: &Path| Ok::<_, GitError>(Confinement::Off);
        self.pool(bounds).fill(&tip, &hold).unwrap()
    }

    fn count(&self) -> usize {
        self.pool(ROOM).folders().len()
    }

    /// The names of what lies in the pool, without the lock.
    fn names(&self) -> Vec<String> {
        let entries = self.place().read_dir().unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != "filling.lock").collect()
    }

    /// A run's folder whose branch begins at `main`.
    fn folder(&self, name: &str) -> RunRepository<'_> {
        self.sandbox
            .git(&self.project, &format!("branch -f {BRANCH} main"));
        self.repo
            .run_folder(&self.runs.join(name), BRANCH, Confinement::Off)
    }

    fn take(&self, name: &str) -> bool {
        let folder = self.folder(name);
        folder.make_from(&self.pool(ROOM), &mut |_| {}).unwrap()
    }

    /// Checks that a folder is what is made where there is no pool.
    #[track_caller]
    fn check_alike(&self, taken: &str, what: &str) {
        let fresh = self.folder("fresh");
        fresh.make(&mut |_| {}).unwrap();
        let taken = self.runs.join(taken);
        let state = |top: &Path| {
            let (status, index, head, files) = self.sandbox.state(top);
            let inside = |path: PathBuf| path.strip_prefix(top).unwrap().to_owned();
            let files: Vec<_> = files
                .into_iter()
                .map(|(path, data)| (inside(path), data))
                .collect();
            (status, index, head, files)
        };
        assert_eq!(state(&taken), state(fresh.top()), "{what}");
        for file in ["config", "HEAD", "packed-refs", "objects/info/alternates"] {
            let text = |top: &Path| fs::read_to_string(top.join(".git").join(file)).unwrap();
            assert_eq!(text(&taken), text(fresh.top()), "{what}: {file}");
        }
        let entries = |top: &Path| {
            let entries = top.join(".git").read_dir().unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(entries(&taken), entries(fresh.top()), "{what}");
        self.sandbox.git(&taken, "fsck --strict");
        fresh.remove().unwrap();
    }
}

#[test]
fn a_folder_that_was_made_in_advance_becomes_that_of_a_run() {
    for kind in KINDS {
        let world = World::filled(kind);
        assert!(world.take("x"), "{kind}");
        world.check_alike("x", kind);
        assert_eq!(world.names(), Vec::<String>::new(), "{kind}");
        assert!(!world.take("y"), "{kind}: the pool is empty");
        assert!(!world.runs.join("y").exists() && !world.runs.join("y.unfinished").exists());
    }
}

#[test]
fn what_changed_since_is_brought_in() {
    for kind in KINDS {
        let world = World::filled(kind);
        let project = &world.project;
        write(project, "a.txt", "another\n");
        write(project, "new/c.txt", "c\n");
        fs::remove_dir_all(project.join("deep")).unwrap();
        fs::remove_file(project.join("link")).unwrap();
        write(project, "link", "a file now\n");
        world.sandbox.commit(project, "Changes");
        assert!(world.take("x"), "{kind}");
        world.check_alike("x", kind);
    }
}

#[test]
fn no_file_is_read_again_whose_stamps_are_known_and_others_are_put_right() {
    let world = World::filled("");
    let top = world.pool(ROOM).folders()[0].path.clone();
    // What git takes for unchanged by its stamps it does not read: else it would see this.
    let path = top.join("a.txt");
    let stamp = path.metadata().unwrap().modified().unwrap();
    fs::write(&path, "b\n").unwrap();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(stamp)
        .unwrap();
    let status = "-c core.trustctime=false status --porcelain";
    assert_eq!(world.sandbox.git(&top, status), "");
    // What was changed in a way that shows is put right.
    fs::remove_file(path).unwrap();
    fs::write(top.join("deep/er/b.txt"), "longer than it was\n").unwrap();
    assert!(world.take("x"));
    world.check_alike("x", "put right");
}

#[test]
fn a_folder_that_would_be_another_today_is_not_taken() {
    let config = |key: &'static str, value: &'static str| {
        move |world: &World| {
            world
                .sandbox
                .git_with(&world.project, "config", &[key, value]);
        }
    };
    let attributes = |world: &World| {
        write(&world.project, "deep/.gitattributes", "*.txt eol=crlf\n");
        world.sandbox.commit(&world.project, "Attributes");
    };
    let rights = |world: &World| {
        use std::os::unix::fs::PermissionsExt;
        let head = world.pool(ROOM).folders()[0].path.join(".git/HEAD");
        fs::set_permissions(head, fs::Permissions::from_mode(0o600)).unwrap();
    };
    let link = |world: &World| {
        let top = world.pool(ROOM).folders()[0].path.clone();
        fs::rename(&top, world.runs.join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(world.runs.join("elsewhere"), top).unwrap();
    };
    let shared = |world: &World| {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(world.place(), fs::Permissions::from_mode(0o777)).unwrap();
    };
    let rows: [(&str, &Change); 7] = [
        ("line ends", &config("core.autocrlf", "true")),
        ("a filter", &config("filter.up.smudge", "sed s/a/A/")),
        ("attributes", &attributes),
        ("rights of new files", &rights),
        ("a link", &link),
        ("a pool that others write", &shared),
        ("gone", &|world: &World| {
            fs::remove_dir_all(world.place()).unwrap();
        }),
    ];
    for (what, change) in rows {
        let world = World::filled("");
        change(&world);
        assert!(!world.take("x"), "{what}");
        assert!(!world.runs.join("x").exists(), "{what}");
    }
    let world = World::filled("");
    config("branch.main.remote", "origin")(&world);
    assert!(world.take("x"), "what says nothing about files");
}

#[test]
fn nothing_is_made_where_files_depend_on_more_than_the_commit() {
    let config = |key: &'static str, value: &'static str| {
        move |sandbox: &Sandbox, project: &Path| {
            sandbox.git_with(project, "config", &[key, value]);
        }
    };
    let filter = |sandbox: &Sandbox, project: &Path| {
        sandbox.git_with(project, "config", &["filter.up.smudge", "sed s/a/A/"]);
        write(project, "deep/.gitattributes", "*.txt filter=up\n");
        sandbox.commit(project, "Filter");
    };
    let rows: [(&str, &Preparation); 5] = [
        ("sparse", &config("core.sparseCheckout", "true")),
        ("partial", &config("extensions.partialClone", "origin")),
        ("promisor", &config("remote.origin.promisor", "true")),
        ("attributes elsewhere", &config("core.attributesFile", "/x")),
        ("filter", &filter),
    ];
    for (what, prepare) in rows {
        let world = World::of("", |sandbox, project| prepare(sandbox, project));
        assert_eq!((world.fill(ROOM), world.count()), (0, 0), "{what}");
    }
    // A filter that no file asks for changes none.
    let world = World::of("", |sandbox, project| {
        sandbox.git_with(project, "config", &["filter.lfs.process", "git-lfs"]);
    });
    assert_eq!(world.fill(ROOM), 1);
}

#[test]
fn there_are_no_more_folders_than_there_is_room_for() {
    let world = World::new("");
    let bounds = |folders, bytes, least_files| PoolBounds {
        folders,
        bytes,
        least_files,
    };
    let files = 5;
    for (room, made, what) in [
        (bounds(0, 1 << 40, 1), 0, "no folder"),
        (bounds(9, files * FILE - 1, 1), 0, "no room on the disk"),
        (bounds(9, 1 << 40, files + 1), 0, "a small project"),
        (bounds(9, 2 * files * FILE, 1), 2, "room for two"),
        (bounds(3, 1 << 40, files), 1, "one more"),
        (bounds(3, 1 << 40, files), 0, "full"),
    ] {
        assert_eq!(world.fill(room), made, "{what}");
        let now = world.pool(room).folders();
        assert!(now.len() <= room.folders, "{what}");
    }
    assert_eq!(world.count(), 3);
    assert!(!world.pool(bounds(3, 1 << 40, 1)).has_room());
    assert!(!world.pool(bounds(9, 3 * files * FILE, 1)).has_room());
    assert!(!world.pool(bounds(9, 1 << 40, files + 1)).has_room());
    // A process that another test starts may have the lock for an instant.
    let has_room = |_| {
        std::thread::sleep(Duration::from_millis(5));
        world.pool(bounds(9, 1 << 40, files)).has_room()
    };
    assert!((0..400).any(has_room));
    // Less room than before.
    let oldest = Duration::from_secs(1000);
    let removed = world.pool(ROOM).clear_old(oldest).unwrap();
    assert_eq!((removed.len(), world.names().len()), (2, 2));
    let past = SystemTime::now() - 2 * oldest;
    for name in world.names() {
        let file = fs::File::open(world.place().join(name)).unwrap();
        file.set_modified(past).unwrap();
    }
    world.pool(ROOM).clear_old(oldest).unwrap();
    assert_eq!(world.names(), Vec::<String>::new(), "old ones go");
}

#[test]
fn what_was_cut_off_is_thrown_away_and_never_taken() {
    let world = World::filled("");
    let top = world.pool(ROOM).folders()[0].path.clone();
    // Killed while it was made, renewed, removed, and between the two steps of taking it.
    for left in ["1.new", "2.old"] {
        fs::create_dir(world.place().join(left)).unwrap();
        write(&world.place().join(left), "half.txt", "");
    }
    write(&world.place(), "3.made", "");
    fs::rename(&top, world.place().join("4.new")).unwrap();
    assert_eq!(world.count(), 0);
    assert!(!world.take("x"));
    assert_eq!(world.fill(ROOM), 1);
    assert_eq!(world.names().len(), 2, "one folder and its mark");
    // Killed after it was taken, before it was the run's.
    let folder = world.folder("x");
    let top = world.pool(ROOM).folders()[0].path.clone();
    write(&world.runs, "x.unfinished", "");
    fs::rename(top, folder.top()).unwrap();
    write(folder.top(), "a.txt", "half\n");
    folder.catch_up(&mut |_| {}).unwrap();
    world.check_alike("x", "made from the beginning");
}

#[test]
fn one_folder_goes_to_one_run_and_one_process_makes_them() {
    let world = World::filled("");
    world.folder("x");
    let takers = 4;
    let start = std::sync::Barrier::new(takers);
    let (project, runs) = (world.project.clone(), world.runs.clone());
    let take = |number: usize| {
        let repo = open(&project);
        start.wait();
        let top = runs.join(format!("taker-{number}"));
        let folder = repo.run_folder(&top, BRANCH, Confinement::Off);
        let pool = repo.folder_pool(&runs.join(".pool"), ROOM, PoolSurroundings::default());
        folder.make_from(&pool, &mut |_| {}).unwrap()
    };
    let taken = std::thread::scope(|scope| {
        let take = &take;
        let spawn = |number| scope.spawn(move || take(number));
        let hands: Vec<_> = (0..takers).map(spawn).collect();
        let taken = hands.into_iter().map(|hand| hand.join().unwrap());
        taken.filter(|is_taken| *is_taken).count()
    });
    assert_eq!(taken, 1);
    let lock = fs::File::create(world.place().join("filling.lock")).unwrap();
    lock.lock().unwrap();
    assert!(!world.pool(ROOM).has_room(), "somebody fills it");
    assert_eq!(world.fill(ROOM), 0);
    drop(lock);
    assert_eq!(world.fill(ROOM), 1);
}

#[test]
fn folders_of_an_earlier_commit_are_brought_to_the_newest() {
    for kind in KINDS {
        let world = World::filled(kind);
        let before = world.names();
        write(&world.project, "a.txt", "newer\n");
        world.sandbox.commit(&world.project, "Newer");
        assert_eq!((world.fill(ROOM), world.fill(ROOM)), (1, 0), "{kind}");
        assert_eq!(world.names(), before, "{kind}: the same folder");
        let top = world.pool(ROOM).folders()[0].path.clone();
        assert_eq!(fs::read_to_string(top.join("a.txt")).unwrap(), "newer\n");
        write(&world.project, ".gitattributes", "");
        world.sandbox.commit(&world.project, "Attributes");
        assert_eq!(world.fill(ROOM), 1, "{kind}");
        assert_ne!(world.names(), before, "{kind}: another folder");
        assert!(world.take("x"), "{kind}");
        world.check_alike("x", kind);
    }
}
