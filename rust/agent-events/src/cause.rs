//! The causes of an agent's failure: a closed list, each with a sentence and one next step.

use super::EventFormat;
use super::summary::{EventSummary, ServerState};
use chant_base::next_step::{HintText, NextStep, hint};
use strum::{IntoStaticStr, VariantArray};

/// The causes why an agent did not do its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum FailureCause {
    /// A tool was refused to it.
    PermissionDenied,
    /// It is not logged in, or its key is wrong.
    NotLoggedIn,
    /// Its credit or its quota is used up.
    OutOfCredit,
    /// It sends too many requests.
    RateLimit,
    /// Its provider is overloaded.
    Overloaded,
    /// It cannot reach its provider.
    ProviderUnreachable,
    /// The connection to its provider broke.
    ConnectionLost,
    /// The model does not exist.
    ModelUnknown,
    /// The model, or its provider's filter, refused to answer.
    ModelRefused,
    /// What it was given is more than the model takes.
    PromptTooLong,
    /// Its version does not know an option.
    FlagUnknown,
    /// It does not trust the folder.
    FolderUntrusted,
    /// An MCP server did not start in it.
    ServerRefused,
    /// It refuses to run as root.
    RootRefused,
    /// Its own sandbox cannot start inside ours.
    NestedSandbox,
    /// The system killed it, most likely for lack of memory.
    MemoryKilled,
    /// It took all of its turns.
    TurnLimit,
    /// It reached its budget.
    BudgetReached,
    /// It ended without a final event.
    NoFinalEvent,
    /// Its usage has limits, and the program that reads its events gave up.
    EventsUnread,
    /// Its program is not installed.
    ProgramMissing,
    /// The machine of the cluster that it worked on is gone.
    WorkerLost,
    /// No machine of the cluster took it.
    NotPlaced,
    /// The work that came back from the cluster has a fault.
    WorkRejected,
    /// The work is too large to come back, and stays on the machine of the cluster.
    WorkKept,
    /// It ended with a question instead of its work.
    AskedQuestion,
    /// It says that nothing needs to be changed.
    NothingToChange,
}

/// The exit status of an agent that ended by itself, and the last lines of its output.
#[derive(Debug, Clone, Copy, Default)]
pub struct AgentExit<'a> {
    /// Its exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The last lines of its standard error.
    pub tail: &'a [String],
    /// True if the system killed processes for lack of memory while it worked.
    pub was_memory_short: bool,
}

/// The name of our server in the configuration of an agent.
pub const OWN_SERVER: &str = "chant";
/// The exit code of a shell, or of `env`, that does not find a program.
const NOT_FOUND: i32 = 127;
/// The signal with which the system kills.
const KILL: i32 = 9;

