//! Ticket projects: every form of configuration, found without a word written, and which one is meant.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use chant_store::disk::TICK;
use chant_tickets::projects::project_lookup::ProjectLookupError;
use chant_tickets::projects::view::{self, TicketStats};
use chant_tickets::projects::{DiscoveryInputs, ProjectCatalog, ProjectSource, TicketProject};
use serde_json::json;
use tempfile::TempDir;

/// A home folder with a configuration folder, and a folder to start in.
struct Home {
    folder: TempDir,
    variables: BTreeMap<String, String>,
}

impl Home {
    fn new() -> Self {
        let home = Self {
            folder: TempDir::new().unwrap(),
            variables: BTreeMap::new(),
        };
        fs::create_dir_all(home.path("start")).unwrap();
        home
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(relative)
    }

    fn put(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A project with a configuration of its own.
    fn project(&self, relative: &str, code: &str) {
        let text = format!("[project]\nname = 'Project {code}'\ncode = '{code}'\n");
        self.put(&format!("{relative}/.mdt-config.toml"), &text);
    }

    fn registers(&self, file: &str, text: &str) {
        self.put(&format!(".config/markdown-ticket/projects/{file}"), text);
    }

    fn configures(&self, text: &str) {
        self.put(".config/markdown-ticket/config.toml", text);
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    fn surroundings(&self, start: &str) -> DiscoveryInputs {
        DiscoveryInputs {
            start: self.path(start),
            config_folder: Some(self.path(".config/markdown-ticket")),
            home: Some(self.path("")),
            variables: self.variables.clone(),
        }
    }

    fn find(&self) -> ProjectCatalog {
        ProjectCatalog::find(self.surroundings("start"))
    }

    fn find_from(&self, start: &str) -> ProjectCatalog {
        ProjectCatalog::find(self.surroundings(start))
    }

    /// Problems as one text, without the place of the home folder.
    fn told(&self, projects: &ProjectCatalog) -> String {
        let lines: Vec<_> = projects
            .problems
            .iter()
            .map(|problem| format!("{}: {}", problem.path, problem.why))
            .collect();
        lines
            .join("\n")
            .replace(&self.path("").display().to_string(), "HOME/")
    }
}

fn codes(projects: &ProjectCatalog) -> Vec<&str> {
    projects.all.iter().map(|p| p.code.as_str()).collect()
}

fn project<'a>(projects: &'a ProjectCatalog, code: &str) -> &'a TicketProject {
    projects.which(Some(code), None).unwrap()
}

/// Every file below a folder with its text.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
            found.insert(path, String::new());
        } else {
            let text = fs::read_to_string(&path).unwrap();
            found.insert(path, text);
        }
    }
    found
}

#[test]
fn every_form_of_a_record_in_the_registry_is_read() {
    let home = Home::new();
    home.project("o-new", "NEW");
    home.registers(
        "a.toml",
        "projectPath = '~/o-new'\nactive = false\ndateRegistered = '2025-09-01'\n",
    );
    home.put(
        "o-old/mdt-config.toml",
        "[project]\nname = 'Old'\npath = 'tickets'\n",
    );
    home.registers(
        "b.toml",
        &format!("[project]\npath = '{}'\n", home.path("o-old").display()),
    );
    home.project("h-ref", "REF");
    home.registers("c.toml", "[project]\npath = '~/h-ref'\nactive = true\n[metadata]\ndateRegistered = 2025-10-02\nlastAccessed = '2025-10-03'\nversion = '1.2.0'\n");
    fs::create_dir_all(home.path("h-global")).unwrap();
    home.registers("d.toml", "[project]\npath = '~/h-global'\nname = 'Global'\ncode = 'GLO1'\nid = 'glo'\nticketsPath = 'work/crs'\ndescription = 'All here'\nstartNumber = '40'\n[metadata]\nglobalOnly = true\n");
    let projects = home.find();
    assert_eq!(home.told(&projects), "");
    assert_eq!(codes(&projects), ["GLO1", "MDT", "NEW", "REF"]);
    assert!(
        projects
            .all
            .iter()
            .all(|p| p.source == ProjectSource::Registry)
    );
    let new = project(&projects, "new");
    assert_eq!((new.active, new.registered.as_str()), (false, "2025-09-01"));
    assert_eq!(project(&projects, "MDT").tickets, "tickets");
    let reference = project(&projects, "REF");
    assert_eq!(
        [
            &reference.registered, &reference.last_accessed, &reference.version
        ],
        ["2025-10-02", "2025-10-03", "1.2.0"]
    );
    let global = project(&projects, "GLO1");
    assert_eq!(
        (
            global.id.as_str(),
            global.tickets.as_str(),
            global.start_number
        ),
        ("glo", "work/crs", 40)
    );
    assert_eq!(global.description.as_deref(), Some("All here"));
}

