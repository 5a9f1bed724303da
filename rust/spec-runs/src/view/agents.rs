//! The facts about agents.

use std::collections::BTreeMap;

use serde::Serialize;

/// The agents that are known.
#[derive(Debug, Serialize)]
pub struct AgentList {
    /// They, the order in which one is chosen when the configuration names none.
    pub agents: Vec<AgentListEntry>,
    /// The one that works when none is named.
    pub chosen: Option<String>,
}

/// An agent that is known.
#[derive(Debug, Serialize)]
pub struct AgentListEntry {
    /// Its name in configurations.
    pub name: &'static str,
    /// The name that people use for it.
    pub title: &'static str,
    /// Other names for it.
    pub aliases: Vec<&'static str>,
    /// Its program; `None` when it is not installed.
    pub path: Option<String>,
    /// The release, in its own words.
    pub version: Option<String>,
    /// True if a person is logged in; `None` when that cannot be known.
    pub logged_in: Option<bool>,
    /// The sign of the login.
    pub login: Option<String>,
    /// True if we ran it; false if its template comes from documents alone.
    pub is_tested: bool,
    /// The release that we ran.
    pub tested_release: Option<&'static str>,
    /// True if it works when none is named.
    pub is_chosen: bool,
    /// True if it can be started where nothing else holds it.
    pub can_be_guarded: bool,
    /// The way to install it.
    pub install: &'static str,
    /// The way for a person to log in.
    pub log_in: &'static str,
    /// Further facts that people should know.
    pub note: &'static str,
}

/// All that is known of an agent.
#[derive(Debug, Serialize)]
pub struct AgentView {
    /// The facts that the list shows.
    #[serde(flatten)]
    pub known: AgentListEntry,
    /// The command that starts it in a run that is held.
    pub confined: CommandView,
    /// The command that starts it where nothing holds it; `None` when it is not started there.
    pub guarded: Option<CommandView>,
    /// Why it is not.
    pub guarded_refusal: Option<&'static str>,
    /// Variables of ours that it would get beside those that everything gets.
    pub passed: Vec<&'static str>,
    /// Variables that it would get if they were set.
    pub accepted: Vec<&'static str>,
    /// Where its own state lies in a run that is held, in a sentence.
    pub state: String,
    /// Files of the user's that are copied into that.
    pub copied: Vec<&'static str>,
    /// Limits that are passed to it.
    pub limits: Vec<&'static str>,
    /// The way to go on with an earlier session.
    pub resume: Option<String>,
    /// The name of the format of its events.
    pub events: &'static str,
}

/// The command that starts an agent. Placeholders stand in braces; words without a value are left out.
#[derive(Debug, Serialize)]
pub struct CommandView {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// The variables that are in its environment because it is this agent.
    pub variables: BTreeMap<String, String>,
    /// Files of ours in its state.
    pub files: BTreeMap<&'static str, &'static str>,
    /// True if the prompt goes to standard input.
    pub prompt_on_stdin: bool,
}
