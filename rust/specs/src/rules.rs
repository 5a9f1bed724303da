//! The twelve lint rules (seed: `chant_add`; reference chant 5.8.2).

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::model::{Spec, SpecStatus, SpecType};
use super::parse::{APPROVALS, unknown_type};
use super::scores::{SpecSize, lines_outside_code};
use super::specs::{ExternalDependency, SpecGraph};
use chant_base::format_words::find_format_word;
use chant_base::ident::ResolvedId;
use chant_base::lint::{LintFinding, LintRule};
use chant_base::text_place::TextPlace;
use chant_config::Config;
use chant_text::checklist::UNREAD_ADVICE;
use chant_text::fences::SwallowingFence;
use chant_text::front_matter::FrontMatterPlaces;
use chant_text::markdown;

/// The subject of a lint rule.
pub struct LintSubject<'a> {
    /// The spec.
    pub spec: &'a Arc<Spec>,
    /// Its size.
    pub size: SpecSize,
    /// The keys of its front matter, looked for when they are first asked for.
    pub front: OnceCell<FrontMatterPlaces<'a>>,
    /// All specs.
    pub specs: &'a SpecGraph,
    /// Limits and required keys.
    pub config: &'a Config,
    /// The cycle the spec is in, step by step, if it is in one.
    pub cycle: Option<Vec<String>>,
    /// Returns true if a spec of exactly this ID is in the archive.
    pub is_archived: &'a (dyn Fn(&str) -> bool + Sync),
    /// The problem with an agent's output, where `output_schema` asks for some.
    pub output: Option<String>,
}

impl LintSubject<'_> {
    fn front(&self) -> &FrontMatterPlaces<'_> {
        let spec: &Spec = self.spec;
        self.front.get_or_init(|| FrontMatterPlaces::of(&spec.text))
    }

    /// The place of bytes of the body.
    fn in_body(&self, bytes: Range<usize>) -> TextPlace {
        let start = self.spec.body_start;
        TextPlace::of_words(&self.spec.text, start + bytes.start..start + bytes.end)
    }

    /// The heading of the first level, or the place where it should stand.
    fn title(&self) -> TextPlace {
        title_place(self.spec)
    }
}

/// The heading of the first level of a spec; where there is none, the line where it should stand.
pub fn title_place(spec: &Spec) -> TextPlace {
    let (text, body) = (&spec.text, spec.body());
    let headings = markdown::outline(body).headings;
    let first = headings.iter().find(|heading| heading.level == 1);
    let blank = body.len() - body.trim_start().len();
    match first {
        Some(heading) => {
            let (start, end) = (heading.range.start, heading.range.end);
            TextPlace::of_words(text, spec.body_start + start..spec.body_start + end)
        }
        None if blank == body.len() => TextPlace::of_first_line(text),
        None => {
            let start = spec.body_start + blank;
            let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
            TextPlace::of_words(text, start..end)
        }
    }
}

/// The rule about files that are no specs; it looks at files, not at specs.
pub const PARSE: &str = "parse";

/// The rules that look at more than a spec's own text and the configuration.
pub const LOOKING_AROUND: [&str; 2] = ["output", "dependency"];

const SPLIT: &str = "Consider splitting into smaller, focused specs";

/// The rules that look at specs, in the order in which the seed names them.
pub fn rules<'a>() -> [LintRule<LintSubject<'a>>; 11] {
    [
        LintRule {
            name: "complexity",
            check: complexity,
        },
        LintRule {
            name: "coupling",
            check: coupling,
        },
        LintRule {
            name: "type",
            check: kind,
        },
        LintRule {
            name: "model_waste",
            check: model_waste,
        },
        LintRule {
            name: "approval",
            check: approval,
        },
        LintRule {
            name: "output",
            check: output,
        },
        LintRule {
            name: "dependency",
            check: dependency,
        },
        LintRule {
            name: "required",
            check: required,
        },
        LintRule {
            name: "title",
            check: title,
        },
        LintRule {
            name: "fence",
            check: fence,
        },
        LintRule {
            name: "criteria",
            check: criteria,
        },
    ]
}

