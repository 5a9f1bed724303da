//! The folder of a run whose repository an agent made hostile: what is called there is held, and nothing but
//! commits that git finds sound comes back.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, Instant};

use chant_confine::reach::AccessRequest;
use chant_confine::{Confinement, LandlockSupport};
use chant_git::run_repository::RunRepository;

use super::run_folders::commit_of_tree;
use super::*;

const BRANCH: &str = "chant/x";
const FULL_NAME: &str = "refs/heads/chant/x";

/// A project with the folder of a run, and a repository of somebody else's that has a secret.
struct World {
    sandbox: Sandbox,
    project: PathBuf,
    repo: Repo,
    top: PathBuf,
    other: PathBuf,
    secret: String,
    base: String,
    confinement: Confinement,
}

impl World {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let project = sandbox.repo(KINDS[0]);
        sandbox.git(&project, &format!("branch {BRANCH}"));
        let base = sandbox.id(&project, BRANCH);
        let other = sandbox.init("other", KINDS[0]);
        write(&other, "secret.txt", "secret\n");
        sandbox.commit(&other, "Secret");
        sandbox.git(&other, &format!("branch {BRANCH}"));
        let secret = sandbox.git(&other, "rev-parse HEAD:secret.txt");
        let top = sandbox.path("runs/x");
        fs::create_dir(top.parent().unwrap()).unwrap();
        let home = sandbox.path("").display().to_string();
        let wanted = AccessRequest {
            environment: BTreeMap::from([("HOME", &*home), ("PATH", "/usr/bin:/bin")]),
            own_read: [
                settings_of_the_machine(),
                vec![project.join(".git/objects")],
            ]
            .concat(),
            own_write: vec![top.clone()],
            ability: LandlockSupport::of_system(None),
            ..AccessRequest::default()
        };
        let confinement = Confinement::to(wanted.policy().unwrap());
        let repo = open(&project);
        let world = Self {
            sandbox,
            project,
            repo,
            top,
            other,
            secret,
            base,
            confinement,
        };
        world.folder().make(&mut |_| {}).unwrap();
        world
    }

    fn folder(&self) -> RunRepository<'_> {
        let confinement = self.confinement.clone();
        self.repo.run_folder(&self.top, BRANCH, confinement)
    }

    fn git_file(&self, name: &str) -> PathBuf {
        self.top.join(".git").join(name)
    }

    #[track_caller]
    fn in_run(&self, words: &str) -> String {
        self.sandbox.git(&self.top, words)
    }

    /// Commits a file on the run's branch.
    fn commit(&self) -> String {
        write(&self.top, "b.txt", "b\n");
        self.sandbox.commit(&self.top, "chant(x): b")
    }

    /// Has the run's branch lead to an object of any kind.
    fn lead_to(&self, id: &str) {
        fs::write(self.git_file(FULL_NAME), format!("{id}\n")).unwrap();
    }

    /// A commit whose tree has the secret of the other repository as a file.
    fn commit_of_secret(&self) -> String {
        let entry = format!("100644 blob {}\tstolen.txt", self.secret);
        write(&self.sandbox.path(""), "entry", entry + "\n");
        let mut mktree = Command::new("git");
        mktree
            .arg("-C")
            .arg(&self.top)
            .args(["mktree", "--missing"]);
        mktree.stdin(fs::File::open(self.sandbox.path("entry")).unwrap());
        let tree = String::from_utf8(mktree.output().unwrap().stdout).unwrap();
        fs::remove_file(self.sandbox.path("entry")).unwrap();
        let words = "commit-tree -p HEAD -m chant(x):stolen";
        self.sandbox.git_with(&self.top, words, &[tree.trim_end()])
    }

    fn tip(&self) -> String {
        self.sandbox.id(&self.project, BRANCH)
    }

    /// Every file outside of the run's folder with its bytes, but what bringing commits back writes.
    fn outside(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let own = self.project.join(".git");
        let written = ["objects", "logs", FULL_NAME, "chant-mcp-flush.config"];
        let written = written.map(|name| own.join(name));
        let is_left_out = |path: &Path| {
            path == self.sandbox.path("runs") || written.iter().any(|own| path == own)
        };
        let mut found = BTreeMap::new();
        let mut open = vec![self.sandbox.path("")];
        while let Some(folder) = open.pop() {
            for entry in folder.read_dir().unwrap().flatten() {
                let path = entry.path();
                let kind = entry.file_type().unwrap();
                if is_left_out(&path) {
                } else if kind.is_dir() {
                    open.push(path);
                } else if kind.is_symlink() {
                    found.insert(
                        path.clone(),
                        path.read_link()
                            .unwrap()
                            .into_os_string()
                            .into_encoded_bytes(),
                    );
                } else {
                    found.insert(path.clone(), fs::read(&path).unwrap());
                }
            }
        }
        found
    }

    fn objects(&self) -> String {
        let words = "cat-file --batch-all-objects --batch-check=%(objectname)";
        self.sandbox.git(&self.project, words)
    }

    /// A program that says in the folder, and tries to say outside of it, that it was run.
    fn trap(&self) -> PathBuf {
        let (inside, outside) = (self.top.join("ran"), self.sandbox.path("trace"));
        let text = format!(
            "#!/bin/sh\necho ran >> {}\necho \"$0 $*\" >> {}\nexit 1\n",
            inside.display(),
            outside.display()
        );
        write(&self.top, "trap", text);
        let program = self.top.join("trap");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        program
    }
}

