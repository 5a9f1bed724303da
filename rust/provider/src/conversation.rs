//! The agent: sends a model its task, and runs the tools that it calls, round by round.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::agent_task::{HttpAgentTask, RetryLimits};
use super::endpoint::ModelEndpoint;
use super::event_writer::EventWriter;
use super::http::ModelClient;
use super::model_reply::{ModelReply, ToolCall};
use super::tools::{self, ToolOutcome, ToolSet};
use super::{ModelProtocol, ProviderError, ollama, openai};
use chant_base::error::Error;
use chant_work::command::CommandRunner;

/// The greatest number of a model's answers in one run.
const MAX_ROUNDS: usize = 50;

/// The first message to a model that works: prompts are written for agents of all kinds.
const RULES: &str = "You work on the task below in a git worktree, and you act only by calling tools: text alone changes nothing. Paths are relative to the worktree. Read a file before you write it; write_file replaces the whole file. Tick the criteria that are met in the spec's file, commit your work with git by run_command, and only then call task_complete. What is not committed is lost.";

/// The first message to a model that answers a question instead of working.
const QUESTION: &str = "You are asked the question below about the project in the current folder. Look at its files with list_files and read_file as far as you need them; change nothing. Then give the whole answer as text, without calling a tool.";

/// The message to a model that called no tool.
const REMINDER: &str = "You called no tool, so nothing happened. Call the tools that the task needs; when all of it is done and committed, call task_complete.";

/// The message to a model that gave no answer to a question.
const ANSWER: &str = "You gave no answer. Look at the files that you need, then give the whole answer as text, without calling a tool.";

/// The order to a process that is such an agent.
#[derive(Debug)]
pub struct HttpAgentOptions {
    /// The name of the provider.
    pub provider: String,
    /// Its endpoint.
    pub endpoint: String,
    /// The model.
    pub model: String,
    /// The text of the task.
    pub prompt: String,
    /// True if the task is a question.
    pub is_question: bool,
    /// The folder.
    pub folder: PathBuf,
    /// The environment of the process.
    pub environment: BTreeMap<String, String>,
    /// The number of tries after the first.
    pub retries: u32,
    /// The milliseconds before the first of them.
    pub retry_delay_ms: u64,
}

/// Runs [`run`] as the only work of this process: a signal ends the process and the command that it
/// runs.
///
/// # Errors
/// The reason why it gave up or could not start.
pub fn run_agent_process(
    order: &HttpAgentOptions,
    tell: &mut dyn FnMut(&str),
) -> Result<(), Error> {
    let protocol = ModelProtocol::of(&order.provider).ok_or_else(|| ProviderError::Unknown {
        provider: order.provider.clone(),
    })?;
    let task = HttpAgentTask {
        endpoint: &ModelEndpoint::parse(protocol, &order.endpoint)?,
        model: &order.model,
        prompt: &order.prompt,
        is_question: order.is_question,
        folder: &order.folder,
        environment: &order.environment,
        tries: RetryLimits {
            retries: order.retries,
            delay: Duration::from_millis(order.retry_delay_ms),
        },
    };
    Ok(run(
        &task,
        &CommandRunner::ending_with_this_process()?,
        tell,
    )?)
}

/// Has a model work on a task until it reports that it is complete. `tell` gets each line for the
/// log.
///
/// # Errors
/// The reason why it gave up.
pub fn run(
    task: &HttpAgentTask<'_>,
    commands: &CommandRunner,
    tell: &mut dyn FnMut(&str),
) -> Result<(), ProviderError> {
    let client = ModelClient::of(task)?;
    let mut voice = EventWriter::over(tell);
    let mut tools = ToolSet::of(task, commands)?;
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
    for _ in 0..MAX_ROUNDS {
        let reply = client.ask(&request(task, &talk), &mut voice)?;
        if reply.calls.is_empty() {
            if is_reminded && reply.text.trim().is_empty() {
                let model = task.model.to_owned();
                return Err(ProviderError::Empty { model });
            }
            if is_reminded || task.is_question && !reply.text.trim().is_empty() {
                // The model considers itself done; the caller judges its answer and its work.
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
            match tools.handle_call(call, &mut voice) {
                ToolOutcome::Complete(summary) => {
                    voice.text(&summary);
                    voice.end_text();
                    return Ok(());
                }
                ToolOutcome::Result(result) => {
                    voice.result(&result);
                    let reply = result.unwrap_or_else(|why| format!("Error: {}", why.0));
                    talk.push(heard(task, call, &reply));
                }
            }
        }
    }
    Err(ProviderError::Endless {
        model: task.model.to_owned(),
        rounds: MAX_ROUNDS,
    })
}

fn request(task: &HttpAgentTask<'_>, talk: &[Value]) -> Value {
    json!({
        "model": task.model,
        "messages": talk,
        "tools": tools::described(),
        "stream": true,
    })
}

/// Returns an answer that calls tools, as the model gets it back.
fn said(task: &HttpAgentTask<'_>, reply: &ModelReply) -> Value {
    let calls = reply.calls.iter().map(|call| match task.endpoint.protocol {
        ModelProtocol::Ollama => ollama::call(call),
        ModelProtocol::OpenAi => openai::call(call),
    });
    json!({
        "role": "assistant",
        "content": reply.text,
        "tool_calls": calls.collect::<Vec<Value>>(),
    })
}

/// Returns the result of a tool, as the model gets it.
fn heard(task: &HttpAgentTask<'_>, call: &ToolCall, result: &str) -> Value {
    match task.endpoint.protocol {
        ModelProtocol::Ollama => {
            json!({"role": "tool", "tool_name": call.name, "content": result})
        }
        ModelProtocol::OpenAi => {
            json!({"role": "tool", "tool_call_id": call.id, "content": result})
        }
    }
}
