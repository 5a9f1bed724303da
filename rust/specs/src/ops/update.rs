//! A spec's keys, criteria and body, changed in place.

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;

use super::add::check_known;
use super::edit::{self, SpecDraft};
use super::wording;
use crate::checks::without_checks;
use crate::error::ChantError;
use crate::model::{Criterion, Spec, SpecStatus};
use crate::project::{Project, ProjectSnapshot};
use crate::specs::describe_cycle;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_base::external_items::is_key;
use chant_base::format_words::find_format_word;
use chant_base::ident::ResolvedId;
use chant_base::next_step::{NextStep, hint};
use chant_graph::cycles::Cycle;
use chant_graph::{Edge, EdgeKind, Node};
use chant_text::checklist::{behind_box, without_bullet};
use chant_text::edit::{Edit, line_break, with_line_break};
use chant_text::front_matter::FrontMatterValue;
use chant_text::markdown;
use chant_text::merge::merged_list;

/// The changes to a spec; what is `None` or empty stays as it is.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpecUpdate {
    /// New state.
    pub status: Option<String>,
    /// Text to append as a section `## Output`, or the new body.
    pub output: Option<String>,
    /// IDs the spec waits for, in place of those it has.
    pub depends_on: Option<Vec<String>>,
    /// Labels, in place of those it has.
    pub labels: Option<Vec<String>>,
    /// Target files, in place of those it has.
    pub target_files: Option<Vec<String>>,
    /// Model; an empty text takes the key out.
    pub model: Option<String>,
    /// Criteria to tick, by their text.
    pub check: Vec<String>,
    /// Criteria to untick, by their text.
    pub uncheck: Vec<String>,
    /// True if `output` takes the place of the body.
    pub replace_body: bool,
    /// True if the rules about states, criteria, members and cycles are skipped.
    pub force: bool,
    /// The body that `output` was written for; with another one nothing is changed.
    pub expect_body: Option<String>,
    /// The lists that the new ones were made from, by their keys: what others added or took out since stays so.
    pub seen_lists: BTreeMap<String, Vec<String>>,
    /// True if an unknown type or dependency is refused.
    pub refuse_broken: bool,
    /// New title.
    pub title: Option<String>,
    /// New type.
    pub r#type: Option<String>,
    /// Assignee; an empty text takes the key out.
    pub assignee: Option<String>,
    /// Priority; an empty text takes the key out.
    pub priority: Option<String>,
    /// Criteria to add behind the last one.
    pub add_criteria: Vec<String>,
    /// Criteria to take out, by their text.
    pub remove_criteria: Vec<String>,
}

impl SpecUpdate {
    fn is_empty(&self) -> bool {
        let has_output = self
            .output
            .as_deref()
            .is_some_and(|output| !output.is_empty());
        let lists = [&self.depends_on, &self.labels, &self.target_files];
        let words = [
            &self.status, &self.model, &self.title, &self.r#type, &self.assignee, &self.priority,
        ];
        let criteria = [
            &self.check, &self.uncheck, &self.add_criteria, &self.remove_criteria,
        ];
        !(has_output
            || lists.iter().any(|list| list.is_some())
            || words.iter().any(|word| word.is_some())
            || criteria.iter().any(|list| !list.is_empty()))
    }

    /// The new state.
    ///
    /// # Errors
    /// `InvalidStatus` for a word that is none, `NoUpdates` when nothing is to be changed at all.
    pub(super) fn status(&self) -> Result<Option<SpecStatus>, ChantError> {
        let status = self.status.as_deref().map(str::parse).transpose()?;
        if self.is_empty() {
            return Err(ChantError::NoUpdates);
        }
        Ok(status)
    }
}

