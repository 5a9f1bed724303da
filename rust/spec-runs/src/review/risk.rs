//! The risk of landing a piece of work unread: a number with its reasons, from names, sizes and the run's record. No
//! model and no network take part. What only measured evidence shows is no part of it, and the answer says so.

use std::collections::{BTreeMap, BTreeSet};

use super::hunks::WorkHunks;
use chant_review::hunk::NamedHunk;
use chant_specs::checks::checks_named;
use chant_specs::model::Spec;
use chant_text::line_diff::LineSide;
use chant_trust::places::place_of;
use chant_work::run_record::RunRecord;

/// The points from which on a risk is middle, and high.
const BANDS: (usize, usize) = (25, 60);
/// The greatest number of points.
const MAX_POINTS: usize = 100;
/// The characters above which nobody reads a line.
const LONG_LINE: usize = 2_000;
/// The numbers of files and of top folders above which work is spread.
const SPREAD: (usize, usize) = (8, 4);
/// The attempt from which on a spec gives trouble.
const TROUBLE: u32 = 3;

/// Why a piece of work is risky.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RiskKind {
    /// It changes what acts: files of agents, CI, hooks.
    Acting,
    /// It cannot be read: binary, large, or very long lines.
    Unreadable,
    /// Code about security.
    Security,
    /// Dependencies, or what locks them.
    Dependencies,
    /// Criteria that no check stands for.
    Unchecked,
    /// Many changed lines.
    Size,
    /// Many files or folders.
    Spread,
    /// The run met trouble.
    Trouble,
}

/// A reason with its points and the place that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RiskReason {
    pub kind: RiskKind,
    pub points: usize,
    pub text: String,
}

/// The risk of a piece of work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WorkRisk {
    pub points: usize,
    /// The reasons, the weightiest first.
    pub reasons: Vec<RiskReason>,
}

impl WorkRisk {
    /// Returns the word of its band.
    pub(crate) fn band(&self) -> &'static str {
        match self.points {
            points if points >= BANDS.1 => "high",
            points if points >= BANDS.0 => "mid",
            _ => "low",
        }
    }

    /// Judges the work on a spec, without the spec's own file.
    pub(crate) fn of_work(
        work: &WorkHunks,
        spec: &Spec,
        spec_path: &str,
        record: Option<&RunRecord>,
    ) -> Self {
        let hunks: Vec<&NamedHunk> = work
            .hunks
            .iter()
            .filter(|hunk| hunk.path != spec_path)
            .collect();
        let mut found = Vec::new();
        let paths: BTreeSet<&str> = hunks
            .iter()
            .map(|hunk| hunk.path.as_str())
            .chain(work.unreadable.iter().map(String::as_str))
            .collect();
        for path in &paths {
            found.extend(of_path(path));
        }
        for path in &work.unreadable {
            found.push(reason(
                RiskKind::Unreadable,
                25,
                format!("{path} cannot be read as lines"),
            ));
        }
        for hunk in &hunks {
            found.extend(of_hunk(hunk));
        }
        let lines: usize = hunks.iter().map(|hunk| changed_lines(hunk)).sum();
        let size = usize::try_from(usize::BITS - lines.leading_zeros()).unwrap_or_default();
        if size > 4 {
            found.push(reason(
                RiskKind::Size,
                (size * 2).min(20),
                format!("{lines} changed lines"),
            ));
        }
        let folders: BTreeSet<&str> = paths
            .iter()
            .filter_map(|path| path.split_once('/'))
            .map(|(top, _)| top)
            .collect();
        if paths.len() > SPREAD.0 || folders.len() > SPREAD.1 {
            let points = if paths.len() > SPREAD.0 && folders.len() > SPREAD.1 {
                10
            } else {
                5
            };
            let text = format!("{} files in {} folders", paths.len(), folders.len().max(1));
            found.push(reason(RiskKind::Spread, points, text));
        }
        found.extend(of_criteria(spec));
        found.extend(record.into_iter().flat_map(of_run));
        Self::of_reasons(found)
    }

    /// Adds reasons up, the largest first; repeats of one kind count half as much each time.
    fn of_reasons(mut found: Vec<RiskReason>) -> Self {
        found.sort_by(|a, b| (b.points, a.kind, &a.text).cmp(&(a.points, b.kind, &b.text)));
        let mut of_kind: BTreeMap<RiskKind, usize> = BTreeMap::new();
        let mut points = 0;
        for one in &mut found {
            let times = of_kind.entry(one.kind).or_default();
            one.points >>= (*times).min(10);
            *times += 1;
            points += one.points;
        }
        found.retain(|one| one.points > 0);
        Self {
            points: points.min(MAX_POINTS),
            reasons: found,
        }
    }
}

