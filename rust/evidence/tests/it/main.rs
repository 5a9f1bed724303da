//! Changes of tests with what the rules say about them, language by language.

mod configuration;
mod honest;
mod laws;
mod weaker;

use chant_evidence::{ChangedText, JudgeRule, JudgeTerms, JudgedChange, Weight, judge_change};

/// A file before and after a change.
pub(crate) fn file(path: &str, old: Option<&str>, new: Option<&str>) -> ChangedText {
    ChangedText {
        path: path.to_owned(),
        old: old.map(|text| text.as_bytes().to_vec()),
        new: new.map(|text| text.as_bytes().to_vec()),
    }
}

/// Judges a change by the usual terms and some checks.
pub(crate) fn judged_with(changed: &[ChangedText], checks: &[&[&str]]) -> JudgedChange {
    let checks: Vec<Vec<String>> = checks
        .iter()
        .map(|words| words.iter().map(|word| (*word).to_owned()).collect())
        .collect();
    let before = |path: &str| changed.iter().find(|file| file.path == path)?.old.clone();
    let terms = JudgeTerms {
        tests: &[],
        config: &[],
        checks: &checks,
        stricter: &[],
        may_change: &|_| false,
        before: &before,
    };
    judge_change(changed, &terms)
}

pub(crate) fn judged(changed: &[ChangedText]) -> JudgedChange {
    judged_with(changed, &[])
}

/// The rules of the findings that need a person, each once.
pub(crate) fn weaker(judged: &JudgedChange) -> Vec<&'static str> {
    let mut rules: Vec<JudgeRule> = judged.weaker().map(|finding| finding.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    rules.into_iter().map(JudgeRule::name).collect()
}

/// The rules of the findings that are only shown, each once.
pub(crate) fn looks(judged: &JudgedChange) -> Vec<&'static str> {
    let looks = judged
        .findings
        .iter()
        .filter(|finding| finding.weight == Weight::Look);
    let mut rules: Vec<JudgeRule> = looks.map(|finding| finding.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    rules.into_iter().map(JudgeRule::name).collect()
}