#[test]
fn a_projects_own_file_goes_before_a_record_unless_that_is_meant_to_define_it() {
    let home = Home::new();
    home.project("own", "OWN");
    home.registers(
        "own.toml",
        "[project]\npath = '~/own'\ncode = 'REG'\ndescription = 'of the registry'\n",
    );
    home.project("all", "OWN2");
    home.registers(
        "all.toml",
        "[project]\npath = '~/all'\ncode = 'REG2'\n[metadata]\nglobalOnly = true\n",
    );
    let projects = home.find();
    assert_eq!(codes(&projects), ["OWN", "REG2"]);
    assert_eq!(
        project(&projects, "OWN").description.as_deref(),
        Some("of the registry")
    );
}

#[test]
fn records_that_lead_nowhere_are_told_and_hide_no_other() {
    let home = Home::new();
    home.project("good", "GOOD");
    home.registers("a.toml", "[project]\npath = '~/gone'\n");
    home.registers("b.toml", "[project\n");
    home.registers("c.toml", "[project]\nname = 'nowhere'\n");
    home.registers(
        "d.toml",
        "[project]\npath = '~/good'\nstartNumber = 'many'\n",
    );
    home.registers("e.toml", "[project]\npath = '~/broken'\n");
    home.put("broken/.mdt-config.toml", "[project]\ncode = MDT\n");
    fs::create_dir_all(home.path("bare")).unwrap();
    home.registers("f.toml", "[project]\npath = '~/bare'\n");
    home.registers("notes.md", "not a record");
    let projects = home.find();
    assert_eq!(codes(&projects), ["GOOD"]);
    insta::assert_snapshot!("records_passed_over", home.told(&projects));
}

#[test]
fn scan_paths_of_every_name_are_looked_through_to_their_depth() {
    let home = Home::new();
    home.project("one/a", "AA");
    home.project("one/a/inner", "IN");
    home.project("two/1/2/3/4", "DEEP");
    home.project("two/1/2/3/4/5", "DEEPER");
    for passed_over in ["node_modules", "target", ".hidden", "1/build"] {
        home.project(&format!("two/{passed_over}/x"), "NOT");
    }
    home.put("two/tool/other-config.toml", "[project]\ncode = 'TOOL'\n");
    home.configures("[discovery]\nsearchPaths = ['~/two']\nscanPaths = ['../one']\n");
    let projects = home.find();
    assert_eq!(codes(&projects), ["AA", "DEEP", "IN"]);
    assert_eq!(home.told(&projects), "");
    assert!(projects.all.iter().all(|p| p.source == ProjectSource::Scan));

    home.configures("[discovery]\nscanPaths = '~/two'\nmaxDepth = 5\nexcludePaths = ['target', '.hidden', '1/build', '~/two/tool']\n");
    let projects = home.find();
    assert_eq!(
        codes(&projects),
        ["DEEP", "DEEPER", "NOT"],
        "node_modules is not excluded now"
    );

    home.configures("[discovery]\nsearchPaths = ['~/two']\nautoDiscover = false\n");
    assert_eq!(codes(&home.find()), Vec::<&str>::new());
}

