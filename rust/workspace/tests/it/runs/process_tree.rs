//! Descendants that left every trace behind but their parents.

use super::{Other, Project, is_alive};

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
