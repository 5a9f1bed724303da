//! Hints as data: what may help, with arguments. Each door words them for who asks there: a tool for agents,
//! a command for people, a method for scripts.

use serde_json::{Map, Value, json};
use strum::IntoStaticStr;

mod words;

/// The door through which a caller asks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DoorKind {
    /// Agents, over MCP: tools and their parameters.
    #[default]
    Agents,
    /// People, on the command line and the board: commands and flags.
    People,
    /// Scripts in Python: methods and keywords.
    Scripts,
}

impl DoorKind {
    /// All doors, in the order of tables.
    pub const ALL: [Self; 3] = [Self::Agents, Self::People, Self::Scripts];

    /// The word that Python names it by.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The door of a word; `None` for any other word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|door| door.word() == word)
    }
}

/// Something that may help, with what it needs. How it is called is another thing at each door.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextStep {
    /// Make a project of specs in this folder.
    InitSpecs,
    /// Look at the specs there are.
    ListSpecs,
    /// Look at what can be worked on.
    ListReady,
    /// Add a spec.
    AddSpec,
    /// Add members to this spec.
    AddMembers(String),
    /// Look at a spec with its members.
    Diagnose(String),
    /// Look at what lint finds in a spec.
    Lint(String),
    /// Look at a spec's log.
    ShowLog(String),
    /// Change a spec.
    EditSpec(String),
    /// Tick acceptance criteria of a spec.
    TickCriteria(String),
    /// Have an agent work on a spec.
    Work(String),
    /// Look at runs.
    ListRuns,
    /// Stop the work on a spec for a while.
    Pause(String),
    /// Stop the work on a spec and see how far it is.
    TakeOver(String),
    /// Give a spec up.
    Cancel(String),
    /// Make a spec pending again.
    Reset(String),
    /// Complete a spec.
    Finalize(String),
    /// Complete a spec whose work was done already.
    AlreadyDone(String),
    /// Have a spec split into members.
    Split(String),
    /// For a person alone: agree to a spec or its work.
    Approve(String),
    /// For a person alone: disagree with it.
    Reject(String),
    /// For a person alone: judge and merge the work on a spec.
    Merge(String),
    /// For a person alone: take a spec from the clone that works on it.
    TakeFromClone(String),
    /// For a person alone: work on a spec without asking other clones.
    WorkOffline(String),
    /// For a person alone: look at which clone works on what.
    ListLeases,
    /// For a person alone: bring the checkout up to what landed on the remote.
    FollowRemote,
    /// For a person alone: look at what a folder asks for.
    ShowTrust,
    /// For a person alone: trust a folder.
    Trust,
    /// For a person alone: see how agents are started and held.
    Doctor,
    /// For a person alone: look for mistakes in configuration files.
    CheckConfig,
    /// For a person alone: answer a question.
    Answer(String),
    /// For a person alone: look at the questions, also at those that wait no more.
    ListQuestions {
        /// True for all of them.
        all: bool,
    },
    /// Look at all tasks of a feature.
    ListTasks,
    /// Make the first feature of spec-kit.
    AddFeature,
    /// Choose one of the features for this call.
    ChooseFeature(String),
    /// Look at what can be started in a task graph.
    NextTasks,
    /// Make a task graph.
    NewVine(String),
    /// Look at the ticket projects there are.
    ListTicketProjects,
    /// Make this folder a ticket project.
    InitTickets,
    /// Look at everything there is, of whatever dialect.
    ListItems,
    /// Complete a spec although no log of an agent is there.
    Override,
    /// Have an agent work on a spec, which writes a log.
    MakeLog(String),
    /// Do it although something speaks against it.
    Force,
    /// Begin from the start.
    Fresh,
    /// Start without criteria or with a red quality gate.
    SkipCriteria,
    /// Start work without what recipes install.
    Bare,
    /// For a person alone: remove the layers of recipes.
    PruneLayers,
    /// See what the steps of recipes wrote when they were built in advance.
    ReadBuildLog,
    /// For a person alone: see the recipes that fit the project.
    ProposeRecipes,
    /// Complete a task without checks; that is recorded.
    SkipValidation,
    /// Run checks again.
    Rerun,
    /// Name the branch that is meant.
    NameTarget(String),
    /// Name the branch that work starts from and lands on.
    NameBase(String),
    /// Name the acceptance criteria, and what else a spec may say, when it is made.
    DescribeSpec(&'static str),
}