#[test]
fn the_configuration_of_the_seed_goes_first_key_by_key() {
    let home = Home::new();
    home.project("a/x", "AX");
    home.project("b/1/x", "BX");
    home.configures("[discovery]\nscanPaths = ['~/b']\nmaxDepth = 1\n");
    home.put(
        ".config/markdown-ticket/mcp-server.toml",
        "[discovery]\nscanPaths = ['~/a']\n",
    );
    assert_eq!(codes(&home.find()), ["AX"]);
    home.put(
        ".config/markdown-ticket/mcp-server.toml",
        "[discovery]\nmaxDepth = 2\n",
    );
    assert_eq!(codes(&home.find()), ["BX"]);
    home.put(
        ".config/markdown-ticket/mcp-server.toml",
        "[discovery]\nmaxDepth = 'deep'\nscanPaths = ['~/gone', '~/b']\n",
    );
    let projects = home.find();
    assert_eq!(codes(&projects), Vec::<&str>::new());
    insta::assert_snapshot!("settings_passed_over", home.told(&projects));
}

#[test]
fn variables_go_before_the_configuration() {
    let home = Home::new()
        .with("MCP_SCAN_PATHS", "~/a, ../b ,,")
        .with("MCP_LOG_LEVEL", "debug");
    home.project("a/x", "AX");
    home.project("b/x", "BX");
    home.project("c/x", "CX");
    home.configures("[discovery]\nscanPaths = ['~/c']\nautoDiscover = false\n");
    assert_eq!(codes(&home.find()), ["AX", "BX"]);

    let home = home
        .with("MCP_SCAN_PATHS", " ")
        .with("MCP_CONFIG_PATH", "~/mine.toml");
    home.put("mine.toml", "[discovery]\nsearchPaths = ['~/b']\n");
    assert_eq!(codes(&home.find()), ["BX"]);
    fs::remove_file(home.path("mine.toml")).unwrap();
    let projects = home.find();
    assert_eq!(
        home.told(&projects),
        "MCP_CONFIG_PATH: the configuration `HOME/mine.toml` does not exist; name another file or unset the variable"
    );

    let home = home
        .with("MCP_CONFIG_PATH", "")
        .with("CONFIG_DIR", "~/other");
    home.put("other/config.toml", "[discovery]\nscanPaths = ['~/a']\n");
    home.put("other/projects/x.toml", "projectPath = '~/b/x'\n");
    assert_eq!(codes(&home.find()), ["BX", "AX"]);

    let home = home.with("CONFIG_DIR", "~/gone");
    assert_eq!(
        home.told(&home.find()),
        "CONFIG_DIR: the folder `~/gone` does not exist; make it or unset the variable"
    );

    let home = home
        .with("CONFIG_DIR", "~/other")
        .with("MCP_PROJECT_FILTER", "ax");
    let projects = home.find();
    assert_eq!(codes(&projects), ["AX"]);
    assert_eq!(projects.which(None, None).unwrap().code, "AX");
    let home = home.with("MCP_PROJECT_FILTER", "ZZ");
    let projects = home.find();
    assert_eq!(
        home.told(&projects),
        "MCP_PROJECT_FILTER: no project has the code `ZZ`; there are: BX, AX"
    );
}

#[test]
fn the_nearest_project_around_the_start_is_always_among_them() {
    let home = Home::new();
    home.project("outer", "OUT");
    home.project("outer/inner", "INN");
    fs::create_dir_all(home.path("outer/inner/src/deep")).unwrap();
    let projects = home.find_from("outer/inner/src/deep");
    assert_eq!(codes(&projects), ["INN"]);
    assert_eq!(projects.all[0].source, ProjectSource::Start);
    assert_eq!(projects.which(None, None).unwrap().code, "INN");

    home.configures("[discovery]\nscanPaths = ['~/']\n");
    let projects = home.find_from("outer/inner/src/deep");
    assert_eq!(codes(&projects), ["INN", "OUT"]);
    assert_eq!(projects.which(None, Some("12")).unwrap().code, "INN");
    assert_eq!(
        home.find_from("start").which(None, Some("12")).unwrap_err(),
        ProjectLookupError::Needed {
            available: vec!["INN".into(), "OUT".into()]
        }
    );
}

