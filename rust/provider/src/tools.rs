//! The tools of a model: read, write and list files of its folder, run commands there, and report
//! that it is done (reference chant 6.5).

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::KEY;
use super::agent_task::HttpAgentTask;
use super::event_writer::EventWriter;
use super::model_reply::ToolCall;
use chant_store::StoreError;
use chant_store::disk::{self, Disk};
use chant_store::files::{self, RootFolder};
use chant_work::command::{CommandLimits, CommandOutcome, CommandRunner};

/// The greatest size of a result in bytes; a longer one is cut, and says so.
const RESULT: usize = 16_000;
/// The greatest number of entries of a folder that are listed.
const ENTRIES: usize = 500;
/// The time limit of a command.
const COMMAND: Duration = Duration::from_secs(10 * 60);
/// The name of git's own folder, or of the file in its place.
const GIT: &str = ".git";

/// The reason why a tool failed, as the model gets it.
pub(super) struct ToolFailure(pub(super) String);

impl From<StoreError> for ToolFailure {
    fn from(error: StoreError) -> Self {
        Self(error.to_string())
    }
}

/// The outcomes of a call.
pub(super) enum ToolOutcome {
    /// The model reports that it is done, in its own words.
    Complete(String),
    /// The result for the model.
    Result(Result<String, ToolFailure>),
}

/// Returns the descriptions of the tools for a model.
pub(super) fn described() -> Value {
    let path = json!({"type": "string", "description": "Relative to the worktree."});
    let tool = |name: &str, what: &str, properties: Value, required: &[&str]| {
        json!({"type": "function", "function": {
            "name": name,
            "description": what,
            "parameters": {"type": "object", "properties": properties, "required": required},
        }})
    };
    json!([
        tool(
            "read_file",
            "Read a text file. Long files come in pages; the result says where to go on.",
            json!({
                "path": path,
                "from_line": {"type": "integer", "description": "The first line wanted; 1 unless given."},
            }),
            &["path"],
        ),
        tool(
            "write_file",
            "Write a whole text file, new or in the place of the old one; folders are made.",
            json!({"path": path, "content": {"type": "string"}}),
            &["path", "content"],
        ),
        tool(
            "run_command",
            "Run a shell command in the worktree and get its output and exit code. It has no input, ends after 10 minutes, and what it starts in the background ends with it.",
            json!({"command": {"type": "string"}}),
            &["command"],
        ),
        tool(
            "list_files",
            "List a folder; names of folders end with a slash.",
            json!({"path": path}),
            &[],
        ),
        tool(
            "task_complete",
            "End the task, when everything is done and committed.",
            json!({"summary": {"type": "string", "description": "What changed, and what is open."}}),
            &["summary"],
        ),
    ])
}

/// The tools of one task.
pub(super) struct ToolSet<'a> {
    root: RootFolder,
    disk: Disk,
    environment: BTreeMap<String, String>,
    commands: &'a CommandRunner,
}

impl<'a> ToolSet<'a> {
    pub(super) fn of(
        task: &HttpAgentTask<'_>,
        commands: &'a CommandRunner,
    ) -> Result<Self, StoreError> {
        let mut environment = task.environment.clone();
        environment.remove(KEY);
        let root = RootFolder::open(task.folder)?;
        Ok(Self {
            disk: Disk::default().within(root.path()),
            root,
            environment,
            commands,
        })
    }

    /// Runs a call.
    pub(super) fn handle_call(
        &mut self,
        call: &ToolCall,
        voice: &mut EventWriter<'_>,
    ) -> ToolOutcome {
        let arguments = match &call.arguments {
            Ok(arguments) => arguments,
            Err(text) => {
                let why = format!(
                    "the arguments of {} are no JSON object: {}",
                    call.name,
                    beginning(text, 200)
                );
                return ToolOutcome::Result(Err(ToolFailure(why)));
            }
        };
        ToolOutcome::Result(match call.name.as_str() {
            "read_file" => self.read(arguments),
            "write_file" => self.write(arguments),
            "run_command" => self.run(arguments, voice),
            "list_files" => self.list(arguments),
            "task_complete" => {
                let summary = arguments.get("summary").and_then(Value::as_str);
                return ToolOutcome::Complete(summary.unwrap_or_default().to_owned());
            }
            name => Err(ToolFailure(format!(
                "there is no tool `{name}`; there are read_file, write_file, run_command, list_files and task_complete"
            ))),
        })
    }

