//! The environment of runs and checks: what their folders hold beside the files of a commit.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use serde::Deserialize;

/// The greatest number of ports of a run.
const MAX_PORTS: usize = 10;

/// The environment of runs and checks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct RunEnvironmentSettings {
    /// The recipes by which dependencies are installed, by name.
    pub recipes: BTreeMap<String, EnvironmentRecipe>,
    /// The names of ports that each run and each check has for itself.
    pub ports: Vec<String>,
    /// Variables of agents and checks; `{port.NAME}` stands for a port.
    pub variables: BTreeMap<String, String>,
    /// Programs that work beside each agent and beside the checks, by name.
    pub services: BTreeMap<String, ServiceSettings>,
    /// The parts of it that items have which fit; the first entry that fits counts, and all others have everything.
    pub items: Vec<ItemEnvironment>,
    /// Files that git ignores and agents get a copy of: by project folder, paths or patterns from there. Only the user's
    /// own configuration gives any.
    pub files: BTreeMap<String, Vec<String>>,
    /// Names of variables with secrets; only the user's own configuration gives any.
    pub secrets: SecretVariables,
    /// Addresses that are reached with a credential which no process of a run sees, by name; only the user's own
    /// configuration gives any.
    pub routes: BTreeMap<String, NetworkRoute>,
}

/// An address that is reached with a credential.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct NetworkRoute {
    /// The address that paths are added to: `https://…`.
    pub to: String,
    /// Where the credential comes from.
    pub secret: RouteSecret,
    /// The header that carries it; `authorization` if it is absent.
    pub header: Option<String>,
    /// The value of that header, with `{secret}` in it; `Bearer {secret}` if both are absent, else `{secret}`.
    pub value: Option<String>,
    /// The methods that may be used; all if there is none.
    pub methods: Vec<String>,
    /// The starts of the paths that may be asked for; all if there is none.
    pub paths: Vec<String>,
    /// The processes that it is for; agents if there is none.
    #[serde(rename = "for")]
    pub users: Vec<RouteUser>,
    /// Variables of these processes; `{route}` stands for the address by which they reach it.
    pub variables: BTreeMap<String, String>,
}

/// Where a credential comes from: one of the two.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct RouteSecret {
    /// The name of a variable.
    pub variable: Option<String>,
    /// A file.
    pub file: Option<String>,
}

/// The processes that routes are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RouteUser {
    /// Agents, and services beside them.
    Agents,
    /// Checks, and services beside them.
    Checks,
    /// Steps of recipes.
    Setup,
}

impl NetworkRoute {
    /// Returns true if it is for some processes.
    pub fn is_for(&self, user: RouteUser) -> bool {
        if self.users.is_empty() {
            user == RouteUser::Agents
        } else {
            self.users.contains(&user)
        }
    }

    /// Returns the header that carries the credential.
    pub fn header_name(&self) -> &str {
        self.header.as_deref().unwrap_or("authorization")
    }

    /// Returns the value of that header.
    pub fn header_value(&self, secret: &str) -> String {
        let usual = match self.header {
            None => "Bearer {secret}",
            Some(_) => "{secret}",
        };
        let value = self.value.as_deref().unwrap_or(usual);
        value.replace("{secret}", secret)
    }

    fn fault(&self) -> Option<String> {
        let is_address = self.to.starts_with("https://") || self.to.starts_with("http://");
        if !is_address || self.to.contains(['?', '#', '@', ' ']) {
            return Some("`to`: expected an address such as `https://api.example.com`".into());
        }
        if self.secret.variable.is_some() == self.secret.file.is_some() {
            return Some("`secret`: expected one of `variable` and `file`".into());
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if self.header_name().is_empty() || !self.header_name().chars().all(is_word) {
            return Some("`header`: expected the name of a header".into());
        }
        let wrong = self.paths.iter().find(|path| !path.starts_with('/'));
        wrong.map(|path| format!("`paths`: expected paths from `/`, got `{path}`"))
    }
}

/// The names of variables with secrets, by the processes that get them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct SecretVariables {
    /// Those of the steps of recipes.
    pub setup: Vec<String>,
    /// Those of agents.
    pub agents: Vec<String>,
    /// Those of checks.
    pub checks: Vec<String>,
    /// Those of services.
    pub services: Vec<String>,
}

