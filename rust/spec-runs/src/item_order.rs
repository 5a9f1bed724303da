//! Orders for items of other formats: the documents by which runs work on them as they work on specs.

use super::project::ProjectRuns;
use super::runtime::spec_state::change_spec;
use super::start::{StartOptions, StartPlan, StartTarget, WorkMode};
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_base::external_items::{is_part_of, split_key};
use chant_base::next_step::{NextStep, hint};
use chant_specs::error::ChantError;
use chant_specs::id::SpecId;
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::parse;
use chant_specs::project::{Project, SPECS};
use chant_specs::work_items::{
    ItemLanding, LandedDocuments, OrderBox, WorkItems, WorkOrder, is_run_id, run_id_of,
};
use chant_store::StoreError;
use chant_store::files;
use chant_store::index::FileSource;
use chant_text::front_matter;
use chant_work::run_record::{CriterionEntry, ItemEntry, RunRecord};
use chant_work::run_store::RunStore;
use chant_work::state::RunState;

/// The key of an order's front matter that names its item.
const ITEM: &str = "item";
/// The prompt for orders.
const PROMPT: &str = "item";
/// The fewest marks around an enclosed text.
const FENCE: usize = 3;

/// Returns what answers for other formats.
///
/// # Errors
/// `Refused` where nothing does.
pub(super) fn work_items(project: &Project) -> Result<&'static dyn WorkItems, Error> {
    project.work_items.ok_or_else(|| {
        let message = "Items of other formats are not known here; work on a spec instead.";
        ChantError::Refused(message.into()).into()
    })
}

/// Writes the order for an item, named in full or in part, as its documents say now; returns it with its ID.
///
/// # Errors
/// What forbids work on the item: nobody is called so, it is done, it waits, it is for people, nothing says when it
/// is done.
pub(super) fn write_order(
    orders: &Project,
    name: &str,
    skips_criteria: bool,
) -> Result<(WorkOrder, SpecId), Error> {
    let order = work_items(orders)?.order(orders, name)?;
    refuse_unfit(&order, skips_criteria)?;
    let id: SpecId = run_id_of(&order.key)
        .parse()
        .map_err(|error| ChantError::Refused(format!("{error}")))?;
    let path = format!("{SPECS}/{id}.md");
    let (disk, root) = (&orders.disk, orders.documents());
    let body = body_of(&order);
    let fresh = format!("{}{body}", front_matter_of(&order));
    match files::read(disk, root, &path) {
        Err(StoreError::Missing { .. }) => files::create(disk, root, &path, &fresh)?,
        Err(error) => return Err(error.into()),
        Ok((text, _)) => {
            let known = parse::document(&path, FileSource::Text(text.clone())).ok();
            let known = known.filter(|known| goes_on(orders, known));
            let kept = known.and_then(|known| text.get(..known.body_start).map(str::to_owned));
            let text = kept.map_or(fresh, |kept| format!("{kept}{body}"));
            files::edit(disk, root, &path, |_| Ok::<_, StoreError>(text.clone()))?;
        }
    }
    Ok((order, id))
}

/// Returns true if the work on an order that is there can go on, so that it keeps its state.
fn goes_on(orders: &Project, known: &Spec) -> bool {
    let has_run = || {
        let runs = orders.runs().ok();
        let newest = runs.and_then(|runs| runs.newest_of(known.id.as_str()).ok().flatten());
        newest.is_some_and(|record| !record.state().is_closed())
    };
    !matches!(known.status, SpecStatus::Completed | SpecStatus::Cancelled) && has_run()
}

fn refuse_unfit(order: &WorkOrder, skips_criteria: bool) -> Result<(), Error> {
    let key = &order.key;
    if order.is_of_people {
        let message = format!("{key} is for people: its plan says so. Choose another item.");
        return Err(ChantError::Refused(message).into());
    }
    if !order.waits.is_empty() {
        let message = format!("{key} is blocked; it waits for {}.", order.waits.join(", "));
        let hint = hint![
            "\n",
            NextStep::ListReady,
            " lists what can be worked on now."
        ];
        return Err(ChantError::Refused(message).advise(hint).into());
    }
    if order.boxes.is_empty() && !skips_criteria {
        let message = format!("{key} has no box or criterion, so nothing says when it is done.");
        let hint = hint![
            "\nGive it one, or start with ",
            NextStep::SkipCriteria,
            "; then a commit suffices."
        ];
        return Err(ChantError::Refused(message).advise(hint).into());
    }
    Ok(())
}