impl NextStep {
    /// Its name, which never changes.
    pub fn name(&self) -> &'static str {
        match self {
            Self::InitSpecs => "init_specs",
            Self::ListSpecs => "list_specs",
            Self::ListReady => "list_ready",
            Self::AddSpec => "add_spec",
            Self::AddMembers(_) => "add_members",
            Self::Diagnose(_) => "diagnose",
            Self::Lint(_) => "lint",
            Self::ShowLog(_) => "show_log",
            Self::EditSpec(_) => "edit_spec",
            Self::TickCriteria(_) => "tick_criteria",
            Self::Work(_) => "work",
            Self::ListRuns => "list_runs",
            Self::Pause(_) => "pause",
            Self::TakeOver(_) => "take_over",
            Self::Cancel(_) => "cancel",
            Self::Reset(_) => "reset",
            Self::Finalize(_) => "finalize",
            Self::AlreadyDone(_) => "already_done",
            Self::Split(_) => "split",
            Self::Approve(_) => "approve",
            Self::Reject(_) => "reject",
            Self::Merge(_) => "merge",
            Self::TakeFromClone(_) => "take_from_clone",
            Self::WorkOffline(_) => "work_offline",
            Self::ListLeases => "list_leases",
            Self::FollowRemote => "follow_remote",
            Self::ShowTrust => "show_trust",
            Self::Trust => "trust",
            Self::Doctor => "doctor",
            Self::CheckConfig => "check_config",
            Self::Answer(_) => "answer",
            Self::ListQuestions { .. } => "list_questions",
            Self::ListTasks => "list_tasks",
            Self::AddFeature => "add_feature",
            Self::ChooseFeature(_) => "choose_feature",
            Self::NextTasks => "next_tasks",
            Self::NewVine(_) => "new_vine",
            Self::ListTicketProjects => "list_ticket_projects",
            Self::InitTickets => "init_tickets",
            Self::ListItems => "list_items",
            Self::Override => "override",
            Self::MakeLog(_) => "make_log",
            Self::Force => "force",
            Self::Fresh => "fresh",
            Self::SkipCriteria => "skip_criteria",
            Self::Bare => "bare",
            Self::PruneLayers => "prune_layers",
            Self::ReadBuildLog => "read_build_log",
            Self::ProposeRecipes => "propose_recipes",
            Self::SkipValidation => "skip_validation",
            Self::Rerun => "rerun",
            Self::NameTarget(_) => "name_target",
            Self::NameBase(_) => "name_base",
            Self::DescribeSpec(_) => "describe_spec",
        }
    }

    /// Its name and its argument, for programs.
    pub fn data(&self) -> Value {
        let mut data = Map::new();
        data.insert("step".into(), self.name().into());
        let argument = match self {
            Self::AddMembers(id)
            | Self::Diagnose(id)
            | Self::Lint(id)
            | Self::ShowLog(id)
            | Self::EditSpec(id)
            | Self::TickCriteria(id)
            | Self::Work(id)
            | Self::Pause(id)
            | Self::TakeOver(id)
            | Self::Cancel(id)
            | Self::Reset(id)
            | Self::Finalize(id)
            | Self::AlreadyDone(id)
            | Self::Split(id)
            | Self::Approve(id)
            | Self::Reject(id)
            | Self::Merge(id)
            | Self::TakeFromClone(id)
            | Self::WorkOffline(id)
            | Self::MakeLog(id)
            | Self::Answer(id) => Some(("id", json!(id))),
            Self::ListQuestions { all } => Some(("all", json!(all))),
            Self::ChooseFeature(feature) => Some(("feature", json!(feature))),
            Self::NewVine(file) => Some(("file", json!(file))),
            Self::NameTarget(branch) | Self::NameBase(branch) => Some(("branch", json!(branch))),
            Self::DescribeSpec(keys) => Some(("keys", json!(keys))),
            Self::InitSpecs
            | Self::ListLeases
            | Self::FollowRemote
            | Self::ListSpecs
            | Self::ListReady
            | Self::AddSpec
            | Self::ListRuns
            | Self::ShowTrust
            | Self::Trust
            | Self::Doctor
            | Self::CheckConfig
            | Self::ListTasks
            | Self::AddFeature
            | Self::NextTasks
            | Self::ListTicketProjects
            | Self::InitTickets
            | Self::ListItems
            | Self::Override
            | Self::Force
            | Self::Fresh
            | Self::SkipCriteria
            | Self::Bare
            | Self::PruneLayers
            | Self::ReadBuildLog
            | Self::ProposeRecipes
            | Self::SkipValidation
            | Self::Rerun => None,
        };
        if let Some((name, value)) = argument {
            data.insert(name.into(), value);
        }
        Value::Object(data)
    }

    /// Returns true if only a person can do it, so that agents are given the command to pass on.
    pub fn is_for_persons(&self) -> bool {
        matches!(
            self,
            Self::Bare
                | Self::PruneLayers
                | Self::ReadBuildLog
                | Self::ProposeRecipes
                | Self::AlreadyDone(_)
                | Self::Approve(_)
                | Self::Reject(_)
                | Self::Merge(_)
                | Self::TakeFromClone(_)
                | Self::WorkOffline(_)
                | Self::ListLeases
                | Self::FollowRemote
                | Self::ShowTrust
                | Self::Trust
                | Self::Doctor
                | Self::CheckConfig
                | Self::Answer(_)
                | Self::ListQuestions { .. }
                | Self::InitTickets
        )
    }

    /// Returns its name at a door.
    pub fn words(&self, door: DoorKind) -> String {
        match door {
            DoorKind::Agents => words::for_agents(self),
            DoorKind::People => words::for_people(self),
            DoorKind::Scripts => words::for_scripts(self),
        }
    }
}