impl SecretVariables {
    /// Returns all names.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        [&self.setup, &self.agents, &self.checks, &self.services]
            .into_iter()
            .flatten()
    }
}

impl RunEnvironmentSettings {
    /// Returns what all recipes make, as patterns of git for a project whose root is at `root` in its checkout.
    pub fn installed_patterns(&self, root: &str) -> Vec<String> {
        let outputs = self.recipes.values().flat_map(|recipe| {
            let folder = recipe.folder.as_deref().unwrap_or_default();
            recipe.outputs.iter().map(move |output| [folder, output])
        });
        let pattern = |[folder, output]: [&str; 2]| {
            let parts = [root, folder, output].map(|part| part.trim_matches('/'));
            let path: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            format!("/{}", path.join("/"))
        };
        outputs.map(pattern).collect()
    }
}

/// The part of the environment that some items have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct ItemEnvironment {
    /// The items.
    #[serde(rename = "match")]
    pub items: ItemMatch,
    /// The folder that their agents start in, from the project's root.
    pub folder: Option<String>,
    /// The recipes; all if it is absent.
    pub recipes: Option<Vec<String>>,
    /// The services; all if it is absent.
    pub services: Option<Vec<String>>,
}

/// The items that have a part of the environment: one of the labels, and a target file below one of the folders.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct ItemMatch {
    /// The labels; any if there is none.
    pub labels: Vec<String>,
    /// The folders, from the project's root; any if there is none.
    pub folders: Vec<String>,
}

impl ItemMatch {
    fn fits(&self, labels: &[&str], files: &[&str]) -> bool {
        let has_label = self
            .labels
            .iter()
            .any(|label| labels.contains(&label.as_str()));
        let is_below = |folder: &String| {
            let folder = Path::new(folder);
            files.iter().any(|file| Path::new(file).starts_with(folder))
        };
        (self.labels.is_empty() || has_label)
            && (self.folders.is_empty() || self.folders.iter().any(is_below))
    }
}

impl RunEnvironmentSettings {
    /// Returns the part that an item has, by its labels and its target files; `None` if it has everything.
    pub fn of_item(&self, labels: &[&str], files: &[&str]) -> Option<&ItemEnvironment> {
        self.items.iter().find(|one| one.items.fits(labels, files))
    }

    /// Returns the first fault of the parts of items.
    fn fault_of_items(&self) -> Option<String> {
        for (index, item) in self.items.iter().enumerate() {
            let mut folders = item.items.folders.iter().chain(&item.folder);
            let wrong = folders.find(|folder| !is_inside(folder));
            if let Some(folder) = wrong {
                return Some(format!(
                    "environment.items[{index}]: expected a path inside the project, got `{folder}`"
                ));
            }
            let lists = [
                (&item.recipes, self.recipes.keys().collect::<Vec<_>>()),
                (&item.services, self.services.keys().collect()),
            ];
            for (named, known) in lists {
                let unknown = named.iter().flatten().find(|name| !known.contains(name));
                if let Some(name) = unknown {
                    return Some(format!(
                        "environment.items[{index}]: there is no recipe or service `{name}`"
                    ));
                }
            }
        }
        None
    }
}

/// A program that works beside each agent and beside the checks. `{port.NAME}` stands for a port, and `{data}` for a folder
/// of its own, which is empty when it starts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct ServiceSettings {
    /// The folder that it starts in, from the project's root; the root if it is absent.
    #[serde(rename = "in")]
    pub folder: Option<String>,
    /// The commands that run before it, one after the other: those that make its data.
    pub before: Vec<Vec<String>>,
    /// The program with its arguments.
    pub start: Vec<String>,
    /// The sign that it is ready.
    pub ready: ServiceReadiness,
    /// The command that asks it to end; it gets a signal if that is absent.
    pub stop: Vec<String>,
    /// Variables of its own.
    pub variables: BTreeMap<String, String>,
}

