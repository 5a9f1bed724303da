//! What counts as evidence that a run did its work.

use chant_proof::completion::{
    BOOKKEEPING, BranchCommit, CheckResult, CompletionEvidence, CriterionAtStart, EvidenceInputs,
    IncompleteReason, OutputCheck, assess_run, criteria_at_start,
};
use chant_specs::model::SpecStatus;
use chant_specs::parse;
use chant_store::index::FileSource;

const PATH: &str = "app/.chant/specs/x.md";
const START: &str = "# T\n\n## Acceptance Criteria\n\n- [ ] one\n- [x] two\n- [ ] one\n";

fn at_start(text: &str) -> Vec<CriterionAtStart> {
    let spec = parse::document(PATH, FileSource::Text(text.into())).unwrap();
    criteria_at_start(&spec)
}

fn commit(id: &str, message: &str, paths: &[&str]) -> BranchCommit {
    BranchCommit {
        id: id.into(),
        message: message.into(),
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
    }
}

fn work() -> Vec<BranchCommit> {
    vec![
        commit("1", &format!("Begin\n\n{BOOKKEEPING}\n"), &["src/a.rs"]),
        commit("2", "chant(x): a\n", &["src/a.rs", PATH]),
    ]
}

fn looked_at(tip: Option<&str>, commits: &[BranchCommit]) -> CompletionEvidence {
    assess_run(&EvidenceInputs {
        criteria: &at_start(START),
        spec_path: PATH,
        tip,
        commits,
        other_specs: &[],
        checks: &[],
        uncommitted: &[],
        output: &OutputCheck::NotAsked,
    })
}

fn done() -> String {
    START.replace("[ ]", "[x]")
}

#[track_caller]
fn check(found: &CompletionEvidence, status: SpecStatus, reason: Option<&str>) {
    assert_eq!(
        (found.status(), found.reason().as_deref()),
        (status, reason)
    );
    assert_eq!(found.is_complete(), status == SpecStatus::Completed);
}

#[test]
fn ticked_criteria_and_a_commit_of_its_own_complete_a_run() {
    let found = looked_at(Some(&done()), &work());
    check(&found, SpecStatus::Completed, None);
    assert_eq!(found.ticked_by_agent, ["one", "one"]);
    assert_eq!(found.ticked_at_start, ["two"]);
    assert_eq!(found.commits, ["2"]);
}

#[test]
fn the_runtimes_own_commits_and_those_of_the_spec_file_alone_are_no_work() {
    let (no, only) = (
        "the agent made no commit",
        "the agent's commits change nothing but the spec's file",
    );
    check(
        &looked_at(Some(&done()), &work()[..1]),
        SpecStatus::Failed,
        Some(no),
    );
    check(&looked_at(Some(&done()), &[]), SpecStatus::Failed, Some(no));
    let spec_alone = [commit("2", "chant(x): tick", &[PATH])];
    check(
        &looked_at(Some(&done()), &spec_alone),
        SpecStatus::Failed,
        Some(only),
    );
    // The trailer counts in the last paragraph only: an agent may write about it.
    let about = [commit("2", &format!("a\n\n{BOOKKEEPING}\n\nmore"), &["a"])];
    check(
        &looked_at(Some(&done()), &about),
        SpecStatus::Completed,
        None,
    );
}

#[test]
fn open_criteria_fail_a_run_whoever_added_or_opened_them() {
    let open = "acceptance criteria are open: one";
    let tip = START.replacen("[ ]", "[x]", 1);
    check(
        &looked_at(Some(&tip), &work()),
        SpecStatus::Failed,
        Some(open),
    );
    let tip = format!("{}- [ ] new\n", done());
    let open = "acceptance criteria are open: new";
    check(
        &looked_at(Some(&tip), &work()),
        SpecStatus::Failed,
        Some(open),
    );
    let tip = done().replace("[x] two", "[ ] two");
    let open = "acceptance criteria are open: two";
    check(
        &looked_at(Some(&tip), &work()),
        SpecStatus::Failed,
        Some(open),
    );
}