impl FailureCause {
    /// All causes.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Returns its spelling in records and answers.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns the cause with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|cause| cause.as_str() == name)
    }

    /// Returns its description, as a sentence without its full stop.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::PermissionDenied => "The agent was refused a tool",
            Self::NotLoggedIn => "The agent is not logged in, or its key is wrong or expired",
            Self::OutOfCredit => "The agent's provider says that credit or quota is used up",
            Self::RateLimit => "Rate limit: the agent's provider was asked too often",
            Self::Overloaded => "The agent's provider is overloaded",
            Self::ProviderUnreachable => "The agent cannot reach its provider",
            Self::ConnectionLost => "The connection to the agent's provider broke off",
            Self::ModelUnknown => "The agent's provider does not know the model",
            Self::ModelRefused => "The agent's model refused to answer",
            Self::PromptTooLong => "The prompt is longer than the agent's model takes",
            Self::FlagUnknown => {
                "The installed version of the agent does not know one of its arguments"
            }
            Self::FolderUntrusted => "The agent does not trust the folder that it is to work in",
            Self::ServerRefused => "An MCP server did not start in the agent",
            Self::RootRefused => "The agent refuses to work as root without asking",
            Self::NestedSandbox => "The agent's own sandbox cannot start inside ours",
            Self::MemoryKilled => "The agent was killed, most likely because memory ran out",
            Self::TurnLimit => "The agent reached its limit of turns",
            Self::BudgetReached => "The agent reached its budget",
            Self::NoFinalEvent => "The agent ended without saying how: it crashed or was killed",
            Self::EventsUnread => {
                "What reads the agent's events failed, and its limits of tokens or money need them"
            }
            Self::ProgramMissing => "A program that the agent needs is not installed",
            Self::WorkerLost => "The machine that the agent worked on is lost",
            Self::NotPlaced => "No machine of the cluster took the work",
            Self::WorkRejected => "What came back from the cluster was not taken over",
            Self::WorkKept => "The agent's commits are kept on the machine that made them",
            Self::AskedQuestion => "The agent asked a question instead of finishing",
            Self::NothingToChange => "The agent says that nothing needs to be changed",
        }
    }

    /// Returns the next step as data; `agent` is its name in the configuration, `id` the spec.
    pub fn next_step(self, agent: &str, id: &str) -> HintText {
        let work = || hint!["; then ", NextStep::Work(id.to_owned()), " goes on."];
        let log = NextStep::ShowLog(id.to_owned());
        let split = NextStep::Split(id.to_owned());
        match self {
            Self::PermissionDenied => hint![
                format!("Let agent '{agent}' use that tool: a person sees with "),
                NextStep::Doctor,
                " how it is started and confined",
            ]
            .and(work()),
            Self::NotLoggedIn => hint![format!(
                "Start '{agent}' in a terminal of your own and log in, or pass a valid key (`env.pass`)"
            )]
            .and(work()),
            Self::OutOfCredit => hint![
                "Add credit, wait for the reset, or have another agent work (`defaults.provider` in .chant/config.md)"
            ]
            .and(work()),
            Self::RateLimit => {
                hint!["Wait, or start fewer agents at once (`limits.agents_at_once`)"].and(work())
            }
            Self::Overloaded | Self::ConnectionLost => hint!["Wait"].and(work()),
            Self::ProviderUnreachable => hint![
                "Look at the network, whether a provider on this machine runs, and whether the agent needs a variable of a proxy (`env.pass`)"
            ]
            .and(work()),
            Self::ModelUnknown => {
                hint!["Correct `model` in the spec or in .chant/config.md"].and(work())
            }
            Self::ModelRefused => hint![
                "Reword the spec with ",
                NextStep::EditSpec(id.to_owned()),
                ", or name another model or agent",
            ]
            .and(work()),
            Self::PromptTooLong => hint![
                "Make the spec smaller with ",
                split,
                ", or name a model that takes more.",
            ],
            Self::FlagUnknown => hint![
                "A person compares ",
                NextStep::Doctor,
                format!(
                    " with the agent's `--help`, and sets `agents.{agent}.command` or installs a version that fits."
                ),
            ],
            Self::FolderUntrusted => hint![format!(
                "Add the agent's flag that trusts a folder for one run (such as `--skip-trust`, `--trust-folder`) to `agents.{agent}.command`."
            )],
            Self::ServerRefused => hint![
                log,
                " shows what the agent said of it; a person looks at our server with ",
                NextStep::Doctor,
                ".",
            ],
            Self::RootRefused => hint![
                "Start runs as a user other than root. A person sees with ",
                NextStep::Doctor,
                " how the agent is confined.",
            ],
            Self::NestedSandbox => hint![format!(
                "Turn off the agent's own sandbox in `agents.{agent}.command`: ours confines it."
            )],
            Self::MemoryKilled => {
                hint!["Start fewer agents at once (`limits.agents_at_once`), or free memory"]
                    .and(work())
            }
            Self::TurnLimit => hint![
                "Make the spec smaller with ",
                split,
                ", or allow the agent more turns.",
            ],
            Self::BudgetReached => hint![
                "Raise `limits` in .chant/config.md, or make the spec smaller with ",
                split,
                ".",
            ],
            Self::NoFinalEvent => hint![log, " shows its last words"].and(work()),
            Self::EventsUnread => {
                hint![format!("Correct what `agents.{agent}.events` names")].and(work())
            }
            Self::WorkerLost | Self::WorkRejected => hint!["Look at that machine"].and(work()),
            Self::NotPlaced => hint!["Change what kept it from being placed"].and(work()),
            Self::WorkKept => {
                hint!["Let that machine push to the remote of this repository"].and(work())
            }
            Self::AskedQuestion => {
                hint!["Answer it in the spec: ", NextStep::EditSpec(id.to_owned())].and(work())
            }
            Self::NothingToChange => hint![
                "If that is so, a person completes it by ",
                NextStep::AlreadyDone(id.to_owned()),
                ".",
            ],
            Self::ProgramMissing => hint![
                "Install it, or have another agent work (`defaults.provider` in .chant/config.md)."
            ],
        }
    }

    /// Returns true if it passes by itself, so that another try is worth the wait.
    pub fn is_passing(self) -> bool {
        matches!(
            self,
            Self::RateLimit | Self::Overloaded | Self::ConnectionLost
        )
    }

    /// Returns true if the next start fails with it again unless the user changes something.
    pub fn repeats(self) -> bool {
        !matches!(
            self,
            Self::RateLimit
                | Self::Overloaded
                | Self::ConnectionLost
                | Self::MemoryKilled
                | Self::NoFinalEvent
                | Self::WorkerLost
        )
    }

    /// Returns true if it lies in the cluster, and not in the agent.
    pub fn is_of_cluster(self) -> bool {
        matches!(
            self,
            Self::WorkerLost | Self::NotPlaced | Self::WorkRejected | Self::WorkKept
        )
    }

    /// Returns what the last line that an agent said means where its work is not done.
    pub fn of_last_words(words: &str) -> Option<Self> {
        if words_of_no_change(words).is_some() {
            return Some(Self::NothingToChange);
        }
        let end = words.trim_end_matches(['*', '_', '`', '"', ')', ' ']);
        end.ends_with('?').then_some(Self::AskedQuestion)
    }

    /// Returns the cause for an HTTP status.
    pub(super) fn of_status(status: Option<u64>) -> Option<Self> {
        match status? {
            401 => Some(Self::NotLoggedIn),
            402 => Some(Self::OutOfCredit),
            429 => Some(Self::RateLimit),
            500..=504 | 529 => Some(Self::Overloaded),
            _ => None,
        }
    }

    /// Returns the cause for an exit code, if the code has a meaning.
    fn of_code(format: EventFormat, code: i32) -> Option<Self> {
        match (format, code) {
            (_, NOT_FOUND) => Some(Self::ProgramMissing),
            (EventFormat::Codex, 2) => Some(Self::FlagUnknown),
            (EventFormat::Gemini, 41) => Some(Self::NotLoggedIn),
            (EventFormat::Gemini, 55) => Some(Self::FolderUntrusted),
            (EventFormat::Gemini, 53) | (EventFormat::Qwen, 55) => Some(Self::TurnLimit),
            _ => None,
        }
    }
}