/// The sign that a service is ready: at most one of the first three.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct ServiceReadiness {
    /// The name of a port that it listens on.
    pub tcp: Option<String>,
    /// The name of a port, and a path, that answers over HTTP with success: `web/health`.
    pub http: Option<String>,
    /// A command that succeeds.
    pub command: Vec<String>,
    /// The greatest number of seconds until then.
    pub seconds: Option<u64>,
}

impl ServiceReadiness {
    /// Returns the name of the port and the path that have to answer over HTTP.
    pub fn http_address(&self) -> Option<(&str, &str)> {
        let http = self.http.as_deref()?;
        Some(http.split_once('/').unwrap_or((http, "")))
    }
}

impl ServiceSettings {
    /// Returns the first fault; `ports` are the names of ports.
    fn fault(&self, ports: &[String]) -> Option<String> {
        let is_command = |argv: &Vec<String>| argv.first().is_some_and(|name| !name.is_empty());
        if !is_command(&self.start) || !self.before.iter().all(is_command) {
            return Some("`start`: expected a program and its arguments".into());
        }
        if let Some(folder) = self.folder.as_ref().filter(|folder| !is_inside(folder)) {
            return Some(format!(
                "`in`: expected a path inside the project, got `{folder}`"
            ));
        }
        let ready = &self.ready;
        let signs = [
            ready.tcp.is_some(),
            ready.http.is_some(),
            is_command(&ready.command),
        ];
        if signs.into_iter().filter(|is_given| *is_given).count() > 1 {
            return Some("`ready`: expected one of `tcp`, `http` and `command`".into());
        }
        let named = ready
            .tcp
            .as_deref()
            .or(ready.http_address().map(|(port, _)| port));
        if let Some(port) = named.filter(|port| !ports.iter().any(|one| one == port)) {
            return Some(format!("`ready`: `{port}` is none of `environment.ports`"));
        }
        let commands = self
            .before
            .iter()
            .flatten()
            .chain(&self.start)
            .chain(&self.stop);
        let mut texts = commands
            .chain(&ready.command)
            .chain(self.variables.values());
        let port = texts.find_map(|text| unknown_name(text, "{port.", ports))?;
        Some(format!("`{{port.{port}}}` is none of `environment.ports`"))
    }
}

/// A recipe: steps that make folders from some files of a commit, and from nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub struct EnvironmentRecipe {
    /// The folder of the steps, from the project's root; the root if it is absent. All paths start there.
    #[serde(rename = "in")]
    pub folder: Option<String>,
    /// The files that the steps see, as patterns.
    pub inputs: Vec<String>,
    /// Empty files that stand in for sources.
    pub stand_ins: Vec<String>,
    /// The steps: a program with its arguments each.
    pub steps: Vec<Vec<String>>,
    /// The folders and files that the steps make, as patterns.
    pub outputs: Vec<String>,
    /// Folders outside of the project that the steps fill and runs go on using: `{cache.NAME}` stands for one in
    /// variables, which runs and checks then have, too.
    pub caches: Vec<String>,
    /// Commands whose output tells the versions of tools.
    pub tools: Vec<Vec<String>>,
    /// Variables of the steps.
    pub variables: BTreeMap<String, String>,
}

impl RunEnvironmentSettings {
    /// Takes over the block of a file, if it has one. What lends something of the user's counts only in their own file.
    pub(super) fn take(&mut self, block: Option<Self>, is_users: bool) -> Result<(), String> {
        let Some(mut block) = block else {
            return Ok(());
        };
        if !is_users {
            block.files = std::mem::take(&mut self.files);
            block.secrets = std::mem::take(&mut self.secrets);
            block.routes = std::mem::take(&mut self.routes);
        }
        block.fault().map_or(Ok(()), Err)?;
        *self = block;
        Ok(())
    }

