//! Reports what a folder asks for, whether its user said yes, and what tools may do.

use std::collections::BTreeMap;
use std::path::PathBuf;

use chant_base::run_variables;
use chant_confine::writes::write_only_in as write_only;
use chant_specs::project::TrustReport;
use chant_trust::TrustReason;
use chant_trust::effects::{RunPermission, effects_of, right_in_run};
use chant_trust::place_table::{KEYED, PlaceKind, TABLE};
use chant_trust::places::{keyed_place, place_of};
use chant_trust::store::TrustStore;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Returns the hints to hosts about a tool: whether it only reads, may destroy, may be repeated, and reaches
/// out.
#[pyfunction]
pub(crate) fn tool_hints(name: &str) -> Option<(bool, bool, bool, bool)> {
    let hints = effects_of(name)?.hints();
    Some((
        hints.read_only, hints.destructive, hints.idempotent, hints.open_world,
    ))
}

/// Returns the right of a tool's call from inside a run: `project`, `own folder` or `never`, and for the last
/// one what the agent can do instead.
#[pyfunction]
pub(crate) fn tool_right_in_run(name: &str) -> (&'static str, Option<&'static str>) {
    match right_in_run(name) {
        RunPermission::Project => ("project", None),
        RunPermission::OwnFolder => ("own folder", None),
        RunPermission::Never(instead) => ("never", Some(instead)),
    }
}

/// Returns the variable that shows that an agent started this process; `None` when none does.
#[pyfunction]
pub(crate) fn sign_of_agent(environment: BTreeMap<String, String>) -> Option<String> {
    run_variables::sign_of_agent(&environment).map(str::to_owned)
}

/// The table of files by which programs act, or whose words agents obey: for each group the programs that read them,
/// the kind (`acts`, `instructs` or `nothing`), and the files. Of the last ones some keys alone act.
#[pyfunction]
pub(crate) fn acting_places() -> Vec<(&'static str, &'static str, Vec<String>)> {
    let groups = TABLE.iter().map(|group| {
        let places = group.places.iter().map(|place| (*place).to_owned());
        (group.readers, kind_word(group.kind), places.collect())
    });
    let keyed = KEYED.iter().map(|keyed| {
        let keys = keyed.keys.iter();
        let keys = keys.map(|key| format!("{}: {}", keyed.name, key.replace('/', ".")));
        (keyed.readers, "acts", keys.collect())
    });
    groups.chain(keyed).collect()
}

/// Returns the kind of a file of that table, by its path from the top of a project; `None` for any other file.
#[pyfunction]
pub(crate) fn acting_kind(path: &str) -> Option<&'static str> {
    let place = place_of(path).map(|place| kind_word(place.kind));
    place.or_else(|| keyed_place(path).map(|_| "acts"))
}

fn kind_word(kind: PlaceKind) -> &'static str {
    match kind {
        PlaceKind::AgentFile | PlaceKind::Automation => "acts",
        PlaceKind::Instructions => "instructs",
        PlaceKind::Nothing => "nothing",
    }
}

/// Keeps the calling thread, for the rest of its life, from writing anywhere but in some folders; gives whether the
/// kernel can do so.
#[pyfunction]
pub(crate) fn write_only_in(folders: Vec<PathBuf>) -> PyResult<bool> {
    Ok(write_only(&folders)?)
}

/// The folders that the user whose variables these are trusts, each with its hashes and when they were given.
#[pyfunction]
#[pyo3(signature = (environment))]
pub(crate) fn trusted_folders(
    environment: BTreeMap<String, String>,
) -> Vec<(String, Vec<(String, String)>)> {
    let all = TrustStore::of(&environment).map(|store| store.all());
    let folders = all.unwrap_or_default().into_iter();
    folders
        .map(|(place, trusted)| {
            let hashes = trusted.into_iter().map(|one| (one.hash, one.given_at));
            (place.root.display().to_string(), hashes.collect())
        })
        .collect()
}

/// A report as a dictionary.
pub(crate) fn report<'py>(
    py: Python<'py>,
    report: &TrustReport,
) -> Result<Bound<'py, PyDict>, PyErr> {
    let found = PyDict::new(py);
    found.set_item("folder", report.root.display().to_string())?;
    found.set_item("trusted", report.ground.is_some())?;
    found.set_item("by", report.ground.map(word))?;
    found.set_item("summary", &report.summary)?;
    found.set_item("listing", &report.listing)?;
    found.set_item("instructions", &report.instructions)?;
    found.set_item("difference", report.difference.as_ref())?;
    found.set_item("hash", &report.hash)?;
    found.set_item("hash_of_commits", &report.hash_of_commits)?;
    found.set_item("gaps", &report.gaps)?;
    found.set_item("sources", &report.sources)?;
    Ok(found)
}

fn word(ground: TrustReason) -> &'static str {
    match ground {
        TrustReason::Hash => "hash",
        TrustReason::UserRoots => "roots",
        TrustReason::Caller => "caller",
    }
}

/// The lists of folders in an environment that hold empty or relative ones, each with what is left of it.
#[pyfunction]
#[pyo3(signature = (environment))]
pub(crate) fn absolute_searches(
    environment: BTreeMap<String, String>,
) -> BTreeMap<String, Option<String>> {
    chant_base::environment::absolute_searches(&environment)
}
