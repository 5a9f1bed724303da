//! The templates of agents that need no configuration: their start, their arguments and variables,
//! and the place of their state.
//!
//! A template has two forms. The confined one is for runs that the kernel confines: the agent must
//! not ask, and its own sandbox is switched off, since one inside of another fails. The guarded one
//! is for runs without confinement: the agent itself limits its actions. An agent that cannot do
//! that has none, with the reason.

mod anthropic;
mod github;
mod google;
mod openai;
mod others;
mod ours;
mod providers;
mod unproven;

pub use chant_agents::token_file::{TokenEnd, TokenFile};
use chant_config::runs::ArgumentGroup;
use chant_provider::ModelProtocol;

/// Arguments; each inner list is left out if one of its placeholders has no value.
pub type ArgumentLists = &'static [&'static [&'static str]];
/// Variables and their values; a variable is left out if one of its placeholders has no value.
pub type VariableTemplates = &'static [(&'static str, &'static str)];
/// Names of variables, or of files.
pub type NameList = &'static [&'static str];

/// The template of a built-in agent.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name in configurations.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Other names for it.
    pub aliases: NameList,
    /// The names of its program; the first one that exists is started.
    pub programs: &'static [ProgramName],
    /// The arguments behind the program in both forms.
    pub(super) head: ArgumentLists,
    /// The form without questions, for confined runs.
    pub(super) confined: LaunchForm,
    /// The form that limits it where nothing else does.
    pub guarded: UnconfinedLaunch,
    /// The last arguments in both forms.
    pub(super) tail: ArgumentLists,
    /// Variables that keep it from sending usage data, and from replacing itself while it works.
    pub quiet: VariableTemplates,
    /// The name of the format of its events.
    pub events: &'static str,
    /// The protocol between our own program and a model, if our program is the agent.
    pub(super) protocol: Option<ModelProtocol>,
    /// True if `sonnet` may be its model.
    pub(super) knows_sonnet: bool,
    /// Variables with its credentials: one of them is enough for a login.
    pub keys: NameList,
    /// Variables with the address and the options of its provider. Like the keys they are passed to
    /// it and to no other agent.
    pub(super) settings: NameList,
    /// The place of its own state.
    pub state: AgentState,
    /// The arguments of a command that reports by its exit code whether a user is logged in.
    pub login_probe: NameList,
    /// The commands that list its options.
    pub help: ArgumentLists,
    /// Options of its template that its help does not list.
    pub hidden: NameList,
    /// The arguments with which it continues an earlier session, before the last ones.
    pub resume: NameList,
    /// The files of a session below its state, if it was tried that it goes on with one of these alone.
    pub transcripts: NameList,
    /// The release that we ran; `None` for a template that is only based on documents.
    pub tested: Option<&'static str>,
    /// Instructions for installing it.
    pub install: &'static str,
    /// Instructions for logging in.
    pub log_in: &'static str,
    /// Instructions for a login that does not end while runs work.
    pub lasting: &'static str,
    /// Further facts that people should know before they choose it.
    pub note: &'static str,
}

/// A name of a program.
#[derive(Debug, PartialEq, Eq)]
pub struct ProgramName {
    /// Its name.
    pub name: &'static str,
    /// For names that other programs share: a part of the path of the real file.
    pub lies_in: Option<&'static str>,
}

/// A form in which an agent is started.
#[derive(Debug, PartialEq, Eq)]
pub struct LaunchForm {
    /// Its arguments, behind those of all forms.
    pub arguments: ArgumentLists,
    /// Variables in its environment.
    pub variables: VariableTemplates,
}

