//! Finds changes of a merge to what runs by itself, here or elsewhere, to what agents are told, and files
//! that are hardly meant to land: these never land without a person.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::judged_change::{self, JudgedTerms};
use super::landing_concerns::{LandingConcern, LandingRules, landing_concerns};
use super::own_files::OwnFiles;
use super::run_folder::{RunFolder, in_git};
use chant_base::error::Error;
use chant_base::plural::first_of;
use chant_git::acting::link_target;
use chant_git::changed_files::{ChangedFile, CommittedFile, FileKind};
use chant_git::{CheckoutHead, GitError, Repo};
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_specs::work_items::{ChangedPaths, is_run_id};
use chant_store::digest::sha256;
use chant_store::disk;
use chant_trust::acting::{
    ActingConfiguration, CHANT_AGENTS, CHANT_CONFIG, EntryKind, PROMPTS, SPECKIT_CONFIG,
    SourceFile, ascii, listing_difference,
};
use chant_trust::place_table::PlaceKind;
use chant_trust::places::{
    folded, is_at_or_below, is_component_of, is_named_by, keyed_place, makes_plugin, may_hold,
    place_of, plugin_around, plugin_of,
};
use chant_work::run_record::JudgedEntry;

/// The number of files that the reason of a run's end names.
const MAX_NAMED: usize = 3;

/// The change of a merge to files that act, or that tell agents what to do.
#[derive(Debug, Default)]
pub(crate) struct ActingChange {
    /// The differences as lines for people.
    pub lines: Vec<String>,
    /// The files.
    files: Vec<String>,
    /// True if one of them acts.
    acts: bool,
    /// Files that are hardly meant to land, with the concerns about them.
    concerns: Vec<(LandingConcern, String)>,
    /// What it changes of the tests that judge it.
    judged: JudgedEntry,
}

impl ActingChange {
    /// Returns true if there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the reason for the end of a run whose branch contains it.
    pub(crate) fn reason(&self) -> String {
        let mut reasons: Vec<String> = self
            .concerns
            .chunk_by(|one, other| one.0 == other.0)
            .map(|alike| {
                let files: Vec<String> = alike.iter().map(|(_, file)| file.clone()).collect();
                alike[0].0.sentence(&named(&files))
            })
            .collect();
        reasons.extend(judged_change::reason(&self.judged));
        if self.files.is_empty() {
            return reasons.join("; ");
        }
        let what = if self.acts {
            "changes what runs by itself"
        } else {
            "changes what agents are told"
        };
        reasons.push(format!("{what}: {}", named(&self.files)));
        reasons.join("; ")
    }

    /// Adds concerns about files below a folder, which ends with a slash.
    fn add_concerns(
        &mut self,
        concerns: impl IntoIterator<Item = (LandingConcern, String)>,
        folder: &str,
    ) {
        for (concern, file) in concerns {
            let file = format!("{folder}{file}");
            self.lines.push(concern.sentence(&ascii(&file)));
            self.concerns.push((concern, file));
        }
    }

    /// Adds those of the changed files of a repository that act, or tell agents what to do. The repository's folder
    /// counts from the top of the checkout and ends with a slash.
    fn add_acting_files(
        &mut self,
        repo: &Repo,
        acting: &ActingPaths,
        folder: &str,
        changed: &[ChangedFile],
    ) -> Result<(), GitError> {
        for file in changed {
            let Some((kind, shown)) = acting.kind_of(&below(folder, file)) else {
                continue;
            };
            let lines = |file: &Option<CommittedFile>| -> Result<Vec<String>, GitError> {
                let source = file.as_ref().map(|file| source(repo, file, kind, &shown));
                let source: Vec<SourceFile> = source.transpose()?.into_iter().collect();
                Ok(ActingConfiguration::of(&source, &[], Vec::new()).shown())
            };
            let difference = listing_difference(&lines(&file.old)?, &lines(&file.new)?);
            if !difference.is_empty() {
                self.lines.extend(difference);
                self.files.push(shown);
                self.acts |= kind != EntryKind::Instructions;
            }
        }
        Ok(())
    }

    /// Returns what it changes of the tests that judge it, given the hash to which a person agreed.
    pub(super) fn judged(&self, agreed: Option<&str>) -> JudgedEntry {
        JudgedEntry {
            agreed: !self.judged.weaker.is_empty() && agreed == Some(&*self.agreement()),
            ..self.judged.clone()
        }
    }

    /// Returns the hash that stands for it when a person agrees.
    pub(crate) fn agreement(&self) -> String {
        agreement_to(&self.lines)
    }
}

