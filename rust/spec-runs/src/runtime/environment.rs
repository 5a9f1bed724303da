//! Gives the folder of a run or of checks what the project's recipes install, and its own ports.
//!
//! A layer is built from the inputs of a commit and nothing else, confined as checks are. One whose inputs a branch
//! changed is built only when a person asks for the work to be judged, and only for that judgement.

use std::path::Path;
use std::time::{Duration, Instant};

use super::rerun::{CheckedCommit, CommitChecks, exit_of};
use super::run_folder::{RunFolder, in_git};
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_base::next_step::NextStep;
use chant_config::Config;
use chant_config::run_environment::{EnvironmentRecipe, RouteUser};
use chant_environment::{
    BuiltFolder, FolderMounts, LayerInputs, LayerPin, LayerStore, LayerTarget, PortSlot,
    RecipeCaches, SealedLayer, changed_inputs, differ_in_versions, place_layer, seal,
};
use chant_git::Repo;
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_work::agent::AgentOutcome;
use chant_work::run_record::{EnvironmentEntry, NetworkEntry};

use super::item_environment::item_environment;
use super::mounted_layers;
use super::own_files::lent_variables;
use crate::project::folders::{self, RECIPE_CACHES, VIEWS};
use crate::project::worktree_folder::remove_beside;

/// The name of the log of recipes that no run asked for.
pub(crate) const BUILD_LOG: &str = "environment";
/// The time between two looks at whether the wait for another build is to end.
const LOCK_TURN: Duration = Duration::from_millis(500);
/// The bytes of layers beyond which those that were used longest ago are removed.
const MAX_BYTES: u64 = 20 * 1024 * 1024 * 1024;
/// Steps that download packages: what these hold is not run, but for scripts of npm's.
const DOWNLOADS: [[&str; 2]; 3] = [["npm", "ci"], ["cargo", "fetch"], ["go", "mod"]];
/// The variable that keeps npm from running scripts of packages.
const NO_SCRIPTS: [&str; 2] = ["npm_config_ignore_scripts", "true"];
/// The lines of a failed step in its error.
const MAX_SHOWN_LINES: usize = 5;

/// The origin of the inputs of a commit.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CommitOrigin<'a> {
    /// They are on the branch that work lands on.
    Landed,
    /// They are those of a branch that began at this commit.
    BranchOf(&'a str),
    /// As before, and a person asked for the judgement of that branch.
    AgreedBranchOf(&'a str),
}

/// The outcomes of setting up an environment.
pub(super) enum SetUpOutcome {
    /// Everything is there.
    Done(SetUpEnvironment),
    /// A person has to look at changed inputs first; the text says which.
    NeedsPerson(String),
}

/// The environment of a folder.
#[derive(Debug, Default)]
pub(super) struct SetUpEnvironment {
    /// The layers, for the record.
    pub entries: Vec<EnvironmentEntry>,
    /// Keep layers that are mounted as long as processes may mount them.
    pub pins: Vec<LayerPin>,
}

/// Sets up the environment of folders.
pub(crate) struct EnvironmentSetUp<'a> {
    /// The means to run commands in a folder of their own.
    pub commands: CommitChecks<'a>,
    /// True if the folder is for the spec alone, which may have a part of the recipes.
    pub is_of_item: bool,
}