/// The ways to start an agent without confinement.
#[derive(Debug, PartialEq, Eq)]
pub enum UnconfinedLaunch {
    /// In this form.
    By(LaunchForm),
    /// It is not started, for this reason.
    Not(&'static str),
}

/// The place of an agent's own state, and the parts that a confined run gets.
///
/// A run gets a state of its own, which is removed with it. The user's own is not writable,
/// although that would be simpler: an agent's settings name programs that it starts (servers,
/// hooks), so a process that can write them acts outside as soon as the user starts the agent
/// there.
#[derive(Debug, PartialEq, Eq)]
pub struct AgentState {
    /// The means to move it.
    pub place: StateRelocation,
    /// Files in it that name the user or the provider; copied into that of a run.
    pub login: NameList,
    /// The form of the one of these files that holds refresh tokens, which a run does not get; where it is not known,
    /// a run gets no text of theirs that is called a refresh token.
    pub tokens: Option<TokenFile>,
    /// Files that are created in that of a run, with their texts.
    pub files: VariableTemplates,
}

/// The means to move the state of an agent.
#[derive(Debug, PartialEq, Eq)]
pub enum StateRelocation {
    /// It has none.
    Nowhere,
    /// A variable names its folder, whose usual path in the user's home follows; empty for the home
    /// itself.
    Variable(&'static str, &'static str),
    /// It gets a home folder of its own, which leads to everything in the user's except these
    /// folders.
    Home(NameList),
}

const STATELESS: AgentState = AgentState {
    place: StateRelocation::Nowhere,
    login: &[],
    tokens: None,
    files: &[],
};

const NOTHING: LaunchForm = LaunchForm {
    arguments: &[],
    variables: &[],
};

/// The defaults of a template.
const USUAL: BuiltIn = BuiltIn {
    name: "",
    title: "",
    aliases: &[],
    programs: &[],
    head: &[],
    confined: NOTHING,
    guarded: UnconfinedLaunch::By(NOTHING),
    tail: &[],
    quiet: &[],
    events: "plain",
    protocol: None,
    knows_sonnet: false,
    keys: &[],
    settings: &[],
    state: STATELESS,
    login_probe: &[],
    help: &[&["--help"]],
    hidden: &[],
    resume: &[],
    transcripts: &[],
    tested: None,
    install: "",
    log_in: "",
    lasting: "set the key of its provider; `chant-mcp agents show NAME` names the variables",
    note: "",
};

/// Returns a name that only this program has.
const fn own(name: &'static str) -> ProgramName {
    ProgramName {
        name,
        lies_in: None,
    }
}

/// The built-in agents, in the order in which one is chosen if the configuration names none. Those
/// without a prompt in their arguments read it from standard input.
pub(super) static BUILT_IN: [&BuiltIn; 18] = [
    &anthropic::CLAUDE,
    &openai::CODEX,
    &github::COPILOT,
    &others::CURSOR,
    &others::OPENCODE,
    &google::GEMINI,
    &google::QWEN,
    &others::KIRO,
    &others::AMP,
    &unproven::GOOSE,
    &unproven::CRUSH,
    &others::CLINE,
    &unproven::AIDER,
    &others::PI,
    &unproven::DROID,
    &ours::OLLAMA,
    &ours::OPENAI,
    &ours::DEMO,
];

impl BuiltIn {
    /// Returns true if a name means this agent.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// Returns the program that its template was written for.
    pub(crate) fn usual_program(&self) -> &'static str {
        self.programs.first().map_or("{chant}", |own| own.name)
    }

    /// Returns true if it is a program of others, which has to be installed.
    pub fn is_installed_by_people(&self) -> bool {
        !self.programs.is_empty()
    }

    /// Returns all variables of ours that it gets besides those for all agents.
    pub fn credentials(&self) -> Vec<&'static str> {
        [self.keys, self.settings].concat()
    }

    /// Returns its command behind `program`, in one of its forms.
    pub(super) fn command(&self, form: &LaunchForm, program: &str) -> Vec<ArgumentGroup> {
        // One whose transcripts are not known does not go on with a session here.
        let resume = [self.resume];
        let resume = &resume[..usize::from(!self.transcripts.is_empty())];
        let groups = [self.head, form.arguments, resume, self.tail].concat();
        let owned = |group: &[&str]| group.iter().map(|piece| (*piece).to_owned()).collect();
        let argument = |group: &[&str]| match group {
            [one] => ArgumentGroup::One((*one).to_owned()),
            several => ArgumentGroup::Together(owned(several)),
        };
        let program = ArgumentGroup::One(program.to_owned());
        std::iter::once(program)
            .chain(groups.into_iter().map(argument))
            .collect()
    }
}
