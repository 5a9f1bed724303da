//! Which project and feature are meant (reference rstn 1.4 and 5.6); branches are tried from Python.

use std::fs;

use chant_base::answer::TextRange;
use chant_speckit::ops;
use serde_json::{Value, json};

use super::{FEATURE, Project, context, hint};

#[track_caller]
fn found(context: &Value, directory: &str, rule: &str) {
    assert_eq!(
        (&context["spec_dir"], &context["why"]["feature"]),
        (&json!(directory), &json!(rule))
    );
}

fn two() -> Project {
    let project = Project::of_tasks("- [ ] T001 a\n");
    project.write("specs/061-y/spec.md", "# Y\n");
    project
}

#[test]
fn the_first_rule_that_names_a_feature_decides() {
    let project = two();
    let named = [("SPECIFY_FEATURE", "061")];
    found(
        &context(&project.seen("", &named)),
        FEATURE,
        ".specify/feature.json",
    );
    let variables = [("SPECIFY_FEATURE_DIRECTORY", "specs/061-y")];
    found(
        &context(&project.seen("", &variables)),
        "specs/061-y",
        "SPECIFY_FEATURE_DIRECTORY",
    );
    fs::remove_file(project.root().join(".specify/feature.json")).unwrap();
    found(
        &context(&project.seen("", &named)),
        "specs/061-y",
        "SPECIFY_FEATURE",
    );
    found(
        &context(&project.seen("specs/060-x", &[])),
        FEATURE,
        "working folder",
    );
    let nothing = context(&project.features());
    assert_eq!(nothing["spec_dir"], Value::Null);
    assert_eq!(nothing["why"]["tried"].as_array().unwrap().len(), 5);
}

#[test]
fn the_answer_is_the_same_from_every_subfolder() {
    let project = two();
    fs::create_dir_all(project.root().join("src/deep")).unwrap();
    let here = context(&project.features());
    assert_eq!(context(&project.seen("src/deep", &[])), here);
    assert_eq!(here["root"], project.root().display().to_string());
    let elsewhere = Project::with(&[("a.md", "")]);
    let init = project.root().display().to_string();
    let seen = context(&elsewhere.seen("", &[("SPECIFY_INIT_DIR", &init)]));
    found(&seen, FEATURE, ".specify/feature.json");
    let error = ops::context(&elsewhere.seen("", &[("SPECIFY_INIT_DIR", ".")]), None).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("Error: SPECIFY_INIT_DIR names `.`"),
        "{error}"
    );
}

#[test]
fn feature_json_may_be_absolute_broken_or_lead_outside() {
    let project = two();
    let write = |text: &str| project.write(".specify/feature.json", text);
    let absolute = project.root().join("specs/061-y").display().to_string();
    write(&json!({"feature_directory": absolute}).to_string());
    found(
        &context(&project.features()),
        "specs/061-y",
        ".specify/feature.json",
    );
    for (text, warning) in [
        ("{}", "`feature_directory` is missing"),
        ("{", "names no feature"),
        (
            r#"{"feature_directory": "../outside"}"#,
            "outside of the project",
        ),
        (r#"{"feature_directory": "/"}"#, "outside of the project"),
    ] {
        write(text);
        let seen = context(&project.features());
        assert_eq!(seen["spec_dir"], Value::Null, "{text}");
        let told = seen["warnings"][0].as_str().unwrap();
        assert!(told.contains(warning), "{told}");
    }
    write(r#"{"feature_directory": "specs/070-gone"}"#);
    let seen = context(&project.features());
    found(&seen, "specs/070-gone", ".specify/feature.json");
    assert_eq!(
        (&seen["phase"], &seen["feature_number"]),
        (&json!("specify"), &json!("070"))
    );
    assert!(
        seen["warnings"][0]
            .as_str()
            .unwrap()
            .contains("no directory")
    );
}

#[test]
fn several_directories_of_one_number_are_never_chosen_from() {
    let project = Project::with(&[
        ("specs/060-a/spec.md", "# A\n"),
        ("specs/060-b/spec.md", "# B\n"),
    ]);
    let error = ops::context(&project.seen("", &[("SPECIFY_FEATURE", "060")]), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "SPECIFY_FEATURE '060' matches several features: specs/060-a, specs/060-b"
    );
    assert!(hint(&error).contains("feature.json"));
    found(
        &context(&project.seen("", &[("SPECIFY_FEATURE", "060-b")])),
        "specs/060-b",
        "SPECIFY_FEATURE",
    );
}

#[test]
fn the_phase_comes_from_what_the_documents_say() {
    let project = Project::of_tasks("no tasks yet\n");
    let phase = || context(&project.features())["phase"].clone();
    let write = |name: &str, text: &str| project.write(&format!("{FEATURE}/{name}"), text);
    write("spec.md", "# Feature Specification: [FEATURE NAME]\n");
    assert_eq!(phase(), "specify");
    write(
        "spec.md",
        "# Feature Specification: Log in\n\n[NEEDS CLARIFICATION: by mail?]\n",
    );
    write("plan.md", "\n");
    assert_eq!(phase(), "plan");
    write("plan.md", "# Plan: Log in\n");
    assert_eq!(phase(), "tasks");
    write("tasks.md", "- [x] T001 a\n");
    assert_eq!(phase(), "implement");
    assert_eq!(context(&project.features())["needs_clarification"], 1);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_of_the_project_is_not_read() {
    let project = two();
    let secret = Project::with(&[("secret.md", "secret")]);
    let link = project.root().join(FEATURE).join("checklist.md");
    std::os::unix::fs::symlink(secret.root().join("secret.md"), link).unwrap();
    let piece = TextRange {
        offset: 0,
        max_chars: 100,
    };
    let error = ops::read(&project.features(), None, "checklist", piece).unwrap_err();
    assert!(error.to_string().starts_with("Error: "), "{error}");
    assert!(
        error.to_string().contains("leads out of the project"),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn a_feature_that_is_a_link_out_of_the_project_is_not_followed() {
    let project = two();
    let elsewhere = Project::with(&[("tasks.md", "- [ ] T001 Theirs\n")]);
    let link = project.root().join("specs/099-elsewhere");
    std::os::unix::fs::symlink(elsewhere.root(), link).unwrap();
    let features = project.features();
    let piece = TextRange {
        offset: 0,
        max_chars: 100,
    };
    let error = ops::read(&features, Some("099-elsewhere"), "tasks", piece).unwrap_err();
    assert!(!error.to_string().contains("Theirs"), "{error}");
}
