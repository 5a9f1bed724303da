//! The quality of a spec as a task for an agent: five grades and a light (reference chant 5.8.1).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use regex::Regex;
use strum::IntoStaticStr;

use super::model::Spec;
use chant_text::markdown::{self, MarkdownOutline};

/// A grade, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum QualityGrade {
    /// As it should be.
    A,
    /// Good.
    B,
    /// Could be better.
    C,
    /// Has to be better.
    D,
}

impl QualityGrade {
    /// Its letter.
    pub fn letter(self) -> char {
        match self {
            Self::A => 'A',
            Self::B => 'B',
            Self::C => 'C',
            Self::D => 'D',
        }
    }
}

/// The result of the grades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum TrafficLight {
    /// Refine before anybody works on it.
    Red,
    /// Look at it.
    Yellow,
    /// Good as it is.
    Green,
}

impl TrafficLight {
    /// Its word in answers.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// The five grades of a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecScores {
    /// By numbers of criteria, files and words.
    pub complexity: QualityGrade,
    /// By bullets, imperative verbs and vague words.
    pub confidence: QualityGrade,
    /// By headings and files.
    pub splittability: QualityGrade,
    /// By number of task items.
    pub ac_quality: QualityGrade,
    /// By how independent its members are; `None` without members.
    pub isolation: Option<QualityGrade>,
}

/// First words of a bullet that say what to do.
const VERBS: [&str; 33] = [
    "implement", "add", "create", "update", "fix", "remove", "delete", "refactor", "test",
    "verify", "ensure", "validate", "configure", "setup", "install", "deploy", "build", "run",
    "execute", "check", "document", "write", "read", "parse", "handle", "process", "calculate",
    "compute", "convert", "transform", "migrate", "upgrade", "downgrade",
];

const COUPLED: [&str; 2] = ["tightly coupled", "depends on each other"];

/// The numbers that lint rules and grades look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpecSize {
    /// Acceptance criteria.
    pub criteria: usize,
    /// Target files.
    pub files: usize,
    /// Words of the body.
    pub words: usize,
}

impl SpecSize {
    /// The size of a spec.
    pub fn of(spec: &Spec) -> Self {
        Self {
            criteria: spec.criteria.len(),
            files: spec.target_files.as_ref().map_or(0, Vec::len),
            words: spec.body().split_whitespace().count(),
        }
    }
}

impl SpecScores {
    /// Grades a spec; `members` are all specs inside it.
    pub fn of(spec: &Spec, size: SpecSize, members: &[&Arc<Spec>]) -> Self {
        let outline = markdown::outline(spec.body());
        Self {
            complexity: complexity(size),
            confidence: confidence(spec.body(), &outline),
            splittability: splittability(spec, size, &outline, members),
            ac_quality: ac_quality(&outline),
            isolation: (!members.is_empty()).then(|| isolation(members)),
        }
    }

    /// Red when complexity, confidence or criteria have to be better, green when all three are good.
    pub fn light(&self) -> TrafficLight {
        match [self.complexity, self.confidence, self.ac_quality]
            .into_iter()
            .max()
        {
            Some(QualityGrade::D) => TrafficLight::Red,
            Some(QualityGrade::C) => TrafficLight::Yellow,
            _ => TrafficLight::Green,
        }
    }

    /// Returns suggestions that would raise a grade, sorted.
    pub fn suggestions(&self) -> Vec<&'static str> {
        let all = [
            match self.complexity {
                QualityGrade::D => Some("Reduce criteria count or split spec into smaller pieces"),
                QualityGrade::C => Some("Consider reducing scope or splitting into subtasks"),
                _ => None,
            },
            match self.confidence {
                QualityGrade::D => Some(
                    "Use bullet points instead of prose paragraphs; avoid vague words like 'improve', 'as needed', 'etc', 'similar'",
                ),
                QualityGrade::C => Some(
                    "Increase bullet-to-prose ratio (>50%); start bullets with imperative verbs; reduce vague language",
                ),
                _ => None,
            },
            match self.ac_quality {
                QualityGrade::D => Some("Add at least 1 acceptance criteria checkbox"),
                QualityGrade::C => Some("Add at least 2 acceptance criteria checkboxes"),
                QualityGrade::B => {
                    Some("Add at least 4 acceptance criteria checkboxes for Grade A")
                }
                QualityGrade::A => None,
            },
            match self.splittability {
                QualityGrade::D => {
                    Some("Remove coupling keywords ('tightly coupled', 'depends on each other')")
                }
                QualityGrade::C => Some(
                    "Add target_files and organize with ## section headers to improve splittability",
                ),
                _ => None,
            },
            match self.isolation {
                Some(QualityGrade::D) => {
                    Some("Reduce cross-references between group members to improve isolation")
                }
                Some(QualityGrade::C) => Some("Consider reducing coupling between group members"),
                _ => None,
            },
        ];
        all.into_iter()
            .flatten()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }
}

fn complexity(
    SpecSize {
        criteria,
        files,
        words,
    }: SpecSize,
) -> QualityGrade {
    match () {
        () if criteria >= 8 || files >= 5 || words >= 600 => QualityGrade::D,
        () if criteria >= 6 || files >= 4 || words >= 400 => QualityGrade::C,
        () if criteria >= 4 || files >= 3 || words >= 200 => QualityGrade::B,
        () => QualityGrade::A,
    }
}