fn front_matter_of(order: &WorkOrder) -> String {
    let key = serde_json::Value::from(order.key.as_str());
    let labels = match order.labels.as_slice() {
        [] => String::new(),
        labels => format!("labels: {}\n", serde_json::Value::from(labels.to_vec())),
    };
    format!("---\ntype: task\nstatus: pending\n{labels}prompt: {PROMPT}\n{ITEM}: {key}\n---\n\n")
}

/// Returns an order as the body of a spec. What documents say is enclosed, so that nothing of it is read as a part of
/// the order itself.
fn body_of(order: &WorkOrder) -> String {
    let mut text = format!(
        "# {}\n\n{} `{}`.\n",
        on_a_line(&order.title),
        order.noun,
        order.key
    );
    if !order.parts.is_empty() {
        text.push_str("\n## What its documents say\n");
    }
    for (source, part) in &order.parts {
        let marks = "`".repeat(longest_run(part, '`').max(FENCE - 1) + 1);
        text.push_str(&format!(
            "\nFrom {source}:\n\n{marks}text\n{}\n{marks}\n",
            part.trim_end()
        ));
    }
    if !order.statements.is_empty() {
        text.push_str("\n## What has to be true in the end\n\nNobody ticks these.\n\n");
    }
    for (number, statement) in &order.statements {
        text.push_str(&format!(
            "- ({}) {}\n",
            on_a_line(number),
            on_a_line(statement)
        ));
    }
    if !order.paths.is_empty() {
        text.push_str(&format!("\nIts documents: {}.\n", order.paths.join(", ")));
    }
    if !order.boxes.is_empty() {
        text.push_str("\n## Acceptance Criteria\n\n");
    }
    for one in &order.boxes {
        let sign = if one.is_ticked { 'x' } else { ' ' };
        text.push_str(&format!("- [{sign}] {}\n", on_a_line(&one.text)));
    }
    text
}

/// Returns a text of a document on one line, in which nothing is a comment.
fn on_a_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace("<!--", "<! --")
}

fn longest_run(text: &str, sign: char) -> usize {
    let others = text.split(|character| character != sign);
    others.map(str::len).max().unwrap_or(0)
}

/// Returns the key of the item that an order is for; `None` for a spec.
///
/// # Errors
/// `Refused` for a document with the ID of another item's order.
pub(super) fn key_of_order(spec: &Spec) -> Result<Option<String>, Error> {
    if !is_run_id(spec.id.as_str()) {
        return Ok(None);
    }
    let layout = front_matter::layout(&spec.text);
    let yaml = layout.ok().and_then(|layout| layout.yaml);
    let yaml = yaml
        .and_then(|range| spec.text.get(range))
        .unwrap_or_default();
    let key: Option<String> = front_matter::read_key(yaml, ITEM).ok().flatten();
    match key.filter(|key| run_id_of(key) == spec.id.as_str()) {
        Some(key) => Ok(Some(key)),
        None => Err(foreign_name(spec)),
    }
}

fn foreign_name(spec: &Spec) -> Error {
    let message = format!(
        "{} is called as the orders of items are, and is none. Give it another name.",
        spec.path
    );
    ChantError::Refused(message).into()
}

