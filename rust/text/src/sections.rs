//! Sections of a Markdown body: a heading and the content below it, sub-sections included.
//!
//! A section is addressed by its path, which is the headings from the outermost one
//! joined with ` / `, or by any shorter name that fits only one. Edits touch only the bytes between two
//! headings.

use std::collections::HashMap;
use std::ops::Range;

use super::edit::{Edit, line_break, with_line_break};
use super::markdown::MarkdownOutline;
use chant_base::ident::ResolvedId;

/// The separator between the headings of a path.
pub const PATH_SEPARATOR: &str = " / ";

/// A heading and the content below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The level, 1 to 6.
    pub level: u8,
    /// The heading's text, without marks.
    pub title: String,
    /// The headings from the outermost one to this one, each with its `#` marks.
    pub path: String,
    /// The bytes of the heading, with its line break.
    pub heading: Range<usize>,
    /// The bytes below the heading up to the next heading of its own level or a higher one.
    pub content: Range<usize>,
}

/// The places for new text in a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionPlace {
    /// Replaces all content, sub-sections included.
    Whole,
    /// Behind all content.
    End,
    /// Directly below the heading.
    Start,
}

/// Returns the sections of a body, in document order.
pub fn sections(outline: &MarkdownOutline, length: usize) -> Vec<Section> {
    let headings = &outline.headings;
    let mut above: Vec<(u8, String)> = Vec::new();
    let mut sections = Vec::new();
    for (at, heading) in headings.iter().enumerate() {
        above.retain(|(level, _)| *level < heading.level);
        above.push((
            heading.level,
            format!("{} {}", "#".repeat(heading.level.into()), heading.text)
                .trim_end()
                .to_owned(),
        ));
        let next = headings[at + 1..].iter().find(|h| h.level <= heading.level);
        sections.push(Section {
            level: heading.level,
            title: heading.text.clone(),
            path: above
                .iter()
                .map(|(_, text)| text.as_str())
                .collect::<Vec<_>>()
                .join(PATH_SEPARATOR),
            heading: heading.range.clone(),
            content: heading.range.end..next.map_or(length, |h| h.range.start),
        });
    }
    sections
}

/// Returns a unique name for each section, in their order: its heading with marks, as much of the
/// path before it as needed, and for sections of the same path their number behind it, as in
/// `## Notes / ### Detail (2)`.
pub fn names(sections: &[Section]) -> Vec<String> {
    let whole = unique_paths(sections);
    let numbered: Vec<_> = whole.iter().map(|path| folded_ends(path)).collect();
    let plain: Vec<_> = sections.iter().map(|s| folded_ends(&s.path)).collect();
    // A path of several sections, without its number, must not be taken for another one.
    let shared = (0..sections.len()).filter(|at| sections[*at].path != whole[*at]);
    let mut ends: HashMap<&str, usize> = HashMap::new();
    for (_, end) in numbered.iter().chain(shared.map(|at| &plain[at])).flatten() {
        *ends.entry(end).or_default() += 1;
    }
    let count = |folded: &str| ends.get(folded).copied().unwrap_or(0);
    let shortest = |at: usize| {
        // A number counts the sections of one path: the text before it must name that path.
        let of_path = plain[at].first().map_or(0, |(_, whole)| count(whole));
        let mut pairs = numbered[at].iter().zip(&plain[at]).rev();
        // A heading that holds a separator is not named by its second half.
        let found = pairs.find(|((end, folded), (_, plain))| {
            end.starts_with('#') && count(folded) == 1 && count(plain) == of_path
        });
        found.map_or(&*whole[at], |((end, _), _)| end).to_owned()
    };
    (0..sections.len()).map(shortest).collect()
}

/// Returns the path of each section, with a number behind it where several have the same.
pub fn unique_paths(sections: &[Section]) -> Vec<String> {
    let paths: Vec<String> = sections.iter().map(|s| folded(&s.path)).collect();
    let mut count: HashMap<&str, usize> = HashMap::new();
    for path in &paths {
        *count.entry(path).or_default() += 1;
    }
    let mut last: HashMap<&str, usize> = HashMap::new();
    let unique = |at: usize| {
        let path = &sections[at].path;
        if count.get(&*paths[at]) == Some(&1) {
            return path.clone();
        }
        let number = last.entry(&paths[at]).or_default();
        loop {
            *number += 1;
            let numbered = format!("{path} ({number})");
            // A heading may already have this text.
            if !count.contains_key(&*folded(&numbered)) {
                return numbered;
            }
        }
    };
    (0..sections.len()).map(unique).collect()
}

