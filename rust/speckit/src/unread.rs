//! Lines that look like tasks and are not read as such: why, and what would make tasks of them.

use std::fmt::Write as _;

use super::depends::number_of;
use super::task::TaskList;

/// A line that looks like a task and is not read as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadLine {
    /// Its number, counted from 1.
    pub line: usize,
    /// Why it is not.
    pub why: UnreadReason,
}

/// Why a line that looks like a task is not read as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnreadReason {
    /// The sign in its box is none of the four.
    Sign(Box<str>),
    /// It has a box and no ID.
    NoId,
    /// It has this ID and no box.
    NoBox(Box<str>),
    /// Its box is not written as that of a list item.
    Form,
    /// It is a row of a table.
    Row,
    /// It stands in a summary of tasks none of which is read.
    Recap,
    /// It repeats the task of this line.
    Repeat(usize),
    /// It has a box and no ID, under a heading of what is to be checked.
    Checklist,
}

impl UnreadReason {
    /// Returns true if something is lost by it: a repetition and a checklist are no tasks of their own.
    pub fn is_loss(&self) -> bool {
        !matches!(self, Self::Repeat(_) | Self::Checklist)
    }

    /// Why, about one line.
    pub fn said(&self) -> String {
        match self {
            Self::Sign(sign) => format!(
                "this line is no task: `[{sign}]` is no box of a task list; expected `[ ]`, `[x]`, `[~]` or `[-]`"
            ),
            Self::NoId => "has a box and no ID".into(),
            Self::NoBox(id) => format!("has the ID {id} and no box"),
            Self::Form => "its box is not written as `- [ ] `".into(),
            Self::Row => "is a row of a table".into(),
            Self::Recap => "stands in a summary of tasks that are not read".into(),
            Self::Repeat(line) => format!("repeats the task of line {line}"),
            Self::Checklist => "has a box and no ID, in a checklist".into(),
        }
    }
}

/// Lines of one reason, and what is said of them together.
struct Group {
    holds: fn(&UnreadReason) -> bool,
    /// The words for what they have.
    has: &'static str,
    /// The advice about them.
    advice: &'static str,
}

const GROUPS: [Group; 5] = [
    Group {
        holds: |why| *why == UnreadReason::NoId,
        has: "a box and no ID",
        advice: "Put an ID behind the box of each that is a task",
    },
    Group {
        holds: |why| matches!(why, UnreadReason::NoBox(_)),
        has: "an ID and no box",
        advice: "Put a bullet and a box before the ID of each that is a task",
    },
    Group {
        holds: |why| *why == UnreadReason::Form,
        has: "a box that is not written as one of a list item",
        advice: "Write each with a bullet, a blank, the box and a blank",
    },
    Group {
        holds: |why| *why == UnreadReason::Row,
        has: "a place in a table",
        advice: "Write each as an item of a list",
    },
    Group {
        holds: |why| *why == UnreadReason::Recap,
        has: "a place in a summary of tasks that are not read",
        advice: "Write the tasks above as items of a list",
    },
];

impl Group {
    fn said(&self, lines: &[usize], example: &str) -> String {
        let Self { has, advice, .. } = self;
        let what = match lines {
            [line] => format!("line {line} looks like a task and is not read: it has {has}"),
            lines => format!(
                "{} lines look like tasks and are not read: they have {has} (lines {})",
                lines.len(),
                listed(lines)
            ),
        };
        format!("{what}. {advice}: `{example}`")
    }
}

impl TaskList {
    /// Returns the number of lines that look like tasks, are not read, and say something that no task says.
    pub fn lost(&self) -> usize {
        self.unread.iter().filter(|one| one.why.is_loss()).count()
    }

    /// Returns the problems of the list, by lines: one sentence for all lines of one reason.
    pub fn problems(&self) -> Vec<(usize, String)> {
        let fences = self.fences.iter();
        let mut problems: Vec<(usize, String)> = fences
            .map(|fence| (fence.line, format!("{fence}. {}", fence.advice())))
            .collect();
        let signs = self.unread.iter();
        problems.extend(signs.filter_map(|one| {
            let is_sign = matches!(one.why, UnreadReason::Sign(_));
            is_sign.then(|| (one.line, one.why.said()))
        }));
        let example = self.example();
        for group in &GROUPS {
            let lines = self.unread.iter().filter(|one| (group.holds)(&one.why));
            let lines: Vec<usize> = lines.map(|one| one.line).collect();
            if let Some(first) = lines.first() {
                problems.push((*first, group.said(&lines, &example)));
            }
        }
        problems.sort_by_key(|(line, _)| *line);
        problems
    }

    /// A task with the next free ID.
    fn example(&self) -> String {
        let numbers = self.tasks.iter().filter_map(|task| number_of(&task.id));
        let next = numbers.max().map_or(1, |last| last.saturating_add(1));
        format!("- [ ] T{next:03} What to do")
    }
}

/// Line numbers in their order, neighbours as one range.
pub fn listed(lines: &[usize]) -> String {
    let mut listed = String::new();
    for run in lines.chunk_by(|before, after| *after <= before + 1) {
        let comma = if listed.is_empty() { "" } else { ", " };
        let _ = match run {
            [first, .., last] if last > first => write!(listed, "{comma}{first}-{last}"),
            [first, ..] => write!(listed, "{comma}{first}"),
            [] => Ok(()),
        };
    }
    listed
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn lines_in_a_row_are_one_range() {
        assert_eq!(listed(&[1, 2, 3, 5, 9, 10]), "1-3, 5, 9-10");
        assert_eq!(listed(&[7]), "7");
    }
}
