//! Work of other places brought into the specs of a workspace: what lies at a path, and who reads it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Workspace;
use super::csv_table;
use super::error::WorkspaceError;
use super::formats;
use super::key::normal;
use super::plan_import;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_specs::import::{
    ImportCandidate, ImportMode, ImportReading, ImportSource, STATE, beads, bring_in, github,
    specs, table, taskmaster, taskwarrior,
};
use chant_specs::model::SpecStatus;
use chant_store::disk::{self, Disk};
use chant_vine::document::VineDocument;
use chant_vine::model::{NodeContent, TaskStatus, VineNode};

/// The formats that are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ImportFormat {
    Chant,
    Vine,
    Beads,
    /// A format that comes through the interface, by its word.
    Plan(&'static str),
    Csv,
    Json,
    TaskMaster,
    Taskwarrior,
    GitHub,
}

impl ImportFormat {
    /// All, in the order of messages.
    fn all() -> Vec<Self> {
        let plans = formats::all().into_iter();
        let plans = plans.map(|format| Self::Plan(format.scope().word));
        let first = [Self::Chant, Self::Vine, Self::Beads];
        let last = [
            Self::Csv,
            Self::Json,
            Self::TaskMaster,
            Self::Taskwarrior,
            Self::GitHub,
        ];
        first.into_iter().chain(plans).chain(last).collect()
    }

    fn word(self) -> &'static str {
        match self {
            Self::Chant => "chant",
            Self::Vine => "vine",
            Self::Beads => "beads",
            Self::Plan(word) => word,
            Self::Csv => "csv",
            Self::Json => "json",
            Self::TaskMaster => "taskmaster",
            Self::Taskwarrior => "taskwarrior",
            Self::GitHub => "github",
        }
    }

    /// Where such work lies.
    fn place(self) -> String {
        let place = match self {
            Self::Chant => "a folder with .chant/specs",
            Self::Vine => "a .vine file",
            Self::Beads => ".beads/issues.jsonl",
            Self::Plan(word) => {
                let markers = formats::find(word).map_or(&[][..], |format| format.scope().markers);
                return format!("a folder with {}", markers.join(" or "));
            }
            Self::Csv => "a .csv file with a column `title`, such as `export` writes",
            Self::Json => {
                "a .json file with a list of objects that have a `title`, such as `export` writes"
            }
            Self::TaskMaster => ".taskmaster/tasks/tasks.json",
            Self::Taskwarrior => "a .json file that `task export` wrote",
            Self::GitHub => {
                "a .json file that `gh issue list --json number,title,body,state,…` wrote"
            }
        };
        place.to_owned()
    }

    fn words() -> String {
        let words: Vec<&str> = Self::all().into_iter().map(Self::word).collect();
        words.join(", ")
    }

    fn read(given: &str) -> Result<Self, WorkspaceError> {
        let known = Self::all().into_iter().find(|known| known.word() == given);
        known.ok_or_else(|| WorkspaceError::Invalid {
            name: "format",
            given: given.to_owned(),
            expected: format!("one of {}", Self::words()),
        })
    }
}

/// The files of beads in its folder, the usual one first.
const ISSUES: [&str; 2] = ["issues.jsonl", "beads.jsonl"];

/// How work is imported.
#[derive(Debug, Default)]
pub struct ImportRequest<'a> {
    /// The format; what the path looks like if it is not named.
    pub format: Option<&'a str>,
    /// True if nothing is written.
    pub dry_run: bool,
    /// True if later changes of the source are taken over.
    pub update: bool,
    /// The path that names the source, if it is not the one that is read.
    pub named: Option<&'a Path>,
    /// The states for words of the source that specs do not have, by the words.
    pub statuses: HashMap<String, String>,
}

