//! What recipes install in the folders of runs and checks: shown, built in advance, compared, and removed.

use super::ConfinedCommand;
use crate::project::ProjectRuns;
use crate::project::folders;
use crate::project::run_tree::RunTreeContext;
use crate::runtime::environment::{BUILD_LOG, CommitOrigin, EnvironmentSetUp, LayerSearch};
use crate::runtime::mounted_layers;
use crate::runtime::rerun::CommitChecks;
use crate::runtime::run_network::RunNetwork;
use crate::view::environment::{
    LayerView, RecipeView, RunEnvironmentView, RunPortView, RunPortsView,
};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_base::next_step::{NextStep, hint};
use chant_config::Config;
use chant_environment::LayerStore;
use chant_git::Repo;
use chant_specs::error::ChantError;
use chant_specs::parse;
use chant_specs::project::Project;
use chant_store::index::FileSource;
use chant_work::cancel_token::CancelToken;
use chant_work::process::ProcessIdentity;
use chant_work::run_record::{RunRecord, SINGLE};
use chant_work::state::RunState;

/// Shows the recipes of a project and their layers.
///
/// # Errors
/// That the configuration cannot be read, or that there is no repository.
pub fn environment_show(project: &Project) -> Result<Answer, Error> {
    let config = project.snapshot()?.config.clone()?;
    let repo = project.repository()?;
    let store = store(project, &config, &repo)?;
    let layers = store.all();
    let own = &config.runs.environment;
    let recipes = own.recipes.iter().map(|(name, recipe)| RecipeView {
        name: name.clone(),
        folder: recipe.folder.clone().unwrap_or_default(),
        steps: recipe.steps.iter().map(|argv| argv.join(" ")).collect(),
        outputs: recipe.outputs.clone(),
        caches: recipe.caches.clone(),
        layers: layers
            .iter()
            .filter(|one| one.facts.recipe == *name)
            .count(),
    });
    let view = if mounted_layers::can_mount(project, &config, store.folder())? {
        "mounted"
    } else {
        "copied"
    };
    Ok(Answer::data(&RunEnvironmentView {
        view,
        recipes: recipes.collect(),
        layers: layers.iter().map(LayerView::of).collect(),
        ports: own.ports.clone(),
        services: own.services.keys().cloned().collect(),
        variables: own.variables.keys().cloned().collect(),
    }))
}

/// Builds the layers that runs from the present branch need; one recipe's, or all. `progress` hears what takes long.
///
/// # Errors
/// `NotTrusted`, an unknown recipe, or the failure of a step.
pub fn environment_build(
    project: &Project,
    recipe: Option<&str>,
    progress: &mut dyn FnMut(&str),
) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    project.refuse_untrusted_snapshot(&snapshot)?;
    let config = snapshot.config.clone()?;
    let recipes = &config.runs.environment.recipes;
    if let Some(name) = recipe.filter(|name| !recipes.contains_key(*name)) {
        let names: Vec<&str> = recipes.keys().map(String::as_str).collect();
        let message = format!(
            "There is no recipe '{name}' in .chant/config.md (`environment.recipes`); it has: {}",
            if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            }
        );
        return Err(ChantError::Refused(message).into());
    }
    let lines = with_commands(project, &config, &mut |commands, commit| {
        built(commands, commit, recipe, progress)
    })?;
    if lines.is_empty() {
        let propose = NextStep::ProposeRecipes.words(project.door);
        return Ok(Answer::prose(format!(
            "There are no recipes. {propose} shows those that fit this project."
        )));
    }
    Ok(Answer::prose(lines.join("\n")))
}

