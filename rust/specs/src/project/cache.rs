//! The parts of a project that were read so far, and how they are brought up to date.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::lookup::look_up;
use super::{AGENTS, ARCHIVE, CONFIG, ConfigTexts, SPECS};
use crate::id::SpecId;
use crate::model::SpecStatus;
use crate::parse::{self, ParsedSpec};
use crate::specs::{ExternalDependency, SpecGraph};
use chant_base::external_items::{self, ExternalItems, ExternalStatus};
use chant_config::{Config, ConfigError};
use chant_graph::Node;
use chant_store::StoreError;
use chant_store::disk::Disk;
use chant_store::files::RootFolder;
use chant_store::index::{DocumentChange, DocumentIndex, FileSource};
use chant_store::stamped::PathStamps;

/// The parts of a project that were read so far.
pub(super) struct ProjectCache {
    pub(super) index: DocumentIndex<ParsedSpec>,
    pub(super) specs: Arc<SpecGraph>,
    pub(super) seen_folders: SeenFolders,
    archive: DocumentIndex<Option<SpecStatus>>,
    /// Archived specs: by ID the files that hold it, each with its state, which is unknown when
    /// the file is broken.
    archived: HashMap<Box<str>, BTreeMap<Box<str>, Option<SpecStatus>>>,
    /// Files of other repositories that dependencies were looked up in.
    foreign: Vec<PathStamps>,
    /// True if one of them could change and keep its stamp.
    is_foreign_doubted: bool,
    /// Items of other dialects that dependencies name, as they were last found.
    outside: BTreeMap<String, ExternalStatus>,
    config_stamps: Option<PathStamps>,
    pub(super) config: Result<Arc<Config>, ConfigError>,
    pub(super) config_texts: Arc<ConfigTexts>,
    /// The agent that works where the configuration names none, and when it was looked for.
    found_agent: Option<(Instant, Option<&'static str>)>,
    /// True if other repositories were looked into when dependencies were looked up last.
    looked_into_others: bool,
}

/// The folders that were there at an earlier look.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SeenFolders {
    /// True if the folder of the specs was there.
    pub(super) specs: bool,
    /// True if the folder of the archive was there.
    archive: bool,
}

/// The time for which a found agent is believed.
const FOUND_FOR: Duration = Duration::from_secs(2);

/// The state of an archived spec.
fn archived(path: &str, source: FileSource) -> Option<SpecStatus> {
    parse::document(path, source).ok().map(|spec| spec.status)
}

impl ProjectCache {
    pub(super) fn new(disk: &Disk, root: &RootFolder) -> Self {
        Self {
            index: DocumentIndex::new(disk.clone(), root.clone(), SPECS, ".md", parse::document),
            specs: Arc::default(),
            seen_folders: SeenFolders::default(),
            archive: DocumentIndex::new(disk.clone(), root.clone(), ARCHIVE, ".md", archived),
            archived: HashMap::new(),
            foreign: Vec::new(),
            is_foreign_doubted: false,
            outside: BTreeMap::new(),
            config_stamps: None,
            config: Ok(Arc::default()),
            config_texts: Arc::default(),
            found_agent: None,
            looked_into_others: false,
        }
    }

