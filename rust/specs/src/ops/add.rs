//! New specs.

use std::sync::Arc;

use serde::Deserialize;

use super::lint::findings;
use super::run_addition::RunAddition;
use crate::approval;
use crate::error::ChantError;
use crate::from_run;
use crate::id::{InvalidSpecId, SpecId, date_and_sequence, sequence_text};
use crate::model::{Spec, SpecStatus, SpecType};
use crate::parse;
use crate::project::{Project, ProjectSnapshot, SPECS, prompts};
use crate::{derive, parse::CRITERIA};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_base::next_step::{NextStep, hint};
use chant_store::disk::{LOCK_TIMEOUT, Lock};
use chant_store::index::FileSource;
use chant_store::{StoreError, files};
use chant_text::checklist::behind_box;
use chant_text::front_matter::{self, FrontMatterValue};

/// Bytes of a description beyond which its first line or sentence becomes the title.
const LONG: usize = 80;

/// The content of a new spec.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewSpec {
    /// The work to be done; becomes title and body.
    #[serde(skip)]
    pub description: String,
    /// Name of a prompt template.
    pub prompt: Option<String>,
    /// Acceptance criteria.
    pub criteria: Vec<String>,
    /// IDs it waits for; partial ones are completed.
    pub depends_on: Option<Vec<String>>,
    /// Labels.
    pub labels: Vec<String>,
    /// Files the work touches.
    pub target_files: Vec<String>,
    /// Kind of work; `code` when not given.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The spec it becomes a member of.
    pub parent: Option<String>,
    /// True if a person has to approve before work begins.
    pub needs_approval: bool,
    /// True if a spec that could not be worked on is refused: one that waits for an unknown spec, or
    /// names an unknown type or prompt.
    pub refuse_broken: bool,
}

/// `chant_add`: writes a new spec, which appears whole and under an ID of its own, and lints it.
///
/// # Errors
/// `InvalidArgument`; as [`Project::resolve`] for the parent; that the configuration cannot be read;
/// else prefixed `Failed to create spec`.
pub fn add(project: &Project, new: &NewSpec) -> Result<Answer, Error> {
    let snapshot = project.snapshot()?;
    let UnnumberedSpec {
        parent,
        text,
        warnings,
    } = render_new_spec(project, &snapshot, new)?;
    // Kept any longer it would have to be copied for the spec that comes in addition.
    drop(snapshot);
    let id = create(project, parent.as_deref(), &text)
        .map_err(|error| error.during("Failed to create spec"))?;
    let snapshot = project.snapshot()?;
    let spec = snapshot.specs.find(id.as_str()).cloned();
    let findings = match &spec {
        Some(spec) => findings(project, &snapshot, spec)?,
        None => Vec::new(),
    };
    let mut answer = format!("Created spec: {id}");
    if let Some(parent) = parent.filter(|parent| parent.status.is_done()) {
        answer.push_str(&format!(
            "\nWarning: its driver '{}' is {} already and now has an open member; \
             {} can open the driver again.",
            parent.id,
            parent.status,
            NextStep::EditSpec(parent.id.to_string()).words(project.door)
        ));
    }
    if project.sign_of_run().is_some() {
        answer.push_str(&format!(
            "\nIt waits for a person, since a run added it: {}. No agent begins it before.",
            NextStep::Approve(id.to_string()).words(project.door)
        ));
    }
    for warning in &warnings {
        answer.push_str(&format!("\nWarning: {warning}"));
    }
    if !findings.is_empty() {
        answer.push_str("\n\nLint diagnostics:");
        for finding in findings {
            answer.push_str(&format!(
                "\n  [{}] {}: {}",
                finding.severity.to_uppercase(),
                finding.rule,
                finding.message
            ));
            if let Some(suggestion) = finding.suggestion {
                answer.push_str(&format!("\n    → {suggestion}"));
            }
        }
    }
    Ok(Answer::prose(answer))
}

