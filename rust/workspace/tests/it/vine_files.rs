//! VINE graphs on disk: which file a name means, changes that are whole and lose nothing.

use std::fs;
use std::path::Path;

use chant_base::answer::PageRequest;
use chant_vine::files::VineStore;
use chant_vine::ops::{GraphQuery, WriteOptions, expand, next, read, write};
use serde_json::{Value, json};
use tempfile::TempDir;

const PLAN: &str = "\
vine 1.2.0
---
[root] Root (planning)
-> a
-> b
---
[a] A (notstarted)
---
ref [b] B (./sub/b.vine)
";

const NOW: WriteOptions<'_> = WriteOptions {
    dry_run: false,
    expect: None,
    expect_description: None,
    limit: 50,
};

fn files(folder: &Path) -> VineStore {
    VineStore::new(crate::own_disk(), folder.to_owned(), Vec::new(), true)
}

fn project() -> (TempDir, VineStore) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("plan.vine"), PLAN).unwrap();
    let files = files(&folder.path().canonicalize().unwrap());
    (folder, files)
}

fn asked(files: &VineStore, file: &str, action: &str, id: &str) -> Result<String, String> {
    let question = GraphQuery {
        action,
        id: Some(id),
        limit: Some(50),
        ..GraphQuery::default()
    };
    let answer = read(files, file, &question);
    answer
        .map(|answer| answer.text)
        .map_err(|error| error.to_string())
}

fn written(files: &VineStore, given: Value) -> Result<Value, String> {
    let answer = write(files, "plan", given.as_array().unwrap(), NOW);
    let answer = answer.map_err(|error| error.to_string())?;
    Ok(serde_json::from_str(&answer.text).unwrap())
}

#[test]
fn a_name_means_the_first_file_that_is_there() {
    let (folder, mut files) = project();
    let other = TempDir::new().unwrap();
    let valid = |files: &VineStore, name: &str| asked(files, name, "validate", "");
    for name in ["plan", "plan.vine", "./plan"] {
        assert_eq!(
            valid(&files, name).as_deref(),
            Ok("Valid — 3 task(s)."),
            "{name}"
        );
    }
    fs::create_dir(folder.path().join("folder")).unwrap();
    fs::write(folder.path().join("folder.vine"), PLAN).unwrap();
    assert!(valid(&files, "folder").is_ok(), "a folder is no file");
    let told = valid(&files, "nope").unwrap_err();
    assert!(
        told.starts_with("File not found: nope (resolved to /") && !told.contains("folder;"),
        "{told}"
    );
    fs::create_dir(folder.path().join("sub")).unwrap();
    let told = valid(&files, "sub").unwrap_err();
    assert!(
        told.ends_with("/sub)\nThat is a folder; name a .vine file in it."),
        "{told}"
    );
    fs::write(other.path().join("there.vine"), PLAN).unwrap();
    assert!(valid(&files, "there").is_err());
    let absolute = other.path().canonicalize().unwrap().join("there.vine");
    assert!(valid(&files, absolute.to_str().unwrap()).is_ok());
    let without_ending = absolute.with_extension("");
    assert!(valid(&files, without_ending.to_str().unwrap()).is_ok());
    files.may_leave = false;
    let told = valid(&files, absolute.to_str().unwrap()).unwrap_err();
    assert!(told.contains("lies outside of"), "{told}");
    let gone = folder.path().join("gone");
    files.roots = vec![gone, other.path().canonicalize().unwrap()];
    assert!(
        valid(&files, "there").is_ok(),
        "a root that is gone is passed over"
    );
    let above = folder.path().join("sub");
    files.roots.clear();
    files.folder = above.canonicalize().unwrap();
    assert!(
        valid(&files, "../plan")
            .unwrap_err()
            .contains("lies outside of")
    );
}

#[test]
fn questions_that_lack_something_say_what() {
    let (_folder, files) = project();
    for (action, id, expected) in [
        ("task", "", "id is required for action \"task\"."),
        ("context", "", "id is required for action \"context\"."),
        ("search", "x", "query is required for action \"search\"."),
        ("task", "nope", "Task not found: nope"),
    ] {
        assert_eq!(asked(&files, "plan", action, id).unwrap_err(), expected);
    }
    assert!(
        asked(&files, "plan", "task", "a")
            .unwrap()
            .contains("\"shortName\":\"A\"")
    );
    assert!(
        next(&files, "plan", PageRequest::default())
            .unwrap()
            .text
            .contains("\"needs_expansion\"")
    );
}

