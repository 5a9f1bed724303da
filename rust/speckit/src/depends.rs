//! The dependencies that tasks name: in parentheses, in brackets behind the ID, or behind a label.

use std::collections::HashSet;

use super::task::{Task, TaskList, has_same_number};
use chant_base::external_items;
use chant_text::lazy_pattern::LazyPattern;

macro_rules! id {
    () => {
        r"(?:T|TASK)[-_]?[0-9]+[0-9A-Za-z]*(?:[.\-][0-9A-Za-z]+)*"
    };
}

/// IDs with nothing between them but signs, short words and remarks in parentheses.
macro_rules! ids {
    () => {
        concat!(
            id!(),
            r"(?:(?:[\s,;&+/、，；*_`–—-]|\band\b|\bto\b|\bthrough\b|\([^()]*\)|（[^（）]*）)+",
            id!(),
            ")*"
        )
    };
}

/// Everything between `depends on` and the end of the parentheses that it stands in.
static IN_PARENTHESES: LazyPattern =
    LazyPattern::new(r"(?i)\((?:[^()]|\([^()]*\))*?\bdepends? on\b((?:[^()]|\([^()]*\))*)\)");

/// IDs right behind another word for it at the beginning of parentheses or brackets.
static IN_BRACKETS: LazyPattern = LazyPattern::new(concat!(
    r"(?i)[(\[（]\s*(?:depends?(?:\s+on)?|deps?|after|requires?|needs?|blocked[ -]by|依赖)\s+(?:tasks?\s+)?(",
    ids!(),
    ")"
));

/// IDs behind a label: `**Depends on**: T001`, `[deps:T001]`, `依赖：T001`.
static BEHIND_A_LABEL: LazyPattern = LazyPattern::new(concat!(
    r"(?i)(?:(?:^|[^\w-])(?:depends?(?:[ \t]+on)?|deps?|dependenc(?:y|ies)|prerequisites?|requires?|needs|after|blocked[ -]by)|依赖)",
    r"[ \t*_`]*[:：][\s*_`-]*(?:requires\s+|tasks?\s+)?(",
    ids!(),
    ")"
));

/// What ends in a word for a dependency that a task says it does not have: `does not depend on`, `不依赖`.
static NEGATED: LazyPattern = LazyPattern::new(concat!(
    r"(?i)(?:(?:\b(?:not|no|never|nor|neither|without|cannot)|n['’]t)",
    r"(?:[ \t]+(?:longer|yet|really|directly|strictly|actually|necessarily|itself|currently|even|any|a|have|has))*[ \t]+",
    r"(?:depend(?:s|ed|ing|ency|encies)?(?:[ \t]+on)?|deps?|prerequisites?|require[sd]?|needs?|after|blocked[ -]by)",
    r"|(?:不|不再|无需|没有|不需要)依赖)[ \t*_`]*[:：]?[\s*_`-]*(?:on\s+)?(?:requires\s+|tasks?\s+)?$"
));

/// IDs that a phrase takes out again: `T001, not T002`.
static LEFT_OUT: LazyPattern = LazyPattern::new(concat!(
    r"(?i)\b(?:but\s+)?(?:not|no longer|never|except)\s+(?:on\s+|for\s+)?(?:tasks?\s+)?",
    ids!()
));

/// A remark in parentheses.
static REMARK: LazyPattern = LazyPattern::new(r"\([^()]*\)|（[^（）]*）");

static NAMED: LazyPattern = LazyPattern::new(concat!(
    r"(?i)\b((?:T|TASK)[-_]?[0-9]+(?:[0-9A-Za-z.]*[0-9A-Za-z])?)[ \t]*(?:-|–|—|\bto\b|\bthrough\b)[ \t]*((?:T|TASK)[-_]?[0-9]+(?:[0-9A-Za-z.]*[0-9A-Za-z])?)\b|\b(",
    id!(),
    ")"
));

/// The signs that may stand around a name.
const MARKUP: [char; 4] = ['`', '*', '"', '\''];

/// Finds what tasks say they depend on; a range means the tasks of the list between its ends.
pub(super) fn resolve(list: &mut TaskList) {
    let ids: Vec<Box<str>> = list.tasks.iter().map(|task| task.id.clone()).collect();
    for task in &mut list.tasks {
        let (named, needs) = named(task, &ids);
        let named = named.into_iter().map(|id| as_listed(id, &ids));
        let others = named.filter(|id| !task.is_named(id));
        let (depends_on, needs) = (
            each_once(others, str::to_ascii_uppercase),
            each_once(needs, str::to_owned),
        );
        (task.depends_on, task.needs) = (depends_on, needs);
    }
}

