//! What the choice of the next spec costs: `cargo run --release --package chant-spec-runs --example dispatch_look`.
//!
//! Half of the specs are completed, and each has two labels and three target files; a commit is read from memory.

#![expect(clippy::print_stdout, reason = "it prints its figures")]

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Instant;

use chant_config::dispatch::DispatchOrder;
use chant_spec_runs::expected_files::ExpectedFiles;
use chant_spec_runs::schedule::SpecSchedule;
use chant_spec_runs::start::{StartTarget, WorkMode};
use chant_specs::id::SpecId;
use chant_specs::parse;
use chant_specs::specs::SpecGraph;
use chant_store::index::{DocumentChange, FileSource};

const RUNNING: usize = 50;
const ROUNDS: u32 = 20;

fn name(number: usize) -> String {
    format!("2026-01-22-{number:04}-abc")
}

fn change(number: usize, status: &str) -> DocumentChange<parse::ParsedSpec> {
    let path = format!(".chant/specs/{}.md", name(number));
    let files = [number % 97, number % 89, number % 600].map(|file| format!("src/f{file}.rs"));
    let text = format!(
        "---\nstatus: {status}\nlabels: [l{}, l{}]\ntarget_files: [{}]\ncommits: [c{number}]\n---\n# T\n",
        number % 20,
        number % 33,
        files.join(", ")
    );
    DocumentChange {
        document: Some(parse::document(&path, FileSource::Text(text))),
        path: path.into(),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for size in [300, 3_000] {
        let mut specs = SpecGraph::default();
        let status = |number: usize| match number {
            number if number < size / 2 => "completed",
            number if number < size / 2 + RUNNING => "in_progress",
            _ => "pending",
        };
        specs.apply(
            (0..size)
                .map(|number| change(number, status(number)))
                .collect(),
        );
        let running: Result<Vec<SpecId>, _> = (size / 2..size / 2 + RUNNING)
            .map(|number| name(number).parse())
            .collect();
        let running = running?;
        let workers = NonZeroUsize::MIN.saturating_add(99);
        let work = StartTarget::Members {
            driver: name(0).parse()?,
            members: Vec::new(),
        };
        let paths = |commit: &str| vec![format!("src/{commit}.rs"), "CHANGES.md".to_owned()];
        for order in [
            DispatchOrder::Fifo,
            DispatchOrder::Prefer,
            DispatchOrder::Spare,
        ] {
            let schedule = SpecSchedule::of(&work, WorkMode::Parallel(workers), workers, order);
            let mut files = ExpectedFiles::default();
            let first = Instant::now();
            files.look(&specs, &paths);
            let first = first.elapsed();
            let begun = Instant::now();
            for round in 0..ROUNDS {
                let spec = size - 1 - round as usize;
                specs.apply(vec![change(spec, "pending")]);
                files.look(&specs, &paths);
                schedule.next(&specs, &running, &BTreeMap::new(), &files);
            }
            let each = begun.elapsed() / ROUNDS;
            println!(
                "{size} specs, {order:?}: first look {first:?}, a look and a choice after a change {each:?}"
            );
        }
    }
    Ok(())
}