/// `chant_spec_update`: changes what is given, all of it or nothing.
///
/// To `completed` a spec goes only with its criteria met, counting the ones ticked by this call, and
/// its members done; `force` waives that and the table of transitions. Dependencies may be partial
/// IDs; unknown ones are kept and reported.
///
/// # Errors
/// As [`Project::resolve`]; `InvalidStatus`, `NoUpdates`; else prefixed `Failed to update spec`.
pub fn update(project: &Project, id: &str, update: &SpecUpdate) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let spec = project.resolve_to_edit(&snapshot, id)?;
    let status = update.status()?;
    let failed = |error: Error| error.during("Failed to update spec");
    if let Some(copy) = project.copy_with(&spec.id)? {
        if status.is_some() {
            project.refuse_own(&spec.id, "given another status")?;
        }
        return self::update(&copy, spec.id.as_str(), update);
    }
    if status.is_some() {
        let runs = project.run_lookup;
        runs.refuse_running(project, &spec).map_err(failed)?;
    }
    refuse_nul(update)?;
    let mut unknown = Vec::new();
    let depends_on = update
        .depends_on
        .as_ref()
        .map(|names| full_names(project, &snapshot, names, &mut unknown));
    let depends_on = depends_on.transpose()?;
    if update.refuse_broken {
        check_known(project, update.r#type.as_deref(), None, &unknown)?;
    }
    let completes = |spec: &Spec| completes(spec, status);
    let config = snapshot.config.clone();
    let change = |snapshot: &ProjectSnapshot, draft: &mut SpecDraft| {
        let depends_on = depends_on.as_deref();
        let depends_on =
            depends_on.map(|new| merged_names(project, snapshot, draft.spec(), update, new));
        apply(snapshot, draft, update, status, depends_on.as_deref())
    };
    let containers = edit::change(project, snapshot, &spec, completes, change).map_err(failed)?;
    let mut text = format!("Updated spec: {}", spec.id);
    for name in unknown {
        text.push_str(&format!(
            "\nWarning: unknown dependency '{name}'; the spec stays blocked until there is one."
        ));
    }
    text.push_str(&edit::describe_completed(&containers));
    let mut note = None;
    if completes(&spec) {
        let config = config.as_ref().ok();
        note = config.and_then(|config| without_checks(&spec, config));
        text.push_str(&project.run_lookup.leave_receipt(project, &spec));
    }
    Ok(Answer {
        note: note.map(str::to_owned),
        ..Answer::prose(text)
    })
}

/// `chant_spec_update` from inside a run: the run's own spec, and all others, are changed in the run's folder, and
/// land with its branch. A merge takes neither status nor ticks of other specs, so these are refused.
///
/// # Errors
/// As [`update`]; `Refused` where no run asks, or the run's folder has no such spec.
pub fn update_from_run(project: &Project, id: &str, update: &SpecUpdate) -> Result<Answer, Error> {
    let refused = |why: String| Err(Error::from(ChantError::Refused(why)));
    let snapshot = project.snapshot()?;
    let spec = project.resolve_to_edit(&snapshot, id)?;
    if project.copy_with(&spec.id)?.is_some() {
        return self::update(project, spec.id.as_str(), update);
    }
    let Some(copy) = project.copy_of_run()? else {
        return refused("No run asks for this".into());
    };
    if update.status.is_some() || !update.check.is_empty() || !update.uncheck.is_empty() {
        return refused(format!(
            "Spec '{}' is not the one you work on. From inside a run its status and its criteria cannot be changed. \
             Say what you found with `output`, or with rstn_report_status.",
            spec.id
        ));
    }
    if copy.snapshot()?.specs.find(spec.id.as_str()).is_none() {
        return refused(format!(
            "Spec '{}' is not in your folder, so a change of it cannot land with your branch. \
             Add a spec with chant_add that says what should change.",
            spec.id
        ));
    }
    let done = self::update(&copy, spec.id.as_str(), update)?.text;
    let allowed = snapshot.config.as_ref();
    let when = if allowed.is_ok_and(|config| config.runs.may_change_other_specs) {
        ""
    } else {
        " when a person agrees (defaults.allow_other_specs is not set)"
    };
    let next =
        format!("It is changed in your folder; commit it, and it lands with your branch{when}.");
    Ok(Answer::prose(format!("{done}\n{next}")))
}