/// An ID as the list writes it: `T6` is the task `T006` where there is no `T6`.
fn as_listed(id: String, ids: &[Box<str>]) -> String {
    if ids.iter().any(|own| own.eq_ignore_ascii_case(&id)) {
        return id;
    }
    let same = ids.iter().find(|own| has_same_number(own, &id));
    same.map_or(id, ToString::to_string)
}

/// Words in their order, each where it stands first; words of one form are the same.
fn each_once(
    words: impl IntoIterator<Item = String>,
    form: impl Fn(&str) -> String,
) -> Vec<String> {
    let mut seen = HashSet::new();
    let words = words.into_iter();
    words.filter(|word| seen.insert(form(word))).collect()
}

/// The IDs and the keys of other documents that a task names, as they stand there.
fn named(task: &Task, ids: &[Box<str>]) -> (Vec<String>, Vec<String>) {
    let (mut named, mut needs) = (Vec::new(), Vec::new());
    let labels = task.labels.iter().map(|label| format!("[{label}] "));
    let text: String = labels.chain([task.description.clone()]).collect();
    if !text.contains(['(', '[', ':', '：', '（']) {
        return (named, needs);
    }
    let mut phrases: Vec<(usize, &str)> = Vec::new();
    for pattern in [&IN_PARENTHESES, &IN_BRACKETS, &BEHIND_A_LABEL] {
        let found = pattern.captures_iter(&text);
        phrases.extend(found.filter_map(|found| {
            let phrase = found.get(1)?;
            let before = &text[..phrase.start()];
            (!NEGATED.is_match(before)).then(|| (phrase.start(), phrase.as_str()))
        }));
    }
    phrases.sort_by_key(|(at, _)| *at);
    for (_, phrase) in phrases {
        let (keys, rest) = keys_in(&LEFT_OUT.remove_from(&REMARK.remove_from(phrase)));
        needs.extend(keys);
        for found in NAMED.captures_iter(&rest) {
            match (found.get(1), found.get(2), found.get(3)) {
                (Some(first), Some(last), _) => {
                    named.extend(between(first.as_str(), last.as_str(), ids));
                }
                (.., Some(id)) => named.push(id.as_str().to_owned()),
                _ => {}
            }
        }
    }
    (named, needs)
}

/// The IDs of a range: by their numbers where its ends are nothing else, else by their places.
fn between(first: &str, last: &str, ids: &[Box<str>]) -> Vec<String> {
    if let Some((first, last)) = number_of(first).zip(number_of(last)) {
        let numbered = ids.iter().filter(|id| {
            let number = number_of(id);
            number.is_some_and(|number| (first..=last).contains(&number))
        });
        return numbered.map(ToString::to_string).collect();
    }
    let place = |id: &str| ids.iter().position(|one| one.eq_ignore_ascii_case(id));
    match place(first).zip(place(last)) {
        Some((first, last)) if first <= last => {
            ids[first..=last].iter().map(ToString::to_string).collect()
        }
        _ => vec![first.to_owned(), last.to_owned()],
    }
}

/// The keys of items of other documents that a phrase names, and the phrase without them.
fn keys_in(phrase: &str) -> (Vec<String>, String) {
    let (mut keys, mut rest) = (Vec::new(), String::new());
    for word in phrase.split_inclusive(|c: char| c.is_whitespace() || ",;".contains(c)) {
        let bare = word.trim_end_matches(|c: char| c.is_whitespace() || ",;".contains(c));
        let bare = bare.trim_start_matches(MARKUP);
        let bare = bare.trim_end_matches(MARKUP).trim_end_matches('.');
        let bare = bare.trim_end_matches(MARKUP);
        if external_items::is_key(bare) {
            keys.push(bare.to_owned());
        } else {
            rest.push_str(word);
        }
    }
    (keys, rest)
}

/// The number of an ID that is nothing else.
pub(super) fn number_of(id: &str) -> Option<u64> {
    let digits = id.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    digits
        .strip_prefix(['-', '_'])
        .unwrap_or(digits)
        .parse()
        .ok()
}