#[test]
fn a_folder_of_tickets_without_configuration_has_the_code_of_its_files() {
    let home = Home::new();
    home.put("bare/docs/CRs/P2-001-first.md", "---\n---\n");
    home.put("bare/docs/CRs/p2-002-second.md", "---\n---\n");
    home.put("bare/docs/CRs/README.md", "# Tickets\n");
    fs::create_dir_all(home.path("bare/src")).unwrap();
    let projects = home.find_from("bare/src");
    let found = project(&projects, "P2");
    assert_eq!(
        (
            found.id.as_str(),
            found.name.as_str(),
            found.tickets.as_str()
        ),
        ("bare", "bare", "docs/CRs")
    );
    assert_eq!(projects.which(None, Some("p2-7")).unwrap().code, "P2");

    home.put("bare/docs/CRs/XY-001.md", "---\n---\n");
    let projects = home.find_from("bare");
    assert_eq!(codes(&projects), Vec::<&str>::new());
    assert_eq!(
        home.told(&projects),
        "HOME/bare/docs/CRs: its tickets carry several codes: P2, XY; write `[project]` and `code = \"…\"` into `HOME/bare/.mdt-config.toml`"
    );
}

#[test]
fn a_broken_configuration_at_the_start_is_told_and_no_outer_project_is_taken_for_it() {
    let home = Home::new();
    home.project("outer", "OUT");
    home.put("outer/inner/.mdt-config.toml", "[project]\ncode = \n");
    home.configures("[discovery]\nscanPaths = ['~/outer/inner']\n");
    let projects = home.find_from("outer/inner");
    assert_eq!(codes(&projects), Vec::<&str>::new());
    assert_eq!(projects.problems.len(), 1, "{}", home.told(&projects));
}

#[test]
fn legacy_keys_are_read_and_no_file_is_written() {
    let home = Home::new();
    home.put("start/.mdt-config.toml", "# mine\n[project]\nname = 'Legacy' # name\ncode = 'leg'\npath = './crs/'\nstartNumber = 5\ncounterFile = '.count'\nunknown = 1\n");
    home.registers("a.toml", "projectPath = '~/gone'\n");
    home.configures("[discovery]\nscanPaths = ['~/']\n");
    let before = files(&home.path(""));
    let mut projects = home.find();
    projects.refresh();
    assert_eq!(files(&home.path("")), before);
    let legacy = project(&projects, "LEG");
    assert_eq!(
        (
            legacy.code.as_str(),
            legacy.tickets.as_str(),
            legacy.start_number,
            legacy.counter_file.as_str()
        ),
        ("leg", "crs", 5, ".count")
    );
    assert_eq!(legacy.path_of("leg-001.md"), "crs/leg-001.md");
}

#[cfg(unix)]
#[test]
fn a_folder_of_tickets_outside_of_the_project_is_refused() {
    let home = Home::new();
    for (name, path) in [
        ("up", "../outside"),
        ("abs", "/etc"),
        ("link", "docs/CRs"),
        ("dangling", "crs"),
        ("file", "notes"),
    ] {
        home.put(
            &format!("{name}/.mdt-config.toml"),
            &format!("[project]\ncode = '{name}'\nticketsPath = '{path}'\n"),
        );
    }
    fs::create_dir_all(home.path("outside/CRs")).unwrap();
    std::os::unix::fs::symlink(home.path("outside"), home.path("link/docs")).unwrap();
    std::os::unix::fs::symlink(home.path("nowhere"), home.path("dangling/crs")).unwrap();
    home.put("file/notes", "");
    home.put(
        "counter/.mdt-config.toml",
        "[project]\ncode = 'CNT'\ncounterFile = '../.mdt-next'\n",
    );
    home.project("fine", "FINE");
    fs::create_dir_all(home.path("fine/real")).unwrap();
    fs::create_dir_all(home.path("fine/docs")).unwrap();
    std::os::unix::fs::symlink("../real", home.path("fine/docs/CRs")).unwrap();
    home.configures("[discovery]\nscanPaths = ['~/']\n");
    let projects = home.find();
    assert_eq!(codes(&projects), ["FINE"]);
    insta::assert_snapshot!("folders_refused", home.told(&projects));
}