    /// Reads the configuration when one of its files changed; says whether it did.
    pub(super) fn refresh_config(
        &mut self,
        root: &RootFolder,
        user: Option<&Path>,
        disk: &Disk,
    ) -> bool {
        let own = [CONFIG, AGENTS].map(|name| root.path().join(name));
        let files = own.into_iter().chain(user.map(Path::to_owned));
        let stamps = files.map(|path| {
            let stamp = (disk.stamp)(&path);
            (path, stamp)
        });
        let stamps: PathStamps = stamps.collect();
        if self.config_stamps.as_ref() == Some(&stamps) {
            return false;
        }
        let read = |disk: &Disk, path: Option<&Path>, name: &str| match path
            .map(|path| disk.read_text(path, name))
        {
            None | Some(Err(StoreError::Missing { .. })) => Ok(None),
            Some(Ok((text, _))) => Ok(Some(text)),
            Some(Err(error)) => Err(ConfigError {
                file: name.into(),
                why: error.to_string(),
            }),
        };
        let user_name = user.map_or_else(String::new, |path| path.display().to_string());
        let own = |name: &str| read(disk, root.locate(name).ok().as_deref(), name);
        let mut texts = ConfigTexts::default();
        let anywhere = disk.clone().anywhere();
        let of_user = read(&anywhere, user, &user_name);
        let config = of_user.and_then(|user| {
            (texts.project, texts.agents) = (own(CONFIG)?, own(AGENTS)?);
            Config::read(
                user.as_deref().map(|text| (&*user_name, text)),
                texts.project.as_deref().map(|text| (CONFIG, text)),
                texts.agents.as_deref().map(|text| (AGENTS, text)),
            )
        });
        self.config_texts = Arc::new(texts);
        self.config = config.map(Arc::new);
        let is_settled = stamps.are_settled((disk.clock)(root.path()));
        self.config_stamps = is_settled.then_some(stamps);
        true
    }

    /// Looks for the agent that works, where the configuration names none. One that is installed or logged in to
    /// while we serve is seen soon.
    pub(super) fn find_agent(&mut self, search: impl FnOnce() -> Option<&'static str>) {
        let Ok(config) = &mut self.config else {
            return;
        };
        if config.runs.named_provider.is_some() {
            return;
        }
        let is_old = |(at, _): &(Instant, Option<&str>)| at.elapsed() > FOUND_FOR;
        if self.found_agent.as_ref().is_none_or(is_old) {
            self.found_agent = Some((Instant::now(), search()));
        }
        let found = self.found_agent.and_then(|(_, name)| name);
        if config.runs.found_provider.as_deref() != found {
            Arc::make_mut(config).runs.found_provider = found.map(str::to_owned);
        }
    }

    pub(super) fn refresh_archive(&mut self) -> bool {
        // Without an archive that can be listed nothing is archived.
        let changes = match self.archive.refresh() {
            Ok(changes) => changes,
            Err(_) => self.archive.clear(),
        };
        let is_changed = !changes.is_empty();
        for DocumentChange { path, document } in changes {
            let id = parse::stem(&path);
            if let Some(status) = document {
                let files = self.archived.entry(id.into()).or_default();
                files.insert(path, status);
            } else if let Some(files) = self.archived.get_mut(id) {
                files.remove(&path);
                if files.is_empty() {
                    self.archived.remove(id);
                }
            }
        }
        is_changed
    }

    /// Notes whether the archive is there; true when it was at an earlier look and is not at this one.
    pub(super) fn has_lost_archive(&mut self, is_there: bool) -> bool {
        self.seen_folders.archive |= is_there;
        self.seen_folders.archive && !is_there
    }

    /// The IDs in the archive, in no order.
    pub(super) fn archived_ids(&self) -> impl Iterator<Item = &str> {
        self.archived.keys().map(|id| &**id)
    }

    /// Where an archived spec lies, and its state; of several files of one ID the last readable one
    /// by path counts.
    pub(super) fn archived_as(&self, id: &str) -> Option<(&str, Option<SpecStatus>)> {
        let files = self.archived.get(id)?;
        let readable = files.iter().rfind(|(_, status)| status.is_some());
        let (path, status) = readable.or_else(|| files.last_key_value())?;
        Some((path, *status))
    }

