//! Worktrees as they are listed.

use super::*;

#[test]
fn worktrees_are_listed_with_what_they_stand_on() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.init("project", kind);
        assert_eq!(
            listed(&open(&folder)),
            ["project main unborn [main]"],
            "{kind}"
        );
        sandbox.commit(&folder, "First");
        for options in [
            "--lock -b chant/locked ../b-locked",
            "--detach ../a-detached",
            "-b gone ../c-gone",
            "--lock --detach ../d-gone-but-locked",
        ] {
            sandbox.git(&folder, &format!("worktree add -q {options}"));
        }
        fs::remove_dir_all(sandbox.path("c-gone")).unwrap();
        fs::remove_dir_all(sandbox.path("d-gone-but-locked")).unwrap();
        let expected = [
            "project main commit [main]",
            "a-detached - commit []",
            "b-locked chant/locked commit [locked]",
            "c-gone gone commit [prunable]",
            "d-gone-but-locked - commit [locked]",
        ];
        assert_eq!(listed(&open(&folder)), expected, "{kind}");
        assert_eq!(listed(&open(&sandbox.path("a-detached"))), expected);
    }
}
