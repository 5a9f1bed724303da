//! Measures how long the folder of a run takes to be made, or taken from those made in advance, against
//! `git worktree add` of the same files in the same run:
//! `cargo run --release --package chant-core --example run_starts -- [FILES] [ROUNDS]`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a measurement that starts git itself and prints what it found"
)]

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use chant_confine::reach::AccessRequest;
use chant_confine::{Confinement, LandlockSupport};
use chant_git::Repo;
use chant_git::run_repository::pool::{PoolBounds, PoolSurroundings};

type Done<T> = Result<T, Box<dyn Error>>;
/// The duration of one way, in a round.
type Timed<'a> = dyn Fn(usize) -> Done<Duration> + 'a;

fn main() -> Done<()> {
    let mut arguments = env::args().skip(1).filter_map(|word| word.parse().ok());
    let files: usize = arguments.next().unwrap_or(1000);
    let rounds: usize = arguments.next().unwrap_or(21);
    let folder = tempfile::tempdir()?;
    let folder = folder.path().canonicalize()?;
    let project = project(&folder, files)?;
    let repo = Repo::open(&project)?.ok_or("git made no repository")?;
    let ways: [(&str, &Timed<'_>); 4] = [
        ("git worktree add", &|round| {
            add_worktree(&project, &folder, round)
        }),
        ("folder of a run", &|round| {
            make_folder(&repo, &project, &folder, round)
        }),
        ("one made in advance", &|round| {
            take_folder(&repo, &project, &folder, (round, "main"))
        }),
        ("the same, 100 files changed", &|round| {
            take_folder(&repo, &project, &folder, (round, "changed"))
        }),
    ];
    let mut times = [const { Vec::new() }; 4];
    for round in 0..rounds {
        // In turning order, so that none is always the one that finds warm caches.
        for step in 0..ways.len() {
            let way = (round + step) % ways.len();
            times[way].push(ways[way].1(round)?);
        }
    }
    let times = times.map(median);
    println!("{files} files, medians of {rounds}");
    for ((name, _), time) in ways.iter().zip(times) {
        let ratio = time / times[0];
        println!("{name:<28} {:8.1} ms {ratio:8.2}", time * 1000.0);
    }
    println!("promised: a folder at most 1.10 times `git worktree add`");
    Ok(())
}

/// A repository with files of a hundred lines, a hundred to a folder.
fn project(folder: &Path, files: usize) -> Done<PathBuf> {
    let project = folder.join("project");
    for number in 0..files {
        let place = project.join(format!("part-{}", number / 100));
        fs::create_dir_all(&place)?;
        let text = format!("line of {number}\n").repeat(100);
        fs::write(place.join(format!("{number}.txt")), text)?;
    }
    git(&project, &["init", "-q", "-b", "main"])?;
    git(&project, &["config", "user.name", "Ada"])?;
    git(&project, &["config", "user.email", "ada@example.org"])?;
    // Nothing is to go on beside what is measured.
    git(&project, &["config", "gc.auto", "0"])?;
    git(&project, &["config", "maintenance.auto", "false"])?;
    git(&project, &["add", "-A"])?;
    git(&project, &["commit", "-q", "-m", "Files"])?;
    git(&project, &["switch", "-q", "-c", "changed"])?;
    for number in 0..files.min(100) {
        let path = project.join(format!("part-{}/{number}.txt", number / 100));
        fs::write(path, "another line\n")?;
    }
    git(&project, &["commit", "-q", "-a", "-m", "Changes"])?;
    git(&project, &["switch", "-q", "main"])?;
    git(&project, &["gc", "-q"])?;
    Ok(project)
}

/// Takes a folder with the files of `main` that was made before the time is taken, for a branch that begins at
/// `base`.
fn take_folder(
    repo: &Repo,
    project: &Path,
    folder: &Path,
    (round, base): (usize, &str),
) -> Done<Duration> {
    const ROOM: PoolBounds = PoolBounds {
        folders: 1,
        bytes: u64::MAX,
        least_files: 1,
    };
    let tip = repo.branch_tip("main")?.ok_or("there is no main")?;
    let pool = repo.folder_pool(&folder.join("pool"), ROOM, PoolSurroundings::default());
    pool.fill(&tip, &|place: &Path| {
        confinement(repo, place).map_err(Failed::from)
    })
    .map_err(|Failed(why)| why)?;
    let branch = format!("chant/taken-{round}-{base}");
    let place = folder.join(format!("taken-{round}-{base}"));
    let begun = Instant::now();
    git(project, &["branch", "-q", &branch, base])?;
    repo.keep_base(&branch, repo.branch_tip(base)?.as_deref())?;
    let own = repo.run_folder(&place, &branch, confinement(repo, &place)?);
    let is_taken = own.make_from(&pool, &mut |_| ())?;
    let taken = begun.elapsed();
    if !is_taken {
        return Err("no folder was taken".into());
    }
    own.remove()?;
    git(project, &["branch", "-q", "-D", &branch])?;
    repo.keep_base(&branch, None)?;
    Ok(taken)
}

/// Why no folder was made in advance.
struct Failed(String);

impl<T: ToString> From<T> for Failed {
    fn from(why: T) -> Self {
        Self(why.to_string())
    }
}

fn add_worktree(project: &Path, folder: &Path, round: usize) -> Done<Duration> {
    let place = folder.join(format!("linked-{round}"));
    let shown = place.display().to_string();
    let branch = format!("linked-{round}");
    let begun = Instant::now();
    git(
        project,
        &["worktree", "add", "-q", "-b", &branch, &shown, "main"],
    )?;
    let taken = begun.elapsed();
    git(project, &["worktree", "remove", "--force", &shown])?;
    git(project, &["branch", "-q", "-D", &branch])?;
    Ok(taken)
}

fn make_folder(repo: &Repo, project: &Path, folder: &Path, round: usize) -> Done<Duration> {
    let branch = format!("chant/own-{round}");
    let place = folder.join(format!("own-{round}"));
    let begun = Instant::now();
    // What `git worktree add` does with -b.
    git(project, &["branch", "-q", &branch, "main"])?;
    repo.keep_base(&branch, repo.branch_tip("main")?.as_deref())?;
    let own = repo.run_folder(&place, &branch, confinement(repo, &place)?);
    own.make(&mut |_| ())?;
    let taken = begun.elapsed();
    own.remove()?;
    git(project, &["branch", "-q", "-D", &branch])?;
    repo.keep_base(&branch, None)?;
    Ok(taken)
}

fn confinement(repo: &Repo, place: &Path) -> Done<Confinement> {
    let (home, path) = (env::var("HOME")?, env::var("PATH")?);
    let wanted = AccessRequest {
        environment: BTreeMap::from([("HOME", &*home), ("PATH", &*path)]),
        own_read: vec![repo.common_dir().join("objects")],
        own_write: vec![place.to_owned()],
        ability: LandlockSupport::of_system(None),
        ..AccessRequest::default()
    };
    Ok(Confinement::to(wanted.policy()?))
}

fn git(folder: &Path, words: &[&str]) -> Done<()> {
    let done = Command::new("git")
        .current_dir(folder)
        .args(words)
        .status()?;
    if done.success() {
        Ok(())
    } else {
        Err(format!("git {} failed", words.join(" ")).into())
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}