#[test]
fn of_two_projects_with_one_code_one_is_used_and_the_other_told() {
    let home = Home::new();
    for folder in ["scan/a", "scan/b", "z"] {
        home.project(folder, "SAME");
    }
    home.project("scan/c", "same");
    home.configures("[discovery]\nscanPaths = ['~/scan']\n");
    let projects = home.find();
    assert_eq!(project(&projects, "same").root, home.path("scan/a"));
    home.registers("z.toml", "projectPath = '~/z'\n");
    let projects = home.find();
    assert_eq!(project(&projects, "same").root, home.path("z"));
    assert_eq!(codes(&projects), ["SAME"]);
    insta::assert_snapshot!("one_code", home.told(&projects));

    let projects = home.find_from("scan/b");
    assert_eq!(
        project(&projects, "same").root,
        home.path("scan/b"),
        "a call acts where the server was started"
    );
}

#[test]
fn a_project_found_in_several_ways_is_listed_once() {
    let home = Home::new();
    home.project("start", "ONE");
    home.registers(
        "a.toml",
        "projectPath = '~/start'\ndateRegistered = '2025-01-01'\n",
    );
    home.registers("b.toml", "projectPath = '~/start/'\n");
    home.configures("[discovery]\nscanPaths = ['~/', '~/start']\n");
    let projects = home.find();
    assert_eq!(codes(&projects), ["ONE"]);
    assert_eq!(projects.all[0].source, ProjectSource::Registry);
    assert_eq!(home.told(&projects), "");
    assert_eq!(projects.which(None, None).unwrap().code, "ONE");
}

#[test]
fn which_project_a_call_means() {
    let home = Home::new().with("MCP_SCAN_PATHS", "~/");
    home.put(
        "one/.mdt-config.toml",
        "[project]\ncode = 'P2'\nid = 'second'\n",
    );
    home.put("two/.mdt-config.toml", "[project]\ncode = 'LONGCODE'\n");
    home.put("three/.mdt-config.toml", "[project]\ncode = 'my-app'\n");
    let projects = home.find();
    let available: Vec<String> = codes(&projects).into_iter().map(Into::into).collect();
    let which = |project, key| projects.which(project, key).map(|p| p.code.as_str());
    for (project, key, expected) in [
        (Some(" p2 "), None, "P2"),
        (Some("second"), None, "P2"),
        (Some("longcode"), Some("P2-1"), "LONGCODE"),
        (None, Some("p2-001"), "P2"),
        (None, Some("MY-APP-3"), "my-app"),
    ] {
        assert_eq!(which(project, key), Ok(expected), "{project:?} {key:?}");
    }
    let (given, some) = ("ZZ".to_owned(), available.clone());
    let unknown = ProjectLookupError::NotFound {
        given,
        available: some,
    };
    assert_eq!(which(Some("ZZ"), None), Err(unknown.clone()));
    assert_eq!(which(None, Some("ZZ-1")), Err(unknown));
    for key in [None, Some("7"), Some("nonsense")] {
        assert_eq!(
            which(None, key),
            Err(ProjectLookupError::Needed {
                available: available.clone()
            })
        );
    }
    for given in ["", "../x", "A B"] {
        assert_eq!(
            which(Some(given), None),
            Err(ProjectLookupError::Malformed {
                given: given.into(),
                available: available.clone()
            })
        );
    }
}