/// Returns a file with its path from the top of the checkout, by the folder of its repository.
fn below(folder: &str, file: &ChangedFile) -> ChangedFile {
    ChangedFile {
        path: format!("{folder}{}", file.path),
        ..file.clone()
    }
}

/// Returns the first of some files as words.
fn named(files: &[String]) -> String {
    let files: Vec<String> = files.iter().map(|file| ascii(file)).collect();
    first_of(&files, MAX_NAMED, ", ")
}

/// Returns the hash that stands for a change to which a person agrees.
pub(crate) fn agreement_to(change: &[String]) -> String {
    sha256(change.join("\n").as_bytes())
}

/// Returns the acting differences between two commits of the target.
///
/// # Errors
/// A failure of git; a configuration that cannot be read.
pub(super) fn acting_change(
    project: &Project,
    repo: &Repo,
    place: &RunFolder,
    old: &str,
    new: &str,
) -> Result<ActingChange, Error> {
    let changed = repo.changed_files(old, new)?;
    if changed.is_empty() {
        return Ok(ActingChange::default());
    }
    let inside = place.spec_in_git.strip_suffix(&*place.spec);
    let mut acting = ActingPaths::of(project, repo, inside.unwrap_or_default(), old)?;
    if let Some(items) = project.work_items {
        let paths = changed
            .iter()
            .filter_map(|file| file.path.strip_prefix(&acting.inside));
        let paths = ChangedPaths {
            base: old,
            paths: &paths.collect::<Vec<&str>>(),
            by_item_run: is_run_id(&place.spec_id),
        };
        acting.told_documents = items.told_documents(project, &paths)?;
    }
    // Only folders around what changed are looked at.
    let above: BTreeSet<&str> = changed
        .iter()
        .flat_map(|file| {
            let ends = file.path.match_indices('/').map(|(at, _)| at);
            ends.chain([0]).map(|end| &file.path[..end])
        })
        .collect();
    let enters = |folder: &str| {
        let is_deep = || folded(folder).ends_with(".agents/plugins");
        let (parent, _) = folder.rsplit_once('/').unwrap_or_default();
        let is_skill = || plugin_around(parent).is_some_and(|outer| above.contains(outer));
        above.contains(parent) || is_deep() || is_skill()
    };
    acting.plugins = plugin_folders(repo, old, &changed, &enters)?;
    let mut found = ActingChange::default();
    let config = project.snapshot()?.config.clone()?;
    let largest = config.landing_largest.saturating_mul(1_000_000);
    let allows = |path: &str| acting.allows(path);
    let values = OwnFiles::read(project, &config, repo)?.values();
    let rules = LandingRules {
        largest,
        values: &values,
        allows: &allows,
    };
    found.add_concerns(
        landing_concerns(repo, &changed, Some(old), new, &rules)?,
        "",
    );
    found.add_acting_files(repo, &acting, "", &changed)?;
    for inside in repo.submodule_changes(old, new, &changed)? {
        let folder = format!("{}/", inside.path);
        if let Some(new) = &inside.new {
            let allows = |path: &str| acting.allows(&format!("{folder}{path}"));
            let rules = LandingRules {
                allows: &allows,
                ..rules
            };
            let old = inside.old.as_deref();
            let concerns = landing_concerns(&inside.repo, &inside.files, old, new, &rules)?;
            found.add_concerns(concerns, &folder);
        }
        found.add_acting_files(&inside.repo, &acting, &folder, &inside.files)?;
    }
    let terms = JudgedTerms {
        project,
        repo,
        place,
        allows: &allows,
    };
    found.judged = terms.judge(&changed, old, new)?;
    found.lines.extend(found.judged.weaker.iter().cloned());
    Ok(found)
}