/// Git's own files of settings, which every git of ours reads.
fn settings_of_the_machine() -> Vec<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let home = named("HOME").unwrap_or_default();
    let above = named("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    let named = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].map(named);
    let own = [home.join(".gitconfig"), above.join("git")];
    named.into_iter().flatten().chain(own).collect()
}

/// What an agent may have done, and whether the fetch then moves the branch.
type Case = (&'static str, fn(&World), bool);

/// Checks each, all at once: most of the time is spent waiting.
fn check_all(cases: &[Case]) {
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(|| check(case));
        }
    });
}

/// Does all that is done to the folder of a run in its life, and looks after each step at what is outside.
#[track_caller]
fn check(&(name, arm, moves): &Case) {
    let world = World::new();
    arm(&world);
    let outside = world.outside();
    let folder = world.folder();
    let longest = if moves { 5000 } else { 400 };
    let hasty = folder.clone().limited(Duration::from_millis(longest));
    let held = if name.starts_with("waits") {
        &hasty
    } else {
        &folder
    };
    let fetched = held.fetch();
    assert_eq!(fetched == Ok(true), moves, "{name}: {fetched:?}");
    assert_eq!(world.tip() != world.base, moves, "{name}");
    let _ = (held.uncommitted(), held.stands_on_branch());
    let _ = held.elsewhere(&world.base);
    assert_eq!(world.outside(), outside, "{name}: looked at");
    let _ = held.commit_everything("The rest");
    let _ = held.fetch();
    assert_eq!(world.outside(), outside, "{name}: committed");
    let _ = held.catch_up(&mut |_| ());
    assert_eq!(world.outside(), outside, "{name}: caught up");
    folder.make_repository_again().unwrap();
    assert_eq!(world.outside(), outside, "{name}: made again");
    // As a person, who is held by nothing.
    let _ = fs::remove_file(world.top.join("ran"));
    world.in_run("status --porcelain");
    assert_eq!(world.in_run("rev-parse HEAD"), world.tip(), "{name}");
    assert!(!world.top.join("ran").exists(), "{name}: a person ran it");
    assert_eq!(world.outside(), outside, "{name}: a person looked");
    assert!(!world.objects().contains(&world.secret), "{name}");
    world
        .sandbox
        .git(&world.project, "fsck --strict --no-dangling");
    folder.remove().unwrap();
    assert_eq!(world.outside(), outside, "{name}: removed");
    let left = fs::read_dir(world.sandbox.path("runs")).unwrap().count();
    assert_eq!(left, 0, "{name}");
}

/// Names a program wherever git runs one.
fn name_programs(world: &World) {
    world.commit();
    let trap = world.trap();
    let program = trap.to_str().unwrap();
    let mut text = String::new();
    for (section, keys) in [
        (
            "core",
            "fsmonitor sshCommand pager editor askPass alternateRefsCommand gitProxy",
        ),
        ("filter \"trap\"", "clean smudge process"),
        ("diff", "external"),
        ("diff \"trap\"", "command textconv"),
        ("merge \"trap\"", "driver"),
        ("uploadpack", "packObjectsHook"),
        ("gpg", "program"),
        ("credential", "helper"),
        ("pager", "status log"),
        ("sequence", "editor"),
    ] {
        text.push_str(&format!("[{section}]\n"));
        for key in keys.split(' ') {
            text.push_str(&format!("\t{key} = {program}\n"));
        }
    }
    text.push_str("[core]\n\thooksPath = hooks\n[commit]\n\tgpgsign = true\n");
    text.push_str(&format!(
        "[alias]\n\tstatus = !{program}\n\tadd = !{program}\n"
    ));
    fs::write(world.top.join("included"), text).unwrap();
    let included = world.top.join("included").display().to_string();
    let config = world.git_file("config");
    let own = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{own}[include]\n\tpath = {included}\n")).unwrap();
    write(
        &world.top,
        ".gitattributes",
        "*.txt filter=trap diff=trap merge=trap\n",
    );
    for hook in [
        "pre-commit", "post-commit", "post-index-change", "reference-transaction",
    ] {
        let place = world.top.join("hooks").join(hook);
        write(&world.top, &format!("hooks/{hook}"), "");
        fs::copy(&trap, &place).unwrap();
    }
    write(&world.top, "b.txt", "changed\n");
}