impl EnvironmentSetUp<'_> {
    /// Gives a folder whose files are those of a commit the layers of all recipes, as mounts or as copies; builds those
    /// that are missing. `progress` hears what takes long.
    ///
    /// # Errors
    /// The failure of a step, or of the disk.
    pub(super) fn set_up(
        &self,
        place: &RunFolder,
        commit: &str,
        origin: CommitOrigin<'_>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<SetUpOutcome, Error> {
        let mut done = SetUpEnvironment::default();
        let recipes = &self.commands.config.runs.environment.recipes;
        if recipes.is_empty() {
            return Ok(SetUpOutcome::Done(done));
        }
        let mounts = self.mounts_layers()?;
        let CommitChecks {
            project,
            config,
            repo,
            ..
        } = self.commands;
        let mounted_caches = folders::mounted_caches_folder(project, config, repo)?;
        let item = item_environment(self.commands.config, self.commands.spec);
        let item = item.filter(|_| self.is_of_item);
        let chosen = item.and_then(|item| item.recipes.as_ref());
        let recipes = recipes
            .iter()
            .filter(|(name, _)| chosen.is_none_or(|chosen| chosen.contains(name)));
        for (name, recipe) in recipes {
            let found = match self.layer(name, recipe, commit, origin, progress)? {
                LayerSearch::Found(found) => *found,
                LayerSearch::NeedsPerson(why) => return Ok(SetUpOutcome::NeedsPerson(why)),
            };
            let folder = match &recipe.folder {
                Some(inside) => place.root.join(inside),
                None => place.root.clone(),
            };
            let mounts = mounts && !found.is_candidate;
            let pin = found.layer.pin()?;
            let target = LayerTarget {
                folder: &folder,
                views: &folders::sibling_file(&place.worktree, VIEWS),
                copied_caches: &folders::sibling_file(&place.worktree, RECIPE_CACHES).join(name),
                mounted_caches: &mounted_caches.join(name),
                mounts,
            };
            place_layer(&found.layer, name, &target)?;
            if mounts {
                done.pins.push(pin);
            } else {
                drop(pin);
            }
            if found.is_candidate {
                found.layer.remove()?;
            }
            done.entries.push(EnvironmentEntry {
                recipe: name.clone(),
                key: found.key,
                hash: found.layer.facts.hash,
                is_candidate: found.is_candidate,
            });
        }
        Ok(SetUpOutcome::Done(done))
    }

    /// Returns true if the folder gets mounts. Git mounts nothing, so its filters need copies of what they run.
    fn mounts_layers(&self) -> Result<bool, Error> {
        let CommitChecks {
            project,
            config,
            repo,
            ..
        } = self.commands;
        let layers = folders::layers_folder(project, config, repo)?;
        let root = project.path_in_repository(repo, "").unwrap_or_default();
        let installed = config.runs.environment.installed_patterns(&root);
        Ok(mounted_layers::can_mount(project, config, &layers)?
            && !repo.filters_need(&installed)?)
    }

    /// Finds or builds the layer of a recipe, unless a person has to look first.
    ///
    /// # Errors
    /// As [`EnvironmentSetUp::set_up`].
    pub(crate) fn layer(
        &self,
        name: &str,
        recipe: &EnvironmentRecipe,
        commit: &str,
        origin: CommitOrigin<'_>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<LayerSearch, Error> {
        let recipe = NamedRecipe {
            name,
            recipe,
            runs_scripts: !matches!(origin, CommitOrigin::BranchOf(_)),
        };
        let inputs = self.inputs(recipe, commit)?;
        let before = match origin {
            CommitOrigin::Landed => None,
            CommitOrigin::BranchOf(base) | CommitOrigin::AgreedBranchOf(base) => {
                Some(self.inputs(recipe, base)?)
            }
        };
        let changed = before
            .as_ref()
            .map_or_else(Vec::new, |before| changed_inputs(before, &inputs));
        let needs_nobody = || {
            recipe.only_downloads()
                && before
                    .as_ref()
                    .is_some_and(|before| differ_in_versions(before, &inputs))
        };
        if !changed.is_empty() && !recipe.runs_scripts && !needs_nobody() {
            let why = format!(
                "the work changes what recipe '{name}' installs from ({}), which can change what checks see; look at these files, and merge the work by hand: the checks then run with what the branch asks for",
                changed.join(", ")
            );
            return Ok(LayerSearch::NeedsPerson(why));
        }
        let key = self.key(recipe, &inputs)?;
        // After the landing it is built again from what landed.
        let is_candidate = !changed.is_empty();
        let stored_as = if is_candidate {
            LayerStore::candidate_key(&self.commands.record.process_id, &key)
        } else {
            key.clone()
        };
        let wanted = WantedLayer {
            recipe,
            inputs: &inputs,
            key: &stored_as,
            commit,
            is_candidate,
        };
        let (layer, is_new) = self.find_or_build(&wanted, progress)?;
        Ok(LayerSearch::Found(Box::new(FoundLayer {
            layer,
            key,
            is_candidate,
            is_new,
        })))
    }

    fn store(&self) -> Result<LayerStore, Error> {
        let CommitChecks {
            project,
            config,
            repo,
            ..
        } = self.commands;
        Ok(LayerStore::at(&folders::layers_folder(
            project, config, repo,
        )?))
    }

    fn inputs(&self, recipe: NamedRecipe<'_>, commit: &str) -> Result<LayerInputs, Error> {
        let CommitChecks { project, repo, .. } = self.commands;
        let inside = in_git(project, repo, "")?;
        LayerInputs::read(repo, commit, &inside, recipe.name, recipe.recipe)
    }

    /// Returns the key of a layer; asks the recipe's tools for their versions.
    fn key(&self, recipe: NamedRecipe<'_>, inputs: &LayerInputs) -> Result<String, Error> {
        let mut versions = Vec::new();
        if !recipe.recipe.tools.is_empty() {
            let folder = self.commands.open_empty()?;
            for argv in &recipe.recipe.tools {
                let ended = recipe.run(&folder, argv)?;
                let said = ended.as_ref().and_then(AgentOutcome::last_words);
                versions.push(format!("{:?} {said:?}", exit_of(ended.as_ref())));
            }
        }
        Ok(inputs.key(recipe.recipe, &versions, &system()))
    }

    /// Returns a layer, and true if it was built.
    fn find_or_build(
        &self,
        wanted: &WantedLayer<'_>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(SealedLayer, bool), Error> {
        let store = self.store()?;
        if let Some(layer) = store.find(wanted.key) {
            return Ok((layer, false));
        }
        let name = wanted.recipe.name;
        let mut is_told = false;
        let _lock = loop {
            if let Some(lock) = store.lock_within(LOCK_TURN)? {
                break lock;
            }
            if !is_told {
                is_told = true;
                progress(&format!(
                    "Waiting for another process that sets up ({name})"
                ));
            }
            if self.commands.interruption.is_cancelled() {
                let why = "The start was interrupted; nothing was set up";
                return Err(ChantError::Refused(why.into()).into());
            }
        };
        // The process that had the lock may have built it.
        if let Some(layer) = store.find(wanted.key) {
            return Ok((layer, false));
        }
        store.sweep()?;
        let usual = store.all().into_iter().find(|one| one.facts.recipe == name);
        let usual = usual.map(|one| format!(", usually {} s", one.facts.took_ms.div_ceil(1000)));
        progress(&format!("Setting up ({name}{})", usual.unwrap_or_default()));
        let layer = self.build(&store, wanted)?;
        remove_oldest(&store, &layer).log_failure("remove old layers");
        Ok((layer, true))
    }

    fn build(&self, store: &LayerStore, wanted: &WantedLayer<'_>) -> Result<SealedLayer, Error> {
        let recipe = wanted.recipe.recipe;
        let mut folder = self.commands.open_empty()?;
        if wanted.is_candidate {
            folder.withhold_secrets();
        }
        if let Some(inside) = &recipe.folder {
            folder.enter(inside)?;
        }
        wanted.inputs.write(&folder.place().root, recipe)?;
        folder.hold_namespaces(RouteUser::Setup)?;
        let begun = Instant::now();
        for argv in &recipe.steps {
            let ended = wanted.recipe.run(&folder, argv)?;
            let exit = exit_of(ended.as_ref());
            if exit != Some(0) {
                let network = folder.traffic();
                return Err(self.failed(wanted.recipe.name, argv, ended.as_ref(), network));
            }
        }
        // Caches hold second names of what was installed.
        remove_beside(&folder.place().worktree);
        let built = BuiltFolder {
            name: wanted.recipe.name,
            recipe,
            inputs: wanted.inputs,
            folder: &folder.place().root,
            key: wanted.key,
            commit: wanted.commit,
            ended_at: self.commands.project.clock.stamp(),
            took_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        Ok(seal(store, &built)?)
    }

    fn failed(
        &self,
        name: &str,
        argv: &[String],
        ended: Option<&AgentOutcome>,
        network: Option<NetworkEntry>,
    ) -> Error {
        let how = match ended {
            Some(ended) => match ended.exit_code {
                Some(code) => format!("ended with exit code {code}"),
                None => ended.to_string(),
            },
            None => "could not be started".to_owned(),
        };
        let mut message = format!("Recipe '{name}' failed: `{}` {how}", argv.join(" "));
        let tail = ended.map(AgentOutcome::failing_words).unwrap_or_default();
        for line in &tail[tail.len().saturating_sub(MAX_SHOWN_LINES)..] {
            message.push_str(&format!("\n  {line}"));
        }
        let closed = ended.and_then(|ended| ended.refused.clone());
        let refused = network.as_ref().and_then(NetworkEntry::refusal);
        for sentence in closed.into_iter().chain(refused) {
            message.push_str(&format!("\n{sentence}."));
        }
        // The runner's words reach the caller of the start as one text.
        let bare = NextStep::Bare.words(self.commands.project.door);
        let spec = self.commands.spec.id.as_str();
        let log = if spec == BUILD_LOG {
            NextStep::ReadBuildLog.words(self.commands.project.door)
        } else {
            format!("The log of '{spec}'")
        };
        message.push_str(&format!(
            "\n{log} has its whole output. Correct the recipe, or start without it by {bare}."
        ));
        ChantError::Refused(message).into()
    }
}