/// A spec that is not written yet.
pub struct NewSpecFile {
    /// Its path from the project's root.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Returns the file that [`add`] would create as of now, for editors, which write it themselves.
///
/// # Errors
/// As [`add`].
pub fn new_spec_file(project: &Project, new: &NewSpec) -> Result<NewSpecFile, Error> {
    let snapshot = project.snapshot()?;
    let UnnumberedSpec { parent, text, .. } = render_new_spec(project, &snapshot, new)?;
    let id = next_id(project, &snapshot, parent.as_deref())?;
    let path = format!("{SPECS}/{id}.md");
    Ok(NewSpecFile { path, text })
}

/// A new spec that has no ID yet.
pub(super) struct UnnumberedSpec {
    /// The spec it becomes a member of.
    pub parent: Option<Arc<Spec>>,
    /// Its text.
    pub text: String,
    /// Warnings about its derived keys.
    pub warnings: Vec<String>,
}

/// Writes the text of a new spec.
///
/// # Errors
/// As [`add`].
pub(super) fn render_new_spec(
    project: &Project,
    snapshot: &ProjectSnapshot,
    new: &NewSpec,
) -> Result<UnnumberedSpec, Error> {
    let config = snapshot.config.clone()?;
    check_words(new)?;
    if new.prompt.is_some() && project.sign_of_run().is_some() {
        let why =
            "a spec that a run adds names no prompt: a person chooses it when they approve it";
        return Err(ChantError::InvalidArgument {
            name: "prompt",
            why: why.into(),
        }
        .into());
    }
    let parent = new
        .parent
        .as_deref()
        .map(|id| project.resolve(snapshot, id))
        .transpose()?;
    let mut unknown = Vec::new();
    let depends_on = new
        .depends_on
        .as_ref()
        .map(|names| super::update::full_names(project, snapshot, names, &mut unknown));
    let depends_on = depends_on.transpose()?;
    if new.refuse_broken {
        let (kind, prompt) = (new.kind.as_deref(), new.prompt.as_deref());
        check_known(project, kind, prompt, &unknown)?;
    }
    let derived = derive::derive(project, &config);
    let addition = RunAddition::of(project, snapshot);
    if let Some(addition) = &addition {
        addition.refuse_others(parent.as_deref(), depends_on.as_deref())?;
    }
    let mut text = render(new, depends_on, project.spec_of_run(), &derived)?;
    if addition.is_some() {
        text = from_run::prepare_for_approval("new.md", &text)?;
    }
    Ok(UnnumberedSpec {
        parent,
        text,
        warnings: derived.warnings,
    })
}

/// Refuses names of what does not exist: a type, a prompt, the dependencies that are unknown.
///
/// # Errors
/// `InvalidArgument`.
pub(super) fn check_known(
    project: &Project,
    kind: Option<&str>,
    prompt: Option<&str>,
    unknown: &[String],
) -> Result<(), ChantError> {
    let kind = kind.unwrap_or_default();
    let (name, why) = match (unknown.first(), prompt) {
        _ if !kind.is_empty() && !SpecType::NAMES.contains(&kind) => {
            let types = SpecType::NAMES.join(", ");
            ("type", format!("expected one of {types}, got '{kind}'"))
        }
        (Some(id), _) => ("depends_on", format!("no spec is called '{id}'")),
        (None, Some(name)) if !project.has_prompt(name) => {
            ("prompt", format!("there is no {}", prompts::path_of(name)))
        }
        _ => return Ok(()),
    };
    let refusal = ChantError::InvalidArgument { name, why };
    Err(refusal.advise(hint![". ", NextStep::Force, " writes it all the same."]))
}

fn check_words(new: &NewSpec) -> Result<(), ChantError> {
    let refuse = |name: &'static str, why: &str| {
        Err(ChantError::InvalidArgument {
            name,
            why: why.into(),
        })
    };
    if new.description.trim().is_empty() {
        return refuse(
            "description",
            "expected what is to be done, got an empty text",
        );
    }
    if new.description.contains('\0') {
        return refuse("description", "expected text without NUL characters");
    }
    let is_line =
        |text: &String| !criterion_text(text).is_empty() && !text.contains(['\n', '\r', '\0']);
    if !new.criteria.iter().all(is_line) {
        return refuse("criteria", "expected one line of text for each criterion");
    }
    Ok(())
}