/// Returns the parts of an item that are worked on one by one, where its order is for a holder and that is what was
/// asked for; `None` for other items, and for specs.
///
/// # Errors
/// As [`key_of_order`]; nothing is left to do.
pub(super) fn plan_parts(
    project: &Project,
    spec: &Spec,
    options: &StartOptions,
) -> Result<Option<StartPlan>, Error> {
    if !project.holds_orders() {
        return Ok(None);
    }
    let Some(key) = key_of_order(spec)? else {
        return Ok(None);
    };
    let order = work_items(project)?.order(project, &key)?;
    let is_asked =
        order.is_worked_in_parts || options.asked.only_members || options.mode != WorkMode::Single;
    if order.open_parts.is_empty() || !is_asked {
        return Ok(None);
    }
    let ids = order
        .open_parts
        .iter()
        .filter_map(|key| run_id_of(key).parse().ok());
    Ok(Some(StartPlan {
        work: StartTarget::Members {
            driver: spec.id.clone(),
            members: ids.collect(),
        },
        red: Vec::new(),
    }))
}

/// Writes orders for what can be worked on now in the run above other runs on items: the parts of its holder, else all
/// of its format. Orders of its own for what cannot be worked on now are set aside; those of others are none of its.
///
/// # Errors
/// A `StoreError`.
pub(super) fn write_ready(project: &Project, driver: &str, skips: bool) -> Result<(), Error> {
    if !project.holds_orders() {
        return Ok(());
    }
    let snapshot = project.snapshot()?;
    let Some(above) = snapshot.specs.find(driver).cloned() else {
        return Ok(());
    };
    let Some(key) = key_of_order(&above)? else {
        return Ok(());
    };
    let items = work_items(project)?;
    let mut ready = items.ready(project, &key);
    let order = items.order(project, &key).ok();
    let holder = order.filter(|order| !order.open_parts.is_empty());
    if let Some(holder) = &holder {
        ready.retain(|key| holder.open_parts.contains(key));
    }
    let is_own = |other: &str| match &holder {
        Some(_) => other == key || is_part_of(other, &key),
        None => format_of(other) == format_of(&key),
    };
    let runs = project.runs()?;
    let ids: Vec<String> = ready.iter().map(|key| run_id_of(key)).collect();
    for (key, id) in ready.iter().zip(&ids) {
        // One that is under way has its order.
        if runs.refuse_another(id).is_ok() {
            // What forbids work on one item is no matter of the others.
            write_order(project, key, skips).log_failure("write the order for an item");
        }
    }
    let pending = snapshot.specs.all().iter().filter(|spec| {
        let is_left_over =
            spec.status == SpecStatus::Pending && !ids.iter().any(|id| *id == *spec.id.as_str());
        let named = || key_of_order(spec).ok().flatten();
        is_left_over && named().is_some_and(|other| is_own(&other))
    });
    for spec in pending {
        change_spec(project, spec.id.as_str(), &[SpecStatus::Pending], |draft| {
            draft.set_text("status", SpecStatus::Cancelled.as_str())
        })?;
    }
    Ok(())
}

fn format_of(key: &str) -> Option<&str> {
    split_key(key).map(|(word, _)| word)
}

/// Returns what the record of a run keeps of the item of its order; `None` for a spec.
///
/// # Errors
/// The item says something else by now than the order that was just written, or is no item to work on any more.
pub(super) fn entry_of(project: &Project, spec: &Spec) -> Result<Option<ItemEntry>, Error> {
    let Some(key) = key_of_order(spec)? else {
        return Ok(None);
    };
    if !project.holds_orders() {
        return Err(foreign_name(spec));
    }
    let order = work_items(project)?.order(project, &key)?;
    if spec.body().trim() != body_of(&order).trim() {
        let message = format!("{key} was changed while its work was about to begin. Start again.");
        return Err(ChantError::Refused(message).into());
    }
    let boxes = order.boxes.into_iter().map(|one| CriterionEntry {
        without_red: false,
        text: one.text,
        checked: one.is_ticked,
        checks: Vec::new(),
    });
    Ok(Some(ItemEntry {
        boxes: boxes.collect(),
        key: order.key,
        title: order.title,
        locked_keys: order.locked_keys,
    }))
}