/// Returns true if a change to a state makes a spec a completed one.
pub(super) fn completes(spec: &Spec, status: Option<SpecStatus>) -> bool {
    status == Some(SpecStatus::Completed) && spec.status != SpecStatus::Completed
}

pub(super) fn refuse_nul(update: &SpecUpdate) -> Result<(), ChantError> {
    let has_nul = |output: &String| output.contains('\0');
    if !update.output.as_ref().is_some_and(has_nul) {
        return Ok(());
    }
    Err(ChantError::InvalidArgument {
        name: "output",
        why: "expected text without NUL characters".into(),
    })
}

/// Changes a draft.
pub(super) fn apply(
    snapshot: &ProjectSnapshot,
    draft: &mut SpecDraft,
    update: &SpecUpdate,
    status: Option<SpecStatus>,
    depends_on: Option<&[String]>,
) -> Result<(), Error> {
    let expected = update.expect_body.as_deref();
    if expected.is_some_and(|body| body != draft.spec().body()) {
        let id = draft.spec().id.to_string();
        return Err(ChantError::BodyChanged { id }.into());
    }
    let ticked = |text: &String| folded(without_box(text));
    let checked: Vec<String> = update.check.iter().map(ticked).collect();
    if let Some(both) = update
        .uncheck
        .iter()
        .find(|text| checked.contains(&ticked(text)))
    {
        let why = format!("'{both}' stands in `check`, too; expected it in one of them");
        return Err(ChantError::InvalidArgument {
            name: "uncheck",
            why,
        }
        .into());
    }
    tick(draft, &update.check, true)?;
    tick(draft, &update.uncheck, false)?;
    wording::apply(draft, update)?;
    if let Some(ids) = depends_on {
        if !update.force {
            refuse_loop(snapshot, draft.spec(), ids)?;
        }
        draft.set(
            "depends_on",
            Some(FrontMatterValue::OneOrMany(ids.to_vec())),
        )?;
    }
    let lists = [
        ("labels", &update.labels),
        ("target_files", &update.target_files),
    ];
    for (key, items) in lists {
        if let Some(items) = items {
            let now = match key {
                "labels" => &draft.spec().labels,
                _ => &draft.spec().target_files,
            };
            let now = texts(now.as_deref().unwrap_or_default());
            let seen = update.seen_lists.get(key).unwrap_or(&now);
            let items = merged_list(seen, items, &now);
            draft.set(key, Some(FrontMatterValue::List(items)))?;
        }
    }
    match update.model.as_deref() {
        None => {}
        Some("") => draft.set("model", None)?,
        Some(model) => draft.set_text("model", model)?,
    }
    match update.output.as_deref().filter(|output| !output.is_empty()) {
        None => {}
        Some(output) if update.replace_body => replace_body(draft, output)?,
        Some(output) => append_output(draft, output)?,
    }
    // Last, because what is written above decides: a new body brings its own criteria.
    let Some(status) = status else {
        return Ok(());
    };
    if !update.force {
        refuse_status(snapshot, draft.spec(), status)?;
    }
    draft.set_text("status", status.as_str())
}

