//! Task lists: tasks, the phases they stand in, and their progress.

use std::collections::HashSet;
use strum::IntoStaticStr;

use super::unread::UnreadLine;
use chant_text::fences::SwallowingFence;

/// The state of a task, by the character in its box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum TaskMark {
    /// `[ ]`.
    Open,
    /// `[x]` or `[X]`.
    Done,
    /// `[~]`: started or put off; still to be done.
    Partial,
    /// `[-]`: not to be done.
    Skipped,
}

impl TaskMark {
    /// All marks.
    pub const ALL: [Self; 4] = [Self::Open, Self::Done, Self::Partial, Self::Skipped];

    /// The mark that a character stands for.
    pub fn of(character: char) -> Option<Self> {
        match character {
            ' ' => Some(Self::Open),
            'x' | 'X' => Some(Self::Done),
            '~' => Some(Self::Partial),
            '-' => Some(Self::Skipped),
            _ => None,
        }
    }

    /// Returns true if nothing waits for such a task.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Done | Self::Skipped)
    }

    /// Its word in answers.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A box without an ID: something that its task has to meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskCriterion {
    /// Its text.
    pub text: String,
    /// Its state.
    pub mark: TaskMark,
    /// True if it stands inside its task, not behind it.
    pub is_nested: bool,
    /// The byte between its brackets.
    pub box_at: usize,
    /// Its line, counted from 1.
    pub line: usize,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its ID as written.
    pub id: Box<str>,
    /// Its state.
    pub mark: TaskMark,
    /// The byte between its brackets; none for a heading without a box, of which the boxes below it say how
    /// far it is.
    pub box_at: Option<usize>,
    /// Its line, counted from 1.
    pub line: usize,
    /// The task it is a part of, by its place in the list.
    pub parent: Option<usize>,
    /// True if it is marked `[P]`.
    pub is_parallel: bool,
    /// `US1` and the like.
    pub stories: Vec<String>,
    /// Other words in brackets after its ID.
    pub labels: Vec<String>,
    /// Its text and the lines that go on with it.
    pub description: String,
    /// The files it names.
    pub paths: Vec<String>,
    /// IDs of the tasks it says it depends on.
    pub depends_on: Vec<String>,
    /// Keys of items of other documents that it says it depends on.
    pub needs: Vec<String>,
    /// Boxes without an ID that belong to it.
    pub criteria: Vec<TaskCriterion>,
    /// Its phase, by its place in the list of phases.
    pub phase: Option<usize>,
    /// The heading of the third level above it.
    pub group: Option<String>,
}

impl Task {
    /// The first line of its description.
    pub fn title(&self) -> &str {
        self.description.lines().next().unwrap_or_default()
    }

    /// Returns true if it has this ID, in any case.
    pub fn is_named(&self, id: &str) -> bool {
        self.id.eq_ignore_ascii_case(id)
    }
}

/// A part of the list under a heading of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskPhase {
    /// The heading.
    pub title: String,
    /// Its number, for `Phase 3: …`.
    pub number: Option<u32>,
    /// The user story it is for, as tasks name it: `US1`.
    pub story: Option<String>,
    /// `P1` and the like.
    pub priority: Option<String>,
    /// True if the heading says that this is the first thing of use.
    pub is_mvp: bool,
    /// The condition that has to hold when it is over.
    pub checkpoint: Option<String>,
}

/// All tasks of a feature, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskList {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// The phases, those without tasks among them.
    pub phases: Vec<TaskPhase>,
    /// Lines that look like tasks and are not read as such, in the order of the file.
    pub unread: Vec<UnreadLine>,
    /// Fences that take in headings or boxes.
    pub fences: Vec<SwallowingFence>,
}

/// So many tasks of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskProgress {
    /// Done.
    pub done: usize,
    /// Neither done nor started.
    pub open: usize,
    /// Started or put off.
    pub partial: usize,
    /// Not to be done; they do not count.
    pub skipped: usize,
}

impl TaskProgress {
    /// Counts tasks.
    pub fn of<'a>(tasks: impl IntoIterator<Item = &'a Task>) -> Self {
        let mut progress = Self::default();
        for task in tasks {
            *match task.mark {
                TaskMark::Done => &mut progress.done,
                TaskMark::Open => &mut progress.open,
                TaskMark::Partial => &mut progress.partial,
                TaskMark::Skipped => &mut progress.skipped,
            } += 1;
        }
        progress
    }

    /// All that are done or to be done.
    pub fn total(&self) -> usize {
        self.done + self.open + self.partial
    }
}

impl std::fmt::Display for TaskProgress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.done, self.total())
    }
}

/// Returns true if two IDs have the same letters and the same number, whatever zeros are before it.
pub fn has_same_number(one: &str, other: &str) -> bool {
    let parts = |id: &str| {
        let letters = id.bytes().take_while(u8::is_ascii_alphabetic).count();
        let number: u64 = id[letters..].parse().ok()?;
        Some((id[..letters].to_ascii_uppercase(), number))
    };
    parts(one).is_some_and(|parts_of_one| Some(parts_of_one) == parts(other))
}

impl TaskList {
    /// The places of the tasks with an ID, in any case; several where the file has it twice. Where there is
    /// none, those of its number: `T6` stands for `T006`.
    pub fn named(&self, id: &str) -> Vec<usize> {
        let id = id.trim();
        let places = |is_it: &dyn Fn(&Task) -> bool| -> Vec<usize> {
            let places = 0..self.tasks.len();
            places.filter(|at| is_it(&self.tasks[*at])).collect()
        };
        let exact = places(&|task| task.is_named(id));
        if !exact.is_empty() {
            return exact;
        }
        places(&|task| has_same_number(&task.id, id))
    }

    /// The tasks of a phase.
    pub fn of_phase(&self, phase: usize) -> impl Iterator<Item = &Task> {
        let is_in = move |task: &&Task| task.phase == Some(phase);
        self.tasks.iter().filter(is_in)
    }

    /// Keys of items of other documents that tasks depend on, in the order of the file, each once.
    pub fn needs(&self) -> Vec<String> {
        let mut seen = HashSet::new();
        let keys = self.tasks.iter().flat_map(|task| &task.needs);
        keys.filter(|key| seen.insert(key.as_str()))
            .cloned()
            .collect()
    }

    /// The names of the phases that have tasks, by their places: `phase-3` for the only `Phase 3: …`,
    /// `part-2` for the second one where the heading has no such number.
    pub fn phase_names(&self) -> Vec<Option<String>> {
        let mut parts = 0;
        let name = |(at, phase): (usize, &TaskPhase)| {
            self.of_phase(at).next()?;
            parts += 1;
            let same = self
                .phases
                .iter()
                .filter(|other| other.number == phase.number);
            Some(match phase.number {
                Some(number) if same.count() == 1 => format!("phase-{number}"),
                _ => format!("part-{parts}"),
            })
        };
        self.phases.iter().enumerate().map(name).collect()
    }

    /// Returns the progress of all tasks.
    pub fn progress(&self) -> TaskProgress {
        TaskProgress::of(&self.tasks)
    }
}
