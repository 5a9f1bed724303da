//! The files that work on a spec is expected to touch, and how many of them specs share.
//!
//! A spec's own target files are expected for sure; files of what it depends on, and files that completed specs
//! with the same labels touched, with a weight below 1. The number of files that two specs are expected to share
//! is the sum of the products of their weights. The constants are those of `bench/overlap.py`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use chant_specs::id::SpecId;
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::specs::SpecGraph;

/// The weight of a file of a dependency.
const OF_DEPENDENCY: f64 = 0.5;
/// The least share of a label's completed specs that touched a file.
const LEAST_SHARE: f64 = 0.3;
/// A label of fewer completed specs says nothing.
const LEAST_SPECS: u32 = 3;
/// So many completed specs are looked at, the newest first: older work says less of what comes.
const MAX_COMPLETED: usize = 500;
/// A commit of more files is a sweep through everything, which says nothing about its labels.
const MAX_FILES: usize = 60;
/// Specs that share at least so many expected files are foreseen to conflict.
const FORESEEN: f64 = 1.0;
/// Work below this folder is settled by meaning when it lands.
const OWN_FOLDER: &str = ".chant/";

/// A file by its number, and the weight with which it is expected.
type FileWeights = BTreeMap<u32, f64>;

/// How many of several specs are expected to touch each file.
#[derive(Debug, Default)]
pub struct FileLoad(FileWeights);

/// Expected files of specs, learned from those that are completed and kept until specs change.
///
/// Weights of a spec are worked out when they are first asked for.
#[derive(Debug, Default)]
pub struct ExpectedFiles {
    version: Option<u64>,
    numbers: HashMap<Box<str>, u32>,
    /// The files of commits, which never change.
    of_commits: HashMap<Box<str>, Arc<[u32]>>,
    /// The files that are expected of a label.
    of_labels: HashMap<Box<str>, FileWeights>,
    /// The files that completed specs touched.
    touched: BTreeMap<SpecId, BTreeSet<u32>>,
    /// The expected files of specs that were asked about.
    of_specs: Mutex<HashMap<SpecId, Arc<FileWeights>>>,
}

impl ExpectedFiles {
    /// Brings all up to date with the specs; nothing is done if they did not change. `paths` returns the paths that
    /// a commit touched, and none for a commit that cannot be read.
    pub fn look(&mut self, specs: &SpecGraph, paths: &dyn Fn(&str) -> Vec<String>) {
        if self.version == Some(specs.version()) {
            return;
        }
        self.version = Some(specs.version());
        self.of_specs = Mutex::default();
        self.number_targets(specs);
        self.touched = self.touched_files(specs, paths);
        self.of_labels = self.learned(specs);
    }

    /// Returns what specs are expected to touch, all together.
    pub fn load(&self, specs: &SpecGraph, ids: &[SpecId]) -> FileLoad {
        let mut load = FileLoad::default();
        for spec in ids.iter().filter_map(|id| specs.find(id.as_str())) {
            for (file, weight) in &*self.weights(specs, spec) {
                *load.0.entry(*file).or_default() += weight;
            }
        }
        load
    }

    /// Returns the number of files that a spec is expected to share with others, those of each counted by itself.
    pub fn shared(&self, specs: &SpecGraph, spec: &Spec, others: &FileLoad) -> f64 {
        product(&self.weights(specs, spec), &others.0)
    }

    /// Returns the number of other specs with which a spec is foreseen to conflict.
    pub fn foreseen(&self, specs: &SpecGraph, id: &SpecId, others: &[SpecId]) -> usize {
        let Some(spec) = specs.find(id.as_str()) else {
            return 0;
        };
        let own = self.weights(specs, spec);
        let others = others.iter().filter_map(|id| specs.find(id.as_str()));
        others
            .filter(|other| product(&own, &self.weights(specs, other)) >= FORESEEN)
            .count()
    }