/// ## What it does
/// Flags specs with more criteria, target files or words than the thresholds.
///
/// ## Why it matters
/// Agents lose track of long lists; two small specs finish sooner than one large one.
fn complexity(subject: &LintSubject<'_>) -> Vec<LintFinding> {
    let (size, most) = (subject.size, &subject.config.thresholds);
    let measures = [
        (
            "complexity_criteria",
            size.criteria,
            most.complexity_criteria,
            "Spec has {} acceptance criteria",
            criteria_heading as fn(&LintSubject<'_>) -> TextPlace,
        ),
        (
            "complexity_files",
            size.files,
            most.complexity_files,
            "Spec touches {} files",
            |subject| subject.front().key("target_files"),
        ),
        (
            "complexity_words",
            size.words,
            most.complexity_words,
            "Spec description is {} words",
            |subject| subject.title(),
        ),
    ];
    let mut findings = Vec::new();
    for (name, count, most, text, place) in measures {
        if count > most && !subject.config.disables(name) {
            let text = text.replace("{}", &count.to_string());
            let message = format!("{text} (threshold: {most})");
            findings.push(LintFinding::warning(place(subject), message).suggest(SPLIT));
        }
    }
    findings
}

/// The heading above the first criterion.
fn criteria_heading(subject: &LintSubject<'_>) -> TextPlace {
    let outline = markdown::outline(subject.spec.body());
    let first = subject.spec.criteria.first();
    let first = first.map_or(0, |criterion| criterion.marker as usize);
    let above = outline.headings.iter().rev();
    let heading = above.clone().find(|heading| heading.range.end <= first);
    heading.map_or_else(
        || subject.title(),
        |heading| subject.in_body(heading.range.clone()),
    )
}

/// ## What it does
/// Flags IDs of other specs in a body, code blocks excepted; containers may name theirs.
///
/// ## Why it matters
/// A dependency that stands only in prose is not seen by anything that decides what comes next.
fn coupling(subject: &LintSubject<'_>) -> Vec<LintFinding> {
    static ID: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?-u:\b[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9a-z]{3}-[0-9a-z]{3}(?:\.[0-9]+)*)").ok()
    });
    let spec = subject.spec;
    let (Some(regex), false) = (ID.as_ref(), spec.kind.is_container()) else {
        return Vec::new();
    };
    // Most bodies name no ID at all; only for the others is it worth finding their code blocks.
    if !regex.is_match(spec.body()) {
        return Vec::new();
    }
    let outline = markdown::outline(spec.body());
    let lines = lines_outside_code(spec.body(), &outline);
    let own = spec.id.as_str();
    let is_family = |id: &str| {
        id == own
            || own.strip_prefix(id).is_some_and(|r| r.starts_with('.'))
            || id.strip_prefix(own).is_some_and(|r| r.starts_with('.'))
    };
    let named: BTreeSet<&str> = lines
        .flat_map(|line| regex.find_iter(line).map(|m| m.as_str()))
        .filter(|id| !is_family(id))
        .collect();
    let is_sibling = |id: &&str| {
        spec.id.is_member()
            && id
                .strip_prefix(spec.id.root())
                .is_some_and(|r| r.starts_with('.'))
    };
    let (siblings, others): (Vec<&str>, Vec<&str>) = named.into_iter().partition(is_sibling);
    // What stands first in the text, not in the order of IDs; all are parts of it.
    let first = |ids: &[&str]| {
        let start = |id: &&str| id.as_ptr() as usize - spec.body().as_ptr() as usize;
        let at = ids.iter().map(start).min().unwrap_or_default();
        subject.in_body(at..at + ids.first().map_or(0, |id| id.len()))
    };
    let advice = "Use depends_on for dependencies instead of naming other specs in the text";
    let mut findings = Vec::new();
    if !siblings.is_empty() {
        let ids = siblings.join(", ");
        let message =
            format!("Spec references sibling spec(s): {ids} - member specs should be independent");
        findings.push(LintFinding::warning(first(&siblings), message).suggest(advice));
    }
    if !others.is_empty() {
        let ids = others.join(", ");
        let message = format!(
            "Spec references other spec ID(s) in body: {ids} - use depends_on for dependencies"
        );
        findings.push(LintFinding::warning(first(&others), message).suggest(advice));
    }
    findings
}

/// ## What it does
/// Flags a missing or unknown type, and keys that a type needs.
///
/// ## Why it matters
/// The type decides which prompt an agent gets and whether a spec is worked itself.
fn kind(subject: &LintSubject<'_>) -> Vec<LintFinding> {
    let (spec, front) = (subject.spec, subject.front());
    let (has, missing) = (|key: &str| front.has(key), front.opening());
    let mut findings = Vec::new();
    if !has("type") {
        findings.push(
            LintFinding::warning(missing, "Missing spec type, read as 'code'")
                .suggest("Add `type: code` to the front matter"),
        );
    }
    match &spec.kind {
        SpecType::Other(word) => {
            let place = front.value("type", word);
            findings.push(LintFinding::error(place, unknown_type(word)));
        }
        SpecType::Documentation => {
            for key in ["tracks", "target_files"]
                .into_iter()
                .filter(|key| !has(key))
            {
                let message = format!("Documentation spec missing '{key}' field");
                findings.push(LintFinding::warning(missing, message));
            }
        }
        SpecType::Research => {
            if !has("informed_by") && !has("origin") {
                findings.push(LintFinding::warning(
                    missing,
                    "Research spec missing both 'informed_by' and 'origin' fields",
                ));
            }
            if !has("target_files") {
                findings.push(LintFinding::warning(
                    missing,
                    "Research spec missing 'target_files' field",
                ));
            }
        }
        SpecType::Driver | SpecType::Group if spec.members.as_ref().is_some_and(Vec::is_empty) => {
            findings.push(LintFinding::warning(
                front.key("members"),
                "Driver/group spec has empty 'members' array",
            ));
        }
        _ => {}
    }
    findings
}

