//! The process around us: its variables, a missing git.

use chant_git::bookkeeping::NewBranch;
use chant_git::land::LandingRequest;

use super::*;

/// Runs one test of the git layer, `<file>::<name>`, in a process of its own with other variables.
#[track_caller]
fn run_in_a_process(name: &str, variables: &[(&str, &OsStr)]) {
    let here = module_path!().split_once("::").unwrap().1;
    let module = here.rsplit_once("::").unwrap().0;
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("{module}::{name}"), "--nocapture"]);
    command.envs(variables.iter().copied()).stdin(Stdio::null());
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
}

#[test]
fn variables_that_would_redirect_git_have_no_effect() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.repo(KINDS[0]);
    let (git, index) = (elsewhere.join(".git"), elsewhere.join(".git/other-index"));
    let variables: [(&str, &OsStr); 9] = [
        ("GIT_DIR", git.as_os_str()),
        ("GIT_WORK_TREE", elsewhere.as_os_str()),
        ("GIT_INDEX_FILE", index.as_os_str()),
        ("GIT_COMMON_DIR", git.as_os_str()),
        ("GIT_OBJECT_DIRECTORY", git.as_os_str()),
        ("GIT_CONFIG_COUNT", OsStr::new("1")),
        ("GIT_CONFIG_KEY_0", OsStr::new("core.bare")),
        ("GIT_CONFIG_VALUE_0", OsStr::new("true")),
        ("GIT_TRACE", OsStr::new("1")),
    ];
    let before = sandbox.state(&elsewhere);
    for test in [
        "staging::a_staged_move_shows_as_a_rename_and_hides_no_change_made_meanwhile",
        "backups::a_branch_with_commits_of_its_own_is_not_deleted_until_they_are_kept",
        "tagged::tagged_is_never_stale",
        "bookkeeping::a_branch_begins_with_a_commit_of_the_runtime_and_no_checkout_notices",
        "landing::changes_of_the_users_elsewhere_survive",
    ] {
        run_in_a_process(test, &variables);
    }
    assert_eq!(sandbox.state(&elsewhere), before);
}

const FOLDER_WITHOUT_GIT: &str = "CHANT_TEST_FOLDER_WITHOUT_GIT";

#[test]
fn without_the_git_program_git2_does_what_it_can() {
    if let Some(folder) = std::env::var_os(FOLDER_WITHOUT_GIT) {
        return in_a_process_without_git(Path::new(&folder));
    }
    let sandbox = Sandbox::new();
    let folder = sandbox.repo(KINDS[0]);
    sandbox.commit(&folder, "chant(x): one");
    sandbox.init("reftable", KINDS[1]);
    sandbox.git(&folder, "update-index --untracked-cache");
    sandbox.worktree(&folder, &sandbox.path("new/tree"), "x");
    let empty = sandbox.path("empty");
    fs::create_dir(&empty).unwrap();
    let variables = [
        ("PATH", empty.as_os_str()),
        (FOLDER_WITHOUT_GIT, sandbox.folder.path().as_os_str()),
    ];
    let test = "process::without_the_git_program_git2_does_what_it_can";
    run_in_a_process(test, &variables);
    assert_eq!(
        sandbox.git(&folder, "status --porcelain"),
        "R  a.txt -> b.txt"
    );
    assert_eq!(
        sandbox.git(&folder, "branch --format=%(refname:short)"),
        "main\nx"
    );
    sandbox.git(&folder, "fsck --strict");
}

fn in_a_process_without_git(folder: &Path) {
    let project = folder.join("project");
    assert!(Repo::open(folder).unwrap().is_none());
    let refused = Repo::open(&folder.join("reftable")).unwrap_err();
    assert!(
        matches!(&refused, GitError::NoGit { why } if why.contains("refstorage")),
        "{refused}"
    );
    let repo = open(&project);
    assert_eq!(
        subjects(&repo.tagged(HistoryStart::Head, "x").unwrap()),
        ["chant(x): one"]
    );
    assert_eq!(repo.user().unwrap().unwrap().0, "Grace");
    rename(&project, "a.txt", "b.txt");
    repo.stage_move(Path::new("a.txt"), Path::new("b.txt"))
        .unwrap();
    write(&project, "c.txt", "c\n");
    assert_eq!(
        repo.uncommitted(&project).unwrap(),
        ["a.txt", "b.txt", "c.txt"]
    );
    fs::remove_file(project.join("c.txt")).unwrap();
    repo.back_up("x", "x").unwrap().unwrap();
    assert_eq!(repo.is_merged("x", "main"), Ok(true));
    let begun = repo.begin_branch(&NewBranch {
        branch: "work",
        target: "main",
        start: None,
        message: "Begin",
        files: &[("spec.md".into(), b"s\n".to_vec())],
    });
    let begun = begun.unwrap();
    let landing = LandingRequest {
        branch: "main",
        old: &begun.target,
        new: &begun.commit,
        run: "x-1",
        reason: "landed",
        exempt: &[],
        interrupted: &[],
        lock_timeout: std::time::Duration::ZERO,
    };
    let refused = repo.land(&landing, &|_| Ok(()));
    assert!(
        matches!(refused, Err(GitError::NoGit { .. })),
        "{refused:?}"
    );
    assert_eq!(repo.branch_tip("main"), Ok(Some(begun.target)));
    assert!(!project.join("spec.md").exists());
    repo.back_up("work", "work").unwrap();
    repo.delete_backed_up_branch("work").unwrap();
}