    fn read(&self, arguments: &Map<String, Value>) -> Result<String, ToolFailure> {
        let path = plain(text(arguments, "path")?);
        let real = self.inside(&path)?;
        let (content, _) = self.disk.read_text(&real, &path)?;
        let from = match arguments.get("from_line") {
            None | Some(Value::Null) => 1,
            Some(number) => whole(number).ok_or_else(|| {
                ToolFailure(format!("from_line should be a line's number, not {number}"))
            })?,
        };
        Ok(page(&content, from))
    }

    fn write(&self, arguments: &Map<String, Value>) -> Result<String, ToolFailure> {
        let path = plain(text(arguments, "path")?);
        let content = text(arguments, "content")?;
        let done = |what: &str| format!("{what} `{path}`, {} bytes", content.len());
        match self.inside(&path) {
            Ok(_) => {
                let edit = |_: &str| Ok::<_, StoreError>(content.to_owned());
                files::edit(&self.disk, &self.root, &path, edit)?;
                return Ok(done("Replaced"));
            }
            Err(PathRefusal::Missing) => {}
            Err(refusal) => return Err(refusal.into()),
        }
        for (end, _) in path.match_indices('/') {
            // A link on the way could lead to a folder in which nothing may be created.
            match self.inside(&path[..end]) {
                Ok(_) => {}
                Err(PathRefusal::Missing) => break,
                Err(refusal) => return Err(refusal.into()),
            }
        }
        if let Some((folder, _)) = path.rsplit_once('/') {
            files::make_folder(&self.root, folder)?;
        }
        files::create(&self.disk, &self.root, &path, content)?;
        Ok(done("Created"))
    }

    fn list(&self, arguments: &Map<String, Value>) -> Result<String, ToolFailure> {
        let path = match arguments.get("path").and_then(Value::as_str) {
            Some(path) => plain(path),
            None => String::new(),
        };
        let folder = if path.is_empty() {
            self.root.path().to_owned()
        } else {
            self.inside(&path)?
        };
        let mut names = disk::names(&folder)?;
        names.retain(|entry| !is_git(&entry.name));
        if names.is_empty() {
            return Ok("The folder is empty.".into());
        }
        let more = names.len().saturating_sub(ENTRIES);
        let shown = names.iter().take(ENTRIES).map(|entry| {
            let slash = if entry.is_folder { "/" } else { "" };
            format!("{}{slash}\n", entry.name)
        });
        let mut text: String = shown.collect();
        if more > 0 {
            text.push_str(&format!("[{more} more are not shown]\n"));
        }
        Ok(text)
    }

    fn run(
        &self,
        arguments: &Map<String, Value>,
        voice: &mut EventWriter<'_>,
    ) -> Result<String, ToolFailure> {
        let expected = || ToolFailure("command should be a text, or a list of texts".into());
        let argv: Vec<String> = match arguments.get("command") {
            // The text comes from the model, never from a spec: it asked for a shell.
            Some(Value::String(line)) => ["sh", "-c", line].map(str::to_owned).into(),
            Some(Value::Array(words)) => words
                .iter()
                .map(|word| word.as_str().map(str::to_owned))
                .collect::<Option<_>>()
                .ok_or_else(expected)?,
            _ => return Err(expected()),
        };
        let bounds = CommandLimits {
            time: COMMAND,
            kept: RESULT,
        };
        let folder = self.root.path();
        let mut heard = || voice.is_alive();
        let ended = self
            .commands
            .run(&argv, folder, &self.environment, bounds, &mut heard)
            .map_err(|error| ToolFailure(error.to_string()))?;
        Ok(outcome(&ended))
    }