/// A piece of a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HintPart {
    /// Words that are the same at every door.
    Words(String),
    /// A step that each door names in its own words.
    Step(NextStep),
}

impl From<&str> for HintPart {
    fn from(words: &str) -> Self {
        Self::Words(words.to_owned())
    }
}

impl From<String> for HintPart {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}

impl From<NextStep> for HintPart {
    fn from(step: NextStep) -> Self {
        Self::Step(step)
    }
}

/// A hint that may help, as sentences with steps in them. It follows a message, and says itself by what it is
/// parted from that: a space or a line break.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HintText(Vec<HintPart>);

impl HintText {
    /// The parts in their order.
    pub fn of(parts: Vec<HintPart>) -> Self {
        Self(parts)
    }

    /// The sentences as a door words them.
    pub fn at(&self, door: DoorKind) -> String {
        let word = |part: &HintPart| match part {
            HintPart::Words(words) => words.clone(),
            HintPart::Step(step) => step.words(door),
        };
        self.0.iter().map(word).collect()
    }

    /// The steps that it names, in their order.
    pub fn steps(&self) -> impl Iterator<Item = &NextStep> {
        self.0.iter().filter_map(|part| match part {
            HintPart::Step(step) => Some(step),
            HintPart::Words(_) => None,
        })
    }

    /// The sentences for each door, and the steps as data.
    pub fn data(&self) -> Value {
        let mut data = Map::new();
        for door in DoorKind::ALL {
            data.insert(door.word().into(), self.at(door).into());
        }
        let steps = self.steps().map(NextStep::data).collect();
        data.insert("steps".into(), Value::Array(steps));
        Value::Object(data)
    }

