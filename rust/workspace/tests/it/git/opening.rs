//! Opening a repository.

use super::*;

#[test]
fn a_folder_outside_any_repository_opens_as_none() {
    let sandbox = Sandbox::new();
    assert!(Repo::open(&sandbox.path("")).unwrap().is_none());
    assert!(
        Repo::open(&sandbox.path("missing/folder"))
            .unwrap()
            .is_none()
    );
    fs::create_dir(sandbox.path(".git")).unwrap();
    assert!(
        Repo::open(&sandbox.path("")).unwrap().is_none(),
        "an empty .git is no repository"
    );
}

#[test]
fn sub_folders_and_linked_worktrees_lead_to_one_repository() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        write(&folder, "deep/er/b.txt", "b\n");
        let linked = sandbox.path("linked");
        sandbox.git(&folder, "worktree add -q ../linked");
        for (place, top) in [
            (folder.clone(), &folder),
            (folder.join("deep/er"), &folder),
            (linked.clone(), &linked),
        ] {
            let repo = open(&place);
            assert_eq!(repo.common_dir(), folder.join(".git"), "{kind}");
            assert_eq!(repo.checkout(), Some(top.as_path()), "{kind}");
        }
    }
}

#[test]
fn a_bare_repository_has_no_checkout() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let folder = sandbox.repo(kind);
        let bare = sandbox.path("bare.git");
        sandbox.git(&folder, "clone -q --bare . ../bare.git");
        let repo = open(&bare);
        assert_eq!(
            (repo.common_dir(), repo.checkout()),
            (bare.as_path(), None),
            "{kind}"
        );
        assert_eq!(repo.head().unwrap().branch(), Some("main"));
        assert_eq!(repo.file_at("main", "a.txt").unwrap().unwrap(), b"a\n");
        assert_eq!(repo.worktrees().unwrap(), []);
        assert_eq!(
            repo.is_tracked(Path::new("a.txt")),
            Err(GitError::Bare { path: bare.clone() })
        );
        assert_eq!(
            repo.uncommitted(&bare),
            Err(GitError::Bare { path: bare.clone() })
        );
        assert_eq!(repo.tagged(HistoryStart::Head, "x").unwrap(), []);
    }
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    let inner = sandbox.init("inner", KINDS[0]);
    let tip = sandbox.commit(&inner, "chant(inner): work");
    sandbox.git_with(
        &folder,
        "submodule --quiet add",
        &[inner.to_str().unwrap(), "sub"],
    );
    let repo = open(&folder.join("sub"));
    assert_eq!(repo.checkout(), Some(folder.join("sub").as_path()));
    assert_eq!(repo.common_dir(), folder.join(".git/modules/sub"));
    assert_eq!(
        ids(&repo.tagged(HistoryStart::Head, "inner").unwrap()),
        [tip.as_str()]
    );
    assert_eq!(repo.worktrees().unwrap()[0].path, folder.join("sub"));
    assert_eq!(
        open(&folder).tagged(HistoryStart::Head, "inner").unwrap(),
        []
    );
}

#[cfg(unix)]
#[test]
fn a_repository_of_another_user_is_refused_by_naming_the_setting() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    let mut owned = vec![folder.clone(), folder.join(".git")];
    if owned
        .drain(..)
        .any(|path| std::os::unix::fs::chown(path, Some(12345), None).is_err())
    {
        return; // Only root can give a folder away.
    }
    // Unless the machine trusts every folder, which is not ours to change.
    fs::create_dir(folder.join("sub")).unwrap();
    match Repo::open(&folder.join("sub")) {
        Ok(repo) => assert!(repo.unwrap().head().is_ok()),
        Err(refused) => {
            assert_eq!(refused, GitError::Owner { path: folder });
            assert!(refused.to_string().contains("safe.directory"));
        }
    }
}

#[test]
fn a_repository_deleted_under_us_is_an_error_and_not_the_one_around_it() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let around = sandbox.repo(KINDS[0]);
        let folder = sandbox.init("project/inner", kind);
        sandbox.commit(&folder, "chant(x): inner");
        let repo = open(&folder);
        assert_eq!(repo.tagged(HistoryStart::Head, "x").unwrap().len(), 1);
        fs::remove_dir_all(folder.join(".git")).unwrap();
        let before = sandbox.git(&around, "for-each-ref");
        let gone = GitError::Gone {
            path: folder.clone(),
        };
        assert_eq!(repo.head(), Err(gone.clone()), "{kind}");
        assert_eq!(repo.tagged(HistoryStart::Head, "x"), Err(gone.clone()));
        assert_eq!(repo.branch_tip("main"), Err(gone.clone()));
        assert_eq!(repo.back_up("main", "x"), Err(gone.clone()));
        assert_eq!(repo.uncommitted(&folder), Err(gone.clone()));
        assert_eq!(repo.worktrees(), Err(gone.clone()));
        assert_eq!(sandbox.git(&around, "for-each-ref"), before);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(repo.head(), Err(gone.clone()), "{kind}");
        assert_eq!(repo.tagged(HistoryStart::Branch("main"), "x"), Err(gone));
    }
}