/// Copies the layers that a folder mounts into it: the person or program that gets it mounts nothing.
///
/// # Errors
/// A failure of the disk.
pub(crate) fn copy_mounted_layers(
    project: &Project,
    repo: &Repo,
    worktree: &Path,
) -> Result<(), Error> {
    let views = folders::sibling_file(worktree, VIEWS);
    let config = project.snapshot()?.config?;
    let layers = LayerStore::at(&folders::layers_folder(project, &config, repo)?);
    Ok(FolderMounts::replace_by_copies(&views, &|key| {
        layers.find(key)
    })?)
}

/// A recipe with its name.
#[derive(Clone, Copy)]
struct NamedRecipe<'a> {
    name: &'a str,
    recipe: &'a EnvironmentRecipe,
    /// False where nobody has looked at its inputs.
    runs_scripts: bool,
}

impl NamedRecipe<'_> {
    /// Returns true if its steps are known to run no code of what they install, where scripts are switched off.
    fn only_downloads(self) -> bool {
        let mut steps = self.recipe.steps.iter();
        steps.all(|step| {
            let words = step.first().zip(step.get(1));
            words.is_some_and(|(program, act)| DOWNLOADS.contains(&[program, act]))
        })
    }

    /// Runs one of its commands; `None` if it cannot be started.
    fn run(
        self,
        folder: &CheckedCommit<'_>,
        argv: &[String],
    ) -> Result<Option<AgentOutcome>, Error> {
        let caches = RecipeCaches {
            recipe: self.recipe,
            folder: &folder.place().root,
        };
        caches.make()?;
        let mut variables = caches.variables();
        if !self.runs_scripts {
            variables.push(NO_SCRIPTS.map(str::to_owned).into());
        }
        // It says why a program is not started.
        let mut line = vec!["env".to_owned()];
        line.extend(variables.into_iter().map(|(key, set)| key + "=" + &set));
        line.extend(argv.iter().cloned());
        folder.check(&format!("({})", self.name), &line)
    }
}