/// The rules for a change of state by hand.
fn refuse_status(
    snapshot: &ProjectSnapshot,
    spec: &Spec,
    status: SpecStatus,
) -> Result<(), ChantError> {
    // Only derivation distinguishes pending and blocked; what is stored decides what may follow.
    if !spec.status.may_become(status) {
        return Err(ChantError::Transition {
            from: spec.status,
            to: status,
        });
    }
    if status != SpecStatus::Completed || spec.status == SpecStatus::Completed {
        return Ok(());
    }
    let open: Vec<String> = spec
        .criteria
        .iter()
        .filter(|c| !c.checked)
        .map(|c| spec.criterion_text(c))
        .collect();
    if !open.is_empty() {
        let message = format!(
            "All acceptance criteria must be checked\n{} open: {}.",
            open.len(),
            open.join("; ")
        );
        let hint = hint![
            " Tick those that are met with ",
            NextStep::TickCriteria(spec.id.to_string()),
            ", or use ",
            NextStep::Force,
            ".",
        ];
        let refusal = ChantError::Unchecked {
            message,
            criteria: open,
        };
        return Err(refusal.advise(hint));
    }
    let members = snapshot.specs.open_members(&spec.id);
    if members.is_empty() {
        return Ok(());
    }
    let message = format!("Incomplete driver members: {}", members.join(", "));
    Err(ChantError::OpenMembers { message, members })
}

/// The IDs that a spec is to wait for, as they come out of what it waits for now.
pub(super) fn merged_names(
    project: &Project,
    snapshot: &ProjectSnapshot,
    spec: &Spec,
    update: &SpecUpdate,
    new: &[String],
) -> Vec<String> {
    let Some(seen) = update.seen_lists.get("depends_on") else {
        return new.to_vec();
    };
    let full = |names: &[String]| {
        // Names that stand for several specs are compared as they are written.
        full_names(project, snapshot, names, &mut Vec::new()).unwrap_or_else(|_| names.to_vec())
    };
    merged_list(
        &full(seen),
        new,
        &full(&texts(spec.depends_on.as_deref().unwrap_or_default())),
    )
}