impl AgentExit<'_> {
    /// Returns the cause by the last lines, the exit code or the signal.
    fn failure(&self, format: EventFormat) -> Option<(FailureCause, String)> {
        let is_failure = self.code != Some(0);
        let mut lines = self.tail.iter().rev().filter(|_| is_failure);
        let said =
            lines.find_map(|line| Some((FailureCause::of_words(line)?, line.trim().to_owned())));
        let of_code = self
            .code
            .and_then(|code| FailureCause::of_code(format, code))
            .map(|cause| (cause, String::new()));
        // Any process may send this signal: only the system's own count makes lack of memory
        // likely.
        let is_killed =
            self.was_memory_short && (self.signal == Some(KILL) || self.code == Some(128 + KILL));
        said.or(of_code)
            .or_else(|| is_killed.then(|| (FailureCause::MemoryKilled, String::new())))
    }
}

impl EventSummary {
    /// Returns the cause why an agent that ended by itself did not do its work, with its words if
    /// it has any. The caller decides whether it did its work.
    pub fn failure(
        &self,
        format: EventFormat,
        exit: &AgentExit<'_>,
    ) -> Option<(FailureCause, String)> {
        let own = self.trouble.as_ref();
        if let Some((cause, trouble)) = own.and_then(|own| Some((own.cause?, own))) {
            return Some((cause, trouble.words.clone()));
        }
        exit.failure(format)
            .or_else(|| self.failure_of_refusals())
            .or_else(|| {
                let is_cut = format.has_final_event() && self.has_events && !self.has_final;
                (is_cut && !self.is_partial).then(|| (FailureCause::NoFinalEvent, String::new()))
            })
    }