/// Refuses a branch to start from whose files can act where those of the checkout, which a person trusted, are
/// different. Settings and prompts are read from the checkout.
///
/// # Errors
/// `Refused` with the files, or a failure of git.
pub(super) fn refuse_untrusted_base(
    project: &Project,
    repo: &Repo,
    branch: &str,
) -> Result<(), Error> {
    let (CheckoutHead::Branch { commit: head, .. } | CheckoutHead::Detached { commit: head }) =
        repo.head()?
    else {
        return Ok(());
    };
    // The step that needs a branch reports that there is none.
    let Some(base) = repo.branch_tip(branch)?.filter(|base| *base != head) else {
        return Ok(());
    };
    let mut changed = repo.changed_files(&head, &base)?;
    if changed.is_empty() {
        return Ok(());
    }
    for inside in repo.submodule_changes(&head, &base, &changed)? {
        let folder = format!("{}/", inside.path);
        changed.extend(inside.files.iter().map(|file| below(&folder, file)));
    }
    let acting = ActingPaths::of(project, repo, &in_git(project, repo, "")?, &base)?;
    let files: Vec<String> = changed
        .iter()
        .filter(|file| file.new.is_some())
        .filter_map(|file| acting.kind_of(file))
        .filter(|(kind, _)| matches!(kind, EntryKind::AgentFile | EntryKind::Automation))
        .map(|(_, path)| path)
        .collect();
    if files.is_empty() {
        return Ok(());
    }
    let message = format!(
        "Files of `{branch}` that can run by themselves differ from those of the checkout, which you trusted: {}. Check out `{branch}`, trust what it asks for, and start again from there.",
        named(&files)
    );
    Err(ChantError::Refused(message).into())
}

/// Returns the folders of plugins in a commit and in what changes, in the folders that are looked at.
fn plugin_folders(
    repo: &Repo,
    old: &str,
    changed: &[ChangedFile],
    enters: &dyn Fn(&str) -> bool,
) -> Result<Vec<String>, GitError> {
    let is_manifest = |path: &str| plugin_of(path).is_some();
    let mut manifests = repo.files_at(old, "", enters, &is_manifest)?;
    for file in changed.iter().filter(|file| is_manifest(&file.path)) {
        let new = file.new.as_ref().map(|new| repo.content_of(new));
        manifests.extend(new.transpose()?.map(|text| (file.path.clone(), text)));
    }
    let mut plugins = Vec::new();
    for (path, text) in manifests {
        let folder = plugin_of(&path).unwrap_or_default();
        let is_component = |path: &str| is_component_of(path, &folder);
        let is_plugin = makes_plugin(&path, &text)
            || changed.iter().any(|file| is_component(&file.path))
            || !repo.files_at(old, "", enters, &is_component)?.is_empty();
        plugins.extend(is_plugin.then_some(folder));
    }
    Ok(plugins)
}

/// Returns a file of a commit as trust shows it.
fn source(
    repo: &Repo,
    file: &CommittedFile,
    kind: EntryKind,
    shown: &str,
) -> Result<SourceFile, GitError> {
    let bytes = repo.content_of(file)?;
    let text = || String::from_utf8_lossy(&bytes).into_owned();
    let link = match file.kind {
        FileKind::Link => Some(text()),
        FileKind::Submodule => Some(format!("another repository at {}", text())),
        FileKind::Plain | FileKind::Program => None,
    };
    Ok(SourceFile {
        path: shown.to_owned(),
        kind,
        bytes: Ok(if link.is_some() { Vec::new() } else { bytes }),
        link,
        is_program: file.kind == FileKind::Program,
    })
}

/// The paths of a repository that act, or tell agents what to do.
struct ActingPaths {
    /// The project's folder from the top of the checkout, with a slash at its end; empty for the top.
    inside: String,
    /// The real paths, from the top, of files that act here, also behind links.
    real: Vec<String>,
    /// The links of the target's commit by which such files are reached, each with the path it leads to.
    links: Vec<(String, String)>,
    /// The folders of plugins, all of which may act; with a slash at their ends.
    plugins: Vec<String>,
    /// The instructions, and the files of plugins, that the user lets land.
    allowed: Vec<String>,
    /// The changed documents of plans of which orders of later runs tell agents, by their paths from the project.
    told_documents: BTreeSet<String>,
}

impl ActingPaths {
    fn of(project: &Project, repo: &Repo, inside: &str, commit: &str) -> Result<Self, Error> {
        let top = repo.checkout().and_then(|top| disk::real(top).ok());
        let from_top = |path: PathBuf| {
            let path = path.strip_prefix(top.as_ref()?).ok()?.to_str()?;
            Some(path.replace('\\', "/")).filter(|path| !path.is_empty())
        };
        let real = project.acting_places().into_iter();
        let all = |_: &str| true;
        let links = repo.links_at(commit, "", &all, &all)?.into_iter();
        let links = links.filter(|(path, _)| place_of(path).is_some() || may_hold(path));
        Ok(Self {
            inside: inside.to_owned(),
            real: real.filter_map(from_top).collect(),
            links: links
                .filter_map(|(path, says)| Some((link_target("", &path, &says)?, path)))
                .map(|(target, path)| (path, target))
                .collect(),
            plugins: Vec::new(),
            allowed: project.snapshot()?.config.clone()?.landing_allow.clone(),
            told_documents: BTreeSet::new(),
        })
    }

