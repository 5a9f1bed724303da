//! Many repositories as one graph, each read from the objects of its newest commit, without a checkout.
//!
//! Repositories are data here (`chant_git::data_repository`): nothing of theirs acts, and one that cannot be read
//! is a problem and no error. What a commit holds is kept, so that a second look costs what moved.

mod cluster_look;
mod commit_items;
mod kept_results;
mod listed_clones;
mod repository_names;
mod worker_reads;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexmap::IndexMap;
use rayon::prelude::*;

use super::analytics_graph::ItemColumn;
use super::repository_union::{NetworkUnion, UnionPart};
use super::revision_view::read_commit_graph;
use chant_base::error::Error;
use chant_git::data_repository::{CommitLimits, DataRepository, RepositoryTip};
use chant_graph::network::Network;
use chant_store::digest::sha256;

pub use cluster_look::{ClusterLook, PlaceAnswer};
pub use commit_items::CommitRun;
use commit_items::{CommitItems, kept_columns};
use kept_results::{KeptResults, ResultsByCommit};
pub use repository_names::name_repositories;
pub use worker_reads::{RepositoryText, read_repository, update_clone};

/// What is read of one repository at most. Hostile trees can name the same folder a billion times.
const LIMITS: CommitLimits = CommitLimits {
    entries: 500_000,
    files: 50_000,
    bytes: 256 * 1024 * 1024,
    objects: 2_000_000,
};

/// The folder of what was read of commits here, in the cache folder.
const COMMITS: &str = "commits";

/// Reads a receipt of a run; `None` for any other text.
pub type ReceiptReader = fn(&[u8]) -> Option<CommitRun>;

/// Where receipts lie, and how one is read.
#[derive(Debug, Clone, Copy)]
pub struct ReceiptPlace {
    /// The folder of their refs, with `/` at its end.
    pub refs: &'static str,
    /// The greatest number of bytes of one.
    pub most_bytes: usize,
    /// Reads one.
    pub read: ReceiptReader,
}

/// A repository that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FleetPlace {
    /// The folder of a checkout, a worktree or a bare repository.
    Folder(PathBuf),
    /// An address, of which a bare clone without files of history is kept.
    Address(String),
}

impl FleetPlace {
    fn shown(&self) -> Cow<'_, str> {
        match self {
            Self::Folder(folder) => folder.to_string_lossy(),
            Self::Address(address) => address.into(),
        }
    }
}

/// A repository that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetRepository {
    /// Its name in keys.
    pub name: String,
    /// The folder or the address.
    pub place: String,
    /// The commit.
    pub commit: String,
}

/// A fault of a repository, or of a file of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetProblem {
    /// The repository's name; `None` for one that was not read.
    pub repository: Option<String>,
    /// The folder or the address.
    pub place: String,
    /// The file; `None` for the whole repository.
    pub path: Option<String>,
    /// Its line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// The fault.
    pub reason: String,
}

/// The items of many repositories as one graph.
pub struct FleetGraph {
    /// The repositories, in the order in which they were named.
    pub repositories: Vec<FleetRepository>,
    /// The parts that could not be read.
    pub problems: Vec<FleetProblem>,
    /// The number of repositories whose commit was not known yet.
    pub read: usize,
    /// The graph; keys begin with the name of the repository.
    pub network: Arc<Network>,
    origins: Vec<(usize, u32)>,
    items: Vec<Arc<CommitItems>>,
}

/// A repository whose newest commit is known, and the name under which its result is kept.
struct FoundTip {
    place: FleetPlace,
    folder: PathBuf,
    tip: RepositoryTip,
    result: String,
}

/// Reads the newest commits of repositories. `cache` is the user's folder for what can be made again; without it
/// nothing is kept, and addresses are problems.
///
/// # Errors
/// More items than a network numbers.
pub fn read_fleet(
    places: Vec<FleetPlace>,
    cache: Option<&Path>,
    receipts: ReceiptPlace,
) -> Result<FleetGraph, Error> {
    let mut problems = Vec::new();
    let found = find_tips(places, cache, receipts, &mut problems);
    let kept = KeptResults::in_folder(cache.map(|cache| cache.join(COMMITS)).as_deref());
    let names: HashSet<&str> = found.iter().map(|found| found.result.as_str()).collect();
    let known = kept.load(&names);
    let (new, failed) = read_commits(&found, &known, receipts);
    kept.keep(&new, &names);
    let read = new.len();
    let mut items: HashMap<String, Arc<CommitItems>> = HashMap::new();
    for (name, result) in known.into_iter().chain(new) {
        items.insert(name, Arc::new(result));
    }
    problems.extend(failed);
    unite(found, &items, problems, read)
}

/// Finds the newest commit of each repository, once for each repository.
fn find_tips(
    places: Vec<FleetPlace>,
    cache: Option<&Path>,
    receipts: ReceiptPlace,
    problems: &mut Vec<FleetProblem>,
) -> Vec<FoundTip> {
    let folders = listed_clones::update(places, cache);
    let tips = folders.into_par_iter().map(|(place, folder)| {
        let folder = folder.map_err(|reason| problem(&place, reason))?;
        let tip = guarded(|| Ok(RepositoryTip::read(&folder, receipts.refs, LIMITS)?));
        let tip = tip.map_err(|reason| problem(&place, reason))?;
        let result = result_name(&tip);
        Ok(FoundTip {
            place,
            folder,
            tip,
            result,
        })
    });
    let tips: Vec<Result<FoundTip, FleetProblem>> = tips.collect();
    let mut seen = HashSet::new();
    let mut found = Vec::with_capacity(tips.len());
    for tip in tips {
        match tip {
            Ok(tip) if seen.insert(tip.tip.identity.clone()) => found.push(tip),
            Ok(_) => {}
            Err(problem) => problems.push(problem),
        }
    }
    found
}

