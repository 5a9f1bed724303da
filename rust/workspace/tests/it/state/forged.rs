//! Projects whose own files tell of runs: nothing is done about what they say.

use std::collections::BTreeMap;
use std::sync::Arc;

use chant_spec_runs::ops as runs;
use chant_spec_runs::recorded_runs::RecordedRuns;
use chant_specs::ops;
use chant_specs::project::{Project, ProjectOptions, ZonedClock};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::*;

const SPEC: &str = "2026-01-22-001-x7m";
const TEXT: &str =
    "---\ntype: code\nstatus: in_progress\n---\n\n# One\n\n## Acceptance Criteria\n\n- [x] done\n";

/// A clone with a spec, and what lies around it.
struct Clone {
    user: User,
    top: PathBuf,
}

fn with_completed() -> runs::RunFilter {
    runs::RunFilter {
        include_completed: true,
        ..runs::RunFilter::default()
    }
}

impl Clone {
    fn new() -> Self {
        let user = User::new();
        let top = user.repository("clone");
        fs::create_dir_all(top.join(".chant/specs")).unwrap();
        fs::write(top.join(format!(".chant/specs/{SPEC}.md")), TEXT).unwrap();
        git(&top, &["add", "-A"]);
        git(&top, &["commit", "--quiet", "-m", "spec"]);
        fs::create_dir_all(user.path("Documents/deep")).unwrap();
        fs::write(user.path("Documents/deep/letter.txt"), "dear\n").unwrap();
        // A person trusts the folder: even then its own files say nothing of runs.
        let trusted = format!("---\ntrust: {{roots: ['{}']}}\n---\n", top.display());
        fs::write(user.path("config.md"), trusted).unwrap();
        Self { user, top }
    }

    fn open(&self) -> Arc<Project> {
        let options = ProjectOptions {
            root: self.top.clone(),
            user_config: Some(self.user.path("config.md")),
            searched: Vec::new(),
            trust: None,
            runs: &RecordedRuns,
            environment: BTreeMap::from([(
                "HOME".to_owned(),
                self.user.path("home").display().to_string(),
            )]),
            program: Vec::new(),
            prompts: None,
            clock: ZonedClock {
                now: Timestamp::now,
                zone: TimeZone::UTC,
            },
            disk: self.user.disk(),
        };
        Arc::new(Project::open(options).unwrap())
    }

    /// The record of a run, with some keys as an attacker would have them.
    fn record(&self, changes: &Value) -> Value {
        let now = Timestamp::now().to_string();
        let mut record = json!({
            "schema": 1, "process_id": format!("{SPEC}-4194301"), "spec_id": SPEC, "pid": 4_194_301,
            "pid_start": "1", "status": "failed", "end_state": "awaiting_merge", "mode": "single",
            "generation": 1, "token": 1, "started_at": now, "updated_at": now, "branch": format!("chant/{SPEC}"), "base": head(&self.top),
            "target": "main", "worktree": "../../Documents",
            "agent": {"name": "claude", "argv": [], "pid": std::process::id()},
        });
        for (key, value) in changes.as_object().unwrap() {
            record[key] = value.clone();
        }
        record
    }

    /// Everything that could be looked at or done without a person.
    fn looked_at(&self) -> Vec<Value> {
        let project = self.open();
        let mut told = Vec::new();
        let mut tell = |answer: Result<chant_base::answer::Answer, chant_base::error::Error>| {
            told.extend(
                answer
                    .ok()
                    .and_then(|answer| serde_json::from_str(&answer.text).ok()),
            );
        };
        runs::recover(&project).unwrap();
        tell(runs::work_list(&project, &with_completed()));
        tell(ops::status(&project, false, true));
        tell(runs::diagnose(&project, SPEC));
        tell(runs::worktrees(&project));
        tell(runs::watch_status(&project));
        let _ = runs::watch(&project, true, false, &mut |_| {});
        runs::recover(&project).unwrap();
        told
    }
}

fn head(top: &Path) -> String {
    let out = Command::new("git")
        .args(["rev-parse", "HEAD"])
        .current_dir(top)
        .output()
        .unwrap();
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

/// Everything below a folder: names, kinds, rights, contents, what links say; our own state and what git keeps of
/// stamps left out.
fn world(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut left = vec![folder.to_owned()];
    while let Some(path) = left.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let is_own = path.ends_with(".git/chant-mcp") || path.ends_with("home/chant-mcp");
        if is_own || path.ends_with(".git/index") || path.ends_with(".chant/logs") {
            continue;
        }
        let rights = metadata.permissions().mode();
        let what = if metadata.is_symlink() {
            fs::read_link(&path).unwrap().display().to_string()
        } else if metadata.is_dir() {
            left.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            "folder".into()
        } else {
            String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()
        };
        found.insert(path, format!("{rights:o} {what}"));
    }
    found
}