#[test]
fn removed_and_reworded_criteria_need_a_person() {
    let changed = "acceptance criteria were removed or reworded: ";
    let tip = done().replacen("- [x] one\n", "", 1);
    let found = looked_at(Some(&tip), &work());
    check(
        &found,
        SpecStatus::NeedsAttention,
        Some(&format!("{changed}one")),
    );
    let tip = done().replace("two", "two or so");
    let found = looked_at(Some(&tip), &[]);
    let reason = format!("{changed}two; the agent made no commit");
    check(&found, SpecStatus::NeedsAttention, Some(&reason));
}

#[test]
fn a_spec_that_is_gone_or_broken_needs_a_person() {
    check(
        &looked_at(None, &work()),
        SpecStatus::NeedsAttention,
        Some("the branch removed the spec's file; put it back as it was"),
    );
    let found = looked_at(Some("---\nstatus: [\n---\n"), &work());
    assert!(matches!(
        found.reasons[..],
        [IncompleteReason::SpecUnreadable(_)]
    ));
}

#[test]
fn changes_of_other_specs_and_wrong_output_need_a_person() {
    let (tip, criteria, commits) = (done(), at_start(START), work());
    let found = assess_run(&EvidenceInputs {
        criteria: &criteria,
        spec_path: PATH,
        tip: Some(&tip),
        commits: &commits,
        other_specs: &["app/.chant/specs/y.md".into()],
        checks: &[],
        uncommitted: &[],
        output: &OutputCheck::Wrong("no JSON".into()),
    });
    let reason = "the branch changes other specs: app/.chant/specs/y.md; the output does not match its schema: no JSON";
    check(&found, SpecStatus::NeedsAttention, Some(reason));
}

const CHECKED: &str = "# T\n\n<!-- check: none -->\n\n## Acceptance Criteria\n\n- [x] Tests pass <!-- check: tests -->\n- [x] Tidy\n  <!--check:lint-->\n\n  <!-- check: tests --> <!-- a remark -->\n- [x] `<!-- check: code -->`\n\n```\n<!-- check: code -->\n```\n\n## Notes\n\n<!-- check: none -->\n";

#[test]
fn checks_stand_at_their_criteria() {
    let found: Vec<Vec<String>> = at_start(CHECKED).into_iter().map(|c| c.checks).collect();
    assert_eq!(found, [vec!["tests"], vec!["lint", "tests"], vec![]]);
}

#[test]
fn every_check_has_to_pass_and_one_that_did_not_end_needs_a_person() {
    let (criteria, commits) = (at_start(CHECKED), work());
    let look = |checks: &[(&str, Option<i32>)]| {
        let result = |(name, exit): &(&str, Option<i32>)| CheckResult {
            name: (*name).into(),
            exit: *exit,
            refused: None,
            report: None,
            flaky: None,
        };
        let checks: Vec<CheckResult> = checks.iter().map(result).collect();
        assess_run(&EvidenceInputs {
            criteria: &criteria,
            spec_path: PATH,
            tip: Some(CHECKED),
            commits: &commits,
            other_specs: &[],
            checks: &checks,
            uncommitted: &[],
            output: &OutputCheck::Fits,
        })
    };
    check(
        &look(&[("tests", Some(0)), ("lint", Some(0))]),
        SpecStatus::Completed,
        None,
    );
    let failed = "check 'lint' failed with exit code 2";
    check(
        &look(&[("tests", Some(0)), ("lint", Some(2))]),
        SpecStatus::Failed,
        Some(failed),
    );
    let not_run = "check 'tests' did not run to its end";
    check(
        &look(&[("tests", None), ("lint", Some(0))]),
        SpecStatus::NeedsAttention,
        Some(not_run),
    );
    check(
        &look(&[("lint", Some(0))]),
        SpecStatus::NeedsAttention,
        Some(not_run),
    );
}
