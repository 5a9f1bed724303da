//! How long the folder of a run takes to be made, against `git worktree add` of the same files in the same run:
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

use chant_core::confine::reach::Wanted;
use chant_core::confine::{Ability, Confinement};
use chant_core::git::Repo;

type Done<T> = Result<T, Box<dyn Error>>;

fn main() -> Done<()> {
    let mut arguments = env::args().skip(1).filter_map(|word| word.parse().ok());
    let files: usize = arguments.next().unwrap_or(1000);
    let rounds: usize = arguments.next().unwrap_or(21);
    let folder = tempfile::tempdir()?;
    let folder = folder.path().canonicalize()?;
    let project = project(&folder, files)?;
    let repo = Repo::open(&project)?.ok_or("git made no repository")?;
    let (mut linked, mut own) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        // In turning order, so that neither is always the one that finds warm caches.
        if round % 2 == 0 {
            linked.push(add_worktree(&project, &folder, round)?);
            own.push(make_folder(&repo, &project, &folder, round)?);
        } else {
            own.push(make_folder(&repo, &project, &folder, round)?);
            linked.push(add_worktree(&project, &folder, round)?);
        }
    }
    let (linked, own) = (median(linked), median(own));
    println!("{files} files, medians of {rounds}");
    println!("git worktree add     {:8.1} ms", linked * 1000.0);
    println!("folder of a run      {:8.1} ms", own * 1000.0);
    println!(
        "ratio                {:8.2} (promised: at most 1.10)",
        own / linked
    );
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
    git(&project, &["add", "-A"])?;
    git(&project, &["commit", "-q", "-m", "Files"])?;
    git(&project, &["gc", "-q"])?;
    Ok(project)
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
    let wanted = Wanted {
        environment: BTreeMap::from([("HOME", &*home), ("PATH", &*path)]),
        own_read: vec![repo.common_dir().join("objects")],
        own_write: vec![place.to_owned()],
        ability: Ability::of_system(None),
        ..Wanted::default()
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
