//! New tasks, in the form and under the names of the program.

use chant_plan_format::intent::{EditRequest, ItemDraft, PlanFileStep, UnitEdit};
use chant_plan_format::refusal::EditRefusal;
use chant_text::front_matter::{FrontMatterValue, render};

use super::config::{BacklogConfig, backlog_folder};
use super::edit::lines_of;
use super::format::config_of;
use super::marks::{KNOWN, holds_mark, marks_of};
use super::task_ids::TaskId;

/// The longest title in the name of a file, in bytes.
const MAX_TITLE: usize = 120;

/// The edit that makes the file of a new task, with a number that no task has.
pub(super) fn new_task(
    parent: Option<&str>,
    draft: &ItemDraft,
    request: &EditRequest<'_>,
) -> Result<UnitEdit, EditRefusal> {
    let config = config_of(request.settings);
    let Some(folder) = backlog_folder(request.settings) else {
        return Err(EditRefusal::UnsoundDocument {
            path: "backlog".into(),
            why: "no configuration says that this is a backlog; `backlog init` makes one".into(),
        });
    };
    let unfit = |why: String| EditRefusal::UnfitText {
        why,
        path: format!("{folder}/tasks"),
    };
    let title = draft.title.trim();
    if title.is_empty() || title.contains(['\n', '\r']) {
        return Err(unfit("a title has one line, with words".into()));
    }
    let lines = draft
        .criteria
        .iter()
        .chain(&draft.labels)
        .chain(&draft.depends_on);
    if lines
        .clone()
        .any(|line| line.trim().is_empty() || line.contains(['\n', '\r']))
    {
        return Err(unfit(
            "criteria, labels and dependencies have one line each, with words".into(),
        ));
    }
    if holds_mark(&draft.text) || draft.criteria.iter().any(|one| holds_mark(one)) {
        return Err(unfit(
            "it holds one of the marks with which the format's own program encloses sections"
                .into(),
        ));
    }
    for name in &draft.depends_on {
        let id = TaskId::read_bare(name, &config.prefix).map(|id| id.to_string());
        let is_there = |id: &String| request.taken.iter().any(|taken| **taken == **id);
        if !id.as_ref().is_some_and(is_there) {
            return Err(unfit(format!("there is no task '{name}' to wait for")));
        }
    }
    let holder = parent.map(|parent| {
        let id = TaskId::read_bare(parent, &config.prefix);
        let is_there = |id: &TaskId| request.taken.iter().any(|taken| **taken == *id.to_string());
        id.filter(is_there).ok_or_else(|| EditRefusal::NoSuchItem {
            name: parent.into(),
            path: folder.clone(),
        })
    });
    let holder = holder.transpose()?;
    let id = next_id(&config, holder.as_ref(), request.taken);
    let number = written_number(&config, &id);
    let prefix = config.prefix.to_lowercase();
    let path = format!(
        "{folder}/tasks/{prefix}-{number} - {}.md",
        file_title(title)
    );
    let text = text_of(
        &config,
        &format!("{}-{number}", id.prefix),
        holder.as_ref(),
        draft,
        request.now,
    );
    let mut edit = UnitEdit {
        files: vec![PlanFileStep::Create { path, text }],
        added: Some(id.to_string().into()),
        ..UnitEdit::default()
    };
    if config.commits {
        edit.notes.push("the format's own program would have committed this (`auto_commit`); nothing was committed".into());
    }
    Ok(edit)
}

/// The first number that is greater than all that are taken.
fn next_id(config: &BacklogConfig, holder: Option<&TaskId>, taken: &[Box<str>]) -> TaskId {
    let prefix = holder.map_or_else(
        || config.prefix.to_ascii_uppercase(),
        |holder| holder.prefix.clone(),
    );
    let above: &[String] = holder.map_or(&[], |holder| &holder.number);
    let used = taken.iter().filter_map(|name| {
        let id = TaskId::read(name.split('~').next().unwrap_or_default())?;
        let number = id.number.strip_prefix(above)?.first()?;
        (id.prefix == prefix).then(|| number.parse::<u64>().ok())?
    });
    let next = used.max().unwrap_or(0).saturating_add(1);
    let mut number = above.to_vec();
    number.push(next.to_string());
    TaskId { prefix, number }
}

/// A number with the zeros that the configuration asks for.
fn written_number(config: &BacklogConfig, id: &TaskId) -> String {
    let width = config.digits;
    let mut parts = id.number.iter();
    let first = parts
        .next()
        .map(|number| format!("{number:0>width$}"))
        .unwrap_or_default();
    parts.fold(first, |number, part| format!("{number}.{part}"))
}

/// The title as a name of a file has it.
fn file_title(title: &str) -> String {
    let is_refused = |c: char| c.is_control() || "<>:\"/\\|?*".contains(c);
    let plain: String = title
        .chars()
        .map(|c| if is_refused(c) { ' ' } else { c })
        .collect();
    let mut words = plain.split_whitespace().collect::<Vec<_>>().join("-");
    let mut end = MAX_TITLE.min(words.len());
    while !words.is_char_boundary(end) {
        end -= 1;
    }
    words.truncate(end);
    let words = words.trim_matches(['-', '.']);
    if words.is_empty() {
        "task".into()
    } else {
        words.into()
    }
}

fn text_of(
    config: &BacklogConfig,
    id: &str,
    holder: Option<&TaskId>,
    draft: &ItemDraft,
    now: &str,
) -> String {
    let text = |text: &str| FrontMatterValue::Text(text.to_owned());
    let status = config
        .default_status
        .as_deref()
        .filter(|status| config.place_of(status).is_some());
    let status = status
        .or(config.statuses.first().map(String::as_str))
        .unwrap_or_default();
    let mut pairs = vec![
        ("id", text(id)),
        ("title", text(draft.title.trim())),
        ("status", text(status)),
        ("assignee", FrontMatterValue::List(Vec::new())),
        ("labels", FrontMatterValue::List(draft.labels.clone())),
        (
            "dependencies",
            FrontMatterValue::List(draft.depends_on.clone()),
        ),
    ];
    if let Some(holder) = holder {
        pairs.push(("parent_task_id", text(&holder.to_string())));
    }
    let date = format!(
        "{} {}",
        now.get(..10).unwrap_or_default(),
        now.get(11..16).unwrap_or_default()
    );
    // The program quotes dates.
    let front_matter = render(&pairs).replacen(
        "assignee: []\n",
        &format!("assignee: []\ncreated_date: '{date}'\n"),
        1,
    );
    let mut body = String::new();
    for known in &KNOWN {
        let (open, close) = marks_of(known.marks.first().copied().unwrap_or_default());
        let criteria = |texts: &[String]| -> String {
            let numbered = texts.iter().enumerate();
            numbered
                .map(|(at, text)| format!("- [ ] #{} {}\n", at + 1, text.trim()))
                .collect()
        };
        let (gap, content) = match known.marks {
            ["SECTION:DESCRIPTION"] => ("\n", lines_of(&draft.text, "\n")),
            ["AC"] => ("", criteria(&draft.criteria)),
            ["DOD"] => ("", criteria(&config.definition_of_done)),
            _ => continue,
        };
        if !content.is_empty() {
            body.push_str(&format!(
                "\n## {}\n{gap}{open}\n{content}{close}\n",
                known.title
            ));
        }
    }
    format!("{front_matter}{body}")
}