/// ## What it does
/// Flags simple specs that ask for an expensive model.
///
/// ## Why it matters
/// A small model does a one-line change as well, sooner and for less.
fn model_waste(subject: &LintSubject<'_>) -> Vec<LintFinding> {
    let (size, most) = (subject.size, &subject.config.thresholds);
    let Some(model) = subject.spec.model.as_deref() else {
        return Vec::new();
    };
    let lower = model.to_lowercase();
    let is_expensive = lower.contains("opus") || lower.contains("sonnet");
    let is_exempt = matches!(
        subject.spec.kind,
        SpecType::Driver | SpecType::Group | SpecType::Research
    );
    let is_simple = size.criteria <= most.simple_criteria
        && size.files <= most.simple_files
        && size.words <= most.simple_words;
    if !is_expensive || is_exempt || !is_simple {
        return Vec::new();
    }
    let SpecSize {
        criteria,
        files,
        words,
    } = size;
    let message = format!(
        "Spec uses '{model}' but appears simple ({criteria} criteria, {files} files, {words} words) - consider haiku"
    );
    let place = subject.front().value("model", model);
    vec![LintFinding::warning(place, message)]
}

/// ## What it does
/// Flags fences that are never closed, or are closed by a fence inside them, and so take in headings or boxes.
///
/// ## Why it matters
/// Criteria that a reader sees count as code: work would be complete without them.
fn fence(subject: &LintSubject<'_>) -> Vec<LintFinding> {
    let finding = |fence: &SwallowingFence| {
        let (message, place) = (
            format!("{fence}"),
            TextPlace::of_line(&subject.spec.text, fence.line),
        );
        let finding = match fence.boxes {
            0 => LintFinding::warning(place, message),
            _ => LintFinding::error(place, message),
        };
        finding.suggest(fence.advice())
    };
    subject.spec.fences.iter().map(finding).collect()
}

/// ## What it does
/// Flags lines of the acceptance criteria that look like items with a box and are none: a box in a paragraph or in
/// HTML, `- [] ` and `[ ] `.
///
/// ## Why it matters
/// A reader sees a criterion that nothing counts: work would be complete without it.
fn criteria(subject: &LintSubject<'_>) -> Vec<LintFinding> {
    let first = subject.spec.unread_criteria.first();
    let place = TextPlace::of_line(&subject.spec.text, first.copied().unwrap_or(1));
    let lines = subject.spec.describe_unread_criteria().into_iter();
    lines
        .map(|lines| LintFinding::error(place, lines).suggest(UNREAD_ADVICE))
        .collect()
}

/// ## What it does
/// Flags approvals that do not say who decided, or that were decided and are still pending.
///
/// ## Why it matters
/// An approval is a record of a person's decision; half of it proves nothing.
fn approval(subject: &LintSubject<'_>) -> Vec<LintFinding> {
    let Some(approval) = &subject.spec.approval else {
        return Vec::new();
    };
    let status = approval.status.as_deref().unwrap_or("pending");
    let place = |words: &str| subject.front().value("approval", words);
    match status {
        "approved" | "rejected" => {
            let missing = |message: &str| {
                let message = format!("Approval status is {status} but {message}");
                LintFinding::error(place(status), message)
            };
            let by = approval
                .by
                .is_none()
                .then(|| missing("'by' field is missing"));
            let at = approval
                .at
                .is_none()
                .then(|| missing("'at' timestamp is missing"));
            by.into_iter().chain(at).collect()
        }
        "pending" if approval.by.is_some() => {
            vec![LintFinding::error(
                place(approval.by.as_deref().unwrap_or_default()),
                "Approval has 'by' field set but status is still 'pending'",
            )]
        }
        "pending" => Vec::new(),
        other => {
            let all = APPROVALS.join(", ");
            let message = format!("Invalid approval status '{other}'. Must be one of: {all}");
            vec![LintFinding::error(place(other), message)]
        }
    }
}