/// The name of a result: the commit, and a digest of the receipts beside it where there are any.
fn result_name(tip: &RepositoryTip) -> String {
    if tip.texts.is_empty() {
        return tip.commit.clone();
    }
    let texts = tip.texts.iter();
    let texts: String = texts
        .map(|text| format!("{} {}\n", text.name, text.object))
        .collect();
    format!("{}+{}", tip.commit, sha256(texts.as_bytes()))
}

/// Reads the commits that are not known, each once: a repository that cannot be read is no problem where another
/// one has the same commit.
fn read_commits(
    found: &[FoundTip],
    known: &ResultsByCommit,
    receipts: ReceiptPlace,
) -> (ResultsByCommit, Vec<FleetProblem>) {
    let mut missing: IndexMap<&String, Vec<&FoundTip>> = IndexMap::new();
    for found in found {
        if !known.get(&found.result).is_some_and(CommitItems::is_whole) {
            missing.entry(&found.result).or_default().push(found);
        }
    }
    let missing: Vec<(&String, Vec<&FoundTip>)> = missing.into_iter().collect();
    let read = missing.into_par_iter().map(|(name, holders)| {
        let mut failed = Vec::new();
        for found in holders {
            match guarded(|| read_commit(found, receipts)) {
                Ok(items) => return Ok((name.clone(), items)),
                Err(reason) => failed.push(problem(&found.place, reason)),
            }
        }
        Err(failed)
    });
    let read: Vec<Result<(String, CommitItems), Vec<FleetProblem>>> = read.collect();
    let (mut new, mut problems) = (ResultsByCommit::new(), Vec::new());
    for result in read {
        match result {
            Ok((name, items)) => drop(new.insert(name, items)),
            Err(failed) => problems.extend(failed),
        }
    }
    (new, problems)
}

fn read_commit(found: &FoundTip, receipts: ReceiptPlace) -> Result<CommitItems, Error> {
    let repository = DataRepository::open(&found.folder, LIMITS)?;
    let mut runs = Vec::new();
    for text in &found.tip.texts {
        let receipt = repository.kept_text(&text.object, receipts.most_bytes)?;
        runs.extend(receipt.and_then(|receipt| (receipts.read)(&receipt)));
    }
    CommitItems::of(read_commit_graph(repository, &found.tip.commit)?, runs)
}

/// Does something for one repository; neither its error nor a fault of ours ends the others.
fn guarded<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("reading it failed by a fault of chant-mcp; please report it".to_owned()),
    }
}

fn problem(place: &FleetPlace, reason: String) -> FleetProblem {
    FleetProblem {
        repository: None,
        place: place.shown().into_owned(),
        path: None,
        line: None,
        reason,
    }
}

/// Puts what was read together.
fn unite(
    found: Vec<FoundTip>,
    results: &HashMap<String, Arc<CommitItems>>,
    mut problems: Vec<FleetProblem>,
    read: usize,
) -> Result<FleetGraph, Error> {
    let whole = found.into_iter().filter_map(|found| {
        let items = Arc::clone(results.get(&found.result)?);
        Some((found, items))
    });
    let (found, items): (Vec<FoundTip>, Vec<Arc<CommitItems>>) = whole.unzip();
    let places: Vec<Cow<'_, str>> = found.iter().map(|found| found.place.shown()).collect();
    let names = name_repositories(&places.iter().map(|place| &**place).collect::<Vec<_>>());
    drop(places);
    let parts = names.iter().zip(&items);
    let parts: Vec<UnionPart<'_>> = parts.map(|(name, items)| items.part(name)).collect();
    let union = NetworkUnion::of(&parts)?;
    let named = names.into_iter().zip(found);
    let repositories: Vec<FleetRepository> = named
        .map(|(name, found)| FleetRepository {
            name,
            place: found.place.shown().into_owned(),
            commit: found.tip.commit,
        })
        .collect();
    for (repository, items) in repositories.iter().zip(&items) {
        problems.extend(items.problems.iter().map(|problem| FleetProblem {
            repository: Some(repository.name.clone()),
            place: repository.place.clone(),
            path: Some(problem.path.clone()),
            line: problem.line,
            reason: problem.message.clone(),
        }));
    }
    Ok(FleetGraph {
        repositories,
        problems,
        read,
        network: Arc::new(union.network),
        origins: union.origins,
        items,
    })
}

impl FleetGraph {
    /// The respects in which something is known of items; keys name the repository themselves.
    pub fn columns() -> Vec<&'static str> {
        kept_columns().collect()
    }

    /// Returns the values of the items in one respect, one of [`FleetGraph::columns`].
    pub fn column(&self, name: &str) -> Option<ItemColumn<'_>> {
        let place = kept_columns().position(|column| column == name)?;
        let parts = self.items.iter().map(|items| items.column(place));
        Some(ItemColumn::gather(
            &parts.collect::<Option<Vec<_>>>()?,
            &self.origins,
        ))
    }

    /// The runs of all repositories, each with the name of its repository.
    pub fn runs(&self) -> impl Iterator<Item = (&str, &CommitRun)> {
        let parts = self.repositories.iter().zip(&self.items);
        parts.flat_map(|(repository, items)| {
            let runs = items.runs.iter();
            runs.map(|run| (repository.name.as_str(), run))
        })
    }
}