fn name_promisor(world: &World) {
    let program = world.trap().display().to_string();
    for (key, value) in [
        ("remote.origin.url", format!("ext::{program} x")),
        ("remote.origin.promisor", "true".into()),
        ("extensions.partialclone", "origin".into()),
        ("core.repositoryformatversion", "1".into()),
        ("protocol.ext.allow", "always".into()),
    ] {
        world.sandbox.git_with(&world.top, "config", &[key, &value]);
    }
    world.lead_to(&world.commit_of_secret());
}

/// Where an object of a repository lies by itself.
fn place_of(git: &Path, id: &str) -> PathBuf {
    git.join("objects").join(&id[..2]).join(&id[2..])
}

fn link(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    let (from, to) = (from.as_ref(), to.as_ref());
    match to.symlink_metadata() {
        Ok(found) if found.is_dir() => fs::remove_dir_all(to).unwrap(),
        Ok(_) => fs::remove_file(to).unwrap(),
        Err(_) => fs::create_dir_all(to.parent().unwrap()).unwrap(),
    }
    symlink(from, to).unwrap();
}

/// Puts a pipe that has no other end where git expects a file.
fn pipe(world: &World, name: &str) {
    let path = world.git_file(name);
    let _ = fs::remove_file(&path);
    let made = Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
}

#[test]
fn what_a_hostile_repository_names_touches_nothing_outside_of_the_folder() {
    let cases: [Case; 3] = [
        ("programs", name_programs, true),
        ("a way to a remote that is a program", name_promisor, false),
        (
            "refs without end",
            |world| {
                let tip = world.commit();
                let mut refs = String::from("# pack-refs with: \n");
                for number in 10_000..20_000 {
                    refs.push_str(&format!("{tip} refs/heads/{number}\n"));
                }
                fs::write(world.git_file("packed-refs"), refs).unwrap();
            },
            true,
        ),
    ];
    check_all(&cases);
}

#[test]
fn the_programs_that_a_folder_names_run_in_it_alone() {
    let world = World::new();
    name_programs(&world);
    // A process that another test starts at that moment may hold the trap's file open, which then cannot be run.
    let runs = || {
        let _ = world.folder().uncommitted();
        world.top.join("ran").exists()
    };
    let deadline = Instant::now() + Duration::from_secs(30);
    while !runs() {
        assert!(Instant::now() < deadline, "the trap is set");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!world.sandbox.path("trace").exists(), "it is held");
    let _ = world
        .repo
        .run_folder(&world.top, BRANCH, Confinement::Off)
        .uncommitted();
    assert!(
        world.sandbox.path("trace").exists(),
        "nothing else holds it"
    );
}

#[test]
fn no_object_of_another_repository_comes_back() {
    let cases: [Case; 9] = [
        (
            "borrowed objects",
            |world| {
                world.lead_to(&world.commit_of_secret());
                let objects = world.other.join(".git/objects").display().to_string();
                let place = world.git_file("objects/info/alternates");
                let own = fs::read_to_string(&place).unwrap();
                fs::write(place, own + &objects + "\n").unwrap();
            },
            false,
        ),
        (
            "an object that is a link",
            |world| {
                world.lead_to(&world.commit_of_secret());
                let from = place_of(&world.other.join(".git"), &world.secret);
                link(from, place_of(&world.top.join(".git"), &world.secret));
            },
            false,
        ),
        (
            "a folder of objects that is a link",
            |world| {
                world.lead_to(&world.commit_of_secret());
                link(world.other.join(".git/objects"), world.git_file("objects"));
            },
            false,
        ),
        (
            "a folder for borrowed objects that is a link",
            |world| {
                link(
                    world.other.join(".git/objects/info"),
                    world.git_file("objects/info"),
                );
            },
            false,
        ),
        (
            "a git folder that is a file",
            |world| {
                let folder = world.other.join(".git");
                fs::remove_dir_all(world.top.join(".git")).unwrap();
                write(
                    &world.top,
                    ".git",
                    format!("gitdir: {}\n", folder.display()),
                );
            },
            false,
        ),
        (
            "a git folder that is a link",
            |world| {
                link(world.other.join(".git"), world.top.join(".git"));
            },
            false,
        ),
        (
            "a shared folder that is elsewhere",
            |world| {
                let folder = world.other.join(".git").display().to_string();
                fs::write(world.git_file("commondir"), folder + "\n").unwrap();
            },
            false,
        ),
        (
            "a branch that is a link",
            |world| {
                link(
                    world.other.join(".git").join(FULL_NAME),
                    world.git_file(FULL_NAME),
                );
            },
            false,
        ),
        (
            "refs that are a link",
            |world| {
                link(world.other.join(".git/refs"), world.git_file("refs"));
            },
            false,
        ),
    ];
    check_all(&cases);
}

