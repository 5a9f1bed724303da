//! The agent: a model is told its task, and the tools that it calls are run, round by round.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::endpoint::Endpoint;
use super::http::Client;
use super::tools::{self, Tools, Turn};
use super::voice::Voice;
use super::{Protocol, ProviderError, ollama, openai};
use crate::error::Error;
use crate::work::command::Commands;

/// So many answers a model may give in one run.
const ROUNDS: usize = 50;

/// What a model is told first: prompts are written for agents of all kinds.
const RULES: &str = "You work on the task below in a git worktree, and you act only by calling tools: text alone changes nothing. Paths are relative to the worktree. Read a file before you write it; write_file replaces the whole file. Tick the criteria that are met in the spec's file, commit your work with git by run_command, and only then call task_complete. What is not committed is lost.";

/// What a model is told first that is asked for an answer, not for work.
const QUESTION: &str = "You are asked the question below about the project in the current folder. Look at its files with list_files and read_file as far as you need them; change nothing. Then give the whole answer as text, without calling a tool.";

/// What a model is told that called no tool.
const REMINDER: &str = "You called no tool, so nothing happened. Call the tools that the task needs; when all of it is done and committed, call task_complete.";

/// What a model is told that was asked and gave no answer.
const ANSWER: &str = "You gave no answer. Look at the files that you need, then give the whole answer as text, without calling a tool.";

/// How often what passes is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tries {
    /// So many times after the first.
    pub retries: u32,
    /// Before the first of them; doubled each time.
    pub delay: Duration,
}

/// What the agent works on.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// Where the model is.
    pub endpoint: &'a Endpoint,
    /// Its name.
    pub model: &'a str,
    /// What it is to do.
    pub prompt: &'a str,
    /// Whether that is a question, whose answer is all that is wanted.
    pub is_question: bool,
    /// Where it may read and write.
    pub folder: &'a Path,
    /// What its commands find in their environment, the key excepted; where proxies and further
    /// certificates are looked for.
    pub environment: &'a BTreeMap<String, String>,
    /// How often what passes is tried again.
    pub tries: Tries,
}

/// What a model answered.
#[derive(Debug)]
pub(super) struct Reply {
    /// Its text, told already.
    pub(super) text: String,
    /// The tools it calls, in order.
    pub(super) calls: Vec<Call>,
}

/// A tool that a model calls.
#[derive(Debug)]
pub(super) struct Call {
    /// By which the result is known; empty where the protocol has none.
    pub(super) id: String,
    pub(super) name: String,
    /// What it is called with, or the text that should have said it.
    pub(super) arguments: Result<Map<String, Value>, String>,
}

/// What a process that is such an agent was told.
#[derive(Debug)]
pub struct Order {
    /// The name of the provider.
    pub provider: String,
    /// Its endpoint.
    pub endpoint: String,
    /// The model.
    pub model: String,
    /// What it is to do.
    pub prompt: String,
    /// Whether that is a question.
    pub is_question: bool,
    /// Where.
    pub folder: PathBuf,
    /// The environment of the process.
    pub environment: BTreeMap<String, String>,
    /// So many tries after the first for what may pass.
    pub retries: u32,
    /// Milliseconds before the first of them.
    pub retry_delay_ms: u64,
}

/// [`run`] as the one thing that this process does: a signal ends it and the command it runs.
///
/// # Errors
/// Why it gave up, or could not begin.
pub fn work(order: &Order, tell: &mut dyn FnMut(&str)) -> Result<(), Error> {
    let protocol = Protocol::of(&order.provider).ok_or_else(|| ProviderError::Unknown {
        provider: order.provider.clone(),
    })?;
    let task = Task {
        endpoint: &Endpoint::parse(protocol, &order.endpoint)?,
        model: &order.model,
        prompt: &order.prompt,
        is_question: order.is_question,
        folder: &order.folder,
        environment: &order.environment,
        tries: Tries {
            retries: order.retries,
            delay: Duration::from_millis(order.retry_delay_ms),
        },
    };
    Ok(run(&task, &Commands::ending_with_this_process()?, tell)?)
}

/// Has a model work on a task until it says that it is complete. `tell` is given each line for the log.
///
/// # Errors
/// Why it gave up.
pub fn run(
    task: &Task<'_>,
    commands: &Commands,
    tell: &mut dyn FnMut(&str),
) -> Result<(), ProviderError> {
    let client = Client::of(task)?;
    let mut voice = Voice::over(tell);
    let mut tools = Tools::of(task, commands)?;
    let (rules, reminder) = if task.is_question {
        (QUESTION, ANSWER)
    } else {
        (RULES, REMINDER)
    };
    let mut talk = vec![
        json!({"role": "system", "content": rules}),
        json!({"role": "user", "content": task.prompt}),
    ];
    let mut is_reminded = false;
    for _ in 0..ROUNDS {
        let reply = client.ask(&request(task, &talk), &mut voice)?;
        if reply.calls.is_empty() {
            if is_reminded && reply.text.trim().is_empty() {
                let model = task.model.to_owned();
                return Err(ProviderError::Empty { model });
            }
            if is_reminded || task.is_question && !reply.text.trim().is_empty() {
                // It thinks that it is done; what it said or did is looked at by others.
                return Ok(());
            }
            is_reminded = true;
            talk.push(json!({"role": "assistant", "content": reply.text}));
            talk.push(json!({"role": "user", "content": reminder}));
            continue;
        }
        is_reminded = false;
        talk.push(said(task, &reply));
        for call in &reply.calls {
            voice.call(call);
            match tools.take(call, &mut voice) {
                Turn::Complete(summary) => {
                    voice.text(&summary);
                    voice.end_text();
                    return Ok(());
                }
                Turn::Result(result) => {
                    voice.result(&result);
                    let told = result.unwrap_or_else(|why| format!("Error: {}", why.0));
                    talk.push(heard(task, call, &told));
                }
            }
        }
    }
    Err(ProviderError::Endless {
        model: task.model.to_owned(),
        rounds: ROUNDS,
    })
}

fn request(task: &Task<'_>, talk: &[Value]) -> Value {
    json!({
        "model": task.model,
        "messages": talk,
        "tools": tools::described(),
        "stream": true,
    })
}

/// An answer that calls tools, as the model is reminded of it.
fn said(task: &Task<'_>, reply: &Reply) -> Value {
    let calls = reply.calls.iter().map(|call| match task.endpoint.protocol {
        Protocol::Ollama => ollama::call(call),
        Protocol::OpenAi => openai::call(call),
    });
    json!({
        "role": "assistant",
        "content": reply.text,
        "tool_calls": calls.collect::<Vec<Value>>(),
    })
}

/// The result of a tool, as the model is told it.
fn heard(task: &Task<'_>, call: &Call, result: &str) -> Value {
    match task.endpoint.protocol {
        Protocol::Ollama => {
            json!({"role": "tool", "tool_name": call.name, "content": result})
        }
        Protocol::OpenAi => json!({"role": "tool", "tool_call_id": call.id, "content": result}),
    }
}

/// The arguments that a text of JSON says.
pub(super) fn arguments(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_str(text).map_err(|_| text.to_owned())
}
