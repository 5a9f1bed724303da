//! Descendants that left every trace behind but their parents.

use super::{Other, Project, is_alive};

#[test]
fn a_process_that_says_it_is_somebody_elses_ends_with_its_run() {
    for sham in [
        "CHANT_RUN=x setsid -f",
        "CHANT_RUN=runner setsid -f",
        "CHANT_RUN=other@1.1 setsid -f",
        "env -i setsid -f",
    ] {
        let project = Project::new();
        let record = project.begin();
        let text = format!(
            "{sham} sh -c 'echo $$ >daemon; exec sleep 300'; while [ ! -s daemon ]; do sleep 0.01; done; exit 3"
        );
        let mut runner = Other::running(&project, &record, &text);
        runner.ends();
        assert!(!is_alive(project.number("daemon")), "{sham}");
    }
}

#[test]
fn a_runner_takes_in_and_ends_orphans_without_group_and_environment() {
    let project = Project::new();
    let record = project.begin();
    let text = "(env -i setsid sleep 300 & echo $! >orphan) ; env -i setsid sleep 300 & echo $! >child; exit 0";
    let mut runner = Other::running(&project, &record, text);
    runner.ends();
    assert_eq!(project.read("ended"), "completed");
    assert!(!is_alive(project.number("orphan")) && !is_alive(project.number("child")));
}
