//! The twelve lint rules (seed: `chant_add`; reference chant 5.8.2).

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::model::{Spec, SpecStatus, SpecType};
use super::parse::{APPROVALS, unknown_type};
use super::scores::{SpecSize, lines_outside_code};
use super::specs::{ExternalDependency, SpecGraph};
use chant_base::format_words::find_format_word;
use chant_base::ident::ResolvedId;
use chant_base::lint::{LintFinding, LintRule};
use chant_config::Config;
use chant_text::checklist::UNREAD_ADVICE;
use chant_text::fences::SwallowingFence;
use chant_text::markdown;

/// The subject of a lint rule.
pub struct LintSubject<'a> {
    /// The spec.
    pub spec: &'a Arc<Spec>,
    /// Its size.
    pub size: SpecSize,
    /// The keys its front matter has.
    pub keys: BTreeSet<String>,
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
        ),
        (
            "complexity_files",
            size.files,
            most.complexity_files,
            "Spec touches {} files",
        ),
        (
            "complexity_words",
            size.words,
            most.complexity_words,
            "Spec description is {} words",
        ),
    ];
    let is_over = |(name, count, most, _): &(&str, usize, usize, &str)| {
        count > most && !subject.config.disables(name)
    };
    let finding = |(_, count, most, text): (&str, usize, usize, &str)| {
        let text = text.replace("{}", &count.to_string());
        LintFinding::warning(format!("{text} (threshold: {most})")).suggest(SPLIT)
    };
    measures.into_iter().filter(is_over).map(finding).collect()
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
    let advice = "Use depends_on for dependencies instead of naming other specs in the text";
    let mut findings = Vec::new();
    if !siblings.is_empty() {
        let ids = siblings.join(", ");
        let message =
            format!("Spec references sibling spec(s): {ids} - member specs should be independent");
        findings.push(LintFinding::warning(message).suggest(advice));
    }
    if !others.is_empty() {
        let ids = others.join(", ");
        let message = format!(
            "Spec references other spec ID(s) in body: {ids} - use depends_on for dependencies"
        );
        findings.push(LintFinding::warning(message).suggest(advice));
    }
    findings
}

/// ## What it does
/// Flags a missing or unknown type, and keys that a type needs.
///
/// ## Why it matters
/// The type decides which prompt an agent gets and whether a spec is worked itself.
fn kind(subject: &LintSubject<'_>) -> Vec<LintFinding> {
    let (spec, has) = (subject.spec, |key: &str| subject.keys.contains(key));
    let mut findings = Vec::new();
    if !has("type") {
        findings.push(
            LintFinding::warning("Missing spec type, read as 'code'")
                .suggest("Add `type: code` to the front matter"),
        );
    }
    match &spec.kind {
        SpecType::Other(word) => findings.push(LintFinding::error(unknown_type(word))),
        SpecType::Documentation => {
            for key in ["tracks", "target_files"]
                .into_iter()
                .filter(|key| !has(key))
            {
                findings.push(LintFinding::warning(format!(
                    "Documentation spec missing '{key}' field"
                )));
            }
        }
        SpecType::Research => {
            if !has("informed_by") && !has("origin") {
                findings.push(LintFinding::warning(
                    "Research spec missing both 'informed_by' and 'origin' fields",
                ));
            }
            if !has("target_files") {
                findings.push(LintFinding::warning(
                    "Research spec missing 'target_files' field",
                ));
            }
        }
        SpecType::Driver | SpecType::Group if spec.members.as_ref().is_some_and(Vec::is_empty) => {
            findings.push(LintFinding::warning(
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
    vec![LintFinding::warning(message)]
}

/// ## What it does
/// Flags fences that are never closed, or are closed by a fence inside them, and so take in headings or boxes.
///
/// ## Why it matters
/// Criteria that a reader sees count as code: work would be complete without them.
fn fence(subject: &LintSubject<'_>) -> Vec<LintFinding> {
    let finding = |fence: &SwallowingFence| {
        let message = format!("{fence}");
        let finding = match fence.boxes {
            0 => LintFinding::warning(message),
            _ => LintFinding::error(message),
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
    let lines = subject.spec.describe_unread_criteria().into_iter();
    lines
        .map(|lines| LintFinding::error(lines).suggest(UNREAD_ADVICE))
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
    match status {
        "approved" | "rejected" => {
            let missing = |message: &str| {
                LintFinding::error(format!("Approval status is {status} but {message}"))
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
                "Approval has 'by' field set but status is still 'pending'",
            )]
        }
        "pending" => Vec::new(),
        other => vec![LintFinding::error(format!(
            "Invalid approval status '{other}'. Must be one of: {}",
            APPROVALS.join(", ")
        ))],
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
        .map(LintFinding::error)
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
        findings.push(LintFinding::error(format!("Unknown member spec '{id}'")));
    }
    if let Some(driver) = spec.id.parent().filter(|id| specs.find(id).is_none()) {
        findings.push(LintFinding::warning(format!(
            "Orphaned member spec '{}': driver '{driver}' not found",
            spec.id
        )));
    }
    if let Some(path) = &subject.cycle {
        let message = format!("Circular dependency: {}", path.join(" -> "));
        findings.push(LintFinding::error(message).suggest("Remove one of these dependencies"));
    }
    findings
}

fn unknown_dependency(subject: &LintSubject<'_>, name: &str) -> Option<LintFinding> {
    let prefix = name.split_once(':').map(|(prefix, _)| prefix);
    let is_repository = |prefix: &str| subject.config.repositories.iter().any(|r| r.name == prefix);
    if let Some(prefix) =
        prefix.filter(|prefix| find_format_word(prefix).is_some() && is_repository(prefix))
    {
        let message = format!(
            "Dependency '{name}' means the {prefix} dialect, not the repository of that name"
        );
        return Some(
            LintFinding::error(message).suggest("Rename the repository in the configuration"),
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
        return Some(LintFinding::error(message).suggest(format!("Fix {}", broken.problem.path)));
    }
    match subject.specs.elsewhere(id) {
        Some(ExternalDependency::Found { .. }) => None,
        Some(ExternalDependency::Unreachable(why)) => Some(LintFinding::error(format!(
            "Unknown dependency '{name}': {why}"
        ))),
        Some(ExternalDependency::Unknown) | None => {
            let finding = LintFinding::error(format!("Unknown dependency '{name}'"));
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
    let missing = subject
        .config
        .required
        .iter()
        .filter(|key| !subject.keys.contains(*key));
    missing
        .map(|key| LintFinding::error(format!("Missing required field '{key}'")))
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
                LintFinding::error("Missing title").suggest("Begin the body with a line `# Title`"),
            ]
        }
    }
}