/// Brings what lies at a path into the specs of the workspace, all or none; without a format what it
/// looks like. What was brought in before stays as it is.
///
/// # Errors
/// `Invalid` for a format that is none, `Source` for a path that holds nothing of it, else as
/// [`bring_in`].
pub fn import(
    workspace: &Workspace,
    path: &Path,
    request: &ImportRequest<'_>,
) -> Result<Answer, Error> {
    let ImportRequest {
        format,
        dry_run,
        update,
        named,
        statuses,
    } = request;
    let refused = |why: String| WorkspaceError::Source {
        path: path.display().to_string(),
        why,
    };
    if !disk::exists(path) {
        let why = "there is nothing of that name. Give the file or folder that holds the work";
        return Err(refused(why.into()).into());
    }
    let form = match *format {
        None => guessed(path, &Disk::default()).ok_or_else(|| {
            refused(format!(
                "its format is not clear; expected a folder with .chant/specs, a .vine file, \
                 .beads/issues.jsonl, .taskmaster/tasks/tasks.json or plans, a .csv file, or a .json file of \
                 `export`, `task export` or `gh issue list`. Name the format: {}",
                ImportFormat::words()
            ))
        })?,
        Some(given) => ImportFormat::read(given)?,
    };
    // Links in what is imported are followed as long as they stay in it.
    let disk = match disk::real(path) {
        Ok(folder) if folder.is_dir() => Disk::default().within(&folder),
        _ => Disk::default(),
    };
    let reading = match form {
        ImportFormat::Chant => read_specs(workspace, path, &disk)?,
        ImportFormat::Vine => read_plan(path, &disk)?,
        ImportFormat::Beads => read_issues(path, &disk)?,
        ImportFormat::Plan(word) => read_items(word, path)?,
        ImportFormat::Csv => read_table(path, &disk)?,
        ImportFormat::Json => read_json(path, &disk)?.and_then(table::read_objects),
        ImportFormat::TaskMaster => {
            read_json(&task_master_file(path), &disk)?.and_then(taskmaster::read)
        }
        ImportFormat::Taskwarrior => read_json(path, &disk)?.and_then(taskwarrior::read),
        ImportFormat::GitHub => read_json(path, &disk)?.and_then(github::read),
    };
    let reading = reading.ok_or_else(|| {
        let (word, place) = (form.word(), form.place());
        refused(format!("it has nothing of {word}; expected {place}"))
    })?;
    let mut reading = reading;
    let name = source_name(workspace.root(), named.unwrap_or(path), form);
    reading.map_statuses(&chosen_statuses(statuses)?);
    reading.name_source(form.word(), &name);
    let shown = path.display().to_string();
    let source = ImportSource {
        format: form.word(),
        path: &shown,
        name: &name,
    };
    let mode = ImportMode {
        dry_run: *dry_run,
        update: *update,
    };
    bring_in(&workspace.parts.chant, &reading, source, mode)
}

/// The states for words, both as a person gives them.
fn chosen_statuses(
    given: &HashMap<String, String>,
) -> Result<HashMap<String, SpecStatus>, WorkspaceError> {
    let read = |(word, status): (&String, &String)| {
        let known = SpecStatus::ALL
            .into_iter()
            .find(|known| known.as_str() == status);
        let known = known.ok_or_else(|| WorkspaceError::Invalid {
            name: "status",
            given: status.clone(),
            expected: format!(
                "one of {}",
                SpecStatus::ALL.map(SpecStatus::as_str).join(", ")
            ),
        })?;
        Ok((word.to_lowercase(), known))
    };
    given.iter().map(read).collect()
}

/// The name of a source in origins: its path from the project, however it was given. Of a format that is a folder
/// of files the folder, whichever of them was named.
fn source_name(root: &Path, path: &Path, form: ImportFormat) -> String {
    let real = |path: &Path| disk::real(path).unwrap_or_else(|_| path.to_owned());
    let (root, mut path) = (real(root), real(path));
    if let ImportFormat::Plan(word) = form
        && let Some(of_plans) = root_of_plans(word, &path)
    {
        path = of_plans;
    }
    let inner: &[&str] = match form {
        ImportFormat::Chant => &["specs", ".chant"],
        ImportFormat::Beads => &["issues.jsonl", "beads.jsonl", ".beads"],
        ImportFormat::TaskMaster => &["tasks.json", "tasks", ".taskmaster"],
        ImportFormat::Plan(_)
        | ImportFormat::Vine
        | ImportFormat::Csv
        | ImportFormat::Json
        | ImportFormat::Taskwarrior
        | ImportFormat::GitHub => &[],
    };
    for name in inner {
        if path.ends_with(name) {
            path.pop();
        }
    }
    let shared = root.components().zip(path.components());
    let shared = shared.take_while(|(one, other)| one == other).count();
    let up = root.components().skip(shared).map(|_| "..".to_owned());
    let down = path.components().skip(shared);
    let down = down.map(|part| part.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<String> = up.chain(down).collect();
    if parts.is_empty() {
        ".".to_owned()
    } else {
        parts.join("/")
    }
}

/// Refuses a text with conflict markers, by its line.
fn refuse_conflict(file: &Path, text: &str) -> Result<(), WorkspaceError> {
    let is_marker = |line: &str| {
        let marks = ["<<<<<<< ", ">>>>>>> ", "||||||| "];
        marks.iter().any(|mark| line.starts_with(mark))
    };
    match text.lines().position(is_marker) {
        None => Ok(()),
        Some(at) => Err(WorkspaceError::Source {
            path: file.display().to_string(),
            why: format!(
                "line {} is a conflict marker. Resolve the conflict, then import again",
                at + 1
            ),
        }),
    }
}

/// Reads a text that has no conflict markers.
fn read_text(disk: &Disk, file: &Path, shown: &str) -> Result<String, Error> {
    let (text, _) = disk.read_text(file, shown)?;
    refuse_conflict(file, &text)?;
    Ok(text)
}

/// The format of what lies at a path.
fn guessed(path: &Path, disk: &Disk) -> Option<ImportFormat> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    if !path.is_dir() {
        return match ending {
            Some("vine") => Some(ImportFormat::Vine),
            Some("jsonl") => Some(ImportFormat::Beads),
            Some("csv") => Some(ImportFormat::Csv),
            Some("json") => guessed_json(&read_json(path, disk).ok()??),
            _ => None,
        };
    }
    let is_there = |form: &ImportFormat| match *form {
        ImportFormat::Chant => spec_folder(path).is_some(),
        ImportFormat::Beads => issue_file(path).is_some(),
        ImportFormat::Plan(word) => root_of_plans(word, path).is_some(),
        ImportFormat::TaskMaster => disk::is_file(&task_master_file(path)),
        _ => false,
    };
    let mut found = ImportFormat::all().into_iter().filter(is_there);
    let form = found.next()?;
    found.next().is_none().then_some(form)
}