/// Returns a path, and every piece of it that starts behind a separator.
fn path_ends(path: &str) -> impl Iterator<Item = &str> {
    // Behind a heading that is only a slash two separators overlap.
    let places = path.char_indices();
    let behind = places.filter_map(|(at, _)| path[at..].strip_prefix(PATH_SEPARATOR));
    std::iter::once(path).chain(behind)
}

/// Returns the pieces of [`path_ends`], each with itself folded.
fn folded_ends(path: &str) -> Vec<(&str, String)> {
    path_ends(path).map(|end| (end, folded(end))).collect()
}

/// Returns the section that a name stands for, in any case of letters. The first of these that
/// matches anything decides: one of [`names`] or [`unique_paths`], a full path, the end of one, a
/// heading's text, its text without a leading number, the end of a path with marks and numbers left
/// out, a heading's text with other marks, the start of exactly one, a piece of exactly one. Marks
/// before a heading's text, where given, must be its own unless noted otherwise.
pub fn find<'a>(sections: &'a [Section], name: &str) -> ResolvedId<&'a Section> {
    let wanted = SectionName::of(name);
    if wanted.whole.is_empty() {
        return ResolvedId::None;
    }
    let unique = unique_paths(sections);
    let whole = |path: &str| folded(path) == wanted.whole;
    let end = format!("{PATH_SEPARATOR}{}", wanted.whole);
    let ends = |path: &str| folded(path).ends_with(&end);
    let text = |section: &Section| folded(&section.title) == wanted.text;
    let bare = |section: &Section| folded(without_number(&section.title)) == wanted.text;
    let matches: [SectionMatch<'_>; 10] = [
        &|at, _| whole(&unique[at]),
        &|_, section| whole(&section.path),
        // With or without the number behind it: if several paths end like that, all of them match.
        &|at, section| ends(&unique[at]) || ends(&section.path),
        &|_, section| wanted.has_level_of(section) && text(section),
        &|_, section| wanted.has_level_of(section) && bare(section),
        &|_, section| wanted.is_loose_end_of(section),
        &|_, section| text(section),
        &|_, section| bare(section),
        &|_, section| {
            wanted.has_level_of(section)
                && (folded(without_number(&section.title)).starts_with(&wanted.text)
                    || folded(&section.title).starts_with(&wanted.text))
        },
        &|_, section| wanted.has_level_of(section) && folded(&section.title).contains(&wanted.text),
    ];
    // Only marks can be the path of a heading without text.
    let usable = if wanted.text.is_empty() {
        3
    } else {
        matches.len()
    };
    for is_match in &matches[..usable] {
        let numbered = sections.iter().enumerate();
        let found: Vec<&Section> = numbered
            .filter(|(at, section)| is_match(*at, section))
            .map(|(_, section)| section)
            .collect();
        match found.as_slice() {
            [] => {}
            [one] => return ResolvedId::One(one),
            _ => return ResolvedId::Many(found),
        }
    }
    ResolvedId::None
}

/// A test whether the name matches the section at a place.
type SectionMatch<'a> = &'a dyn Fn(usize, &Section) -> bool;

/// The name of a wanted section.
struct SectionName {
    /// All of it, folded.
    whole: String,
    /// The number of its leading marks, if any.
    level: Option<usize>,
    /// The text behind them.
    text: String,
    /// The headings of a path, without marks and numbers; a single one if it is no path.
    steps: Vec<String>,
}

impl SectionName {
    fn of(name: &str) -> Self {
        let whole = folded(name);
        let text = without_marks(&whole).to_owned();
        let level = whole.len() - whole.trim_start_matches('#').len();
        let steps = whole.split(PATH_SEPARATOR).map(plain_step).collect();
        Self {
            level: (level > 0 && text.len() < whole.len()).then_some(level),
            text,
            steps,
            whole,
        }
    }

