//! Where commented words of a spec stand in its text as it is now.

use chant_text::checklist::lines::{BoxGrammar, ListLineKind, read_lines};

use crate::anchor::SpecAnchor;

/// The boxes of criteria.
const GRAMMAR: BoxGrammar = BoxGrammar {
    signs: " xX",
    has_numbered_bullets: false,
    has_loose_boxes: false,
    has_loose_blanks: true,
};

/// A line of a spec with the headings above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecLine {
    /// The headings, the outermost first.
    pub headings: Vec<String>,
    /// Its words, without a box.
    pub words: String,
    /// Its number in the text, from 1.
    pub line: usize,
}

/// Where words of a spec stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpecPlacement {
    /// On a line, from 1; `true` below other headings than before.
    Placed(usize, bool),
    /// Nowhere, for this reason.
    Outdated(&'static str),
}

/// The words of the spec are other ones.
pub const REWORDED: &str = "its words were changed";

/// Returns the lines of a spec's text with their headings. Text between fences is no heading.
pub fn spec_lines(text: &str) -> Vec<SpecLine> {
    let mut headings: Vec<(u8, String)> = Vec::new();
    let mut found = Vec::new();
    for line in read_lines(text, 0, &GRAMMAR) {
        let words = match &line.kind {
            ListLineKind::Blank => continue,
            ListLineKind::Heading { level, text: title } if !line.is_fenced => {
                headings.retain(|(above, _)| above < level);
                headings.push((*level, text[title.clone()].to_owned()));
                continue;
            }
            ListLineKind::Box(parts) => &text[parts.text.clone()],
            ListLineKind::Heading { .. } | ListLineKind::Text => {
                let words = text[line.range.clone()].trim();
                words
                    .strip_prefix(['-', '*', '+'])
                    .map_or(words, str::trim_start)
            }
        };
        found.push(SpecLine {
            headings: headings.iter().map(|(_, title)| title.clone()).collect(),
            words: words.to_owned(),
            line: line.number,
        });
    }
    found
}

/// Returns where words of a spec stand in its text as it is now. Ticks move nothing.
pub fn place_in_spec(anchor: &SpecAnchor, text: &str) -> SpecPlacement {
    let lines = spec_lines(text);
    let same: Vec<&SpecLine> = lines
        .iter()
        .filter(|line| line.words == anchor.words)
        .collect();
    let mut at_home = same.iter().filter(|line| line.headings == anchor.headings);
    match (at_home.next(), at_home.next(), same.as_slice()) {
        (Some(line), None, _) => SpecPlacement::Placed(line.line, false),
        (None, _, [line]) => SpecPlacement::Placed(line.line, true),
        _ => SpecPlacement::Outdated(REWORDED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_move_no_comment_of_a_spec() {
        let text = "# A\n\n## Acceptance Criteria\n\n- [ ] One\n- [ ] Two\n\n## Notes\n\n- Two more\n\n```\n# no\n- [ ] Two of code\n```\n";
        let criterion = |words: &str| SpecAnchor {
            headings: vec!["A".into(), "Acceptance Criteria".into()],
            words: words.into(),
            number: 1,
        };
        let ticked = text.replace("[ ]", "[x]");
        assert_eq!(
            place_in_spec(&criterion("Two"), &ticked),
            SpecPlacement::Placed(6, false)
        );
        let above = text.replace("- [ ] One\n", "- [ ] New\n- [ ] One\n");
        assert_eq!(
            place_in_spec(&criterion("Two"), &above),
            SpecPlacement::Placed(7, false)
        );
        let renamed = text.replace("## Acceptance Criteria", "## Criteria");
        assert_eq!(
            place_in_spec(&criterion("Two"), &renamed),
            SpecPlacement::Placed(6, true)
        );
        let reworded = text.replace("- [ ] Two\n", "- [ ] Three\n");
        assert_eq!(
            place_in_spec(&criterion("Two"), &reworded),
            SpecPlacement::Outdated(REWORDED)
        );
        let twice = format!("{renamed}- Two\n");
        assert_eq!(
            place_in_spec(&criterion("Two"), &twice),
            SpecPlacement::Outdated(REWORDED)
        );
    }
}