fn reason(kind: RiskKind, points: usize, text: String) -> RiskReason {
    RiskReason { kind, points, text }
}

/// Names of files that say which packages are taken.
const DEPENDENCY_FILES: [&str; 16] = [
    "cargo.toml", "cargo.lock", "package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml",
    "pyproject.toml", "poetry.lock", "uv.lock", "requirements.txt", "go.mod", "go.sum", "gemfile",
    "gemfile.lock", "pom.xml", "build.gradle",
];
/// Parts of paths and of lines of code that is about security.
const SECURITY_PARTS: [&str; 12] = [
    "auth", "crypto", "password", "passwd", "secret", "token", "payment", "permission", "login",
    "session", "sandbox", "certificate",
];
/// Calls in added lines that are about security.
const SECURITY_CALLS: [&str; 14] = [
    "eval(",
    "exec(",
    "os.system",
    "subprocess",
    "shell=True",
    "pickle.load",
    "yaml.load(",
    "unsafe {",
    "unsafe fn",
    "innerHTML",
    "dangerouslySetInnerHTML",
    "verify=False",
    "rejectUnauthorized",
    "child_process",
];

fn of_path(path: &str) -> Vec<RiskReason> {
    let mut found = Vec::new();
    if place_of(path).is_some() {
        found.push(reason(
            RiskKind::Acting,
            60,
            format!("changes what acts: {path}"),
        ));
    }
    let folded = path.to_lowercase();
    let name = folded.rsplit('/').next().unwrap_or(&folded);
    if DEPENDENCY_FILES.contains(&name) {
        found.push(reason(
            RiskKind::Dependencies,
            15,
            format!("changes dependencies: {path}"),
        ));
    }
    if let Some(part) = SECURITY_PARTS.iter().find(|part| folded.contains(*part)) {
        found.push(reason(
            RiskKind::Security,
            20,
            format!("security-near path ({part}): {path}"),
        ));
    }
    found
}

fn of_hunk(hunk: &NamedHunk) -> Vec<RiskReason> {
    let mut found = Vec::new();
    let added = hunk
        .hunk
        .lines
        .iter()
        .filter(|(side, _)| *side == LineSide::Added);
    for (_, line) in added {
        if line.chars().count() > LONG_LINE {
            let text = format!("a very long line in {}", hunk.path);
            found.push(reason(RiskKind::Unreadable, 25, text));
            break;
        }
        if let Some(call) = SECURITY_CALLS.iter().find(|call| line.contains(*call)) {
            let call = call.trim_end_matches(['(', ' ', '{']);
            let text = format!(
                "security-near call ({call}): {}:{}",
                hunk.path, hunk.hunk.newer.start
            );
            found.push(reason(RiskKind::Security, 20, text));
            break;
        }
    }
    found
}

fn changed_lines(hunk: &NamedHunk) -> usize {
    let lines = hunk.hunk.lines.iter();
    lines.filter(|(side, _)| *side != LineSide::Both).count()
}

fn of_criteria(spec: &Spec) -> Option<RiskReason> {
    let count = checks_named(spec)
        .iter()
        .filter(|checks| checks.is_empty())
        .count();
    let noun = if count == 1 { "criterion" } else { "criteria" };
    (count > 0).then(|| {
        reason(
            RiskKind::Unchecked,
            10,
            format!("{count} {noun} without a check"),
        )
    })
}

fn of_run(record: &RunRecord) -> Vec<RiskReason> {
    let mut found = Vec::new();
    if record.attempt >= TROUBLE {
        let text = format!("attempt {}", record.attempt);
        found.push(reason(RiskKind::Trouble, 10, text));
    }
    if !record.denials.is_empty() {
        let text = format!(
            "{} accesses were refused to the agent",
            record.denials.len()
        );
        found.push(reason(RiskKind::Trouble, 5, text));
    }
    found
}
