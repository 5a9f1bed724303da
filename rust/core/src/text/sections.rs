//! Sections of a markdown body: a heading and what stands under it, sub-sections included.
//!
//! A section is addressed by its path, the headings from the outermost one joined with ` / `, or by
//! any shorter name that means only one. Edits touch the bytes between two headings and nothing else.

use std::ops::Range;

use super::edit::{Edit, line_break, with_line_break};
use super::markdown::Outline;
use crate::ident::Resolved;

/// What joins the headings of a path.
pub const PATH_SEPARATOR: &str = " / ";

/// A heading and what stands under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// 1 to 6.
    pub level: u8,
    /// The heading's text, without marks.
    pub title: String,
    /// The headings from the outermost one to this one, each with its `#` marks.
    pub path: String,
    /// Bytes of the heading, its line break included.
    pub heading: Range<usize>,
    /// Bytes below the heading up to the next heading of its own level or a higher one.
    pub content: Range<usize>,
}

/// Where new text goes in a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the place of all content, sub-sections included.
    Whole,
    /// Behind all content.
    End,
    /// Directly below the heading.
    Start,
}

/// The sections of a body, in document order.
pub fn sections(outline: &Outline, length: usize) -> Vec<Section> {
    let headings = &outline.headings;
    let mut above: Vec<(u8, String)> = Vec::new();
    let mut sections = Vec::new();
    for (at, heading) in headings.iter().enumerate() {
        above.retain(|(level, _)| *level < heading.level);
        above.push((
            heading.level,
            format!("{} {}", "#".repeat(heading.level.into()), heading.text),
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

/// The section that a name stands for, in any case of letters: a full path, the end of one, a heading
/// with its marks, a heading's text, its text without a leading number, the beginning of exactly one,
/// a piece of exactly one. The first of these that matches anything decides.
pub fn find<'a>(sections: &'a [Section], name: &str) -> Resolved<&'a Section> {
    let wanted = folded(name);
    if wanted.is_empty() {
        return Resolved::None;
    }
    let matches: [&dyn Fn(&Section) -> bool; 7] = [
        &|section| folded(&section.path) == wanted,
        &|section| folded(&section.path).ends_with(&format!("{PATH_SEPARATOR}{wanted}")),
        &|section| folded(&marked(section)) == wanted,
        &|section| folded(&section.title) == wanted,
        &|section| folded(without_number(&section.title)) == wanted,
        &|section| {
            folded(without_number(&section.title)).starts_with(&wanted)
                || folded(&section.title).starts_with(&wanted)
        },
        &|section| folded(&section.title).contains(&wanted),
    ];
    for is_match in matches {
        let found: Vec<&Section> = sections
            .iter()
            .filter(|section| is_match(section))
            .collect();
        match found.as_slice() {
            [] => {}
            [one] => return Resolved::One(one),
            _ => return Resolved::Many(found),
        }
    }
    Resolved::None
}

/// Puts text into a section, one blank line around it, in the line ends of the body.
pub fn put(body: &str, section: &Section, text: &str, place: Place) -> Edit {
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
        Place::Whole => {
            let trail = match (is_last, body.ends_with('\n') || content.is_empty()) {
                (false, _) => format!("{eol}{eol}"),
                (true, true) => eol.to_owned(),
                (true, false) => String::new(),
            };
            Edit::replace(section.content.clone(), format!("{lead}{text}{trail}"))
        }
        Place::Start => {
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
        Place::End => {
            let kept = content.trim_end_matches(['\n', '\r', ' ', '\t']).len();
            if kept == 0 {
                return put(body, section, trimmed, Place::Whole);
            }
            let rest = &content[kept..];
            // Without a blank line before it a heading of the underlined kind would swallow the text.
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

fn marked(section: &Section) -> String {
    format!("{} {}", "#".repeat(section.level.into()), section.title)
}

/// A title without a number before it: `2.1 Scope`, `3) Scope` and `4. Scope` mean `Scope`.
pub fn without_number(title: &str) -> &str {
    let rest = title.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ')');
    if rest.len() < title.len() && title.starts_with(|c: char| c.is_ascii_digit()) {
        rest.trim_start()
    } else {
        title
    }
}

fn folded(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::edit::apply;
    use super::super::markdown::outline;
    use super::*;

    const BODY: &str = "intro\n\n# Title\n\n## 1. Scope\n\nText.\n\n```\n# not a heading\n```\n\n### Detail\n\nMore.\n\n## 2. Scope of tests\n\n## Notes\n\n### Detail\n\nEnd";

    fn of(body: &str) -> Vec<Section> {
        sections(&outline(body), body.len())
    }

    fn paths(found: Resolved<&Section>) -> Vec<String> {
        match found {
            Resolved::None => Vec::new(),
            Resolved::One(one) => vec![one.path.clone()],
            Resolved::Many(many) => many
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

    #[track_caller]
    fn check(body: &str, name: &str, place: Place, expected: &str) {
        let sections = of(body);
        let Resolved::One(section) = find(&sections, name) else {
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
        check(body, "A", Place::Whole, "# T\n\n## A\n\nnew\n\n## B\n");
        check(
            body,
            "A",
            Place::Start,
            "# T\n\n## A\n\nnew\n\nold\n\n## B\n",
        );
        check(body, "A", Place::End, "# T\n\n## A\n\nold\n\nnew\n\n## B\n");
        for place in [Place::Whole, Place::Start, Place::End] {
            check(body, "B", place, "# T\n\n## A\n\nold\n\n## B\n\nnew\n");
            check(
                "## A\r\nold\r\n## B",
                "B",
                place,
                "## A\r\nold\r\n## B\r\n\r\nnew\r\n",
            );
        }
        check("## A\nold", "A", Place::End, "## A\nold\n\nnew");
        check("## A\nold", "A", Place::Whole, "## A\n\nnew");
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
            place in prop::sample::select(vec![Place::Whole, Place::Start, Place::End]),
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
            if place != Place::Whole {
                prop_assert_eq!(titles(&after), titles(&sections));
            }
        }
    }
}