    /// Returns the first fault.
    fn fault(&self) -> Option<String> {
        for (name, recipe) in &self.recipes {
            let why = if is_plain_name(name) {
                recipe.fault()
            } else {
                Some("expected a name of letters, digits, `-` and `_`".into())
            };
            if let Some(why) = why {
                return Some(format!("environment.recipes.{name}: {why}"));
            }
        }
        if self.ports.len() > MAX_PORTS {
            return Some(format!(
                "environment.ports: expected at most {MAX_PORTS}, got {}",
                self.ports.len()
            ));
        }
        for (name, service) in &self.services {
            let why = if is_plain_name(name) {
                service.fault(&self.ports)
            } else {
                Some("expected a name of letters, digits, `-` and `_`".into())
            };
            if let Some(why) = why {
                return Some(format!("environment.services.{name}: {why}"));
            }
        }
        let wrong = self.ports.iter().find(|name| !is_plain_name(name));
        if let Some(name) = wrong {
            return Some(format!(
                "environment.ports: expected names of letters, digits, `-` and `_`, got `{name}`"
            ));
        }
        if let Some(fault) = self.fault_of_items() {
            return Some(fault);
        }
        for (name, route) in &self.routes {
            let why = if is_plain_name(name) {
                route.fault()
            } else {
                Some("expected a name of letters, digits, `-` and `_`".into())
            };
            if let Some(why) = why {
                return Some(format!("environment.routes.{name}: {why}"));
            }
        }
        for (folder, paths) in &self.files {
            let is_absolute = folder.starts_with('/') || folder.starts_with("~/");
            if !is_absolute {
                return Some(format!(
                    "environment.files: expected folders of projects, `/…` or `~/…`, got `{folder}`"
                ));
            }
            if let Some(path) = paths.iter().find(|path| !is_inside(path)) {
                return Some(format!(
                    "environment.files: expected paths inside `{folder}`, got `{path}`"
                ));
            }
        }
        let wrong = self
            .variables
            .iter()
            .find_map(|(name, value)| Some((name, unknown_name(value, "{port.", &self.ports)?)));
        wrong.map(|(name, port)| {
            format!(
                "environment.variables.{name}: `{{port.{port}}}` is none of `environment.ports`"
            )
        })
    }
}

impl EnvironmentRecipe {
    fn fault(&self) -> Option<String> {
        let is_command = |argv: &Vec<String>| argv.first().is_some_and(|name| !name.is_empty());
        if self.steps.is_empty() || !self.steps.iter().all(is_command) {
            return Some("`steps`: expected lists of a program and its arguments".into());
        }
        if !self.tools.iter().all(is_command) {
            return Some("`tools`: expected lists of a program and its arguments".into());
        }
        if self.inputs.is_empty() {
            return Some("`inputs`: expected the files that the steps see".into());
        }
        if self.outputs.is_empty() && self.caches.is_empty() {
            return Some("`outputs` or `caches`: expected what the steps make".into());
        }
        if let Some(name) = self.caches.iter().find(|name| !is_plain_name(name)) {
            return Some(format!(
                "`caches`: expected names of letters, digits, `-` and `_`, got `{name}`"
            ));
        }
        let unknown = self
            .variables
            .iter()
            .find_map(|(name, value)| Some((name, unknown_name(value, "{cache.", &self.caches)?)));
        if let Some((name, cache)) = unknown {
            return Some(format!(
                "`variables`: `{{cache.{cache}}}` of `{name}` is none of `caches`"
            ));
        }
        let paths = [&self.inputs, &self.stand_ins, &self.outputs]
            .into_iter()
            .flatten();
        let mut paths = paths.chain(&self.folder);
        let wrong = paths.find(|path| !is_inside(path));
        wrong.map(|path| format!("expected paths inside the project, got `{path}`"))
    }
}

fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    !path.is_empty()
        && parts.all(
            |part| matches!(part, Component::Normal(name) if !name.eq_ignore_ascii_case(".git")),
        )
}

fn is_plain_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && name.len() <= 40 && name.chars().all(is_plain)
}

/// Returns the first name behind `start` and before `}` in a value that is not known.
fn unknown_name<'a>(value: &'a str, start: &str, known: &[String]) -> Option<&'a str> {
    let mut parts = value.split(start).skip(1);
    parts.find_map(|part| {
        let (name, _) = part.split_once('}')?;
        (!known.iter().any(|one| one == name)).then_some(name)
    })
}
