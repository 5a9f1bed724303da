//! Adding a task to a list: one line behind the last task of a phase, with the next number as its ID.

use super::complete::{in_place, refuse_clash};
use super::error::SpeckitError;
use super::files::{FeatureStore, TASKS};
use super::parse;
use super::resolve::{FeatureDirectory, ResolvedProject};
use super::task::{Task, TaskList, TaskMark};
use chant_base::error::Error;
use chant_store::files;
use chant_text::edit::line_break;

/// Characters that the text of a new task has at most.
const LONGEST: usize = 500;

/// A task that was added.
pub struct AddedTask {
    /// Its ID.
    pub id: Box<str>,
    /// Its line, counted from 1.
    pub line: usize,
}

impl FeatureStore {
    /// Adds a task behind the last one of the phase in which another one stands; without that one, behind the last
    /// task of all.
    ///
    /// # Errors
    /// `NewTask`, `NoTaskList`, `NoTask`, `Duplicate`, `Clashing`, or a `StoreError`; the file is then as it was.
    pub fn add_task(
        &self,
        found: &ResolvedProject,
        feature: &FeatureDirectory,
        title: &str,
        beside: Option<&str>,
    ) -> Result<AddedTask, Error> {
        self.tasks(found, feature)?;
        let root = in_place(found, feature)?;
        let mut added = None;
        let disk = self.disk.clone().staging_in(&found.state);
        files::edit(&disk, root, &feature.within(TASKS), |text| {
            refuse_clash(feature, text)?;
            let (changed, task) = with_task(text, title, beside)?;
            added = Some(task);
            Ok::<_, Error>(changed)
        })?;
        added.ok_or_else(|| refused("the list was not looked at").into())
    }
}

fn refused(why: impl Into<String>) -> SpeckitError {
    SpeckitError::NewTask { why: why.into() }
}

/// The text with one more task. It is read again to prove that all else still means what it meant.
fn with_task(
    text: &str,
    title: &str,
    beside: Option<&str>,
) -> Result<(String, AddedTask), SpeckitError> {
    let title = checked(title)?;
    let list = parse::tasks(text);
    let last = last_of_phase(&list, beside)?;
    let at = end_of_block(text, &list, last);
    let id = next_id(&list);
    let bullet = bullet_of(text, list.tasks[last].line);
    let eol = line_break(text);
    let before = if text[..at].is_empty() || text[..at].ends_with('\n') {
        ""
    } else {
        eol
    };
    let changed = format!(
        "{}{before}{bullet} [ ] {id} {title}{eol}{}",
        &text[..at],
        &text[at..]
    );
    let line = changed[..at + before.len()].matches('\n').count() + 1;
    let is_so = is_only_addition(&list, parse::tasks(&changed), (&id, line));
    let added = AddedTask {
        id: id.into(),
        line,
    };
    is_so.then_some((changed, added)).ok_or_else(|| {
        refused("with it the list would read otherwise; write the line into tasks.md yourself")
    })
}

fn checked(title: &str) -> Result<&str, SpeckitError> {
    let title = title.trim();
    if title.is_empty() {
        return Err(refused("it has no text"));
    }
    if title.chars().any(char::is_control) {
        return Err(refused("expected one line of text"));
    }
    if title.chars().count() > LONGEST {
        return Err(refused(format!("expected at most {LONGEST} characters")));
    }
    Ok(title)
}

/// The last task that is no part of another one, of the phase in which a task stands, or of the list.
fn last_of_phase(list: &TaskList, beside: Option<&str>) -> Result<usize, SpeckitError> {
    let phase = match beside {
        Some(id) => list.tasks[super::complete::find_only_task(list, id)?].phase,
        None => list.tasks.last().and_then(|task| task.phase),
    };
    let is_it = |task: &Task| task.parent.is_none() && task.phase == phase;
    let last = list.tasks.iter().rposition(is_it);
    last.ok_or_else(|| refused("there is no task in its phase"))
}

