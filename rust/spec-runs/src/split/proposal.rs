//! Decides whether the members that an agent named are a proposal, and which parts of them are left
//! out.

use std::collections::BTreeSet;

use super::BadAnswer;
use crate::view::split::ProposedMember;
use chant_text::checklist::behind_box;

/// The least number of members of a split.
const FEWEST: usize = 2;
/// The greatest number of members of one spec.
const MOST: usize = 20;
/// The number of words below which a member is a stub.
const WORDS: usize = 50;
/// Criteria that have no meaning for the work, in small letters.
const STOCK: [&str; 9] = [
    "all acceptance criteria are met",
    "all tests pass",
    "code compiles",
    "implementation complete",
    "implementation is complete",
    "linting passes",
    "tests pass",
    "the work is done",
    "works as expected",
];

/// Returns members as they can be written, and the parts that were left out, in sentences.
///
/// # Errors
/// `NoMembers`, or `Unfit` with all faults in them.
pub fn check_members(
    mut members: Vec<ProposedMember>,
) -> Result<(Vec<ProposedMember>, Vec<String>), BadAnswer> {
    if members.is_empty() {
        return Err(BadAnswer::NoMembers);
    }
    members.iter_mut().for_each(straighten);
    let count = members.len();
    let mut wrong = Vec::new();
    if count < FEWEST {
        wrong.push(format!("it has one member, and a split needs {FEWEST}"));
    }
    if count > MOST {
        wrong.push(format!("it has {count} members, and {MOST} are the most"));
    }
    let each = members.iter().enumerate();
    wrong.extend(each.flat_map(|(at, member)| faults(member, at + 1)));
    if !wrong.is_empty() {
        return Err(BadAnswer::Unfit(wrong));
    }
    let mut warnings = Vec::new();
    for (at, member) in members.iter_mut().enumerate() {
        keep_inside(member, at + 1, &mut warnings);
    }
    break_circles(&mut members, &mut warnings);
    Ok((members, warnings))
}

/// Puts titles and criteria on one line each, without boxes of their own.
fn straighten(member: &mut ProposedMember) {
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    member.title = line(&member.title);
    for criterion in &mut member.criteria {
        *criterion = line(behind_box(criterion.trim()).unwrap_or(criterion));
    }
    member.criteria.retain(|criterion| !criterion.is_empty());
}

fn faults(member: &ProposedMember, number: usize) -> Vec<String> {
    let mut faults = Vec::new();
    let mut fault = |what: String| faults.push(format!("member {number} {what}"));
    if member.title.is_empty() {
        fault("has no title".into());
    }
    if member.criteria.is_empty() {
        fault("has no acceptance criteria".into());
    } else if member.criteria.iter().all(|text| is_stock(text)) {
        fault("is a stub: its criteria fit any work".into());
    }
    let texts = member.sections.iter().map(|section| &section.text);
    let texts = texts.chain([&member.description]).chain(&member.criteria);
    let words: usize = texts.map(|text| text.split_whitespace().count()).sum();
    if words < WORDS {
        fault(format!(
            "is a stub: it says {words} words, and {WORDS} are the fewest"
        ));
    }
    faults
}

fn is_stock(criterion: &str) -> bool {
    let plain = criterion.to_lowercase();
    STOCK.contains(&plain.trim_end_matches('.'))
}

/// Leaves out files that lie outside the project.
fn keep_inside(member: &mut ProposedMember, number: usize, warnings: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    let mut files = Vec::new();
    for file in &member.target_files {
        let name = file.trim();
        let name = name.strip_prefix("./").unwrap_or(name);
        let leads_out =
            name.starts_with(['/', '\\', '~']) || name.split(['/', '\\']).any(|part| part == "..");
        if leads_out || name.is_empty() || name.contains(['\n', '\0']) {
            warnings.push(format!(
                "Left out `{file}` of member {number}: it is no file of the project"
            ));
        } else if seen.insert(name.to_owned()) {
            files.push(name.to_owned());
        }
    }
    member.target_files = files;
}

