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
    /// Whether something is lost by it: a repetition and a checklist are no tasks of their own.
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

impl TaskList {
    /// How many lines look like tasks, are not read, and say something that no task says.
    pub fn lost(&self) -> usize {
        self.unread.iter().filter(|one| one.why.is_loss()).count()
    }

    /// What is wrong with the list, by lines: one sentence for all lines of one reason.
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
        let groups: [(fn(&UnreadReason) -> bool, &str, String); 5] = [
            (
                |why| *why == UnreadReason::NoId,
                "a box and no ID",
                format!("Put an ID behind the box of each that is a task: `{example}`"),
            ),
            (
                |why| matches!(why, UnreadReason::NoBox(_)),
                "an ID and no box",
                format!("Put a bullet and a box before the ID of each that is a task: `{example}`"),
            ),
            (
                |why| *why == UnreadReason::Form,
                "a box that is not written as one of a list item",
                format!("Write each with a bullet, a blank, the box and a blank: `{example}`"),
            ),
            (
                |why| *why == UnreadReason::Row,
                "a place in a table",
                format!("Write each as an item of a list: `{example}`"),
            ),
            (
                |why| *why == UnreadReason::Recap,
                "a place in a summary of tasks that are not read",
                format!("Write the tasks above as items of a list: `{example}`"),
            ),
        ];
        for (is_of_it, has, advice) in groups {
            let lines = self.unread.iter().filter(|one| is_of_it(&one.why));
            let lines: Vec<usize> = lines.map(|one| one.line).collect();
            if let Some(first) = lines.first() {
                let what = match lines.len() {
                    1 => format!("line {first} looks like a task and is not read: it has {has}"),
                    count => format!(
                        "{count} lines look like tasks and are not read: they have {has} (lines {})",
                        listed(&lines)
                    ),
                };
                problems.push((*first, format!("{what}. {advice}")));
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