/// The byte behind a task, its parts, its criteria and the lines that go on with it.
fn end_of_block(text: &str, list: &TaskList, task: usize) -> usize {
    let behind = &list.tasks[task + 1..];
    let parts = behind.iter().take_while(|part| part.parent.is_some());
    let own = list.tasks[task..].iter().take(1 + parts.count());
    let lines = own.flat_map(|one| one.criteria.iter().map(|box_| box_.line).chain([one.line]));
    let last = lines.max().unwrap_or(0);
    let mut end = 0;
    let mut is_open = true;
    let mut reached = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        reached += line.len();
        let is_blank = line.trim().is_empty();
        let is_inside = line.starts_with([' ', '\t']) || (is_open && !line.starts_with('#'));
        if number < last || (!is_blank && is_inside) {
            end = reached;
        } else if !is_blank {
            break;
        }
        is_open = number < last || (is_open && !is_blank);
    }
    end
}

/// The next number in the form of the highest one; `T001` where no task has a plain number.
fn next_id(list: &TaskList) -> String {
    let numbers = list.tasks.iter().filter_map(|task| {
        let digits = task.id.strip_prefix(['T', 't'])?;
        let number: u32 = digits.parse().ok()?;
        Some((number, digits.len()))
    });
    let (number, width) = numbers.max().unwrap_or((0, 3));
    format!("T{:0width$}", number.saturating_add(1))
}

/// The indent and the sign of the list that a line belongs to.
fn bullet_of(text: &str, line: usize) -> String {
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let rest = line.trim_start_matches([' ', '\t']);
    let indent = &line[..line.len() - rest.len()];
    let sign = rest.chars().next().filter(|sign| "-*+".contains(*sign));
    format!("{indent}{}", sign.unwrap_or('-'))
}

/// Returns true if a list has one open task more, and all else as before.
fn is_only_addition(before: &TaskList, after: TaskList, (id, line): (&str, usize)) -> bool {
    let mut after = after;
    let Some(at) = after.tasks.iter().position(|task| task.line == line) else {
        return false;
    };
    let new = after.tasks.remove(at);
    let is_open = new.mark == TaskMark::Open && new.criteria.is_empty();
    let is_new = *new.id == *id && new.parent.is_none() && is_open;
    for task in &mut after.tasks {
        task.parent = task.parent.map(|parent| parent - usize::from(parent > at));
    }
    // Places in the file are others behind the new line; what is said is not.
    let said = |list: &TaskList| {
        let mut tasks = list.tasks.clone();
        for task in &mut tasks {
            task.line = 0;
            task.box_at = task.box_at.map(|_| 0);
            for one in &mut task.criteria {
                (one.line, one.box_at) = (0, 0);
            }
        }
        tasks
    };
    let is_rest = said(before) == said(&after) && before.phases == after.phases;
    is_new && is_rest && before.unread.len() == after.unread.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "# Tasks\n\n## Phase 1: Setup\n\n- [x] T001 Lay the keel\n  in oak\n\n**Checkpoint**: it floats\n\n## Phase 2: Sail\n\n- [ ] T009 [P] Sew a sail\n  - [ ] T010 Cut the cloth\n- [ ] dry\n\n## Notes\n\nWords.\n";

    #[track_caller]
    fn check(text: &str, beside: Option<&str>, behind: &str, line: &str) {
        let (changed, added) =
            with_task(text, "Paint it", beside).unwrap_or_else(|e| panic!("{e}"));
        let expected = text.replacen(behind, &format!("{behind}{line}"), 1);
        assert_eq!(changed, expected);
        assert_eq!(
            changed.lines().nth(added.line - 1),
            line.lines().find(|line| !line.is_empty())
        );
    }

    #[test]
    fn a_task_comes_behind_all_that_belongs_to_the_last_one_of_its_phase() {
        check(LIST, None, "- [ ] dry\n", "- [ ] T011 Paint it\n");
        check(LIST, Some("t001"), "  in oak\n", "- [ ] T011 Paint it\n");
        let windows = LIST.replace('\n', "\r\n");
        check(
            &windows,
            Some("T010"),
            "- [ ] dry\r\n",
            "- [ ] T011 Paint it\r\n",
        );
    }

    #[test]
    fn a_list_that_does_not_end_its_last_line_gets_one() {
        let text = "* [ ] T1 One";
        check(text, None, text, "\n* [ ] T2 Paint it\n");
    }

    #[test]
    fn what_is_no_line_of_text_is_refused() {
        for title in ["", " ", "a\nb", &"x".repeat(501)] {
            assert!(with_task(LIST, title, None).is_err(), "{title:?}");
        }
        assert!(with_task(LIST, "Paint it", Some("T404")).is_err());
    }
}
