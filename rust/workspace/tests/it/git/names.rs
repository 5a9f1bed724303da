//! Names of a folder in all branches and in the index.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use super::*;

/// Makes the index look as if it was written some seconds ago, so that its names are kept.
fn age_index(folder: &Path, seconds: u64) {
    let index = folder.join(".git/index");
    let file = fs::File::options().write(true).open(index).unwrap();
    let time = SystemTime::now() - Duration::from_secs(seconds);
    file.set_modified(time).unwrap();
}

fn names(repo: &Repo, folder: &Path, beginning: &str) -> String {
    let names: BTreeSet<String> = repo
        .names_in_branches(&folder.join("specs"), beginning)
        .unwrap();
    names.into_iter().collect::<Vec<_>>().join(" ")
}

#[test]
fn names_that_were_read_before_are_read_again_when_git_has_others() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let add = |name: &str| {
            fs::create_dir_all(folder.join("specs")).unwrap();
            fs::write(folder.join("specs").join(name), "text").unwrap();
            sandbox.git(&folder, &format!("add specs/{name}"));
        };
        add("a-1");
        add("b-1");
        sandbox.commit(&folder, "Two names");
        age_index(&folder, 60);
        let repo = open(&folder);
        for _ in 0..2 {
            assert_eq!(names(&repo, &folder, ""), "a-1 b-1", "{kind}");
            assert_eq!(names(&repo, &folder, "a-"), "a-1");
            assert_eq!(names(&repo, &folder, "c"), "");
        }
        // The index alone knows it; then a branch that is not checked out does.
        add("a-2");
        age_index(&folder, 30);
        assert_eq!(names(&repo, &folder, "a-"), "a-1 a-2", "{kind}");
        sandbox.git(&folder, "switch -q -c other");
        sandbox.commit(&folder, "A third name");
        sandbox.git(&folder, "switch -q main");
        age_index(&folder, 20);
        assert_eq!(names(&repo, &folder, "a-"), "a-1 a-2", "{kind}");
        sandbox.git(&folder, "branch -q -D other");
        assert_eq!(names(&repo, &folder, "a-"), "a-1", "{kind}");
    }
}
