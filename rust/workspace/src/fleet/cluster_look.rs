//! Many repositories as one graph, read by the workers of a cluster.
//!
//! What a worker says is data, and believed of the place that it was asked for alone. It is kept apart from what was
//! read here, so that no worker decides what a commit holds to those who read without a cluster.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::commit_items::CommitItems;
use super::kept_results::{KeptResults, ResultsByCommit};
use super::{
    COMMITS, FleetGraph, FleetPlace, FleetProblem, FoundTip, ReceiptPlace, find_tips, problem,
    unite,
};
use chant_base::error::Error;
use chant_git::data_repository::RepositoryTip;
use chant_store::digest::sha256;

/// The folder of what workers read, in the cache folder: one for each cluster.
const CLUSTERS: &str = "clusters";
/// The digits of a cluster's digest in the name of its folder.
const DIGIT_COUNT: usize = 32;

/// The answer of a worker for a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceAnswer {
    /// The worker, by its name.
    pub worker: String,
    /// The full ID of the commit in HEAD.
    pub commit: String,
    /// The name under which what it holds is kept.
    pub result: String,
    /// The items of the commit; `None` where they are known.
    pub items: Option<String>,
}

/// A look at many repositories whose reading is asked of a cluster.
pub struct ClusterLook {
    places: Vec<LookedPlace>,
    problems: Vec<FleetProblem>,
    known: ResultsByCommit,
    stores: [KeptResults; 2],
}

/// A place: the commit of a folder is known here, that of an address where its clone is.
enum LookedPlace {
    Found(FoundTip),
    Address(String),
}

impl ClusterLook {
    /// Finds the newest commits of folders, and what is kept of them. Addresses are left to the cluster.
    pub fn begin(
        places: Vec<FleetPlace>,
        cache: Option<&Path>,
        cluster: &str,
        receipts: ReceiptPlace,
    ) -> Self {
        let mut problems = Vec::new();
        let (folders, addresses): (Vec<_>, Vec<_>) = places
            .into_iter()
            .partition(|place| matches!(place, FleetPlace::Folder(_)));
        let found = find_tips(folders, cache, receipts, &mut problems);
        let own = cache.map(|cache| cache.join(COMMITS));
        let of_cluster = cache.map(|cache| {
            let name = sha256(cluster.as_bytes());
            cache.join(CLUSTERS).join(&name[..DIGIT_COUNT])
        });
        let stores = [own, of_cluster].map(|folder| KeptResults::in_folder(folder.as_deref()));
        let names: HashSet<&str> = found.iter().map(|found| &*found.result).collect();
        let known = load(&stores, &names);
        let addresses = addresses.into_iter().filter_map(|place| match place {
            FleetPlace::Address(address) => Some(LookedPlace::Address(address)),
            FleetPlace::Folder(_) => None,
        });
        let places = found.into_iter().map(LookedPlace::Found).chain(addresses);
        Self {
            places: places.collect(),
            problems,
            known,
            stores,
        }
    }

    /// The places that have to be read, by their numbers in answers.
    pub fn asked(&self) -> Vec<(usize, FleetPlace)> {
        let asked = self.places.iter().enumerate();
        let asked = asked.filter_map(|(number, place)| match place {
            LookedPlace::Found(found) if self.known.contains_key(&found.result) => None,
            LookedPlace::Found(found) => Some((number, found.place.clone())),
            LookedPlace::Address(address) => Some((number, FleetPlace::Address(address.clone()))),
        });
        asked.collect()
    }

    /// The names of results that need not be read of an address again.
    pub fn known_results(&self) -> Vec<String> {
        let is_address = |place: &LookedPlace| matches!(place, LookedPlace::Address(_));
        if !self.places.iter().any(is_address) {
            return Vec::new();
        }
        self.stores.iter().flat_map(KeptResults::names).collect()
    }