/// A criterion's words; a box that was given with them is not doubled.
fn criterion_text(text: &str) -> &str {
    behind_box(text).unwrap_or(text).trim()
}

/// Title and body of a description (reference chant 5.10): a long one, or one of several lines, is
/// cut at its first line break or else behind its first sentence.
fn title_and_body(description: &str) -> (String, String) {
    let description = description.trim();
    let at_line = description.find('\n').map(|at| (at, at + 1));
    let sentence = || {
        let ends = description.match_indices('.').map(|(at, _)| at + 1);
        let mut ends = ends.filter(|end| {
            description[*end..]
                .chars()
                .next()
                .is_none_or(char::is_whitespace)
        });
        ends.next().map(|end| (end, end))
    };
    let cut = at_line.or_else(|| {
        if description.len() > LONG {
            sentence()
        } else {
            None
        }
    });
    match cut {
        Some((end, rest)) if !description[rest..].trim().is_empty() => (
            description[..end].trim().to_owned(),
            description[rest..].trim().to_owned(),
        ),
        _ => (description.to_owned(), String::new()),
    }
}

fn render(
    new: &NewSpec,
    depends_on: Option<Vec<String>>,
    found_by: Option<&str>,
    derived: &derive::DerivedKeys,
) -> Result<String, Error> {
    let list = |own: &[String], more: &[String]| {
        let mut all = own.to_vec();
        all.extend(more.iter().filter(|item| !own.contains(item)).cloned());
        (!all.is_empty()).then_some(FrontMatterValue::List(all))
    };
    let pairs = [
        (
            "type",
            Some(FrontMatterValue::Text(
                new.kind.clone().unwrap_or_else(|| "code".into()),
            )),
        ),
        (
            "status",
            Some(FrontMatterValue::Text(SpecStatus::Pending.as_str().into())),
        ),
        ("depends_on", depends_on.map(FrontMatterValue::List)),
        ("labels", list(&new.labels, &derived.labels)),
        ("target_files", list(&new.target_files, &[])),
        ("context", list(&derived.context, &[])),
        ("prompt", new.prompt.clone().map(FrontMatterValue::Text)),
        (
            "found_by",
            found_by.map(|id| FrontMatterValue::Text(id.to_owned())),
        ),
        ("derived_fields", list(&derived.fields, &[])),
        ("approval", new.needs_approval.then(approval::request_value)),
    ];
    let pairs: Vec<(&str, FrontMatterValue)> = pairs
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)))
        .collect();
    let (title, body) = title_and_body(&new.description);
    let mut text = format!("{}\n# {}\n", front_matter::render(&pairs), title);
    if !body.is_empty() {
        text.push_str(&format!("\n{body}\n"));
    }
    if !new.criteria.is_empty() {
        text.push_str(&format!("\n## {CRITERIA}\n\n"));
        for criterion in &new.criteria {
            text.push_str(&format!("- [ ] {}\n", criterion_text(criterion)));
        }
    }
    check_reads_back(&text, &pairs, new)?;
    Ok(text)
}

/// A text that would not say what was asked for is not written.
fn check_reads_back(
    text: &str,
    pairs: &[(&str, FrontMatterValue)],
    new: &NewSpec,
) -> Result<(), Error> {
    let spec = parse::document("new.md", FileSource::Text(text.to_owned()))
        .map_err(|broken| ChantError::unreadable(&broken))?;
    let list = |key: &str| match pairs.iter().find(|(name, _)| *name == key) {
        Some((_, FrontMatterValue::List(items))) => items.clone(),
        _ => Vec::new(),
    };
    let same = |read: &Option<Vec<Box<str>>>, key: &str| {
        let read: Vec<String> = read.iter().flatten().map(ToString::to_string).collect();
        read == list(key)
    };
    let wrong = match () {
        () if !same(&spec.labels, "labels") => "labels",
        () if !same(&spec.target_files, "target_files") => "target_files",
        () if !same(&spec.depends_on, "depends_on") => "depends_on",
        () if spec.criteria.len() < new.criteria.len() => "criteria",
        () => return Ok(()),
    };
    let why = "it would not read back from the file as it was given".into();
    Err(ChantError::InvalidArgument { name: wrong, why }.into())
}