    /// Returns the real path of an existing file or folder that may be used.
    fn inside(&self, path: &str) -> Result<std::path::PathBuf, PathRefusal> {
        if Path::new(path).components().any(is_git_part) {
            return Err(PathRefusal::Git);
        }
        let real = match self.root.locate(path) {
            Err(StoreError::Missing { .. }) => return Err(PathRefusal::Missing),
            located => located?,
        };
        let inner = real.strip_prefix(self.root.path()).unwrap_or(&real);
        if inner.components().any(is_git_part) {
            return Err(PathRefusal::Git);
        }
        Ok(real)
    }
}

/// The reasons why a path is refused.
enum PathRefusal {
    Missing,
    Git,
    Other(StoreError),
}

impl From<StoreError> for PathRefusal {
    fn from(error: StoreError) -> Self {
        Self::Other(error)
    }
}

impl From<PathRefusal> for ToolFailure {
    fn from(refusal: PathRefusal) -> Self {
        match refusal {
            PathRefusal::Missing => {
                Self("there is no such file or folder; list_files lists them".into())
            }
            PathRefusal::Git => Self(
                "what git keeps for itself is not read or written; use git by run_command".into(),
            ),
            PathRefusal::Other(StoreError::Outside { path, .. }) => Self(format!(
                "`{path}` is not inside the worktree; paths are relative to it, without `..`"
            )),
            PathRefusal::Other(error) => error.into(),
        }
    }
}

fn is_git_part(part: Component<'_>) -> bool {
    matches!(part, Component::Normal(name) if is_git(&name.to_string_lossy()))
}

/// Returns true if a name is git's own, on any file system.
fn is_git(name: &str) -> bool {
    name.eq_ignore_ascii_case(GIT)
}

/// Returns a path without its redundant parts.
fn plain(path: &str) -> String {
    let mut path = path.trim();
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    let path = path.trim_end_matches('/');
    if path == "." {
        String::new()
    } else {
        path.to_owned()
    }
}

fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Result<&'a str, ToolFailure> {
    match arguments.get(name) {
        Some(Value::String(text)) => Ok(text),
        None | Some(Value::Null) => Err(ToolFailure(format!("{name} is missing"))),
        Some(_) => Err(ToolFailure(format!("{name} should be a text"))),
    }
}

/// Returns a number of 1 or more; models write it as text, too.
fn whole(value: &Value) -> Option<usize> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok()?,
        value => value.as_u64()?,
    };
    usize::try_from(number).ok().filter(|number| *number > 0)
}

/// Returns at most this many bytes of a text, in whole characters.
fn beginning(text: &str, most: usize) -> &str {
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    &text[..ends.take_while(|end| *end <= most).last().unwrap_or(0)]
}

/// Returns the lines of a file from a line on, as many as a result takes.
fn page(content: &str, from: usize) -> String {
    let count = content.lines().count();
    if count == 0 {
        return "[The file is empty.]".into();
    }
    if from > count {
        return format!("[The file has {count} lines.]");
    }
    let mut text = String::new();
    let mut next = from;
    for line in content.split_inclusive('\n').skip(from - 1) {
        if text.len() + line.len() > RESULT {
            break;
        }
        text.push_str(line);
        next += 1;
    }
    if next == from {
        let line = content.lines().nth(from - 1).unwrap_or_default();
        text.push_str(beginning(line, RESULT));
        text.push_str("\n[The line is longer and cut here.]");
        next += 1;
    }
    if next <= count {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        text.push_str(&format!(
            "{end}[Lines {from} to {} of {count}; go on with from_line {next}.]",
            next - 1
        ));
    }
    text
}

/// Returns the outcome of a command, as the model gets it.
fn outcome(ended: &CommandOutcome) -> String {
    let mut text = String::from_utf8_lossy(&ended.beginning).into_owned();
    if ended.left_out > 0 {
        text.push_str(&format!(
            "\n[{} bytes are left out here.]\n",
            ended.left_out
        ));
    }
    text.push_str(&String::from_utf8_lossy(&ended.end));
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let how = match (ended.is_too_long, ended.exit_code, ended.signal) {
        (true, ..) => format!(
            "ended after {} s, which is all it may take",
            COMMAND.as_secs()
        ),
        (_, Some(code), _) => format!("exit code {code}"),
        (_, None, Some(signal)) => format!("ended by signal {signal}"),
        (_, None, None) => "ended".into(),
    };
    text + &format!("[{how}]")
}