/// A layer that is to be found or built.
struct WantedLayer<'a> {
    recipe: NamedRecipe<'a>,
    inputs: &'a LayerInputs,
    key: &'a str,
    commit: &'a str,
    /// True if it is for one judgement alone.
    is_candidate: bool,
}

/// The result of the search for a layer.
pub(crate) enum LayerSearch {
    /// It is there, or was built.
    Found(Box<FoundLayer>),
    /// A person has to look first, for this reason.
    NeedsPerson(String),
}

/// A layer for a folder.
pub(crate) struct FoundLayer {
    /// The layer.
    pub layer: SealedLayer,
    /// Its key, whatever it is stored as.
    key: String,
    is_candidate: bool,
    /// True if it was built now.
    pub is_new: bool,
}

/// Removes the layers that were used longest ago, as long as all together are too large.
fn remove_oldest(store: &LayerStore, newest: &SealedLayer) -> Result<(), Error> {
    let mut bytes = 0;
    for layer in store.all() {
        bytes += layer.facts.bytes;
        if bytes > MAX_BYTES && layer.facts.key != newest.facts.key {
            layer.remove()?;
        }
    }
    Ok(())
}

/// Tells one system from another: programs built on one need not run on the other.
fn system() -> String {
    let release = chant_store::disk::read_made_up("/etc/os-release").unwrap_or_default();
    let named = |key: &str| {
        let line = release.lines().find(|line| line.starts_with(key));
        line.unwrap_or_default().to_owned()
    };
    let platform = chant_environment::platform();
    format!("{platform} {} {}", named("ID="), named("VERSION_ID="))
}