/// Writes the text under the next free ID. The folder is locked meanwhile, so that numbers do not
/// recur, and the file is created exclusively, so that an ID never does.
pub fn create(project: &Project, parent: Option<&Spec>, text: &str) -> Result<SpecId, Error> {
    let folder = project.folder_lock()?;
    let _lock = Lock::acquire(&folder, std::time::Instant::now() + LOCK_TIMEOUT)?;
    for _ in 0..100 {
        let snapshot = project.snapshot()?;
        // Under the lock, so that several connections of a run cannot pass the limit together.
        if let Some(addition) = RunAddition::of(project, &snapshot) {
            addition.refuse_more(text.len())?;
        }
        let id = next_id(project, &snapshot, parent)?;
        match files::create(
            &project.disk,
            &project.root,
            &format!("{SPECS}/{id}.md"),
            text,
        ) {
            Ok(()) => return Ok(id),
            Err(StoreError::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(ChantError::Refused("no free ID was found; try again".into()).into())
}

/// Returns the next free ID, of a member where there is a parent; the caller holds the specs folder's lock.
pub fn next_id(
    project: &Project,
    snapshot: &ProjectSnapshot,
    parent: Option<&Spec>,
) -> Result<SpecId, Error> {
    if let Some(parent) = parent {
        let mut next = project.next_members(snapshot, &parent.id, 1)?;
        return Ok(next.swap_remove(0));
    }
    let today = project.clock.today();
    let sequence = sequence_text(last_of_today(project, snapshot, &today) + 1);
    format!("{today}-{sequence}-{}", suffix())
        .parse()
        .map_err(|error: InvalidSpecId| ChantError::Refused(error.to_string()).into())
}

/// The highest sequence of the IDs of a day, of those that git knows, too; 0 when there is none.
pub(crate) fn last_of_today(project: &Project, snapshot: &ProjectSnapshot, today: &str) -> u64 {
    let sequence = |id: &SpecId| {
        let (date, sequence) = date_and_sequence(id)?;
        (date == today).then_some(sequence)
    };
    let broken = snapshot
        .specs
        .broken()
        .filter(|broken| broken.id.starts_with(today))
        .filter_map(|broken| broken.id.parse().ok());
    let todays = snapshot.specs.of_date(today);
    let of_specs = todays.filter_map(|spec| sequence(&spec.id));
    let of_broken = broken.filter_map(|id: SpecId| sequence(&id));
    let in_git = project.ids_in_git(today);
    let of_git = in_git.iter().filter_map(sequence);
    of_specs.chain(of_broken).chain(of_git).max().unwrap_or(0)
}

/// Returns three random characters that distinguish what two machines made on one day.
pub(crate) fn suffix() -> String {
    std::iter::repeat_with(|| fastrand::digit(36))
        .take(3)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(description: &str, title: &str, body: &str) {
        assert_eq!(
            title_and_body(description),
            (title.to_owned(), body.to_owned())
        );
    }

    /// Reference chant 10.5.
    #[test]
    fn long_descriptions_are_cut_behind_their_first_line_or_sentence() {
        let sentence = format!("{}.", "x".repeat(83));
        check(
            &format!("{sentence} And then a second sentence."),
            &sentence,
            "And then a second sentence.",
        );
        check(
            &format!("{}\nrest", "y".repeat(90)),
            &"y".repeat(90),
            "rest",
        );
        check(&"z".repeat(100), &"z".repeat(100), "");
        check(&sentence, &sentence, "");
        check("Add v1.2 support. Now.", "Add v1.2 support. Now.", "");
        check("Title\nbody", "Title", "body");
    }
}
