//! The files that a task names.

use chant_text::lazy_pattern::LazyPattern;

static TICKED: LazyPattern = LazyPattern::new(r"`([^`\s]+)`");

/// The files that a description names: what stands between backticks and looks like a path, else what
/// follows the last ` in `.
pub(super) fn paths(description: &str) -> Vec<String> {
    let ticked = TICKED.captures_iter(description);
    let mut paths: Vec<String> = ticked
        .map(|found| found[1].to_owned())
        .filter(|word| is_path(word))
        .collect();
    if paths.is_empty()
        && let Some((_, place)) = description.rsplit_once(" in ")
        && let Some(word) = place.split_whitespace().next()
    {
        let word = word.trim_matches(['`', ',', ';', ':', '(', ')', '"', '\'']);
        let word = word.trim_end_matches('.');
        paths.extend(is_path(word).then(|| word.to_owned()));
    }
    paths.dedup();
    paths
}

/// Returns true if a word has a slash, or an ending as files have one.
fn is_path(word: &str) -> bool {
    if word.contains("://") || word.contains(['(', ')', '<', '>', '{', '}', '*', '$', '=']) {
        return false;
    }
    let has_ending = word.rsplit_once('.').is_some_and(|(name, ending)| {
        let is_short = (1..=5).contains(&ending.len());
        let is_word = ending.bytes().all(|b| b.is_ascii_alphanumeric());
        let has_letter = ending.bytes().any(|b| b.is_ascii_alphabetic());
        !name.is_empty() && is_short && is_word && has_letter
    });
    has_ending || (word.contains('/') && word.len() > 1 && !word.starts_with('/'))
}