    fn failure_of_refusals(&self) -> Option<(FailureCause, String)> {
        if let Some(first) = self.denials.first() {
            let more = match self.denials.len() - 1 {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            let words = match first.message.as_str() {
                "" => format!("{}{more}", first.tool),
                message => format!("{}: {message}{more}", first.tool),
            };
            return Some((FailureCause::PermissionDenied, words));
        }
        // Other servers are the user's own, and the work may not need them.
        let is_ours = |one: &&ServerState| one.name == OWN_SERVER && one.status == "failed";
        let failed = self.servers.iter().find(is_ours)?;
        Some((FailureCause::ServerRefused, failed.name.clone()))
    }
}

/// Returns the reason behind an agent's word that nothing needs to be changed, as its prompt asks for it.
pub fn words_of_no_change(words: &str) -> Option<&str> {
    let words = words.trim_matches(['*', '_', '`', ' ', '#']);
    let (start, reason) = words.split_once(':')?;
    let start = start.trim_matches(['*', '_', '`', ' ']);
    let reason = reason.trim_matches(['*', '_', '`', ' ']);
    (start.eq_ignore_ascii_case("nothing to change") && !reason.is_empty()).then_some(reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EventReader;
    use chant_base::next_step::DoorKind;

    #[test]
    fn each_cause_has_a_name_a_sentence_and_a_next_step() {
        for &cause in FailureCause::ALL {
            assert_eq!(FailureCause::named(cause.as_str()), Some(cause));
            assert!(
                !cause.sentence().ends_with('.')
                    && cause
                        .next_step("a", "b")
                        .at(DoorKind::People)
                        .ends_with('.')
            );
        }
        assert_eq!(FailureCause::named("later"), None);
    }

    #[test]
    fn without_events_code_signal_and_last_lines_tell_the_cause() {
        let table = [
            (
                "codex",
                2,
                None,
                "error: something",
                Some(FailureCause::FlagUnknown),
            ),
            (
                "qwen",
                1,
                None,
                "unknown option '--x'",
                Some(FailureCause::FlagUnknown),
            ),
            ("gemini", 41, None, "", Some(FailureCause::NotLoggedIn)),
            ("gemini", 55, None, "", Some(FailureCause::FolderUntrusted)),
            ("qwen", 55, None, "", Some(FailureCause::TurnLimit)),
            (
                "copilot",
                1,
                None,
                "No authentication information found.",
                Some(FailureCause::NotLoggedIn),
            ),
            (
                "codex",
                1,
                None,
                "Not inside a trusted directory and more",
                Some(FailureCause::FolderUntrusted),
            ),
            (
                "claude",
                1,
                None,
                "it cannot be used with root/sudo privileges",
                Some(FailureCause::RootRefused),
            ),
            (
                "codex",
                1,
                None,
                "bwrap: Creating new namespace failed",
                Some(FailureCause::NestedSandbox),
            ),
            (
                "plain",
                127,
                None,
                "env: node: No such file",
                Some(FailureCause::ProgramMissing),
            ),
            (
                "plain",
                1,
                None,
                "HTTP 429 from the server",
                Some(FailureCause::RateLimit),
            ),
            (
                "pi",
                1,
                None,
                "404 The model `x` does not exist or you do not have access to it.",
                Some(FailureCause::ModelUnknown),
            ),
            (
                "copilot",
                1,
                None,
                "Model 'x' not found on provider at https://models.example.org (HTTP 404).",
                Some(FailureCause::ModelUnknown),
            ),
            (
                "opencode",
                1,
                None,
                "The response was blocked by the provider's content filter",
                Some(FailureCause::ModelRefused),
            ),
            ("plain", 3, None, "Something else", None),
            ("plain", 0, None, "rate limit", None),
        ];
        for (format, code, signal, line, expected) in table {
            let format = EventFormat::named(format).unwrap();
            let tail = [line.to_owned()];
            let exit = AgentExit {
                code: Some(code),
                signal,
                tail: &tail,
                ..AgentExit::default()
            };
            let found = EventSummary::default().failure(format, &exit);
            assert_eq!(found.map(|(cause, _)| cause), expected, "{line}");
        }
    }

    #[test]
    fn a_killed_agent_lacked_memory_only_where_the_system_says_that_something_did() {
        for (code, signal) in [(None, Some(KILL)), (Some(128 + KILL), None)] {
            let cause = |was_memory_short| {
                let exit = AgentExit {
                    code,
                    signal,
                    was_memory_short,
                    ..AgentExit::default()
                };
                let found = EventSummary::default().failure(EventFormat::Plain, &exit);
                found.map(|(cause, _)| cause)
            };
            assert_eq!(cause(true), Some(FailureCause::MemoryKilled));
            assert_eq!(cause(false), None);
        }
    }

    #[test]
    fn an_end_without_its_event_is_a_crash_only_where_events_were_heard() {
        let exit = AgentExit {
            code: Some(0),
            ..AgentExit::default()
        };
        let mut reader = EventReader::new(EventFormat::Codex);
        assert_eq!(reader.summary().failure(EventFormat::Codex, &exit), None);
        reader.take(b"{\"type\":\"turn.started\"}\n");
        let found = reader.summary().failure(EventFormat::Codex, &exit);
        assert_eq!(found.unwrap().0, FailureCause::NoFinalEvent);
        reader.take(b"{\"type\":\"turn.completed\",\"usage\":{}}\n");
        assert_eq!(reader.summary().failure(EventFormat::Codex, &exit), None);
    }
}
