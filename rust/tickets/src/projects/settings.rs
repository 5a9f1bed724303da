//! Settings of the search for projects, from the user's configuration and the variables (reference 1.4, 1.5).

use std::path::{Path, PathBuf};

use toml::Table;

use super::checked;
use super::disk_cache::DiskCache;
use super::table::{TableKeys, TableReading};
use super::{DiscoveryInputs, ProjectProblem};
use chant_config::check::CheckedFile;
use chant_config::schema::tickets::DISCOVERY;

/// Levels below a scan path that are looked through where nothing else is said.
const MAX_DEPTH: u32 = 4;

/// Names of folders that are passed over where nothing else is said.
const EXCLUDED: [&str; 12] = [
    "node_modules", ".git", "vendor", ".next", "dist", "build", "target", "__pycache__", ".vscode",
    ".idea", "tmp", "temp",
];

/// Where projects are looked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DiscoverySettings {
    /// Folders to scan, each with the file or variable that names it.
    pub(super) scan_paths: Vec<(PathBuf, String)>,
    /// The number of levels below these.
    pub(super) depth: u32,
    /// Folders that are passed over: names, or with a `/` paths seen from a scan path.
    pub(super) excluded: Vec<String>,
}

/// Folders that a scan passes over.
pub(super) struct ExcludedFolders<'a> {
    names: Vec<&'a str>,
    paths: Vec<PathBuf>,
}

impl<'a> ExcludedFolders<'a> {
    /// Returns the folders that are passed over below a scan path.
    pub(super) fn new(base: &Path, given: &'a [String], surroundings: &DiscoveryInputs) -> Self {
        let (paths, names): (Vec<&str>, Vec<&str>) = given
            .iter()
            .map(|entry| entry.trim().trim_end_matches('/'))
            .partition(|entry| entry.contains('/'));
        let from_base = |path: &str| {
            if path.starts_with("~/") {
                surroundings.expand(path).unwrap_or_default()
            } else {
                base.join(path.trim_start_matches("./"))
            }
        };
        Self {
            names,
            paths: paths.into_iter().map(from_base).collect(),
        }
    }

    /// Returns true if a folder is passed over.
    pub(super) fn holds(&self, name: &str, path: &Path) -> bool {
        self.names.contains(&name) || self.paths.iter().any(|excluded| excluded == path)
    }
}

/// The keys of `[discovery]` in one file.
#[derive(Default)]
pub(super) struct DiscoveryTable {
    scan_paths: Option<Vec<String>>,
    scans: Option<bool>,
    depth: Option<u32>,
    excluded: Option<Vec<String>>,
    /// The file that names the scan paths.
    named_by: String,
}

impl DiscoveryTable {
    /// These keys, and those of a further file that are not among them.
    fn or(self, further: Self) -> Self {
        Self {
            named_by: if self.scan_paths.is_some() {
                self.named_by
            } else {
                further.named_by
            },
            scan_paths: self.scan_paths.or(further.scan_paths),
            scans: self.scans.or(further.scans),
            depth: self.depth.or(further.depth),
            excluded: self.excluded.or(further.excluded),
        }
    }
}

/// Reads the file that `MCP_CONFIG_PATH` names, or else `mcp-server.toml` and, for the keys that are
/// not in it, `config.toml`. Paths in `MCP_SCAN_PATHS` take the place of all configured ones.
pub(super) fn read(
    surroundings: &DiscoveryInputs,
    looked: &mut DiskCache,
    problems: &mut Vec<ProjectProblem>,
    checked: &mut Vec<CheckedFile>,
) -> DiscoverySettings {
    let mut discovery = DiscoveryTable::default();
    for file in files(surroundings, looked, problems) {
        let read = looked.table(&file);
        let name = file.display().to_string();
        checked.extend(checked::file(&name, &read, &DISCOVERY));
        discovery = discovery.or(discovery_of(&name, &read, problems));
    }
    let (paths, named_by) = match surroundings.variable("MCP_SCAN_PATHS") {
        Some(paths) => (
            paths.split(',').map(str::to_owned).collect(),
            "MCP_SCAN_PATHS".to_owned(),
        ),
        None if discovery.scans == Some(false) => (Vec::new(), String::new()),
        None => (discovery.scan_paths.unwrap_or_default(), discovery.named_by),
    };
    let mut scan_paths = Vec::new();
    for path in paths
        .iter()
        .map(|path| path.trim())
        .filter(|path| !path.is_empty())
    {
        match surroundings.expand(path) {
            Ok(folder) => scan_paths.push((folder, named_by.clone())),
            Err(why) => problems.push(ProjectProblem {
                path: named_by.clone(),
                why: why.to_string(),
            }),
        }
    }
    DiscoverySettings {
        scan_paths,
        depth: discovery.depth.unwrap_or(MAX_DEPTH),
        excluded: discovery
            .excluded
            .unwrap_or_else(|| EXCLUDED.map(str::to_owned).to_vec()),
    }
}

fn files(
    surroundings: &DiscoveryInputs,
    looked: &mut DiskCache,
    problems: &mut Vec<ProjectProblem>,
) -> Vec<PathBuf> {
    let Some(custom) = surroundings.variable("MCP_CONFIG_PATH") else {
        let folder = surroundings.config_folder();
        return ["mcp-server.toml", "config.toml"]
            .iter()
            .filter_map(|name| Some(folder.as_ref()?.join(name)))
            .collect();
    };
    let path = surroundings.expand(custom);
    let why = match &path {
        Ok(path) if looked.place(path).is_some() => return vec![path.clone()],
        Ok(path) => format!(
            "the configuration `{}` does not exist; name another file or unset the variable",
            path.display()
        ),
        Err(why) => why.to_string(),
    };
    problems.push(ProjectProblem {
        path: "MCP_CONFIG_PATH".into(),
        why,
    });
    Vec::new()
}

fn discovery_of(
    name: &str,
    read: &TableReading,
    problems: &mut Vec<ProjectProblem>,
) -> DiscoveryTable {
    match read {
        Ok(None) => DiscoveryTable::default(),
        Ok(Some(read)) => discovery_read(name, &read.table, problems),
        Err(why) => {
            problems.push(ProjectProblem {
                path: name.to_owned(),
                why: why.to_string(),
            });
            DiscoveryTable::default()
        }
    }
}

/// The keys of a file's `[discovery]`.
pub(super) fn discovery_read(
    name: &str,
    table: &Table,
    problems: &mut Vec<ProjectProblem>,
) -> DiscoveryTable {
    let mut keys = TableKeys::of(name, table, "discovery.", problems);
    let scan_paths = keys.texts("scanPaths");
    let search_paths = keys.texts("searchPaths");
    DiscoveryTable {
        scan_paths: match (scan_paths, search_paths) {
            (Some(scan), Some(search)) => Some([scan, search].concat()),
            (scan, search) => scan.or(search),
        },
        scans: keys.flag("autoDiscover"),
        depth: keys.number("maxDepth"),
        excluded: keys.texts("excludePaths"),
        named_by: name.to_owned(),
    }
}
