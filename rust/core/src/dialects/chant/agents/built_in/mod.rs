//! The agents that need no configuration, as data: how each is started, what it is given and where its state lies.
//!
//! A template has two forms. The confined one is for runs that the kernel holds: the agent is not to ask, and a sandbox
//! of its own is switched off, since one inside of another fails. The guarded one is for runs that nothing holds: the
//! agent itself bounds what it does. An agent that cannot do that has none, and says why.

mod anthropic;
mod github;
mod google;
mod openai;
mod others;
mod ours;
mod providers;
mod unproven;

use crate::config::runs::Argument;
use crate::provider::Protocol;

/// Arguments; each inner list is left out when one of its placeholders has no value.
pub type Arguments = &'static [&'static [&'static str]];
/// Variables and their values; one is left out when a placeholder of it has no value.
pub type Values = &'static [(&'static str, &'static str)];
/// Names of variables, or of files.
pub type Names = &'static [&'static str];

/// An agent as it is started.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// What configurations call it.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Other names for it.
    pub aliases: Names,
    /// What its program may be called; the first that is there is started.
    pub programs: &'static [ProgramName],
    /// What follows the program in both forms.
    pub(super) head: Arguments,
    /// What stops it from asking.
    pub(super) confined: Form,
    /// What bounds it where nothing else does.
    pub guarded: Guarded,
    /// What follows in both forms.
    pub(super) tail: Arguments,
    /// Variables that keep it from telling others what it does, and from replacing itself while it works.
    pub quiet: Values,
    /// The name of the format in which it tells what it does.
    pub events: &'static str,
    /// The protocol that our own program speaks with a model, where it is the agent.
    pub(super) protocol: Option<Protocol>,
    /// Whether `sonnet` may be its model.
    pub(super) knows_sonnet: bool,
    /// Variables that hold its credentials: one of them is enough to be logged in.
    pub keys: Names,
    /// Variables that say where its provider is and how it is asked. Like the keys they are passed to it and
    /// to no other agent.
    pub(super) settings: Names,
    /// Where its own state lies.
    pub state: AgentState,
    /// The file of its login whose tokens it renews, where that is known.
    pub renewed: Option<RenewedLogin>,
    /// The arguments of a command of it that says by its exit code who is logged in.
    pub login_probe: Names,
    /// The commands that tell its flags.
    pub help: Arguments,
    /// Flags of its template that its help does not tell.
    pub hidden: Names,
    /// How it goes on with an earlier session.
    pub resume: Names,
    /// The release that we ran; `None` for a template from documents alone.
    pub tested: Option<&'static str>,
    /// How it is installed.
    pub install: &'static str,
    /// How a person logs in.
    pub log_in: &'static str,
    /// What else people should know before they choose it.
    pub note: &'static str,
}

/// What a program may be called.
#[derive(Debug, PartialEq, Eq)]
pub struct ProgramName {
    /// Its name.
    pub name: &'static str,
    /// For names that other programs have, too: what the path of the real file holds.
    pub lies_in: Option<&'static str>,
}

/// One way to start an agent.
#[derive(Debug, PartialEq, Eq)]
pub struct Form {
    /// Its arguments, behind those that all forms have.
    pub arguments: Arguments,
    /// Variables that it finds.
    pub variables: Values,
}

/// How an agent is started that nothing holds.
#[derive(Debug, PartialEq, Eq)]
pub enum Guarded {
    /// By this form.
    By(Form),
    /// Not at all, for this reason.
    Not(&'static str),
}

/// Where an agent's own state lies, and what of it a confined run is given.
///
/// A run gets a state of its own, which goes with it. The user's own is not opened for writing, although that would
/// be simpler: an agent's settings name programs that it starts (servers, hooks), so that whatever may write them
/// acts outside as soon as the user starts the agent there.
#[derive(Debug, PartialEq, Eq)]
pub struct AgentState {
    /// What moves it.
    pub place: StatePlace,
    /// Files in it that say who is logged in, or which provider is asked; copied into that of a run.
    pub login: Names,
    /// Files that a run finds in it, and their texts.
    pub files: Values,
}

/// A file of a login, in which an agent writes new tokens when the old ones end: all places are JSON pointers.
#[derive(Debug, PartialEq, Eq)]
pub struct RenewedLogin {
    /// The file, among those of [`AgentState::login`].
    pub file: &'static str,
    /// Where the tokens stand, and when they end.
    pub tokens: Names,
    /// What says whose login it is.
    pub account: Names,
}

/// What moves the state of an agent.
#[derive(Debug, PartialEq, Eq)]
pub enum StatePlace {
    /// It has none.
    Nowhere,
    /// A variable names its folder, which otherwise lies there in the user's home; empty for the home itself.
    Variable(&'static str, &'static str),
    /// Nothing does: it gets a home folder of its own, which leads to everything in the user's but these folders.
    Home(Names),
}

const STATELESS: AgentState = AgentState {
    place: StatePlace::Nowhere,
    login: &[],
    files: &[],
};

const NOTHING: Form = Form {
    arguments: &[],
    variables: &[],
};

/// What templates say unless they say otherwise.
const USUAL: BuiltIn = BuiltIn {
    name: "",
    title: "",
    aliases: &[],
    programs: &[],
    head: &[],
    confined: NOTHING,
    guarded: Guarded::By(NOTHING),
    tail: &[],
    quiet: &[],
    events: "plain",
    protocol: None,
    knows_sonnet: false,
    keys: &[],
    settings: &[],
    state: STATELESS,
    renewed: None,
    login_probe: &[],
    help: &[&["--help"]],
    hidden: &[],
    resume: &[],
    tested: None,
    install: "",
    log_in: "",
    note: "",
};

/// A name that only this program has.
const fn own(name: &'static str) -> ProgramName {
    ProgramName {
        name,
        lies_in: None,
    }
}

/// The built-in agents, the order in which one is chosen when the configuration names none. Those whose arguments
/// hold no prompt read it from standard input.
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
    /// Whether a name means it.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// The program that its template was written for.
    pub(super) fn usual_program(&self) -> &'static str {
        self.programs.first().map_or("{chant}", |own| own.name)
    }

    /// Whether it is somebody else's program, which has to be installed.
    pub fn is_installed_by_people(&self) -> bool {
        !self.programs.is_empty()
    }

    /// All variables that it is given of ours beside those that everything gets.
    pub fn credentials(&self) -> Vec<&'static str> {
        [self.keys, self.settings].concat()
    }

    /// Its command behind `program`, in one of its forms.
    pub(super) fn command(&self, form: &Form, program: &str) -> Vec<Argument> {
        let groups = [self.head, form.arguments, self.tail].concat();
        let owned = |group: &[&str]| group.iter().map(|piece| (*piece).to_owned()).collect();
        let argument = |group: &[&str]| match group {
            [one] => Argument::One((*one).to_owned()),
            several => Argument::Together(owned(several)),
        };
        let program = Argument::One(program.to_owned());
        std::iter::once(program)
            .chain(groups.into_iter().map(argument))
            .collect()
    }
}