#[test]
fn a_batch_is_written_whole_or_not_at_all() {
    let (folder, files) = project();
    let path = folder.path().join("plan.vine");
    let bad = json!([
        {"op": "set_status", "id": "a", "status": "complete"},
        {"op": "set_status", "id": "nope", "status": "complete"},
    ]);
    let told = written(&files, bad).unwrap_err();
    assert_eq!(
        told,
        "Task not found: nope\nOperation 1 (set_status); nothing was changed."
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), PLAN);
    let answer = written(&files, json!([{"op": "claim", "id": "a"}])).unwrap();
    assert_eq!(answer["claimed"][0]["status"], "started");
    let text = PLAN.replace("A (notstarted)", "A (started)");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    let dry = json!([{"op": "set_status", "id": "a", "status": "complete"}]);
    let writing = WriteOptions {
        dry_run: true,
        ..NOW
    };
    let answer = write(&files, "plan", dry.as_array().unwrap(), writing).unwrap();
    let answer: Value = serde_json::from_str(&answer.text).unwrap();
    assert!(
        answer["diff"]
            .as_str()
            .unwrap()
            .contains("-[a] A (started)\n+[a] A (complete)\n")
    );
    assert_eq!(answer["progress"]["complete"], 1);
    assert!(
        answer["summary"]
            .as_str()
            .unwrap()
            .contains("nothing was written")
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_task_moves_to_a_file_of_its_own_and_back() {
    let (folder, files) = project();
    let path = folder.path().join("plan.vine");
    let extract = |vine: &str| json!([{"op": "extract_to_ref", "id": "a", "vine": vine}]);
    assert!(
        written(&files, extract("../a.vine"))
            .unwrap_err()
            .contains("leads out of")
    );
    written(&files, extract("./parts/a.vine")).unwrap();
    let child = fs::read_to_string(folder.path().join("parts/a.vine")).unwrap();
    assert_eq!(child, "vine 1.2.0\ntitle: A\n---\n[a] A (notstarted)\n");
    assert!(
        fs::read_to_string(&path)
            .unwrap()
            .contains("ref [a] A (./parts/a.vine)")
    );
    let told = written(&files, extract("./parts/a.vine")).unwrap_err();
    assert!(told.starts_with("Task \"a\" is already a reference node."));
    let answer = expand(&files, "plan", "a", None).unwrap();
    assert_eq!(answer.text, "Ref \"a\" expanded.");
    assert_eq!(fs::read_to_string(&path).unwrap(), PLAN);
    let told = expand(&files, "plan", "b", None).unwrap_err().to_string();
    assert!(
        told.starts_with("File not found: ") && told.contains("sub/b.vine"),
        "{told}"
    );
    let told = expand(&files, "plan", "b", Some("plan.vine"))
        .unwrap_err()
        .to_string();
    assert!(told.contains("cannot be put into itself"));
}

#[test]
fn a_circle_of_references_is_not_entered() {
    let (folder, files) = project();
    let write = |name: &str, leads_to: &str| {
        let text =
            format!("vine 1.1.0\n---\n[r] R (planning)\n-> x\n---\nref [x] X ({leads_to})\n");
        fs::write(folder.path().join(name), text).unwrap();
    };
    fs::create_dir(folder.path().join("sub")).unwrap();
    let told = || expand(&files, "plan", "b", None).unwrap_err().to_string();
    write("sub/b.vine", "../plan");
    assert_eq!(
        told(),
        "The child leads back to the parent: \"x\" in sub/b.vine refers to plan.vine; expanding would \
         never end."
    );
    write("sub/b.vine", "./c.vine");
    write("sub/c.vine", "../plan.vine");
    assert!(told().starts_with("The child leads back to the parent: \"x\" in sub/c.vine "));
    write("sub/c.vine", "./b.vine");
    assert!(told().starts_with("The child leads back to itself: \"x\" in sub/c.vine "));
    assert_eq!(
        fs::read_to_string(folder.path().join("plan.vine")).unwrap(),
        PLAN
    );
    // What cannot be followed is no one's way back.
    write("sub/c.vine", "https://e.x/b.vine");
    assert_eq!(
        expand(&files, "plan", "b", None).unwrap().text,
        "Ref \"b\" expanded."
    );
}

#[cfg(unix)]
#[test]
fn a_file_is_itself_under_another_name_too() {
    let (folder, files) = project();
    std::os::unix::fs::symlink("plan.vine", folder.path().join("alias.vine")).unwrap();
    let told = expand(&files, "plan", "b", Some("alias")).unwrap_err();
    assert_eq!(
        told.to_string(),
        "\"alias\" is the file itself; it cannot be put into itself."
    );
}

#[test]
fn a_new_file_never_takes_the_place_of_another() {
    let (folder, files) = project();
    let create = json!([{"op": "create"}, {"op": "add_task", "id": "r", "name": "R"}]);
    let told = written(&files, create.clone()).unwrap_err();
    assert!(told.starts_with("File already exists: /"));
    let answer = write(&files, "new/one", create.as_array().unwrap(), NOW).unwrap();
    assert!(answer.text.contains("created graph; added task"));
    assert_eq!(
        fs::read_to_string(folder.path().join("new/one.vine")).unwrap(),
        "vine 1.2.0\n---\n[r] R (notstarted)\n"
    );
    let expecting = WriteOptions {
        expect: Some("abc"),
        ..NOW
    };
    let told = write(&files, "other", create.as_array().unwrap(), expecting).unwrap_err();
    assert_eq!(
        told.to_string().lines().next().unwrap(),
        "\"expect\" is of a text that is there, and \"create\" makes a new file."
    );
    let told = write(&files, &"n".repeat(300), create.as_array().unwrap(), NOW).unwrap_err();
    assert!(!told.to_string().contains("already exists"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_new_file_may_lie_in_a_new_folder_of_a_root_that_is_a_link() {
    let (folder, mut files) = project();
    let other = TempDir::new().unwrap();
    let alias = folder.path().join("alias");
    std::os::unix::fs::symlink(other.path(), &alias).unwrap();
    files.folder = alias;
    let create = json!([{"op": "create"}, {"op": "add_task", "id": "r", "name": "R"}]);
    write(&files, "new/one", create.as_array().unwrap(), NOW).unwrap();
    assert!(other.path().join("new/one.vine").is_file());
}

/// A task that is claimed and then has another ID is reported under that one.
#[test]
fn what_was_claimed_is_told_as_it_is_in_the_end() {
    let (_folder, files) = project();
    let answer = written(
        &files,
        json!([
            {"op": "claim", "id": "a"},
            {"op": "rename_task", "id": "a", "newId": "c"},
            {"op": "set_status", "id": "c", "status": "reviewing"},
        ]),
    );
    let claimed = &answer.unwrap()["claimed"][0];
    assert_eq!(
        (&claimed["id"], &claimed["status"]),
        (&"c".into(), &"reviewing".into())
    );
}

/// Whether one began in the project or in a folder of it, references may lead through all of it.
#[test]
fn a_folder_of_a_project_is_no_wall() {
    let (folder, mut files) = project();
    let base = folder.path().canonicalize().unwrap();
    fs::create_dir(base.join("sub")).unwrap();
    let text = "vine 1.1.0\n---\nref [b] B (../other.vine)\n";
    fs::write(base.join("sub/b.vine"), text).unwrap();
    fs::write(
        base.join("other.vine"),
        "vine 1.0.0\n---\n[o] O (planning)\n",
    )
    .unwrap();
    files.folder = base.join("sub");
    files.roots = vec![base];
    assert_eq!(
        expand(&files, "b", "b", None).unwrap().text,
        "Ref \"b\" expanded."
    );
}

#[test]
fn writers_of_one_plan_lose_nothing_and_one_claim_wins() {
    let folder = TempDir::new().unwrap();
    let mut text = String::from("vine 1.2.0\n---\n[root] Root (planning)\n");
    for task in 0..40 {
        text.push_str(&format!("-> t{task}\n"));
    }
    for task in 0..40 {
        text.push_str(&format!("---\n[t{task}] T (notstarted)\n"));
    }
    fs::write(folder.path().join("plan.vine"), text).unwrap();
    let base = folder.path().canonicalize().unwrap();
    let claims = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (base, claims) = (&base, &claims);
            scope.spawn(move || {
                let files = files(base);
                if written(&files, json!([{"op": "claim", "id": "t0"}])).is_ok() {
                    claims.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                }
                for turn in 0..10 {
                    let id = format!("t{}", writer * 10 + turn);
                    let done = json!([{"op": "set_status", "id": id, "status": "complete"}]);
                    written(&files, done).unwrap();
                }
            });
        }
    });
    assert_eq!(claims.into_inner(), 1);
    let text = fs::read_to_string(folder.path().join("plan.vine")).unwrap();
    assert_eq!(text.matches("(complete)").count(), 40);
}
