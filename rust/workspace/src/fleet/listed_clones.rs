//! Bare clones of addresses that the user lists, in the cache folder: the newest commit and the work files in it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use super::{FleetPlace, LIMITS, guarded};
use crate::revision_view::missing_files;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_git::listed_clone::fetch_newest;
use chant_store::StoreError;
use chant_store::digest::sha256;
use chant_store::disk::{Lock, make_private_folder, names, remove_tree, stamp};

/// The number of addresses that are asked at once.
const AT_ONCE: usize = 8;
/// The time that another process may be at the same clone.
const LONGEST_WAIT: Duration = Duration::from_secs(600);
/// The number of clones that are kept beside those of the present list.
const MAX_IDLE: usize = 200;
/// The number of clones that a worker keeps, which knows no list.
const MAX_OF_WORKER: usize = 2_000;
/// The repository in the folder of a clone.
const REPOSITORY: &str = "repository.git";
/// The digits of an address's digest in the name of its clone.
const DIGIT_COUNT: usize = 32;

/// A place, and where its repository lies or why there is none.
pub(super) type PlacedFolder = (FleetPlace, Result<PathBuf, String>);

/// Gives each place its folder; clones of addresses are brought up to date.
pub(super) fn update(places: Vec<FleetPlace>, cache: Option<&Path>) -> Vec<PlacedFolder> {
    let has_addresses = places
        .iter()
        .any(|place| matches!(place, FleetPlace::Address(_)));
    let placed = |place: FleetPlace| {
        let folder = match &place {
            FleetPlace::Folder(folder) => Ok(folder.clone()),
            FleetPlace::Address(address) => clone_of(address, cache),
        };
        (place, folder)
    };
    if !has_addresses {
        return places.into_iter().map(placed).collect();
    }
    // Waiting for remotes takes other threads than reading.
    let placed: Vec<PlacedFolder> = match ThreadPoolBuilder::new().num_threads(AT_ONCE).build() {
        Ok(pool) => pool.install(|| places.into_par_iter().map(placed).collect()),
        Err(_) => places.into_iter().map(placed).collect(),
    };
    if let Some(cache) = cache {
        drop_idle(&cache.join("clones"), &placed, MAX_IDLE)
            .log_failure("remove clones of other lists");
    }
    placed
}

/// Brings the clone of one address up to date, and gives its folder.
pub(super) fn update_one(address: &str, cache: &Path) -> Result<PathBuf, String> {
    let clones = cache.join("clones");
    if !clones.join(name_of(address)).exists() {
        drop_idle(&clones, &[], MAX_OF_WORKER).log_failure("remove clones of other lists");
    }
    clone_of(address, Some(cache))
}

/// Removes clones that this list does not name but for so many, those first that were used longest ago.
fn drop_idle(clones: &Path, placed: &[PlacedFolder], most: usize) -> Result<(), StoreError> {
    let used: HashSet<String> = placed
        .iter()
        .filter_map(|(place, _)| match place {
            FleetPlace::Address(address) => Some(name_of(address)),
            FleetPlace::Folder(_) => None,
        })
        .collect();
    let idle = names(clones)?.into_iter();
    let idle = idle.filter(|entry| entry.is_folder && !used.contains(&entry.name));
    let mut idle: Vec<(Option<i128>, PathBuf)> = idle
        .map(|entry| {
            let own = clones.join(entry.name);
            // Each look writes it again.
            let head = stamp(&own.join(REPOSITORY).join("HEAD"));
            (head.map(|head| head.modified), own)
        })
        .collect();
    idle.sort_unstable();
    let surplus = idle.len().saturating_sub(most);
    for (_, own) in &idle[..surplus] {
        if let Some(_lock) = Lock::try_take(own)? {
            remove_tree(own)?;
        }
    }
    Ok(())
}

/// The name of an address's clone.
fn name_of(address: &str) -> String {
    sha256(address.as_bytes())[..DIGIT_COUNT].to_owned()
}

fn clone_of(address: &str, cache: Option<&Path>) -> Result<PathBuf, String> {
    let cache =
        cache.ok_or("there is no cache folder for its clone; set HOME or XDG_CACHE_HOME")?;
    guarded(|| {
        let own = cache.join("clones").join(name_of(address));
        make_private_folder(&own)?;
        let _lock = Lock::acquire(&own, Instant::now() + LONGEST_WAIT)?;
        let folder = own.join(REPOSITORY);
        fetch_newest(&folder, address, LIMITS, &missing_files)?;
        Ok::<_, Error>(folder)
    })
}