    /// Puts what is known and what was answered together. A place without an answer is a problem.
    ///
    /// # Errors
    /// More items than a network numbers.
    pub fn finish(
        self,
        answers: Vec<(usize, Result<PlaceAnswer, String>)>,
    ) -> Result<FleetGraph, Error> {
        let mut answers: HashMap<usize, Result<PlaceAnswer, String>> =
            answers.into_iter().collect();
        let mut heard = HeardAnswers::default();
        for (number, place) in self.places.into_iter().enumerate() {
            match (place, answers.remove(&number)) {
                (LookedPlace::Found(found), None) if self.known.contains_key(&found.result) => {
                    heard.found.push(found);
                }
                (LookedPlace::Found(found), answer) => heard.take_folder(found, answer),
                (LookedPlace::Address(address), answer) => heard.take_address(address, answer),
            }
        }
        let HeardAnswers { found, new, failed } = heard;
        let names: HashSet<&str> = found.iter().map(|found| &*found.result).collect();
        let mut items = load(&self.stores, &names);
        self.stores[1].keep(&new, &names);
        let read = new.len();
        items.extend(new);
        let items: HashMap<String, Arc<CommitItems>> = items
            .into_iter()
            .map(|(name, items)| (name, Arc::new(items)))
            .collect();
        let mut problems = self.problems;
        // One that could not be read is no problem where another one has the same commit.
        let failed = failed.into_iter().filter(|failed| {
            let result = failed.result.as_ref();
            result.is_none_or(|result| !items.contains_key(result))
        });
        problems.extend(failed.map(|failed| problem(&failed.place, failed.why)));
        unite(found, &items, problems, read)
    }
}

/// The answers so far, each taken for its place.
#[derive(Default)]
struct HeardAnswers {
    found: Vec<FoundTip>,
    new: ResultsByCommit,
    failed: Vec<FailedPlace>,
}

/// A place that was not read.
struct FailedPlace {
    place: FleetPlace,
    /// The name of what it holds, where that is known.
    result: Option<String>,
    why: String,
}

impl HeardAnswers {
    /// Takes the answer for a folder, of which this machine knows the commit.
    fn take_folder(&mut self, found: FoundTip, answer: Option<Result<PlaceAnswer, String>>) {
        let taken = sound(answer).and_then(|(answer, items)| {
            if answer.result != found.result {
                return Err(format!(
                    "worker {} finds commit {} in that folder, and this machine {}: it is another folder there, or it moved just now",
                    answer.worker, answer.commit, found.tip.commit
                ));
            }
            items.ok_or_else(|| unsound(&answer))
        });
        match taken {
            Ok(items) => drop(self.new.entry(found.result.clone()).or_insert(items)),
            Err(why) => self.failed.push(FailedPlace {
                place: found.place.clone(),
                result: Some(found.result.clone()),
                why,
            }),
        }
        self.found.push(found);
    }

    /// Takes the answer for an address, whose commit the worker names. Without items that is one that is kept.
    fn take_address(&mut self, address: String, answer: Option<Result<PlaceAnswer, String>>) {
        let place = FleetPlace::Address(address.clone());
        match sound(answer) {
            Ok((answer, items)) => {
                if let Some(items) = items {
                    self.new.entry(answer.result.clone()).or_insert(items);
                } else {
                    self.failed.push(FailedPlace {
                        place: place.clone(),
                        result: Some(answer.result.clone()),
                        why: unsound(&answer),
                    });
                }
                self.found.push(FoundTip {
                    place,
                    folder: PathBuf::new(),
                    tip: RepositoryTip {
                        identity: address,
                        commit: answer.commit,
                        texts: Vec::new(),
                    },
                    result: answer.result,
                });
            }
            Err(why) => self.failed.push(FailedPlace {
                place,
                result: None,
                why,
            }),
        }
    }
}

/// Reads an answer; an error is the sentence of its problem.
fn sound(
    answer: Option<Result<PlaceAnswer, String>>,
) -> Result<(PlaceAnswer, Option<CommitItems>), String> {
    let mut answer = answer.unwrap_or_else(|| Err("no worker answered".to_owned()))?;
    let items = match answer.items.take() {
        None => None,
        Some(text) => Some(CommitItems::received(&text).ok_or_else(|| unsound(&answer))?),
    };
    let beside = answer.result.strip_prefix(&answer.commit);
    let is_named = match beside {
        Some("") => true,
        Some(beside) => beside
            .strip_prefix('+')
            .is_some_and(|digest| is_digits(digest, 64)),
        None => false,
    };
    if !is_named || !is_digits(&answer.commit, 40) {
        return Err(unsound(&answer));
    }
    Ok((answer, items))
}

