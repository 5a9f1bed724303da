//! Confinement as the kernel holds it: a shell that tries things.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use chant_confine::reach::{AccessError, AccessRequest};
use chant_confine::{
    ConfineBackend, ConfinePolicy, ConfinedProgram, Confinement, LandlockSupport, NetworkAccess,
    ProcessLifetime, SandboxLauncher,
};
use tempfile::TempDir;

/// A home with a run's folder in it, and things around that.
struct World {
    _folder: TempDir,
    home: PathBuf,
    run: PathBuf,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap().join("home");
        let run = home.join("state/run");
        for path in ["state/run", ".ssh", "tools/bin", "tools/lib", "notes"] {
            fs::create_dir_all(home.join(path)).unwrap();
        }
        for path in [".ssh/id", "notes/a.txt", "tools/lib/a.txt", "tools/lib/key"] {
            fs::write(home.join(path), "secret").unwrap();
        }
        Self {
            _folder: folder,
            home,
            run,
        }
    }

    fn policy(
        &self,
        change: impl FnOnce(&mut AccessRequest<'_>),
    ) -> Result<ConfinePolicy, AccessError> {
        let home = self.home.display().to_string();
        let path = format!("{home}/tools/bin:/usr/bin:/bin");
        let mut wanted = AccessRequest {
            environment: BTreeMap::from([("HOME", &*home), ("PATH", &*path)]),
            own_write: vec![self.run.clone()],
            ability: LandlockSupport::of_system(None),
            ..AccessRequest::default()
        };
        change(&mut wanted);
        wanted.policy()
    }

    fn shell(&self, confinement: &Confinement, script: &str) -> Output {
        let argv = ["sh", "-c", script].map(Into::into).into();
        let argv = confinement.command_line(argv);
        let mut command = Command::new(&argv[0]);
        command
            .args(&argv[1..])
            .current_dir(&self.run)
            .env("HOME", &self.home)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = confinement.spawn(&mut command).unwrap();
        child.wait_with_output().unwrap()
    }

    #[track_caller]
    fn tries(&self, confinement: &Confinement, script: &str, expected: bool) {
        let done = self.shell(confinement, script);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.success(), expected, "{script}: {said}");
    }
}

#[test]
fn a_run_writes_its_folder_and_reads_toolchains() {
    let world = World::new();
    let held = Confinement::to(world.policy(|_| {}).unwrap());
    for (script, expected) in [
        (
            "echo a > a.txt && mkdir b && mv a.txt b/ && cat b/a.txt",
            true,
        ),
        ("cat $HOME/tools/lib/a.txt", true),
        ("ls $HOME/notes", true),
        ("cat $HOME/notes/a.txt", false),
        ("cat $HOME/.ssh/id", false),
        ("ln -s $HOME/.ssh/id link && cat link", false),
        ("ln $HOME/notes/a.txt hard", false),
        ("echo a > $HOME/notes/b.txt", false),
        ("mv $HOME/notes .", false),
        ("rm -r $HOME/notes", false),
        ("echo a > /dev/null && head -c 1 /dev/urandom", true),
        ("head -c 1 /dev/ptmx", false),
        ("sleep 0 & kill $!", true),
        ("kill -0 $PPID", false),
    ] {
        world.tries(&held, script, expected);
    }
    assert!(world.home.join("notes/a.txt").exists());
}

#[test]
fn what_is_denied_stays_closed_inside_of_what_is_open() {
    let world = World::new();
    let read = vec!["~".to_owned()];
    let key = vec![world.home.join("tools/lib/key").display().to_string()];
    let policy = world
        .policy(|wanted| {
            wanted.read = read;
            wanted.deny = key;
        })
        .unwrap();
    let held = Confinement::to(policy);
    world.tries(&held, "cat $HOME/notes/a.txt", true);
    world.tries(&held, "cat $HOME/.ssh/id", false);
    world.tries(&held, "cat $HOME/tools/lib/a.txt", true);
    world.tries(&held, "cat $HOME/tools/lib/key", false);
    let secret = vec!["~/.ssh/id".to_owned()];
    let named = world.policy(|wanted| wanted.read = secret).unwrap();
    world.tries(&Confinement::to(named), "cat $HOME/.ssh/id", true);
}

#[test]
fn what_cannot_be_held_is_refused() {
    let world = World::new();
    let above = vec!["~/state".to_owned()];
    let refused = world.policy(|wanted| wanted.deny = above);
    assert!(matches!(refused, Err(AccessError::Denied { .. })));
    let relative = vec!["notes".to_owned()];
    let refused = world.policy(|wanted| wanted.write = relative);
    assert_eq!(refused, Err(AccessError::Relative("notes".into())));
    let old = world
        .policy(|wanted| wanted.ability = LandlockSupport { abi: 2 })
        .unwrap();
    let error = started(&world, old);
    assert!(error.contains("at least 3 is needed"), "{error}");
    let gone = world
        .policy(|wanted| wanted.own_write.push(world.home.join("gone")))
        .unwrap();
    let error = started(&world, gone);
    assert!(error.contains("gone`, which it has to write"), "{error}");
    assert!(!world.run.join("started").exists());
}

/// A folder with a closed part is opened by what else lies in it, as it was listed.
#[test]
fn what_others_remove_from_an_opened_folder_meanwhile_keeps_nothing_from_starting() {
    let world = World::new();
    let shared = world.home.join("shared");
    let (secret, passing) = (shared.join("secret"), shared.join("passing"));
    fs::create_dir_all(&secret).unwrap();
    fs::create_dir_all(&passing).unwrap();
    let policy = world
        .policy(|wanted| {
            wanted.write = vec!["~/shared".to_owned()];
            wanted.deny = vec!["~/shared/secret".to_owned()];
        })
        .unwrap();
    assert!(policy.write.contains(&passing));
    fs::remove_dir(&passing).unwrap();
    world.tries(&Confinement::to(policy), "true", true);
}

fn started(world: &World, policy: ConfinePolicy) -> String {
    let mut command = Command::new("touch");
    command.arg(world.run.join("started"));
    let started = Confinement::to(policy).spawn(&mut command);
    started.unwrap_err().to_string()
}

#[test]
fn this_process_stays_as_it_was() {
    let world = World::new();
    let held = Confinement::to(
        world
            .policy(|wanted| wanted.network = NetworkAccess::None)
            .unwrap(),
    );
    world.tries(&held, "true", true);
    fs::write(world.home.join("notes/mine.txt"), "").unwrap();
    assert!(std::net::UdpSocket::bind("127.0.0.1:0").is_ok());
    assert!(Path::new("/proc/self").exists());
}

#[test]
fn a_launcher_starts_what_confines_a_program() {
    let world = World::new();
    let policy = ConfinePolicy {
        launcher: Some(SandboxLauncher::default()),
        lifetime: ProcessLifetime::OfStarter,
        backend: ConfineBackend::Bubblewrap("/usr/bin/bwrap".into()),
        ..world.policy(|_| {}).unwrap()
    };
    let program = ConfinedProgram {
        argv: vec!["true".into()],
        environment: Vec::new(),
        folder: world.run.clone(),
    };
    let (_, order) = Confinement::to(policy).order(program).unwrap().unwrap();
    let order: serde_json::Value = serde_json::from_slice(&order).unwrap();
    let first: OsString = serde_json::from_value(order["argv"][0].clone()).unwrap();
    assert_eq!(first, "/usr/bin/bwrap");
}
