//! Creates the files of a proposal.

use std::sync::Arc;

use super::BadAnswer;
use crate::view::split::ProposedMember;
use chant_specs::id::{InvalidSpecId, SpecId};
use chant_specs::model::{Spec, SpecStatus, SpecType};
use chant_specs::parse::{self, CRITERIA};
use chant_specs::project::SPECS;
use chant_store::index::FileSource;
use chant_text::front_matter::{self, FrontMatterValue};

/// The heading for the criteria of a member that is split itself: its own members must meet them
/// now.
const SHARED: &str = "Shared Among the Members";

/// A spec that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberFile {
    /// Its id.
    pub id: SpecId,
    /// Its text.
    pub text: String,
}

/// Returns the specs for members, with their own members behind each; `ids` are those of the
/// members.
///
/// # Errors
/// `Unfit`, with the parts that would not read back from the file as proposed.
pub fn render_members(
    ids: &[SpecId],
    members: &[ProposedMember],
) -> Result<Vec<MemberFile>, BadAnswer> {
    let mut specs = Vec::new();
    for (id, member) in ids.iter().zip(members) {
        let inner = id.members_after(0, member.members.len()).map_err(unfit)?;
        let text = text(id, member, ids, &inner);
        read_back(id, &text, member)?;
        specs.push(MemberFile {
            id: id.clone(),
            text,
        });
        specs.extend(self::render_members(&inner, &member.members)?);
    }
    Ok(specs)
}

/// Returns the spec of a member, for checks.
///
/// # Errors
/// As [`render_members`].
pub fn preview_member(
    id: &SpecId,
    ids: &[SpecId],
    member: &ProposedMember,
) -> Result<Arc<Spec>, BadAnswer> {
    read_back(id, &text(id, member, ids, &[]), member)
}

fn unfit(error: InvalidSpecId) -> BadAnswer {
    BadAnswer::Unfit(vec![error.to_string()])
}

fn text(id: &SpecId, member: &ProposedMember, beside: &[SpecId], inner: &[SpecId]) -> String {
    let is_group = !inner.is_empty();
    let kind = if is_group {
        SpecType::Group
    } else {
        SpecType::Code
    };
    let named = member.depends_on.iter();
    let named = named.filter_map(|number| beside.get(number.checked_sub(1)?));
    let named: Vec<String> = named
        .filter(|named| *named != id)
        .map(SpecId::to_string)
        .collect();
    let mut pairs = vec![
        ("type", FrontMatterValue::Text(kind.as_str().into())),
        (
            "status",
            FrontMatterValue::Text(SpecStatus::Pending.as_str().into()),
        ),
        ("depends_on", FrontMatterValue::List(named)),
    ];
    if !member.target_files.is_empty() {
        pairs.push((
            "target_files",
            FrontMatterValue::List(member.target_files.clone()),
        ));
    }
    if is_group {
        let inner = inner.iter().map(SpecId::to_string).collect();
        pairs.push(("members", FrontMatterValue::List(inner)));
    }
    let mut text = format!("{}\n# {}\n", front_matter::render(&pairs), member.title);
    let mut part = |words: &str| {
        if !words.is_empty() {
            text.push_str(&format!("\n{}\n", words.trim_end()));
        }
    };
    part(&member.description);
    for section in &member.sections {
        part(&format!("## {}\n\n{}", section.title, section.text));
    }
    let (heading, mark) = if is_group {
        (SHARED, "-")
    } else {
        (CRITERIA, "- [ ]")
    };
    let items = member
        .criteria
        .iter()
        .map(|words| format!("\n{mark} {words}"));
    part(&format!("## {heading}\n{}", items.collect::<String>()));
    text
}

/// Reads a text as it would be read from its file. Headings, fences or boxes in a member's words
/// could change its meaning.
fn read_back(id: &SpecId, text: &str, member: &ProposedMember) -> Result<Arc<Spec>, BadAnswer> {
    let wrong = |what: &str| {
        let title = &member.title;
        BadAnswer::Unfit(vec![format!(
            "the {what} of `{title}` would not read back from its file"
        )])
    };
    let path = format!("{SPECS}/{id}.md");
    let read = parse::document(&path, FileSource::Text(text.to_owned()));
    let spec = read.map_err(|_| wrong("text"))?;
    let same = |read: &Option<Vec<Box<str>>>, given: &[String]| {
        read.iter().flatten().map(|item| &**item).eq(given)
    };
    let criteria: Vec<String> = spec
        .criteria
        .iter()
        .map(|c| spec.criterion_text(c))
        .collect();
    let expected: &[String] = if spec.kind == SpecType::Group {
        &[]
    } else {
        &member.criteria
    };
    match () {
        () if spec.title.as_deref() != Some(member.title.as_str()) => Err(wrong("title")),
        () if criteria != expected || spec.unchecked() != expected.len() => Err(wrong("criteria")),
        () if !same(&spec.target_files, &member.target_files) => Err(wrong("files")),
        () if !spec.problems.is_empty() => Err(wrong("front matter")),
        () => Ok(spec),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(title: &str, depends_on: &[usize]) -> ProposedMember {
        ProposedMember {
            title: title.into(),
            description: "What to do.".into(),
            criteria: vec!["Works: fine".into()],
            depends_on: depends_on.to_vec(),
            ..ProposedMember::default()
        }
    }

    fn written(members: &[ProposedMember]) -> Result<Vec<MemberFile>, BadAnswer> {
        let outer: SpecId = "X".parse().unwrap();
        render_members(&outer.members_after(2, members.len()).unwrap(), members)
    }

    #[test]
    fn members_have_explicit_dependencies_and_a_section_that_gates_see() {
        let mut one = member("First: things", &[]);
        one.target_files = vec!["a b.rs".into()];
        let found = written(&[one, member("Second", &[1])]).unwrap();
        assert_eq!(
            found[0].text,
            "---\ntype: code\nstatus: pending\ndepends_on: []\ntarget_files:\n- a b.rs\n---\n\n# First: things\n\nWhat to do.\n\n## Acceptance Criteria\n\n- [ ] Works: fine\n"
        );
        assert_eq!(found[1].id.as_str(), "X.4");
        assert!(
            found[1].text.contains("depends_on:\n- X.3\n"),
            "{}",
            found[1].text
        );
    }

    #[test]
    fn a_member_that_is_split_itself_is_a_group_without_boxes() {
        let mut outer = member("Outer", &[]);
        outer.members = vec![member("A", &[]), member("B", &[1])];
        let found = written(&[outer, member("After", &[1])]).unwrap();
        let ids: Vec<&str> = found.iter().map(|new| new.id.as_str()).collect();
        assert_eq!(ids, ["X.3", "X.3.1", "X.3.2", "X.4"]);
        let group = &found[0].text;
        assert!(group.starts_with("---\ntype: group\n"), "{group}");
        assert!(group.contains("members:\n- X.3.1\n- X.3.2\n"), "{group}");
        assert!(
            !group.contains("[ ]") && group.contains("- Works: fine"),
            "{group}"
        );
    }

    #[test]
    fn words_that_would_change_what_the_file_says_are_refused() {
        for words in [
            "```\nnever closed",
            "## Acceptance Criteria\n\n- [ ] Another",
            "- one\n\n<!-- never closed",
        ] {
            let mut sly = member("Sly", &[]);
            sly.description = words.into();
            let error = written(&[sly]).unwrap_err().to_string();
            assert!(
                error.contains("of `Sly` would not read back"),
                "{words}: {error}"
            );
        }
    }
}