    fn has_level_of(&self, section: &Section) -> bool {
        self.level
            .is_none_or(|level| level == usize::from(section.level))
    }

    /// Returns true if the steps of a path, at least two, are the last ones of the section's path.
    fn is_loose_end_of(&self, section: &Section) -> bool {
        let steps: Vec<String> = folded(&section.path)
            .split(PATH_SEPARATOR)
            .map(plain_step)
            .collect();
        self.steps.len() > 1 && steps.ends_with(&self.steps)
    }
}

fn plain_step(step: &str) -> String {
    without_number(without_marks(step.trim())).to_owned()
}

/// Returns a heading without the marks before it; marks without a heading give an empty text.
fn without_marks(heading: &str) -> &str {
    let rest = heading.trim_start_matches('#');
    if rest.starts_with(' ') || rest.is_empty() {
        rest.trim_start()
    } else {
        heading
    }
}

/// Puts text into a section, with one blank line around it and the line ends of the body.
pub fn put(body: &str, section: &Section, text: &str, place: SectionPlace) -> Edit {
    let eol = line_break(body);
    let content = &body[section.content.clone()];
    let trimmed = text.trim_matches(['\n', '\r']);
    let text = with_line_break(trimmed, eol);
    let is_last = section.content.end == body.len();
    // The heading may be the last line of a file without a final line break.
    let lead = if body[..section.content.start].ends_with('\n') {
        eol.to_owned()
    } else {
        format!("{eol}{eol}")
    };
    match place {
        SectionPlace::Whole => {
            let trail = match (is_last, body.ends_with('\n') || content.is_empty()) {
                (false, _) => format!("{eol}{eol}"),
                (true, true) => eol.to_owned(),
                (true, false) => String::new(),
            };
            Edit::replace(section.content.clone(), format!("{lead}{text}{trail}"))
        }
        SectionPlace::Start => {
            let gap = content.len() - content.trim_start_matches(['\n', '\r']).len();
            let trail = if content.trim().is_empty() && is_last {
                eol.to_owned()
            } else {
                format!("{eol}{eol}")
            };
            Edit::replace(
                section.content.start..section.content.start + gap,
                format!("{lead}{text}{trail}"),
            )
        }
        SectionPlace::End => {
            let words = content.trim_end_matches(['\n', '\r', ' ', '\t']).len();
            if words == 0 {
                return put(body, section, trimmed, SectionPlace::Whole);
            }
            // Blanks behind the last words stay behind them.
            let blanks = content[words..].find(['\n', '\r']);
            let kept = blanks.map_or(content.len(), |blanks| words + blanks);
            let rest = &content[kept..];
            // Without a blank line before it an underlined heading would include the text.
            let trail = if is_last || rest.matches('\n').count() > 1 {
                rest.to_owned()
            } else {
                format!("{eol}{eol}")
            };
            let at = section.content.start + kept;
            Edit::replace(at..section.content.end, format!("{eol}{eol}{text}{trail}"))
        }
    }
}

/// Returns a title without a number before it: `2.1 Scope`, `3) Scope` and `4. Scope` mean `Scope`.
pub fn without_number(title: &str) -> &str {
    let rest = title.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ')');
    if rest.len() < title.len() && title.starts_with(|c: char| c.is_ascii_digit()) {
        rest.trim_start()
    } else {
        title
    }
}

