//! The files of a commit in a folder that git knows nothing of.

use super::*;

#[test]
fn the_files_of_a_commit_are_laid_out_and_nothing_else_is_touched() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        write(&folder, "sub/b c.txt", "committed\n");
        let commit = sandbox.commit(&folder, "Second");
        write(&folder, "sub/b c.txt", "changed\n");
        write(&folder, "staged.txt", "staged\n");
        sandbox.git(&folder, "add staged.txt");
        sandbox.git(&folder, "sparse-checkout set nothing");
        let before = sandbox.git(&folder, "status --porcelain");
        let copy = sandbox.path("copy");
        fs::create_dir(&copy).unwrap();
        open(&folder).export("main", &copy).unwrap();
        let text = fs::read_to_string(copy.join("sub/b c.txt")).unwrap();
        assert_eq!(text, "committed\n", "{kind}");
        assert!(!copy.join("staged.txt").exists(), "{kind}");
        assert!(!copy.join(".git").exists(), "{kind}");
        let after = sandbox.git(&folder, "status --porcelain");
        assert_eq!(after, before, "{kind}");
        assert_eq!(sandbox.git(&folder, "rev-parse main"), commit);
    }
}

#[test]
fn a_bare_repository_has_files_to_lay_out_too() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    write(&folder, "a/b.txt", "here\n");
    sandbox.commit(&folder, "Second");
    let bare = sandbox.path("bare.git");
    let from = folder.display().to_string();
    let to = bare.display().to_string();
    sandbox.git_with(&folder, "clone -q --bare", &[&from, &to]);
    let copy = sandbox.path("copy");
    fs::create_dir(&copy).unwrap();
    open(&bare).export("main", &copy).unwrap();
    assert_eq!(fs::read_to_string(copy.join("a/b.txt")).unwrap(), "here\n");
}