/// ## What it does
/// Flags completed specs whose agent's output does not fit their `output_schema`.
///
/// ## Why it matters
/// Programs that read that output rely on its shape.
fn output(subject: &LintSubject<'_>) -> Vec<LintFinding> {
    let applies = subject.spec.status == SpecStatus::Completed;
    subject
        .output
        .iter()
        .filter(|_| applies)
        .map(|message| LintFinding::error(subject.front().key("output_schema"), message))
        .collect()
}

/// ## What it does
/// Flags dependencies, members and drivers that do not exist, and cycles.
///
/// ## Why it matters
/// Whatever waits for them waits for ever.
fn dependency(subject: &LintSubject<'_>) -> Vec<LintFinding> {
    let (spec, specs) = (subject.spec, subject.specs);
    let named = spec.depends_on.iter().flatten();
    let mut findings: Vec<LintFinding> = named
        .filter_map(|name| unknown_dependency(subject, name))
        .collect();
    let is_unknown = |id: &&str| specs.find(id).is_none() && !(subject.is_archived)(id);
    let members = spec.members.iter().flatten().map(|id| &**id);
    for id in members.filter(is_unknown) {
        let place = subject.front().value("members", id);
        let message = format!("Unknown member spec '{id}'");
        findings.push(LintFinding::error(place, message));
    }
    if let Some(driver) = spec.id.parent().filter(|id| specs.find(id).is_none()) {
        let message = format!(
            "Orphaned member spec '{}': driver '{driver}' not found",
            spec.id
        );
        findings.push(LintFinding::warning(subject.title(), message));
    }
    if let Some(path) = &subject.cycle {
        let message = format!("Circular dependency: {}", path.join(" -> "));
        let front = subject.front();
        let next = spec
            .depends_on
            .iter()
            .flatten()
            .find(|name| path.iter().any(|step| step.starts_with(&***name)));
        let place = front.value("depends_on", next.map_or("", |name| name));
        findings
            .push(LintFinding::error(place, message).suggest("Remove one of these dependencies"));
    }
    findings
}

fn unknown_dependency(subject: &LintSubject<'_>, name: &str) -> Option<LintFinding> {
    let place = || subject.front().value("depends_on", name);
    let prefix = name.split_once(':').map(|(prefix, _)| prefix);
    let is_repository = |prefix: &str| subject.config.repositories.iter().any(|r| r.name == prefix);
    if let Some(prefix) =
        prefix.filter(|prefix| find_format_word(prefix).is_some() && is_repository(prefix))
    {
        let message = format!(
            "Dependency '{name}' means the {prefix} dialect, not the repository of that name"
        );
        return Some(
            LintFinding::error(place(), message)
                .suggest("Rename the repository in the configuration"),
        );
    }
    let id = name.strip_prefix("chant:").unwrap_or(name);
    if subject.specs.find(id).is_some() {
        return None;
    }
    if let Some(broken) = subject.specs.broken_of(id) {
        let message = format!(
            "Dependency '{name}' cannot be read: {}",
            broken.problem.message
        );
        let fix = format!("Fix {}", broken.problem.path);
        return Some(LintFinding::error(place(), message).suggest(fix));
    }
    match subject.specs.elsewhere(id) {
        Some(ExternalDependency::Found { .. }) => None,
        Some(ExternalDependency::Unreachable(why)) => Some(LintFinding::error(
            place(),
            format!("Unknown dependency '{name}': {why}"),
        )),
        Some(ExternalDependency::Unknown) | None => {
            let finding = LintFinding::error(place(), format!("Unknown dependency '{name}'"));
            Some(match subject.specs.resolve(id, "") {
                ResolvedId::One(meant) if meant.id != subject.spec.id => {
                    finding.suggest(format!("Did you mean '{}'?", meant.id))
                }
                _ => finding,
            })
        }
    }
}

/// ## What it does
/// Flags specs without the keys that the configuration requires.
///
/// ## Why it matters
/// Reports over all specs need them.
fn required(subject: &LintSubject<'_>) -> Vec<LintFinding> {
    let front = subject.front();
    let missing = subject.config.required.iter().filter(|key| !front.has(key));
    missing
        .map(|key| {
            let message = format!("Missing required field '{key}'");
            LintFinding::error(front.opening(), message)
        })
        .collect()
}

/// ## What it does
/// Flags specs without a heading of level 1.
///
/// ## Why it matters
/// The title is what people and agents choose by.
fn title(subject: &LintSubject<'_>) -> Vec<LintFinding> {
    match subject.spec.title {
        Some(_) => Vec::new(),
        None => {
            vec![
                LintFinding::error(subject.title(), "Missing title")
                    .suggest("Begin the body with a line `# Title`"),
            ]
        }
    }
}
