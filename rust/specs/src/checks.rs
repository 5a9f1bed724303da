//! The checks that criteria name.

use std::sync::LazyLock;

use regex::Regex;

use super::model::Spec;
use chant_config::Config;
use chant_text::markdown;

/// Returns the sentence for a spec that is completed without a check that could speak against it.
pub fn without_checks(spec: &Spec, config: &Config) -> Option<&'static str> {
    if config.runs.checks.is_empty() {
        return Some("No checks are configured.");
    }
    let names_none = checks_named(spec).iter().all(Vec::is_empty);
    names_none.then_some("No criterion names a check.")
}

/// The names of the checks that stand at each criterion as `<!-- check: NAME -->`: in its text, or
/// below it before the next criterion or heading.
pub fn checks_named(spec: &Spec) -> Vec<Vec<String>> {
    let marks = check_marks(spec).into_iter();
    let names = marks.map(|marks| marks.into_iter().map(|mark| mark.name).collect());
    names.collect()
}

/// A check that a criterion names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckMark {
    /// Its name.
    pub name: String,
    /// False if the spec says that it need not fail without the change: `<!-- check: NAME; red: no (why) -->`.
    pub asks_red: bool,
}

impl CheckMark {
    fn of(words: &str) -> Self {
        let (name, rest) = words.split_once(';').unwrap_or((words, ""));
        let rest: String = rest.split_whitespace().collect();
        Self {
            name: name.trim().to_owned(),
            asks_red: !rest.starts_with("red:no"),
        }
    }
}

/// The checks that stand at each criterion, as [`checks_named`], with what the spec asks of them.
pub fn check_marks(spec: &Spec) -> Vec<Vec<CheckMark>> {
    static CHECK: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"<!--\s*check:\s*(.*?)\s*-->").ok());
    let body = spec.body();
    let mut checks: Vec<Vec<CheckMark>> = vec![Vec::new(); spec.criteria.len()];
    let Some(regex) = CHECK.as_ref().filter(|regex| regex.is_match(body)) else {
        return checks;
    };
    let outline = markdown::outline(body);
    for html in &outline.html {
        let is_before = |start: usize| start < html.start;
        let above = spec
            .criteria
            .partition_point(|c| is_before(c.marker as usize));
        let Some(at) = above.checked_sub(1) else {
            continue;
        };
        let marker = spec.criteria[at].marker as usize;
        let mut headings = outline.headings.iter().map(|heading| heading.range.start);
        if headings.any(|start| (marker..html.start).contains(&start)) {
            continue;
        }
        let names = regex.captures_iter(&body[html.clone()]);
        checks[at].extend(names.map(|found| CheckMark::of(&found[1])));
    }
    checks
}