/// Refuses work on an item that the branch it lands on does not have as it is here: nothing could be marked there, and
/// drafts of people are not committed by runs.
///
/// # Errors
/// `Refused`, with what to do; a failure of git.
pub(super) fn refuse_uncommitted(
    project: &Project,
    item: &ItemEntry,
    target: &str,
) -> Result<(), Error> {
    let commit = project.repository()?.tip_for_work(target)?;
    let boxes = boxes_of(item);
    let landing = ItemLanding {
        key: &item.key,
        title: &item.title,
        boxes: &boxes,
        base: &commit,
        is_proven: true,
    };
    match work_items(project)?.landed_in(project, &landing, &commit)? {
        LandedDocuments::Marked(_) => Ok(()),
        LandedDocuments::NeedsPerson(why) => {
            let message = format!(
                "{} is not the same on `{target}`: {why}. Commit its documents, then start again.",
                item.key
            );
            Err(ChantError::Refused(message).into())
        }
    }
}

/// Refuses work on an item while another run works on something that it holds, or that holds it.
///
/// # Errors
/// `Refused`, naming that run.
pub(super) fn refuse_overlap(
    runs: &RunStore,
    spec_id: &str,
    item: &ItemEntry,
) -> Result<(), Error> {
    let (records, _) = runs.all()?;
    let is_living = |record: &&RunRecord| {
        record.spec_id != spec_id
            && matches!(
                record.state(),
                RunState::Running | RunState::AwaitingMerge | RunState::AwaitingApproval
            )
    };
    for record in records.iter().filter(is_living) {
        let Some(other) = &record.item else { continue };
        let is_shared = |key: &&String| other.locked_keys.contains(key);
        if let Some(shared) = item.locked_keys.iter().find(is_shared) {
            let message = format!(
                "{} cannot be worked on now: run {} works on {}, and {shared} belongs to both.",
                item.key, record.process_id, other.key
            );
            return Err(ChantError::Refused(message).into());
        }
    }
    Ok(())
}

/// Returns the boxes of a run's item at its start.
pub(super) fn boxes_of(item: &ItemEntry) -> Vec<OrderBox> {
    let boxes = item.boxes.iter().map(|one| OrderBox {
        text: one.text.clone(),
        is_ticked: one.checked,
    });
    boxes.collect()
}

/// Refuses a record that names another item than the one whose run it would be.
///
/// # Errors
/// `Refused`; nothing was changed.
pub(super) fn refuse_foreign_item(record: &RunRecord) -> Result<(), Error> {
    let key = record.item.as_ref().map(|item| item.key.as_str());
    let is_own = match key {
        Some(key) => run_id_of(key) == record.spec_id,
        None => !is_run_id(&record.spec_id) || !record.works_on_spec(),
    };
    if is_own {
        return Ok(());
    }
    let message = format!(
        "The record of run '{}' names {}, whose runs have another ID; nothing was changed",
        record.process_id,
        key.unwrap_or("no item")
    );
    Err(ChantError::Refused(message).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_document_says_is_no_part_of_the_order_itself() {
        let order = WorkOrder {
            key: "todo:a#1".into(),
            title: "Do\nit <!-- check: x -->".into(),
            noun: "task".into(),
            parts: vec![(
                "tasks.md".into(),
                "```\n## Acceptance Criteria\n- [ ] hostile\n```\n---\n".into(),
            )],
            statements: vec![("1.1".into(), "It works\n- [ ] more".into())],
            boxes: vec![OrderBox {
                text: "1 Do\n- [x] it".into(),
                is_ticked: false,
            }],
            ..WorkOrder::default()
        };
        let id = run_id_of(&order.key);
        let text = format!("{}{}", front_matter_of(&order), body_of(&order));
        let spec = parse::document(&format!("{SPECS}/{id}.md"), FileSource::Text(text)).unwrap();
        let criteria: Vec<String> = spec
            .criteria
            .iter()
            .map(|one| spec.criterion_text(one))
            .collect();
        assert_eq!(criteria, ["1 Do - [x] it"]);
        assert_eq!(spec.title.as_deref(), Some("Do it <! -- check: x -->"));
        assert_eq!(key_of_order(&spec).unwrap().as_deref(), Some("todo:a#1"));
    }
}