    /// Looks up the dependencies that are no active specs: in the archive, in other repositories, in
    /// other dialects.
    pub(super) fn look_elsewhere(
        &mut self,
        root: &RootFolder,
        disk: &Disk,
        outside: &ExternalItems,
        may_leave: &dyn Fn() -> bool,
        is_changed: bool,
    ) {
        if self.specs.names_nothing_elsewhere() {
            return;
        }
        let has_others = matches!(&self.config, Ok(config) if !config.repositories.is_empty());
        let may_leave = has_others && may_leave();
        let is_changed = is_changed || may_leave != self.looked_into_others;
        self.looked_into_others = may_leave;
        let is_outside_changed = self.look_outside(outside, is_changed);
        let is_archive_changed = self.refresh_archive();
        let is_foreign_changed =
            self.is_foreign_doubted || !self.foreign.iter().all(PathStamps::are_current);
        if !(is_changed || is_archive_changed || is_foreign_changed || is_outside_changed) {
            return;
        }
        self.foreign.clear();
        self.is_foreign_doubted = false;
        let config = self.config.clone();
        let named = self.specs.named_elsewhere();
        let found: Vec<(Node, ExternalDependency)> = named
            .into_iter()
            .map(|(node, key)| (node, self.look_up(&key, config.as_deref(), root, disk)))
            .collect();
        let specs = Arc::make_mut(&mut self.specs);
        for (node, found) in found {
            specs.found_elsewhere(node, found);
        }
    }

    /// Asks how far the items of other dialects are; says whether one is further than before.
    fn look_outside(&mut self, outside: &ExternalItems, is_changed: bool) -> bool {
        let named: Vec<String> = if is_changed {
            let named = self.specs.named_elsewhere().into_iter();
            let keys = named.map(|(_, key)| key);
            keys.filter(|key| external_items::is_key(key)).collect()
        } else {
            self.outside.keys().cloned().collect()
        };
        let standings = outside.standings(&named);
        let found: BTreeMap<String, ExternalStatus> = named.into_iter().zip(standings).collect();
        let is_other = found != self.outside;
        self.outside = found;
        is_other
    }

    fn look_up(
        &mut self,
        key: &str,
        config: Result<&Config, &ConfigError>,
        root: &RootFolder,
        disk: &Disk,
    ) -> ExternalDependency {
        let Some((prefix, id)) = key.split_once(':') else {
            return match self.archived_as(key) {
                Some((path, Some(status))) => found(status, format!("archived: {path}")),
                Some((path, None)) => {
                    ExternalDependency::Unreachable(format!("archived, but {path} cannot be read"))
                }
                None => ExternalDependency::Unknown,
            };
        };
        if let Some(standing) = self.outside.get(key) {
            return standing.clone().into();
        }
        let config = match config {
            Ok(config) => config,
            Err(error) => return ExternalDependency::Unreachable(error.to_string()),
        };
        let Some(repository) = config
            .repositories
            .iter()
            .find(|repository| repository.name == prefix)
        else {
            return ExternalDependency::Unreachable(format!(
                "no repository `{prefix}` under `repos:` in the configuration"
            ));
        };
        if !self.looked_into_others {
            return ExternalDependency::Unreachable(format!(
                "not trusted: this folder names repository `{prefix}`, and no person has allowed reading it; a person does that with `chant-mcp trust`"
            ));
        }
        let Ok(id) = id.parse::<SpecId>() else {
            return ExternalDependency::Unreachable(format!("`{id}` cannot be a spec ID"));
        };
        let base = root.path().join(&repository.path);
        let looked = look_up(&base, &id, disk);
        self.is_foreign_doubted |= looked.is_doubted;
        self.foreign.push(looked.files);
        match (looked.found, looked.unreadable) {
            (Some((status, place)), _) => {
                found(status, format!("in repository `{prefix}`: {place}"))
            }
            (None, Some(why)) => ExternalDependency::Unreachable(format!(
                "it cannot be read in repository `{prefix}`: {why}"
            )),
            (None, None) => ExternalDependency::Unreachable(format!(
                "not found in repository `{prefix}` at {}",
                base.display()
            )),
        }
    }
}

/// A spec that lies outside the active ones.
fn found(status: SpecStatus, place: String) -> ExternalDependency {
    ExternalDependency::Found {
        status: status.to_string(),
        is_done: status.is_done(),
        place,
    }
}