/// Leaves out dependencies on missing members and on the member itself, and those that would close
/// a cycle with the ones before them.
fn break_circles(members: &mut [ProposedMember], warnings: &mut Vec<String>) {
    let count = members.len();
    let mut kept: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for (at, member) in members.iter().enumerate() {
        for number in &member.depends_on {
            let why = match number.checked_sub(1).filter(|on| *on < count) {
                None => "there is no such member",
                Some(on) if on == at => "a member cannot wait for itself",
                Some(on) if leads(&kept, on, at) => "it would close a circle",
                Some(on) => {
                    kept[at].insert(on);
                    continue;
                }
            };
            let on = match number {
                &usize::MAX => "an unknown member".to_owned(),
                number => format!("member {number}"),
            };
            let from = at + 1;
            warnings.push(format!(
                "Left out the dependency of member {from} on {on}: {why}"
            ));
        }
    }
    for (member, kept) in members.iter_mut().zip(kept) {
        member.depends_on = kept.into_iter().map(|on| on + 1).collect();
    }
}

/// Returns true if one member waits for another, directly or indirectly.
fn leads(edges: &[BTreeSet<usize>], from: usize, to: usize) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        if seen.insert(at) {
            open.extend(&edges[at]);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(depends_on: &[usize]) -> ProposedMember {
        ProposedMember {
            title: "Part".into(),
            description: "word ".repeat(60),
            criteria: vec!["The part answers".into()],
            depends_on: depends_on.to_vec(),
            ..ProposedMember::default()
        }
    }

    #[track_caller]
    fn check(edges: &[&[usize]], kept: &[&[usize]], left_out: usize) {
        let given = edges.iter().map(|edges| member(edges)).collect();
        let (members, warnings) = check_members(given).unwrap();
        let found: Vec<&[usize]> = members.iter().map(|m| m.depends_on.as_slice()).collect();
        assert_eq!(found, kept);
        assert_eq!(warnings.len(), left_out, "{warnings:?}");
    }

    #[test]
    fn only_what_closes_a_circle_is_left_out() {
        check(&[&[], &[1], &[2, 1]], &[&[], &[1], &[1, 2]], 0);
        check(&[&[3], &[1], &[2]], &[&[3], &[1], &[]], 1);
        check(&[&[2], &[1, 1, 1]], &[&[2], &[]], 3);
        check(&[&[1], &[0, 3, usize::MAX]], &[&[], &[]], 4);
    }

    #[track_caller]
    fn refused(members: Vec<ProposedMember>, words: &str) {
        let error = check_members(members).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }

    #[test]
    fn what_is_no_split_is_refused() {
        refused(vec![], "No member specs found in agent output");
        refused(vec![member(&[])], "it has one member, and a split needs 2");
        refused(
            vec![member(&[]); 21],
            "it has 21 members, and 20 are the most",
        );
    }

    #[test]
    fn members_that_say_too_little_are_refused_by_their_number() {
        let beside = |changed: ProposedMember| vec![member(&[]), changed];
        let mut bare = member(&[]);
        bare.criteria = vec![" - [ ] ".into()];
        refused(beside(bare), "member 2 has no acceptance criteria");
        let mut stock = member(&[]);
        stock.criteria = vec!["Tests pass.".into(), "Code compiles".into()];
        refused(
            beside(stock),
            "member 2 is a stub: its criteria fit any work",
        );
        let mut short = member(&[]);
        short.description = "word ".repeat(46);
        refused(beside(short), "member 2 is a stub: it says 49 words");
        let mut nameless = member(&[]);
        nameless.title = " \n".into();
        refused(beside(nameless), "member 2 has no title");
    }

    #[test]
    fn files_outside_the_project_are_left_out() {
        let mut one = member(&[]);
        one.target_files = ["./a.rs", "a.rs", "/etc/passwd", "../b", "c/../../d"]
            .map(str::to_owned)
            .to_vec();
        let (members, warnings) = check_members(vec![one, member(&[])]).unwrap();
        assert_eq!(members[0].target_files, ["a.rs"]);
        assert_eq!(warnings.len(), 3, "{warnings:?}");
    }
}