#[test]
fn what_changes_is_seen_at_the_next_call_and_nothing_else_is_read_again() {
    let home = Home::new();
    home.project("scan/a", "AA");
    home.configures("[discovery]\nscanPaths = ['~/scan']\n");
    home.registers("gone.toml", "projectPath = '~/later'\n");
    let mut projects = home.find();
    assert_eq!(codes(&projects), ["AA"]);

    home.project("scan/new/b", "BB");
    assert!(projects.refresh());
    assert_eq!(codes(&projects), ["AA", "BB"]);
    home.project("scan/a", "CHANGED");
    projects.refresh();
    assert_eq!(codes(&projects), ["BB", "CHANGED"]);
    home.project("later", "LATER");
    projects.refresh();
    assert_eq!(codes(&projects), ["LATER", "BB", "CHANGED"]);
    fs::remove_dir_all(home.path("scan/new")).unwrap();
    projects.refresh();
    assert_eq!(codes(&projects), ["LATER", "CHANGED"]);
    home.project("start", "HERE");
    projects.refresh();
    assert_eq!(codes(&projects), ["LATER", "HERE", "CHANGED"]);
    home.configures("");
    projects.refresh();
    assert_eq!(codes(&projects), ["LATER", "HERE"]);
    // Stamps are believed when they are older than a step of any clock.
    sleep(TICK + Duration::from_millis(40));
    projects.refresh();
    assert!(!projects.refresh(), "nothing changed since");
}

#[test]
fn answers_have_the_keys_of_the_seed_in_its_order() {
    let home = Home::new();
    fs::create_dir_all(home.path("mdt")).unwrap();
    home.registers("mdt.toml", "[project]\npath = '~/mdt'\nname = 'Board'\ncode = 'MDT'\ndescription = 'About it'\n[metadata]\ndateRegistered = '2025-10-02'\nlastAccessed = '2025-10-02'\n");
    let projects = home.find();
    assert_eq!(
        serde_json::to_string(&view::list(&projects)).unwrap(),
        r#"{"projects":[{"id":"mdt","project":{"name":"Board","code":"MDT","path":"docs/CRs","active":true,"description":"About it"},"metadata":{"dateRegistered":"2025-10-02","lastAccessed":"2025-10-02","version":"1.0.0"}}]}"#
    );
    let stats = TicketStats {
        total: 3,
        by_status: vec![("Proposed".into(), 2), ("Approved".into(), 1)],
    };
    let info = serde_json::to_value(view::info(&projects.all[0], &stats)).unwrap();
    let root = home.path("mdt").display().to_string();
    assert_eq!(
        serde_json::to_string(&info).unwrap(),
        serde_json::to_string(&json!({"project": {"id": "mdt", "project": {"name": "Board", "code": "MDT", "path": "docs/CRs", "active": true, "description": "About it", "root": root, "startNumber": 1, "counterFile": ".mdt-next"}, "stats": {"totalCRs": 3, "byStatus": {"Proposed": 2, "Approved": 1}}}})).unwrap()
    );
}

#[test]
fn a_found_project_has_the_days_of_its_files() {
    let home = Home::new();
    home.project("start", "ONE");
    fs::create_dir_all(home.path("start/docs/CRs")).unwrap();
    let changed = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_759_400_000);
    for path in ["start/.mdt-config.toml", "start/docs/CRs"] {
        fs::File::open(home.path(path))
            .unwrap()
            .set_modified(changed)
            .unwrap();
    }
    let projects = home.find();
    let found = &projects.all[0];
    assert_eq!(
        [&found.registered, &found.last_accessed, &found.version],
        ["2025-10-02", "2025-10-02", "1.0.0"]
    );
}

#[test]
fn nothing_configured_is_no_project_and_no_problem() {
    let home = Home::new();
    let projects = ProjectCatalog::find(DiscoveryInputs {
        start: home.path("start"),
        ..DiscoveryInputs::default()
    });
    assert_eq!((projects.all.len(), projects.problems.len()), (0, 0));
    assert_eq!(
        projects.which(None, None),
        Err(ProjectLookupError::Needed { available: vec![] })
    );
}