fn texts(items: &[Box<str>]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

/// Partial IDs made full; names of other repositories and dialects, and unknown ones, as given.
pub(super) fn full_names(
    project: &Project,
    snapshot: &ProjectSnapshot,
    names: &[String],
    unknown: &mut Vec<String>,
) -> Result<Vec<String>, Error> {
    let mut full = Vec::new();
    for name in names {
        let name = name.trim();
        if name.is_empty() {
            let why = "expected spec IDs, got an empty text".into();
            return Err(ChantError::InvalidArgument {
                name: "depends_on",
                why,
            }
            .into());
        }
        let local = name.strip_prefix("chant:").unwrap_or(name);
        let is_elsewhere = snapshot.specs.find(local).is_none()
            && (project.is_archived(local)
                || snapshot.specs.broken().any(|broken| &*broken.id == local));
        let resolved = match snapshot.specs.resolve(name, &project.clock.today()) {
            // A full ID means itself, also where its spec cannot be read at the moment.
            _ if is_elsewhere => name.to_owned(),
            ResolvedId::One(spec) => spec.id.to_string(),
            ResolvedId::Many(_) => {
                project.resolve(snapshot, name)?;
                continue;
            }
            ResolvedId::None => {
                let is_unknown = match local.split_once(':') {
                    None => snapshot.specs.find(local).is_none(),
                    Some((prefix, _)) => !is_key(name) && !is_prefix(snapshot, prefix),
                };
                if is_unknown {
                    unknown.push(name.to_owned());
                }
                name.to_owned()
            }
        };
        if !full.contains(&resolved) {
            full.push(resolved);
        }
    }
    Ok(full)
}

/// Returns true if the text before a colon names a dialect or a repository, or if that cannot be known.
fn is_prefix(snapshot: &ProjectSnapshot, prefix: &str) -> bool {
    let Ok(config) = &snapshot.config else {
        return true;
    };
    find_format_word(prefix).is_some()
        || config.repositories.iter().any(|known| known.name == prefix)
}

/// Refuses dependencies that would close a cycle through the spec, implied steps included.
fn refuse_loop(
    snapshot: &ProjectSnapshot,
    spec: &Spec,
    names: &[String],
) -> Result<(), ChantError> {
    let graph = snapshot.specs.graph();
    let Some(own) = graph.find(spec.id.as_str()) else {
        return Ok(());
    };
    // What a driver names its members wait for too.
    let members = snapshot
        .specs
        .members(&spec.id)
        .filter_map(|member| graph.find(member.id.as_str()));
    let goals: HashSet<Node> = std::iter::once(own).chain(members).collect();
    for name in names {
        let name = name.strip_prefix("chant:").unwrap_or(name);
        let inside = name
            .strip_prefix(spec.id.as_str())
            .is_some_and(|rest| rest.starts_with('.'));
        let Some(to) = graph.find(name).filter(|_| !inside) else {
            continue;
        };
        let first = Edge {
            to,
            kind: EdgeKind::Explicit,
            via: own,
        };
        if let Some(path) = graph.path_to(to, &goals) {
            let cycle: Cycle = std::iter::once((own, first)).chain(path).collect();
            let mut path = describe_cycle(graph, &cycle);
            if let Some((_, last)) = cycle.last().filter(|(_, last)| last.to != own) {
                // The cycle closes because a member waits for what its driver names.
                path.push(format!("{} (driver of {})", spec.id, graph.key(last.to)));
            }
            return Err(ChantError::Cycle { path });
        }
    }
    Ok(())
}

/// Ticks or unticks criteria; each is named by its text, with or without its box.
fn tick(draft: &mut SpecDraft, texts: &[String], checked: bool) -> Result<(), Error> {
    let mut edits = Vec::new();
    for text in texts {
        let spec = draft.spec();
        let reading = |wanted: &str| -> Vec<&Criterion> {
            let criteria = spec.criteria.iter();
            criteria
                .filter(|c| !wanted.is_empty() && spec.criterion_text(c) == wanted)
                .collect()
        };
        let mut found = reading(&folded(text));
        if found.is_empty() {
            found = reading(&folded(without_box(text)));
        }
        if found.is_empty() {
            let criteria = spec
                .criteria
                .iter()
                .map(|c| spec.criterion_text(c))
                .collect();
            return Err(ChantError::NoSuchCriterion {
                text: text.clone(),
                criteria,
            }
            .into());
        }
        for criterion in found.into_iter().filter(|c| c.checked != checked) {
            let mark = criterion.marker as usize + 1;
            let edit = Edit::replace(mark..mark + 1, if checked { "x" } else { " " });
            if !edits.contains(&edit) {
                edits.push(edit);
            }
        }
    }
    draft.edit_body(edits)
}

/// A criterion as a person may copy it from a list, its bullet and box left out.
pub(super) fn without_box(text: &str) -> &str {
    behind_box(text).unwrap_or_else(|| without_bullet(text))
}

pub(super) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Appends a section `## Output` in the line ends of the file.
fn append_output(draft: &mut SpecDraft, output: &str) -> Result<(), Error> {
    let body = draft.spec().body();
    let eol = line_break(&draft.spec().text);
    let gap = if body.is_empty() || body.ends_with('\n') {
        ""
    } else {
        eol
    };
    let section = with_line_break(&format!("\n## Output\n\n{output}\n"), eol);
    let end = body.len();
    draft.edit_body(vec![Edit::insert(end, format!("{gap}{section}"))])
}

/// Puts a text in the place of the body; without a title of its own it keeps the old one.
fn replace_body(draft: &mut SpecDraft, text: &str) -> Result<(), Error> {
    let spec = draft.spec();
    let eol = line_break(&spec.text);
    let has_title = markdown::outline(text)
        .headings
        .iter()
        .any(|heading| heading.level == 1);
    let title = spec
        .title
        .as_deref()
        .filter(|_| !has_title)
        .map(|title| format!("# {title}\n\n"))
        .unwrap_or_default();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let body = with_line_break(&format!("{title}{text}{end}"), eol);
    let length = spec.body().len();
    draft.edit_body(vec![Edit::replace(0..length, body)])
}