/// Returns a text in lower case with one blank between its words.
fn folded(text: &str) -> String {
    // Nearly all headings: visible ASCII and single blanks.
    if text.bytes().all(|b| matches!(b, b' '..=b'~')) && !text.contains("  ") {
        return text.trim().to_ascii_lowercase();
    }
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::edit::apply;
    use crate::markdown::outline;

    const BODY: &str = "intro\n\n# Title\n\n## 1. Scope\n\nText.\n\n```\n# not a heading\n```\n\n### Detail\n\nMore.\n\n## 2. Scope of tests\n\n## Notes\n\n### Detail\n\nEnd";

    fn of(body: &str) -> Vec<Section> {
        sections(&outline(body), body.len())
    }

    fn paths(found: ResolvedId<&Section>) -> Vec<String> {
        match found {
            ResolvedId::None => Vec::new(),
            ResolvedId::One(one) => vec![one.path.clone()],
            ResolvedId::Many(many) => many
                .into_iter()
                .map(|section| section.path.clone())
                .collect(),
        }
    }

    #[test]
    fn sections_come_in_document_order_with_their_paths_and_content() {
        let sections = of(BODY);
        let shown: Vec<_> = sections
            .iter()
            .map(|s| (s.level, s.path.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                (1, "# Title"),
                (2, "# Title / ## 1. Scope"),
                (3, "# Title / ## 1. Scope / ### Detail"),
                (2, "# Title / ## 2. Scope of tests"),
                (2, "# Title / ## Notes"),
                (3, "# Title / ## Notes / ### Detail"),
            ]
        );
        assert!(BODY[sections[1].content.clone()].trim().ends_with("More."));
        assert_eq!(BODY[sections[3].content.clone()].trim(), "");
    }

    #[test]
    fn the_most_exact_name_wins_and_any_path_that_is_listed_is_found() {
        let sections = of(BODY);
        for section in &sections {
            assert_eq!(
                paths(find(&sections, &section.path)),
                [section.path.as_str()]
            );
        }
        assert_eq!(paths(find(&sections, "scope")), ["# Title / ## 1. Scope"]);
        assert_eq!(
            paths(find(&sections, "## 1. SCOPE")),
            ["# Title / ## 1. Scope"]
        );
        assert_eq!(
            paths(find(&sections, "## Notes / ### Detail")),
            ["# Title / ## Notes / ### Detail"]
        );
        assert_eq!(
            paths(find(&sections, "scope of")),
            ["# Title / ## 2. Scope of tests"]
        );
        assert_eq!(
            paths(find(&sections, "tests")),
            ["# Title / ## 2. Scope of tests"]
        );
        assert_eq!(paths(find(&sections, "Detail")).len(), 2);
        assert_eq!(
            paths(find(&sections, "absent")).len() + paths(find(&sections, " ")).len(),
            0
        );
    }

    #[test]
    fn a_heading_that_stands_three_times_means_all_of_them_also_where_two_need_a_number() {
        let sections = of("# T\n\n## A\n\n### R\n\n## B\n\n### R\n\n### R\n");
        for name in ["### R", "R", "## r"] {
            assert_eq!(paths(find(&sections, name)).len(), 3, "{name}");
        }
        let one = "# T / ## A / ### R";
        assert_eq!(paths(find(&sections, "## A / ### R")), [one]);
    }

    #[track_caller]
    fn check_names(body: &str, expected: &[&str]) {
        let sections = of(body);
        let names = names(&sections);
        assert_eq!(names, expected);
        for paths in [names, unique_paths(&sections)] {
            for (section, name) in sections.iter().zip(paths) {
                assert_eq!(find(&sections, &name), ResolvedId::One(section), "{name}");
            }
        }
    }

    #[test]
    fn every_section_has_a_name_of_its_own() {
        check_names(
            BODY,
            &[
                "# Title",
                "## 1. Scope",
                "## 1. Scope / ### Detail",
                "## 2. Scope of tests",
                "## Notes",
                "## Notes / ### Detail",
            ],
        );
        check_names(
            "# T\n## A\n## a\n## A (2)\n## A\n",
            &["# T", "## A (1)", "## a (3)", "## A (2)", "## A (4)"],
        );
        check_names(
            "# A\n## A\n# /\n## A\n",
            &["# A", "# A / ## A", "# /", "# / / ## A"],
        );
        check_names(
            "## A\n## A\n# T\n## A\n##\n# U / ## A\n",
            &[
                "## A (1)", "## A (2)", "# T", "# T / ## A", "##", "# U / ## A",
            ],
        );
    }

    #[test]
    fn marks_and_numbers_may_be_left_out_or_be_others() {
        let sections = of(
            "# T\n\n## 1. Feature AA\n\n### 1.1 Requirements\n\n## 2. Feature B\n\n### Requirements\n\n### Non-Requirements\n",
        );
        let found = |name: &str| paths(find(&sections, name)).join(" | ");
        let one = "# T / ## 1. Feature AA / ### 1.1 Requirements";
        for name in [
            "## 1. Feature AA / ### 1.1 Requirements",
            "feature aa / requirements",
            "T / Feature AA / Requirements",
            "### 1.1 requirements",
            "1.1 Requirements",
        ] {
            assert_eq!(found(name), one, "{name}");
        }
        let other = "# T / ## 2. Feature B / ### Requirements";
        assert_eq!(found("### Requirements"), other);
        assert_eq!(found("## Requirements"), other);
        assert_eq!(found("## Feature B"), "# T / ## 2. Feature B");
        assert_eq!(
            found("## feature").matches(" | ").count(),
            1,
            "two begin like that"
        );
        assert_eq!(found("#") + &found("##"), "");
    }

    #[track_caller]
    fn check(body: &str, name: &str, place: SectionPlace, expected: &str) {
        let sections = of(body);
        let ResolvedId::One(section) = find(&sections, name) else {
            panic!("{name}")
        };
        assert_eq!(
            apply(body, &[put(body, section, "new\n", place)]).as_deref(),
            Ok(expected)
        );
    }

    #[test]
    fn text_is_put_with_one_blank_line_around_it() {
        let body = "# T\n\n## A\n\nold\n\n## B\n";
        check(
            body,
            "A",
            SectionPlace::Whole,
            "# T\n\n## A\n\nnew\n\n## B\n",
        );
        check(
            body,
            "A",
            SectionPlace::Start,
            "# T\n\n## A\n\nnew\n\nold\n\n## B\n",
        );
        check(
            body,
            "A",
            SectionPlace::End,
            "# T\n\n## A\n\nold\n\nnew\n\n## B\n",
        );
        for place in [SectionPlace::Whole, SectionPlace::Start, SectionPlace::End] {
            check(body, "B", place, "# T\n\n## A\n\nold\n\n## B\n\nnew\n");
            check(
                "## A\r\nold\r\n## B",
                "B",
                place,
                "## A\r\nold\r\n## B\r\n\r\nnew\r\n",
            );
        }
        check("## A\nold", "A", SectionPlace::End, "## A\nold\n\nnew");
        check("## A\nold", "A", SectionPlace::Whole, "## A\n\nnew");
        check("## A\nold  ", "A", SectionPlace::End, "## A\nold  \n\nnew");
        let body = "## A\n\nold \t\n \n\n## B\n";
        check(
            body,
            "A",
            SectionPlace::End,
            "## A\n\nold \t\n\nnew\n \n\n## B\n",
        );
    }

    proptest! {
        #[test]
        fn nothing_outside_the_section_changes(
            blocks in prop::collection::vec(prop::sample::select(vec![
                "# H\n", "## A\n", "## B\n\n", "### C\ntext\n", "text\n\n", "```\n# no\n```\n", "| a |\n|---|\n| b |\n",
                "- item\n", "<!--\n# no\n-->\n\n", "Set\n---\n", "\n",
            ]), 1..12),
            crlf in any::<bool>(),
            final_break in any::<bool>(),
            pick in any::<prop::sample::Index>(),
            place in prop::sample::select(vec![SectionPlace::Whole, SectionPlace::Start, SectionPlace::End]),
        ) {
            let mut body: String = blocks.concat();
            if !final_break {
                body.truncate(body.trim_end().len());
            }
            let body = if crlf { body.replace('\n', "\r\n") } else { body };
            let sections = of(&body);
            prop_assume!(!sections.is_empty());
            let section = pick.get(&sections);
            let edit = put(&body, section, "fresh words", place);
            prop_assert!(section.content.start <= edit.range.start && edit.range.end <= section.content.end);
            let changed = apply(&body, &[edit]).unwrap();
            prop_assert!(changed.contains("fresh words"));
            let after = of(&changed);
            let titles = |sections: &[Section]| sections.iter().map(|s| (s.level, s.title.clone())).collect::<Vec<_>>();
            if place != SectionPlace::Whole {
                prop_assert_eq!(titles(&after), titles(&sections));
            }
        }
    }
}