    /// Returns the effect of a changed file, and how it is shown; `None` for one that may land.
    fn kind_of(&self, file: &ChangedFile) -> Option<(EntryKind, String)> {
        let path = &*file.path;
        self.own_kind(path).or_else(|| {
            let (kind, may_be_allowed) = match self.table_kind(file) {
                Some(kind) => (kind, kind == EntryKind::Instructions),
                None => (
                    self.plan_kind(path).or_else(|| self.plugin_kind(path))?,
                    true,
                ),
            };
            let is_allowed = may_be_allowed && self.is_allowed(file);
            (!is_allowed).then(|| (kind, path.to_owned()))
        })
    }

    /// Returns the effect of a file of the configuration of a project, this one or another in the repository.
    fn own_kind(&self, path: &str) -> Option<(EntryKind, String)> {
        const SETTINGS: [&str; 3] = [CHANT_CONFIG, CHANT_AGENTS, SPECKIT_CONFIG];
        let own = path.strip_prefix(&self.inside).unwrap_or_default();
        if SETTINGS.contains(&own) {
            return Some((EntryKind::Setting, own.to_owned()));
        }
        if is_at_or_below(own, PROMPTS) || is_at_or_below(PROMPTS, own) {
            return Some((EntryKind::Prompt, own.to_owned()));
        }
        let folded = folded(path);
        let inner = folded.match_indices('/').map(|(at, _)| &folded[at + 1..]);
        let is_one = |rest: &str| {
            let mut places = SETTINGS.into_iter().chain([PROMPTS]);
            places.any(|place| is_at_or_below(rest, place) || is_at_or_below(place, rest))
        };
        let is_some = inner.chain([&*folded]).any(is_one);
        is_some.then(|| (EntryKind::AgentFile, path.to_owned()))
    }

    /// Returns the effect of a document of a plan.
    fn plan_kind(&self, path: &str) -> Option<EntryKind> {
        let is_told = self
            .told_documents
            .contains(path.strip_prefix(&*self.inside)?);
        is_told.then_some(EntryKind::Instructions)
    }

    /// Returns the effect of a file by the table, by the files that act here, and by links that lead to it.
    fn table_kind(&self, file: &ChangedFile) -> Option<EntryKind> {
        let path = &*file.path;
        match place_of(path).map(|place| place.kind) {
            Some(PlaceKind::Nothing) => return None,
            Some(kind) => return Some(entry_kind(kind)),
            None => {}
        }
        // A link or a submodule in place of a folder brings all that is below.
        let leads = |file: &Option<CommittedFile>| {
            let kind = file.as_ref().map(|file| file.kind);
            matches!(kind, Some(FileKind::Link | FileKind::Submodule))
        };
        if (leads(&file.old) || leads(&file.new)) && may_hold(path) {
            return Some(EntryKind::AgentFile);
        }
        if keyed_place(path).is_some() {
            return Some(EntryKind::Automation);
        }
        if self.real.iter().any(|real| is_at_or_below(path, real)) {
            return Some(EntryKind::AgentFile);
        }
        self.links.iter().find_map(|(link, target)| {
            let below = path.strip_prefix(&**target)?;
            let is_inside = below.is_empty() || below.starts_with('/');
            let place = is_inside.then(|| place_of(&format!("{link}{below}")))??;
            (place.kind != PlaceKind::Nothing).then(|| entry_kind(place.kind))
        })
    }

    /// Returns the effect of a file below a folder with the manifest of a plugin.
    fn plugin_kind(&self, path: &str) -> Option<EntryKind> {
        let path = folded(path);
        let mut plugins = self.plugins.iter();
        plugins.find(|folder| path.starts_with(&***folder))?;
        Some(EntryKind::AgentFile)
    }

    /// Returns true if the user's own configuration names a path that lands without a person.
    fn allows(&self, path: &str) -> bool {
        self.allowed
            .iter()
            .any(|pattern| is_named_by(path, pattern))
    }

    /// Returns true if the user lets a plain file land.
    fn is_allowed(&self, file: &ChangedFile) -> bool {
        let mut versions = file.old.iter().chain(&file.new);
        versions.all(|file| file.kind == FileKind::Plain) && self.allows(&file.path)
    }
}

fn entry_kind(kind: PlaceKind) -> EntryKind {
    match kind {
        PlaceKind::Instructions => EntryKind::Instructions,
        PlaceKind::Automation => EntryKind::Automation,
        PlaceKind::AgentFile | PlaceKind::Nothing => EntryKind::AgentFile,
    }
}