#[test]
fn what_is_broken_is_refused_and_made_again() {
    let cases: [Case; 7] = [
        (
            "a HEAD that is a folder",
            |world| {
                world.commit();
                fs::remove_file(world.git_file("HEAD")).unwrap();
                fs::create_dir(world.git_file("HEAD")).unwrap();
            },
            false,
        ),
        (
            "borrowed objects that are a folder",
            |world| {
                world.commit();
                let place = world.git_file("objects/info/alternates");
                fs::remove_file(&place).unwrap();
                fs::create_dir_all(place.join("inside")).unwrap();
            },
            false,
        ),
        (
            "a tip that is a file",
            |world| {
                world.lead_to(&world.in_run("rev-parse HEAD:a.txt"));
            },
            false,
        ),
        (
            "a tip that is a tree",
            |world| {
                world.lead_to(&world.in_run("rev-parse HEAD^{tree}"));
            },
            false,
        ),
        (
            "a tip that is text",
            |world| {
                world.lead_to("--upload-pack=touch${IFS}x");
            },
            false,
        ),
        (
            "a file that is missing",
            |world| world.lead_to(&world.commit_of_secret()),
            false,
        ),
        (
            "an index of anything",
            |world| {
                world.commit();
                fs::write(world.git_file("index"), "DIRC, or so\n".repeat(1000)).unwrap();
            },
            true,
        ),
    ];
    check_all(&cases);
}

#[test]
fn trees_that_git_would_not_write_do_not_come_back() {
    let world = World::new();
    world.commit();
    let entries: [&[u8]; 7] = [
        b"100644 .git\0", b"100644 .GIT\0", b"100644 git~1\0", b"100644 ..\0", b"100644 a/b\0",
        b"120000 .gitmodules\0", b"000000 a\0",
    ];
    for entry in entries {
        let name = String::from_utf8_lossy(entry);
        let bad = commit_of_tree(&world.sandbox, &world.top, entry);
        for is_large in [false, true] {
            world.in_run("reset -q --hard");
            if is_large {
                for number in 0..120 {
                    write(
                        &world.top,
                        &format!("many/{number}.txt"),
                        format!("{number}\n"),
                    );
                }
                world.sandbox.commit(&world.top, "Many");
                let words = "commit-tree -p HEAD -m Bad";
                let tree = world
                    .sandbox
                    .git(&world.top, &format!("log -1 --format=%T {bad}"));
                let bad = world.sandbox.git_with(&world.top, words, &[&tree]);
                world.lead_to(&bad);
            } else {
                world.lead_to(&bad);
            }
            let refused = world.folder().fetch();
            assert!(refused.is_err(), "{name}, large: {is_large}");
            assert_eq!(world.tip(), world.base, "{name}");
            let all = world.sandbox.git(&world.project, "rev-list --all");
            assert_eq!(all, world.base, "{name}");
            world.lead_to(&world.base);
        }
    }
}

#[test]
fn a_git_that_is_made_to_wait_is_ended() {
    let cases: [Case; 5] = [
        (
            "waits for the index",
            |world| {
                world.commit();
                pipe(world, "index");
            },
            true,
        ),
        ("waits for a branch", |world| pipe(world, FULL_NAME), false),
        (
            "waits for refs",
            |world| {
                fs::remove_file(world.git_file(FULL_NAME)).unwrap();
                pipe(world, "packed-refs");
            },
            false,
        ),
        (
            "waits for the configuration",
            |world| pipe(world, "config"),
            false,
        ),
        (
            "waits for borrowed objects",
            |world| {
                world.commit();
                pipe(world, "objects/info/alternates");
            },
            false,
        ),
    ];
    check_all(&cases);
}

#[test]
fn a_git_is_not_waited_for_longer_because_of_what_it_started() {
    let world = World::new();
    // It leaves the group that is killed, and keeps the pipes open.
    let text = "#!/bin/sh\nsetsid sh -c 'echo $$ > started; exec sleep 600' &\nsleep 600\n";
    write(&world.top, "hooks/post-index-change", text);
    let hook = world.top.join("hooks/post-index-change");
    fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).unwrap();
    world.in_run("config core.hooksPath hooks");
    let hasty = world.folder().limited(Duration::from_secs(2));
    let refused = hasty.commit_everything("The rest").unwrap_err();
    let started = fs::read_to_string(world.top.join("started")).unwrap();
    let ended = Command::new("kill").arg(started.trim()).status().unwrap();
    assert!(ended.success(), "it is still there");
    assert!(refused.to_string().contains("longer than 2 s"), "{refused}");
}
