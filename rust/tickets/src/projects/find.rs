//! Projects of the registry, around the start and below scan paths, in one list.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::checked;
use super::codes::{code_of_tickets, is_code, keep_only_code, one_for_each};
use super::definition::{COUNTER, ProjectDefinition, RegistryRecord, TICKETS, path_in_root};
use super::disk_cache::DiskCache;
use super::settings::{self, DiscoverySettings, ExcludedFolders};
use super::table::TableReading;
use super::{DiscoveryInputs, ProjectFault, ProjectProblem, ProjectSource, TicketProject, day};
use chant_config::check::{CheckedFile, ConfigFinding};
use chant_config::schema::tickets::{PROJECT, RECORD};
use chant_config::schema::{ConfigSchema, KeyProblem};

/// A project's own configuration.
pub const OWN_FILE: &str = ".mdt-config.toml";

/// The ending of other names of a project's own configuration (older releases).
const OWN_ENDING: &str = "-config.toml";

/// All projects, and what was passed over.
pub(super) fn projects(
    surroundings: &DiscoveryInputs,
    looked: &mut DiskCache,
) -> (Vec<TicketProject>, Vec<ProjectProblem>, Vec<CheckedFile>) {
    let mut found = ProjectSearch {
        surroundings,
        looked,
        by_root: BTreeMap::new(),
        start: None,
        problems: Vec::new(),
        files: Vec::new(),
    };
    found.registry();
    found.start();
    found.scan();
    let start = found.start.take();
    let mut problems = std::mem::take(&mut found.problems);
    let files = std::mem::take(&mut found.files);
    let projects = std::mem::take(&mut found.by_root).into_values().flatten();
    let mut all = one_for_each(projects.collect(), start.as_deref(), &mut problems);
    all.sort_by(|a, b| (a.source, &a.code).cmp(&(b.source, &b.code)));
    if let Some(code) = surroundings.variable("MCP_PROJECT_FILTER") {
        keep_only_code(&mut all, code, &mut problems);
    }
    problems.extend(files.iter().flat_map(unknown_keys));
    (all, problems, files)
}

/// Returns the unknown keys of a file, as problems; wrong values are reported by their readers.
fn unknown_keys(file: &CheckedFile) -> impl Iterator<Item = ProjectProblem> + '_ {
    let unknown = |finding: &&ConfigFinding| matches!(finding.problem, KeyProblem::Unknown { .. });
    file.findings.iter().filter(unknown).map(|finding| {
        let line = finding.line.map(|line| format!("line {line}: "));
        ProjectProblem {
            path: file.path.clone(),
            why: format!("{}{finding}", line.unwrap_or_default()),
        }
    })
}

/// A search for projects, and its findings.
struct ProjectSearch<'a> {
    surroundings: &'a DiscoveryInputs,
    looked: &'a mut DiskCache,
    /// The first that was found in each folder; `None` for a folder that is refused.
    by_root: BTreeMap<PathBuf, Option<TicketProject>>,
    /// The folder of the project that the start lies in.
    start: Option<PathBuf>,
    problems: Vec<ProjectProblem>,
    /// The configuration files that were read.
    files: Vec<CheckedFile>,
}

/// A project's folder with what is said about it.
struct ProjectCandidate {
    source: ProjectSource,
    /// The folder, free of links.
    root: PathBuf,
    definition: ProjectDefinition,
    /// The file that the definition comes from, or the folder.
    defined_by: PathBuf,
    registered: Option<String>,
    last_accessed: Option<String>,
    version: Option<String>,
}

/// A project's own configuration.
enum OwnDefinition {
    /// Its content, and the file.
    Read(Box<ProjectDefinition>, PathBuf),
    /// It cannot be read, which is reported already.
    Broken,
    /// There is none.
    None,
}

