//! Bare clones of addresses that the user lists, in the cache folder: the newest commit and the work files in it.

use std::path::{Path, PathBuf};

use chant_git::listed_clone::fetch_newest;
use chant_store::digest::sha256;
use chant_store::disk::{Lock, make_private_folder};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use std::time::{Duration, Instant};

use super::{FleetPlace, LIMITS, guarded};
use crate::revision_view::missing_files;
use chant_base::error::Error;

/// The number of addresses that are asked at once.
const AT_ONCE: usize = 8;
/// How long another process may be at the same clone.
const LONGEST_WAIT: Duration = Duration::from_secs(600);
/// The digits of an address's digest in the name of its clone.
const DIGITS: usize = 32;

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
    match ThreadPoolBuilder::new().num_threads(AT_ONCE).build() {
        Ok(pool) => pool.install(|| places.into_par_iter().map(placed).collect()),
        Err(_) => places.into_iter().map(placed).collect(),
    }
}

fn clone_of(address: &str, cache: Option<&Path>) -> Result<PathBuf, String> {
    let cache =
        cache.ok_or("there is no cache folder for its clone; set HOME or XDG_CACHE_HOME")?;
    guarded(|| {
        let clones = cache.join("clones");
        make_private_folder(&clones)?;
        let name = &sha256(address.as_bytes())[..DIGITS];
        let until = Instant::now() + LONGEST_WAIT;
        let _lock = Lock::acquire(&clones.join(format!("{name}.lock")), until)?;
        let folder = clones.join(format!("{name}.git"));
        fetch_newest(&folder, address, LIMITS, &missing_files)?;
        Ok::<_, Error>(folder)
    })
}