/// Records in the project that would have something done, were they believed.
fn attacks() -> Vec<Value> {
    let spec = |id: &str| json!({"spec_id": id, "process_id": format!("{id}-1")});
    let mut attacks = vec![
        json!({}),
        json!({"status": "running", "end_state": null}),
        json!({"status": "running", "end_state": null, "pid": std::process::id(), "adopted_at": "2026-01-23T10:00:00.000Z"}),
        json!({"end_state": "lost"}),
        json!({"end_state": "lost", "merge": {"state": "merged", "commit": "HEAD"}}),
        json!({"end_state": "lost", "stop_requested": "cancel"}),
        json!({"status": "completed", "end_state": "completed"}),
        json!({"end_state": "awaiting_approval"}),
        json!({"end_state": "failed", "completed_at": "2020-01-01T00:00:00.000Z"}),
        json!({"mode": "split", "end_state": "lost", "worktree": format!("../../Documents/.split/{SPEC}-4194301/files")}),
        json!({"mode": "chain", "status": "running", "end_state": null}),
        json!({"branch": "main", "target": "main"}),
        json!({"target": "chant/other"}),
        json!({"worktree": "/"}),
        json!({"worktree": "../Documents"}),
        json!({"log": "../../Documents/deep/letter.txt"}),
        json!({"schema": 2}),
        json!({"schema": null}),
        json!({"token": 0}),
        json!({"token": u64::MAX}),
        json!({"merge": {"state": "waiting", "begun": [{"old": "a", "new": "b"}]}}),
        json!({"proposal": {"of": "", "members": [{"title": "x"}]}, "mode": "split", "status": "completed", "end_state": "completed"}),
    ];
    attacks.extend(["../x", "/etc", ".hidden", "a\nb", ""].map(spec));
    attacks
}

#[test]
fn records_in_a_clone_change_nothing_in_the_world() {
    for attack in attacks() {
        let clone = Clone::new();
        let record = clone.record(&attack);
        let folder = clone.top.join(".chant/processes");
        fs::create_dir_all(&folder).unwrap();
        fs::write(
            folder.join(format!("{SPEC}-4194301.json")),
            record.to_string(),
        )
        .unwrap();
        for name in [
            ".chant/.locks/x.lock", ".chant/pids/x.pid", ".chant/watch.pid",
        ] {
            let path = clone.top.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{}\n", std::process::id())).unwrap();
        }
        git(&clone.top, &["branch", &format!("chant/{SPEC}")]);
        let before = world(&clone.user.path(""));
        let told = clone.looked_at();
        let after = world(&clone.user.path(""));
        for (path, what) in &before {
            assert_eq!(Some(what), after.get(path), "{attack}: {}", path.display());
        }
        let new: Vec<_> = after
            .keys()
            .filter(|path| !before.contains_key(*path))
            .collect();
        assert_eq!(new, Vec::<&PathBuf>::new(), "{attack}");
        for run in told[0]["processes"].as_array().unwrap() {
            assert_eq!(
                (&run["status"], &run["stale"]),
                (&json!("failed"), &json!(true)),
                "{attack}"
            );
        }
        assert_eq!(told[0]["summary"]["running"], 0);
    }
}