fn confidence(body: &str, outline: &MarkdownOutline) -> QualityGrade {
    let (mut bullets, mut prose, mut imperative) = (0_u32, 0_u32, 0_u32);
    for line in lines_outside_code(body, outline) {
        if let Some(bullet) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
            bullets += 1;
            imperative += u32::from(starts_with_verb(bullet));
        } else if !line.is_empty() && !line.starts_with('#') {
            prose += 1;
        }
    }
    let vague = vague_words(body);
    let ratio = |part: u32, whole: u32| {
        if whole == 0 {
            0.0
        } else {
            f64::from(part) / f64::from(whole)
        }
    };
    let (bullet_ratio, verb_ratio) = (ratio(bullets, bullets + prose), ratio(imperative, bullets));
    match () {
        () if body.trim().is_empty() || bullet_ratio < 0.10 || vague > 8 => QualityGrade::D,
        () if bullet_ratio > 0.60 && verb_ratio > 0.80 && vague == 0 => QualityGrade::A,
        () if bullet_ratio > 0.30 && verb_ratio > 0.50 && vague < 3 => QualityGrade::B,
        () => QualityGrade::C,
    }
}

/// Returns how often a body leaves open what is meant.
fn vague_words(body: &str) -> usize {
    static VAGUE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)\b(?:improve|as needed|etc|and related|similar)\b").ok());
    VAGUE
        .as_ref()
        .map_or(0, |regex| regex.find_iter(body).count())
}

fn starts_with_verb(bullet: &str) -> bool {
    let bullet = bullet.trim_start();
    let boxed = ["[ ]", "[x]", "[X]"]
        .into_iter()
        .find_map(|mark| bullet.strip_prefix(mark));
    let first = boxed
        .unwrap_or(bullet)
        .split_whitespace()
        .next()
        .unwrap_or_default();
    let word = first
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    VERBS.contains(&word.as_str())
}

fn splittability(
    spec: &Spec,
    size: SpecSize,
    outline: &MarkdownOutline,
    members: &[&Arc<Spec>],
) -> QualityGrade {
    if spec.id.is_member() || !members.is_empty() || size.criteria == 1 {
        return QualityGrade::C;
    }
    let headings = outline
        .headings
        .iter()
        .filter(|heading| heading.level >= 2)
        .count();
    let lower = spec.body().to_lowercase();
    let grade = match (headings, size.files) {
        (3.., 3..) => QualityGrade::A,
        (1..=2, 2) => QualityGrade::B,
        _ => return QualityGrade::C,
    };
    if COUPLED.iter().any(|words| lower.contains(words)) {
        QualityGrade::D
    } else {
        grade
    }
}

fn ac_quality(outline: &MarkdownOutline) -> QualityGrade {
    match outline
        .tasks
        .iter()
        .filter(|task| !task.text.is_empty())
        .count()
    {
        0 => QualityGrade::D,
        1 => QualityGrade::C,
        2..=3 => QualityGrade::B,
        _ => QualityGrade::A,
    }
}

fn isolation(members: &[&Arc<Spec>]) -> QualityGrade {
    static OTHER_MEMBER: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)\bmember\s+\d+\b").ok());
    if members.len() == 1 {
        return QualityGrade::A;
    }
    let names_another = |member: &Spec| {
        OTHER_MEMBER
            .as_ref()
            .is_some_and(|regex| regex.is_match(member.body()))
    };
    let isolated = members
        .iter()
        .filter(|member| !names_another(member))
        .count();
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for member in members {
        let files: BTreeSet<&str> = member
            .target_files
            .iter()
            .flatten()
            .map(|file| &**file)
            .collect();
        for file in files {
            *uses.entry(file).or_default() += 1;
        }
    }
    let shared = uses.values().filter(|count| **count > 1).count();
    // Shares compared without division: 10 of 11 is more than 90 percent.
    let is_above = |part: usize, percent: usize, whole: usize| part * 100 > percent * whole;
    let is_below =
        |part: usize, percent: usize, whole: usize| whole == 0 || part * 100 < percent * whole;
    let (members, files) = (members.len(), uses.len());
    match () {
        () if !is_above(isolated, 50, members) || is_above(shared, 50, files) => QualityGrade::D,
        () if is_above(isolated, 90, members) && is_below(shared, 20, files) => QualityGrade::A,
        () if is_above(isolated, 70, members) => QualityGrade::B,
        () => QualityGrade::C,
    }
}

/// The lines of a body that do not belong to a code block, trimmed.
pub fn lines_outside_code<'a>(
    body: &'a str,
    outline: &'a MarkdownOutline,
) -> impl Iterator<Item = &'a str> {
    let mut at = 0;
    let mut code = outline.code.iter().peekable();
    body.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        while code.next_if(|range| range.end <= start).is_some() {}
        let is_code = code
            .peek()
            .is_some_and(|range| range.start < at && start < range.end);
        (!is_code).then(|| line.trim())
    })
}