/// Builds the layers of recipes; returns a line for each.
fn built(
    commands: CommitChecks<'_>,
    commit: &str,
    recipe: Option<&str>,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<String>, Error> {
    let set_up = EnvironmentSetUp {
        commands,
        is_of_item: false,
    };
    let mut lines = Vec::new();
    for (name, one) in &commands.config.runs.environment.recipes {
        if recipe.is_some_and(|asked| asked != name) {
            continue;
        }
        let found = set_up.layer(name, one, commit, CommitOrigin::Landed, progress)?;
        let found = match found {
            LayerSearch::Found(found) => found,
            LayerSearch::NeedsPerson(why) => return Err(ChantError::Refused(why).into()),
        };
        let facts = &found.layer.facts;
        let how = if found.is_new {
            format!("built in {} s", facts.took_ms.div_ceil(1000))
        } else {
            "there already".to_owned()
        };
        lines.push(format!(
            "{name}: {how} ({}, {} files, {} MB)",
            found.layer.short_key(),
            facts.files,
            facts.bytes.div_ceil(1_000_000)
        ));
        for path in facts.programs_with_path.iter().take(3) {
            lines.push(format!(
                "  {path} is no text and holds the path of the folder it was built in"
            ));
        }
    }
    Ok(lines)
}

/// Gives the means to run commands on the commit that a run from the present branch would start from. No spec asks for
/// them.
fn with_commands<T>(
    project: &Project,
    config: &Config,
    act: &mut dyn FnMut(CommitChecks<'_>, &str) -> Result<T, Error>,
) -> Result<T, Error> {
    let repo = project.repository()?;
    let _act = repo.begin_act();
    let context = RunTreeContext {
        project,
        config,
        repo: &repo,
    };
    let commit = repo.tip_for_work(&context.base_branch(None)?)?;
    let runs = project.runs()?;
    let record = RunRecord::new(BUILD_LOG, SINGLE, ProcessIdentity::own(), (runs.clock)());
    let interruption = CancelToken::listening()?;
    let text = "---\ntype: code\nstatus: pending\n---\n# Environment\n";
    let path = format!("{}/{BUILD_LOG}.md", chant_specs::project::SPECS);
    let spec = parse::document(&path, FileSource::Text(text.to_owned()))
        .map_err(|broken| Error::from(ChantError::unreadable(&broken)))?;
    let commands = CommitChecks {
        project,
        repo: &repo,
        config,
        spec: &spec,
        record: &record,
        interruption: &interruption,
    };
    act(commands, &commit)
}

/// Has `run` start a command in the environment that an agent would have, and returns its exit code. `progress` hears what
/// takes long.
///
/// # Errors
/// `NotTrusted`, the failure of a recipe or a service, the reason why it cannot be confined, or that of `run`.
pub fn environment_enter(
    project: &Project,
    argv: &[String],
    progress: &mut dyn FnMut(&str),
    run: &mut dyn FnMut(ConfinedCommand) -> Result<i32, Error>,
) -> Result<i32, Error> {
    let snapshot = project.snapshot()?;
    project.refuse_untrusted_snapshot(&snapshot)?;
    let config = snapshot.config.clone()?;
    with_commands(project, &config, &mut |commands, commit| {
        commands.enter(commit, argv, progress, run)
    })
}

/// Returns the record of the run that works on a spec.
fn running(project: &Project, id: &str) -> Result<RunRecord, Error> {
    let snapshot = project.snapshot()?;
    let spec = project.resolve(&snapshot, id)?;
    let record = project.runs()?.newest_of(spec.id.as_str())?;
    let running =
        record.filter(|record| record.state() == RunState::Running && record.runner().is_alive());
    running.ok_or_else(|| {
        let why = format!(
            "No run works on '{}' now, so there is nothing to see",
            spec.id
        );
        ChantError::Refused(why).into()
    })
}

/// Finds the loopback that the processes of the run see which works on a spec.
///
/// # Errors
/// That the spec is unknown, or that no run works on it.
pub fn environment_network(project: &Project, id: &str) -> Result<RunNetwork, Error> {
    RunNetwork::of(project, &running(project, id)?)
}

/// Shows the ports of the run that works on a spec, and whether something listens there.
///
/// # Errors
/// That the spec is unknown, or that no run with ports works on it.
pub fn environment_ports(project: &Project, id: &str) -> Result<Answer, Error> {
    let record = running(project, id)?;
    if record.ports.is_empty() {
        let why = format!(
            "The run of '{}' has no ports. Name them in .chant/config.md (`environment.ports`); the next run has them",
            record.spec_id
        );
        return Err(ChantError::Refused(why).into());
    }
    let network = RunNetwork::of(project, &record)?;
    let ports = record.ports.iter().map(|(name, port)| RunPortView {
        name: name.clone(),
        port: *port,
        is_listening: network.connect(*port).is_ok(),
    });
    Ok(Answer::data(&RunPortsView {
        spec_id: record.spec_id.clone(),
        process_id: record.process_id.clone(),
        ports: ports.collect(),
    }))
}

/// Compares all layers with what they were when they were sealed.
///
/// # Errors
/// As [`environment_show`], or that layers differ.
pub fn environment_verify(project: &Project) -> Result<Answer, Error> {
    let config = project.snapshot()?.config.clone()?;
    let repo = project.repository()?;
    let mut lines = Vec::new();
    let mut differs = false;
    for layer in store(project, &config, &repo)?.all() {
        let paths = layer.differences()?;
        let name = format!("{} {}", layer.facts.recipe, layer.short_key());
        if paths.is_empty() {
            lines.push(format!("{name}: as it was sealed"));
        } else {
            differs = true;
            lines.push(format!("{name}: changed: {}", paths.join(", ")));
        }
    }
    if differs {
        let hint = hint!["\nRemove them with ", NextStep::PruneLayers, "."];
        return Err(ChantError::Refused(lines.join("\n")).advise(hint).into());
    }
    if lines.is_empty() {
        lines.push("There are no layers.".into());
    }
    Ok(Answer::prose(lines.join("\n")))
}

/// Returns what the steps of recipes wrote that were built in advance.
///
/// # Errors
/// That the state folder cannot be found.
pub fn environment_log(project: &Project) -> Result<Answer, Error> {
    let text = project.own_log_text(BUILD_LOG);
    Ok(Answer::prose(if text.is_empty() {
        "No recipe was built in advance here; the log of a spec has what its run built.".to_owned()
    } else {
        text
    }))
}

/// Removes layers: all but the newest of each recipe, or all.
///
/// # Errors
/// As [`environment_show`], or a failure of the disk.
pub fn environment_prune(project: &Project, is_all: bool) -> Result<Answer, Error> {
    project.refuse_untrusted("env prune")?;
    let config = project.snapshot()?.config.clone()?;
    let repo = project.repository()?;
    let mut kept: Vec<String> = Vec::new();
    let (mut count, mut bytes, mut used) = (0_usize, 0_u64, 0_usize);
    for layer in store(project, &config, &repo)?.all() {
        let recipe = &layer.facts.recipe;
        let is_used = config.runs.environment.recipes.contains_key(recipe);
        if !is_all && is_used && !kept.contains(recipe) {
            kept.push(recipe.clone());
            continue;
        }
        if layer.remove()? {
            count += 1;
            bytes += layer.facts.bytes;
        } else {
            used += 1;
        }
    }
    let megabytes = bytes.div_ceil(1_000_000);
    let mut said = match count {
        0 => "Nothing to remove.".to_owned(),
        1 => format!("Removed 1 layer, {megabytes} MB."),
        count => format!("Removed {count} layers, {megabytes} MB."),
    };
    if used > 0 {
        let layers = if used == 1 { "layer" } else { "layers" };
        said.push_str(&format!(" {used} {layers} stayed: runs use them."));
    }
    Ok(Answer::prose(said))
}

fn store(project: &Project, config: &Config, repo: &Repo) -> Result<LayerStore, Error> {
    Ok(LayerStore::at(&folders::layers_folder(
        project, config, repo,
    )?))
}
