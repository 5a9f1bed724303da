//! What reading many plans costs: `cargo run --release -p chant-workspace --example plan_cost [TIMES]`.
//!
//! Makes 1,000 `OpenSpec` changes with 20 tasks each, 300 Kiro specs with 30, and 5,000 Backlog tasks, and prints for each
//! format the milliseconds of reading the same bytes in a plain loop, of the first look, of one after which nothing had
//! changed, and of one after which one document had. A measurement, no test.
#![expect(
    clippy::disallowed_methods,
    reason = "a program for people who measure"
)]

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::io::{Write as _, stdout};
use std::path::{Path, PathBuf};
use std::time::Instant;

use chant_backlog::BacklogTasks;
use chant_base::external_items::ExternalStatus;
use chant_kiro::KiroSpecs;
use chant_openspec::OpenSpec;
use chant_plan_format::PlanFormat;
use chant_plan_store::PlanStore;
use chant_store::disk::Disk;

/// The documents of a format: paths with texts.
type Texts = Vec<(String, String)>;

fn changes() -> Texts {
    let mut texts = vec![("openspec/project.md".into(), "# Ferry\n".into())];
    for at in 0..1_000 {
        let mut tasks = String::new();
        for task in 0..20 {
            if task % 5 == 0 {
                let _ = writeln!(tasks, "\n## {}. Part\n", task / 5 + 1);
            }
            let _ = writeln!(
                tasks,
                "- [ ] {}.{} Do what is to be done here",
                task / 5 + 1,
                task % 5 + 1
            );
        }
        let folder = format!("openspec/changes/change-{at}");
        texts.push((format!("{folder}/tasks.md"), tasks));
        let proposal = "# Change\n\n## Why\n\nPeople ask.\n\n## What Changes\n\n- One thing\n";
        texts.push((format!("{folder}/proposal.md"), proposal.into()));
    }
    texts
}

fn specs() -> Texts {
    let mut texts = Texts::new();
    for at in 0..300 {
        let mut tasks = String::from("# Implementation Plan\n\n");
        for task in 0..30 {
            let (group, part) = (task / 5 + 1, task % 5);
            let _ = match part {
                0 => writeln!(tasks, "- [ ] {group}. Build the part"),
                part => writeln!(
                    tasks,
                    "  - [ ] {group}.{part} Do what is to be done\n    - _Requirements: 1.1_"
                ),
            };
        }
        let folder = format!(".kiro/specs/spec-{at}");
        texts.push((format!("{folder}/tasks.md"), tasks));
        let requirements = "# Requirements\n\n### Requirement 1\n\n#### Acceptance Criteria\n\n1. WHEN a THEN the system SHALL b\n";
        texts.push((format!("{folder}/requirements.md"), requirements.into()));
    }
    texts
}

fn tasks() -> Texts {
    let mut texts = vec![("backlog/config.yml".into(), "project_name: Ferry\n".into())];
    for at in 1..=5_000 {
        let text = format!(
            "---\nid: TASK-{at}\ntitle: Do what is to be done\nstatus: To Do\nassignee: []\ncreated_date: '2026-01-01'\n\
             labels: [one]\ndependencies: [TASK-{}]\n---\n\n## Description\n\nA few words.\n\n## Acceptance Criteria\n\
             <!-- AC:BEGIN -->\n- [ ] #1 It is done\n- [ ] #2 It is tested\n<!-- AC:END -->\n",
            at / 2
        );
        texts.push((format!("backlog/tasks/task-{at} - Do-it.md"), text));
    }
    texts
}

struct Timing {
    plain: f64,
    first: f64,
    second: f64,
    changed: f64,
}

fn milliseconds<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64() * 1e3
}

fn measure(
    format: &'static dyn PlanFormat,
    root: &Path,
    paths: &[PathBuf],
) -> Result<Timing, Box<dyn Error>> {
    let nobody = |keys: &[String]| vec![ExternalStatus::Unknown(String::new()); keys.len()];
    let plain = milliseconds(|| {
        paths
            .iter()
            .map(fs::read)
            .filter_map(Result::ok)
            .map(|text| text.len())
            .sum::<usize>()
    });
    let store = PlanStore::new(format, root, &Disk::default());
    let first = milliseconds(|| store.current(&nobody));
    let second = milliseconds(|| store.current(&nobody));
    let last = paths
        .iter()
        .rev()
        .find(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("[ ]")))
        .ok_or("no documents")?;
    let text = fs::read_to_string(last)?;
    fs::write(last, text.replacen("[ ]", "[x]", 1))?;
    let changed = milliseconds(|| store.current(&nobody));
    fs::write(last, text)?;
    Ok(Timing {
        plain,
        first,
        second,
        changed,
    })
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<(), Box<dyn Error>> {
    let times = std::env::args()
        .nth(1)
        .map_or(Ok(7), |text| text.parse::<usize>())?;
    let mut out = stdout();
    writeln!(
        out,
        "| format | plain | first | of plain | nothing new | one document | of the first |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|")?;
    let formats: [(&'static dyn PlanFormat, Texts); 3] = [
        (&OpenSpec, changes()),
        (&KiroSpecs, specs()),
        (&BacklogTasks, tasks()),
    ];
    for (format, texts) in formats {
        let folder = tempfile::tempdir()?;
        let mut paths = Vec::new();
        for (path, text) in texts {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().ok_or("no folder")?)?;
            fs::write(&path, text)?;
            paths.push(path);
        }
        let timings: Result<Vec<Timing>, _> = (0..times)
            .map(|_| measure(format, folder.path(), &paths))
            .collect();
        let timings = timings?;
        let of = |pick: fn(&Timing) -> f64| median(timings.iter().map(pick));
        let (plain, first) = (of(|one| one.plain), of(|one| one.first));
        let (second, changed) = (of(|one| one.second), of(|one| one.changed));
        writeln!(
            out,
            "| {} | {plain:.1} | {first:.1} | {:.1} | {second:.3} | {changed:.2} | 1/{:.0} |",
            format.scope().word,
            first / plain,
            first / changed
        )?;
    }
    Ok(())
}