/// The format of a JSON text, by the keys of its objects.
fn guessed_json(value: &Value) -> Option<ImportFormat> {
    let first = match value {
        Value::Object(whole) => {
            let has_tasks = |part: &Value| part.get("tasks").is_some_and(Value::is_array);
            let is_it = has_tasks(value) || whole.values().any(has_tasks);
            return is_it.then_some(ImportFormat::TaskMaster);
        }
        Value::Array(items) => items.first()?,
        _ => return None,
    };
    let has = |key: &str| first.get(key).is_some();
    match () {
        () if has("uuid") && has("description") => Some(ImportFormat::Taskwarrior),
        () if has("number") && has("title") => Some(ImportFormat::GitHub),
        () if has("title") => Some(ImportFormat::Json),
        () => None,
    }
}

/// Reads a JSON text; `None` where there is no file.
fn read_json(path: &Path, disk: &Disk) -> Result<Option<Value>, Error> {
    if !disk::is_file(path) {
        return Ok(None);
    }
    let text = read_text(disk, path, &path.display().to_string())?;
    let value = serde_json::from_str(text.trim_start_matches('\u{feff}'));
    let value = value.map_err(|error| WorkspaceError::Source {
        path: path.display().to_string(),
        why: format!("it is no JSON: {error}"),
    })?;
    Ok(Some(value))
}

/// The file of Task Master in a folder; the path itself where it is no folder.
fn task_master_file(path: &Path) -> PathBuf {
    let names = [
        ".taskmaster/tasks/tasks.json",
        "tasks/tasks.json",
        "tasks.json",
    ];
    let mut files = names.iter().map(|name| path.join(name));
    let found = files.find(|file| disk::is_file(file));
    found.unwrap_or_else(|| path.to_owned())
}

fn spec_folder(path: &Path) -> Option<PathBuf> {
    let mut places = vec![path.join(".chant/specs")];
    if path.ends_with(".chant") {
        places.push(path.join("specs"));
    }
    if path.ends_with(".chant/specs") {
        places.push(path.to_owned());
    }
    places.into_iter().find(|place| place.is_dir())
}

fn issue_file(path: &Path) -> Option<PathBuf> {
    if disk::is_file(path) {
        return Some(path.to_owned());
    }
    let folders = [path.join(".beads"), path.to_owned()];
    let mut files = folders
        .iter()
        .flat_map(|folder| ISSUES.map(|name| folder.join(name)));
    files.find(|file| disk::is_file(file))
}

/// The root of a format's plans to which a path leads.
fn root_of_plans(word: &str, path: &Path) -> Option<PathBuf> {
    plan_import::root_of(formats::find(word)?, path)
}

fn read_items(word: &str, path: &Path) -> Result<Option<ImportReading>, Error> {
    let (format, root) = (formats::find(word), root_of_plans(word, path));
    let read = |(format, root): (_, PathBuf)| plan_import::read(format, &root);
    format.zip(root).map(read).transpose()
}