    /// This hint with another one behind it.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Returns true if it says nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Makes a [`HintText`] of words and steps.
#[macro_export]
macro_rules! hint {
    ($($part:expr),* $(,)?) => {
        $crate::next_step::HintText::of(vec![$($crate::next_step::HintPart::from($part)),*])
    };
}
pub use hint;

#[cfg(test)]
mod tests {
    use super::*;

    fn every_step() -> Vec<NextStep> {
        use NextStep as S;
        let id = || "2026-01-01-001-abc".to_owned();
        vec![
            S::InitSpecs,
            S::ListSpecs,
            S::ListReady,
            S::AddSpec,
            S::AddMembers(id()),
            S::Diagnose(id()),
            S::Lint(id()),
            S::ShowLog(id()),
            S::EditSpec(id()),
            S::TickCriteria(id()),
            S::Work(id()),
            S::ListRuns,
            S::Pause(id()),
            S::TakeOver(id()),
            S::Cancel(id()),
            S::Reset(id()),
            S::Finalize(id()),
            S::AlreadyDone(id()),
            S::Split(id()),
            S::Approve(id()),
            S::Reject(id()),
            S::Merge(id()),
            S::TakeFromClone(id()),
            S::WorkOffline(id()),
            S::ListLeases,
            S::FollowRemote,
            S::ShowTrust,
            S::Trust,
            S::Doctor,
            S::CheckConfig,
            S::Answer(id()),
            S::ListQuestions { all: true },
            S::ListTasks,
            S::AddFeature,
            S::ChooseFeature("001-login".into()),
            S::NextTasks,
            S::NewVine("plan.vine".into()),
            S::ListTicketProjects,
            S::InitTickets,
            S::ListItems,
            S::Override,
            S::MakeLog(id()),
            S::Force,
            S::Fresh,
            S::SkipCriteria,
            S::Bare,
            S::PruneLayers,
            S::ReadBuildLog,
            S::ProposeRecipes,
            S::SkipValidation,
            S::Rerun,
            S::NameTarget("main".into()),
            S::NameBase("main".into()),
            S::DescribeSpec("`criteria`"),
        ]
    }

    #[test]
    fn each_door_names_steps_in_its_own_words() {
        let tools = ["chant_", "vine_", "rstn_", "_crs", ": true"];
        for step in every_step() {
            let said = DoorKind::ALL.map(|door| step.words(door));
            let [agents, people, scripts] = &said;
            let is_command = |text: &str| text.contains("chant-mcp") || text.contains("--");
            assert_eq!(is_command(agents), step.is_for_persons(), "{agents}");
            assert!(tools.iter().all(|tool| !people.contains(tool)), "{people}");
            assert!(
                tools.iter().all(|tool| !scripts.contains(tool)),
                "{scripts}"
            );
            assert!(!people.contains("=True"), "{people}");
            assert!(said.iter().all(|text| !text.is_empty()));
        }
    }

    #[test]
    fn steps_have_names_of_their_own() {
        let steps = every_step();
        let mut names: Vec<&str> = steps.iter().map(NextStep::name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), steps.len());
    }

    #[test]
    fn a_hint_is_worded_at_each_door_and_is_data() {
        let hint = hint![
            "\nTick them with ",
            NextStep::TickCriteria("a".into()),
            ", or use ",
            NextStep::Force,
            "."
        ];
        assert_eq!(
            hint.at(DoorKind::Agents),
            "\nTick them with chant_spec_update (`check`), or use force: true."
        );
        assert_eq!(
            hint.at(DoorKind::People),
            "\nTick them with `chant-mcp tick a`, or use `--force`."
        );
        assert_eq!(
            hint.at(DoorKind::Scripts),
            "\nTick them with `spec.check(…)`, or use `force=True`."
        );
        let steps = json!([{"step": "tick_criteria", "id": "a"}, {"step": "force"}]);
        assert_eq!(hint.data()["steps"], steps);
    }
}