impl ProjectSearch<'_> {
    fn registry(&mut self) {
        let given = self.surroundings.config_folder();
        let real = given.as_deref().and_then(|folder| self.folder(folder));
        if let (None, Some(named)) = (real, self.surroundings.variable("CONFIG_DIR")) {
            let why = format!("the folder `{named}` does not exist; make it or unset the variable");
            self.pass_over("CONFIG_DIR".into(), why);
        }
        let Some(folder) = given.map(|folder| folder.join("projects")) else {
            return;
        };
        for entry in self.looked.folder(&folder).iter() {
            let file = folder.join(&entry.name);
            if !entry.is_folder && file.extension().is_some_and(|ending| ending == "toml") {
                self.registered(&file);
            }
        }
    }

    /// One record of the registry, in any form that is found in the wild.
    fn registered(&mut self, file: &Path) {
        let name = file.display().to_string();
        let read = self.looked.table(file);
        self.note(&name, &read, &RECORD);
        let table = match read.as_ref() {
            Ok(Some(read)) => &read.table,
            Ok(None) => return,
            Err(why) => return self.pass_over(name, why.to_string()),
        };
        let record = RegistryRecord::read(&name, table, &mut self.problems);
        let root = match self.root_of(&record) {
            Ok(root) => root,
            Err(why) => return self.pass_over(name, why.to_string()),
        };
        if self.by_root.contains_key(&root) {
            return;
        }
        let (definition, defined_by) = match self.own(&root, true) {
            OwnDefinition::Read(own, file) if record.is_global => {
                (record.definition.or(*own), file)
            }
            OwnDefinition::Read(own, file) => (own.or(record.definition), file),
            OwnDefinition::Broken if !record.is_global => return self.refuse(root),
            OwnDefinition::None | OwnDefinition::Broken => (record.definition, file.to_owned()),
        };
        self.take(ProjectCandidate {
            source: ProjectSource::Registry,
            root,
            definition,
            defined_by,
            registered: record.registered,
            last_accessed: record.last_accessed,
            version: record.version,
        });
    }

    fn root_of(&mut self, record: &RegistryRecord) -> Result<PathBuf, ProjectFault> {
        let Some(given) = &record.path else {
            return Err(ProjectFault::NoPath);
        };
        let path = self.surroundings.expand(given)?;
        let missing = || ProjectFault::NoFolder(given.clone());
        self.folder(&path).ok_or_else(missing)
    }

    /// The nearest project from the start upwards; a folder of tickets makes one without a file.
    fn start(&mut self) {
        let start = self.surroundings.start.clone();
        let Some(start_real) = self.folder(&start) else {
            let why = "the folder to start in does not exist".into();
            return self.pass_over(start.display().to_string(), why);
        };
        let mut around = start_real.ancestors();
        self.start = around.find(|root| self.starts_in(root)).map(Path::to_owned);
    }

    /// Returns true if a folder around the start is a project's; whatever it is, the search ends with it.
    fn starts_in(&mut self, root: &Path) -> bool {
        if self.by_root.contains_key(root) {
            return true;
        }
        let (definition, defined_by) = match self.own(root, false) {
            OwnDefinition::Read(definition, file) => (*definition, file),
            OwnDefinition::Broken => {
                self.refuse(root.to_owned());
                return true;
            }
            OwnDefinition::None if self.folder(&root.join(TICKETS)).is_none() => return false,
            OwnDefinition::None => (ProjectDefinition::default(), root.join(TICKETS)),
        };
        self.take(ProjectCandidate::found(
            ProjectSource::Start,
            root,
            definition,
            defined_by,
        ));
        true
    }

    fn scan(&mut self) {
        let settings = settings::read(
            self.surroundings, self.looked, &mut self.problems, &mut self.files,
        );
        for (given, named_by) in &settings.scan_paths {
            if let Some(base) = self.folder(given) {
                self.scan_below(&base, &settings);
            } else {
                let why = format!(
                    "the scan path `{}` is no folder; fix or remove it",
                    given.display()
                );
                self.pass_over(named_by.clone(), why);
            }
        }
    }

    /// Looks through a folder and the levels below it. Hidden folders and links to folders are passed
    /// over, so that no cycle and no foreign tree is walked into.
    fn scan_below(&mut self, base: &Path, settings: &DiscoverySettings) {
        let excluded = ExcludedFolders::new(base, &settings.excluded, self.surroundings);
        let mut level = vec![base.to_owned()];
        for depth in 0..=settings.depth {
            let mut next = Vec::new();
            for folder in level {
                for entry in self.looked.folder(&folder).iter() {
                    if !entry.is_folder {
                        if entry.name == OWN_FILE {
                            self.scanned(&folder);
                        }
                    } else if depth < settings.depth && !entry.name.starts_with('.') {
                        let below = folder.join(&entry.name);
                        if !excluded.holds(&entry.name, &below) {
                            next.push(below);
                        }
                    }
                }
            }
            level = next;
        }
    }

    fn scanned(&mut self, root: &Path) {
        if self.by_root.contains_key(root) {
            return;
        }
        match self.own(root, false) {
            OwnDefinition::Read(definition, file) => {
                self.take(ProjectCandidate::found(
                    ProjectSource::Scan,
                    root,
                    *definition,
                    file,
                ));
            }
            OwnDefinition::Broken => self.refuse(root.to_owned()),
            OwnDefinition::None => {}
        }
    }

    /// Reads a project's own file. Files of other names are for registered projects only:
    /// elsewhere they may well be another tool's.
    fn own(&mut self, root: &Path, may_be_named_otherwise: bool) -> OwnDefinition {
        let file = root.join(OWN_FILE);
        let name = file.display().to_string();
        let read = self.looked.table(&file);
        self.note(&name, &read, &PROJECT);
        match read.as_ref() {
            Ok(Some(read)) => {
                let own = ProjectDefinition::of_project(&name, &read.table, &mut self.problems);
                OwnDefinition::Read(Box::new(own), file)
            }
            Ok(None) if may_be_named_otherwise => self.own_of_another_name(root),
            Ok(None) => OwnDefinition::None,
            Err(why) => {
                self.pass_over(name, why.to_string());
                OwnDefinition::Broken
            }
        }
    }

    fn own_of_another_name(&mut self, root: &Path) -> OwnDefinition {
        for entry in self.looked.folder(root).iter() {
            let Some(stem) = entry.name.strip_suffix(OWN_ENDING) else {
                continue;
            };
            let file = root.join(&entry.name);
            let read = self.looked.table(&file);
            if let Ok(Some(found)) = read.as_ref()
                && found
                    .table
                    .get("project")
                    .is_some_and(toml::Value::is_table)
            {
                let name = file.display().to_string();
                self.note(&name, &read, &PROJECT);
                let mut own =
                    ProjectDefinition::of_project(&name, &found.table, &mut self.problems);
                let code = stem.trim_start_matches('.').to_uppercase();
                own.code = own.code.or_else(|| (!code.is_empty()).then_some(code));
                return OwnDefinition::Read(Box::new(own), file);
            }
        }
        OwnDefinition::None
    }

    /// Makes a project of a candidate.
    fn take(&mut self, candidate: ProjectCandidate) {
        let defined_by = candidate.defined_by.display().to_string();
        let root = candidate.root.clone();
        let project = self.project(candidate);
        let project = project.map_err(|why| self.pass_over(defined_by, why.to_string()));
        self.by_root.insert(root, project.ok());
    }

    fn project(&mut self, candidate: ProjectCandidate) -> Result<TicketProject, ProjectFault> {
        let ProjectCandidate {
            root, definition, ..
        } = candidate;
        let tickets = path_in_root(&root, definition.tickets.as_deref().unwrap_or(TICKETS))?;
        let folder = root.join(&tickets);
        if self.looked.place(&folder).is_some() && self.folder(&folder).is_none() {
            return Err(ProjectFault::NotFolder(tickets));
        }
        let counter_file =
            path_in_root(&root, definition.counter_file.as_deref().unwrap_or(COUNTER))?;
        let code = match definition.code {
            Some(code) => code,
            None => self.derived_code(&root, &folder)?,
        };
        if !is_code(&code) {
            return Err(ProjectFault::Code(code));
        }
        let id = definition.id.unwrap_or_else(|| {
            let name = root.file_name();
            name.map_or_else(|| code.clone(), |name| name.to_string_lossy().into_owned())
        });
        let changed = |looked: &mut DiskCache, path: &Path, otherwise: &Path| {
            day(looked, path)
                .or_else(|| day(looked, otherwise))
                .unwrap_or_default()
        };
        let registered = candidate.registered;
        let last_accessed = candidate.last_accessed;
        Ok(TicketProject {
            name: definition.name.unwrap_or_else(|| id.clone()),
            id,
            code,
            active: definition.active.unwrap_or(true),
            description: definition.description,
            repository: definition.repository,
            start_number: definition.start_number.unwrap_or(1),
            counter_file,
            uses_worktrees: definition.uses_worktrees.unwrap_or(true),
            registered: registered
                .unwrap_or_else(|| changed(self.looked, &candidate.defined_by, &root)),
            last_accessed: last_accessed.unwrap_or_else(|| changed(self.looked, &folder, &root)),
            version: candidate.version.unwrap_or_else(|| "1.0.0".into()),
            source: candidate.source,
            root,
            tickets,
        })
    }

    fn derived_code(&mut self, root: &Path, folder: &Path) -> Result<String, ProjectFault> {
        let entries = self.looked.folder(folder);
        let files = entries.iter().filter(|entry| !entry.is_folder);
        let code = code_of_tickets(files.map(|entry| entry.name.as_str()));
        code.map_err(|why| ProjectFault::Underived {
            why: Box::new(why),
            file: root.join(OWN_FILE),
        })
    }

    /// Where a folder is, links resolved; `None` for anything else.
    fn folder(&mut self, path: &Path) -> Option<PathBuf> {
        let real = self.looked.place(path)?.real;
        real.is_dir().then_some(real)
    }

    /// Lists no project for a folder, from wherever it is found again.
    fn refuse(&mut self, root: PathBuf) {
        self.by_root.insert(root, None);
    }

    /// Keeps what is to be said about the keys of a file, where there is one.
    fn note(&mut self, name: &str, read: &TableReading, schema: &ConfigSchema) {
        self.files.extend(checked::file(name, read, schema));
    }

    fn pass_over(&mut self, path: String, why: String) {
        self.problems.push(ProjectProblem { path, why });
    }
}

impl ProjectCandidate {
    fn found(
        source: ProjectSource,
        root: &Path,
        definition: ProjectDefinition,
        defined_by: PathBuf,
    ) -> Self {
        Self {
            source,
            root: root.to_owned(),
            definition,
            defined_by,
            registered: None,
            last_accessed: None,
            version: None,
        }
    }
}