/// The texts of the files of a folder and of those in it, by path.
fn texts(folder: &Path, disk: &Disk) -> Result<Vec<(String, String)>, Error> {
    let listing = disk::list(folder)?;
    let mut names: Vec<String> = listing.files.into_iter().map(|file| file.name).collect();
    names.retain(|name| {
        Path::new(name)
            .extension()
            .is_some_and(|ending| ending == "md")
    });
    names.sort();
    let mut texts = Vec::with_capacity(names.len());
    for name in names {
        let text = read_text(disk, &folder.join(&name), &name)?;
        texts.push((name, text));
    }
    let mut folders = listing.folders;
    folders.sort();
    for (name, is_link) in folders {
        if !is_link {
            texts.extend(self::texts(&folder.join(name), disk)?);
        }
    }
    Ok(texts)
}

fn read_specs(
    workspace: &Workspace,
    path: &Path,
    disk: &Disk,
) -> Result<Option<ImportReading>, Error> {
    let Some(folder) = spec_folder(path) else {
        return Ok(None);
    };
    let own = workspace.root().join(".chant/specs");
    if disk::real(&folder)? == disk::real(&own).unwrap_or(own) {
        return Err(WorkspaceError::Source {
            path: path.display().to_string(),
            why: "it is this project itself. Give another project's folder".into(),
        }
        .into());
    }
    let mut reading = ImportReading::default();
    for (name, text) in texts(&folder, disk)? {
        specs::read(&name, text, &mut reading);
    }
    Ok(Some(reading))
}

fn read_issues(path: &Path, disk: &Disk) -> Result<Option<ImportReading>, Error> {
    let Some(file) = issue_file(path) else {
        return Ok(None);
    };
    let text = read_text(disk, &file, &file.display().to_string())?;
    Ok(Some(beads::read(&text)))
}

fn read_table(path: &Path, disk: &Disk) -> Result<Option<ImportReading>, Error> {
    if !disk::is_file(path) {
        return Ok(None);
    }
    let text = read_text(disk, path, &path.display().to_string())?;
    let records = csv_table::records(&text).map_err(|why| WorkspaceError::Source {
        path: path.display().to_string(),
        why: format!("it is no CSV: {why}"),
    })?;
    Ok(table::read(records))
}

fn read_plan(path: &Path, disk: &Disk) -> Result<Option<ImportReading>, Error> {
    if !disk::is_file(path) {
        return Ok(None);
    }
    let text = read_text(disk, path, &path.display().to_string())?;
    let document = VineDocument::read(text)?;
    let mut reading = ImportReading::default();
    for node in &document.plan.graph.nodes {
        let candidate = of_task(node, &mut reading);
        reading.candidates.push(candidate);
    }
    Ok(Some(reading))
}

fn of_task(node: &VineNode, reading: &mut ImportReading) -> ImportCandidate {
    let origin = |id: &str| format!("vine:{id}");
    let id = &*node.id;
    let mut spec = ImportCandidate::new(origin(id), &node.name);
    spec.depends_on = node.dependencies.iter().map(|id| origin(id)).collect();
    spec.depends_on.extend(node.needs().map(normal));
    spec.paragraph(&node.description);
    let decisions = node
        .decisions
        .iter()
        .map(|decision| format!("- {decision}\n"));
    spec.section("Decisions", &decisions.collect::<String>());
    for (key, values) in &node.annotations {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        match &**key {
            "owner" => spec.text("assignee", &values.join(", ")),
            "needs" => {}
            // A key of a spec may have another meaning.
            key => spec.list(&format!("vine_{key}"), values),
        }
    }
    match &node.work {
        NodeContent::Ref { vine } => {
            spec.labels.push("ref".into());
            spec.text("vine_ref", vine);
            let why = format!("it stands for {vine}, whose tasks are imported by themselves");
            reading.note(id, "ref", why);
        }
        NodeContent::Task {
            status,
            attachments,
        } => {
            let lines = attachments.iter().map(|attachment| {
                let class = attachment.class.as_str();
                format!("- {class}: {} ({})\n", attachment.uri, attachment.mime)
            });
            spec.section("Attachments", &lines.collect::<String>());
            spec.status = of_status(*status);
            if matches!(
                status,
                TaskStatus::Reviewing | TaskStatus::Blocked | TaskStatus::Planning
            ) {
                let word = status.as_str();
                spec.text(STATE, word);
                let why = format!(
                    "`{word}` became `{}`; the word is kept as `{STATE}`",
                    spec.status
                );
                reading.note(id, "status", why);
            }
        }
    }
    spec
}

fn of_status(status: TaskStatus) -> SpecStatus {
    match status {
        TaskStatus::Complete => SpecStatus::Completed,
        TaskStatus::Started => SpecStatus::InProgress,
        TaskStatus::Reviewing | TaskStatus::Blocked => SpecStatus::NeedsAttention,
        TaskStatus::Planning | TaskStatus::NotStarted => SpecStatus::Pending,
    }
}