#[test]
fn a_record_of_ours_that_was_changed_is_set_aside_and_told() {
    type Damage = fn(&Path, &str);
    let damages: [(Damage, &str); 6] = [
        (|file, _| mode(file, 0o666), "may write it"),
        (
            |file, text| {
                let other = file.with_file_name("elsewhere.txt");
                fs::write(&other, text).unwrap();
                fs::remove_file(file).unwrap();
                symlink(other, file).unwrap();
            },
            "link",
        ),
        (
            |file, _| fs::rename(file, file.with_file_name(format!("{SPEC}-7.json"))).unwrap(),
            "name",
        ),
        (
            |file, text| fs::write(file, text.replace("\"schema\": 1", "\"schema\": 9")).unwrap(),
            "release",
        ),
        (
            |file, text| fs::write(file, text.replace("awaiting_merge", "completed")).unwrap(),
            "end_state",
        ),
        (
            |file, text| fs::write(file, &text[..text.len() / 2]).unwrap(),
            "",
        ),
    ];
    for (damage, why) in damages {
        let clone = Clone::new();
        let state = clone.user.state(&clone.top);
        let folder = state.ensure(&state.in_checkout("processes")).unwrap();
        let text = format!("{:#}\n", clone.record(&json!({})));
        let file = folder.join(format!("{SPEC}-4194301.json"));
        chant_store::disk::create_owned(&file, &text).unwrap();
        damage(&file, &text);
        let project = clone.open();
        let listed = runs::work_list(&project, &with_completed()).unwrap();
        assert!(
            listed.text.contains(why) && listed.text.contains("\"problems\""),
            "{why}: {}",
            listed.text
        );
        let told = runs::recover(&project).unwrap().join("\n");
        assert!(
            told.contains("set aside") && told.contains(why),
            "{why}: {told}"
        );
        assert_eq!(runs::recover(&project).unwrap(), Vec::<String>::new());
        let listed = runs::work_list(&project, &with_completed()).unwrap();
        assert!(listed.text.contains("set-aside"), "{}", listed.text);
    }
}

#[test]
fn a_run_without_its_token_or_with_other_places_is_left_alone() {
    for (attack, token, why) in [
        (json!({}), None, "newest run of its spec"),
        (json!({"branch": "chant/other"}), Some("1\n"), "branch"),
        (
            json!({"target": format!("chant/{SPEC}")}),
            Some("1\n"),
            "branch that its work lands on",
        ),
        (json!({"worktree": "/etc"}), Some("1\n"), "worktree"),
        (
            json!({"worktree": "../../Documents"}),
            Some("1\n"),
            "worktree",
        ),
        (
            json!({"end_state": "lost", "worktree": "/etc"}),
            Some("1\n"),
            "worktree",
        ),
    ] {
        let clone = Clone::new();
        git(&clone.top, &["branch", &format!("chant/{SPEC}")]);
        git(&clone.top, &["branch", "chant/other"]);
        let state = clone.user.state(&clone.top);
        let folder = state.ensure(&state.in_checkout("processes")).unwrap();
        let text = clone.record(&attack).to_string();
        chant_store::disk::create_owned(&folder.join(format!("{SPEC}-4194301.json")), &text)
            .unwrap();
        if let Some(token) = token {
            let tokens = state.ensure(&state.in_project("tokens")).unwrap();
            chant_store::disk::create_owned(&tokens.join(SPEC), token).unwrap();
        }
        let before = world(&clone.user.path(""));
        let told = runs::recover(&clone.open()).unwrap().join("\n");
        assert!(told.contains(why), "{attack}: {told}");
        let after = world(&clone.user.path(""));
        assert_eq!(before, after, "{attack}");
    }
}

#[test]
fn a_merge_that_git_does_not_know_completes_nothing() {
    let clone = Clone::new();
    git(
        &clone.top,
        &["checkout", "--quiet", "-b", &format!("chant/{SPEC}")],
    );
    git(
        &clone.top,
        &["commit", "--quiet", "--allow-empty", "-m", "work"],
    );
    let work = head(&clone.top);
    git(&clone.top, &["checkout", "--quiet", "main"]);
    let state = clone.user.state(&clone.top);
    let folder = state.ensure(&state.in_checkout("processes")).unwrap();
    let site = clone.user.path("home/.local/state/chant-mcp/worktrees");
    let attack = json!({"end_state": "lost", "merge": {"state": "merged", "commit": work},
        "worktree": site_of(&clone, &site).join(SPEC).display().to_string()});
    let text = clone.record(&attack).to_string();
    chant_store::disk::create_owned(&folder.join(format!("{SPEC}-4194301.json")), &text).unwrap();
    let tokens = state.ensure(&state.in_project("tokens")).unwrap();
    chant_store::disk::create_owned(&tokens.join(SPEC), "1\n").unwrap();
    let before = world(&clone.user.path(""));
    let told = runs::recover(&clone.open()).unwrap().join("\n");
    assert!(told.contains("does not contain it"), "{told}");
    assert_eq!(before, world(&clone.user.path("")));
}

/// The folder that a clone's runs are given worktrees in.
fn site_of(clone: &Clone, all: &Path) -> PathBuf {
    let common = clone.top.join(".git");
    let hash = chant_git::blob(&common.display().to_string());
    all.join(format!("clone-{}", &hash[..12]))
}