    fn weights(&self, specs: &SpecGraph, spec: &Spec) -> Arc<FileWeights> {
        let lock = || self.of_specs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&spec.id) {
            return Arc::clone(known);
        }
        let weights = Arc::new(self.expected(specs, spec));
        lock().insert(spec.id.clone(), Arc::clone(&weights));
        weights
    }

    fn expected(&self, specs: &SpecGraph, spec: &Spec) -> FileWeights {
        let mut weights = FileWeights::new();
        for label in spec.labels.iter().flatten() {
            for (file, weight) in self.of_labels.get(label).into_iter().flatten() {
                raise(&mut weights, *file, *weight);
            }
        }
        let dependencies = spec.depends_on.iter().flatten();
        for dependency in dependencies.filter_map(|id| specs.find(id)) {
            let touched = self.touched.get(&dependency.id).into_iter().flatten();
            for file in self.targets(dependency).chain(touched.copied()) {
                raise(&mut weights, file, OF_DEPENDENCY);
            }
        }
        for file in self.targets(spec) {
            raise(&mut weights, file, 1.0);
        }
        weights
    }

    fn targets<'a>(&'a self, spec: &'a Spec) -> impl Iterator<Item = u32> + 'a {
        let targets = spec.target_files.iter().flatten();
        targets.filter_map(|path| self.numbers.get(plain(path)).copied())
    }

    fn number_targets(&mut self, specs: &SpecGraph) {
        for spec in specs.all() {
            for path in spec.target_files.iter().flatten() {
                self.number(plain(path));
            }
        }
    }

    fn number(&mut self, path: &str) -> u32 {
        if let Some(number) = self.numbers.get(path) {
            return *number;
        }
        let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(path.into(), number);
        number
    }

    /// Returns the files that completed specs touched: the newest, and those that open specs depend on.
    fn touched_files(
        &mut self,
        specs: &SpecGraph,
        paths: &dyn Fn(&str) -> Vec<String>,
    ) -> BTreeMap<SpecId, BTreeSet<u32>> {
        let is_completed = |spec: &&Arc<Spec>| spec.status == SpecStatus::Completed;
        let newest = specs.all().iter().rev().filter(is_completed);
        let open = specs.all().iter().filter(|spec| !spec.status.is_done());
        let needed = open.flat_map(|spec| spec.depends_on.iter().flatten());
        let needed = needed.filter_map(|id| specs.find(id)).filter(is_completed);
        let wanted = newest.take(MAX_COMPLETED).chain(needed);
        let mut touched = BTreeMap::new();
        for spec in wanted {
            if !touched.contains_key(&spec.id) {
                touched.insert(spec.id.clone(), self.files_of(spec, paths));
            }
        }
        touched
    }

    fn files_of(&mut self, spec: &Spec, paths: &dyn Fn(&str) -> Vec<String>) -> BTreeSet<u32> {
        let mut files: BTreeSet<u32> = self.targets(spec).collect();
        for commit in spec.commits.iter().flatten() {
            let known = self.of_commits.get(commit).cloned();
            let of_commit = known.unwrap_or_else(|| self.read_commit(commit, paths));
            files.extend(of_commit.iter());
        }
        files
    }

    fn read_commit(&mut self, commit: &str, paths: &dyn Fn(&str) -> Vec<String>) -> Arc<[u32]> {
        let mut paths = paths(commit);
        paths.retain(|path| !path.starts_with(OWN_FOLDER));
        if paths.len() > MAX_FILES {
            paths.clear();
        }
        let files: Arc<[u32]> = paths.iter().map(|path| self.number(path)).collect();
        self.of_commits.insert(commit.into(), Arc::clone(&files));
        files
    }

    /// Returns the files that enough of a label's completed specs touched, each with their share.
    fn learned(&self, specs: &SpecGraph) -> HashMap<Box<str>, FileWeights> {
        let mut counts: HashMap<&str, (u32, BTreeMap<u32, u32>)> = HashMap::new();
        for (id, files) in &self.touched {
            let spec = specs.find(id.as_str());
            let labels = spec.and_then(|spec| spec.labels.as_ref());
            for label in labels.into_iter().flatten() {
                let (times, by_file) = counts.entry(label).or_default();
                *times += 1;
                for file in files {
                    *by_file.entry(*file).or_default() += 1;
                }
            }
        }
        counts.retain(|_, (times, _)| *times >= LEAST_SPECS);
        let shares = |(label, (times, by_file)): (&str, (u32, BTreeMap<u32, u32>))| {
            let share = |count: u32| f64::from(count) / f64::from(times);
            let files = by_file
                .into_iter()
                .map(|(file, count)| (file, share(count)));
            let files = files.filter(|(_, share)| *share >= LEAST_SHARE);
            (label.into(), files.collect())
        };
        counts.into_iter().map(shares).collect()
    }
}

/// Returns a path as git writes it.
fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

fn raise(weights: &mut FileWeights, file: u32, weight: f64) {
    let known = weights.entry(file).or_default();
    *known = known.max(weight);
}

fn product(one: &FileWeights, other: &FileWeights) -> f64 {
    let (few, many) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let shared = few
        .iter()
        .filter_map(|(file, weight)| Some(weight * many.get(file)?));
    shared.sum()
}