/// The ports of a run or a check, for as long as this is held, and the variables that it gets.
pub(super) struct OwnPorts {
    /// The ports, by name.
    pub ports: Vec<(String, u16)>,
    /// The variables that name them, those of the configuration, and those that the user lends.
    pub variables: Vec<(String, String)>,
    /// The number of these that the user does not lend.
    public: usize,
    _slot: Option<PortSlot>,
}

impl OwnPorts {
    /// Takes a port for each name of the configuration. The variables have those that the user lends by `secrets`, too.
    ///
    /// # Errors
    /// `NoPorts`, or a failure of the disk.
    pub(super) fn take(
        project: &Project,
        config: &Config,
        secrets: &[String],
    ) -> Result<Self, Error> {
        let own = &config.runs.environment;
        let slot = if own.ports.is_empty() {
            None
        } else {
            Some(PortSlot::take(&folders::ports_folder(project)?)?)
        };
        let numbered = own.ports.iter().enumerate();
        let ports: Vec<(String, u16)> = match &slot {
            Some(slot) => numbered
                .map(|(number, name)| (name.clone(), slot.port(number)))
                .collect(),
            None => Vec::new(),
        };
        let mut variables = Vec::new();
        if let Some((_, first)) = ports.first() {
            variables.push(("CHANT_PORT".to_owned(), first.to_string()));
        }
        for (name, port) in &ports {
            let name = name.to_ascii_uppercase().replace('-', "_");
            variables.push((format!("CHANT_PORT_{name}"), port.to_string()));
        }
        for (name, value) in &own.variables {
            variables.push((name.clone(), with_ports(value, &ports)));
        }
        let public = variables.len();
        variables.extend(lent_variables(project, secrets));
        Ok(Self {
            ports,
            variables,
            public,
            _slot: slot,
        })
    }

    /// Returns the variables that the user does not lend.
    pub(super) fn public_variables(&self) -> &[(String, String)] {
        &self.variables[..self.public]
    }
}

/// Returns a text with numbers in place of the names of ports.
pub(super) fn with_ports(text: &str, ports: &[(String, u16)]) -> String {
    ports.iter().fold(text.to_owned(), |text, (port, number)| {
        text.replace(&format!("{{port.{port}}}"), &number.to_string())
    })
}

/// Returns the layers of a folder, for people.
pub(super) fn named_layers(entries: &[EnvironmentEntry]) -> String {
    let named = entries.iter().map(|one| {
        let candidate = if one.is_candidate { " (candidate)" } else { "" };
        format!(
            "{}@{}{candidate}",
            one.recipe,
            &one.key[..12.min(one.key.len())]
        )
    });
    named.collect::<Vec<_>>().join(", ")
}