fn unsound(answer: &PlaceAnswer) -> String {
    format!(
        "worker {} sent what cannot be read; is its chant-mcp of the same release?",
        answer.worker
    )
}

/// Returns true for a number of so many digits, as git writes names of objects.
fn is_digits(text: &str, count: usize) -> bool {
    let is_digit = |letter: u8| matches!(letter, b'0'..=b'9' | b'a'..=b'f');
    text.len() == count && text.bytes().all(is_digit)
}

/// The results of these names that are whole: those that were read here first.
fn load(stores: &[KeptResults; 2], names: &HashSet<&str>) -> ResultsByCommit {
    let [own, of_cluster] = stores;
    let mut known = of_cluster.load(names);
    known.extend(own.load(names));
    known.retain(|_, items| items.is_whole());
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789012345678901234567890123456789";
    const ADDRESS: &str = "https://host/app.git";
    const RECEIPTS: ReceiptPlace = ReceiptPlace {
        refs: "refs/none/",
        most_bytes: 0,
        read: |_| None,
    };

    /// The text that a worker sends of a repository with one item of this key.
    fn text(key: &str, ready: &str) -> String {
        let columns = crate::fleet::kept_columns().map(|name| match name {
            "ready" => ready.to_owned(),
            "weight" | "duration" | "expected" => r#"{"Numbers":[null]}"#.to_owned(),
            _ => r#"{"Texts":["x"]}"#.to_owned(),
        });
        let columns: Vec<String> = columns.collect();
        format!(
            r#"{{"keys":["{key}"],"progress":"o","edges":[],"columns":[{}],"problems":[],"runs":[]}}"#,
            columns.join(",")
        )
    }

    /// The keys and the problems after an answer for an address.
    fn keys_of(commit: &str, items: Option<String>) -> (Vec<String>, Vec<String>) {
        let places = vec![FleetPlace::Address(ADDRESS.to_owned())];
        let look = ClusterLook::begin(places, None, "big", RECEIPTS);
        assert_eq!(look.asked().len(), 1);
        let answer = PlaceAnswer {
            worker: "build-7".to_owned(),
            commit: commit.to_owned(),
            result: commit.to_owned(),
            items,
        };
        let fleet = look.finish(vec![(0, Ok(answer))]).unwrap();
        let problems = fleet.problems.iter();
        let reasons = problems.map(|problem| {
            assert_eq!(problem.place, ADDRESS);
            problem.reason.clone()
        });
        (
            fleet.network.keys().map(str::to_owned).collect(),
            reasons.collect(),
        )
    }

    #[test]
    fn an_answer_that_is_none_is_a_problem_that_names_the_worker() {
        let flags = r#"{"Flags":[true]}"#;
        let good = text("chant:a", flags);
        assert_eq!(
            keys_of(COMMIT, Some(good.clone())),
            (vec!["app/chant:a".to_owned()], Vec::new())
        );
        let two = good.replace(r#""keys":["chant:a"]"#, r#""keys":["chant:a","chant:b"]"#);
        let led_away = good.replace(r#""edges":[]"#, r#""edges":[[0,7]]"#);
        for (commit, items) in [
            (COMMIT, Some("garbage".to_owned())),
            (COMMIT, Some("[".repeat(100_000))),
            (COMMIT, Some(text("not a key", flags))),
            (COMMIT, Some(text("chant:a", r#"{"Texts":["yes"]}"#))),
            (COMMIT, Some(two)),
            (COMMIT, Some(led_away)),
            (COMMIT, None),
            ("../../x", Some(good)),
        ] {
            let (keys, problems) = keys_of(commit, items.clone());
            assert!(keys.is_empty(), "{commit} {items:?}");
            assert_eq!(problems.len(), 1);
            assert!(problems[0].starts_with("worker build-7 sent what cannot be read"));
        }
    }
}
